//! Memory that comes from elsewhere, or goes there.
#![allow(unsafe_code)]

use super::DeviceBuffer;
use super::allocation::Allocation;
use crate::device::Device;
use crate::error::{self, Result};
use crate::op::Op;
use crate::stream::Stream;
use std::ffi::c_void;
use std::marker::PhantomData;
use std::ptr::NonNull;
use std::sync::Arc;

/// Gives foreign memory back; see [`RawOrigin::Foreign`].
pub type Deleter = Box<dyn FnOnce(*mut c_void) + Send>;

/// Where raw memory came from, and so how it is freed.
pub enum RawOrigin {
    /// `cudaMallocAsync` or `cudaMallocFromPoolAsync`; freed by `cudaFreeAsync`.
    Pool,
    /// `cudaMalloc`; freed by `cudaFree`.
    Malloc,
    /// Anything else, memory of another library or of another process for instance; given to
    /// this function when all uses are over, with the device current.
    Foreign(Deleter),
}

impl std::fmt::Debug for RawOrigin {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Pool => "Pool",
            Self::Malloc => "Malloc",
            Self::Foreign(_) => "Foreign",
        })
    }
}

/// A device buffer without its guarantees.
#[derive(Debug)]
pub struct RawParts<T> {
    /// The device address; dangling if there are no bytes.
    pub ptr: *mut T,
    /// Length in elements.
    pub len: usize,
    /// The device it is on.
    pub device: Device,
    /// How it is freed.
    pub origin: RawOrigin,
}

impl<T: Copy + 'static> DeviceBuffer<T> {
    /// Takes memory over. It counts as last written by the work that `stream` has been given so
    /// far: make the stream wait for whatever fills it first.
    ///
    /// # Safety
    /// `ptr` is the start of an allocation of at least `len` elements on `device`, from where
    /// `origin` says, aligned for `T`, and owned by nobody else. All its uses are ordered before
    /// what `stream` is given next.
    ///
    /// # Errors
    /// `DEVICE_MISMATCH`, `INVALID_ARGUMENT` for a null pointer to some bytes; the memory is then
    /// not touched and lost to the caller.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let parts = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3])?.into_raw(&stream)?;
    /// // SAFETY: the parts were just taken from a buffer, ordered onto this stream.
    /// let again = unsafe { DeviceBuffer::from_raw(parts, &stream)? };
    /// assert_eq!(again.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub unsafe fn from_raw(parts: RawParts<T>, stream: &Stream) -> Result<Self> {
        let () = Self::LAYOUT_FITS;
        let op = Op::new("DeviceBuffer::from_raw");
        let RawParts {
            ptr,
            len,
            device,
            origin,
        } = parts;
        stream.expect_device(op, "memory", device.raw())?;
        stream.refuse_capture(op, "memory is taken over outside of captures")?;
        let bytes = len
            .checked_mul(size_of::<T>())
            .ok_or_else(|| error::overflow(op, len, size_of::<T>()))?;
        let memory = if bytes == 0 {
            None
        } else {
            let ptr = NonNull::new(ptr.cast::<c_void>())
                .ok_or_else(|| error::invalid(op, format!("a null pointer to {bytes} bytes")))?;
            // SAFETY: the caller's contract.
            Some(Arc::new(unsafe {
                Allocation::adopt(op, ptr, bytes, origin, stream)
            }?))
        };
        Ok(Self {
            memory,
            len,
            device: device.raw(),
            _element: PhantomData,
        })
    }

    /// Gives the memory up. All its uses are ordered before what `stream` is given next: that
    /// stream, or whoever waits for it, may use and free the memory. Does not block.
    ///
    /// # Errors
    /// `DEVICE_MISMATCH`; `BUSY` if a graph shares the memory; what ordering reports. The buffer
    /// is then dropped as usual.
    #[track_caller]
    pub fn into_raw(self, stream: &Stream) -> Result<RawParts<T>> {
        let op = Op::new("DeviceBuffer::into_raw");
        stream.expect_device(op, "device buffer", self.device)?;
        stream.refuse_capture(op, "memory is given up outside of captures")?;
        let (len, device) = (self.len, self.device());
        let (ptr, origin) = match self.memory {
            None => (std::ptr::dangling_mut(), RawOrigin::Malloc),
            Some(memory) => match Arc::try_unwrap(memory) {
                Ok(memory) => {
                    let (ptr, origin) = memory.give_up(op, stream)?;
                    (ptr.cast(), origin)
                }
                Err(_) => return Err(error::owned_by_graph(op)),
            },
        };
        Ok(RawParts {
            ptr,
            len,
            device,
            origin,
        })
    }
}
