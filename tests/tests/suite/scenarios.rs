//! The scenarios that the simulator's suite runs under every schedule and with every fault, here
//! on whatever runtime is linked.

use icffi_tests::scenarios::{self, Scenario};
use icffi_tests::together;

fn run(list: &[Scenario]) {
    let _turn = together();
    for scenario in list {
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
    run(scenarios::tables::ALL);
}

#[test]
fn row02_guards_are_forgotten() {
    run(scenarios::forget::ALL);
}

#[test]
fn several_streams() {
    run(scenarios::streams::ALL);
}
