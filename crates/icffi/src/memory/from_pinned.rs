//! Pinned host memory to the device: truly asynchronous, no staging.
#![allow(unsafe_code)]

use super::DeviceBuffer;
use crate::error::{self, Result};
use crate::event::{self, PooledEvent};
use crate::host_memory::HostBuffer;
use crate::op::Op;
use crate::ordering::Mode;
use crate::stream::Stream;
use crate::transfer::{Transfer, TransferInto};
use crate::{device, rt};
use bytemuck::NoUninit;
use icffi_sys::cudaMemcpyKind;
use std::sync::Arc;

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
        let mut buffer = Self::alloc_beside(op, stream, source.len())?;
        buffer.send_and_wait(op, stream, source)?;
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
        let mut buffer = Self::alloc_beside(op, stream, source.len())?;
        let transfer = buffer.send_guarded(op, stream, source)?;
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
        let mut buffer = Self::alloc_async_in(op, stream, source.len())?;
        let transfer = buffer.send_guarded(op, stream, source)?;
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
        let mut buffer = Self::alloc_async_in(op, stream, source.len())?;
        buffer.send(op, stream, source)?;
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
        let mut buffer = Self::alloc_beside(op, stream, source.len())?;
        buffer.send(op, stream, source)?;
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
        self.send_and_wait(
            Op::new("DeviceBuffer::copy_from_host_buffer_sync"),
            stream,
            source,
        )
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
        self.send_guarded(
            Op::new("DeviceBuffer::copy_from_host_buffer_guarded"),
            stream,
            source,
        )
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
        self.send(
            Op::new("DeviceBuffer::copy_from_host_buffer_async"),
            stream,
            source,
        )
    }

    /// Enqueues the copy, registered on both sides but not yet marked by an event. Sound without
    /// more: the pinned buffer waits for the stream where it can't wait for an event.
    fn send(&mut self, op: Op, stream: &Stream, source: &HostBuffer<T>) -> Result<()> {
        if source.len() != self.len() {
            return Err(error::length_mismatch(
                op,
                ("device buffer", self.len()),
                ("pinned buffer", source.len()),
            ));
        }
        let (Some(region), Some(host)) = (self.region(), source.tracker()) else {
            return Ok(());
        };
        region.check_stream(op, stream)?;
        let _current = device::enter(op, region.device())?;
        host.acquire(op, stream, Mode::Read)?;
        region.acquire(op, stream, Mode::Write)?;
        // SAFETY: both are live, of one size (checked), kept alive and in order by their
        // trackers, which have this use registered; `T: NoUninit` has no padding to read.
        unsafe {
            rt::memcpy_async(
                op,
                region.ptr(),
                source.as_ptr().cast(),
                region.bytes(),
                cudaMemcpyKind::cudaMemcpyHostToDevice,
                stream.raw(),
            )
        }?;
        region.tracker().settle(op, stream, Mode::Write)?;
        host.settle(op, stream, Mode::Read)
    }

    /// [`send`](Self::send), then an event for it: `None` if there is nothing to copy.
    fn send_marked(
        &mut self,
        op: Op,
        stream: &Stream,
        source: &HostBuffer<T>,
    ) -> Result<Option<Arc<PooledEvent>>> {
        self.send(op, stream, source)?;
        let (Some(region), Some(host)) = (self.region(), source.tracker()) else {
            return Ok(None);
        };
        let event = event::record(op, stream)?;
        region.tracker().mark(stream, Mode::Write, &event);
        host.mark(stream, Mode::Read, &event);
        Ok(Some(event))
    }

    fn send_and_wait(&mut self, op: Op, stream: &Stream, source: &HostBuffer<T>) -> Result<()> {
        match self.send_marked(op, stream, source)? {
            Some(event) => event.handle().synchronize(op),
            None => Ok(()),
        }
    }

    fn send_guarded<'a>(
        &mut self,
        op: Op,
        stream: &Stream,
        source: &'a HostBuffer<T>,
    ) -> Result<Transfer<'a, T>> {
        Ok(match self.send_marked(op, stream, source)? {
            Some(event) => Transfer::marked(stream, event),
            None => Transfer::complete(true),
        })
    }
}
