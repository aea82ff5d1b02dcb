//! Pinned host memory, registered host memory, and what a pointer is.

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use icffi_sys::{
    cudaError as E, cudaHostAllocDefault, cudaHostAllocMapped, cudaHostAllocPortable,
    cudaHostAllocWriteCombined, cudaHostRegisterIoMemory, cudaHostRegisterMapped,
    cudaHostRegisterPortable, cudaHostRegisterReadOnly, cudaMemoryType, cudaPointerAttributes,
};

use crate::call::{Outcome, exported, put};
use crate::mem::{Alloc, Origin, State};
use crate::report::ReportKind;
use crate::state::{self, Lock, Sim};

/// Pinned memory of the whole program. Pages are committed when touched, so without a bound
/// any size would succeed.
const PINNED_LIMIT: u64 = 64 << 30;

fn alloc(
    sim: &mut Lock,
    function: &'static str,
    out: *mut *mut c_void,
    bytes: usize,
    flags: c_uint,
) -> Outcome {
    let known = cudaHostAllocPortable | cudaHostAllocMapped | cudaHostAllocWriteCombined;
    if out.is_null() || flags & !known != 0 {
        return Err(E::cudaErrorInvalidValue);
    }
    if bytes == 0 {
        return put(out, ptr::null_mut());
    }
    sim.unsafe_call()?;
    if bytes as u64 > PINNED_LIMIT.saturating_sub(sim.memory.live.pinned_bytes) {
        return Err(E::cudaErrorMemoryAllocation);
    }
    let device = state::current_device();
    let origin = Origin::Pinned(flags);
    let made = sim
        .memory
        .allocate(bytes, device, origin, State::Live, function)?;
    put(out, made.base as *mut c_void)
}

impl Sim {
    /// Pinned or registered memory that is alive and holds this address.
    fn pinned(&self, address: *mut c_void) -> Option<&Alloc> {
        let address = address as usize;
        self.memory
            .find(address)
            .filter(|a| !a.is_device() && a.state == State::Live && a.range().contains(&address))
    }
}

exported! {
    Context fn cudaMallocHost(out: *mut *mut c_void, bytes: usize) |sim| {
        alloc(sim, "cudaMallocHost", out, bytes, cudaHostAllocDefault)
    }

    Context fn cudaHostAlloc(out: *mut *mut c_void, bytes: usize, flags: c_uint) |sim| {
        alloc(sim, "cudaHostAlloc", out, bytes, flags)
    }

    // Does not wait for work that still uses the memory: nothing promises that it does.
    Context fn cudaFreeHost(address: *mut c_void) |sim| {
        sim.unsafe_call()?;
        if address.is_null() {
            return Ok(());
        }
        let found = sim.memory.find(address as usize);
        let (kind, detail) = match found {
            Some(a) if a.state == State::Freed => (ReportKind::DoubleFree, a.describe()),
            Some(a) if matches!(a.origin, Origin::Pinned(_)) && a.base == address as usize => {
                let id = a.id;
                sim.retire(id, "cudaFreeHost");
                return Ok(());
            }
            Some(a) => (
                ReportKind::InvalidFree,
                format!("{address:p} is not the start of pinned memory: {}", a.describe()),
            ),
            None => (
                ReportKind::InvalidFree,
                format!("{address:p} is no memory that CUDA has handed out"),
            ),
        };
        sim.report(kind, "cudaFreeHost", None, 0..0, detail);
        Err(E::cudaErrorInvalidValue)
    }

    Context fn cudaHostRegister(address: *mut c_void, bytes: usize, flags: c_uint) |sim| {
        sim.unsafe_call()?;
        let known = cudaHostRegisterPortable
            | cudaHostRegisterMapped
            | cudaHostRegisterIoMemory
            | cudaHostRegisterReadOnly;
        if address.is_null() || bytes == 0 || flags & !known != 0 {
            return Err(E::cudaErrorInvalidValue);
        }
        if flags & (cudaHostRegisterIoMemory | cudaHostRegisterReadOnly) != 0 {
            return Err(E::cudaErrorNotSupported);
        }
        let device = state::current_device();
        match sim.memory.register(address as usize, bytes, device, flags) {
            Some(_) => Ok(()),
            None => Err(E::cudaErrorHostMemoryAlreadyRegistered),
        }
    }

    // Does not wait either.
    Context fn cudaHostUnregister(address: *mut c_void) |sim| {
        sim.unsafe_call()?;
        if address.is_null() {
            return Err(E::cudaErrorInvalidValue);
        }
        match sim.pinned(address) {
            Some(a) if matches!(a.origin, Origin::Registered(_)) && a.base == address as usize => {
                let id = a.id;
                sim.memory.unregister(id);
                Ok(())
            }
            Some(_) => Err(E::cudaErrorInvalidValue),
            None => Err(E::cudaErrorHostMemoryNotRegistered),
        }
    }

    // One address space: the device sees pinned memory where the host does.
    Context fn cudaHostGetDevicePointer(
        out: *mut *mut c_void, address: *mut c_void, flags: c_uint
    ) |sim| {
        if flags != 0 || sim.pinned(address).is_none() {
            return Err(E::cudaErrorInvalidValue);
        }
        put(out, address)
    }

    Context fn cudaHostGetFlags(out: *mut c_uint, address: *mut c_void) |sim| {
        let alloc = sim.pinned(address).ok_or(E::cudaErrorInvalidValue)?;
        match alloc.origin {
            // All pinned memory is mapped, and that it is portable is not told.
            Origin::Pinned(flags) | Origin::Registered(flags) => {
                put(out, (flags & cudaHostAllocWriteCombined) | cudaHostAllocMapped)
            }
            _ => Err(E::cudaErrorInvalidValue),
        }
    }

    Context fn cudaPointerGetAttributes(
        out: *mut cudaPointerAttributes, address: *const c_void
    ) |sim| {
        let mut found = cudaPointerAttributes::default();
        let place = address as usize;
        let alloc = sim
            .memory
            .find(place)
            .filter(|a| !a.is_gone() && a.range().contains(&place));
        match alloc {
            Some(alloc) => {
                found.device = alloc.device as c_int;
                found.devicePointer = address.cast_mut();
                if alloc.is_device() {
                    found.type_ = cudaMemoryType::cudaMemoryTypeDevice;
                } else {
                    found.type_ = cudaMemoryType::cudaMemoryTypeHost;
                    found.hostPointer = address.cast_mut();
                }
            }
            None => {
                found.type_ = cudaMemoryType::cudaMemoryTypeUnregistered;
                found.device = INVALID_DEVICE;
                found.hostPointer = address.cast_mut();
            }
        }
        put(out, found)
    }
}

/// What CUDA calls `cudaInvalidDeviceId`.
const INVALID_DEVICE: c_int = -2;
