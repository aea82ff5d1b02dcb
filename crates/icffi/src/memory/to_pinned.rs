//! The device to pinned host memory: truly asynchronous, no staging.
#![allow(unsafe_code)]

use super::DeviceBuffer;
use crate::error::{self, Result};
use crate::event::{self, PooledEvent};
use crate::host_memory::{HostAllocFlags, HostBuffer};
use crate::op::Op;
use crate::ordering::Mode;
use crate::stream::Stream;
use crate::transfer::Transfer;
use crate::{device, rt};
use bytemuck::AnyBitPattern;
use icffi_sys::cudaMemcpyKind;
use std::sync::Arc;

impl<T: AnyBitPattern> DeviceBuffer<T> {
    /// Copies the buffer to `target`. Blocks the CPU until it is complete. `cudaMemcpyAsync`.
    ///
    /// # Errors
    /// `LENGTH_MISMATCH`, `DEVICE_MISMATCH`; what the copy failed with.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let x = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3])?;
    /// let mut target = HostBuffer::<i32>::alloc_zeroed(3)?;
    /// x.copy_to_host_buffer_sync(&stream, &mut target)?;
    /// assert_eq!(target.as_slice(), [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn copy_to_host_buffer_sync(
        &self,
        stream: &Stream,
        target: &mut HostBuffer<T>,
    ) -> Result<()> {
        let op = Op::new("DeviceBuffer::copy_to_host_buffer_sync");
        match self.receive_marked(op, stream, target)? {
            Some(event) => event.handle().synchronize(op),
            None => Ok(()),
        }
    }

    /// Copies the buffer to `target`, in flight on return. Does not block. The pinned buffer
    /// itself remembers the transfer: looking at it waits, guard or no guard.
    ///
    /// # Errors
    /// As [`copy_to_host_buffer_sync`](Self::copy_to_host_buffer_sync).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let x = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3])?;
    /// let mut target = HostBuffer::<i32>::alloc_zeroed(3)?;
    /// std::mem::forget(x.copy_to_host_buffer_guarded(&stream, &mut target)?);
    /// assert_eq!(target.as_slice(), [1, 2, 3]); // waits for the transfer
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn copy_to_host_buffer_guarded<'a>(
        &self,
        stream: &Stream,
        target: &'a mut HostBuffer<T>,
    ) -> Result<Transfer<'a, T>> {
        let op = Op::new("DeviceBuffer::copy_to_host_buffer_guarded");
        Ok(match self.receive_marked(op, stream, target)? {
            Some(event) => Transfer::marked(stream, event),
            None => Transfer::complete(true),
        })
    }

    /// Copies the buffer to `target`, in flight and without an event for it. Does not block.
    /// `cudaMemcpyAsync`.
    ///
    /// # Safety
    /// `target` stays alive, and is neither read nor written, until `stream` has passed the
    /// copy, also if this returns an error.
    ///
    /// # Errors
    /// As [`copy_to_host_buffer_sync`](Self::copy_to_host_buffer_sync).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let x = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3])?;
    /// let mut target = HostBuffer::<i32>::alloc_zeroed(3)?;
    /// // SAFETY: the stream is synchronized before `target` is looked at.
    /// unsafe { x.copy_to_host_buffer_async(&stream, &mut target)? };
    /// stream.synchronize()?;
    /// assert_eq!(target.as_slice(), [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub unsafe fn copy_to_host_buffer_async(
        &self,
        stream: &Stream,
        target: &mut HostBuffer<T>,
    ) -> Result<()> {
        self.receive(
            Op::new("DeviceBuffer::copy_to_host_buffer_async"),
            stream,
            target,
        )
    }

    /// The buffer's elements in new pinned memory. Blocks the CPU for the allocation and the
    /// copy. `cudaHostAlloc`, `cudaMemcpyAsync`.
    ///
    /// # Errors
    /// `cudaErrorMemoryAllocation` if the system refuses to pin so much; as
    /// [`copy_to_host_buffer_sync`](Self::copy_to_host_buffer_sync).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let x = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3])?;
    /// assert_eq!(x.to_host_buffer(&stream)?.as_slice(), [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn to_host_buffer(&self, stream: &Stream) -> Result<HostBuffer<T>> {
        let op = Op::new("DeviceBuffer::to_host_buffer");
        // No value until the copy has written it; after an error it is dropped unread.
        let mut target = HostBuffer::uninit_in(op, self.len(), HostAllocFlags::DEFAULT)?;
        if let Some(event) = self.receive_marked(op, stream, &mut target)? {
            event.handle().synchronize(op)?;
        }
        Ok(target)
    }

    /// Enqueues the copy, registered on both sides but not yet marked by an event. Sound without
    /// more: the pinned buffer waits for the stream where it can't wait for an event.
    fn receive(&self, op: Op, stream: &Stream, target: &mut HostBuffer<T>) -> Result<()> {
        if target.len() != self.len() {
            return Err(error::length_mismatch(
                op,
                ("device buffer", self.len()),
                ("pinned buffer", target.len()),
            ));
        }
        let to = target.as_mut_ptr();
        let (Some(region), Some(host)) = (self.region(), target.tracker()) else {
            return Ok(());
        };
        region.check_stream(op, stream)?;
        let _current = device::enter(op, region.device())?;
        region.acquire(op, stream, Mode::Read)?;
        host.acquire(op, stream, Mode::Write)?;
        // SAFETY: both are live, of one size (checked), kept alive and in order by their
        // trackers, which have this use registered; any bits make a `T`.
        unsafe {
            rt::memcpy_async(
                op,
                to.cast(),
                region.ptr(),
                region.bytes(),
                cudaMemcpyKind::cudaMemcpyDeviceToHost,
                stream.raw(),
            )
        }?;
        region.tracker().settle(op, stream, Mode::Read)?;
        host.settle(op, stream, Mode::Write)
    }

    /// [`receive`](Self::receive), then an event for it: `None` if there is nothing to copy.
    fn receive_marked(
        &self,
        op: Op,
        stream: &Stream,
        target: &mut HostBuffer<T>,
    ) -> Result<Option<Arc<PooledEvent>>> {
        self.receive(op, stream, target)?;
        let (Some(region), Some(host)) = (self.region(), target.tracker()) else {
            return Ok(None);
        };
        let event = event::record(op, stream)?;
        region.tracker().mark(stream, Mode::Read, &event);
        host.mark(stream, Mode::Write, &event);
        Ok(Some(event))
    }
}
