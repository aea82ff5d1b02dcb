//! Order between streams: who used a piece of memory last, and on which stream.
//!
//! Each allocation, device or pinned, has a [`Tracker`]. An operation on a stream *acquires* a
//! byte range before it is enqueued: where the range was last used on another stream in a way
//! that conflicts, an event recorded there makes this stream wait on the device. On one stream
//! nothing is recorded and nothing waits.
//!
//! A use is registered before its CUDA call and never withdrawn, since a call that reports a
//! failure may have enqueued its work all the same. [`Access`] is the time in between: while one
//! is open, nobody takes the stream's use for enqueued.

mod access;
mod lane;
mod scope;
mod segments;
mod trace;
mod tracker;
mod uses;

pub(crate) use access::Access;
pub(crate) use lane::Lane;
pub use scope::assume_ordered;
pub(crate) use segments::Segments;
pub(crate) use tracker::{Acquired, Tracker};
pub(crate) use uses::Use;

/// What an operation does with the memory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Mode {
    /// Any number of streams may read at once.
    Read,
    /// Excludes every other use.
    Write,
}
