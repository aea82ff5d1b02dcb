use icffi::prelude::*;
use icffi_kernels::{axpy, fma};

use crate::precise::Precise;
use crate::util::{SIZES, close, garbage, same, signed, to_f32, upload};

#[test]
fn axpy_f32() {
    let stream = Stream::new().unwrap();
    for n in SIZES {
        let (x, y) = (to_f32(&signed(n, 1)), to_f32(&signed(n, 2)));
        let a = -1.7f32;
        let dx = upload(&stream, &x);
        let mut dy = upload(&stream, &y);
        axpy(&stream, a, &dx, &mut dy).unwrap();
        // With or without a fused operation: half a unit of the product, and of the sum.
        let expected = x.iter().zip(&y).map(|(&x, &y)| {
            let (product, y) = (f64::from(a) * f64::from(x), f64::from(y));
            let unit = f64::from(f32::EPSILON) / 2.0 * 1.001;
            (product + y, unit * (product.abs() + (product + y).abs()))
        });
        close(
            dy.to_vec(&stream).unwrap().into_iter().map(f64::from),
            expected,
        );
        same(&dx.to_vec(&stream).unwrap(), &x);
    }
}

#[test]
fn axpy_f64() {
    let stream = Stream::new().unwrap();
    for n in SIZES {
        let (x, y) = (signed(n, 3), signed(n, 4));
        let a = 2.3;
        let dx = upload(&stream, &x);
        let mut dy = upload(&stream, &y);
        axpy(&stream, a, &dx, &mut dy).unwrap();
        let expected = x.iter().zip(&y).map(|(&x, &y)| {
            let mut exact = Precise::default();
            exact.add_product(a, x);
            exact.add(y);
            let exact = exact.value();
            // The reference is itself rounded once, at the end.
            (
                exact,
                f64::EPSILON / 2.0 * 1.001 * ((a * x).abs() + 2.0 * exact.abs()),
            )
        });
        close(dy.to_vec(&stream).unwrap().into_iter(), expected);
    }
}

#[test]
fn fma_rounds_once() {
    let stream = Stream::new().unwrap();
    for n in SIZES {
        let [a, b, c] = [5, 6, 7].map(|seed| signed(n, seed));
        let [da, db, dc] = [&a, &b, &c].map(|v| upload(&stream, v));
        let mut out = garbage(&stream, n);
        fma(&stream, &da, &db, &dc, &mut out).unwrap();
        let expected: Vec<_> = (0..n).map(|i| a[i].mul_add(b[i], c[i])).collect();
        same(&out.to_vec(&stream).unwrap(), &expected);

        let [a, b, c] = [&a, &b, &c].map(|v| to_f32(v));
        let [da, db, dc] = [&a, &b, &c].map(|v| upload(&stream, v));
        let mut out = garbage(&stream, n);
        fma(&stream, &da, &db, &dc, &mut out).unwrap();
        let expected: Vec<_> = (0..n).map(|i| a[i].mul_add(b[i], c[i])).collect();
        same(&out.to_vec(&stream).unwrap(), &expected);
    }
}
