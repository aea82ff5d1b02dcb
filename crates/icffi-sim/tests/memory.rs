//! Device memory: poison, bounds, limits, frees.

mod common;
use common::*;

#[test]
fn new_memory_is_poison_and_freed_memory_is_other_poison() {
    sweep(|_| {
        for bytes in [1, 255, 256, 4096, 100_000] {
            let p = malloc(bytes);
            assert_eq!(p as usize % 256, 0);
            assert_eq!(read(p, bytes), vec![0xcd; bytes]);
            ok!(cudaFree(p));
            // SAFETY: freed memory stays mapped in quarantine; only the simulator knows that.
            let after = unsafe { std::slice::from_raw_parts(p.cast::<u8>(), bytes) };
            assert!(after.iter().all(|b| *b == 0xdd));
        }
    });
}

#[test]
fn gigabytes_cost_nothing_until_touched_and_are_poison_everywhere() {
    let session = Session::builder().memory(64 << 30).start();
    let bytes = 8usize << 30;
    let p = malloc(bytes);
    // Elsewhere than on Linux only the ends of what is large are poison.
    let middle = if cfg!(target_os = "linux") {
        bytes / 2 + 1
    } else {
        1000
    };
    for at in [0, 12_345, middle, bytes - 1] {
        let mut byte = [0u8];
        ok!(cudaMemcpy(
            byte.as_mut_ptr().cast(),
            p.wrapping_byte_add(at),
            1,
            D2H
        ));
        assert_eq!(byte, [0xcd], "at {at}");
    }
    upload(p.wrapping_byte_add(bytes - 3), &[1, 2, 3]);
    assert_eq!(read(p.wrapping_byte_add(bytes - 4), 4), [0xcd, 1, 2, 3]);
    ok!(cudaFree(p));
    assert_eq!(session.reports(), []);
}

#[test]
fn nothing_is_null_and_null_may_be_freed() {
    sweep(|session| {
        let mut p = 0x77 as *mut c_void;
        ok!(cudaMalloc(&mut p, 0));
        assert!(p.is_null());
        p = 0x77 as *mut c_void;
        ok!(cudaMallocAsync(&mut p, 0, null_mut()));
        assert!(p.is_null());
        ok!(cudaFree(null_mut()));
        ok!(cudaFreeAsync(null_mut(), null_mut()));
        assert_eq!(session.live(), Live::default());
    });
}

#[test]
fn a_full_device_refuses_and_loses_nothing() {
    for policy in POLICIES {
        let session = Session::builder().policy(policy).memory(1 << 20).start();
        let a = malloc(600 << 10);
        let mut b = 0x77 as *mut c_void;
        assert_eq!(
            cuda!(cudaMalloc(&mut b, 600 << 10)),
            E::cudaErrorMemoryAllocation
        );
        assert!(b.is_null());
        assert_eq!(
            cuda!(cudaMallocAsync(&mut b, 600 << 10, null_mut())),
            E::cudaErrorMemoryAllocation
        );
        assert_eq!(
            cuda!(cudaMalloc(&mut b, usize::MAX)),
            E::cudaErrorMemoryAllocation
        );
        assert_eq!(cuda!(cudaGetLastError()), E::cudaErrorMemoryAllocation);
        let (mut free, mut total) = (0, 0);
        ok!(cudaMemGetInfo(&mut free, &mut total));
        assert_eq!((free, total), (424 << 10, 1 << 20));
        ok!(cudaFree(a));
        ok!(cudaMemGetInfo(&mut free, &mut total));
        assert_eq!(free, total);
        ok!(cudaFree(malloc(1 << 20)));
        assert_eq!(session.live(), Live::default());
    }
}

#[test]
fn memory_freed_in_the_stream_can_be_had_again_before_the_stream_is_there() {
    for policy in POLICIES {
        let session = Session::builder().policy(policy).memory(1 << 20).start();
        let s = stream();
        for _ in 0..10 {
            let p = malloc_async(900 << 10, s);
            ok!(cudaFreeAsync(p, s));
        }
        ok!(cudaStreamSynchronize(s));
        assert_eq!(session.live().device_bytes, 0);
        assert_eq!(session.reports(), []);
    }
}

