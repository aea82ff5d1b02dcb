//! U13: `assume_ordered` turns waits off and nothing else.

use icffi::memory::assume_ordered;
use icffi::prelude::*;
use icffi_sim::Policy;
use icffi_tests::sim::{POLICIES, over_schedules, sim_session};
use icffi_tests::{assert_same, random};

const LEN: usize = 1000;

#[test]
fn u13_operations_inside_do_not_wait() {
    let sim = sim_session(1, Policy::Eager);
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let mut x = DeviceBuffer::<u32>::alloc_async(&a, LEN).unwrap();
    a.synchronize().unwrap();
    // SAFETY: under this policy each call is complete when it returns.
    unsafe {
        assume_ordered(|| {
            x.fill(&a, 0).unwrap();
            x.fill(&b, 0).unwrap();
        });
    }
    assert_eq!(sim.calls("cudaStreamWaitEvent"), 0);
    x.fill(&a, 0).unwrap();
    assert_eq!(sim.calls("cudaStreamWaitEvent"), 1);
    drop((x, a, b));
    sim.end();
}

#[test]
fn u13_uses_inside_are_registered() {
    over_schedules(|_| {
        let (a, b, copied) = (
            Stream::new().unwrap(),
            Stream::new().unwrap(),
            Event::ordering().unwrap(),
        );
        let data = random::<u32>(LEN);
        let x = DeviceBuffer::from_slice_guarded(&a, &data)
            .unwrap()
            .into_ordered();
        let mut y = DeviceBuffer::<u32>::alloc(LEN).unwrap();
        copied.record(&a).unwrap();
        b.wait_event(&copied).unwrap();
        // SAFETY: `b` waits for the one earlier use, on `a`.
        unsafe { assume_ordered(|| y.copy_from_device_async(&b, &x)) }.unwrap();
        let mut x = x;
        // Outside again: this waits for the read on `b`.
        x.fill(&a, 0).unwrap();
        assert_same(&y.to_vec(&a).unwrap(), &data);
    });
}

#[test]
fn u13_dropping_inside_waits_for_every_use() {
    for free_async in [false, true] {
        for policy in POLICIES {
            for seed in 0..16 {
                let sim = sim_session(seed, policy);
                let streams: Vec<_> = (0..3).map(|_| Stream::new().unwrap()).collect();
                let data = random::<u32>(LEN);
                let up = DeviceBuffer::from_slice_guarded_async(&streams[0], &data).unwrap();
                let x = up.into_ordered();
                let mut copies = Vec::new();
                for stream in &streams[1..] {
                    let mut y = DeviceBuffer::<u32>::alloc_async(stream, LEN).unwrap();
                    y.copy_from_device_async(stream, &x).unwrap();
                    copies.push(y);
                }
                // SAFETY: within the scope nothing is enqueued; freeing waits for itself.
                unsafe {
                    assume_ordered(|| {
                        if free_async {
                            x.free_async(&streams[0]).unwrap();
                        } else {
                            drop(x);
                        }
                    });
                }
                streams[0].synchronize().unwrap();
                for (stream, y) in streams[1..].iter().zip(&copies) {
                    assert_same(&y.to_vec(stream).unwrap(), &data);
                }
                drop((copies, streams));
                sim.end();
            }
        }
    }
}
