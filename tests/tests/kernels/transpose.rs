use icffi::prelude::*;
use icffi_kernels::transpose;

use crate::util::{garbage, random, same, upload};

fn transposed(width: usize, height: usize) {
    let stream = Stream::new().unwrap();
    let x = random::<f32>(width * height, (width * 31 + height) as u64);
    let mut out = garbage(&stream, width * height);
    transpose(&stream, width, height, &upload(&stream, &x), &mut out).unwrap();
    let mut expected = Vec::with_capacity(x.len());
    for column in 0..width {
        expected.extend((0..height).map(|row| x[row * width + column]));
    }
    same(&out.to_vec(&stream).unwrap(), &expected);
}

#[test]
fn around_the_size_of_a_tile() {
    for width in [1, 2, 31, 32, 33, 65] {
        for height in [1, 3, 31, 32, 33, 64] {
            transposed(width, height);
        }
    }
}

#[test]
fn of_all_sizes() {
    for (width, height) in [
        (0, 0),
        (0, 5),
        (5, 0),
        (1, 1),
        (40, 25),
        (1, 1000),
        (2000, 1500),
    ] {
        transposed(width, height);
    }
    transposed(1, 3_000_000);
    transposed(3_000_000, 1);
}

#[test]
fn twice_is_nothing() {
    let stream = Stream::new().unwrap();
    let x = random::<f32>(777 * 123, 9);
    let dx = upload(&stream, &x);
    let (mut a, mut b) = (garbage(&stream, x.len()), garbage(&stream, x.len()));
    transpose(&stream, 777, 123, &dx, &mut a).unwrap();
    transpose(&stream, 123, 777, &a, &mut b).unwrap();
    same(&b.to_vec(&stream).unwrap(), &x);
}
