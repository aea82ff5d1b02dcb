//! Memory pools.

use std::ffi::{c_int, c_void};

use icffi_sys::{
    cudaError as E, cudaMemAccessDesc, cudaMemAccessFlags, cudaMemAllocationType, cudaMemLocation,
    cudaMemLocationType, cudaMemPool_t, cudaMemPoolAttr as Attr, cudaMemPoolProps,
};

use crate::call::{Outcome, exported, get, put};
use crate::mem::PoolKey;
use crate::state::Sim;

impl Sim {
    /// A pool handle of the caller's.
    pub(super) fn pool(&self, pool: cudaMemPool_t) -> Outcome<PoolKey> {
        let key = pool as PoolKey;
        match self.memory.pools.get(key) {
            Some(pool) if !pool.dying => Ok(key),
            _ => Err(E::cudaErrorInvalidValue),
        }
    }

    /// The device that a location names.
    fn located(&self, location: cudaMemLocation) -> Outcome<usize> {
        match location.type_ {
            cudaMemLocationType::cudaMemLocationTypeDevice => self.ordinal(location.id),
            _ => Err(E::cudaErrorNotSupported),
        }
    }

    fn set_current_pool(&mut self, device: usize, pool: cudaMemPool_t) -> Outcome {
        let key = self.pool(pool)?;
        if self
            .memory
            .pools
            .get(key)
            .is_none_or(|pool| pool.device != device)
        {
            return Err(E::cudaErrorInvalidDevice);
        }
        self.devices[device].current_pool = key;
        Ok(())
    }
}

fn pinned(kind: cudaMemAllocationType) -> Outcome {
    if kind == cudaMemAllocationType::cudaMemAllocationTypePinned {
        Ok(())
    } else {
        Err(E::cudaErrorNotSupported)
    }
}

