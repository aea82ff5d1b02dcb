//! Memory pools: what they reserve, give back and allow.

mod common;
use common::*;

fn default_pool() -> cudaMemPool_t {
    let mut pool = null_mut();
    ok!(cudaDeviceGetDefaultMemPool(&mut pool, 0));
    pool
}

fn get(pool: cudaMemPool_t, attr: cudaMemPoolAttr) -> u64 {
    let mut value = u64::MAX;
    ok!(cudaMemPoolGetAttribute(pool, attr, (&raw mut value).cast()));
    value
}

fn set(pool: cudaMemPool_t, attr: cudaMemPoolAttr, mut value: u64) -> E {
    cuda!(cudaMemPoolSetAttribute(pool, attr, (&raw mut value).cast()))
}

use cudaMemPoolAttr as A;
const RESERVED: A = A::cudaMemPoolAttrReservedMemCurrent;
const RESERVED_HIGH: A = A::cudaMemPoolAttrReservedMemHigh;
const USED: A = A::cudaMemPoolAttrUsedMemCurrent;
const USED_HIGH: A = A::cudaMemPoolAttrUsedMemHigh;
const THRESHOLD: A = A::cudaMemPoolAttrReleaseThreshold;

fn props(device: i32, max: usize) -> cudaMemPoolProps {
    cudaMemPoolProps {
        allocType: cudaMemAllocationType::cudaMemAllocationTypePinned,
        location: location(device),
        maxSize: max,
        ..Default::default()
    }
}

fn location(device: i32) -> cudaMemLocation {
    cudaMemLocation {
        type_: cudaMemLocationType::cudaMemLocationTypeDevice,
        id: device,
    }
}

#[test]
fn statistics_follow_allocations() {
    for policy in LATE {
        let _session = start(policy);
        let (pool, s) = (default_pool(), stream());
        let p = malloc_async(1 << 20, s);
        assert_eq!((get(pool, USED), get(pool, RESERVED)), (1 << 20, 1 << 20));
        ok!(cudaFreeAsync(p, s));
        // Not used from the call on, reserved until the host has seen it free.
        assert_eq!((get(pool, USED), get(pool, RESERVED)), (0, 1 << 20));
        ok!(cudaStreamSynchronize(s));
        assert_eq!((get(pool, USED), get(pool, RESERVED)), (0, 0));
        assert_eq!(
            (get(pool, USED_HIGH), get(pool, RESERVED_HIGH)),
            (1 << 20, 1 << 20)
        );
        assert_eq!(set(pool, USED_HIGH, 5), E::cudaErrorInvalidValue);
        assert_eq!(set(pool, USED_HIGH, 0), E::cudaSuccess);
        assert_eq!(set(pool, RESERVED_HIGH, 0), E::cudaSuccess);
        assert_eq!((get(pool, USED_HIGH), get(pool, RESERVED_HIGH)), (0, 0));
        assert_eq!(set(pool, USED, 0), E::cudaErrorInvalidValue);
    }
}

#[test]
fn the_threshold_keeps_memory_and_trim_gives_it_back() {
    let _session = start(Policy::Random);
    let (pool, s) = (default_pool(), stream());
    let (mut free, mut total) = (0, 0);
    assert_eq!(set(pool, THRESHOLD, u64::MAX), E::cudaSuccess);
    assert_eq!(get(pool, THRESHOLD), u64::MAX);
    ok!(cudaFreeAsync(malloc_async(1 << 20, s), s));
    ok!(cudaStreamSynchronize(s));
    assert_eq!((get(pool, USED), get(pool, RESERVED)), (0, 1 << 20));
    ok!(cudaMemGetInfo(&mut free, &mut total));
    assert_eq!(total - free, 1 << 20);
    // The next allocation takes what is kept.
    let p = malloc_async(1 << 19, s);
    assert_eq!(get(pool, RESERVED), 1 << 20);
    ok!(cudaMemPoolTrimTo(pool, 0));
    assert_eq!(get(pool, RESERVED), 1 << 19, "what is used stays");
    ok!(cudaFreeAsync(p, s));
    ok!(cudaStreamSynchronize(s));
    ok!(cudaMemPoolTrimTo(pool, 1 << 18));
    assert_eq!(get(pool, RESERVED), 1 << 18);
    ok!(cudaMemPoolTrimTo(pool, 0));
    ok!(cudaMemGetInfo(&mut free, &mut total));
    assert_eq!(total, free);
}

#[test]
fn what_a_pool_keeps_goes_to_those_who_need_it() {
    let _session = Session::builder()
        .policy(Policy::Random)
        .memory(1 << 20)
        .start();
    let (pool, s) = (default_pool(), stream());
    assert_eq!(set(pool, THRESHOLD, u64::MAX), E::cudaSuccess);
    ok!(cudaFreeAsync(malloc_async(800 << 10, s), s));
    ok!(cudaStreamSynchronize(s));
    assert_eq!(get(pool, RESERVED), 800 << 10);
    ok!(cudaFree(malloc(800 << 10)));
    assert_eq!(get(pool, RESERVED), 0);
}

