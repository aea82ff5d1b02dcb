//! What the simulator sees of a kernel.

use icffi::abi::LaunchParams;
use icffi::codes;
use icffi::error::check_kernel;
use icffi::prelude::*;
use icffi_sim::Policy;
use icffi_tests as _;
use icffi_tests::sim::sim_session;

mod raw {
    include!(concat!(env!("OUT_DIR"), "/icffi_tests.rs"));
}

#[test]
fn an_index_beyond_the_end_fails_the_launch_by_name() {
    for beyond in [1000, 1 << 40] {
        let sim = sim_session(1, Policy::Lazy);
        let stream = Stream::new().unwrap();
        let mut x = DeviceBuffer::<u32>::zeros(1000).unwrap();
        let params = LaunchParams::new_1d(1, 1, stream.raw());
        // SAFETY: bound to the stream of the launch. The kernel goes beyond the end, which on the
        // simulator is reported and reaches no memory.
        let code =
            unsafe { raw::icffi_test_touch(params, x.output(&stream).unwrap().desc(), beyond) };
        check_kernel(code, "touch", &params).unwrap();
        let error = stream.synchronize().unwrap_err();
        assert_eq!(error.code(), codes::LAUNCH_FAILURE);
        let reports = sim.take_reports();
        let text = reports.first().expect("a report").to_string();
        let told = format!("used element {beyond} of a buffer of 1000 elements");
        assert!(text.contains("touch") && text.contains(&told), "{text}");
    }
}
