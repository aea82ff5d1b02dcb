//! One file per sub-command.

pub(crate) mod bindgen;
pub(crate) mod ci;
pub(crate) mod demo;
pub(crate) mod setup;
pub(crate) mod test;
pub(crate) mod test_gpu;
