//! The C ABI between Rust and compiled kernels: three `repr(C)` types and a version number.
//!
//! `cuda-kernels/include/icffi.h` declares the same on the C++ side, and both sides assert every
//! size and offset when they are compiled.

mod bound;
mod desc;
mod launch;

pub use bound::Bound;
pub use desc::{InBufferDesc, OutBufferDesc};
pub use launch::{LaunchBuilder, LaunchParams};

/// The version of this ABI. A compiled kernel library exports the version of the header it was
/// made with; the two have to be equal.
pub const ABI_VERSION: u32 = 1;
