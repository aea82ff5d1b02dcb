//! Uses of one buffer on several streams and threads are in order without the user's help.

use icffi::prelude::*;
use icffi_tests::{Gate, alone, assert_same, random, together};

#[test]
fn many_streams_in_sequence_on_one_buffer() {
    let _turn = together();
    let mut x = DeviceBuffer::<u32>::zeros(50_000).unwrap();
    let mut y = DeviceBuffer::<u32>::zeros(50_000).unwrap();
    for i in 0..60u32 {
        // A destroyed stream's handle may come back as the next one's.
        let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
        x.fill(&a, i * 7919).unwrap();
        y.copy_from_device_async(&b, &x).unwrap();
        if i % 10 == 9 {
            let back = y.to_vec(&Stream::new().unwrap()).unwrap();
            assert_same(&back, &vec![i * 7919; 50_000]);
        }
    }
}

#[test]
fn a_write_waits_for_every_reader() {
    let _turn = together();
    let streams: Vec<_> = (0..12).map(|_| Stream::new().unwrap()).collect();
    let data = random::<u32>(200_000);
    let mut x = DeviceBuffer::from_slice_guarded(&streams[0], &data)
        .unwrap()
        .into_ordered();
    let mut copies = Vec::new();
    for stream in &streams {
        let mut copy = DeviceBuffer::<u32>::alloc_async(stream, data.len()).unwrap();
        copy.copy_from_device_async(stream, &x).unwrap();
        copies.push(copy);
    }
    x.fill(&Stream::new().unwrap(), 0).unwrap();
    for copy in &copies {
        assert_same(&copy.to_vec(&streams[3]).unwrap(), &data);
    }
    assert_same(&x.to_vec(&streams[5]).unwrap(), &vec![0; data.len()]);
}

#[test]
fn a_use_on_another_stream_waits_on_the_device_and_not_on_the_cpu() {
    let _turn = alone();
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let data = random::<u32>(1000);
    let source = HostBuffer::from_slice(&data).unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(1000).unwrap();
    let mut y = DeviceBuffer::<u32>::zeros(1000).unwrap();
    let gate = Gate::close(&a).unwrap();
    // All of this is enqueued while `a` can't move.
    let up = x.copy_from_host_buffer_guarded(&a, &source).unwrap();
    y.copy_from_device_async(&b, &x).unwrap();
    assert!(!up.is_complete().unwrap());
    assert!(!b.query().unwrap());
    gate.open();
    assert_same(&y.to_vec(&b).unwrap(), &data);
    up.wait().unwrap();
    assert_eq!(a.take_callback_panic(), None);
}

#[test]
fn unrelated_streams_do_not_wait_for_each_other() {
    let _turn = alone();
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let data = random::<u32>(1000);
    let mut x = DeviceBuffer::<u32>::zeros(1000).unwrap();
    let mut y = DeviceBuffer::<u32>::zeros(1000).unwrap();
    let source = HostBuffer::from_slice(&data).unwrap();
    let mut target = HostBuffer::<u32>::alloc_zeroed(1000).unwrap();
    let gate = Gate::close(&a).unwrap();
    x.fill(&a, 1).unwrap();
    y.copy_from_host_buffer_guarded(&b, &source)
        .unwrap()
        .wait()
        .unwrap();
    y.copy_to_host_buffer_sync(&b, &mut target).unwrap();
    assert_same(target.as_slice(), &data);
    assert!(!a.query().unwrap());
    gate.open();
    assert_same(&x.to_vec(&a).unwrap(), &[1; 1000]);
    assert_eq!(a.take_callback_panic(), None);
}

#[test]
fn alloc_async_memory_is_used_on_another_stream() {
    let _turn = together();
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    for _ in 0..20 {
        let data = random::<u32>(100_000);
        let mut x = DeviceBuffer::<u32>::alloc_async(&a, data.len()).unwrap();
        let up = x.copy_from_host_guarded(&b, &data).unwrap();
        assert_same(&x.to_vec(&a).unwrap(), &data);
        up.wait().unwrap();
        x.free_async(&b).unwrap();
    }
}

#[test]
fn zeros_are_there_for_every_kind_of_stream() {
    let _turn = together();
    for _ in 0..10 {
        let x = DeviceBuffer::<u32>::zeros(100_000).unwrap();
        let mut copies = Vec::new();
        for stream in [
            Stream::new().unwrap(),
            Stream::new_with_flags(StreamFlags::Blocking).unwrap(),
            Stream::legacy_default().unwrap(),
        ] {
            let mut y = DeviceBuffer::<u32>::alloc_async(&stream, 100_000).unwrap();
            y.copy_from_device_async(&stream, &x).unwrap();
            copies.push((stream, y));
        }
        for (stream, y) in &copies {
            assert_same(&y.to_vec(stream).unwrap(), &vec![0; 100_000]);
        }
    }
}

