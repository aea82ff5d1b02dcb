//! How device memory and pinned memory exchange data: no staging, no CPU time.
#![allow(unsafe_code)]

use super::part::Part;
use crate::error::{self, Result};
use crate::event::PooledEvent;
use crate::host_memory::HostBuffer;
use crate::op::Op;
use crate::ordering::{Access, Mode};
use crate::stream::Stream;
use crate::transfer::Transfer;
use crate::{device, rt};
use bytemuck::{AnyBitPattern, NoUninit};
use icffi_sys::cudaMemcpyKind;
use std::sync::Arc;

/// Whether an event is to be recorded behind the copy.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Marking {
    /// For a guard or a wait.
    Event,
    /// Sound without: the pinned buffer waits for the stream where it can't wait for an event.
    None,
}

impl<T: NoUninit> Part<'_, T> {
    /// Enqueues the copy, registered on both sides; the event if asked for and if there is
    /// anything to copy.
    pub(super) fn send(
        self,
        op: Op,
        stream: &Stream,
        source: &HostBuffer<T>,
        marking: Marking,
    ) -> Result<Option<Arc<PooledEvent>>> {
        check_lengths(op, self.len(), source.len())?;
        let (Some(region), Some(host)) = (self.region(), source.tracker()) else {
            return Ok(None);
        };
        region.check_stream(op, stream)?;
        stream.refuse_host_memory(op)?;
        let _current = device::enter(op, region.device())?;
        let mut reading = host.acquire(op, stream, Mode::Read, 0..region.bytes())?;
        let mut writing = region.acquire(op, stream, Mode::Write)?;
        // SAFETY: both are live, of one size (checked), kept alive and in order by their
        // trackers, which have this use registered; `T: NoUninit` has no padding to read.
        unsafe {
            rt::memcpy_async(
                op,
                region.ptr(),
                source.as_ptr().cast(),
                region.bytes(),
                cudaMemcpyKind::cudaMemcpyHostToDevice,
                stream.raw(),
            )
        }?;
        if marking == Marking::None {
            return Ok(None);
        }
        Access::mark_all(op, stream, &mut [&mut reading, &mut writing]).map(Some)
    }

    pub(super) fn send_and_wait(
        self,
        op: Op,
        stream: &Stream,
        source: &HostBuffer<T>,
    ) -> Result<()> {
        wait(op, self.send(op, stream, source, Marking::Event)?)
    }

    pub(super) fn send_guarded<'a>(
        self,
        op: Op,
        stream: &Stream,
        source: &'a HostBuffer<T>,
    ) -> Result<Transfer<'a, T>> {
        Ok(guard(
            stream,
            self.send(op, stream, source, Marking::Event)?,
        ))
    }
}

impl<T: AnyBitPattern> Part<'_, T> {
    /// As [`send`](Self::send), the other way.
    pub(super) fn receive(
        self,
        op: Op,
        stream: &Stream,
        target: &mut HostBuffer<T>,
        marking: Marking,
    ) -> Result<Option<Arc<PooledEvent>>> {
        check_lengths(op, self.len(), target.len())?;
        let to = target.as_mut_ptr();
        let (Some(region), Some(host)) = (self.region(), target.tracker()) else {
            return Ok(None);
        };
        region.check_stream(op, stream)?;
        stream.refuse_host_memory(op)?;
        let _current = device::enter(op, region.device())?;
        let mut reading = region.acquire(op, stream, Mode::Read)?;
        let mut writing = host.acquire(op, stream, Mode::Write, 0..region.bytes())?;
        // SAFETY: both are live, of one size (checked), kept alive and in order by their
        // trackers, which have this use registered; any bits make a `T`.
        unsafe {
            rt::memcpy_async(
                op,
                to.cast(),
                region.ptr(),
                region.bytes(),
                cudaMemcpyKind::cudaMemcpyDeviceToHost,
                stream.raw(),
            )
        }?;
        if marking == Marking::None {
            return Ok(None);
        }
        Access::mark_all(op, stream, &mut [&mut reading, &mut writing]).map(Some)
    }

    pub(super) fn receive_and_wait(
        self,
        op: Op,
        stream: &Stream,
        target: &mut HostBuffer<T>,
    ) -> Result<()> {
        wait(op, self.receive(op, stream, target, Marking::Event)?)
    }

    pub(super) fn receive_guarded<'a>(
        self,
        op: Op,
        stream: &Stream,
        target: &'a mut HostBuffer<T>,
    ) -> Result<Transfer<'a, T>> {
        Ok(guard(
            stream,
            self.receive(op, stream, target, Marking::Event)?,
        ))
    }
}

fn wait(op: Op, event: Option<Arc<PooledEvent>>) -> Result<()> {
    event.map_or(Ok(()), |event| event.handle().synchronize(op))
}

fn guard<'a, T>(stream: &Stream, event: Option<Arc<PooledEvent>>) -> Transfer<'a, T> {
    match event {
        Some(event) => Transfer::marked(stream, event),
        None => Transfer::complete(true),
    }
}

fn check_lengths(op: Op, device: usize, pinned: usize) -> Result<()> {
    if device == pinned {
        return Ok(());
    }
    Err(error::length_mismatch(
        op,
        ("device buffer", device),
        ("pinned buffer", pinned),
    ))
}
