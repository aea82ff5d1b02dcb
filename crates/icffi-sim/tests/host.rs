//! Pinned memory, registered memory, host functions.

mod common;
use common::*;
use std::sync::atomic::{AtomicU32, Ordering};

#[test]
fn pinned_memory_says_what_it_is() {
    sweep(|session| {
        let mut p = null_mut();
        let all = [
            (cudaHostAllocDefault, cudaHostAllocMapped),
            (cudaHostAllocPortable, cudaHostAllocMapped),
            (cudaHostAllocMapped, cudaHostAllocMapped),
            (
                cudaHostAllocWriteCombined,
                cudaHostAllocWriteCombined | cudaHostAllocMapped,
            ),
        ];
        for (flags, told) in all {
            ok!(cudaHostAlloc(&mut p, 1000, flags));
            // SAFETY: 1,000 bytes, initialised with poison.
            let bytes = unsafe { std::slice::from_raw_parts(p.cast::<u8>(), 1000) };
            assert_eq!(bytes, [0xcd; 1000]);
            let mut found = 99;
            ok!(cudaHostGetFlags(&mut found, p.wrapping_byte_add(8)));
            assert_eq!(found, told);
            let mut device = null_mut();
            ok!(cudaHostGetDevicePointer(&mut device, p, 0));
            assert_eq!(device, p);
            ok!(cudaFreeHost(p));
            let code = cuda!(cudaHostGetDevicePointer(&mut device, p, 0));
            assert_eq!(code, E::cudaErrorInvalidValue);
        }
        assert_eq!(
            cuda!(cudaHostAlloc(&mut p, 64, 8)),
            E::cudaErrorInvalidValue
        );
        ok!(cudaMallocHost(&mut p, 0));
        assert!(p.is_null());
        ok!(cudaFreeHost(null_mut()));
        assert_eq!(
            cuda!(cudaMallocHost(&mut p, usize::MAX)),
            E::cudaErrorMemoryAllocation
        );
        assert_eq!(
            cuda!(cudaMallocHost(&mut p, 1 << 46)),
            E::cudaErrorMemoryAllocation
        );
        assert_eq!(session.live(), Live::default());
    });
}

#[test]
fn own_memory_can_be_registered() {
    let session = start(Policy::Random);
    let mut own = vec![3u8; 8192];
    let p: *mut c_void = own.as_mut_ptr().cast();
    ok!(cudaHostRegister(p, 8192, cudaHostRegisterPortable));
    assert_eq!(session.live().pinned_bytes, 8192);
    let already = E::cudaErrorHostMemoryAlreadyRegistered;
    assert_eq!(
        cuda!(cudaHostRegister(p.wrapping_byte_add(4096), 64, 0)),
        already
    );
    let not = E::cudaErrorHostMemoryNotRegistered;
    let invalid = E::cudaErrorInvalidValue;
    assert_eq!(cuda!(cudaHostUnregister(p.wrapping_byte_add(64))), invalid);
    let mut device = null_mut();
    ok!(cudaHostGetDevicePointer(
        &mut device,
        p.wrapping_byte_add(5),
        0
    ));
    assert_eq!(device, p.wrapping_byte_add(5));
    assert_eq!(cuda!(cudaFreeHost(p)), invalid);
    assert_eq!(session.take_reports().len(), 1);
    ok!(cudaHostUnregister(p));
    assert_eq!(cuda!(cudaHostUnregister(p)), not);
    assert_eq!(cuda!(cudaHostRegister(null_mut(), 64, 0)), invalid);
    assert_eq!(cuda!(cudaHostRegister(p, 0, 0)), invalid);
    assert_eq!(cuda!(cudaHostRegister(p, 64, 64)), invalid);
    assert_eq!(session.live(), Live::default());
    assert_eq!(session.reports(), []);
}

