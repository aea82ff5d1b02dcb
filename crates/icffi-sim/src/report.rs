//! What the simulator saw that a program must not do.

use std::fmt;
use std::ops::Range;

/// The class of an illegal thing.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ReportKind {
    /// An operation reached memory whose free had taken effect.
    UseAfterFree,
    /// An operation reached pool memory before the stream of its allocation got there.
    UseBeforeAllocation,
    /// A range passes the end of its allocation.
    OutOfBounds,
    /// Memory that this device cannot reach.
    WrongDevice,
    /// A pointer that is no memory of the kind the operation needs.
    NotDeviceMemory,
    /// Memory freed a second time.
    DoubleFree,
    /// A free of something that was never allocated that way.
    InvalidFree,
    /// Bytes beside an allocation were overwritten.
    OutOfBoundsWrite,
    /// Bytes of freed memory were overwritten.
    FreedMemoryWritten,
    /// A simulated kernel ended by a panic.
    KernelPanic,
    /// A stream or event that was never created, or was destroyed.
    InvalidHandle,
    /// An executable graph was destroyed while a launch of it was not over.
    GraphInUse,
    /// A host function was still running when the simulator was reset.
    CallbackStuck,
}

impl ReportKind {
    fn text(self) -> &'static str {
        match self {
            ReportKind::UseAfterFree => "use after free",
            ReportKind::UseBeforeAllocation => "use before allocation",
            ReportKind::OutOfBounds => "out of bounds",
            ReportKind::WrongDevice => "memory of another device",
            ReportKind::NotDeviceMemory => "not device memory",
            ReportKind::DoubleFree => "double free",
            ReportKind::InvalidFree => "invalid free",
            ReportKind::OutOfBoundsWrite => "write beside an allocation",
            ReportKind::FreedMemoryWritten => "freed memory written",
            ReportKind::KernelPanic => "kernel panicked",
            ReportKind::InvalidHandle => "invalid handle",
            ReportKind::GraphInUse => "graph in use",
            ReportKind::CallbackStuck => "host function never returned",
        }
    }
}

/// One illegal thing, with the function that did it and the bytes concerned.
#[derive(Debug, Clone, PartialEq, Eq)]
#[non_exhaustive]
pub struct Report {
    /// Its class.
    pub kind: ReportKind,
    /// The C function of the operation, or the kernel's name.
    pub function: String,
    /// The addresses concerned; empty where there are none.
    pub range: Range<usize>,
    /// The stream of the operation, as the simulator numbers them.
    pub stream: Option<String>,
    /// What happened to whom, in words.
    pub detail: String,
    /// The seed of the schedule that led here.
    pub seed: u64,
}

impl fmt::Display for Report {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.kind.text(), self.function)?;
        if let Some(stream) = &self.stream {
            write!(f, " on {stream}")?;
        }
        if !self.range.is_empty() {
            write!(
                f,
                ", {:#x}..{:#x} ({} bytes)",
                self.range.start,
                self.range.end,
                self.range.len()
            )?;
        }
        write!(f, ": {} (seed {})", self.detail, self.seed)
    }
}