exported! {
    Runtime fn cudaDeviceGetDefaultMemPool(out: *mut cudaMemPool_t, device: c_int) |sim| {
        let device = sim.ordinal(device)?;
        put(out, sim.devices[device].default_pool as cudaMemPool_t)
    }

    Runtime fn cudaDeviceGetMemPool(out: *mut cudaMemPool_t, device: c_int) |sim| {
        let device = sim.ordinal(device)?;
        put(out, sim.devices[device].current_pool as cudaMemPool_t)
    }

    Runtime fn cudaDeviceSetMemPool(device: c_int, pool: cudaMemPool_t) |sim| {
        sim.unsafe_call()?;
        let device = sim.ordinal(device)?;
        sim.set_current_pool(device, pool)
    }

    Runtime fn cudaMemGetDefaultMemPool(
        out: *mut cudaMemPool_t, location: *mut cudaMemLocation, kind: cudaMemAllocationType
    ) |sim| {
        pinned(kind)?;
        let device = sim.located(get(location)?)?;
        put(out, sim.devices[device].default_pool as cudaMemPool_t)
    }

    Runtime fn cudaMemGetMemPool(
        out: *mut cudaMemPool_t, location: *mut cudaMemLocation, kind: cudaMemAllocationType
    ) |sim| {
        pinned(kind)?;
        let device = sim.located(get(location)?)?;
        put(out, sim.devices[device].current_pool as cudaMemPool_t)
    }

    Runtime fn cudaMemSetMemPool(
        location: *mut cudaMemLocation, kind: cudaMemAllocationType, pool: cudaMemPool_t
    ) |sim| {
        sim.unsafe_call()?;
        pinned(kind)?;
        let device = sim.located(get(location)?)?;
        sim.set_current_pool(device, pool)
    }

    Runtime fn cudaMemPoolCreate(
        out: *mut cudaMemPool_t, props: *const cudaMemPoolProps
    ) |sim| {
        let props = get(props)?;
        if out.is_null() {
            return Err(E::cudaErrorInvalidValue);
        }
        if props.allocType != cudaMemAllocationType::cudaMemAllocationTypePinned {
            return Err(E::cudaErrorInvalidValue);
        }
        sim.unsafe_call()?;
        // Sharing between processes is not simulated.
        if props.handleTypes.0 != 0 {
            return Err(E::cudaErrorNotSupported);
        }
        // Here an ordinal that does not exist is an argument like any other.
        let device = sim.located(props.location).map_err(|code| match code {
            E::cudaErrorInvalidDevice => E::cudaErrorInvalidValue,
            other => other,
        })?;
        let key = sim.memory.new_pool(device, props.maxSize as u64);
        put(out, key as cudaMemPool_t)
    }

    Runtime fn cudaMemPoolDestroy(pool: cudaMemPool_t) |sim| {
        sim.unsafe_call()?;
        let key = sim.pool(pool)?;
        if sim.devices.iter().any(|device| device.default_pool == key) {
            return Err(E::cudaErrorInvalidValue);
        }
        for device in &mut sim.devices {
            if device.current_pool == key {
                device.current_pool = device.default_pool;
            }
        }
        sim.trim_pool(key, 0);
        sim.memory.drop_pool(key);
        Ok(())
    }

    Runtime fn cudaMemPoolTrimTo(pool: cudaMemPool_t, keep: usize) |sim| {
        sim.unsafe_call()?;
        let key = sim.pool(pool)?;
        sim.trim_pool(key, keep as u64);
        Ok(())
    }

    Runtime fn cudaMemPoolGetAttribute(
        pool: cudaMemPool_t, attr: Attr, value: *mut c_void
    ) |sim| {
        sim.unsafe_call()?;
        let key = sim.pool(pool)?;
        let pool = sim.memory.pools.get(key).ok_or(E::cudaErrorInvalidValue)?;
        match attr.0 {
            1..=3 => put(value.cast::<c_int>(), pool.reuse[attr.0 as usize - 1]),
            _ => put(value.cast::<u64>(), match attr {
                Attr::cudaMemPoolAttrReleaseThreshold => pool.threshold,
                Attr::cudaMemPoolAttrReservedMemCurrent => pool.reserved,
                Attr::cudaMemPoolAttrReservedMemHigh => pool.reserved_high,
                Attr::cudaMemPoolAttrUsedMemCurrent => pool.used,
                Attr::cudaMemPoolAttrUsedMemHigh => pool.used_high,
                _ => return Err(E::cudaErrorInvalidValue),
            }),
        }
    }

    Runtime fn cudaMemPoolSetAttribute(
        pool: cudaMemPool_t, attr: Attr, value: *mut c_void
    ) |sim| {
        sim.unsafe_call()?;
        let key = sim.pool(pool)?;
        let pool = sim.memory.pools.get_mut(key).ok_or(E::cudaErrorInvalidValue)?;
        if (1..=3).contains(&attr.0) {
            pool.reuse[attr.0 as usize - 1] = get(value.cast::<c_int>())?;
            return Ok(());
        }
        let value = get(value.cast::<u64>())?;
        match attr {
            Attr::cudaMemPoolAttrReleaseThreshold => pool.threshold = value,
            // High water marks can be reset, and only that.
            Attr::cudaMemPoolAttrReservedMemHigh if value == 0 => {
                pool.reserved_high = pool.reserved;
            }
            Attr::cudaMemPoolAttrUsedMemHigh if value == 0 => pool.used_high = pool.used,
            _ => return Err(E::cudaErrorInvalidValue),
        }
        Ok(())
    }

    Runtime fn cudaMemPoolSetAccess(
        pool: cudaMemPool_t, list: *const cudaMemAccessDesc, count: usize
    ) |sim| {
        sim.unsafe_call()?;
        let key = sim.pool(pool)?;
        for i in 0..count {
            // `count` descriptors are the caller's promise.
            let desc = get(list.wrapping_add(i))?;
            let device = sim.located(desc.location)?;
            let pool = sim.memory.pools.get_mut(key).ok_or(E::cudaErrorInvalidValue)?;
            match desc.flags {
                cudaMemAccessFlags::cudaMemAccessFlagsProtNone => {
                    // The device that owns the memory keeps its access.
                    if device == pool.device {
                        return Err(E::cudaErrorInvalidDevice);
                    }
                    pool.access.remove(&device);
                }
                cudaMemAccessFlags::cudaMemAccessFlagsProtReadWrite => {
                    pool.access.insert(device, desc.flags);
                }
                // Reading alone cannot be granted.
                _ => return Err(E::cudaErrorNotSupported),
            }
        }
        Ok(())
    }

    Runtime fn cudaMemPoolGetAccess(
        flags: *mut cudaMemAccessFlags, pool: cudaMemPool_t, location: *mut cudaMemLocation
    ) |sim| {
        sim.unsafe_call()?;
        let key = sim.pool(pool)?;
        let device = sim.located(get(location)?)?;
        let pool = sim.memory.pools.get(key).ok_or(E::cudaErrorInvalidValue)?;
        let found = if device == pool.device {
            cudaMemAccessFlags::cudaMemAccessFlagsProtReadWrite
        } else {
            let none = cudaMemAccessFlags::cudaMemAccessFlagsProtNone;
            pool.access.get(&device).copied().unwrap_or(none)
        };
        put(flags, found)
    }
}
