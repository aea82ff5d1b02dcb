//! Row 10 and W10: what can't be proved to be finished is neither freed nor handed out, and is
//! released by a later proof.

use icffi::device;
use icffi::prelude::*;
use icffi_sim::{Fault, Policy};
use icffi_sys::cudaError;
use icffi_tests::sim::{LATE, sim_session};
use icffi_tests::{assert_same, random};
use std::mem::forget;

const LEN: usize = 500;
const UNKNOWN: cudaError = cudaError::cudaErrorUnknown;

#[test]
fn row10_pinned_memory_whose_wait_fails_is_kept() {
    for policy in LATE {
        let sim = sim_session(1, policy);
        let stream = Stream::new().unwrap();
        let data = random::<u32>(LEN);
        let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
        icffi::staging::trim();
        let mut target = HostBuffer::<u32>::alloc_zeroed(LEN).unwrap();
        forget(x.copy_to_host_buffer_guarded(&stream, &mut target).unwrap());
        let device = device::current().unwrap();
        sim.fault(Fault::nth("cudaEventSynchronize", 1, UNKNOWN));
        drop(target);
        assert_eq!(device.quarantined(), 1);
        assert_eq!(sim.live().pinned_bytes, (LEN * 4) as u64);
        // An unrelated call works and does not return that error.
        let y = DeviceBuffer::<u32>::alloc(LEN).unwrap();
        let (error, count) = device.take_deferred_error().unwrap();
        assert_eq!((error.operation(), count), ("HostBuffer::drop", 1));
        assert!(device.take_deferred_error().is_none());
        device::synchronize().unwrap();
        assert_eq!(device.quarantined(), 0);
        assert_eq!(sim.live().pinned_allocations, 0);
        drop((x, y, stream));
        sim.end_forgetful();
    }
}

#[test]
fn row10_device_memory_whose_wait_fails_is_kept() {
    for policy in LATE {
        for enqueued in [false, true] {
            let sim = sim_session(1, policy);
            let stream = Stream::new().unwrap();
            let mut x = DeviceBuffer::<u32>::alloc(LEN).unwrap();
            x.fill(&stream, 0).unwrap();
            let fault = Fault::nth("cudaStreamSynchronize", 1, UNKNOWN);
            sim.fault(if enqueued { fault.enqueued() } else { fault });
            drop(x);
            let device = device::current().unwrap();
            assert_eq!(
                (device.quarantined(), sim.live().device_allocations),
                (1, 1)
            );
            assert!(device.take_deferred_error().is_some());
            // A wait that covers it is proof enough, without the whole device.
            stream.synchronize().unwrap();
            assert_eq!(
                (device.quarantined(), sim.live().device_allocations),
                (0, 0)
            );
            drop(stream);
            sim.end();
        }
    }
}

#[test]
fn row10_a_failed_question_proves_nothing() {
    for policy in LATE {
        let sim = sim_session(1, policy);
        let stream = Stream::new().unwrap();
        let mut x = DeviceBuffer::<u32>::alloc(LEN).unwrap();
        x.fill(&stream, 0).unwrap();
        sim.fault(Fault::nth("cudaStreamSynchronize", 1, UNKNOWN));
        drop(x);
        let device = device::current().unwrap();
        assert!(device.take_deferred_error().is_some());
        for function in ["cudaStreamQuery", "cudaEventQuery"] {
            sim.fault(Fault::nth(function, 1, UNKNOWN).times(100));
        }
        // Both look for what can be released.
        drop(DeviceBuffer::<u32>::alloc(LEN).unwrap());
        icffi::trim_all();
        assert_eq!(
            (device.quarantined(), sim.live().device_allocations),
            (1, 1)
        );
        sim.clear_faults();
        device::synchronize().unwrap();
        assert_eq!(
            (device.quarantined(), sim.live().device_allocations),
            (0, 0)
        );
        drop(stream);
        sim.end();
    }
}

