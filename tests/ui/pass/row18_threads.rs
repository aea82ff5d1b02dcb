//! What may be shared, and what may be sent.
use icffi::prelude::*;
use icffi::transfer::{Transfer, TransferInto};

fn is_send<T: Send>() {}
fn is_sync<T: Sync>() {}

pub fn streams_and_events_are_shared() {
    is_send::<Stream>();
    is_sync::<Stream>();
    is_send::<Event>();
    is_sync::<Event>();
}

pub fn buffers_are_sent() {
    is_send::<DeviceBuffer<u32>>();
    is_send::<HostBuffer<u32>>();
    is_send::<Transfer<'static, u32>>();
    is_send::<TransferInto<'static, u32, DeviceBuffer<u32>>>();
}

pub fn used_from_two_threads(stream: &Stream, x: DeviceBuffer<u32>) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let x = x;
            x.to_vec(stream)
        });
    });
}
