//! Events: order between streams, time, and their states.

mod common;
use common::*;

#[test]
fn an_event_orders_two_streams() {
    sweep(|_| {
        let (a, b, e) = (stream(), stream(), event());
        let (p, q) = (malloc(64), malloc(64));
        for round in 1..10u8 {
            ok!(cudaMemsetAsync(p, round.into(), 64, a));
            ok!(cudaEventRecord(e, a));
            ok!(cudaStreamWaitEvent(b, e, 0));
            ok!(cudaMemcpyAsync(q, p, 64, D2D, b));
            ok!(cudaEventRecord(e, b));
            ok!(cudaStreamWaitEvent(a, e, 0));
        }
        assert_eq!(read(q, 64), [9; 64]);
    });
}

#[test]
fn without_an_event_some_schedule_shows_it() {
    let mut wrong = 0;
    for seed in 0..32 {
        let _session = Session::builder().policy(Policy::Random).seed(seed).start();
        let (a, b) = (stream(), stream());
        let (p, q) = (malloc(64), malloc(64));
        ok!(cudaMemsetAsync(p, 1, 64, a));
        ok!(cudaMemcpyAsync(q, p, 64, D2D, b));
        wrong += usize::from(read(q, 64) != [1; 64]);
    }
    assert!((1..32).contains(&wrong), "{wrong} of 32");
}

#[test]
fn a_wait_means_the_record_before_it() {
    let session = start(Policy::Lazy);
    let (a, b, e, p) = (stream(), stream(), event(), malloc(64));
    // Never recorded: no wait.
    ok!(cudaStreamWaitEvent(b, e, 0));
    assert_eq!(session.pending(), 0);
    ok!(cudaMemsetAsync(p, 1, 64, a));
    ok!(cudaEventRecord(e, a));
    ok!(cudaStreamWaitEvent(b, e, 0));
    ok!(cudaMemsetAsync(p, 2, 64, a));
    ok!(cudaEventRecord(e, a));
    ok!(cudaStreamSynchronize(b));
    assert_eq!(
        session.pending(),
        2,
        "the second fill and record are still to come"
    );
    // And the event itself is the later record.
    assert_eq!(cuda!(cudaEventQuery(e)), E::cudaErrorNotReady);
    ok!(cudaEventSynchronize(e));
    assert_eq!(session.pending(), 0);
    ok!(cudaEventQuery(e));
}

#[test]
fn an_event_may_be_destroyed_at_any_time() {
    sweep(|session| {
        let (a, b) = (stream(), stream());
        let (p, q) = (malloc(64), malloc(64));
        let e = event();
        ok!(cudaMemsetAsync(p, 4, 64, a));
        ok!(cudaEventRecord(e, a));
        ok!(cudaStreamWaitEvent(b, e, 0));
        ok!(cudaEventDestroy(e));
        assert_eq!(event(), e, "the handle comes back");
        ok!(cudaEventQuery(e));
        ok!(cudaMemcpyAsync(q, p, 64, D2D, b));
        assert_eq!(read(q, 64), [4; 64]);
        ok!(cudaEventDestroy(e));
        assert_eq!(session.live().events, 0);
    });
}

#[test]
fn time_is_measured_between_timed_events() {
    sweep(|_| {
        let (s, a, b) = (stream(), event(), event());
        let p = malloc(8 << 20);
        let mut ms = -1f32;
        let handle = E::cudaErrorInvalidResourceHandle;
        assert_eq!(
            cuda!(cudaEventElapsedTime(&mut ms, a, b)),
            handle,
            "never recorded"
        );
        ok!(cudaEventRecord(a, s));
        ok!(cudaMemsetAsync(p, 1, 8 << 20, s));
        ok!(cudaEventRecord(b, s));
        ok!(cudaStreamSynchronize(s));
        ok!(cudaEventElapsedTime(&mut ms, a, b));
        assert!(ms > 0.0 && ms < 5e3, "{ms}");
        let mut back = 0f32;
        ok!(cudaEventElapsedTime(&mut back, b, a));
        assert_eq!(back, -ms);
        let mut untimed = null_mut();
        ok!(cudaEventCreateWithFlags(
            &mut untimed,
            cudaEventDisableTiming
        ));
        ok!(cudaEventRecord(untimed, s));
        ok!(cudaStreamSynchronize(s));
        assert_eq!(cuda!(cudaEventElapsedTime(&mut ms, a, untimed)), handle);
        ok!(cudaFree(p));
    });
}

#[test]
fn time_before_the_event_is_not_ready() {
    for policy in LATE {
        let _session = start(policy);
        let (s, a, b) = (stream(), event(), event());
        ok!(cudaEventRecord(a, s));
        ok!(cudaEventRecord(b, s));
        let mut ms = 0f32;
        assert_eq!(
            cuda!(cudaEventElapsedTime(&mut ms, a, b)),
            E::cudaErrorNotReady
        );
        ok!(cudaEventSynchronize(b));
        ok!(cudaEventElapsedTime(&mut ms, a, b));
    }
}

#[test]
fn events_belong_to_a_device() {
    sweep(|_| {
        let (e, s) = (event(), stream());
        ok!(cudaSetDevice(1));
        let (other, f) = (stream(), event());
        let handle = E::cudaErrorInvalidResourceHandle;
        assert_eq!(cuda!(cudaEventRecord(e, other)), handle);
        ok!(cudaEventRecord(f, other));
        // Waiting across devices is allowed, and so is asking.
        ok!(cudaStreamWaitEvent(s, f, 0));
        ok!(cudaSetDevice(0));
        ok!(cudaEventSynchronize(f));
        ok!(cudaEventQuery(f));
        ok!(cudaEventRecord(e, s));
        ok!(cudaStreamSynchronize(s));
        let mut ms = 0f32;
        assert_eq!(cuda!(cudaEventElapsedTime(&mut ms, e, f)), handle);
    });
}

#[test]
fn bad_flags_and_handles_are_refused() {
    let session = start(Policy::Random);
    let (s, e) = (stream(), event());
    let mut out = null_mut();
    for flags in [4, 8] {
        let code = cuda!(cudaEventCreateWithFlags(&mut out, flags));
        assert_eq!(code, E::cudaErrorInvalidValue);
    }
    assert_eq!(
        cuda!(cudaEventRecordWithFlags(e, s, 1)),
        E::cudaErrorIllegalState
    );
    assert_eq!(
        cuda!(cudaStreamWaitEvent(s, e, 1)),
        E::cudaErrorIllegalState
    );
    ok!(cudaEventRecordWithFlags(e, s, 0));
    let handle = E::cudaErrorInvalidResourceHandle;
    assert_eq!(cuda!(cudaEventQuery(null_mut())), handle);
    assert_eq!(cuda!(cudaEventRecord(null_mut(), s)), handle);
    assert_eq!(session.reports(), []);
    // One kind of handle is not another.
    assert_eq!(cuda!(cudaEventQuery(s.cast())), handle);
    assert_eq!(cuda!(cudaStreamQuery(e.cast())), handle);
    assert_eq!(kinds(&session.reports()), [ReportKind::InvalidHandle; 2]);
    assert_eq!(session.live().events, 1);
}
