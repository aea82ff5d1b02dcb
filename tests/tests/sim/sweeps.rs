//! W10: each CUDA call of each scenario fails in turn.

use icffi_sim::Policy;
use icffi_tests::scenarios::{forget, streams, tables};
use icffi_tests::sweep::{How, sweep};

#[test]
fn w10_any_call_is_refused() {
    for policy in [Policy::Lazy, Policy::Random] {
        sweep(tables::ALL, policy, How::Refused);
        sweep(forget::ALL, policy, How::Refused);
        sweep(streams::ALL, policy, How::Refused);
    }
}

#[test]
fn row11_any_call_reports_an_older_error() {
    for policy in [Policy::Lazy, Policy::Random] {
        sweep(tables::ALL, policy, How::Enqueued);
        sweep(forget::ALL, policy, How::Enqueued);
        sweep(streams::ALL, policy, How::Enqueued);
    }
}

#[test]
fn row16_any_call_loses_the_context() {
    sweep(tables::ALL, Policy::Random, How::Sticky);
    sweep(forget::ALL, Policy::Lazy, How::Sticky);
    sweep(streams::ALL, Policy::Random, How::Sticky);
}
