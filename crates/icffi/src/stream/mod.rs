//! Streams: queues of work that the device does in order.

mod callback;
mod capturing;
mod core;
mod per_thread;

pub(crate) use self::callback::PanicSlot;
pub(crate) use self::core::StreamCore;
pub use per_thread::PerThreadStream;

use self::core::Kind;
use crate::device::{self, Device};
use crate::error::{self, Result};
use crate::event::Event;
use crate::op::Op;
use crate::ordering::Lane;
use crate::{retire, rt};
use icffi_sys::cudaStream_t;
use std::sync::Arc;

/// How a stream relates to the legacy default stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum StreamFlags {
    /// Independent of the legacy default stream (`cudaStreamNonBlocking`).
    #[default]
    NonBlocking,
    /// Work here and work on the legacy default stream wait for each other
    /// (`cudaStreamDefault`).
    Blocking,
}

/// A queue of work on one device. Cheap to clone: clones are the same stream. `Send + Sync`:
/// threads may share it, their work is then interleaved in the order of the calls.
///
/// The CUDA stream is destroyed with its last holder, which may be a buffer that was used on it;
/// work still pending then runs to its end.
///
/// ```
/// use icffi::{memory::DeviceBuffer, stream::Stream};
/// let stream = Stream::new()?;
/// let x = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3])?;
/// assert_eq!(x.to_vec(&stream)?, [1, 2, 3]);
/// # Ok::<(), icffi::IcffiError>(())
/// ```
#[derive(Clone, Debug)]
pub struct Stream {
    core: Arc<StreamCore>,
}

impl Stream {
    /// Makes a non-blocking stream of default priority on the current device.
    /// `cudaStreamCreateWithPriority`.
    ///
    /// # Errors
    /// What the call reports.
    #[track_caller]
    pub fn new() -> Result<Self> {
        Self::create(Op::new("Stream::new"), StreamFlags::NonBlocking, 0)
    }

    /// Makes a stream with the given relation to the legacy default stream.
    ///
    /// # Errors
    /// What the call reports.
    #[track_caller]
    pub fn new_with_flags(flags: StreamFlags) -> Result<Self> {
        Self::create(Op::new("Stream::new_with_flags"), flags, 0)
    }

    /// Makes a non-blocking stream of the given priority: 0 is the lowest, more negative is
    /// more urgent. CUDA clamps it to [`Stream::priority_range`].
    ///
    /// # Errors
    /// What the call reports.
    #[track_caller]
    pub fn with_priority(priority: i32) -> Result<Self> {
        Self::create(
            Op::new("Stream::with_priority"),
            StreamFlags::NonBlocking,
            priority,
        )
    }

    fn create(op: Op, flags: StreamFlags, priority: i32) -> Result<Self> {
        retire::sweep();
        let device = rt::get_device(op)?;
        let flags = match flags {
            StreamFlags::NonBlocking => icffi_sys::cudaStreamNonBlocking,
            StreamFlags::Blocking => icffi_sys::cudaStreamDefault,
        };
        Ok(Self {
            core: Arc::new(StreamCore::create(op, device, flags, priority)?),
        })
    }

    /// A non-blocking stream on a device that need not be current.
    pub(crate) fn on_device(op: Op, ordinal: i32) -> Result<Self> {
        let _current = device::enter(op, ordinal)?;
        let core = StreamCore::create(op, ordinal, icffi_sys::cudaStreamNonBlocking, 0)?;
        Ok(Self {
            core: Arc::new(core),
        })
    }

    /// The lowest and the highest priority of the current device, as (0, -5) for instance.
    /// `cudaDeviceGetStreamPriorityRange`.
    ///
    /// # Errors
    /// What the call reports.
    #[track_caller]
    pub fn priority_range() -> Result<(i32, i32)> {
        rt::stream_priority_range(Op::new("Stream::priority_range"))
    }

    /// The legacy default stream of the current device, which blocking streams wait for and
    /// non-blocking ones don't. For working beside code that uses it; this crate itself never
    /// does.
    ///
    /// # Errors
    /// What `cudaGetDevice` reports.
    #[track_caller]
    pub fn legacy_default() -> Result<Self> {
        let device = rt::get_device(Op::new("Stream::legacy_default"))?;
        Ok(Self {
            core: Arc::new(StreamCore::special(device, Kind::Legacy)),
        })
    }

