//! Borrowed views of device memory: a range of a buffer, for reading or for writing.
//!
//! A view remembers its use in the buffer it is of, so a forgotten view loses nothing. Uses are
//! kept by byte range: disjoint views may be worked on by different streams at once and don't
//! wait for each other.

mod cast;
mod copies;
mod range;
mod rows;

pub use rows::{DeviceRows, DeviceRowsMut};

use super::DeviceBuffer;
use super::part::{Part, Region};
use crate::abi::{InBufferDesc, OutBufferDesc};
use crate::device::Device;
use std::cell::Cell;
use std::marker::PhantomData;

/// Elements of a [`DeviceBuffer`], borrowed for reading. `Copy`.
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let x = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3, 4])?;
/// let middle = x.slice(1..3);
/// assert_eq!(middle.to_vec(&stream)?, [2, 3]);
/// # Ok::<(), IcffiError>(())
/// ```
pub struct DeviceSlice<'a, T> {
    part: Part<'a, T>,
    _borrow: PhantomData<(&'a [T], Cell<()>)>,
}

/// Elements of a [`DeviceBuffer`], borrowed for writing.
///
/// ```
/// use icffi::prelude::*;
/// let (stream, other) = (Stream::new()?, Stream::new()?);
/// let mut x = DeviceBuffer::<i32>::zeros(4)?;
/// let (mut low, mut high) = x.split_at_mut(2);
/// low.fill(&stream, 1)?; // at the same time,
/// high.fill(&other, 2)?; // on two streams
/// assert_eq!(x.to_vec(&stream)?, [1, 1, 2, 2]);
/// # Ok::<(), IcffiError>(())
/// ```
pub struct DeviceSliceMut<'a, T> {
    part: Part<'a, T>,
    _borrow: PhantomData<(&'a mut [T], Cell<()>)>,
}

impl<T> Clone for DeviceSlice<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for DeviceSlice<'_, T> {}

impl<'a, T> DeviceSlice<'a, T> {
    pub(super) fn new(part: Part<'a, T>) -> Self {
        Self {
            part,
            _borrow: PhantomData,
        }
    }

    /// The raw descriptor of an input: registers no use, orders nothing.
    #[must_use]
    pub fn as_in(&self) -> InBufferDesc<T> {
        self.part.as_in()
    }
}

impl<'a, T> DeviceSliceMut<'a, T> {
    pub(super) fn new(part: Part<'a, T>) -> Self {
        Self {
            part,
            _borrow: PhantomData,
        }
    }

    /// The raw descriptor of an input: registers no use, orders nothing.
    #[must_use]
    pub fn as_in(&self) -> InBufferDesc<T> {
        self.part.as_in()
    }

    /// The raw descriptor of an output: registers no use, orders nothing.
    #[must_use]
    pub fn as_out(&mut self) -> OutBufferDesc<T> {
        self.part.as_out()
    }

    /// The device address, for writing. Dangling but aligned if there are no bytes.
    #[must_use]
    pub fn as_mut_ptr(&mut self) -> *mut T {
        self.part.ptr()
    }

    /// The same elements for reading, while `self` stays borrowed.
    #[must_use]
    pub fn as_view(&self) -> DeviceSlice<'_, T> {
        DeviceSlice::new(self.part)
    }
}

macro_rules! common {
    ($view:ident) => {
        impl<T> $view<'_, T> {
            /// The memory, for operations elsewhere in the crate.
            pub(crate) fn region(&self) -> Option<Region<'_>> {
                self.part.region()
            }

            /// The length in elements.
            #[must_use]
            pub fn len(&self) -> usize {
                self.part.len()
            }

            /// Whether there are no elements.
            #[must_use]
            pub fn is_empty(&self) -> bool {
                self.part.len() == 0
            }

            /// The size in bytes.
            #[must_use]
            pub fn size_bytes(&self) -> usize {
                self.part.bytes()
            }

            /// The device address. Dangling but aligned if there are no bytes.
            #[must_use]
            pub fn as_ptr(&self) -> *const T {
                self.part.ptr()
            }

            /// The device it is on.
            #[must_use]
            pub fn device(&self) -> Device {
                Device::from_ordinal(self.part.device())
            }
        }

        impl<T> std::fmt::Debug for $view<'_, T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                self.part.debug(stringify!($view), f)
            }
        }
    };
}
common!(DeviceSlice);
common!(DeviceSliceMut);

impl<T> DeviceBuffer<T> {
    /// All elements as a view for reading.
    #[must_use]
    pub fn as_view(&self) -> DeviceSlice<'_, T> {
        DeviceSlice::new(self.part())
    }

    /// All elements as a view for writing.
    #[must_use]
    pub fn as_view_mut(&mut self) -> DeviceSliceMut<'_, T> {
        DeviceSliceMut::new(self.part())
    }
}
