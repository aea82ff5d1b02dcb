//! Host slice to device, through staging.
#![allow(unsafe_code)]

use super::pool;
use crate::error::Result;
use crate::event::{self, PooledEvent};
use crate::op::Op;
use crate::rt;
use crate::stream::Stream;
use icffi_sys::cudaMemcpyKind;
use std::ffi::c_void;
use std::sync::Arc;

/// Copies `bytes` (more than 0) bytes from `src` to the device. When it returns, `src` has been
/// read and may change; the device has the data once the returned event is passed. After an
/// error part of the copy may be enqueued, from staging memory only. `own` of the stream's
/// open accesses are the caller's and end with this copy.
///
/// # Safety
/// `src` is valid for reads of `bytes` bytes; `dst` is device memory of `bytes` bytes that stays
/// allocated, and free of conflicting access, until `stream` has passed the copy.
pub(crate) unsafe fn upload(
    op: Op,
    dst: *mut c_void,
    src: *const u8,
    bytes: usize,
    stream: &Stream,
    own: u64,
) -> Result<Arc<PooledEvent>> {
    let mut done = 0;
    loop {
        let chunk = (bytes - done).min(pool::LARGEST);
        let mut staged = pool::acquire(op, chunk)?;
        // SAFETY: `src` is valid for `bytes` bytes, of which `chunk` at `done` are a part.
        unsafe { staged.fill(src.add(done), chunk) };
        staged.enter_flight(stream);
        // SAFETY: the staging block outlives the copy (it returns to the pool only when the
        // stream has passed it); the destination by the caller's contract.
        unsafe {
            rt::memcpy_async(
                op,
                dst.byte_add(done),
                staged.device_side(),
                chunk,
                cudaMemcpyKind::cudaMemcpyHostToDevice,
                stream.raw(),
            )
        }?;
        done += chunk;
        // Only the last event stands behind the caller's whole use.
        let own = if done == bytes { own } else { 0 };
        let event = event::record(op, stream, own)?;
        staged.mark(stream, Arc::clone(&event));
        if done == bytes {
            return Ok(event);
        }
    }
}
