//! Memory pools: what they reserve, what of it is used, and who may reach it.

use std::collections::BTreeMap;

use icffi_sys::{cudaError, cudaMemAccessFlags};

use super::{Memory, Origin};
use crate::call::Outcome;
use crate::state::Sim;

/// A pool's handle as a number.
pub(crate) type PoolKey = usize;

/// One pool. Freed memory is kept reserved up to the release threshold, as bytes that the
/// device can't give to anyone else; the addresses are not reused, so that a use after free is
/// seen and does not change other people's data.
#[derive(Debug)]
pub(crate) struct Pool {
    pub(crate) device: usize,
    /// Most bytes it may reserve; 0 for no bound of its own.
    pub(crate) max: u64,
    pub(crate) threshold: u64,
    pub(crate) reserved: u64,
    pub(crate) reserved_high: u64,
    /// What is taken out of it, memory included whose free has not taken effect.
    pub(crate) taken: u64,
    /// What it says is used: a free counts from its call on.
    pub(crate) used: u64,
    pub(crate) used_high: u64,
    /// The reuse switches, kept for programs that set and read them.
    pub(crate) reuse: [i32; 3],
    pub(crate) access: BTreeMap<usize, cudaMemAccessFlags>,
    /// Destroyed while memory was outstanding: it goes away with the last of it.
    pub(crate) dying: bool,
}

/// What allocations are rounded up to when device memory is counted.
const GRAIN: u64 = 512;

pub(crate) fn charged(len: usize) -> u64 {
    // Too much for any device saturates and is refused.
    (len as u64)
        .checked_next_multiple_of(GRAIN)
        .unwrap_or(u64::MAX)
}

impl Memory {
    pub(crate) fn new_pool(&mut self, device: usize, max: u64) -> PoolKey {
        self.pools.insert(Pool {
            device,
            max,
            threshold: 0,
            reserved: 0,
            reserved_high: 0,
            taken: 0,
            used: 0,
            used_high: 0,
            reuse: [1; 3],
            access: BTreeMap::new(),
            dying: false,
        })
    }
}

impl Sim {
    /// Takes `len` bytes of a device for memory outside pools.
    pub(crate) fn charge_device(&mut self, device: usize, len: usize) -> Outcome {
        let bytes = charged(len);
        if self.free_bytes(device) < bytes {
            self.trim_all(device, 0);
        }
        if self.free_bytes(device) < bytes {
            return Err(cudaError::cudaErrorMemoryAllocation);
        }
        self.devices[device].used += bytes;
        Ok(())
    }

    pub(crate) fn free_bytes(&self, device: usize) -> u64 {
        self.config.memory.saturating_sub(self.devices[device].used)
    }

    /// Takes `len` bytes out of a pool, which grows if it must.
    pub(crate) fn charge_pool(&mut self, key: PoolKey, len: usize) -> Outcome {
        let bytes = charged(len);
        let pool = self
            .memory
            .pools
            .get(key)
            .ok_or(cudaError::cudaErrorInvalidValue)?;
        let device = pool.device;
        let cached = pool.reserved - pool.taken;
        let grow = bytes.saturating_sub(cached);
        if pool.max != 0 && grow > pool.max.saturating_sub(pool.reserved) {
            return Err(cudaError::cudaErrorMemoryAllocation);
        }
        if self.free_bytes(device) < grow {
            // Other pools of the device give back what they only keep.
            self.trim_others(device, key);
        }
        if self.free_bytes(device) < grow {
            return Err(cudaError::cudaErrorMemoryAllocation);
        }
        self.devices[device].used += grow;
        let pool = self.memory.pools.get_mut(key).expect("looked up above");
        pool.reserved += grow;
        pool.taken += bytes;
        pool.used += bytes;
        pool.reserved_high = pool.reserved_high.max(pool.reserved);
        pool.used_high = pool.used_high.max(pool.used);
        Ok(())
    }

    /// Gives back what an allocation of this origin was charged.
    pub(crate) fn uncharge(&mut self, origin: Origin, device: usize, len: usize) {
        match origin {
            Origin::Malloc => self.devices[device].used -= charged(len),
            Origin::Pool(key) => {
                let Some(pool) = self.memory.pools.get_mut(key) else {
                    return;
                };
                pool.taken -= charged(len);
                if pool.dying {
                    self.trim_pool(key, 0);
                    if self
                        .memory
                        .pools
                        .get(key)
                        .is_some_and(|pool| pool.taken == 0)
                    {
                        self.memory.pools.remove(key);
                    }
                }
            }
            // Memory of a graph is charged by its launches and stays so until it is gone.
            Origin::Graph | Origin::Pinned(_) | Origin::Registered(_) => {}
        }
    }

    /// A free was called: the pool's statistics count the memory no longer.
    pub(crate) fn forget_used(&mut self, origin: Origin, len: usize) {
        let Origin::Pool(key) = origin else { return };
        if let Some(pool) = self.memory.pools.get_mut(key) {
            pool.used -= charged(len);
        }
    }

    /// Lets a pool keep at most `keep` bytes, or what is used if that is more.
    pub(crate) fn trim_pool(&mut self, key: PoolKey, keep: u64) {
        let Some(pool) = self.memory.pools.get_mut(key) else {
            return;
        };
        let target = pool.taken.max(keep).min(pool.reserved);
        let given = pool.reserved - target;
        pool.reserved = target;
        let device = pool.device;
        self.devices[device].used -= given;
    }

    fn trim_others(&mut self, device: usize, but: PoolKey) {
        for key in self.pools_of(device) {
            if key != but {
                self.trim_pool(key, 0);
            }
        }
    }

    fn trim_all(&mut self, device: usize, keep: u64) {
        for key in self.pools_of(device) {
            self.trim_pool(key, keep);
        }
    }

    /// What a synchronization does to pools: they shrink to their release threshold.
    pub(crate) fn release_to_thresholds(&mut self, device: usize) {
        for key in self.pools_of(device) {
            let threshold = self.memory.pools.get(key).map_or(0, |pool| pool.threshold);
            self.trim_pool(key, threshold);
        }
    }

    fn pools_of(&self, device: usize) -> Vec<PoolKey> {
        self.memory.pools.keys_where(|pool| pool.device == device)
    }
}

impl Memory {
    /// Destroys a pool, or lets it live until the last of its memory is freed.
    pub(crate) fn drop_pool(&mut self, key: PoolKey) {
        match self.pools.get_mut(key) {
            Some(pool) if pool.taken > 0 => pool.dying = true,
            _ => {
                self.pools.remove(key);
            }
        }
    }
}
