//! A use between its registration and the return of its CUDA call.

use super::{Mode, Tracker};
use crate::device;
use crate::error::Result;
use crate::event::{self, PooledEvent};
use crate::op::Op;
use crate::stream::Stream;
use std::ops::Range;
use std::sync::Arc;

/// Open until dropped. Forgetting it (inside a forgotten descriptor) is harmless: its stream can
/// then no longer say which of its uses an event covers, so every buffer pays for its own waits.
#[derive(Debug)]
pub(crate) struct Access<'a> {
    tracker: &'a Tracker,
    op: Op,
    stream: &'a Stream,
    mode: Mode,
    range: Range<usize>,
    marked: bool,
}

impl<'a> Access<'a> {
    /// The use has just been registered, with a ticket of `stream`'s lane.
    pub(super) fn new(
        tracker: &'a Tracker,
        op: Op,
        stream: &'a Stream,
        mode: Mode,
        range: Range<usize>,
    ) -> Self {
        Self {
            tracker,
            op,
            stream,
            mode,
            range,
            marked: false,
        }
    }

    /// By an event that was recorded behind the use.
    pub(crate) fn mark(&mut self, event: &Arc<PooledEvent>) {
        self.tracker
            .mark(self.stream, self.mode, &self.range, event);
        self.marked = true;
    }

    /// Records one event behind all of `accesses`, which are of one stream and enqueued, and
    /// marks them with it.
    pub(crate) fn mark_all(
        op: Op,
        stream: &Stream,
        accesses: &mut [&mut Access<'_>],
    ) -> Result<Arc<PooledEvent>> {
        let event = event::record(op, stream, accesses.len() as u64)?;
        for access in accesses {
            access.mark(&event);
        }
        Ok(event)
    }
}

impl Drop for Access<'_> {
    fn drop(&mut self) {
        if self.stream.must_record_early() && !self.marked {
            // If it can't be marked the use stays late, and whoever comes next waits by other
            // means.
            match event::record(self.op, self.stream, 1) {
                Ok(event) => self.mark(&event),
                Err(e) => device::state(self.stream.ordinal()).defer(e),
            }
        }
        self.stream.lane().close();
    }
}
