//! The one simulated machine of the process, its lock, and what each host thread carries.

use std::cell::Cell;
use std::collections::HashMap;
use std::ops::{Deref, DerefMut, Range};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard, Once};
use std::time::{Duration, Instant};

use icffi_sys::{cudaError, cudaStreamCaptureMode};

use crate::config::{self, Config};
use crate::device::Device;
use crate::fault::Fault;
use crate::graph::Graphs;
use crate::mem::Memory;
use crate::report::{Report, ReportKind};
use crate::rng::Rng;
use crate::sched::Scheduler;

/// Everything that is simulated.
#[derive(Debug)]
pub(crate) struct Sim {
    pub(crate) config: Config,
    /// Which machine of the process this is: a session starts a new one.
    pub(crate) generation: u64,
    pub(crate) rng: Rng,
    pub(crate) devices: Vec<Device>,
    pub(crate) memory: Memory,
    pub(crate) sched: Scheduler,
    pub(crate) graphs: Graphs,
    pub(crate) calls: HashMap<&'static str, u64>,
    pub(crate) faults: Vec<Fault>,
    pub(crate) reports: Vec<Report>,
    /// How many of them the session has looked at.
    pub(crate) looked: usize,
    /// A session has this machine and looks at its reports.
    pub(crate) session: bool,
    /// Functions called that the simulator does not have.
    pub(crate) refused: Vec<&'static str>,
    pub(crate) start: Instant,
    /// The C function that is being called.
    pub(crate) current_call: &'static str,
}

static STATE: Mutex<Option<Sim>> = Mutex::new(None);
static CHANGED: Condvar = Condvar::new();
static GENERATION: AtomicU64 = AtomicU64::new(1);
static ANNOUNCE: Once = Once::new();

impl Sim {
    pub(crate) fn new(config: Config) -> Sim {
        let mut sim = Sim {
            config,
            generation: GENERATION.fetch_add(1, Ordering::Relaxed),
            rng: Rng::new(config.seed),
            devices: Vec::new(),
            memory: Memory::new(),
            sched: Scheduler::new(),
            graphs: Graphs::new(),
            calls: HashMap::new(),
            faults: Vec::new(),
            reports: Vec::new(),
            looked: 0,
            session: false,
            refused: Vec::new(),
            start: Instant::now(),
            current_call: "",
        };
        for ordinal in 0..config.devices as usize {
            let pool = sim.memory.new_pool(ordinal, 0);
            sim.devices.push(Device::new(pool));
        }
        sim
    }

    /// Notes an illegal thing. Outside sessions nobody would ask, so it is said at once.
    pub(crate) fn report(
        &mut self,
        kind: ReportKind,
        function: &str,
        stream: Option<String>,
        range: Range<usize>,
        detail: String,
    ) {
        let seed = self.config.seed;
        let function = function.to_owned();
        let report = Report {
            kind,
            function,
            range,
            stream,
            detail,
            seed,
        };
        if !self.session && !config::quiet() {
            eprintln!("icffi-sim: {report}");
        }
        self.reports.push(report);
    }
}

