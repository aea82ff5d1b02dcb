//! Memory on its way back.
#![allow(unsafe_code)]

use super::raw::Deleter;
use crate::device;
use crate::error::Result;
use crate::op::Op;
use crate::ordering::Use;
use crate::stream::Stream;
use crate::{retire, rt};
use std::ffi::c_void;
use std::ptr::NonNull;

/// The address on its way to be freed.
pub(super) struct Doomed {
    pub(super) ptr: NonNull<c_void>,
    pub(super) device: i32,
    /// For memory that is not CUDA's to free.
    pub(super) deleter: Option<Deleter>,
}

// SAFETY: see `Allocation`.
unsafe impl Send for Doomed {}

impl Doomed {
    /// `cudaFree`, or the foreign deleter, when all uses are over.
    pub(super) fn free(self, op: Op) -> Result<()> {
        let _current = device::enter(op, self.device)?;
        if let Some(deleter) = self.deleter {
            deleter(self.ptr.as_ptr());
            return Ok(());
        }
        // SAFETY: invariant 1 of the `Allocation` this came from; its uses (invariant 2) are
        // over, seen to by every caller. `cudaFree` also takes pool memory (CUDA Runtime API
        // 13.0, cudaFree), and then does not wait itself.
        unsafe { rt::free(op, self.ptr.as_ptr()) }
    }

    pub(super) fn free_after_waiting(self, op: Op, uses: Vec<Use>) {
        let ordinal = self.device;
        if let Err(e) = uses.iter().try_for_each(|one| one.wait(op)) {
            if !rt::is_gone(&e) {
                device::state(ordinal).defer(e);
            }
            return retire::quarantine(ordinal, op.name, uses, move |op| self.free(op));
        }
        drop(uses);
        retire::release_now(ordinal, op.name, move |op| self.free(op));
    }

    /// `cudaFreeAsync` on `stream`, made to wait for all of `uses` first. If the waits can't be
    /// enqueued the memory is quarantined and freed once they are over. If the free itself
    /// reports an error it may have happened all the same, so the memory counts as leaked.
    pub(super) fn free_behind(self, op: Op, mut uses: Vec<Use>, stream: &Stream) -> Result<()> {
        let ordered = uses
            .iter_mut()
            .try_for_each(|one| one.order_before(op, stream));
        let entered = ordered.and_then(|()| device::enter(op, self.device));
        match entered {
            Ok(_current) => {
                // SAFETY: invariant 1 of the `Allocation` this came from; the stream now comes
                // behind every registered use (invariant 2).
                let freed = unsafe { rt::free_async(op, self.ptr.as_ptr(), stream.raw()) };
                rt::gone_at_exit(freed).inspect_err(|_| device::state(self.device).count_leak())
            }
            Err(e) => {
                let ordinal = self.device;
                uses.push(Use::late(stream));
                retire::quarantine(ordinal, op.name, uses, move |op| self.free(op));
                Err(e)
            }
        }
    }

    /// For memory whose own stream can't be reached from every thread.
    pub(super) fn free_on_side_stream(self, op: Op, uses: Vec<Use>) {
        let ordinal = self.device;
        let result = match device::state(ordinal).side_stream(op, ordinal) {
            Ok(side) => self.free_behind(op, uses, &side),
            Err(e) => {
                retire::quarantine(ordinal, op.name, uses, move |op| self.free(op));
                Err(e)
            }
        };
        if let Err(e) = rt::gone_at_exit(result) {
            device::state(ordinal).defer(e);
        }
    }
}
