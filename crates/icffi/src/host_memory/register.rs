//! Ordinary memory made pinned.
#![allow(unsafe_code)]

use super::{HostBuffer, Pinned};
use crate::error::{self, Result};
use crate::op::Op;
use std::marker::PhantomData;

impl<T: Copy + Send + 'static> HostBuffer<T> {
    /// Pins the memory of a vector, which stays where it is. `cudaHostRegister`: blocks the CPU
    /// and may synchronize the device; slower than copying unless the buffer is used often.
    ///
    /// By value: a borrow would end while transfers go on. [`unregister`](Self::unregister) gives
    /// the vector back.
    ///
    /// # Errors
    /// What the call reports, `cudaErrorHostMemoryAlreadyRegistered` for instance; the vector is
    /// then dropped.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let pinned = HostBuffer::register(vec![1, 2, 3])?;
    /// let x = DeviceBuffer::from_host_buffer_sync(&stream, &pinned)?;
    /// assert_eq!(pinned.unregister()?, [1, 2, 3]);
    /// assert_eq!(x.to_vec(&stream)?, [1, 2, 3]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn register(vec: Vec<T>) -> Result<Self> {
        let () = Self::LAYOUT_FITS;
        let op = Op::new("HostBuffer::register");
        let len = vec.len();
        let bytes = size_of_val(vec.as_slice());
        if bytes == 0 {
            return Ok(Self {
                memory: None,
                len,
                _element: PhantomData,
            });
        }
        let memory = Pinned::register(op, vec)?;
        Ok(Self {
            memory: Some(memory),
            len,
            _element: PhantomData,
        })
    }

    /// Gives a registered vector back, no longer pinned. Blocks the CPU until no transfer uses
    /// it. `cudaHostUnregister`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if the buffer was not made by [`register`](Self::register); what the
    /// transfers or the call failed with. The memory is then freed when that is safe.
    #[track_caller]
    pub fn unregister(self) -> Result<Vec<T>> {
        let op = Op::new("HostBuffer::unregister");
        match self.memory {
            // A vector without bytes was never registered.
            None => Ok(zero_sized(self.len)),
            Some(memory) => match memory.unregister(op)?.downcast::<Vec<T>>() {
                Ok(vec) => Ok(*vec),
                Err(_) => Err(error::invalid(op, "the buffer was made for another type")),
            },
        }
    }
}

/// `len` elements that have no bytes.
fn zero_sized<T>(len: usize) -> Vec<T> {
    let mut vec = Vec::new();
    if size_of::<T>() == 0 {
        // SAFETY: elements of size zero need no memory, and such a buffer held `len` of them.
        unsafe { vec.set_len(len) };
    }
    vec
}