/// The machine, locked.
pub(crate) struct Lock(Option<MutexGuard<'static, Option<Sim>>>);

const HELD: &str = "the guard is only away inside Lock::wait";
const MADE: &str = "lock() made the machine";

impl Deref for Lock {
    type Target = Sim;

    fn deref(&self) -> &Sim {
        self.0.as_ref().expect(HELD).as_ref().expect(MADE)
    }
}

impl DerefMut for Lock {
    fn deref_mut(&mut self) -> &mut Sim {
        self.0.as_mut().expect(HELD).as_mut().expect(MADE)
    }
}

impl Lock {
    /// Gives the lock up until something changes or the time is over.
    pub(crate) fn wait(&mut self, limit: Duration) {
        let guard = self.0.take().expect(HELD);
        let guard = match CHANGED.wait_timeout(guard, limit) {
            Ok((guard, _)) => guard,
            Err(poisoned) => poisoned.into_inner().0,
        };
        self.0 = Some(guard);
    }

    /// Puts another machine in the place of this one and hands the old one out.
    pub(crate) fn replace(&mut self, sim: Sim) -> Option<Sim> {
        self.0.as_mut().expect(HELD).replace(sim)
    }
}

/// Wakes every host thread that waits.
pub(crate) fn changed() {
    CHANGED.notify_all();
}

/// Locks the machine, made from the environment on first use. A panic of another thread under
/// the lock does not matter: every operation leaves the tables whole.
pub(crate) fn lock() -> Lock {
    let mut guard = STATE
        .lock()
        .unwrap_or_else(|poisoned| poisoned.into_inner());
    guard.get_or_insert_with(|| Sim::new(Config::from_env()));
    Lock(Some(guard))
}

/// Says once, on the first call, that this is no GPU.
pub(crate) fn announce() {
    ANNOUNCE.call_once(|| {
        if !config::quiet() {
            let Config { seed, policy, .. } = lock().config;
            eprintln!("icffi-sim: running on the CPU simulator, seed {seed}, policy {policy}");
        }
    });
}

static THREADS: AtomicU64 = AtomicU64::new(1);

thread_local! {
    static THREAD: Thread = Thread {
        number: THREADS.fetch_add(1, Ordering::Relaxed),
        generation: Cell::new(0),
        device: Cell::new(0),
        last: Cell::new(cudaError::cudaSuccess),
        capture: Cell::new(cudaStreamCaptureMode::cudaStreamCaptureModeGlobal),
        callback: Cell::new(false),
    };
}

struct Thread {
    number: u64,
    generation: Cell<u64>,
    device: Cell<usize>,
    last: Cell<cudaError>,
    capture: Cell<cudaStreamCaptureMode>,
    callback: Cell<bool>,
}

/// Runs `f` on the state of this thread; on a thread whose locals are gone (a destructor that
/// runs late) on a fresh one.
fn thread<R>(f: impl Fn(&Thread) -> R) -> R {
    THREAD.try_with(&f).unwrap_or_else(|_| {
        f(&Thread {
            number: 0,
            generation: Cell::new(0),
            device: Cell::new(0),
            last: Cell::new(cudaError::cudaSuccess),
            capture: Cell::new(cudaStreamCaptureMode::cudaStreamCaptureModeGlobal),
            callback: Cell::new(false),
        })
    })
}

/// Forgets what this thread carries from an earlier machine.
pub(crate) fn refresh_thread(generation: u64) {
    thread(|t| {
        if t.generation.replace(generation) != generation {
            t.device.set(0);
            t.last.set(cudaError::cudaSuccess);
            t.capture
                .set(cudaStreamCaptureMode::cudaStreamCaptureModeGlobal);
        }
    });
}

/// A number of this host thread, for its per-thread default stream.
pub(crate) fn thread_number() -> u64 {
    thread(|t| t.number)
}

pub(crate) fn current_device() -> usize {
    thread(|t| t.device.get())
}

pub(crate) fn set_current_device(device: usize) {
    thread(|t| t.device.set(device));
}

pub(crate) fn last_error() -> cudaError {
    thread(|t| t.last.get())
}

pub(crate) fn set_last_error(code: cudaError) {
    thread(|t| t.last.set(code));
}

pub(crate) fn exchange_capture_mode(mode: cudaStreamCaptureMode) -> cudaStreamCaptureMode {
    thread(|t| t.capture.replace(mode))
}

/// How this thread stands to captures.
pub(crate) fn capture_mode() -> cudaStreamCaptureMode {
    thread(|t| t.capture.get())
}

/// Whether this thread is inside a host function of a stream.
pub(crate) fn in_callback() -> bool {
    thread(|t| t.callback.get())
}

pub(crate) fn set_in_callback(inside: bool) {
    thread(|t| t.callback.set(inside));
}
