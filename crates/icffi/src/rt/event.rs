//! Events.

use super::cuda;
use crate::error::Result;
use crate::op::Op;
use icffi_sys::{cudaEvent_t, cudaStream_t};

pub(crate) fn event_create(op: Op, flags: u32) -> Result<cudaEvent_t> {
    let mut event = std::ptr::null_mut();
    // SAFETY: `event` outlives the call.
    unsafe { cuda!(op, cudaEventCreateWithFlags, &mut event, flags) }?;
    Ok(event)
}

/// # Safety
/// `event` is live and not used afterwards. Work that waits for it may still be pending: CUDA
/// frees it when the device has passed it.
pub(crate) unsafe fn event_destroy(op: Op, event: cudaEvent_t) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaEventDestroy, event) }
}

/// # Safety
/// Both handles are live and of one device.
pub(crate) unsafe fn event_record(op: Op, event: cudaEvent_t, stream: cudaStream_t) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaEventRecord, event, stream) }
}

/// # Safety
/// `event` is live.
pub(crate) unsafe fn event_synchronize(op: Op, event: cudaEvent_t) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaEventSynchronize, event) }
}

/// # Safety
/// `event` is live.
pub(crate) unsafe fn event_query(op: Op, event: cudaEvent_t) -> Result<bool> {
    super::enter(op)?;
    let _relaxed = super::relaxed::enter();
    // SAFETY: the caller's contract.
    super::ready(op, "cudaEventQuery", unsafe {
        icffi_sys::cudaEventQuery(event)
    })
}

/// # Safety
/// Both events are live.
pub(crate) unsafe fn event_elapsed_ms(op: Op, start: cudaEvent_t, end: cudaEvent_t) -> Result<f32> {
    let mut ms = 0.0;
    // SAFETY: the caller's contract; `ms` outlives the call.
    unsafe { cuda!(op, cudaEventElapsedTime, &mut ms, start, end) }?;
    Ok(ms)
}
