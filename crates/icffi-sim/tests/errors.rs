//! The error state, and faults.

mod common;
use common::*;
use std::ffi::CStr;

#[test]
fn the_last_error_stays_until_it_is_taken() {
    sweep(|_| {
        let mut p = null_mut();
        let oom = E::cudaErrorMemoryAllocation;
        assert_eq!(cuda!(cudaMalloc(&mut p, usize::MAX)), oom);
        ok!(cudaFree(malloc(16)));
        assert_eq!(cuda!(cudaPeekAtLastError()), oom);
        // It is the thread's own.
        std::thread::scope(|s| {
            s.spawn(|| assert_eq!(cuda!(cudaPeekAtLastError()), E::cudaSuccess));
        });
        assert_eq!(cuda!(cudaGetLastError()), oom);
        assert_eq!(cuda!(cudaGetLastError()), E::cudaSuccess);
        // A later error takes the place of an earlier one.
        assert_eq!(cuda!(cudaMalloc(&mut p, usize::MAX)), oom);
        assert_eq!(cuda!(cudaSetDevice(99)), E::cudaErrorInvalidDevice);
        assert_eq!(cuda!(cudaGetLastError()), E::cudaErrorInvalidDevice);
    });
}

#[test]
fn not_ready_is_a_last_error_too() {
    let _session = start(Policy::Lazy);
    let (s, p) = (stream(), malloc(64));
    ok!(cudaMemsetAsync(p, 0, 64, s));
    assert_eq!(cuda!(cudaStreamQuery(s)), E::cudaErrorNotReady);
    assert_eq!(cuda!(cudaGetLastError()), E::cudaErrorNotReady);
}

#[test]
fn every_code_has_a_name_and_a_text() {
    let text = |p| {
        // SAFETY: both functions return static C strings.
        unsafe { CStr::from_ptr(p) }.to_str().unwrap()
    };
    let bindings = include_str!("../../icffi-sys/src/bindings/cuda13.rs");
    let mut seen = 0;
    for line in bindings.lines() {
        let Some((name, code)) = line
            .trim()
            .strip_prefix("pub const ")
            .and_then(|rest| rest.split_once(": cudaError = cudaError("))
        else {
            continue;
        };
        let code = E(code.trim_end_matches(");").parse().unwrap());
        assert_eq!(text(cuda!(cudaGetErrorName(code))), name);
        let words = text(cuda!(cudaGetErrorString(code)));
        assert!(
            !words.is_empty() && words != "unrecognized error code",
            "{name}"
        );
        seen += 1;
    }
    assert!(seen > 120, "{seen}");
    assert_eq!(
        text(cuda!(cudaGetErrorName(E(12345)))),
        "unrecognized error code"
    );
    assert_eq!(
        text(cuda!(cudaGetErrorString(E(12345)))),
        "unrecognized error code"
    );
}

#[test]
fn a_fault_hits_the_call_that_was_named_and_has_no_effect() {
    sweep(|session| {
        let unknown = E::cudaErrorUnknown;
        session.fault(Fault::nth("cudaMalloc", 2, unknown).times(2));
        let a = malloc(16);
        let mut b = null_mut();
        assert_eq!(cuda!(cudaMalloc(&mut b, 16)), unknown);
        assert_eq!(cuda!(cudaMalloc(&mut b, 16)), unknown);
        assert_eq!(session.live().device_allocations, 1);
        assert_eq!(cuda!(cudaGetLastError()), unknown);
        let c = malloc(16);
        assert_eq!(session.calls("cudaMalloc"), 4);
        session.fault(Fault::nth("cudaFree", 1, unknown));
        assert_eq!(cuda!(cudaFree(a)), unknown);
        assert_eq!(session.live().device_allocations, 2);
        ok!(cudaFree(a));
        session.fault(Fault::nth("cudaFree", 1, unknown));
        session.clear_faults();
        ok!(cudaFree(c));
        assert_eq!(session.live(), Live::default());
        assert_eq!(
            session.total_calls(),
            session.calls("cudaMalloc")
                + session.calls("cudaFree")
                + session.calls("cudaGetLastError")
        );
    });
}

#[test]
fn a_fault_may_hide_work_that_was_enqueued() {
    for policy in LATE {
        let session = start(policy);
        let (p, s) = (malloc(64), stream());
        session.fault(Fault::nth("cudaMemsetAsync", 1, E::cudaErrorUnknown).enqueued());
        assert_eq!(cuda!(cudaMemsetAsync(p, 5, 64, s)), E::cudaErrorUnknown);
        assert_eq!(session.pending(), 1);
        assert_eq!(read(p, 64), [5; 64]);
    }
}

#[test]
fn a_sticky_fault_ends_the_context() {
    let session = Session::builder().policy(Policy::Lazy).devices(2).start();
    let (p, s) = (malloc(64), stream());
    ok!(cudaMemsetAsync(p, 5, 64, s));
    let failure = E::cudaErrorLaunchFailure;
    session.fault(Fault::nth("cudaStreamSynchronize", 1, failure).sticky());
    assert_eq!(cuda!(cudaStreamSynchronize(s)), failure);
    session.clear_faults();
    for _ in 0..3 {
        assert_eq!(cuda!(cudaStreamSynchronize(s)), failure);
        assert_eq!(cuda!(cudaFree(p)), failure);
        assert_eq!(cuda!(cudaGetLastError()), failure);
        assert_eq!(cuda!(cudaPeekAtLastError()), failure);
    }
    let mut device = 0;
    ok!(cudaGetDevice(&mut device));
    ok!(cudaSetDevice(1));
    ok!(cudaFree(malloc(16)));
    ok!(cudaSetDevice(0));
    ok!(cudaDeviceReset());
    cuda!(cudaGetLastError());
    ok!(cudaFree(malloc(16)));
}

#[test]
fn every_call_can_be_made_to_fail() {
    // A scenario counted once, then run with each of its calls failing.
    let scenario = || {
        let mut codes = Vec::new();
        let (mut p, mut s, mut e) = (null_mut(), null_mut(), null_mut());
        let data = [1u8; 64];
        codes.push(cuda!(cudaStreamCreate(&mut s)));
        codes.push(cuda!(cudaEventCreate(&mut e)));
        codes.push(cuda!(cudaMallocAsync(&mut p, 64, s)));
        codes.push(cuda!(cudaMemcpyAsync(p, data.as_ptr().cast(), 64, H2D, s)));
        codes.push(cuda!(cudaEventRecord(e, s)));
        codes.push(cuda!(cudaFreeAsync(p, s)));
        codes.push(cuda!(cudaStreamSynchronize(s)));
        codes.push(cuda!(cudaEventDestroy(e)));
        codes.push(cuda!(cudaStreamDestroy(s)));
        codes
    };
    let session = start(Policy::Random);
    assert_eq!(scenario(), [E::cudaSuccess; 9]);
    let calls = session.total_calls();
    drop(session);
    for nth in 1..=calls {
        let session = start(Policy::Random);
        session.fault(Fault::nth("*", nth, E::cudaErrorUnknown));
        assert_eq!(scenario()[nth as usize - 1], E::cudaErrorUnknown);
    }
}

#[test]
fn a_sticky_fault_of_reading_the_last_error_stays() {
    let session = start(Policy::Eager);
    let lost = E::cudaErrorLaunchFailure;
    session.fault(Fault::nth("cudaGetLastError", 1, lost).sticky());
    assert_eq!(cuda!(cudaGetLastError()), lost);
    assert_eq!(cuda!(cudaDeviceSynchronize()), lost);
}
