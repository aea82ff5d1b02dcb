//! Rows, shared buffers, pools, raw parts, registered memory, borrowed streams, order by hand.

use icffi::device;
use icffi::icffi_codes::{INVALID_ARGUMENT, LENGTH_MISMATCH};
use icffi::memory::{RawOrigin, RawParts, assume_ordered};
use icffi::prelude::*;
use icffi_tests::{
    Gate, alone, assert_same, expect_error, expect_length_mismatch, random, scenarios, together,
};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

const LEN: usize = 5000;

#[test]
fn the_scenarios_of_parts() {
    let _turn = alone();
    for scenario in scenarios::parts::ALL {
        if let Err(error) = (scenario.run)() {
            panic!("{}: {error}", scenario.name);
        }
    }
    device::synchronize().unwrap();
    assert_eq!(device::current().unwrap().quarantined(), 0);
}

table! {
    fn rows_go_up_across_and_down<T>(stream, len) {
        let width = len.min(37);
        let height = (len / 41).min(50);
        let data = random::<T>(width * height);
        let mut x = DeviceBuffer::<T>::zeros(41 * height)?;
        x.as_view_mut().rows_mut(width, height, 41)?.copy_from_host_sync(stream, &data)?;
        let mut y = DeviceBuffer::<T>::zeros(39 * height)?;
        {
            let from = x.as_view().rows(width, height, 41)?;
            assert_same(&from.to_vec(stream)?, &data);
            let mut to = y.as_view_mut().rows_mut(width, height, 39)?;
            to.copy_from_rows_async(stream, &from)?;
            to.copy_from_rows_sync(stream, &from)?;
        }
        let mut target = vec![T::zeroed(); data.len()];
        y.as_view().rows(width, height, 39)?.copy_to_host_sync(stream, &mut target)?;
        assert_same(&target, &data);
        let mut expected = vec![T::zeroed(); 39 * height];
        for (line, row) in expected.chunks_mut(39).zip(data.chunks(width.max(1))) {
            line[..width].copy_from_slice(row);
        }
        assert_same(&y.to_vec(stream)?, &expected);
        Ok(())
    }

    fn raw_parts_come_back<T>(stream, len) {
        let data = random::<T>(len);
        let parts = DeviceBuffer::from_slice_sync(stream, &data)?.into_raw(stream)?;
        assert_eq!((parts.len, parts.device), (len, stream.device()));
        assert!(len == 0 || size_of::<T>() == 0 || matches!(parts.origin, RawOrigin::Malloc));
        // SAFETY: just taken from a buffer, ordered onto this stream.
        let again = unsafe { DeviceBuffer::from_raw(parts, stream)? };
        assert_same(&again.to_vec(stream)?, &data);
        Ok(())
    }

    fn vectors_are_registered_and_come_back<T>(stream, len) {
        let data = random::<T>(len);
        let mut pinned = HostBuffer::register(data.clone())?;
        assert_same(&pinned, &data);
        let mut x = DeviceBuffer::from_host_buffer_sync(stream, &pinned)?;
        x.fill(stream, T::zeroed())?;
        x.copy_to_host_buffer_sync(stream, &mut pinned)?;
        let vec = pinned.unregister()?;
        assert_same(&vec, &vec![T::zeroed(); len]);
        Ok(())
    }

    fn frozen_buffers_are_read<T>(stream, len) {
        let data = random::<T>(len);
        let shared = DeviceBuffer::from_slice_sync(stream, &data)?.freeze();
        let clone = shared.clone();
        assert_eq!((shared.len(), shared.is_empty()), (len, len == 0));
        assert_eq!(shared.size_bytes(), len * size_of::<T>());
        assert_eq!(shared.input(stream)?.len(), len as u64);
        let mut target = vec![T::zeroed(); len];
        clone.copy_to_host_sync(stream, &mut target)?;
        assert_same(&target, &data);
        // Without memory there is nothing to share.
        let shared = match shared.try_unfreeze() {
            Ok(_) if len * size_of::<T>() == 0 => return Ok(()),
            Ok(_) => panic!("there is another handle"),
            Err(shared) => shared,
        };
        drop(clone);
        let mut x = shared.try_unfreeze().expect("the only handle");
        x.fill(stream, T::zeroed())?;
        assert_same(&x.to_vec(stream)?, &vec![T::zeroed(); len]);
        Ok(())
    }
}

