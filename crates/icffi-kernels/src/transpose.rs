//! The transpose of a matrix.

use icffi::abi::LaunchParams;
use icffi::stream::Stream;
use icffi::{IcffiError, Result, icffi_codes};

use crate::launch::{launch, same_length};
use crate::{Input, Output, raw};

/// As in `transpose.cu`.
const TILE: usize = 32;
const ROWS: u32 = 8;

/// Beyond, a block does more than one tile.
const MAX_BLOCKS: usize = 1 << 20;

/// Transposes a matrix of `height` rows of `width` elements, row after row in memory, into one of
/// `width` rows. Does not block.
///
/// # Errors
/// `LENGTH_MISMATCH` if a buffer does not have `width * height` elements, before anything is
/// enqueued; `INVALID_ARGUMENT` if that product does not fit; `DEVICE_MISMATCH`; what CUDA reports
/// of the launch.
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let x = DeviceBuffer::from_slice_sync(&stream, &[1.0f32, 2.0, 3.0, 4.0, 5.0, 6.0])?;
/// let mut out = DeviceBuffer::alloc_async(&stream, 6)?;
/// icffi_kernels::transpose(&stream, 3, 2, &x, &mut out)?;
/// assert_eq!(out.to_vec(&stream)?, [1.0, 4.0, 2.0, 5.0, 3.0, 6.0]);
/// # Ok::<(), IcffiError>(())
/// ```
#[track_caller]
pub fn transpose(
    stream: &Stream,
    width: usize,
    height: usize,
    input: &impl Input<f32>,
    out: &mut impl Output<f32>,
) -> Result<()> {
    let n = area("transpose", width, height)?;
    same_length(
        "transpose",
        ("width * height", n),
        ("input", input.elements()),
    )?;
    same_length("transpose", ("width * height", n), ("out", out.elements()))?;
    if n == 0 {
        return Ok(());
    }
    let tiles = width.div_ceil(TILE).saturating_mul(height.div_ceil(TILE));
    let blocks = tiles.min(MAX_BLOCKS) as u32;
    let params = LaunchParams::new_2d((blocks, 1), (TILE as u32, ROWS), stream.raw());
    let (input, out) = (input.bind(stream)?, out.bind_mut(stream)?);
    launch("transpose", stream, params, |p| {
        // SAFETY: both are bound to this stream and have width * height elements.
        unsafe {
            raw::icffi_transpose_f32(p, input.desc(), out.desc(), width as u64, height as u64)
        }
    })
}

/// `width * height`, if it fits.
#[track_caller]
pub(crate) fn area(function: &'static str, width: usize, height: usize) -> Result<usize> {
    // No closure: the error is to name the caller's line.
    match width.checked_mul(height) {
        Some(n) => Ok(n),
        None => Err(IcffiError::new(
            icffi_codes::INVALID_ARGUMENT,
            function,
            format!("INVALID_ARGUMENT: {width} x {height} elements are more than fit"),
        )),
    }
}
