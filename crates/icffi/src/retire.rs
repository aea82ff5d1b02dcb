//! Memory and handles that can't be given back yet: the device may still use them, or the
//! thread that let go of them was inside a host callback.
//!
//! Each entry owns what it waits for and how it is released. Entries whose completion a failed
//! call left unproved are counted as quarantined. A later call that proves completion releases
//! them; nothing is ever freed on hope.

use crate::device;
use crate::error::{self, Result};
use crate::op::Op;
use crate::ordering::Use;
use crate::rt;
use crate::sync::lock;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Mutex;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering::Relaxed};

struct Entry {
    /// Its place in the order of arrival.
    number: u64,
    /// Whose errors it reports and whose idleness frees it.
    device: i32,
    uses: Vec<Use>,
    quarantined: bool,
    name: &'static str,
    release: Release,
}

type Release = Box<dyn FnOnce(Op) -> Result<()> + Send>;

static ENTRIES: Mutex<Vec<Entry>> = Mutex::new(Vec::new());
static ARRIVALS: AtomicU64 = AtomicU64::new(0);
static COUNT: AtomicUsize = AtomicUsize::new(0);

/// Keeps something until `uses` are done, then runs `release`.
pub(crate) fn park(
    device: i32,
    name: &'static str,
    uses: Vec<Use>,
    release: impl FnOnce(Op) -> Result<()> + Send + 'static,
) {
    push(device, uses, false, name, Box::new(release));
}

/// As [`park`], for what a failed call left unproved.
pub(crate) fn quarantine(
    device: i32,
    name: &'static str,
    uses: Vec<Use>,
    release: impl FnOnce(Op) -> Result<()> + Send + 'static,
) {
    push(device, uses, true, name, Box::new(release));
}

/// Runs `release` now, or after the callback this thread is in.
pub(crate) fn release_now(
    device: i32,
    name: &'static str,
    release: impl FnOnce(Op) -> Result<()> + Send + 'static,
) {
    if rt::in_callback() {
        return park(device, name, Vec::new(), release);
    }
    finish(device, name, Box::new(release));
}

fn push(device: i32, uses: Vec<Use>, quarantined: bool, name: &'static str, release: Release) {
    let mut entries = lock(&ENTRIES);
    let number = ARRIVALS.fetch_add(1, Relaxed) + 1;
    entries.push(Entry {
        number,
        device,
        uses,
        quarantined,
        name,
        release,
    });
    COUNT.store(entries.len(), Relaxed);
}

fn finish(device: i32, name: &'static str, release: Release) {
    // It may run destructors of the caller's, in whichever call happens to come by.
    let op = Op::new(name);
    let released = catch_unwind(AssertUnwindSafe(move || release(op)))
        .unwrap_or_else(|_| Err(error::panicked(op)));
    if let Err(e) = rt::gone_at_exit(released) {
        device::state(device).count_leak();
        device::state(device).defer(e);
    }
}

/// Releases what the device has finished with. Asks by query, never waits, and costs one load
/// when nothing is parked. Calls that may block anyway make it first.
pub(crate) fn sweep() {
    if COUNT.load(Relaxed) == 0 || rt::in_callback() {
        return;
    }
    release_where(|entry| {
        // `cudaFree` may wait for the device, which must not be while something is captured there.
        if rt::live_captures_of(entry.device) > 0 {
            return false;
        }
        let op = Op::new(entry.name);
        entry
            .uses
            .iter()
            .all(|one| matches!(one.done(op), Ok(true)))
    });
}

/// To be taken before a device is synchronized and given to [`device_is_idle`] afterwards.
pub(crate) struct Mark(u64);

/// Everything parked so far; what another thread parks later may have been enqueued later too.
pub(crate) fn mark() -> Mark {
    let _entries = lock(&ENTRIES);
    Mark(ARRIVALS.load(Relaxed))
}

/// All work that `device` had at the mark is finished, which proves completion where an event
/// can't.
pub(crate) fn device_is_idle(device: i32, mark: &Mark) {
    if COUNT.load(Relaxed) == 0 || rt::in_callback() {
        return;
    }
    release_where(|entry| {
        let op = Op::new(entry.name);
        let covered = entry.number <= mark.0;
        entry.uses.iter().all(|one| {
            (covered && one.stream().ordinal() == device) || matches!(one.done(op), Ok(true))
        })
    });
}

fn release_where(is_done: impl Fn(&Entry) -> bool) {
    // Out of the lock: the queries and the frees are CUDA calls, and a free may end in a
    // destructor that parks again.
    let all = std::mem::take(&mut *lock(&ENTRIES));
    let (done, waiting): (Vec<_>, Vec<_>) = all.into_iter().partition(|entry| is_done(entry));
    put_back(waiting);
    release_all(done);
}

fn put_back(waiting: Vec<Entry>) {
    let mut entries = lock(&ENTRIES);
    entries.extend(waiting);
    COUNT.store(entries.len(), Relaxed);
}

fn release_all(done: Vec<Entry>) {
    for entry in done {
        drop(entry.uses);
        finish(entry.device, entry.name, entry.release);
    }
}

/// Blocks the CPU until what is parked for `device` is over, and releases it; for an allocation
/// that found no memory. Whether anything was released.
pub(crate) fn wait_for_parked(device: i32) -> bool {
    if COUNT.load(Relaxed) == 0 || rt::in_callback() {
        return false;
    }
    let all = std::mem::take(&mut *lock(&ENTRIES));
    let (done, waiting): (Vec<_>, Vec<_>) = all.into_iter().partition(|entry| {
        let op = Op::new(entry.name);
        entry.device == device && entry.uses.iter().all(|one| one.wait(op).is_ok())
    });
    put_back(waiting);
    let released = !done.is_empty();
    release_all(done);
    released
}

/// How many entries of `device` wait because their completion is unproved.
pub(crate) fn quarantined(device: i32) -> usize {
    lock(&ENTRIES)
        .iter()
        .filter(|e| e.quarantined && e.device == device)
        .count()
}
