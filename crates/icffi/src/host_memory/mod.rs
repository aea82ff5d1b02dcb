//! Pinned host memory: the only host memory that the device reads and writes by itself.

mod access;
mod create;
mod pinned;
mod register;

use crate::ordering::Tracker;
use crate::pod;
use icffi_sys as sys;
pub(crate) use pinned::Pinned;
use std::cell::Cell;
use std::marker::PhantomData;

/// How pinned memory is made: `cudaHostAlloc`'s flags, combined with `|`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct HostAllocFlags(u32);

impl HostAllocFlags {
    /// Plain pinned memory.
    pub const DEFAULT: Self = Self(sys::cudaHostAllocDefault);
    /// Counts as pinned for every device (implied on 64-bit systems).
    pub const PORTABLE: Self = Self(sys::cudaHostAllocPortable);
    /// Mapped into the device's address space; see [`HostBuffer::device_ptr`].
    pub const MAPPED: Self = Self(sys::cudaHostAllocMapped);
    /// Not cached by the CPU: faster for the device to read, very slow for the host to read.
    pub const WRITE_COMBINED: Self = Self(sys::cudaHostAllocWriteCombined);

    /// CUDA's bits.
    #[must_use]
    pub const fn bits(self) -> u32 {
        self.0
    }

    /// Whether all of `other`'s flags are set.
    #[must_use]
    pub const fn contains(self, other: Self) -> bool {
        self.0 & other.0 == other.0
    }
}

impl std::ops::BitOr for HostAllocFlags {
    type Output = Self;

    fn bitor(self, other: Self) -> Self {
        Self(self.0 | other.0)
    }
}

/// A fixed-length array in pinned host memory. `Send`, not `Sync`.
///
/// The device copies to and from it directly and truly asynchronously. It is a different type
/// from a slice on purpose: the buffer itself remembers which transfers may still be using it.
/// Looking at it ([`as_slice`](Self::as_slice), indexing) waits for a transfer that writes it;
/// changing or dropping it waits for every transfer. So nothing depends on a guard being kept.
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let x = DeviceBuffer::from_slice_sync(&stream, &[1.0f32, 2.0, 3.0])?;
/// let mut host = HostBuffer::<f32>::alloc_zeroed(3)?;
/// let transfer = x.copy_to_host_buffer_guarded(&stream, &mut host)?;
/// std::mem::forget(transfer); // harmless
/// assert_eq!(host.as_slice(), [1.0, 2.0, 3.0]); // waits
/// # Ok::<(), IcffiError>(())
/// ```
pub struct HostBuffer<T> {
    /// `None` if there are no bytes to hold.
    memory: Option<Pinned>,
    len: usize,
    _element: PhantomData<(T, Cell<()>)>,
}

impl<T> HostBuffer<T> {
    const LAYOUT_FITS: () = pod::assert_layout::<T>();

    pub(crate) fn tracker(&self) -> Option<&Tracker> {
        self.memory.as_ref().map(Pinned::tracker)
    }

    /// The allocation, if there are bytes, and the length.
    pub(crate) fn into_parts(self) -> (Option<Pinned>, usize) {
        (self.memory, self.len)
    }

    /// The length in elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// The size in bytes.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The flags it was made with.
    #[must_use]
    pub fn flags(&self) -> HostAllocFlags {
        self.memory
            .as_ref()
            .map_or(HostAllocFlags::DEFAULT, Pinned::flags)
    }

    /// The host address. Dangling but aligned if there are no bytes. Does not wait: whoever
    /// dereferences it has to know that no transfer is using the memory.
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        self.memory
            .as_ref()
            .map_or(std::ptr::dangling(), |m| m.ptr().cast())
    }

    /// The host address, for writing. As [`as_ptr`](Self::as_ptr).
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.as_ptr().cast_mut()
    }
}

impl<T> std::fmt::Debug for HostBuffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("HostBuffer")
            .field("ptr", &self.as_ptr())
            .field("len", &self.len)
            .field("bytes", &self.size_bytes())
            .field("flags", &self.flags())
            .finish()
    }
}
