//! `free_async` and dropping: always right, on whichever stream.

use icffi::prelude::*;
use icffi_tests::{assert_same, random, together};

table! {
    fn free_async<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_guarded_async(stream, &data)?.into_ordered();
        let mut back = data.clone();
        let copied = x.copy_to_host_guarded(stream, &mut back)?;
        x.free_async(stream)?;
        copied.wait()?;
        assert_same(&back, &data);
        Ok(())
    }

    fn free_async_of_cuda_malloc_memory<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_sync(stream, &data)?;
        let mut back = vec![T::zeroed(); len];
        let copied = x.copy_to_host_guarded(stream, &mut back)?;
        x.free_async(stream)?;
        copied.wait()?;
        assert_same(&back, &data);
        Ok(())
    }

    fn free_async_on_another_stream<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_guarded_async(stream, &data)?.into_ordered();
        let mut back = vec![T::zeroed(); len];
        let copied = x.copy_to_host_guarded(stream, &mut back)?;
        let other = Stream::new()?;
        x.free_async(&other)?;
        // The memory may come back at once, for other data, on the other stream.
        let next = random::<T>(len);
        let y = DeviceBuffer::from_slice_guarded_async(&other, &next)?.into_ordered();
        copied.wait()?;
        assert_same(&back, &data);
        assert_same(&y.to_vec(stream)?, &next);
        Ok(())
    }

    fn drop_with_work_in_flight<T>(stream, len) {
        let data = random::<T>(len);
        let mut host = HostBuffer::<T>::alloc_zeroed(len)?;
        for pooled in [true, false] {
            let x = if pooled {
                DeviceBuffer::from_slice_guarded_async(stream, &data)?.into_ordered()
            } else {
                DeviceBuffer::from_slice_guarded(stream, &data)?.into_ordered()
            };
            std::mem::forget(x.copy_to_host_buffer_guarded(stream, &mut host)?);
            drop(x);
            assert_same(host.as_slice(), &data);
        }
        Ok(())
    }
}

#[test]
fn a_buffer_used_on_two_streams_is_dropped() {
    let _turn = together();
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let data = random::<u32>(100_000);
    for pooled in [true, false] {
        let x = if pooled {
            DeviceBuffer::from_slice_guarded_async(&a, &data)
        } else {
            DeviceBuffer::from_slice_guarded(&a, &data)
        };
        let x = x.unwrap().into_ordered();
        let (mut one, mut two) = (vec![0; data.len()], vec![0; data.len()]);
        let first = x.copy_to_host_guarded(&a, &mut one).unwrap();
        let second = x.copy_to_host_guarded(&b, &mut two).unwrap();
        drop(x);
        // Whoever gets the memory next writes to it.
        let y = DeviceBuffer::<u32>::zeros_async(&b, data.len()).unwrap();
        let z = DeviceBuffer::<u32>::zeros_async(&a, data.len()).unwrap();
        first.wait().unwrap();
        second.wait().unwrap();
        assert_same(&one, &data);
        assert_same(&two, &data);
        drop((y, z));
    }
}

#[test]
fn the_stream_of_a_pool_allocation_may_go_first() {
    let _turn = together();
    let a = Stream::new().unwrap();
    let data = random::<u32>(10_000);
    let x = DeviceBuffer::from_slice_guarded_async(&a, &data)
        .unwrap()
        .into_ordered();
    drop(a);
    let b = Stream::new().unwrap();
    assert_same(&x.to_vec(&b).unwrap(), &data);
    drop(b);
    drop(x);
}

#[test]
fn a_buffer_may_be_freed_by_another_thread() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let data = random::<f64>(10_000);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let y = DeviceBuffer::from_slice_guarded_async(&stream, &data)
        .unwrap()
        .into_ordered();
    let remote = stream.clone();
    let back = std::thread::spawn(move || {
        let back = x.to_vec(&remote).unwrap();
        drop(x);
        y.free_async(&remote).unwrap();
        back
    });
    assert_same(&back.join().unwrap(), &data);
    stream.synchronize().unwrap();
}
