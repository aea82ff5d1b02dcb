//! Executables and their launches.
//!
//! A launch puts two operations into its stream, a begin and an end. Between them each node is an
//! operation of its own, in streams without a handle, which wait for what the node depends on: so
//! the schedule mixes nodes with each other and with all other streams as it likes.

use std::collections::HashMap;
use std::sync::Arc;

use icffi_sys::cudaError as E;

use super::{Exec, Node, Step};
use crate::call::Outcome;
use crate::event::Record;
use crate::report::ReportKind;
use crate::sched::{OpId, Source, StreamKey, Work};
use crate::state::{self, Sim};

const FUNCTION: &str = "cudaGraphLaunch";

/// `cudaGraphInstantiateFlagDeviceLaunch`.
const DEVICE_LAUNCH: u64 = 4;

/// Memory freed at the launch, and priorities of nodes, which change nothing here.
const FLAGS: u64 = 1 | 8;

/// A launch while it is taken apart.
struct Launching {
    stream: StreamKey,
    /// The stream without a handle that ends with this operation.
    ends: HashMap<OpId, StreamKey>,
}

impl Sim {
    pub(crate) fn instantiate(&mut self, graph: usize, flags: u64) -> Outcome<usize> {
        let graph = self
            .graphs
            .graphs
            .get(graph)
            .ok_or(E::cudaErrorInvalidValue)?;
        // What is left of the flags concerns launches from the device, which is not simulated.
        if flags & DEVICE_LAUNCH != 0 {
            return Err(E::cudaErrorNotSupported);
        }
        if flags & !FLAGS != 0 {
            return Err(E::cudaErrorInvalidValue);
        }
        let nodes: Arc<[Node]> = graph.nodes.as_slice().into();
        self.instantiable(&nodes)?;
        self.check_regions(&nodes)?;
        Ok(self.graphs.execs.insert(Exec {
            nodes,
            flags,
            device: state::current_device(),
            last: None,
        }))
    }

    /// Copies and fills of memory that is gone cannot be instantiated. Kernels are not looked at.
    fn check_regions(&mut self, nodes: &[Node]) -> Outcome {
        for node in nodes {
            let regions = match &node.step {
                Step::Work(Work::Copy(copy)) => match copy.source {
                    Source::Memory(source) => vec![source, copy.target],
                    Source::Staged(_) => vec![copy.target],
                },
                Step::Work(Work::Fill(fill)) => vec![fill.target],
                _ => continue,
            };
            for region in regions {
                let Err(misuse) = self.recheck(&region) else {
                    continue;
                };
                if misuse.kind == ReportKind::UseAfterFree && !self.is_of_graph(&region) {
                    let range = region.address..region.address + region.bytes;
                    self.report(misuse.kind, node.function, None, range, misuse.detail);
                    return Err(E::cudaErrorInvalidValue);
                }
            }
        }
        Ok(())
    }

    /// Launches an executable in a stream.
    pub(crate) fn launch_graph(&mut self, exec: usize, key: StreamKey) -> Outcome {
        let exec_key = exec;
        let Some(exec) = self.graphs.execs.get(exec_key).cloned() else {
            return Err(E::cudaErrorInvalidValue);
        };
        let unfreed = self.prepare_memory(&exec)?;
        let begin = exec.last.into_iter().collect();
        let mut begin = self.enqueue_after(key, FUNCTION, begin, Work::Nothing);
        for id in unfreed {
            begin = self.enqueue(key, FUNCTION, Work::Free(id));
        }
        let mut launching = Launching {
            stream: key,
            ends: HashMap::new(),
        };
        let leaves = self.expand(&mut launching, &exec.nodes, begin);
        let end = self.enqueue_after(key, FUNCTION, leaves, Work::Nothing);
        if let Some(exec) = self.graphs.execs.get_mut(exec_key) {
            exec.last = Some(end);
        }
        Ok(())
    }

    /// Destroys an executable. A launch that is not over goes on, since it has nodes of its own;
    /// nothing in CUDA's documentation promises that.
    pub(crate) fn destroy_exec(&mut self, exec: usize) {
        let Some(exec) = self.graphs.execs.remove(exec) else {
            return;
        };
        if exec.last.is_some_and(|last| !self.sched.is_done(last)) {
            let detail = "an executable graph destroyed while a launch of it was not over";
            let function = "cudaGraphExecDestroy";
            self.report(
                ReportKind::GraphInUse,
                function,
                None,
                0..0,
                detail.to_owned(),
            );
        }
    }

    /// Enqueues nodes behind `begin`; returns what must be done before all of them are.
    fn expand(&mut self, to: &mut Launching, nodes: &[Node], begin: OpId) -> Vec<OpId> {
        let mut ops: Vec<OpId> = Vec::with_capacity(nodes.len());
        let mut leaf = vec![true; nodes.len()];
        for node in nodes {
            let mut deps: Vec<OpId> = node.deps.iter().map(|dep| ops[*dep]).collect();
            for dep in &node.deps {
                leaf[*dep] = false;
            }
            if deps.is_empty() {
                deps.push(begin);
            }
            let work = match &node.step {
                Step::Work(work) => work.clone(),
                Step::WaitEvent(event) => {
                    let event = self.sched.events.get(*event);
                    deps.extend(event.and_then(|e| e.record).map(|r| r.op));
                    Work::Nothing
                }
            };
            ops.push(self.place(to, node, deps, work));
        }
        let leaves = ops.iter().zip(leaf).filter(|(_, leaf)| *leaf);
        leaves.map(|(op, _)| *op).collect()
    }

    /// Puts one node into a stream without a handle: that of a node before it, if nothing else
    /// follows there, so that a chain is one stream.
    fn place(&mut self, to: &mut Launching, node: &Node, deps: Vec<OpId>, work: Work) -> OpId {
        let behind = deps.iter().find_map(|dep| {
            let key = to.ends.get(dep).copied()?;
            let same = self.sched.streams.get(&key)?.device == node.device;
            same.then_some((*dep, key))
        });
        let key = match behind {
            Some((dep, key)) => {
                to.ends.remove(&dep);
                key
            }
            None => self.sched.hidden_stream(node.device, to.stream),
        };
        let record = match work {
            Work::Record(event) => Some(event),
            _ => None,
        };
        let op = self.enqueue_after(key, node.function, deps, work);
        if let Some(event) = record.and_then(|event| self.sched.events.get_mut(event)) {
            event.record = Some(Record { op, at: None });
            event.captured = None;
        }
        to.ends.insert(op, key);
        op
    }
}
