//! U11: memory whose state is unknown is never handed out.

use icffi::codes;
use icffi::prelude::*;
use icffi_sim::{Fault, Policy};
use icffi_sys::cudaError;
use icffi_tests::sim::sim_session;
use icffi_tests::{assert_same, random};
use std::mem::forget;
use std::panic::{AssertUnwindSafe, catch_unwind};

const LEN: usize = 500;

fn failing_wait() -> Fault {
    Fault::nth("cudaEventSynchronize", 1, cudaError::cudaErrorUnknown)
}

#[test]
fn u11_the_fallible_forms_return_the_error_and_work_again() {
    let sim = sim_session(1, Policy::Lazy);
    let stream = Stream::new().unwrap();
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let mut target = HostBuffer::<u32>::alloc_zeroed(LEN).unwrap();
    forget(x.copy_to_host_buffer_guarded(&stream, &mut target).unwrap());
    sim.fault(failing_wait());
    let error = target.try_as_slice().unwrap_err();
    assert_eq!(error.code(), codes::UNKNOWN);
    assert_eq!(error.operation(), "HostBuffer::try_as_slice");
    assert_eq!(error.location().file(), file!());
    sim.fault(failing_wait());
    assert_eq!(
        target.try_as_mut_slice().unwrap_err().operation(),
        "HostBuffer::try_as_mut_slice"
    );
    sim.fault(failing_wait());
    assert_eq!(
        target.to_vec().unwrap_err().operation(),
        "HostBuffer::to_vec"
    );
    sim.fault(failing_wait());
    assert_eq!(
        target.copy_from_slice(&data).unwrap_err().code(),
        codes::UNKNOWN
    );
    let mut out = vec![0; LEN];
    sim.fault(failing_wait());
    assert_eq!(
        target.copy_to_slice(&mut out).unwrap_err().code(),
        codes::UNKNOWN
    );
    assert_same(&out, &[0; LEN]);
    // The lease was not given up by the failures.
    assert_same(target.try_as_slice().unwrap(), &data);
    drop((x, target, stream));
    sim.end_forgetful();
}

#[test]
fn u11_the_infallible_forms_panic_with_the_same_text() {
    let sim = sim_session(1, Policy::Lazy);
    let stream = Stream::new().unwrap();
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let mut target = HostBuffer::<u32>::alloc_zeroed(LEN).unwrap();
    forget(x.copy_to_host_buffer_guarded(&stream, &mut target).unwrap());
    type Look = fn(&mut HostBuffer<u32>) -> u32;
    let looks: [(Look, &str); 4] = [
        (|b| b.as_slice()[0], "HostBuffer::as_slice"),
        (|b| b.as_mut_slice()[0], "HostBuffer::as_mut_slice"),
        (|b| b[0], "HostBuffer::as_slice"),
        (
            |b| {
                b[0] = 1;
                0
            },
            "HostBuffer::as_mut_slice",
        ),
    ];
    for (look, operation) in looks {
        sim.fault(failing_wait());
        let panic = catch_unwind(AssertUnwindSafe(|| look(&mut target))).unwrap_err();
        let text = panic.downcast_ref::<String>().expect("a message");
        for part in [
            operation,
            "cudaErrorUnknown (999)",
            "cudaEventSynchronize",
            file!(),
        ] {
            assert!(text.contains(part), "no {part:?} in {text}");
        }
    }
    assert_same(target.as_slice(), &data);
    drop((x, target, stream));
    sim.end_forgetful();
}

#[test]
fn u11_reading_does_not_wait_for_readers() {
    let sim = sim_session(1, Policy::Lazy);
    let stream = Stream::new().unwrap();
    let data = random::<u32>(LEN);
    let mut source = HostBuffer::from_slice(&data).unwrap();
    let mut x = DeviceBuffer::<u32>::alloc(LEN).unwrap();
    forget(x.copy_from_host_buffer_guarded(&stream, &source).unwrap());
    let pending = sim.pending();
    assert!(pending > 0);
    assert_same(source.as_slice(), &data);
    assert_eq!(sim.pending(), pending, "nobody waited");
    source.as_mut_slice().fill(0);
    assert_same(&x.to_vec(&stream).unwrap(), &data);
    drop((x, source, stream));
    sim.end_forgetful();
}

#[test]
fn u11_waiting_is_for_the_transfer_and_not_for_the_stream() {
    let sim = sim_session(1, Policy::Lazy);
    let stream = Stream::new().unwrap();
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let mut y = DeviceBuffer::<u32>::alloc(LEN).unwrap();
    let mut target = HostBuffer::<u32>::alloc_zeroed(LEN).unwrap();
    forget(x.copy_to_host_buffer_guarded(&stream, &mut target).unwrap());
    for _ in 0..10 {
        y.fill(&stream, 3).unwrap();
    }
    assert_same(target.as_slice(), &data);
    assert!(sim.pending() >= 10, "the fills are still to come");
    drop((x, y, target, stream));
    sim.end_forgetful();
}

#[test]
fn u11_the_panic_is_placed_at_the_callers_line() {
    use std::sync::Mutex;
    static PLACE: Mutex<Option<String>> = Mutex::new(None);
    let sim = sim_session(1, Policy::Lazy);
    let stream = Stream::new().unwrap();
    let x = DeviceBuffer::from_slice_sync(&stream, &random::<u32>(LEN)).unwrap();
    let mut target = HostBuffer::<u32>::alloc_zeroed(LEN).unwrap();
    forget(x.copy_to_host_buffer_guarded(&stream, &mut target).unwrap());
    sim.fault(failing_wait());
    let usual = std::panic::take_hook();
    std::panic::set_hook(Box::new(|info| {
        *PLACE.lock().unwrap() = info.location().map(|l| l.file().to_owned());
    }));
    let caught = catch_unwind(AssertUnwindSafe(|| target.as_slice()[0]));
    std::panic::set_hook(usual);
    assert!(caught.is_err());
    assert_eq!(PLACE.lock().unwrap().as_deref(), Some(file!()));
    drop((x, target, stream));
    sim.end_forgetful();
}
