//! As much alignment as CUDA gives.
use icffi::prelude::*;

#[derive(Clone, Copy)]
#[repr(C, align(256))]
pub struct Wide([u8; 256]);

pub fn on_the_device() -> Result<DeviceBuffer<Wide>> {
    DeviceBuffer::alloc(1)
}
