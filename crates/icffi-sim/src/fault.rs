//! Faults: a named call fails on demand.

use icffi_sys::cudaError;

/// A call that is to fail. Arm it with [`Session::fault`](crate::Session::fault).
///
/// ```
/// use icffi_sim::{Fault, Session};
/// use icffi_sys::{cudaError, cudaMalloc};
///
/// let session = Session::builder().start();
/// session.fault(Fault::nth("cudaMalloc", 2, cudaError::cudaErrorMemoryAllocation));
/// let (mut a, mut b) = (std::ptr::null_mut(), std::ptr::null_mut());
/// // SAFETY: both out-pointers are valid for a write.
/// unsafe {
///     assert_eq!(cudaMalloc(&mut a, 16), cudaError::cudaSuccess);
///     assert_eq!(cudaMalloc(&mut b, 16), cudaError::cudaErrorMemoryAllocation);
///     assert!(b.is_null());
///     icffi_sys::cudaFree(a);
/// }
/// ```
#[derive(Debug, Clone)]
pub struct Fault {
    pub(crate) function: String,
    pub(crate) nth: u64,
    pub(crate) code: cudaError,
    pub(crate) enqueued: bool,
    pub(crate) sticky: bool,
    pub(crate) times: u64,
    /// Calls of the function seen since the fault was armed.
    pub(crate) seen: u64,
}

impl Fault {
    /// The `n`-th call of `function` from now on (the next one is 1) returns `code` and has no
    /// other effect. The function `"*"` counts every call of any function.
    pub fn nth(function: &str, n: u64, code: cudaError) -> Fault {
        Fault {
            function: function.to_owned(),
            nth: n.max(1),
            code,
            enqueued: false,
            sticky: false,
            times: 1,
            seen: 0,
        }
    }

    /// The call returns the code although it did its work: CUDA may return the error of
    /// something older from a call that succeeded.
    #[must_use]
    pub fn enqueued(mut self) -> Fault {
        self.enqueued = true;
        self
    }

    /// From that call on, every call of the current device returns the code, until
    /// `cudaDeviceReset`.
    #[must_use]
    pub fn sticky(mut self) -> Fault {
        self.sticky = true;
        self
    }

    /// This many calls in a row fail.
    #[must_use]
    pub fn times(mut self, n: u64) -> Fault {
        self.times = n;
        self
    }

    /// Counts one call; whether that call fails.
    pub(crate) fn hits(&mut self, function: &str) -> bool {
        if self.function != function && self.function != "*" {
            return false;
        }
        self.seen += 1;
        self.seen >= self.nth && self.seen - self.nth < self.times
    }
}
