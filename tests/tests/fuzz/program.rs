//! A random program of one thread: what a thread can do with streams, buffers, pinned memory,
//! forgotten guards, descriptors and graphs, in any order. It is the same program whether its
//! calls work or fail; what a failed operation writes is not known from there on.

use crate::buffers::{Buffer, both, enqueue, random_copy, random_fill, two_of};
use crate::faults::{assert_names_its_place, random_fault};
use crate::graphs::Graphs;
use crate::model::{Effect, LEN, Model, UNKNOWN, assert_contents};
use crate::steps::Steps;
use icffi::Result;
use icffi::prelude::*;
use icffi_sim::Policy;
use icffi_tests::sim::{Sim, no_memory, sim_session};
use rand::rngs::StdRng;
use rand::seq::IndexedRandom;
use rand::{Rng, SeedableRng};
use std::mem::{forget, replace};

/// Streams of the program's own; special ones follow.
const OWN_STREAMS: usize = 4;
const BUFFERS: usize = 4;

/// What becomes of the CUDA calls of a program.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Calls {
    AllWork,
    SomeFail,
}

pub(crate) struct Program {
    pub(crate) steps: Steps,
    calls: Calls,
    pub(crate) rng: StdRng,
    pub(crate) model: Model,
    pub(crate) streams: Vec<Stream>,
    pub(crate) buffers: Vec<Buffer>,
    pub(crate) graphs: Graphs,
    sim: Sim,
}

type Operation = fn(&mut Program) -> Result<()>;

/// What a step does, with how often, relative to the others.
const OPERATIONS: &[(u32, &str, Operation)] = &[
    (2, "fill", Program::fill),
    (2, "copy", Program::copy),
    (2, "check", Program::check),
    (1, "upload", Program::upload),
    (1, "pinned there and back", Program::pinned_there_and_back),
    (1, "replace", Program::replace),
    (1, "input", Program::input),
    (1, "output", Program::output),
    (1, "launch while bound", Program::launch_while_bound),
    (2, "capture", Program::capture),
    (3, "launch", Program::launch),
    (1, "drop a graph", Program::drop_graph),
    (1, "update", Program::update),
    (1, "read the graph's memory", Program::read_graph_memory),
    (1, "write the graph's memory", Program::write_graph_memory),
    (1, "freeze", Program::freeze),
    (1, "new stream", Program::new_stream),
    (1, "order streams", Program::order_streams),
];

impl Program {
    pub(crate) fn new(seed: u64, policy: Policy, calls: Calls) -> Self {
        let sim = sim_session(seed, policy);
        let mut streams: Vec<_> = (0..OWN_STREAMS).map(|_| Stream::new().unwrap()).collect();
        streams.push(Stream::clone(&Stream::per_thread_default().unwrap()));
        streams.push(Stream::legacy_default().unwrap());
        streams.push(Stream::new_with_flags(StreamFlags::Blocking).unwrap());
        Self {
            steps: Steps::new(seed, policy, "the program"),
            calls,
            rng: StdRng::seed_from_u64(seed),
            model: Model::default(),
            streams,
            buffers: Vec::new(),
            graphs: Graphs::default(),
            sim,
        }
    }

    pub(crate) fn run(mut self, steps: usize) {
        for _ in 0..steps {
            self.step();
        }
        self.finish();
    }

    fn step(&mut self) {
        // An operation that failed may have taken its buffer with it.
        while self.buffers.len() < BUFFERS {
            self.sim.clear_faults();
            let buffer = self.fresh().expect("no call fails");
            self.buffers.push(buffer);
        }
        let (_, name, operation) = OPERATIONS
            .choose_weighted(&mut self.rng, |(weight, ..)| *weight)
            .expect("the weights are not zero");
        self.steps.begin(name);
        if self.calls == Calls::SomeFail && self.rng.random_range(0..3) == 0 {
            let fault = random_fault(&mut self.rng);
            self.steps.note(format_args!("with {fault:?}"));
            self.sim.fault(fault);
        }
        if let Err(error) = operation(self) {
            self.steps.note(format_args!("failed: {error}"));
            assert!(self.calls == Calls::SomeFail, "{error}");
            assert_names_its_place(&error);
        }
    }

    /// Everything is as the model says, and goes.
    fn finish(mut self) {
        self.steps.begin("the end");
        self.sim.clear_faults();
        for buffer in &self.buffers {
            let got = buffer.device.to_vec(&self.streams[0]).unwrap();
            assert_contents(&got, self.model.buffers[buffer.id]);
        }
        self.buffers.clear();
        self.graphs = Graphs::default();
        self.streams.clear();
        if self.calls == Calls::AllWork {
            let live = self.sim.end_leaking();
            no_memory(&live);
            assert_eq!(live.graphs, 0);
        } else {
            // A free that reported an error may have worked or not; it is counted either way.
            let (live, leaked) = (self.sim.settle(), self.sim.leaked());
            let left = live.device_allocations + live.pinned_allocations + live.graphs;
            assert!(left <= leaked, "{live:?} is left, {leaked} counted");
        }
    }

    pub(crate) fn stream(&mut self) -> Stream {
        let i = self.rng.random_range(0..self.streams.len());
        self.streams[i].clone()
    }

    fn one(&mut self) -> usize {
        self.rng.random_range(0..self.buffers.len())
    }

