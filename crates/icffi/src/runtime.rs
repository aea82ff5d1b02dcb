//! Which CUDA runtime this program was linked with.

pub use icffi_sys::Runtime;

/// Which runtime is linked. Decided when the program was built, by the feature `sim` of the
/// package that makes it; never chosen at run time.
///
/// ```
/// assert_eq!(icffi::runtime(), icffi::Runtime::Simulator);
/// ```
#[must_use]
pub const fn runtime() -> Runtime {
    icffi_sys::RUNTIME
}
