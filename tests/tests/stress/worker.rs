//! One thread of the stress test.

use icffi::graph::GraphExec;
use icffi::prelude::*;
use icffi_kernels::{add, fill, multiply, scale};
use icffi_tests::assert_same;
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};
use std::sync::mpsc::{Receiver, Sender};

const STREAMS: usize = 4;
const BUFFERS: usize = 6;
const MOST: usize = 20_000;

/// A device buffer, and what has to be in it.
pub(crate) struct Pair {
    device: DeviceBuffer<u32>,
    model: Vec<u32>,
}

/// A captured scaling of a buffer, with the factor.
struct Replay {
    exec: GraphExec,
    of: usize,
    factor: u32,
}

pub(crate) struct Worker {
    rng: StdRng,
    streams: Vec<Stream>,
    pairs: Vec<Pair>,
    pinned: HostBuffer<u32>,
    replay: Option<Replay>,
    inbox: Receiver<Pair>,
    outbox: Sender<Pair>,
}

impl Worker {
    pub(crate) fn new(seed: u64, inbox: Receiver<Pair>, outbox: Sender<Pair>) -> Self {
        let mut worker = Self {
            rng: StdRng::seed_from_u64(seed),
            streams: (0..STREAMS).map(|_| Stream::new().unwrap()).collect(),
            pairs: Vec::new(),
            pinned: HostBuffer::alloc_zeroed(MOST).unwrap(),
            replay: None,
            inbox,
            outbox,
        };
        for _ in 0..BUFFERS {
            let pair = worker.fresh();
            worker.pairs.push(pair);
        }
        worker
    }

    fn stream(&mut self) -> Stream {
        let i = self.rng.random_range(0..STREAMS);
        self.streams[i].clone()
    }

    fn data(&mut self, n: usize) -> Vec<u32> {
        (0..n).map(|_| self.rng.random()).collect()
    }

    /// A buffer of random length, made in one of the ways there are.
    fn fresh(&mut self) -> Pair {
        let (stream, n) = (self.stream(), self.rng.random_range(1..MOST));
        let model = self.data(n);
        let device = match self.rng.random_range(0..4) {
            0 => DeviceBuffer::from_slice_sync(&stream, &model).unwrap(),
            1 => DeviceBuffer::from_slice_guarded_async(&stream, &model)
                .unwrap()
                .into_ordered(),
            2 => {
                let pinned = HostBuffer::from_slice(&model).unwrap();
                DeviceBuffer::from_host_buffer_guarded_async(&stream, &pinned)
                    .unwrap()
                    .into_ordered()
            }
            _ => {
                let mut device = DeviceBuffer::alloc(n).unwrap();
                device
                    .copy_from_host_guarded(&stream, &model)
                    .unwrap()
                    .wait()
                    .unwrap();
                device
            }
        };
        Pair { device, model }
    }

    /// Two different buffers.
    fn two(&mut self) -> (usize, usize) {
        let a = self.rng.random_range(0..BUFFERS);
        (a, (a + self.rng.random_range(1..BUFFERS)) % BUFFERS)
    }

    /// A range of a buffer, never empty.
    fn range(&mut self, n: usize) -> std::ops::Range<usize> {
        let start = self.rng.random_range(0..n);
        start..self.rng.random_range(start + 1..=n)
    }

    pub(crate) fn step(&mut self) {
        match self.rng.random_range(0..16) {
            0 => self.upload(),
            1 | 2 => self.check(),
            3 => self.check_part(),
            4 => self.fill_part(),
            5 => self.kernel_on_halves(),
            6 | 7 => self.kernel_of_three(),
            8 => self.copy_part(),
            9 => self.pinned_there_and_back(),
            10 => self.replace(),
            11 => self.capture(),
            12 | 13 => self.launch(),
            14 => self.freeze(),
            _ => self.pass_on(),
        }
    }

    fn upload(&mut self) {
        let (stream, (i, _)) = (self.stream(), self.two());
        let mut data = self.data(self.pairs[i].model.len());
        let pair = &mut self.pairs[i];
        pair.model.copy_from_slice(&data);
        let guard = pair.device.copy_from_host_guarded(&stream, &data).unwrap();
        match self.rng.random_range(0..3) {
            0 => guard.wait().unwrap(),
            1 => drop(guard),
            _ => std::mem::forget(guard),
        }
        data.fill(0xdead_beef);
    }

