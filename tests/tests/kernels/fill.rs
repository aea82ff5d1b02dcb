use icffi::prelude::*;
use icffi_kernels::{Element, fill};
use rand::distr::{Distribution, StandardUniform};

use crate::util::{SIZES, garbage, random, same};

fn filled<T: Element + std::fmt::Debug>(seed: u64)
where
    StandardUniform: Distribution<T>,
{
    let stream = Stream::new().unwrap();
    for n in SIZES {
        let value = random::<T>(1, seed + n as u64)[0];
        let mut buffer = garbage(&stream, n);
        fill(&stream, &mut buffer, value).unwrap();
        same(&buffer.to_vec(&stream).unwrap(), &vec![value; n]);
    }
}

#[test]
fn every_element_type() {
    filled::<u8>(1);
    filled::<i8>(2);
    filled::<u16>(3);
    filled::<i16>(4);
    filled::<u32>(5);
    filled::<i32>(6);
    filled::<f32>(7);
    filled::<u64>(8);
    filled::<i64>(9);
    filled::<f64>(10);
}

#[test]
fn a_view_and_nothing_beside_it() {
    let stream = Stream::new().unwrap();
    let before = random::<u8>(1000, 11);
    let mut buffer = DeviceBuffer::from_slice_sync(&stream, &before).unwrap();
    fill(&stream, &mut buffer.slice_mut(13..500), 7u8).unwrap();
    let after = buffer.to_vec(&stream).unwrap();
    same(&after[..13], &before[..13]);
    same(&after[13..500], &[7; 487]);
    same(&after[500..], &before[500..]);
}

#[test]
fn bits_of_a_nan_are_kept() {
    let stream = Stream::new().unwrap();
    let value = f32::from_bits(0x7fc0_1234);
    let mut buffer = garbage(&stream, 3);
    fill(&stream, &mut buffer, value).unwrap();
    same(&buffer.to_vec(&stream).unwrap(), &[value; 3]);
}
