//! Small programs whose results are known: run once on any runtime, and on the simulator under
//! every schedule and with every call failing in turn.
//!
//! A scenario returns the first error, asserts only what holds if there is none, and makes all it
//! uses itself.

pub mod forget;
pub mod graphs;
pub mod parts;
pub mod streams;
pub mod tables;

use icffi::Result;

/// What a scenario leaves behind because it forgets a guard.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Leaves {
    /// It forgets none.
    Nothing,
    /// The guard's event, and its stream; no memory.
    Marks,
    /// Also memory that the guard owned: a new buffer, or a download's staging memory.
    Memory,
}

/// One of them.
#[derive(Clone, Copy, Debug)]
pub struct Scenario {
    /// Its name, for messages.
    pub name: &'static str,
    /// It.
    pub run: fn() -> Result<()>,
    /// What is left after it.
    pub leaves: Leaves,
}

/// All of a module's functions, by name and by what they leave.
macro_rules! list {
    ($($leaves:ident { $($run:ident),* $(,)? })*) => {
        /// All scenarios of this module.
        pub const ALL: &[Scenario] = &[
            $($(Scenario {
                name: stringify!($run),
                run: $run,
                leaves: Leaves::$leaves,
            },)*)*
        ];
    };
}
pub(crate) use list;
