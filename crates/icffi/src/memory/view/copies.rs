//! Every operation of a buffer, on views.

use super::{DeviceSlice, DeviceSliceMut};
use crate::abi::{Bound, InBufferDesc, OutBufferDesc};
use crate::error::Result;
use crate::host_memory::{HostAllocFlags, HostBuffer};
use crate::memory::pinned::Marking;
use crate::op::Op;
use crate::ordering::Mode;
use crate::stream::Stream;
use crate::transfer::Transfer;
use bytemuck::{AnyBitPattern, NoUninit};

macro_rules! reads {
    ($view:ident, $name:literal) => {
        impl<T: AnyBitPattern> $view<'_, T> {
            #[doc = "[`DeviceBuffer::copy_to_host_sync`](crate::memory::DeviceBuffer::copy_to_host_sync) of these elements."]
            ///
            /// # Errors
            /// As there.
            #[track_caller]
            pub fn copy_to_host_sync(&self, stream: &Stream, target: &mut [T]) -> Result<()> {
                let op = Op::new(concat!($name, "::copy_to_host_sync"));
                self.part.download_and_wait(op, stream, target)
            }

            #[doc = "[`DeviceBuffer::copy_to_host_guarded`](crate::memory::DeviceBuffer::copy_to_host_guarded) of these elements."]
            ///
            /// # Errors
            /// As there.
            #[track_caller]
            pub fn copy_to_host_guarded<'h>(
                &self,
                stream: &Stream,
                target: &'h mut [T],
            ) -> Result<Transfer<'h, T>> {
                let op = Op::new(concat!($name, "::copy_to_host_guarded"));
                self.part.download_guarded(op, stream, target)
            }

            #[doc = "[`DeviceBuffer::copy_to_host_async`](crate::memory::DeviceBuffer::copy_to_host_async) of these elements."]
            ///
            /// # Safety
            /// As there.
            ///
            /// # Errors
            /// As there.
            #[track_caller]
            #[expect(unsafe_code, reason = "forwards its contract")]
            pub unsafe fn copy_to_host_async(&self, stream: &Stream, target: &mut [T]) -> Result<()> {
                let op = Op::new(concat!($name, "::copy_to_host_async"));
                // SAFETY: the caller's contract.
                unsafe { self.part.download_unguarded(op, stream, target) }
            }

            #[doc = "[`DeviceBuffer::to_vec`](crate::memory::DeviceBuffer::to_vec) of these elements."]
            ///
            /// # Errors
            /// As there.
            #[track_caller]
            pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>> {
                self.part.to_vec(Op::new(concat!($name, "::to_vec")), stream)
            }

            #[doc = "[`DeviceBuffer::copy_to_host_buffer_sync`](crate::memory::DeviceBuffer::copy_to_host_buffer_sync) of these elements."]
            ///
            /// # Errors
            /// As there.
            #[track_caller]
            pub fn copy_to_host_buffer_sync(
                &self,
                stream: &Stream,
                target: &mut HostBuffer<T>,
            ) -> Result<()> {
                let op = Op::new(concat!($name, "::copy_to_host_buffer_sync"));
                self.part.receive_and_wait(op, stream, target)
            }

            #[doc = "[`DeviceBuffer::copy_to_host_buffer_guarded`](crate::memory::DeviceBuffer::copy_to_host_buffer_guarded) of these elements."]
            ///
            /// # Errors
            /// As there.
            #[track_caller]
            pub fn copy_to_host_buffer_guarded<'h>(
                &self,
                stream: &Stream,
                target: &'h mut HostBuffer<T>,
            ) -> Result<Transfer<'h, T>> {
                let op = Op::new(concat!($name, "::copy_to_host_buffer_guarded"));
                self.part.receive_guarded(op, stream, target)
            }

            #[doc = "[`DeviceBuffer::copy_to_host_buffer_async`](crate::memory::DeviceBuffer::copy_to_host_buffer_async) of these elements."]
            ///
            /// # Safety
            /// As there.
            ///
            /// # Errors
            /// As there.
            #[track_caller]
            #[expect(unsafe_code, reason = "forwards its contract")]
            pub unsafe fn copy_to_host_buffer_async(
                &self,
                stream: &Stream,
                target: &mut HostBuffer<T>,
            ) -> Result<()> {
                let op = Op::new(concat!($name, "::copy_to_host_buffer_async"));
                self.part.receive(op, stream, target, Marking::None).map(drop)
            }

            #[doc = "[`DeviceBuffer::to_host_buffer`](crate::memory::DeviceBuffer::to_host_buffer) of these elements."]
            ///
            /// # Errors
            /// As there.
            #[track_caller]
            pub fn to_host_buffer(&self, stream: &Stream) -> Result<HostBuffer<T>> {
                let op = Op::new(concat!($name, "::to_host_buffer"));
                let mut target = HostBuffer::uninit_in(op, self.len(), HostAllocFlags::DEFAULT)?;
                self.part.receive_and_wait(op, stream, &mut target)?;
                Ok(target)
            }
        }

        impl<T> $view<'_, T> {
            #[doc = "[`DeviceBuffer::input`](crate::memory::DeviceBuffer::input) of these elements."]
            ///
            /// # Errors
            /// As there.
            #[track_caller]
            pub fn input<'b>(&'b self, stream: &'b Stream) -> Result<Bound<'b, InBufferDesc<T>>> {
                let access =
                    self.part.lend(Op::new(concat!($name, "::input")), stream, Mode::Read)?;
                Ok(Bound::new(self.as_in(), access))
            }
        }
    };
}

