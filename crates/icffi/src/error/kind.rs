//! Families of failures.

use super::{codes, icffi_codes};

/// The family an error belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// An argument was wrong; nothing was enqueued.
    InvalidArgument,
    /// Two lengths differ; nothing was enqueued.
    LengthMismatch,
    /// Device or pinned memory ran out, or a size overflowed.
    OutOfMemory,
    /// A launch was refused: its shape, its resources, or no code for this GPU.
    Launch,
    /// No driver, no device, or versions that don't go together.
    Unavailable,
    /// Objects of different devices met.
    DeviceMismatch,
    /// The work is not finished yet.
    NotReady,
    /// The device or the driver can't do this.
    NotSupported,
    /// The call is forbidden here (inside a callback, during a capture).
    NotPermitted,
    /// The device's context is lost: every further call fails until the process ends.
    Sticky,
    /// Anything else CUDA reports.
    Other,
}

/// The errors after which CUDA's documentation says that the process has to be started anew.
pub(super) fn is_sticky(code: i32) -> bool {
    matches!(
        code,
        codes::ILLEGAL_ADDRESS
            | codes::LAUNCH_TIMEOUT
            | codes::LAUNCH_FAILURE
            | codes::ASSERT
            | codes::HARDWARE_STACK_ERROR
            | codes::ILLEGAL_INSTRUCTION
            | codes::MISALIGNED_ADDRESS
            | codes::INVALID_ADDRESS_SPACE
            | codes::INVALID_PC
            | codes::ECC_UNCORRECTABLE
            | codes::NVLINK_UNCORRECTABLE
            | codes::CONTEXT_IS_DESTROYED
            | codes::MPS_CLIENT_TERMINATED
            | codes::EXTERNAL_DEVICE
            | codes::CONTAINED
            | codes::TENSOR_MEMORY_LEAK
    )
}

pub(super) fn of(code: i32) -> ErrorKind {
    if is_sticky(code) {
        return ErrorKind::Sticky;
    }
    match code {
        icffi_codes::LENGTH_MISMATCH | icffi_codes::OUTPUT_TOO_SMALL => ErrorKind::LengthMismatch,
        icffi_codes::ALLOCATION_OVERFLOW
        | icffi_codes::ALLOCATION_NULL
        | codes::MEMORY_ALLOCATION => ErrorKind::OutOfMemory,
        icffi_codes::GRID_TOO_LARGE
        | codes::INVALID_CONFIGURATION
        | codes::LAUNCH_OUT_OF_RESOURCES
        | codes::NO_KERNEL_IMAGE_FOR_DEVICE
        | codes::INVALID_DEVICE_FUNCTION
        | codes::COOPERATIVE_LAUNCH_TOO_LARGE => ErrorKind::Launch,
        icffi_codes::DEVICE_MISMATCH => ErrorKind::DeviceMismatch,
        icffi_codes::POOLS_UNSUPPORTED | icffi_codes::ABI_MISMATCH | codes::NOT_SUPPORTED => {
            ErrorKind::NotSupported
        }
        icffi_codes::NOT_PERMITTED_IN_CALLBACK
        | icffi_codes::CAPTURE_ISOLATION
        | icffi_codes::CAPTURE_HOST_MEMORY
        | icffi_codes::CAPTURE_UNSUPPORTED
        | icffi_codes::BUSY
        | codes::NOT_PERMITTED
        | codes::STREAM_CAPTURE_UNSUPPORTED
        | codes::STREAM_CAPTURE_INVALIDATED
        | codes::STREAM_CAPTURE_ISOLATION
        | codes::STREAM_CAPTURE_IMPLICIT
        | codes::STREAM_CAPTURE_WRONG_THREAD => ErrorKind::NotPermitted,
        icffi_codes::INVALID_ARGUMENT
        | icffi_codes::EVENT_KIND_MISMATCH
        | codes::INVALID_VALUE
        | codes::INVALID_DEVICE
        | codes::INVALID_RESOURCE_HANDLE
        | codes::INVALID_MEMCPY_DIRECTION
        | codes::INVALID_PITCH_VALUE => ErrorKind::InvalidArgument,
        codes::NOT_READY => ErrorKind::NotReady,
        codes::NO_DEVICE
        | codes::INSUFFICIENT_DRIVER
        | codes::INITIALIZATION_ERROR
        | codes::SYSTEM_DRIVER_MISMATCH
        | codes::SYSTEM_NOT_READY
        | codes::DEVICES_UNAVAILABLE
        | codes::STUB_LIBRARY => ErrorKind::Unavailable,
        _ => ErrorKind::Other,
    }
}
