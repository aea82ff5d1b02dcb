//! What a capture refuses: by which code, in which words, and that neither the capture nor the
//! next one is spoilt by it.

use icffi::icffi_codes::{CAPTURE_HOST_MEMORY, CAPTURE_ISOLATION, CAPTURE_UNSUPPORTED};
use icffi::prelude::*;
use icffi::{Result, device};
use icffi_tests::{alone, assert_same, expect_error, random};
use std::sync::mpsc::channel;

const LEN: usize = 3000;

/// A stream, data, a buffer that holds it, and one to write to.
struct Setup {
    stream: Stream,
    data: Vec<u32>,
    x: DeviceBuffer<u32>,
    y: DeviceBuffer<u32>,
}

fn setup() -> Setup {
    let stream = Stream::new().unwrap();
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    Setup { stream, data, x, y }
}

impl Setup {
    /// `refuse` tries what is refused; around it a copy is captured, which works all the same.
    #[track_caller]
    fn survives(&mut self, refuse: impl FnOnce(&CaptureStream)) {
        let (x, y) = (&self.x, &mut self.y);
        let graph = self
            .stream
            .capture(|capture| {
                y.fill(capture, 0)?;
                refuse(capture);
                y.copy_from_device_async(capture, x)
            })
            .expect("the capture is not spoilt");
        let mut exec = graph.instantiate().unwrap();
        exec.launch(&self.stream).unwrap();
        assert_same(&self.y.to_vec(&self.stream).unwrap(), &self.data);
        let y = &mut self.y;
        let next = self.stream.capture(|capture| y.fill(capture, 0)).unwrap();
        next.instantiate().unwrap().launch(&self.stream).unwrap();
        assert_same(&self.y.to_vec(&self.stream).unwrap(), &[0; LEN]);
        device::synchronize().unwrap();
    }
}

#[track_caller]
fn host<T>(result: Result<T>, operation: &str) {
    let says = ["CAPTURE_HOST_MEMORY", "host memory"];
    expect_error(result, CAPTURE_HOST_MEMORY, operation, file!(), &says);
}

#[track_caller]
fn unsupported<T>(result: Result<T>, operation: &str, says: &str) {
    expect_error(result, CAPTURE_UNSUPPORTED, operation, file!(), &[says]);
}

#[track_caller]
fn isolated<T>(result: Result<T>, operation: &str, says: &str) {
    expect_error(result, CAPTURE_ISOLATION, operation, file!(), &[says]);
}

#[test]
fn row09_slices_are_refused() {
    let _turn = alone();
    let mut all = setup();
    let (data, mut target) = (all.data.clone(), vec![0; LEN]);
    let x = DeviceBuffer::from_slice_sync(&all.stream, &data).unwrap();
    let mut z = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    all.survives(|capture| {
        type B = DeviceBuffer<u32>;
        host(
            B::from_slice_sync(capture, &data),
            "DeviceBuffer::from_slice_sync",
        );
        host(
            B::from_slice_guarded(capture, &data),
            "DeviceBuffer::from_slice_guarded",
        );
        let result = B::from_slice_guarded_async(capture, &data);
        host(result, "DeviceBuffer::from_slice_guarded_async");
        host(
            z.copy_from_host_sync(capture, &data),
            "DeviceBuffer::copy_from_host_sync",
        );
        let result = z.copy_from_host_guarded(capture, &data);
        host(result, "DeviceBuffer::copy_from_host_guarded");
        host(
            x.copy_to_host_sync(capture, &mut target),
            "DeviceBuffer::copy_to_host_sync",
        );
        let result = x.copy_to_host_guarded(capture, &mut target);
        host(result, "DeviceBuffer::copy_to_host_guarded");
        host(x.to_vec(capture), "DeviceBuffer::to_vec");
        host(x.slice(1..).to_vec(capture), "DeviceSlice::to_vec");
        // Its pattern would be one, but for values of one repeated byte.
        host(z.fill(capture, 0x0102_0304), "DeviceBuffer::fill");
        let rows = x.as_view().rows(10, 5, 20).unwrap();
        host(rows.to_vec(capture), "DeviceRows::to_vec");
        let result = rows.copy_to_host_sync(capture, &mut target[..50]);
        host(result, "DeviceRows::copy_to_host_sync");
        let mut rows = z.as_view_mut().rows_mut(10, 5, 20).unwrap();
        let result = rows.copy_from_host_sync(capture, &data[..50]);
        host(result, "DeviceRowsMut::copy_from_host_sync");
    });
    assert_same(&target, &[0; LEN]);
    assert_same(&z.to_vec(&all.stream).unwrap(), &[0; LEN]);
}