#[test]
fn a_pointer_says_what_it_is() {
    let _session = Session::builder().devices(2).start();
    ok!(cudaSetDevice(1));
    let (d, h) = (malloc(64), pinned(64));
    ok!(cudaSetDevice(0));
    let look = |p: *const c_void| {
        let mut a = cudaPointerAttributes::default();
        ok!(cudaPointerGetAttributes(&mut a, p));
        (
            a.type_,
            a.device,
            a.devicePointer == p.cast_mut(),
            a.hostPointer == p.cast_mut(),
        )
    };
    use cudaMemoryType as T;
    let inside = d.wrapping_byte_add(5);
    assert_eq!(look(inside), (T::cudaMemoryTypeDevice, 1, true, false));
    assert_eq!(
        look(h.as_ptr().cast()),
        (T::cudaMemoryTypeHost, 1, true, true)
    );
    let local = 0u8;
    let unknown = (T::cudaMemoryTypeUnregistered, -2, false, true);
    assert_eq!(look((&raw const local).cast()), unknown);
    ok!(cudaFree(d));
    assert_eq!(look(d), unknown);
}

extern "C" fn count(data: *mut c_void) {
    // SAFETY: the tests pass a counter that outlives the stream's work.
    unsafe { &*data.cast::<AtomicU32>() }.fetch_add(1, Ordering::SeqCst);
}

#[test]
fn host_functions_run_in_stream_order() {
    sweep(|_| {
        static HITS: AtomicU32 = AtomicU32::new(0);
        HITS.store(0, Ordering::SeqCst);
        let (s, p) = (stream(), malloc(4));
        let data: *mut c_void = (&raw const HITS).cast_mut().cast();
        for _ in 0..5 {
            ok!(cudaMemsetAsync(p, 1, 4, s));
            ok!(cudaLaunchHostFunc(s, Some(count), data));
            // The counter itself is the source: it is read after the function ran.
            ok!(cudaMemcpyAsync(p, data, 4, H2D, s));
        }
        ok!(cudaStreamSynchronize(s));
        assert_eq!(HITS.load(Ordering::SeqCst), 5);
        assert_eq!(read(p, 4), 5u32.to_ne_bytes());
        let invalid = E::cudaErrorInvalidValue;
        assert_eq!(cuda!(cudaLaunchHostFunc(s, None, data)), invalid);
        assert_eq!(cuda!(cudaStreamAddCallback(s, None, data, 0)), invalid);
    });
}

#[test]
fn host_functions_must_not_call_cuda() {
    extern "C" fn forbidden(data: *mut c_void) {
        let mut p = null_mut();
        let mut n = 0;
        let codes = [
            cuda!(cudaMalloc(&mut p, 16)),
            cuda!(cudaStreamSynchronize(null_mut())),
            cuda!(cudaGetDevice(&mut n)),
            cuda!(cudaFree(null_mut())),
            cuda!(cudaGetLastError()),
            cuda!(cudaGetDeviceCount(&mut n)),
            cuda!(cudaDriverGetVersion(&mut n)),
        ];
        // SAFETY: the test passes a vector and waits for the stream.
        unsafe { &mut *data.cast::<Vec<E>>() }.extend(codes);
    }
    sweep(|_| {
        let s = stream();
        let mut codes: Vec<E> = Vec::new();
        ok!(cudaLaunchHostFunc(
            s,
            Some(forbidden),
            (&raw mut codes).cast()
        ));
        ok!(cudaStreamSynchronize(s));
        let not = E::cudaErrorNotPermitted;
        let fine = E::cudaSuccess;
        assert_eq!(codes, [not, not, not, not, not, fine, fine]);
        ok!(cudaGetLastError());
    });
}

