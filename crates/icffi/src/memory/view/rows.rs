//! Two-dimensional parts of a buffer: rows of elements with a distance between them.
#![allow(unsafe_code)]

use super::{DeviceSlice, DeviceSliceMut};
use crate::error::{self, Result};
use crate::event;
use crate::memory::device_copy::NOT_WAITED_FOR;
use crate::memory::part::{Part, Region};
use crate::op::Op;
use crate::ordering::Mode;
use crate::stream::Stream;
use crate::{device, rt, staging};
use bytemuck::{AnyBitPattern, NoUninit};
use icffi_sys::cudaMemcpyKind;
use std::cell::Cell;
use std::marker::PhantomData;

/// `height` rows of `width` elements, `pitch` elements from one row's start to the next one's.
///
/// # Invariants
/// 1. `width <= pitch`, and the last row ends within `part`.
#[derive(Clone, Copy)]
struct Rows<'a, T> {
    part: Part<'a, T>,
    width: usize,
    height: usize,
    pitch: usize,
}

/// Rows of device memory, borrowed for reading. `Copy`.
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// // A picture of 3 x 2 whose rows are 4 apart.
/// let picture = DeviceBuffer::from_slice_sync(&stream, &[1u8, 2, 3, 0, 4, 5, 6, 0])?;
/// let rows = picture.as_view().rows(3, 2, 4)?;
/// assert_eq!(rows.to_vec(&stream)?, [1, 2, 3, 4, 5, 6]);
/// # Ok::<(), IcffiError>(())
/// ```
#[derive(Clone, Copy)]
pub struct DeviceRows<'a, T> {
    rows: Rows<'a, T>,
    _borrow: PhantomData<(&'a [T], Cell<()>)>,
}

/// Rows of device memory, borrowed for writing.
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let mut target = DeviceBuffer::<u8>::zeros(8)?;
/// target.as_view_mut().rows_mut(3, 2, 4)?.copy_from_host_sync(&stream, &[1, 2, 3, 4, 5, 6])?;
/// assert_eq!(target.to_vec(&stream)?, [1, 2, 3, 0, 4, 5, 6, 0]);
/// # Ok::<(), IcffiError>(())
/// ```
pub struct DeviceRowsMut<'a, T> {
    rows: Rows<'a, T>,
    _borrow: PhantomData<(&'a mut [T], Cell<()>)>,
}

impl<'a, T> Rows<'a, T> {
    fn new(op: Op, part: Part<'a, T>, width: usize, height: usize, pitch: usize) -> Result<Self> {
        let needed = match height {
            0 => Some(0),
            _ => (height - 1)
                .checked_mul(pitch)
                .and_then(|n| n.checked_add(width)),
        };
        // Of one row the pitch means nothing, and may be anything.
        let pitch = if height <= 1 { width } else { pitch };
        if width > pitch || needed.is_none_or(|n| n > part.len()) {
            return Err(error::invalid(
                op,
                format!(
                    "{height} rows of {width} elements, {pitch} apart, in {} elements",
                    part.len()
                ),
            ));
        }
        // No more than the rows span, so that work beside them need not wait.
        Ok(Self {
            part: part.sub(0..needed.unwrap_or(0)),
            width,
            height,
            pitch,
        })
    }

    /// The memory, and (width, pitch) in bytes, if there are bytes.
    fn region(&self) -> Option<(Region<'a>, usize, usize)> {
        let element = size_of::<T>();
        if self.width == 0 || self.height == 0 {
            return None;
        }
        self.part
            .region()
            .map(|r| (r, self.width * element, self.pitch * element))
    }

    fn check_host(&self, op: Op, len: usize, name: &str) -> Result<()> {
        if len == self.width * self.height {
            return Ok(());
        }
        Err(error::length_mismatch(
            op,
            ("rows", self.width * self.height),
            (name, len),
        ))
    }
}

