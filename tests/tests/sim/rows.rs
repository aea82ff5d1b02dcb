//! Rows of the soundness table that need a bad schedule or a count, one by one.

use icffi::memory::assume_ordered;
use icffi::prelude::*;
use icffi_sim::Policy;
use icffi_tests::sim::{LATE, Sim, no_memory, over_schedules, over_schedules_leaving, sim_session};
use icffi_tests::{assert_same, random};
use std::mem::forget;

const LEN: usize = 900;

fn waits(sim: &Sim) -> (u64, u64) {
    (
        sim.calls("cudaEventRecord"),
        sim.calls("cudaStreamWaitEvent"),
    )
}

#[test]
fn row04_a_buffer_is_written_elsewhere_while_it_is_downloaded() {
    over_schedules(|_| {
        let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
        let data = random::<u32>(LEN);
        let mut x = DeviceBuffer::from_slice_sync(&a, &data).unwrap();
        let mut target = vec![0; LEN];
        let down = x.copy_to_host_guarded(&a, &mut target).unwrap();
        x.fill(&b, 0x0102_0304).unwrap();
        x.free_async(&b).unwrap();
        let mut reused = DeviceBuffer::<u32>::zeros_async(&b, LEN).unwrap();
        reused.fill(&b, 9).unwrap();
        down.wait().unwrap();
        assert_same(&target, &data);
    });
}

#[test]
fn row05_freed_on_one_stream_and_used_on_another() {
    over_schedules(|_| {
        let (a, b, c) = (
            Stream::new().unwrap(),
            Stream::new().unwrap(),
            Stream::new().unwrap(),
        );
        let data = random::<u32>(LEN);
        let x = DeviceBuffer::from_slice_guarded_async(&a, &data)
            .unwrap()
            .into_ordered();
        let mut copies = [&a, &b].map(|s| DeviceBuffer::<u32>::alloc_async(s, LEN).unwrap());
        copies[0].copy_from_device_async(&a, &x).unwrap();
        copies[1].copy_from_device_async(&b, &x).unwrap();
        x.free_async(&c).unwrap();
        let mut reused = DeviceBuffer::<u32>::alloc_async(&c, LEN).unwrap();
        reused.fill(&c, 0).unwrap();
        for copy in &copies {
            assert_same(&copy.to_vec(&c).unwrap(), &data);
        }
    });
}

#[test]
fn row07_the_null_stream_is_never_used() {
    over_schedules(|sim| {
        let stream = Stream::new().unwrap();
        let legacy = Stream::legacy_default().unwrap();
        // Something of somebody else's that holds the NULL stream up would hold it up too.
        let x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
        assert_same(&x.to_vec(&stream).unwrap(), &[0; LEN]);
        for bare in [
            "cudaMemset",
            "cudaMemcpy",
            "cudaMemcpy2D",
            "cudaMemsetAsync",
        ] {
            let expected = u64::from(bare == "cudaMemsetAsync");
            assert_eq!(sim.calls(bare), expected, "{bare}");
        }
        drop(legacy);
    });
}

#[test]
fn row08_a_graph_replays_when_its_buffers_are_dropped() {
    over_schedules(|sim| {
        let stream = Stream::new().unwrap();
        let data = random::<u32>(LEN);
        let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
        let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
        let graph = stream.capture(|c| y.copy_from_device_async(c, &x)).unwrap();
        let before = sim.live().device_allocations;
        drop(x);
        assert_eq!(sim.live().device_allocations, before);
        let mut exec = graph.instantiate().unwrap();
        for _ in 0..3 {
            y.fill(&stream, 0).unwrap();
            exec.launch(&stream).unwrap();
            assert_same(&y.to_vec(&stream).unwrap(), &data);
        }
        drop((exec, graph));
        icffi::trim_all();
        stream.synchronize().unwrap();
        icffi::trim_all();
        assert_eq!(sim.live().device_allocations, before - 1);
    });
}

#[test]
fn row09_what_a_graph_would_not_own_reaches_no_cuda_call() {
    let sim = sim_session(3, Policy::Random);
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let mut pinned = HostBuffer::<u32>::alloc_zeroed(LEN).unwrap();
    let graph = stream.capture(|capture| {
        let before = sim.total_calls();
        assert!(x.copy_from_host_sync(capture, &[0; LEN]).is_err());
        assert!(x.copy_to_host_sync(capture, &mut [0; LEN]).is_err());
        assert!(x.copy_to_host_buffer_guarded(capture, &mut pinned).is_err());
        assert!(x.to_vec(capture).is_err());
        assert!(x.fill(capture, 0x0102_0304).is_err());
        assert!(capture.synchronize().is_err());
        assert!(capture.query().is_err());
        assert!(capture.launch_host_fn(|| ()).is_err());
        assert!(device::synchronize().is_err());
        // That asks which device is current.
        assert!(sim.total_calls() <= before + 3);
        assert_eq!(sim.calls("cudaMemcpyAsync"), 0);
        assert_eq!(sim.calls("cudaMemsetAsync"), 1);
        Ok(())
    });
    drop((graph.unwrap(), x, pinned, stream));
    sim.end();
}

