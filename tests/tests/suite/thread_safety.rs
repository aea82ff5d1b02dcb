//! Row 18: which of the types of graphs, views, pools and shared memory threads may send or share;
//! settled when this is compiled.

use icffi::graph::{CaptureStream, Graph, GraphExec, GraphHostBuffer, GraphUpdate};
use icffi::memory::{
    DeviceRows, DeviceRowsMut, MemoryPool, PoolStatistics, RawOrigin, SharedBuffer,
};
use static_assertions::{assert_impl_all, assert_not_impl_any};

assert_impl_all!(SharedBuffer<f32>: Send, Sync, Clone);
assert_impl_all!(MemoryPool: Send, Sync, Clone);
assert_impl_all!(PoolStatistics: Send, Sync, Copy);
assert_impl_all!(RawOrigin: Send);

// CUDA's graphs are not thread-safe.
assert_impl_all!(Graph: Send);
assert_not_impl_any!(Graph: Sync, Clone);
assert_impl_all!(GraphExec: Send);
assert_not_impl_any!(GraphExec: Sync, Clone);
assert_impl_all!(GraphHostBuffer<f32>: Send);
assert_impl_all!(GraphUpdate: Send, Sync, Copy);
assert_not_impl_any!(CaptureStream: Send, Sync, Clone);

assert_not_impl_any!(DeviceRows<'static, f32>: Sync);
assert_not_impl_any!(DeviceRowsMut<'static, f32>: Sync, Clone);
assert_not_impl_any!(SharedBuffer<*const u8>: Send, Sync);
