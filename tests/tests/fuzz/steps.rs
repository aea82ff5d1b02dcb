//! Where a run is.

use icffi_sim::Policy;
use std::fmt::Display;

/// Counts the steps of one thread, and says where it was if it panics: that is what finds a
/// failing program again. To be dropped before what may wait, so that it is said in any case.
pub(crate) struct Steps {
    place: String,
    count: usize,
    trace: bool,
}

impl Steps {
    pub(crate) fn new(seed: u64, policy: Policy, part: impl Display) -> Self {
        Self {
            place: format!("seed {seed}, {policy}, {part}"),
            count: 0,
            trace: super::setting("ICFFI_FUZZ_TRACE", 0) != 0,
        }
    }

    pub(crate) fn begin(&mut self, what: impl Display) {
        self.count += 1;
        self.note(what);
    }

    /// More about the step.
    pub(crate) fn note(&self, what: impl Display) {
        if self.trace {
            println!("{}, step {}: {what}", self.place, self.count);
        }
    }
}

impl Drop for Steps {
    fn drop(&mut self) {
        if std::thread::panicking() {
            eprintln!("failed in step {} of {}", self.count, self.place);
        }
    }
}
