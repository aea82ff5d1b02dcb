//! Thread-safety, sizes and layouts of the public types, settled when this is compiled.

use icffi::abi::{Bound, InBufferDesc, LaunchBuilder, LaunchParams, OutBufferDesc};
use icffi::device::{Device, DeviceProperties, MemoryInfo};
use icffi::error::ErrorKind;
use icffi::event::{Event, EventKind};
use icffi::host_memory::{HostAllocFlags, HostBuffer};
use icffi::memory::{DeviceBuffer, DeviceSlice, DeviceSliceMut};
use icffi::pod::{Double2, Float2, Float3, Float4, Uchar4};
use icffi::staging::StagingStatistics;
use icffi::stream::{PerThreadStream, Stream, StreamFlags};
use icffi::transfer::{Transfer, TransferInto};
use icffi::{IcffiError, Result, Runtime};
use static_assertions::{
    assert_eq_align, assert_eq_size, assert_impl_all, assert_not_impl_any, const_assert,
    const_assert_eq,
};

// Shared by threads.
assert_impl_all!(Stream: Send, Sync, Clone);
assert_impl_all!(Event: Send, Sync);
assert_impl_all!(Device: Send, Sync, Copy);
assert_impl_all!(IcffiError: Send, Sync, std::error::Error);
assert_impl_all!(DeviceProperties: Send, Sync, Clone);
assert_impl_all!(MemoryInfo: Send, Sync, Copy);
assert_impl_all!(StagingStatistics: Send, Sync, Copy);
assert_impl_all!(ErrorKind: Send, Sync, Copy);
assert_impl_all!(EventKind: Send, Sync, Copy);
assert_impl_all!(StreamFlags: Send, Sync, Copy);
assert_impl_all!(HostAllocFlags: Send, Sync, Copy);
assert_impl_all!(Runtime: Send, Sync, Copy);

// Sent, not shared.
assert_impl_all!(DeviceBuffer<f32>: Send);
assert_not_impl_any!(DeviceBuffer<f32>: Sync, Clone);
assert_impl_all!(HostBuffer<f32>: Send);
assert_not_impl_any!(HostBuffer<f32>: Sync, Clone);
assert_impl_all!(Transfer<'static, f32>: Send);
assert_not_impl_any!(Transfer<'static, f32>: Sync, Clone);
assert_impl_all!(TransferInto<'static, f32, DeviceBuffer<f32>>: Send);
assert_not_impl_any!(TransferInto<'static, f32, DeviceBuffer<f32>>: Sync, Clone);
assert_not_impl_any!(DeviceSlice<'static, f32>: Sync);
assert_not_impl_any!(DeviceSliceMut<'static, f32>: Sync, Clone);

// Neither.
assert_not_impl_any!(PerThreadStream: Send, Sync);

// Not wider than the element.
assert_not_impl_any!(DeviceBuffer<*const u8>: Send, Sync);
assert_not_impl_any!(HostBuffer<*const u8>: Send, Sync);

// Nobody may make a second owner of one use.
assert_not_impl_any!(Bound<'static, InBufferDesc<f32>>: Clone);
assert_not_impl_any!(LaunchBuilder<'static>: Clone);

// The C ABI.
const_assert_eq!(size_of::<LaunchParams>(), 40);
const_assert_eq!(align_of::<LaunchParams>(), 8);
const_assert_eq!(size_of::<InBufferDesc<u8>>(), 16);
const_assert_eq!(align_of::<InBufferDesc<u8>>(), 8);
const_assert_eq!(std::mem::offset_of!(LaunchParams, shared_mem_bytes), 24);
const_assert_eq!(std::mem::offset_of!(LaunchParams, stream), 32);
assert_eq_size!(InBufferDesc<u8>, OutBufferDesc<u8>, InBufferDesc<[f64; 32]>);
assert_eq_align!(InBufferDesc<u8>, OutBufferDesc<u8>, InBufferDesc<Float4>);
const_assert_eq!((size_of::<Float4>(), align_of::<Float4>()).1, 16);
const_assert_eq!(align_of::<Float2>(), 8);
const_assert_eq!(align_of::<Float3>(), 4);
const_assert_eq!(size_of::<Float3>(), 12);
const_assert_eq!(align_of::<Double2>(), 16);
const_assert_eq!(align_of::<Uchar4>(), 4);

// A result without a value stays in a register.
assert_eq_size!(Result<()>, usize);
assert_eq_size!(IcffiError, usize);
const_assert!(size_of::<DeviceBuffer<f32>>() <= 24);
const_assert!(size_of::<Stream>() == size_of::<usize>());

#[test]
fn types_are_as_documented() {
    // All of it was settled above.
}
