//! Views of a buffer: the same operations on a part of it.

use icffi::icffi_codes::INVALID_ARGUMENT;
use icffi::prelude::*;
use icffi_tests::{assert_same, expect_error, expect_length_mismatch, random, together};

table! {
    fn parts_are_read<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_sync(stream, &data)?;
        let (from, to) = (len / 3, len - len / 5);
        let part = x.slice(from..to);
        let expected = &data[from..to];
        assert_same(&part.to_vec(stream)?, expected);
        let mut target = vec![T::zeroed(); expected.len()];
        part.copy_to_host_sync(stream, &mut target)?;
        assert_same(&target, expected);
        target.fill(T::zeroed());
        part.copy_to_host_guarded(stream, &mut target)?.wait()?;
        assert_same(&target, expected);
        assert_same(part.to_host_buffer(stream)?.as_slice(), expected);
        let mut pinned = HostBuffer::<T>::alloc_zeroed(expected.len())?;
        part.copy_to_host_buffer_sync(stream, &mut pinned)?;
        assert_same(&pinned, expected);
        pinned.as_mut_slice().fill(T::zeroed());
        std::mem::forget(part.copy_to_host_buffer_guarded(stream, &mut pinned)?);
        assert_same(&pinned, expected);
        Ok(())
    }

    fn parts_are_written<T>(stream, len) {
        let (mut data, new) = (random::<T>(len), random::<T>(len));
        let mut x = DeviceBuffer::from_slice_sync(stream, &data)?;
        let (from, to) = (len / 3, len - len / 5);
        let source = HostBuffer::from_slice(&new[from..to])?;
        x.slice_mut(from..to).copy_from_host_sync(stream, &new[from..to])?;
        data[from..to].copy_from_slice(&new[from..to]);
        assert_same(&x.to_vec(stream)?, &data);
        x.slice_mut(from..to).fill(stream, T::zeroed())?;
        x.slice_mut(from..to).copy_from_host_guarded(stream, &new[from..to])?.wait()?;
        assert_same(&x.to_vec(stream)?, &data);
        x.slice_mut(from..to).fill(stream, T::zeroed())?;
        x.slice_mut(from..to).copy_from_host_buffer_sync(stream, &source)?;
        assert_same(&x.to_vec(stream)?, &data);
        x.slice_mut(from..to).fill(stream, T::zeroed())?;
        std::mem::forget(x.slice_mut(from..to).copy_from_host_buffer_guarded(stream, &source)?);
        assert_same(&x.to_vec(stream)?, &data);
        let y = DeviceBuffer::from_slice_sync(stream, &new)?;
        x.slice_mut(..from).copy_from_device_async(stream, &y.slice(..from))?;
        x.slice_mut(to..).copy_from_device_sync(stream, &y.slice(to..))?;
        assert_same(&x.to_vec(stream)?, &new);
        Ok(())
    }

    fn halves_on_two_streams<T>(stream, len) {
        let (low_data, high_data) = (random::<T>(len / 2), random::<T>(len - len / 2));
        let other = Stream::new()?;
        let mut x = DeviceBuffer::<T>::zeros(len)?;
        for _ in 0..2 {
            let (mut low, mut high) = x.split_at_mut(len / 2);
            std::mem::forget(low.copy_from_host_guarded(stream, &low_data)?);
            std::mem::forget(high.copy_from_host_guarded(&other, &high_data)?);
        }
        let mut expected = low_data.clone();
        expected.extend_from_slice(&high_data);
        assert_same(&x.to_vec(&Stream::new()?)?, &expected);
        Ok(())
    }

    fn chunks_cover_everything<T>(stream, len) {
        let data = random::<T>(len);
        let x = DeviceBuffer::from_slice_sync(stream, &data)?;
        let size = len / 7 + 1;
        let mut back = Vec::new();
        for chunk in x.chunks(size) {
            back.extend(chunk.to_vec(stream)?);
        }
        assert_same(&back, &data);
        let mut y = DeviceBuffer::<T>::zeros(len)?;
        for (mut chunk, data) in y.chunks_mut(size).zip(data.chunks(size)) {
            chunk.copy_from_host_guarded(stream, data)?.wait()?;
        }
        assert_same(&y.to_vec(stream)?, &data);
        Ok(())
    }
}

#[test]
fn lengths_and_ranges_are_checked() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(10).unwrap();
    let result = x.slice(2..5).copy_to_host_sync(&stream, &mut [0; 4]);
    expect_length_mismatch(result, "DeviceSlice::copy_to_host_sync", file!(), (3, 4));
    let result = x.slice_mut(2..5).copy_from_host_sync(&stream, &[0; 2]);
    expect_length_mismatch(
        result,
        "DeviceSliceMut::copy_from_host_sync",
        file!(),
        (3, 2),
    );
    for (from, to) in [(0, 11), (11, 11), (5, 4), (0, usize::MAX)] {
        let name = "DeviceBuffer::try_slice";
        expect_error(
            x.try_slice(from..to),
            INVALID_ARGUMENT,
            name,
            file!(),
            &["10 elements"],
        );
        let name = "DeviceBuffer::try_slice_mut";
        let result = x.try_slice_mut(from..to);
        expect_error(result, INVALID_ARGUMENT, name, file!(), &["10 elements"]);
    }
    assert!(x.try_slice(..=usize::MAX).is_err());
    assert_eq!(x.slice(10..).len(), 0);
}

#[test]
fn bits_are_cast_by_the_rules_of_bytemuck() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let data = random::<u32>(10);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let bytes: Vec<u8> = data.iter().flat_map(|n| n.to_ne_bytes()).collect();
    let back = x.as_view().cast::<u8>().unwrap().to_vec(&stream).unwrap();
    assert_same(&back, &bytes);
    let name = "DeviceSlice::cast";
    let odd = x.slice(..9).cast::<f64>();
    expect_error(odd, INVALID_ARGUMENT, name, file!(), &["36 bytes"]);
    let crooked = x.slice(1..9).cast::<f64>();
    expect_error(crooked, INVALID_ARGUMENT, name, file!(), &["align to 8"]);
    assert_eq!(x.slice(2..10).cast::<f64>().unwrap().len(), 4);
}
