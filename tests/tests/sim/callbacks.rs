//! U4 and row 14: a host function is run once or dropped once, whatever the enqueue reports, and
//! what it captured is released outside.

use icffi::prelude::*;
use icffi::{Result, codes};
use icffi_sim::{Fault, Policy};
use icffi_sys::cudaError;
use icffi_tests::random;
use icffi_tests::sim::{
    POLICIES, idle, no_memory, over_schedules, over_schedules_leaving, sim_session,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

/// Counts how often its holder was run and how often it was dropped.
#[derive(Clone, Default)]
struct Counts(Arc<(AtomicUsize, AtomicUsize)>);

struct Held(Counts);

impl Drop for Held {
    fn drop(&mut self) {
        self.0.0.1.fetch_add(1, SeqCst);
    }
}

impl Counts {
    fn launch(&self, stream: &Stream) -> Result<()> {
        let held = Held(self.clone());
        stream.launch_host_fn(move || {
            held.0.0.0.fetch_add(1, SeqCst);
        })
    }

    fn get(&self) -> (usize, usize) {
        (self.0.0.load(SeqCst), self.0.1.load(SeqCst))
    }
}

#[test]
fn row14_a_refused_function_is_dropped_and_not_run() {
    for policy in POLICIES {
        let sim = sim_session(1, policy);
        let stream = Stream::new().unwrap();
        let counts = Counts::default();
        sim.fault(Fault::nth(
            "cudaLaunchHostFunc",
            1,
            cudaError::cudaErrorUnknown,
        ));
        let error = counts.launch(&stream).unwrap_err();
        assert_eq!(
            (error.code(), error.operation()),
            (codes::UNKNOWN, "Stream::launch_host_fn")
        );
        assert_eq!(counts.get(), (0, 1));
        stream.synchronize().unwrap();
        assert_eq!(counts.get(), (0, 1));
        counts.launch(&stream).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(counts.get(), (1, 2));
        drop(stream);
        sim.end();
    }
}

#[test]
fn u4_a_function_whose_enqueue_reports_an_error_is_run_or_dropped_once() {
    for policy in POLICIES {
        for seed in 0..8 {
            let sim = sim_session(seed, policy);
            let stream = Stream::new().unwrap();
            let counts = Counts::default();
            let fault = Fault::nth("cudaLaunchHostFunc", 1, cudaError::cudaErrorUnknown);
            sim.fault(fault.enqueued());
            counts.launch(&stream).unwrap_err();
            stream.synchronize().unwrap();
            idle().unwrap();
            let (run, dropped) = counts.get();
            assert_eq!(dropped, 1);
            assert!(run <= 1);
            drop(stream);
            sim.end();
        }
    }
}

#[test]
fn u4_everything_may_be_dropped_inside() {
    over_schedules_leaving(
        |sim| {
            let stream = Stream::new().unwrap();
            let other = Stream::new().unwrap();
            let data = random::<u32>(1000);
            let pooled = DeviceBuffer::from_slice_guarded_async(&stream, &data).unwrap();
            let malloced = DeviceBuffer::from_slice_guarded(&other, &data)
                .unwrap()
                .into_ordered();
            let pinned = HostBuffer::from_slice(&data).unwrap();
            let mut busy = DeviceBuffer::<u32>::alloc(1000).unwrap();
            std::mem::forget(busy.copy_from_host_buffer_guarded(&other, &pinned).unwrap());
            let all = (
                pooled.into_ordered(),
                malloced,
                pinned,
                busy,
                Event::timed().unwrap(),
                other,
                stream.clone(),
            );
            stream.launch_host_fn(move || drop(all)).unwrap();
            drop(stream);
            sim.settle();
        },
        no_memory,
    );
}

#[test]
fn u4_guards_may_be_dropped_inside() {
    over_schedules(|_| {
        let stream = Stream::new().unwrap();
        let data: &'static [u32] = Box::leak(random::<u32>(1000).into_boxed_slice());
        let into = DeviceBuffer::from_slice_guarded_async(&stream, data).unwrap();
        let old: &'static mut [u32] = Box::leak(vec![0; 1000].into_boxed_slice());
        let x = DeviceBuffer::from_slice_sync(&stream, data).unwrap();
        let down = x.copy_to_host_guarded(&stream, old).unwrap();
        stream.launch_host_fn(move || drop((into, down))).unwrap();
        stream.synchronize().unwrap();
        assert_eq!(stream.take_callback_panic(), None);
    });
}

#[test]
fn u4_a_lost_context_never_calls_the_function() {
    let sim = sim_session(3, Policy::Lazy);
    let stream = Stream::new().unwrap();
    let counts = Counts::default();
    counts.launch(&stream).unwrap();
    let fault = Fault::nth("cudaStreamQuery", 1, cudaError::cudaErrorIllegalAddress);
    sim.fault(fault.sticky());
    assert!(stream.query().unwrap_err().is_sticky());
    assert!(stream.synchronize().is_err());
    assert!(counts.get().1 <= 1);
    drop(stream);
    sim.assert_clean();
}
