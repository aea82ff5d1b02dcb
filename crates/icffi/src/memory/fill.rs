//! Setting every element to one value, without a kernel.
#![allow(unsafe_code)]

use super::DeviceBuffer;
use super::part::Part;
use crate::error::Result;
use crate::op::Op;
use crate::ordering::Mode;
use crate::stream::Stream;
use crate::{device, rt, staging};
use bytemuck::NoUninit;
use icffi_sys::cudaMemcpyKind;

/// The piece of the pattern that is written from the host; the device doubles it from there.
const SEED_BYTES: usize = 16 << 10;

impl<T: NoUninit> DeviceBuffer<T> {
    /// Sets every element to `value`. Does not block. `cudaMemsetAsync` where the value is one
    /// byte repeated (zero, for one); otherwise a first piece is copied from the host and
    /// doubled by copies on the device. A kernel of your own is faster for large buffers of wide
    /// types.
    ///
    /// # Errors
    /// `DEVICE_MISMATCH`; `CAPTURE_HOST_MEMORY` in a capture for a value that is not one byte
    /// repeated; what the calls report.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let mut x = DeviceBuffer::<f32>::alloc_async(&stream, 5)?;
    /// x.fill(&stream, 1.5)?;
    /// assert_eq!(x.to_vec(&stream)?, [1.5; 5]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn fill(&mut self, stream: &Stream, value: T) -> Result<()> {
        self.part()
            .fill(Op::new("DeviceBuffer::fill"), stream, value)
    }
}

impl<T: NoUninit> Part<'_, T> {
    pub(super) fn fill(self, op: Op, stream: &Stream, value: T) -> Result<()> {
        let Some(region) = self.region() else {
            return Ok(());
        };
        region.check_stream(op, stream)?;
        let pattern = bytemuck::bytes_of(&value);
        let one_byte = pattern.iter().all(|&byte| byte == pattern[0]);
        if !one_byte {
            stream.refuse_host_memory(op)?;
        }
        let _current = device::enter(op, region.device())?;
        let _access = region.acquire(op, stream, Mode::Write)?;
        if one_byte {
            // SAFETY: the region is live, kept so and in order by its tracker, which has this
            // use registered.
            return unsafe {
                rt::memset_async(op, region.ptr(), pattern[0], region.bytes(), stream.raw())
            };
        }
        let seed = vec![value; (SEED_BYTES / size_of::<T>()).clamp(1, self.len())];
        let mut done = size_of_val(seed.as_slice());
        // SAFETY: the seed is read before the call returns; it is no longer than the region,
        // for which the same holds as above.
        unsafe { staging::upload(op, region.ptr(), seed.as_ptr().cast(), done, stream, 0) }?;
        while done < region.bytes() {
            let chunk = done.min(region.bytes() - done);
            // SAFETY: as above; source and target are parts of the region that don't overlap,
            // since each copy doubles what is before it.
            unsafe {
                rt::memcpy_async(
                    op,
                    region.ptr().byte_add(done),
                    region.ptr(),
                    chunk,
                    cudaMemcpyKind::cudaMemcpyDeviceToDevice,
                    stream.raw(),
                )
            }?;
            done += chunk;
        }
        Ok(())
    }
}