#[test]
fn row19_a_handle_that_cuda_gives_out_again() {
    over_schedules_leaving(
        |_| {
            let data = random::<u32>(LEN);
            let reader = Stream::new().unwrap();
            let mut x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
            let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
            for _ in 0..6 {
                let first = Stream::new().unwrap();
                forget(x.copy_from_host_guarded(&first, &data).unwrap());
                drop(first);
                // Perhaps the handle of the one before.
                let second = Stream::new().unwrap();
                y.copy_from_device_async(&second, &x).unwrap();
                drop(second);
                x.fill(&Stream::new().unwrap(), 0).unwrap();
                assert_same(&y.to_vec(&reader).unwrap(), &data);
            }
        },
        no_memory,
    );
}

#[test]
fn row23_no_allocation_of_a_capture_belongs_to_the_graph() {
    over_schedules(|sim| {
        let stream = Stream::new().unwrap();
        let mut kept = None;
        let unrelated = DeviceBuffer::<u32>::zeros_async(&stream, LEN).unwrap();
        let graph = stream
            .capture(|capture| {
                let mut x = DeviceBuffer::<u32>::alloc_async(capture, LEN)?;
                x.fill(capture, 0x0505_0505)?;
                kept = Some(x);
                drop(DeviceBuffer::<u32>::zeros_async(capture, LEN)?);
                drop(unrelated);
                Ok(())
            })
            .unwrap();
        // Valid with no launch, and after the graph.
        let mut x = kept.unwrap();
        x.fill(&stream, 0).unwrap();
        assert_same(&x.to_vec(&stream).unwrap(), &[0; LEN]);
        let path = std::env::temp_dir().join(format!("icffi-row23-{}.dot", std::process::id()));
        graph.dot(&path).unwrap();
        let text = std::fs::read_to_string(&path).unwrap().to_uppercase();
        std::fs::remove_file(&path).unwrap();
        assert!(text.contains("MEMSET"), "{text}");
        assert!(!text.contains("ALLOC") && !text.contains("FREE"), "{text}");
        let mut exec = graph.instantiate().unwrap();
        exec.launch(&stream).unwrap();
        drop((exec, graph));
        assert_same(&x.to_vec(&stream).unwrap(), &[0x0505_0505; LEN]);
        assert_eq!(sim.calls("cudaFree"), 0);
    });
}

#[test]
fn row24_and_w1_housekeeping_disturbs_no_capture() {
    over_schedules(|sim| {
        let stream = Stream::new().unwrap();
        let data = random::<u32>(LEN);
        let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
        let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
        let blocking = DeviceBuffer::<u32>::zeros(LEN).unwrap();
        let shared = DeviceBuffer::from_slice_sync(&stream, &data)
            .unwrap()
            .freeze();
        let frees = sim.calls("cudaFree");
        let graph = stream.capture(|capture| {
            y.copy_from_device_async(capture, &x)?;
            drop(blocking);
            // `cudaFree` may wait for the device; it comes later.
            assert_eq!(sim.calls("cudaFree"), frees);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    drop(DeviceBuffer::<u32>::zeros(LEN).unwrap());
                    drop(HostBuffer::<u32>::alloc_zeroed(LEN).unwrap());
                    let own = Stream::new().unwrap();
                    assert_same(&shared.to_vec(&own).unwrap(), &data);
                });
            });
            Ok(())
        });
        graph
            .unwrap()
            .instantiate()
            .unwrap()
            .launch(&stream)
            .unwrap();
        assert_same(&y.to_vec(&stream).unwrap(), &data);
    });
}

#[test]
fn row25_a_late_event_is_none_of_the_capture() {
    for policy in LATE {
        let sim = sim_session(5, policy);
        let (s, t) = (Stream::new().unwrap(), Stream::new().unwrap());
        let data = random::<u32>(LEN);
        let source = DeviceBuffer::from_slice_sync(&s, &data).unwrap();
        let mut x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
        let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
        let mut z = DeviceBuffer::<u32>::zeros(LEN).unwrap();
        // Its event is not recorded yet when the capture "of" its stream begins.
        x.copy_from_device_async(&s, &source).unwrap();
        let graph = s.capture(|capture| {
            y.fill(capture, 0x0101_0101)?;
            z.copy_from_device_async(&t, &x)?;
            assert_same(&z.to_vec(&t)?, &data);
            Ok(())
        });
        let mut exec = graph.unwrap().instantiate().unwrap();
        assert_same(&y.to_vec(&t).unwrap(), &[0; LEN]);
        exec.launch(&t).unwrap();
        assert_same(&y.to_vec(&s).unwrap(), &[0x0101_0101; LEN]);
        drop((exec, source, x, y, z, s, t));
        sim.end();
    }
}

