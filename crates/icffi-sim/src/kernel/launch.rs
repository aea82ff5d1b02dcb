//! `icffi_sim_launch`: checks the shape as CUDA does, and puts the kernel into its stream.

use std::cell::Cell;
use std::ffi::{CStr, c_void};
use std::sync::{Arc, Mutex, PoisonError};

use icffi_sys::cudaError;

use super::abi::{Block, Buffer, Kernel, LaunchParams, Run};
use super::block::Blocks;
use crate::call::{Needs, enter};
use crate::launch::{FUNCTION, KernelBuffer, enqueue_kernel};

/// Kernels run one at a time: their shared memory and the index of their thread are static
/// variables of the C++ side.
static BLOCKS: Mutex<Option<Blocks>> = Mutex::new(None);

/// Filled into dynamic shared memory before each block, as it holds anything on a device.
const POISON: u8 = 0xa5;

thread_local! {
    /// The first index beyond the end of a buffer that the running kernel has used, and the
    /// buffer's length. Kernels run one at a time, each on one thread.
    static OUTSIDE: Cell<Option<(u64, u64)>> = const { Cell::new(None) };
}

/// A kernel has used an element that its buffer does not have.
#[unsafe(no_mangle)]
extern "C" fn icffi_sim_outside(index: u64, len: u64) {
    OUTSIDE.set(OUTSIDE.get().or(Some((index, len))));
}

/// Arguments of a kernel, dropped once.
struct Arguments {
    pointer: *mut c_void,
    drop: unsafe extern "C" fn(*mut c_void),
}

// SAFETY: C++ made them for one launch and touches them only through us, one kernel at a time;
// they are plain bytes, which a kernel reads.
unsafe impl Send for Arguments {}
// SAFETY: the same.
unsafe impl Sync for Arguments {}

impl Drop for Arguments {
    fn drop(&mut self) {
        // SAFETY: the function that belongs to them, and the only call of it.
        unsafe { (self.drop)(self.pointer) };
    }
}

/// What is left to do when the stream gets there, or a graph does.
struct Job {
    name: String,
    params: LaunchParams,
    run: Run,
    arguments: Arguments,
}

// SAFETY: as for `Arguments`; the stream's handle in `params` is not used any more.
unsafe impl Send for Job {}
// SAFETY: the same.
unsafe impl Sync for Job {}

/// Launches a kernel that was compiled for the CPU. Called by `ICFFI_LAUNCH`.
///
/// # Safety
/// The pointers are valid for the call; the kernel's functions and its arguments until `drop` has
/// been called, which happens once.
#[unsafe(no_mangle)]
unsafe extern "C" fn icffi_sim_launch(
    params: *const LaunchParams,
    kernel: *const Kernel,
    buffers: *const Buffer,
    count: usize,
) -> cudaError {
    // SAFETY: the caller's promise.
    let (params, kernel) = unsafe { (*params, *kernel) };
    // From here on they are dropped whatever happens.
    let arguments = Arguments {
        pointer: kernel.arguments,
        drop: kernel.drop,
    };
    if let Err(code) = check(&params, kernel.shared_limit) {
        return enter(FUNCTION, Needs::Context, |_| Err(code));
    }
    let buffers = if count == 0 {
        Vec::new()
    } else {
        // SAFETY: the caller's promise.
        let buffers = unsafe { std::slice::from_raw_parts(buffers, count) };
        buffers.iter().map(KernelBuffer::from).collect()
    };
    // SAFETY: a string literal, by ICFFI_LAUNCH.
    let name = unsafe { CStr::from_ptr(kernel.name) };
    let name = name.to_string_lossy().into_owned();
    let job = Job {
        name: name.clone(),
        params,
        run: kernel.run,
        arguments,
    };
    enqueue_kernel(params.stream, name, buffers, Arc::new(move || job.run()))
}

impl From<&Buffer> for KernelBuffer {
    fn from(buffer: &Buffer) -> Self {
        Self {
            ptr: buffer.ptr as usize,
            bytes: usize::try_from(buffer.bytes).unwrap_or(usize::MAX),
            writes: buffer.writes != 0,
        }
    }
}

/// CUDA's limits ("Compute Capabilities" in the CUDA C++ Programming Guide). Each impossible shape
/// is `cudaErrorInvalidValue`, as `cudaLaunchKernelExC` of CUDA 13.0 answers on an H200.
fn check(params: &LaunchParams, shared_limit: u64) -> Result<(), cudaError> {
    const GRID: [u32; 3] = [0x7fff_ffff, 0xffff, 0xffff];
    const BLOCK: [u32; 3] = [1024, 1024, 64];
    let within =
        |size: [u32; 3], limit: [u32; 3]| size.iter().zip(limit).all(|(&s, l)| s > 0 && s <= l);
    let threads: u64 = params.block.iter().map(|&n| u64::from(n)).product();
    if !within(params.grid, GRID) || !within(params.block, BLOCK) || threads > 1024 {
        return Err(cudaError::cudaErrorInvalidValue);
    }
    if params.shared_mem_bytes > shared_limit {
        return Err(cudaError::cudaErrorInvalidValue);
    }
    Ok(())
}

impl Job {
    fn run(&self) {
        let mut guard = BLOCKS.lock().unwrap_or_else(PoisonError::into_inner);
        let blocks = guard.get_or_insert_with(Blocks::new);
        OUTSIDE.set(None);
        let outcome = self.run_blocks(blocks).and_then(|()| match OUTSIDE.take() {
            None => Ok(()),
            Some((index, len)) => Err(format!(
                "used element {index} of a buffer of {len} elements"
            )),
        });
        drop(guard);
        if let Err(why) = outcome {
            // The stream's side reports it, and its context dies as it would on a device.
            panic!("kernel {}: {why}", self.name);
        }
    }

    fn run_blocks(&self, blocks: &mut Blocks) -> Result<(), String> {
        let bytes = usize::try_from(self.params.shared_mem_bytes).unwrap_or(0);
        // In units of 16 bytes, the alignment that a kernel may rely on.
        let mut shared = vec![[0u64; 2]; bytes.div_ceil(16)];
        let [width, height, depth] = self.params.grid;
        for z in 0..depth {
            for y in 0..height {
                for x in 0..width {
                    shared.fill([u64::from_ne_bytes([POISON; 8]); 2]);
                    let block = Block {
                        next: 0,
                        threads: self.params.block.iter().product(),
                        grid: self.params.grid,
                        block: self.params.block,
                        index: [x, y, z],
                        reserved: 0,
                        dynamic_shared: shared.as_mut_ptr().cast(),
                    };
                    // SAFETY: `run` belongs to these arguments, by the promise of the launch; the
                    // buffers were checked before this operation was begun.
                    unsafe { blocks.run(block, self.run, self.arguments.pointer)? };
                }
            }
        }
        Ok(())
    }
}
