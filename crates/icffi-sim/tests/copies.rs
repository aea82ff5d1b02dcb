//! Copies and fills: kinds, lateness, who waits.

mod common;
use common::*;

#[test]
fn bytes_arrive_under_every_schedule() {
    sweep(|_| {
        for n in [1usize, 1000, 100_000, 3_000_000] {
            let source: Vec<u8> = (0..n).map(|i| (i * 7) as u8).collect();
            let mut back = vec![0u8; n];
            let s = stream();
            let (a, b) = (malloc(n), malloc_async(n, s));
            ok!(cudaMemcpyAsync(a, source.as_ptr().cast(), n, H2D, s));
            ok!(cudaMemcpyAsync(b, a, n, D2D, s));
            ok!(cudaMemcpyAsync(
                back.as_mut_ptr().cast(),
                b,
                n,
                Kind::cudaMemcpyDefault,
                s
            ));
            ok!(cudaFreeAsync(b, s));
            ok!(cudaStreamSynchronize(s));
            assert!(back == source);
            ok!(cudaFree(a));
            ok!(cudaStreamDestroy(s));
        }
    });
}

#[test]
fn a_pageable_source_is_read_late() {
    for policy in LATE {
        let session = start(policy);
        let p = malloc(64);
        let s = stream();
        let mut source = [1u8; 64];
        ok!(cudaMemcpyAsync(p, source.as_ptr().cast(), 64, H2D, s));
        source.fill(2);
        assert_eq!(session.pending(), 1);
        assert_eq!(read(p, 64), vec![2; 64]);
    }
}

#[test]
fn a_pageable_target_is_written_late() {
    for policy in LATE {
        let _session = start(policy);
        let p = malloc(64);
        upload(p, &[5; 64]);
        let s = stream();
        let mut back = vec![0u8; 64];
        ok!(cudaMemcpyAsync(back.as_mut_ptr().cast(), p, 64, D2H, s));
        assert_eq!(back, [0; 64]);
        ok!(cudaStreamSynchronize(s));
        assert_eq!(back, [5; 64]);
    }
}

#[test]
fn a_pinned_source_is_read_when_the_stream_gets_there() {
    let session = start(Policy::Lazy);
    let (h, p, s) = (pinned(64), malloc(64), stream());
    h.fill(1);
    ok!(cudaMemcpyAsync(p, h.as_ptr().cast(), 64, H2D, s));
    h.fill(2);
    assert!(session.step());
    h.fill(3);
    assert_eq!(read(p, 64), vec![2; 64]);
}

#[test]
fn the_random_policy_does_both() {
    let mut seen = [false; 2];
    for seed in 0..64 {
        let _session = Session::builder().policy(Policy::Random).seed(seed).start();
        let (p, s) = (malloc(64), stream());
        let mut source = [1u8; 64];
        ok!(cudaMemcpyAsync(p, source.as_ptr().cast(), 64, H2D, s));
        let mut device = 0;
        for _ in 0..2 {
            ok!(cudaGetDevice(&mut device));
        }
        source.fill(2);
        seen[usize::from(read(p, 64)[0] - 1)] = true;
    }
    assert_eq!(seen, [true; 2], "some seeds read early, others late");
}

#[test]
fn the_same_seed_gives_the_same_run() {
    let run = |seed| {
        let session = Session::builder().policy(Policy::Random).seed(seed).start();
        let streams = [stream(), stream(), stream()];
        let p = malloc(30);
        let mut trace = Vec::new();
        for i in 0..30u8 {
            let at = p.wrapping_byte_add(i as usize);
            ok!(cudaMemsetAsync(at, i.into(), 1, streams[i as usize % 3]));
            trace.push(session.pending());
        }
        ok!(cudaDeviceSynchronize());
        assert_eq!(read(p, 30), (0..30).collect::<Vec<u8>>());
        trace
    };
    assert_eq!(run(3), run(3));
    assert_ne!(run(3), run(4));
}

#[test]
fn synchronous_copies_wait_where_cuda_says_so() {
    for policy in LATE {
        let session = start(policy);
        let (a, b, h) = (malloc(64), malloc(64), pinned(64));
        let mut back = [0u8; 64];
        // From ordinary memory: read before the return, but perhaps not arrived.
        let mut source = [1u8; 64];
        ok!(cudaMemcpy(a, source.as_ptr().cast(), 64, H2D));
        source.fill(9);
        assert_eq!(session.pending(), 1, "staged, not arrived");
        // From device to device the host does not wait.
        ok!(cudaMemcpy(b, a, 64, D2D));
        assert_eq!(session.pending(), 2);
        ok!(cudaMemset(a, 3, 64));
        assert_eq!(session.pending(), 3);
        ok!(cudaMemcpy(back.as_mut_ptr().cast(), b, 64, D2H));
        assert_eq!(back, [1; 64]);
        ok!(cudaDeviceSynchronize());
        // From pinned memory: done.
        h.fill(4);
        ok!(cudaMemcpy(b, h.as_ptr().cast(), 64, H2D));
        assert_eq!(session.pending(), 0);
        // Host to host, even on a stream: done.
        let s = stream();
        let (x, mut y) = ([1u8; 16], [0u8; 16]);
        let h2h = Kind::cudaMemcpyHostToHost;
        ok!(cudaMemcpyAsync(
            y.as_mut_ptr().cast(),
            x.as_ptr().cast(),
            16,
            h2h,
            s
        ));
        assert_eq!(y, x);
        // A fill of pinned memory: done, unless a stream was named.
        ok!(cudaMemset(h.as_mut_ptr().cast(), 6, 64));
        assert_eq!(h, [6; 64]);
        ok!(cudaMemsetAsync(h.as_mut_ptr().cast(), 7, 64, s));
        assert_eq!(h, [6; 64]);
        ok!(cudaStreamSynchronize(s));
        assert_eq!(h, [7; 64]);
        assert_eq!(session.reports(), []);
    }
}

