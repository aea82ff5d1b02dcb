//! The CUDA stream itself, shared by all who still need its handle.
#![allow(unsafe_code)]

use super::callback::PanicSlot;
use crate::error::Result;
use crate::graph::Capture;
use crate::op::Op;
use crate::ordering::Lane;
use crate::rt::LiveCapture;
use crate::sync::lock;
use crate::{retire, rt};
use icffi_sys::{cudaHostFn_t, cudaStream_t};
use std::ffi::c_void;
use std::sync::{Arc, Mutex};

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Kind {
    /// Made, and to be destroyed, by this crate.
    Owned,
    /// The legacy default stream of a device.
    Legacy,
    /// The per-thread default stream: one handle, another stream on each thread.
    PerThread,
    /// Somebody else's, who may destroy it once this crate's calls have returned.
    Borrowed,
    /// Made by this crate, private to a capture, never anything but recorded on.
    Capture,
}

/// # Invariants
/// 1. If `kind` is `Owned` or `Capture`, the handle came from `cudaStreamCreateWithPriority` and only `Drop`
///    destroys it. Otherwise it is one of CUDA's two constant handles, valid for ever.
#[derive(Debug)]
pub(crate) struct StreamCore {
    handle: cudaStream_t,
    device: i32,
    kind: Kind,
    lane: Lane,
    capture: Option<Arc<Capture>>,
    panics: Arc<PanicSlot>,
    /// While [`Stream::begin_capture`](super::Stream::begin_capture) is in force.
    raw_capture: Mutex<Option<LiveCapture>>,
}

// SAFETY: CUDA's streams may be used and destroyed by any thread, also several at once: the
// runtime's calls are thread-safe (CUDA C++ Programming Guide 13.0, "Asynchronous Concurrent
// Execution").
unsafe impl Send for StreamCore {}
// SAFETY: as above.
unsafe impl Sync for StreamCore {}

impl StreamCore {
    /// On the current device, which is `device`.
    pub(super) fn create(op: Op, device: i32, flags: u32, priority: i32) -> Result<Self> {
        let handle = rt::stream_create(op, flags, priority)?;
        Ok(Self {
            handle,
            device,
            kind: Kind::Owned,
            lane: Lane::new(),
            capture: None,
            panics: Arc::default(),
            raw_capture: Mutex::default(),
        })
    }

    /// Private to `capture`; on the current device, which is `device`.
    pub(super) fn for_capture(
        op: Op,
        device: i32,
        priority: i32,
        capture: Arc<Capture>,
    ) -> Result<Self> {
        let mut core = Self::create(op, device, icffi_sys::cudaStreamNonBlocking, priority)?;
        core.kind = Kind::Capture;
        core.capture = Some(capture);
        Ok(core)
    }

    pub(super) fn special(device: i32, kind: Kind) -> Self {
        // `cudaStreamLegacy` and `cudaStreamPerThread` are casts in the header, which bindgen
        // can't carry over (CUDA Runtime API 13.0, driver_types.h).
        let handle = match kind {
            Kind::PerThread => 2,
            Kind::Legacy | Kind::Owned | Kind::Capture | Kind::Borrowed => 1,
        };
        Self {
            handle: std::ptr::without_provenance_mut(handle),
            device,
            kind,
            lane: Lane::new(),
            capture: None,
            panics: Arc::default(),
            raw_capture: Mutex::default(),
        }
    }

    /// # Safety
    /// `handle` is a live stream of `device` and stays so as long as calls are made with it.
    pub(super) unsafe fn borrowed(handle: cudaStream_t, device: i32) -> Self {
        Self {
            handle,
            device,
            kind: Kind::Borrowed,
            lane: Lane::new(),
            capture: None,
            panics: Arc::default(),
            raw_capture: Mutex::default(),
        }
    }

    pub(super) fn raw(&self) -> cudaStream_t {
        self.handle
    }

    pub(super) fn device(&self) -> i32 {
        self.device
    }

    pub(super) fn kind(&self) -> Kind {
        self.kind
    }

    pub(super) fn lane(&self) -> &Lane {
        &self.lane
    }

    pub(super) fn capture(&self) -> Option<&Arc<Capture>> {
        self.capture.as_ref()
    }

    /// Counts a raw capture as live from before it begins, or no longer.
    pub(super) fn set_raw_capture(&self, live: bool) {
        let live = live.then(|| LiveCapture::on(self.device));
        *lock(&self.raw_capture) = live;
    }

    pub(crate) fn panics(&self) -> &Arc<PanicSlot> {
        &self.panics
    }

    pub(super) fn synchronize(&self, op: Op) -> Result<()> {
        // SAFETY: invariant 1.
        unsafe { rt::stream_synchronize(op, self.handle) }
    }

    pub(super) fn query(&self, op: Op) -> Result<bool> {
        // SAFETY: invariant 1.
        unsafe { rt::stream_query(op, self.handle) }
    }

    pub(super) fn priority(&self, op: Op) -> Result<i32> {
        // SAFETY: invariant 1.
        unsafe { rt::stream_priority(op, self.handle) }
    }

    /// # Safety
    /// `function` may be called once with `data`, at any time from now on and on any thread.
    pub(crate) unsafe fn launch_host_func(
        &self,
        op: Op,
        function: cudaHostFn_t,
        data: *mut c_void,
    ) -> Result<()> {
        // SAFETY: invariant 1 and the caller's contract.
        unsafe { rt::launch_host_func(op, self.handle, function, data) }
    }
}

/// A handle on its way to be destroyed.
struct Doomed(cudaStream_t);

// SAFETY: see `StreamCore`.
unsafe impl Send for Doomed {}

impl Doomed {
    fn destroy(self, op: Op) -> Result<()> {
        // SAFETY: invariant 1 of the core it was taken from, whose `Drop` made this; consumed.
        unsafe { rt::stream_destroy(op, self.0) }
    }
}

impl Drop for StreamCore {
    fn drop(&mut self) {
        if matches!(self.kind, Kind::Owned | Kind::Capture) {
            let doomed = Doomed(self.handle);
            retire::release_now(self.device, "Stream::drop", move |op| doomed.destroy(op));
        }
    }
}
