//! Running operations.

use std::panic::{AssertUnwindSafe, catch_unwind};

use icffi_sys::cudaError;

use super::{Copy, Fill, OpId, Source, StreamKey, Work, callback};
use crate::launch::Launch;
use crate::mem::{AllocId, Origin, Region, State};
use crate::report::ReportKind;
use crate::state::{self, Lock, Sim};

/// Runs the front operation of a stream, which must be ready. A host function is handed to its
/// thread and may still run afterwards.
pub(super) fn run(sim: &mut Lock, key: StreamKey) {
    let Some(stream) = sim.sched.streams.get_mut(&key) else {
        return;
    };
    let Some(op) = stream.queue.front_mut() else {
        return;
    };
    let work = std::mem::replace(&mut op.work, Work::Taken);
    let (id, function) = (op.id, op.function);
    let device = stream.device;
    let dead = sim.devices[device].sticky;
    if let Work::Host(host) = work {
        if host.wanted(dead) {
            let stream = sim.sched.streams.get_mut(&key).expect("looked up above");
            stream.running = true;
            callback::dispatch(sim, key, id, host, dead);
        } else {
            sim.sched.finish(key, id);
        }
        return;
    }
    let at = At {
        key,
        id,
        device,
        function,
    };
    // The context of a device with a sticky error does no work any more, but memory that was
    // being freed stays accounted for.
    if dead.is_none() {
        sim.execute(at, work);
    } else {
        drop(work);
    }
    sim.sched.finish(key, id);
    state::changed();
}

/// Where an operation runs.
#[derive(Debug, Clone, Copy)]
struct At {
    key: StreamKey,
    id: OpId,
    device: usize,
    function: &'static str,
}

impl Sim {
    fn execute(&mut self, at: At, work: Work) {
        match work {
            Work::Nothing | Work::Taken | Work::Host(_) => {}
            Work::Copy(copy) => self.copy(at, copy),
            Work::Fill(fill) => self.fill(at, &fill),
            Work::Kernel(launch) => self.kernel(at, launch),
            Work::Record(event) => {
                let now = self.start.elapsed();
                if let Some(event) = self.sched.events.get_mut(event) {
                    event.reached(at.id, now);
                }
            }
            Work::Allocate(id) => self.wake(id),
            Work::Disown(id) => self.retire_unowned(id),
            Work::Free(id) => self.finish_free(id, at.function),
        }
    }

    /// Pool memory goes back, once; memory of a graph sleeps until the next launch.
    fn finish_free(&mut self, id: AllocId, function: &'static str) {
        let Some(alloc) = self.memory.get(id) else {
            return;
        };
        if alloc.state == State::Freed {
            return;
        }
        if alloc.origin == Origin::Graph {
            self.free_of_graph(id, function);
            return;
        }
        let (origin, device, len) = (alloc.origin, alloc.device, alloc.len);
        self.retire(id, function);
        self.uncharge(origin, device, len);
    }

    /// Whether an operation may touch a range now. If not: a report, and the context dies of
    /// an illegal address as it would on a device.
    fn permit(&mut self, at: At, name: &str, region: &Region) -> bool {
        let Err(misuse) = self.recheck(region) else {
            return true;
        };
        let stream = self.sched.name(at.key);
        let range = region.address..region.address + region.bytes;
        self.report(misuse.kind, name, Some(stream), range, misuse.detail);
        self.poison(at.device, cudaError::cudaErrorIllegalAddress);
        false
    }

    fn copy(&mut self, at: At, copy: Copy) {
        if let Source::Memory(region) = &copy.source {
            if !self.permit(at, at.function, region) {
                return;
            }
        }
        if !self.permit(at, at.function, &copy.target) {
            return;
        }
        let source = match &copy.source {
            Source::Memory(region) => region.address,
            Source::Staged(bytes) => bytes.as_ptr() as usize,
        };
        let target = copy.target.address;
        let Copy {
            width,
            height,
            source_pitch,
            target_pitch,
            ..
        } = copy;
        let packed = width == source_pitch && width == target_pitch;
        let (rows, bytes) = if packed {
            (1, width * height)
        } else {
            (height, width)
        };
        for row in 0..rows {
            let from = (source + row * source_pitch) as *const u8;
            let to = (target + row * target_pitch) as *mut u8;
            // SAFETY: known memory was checked a moment ago under the lock, range and life;
            // ordinary host memory is the caller's promise, the same as CUDA asks for. They
            // may overlap.
            unsafe { std::ptr::copy(from, to, bytes) };
        }
    }

    fn fill(&mut self, at: At, fill: &Fill) {
        if !self.permit(at, at.function, &fill.target) {
            return;
        }
        for row in 0..fill.height {
            let to = (fill.target.address + row * fill.pitch) as *mut u8;
            // SAFETY: checked a moment ago under the lock, range and life.
            unsafe { std::ptr::write_bytes(to, fill.value, fill.width) };
        }
    }

    fn kernel(&mut self, at: At, launch: Launch) {
        if launch.illegal {
            self.poison(at.device, cudaError::cudaErrorIllegalAddress);
            return;
        }
        for region in &launch.regions {
            if !self.permit(at, &launch.name, region) {
                return;
            }
        }
        let Launch {
            name, written, run, ..
        } = launch;
        // The kernel keeps nothing of ours: it only touches its buffers.
        if let Err(panic) = catch_unwind(AssertUnwindSafe(|| run())) {
            let stream = Some(self.sched.name(at.key));
            let why = panic
                .downcast_ref::<String>()
                .map(String::as_str)
                .or_else(|| panic.downcast_ref::<&str>().copied());
            let detail = format!(
                "{}; its context dies with cudaErrorLaunchFailure",
                why.unwrap_or("it panicked")
            );
            self.report(ReportKind::KernelPanic, &name, stream, 0..0, detail);
            self.poison(at.device, cudaError::cudaErrorLaunchFailure);
        }
        for id in written {
            let stream = self.sched.name(at.key);
            self.check_beside(id, &name, &stream);
        }
    }
}
