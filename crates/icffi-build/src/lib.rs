#![doc = include_str!("../README.md")]

#[cfg(feature = "compile")]
mod compile;
#[cfg(feature = "compile")]
mod error;
#[cfg(feature = "compile")]
mod generate;
#[cfg(feature = "compile")]
mod signature;
pub mod toolkit;

#[cfg(feature = "compile")]
pub use compile::{Compiled, How, Kernels, include_dir};
#[cfg(feature = "compile")]
pub use error::{Error, Problems};
