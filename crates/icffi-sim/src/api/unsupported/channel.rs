//! The one function that returns something else than a code. It only fills a struct.

use std::ffi::c_int;

use icffi_sys::{cudaChannelFormatDesc, cudaChannelFormatKind};

use crate::state;

#[unsafe(no_mangle)]
extern "C" fn cudaCreateChannelDesc(
    x: c_int,
    y: c_int,
    z: c_int,
    w: c_int,
    f: cudaChannelFormatKind,
) -> cudaChannelFormatDesc {
    *state::lock()
        .calls
        .entry("cudaCreateChannelDesc")
        .or_insert(0) += 1;
    cudaChannelFormatDesc { x, y, z, w, f }
}

type Signature = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    c_int,
    cudaChannelFormatKind,
) -> cudaChannelFormatDesc;

const _: [Signature; 2] = [cudaCreateChannelDesc, icffi_sys::cudaCreateChannelDesc];
