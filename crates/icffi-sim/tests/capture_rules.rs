//! Which calls captures forbid to whom. Codes and their effect on the capture are those of an H200 with CUDA
//! 13.0.

mod common;
use common::capture::*;
use common::*;
use std::thread;

const UNSUPPORTED: E = E::cudaErrorStreamCaptureUnsupported;
const INVALIDATED: E = E::cudaErrorStreamCaptureInvalidated;
const IMPLICIT: E = E::cudaErrorStreamCaptureImplicit;
const VALUE: E = E::cudaErrorInvalidValue;

/// Handles and pointers go to other threads.
#[derive(Clone, Copy)]
struct Things {
    /// A stream apart, with a finished event and one never recorded.
    t: cudaStream_t,
    done: cudaEvent_t,
    never: cudaEvent_t,
    p: *mut c_void,
    host: *mut c_void,
    pool: cudaMemPool_t,
    graph: cudaGraph_t,
    exec: cudaGraphExec_t,
}

// SAFETY: tests use the handles from one thread at a time.
unsafe impl Send for Things {}

fn things() -> Things {
    let (t, done, never) = (stream(), event(), event());
    let (p, host) = (malloc(4096), pinned(4096).as_mut_ptr().cast());
    let graph = capture(t, || ok!(cudaMemsetAsync(p, 1, 64, t)));
    let exec = instantiate(graph);
    let mut pool = null_mut();
    ok!(cudaDeviceGetDefaultMemPool(&mut pool, 0));
    ok!(cudaEventRecord(done, t));
    ok!(cudaDeviceSynchronize());
    Things {
        t,
        done,
        never,
        p,
        host,
        pool,
        graph,
        exec,
    }
}

type Call = fn(Things) -> E;

/// Calls that are no operation of a stream: what they do may be unsafe beside a capture.
const UNSAFE: [(&str, Call); 24] = [
    ("cudaMalloc", |_| cuda!(cudaMalloc(&mut null_mut(), 64))),
    ("cudaMallocPitch", |_| {
        cuda!(cudaMallocPitch(&mut null_mut(), &mut 0, 64, 4))
    }),
    ("cudaFree", |x| cuda!(cudaFree(x.p))),
    ("cudaFree null", |_| cuda!(cudaFree(null_mut()))),
    ("cudaMallocHost", |_| {
        cuda!(cudaMallocHost(&mut null_mut(), 64))
    }),
    ("cudaHostAlloc", |_| {
        cuda!(cudaHostAlloc(&mut null_mut(), 64, 0))
    }),
    ("cudaFreeHost", |x| cuda!(cudaFreeHost(x.host))),
    ("cudaHostRegister", |_| {
        cuda!(cudaHostRegister(
            REGISTERED.as_ptr().cast_mut().cast(),
            64,
            0
        ))
    }),
    ("cudaHostUnregister", |_| {
        match cuda!(cudaHostUnregister(null_mut())) {
            VALUE => E::cudaSuccess,
            code => code,
        }
    }),
    ("cudaMallocAsync", |x| {
        cuda!(cudaMallocAsync(&mut null_mut(), 64, x.t))
    }),
    ("cudaFreeAsync null", |x| {
        cuda!(cudaFreeAsync(null_mut(), x.t))
    }),
    ("cudaEventQuery", |x| cuda!(cudaEventQuery(x.done))),
    ("cudaEventQuery never", |x| cuda!(cudaEventQuery(x.never))),
    ("cudaEventSynchronize", |x| {
        cuda!(cudaEventSynchronize(x.done))
    }),
    ("cudaStreamQuery", |x| cuda!(cudaStreamQuery(x.t))),
    ("cudaStreamSynchronize", |x| {
        cuda!(cudaStreamSynchronize(x.t))
    }),
    ("cudaStreamSynchronize legacy", |_| {
        cuda!(cudaStreamSynchronize(null_mut()))
    }),
    ("cudaDeviceSetLimit", |_| {
        cuda!(cudaDeviceSetLimit(cudaLimit::cudaLimitStackSize, 2048))
    }),
    ("cudaMemPoolTrimTo", |x| cuda!(cudaMemPoolTrimTo(x.pool, 0))),
    ("cudaMemPoolGetAttribute", |x| {
        let mut used = 0u64;
        let attr = cudaMemPoolAttr::cudaMemPoolAttrUsedMemCurrent;
        let place = (&raw mut used).cast();
        cuda!(cudaMemPoolGetAttribute(x.pool, attr, place))
    }),
    ("cudaDeviceSetMemPool", |x| {
        cuda!(cudaDeviceSetMemPool(0, x.pool))
    }),
    ("cudaDeviceSetCacheConfig", |_| {
        cuda!(cudaDeviceSetCacheConfig(
            cudaFuncCache::cudaFuncCachePreferNone
        ))
    }),
    ("cudaGraphInstantiate", |x| {
        cuda!(cudaGraphInstantiate(&mut null_mut(), x.graph, 0))
    }),
    ("cudaGraphExecDestroy", |x| {
        cuda!(cudaGraphExecDestroy(x.exec))
    }),
];

