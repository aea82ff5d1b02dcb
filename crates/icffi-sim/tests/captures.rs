//! Captures: their begin and end, forks, joins, events. Codes and their effect on the capture are
//! those of an H200 with CUDA 13.0.

mod common;
use common::capture::*;
use common::*;
use std::thread;

const UNSUPPORTED: E = E::cudaErrorStreamCaptureUnsupported;
const INVALIDATED: E = E::cudaErrorStreamCaptureInvalidated;
const IMPLICIT: E = E::cudaErrorStreamCaptureImplicit;
const VALUE: E = E::cudaErrorInvalidValue;

#[test]
fn beginning_and_ending() {
    let session = start(Policy::Random);
    let (s, t, p) = (stream(), stream(), malloc(64));
    let mut graph = 7 as cudaGraph_t;
    let state = E::cudaErrorIllegalState;
    assert_eq!(cuda!(cudaStreamEndCapture(s, &mut graph)), state);
    assert!(graph.is_null());
    assert_eq!(end(null_mut()), state);
    let mode = cudaStreamCaptureMode(7);
    assert_eq!(cuda!(cudaStreamBeginCapture(s, mode)), VALUE);
    assert_eq!(
        cuda!(cudaStreamBeginCapture(null_mut(), RELAXED)),
        UNSUPPORTED
    );
    ok!(cudaStreamBeginCapture(s, GLOBAL));
    assert_eq!(cuda!(cudaStreamBeginCapture(s, GLOBAL)), state);
    assert_eq!(status(s), ACTIVE);
    // On another thread, unless it is relaxed: it is over all the same.
    let at = s as usize;
    let elsewhere = move || end(at as cudaStream_t);
    let code = thread::spawn(elsewhere).join().unwrap();
    assert_eq!(
        (code, status(s)),
        (E::cudaErrorStreamCaptureWrongThread, NONE)
    );
    ok!(cudaStreamBeginCapture(s, RELAXED));
    assert_eq!(thread::spawn(elsewhere).join().unwrap(), E::cudaSuccess);
    // On another stream.
    ok!(cudaStreamBeginCapture(s, RELAXED));
    behind(s, t);
    assert_eq!(end(t), E::cudaErrorStreamCaptureUnmatched);
    assert_eq!((status(s), status(t)), (INVALID, INVALID));
    assert_eq!(cuda!(cudaMemsetAsync(p, 0, 64, t)), INVALIDATED);
    assert_eq!(cuda!(cudaEventRecord(event(), s)), INVALIDATED);
    assert_eq!(end(s), INVALIDATED);
    assert_eq!((status(s), status(t)), (NONE, NONE));
    // Without a place for the graph it is gone.
    ok!(cudaStreamBeginCapture(s, RELAXED));
    ok!(cudaStreamEndCapture(s, null_mut()));
    // The per-thread stream can be captured, and work of any thread goes in.
    let own = 2 as cudaStream_t;
    ok!(cudaStreamBeginCapture(own, LOCAL));
    assert_eq!((end(own), status(own)), (E::cudaSuccess, NONE));
    ok!(cudaStreamBeginCapture(s, LOCAL));
    let p = p as usize;
    let work = move || ok!(cudaMemsetAsync(p as *mut c_void, 0, 64, at as cudaStream_t));
    thread::spawn(work).join().unwrap();
    ok!(cudaStreamEndCapture(s, &mut graph));
    assert_eq!(nodes(graph).len(), 1);
    ok!(cudaGraphDestroy(graph));
    assert_eq!(session.live().graphs, 0);
    assert_eq!(session.reports(), []);
}

#[test]
fn forks_must_be_joined() {
    sweep(|session| {
        let p = malloc(64);
        let unjoined = E::cudaErrorStreamCaptureUnjoined;
        let (s, t) = (stream(), stream());
        ok!(cudaStreamBeginCapture(s, GLOBAL));
        behind(s, t);
        assert_eq!(status(t), ACTIVE);
        ok!(cudaMemsetAsync(p, 0, 64, t));
        assert_eq!(end(s), unjoined);
        assert_eq!((status(s), status(t)), (NONE, NONE));
        // A fork without work of its own needs no join, nor does a destroyed one that has it.
        ok!(cudaStreamBeginCapture(s, GLOBAL));
        ok!(cudaMemsetAsync(p, 0, 64, s));
        behind(s, t);
        ok!(cudaMemsetAsync(p, 0, 64, s));
        assert_eq!((end(s), status(t)), (E::cudaSuccess, NONE));
        for join in [true, false] {
            let t = stream();
            ok!(cudaStreamBeginCapture(s, GLOBAL));
            behind(s, t);
            ok!(cudaMemsetAsync(p, 0, 64, t));
            if join {
                behind(t, s);
            }
            ok!(cudaStreamDestroy(t));
            assert_eq!(end(s), if join { E::cudaSuccess } else { unjoined });
        }
        // More work after the join.
        ok!(cudaStreamBeginCapture(s, GLOBAL));
        behind(s, t);
        ok!(cudaMemsetAsync(p, 0, 64, t));
        behind(t, s);
        ok!(cudaMemsetAsync(p, 0, 64, t));
        assert_eq!(end(s), unjoined);
        assert_eq!(session.live().graphs, 0);
    });
}

