//! Making pinned memory.
#![allow(unsafe_code)]

use super::{HostAllocFlags, HostBuffer, Pinned};
use crate::error::{self, Result};
use crate::op::Op;
use crate::pod::IcffiZeroable;
use std::marker::PhantomData;

impl<T: Copy + 'static> HostBuffer<T> {
    /// `len` elements, all zero bytes. `cudaHostAlloc`: blocks the CPU and may synchronize the
    /// device; about a millisecond per MiB, so keep and reuse it.
    ///
    /// # Errors
    /// `ALLOCATION_OVERFLOW` if the size exceeds `isize::MAX`; `cudaErrorMemoryAllocation` if
    /// the system refuses to pin so much.
    ///
    /// ```
    /// use icffi::host_memory::HostBuffer;
    /// let zeros = HostBuffer::<u32>::alloc_zeroed(4)?;
    /// assert_eq!(zeros.as_slice(), [0; 4]);
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    #[track_caller]
    pub fn alloc_zeroed(len: usize) -> Result<Self>
    where
        T: IcffiZeroable,
    {
        Self::zeroed_in(
            Op::new("HostBuffer::alloc_zeroed"),
            len,
            HostAllocFlags::DEFAULT,
        )
    }

    /// [`alloc_zeroed`](Self::alloc_zeroed) with a choice of flags.
    ///
    /// # Errors
    /// As there, and what the flags bring.
    ///
    /// ```
    /// use icffi::host_memory::{HostAllocFlags, HostBuffer};
    /// let flags = HostAllocFlags::MAPPED | HostAllocFlags::PORTABLE;
    /// let zeros = HostBuffer::<u32>::alloc_zeroed_with_flags(4, flags)?;
    /// assert!(zeros.flags().contains(HostAllocFlags::MAPPED));
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    #[track_caller]
    pub fn alloc_zeroed_with_flags(len: usize, flags: HostAllocFlags) -> Result<Self>
    where
        T: IcffiZeroable,
    {
        Self::zeroed_in(Op::new("HostBuffer::alloc_zeroed_with_flags"), len, flags)
    }

    /// `len` elements without a value.
    ///
    /// # Safety
    /// Every element has to be written, by the host through
    /// [`as_mut_ptr`](Self::as_mut_ptr) or by a transfer from the device, before anything reads
    /// it: [`as_slice`](Self::as_slice) and its kind, and transfers to the device.
    ///
    /// # Errors
    /// As [`alloc_zeroed`](Self::alloc_zeroed).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let x = DeviceBuffer::from_slice_sync(&stream, &[7u8; 16])?;
    /// // SAFETY: the copy writes all 16 elements before they are read.
    /// let mut host = unsafe { HostBuffer::<u8>::alloc_uninit(16)? };
    /// x.copy_to_host_buffer_sync(&stream, &mut host)?;
    /// assert_eq!(host.as_slice(), [7; 16]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub unsafe fn alloc_uninit(len: usize) -> Result<Self> {
        Self::uninit_in(
            Op::new("HostBuffer::alloc_uninit"),
            len,
            HostAllocFlags::DEFAULT,
        )
    }

    /// [`alloc_uninit`](Self::alloc_uninit) with a choice of flags.
    ///
    /// # Safety
    /// As there.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub unsafe fn alloc_uninit_with_flags(len: usize, flags: HostAllocFlags) -> Result<Self> {
        Self::uninit_in(Op::new("HostBuffer::alloc_uninit_with_flags"), len, flags)
    }

    /// A copy of `source`.
    ///
    /// # Errors
    /// As [`alloc_zeroed`](Self::alloc_zeroed).
    ///
    /// ```
    /// use icffi::host_memory::HostBuffer;
    /// let buffer = HostBuffer::from_slice(&[1, 2, 3])?;
    /// assert_eq!(buffer.as_slice(), [1, 2, 3]);
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    #[track_caller]
    pub fn from_slice(source: &[T]) -> Result<Self> {
        Self::from_slice_in(
            Op::new("HostBuffer::from_slice"),
            source,
            HostAllocFlags::DEFAULT,
        )
    }

    /// [`from_slice`](Self::from_slice) with a choice of flags.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn from_slice_with_flags(source: &[T], flags: HostAllocFlags) -> Result<Self> {
        Self::from_slice_in(Op::new("HostBuffer::from_slice_with_flags"), source, flags)
    }

    fn zeroed_in(op: Op, len: usize, flags: HostAllocFlags) -> Result<Self>
    where
        T: IcffiZeroable,
    {
        let mut buffer = Self::uninit_in(op, len, flags)?;
        // SAFETY: the buffer has `len` elements, or is dangling with nothing to write; no
        // transfer knows it yet.
        unsafe { buffer.as_mut_ptr().write_bytes(0, len) };
        Ok(buffer)
    }

    fn from_slice_in(op: Op, source: &[T], flags: HostAllocFlags) -> Result<Self> {
        let mut buffer = Self::uninit_in(op, source.len(), flags)?;
        // SAFETY: the buffer has as many elements and is new, so the two don't overlap.
        unsafe {
            std::ptr::copy_nonoverlapping(source.as_ptr(), buffer.as_mut_ptr(), source.len());
        }
        Ok(buffer)
    }

    /// The caller sees to it that nothing reads an element before it is written.
    pub(crate) fn uninit_in(op: Op, len: usize, flags: HostAllocFlags) -> Result<Self> {
        let () = Self::LAYOUT_FITS;
        let bytes = len
            .checked_mul(size_of::<T>())
            .filter(|&b| isize::try_from(b).is_ok())
            .ok_or_else(|| error::overflow(op, len, size_of::<T>()))?;
        let memory = if bytes == 0 {
            None
        } else {
            Some(Pinned::alloc(op, bytes, flags)?)
        };
        Ok(Self {
            memory,
            len,
            _element: PhantomData,
        })
    }
}
