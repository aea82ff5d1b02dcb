//! A stream's side of capture.
#![allow(unsafe_code)]

use super::{Stream, StreamCore};
use crate::error::{self, Result};
use crate::graph::{self, Capture, CaptureMode, CaptureStatus, CaptureStream, Graph};
use crate::op::Op;
use crate::{device, rt};
use icffi_sys::{cudaStreamCaptureMode, cudaStreamCaptureStatus};
use std::sync::Arc;

impl Stream {
    /// Records what `record` does with the stream it is given, a private one on this stream's
    /// device and of its priority, and ends the capture on every path: return, error and panic.
    /// Nothing runs until the graph is launched. This stream itself is not touched: other
    /// threads may go on using it.
    ///
    /// # Errors
    /// What `record` returns; `CAPTURE_UNSUPPORTED`, `CAPTURE_ISOLATION` and
    /// `CAPTURE_HOST_MEMORY` from operations that can't be captured; what the calls report.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let mut x = DeviceBuffer::<i32>::zeros(3)?;
    /// let graph = stream.capture(|capture| x.fill(capture, -1))?;
    /// assert_eq!(x.to_vec(&stream)?, [0; 3]);
    /// graph.instantiate()?.launch(&stream)?;
    /// assert_eq!(x.to_vec(&stream)?, [-1; 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn capture(&self, record: impl FnOnce(&CaptureStream) -> Result<()>) -> Result<Graph> {
        let op = Op::new("Stream::capture");
        self.refuse_capture(op, "captures don't nest; use CaptureStream::fork")?;
        graph::run(op, self, record)
    }

    /// Puts this very stream into capture, for raw calls. `cudaStreamBeginCapture`. Prefer
    /// [`capture`](Self::capture), which is safe.
    ///
    /// # Safety
    /// Until the capture ends, nothing is enqueued on this stream, through whichever handle,
    /// that is not meant for the graph, and no buffer of this crate is used on it: their record
    /// of uses does not know of it. The graph owns nothing: what it uses has to outlive it.
    ///
    /// # Errors
    /// What the call reports.
    #[track_caller]
    pub unsafe fn begin_capture(&self, mode: CaptureMode) -> Result<()> {
        let op = Op::new("Stream::begin_capture");
        self.refuse_capture(op, "the stream is in capture")?;
        let _current = device::enter(op, self.ordinal())?;
        let mode = match mode {
            CaptureMode::Global => cudaStreamCaptureMode::cudaStreamCaptureModeGlobal,
            CaptureMode::ThreadLocal => cudaStreamCaptureMode::cudaStreamCaptureModeThreadLocal,
            CaptureMode::Relaxed => cudaStreamCaptureMode::cudaStreamCaptureModeRelaxed,
        };
        // From before the call on, so that other calls of this crate don't disturb it.
        self.core().set_raw_capture(true);
        // SAFETY: the stream is live; the caller's contract.
        let begun = unsafe { rt::begin_capture(op, self.raw(), mode) };
        if begun.is_err() {
            self.core().set_raw_capture(false);
        }
        begun
    }

    /// Ends a raw capture. `cudaStreamEndCapture`.
    ///
    /// # Safety
    /// What the graph uses outlives the graph and all that is made from it.
    ///
    /// # Errors
    /// `cudaErrorStreamCaptureInvalidated` and what else the call reports.
    #[track_caller]
    pub unsafe fn end_capture(&self) -> Result<Graph> {
        let op = Op::new("Stream::end_capture");
        self.refuse_capture(op, "the capture ends with its closure")?;
        let _current = device::enter(op, self.ordinal())?;
        // SAFETY: the stream is live.
        let ended = unsafe { rt::end_capture(op, self.raw()) };
        self.core().set_raw_capture(false);
        let raw = ended?;
        // SAFETY: just made, and nobody else has it.
        Ok(unsafe { Graph::from_raw_capture(raw, self.ordinal()) })
    }

    /// Whether the stream is recording. `cudaStreamIsCapturing`.
    ///
    /// # Errors
    /// What the call reports.
    ///
    /// ```
    /// use icffi::{graph::CaptureStatus, stream::Stream};
    /// assert_eq!(Stream::new()?.capture_status()?, CaptureStatus::None);
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    #[track_caller]
    pub fn capture_status(&self) -> Result<CaptureStatus> {
        let op = Op::new("Stream::capture_status");
        let _current = device::enter(op, self.ordinal())?;
        // SAFETY: the stream is live.
        let status = unsafe { rt::capture_status(op, self.raw()) }?;
        Ok(match status {
            cudaStreamCaptureStatus::cudaStreamCaptureStatusNone => CaptureStatus::None,
            cudaStreamCaptureStatus::cudaStreamCaptureStatusActive => CaptureStatus::Active,
            _ => CaptureStatus::Invalidated,
        })
    }

    /// A private stream of `capture`, on the current device.
    pub(crate) fn for_capture(
        op: Op,
        device: i32,
        priority: i32,
        capture: Arc<Capture>,
    ) -> Result<Self> {
        let core = StreamCore::for_capture(op, device, priority, capture)?;
        Ok(Self {
            core: Arc::new(core),
        })
    }

    /// The capture whose private stream this is.
    #[inline]
    pub(crate) fn capture_state(&self) -> Option<&Arc<Capture>> {
        self.core().capture()
    }

    /// Refuses a capture's stream where nothing can be recorded.
    #[inline]
    pub(crate) fn refuse_capture(&self, op: Op, why: &str) -> Result<()> {
        match self.capture_state() {
            None => Ok(()),
            Some(_) => Err(error::capture_unsupported(op, why)),
        }
    }

    /// Refuses a capture's stream for a copy with host memory that the graph would not own.
    #[inline]
    pub(crate) fn refuse_host_memory(&self, op: Op) -> Result<()> {
        match self.capture_state() {
            None => Ok(()),
            Some(_) => Err(error::capture_host_memory(op)),
        }
    }
}