    fn check(&mut self) {
        let (stream, (i, _)) = (self.stream(), self.two());
        assert_same(
            &self.pairs[i].device.to_vec(&stream).unwrap(),
            &self.pairs[i].model,
        );
    }

    fn check_part(&mut self) {
        let (stream, (i, _)) = (self.stream(), self.two());
        let range = self.range(self.pairs[i].model.len());
        let mut target = vec![0; range.len()];
        let view = self.pairs[i].device.slice(range.clone());
        view.copy_to_host_guarded(&stream, &mut target)
            .unwrap()
            .wait()
            .unwrap();
        assert_same(&target, &self.pairs[i].model[range]);
    }

    fn fill_part(&mut self) {
        let (stream, (i, _), value) = (self.stream(), self.two(), self.rng.random());
        let range = self.range(self.pairs[i].model.len());
        self.pairs[i].model[range.clone()].fill(value);
        let mut view = self.pairs[i].device.slice_mut(range);
        if value % 2 == 0 {
            view.fill(&stream, value).unwrap();
        } else {
            fill(&stream, &mut view, value).unwrap();
        }
    }

    /// Both halves at once, on two streams.
    fn kernel_on_halves(&mut self) {
        let (a, b, (i, _)) = (self.stream(), self.stream(), self.two());
        let (x, y) = (self.rng.random_range(1..9), self.rng.random_range(1..9));
        let pair = &mut self.pairs[i];
        let mid = pair.model.len() / 2;
        let (mut low, mut high) = pair.device.split_at_mut(mid);
        scale(&a, x, &mut low).unwrap();
        scale(&b, y, &mut high).unwrap();
        let (low, high) = pair.model.split_at_mut(mid);
        low.iter_mut().for_each(|v| *v = v.wrapping_mul(x));
        high.iter_mut().for_each(|v| *v = v.wrapping_mul(y));
    }

    /// A new buffer from two others, in place of one of them.
    fn kernel_of_three(&mut self) {
        let (stream, (i, j)) = (self.stream(), self.two());
        let n = self.pairs[i].model.len().min(self.pairs[j].model.len());
        let (x, y) = (
            self.pairs[i].device.slice(..n),
            self.pairs[j].device.slice(..n),
        );
        let mut out = DeviceBuffer::<u32>::alloc_async(&stream, n).unwrap();
        let models = self.pairs[i].model.iter().zip(&self.pairs[j].model);
        let model = if n % 2 == 0 {
            add(&stream, &x, &y, &mut out).unwrap();
            models.map(|(a, b)| a.wrapping_add(*b)).collect()
        } else {
            multiply(&stream, &x, &y, &mut out).unwrap();
            models.map(|(a, b)| a.wrapping_mul(*b)).collect()
        };
        self.put(i, Pair { device: out, model });
    }

    fn copy_part(&mut self) {
        let (stream, (i, j)) = (self.stream(), self.two());
        let n = self.pairs[i].model.len().min(self.pairs[j].model.len());
        let range = self.range(n);
        let (low, high) = self.pairs.split_at_mut(i.max(j));
        let (from, to) = if i < j {
            (&mut low[i], &mut high[0])
        } else {
            (&mut high[0], &mut low[j])
        };
        to.device
            .slice_mut(range.clone())
            .copy_from_device_async(&stream, &from.device.slice(range.clone()))
            .unwrap();
        to.model[range.clone()].copy_from_slice(&from.model[range]);
    }

    fn pinned_there_and_back(&mut self) {
        let (a, b, (i, _)) = (self.stream(), self.stream(), self.two());
        let n = self.pairs[i].model.len();
        let data = self.data(n);
        if self.pinned.len() != n {
            self.pinned = HostBuffer::alloc_zeroed(n).unwrap();
        }
        self.pinned.copy_from_slice(&data).unwrap();
        let pair = &mut self.pairs[i];
        let up = pair
            .device
            .copy_from_host_buffer_guarded(&a, &self.pinned)
            .unwrap();
        std::mem::forget(up);
        pair.model.copy_from_slice(&data);
        let down = pair
            .device
            .copy_to_host_buffer_guarded(&b, &mut self.pinned)
            .unwrap();
        std::mem::forget(down);
        assert_same(&self.pinned, &data);
    }