#[test]
fn wrong_frees_are_errors_and_reported() {
    let session = start(Policy::Random);
    let p = malloc(64);
    let h = pinned(64);
    let local = 0u64;
    let stack = (&raw const local).cast_mut().cast::<c_void>();
    for bad in [p.wrapping_byte_add(16), h.as_mut_ptr().cast(), stack] {
        assert_eq!(cuda!(cudaFree(bad)), E::cudaErrorInvalidValue);
        assert_eq!(
            cuda!(cudaFreeAsync(bad, null_mut())),
            E::cudaErrorInvalidValue
        );
    }
    assert_eq!(kinds(&session.take_reports()), [ReportKind::InvalidFree; 6]);
    for bad in [p, h[8..].as_mut_ptr().cast(), stack] {
        assert_eq!(cuda!(cudaFreeHost(bad)), E::cudaErrorInvalidValue);
    }
    assert_eq!(kinds(&session.take_reports()), [ReportKind::InvalidFree; 3]);
    ok!(cudaFree(p));
    assert_eq!(cuda!(cudaFree(p)), E::cudaErrorInvalidValue);
    assert_eq!(
        cuda!(cudaFreeAsync(p, null_mut())),
        E::cudaErrorInvalidValue
    );
    ok!(cudaFreeHost(h.as_mut_ptr().cast()));
    assert_eq!(
        cuda!(cudaFreeHost(h.as_mut_ptr().cast())),
        E::cudaErrorInvalidValue
    );
    let q = malloc_async(64, null_mut());
    ok!(cudaFreeAsync(q, null_mut()));
    assert_eq!(
        cuda!(cudaFreeAsync(q, null_mut())),
        E::cudaErrorInvalidValue
    );
    assert_eq!(cuda!(cudaFree(q)), E::cudaErrorInvalidValue);
    assert_eq!(kinds(&session.take_reports()), [ReportKind::DoubleFree; 5]);
    ok!(cudaDeviceSynchronize());
    assert_eq!(session.live(), Live::default());
}

#[test]
fn free_of_plain_memory_waits_for_the_device() {
    for policy in LATE {
        let session = start(policy);
        let s = stream();
        let p = malloc(4096);
        ok!(cudaMemsetAsync(p, 7, 4096, s));
        assert_eq!(session.pending(), 1);
        ok!(cudaFree(p));
        assert_eq!(session.pending(), 0);
        assert_eq!(session.reports(), []);
    }
}

#[test]
fn free_of_pool_memory_does_not_wait() {
    for policy in LATE {
        let session = start(policy);
        let s = stream();
        let p = malloc_async(4096, s);
        ok!(cudaStreamSynchronize(s));
        ok!(cudaMemsetAsync(p, 7, 4096, s));
        ok!(cudaFree(p));
        assert_eq!(session.pending(), 1, "nobody waited");
        assert_eq!(cuda!(cudaStreamSynchronize(s)), E::cudaErrorIllegalAddress);
        let reports = session.reports();
        assert_eq!(kinds(&reports), [ReportKind::UseAfterFree]);
        assert_eq!(reports[0].function, "cudaMemsetAsync");
        assert_eq!(reports[0].range, p as usize..p as usize + 4096);
        // The context is gone until it is reset.
        assert_eq!(cuda!(cudaStreamQuery(s)), E::cudaErrorIllegalAddress);
        assert_eq!(cuda!(cudaGetLastError()), E::cudaErrorIllegalAddress);
        ok!(cudaDeviceReset());
        cuda!(cudaGetLastError());
        assert_eq!(cuda!(cudaGetLastError()), E::cudaSuccess);
        assert_eq!(session.live(), Live::default());
        ok!(cudaFree(malloc(16)));
    }
}

#[test]
fn a_free_in_one_stream_overtakes_a_use_in_another() {
    let session = start(Policy::Lazy);
    let (a, b) = (stream(), stream());
    let p = malloc_async(256, a);
    ok!(cudaStreamSynchronize(a));
    ok!(cudaMemsetAsync(p, 1, 256, b));
    ok!(cudaFreeAsync(p, a));
    ok!(cudaStreamSynchronize(a));
    assert_eq!(cuda!(cudaStreamSynchronize(b)), E::cudaErrorIllegalAddress);
    assert_eq!(kinds(&session.reports()), [ReportKind::UseAfterFree]);
}

#[test]
fn a_use_in_another_stream_may_come_before_the_allocation() {
    let session = start(Policy::Lazy);
    let (a, b) = (stream(), stream());
    let p = malloc_async(256, a);
    ok!(cudaMemsetAsync(p, 1, 256, b));
    assert_eq!(cuda!(cudaStreamSynchronize(b)), E::cudaErrorIllegalAddress);
    assert_eq!(kinds(&session.reports()), [ReportKind::UseBeforeAllocation]);
}

#[test]
fn ordered_uses_of_pool_memory_are_fine() {
    sweep(|session| {
        let (a, b) = (stream(), stream());
        let e = event();
        let p = malloc_async(1000, a);
        ok!(cudaEventRecord(e, a));
        ok!(cudaStreamWaitEvent(b, e, 0));
        ok!(cudaMemsetAsync(p, 9, 1000, b));
        let mut out = vec![0u8; 1000];
        ok!(cudaMemcpyAsync(out.as_mut_ptr().cast(), p, 1000, D2H, b));
        ok!(cudaEventRecord(e, b));
        ok!(cudaStreamWaitEvent(a, e, 0));
        ok!(cudaFreeAsync(p, a));
        ok!(cudaStreamSynchronize(a));
        assert_eq!(out, vec![9; 1000]);
        assert_eq!(session.live().device_allocations, 0);
    });
}

#[test]
fn a_pointer_freed_in_stream_order_is_refused_in_later_calls() {
    let session = start(Policy::Lazy);
    let p = malloc_async(64, null_mut());
    ok!(cudaFreeAsync(p, null_mut()));
    assert_eq!(
        cuda!(cudaMemsetAsync(p, 0, 64, null_mut())),
        E::cudaErrorInvalidValue
    );
    assert_eq!(kinds(&session.reports()), [ReportKind::UseAfterFree]);
}

