//! The status code as Rust code wants to see it. No policy: nothing is read, reset or printed.

use crate::{cudaError, cudaError_t};

impl cudaError {
    /// Whether this is `cudaSuccess`.
    #[inline]
    pub const fn is_success(self) -> bool {
        self.0 == cudaError::cudaSuccess.0
    }

    /// The number, in the type that C's `int` has. Codes of a newer driver are kept as they are.
    #[inline]
    pub const fn code(self) -> i32 {
        self.0 as i32
    }

    /// The status with this number, known to these bindings or not.
    #[inline]
    pub const fn from_code(code: i32) -> cudaError_t {
        cudaError(code as _)
    }

    /// `Ok` for `cudaSuccess`, otherwise the code itself.
    #[inline]
    pub const fn ok(self) -> Result<(), cudaError_t> {
        if self.is_success() { Ok(()) } else { Err(self) }
    }
}

#[cfg(test)]
mod tests {
    use crate::*;

    #[test]
    fn known_and_unknown_codes_survive() {
        assert_eq!(cudaError::cudaSuccess.ok(), Ok(()));
        let oom = cudaError::cudaErrorMemoryAllocation;
        assert_eq!((oom.ok(), oom.code()), (Err(oom), 2));
        let newer = cudaError::from_code(54_321);
        assert_eq!((newer.code(), newer.is_success()), (54_321, false));
    }
}
