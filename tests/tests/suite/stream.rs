//! Streams.

use icffi::device;
use icffi::prelude::*;
use icffi_tests::{Gate, alone, assert_same, random, together};

fn round_trip(stream: &Stream) {
    let data = random::<u32>(10_000);
    let x = DeviceBuffer::from_slice_guarded_async(stream, &data)
        .unwrap()
        .into_ordered();
    let mut y = DeviceBuffer::<u32>::zeros(data.len()).unwrap();
    y.copy_from_device_async(stream, &x).unwrap();
    assert_same(&y.to_vec(stream).unwrap(), &data);
    stream.synchronize().unwrap();
}

#[test]
fn every_kind_of_stream_works() {
    let _turn = together();
    let kinds = [
        Stream::new().unwrap(),
        Stream::new_with_flags(StreamFlags::NonBlocking).unwrap(),
        Stream::new_with_flags(StreamFlags::Blocking).unwrap(),
        Stream::with_priority(-1).unwrap(),
        Stream::legacy_default().unwrap(),
    ];
    for stream in &kinds {
        round_trip(stream);
        assert_eq!(stream.device(), device::current().unwrap());
        assert!(!stream.raw().is_null());
    }
    round_trip(&Stream::per_thread_default().unwrap());
}

#[test]
fn priorities_are_clamped_to_the_range() {
    let _turn = together();
    let (lowest, highest) = Stream::priority_range().unwrap();
    assert!(highest <= lowest, "{highest} is more urgent than {lowest}");
    assert_eq!(Stream::new().unwrap().priority().unwrap(), 0);
    for asked in [lowest, highest, lowest + 100, highest - 100] {
        let stream = Stream::with_priority(asked).unwrap();
        assert_eq!(stream.priority().unwrap(), asked.clamp(highest, lowest));
    }
}

#[test]
fn query_tells_whether_work_is_left() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    assert!(stream.query().unwrap());
    let gate = Gate::close(&stream).unwrap();
    for _ in 0..10 {
        assert!(!stream.query().unwrap());
    }
    gate.open();
    stream.synchronize().unwrap();
    assert!(stream.query().unwrap());
    assert_eq!(stream.take_callback_panic(), None);
}

#[test]
fn clones_are_the_same_stream() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let clone = stream.clone();
    assert_eq!(stream.raw(), clone.raw());
    drop(stream);
    round_trip(&clone);
}

#[test]
fn threads_share_a_stream() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                for _ in 0..10 {
                    round_trip(&stream);
                }
            });
        }
    });
}

#[test]
fn each_thread_has_a_default_stream_of_its_own() {
    let _turn = together();
    let data = random::<u32>(50_000);
    let mine = Stream::per_thread_default().unwrap();
    let x = DeviceBuffer::from_slice_guarded_async(&mine, &data)
        .unwrap()
        .into_ordered();
    let mut y = DeviceBuffer::<u32>::alloc(data.len()).unwrap();
    // The handle is the same, the stream is another one: the work has to be ordered all the same.
    let y = std::thread::spawn(move || {
        let theirs = Stream::per_thread_default().unwrap();
        y.copy_from_device_async(&theirs, &x).unwrap();
        drop(x);
        y
    });
    let y = y.join().unwrap();
    assert_same(&y.to_vec(&mine).unwrap(), &data);
    y.free_async(&mine).unwrap();
    mine.synchronize().unwrap();
}

#[test]
fn the_legacy_default_stream_is_ordered_too() {
    let _turn = together();
    let legacy = Stream::legacy_default().unwrap();
    let own = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(100_000).unwrap();
    for i in 1..20 {
        let (a, b) = if i % 2 == 0 {
            (&legacy, &own)
        } else {
            (&own, &legacy)
        };
        x.fill(a, i * 0x0101).unwrap();
        assert_same(&x.to_vec(b).unwrap(), &vec![i * 0x0101; 100_000]);
    }
}

#[test]
fn a_stream_waits_for_an_event_of_another() {
    let _turn = alone();
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let event = Event::ordering().unwrap();
    let gate = Gate::close(&a).unwrap();
    a.record_event(&event).unwrap();
    b.wait_event(&event).unwrap();
    assert!(!b.query().unwrap());
    gate.open();
    b.synchronize().unwrap();
    assert!(a.query().unwrap() && event.query().unwrap());
}

#[test]
fn a_dropped_stream_still_finishes_its_work() {
    let _turn = together();
    let (sender, receiver) = std::sync::mpsc::channel();
    let stream = Stream::new().unwrap();
    stream
        .launch_host_fn(move || sender.send(17).unwrap())
        .unwrap();
    drop(stream);
    device::synchronize().unwrap();
    assert_eq!(
        receiver.recv_timeout(std::time::Duration::from_secs(20)),
        Ok(17)
    );
}
