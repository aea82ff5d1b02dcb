//! The uses of one allocation, behind a lock.

use super::segments::{Segments, Uses};
use super::{Access, Mode, Use};
use crate::error::{self, Result};
use crate::event::PooledEvent;
use crate::op::Op;
use crate::rt;
use crate::stream::Stream;
use crate::sync::lock;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::{self, ThreadId};
use std::time::Duration;

/// How long a thread waits for another one's launch of a registered use. Launching takes
/// microseconds; this long means that it was forgotten.
const PATIENCE: Duration = Duration::from_secs(5);

/// Behind a lock, never a `Cell`: views of one allocation may be on several threads, and a graph
/// may hold it on another (row 26).
///
/// Memory of one owner needs no more than that: whoever comes next got it from whoever came
/// before, so the use before has been enqueued. Memory that a graph shares has no such order
/// between threads. So for shared memory, asking, waiting, enqueueing and registering are one
/// step for other threads: they wait until a registered use has been enqueued.
#[derive(Debug, Default)]
pub(crate) struct Tracker {
    state: Mutex<State>,
    /// Signalled when an open use of shared memory has been enqueued.
    settled: Condvar,
}

#[derive(Debug, Default)]
struct State {
    segments: Segments,
    /// Whether a graph has, or had, a part in the memory.
    shared: bool,
    /// Of shared memory: uses registered and not yet enqueued.
    open: Vec<Open>,
    /// The captures in progress that write it.
    captures: Vec<u64>,
}

#[derive(Debug)]
struct Open {
    stream: usize,
    ticket: u64,
    thread: ThreadId,
    mode: Mode,
}

/// What [`Tracker::try_acquire`] found.
pub(crate) enum Acquired<'a> {
    /// The use is registered.
    Now(Access<'a>),
    /// Another thread is about to enqueue one; nothing is registered.
    Busy,
}

impl Tracker {
    /// Of `bytes` bytes that `stream` has just allocated, so that other streams may use them
    /// only behind that.
    pub(crate) fn allocated_by(stream: &Stream, bytes: usize) -> Self {
        let ticket = stream.lane().open();
        stream.lane().close();
        let write = Some(Use::ticketed(stream, ticket));
        let segments = Segments::with(
            0..bytes,
            Uses {
                write,
                reads: Vec::new(),
            },
        );
        Self {
            state: Mutex::new(State {
                segments,
                ..State::default()
            }),
            settled: Condvar::new(),
        }
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
        // Before the lock, which another thread may hold while it waits for this callback.
        rt::enter(op)?;
        let mut state = lock(&self.state);
        if state.shared {
            state = self.turn(op, state, mode)?;
        }
        self.register(op, state, stream, mode, range)
    }

    /// [`acquire`](Self::acquire) that does not wait for another thread.
    pub(crate) fn try_acquire<'a>(
        &'a self,
        op: Op,
        stream: &'a Stream,
        mode: Mode,
        range: Range<usize>,
    ) -> Result<Acquired<'a>> {
        let state = lock(&self.state);
        if state.is_taken(mode) {
            return Ok(Acquired::Busy);
        }
        self.register(op, state, stream, mode, range)
            .map(Acquired::Now)
    }

    /// Blocks the CPU until no other thread is about to enqueue a use.
    pub(crate) fn wait_for_turn(&self, op: Op, mode: Mode) -> Result<()> {
        self.turn(op, lock(&self.state), mode).map(drop)
    }

    fn turn<'s>(
        &'s self,
        op: Op,
        state: MutexGuard<'s, State>,
        mode: Mode,
    ) -> Result<MutexGuard<'s, State>> {
        let (state, waited) = self
            .settled
            .wait_timeout_while(state, PATIENCE, |state| state.is_taken(mode))
            .unwrap_or_else(PoisonError::into_inner);
        if waited.timed_out() {
            return Err(error::busy(op));
        }
        Ok(state)
    }

    fn register<'a>(
        &'a self,
        op: Op,
        mut state: MutexGuard<'_, State>,
        stream: &'a Stream,
        mode: Mode,
        range: Range<usize>,
    ) -> Result<Access<'a>> {
        if !state.captures.is_empty() {
            return Err(error::capture_isolation(
                op,
                "the memory is written in a capture that is still in progress; work on it after \
                 the capture, or on the capture's stream",
            ));
        }
        let ticket = state
            .segments
            .acquire(op, stream, mode, &range, || stream.lane().open())?;
        let shared = state.shared;
        if state.shared {
            let thread = thread::current().id();
            state.open.push(Open {
                stream: key(stream),
                ticket,
                thread,
                mode,
            });
        }
        drop(state);
        Ok(Access::new(self, op, stream, mode, range, ticket, shared))
    }

    /// An open use of shared memory has been enqueued.
    pub(super) fn settle(&self, stream: &Stream, ticket: u64) {
        lock(&self.state)
            .open
            .retain(|o| (o.stream, o.ticket) != (key(stream), ticket));
        self.settled.notify_all();
    }

    /// A graph takes part from now on. Called by the owner's thread.
    pub(crate) fn share(&self) {
        lock(&self.state).shared = true;
    }

    /// One owner again, called by it: no graph has a part, and no other handle is left, so nobody
    /// is about to enqueue a use.
    pub(crate) fn unshare(&self) {
        let mut state = lock(&self.state);
        state.shared = false;
        state.open.clear();
    }

    /// A capture in progress writes the memory: eager work on it is refused until it ends.
    pub(crate) fn enter_capture(&self, id: u64) {
        let mut state = lock(&self.state);
        if !state.captures.contains(&id) {
            state.captures.push(id);
        }
    }

    pub(crate) fn leave_capture(&self, id: u64) {
        lock(&self.state).captures.retain(|&c| c != id);
    }

    /// Marks the use of `range` that was registered on `stream` under `ticket`, by an event recorded
    /// behind it.
    pub(super) fn mark(
        &self,
        stream: &Stream,
        mode: Mode,
        range: &Range<usize>,
        ticket: u64,
        event: &Arc<PooledEvent>,
    ) {
        let mut state = lock(&self.state);
        for (_, uses) in state.segments.within(range) {
            let registered = match mode {
                Mode::Write => uses.write.as_mut_slice(),
                Mode::Read => uses.reads.as_mut_slice(),
            };
            for one in registered {
                one.mark(stream, ticket, event);
            }
        }
    }

    /// Blocks the CPU until the host may use the memory in this way, and forgets what it waited
    /// for.
    pub(crate) fn wait_for_host(&self, op: Op, mode: Mode) -> Result<()> {
        for uses in lock(&self.state).segments.all() {
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
        for one in lock(&self.state).segments.take() {
            // The owner is gone, so nobody is in the middle of a call any more.
            let one = one.enqueued();
            if !all.iter_mut().any(|kept| kept.absorb(&one)) {
                all.push(one);
            }
        }
        all
    }
}

impl State {
    /// Whether another thread is between registering and enqueueing a use that conflicts with
    /// `mode`. This thread's own open uses are enqueued, or never will be.
    fn is_taken(&self, mode: Mode) -> bool {
        let me = thread::current().id();
        self.open
            .iter()
            .any(|o| o.thread != me && (mode == Mode::Write || o.mode == Mode::Write))
    }
}

/// The stream object, per-thread streams included.
fn key(stream: &Stream) -> usize {
    std::ptr::from_ref(stream.core()).addr()
}
