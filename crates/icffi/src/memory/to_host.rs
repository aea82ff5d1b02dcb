//! The device to plain host slices.
#![allow(unsafe_code)]

use super::DeviceBuffer;
use crate::error::Result;
use crate::op::Op;
use crate::stream::Stream;
use crate::transfer::Transfer;
use bytemuck::AnyBitPattern;

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
        self.part().download_and_wait(op, stream, target)
    }

    /// Copies the buffer to `target`, in flight on return. The data lands in staging memory that
    /// the guard owns; waiting for the guard, or dropping it, copies it to `target`. Where the
    /// bound on staging memory leaves no room (see [`staging`](crate::staging)) the copy is done before the
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
        self.part().download_guarded(op, stream, target)
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
        // SAFETY: the caller's contract.
        unsafe { self.part().download_unguarded(op, stream, target) }
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
        self.part().to_vec(Op::new("DeviceBuffer::to_vec"), stream)
    }
}