#[test]
fn a_non_blocking_stream_does_not_wait_for_memset() {
    let session = start(Policy::Lazy);
    let (p, s) = (malloc(64), stream());
    ok!(cudaMemset(p, 0, 64));
    let mut back = [0u8; 64];
    ok!(cudaMemcpyAsync(back.as_mut_ptr().cast(), p, 64, D2H, s));
    ok!(cudaStreamSynchronize(s));
    assert_eq!(back, [0xcd; 64], "the zeros are not there yet");
    assert_eq!(session.pending(), 1);
}

#[test]
fn kinds_are_checked_as_cuda_checks_them() {
    sweep(|_| {
        let (d, e, h) = (malloc(64), malloc(64), pinned(64));
        let mut host = [0u8; 128];
        let (x, y): (*mut c_void, *mut c_void) =
            (host.as_mut_ptr().cast(), host[64..].as_mut_ptr().cast());
        let h: *mut c_void = h.as_mut_ptr().cast();
        let invalid = E::cudaErrorInvalidValue;
        let table = [
            (x, y, H2D, invalid),
            (d, x, D2H, invalid),
            (d, x, D2D, invalid),
            (x, d, H2D, invalid),
            (x, y, D2H, invalid),
            (x, y, D2D, invalid),
            (null_mut(), x, H2D, invalid),
            (d, null_mut(), H2D, invalid),
            (d, x, Kind(7), E::cudaErrorInvalidMemcpyDirection),
            (d, e, H2D, E::cudaSuccess),
            (h, x, H2D, E::cudaSuccess),
            (x, h, D2H, E::cudaSuccess),
            (h, d, D2D, E::cudaSuccess),
            (d, e, Kind::cudaMemcpyHostToHost, E::cudaSuccess),
            (x, d, Kind::cudaMemcpyHostToHost, E::cudaSuccess),
            (x, y, Kind::cudaMemcpyDefault, E::cudaSuccess),
            (x, d, Kind::cudaMemcpyDefault, E::cudaSuccess),
        ];
        for (i, (to, from, kind, expected)) in table.into_iter().enumerate() {
            assert_eq!(cuda!(cudaMemcpy(to, from, 16, kind)), expected, "row {i}");
            ok!(cudaDeviceSynchronize());
            assert_eq!(
                cuda!(cudaMemcpyAsync(to, from, 16, kind, null_mut())),
                expected,
                "row {i}, async"
            );
            ok!(cudaDeviceSynchronize());
        }
        ok!(cudaMemcpy(null_mut(), null(), 0, H2D));
        ok!(cudaMemcpy(d, x, 0, Kind(7)));
        assert_eq!(cuda!(cudaMemset(x, 0, 16)), invalid);
        assert_eq!(cuda!(cudaMemset(null_mut(), 0, 16)), invalid);
        ok!(cudaMemset(null_mut(), 0, 0));
    });
}

#[test]
fn a_pageable_range_must_not_run_into_known_memory() {
    let session = start(Policy::Random);
    let h = pinned(64);
    let p = malloc(256);
    let before = h.as_ptr().wrapping_sub(1).cast();
    assert_eq!(
        cuda!(cudaMemcpy(p, before, 2, H2D)),
        E::cudaErrorInvalidValue
    );
    let too_long = h[60..].as_ptr().cast();
    assert_eq!(
        cuda!(cudaMemcpy(p, too_long, 8, H2D)),
        E::cudaErrorInvalidValue
    );
    assert_eq!(kinds(&session.take_reports()), [ReportKind::OutOfBounds; 2]);
}

#[test]
fn pinned_memory_freed_in_flight_is_reported() {
    for policy in LATE {
        let session = start(policy);
        let (h, p, s) = (pinned(64), malloc(64), stream());
        ok!(cudaMemcpyAsync(p, h.as_ptr().cast(), 64, H2D, s));
        ok!(cudaFreeHost(h.as_mut_ptr().cast()));
        assert_eq!(session.live().pinned_allocations, 0);
        assert_eq!(cuda!(cudaStreamSynchronize(s)), E::cudaErrorIllegalAddress);
        let reports = session.reports();
        assert_eq!(kinds(&reports), [ReportKind::UseAfterFree]);
        let text = reports[0].to_string();
        assert!(
            text.contains("cudaMemcpyAsync") && text.contains("pinned"),
            "{text}"
        );
        assert!(text.contains("seed 1"), "{text}");
    }
}

#[test]
fn registered_memory_unregistered_in_flight_is_reported() {
    let session = start(Policy::Lazy);
    let mut own = vec![1u8; 4096];
    ok!(cudaHostRegister(own.as_mut_ptr().cast(), 4096, 0));
    let (p, s) = (malloc(64), stream());
    ok!(cudaMemcpyAsync(p, own.as_ptr().cast(), 64, H2D, s));
    ok!(cudaHostUnregister(own.as_mut_ptr().cast()));
    assert_eq!(cuda!(cudaStreamSynchronize(s)), E::cudaErrorIllegalAddress);
    assert_eq!(kinds(&session.reports()), [ReportKind::UseAfterFree]);
}

#[test]
fn a_thousand_small_operations_are_quick() {
    for policy in POLICIES {
        let _session = start(policy);
        let (p, s) = (malloc(4096), stream());
        let begun = std::time::Instant::now();
        for i in 0..1000 {
            ok!(cudaMemsetAsync(p, i, 64, s));
        }
        ok!(cudaStreamSynchronize(s));
        let took = begun.elapsed();
        assert!(took.as_millis() < 50, "policy {policy}: {took:?}");
    }
}
