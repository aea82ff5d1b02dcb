//! Sums over a buffer.

use icffi::abi::LaunchParams;
use icffi::memory::DeviceBuffer;
use icffi::stream::Stream;
use icffi::{IcffiError, Result, icffi_codes};

use crate::launch::{launch, same_length};
use crate::{Float, Input, Output};

/// As in `reduce.cu`.
const THREADS: u32 = 256;

/// What a block is worth starting for.
const ELEMENTS_OF_BLOCK: usize = 4096;

const MAX_BLOCKS: usize = 1024;

/// Depends on the length only, so that the result is the same on every device.
fn blocks(n: usize) -> usize {
    n.div_ceil(ELEMENTS_OF_BLOCK).clamp(1, MAX_BLOCKS)
}

fn shape(blocks: usize, stream: &Stream) -> LaunchParams {
    LaunchParams::new_1d(blocks as u32, THREADS, stream.raw())
}

/// The sum of all elements, added up in `T`. Blocks the CPU until it is there. The order of the
/// additions depends on the length only: the same data gives the same result every time. The sum of
/// no elements is 0.
///
/// # Errors
/// `DEVICE_MISMATCH`, `POOLS_UNSUPPORTED`; what CUDA reports of allocation, launch and copy.
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let x = DeviceBuffer::from_slice_sync(&stream, &[0.25f64; 1000])?;
/// assert_eq!(icffi_kernels::sum(&stream, &x)?, 250.0);
/// # Ok::<(), IcffiError>(())
/// ```
#[track_caller]
pub fn sum<T: Float>(stream: &Stream, x: &impl Input<T>) -> Result<T> {
    let mut result = DeviceBuffer::alloc_async(stream, 1)?;
    sum_into(stream, x, &mut result)?;
    value(stream, &result)
}

/// [`sum`] into the first element of `result`. Does not block.
///
/// # Errors
/// `OUTPUT_TOO_SMALL` if `result` is empty; otherwise as [`sum`].
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let x = DeviceBuffer::from_slice_sync(&stream, &[1.0f32, 2.0])?;
/// let mut result = DeviceBuffer::alloc_async(&stream, 1)?;
/// icffi_kernels::sum_into(&stream, &x, &mut result)?;
/// assert_eq!(result.to_vec(&stream)?, [3.0]);
/// # Ok::<(), IcffiError>(())
/// ```
#[track_caller]
pub fn sum_into<T: Float>(
    stream: &Stream,
    x: &impl Input<T>,
    result: &mut impl Output<T>,
) -> Result<()> {
    not_empty("sum", result)?;
    let blocks = blocks(x.elements());
    if blocks == 1 {
        return sum_stage("sum", stream, 1, x, result);
    }
    // Goes back in the stream's order, when the second stage has read it.
    let mut partial = DeviceBuffer::alloc_async(stream, blocks)?;
    sum_stage("sum", stream, blocks, x, &mut partial)?;
    sum_stage("sum", stream, 1, &partial, result)
}

/// The dot product, multiplied and added up in `T`. Blocks the CPU until it is there. As
/// reproducible as [`sum`].
///
/// # Errors
/// `LENGTH_MISMATCH`, before anything is enqueued; otherwise as [`sum`].
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let x = DeviceBuffer::from_slice_sync(&stream, &[1.0f32, 2.0, 3.0])?;
/// assert_eq!(icffi_kernels::dot(&stream, &x, &x)?, 14.0);
/// # Ok::<(), IcffiError>(())
/// ```
#[track_caller]
pub fn dot<T: Float>(stream: &Stream, x: &impl Input<T>, y: &impl Input<T>) -> Result<T> {
    same_length("dot", ("x", x.elements()), ("y", y.elements()))?;
    let mut result = DeviceBuffer::alloc_async(stream, 1)?;
    dot_into(stream, x, y, &mut result)?;
    value(stream, &result)
}

/// [`dot`] into the first element of `result`. Does not block.
///
/// # Errors
/// `OUTPUT_TOO_SMALL` if `result` is empty; otherwise as [`dot`].
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let x = DeviceBuffer::from_slice_sync(&stream, &[1.0f64, 2.0])?;
/// let y = DeviceBuffer::from_slice_sync(&stream, &[3.0, 4.0])?;
/// let mut result = DeviceBuffer::alloc_async(&stream, 1)?;
/// icffi_kernels::dot_into(&stream, &x, &y, &mut result)?;
/// assert_eq!(result.to_vec(&stream)?, [11.0]);
/// # Ok::<(), IcffiError>(())
/// ```
#[track_caller]
pub fn dot_into<T: Float>(
    stream: &Stream,
    x: &impl Input<T>,
    y: &impl Input<T>,
    result: &mut impl Output<T>,
) -> Result<()> {
    let n = x.elements();
    same_length("dot", ("x", n), ("y", y.elements()))?;
    not_empty("dot", result)?;
    let blocks = blocks(n);
    if blocks == 1 {
        return dot_stage(stream, 1, x, y, result);
    }
    let mut partial = DeviceBuffer::alloc_async(stream, blocks)?;
    dot_stage(stream, blocks, x, y, &mut partial)?;
    sum_stage("dot", stream, 1, &partial, result)
}

/// A partial sum from each block. `partial` has an element for each.
#[track_caller]
fn sum_stage<T: Float>(
    function: &'static str,
    stream: &Stream,
    blocks: usize,
    x: &impl Input<T>,
    partial: &mut impl Output<T>,
) -> Result<()> {
    let (x, partial) = (x.bind(stream)?, partial.bind_mut(stream)?);
    launch(function, stream, shape(blocks, stream), |p| {
        // SAFETY: both are bound to this stream, and there is a partial result for each block.
        unsafe { T::sum(p, x.desc(), partial.desc()) }
    })
}

/// As `sum_stage`, of the products. `x` and `y` are of one length.
#[track_caller]
fn dot_stage<T: Float>(
    stream: &Stream,
    blocks: usize,
    x: &impl Input<T>,
    y: &impl Input<T>,
    partial: &mut impl Output<T>,
) -> Result<()> {
    let (x, y, partial) = (x.bind(stream)?, y.bind(stream)?, partial.bind_mut(stream)?);
    launch("dot", stream, shape(blocks, stream), |p| {
        // SAFETY: all are bound to this stream, x and y of one length, and there is a partial
        // result for each block.
        unsafe { T::dot(p, x.desc(), y.desc(), partial.desc()) }
    })
}

#[track_caller]
fn not_empty<T>(function: &'static str, result: &impl Output<T>) -> Result<()> {
    if result.elements() > 0 {
        return Ok(());
    }
    Err(IcffiError::new(
        icffi_codes::OUTPUT_TOO_SMALL,
        function,
        "OUTPUT_TOO_SMALL: the result has 0 elements, it takes 1",
    ))
}

#[track_caller]
fn value<T: Float>(stream: &Stream, result: &DeviceBuffer<T>) -> Result<T> {
    let mut value = [T::zeroed()];
    result.copy_to_host_sync(stream, &mut value)?;
    Ok(value[0])
}
