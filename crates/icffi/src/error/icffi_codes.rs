//! The codes of faults that this crate finds itself. All are negative, so that they never meet
//! one of CUDA's.

macro_rules! codes {
    ($($(#[$doc:meta])* $name:ident = $value:literal;)*) => {
        $($(#[$doc])* pub const $name: i32 = $value;)*

        pub(super) fn name(code: i32) -> &'static str {
            match code {
                $($name => stringify!($name),)*
                _ => "unknown icffi code",
            }
        }
    };
}

codes! {
    /// An argument can't be right whatever the state of the device.
    INVALID_ARGUMENT = -1;
    /// Two lengths that have to be equal are not.
    LENGTH_MISMATCH = -2;
    /// A length times the element's size does not fit.
    ALLOCATION_OVERFLOW = -3;
    /// CUDA reported success but returned no memory.
    ALLOCATION_NULL = -4;
    /// An output is shorter than what has to be written to it.
    OUTPUT_TOO_SMALL = -5;
    /// More blocks than the device's grid can hold.
    GRID_TOO_LARGE = -6;
    /// An event that was not made for timing was asked for a time.
    EVENT_KIND_MISMATCH = -7;
    /// Two objects of different devices met in one operation.
    DEVICE_MISMATCH = -8;
    /// The device has no memory pools, so it can't allocate in stream order.
    POOLS_UNSUPPORTED = -9;
    /// A call that CUDA forbids inside a host callback.
    NOT_PERMITTED_IN_CALLBACK = -10;
    /// A compiled kernel library and this crate disagree on the version of the kernel ABI.
    ABI_MISMATCH = -11;
    /// Work of a capture and work outside met: an event of one waited for in the other, a
    /// captured stream used by another thread or after its end, memory written in a capture used
    /// eagerly while it lasts.
    CAPTURE_ISOLATION = -12;
    /// Host memory that a graph would not own was to be captured.
    CAPTURE_HOST_MEMORY = -13;
    /// The operation can't be recorded in a capture, or not made while one lasts.
    CAPTURE_UNSUPPORTED = -14;
    /// Another thread keeps a use of the memory registered without launching it.
    BUSY = -15;
    /// The process was forked from one that had used CUDA, which CUDA does not survive.
    FORKED = -16;
    /// Code of the caller's (a destructor, a deleter) panicked where the panic can't be passed on.
    PANICKED = -17;
}
