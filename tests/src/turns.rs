//! Which tests of a suite may run beside others.

use std::sync::{PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

static DEVICE: RwLock<()> = RwLock::new(());

/// For a test that minds no other. Fails if there is no device to test on.
pub fn together() -> RwLockReadGuard<'static, ()> {
    insist_on_device();
    DEVICE.read().unwrap_or_else(PoisonError::into_inner)
}

/// For a test that changes what is process-wide, counts it, or holds a stream up.
pub fn alone() -> RwLockWriteGuard<'static, ()> {
    insist_on_device();
    DEVICE.write().unwrap_or_else(PoisonError::into_inner)
}

fn insist_on_device() {
    trim_at_exit();
    if let Err(error) = icffi::device::count() {
        panic!("these tests need a device (a GPU, or the simulator by --features sim): {error}");
    }
}

/// Gives what the library keeps for reuse back when the program ends, so that a leak checker sees
/// only what a test has lost.
pub fn trim_at_exit() {
    static ONCE: std::sync::Once = std::sync::Once::new();
    ONCE.call_once(|| {
        extern "C" fn trim() {
            icffi::trim_all();
        }
        // The runtime registers its own end when it starts: before this, so it comes after.
        let _ = icffi::device::count();
        // SAFETY: the handler takes nothing, touches no thread-local state and can't unwind: a
        // panic in an `extern "C"` function aborts.
        let registered = unsafe { libc::atexit(trim) };
        assert_eq!(registered, 0, "atexit is full");
    });
}
