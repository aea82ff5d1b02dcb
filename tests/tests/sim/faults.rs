//! Rows 3, 11, 17 and amendments U10, U14, W7: single faults at chosen places.

use icffi::codes;
use icffi::prelude::*;
use icffi::sys::cudaPeekAtLastError;
use icffi_sim::{Fault, Policy};
use icffi_sys::cudaError;
use icffi_tests::sim::{LATE, POLICIES, sim_session};
use icffi_tests::{assert_same, random};
use std::mem::forget;

const LEN: usize = 1000;
const UNKNOWN: cudaError = cudaError::cudaErrorUnknown;

fn last_error() -> cudaError {
    // SAFETY: no precondition.
    unsafe { cudaPeekAtLastError() }
}

#[test]
fn row03_a_panic_while_copies_are_in_flight() {
    for policy in POLICIES {
        let sim = sim_session(5, policy);
        let stream = Stream::new().unwrap();
        let data = random::<u32>(LEN);
        let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
        let mut y = DeviceBuffer::<u32>::alloc(LEN).unwrap();
        let (mut slice, mut pinned) = (vec![0; LEN], HostBuffer::<u32>::alloc_zeroed(LEN).unwrap());
        let caught = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            let source = random::<u32>(LEN);
            let pinned_source = HostBuffer::from_slice(&source).unwrap();
            let _down = x.copy_to_host_guarded(&stream, &mut slice).unwrap();
            let _up = y.copy_from_host_guarded(&stream, &source).unwrap();
            let _into = DeviceBuffer::from_host_buffer_guarded(&stream, &pinned_source).unwrap();
            let _pinned = x.copy_to_host_buffer_guarded(&stream, &mut pinned).unwrap();
            std::panic::resume_unwind(Box::new("between"));
        }));
        assert!(caught.is_err());
        assert_same(&slice, &data);
        assert_same(&pinned, &data);
        drop((pinned, x, y, stream));
        sim.end();
    }
}

#[test]
fn row11_staging_of_a_copy_that_reports_an_error_is_not_reused_while_it_may_run() {
    for policy in POLICIES {
        let sim = sim_session(2, policy);
        let stream = Stream::new().unwrap();
        let (first, second) = (random::<u32>(LEN), random::<u32>(LEN));
        let mut x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
        let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
        sim.fault(Fault::nth("cudaMemcpyAsync", 1, UNKNOWN).enqueued());
        let error = x
            .copy_from_host_guarded(&stream, &first)
            .map(forget)
            .unwrap_err();
        assert_eq!(error.code(), codes::UNKNOWN);
        // It is in flight all the same, from staging memory that must not get other data.
        forget(y.copy_from_host_guarded(&stream, &second).unwrap());
        assert_same(&x.to_vec(&stream).unwrap(), &first);
        assert_same(&y.to_vec(&stream).unwrap(), &second);
        drop((x, y, stream));
        sim.end_forgetful();
    }
}

#[test]
fn row11_pinned_memory_of_a_copy_that_reports_an_error_is_still_leased() {
    for policy in POLICIES {
        let sim = sim_session(2, policy);
        let stream = Stream::new().unwrap();
        let data = random::<u32>(LEN);
        let mut source = HostBuffer::from_slice(&data).unwrap();
        let mut x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
        sim.fault(Fault::nth("cudaMemcpyAsync", 1, UNKNOWN).enqueued());
        assert!(x.copy_from_host_buffer_guarded(&stream, &source).is_err());
        source.as_mut_slice().fill(0);
        assert_same(&x.to_vec(&stream).unwrap(), &data);
        let mut target = HostBuffer::<u32>::alloc_zeroed(LEN).unwrap();
        sim.fault(Fault::nth("cudaMemcpyAsync", 1, UNKNOWN).enqueued());
        assert!(x.copy_to_host_buffer_guarded(&stream, &mut target).is_err());
        assert_same(target.as_slice(), &data);
        // Freed while it may run: only after it has.
        sim.fault(Fault::nth("cudaMemcpyAsync", 1, UNKNOWN).enqueued());
        assert!(x.copy_to_host_buffer_guarded(&stream, &mut target).is_err());
        drop(target);
        drop((x, source, stream));
        sim.end();
    }
}

#[test]
fn u14_a_use_is_registered_although_its_enqueue_reports_an_error() {
    for policy in POLICIES {
        for seed in 0..8 {
            let sim = sim_session(seed, policy);
            let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
            let data = random::<u32>(LEN);
            let mut x = DeviceBuffer::<u32>::alloc(LEN).unwrap();
            sim.fault(Fault::nth("cudaMemsetAsync", 1, UNKNOWN).enqueued());
            x.fill(&a, 0).unwrap_err();
            // The fill may come late; what follows on another stream comes after it.
            x.copy_from_host_guarded(&b, &data).unwrap().wait().unwrap();
            a.synchronize().unwrap();
            assert_same(&x.to_vec(&b).unwrap(), &data);
            sim.fault(Fault::nth("cudaMemsetAsync", 1, UNKNOWN).enqueued());
            x.fill(&a, 0).unwrap_err();
            // And the memory is not freed under it.
            drop(x);
            drop((a, b));
            sim.end();
        }
    }
}

