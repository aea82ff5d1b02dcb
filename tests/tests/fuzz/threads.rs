//! Threads that share streams, a frozen buffer, and the parts of a buffer.

use crate::model::{LEN, assert_contents};
use crate::steps::Steps;
use icffi::Result;
use icffi::graph::GraphExec;
use icffi::prelude::*;
use icffi_sim::Policy;
use icffi_tests::sim::sim_session;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

const THREADS: usize = 4;
const STREAMS: usize = 3;
const ROUNDS: u32 = 6;
const STEPS: usize = 12;

/// How much of the table a thread has.
const PART: usize = 1024;

/// How much of its part a thread fills at once.
const PIECE: usize = 50;

pub(crate) fn run(seed: u64, policy: Policy) {
    let sim = sim_session(seed, policy);
    let mut steps = Steps::new(seed, policy, "the first thread");
    let mut shared: Vec<_> = (0..STREAMS).map(|_| Stream::new().unwrap()).collect();
    if seed % 2 == 1 {
        // Means another stream on each thread.
        let per_thread = Stream::per_thread_default().unwrap();
        shared[1] = Stream::clone(&per_thread);
    }
    for round in 0..ROUNDS {
        steps.begin("a round");
        let place = Place {
            seed,
            policy,
            round,
        };
        one_round(&place, &shared).unwrap_or_else(|error| panic!("{error}"));
    }
    drop(shared);
    sim.end();
}

/// What a thread leaves in its part.
fn mark(index: usize) -> u32 {
    index as u32 + 1
}

struct Place {
    seed: u64,
    policy: Policy,
    round: u32,
}

/// All threads read what was frozen with its upload pending, and fill their parts of the table.
fn one_round(place: &Place, shared: &[Stream]) -> Result<()> {
    let value = place.round + 1;
    let frozen = DeviceBuffer::from_slice_guarded_async(&shared[0], &[value; LEN])?
        .into_ordered()
        .freeze();
    let mut table = DeviceBuffer::from_slice_sync(&shared[1], &[0; THREADS * PART])?;
    let copies: Vec<_> = std::thread::scope(|scope| {
        let parts = table.chunks_mut(PART).enumerate();
        let threads: Vec<_> = parts
            .map(|(index, part)| {
                let frozen = frozen.clone();
                scope.spawn(move || {
                    let thread = Thread::new(place, index, shared, frozen, part).unwrap();
                    thread.run(mark(index))
                })
            })
            .collect();
        let copies = threads.into_iter().map(|t| t.join());
        copies
            .map(|copy| copy.expect("a thread's panic is above"))
            .collect()
    });
    // What the threads read is overwritten, or its memory gets other contents.
    if value % 2 == 0 {
        drop(frozen);
        DeviceBuffer::<u32>::alloc_async(&shared[0], LEN)?.fill(&shared[0], 77)?;
    } else {
        let mut again = frozen.try_unfreeze().expect("the threads are gone");
        again.fill(&shared[2], 0)?;
    }
    for copy in copies {
        assert_contents(&copy.to_vec(&shared[0])?, [Some(value); 4]);
    }
    for (index, part) in table.to_vec(&shared[0])?.chunks(PART).enumerate() {
        assert!(part.iter().all(|v| *v == mark(index)), "part {index}");
    }
    Ok(())
}

struct Thread<'a> {
    steps: Steps,
    rng: StdRng,
    /// What is frozen is this value everywhere.
    value: u32,
    own: Vec<Stream>,
    shared: &'a [Stream],
    frozen: SharedBuffer<u32>,
    part: DeviceSliceMut<'a, u32>,
    /// Copies what is frozen to `replayed`.
    exec: GraphExec,
    replayed: DeviceBuffer<u32>,
    copied: DeviceBuffer<u32>,
}

