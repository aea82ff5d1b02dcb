//! Errors: the code, the operation, and the place in the caller's source.

pub mod codes;
pub mod icffi_codes;
mod kind;
mod make;

use std::borrow::Cow;
use std::ffi::CStr;
use std::fmt;
use std::panic::Location;

pub use kind::ErrorKind;
pub(crate) use make::*;

use crate::abi::LaunchParams;
use crate::op::Op;
use icffi_sys::cudaError_t;

/// The result of every fallible function here.
pub type Result<T, E = IcffiError> = std::result::Result<T, E>;

/// What went wrong, in which operation, called from where.
///
/// One pointer wide, so that a `Result<()>` stays in a register on the path that succeeds; the
/// text is made only when something failed.
///
/// ```
/// use icffi::{icffi_codes, memory::DeviceBuffer};
/// let error = DeviceBuffer::<u64>::alloc(usize::MAX).unwrap_err();
/// assert_eq!(error.code(), icffi_codes::ALLOCATION_OVERFLOW);
/// assert!(error.to_string().contains("DeviceBuffer::alloc"));
/// ```
#[derive(thiserror::Error)]
#[error("{0}")]
pub struct IcffiError(Box<Repr>);

impl fmt::Debug for IcffiError {
    /// As `Display`: `fn main() -> Result<()>` prints this, and a person reads it.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

struct Repr {
    code: i32,
    operation: Cow<'static, str>,
    message: String,
    location: &'static Location<'static>,
}

impl fmt::Display for Repr {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            f,
            "{}: {}, at {}",
            self.operation, self.message, self.location
        )
    }
}

impl IcffiError {
    /// An error of a library that wraps kernels: `code` is one of [`icffi_codes`], `operation`
    /// the name of the function that was called, and the place is the caller's.
    ///
    /// ```
    /// use icffi::{IcffiError, icffi_codes};
    /// let error = IcffiError::new(
    ///     icffi_codes::LENGTH_MISMATCH,
    ///     "add",
    ///     "LENGTH_MISMATCH: x has 3 elements, y has 4",
    /// );
    /// assert!(error.to_string().starts_with("add: LENGTH_MISMATCH: x has 3 elements"));
    /// ```
    #[cold]
    #[must_use]
    #[track_caller]
    pub fn new(
        code: i32,
        operation: impl Into<Cow<'static, str>>,
        message: impl Into<String>,
    ) -> Self {
        Self(Box::new(Repr {
            code,
            operation: operation.into(),
            message: message.into(),
            location: Location::caller(),
        }))
    }

    /// The number: one of [`codes`] if CUDA reported it (0 and up), one of [`icffi_codes`] if
    /// this crate did (negative).
    #[must_use]
    pub fn code(&self) -> i32 {
        self.0.code
    }

    /// The family of failures it belongs to, for a `match`.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        kind::of(self.0.code)
    }

    /// The operation that failed, as `Type::function`, or a kernel's name.
    #[must_use]
    pub fn operation(&self) -> &str {
        &self.0.operation
    }

    /// What is known about the failure, without operation and place.
    #[must_use]
    pub fn message(&self) -> &str {
        &self.0.message
    }

    /// Where the operation was called, in the caller's source.
    #[must_use]
    pub fn location(&self) -> &'static Location<'static> {
        self.0.location
    }

    /// Whether CUDA will answer every further call on this device with this error: the context
    /// is lost and only a new process helps.
    #[must_use]
    pub fn is_sticky(&self) -> bool {
        kind::is_sticky(self.0.code)
    }

    /// Whether this crate found the fault itself, before asking CUDA.
    #[must_use]
    pub fn is_icffi_error(&self) -> bool {
        self.0.code < 0
    }

    /// The symbolic name: `cudaErrorMemoryAllocation`, `LENGTH_MISMATCH`…
    #[must_use]
    pub fn name(&self) -> Cow<'static, str> {
        name_of(self.0.code)
    }
}

/// Turns a status of the CUDA runtime into a `Result`.
///
/// For raw calls made next to this crate. On any status but success CUDA's *last error* of the
/// calling thread is read and so cleared (sticky errors stay): the next launch that asks for it
/// hears of its own failures only.
///
/// # Errors
/// The status itself, if it is not `cudaSuccess`.
///
/// ```
/// use icffi::sys::cudaError;
/// assert!(icffi::check(cudaError::cudaSuccess).is_ok());
/// let error = icffi::check(cudaError::cudaErrorInvalidValue).unwrap_err();
/// assert_eq!(error.name(), "cudaErrorInvalidValue");
/// assert_eq!(error.location().file(), file!());
/// ```
#[track_caller]
#[inline]
pub fn check(code: cudaError_t) -> Result<()> {
    if code == icffi_sys::cudaError::cudaSuccess {
        return Ok(());
    }
    Err(from_cuda(Op::new("check"), "a CUDA call", code))
}

/// Turns the status that a kernel wrapper returned into a `Result` which names the kernel and
/// its launch shape.
///
/// # Errors
/// The status itself, if it is not `cudaSuccess` (0).
///
/// ```
/// use icffi::{abi::LaunchParams, error::check_kernel, stream::Stream};
/// let stream = Stream::new()?;
/// let params = LaunchParams::new_1d(3, 256, stream.raw());
/// let error = check_kernel(icffi::codes::INVALID_CONFIGURATION, "axpy", &params).unwrap_err();
/// assert!(error.to_string().contains("kernel axpy"));
/// assert!(error.message().contains("grid 3 x 1 x 1"));
/// # Ok::<(), icffi::IcffiError>(())
/// ```
#[track_caller]
#[inline]
pub fn check_kernel(code: i32, kernel: &str, params: &LaunchParams) -> Result<()> {
    if code == codes::SUCCESS {
        return Ok(());
    }
    Err(kernel_failure(code, kernel, params, Location::caller()))
}

fn name_of(code: i32) -> Cow<'static, str> {
    if code < 0 {
        return Cow::Borrowed(icffi_codes::name(code));
    }
    Cow::Owned(c_text(CudaText::Name, code))
}

enum CudaText {
    Name,
    Description,
}

#[expect(unsafe_code, reason = "reads the runtime's static strings")]
fn c_text(which: CudaText, code: i32) -> String {
    let code = icffi_sys::cudaError(code as _);
    // SAFETY: both functions take any value and return a string with static lifetime, or null
    // (CUDA Runtime API 13.0, section 6.2 "Error Handling").
    let text = unsafe {
        match which {
            CudaText::Name => icffi_sys::cudaGetErrorName(code),
            CudaText::Description => icffi_sys::cudaGetErrorString(code),
        }
    };
    if text.is_null() {
        return "unknown".to_owned();
    }
    // SAFETY: not null, so it is one of the runtime's nul-terminated static strings.
    unsafe { CStr::from_ptr(text) }
        .to_string_lossy()
        .into_owned()
}
