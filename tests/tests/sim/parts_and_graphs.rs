//! The scenarios of graphs and of parts of buffers, under all policies and many seeds, and with
//! each of their CUDA calls failing in turn.

use icffi_sim::{Live, Policy};
use icffi_tests::scenarios::{Scenario, graphs, parts};
use icffi_tests::sim::over_schedules_leaving;
use icffi_tests::sweep::{How, sweep};

fn all(list: &[Scenario]) {
    for scenario in list {
        over_schedules_leaving(
            |_| {
                if let Err(error) = (scenario.run)() {
                    panic!("{}: {error}", scenario.name);
                }
            },
            |left| assert_eq!(*left, Live::default(), "{}", scenario.name),
        );
    }
}

#[test]
fn rows_08_09_24_and_u1_u3_u6_u7_u12_w12_of_graphs() {
    all(graphs::ALL);
}

#[test]
fn row26_and_u5_u13_u16_w2_w5_w6_of_parts() {
    all(parts::ALL);
}

#[test]
fn w10_any_call_of_graphs_is_refused() {
    sweep(graphs::ALL, Policy::Lazy, How::Refused);
    sweep(graphs::ALL, Policy::Random, How::Refused);
}

#[test]
fn w10_any_call_of_parts_is_refused() {
    sweep(parts::ALL, Policy::Lazy, How::Refused);
    sweep(parts::ALL, Policy::Random, How::Refused);
}

#[test]
fn row11_any_call_of_graphs_reports_an_older_error() {
    sweep(graphs::ALL, Policy::Random, How::Enqueued);
}

#[test]
fn row11_any_call_of_parts_reports_an_older_error() {
    sweep(parts::ALL, Policy::Random, How::Enqueued);
}

#[test]
fn row16_any_call_of_graphs_loses_the_context() {
    sweep(graphs::ALL, Policy::Random, How::Sticky);
}

#[test]
fn row16_any_call_of_parts_loses_the_context() {
    sweep(parts::ALL, Policy::Random, How::Sticky);
}
