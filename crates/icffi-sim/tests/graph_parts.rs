//! What graphs say about themselves, and how executables take over others' parameters. Results of
//! updates are those of an H200 with CUDA 13.0.

mod common;
use common::capture::*;
use common::*;
use cudaGraphExecUpdateResult as Result;
use std::ffi::CString;
use std::sync::atomic::{AtomicU32, Ordering};

/// What a stream says about its capture.
struct Info {
    status: cudaStreamCaptureStatus,
    id: u64,
    graph: cudaGraph_t,
    deps: Vec<cudaGraphNode_t>,
}

fn info(s: cudaStream_t) -> Info {
    let (mut status, mut id, mut graph, mut count) = (ACTIVE, 99, 7 as cudaGraph_t, 0);
    let (mut list, mut data) = (null(), null());
    ok!(cudaStreamGetCaptureInfo(
        s,
        &mut status,
        &mut id,
        &mut graph,
        &mut list,
        &mut data,
        &mut count
    ));
    let mut deps = Vec::new();
    for i in 0..count {
        // SAFETY: `count` nodes and as many edges, until the next call.
        let (node, edge) = unsafe { (*list.add(i), *data.add(i)) };
        assert_eq!((edge.type_, edge.from_port, edge.to_port), (0, 0, 0));
        deps.push(node);
    }
    Info {
        status,
        id,
        graph,
        deps,
    }
}

#[test]
fn a_capture_in_progress_tells_its_state() {
    let _session = start(Policy::Random);
    let (s, t, p) = (stream(), stream(), malloc(64));
    let none = info(s);
    assert_eq!((none.status, none.id, none.graph as usize), (NONE, 99, 7));
    ok!(cudaStreamBeginCapture(s, GLOBAL));
    ok!(cudaMemsetAsync(p, 0, 64, s));
    behind(s, t);
    ok!(cudaMemsetAsync(p, 0, 64, t));
    ok!(cudaMemsetAsync(p, 0, 64, s));
    behind(t, s);
    let first = info(s);
    let all = nodes(first.graph);
    assert_eq!((first.status, first.deps), (ACTIVE, vec![all[2], all[1]]));
    assert_eq!(
        cuda!(cudaGraphDestroy(first.graph)),
        E::cudaErrorIllegalState
    );
    let fork = info(t);
    assert_eq!(
        (fork.id, fork.graph, fork.deps),
        (first.id, first.graph, vec![all[1]])
    );
    let mut end = null_mut();
    ok!(cudaStreamEndCapture(s, &mut end));
    assert_eq!(end, first.graph);
    ok!(cudaStreamBeginCapture(s, GLOBAL));
    assert_ne!(info(s).id, first.id);
    let no = null_mut();
    let code = cuda!(cudaStreamGetCaptureInfo(
        s,
        null_mut(),
        null_mut(),
        null_mut(),
        null_mut(),
        null_mut(),
        no
    ));
    assert_eq!(code, E::cudaErrorInvalidValue);
}

