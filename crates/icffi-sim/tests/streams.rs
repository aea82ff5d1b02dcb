//! Streams: order, the legacy default stream, handles, queries.

mod common;
use common::*;

/// The stream's own order holds under every schedule.
#[test]
fn a_stream_is_in_order() {
    sweep(|_| {
        let streams = [stream(), blocking_stream(), null_mut(), 2 as cudaStream_t];
        let buffers = streams.map(|_| malloc(64));
        for round in 0..20 {
            for (s, p) in streams.iter().zip(buffers) {
                ok!(cudaMemsetAsync(p, round, 64, *s));
            }
        }
        for p in buffers {
            assert_eq!(read(p, 64), [19; 64]);
        }
    });
}

#[test]
fn nothing_moves_until_the_host_waits() {
    let session = start(Policy::Lazy);
    let (a, b) = (stream(), stream());
    let p = malloc(64);
    for i in 0..5 {
        ok!(cudaMemsetAsync(p, i, 32, a));
        ok!(cudaMemsetAsync(p.wrapping_byte_add(32), i, 32, b));
    }
    let mut count = 0;
    ok!(cudaGetDeviceCount(&mut count));
    assert_eq!(session.pending(), 10);
    ok!(cudaStreamSynchronize(a));
    assert_eq!(session.pending(), 5, "only what was waited for");
    ok!(cudaDeviceSynchronize());
    assert_eq!(session.pending(), 0);
}

#[test]
fn the_legacy_stream_waits_for_blocking_streams_and_they_for_it() {
    sweep(|_| {
        for legacy in [null_mut(), 1 as cudaStream_t] {
            let (a, b) = (blocking_stream(), blocking_stream());
            let (p, q) = (malloc(64), malloc(64));
            let mut back = [0u8; 64];
            ok!(cudaMemsetAsync(p, 1, 64, a));
            // Reads what `a` wrote, and `b` reads what it wrote, with no event anywhere.
            ok!(cudaMemcpyAsync(q, p, 64, D2D, legacy));
            ok!(cudaMemcpyAsync(back.as_mut_ptr().cast(), q, 64, D2H, b));
            ok!(cudaStreamSynchronize(b));
            assert_eq!(back, [1; 64]);
            // The per-thread default stream is a blocking stream.
            let per_thread = 2 as cudaStream_t;
            ok!(cudaMemsetAsync(p, 2, 64, legacy));
            ok!(cudaMemcpyAsync(q, p, 64, D2D, per_thread));
            ok!(cudaMemcpyAsync(
                back.as_mut_ptr().cast(),
                q,
                64,
                D2H,
                legacy
            ));
            ok!(cudaStreamSynchronize(legacy));
            assert_eq!(back, [2; 64]);
            for p in [p, q] {
                ok!(cudaFree(p));
            }
            for s in [a, b] {
                ok!(cudaStreamDestroy(s));
            }
        }
    });
}

#[test]
fn the_legacy_stream_has_nothing_to_do_with_non_blocking_ones() {
    let session = start(Policy::Lazy);
    let (s, p) = (stream(), malloc(64));
    ok!(cudaMemsetAsync(p, 1, 64, s));
    ok!(cudaStreamSynchronize(null_mut()));
    ok!(cudaMemsetAsync(p, 2, 64, null_mut()));
    ok!(cudaStreamSynchronize(null_mut()));
    assert_eq!(session.pending(), 1);
    ok!(cudaStreamSynchronize(s));
    assert_eq!(read(p, 1), [1]);
}

#[test]
fn synchronizing_the_legacy_stream_includes_blocking_ones() {
    let session = start(Policy::Lazy);
    let (s, p) = (blocking_stream(), malloc(64));
    ok!(cudaMemsetAsync(p, 1, 64, s));
    assert_eq!(cuda!(cudaStreamQuery(null_mut())), E::cudaErrorNotReady);
    ok!(cudaMemsetAsync(p, 1, 64, s));
    ok!(cudaStreamSynchronize(2 as cudaStream_t));
    assert_eq!(
        session.pending(),
        1,
        "the per-thread stream waits for itself only"
    );
    ok!(cudaStreamSynchronize(null_mut()));
    assert_eq!(session.pending(), 0);
}

#[test]
fn a_loop_of_queries_ends() {
    for policy in POLICIES {
        for seed in 0..8 {
            let session = Session::builder().policy(policy).seed(seed).start();
            let (s, p, e) = (stream(), malloc(64), event());
            for _ in 0..10 {
                ok!(cudaMemsetAsync(p, 1, 64, s));
            }
            ok!(cudaEventRecord(e, s));
            let mut rounds = 0;
            while cuda!(cudaEventQuery(e)) == E::cudaErrorNotReady {
                rounds += 1;
                assert!(rounds < 1000);
            }
            while cuda!(cudaStreamQuery(s)) == E::cudaErrorNotReady {
                rounds += 1;
                assert!(rounds < 1000);
            }
            if LATE.contains(&policy) {
                assert!(rounds >= 10, "{rounds}");
            }
            assert_eq!(session.pending(), 0);
        }
    }
}

