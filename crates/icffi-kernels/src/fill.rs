//! One value everywhere.

use icffi::Result;
use icffi::stream::Stream;

use crate::launch::{elementwise, launch};
use crate::{Element, Output};

/// Sets every element to `value`, by a kernel on `stream`. Does not block.
///
/// # Errors
/// `DEVICE_MISMATCH`; what CUDA reports of the launch.
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let mut x = DeviceBuffer::alloc_async(&stream, 3)?;
/// icffi_kernels::fill(&stream, &mut x, 2.5f32)?;
/// assert_eq!(x.to_vec(&stream)?, [2.5, 2.5, 2.5]);
/// # Ok::<(), IcffiError>(())
/// ```
#[track_caller]
pub fn fill<T: Element>(stream: &Stream, out: &mut impl Output<T>, value: T) -> Result<()> {
    let n = out.elements();
    if n == 0 {
        return Ok(());
    }
    let out = out.bind_mut(stream)?;
    // A thread writes 16 bytes at once.
    let params = elementwise(n.div_ceil(16 / size_of::<T>()), stream);
    launch("fill", stream, params, |p| {
        // SAFETY: bound to this stream, and the kernel stays within the descriptor's length.
        unsafe { T::fill(p, out.desc(), value) }
    })
}