#[test]
fn nodes_and_edges_are_listed() {
    let session = start(Policy::Random);
    let (s, t, p) = (stream(), stream(), malloc(64));
    let n = AtomicU32::new(0);
    let graph = capture(s, || {
        behind(s, t);
        ok!(cudaMemsetAsync(p, 0, 64, s));
        ok!(cudaMemcpyAsync(p, p, 32, D2D, t));
        behind(t, s);
        ok!(cudaLaunchHostFunc(s, Some(count), data(&n)));
    });
    let all = nodes(graph);
    let types: Vec<_> = all.iter().map(|n| kind(*n)).collect();
    assert_eq!(
        types,
        [
            cudaGraphNodeType::cudaGraphNodeTypeMemset,
            cudaGraphNodeType::cudaGraphNodeTypeMemcpy,
            cudaGraphNodeType::cudaGraphNodeTypeHost,
        ]
    );
    assert_eq!(edges(graph), [(0, 2), (1, 2)]);
    // More room than nodes, and less.
    let (mut few, mut count) = ([null_mut(); 4], 4);
    ok!(cudaGraphGetRootNodes(graph, few.as_mut_ptr(), &mut count));
    assert_eq!((few, count), ([all[0], all[1], null_mut(), null_mut()], 2));
    count = 1;
    ok!(cudaGraphNodeGetDependencies(
        all[2],
        few.as_mut_ptr(),
        null_mut(),
        &mut count
    ));
    assert_eq!((few[0], count), (all[0], 1));
    count = 4;
    ok!(cudaGraphNodeGetDependentNodes(
        all[0],
        few.as_mut_ptr(),
        null_mut(),
        &mut count
    ));
    assert_eq!((few[0], count), (all[2], 1));
    ok!(cudaGraphDestroy(graph));
    let mut kind = cudaGraphNodeType::cudaGraphNodeTypeEmpty;
    let code = cuda!(cudaGraphNodeGetType(all[0], &mut kind));
    assert_eq!(code, E::cudaErrorInvalidValue);
    assert_eq!(kinds(&session.take_reports()), [ReportKind::InvalidHandle]);
}

#[test]
fn a_drawing() {
    let _session = start(Policy::Random);
    let (s, t, p) = (stream(), stream(), malloc(64));
    let graph = capture(s, || {
        behind(s, t);
        ok!(cudaMemsetAsync(p, 5, 64, s));
        ok!(cudaMemcpyAsync(p, p, 32, D2D, t));
        behind(t, s);
    });
    let path = std::env::temp_dir().join(format!("icffi-sim-{}.dot", std::process::id()));
    let name = CString::new(path.to_str().unwrap()).unwrap();
    for (flags, more) in [(0, false), (1, true)] {
        ok!(cudaGraphDebugDotPrint(graph, name.as_ptr(), flags));
        let text = std::fs::read_to_string(&path).unwrap();
        assert!(
            text.starts_with("digraph dot {") && text.ends_with("}\n"),
            "{text}"
        );
        assert!(text.contains("MEMSET") && text.contains("MEMCPY"), "{text}");
        assert_eq!(text.matches('{').count(), text.matches('}').count());
        assert_eq!(text.contains("value 5"), more, "{text}");
    }
    std::fs::remove_file(&path).unwrap();
    let joined = capture(s, || {
        ok!(cudaMemsetAsync(p, 5, 64, s));
        ok!(cudaMemsetAsync(p, 5, 64, s));
    });
    ok!(cudaGraphDebugDotPrint(joined, name.as_ptr(), 0));
    let text = std::fs::read_to_string(&path).unwrap();
    assert_eq!(text.matches("->").count(), 1, "{text}");
    std::fs::remove_file(&path).unwrap();
    let code = cuda!(cudaGraphDebugDotPrint(
        graph,
        c"/nonexistent/x.dot".as_ptr(),
        0
    ));
    assert_eq!(code, E::cudaErrorOperatingSystem);
    assert_eq!(
        cuda!(cudaGraphDebugDotPrint(graph, null(), 0)),
        E::cudaErrorInvalidValue
    );
}

/// Graphs that differ in one thing each.
fn variant(s: cudaStream_t, which: u32) -> cudaGraph_t {
    let (p, q, host) = (malloc(1024), malloc(1024), pinned(1024));
    let h: *mut c_void = host.as_mut_ptr().cast();
    capture(s, || {
        match which {
            5 => ok!(cudaMemsetAsync(q, 1, 64, s)),
            6 => ok!(cudaMemsetAsync(h, 1, 64, s)),
            8 => ok!(cudaMemset2DAsync(p, 128, 1, 64, 2, s)),
            9 => ok!(cudaMemsetAsync(p, 1, 128, s)),
            10 => ok!(cudaMemset2DAsync(p, 256, 1, 64, 2, s)),
            _ => ok!(cudaMemsetAsync(p, 1, 64, s)),
        }
        match which {
            1 => {
                ok!(cudaMemsetAsync(p, 1, 64, s));
                ok!(cudaMemsetAsync(p, 1, 64, s));
            }
            2 => ok!(cudaMemcpyAsync(h, p, 64, D2H, s)),
            3 => ok!(cudaMemcpyAsync(p, h, 64, H2D, s)),
            4 => ok!(cudaMemcpyAsync(q, p, 64, D2D, s)),
            11 => ok!(cudaMemcpyAsync(h, p, 128, D2H, s)),
            12 => ok!(cudaMemcpy2DAsync(h, 128, p, 128, 64, 2, D2H, s)),
            _ => ok!(cudaMemsetAsync(p, 1, 64, s)),
        }
    })
}

