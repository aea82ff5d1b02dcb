//! The pinned allocation itself.
#![allow(unsafe_code)]

use super::HostAllocFlags;
use crate::error::{self, Result, codes};
use crate::op::Op;
use crate::ordering::{Mode, Tracker, Use};
use crate::{retire, rt};
use std::ffi::c_void;
use std::ptr::NonNull;

/// # Invariants
/// 1. `ptr` came from `cudaHostAlloc` with `bytes` (more than 0) bytes and only `Drop` frees it.
/// 2. Every transfer that may still use it is registered in `tracker`.
#[derive(Debug)]
pub(crate) struct Pinned {
    ptr: NonNull<c_void>,
    flags: HostAllocFlags,
    tracker: Tracker,
}

// SAFETY: the pointer is to plain memory of this owner; the tracker is `Send` by itself.
unsafe impl Send for Pinned {}
// SAFETY: `&Pinned` gives the address, which is a number, and the tracker, which is `Sync`.
unsafe impl Sync for Pinned {}

impl Pinned {
    pub(super) fn alloc(op: Op, bytes: usize, flags: HostAllocFlags) -> Result<Self> {
        retire::sweep();
        let ptr = rt::host_alloc(op, bytes, flags.bits()).map_err(|e| {
            if e.code() == codes::MEMORY_ALLOCATION {
                error::out_of_memory(op, bytes, None, e)
            } else {
                e
            }
        })?;
        let ptr = NonNull::new(ptr).ok_or_else(|| error::null(op, "cudaHostAlloc", bytes))?;
        Ok(Self {
            ptr,
            flags,
            tracker: Tracker::default(),
        })
    }

    pub(crate) fn ptr(&self) -> *mut c_void {
        self.ptr.as_ptr()
    }

    pub(super) fn flags(&self) -> HostAllocFlags {
        self.flags
    }

    pub(crate) fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    pub(super) fn device_ptr(&self, op: Op) -> Result<*mut c_void> {
        // SAFETY: invariant 1.
        unsafe { rt::host_device_pointer(op, self.ptr.as_ptr()) }
    }

    /// Waits until the host may read (`Mode::Read`) or write.
    pub(super) fn wait(&self, op: Op, mode: Mode) -> Result<()> {
        self.tracker.wait_for_host(op, mode)
    }
}

/// The address on its way to be freed.
struct Doomed(NonNull<c_void>);

// SAFETY: see `Pinned`.
unsafe impl Send for Doomed {}

impl Doomed {
    fn free(self, op: Op) -> Result<()> {
        // SAFETY: invariant 1 of the `Pinned` whose `Drop` made this, which has seen to it that
        // every registered use (invariant 2) is over before this runs.
        unsafe { rt::free_host(op, self.0.as_ptr()) }
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        const NAME: &str = "HostBuffer::drop";
        let doomed = Doomed(self.ptr);
        let uses: Vec<Use> = self.tracker.take();
        let device = uses.first().map_or(0, |u| u.stream().ordinal());
        if rt::in_callback() {
            return retire::park(device, NAME, uses, move |op| doomed.free(op));
        }
        let op = Op::new(NAME);
        // `cudaFreeHost` does not promise to wait for transfers, so this does.
        if let Err(e) = uses.iter().try_for_each(|one| one.wait(op)) {
            if e.code() != codes::CUDART_UNLOADING {
                crate::device::state(device).defer(e);
            }
            return retire::quarantine(device, NAME, uses, move |op| doomed.free(op));
        }
        retire::release_now(device, NAME, move |op| doomed.free(op));
    }
}
