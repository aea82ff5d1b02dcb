//! Memory that graphs allocate and free. Codes are those of an H200 with CUDA 13.0.

mod common;
use common::capture::*;
use common::*;

const VALUE: E = E::cudaErrorInvalidValue;
const MIB: usize = 1 << 20;

/// A graph that allocates memory, fills it with 7 and, if asked, frees it.
fn allocating(s: cudaStream_t, host: &mut [u8], frees: bool) -> (cudaGraph_t, *mut c_void) {
    let mut p = null_mut();
    let graph = capture(s, || {
        p = malloc_async(MIB, s);
        ok!(cudaMemsetAsync(p, 7, MIB, s));
        ok!(cudaMemcpyAsync(host.as_mut_ptr().cast(), p, 64, D2H, s));
        if frees {
            ok!(cudaFreeAsync(p, s));
            assert_eq!(cuda!(cudaFreeAsync(p, s)), VALUE, "only once");
            assert_eq!(status(s), ACTIVE);
        }
    });
    (graph, p)
}

#[test]
fn memory_lives_within_a_launch() {
    sweep(|session| {
        let (s, host) = (stream(), pinned(64));
        let before = session.live();
        let (graph, p) = allocating(s, host, true);
        let kinds: Vec<_> = nodes(graph).into_iter().map(kind).collect();
        assert_eq!(kinds[0], cudaGraphNodeType::cudaGraphNodeTypeMemAlloc);
        assert_eq!(kinds[3], cudaGraphNodeType::cudaGraphNodeTypeMemFree);
        let mut found = cudaPointerAttributes::default();
        ok!(cudaPointerGetAttributes(&mut found, p));
        assert_eq!(found.type_, cudaMemoryType::cudaMemoryTypeUnregistered);
        let exec = instantiate(graph);
        let mut other = null_mut();
        let code = cuda!(cudaGraphInstantiate(&mut other, graph, 0));
        assert_eq!(code, E::cudaErrorNotSupported, "one executable at a time");
        assert_eq!(session.live().device_bytes, before.device_bytes);
        for _ in 0..3 {
            host.fill(0);
            ok!(cudaGraphLaunch(exec, s));
            ok!(cudaGraphLaunch(exec, s));
            ok!(cudaStreamSynchronize(s));
            assert_eq!(*host, [7; 64]);
        }
        assert_eq!(session.live().device_bytes, before.device_bytes);
        ok!(cudaGraphExecUpdate(exec, graph, null_mut()));
        ok!(cudaGraphExecDestroy(exec));
        ok!(cudaGraphExecDestroy(instantiate(graph)));
        ok!(cudaGraphDestroy(graph));
        assert_eq!(session.live(), before);
    });
}

#[test]
fn outside_a_launch_it_is_nobodys() {
    for policy in POLICIES {
        let session = start(policy);
        let (s, host) = (stream(), pinned(64));
        let (graph, p) = allocating(s, host, true);
        assert_eq!(cuda!(cudaMemsetAsync(p, 1, 64, s)), VALUE);
        assert_eq!(
            kinds(&session.take_reports()),
            [ReportKind::UseBeforeAllocation]
        );
        let exec = instantiate(graph);
        ok!(cudaGraphLaunch(exec, s));
        ok!(cudaStreamSynchronize(s));
        assert_eq!(cuda!(cudaMemsetAsync(p, 1, 64, s)), VALUE);
        assert_eq!(kinds(&session.take_reports()), [ReportKind::UseAfterFree]);
        assert_eq!(cuda!(cudaFree(p)), VALUE);
        assert_eq!(cuda!(cudaFreeAsync(p, s)), VALUE);
        session.take_reports();
        // A graph that uses it after its free dies of that.
        let bad = capture(s, || {
            let p = malloc_async(64, s);
            ok!(cudaFreeAsync(p, s));
            ok!(cudaMemsetAsync(p, 1, 64, s));
        });
        ok!(cudaGraphLaunch(instantiate(bad), s));
        assert_eq!(cuda!(cudaStreamSynchronize(s)), E::cudaErrorIllegalAddress);
        assert_eq!(kinds(&session.take_reports()), [ReportKind::UseAfterFree]);
    }
}

