use icffi::prelude::*;
use icffi_kernels::sobel;

use crate::util::{garbage, random, same, upload};

/// The definition, with 64 bits.
fn reference(picture: &[u8], width: usize, height: usize) -> Vec<u8> {
    let at = |x: i64, y: i64| {
        let (x, y) = (x.clamp(0, width as i64 - 1), y.clamp(0, height as i64 - 1));
        i64::from(picture[y as usize * width + x as usize])
    };
    let filter = [(-1, 1), (0, 2), (1, 1)];
    let mut out = Vec::with_capacity(picture.len());
    for y in 0..height as i64 {
        for x in 0..width as i64 {
            let across: i64 = filter
                .iter()
                .map(|&(d, f)| f * (at(x + 1, y + d) - at(x - 1, y + d)))
                .sum();
            let down: i64 = filter
                .iter()
                .map(|&(d, f)| f * (at(x + d, y + 1) - at(x + d, y - 1)))
                .sum();
            out.push((across.abs() + down.abs()).min(255) as u8);
        }
    }
    out
}

fn edges(width: usize, height: usize, picture: &[u8]) {
    let stream = Stream::new().unwrap();
    let mut out = garbage(&stream, picture.len());
    sobel(&stream, width, height, &upload(&stream, picture), &mut out).unwrap();
    same(
        &out.to_vec(&stream).unwrap(),
        &reference(picture, width, height),
    );
}

#[test]
fn noise_of_all_sizes() {
    let sizes = [
        (0, 0),
        (7, 0),
        (0, 7),
        (1, 1),
        (1, 9),
        (9, 1),
        (2, 2),
        (40, 25),
        (333, 3),
        (2000, 1500),
    ];
    for (width, height) in sizes {
        edges(width, height, &random(width * height, 1));
    }
}

#[test]
fn soft_pictures_are_not_all_white() {
    // Noise is nearly all 255 behind the filter; slopes of a few grey levels are not.
    let (width, height) = (640, 480);
    let mut picture = random::<u8>(width * height, 2);
    for (i, pixel) in picture.iter_mut().enumerate() {
        *pixel = (i % width / 4) as u8 + *pixel / 32;
    }
    let expected = reference(&picture, width, height);
    assert!(expected.iter().filter(|&&e| e < 255).count() > width * height / 2);
    edges(width, height, &picture);
}
