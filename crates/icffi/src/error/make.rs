//! The constructors of every error this crate raises, so that one fault has one wording.

use std::borrow::Cow;
use std::panic::Location;

use super::{CudaText, IcffiError, Repr, c_text, codes, icffi_codes};
use crate::abi::LaunchParams;
use crate::op::Op;
use icffi_sys::cudaError_t;

#[cold]
pub(crate) fn new(op: Op, code: i32, message: String) -> IcffiError {
    IcffiError(Box::new(Repr {
        code,
        operation: Cow::Borrowed(op.name),
        message,
        location: op.location,
    }))
}

fn describe(code: i32) -> String {
    format!(
        "{} ({code}): {}",
        c_text(CudaText::Name, code),
        c_text(CudaText::Description, code)
    )
}

/// A CUDA call failed. Clears the thread's last error (row 17 of the soundness table).
#[cold]
pub(crate) fn from_cuda(op: Op, call: &str, code: cudaError_t) -> IcffiError {
    crate::rt::drain_last_error();
    let code = code.0 as i32;
    let mut message = format!("{call} returned {}", describe(code));
    if code == codes::INSUFFICIENT_DRIVER {
        message.push_str(
            "; there is no NVIDIA driver on this machine, or one older than this CUDA runtime \
             needs",
        );
    }
    if super::kind::is_sticky(code) {
        message.push_str(
            "; the device's context is lost for this process (the fault may be an earlier \
             kernel's)",
        );
    }
    new(op, code, message)
}

#[cold]
pub(super) fn kernel_failure(
    code: i32,
    kernel: &str,
    p: &LaunchParams,
    location: &'static Location<'static>,
) -> IcffiError {
    crate::rt::drain_last_error();
    let message = format!(
        "launch returned {}; grid {} x {} x {}, block {} x {} x {}, {} bytes of dynamic shared \
         memory",
        describe(code),
        p.grid_x,
        p.grid_y,
        p.grid_z,
        p.block_x,
        p.block_y,
        p.block_z,
        p.shared_mem_bytes
    );
    IcffiError(Box::new(Repr {
        code,
        operation: Cow::Owned(format!("kernel {kernel}")),
        message,
        location,
    }))
}

#[cold]
pub(crate) fn length_mismatch(op: Op, what: (&str, usize), other: (&str, usize)) -> IcffiError {
    new(
        op,
        icffi_codes::LENGTH_MISMATCH,
        format!(
            "LENGTH_MISMATCH: the {} has {} elements, the {} has {}",
            what.0, what.1, other.0, other.1
        ),
    )
}

#[cold]
pub(crate) fn overflow(op: Op, len: usize, element: usize) -> IcffiError {
    new(
        op,
        icffi_codes::ALLOCATION_OVERFLOW,
        format!(
            "ALLOCATION_OVERFLOW: {len} elements of {element} bytes are more than isize::MAX bytes"
        ),
    )
}

#[cold]
pub(crate) fn null(op: Op, call: &str, bytes: usize) -> IcffiError {
    new(
        op,
        icffi_codes::ALLOCATION_NULL,
        format!("ALLOCATION_NULL: {call} reported success for {bytes} bytes but returned null"),
    )
}

#[cold]
pub(crate) fn out_of_memory(
    op: Op,
    bytes: usize,
    device: Option<i32>,
    e: IcffiError,
) -> IcffiError {
    let place = match device {
        Some(ordinal) => format!("on device {ordinal}"),
        None => "of pinned host memory".to_owned(),
    };
    new(
        op,
        e.code(),
        format!("{}; {bytes} bytes asked for {place}", e.message()),
    )
}

#[cold]
pub(crate) fn device_mismatch(op: Op, what: (&str, i32), other: (&str, i32)) -> IcffiError {
    new(
        op,
        icffi_codes::DEVICE_MISMATCH,
        format!(
            "DEVICE_MISMATCH: the {} is on device {}, the {} on device {}",
            what.0, what.1, other.0, other.1
        ),
    )
}

