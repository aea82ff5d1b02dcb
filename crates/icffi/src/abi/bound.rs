//! A descriptor tied to the buffer it describes.

use crate::ordering::Access;
use std::ops::Deref;

/// A descriptor whose use on a stream has been registered, and which keeps its buffer borrowed.
///
/// Made by `input(&stream)` and `output(&stream)` of a buffer, consumed by a launch on that very
/// stream. While it lives the buffer can't be dropped or moved, nor an output used by another call. The
/// launch has to be the next work that is enqueued with this memory all the same: reads of an
/// input, and launches of graphs that share the memory, can be made in between, and whoever
/// launches by hand must not. Dropping it says that the launch has
/// been made, so drop it after the launch, which happens by itself where it is a temporary of the
/// launching statement.
#[derive(Debug)]
#[must_use = "pass it to a launch on the stream it was made for"]
pub struct Bound<'b, D> {
    desc: D,
    _access: Option<Access<'b>>,
}

impl<'b, D: Copy> Bound<'b, D> {
    pub(crate) fn new(desc: D, access: Option<Access<'b>>) -> Self {
        Self {
            desc,
            _access: access,
        }
    }

    /// The `repr(C)` descriptor, to be passed to the kernel. It must not outlive `self`'s
    /// statement unless the launch is the stream's next operation.
    #[must_use]
    pub fn desc(&self) -> D {
        self.desc
    }
}

impl<D> Deref for Bound<'_, D> {
    type Target = D;

    fn deref(&self) -> &D {
        &self.desc
    }
}
