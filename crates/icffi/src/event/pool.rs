//! Ordering events that are recorded again and again instead of being made anew.

use super::EventHandle;
use crate::device::{self, DeviceState};
use crate::error::Result;
use crate::op::Op;
use crate::stream::Stream;
use crate::sync::lock;
use crate::{retire, rt};
use std::sync::Arc;

/// More idle events than this are destroyed; a program that had ten thousand transfers in
/// flight once need not keep their events.
const IDLE_LIMIT: usize = 1024;

/// An event recorded once, to be waited for by anybody who holds it. Goes back to its device's
/// pool with the last holder: a wait that is still pending on the device was bound to the record
/// it saw, so recording the event again does not disturb it.
#[derive(Debug)]
pub(crate) struct PooledEvent {
    handle: Option<EventHandle>,
    device: i32,
    covers: Option<u64>,
    /// Part of a capture, so never recorded again.
    captured: bool,
}

impl PooledEvent {
    pub(crate) fn handle(&self) -> &EventHandle {
        self.handle.as_ref().expect("only `drop` takes it")
    }

    /// Up to which ticket of its stream it stands behind everything, if that could be said.
    pub(crate) fn covers(&self) -> Option<u64> {
        self.covers
    }

    /// Takes over an event that a capture in progress refers to.
    pub(crate) fn of_capture(handle: EventHandle, device: i32) -> Arc<Self> {
        Arc::new(Self {
            handle: Some(handle),
            device,
            covers: None,
            captured: true,
        })
    }
}

/// Records an event on `stream`, behind all it has been given so far. `own` of the stream's open
/// tickets are the caller's, for work that it has completely enqueued.
pub(crate) fn record(op: Op, stream: &Stream, own: u64) -> Result<Arc<PooledEvent>> {
    let ordinal = stream.ordinal();
    let _current = device::enter(op, ordinal)?;
    if let Some(capture) = stream.capture_state() {
        // An event of its own, which lives until the capture has ended: recording or destroying
        // one on another thread, while this one ends the capture it belongs to, crashes the driver
        // (580, CUDA 13.0).
        let handle = EventHandle::create(op, icffi_sys::cudaEventDisableTiming)?;
        let event = PooledEvent::of_capture(handle, ordinal);
        capture.keep_event(Arc::clone(&event));
        event.handle().record(op, stream)?;
        return Ok(event);
    }
    let idle = lock(&device::state(ordinal).idle_events).pop();
    let handle = match idle {
        Some(handle) => handle,
        None => EventHandle::create(op, icffi_sys::cudaEventDisableTiming)?,
    };
    // Asked before the record: what is enqueued later is not behind it.
    let covers = stream.lane().covered(own);
    // Wrapped before the record, so that a failure gives it back.
    let event = PooledEvent {
        handle: Some(handle),
        device: ordinal,
        covers,
        captured: false,
    };
    event.handle().record(op, stream)?;
    Ok(Arc::new(event))
}

impl Drop for PooledEvent {
    fn drop(&mut self) {
        let Some(handle) = self.handle.take() else {
            return;
        };
        if self.captured {
            let device = self.device;
            return retire::release_now(device, "event of a capture", move |op| handle.destroy(op));
        }
        let mut idle = lock(&device::state(self.device).idle_events);
        // Inside a callback nothing may be destroyed, so the limit waits.
        if idle.len() < IDLE_LIMIT || rt::in_callback() {
            idle.push(handle);
            return;
        }
        drop(idle);
        let op = Op::new("event pool");
        destroy(op, handle, device::state(self.device));
    }
}

/// Destroys all idle events of a device.
pub(crate) fn destroy_idle(op: Op, state: &DeviceState) {
    let idle = std::mem::take(&mut *lock(&state.idle_events));
    for handle in idle {
        destroy(op, handle, state);
    }
}

fn destroy(op: Op, handle: EventHandle, state: &DeviceState) {
    if let Err(e) = rt::gone_at_exit(handle.destroy(op)) {
        state.count_leak();
        state.defer(e);
    }
}