#[test]
fn a_pinned_buffer_is_ordered_as_a_device_buffer_is() {
    let _turn = together();
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let mut pinned = HostBuffer::<u32>::alloc_zeroed(100_000).unwrap();
    let data = random::<u32>(100_000);
    let x = DeviceBuffer::from_slice_sync(&a, &data).unwrap();
    let mut y = DeviceBuffer::<u32>::zeros(data.len()).unwrap();
    for _ in 0..10 {
        // Into it on one stream, out of it on another, with no guard kept.
        std::mem::forget(x.copy_to_host_buffer_guarded(&a, &mut pinned).unwrap());
        std::mem::forget(y.copy_from_host_buffer_guarded(&b, &pinned).unwrap());
        assert_same(&y.to_vec(&a).unwrap(), &data);
        pinned.as_mut_slice().fill(0);
        y.fill(&b, 0).unwrap();
    }
}

#[test]
fn two_threads_hand_a_buffer_back_and_forth() {
    let _turn = together();
    let (there, from_here) = std::sync::mpsc::channel::<(DeviceBuffer<u32>, u32)>();
    let (back, from_there) = std::sync::mpsc::channel::<(DeviceBuffer<u32>, u32)>();
    let other = std::thread::spawn(move || {
        let stream = Stream::new().unwrap();
        for (mut x, value) in from_here {
            x.fill(&stream, value).unwrap();
            back.send((x, value)).unwrap();
        }
    });
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(30_000).unwrap();
    for i in 1..40u32 {
        there.send((x, i * 31)).unwrap();
        let value;
        (x, value) = from_there.recv().unwrap();
        let mut y = DeviceBuffer::<u32>::alloc_async(&stream, 30_000).unwrap();
        y.copy_from_device_async(&stream, &x).unwrap();
        x.fill(&stream, 0).unwrap();
        assert_same(&y.to_vec(&stream).unwrap(), &vec![value; 30_000]);
    }
    drop(there);
    other.join().unwrap();
}

#[test]
fn threads_of_their_own_do_not_disturb_each_other() {
    let _turn = together();
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let stream = Stream::new().unwrap();
                for round in 0..20 {
                    let data = random::<u8>(1 + round * 1000);
                    let x = DeviceBuffer::from_slice_guarded_async(&stream, &data).unwrap();
                    let mut y = DeviceBuffer::<u8>::zeros(data.len()).unwrap();
                    y.copy_from_device_async(&stream, &x.into_ordered())
                        .unwrap();
                    assert_same(&y.to_vec(&stream).unwrap(), &data);
                }
            });
        }
    });
}

#[test]
fn w2_a_kernel_waits_for_its_own_copy_only() {
    let _turn = alone();
    let (copy, compute) = (Stream::new().unwrap(), Stream::new().unwrap());
    let sources: Vec<_> = (0..4)
        .map(|_| HostBuffer::from_slice(&random::<u32>(1000)).unwrap())
        .collect();
    let mut inputs: Vec<_> = (0..4)
        .map(|_| DeviceBuffer::<u32>::zeros(1000).unwrap())
        .collect();
    let mut outputs: Vec<_> = (0..4)
        .map(|_| DeviceBuffer::<u32>::zeros(1000).unwrap())
        .collect();
    let mut first = HostBuffer::<u32>::alloc_zeroed(1000).unwrap();
    let mut gates = Vec::new();
    for (x, source) in inputs.iter_mut().zip(&sources) {
        std::mem::forget(x.copy_from_host_buffer_guarded(&copy, source).unwrap());
        // The copies after this one can't run.
        gates.push(Gate::close(&copy).unwrap());
    }
    for (y, x) in outputs.iter_mut().zip(&inputs) {
        y.copy_from_device_async(&compute, x).unwrap();
        if gates.len() == 4 {
            // While the rest of the copies is held up, the first result is there.
            outputs_first(y, &compute, &mut first);
            assert_same(first.as_slice(), sources[0].as_slice());
            assert!(!copy.query().unwrap());
            gates.drain(..).for_each(Gate::open);
        }
    }
    for (y, source) in outputs.iter().zip(&sources) {
        assert_same(&y.to_vec(&compute).unwrap(), source.as_slice());
    }
    assert_eq!(
        copy.take_callback_panic(),
        None,
        "a gate had to open by itself"
    );
}

fn outputs_first(y: &DeviceBuffer<u32>, stream: &Stream, target: &mut HostBuffer<u32>) {
    y.copy_to_host_buffer_sync(stream, target).unwrap();
}
