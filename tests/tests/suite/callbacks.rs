//! Host functions in a stream.

use icffi::icffi_codes::NOT_PERMITTED_IN_CALLBACK;
use icffi::prelude::*;
use icffi_tests::{alone, assert_same, expect_error, random, together};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};

#[test]
fn they_run_in_the_order_of_the_stream() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let seen = Arc::new(Mutex::new(Vec::new()));
    for i in 0..50 {
        let seen = Arc::clone(&seen);
        stream
            .launch_host_fn(move || seen.lock().unwrap().push(i))
            .unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(*seen.lock().unwrap(), (0..50).collect::<Vec<_>>());
}

#[test]
fn one_sees_what_was_copied_before_it() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let data = random::<u32>(10_000);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let mut target = HostBuffer::<u32>::alloc_zeroed(data.len()).unwrap();
    let address = target.as_mut_ptr().expose_provenance();
    std::mem::forget(x.copy_to_host_buffer_guarded(&stream, &mut target).unwrap());
    let (sender, receiver) = channel();
    let len = data.len();
    stream
        .launch_host_fn(move || {
            let start = std::ptr::with_exposed_provenance::<u32>(address);
            // SAFETY: the buffer outlives the call (the test waits for it), has `len` elements,
            // and the copy into it comes before this in the stream; nobody else touches it.
            let seen = unsafe { std::slice::from_raw_parts(start, len) };
            sender.send(seen.to_vec()).unwrap();
        })
        .unwrap();
    stream.synchronize().unwrap();
    assert_same(&receiver.recv().unwrap(), &data);
}

#[test]
fn a_panic_is_caught_and_told() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    assert_eq!(stream.take_callback_panic(), None);
    stream.launch_host_fn(|| panic!("number {}", 1)).unwrap();
    stream.launch_host_fn(|| panic!("second")).unwrap();
    stream.synchronize().unwrap();
    assert_eq!(stream.take_callback_panic().as_deref(), Some("number 1"));
    assert_eq!(stream.take_callback_panic(), None);
    stream.launch_host_fn(|| std::panic::panic_any(5)).unwrap();
    stream.synchronize().unwrap();
    assert!(stream.take_callback_panic().unwrap().contains("no string"));
    // The stream goes on.
    let data = random::<u8>(100);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    assert_same(&x.to_vec(&stream).unwrap(), &data);
}

#[test]
fn calls_inside_are_refused_before_cuda_sees_them() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let x = DeviceBuffer::from_slice_sync(&stream, &random::<u32>(10)).unwrap();
    let pinned = HostBuffer::from_slice(&[1u32; 10]).unwrap();
    let event = Event::timed().unwrap();
    let (sender, receiver) = channel();
    let inner = stream.clone();
    stream
        .launch_host_fn(move || {
            let mut x = x;
            let results = vec![
                (
                    "DeviceBuffer::alloc",
                    DeviceBuffer::<u8>::alloc(5).map(drop),
                ),
                (
                    "DeviceBuffer::alloc_async",
                    DeviceBuffer::<u8>::alloc_async(&inner, 5).map(drop),
                ),
                (
                    "DeviceBuffer::zeros",
                    DeviceBuffer::<u8>::zeros(5).map(drop),
                ),
                ("DeviceBuffer::to_vec", x.to_vec(&inner).map(drop)),
                ("DeviceBuffer::fill", x.fill(&inner, 0)),
                (
                    "DeviceBuffer::copy_from_host_sync",
                    x.copy_from_host_sync(&inner, &[0; 10]),
                ),
                (
                    "DeviceBuffer::copy_from_host_buffer_sync",
                    x.copy_from_host_buffer_sync(&inner, &pinned),
                ),
                (
                    "HostBuffer::alloc_zeroed",
                    HostBuffer::<u8>::alloc_zeroed(5).map(drop),
                ),
                ("Stream::new", Stream::new().map(drop)),
                ("Stream::synchronize", inner.synchronize()),
                ("Stream::query", inner.query().map(drop)),
                ("Stream::launch_host_fn", inner.launch_host_fn(|| ())),
                ("Event::new", Event::timed().map(drop)),
                ("Event::record", event.record(&inner)),
                ("Event::query", event.query().map(drop)),
                ("Event::synchronize", event.synchronize()),
                ("device::synchronize", device::synchronize()),
                ("device::memory_info", device::memory_info().map(drop)),
            ];
            sender.send(results).unwrap();
        })
        .unwrap();
    stream.synchronize().unwrap();
    assert_eq!(stream.take_callback_panic(), None);
    for (operation, result) in receiver.recv().unwrap() {
        let code = NOT_PERMITTED_IN_CALLBACK;
        let error = expect_error(result, code, operation, file!(), &["signal"]);
        assert_eq!(error.kind(), icffi::error::ErrorKind::NotPermitted);
    }
    // And it leaves no error behind.
    stream.synchronize().unwrap();
}

#[test]
fn what_is_dropped_inside_is_released_later() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let data = random::<u32>(1000);
    let pooled = DeviceBuffer::from_slice_guarded_async(&stream, &data)
        .unwrap()
        .into_ordered();
    let malloced = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let pinned = HostBuffer::from_slice(&data).unwrap();
    let (event, other) = (Event::timed().unwrap(), Stream::new().unwrap());
    let kept = stream.clone();
    stream
        .launch_host_fn(move || drop((pooled, malloced, pinned, event, other, kept)))
        .unwrap();
    stream.synchronize().unwrap();
    assert_eq!(stream.take_callback_panic(), None);
    let device = device::current().unwrap();
    assert_eq!(device.quarantined(), 0);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    assert_same(&x.to_vec(&stream).unwrap(), &data);
}

#[test]
fn the_last_handle_of_a_stream_is_dropped_by_its_own_function() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let (sender, receiver) = channel();
    let last = stream.clone();
    stream
        .launch_host_fn(move || {
            drop(last);
            sender.send(()).unwrap();
        })
        .unwrap();
    drop(stream);
    device::synchronize().unwrap();
    receiver
        .recv_timeout(std::time::Duration::from_secs(20))
        .unwrap();
    Stream::new().unwrap().synchronize().unwrap();
}