#[test]
fn w3_three_hundred_buffers_change_their_stream_with_one_wait() {
    for policy in LATE {
        let sim = sim_session(7, policy);
        let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
        let mut layer: Vec<_> = (0..300)
            .map(|_| DeviceBuffer::<u32>::alloc(16).unwrap())
            .collect();
        for x in &mut layer {
            x.fill(&a, 0x0303_0303).unwrap();
        }
        assert_eq!(waits(&sim), (0, 0));
        for x in &layer {
            drop(x.input(&b).unwrap());
        }
        assert_eq!(waits(&sim), (1, 1));
        for x in &mut layer {
            x.fill(&b, 0).unwrap();
        }
        assert_eq!(waits(&sim), (1, 1));
        drop((layer, a, b));
        sim.end();
    }
}

#[test]
fn w4_readers_that_come_and_go_are_forgotten() {
    let sim = sim_session(2, Policy::Random);
    let stream = Stream::new().unwrap();
    let data = random::<u32>(LEN);
    let weights = DeviceBuffer::from_slice_sync(&stream, &data)
        .unwrap()
        .freeze();
    for _ in 0..200 {
        let request = Stream::new().unwrap();
        let mut y = DeviceBuffer::<u32>::alloc_async(&request, LEN).unwrap();
        y.as_view_mut()
            .copy_from_device_async(&request, &weights.as_view())
            .unwrap();
        assert_same(&y.to_vec(&request).unwrap(), &data);
        drop(y);
        request.synchronize().unwrap();
    }
    let live = sim.live();
    assert!(live.streams <= 16 && live.events <= 32, "{live:?}");
    drop((weights, stream));
    sim.end();
}

#[test]
fn w5_disjoint_parts_never_wait() {
    over_schedules(|sim| {
        let streams = [0, 1, 2].map(|_| Stream::new().unwrap());
        let mut x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
        let before = waits(sim);
        for round in 0..10 {
            for (i, mut chunk) in x.chunks_mut(LEN / 3).enumerate() {
                chunk.fill(&streams[i], round * 0x0101_0101).unwrap();
            }
        }
        assert_eq!(waits(sim), before);
        assert_same(&x.to_vec(&streams[0]).unwrap(), &[0x0909_0909; LEN]);
    });
}

#[test]
fn w12_launches_that_only_share_weights_record_and_wait_for_nothing() {
    over_schedules(|sim| {
        let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
        let data = random::<u32>(LEN);
        let weights = DeviceBuffer::from_slice_sync(&a, &data).unwrap();
        let mut outputs = [0, 1].map(|_| DeviceBuffer::<u32>::zeros(LEN).unwrap());
        let mut execs: Vec<_> = outputs
            .iter_mut()
            .map(|y| {
                let graph = a.capture(|c| y.copy_from_device_async(c, &weights));
                graph.unwrap().instantiate().unwrap()
            })
            .collect();
        // The first time, `b` waits for the upload on `a`.
        execs[0].launch(&a).unwrap();
        execs[1].launch(&b).unwrap();
        let before = waits(sim);
        for _ in 0..20 {
            execs[0].launch(&a).unwrap();
            execs[1].launch(&b).unwrap();
        }
        assert_eq!(waits(sim), before);
        for y in &outputs {
            assert_same(&y.to_vec(&b).unwrap(), &data);
        }
    });
}

#[test]
fn u13_registered_inside_and_exact_after() {
    over_schedules(|sim| {
        let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
        let mut x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
        x.fill(&a, 0x0101_0101).unwrap();
        a.synchronize().unwrap();
        let before = waits(sim);
        // SAFETY: `a` is idle.
        unsafe { assume_ordered(|| x.fill(&b, 0x0202_0202)) }.unwrap();
        assert_eq!(waits(sim), before);
        x.fill(&a, 0x0303_0303).unwrap();
        assert_eq!(waits(sim), (before.0 + 1, before.1 + 1));
        assert_same(&x.to_vec(&a).unwrap(), &[0x0303_0303; LEN]);
    });
}

#[test]
fn u17_a_descriptor_holds_its_place_until_it_is_let_go() {
    over_schedules(|_| {
        let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
        let data = random::<u32>(LEN);
        let mut x = DeviceBuffer::from_slice_sync(&a, &data).unwrap();
        let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
        {
            let (input, output) = (x.input(&a).unwrap(), y.output(&a).unwrap());
            let kind = icffi_sys::cudaMemcpyKind::cudaMemcpyDeviceToDevice;
            let (to, from) = (output.as_ptr().cast(), input.as_ptr().cast());
            // SAFETY: both have `4 * LEN` bytes and are registered on this very stream.
            let status = unsafe { icffi_sys::cudaMemcpyAsync(to, from, 4 * LEN, kind, a.raw()) };
            icffi::check(status).unwrap();
        }
        x.fill(&b, 0).unwrap();
        assert_same(&y.to_vec(&b).unwrap(), &data);
    });
}
