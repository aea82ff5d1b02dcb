//! The uses of one range of bytes, and a list of such ranges.

use super::{Mode, Use, scope};
use crate::error::Result;
use crate::op::Op;
use crate::stream::Stream;
use std::ops::Range;

/// Above this many readers, those that are over are dropped.
const READERS_KEPT: usize = 8;

/// Above this many ranges, neighbours in the same state are joined and those that are over are
/// dropped.
const RANGES_KEPT: usize = 64;

/// # Invariants
/// 1. `write` is ordered before every one of `reads`, on the device.
/// 2. Every stream occurs at most once in `reads` (per-thread streams excepted).
#[derive(Clone, Debug, Default)]
pub(super) struct Uses {
    pub(super) write: Option<Use>,
    pub(super) reads: Vec<Use>,
}

impl Uses {
    /// Makes `stream` wait for what conflicts with `mode`; changes nothing else.
    fn order(&mut self, op: Op, stream: &Stream, mode: Mode) -> Result<()> {
        if scope::is_assumed() {
            return Ok(());
        }
        if mode == Mode::Read {
            if self.reads.iter().any(|r| r.stream().is(stream)) {
                // It waited for the write when it first read (invariant 1).
                return Ok(());
            }
            return self
                .write
                .as_mut()
                .map_or(Ok(()), |w| w.order_before(op, stream));
        }
        if self.reads.is_empty() {
            return self
                .write
                .as_mut()
                .map_or(Ok(()), |w| w.order_before(op, stream));
        }
        // Waiting for the readers is waiting for the write before them (invariant 1).
        self.reads
            .iter_mut()
            .try_for_each(|read| read.order_before(op, stream))
    }

    /// After [`order`](Self::order) has succeeded.
    fn register(&mut self, op: Op, stream: &Stream, mode: Mode, ticket: u64) {
        match mode {
            Mode::Read => {
                if let Some(known) = self.reads.iter_mut().find(|r| r.stream().is(stream)) {
                    return known.renew(ticket);
                }
                if self.reads.len() >= READERS_KEPT {
                    // One that can't be asked stays.
                    self.reads.retain(|r| !matches!(r.done(op), Ok(true)));
                }
                self.reads.push(Use::ticketed(stream, ticket));
            }
            Mode::Write => {
                self.reads.clear();
                match &mut self.write {
                    Some(write) if write.stream().is(stream) => write.renew(ticket),
                    write => *write = Some(Use::ticketed(stream, ticket)),
                }
            }
        }
    }

    /// All that may not be over.
    pub(super) fn into_all(self) -> Vec<Use> {
        let mut all = self.reads;
        if all.is_empty() {
            all.extend(self.write);
        }
        all
    }

    fn absorb(&mut self, other: &Self) -> bool {
        if !self.reads.is_empty() || !other.reads.is_empty() {
            return false;
        }
        match (&mut self.write, &other.write) {
            (None, None) => true,
            (Some(mine), Some(theirs)) => mine.absorb(theirs),
            _ => false,
        }
    }

    fn is_over(&self, op: Op) -> bool {
        self.write
            .iter()
            .chain(&self.reads)
            .all(|one| matches!(one.done(op), Ok(true)))
    }
}

/// Disjoint ranges in ascending order; what lies in no range was never used. Views cut it at
/// their bounds, so that disjoint views on different streams don't wait for each other.
#[derive(Debug, Default)]
pub(crate) struct Segments(Vec<(Range<usize>, Uses)>);

impl Segments {
    pub(super) fn with(range: Range<usize>, uses: Uses) -> Self {
        Self(vec![(range, uses)])
    }

    /// Orders a use of `range` behind what conflicts with it, then registers it under a ticket
    /// that `ticket` makes, and returns that. After an error nothing is registered.
    pub(crate) fn acquire(
        &mut self,
        op: Op,
        stream: &Stream,
        mode: Mode,
        range: &Range<usize>,
        ticket: impl FnOnce() -> u64,
    ) -> Result<u64> {
        // A whole buffer used as a whole: one range, no cut.
        if let [(only, uses)] = self.0.as_mut_slice() {
            if only == range {
                uses.order(op, stream, mode)?;
                let ticket = ticket();
                uses.register(op, stream, mode, ticket);
                return Ok(ticket);
            }
        }
        self.cut(range.start);
        self.cut(range.end);
        for (_, uses) in self.within(range) {
            uses.order(op, stream, mode)?;
        }
        let ticket = ticket();
        match mode {
            Mode::Write => {
                // One write stands for all that was there.
                let at = self.0.partition_point(|(r, _)| r.end <= range.start);
                let upto = self.0.partition_point(|(r, _)| r.start < range.end);
                let mut uses = Uses::default();
                uses.register(op, stream, mode, ticket);
                self.0.splice(at..upto, [(range.clone(), uses)]);
            }
            Mode::Read => {
                self.fill_gaps(range);
                for (_, uses) in self.within(range) {
                    uses.register(op, stream, mode, ticket);
                }
            }
        }
        if self.0.len() > RANGES_KEPT {
            self.tidy(op);
        }
        Ok(ticket)
    }

    /// The ranges inside `range`, at whose ends the list has been cut.
    pub(super) fn within(
        &mut self,
        range: &Range<usize>,
    ) -> impl Iterator<Item = &mut (Range<usize>, Uses)> {
        let (start, end) = (range.start, range.end);
        self.0
            .iter_mut()
            .filter(move |(r, _)| start <= r.start && r.end <= end)
    }

    pub(super) fn all(&mut self) -> impl Iterator<Item = &mut Uses> {
        self.0.iter_mut().map(|(_, uses)| uses)
    }

    pub(super) fn take(&mut self) -> Vec<Use> {
        std::mem::take(&mut self.0)
            .into_iter()
            .flat_map(|(_, uses)| uses.into_all())
            .collect()
    }

    fn cut(&mut self, at: usize) {
        let Some(i) = self.0.iter().position(|(r, _)| r.start < at && at < r.end) else {
            return;
        };
        let (range, uses) = &mut self.0[i];
        let upper = (at..range.end, uses.clone());
        range.end = at;
        self.0.insert(i + 1, upper);
    }

    fn fill_gaps(&mut self, range: &Range<usize>) {
        let mut at = range.start;
        let mut i = self.0.partition_point(|(r, _)| r.end <= range.start);
        while at < range.end {
            let next = self
                .0
                .get(i)
                .map_or(range.end, |(r, _)| r.start.min(range.end));
            if at < next {
                self.0.insert(i, (at..next, Uses::default()));
            }
            at = self.0[i].0.end;
            i += 1;
        }
    }

    fn tidy(&mut self, op: Op) {
        self.0.dedup_by(|(next, theirs), (range, uses)| {
            let joined = range.end == next.start && uses.absorb(theirs);
            if joined {
                range.end = next.end;
            }
            joined
        });
        if self.0.len() > RANGES_KEPT {
            self.0.retain(|(_, uses)| !uses.is_over(op));
        }
    }
}
