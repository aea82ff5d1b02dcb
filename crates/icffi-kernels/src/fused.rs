//! A product and a sum in one.

use icffi::Result;
use icffi::stream::Stream;

use crate::launch::{elementwise, launch, same_length};
use crate::{Float, Input, Output};

/// `y = a * x + y`, element by element. Does not block.
///
/// # Errors
/// `LENGTH_MISMATCH`, before anything is enqueued; `DEVICE_MISMATCH`; what CUDA reports of the
/// launch.
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let x = DeviceBuffer::from_slice_sync(&stream, &[1.0f32, 2.0, 3.0])?;
/// let mut y = DeviceBuffer::from_slice_sync(&stream, &[0.5, 0.5, 0.5])?;
/// icffi_kernels::axpy(&stream, 2.0, &x, &mut y)?;
/// assert_eq!(y.to_vec(&stream)?, [2.5, 4.5, 6.5]);
/// # Ok::<(), IcffiError>(())
/// ```
#[track_caller]
pub fn axpy<T: Float>(
    stream: &Stream,
    a: T,
    x: &impl Input<T>,
    y: &mut impl Output<T>,
) -> Result<()> {
    let n = x.elements();
    same_length("axpy", ("x", n), ("y", y.elements()))?;
    if n == 0 {
        return Ok(());
    }
    let (x, y) = (x.bind(stream)?, y.bind_mut(stream)?);
    launch("axpy", stream, elementwise(n, stream), |p| {
        // SAFETY: bound to this stream, and of one length, which the kernel stays within.
        unsafe { T::axpy(p, x.desc(), y.desc(), a) }
    })
}

/// `out = a * b + c` with one rounding, element by element. Does not block.
///
/// # Errors
/// As [`axpy`].
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let a = DeviceBuffer::from_slice_sync(&stream, &[2.0f64, 3.0])?;
/// let b = DeviceBuffer::from_slice_sync(&stream, &[10.0, 10.0])?;
/// let c = DeviceBuffer::from_slice_sync(&stream, &[1.0, 2.0])?;
/// let mut out = DeviceBuffer::alloc_async(&stream, 2)?;
/// icffi_kernels::fma(&stream, &a, &b, &c, &mut out)?;
/// assert_eq!(out.to_vec(&stream)?, [21.0, 32.0]);
/// # Ok::<(), IcffiError>(())
/// ```
#[track_caller]
pub fn fma<T: Float>(
    stream: &Stream,
    a: &impl Input<T>,
    b: &impl Input<T>,
    c: &impl Input<T>,
    out: &mut impl Output<T>,
) -> Result<()> {
    let n = a.elements();
    same_length("fma", ("a", n), ("b", b.elements()))?;
    same_length("fma", ("a", n), ("c", c.elements()))?;
    same_length("fma", ("a", n), ("out", out.elements()))?;
    if n == 0 {
        return Ok(());
    }
    let (a, b, c) = (a.bind(stream)?, b.bind(stream)?, c.bind(stream)?);
    let out = out.bind_mut(stream)?;
    launch("fma", stream, elementwise(n, stream), |p| {
        // SAFETY: bound to this stream, and of one length, which the kernel stays within.
        unsafe { T::fma(p, a.desc(), b.desc(), c.desc(), out.desc()) }
    })
}