#[test]
fn own_pools() {
    let session = Session::builder().policy(Policy::Lazy).devices(2).start();
    let s = stream();
    let mut pool = null_mut();
    ok!(cudaMemPoolCreate(&mut pool, &props(0, 1 << 20)));
    let mut p = null_mut();
    ok!(cudaMallocFromPoolAsync(&mut p, 1 << 19, pool, s));
    assert_eq!(get(pool, USED), 1 << 19);
    assert_eq!(get(default_pool(), USED), 0);
    let mut q = null_mut();
    let full = cuda!(cudaMallocFromPoolAsync(&mut q, 1 << 20, pool, s));
    assert_eq!(full, E::cudaErrorMemoryAllocation, "its own bound");
    // Destroyed with memory outstanding: the memory stays good until it is freed.
    ok!(cudaMemPoolDestroy(pool));
    assert_eq!(cuda!(cudaMemPoolTrimTo(pool, 0)), E::cudaErrorInvalidValue);
    ok!(cudaMemsetAsync(p, 1, 1 << 19, s));
    ok!(cudaFreeAsync(p, s));
    ok!(cudaStreamSynchronize(s));
    let (mut free, mut total) = (0, 0);
    ok!(cudaMemGetInfo(&mut free, &mut total));
    assert_eq!(free, total);
    // The current pool of a device.
    ok!(cudaMemPoolCreate(&mut pool, &props(0, 0)));
    ok!(cudaDeviceSetMemPool(0, pool));
    assert_eq!(
        cuda!(cudaDeviceSetMemPool(1, pool)),
        E::cudaErrorInvalidDevice
    );
    let p = malloc_async(4096, s);
    assert_eq!(get(pool, USED), 4096);
    ok!(cudaFreeAsync(p, s));
    ok!(cudaMemPoolDestroy(pool));
    let mut current = null_mut();
    ok!(cudaDeviceGetMemPool(&mut current, 0));
    assert_eq!(current, default_pool());
    assert_eq!(cuda!(cudaMemPoolDestroy(current)), E::cudaErrorInvalidValue);
    ok!(cudaDeviceSynchronize());
    // The same through locations.
    let (mut by_place, kind) = (
        null_mut(),
        cudaMemAllocationType::cudaMemAllocationTypePinned,
    );
    ok!(cudaMemGetDefaultMemPool(
        &mut by_place,
        &mut location(0),
        kind
    ));
    assert_eq!(by_place, current);
    ok!(cudaMemSetMemPool(&mut location(0), kind, current));
    ok!(cudaMemGetMemPool(&mut by_place, &mut location(0), kind));
    assert_eq!(by_place, current);
    let invalid = E::cudaErrorInvalidValue;
    assert_eq!(cuda!(cudaMemPoolCreate(&mut pool, &props(9, 0))), invalid);
    let mut wrong = props(0, 0);
    wrong.allocType = cudaMemAllocationType::cudaMemAllocationTypeInvalid;
    assert_eq!(cuda!(cudaMemPoolCreate(&mut pool, &wrong)), invalid);
    assert_eq!(session.reports(), []);
}

#[test]
fn access_of_other_devices_is_granted_by_the_pool() {
    let session = Session::builder().policy(Policy::Random).devices(2).start();
    let (pool, s) = (default_pool(), stream());
    let p = malloc_async(4096, s);
    ok!(cudaStreamSynchronize(s));
    ok!(cudaSetDevice(1));
    // Peer access is for memory outside pools.
    ok!(cudaDeviceEnablePeerAccess(0, 0));
    assert_eq!(cuda!(cudaMemset(p, 1, 64)), E::cudaErrorInvalidValue);
    assert_eq!(kinds(&session.take_reports()), [ReportKind::WrongDevice]);
    use cudaMemAccessFlags as F;
    let access = |device, flags| {
        let desc = cudaMemAccessDesc {
            location: location(device),
            flags,
        };
        cuda!(cudaMemPoolSetAccess(pool, &desc, 1))
    };
    let mut flags = F::cudaMemAccessFlagsProtNone;
    ok!(cudaMemPoolGetAccess(&mut flags, pool, &mut location(1)));
    assert_eq!(flags, F::cudaMemAccessFlagsProtNone);
    assert_eq!(
        access(1, F::cudaMemAccessFlagsProtReadWrite),
        E::cudaSuccess
    );
    ok!(cudaMemPoolGetAccess(&mut flags, pool, &mut location(1)));
    assert_eq!(flags, F::cudaMemAccessFlagsProtReadWrite);
    ok!(cudaMemset(p, 1, 64));
    assert_eq!(access(1, F::cudaMemAccessFlagsProtNone), E::cudaSuccess);
    assert_eq!(cuda!(cudaMemset(p, 1, 64)), E::cudaErrorInvalidValue);
    assert_eq!(
        access(0, F::cudaMemAccessFlagsProtNone),
        E::cudaErrorInvalidDevice
    );
    assert_eq!(
        access(1, F::cudaMemAccessFlagsProtRead),
        E::cudaErrorNotSupported
    );
    session.take_reports();
}
