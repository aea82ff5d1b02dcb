//! Sessions: exclusive use of the process's one simulator, for tests.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::config::{self, Config, Policy};
use crate::fault::Fault;
use crate::report::{Report, ReportKind};
use crate::sched;
use crate::state::{self, Lock, Sim};

/// One session at a time: tests of one program run on many threads.
static TURN: Mutex<()> = Mutex::new(());

/// How long the end of a session waits for a host function that does not return.
const LAST_WAIT: Duration = Duration::from_secs(5);

/// Exclusive use of the simulator. The machine is new when the session starts: no memory, no
/// streams, no faults, counts at zero. When it is dropped all work still enqueued is done, and
/// the machine of the environment's settings comes back.
///
/// Tests that run side by side take turns. A test that panics does not stop the others.
///
/// ```
/// use icffi_sim::{Policy, Session};
///
/// let session = Session::builder().seed(7).policy(Policy::Lazy).devices(2).start();
/// let mut count = 0;
/// // SAFETY: the out-pointer is valid for a write.
/// unsafe { icffi_sys::cudaGetDeviceCount(&mut count) };
/// assert_eq!(count, 2);
/// assert_eq!(session.calls("cudaGetDeviceCount"), 1);
/// assert!(session.reports().is_empty());
/// ```
#[derive(Debug)]
pub struct Session {
    // Dropped last: the turn ends when everything else has.
    _turn: MutexGuard<'static, ()>,
}

/// The settings of a session, at first those of the environment.
#[derive(Debug, Clone, Copy)]
#[must_use = "a session begins with start()"]
pub struct SessionBuilder {
    config: Config,
}

/// Live objects and bytes.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Live {
    /// Allocations of device memory, a free that has not taken effect included.
    pub device_allocations: usize,
    /// Their bytes, as asked for.
    pub device_bytes: u64,
    /// Pinned and registered host allocations.
    pub pinned_allocations: usize,
    /// Their bytes, as asked for.
    pub pinned_bytes: u64,
    /// Events created and not destroyed.
    pub events: usize,
    /// Streams created and not destroyed; default streams don't count.
    pub streams: usize,
    /// Graphs, executable graphs, and captures not ended.
    pub graphs: usize,
}

impl Session {
    /// A session with the environment's settings, to be changed before it starts.
    pub fn builder() -> SessionBuilder {
        SessionBuilder {
            config: Config::from_env(),
        }
    }

    /// Makes a call fail.
    pub fn fault(&self, fault: Fault) {
        state::lock().faults.push(fault);
    }

    /// Disarms all faults. What a sticky one has done to a device stays.
    pub fn clear_faults(&self) {
        state::lock().faults.clear();
    }

    /// How often this C function was called in this session.
    pub fn calls(&self, function: &str) -> u64 {
        state::lock().calls.get(function).copied().unwrap_or(0)
    }

    /// How many C functions were called in this session.
    pub fn total_calls(&self) -> u64 {
        state::lock().calls.values().sum()
    }

    /// Functions that were called and are not simulated.
    pub fn unsupported_calls(&self) -> Vec<&'static str> {
        state::lock().refused.clone()
    }

    /// What is alive now.
    pub fn live(&self) -> Live {
        let sim = state::lock();
        let counts = sim.memory.live;
        Live {
            device_allocations: counts.device,
            device_bytes: counts.device_bytes,
            pinned_allocations: counts.pinned,
            pinned_bytes: counts.pinned_bytes,
            events: sim.sched.events.len(),
            streams: sim.sched.handles.len(),
            graphs: sim.graphs.live(),
        }
    }

    /// The illegal things seen so far. Looks at the bytes beside all allocations and at all
    /// freed memory first.
    pub fn reports(&self) -> Vec<Report> {
        let mut sim = state::lock();
        sim.survey();
        sim.looked = sim.reports.len();
        sim.reports.clone()
    }

    /// Takes the reports out, so that the next call sees only new ones.
    pub fn take_reports(&self) -> Vec<Report> {
        let mut sim = state::lock();
        sim.survey();
        sim.looked = 0;
        std::mem::take(&mut sim.reports)
    }

    /// Operations enqueued and not finished.
    pub fn pending(&self) -> usize {
        state::lock().sched.pending.len()
    }

    /// Runs one operation that is ready, the one that the policy picks. False if none is.
    pub fn step(&self) -> bool {
        sched::step(&mut state::lock())
    }

    /// Says on stderr what nobody has looked at.
    fn say_unseen(&self) {
        if config::quiet() {
            return;
        }
        let mut sim = state::lock();
        sim.survey();
        for report in &sim.reports[sim.looked.min(sim.reports.len())..] {
            eprintln!("icffi-sim: {report}");
        }
    }

    /// The seed of this session.
    pub fn seed(&self) -> u64 {
        state::lock().config.seed
    }
}

impl SessionBuilder {
    /// The seed of the schedule.
    pub fn seed(mut self, seed: u64) -> SessionBuilder {
        self.config.seed = seed;
        self
    }

    /// Which operation runs next.
    pub fn policy(mut self, policy: Policy) -> SessionBuilder {
        self.config.policy = policy;
        self
    }

    /// The number of devices; 0 is a machine without any.
    pub fn devices(mut self, devices: u32) -> SessionBuilder {
        self.config.devices = devices;
        self
    }

    /// The bytes of each device.
    pub fn memory(mut self, bytes: u64) -> SessionBuilder {
        self.config.memory = bytes;
        self
    }

    /// Waits for its turn and begins with a new machine. Handles and pointers of an earlier one
    /// are invalid from here on.
    pub fn start(self) -> Session {
        let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
        restart(self.config, true);
        state::lock().session = true;
        state::announce();
        Session { _turn: turn }
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        let panicking = std::thread::panicking();
        self.say_unseen();
        if panicking {
            let Config { seed, policy, .. } = state::lock().config;
            eprintln!("icffi-sim: this session ran with seed {seed}, policy {policy}");
        }
        // A test that fails has dropped its buffers by now: work on them must not be done.
        restart(Config::from_env(), !panicking);
    }
}

/// Finishes the work of the machine there is, or throws it away, and puts a new one in its
/// place.
fn restart(config: Config, finish: bool) {
    let mut sim = state::lock();
    if !finish {
        sim.sched.discard();
    }
    drain(&mut sim);
    if let Some(old) = sim.replace(Sim::new(config)) {
        old.memory.abandon();
    }
    drop(sim);
    state::changed();
}

fn drain(sim: &mut Lock) {
    let end = Instant::now() + LAST_WAIT;
    while !sim.sched.pending.is_empty() {
        if sched::step(sim) {
            continue;
        }
        if Instant::now() > end {
            let detail = "a session ended without it".to_owned();
            sim.report(
                ReportKind::CallbackStuck,
                "cudaLaunchHostFunc",
                None,
                0..0,
                detail,
            );
            eprintln!("icffi-sim: a host function never returned; the session ends without it");
            return;
        }
        sim.wait(Duration::from_millis(50));
    }
}

/// The seed of the schedule now: the session's, or `ICFFI_SIM_SEED`.
pub fn seed() -> u64 {
    state::lock().config.seed
}

/// A number that changes whenever a session starts or ends. Whoever keeps CUDA objects for the
/// whole process can tell by it that they are gone.
pub fn generation() -> u64 {
    state::lock().generation
}
