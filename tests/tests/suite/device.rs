//! Devices.

use icffi::device::{self, Device};
use icffi::sys::cudaDeviceAttr;
use icffi::{codes, icffi_codes};
use icffi_tests::{expect_error, together};

#[test]
fn there_is_a_device_and_it_says_what_it_is() {
    let _turn = together();
    assert!(device::is_available());
    assert!(device::count().unwrap() >= 1);
    let current = device::current().unwrap();
    assert_eq!((current.ordinal(), current), (0, Device::new(0).unwrap()));
    let p = current.properties().unwrap();
    assert!(!p.name.is_empty());
    assert_eq!(p.warp_size, 32);
    assert!(p.multiprocessor_count > 0 && p.max_threads_per_block >= 1024);
    assert!(p.compute_capability.0 >= 5, "{:?}", p.compute_capability);
    assert!(p.shared_memory_per_block >= 48 << 10);
    assert!(p.shared_memory_per_block_optin >= p.shared_memory_per_block);
    assert!(p.memory_pools_supported);
    let memory = device::memory_info().unwrap();
    assert!(memory.free <= memory.total && memory.total <= p.total_memory);
    let warp = current
        .attribute(cudaDeviceAttr::cudaDevAttrWarpSize)
        .unwrap();
    assert_eq!(warp, p.warp_size);
    let sms = current
        .attribute(cudaDeviceAttr::cudaDevAttrMultiProcessorCount)
        .unwrap();
    assert_eq!(sms, p.multiprocessor_count);
}

#[test]
fn versions_are_known() {
    let _turn = together();
    for version in [
        device::driver_version().unwrap(),
        device::runtime_version().unwrap(),
    ] {
        assert!((11_020..100_000).contains(&version), "{version}");
    }
}

#[test]
fn devices_that_do_not_exist_are_refused() {
    let _turn = together();
    let count = device::count().unwrap();
    let made = Device::new(count);
    let says = [&*format!("device {count} of {count}")];
    expect_error(
        made,
        icffi_codes::INVALID_ARGUMENT,
        "Device::new",
        file!(),
        &says,
    );
    let name = "device::set_current";
    expect_error(
        device::set_current(count),
        codes::INVALID_DEVICE,
        name,
        file!(),
        &[],
    );
    let far = device::set_current(1000);
    expect_error(
        far,
        icffi_codes::INVALID_ARGUMENT,
        name,
        file!(),
        &["at most"],
    );
    device::set_current(0).unwrap();
    assert_eq!(device::current().unwrap().ordinal(), 0);
}

#[test]
fn unknown_attributes_are_refused() {
    let _turn = together();
    let result = device::current()
        .unwrap()
        .attribute(cudaDeviceAttr(1_000_000));
    expect_error(
        result,
        codes::INVALID_VALUE,
        "Device::attribute",
        file!(),
        &[],
    );
}

#[test]
fn a_device_is_no_peer_of_itself() {
    let _turn = together();
    let device = device::current().unwrap();
    assert!(!device.can_access_peer(device).unwrap());
    assert!(device.enable_peer_access(device).is_err());
    device::synchronize().unwrap();
}

#[test]
fn nothing_is_in_quarantine_where_nothing_failed() {
    let _turn = together();
    assert_eq!(device::current().unwrap().quarantined(), 0);
}
