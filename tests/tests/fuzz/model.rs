//! The model on the CPU: what has to be in every buffer.

use icffi::Result;

/// Buffers are written by quarters of this many elements.
pub(crate) const QUARTER: usize = 64;

pub(crate) const LEN: usize = 4 * QUARTER;

/// The value of each quarter of a buffer. None is known of what a failed operation may have
/// written: it may have done so or not.
pub(crate) type Contents = [Option<u32>; 4];

pub(crate) const UNKNOWN: Contents = [None; 4];

/// The elements of a quarter.
pub(crate) fn range(quarter: usize) -> std::ops::Range<usize> {
    quarter * QUARTER..(quarter + 1) * QUARTER
}

/// What an operation does, on a stream or in a graph. Buffers are named by their place in the
/// model, which outlives them: a graph goes on with the memory of a buffer that is gone.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Effect {
    Fill {
        to: (usize, usize),
        value: u32,
        by_kernel: bool,
    },
    Copy {
        from: (usize, usize),
        to: (usize, usize),
    },
    /// From pinned memory, all of it.
    Upload { pinned: usize, to: usize },
    /// Into pinned memory, all of it.
    Download { from: usize, pinned: usize },
}

#[derive(Default)]
pub(crate) struct Model {
    pub(crate) buffers: Vec<Contents>,
    /// The pinned memory that graphs own.
    pub(crate) pinned: Vec<Contents>,
}

impl Model {
    /// A new buffer in the model.
    pub(crate) fn add_buffer(&mut self, contents: Contents) -> usize {
        self.buffers.push(contents);
        self.buffers.len() - 1
    }

    /// New pinned memory in the model.
    pub(crate) fn add_pinned(&mut self, contents: Contents) -> usize {
        self.pinned.push(contents);
        self.pinned.len() - 1
    }

    /// The operations have been asked for, with this outcome, which is returned.
    pub(crate) fn follow(&mut self, effects: &[Effect], outcome: Result<()>) -> Result<()> {
        for effect in effects {
            match *effect {
                Effect::Fill { to, value, .. } => self.buffers[to.0][to.1] = Some(value),
                Effect::Copy { from, to } => {
                    self.buffers[to.0][to.1] = self.buffers[from.0][from.1];
                }
                Effect::Upload { pinned, to } => self.buffers[to] = self.pinned[pinned],
                Effect::Download { from, pinned } => self.pinned[pinned] = self.buffers[from],
            }
        }
        if outcome.is_err() {
            self.doubt(effects);
        }
        outcome
    }

    /// These have failed, and may have happened all the same.
    fn doubt(&mut self, effects: &[Effect]) {
        for effect in effects {
            match *effect {
                Effect::Fill { to, .. } | Effect::Copy { to, .. } => {
                    self.buffers[to.0][to.1] = None;
                }
                Effect::Upload { to, .. } => self.buffers[to] = UNKNOWN,
                Effect::Download { pinned, .. } => self.pinned[pinned] = UNKNOWN,
            }
        }
    }
}

/// Every known quarter is as the model has it.
#[track_caller]
pub(crate) fn assert_contents(got: &[u32], want: Contents) {
    assert_eq!(got.len(), LEN);
    for (i, got) in got.iter().enumerate() {
        if let Some(value) = want[i / QUARTER] {
            assert_eq!(*got, value, "element {i}; the quarters are {want:?}");
        }
    }
}
