//! The uses of one allocation.

use super::{Mode, Use};
use crate::device;
use crate::error::Result;
use crate::event::{self, PooledEvent};
use crate::op::Op;
use crate::stream::Stream;
use crate::sync::lock;
use std::sync::{Arc, Mutex};

/// Above this many readers, those that are over are dropped.
const READERS_KEPT: usize = 8;

/// Behind a lock, never a `Cell`: a guard or a graph may hold the allocation on another thread
/// (row 26).
#[derive(Debug, Default)]
pub(crate) struct Tracker(Mutex<Uses>);

/// # Invariants
/// 1. `write` is ordered before every one of `reads`, on the device.
/// 2. Every stream occurs at most once in `reads` (per-thread streams excepted).
#[derive(Debug, Default)]
struct Uses {
    write: Option<Use>,
    reads: Vec<Use>,
}

impl Tracker {
    /// Already written by `stream`, which has allocated it.
    pub(crate) fn written_by(stream: &Stream) -> Self {
        Self(Mutex::new(Uses {
            write: Some(Use::late(stream)),
            reads: Vec::new(),
        }))
    }

    /// Orders the use that is about to be enqueued on `stream` behind all that conflict with
    /// it, and registers it. After an error nothing is registered and nothing may be enqueued.
    pub(crate) fn acquire(&self, op: Op, stream: &Stream, mode: Mode) -> Result<()> {
        let mut uses = lock(&self.0);
        match mode {
            Mode::Read => uses.read(op, stream),
            Mode::Write => uses.write(op, stream),
        }
    }

    /// Marks the use just enqueued on `stream` by an event recorded behind it.
    pub(crate) fn mark(&self, stream: &Stream, mode: Mode, event: &Arc<PooledEvent>) {
        let mut uses = lock(&self.0);
        let registered = match mode {
            Mode::Write => uses.write.as_mut(),
            Mode::Read => uses
                .reads
                .iter_mut()
                .rev()
                .find(|r| same(r.stream(), stream)),
        };
        if let Some(registered) = registered {
            registered.mark(Arc::clone(event));
        }
    }

    /// To be called once the use is enqueued, for a stream that has to be marked at once; costs
    /// one comparison for every other.
    pub(crate) fn settle(&self, op: Op, stream: &Stream, mode: Mode) -> Result<()> {
        if stream.must_record_early() {
            let event = event::record(op, stream)?;
            self.mark(stream, mode, &event);
        }
        Ok(())
    }

    /// For a use that other code enqueues: the result settles it when dropped.
    pub(crate) fn lend(&self, op: Op, stream: &Stream, mode: Mode) -> Result<Option<Access<'_>>> {
        self.acquire(op, stream, mode)?;
        Ok(stream.must_record_early().then(|| Access {
            tracker: self,
            op,
            stream: stream.clone(),
            mode,
        }))
    }

    /// Blocks the CPU until the host may use the memory in this way, and forgets what it waited
    /// for.
    pub(crate) fn wait_for_host(&self, op: Op, mode: Mode) -> Result<()> {
        let mut uses = lock(&self.0);
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
            // Invariant 1: the readers came after it.
            uses.write = None;
        }
        Ok(())
    }

    /// All uses that may not be over, for whoever frees the memory.
    pub(crate) fn take(&self) -> Vec<Use> {
        let mut uses = lock(&self.0);
        let write = uses.write.take();
        let mut all = std::mem::take(&mut uses.reads);
        if all.is_empty() {
            all.extend(write);
        }
        all
    }
}

/// The same stream object, per-thread ones included: for finding a use just registered.
fn same(a: &Stream, b: &Stream) -> bool {
    std::ptr::eq(a.core(), b.core())
}

impl Uses {
    fn read(&mut self, op: Op, stream: &Stream) -> Result<()> {
        if let Some(known) = self.reads.iter_mut().find(|r| r.stream().is(stream)) {
            // It waited for the write when it first read (invariant 1).
            known.renew();
            return Ok(());
        }
        if let Some(write) = &mut self.write {
            write.order_before(op, stream)?;
        }
        if self.reads.len() >= READERS_KEPT {
            // One that can't be asked stays.
            self.reads.retain(|r| !matches!(r.done(op), Ok(true)));
        }
        self.reads.push(Use::late(stream));
        Ok(())
    }

    fn write(&mut self, op: Op, stream: &Stream) -> Result<()> {
        if self.reads.is_empty() {
            if let Some(write) = &mut self.write {
                if write.stream().is(stream) {
                    write.renew();
                    return Ok(());
                }
                write.order_before(op, stream)?;
            }
        }
        // Waiting for the readers is waiting for the write before them (invariant 1).
        for read in &mut self.reads {
            read.order_before(op, stream)?;
        }
        self.reads.clear();
        self.write = Some(Use::late(stream));
        Ok(())
    }
}

/// A use on a stream that must be marked at once, enqueued by other code while this lives.
#[derive(Debug)]
pub(crate) struct Access<'b> {
    tracker: &'b Tracker,
    op: Op,
    stream: Stream,
    mode: Mode,
}

impl Drop for Access<'_> {
    fn drop(&mut self) {
        // If it can't be marked the use stays late, and whoever comes next waits by other means.
        if let Err(e) = self.tracker.settle(self.op, &self.stream, self.mode) {
            device::state(self.stream.ordinal()).defer(e);
        }
    }
}
