//! A range of one allocation, as the copies see it.

use super::allocation::Allocation;
use crate::error::Result;
use crate::op::Op;
use crate::ordering::{Mode, Tracker};
use crate::stream::Stream;
use std::ffi::c_void;

/// # Invariants
/// 1. `bytes` (more than 0) bytes at `ptr` lie within `memory`.
#[derive(Clone, Copy, Debug)]
pub(super) struct Region<'m> {
    memory: &'m Allocation,
    ptr: *mut c_void,
    bytes: usize,
}

impl<'m> Region<'m> {
    /// All of it. `bytes` is the size it was allocated with.
    pub(super) fn whole(memory: &'m Allocation, bytes: usize) -> Self {
        Self {
            memory,
            ptr: memory.ptr(),
            bytes,
        }
    }

    pub(super) fn ptr(&self) -> *mut c_void {
        self.ptr
    }

    pub(super) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(super) fn device(&self) -> i32 {
        self.memory.device()
    }

    pub(super) fn tracker(&self) -> &'m Tracker {
        self.memory.tracker()
    }

    /// Refuses a stream of another device.
    pub(super) fn check_stream(&self, op: Op, stream: &Stream) -> Result<()> {
        stream.expect_device(op, "device buffer", self.device())
    }

    /// Orders the coming use behind those that conflict, and registers it.
    pub(super) fn acquire(&self, op: Op, stream: &Stream, mode: Mode) -> Result<()> {
        self.tracker().acquire(op, stream, mode)
    }
}
