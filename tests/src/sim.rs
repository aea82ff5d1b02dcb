//! Sessions of the simulator in which the safe layer leaves nothing behind.

use icffi::device::{self, Device};
use icffi::{Result, staging};
use icffi_sim::{Live, Policy, Session, SessionBuilder};
use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

/// All of them.
pub const POLICIES: [Policy; 4] = [Policy::Eager, Policy::Lazy, Policy::Random, Policy::Reverse];

/// Those under which nothing moves in the call that enqueues it.
pub const LATE: [Policy; 2] = [Policy::Lazy, Policy::Reverse];

/// Seeds of the random policy that [`over_schedules`] runs.
pub const SEEDS: u64 = 24;

static TURN: Mutex<()> = Mutex::new(());

/// Whether the last session did not end as it should.
static DIRTY: AtomicBool = AtomicBool::new(false);

/// A [`Session`] that begins and ends with nothing cached by the safe layer, which keeps events,
/// a stream and staging memory for the whole process. End it with [`Sim::end`].
#[derive(Debug)]
pub struct Sim {
    session: Option<Session>,
    leaked: usize,
    _turn: MutexGuard<'static, ()>,
}

/// A session on one device.
#[must_use]
pub fn sim_session(seed: u64, policy: Policy) -> Sim {
    sim_start(Session::builder().seed(seed).policy(policy).devices(1))
}

/// A session with these settings.
#[must_use]
pub fn sim_start(builder: SessionBuilder) -> Sim {
    let turn = TURN.lock().unwrap_or_else(PoisonError::into_inner);
    purge();
    let session = builder.start();
    // What was learnt about the machine between sessions does not hold here.
    icffi::trim_all();
    let sim = Sim {
        session: Some(session),
        leaked: leaked(),
        _turn: turn,
    };
    for device in devices() {
        let _ = device.take_deferred_error();
    }
    sim
}

/// Releases what a session with a lost context, or a test that failed, left behind in the
/// process: a machine of as many devices says that each is idle.
fn purge() {
    if DIRTY.swap(true, Relaxed) {
        let session = Session::builder().devices(8).policy(Policy::Eager).start();
        icffi::trim_all();
        // What is released may park what it owned: a graph its buffers.
        for _ in 0..3 {
            let _ = idle();
            icffi::trim_all();
        }
        drop(session);
    }
    staging::set_limit(256 << 20);
    icffi::trim_all();
}

/// The devices of the machine there is.
fn devices() -> Vec<Device> {
    (0..device::count().unwrap_or(0))
        .filter_map(|i| Device::new(i).ok())
        .collect()
}

fn leaked() -> usize {
    devices().into_iter().map(Device::leaked).sum()
}

/// Waits for every device.
///
/// # Errors
/// What the work had failed with.
pub fn idle() -> Result<()> {
    let mut result = Ok(());
    for device in devices() {
        result = result.and(device::set_current(device.ordinal()));
        result = result.and(device::synchronize());
    }
    result.and(device::set_current(0))
}

/// How many objects are alive.
#[must_use]
pub fn objects(live: &Live) -> usize {
    live.device_allocations + live.pinned_allocations + live.events + live.streams + live.graphs
}

impl Deref for Sim {
    type Target = Session;

    fn deref(&self) -> &Session {
        self.session.as_ref().expect("only `finish` takes it")
    }
}

impl Sim {
    /// Ends the session: there were no reports, and nothing is left.
    #[track_caller]
    pub fn end(self) {
        let live = self.end_leaking();
        assert_eq!(live, Live::default(), "something is left");
    }

    /// As [`end`](Self::end) for a test that forgot guards: no memory is left.
    #[track_caller]
    pub fn end_forgetful(self) {
        no_memory(&self.end_leaking());
    }

    /// Ends the session: there were no reports. What is left is returned.
    #[track_caller]
    pub fn end_leaking(self) -> Live {
        let live = self.settle();
        for device in devices() {
            if let Some((error, _)) = device.take_deferred_error() {
                panic!("an error nobody asked for: {error}");
            }
        }
        DIRTY.store(false, Relaxed);
        live
    }

    /// Waits for everything, gives everything back, and asserts that there were no reports and
    /// that nothing is in quarantine any more. What is left is returned.
    #[track_caller]
    pub fn settle(&self) -> Live {
        idle().expect("the devices finish their work");
        // What that frees is freed in stream order, and what waits for that goes next.
        for _ in 0..2 {
            icffi::trim_all();
            idle().expect("the devices finish their work");
        }
        icffi::trim_all();
        idle().expect("the devices finish their work");
        self.assert_clean();
        for device in devices() {
            assert_eq!(device.quarantined(), 0, "device {}", device.ordinal());
        }
        self.live()
    }

    /// There were no reports.
    #[track_caller]
    pub fn assert_clean(&self) {
        let reports = self.reports();
        if !reports.is_empty() {
            let lines: Vec<_> = reports.iter().map(|r| format!("\n  {r}")).collect();
            panic!("the simulator reports:{}", lines.concat());
        }
    }

    /// How many objects the safe layer has given up since the session began.
    #[must_use]
    pub fn leaked(&self) -> usize {
        leaked() - self.leaked
    }
}

/// Runs `test` under every policy, the random one with many seeds, each in a session that ends
/// without a report and with nothing left.
pub fn over_schedules(test: impl Fn(&Sim)) {
    over_schedules_leaving(test, |left| {
        assert_eq!(*left, Live::default(), "something is left");
    });
}

/// Nothing but the events and streams of forgotten guards is left.
pub fn no_memory(left: &Live) {
    assert_eq!(
        (left.device_allocations, left.pinned_allocations),
        (0, 0),
        "memory is left"
    );
}

/// As [`over_schedules`], with a check of what is left.
pub fn over_schedules_leaving(test: impl Fn(&Sim), check: impl Fn(&Live)) {
    for policy in POLICIES {
        let seeds = if policy == Policy::Random { SEEDS } else { 1 };
        for seed in 0..seeds {
            let sim = sim_session(seed, policy);
            test(&sim);
            check(&sim.end_leaking());
        }
    }
}
