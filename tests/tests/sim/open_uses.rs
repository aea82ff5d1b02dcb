//! Uses that are registered and not enqueued yet, and other threads that ask about them in the
//! meantime. Found by trying to break the record through safe code.

use icffi::prelude::*;
use icffi_sim::Policy;
use icffi_tests::sim::{idle, over_schedules, sim_session};
use icffi_tests::{Gate, assert_same};
use std::time::Duration;

/// Makes whoever acquires `x` next on another thread wait until the device is idle: its last use
/// is a descriptor made on another thread's default stream and forgotten. So a test can hold a
/// thread between the registration of one use and the call.
fn slow_to_acquire(x: &mut DeviceBuffer<u32>) {
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let theirs = Stream::per_thread_default().unwrap();
            std::mem::forget(x.output(&theirs).unwrap());
        });
    });
}

/// Long enough for a thread just started to reach the place where it waits.
fn let_it_start() {
    std::thread::sleep(Duration::from_millis(200));
}

#[test]
fn a_descriptor_marks_its_own_use_only() {
    over_schedules(|_| {
        let stream = Stream::new().unwrap();
        let mine = Stream::per_thread_default().unwrap();
        let mut x = DeviceBuffer::<u32>::zeros(1000).unwrap();
        let graph = stream.capture(|c| x.fill(c, 0x0101_0101)).unwrap();
        let mut exec = graph.instantiate().unwrap();
        let unused = x.output(&mine).unwrap();
        exec.launch(&stream).unwrap();
        // Records an event on this thread's stream, which must not become the launch's.
        drop(unused);
        assert_same(&x.to_vec(&mine).unwrap(), &[0x0101_0101; 1000]);
    });
}

/// A thread that has registered a read of `shared` on the stream and is kept from enqueueing it
/// until the gate opens.
fn hold_a_reader(
    shared: &SharedBuffer<u32>,
    stream: &Stream,
) -> (Gate, std::thread::JoinHandle<DeviceBuffer<u32>>) {
    let mut target = DeviceBuffer::<u32>::zeros(shared.len()).unwrap();
    slow_to_acquire(&mut target);
    let gate = Gate::close(&Stream::new().unwrap()).unwrap();
    let (shared, stream) = (shared.clone(), stream.clone());
    let reader = std::thread::spawn(move || {
        target
            .as_view_mut()
            .copy_from_device_async(&stream, &shared.as_view())
            .unwrap();
        target
    });
    let_it_start();
    (gate, reader)
}

/// So many readers that those which are over are forgotten.
fn read_on_many_streams(shared: &SharedBuffer<u32>) {
    for _ in 0..9 {
        let other = Stream::new().unwrap();
        let mut copy = DeviceBuffer::<u32>::alloc_async(&other, shared.len()).unwrap();
        copy.as_view_mut()
            .copy_from_device_async(&other, &shared.as_view())
            .unwrap();
    }
}

#[test]
fn a_reader_that_is_not_enqueued_yet_is_not_taken_for_over() {
    let sim = sim_session(1, Policy::Lazy);
    let (owner, a) = (Stream::new().unwrap(), Stream::new().unwrap());
    let shared = DeviceBuffer::from_slice_sync(&owner, &[7u32; 1000])
        .unwrap()
        .freeze();
    let (gate, reader) = hold_a_reader(&shared, &a);
    read_on_many_streams(&shared);
    gate.open();
    let target = reader.join().unwrap();
    let mut again = shared.try_unfreeze().unwrap();
    again.fill(&owner, 0).unwrap();
    owner.synchronize().unwrap();
    assert_same(&target.to_vec(&a).unwrap(), &[7; 1000]);
    drop((target, again, owner, a));
    sim.end();
}

#[test]
fn memory_is_not_freed_under_a_reader_that_is_not_enqueued_yet() {
    let sim = sim_session(1, Policy::Lazy);
    let (owner, a) = (Stream::new().unwrap(), Stream::new().unwrap());
    let shared = DeviceBuffer::from_slice_guarded_async(&owner, &[7u32; 1000])
        .unwrap()
        .wait()
        .unwrap()
        .freeze();
    let (gate, reader) = hold_a_reader(&shared, &a);
    read_on_many_streams(&shared);
    gate.open();
    let target = reader.join().unwrap();
    drop(shared);
    owner.synchronize().unwrap();
    assert_same(&target.to_vec(&a).unwrap(), &[7; 1000]);
    drop((target, owner, a));
    sim.end();
}

#[test]
fn the_event_of_one_reader_does_not_stand_for_another_on_the_same_stream() {
    for policy in [Policy::Lazy, Policy::Reverse] {
        let sim = sim_session(1, policy);
        let (owner, a) = (Stream::new().unwrap(), Stream::new().unwrap());
        let shared = DeviceBuffer::from_slice_sync(&owner, &[7u32; 1000])
            .unwrap()
            .freeze();
        let (gate, reader) = hold_a_reader(&shared, &a);
        let mut host = [0u32; 1000];
        let copy = shared
            .as_view()
            .copy_to_host_guarded(&a, &mut host)
            .unwrap();
        copy.wait().unwrap();
        gate.open();
        let target = reader.join().unwrap();
        let mut again = shared.try_unfreeze().unwrap();
        again.fill(&owner, 0).unwrap();
        owner.synchronize().unwrap();
        assert_same(&target.to_vec(&a).unwrap(), &[7; 1000]);
        drop((target, again, owner, a));
        sim.end();
    }
}

#[test]
fn a_use_of_a_view_is_not_tidied_away_before_it_is_enqueued() {
    let sim = sim_session(1, Policy::Lazy);
    let (stream, a, b) = (
        Stream::new().unwrap(),
        Stream::new().unwrap(),
        Stream::new().unwrap(),
    );
    let mut x = DeviceBuffer::from_slice_sync(&stream, &[7u32; 4096]).unwrap();
    idle().unwrap();
    let mut target = DeviceBuffer::<u32>::zeros(1000).unwrap();
    slow_to_acquire(&mut target);
    let gate = Gate::close(&Stream::new().unwrap()).unwrap();
    let (low, mut high) = x.split_at_mut(1000);
    std::thread::scope(|scope| {
        let (a, target) = (&a, &mut target);
        let reader = scope.spawn(move || {
            target
                .as_view_mut()
                .copy_from_device_async(a, &low.as_view())
                .unwrap();
        });
        let_it_start();
        // So many ranges that those which are over are forgotten.
        for i in 0..200 {
            let other = if i % 2 == 0 { &b } else { &stream };
            high.slice_mut(i * 8..i * 8 + 4).fill(other, 0).unwrap();
            other.synchronize().unwrap();
        }
        gate.open();
        reader.join().unwrap();
    });
    x.fill(&stream, 0).unwrap();
    stream.synchronize().unwrap();
    assert_same(&target.to_vec(&a).unwrap(), &[7; 1000]);
    drop((x, target, stream, a, b));
    sim.end();
}