#[cold]
pub(crate) fn invalid(op: Op, message: impl Into<String>) -> IcffiError {
    new(
        op,
        icffi_codes::INVALID_ARGUMENT,
        format!("INVALID_ARGUMENT: {}", message.into()),
    )
}

#[cold]
pub(crate) fn pools_unsupported(op: Op, device: i32) -> IcffiError {
    new(
        op,
        icffi_codes::POOLS_UNSUPPORTED,
        format!(
            "POOLS_UNSUPPORTED: device {device} has no memory pools, which stream-ordered \
             allocation needs; use the blocking form of this function"
        ),
    )
}

#[cold]
pub(crate) fn in_callback(op: Op) -> IcffiError {
    new(
        op,
        icffi_codes::NOT_PERMITTED_IN_CALLBACK,
        "NOT_PERMITTED_IN_CALLBACK: CUDA forbids its own calls inside a host callback; signal \
         another thread and call there"
            .to_owned(),
    )
}

#[cold]
pub(crate) fn grid_too_large(op: Op, blocks: u128, limit: u64) -> IcffiError {
    new(
        op,
        icffi_codes::GRID_TOO_LARGE,
        format!(
            "GRID_TOO_LARGE: {blocks} blocks, the limit is {limit}; use more threads a block or \
             a grid-stride loop"
        ),
    )
}

#[cold]
pub(crate) fn event_kind(op: Op) -> IcffiError {
    new(
        op,
        icffi_codes::EVENT_KIND_MISMATCH,
        "EVENT_KIND_MISMATCH: elapsed time needs two events of EventKind::Timed; one was made \
         for ordering only"
            .to_owned(),
    )
}

#[cold]
pub(crate) fn capture_isolation(op: Op, message: &str) -> IcffiError {
    new(
        op,
        icffi_codes::CAPTURE_ISOLATION,
        format!("CAPTURE_ISOLATION: {message}"),
    )
}

#[cold]
pub(crate) fn capture_host_memory(op: Op) -> IcffiError {
    new(
        op,
        icffi_codes::CAPTURE_HOST_MEMORY,
        "CAPTURE_HOST_MEMORY: a graph would keep the address of this host memory but not the \
         memory; give a pinned buffer to the capture with CaptureStream::adopt, or copy before \
         the capture"
            .to_owned(),
    )
}

#[cold]
pub(crate) fn capture_unsupported(op: Op, message: &str) -> IcffiError {
    new(
        op,
        icffi_codes::CAPTURE_UNSUPPORTED,
        format!("CAPTURE_UNSUPPORTED: {message}"),
    )
}

#[cold]
pub(crate) fn busy(op: Op) -> IcffiError {
    new(
        op,
        icffi_codes::BUSY,
        "BUSY: another thread has registered a use of this memory and not launched it for \
         seconds; a descriptor made by input() or output() was kept or forgotten"
            .to_owned(),
    )
}

#[cold]
pub(crate) fn owned_by_graph(op: Op) -> IcffiError {
    new(
        op,
        icffi_codes::BUSY,
        "BUSY: a graph that captured the buffer owns the memory too; drop the graph and what was \
         instantiated from it first"
            .to_owned(),
    )
}

#[cold]
pub(crate) fn forked(op: Op) -> IcffiError {
    new(
        op,
        icffi_codes::FORKED,
        "FORKED: this process was forked from one that had used CUDA, and CUDA does not work in \
         the child; fork (or better, spawn) before the first CUDA call"
            .to_owned(),
    )
}

#[cold]
pub(crate) fn panicked(op: Op) -> IcffiError {
    new(
        op,
        icffi_codes::PANICKED,
        "PANICKED: a destructor or deleter of the caller's panicked while parked memory was released"
            .to_owned(),
    )
}
