//! A simulated device: what belongs to it and to its context.

use std::collections::BTreeSet;

use icffi_sys::cudaError;

use crate::mem::{Origin, PoolKey};
use crate::state::Sim;

/// Bounds of stream priorities; lower numbers are more urgent, as on real devices.
pub(crate) const LEAST_PRIORITY: i32 = 0;
pub(crate) const GREATEST_PRIORITY: i32 = -5;

/// Stack, printf buffer, heap, and so on, as a fresh device has them.
const LIMITS: [usize; 7] = [1 << 10, 1 << 20, 8 << 20, 0, 2048, 64, 0];

/// One device.
#[derive(Debug)]
pub(crate) struct Device {
    /// Bytes of `cudaMalloc` memory and what the pools reserve.
    pub(crate) used: u64,
    pub(crate) default_pool: PoolKey,
    pub(crate) current_pool: PoolKey,
    /// Devices whose `cudaMalloc` memory this one may reach.
    pub(crate) peers: BTreeSet<usize>,
    pub(crate) flags: u32,
    /// Values of `cudaDeviceSetLimit`, by the number of the limit.
    pub(crate) limits: [usize; 7],
    /// The error that ended this device's context, until `cudaDeviceReset`.
    pub(crate) sticky: Option<cudaError>,
}

impl Device {
    pub(crate) fn new(pool: PoolKey) -> Device {
        Device {
            used: 0,
            default_pool: pool,
            current_pool: pool,
            peers: BTreeSet::new(),
            flags: 0,
            limits: LIMITS,
            sticky: None,
        }
    }
}

impl Sim {
    /// Ends everything that belongs to a device's context and gives it a fresh one.
    pub(crate) fn reset_device(&mut self, device: usize) {
        self.drop_captures(device);
        self.drop_graphs(device);
        let streams = &self.sched.streams;
        let gone = self
            .sched
            .handles
            .keys_where(|key| streams[key].device == device);
        for handle in gone {
            if let Some(key) = self.sched.handles.get(handle).copied() {
                self.sched.destroy(handle, key);
            }
        }
        for handle in self.sched.events.keys_where(|event| event.device == device) {
            self.sched.events.remove(handle);
        }
        for (id, origin) in self.memory.of_device(device) {
            match origin {
                Origin::Registered(_) => self.memory.unregister(id),
                _ => self.retire(id, "cudaDeviceReset"),
            }
        }
        for key in self.memory.pools.keys_where(|pool| pool.device == device) {
            self.memory.pools.remove(key);
        }
        let pool = self.memory.new_pool(device, 0);
        self.devices[device] = Device::new(pool);
    }
}
