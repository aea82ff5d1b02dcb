//! Capture and graphs.

use super::cuda;
use crate::error::Result;
use crate::op::Op;
use icffi_sys::{
    cudaGraph_t, cudaGraphExec_t, cudaGraphExecUpdateResultInfo, cudaStream_t,
    cudaStreamCaptureMode, cudaStreamCaptureStatus,
};
use std::ffi::CStr;

/// # Safety
/// `stream` is live, and until the capture ends nothing is enqueued on it that is not meant for
/// the graph.
pub(crate) unsafe fn begin_capture(
    op: Op,
    stream: cudaStream_t,
    mode: cudaStreamCaptureMode,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaStreamBeginCapture, stream, mode) }
}

/// # Safety
/// `stream` is live.
pub(crate) unsafe fn end_capture(op: Op, stream: cudaStream_t) -> Result<cudaGraph_t> {
    let mut graph = std::ptr::null_mut();
    // SAFETY: the caller's contract; `graph` outlives the call.
    unsafe { cuda!(op, cudaStreamEndCapture, stream, &mut graph) }?;
    Ok(graph)
}

/// # Safety
/// `stream` is live.
pub(crate) unsafe fn capture_status(
    op: Op,
    stream: cudaStream_t,
) -> Result<cudaStreamCaptureStatus> {
    let mut status = cudaStreamCaptureStatus::cudaStreamCaptureStatusNone;
    // SAFETY: the caller's contract; `status` outlives the call.
    unsafe { cuda!(op, cudaStreamIsCapturing, stream, &mut status) }?;
    Ok(status)
}

/// # Safety
/// `graph` is live.
pub(crate) unsafe fn graph_instantiate(
    op: Op,
    graph: cudaGraph_t,
    flags: u64,
) -> Result<cudaGraphExec_t> {
    let mut exec = std::ptr::null_mut();
    // SAFETY: the caller's contract; `exec` outlives the call.
    unsafe { cuda!(op, cudaGraphInstantiate, &mut exec, graph, flags) }?;
    Ok(exec)
}

/// # Safety
/// Both handles are live; all that the graph uses stays alive, and free of conflicting access,
/// until `stream` has passed it.
pub(crate) unsafe fn graph_launch(
    op: Op,
    exec: cudaGraphExec_t,
    stream: cudaStream_t,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaGraphLaunch, exec, stream) }
}

/// # Safety
/// Both handles are live.
pub(crate) unsafe fn graph_upload(
    op: Op,
    exec: cudaGraphExec_t,
    stream: cudaStream_t,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaGraphUpload, exec, stream) }
}

/// # Safety
/// Both handles are live.
pub(crate) unsafe fn graph_exec_update(
    op: Op,
    exec: cudaGraphExec_t,
    graph: cudaGraph_t,
) -> (Result<()>, cudaGraphExecUpdateResultInfo) {
    let mut info = cudaGraphExecUpdateResultInfo::default();
    // SAFETY: the caller's contract; `info` outlives the call.
    let result = (|| unsafe { cuda!(op, cudaGraphExecUpdate, exec, graph, &mut info) })();
    (result, info)
}

/// # Safety
/// `graph` is live and not used afterwards.
pub(crate) unsafe fn graph_destroy(op: Op, graph: cudaGraph_t) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaGraphDestroy, graph) }
}

/// # Safety
/// `exec` is live and not used afterwards, and no launch of it is pending.
pub(crate) unsafe fn graph_exec_destroy(op: Op, exec: cudaGraphExec_t) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaGraphExecDestroy, exec) }
}

/// # Safety
/// `graph` is live.
pub(crate) unsafe fn graph_dot(op: Op, graph: cudaGraph_t, path: &CStr, flags: u32) -> Result<()> {
    // SAFETY: the caller's contract; the path is nul-terminated and outlives the call.
    unsafe { cuda!(op, cudaGraphDebugDotPrint, graph, path.as_ptr(), flags) }
}
