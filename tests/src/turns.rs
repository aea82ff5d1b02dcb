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
    if let Err(error) = icffi::device::count() {
        panic!("these tests need a device (a GPU, or the simulator by --features sim): {error}");
    }
}
