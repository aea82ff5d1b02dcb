//! A simulated device: what belongs to it and to its context.

use std::collections::BTreeSet;

use icffi_sys::cudaError;

use crate::mem::PoolKey;

/// Bounds of stream priorities; lower numbers are more urgent, as on real devices.
pub(crate) const LEAST_PRIORITY: i32 = 0;
pub(crate) const GREATEST_PRIORITY: i32 = -5;

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
            sticky: None,
        }
    }
}
