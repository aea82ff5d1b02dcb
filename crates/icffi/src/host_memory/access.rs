//! The host's side of pinned memory: every look waits for what the device still does with it.
#![allow(unsafe_code)]

use super::{HostAllocFlags, HostBuffer, Pinned};
use crate::error::{self, IcffiError, Result};
use crate::op::Op;
use crate::ordering::Mode;
use std::ffi::c_void;
use std::ops::{Deref, DerefMut};

impl<T: Copy + 'static> HostBuffer<T> {
    /// Its elements. Blocks the CPU while a transfer is writing it.
    ///
    /// # Panics
    /// If that transfer failed, with CUDA's error: memory whose state is unknown is not handed
    /// out. [`try_as_slice`](Self::try_as_slice) returns the error instead.
    #[must_use]
    #[track_caller]
    pub fn as_slice(&self) -> &[T] {
        // No closure: its panic would be placed here and not at the caller's line.
        match self.read(Op::new("HostBuffer::as_slice")) {
            Ok(slice) => slice,
            Err(e) => refuse(e),
        }
    }

    /// Its elements, for writing. Blocks the CPU while any transfer uses it.
    ///
    /// # Panics
    /// As [`as_slice`](Self::as_slice).
    #[track_caller]
    pub fn as_mut_slice(&mut self) -> &mut [T] {
        match self.write(Op::new("HostBuffer::as_mut_slice")) {
            Ok(slice) => slice,
            Err(e) => refuse(e),
        }
    }

    /// [`as_slice`](Self::as_slice) with the error returned.
    ///
    /// # Errors
    /// What the transfer failed with, or an earlier fault of the device.
    ///
    /// ```
    /// use icffi::host_memory::HostBuffer;
    /// assert_eq!(HostBuffer::from_slice(&[1, 2])?.try_as_slice()?, [1, 2]);
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    #[track_caller]
    pub fn try_as_slice(&self) -> Result<&[T]> {
        self.read(Op::new("HostBuffer::try_as_slice"))
    }

    /// [`as_mut_slice`](Self::as_mut_slice) with the error returned.
    ///
    /// # Errors
    /// As [`try_as_slice`](Self::try_as_slice).
    #[track_caller]
    pub fn try_as_mut_slice(&mut self) -> Result<&mut [T]> {
        self.write(Op::new("HostBuffer::try_as_mut_slice"))
    }

    /// Overwrites all elements with those of `source`. Blocks the CPU while any transfer uses
    /// the buffer.
    ///
    /// # Errors
    /// `LENGTH_MISMATCH`; as [`try_as_slice`](Self::try_as_slice).
    ///
    /// ```
    /// use icffi::host_memory::HostBuffer;
    /// let mut buffer = HostBuffer::<u8>::alloc_zeroed(2)?;
    /// buffer.copy_from_slice(&[1, 2])?;
    /// assert_eq!(buffer.as_slice(), [1, 2]);
    /// assert!(buffer.copy_from_slice(&[1, 2, 3]).is_err());
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    #[track_caller]
    pub fn copy_from_slice(&mut self, source: &[T]) -> Result<()> {
        let op = Op::new("HostBuffer::copy_from_slice");
        if source.len() != self.len {
            return Err(error::length_mismatch(
                op,
                ("pinned buffer", self.len),
                ("source slice", source.len()),
            ));
        }
        self.write(op)?.copy_from_slice(source);
        Ok(())
    }

    /// Copies all elements to `target`. Blocks the CPU while a transfer is writing the buffer.
    ///
    /// # Errors
    /// `LENGTH_MISMATCH`; as [`try_as_slice`](Self::try_as_slice).
    ///
    /// ```
    /// use icffi::host_memory::HostBuffer;
    /// let mut target = [0; 3];
    /// HostBuffer::from_slice(&[1, 2, 3])?.copy_to_slice(&mut target)?;
    /// assert_eq!(target, [1, 2, 3]);
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    #[track_caller]
    pub fn copy_to_slice(&self, target: &mut [T]) -> Result<()> {
        let op = Op::new("HostBuffer::copy_to_slice");
        if target.len() != self.len {
            return Err(error::length_mismatch(
                op,
                ("pinned buffer", self.len),
                ("target slice", target.len()),
            ));
        }
        target.copy_from_slice(self.read(op)?);
        Ok(())
    }

    /// Its elements in ordinary memory. Blocks the CPU while a transfer is writing the buffer.
    ///
    /// # Errors
    /// As [`try_as_slice`](Self::try_as_slice).
    ///
    /// ```
    /// use icffi::host_memory::HostBuffer;
    /// assert_eq!(HostBuffer::from_slice(&[1, 2, 3])?.to_vec()?, [1, 2, 3]);
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    #[track_caller]
    pub fn to_vec(&self) -> Result<Vec<T>> {
        Ok(self.read(Op::new("HostBuffer::to_vec"))?.to_vec())
    }

    /// The address at which kernels of the current device reach this buffer, which has to be
    /// [`HostAllocFlags::MAPPED`]. `cudaHostGetDevicePointer`. What a kernel does through it is
    /// not tracked: wait for that kernel yourself before you look.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if the buffer is not mapped; what the call reports.
    ///
    /// ```
    /// use icffi::host_memory::{HostAllocFlags, HostBuffer};
    /// let mut mapped = HostBuffer::<f32>::alloc_zeroed_with_flags(8, HostAllocFlags::MAPPED)?;
    /// assert!(!mapped.device_ptr()?.is_null());
    /// assert!(HostBuffer::<f32>::alloc_zeroed(8)?.device_ptr().is_err());
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    #[track_caller]
    pub fn device_ptr(&mut self) -> Result<*mut T> {
        let op = Op::new("HostBuffer::device_ptr");
        match &self.memory {
            None => Ok(std::ptr::dangling_mut()),
            Some(memory) if memory.flags().contains(HostAllocFlags::MAPPED) => {
                memory.device_ptr(op).map(<*mut c_void>::cast)
            }
            Some(_) => Err(error::invalid(op, "the buffer was not made with MAPPED")),
        }
    }

    fn wait(&self, op: Op, mode: Mode) -> Result<()> {
        self.memory
            .as_ref()
            .map_or(Ok(()), |m: &Pinned| m.wait(op, mode))
    }

    fn read(&self, op: Op) -> Result<&[T]> {
        self.wait(op, Mode::Read)?;
        // SAFETY: `len` elements, initialised (a promise of whoever made the buffer without),
        // or dangling with none. No transfer writes now, and none can start while this borrow
        // lives: one that writes takes `&mut HostBuffer`.
        Ok(unsafe { std::slice::from_raw_parts(self.as_ptr(), self.len) })
    }

    fn write(&mut self, op: Op) -> Result<&mut [T]> {
        self.wait(op, Mode::Write)?;
        // SAFETY: as in `read`; no transfer uses it at all now, and none can start while this
        // exclusive borrow lives.
        Ok(unsafe { std::slice::from_raw_parts_mut(self.as_mut_ptr(), self.len) })
    }
}

#[cold]
#[track_caller]
fn refuse(error: IcffiError) -> ! {
    panic!("pinned memory is not readable: {error}")
}

impl<T: Copy + 'static> Deref for HostBuffer<T> {
    type Target = [T];

    /// [`as_slice`](HostBuffer::as_slice): may block, may panic.
    #[track_caller]
    fn deref(&self) -> &[T] {
        self.as_slice()
    }
}

impl<T: Copy + 'static> DerefMut for HostBuffer<T> {
    /// [`as_mut_slice`](HostBuffer::as_mut_slice): may block, may panic.
    #[track_caller]
    fn deref_mut(&mut self) -> &mut [T] {
        self.as_mut_slice()
    }
}
