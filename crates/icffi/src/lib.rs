#![doc = include_str!("../README.md")]
#![deny(unsafe_code)]

pub mod abi;
pub mod device;
pub mod error;
pub mod event;
pub mod graph;
pub mod host_memory;
pub mod memory;
pub mod pod;
pub mod prelude;
pub mod staging;
pub mod stream;
pub mod transfer;

mod housekeeping;
mod op;
mod ordering;
mod retire;
mod rt;
mod runtime;
mod sync;

pub use bytemuck;
pub use error::{IcffiError, Result, check, codes, icffi_codes};
pub use housekeeping::trim_all;
/// The raw bindings this crate is built on.
pub use icffi_sys as sys;
pub use runtime::{Runtime, runtime};

// The simulator only has to be linked in: its C symbols are what the bindings resolve to.
#[cfg(feature = "sim")]
extern crate icffi_sim as _;
