//! Says which waits were inserted, for people who wonder.

use crate::op::Op;
use std::sync::OnceLock;

/// One line to stderr for each inserted wait, if `ICFFI_TRACE_ORDER=1` was set when the first one
/// was.
pub(super) fn wait(op: Op, later: u64, earlier: u64) {
    static ON: OnceLock<bool> = OnceLock::new();
    if *ON.get_or_init(|| std::env::var_os("ICFFI_TRACE_ORDER").is_some_and(|v| v == "1")) {
        eprintln!(
            "icffi: {} at {}: stream #{later} waits for stream #{earlier}",
            op.name, op.location
        );
    }
}
