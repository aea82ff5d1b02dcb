//! What must not be shared, and what must not be sent.
use icffi::prelude::*;
use icffi::transfer::{Transfer, TransferInto};

fn is_send<T: Send>() {}
fn is_sync<T: Sync>() {}

pub fn per_thread_streams_stay() {
    is_send::<icffi::stream::PerThreadStream>(); //~ E0277
    is_sync::<icffi::stream::PerThreadStream>(); //~ E0277
}

pub fn buffers_are_not_shared() {
    is_sync::<DeviceBuffer<u32>>(); //~ E0277
    is_sync::<HostBuffer<u32>>(); //~ E0277
    is_sync::<DeviceSlice<'static, u32>>(); //~ E0277
    is_sync::<Transfer<'static, u32>>(); //~ E0277
    is_sync::<TransferInto<'static, u32, DeviceBuffer<u32>>>(); //~ E0277
}

pub fn elements_decide_too() {
    is_send::<HostBuffer<*const u8>>(); //~ E0277
    is_send::<DeviceBuffer<*const u8>>(); //~ E0277
}

pub fn used_from_two_threads(stream: &Stream, x: &DeviceBuffer<u32>) {
    std::thread::scope(|scope| {
        scope.spawn(|| x.to_vec(stream)); //~ E0277
    });
}
