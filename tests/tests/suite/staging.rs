//! The bound on staging memory, and what happens at it.

use icffi::prelude::*;
use icffi::staging;
use icffi_tests::{alone, assert_same, random};

/// Sets a bound for one test, on empty staging memory, and puts the usual one back.
struct Limit {
    usual: usize,
}

impl Limit {
    fn set(bytes: usize) -> Self {
        device::synchronize().unwrap();
        staging::trim();
        let usual = staging::statistics().limit_bytes;
        staging::set_limit(bytes);
        Self { usual }
    }
}

impl Drop for Limit {
    fn drop(&mut self) {
        staging::set_limit(self.usual);
    }
}

#[test]
fn everything_works_without_any_room() {
    let _turn = alone();
    let _limit = Limit::set(0);
    let stream = Stream::new().unwrap();
    for len in [1, 5000, 3_000_000] {
        let data = random::<u32>(len);
        let x = DeviceBuffer::from_slice_guarded(&stream, &data)
            .unwrap()
            .into_ordered();
        assert_same(&x.to_vec(&stream).unwrap(), &data);
        let mut back = vec![0; len];
        x.copy_to_host_sync(&stream, &mut back).unwrap();
        assert_same(&back, &data);
        back.fill(0);
        let transfer = x.copy_to_host_guarded(&stream, &mut back).unwrap();
        assert!(transfer.was_synchronous());
        assert!(transfer.is_complete().unwrap());
        assert!(transfer.event_raw().is_null());
        transfer.order_before(&Stream::new().unwrap()).unwrap();
        transfer.wait().unwrap();
        assert_same(&back, &data);
    }
    assert_eq!(
        staging::statistics().idle_bytes,
        0,
        "beyond the bound nothing is kept"
    );
}

#[test]
fn a_download_larger_than_the_room_is_done_at_once_and_a_smaller_one_is_not() {
    let _turn = alone();
    let _limit = Limit::set(1 << 20);
    let stream = Stream::new().unwrap();
    let (small, large) = (random::<u8>(100_000), random::<u8>(3_000_000));
    let x = DeviceBuffer::from_slice_sync(&stream, &small).unwrap();
    let y = DeviceBuffer::from_slice_sync(&stream, &large).unwrap();
    stream.synchronize().unwrap();
    let (mut one, mut two) = (vec![0; small.len()], vec![0; large.len()]);
    let first = x.copy_to_host_guarded(&stream, &mut one).unwrap();
    let second = y.copy_to_host_guarded(&stream, &mut two).unwrap();
    assert_eq!(
        (first.was_synchronous(), second.was_synchronous()),
        (false, true)
    );
    first.wait().unwrap();
    second.wait().unwrap();
    assert_same(&one, &small);
    assert_same(&two, &large);
}

/// Named so that a leak checker can leave it out: a forgotten download keeps its staging memory.
#[test]
fn forgotten_downloads_use_the_room_up_leaking() {
    let _turn = alone();
    let _limit = Limit::set(1 << 20);
    let stream = Stream::new().unwrap();
    let data = random::<u8>(200_000);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let mut synchronous = 0;
    for _ in 0..20 {
        let mut target = vec![0; data.len()];
        let transfer = x.copy_to_host_guarded(&stream, &mut target).unwrap();
        synchronous += usize::from(transfer.was_synchronous());
        std::mem::forget(transfer);
    }
    assert!(synchronous >= 15, "{synchronous}");
    assert!(staging::statistics().total_bytes <= 2 << 20);
    assert_same(&x.to_vec(&stream).unwrap(), &data);
    let y = DeviceBuffer::from_slice_guarded(&stream, &data)
        .unwrap()
        .into_ordered();
    assert_same(&y.to_vec(&stream).unwrap(), &data);
}

#[test]
fn forgotten_uploads_lose_nothing() {
    let _turn = alone();
    let _limit = Limit::set(1 << 20);
    let stream = Stream::new().unwrap();
    let data = random::<u8>(200_000);
    let mut x = DeviceBuffer::<u8>::zeros(data.len()).unwrap();
    for _ in 0..50 {
        std::mem::forget(x.copy_from_host_guarded(&stream, &data).unwrap());
    }
    assert_same(&x.to_vec(&stream).unwrap(), &data);
    stream.synchronize().unwrap();
    staging::trim();
    assert_eq!(staging::statistics().idle_bytes, 0);
}

#[test]
fn memory_is_kept_for_the_next_transfer_and_given_back_on_demand() {
    let _turn = alone();
    let _limit = Limit::set(64 << 20);
    staging::reserve(10 << 20).unwrap();
    let reserved = staging::statistics();
    assert!(reserved.total_bytes >= 10 << 20, "{reserved:?}");
    let stream = Stream::new().unwrap();
    let data = random::<u8>(3_000_000);
    for _ in 0..3 {
        let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
        assert_same(&x.to_vec(&stream).unwrap(), &data);
    }
    assert_eq!(
        staging::statistics().total_bytes,
        reserved.total_bytes,
        "nothing more was pinned"
    );
    let before = staging::statistics().total_bytes;
    staging::trim();
    let after = staging::statistics();
    assert_eq!(after.idle_bytes, 0);
    assert!(after.total_bytes < before);
}