#[test]
fn rows_are_checked_against_their_buffer() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(100).unwrap();
    assert_eq!(x.as_view().rows(10, 10, 10).unwrap().height(), 10);
    // Of a single row the pitch means nothing.
    assert_eq!(x.as_view().rows(11, 1, 10).unwrap().width(), 11);
    // The last row need not be followed by a gap.
    assert_eq!(x.as_view().rows(1, 10, 11).unwrap().pitch(), 11);
    for (width, height, pitch) in [
        (10, 11, 10),
        (2, 10, 11),
        (1, usize::MAX, 2),
        (usize::MAX, 1, usize::MAX),
        (1, 3, usize::MAX),
    ] {
        let name = "DeviceSlice::rows";
        let result = x.as_view().rows(width, height, pitch);
        expect_error(
            result,
            INVALID_ARGUMENT,
            name,
            file!(),
            &["in 100 elements"],
        );
        let name = "DeviceSliceMut::rows_mut";
        let result = x.as_view_mut().rows_mut(width, height, pitch);
        expect_error(
            result,
            INVALID_ARGUMENT,
            name,
            file!(),
            &["in 100 elements"],
        );
    }
    let rows = x.as_view().rows(5, 4, 10).unwrap();
    let result = rows.copy_to_host_sync(&stream, &mut [0; 19]);
    expect_length_mismatch(result, "DeviceRows::copy_to_host_sync", file!(), (20, 19));
    let mut rows = x.as_view_mut().rows_mut(5, 4, 10).unwrap();
    let result = rows.copy_from_host_sync(&stream, &[0; 21]);
    expect_length_mismatch(
        result,
        "DeviceRowsMut::copy_from_host_sync",
        file!(),
        (20, 21),
    );
    let y = DeviceBuffer::<u32>::zeros(20).unwrap();
    // As many elements in another shape.
    let from = y.as_view().rows(4, 5, 4).unwrap();
    let result = rows.copy_from_rows_async(&stream, &from);
    let name = "DeviceRowsMut::copy_from_rows_async";
    expect_error(result, LENGTH_MISMATCH, name, file!(), &["5 x 4", "4 x 5"]);
}

#[test]
fn w5_work_on_disjoint_parts_does_not_wait() {
    let _turn = alone();
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let mut x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let gate = Gate::close(&a).unwrap();
    {
        let (mut low, mut high) = x.split_at_mut(LEN / 2);
        low.fill(&a, 0x0101_0101).unwrap();
        high.fill(&b, 0x0202_0202).unwrap();
    }
    for (i, mut chunk) in x.chunks_mut(LEN / 4).enumerate() {
        let stream = if i < 2 { &a } else { &b };
        chunk.fill(stream, 0x0303_0303).unwrap();
    }
    // Behind the gate it would not come to an end.
    b.synchronize().unwrap();
    assert_same(
        &x.slice(LEN / 2..).to_vec(&b).unwrap(),
        &vec![0x0303_0303; LEN / 2],
    );
    gate.open();
    assert_same(&x.to_vec(&b).unwrap(), &[0x0303_0303; LEN]);
}

