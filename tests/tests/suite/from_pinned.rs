//! Pinned memory to the device.

use icffi::prelude::*;
use icffi_tests::{assert_same, expect_length_mismatch, random, together};

table! {
    fn from_host_buffer_sync<T>(stream, len) {
        let source = HostBuffer::from_slice(&random::<T>(len))?;
        let x = DeviceBuffer::from_host_buffer_sync(stream, &source)?;
        assert_same(&x.to_vec(stream)?, source.as_slice());
        Ok(())
    }

    fn from_host_buffer_guarded<T>(stream, len) {
        let source = HostBuffer::from_slice(&random::<T>(len))?;
        let x = DeviceBuffer::from_host_buffer_guarded(stream, &source)?.wait()?;
        assert_same(&x.to_vec(stream)?, source.as_slice());
        Ok(())
    }

    fn from_host_buffer_guarded_async<T>(stream, len) {
        let source = HostBuffer::from_slice(&random::<T>(len))?;
        let x = DeviceBuffer::from_host_buffer_guarded_async(stream, &source)?.wait()?;
        assert_same(&x.to_vec(stream)?, source.as_slice());
        Ok(())
    }

    fn from_host_buffer_async<T>(stream, len) {
        let source = HostBuffer::from_slice(&random::<T>(len))?;
        // SAFETY: the stream is synchronized before `source` goes away.
        let x = unsafe { DeviceBuffer::from_host_buffer_async(stream, &source)? };
        stream.synchronize()?;
        assert_same(&x.to_vec(stream)?, source.as_slice());
        Ok(())
    }

    fn from_host_buffer_alloc_sync<T>(stream, len) {
        let source = HostBuffer::from_slice(&random::<T>(len))?;
        // SAFETY: the stream is synchronized before `source` goes away.
        let x = unsafe { DeviceBuffer::from_host_buffer_alloc_sync(stream, &source)? };
        stream.synchronize()?;
        assert_same(&x.to_vec(stream)?, source.as_slice());
        Ok(())
    }

    fn into_ordered_keeps_the_source_protected<T>(stream, len) {
        let data = random::<T>(len);
        let mut source = HostBuffer::from_slice(&data)?;
        let x = DeviceBuffer::from_host_buffer_guarded_async(stream, &source)?.into_ordered();
        source.as_mut_slice().fill(T::zeroed());
        drop(source);
        assert_same(&x.to_vec(&Stream::new()?)?, &data);
        Ok(())
    }

    fn copy_from_host_buffer_sync<T>(stream, len) {
        let source = HostBuffer::from_slice(&random::<T>(len))?;
        let mut x = DeviceBuffer::<T>::zeros(len)?;
        x.copy_from_host_buffer_sync(stream, &source)?;
        assert_same(&x.to_vec(stream)?, source.as_slice());
        Ok(())
    }

    fn copy_from_host_buffer_guarded<T>(stream, len) {
        let source = HostBuffer::from_slice(&random::<T>(len))?;
        let mut x = DeviceBuffer::<T>::zeros(len)?;
        let transfer = x.copy_from_host_buffer_guarded(stream, &source)?;
        assert_eq!(transfer.was_synchronous(), len * size_of::<T>() == 0);
        transfer.wait()?;
        assert_same(&x.to_vec(stream)?, source.as_slice());
        Ok(())
    }

    fn copy_from_host_buffer_async<T>(stream, len) {
        let source = HostBuffer::from_slice(&random::<T>(len))?;
        let mut x = DeviceBuffer::<T>::zeros(len)?;
        // SAFETY: the stream is synchronized before `source` goes away.
        unsafe { x.copy_from_host_buffer_async(stream, &source)? };
        stream.synchronize()?;
        assert_same(&x.to_vec(stream)?, source.as_slice());
        Ok(())
    }
}

#[test]
fn unequal_lengths_are_named() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let data = random::<u32>(5);
    let mut x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    for len in [0, 4, 6, 1000] {
        let source = HostBuffer::from_slice(&random::<u32>(len)).unwrap();
        let lengths = (5, len);
        let result = x.copy_from_host_buffer_sync(&stream, &source);
        let name = "DeviceBuffer::copy_from_host_buffer_sync";
        expect_length_mismatch(result, name, file!(), lengths);
        let result = x.copy_from_host_buffer_guarded(&stream, &source);
        let name = "DeviceBuffer::copy_from_host_buffer_guarded";
        expect_length_mismatch(result, name, file!(), lengths);
        // SAFETY: nothing is enqueued; the stream is synchronized below all the same.
        let result = unsafe { x.copy_from_host_buffer_async(&stream, &source) };
        let name = "DeviceBuffer::copy_from_host_buffer_async";
        expect_length_mismatch(result, name, file!(), lengths);
        stream.synchronize().unwrap();
    }
    assert_same(&x.to_vec(&stream).unwrap(), &data);
}
