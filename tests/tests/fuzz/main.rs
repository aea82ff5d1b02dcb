//! Random programs against a model on the CPU, under every policy of the simulator: every download
//! has to be what the same operations make of an array, the simulator has nothing to report, and
//! nothing is left. `ICFFI_FUZZ_SEEDS` says how many programs (40), `ICFFI_FUZZ_FROM` with which
//! seed to begin (0), and with `ICFFI_FUZZ_TRACE=1` each step is printed as it begins.

mod buffers;
mod faults;
mod graphs;
mod model;
mod program;
mod steps;
mod threads;

use icffi_sim::Policy;
use icffi_tests::sim::POLICIES;
use program::{Calls, Program};

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name}={text} is no number")),
        Err(_) => default,
    }
}

/// Each seed under each policy.
fn over_seeds(run: impl Fn(u64, Policy)) {
    let (from, count) = (
        setting("ICFFI_FUZZ_FROM", 0),
        setting("ICFFI_FUZZ_SEEDS", 40),
    );
    for seed in from..from + count {
        for policy in POLICIES {
            run(seed, policy);
        }
    }
}

#[test]
fn random_programs_do_as_the_model_does() {
    over_seeds(|seed, policy| {
        Program::new(seed, policy, Calls::AllWork).run(120);
    });
}

#[test]
fn random_programs_whose_calls_fail_leave_nothing_behind() {
    over_seeds(|seed, policy| {
        Program::new(seed, policy, Calls::SomeFail).run(80);
    });
}

#[test]
fn threads_that_share_streams_and_memory_do_as_the_model_does() {
    over_seeds(threads::run);
}
