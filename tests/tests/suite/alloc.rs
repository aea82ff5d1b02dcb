//! New buffers: `alloc`, `alloc_async`, `zeros`, `zeros_async`.

use icffi::device;
use icffi::memory::DeviceBuffer;
use icffi::prelude::*;
use icffi::{codes, icffi_codes};
use icffi_tests::{assert_same, expect_error, random, together};

fn check_shape<T: icffi_tests::Element>(buffer: &DeviceBuffer<T>, len: usize) {
    assert_eq!(buffer.len(), len);
    assert_eq!(buffer.is_empty(), len == 0);
    assert_eq!(buffer.size_bytes(), len * size_of::<T>());
    assert_eq!(buffer.device(), device::current().unwrap());
    assert!(!buffer.as_ptr().is_null());
    assert_eq!(buffer.as_ptr().addr() % align_of::<T>(), 0);
    if buffer.size_bytes() > 0 {
        assert_eq!(buffer.as_ptr().addr() % 256, 0, "CUDA's alignment");
    }
}

table! {
    fn alloc<T>(stream, len) {
        let mut buffer = DeviceBuffer::<T>::alloc(len)?;
        check_shape(&buffer, len);
        let data = random::<T>(len);
        buffer.copy_from_host_sync(stream, &data)?;
        assert_same(&buffer.to_vec(stream)?, &data);
        Ok(())
    }

    fn alloc_async<T>(stream, len) {
        let mut buffer = DeviceBuffer::<T>::alloc_async(stream, len)?;
        check_shape(&buffer, len);
        let data = random::<T>(len);
        buffer.copy_from_host_sync(stream, &data)?;
        assert_same(&buffer.to_vec(stream)?, &data);
        Ok(())
    }

    fn zeros<T>(stream, len) {
        let buffer = DeviceBuffer::<T>::zeros(len)?;
        check_shape(&buffer, len);
        assert_same(&buffer.to_vec(stream)?, &vec![T::zeroed(); len]);
        Ok(())
    }

    fn zeros_async<T>(stream, len) {
        let buffer = DeviceBuffer::<T>::zeros_async(stream, len)?;
        check_shape(&buffer, len);
        assert_same(&buffer.to_vec(stream)?, &vec![T::zeroed(); len]);
        Ok(())
    }

    fn pointers_agree_with_the_descriptors<T>(stream, len) {
        let mut buffer = DeviceBuffer::<T>::alloc_async(stream, len)?;
        let address = buffer.as_ptr();
        assert_eq!(buffer.as_mut_ptr().cast_const(), address);
        let (input, output) = (buffer.as_in(), buffer.as_out());
        assert_eq!((input.len(), output.len()), (len as u64, len as u64));
        let raw = if buffer.size_bytes() == 0 { std::ptr::null() } else { address };
        assert_eq!((input.as_ptr(), output.as_ptr().cast_const()), (raw, raw));
        Ok(())
    }
}

#[test]
fn sizes_that_do_not_fit_are_refused_by_name() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    for len in [usize::MAX, usize::MAX / 8 + 1, isize::MAX as usize / 8 + 1] {
        let says = [&*format!("{len} elements of 8 bytes")];
        let code = icffi_codes::ALLOCATION_OVERFLOW;
        let made = DeviceBuffer::<f64>::alloc(len);
        expect_error(made, code, "DeviceBuffer::alloc", file!(), &says);
        let made = DeviceBuffer::<f64>::alloc_async(&stream, len);
        expect_error(made, code, "DeviceBuffer::alloc_async", file!(), &says);
        let made = DeviceBuffer::<f64>::zeros(len);
        expect_error(made, code, "DeviceBuffer::zeros", file!(), &says);
        let made = DeviceBuffer::<f64>::zeros_async(&stream, len);
        expect_error(made, code, "DeviceBuffer::zeros_async", file!(), &says);
    }
}

#[test]
fn more_memory_than_the_device_has_is_an_error_and_nothing_is_lost() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let len = device::memory_info().unwrap().total + (1 << 30);
    let says = [
        &*format!("{len} bytes asked for on device 0"),
        "cudaErrorMemoryAllocation (2)",
    ];
    let code = codes::MEMORY_ALLOCATION;
    for _ in 0..3 {
        let made = DeviceBuffer::<u8>::alloc(len);
        expect_error(made, code, "DeviceBuffer::alloc", file!(), &says);
        let made = DeviceBuffer::<u8>::alloc_async(&stream, len);
        expect_error(made, code, "DeviceBuffer::alloc_async", file!(), &says);
        let made = DeviceBuffer::<u8>::zeros(len);
        expect_error(made, code, "DeviceBuffer::zeros", file!(), &says);
        let made = DeviceBuffer::<u8>::zeros_async(&stream, len);
        let error = expect_error(made, code, "DeviceBuffer::zeros_async", file!(), &says);
        assert!(!error.is_sticky());
    }
    // The device goes on as if nothing had been asked.
    let data = random::<u8>(1000);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    assert_same(&x.to_vec(&stream).unwrap(), &data);
}

#[test]
fn elements_without_a_size_take_any_length() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    for len in [1, usize::MAX] {
        let mut x = DeviceBuffer::<()>::alloc(len).unwrap();
        let y = DeviceBuffer::<()>::zeros_async(&stream, len).unwrap();
        assert_eq!((x.len(), x.size_bytes(), x.is_empty()), (len, 0, false));
        x.copy_from_device_sync(&stream, &y).unwrap();
        x.fill(&stream, ()).unwrap();
        assert_eq!(x.to_vec(&stream).unwrap().len(), len);
        x.free_async(&stream).unwrap();
    }
}

#[test]
fn debug_shows_pointer_length_bytes_and_device() {
    let _turn = together();
    let x = DeviceBuffer::<f64>::alloc(3).unwrap();
    let text = format!("{x:?}");
    let pointer = format!("ptr: {:p}", x.as_ptr());
    for part in ["DeviceBuffer", &pointer, "len: 3", "bytes: 24", "device: 0"] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    let empty = format!("{:?}", DeviceBuffer::<f64>::alloc(0).unwrap());
    assert!(empty.contains("len: 0, bytes: 0"), "{empty}");
}

#[test]
fn buffers_are_where_they_do_not_overlap() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let data: Vec<_> = (0..64).map(|i| random::<u8>(i * 97 + 1)).collect();
    let buffers: Vec<_> = data
        .iter()
        .enumerate()
        .map(|(i, data)| {
            let mut x = if i % 2 == 0 {
                DeviceBuffer::alloc(data.len()).unwrap()
            } else {
                DeviceBuffer::alloc_async(&stream, data.len()).unwrap()
            };
            x.copy_from_host_guarded(&stream, data)
                .unwrap()
                .wait()
                .unwrap();
            x
        })
        .collect();
    for (x, data) in buffers.iter().zip(&data) {
        assert_same(&x.to_vec(&stream).unwrap(), data);
    }
}
