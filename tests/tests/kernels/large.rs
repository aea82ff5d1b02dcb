//! Beyond 2^32 elements. Needs about 9 GB of device memory, which the simulator would have to take
//! from the main memory of whatever machine it runs on: built for a GPU only.

use icffi::prelude::*;
use icffi_kernels::{fill, sobel};

use crate::util::same;

const N: usize = (1 << 32) + 4096;

#[test]
fn beyond_32_bits() {
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u8>::alloc(N).unwrap();
    fill(&stream, &mut x, 3u8).unwrap();
    fill(&stream, &mut x.slice_mut(1 << 32..), 9u8).unwrap();
    let at = (1 << 32) - 2;
    same(&x.slice(at..at + 4).to_vec(&stream).unwrap(), &[3, 3, 9, 9]);
    same(&x.slice(N - 2..).to_vec(&stream).unwrap(), &[9, 9]);

    // One row: an edge of 6 grey levels, four times as strong behind the filter.
    let mut edges = DeviceBuffer::<u8>::alloc(N).unwrap();
    sobel(&stream, N, 1, &x, &mut edges).unwrap();
    same(
        &edges.slice(at..at + 4).to_vec(&stream).unwrap(),
        &[0, 24, 24, 0],
    );
    same(&edges.slice(N - 2..).to_vec(&stream).unwrap(), &[0, 0]);
}
