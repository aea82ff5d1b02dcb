//! Sessions: exclusive, fresh, and forgiving.

mod common;
use common::*;

#[test]
fn sessions_take_turns() {
    std::thread::scope(|scope| {
        for n in 1..=8u32 {
            scope.spawn(move || {
                for _ in 0..10 {
                    let session = Session::builder().devices(n).seed(n.into()).start();
                    let mut count = 0;
                    ok!(cudaGetDeviceCount(&mut count));
                    assert_eq!(count, n as i32);
                    assert_eq!(session.seed(), u64::from(n));
                    assert_eq!(icffi_sim::seed(), u64::from(n));
                    let _ = malloc(64);
                    assert_eq!(session.live().device_allocations, 1);
                }
            });
        }
    });
}

#[test]
fn a_session_starts_with_a_new_machine() {
    let session = start(Policy::Lazy);
    let before = icffi_sim::generation();
    let (p, s, e, h) = (malloc(64), stream(), event(), pinned(64));
    let mut source = [1u8; 64];
    ok!(cudaMemcpyAsync(p, source.as_ptr().cast(), 64, H2D, s));
    session.fault(Fault::nth("cudaMalloc", 1, E::cudaErrorUnknown));
    assert_eq!(cuda!(cudaSetDevice(9)), E::cudaErrorInvalidDevice);
    drop(session);
    // Its work was done: the source may go.
    source.fill(0);
    let session = start(Policy::Lazy);
    assert_ne!(icffi_sim::generation(), before);
    assert_eq!(session.live(), Live::default());
    assert_eq!((session.total_calls(), session.pending()), (0, 0));
    assert_eq!(cuda!(cudaGetLastError()), E::cudaSuccess);
    let q = malloc(64);
    assert_eq!(
        cuda!(cudaStreamSynchronize(s)),
        E::cudaErrorInvalidResourceHandle
    );
    assert_eq!(cuda!(cudaEventQuery(e)), E::cudaErrorInvalidResourceHandle);
    assert_eq!(cuda!(cudaFree(p)), E::cudaErrorInvalidValue);
    assert_ne!(p, q, "old memory is not handed out again");
    // Pinned memory of the old machine can still be looked at by those who hold it.
    h[0] = 1;
    assert_eq!(session.reports().len(), 3);
}

#[test]
fn a_panic_in_a_session_does_not_stop_the_next() {
    let caught = std::panic::catch_unwind(|| {
        let _session = start(Policy::Random);
        let _ = malloc(64);
        panic!("as a failing test does");
    });
    assert!(caught.is_err());
    let session = start(Policy::Random);
    assert_eq!(session.live(), Live::default());
}

#[test]
fn step_runs_one_operation() {
    for (policy, order) in [(Policy::Lazy, [1, 2, 3]), (Policy::Reverse, [3, 2, 1])] {
        let session = start(policy);
        let p = malloc(4);
        let streams = [stream(), stream(), stream()];
        let seen = pinned(3);
        seen.fill(0);
        for (i, s) in streams.iter().enumerate() {
            let to = (&raw mut seen[i]).cast();
            ok!(cudaMemsetAsync(to, i as i32 + 1, 1, *s));
        }
        for (n, first) in order.into_iter().enumerate() {
            assert_eq!(session.pending(), 3 - n);
            assert!(session.step());
            assert_eq!(seen[first - 1], first as u8);
            assert_eq!(seen.iter().filter(|b| **b != 0).count(), n + 1);
        }
        assert!(!session.step());
        ok!(cudaFree(p));
    }
}

#[test]
fn eager_work_is_done_when_the_call_returns() {
    let session = start(Policy::Eager);
    let (p, s, e) = (malloc(64), stream(), event());
    let mut back = [0u8; 64];
    ok!(cudaMemsetAsync(p, 5, 64, s));
    ok!(cudaMemcpyAsync(back.as_mut_ptr().cast(), p, 64, D2H, s));
    assert_eq!(back, [5; 64]);
    ok!(cudaEventRecord(e, s));
    ok!(cudaEventQuery(e));
    assert_eq!(session.pending(), 0);
}

#[test]
fn a_panic_throws_enqueued_work_away() {
    use std::sync::atomic::{AtomicU32, Ordering};
    static HITS: AtomicU32 = AtomicU32::new(0);
    extern "C" fn count(_: *mut c_void) {
        HITS.fetch_add(1, Ordering::SeqCst);
    }
    for (fails, hits) in [(true, 0), (false, 1)] {
        HITS.store(0, Ordering::SeqCst);
        let caught = std::panic::catch_unwind(|| {
            let _session = start(Policy::Lazy);
            ok!(cudaLaunchHostFunc(stream(), Some(count), null_mut()));
            // The buffers of a test are gone before its session is.
            assert!(!fails, "as a failing test does");
        });
        assert_eq!(caught.is_err(), fails);
        assert_eq!(HITS.load(Ordering::SeqCst), hits);
    }
}
