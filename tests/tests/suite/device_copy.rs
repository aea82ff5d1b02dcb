//! Copies between device buffers.

use icffi::prelude::*;
use icffi_tests::{assert_same, expect_length_mismatch, random, together};

table! {
    fn copy_from_device_async<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_guarded(stream, &data)?.into_ordered();
        let mut y = DeviceBuffer::<T>::zeros_async(stream, len)?;
        y.copy_from_device_async(stream, &x)?;
        assert_same(&y.to_vec(stream)?, &data);
        Ok(())
    }

    fn copy_from_device_sync<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_guarded_async(stream, &data)?.into_ordered();
        let mut y = DeviceBuffer::<T>::zeros(len)?;
        y.copy_from_device_sync(stream, &x)?;
        assert_same(&y.to_vec(&Stream::new()?)?, &data);
        Ok(())
    }

    fn the_old_name_still_works<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_sync(stream, &data)?;
        let mut y = DeviceBuffer::<T>::alloc_async(stream, len)?;
        #[expect(deprecated, reason = "it is what is tested")]
        y.copy_from_device(stream, &x)?;
        assert_same(&y.to_vec(stream)?, &data);
        Ok(())
    }
}

#[test]
fn types_with_padding_are_copied_on_the_device() {
    // No host value is made of the bits, so any `Copy + 'static` type may be copied.
    #[derive(Clone, Copy)]
    #[expect(dead_code, reason = "only its layout matters")]
    struct Padded(u8, u64);
    let _turn = together();
    let stream = Stream::new().unwrap();
    let x = DeviceBuffer::<Padded>::alloc(100).unwrap();
    let mut y = DeviceBuffer::<Padded>::alloc_async(&stream, 100).unwrap();
    y.copy_from_device_sync(&stream, &x).unwrap();
}

#[test]
fn unequal_lengths_are_named() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let data = random::<u32>(5);
    let mut y = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    for len in [0, 4, 6, 1000] {
        let x = DeviceBuffer::<u32>::zeros(len).unwrap();
        let lengths = (5, len);
        let result = y.copy_from_device_async(&stream, &x);
        let name = "DeviceBuffer::copy_from_device_async";
        expect_length_mismatch(result, name, file!(), lengths);
        let result = y.copy_from_device_sync(&stream, &x);
        expect_length_mismatch(
            result,
            "DeviceBuffer::copy_from_device_sync",
            file!(),
            lengths,
        );
        #[expect(deprecated, reason = "it is what is tested")]
        let result = y.copy_from_device(&stream, &x);
        expect_length_mismatch(result, "DeviceBuffer::copy_from_device", file!(), lengths);
    }
    assert_same(&y.to_vec(&stream).unwrap(), &data);
}
