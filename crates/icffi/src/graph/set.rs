//! What a graph owns and how it uses it.

use crate::host_memory::Pinned;
use crate::memory::Allocation;
use crate::ordering::{Mode, Tracker};
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// Device memory in a graph: one entry for each allocation and mode.
#[derive(Debug)]
pub(crate) struct Member {
    pub(super) memory: Arc<Allocation>,
    pub(super) mode: Mode,
    pub(super) range: Range<usize>,
}

impl Member {
    pub(super) fn tracker(&self) -> &Tracker {
        self.memory.tracker()
    }
}

/// Pinned memory in a graph.
#[derive(Debug)]
pub(super) struct PinnedMember {
    pub(super) memory: Pinned,
    pub(super) mode: Option<Mode>,
}

/// A host function in a graph. Called on the runtime's thread as long as any executable graph
/// made from the capture may be running.
pub(super) type HostFn = Box<dyn Fn() + Send + Sync>;

/// Everything that the captured work uses, owned. Shared by the graph, the executable graphs made
/// from it, and launches in flight.
#[derive(Default)]
pub(crate) struct CaptureSet {
    pub(super) members: Vec<Member>,
    pub(super) pinned: Vec<PinnedMember>,
    pub(super) host_fns: Vec<Arc<super::capture::GraphCallback>>,
    /// Which capture it came from.
    pub(super) id: u64,
    /// Held while the host reads or writes pinned memory of the set, and from the registration
    /// of a launch to its enqueueing, so that neither slips into the other.
    pub(super) gate: Mutex<()>,
}

impl std::fmt::Debug for CaptureSet {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("CaptureSet")
            .field("members", &self.members)
            .field("pinned", &self.pinned)
            .field("host_fns", &self.host_fns.len())
            .finish()
    }
}

impl CaptureSet {
    /// Adds a use of device memory, widening an entry that is there.
    pub(super) fn add(&mut self, memory: &Arc<Allocation>, mode: Mode, range: &Range<usize>) {
        let known = self
            .members
            .iter_mut()
            .find(|m| Arc::ptr_eq(&m.memory, memory));
        let Some(member) = known else {
            let memory = Arc::clone(memory);
            return self.members.push(Member {
                memory,
                mode,
                range: range.clone(),
            });
        };
        member.range = member.range.start.min(range.start)..member.range.end.max(range.end);
        if mode == Mode::Write {
            member.mode = Mode::Write;
        }
    }
}
