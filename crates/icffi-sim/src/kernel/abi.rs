//! The C interface: the same structures as in `icffi/sim/device.h` and `icffi/sim/launch.h`.

use std::ffi::{c_char, c_void};

use icffi_sys::cudaStream_t;

/// `icffi::LaunchParams`.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct LaunchParams {
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) shared_mem_bytes: u64,
    pub(super) stream: cudaStream_t,
}

/// A buffer that a launch was given.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Buffer {
    pub(super) ptr: *const c_void,
    pub(super) bytes: u64,
    pub(super) writes: u32,
    pub(super) reserved: u32,
}

/// Runs threads of a block until none is left that has not begun.
pub(super) type Run = unsafe extern "C" fn(*const c_void, *mut Block);

/// A kernel with its arguments.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Kernel {
    pub(super) name: *const c_char,
    pub(super) shared_limit: u64,
    pub(super) run: Run,
    pub(super) drop: unsafe extern "C" fn(*mut c_void),
    pub(super) arguments: *mut c_void,
}

/// What C++ sees of a block that runs. `next` is written by both sides, through pointers only.
#[derive(Debug, Clone, Copy)]
#[repr(C)]
pub(super) struct Block {
    pub(super) next: u32,
    pub(super) threads: u32,
    pub(super) grid: [u32; 3],
    pub(super) block: [u32; 3],
    pub(super) index: [u32; 3],
    pub(super) reserved: u32,
    pub(super) dynamic_shared: *mut c_void,
}

const _: () = {
    assert!(size_of::<LaunchParams>() == 40 && size_of::<Buffer>() == 24);
    assert!(size_of::<Kernel>() == 40 && size_of::<Block>() == 56);
    assert!(std::mem::offset_of!(Block, dynamic_shared) == 48);
};

/// What a thread waits for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Wait {
    /// All threads of the block: `__syncthreads`.
    Block,
    /// The lanes of a mask: `__syncwarp`.
    Warp,
    /// The lanes of a mask, to read the value of one of them.
    Shuffle,
    /// The lanes of a mask, to learn whose value is not zero.
    Ballot,
}

impl Wait {
    /// From its number in C++.
    pub(super) fn new(number: u32) -> Option<Self> {
        Some(match number {
            0 => Self::Block,
            1 => Self::Warp,
            2 => Self::Shuffle,
            3 => Self::Ballot,
            _ => return None,
        })
    }
}
