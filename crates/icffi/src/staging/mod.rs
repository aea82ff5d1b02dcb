//! Pinned memory of the library's own, through which plain slices travel.
//!
//! The device's copy engine never touches a caller's slice: a borrow ends when a function
//! returns or a guard is forgotten, a transfer does not. So data for the device is copied here
//! before the call returns, and data from the device lands here before it is copied out. The
//! memory is kept for reuse, since making pinned memory takes about a millisecond per MiB.
//!
//! The total is bounded by [`set_limit`]. An upload that finds the bound reached waits for the
//! oldest transfer in flight, whichever stream it is on; a guarded download is done at once
//! instead (see [`Transfer::was_synchronous`](crate::transfer::Transfer::was_synchronous)). Where
//! that matters, or where the stream waits for something only this thread can do, use a
//! [`HostBuffer`](crate::host_memory::HostBuffer), which needs no staging.

mod block;
mod download;
mod pool;
mod rows;
mod upload;

pub(crate) use download::{Landed, download, download_guarded};
pub(crate) use rows::{Rows, download_rows, upload_rows};
pub(crate) use upload::upload;

use crate::error::Result;
use crate::op::Op;
use crate::retire;

/// What the staging memory holds, in bytes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct StagingStatistics {
    /// Pinned in all.
    pub total_bytes: usize,
    /// Ready for reuse.
    pub idle_bytes: usize,
    /// The bound on the total.
    pub limit_bytes: usize,
}

/// How much pinned memory the staging holds now.
///
/// ```
/// let s = icffi::staging::statistics();
/// assert!(s.idle_bytes <= s.total_bytes);
/// ```
#[must_use]
pub fn statistics() -> StagingStatistics {
    pool::statistics()
}

/// Bounds the pinned memory that staging takes, in bytes; 256 MiB at first. Lowering it frees
/// nothing by itself. Transfers larger than the bound still work: they go through in pieces.
///
/// ```
/// icffi::staging::set_limit(64 << 20);
/// assert_eq!(icffi::staging::statistics().limit_bytes, 64 << 20);
/// # icffi::staging::set_limit(256 << 20);
/// ```
pub fn set_limit(bytes: usize) {
    pool::set_limit(bytes);
}

/// Pins memory ahead of the transfers that will need it, at least `bytes` in all, so that none
/// of them pays for it. Blocks the CPU; may synchronize the device.
///
/// # Errors
/// `INVALID_ARGUMENT` above the bound set by [`set_limit`]; `cudaErrorMemoryAllocation` if the
/// system refuses to pin so much.
///
/// ```
/// icffi::staging::reserve(8 << 20)?;
/// assert!(icffi::staging::statistics().total_bytes >= 8 << 20);
/// # Ok::<(), icffi::IcffiError>(())
/// ```
#[track_caller]
pub fn reserve(bytes: usize) -> Result<()> {
    pool::reserve(Op::new("staging::reserve"), bytes)
}

/// Frees the staging memory that is not in use. Blocks the CPU; may synchronize the device.
///
/// ```
/// icffi::staging::trim();
/// ```
#[track_caller]
pub fn trim() {
    retire::sweep();
    trim_in(Op::new("staging::trim"));
}

pub(crate) fn trim_in(op: Op) {
    pool::trim(op);
}
