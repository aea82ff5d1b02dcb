//! Access of one device to the memory of another.

use std::ffi::{c_int, c_uint};

use icffi_sys::{cudaDeviceP2PAttr, cudaError as E};

use crate::call::{exported, put};
use crate::state;

exported! {
    Runtime fn cudaDeviceCanAccessPeer(can: *mut c_int, device: c_int, peer: c_int) |sim| {
        let (device, peer) = (sim.ordinal(device)?, sim.ordinal(peer)?);
        // A device is no peer of itself.
        put(can, c_int::from(device != peer))
    }

    Context fn cudaDeviceEnablePeerAccess(peer: c_int, flags: c_uint) |sim| {
        let (device, peer) = (state::current_device(), sim.ordinal(peer)?);
        if flags != 0 {
            return Err(E::cudaErrorInvalidValue);
        }
        if device == peer {
            return Err(E::cudaErrorPeerAccessUnsupported);
        }
        if !sim.devices[device].peers.insert(peer) {
            return Err(E::cudaErrorPeerAccessAlreadyEnabled);
        }
        Ok(())
    }

    Context fn cudaDeviceDisablePeerAccess(peer: c_int) |sim| {
        let (device, peer) = (state::current_device(), sim.ordinal(peer)?);
        if !sim.devices[device].peers.remove(&peer) {
            return Err(E::cudaErrorPeerAccessNotEnabled);
        }
        Ok(())
    }

    Runtime fn cudaDeviceGetP2PAttribute(
        value: *mut c_int, attr: cudaDeviceP2PAttr, from: c_int, to: c_int
    ) |sim| {
        let (from, to) = (sim.ordinal(from)?, sim.ordinal(to)?);
        if from == to {
            return Err(E::cudaErrorInvalidDevice);
        }
        let known = match attr {
            cudaDeviceP2PAttr::cudaDevP2PAttrAccessSupported => 1,
            cudaDeviceP2PAttr::cudaDevP2PAttrNativeAtomicSupported => 1,
            cudaDeviceP2PAttr::cudaDevP2PAttrPerformanceRank => 0,
            cudaDeviceP2PAttr::cudaDevP2PAttrCudaArrayAccessSupported => 0,
            _ => return Err(E::cudaErrorInvalidValue),
        };
        put(value, known)
    }
}
