//! Kernels as operations of streams. How a kernel runs is the business of `kernel`; here it is
//! a closure with the buffers that it says it touches.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use icffi_sys::{cudaError, cudaStream_t};

use crate::call::{Needs, Outcome, enter};
use crate::mem::{AllocId, Misuse, Region};
use crate::report::ReportKind;
use crate::sched::Work;
use crate::state::{self, Lock};

/// A buffer that a kernel was given.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct KernelBuffer {
    pub(crate) ptr: usize,
    pub(crate) bytes: usize,
    pub(crate) writes: bool,
}

/// A kernel in a stream.
#[derive(Clone)]
pub(crate) struct Launch {
    pub(crate) name: String,
    pub(crate) regions: Vec<Region>,
    /// Those of them that it writes.
    pub(crate) written: Vec<AllocId>,
    /// A buffer was wrong already at the launch: the kernel faults when it runs.
    pub(crate) illegal: bool,
    pub(crate) run: Kernel,
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {} {:?}", self.name, self.regions)
    }
}

/// What a kernel does.
pub(crate) type Kernel = Arc<dyn Fn() + Send + Sync>;

/// The function as which a launch is counted and can be made to fail.
pub(crate) const FUNCTION: &str = "cudaLaunchKernelExC";

/// Enqueues a kernel. `run` is called when the stream gets there, or by each launch of the graph
/// that captures it, and dropped once none of them will call it any more. A buffer that is no memory of the device is reported at once, but fails as on a
/// device: the launch succeeds and the context dies when the kernel runs.
pub(crate) fn enqueue_kernel(
    stream: cudaStream_t,
    name: impl Into<Cow<'static, str>>,
    buffers: Vec<KernelBuffer>,
    run: Kernel,
) -> cudaError {
    let name = name.into().into_owned();
    enter(FUNCTION, Needs::Context, |sim| {
        enqueue(sim, stream, name, &buffers, run)
    })
}

fn enqueue(
    sim: &mut Lock,
    stream: cudaStream_t,
    name: String,
    buffers: &[KernelBuffer],
    run: Kernel,
) -> Outcome {
    let key = sim.work_stream(stream)?;
    let device = sim.sched.streams[&key].device;
    // Unlike a copy, a kernel must be launched on the current device.
    if device != state::current_device() {
        return Err(cudaError::cudaErrorInvalidResourceHandle);
    }
    let mut regions = Vec::with_capacity(buffers.len());
    let mut written = Vec::new();
    let mut illegal = false;
    let captured = sim.capture_of(key).is_some();
    for buffer in buffers.iter().filter(|b| b.bytes > 0) {
        let found = sim
            .region(buffer.ptr, buffer.bytes, captured)
            .and_then(|region| match region.id() {
                None => Err(Misuse {
                    kind: ReportKind::NotDeviceMemory,
                    detail: "ordinary host memory given to a kernel".to_owned(),
                }),
                Some(id) => sim.reachable(device, id).map(|()| region),
            });
        match found {
            Ok(region) => {
                if buffer.writes {
                    written.extend(region.id());
                }
                regions.push(region);
            }
            Err(misuse) => {
                illegal = true;
                let range = buffer.ptr..buffer.ptr.saturating_add(buffer.bytes);
                let on = Some(sim.sched.name(key));
                sim.report(misuse.kind, &name, on, range, misuse.detail);
            }
        }
    }
    sim.enqueue(
        key,
        FUNCTION,
        Work::Kernel(Launch {
            name,
            regions,
            written,
            illegal,
            run,
        }),
    );
    Ok(())
}

#[cfg(test)]
mod tests {
    use std::ffi::c_void;
    use std::ptr::null_mut;
    use std::sync::atomic::{AtomicU32, Ordering};

    use icffi_sys::*;

    use super::*;
    use crate::{Fault, Policy, ReportKind, Session};

    fn malloc(bytes: usize) -> *mut c_void {
        let mut p = null_mut();
        // SAFETY: the out-pointer is valid.
        assert_eq!(unsafe { cudaMalloc(&mut p, bytes) }, cudaError::cudaSuccess);
        p
    }

    fn buffer(p: *mut c_void, bytes: usize, writes: bool) -> KernelBuffer {
        KernelBuffer {
            ptr: p as usize,
            bytes,
            writes,
        }
    }

