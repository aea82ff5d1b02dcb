//! The host waits: what runs then, and what it means to have waited.

use std::time::{Duration, Instant};

use super::{OpId, StreamKey, execute, step};
use crate::call::Outcome;
use crate::config::Policy;
use crate::state::Lock;

/// How long a wait may stand still behind a host function before it says so on stderr.
const PATIENCE: Duration = Duration::from_secs(30);

/// Waits until all these operations are finished.
pub(crate) fn wait_for(sim: &mut Lock, targets: &[OpId]) {
    let generation = sim.generation;
    let begun = Instant::now();
    let mut said = false;
    for &target in targets {
        while sim.generation == generation && !sim.sched.is_done(target) {
            if nearer(sim, target) {
                continue;
            }
            if !sim.sched.callback_runs() {
                stuck(sim, target);
            }
            sim.wait(Duration::from_millis(100));
            if !said && begun.elapsed() > PATIENCE && !crate::config::quiet() {
                said = true;
                eprintln!(
                    "icffi-sim: a wait stands still behind a host function that does not return"
                );
            }
        }
    }
}

/// One step of the scheduler while the host looks at `target`. False if nothing could run.
fn nearer(sim: &mut Lock, target: OpId) -> bool {
    if sim.config.policy != Policy::Lazy {
        return step(sim);
    }
    match sim.sched.toward(target) {
        Some(key) => {
            execute::run(sim, key);
            true
        }
        None => false,
    }
}

/// A query: whether these operations were finished, and then a step towards the first that is
/// not, so that a loop of queries ends.
pub(crate) fn observe(sim: &mut Lock, targets: &[OpId]) -> bool {
    // A device may finish just before or just after it is asked.
    if sim.config.policy == Policy::Random && sim.rng.below(2) == 0 {
        step(sim);
    }
    let first = targets.iter().copied().find(|op| !sim.sched.is_done(*op));
    let Some(first) = first else { return true };
    if !nearer(sim, first) {
        // Only a host function stands in the way: let its thread have the lock.
        sim.wait(Duration::from_micros(200));
    }
    false
}

/// Cannot happen: the smallest pending operation is always ready or running.
fn stuck(sim: &Lock, target: OpId) -> ! {
    let streams: Vec<String> = sim
        .sched
        .streams
        .iter()
        .filter(|(_, s)| !s.queue.is_empty())
        .map(|(key, s)| {
            let front = s.queue.front();
            let function = front.map_or("nothing", |op| op.function);
            format!("{} waits at {function} ({front:?})", sim.sched.name(*key))
        })
        .collect();
    eprintln!("icffi-sim: a bug: no operation can run while the host waits for {target}:");
    for line in streams {
        eprintln!("  {line}");
    }
    std::process::abort()
}

/// Waits for a stream, as `cudaStreamSynchronize` does: errors of its work come out here.
pub(crate) fn wait_stream(sim: &mut Lock, key: StreamKey) -> Outcome {
    let Some(stream) = sim.sched.streams.get(&key) else {
        return Ok(());
    };
    let device = stream.device;
    let tails = sim.sched.stream_tails(key);
    wait_for(sim, &tails);
    synchronized(sim, device)
}

/// Waits for all work of a device.
pub(crate) fn wait_device(sim: &mut Lock, device: usize) -> Outcome {
    let tails = sim.sched.device_tails(device);
    wait_for(sim, &tails);
    synchronized(sim, device)
}

/// What follows from having waited: pools shrink, and a dead context says so.
pub(crate) fn synchronized(sim: &mut Lock, device: usize) -> Outcome {
    sim.release_to_thresholds(device);
    sim.devices[device].sticky.map_or(Ok(()), Err)
}
