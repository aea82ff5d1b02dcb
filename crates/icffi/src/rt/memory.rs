//! Allocation and copies.

use super::cuda;
use crate::error::Result;
use crate::op::Op;
use icffi_sys::{cudaMemcpyKind, cudaStream_t};
use std::ffi::c_void;

/// Blocks the CPU; may synchronize the device.
pub(crate) fn malloc(op: Op, bytes: usize) -> Result<*mut c_void> {
    let mut ptr = std::ptr::null_mut();
    // SAFETY: `ptr` outlives the call.
    unsafe { cuda!(op, cudaMalloc, &mut ptr, bytes) }?;
    Ok(ptr)
}

/// # Safety
/// `ptr` came from [`malloc`], is freed once, and no enqueued work uses it.
pub(crate) unsafe fn free(op: Op, ptr: *mut c_void) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaFree, ptr) }
}

pub(crate) fn malloc_async(op: Op, bytes: usize, stream: cudaStream_t) -> Result<*mut c_void> {
    let mut ptr = std::ptr::null_mut();
    // SAFETY: `ptr` outlives the call; the handle comes from a live `StreamCore`.
    unsafe { cuda!(op, cudaMallocAsync, &mut ptr, bytes, stream) }?;
    Ok(ptr)
}

/// # Safety
/// `ptr` came from [`malloc_async`], is freed once, and all work that uses it comes before this
/// point of `stream`.
pub(crate) unsafe fn free_async(op: Op, ptr: *mut c_void, stream: cudaStream_t) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaFreeAsync, ptr, stream) }
}

/// Blocks the CPU; may synchronize the device.
pub(crate) fn host_alloc(op: Op, bytes: usize, flags: u32) -> Result<*mut c_void> {
    let mut ptr = std::ptr::null_mut();
    // SAFETY: `ptr` outlives the call.
    unsafe { cuda!(op, cudaHostAlloc, &mut ptr, bytes, flags) }?;
    Ok(ptr)
}

/// # Safety
/// `ptr` came from [`host_alloc`], is freed once, and no enqueued work uses it.
pub(crate) unsafe fn free_host(op: Op, ptr: *mut c_void) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaFreeHost, ptr) }
}

/// # Safety
/// `bytes` bytes at `ptr` stay allocated until they are unregistered.
pub(crate) unsafe fn host_register(op: Op, ptr: *mut c_void, bytes: usize) -> Result<()> {
    let flags = icffi_sys::cudaHostRegisterDefault;
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaHostRegister, ptr, bytes, flags) }
}

/// # Safety
/// `ptr` was registered, and no enqueued work uses it.
pub(crate) unsafe fn host_unregister(op: Op, ptr: *mut c_void) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaHostUnregister, ptr) }
}

/// # Safety
/// `ptr` came from [`host_alloc`] and is live.
pub(crate) unsafe fn host_device_pointer(op: Op, ptr: *mut c_void) -> Result<*mut c_void> {
    let mut device = std::ptr::null_mut();
    // SAFETY: the caller's contract; `device` outlives the call; flags must be 0.
    unsafe { cuda!(op, cudaHostGetDevicePointer, &mut device, ptr, 0) }?;
    Ok(device)
}

/// # Safety
/// Both ranges of `bytes` bytes stay allocated, and free of conflicting access, until `stream`
/// has passed the copy.
pub(crate) unsafe fn memcpy_async(
    op: Op,
    dst: *mut c_void,
    src: *const c_void,
    bytes: usize,
    kind: cudaMemcpyKind,
    stream: cudaStream_t,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaMemcpyAsync, dst, src, bytes, kind, stream) }
}

/// # Safety
/// As for [`memcpy_async`]; each range is on the device named for it.
pub(crate) unsafe fn memcpy_peer_async(
    op: Op,
    (dst, dst_device): (*mut c_void, i32),
    (src, src_device): (*const c_void, i32),
    bytes: usize,
    stream: cudaStream_t,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        cuda!(
            op,
            cudaMemcpyPeerAsync,
            dst,
            dst_device,
            src,
            src_device,
            bytes,
            stream
        )
    }
}

/// # Safety
/// The range stays allocated, and free of conflicting access, until `stream` has passed this.
pub(crate) unsafe fn memset_async(
    op: Op,
    dst: *mut c_void,
    byte: u8,
    bytes: usize,
    stream: cudaStream_t,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe { cuda!(op, cudaMemsetAsync, dst, i32::from(byte), bytes, stream) }
}

/// # Safety
/// As for [`memcpy_async`], for `height` rows of `width` bytes, `dst_pitch` and `src_pitch` bytes
/// apart, neither of which is smaller than `width`.
pub(crate) unsafe fn memcpy_2d_async(
    op: Op,
    (dst, dst_pitch): (*mut c_void, usize),
    (src, src_pitch): (*const c_void, usize),
    width: usize,
    height: usize,
    kind: cudaMemcpyKind,
    stream: cudaStream_t,
) -> Result<()> {
    // SAFETY: the caller's contract.
    unsafe {
        cuda!(
            op,
            cudaMemcpy2DAsync,
            dst,
            dst_pitch,
            src,
            src_pitch,
            width,
            height,
            kind,
            stream
        )
    }
}
