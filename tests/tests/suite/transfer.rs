//! Guards.

use icffi::prelude::*;
use icffi_tests::{Gate, alone, assert_same, random, together};

#[test]
fn a_guard_of_nothing_is_complete() {
    let _turn = together();
    let (stream, other) = (Stream::new().unwrap(), Stream::new().unwrap());
    let mut x = DeviceBuffer::<u32>::zeros(0).unwrap();
    let up = x.copy_from_host_guarded(&stream, &[]).unwrap();
    assert!(up.was_synchronous() && up.is_complete().unwrap() && up.event_raw().is_null());
    up.order_before(&other).unwrap();
    up.wait().unwrap();
    let into = DeviceBuffer::from_slice_guarded(&stream, &[0u32; 0]).unwrap();
    assert!(into.was_synchronous() && into.is_complete().unwrap() && into.event_raw().is_null());
    into.order_before(&other).unwrap();
    assert_eq!(into.wait().unwrap().len(), 0);
}

#[test]
fn a_guard_tells_when_the_device_has_passed_it() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let data = random::<u32>(1000);
    let source = HostBuffer::from_slice(&data).unwrap();
    let mut target = HostBuffer::<u32>::alloc_zeroed(1000).unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(1000).unwrap();
    let gate = Gate::close(&stream).unwrap();
    let up = x.copy_from_host_buffer_guarded(&stream, &source).unwrap();
    let down = x.copy_to_host_buffer_guarded(&stream, &mut target).unwrap();
    assert!(!up.is_complete().unwrap() && !down.is_complete().unwrap());
    assert!(!up.was_synchronous() && !up.event_raw().is_null());
    gate.open();
    down.wait().unwrap();
    assert!(up.is_complete().unwrap());
    up.wait().unwrap();
    assert_same(&target, &data);
}

#[test]
fn a_guard_waits_for_its_own_event_and_not_for_the_stream() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let data = random::<u32>(1000);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let (mut one, mut two) = (vec![0u32; 1000], vec![0u32; 1000]);
    let first = x.copy_to_host_guarded(&stream, &mut one).unwrap();
    let second = x.copy_to_host_guarded(&stream, &mut two).unwrap();
    let gate = Gate::close(&stream).unwrap();
    first.wait().unwrap();
    drop(second);
    assert!(!stream.query().unwrap());
    gate.open();
    assert_same(&one, &data);
    assert_same(&two, &data);
    stream.synchronize().unwrap();
    assert_eq!(stream.take_callback_panic(), None);
}

#[test]
fn order_before_holds_another_stream_back() {
    let _turn = alone();
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let source = HostBuffer::from_slice(&random::<u32>(1000)).unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(1000).unwrap();
    let gate = Gate::close(&a).unwrap();
    let up = x.copy_from_host_buffer_guarded(&a, &source).unwrap();
    up.order_before(&b).unwrap();
    assert!(!b.query().unwrap());
    gate.open();
    b.synchronize().unwrap();
    assert!(up.is_complete().unwrap());
    up.wait().unwrap();
}

#[test]
fn a_guard_may_be_waited_for_on_another_thread() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let data = random::<u32>(100_000);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let mut target = vec![0u32; data.len()];
    let transfer = x.copy_to_host_guarded(&stream, &mut target).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(move || transfer.wait().unwrap());
    });
    assert_same(&target, &data);
}

#[test]
fn many_guards_are_open_at_once_and_end_in_any_order() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let data: Vec<_> = (0..30).map(|i| random::<u8>(1000 * i + 1)).collect();
    let buffers: Vec<_> = data
        .iter()
        .map(|data| {
            DeviceBuffer::from_slice_guarded(&stream, data)
                .unwrap()
                .into_ordered()
        })
        .collect();
    let mut targets: Vec<_> = data.iter().map(|data| vec![0u8; data.len()]).collect();
    let mut open: Vec<_> = buffers
        .iter()
        .zip(&mut targets)
        .map(|(x, target)| x.copy_to_host_guarded(&stream, target).unwrap())
        .collect();
    while !open.is_empty() {
        let middle = open.len() / 2;
        open.swap_remove(middle).wait().unwrap();
    }
    drop(open);
    for (target, data) in targets.iter().zip(&data) {
        assert_same(target, data);
    }
}

#[test]
fn row03_a_panic_or_an_early_return_between_enqueue_and_wait() {
    fn early(x: &DeviceBuffer<u32>, stream: &Stream, target: &mut [u32]) -> Result<()> {
        let _transfer = x.copy_to_host_guarded(stream, target)?;
        DeviceBuffer::<u64>::alloc(usize::MAX)?;
        unreachable!("the allocation fails");
    }
    let _turn = together();
    let stream = Stream::new().unwrap();
    let data = random::<u32>(100_000);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let mut target = vec![0; data.len()];
    early(&x, &stream, &mut target).unwrap_err();
    assert_same(&target, &data);
    let mut pinned = HostBuffer::<u32>::alloc_zeroed(data.len()).unwrap();
    target.fill(0);
    let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
        let _one = x.copy_to_host_guarded(&stream, &mut target).unwrap();
        let _two = x.copy_to_host_buffer_guarded(&stream, &mut pinned).unwrap();
        let _source = DeviceBuffer::from_slice_guarded(&stream, &data).unwrap();
        std::panic::resume_unwind(Box::new("between"));
    }));
    assert!(caught.is_err());
    assert_same(&target, &data);
    assert_same(&pinned, &data);
}
