//! The public operation in progress: its name and where it was called.

use std::panic::Location;

/// Made at the top of each public function and handed down, so that an error raised anywhere
/// below names what the caller asked for and the caller's own line. (`#[track_caller]` alone
/// stops at the first closure.)
#[derive(Clone, Copy, Debug)]
pub(crate) struct Op {
    pub(crate) name: &'static str,
    pub(crate) location: &'static Location<'static>,
}

impl Op {
    #[track_caller]
    #[inline]
    pub(crate) const fn new(name: &'static str) -> Self {
        Self {
            name,
            location: Location::caller(),
        }
    }
}
