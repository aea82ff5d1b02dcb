//! All scenarios under all policies and many seeds.

use icffi_tests::scenarios::{self, Leaves, Scenario};
use icffi_tests::sim::over_schedules_leaving;

fn all(list: &[Scenario]) {
    for scenario in list {
        over_schedules_leaving(
            |_| {
                if let Err(error) = (scenario.run)() {
                    panic!("{}: {error}", scenario.name);
                }
            },
            |left| {
                let memory = left.device_allocations + left.pinned_allocations;
                let marks = left.events + left.streams;
                let expected = match scenario.leaves {
                    Leaves::Nothing => memory + marks == 0,
                    Leaves::Marks => memory == 0,
                    Leaves::Memory => memory <= 1,
                };
                assert!(expected, "{}: {left:?}", scenario.name);
            },
        );
    }
}

#[test]
fn every_public_function() {
    all(scenarios::tables::ALL);
}

#[test]
fn row02_guards_are_forgotten() {
    all(scenarios::forget::ALL);
}

#[test]
fn rows_05_06_07_13_19_and_w2_over_several_streams() {
    all(scenarios::streams::ALL);
}