static REGISTERED: [u8; 64] = [0; 64];

/// Calls that no capture forbids.
const SAFE: [(&str, Call); 22] = [
    ("cudaMalloc of nothing", |_| {
        cuda!(cudaMalloc(&mut null_mut(), 0))
    }),
    ("cudaMallocHost of nothing", |_| {
        cuda!(cudaMallocHost(&mut null_mut(), 0))
    }),
    ("cudaMemcpy", |x| cuda!(cudaMemcpy(x.p, x.host, 64, H2D))),
    ("cudaMemcpy of ordinary memory", |x| {
        cuda!(cudaMemcpy(x.p, [0u8; 8].as_ptr().cast(), 8, H2D))
    }),
    ("cudaMemset", |x| cuda!(cudaMemset(x.p, 0, 64))),
    ("cudaMemsetAsync", |x| {
        cuda!(cudaMemsetAsync(x.p, 0, 64, x.t))
    }),
    ("cudaMemsetAsync legacy", |x| {
        cuda!(cudaMemsetAsync(x.p, 0, 64, null_mut()))
    }),
    ("cudaEventCreate", |_| {
        cuda!(cudaEventCreate(&mut null_mut()))
    }),
    ("cudaEventDestroy", |x| cuda!(cudaEventDestroy(x.never))),
    ("cudaEventRecord", |x| cuda!(cudaEventRecord(x.never, x.t))),
    ("cudaEventElapsedTime", |x| {
        cuda!(cudaEventElapsedTime(&mut 0.0, x.done, x.done))
    }),
    ("cudaStreamCreate", |_| {
        cuda!(cudaStreamCreate(&mut null_mut()))
    }),
    ("cudaStreamDestroy", |x| cuda!(cudaStreamDestroy(x.t))),
    ("cudaStreamWaitEvent", |x| {
        cuda!(cudaStreamWaitEvent(x.t, x.done, 0))
    }),
    ("cudaLaunchHostFunc", |x| {
        cuda!(cudaLaunchHostFunc(x.t, Some(nothing), null_mut()))
    }),
    ("cudaMemGetInfo", |_| {
        cuda!(cudaMemGetInfo(null_mut(), null_mut()))
    }),
    ("cudaPointerGetAttributes", |x| {
        cuda!(cudaPointerGetAttributes(
            &mut cudaPointerAttributes::default(),
            x.p
        ))
    }),
    ("cudaSetDevice", |_| cuda!(cudaSetDevice(0))),
    ("cudaGraphLaunch", |x| cuda!(cudaGraphLaunch(x.exec, x.t))),
    ("cudaGraphUpload", |x| cuda!(cudaGraphUpload(x.exec, x.t))),
    ("cudaGraphDestroy", |x| cuda!(cudaGraphDestroy(x.graph))),
    ("cudaGraphExecUpdate", |x| {
        cuda!(cudaGraphExecUpdate(x.exec, x.graph, null_mut()))
    }),
];

extern "C" fn nothing(_: *mut c_void) {}

/// Who calls while a capture of some mode goes on.
#[derive(Debug, Clone, Copy)]
struct Case {
    mode: cudaStreamCaptureMode,
    other_thread: bool,
    /// The mode that the calling thread has taken on.
    own: cudaStreamCaptureMode,
    forbidden: bool,
}

const fn case(
    mode: cudaStreamCaptureMode,
    other: bool,
    own: cudaStreamCaptureMode,
    forbidden: bool,
) -> Case {
    Case {
        mode,
        other_thread: other,
        own,
        forbidden,
    }
}

const CASES: [Case; 9] = [
    case(GLOBAL, false, GLOBAL, true),
    case(LOCAL, false, GLOBAL, true),
    case(RELAXED, false, GLOBAL, false),
    case(GLOBAL, true, GLOBAL, true),
    case(LOCAL, true, GLOBAL, false),
    case(RELAXED, true, GLOBAL, false),
    case(GLOBAL, false, RELAXED, false),
    case(GLOBAL, true, LOCAL, false),
    case(GLOBAL, true, RELAXED, false),
];

fn run(case: Case, call: Call, x: Things) -> E {
    let run = move || {
        let x = x;
        let before = exchange(case.own);
        let code = call(x);
        assert_eq!(exchange(before), case.own);
        code
    };
    if case.other_thread {
        thread::scope(|scope| scope.spawn(run).join().unwrap())
    } else {
        run()
    }
}

#[test]
fn unsafe_calls_are_refused_by_mode_and_thread() {
    for case in CASES {
        for (name, call) in UNSAFE {
            let session = start(Policy::Random);
            let (s, x) = (stream(), things());
            ok!(cudaStreamBeginCapture(s, case.mode));
            ok!(cudaMemsetAsync(x.p, 0, 64, s));
            let code = run(case, call, x);
            let (expected, then, ended) = if case.forbidden {
                (UNSUPPORTED, INVALID, INVALIDATED)
            } else {
                (E::cudaSuccess, ACTIVE, E::cudaSuccess)
            };
            assert_eq!((code, status(s)), (expected, then), "{name} {case:?}");
            assert_eq!(end(s), ended, "{name} {case:?}");
            assert_eq!(status(s), NONE);
            assert_eq!(session.reports(), []);
        }
    }
}

