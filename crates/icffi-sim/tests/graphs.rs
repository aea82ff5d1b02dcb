//! Graphs: what their launches do, and in which order.

mod common;
use common::capture::*;
use common::*;
use std::cell::Cell;
use std::sync::atomic::{AtomicU32, Ordering};

#[test]
fn a_capture_runs_only_when_launched() {
    sweep(|session| {
        let (s, n) = (stream(), AtomicU32::new(0));
        let (p, q, host) = (malloc(64), malloc(64), pinned(64));
        ok!(cudaMemsetAsync(q, 9, 64, s));
        ok!(cudaStreamSynchronize(s));
        host.fill(0);
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
            ok!(cudaLaunchHostFunc(s, Some(count), data(&n)));
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

#[test]
fn a_launch_is_one_piece_of_its_stream() {
    sweep(|_| {
        for s in [stream(), blocking_stream()] {
            let (p, q) = (malloc(64), malloc(64));
            let graph = capture(s, || ok!(cudaMemcpyAsync(q, p, 64, D2D, s)));
            let exec = instantiate(graph);
            for round in 1..8 {
                ok!(cudaMemsetAsync(p, round, 64, s));
                ok!(cudaGraphLaunch(exec, s));
                ok!(cudaMemsetAsync(p, 0, 64, s));
                ok!(cudaMemcpyAsync(p, q, 64, D2D, s));
                ok!(cudaGraphUpload(exec, s));
                assert_eq!(read(p, 64), [round as u8; 64]);
            }
        }
    });
}

#[test]
fn a_launch_keeps_order_with_the_legacy_stream() {
    sweep(|_| {
        let (s, p, q) = (blocking_stream(), malloc(64), malloc(64));
        let exec = instantiate(capture(s, || ok!(cudaMemcpyAsync(q, p, 64, D2D, s))));
        ok!(cudaMemsetAsync(p, 3, 64, null_mut()));
        ok!(cudaGraphLaunch(exec, s));
        ok!(cudaMemcpyAsync(p, q, 64, D2D, null_mut()));
        ok!(cudaMemsetAsync(q, 0, 64, null_mut()));
        assert_eq!(read(p, 64), [3; 64]);
    });
}

#[test]
fn launches_of_one_executable_are_ordered_on_any_streams() {
    sweep(|_| {
        let (s, t, p, q) = (stream(), stream(), malloc(64), malloc(64));
        // Each launch must see what the one before left.
        let exec = instantiate(capture(s, || {
            ok!(cudaMemcpyAsync(q, p, 64, D2D, s));
            ok!(cudaMemsetAsync(p, 2, 64, s));
        }));
        ok!(cudaMemsetAsync(p, 1, 64, s));
        ok!(cudaGraphLaunch(exec, s));
        ok!(cudaGraphLaunch(exec, t));
        ok!(cudaStreamSynchronize(t));
        let mut back = [0u8; 64];
        ok!(cudaMemcpyAsync(back.as_mut_ptr().cast(), q, 64, D2H, t));
        ok!(cudaStreamSynchronize(t));
        assert_eq!(back, [2; 64]);
    });
}

#[test]
fn a_fork_is_unordered_and_a_join_is_not() {
    let (first, runs) = (Cell::new(0), Cell::new(0));
    sweep(|_| {
        let (s, t) = (stream(), stream());
        let (p, q, r) = (malloc(64), malloc(64), malloc(64));
        let graph = capture(s, || {
            ok!(cudaMemsetAsync(p, 1, 64, s));
            behind(s, t);
            // These two race for q on purpose.
            ok!(cudaMemsetAsync(q, 1, 64, s));
            ok!(cudaMemsetAsync(q, 2, 64, t));
            behind(t, s);
            ok!(cudaMemcpyAsync(r, q, 64, D2D, s));
        });
        assert_eq!(status(t), NONE);
        assert_eq!(edges(graph), [(0, 1), (0, 2), (1, 3), (2, 3)]);
        ok!(cudaGraphLaunch(instantiate(graph), s));
        ok!(cudaStreamSynchronize(s));
        let (q, r) = (read(q, 64), read(r, 64));
        assert_eq!(q, r, "the join comes after both");
        assert!(q == [1; 64] || q == [2; 64]);
        first.set(first.get() + u32::from(q[0] == 1));
        runs.set(runs.get() + 1);
    });
    let (first, runs) = (first.get(), runs.get());
    assert!((1..runs).contains(&first), "{first} of {runs}");
}

#[test]
fn nodes_mix_with_other_streams() {
    let mut between = 0;
    for seed in 0..32 {
        let _session = Session::builder().policy(Policy::Random).seed(seed).start();
        let (s, t, p, q) = (stream(), stream(), malloc(64), malloc(64));
        let exec = instantiate(capture(s, || {
            ok!(cudaMemsetAsync(p, 1, 64, s));
            ok!(cudaMemsetAsync(p, 2, 64, s));
        }));
        ok!(cudaMemsetAsync(p, 0, 64, s));
        ok!(cudaStreamSynchronize(s));
        ok!(cudaGraphLaunch(exec, s));
        ok!(cudaMemcpyAsync(q, p, 64, D2D, t));
        between += usize::from(read(q, 64) == [1; 64]);
    }
    assert!((1..32).contains(&between), "{between} of 32");
}

#[test]
fn memory_freed_before_a_replay_is_found() {
    for policy in POLICIES {
        let session = start(policy);
        let (s, p) = (stream(), malloc(64));
        let exec = instantiate(capture(s, || ok!(cudaMemsetAsync(p, 1, 64, s))));
        ok!(cudaGraphLaunch(exec, s));
        ok!(cudaStreamSynchronize(s));
        assert_eq!(session.reports(), []);
        ok!(cudaFree(p));
        cuda!(cudaGraphLaunch(exec, s));
        assert_eq!(cuda!(cudaStreamSynchronize(s)), E::cudaErrorIllegalAddress);
        let reports = session.take_reports();
        assert_eq!(kinds(&reports), [ReportKind::UseAfterFree]);
        assert_eq!(reports[0].function, "cudaMemsetAsync");
        assert!(
            reports[0]
                .stream
                .as_ref()
                .unwrap()
                .starts_with("a graph in stream")
        );
        assert_eq!(cuda!(cudaGraphLaunch(exec, s)), E::cudaErrorIllegalAddress);
    }
    // Pinned memory is known too; ordinary memory nobody knows.
    let session = start(Policy::Lazy);
    let (s, p, host) = (stream(), malloc(64), pinned(64));
    let at = host.as_mut_ptr().cast();
    let exec = instantiate(capture(s, || ok!(cudaMemcpyAsync(at, p, 64, D2H, s))));
    ok!(cudaFreeHost(at));
    ok!(cudaGraphLaunch(exec, s));
    assert_eq!(cuda!(cudaStreamSynchronize(s)), E::cudaErrorIllegalAddress);
    assert_eq!(kinds(&session.take_reports()), [ReportKind::UseAfterFree]);
}

#[test]
fn an_executable_destroyed_in_flight_goes_on_and_is_reported() {
    for policy in LATE {
        let session = start(policy);
        let (s, p) = (stream(), malloc(64));
        let exec = instantiate(capture(s, || ok!(cudaMemsetAsync(p, 7, 64, s))));
        ok!(cudaGraphLaunch(exec, s));
        ok!(cudaGraphExecDestroy(exec));
        assert_eq!(read(p, 64), [7; 64]);
        assert_eq!(kinds(&session.take_reports()), [ReportKind::GraphInUse]);
        assert_eq!(cuda!(cudaGraphLaunch(exec, s)), E::cudaErrorInvalidValue);
        assert_eq!(kinds(&session.take_reports()), [ReportKind::InvalidHandle]);
    }
}

#[test]
fn events_recorded_and_awaited_by_nodes() {
    sweep(|_| {
        let (s, t, e, f) = (stream(), stream(), event(), event());
        let (p, q) = (malloc(64), malloc(64));
        let graph = capture(s, || {
            ok!(cudaStreamWaitEvent(s, e, cudaEventWaitExternal));
            ok!(cudaMemcpyAsync(q, p, 64, D2D, s));
            ok!(cudaEventRecordWithFlags(f, s, cudaEventRecordExternal));
            assert_eq!(status(s), ACTIVE);
        });
        let kinds: Vec<_> = nodes(graph).into_iter().map(kind).collect();
        assert_eq!(
            kinds,
            [
                cudaGraphNodeType::cudaGraphNodeTypeWaitEvent,
                cudaGraphNodeType::cudaGraphNodeTypeMemcpy,
                cudaGraphNodeType::cudaGraphNodeTypeEventRecord,
            ]
        );
        ok!(cudaEventQuery(f));
        let exec = instantiate(graph);
        for round in 1..4 {
            ok!(cudaMemsetAsync(p, round, 64, t));
            ok!(cudaEventRecord(e, t));
            ok!(cudaGraphLaunch(exec, s));
            // The event now stands for this launch.
            ok!(cudaStreamWaitEvent(t, f, 0));
            ok!(cudaMemcpyAsync(p, q, 64, D2D, t));
            ok!(cudaStreamSynchronize(t));
            assert_eq!(read(p, 64), [round as u8; 64]);
        }
    });
}

#[test]
fn an_empty_graph() {
    sweep(|session| {
        let s = stream();
        let graph = capture(s, || ());
        assert_eq!(nodes(graph).len(), 0);
        let exec = instantiate(graph);
        ok!(cudaGraphLaunch(exec, s));
        ok!(cudaStreamSynchronize(s));
        assert_eq!(session.pending(), 0);
        let mut flags = 9;
        ok!(cudaGraphExecGetFlags(exec, &mut flags));
        assert_eq!(flags, 0);
        let mut other = null_mut();
        let value = E::cudaErrorInvalidValue;
        assert_eq!(
            cuda!(cudaGraphInstantiate(&mut other, graph, 0x1000)),
            value
        );
        assert_eq!(
            cuda!(cudaGraphInstantiate(&mut other, graph, 4)),
            E::cudaErrorNotSupported
        );
        assert_eq!(cuda!(cudaGraphInstantiate(null_mut(), graph, 0)), value);
        assert_eq!(
            cuda!(cudaGraphInstantiate(&mut other, null_mut(), 0)),
            value
        );
        assert_eq!(cuda!(cudaGraphLaunch(null_mut(), s)), value);
        assert_eq!(cuda!(cudaGraphDestroy(null_mut())), value);
        assert_eq!(cuda!(cudaGraphExecDestroy(null_mut())), value);
        assert_eq!(cuda!(cudaGraphUpload(null_mut(), s)), value);
        assert_eq!(
            cuda!(cudaGraphGetNodes(graph, null_mut(), null_mut())),
            value
        );
        ok!(cudaGraphInstantiateWithFlags(&mut other, graph, 8));
    });
}

#[test]
fn faults_and_counts() {
    let session = start(Policy::Random);
    let (s, p) = (stream(), malloc(64));
    let code = E::cudaErrorMemoryAllocation;
    let mut graph = null_mut();
    session.fault(Fault::nth("cudaStreamBeginCapture", 1, code));
    assert_eq!(cuda!(cudaStreamBeginCapture(s, LOCAL)), code);
    assert_eq!(status(s), NONE);
    ok!(cudaStreamBeginCapture(s, LOCAL));
    session.fault(Fault::nth("cudaMemsetAsync", 1, code));
    assert_eq!(cuda!(cudaMemsetAsync(p, 1, 64, s)), code);
    ok!(cudaMemsetAsync(p, 2, 64, s));
    session.fault(Fault::nth("cudaStreamEndCapture", 1, code));
    assert_eq!(cuda!(cudaStreamEndCapture(s, &mut graph)), code);
    assert_eq!(status(s), ACTIVE, "without effect");
    ok!(cudaStreamEndCapture(s, &mut graph));
    assert_eq!(nodes(graph).len(), 1);
    let mut exec = null_mut();
    session.fault(Fault::nth("cudaGraphInstantiate", 1, code));
    assert_eq!(cuda!(cudaGraphInstantiate(&mut exec, graph, 0)), code);
    let exec = instantiate(graph);
    session.fault(Fault::nth("cudaGraphLaunch", 1, code).enqueued());
    assert_eq!(cuda!(cudaGraphLaunch(exec, s)), code);
    assert_eq!(read(p, 64), [2; 64]);
    assert_eq!(session.calls("cudaGraphLaunch"), 1);
    assert_eq!(session.calls("cudaGraphInstantiate"), 2);
    // What a reset leaves of it is nothing.
    ok!(cudaStreamBeginCapture(s, LOCAL));
    assert_eq!(session.live().graphs, 3);
    ok!(cudaDeviceReset());
    assert_eq!(session.live(), Live::default());
    assert_eq!(session.reports(), []);
}
