//! Uses that share one entry of the record: an event that stands behind one of them must not be
//! taken for all.

use icffi::prelude::*;
use icffi::sys;
use icffi_tests::sim::over_schedules;
use icffi_tests::{assert_same, random};

#[test]
fn a_guards_event_does_not_cover_a_launch_that_comes_after_it() {
    over_schedules(|_| {
        let (reader, writer) = (Stream::new().unwrap(), Stream::new().unwrap());
        let data = random::<u32>(1000);
        let shared = DeviceBuffer::from_slice_sync(&reader, &data)
            .unwrap()
            .freeze();
        let mut seen = DeviceBuffer::<u32>::zeros(1000).unwrap();
        let mut copy = HostBuffer::<u32>::alloc_zeroed(1000).unwrap();

        // A launch is prepared, a guarded copy of the same memory on the same stream gets in
        // between, and then the launch is made: behind the copy's event.
        let input = shared.input(&reader).unwrap();
        let output = seen.output(&reader).unwrap();
        let guard = shared
            .as_view()
            .copy_to_host_buffer_guarded(&reader, &mut copy)
            .unwrap();
        // SAFETY: both descriptors are of 1000 elements, registered on this stream and alive.
        let status = unsafe {
            sys::cudaMemcpyAsync(
                output.as_ptr().cast(),
                input.as_ptr().cast(),
                4000,
                sys::cudaMemcpyKind::cudaMemcpyDeviceToDevice,
                reader.raw(),
            )
        };
        icffi::check(status).unwrap();
        drop((input, output));
        drop(guard);

        let mut again = shared.try_unfreeze().expect("the only handle");
        again.fill(&writer, 0).unwrap();
        writer.synchronize().unwrap();
        assert_same(&seen.to_vec(&reader).unwrap(), &data);
        assert_same(&copy, &data);
    });
}