#[test]
fn row10_a_failed_free_in_stream_order_is_not_tried_again() {
    for enqueued in [false, true] {
        let sim = sim_session(1, Policy::Lazy);
        let stream = Stream::new().unwrap();
        let x = DeviceBuffer::<u32>::zeros_async(&stream, LEN).unwrap();
        let fault = Fault::nth("cudaFreeAsync", 1, UNKNOWN);
        sim.fault(if enqueued { fault.enqueued() } else { fault });
        let error = x.free_async(&stream).unwrap_err();
        assert_eq!(error.operation(), "DeviceBuffer::free_async");
        assert_eq!(error.location().file(), file!());
        let live = sim.settle();
        assert_eq!(sim.leaked(), 1);
        assert_eq!(live.device_allocations, usize::from(!enqueued));
        drop(stream);
        sim.end_leaking();
    }
}

#[test]
fn w10_a_failed_wait_between_streams_quarantines_the_memory_of_a_free() {
    for function in ["cudaEventRecord", "cudaStreamWaitEvent"] {
        let sim = sim_session(1, Policy::Lazy);
        let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
        let mut x = DeviceBuffer::<u32>::alloc_async(&a, LEN).unwrap();
        x.fill(&a, 0).unwrap();
        sim.fault(Fault::nth(function, 1, UNKNOWN));
        let error = x.free_async(&b).unwrap_err();
        assert_eq!(error.operation(), "DeviceBuffer::free_async");
        let device = device::current().unwrap();
        assert_eq!(
            (device.quarantined(), sim.live().device_allocations),
            (1, 1)
        );
        device::synchronize().unwrap();
        assert_eq!(
            (device.quarantined(), sim.live().device_allocations),
            (0, 0)
        );
        drop((a, b));
        sim.end();
    }
}

#[test]
fn w10_staging_memory_comes_back_after_its_event_failed() {
    let sim = sim_session(1, Policy::Lazy);
    let stream = Stream::new().unwrap();
    let data = random::<u32>(LEN);
    let mut x = DeviceBuffer::<u32>::alloc(LEN).unwrap();
    sim.fault(Fault::nth("cudaEventRecord", 1, UNKNOWN));
    assert!(x.copy_from_host_guarded(&stream, &data).is_err());
    for _ in 0..3 {
        sim.fault(Fault::nth("cudaEventQuery", 1, UNKNOWN));
        sim.fault(Fault::nth("cudaStreamQuery", 1, UNKNOWN));
        forget(x.copy_from_host_guarded(&stream, &data).unwrap());
    }
    assert_same(&x.to_vec(&stream).unwrap(), &data);
    sim.clear_faults();
    drop((x, stream));
    sim.end_forgetful();
}

#[test]
fn w10_a_drop_that_fails_is_counted_and_the_next_call_works() {
    let sim = sim_session(1, Policy::Random);
    let device = device::current().unwrap();
    type Make = fn() -> Box<dyn std::any::Any>;
    let all: [(&str, Make); 5] = [
        ("cudaFree", || {
            Box::new(DeviceBuffer::<u32>::alloc(LEN).unwrap())
        }),
        ("cudaFreeHost", || {
            Box::new(HostBuffer::<u32>::alloc_zeroed(LEN).unwrap())
        }),
        ("cudaEventDestroy", || Box::new(Event::timed().unwrap())),
        ("cudaStreamDestroy", || Box::new(Stream::new().unwrap())),
        ("cudaFreeAsync", || {
            let stream = Stream::new().unwrap();
            Box::new(DeviceBuffer::<u32>::alloc_async(&stream, LEN).unwrap())
        }),
    ];
    for (i, (function, make)) in all.into_iter().enumerate() {
        let object = make();
        sim.fault(Fault::nth(function, 1, UNKNOWN));
        drop(object);
        assert_eq!(sim.leaked(), i + 1, "{function}");
        let (error, count) = device.take_deferred_error().expect(function);
        assert_eq!(count, 1, "{error}");
        assert!(error.message().contains(function), "{error}");
        assert!(error.operation().ends_with("::drop"), "{error}");
        drop(make());
    }
    let left = sim.end_leaking();
    assert_eq!((left.device_allocations, left.pinned_allocations), (2, 1));
    assert_eq!((left.events, left.streams), (1, 1));
}
