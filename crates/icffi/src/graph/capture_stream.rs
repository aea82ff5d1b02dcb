//! The stream that a capture records on.
#![allow(unsafe_code)]

use super::GraphHostBuffer;
use super::capture::Capture;
use crate::error::{self, Result};
use crate::host_memory::HostBuffer;
use crate::memory::{DeviceSlice, DeviceSliceMut};
use crate::op::Op;
use crate::ordering::Mode;
use crate::rt;
use crate::stream::Stream;
use bytemuck::{AnyBitPattern, NoUninit};
use icffi_sys::cudaMemcpyKind;
use std::marker::PhantomData;
use std::ops::Deref;
use std::sync::Arc;

/// A private stream in capture, accepted, as `&CaptureStream`, wherever a `&Stream` is. It stays
/// on its thread. What is recorded: kernels, fills, copies between device buffers, copies with
/// pinned memory given to the capture ([`adopt`](Self::adopt)), host functions
/// ([`host_fn`](Self::host_fn)).
///
/// What is refused, with an error that says what to do instead: plain slices and guards (their
/// address would be baked into the graph), pinned buffers that were not given to the capture,
/// waits, queries, and events from outside. A stream that escapes the closure, or is used on
/// another thread, is refused too. Memory allocated on it is ordinary memory, allocated at once
/// and not by the graph.
#[derive(Debug)]
pub struct CaptureStream {
    stream: Stream,
    _this_thread: PhantomData<*const ()>,
}

impl Deref for CaptureStream {
    type Target = Stream;

    fn deref(&self) -> &Stream {
        &self.stream
    }
}

impl CaptureStream {
    pub(super) fn new(stream: Stream) -> Self {
        Self {
            stream,
            _this_thread: PhantomData,
        }
    }

    fn capture(&self) -> &Arc<Capture> {
        self.stream.capture_state().expect("made in capture")
    }

