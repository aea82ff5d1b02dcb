//! Pinned host memory to the device: truly asynchronous, no staging.
#![allow(unsafe_code)]

use super::DeviceBuffer;
use super::pinned::Marking;
use crate::error::Result;
use crate::host_memory::HostBuffer;
use crate::op::Op;
use crate::stream::Stream;
use crate::transfer::{Transfer, TransferInto};
use bytemuck::NoUninit;

impl<T: NoUninit> DeviceBuffer<T> {
    /// A new buffer with a copy of `source`, complete on return. Blocks the CPU. `cudaMalloc`,
    /// `cudaMemcpyAsync`.
    ///
    /// # Errors
    /// As [`alloc`](Self::alloc); what the copy failed with.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let (stream, source) = (Stream::new()?, HostBuffer::from_slice(&[1, 2, 3])?);
    /// let x = DeviceBuffer::from_host_buffer_sync(&stream, &source)?;
    /// assert_eq!(x.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn from_host_buffer_sync(stream: &Stream, source: &HostBuffer<T>) -> Result<Self> {
        let op = Op::new("DeviceBuffer::from_host_buffer_sync");
        let buffer = Self::alloc_beside(op, stream, source.len())?;
        buffer.part().send_and_wait(op, stream, source)?;
        Ok(buffer)
    }

    /// A new buffer, by `cudaMalloc`, with a copy of `source` in flight. Blocks the CPU for the
    /// allocation only.
    ///
    /// # Errors
    /// As [`from_host_buffer_sync`](Self::from_host_buffer_sync).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let (stream, source) = (Stream::new()?, HostBuffer::from_slice(&[1, 2, 3])?);
    /// let x = DeviceBuffer::from_host_buffer_guarded(&stream, &source)?.wait()?;
    /// assert_eq!(x.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn from_host_buffer_guarded<'a>(
        stream: &Stream,
        source: &'a HostBuffer<T>,
    ) -> Result<TransferInto<'a, T, Self>> {
        let op = Op::new("DeviceBuffer::from_host_buffer_guarded");
        let buffer = Self::alloc_beside(op, stream, source.len())?;
        let transfer = buffer.part().send_guarded(op, stream, source)?;
        Ok(TransferInto::new(transfer, buffer))
    }

    /// [`from_host_buffer_guarded`](Self::from_host_buffer_guarded) with the allocation in stream
    /// order too: does not block.
    ///
    /// # Errors
    /// As [`alloc_async`](Self::alloc_async); what the copy failed with.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let (stream, source) = (Stream::new()?, HostBuffer::from_slice(&[1, 2, 3])?);
    /// let x = DeviceBuffer::from_host_buffer_guarded_async(&stream, &source)?.into_ordered();
    /// assert_eq!(x.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn from_host_buffer_guarded_async<'a>(
        stream: &Stream,
        source: &'a HostBuffer<T>,
    ) -> Result<TransferInto<'a, T, Self>> {
        let op = Op::new("DeviceBuffer::from_host_buffer_guarded_async");
        let buffer = Self::alloc_async_in(op, stream, source.len())?;
        let transfer = buffer.part().send_guarded(op, stream, source)?;
        Ok(TransferInto::new(transfer, buffer))
    }

    /// A new buffer, allocated in stream order, with a copy of `source` in flight and no event
    /// for it. Does not block. `cudaMallocAsync`, `cudaMemcpyAsync`. If the copy fails the new
    /// buffer is freed.
    ///
    /// # Safety
    /// `source` stays alive and unchanged until `stream` has passed the copy, also if this
    /// returns an error.
    ///
    /// # Errors
    /// As [`alloc_async`](Self::alloc_async); what the copy failed with.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let (stream, source) = (Stream::new()?, HostBuffer::from_slice(&[1, 2, 3])?);
    /// // SAFETY: `source` lives to the end and is not changed.
    /// let x = unsafe { DeviceBuffer::from_host_buffer_async(&stream, &source)? };
    /// assert_eq!(x.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub unsafe fn from_host_buffer_async(stream: &Stream, source: &HostBuffer<T>) -> Result<Self> {
        let op = Op::new("DeviceBuffer::from_host_buffer_async");
        let buffer = Self::alloc_async_in(op, stream, source.len())?;
        buffer.part().send(op, stream, source, Marking::None)?;
        Ok(buffer)
    }

    /// [`from_host_buffer_async`](Self::from_host_buffer_async) with a blocking allocation by
    /// `cudaMalloc`, for devices without memory pools.
    ///
    /// # Safety
    /// As there.
    ///
    /// # Errors
    /// As [`from_host_buffer_sync`](Self::from_host_buffer_sync).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let (stream, source) = (Stream::new()?, HostBuffer::from_slice(&[1, 2, 3])?);
    /// // SAFETY: `source` lives to the end and is not changed.
    /// let x = unsafe { DeviceBuffer::from_host_buffer_alloc_sync(&stream, &source)? };
    /// assert_eq!(x.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub unsafe fn from_host_buffer_alloc_sync(
        stream: &Stream,
        source: &HostBuffer<T>,
    ) -> Result<Self> {
        let op = Op::new("DeviceBuffer::from_host_buffer_alloc_sync");
        let buffer = Self::alloc_beside(op, stream, source.len())?;
        buffer.part().send(op, stream, source, Marking::None)?;
        Ok(buffer)
    }

    /// Overwrites the buffer with `source`. Blocks the CPU until it is complete.
    /// `cudaMemcpyAsync`.
    ///
    /// # Errors
    /// `LENGTH_MISMATCH`, `DEVICE_MISMATCH`; what the copy failed with.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let (stream, source) = (Stream::new()?, HostBuffer::from_slice(&[5, 6])?);
    /// let mut x = DeviceBuffer::<i32>::zeros(2)?;
    /// x.copy_from_host_buffer_sync(&stream, &source)?;
    /// assert_eq!(x.to_vec(&stream)?, [5, 6]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn copy_from_host_buffer_sync(
        &mut self,
        stream: &Stream,
        source: &HostBuffer<T>,
    ) -> Result<()> {
        let op = Op::new("DeviceBuffer::copy_from_host_buffer_sync");
        self.part().send_and_wait(op, stream, source)
    }

    /// Overwrites the buffer with `source`, in flight on return. Does not block. The pinned
    /// buffer itself remembers the transfer: changing or dropping it waits, guard or no guard.
    ///
    /// # Errors
    /// As [`copy_from_host_buffer_sync`](Self::copy_from_host_buffer_sync).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let (stream, mut source) = (Stream::new()?, HostBuffer::from_slice(&[5, 6])?);
    /// let mut x = DeviceBuffer::<i32>::zeros(2)?;
    /// std::mem::forget(x.copy_from_host_buffer_guarded(&stream, &source)?);
    /// source[0] = 9; // waits for the transfer
    /// assert_eq!(x.to_vec(&stream)?, [5, 6]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn copy_from_host_buffer_guarded<'a>(
        &mut self,
        stream: &Stream,
        source: &'a HostBuffer<T>,
    ) -> Result<Transfer<'a, T>> {
        let op = Op::new("DeviceBuffer::copy_from_host_buffer_guarded");
        self.part().send_guarded(op, stream, source)
    }

    /// Overwrites the buffer with `source`, in flight and without an event for it. Does not
    /// block. `cudaMemcpyAsync`.
    ///
    /// # Safety
    /// `source` stays alive and unchanged until `stream` has passed the copy, also if this
    /// returns an error.
    ///
    /// # Errors
    /// As [`copy_from_host_buffer_sync`](Self::copy_from_host_buffer_sync).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let (stream, source) = (Stream::new()?, HostBuffer::from_slice(&[5, 6])?);
    /// let mut x = DeviceBuffer::<i32>::zeros(2)?;
    /// // SAFETY: `source` lives to the end and is not changed.
    /// unsafe { x.copy_from_host_buffer_async(&stream, &source)? };
    /// assert_eq!(x.to_vec(&stream)?, [5, 6]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub unsafe fn copy_from_host_buffer_async(
        &mut self,
        stream: &Stream,
        source: &HostBuffer<T>,
    ) -> Result<()> {
        let op = Op::new("DeviceBuffer::copy_from_host_buffer_async");
        self.part()
            .send(op, stream, source, Marking::None)
            .map(drop)
    }
}
