//! Several simulated devices: every object knows its own, nothing mixes, copies between them are
//! in order, and peer access holds for pools.

use icffi::device::{self, Device};
use icffi::icffi_codes::DEVICE_MISMATCH;
use icffi::prelude::*;
use icffi_sim::{Policy, Session};
use icffi_tests::sim::{POLICIES, Sim, sim_start};
use icffi_tests::{assert_same, expect_error, random};

const LEN: usize = 700;

fn session(seed: u64, policy: Policy, devices: u32) -> Sim {
    sim_start(
        Session::builder()
            .seed(seed)
            .policy(policy)
            .devices(devices),
    )
}

fn on<R>(ordinal: usize, make: impl FnOnce() -> R) -> R {
    let _here = Device::new(ordinal).unwrap().enter().unwrap();
    make()
}

#[test]
fn row15_four_devices_work_side_by_side() {
    for policy in POLICIES {
        for seed in 0..6 {
            let sim = session(seed, policy, 4);
            let data: Vec<_> = (0..4).map(|_| random::<u32>(LEN)).collect();
            let streams: Vec<_> = (0..4).map(|i| on(i, || Stream::new().unwrap())).collect();
            let mut buffers = Vec::new();
            for i in 0..4 {
                // Whatever device is current.
                device::set_current(3 - i).unwrap();
                let x = DeviceBuffer::from_slice_guarded_async(&streams[i], &data[i]);
                buffers.push(x.unwrap().into_ordered());
                assert_eq!(buffers[i].device().ordinal(), i);
                assert_eq!(device::current().unwrap().ordinal(), 3 - i);
            }
            // Round the ring, on the devices alone.
            for i in 0..4 {
                let mut y = DeviceBuffer::<u32>::alloc_async(&streams[i], LEN).unwrap();
                y.copy_from_device_async(&streams[i], &buffers[(i + 1) % 4])
                    .unwrap();
                buffers[(i + 1) % 4].fill(&streams[(i + 1) % 4], 0).unwrap();
                assert_same(&y.to_vec(&streams[i]).unwrap(), &data[(i + 1) % 4]);
                buffers[(i + 1) % 4]
                    .copy_from_host_sync(&streams[(i + 1) % 4], &data[(i + 1) % 4])
                    .unwrap();
            }
            assert_eq!(device::current().unwrap().ordinal(), 0);
            drop((buffers, streams));
            sim.end();
        }
    }
}

#[test]
fn row15_graphs_and_events_do_not_mix_devices() {
    let sim = session(1, Policy::Random, 4);
    let (zero, two) = (Stream::new().unwrap(), on(2, || Stream::new().unwrap()));
    let mut x = on(2, || DeviceBuffer::<u32>::zeros(LEN)).unwrap();
    let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let graph = two.capture(|capture| {
        let result = y.fill(capture, 0);
        let says = ["device 2", "device 0"];
        expect_error(
            result,
            DEVICE_MISMATCH,
            "DeviceBuffer::fill",
            file!(),
            &says,
        );
        x.fill(capture, 0x0101_0101)
    });
    let graph = graph.unwrap();
    let mut exec = graph.instantiate().unwrap();
    let result = exec.launch(&zero);
    let says = ["device 0", "device 2"];
    expect_error(result, DEVICE_MISMATCH, "GraphExec::launch", file!(), &says);
    let other = zero.capture(|capture| y.fill(capture, 0)).unwrap();
    let result = exec.update(&other);
    expect_error(result, DEVICE_MISMATCH, "GraphExec::update", file!(), &says);
    exec.launch(&two).unwrap();
    assert_same(&x.to_vec(&two).unwrap(), &[0x0101_0101; LEN]);
    let event = on(2, || Event::ordering().unwrap());
    let result = event.record(&zero);
    expect_error(result, DEVICE_MISMATCH, "Event::record", file!(), &says);
    event.record(&two).unwrap();
    // Waiting is possible across devices.
    zero.wait_event(&event).unwrap();
    zero.synchronize().unwrap();
    let pool = MemoryPool::new(&two.device()).unwrap();
    let result = DeviceBuffer::<u32>::alloc_from_async(&pool, &zero, 5);
    let name = "DeviceBuffer::alloc_from_async";
    expect_error(result, DEVICE_MISMATCH, name, file!(), &says);
    let result = x.into_raw(&zero);
    expect_error(
        result,
        DEVICE_MISMATCH,
        "DeviceBuffer::into_raw",
        file!(),
        &says,
    );
    assert_eq!(device::current().unwrap().ordinal(), 0);
    drop((y, exec, graph, other, event, pool, zero, two));
    sim.end();
}

#[test]
fn w13_peer_access_holds_for_pools_of_before_and_after() {
    let sim = session(4, Policy::Lazy, 2);
    let (zero, one) = (Device::new(0).unwrap(), Device::new(1).unwrap());
    let allowed = || sim.calls("cudaMemPoolSetAccess");
    let before = MemoryPool::new(&one).unwrap();
    let elsewhere = MemoryPool::new(&zero).unwrap();
    assert!(zero.can_access_peer(one).unwrap());
    assert_eq!(allowed(), 0);
    zero.enable_peer_access(one).unwrap();
    // The default pool, and the one there is.
    assert_eq!(allowed(), 2);
    let after = MemoryPool::new(&one).unwrap();
    assert_eq!(allowed(), 3);
    // Once more is no error.
    zero.enable_peer_access(one).unwrap();
    assert_eq!(device::current().unwrap(), zero);

    // A copy that device 0 makes by itself, from memory of each pool of device 1.
    let (s0, s1) = (Stream::new().unwrap(), on(1, || Stream::new().unwrap()));
    let data = random::<u32>(LEN);
    let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    for pool in [None, Some(&before), Some(&after)] {
        let mut x = match pool {
            None => DeviceBuffer::<u32>::alloc_async(&s1, LEN).unwrap(),
            Some(pool) => DeviceBuffer::<u32>::alloc_from_async(pool, &s1, LEN).unwrap(),
        };
        x.copy_from_host_sync(&s1, &data).unwrap();
        y.fill(&s0, 0).unwrap();
        y.copy_from_device_async(&s0, &x).unwrap();
        assert_same(&y.to_vec(&s0).unwrap(), &data);
        y.fill(&s0, 0).unwrap();
        {
            let output = y.output(&s0).unwrap();
            let kind = icffi_sys::cudaMemcpyKind::cudaMemcpyDeviceToDevice;
            let (to, from) = (output.as_ptr().cast(), x.as_ptr().cast());
            // SAFETY: both have `4 * LEN` bytes; `x` is complete and outlives the wait below.
            let status = unsafe { icffi_sys::cudaMemcpyAsync(to, from, 4 * LEN, kind, s0.raw()) };
            icffi::check(status).unwrap();
        }
        assert_same(&y.to_vec(&s0).unwrap(), &data);
    }
    drop((y, before, after, elsewhere, s0, s1));
    sim.end();
}
