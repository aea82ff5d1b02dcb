//! How plain slices get to the device.
#![allow(unsafe_code)]

use super::part::Part;
use crate::error::{self, Result};
use crate::event::PooledEvent;
use crate::op::Op;
use crate::ordering::Mode;
use crate::stream::Stream;
use crate::transfer::Transfer;
use crate::{device, rt, staging};
use bytemuck::NoUninit;
use icffi_sys::cudaMemcpyKind;
use std::sync::Arc;

impl<T: NoUninit> Part<'_, T> {
    /// Everything but the wait: `None` if there is nothing to copy.
    fn upload(self, op: Op, stream: &Stream, source: &[T]) -> Result<Option<Arc<PooledEvent>>> {
        self.check_source(op, source)?;
        let Some(region) = self.region() else {
            return Ok(None);
        };
        region.check_stream(op, stream)?;
        stream.refuse_host_memory(op)?;
        let _current = device::enter(op, region.device())?;
        let mut access = region.acquire(op, stream, Mode::Write)?;
        // SAFETY: the slice is borrowed for the call, and `T: NoUninit` has no padding to read;
        // the region is live, of the same size (checked), kept alive and in order by its
        // tracker, which has this use registered.
        let event = unsafe {
            staging::upload(
                op,
                region.ptr(),
                source.as_ptr().cast(),
                region.bytes(),
                stream,
                1,
            )
        }?;
        access.mark(&event);
        Ok(Some(event))
    }

    pub(super) fn upload_and_wait(self, op: Op, stream: &Stream, source: &[T]) -> Result<()> {
        match self.upload(op, stream, source)? {
            Some(event) => event.handle().synchronize(op),
            None => Ok(()),
        }
    }

    pub(super) fn upload_guarded<'a>(
        self,
        op: Op,
        stream: &Stream,
        source: &'a [T],
    ) -> Result<Transfer<'a, T>> {
        Ok(match self.upload(op, stream, source)? {
            Some(event) => Transfer::marked(stream, event),
            None => Transfer::complete(true),
        })
    }

    /// # Safety
    /// `source` stays valid and unchanged until `stream` has passed the copy.
    pub(super) unsafe fn upload_unguarded(
        self,
        op: Op,
        stream: &Stream,
        source: &[T],
    ) -> Result<()> {
        self.check_source(op, source)?;
        let Some(region) = self.region() else {
            return Ok(());
        };
        region.check_stream(op, stream)?;
        stream.refuse_host_memory(op)?;
        let _current = device::enter(op, region.device())?;
        let _access = region.acquire(op, stream, Mode::Write)?;
        // SAFETY: the source by the caller's contract; the region as in `upload`.
        unsafe {
            rt::memcpy_async(
                op,
                region.ptr(),
                source.as_ptr().cast(),
                region.bytes(),
                cudaMemcpyKind::cudaMemcpyHostToDevice,
                stream.raw(),
            )
        }
    }

    fn check_source(&self, op: Op, source: &[T]) -> Result<()> {
        if source.len() == self.len() {
            return Ok(());
        }
        Err(error::length_mismatch(
            op,
            ("device buffer", self.len()),
            ("source slice", source.len()),
        ))
    }
}
