//! Copies between device buffers.
#![allow(unsafe_code)]

use super::DeviceBuffer;
use super::part::Part;
use crate::error::{self, Result};
use crate::op::Op;
use crate::ordering::Mode;
use crate::stream::Stream;
use crate::{device, event, rt};
use icffi_sys::cudaMemcpyKind;

/// Why the blocking copies are refused in a capture.
pub(super) const NOT_WAITED_FOR: &str =
    "recorded work runs when the graph is launched; use the _async form, which is recorded";

impl<T: Copy + 'static> DeviceBuffer<T> {
    /// Overwrites the buffer with `source`. Does not block. `cudaMemcpyAsync`, or
    /// `cudaMemcpyPeerAsync` if they are on different devices; `stream` is of this buffer's
    /// device.
    ///
    /// # Errors
    /// `LENGTH_MISMATCH`, `DEVICE_MISMATCH`; what the call reports.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let x = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3])?;
    /// let mut y = DeviceBuffer::<i32>::alloc_async(&stream, 3)?;
    /// y.copy_from_device_async(&stream, &x)?;
    /// assert_eq!(y.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn copy_from_device_async(&mut self, stream: &Stream, source: &Self) -> Result<()> {
        let op = Op::new("DeviceBuffer::copy_from_device_async");
        self.part().copy_in(op, stream, source.part())
    }

    /// Overwrites the buffer with `source`. Blocks the CPU until it is complete.
    ///
    /// # Errors
    /// As [`copy_from_device_async`](Self::copy_from_device_async).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let x = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3])?;
    /// let mut y = DeviceBuffer::<i32>::zeros(3)?;
    /// y.copy_from_device_sync(&stream, &x)?;
    /// assert_eq!(y.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn copy_from_device_sync(&mut self, stream: &Stream, source: &Self) -> Result<()> {
        let op = Op::new("DeviceBuffer::copy_from_device_sync");
        self.part().copy_in_and_wait(op, stream, source.part())
    }

    /// The old name of [`copy_from_device_async`](Self::copy_from_device_async).
    ///
    /// # Errors
    /// As there.
    #[deprecated(note = "the name does not say what blocks: use `copy_from_device_async`")]
    #[track_caller]
    pub fn copy_from_device(&mut self, stream: &Stream, source: &Self) -> Result<()> {
        self.part().copy_in(
            Op::new("DeviceBuffer::copy_from_device"),
            stream,
            source.part(),
        )
    }
}

impl<T: Copy + 'static> Part<'_, T> {
    pub(super) fn copy_in(self, op: Op, stream: &Stream, source: Part<'_, T>) -> Result<()> {
        if source.len() != self.len() {
            return Err(error::length_mismatch(
                op,
                ("device buffer", self.len()),
                ("source buffer", source.len()),
            ));
        }
        let (Some(to), Some(from)) = (self.region(), source.region()) else {
            return Ok(());
        };
        to.check_stream(op, stream)?;
        let _current = device::enter(op, to.device())?;
        let _reading = from.acquire(op, stream, Mode::Read)?;
        let _writing = to.acquire(op, stream, Mode::Write)?;
        if to.device() == from.device() {
            // SAFETY: both are live, of one size (checked), disjoint (one is borrowed
            // exclusively), kept alive and in order by their trackers, which have this use
            // registered.
            unsafe {
                rt::memcpy_async(
                    op,
                    to.ptr(),
                    from.ptr(),
                    to.bytes(),
                    cudaMemcpyKind::cudaMemcpyDeviceToDevice,
                    stream.raw(),
                )
            }
        } else {
            // SAFETY: as above, each on the device its allocation names.
            unsafe {
                rt::memcpy_peer_async(
                    op,
                    (to.ptr(), to.device()),
                    (from.ptr(), from.device()),
                    to.bytes(),
                    stream.raw(),
                )
            }
        }
    }

    pub(super) fn copy_in_and_wait(
        self,
        op: Op,
        stream: &Stream,
        source: Part<'_, T>,
    ) -> Result<()> {
        stream.refuse_capture(op, NOT_WAITED_FOR)?;
        self.copy_in(op, stream, source)?;
        if self.region().is_none() {
            return Ok(());
        }
        event::record(op, stream, 0)?.handle().synchronize(op)
    }
}