reads!(DeviceSlice, "DeviceSlice");
reads!(DeviceSliceMut, "DeviceSliceMut");

impl<T: NoUninit> DeviceSliceMut<'_, T> {
    /// [`DeviceBuffer::copy_from_host_sync`](crate::memory::DeviceBuffer::copy_from_host_sync)
    /// into these elements.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn copy_from_host_sync(&mut self, stream: &Stream, source: &[T]) -> Result<()> {
        let op = Op::new("DeviceSliceMut::copy_from_host_sync");
        self.part.upload_and_wait(op, stream, source)
    }

    /// [`DeviceBuffer::copy_from_host_guarded`](crate::memory::DeviceBuffer::copy_from_host_guarded)
    /// into these elements.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn copy_from_host_guarded<'h>(
        &mut self,
        stream: &Stream,
        source: &'h [T],
    ) -> Result<Transfer<'h, T>> {
        let op = Op::new("DeviceSliceMut::copy_from_host_guarded");
        self.part.upload_guarded(op, stream, source)
    }

    /// [`DeviceBuffer::copy_from_host_async`](crate::memory::DeviceBuffer::copy_from_host_async)
    /// into these elements.
    ///
    /// # Safety
    /// As there.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    #[expect(unsafe_code, reason = "forwards its contract")]
    pub unsafe fn copy_from_host_async(&mut self, stream: &Stream, source: &[T]) -> Result<()> {
        let op = Op::new("DeviceSliceMut::copy_from_host_async");
        // SAFETY: the caller's contract.
        unsafe { self.part.upload_unguarded(op, stream, source) }
    }

    /// [`DeviceBuffer::copy_from_host_buffer_sync`](crate::memory::DeviceBuffer::copy_from_host_buffer_sync)
    /// into these elements.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn copy_from_host_buffer_sync(
        &mut self,
        stream: &Stream,
        source: &HostBuffer<T>,
    ) -> Result<()> {
        let op = Op::new("DeviceSliceMut::copy_from_host_buffer_sync");
        self.part.send_and_wait(op, stream, source)
    }

    /// [`DeviceBuffer::copy_from_host_buffer_guarded`](crate::memory::DeviceBuffer::copy_from_host_buffer_guarded)
    /// into these elements.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn copy_from_host_buffer_guarded<'h>(
        &mut self,
        stream: &Stream,
        source: &'h HostBuffer<T>,
    ) -> Result<Transfer<'h, T>> {
        let op = Op::new("DeviceSliceMut::copy_from_host_buffer_guarded");
        self.part.send_guarded(op, stream, source)
    }

    /// [`DeviceBuffer::copy_from_host_buffer_async`](crate::memory::DeviceBuffer::copy_from_host_buffer_async)
    /// into these elements.
    ///
    /// # Safety
    /// As there.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    #[expect(unsafe_code, reason = "forwards its contract")]
    pub unsafe fn copy_from_host_buffer_async(
        &mut self,
        stream: &Stream,
        source: &HostBuffer<T>,
    ) -> Result<()> {
        let op = Op::new("DeviceSliceMut::copy_from_host_buffer_async");
        self.part.send(op, stream, source, Marking::None).map(drop)
    }

    /// [`DeviceBuffer::fill`](crate::memory::DeviceBuffer::fill) of these elements.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn fill(&mut self, stream: &Stream, value: T) -> Result<()> {
        self.part
            .fill(Op::new("DeviceSliceMut::fill"), stream, value)
    }
}

impl<T: Copy + 'static> DeviceSliceMut<'_, T> {
    /// [`DeviceBuffer::copy_from_device_async`](crate::memory::DeviceBuffer::copy_from_device_async)
    /// into these elements, from another view.
    ///
    /// # Errors
    /// As there.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let mut x = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3, 4])?;
    /// let (low, mut high) = x.split_at_mut(2);
    /// high.copy_from_device_async(&stream, &low.as_view())?;
    /// assert_eq!(x.to_vec(&stream)?, [1, 2, 1, 2]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn copy_from_device_async(
        &mut self,
        stream: &Stream,
        source: &DeviceSlice<'_, T>,
    ) -> Result<()> {
        let op = Op::new("DeviceSliceMut::copy_from_device_async");
        self.part.copy_in(op, stream, source.part)
    }

    /// [`DeviceBuffer::copy_from_device_sync`](crate::memory::DeviceBuffer::copy_from_device_sync)
    /// into these elements, from another view.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn copy_from_device_sync(
        &mut self,
        stream: &Stream,
        source: &DeviceSlice<'_, T>,
    ) -> Result<()> {
        let op = Op::new("DeviceSliceMut::copy_from_device_sync");
        self.part.copy_in_and_wait(op, stream, source.part)
    }
}

impl<T> DeviceSliceMut<'_, T> {
    /// [`DeviceBuffer::output`](crate::memory::DeviceBuffer::output) of these elements.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn output<'b>(&'b mut self, stream: &'b Stream) -> Result<Bound<'b, OutBufferDesc<T>>> {
        let desc = self.as_out();
        let access = self
            .part
            .lend(Op::new("DeviceSliceMut::output"), stream, Mode::Write)?;
        Ok(Bound::new(desc, access))
    }
}
