//! The pinned allocation itself.
#![allow(unsafe_code)]

use super::HostAllocFlags;
use crate::error::{self, Result, codes};
use crate::op::Op;
use crate::ordering::{Mode, Tracker, Use};
use crate::{retire, rt};
use std::any::Any;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Mutex;

/// A vector whose memory has been pinned.
type Backing = Box<dyn Any + Send>;

/// # Invariants
/// 1. `ptr` came from `cudaHostAlloc` with more than 0 bytes and only `Drop` frees it; or, if
///    there is a backing, it is that vector's memory, registered with CUDA, and only `Drop` and
///    `unregister` undo that.
/// 2. Every transfer that may still use it is registered in `tracker`.
pub(crate) struct Pinned {
    ptr: NonNull<c_void>,
    flags: HostAllocFlags,
    tracker: Tracker,
    /// Behind a lock only to be `Sync`: nobody looks at it before the end.
    backing: Mutex<Option<Backing>>,
}

impl std::fmt::Debug for Pinned {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Pinned")
            .field("ptr", &self.ptr)
            .field("flags", &self.flags)
            .finish()
    }
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
            backing: Mutex::new(None),
        })
    }

    /// Of a vector that has bytes.
    pub(super) fn register<T: Send + 'static>(op: Op, mut vec: Vec<T>) -> Result<Self> {
        retire::sweep();
        let bytes = size_of_val(vec.as_slice());
        let ptr = NonNull::from(vec.as_mut_slice()).cast::<c_void>();
        // SAFETY: the vector's memory, which it keeps (it is moved, never grown or freed) until
        // it is unregistered.
        unsafe { rt::host_register(op, ptr.as_ptr(), bytes) }?;
        let backing: Backing = Box::new(vec);
        Ok(Self {
            ptr,
            flags: HostAllocFlags::DEFAULT,
            tracker: Tracker::default(),
            backing: Mutex::new(Some(backing)),
        })
    }

    /// The vector, once no transfer uses it.
    pub(super) fn unregister(mut self, op: Op) -> Result<Backing> {
        if crate::sync::lock(&self.backing).is_none() {
            return Err(error::invalid(op, "the buffer was not made from a vector"));
        }
        self.wait(op, Mode::Write)?;
        // SAFETY: invariant 1; no transfer uses it (just waited for, and `self` is owned).
        unsafe { rt::host_unregister(op, self.ptr.as_ptr()) }?;
        let backing = self.take_backing().expect("looked at above");
        drop(self.tracker.take());
        // What is left has nothing to undo.
        std::mem::forget(self);
        Ok(backing)
    }

    fn take_backing(&mut self) -> Option<Backing> {
        self.backing
            .get_mut()
            .unwrap_or_else(std::sync::PoisonError::into_inner)
            .take()
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

/// The memory on its way to be freed.
struct Doomed {
    ptr: NonNull<c_void>,
    backing: Option<Backing>,
}

// SAFETY: see `Pinned`.
unsafe impl Send for Doomed {}

impl Doomed {
    fn free(self, op: Op) -> Result<()> {
        let Some(backing) = self.backing else {
            // SAFETY: invariant 1 of the `Pinned` whose `Drop` made this, which has seen to it
            // that every registered use (invariant 2) is over before this runs.
            return unsafe { rt::free_host(op, self.ptr.as_ptr()) };
        };
        // SAFETY: as above.
        let undone = unsafe { rt::host_unregister(op, self.ptr.as_ptr()) };
        if undone.is_err() {
            // CUDA may still count the pages as pinned: they must not be reused.
            std::mem::forget(backing);
        }
        undone
    }
}

impl Drop for Pinned {
    fn drop(&mut self) {
        const NAME: &str = "HostBuffer::drop";
        let doomed = Doomed {
            ptr: self.ptr,
            backing: self.take_backing(),
        };
        let uses: Vec<Use> = self.tracker.take();
        let device = uses.first().map_or(0, |u| u.stream().ordinal());
        if rt::in_callback() {
            return retire::park(device, NAME, uses, move |op| doomed.free(op));
        }
        let op = Op::new(NAME);
        // `cudaFreeHost` does not promise to wait for transfers, so this does.
        if let Err(e) = uses.iter().try_for_each(|one| one.wait(op)) {
            if !rt::is_gone(&e) {
                crate::device::state(device).defer(e);
            }
            return retire::quarantine(device, NAME, uses, move |op| doomed.free(op));
        }
        retire::release_now(device, NAME, move |op| doomed.free(op));
    }
}