#[test]
fn w6_readers_of_shared_memory_do_not_wait_for_each_other() {
    let _turn = alone();
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let data = random::<u32>(LEN);
    let shared = DeviceBuffer::from_slice_sync(&a, &data).unwrap().freeze();
    let gate = Gate::close(&a).unwrap();
    let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    y.as_view_mut()
        .copy_from_device_async(&a, &shared.as_view())
        .unwrap();
    let there = shared.clone();
    let read = std::thread::spawn(move || there.to_vec(&b).unwrap());
    assert_same(&read.join().unwrap(), &data);
    gate.open();
    assert_same(&y.to_vec(&a).unwrap(), &data);
}

#[test]
fn pools_have_thresholds_and_statistics() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let device = stream.device();
    let pool = MemoryPool::new(&device).unwrap();
    assert_eq!(pool.device(), device);
    assert_eq!(pool.release_threshold().unwrap(), 0);
    pool.set_release_threshold(u64::MAX).unwrap();
    assert_eq!(pool.clone().release_threshold().unwrap(), u64::MAX);
    let before = pool.statistics().unwrap();
    assert_eq!((before.used_bytes, before.reserved_bytes), (0, 0));
    let bytes = 8 << 20;
    let mut x = DeviceBuffer::<u8>::alloc_from_async(&pool, &stream, bytes).unwrap();
    x.fill(&stream, 1).unwrap();
    let during = pool.statistics().unwrap();
    assert!(during.used_bytes >= bytes as u64, "{during:?}");
    assert!(during.reserved_bytes >= during.used_bytes, "{during:?}");
    drop(x);
    stream.synchronize().unwrap();
    let after = pool.statistics().unwrap();
    assert_eq!(after.used_bytes, 0, "{after:?}");
    assert!(after.used_high_bytes >= bytes as u64, "{after:?}");
    // Kept, as the threshold says, until it is trimmed.
    assert!(after.reserved_bytes >= bytes as u64, "{after:?}");
    pool.trim(0).unwrap();
    assert_eq!(pool.statistics().unwrap().reserved_bytes, 0);
    let empty = DeviceBuffer::<u8>::alloc_from_async(&pool, &stream, 0).unwrap();
    assert!(empty.is_empty());
}

#[test]
fn the_default_pool_is_the_one_of_alloc_async() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let pool = MemoryPool::default_of(&stream.device()).unwrap();
    let used = || pool.statistics().unwrap().used_bytes;
    let before = used();
    let x = DeviceBuffer::<u8>::alloc_async(&stream, 4 << 20).unwrap();
    assert!(used() >= before + (4 << 20));
    let own = MemoryPool::new(&stream.device()).unwrap();
    assert_ne!(own.raw(), pool.raw());
    let y = DeviceBuffer::<u8>::alloc_from_async(&own, &stream, 4 << 20).unwrap();
    assert!(used() < before + (8 << 20));
    drop((x, y, own));
    stream.synchronize().unwrap();
    assert_eq!(used(), before);
}

#[test]
fn u16_foreign_memory_is_deleted_once_after_its_last_use() {
    let _turn = alone();
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let mut owner = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let deleted = Arc::new(AtomicUsize::new(0));
    let (ptr, count) = (owner.as_mut_ptr(), Arc::clone(&deleted));
    let deleter = move |_| {
        drop(owner);
        count.fetch_add(1, SeqCst);
    };
    let parts = RawParts {
        ptr,
        len: LEN,
        device: a.device(),
        origin: RawOrigin::Foreign(Box::new(deleter)),
    };
    // SAFETY: the deleter owns the memory; its zeros are complete.
    let mut x = unsafe { DeviceBuffer::from_raw(parts, &a) }.unwrap();
    let gate = Gate::close(&b).unwrap();
    x.fill(&b, 5).unwrap();
    x.free_async(&a).unwrap();
    a.synchronize().unwrap();
    assert_eq!(deleted.load(SeqCst), 0);
    gate.open();
    device::synchronize().unwrap();
    icffi::trim_all();
    assert_eq!(deleted.load(SeqCst), 1);
}

