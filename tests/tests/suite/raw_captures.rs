//! Raw captures, which the caller begins and ends: other calls of the crate do not disturb them.

use icffi::graph::CaptureMode::{Global, Relaxed, ThreadLocal};
use icffi::icffi_codes::CAPTURE_UNSUPPORTED;
use icffi::prelude::*;
use icffi_tests::{alone, assert_same, expect_error, random};

const LEN: usize = 3000;

/// What is refused beside a global capture, or spoils it, if done by raw calls.
fn housekeeping(stream: &Stream, data: &[u32], finished: &Event) {
    finished.query().unwrap();
    finished.synchronize().unwrap();
    stream.query().unwrap();
    let x = DeviceBuffer::from_slice_sync(stream, data).unwrap();
    let pooled = DeviceBuffer::<u32>::zeros_async(stream, LEN).unwrap();
    let pinned = x.to_host_buffer(stream).unwrap();
    assert_same(&pinned, data);
    drop((x, pooled, pinned, Event::ordering().unwrap()));
    stream.synchronize().unwrap();
}

#[test]
fn row24_a_raw_capture_in_each_mode() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let finished = Event::ordering().unwrap();
    finished.record(&stream).unwrap();
    for mode in [Global, ThreadLocal, Relaxed] {
        y.fill(&stream, 0).unwrap();
        stream.synchronize().unwrap();
        let (to, from) = (y.as_mut_ptr(), x.as_ptr());
        let private = Stream::new().unwrap();
        // SAFETY: the stream is this test's own, and only raw calls go to it until the end.
        unsafe { private.begin_capture(mode) }.unwrap();
        housekeeping(&stream, &data, &finished);
        let (stream_there, data_there) = (stream.clone(), data.clone());
        let there = std::thread::spawn(move || {
            let finished = Event::ordering().unwrap();
            finished.record(&stream_there).unwrap();
            housekeeping(&stream_there, &data_there, &finished);
        });
        there.join().unwrap();
        let result = device::synchronize();
        let name = "device::synchronize";
        expect_error(result, CAPTURE_UNSUPPORTED, name, file!(), &["in progress"]);
        // SAFETY: both have `4 * LEN` bytes and outlive the graph's launch.
        let status = unsafe {
            let kind = icffi_sys::cudaMemcpyKind::cudaMemcpyDeviceToDevice;
            icffi_sys::cudaMemcpyAsync(to.cast(), from.cast(), 4 * LEN, kind, private.raw())
        };
        icffi::check(status).unwrap();
        // SAFETY: `x` and `y` outlive the graph.
        let graph = unsafe { private.end_capture() }.unwrap();
        graph.instantiate().unwrap().launch(&private).unwrap();
        private.synchronize().unwrap();
        assert_same(&y.to_vec(&stream).unwrap(), &data);
    }
}