#[test]
fn row09_pinned_buffers_are_refused_unless_given() {
    let _turn = alone();
    let mut all = setup();
    let x = DeviceBuffer::from_slice_sync(&all.stream, &all.data).unwrap();
    let mut z = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let source = HostBuffer::from_slice(&all.data).unwrap();
    let mut target = HostBuffer::<u32>::alloc_zeroed(LEN).unwrap();
    all.survives(|capture| {
        type B = DeviceBuffer<u32>;
        let result = B::from_host_buffer_sync(capture, &source);
        host(result, "DeviceBuffer::from_host_buffer_sync");
        let result = B::from_host_buffer_guarded(capture, &source);
        host(result, "DeviceBuffer::from_host_buffer_guarded");
        let result = z.copy_from_host_buffer_sync(capture, &source);
        host(result, "DeviceBuffer::copy_from_host_buffer_sync");
        let result = z.copy_from_host_buffer_guarded(capture, &source);
        host(result, "DeviceBuffer::copy_from_host_buffer_guarded");
        let result = x.copy_to_host_buffer_sync(capture, &mut target);
        host(result, "DeviceBuffer::copy_to_host_buffer_sync");
        let result = x.copy_to_host_buffer_guarded(capture, &mut target);
        host(result, "DeviceBuffer::copy_to_host_buffer_guarded");
        host(x.to_host_buffer(capture), "DeviceBuffer::to_host_buffer");
    });
    assert_same(&target, &[0; LEN]);
}

#[test]
fn what_waits_or_asks_is_refused() {
    let _turn = alone();
    let mut all = setup();
    let mut z = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let raw = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let eager = all.stream.clone();
    let mut other = eager
        .capture(|c| z.fill(c, 0))
        .unwrap()
        .instantiate()
        .unwrap();
    all.survives(|capture| {
        unsupported(capture.synchronize(), "Stream::synchronize", "is launched");
        unsupported(capture.query(), "Stream::query", "is launched");
        unsupported(capture.checkpoint(), "Stream::checkpoint", "is launched");
        let says = "CaptureStream::host_fn";
        unsupported(
            capture.launch_host_fn(|| ()),
            "Stream::launch_host_fn",
            says,
        );
        let says = "CaptureStream::fork";
        unsupported(capture.capture(|_| Ok(())), "Stream::capture", says);
        unsupported(other.launch(capture), "GraphExec::launch", "into a capture");
        unsupported(other.upload(capture), "GraphExec::upload", "in a capture");
        let result = z.copy_from_device_sync(capture, &x);
        unsupported(result, "DeviceBuffer::copy_from_device_sync", "_async");
        let result = z
            .slice_mut(..9)
            .copy_from_device_sync(capture, &x.slice(..9));
        unsupported(result, "DeviceSliceMut::copy_from_device_sync", "_async");
        let from = x.as_view().rows(2, 2, 4).unwrap();
        let mut to = z.as_view_mut().rows_mut(2, 2, 4).unwrap();
        let result = to.copy_from_rows_sync(capture, &from);
        unsupported(result, "DeviceRowsMut::copy_from_rows_sync", "_async");
        let says = "outside of captures";
        unsupported(raw.into_raw(capture), "DeviceBuffer::into_raw", says);
        let says = "in progress";
        unsupported(device::synchronize(), "device::synchronize", says);
        let elsewhere = std::thread::spawn(move || {
            unsupported(device::synchronize(), "device::synchronize", says);
        });
        elsewhere.join().unwrap();
        // SAFETY: both are refused.
        unsafe {
            let result = capture.begin_capture(icffi::graph::CaptureMode::Relaxed);
            unsupported(result, "Stream::begin_capture", "in capture");
            unsupported(capture.end_capture(), "Stream::end_capture", "its closure");
        }
    });
}

#[test]
fn u1_events_do_not_cross_the_border() {
    let _turn = alone();
    let mut all = setup();
    let other = Stream::new().unwrap();
    let (outside, inside) = (Event::timed().unwrap(), Event::timed().unwrap());
    outside.record(&other).unwrap();
    let eager = all.stream.clone();
    let source = random::<u32>(LEN);
    let mut w = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let open = w.copy_from_host_guarded(&other, &source).unwrap();
    all.survives(|capture| {
        let says = "belongs to a capture";
        isolated(capture.wait_event(&outside), "Stream::wait_event", says);
        unsupported(
            open.order_before(capture),
            "Transfer::order_before",
            "from outside",
        );
        capture.record_event(&inside).unwrap();
        isolated(eager.wait_event(&inside), "Stream::wait_event", says);
        isolated(other.wait_event(&inside), "Stream::wait_event", says);
        let says = "recorded in a capture";
        isolated(inside.query(), "Event::query", says);
        isolated(inside.synchronize(), "Event::synchronize", says);
        isolated(inside.elapsed_since(&outside), "Event::elapsed_since", says);
        isolated(outside.elapsed_since(&inside), "Event::elapsed_since", says);
        // Within the capture it orders its streams.
        capture.fork().unwrap().wait_event(&inside).unwrap();
    });
    // It keeps that after the capture, until it is recorded anew.
    isolated(inside.query(), "Event::query", "recorded in a capture");
    isolated(eager.wait_event(&inside), "Stream::wait_event", "capture");
    all.survives(|capture| {
        let says = "belongs to a capture";
        isolated(capture.wait_event(&inside), "Stream::wait_event", says);
    });
    inside.record(&eager).unwrap();
    inside.synchronize().unwrap();
    inside.elapsed_since(&outside).unwrap();
    open.wait().unwrap();
}