    /// The calling thread's own default stream on the current device, the one that code
    /// compiled with `--default-stream per-thread` uses. It stays on its thread.
    ///
    /// # Errors
    /// What `cudaGetDevice` reports.
    #[track_caller]
    pub fn per_thread_default() -> Result<PerThreadStream> {
        let device = rt::get_device(Op::new("Stream::per_thread_default"))?;
        let core = Arc::new(StreamCore::special(device, Kind::PerThread));
        Ok(PerThreadStream::new(Self { core }))
    }

    /// A stream that somebody else owns, of cuBLAS or of your own FFI for instance. Every use of
    /// a buffer on it is marked by an event at once, so nothing here needs the handle later.
    ///
    /// # Safety
    /// `handle` is a live stream of `device`, not in capture, and is not destroyed while a call
    /// with the result, a clone of it, or a descriptor made for it is in progress.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let owner = Stream::new()?;
    /// // SAFETY: `owner` lives longer.
    /// let borrowed = unsafe { Stream::from_raw_borrowed(owner.raw(), owner.device()) };
    /// let x = DeviceBuffer::from_slice_sync(&borrowed, &[1, 2])?;
    /// assert_eq!(x.to_vec(&owner)?, [1, 2]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[must_use]
    #[allow(unsafe_code)]
    pub unsafe fn from_raw_borrowed(handle: cudaStream_t, device: Device) -> Self {
        // SAFETY: the caller's contract.
        let core = unsafe { StreamCore::borrowed(handle, device.raw()) };
        Self {
            core: Arc::new(core),
        }
    }

    /// CUDA's handle, for raw calls. It stays valid as long as a clone of this stream lives.
    #[must_use]
    pub fn raw(&self) -> cudaStream_t {
        self.core.raw()
    }

    /// The device it belongs to.
    #[must_use]
    pub fn device(&self) -> Device {
        Device::from_ordinal(self.ordinal())
    }

    pub(crate) fn ordinal(&self) -> i32 {
        self.core.device()
    }

