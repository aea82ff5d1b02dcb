//! What the suites share: data, checks of errors, turns, scenarios; and, on the simulator, the
//! sessions and sweeps in which scenarios are run.
//!
//! Nothing here skips a test. Where there is no usable device every test fails, with the reason.

pub mod data;
pub mod expect;
pub mod gate;
pub mod scenarios;
#[cfg(feature = "sim")]
pub mod sim;
#[cfg(feature = "sim")]
pub mod sweep;
pub mod turns;

pub use data::{Element, LENGTHS, Particle, assert_same, random};
pub use expect::{expect_error, expect_length_mismatch};
pub use gate::Gate;
pub use turns::{alone, together, trim_at_exit};
