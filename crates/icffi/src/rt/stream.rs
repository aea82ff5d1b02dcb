//! Streams.

use super::cuda;
use crate::error::Result;
use crate::op::Op;
use icffi_sys::{cudaEvent_t, cudaHostFn_t, cudaStream_t};
use std::ffi::c_void;

pub(crate) fn stream_create(op: Op, flags: u32, priority: i32) -> Result<cudaStream_t> {
    let mut stream = std::ptr::null_mut();
    // SAFETY: `stream` outlives the call.
    unsafe {
        cuda!(
            op,
            cudaStreamCreateWithPriority,
            &mut stream,
            flags,
            priority
        )
    }?;
    Ok(stream)
}

/// # Safety
/// `stream` is live and not used afterwards. Its pending work still runs.
pub(crate) unsafe fn stream_destroy(op: Op, stream: cudaStream_t) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaStreamDestroy, stream) }
}

/// # Safety
/// `stream` is live.
pub(crate) unsafe fn stream_synchronize(op: Op, stream: cudaStream_t) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaStreamSynchronize, stream) }
}

/// # Safety
/// `stream` is live.
pub(crate) unsafe fn stream_query(op: Op, stream: cudaStream_t) -> Result<bool> {
    super::enter(op)?;
    let _relaxed = super::relaxed::enter();
    // SAFETY: the caller's contract.
    super::ready(op, "cudaStreamQuery", unsafe {
        icffi_sys::cudaStreamQuery(stream)
    })
}

/// # Safety
/// Both handles are live.
pub(crate) unsafe fn stream_wait_event(
    op: Op,
    stream: cudaStream_t,
    event: cudaEvent_t,
) -> Result<()> {
    // SAFETY: the caller's contract; flags 0 is cudaEventWaitDefault.
    unsafe { cuda!(op, cudaStreamWaitEvent, stream, event, 0) }
}

/// # Safety
/// `stream` is live; `function` may be called once with `data`, at any time from now on and on
/// any thread.
pub(crate) unsafe fn launch_host_func(
    op: Op,
    stream: cudaStream_t,
    function: cudaHostFn_t,
    data: *mut c_void,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaLaunchHostFunc, stream, function, data) }
}

/// The lowest and the highest priority of the current device (numerically, highest is smaller).
pub(crate) fn stream_priority_range(op: Op) -> Result<(i32, i32)> {
    let (mut least, mut greatest) = (0, 0);
    // SAFETY: both outlive the call.
    unsafe {
        cuda!(
            op,
            cudaDeviceGetStreamPriorityRange,
            &mut least,
            &mut greatest
        )
    }?;
    Ok((least, greatest))
}

/// # Safety
/// `stream` is live.
pub(crate) unsafe fn stream_priority(op: Op, stream: cudaStream_t) -> Result<i32> {
    let mut priority = 0;
    // SAFETY: the caller's contract; `priority` outlives the call.
    unsafe { cuda!(op, cudaStreamGetPriority, stream, &mut priority) }?;
    Ok(priority)
}
