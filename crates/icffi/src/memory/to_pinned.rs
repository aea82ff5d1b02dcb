//! The device to pinned host memory: truly asynchronous, no staging.
#![allow(unsafe_code)]

use super::DeviceBuffer;
use super::pinned::Marking;
use crate::error::Result;
use crate::host_memory::{HostAllocFlags, HostBuffer};
use crate::op::Op;
use crate::stream::Stream;
use crate::transfer::Transfer;
use bytemuck::AnyBitPattern;

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
        self.part().receive_and_wait(op, stream, target)
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
        self.part().receive_guarded(op, stream, target)
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
        let op = Op::new("DeviceBuffer::copy_to_host_buffer_async");
        self.part()
            .receive(op, stream, target, Marking::None)
            .map(drop)
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
        self.part().receive_and_wait(op, stream, &mut target)?;
        Ok(target)
    }
}
