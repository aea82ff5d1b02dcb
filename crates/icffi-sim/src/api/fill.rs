//! Fills. The host waits only where a fill without a stream writes host memory.

use std::ffi::{c_int, c_void};

use icffi_sys::{cudaError as E, cudaStream_t};

use super::copy::extent;
use crate::call::{Outcome, exported};
use crate::mem::Place;
use crate::report::ReportKind;
use crate::sched::{self, Fill, StreamKey, Work};
use crate::state::{self, Lock};

/// Rows of bytes to fill.
#[derive(Debug, Clone, Copy)]
struct Rows {
    address: usize,
    pitch: usize,
    width: usize,
    height: usize,
}

impl Rows {
    fn linear(address: *mut c_void, bytes: usize) -> Rows {
        Rows {
            address: address as usize,
            pitch: bytes,
            width: bytes,
            height: 1,
        }
    }
}

fn fill(
    sim: &mut Lock,
    function: &'static str,
    rows: Rows,
    value: c_int,
    key: StreamKey,
    waits: bool,
) -> Outcome {
    let Rows {
        address,
        pitch,
        width,
        height,
    } = rows;
    if width == 0 || height == 0 {
        return Ok(());
    }
    sim.may_work(key)?;
    let target = sim.operand(key, function, address, extent(pitch, width, height)?)?;
    let Some(id) = target.id() else {
        return Err(E::cudaErrorInvalidValue);
    };
    let device = sim.sched.streams[&key].device;
    if let Err(misuse) = sim.reachable(device, id) {
        let range = address..address + target.bytes;
        sim.report(
            ReportKind::WrongDevice,
            function,
            None,
            range,
            misuse.detail,
        );
        return Err(E::cudaErrorInvalidValue);
    }
    let work = Work::Fill(Fill {
        target,
        pitch,
        width,
        height,
        value: value as u8,
    });
    let op = sim.enqueue(key, function, work);
    if waits && matches!(target.place, Place::Pinned(_)) {
        sched::wait_for(sim, &[op]);
        return sched::synchronized(sim, device);
    }
    Ok(())
}

fn legacy(sim: &mut Lock) -> StreamKey {
    sim.sched.legacy(state::current_device())
}

exported! {
    Context fn cudaMemset(address: *mut c_void, value: c_int, bytes: usize) |sim| {
        let key = legacy(sim);
        fill(sim, "cudaMemset", Rows::linear(address, bytes), value, key, true)
    }

    Context fn cudaMemsetAsync(
        address: *mut c_void, value: c_int, bytes: usize, stream: cudaStream_t
    ) |sim| {
        let key = sim.work_stream(stream)?;
        fill(sim, "cudaMemsetAsync", Rows::linear(address, bytes), value, key, false)
    }

    Context fn cudaMemset2D(
        address: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize
    ) |sim| {
        let key = legacy(sim);
        let rows = Rows { address: address as usize, pitch, width, height };
        fill(sim, "cudaMemset2D", rows, value, key, true)
    }

    Context fn cudaMemset2DAsync(
        address: *mut c_void, pitch: usize, value: c_int, width: usize, height: usize,
        stream: cudaStream_t
    ) |sim| {
        let key = sim.work_stream(stream)?;
        let rows = Rows { address: address as usize, pitch, width, height };
        fill(sim, "cudaMemset2DAsync", rows, value, key, false)
    }
}
