//! What a program does with graphs.

use crate::buffers::{Buffer, enqueue, random_copy, random_fill};
use crate::model::{Effect, LEN, Model, UNKNOWN, assert_contents};
use crate::program::Program;
use icffi::Result;
use icffi::graph::{GraphHostBuffer, GraphUpdate};
use icffi::prelude::*;
use rand::Rng;
use rand::rngs::StdRng;
use std::rc::Rc;

/// No more graphs than these are captured, so that their executables are used often.
const MOST: usize = 6;

/// Pinned memory of a graph, and its place in the model.
struct Pinned {
    memory: GraphHostBuffer<u32>,
    id: usize,
}

/// What a graph does, and the memory that it owns.
#[derive(Default)]
struct Captured {
    effects: Vec<Effect>,
    pinned: Vec<Pinned>,
}

struct Executable {
    exec: GraphExec,
    captured: Rc<Captured>,
}

#[derive(Default)]
pub(crate) struct Graphs {
    graphs: Vec<(Graph, Rc<Captured>)>,
    executables: Vec<Executable>,
}

/// A capture in progress.
struct Recording<'a> {
    rng: &'a mut StdRng,
    model: &'a mut Model,
    buffers: &'a mut [Buffer],
    captured: Captured,
}

impl Recording<'_> {
    /// A few operations on random branches, which are ordered only where they touch.
    fn record(&mut self, root: &CaptureStream) -> Result<()> {
        let mut forks = Vec::new();
        for _ in 0..self.rng.random_range(1..6) {
            if self.rng.random_range(0..3) == 0 {
                let fork = self.branch(root, &forks).fork()?;
                forks.push(fork);
            }
            let branch = self.branch(root, &forks);
            let effect = self.operation(branch)?;
            self.captured.effects.push(effect);
        }
        Ok(())
    }

    fn branch<'c>(
        &mut self,
        root: &'c CaptureStream,
        forks: &'c [CaptureStream],
    ) -> &'c CaptureStream {
        let i = self.rng.random_range(0..=forks.len());
        forks.get(i).unwrap_or(root)
    }

    fn operation(&mut self, branch: &CaptureStream) -> Result<Effect> {
        let effect = match self.rng.random_range(0..5) {
            0 | 1 => random_fill(self.rng, self.buffers, true),
            2 => random_copy(self.rng, self.buffers),
            3 => return self.upload(branch),
            _ => return self.download(branch),
        };
        enqueue(effect, self.buffers, branch)?;
        Ok(effect)
    }

    fn upload(&mut self, branch: &CaptureStream) -> Result<Effect> {
        let i = self.rng.random_range(0..self.buffers.len());
        let pinned = self.adopt(branch)?;
        let Buffer { device, id } = &mut self.buffers[i];
        branch.copy_from_adopted(&mut device.as_view_mut(), &pinned.memory)?;
        let effect = Effect::Upload {
            pinned: pinned.id,
            to: *id,
        };
        self.captured.pinned.push(pinned);
        Ok(effect)
    }

    fn download(&mut self, branch: &CaptureStream) -> Result<Effect> {
        let i = self.rng.random_range(0..self.buffers.len());
        let pinned = self.adopt(branch)?;
        let Buffer { device, id } = &self.buffers[i];
        branch.copy_to_adopted(&device.as_view(), &pinned.memory)?;
        let effect = Effect::Download {
            from: *id,
            pinned: pinned.id,
        };
        self.captured.pinned.push(pinned);
        Ok(effect)
    }

    /// Pinned memory of one value that the graph is to own.
    fn adopt(&mut self, branch: &CaptureStream) -> Result<Pinned> {
        let value = self.rng.random();
        let memory = branch.adopt(HostBuffer::from_slice(&[value; LEN])?)?;
        let id = self.model.add_pinned([Some(value); 4]);
        Ok(Pinned { memory, id })
    }
}

