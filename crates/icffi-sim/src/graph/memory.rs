//! Memory of graphs: allocated by one node and freed by another, in each launch anew, always at
//! the same address.
//!
//! What calls may name it is decided in the order of calls (`outstanding`), what operations may
//! touch it in the order of execution (its state), as for memory of pools.

use std::collections::HashMap;

use icffi_sys::cudaError as E;

use super::{Exec, Node, Step};
use crate::call::Outcome;
use crate::mem::{AllocId, Origin, Region, State};
use crate::sched::{OpId, StreamKey, Work};
use crate::state::Sim;

/// `cudaGraphInstantiateFlagAutoFreeOnLaunch`.
const AUTO_FREE: u64 = 1;

impl Node {
    fn allocates(&self) -> Option<AllocId> {
        match self.step {
            Step::Work(Work::Allocate(id)) => Some(id),
            _ => None,
        }
    }

    fn frees(&self) -> Option<AllocId> {
        match self.step {
            Step::Work(Work::Free(id)) => Some(id),
            _ => None,
        }
    }
}

impl Sim {
    /// An allocation in a captured stream: a node, and an address for all launches.
    pub(crate) fn capture_allocate(
        &mut self,
        key: StreamKey,
        function: &'static str,
        bytes: usize,
        device: usize,
    ) -> Outcome<usize> {
        if bytes as u64 > self.config.memory {
            return Err(E::cudaErrorMemoryAllocation);
        }
        let (origin, state) = (Origin::Graph, State::Promised);
        let alloc = self
            .memory
            .allocate(bytes, device, origin, state, function)?;
        let (id, base) = (alloc.id, alloc.base);
        self.enqueue(key, function, Work::Allocate(id));
        Ok(base)
    }

    /// A free in a captured stream: it must be of a graph's memory, once.
    pub(crate) fn capture_free(&mut self, key: StreamKey, address: usize) -> Outcome {
        let found = self.memory.find(address);
        let id = match found {
            Some(a) if a.origin == Origin::Graph && a.base == address => a.id,
            _ => return Err(E::cudaErrorInvalidValue),
        };
        let graph = self
            .capture_of(key)
            .and_then(|id| self.graphs.captures.get(&id));
        let nodes = graph.and_then(|capture| self.graphs.graphs.get(capture.graph));
        let own = nodes.is_some_and(|g| g.nodes.iter().any(|n| n.allocates() == Some(id)));
        // The owner frees it, or others do, but not both.
        if self.freed_by_owner(id) || (own && self.frees_somewhere(id)) {
            return Err(E::cudaErrorInvalidValue);
        }
        self.enqueue(key, "cudaFreeAsync", Work::Free(id));
        Ok(())
    }

    pub(super) fn is_of_graph(&self, region: &Region) -> bool {
        let alloc = region.id().and_then(|id| self.memory.get(id));
        alloc.is_some_and(|alloc| alloc.origin == Origin::Graph)
    }

    fn all_nodes(&self) -> impl Iterator<Item = &[Node]> {
        let graphs = self
            .graphs
            .graphs
            .values()
            .map(|graph| graph.nodes.as_slice());
        graphs.chain(self.graphs.execs.values().map(|exec| &*exec.nodes))
    }

    /// The graph that allocates this memory frees it too: nobody else may.
    fn freed_by_owner(&self, id: AllocId) -> bool {
        self.all_nodes().any(|nodes| {
            nodes.iter().any(|n| n.allocates() == Some(id))
                && nodes.iter().any(|n| n.frees() == Some(id))
        })
    }

    fn frees_somewhere(&self, id: AllocId) -> bool {
        self.all_nodes()
            .any(|nodes| nodes.iter().any(|n| n.frees() == Some(id)))
    }

    fn has_owner(&self, id: AllocId) -> bool {
        self.all_nodes()
            .any(|nodes| nodes.iter().any(|n| n.allocates() == Some(id)))
    }

