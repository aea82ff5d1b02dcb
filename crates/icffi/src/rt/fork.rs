//! A forked child has a copy of this memory but not of the driver's state: CUDA must not be
//! called there.

use std::sync::Once;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

static CHILD: AtomicBool = AtomicBool::new(false);
static WATCH: Once = Once::new();

/// Whether this process was forked from one that had used this crate.
#[inline]
pub(super) fn is_child() -> bool {
    WATCH.call_once(watch);
    CHILD.load(Relaxed)
}

#[cfg(unix)]
fn watch() {
    extern "C" fn in_child() {
        CHILD.store(true, Relaxed);
    }
    // SAFETY: the handler only stores to an atomic, which is allowed between fork and exec.
    let _ = unsafe { libc::pthread_atfork(None, None, Some(in_child)) };
}

#[cfg(not(unix))]
fn watch() {}