#[test]
fn u16_raw_parts_are_checked() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let parts = || RawParts {
        ptr: std::ptr::null_mut::<u32>(),
        len: 3,
        device: stream.device(),
        origin: RawOrigin::Malloc,
    };
    let name = "DeviceBuffer::from_raw";
    // SAFETY: refused before the pointer is used.
    let result = unsafe { DeviceBuffer::from_raw(parts(), &stream) };
    expect_error(
        result,
        INVALID_ARGUMENT,
        name,
        file!(),
        &["null", "12 bytes"],
    );
    assert!(format!("{:?}", parts()).contains("Malloc"));
}

#[test]
fn a_vector_is_registered_once() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let pinned = HostBuffer::<u32>::alloc_zeroed(10).unwrap();
    let name = "HostBuffer::unregister";
    expect_error(pinned.unregister(), INVALID_ARGUMENT, name, file!(), &[]);
    // A transfer that goes on is waited for.
    let data = random::<u32>(LEN);
    let mut x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let pinned = HostBuffer::register(data.clone()).unwrap();
    std::mem::forget(x.copy_from_host_buffer_guarded(&stream, &pinned).unwrap());
    let mut back = pinned.unregister().unwrap();
    assert_same(&back, &data);
    back.fill(0);
    assert_same(&x.to_vec(&stream).unwrap(), &data);
    // Forgetting it leaks the vector, which stays pinned; dropping it frees both.
    drop(HostBuffer::register(back).unwrap());
}

#[test]
fn u16_a_borrowed_stream_is_marked_early() {
    let _turn = together();
    let data = random::<u32>(LEN);
    let other = Stream::new().unwrap();
    let x = {
        let owner = Stream::new().unwrap();
        // SAFETY: `owner` is dropped after the last call with it.
        let borrowed = unsafe { Stream::from_raw_borrowed(owner.raw(), owner.device()) };
        let mut x = DeviceBuffer::<u32>::alloc_async(&borrowed, LEN).unwrap();
        x.copy_from_host_guarded(&borrowed, &data)
            .unwrap()
            .wait()
            .unwrap();
        x.slice_mut(..10).fill(&borrowed, 0).unwrap();
        x
    };
    // The stream is gone, its work is not.
    let mut expected = data;
    expected[..10].fill(0);
    assert_same(&x.to_vec(&other).unwrap(), &expected);
}

#[test]
fn w2_a_checkpoint_is_all_that_is_waited_for() {
    let _turn = alone();
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let mut x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    x.fill(&a, 0x0606_0606).unwrap();
    a.checkpoint().unwrap();
    let gate = Gate::close(&a).unwrap();
    // Behind the gate it would not come to an end.
    assert_same(&x.to_vec(&b).unwrap(), &[0x0606_0606; LEN]);
    gate.open();
    a.synchronize().unwrap();
}

#[test]
fn u13_inside_assume_ordered_nothing_waits() {
    let _turn = alone();
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_sync(&a, &data).unwrap();
    let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let gate = Gate::close(&a).unwrap();
    y.copy_from_device_async(&a, &x).unwrap();
    // SAFETY: both only read `x`, and no copy of the two needs the other.
    let seen = unsafe { assume_ordered(|| x.to_vec(&b)) }.unwrap();
    assert_same(&seen, &data);
    gate.open();
    assert_same(&y.to_vec(&b).unwrap(), &data);
}

#[test]
fn w13_peer_access_of_one_device() {
    let _turn = together();
    let this = device::current().unwrap();
    let error = this.enable_peer_access(this).unwrap_err();
    assert_eq!(error.operation(), "Device::enable_peer_access");
    assert!(!error.is_sticky(), "{error}");
    if device::count().unwrap() == 1 {
        let result = Device::new(1);
        expect_error(
            result,
            INVALID_ARGUMENT,
            "Device::new",
            file!(),
            &["1 of 1"],
        );
    }
    assert_eq!(device::current().unwrap(), this);
}
