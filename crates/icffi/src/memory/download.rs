//! How device memory gets to plain slices.
#![allow(unsafe_code)]

use super::part::Part;
use crate::error::{self, Result};
use crate::op::Op;
use crate::ordering::Mode;
use crate::stream::Stream;
use crate::transfer::Transfer;
use crate::{device, rt, staging};
use bytemuck::AnyBitPattern;
use icffi_sys::cudaMemcpyKind;

impl<T: AnyBitPattern> Part<'_, T> {
    pub(super) fn download_and_wait(self, op: Op, stream: &Stream, target: &mut [T]) -> Result<()> {
        self.check_target(op, target)?;
        // SAFETY: the slice is as long as the part (checked) and borrowed for the call; any bits
        // make a `T`.
        unsafe { self.download(op, stream, target.as_mut_ptr()) }
    }

    pub(super) fn download_guarded<'a>(
        self,
        op: Op,
        stream: &Stream,
        target: &'a mut [T],
    ) -> Result<Transfer<'a, T>> {
        self.check_target(op, target)?;
        let Some(region) = self.region() else {
            return Ok(Transfer::complete(true));
        };
        region.check_stream(op, stream)?;
        stream.refuse_host_memory(op)?;
        let _current = device::enter(op, region.device())?;
        let mut access = region.acquire(op, stream, Mode::Read)?;
        // SAFETY: the region is live, kept alive and in order by its tracker, which has this
        // use registered.
        let landed =
            unsafe { staging::download_guarded(op, region.ptr(), region.bytes(), stream) }?;
        if let Some((data, event)) = landed {
            access.mark(&event);
            return Ok(Transfer::landing(stream, event, data, target));
        }
        drop(access);
        // SAFETY: as in `download_and_wait`.
        unsafe { self.download(op, stream, target.as_mut_ptr()) }?;
        Ok(Transfer::complete(true))
    }

    /// # Safety
    /// `target` stays valid, and is neither read nor written, until `stream` has passed the copy.
    pub(super) unsafe fn download_unguarded(
        self,
        op: Op,
        stream: &Stream,
        target: &mut [T],
    ) -> Result<()> {
        self.check_target(op, target)?;
        let Some(region) = self.region() else {
            return Ok(());
        };
        region.check_stream(op, stream)?;
        stream.refuse_host_memory(op)?;
        let _current = device::enter(op, region.device())?;
        let _access = region.acquire(op, stream, Mode::Read)?;
        // SAFETY: the target by the caller's contract; the region is live, kept alive and in
        // order by its tracker, which has this use registered.
        unsafe {
            rt::memcpy_async(
                op,
                target.as_mut_ptr().cast(),
                region.ptr(),
                region.bytes(),
                cudaMemcpyKind::cudaMemcpyDeviceToHost,
                stream.raw(),
            )
        }
    }

    pub(super) fn to_vec(self, op: Op, stream: &Stream) -> Result<Vec<T>> {
        let mut vec = Vec::with_capacity(self.len());
        // SAFETY: the vector has room for `len` elements, reached by its raw pointer, so that no
        // reference to a value that isn't there is made.
        unsafe { self.download(op, stream, vec.as_mut_ptr()) }?;
        // SAFETY: all `len` elements have been written (or are of size zero), and any bits make
        // a `T`.
        unsafe { vec.set_len(self.len()) };
        Ok(vec)
    }

    /// # Safety
    /// `target` is valid for writes of `self.len()` elements.
    unsafe fn download(self, op: Op, stream: &Stream, target: *mut T) -> Result<()> {
        let Some(region) = self.region() else {
            return Ok(());
        };
        region.check_stream(op, stream)?;
        stream.refuse_host_memory(op)?;
        let _current = device::enter(op, region.device())?;
        let _access = region.acquire(op, stream, Mode::Read)?;
        // SAFETY: the target by the caller's contract; the region is live, kept alive and in
        // order by its tracker, which has this use registered.
        unsafe { staging::download(op, target.cast(), region.ptr(), region.bytes(), stream) }
    }

    fn check_target(&self, op: Op, target: &[T]) -> Result<()> {
        if target.len() == self.len() {
            return Ok(());
        }
        Err(error::length_mismatch(
            op,
            ("device buffer", self.len()),
            ("target slice", target.len()),
        ))
    }
}
