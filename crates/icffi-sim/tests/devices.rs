//! Devices: describing, choosing, peers, resetting.

mod common;
use common::*;
use std::ffi::CStr;

#[test]
fn a_device_describes_itself_in_one_voice() {
    let _session = Session::builder().devices(3).memory(5 << 30).start();
    let mut count = 0;
    ok!(cudaGetDeviceCount(&mut count));
    assert_eq!(count, 3);
    let mut p = cudaDeviceProp::default();
    ok!(cudaGetDeviceProperties(&mut p, 2));
    // SAFETY: the name ends with a zero within its array.
    let name = unsafe { CStr::from_ptr(p.name.as_ptr()) };
    assert_eq!(name, c"icffi simulator");
    assert_eq!(p.totalGlobalMem, 5 << 30);
    let attribute = |attr| {
        let mut value = -7;
        ok!(cudaDeviceGetAttribute(&mut value, attr, 2));
        value
    };
    use cudaDeviceAttr as A;
    assert_eq!(attribute(A::cudaDevAttrMemoryPoolsSupported), 1);
    assert_eq!(attribute(A::cudaDevAttrWarpSize), 32);
    assert_eq!(attribute(A::cudaDevAttrComputeCapabilityMajor), p.major);
    assert_eq!(
        attribute(A::cudaDevAttrMultiProcessorCount),
        p.multiProcessorCount
    );
    assert_eq!(
        attribute(A::cudaDevAttrMaxThreadsPerBlock),
        p.maxThreadsPerBlock
    );
    assert_eq!(attribute(A::cudaDevAttrManagedMemory), 0);
    let mut value = 0;
    for wrong in [0, 148, 149] {
        let code = cuda!(cudaDeviceGetAttribute(&mut value, A(wrong), 0));
        assert_eq!(code, E::cudaErrorInvalidValue);
    }
    assert_eq!(
        cuda!(cudaDeviceGetAttribute(&mut value, A(1), 3)),
        E::cudaErrorInvalidDevice
    );
    let (mut driver, mut runtime) = (0, 0);
    ok!(cudaDriverGetVersion(&mut driver));
    ok!(cudaRuntimeGetVersion(&mut runtime));
    assert!(driver >= runtime && runtime == CUDART_VERSION as i32);
    let mut text = [0; 32];
    ok!(cudaDeviceGetPCIBusId(text.as_mut_ptr(), 32, 2));
    let mut found = -1;
    ok!(cudaDeviceGetByPCIBusId(&mut found, text.as_ptr()));
    assert_eq!(found, 2);
    assert_eq!(
        cuda!(cudaDeviceGetPCIBusId(text.as_mut_ptr(), 4, 2)),
        E::cudaErrorInvalidValue
    );
    let mut flags = 0;
    ok!(cudaSetDeviceFlags(cudaDeviceScheduleBlockingSync));
    ok!(cudaGetDeviceFlags(&mut flags));
    assert_eq!(flags, cudaDeviceScheduleBlockingSync | cudaDeviceMapHost);
    assert_eq!(cuda!(cudaSetDeviceFlags(3)), E::cudaErrorInvalidValue);
    let mut limit = 0;
    ok!(cudaDeviceSetLimit(cudaLimit::cudaLimitStackSize, 4096));
    ok!(cudaDeviceGetLimit(
        &mut limit,
        cudaLimit::cudaLimitStackSize
    ));
    assert_eq!(limit, 4096);
}

#[test]
fn the_current_device_is_the_threads() {
    let _session = Session::builder().devices(2).start();
    let current = || {
        let mut device = -1;
        ok!(cudaGetDevice(&mut device));
        device
    };
    ok!(cudaSetDevice(1));
    assert_eq!(current(), 1);
    std::thread::scope(|s| {
        s.spawn(|| assert_eq!(current(), 0));
    });
    for wrong in [2, -1] {
        assert_eq!(cuda!(cudaSetDevice(wrong)), E::cudaErrorInvalidDevice);
    }
    assert_eq!(current(), 1);
    drop(_session);
    let _session = Session::builder().devices(2).start();
    assert_eq!(current(), 0, "a new machine");
}

#[test]
fn a_machine_without_devices() {
    let _session = Session::builder().devices(0).start();
    let mut count = 9;
    assert_eq!(cuda!(cudaGetDeviceCount(&mut count)), E::cudaErrorNoDevice);
    assert_eq!(count, 0);
    let mut p = null_mut();
    assert_eq!(cuda!(cudaMalloc(&mut p, 16)), E::cudaErrorNoDevice);
    assert_eq!(cuda!(cudaSetDevice(0)), E::cudaErrorNoDevice);
    assert_eq!(cuda!(cudaDeviceSynchronize()), E::cudaErrorNoDevice);
}

