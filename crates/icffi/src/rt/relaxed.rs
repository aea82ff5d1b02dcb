//! Calls of this crate while some thread captures.
//!
//! During a capture CUDA refuses "potentially unsafe" calls, allocation and queries among them,
//! of the capturing thread or, in global mode, of every thread, and such a call also invalidates
//! the capture. The calls of this crate are safe in that sense (they touch nothing that is being
//! captured), so while any capture of this process is live they are made in relaxed mode.

use crate::device::MAX_DEVICES;
use icffi_sys::cudaStreamCaptureMode;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

static LIVE: AtomicUsize = AtomicUsize::new(0);
static LIVE_OF: [AtomicUsize; MAX_DEVICES] = [const { AtomicUsize::new(0) }; MAX_DEVICES];

/// A capture made through this crate, counted until dropped.
#[derive(Debug)]
pub(crate) struct LiveCapture(usize);

impl LiveCapture {
    pub(crate) fn on(ordinal: i32) -> Self {
        let device = (ordinal.unsigned_abs() as usize).min(MAX_DEVICES - 1);
        LIVE.fetch_add(1, SeqCst);
        LIVE_OF[device].fetch_add(1, SeqCst);
        Self(device)
    }
}

impl Drop for LiveCapture {
    fn drop(&mut self) {
        LIVE_OF[self.0].fetch_sub(1, SeqCst);
        LIVE.fetch_sub(1, SeqCst);
    }
}

/// How many captures made through this crate are live on a device.
pub(crate) fn live_captures_of(ordinal: i32) -> usize {
    LIVE_OF[(ordinal.unsigned_abs() as usize).min(MAX_DEVICES - 1)].load(SeqCst)
}

/// Puts the thread's capture mode back when dropped.
pub(super) struct Relaxed(Option<cudaStreamCaptureMode>);

/// Relaxed mode for one call, if any capture is live; otherwise one load.
#[inline]
pub(super) fn enter() -> Relaxed {
    if LIVE.load(SeqCst) == 0 {
        return Relaxed(None);
    }
    let mut mode = cudaStreamCaptureMode::cudaStreamCaptureModeRelaxed;
    // SAFETY: `mode` outlives the call, which swaps it with the thread's mode.
    let swapped = unsafe { icffi_sys::cudaThreadExchangeStreamCaptureMode(&mut mode) };
    Relaxed((swapped == icffi_sys::cudaError::cudaSuccess).then_some(mode))
}

impl Drop for Relaxed {
    fn drop(&mut self) {
        if let Some(mut mode) = self.0.take() {
            // SAFETY: as in `enter`. It just worked, and there is nothing to do if it does not.
            let _ = unsafe { icffi_sys::cudaThreadExchangeStreamCaptureMode(&mut mode) };
        }
    }
}