#[test]
fn u1_memory_written_in_the_capture_is_not_used_outside_while_it_lasts() {
    let _turn = alone();
    let all = setup();
    let (other, mut y) = (Stream::new().unwrap(), all.y);
    let mut z = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let graph = all.stream.capture(|capture| {
        y.copy_from_device_async(capture, &all.x)?;
        let says = "written in a capture";
        isolated(y.to_vec(&other), "DeviceBuffer::to_vec", says);
        isolated(y.fill(&other, 0), "DeviceBuffer::fill", says);
        isolated(y.input(&all.stream), "DeviceBuffer::input", says);
        let result = z.copy_from_device_async(&other, &y);
        isolated(result, "DeviceBuffer::copy_from_device_async", says);
        // What is only read may be read outside too.
        assert_same(&all.x.to_vec(&other)?, &all.data);
        Ok(())
    });
    y.fill(&other, 0).unwrap();
    assert_same(&y.to_vec(&other).unwrap(), &[0; LEN]);
    graph
        .unwrap()
        .instantiate()
        .unwrap()
        .launch(&other)
        .unwrap();
    assert_same(&y.to_vec(&all.stream).unwrap(), &all.data);
    assert_same(&z.to_vec(&all.stream).unwrap(), &[0; LEN]);
}

#[test]
fn u1_a_stream_that_escapes_its_capture_records_nothing() {
    let _turn = alone();
    let mut all = setup();
    let mut z = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let mut escaped = None;
    all.survives(|capture| escaped = Some(Stream::clone(capture)));
    let escaped = escaped.unwrap();
    let says = "has ended";
    isolated(z.fill(&escaped, 0), "DeviceBuffer::fill", says);
    isolated(z.input(&escaped), "DeviceBuffer::input", says);
    let result = DeviceBuffer::<u32>::zeros_async(&escaped, 5);
    isolated(result, "DeviceBuffer::zeros_async", says);
    host(z.to_vec(&escaped), "DeviceBuffer::to_vec");
    unsupported(escaped.synchronize(), "Stream::synchronize", "is launched");
    drop(escaped);
    z.fill(&all.stream, 0).unwrap();
}

#[test]
fn u1_another_thread_can_not_use_the_capturing_stream() {
    let _turn = alone();
    let mut all = setup();
    let mut z = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    all.survives(|capture| {
        let stream = Stream::clone(capture);
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let says = "of another thread";
                isolated(z.fill(&stream, 0), "DeviceBuffer::fill", says);
                let result = DeviceBuffer::<u32>::alloc_async(&stream, 5);
                isolated(result, "DeviceBuffer::alloc_async", says);
            });
        });
    });
}

#[test]
fn u1_the_stream_itself_is_not_captured() {
    let _turn = alone();
    let mut all = setup();
    let (asked, ask) = channel::<()>();
    let (answer, answered) = channel();
    let (stream, data) = (all.stream.clone(), all.data.clone());
    let thread = std::thread::spawn(move || {
        ask.recv().unwrap();
        // The very stream, on another thread, in the middle of the capture; housekeeping too.
        let z = DeviceBuffer::from_slice_guarded(&stream, &data).unwrap();
        let z = z.wait().unwrap();
        stream.launch_host_fn(|| ()).unwrap();
        stream.synchronize().unwrap();
        let event = Event::ordering().unwrap();
        event.record(&stream).unwrap();
        event.synchronize().unwrap();
        drop(DeviceBuffer::<u32>::zeros(LEN).unwrap());
        drop(HostBuffer::<u32>::alloc_zeroed(LEN).unwrap());
        answer.send(z.to_vec(&stream).unwrap()).unwrap();
    });
    let expected = all.data.clone();
    all.survives(|_| {
        asked.send(()).unwrap();
        assert_same(&answered.recv().unwrap(), &expected);
    });
    thread.join().unwrap();
}

#[test]
fn w1_two_threads_capture_at_the_same_time() {
    let _turn = alone();
    let threads: Vec<_> = (0..4)
        .map(|_| {
            std::thread::spawn(|| {
                let Setup {
                    stream,
                    data,
                    x,
                    mut y,
                } = setup();
                for _ in 0..20 {
                    let graph = stream.capture(|capture| {
                        y.copy_from_device_async(capture, &x)?;
                        drop(DeviceBuffer::<u32>::zeros(10)?);
                        drop(DeviceBuffer::from_slice_sync(&stream, &data)?);
                        drop(Event::ordering()?);
                        Ok(())
                    });
                    let mut exec = graph.unwrap().instantiate().unwrap();
                    y.fill(&stream, 0).unwrap();
                    exec.launch(&stream).unwrap();
                    assert_same(&y.to_vec(&stream).unwrap(), &data);
                }
            })
        })
        .collect();
    for thread in threads {
        thread.join().unwrap();
    }
    device::synchronize().unwrap();
}
