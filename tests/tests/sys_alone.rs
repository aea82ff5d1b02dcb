//! The example of icffi-sys' README, run: bindings alone, without the safe layer.

// Only so that a runtime is linked in, whichever this build has.
use icffi as _;

// README begins
use std::ffi::CStr;
use std::ptr::null_mut;

use icffi_sys::{cudaError_t, cudaFree, cudaGetErrorName, cudaMalloc, cudaMemcpy, cudaMemcpyKind};

/// The name CUDA gives to a status.
fn name(status: cudaError_t) -> String {
    // SAFETY: the function takes any value and returns a constant string.
    let name = unsafe { CStr::from_ptr(cudaGetErrorName(status)) };
    name.to_string_lossy().into_owned()
}

fn round_trip(numbers: &[u32; 4]) -> Result<[u32; 4], cudaError_t> {
    let bytes = size_of_val(numbers);
    let (up, down) = (
        cudaMemcpyKind::cudaMemcpyHostToDevice,
        cudaMemcpyKind::cudaMemcpyDeviceToHost,
    );
    let mut device = null_mut();
    let mut back = [0_u32; 4];
    // SAFETY: `device` is written by cudaMalloc before it is used, both arrays hold `bytes`
    // bytes, and cudaMemcpy from and to pageable memory is complete when it returns.
    unsafe {
        cudaMalloc(&mut device, bytes).ok()?;
        let up = cudaMemcpy(device, numbers.as_ptr().cast(), bytes, up);
        let down = cudaMemcpy(back.as_mut_ptr().cast(), device, bytes, down);
        cudaFree(device).ok()?;
        up.ok()?;
        down.ok()?;
    }
    Ok(back)
}
// README ends

#[test]
fn the_readme_example_works() {
    match round_trip(&[1, 2, 3, 4]) {
        Ok(back) => assert_eq!(back, [1, 2, 3, 4]),
        Err(status) => panic!("{} ({})", name(status), status.code()),
    }
}

#[test]
fn a_status_has_a_name() {
    assert_eq!(
        name(cudaError_t::cudaErrorMemoryAllocation),
        "cudaErrorMemoryAllocation"
    );
}

#[test]
fn the_readme_shows_this_very_code() {
    let ours = include_str!("sys_alone.rs");
    let (_, ours) = ours.split_once("// README begins\n").expect("a beginning");
    let (ours, _) = ours.split_once("// README ends\n").expect("an end");
    let readme = include_str!("../../crates/icffi-sys/README.md");
    assert!(
        readme.contains(ours),
        "the example in crates/icffi-sys/README.md is not this code"
    );
}