    fn sync() -> cudaError {
        // SAFETY: no pointers.
        unsafe { cudaDeviceSynchronize() }
    }

    fn policies(test: impl Fn(&Session)) {
        for policy in [Policy::Eager, Policy::Lazy, Policy::Random, Policy::Reverse] {
            let session = Session::builder().policy(policy).devices(2).start();
            test(&session);
        }
    }

    #[test]
    fn kernels_are_in_stream_order() {
        policies(|session| {
            let p = malloc(400);
            for round in 0..4u32 {
                let at = p as usize;
                let add = move || {
                    for i in 0..100 {
                        // SAFETY: 100 elements of live memory, checked before it runs.
                        unsafe { *(at as *mut u32).add(i) = round * 1000 + i as u32 };
                    }
                };
                let used = vec![buffer(p, 400, true), buffer(null_mut(), 0, false)];
                let code = enqueue_kernel(null_mut(), "count", used, Arc::new(add));
                assert_eq!(code, cudaError::cudaSuccess);
            }
            let mut back = [0u32; 100];
            let d2h = cudaMemcpyKind::cudaMemcpyDeviceToHost;
            // SAFETY: 400 bytes on both sides.
            unsafe { cudaMemcpy(back.as_mut_ptr().cast(), p, 400, d2h) };
            assert!(back.iter().enumerate().all(|(i, v)| *v == 3000 + i as u32));
            assert_eq!(session.calls("cudaLaunchKernelExC"), 4);
            assert_eq!(session.reports(), []);
        });
    }

    #[test]
    fn wrong_buffers_kill_the_context_when_the_kernel_runs() {
        let host = [0u8; 64];
        let run = |make: &dyn Fn() -> KernelBuffer, kind| {
            for policy in [Policy::Lazy, Policy::Reverse] {
                let session = Session::builder().policy(policy).devices(2).start();
                let ran = Arc::new(AtomicU32::new(0));
                let count = ran.clone();
                let kernel = Arc::new(move || {
                    count.fetch_add(1, Ordering::Relaxed);
                });
                let used = vec![make()];
                let code = enqueue_kernel(null_mut(), "reach", used, kernel);
                assert_eq!(code, cudaError::cudaSuccess, "the launch itself succeeds");
                assert_eq!(sync(), cudaError::cudaErrorIllegalAddress);
                let reports = session.reports();
                assert_eq!(reports.len(), 1);
                assert_eq!(
                    (reports[0].kind, reports[0].function.as_str()),
                    (kind, "reach")
                );
                assert_eq!(ran.load(Ordering::Relaxed), 0);
                assert_eq!(Arc::strong_count(&ran), 1, "the closure is dropped");
            }
        };
        run(&|| buffer(malloc(64), 65, false), ReportKind::OutOfBounds);
        run(
            &|| buffer(host.as_ptr().cast_mut().cast(), 64, false),
            ReportKind::NotDeviceMemory,
        );
        run(
            &|| {
                let p = malloc(64);
                // SAFETY: freed once.
                unsafe { cudaFree(p) };
                buffer(p, 64, true)
            },
            ReportKind::UseAfterFree,
        );
        run(
            &|| {
                // SAFETY: no pointers.
                unsafe { cudaSetDevice(1) };
                let p = malloc(64);
                // SAFETY: no pointers.
                unsafe { cudaSetDevice(0) };
                buffer(p, 64, true)
            },
            ReportKind::WrongDevice,
        );
    }

    #[test]
    fn memory_freed_before_the_kernel_runs() {
        let session = Session::builder().policy(Policy::Lazy).start();
        let mut p = null_mut();
        // SAFETY: the out-pointer is valid; the memory is freed once, too early on purpose.
        unsafe {
            cudaMallocAsync(&mut p, 64, null_mut());
            sync();
            enqueue_kernel(
                null_mut(),
                "late",
                vec![buffer(p, 64, true)],
                Arc::new(|| {}),
            );
            cudaFree(p);
        }
        assert_eq!(sync(), cudaError::cudaErrorIllegalAddress);
        assert_eq!(session.reports()[0].kind, ReportKind::UseAfterFree);
    }

