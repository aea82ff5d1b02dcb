//! `fill`.

use icffi::prelude::*;
use icffi_tests::{assert_same, random, together};

table! {
    fn fill_with_any_value<T>(stream, len) {
        let value = random::<T>(1)[0];
        let mut x = DeviceBuffer::<T>::alloc_async(stream, len)?;
        x.fill(stream, value)?;
        assert_same(&x.to_vec(stream)?, &vec![value; len]);
        Ok(())
    }

    fn fill_with_zero<T>(stream, len) {
        let mut x = DeviceBuffer::from_slice_sync(stream, &random::<T>(len))?;
        x.fill(stream, T::zeroed())?;
        assert_same(&x.to_vec(&Stream::new()?)?, &vec![T::zeroed(); len]);
        Ok(())
    }
}

#[test]
fn lengths_around_the_piece_that_is_doubled() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    for bytes in [4, 16 << 10, 32 << 10, 1 << 20] {
        for len in [bytes / 4 - 1, bytes / 4, bytes / 4 + 1] {
            let mut x = DeviceBuffer::<u32>::alloc(len).unwrap();
            x.fill(&stream, 0x0102_0304).unwrap();
            assert_same(&x.to_vec(&stream).unwrap(), &vec![0x0102_0304; len]);
            // One byte repeated goes another way.
            x.fill(&stream, 0xabab_abab).unwrap();
            assert_same(&x.to_vec(&stream).unwrap(), &vec![0xabab_abab; len]);
        }
    }
}

#[test]
fn an_element_as_large_as_the_piece() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let values = random::<u32>(4096);
    let mut big = [0u32; 4096];
    big.copy_from_slice(&values);
    let mut x = DeviceBuffer::<[u32; 4096]>::alloc(3).unwrap();
    x.fill(&stream, big).unwrap();
    let back = x.to_vec(&stream).unwrap();
    assert_eq!(back.len(), 3);
    for one in &back {
        assert_same(one, &values);
    }
}
