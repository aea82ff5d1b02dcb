//! Events: marks in a stream, to wait for or to take the time between.

mod handle;
mod pool;

pub(crate) use handle::EventHandle;
pub(crate) use pool::{PooledEvent, destroy_idle, record};

use crate::device;
use crate::error::{self, Result};
use crate::graph::Capture;
use crate::op::Op;
use crate::stream::Stream;
use crate::sync::lock;
use crate::{retire, rt};
use icffi_sys::cudaEvent_t;
use std::sync::{Arc, Mutex};
use std::time::Duration;

/// What an event is for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum EventKind {
    /// To wait for. Cheaper: it takes no time stamp (`cudaEventDisableTiming`).
    Ordering,
    /// To take the time between two of them as well.
    Timed,
}

/// A mark in a stream. `Send + Sync`: CUDA's events may be used from any thread.
///
/// An event that was never recorded counts as complete.
///
/// ```
/// use icffi::{event::Event, stream::Stream};
/// let (stream, start, end) = (Stream::new()?, Event::timed()?, Event::timed()?);
/// start.record(&stream)?;
/// end.record(&stream)?;
/// end.synchronize()?;
/// let elapsed = end.elapsed_since(&start)?;
/// assert!(elapsed.as_secs() < 60);
/// # Ok::<(), icffi::IcffiError>(())
/// ```
#[derive(Debug)]
pub struct Event {
    handle: EventHandle,
    device: i32,
    kind: EventKind,
    /// The capture it was recorded in last, if it was one. Held while the handle is recorded,
    /// queried or waited for, so that no capture slips in between the question and the call.
    capture: Mutex<Option<Arc<Capture>>>,
}

impl Event {
    /// Makes an event on the current device. `cudaEventCreateWithFlags`.
    ///
    /// # Errors
    /// What the call reports.
    #[track_caller]
    pub fn new(kind: EventKind) -> Result<Self> {
        let op = Op::new("Event::new");
        let flags = match kind {
            EventKind::Ordering => icffi_sys::cudaEventDisableTiming,
            EventKind::Timed => icffi_sys::cudaEventDefault,
        };
        let device = rt::get_device(op)?;
        Ok(Self {
            handle: EventHandle::create(op, flags)?,
            device,
            kind,
            capture: Mutex::new(None),
        })
    }

    /// An event to wait for; see [`EventKind::Ordering`].
    ///
    /// # Errors
    /// As [`Event::new`].
    #[track_caller]
    pub fn ordering() -> Result<Self> {
        Self::new(EventKind::Ordering)
    }

    /// An event that takes the time; see [`EventKind::Timed`].
    ///
    /// # Errors
    /// As [`Event::new`].
    #[track_caller]
    pub fn timed() -> Result<Self> {
        Self::new(EventKind::Timed)
    }

    /// Puts the mark behind all work enqueued on `stream` so far. Does not block. Recording
    /// again moves the mark; who waits already keeps waiting for the old one. `cudaEventRecord`.
    ///
    /// # Errors
    /// `DEVICE_MISMATCH` if event and stream are of different devices.
    #[track_caller]
    pub fn record(&self, stream: &Stream) -> Result<()> {
        self.record_in(Op::new("Event::record"), stream)
    }

    pub(crate) fn record_in(&self, op: Op, stream: &Stream) -> Result<()> {
        if self.device != stream.ordinal() {
            return Err(error::device_mismatch(
                op,
                ("event", self.device),
                ("stream", stream.ordinal()),
            ));
        }
        let _current = device::enter(op, self.device)?;
        if let Some(capture) = stream.capture_state() {
            capture.check(op)?;
        }
        let mut capture = lock(&self.capture);
        let other = capture
            .as_ref()
            .filter(|c| id_of(Some(c)) != id_of(stream.capture_state()));
        if other.is_some_and(|c| c.is_open()) {
            return Err(error::capture_isolation(
                op,
                "the event belongs to a capture that is still in progress",
            ));
        }
        // Before the call, which may have an effect although it reports an error.
        *capture = stream.capture_state().map(Arc::clone);
        self.handle.record(op, stream)
    }

