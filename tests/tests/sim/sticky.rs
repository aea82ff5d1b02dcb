//! Row 16: after the context is lost no destructor panics, and every call says so.

use icffi::device;
use icffi::error::ErrorKind;
use icffi::prelude::*;
use icffi_sim::{Fault, Policy};
use icffi_sys::cudaError;
use icffi_tests::random;
use icffi_tests::sim::{POLICIES, sim_session};

#[test]
fn row16_everything_is_dropped_after_the_context_is_lost() {
    for policy in POLICIES {
        let sim = sim_session(1, policy);
        let (stream, other) = (Stream::new().unwrap(), Stream::new().unwrap());
        let data = random::<u32>(1000);
        let mut target = vec![0; 1000];
        let mut pinned = HostBuffer::from_slice(&data).unwrap();
        let mut pinned_target = HostBuffer::<u32>::alloc_zeroed(1000).unwrap();
        let event = Event::timed().unwrap();
        let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
        let mut y = DeviceBuffer::<u32>::alloc_async(&stream, 1000).unwrap();
        y.copy_from_device_async(&other, &x).unwrap();
        let down = x.copy_to_host_guarded(&stream, &mut target).unwrap();
        let up = y.copy_from_host_buffer_guarded(&other, &pinned).unwrap();
        let pinned_down = x
            .copy_to_host_buffer_guarded(&other, &mut pinned_target)
            .unwrap();
        let into = DeviceBuffer::from_slice_guarded(&stream, &data).unwrap();
        let fault = Fault::nth("cudaStreamQuery", 1, cudaError::cudaErrorIllegalAddress);
        sim.fault(fault.sticky());
        let error = stream.query().unwrap_err();
        assert!(
            error.is_sticky() && error.kind() == ErrorKind::Sticky,
            "{error}"
        );
        assert!(error.message().contains("context is lost"), "{error}");
        for error in [
            stream.synchronize().unwrap_err(),
            x.to_vec(&stream).unwrap_err(),
            Stream::new().unwrap_err(),
            DeviceBuffer::<u8>::alloc(1).unwrap_err(),
            device::synchronize().unwrap_err(),
            down.is_complete().unwrap_err(),
            event.record(&stream).unwrap_err(),
        ] {
            assert!(error.is_sticky(), "{error}");
        }
        assert!(into.wait().unwrap_err().is_sticky());
        drop((down, up, pinned_down));
        assert!(pinned.try_as_mut_slice().unwrap_err().is_sticky());
        drop((pinned, pinned_target, event, x, y, stream, other));
        let device = device::current().unwrap();
        let (kept, count) = device.take_deferred_error().expect("the drops failed");
        assert!(kept.is_sticky() && count > 3, "{count}: {kept}");
        icffi::trim_all();
        sim.assert_clean();
    }
}

#[test]
fn row16_a_new_machine_works_again() {
    let sim = sim_session(1, Policy::Lazy);
    let stream = Stream::new().unwrap();
    let x = DeviceBuffer::from_slice_sync(&stream, &random::<u32>(10)).unwrap();
    sim.fault(Fault::nth("*", 1, cudaError::cudaErrorLaunchFailure).sticky());
    assert!(x.to_vec(&stream).is_err());
    drop((x, stream));
    drop(sim);
    let sim = sim_session(1, Policy::Lazy);
    let stream = Stream::new().unwrap();
    let data = random::<u32>(10);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    assert_eq!(x.to_vec(&stream).unwrap(), data);
    drop((x, stream));
    sim.end();
}
