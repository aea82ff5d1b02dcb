//! Plain host slices to the device.
#![allow(unsafe_code)]

use super::DeviceBuffer;
use crate::error::Result;
use crate::op::Op;
use crate::stream::Stream;
use crate::transfer::{Transfer, TransferInto};
use bytemuck::NoUninit;

impl<T: NoUninit> DeviceBuffer<T> {
    /// A new buffer with a copy of `source`, complete on return. Blocks the CPU. `cudaMalloc`,
    /// `cudaMemcpyAsync` from staging memory.
    ///
    /// # Errors
    /// As [`alloc`](Self::alloc); what the copy failed with.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let x = DeviceBuffer::from_slice_sync(&stream, &[1.0f64, 2.0])?;
    /// assert_eq!(x.to_vec(&stream)?, [1.0, 2.0]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn from_slice_sync(stream: &Stream, source: &[T]) -> Result<Self> {
        let op = Op::new("DeviceBuffer::from_slice_sync");
        let buffer = Self::alloc_beside(op, stream, source.len())?;
        buffer.part().upload_and_wait(op, stream, source)?;
        Ok(buffer)
    }

    /// A new buffer, allocated in stream order, with a copy of `source`. Never blocks the CPU
    /// for the stream's work, but CUDA may block for the copy itself, as the slice is pageable
    /// memory. `cudaMallocAsync`, `cudaMemcpyAsync` from the slice. If the copy fails the new
    /// buffer is freed.
    ///
    /// # Safety
    /// `source` stays valid and unchanged until `stream` has passed the copy, also if this
    /// returns an error.
    ///
    /// # Errors
    /// As [`alloc_async`](Self::alloc_async); what the copy failed with.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let source = [1u8, 2, 3];
    /// // SAFETY: the stream is synchronized before `source` goes away.
    /// let x = unsafe { DeviceBuffer::from_slice_async(&stream, &source)? };
    /// stream.synchronize()?;
    /// assert_eq!(x.to_vec(&stream)?, source);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub unsafe fn from_slice_async(stream: &Stream, source: &[T]) -> Result<Self> {
        let op = Op::new("DeviceBuffer::from_slice_async");
        let buffer = Self::alloc_async_in(op, stream, source.len())?;
        // SAFETY: the caller's contract.
        unsafe { buffer.part().upload_unguarded(op, stream, source) }?;
        Ok(buffer)
    }

    /// A new buffer, by `cudaMalloc`, with a copy of `source` in flight. Blocks the CPU for the
    /// allocation and for copying the slice to staging memory; the transfer itself goes on after
    /// the return.
    ///
    /// # Errors
    /// As [`from_slice_sync`](Self::from_slice_sync).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let x = DeviceBuffer::from_slice_guarded(&stream, &[1, 2, 3])?.wait()?;
    /// assert_eq!(x.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn from_slice_guarded<'a>(
        stream: &Stream,
        source: &'a [T],
    ) -> Result<TransferInto<'a, T, Self>> {
        let op = Op::new("DeviceBuffer::from_slice_guarded");
        let buffer = Self::alloc_beside(op, stream, source.len())?;
        let transfer = buffer.part().upload_guarded(op, stream, source)?;
        Ok(TransferInto::new(transfer, buffer))
    }

    /// [`from_slice_guarded`](Self::from_slice_guarded) with the allocation in stream order too:
    /// only the copy to staging memory takes CPU time.
    ///
    /// # Errors
    /// As [`alloc_async`](Self::alloc_async); what the copy failed with.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let x = DeviceBuffer::from_slice_guarded_async(&stream, &[1, 2, 3])?.into_ordered();
    /// assert_eq!(x.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn from_slice_guarded_async<'a>(
        stream: &Stream,
        source: &'a [T],
    ) -> Result<TransferInto<'a, T, Self>> {
        let op = Op::new("DeviceBuffer::from_slice_guarded_async");
        let buffer = Self::alloc_async_in(op, stream, source.len())?;
        let transfer = buffer.part().upload_guarded(op, stream, source)?;
        Ok(TransferInto::new(transfer, buffer))
    }

    /// Overwrites the buffer with `source`. Blocks the CPU until it is complete.
    /// `cudaMemcpyAsync` from staging memory.
    ///
    /// # Errors
    /// `LENGTH_MISMATCH`, `DEVICE_MISMATCH`; what the copy failed with.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let mut x = DeviceBuffer::<i32>::zeros(2)?;
    /// x.copy_from_host_sync(&stream, &[5, 6])?;
    /// assert_eq!(x.to_vec(&stream)?, [5, 6]);
    /// assert!(x.copy_from_host_sync(&stream, &[1, 2, 3]).is_err());
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn copy_from_host_sync(&mut self, stream: &Stream, source: &[T]) -> Result<()> {
        self.part()
            .upload_and_wait(Op::new("DeviceBuffer::copy_from_host_sync"), stream, source)
    }

    /// Overwrites the buffer with `source`, in flight on return. The slice has been copied to
    /// staging memory by then: this takes CPU time for the copy, and waits where the bound on
    /// staging memory is reached (see [`staging`](crate::staging)).
    ///
    /// # Errors
    /// As [`copy_from_host_sync`](Self::copy_from_host_sync).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let mut x = DeviceBuffer::<i32>::zeros(2)?;
    /// x.copy_from_host_guarded(&stream, &[5, 6])?.wait()?;
    /// assert_eq!(x.to_vec(&stream)?, [5, 6]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn copy_from_host_guarded<'a>(
        &mut self,
        stream: &Stream,
        source: &'a [T],
    ) -> Result<Transfer<'a, T>> {
        self.part().upload_guarded(
            Op::new("DeviceBuffer::copy_from_host_guarded"),
            stream,
            source,
        )
    }

    /// Overwrites the buffer with `source`, which CUDA reads when it likes.
    /// `cudaMemcpyAsync` from the slice.
    ///
    /// # Safety
    /// `source` stays valid and unchanged until `stream` has passed the copy, also if this
    /// returns an error.
    ///
    /// # Errors
    /// As [`copy_from_host_sync`](Self::copy_from_host_sync).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let mut x = DeviceBuffer::<i32>::zeros(2)?;
    /// let source = [5, 6];
    /// // SAFETY: the stream is synchronized before `source` goes away.
    /// unsafe { x.copy_from_host_async(&stream, &source)? };
    /// stream.synchronize()?;
    /// assert_eq!(x.to_vec(&stream)?, [5, 6]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub unsafe fn copy_from_host_async(&mut self, stream: &Stream, source: &[T]) -> Result<()> {
        let op = Op::new("DeviceBuffer::copy_from_host_async");
        // SAFETY: the caller's contract.
        unsafe { self.part().upload_unguarded(op, stream, source) }
    }
}
