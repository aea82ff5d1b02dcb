//! The device to plain slices.

use icffi::prelude::*;
use icffi_tests::{assert_same, expect_length_mismatch, random, together};

table! {
    fn to_vec<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_guarded(stream, &data)?.into_ordered();
        assert_same(&x.to_vec(stream)?, &data);
        Ok(())
    }

    fn copy_to_host_sync<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_sync(stream, &data)?;
        let mut target = vec![T::zeroed(); len];
        x.copy_to_host_sync(stream, &mut target)?;
        assert_same(&target, &data);
        Ok(())
    }

    fn copy_to_host_guarded<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_sync(stream, &data)?;
        let mut target = vec![T::zeroed(); len];
        let transfer = x.copy_to_host_guarded(stream, &mut target)?;
        assert_eq!(transfer.was_synchronous(), len * size_of::<T>() == 0);
        transfer.wait()?;
        assert_same(&target, &data);
        Ok(())
    }

    fn a_dropped_guard_copies_out_too<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_sync(stream, &data)?;
        let mut target = vec![T::zeroed(); len];
        drop(x.copy_to_host_guarded(stream, &mut target)?);
        assert_same(&target, &data);
        Ok(())
    }

    fn copy_to_host_async<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_sync(stream, &data)?;
        let mut target = vec![T::zeroed(); len];
        // SAFETY: the stream is synchronized before `target` is looked at.
        unsafe { x.copy_to_host_async(stream, &mut target)? };
        stream.synchronize()?;
        assert_same(&target, &data);
        Ok(())
    }
}

#[test]
fn unequal_lengths_are_named_and_the_target_is_untouched() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let x = DeviceBuffer::from_slice_sync(&stream, &random::<u32>(5)).unwrap();
    for len in [0, 4, 6, 1000] {
        let old = random::<u32>(len);
        let mut target = old.clone();
        let lengths = (5, len);
        let result = x.copy_to_host_sync(&stream, &mut target);
        expect_length_mismatch(result, "DeviceBuffer::copy_to_host_sync", file!(), lengths);
        let result = x.copy_to_host_guarded(&stream, &mut target);
        let name = "DeviceBuffer::copy_to_host_guarded";
        expect_length_mismatch(result, name, file!(), lengths);
        // SAFETY: nothing is enqueued; the stream is synchronized below all the same.
        let result = unsafe { x.copy_to_host_async(&stream, &mut target) };
        expect_length_mismatch(result, "DeviceBuffer::copy_to_host_async", file!(), lengths);
        stream.synchronize().unwrap();
        assert_same(&target, &old);
    }
}

#[test]
fn parts_of_a_slice_are_targets() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let data = random::<u8>(1001);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    // At an odd address, between bytes that have to stay.
    let mut target = vec![7u8; 1003];
    x.copy_to_host_sync(&stream, &mut target[1..1002]).unwrap();
    assert_same(&target[1..1002], &data);
    assert_eq!((target[0], target[1002]), (7, 7));
}
