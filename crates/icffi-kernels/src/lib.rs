#![doc = include_str!("../README.md")]

mod arithmetic;
mod element;
mod fill;
mod fused;
mod launch;
mod memory;
mod reduce;
mod sobel;
mod transpose;

/// The declarations that icffi-build reads out of the `.cu` files.
mod raw {
    include!(concat!(env!("OUT_DIR"), "/icffi_kernels.rs"));
}

pub use arithmetic::{add, multiply, scale};
pub use element::{Arithmetic, Element, Float};
pub use fill::fill;
pub use fused::{axpy, fma};
pub use memory::{Input, Output};
pub use reduce::{dot, dot_into, sum, sum_into};
pub use sobel::sobel;
pub use transpose::transpose;
