//! The device to pinned memory.

use icffi::prelude::*;
use icffi_tests::{assert_same, expect_length_mismatch, random, together};

table! {
    fn to_host_buffer<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_sync(stream, &data)?;
        assert_same(x.to_host_buffer(stream)?.as_slice(), &data);
        Ok(())
    }

    fn copy_to_host_buffer_sync<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_sync(stream, &data)?;
        let mut target = HostBuffer::<T>::alloc_zeroed(len)?;
        x.copy_to_host_buffer_sync(stream, &mut target)?;
        assert_same(target.as_slice(), &data);
        Ok(())
    }

    fn copy_to_host_buffer_guarded<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_sync(stream, &data)?;
        let mut target = HostBuffer::<T>::alloc_zeroed(len)?;
        let transfer = x.copy_to_host_buffer_guarded(stream, &mut target)?;
        assert_eq!(transfer.was_synchronous(), len * size_of::<T>() == 0);
        transfer.wait()?;
        assert_same(target.as_slice(), &data);
        Ok(())
    }

    fn copy_to_host_buffer_async<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_sync(stream, &data)?;
        let mut target = HostBuffer::<T>::alloc_zeroed(len)?;
        // SAFETY: the stream is synchronized before `target` is looked at.
        unsafe { x.copy_to_host_buffer_async(stream, &mut target)? };
        stream.synchronize()?;
        assert_same(target.as_slice(), &data);
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
        let mut target = HostBuffer::from_slice(&old).unwrap();
        let lengths = (5, len);
        let result = x.copy_to_host_buffer_sync(&stream, &mut target);
        let name = "DeviceBuffer::copy_to_host_buffer_sync";
        expect_length_mismatch(result, name, file!(), lengths);
        let result = x.copy_to_host_buffer_guarded(&stream, &mut target);
        let name = "DeviceBuffer::copy_to_host_buffer_guarded";
        expect_length_mismatch(result, name, file!(), lengths);
        // SAFETY: nothing is enqueued; the stream is synchronized below all the same.
        let result = unsafe { x.copy_to_host_buffer_async(&stream, &mut target) };
        let name = "DeviceBuffer::copy_to_host_buffer_async";
        expect_length_mismatch(result, name, file!(), lengths);
        stream.synchronize().unwrap();
        assert_same(target.as_slice(), &old);
    }
}
