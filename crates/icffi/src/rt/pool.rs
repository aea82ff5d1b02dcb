//! Memory pools.

use super::cuda;
use crate::error::Result;
use crate::op::Op;
use icffi_sys::{
    cudaMemAccessDesc, cudaMemAccessFlags, cudaMemAllocationType, cudaMemLocation,
    cudaMemLocationType, cudaMemPool_t, cudaMemPoolAttr, cudaMemPoolProps, cudaStream_t,
};
use std::ffi::c_void;

fn on_device(ordinal: i32) -> cudaMemLocation {
    cudaMemLocation {
        type_: cudaMemLocationType::cudaMemLocationTypeDevice,
        id: ordinal,
    }
}

pub(crate) fn pool_create(op: Op, ordinal: i32) -> Result<cudaMemPool_t> {
    let properties = cudaMemPoolProps {
        allocType: cudaMemAllocationType::cudaMemAllocationTypePinned,
        location: on_device(ordinal),
        ..Default::default()
    };
    let mut pool = std::ptr::null_mut();
    // SAFETY: both outlive the call.
    unsafe { cuda!(op, cudaMemPoolCreate, &mut pool, &properties) }?;
    Ok(pool)
}

pub(crate) fn default_pool(op: Op, ordinal: i32) -> Result<cudaMemPool_t> {
    let mut pool = std::ptr::null_mut();
    // SAFETY: `pool` outlives the call; a wrong ordinal is an error.
    unsafe { cuda!(op, cudaDeviceGetDefaultMemPool, &mut pool, ordinal) }?;
    Ok(pool)
}

/// # Safety
/// `pool` came from [`pool_create`] and is not used afterwards. Allocations from it may live on.
pub(crate) unsafe fn pool_destroy(op: Op, pool: cudaMemPool_t) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaMemPoolDestroy, pool) }
}

/// # Safety
/// `pool` is live.
pub(crate) unsafe fn pool_trim(op: Op, pool: cudaMemPool_t, keep: usize) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaMemPoolTrimTo, pool, keep) }
}

/// # Safety
/// `pool` is live and `attribute` is one of 64 bits.
pub(crate) unsafe fn pool_get(
    op: Op,
    pool: cudaMemPool_t,
    attribute: cudaMemPoolAttr,
) -> Result<u64> {
    let mut value = 0u64;
    let pointer = (&raw mut value).cast::<c_void>();
    // SAFETY: the caller's contract; the call writes 64 bits to `value`, which outlives it.
    unsafe { cuda!(op, cudaMemPoolGetAttribute, pool, attribute, pointer) }?;
    Ok(value)
}

/// # Safety
/// `pool` is live and `attribute` is one of 64 bits.
pub(crate) unsafe fn pool_set(
    op: Op,
    pool: cudaMemPool_t,
    attribute: cudaMemPoolAttr,
    mut value: u64,
) -> Result<()> {
    let pointer = (&raw mut value).cast::<c_void>();
    // SAFETY: the caller's contract; the call reads 64 bits of `value`, which outlives it.
    unsafe { cuda!(op, cudaMemPoolSetAttribute, pool, attribute, pointer) }
}

/// # Safety
/// `pool` is live.
pub(crate) unsafe fn pool_allow(op: Op, pool: cudaMemPool_t, accessor: i32) -> Result<()> {
    let access = cudaMemAccessDesc {
        location: on_device(accessor),
        flags: cudaMemAccessFlags::cudaMemAccessFlagsProtReadWrite,
    };
    // SAFETY: the caller's contract; one description, which outlives the call.
    unsafe { cuda!(op, cudaMemPoolSetAccess, pool, &access, 1) }
}

/// # Safety
/// `pool` is live.
pub(crate) unsafe fn malloc_from_pool(
    op: Op,
    bytes: usize,
    pool: cudaMemPool_t,
    stream: cudaStream_t,
) -> Result<*mut c_void> {
    let mut ptr = std::ptr::null_mut();
    // SAFETY: the caller's contract; `ptr` outlives the call; the stream is live.
    unsafe { cuda!(op, cudaMallocFromPoolAsync, &mut ptr, bytes, pool, stream) }?;
    Ok(ptr)
}