    /// One buffer goes, in one of the ways there are, and another comes.
    fn replace(&mut self) {
        let (stream, (i, _)) = (self.stream(), self.two());
        let pair = self.fresh();
        let old = self.put(i, pair);
        if self.rng.random() {
            old.device.free_async(&stream).unwrap();
        }
    }

    fn put(&mut self, i: usize, pair: Pair) -> Pair {
        // A graph goes on with the memory that it captured; the buffer here is another one.
        if self.replay.as_ref().is_some_and(|r| r.of == i) {
            self.replay = None;
        }
        std::mem::replace(&mut self.pairs[i], pair)
    }

    fn capture(&mut self) {
        let (stream, (i, _), factor) = (self.stream(), self.two(), self.rng.random_range(1..9));
        let pair = &mut self.pairs[i];
        let mid = pair.model.len() / 2;
        let graph = stream
            .capture(|capture| {
                let side = capture.fork()?;
                let (mut low, mut high) = pair.device.split_at_mut(mid);
                scale(capture, factor, &mut low)?;
                scale(&side, factor, &mut high)
            })
            .unwrap();
        let exec = graph.instantiate().unwrap();
        self.replay = Some(Replay {
            exec,
            of: i,
            factor,
        });
    }

    fn launch(&mut self) {
        let stream = self.stream();
        let Some(replay) = &mut self.replay else {
            return;
        };
        replay.exec.launch(&stream).unwrap();
        for value in &mut self.pairs[replay.of].model {
            *value = value.wrapping_mul(replay.factor);
        }
    }

    /// Read by several streams, then written again.
    fn freeze(&mut self) {
        let (a, b, (i, _)) = (self.stream(), self.stream(), self.two());
        let pair = self.fresh();
        let Pair { device, model } = self.put(i, pair);
        let shared = device.freeze();
        let other = shared.clone();
        let mut target = vec![0; model.len()];
        let reading = shared
            .as_view()
            .copy_to_host_guarded(&a, &mut target)
            .unwrap();
        let mut sum = DeviceBuffer::<u32>::alloc_async(&b, model.len()).unwrap();
        add(&b, &other.as_view(), &shared.as_view(), &mut sum).unwrap();
        drop(other);
        let mut device = shared.try_unfreeze().expect("the only handle");
        device.fill(&b, 0).unwrap();
        reading.wait().unwrap();
        assert_same(&target, &model);
        let model: Vec<u32> = model.iter().map(|v| v.wrapping_add(*v)).collect();
        self.put(i, Pair { device: sum, model });
    }

    /// A buffer goes to the next thread with its uses pending; one that has come takes its place.
    fn pass_on(&mut self) {
        if let Ok(pair) = self.inbox.try_recv() {
            let (i, _) = self.two();
            let old = self.put(i, pair);
            // The next one may have ended.
            let _ = self.outbox.send(old);
        } else if self.rng.random_range(0..8) == 0 {
            let pair = self.fresh();
            let _ = self.outbox.send(pair);
        }
    }

    /// Everything is as the model says.
    pub(crate) fn finish(mut self) {
        for i in 0..BUFFERS {
            let stream = self.stream();
            assert_same(
                &self.pairs[i].device.to_vec(&stream).unwrap(),
                &self.pairs[i].model,
            );
        }
        let stream = self.stream();
        while let Ok(pair) = self.inbox.try_recv() {
            assert_same(&pair.device.to_vec(&stream).unwrap(), &pair.model);
        }
    }

    /// What the models hold.
    pub(crate) fn digest(&self) -> u64 {
        self.pairs
            .iter()
            .flat_map(|p| &p.model)
            .fold(0, |sum, v| sum.wrapping_mul(31).wrapping_add(u64::from(*v)))
    }
}
