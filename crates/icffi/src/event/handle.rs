//! CUDA's event handle behind safe calls.
#![allow(unsafe_code)]

use crate::error::Result;
use crate::op::Op;
use crate::rt;
use crate::stream::Stream;
use icffi_sys::cudaEvent_t;

/// # Invariants
/// 1. The handle came from `cudaEventCreateWithFlags`, and only [`EventHandle::destroy`], which
///    takes `self`, destroys it; or it is null, left behind by [`EventHandle::take`] in an owner
///    that is being dropped.
#[derive(Debug)]
pub(crate) struct EventHandle(cudaEvent_t);

// SAFETY: CUDA's events may be used and destroyed by any thread (CUDA Runtime API 13.0, section
// 5 "API synchronization behavior" and 6.5: calls are thread-safe).
unsafe impl Send for EventHandle {}
// SAFETY: as above, concurrently too.
unsafe impl Sync for EventHandle {}

impl EventHandle {
    /// On the current device.
    pub(crate) fn create(op: Op, flags: u32) -> Result<Self> {
        rt::event_create(op, flags).map(Self)
    }

    pub(crate) fn raw(&self) -> cudaEvent_t {
        self.0
    }

    /// Moves the handle out of an owner's `drop`.
    pub(super) fn take(&mut self) -> Self {
        Self(std::mem::replace(&mut self.0, std::ptr::null_mut()))
    }

    /// Of the same device: the caller has checked.
    pub(crate) fn record(&self, op: Op, stream: &Stream) -> Result<()> {
        // SAFETY: the event is live by invariant 1, the stream by holding its core.
        unsafe { rt::event_record(op, self.0, stream.raw()) }
    }

    pub(crate) fn query(&self, op: Op) -> Result<bool> {
        // SAFETY: invariant 1.
        unsafe { rt::event_query(op, self.0) }
    }

    pub(crate) fn synchronize(&self, op: Op) -> Result<()> {
        // SAFETY: invariant 1.
        unsafe { rt::event_synchronize(op, self.0) }
    }

    pub(crate) fn elapsed_ms(&self, op: Op, earlier: &Self) -> Result<f32> {
        // SAFETY: invariant 1, for both.
        unsafe { rt::event_elapsed_ms(op, earlier.0, self.0) }
    }

    /// Makes all later work of `stream` wait for this event as it is recorded now.
    pub(crate) fn hold_back(&self, op: Op, stream: &Stream) -> Result<()> {
        // SAFETY: the event is live by invariant 1, the stream by holding its core.
        unsafe { rt::stream_wait_event(op, stream.raw(), self.0) }
    }

    pub(crate) fn destroy(self, op: Op) -> Result<()> {
        // SAFETY: invariant 1; `self` is consumed, so the handle is not used again. Pending
        // waits on it are served (CUDA Runtime API 13.0, cudaEventDestroy).
        unsafe { rt::event_destroy(op, self.0) }
    }
}
