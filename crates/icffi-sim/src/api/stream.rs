//! Streams.

use std::ffi::{c_int, c_uint, c_ulonglong};

use icffi_sys::{
    cudaError as E, cudaEvent_t, cudaEventWaitExternal, cudaStream_t, cudaStreamNonBlocking,
};

use crate::call::{Outcome, exported, put};
use crate::device::{GREATEST_PRIORITY, LEAST_PRIORITY};
use crate::graph::Step;
use crate::sched::{self, Class, StreamKey, Work};
use crate::state::{self, Lock};

fn create(sim: &mut Lock, out: *mut cudaStream_t, flags: c_uint, priority: c_int) -> Outcome {
    if out.is_null() || flags & !cudaStreamNonBlocking != 0 {
        return Err(E::cudaErrorInvalidValue);
    }
    let class = if flags & cudaStreamNonBlocking != 0 {
        Class::NonBlocking
    } else {
        Class::Blocking
    };
    let priority = priority.clamp(GREATEST_PRIORITY, LEAST_PRIORITY);
    let key = sim
        .sched
        .new_stream(state::current_device(), class, flags, priority);
    let handle = sim.sched.handles.insert(key);
    put(out, handle as cudaStream_t)
}

/// The key of a stream that the program made; the default ones can't be destroyed.
fn own(sim: &mut Lock, stream: cudaStream_t) -> Outcome<StreamKey> {
    if (stream as usize) <= 2 {
        return Err(E::cudaErrorInvalidResourceHandle);
    }
    sim.resolve(stream)
}

exported! {
    Context fn cudaStreamCreate(out: *mut cudaStream_t) |sim| {
        create(sim, out, 0, 0)
    }

    Context fn cudaStreamCreateWithFlags(out: *mut cudaStream_t, flags: c_uint) |sim| {
        create(sim, out, flags, 0)
    }

    Context fn cudaStreamCreateWithPriority(
        out: *mut cudaStream_t, flags: c_uint, priority: c_int
    ) |sim| {
        create(sim, out, flags, priority)
    }

    // Returns at once; work still enqueued is done all the same.
    Context fn cudaStreamDestroy(stream: cudaStream_t) |sim| {
        let key = own(sim, stream)?;
        sim.stream_destroyed(key);
        sim.sched.destroy(stream as usize, key);
        Ok(())
    }

    Context fn cudaStreamSynchronize(stream: cudaStream_t) |sim| {
        let key = sim.resolve(stream)?;
        sim.not_in_capture(key)?;
        sim.unsafe_call()?;
        sched::wait_stream(sim, key)
    }

    Context fn cudaStreamQuery(stream: cudaStream_t) |sim| {
        let key = sim.resolve(stream)?;
        sim.not_in_capture(key)?;
        sim.unsafe_call()?;
        let device = sim.sched.streams[&key].device;
        let tails = sim.sched.stream_tails(key);
        let done = sched::observe(sim, &tails);
        sim.devices[device].sticky.map_or(Ok(()), Err)?;
        if done { Ok(()) } else { Err(E::cudaErrorNotReady) }
    }

    Context fn cudaStreamWaitEvent(
        stream: cudaStream_t, event: cudaEvent_t, flags: c_uint
    ) |sim| {
        let key = sim.work_stream(stream)?;
        let handle = event as usize;
        let event = sim.event(event)?;
        match flags {
            0 => {}
            flags if flags == cudaEventWaitExternal => {
                // A node that waits in each launch. It has a meaning in a capture only.
                let step = Step::WaitEvent(handle);
                let node = sim.capture_work(key, "cudaStreamWaitEvent", step);
                return node.map(|_| ()).ok_or(E::cudaErrorIllegalState);
            }
            _ => return Err(E::cudaErrorInvalidValue),
        }
        if let Some(marks) = &event.captured {
            return sim.capture_wait(key, marks);
        }
        if let (Some(id), Some(_)) = (sim.capture_of(key), event.record) {
            sim.invalidate(id);
            return Err(E::cudaErrorStreamCaptureIsolation);
        }
        // The state of the event now counts: a later record changes nothing.
        let Some(op) = event.record.map(|r| r.op) else { return Ok(()) };
        if !sim.sched.is_done(op) {
            sim.enqueue_after(key, "cudaStreamWaitEvent", vec![op], Work::Nothing);
        }
        Ok(())
    }

    Context fn cudaStreamGetPriority(stream: cudaStream_t, out: *mut c_int) |sim| {
        let key = sim.resolve(stream)?;
        put(out, sim.sched.streams[&key].priority)
    }

    Context fn cudaStreamGetFlags(stream: cudaStream_t, out: *mut c_uint) |sim| {
        let key = sim.resolve(stream)?;
        put(out, sim.sched.streams[&key].flags)
    }

    Context fn cudaStreamGetId(stream: cudaStream_t, out: *mut c_ulonglong) |sim| {
        let key = sim.resolve(stream)?;
        put(out, key)
    }

    Context fn cudaStreamGetDevice(stream: cudaStream_t, out: *mut c_int) |sim| {
        let key = sim.resolve(stream)?;
        // Seen on a device, where the other questions about a stream are answered.
        sim.not_in_capture(key)?;
        put(out, sim.sched.streams[&key].device as c_int)
    }
}