impl Graphs {
    /// The place of a random executable graph, if there is one.
    fn any(&self, rng: &mut StdRng) -> Option<usize> {
        let count = self.executables.len();
        (count > 0).then(|| rng.random_range(0..count))
    }

    pub(crate) fn launch(
        &mut self,
        stream: &Stream,
        rng: &mut StdRng,
        model: &mut Model,
    ) -> Result<()> {
        let Some(i) = self.any(rng) else {
            return Ok(());
        };
        let Executable { exec, captured } = &mut self.executables[i];
        let outcome = exec.launch(stream);
        model.follow(&captured.effects, outcome)
    }
}

impl Program {
    pub(crate) fn capture(&mut self) -> Result<()> {
        if self.graphs.graphs.len() == MOST {
            return Ok(());
        }
        let stream = self.stream();
        let mut recording = Recording {
            rng: &mut self.rng,
            model: &mut self.model,
            buffers: &mut self.buffers,
            captured: Captured::default(),
        };
        let graph = stream.capture(|root| recording.record(root))?;
        let captured = Rc::new(recording.captured);
        self.steps
            .note(format_args!("captured {:?}", captured.effects));
        self.graphs.executables.push(Executable {
            exec: graph.instantiate()?,
            captured: Rc::clone(&captured),
        });
        self.graphs.graphs.push((graph, captured));
        Ok(())
    }

    pub(crate) fn launch(&mut self) -> Result<()> {
        let stream = self.stream();
        self.graphs.launch(&stream, &mut self.rng, &mut self.model)
    }

    pub(crate) fn drop_graph(&mut self) -> Result<()> {
        if let Some(i) = self.graphs.any(&mut self.rng) {
            if self.graphs.executables.len() > MOST || self.rng.random() {
                self.graphs.executables.swap_remove(i);
            }
        }
        Ok(())
    }

    pub(crate) fn update(&mut self) -> Result<()> {
        let Graphs {
            graphs,
            executables,
        } = &mut self.graphs;
        if graphs.is_empty() || executables.is_empty() {
            return Ok(());
        }
        // Not put back if the update fails: then it may be either graph.
        let i = self.rng.random_range(0..executables.len());
        let Executable { mut exec, captured } = executables.swap_remove(i);
        let j = self.rng.random_range(0..graphs.len());
        let (graph, other) = &graphs[j];
        let captured = match exec.update(graph)? {
            GraphUpdate::Updated => Rc::clone(other),
            GraphUpdate::Rejected(_) => captured,
        };
        executables.push(Executable { exec, captured });
        if self.rng.random() {
            graphs.swap_remove(j);
        }
        Ok(())
    }

    pub(crate) fn read_graph_memory(&mut self) -> Result<()> {
        let Some((i, j)) = self.any_pinned() else {
            return Ok(());
        };
        let Executable { exec, captured } = &self.graphs.executables[i];
        let Pinned { memory, id } = &captured.pinned[j];
        let got = exec.read_host(memory)?;
        assert_contents(&got, self.model.pinned[*id]);
        Ok(())
    }

    pub(crate) fn write_graph_memory(&mut self) -> Result<()> {
        let Some((i, j)) = self.any_pinned() else {
            return Ok(());
        };
        let value = self.rng.random();
        let Executable { exec, captured } = &mut self.graphs.executables[i];
        let Pinned { memory, id } = &captured.pinned[j];
        self.model.pinned[*id] = UNKNOWN;
        exec.write_host(memory, &[value; LEN])?;
        self.model.pinned[*id] = [Some(value); 4];
        Ok(())
    }

    /// An executable graph, and one of its pinned buffers, if it has any.
    fn any_pinned(&mut self) -> Option<(usize, usize)> {
        let i = self.graphs.any(&mut self.rng)?;
        let count = self.graphs.executables[i].captured.pinned.len();
        (count > 0).then(|| (i, self.rng.random_range(0..count)))
    }
}