#[test]
fn work_of_a_destroyed_stream_is_done_and_its_handle_comes_back() {
    for policy in LATE {
        let session = start(policy);
        let p = malloc(64);
        let s = stream();
        ok!(cudaMemsetAsync(p, 8, 64, s));
        ok!(cudaStreamDestroy(s));
        assert_eq!(session.pending(), 1);
        assert_eq!(session.live().streams, 0);
        let t = blocking_stream();
        assert_eq!(s, t, "the handle of a dead stream, at once");
        assert_eq!(session.live().streams, 1);
        // It is another stream all the same.
        let mut flags = 9;
        ok!(cudaStreamGetFlags(t, &mut flags));
        assert_eq!(flags, 0);
        ok!(cudaStreamSynchronize(t));
        assert_eq!(session.pending(), 1);
        assert_eq!(read(p, 64), [8; 64]);
        ok!(cudaStreamDestroy(t));
        assert_eq!(session.reports(), []);
        assert_eq!(
            cuda!(cudaStreamSynchronize(t)),
            E::cudaErrorInvalidResourceHandle
        );
        assert_eq!(kinds(&session.reports()), [ReportKind::InvalidHandle]);
    }
}

#[test]
fn default_streams_cannot_be_destroyed() {
    let session = start(Policy::Random);
    for s in 0..3usize {
        let code = cuda!(cudaStreamDestroy(s as cudaStream_t));
        assert_eq!(code, E::cudaErrorInvalidResourceHandle);
    }
    let mut s = null_mut();
    assert_eq!(
        cuda!(cudaStreamCreateWithFlags(&mut s, 4)),
        E::cudaErrorInvalidValue
    );
    assert_eq!(
        cuda!(cudaStreamCreate(null_mut())),
        E::cudaErrorInvalidValue
    );
    assert_eq!(session.live(), Live::default());
}

#[test]
fn streams_say_what_they_are() {
    let _session = Session::builder().devices(2).start();
    let (mut least, mut greatest) = (1, 1);
    ok!(cudaDeviceGetStreamPriorityRange(&mut least, &mut greatest));
    assert!(greatest < least);
    let mut s = null_mut();
    ok!(cudaSetDevice(1));
    ok!(cudaStreamCreateWithPriority(
        &mut s,
        cudaStreamNonBlocking,
        -99
    ));
    ok!(cudaSetDevice(0));
    let (mut priority, mut flags, mut device, mut id, mut other) = (0, 0, 0, 0, 0);
    ok!(cudaStreamGetPriority(s, &mut priority));
    ok!(cudaStreamGetFlags(s, &mut flags));
    ok!(cudaStreamGetDevice(s, &mut device));
    ok!(cudaStreamGetId(s, &mut id));
    ok!(cudaStreamGetId(null_mut(), &mut other));
    assert_eq!(
        (priority, flags, device),
        (greatest, cudaStreamNonBlocking, 1)
    );
    assert_ne!(id, other);
    let mut status = cudaStreamCaptureStatus(9);
    ok!(cudaStreamIsCapturing(s, &mut status));
    assert_eq!(status, cudaStreamCaptureStatus::cudaStreamCaptureStatusNone);
    let mut mode = cudaStreamCaptureMode::cudaStreamCaptureModeRelaxed;
    ok!(cudaThreadExchangeStreamCaptureMode(&mut mode));
    assert_eq!(mode, cudaStreamCaptureMode::cudaStreamCaptureModeGlobal);
    ok!(cudaThreadExchangeStreamCaptureMode(&mut mode));
    assert_eq!(mode, cudaStreamCaptureMode::cudaStreamCaptureModeRelaxed);
}

#[test]
fn each_thread_has_its_own_per_thread_stream() {
    let session = start(Policy::Lazy);
    let p = malloc(64) as usize;
    ok!(cudaMemsetAsync(p as *mut c_void, 1, 64, 2 as cudaStream_t));
    std::thread::scope(|scope| {
        // The other thread's own stream has nothing to wait for.
        scope.spawn(|| {
            ok!(cudaStreamSynchronize(2 as cudaStream_t));
            ok!(cudaStreamQuery(2 as cudaStream_t));
            assert_eq!(session.pending(), 1);
        });
    });
    ok!(cudaStreamSynchronize(2 as cudaStream_t));
    assert_eq!(session.pending(), 0);
}

#[test]
fn threads_share_streams() {
    for seed in 0..4 {
        let session = Session::builder().seed(seed).start();
        let (s, p) = (stream() as usize, malloc(4 * 1000) as usize);
        std::thread::scope(|scope| {
            for t in 0..4usize {
                scope.spawn(move || {
                    for i in 0..1000 {
                        let at = (p + t * 1000 + i) as *mut c_void;
                        ok!(cudaMemsetAsync(at, t as i32, 1, s as cudaStream_t));
                        if i % 100 == 0 {
                            ok!(cudaStreamSynchronize(s as cudaStream_t));
                        }
                    }
                });
            }
        });
        let bytes = read(p as *const c_void, 4000);
        for t in 0..4 {
            assert!(bytes[t * 1000..][..1000].iter().all(|b| *b as usize == t));
        }
        assert_eq!(session.reports(), []);
    }
}
