//! Device memory.
//!
//! | suffix | behaviour | safety |
//! |---|---|---|
//! | `_async` | fully stream-ordered, never blocks the CPU | `unsafe` where host memory is involved |
//! | `_sync` | blocks the CPU until this operation is complete | safe |
//! | `_guarded` | asynchronous copy with a guard; allocation may block | safe |
//! | `_guarded_async` | the same, with stream-ordered allocation | safe |
//! | `_alloc_sync` | blocking allocation, asynchronous copy | `unsafe` |
//!
//! Every operation on a buffer is ordered behind those before it, on whichever stream they were:
//! on one stream that costs nothing; when the stream changes, an event makes the new one wait on
//! the device.

mod allocation;
mod create;
mod descriptors;
mod device_copy;
mod doomed;
mod download;
mod fill;
mod free;
mod from_host;
mod from_pinned;
mod part;
mod pinned;
mod pool;
mod raw;
mod shared;
mod to_host;
mod to_pinned;
mod upload;
mod view;

use crate::device::Device;
pub use crate::ordering::assume_ordered;
use crate::pod;
pub(crate) use allocation::Allocation;
use part::Part;
pub(crate) use pool::allow_peer;
pub use pool::{MemoryPool, PoolStatistics};
pub use raw::{Deleter, RawOrigin, RawParts};
pub use shared::SharedBuffer;
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;
pub use view::{DeviceRows, DeviceRowsMut, DeviceSlice, DeviceSliceMut};

/// A fixed-length array in device memory. `Send`, not `Sync`; lengths are in elements.
///
/// Dropping it is correct at any time: the memory is freed behind its last use, whichever stream
/// that was on. Memory from a pool goes back in stream order, without blocking; memory from
/// `cudaMalloc` by `cudaFree` after a wait for its own uses. A buffer without bytes (no elements,
/// or a zero-size type) holds a dangling aligned pointer, makes no CUDA call, and every operation
/// on it succeeds.
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let mut x = DeviceBuffer::<f32>::zeros(1000)?;
/// x.copy_from_host_sync(&stream, &vec![2.0; 1000])?;
/// assert_eq!(x.to_vec(&stream)?[999], 2.0);
/// # Ok::<(), IcffiError>(())
/// ```
pub struct DeviceBuffer<T> {
    /// `None` if there are no bytes to hold. Behind an `Arc`, so that whatever replays work on
    /// the memory later can keep it alive.
    memory: Option<Arc<Allocation>>,
    len: usize,
    /// Of the memory; where there is none, the device it would be on.
    device: i32,
    _element: PhantomData<(T, Cell<()>)>,
}

impl<T> DeviceBuffer<T> {
    /// Device memory aligns to 256 bytes; a type that wants more is refused when the program is
    /// compiled.
    const LAYOUT_FITS: () = pod::assert_layout::<T>();

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

    /// The size in bytes, for any `T`.
    #[must_use]
    pub fn size_bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    /// The device address. Dangling but aligned if there are no bytes. Using it is outside this
    /// crate's ordering.
    #[must_use]
    pub fn as_ptr(&self) -> *const T {
        self.memory
            .as_ref()
            .map_or(std::ptr::dangling(), |m| m.ptr().cast())
    }

    /// The device address, for writing. As [`as_ptr`](Self::as_ptr).
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.as_ptr().cast_mut()
    }

    /// The device it is on.
    #[must_use]
    pub fn device(&self) -> Device {
        Device::from_ordinal(self.device)
    }

    /// All of it, for the operations. Those that write are called with `&mut self`.
    fn part(&self) -> Part<'_, T> {
        Part::whole(self.memory.as_ref(), self.len, self.device)
    }
}

impl<T> std::fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.part().debug("DeviceBuffer", f)
    }
}