    /// Makes later work of `stream` wait, unless one of the two is in a capture and the other is
    /// not: that would pull the stream into the capture, or fail in the middle of it.
    pub(crate) fn hold_back_in(&self, op: Op, stream: &Stream) -> Result<()> {
        if let Some(capture) = stream.capture_state() {
            capture.check(op)?;
        }
        let capture = lock(&self.capture);
        if id_of(capture.as_ref()) != id_of(stream.capture_state()) {
            return Err(error::capture_isolation(
                op,
                "of event and stream one belongs to a capture and the other does not",
            ));
        }
        self.handle.hold_back(op, stream)
    }

    fn refuse_captured(&self, op: Op, capture: &Option<Arc<Capture>>) -> Result<()> {
        if capture.is_none() {
            return Ok(());
        }
        Err(error::capture_isolation(
            op,
            "the event was last recorded in a capture",
        ))
    }

    /// Whether the device has passed the mark. Does not block. `cudaEventQuery`.
    ///
    /// # Errors
    /// What earlier asynchronous work failed with.
    #[track_caller]
    pub fn query(&self) -> Result<bool> {
        let op = Op::new("Event::query");
        let capture = lock(&self.capture);
        self.refuse_captured(op, &capture)?;
        self.handle.query(op)
    }

    /// Blocks the CPU until the device has passed the mark. `cudaEventSynchronize`.
    ///
    /// # Errors
    /// What earlier asynchronous work failed with.
    #[track_caller]
    pub fn synchronize(&self) -> Result<()> {
        let op = Op::new("Event::synchronize");
        // Not held while waiting: other threads may record it meanwhile.
        self.refuse_captured(op, &lock(&self.capture))?;
        self.handle.synchronize(op)?;
        retire::sweep();
        Ok(())
    }

    /// The device time from `earlier` to this mark; zero if they were recorded the other way
    /// round. Both have to be complete. `cudaEventElapsedTime`, with its resolution of about
    /// half a microsecond.
    ///
    /// # Errors
    /// `EVENT_KIND_MISMATCH` if one is not [`EventKind::Timed`], `cudaErrorNotReady` if one is
    /// not complete yet, `DEVICE_MISMATCH` across devices.
    #[track_caller]
    pub fn elapsed_since(&self, earlier: &Self) -> Result<Duration> {
        let ms = self.elapsed_in(Op::new("Event::elapsed_since"), earlier)?;
        Ok(Duration::from_secs_f64(f64::from(ms.max(0.0)) / 1e3))
    }

    /// The same in milliseconds; negative if they were recorded the other way round.
    ///
    /// # Errors
    /// As [`Event::elapsed_since`].
    #[track_caller]
    pub fn elapsed_since_ms(&self, earlier: &Self) -> Result<f32> {
        self.elapsed_in(Op::new("Event::elapsed_since_ms"), earlier)
    }

    fn elapsed_in(&self, op: Op, earlier: &Self) -> Result<f32> {
        if self.kind != EventKind::Timed || earlier.kind != EventKind::Timed {
            return Err(error::event_kind(op));
        }
        if self.device != earlier.device {
            return Err(error::device_mismatch(
                op,
                ("event", self.device),
                ("earlier event", earlier.device),
            ));
        }
        self.refuse_captured(op, &lock(&self.capture))?;
        self.refuse_captured(op, &lock(&earlier.capture))?;
        self.handle.elapsed_ms(op, &earlier.handle)
    }

    /// What it was made for.
    #[must_use]
    pub fn kind(&self) -> EventKind {
        self.kind
    }

    /// CUDA's handle. It stays valid as long as `self`.
    #[must_use]
    pub fn raw(&self) -> cudaEvent_t {
        self.handle.raw()
    }

    /// The device it was made on.
    #[must_use]
    pub fn device(&self) -> device::Device {
        device::Device::from_ordinal(self.device)
    }
}

impl Drop for Event {
    fn drop(&mut self) {
        let (handle, device) = (self.handle.take(), self.device);
        if let Some(capture) = lock(&self.capture).as_ref().filter(|c| c.is_open()) {
            return capture.keep_event(PooledEvent::of_capture(handle, device));
        }
        retire::release_now(device, "Event::drop", move |op| handle.destroy(op));
    }
}

/// Which capture, for comparing: none is 0.
fn id_of(capture: Option<&Arc<Capture>>) -> u64 {
    capture.map_or(0, |c| c.id())
}
