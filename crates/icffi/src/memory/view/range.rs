//! Parts of buffers and parts of views.

use super::{DeviceSlice, DeviceSliceMut};
use crate::error::{self, Result};
use crate::memory::DeviceBuffer;
use crate::memory::part::Part;
use crate::op::Op;
use std::ops::{Bound, Range, RangeBounds};

/// The bounds as a range within `len`, or what is wrong with them.
fn resolve(
    range: impl RangeBounds<usize>,
    len: usize,
) -> std::result::Result<Range<usize>, String> {
    let start = match range.start_bound() {
        Bound::Included(&start) => Some(start),
        Bound::Excluded(&start) => start.checked_add(1),
        Bound::Unbounded => Some(0),
    };
    let end = match range.end_bound() {
        Bound::Included(&end) => end.checked_add(1),
        Bound::Excluded(&end) => Some(end),
        Bound::Unbounded => Some(len),
    };
    match (start, end) {
        (Some(start), Some(end)) if start <= end && end <= len => Ok(start..end),
        (Some(start), Some(end)) => Err(format!(
            "elements {start}..{end} of a buffer of {len} elements"
        )),
        _ => Err(format!(
            "a range beyond usize::MAX of a buffer of {len} elements"
        )),
    }
}

#[track_caller]
fn sub<'a, T>(part: Part<'a, T>, range: impl RangeBounds<usize>) -> Part<'a, T> {
    match resolve(range, part.len()) {
        Ok(range) => part.sub(range),
        Err(wrong) => panic!("range out of bounds: {wrong}"),
    }
}

fn try_sub<'a, T>(
    op: Op,
    part: Part<'a, T>,
    range: impl RangeBounds<usize>,
) -> Result<Part<'a, T>> {
    match resolve(range, part.len()) {
        Ok(range) => Ok(part.sub(range)),
        Err(wrong) => Err(error::invalid(op, wrong)),
    }
}

#[track_caller]
fn split<'a, T>(part: Part<'a, T>, mid: usize) -> (Part<'a, T>, Part<'a, T>) {
    (sub(part, ..mid), sub(part, mid..))
}

#[track_caller]
fn pieces<'a, T: 'a>(part: Part<'a, T>, size: usize) -> impl Iterator<Item = Part<'a, T>> {
    assert!(size > 0, "chunks of 0 elements");
    let len = part.len();
    (0..len.div_ceil(size)).map(move |i| {
        let start = i * size;
        part.sub(start..start + size.min(len - start))
    })
}

macro_rules! shared {
    ($name:literal; $($head:tt)*) => {
        $($head)* {
            /// The elements of `range` for reading.
            ///
            /// # Panics
            /// If the range does not lie within; see [`try_slice`](Self::try_slice).
            #[must_use]
            #[track_caller]
            pub fn slice(&self, range: impl RangeBounds<usize>) -> DeviceSlice<'_, T> {
                DeviceSlice::new(sub(self.part(), range))
            }

            /// [`slice`](Self::slice) with an error instead of a panic.
            ///
            /// # Errors
            /// `INVALID_ARGUMENT` with the range and the length.
            #[track_caller]
            pub fn try_slice(&self, range: impl RangeBounds<usize>) -> Result<DeviceSlice<'_, T>> {
                let op = Op::new(concat!($name, "::try_slice"));
                try_sub(op, self.part(), range).map(DeviceSlice::new)
            }

            /// The first `mid` elements and the rest, for reading.
            ///
            /// # Panics
            /// If there are fewer than `mid` elements.
            #[must_use]
            #[track_caller]
            pub fn split_at(&self, mid: usize) -> (DeviceSlice<'_, T>, DeviceSlice<'_, T>) {
                let (low, high) = split(self.part(), mid);
                (DeviceSlice::new(low), DeviceSlice::new(high))
            }

            /// Pieces of `size` elements for reading, the last one shorter if need be.
            ///
            /// # Panics
            /// If `size` is 0.
            #[track_caller]
            pub fn chunks(&self, size: usize) -> impl Iterator<Item = DeviceSlice<'_, T>> {
                pieces(self.part(), size).map(DeviceSlice::new)
            }
        }
    };
}

macro_rules! exclusive {
    ($name:literal; $($head:tt)*) => {
        $($head)* {
            /// The elements of `range` for writing.
            ///
            /// # Panics
            /// If the range does not lie within; see [`try_slice_mut`](Self::try_slice_mut).
            #[must_use]
            #[track_caller]
            pub fn slice_mut(&mut self, range: impl RangeBounds<usize>) -> DeviceSliceMut<'_, T> {
                DeviceSliceMut::new(sub(self.part(), range))
            }

            /// [`slice_mut`](Self::slice_mut) with an error instead of a panic.
            ///
            /// # Errors
            /// `INVALID_ARGUMENT` with the range and the length.
            #[track_caller]
            pub fn try_slice_mut(
                &mut self,
                range: impl RangeBounds<usize>,
            ) -> Result<DeviceSliceMut<'_, T>> {
                let op = Op::new(concat!($name, "::try_slice_mut"));
                try_sub(op, self.part(), range).map(DeviceSliceMut::new)
            }

            /// The first `mid` elements and the rest, both for writing. Work on the one does not
            /// wait for work on the other.
            ///
            /// # Panics
            /// If there are fewer than `mid` elements.
            #[must_use]
            #[track_caller]
            pub fn split_at_mut(
                &mut self,
                mid: usize,
            ) -> (DeviceSliceMut<'_, T>, DeviceSliceMut<'_, T>) {
                let (low, high) = split(self.part(), mid);
                (DeviceSliceMut::new(low), DeviceSliceMut::new(high))
            }

            /// Pieces of `size` elements for writing, the last one shorter if need be.
            ///
            /// # Panics
            /// If `size` is 0.
            #[track_caller]
            pub fn chunks_mut(&mut self, size: usize) -> impl Iterator<Item = DeviceSliceMut<'_, T>> {
                pieces(self.part(), size).map(DeviceSliceMut::new)
            }
        }
    };
}

impl<T> DeviceSlice<'_, T> {
    fn part(&self) -> Part<'_, T> {
        self.part
    }
}

impl<T> DeviceSliceMut<'_, T> {
    fn part(&self) -> Part<'_, T> {
        self.part
    }
}

shared! { "DeviceBuffer"; impl<T> DeviceBuffer<T> }
shared! { "DeviceSlice"; impl<T> DeviceSlice<'_, T> }
shared! { "DeviceSliceMut"; impl<T> DeviceSliceMut<'_, T> }
exclusive! { "DeviceBuffer"; impl<T> DeviceBuffer<T> }
exclusive! { "DeviceSliceMut"; impl<T> DeviceSliceMut<'_, T> }