#[test]
fn two_captures_cannot_meet_nor_wait_for_what_is_outside() {
    sweep(|_| {
        let (s, t, e, f) = (stream(), stream(), event(), event());
        ok!(cudaStreamBeginCapture(s, RELAXED));
        ok!(cudaStreamBeginCapture(t, RELAXED));
        ok!(cudaEventRecord(e, s));
        assert_eq!(
            cuda!(cudaStreamWaitEvent(t, e, 0)),
            E::cudaErrorStreamCaptureMerge
        );
        assert_eq!((end(s), end(t)), (INVALIDATED, INVALIDATED));
        ok!(cudaEventRecord(e, t));
        ok!(cudaStreamBeginCapture(s, RELAXED));
        ok!(cudaStreamWaitEvent(s, f, 0));
        assert_eq!(
            cuda!(cudaStreamWaitEvent(s, e, 0)),
            E::cudaErrorStreamCaptureIsolation
        );
        assert_eq!(cuda!(cudaStreamWaitEvent(s, e, 0)), INVALIDATED);
        assert_eq!(end(s), INVALIDATED);
        // The legacy stream cannot be pulled in.
        ok!(cudaStreamBeginCapture(s, RELAXED));
        ok!(cudaEventRecord(e, s));
        assert_eq!(cuda!(cudaStreamWaitEvent(null_mut(), e, 0)), IMPLICIT);
        assert_eq!(cuda!(cudaStreamWaitEvent(t, e, 0)), VALUE);
        assert_eq!((status(t), end(s)), (NONE, INVALIDATED));
    });
}

#[test]
fn events_of_captures_are_not_for_the_host() {
    sweep(|_| {
        let (s, t, e, f) = (stream(), stream(), event(), event());
        let captured = E::cudaErrorCapturedEvent;
        ok!(cudaEventRecord(f, s));
        ok!(cudaStreamSynchronize(s));
        for mode in MODES {
            ok!(cudaStreamBeginCapture(s, mode));
            ok!(cudaEventRecord(e, s));
            assert_eq!(cuda!(cudaEventElapsedTime(&mut 0.0, f, e)), captured);
            assert_eq!(status(s), ACTIVE);
            assert_eq!((cuda!(cudaEventQuery(e)), status(s)), (captured, INVALID));
            assert_eq!(cuda!(cudaEventSynchronize(e)), VALUE);
            assert_eq!(end(s), INVALIDATED);
            ok!(cudaStreamBeginCapture(s, mode));
            ok!(cudaEventRecord(e, s));
            assert_eq!(
                (cuda!(cudaEventSynchronize(e)), end(s)),
                (captured, INVALIDATED)
            );
            // Afterwards it means nothing until it is recorded again.
            let exec = instantiate(capture(s, || ok!(cudaEventRecord(e, s))));
            assert_eq!(cuda!(cudaEventQuery(e)), VALUE);
            assert_eq!(cuda!(cudaEventSynchronize(e)), VALUE);
            assert_eq!(cuda!(cudaStreamWaitEvent(t, e, 0)), VALUE);
            assert_eq!(cuda!(cudaEventElapsedTime(&mut 0.0, f, e)), VALUE);
            ok!(cudaStreamBeginCapture(s, mode));
            assert_eq!(cuda!(cudaStreamWaitEvent(s, e, 0)), VALUE);
            assert_eq!(end(s), INVALIDATED);
            ok!(cudaGraphExecDestroy(exec));
            ok!(cudaEventRecord(e, t));
            ok!(cudaEventSynchronize(e));
        }
        // Recorded elsewhere in the middle it is an event like any other.
        ok!(cudaStreamBeginCapture(s, RELAXED));
        ok!(cudaEventRecord(e, s));
        ok!(cudaEventRecord(e, t));
        ok!(cudaEventSynchronize(e));
        assert_eq!(end(s), E::cudaSuccess);
    });
}

#[test]
fn a_capture_ends_with_its_stream() {
    let session = start(Policy::Random);
    let (s, t, e, p) = (stream(), stream(), event(), malloc(64));
    ok!(cudaStreamBeginCapture(s, GLOBAL));
    ok!(cudaEventRecord(e, s));
    ok!(cudaStreamWaitEvent(t, e, 0));
    ok!(cudaMemsetAsync(p, 1, 64, t));
    ok!(cudaStreamDestroy(s));
    assert_eq!(status(t), NONE);
    assert_eq!(session.live().graphs, 0);
    ok!(cudaMemsetAsync(p, 2, 64, t));
    assert_eq!(cuda!(cudaEventQuery(e)), VALUE);
    assert_eq!(read(p, 64), [2; 64]);
}
