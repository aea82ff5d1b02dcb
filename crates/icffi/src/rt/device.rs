//! Devices.

use super::cuda;
use crate::error::Result;
use crate::op::Op;
use icffi_sys::{cudaDeviceAttr, cudaDeviceProp};

pub(crate) fn device_count(op: Op) -> Result<i32> {
    let mut count = 0;
    // SAFETY: `count` outlives the call.
    unsafe { cuda!(op, cudaGetDeviceCount, &mut count) }?;
    Ok(count)
}

pub(crate) fn get_device(op: Op) -> Result<i32> {
    let mut ordinal = 0;
    // SAFETY: `ordinal` outlives the call.
    unsafe { cuda!(op, cudaGetDevice, &mut ordinal) }?;
    Ok(ordinal)
}

pub(crate) fn set_device(op: Op, ordinal: i32) -> Result<()> {
    // SAFETY: any ordinal may be passed; a wrong one is an error.
    unsafe { cuda!(op, cudaSetDevice, ordinal) }
}

/// Waits for all work of the current device.
pub(crate) fn device_synchronize(op: Op) -> Result<()> {
    // SAFETY: no precondition.
    unsafe { cuda!(op, cudaDeviceSynchronize) }
}

pub(crate) fn mem_get_info(op: Op) -> Result<(usize, usize)> {
    let (mut free, mut total) = (0, 0);
    // SAFETY: both outlive the call.
    unsafe { cuda!(op, cudaMemGetInfo, &mut free, &mut total) }?;
    Ok((free, total))
}

pub(crate) fn device_attribute(op: Op, attribute: cudaDeviceAttr, ordinal: i32) -> Result<i32> {
    let mut value = 0;
    // SAFETY: `value` outlives the call; a wrong attribute or ordinal is an error.
    unsafe { cuda!(op, cudaDeviceGetAttribute, &mut value, attribute, ordinal) }?;
    Ok(value)
}

pub(crate) fn device_properties(op: Op, ordinal: i32) -> Result<Box<cudaDeviceProp>> {
    let mut properties = Box::<cudaDeviceProp>::default();
    // SAFETY: `properties` outlives the call.
    unsafe { cuda!(op, cudaGetDeviceProperties, &mut *properties, ordinal) }?;
    Ok(properties)
}

pub(crate) fn driver_version(op: Op) -> Result<i32> {
    let mut version = 0;
    // SAFETY: `version` outlives the call.
    unsafe { cuda!(op, cudaDriverGetVersion, &mut version) }?;
    Ok(version)
}

pub(crate) fn runtime_version(op: Op) -> Result<i32> {
    let mut version = 0;
    // SAFETY: `version` outlives the call.
    unsafe { cuda!(op, cudaRuntimeGetVersion, &mut version) }?;
    Ok(version)
}

pub(crate) fn can_access_peer(op: Op, device: i32, peer: i32) -> Result<bool> {
    let mut can = 0;
    // SAFETY: `can` outlives the call.
    unsafe { cuda!(op, cudaDeviceCanAccessPeer, &mut can, device, peer) }?;
    Ok(can != 0)
}

/// From the current device to `peer`.
pub(crate) fn enable_peer_access(op: Op, peer: i32) -> Result<()> {
    // SAFETY: any ordinal may be passed; flags must be 0.
    unsafe { cuda!(op, cudaDeviceEnablePeerAccess, peer, 0) }
}
