//! Locks that a panicking thread can't take away from the others.

use std::sync::{Mutex, MutexGuard, PoisonError};

/// Locks, also after a panic of another holder: every critical section of this crate leaves its
/// data valid at each step, so a poisoned lock carries no broken state.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
