//! Kernels as operations of streams. How a kernel runs is the business of `kernel`; here it is
//! a closure with the buffers that it says it touches.

use std::borrow::Cow;
use std::fmt;

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
pub(crate) struct Launch {
    pub(crate) name: String,
    pub(crate) regions: Vec<Region>,
    /// Those of them that it writes.
    pub(crate) written: Vec<AllocId>,
    /// A buffer was wrong already at the launch: the kernel faults when it runs.
    pub(crate) illegal: bool,
    pub(crate) run: Box<dyn FnOnce() + Send>,
}

impl fmt::Debug for Launch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "kernel {} {:?}", self.name, self.regions)
    }
}

/// The function as which a launch is counted and can be made to fail.
pub(crate) const FUNCTION: &str = "cudaLaunchKernelExC";

/// Enqueues a kernel. `run` is called once when the stream gets there, or dropped if it never
/// does. A buffer that is no memory of the device is reported at once, but fails as on a
/// device: the launch succeeds and the context dies when the kernel runs.
pub(crate) fn enqueue_kernel(
    stream: cudaStream_t,
    name: impl Into<Cow<'static, str>>,
    buffers: Vec<KernelBuffer>,
    run: Box<dyn FnOnce() + Send>,
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
    run: Box<dyn FnOnce() + Send>,
) -> Outcome {
    let key = sim.resolve(stream)?;
    let device = sim.sched.streams[&key].device;
    // Unlike a copy, a kernel must be launched on the current device.
    if device != state::current_device() {
        return Err(cudaError::cudaErrorInvalidResourceHandle);
    }
    let mut regions = Vec::with_capacity(buffers.len());
    let mut written = Vec::new();
    let mut illegal = false;
    for buffer in buffers.iter().filter(|b| b.bytes > 0) {
        let found = sim
            .region(buffer.ptr, buffer.bytes)
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
