//! One use of memory by a stream.

use super::trace;
use crate::error::{self, Result};
use crate::event::{self, PooledEvent};
use crate::op::Op;
use crate::rt;
use crate::stream::Stream;
use crate::{device, retire};
use std::sync::Arc;
use std::thread::{self, ThreadId};

/// A use, and how to learn that it is over: by its event if it has one, otherwise by an event
/// recorded when somebody asks, behind everything the stream has been given until then. Holding
/// the stream keeps its handle from being reused (row 19).
#[derive(Clone, Debug)]
pub(crate) struct Use {
    stream: Stream,
    event: Option<Arc<PooledEvent>>,
    /// Its place among the uses of its stream.
    ticket: u64,
    /// Known to be enqueued. A use in a tracker may be another thread's, registered and not
    /// enqueued yet: then an idle stream does not mean that it is over.
    enqueued: bool,
    /// On which thread, for a stream whose handle means another stream elsewhere.
    thread: Option<ThreadId>,
}

impl Use {
    /// Without an event yet: cheap. `ticket` is of the stream's lane.
    pub(super) fn ticketed(stream: &Stream, ticket: u64) -> Self {
        let thread = stream.must_record_early().then(|| thread::current().id());
        Self {
            stream: stream.clone(),
            event: None,
            ticket,
            enqueued: false,
            thread,
        }
    }

    /// Of memory that no tracker knows, by work enqueued before anybody asks. It has no ticket, so
    /// nobody's wait is taken for it.
    pub(crate) fn late(stream: &Stream) -> Self {
        Self::ticketed(stream, u64::MAX).enqueued()
    }

    /// Nobody is about to enqueue it any more.
    pub(super) fn enqueued(mut self) -> Self {
        self.enqueued = true;
        self
    }

    /// Marked by `event`, recorded on `stream` after the work.
    pub(crate) fn marked(stream: &Stream, event: Arc<PooledEvent>) -> Self {
        Self {
            event: Some(event),
            ..Self::late(stream)
        }
    }

    pub(crate) fn stream(&self) -> &Stream {
        &self.stream
    }

    pub(crate) fn event(&self) -> Option<&Arc<PooledEvent>> {
        self.event.as_ref()
    }

    /// By an event recorded on `stream` behind the use that had `ticket`. Only if this entry is
    /// that use, and the event stands behind all that the entry stands for: another thread's use
    /// of the same stream may share it, registered but not enqueued when the event was recorded.
    pub(super) fn mark(&mut self, stream: &Stream, ticket: u64, event: &Arc<PooledEvent>) {
        if !std::ptr::eq(self.stream.core(), stream.core()) {
            return;
        }
        // On a stream that must be marked early every use has an entry of its own, and the event
        // says nothing of the others: under the same handle they may be another thread's.
        let behind = if stream.must_record_early() {
            self.ticket == ticket
        } else {
            event.covers().is_some_and(|upto| upto >= self.ticket)
        };
        if behind {
            self.event = Some(Arc::clone(event));
        }
    }

    /// More work of the same kind follows on the same stream, so an older event no longer
    /// covers the use.
    pub(super) fn renew(&mut self, ticket: u64) {
        self.event = None;
        self.ticket = ticket;
        self.enqueued = false;
    }

    /// Takes another use of the same stream in, if one can stand for both.
    pub(super) fn absorb(&mut self, other: &Self) -> bool {
        if !self.stream.is(&other.stream) || self.event.is_some() || other.event.is_some() {
            return false;
        }
        self.ticket = self.ticket.max(other.ticket);
        self.enqueued &= other.enqueued;
        true
    }

    /// Whether only the thread that made it can ask for it.
    pub(crate) fn is_out_of_reach_elsewhere(&self) -> bool {
        self.event.is_none() && self.thread.is_some()
    }

    /// Whether the late event can be recorded here and now. Never on a borrowed stream: its owner
    /// may have destroyed it by now.
    fn reachable(&self) -> bool {
        self.thread
            .is_none_or(|id| id == thread::current().id() && !self.stream.is_borrowed())
    }

    /// Makes `stream` wait for this use, on the device, unless it does already.
    pub(crate) fn order_before(&mut self, op: Op, stream: &Stream) -> Result<()> {
        if self.stream.is(stream) {
            return Ok(());
        }
        let remembers = !stream.must_record_early() && !self.stream.must_record_early();
        if remembers && stream.lane().has_seen(self.stream.lane(), self.ticket) {
            return Ok(());
        }
        if self.event.is_none() {
            if !self.reachable() {
                return self.wait_for_device(op);
            }
            self.event = Some(match self.stream.lane().checkpoint(self.ticket) {
                Some(checkpoint) => checkpoint,
                None => event::record(op, &self.stream, 0)?,
            });
        }
        if let Some(event) = &self.event {
            let _current = device::enter(op, stream.ordinal())?;
            event.handle().hold_back(op, stream)?;
            trace::wait(op, stream.lane().id(), self.stream.lane().id());
            if let (true, Some(upto)) = (remembers, event.covers()) {
                stream.lane().note(self.stream.lane(), upto);
            }
        }
        Ok(())
    }

    /// Blocks the CPU until the use is over.
    pub(crate) fn wait(&self, op: Op) -> Result<()> {
        match &self.event {
            Some(event) => event.handle().synchronize(op),
            None if self.reachable() => self.stream.synchronize_in(op),
            None => self.wait_for_device(op),
        }
    }

    /// Whether the use is over. A captured use never is, and must not be asked for: a query
    /// would spoil the capture.
    pub(crate) fn done(&self, op: Op) -> Result<bool> {
        if self.stream.capture_state().is_some() {
            return Ok(false);
        }
        // Asked before the stream is: what is enqueued in between shows there.
        let enqueued = self.enqueued
            || self
                .stream
                .lane()
                .covered(0)
                .is_some_and(|upto| upto >= self.ticket);
        if self.event.is_none() && !enqueued {
            return Ok(false);
        }
        match &self.event {
            Some(event) => event.handle().query(op),
            None if self.reachable() => self.stream.query_in(op),
            None => Ok(false),
        }
    }

    /// The last resort for work on another thread's default stream which was left unmarked
    /// (its [`Access`](super::Access) was forgotten): no handle reaches that stream from here.
    fn wait_for_device(&self, op: Op) -> Result<()> {
        let ordinal = self.stream.ordinal();
        if rt::live_captures_of(ordinal) > 0 {
            return Err(error::capture_unsupported(
                op,
                "the memory was left registered on another thread's default stream, which only the \
                 whole device can be waited for; a capture is in progress there",
            ));
        }
        let _current = device::enter(op, ordinal)?;
        let mark = retire::mark();
        rt::device_synchronize(op)?;
        retire::device_is_idle(ordinal, &mark);
        Ok(())
    }
}
