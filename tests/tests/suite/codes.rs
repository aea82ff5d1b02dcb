//! Row 22: a code that these bindings don't know is a value like any other.

use icffi_sys::cudaError;

#[test]
fn row22_codes_of_a_newer_driver_are_values() {
    // It is a struct around the number, so no number is undefined behaviour.
    let status = cudaError(424_242);
    let error = icffi::check(status).unwrap_err();
    assert_eq!(error.code(), 424_242);
    assert!(error.to_string().contains("424242"), "{error}");
    assert!(!error.is_icffi_error());
}
