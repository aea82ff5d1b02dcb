//! One piece of device memory: where it came from, and how it goes back.
#![allow(unsafe_code)]

use super::doomed::Doomed;
use super::pool::{MemoryPool, expect_pools};
use super::raw::{Deleter, RawOrigin};
use crate::device;
use crate::error::{self, IcffiError, Result, codes};
use crate::op::Op;
use crate::ordering::{Mode, Tracker, Use};
use crate::stream::Stream;
use crate::{event, retire, rt};
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::{Mutex, PoisonError};

/// Where memory came from decides how it may be freed; kept in release builds too (row 6).
enum Origin {
    /// `cudaMalloc`.
    Malloc,
    /// `cudaMallocAsync` on this stream, or `cudaMallocFromPoolAsync` (CUDA keeps a destroyed
    /// pool until its memory is freed).
    Pool(Stream),
    /// Another library's. Behind a lock only to be `Sync`: nobody looks at it before the end.
    Foreign(Mutex<Deleter>),
}

impl std::fmt::Debug for Origin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self {
            Self::Malloc => f.write_str("Malloc"),
            Self::Pool(stream) => f.debug_tuple("Pool").field(stream).finish(),
            Self::Foreign(_) => f.write_str("Foreign"),
        }
    }
}

/// # Invariants
/// 1. `ptr` came from the call that `origin` names, on `device`, with more than 0 bytes, and
///    only `Drop` or `free_on` (through `Doomed`) frees it; or the caller of `adopt` promised so.
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
        let ptr = match rt::malloc(op, bytes) {
            // Memory may be parked that only waits for the device.
            Err(e) if e.code() == codes::MEMORY_ALLOCATION && retire::wait_for_parked(device) => {
                rt::malloc(op, bytes)
            }
            other => other,
        }
        .map_err(|e| with_size(op, bytes, device, e))?;
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

    /// Takes memory over that `stream` has written last.
    ///
    /// # Safety
    /// `ptr` is an allocation of at least `bytes` bytes on the stream's device, from where
    /// `origin` says and without another owner, and all its uses are ordered before what `stream`
    /// is given next.
    pub(super) unsafe fn adopt(
        op: Op,
        ptr: NonNull<c_void>,
        bytes: usize,
        origin: RawOrigin,
        stream: &Stream,
    ) -> Result<Self> {
        let origin = match origin {
            RawOrigin::Malloc => Origin::Malloc,
            RawOrigin::Pool => Origin::Pool(stream.clone()),
            RawOrigin::Foreign(deleter) => Origin::Foreign(Mutex::new(deleter)),
        };
        let tracker = Tracker::allocated_by(stream, bytes);
        if stream.must_record_early() {
            drop(tracker.acquire(op, stream, Mode::Write, 0..bytes)?);
        }
        Ok(Self {
            ptr,
            device: stream.ordinal(),
            origin,
            tracker,
        })
    }

    /// Moves the fields out instead of dropping.
    fn dismantle(self) -> (Doomed, Origin, Vec<Use>) {
        let this = std::mem::ManuallyDrop::new(self);
        let doomed = Doomed {
            ptr: this.ptr,
            device: this.device,
            deleter: None,
        };
        // SAFETY: `this` is never dropped or used again, so both fields are moved out once.
        let (origin, tracker) =
            unsafe { (std::ptr::read(&this.origin), std::ptr::read(&this.tracker)) };
        let uses = tracker.take();
        (doomed, origin, uses)
    }

    /// Gives the memory up, all uses ordered before what `stream` is given next.
    pub(super) fn give_up(self, op: Op, stream: &Stream) -> Result<(*mut c_void, RawOrigin)> {
        // Before the fields are moved out, so that a failure drops the memory as usual.
        drop(
            self.tracker
                .acquire(op, stream, Mode::Write, 0..usize::MAX)?,
        );
        let (doomed, origin, _) = self.dismantle();
        let origin = match origin {
            Origin::Malloc => RawOrigin::Malloc,
            Origin::Pool(_) => RawOrigin::Pool,
            Origin::Foreign(deleter) => RawOrigin::Foreign(unlock(deleter)),
        };
        Ok((doomed.ptr.as_ptr(), origin))
    }

    /// Frees behind all uses and behind what `stream` has been given, without blocking. Memory
    /// that is not a pool's can't be freed in stream order: it is parked until its uses are over.
    pub(super) fn free_on(self, op: Op, stream: &Stream) -> Result<()> {
        let (mut doomed, origin, mut uses) = self.dismantle();
        match origin {
            Origin::Pool(_) => return doomed.free_behind(op, uses, stream),
            Origin::Malloc => {}
            Origin::Foreign(deleter) => doomed.deleter = Some(unlock(deleter)),
        }
        // An event of its own: the stream may never be idle.
        uses.push(match event::record(op, stream, 0) {
            Ok(event) => Use::marked(stream, event),
            Err(_) => Use::late(stream),
        });
        retire::park(doomed.device, op.name, uses, move |op| doomed.free(op));
        Ok(())
    }
}

fn unlock(deleter: Mutex<Deleter>) -> Deleter {
    deleter.into_inner().unwrap_or_else(PoisonError::into_inner)
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
        let uses = self.tracker.take();
        let op = Op::new(DROP);
        let mut doomed = Doomed {
            ptr: self.ptr,
            device: self.device,
            deleter: None,
        };
        // `Malloc` is only what is left behind.
        let origin = std::mem::replace(&mut self.origin, Origin::Malloc);
        if let Origin::Pool(origin) = origin {
            return drop_pool_memory(op, doomed, uses, origin);
        }
        if let Origin::Foreign(deleter) = origin {
            doomed.deleter = Some(unlock(deleter));
        }
        // `cudaFree` may wait for the device: not inside a callback, and not while something is
        // being captured there.
        if rt::in_callback() || rt::live_captures_of(self.device) > 0 {
            return retire::park(doomed.device, DROP, uses, move |op| doomed.free(op));
        }
        doomed.free_after_waiting(op, uses);
    }
}

fn drop_pool_memory(op: Op, doomed: Doomed, uses: Vec<Use>, origin: Stream) {
    // The one stream it was used on needs no wait; so does its own if it never was. A stream of
    // another device (a peer copy's) is no stream to free on.
    let stream = match uses.as_slice() {
        [one] if !one.stream().must_record_early() && one.stream().ordinal() == doomed.device => {
            one.stream().clone()
        }
        _ => origin,
    };
    if rt::in_callback() {
        let ordinal = doomed.device;
        return retire::park(ordinal, DROP, uses, move |op| {
            // What fails is counted or quarantined in there.
            if let Err(e) = doomed.free_behind(op, Vec::new(), &stream) {
                device::state(ordinal).defer(e);
            }
            Ok(())
        });
    }
    if stream.must_record_early() {
        return doomed.free_on_side_stream(op, uses);
    }
    let ordinal = doomed.device;
    if let Err(e) = doomed.free_behind(op, uses, &stream) {
        device::state(ordinal).defer(e);
    }
}
