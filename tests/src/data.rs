//! Element types, lengths and random data.

use icffi::bytemuck::{Pod, Zeroable, cast_slice, cast_slice_mut};
use icffi::pod::Float4;
use rand::{RngCore, SeedableRng, rngs::StdRng};
use std::fmt::Debug;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

/// The lengths that every function of the tables is tried with.
pub const LENGTHS: [usize; 4] = [0, 1, 1_000, 3_000_000];

/// A type to fill buffers with.
pub trait Element: Pod + Debug + Send {}

/// A struct without padding whose fields differ in type.
#[derive(Clone, Copy, Debug, PartialEq, Pod, Zeroable)]
#[bytemuck(crate = "icffi::bytemuck")]
#[repr(C)]
pub struct Particle {
    /// Where it is.
    pub position: [f32; 3],
    /// Which one it is.
    pub number: u16,
    /// What is the matter with it.
    pub flags: [u8; 2],
}

impl Element for u8 {}
impl Element for u32 {}
impl Element for u64 {}
impl Element for f32 {}
impl Element for f64 {}
impl Element for Particle {}
impl Element for Float4 {}
impl Element for () {}

/// Random bytes, made once; larger than any one buffer of the tests.
fn pool() -> &'static [u8] {
    static POOL: OnceLock<Vec<u8>> = OnceLock::new();
    POOL.get_or_init(|| {
        let mut bytes = vec![0; 64 << 20];
        StdRng::seed_from_u64(0x1cff1).fill_bytes(&mut bytes);
        bytes
    })
}

/// `len` elements of random bytes, other ones at each call.
#[must_use]
pub fn random<T: Element>(len: usize) -> Vec<T> {
    static NEXT: AtomicUsize = AtomicUsize::new(0);
    let mut out = vec![T::zeroed(); len];
    let bytes: &mut [u8] = cast_slice_mut(&mut out);
    let room = pool().len() - bytes.len();
    // Some odd step, so that no two draws are aligned to each other.
    let start = NEXT.fetch_add(1_000_003, Relaxed) % room;
    bytes.copy_from_slice(&pool()[start..start + bytes.len()]);
    out
}

/// Bit for bit: a NaN equals itself, and 0.0 is not -0.0.
#[track_caller]
pub fn assert_same<T: Element>(actual: &[T], expected: &[T]) {
    assert_eq!(actual.len(), expected.len(), "lengths differ");
    let (a, e): (&[u8], &[u8]) = (cast_slice(actual), cast_slice(expected));
    if a == e {
        return;
    }
    let at = a.iter().zip(e).position(|(x, y)| x != y).unwrap_or(0);
    let wrong = a.iter().zip(e).filter(|(x, y)| x != y).count();
    let i = at / size_of::<T>();
    panic!(
        "{wrong} of {} bytes differ, first in element {i} of {}: {:?} instead of {:?}",
        a.len(),
        actual.len(),
        actual[i],
        expected[i],
    );
}
