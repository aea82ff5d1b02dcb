//! What all functions of this crate do around a launch.

use icffi::abi::{ABI_VERSION, LaunchParams};
use icffi::error::check_kernel;
use icffi::stream::Stream;
use icffi::{IcffiError, Result, icffi_codes};

use crate::raw;

/// Threads of a block of an elementwise kernel.
const THREADS: u32 = 256;

/// Blocks of an elementwise kernel at most: beyond, each thread does more than one element.
const MAX_BLOCKS: usize = 1 << 20;

/// One thread for each element, up to a limit.
pub(crate) fn elementwise(n: usize, stream: &Stream) -> LaunchParams {
    let blocks = n.div_ceil(THREADS as usize).clamp(1, MAX_BLOCKS);
    LaunchParams::new_1d(blocks as u32, THREADS, stream.raw())
}

/// Refuses two lengths that have to be equal and are not.
#[track_caller]
pub(crate) fn same_length(
    function: &'static str,
    what: (&str, usize),
    other: (&str, usize),
) -> Result<()> {
    if what.1 == other.1 {
        return Ok(());
    }
    Err(IcffiError::new(
        icffi_codes::LENGTH_MISMATCH,
        function,
        format!(
            "LENGTH_MISMATCH: {} has {} elements, {} has {}",
            what.0, what.1, other.0, other.1
        ),
    ))
}

/// Launches a kernel: on the stream's device, and with the error named after the function.
///
/// `launch` calls the kernel's wrapper. It gets the parameters and returns its status.
#[track_caller]
pub(crate) fn launch(
    function: &'static str,
    stream: &Stream,
    params: LaunchParams,
    launch: impl FnOnce(LaunchParams) -> i32,
) -> Result<()> {
    check_abi(function)?;
    let _current = stream.device().enter()?;
    check_kernel(launch(params), function, &params)
}

/// The kernels' library and this crate were compiled from one tree, but a build that mixes an old
/// library with new declarations must not get as far as a launch.
#[track_caller]
fn check_abi(function: &'static str) -> Result<()> {
    // SAFETY: takes nothing, returns a constant.
    let compiled = unsafe { raw::icffi_abi_version_icffi_kernels() };
    if compiled == ABI_VERSION {
        return Ok(());
    }
    Err(abi_mismatch(function, compiled))
}

#[cold]
#[track_caller]
fn abi_mismatch(function: &'static str, compiled: u32) -> IcffiError {
    IcffiError::new(
        icffi_codes::ABI_MISMATCH,
        function,
        format!(
            "ABI_MISMATCH: the kernels were compiled with version {compiled} of icffi.h, icffi has \
             version {ABI_VERSION}. Clean and build again (cargo clean -p icffi-kernels)"
        ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn another_abi_is_named() {
        let error = abi_mismatch("axpy", 7);
        assert_eq!(error.code(), icffi_codes::ABI_MISMATCH);
        let text = error.to_string();
        assert!(text.contains("axpy: ABI_MISMATCH"), "{text}");
        assert!(
            text.contains("version 7 of icffi.h, icffi has version 1"),
            "{text}"
        );
        assert!(check_abi("axpy").is_ok());
    }

    #[test]
    fn shapes() -> Result<()> {
        let stream = Stream::new()?;
        for (n, blocks) in [(1, 1), (256, 1), (257, 2), (usize::MAX, 1 << 20)] {
            let params = elementwise(n, &stream);
            assert_eq!((params.grid_x, params.block_x), (blocks, 256));
        }
        Ok(())
    }
}