impl<'a> Thread<'a> {
    fn new(
        place: &Place,
        index: usize,
        shared: &'a [Stream],
        frozen: SharedBuffer<u32>,
        part: DeviceSliceMut<'a, u32>,
    ) -> Result<Self> {
        let Place {
            seed,
            policy,
            round,
        } = *place;
        let steps = Steps::new(seed, policy, format_args!("round {round}, thread {index}"));
        let mut rng = StdRng::seed_from_u64(seed * 1000 + u64::from(round) * 10 + index as u64);
        let mut own = (0..4).map(|_| Stream::new()).collect::<Result<Vec<_>>>()?;
        if rng.random() {
            own[2] = Stream::legacy_default()?;
            let per_thread = Stream::per_thread_default()?;
            own[3] = Stream::clone(&per_thread);
        }
        let mut replayed = DeviceBuffer::zeros_async(&own[0], LEN)?;
        let graph = own[0].capture(|capture| {
            let mut target = replayed.as_view_mut();
            target.copy_from_device_async(capture, &frozen.as_view())
        })?;
        Ok(Self {
            steps,
            rng,
            value: round + 1,
            shared,
            frozen,
            part,
            exec: graph.instantiate()?,
            replayed,
            copied: DeviceBuffer::zeros_async(&own[1], LEN)?,
            own,
        })
    }

    fn stream(&mut self) -> Stream {
        let streams = if self.rng.random() {
            &self.own
        } else {
            self.shared
        };
        streams[self.rng.random_range(0..streams.len())].clone()
    }

    fn step(&mut self) -> Result<()> {
        let stream = self.stream();
        let operation = self.rng.random_range(0..6);
        self.steps
            .begin(format_args!("operation {operation} on {:?}", stream.raw()));
        match operation {
            0 => self.exec.launch(&stream)?,
            1 => self.copy(&stream)?,
            2 => {
                let mut target = vec![0; LEN];
                let view = self.frozen.as_view();
                view.copy_to_host_guarded(&stream, &mut target)?.wait()?;
                self.assert_frozen(&target);
            }
            3 => self.fill_piece(&stream)?,
            4 => {
                let got = self.replayed.to_vec(&stream)?;
                // Zeros as long as the graph was not launched.
                let value = if got[0] == 0 { 0 } else { self.value };
                assert_contents(&got, [Some(value); 4]);
            }
            _ => self.assert_frozen(&self.frozen.to_vec(&stream)?),
        }
        Ok(())
    }

    fn copy(&mut self, stream: &Stream) -> Result<()> {
        let mut target = self.copied.as_view_mut();
        target.copy_from_device_async(stream, &self.frozen.as_view())
    }

    fn fill_piece(&mut self, stream: &Stream) -> Result<()> {
        let start = PIECE * self.rng.random_range(0..PART / PIECE);
        let mut piece = self.part.slice_mut(start..start + PIECE);
        piece.fill(stream, 5)?;
        assert_eq!(piece.to_vec(&self.own[0])?, [5; PIECE]);
        Ok(())
    }

    #[track_caller]
    fn assert_frozen(&self, got: &[u32]) {
        assert_contents(got, [Some(self.value); 4]);
    }

    fn run(mut self, mark: u32) -> DeviceBuffer<u32> {
        let outcome = (0..STEPS)
            .try_for_each(|_| self.step())
            .and_then(|()| self.finish(mark));
        // Here, where the step is known.
        outcome.unwrap_or_else(|error| panic!("{error}"));
        self.copied
    }

    /// A last copy of what is frozen, still pending, and the part of the table filled, at once or
    /// in pieces on many streams.
    fn finish(&mut self, mark: u32) -> Result<()> {
        self.steps.begin("the end");
        let stream = self.shared[self.rng.random_range(0..STREAMS)].clone();
        self.copy(&stream)?;
        if self.rng.random() {
            return self.part.fill(&self.own[2], mark);
        }
        for mut piece in self.part.chunks_mut(7) {
            let i = self.rng.random_range(0..self.own.len());
            piece.fill(&self.own[i], mark)?;
        }
        Ok(())
    }
}
