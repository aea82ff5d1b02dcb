//! Memory that runs out, devices that differ, devices without pools: errors by name, and nothing
//! lost.

use icffi::device;
use icffi::prelude::*;
use icffi::{codes, icffi_codes};
use icffi_sim::{Policy, Session};
use icffi_tests::sim::sim_start;
use icffi_tests::{assert_same, expect_error, random};

#[test]
fn every_function_that_allocates_reports_that_memory_ran_out() {
    let builder = Session::builder()
        .policy(Policy::Random)
        .memory(1 << 20)
        .devices(1);
    let sim = sim_start(builder);
    let stream = Stream::new().unwrap();
    let data = random::<u8>(2 << 20);
    let pinned = HostBuffer::from_slice(&data).unwrap();
    let len = data.len();
    let says = [
        &*format!("{len} bytes asked for on device 0"),
        "cudaErrorMemoryAllocation (2)",
    ];
    for (operation, result) in [
        (
            "DeviceBuffer::alloc",
            DeviceBuffer::<u8>::alloc(len).map(drop),
        ),
        (
            "DeviceBuffer::alloc_async",
            DeviceBuffer::<u8>::alloc_async(&stream, len).map(drop),
        ),
        (
            "DeviceBuffer::zeros",
            DeviceBuffer::<u8>::zeros(len).map(drop),
        ),
        (
            "DeviceBuffer::zeros_async",
            DeviceBuffer::<u8>::zeros_async(&stream, len).map(drop),
        ),
        (
            "DeviceBuffer::from_slice_sync",
            DeviceBuffer::from_slice_sync(&stream, &data).map(drop),
        ),
        (
            "DeviceBuffer::from_slice_guarded",
            DeviceBuffer::from_slice_guarded(&stream, &data).map(drop),
        ),
        (
            "DeviceBuffer::from_slice_guarded_async",
            DeviceBuffer::from_slice_guarded_async(&stream, &data).map(drop),
        ),
        // SAFETY: nothing is enqueued.
        ("DeviceBuffer::from_slice_async", unsafe {
            DeviceBuffer::from_slice_async(&stream, &data).map(drop)
        }),
        (
            "DeviceBuffer::from_host_buffer_sync",
            DeviceBuffer::from_host_buffer_sync(&stream, &pinned).map(drop),
        ),
        (
            "DeviceBuffer::from_host_buffer_guarded",
            DeviceBuffer::from_host_buffer_guarded(&stream, &pinned).map(drop),
        ),
        (
            "DeviceBuffer::from_host_buffer_guarded_async",
            DeviceBuffer::from_host_buffer_guarded_async(&stream, &pinned).map(drop),
        ),
        // SAFETY: nothing is enqueued.
        ("DeviceBuffer::from_host_buffer_async", unsafe {
            DeviceBuffer::from_host_buffer_async(&stream, &pinned).map(drop)
        }),
        // SAFETY: nothing is enqueued.
        ("DeviceBuffer::from_host_buffer_alloc_sync", unsafe {
            DeviceBuffer::from_host_buffer_alloc_sync(&stream, &pinned).map(drop)
        }),
    ] {
        expect_error(result, codes::MEMORY_ALLOCATION, operation, file!(), &says);
    }
    let x = DeviceBuffer::from_slice_sync(&stream, &data[..1000]).unwrap();
    assert_same(&x.to_vec(&stream).unwrap(), &data[..1000]);
    drop((x, pinned, stream));
    sim.end();
}

#[test]
fn row15_streams_and_buffers_of_different_devices_do_not_mix() {
    let sim = sim_start(Session::builder().policy(Policy::Random).devices(4));
    let here = Stream::new().unwrap();
    let data = random::<u32>(1000);
    let mut x = DeviceBuffer::from_slice_sync(&here, &data).unwrap();
    device::set_current(3).unwrap();
    let there = Stream::new().unwrap();
    assert_eq!(there.device().ordinal(), 3);
    let says = ["the stream is on device 3", "device 0"];
    let code = icffi_codes::DEVICE_MISMATCH;
    let mut pinned = HostBuffer::<u32>::alloc_zeroed(1000).unwrap();
    for (operation, result) in [
        ("DeviceBuffer::to_vec", x.to_vec(&there).map(drop)),
        (
            "DeviceBuffer::copy_from_host_sync",
            x.copy_from_host_sync(&there, &data),
        ),
        (
            "DeviceBuffer::copy_to_host_sync",
            x.copy_to_host_sync(&there, &mut [0; 1000]),
        ),
        (
            "DeviceBuffer::copy_to_host_buffer_sync",
            x.copy_to_host_buffer_sync(&there, &mut pinned),
        ),
        ("DeviceBuffer::fill", x.fill(&there, 0)),
        ("DeviceBuffer::input", x.input(&there).map(drop)),
        ("DeviceBuffer::output", x.output(&there).map(drop)),
    ] {
        expect_error(result, code, operation, file!(), &says);
    }
    let event = Event::ordering().unwrap();
    expect_error(
        event.record(&here),
        code,
        "Event::record",
        file!(),
        &["event is on device 3"],
    );
    // Each object knows its device: this works from wherever the thread is.
    for current in 0..4 {
        device::set_current(current).unwrap();
        assert_same(&x.to_vec(&here).unwrap(), &data);
        let mut y = DeviceBuffer::<u32>::alloc_async(&there, 1000).unwrap();
        y.copy_from_device_async(&there, &x).unwrap();
        assert_same(&y.to_vec(&there).unwrap(), &data);
        assert_eq!(y.device().ordinal(), 3);
        event.record(&there).unwrap();
        here.wait_event(&event).unwrap();
        assert_eq!(device::current().unwrap().ordinal(), current);
    }
    drop((x, pinned, event, here, there));
    device::set_current(0).unwrap();
    sim.end();
}

#[test]
fn a_machine_without_devices_says_so() {
    let sim = sim_start(Session::builder().policy(Policy::Random).devices(0));
    assert!(!device::is_available());
    let error = DeviceBuffer::<u8>::alloc(10).unwrap_err();
    assert_eq!(error.code(), codes::NO_DEVICE);
    assert_eq!(error.kind(), icffi::error::ErrorKind::Unavailable);
    assert!(Stream::new().is_err());
    drop(sim);
}
