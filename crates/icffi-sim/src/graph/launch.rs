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
use crate::sched::{OpId, StreamKey, Work};
use crate::state::{self, Sim};

const FUNCTION: &str = "cudaGraphLaunch";

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
        if graph.capturing {
            return Err(E::cudaErrorInvalidValue);
        }
        let nodes: Arc<[Node]> = graph.nodes.as_slice().into();
        Ok(self.graphs.execs.insert(Exec {
            nodes,
            flags,
            device: state::current_device(),
            last: None,
        }))
    }

    /// Launches an executable in a stream, or makes it a node of the stream's capture.
    pub(crate) fn launch_graph(&mut self, exec: usize, key: StreamKey) -> Outcome {
        let Some(found) = self.graphs.execs.get(exec) else {
            return Err(E::cudaErrorInvalidValue);
        };
        let (nodes, last) = (found.nodes.clone(), found.last);
        if self.capture_of(key).is_some() {
            self.capture_work(key, FUNCTION, Step::Child(nodes));
            return Ok(());
        }
        let begin = self.enqueue_after(key, FUNCTION, last.into_iter().collect(), Work::Nothing);
        let mut launching = Launching {
            stream: key,
            ends: HashMap::new(),
        };
        let leaves = self.expand(&mut launching, &nodes, &[begin]);
        let end = self.enqueue_after(key, FUNCTION, leaves, Work::Nothing);
        if let Some(exec) = self.graphs.execs.get_mut(exec) {
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

    /// Enqueues nodes behind `after`; returns what must be done before all of them are.
    fn expand(&mut self, to: &mut Launching, nodes: &[Node], after: &[OpId]) -> Vec<OpId> {
        // For each node the operations that are its end, and whether somebody waits for them.
        let mut ends: Vec<(Vec<OpId>, bool)> = Vec::with_capacity(nodes.len());
        for node in nodes {
            let mut deps = Vec::new();
            for dep in &node.deps {
                let (ops, awaited) = &mut ends[*dep];
                *awaited = true;
                deps.extend_from_slice(ops);
            }
            if node.deps.is_empty() {
                deps.extend_from_slice(after);
            }
            let ops = match &node.step {
                Step::Child(nodes) => {
                    let nodes = nodes.clone();
                    self.expand(to, &nodes, &deps)
                }
                Step::Work(work) => vec![self.place(to, node, deps, work.clone())],
                Step::WaitEvent(event) => {
                    let event = self.sched.events.get(*event);
                    deps.extend(event.and_then(|e| e.record).map(|r| r.op));
                    vec![self.place(to, node, deps, Work::Nothing)]
                }
            };
            ends.push((ops, false));
        }
        let mut leaves: Vec<OpId> = Vec::new();
        for (ops, awaited) in ends {
            if !awaited {
                leaves.extend(ops);
            }
        }
        if leaves.is_empty() {
            leaves.extend_from_slice(after);
        }
        leaves
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
