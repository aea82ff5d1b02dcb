//! Calls that fail at random.

use icffi::IcffiError;
use icffi_sim::Fault;
use icffi_sys::cudaError;
use rand::Rng;
use rand::rngs::StdRng;

/// Calls that may also do their work and report an error.
const USING: &[&str] = &[
    "cudaMemcpyAsync",
    "cudaMemsetAsync",
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
    "cudaGraphLaunch",
    "cudaGraphDestroy",
    "cudaGraphExecDestroy",
    "cudaGraphExecUpdate",
];

/// Calls whose result means nothing if they report an error.
const MAKING: &[&str] = &[
    "cudaMalloc",
    "cudaMallocAsync",
    "cudaHostAlloc",
    "cudaEventCreateWithFlags",
    "cudaStreamCreateWithPriority",
    "cudaGraphInstantiate",
    "cudaStreamBeginCapture",
    "cudaThreadExchangeStreamCaptureMode",
];

pub(crate) fn random_fault(rng: &mut StdRng) -> Fault {
    let makes = rng.random_range(0..3) == 0;
    let functions = if makes { MAKING } else { USING };
    let function = functions[rng.random_range(0..functions.len())];
    let fault = Fault::nth(
        function,
        rng.random_range(1..4),
        cudaError::cudaErrorUnknown,
    )
    .times(rng.random_range(1..4));
    if !makes && rng.random() {
        fault.enqueued()
    } else {
        fault
    }
}

/// An error says what failed, and where in the program.
pub(crate) fn assert_names_its_place(error: &IcffiError) {
    let operation = error.operation();
    assert!(
        operation.contains("::") || operation.starts_with("kernel "),
        "{error}"
    );
    assert!(error.location().file().contains("fuzz"), "{error}");
}