    /// Whether both are the same queue, so that work on one is in order with work on the other.
    pub(crate) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.core, &other.core) && !self.must_record_early()
    }

    /// Whether the handle means different streams at different times, so that uses have to be
    /// marked by an event at once.
    pub(crate) fn must_record_early(&self) -> bool {
        matches!(self.core.kind(), Kind::PerThread | Kind::Borrowed)
    }

    /// Whether somebody else may destroy it once a call has returned.
    pub(crate) fn is_borrowed(&self) -> bool {
        self.core.kind() == Kind::Borrowed
    }

    /// Its priority. `cudaStreamGetPriority`.
    ///
    /// # Errors
    /// What the call reports.
    #[track_caller]
    pub fn priority(&self) -> Result<i32> {
        self.priority_in(Op::new("Stream::priority"))
    }

    pub(crate) fn priority_in(&self, op: Op) -> Result<i32> {
        let _current = device::enter(op, self.ordinal())?;
        self.core.priority(op)
    }

    /// Blocks the CPU until all work enqueued so far is done. `cudaStreamSynchronize`.
    ///
    /// # Errors
    /// What that work failed with.
    #[track_caller]
    pub fn synchronize(&self) -> Result<()> {
        let op = Op::new("Stream::synchronize");
        self.synchronize_in(op)?;
        retire::sweep();
        Ok(())
    }

    pub(crate) fn synchronize_in(&self, op: Op) -> Result<()> {
        self.refuse_capture(
            op,
            "recorded work runs when the graph is launched; it can't be waited for",
        )?;
        let _current = device::enter(op, self.ordinal())?;
        self.core.synchronize(op)
    }

    /// Whether all work enqueued so far is done. Does not block. `cudaStreamQuery`.
    ///
    /// # Errors
    /// What that work failed with.
    #[track_caller]
    pub fn query(&self) -> Result<bool> {
        self.query_in(Op::new("Stream::query"))
    }

    pub(crate) fn query_in(&self, op: Op) -> Result<bool> {
        self.refuse_capture(
            op,
            "recorded work runs when the graph is launched; it can't be asked for",
        )?;
        let _current = device::enter(op, self.ordinal())?;
        self.core.query(op)
    }

    /// Makes all work enqueued here from now on wait for `event`, as it is recorded at this
    /// moment. The CPU does not block. The event may be of another device.
    /// `cudaStreamWaitEvent`.
    ///
    /// # Errors
    /// What the call reports.
    #[track_caller]
    pub fn wait_event(&self, event: &Event) -> Result<()> {
        let op = Op::new("Stream::wait_event");
        let _current = device::enter(op, self.ordinal())?;
        event.hold_back_in(op, self)
    }

    /// Marks this point of the stream, so that another stream which later uses what was used here
    /// waits for this point and not for what is enqueued after it. Without, an event is recorded
    /// when the other stream asks, behind everything. Does not block. `cudaEventRecord`.
    ///
    /// Copies mark themselves; this is for kernels that are followed by unrelated work.
    ///
    /// # Errors
    /// What the call reports.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let (a, b) = (Stream::new()?, Stream::new()?);
    /// let mut x = DeviceBuffer::<i32>::zeros(4)?;
    /// x.fill(&a, 0)?;
    /// a.checkpoint()?;
    /// // ... long work on `a` that `b` need not wait for ...
    /// assert_eq!(x.to_vec(&b)?, [0; 4]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn checkpoint(&self) -> Result<()> {
        let op = Op::new("Stream::checkpoint");
        self.refuse_capture(op, "recorded work is ordered when the graph is launched")?;
        if !self.must_record_early() {
            self.lane()
                .set_checkpoint(crate::event::record(op, self, 0)?);
        }
        Ok(())
    }

    /// [`Event::record`] on this stream.
    ///
    /// # Errors
    /// As [`Event::record`].
    #[track_caller]
    pub fn record_event(&self, event: &Event) -> Result<()> {
        event.record_in(Op::new("Stream::record_event"), self)
    }

    /// Enqueues a function that a thread of the CUDA runtime calls when all work before it is
    /// done; work after it waits for its return. `cudaLaunchHostFunc`.
    ///
    /// CUDA forbids its own calls inside: every fallible function of this crate answers
    /// `NOT_PERMITTED_IN_CALLBACK` there, and what is dropped there is released later. A panic
    /// is caught; ask for it with [`Stream::take_callback_panic`]. If the device's context is
    /// lost first, the function is never called and never dropped.
    ///
    /// # Errors
    /// What the call reports; the function has then been dropped, or was already taken by the
    /// runtime and runs after all.
    ///
    /// ```
    /// use icffi::stream::Stream;
    /// use std::sync::mpsc;
    /// let (stream, (sender, receiver)) = (Stream::new()?, mpsc::channel());
    /// stream.launch_host_fn(move || sender.send(42).unwrap())?;
    /// stream.synchronize()?;
    /// assert_eq!(receiver.recv(), Ok(42));
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    #[track_caller]
    pub fn launch_host_fn(&self, function: impl FnOnce() + Send + 'static) -> Result<()> {
        let op = Op::new("Stream::launch_host_fn");
        self.refuse_capture(
            op,
            "a graph may call it any number of times; use CaptureStream::host_fn",
        )?;
        let _current = device::enter(op, self.ordinal())?;
        callback::launch(op, self, Box::new(function))
    }

    /// The message of the first panic of a host function of this stream since this was last
    /// asked.
    #[must_use]
    pub fn take_callback_panic(&self) -> Option<String> {
        self.core.panics().take()
    }

    pub(crate) fn core(&self) -> &StreamCore {
        &self.core
    }

    pub(crate) fn lane(&self) -> &Lane {
        self.core.lane()
    }

    /// Refuses a stream of another device than the memory it is to work on.
    pub(crate) fn expect_device(&self, op: Op, what: &str, ordinal: i32) -> Result<()> {
        if self.ordinal() != ordinal {
            return Err(error::device_mismatch(
                op,
                ("stream", self.ordinal()),
                (what, ordinal),
            ));
        }
        Ok(())
    }
}
