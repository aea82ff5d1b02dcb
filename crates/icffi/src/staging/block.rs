//! One piece of pinned staging memory, and who has it.
#![allow(unsafe_code)]

use super::pool;
use crate::error::{self, Result};
use crate::event::PooledEvent;
use crate::op::Op;
use crate::ordering::Use;
use crate::rt;
use crate::stream::Stream;
use std::ffi::c_void;
use std::ptr::NonNull;
use std::sync::Arc;

/// # Invariants
/// 1. `ptr` came from `cudaHostAlloc` with at least `bytes` bytes, all of them initialised, and
///    only [`Block::free`], which takes `self`, frees it.
/// 2. Whoever owns the `Block` knows that the device does not use it.
#[derive(Debug)]
pub(super) struct Block {
    ptr: NonNull<u8>,
    bytes: usize,
}

// SAFETY: plain memory with one owner.
unsafe impl Send for Block {}

impl Block {
    pub(super) fn alloc(op: Op, bytes: usize) -> Result<Self> {
        // Portable: staging serves every device.
        let ptr = rt::host_alloc(op, bytes, icffi_sys::cudaHostAllocPortable)?;
        let ptr = NonNull::new(ptr.cast::<u8>())
            .ok_or_else(|| error::null(op, "cudaHostAlloc", bytes))?;
        // SAFETY: `bytes` bytes were just allocated at `ptr`.
        unsafe { ptr.write_bytes(0, bytes) };
        Ok(Self { ptr, bytes })
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn free(self, op: Op) -> Result<()> {
        // SAFETY: invariants 1 and 2; `self` is consumed.
        unsafe { rt::free_host(op, self.ptr.as_ptr().cast()) }
    }
}

/// A block in the hands of one transfer. Dropped at any moment it goes where it is safe: back to
/// the idle ones, or, once a stream has been given it, among those in flight.
#[derive(Debug)]
pub(crate) struct Staged {
    block: Option<Block>,
    in_flight: Option<Use>,
}

impl Staged {
    pub(super) fn new(block: Block) -> Self {
        Self {
            block: Some(block),
            in_flight: None,
        }
    }

    fn block(&self) -> &Block {
        self.block.as_ref().expect("only `drop` takes it")
    }

    pub(super) fn device_side(&self) -> *mut c_void {
        self.block().ptr.as_ptr().cast()
    }

    /// To be called before the block is named in a call: from here on the device may use it,
    /// whether the call reports success or not.
    pub(super) fn enter_flight(&mut self, stream: &Stream) {
        self.in_flight = Some(Use::late(stream));
    }

    pub(super) fn mark(&mut self, stream: &Stream, event: Arc<PooledEvent>) {
        self.in_flight = Some(Use::marked(stream, event));
    }

    /// Blocks the CPU until the device has finished with the block.
    pub(super) fn land(&mut self, op: Op) -> Result<()> {
        if let Some(flight) = &self.in_flight {
            flight.wait(op)?;
            self.in_flight = None;
        }
        Ok(())
    }

    /// The caller has waited for an event recorded after the block's last use.
    pub(super) fn assume_landed(&mut self) {
        self.in_flight = None;
    }

    /// Copies `bytes` bytes in.
    ///
    /// # Safety
    /// `src` is valid for reads of `bytes` bytes, no more than asked of the pool.
    pub(super) unsafe fn fill(&mut self, src: *const u8, bytes: usize) {
        let block = self.block();
        assert!(self.in_flight.is_none() && bytes <= block.bytes);
        // SAFETY: the caller's contract for `src`; the block is large enough (asserted), ours
        // alone and idle, so nothing overlaps.
        unsafe { std::ptr::copy_nonoverlapping(src, block.ptr.as_ptr(), bytes) };
    }

    /// Copies `bytes` bytes out.
    ///
    /// # Safety
    /// `dst` is valid for writes of `bytes` bytes.
    pub(super) unsafe fn empty(&self, dst: *mut u8, bytes: usize) {
        let block = self.block();
        assert!(self.in_flight.is_none() && bytes <= block.bytes);
        // SAFETY: the caller's contract for `dst`; the block is large enough (asserted),
        // initialised (invariant 1), idle, and not the caller's memory.
        unsafe { std::ptr::copy_nonoverlapping(block.ptr.as_ptr(), dst, bytes) };
    }
}

impl Drop for Staged {
    fn drop(&mut self) {
        if let Some(block) = self.block.take() {
            match self.in_flight.take() {
                None => pool::give_back(block),
                Some(flight) => pool::give_back_after(block, flight),
            }
        }
    }
}
