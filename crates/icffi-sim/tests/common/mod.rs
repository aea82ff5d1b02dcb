//! What the tests share: calls of the C interface, and runs over schedules.
#![allow(dead_code, unused_imports, unused_macros, unreachable_pub)]

pub use std::ffi::c_void;
pub use std::ptr::{null, null_mut};

pub use icffi_sim::{Fault, Live, Policy, Report, ReportKind, Session};
pub use icffi_sys::cudaError as E;
pub use icffi_sys::cudaMemcpyKind as Kind;
pub use icffi_sys::*;

/// Calls the C interface.
macro_rules! cuda {
    ($call:expr) => {{
        // SAFETY: pointers passed here are valid for what the function does with them, or the
        // call is one that the simulator must refuse or report without touching them.
        unsafe { $call }
    }};
}
pub(crate) use cuda;

/// Calls the C interface and insists on success.
macro_rules! ok {
    ($call:expr) => {
        assert_eq!(cuda!($call), E::cudaSuccess, "seed {}", icffi_sim::seed())
    };
}
pub(crate) use ok;

pub mod capture;

pub const POLICIES: [Policy; 4] = [Policy::Eager, Policy::Lazy, Policy::Random, Policy::Reverse];
/// Policies under which nothing runs inside the call that enqueues it.
pub const LATE: [Policy; 2] = [Policy::Lazy, Policy::Reverse];

pub const H2D: Kind = Kind::cudaMemcpyHostToDevice;
pub const D2H: Kind = Kind::cudaMemcpyDeviceToHost;
pub const D2D: Kind = Kind::cudaMemcpyDeviceToDevice;

/// Runs a test under every policy and several seeds. Each run ends without reports.
pub fn sweep(test: impl Fn(&Session)) {
    for policy in POLICIES {
        for seed in 0..if policy == Policy::Random { 16 } else { 1 } {
            let session = Session::builder()
                .policy(policy)
                .seed(seed)
                .devices(2)
                .start();
            test(&session);
            assert_eq!(session.reports(), [], "policy {policy} seed {seed}");
        }
    }
}

pub fn start(policy: Policy) -> Session {
    Session::builder().policy(policy).seed(1).start()
}

pub fn malloc(bytes: usize) -> *mut c_void {
    let mut p = null_mut();
    ok!(cudaMalloc(&mut p, bytes));
    assert!(!p.is_null());
    p
}

pub fn malloc_async(bytes: usize, stream: cudaStream_t) -> *mut c_void {
    let mut p = null_mut();
    ok!(cudaMallocAsync(&mut p, bytes, stream));
    assert!(!p.is_null());
    p
}

/// Pinned memory as a slice. The caller keeps the device away from it while it looks.
pub fn pinned(bytes: usize) -> &'static mut [u8] {
    let mut p = null_mut();
    ok!(cudaMallocHost(&mut p, bytes));
    // SAFETY: `bytes` fresh bytes, initialised with poison by the simulator.
    unsafe { std::slice::from_raw_parts_mut(p.cast(), bytes) }
}

pub fn stream() -> cudaStream_t {
    let mut s = null_mut();
    ok!(cudaStreamCreateWithFlags(&mut s, cudaStreamNonBlocking));
    s
}

pub fn blocking_stream() -> cudaStream_t {
    let mut s = null_mut();
    ok!(cudaStreamCreate(&mut s));
    s
}

pub fn event() -> cudaEvent_t {
    let mut e = null_mut();
    ok!(cudaEventCreate(&mut e));
    e
}

/// Reads device memory after everything on the device is done.
pub fn read(p: *const c_void, bytes: usize) -> Vec<u8> {
    let mut out = vec![0; bytes];
    ok!(cudaDeviceSynchronize());
    ok!(cudaMemcpy(out.as_mut_ptr().cast(), p, bytes, D2H));
    out
}

pub fn upload(p: *mut c_void, bytes: &[u8]) {
    ok!(cudaMemcpy(p, bytes.as_ptr().cast(), bytes.len(), H2D));
    ok!(cudaDeviceSynchronize());
}

pub fn kinds(reports: &[Report]) -> Vec<ReportKind> {
    reports.iter().map(|r| r.kind).collect()
}

/// A host function that waits until it is let go.
pub struct Gate {
    sender: std::sync::mpsc::Sender<()>,
}

impl Gate {
    /// Puts the gate into a stream.
    pub fn enqueue(stream: cudaStream_t) -> Gate {
        extern "C" fn wait(data: *mut c_void) {
            // SAFETY: the box made below, given to exactly one call.
            let receiver = unsafe { Box::from_raw(data.cast::<std::sync::mpsc::Receiver<()>>()) };
            let _ = receiver.recv_timeout(std::time::Duration::from_secs(20));
        }
        let (sender, receiver) = std::sync::mpsc::channel::<()>();
        let data = Box::into_raw(Box::new(receiver)).cast();
        ok!(cudaLaunchHostFunc(stream, Some(wait), data));
        Gate { sender }
    }

    pub fn open(self) {
        let _ = self.sender.send(());
    }
}
