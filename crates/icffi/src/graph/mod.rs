//! Graphs: work captured once and launched many times.
//!
//! [`Stream::capture`](crate::stream::Stream::capture) runs a closure with a private stream, the
//! [`CaptureStream`], on which every stream-ordered operation of this crate is recorded instead
//! of run. The resulting [`Graph`] owns all it captured: buffers may be dropped before, between
//! and after launches. Using a captured buffer elsewhere stays safe too, since a launch counts
//! as a use of everything in the graph and is ordered like any other.
//!
//! ```
//! use icffi::prelude::*;
//! let stream = Stream::new()?;
//! let x = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3])?;
//! let mut y = DeviceBuffer::<i32>::zeros(3)?;
//! let graph = stream.capture(|capture| y.copy_from_device_async(capture, &x))?;
//! drop(x); // the graph keeps its memory alive
//! let mut exec = graph.instantiate()?;
//! exec.launch(&stream)?;
//! assert_eq!(y.to_vec(&stream)?, [1, 2, 3]);
//! # Ok::<(), IcffiError>(())
//! ```

mod capture;
mod capture_stream;
mod exec;
mod handle;
mod pinned;
mod set;

pub(crate) use capture::{Capture, run};
pub use capture_stream::CaptureStream;
pub use exec::{GraphExec, GraphUpdate};
pub use pinned::GraphHostBuffer;

use crate::error::Result;
use crate::op::Op;
use handle::GraphHandle;
use set::CaptureSet;
use std::path::Path;
use std::sync::Arc;

/// How other threads are kept from disturbing a raw capture; see `cudaStreamCaptureMode`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum CaptureMode {
    /// Potentially unsafe calls of every thread are refused.
    Global,
    /// Those of the capturing thread only.
    #[default]
    ThreadLocal,
    /// None.
    Relaxed,
}

/// What a stream is doing; see `cudaStreamCaptureStatus`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum CaptureStatus {
    /// Running its work.
    None,
    /// Recording it.
    Active,
    /// Recording, but a forbidden call has spoilt the recording.
    Invalidated,
}

/// How a graph is instantiated.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct InstantiateFlags {
    /// Run each node with the priority its stream had
    /// (`cudaGraphInstantiateFlagUseNodePriority`).
    pub use_node_priority: bool,
}

/// Captured work, and everything it uses. `Send`, not `Sync`: CUDA's graphs are not thread-safe.
#[derive(Debug)]
pub struct Graph {
    handle: GraphHandle,
    set: Arc<CaptureSet>,
    device: i32,
    _not_sync: std::marker::PhantomData<std::cell::Cell<()>>,
}

impl Graph {
    pub(crate) fn new(handle: GraphHandle, set: CaptureSet, device: i32) -> Self {
        Self {
            handle,
            set: Arc::new(set),
            device,
            _not_sync: std::marker::PhantomData,
        }
    }

    /// Of a raw capture: it owns nothing but itself.
    ///
    /// # Safety
    /// `raw` came from `cudaStreamEndCapture` and has no other owner.
    #[allow(unsafe_code)]
    pub(crate) unsafe fn from_raw_capture(raw: icffi_sys::cudaGraph_t, device: i32) -> Self {
        // SAFETY: the caller's contract.
        let handle = unsafe { GraphHandle::from_raw(raw, device) };
        Self::new(handle, CaptureSet::default(), device)
    }

    /// Makes it ready to be launched. `cudaGraphInstantiate`; blocks the CPU, and takes about
    /// as long as launching the captured work once, so do it ahead.
    ///
    /// # Errors
    /// What the call reports.
    #[track_caller]
    pub fn instantiate(&self) -> Result<GraphExec> {
        self.make(Op::new("Graph::instantiate"), InstantiateFlags::default())
    }

    /// [`instantiate`](Self::instantiate) with a choice of flags.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn instantiate_with_flags(&self, flags: InstantiateFlags) -> Result<GraphExec> {
        self.make(Op::new("Graph::instantiate_with_flags"), flags)
    }

    fn make(&self, op: Op, flags: InstantiateFlags) -> Result<GraphExec> {
        let _current = crate::device::enter(op, self.device)?;
        let handle = self.handle.instantiate(op, flags)?;
        Ok(GraphExec::new(handle, Arc::clone(&self.set), self.device))
    }

    /// Writes the graph in the DOT language to a file, with all details. `dot -Tsvg` draws it.
    /// `cudaGraphDebugDotPrint`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if the path can't be passed to CUDA; what the call reports, such as a
    /// folder that does not exist.
    #[track_caller]
    pub fn dot(&self, path: impl AsRef<Path>) -> Result<()> {
        self.handle.dot(Op::new("Graph::dot"), path.as_ref())
    }
}
