//! How far a stream has come, and how far it has waited for others.
//!
//! A layer with hundreds of weights that moves from one stream to another would record and wait
//! once for each buffer. Tickets make it once: a use has a number on its stream, and a stream
//! remembers up to which number of another it is already ordered behind.

use crate::event::PooledEvent;
use crate::sync::lock;
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};

static IDS: AtomicU64 = AtomicU64::new(1);

/// Streams waited for that are remembered; beyond it the oldest is forgotten, which costs a
/// repeated wait and nothing else.
const REMEMBERED: usize = 32;

/// # Invariants
/// 1. A ticket is issued after `open` was raised for it, and `open` is lowered only when its CUDA
///    call has returned. So if `open` counts only the asker's own tickets, read after `issued`,
///    then every ticket up to that `issued` has been enqueued.
/// 2. An entry (id, n) of `seen` means: a wait was enqueued here for an event that was recorded
///    on stream `id` behind all its tickets up to n.
#[derive(Debug)]
pub(crate) struct Lane {
    id: u64,
    issued: AtomicU64,
    open: AtomicU64,
    seen: Mutex<Vec<(u64, u64)>>,
    /// Recorded on demand, to be waited for instead of one recorded later.
    checkpoint: Mutex<Option<Arc<PooledEvent>>>,
}

impl Lane {
    pub(crate) fn new() -> Self {
        Self {
            id: IDS.fetch_add(1, SeqCst),
            issued: AtomicU64::new(0),
            open: AtomicU64::new(0),
            seen: Mutex::new(Vec::new()),
            checkpoint: Mutex::new(None),
        }
    }

    /// A new ticket, open until [`close`](Self::close).
    #[inline]
    pub(crate) fn open(&self) -> u64 {
        self.open.fetch_add(1, SeqCst);
        self.issued.fetch_add(1, SeqCst) + 1
    }

    #[inline]
    pub(super) fn close(&self) {
        self.open.fetch_sub(1, SeqCst);
    }

    /// Up to which ticket an event recorded from now on covers everything, if that can be said:
    /// not while another thread is between its registration and its CUDA call. `own` of the open
    /// tickets are the caller's and have been enqueued.
    pub(crate) fn covered(&self, own: u64) -> Option<u64> {
        let issued = self.issued.load(SeqCst);
        (self.open.load(SeqCst) <= own).then_some(issued)
    }

    /// Keeps an event recorded on this stream just now.
    pub(crate) fn set_checkpoint(&self, event: Arc<PooledEvent>) {
        *lock(&self.checkpoint) = Some(event);
    }

    /// The kept event, if it stands behind `ticket`.
    pub(super) fn checkpoint(&self, ticket: u64) -> Option<Arc<PooledEvent>> {
        let kept = lock(&self.checkpoint);
        kept.as_ref()
            .filter(|event| event.covers().is_some_and(|upto| upto >= ticket))
            .cloned()
    }

    /// Its number, for messages.
    pub(super) fn id(&self) -> u64 {
        self.id
    }

    /// Whether this stream is already ordered behind `ticket` of `other`.
    pub(super) fn has_seen(&self, other: &Self, ticket: u64) -> bool {
        lock(&self.seen)
            .iter()
            .any(|&(id, upto)| id == other.id && upto >= ticket)
    }

    /// A wait for an event that covers `other` up to `upto` was enqueued here.
    pub(super) fn note(&self, other: &Self, upto: u64) {
        let mut seen = lock(&self.seen);
        if let Some(entry) = seen.iter_mut().find(|(id, _)| *id == other.id) {
            entry.1 = entry.1.max(upto);
            return;
        }
        if seen.len() >= REMEMBERED {
            seen.remove(0);
        }
        seen.push((other.id, upto));
    }
}
