//! The kernels against a reference on the CPU in higher precision, on random data, into outputs
//! that held garbage. The same on the simulator and on a GPU.

mod arithmetic;
mod features;
mod fill;
mod fused;
#[cfg(not(feature = "sim"))]
mod large;
mod lengths;
mod picture;
mod precise;
mod reduce;
mod transpose;
mod util;

// The kernels of `features` are compiled by this package's build script and linked to its library.
use icffi_tests as _;