#[test]
fn ranges_beyond_the_end_are_errors_at_the_call() {
    let session = start(Policy::Random);
    let p = malloc(1000);
    let host = [0u8; 2000];
    let mut back = [0u8; 2000];
    let invalid = E::cudaErrorInvalidValue;
    assert_eq!(
        cuda!(cudaMemcpy(p, host.as_ptr().cast(), 1001, H2D)),
        invalid
    );
    assert_eq!(
        cuda!(cudaMemcpyAsync(
            back.as_mut_ptr().cast(),
            p,
            1001,
            D2H,
            null_mut()
        )),
        invalid
    );
    assert_eq!(cuda!(cudaMemset(p.wrapping_byte_add(999), 0, 2)), invalid);
    assert_eq!(cuda!(cudaMemset(p.wrapping_byte_sub(1), 0, 2)), invalid);
    assert_eq!(cuda!(cudaMemset(p.wrapping_byte_add(1000), 0, 1)), invalid);
    assert_eq!(kinds(&session.take_reports()), [ReportKind::OutOfBounds; 5]);
    ok!(cudaMemset(p.wrapping_byte_add(999), 0, 1));
    ok!(cudaFree(p));
}

#[test]
fn a_write_beside_an_allocation_is_seen() {
    let session = start(Policy::Random);
    let p = malloc(1000);
    // SAFETY: the simulator keeps a writable canary behind the 1,000 bytes; this plays a kernel
    // that runs too far.
    unsafe { p.cast::<u8>().add(1000).write(0) };
    let reports = session.reports();
    assert_eq!(kinds(&reports), [ReportKind::OutOfBoundsWrite]);
    assert_eq!(reports[0].range, p as usize..p as usize + 1000);
    assert_eq!(session.reports().len(), 1, "said once");
    ok!(cudaFree(p));
}

#[test]
fn a_write_to_freed_memory_is_seen() {
    let session = start(Policy::Random);
    let p = malloc(1000);
    ok!(cudaFree(p));
    // SAFETY: freed memory stays mapped in quarantine; this plays a kernel that kept a pointer.
    unsafe { p.cast::<u8>().add(10).write(0) };
    assert_eq!(kinds(&session.reports()), [ReportKind::FreedMemoryWritten]);
}

#[test]
fn pitched_memory_holds_its_rows() {
    sweep(|_| {
        let (mut p, mut pitch) = (null_mut(), 0);
        ok!(cudaMallocPitch(&mut p, &mut pitch, 100, 7));
        assert!(pitch >= 100 && pitch % 256 == 0);
        let source: Vec<u8> = (0..700).map(|i| i as u8).collect();
        ok!(cudaMemset2D(p, pitch, 0xee, 100, 7));
        ok!(cudaMemcpy2D(
            p,
            pitch,
            source.as_ptr().cast(),
            100,
            100,
            7,
            H2D
        ));
        let mut back = vec![0u8; 700];
        ok!(cudaMemcpy2D(
            back.as_mut_ptr().cast(),
            100,
            p,
            pitch,
            100,
            7,
            D2H
        ));
        assert_eq!(back, source);
        ok!(cudaMemset2DAsync(p, pitch, 3, 50, 7, null_mut()));
        ok!(cudaMemcpy2DAsync(
            back.as_mut_ptr().cast(),
            100,
            p,
            pitch,
            100,
            7,
            D2H,
            null_mut()
        ));
        ok!(cudaDeviceSynchronize());
        assert!(back.chunks(100).all(|row| row[..50] == [3; 50]));
        assert_eq!(back[150..200], source[150..200]);
        // Nothing between the rows was touched.
        let gap = read(p.wrapping_byte_add(100), pitch - 100);
        assert!(gap.iter().all(|b| *b == 0xcd));
        ok!(cudaFree(p));
    });
}

#[test]
fn pitches_are_checked() {
    let session = start(Policy::Random);
    let p = malloc(1024);
    let host = [0u8; 1024];
    let h = host.as_ptr().cast();
    let pitch = E::cudaErrorInvalidPitchValue;
    assert_eq!(cuda!(cudaMemcpy2D(p, 8, h, 16, 16, 2, H2D)), pitch);
    assert_eq!(
        cuda!(cudaMemcpy2D(p, 16, h, 8, 16, 2, H2D)),
        E::cudaErrorInvalidValue
    );
    assert_eq!(
        cuda!(cudaMemset2D(p, 8, 0, 16, 2)),
        E::cudaErrorInvalidValue
    );
    assert_eq!(
        cuda!(cudaMemcpy2D(p, usize::MAX, h, 16, 16, 3, H2D)),
        E::cudaErrorInvalidValue
    );
    ok!(cudaMemcpy2D(p, 8, h, 8, 16, 0, H2D));
    ok!(cudaMemcpy2D(p, 16, h, 16, 0, 4, H2D));
    ok!(cudaFree(p));
    assert_eq!(session.reports(), []);
}
