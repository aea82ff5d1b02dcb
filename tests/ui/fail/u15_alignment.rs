//! More alignment than CUDA gives.
//~? E0080
use icffi::prelude::*;

#[derive(Clone, Copy)]
#[repr(C, align(512))]
pub struct Wide([u8; 512]);

pub fn on_the_device() -> Result<DeviceBuffer<Wide>> {
    DeviceBuffer::alloc(1)
}
