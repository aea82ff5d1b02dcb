//! Setting every element to one value, without a kernel.
#![allow(unsafe_code)]

use super::DeviceBuffer;
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
    /// `DEVICE_MISMATCH`; what the calls report.
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
        let op = Op::new("DeviceBuffer::fill");
        let Some(region) = self.region() else {
            return Ok(());
        };
        region.check_stream(op, stream)?;
        let _current = device::enter(op, region.device())?;
        region.acquire(op, stream, Mode::Write)?;
        let pattern = bytemuck::bytes_of(&value);
        // SAFETY (all three calls): the ranges lie within the region, which is live and kept so
        // and in order by its tracker, with this use registered; source and target of the
        // device's copies don't overlap, since each doubles what is before it.
        if pattern.iter().all(|&byte| byte == pattern[0]) {
            // SAFETY: see above.
            unsafe {
                rt::memset_async(op, region.ptr(), pattern[0], region.bytes(), stream.raw())
            }?;
        } else {
            let seed_len = (SEED_BYTES / size_of::<T>()).clamp(1, self.len());
            let seed = vec![value; seed_len];
            let mut done = size_of_val(seed.as_slice());
            // SAFETY: see above; the seed is read before the call returns.
            unsafe { staging::upload(op, region.ptr(), seed.as_ptr().cast(), done, stream) }?;
            while done < region.bytes() {
                let chunk = done.min(region.bytes() - done);
                // SAFETY: see above.
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
        }
        region.tracker().settle(op, stream, Mode::Write)
    }
}
