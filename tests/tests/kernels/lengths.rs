//! Buffers that do not fit together: both lengths and the function are named, and nothing was done.

use icffi::icffi_codes::{INVALID_ARGUMENT, LENGTH_MISMATCH, OUTPUT_TOO_SMALL};
use icffi::prelude::*;
use icffi_kernels as k;

use crate::util::{garbage, same, upload};

#[track_caller]
fn refused<T>(result: Result<T>, code: i32, parts: &[&str]) {
    let Err(error) = result else {
        panic!("it was accepted")
    };
    let text = error.to_string();
    assert_eq!(error.code(), code, "{text}");
    for part in parts {
        assert!(text.contains(part), "no {part:?} in {text}");
    }
    assert_eq!(error.location().file(), file!(), "{text}");
}

#[test]
fn lengths_are_checked_before_anything_is_done() {
    let s = Stream::new().unwrap();
    let (three, four) = (upload(&s, &[1.0f32; 3]), upload(&s, &[1.0f32; 4]));
    let mut out = garbage::<f32>(&s, 4);
    let before = out.to_vec(&s).unwrap();
    let lengths = |function| [function, "has 3 elements", "has 4"];
    let code = LENGTH_MISMATCH;
    refused(k::add(&s, &three, &four, &mut out), code, &lengths("add: "));
    refused(
        k::add(&s, &three, &three, &mut out),
        code,
        &lengths("add: "),
    );
    refused(
        k::multiply(&s, &three, &three, &mut out),
        code,
        &lengths("multiply: "),
    );
    refused(k::axpy(&s, 1.0, &three, &mut out), code, &lengths("axpy: "));
    refused(
        k::fma(&s, &three, &three, &four, &mut out),
        code,
        &lengths("fma: "),
    );
    refused(
        k::fma(&s, &three, &three, &three, &mut out),
        code,
        &lengths("fma: "),
    );
    refused(k::dot(&s, &three, &four), code, &lengths("dot: "));
    refused(
        k::dot_into(&s, &three, &four, &mut out),
        code,
        &lengths("dot: "),
    );
    let parts = [
        "transpose: ",
        "width * height has 6 elements",
        "input has 3",
    ];
    refused(k::transpose(&s, 3, 2, &three, &mut out), code, &parts);
    let parts = ["transpose: ", "width * height has 4 elements", "out has 3"];
    refused(
        k::transpose(&s, 2, 2, &four, &mut out.slice_mut(1..)),
        code,
        &parts,
    );
    same(&out.to_vec(&s).unwrap(), &before);

    let (picture, mut edges) = (upload(&s, &[0u8; 6]), garbage::<u8>(&s, 5));
    let parts = ["sobel: ", "width * height has 6 elements", "out has 5"];
    refused(k::sobel(&s, 3, 2, &picture, &mut edges), code, &parts);
    let parts = ["sobel: ", "width * height has 5 elements", "input has 6"];
    refused(k::sobel(&s, 5, 1, &picture, &mut edges), code, &parts);
}

#[test]
fn sizes_that_do_not_fit() {
    let s = Stream::new().unwrap();
    let (x, mut out) = (upload(&s, &[0u8; 6]), garbage::<u8>(&s, 6));
    let width = usize::MAX.to_string();
    refused(
        k::sobel(&s, usize::MAX, 2, &x, &mut out),
        INVALID_ARGUMENT,
        &["sobel: ", &width],
    );
}

#[test]
fn a_result_needs_room() {
    let s = Stream::new().unwrap();
    let x = upload(&s, &[1.0f64; 6]);
    let mut nothing = DeviceBuffer::<f64>::zeros(0).unwrap();
    refused(
        k::sum_into(&s, &x, &mut nothing),
        OUTPUT_TOO_SMALL,
        &["sum: ", "takes 1"],
    );
    refused(
        k::dot_into(&s, &x, &x, &mut nothing),
        OUTPUT_TOO_SMALL,
        &["dot: ", "takes 1"],
    );
}
