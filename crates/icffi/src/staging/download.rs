//! Device to host slice, through staging.
#![allow(unsafe_code)]

use super::block::Staged;
use super::pool;
use crate::error::Result;
use crate::event::{self, PooledEvent};
use crate::op::Op;
use crate::rt;
use crate::stream::Stream;
use icffi_sys::cudaMemcpyKind;
use std::ffi::c_void;
use std::sync::Arc;

/// How many blocks a blocking download keeps in flight: one lands while the other is copied out.
const DEPTH: usize = 2;

/// Copies `bytes` (more than 0) bytes from the device to `dst` and blocks the CPU until all are
/// there. After an error `dst` holds old and new bytes, and nothing will write to it later.
///
/// # Safety
/// `dst` is valid for writes of `bytes` bytes; `src` is device memory of `bytes` bytes that stays
/// allocated, and free of conflicting access, until `stream` has passed the copy.
pub(crate) unsafe fn download(
    op: Op,
    dst: *mut u8,
    src: *const c_void,
    bytes: usize,
    stream: &Stream,
) -> Result<()> {
    let mut flying: std::collections::VecDeque<(Staged, usize, usize)> = Default::default();
    let mut enqueued = 0;
    let mut landed = 0;
    while landed < bytes {
        while enqueued < bytes && flying.len() < DEPTH {
            let chunk = (bytes - enqueued).min(pool::LARGEST);
            let mut staged = pool::acquire(op, chunk)?;
            // SAFETY: `src` is valid for `bytes` bytes by the caller's contract.
            unsafe { enqueue(op, &mut staged, src.byte_add(enqueued), chunk, stream) }?;
            let event = event::record(op, stream, 0)?;
            staged.mark(stream, event);
            flying.push_back((staged, enqueued, chunk));
            enqueued += chunk;
        }
        if let Some((mut staged, offset, chunk)) = flying.pop_front() {
            staged.land(op)?;
            // SAFETY: `dst` is valid for `bytes` bytes, of which `chunk` at `offset` are a part.
            unsafe { staged.empty(dst.add(offset), chunk) };
            landed += chunk;
        }
    }
    Ok(())
}

/// Data on its way from the device into staging memory that this owns.
#[derive(Debug)]
pub(crate) struct Landed {
    blocks: Vec<Staged>,
    bytes: usize,
}

impl Landed {
    /// Copies everything to `dst`.
    ///
    /// # Safety
    /// The event returned with `self` is passed; `dst` is valid for writes of the downloaded
    /// number of bytes.
    pub(crate) unsafe fn copy_out(mut self, dst: *mut u8) {
        let mut done = 0;
        for staged in &mut self.blocks {
            let chunk = (self.bytes - done).min(pool::LARGEST);
            // The caller has waited for the event behind all of them.
            staged.assume_landed();
            // SAFETY: the caller's contract for `dst`, of which this is a part.
            unsafe { staged.empty(dst.add(done), chunk) };
            done += chunk;
        }
    }
}

/// Enqueues a download into staging memory of its own, without blocking. `None`, with nothing
/// enqueued, if the bound on staging memory leaves no room. The caller has one access of
/// `stream` open, for this copy.
///
/// # Safety
/// `src` is device memory of `bytes` bytes that stays allocated, and free of conflicting access,
/// until `stream` has passed the copy.
pub(crate) unsafe fn download_guarded(
    op: Op,
    src: *const c_void,
    bytes: usize,
    stream: &Stream,
) -> Result<Option<(Landed, Arc<PooledEvent>)>> {
    let sizes =
        (0..bytes.div_ceil(pool::LARGEST)).map(|i| (bytes - i * pool::LARGEST).min(pool::LARGEST));
    let Some(blocks) = pool::acquire_all(op, sizes)? else {
        return Ok(None);
    };
    let mut landed = Landed { blocks, bytes };
    let mut done = 0;
    for staged in &mut landed.blocks {
        let chunk = (bytes - done).min(pool::LARGEST);
        // SAFETY: `src` is valid for `bytes` bytes by the caller's contract.
        unsafe { enqueue(op, staged, src.byte_add(done), chunk, stream) }?;
        done += chunk;
    }
    let event = event::record(op, stream, 1)?;
    for staged in &mut landed.blocks {
        staged.mark(stream, Arc::clone(&event));
    }
    Ok(Some((landed, event)))
}

/// # Safety
/// `src` is device memory of `bytes` bytes that stays allocated, and free of conflicting access,
/// until `stream` has passed the copy.
unsafe fn enqueue(
    op: Op,
    staged: &mut Staged,
    src: *const c_void,
    bytes: usize,
    stream: &Stream,
) -> Result<()> {
    staged.enter_flight(stream);
    // SAFETY: the staging block outlives the copy (it is reused only when the stream has passed
    // it); the source by the caller's contract.
    unsafe {
        rt::memcpy_async(
            op,
            staged.device_side(),
            src,
            bytes,
            cudaMemcpyKind::cudaMemcpyDeviceToHost,
            stream.raw(),
        )
    }
}
