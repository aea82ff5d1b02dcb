//! What may.
use icffi::bytemuck::{AnyBitPattern, NoUninit, Pod, Zeroable};
use icffi::prelude::*;
use std::num::NonZeroU32;

#[derive(Clone, Copy, Pod, Zeroable)]
#[bytemuck(crate = "icffi::bytemuck")]
#[repr(C)]
pub struct Filled(u16, u16, u32);

/// Padding is fine for what only comes back.
#[derive(Clone, Copy, AnyBitPattern)]
#[bytemuck(crate = "icffi::bytemuck")]
#[repr(C)]
pub struct Padded(u8, u32);

/// Invalid bits are fine for what only goes there.
#[derive(Clone, Copy, NoUninit)]
#[bytemuck(crate = "icffi::bytemuck")]
#[repr(u8)]
pub enum Choice {
    Yes = 1,
    No = 2,
}

pub fn upwards(stream: &Stream) -> Result<()> {
    DeviceBuffer::from_slice_sync(stream, &[Filled(1, 2, 3)])?.to_vec(stream)?;
    DeviceBuffer::from_slice_guarded(stream, &[Choice::Yes, Choice::No])?.wait()?;
    DeviceBuffer::from_slice_sync(stream, &[true, false])?.fill(stream, true)?;
    DeviceBuffer::from_slice_sync(stream, &['a'])?.fill(stream, 'b')?;
    DeviceBuffer::from_host_buffer_sync(stream, &HostBuffer::from_slice(&[NonZeroU32::MIN])?)?;
    Ok(())
}

pub fn downwards(stream: &Stream, x: &DeviceBuffer<Padded>) -> Result<()> {
    x.to_vec(stream)?;
    x.to_host_buffer(stream)?;
    Ok(())
}

pub fn zero(stream: &Stream) -> Result<()> {
    DeviceBuffer::<bool>::zeros(1)?;
    DeviceBuffer::<Option<NonZeroU32>>::zeros_async(stream, 1)?;
    HostBuffer::<f32>::alloc_zeroed(1)?;
    Ok(())
}

pub fn on_the_device(stream: &Stream, x: &DeviceBuffer<Padded>) -> Result<()> {
    let mut y = DeviceBuffer::<Padded>::alloc(x.len())?;
    y.copy_from_device_sync(stream, x)
}
