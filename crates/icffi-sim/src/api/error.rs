//! The error state of a host thread, and the names of codes.

use std::ffi::{CStr, c_char};

use icffi_sys::cudaError;

use crate::state;

/// Reads the error state: `forget` clears what can be cleared. A sticky error of the current
/// device stays. Allowed in host functions: it touches no device.
fn read(name: &'static str, forget: bool) -> cudaError {
    state::announce();
    let mut sim = state::lock();
    state::refresh_thread(sim.generation);
    *sim.calls.entry(name).or_insert(0) += 1;
    let sim = &mut *sim;
    for fault in &mut sim.faults {
        if fault.hits(name) {
            if fault.sticky {
                if let Some(device) = sim.devices.get_mut(state::current_device()) {
                    device.sticky.get_or_insert(fault.code);
                }
            }
            return fault.code;
        }
    }
    let last = state::last_error();
    if forget {
        state::set_last_error(cudaError::cudaSuccess);
    }
    let sticky = sim
        .devices
        .get(state::current_device())
        .and_then(|d| d.sticky);
    sticky.unwrap_or(last)
}

#[unsafe(no_mangle)]
extern "C" fn cudaGetLastError() -> cudaError {
    read("cudaGetLastError", true)
}

#[unsafe(no_mangle)]
extern "C" fn cudaPeekAtLastError() -> cudaError {
    read("cudaPeekAtLastError", false)
}

#[unsafe(no_mangle)]
extern "C" fn cudaGetErrorName(error: cudaError) -> *const c_char {
    lookup(error)
        .map_or(c"unrecognized error code", |(_, name, _)| name)
        .as_ptr()
}

#[unsafe(no_mangle)]
extern "C" fn cudaGetErrorString(error: cudaError) -> *const c_char {
    lookup(error)
        .map_or(c"unrecognized error code", |(_, _, text)| text)
        .as_ptr()
}

const _: [unsafe extern "C" fn() -> cudaError; 4] = [
    cudaGetLastError,
    icffi_sys::cudaGetLastError,
    cudaPeekAtLastError,
    icffi_sys::cudaPeekAtLastError,
];
const _: [unsafe extern "C" fn(cudaError) -> *const c_char; 4] = [
    cudaGetErrorName,
    icffi_sys::cudaGetErrorName,
    cudaGetErrorString,
    icffi_sys::cudaGetErrorString,
];

type Row = (cudaError, &'static CStr, &'static CStr);

fn lookup(error: cudaError) -> Option<Row> {
    super::error_text::ROWS
        .iter()
        .copied()
        .find(|(code, _, _)| *code == error)
}
