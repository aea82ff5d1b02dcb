//! Host functions of streams. They run on a thread of the simulator's own, without its lock,
//! and must not call CUDA.

use std::collections::VecDeque;
use std::ffi::c_void;
use std::sync::{Condvar, Mutex, Once, PoisonError};
use std::time::{Duration, Instant};

use icffi_sys::{cudaError, cudaStream_t};

use super::{OpId, StreamKey, drain_ready};
use crate::config::Policy;
use crate::state::{self, Lock};

/// A function to call when a stream gets there.
#[derive(Debug, Clone, Copy)]
pub(crate) enum HostFn {
    /// `cudaLaunchHostFunc`: not called after an error of the context.
    Plain {
        call: unsafe extern "C" fn(*mut c_void),
        data: usize,
    },
    /// `cudaStreamAddCallback`: always called, with the status.
    Callback {
        call: unsafe extern "C" fn(cudaStream_t, cudaError, *mut c_void),
        stream: usize,
        data: usize,
    },
}

impl HostFn {
    /// Whether it is called on a context in this state.
    pub(super) fn wanted(&self, dead: Option<cudaError>) -> bool {
        dead.is_none() || matches!(self, HostFn::Callback { .. })
    }

    fn call(self, status: cudaError) {
        match self {
            // SAFETY: the program gave this function and this data for exactly this call.
            HostFn::Plain { call, data } => unsafe { call(data as *mut c_void) },
            // SAFETY: the same.
            HostFn::Callback { call, stream, data } => unsafe {
                call(stream as cudaStream_t, status, data as *mut c_void);
            },
        }
    }
}

struct Job {
    generation: u64,
    key: StreamKey,
    id: OpId,
    function: HostFn,
    status: cudaError,
}

static JOBS: Mutex<VecDeque<Job>> = Mutex::new(VecDeque::new());
static MORE: Condvar = Condvar::new();
static THREAD: Once = Once::new();

/// How long the scheduler gives a host function before it goes on without it. Nearly all
/// return at once, and then the schedule depends on the seed alone; one that waits for the
/// host must not stop the caller.
const GRACE: Duration = Duration::from_millis(20);

/// Hands a host function to its thread and waits a little for it.
pub(super) fn dispatch(
    sim: &mut Lock,
    key: StreamKey,
    id: OpId,
    function: HostFn,
    dead: Option<cudaError>,
) {
    THREAD.call_once(|| {
        let thread = std::thread::Builder::new().name("icffi-sim host functions".to_owned());
        if let Err(error) = thread.spawn(work) {
            eprintln!("icffi-sim: no thread for host functions: {error}");
            std::process::abort();
        }
    });
    let generation = sim.generation;
    let status = dead.unwrap_or(cudaError::cudaSuccess);
    let job = Job {
        generation,
        key,
        id,
        function,
        status,
    };
    JOBS.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push_back(job);
    MORE.notify_one();
    if state::in_callback() {
        return;
    }
    let end = Instant::now() + GRACE;
    while sim.generation == generation && !sim.sched.is_done(id) {
        let left = end.saturating_duration_since(Instant::now());
        if left.is_zero() {
            return;
        }
        sim.wait(left);
    }
}

/// The thread of host functions: one after the other, as CUDA permits.
fn work() {
    state::set_in_callback(true);
    loop {
        let job = next();
        job.function.call(job.status);
        let mut sim = state::lock();
        if sim.generation == job.generation {
            sim.sched.finish(job.key, job.id);
            if sim.config.policy == Policy::Eager {
                // Another host function in the way is only queued: this thread runs it next.
                drain_ready(&mut sim);
            }
        }
        drop(sim);
        state::changed();
    }
}

fn next() -> Job {
    let mut jobs = JOBS.lock().unwrap_or_else(PoisonError::into_inner);
    loop {
        if let Some(job) = jobs.pop_front() {
            return job;
        }
        jobs = MORE.wait(jobs).unwrap_or_else(PoisonError::into_inner);
    }
}
