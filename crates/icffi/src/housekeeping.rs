//! Giving cached memory and handles back.

use crate::op::Op;
use crate::{device, retire, rt, staging};

/// Gives back all that this crate keeps for reuse: idle staging memory, pooled events, its own
/// streams, and memory parked for later release that the device has finished with. What is in
/// use stays. Blocks the CPU; may synchronize the device.
///
/// For programs that want to see no allocation left: a leak checker at the end, a test, a
/// service that goes idle. Errors go to [`Device::take_deferred_error`].
///
/// [`Device::take_deferred_error`]: device::Device::take_deferred_error
///
/// ```
/// icffi::trim_all();
/// assert_eq!(icffi::staging::statistics().idle_bytes, 0);
/// ```
#[track_caller]
pub fn trim_all() {
    if rt::in_callback() {
        return;
    }
    let op = Op::new("trim_all");
    retire::sweep();
    staging::trim_in(op);
    device::forget_all(op);
}
