//! The uses of one allocation, behind a lock.

use super::segments::{Segments, Uses};
use super::{Access, Mode, Use};
use crate::error::Result;
use crate::event::PooledEvent;
use crate::op::Op;
use crate::stream::Stream;
use crate::sync::lock;
use std::ops::Range;
use std::sync::{Arc, Mutex};

/// Behind a lock, never a `Cell`: views of one allocation may be on several threads, and a graph
/// may hold it on another (row 26). Asking, waiting and registering are one critical section.
#[derive(Debug, Default)]
pub(crate) struct Tracker(Mutex<Segments>);

impl Tracker {
    /// Of `bytes` bytes that `stream` has just allocated, so that other streams may use them
    /// only behind that.
    pub(crate) fn allocated_by(stream: &Stream, bytes: usize) -> Self {
        let ticket = stream.lane().open();
        stream.lane().close();
        let write = Some(Use::ticketed(stream, ticket));
        Self(Mutex::new(Segments::with(
            0..bytes,
            Uses {
                write,
                reads: Vec::new(),
            },
        )))
    }

    /// Orders a use of `range` (in bytes) that is about to be enqueued on `stream` behind all
    /// that conflict with it, and registers it. After an error nothing is registered and nothing
    /// may be enqueued.
    #[inline]
    pub(crate) fn acquire<'a>(
        &'a self,
        op: Op,
        stream: &'a Stream,
        mode: Mode,
        range: Range<usize>,
    ) -> Result<Access<'a>> {
        lock(&self.0).acquire(op, stream, mode, &range, || stream.lane().open())?;
        Ok(Access::new(self, op, stream, mode, range))
    }

    /// Marks the use of `range` just enqueued on `stream` by an event recorded behind it.
    pub(super) fn mark(
        &self,
        stream: &Stream,
        mode: Mode,
        range: &Range<usize>,
        event: &Arc<PooledEvent>,
    ) {
        let mut segments = lock(&self.0);
        for (_, uses) in segments.within(range) {
            let registered = match mode {
                Mode::Write => uses.write.as_mut(),
                Mode::Read => uses
                    .reads
                    .iter_mut()
                    .rev()
                    .find(|r| same(r.stream(), stream)),
            };
            if let Some(registered) = registered {
                registered.mark(event);
            }
        }
    }

    /// Blocks the CPU until the host may use the memory in this way, and forgets what it waited
    /// for.
    pub(crate) fn wait_for_host(&self, op: Op, mode: Mode) -> Result<()> {
        for uses in lock(&self.0).all() {
            if uses.reads.is_empty() || mode == Mode::Read {
                if let Some(write) = &uses.write {
                    write.wait(op)?;
                    uses.write = None;
                }
            }
            if mode == Mode::Write {
                while let Some(read) = uses.reads.last() {
                    read.wait(op)?;
                    uses.reads.pop();
                }
                // Invariant 1 of `Uses`: the readers came after it.
                uses.write = None;
            }
        }
        Ok(())
    }

    /// All uses that may not be over, for whoever frees the memory; one for each stream where
    /// one can stand for several.
    pub(crate) fn take(&self) -> Vec<Use> {
        let mut all: Vec<Use> = Vec::new();
        for one in lock(&self.0).take() {
            if !all.iter_mut().any(|kept| kept.absorb(&one)) {
                all.push(one);
            }
        }
        all
    }
}

/// The same stream object, per-thread ones included: for finding a use just registered.
fn same(a: &Stream, b: &Stream) -> bool {
    std::ptr::eq(a.core(), b.core())
}
