//! The same work on the CPU, written for clarity and in higher precision: what the GPU's results
//! are held against.

use crate::image::Grey;

/// Sobel on 8-bit grey; see the kernel for the definition, which this repeats in plain loops.
pub(crate) fn sobel(picture: &Grey) -> Grey {
    let (width, height) = (picture.width, picture.height);
    let mut pixels = Vec::with_capacity(picture.pixels.len());
    for y in 0..height {
        for x in 0..width {
            pixels.push(sobel_at(picture, x, y));
        }
    }
    Grey {
        width,
        height,
        pixels,
    }
}

/// Pixels beyond the border repeat the border's.
fn sobel_at(picture: &Grey, x: usize, y: usize) -> u8 {
    let at = |dx: isize, dy: isize| {
        let column = x.saturating_add_signed(dx).min(picture.width - 1);
        let row = y.saturating_add_signed(dy).min(picture.height - 1);
        i32::from(picture.pixels[row * picture.width + column])
    };
    let across = at(1, -1) + 2 * at(1, 0) + at(1, 1) - at(-1, -1) - 2 * at(-1, 0) - at(-1, 1);
    let down = at(-1, 1) + 2 * at(0, 1) + at(1, 1) - at(-1, -1) - 2 * at(0, -1) - at(1, -1);
    (across.abs() + down.abs()).min(255) as u8
}

/// The largest difference between two pictures of one size, in grey levels.
pub(crate) fn picture_error(made: &Grey, expected: &Grey) -> u8 {
    let pairs = made.pixels.iter().zip(&expected.pixels);
    pairs.map(|(a, b)| a.abs_diff(*b)).max().unwrap_or(0)
}

/// The largest difference of `made` from `a * x + y`, computed in f64. A NaN counts as infinite.
pub(crate) fn axpy_error(a: f32, x: &[f32], y: &[f32], made: &[f32]) -> f64 {
    let terms = x.iter().zip(y).zip(made);
    terms.fold(0.0, |worst, ((&x, &y), &made)| {
        let error = (f64::from(a) * f64::from(x) + f64::from(y) - f64::from(made)).abs();
        if error.is_nan() {
            f64::INFINITY
        } else {
            worst.max(error)
        }
    })
}

/// The dot product in f64, and the sum of the terms' sizes, which bounds what rounding may do.
pub(crate) fn dot(x: &[f32], y: &[f32]) -> (f64, f64) {
    x.iter().zip(y).fold((0.0, 0.0), |(sum, size), (&x, &y)| {
        let term = f64::from(x) * f64::from(y);
        (sum + term, size + term.abs())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sobel_of_a_flat_picture_is_black_and_of_a_step_is_white() {
        let flat = Grey {
            width: 4,
            height: 3,
            pixels: vec![99; 12],
        };
        assert_eq!(sobel(&flat).pixels, vec![0; 12]);
        let step = Grey {
            width: 4,
            height: 1,
            pixels: vec![0, 0, 200, 200],
        };
        assert_eq!(sobel(&step).pixels, [0, 255, 255, 0]);
        let soft = Grey {
            width: 3,
            height: 1,
            pixels: vec![10, 20, 30],
        };
        assert_eq!(sobel(&soft).pixels, [40, 80, 40]);
        let one = Grey {
            width: 1,
            height: 1,
            pixels: vec![7],
        };
        assert_eq!(sobel(&one).pixels, [0]);
    }

    #[test]
    fn errors_are_measured_and_nan_is_not_overlooked() {
        assert_eq!(axpy_error(2.0, &[1.0, 2.0], &[0.5, 0.5], &[2.5, 4.5]), 0.0);
        assert_eq!(axpy_error(2.0, &[1.0], &[0.5], &[3.0]), 0.5);
        assert_eq!(
            axpy_error(2.0, &[1.0, 1.0], &[0.5, 0.5], &[f32::NAN, 2.5]),
            f64::INFINITY
        );
        assert_eq!(dot(&[1.0, -2.0], &[3.0, 4.0]), (-5.0, 11.0));
        let (a, b) = ([1, 2, 3].to_vec(), [1, 9, 3].to_vec());
        let grey = |pixels| Grey {
            width: 3,
            height: 1,
            pixels,
        };
        assert_eq!(picture_error(&grey(a), &grey(b)), 7);
    }
}
