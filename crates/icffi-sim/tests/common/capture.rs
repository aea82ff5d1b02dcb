//! Captures and graphs for the tests.

use super::*;
use std::sync::atomic::{AtomicU32, Ordering};

pub const RELAXED: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeRelaxed;
pub const LOCAL: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeThreadLocal;
pub const GLOBAL: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeGlobal;
pub const MODES: [cudaStreamCaptureMode; 3] = [GLOBAL, LOCAL, RELAXED];

pub const ACTIVE: cudaStreamCaptureStatus = cudaStreamCaptureStatus::cudaStreamCaptureStatusActive;
pub const INVALID: cudaStreamCaptureStatus =
    cudaStreamCaptureStatus::cudaStreamCaptureStatusInvalidated;
pub const NONE: cudaStreamCaptureStatus = cudaStreamCaptureStatus::cudaStreamCaptureStatusNone;

/// Captures what `work` puts into `s`.
pub fn capture(s: cudaStream_t, work: impl FnOnce()) -> cudaGraph_t {
    ok!(cudaStreamBeginCapture(s, LOCAL));
    work();
    let mut graph = null_mut();
    ok!(cudaStreamEndCapture(s, &mut graph));
    assert!(!graph.is_null());
    graph
}

/// Ends a capture; what that says. A graph that comes out is destroyed.
pub fn end(s: cudaStream_t) -> E {
    let mut graph = null_mut();
    let code = cuda!(cudaStreamEndCapture(s, &mut graph));
    assert_eq!(graph.is_null(), code != E::cudaSuccess);
    if !graph.is_null() {
        ok!(cudaGraphDestroy(graph));
    }
    code
}

pub fn status(s: cudaStream_t) -> cudaStreamCaptureStatus {
    let mut status = NONE;
    ok!(cudaStreamIsCapturing(s, &mut status));
    status
}

pub fn instantiate(graph: cudaGraph_t) -> cudaGraphExec_t {
    let mut exec = null_mut();
    ok!(cudaGraphInstantiate(&mut exec, graph, 0));
    exec
}

/// Sets the mode of this thread; returns the one before.
pub fn exchange(mode: cudaStreamCaptureMode) -> cudaStreamCaptureMode {
    let mut mode = mode;
    ok!(cudaThreadExchangeStreamCaptureMode(&mut mode));
    mode
}

pub fn nodes(graph: cudaGraph_t) -> Vec<cudaGraphNode_t> {
    let mut count = 0;
    ok!(cudaGraphGetNodes(graph, null_mut(), &mut count));
    let mut nodes = vec![null_mut(); count];
    ok!(cudaGraphGetNodes(graph, nodes.as_mut_ptr(), &mut count));
    nodes
}

pub fn kind(node: cudaGraphNode_t) -> cudaGraphNodeType {
    let mut kind = cudaGraphNodeType::cudaGraphNodeTypeEmpty;
    ok!(cudaGraphNodeGetType(node, &mut kind));
    kind
}

/// Edges as positions of nodes.
pub fn edges(graph: cudaGraph_t) -> Vec<(usize, usize)> {
    let nodes = nodes(graph);
    let mut count = 0;
    let no = null_mut();
    ok!(cudaGraphGetEdges(
        graph,
        null_mut(),
        null_mut(),
        no,
        &mut count
    ));
    let (mut from, mut to) = (vec![null_mut(); count], vec![null_mut(); count]);
    let (a, b) = (from.as_mut_ptr(), to.as_mut_ptr());
    ok!(cudaGraphGetEdges(graph, a, b, no, &mut count));
    let at = |node| nodes.iter().position(|n| *n == node).unwrap();
    from.into_iter()
        .zip(to)
        .map(|(a, b)| (at(a), at(b)))
        .collect()
}

/// A host function that counts.
pub extern "C" fn count(data: *mut c_void) {
    // SAFETY: all tests that use this give a counter that outlives the stream's work.
    unsafe { &*data.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
}

pub fn data(counter: &AtomicU32) -> *mut c_void {
    (&raw const *counter).cast_mut().cast()
}

/// Puts what is in `from` behind what is in `to`.
pub fn behind(from: cudaStream_t, to: cudaStream_t) {
    let e = event();
    ok!(cudaEventRecord(e, from));
    ok!(cudaStreamWaitEvent(to, e, 0));
    ok!(cudaEventDestroy(e));
}
