//! Random fills and copies of buffers, on streams and in captures.

use crate::model::{Effect, range};
use icffi::Result;
use icffi::prelude::*;
use rand::Rng;
use rand::rngs::StdRng;

/// A device buffer, and its place in the model.
pub(crate) struct Buffer {
    pub(crate) device: DeviceBuffer<u32>,
    pub(crate) id: usize,
}

/// Two different buffers.
pub(crate) fn two_of(rng: &mut StdRng, buffers: &[Buffer]) -> (usize, usize) {
    let (i, n) = (rng.random_range(0..buffers.len()), buffers.len());
    (i, (i + rng.random_range(1..n)) % n)
}

pub(crate) fn both(buffers: &mut [Buffer], i: usize, j: usize) -> (&mut Buffer, &mut Buffer) {
    let (low, high) = buffers.split_at_mut(i.max(j));
    if i < j {
        (&mut low[i], &mut high[0])
    } else {
        (&mut high[0], &mut low[j])
    }
}

pub(crate) fn random_fill(rng: &mut StdRng, buffers: &[Buffer], in_graph: bool) -> Effect {
    let byte = rng.random_range(1..50);
    let equal_bytes: bool = rng.random();
    Effect::Fill {
        to: random_quarter(rng, buffers),
        value: if equal_bytes {
            byte * 0x0101_0101
        } else {
            byte
        },
        // Unequal bytes are copied from staging memory, which a graph can't do.
        by_kernel: in_graph && !equal_bytes || rng.random(),
    }
}

fn random_quarter(rng: &mut StdRng, buffers: &[Buffer]) -> (usize, usize) {
    let i = rng.random_range(0..buffers.len());
    (buffers[i].id, rng.random_range(0..4))
}

pub(crate) fn random_copy(rng: &mut StdRng, buffers: &[Buffer]) -> Effect {
    let (from, to) = two_of(rng, buffers);
    Effect::Copy {
        from: (buffers[from].id, rng.random_range(0..4)),
        to: (buffers[to].id, rng.random_range(0..4)),
    }
}

/// Where the buffer is that has this place in the model.
fn position(buffers: &[Buffer], id: usize) -> usize {
    let found = buffers.iter().position(|b| b.id == id);
    found.expect("an effect on a buffer that there is")
}

/// A fill or a copy, on a stream or, with a stream that captures, into a graph.
pub(crate) fn enqueue(effect: Effect, buffers: &mut [Buffer], stream: &Stream) -> Result<()> {
    match effect {
        Effect::Fill {
            to,
            value,
            by_kernel,
        } => {
            let i = position(buffers, to.0);
            let mut target = buffers[i].device.slice_mut(range(to.1));
            if by_kernel {
                icffi_kernels::fill(stream, &mut target, value)
            } else {
                target.fill(stream, value)
            }
        }
        Effect::Copy { from, to } => {
            let (i, j) = (position(buffers, from.0), position(buffers, to.0));
            let (source, target) = both(buffers, i, j);
            let source = source.device.slice(range(from.1));
            let mut target = target.device.slice_mut(range(to.1));
            target.copy_from_device_async(stream, &source)
        }
        Effect::Upload { .. } | Effect::Download { .. } => {
            unreachable!("only graphs have pinned memory of their own")
        }
    }
}
