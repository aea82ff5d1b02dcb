//! What this crate keeps for each device.

use crate::error::{IcffiError, Result};
use crate::event::EventHandle;
use crate::op::Op;
use crate::rt;
use crate::stream::Stream;
use crate::sync::lock;
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering::Relaxed};

/// More than any one host has; a fixed table needs no lock to look up.
pub(crate) const MAX_DEVICES: usize = 64;

static STATES: [DeviceState; MAX_DEVICES] = [const { DeviceState::new() }; MAX_DEVICES];
static COUNT: AtomicI32 = AtomicI32::new(0);

pub(crate) struct DeviceState {
    /// Recorded events that nobody holds any more, ready to be recorded again.
    pub(crate) idle_events: Mutex<Vec<EventHandle>>,
    side_stream: Mutex<Option<Stream>>,
    deferred: Mutex<(Option<IcffiError>, u64)>,
    leaked: AtomicUsize,
    /// 0 not asked yet, 1 yes, 2 no.
    pools: AtomicI32,
}

impl DeviceState {
    const fn new() -> Self {
        Self {
            idle_events: Mutex::new(Vec::new()),
            side_stream: Mutex::new(None),
            deferred: Mutex::new((None, 0)),
            leaked: AtomicUsize::new(0),
            pools: AtomicI32::new(0),
        }
    }

    /// Counts an object whose freeing call failed. It may have been freed all the same, so it
    /// is never tried again.
    pub(crate) fn count_leak(&self) {
        self.leaked.fetch_add(1, Relaxed);
    }

    pub(super) fn leaked(&self) -> usize {
        self.leaked.load(Relaxed)
    }

    /// Keeps an error that a destructor could not return.
    pub(crate) fn defer(&self, error: IcffiError) {
        let mut deferred = lock(&self.deferred);
        deferred.0 = Some(error);
        deferred.1 += 1;
    }

    pub(super) fn take_deferred(&self) -> Option<(IcffiError, u64)> {
        let mut deferred = lock(&self.deferred);
        let count = std::mem::take(&mut deferred.1);
        deferred.0.take().map(|error| (error, count))
    }

    /// This crate's own stream on the device, for work that belongs to none of the user's
    /// streams. Never the NULL stream, which non-blocking streams don't wait for.
    pub(crate) fn side_stream(&self, op: Op, ordinal: i32) -> Result<Stream> {
        let mut slot = lock(&self.side_stream);
        if let Some(stream) = &*slot {
            return Ok(stream.clone());
        }
        let stream = Stream::on_device(op, ordinal)?;
        *slot = Some(stream.clone());
        Ok(stream)
    }

    pub(crate) fn drop_side_stream(&self) {
        let stream = lock(&self.side_stream).take();
        drop(stream);
    }

    /// Whether the device can allocate in stream order.
    pub(crate) fn has_pools(&self, op: Op, ordinal: i32) -> Result<bool> {
        match self.pools.load(Relaxed) {
            1 => Ok(true),
            2 => Ok(false),
            _ => {
                let yes = rt::device_attribute(
                    op,
                    icffi_sys::cudaDeviceAttr::cudaDevAttrMemoryPoolsSupported,
                    ordinal,
                )? != 0;
                self.pools.store(if yes { 1 } else { 2 }, Relaxed);
                Ok(yes)
            }
        }
    }
}

pub(crate) fn state(ordinal: i32) -> &'static DeviceState {
    // Ordinals are checked where they enter (`to_ordinal`, `cudaGetDevice` below 64 devices);
    // the clamp only keeps an impossible one from panicking in a destructor.
    &STATES[(ordinal.unsigned_abs() as usize).min(MAX_DEVICES - 1)]
}

/// Whether there is exactly one device, so that the current device can't be a wrong one. The
/// count is fixed once CUDA has started.
pub(super) fn single_device(op: Op) -> Result<bool> {
    let mut count = COUNT.load(Relaxed);
    if count == 0 {
        count = rt::device_count(op)?;
        COUNT.store(count, Relaxed);
    }
    Ok(count == 1)
}

/// Forgets what was learnt about the devices, and gives every cached object back.
pub(crate) fn forget_all(op: Op) {
    for state in &STATES {
        state.drop_side_stream();
        crate::event::destroy_idle(op, state);
        state.pools.store(0, Relaxed);
    }
    COUNT.store(0, Relaxed);
}
