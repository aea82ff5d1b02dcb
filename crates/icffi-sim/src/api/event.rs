//! Events.

use std::ffi::c_uint;

use icffi_sys::{
    cudaError as E, cudaEvent_t, cudaEventBlockingSync, cudaEventDisableTiming,
    cudaEventInterprocess, cudaEventRecordExternal, cudaStream_t,
};

use crate::call::{Outcome, exported, put};
use crate::event::{Event, Record};
use crate::sched::{self, Work};
use crate::state::{self, Lock, Sim};

fn create(sim: &mut Lock, out: *mut cudaEvent_t, flags: c_uint) -> Outcome {
    let known = cudaEventBlockingSync | cudaEventDisableTiming | cudaEventInterprocess;
    if out.is_null() || flags & !known != 0 {
        return Err(E::cudaErrorInvalidValue);
    }
    if flags & cudaEventInterprocess != 0 && flags & cudaEventDisableTiming == 0 {
        // Valid only without timing.
        return Err(E::cudaErrorInvalidValue);
    }
    let handle = sim
        .sched
        .events
        .insert(Event::new(state::current_device(), flags));
    put(out, handle as cudaEvent_t)
}

fn record(
    sim: &mut Lock,
    function: &'static str,
    event: cudaEvent_t,
    stream: cudaStream_t,
) -> Outcome {
    let handle = event as usize;
    let device = sim.event(event)?.device;
    let key = sim.work_stream(stream)?;
    if sim.sched.streams[&key].device != device {
        return Err(E::cudaErrorInvalidResourceHandle);
    }
    let captured = sim.capture_record(key);
    let record = match captured {
        Some(_) => None,
        None => {
            let op = sim.enqueue(key, function, Work::Record(handle));
            Some(Record { op, at: None })
        }
    };
    if let Some(event) = sim.sched.events.get_mut(handle) {
        (event.record, event.captured) = (record, captured);
    }
    Ok(())
}

/// A node that records the event in each launch. It has a meaning in a capture only.
fn record_node(sim: &mut Lock, event: cudaEvent_t, stream: cudaStream_t) -> Outcome {
    sim.event(event)?;
    let key = sim.work_stream(stream)?;
    if sim.capture_of(key).is_none() {
        return Err(E::cudaErrorIllegalState);
    }
    sim.enqueue(
        key,
        "cudaEventRecordWithFlags",
        Work::Record(event as usize),
    );
    Ok(())
}

impl Sim {
    /// An event handle of the caller's.
    pub(super) fn event(&mut self, event: cudaEvent_t) -> Outcome<Event> {
        let Some(event) = self.sched.events.get(event as usize).cloned() else {
            return Err(self.bad_handle("event", event as usize));
        };
        self.devices[event.device].sticky.map_or(Ok(event), Err)
    }
}

exported! {
    Context fn cudaEventCreate(out: *mut cudaEvent_t) |sim| {
        create(sim, out, 0)
    }

    Context fn cudaEventCreateWithFlags(out: *mut cudaEvent_t, flags: c_uint) |sim| {
        create(sim, out, flags)
    }

    // A record still enqueued is passed all the same.
    Context fn cudaEventDestroy(event: cudaEvent_t) |sim| {
        sim.event(event)?;
        sim.sched.events.remove(event as usize);
        Ok(())
    }

    Context fn cudaEventRecord(event: cudaEvent_t, stream: cudaStream_t) |sim| {
        record(sim, "cudaEventRecord", event, stream)
    }

    Context fn cudaEventRecordWithFlags(
        event: cudaEvent_t, stream: cudaStream_t, flags: c_uint
    ) |sim| {
        match flags {
            0 => record(sim, "cudaEventRecordWithFlags", event, stream),
            flags if flags == cudaEventRecordExternal => record_node(sim, event, stream),
            _ => Err(E::cudaErrorInvalidValue),
        }
    }

    // An event never recorded is complete.
    Context fn cudaEventQuery(event: cudaEvent_t) |sim| {
        let event = sim.event(event)?;
        sim.not_captured(&event, true)?;
        sim.unsafe_call()?;
        let Event { device, record, .. } = event;
        let Some(op) = record.map(|r| r.op) else { return Ok(()) };
        let done = sched::observe(sim, &[op]);
        sim.devices[device].sticky.map_or(Ok(()), Err)?;
        if done { Ok(()) } else { Err(E::cudaErrorNotReady) }
    }

    Context fn cudaEventSynchronize(event: cudaEvent_t) |sim| {
        let event = sim.event(event)?;
        sim.not_captured(&event, true)?;
        sim.unsafe_call()?;
        let Event { device, record, .. } = event;
        let Some(op) = record.map(|r| r.op) else { return Ok(()) };
        sched::wait_for(sim, &[op]);
        sched::synchronized(sim, device)
    }

    Context fn cudaEventElapsedTime(
        ms: *mut f32, start: cudaEvent_t, end: cudaEvent_t
    ) |sim| {
        let (start, end) = (sim.event(start)?, sim.event(end)?);
        sim.not_captured(&start, false)?;
        sim.not_captured(&end, false)?;
        let untimed = (start.flags | end.flags) & cudaEventDisableTiming != 0;
        if untimed || start.device != end.device {
            return Err(E::cudaErrorInvalidResourceHandle);
        }
        let (Some(from), Some(to)) = (start.record, end.record) else {
            return Err(E::cudaErrorInvalidResourceHandle);
        };
        let (Some(from), Some(to)) = (from.at, to.at) else {
            return Err(E::cudaErrorNotReady);
        };
        // Negative if the events were passed in the other order.
        put(ms, ((to.as_secs_f64() - from.as_secs_f64()) * 1e3) as f32)
    }
}