#[test]
fn other_calls_are_not() {
    for case in CASES {
        for (name, call) in SAFE {
            let session = start(Policy::Random);
            let (s, x) = (stream(), things());
            ok!(cudaStreamBeginCapture(s, case.mode));
            assert_eq!(run(case, call, x), E::cudaSuccess, "{name} {case:?}");
            assert_eq!(end(s), E::cudaSuccess, "{name} {case:?}");
            ok!(cudaDeviceSynchronize());
            assert_eq!(session.reports(), [], "{name} {case:?}");
        }
    }
}

type OnStream = fn(Things, cudaStream_t) -> E;

#[test]
fn what_the_captured_stream_and_its_device_never_allow() {
    const NEVER: [(&str, OnStream); 7] = [
        ("cudaStreamQuery", |_, s| cuda!(cudaStreamQuery(s))),
        ("cudaStreamSynchronize", |_, s| {
            cuda!(cudaStreamSynchronize(s))
        }),
        ("cudaDeviceSynchronize", |_, _| {
            cuda!(cudaDeviceSynchronize())
        }),
        ("cudaStreamAddCallback", |_, s| {
            extern "C" fn callback(_: cudaStream_t, _: E, _: *mut c_void) {}
            cuda!(cudaStreamAddCallback(s, Some(callback), null_mut(), 0))
        }),
        ("cudaGraphLaunch", |x, s| cuda!(cudaGraphLaunch(x.exec, s))),
        ("cudaGraphUpload", |x, s| cuda!(cudaGraphUpload(x.exec, s))),
        ("cudaStreamGetDevice", |_, s| {
            cuda!(cudaStreamGetDevice(s, &mut 0))
        }),
    ];
    for case in CASES {
        for (name, call) in NEVER {
            let _session = start(Policy::Random);
            let (s, x) = (stream(), things());
            ok!(cudaStreamBeginCapture(s, case.mode));
            let at = s as usize;
            let run = move || {
                let x = x;
                exchange(case.own);
                let code = call(x, at as cudaStream_t);
                exchange(GLOBAL);
                code
            };
            let code = if case.other_thread {
                thread::scope(|scope| scope.spawn(run).join().unwrap())
            } else {
                run()
            };
            assert_eq!((code, status(s)), (UNSUPPORTED, INVALID), "{name} {case:?}");
            assert_eq!(end(s), INVALIDATED);
            ok!(cudaDeviceSynchronize());
        }
    }
}

#[test]
fn the_legacy_stream_and_a_blocking_capture() {
    const USES: [(&str, Call); 10] = [
        ("cudaMemcpy", |x| cuda!(cudaMemcpy(x.p, x.host, 64, H2D))),
        ("cudaMemset", |x| cuda!(cudaMemset(x.p, 0, 64))),
        ("cudaMemcpyPeer", |x| {
            cuda!(cudaMemcpyPeer(x.p, 0, x.p, 0, 64))
        }),
        ("cudaMemsetAsync", |x| {
            cuda!(cudaMemsetAsync(x.p, 0, 64, null_mut()))
        }),
        ("cudaEventRecord", |x| {
            cuda!(cudaEventRecord(x.never, null_mut()))
        }),
        ("cudaStreamWaitEvent", |x| {
            cuda!(cudaStreamWaitEvent(null_mut(), x.done, 0))
        }),
        ("cudaStreamQuery", |_| cuda!(cudaStreamQuery(null_mut()))),
        ("cudaStreamSynchronize", |_| {
            cuda!(cudaStreamSynchronize(null_mut()))
        }),
        ("cudaStreamGetFlags", |_| {
            cuda!(cudaStreamGetFlags(null_mut(), &mut 0))
        }),
        ("cudaStreamBeginCapture", |_| {
            cuda!(cudaStreamBeginCapture(null_mut(), RELAXED))
        }),
    ];
    for mode in MODES {
        for (name, call) in USES {
            let _session = start(Policy::Random);
            let (s, x) = (blocking_stream(), things());
            ok!(cudaStreamBeginCapture(s, mode));
            let mut out = NONE;
            assert_eq!(cuda!(cudaStreamIsCapturing(null_mut(), &mut out)), IMPLICIT);
            ok!(cudaMemcpy(x.p, x.host, 0, H2D));
            // Another blocking stream has nothing to do with it.
            ok!(cudaMemsetAsync(x.p, 0, 64, blocking_stream()));
            assert_eq!(status(s), ACTIVE);
            assert_eq!((call(x), status(s)), (IMPLICIT, INVALID), "{name}");
            assert_eq!(end(s), INVALIDATED);
            let code = call(x);
            let refused = name == "cudaStreamBeginCapture";
            assert_eq!(
                code,
                if refused { UNSUPPORTED } else { E::cudaSuccess },
                "{name}"
            );
        }
    }
}
