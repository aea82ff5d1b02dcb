//! Sums and products, element by element.

use icffi::Result;
use icffi::stream::Stream;

use crate::launch::{elementwise, launch, same_length};
use crate::{Arithmetic, Input, Output};

/// Multiplies every element by `factor`. Does not block. Integers wrap around.
///
/// # Errors
/// `DEVICE_MISMATCH`; what CUDA reports of the launch.
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let mut x = DeviceBuffer::from_slice_sync(&stream, &[1, 2, -3])?;
/// icffi_kernels::scale(&stream, 2, &mut x)?;
/// assert_eq!(x.to_vec(&stream)?, [2, 4, -6]);
/// # Ok::<(), IcffiError>(())
/// ```
#[track_caller]
pub fn scale<T: Arithmetic>(stream: &Stream, factor: T, x: &mut impl Output<T>) -> Result<()> {
    let n = x.elements();
    if n == 0 {
        return Ok(());
    }
    let x = x.bind_mut(stream)?;
    launch("scale", stream, elementwise(n, stream), |p| {
        // SAFETY: bound to this stream, and the kernel stays within the descriptor's length.
        unsafe { T::scale(p, x.desc(), factor) }
    })
}

/// `out = x + y`, element by element. Does not block. Integers wrap around.
///
/// # Errors
/// `LENGTH_MISMATCH`, before anything is enqueued; `DEVICE_MISMATCH`; what CUDA reports of the
/// launch.
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let x = DeviceBuffer::from_slice_sync(&stream, &[1.0f64, 2.0])?;
/// let y = DeviceBuffer::from_slice_sync(&stream, &[10.0, 20.0])?;
/// let mut out = DeviceBuffer::alloc_async(&stream, 2)?;
/// icffi_kernels::add(&stream, &x, &y, &mut out)?;
/// assert_eq!(out.to_vec(&stream)?, [11.0, 22.0]);
///
/// let mut short = DeviceBuffer::<f64>::zeros(1)?;
/// let error = icffi_kernels::add(&stream, &x, &y, &mut short).unwrap_err();
/// assert_eq!(error.code(), icffi::icffi_codes::LENGTH_MISMATCH);
/// # Ok::<(), IcffiError>(())
/// ```
#[track_caller]
pub fn add<T: Arithmetic>(
    stream: &Stream,
    x: &impl Input<T>,
    y: &impl Input<T>,
    out: &mut impl Output<T>,
) -> Result<()> {
    let n = x.elements();
    same_length("add", ("x", n), ("y", y.elements()))?;
    same_length("add", ("x", n), ("out", out.elements()))?;
    if n == 0 {
        return Ok(());
    }
    let (x, y, out) = (x.bind(stream)?, y.bind(stream)?, out.bind_mut(stream)?);
    launch("add", stream, elementwise(n, stream), |p| {
        // SAFETY: bound to this stream, and of one length, which the kernel stays within.
        unsafe { T::add(p, x.desc(), y.desc(), out.desc()) }
    })
}

/// `out = x * y`, element by element. Does not block. Integers wrap around.
///
/// # Errors
/// As [`add`].
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let x = DeviceBuffer::from_slice_sync(&stream, &[3u32, 1 << 31])?;
/// let mut out = DeviceBuffer::alloc_async(&stream, 2)?;
/// icffi_kernels::multiply(&stream, &x, &x, &mut out)?;
/// assert_eq!(out.to_vec(&stream)?, [9, 0]);
/// # Ok::<(), IcffiError>(())
/// ```
#[track_caller]
pub fn multiply<T: Arithmetic>(
    stream: &Stream,
    x: &impl Input<T>,
    y: &impl Input<T>,
    out: &mut impl Output<T>,
) -> Result<()> {
    let n = x.elements();
    same_length("multiply", ("x", n), ("y", y.elements()))?;
    same_length("multiply", ("x", n), ("out", out.elements()))?;
    if n == 0 {
        return Ok(());
    }
    let (x, y, out) = (x.bind(stream)?, y.bind(stream)?, out.bind_mut(stream)?);
    launch("multiply", stream, elementwise(n, stream), |p| {
        // SAFETY: bound to this stream, and of one length, which the kernel stays within.
        unsafe { T::multiply(p, x.desc(), y.desc(), out.desc()) }
    })
}