    /// Another stream of the same capture, behind all that this one has recorded so far. Work on
    /// the two may run at the same time where it touches different memory, or only reads; the
    /// streams are joined when the capture ends.
    ///
    /// # Errors
    /// What the calls report.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let (mut x, mut y) = (DeviceBuffer::<i32>::zeros(9)?, DeviceBuffer::<i32>::zeros(9)?);
    /// let graph = stream.capture(|capture| {
    ///     let side = capture.fork()?;
    ///     x.fill(capture, 0)?;
    ///     y.fill(&side, -1)
    /// })?;
    /// graph.instantiate()?.launch(&stream)?;
    /// assert_eq!(y.to_vec(&stream)?, [-1; 9]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn fork(&self) -> Result<Self> {
        let op = Op::new("CaptureStream::fork");
        Ok(Self::new(self.capture().fork(op, &self.stream)?))
    }

    /// Records a call of `function`, made by a thread of the CUDA runtime at every launch of the
    /// graph. The rules of [`Stream::launch_host_fn`] apply inside. `cudaLaunchHostFunc`.
    ///
    /// # Errors
    /// What the call reports.
    #[track_caller]
    pub fn host_fn(&self, function: impl Fn() + Send + Sync + 'static) -> Result<()> {
        let op = Op::new("CaptureStream::host_fn");
        self.capture().host_fn(op, &self.stream, Box::new(function))
    }

    /// Gives a pinned buffer to the capture, so that the graph may copy from and to it. Its
    /// contents are read and changed through the executable graph, between launches.
    ///
    /// # Errors
    /// `CAPTURE_ISOLATION` after the capture has ended.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let mut x = DeviceBuffer::<i32>::zeros(2)?;
    /// let (mut input, mut output) = (None, None);
    /// let graph = stream.capture(|capture| {
    ///     let from = capture.adopt(HostBuffer::from_slice(&[1, 2])?)?;
    ///     let to = capture.adopt(HostBuffer::<i32>::alloc_zeroed(2)?)?;
    ///     capture.copy_from_adopted(&mut x.as_view_mut(), &from)?;
    ///     capture.copy_to_adopted(&x.as_view(), &to)?;
    ///     (input, output) = (Some(from), Some(to));
    ///     Ok(())
    /// })?;
    /// let mut exec = graph.instantiate()?;
    /// exec.write_host(&input.unwrap(), &[7, 8])?;
    /// exec.launch(&stream)?;
    /// assert_eq!(exec.read_host(&output.unwrap())?, [7, 8]); // waits for the launch
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn adopt<T: Copy + 'static>(&self, buffer: HostBuffer<T>) -> Result<GraphHostBuffer<T>> {
        let op = Op::new("CaptureStream::adopt");
        let (memory, len) = buffer.into_parts();
        let index = match memory {
            Some(memory) => Some(self.capture().adopt(op, memory)?),
            None => None,
        };
        Ok(GraphHostBuffer::new(self.capture().id(), index, len))
    }

    /// Records a copy from pinned memory of this capture to the device. `cudaMemcpyAsync`.
    ///
    /// # Errors
    /// `LENGTH_MISMATCH`, `DEVICE_MISMATCH`; `INVALID_ARGUMENT` if the pinned buffer was given
    /// to another capture.
    #[track_caller]
    pub fn copy_from_adopted<T: NoUninit>(
        &self,
        target: &mut DeviceSliceMut<'_, T>,
        source: &GraphHostBuffer<T>,
    ) -> Result<()> {
        let op = Op::new("CaptureStream::copy_from_adopted");
        let index = self.index(op, source, target.len())?;
        let (Some(index), Some(region)) = (index, target.region()) else {
            return Ok(());
        };
        region.check_stream(op, &self.stream)?;
        let (host, _reading) =
            self.capture()
                .acquire_pinned(op, index, &self.stream, Mode::Read)?;
        let _writing = region.acquire(op, &self.stream, Mode::Write)?;
        // SAFETY: both are owned by the capture, and so by the graph; of one size (checked); in
        // order among the captured operations by their records.
        unsafe {
            rt::memcpy_async(
                op,
                region.ptr(),
                host,
                region.bytes(),
                cudaMemcpyKind::cudaMemcpyHostToDevice,
                self.stream.raw(),
            )
        }
    }

    /// Records a copy from the device to pinned memory of this capture. `cudaMemcpyAsync`.
    ///
    /// # Errors
    /// As [`copy_from_adopted`](Self::copy_from_adopted).
    #[track_caller]
    pub fn copy_to_adopted<T: AnyBitPattern>(
        &self,
        source: &DeviceSlice<'_, T>,
        target: &GraphHostBuffer<T>,
    ) -> Result<()> {
        let op = Op::new("CaptureStream::copy_to_adopted");
        let index = self.index(op, target, source.len())?;
        let (Some(index), Some(region)) = (index, source.region()) else {
            return Ok(());
        };
        region.check_stream(op, &self.stream)?;
        let _reading = region.acquire(op, &self.stream, Mode::Read)?;
        let (host, _writing) =
            self.capture()
                .acquire_pinned(op, index, &self.stream, Mode::Write)?;
        // SAFETY: as in `copy_from_adopted`; any bits make a `T`.
        unsafe {
            rt::memcpy_async(
                op,
                host,
                region.ptr(),
                region.bytes(),
                cudaMemcpyKind::cudaMemcpyDeviceToHost,
                self.stream.raw(),
            )
        }
    }

    fn index<T>(
        &self,
        op: Op,
        host: &GraphHostBuffer<T>,
        device_len: usize,
    ) -> Result<Option<usize>> {
        if host.len() != device_len {
            return Err(error::length_mismatch(
                op,
                ("device buffer", device_len),
                ("pinned buffer", host.len()),
            ));
        }
        host.index_in(op, self.capture().id())
    }
}
