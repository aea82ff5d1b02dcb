//! Whether an executable can take over the parameters of another graph.

use icffi_sys::cudaGraphExecUpdateResult as Result;

use super::{Node, Step};
use crate::mem::{Place, Region};
use crate::sched::{Copy, Fill, Source, Work};
use crate::state::Sim;

impl Sim {
    /// Gives an executable the nodes of a graph, if they are alike enough; else says what differs,
    /// and in which node. Launches enqueued already have their nodes.
    pub(crate) fn update_exec(&mut self, exec: usize, graph: usize) -> (Result, Option<usize>) {
        let old = self.graphs.execs.get(exec).map(|exec| exec.nodes.clone());
        let new = self
            .graphs
            .graphs
            .get(graph)
            .map(|graph| graph.nodes.clone());
        let (Some(old), Some(new)) = (old, new) else {
            return (Result::cudaGraphExecUpdateError, None);
        };
        if let Err(difference) = self.compare(&old, &new) {
            return difference;
        }
        if let Some(exec) = self.graphs.execs.get_mut(exec) {
            exec.nodes = new.into();
        }
        self.forget_memory(&old);
        (Result::cudaGraphExecUpdateSuccess, None)
    }

    /// Nodes are paired in the order of their creation.
    fn compare(
        &self,
        old: &[Node],
        new: &[Node],
    ) -> std::result::Result<(), (Result, Option<usize>)> {
        if old.len() != new.len() {
            return Err((Result::cudaGraphExecUpdateErrorTopologyChanged, None));
        }
        for (old, new) in old.iter().zip(new) {
            let at = Some(new.handle);
            if old.deps.len() != new.deps.len() || !old.deps.iter().all(|d| new.deps.contains(d)) {
                return Err((Result::cudaGraphExecUpdateErrorTopologyChanged, at));
            }
            if old.kind() != new.kind() {
                return Err((Result::cudaGraphExecUpdateErrorNodeTypeChanged, at));
            }
            if !self.alike(old, new) {
                return Err((Result::cudaGraphExecUpdateErrorParametersChanged, at));
            }
        }
        Ok(())
    }

    /// Whether the parameters of a node may change like this.
    fn alike(&self, old: &Node, new: &Node) -> bool {
        if old.device != new.device {
            return false;
        }
        match (&old.step, &new.step) {
            (Step::Work(Work::Copy(old)), Step::Work(Work::Copy(new))) => {
                let ends = |copy: &Copy| match copy.source {
                    Source::Memory(source) => (self.kind(source), self.kind(copy.target)),
                    Source::Staged(_) => (Kind::Host, self.kind(copy.target)),
                };
                // One row cannot become many.
                ends(old) == ends(new) && (old.height == 1) == (new.height == 1)
            }
            (Step::Work(Work::Fill(old)), Step::Work(Work::Fill(new))) => {
                let shape = |fill: &Fill| match fill.height {
                    // Of one row the length may change.
                    1 => (0, 0, 1),
                    height => (fill.pitch, fill.width, height),
                };
                shape(old) == shape(new)
            }
            // Memory of the graph may be other memory from now on.
            _ => true,
        }
    }

    fn kind(&self, region: Region) -> Kind {
        match region.place {
            // Of memory that is long gone nobody knows.
            Place::Device(id) => Kind::Device(self.memory.get(id).map(|alloc| alloc.device)),
            Place::Pinned(_) | Place::Pageable => Kind::Host,
        }
    }
}

/// What must stay the same at an end of a copy.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Kind {
    Host,
    Device(Option<usize>),
}
