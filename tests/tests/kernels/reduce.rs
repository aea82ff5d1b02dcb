use icffi::prelude::*;
use icffi_kernels::{dot, dot_into, sum, sum_into};

use crate::precise::Precise;
use crate::util::{garbage, same, signed, to_f32, upload};

/// Beside the usual ones: around a warp, a block, and what one block adds.
const SIZES: [usize; 12] = [0, 1, 31, 32, 33, 255, 256, 257, 1000, 4096, 4097, 3_000_000];

/// No number takes part in more additions than this one after the other.
const DEPTH: f64 = 64.0;

#[test]
fn sum_f32() {
    let stream = Stream::new().unwrap();
    for n in SIZES {
        let x = to_f32(&signed(n, 1));
        let made = sum(&stream, &upload(&stream, &x)).unwrap();
        let exact: f64 = x.iter().map(|&x| f64::from(x)).sum();
        let size: f64 = x.iter().map(|&x| f64::from(x).abs()).sum();
        let bound = DEPTH * f64::from(f32::EPSILON) / 2.0 * size;
        let error = (f64::from(made) - exact).abs();
        assert!(
            error <= bound,
            "{n} elements: {made} instead of {exact}, bound {bound}"
        );
    }
}

#[test]
fn sum_f64() {
    let stream = Stream::new().unwrap();
    for n in SIZES {
        let x = signed(n, 2);
        let made = sum(&stream, &upload(&stream, &x)).unwrap();
        let mut exact = Precise::default();
        x.iter().for_each(|&x| exact.add(x));
        let size: f64 = x.iter().map(|x| x.abs()).sum();
        let (exact, bound) = (exact.value(), DEPTH * f64::EPSILON / 2.0 * size);
        let error = (made - exact).abs();
        assert!(
            error <= bound,
            "{n} elements: {made} instead of {exact}, bound {bound}"
        );
    }
}

#[test]
fn dot_f32() {
    let stream = Stream::new().unwrap();
    for n in SIZES {
        let (x, y) = (to_f32(&signed(n, 3)), to_f32(&signed(n, 4)));
        let made = dot(&stream, &upload(&stream, &x), &upload(&stream, &y)).unwrap();
        let terms = || x.iter().zip(&y).map(|(&x, &y)| f64::from(x) * f64::from(y));
        let (exact, size): (f64, f64) = (terms().sum(), terms().map(f64::abs).sum());
        let bound = DEPTH * f64::from(f32::EPSILON) / 2.0 * size;
        let error = (f64::from(made) - exact).abs();
        assert!(
            error <= bound,
            "{n} elements: {made} instead of {exact}, bound {bound}"
        );
    }
}

#[test]
fn dot_f64() {
    let stream = Stream::new().unwrap();
    for n in SIZES {
        let (x, y) = (signed(n, 5), signed(n, 6));
        let made = dot(&stream, &upload(&stream, &x), &upload(&stream, &y)).unwrap();
        let mut exact = Precise::default();
        x.iter()
            .zip(&y)
            .for_each(|(&x, &y)| exact.add_product(x, y));
        let size: f64 = x.iter().zip(&y).map(|(x, y)| (x * y).abs()).sum();
        let (exact, bound) = (exact.value(), DEPTH * f64::EPSILON / 2.0 * size);
        let error = (made - exact).abs();
        assert!(
            error <= bound,
            "{n} elements: {made} instead of {exact}, bound {bound}"
        );
    }
}

#[test]
fn whole_numbers_are_exact() {
    let stream = Stream::new().unwrap();
    let x: Vec<f64> = (0..1_000_000).map(f64::from).collect();
    assert_eq!(
        sum(&stream, &upload(&stream, &x)).unwrap(),
        499_999_500_000.0
    );
    let ones = upload(&stream, &vec![1.0f32; 3_000_000]);
    assert_eq!(dot(&stream, &ones, &ones).unwrap(), 3_000_000.0);
}

#[test]
fn the_same_every_time() {
    let (s, t) = (Stream::new().unwrap(), Stream::new().unwrap());
    let x = upload(&s, &to_f32(&signed(3_000_000, 7)));
    let first = sum(&s, &x).unwrap();
    for stream in [&s, &t, &s] {
        assert_eq!(sum(stream, &x).unwrap().to_bits(), first.to_bits());
    }
}

#[test]
fn into_a_result_and_nothing_beside_it() {
    let stream = Stream::new().unwrap();
    for n in SIZES {
        let x = upload(&stream, &signed(n, 8));
        let mut result = garbage::<f64>(&stream, 3);
        let before = result.to_vec(&stream).unwrap();
        sum_into(&stream, &x, &mut result.slice_mut(1..2)).unwrap();
        let after = result.to_vec(&stream).unwrap();
        same(&[after[0], after[2]], &[before[0], before[2]]);
        same(&after[1..2], &[sum(&stream, &x).unwrap()]);
        dot_into(&stream, &x, &x, &mut result).unwrap();
        let after = result.to_vec(&stream).unwrap();
        same(&after[..1], &[dot(&stream, &x, &x).unwrap()]);
        same(&after[2..], &before[2..]);
    }
}
