//! Random data, garbage, and comparisons.

use icffi::bytemuck::{Pod, bytes_of, bytes_of_mut};
use icffi::prelude::*;
use rand::distr::{Distribution, StandardUniform};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

/// Nothing, one, some, and more than a grid's blocks of one kind or another.
pub(crate) const SIZES: [usize; 4] = [0, 1, 1000, 3_000_000];

pub(crate) fn rng(seed: u64) -> StdRng {
    StdRng::seed_from_u64(seed)
}

/// Any value that the type has a uniform distribution for.
pub(crate) fn random<T>(n: usize, seed: u64) -> Vec<T>
where
    StandardUniform: Distribution<T>,
{
    rng(seed).random_iter().take(n).collect()
}

/// Between -1 and 1, of both signs, so that sums cancel.
pub(crate) fn signed(n: usize, seed: u64) -> Vec<f64> {
    let mut rng = rng(seed);
    (0..n).map(|_| rng.random_range(-1.0..1.0)).collect()
}

pub(crate) fn to_f32(values: &[f64]) -> Vec<f32> {
    values.iter().map(|&v| v as f32).collect()
}

/// A buffer full of bytes that are no result.
pub(crate) fn garbage<T: Pod>(stream: &Stream, n: usize) -> DeviceBuffer<T> {
    icffi_tests::trim_at_exit();
    let mut value = T::zeroed();
    bytes_of_mut(&mut value).fill(0xa5);
    DeviceBuffer::from_slice_sync(stream, &vec![value; n]).unwrap()
}

pub(crate) fn upload<T: Pod>(stream: &Stream, values: &[T]) -> DeviceBuffer<T> {
    icffi_tests::trim_at_exit();
    DeviceBuffer::from_slice_sync(stream, values).unwrap()
}

/// Bit for bit.
#[track_caller]
pub(crate) fn same<T: Pod + std::fmt::Debug>(made: &[T], expected: &[T]) {
    assert_eq!(made.len(), expected.len());
    let wrong = made
        .iter()
        .zip(expected)
        .position(|(m, e)| bytes_of(m) != bytes_of(e));
    if let Some(i) = wrong {
        panic!(
            "element {i} of {}: {:?} instead of {:?}",
            made.len(),
            made[i],
            expected[i]
        );
    }
}

/// Within a bound of its own for each element.
#[track_caller]
pub(crate) fn close(made: impl Iterator<Item = f64>, expected: impl Iterator<Item = (f64, f64)>) {
    for (i, (made, (expected, bound))) in made.zip(expected).enumerate() {
        let error = (made - expected).abs();
        // Written so that a NaN fails.
        assert!(
            error <= bound,
            "element {i}: {made} instead of {expected}, bound {bound}"
        );
    }
}
