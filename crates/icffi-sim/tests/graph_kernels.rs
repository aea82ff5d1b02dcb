//! Kernels compiled for the CPU as nodes: through the interface that the C++ header uses.

mod common;
use common::capture::*;
use common::*;
use std::ffi::c_char;
use std::sync::atomic::{AtomicU32, Ordering};

#[repr(C)]
struct LaunchParams {
    grid: [u32; 3],
    block: [u32; 3],
    shared_mem_bytes: u64,
    stream: cudaStream_t,
}

#[repr(C)]
struct Buffer {
    ptr: *const c_void,
    bytes: u64,
    writes: u32,
    reserved: u32,
}

/// The beginning of a block; there is more behind it.
#[repr(C)]
struct Block {
    next: u32,
    threads: u32,
}

#[repr(C)]
struct Kernel {
    name: *const c_char,
    shared_limit: u64,
    run: unsafe extern "C" fn(*const c_void, *mut Block),
    drop: unsafe extern "C" fn(*mut c_void),
    arguments: *mut c_void,
}

unsafe extern "C" {
    fn icffi_sim_launch(
        params: *const LaunchParams,
        kernel: *const Kernel,
        buffers: *const Buffer,
        count: usize,
    ) -> E;
}

/// Each thread adds one to an element.
struct Arguments {
    data: *mut u32,
    drops: *const AtomicU32,
}

unsafe extern "C" fn run(arguments: *const c_void, block: *mut Block) {
    // SAFETY: the arguments of `increment`, and the block that runs.
    unsafe {
        let data = (*arguments.cast::<Arguments>()).data;
        while (*block).next < (*block).threads {
            *data.add((*block).next as usize) += 1;
            (*block).next += 1;
        }
    }
}

unsafe extern "C" fn drop_arguments(arguments: *mut c_void) {
    // SAFETY: the box of `increment`, once.
    let arguments = unsafe { Box::from_raw(arguments.cast::<Arguments>()) };
    // SAFETY: the counter outlives the session's work.
    unsafe { &*arguments.drops }.fetch_add(1, Ordering::SeqCst);
}

fn increment(s: cudaStream_t, p: *mut c_void, elements: u32, drops: &AtomicU32) -> E {
    let params = LaunchParams {
        grid: [1; 3],
        block: [elements, 1, 1],
        shared_mem_bytes: 0,
        stream: s,
    };
    let arguments = Box::new(Arguments {
        data: p.cast(),
        drops,
    });
    let kernel = Kernel {
        name: c"increment".as_ptr(),
        shared_limit: 0,
        run,
        drop: drop_arguments,
        arguments: Box::into_raw(arguments).cast(),
    };
    let buffer = Buffer {
        ptr: p,
        bytes: u64::from(elements) * 4,
        writes: 1,
        reserved: 0,
    };
    cuda!(icffi_sim_launch(&params, &kernel, &buffer, 1))
}

fn elements(p: *const c_void) -> Vec<u32> {
    let bytes = read(p, 64);
    bytes
        .chunks(4)
        .map(|b| u32::from_ne_bytes(b.try_into().unwrap()))
        .collect()
}

#[test]
fn a_kernel_node_runs_in_every_launch_and_its_arguments_go_with_the_last_owner() {
    let drops = AtomicU32::new(0);
    sweep(|session| {
        drops.store(0, Ordering::SeqCst);
        let (s, t, p) = (stream(), stream(), malloc(64));
        ok!(cudaMemset(p, 0, 64));
        ok!(cudaDeviceSynchronize());
        let graph = capture(s, || {
            assert_eq!(increment(s, p, 16, &drops), E::cudaSuccess);
            behind(s, t);
            assert_eq!(increment(t, p, 8, &drops), E::cudaSuccess);
            behind(t, s);
            assert_eq!(increment(s, p, 16, &drops), E::cudaSuccess);
        });
        assert_eq!(
            kind(nodes(graph)[0]),
            cudaGraphNodeType::cudaGraphNodeTypeKernel
        );
        assert_eq!(elements(p), [0; 16]);
        let (a, b) = (instantiate(graph), instantiate(graph));
        for exec in [a, b, a] {
            ok!(cudaGraphLaunch(exec, s));
        }
        let found = elements(p);
        assert_eq!(
            (&found[..8], &found[8..]),
            ([9; 8].as_slice(), [6; 8].as_slice())
        );
        ok!(cudaGraphDestroy(graph));
        ok!(cudaGraphExecDestroy(a));
        assert_eq!(drops.load(Ordering::SeqCst), 0);
        ok!(cudaGraphLaunch(b, t));
        ok!(cudaStreamSynchronize(t));
        ok!(cudaGraphExecDestroy(b));
        assert_eq!(drops.load(Ordering::SeqCst), 3);
        assert_eq!(session.calls("cudaLaunchKernelExC"), 3);
    });
}

#[test]
fn arguments_of_an_abandoned_capture_are_dropped() {
    let drops = AtomicU32::new(0);
    let _session = start(Policy::Lazy);
    let (s, p) = (stream(), malloc(64));
    ok!(cudaStreamBeginCapture(s, GLOBAL));
    assert_eq!(increment(s, p, 16, &drops), E::cudaSuccess);
    let refused = E::cudaErrorStreamCaptureUnsupported;
    assert_eq!(cuda!(cudaStreamSynchronize(s)), refused);
    let code = E::cudaErrorStreamCaptureInvalidated;
    assert_eq!(increment(s, p, 16, &drops), code);
    assert_eq!(drops.load(Ordering::SeqCst), 1);
    assert_eq!(end(s), code);
    assert_eq!(drops.load(Ordering::SeqCst), 2);
}