#[test]
fn devices_have_their_own_memory() {
    for policy in POLICIES {
        let session = Session::builder()
            .policy(policy)
            .devices(2)
            .memory(1 << 20)
            .start();
        let a = malloc(1 << 20);
        ok!(cudaSetDevice(1));
        let b = malloc(1 << 20);
        upload(b, &[7; 64]);
        // A copy finds its way; a fill or kernel needs access.
        ok!(cudaMemcpyPeer(a, 0, b, 1, 64));
        assert_eq!(
            cuda!(cudaMemcpyPeer(a, 1, b, 0, 64)),
            E::cudaErrorInvalidValue
        );
        assert_eq!(
            cuda!(cudaMemcpyPeer(a, 5, b, 0, 64)),
            E::cudaErrorInvalidDevice
        );
        ok!(cudaMemcpyPeerAsync(
            a.wrapping_byte_add(64),
            0,
            b,
            1,
            64,
            null_mut()
        ));
        ok!(cudaDeviceSynchronize());
        assert_eq!(cuda!(cudaMemset(a, 1, 64)), E::cudaErrorInvalidValue);
        let wrong = ReportKind::WrongDevice;
        assert_eq!(kinds(&session.take_reports()), [wrong, wrong]);
        let mut can = 0;
        ok!(cudaDeviceCanAccessPeer(&mut can, 1, 0));
        assert_eq!(can, 1);
        ok!(cudaDeviceCanAccessPeer(&mut can, 1, 1));
        assert_eq!(can, 0);
        ok!(cudaDeviceEnablePeerAccess(0, 0));
        let again = E::cudaErrorPeerAccessAlreadyEnabled;
        assert_eq!(cuda!(cudaDeviceEnablePeerAccess(0, 0)), again);
        ok!(cudaMemset(a.wrapping_byte_add(128), 1, 64));
        ok!(cudaDeviceDisablePeerAccess(0));
        let not = E::cudaErrorPeerAccessNotEnabled;
        assert_eq!(cuda!(cudaDeviceDisablePeerAccess(0)), not);
        ok!(cudaDeviceSynchronize());
        assert_eq!(read(a, 192), [[7; 64], [7; 64], [1; 64]].concat());
        ok!(cudaFree(a));
        ok!(cudaFree(b));
        assert_eq!(session.reports(), []);
    }
}

#[test]
fn an_error_of_one_device_does_not_touch_another() {
    let session = Session::builder().policy(Policy::Lazy).devices(2).start();
    let s = stream();
    let p = malloc_async(64, s);
    ok!(cudaStreamSynchronize(s));
    ok!(cudaMemsetAsync(p, 0, 64, s));
    ok!(cudaFree(p));
    let illegal = E::cudaErrorIllegalAddress;
    assert_eq!(cuda!(cudaDeviceSynchronize()), illegal);
    ok!(cudaSetDevice(1));
    let q = malloc(64);
    ok!(cudaMemset(q, 1, 64));
    ok!(cudaDeviceSynchronize());
    assert_eq!(cuda!(cudaStreamSynchronize(s)), illegal);
    ok!(cudaSetDevice(0));
    assert_eq!(cuda!(cudaFree(q)), illegal);
    ok!(cudaDeviceReset());
    ok!(cudaFree(q));
    assert_eq!(session.live(), Live::default());
    session.take_reports();
}

#[test]
fn a_reset_ends_everything_of_the_device() {
    let session = Session::builder().policy(Policy::Lazy).devices(2).start();
    ok!(cudaSetDevice(1));
    let kept = malloc(64);
    ok!(cudaSetDevice(0));
    let (p, s, e, h) = (malloc(64), stream(), event(), pinned(64));
    let q = malloc_async(4096, s);
    ok!(cudaMemsetAsync(p, 1, 64, s));
    ok!(cudaDeviceReset());
    let live = session.live();
    assert_eq!((live.device_allocations, live.pinned_allocations), (1, 0));
    assert_eq!((live.streams, live.events), (0, 0));
    for gone in [p, q] {
        assert_eq!(cuda!(cudaFree(gone)), E::cudaErrorInvalidValue);
    }
    assert_eq!(
        cuda!(cudaFreeHost(h.as_mut_ptr().cast())),
        E::cudaErrorInvalidValue
    );
    assert_eq!(
        cuda!(cudaStreamSynchronize(s)),
        E::cudaErrorInvalidResourceHandle
    );
    assert_eq!(cuda!(cudaEventQuery(e)), E::cudaErrorInvalidResourceHandle);
    let (mut free, mut total) = (0, 0);
    ok!(cudaMemGetInfo(&mut free, &mut total));
    assert_eq!(free, total);
    ok!(cudaFree(kept));
    session.take_reports();
}