    /// A buffer of one value, made in one of the ways there are.
    fn fresh(&mut self) -> Result<Buffer> {
        let (stream, value) = (self.stream(), self.rng.random_range(1..200));
        let data = vec![value; LEN];
        let device = match self.rng.random_range(0..4) {
            0 => DeviceBuffer::from_slice_sync(&stream, &data)?,
            1 => DeviceBuffer::from_slice_guarded(&stream, &data)?.into_ordered(),
            2 => DeviceBuffer::from_slice_guarded_async(&stream, &data)?.into_ordered(),
            _ => {
                let pinned = HostBuffer::from_slice(&data)?;
                DeviceBuffer::from_host_buffer_guarded_async(&stream, &pinned)?.into_ordered()
            }
        };
        let id = self.model.add_buffer([Some(value); 4]);
        Ok(Buffer { device, id })
    }

    fn perform(&mut self, effect: Effect) -> Result<()> {
        let stream = self.stream();
        self.steps
            .note(format_args!("{effect:?} on {:?}", stream.raw()));
        let outcome = enqueue(effect, &mut self.buffers, &stream);
        self.model.follow(&[effect], outcome)
    }

    fn fill(&mut self) -> Result<()> {
        let effect = random_fill(&mut self.rng, &self.buffers, false);
        self.perform(effect)
    }

    fn copy(&mut self) -> Result<()> {
        let effect = random_copy(&mut self.rng, &self.buffers);
        self.perform(effect)
    }

    fn check(&mut self) -> Result<()> {
        let (stream, i) = (self.stream(), self.one());
        let Buffer { device, id } = &self.buffers[i];
        let got = device.to_vec(&stream)?;
        assert_contents(&got, self.model.buffers[*id]);
        Ok(())
    }

    fn upload(&mut self) -> Result<()> {
        let (stream, i, value) = (self.stream(), self.one(), self.rng.random());
        let data = vec![value; LEN];
        let Buffer { device, id } = &mut self.buffers[i];
        let contents = &mut self.model.buffers[*id];
        *contents = UNKNOWN;
        let guard = device.copy_from_host_guarded(&stream, &data)?;
        match self.rng.random_range(0..3) {
            0 => forget(guard),
            1 => drop(guard),
            _ => guard.wait()?,
        }
        *contents = [Some(value); 4];
        Ok(())
    }

    /// Through pinned memory to another buffer, with no guard to order the two copies, or to keep
    /// the CPU away from the memory.
    fn pinned_there_and_back(&mut self) -> Result<()> {
        let (down, up) = (self.stream(), self.stream());
        let (from, to) = two_of(&mut self.rng, &self.buffers);
        let (mut pinned, mut other) = (
            HostBuffer::<u32>::alloc_zeroed(LEN)?,
            HostBuffer::<u32>::alloc_zeroed(LEN)?,
        );
        let (from, to) = both(&mut self.buffers, from, to);
        let contents = self.model.buffers[from.id];
        forget(
            from.device
                .copy_to_host_buffer_guarded(&down, &mut pinned)?,
        );
        std::mem::swap(&mut pinned, &mut other);
        self.model.buffers[to.id] = UNKNOWN;
        forget(to.device.copy_from_host_buffer_guarded(&up, &other)?);
        self.model.buffers[to.id] = contents;
        if self.rng.random() {
            assert_contents(other.try_as_slice()?, contents);
        } else {
            other.try_as_mut_slice()?.fill(0xdead_beef);
        }
        Ok(())
    }

    /// One buffer goes, in one of the ways there are, and another comes.
    fn replace(&mut self) -> Result<()> {
        let (stream, i, buffer) = (self.stream(), self.one(), self.fresh()?);
        let old = replace(&mut self.buffers[i], buffer);
        if self.rng.random() {
            old.device.free_async(&stream)?;
        }
        Ok(())
    }

    /// A descriptor that is not used, and may be forgotten.
    fn input(&mut self) -> Result<()> {
        let (stream, i) = (self.stream(), self.one());
        let bound = self.buffers[i].device.input(&stream)?;
        if self.rng.random_range(0..4) == 0 {
            forget(bound);
        }
        Ok(())
    }

    fn output(&mut self) -> Result<()> {
        let (stream, i) = (self.stream(), self.one());
        let bound = self.buffers[i].device.output(&stream)?;
        if self.rng.random_range(0..4) == 0 {
            forget(bound);
        }
        Ok(())
    }

    /// A graph that may use the buffer runs while a descriptor of it is open.
    fn launch_while_bound(&mut self) -> Result<()> {
        let (stream, i) = (self.stream(), self.one());
        let launched_on = self.stream();
        let bound = self.buffers[i].device.output(&stream)?;
        self.graphs
            .launch(&launched_on, &mut self.rng, &mut self.model)?;
        drop(bound);
        Ok(())
    }

    /// Read by all streams, then to be written again.
    fn freeze(&mut self) -> Result<()> {
        let i = self.one();
        let Buffer { device, id } = self.buffers.swap_remove(i);
        let shared = device.freeze();
        let other = shared.clone();
        for stream in &self.streams {
            let mut copy = DeviceBuffer::<u32>::alloc_async(stream, LEN)?;
            copy.as_view_mut()
                .copy_from_device_async(stream, &shared.as_view())?;
            if self.rng.random_range(0..4) == 0 {
                let got = copy.to_vec(stream)?;
                assert_contents(&got, self.model.buffers[id]);
            }
        }
        drop(other);
        let device = shared.try_unfreeze().expect("the only handle");
        self.buffers.push(Buffer { device, id });
        Ok(())
    }

    fn new_stream(&mut self) -> Result<()> {
        let i = self.rng.random_range(0..OWN_STREAMS);
        self.streams[i] = Stream::new()?;
        if self.rng.random() {
            icffi::trim_all();
        }
        Ok(())
    }

    fn order_streams(&mut self) -> Result<()> {
        let (first, second) = (self.stream(), self.stream());
        if self.rng.random() {
            first.checkpoint()?;
            return Ok(());
        }
        let event = Event::ordering()?;
        event.record(&first)?;
        second.wait_event(&event)
    }
}
