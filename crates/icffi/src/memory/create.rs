//! New buffers.
#![allow(unsafe_code)]

use super::DeviceBuffer;
use super::allocation::Allocation;
use super::pool::MemoryPool;
use crate::error::{self, Result};
use crate::op::Op;
use crate::ordering::Mode;
use crate::pod::IcffiZeroable;
use crate::stream::Stream;
use crate::{device, rt};
use std::marker::PhantomData;
use std::sync::Arc;

impl<T: Copy + 'static> DeviceBuffer<T> {
    /// `len` elements with undefined contents, on the current device. `cudaMalloc`: blocks the
    /// CPU and may synchronize the device.
    ///
    /// # Errors
    /// `ALLOCATION_OVERFLOW` if the size exceeds `isize::MAX`; `cudaErrorMemoryAllocation`.
    ///
    /// ```
    /// use icffi::memory::DeviceBuffer;
    /// let x = DeviceBuffer::<f32>::alloc(1 << 20)?;
    /// assert_eq!(x.size_bytes(), 4 << 20);
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    #[track_caller]
    pub fn alloc(len: usize) -> Result<Self> {
        Self::alloc_in(Op::new("DeviceBuffer::alloc"), len)
    }

    /// `len` elements with undefined contents, allocated in stream order from the device's
    /// memory pool. Does not block. `cudaMallocAsync`.
    ///
    /// # Errors
    /// `ALLOCATION_OVERFLOW`; `POOLS_UNSUPPORTED`; `cudaErrorMemoryAllocation`.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let x = DeviceBuffer::<u8>::alloc_async(&stream, 100)?;
    /// assert_eq!(x.len(), 100);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn alloc_async(stream: &Stream, len: usize) -> Result<Self> {
        Self::alloc_async_in(Op::new("DeviceBuffer::alloc_async"), stream, len)
    }

    /// [`alloc_async`](Self::alloc_async) from a pool of your own, which is on the stream's
    /// device. `cudaMallocFromPoolAsync`.
    ///
    /// # Errors
    /// As there; `DEVICE_MISMATCH`.
    ///
    /// ```
    /// use icffi::{memory::{DeviceBuffer, MemoryPool}, stream::Stream};
    /// let stream = Stream::new()?;
    /// let pool = MemoryPool::default_of(&stream.device())?;
    /// let x = DeviceBuffer::<u8>::alloc_from_async(&pool, &stream, 100)?;
    /// assert_eq!(x.len(), 100);
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    #[track_caller]
    pub fn alloc_from_async(pool: &MemoryPool, stream: &Stream, len: usize) -> Result<Self> {
        let op = Op::new("DeviceBuffer::alloc_from_async");
        stream.expect_device(op, "memory pool", pool.ordinal())?;
        match bytes_of::<T>(op, len)? {
            0 => Ok(Self::without_memory(len, stream.ordinal())),
            bytes => Ok(Self::from_memory(
                Allocation::pool(op, Some(pool), stream, bytes)?,
                len,
            )),
        }
    }

    /// `len` elements of zero bytes, on the current device, complete on return for every stream.
    /// `cudaMalloc` and `cudaMemsetAsync` on a stream of this crate's own, which is waited for
    /// (a plain `cudaMemset` would not be complete for non-blocking streams).
    ///
    /// # Errors
    /// As [`alloc`](Self::alloc).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// assert_eq!(DeviceBuffer::<u32>::zeros(3)?.to_vec(&stream)?, [0; 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn zeros(len: usize) -> Result<Self>
    where
        T: IcffiZeroable,
    {
        let op = Op::new("DeviceBuffer::zeros");
        let buffer = Self::alloc_in(op, len)?;
        if buffer.memory.is_some() {
            let side = device::state(buffer.device).side_stream(op, buffer.device)?;
            buffer.zero(op, &side)?;
            let event = crate::event::record(op, &side, 0)?;
            event.handle().synchronize(op)?;
            // Over: the buffer starts without a use, so that one stream needs no event.
            if let Some(memory) = &buffer.memory {
                memory.tracker().take();
            }
        }
        Ok(buffer)
    }

    /// `len` elements of zero bytes, allocated and zeroed in stream order. Does not block.
    /// `cudaMallocAsync`, `cudaMemsetAsync`.
    ///
    /// # Errors
    /// As [`alloc_async`](Self::alloc_async).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// assert_eq!(DeviceBuffer::<u32>::zeros_async(&stream, 3)?.to_vec(&stream)?, [0; 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn zeros_async(stream: &Stream, len: usize) -> Result<Self>
    where
        T: IcffiZeroable,
    {
        let op = Op::new("DeviceBuffer::zeros_async");
        let buffer = Self::alloc_async_in(op, stream, len)?;
        buffer.zero(op, stream)?;
        Ok(buffer)
    }

    fn zero(&self, op: Op, stream: &Stream) -> Result<()> {
        let Some(region) = self.part().region() else {
            return Ok(());
        };
        let _current = device::enter(op, region.device())?;
        let _access = region.acquire(op, stream, Mode::Write)?;
        // SAFETY: the region is live device memory, kept so and in order by its tracker, which
        // has this use registered.
        unsafe { rt::memset_async(op, region.ptr(), 0, region.bytes(), stream.raw()) }
    }

    pub(super) fn alloc_in(op: Op, len: usize) -> Result<Self> {
        match bytes_of::<T>(op, len)? {
            0 => Ok(Self::without_memory(len, rt::get_device(op).unwrap_or(0))),
            bytes => Ok(Self::from_memory(Allocation::malloc(op, bytes)?, len)),
        }
    }

    pub(super) fn alloc_async_in(op: Op, stream: &Stream, len: usize) -> Result<Self> {
        match bytes_of::<T>(op, len)? {
            0 => Ok(Self::without_memory(len, stream.ordinal())),
            bytes => Ok(Self::from_memory(
                Allocation::pool(op, None, stream, bytes)?,
                len,
            )),
        }
    }

    /// On the stream's device, by `cudaMalloc`.
    pub(super) fn alloc_beside(op: Op, stream: &Stream, len: usize) -> Result<Self> {
        match bytes_of::<T>(op, len)? {
            0 => Ok(Self::without_memory(len, stream.ordinal())),
            bytes => {
                let _current = device::enter(op, stream.ordinal())?;
                Ok(Self::from_memory(Allocation::malloc(op, bytes)?, len))
            }
        }
    }

    fn from_memory(memory: Allocation, len: usize) -> Self {
        let device = memory.device();
        Self {
            memory: Some(Arc::new(memory)),
            len,
            device,
            _element: PhantomData,
        }
    }

    fn without_memory(len: usize, device: i32) -> Self {
        Self {
            memory: None,
            len,
            device,
            _element: PhantomData,
        }
    }
}

fn bytes_of<T>(op: Op, len: usize) -> Result<usize> {
    let () = DeviceBuffer::<T>::LAYOUT_FITS;
    len.checked_mul(size_of::<T>())
        .filter(|&bytes| isize::try_from(bytes).is_ok())
        .ok_or_else(|| error::overflow(op, len, size_of::<T>()))
}
