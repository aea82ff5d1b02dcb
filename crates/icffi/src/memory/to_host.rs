//! The device to plain host slices.
#![allow(unsafe_code)]

use super::DeviceBuffer;
use crate::error::{self, Result};
use crate::op::Op;
use crate::ordering::Mode;
use crate::stream::Stream;
use crate::transfer::Transfer;
use crate::{device, rt, staging};
use bytemuck::AnyBitPattern;
use icffi_sys::cudaMemcpyKind;

impl<T: AnyBitPattern> DeviceBuffer<T> {
    /// Copies the buffer to `target`. Blocks the CPU until it is complete. `cudaMemcpyAsync` to
    /// staging memory.
    ///
    /// # Errors
    /// `LENGTH_MISMATCH`, `DEVICE_MISMATCH`; what the copy failed with (`target` then holds a
    /// mixture of old and new elements, and nothing writes to it later).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let x = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3])?;
    /// let mut target = [0; 3];
    /// x.copy_to_host_sync(&stream, &mut target)?;
    /// assert_eq!(target, [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn copy_to_host_sync(&self, stream: &Stream, target: &mut [T]) -> Result<()> {
        let op = Op::new("DeviceBuffer::copy_to_host_sync");
        self.check_target(op, target)?;
        // SAFETY: the slice is as long as the buffer (checked) and borrowed for the call; any
        // bits make a `T`.
        unsafe { self.download(op, stream, target.as_mut_ptr()) }
    }

    /// Copies the buffer to `target`, in flight on return. The data lands in staging memory that
    /// the guard owns; waiting for the guard, or dropping it, copies it to `target`. Where the
    /// bound on staging memory leaves no room (see [`staging`]) the copy is done before the
    /// return.
    ///
    /// # Errors
    /// As [`copy_to_host_sync`](Self::copy_to_host_sync).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let x = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3])?;
    /// let mut target = [0; 3];
    /// x.copy_to_host_guarded(&stream, &mut target)?.wait()?;
    /// assert_eq!(target, [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn copy_to_host_guarded<'a>(
        &self,
        stream: &Stream,
        target: &'a mut [T],
    ) -> Result<Transfer<'a, T>> {
        let op = Op::new("DeviceBuffer::copy_to_host_guarded");
        self.check_target(op, target)?;
        let Some(region) = self.region() else {
            return Ok(Transfer::complete(true));
        };
        region.check_stream(op, stream)?;
        let _current = device::enter(op, region.device())?;
        region.acquire(op, stream, Mode::Read)?;
        // SAFETY: the region is live, kept alive and in order by its tracker, which has this
        // use registered.
        let landed =
            unsafe { staging::download_guarded(op, region.ptr(), region.bytes(), stream) }?;
        if let Some((data, event)) = landed {
            region.tracker().mark(stream, Mode::Read, &event);
            return Ok(Transfer::landing(stream, event, data, target));
        }
        // SAFETY: as in `copy_to_host_sync`.
        unsafe { self.download(op, stream, target.as_mut_ptr()) }?;
        Ok(Transfer::complete(true))
    }

    /// Copies the buffer to `target`, which CUDA writes when it likes. `cudaMemcpyAsync` to the
    /// slice.
    ///
    /// # Safety
    /// `target` stays valid, and is neither read nor written, until `stream` has passed the
    /// copy, also if this returns an error.
    ///
    /// # Errors
    /// As [`copy_to_host_sync`](Self::copy_to_host_sync).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let x = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3])?;
    /// let mut target = [0; 3];
    /// // SAFETY: the stream is synchronized before `target` is looked at.
    /// unsafe { x.copy_to_host_async(&stream, &mut target)? };
    /// stream.synchronize()?;
    /// assert_eq!(target, [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub unsafe fn copy_to_host_async(&self, stream: &Stream, target: &mut [T]) -> Result<()> {
        let op = Op::new("DeviceBuffer::copy_to_host_async");
        self.check_target(op, target)?;
        let Some(region) = self.region() else {
            return Ok(());
        };
        region.check_stream(op, stream)?;
        let _current = device::enter(op, region.device())?;
        region.acquire(op, stream, Mode::Read)?;
        // SAFETY: the target by the caller's contract; the region is live, kept alive and in
        // order by its tracker, which has this use registered.
        unsafe {
            rt::memcpy_async(
                op,
                target.as_mut_ptr().cast(),
                region.ptr(),
                region.bytes(),
                cudaMemcpyKind::cudaMemcpyDeviceToHost,
                stream.raw(),
            )
        }?;
        region.tracker().settle(op, stream, Mode::Read)
    }

    /// The buffer's elements in new host memory. Blocks the CPU until they are there.
    ///
    /// # Errors
    /// `DEVICE_MISMATCH`; what the copy failed with.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// assert_eq!(DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3])?.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>> {
        let op = Op::new("DeviceBuffer::to_vec");
        let mut vec = Vec::with_capacity(self.len());
        // SAFETY: the vector has room for `len` elements, reached by its raw pointer, so that no
        // reference to a value that isn't there is made.
        unsafe { self.download(op, stream, vec.as_mut_ptr()) }?;
        // SAFETY: all `len` elements have been written (or are of size zero), and any bits make
        // a `T`.
        unsafe { vec.set_len(self.len()) };
        Ok(vec)
    }

    /// # Safety
    /// `target` is valid for writes of `self.len()` elements.
    unsafe fn download(&self, op: Op, stream: &Stream, target: *mut T) -> Result<()> {
        let Some(region) = self.region() else {
            return Ok(());
        };
        region.check_stream(op, stream)?;
        let _current = device::enter(op, region.device())?;
        region.acquire(op, stream, Mode::Read)?;
        // SAFETY: the target by the caller's contract; the region is live, kept alive and in
        // order by its tracker, which has this use registered.
        unsafe { staging::download(op, target.cast(), region.ptr(), region.bytes(), stream) }?;
        region.tracker().settle(op, stream, Mode::Read)
    }

    fn check_target(&self, op: Op, target: &[T]) -> Result<()> {
        if target.len() == self.len() {
            return Ok(());
        }
        Err(error::length_mismatch(
            op,
            ("device buffer", self.len()),
            ("target slice", target.len()),
        ))
    }
}
