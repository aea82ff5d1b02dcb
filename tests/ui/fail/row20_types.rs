//! What may not go to the device, and what may not come back from it.
use icffi::prelude::*;
use std::num::NonZeroU32;

/// Three bytes of padding.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Padded(u8, u32);

pub fn padding_upwards(stream: &Stream, x: &mut DeviceBuffer<Padded>) {
    let data = [Padded(1, 2)];
    let _ = DeviceBuffer::from_slice_sync(stream, &data); //~ E0277
    let _ = DeviceBuffer::from_slice_guarded(stream, &data); //~ E0277
    let _ = x.copy_from_host_sync(stream, &data); //~ E0277
    let _ = x.fill(stream, data[0]); //~ E0277
}

pub fn padding_upwards_from_pinned(stream: &Stream, h: &HostBuffer<Padded>) {
    let _ = DeviceBuffer::from_host_buffer_sync(stream, h); //~ E0277
}

pub fn invalid_bits_downwards(stream: &Stream) {
    let _ = DeviceBuffer::<bool>::alloc(1).unwrap().to_vec(stream); //~ E0277
    let _ = DeviceBuffer::<char>::alloc(1).unwrap().to_vec(stream); //~ E0277
    let _ = DeviceBuffer::<&'static u8>::alloc(1).unwrap().to_vec(stream); //~ E0277
    let _ = DeviceBuffer::<NonZeroU32>::alloc(1).unwrap().to_vec(stream); //~ E0277
}

pub fn invalid_bits_into_pinned(stream: &Stream, x: &DeviceBuffer<bool>, h: &mut HostBuffer<bool>) {
    let _ = x.copy_to_host_buffer_sync(stream, h); //~ E0277
    let _ = x.to_host_buffer(stream); //~ E0277
}

pub fn no_zero(stream: &Stream) {
    let _ = DeviceBuffer::<NonZeroU32>::zeros(1); //~ E0277
    let _ = DeviceBuffer::<NonZeroU32>::zeros_async(stream, 1); //~ E0277
    let _ = DeviceBuffer::<&'static u8>::zeros(1); //~ E0277
    let _ = HostBuffer::<NonZeroU32>::alloc_zeroed(1); //~ E0277
}

pub fn owners_of_host_memory() {
    let _ = DeviceBuffer::<String>::alloc(1); //~ E0277
    let _ = HostBuffer::from_slice(&[String::new()]); //~ E0277
}
