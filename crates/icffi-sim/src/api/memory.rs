//! Device memory: allocating and freeing, at once or in stream order.

use std::ffi::c_void;

use icffi_sys::{cudaError as E, cudaMemPool_t, cudaStream_t};

use crate::call::{Outcome, exported, put};
use crate::mem::{AllocId, Origin, PoolKey, State};
use crate::report::ReportKind;
use crate::sched::{self, Work};
use crate::state::{self, Lock, Sim};

/// What rows of `cudaMallocPitch` are rounded up to.
const PITCH: usize = 512;

fn malloc(sim: &mut Lock, function: &'static str, bytes: usize) -> Outcome<*mut c_void> {
    if bytes == 0 {
        return Ok(std::ptr::null_mut());
    }
    sim.unsafe_call()?;
    let device = state::current_device();
    if sim.charge_device(device, bytes).is_err() {
        // Frees that are still enqueued may make room.
        sched::drain_ready(sim);
        sim.charge_device(device, bytes)?;
    }
    let made = sim
        .memory
        .allocate(bytes, device, Origin::Malloc, State::Live, function);
    match made {
        Ok(alloc) => Ok(alloc.base as *mut c_void),
        Err(code) => {
            sim.uncharge(Origin::Malloc, device, bytes);
            Err(code)
        }
    }
}

/// Allocates from a pool: the pointer at once, the memory when the stream gets there.
fn malloc_async(
    sim: &mut Lock,
    function: &'static str,
    out: *mut *mut c_void,
    bytes: usize,
    pool: Option<PoolKey>,
    stream: cudaStream_t,
) -> Outcome {
    let key = sim.work_stream(stream)?;
    if out.is_null() {
        return Err(E::cudaErrorInvalidValue);
    }
    put(out, std::ptr::null_mut())?;
    let captured = sim.capture_of(key).is_some();
    if !captured {
        sim.unsafe_call()?;
    }
    if bytes == 0 {
        return Ok(());
    }
    if captured {
        // The pool does not matter: a graph has memory of its own.
        let device = sim.sched.streams[&key].device;
        let base = sim.capture_allocate(key, function, bytes, device)?;
        return put(out, base as *mut c_void);
    }
    let pool = match pool {
        Some(pool) => pool,
        None => sim.devices[sim.sched.streams[&key].device].current_pool,
    };
    if sim.charge_pool(pool, bytes).is_err() {
        // Memory freed earlier in this stream can be had again, though the stream is not there.
        sched::drain_ready(sim);
        sim.charge_pool(pool, bytes)?;
    }
    let device = sim
        .memory
        .pools
        .get(pool)
        .ok_or(E::cudaErrorInvalidValue)?
        .device;
    let origin = Origin::Pool(pool);
    let made = sim
        .memory
        .allocate(bytes, device, origin, State::Promised, function);
    let (id, base) = match made {
        Ok(alloc) => (alloc.id, alloc.base),
        Err(code) => {
            sim.forget_used(origin, bytes);
            sim.uncharge(origin, device, bytes);
            return Err(code);
        }
    };
    sim.enqueue(key, function, Work::Allocate(id));
    put(out, base as *mut c_void)
}

impl Sim {
    /// The device allocation that begins at this address and is still the program's to free.
    fn freeable(&mut self, function: &'static str, address: usize) -> Outcome<AllocId> {
        let found = self.memory.find(address);
        let (kind, detail) = match found {
            None => (
                ReportKind::InvalidFree,
                format!("{address:#x} is no memory that CUDA has handed out"),
            ),
            Some(a) if a.is_gone() => (ReportKind::DoubleFree, a.describe()),
            Some(a) if !a.is_device() || a.base != address => (
                ReportKind::InvalidFree,
                format!(
                    "{address:#x} is not the start of device memory: {}",
                    a.describe()
                ),
            ),
            Some(a) => return Ok(a.id),
        };
        self.report(kind, function, None, 0..0, detail);
        Err(E::cudaErrorInvalidValue)
    }
}

exported! {
    Context fn cudaMalloc(out: *mut *mut c_void, bytes: usize) |sim| {
        if out.is_null() {
            return Err(E::cudaErrorInvalidValue);
        }
        put(out, std::ptr::null_mut())?;
        put(out, malloc(sim, "cudaMalloc", bytes)?)
    }

    Context fn cudaMallocPitch(
        out: *mut *mut c_void, pitch: *mut usize, width: usize, height: usize
    ) |sim| {
        if out.is_null() || pitch.is_null() {
            return Err(E::cudaErrorInvalidValue);
        }
        let row = width.checked_next_multiple_of(PITCH).ok_or(E::cudaErrorMemoryAllocation)?;
        let bytes = row.checked_mul(height).ok_or(E::cudaErrorMemoryAllocation)?;
        put(out, malloc(sim, "cudaMallocPitch", bytes)?)?;
        put(pitch, row)
    }

    Context fn cudaMallocAsync(
        out: *mut *mut c_void, bytes: usize, stream: cudaStream_t
    ) |sim| {
        malloc_async(sim, "cudaMallocAsync", out, bytes, None, stream)
    }

    Context fn cudaMallocFromPoolAsync(
        out: *mut *mut c_void, bytes: usize, pool: cudaMemPool_t, stream: cudaStream_t
    ) |sim| {
        let pool = sim.pool(pool)?;
        malloc_async(sim, "cudaMallocFromPoolAsync", out, bytes, Some(pool), stream)
    }

    Context fn cudaFree(address: *mut c_void) |sim| {
        sim.unsafe_call()?;
        if address.is_null() {
            return Ok(());
        }
        let id = sim.freeable("cudaFree", address as usize)?;
        let alloc = sim.memory.get(id).ok_or(E::cudaErrorInvalidValue)?;
        let (origin, device, bytes) = (alloc.origin, alloc.device, alloc.len);
        // Memory of a pool is freed at once, whatever still uses it: that is documented.
        if origin == Origin::Graph {
            sched::wait_device(sim, device)?;
            if let Some(alloc) = sim.memory.get_mut(id) {
                alloc.outstanding = false;
            }
            sim.free_of_graph(id, "cudaFree");
            return Ok(());
        }
        if origin == Origin::Malloc {
            sched::wait_device(sim, device)?;
            // While this thread waited, another may have freed the same memory.
            sim.freeable("cudaFree", address as usize)?;
        }
        sim.retire(id, "cudaFree");
        sim.forget_used(origin, bytes);
        sim.uncharge(origin, device, bytes);
        Ok(())
    }

    Context fn cudaFreeAsync(address: *mut c_void, stream: cudaStream_t) |sim| {
        let key = sim.work_stream(stream)?;
        let captured = sim.capture_of(key).is_some();
        if !captured {
            sim.unsafe_call()?;
        }
        if address.is_null() {
            return Ok(());
        }
        if captured {
            return sim.capture_free(key, address as usize);
        }
        let id = sim.freeable("cudaFreeAsync", address as usize)?;
        if let Some(alloc) = sim.memory.get_mut(id) {
            // Memory of a graph comes back with the next launch.
            alloc.outstanding = false;
            if alloc.origin != Origin::Graph {
                alloc.freed_by = "cudaFreeAsync";
                alloc.free_enqueued = true;
            }
            let (origin, bytes) = (alloc.origin, alloc.len);
            sim.forget_used(origin, bytes);
        }
        sim.enqueue(key, "cudaFreeAsync", Work::Free(id));
        Ok(())
    }
}