#[test]
fn updates_succeed_or_say_why_not() {
    let _session = start(Policy::Random);
    let s = stream();
    let good = Result::cudaGraphExecUpdateSuccess;
    let topology = Result::cudaGraphExecUpdateErrorTopologyChanged;
    let kind = Result::cudaGraphExecUpdateErrorNodeTypeChanged;
    let parameters = Result::cudaGraphExecUpdateErrorParametersChanged;
    for (from, to, result) in [
        (0, 0, good),
        (0, 1, topology),
        (0, 2, kind),
        (2, 2, good),
        (2, 3, parameters),
        (2, 4, parameters),
        (3, 4, parameters),
        (0, 5, good),
        (0, 6, good),
        (0, 8, parameters),
        (0, 9, good),
        (8, 8, good),
        (8, 10, parameters),
        (2, 11, good),
        (2, 12, parameters),
    ] {
        let exec = instantiate(variant(s, from));
        let graph = variant(s, to);
        // SAFETY: plain data.
        let mut info: cudaGraphExecUpdateResultInfo = unsafe { std::mem::zeroed() };
        let code = cuda!(cudaGraphExecUpdate(exec, graph, &mut info));
        assert_eq!(info.result, result, "{from} to {to}");
        let failed = E::cudaErrorGraphExecUpdateFailure;
        assert_eq!(
            code,
            if result == good {
                E::cudaSuccess
            } else {
                failed
            }
        );
        let named = result == kind || result == parameters;
        assert_eq!(!info.errorNode.is_null(), named, "{from} to {to}");
        if named {
            assert!(nodes(graph).contains(&info.errorNode));
        }
        ok!(cudaGraphLaunch(exec, s));
    }
    let exec = instantiate(variant(s, 0));
    ok!(cudaGraphExecUpdate(exec, variant(s, 0), null_mut()));
    let code = cuda!(cudaGraphExecUpdate(exec, null_mut(), null_mut()));
    assert_eq!(code, E::cudaErrorInvalidValue);
    ok!(cudaStreamSynchronize(s));
}

#[test]
fn an_update_counts_from_the_next_launch_on() {
    sweep(|_| {
        let (s, p, q) = (stream(), malloc(64), malloc(64));
        let (m, n) = (AtomicU32::new(0), AtomicU32::new(0));
        let make = |p, value, n: &AtomicU32| {
            capture(s, || {
                ok!(cudaMemsetAsync(p, value, 64, s));
                ok!(cudaLaunchHostFunc(s, Some(count), data(n)));
            })
        };
        let exec = instantiate(make(p, 1, &m));
        let other = make(q, 2, &n);
        ok!(cudaGraphLaunch(exec, s));
        ok!(cudaGraphExecUpdate(exec, other, null_mut()));
        ok!(cudaGraphDestroy(other));
        ok!(cudaGraphLaunch(exec, s));
        ok!(cudaGraphLaunch(exec, s));
        ok!(cudaStreamSynchronize(s));
        assert_eq!((read(p, 64), read(q, 64)), (vec![1; 64], vec![2; 64]));
        let counts = (m.load(Ordering::SeqCst), n.load(Ordering::SeqCst));
        assert_eq!(counts, (1, 2));
    });
}