    /// A graph with memory can be instantiated once at a time.
    pub(super) fn instantiable(&self, nodes: &[Node]) -> Outcome {
        let execs = || {
            self.graphs
                .execs
                .values()
                .flat_map(|exec| exec.nodes.iter())
        };
        let taken = |id: AllocId| execs().any(|node| node.allocates() == Some(id));
        if nodes.iter().filter_map(Node::allocates).any(taken) {
            return Err(E::cudaErrorNotSupported);
        }
        Ok(())
    }

    /// Whether a launch may allocate and free what it does. Returns what it must free first, and
    /// takes what it allocates out of the device's memory.
    pub(super) fn prepare_memory(&mut self, exec: &Exec) -> Outcome<Vec<AllocId>> {
        let mut first = Vec::new();
        let mut alive: HashMap<AllocId, bool> = HashMap::new();
        let now = |sim: &Sim, id| sim.memory.get(id).is_some_and(|a| a.outstanding);
        for node in exec.nodes.iter() {
            if let Some(id) = node.allocates() {
                if alive.get(&id).copied().unwrap_or_else(|| now(self, id)) {
                    if exec.flags & AUTO_FREE == 0 {
                        return Err(E::cudaErrorInvalidValue);
                    }
                    first.push(id);
                }
                alive.insert(id, true);
            }
            if let Some(id) = node.frees() {
                if !alive.get(&id).copied().unwrap_or_else(|| now(self, id)) {
                    return Err(E::cudaErrorInvalidValue);
                }
                alive.insert(id, false);
            }
        }
        for node in exec.nodes.iter() {
            self.map(node.allocates())?;
        }
        for (id, alive) in alive {
            if let Some(alloc) = self.memory.get_mut(id) {
                alloc.outstanding = alive;
            }
        }
        Ok(first)
    }

    /// From its first launch on a graph keeps its memory.
    fn map(&mut self, id: Option<AllocId>) -> Outcome {
        let Some(alloc) = id.and_then(|id| self.memory.get(id)) else {
            return Ok(());
        };
        if alloc.mapped {
            return Ok(());
        }
        let (id, device, len) = (alloc.id, alloc.device, alloc.len);
        self.charge_device(device, len)?;
        if let Some(alloc) = self.memory.get_mut(id) {
            alloc.mapped = true;
        }
        Ok(())
    }

    /// The stream has reached the free of a graph's memory.
    pub(crate) fn free_of_graph(&mut self, id: AllocId, function: &'static str) {
        self.sleep(id, function);
        self.retire_unowned(id);
    }

    /// A graph or an executable is gone: so is its memory, once what is enqueued is done.
    pub(super) fn forget_memory(&mut self, nodes: &[Node]) {
        for id in nodes.iter().filter_map(Node::allocates) {
            let Some(alloc) = self.memory.get(id) else {
                continue;
            };
            let after: Vec<OpId> = self.sched.all_tails();
            if after.is_empty() {
                self.retire_unowned(id);
                continue;
            }
            let device = alloc.device;
            let within = self.sched.legacy(device);
            let key = self.sched.hidden_stream(device, within);
            self.enqueue_after(key, "cudaGraphDestroy", after, Work::Disown(id));
        }
    }

    /// Ends a graph's memory that neither a graph nor the program can come back to.
    pub(crate) fn retire_unowned(&mut self, id: AllocId) {
        let Some(alloc) = self.memory.get(id) else {
            return;
        };
        let over = alloc.origin != Origin::Graph || alloc.state == State::Freed;
        if over || alloc.outstanding || self.has_owner(id) {
            return;
        }
        let (mapped, device, len) = (alloc.mapped, alloc.device, alloc.len);
        self.sleep(id, "cudaGraphDestroy");
        self.retire(id, "cudaGraphDestroy");
        if mapped {
            self.uncharge(Origin::Malloc, device, len);
        }
    }
}
