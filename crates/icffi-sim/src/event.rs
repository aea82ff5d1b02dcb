//! Events: marks in streams, with the time at which they were passed.

use std::time::Duration;

use crate::graph::CaptureId;
use crate::sched::OpId;

/// One event.
#[derive(Debug, Clone)]
pub(crate) struct Event {
    pub(crate) device: usize,
    pub(crate) flags: u32,
    /// The latest record, if there was one.
    pub(crate) record: Option<Record>,
    /// The latest record was captured.
    pub(crate) captured: Option<Marks>,
}

/// What an event stands for that was recorded in a capture.
#[derive(Debug, Clone)]
pub(crate) struct Marks {
    pub(crate) capture: CaptureId,
    /// Positions in the graph of that capture.
    pub(crate) nodes: Vec<usize>,
}

/// One record of an event.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Record {
    pub(crate) op: OpId,
    /// When the stream got there, since the machine was made.
    pub(crate) at: Option<Duration>,
}

impl Event {
    pub(crate) fn new(device: usize, flags: u32) -> Event {
        Event {
            device,
            flags,
            record: None,
            captured: None,
        }
    }

    /// The stream passed the record that was operation `op`. A later record has replaced an
    /// older one.
    pub(crate) fn reached(&mut self, op: OpId, now: Duration) {
        if let Some(record) = &mut self.record {
            if record.op == op {
                record.at = Some(now);
            }
        }
    }
}
