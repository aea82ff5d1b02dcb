//! Graphs: what a capture has recorded, and executables made of it.

mod capture;
mod dot;
mod launch;
mod memory;
mod rules;
mod update;

use std::collections::BTreeMap;
use std::sync::Arc;

use icffi_sys::{cudaError, cudaGraph_t, cudaGraphExec_t, cudaGraphNodeType as NodeType};

use crate::call::Outcome;
use crate::sched::{OpId, Work};
use crate::state::Sim;
use crate::table::Table;
pub(crate) use capture::{Capture, CaptureId, InCapture};

/// One node. It comes after all nodes that it depends on.
#[derive(Debug, Clone)]
pub(crate) struct Node {
    pub(crate) handle: usize,
    /// The device of the stream that was captured.
    pub(crate) device: usize,
    /// The C function that was captured.
    pub(crate) function: &'static str,
    /// Positions of nodes in the same graph, without repetition.
    pub(crate) deps: Vec<usize>,
    pub(crate) step: Step,
}

/// What a node does in each launch.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    Work(Work),
    /// Waits for the latest record of an event at the time of the launch, by handle.
    WaitEvent(usize),
}

impl Node {
    pub(crate) fn kind(&self) -> NodeType {
        match &self.step {
            Step::WaitEvent(_) => NodeType::cudaGraphNodeTypeWaitEvent,
            Step::Work(work) => match work {
                Work::Nothing | Work::Taken | Work::Disown(_) => NodeType::cudaGraphNodeTypeEmpty,
                Work::Copy(_) => NodeType::cudaGraphNodeTypeMemcpy,
                Work::Fill(_) => NodeType::cudaGraphNodeTypeMemset,
                Work::Kernel(_) => NodeType::cudaGraphNodeTypeKernel,
                Work::Record(_) => NodeType::cudaGraphNodeTypeEventRecord,
                Work::Host(_) => NodeType::cudaGraphNodeTypeHost,
                Work::Allocate(_) => NodeType::cudaGraphNodeTypeMemAlloc,
                Work::Free(_) => NodeType::cudaGraphNodeTypeMemFree,
            },
        }
    }
}

/// A graph, or what a capture has of it so far.
#[derive(Debug)]
pub(crate) struct Graph {
    pub(crate) nodes: Vec<Node>,
    /// A capture is at work on it and owns it.
    pub(crate) capturing: bool,
}

/// An executable graph. It has nodes of its own: the graph may go.
#[derive(Debug, Clone)]
pub(crate) struct Exec {
    pub(crate) nodes: Arc<[Node]>,
    pub(crate) flags: u64,
    /// The device that was current when it was made.
    pub(crate) device: usize,
    /// The end of its latest launch.
    pub(crate) last: Option<OpId>,
}

/// All graphs, executables and captures.
#[derive(Debug)]
pub(crate) struct Graphs {
    pub(crate) graphs: Table<Graph>,
    pub(crate) execs: Table<Exec>,
    /// The graph of each node, and its position there.
    pub(crate) nodes: Table<(usize, usize)>,
    pub(crate) captures: BTreeMap<CaptureId, Capture>,
    next_capture: CaptureId,
}

impl Graphs {
    pub(crate) fn new() -> Graphs {
        Graphs {
            graphs: Table::new(),
            execs: Table::new(),
            nodes: Table::new(),
            captures: BTreeMap::new(),
            next_capture: 1,
        }
    }

    pub(crate) fn live(&self) -> usize {
        self.graphs.len() + self.execs.len()
    }
}

impl Sim {
    /// A graph handle of the caller's, as a key that exists.
    pub(crate) fn graph(&mut self, graph: cudaGraph_t) -> Outcome<usize> {
        match self.graphs.graphs.get(graph as usize) {
            Some(_) => Ok(graph as usize),
            None => Err(self.bad_graph("graph", graph as usize)),
        }
    }

    /// The handle of an executable graph, likewise.
    pub(crate) fn exec(&mut self, exec: cudaGraphExec_t) -> Outcome<usize> {
        match self.graphs.execs.get(exec as usize) {
            Some(_) => Ok(exec as usize),
            None => Err(self.bad_graph("executable graph", exec as usize)),
        }
    }

    /// Like a bad handle of a stream, but CUDA has another code for graphs.
    fn bad_graph(&mut self, what: &str, handle: usize) -> cudaError {
        self.bad_handle(what, handle);
        cudaError::cudaErrorInvalidValue
    }

    /// Destroys a graph and its nodes.
    pub(crate) fn drop_graph(&mut self, key: usize) {
        if let Some(graph) = self.graphs.graphs.remove(key) {
            for node in &graph.nodes {
                self.graphs.nodes.remove(node.handle);
            }
            self.forget_memory(&graph.nodes);
        }
    }

    /// Destroys what a device that is reset has of graphs.
    pub(crate) fn drop_graphs(&mut self, device: usize) {
        let on = |nodes: &[Node]| nodes.iter().any(|node| node.device == device);
        for key in self.graphs.graphs.keys_where(|graph| on(&graph.nodes)) {
            self.drop_graph(key);
        }
        let execs = &self.graphs.execs;
        for key in execs.keys_where(|exec| exec.device == device || on(&exec.nodes)) {
            self.graphs.execs.remove(key);
        }
    }
}