#[test]
fn callbacks_get_stream_and_status() {
    extern "C" fn note(stream: cudaStream_t, status: E, data: *mut c_void) {
        // SAFETY: the test passes a vector and waits for the stream.
        unsafe { &mut *data.cast::<Vec<(usize, E)>>() }.push((stream as usize, status));
    }
    let session = start(Policy::Lazy);
    let s = stream();
    let mut seen: Vec<(usize, E)> = Vec::new();
    let data = (&raw mut seen).cast();
    ok!(cudaStreamAddCallback(s, Some(note), data, 0));
    assert_eq!(
        cuda!(cudaStreamAddCallback(s, Some(note), data, 1)),
        E::cudaErrorInvalidValue
    );
    ok!(cudaStreamSynchronize(s));
    assert_eq!(seen, [(s as usize, E::cudaSuccess)]);
    // After an error of the context, callbacks still come, with the error; plain functions
    // don't.
    static HITS: AtomicU32 = AtomicU32::new(0);
    let p = malloc_async(16, s);
    ok!(cudaStreamSynchronize(s));
    ok!(cudaMemsetAsync(p, 0, 16, s));
    ok!(cudaLaunchHostFunc(
        s,
        Some(count),
        (&raw const HITS).cast_mut().cast()
    ));
    ok!(cudaStreamAddCallback(s, Some(note), data, 0));
    ok!(cudaFree(p));
    assert_eq!(cuda!(cudaStreamSynchronize(s)), E::cudaErrorIllegalAddress);
    assert_eq!(seen[1], (s as usize, E::cudaErrorIllegalAddress));
    assert_eq!(HITS.load(Ordering::SeqCst), 0);
    assert_eq!(session.reports().len(), 1);
}

#[test]
fn a_host_function_that_waits_for_the_host_does_not_stop_it() {
    for policy in POLICIES {
        let session = start(policy);
        let (s, t, p) = (stream(), stream(), malloc(64));
        let gate = Gate::enqueue(s);
        ok!(cudaMemsetAsync(p, 1, 32, s));
        ok!(cudaMemsetAsync(p.wrapping_byte_add(32), 2, 32, t));
        ok!(cudaStreamSynchronize(t));
        assert_eq!(cuda!(cudaStreamQuery(s)), E::cudaErrorNotReady);
        assert!(session.pending() >= 2);
        gate.open();
        ok!(cudaStreamSynchronize(s));
        assert_eq!(read(p, 64), [[1; 32], [2; 32]].concat());
    }
}

#[test]
fn a_session_that_ends_waits_for_host_functions() {
    static HITS: AtomicU32 = AtomicU32::new(0);
    for policy in POLICIES {
        HITS.store(0, Ordering::SeqCst);
        let session = start(policy);
        let s = stream();
        for _ in 0..3 {
            ok!(cudaLaunchHostFunc(
                s,
                Some(count),
                (&raw const HITS).cast_mut().cast()
            ));
        }
        drop(session);
        assert_eq!(HITS.load(Ordering::SeqCst), 3);
    }
}

#[test]
fn threads_streams_and_host_functions_together() {
    for policy in POLICIES {
        for seed in 0..4 {
            let session = Session::builder().policy(policy).seed(seed).start();
            static HITS: AtomicU32 = AtomicU32::new(0);
            HITS.store(0, Ordering::SeqCst);
            let data = (&raw const HITS) as usize;
            std::thread::scope(|scope| {
                for t in 0..4 {
                    scope.spawn(move || {
                        let (s, e) = (
                            if t % 2 == 0 {
                                stream()
                            } else {
                                blocking_stream()
                            },
                            event(),
                        );
                        for i in 0..50 {
                            let p = malloc_async(256, s);
                            ok!(cudaMemsetAsync(p, i, 256, s));
                            ok!(cudaLaunchHostFunc(s, Some(count), data as *mut c_void));
                            ok!(cudaEventRecord(e, s));
                            ok!(cudaFreeAsync(p, s));
                            match i % 3 {
                                0 => ok!(cudaStreamSynchronize(s)),
                                1 => ok!(cudaEventSynchronize(e)),
                                _ => ok!(cudaMemsetAsync(null_mut(), 0, 0, null_mut())),
                            }
                        }
                        ok!(cudaStreamSynchronize(s));
                        ok!(cudaStreamDestroy(s));
                        ok!(cudaEventDestroy(e));
                    });
                }
            });
            assert_eq!(HITS.load(Ordering::SeqCst), 200);
            assert_eq!(session.live(), Live::default());
            assert_eq!(session.reports(), []);
        }
    }
}
