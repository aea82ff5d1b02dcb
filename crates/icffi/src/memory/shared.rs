//! Read-only device memory that many threads use at once.

use super::{DeviceBuffer, DeviceSlice};
use crate::abi::{Bound, InBufferDesc};
use crate::device::Device;
use crate::error::Result;
use crate::op::Op;
use crate::ordering::Mode;
use crate::stream::Stream;
use bytemuck::AnyBitPattern;
use std::marker::PhantomData;
use std::sync::Arc;

use super::Allocation;
use super::part::Part;

/// A buffer that nobody writes any more: `Clone` (a clone is the same memory), `Send` and `Sync`.
///
/// For weights, tables and textures of a service whose workers have a stream each. Every stream's
/// first read is ordered behind the last write, on the device; reads don't wait for each other.
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let weights = DeviceBuffer::from_slice_sync(&stream, &[1.0f32, 2.0])?.freeze();
/// std::thread::scope(|scope| {
///     for _ in 0..4 {
///         let weights = weights.clone();
///         scope.spawn(move || {
///             let own = Stream::new().unwrap();
///             assert_eq!(weights.to_vec(&own).unwrap(), [1.0, 2.0]);
///         });
///     }
/// });
/// let mut again = weights.try_unfreeze().expect("the only holder");
/// again.fill(&stream, 0.0)?;
/// # Ok::<(), IcffiError>(())
/// ```
pub struct SharedBuffer<T> {
    memory: Option<Arc<Shared>>,
    len: usize,
    device: i32,
    _element: PhantomData<T>,
}

/// Counts the shared handles, which is not what the allocation's own count says: a graph may hold
/// that too.
struct Shared(Arc<Allocation>);

impl<T> DeviceBuffer<T> {
    /// Makes the buffer read-only and shareable between threads. No copy, no CUDA call.
    #[must_use]
    pub fn freeze(self) -> SharedBuffer<T> {
        if let Some(memory) = &self.memory {
            memory.tracker().share();
        }
        SharedBuffer {
            memory: self.memory.map(|memory| Arc::new(Shared(memory))),
            len: self.len,
            device: self.device,
            _element: PhantomData,
        }
    }
}

impl<T> SharedBuffer<T> {
    /// The buffer for writing again, if this is the only handle; otherwise `self`. Earlier reads
    /// are waited for, on the device, by whatever writes next.
    ///
    /// # Errors
    /// `self`, if other handles exist.
    pub fn try_unfreeze(self) -> std::result::Result<DeviceBuffer<T>, Self> {
        let Self {
            memory,
            len,
            device,
            ..
        } = self;
        let memory = match memory.map(Arc::try_unwrap) {
            None => None,
            Some(Ok(Shared(memory))) => {
                if Arc::strong_count(&memory) == 1 {
                    memory.tracker().unshare();
                }
                Some(memory)
            }
            Some(Err(memory)) => {
                return Err(Self {
                    memory: Some(memory),
                    len,
                    device,
                    _element: PhantomData,
                });
            }
        };
        Ok(DeviceBuffer {
            memory,
            len,
            device,
            _element: PhantomData,
        })
    }

    fn part(&self) -> Part<'_, T> {
        Part::whole(
            self.memory.as_ref().map(|shared| &shared.0),
            self.len,
            self.device,
        )
    }

    /// All elements as a view, for the operations that read.
    #[must_use]
    pub fn as_view(&self) -> DeviceSlice<'_, T> {
        DeviceSlice::new(self.part())
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
        self.part().bytes()
    }

    /// The device it is on.
    #[must_use]
    pub fn device(&self) -> Device {
        Device::from_ordinal(self.device)
    }

    /// [`DeviceBuffer::input`].
    ///
    /// # Errors
    /// As there; `BUSY` never, since reads don't conflict.
    #[track_caller]
    pub fn input<'b>(&'b self, stream: &'b Stream) -> Result<Bound<'b, InBufferDesc<T>>> {
        let access = self
            .part()
            .lend(Op::new("SharedBuffer::input"), stream, Mode::Read)?;
        Ok(Bound::new(self.part().as_in(), access))
    }
}

impl<T: AnyBitPattern> SharedBuffer<T> {
    /// [`DeviceBuffer::to_vec`].
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>> {
        self.part().to_vec(Op::new("SharedBuffer::to_vec"), stream)
    }

    /// [`DeviceBuffer::copy_to_host_sync`].
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn copy_to_host_sync(&self, stream: &Stream, target: &mut [T]) -> Result<()> {
        let op = Op::new("SharedBuffer::copy_to_host_sync");
        self.part().download_and_wait(op, stream, target)
    }
}

impl<T> Clone for SharedBuffer<T> {
    fn clone(&self) -> Self {
        Self {
            memory: self.memory.clone(),
            ..*self
        }
    }
}

impl<T> std::fmt::Debug for SharedBuffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.part().debug("SharedBuffer", f)
    }
}
