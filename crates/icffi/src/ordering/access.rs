//! A use between its registration and the return of its CUDA call.

use super::{Mode, Tracker};
use crate::device;
use crate::error::Result;
use crate::event::{self, PooledEvent};
use crate::op::Op;
use crate::stream::Stream;
use std::ops::Range;
use std::sync::Arc;

/// Open until dropped. Forgetting it (inside a forgotten descriptor) is harmless on memory of one
/// owner: its stream can then no longer say which of its uses an event covers, so every buffer
/// pays for its own waits. On memory that a graph shares, other threads are told that it is busy.
#[derive(Debug)]
pub(crate) struct Access<'a> {
    op: Op,
    stream: &'a Stream,
    /// `None` for a captured use, of which the eager record knows nothing.
    registered: Option<Registered<'a>>,
}

#[derive(Debug)]
struct Registered<'a> {
    tracker: &'a Tracker,
    mode: Mode,
    range: Range<usize>,
    ticket: u64,
    marked: bool,
    /// Other threads wait to hear that the use is enqueued.
    shared: bool,
}

impl<'a> Access<'a> {
    /// The use has just been registered, with a ticket of `stream`'s lane.
    pub(super) fn new(
        tracker: &'a Tracker,
        op: Op,
        stream: &'a Stream,
        mode: Mode,
        range: Range<usize>,
        ticket: u64,
        shared: bool,
    ) -> Self {
        let registered = Registered {
            tracker,
            mode,
            range,
            ticket,
            marked: false,
            shared,
        };
        Self {
            op,
            stream,
            registered: Some(registered),
        }
    }

    /// The use has been registered with a capture.
    pub(crate) fn captured(op: Op, stream: &'a Stream) -> Self {
        Self {
            op,
            stream,
            registered: None,
        }
    }

    /// By an event that was recorded behind the use.
    pub(crate) fn mark(&mut self, event: &Arc<PooledEvent>) {
        if let Some(r) = &mut self.registered {
            r.tracker
                .mark(self.stream, r.mode, &r.range, r.ticket, event);
            r.marked = true;
        }
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
        let unmarked = self.registered.as_ref().is_some_and(|r| !r.marked);
        if unmarked && self.stream.must_record_early() {
            // If it can't be marked the use stays late, and whoever comes next waits by other
            // means.
            match event::record(self.op, self.stream, 1) {
                Ok(event) => self.mark(&event),
                Err(e) => device::state(self.stream.ordinal()).defer(e),
            }
        }
        self.stream.lane().close();
        if let Some(r) = self.registered.as_ref().filter(|r| r.shared) {
            r.tracker.settle(self.stream, r.ticket);
        }
    }
}
