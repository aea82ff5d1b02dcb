//! What captures forbid: to streams, to threads, to devices.
//!
//! Which call is forbidden when, and what it does to the capture, is as an H200 with CUDA 13.0
//! did it; `cudaThreadExchangeStreamCaptureMode` documents the modes.

use std::collections::BTreeSet;

use icffi_sys::{cudaError as E, cudaStream_t, cudaStreamCaptureMode as Mode};

use super::CaptureId;
use crate::call::Outcome;
use crate::event::Event;
use crate::sched::{Class, StreamKey};
use crate::state::{self, Sim};

impl Sim {
    pub(crate) fn invalidate(&mut self, id: CaptureId) {
        if let Some(capture) = self.graphs.captures.get_mut(&id) {
            capture.invalid = true;
        }
    }

    /// Invalidates captures, if there are any, and then refuses.
    fn refuse_for(&mut self, hit: BTreeSet<CaptureId>, code: E) -> Outcome {
        if hit.is_empty() {
            return Ok(());
        }
        for id in hit {
            self.invalidate(id);
        }
        Err(code)
    }

    /// A call that is no operation of a stream and changes what others may see: CUDA calls it
    /// potentially unsafe. The mode of the thread and the modes of all captures decide.
    pub(crate) fn unsafe_call(&mut self) -> Outcome {
        if self.graphs.captures.is_empty() {
            return Ok(());
        }
        let (me, mode) = (state::thread_number(), state::capture_mode());
        let in_the_way = self
            .graphs
            .captures
            .iter()
            .filter(|(_, capture)| match mode {
                Mode::cudaStreamCaptureModeRelaxed => false,
                _ if capture.thread == me => capture.mode != Mode::cudaStreamCaptureModeRelaxed,
                Mode::cudaStreamCaptureModeGlobal => {
                    capture.mode == Mode::cudaStreamCaptureModeGlobal
                }
                _ => false,
            });
        let hit = in_the_way.map(|(id, _)| *id).collect();
        self.refuse_for(hit, E::cudaErrorStreamCaptureUnsupported)
    }

    /// A call that a captured stream never allows, whatever the modes.
    pub(crate) fn not_in_capture(&mut self, key: StreamKey) -> Outcome {
        let hit = self.capture_of(key).into_iter().collect();
        self.refuse_for(hit, E::cudaErrorStreamCaptureUnsupported)
    }

    /// A call for all of a device: no stream of it may be captured, by whatever thread.
    pub(crate) fn no_capture_on(&mut self, device: usize) -> Outcome {
        let streams = self.sched.streams.values().filter(|s| s.device == device);
        let hit = streams.filter_map(|s| s.capture.as_ref().map(|c| c.id));
        let hit = hit.collect();
        self.refuse_for(hit, E::cudaErrorStreamCaptureUnsupported)
    }

    /// The legacy stream cannot be used while a blocking stream is captured: it would have to
    /// wait for it.
    pub(crate) fn implicit(&mut self, key: StreamKey, invalidates: bool) -> Outcome {
        let stream = match self.sched.streams.get(&key) {
            Some(stream) if stream.class == Class::Legacy => stream,
            _ => return Ok(()),
        };
        let device = stream.device;
        let streams = self.sched.streams.values();
        let hit: BTreeSet<CaptureId> = streams
            .filter(|s| s.device == device && s.class == Class::Blocking)
            .filter_map(|s| s.capture.as_ref().map(|c| c.id))
            .collect();
        if invalidates {
            return self.refuse_for(hit, E::cudaErrorStreamCaptureImplicit);
        }
        if hit.is_empty() {
            Ok(())
        } else {
            Err(E::cudaErrorStreamCaptureImplicit)
        }
    }

    /// The stream that a handle means, to put work into.
    pub(crate) fn work_stream(&mut self, handle: cudaStream_t) -> Outcome<StreamKey> {
        let key = self.resolve(handle)?;
        self.may_work(key)?;
        Ok(key)
    }

    /// Whether captures let work into a stream.
    pub(crate) fn may_work(&mut self, key: StreamKey) -> Outcome {
        if self.graphs.captures.is_empty() {
            return Ok(());
        }
        self.implicit(key, true)?;
        match self
            .capture_of(key)
            .and_then(|id| self.graphs.captures.get(&id))
        {
            Some(capture) if capture.invalid => Err(E::cudaErrorStreamCaptureInvalidated),
            _ => Ok(()),
        }
    }

    /// The host asks for an event. It cannot for one that was recorded in a capture, and some
    /// questions invalidate that.
    pub(crate) fn not_captured(&mut self, event: &Event, invalidates: bool) -> Outcome {
        let Some(marks) = &event.captured else {
            return Ok(());
        };
        if !self.is_active(marks.capture) {
            return Err(E::cudaErrorInvalidValue);
        }
        if invalidates {
            self.invalidate(marks.capture);
        }
        Err(E::cudaErrorCapturedEvent)
    }

    /// Whether a capture goes on and has broken no rule.
    pub(super) fn is_active(&self, id: CaptureId) -> bool {
        self.graphs
            .captures
            .get(&id)
            .is_some_and(|capture| !capture.invalid)
    }
}
