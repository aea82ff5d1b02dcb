//! Row 28: a forked child has no CUDA. Every call there says so and every destructor is silent.
//! A program of its own, whose only test forks.
#![cfg(unix)]

use icffi::icffi_codes::FORKED;
use icffi::prelude::*;
use icffi::{Result, device, staging};
use icffi_tests::{assert_same, random};
use std::panic::{AssertUnwindSafe, catch_unwind};

/// Runs `child` in a forked process, which ends with the number that it returns.
fn in_a_child(child: impl FnOnce() -> i32) -> i32 {
    // SAFETY: no other thread of this program uses this crate meanwhile; the child makes no CUDA
    // call, runs nothing registered for the end of the process, and ends here.
    let pid = unsafe { libc::fork() };
    assert!(pid >= 0, "fork failed");
    if pid == 0 {
        let number = catch_unwind(AssertUnwindSafe(child)).unwrap_or(99);
        // SAFETY: ends the child without the parent's destructors.
        unsafe { libc::_exit(number) };
    }
    let mut status = 0;
    // SAFETY: the child made above; `status` outlives the call.
    let waited = unsafe { libc::waitpid(pid, &mut status, 0) };
    assert_eq!(waited, pid);
    assert!(libc::WIFEXITED(status), "the child was killed: {status}");
    libc::WEXITSTATUS(status)
}

fn forked<T>(result: Result<T>) -> bool {
    result.is_err_and(|e| e.code() == FORKED && e.to_string().contains("forked"))
}

#[test]
fn row28_a_forked_child_is_told() {
    icffi_tests::trim_at_exit();
    let stream = Stream::new().unwrap();
    let data = random::<u32>(1000);
    let mut x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let mut pinned = HostBuffer::from_slice(&data).unwrap();
    let graph = stream.capture(|capture| x.fill(capture, 0)).unwrap();
    let mut exec = graph.instantiate().unwrap();
    let event = Event::ordering().unwrap();

    let first_failure = in_a_child(|| {
        let mut target = vec![0; 1000];
        let checks = [
            forked(Stream::new()),
            forked(stream.synchronize()),
            forked(stream.query()),
            forked(DeviceBuffer::<u32>::alloc(10)),
            forked(DeviceBuffer::<u32>::zeros_async(&stream, 10)),
            forked(x.copy_to_host_sync(&stream, &mut target)),
            forked(x.copy_from_host_guarded(&stream, &data)),
            forked(x.to_vec(&stream)),
            forked(x.fill(&stream, 0)),
            forked(HostBuffer::<u32>::alloc_zeroed(10)),
            forked(x.copy_to_host_buffer_guarded(&stream, &mut pinned)),
            forked(Event::ordering()),
            forked(event.record(&stream)),
            forked(event.query()),
            forked(exec.launch(&stream)),
            forked(graph.instantiate()),
            forked(stream.capture(|_| Ok(()))),
            forked(device::count()),
            forked(device::synchronize()),
            forked(staging::reserve(100 << 20)),
            !device::is_available(),
            target == [0; 1000],
        ];
        let wrong = checks.iter().position(|right| !right);
        wrong.map_or(0, |i| i as i32 + 1)
    });
    assert_eq!(first_failure, 0, "the number of the check that failed");

    // The parent's objects end in the child too, without a word and without a call.
    let silent = in_a_child(|| {
        // SAFETY: copies of the parent's objects; the child ends without dropping them again.
        unsafe {
            drop(std::ptr::read(&exec));
            drop(std::ptr::read(&graph));
            drop(std::ptr::read(&x));
            drop(std::ptr::read(&pinned));
            drop(std::ptr::read(&event));
            drop(std::ptr::read(&stream));
        }
        icffi::trim_all();
        0
    });
    assert_eq!(silent, 0, "a destructor panicked");

    // The parent goes on.
    assert_same(&x.to_vec(&stream).unwrap(), &data);
    exec.launch(&stream).unwrap();
    assert_same(&x.to_vec(&stream).unwrap(), &[0; 1000]);
    pinned.copy_from_slice(&data).unwrap();
    stream.synchronize().unwrap();
    drop((x, pinned, exec, graph, event));
    let deferred = device::current().unwrap().take_deferred_error();
    assert!(deferred.is_none(), "{deferred:?}");
}
