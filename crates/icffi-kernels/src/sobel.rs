//! Edges of a picture.

use icffi::Result;
use icffi::stream::Stream;

use crate::launch::{elementwise, launch, same_length};
use crate::transpose::area;
use crate::{Input, Output, raw};

/// Sobel's filter on an 8-bit picture of `height` rows of `width` pixels: the sizes of its slopes
/// across and down, added, at most 255. Pixels beyond the border repeat the border's. Does not
/// block.
///
/// # Errors
/// `LENGTH_MISMATCH` if a buffer does not have `width * height` elements, before anything is
/// enqueued; `INVALID_ARGUMENT` if that product does not fit; `DEVICE_MISMATCH`; what CUDA reports
/// of the launch.
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let picture = DeviceBuffer::from_slice_sync(&stream, &[0u8, 0, 10, 10])?;
/// let mut edges = DeviceBuffer::alloc_async(&stream, 4)?;
/// icffi_kernels::sobel(&stream, 4, 1, &picture, &mut edges)?;
/// assert_eq!(edges.to_vec(&stream)?, [0, 40, 40, 0]);
/// # Ok::<(), IcffiError>(())
/// ```
#[track_caller]
pub fn sobel(
    stream: &Stream,
    width: usize,
    height: usize,
    input: &impl Input<u8>,
    out: &mut impl Output<u8>,
) -> Result<()> {
    let n = area("sobel", width, height)?;
    same_length("sobel", ("width * height", n), ("input", input.elements()))?;
    same_length("sobel", ("width * height", n), ("out", out.elements()))?;
    if n == 0 {
        return Ok(());
    }
    let (input, out) = (input.bind(stream)?, out.bind_mut(stream)?);
    launch("sobel", stream, elementwise(n, stream), |p| {
        // SAFETY: both are bound to this stream and have width * height elements.
        unsafe { raw::icffi_sobel_u8(p, input.desc(), out.desc(), width as u64, height as u64) }
    })
}
