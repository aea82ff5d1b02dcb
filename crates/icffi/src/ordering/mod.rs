//! Order between streams: who used a piece of memory last, and on which stream.
//!
//! Each allocation, device or pinned, has a [`Tracker`]. An operation on a stream *acquires* it
//! before it is enqueued: if the memory was last used on another stream in a way that conflicts,
//! an event recorded there makes this stream wait on the device. On one stream nothing is
//! recorded and nothing waits; the cost is one uncontended lock and a pointer comparison.
//!
//! A use is registered before its CUDA call and never withdrawn, since a call that reports a
//! failure may have enqueued its work all the same.

mod tracker;
mod uses;

pub(crate) use tracker::{Access, Tracker};
pub(crate) use uses::Use;

/// What an operation does with the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Any number of streams may read at once.
    Read,
    /// Excludes every other use.
    Write,
}
