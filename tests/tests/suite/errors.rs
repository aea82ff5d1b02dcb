//! Errors: what they say, and that an old one is never returned by a later call.

use icffi::error::{ErrorKind, check_kernel};
use icffi::prelude::*;
use icffi::sys::{cudaError, cudaGetLastError, cudaPeekAtLastError, cudaSetDevice};
use icffi::{check, codes, icffi_codes};
use icffi_tests::{assert_same, expect_error, random, together};

/// A raw call that fails and so leaves CUDA's last error set.
fn fail() -> cudaError {
    // SAFETY: a wrong ordinal is an error and nothing else.
    unsafe { cudaSetDevice(1000) }
}

fn last_error() -> cudaError {
    // SAFETY: no precondition.
    unsafe { cudaPeekAtLastError() }
}

#[test]
fn check_names_the_code_and_the_callers_line() {
    let _turn = together();
    assert!(check(cudaError::cudaSuccess).is_ok());
    let says = ["cudaErrorInvalidDevice (101)", "a CUDA call"];
    let error = expect_error(
        check(fail()),
        codes::INVALID_DEVICE,
        "check",
        file!(),
        &says,
    );
    assert_eq!(error.kind(), ErrorKind::InvalidArgument);
    assert_eq!(error.name(), "cudaErrorInvalidDevice");
    assert!(!error.is_sticky() && !error.is_icffi_error());
    // An unknown code of a newer driver is a value like any other.
    let strange = check(cudaError(987_654)).unwrap_err();
    assert_eq!(
        (strange.code(), strange.kind()),
        (987_654, ErrorKind::Other)
    );
}

#[test]
fn row17_an_old_error_is_not_returned_by_the_next_launch() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let params = LaunchParams::new_1d(1, 32, stream.raw());
    assert!(check(fail()).is_err());
    assert_eq!(last_error(), cudaError::cudaSuccess, "`check` drains");
    // What a wrapper around `<<<>>>` would ask for: its own launch only.
    // SAFETY: no precondition.
    let status = unsafe { cudaGetLastError() };
    check_kernel(status.0 as i32, "any", &params).unwrap();
    // The same for failures inside the crate.
    assert!(device::set_current(63).is_err());
    assert_eq!(
        last_error(),
        cudaError::cudaSuccess,
        "every failed call drains"
    );
    let data = random::<u32>(100);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    assert_same(&x.to_vec(&stream).unwrap(), &data);
}

#[test]
fn row17_a_foreign_error_does_not_become_ours() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let data = random::<u32>(100);
    // Nobody drains this one; it is the foreign code's.
    assert_eq!(fail(), cudaError::cudaErrorInvalidDevice);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    assert_same(&x.to_vec(&stream).unwrap(), &data);
    drop(x);
    // SAFETY: no precondition.
    let _ = unsafe { cudaGetLastError() };
}

#[test]
fn w7_not_ready_is_no_error_and_leaves_none() {
    let _turn = icffi_tests::alone();
    let stream = Stream::new().unwrap();
    let event = Event::ordering().unwrap();
    let gate = icffi_tests::Gate::close(&stream).unwrap();
    event.record(&stream).unwrap();
    assert!(!stream.query().unwrap());
    assert_eq!(last_error(), cudaError::cudaSuccess);
    assert!(!event.query().unwrap());
    assert_eq!(last_error(), cudaError::cudaSuccess);
    gate.open();
    stream.synchronize().unwrap();
}

#[test]
fn a_failed_kernel_is_named_with_its_shape() {
    let _turn = together();
    let params = LaunchParams::new_3d((1, 2, 3), (4, 5, 6), std::ptr::null_mut());
    let result = check_kernel(codes::INVALID_CONFIGURATION, "blur", &params);
    let says = [
        "grid 1 x 2 x 3",
        "block 4 x 5 x 6",
        "cudaErrorInvalidConfiguration (9)",
    ];
    let code = codes::INVALID_CONFIGURATION;
    let error = expect_error(result, code, "kernel blur", file!(), &says);
    assert_eq!(error.kind(), ErrorKind::Launch);
    assert!(check_kernel(codes::SUCCESS, "blur", &params).is_ok());
}

#[test]
fn sticky_errors_say_so() {
    let _turn = together();
    for (status, sticky) in [
        (cudaError::cudaErrorIllegalAddress, true),
        (cudaError::cudaErrorLaunchFailure, true),
        (cudaError::cudaErrorAssert, true),
        (cudaError::cudaErrorMemoryAllocation, false),
        (cudaError::cudaErrorNotReady, false),
    ] {
        let error = check(status).unwrap_err();
        assert_eq!(error.is_sticky(), sticky, "{error}");
        assert_eq!(error.kind() == ErrorKind::Sticky, sticky, "{error}");
        assert_eq!(
            error.message().contains("context is lost"),
            sticky,
            "{error}"
        );
    }
}

#[test]
fn the_crates_own_codes_are_as_documented() {
    use icffi_codes::*;
    let documented = [
        INVALID_ARGUMENT,
        LENGTH_MISMATCH,
        ALLOCATION_OVERFLOW,
        ALLOCATION_NULL,
        OUTPUT_TOO_SMALL,
        GRID_TOO_LARGE,
        EVENT_KIND_MISMATCH,
    ];
    assert_eq!(documented, [-1, -2, -3, -4, -5, -6, -7]);
    let _turn = together();
    let error = DeviceBuffer::<u64>::alloc(usize::MAX).unwrap_err();
    assert_eq!(error.name(), "ALLOCATION_OVERFLOW");
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    let dynamic: Box<dyn std::error::Error + Send + Sync> = error.into();
    assert!(
        dynamic
            .to_string()
            .contains("DeviceBuffer::alloc: ALLOCATION_OVERFLOW")
    );
}
