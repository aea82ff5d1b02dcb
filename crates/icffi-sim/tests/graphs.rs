//! Captures that become graphs, and what their launches do.

mod common;
use common::*;
use std::sync::atomic::{AtomicU32, Ordering};

const RELAXED: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeRelaxed;
const LOCAL: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeThreadLocal;
const GLOBAL: cudaStreamCaptureMode = cudaStreamCaptureMode::cudaStreamCaptureModeGlobal;

/// Captures what `work` puts into `s`.
fn capture(s: cudaStream_t, work: impl FnOnce()) -> cudaGraph_t {
    ok!(cudaStreamBeginCapture(s, LOCAL));
    work();
    let mut graph = null_mut();
    ok!(cudaStreamEndCapture(s, &mut graph));
    assert!(!graph.is_null());
    graph
}

fn instantiate(graph: cudaGraph_t) -> cudaGraphExec_t {
    let mut exec = null_mut();
    ok!(cudaGraphInstantiate(&mut exec, graph, 0));
    exec
}

extern "C" fn count(data: *mut c_void) {
    // SAFETY: all tests that use this give a counter that outlives the stream's work.
    unsafe { &*data.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn a_capture_runs_only_when_launched() {
    sweep(|session| {
        let (s, n) = (stream(), AtomicU32::new(0));
        let (p, q, host) = (malloc(64), malloc(64), pinned(64));
        ok!(cudaMemsetAsync(q, 9, 64, s));
        ok!(cudaStreamSynchronize(s));
        host.fill(0);
        let data = (&raw const n).cast_mut().cast();
        let graph = capture(s, || {
            ok!(cudaMemsetAsync(p, 5, 64, s));
            ok!(cudaMemcpyAsync(q, p, 32, D2D, s));
            ok!(cudaMemcpy2DAsync(
                host.as_mut_ptr().cast(),
                8,
                q,
                8,
                4,
                8,
                D2H,
                s
            ));
            ok!(cudaLaunchHostFunc(s, Some(count), data));
        });
        assert_eq!(session.pending(), 0);
        ok!(cudaStreamSynchronize(s));
        assert_eq!(read(q, 64), [9; 64]);
        let exec = instantiate(graph);
        assert_eq!(session.live().graphs, 2);
        ok!(cudaGraphDestroy(graph));
        for round in 1..4 {
            ok!(cudaGraphLaunch(exec, s));
            ok!(cudaStreamSynchronize(s));
            assert_eq!(n.load(Ordering::SeqCst), round);
        }
        for (row, bytes) in host.chunks(8).enumerate() {
            let byte = if row < 4 { 5 } else { 9 };
            let bytes = (&bytes[..4], &bytes[4..]);
            assert_eq!(bytes, ([byte; 4].as_slice(), [0; 4].as_slice()));
        }
        ok!(cudaGraphExecDestroy(exec));
        assert_eq!(session.live().graphs, 0);
    });
}
