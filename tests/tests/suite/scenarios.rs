//! The scenarios that the simulator's suite runs under every schedule and with every fault, here
//! on whatever runtime is linked.

use icffi_tests::scenarios::{self, Leaves, Scenario};
use icffi_tests::together;

fn run(list: &[Scenario], wanted: impl Fn(Leaves) -> bool) {
    let _turn = together();
    for scenario in list.iter().filter(|s| wanted(s.leaves)) {
        if let Err(error) = (scenario.run)() {
            panic!("{}: {error}", scenario.name);
        }
    }
    icffi::device::synchronize().unwrap();
    let device = icffi::device::current().unwrap();
    assert_eq!(device.quarantined(), 0);
}

#[test]
fn every_public_function() {
    run(scenarios::tables::ALL, |_| true);
}

#[test]
fn row02_guards_are_forgotten() {
    run(scenarios::forget::ALL, |leaves| leaves != Leaves::Memory);
}

/// Named so that a leak checker can leave it out: what a guard owns is lost with it.
#[test]
fn row02_guards_are_forgotten_leaking() {
    run(scenarios::forget::ALL, |leaves| leaves == Leaves::Memory);
}

#[test]
fn several_streams() {
    run(scenarios::streams::ALL, |_| true);
}
