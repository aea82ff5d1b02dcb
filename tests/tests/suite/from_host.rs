//! Plain slices to the device.

use icffi::prelude::*;
use icffi_tests::{assert_same, expect_length_mismatch, random, together};

table! {
    fn from_slice_sync<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_sync(stream, &data)?;
        assert_same(&x.to_vec(stream)?, &data);
        Ok(())
    }

    fn from_slice_async<T>(stream, len) {
        let data = random::<T>(len);
        // SAFETY: the stream is synchronized before `data` goes away.
        let x = unsafe { DeviceBuffer::from_slice_async(stream, &data)? };
        stream.synchronize()?;
        assert_same(&x.to_vec(stream)?, &data);
        Ok(())
    }

    fn from_slice_guarded<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_guarded(stream, &data)?.wait()?;
        assert_same(&x.to_vec(stream)?, &data);
        Ok(())
    }

    fn from_slice_guarded_async<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_guarded_async(stream, &data)?.wait()?;
        assert_same(&x.to_vec(stream)?, &data);
        Ok(())
    }

    fn into_ordered_leaves_the_slice_free_at_once<T>(stream, len) {
        let mut data = random::<T>(len);
        let expected = data.clone();
        let other = Stream::new()?;
        let x = DeviceBuffer::from_slice_guarded(stream, &data)?.into_ordered();
        let y = DeviceBuffer::from_slice_guarded_async(stream, &data)?.into_ordered();
        data.fill(T::zeroed());
        drop(data);
        assert_same(&x.to_vec(&other)?, &expected);
        assert_same(&y.to_vec(&other)?, &expected);
        Ok(())
    }

    fn copy_from_host_sync<T>(stream, len) {
        let mut x = DeviceBuffer::<T>::zeros(len)?;
        let data = random::<T>(len);
        x.copy_from_host_sync(stream, &data)?;
        assert_same(&x.to_vec(stream)?, &data);
        Ok(())
    }

    fn copy_from_host_guarded<T>(stream, len) {
        let mut x = DeviceBuffer::<T>::zeros(len)?;
        let data = random::<T>(len);
        let transfer = x.copy_from_host_guarded(stream, &data)?;
        assert_eq!(transfer.was_synchronous(), len * size_of::<T>() == 0);
        transfer.wait()?;
        assert_same(&x.to_vec(stream)?, &data);
        Ok(())
    }

    fn copy_from_host_async<T>(stream, len) {
        let mut x = DeviceBuffer::<T>::zeros(len)?;
        let data = random::<T>(len);
        // SAFETY: the stream is synchronized before `data` goes away.
        unsafe { x.copy_from_host_async(stream, &data)? };
        stream.synchronize()?;
        assert_same(&x.to_vec(stream)?, &data);
        Ok(())
    }
}

#[test]
fn unequal_lengths_are_named_before_anything_is_enqueued() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let data = random::<u32>(5);
    let mut x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    for len in [0, 4, 6, 1000] {
        let other = random::<u32>(len);
        let lengths = (5, len);
        let result = x.copy_from_host_sync(&stream, &other);
        expect_length_mismatch(
            result,
            "DeviceBuffer::copy_from_host_sync",
            file!(),
            lengths,
        );
        let result = x.copy_from_host_guarded(&stream, &other);
        let name = "DeviceBuffer::copy_from_host_guarded";
        expect_length_mismatch(result, name, file!(), lengths);
        // SAFETY: nothing is enqueued; the stream is synchronized below all the same.
        let result = unsafe { x.copy_from_host_async(&stream, &other) };
        expect_length_mismatch(
            result,
            "DeviceBuffer::copy_from_host_async",
            file!(),
            lengths,
        );
        stream.synchronize().unwrap();
    }
    let mut empty = DeviceBuffer::<u32>::alloc(0).unwrap();
    let result = empty.copy_from_host_sync(&stream, &data);
    expect_length_mismatch(result, "DeviceBuffer::copy_from_host_sync", file!(), (0, 5));
    assert_same(&x.to_vec(&stream).unwrap(), &data);
}