    #[test]
    fn a_kernel_that_writes_too_far_is_named() {
        policies(|session| {
            let p = malloc(100);
            let at = p as usize;
            // SAFETY: the canary behind the 100 bytes is writable; this is a faulty kernel.
            let far = move || unsafe { *((at + 101) as *mut u8) = 1 };
            enqueue_kernel(null_mut(), "far", vec![buffer(p, 100, true)], Arc::new(far));
            sync();
            let reports = session.reports();
            assert_eq!(reports.len(), 1);
            assert_eq!(reports[0].kind, ReportKind::OutOfBoundsWrite);
            assert_eq!(reports[0].function, "far");
        });
    }

    #[test]
    fn a_captured_kernel_runs_in_each_launch_and_is_dropped_once() {
        policies(|session| {
            let ran = Arc::new(AtomicU32::new(0));
            let (count, p) = (ran.clone(), malloc(64));
            let run = Arc::new(move || {
                count.fetch_add(1, Ordering::Relaxed);
            });
            let mut stream = null_mut();
            let (mut graph, mut exec) = (null_mut(), null_mut());
            // SAFETY: the out-pointers are valid.
            unsafe {
                cudaStreamCreateWithFlags(&mut stream, cudaStreamNonBlocking);
                let mode = cudaStreamCaptureMode::cudaStreamCaptureModeGlobal;
                cudaStreamBeginCapture(stream, mode);
                let code = enqueue_kernel(stream, "again", vec![buffer(p, 64, true)], run);
                assert_eq!(code, cudaError::cudaSuccess);
                cudaStreamEndCapture(stream, &mut graph);
                cudaGraphInstantiate(&mut exec, graph, 0);
                cudaGraphDestroy(graph);
                for _ in 0..3 {
                    cudaGraphLaunch(exec, stream);
                }
            }
            assert_eq!(sync(), cudaError::cudaSuccess);
            assert_eq!(ran.load(Ordering::Relaxed), 3);
            assert_eq!(Arc::strong_count(&ran), 2);
            // SAFETY: freed once, too early on purpose.
            unsafe {
                cudaFree(p);
                cudaGraphLaunch(exec, stream);
            }
            assert_eq!(sync(), cudaError::cudaErrorIllegalAddress);
            assert_eq!(ran.load(Ordering::Relaxed), 3);
            let reports = session.take_reports();
            assert_eq!(reports[0].kind, ReportKind::UseAfterFree);
            assert_eq!(reports[0].function, "again");
            // SAFETY: no pointers.
            unsafe { cudaDeviceReset() };
            assert_eq!(Arc::strong_count(&ran), 1);
        });
    }

    #[test]
    fn a_panic_is_a_launch_failure() {
        policies(|session| {
            enqueue_kernel(null_mut(), "bad", vec![], Arc::new(|| panic!("on purpose")));
            assert_eq!(sync(), cudaError::cudaErrorLaunchFailure);
            assert_eq!(session.reports()[0].kind, ReportKind::KernelPanic);
        });
    }

    #[test]
    fn a_launch_can_be_refused() {
        policies(|session| {
            let held = Arc::new(());
            let kernel = |held: &Arc<()>| {
                let held = held.clone();
                Arc::new(move || {
                    let _ = &held;
                })
            };
            let code = cudaError::cudaErrorLaunchOutOfResources;
            session.fault(Fault::nth("cudaLaunchKernelExC", 1, code));
            assert_eq!(
                enqueue_kernel(null_mut(), "no", vec![], kernel(&held)),
                code
            );
            assert_eq!(Arc::strong_count(&held), 1);
            // Not the current device's stream.
            let mut stream = null_mut();
            // SAFETY: the out-pointer is valid.
            unsafe {
                cudaSetDevice(1);
                cudaStreamCreate(&mut stream);
                cudaSetDevice(0);
            }
            let code = enqueue_kernel(stream, "there", vec![], kernel(&held));
            assert_eq!(code, cudaError::cudaErrorInvalidResourceHandle);
            assert_eq!(Arc::strong_count(&held), 1);
            assert_eq!(
                enqueue_kernel(null_mut(), "yes", vec![], kernel(&held)),
                cudaError(0)
            );
            sync();
            assert_eq!(Arc::strong_count(&held), 1);
        });
    }
}
