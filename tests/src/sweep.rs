//! The sweep: a scenario is run once to count its CUDA calls, then once for each call with that
//! call failing.

use crate::scenarios::{Leaves, Scenario};
use crate::sim::{Sim, objects, sim_session};
use crate::{assert_same, random};
use icffi::memory::DeviceBuffer;
use icffi::stream::Stream;
use icffi::{Result, codes};
use icffi_sim::{Fault, Live, Policy};
use icffi_sys::cudaError;
use std::panic::{AssertUnwindSafe, catch_unwind};

/// How the call fails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum How {
    /// It has no effect.
    Refused,
    /// It has its effect and reports an error all the same (row 11). Only calls that may report
    /// the error of something older do so.
    Enqueued,
    /// The device's context is lost from there on.
    Sticky,
}

/// What may report an older error although it did its work: all but the calls that make an
/// object, whose out-parameter means nothing then.
const MAY_BE_ENQUEUED: &[&str] = &[
    "cudaMemcpyAsync",
    "cudaMemcpy2DAsync",
    "cudaMemsetAsync",
    "cudaLaunchHostFunc",
    "cudaEventRecord",
    "cudaEventQuery",
    "cudaEventSynchronize",
    "cudaEventDestroy",
    "cudaStreamQuery",
    "cudaStreamWaitEvent",
    "cudaStreamSynchronize",
    "cudaStreamDestroy",
    "cudaFree",
    "cudaFreeAsync",
    "cudaFreeHost",
    "cudaHostUnregister",
    "cudaGraphLaunch",
    "cudaGraphUpload",
    "cudaGraphExecUpdate",
    "cudaGraphExecDestroy",
    "cudaGraphDestroy",
];

/// Every call of every scenario in turn.
pub fn sweep(scenarios: &[Scenario], policy: Policy, how: How) {
    for scenario in scenarios {
        match how {
            How::Refused => every_call(scenario, policy, "*", |n| {
                Fault::nth("*", n, cudaError::cudaErrorUnknown)
            }),
            How::Sticky => every_call(scenario, policy, "*", |n| {
                Fault::nth("*", n, cudaError::cudaErrorIllegalAddress).sticky()
            }),
            How::Enqueued => {
                for function in MAY_BE_ENQUEUED {
                    every_call(scenario, policy, function, |n| {
                        Fault::nth(function, n, cudaError::cudaErrorUnknown).enqueued()
                    });
                }
            }
        }
    }
}

fn every_call(scenario: &Scenario, policy: Policy, function: &str, fault: impl Fn(u64) -> Fault) {
    let calls = |sim: &Sim| match function {
        "*" => sim.total_calls(),
        name => sim.calls(name),
    };
    let sim = sim_session(0, policy);
    let before = calls(&sim);
    (scenario.run)().expect("without a fault it works");
    let count = calls(&sim) - before;
    let left = sim.end_leaking();
    assert!(
        scenario.leaves != Leaves::Nothing || left == Live::default(),
        "{left:?}"
    );
    for n in 1..=count {
        let fault = fault(n);
        let sim = sim_session(n, policy);
        let place = format!("{}, {policy}, seed {n}, {fault:?}", scenario.name);
        let sticky = place.contains("sticky: true");
        sim.fault(fault);
        let outcome = catch_unwind(AssertUnwindSafe(|| (scenario.run)()));
        let checked = catch_unwind(AssertUnwindSafe(|| {
            let result = outcome.unwrap_or_else(|e| std::panic::resume_unwind(e));
            if sticky {
                check_lost(sim, &result);
            } else {
                check(sim, &result, scenario.leaves);
            }
        }));
        if let Err(payload) = checked {
            eprintln!("in the sweep: {place}");
            std::panic::resume_unwind(payload);
        }
    }
}

/// After a fault that passed: nothing illegal, nothing lost that is not counted, and the device
/// goes on.
fn check(sim: Sim, result: &Result<()>, leaves: Leaves) {
    sim.clear_faults();
    check_error(result, codes::UNKNOWN);
    let stream = Stream::new().expect("the next operation works");
    let data = random::<u32>(3000);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).expect("the next upload works");
    assert_same(&x.to_vec(&stream).expect("the next download works"), &data);
    drop((x, stream));
    let live = sim.settle();
    // A free that reported an error may have worked or not; it is counted either way.
    let left = match leaves {
        Leaves::Nothing => objects(&live),
        Leaves::Marks => live.device_allocations + live.pinned_allocations,
        Leaves::Memory => 0,
    };
    assert!(
        left <= sim.leaked(),
        "{live:?} is left, {} counted",
        sim.leaked()
    );
}

/// After a lost context: nothing illegal, and every call says so.
fn check_lost(sim: Sim, result: &Result<()>) {
    check_error(result, codes::ILLEGAL_ADDRESS);
    // Reading the last error reports it without losing anything.
    if let Err(error) = Stream::new() {
        assert!(error.is_sticky(), "{error}");
    } else {
        assert!(result.is_ok());
    }
    icffi::trim_all();
    sim.assert_clean();
}

/// An error names the operation, and the scenario's own line.
fn check_error(result: &Result<()>, code: i32) {
    if let Err(error) = result {
        // Where the call failed that was to protect a capture, the next one finds it so.
        let unprotected = [
            codes::STREAM_CAPTURE_UNSUPPORTED,
            codes::STREAM_CAPTURE_INVALIDATED,
        ];
        if !unprotected.contains(&error.code()) {
            assert_eq!(error.code(), code, "{error}");
        }
        assert!(error.operation().contains("::"), "{error}");
        let file = error.location().file();
        assert!(file.contains("scenarios"), "{error}");
    }
}
