//! Devices: counting, choosing, describing, synchronizing, resetting.

use std::ffi::{CStr, c_char, c_int, c_uint};

use icffi_sys::{
    CUDART_VERSION, cudaDeviceAttr, cudaDeviceMapHost, cudaDeviceMask, cudaDeviceProp,
    cudaError as E, cudaFuncCache, cudaLimit,
};

use super::properties;
use crate::call::{Outcome, exported, get, put};
use crate::device::{GREATEST_PRIORITY, LEAST_PRIORITY};
use crate::sched;
use crate::state::{self, Sim};

impl Sim {
    /// A device ordinal of the caller's.
    pub(super) fn ordinal(&self, device: c_int) -> Outcome<usize> {
        match usize::try_from(device) {
            _ if self.devices.is_empty() => Err(E::cudaErrorNoDevice),
            Ok(ordinal) if ordinal < self.devices.len() => Ok(ordinal),
            _ => Err(E::cudaErrorInvalidDevice),
        }
    }
}

impl Sim {
    /// A limit of the current device. They are numbers to keep: nothing here is bound by them.
    fn limit(&mut self, limit: cudaLimit) -> Outcome<&mut usize> {
        if limit == cudaLimit::cudaLimitDevRuntimeSyncDepth {
            return Err(E::cudaErrorUnsupportedLimit);
        }
        let limits = &mut self.devices[state::current_device()].limits;
        limits
            .get_mut(limit.0 as usize)
            .ok_or(E::cudaErrorUnsupportedLimit)
    }
}

/// Bus ids as tools print them, one slot a device.
fn bus_id(device: usize) -> String {
    format!("0000:{:02X}:00.0", device + 1)
}

exported! {
    Nothing fn cudaGetDeviceCount(count: *mut c_int) |sim| {
        let devices = sim.devices.len() as c_int;
        put(count, devices)?;
        if devices == 0 { Err(E::cudaErrorNoDevice) } else { Ok(()) }
    }

    Runtime fn cudaGetDevice(device: *mut c_int) |sim| {
        let current = sim.ordinal(state::current_device() as c_int)?;
        put(device, current as c_int)
    }

    // Works on a device with a sticky error too: the next call that uses it fails.
    Runtime fn cudaSetDevice(device: c_int) |sim| {
        state::set_current_device(sim.ordinal(device)?);
        Ok(())
    }

    Runtime fn cudaInitDevice(device: c_int, _device_flags: c_uint, flags: c_uint) |sim| {
        sim.ordinal(device)?;
        if flags > 1 { Err(E::cudaErrorInvalidValue) } else { Ok(()) }
    }

    Runtime fn cudaChooseDevice(device: *mut c_int, prop: *const cudaDeviceProp) |sim| {
        if prop.is_null() {
            return Err(E::cudaErrorInvalidValue);
        }
        put(device, sim.ordinal(0)? as c_int)
    }

    Runtime fn cudaGetDeviceProperties(prop: *mut cudaDeviceProp, device: c_int) |sim| {
        let ordinal = sim.ordinal(device)?;
        put(prop, properties::properties(sim, ordinal))
    }

    Runtime fn cudaDeviceGetAttribute(
        value: *mut c_int, attr: cudaDeviceAttr, device: c_int
    ) |sim| {
        let ordinal = sim.ordinal(device)?;
        put(value, properties::attribute(attr, ordinal).ok_or(E::cudaErrorInvalidValue)?)
    }

    Nothing fn cudaDriverGetVersion(version: *mut c_int) |_sim| {
        put(version, CUDART_VERSION as c_int)
    }

    Nothing fn cudaRuntimeGetVersion(version: *mut c_int) |_sim| {
        put(version, CUDART_VERSION as c_int)
    }

    Context fn cudaMemGetInfo(free: *mut usize, total: *mut usize) |sim| {
        // Either may be null.
        if !free.is_null() {
            put(free, sim.free_bytes(state::current_device()) as usize)?;
        }
        if !total.is_null() {
            put(total, sim.config.memory as usize)?;
        }
        Ok(())
    }

    Context fn cudaDeviceSynchronize() |sim| {
        sim.no_capture_on(state::current_device())?;
        sim.unsafe_call()?;
        sched::wait_device(sim, state::current_device())
    }

    // All work is finished, then everything of the device's context goes away, its sticky
    // error too.
    Runtime fn cudaDeviceReset() |sim| {
        let device = sim.ordinal(state::current_device() as c_int)?;
        let tails = sim.sched.device_tails(device);
        sched::wait_for(sim, &tails);
        sim.reset_device(device);
        Ok(())
    }

    Context fn cudaDeviceGetStreamPriorityRange(
        least: *mut c_int, greatest: *mut c_int
    ) |_sim| {
        // Either may be null, as documented.
        if !least.is_null() {
            put(least, LEAST_PRIORITY)?;
        }
        if !greatest.is_null() {
            put(greatest, GREATEST_PRIORITY)?;
        }
        Ok(())
    }

    Runtime fn cudaSetDeviceFlags(flags: c_uint) |sim| {
        let device = sim.ordinal(state::current_device() as c_int)?;
        // At most one way of waiting.
        if flags & !cudaDeviceMask != 0 || (flags & 7).count_ones() > 1 {
            return Err(E::cudaErrorInvalidValue);
        }
        sim.devices[device].flags = flags;
        Ok(())
    }

    Runtime fn cudaGetDeviceFlags(flags: *mut c_uint) |sim| {
        let device = sim.ordinal(state::current_device() as c_int)?;
        // Mapped host memory is always possible here, as on any recent device.
        put(flags, sim.devices[device].flags | cudaDeviceMapHost)
    }

    Context fn cudaDeviceGetLimit(value: *mut usize, limit: cudaLimit) |sim| {
        put(value, *sim.limit(limit)?)
    }

    Context fn cudaDeviceSetLimit(limit: cudaLimit, value: usize) |sim| {
        sim.unsafe_call()?;
        *sim.limit(limit)? = value;
        Ok(())
    }

    Context fn cudaDeviceGetCacheConfig(config: *mut cudaFuncCache) |_sim| {
        put(config, cudaFuncCache::cudaFuncCachePreferNone)
    }

    // A preference: there is no such cache to divide.
    Context fn cudaDeviceSetCacheConfig(config: cudaFuncCache) |sim| {
        sim.unsafe_call()?;
        if config.0 > 3 { Err(E::cudaErrorInvalidValue) } else { Ok(()) }
    }

    Runtime fn cudaDeviceGetPCIBusId(id: *mut c_char, len: c_int, device: c_int) |sim| {
        let text = bus_id(sim.ordinal(device)?);
        if id.is_null() || (len as usize) <= text.len() || len < 0 {
            return Err(E::cudaErrorInvalidValue);
        }
        for (i, byte) in text.bytes().chain([0]).enumerate() {
            // `len` bytes are the caller's promise, and the text with its end fits into them.
            put(id.wrapping_add(i), byte as c_char)?;
        }
        Ok(())
    }

    Runtime fn cudaDeviceGetByPCIBusId(device: *mut c_int, id: *const c_char) |sim| {
        get(id)?;
        // SAFETY: not null, and a C string by the contract of the function.
        let id = unsafe { CStr::from_ptr(id) };
        let found = (0..sim.devices.len())
            .find(|d| id.to_bytes().eq_ignore_ascii_case(bus_id(*d).as_bytes()));
        put(device, found.ok_or(E::cudaErrorInvalidDevice)? as c_int)
    }
}
