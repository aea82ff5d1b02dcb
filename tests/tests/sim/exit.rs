//! Row 28, the end of the process: a runtime that is gone is no error in a destructor.

use icffi::device;
use icffi::prelude::*;
use icffi_sim::{Fault, Policy};
use icffi_sys::cudaError;
use icffi_tests::sim::sim_session;

#[test]
fn row28_destructors_are_silent_when_the_runtime_is_gone() {
    let sim = sim_session(6, Policy::Random);
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(100).unwrap();
    let pooled = DeviceBuffer::<u32>::zeros_async(&stream, 100).unwrap();
    let pinned = HostBuffer::<u32>::alloc_zeroed(100).unwrap();
    let event = Event::ordering().unwrap();
    let graph = stream.capture(|capture| x.fill(capture, 0)).unwrap();
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    sim.fault(Fault::nth("*", 1, cudaError::cudaErrorCudartUnloading).times(u64::MAX));
    drop((exec, graph, x, pooled, pinned, event, stream));
    icffi::trim_all();
    sim.clear_faults();
    assert_eq!(sim.leaked(), 0);
    let deferred = device::current().unwrap().take_deferred_error();
    assert!(deferred.is_none(), "{deferred:?}");
    // What the runtime did not take back any more goes with the process.
    sim.assert_clean();
}
