#![doc = include_str!("../README.md")]
#![no_std]

// One of three sets: generated at build time, or one of the two committed ones. `build.rs` chooses
// by the toolkit it found; without a toolkit, and for the simulator, it is CUDA 13's.
#[cfg(icffi_generated)]
#[allow(
    dead_code,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals
)]
mod bindings {
    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}

#[cfg(all(not(icffi_generated), not(icffi_cuda12)))]
#[path = "bindings/cuda13.rs"]
#[allow(
    dead_code,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals
)]
mod bindings;

#[cfg(all(not(icffi_generated), icffi_cuda12))]
#[path = "bindings/cuda12.rs"]
#[allow(
    dead_code,
    non_camel_case_types,
    non_snake_case,
    non_upper_case_globals
)]
mod bindings;

// Of CUDA 12 the old plain functions stay behind the unified names, hence `dead_code` above.
mod compat;
mod status;

pub use bindings::*;
// An explicit re-export wins over the glob above: with CUDA 12 these names get CUDA 13's meaning.
#[cfg(icffi_cuda12)]
pub use compat::cuda12::{
    cudaGetDeviceProperties, cudaGraphAddDependencies, cudaGraphAddNode, cudaGraphGetEdges,
    cudaGraphNodeGetDependencies, cudaGraphNodeGetDependentNodes, cudaGraphRemoveDependencies,
    cudaMemAdvise, cudaMemPrefetchAsync, cudaSignalExternalSemaphoresAsync,
    cudaStreamGetCaptureInfo, cudaStreamUpdateCaptureDependencies, cudaWaitExternalSemaphoresAsync,
};
pub use compat::{BINDINGS_MAJOR, RUNTIME, Runtime};
