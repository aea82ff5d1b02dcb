//! Stream capture.

use std::ffi::c_ulonglong;
use std::ptr;

use icffi_sys::{
    cudaError as E, cudaGraph_t, cudaGraphEdgeData, cudaGraphNode_t, cudaStream_t,
    cudaStreamCaptureMode as Mode, cudaStreamCaptureStatus as Status,
};

use crate::call::{Outcome, exported, get, put};
use crate::sched::{Class, StreamKey};
use crate::state::{self, Lock};

/// What a stream says about its capture.
fn status(sim: &mut Lock, key: StreamKey) -> Outcome<Status> {
    sim.implicit(key, false)?;
    let Some(id) = sim.capture_of(key) else {
        return Ok(Status::cudaStreamCaptureStatusNone);
    };
    Ok(if sim.graphs.captures[&id].invalid {
        Status::cudaStreamCaptureStatusInvalidated
    } else {
        Status::cudaStreamCaptureStatusActive
    })
}

/// A mode of the caller's.
fn known(mode: Mode) -> Outcome<Mode> {
    if mode.0 > Mode::cudaStreamCaptureModeRelaxed.0 {
        return Err(E::cudaErrorInvalidValue);
    }
    Ok(mode)
}

/// Writes through an out-pointer that may be null.
fn put_if<T>(place: *mut T, value: T) -> Outcome {
    if place.is_null() {
        return Ok(());
    }
    put(place, value)
}

exported! {
    Context fn cudaStreamBeginCapture(stream: cudaStream_t, mode: Mode) |sim| {
        let key = sim.resolve(stream)?;
        known(mode)?;
        if sim.sched.streams[&key].class == Class::Legacy {
            return Err(E::cudaErrorStreamCaptureUnsupported);
        }
        if sim.capture_of(key).is_some() {
            return Err(E::cudaErrorIllegalState);
        }
        sim.begin_capture(key, mode)
    }

    Context fn cudaStreamEndCapture(stream: cudaStream_t, graph: *mut cudaGraph_t) |sim| {
        let key = sim.resolve(stream)?;
        let ended = sim.end_capture(key);
        if graph.is_null() {
            // Nobody can have it.
            return ended.map(|graph| sim.drop_graph(graph));
        }
        put(graph, ended.map_or(ptr::null_mut(), |graph| graph as cudaGraph_t))?;
        ended.map(|_| ())
    }

    Context fn cudaStreamIsCapturing(stream: cudaStream_t, out: *mut Status) |sim| {
        let key = sim.resolve_quietly(stream)?;
        put(out, status(sim, key)?)
    }

    Context fn cudaStreamGetCaptureInfo(
        stream: cudaStream_t, out: *mut Status, id: *mut c_ulonglong, graph: *mut cudaGraph_t,
        deps: *mut *const cudaGraphNode_t, edges: *mut *const cudaGraphEdgeData, count: *mut usize
    ) |sim| {
        let key = sim.resolve_quietly(stream)?;
        if out.is_null() || (!edges.is_null() && deps.is_null()) {
            return Err(E::cudaErrorInvalidValue);
        }
        let found = status(sim, key)?;
        put(out, found)?;
        if found != Status::cudaStreamCaptureStatusActive {
            return Ok(());
        }
        let number = sim.capture_of(key).ok_or(E::cudaErrorInvalidValue)?;
        put_if(id, number)?;
        put_if(graph, sim.graphs.captures[&number].graph as cudaGraph_t)?;
        let (handles, data) = sim.show_deps(key).unwrap_or_default();
        put_if(deps, handles.as_ptr().cast())?;
        put_if(edges, data.as_ptr())?;
        put_if(count, handles.len())
    }

    Runtime fn cudaThreadExchangeStreamCaptureMode(mode: *mut Mode) |_sim| {
        let new = known(get(mode)?)?;
        put(mode, state::exchange_capture_mode(new))
    }
}
