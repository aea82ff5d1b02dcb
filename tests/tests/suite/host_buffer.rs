//! Pinned memory by itself.

use icffi::prelude::*;
use icffi::{codes, icffi_codes};
use icffi_tests::{assert_same, expect_error, expect_length_mismatch, random, together};

const FLAGS: [HostAllocFlags; 4] = [
    HostAllocFlags::DEFAULT,
    HostAllocFlags::PORTABLE,
    HostAllocFlags::MAPPED,
    HostAllocFlags::WRITE_COMBINED,
];

fn check_shape<T: icffi_tests::Element>(buffer: &mut HostBuffer<T>, len: usize) {
    assert_eq!((buffer.len(), buffer.is_empty()), (len, len == 0));
    assert_eq!(buffer.size_bytes(), len * size_of::<T>());
    assert_eq!(buffer.as_ptr().addr() % align_of::<T>(), 0);
    assert_eq!(buffer.as_mut_ptr().cast_const(), buffer.as_ptr());
    assert_eq!(buffer.as_slice().as_ptr(), buffer.as_ptr());
    assert_eq!(buffer.as_mut_slice().len(), len);
}

table! {
    fn alloc_zeroed<T>(_stream, len) {
        let mut buffer = HostBuffer::<T>::alloc_zeroed(len)?;
        check_shape(&mut buffer, len);
        assert_same(buffer.as_slice(), &vec![T::zeroed(); len]);
        Ok(())
    }

    fn alloc_zeroed_with_flags<T>(_stream, len) {
        for flags in FLAGS {
            // Reading write-combined memory is slow: only a little of it.
            let len = if flags == HostAllocFlags::WRITE_COMBINED { len.min(1000) } else { len };
            let mut buffer = HostBuffer::<T>::alloc_zeroed_with_flags(len, flags)?;
            check_shape(&mut buffer, len);
            if buffer.size_bytes() > 0 {
                assert_eq!(buffer.flags(), flags);
            }
            assert_same(buffer.as_slice(), &vec![T::zeroed(); len]);
        }
        Ok(())
    }

    fn alloc_uninit<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_sync(stream, &data)?;
        for flags in [None, Some(HostAllocFlags::PORTABLE)] {
            // SAFETY: the copy writes every element before one is read.
            let mut buffer = unsafe {
                match flags {
                    None => HostBuffer::<T>::alloc_uninit(len)?,
                    Some(flags) => HostBuffer::<T>::alloc_uninit_with_flags(len, flags)?,
                }
            };
            x.copy_to_host_buffer_sync(stream, &mut buffer)?;
            check_shape(&mut buffer, len);
            assert_same(buffer.as_slice(), &data);
        }
        Ok(())
    }

    fn from_slice<T>(_stream, len) {
        let data = random::<T>(len);
        let mut buffer = HostBuffer::from_slice(&data)?;
        check_shape(&mut buffer, len);
        assert_same(buffer.as_slice(), &data);
        let flagged = HostBuffer::from_slice_with_flags(&data, HostAllocFlags::MAPPED)?;
        assert_same(&flagged, &data);
        Ok(())
    }

    fn every_way_to_look_and_to_write<T>(_stream, len) {
        let (first, second) = (random::<T>(len), random::<T>(len));
        let mut buffer = HostBuffer::<T>::alloc_zeroed(len)?;
        buffer.copy_from_slice(&first)?;
        let mut out = vec![T::zeroed(); len];
        buffer.copy_to_slice(&mut out)?;
        assert_same(&out, &first);
        assert_same(&buffer.to_vec()?, &first);
        assert_same(buffer.try_as_slice()?, &first);
        assert_same(&buffer[..], &first);
        buffer.as_mut_slice().copy_from_slice(&second);
        assert_same(&buffer, &second);
        buffer.try_as_mut_slice()?.copy_from_slice(&first);
        assert_same(&buffer, &first);
        // The trait's, through the borrow: `DerefMut`.
        buffer[..].copy_from_slice(&second);
        assert_same(&buffer, &second);
        Ok(())
    }
}

#[test]
fn unequal_lengths_are_named() {
    let _turn = together();
    let old = random::<u32>(5);
    let mut buffer = HostBuffer::from_slice(&old).unwrap();
    for len in [0, 4, 6] {
        let mut other = random::<u32>(len);
        let result = buffer.copy_from_slice(&other);
        expect_length_mismatch(result, "HostBuffer::copy_from_slice", file!(), (5, len));
        let result = buffer.copy_to_slice(&mut other);
        expect_length_mismatch(result, "HostBuffer::copy_to_slice", file!(), (5, len));
    }
    assert_same(&buffer, &old);
}

