//! One piece of device memory: where it came from, and how it goes back.
#![allow(unsafe_code)]

use super::pool::{MemoryPool, expect_pools};
use crate::device;
use crate::error::{self, IcffiError, Result, codes};
use crate::op::Op;
use crate::ordering::{Mode, Tracker, Use};
use crate::stream::Stream;
use crate::{retire, rt};
use std::ffi::c_void;
use std::ptr::NonNull;

/// Where memory came from decides how it may be freed; kept in release builds too (row 6).
#[derive(Clone, Debug)]
pub(super) enum Origin {
    /// `cudaMalloc`.
    Malloc,
    /// `cudaMallocAsync` on this stream, or `cudaMallocFromPoolAsync` (CUDA keeps a destroyed
    /// pool until its memory is freed).
    Pool(Stream),
}

/// # Invariants
/// 1. `ptr` came from the call that `origin` names, on `device`, with more than 0 bytes, and
///    only `Drop` or `free_async` (through `Doomed`) frees it.
/// 2. Every enqueued operation that uses it is registered in `tracker`.
#[derive(Debug)]
pub(crate) struct Allocation {
    ptr: NonNull<c_void>,
    device: i32,
    origin: Origin,
    tracker: Tracker,
}

// SAFETY: device memory has no thread; the address is a number to the host.
unsafe impl Send for Allocation {}
// SAFETY: `&Allocation` gives the address and the tracker, which is `Sync`.
unsafe impl Sync for Allocation {}

impl Allocation {
    /// On the current device. Blocks the CPU; may synchronize the device.
    pub(super) fn malloc(op: Op, bytes: usize) -> Result<Self> {
        retire::sweep();
        let device = rt::get_device(op)?;
        let ptr = rt::malloc(op, bytes).map_err(|e| with_size(op, bytes, device, e))?;
        let ptr = NonNull::new(ptr).ok_or_else(|| error::null(op, "cudaMalloc", bytes))?;
        Ok(Self {
            ptr,
            device,
            origin: Origin::Malloc,
            tracker: Tracker::default(),
        })
    }

    /// In stream order, on the stream's device.
    /// On a capture's stream it is allocated at once, on a stream of this crate: an allocation by
    /// the graph would be valid only while the graph runs.
    pub(super) fn pool(
        op: Op,
        pool: Option<&MemoryPool>,
        stream: &Stream,
        bytes: usize,
    ) -> Result<Self> {
        let ordinal = stream.ordinal();
        if let Some(capture) = stream.capture_state() {
            capture.check(op)?;
            let side = device::state(ordinal).side_stream(op, ordinal)?;
            return Self::pool(op, pool, &side, bytes);
        }
        expect_pools(op, ordinal)?;
        let _current = device::enter(op, ordinal)?;
        let ptr = match pool {
            None => rt::malloc_async(op, bytes, stream.raw()),
            // SAFETY: the pool is live.
            Some(pool) => unsafe { rt::malloc_from_pool(op, bytes, pool.raw(), stream.raw()) },
        }
        .map_err(|e| with_size(op, bytes, ordinal, e))?;
        let ptr = NonNull::new(ptr).ok_or_else(|| error::null(op, "cudaMallocAsync", bytes))?;
        let memory = Self {
            ptr,
            device: ordinal,
            origin: Origin::Pool(stream.clone()),
            // Other streams may use it only behind the allocation.
            tracker: Tracker::allocated_by(stream, bytes),
        };
        if stream.must_record_early() {
            drop(memory.tracker.acquire(op, stream, Mode::Write, 0..bytes)?);
        }
        Ok(memory)
    }

    pub(super) fn ptr(&self) -> *mut c_void {
        self.ptr.as_ptr()
    }

    pub(super) fn device(&self) -> i32 {
        self.device
    }

    pub(crate) fn tracker(&self) -> &Tracker {
        &self.tracker
    }

    /// Frees behind all uses and behind what `stream` has been given, without blocking. Memory
    /// of `cudaMalloc` can't be freed in stream order: it is parked until its uses are over.
    pub(super) fn free_on(self, op: Op, stream: &Stream) -> Result<()> {
        let this = std::mem::ManuallyDrop::new(self);
        let doomed = Doomed {
            ptr: this.ptr,
            device: this.device,
        };
        // SAFETY: `this` is never dropped or used again, so both fields are moved out once.
        let (origin, tracker) =
            unsafe { (std::ptr::read(&this.origin), std::ptr::read(&this.tracker)) };
        let mut uses = tracker.take();
        match origin {
            Origin::Malloc => {
                uses.push(Use::late(stream));
                retire::park(doomed.device, op.name, uses, move |op| doomed.free(op));
                Ok(())
            }
            Origin::Pool(..) => doomed.free_behind(op, uses, stream),
        }
    }
}

fn with_size(op: Op, bytes: usize, device: i32, e: IcffiError) -> IcffiError {
    if e.code() == codes::MEMORY_ALLOCATION {
        error::out_of_memory(op, bytes, Some(device), e)
    } else {
        e
    }
}

const DROP: &str = "DeviceBuffer::drop";

impl Drop for Allocation {
    fn drop(&mut self) {
        let doomed = Doomed {
            ptr: self.ptr,
            device: self.device,
        };
        let uses = self.tracker.take();
        let op = Op::new(DROP);
        match &self.origin {
            Origin::Malloc if rt::in_callback() => {
                retire::park(doomed.device, DROP, uses, move |op| doomed.free(op));
            }
            Origin::Malloc => doomed.free_after_waiting(op, uses),
            Origin::Pool(origin) => {
                // The one stream it was used on needs no wait; so does its own if it never was.
                let stream = match uses.as_slice() {
                    [one] if !one.stream().must_record_early() => one.stream().clone(),
                    _ => origin.clone(),
                };
                if rt::in_callback() {
                    retire::park(doomed.device, DROP, uses, move |op| {
                        doomed.free_behind(op, Vec::new(), &stream)
                    });
                    return;
                }
                if stream.must_record_early() {
                    return doomed.free_on_side_stream(op, uses);
                }
                if let Err(e) = doomed.free_behind(op, uses, &stream) {
                    device::state(self.device).defer(e);
                }
            }
        }
    }
}

/// The address on its way to be freed.
struct Doomed {
    ptr: NonNull<c_void>,
    device: i32,
}

// SAFETY: see `Allocation`.
unsafe impl Send for Doomed {}

impl Doomed {
    /// `cudaFree`, when all uses are over.
    fn free(self, op: Op) -> Result<()> {
        let _current = device::enter(op, self.device)?;
        // SAFETY: invariant 1 of the `Allocation` this came from; its uses (invariant 2) are
        // over, seen to by every caller. `cudaFree` also takes pool memory (CUDA Runtime API
        // 13.0, cudaFree), and then does not wait itself.
        unsafe { rt::free(op, self.ptr.as_ptr()) }
    }

    fn free_after_waiting(self, op: Op, uses: Vec<Use>) {
        let ordinal = self.device;
        if let Err(e) = uses.iter().try_for_each(|one| one.wait(op)) {
            if e.code() != codes::CUDART_UNLOADING {
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
    fn free_behind(self, op: Op, mut uses: Vec<Use>, stream: &Stream) -> Result<()> {
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
    fn free_on_side_stream(self, op: Op, uses: Vec<Use>) {
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