#[test]
fn u10_a_failed_download_leaves_the_slice_to_its_owner() {
    for policy in LATE {
        for failing in ["cudaMemcpyAsync", "cudaEventRecord", "cudaEventSynchronize"] {
            for enqueued in [false, true] {
                let sim = sim_session(1, policy);
                let stream = Stream::new().unwrap();
                let data = random::<u32>(LEN);
                let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
                let old = random::<u32>(LEN);
                let mut target = old.clone();
                let fault = Fault::nth(failing, 1, UNKNOWN);
                sim.fault(if enqueued { fault.enqueued() } else { fault });
                let error = x.copy_to_host_sync(&stream, &mut target).unwrap_err();
                assert_eq!(error.operation(), "DeviceBuffer::copy_to_host_sync");
                assert_same(&target, &old);
                // Nothing arrives later either.
                stream.synchronize().unwrap();
                assert_same(&target, &old);
                x.copy_to_host_sync(&stream, &mut target).unwrap();
                assert_same(&target, &data);
                drop((x, stream));
                sim.end();
            }
        }
    }
}

#[test]
fn u10_a_failed_wait_of_a_guard_leaves_the_slice_unchanged() {
    let sim = sim_session(1, Policy::Lazy);
    let stream = Stream::new().unwrap();
    let x = DeviceBuffer::from_slice_sync(&stream, &random::<u32>(LEN)).unwrap();
    let old = random::<u32>(LEN);
    let mut target = old.clone();
    let transfer = x.copy_to_host_guarded(&stream, &mut target).unwrap();
    sim.fault(Fault::nth("cudaEventSynchronize", 1, UNKNOWN));
    let error = transfer.wait().unwrap_err();
    assert_eq!(error.operation(), "Transfer::wait");
    assert_eq!(error.location().file(), file!());
    stream.synchronize().unwrap();
    assert_same(&target, &old);
    // A guard that is only dropped keeps the error for whoever asks.
    let transfer = x.copy_to_host_guarded(&stream, &mut target).unwrap();
    sim.fault(Fault::nth("cudaEventSynchronize", 1, UNKNOWN));
    drop(transfer);
    assert_same(&target, &old);
    let (kept, count) = device::current().unwrap().take_deferred_error().unwrap();
    assert_eq!((kept.operation(), count), ("Transfer::drop", 1));
    drop((x, stream));
    sim.end();
}

#[test]
fn row12_no_slice_of_the_callers_is_named_in_a_copy() {
    for policy in LATE {
        let sim = sim_session(1, policy);
        let stream = Stream::new().unwrap();
        let expected = random::<u32>(LEN);
        let mut data = expected.clone();
        let mut x = DeviceBuffer::<u32>::alloc(LEN).unwrap();
        // Small or large, the slice is free the moment the call returns: the simulator reads a
        // pageable source as late as the documentation allows.
        forget(x.copy_from_host_guarded(&stream, &data).unwrap());
        assert!(sim.pending() > 0, "the copy itself is still to come");
        data.fill(0);
        assert_same(&x.to_vec(&stream).unwrap(), &expected);
        drop((x, stream));
        sim.end_forgetful();
    }
}

#[test]
fn row17_every_failed_call_is_drained() {
    let sim = sim_session(1, Policy::Random);
    let stream = Stream::new().unwrap();
    let data = random::<u32>(LEN);
    for function in [
        "cudaMalloc",
        "cudaMemcpyAsync",
        "cudaEventRecord",
        "cudaEventSynchronize",
    ] {
        sim.fault(Fault::nth(function, 1, UNKNOWN));
        let error = DeviceBuffer::from_slice_sync(&stream, &data).unwrap_err();
        assert!(error.message().contains(function), "{error}");
        assert_eq!(last_error(), cudaError::cudaSuccess, "{function}");
        sim.clear_faults();
    }
    drop(stream);
    sim.end();
}

#[test]
fn w7_queries_leave_no_error_behind() {
    for policy in LATE {
        let sim = sim_session(1, policy);
        let stream = Stream::new().unwrap();
        let event = Event::timed().unwrap();
        let mut x = DeviceBuffer::<u32>::alloc(LEN).unwrap();
        // Enough work that the first query, a step of the schedule, does not finish it.
        for _ in 0..20 {
            x.fill(&stream, 0).unwrap();
        }
        event.record(&stream).unwrap();
        assert!(!stream.query().unwrap());
        assert_eq!(last_error(), cudaError::cudaSuccess);
        assert!(!event.query().unwrap());
        assert_eq!(last_error(), cudaError::cudaSuccess);
        let early = event.elapsed_since(&event).unwrap_err();
        assert_eq!(early.code(), codes::NOT_READY);
        assert_eq!(last_error(), cudaError::cudaSuccess);
        // Spinning gets there.
        while !event.query().unwrap() {}
        drop((x, event, stream));
        sim.end();
    }
}

#[test]
fn a_null_pointer_from_a_successful_allocation_is_an_error() {
    // The simulator gives none; the code and the text are the crate's own.
    use icffi::icffi_codes::ALLOCATION_NULL;
    assert_eq!(ALLOCATION_NULL, -4);
}
