//! What order costs: nothing on one stream.

use icffi::prelude::*;
use icffi_sim::Policy;
use icffi_tests::sim::{POLICIES, no_memory, over_schedules, over_schedules_leaving, sim_session};
use icffi_tests::{assert_same, random};
use std::mem::forget;

#[test]
fn one_stream_records_no_event_but_the_transfers_own_and_never_waits() {
    over_schedules(|sim| {
        let stream = Stream::new().unwrap();
        let data = random::<u32>(1000);
        let mut x = DeviceBuffer::<u32>::alloc_async(&stream, 1000).unwrap();
        let mut y = DeviceBuffer::<u32>::zeros_async(&stream, 1000).unwrap();
        for _ in 0..5 {
            x.fill(&stream, 0).unwrap();
            y.copy_from_device_async(&stream, &x).unwrap();
            drop((x.input(&stream).unwrap(), y.output(&stream).unwrap()));
        }
        assert_eq!(sim.calls("cudaEventRecord"), 0);
        assert_eq!(sim.calls("cudaEventCreateWithFlags"), 0);
        x.copy_from_host_guarded(&stream, &data)
            .unwrap()
            .wait()
            .unwrap();
        assert_eq!(sim.calls("cudaEventRecord"), 1);
        y.copy_from_device_async(&stream, &x).unwrap();
        assert_same(&y.to_vec(&stream).unwrap(), &data);
        assert_eq!(sim.calls("cudaEventRecord"), 2);
        x.free_async(&stream).unwrap();
        drop(y);
        assert_eq!(sim.calls("cudaEventRecord"), 2);
        assert_eq!(sim.calls("cudaStreamWaitEvent"), 0);
        assert_eq!(sim.calls("cudaFreeAsync"), 2);
        assert_eq!(sim.calls("cudaFree"), 0);
        assert_eq!(sim.calls("cudaDeviceSynchronize"), 0);
    });
}

#[test]
fn a_change_of_stream_is_one_event_and_one_wait() {
    let sim = sim_session(1, Policy::Lazy);
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let mut x = DeviceBuffer::<u32>::alloc_async(&a, 1000).unwrap();
    x.fill(&a, 0).unwrap();
    x.fill(&b, 0).unwrap();
    let counts = || {
        (
            sim.calls("cudaEventRecord"),
            sim.calls("cudaStreamWaitEvent"),
        )
    };
    assert_eq!(counts(), (1, 1));
    for _ in 0..10 {
        x.fill(&b, 0).unwrap();
    }
    assert_eq!(counts(), (1, 1));
    drop(x);
    assert_eq!(counts(), (1, 1));
    drop((a, b));
    sim.end();
}

#[test]
fn w3_a_layer_of_buffers_that_changes_its_stream_waits_once() {
    let sim = sim_session(1, Policy::Random);
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let mut layer: Vec<_> = (0..100)
        .map(|_| DeviceBuffer::<u32>::zeros_async(&a, 10).unwrap())
        .collect();
    for x in &mut layer {
        x.fill(&b, 0).unwrap();
    }
    assert_eq!(sim.calls("cudaEventRecord"), 1);
    assert_eq!(sim.calls("cudaStreamWaitEvent"), 1);
    assert_same(&layer[99].to_vec(&b).unwrap(), &[0; 10]);
    drop((layer, a, b));
    sim.end();
}

#[test]
fn nothing_is_asked_of_the_null_stream_and_nothing_synchronizes_the_device() {
    over_schedules_leaving(
        |sim| {
            let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
            let data = random::<u32>(1000);
            let mut x = DeviceBuffer::<u32>::zeros(1000).unwrap();
            forget(x.copy_from_host_guarded(&a, &data).unwrap());
            let pinned = x.to_host_buffer(&b).unwrap();
            assert_same(&pinned, &data);
            drop((x, pinned));
            let bare = [
                "cudaMemset",
                "cudaMemcpy",
                "cudaDeviceSynchronize",
                "cudaMemcpy2D",
            ];
            for function in bare {
                assert_eq!(sim.calls(function), 0, "{function}");
            }
        },
        no_memory,
    );
}

#[test]
fn empty_buffers_make_no_call() {
    let sim = sim_session(1, Policy::Random);
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::alloc_async(&stream, 0).unwrap();
    let mut nothing = DeviceBuffer::<()>::alloc_async(&stream, 1000).unwrap();
    let mut pinned = HostBuffer::<u32>::alloc_zeroed(0).unwrap();
    let before = sim.total_calls();
    x.copy_from_host_sync(&stream, &[]).unwrap();
    forget(x.copy_from_host_guarded(&stream, &[]).unwrap());
    x.copy_to_host_sync(&stream, &mut []).unwrap();
    x.copy_from_host_buffer_sync(&stream, &pinned).unwrap();
    x.copy_to_host_buffer_guarded(&stream, &mut pinned)
        .unwrap()
        .wait()
        .unwrap();
    x.fill(&stream, 5).unwrap();
    nothing.fill(&stream, ()).unwrap();
    assert_eq!(nothing.to_vec(&stream).unwrap().len(), 1000);
    assert!(x.to_vec(&stream).unwrap().is_empty());
    let y = DeviceBuffer::<u32>::alloc_async(&stream, 0).unwrap();
    x.copy_from_device_sync(&stream, &y).unwrap();
    drop((x.input(&stream).unwrap(), nothing.output(&stream).unwrap()));
    nothing.free_async(&stream).unwrap();
    x.free_async(&stream).unwrap();
    drop((y, pinned));
    assert_eq!(sim.total_calls(), before);
    drop(stream);
    sim.end_forgetful();
}

#[test]
fn a_refused_length_makes_no_call() {
    let sim = sim_session(1, Policy::Random);
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros_async(&stream, 10).unwrap();
    let before = sim.total_calls();
    assert!(x.copy_from_host_sync(&stream, &[0; 9]).is_err());
    assert!(x.copy_from_host_guarded(&stream, &[0; 11]).is_err());
    assert!(x.copy_to_host_sync(&stream, &mut [0; 9]).is_err());
    assert!(DeviceBuffer::<u32>::alloc(usize::MAX).is_err());
    assert!(HostBuffer::<u32>::alloc_zeroed(usize::MAX).is_err());
    assert_eq!(sim.total_calls(), before);
    drop((x, stream));
    sim.end();
}

#[test]
fn w3_a_use_that_is_not_enqueued_yet_is_not_covered() {
    for policy in POLICIES {
        let sim = sim_session(1, policy);
        let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
        let data = random::<u32>(1000);
        let mut x = DeviceBuffer::from_slice_sync(&a, &data).unwrap();
        let mut y = DeviceBuffer::<u32>::zeros(1000).unwrap();
        let mut z = DeviceBuffer::<u32>::zeros(1000).unwrap();
        // As a kernel wrapper does it: registered first, launched later. In between, `b` waits
        // for an event of `a`, which stands before that launch.
        let output = x.output(&a).unwrap();
        y.fill(&a, 0).unwrap();
        y.fill(&b, 0).unwrap();
        let pointer = output.as_ptr().cast();
        // SAFETY: 4,000 bytes of device memory, registered as written on `a`.
        let status = unsafe { icffi_sys::cudaMemsetAsync(pointer, 0, 4000, a.raw()) };
        icffi::check(status).unwrap();
        drop(output);
        z.copy_from_device_async(&b, &x).unwrap();
        assert_same(&z.to_vec(&b).unwrap(), &[0; 1000]);
        drop((x, y, z, a, b));
        sim.end();
    }
}
