//! A range of one allocation as the operations see it: a whole buffer or a view.

use super::allocation::Allocation;
use crate::abi::{InBufferDesc, OutBufferDesc};
use crate::error::Result;
use crate::op::Op;
use crate::ordering::{Access, Mode};
use crate::stream::Stream;
use std::ffi::c_void;
use std::fmt;
use std::marker::PhantomData;
use std::ops::Range;
use std::sync::Arc;

/// `len` elements of device memory. Whoever makes one holds the borrow that the operation needs:
/// shared for reading, exclusive for writing.
///
/// # Invariants
/// 1. The elements lie within `memory`, from byte `start` on, which aligns to `T`.
/// 2. `memory` is `None` if and only if there are no bytes.
pub(super) struct Part<'m, T> {
    memory: Option<&'m Arc<Allocation>>,
    start: usize,
    len: usize,
    device: i32,
    _element: PhantomData<T>,
}

impl<T> Clone for Part<'_, T> {
    fn clone(&self) -> Self {
        *self
    }
}
impl<T> Copy for Part<'_, T> {}

impl<'m, T> Part<'m, T> {
    /// All of an allocation, of `len` elements; `device` matters where there is none.
    pub(super) fn whole(memory: Option<&'m Arc<Allocation>>, len: usize, device: i32) -> Self {
        Self {
            memory,
            start: 0,
            len,
            device,
            _element: PhantomData,
        }
    }

    /// The elements of `range`, which the caller has checked to lie within.
    pub(super) fn sub(self, range: Range<usize>) -> Self {
        assert!(range.start <= range.end && range.end <= self.len);
        let len = range.end - range.start;
        let memory = self.memory.filter(|_| len > 0);
        Self {
            memory,
            start: self.start + range.start * size_of::<T>(),
            len,
            ..self
        }
    }

    /// The same bytes as elements of another type. The caller has checked size and alignment.
    pub(super) fn retype<U>(self, len: usize) -> Part<'m, U> {
        assert!(len * size_of::<U>() == self.bytes());
        let (memory, start, device) = (self.memory, self.start, self.device);
        Part {
            memory,
            start,
            len,
            device,
            _element: PhantomData,
        }
    }

    pub(super) fn len(&self) -> usize {
        self.len
    }

    pub(super) fn bytes(&self) -> usize {
        self.len * size_of::<T>()
    }

    pub(super) fn device(&self) -> i32 {
        self.device
    }

    /// The device address; dangling but aligned if there are no bytes.
    pub(super) fn ptr(&self) -> *mut T {
        self.memory.map_or(std::ptr::dangling_mut(), |m| {
            m.ptr().wrapping_byte_add(self.start).cast()
        })
    }

    /// The raw descriptor for reading; null if there are no bytes.
    pub(super) fn as_in(&self) -> InBufferDesc<T> {
        let ptr = if self.memory.is_some() {
            self.ptr().cast_const()
        } else {
            std::ptr::null()
        };
        InBufferDesc::new(ptr, self.len as u64)
    }

    /// The raw descriptor for writing; null if there are no bytes.
    pub(super) fn as_out(&self) -> OutBufferDesc<T> {
        let ptr = if self.memory.is_some() {
            self.ptr()
        } else {
            std::ptr::null_mut()
        };
        OutBufferDesc::new(ptr, self.len as u64)
    }

    /// What a log shows of it.
    pub(super) fn debug(&self, name: &str, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct(name)
            .field("ptr", &self.ptr())
            .field("len", &self.len)
            .field("bytes", &self.bytes())
            .field("device", &self.device)
            .finish()
    }

    /// For a use that other code enqueues while the result lives.
    pub(super) fn lend<'a>(
        self,
        op: Op,
        stream: &'a Stream,
        mode: Mode,
    ) -> Result<Option<Access<'a>>>
    where
        'm: 'a,
    {
        // Checked without bytes as well: the kernel is launched all the same.
        stream.expect_device(op, "device buffer", self.device)?;
        if let Some(capture) = stream.capture_state() {
            capture.check(op)?;
        }
        let Some(region) = self.region() else {
            return Ok(None);
        };
        region.acquire(op, stream, mode).map(Some)
    }

    /// The memory to work on, if there are bytes.
    pub(super) fn region(&self) -> Option<Region<'m>> {
        let memory = self.memory?;
        Some(Region {
            memory,
            start: self.start,
            bytes: self.bytes(),
        })
    }
}

/// The bytes of a part that has some.
///
/// # Invariants
/// 1. `bytes` (more than 0) bytes from `start` on lie within `memory`.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Region<'m> {
    memory: &'m Arc<Allocation>,
    start: usize,
    bytes: usize,
}

impl<'m> Region<'m> {
    pub(crate) fn ptr(&self) -> *mut c_void {
        self.memory.ptr().wrapping_byte_add(self.start)
    }

    pub(crate) fn bytes(&self) -> usize {
        self.bytes
    }

    pub(crate) fn device(&self) -> i32 {
        self.memory.device()
    }

    /// Refuses a stream of another device.
    pub(crate) fn check_stream(&self, op: Op, stream: &Stream) -> Result<()> {
        stream.expect_device(op, "device buffer", self.device())
    }

    /// Orders the coming use behind those that conflict, and registers it. The use is taken for
    /// enqueued when the result is dropped.
    pub(crate) fn acquire<'a>(&self, op: Op, stream: &'a Stream, mode: Mode) -> Result<Access<'a>>
    where
        'm: 'a,
    {
        let range = self.start..self.start + self.bytes;
        match stream.capture_state() {
            None => self.memory.tracker().acquire(op, stream, mode, range),
            Some(capture) => capture.acquire(op, self.memory, stream, mode, range),
        }
    }
}
