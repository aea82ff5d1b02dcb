use icffi::prelude::*;
use icffi_kernels::{Arithmetic, add, multiply, scale};

use crate::util::{SIZES, garbage, random, same, signed, to_f32, upload};

/// `expected` is exact: one operation, rounded once.
fn all<T: Arithmetic + std::fmt::Debug>(
    data: impl Fn(usize, u64) -> Vec<T>,
    sum: impl Fn(T, T) -> T,
    product: impl Fn(T, T) -> T,
) {
    let stream = Stream::new().unwrap();
    for n in SIZES {
        let (x, y) = (data(n, 1), data(n, 2));
        let (dx, dy) = (upload(&stream, &x), upload(&stream, &y));
        let pairs = || x.iter().zip(&y).map(|(&x, &y)| (x, y));

        let mut out = garbage(&stream, n);
        add(&stream, &dx, &dy, &mut out).unwrap();
        let expected: Vec<_> = pairs().map(|(x, y)| sum(x, y)).collect();
        same(&out.to_vec(&stream).unwrap(), &expected);

        let mut out = garbage(&stream, n);
        multiply(&stream, &dx, &dy, &mut out).unwrap();
        let expected: Vec<_> = pairs().map(|(x, y)| product(x, y)).collect();
        same(&out.to_vec(&stream).unwrap(), &expected);

        let factor = data(1, 3)[0];
        let mut x2 = upload(&stream, &x);
        scale(&stream, factor, &mut x2).unwrap();
        let expected: Vec<_> = x.iter().map(|&x| product(x, factor)).collect();
        same(&x2.to_vec(&stream).unwrap(), &expected);
        // Inputs are as they were.
        same(&dx.to_vec(&stream).unwrap(), &x);
        same(&dy.to_vec(&stream).unwrap(), &y);
    }
}

#[test]
fn f32_rounds_once() {
    // In f64 the sum and the product of two f32 lose nothing that a second rounding could miss.
    all(
        |n, seed| to_f32(&signed(n, seed)),
        |x, y| (f64::from(x) + f64::from(y)) as f32,
        |x, y| (f64::from(x) * f64::from(y)) as f32,
    );
}

#[test]
fn f64_is_that_of_the_cpu() {
    all(signed, |x, y| x + y, |x, y| x * y);
}

#[test]
fn integers_wrap_around() {
    all(
        random::<i32>,
        |x, y| (i64::from(x) + i64::from(y)) as i32,
        |x, y| (i64::from(x) * i64::from(y)) as i32,
    );
    all(random::<u32>, u32::wrapping_add, u32::wrapping_mul);
    all(
        random::<i64>,
        |x, y| (i128::from(x) + i128::from(y)) as i64,
        |x, y| (i128::from(x) * i128::from(y)) as i64,
    );
    all(random::<u64>, u64::wrapping_add, u64::wrapping_mul);
}

#[test]
fn one_buffer_may_be_both_inputs() {
    let stream = Stream::new().unwrap();
    let x = random::<u32>(1000, 4);
    let dx = upload(&stream, &x);
    let mut out = garbage(&stream, 1000);
    add(&stream, &dx, &dx, &mut out).unwrap();
    let expected: Vec<_> = x.iter().map(|x| x.wrapping_mul(2)).collect();
    same(&out.to_vec(&stream).unwrap(), &expected);
}

#[test]
fn views_of_one_buffer() {
    let stream = Stream::new().unwrap();
    let x = random::<u32>(1000, 5);
    let mut buffer = upload(&stream, &x);
    let (low, mut high) = buffer.split_at_mut(500);
    add(
        &stream,
        &low.slice(1..400),
        &low.slice(0..399),
        &mut high.slice_mut(0..399),
    )
    .unwrap();
    let after = buffer.to_vec(&stream).unwrap();
    for i in 0..399 {
        assert_eq!(after[500 + i], x[i + 1].wrapping_add(x[i]));
    }
    same(&after[899..], &x[899..]);
}

#[test]
fn kernels_on_two_streams_are_in_order() {
    let (s, t) = (Stream::new().unwrap(), Stream::new().unwrap());
    let n = 1 << 20;
    let mut x = garbage::<u32>(&s, n);
    icffi_kernels::fill(&s, &mut x, 1).unwrap();
    for round in 0..20 {
        let stream = if round % 2 == 0 { &t } else { &s };
        scale(stream, 3, &mut x).unwrap();
    }
    same(&x.to_vec(&t).unwrap(), &vec![3u32.pow(20); n]);
}
