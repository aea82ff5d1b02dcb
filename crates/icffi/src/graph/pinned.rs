//! Pinned memory that belongs to a graph.

use crate::error::{self, Result};
use crate::op::Op;
use std::marker::PhantomData;

/// Names a pinned buffer that was given to a capture; see
/// [`CaptureStream::adopt`](super::CaptureStream::adopt). It owns nothing: the graph does.
#[derive(Debug)]
pub struct GraphHostBuffer<T> {
    capture: u64,
    index: Option<usize>,
    len: usize,
    _element: PhantomData<T>,
}

impl<T> GraphHostBuffer<T> {
    pub(super) fn new(capture: u64, index: Option<usize>, len: usize) -> Self {
        Self {
            capture,
            index,
            len,
            _element: PhantomData,
        }
    }

    pub(super) fn capture(&self) -> u64 {
        self.capture
    }

    /// The length in elements.
    #[must_use]
    pub fn len(&self) -> usize {
        self.len
    }

    /// Whether there are no elements.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len == 0
    }

    /// Its index in the set of `capture`; `None` if there are no bytes.
    pub(super) fn index_in(&self, op: Op, capture: u64) -> Result<Option<usize>> {
        if self.capture != capture {
            return Err(error::invalid(
                op,
                "the pinned buffer was given to another capture",
            ));
        }
        Ok(self.index)
    }
}
