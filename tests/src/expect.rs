//! Checks of errors: code, operation, text, and the place in the test's own file.

use icffi::{IcffiError, Result, icffi_codes};

/// The error of `result`, which has to have this code, name this operation, say these words, and
/// point at the calling test's file.
#[track_caller]
pub fn expect_error<T>(
    result: Result<T>,
    code: i32,
    operation: &str,
    file: &str,
    says: &[&str],
) -> IcffiError {
    let Err(error) = result else {
        panic!("{operation} succeeded where error {code} was due");
    };
    let text = error.to_string();
    assert_eq!(error.code(), code, "{text}");
    assert_eq!(error.operation(), operation, "{text}");
    assert_eq!(error.location().file(), file, "{text}");
    assert_eq!(error.is_icffi_error(), code < 0, "{text}");
    assert!(text.starts_with(operation), "{text}");
    assert!(
        text.contains(&format!("{file}:{}:", error.location().line())),
        "{text}"
    );
    assert!(text.contains(&*error.name()), "{text}");
    for words in says {
        assert!(text.contains(words), "no {words:?} in: {text}");
    }
    error
}

/// The same for unequal lengths: both have to be named.
#[track_caller]
pub fn expect_length_mismatch<T>(
    result: Result<T>,
    operation: &str,
    file: &str,
    lengths: (usize, usize),
) {
    let (one, other) = (
        format!("has {} elements", lengths.0),
        format!("has {}", lengths.1),
    );
    let code = icffi_codes::LENGTH_MISMATCH;
    let error = expect_error(result, code, operation, file, &[&one]);
    assert!(error.message().ends_with(&other), "no {other:?}: {error}");
}
