//! Operations: what a stream does when its turn comes.

use std::fmt;

use super::HostFn;
use crate::launch::Launch;
use crate::mem::{AllocId, Region};

/// Operations are numbered in the order in which they were enqueued.
pub(crate) type OpId = u64;

/// One operation of a stream.
#[derive(Debug)]
pub(crate) struct Op {
    pub(crate) id: OpId,
    /// The C function that enqueued it.
    pub(crate) function: &'static str,
    /// Operations of other streams that must be finished first.
    pub(crate) deps: Vec<OpId>,
    pub(crate) work: Work,
}

/// What to do. A graph does it once for each of its launches.
#[derive(Debug, Clone)]
pub(crate) enum Work {
    /// Nothing: it stands for its dependencies.
    Nothing,
    Copy(Copy),
    Fill(Fill),
    Kernel(Launch),
    /// Stamps an event, by handle; the event may be gone or recorded anew by then.
    Record(usize),
    Host(HostFn),
    /// Memory of a pool or a graph becomes valid.
    Allocate(AllocId),
    /// It ceases to be valid.
    Free(AllocId),
    /// Memory of a graph that is gone ceases to be.
    Disown(AllocId),
    /// Taken out to be run.
    Taken,
}

/// Where the bytes of a copy come from.
#[derive(Clone)]
pub(crate) enum Source {
    /// Read when the operation runs.
    Memory(Region),
    /// Read by the call already.
    Staged(Vec<u8>),
}

impl fmt::Debug for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Source::Memory(region) => region.fmt(f),
            Source::Staged(bytes) => write!(f, "{} staged bytes", bytes.len()),
        }
    }
}

/// A copy of `height` rows of `width` bytes.
#[derive(Debug, Clone)]
pub(crate) struct Copy {
    pub(crate) source: Source,
    pub(crate) source_pitch: usize,
    pub(crate) target: Region,
    pub(crate) target_pitch: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
}

/// A fill of `height` rows of `width` bytes.
#[derive(Debug, Clone)]
pub(crate) struct Fill {
    pub(crate) target: Region,
    pub(crate) pitch: usize,
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) value: u8,
}