#[test]
fn sizes_that_do_not_fit_are_refused_by_name() {
    let _turn = together();
    let len = isize::MAX as usize / 8 + 1;
    let (code, flags) = (icffi_codes::ALLOCATION_OVERFLOW, HostAllocFlags::PORTABLE);
    let says = [&*format!("{len} elements of 8 bytes")];
    let made = HostBuffer::<f64>::alloc_zeroed(len);
    expect_error(made, code, "HostBuffer::alloc_zeroed", file!(), &says);
    let made = HostBuffer::<f64>::alloc_zeroed_with_flags(len, flags);
    expect_error(
        made,
        code,
        "HostBuffer::alloc_zeroed_with_flags",
        file!(),
        &says,
    );
    // SAFETY: both calls fail, so there is no buffer to read.
    let made = unsafe { HostBuffer::<f64>::alloc_uninit(len) };
    expect_error(made, code, "HostBuffer::alloc_uninit", file!(), &says);
    // SAFETY: as above.
    let made = unsafe { HostBuffer::<f64>::alloc_uninit_with_flags(len, flags) };
    expect_error(
        made,
        code,
        "HostBuffer::alloc_uninit_with_flags",
        file!(),
        &says,
    );
}

#[test]
fn more_memory_than_the_system_pins_is_an_error() {
    let _turn = together();
    // 64 TiB: no machine has it.
    let len = 1usize << 46;
    let says = [&*format!("{len} bytes asked for of pinned host memory")];
    let code = codes::MEMORY_ALLOCATION;
    let made = HostBuffer::<u8>::alloc_zeroed(len);
    expect_error(made, code, "HostBuffer::alloc_zeroed", file!(), &says);
    // SAFETY: the call fails, so there is no buffer to read.
    let made = unsafe { HostBuffer::<u8>::alloc_uninit(len) };
    expect_error(made, code, "HostBuffer::alloc_uninit", file!(), &says);
    assert_same(&HostBuffer::from_slice(&[1u8, 2]).unwrap(), &[1, 2]);
}

#[test]
fn mapped_memory_has_a_device_address_and_other_memory_has_not() {
    let _turn = together();
    let mut mapped = HostBuffer::<f32>::alloc_zeroed_with_flags(8, HostAllocFlags::MAPPED).unwrap();
    assert!(!mapped.device_ptr().unwrap().is_null());
    let mut plain = HostBuffer::<f32>::alloc_zeroed(8).unwrap();
    let code = icffi_codes::INVALID_ARGUMENT;
    expect_error(
        plain.device_ptr(),
        code,
        "HostBuffer::device_ptr",
        file!(),
        &["MAPPED"],
    );
    assert!(
        HostBuffer::<f32>::alloc_zeroed(0)
            .unwrap()
            .device_ptr()
            .is_ok()
    );
}

#[test]
fn flags_combine() {
    let both = HostAllocFlags::MAPPED | HostAllocFlags::PORTABLE;
    assert!(both.contains(HostAllocFlags::MAPPED) && both.contains(HostAllocFlags::PORTABLE));
    assert!(!both.contains(HostAllocFlags::WRITE_COMBINED));
    assert_eq!(both.bits(), 3);
    assert_eq!(HostAllocFlags::default(), HostAllocFlags::DEFAULT);
}

#[test]
fn debug_shows_pointer_length_bytes_and_flags() {
    let _turn = together();
    let buffer = HostBuffer::<f64>::alloc_zeroed(3).unwrap();
    let text = format!("{buffer:?}");
    for part in [
        "HostBuffer",
        &format!("ptr: {:p}", buffer.as_ptr()),
        "len: 3",
        "bytes: 24",
    ] {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
}

#[test]
fn a_pinned_buffer_moves_to_another_thread_with_its_transfer() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let data = random::<u32>(100_000);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let mut target = HostBuffer::<u32>::alloc_zeroed(data.len()).unwrap();
    std::mem::forget(x.copy_to_host_buffer_guarded(&stream, &mut target).unwrap());
    let seen = std::thread::spawn(move || target.to_vec().unwrap())
        .join()
        .unwrap();
    assert_same(&seen, &data);
}