impl<T: AnyBitPattern> Rows<'_, T> {
    /// # Safety
    /// `target` is valid for writes of `width * height` elements.
    unsafe fn download(self, op: Op, stream: &Stream, target: *mut T) -> Result<()> {
        let Some((region, width, pitch)) = self.region() else {
            return Ok(());
        };
        region.check_stream(op, stream)?;
        stream.refuse_host_memory(op)?;
        let _current = device::enter(op, region.device())?;
        let _access = region.acquire(op, stream, Mode::Read)?;
        let rows = staging::Rows {
            width,
            height: self.height,
            pitch,
        };
        // SAFETY: the target by the caller's contract; the region is live, spans the rows
        // (invariant 1), and is kept alive and in order by its tracker.
        unsafe { staging::download_rows(op, target.cast(), region.ptr(), rows, stream) }
    }

    fn to_vec(self, op: Op, stream: &Stream) -> Result<Vec<T>> {
        let len = self.width * self.height;
        let mut vec = Vec::with_capacity(len);
        // SAFETY: the vector has room for `len` elements.
        unsafe { self.download(op, stream, vec.as_mut_ptr()) }?;
        // SAFETY: all have been written, or are of size zero; any bits make a `T`.
        unsafe { vec.set_len(len) };
        Ok(vec)
    }
}

impl<'a, T> DeviceSlice<'a, T> {
    /// `height` rows of `width` elements, each starting `pitch` elements after the one before.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if the rows overlap or the last one ends beyond the view.
    #[track_caller]
    pub fn rows(self, width: usize, height: usize, pitch: usize) -> Result<DeviceRows<'a, T>> {
        let rows = Rows::new(
            Op::new("DeviceSlice::rows"),
            self.part,
            width,
            height,
            pitch,
        )?;
        Ok(DeviceRows {
            rows,
            _borrow: PhantomData,
        })
    }
}

impl<'a, T> DeviceSliceMut<'a, T> {
    /// As [`DeviceSlice::rows`], for writing. The elements between the rows stay as they are.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn rows_mut(
        self,
        width: usize,
        height: usize,
        pitch: usize,
    ) -> Result<DeviceRowsMut<'a, T>> {
        let rows = Rows::new(
            Op::new("DeviceSliceMut::rows_mut"),
            self.part,
            width,
            height,
            pitch,
        )?;
        Ok(DeviceRowsMut {
            rows,
            _borrow: PhantomData,
        })
    }
}

impl<T: AnyBitPattern> DeviceRows<'_, T> {
    /// Copies the rows to `target`, one after the other without gaps. Blocks the CPU until it is
    /// complete. `cudaMemcpy2DAsync` to staging memory.
    ///
    /// # Errors
    /// `LENGTH_MISMATCH`, `DEVICE_MISMATCH`; what the copy failed with.
    #[track_caller]
    pub fn copy_to_host_sync(&self, stream: &Stream, target: &mut [T]) -> Result<()> {
        let op = Op::new("DeviceRows::copy_to_host_sync");
        self.rows.check_host(op, target.len(), "target slice")?;
        // SAFETY: the slice is as long as the rows (checked) and borrowed for the call.
        unsafe { self.rows.download(op, stream, target.as_mut_ptr()) }
    }

    /// The rows in new host memory, one after the other without gaps. Blocks the CPU.
    ///
    /// # Errors
    /// As [`copy_to_host_sync`](Self::copy_to_host_sync).
    #[track_caller]
    pub fn to_vec(&self, stream: &Stream) -> Result<Vec<T>> {
        self.rows.to_vec(Op::new("DeviceRows::to_vec"), stream)
    }
}

impl<T: NoUninit> DeviceRowsMut<'_, T> {
    /// Overwrites the rows with `source`, which has them without gaps. Blocks the CPU until it is
    /// complete. `cudaMemcpy2DAsync` from staging memory.
    ///
    /// # Errors
    /// `LENGTH_MISMATCH`, `DEVICE_MISMATCH`; what the copy failed with.
    #[track_caller]
    pub fn copy_from_host_sync(&mut self, stream: &Stream, source: &[T]) -> Result<()> {
        let op = Op::new("DeviceRowsMut::copy_from_host_sync");
        self.rows.check_host(op, source.len(), "source slice")?;
        let Some((region, width, pitch)) = self.rows.region() else {
            return Ok(());
        };
        region.check_stream(op, stream)?;
        stream.refuse_host_memory(op)?;
        let _current = device::enter(op, region.device())?;
        let mut access = region.acquire(op, stream, Mode::Write)?;
        let rows = staging::Rows {
            width,
            height: self.rows.height,
            pitch,
        };
        // SAFETY: the slice is as long as the rows (checked) and has no padding; the region is
        // live, spans the rows, and is kept alive and in order by its tracker.
        let event = unsafe {
            staging::upload_rows(op, region.ptr(), source.as_ptr().cast(), rows, stream)
        }?;
        access.mark(&event);
        event.handle().synchronize(op)
    }
}