#[test]
fn memory_that_a_graph_leaves_allocated() {
    sweep(|session| {
        let (s, host) = (stream(), pinned(64));
        let before = session.live();
        let (graph, p) = allocating(s, host, false);
        let exec = instantiate(graph);
        ok!(cudaGraphLaunch(exec, s));
        assert_eq!(cuda!(cudaGraphLaunch(exec, s)), VALUE, "not freed yet");
        // Whoever comes after may use it.
        ok!(cudaMemsetAsync(p, 3, 64, s));
        ok!(cudaMemcpyAsync(host.as_mut_ptr().cast(), p, 64, D2H, s));
        ok!(cudaStreamSynchronize(s));
        assert_eq!(*host, [3; 64]);
        assert_eq!(
            session.live().device_bytes,
            before.device_bytes + MIB as u64
        );
        ok!(cudaFreeAsync(p, s));
        ok!(cudaGraphLaunch(exec, s));
        ok!(cudaFree(p));
        ok!(cudaGraphLaunch(exec, s));
        // Another graph can free it.
        let freeing = capture(s, || ok!(cudaFreeAsync(p, s)));
        let free = instantiate(freeing);
        ok!(cudaGraphLaunch(free, s));
        assert_eq!(cuda!(cudaGraphLaunch(free, s)), VALUE, "freed already");
        ok!(cudaGraphLaunch(exec, s));
        ok!(cudaGraphLaunch(free, s));
        ok!(cudaGraphLaunch(exec, s));
        // It outlives its graph.
        ok!(cudaStreamSynchronize(s));
        for exec in [exec, free] {
            ok!(cudaGraphExecDestroy(exec));
        }
        for graph in [graph, freeing] {
            ok!(cudaGraphDestroy(graph));
        }
        ok!(cudaMemsetAsync(p, 4, 64, s));
        ok!(cudaFreeAsync(p, s));
        ok!(cudaStreamSynchronize(s));
        assert_eq!(session.live(), before);
    });
}

#[test]
fn a_launch_can_free_what_the_last_one_left() {
    sweep(|_| {
        let (s, host) = (stream(), pinned(64));
        let (graph, p) = allocating(s, host, false);
        let mut exec = null_mut();
        ok!(cudaGraphInstantiate(&mut exec, graph, 1));
        for _ in 0..3 {
            ok!(cudaGraphLaunch(exec, s));
            ok!(cudaMemsetAsync(p, 1, MIB, s));
        }
        ok!(cudaStreamSynchronize(s));
        let mut flags = 0;
        ok!(cudaGraphExecGetFlags(exec, &mut flags));
        assert_eq!(flags, 1);
        ok!(cudaFree(p));
    });
}

#[test]
fn memory_of_others_cannot_be_freed_by_a_graph() {
    let session = start(Policy::Random);
    let (s, p) = (stream(), malloc(64));
    let q = malloc_async(64, s);
    ok!(cudaStreamSynchronize(s));
    let graph = capture(s, || {
        for p in [p, q] {
            assert_eq!(cuda!(cudaFreeAsync(p, s)), VALUE);
        }
        ok!(cudaFreeAsync(null_mut(), s));
        let mut none = null_mut();
        ok!(cudaMallocAsync(&mut none, 0, s));
        assert!(none.is_null());
        let huge = 1 << 50;
        let code = cuda!(cudaMallocAsync(&mut none, huge, s));
        assert_eq!(code, E::cudaErrorMemoryAllocation);
        assert_eq!(status(s), ACTIVE);
    });
    assert_eq!(nodes(graph).len(), 0);
    ok!(cudaFree(p));
    ok!(cudaFreeAsync(q, s));
    assert_eq!(session.reports(), []);
}

#[test]
fn what_graphs_keep_is_taken_from_the_device() {
    let session = Session::builder().memory(3 << 20).start();
    let (s, t) = (stream(), stream());
    let two = |s| {
        capture(s, || {
            let p = malloc_async(2 * MIB, s);
            ok!(cudaFreeAsync(p, s));
        })
    };
    let (a, b) = (two(s), two(t));
    let (x, y) = (instantiate(a), instantiate(b));
    ok!(cudaGraphLaunch(x, s));
    let full = E::cudaErrorMemoryAllocation;
    assert_eq!(cuda!(cudaGraphLaunch(y, t)), full);
    ok!(cudaDeviceSynchronize());
    ok!(cudaGraphExecDestroy(x));
    ok!(cudaGraphDestroy(a));
    ok!(cudaGraphLaunch(y, t));
    ok!(cudaDeviceSynchronize());
    assert_eq!(session.live().device_allocations, 0);
    assert_eq!(session.reports(), []);
}

#[test]
fn an_abandoned_capture_leaves_nothing() {
    sweep(|session| {
        let s = stream();
        let before = session.live();
        ok!(cudaStreamBeginCapture(s, RELAXED));
        let p = malloc_async(64, s);
        ok!(cudaMemsetAsync(p, 1, 64, s));
        assert_eq!(
            cuda!(cudaStreamQuery(s)),
            E::cudaErrorStreamCaptureUnsupported
        );
        assert_eq!(end(s), E::cudaErrorStreamCaptureInvalidated);
        assert_eq!(session.live(), before);
    });
}
