//! What a kernel of this crate may be given: a whole buffer or a view.

use icffi::abi::{Bound, InBufferDesc, OutBufferDesc};
use icffi::memory::{DeviceBuffer, DeviceSlice, DeviceSliceMut};
use icffi::stream::Stream;

mod sealed {
    pub trait Sealed {}
    impl<T> Sealed for super::DeviceBuffer<T> {}
    impl<T> Sealed for super::DeviceSlice<'_, T> {}
    impl<T> Sealed for super::DeviceSliceMut<'_, T> {}
}

/// Device memory that a kernel reads: [`DeviceBuffer`], [`DeviceSlice`], [`DeviceSliceMut`].
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let x = DeviceBuffer::from_slice_sync(&stream, &[1.0f32, 2.0, 3.0, 4.0])?;
/// assert_eq!(icffi_kernels::sum(&stream, &x)?, 10.0);
/// assert_eq!(icffi_kernels::sum(&stream, &x.slice(1..3))?, 5.0);
/// # Ok::<(), IcffiError>(())
/// ```
pub trait Input<T>: sealed::Sealed {
    /// How many elements there are.
    fn elements(&self) -> usize;

    /// The descriptor for a launch on `stream`, ordered behind whatever writes the memory now.
    ///
    /// # Errors
    /// As [`DeviceBuffer::input`].
    fn bind<'b>(&'b self, stream: &'b Stream) -> icffi::Result<Bound<'b, InBufferDesc<T>>>;
}

/// Device memory that a kernel writes: [`DeviceBuffer`], [`DeviceSliceMut`].
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let mut y = DeviceBuffer::<i32>::zeros(4)?;
/// icffi_kernels::fill(&stream, &mut y.slice_mut(1..3), 7)?;
/// assert_eq!(y.to_vec(&stream)?, [0, 7, 7, 0]);
/// # Ok::<(), IcffiError>(())
/// ```
pub trait Output<T>: Input<T> {
    /// The descriptor for a launch on `stream`, ordered behind every earlier use.
    ///
    /// # Errors
    /// As [`DeviceBuffer::output`].
    fn bind_mut<'b>(&'b mut self, stream: &'b Stream)
    -> icffi::Result<Bound<'b, OutBufferDesc<T>>>;
}

macro_rules! memory {
    ($trait:ident: $($type:ty),*) => { $(memory!(@ $trait $type);)* };
    (@ Input $type:ty) => {
        impl<T> Input<T> for $type {
            fn elements(&self) -> usize {
                self.len()
            }

            #[track_caller]
            fn bind<'b>(&'b self, stream: &'b Stream) -> icffi::Result<Bound<'b, InBufferDesc<T>>> {
                self.input(stream)
            }
        }
    };
    (@ Output $type:ty) => {
        impl<T> Output<T> for $type {
            #[track_caller]
            fn bind_mut<'b>(
                &'b mut self,
                stream: &'b Stream,
            ) -> icffi::Result<Bound<'b, OutBufferDesc<T>>> {
                self.output(stream)
            }
        }
    };
}

memory!(Input: DeviceBuffer<T>, DeviceSlice<'_, T>, DeviceSliceMut<'_, T>);
memory!(Output: DeviceBuffer<T>, DeviceSliceMut<'_, T>);