impl<T: Copy + 'static> DeviceRowsMut<'_, T> {
    /// Overwrites the rows with those of `source`, of the same width and height. Does not block.
    /// `cudaMemcpy2DAsync`.
    ///
    /// # Errors
    /// `LENGTH_MISMATCH` if width or height differ; `DEVICE_MISMATCH`; what the call reports.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let picture = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3, 4, 5, 6, 7, 8, 9])?;
    /// let mut corner = DeviceBuffer::<i32>::zeros(4)?;
    /// let from = picture.slice(4..);
    /// let from = from.rows(2, 2, 3)?;
    /// corner.as_view_mut().rows_mut(2, 2, 2)?.copy_from_rows_async(&stream, &from)?;
    /// assert_eq!(corner.to_vec(&stream)?, [5, 6, 8, 9]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn copy_from_rows_async(
        &mut self,
        stream: &Stream,
        source: &DeviceRows<'_, T>,
    ) -> Result<()> {
        self.copy_in(
            Op::new("DeviceRowsMut::copy_from_rows_async"),
            stream,
            source,
        )
    }

    fn copy_in(&self, op: Op, stream: &Stream, source: &DeviceRows<'_, T>) -> Result<()> {
        let (to, from) = (&self.rows, &source.rows);
        if (to.width, to.height) != (from.width, from.height) {
            return Err(error::length_mismatch(
                op,
                (
                    &format!("target of {} x {}", to.width, to.height),
                    to.width * to.height,
                ),
                (
                    &format!("source of {} x {}", from.width, from.height),
                    from.width * from.height,
                ),
            ));
        }
        let (Some((target, width, target_pitch)), Some((origin, _, origin_pitch))) =
            (to.region(), from.region())
        else {
            return Ok(());
        };
        target.check_stream(op, stream)?;
        origin.check_stream(op, stream)?;
        let _current = device::enter(op, target.device())?;
        let _reading = origin.acquire(op, stream, Mode::Read)?;
        let _writing = target.acquire(op, stream, Mode::Write)?;
        // SAFETY: both are live, span their rows (invariant 1), disjoint (one is borrowed
        // exclusively), kept alive and in order by their trackers.
        unsafe {
            rt::memcpy_2d_async(
                op,
                (target.ptr(), target_pitch),
                (origin.ptr(), origin_pitch),
                width,
                to.height,
                cudaMemcpyKind::cudaMemcpyDeviceToDevice,
                stream.raw(),
            )
        }
    }

    /// [`copy_from_rows_async`](Self::copy_from_rows_async), complete on return. Blocks the CPU.
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn copy_from_rows_sync(
        &mut self,
        stream: &Stream,
        source: &DeviceRows<'_, T>,
    ) -> Result<()> {
        let op = Op::new("DeviceRowsMut::copy_from_rows_sync");
        stream.refuse_capture(op, NOT_WAITED_FOR)?;
        self.copy_in(op, stream, source)?;
        event::record(op, stream, 0)?.handle().synchronize(op)
    }
}

macro_rules! common {
    ($view:ident) => {
        impl<T> $view<'_, T> {
            /// Elements of a row.
            #[must_use]
            pub fn width(&self) -> usize {
                self.rows.width
            }

            /// How many rows.
            #[must_use]
            pub fn height(&self) -> usize {
                self.rows.height
            }

            /// Elements from the start of one row to the start of the next.
            #[must_use]
            pub fn pitch(&self) -> usize {
                self.rows.pitch
            }
        }

        impl<T> std::fmt::Debug for $view<'_, T> {
            fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                f.debug_struct(stringify!($view))
                    .field("ptr", &self.rows.part.ptr())
                    .field("width", &self.width())
                    .field("height", &self.height())
                    .field("pitch", &self.pitch())
                    .finish()
            }
        }
    };
}
common!(DeviceRows);
common!(DeviceRowsMut);
