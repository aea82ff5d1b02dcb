//! Streams as queues of operations, and who may run when.
//!
//! Every operation has a number that only grows. It depends on the one before it in its stream
//! and on operations named when it was enqueued (events, the legacy stream), all of which have
//! smaller numbers: so the smallest pending number can always run, and nothing deadlocks but a
//! host function that never returns.

mod callback;
mod execute;
mod op;
mod queue;
mod wait;

use std::collections::{BTreeMap, HashMap, VecDeque};

use icffi_sys::{cudaError, cudaStream_t};

use crate::call::Outcome;
use crate::config::Policy;
use crate::event::Event;
use crate::graph::{InCapture, Step};
use crate::report::ReportKind;
use crate::state::{self, Lock, Sim};
use crate::table::Table;
pub(crate) use callback::HostFn;
pub(crate) use op::{Copy, Fill, Op, OpId, Source, Work};
pub(crate) use wait::{observe, synchronized, wait_device, wait_for, wait_stream};

/// Streams are told apart by number: a handle comes back, a number does not.
pub(crate) type StreamKey = u64;

/// Stands for an operation that was captured: it is nothing to wait for.
pub(crate) const CAPTURED: OpId = 0;

/// How a stream relates to the legacy default stream of its device.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Class {
    /// The legacy default stream itself.
    Legacy,
    /// Waits for it and is waited for.
    Blocking,
    /// Nothing to do with it.
    NonBlocking,
}

/// One stream, the default ones included.
#[derive(Debug)]
pub(crate) struct Stream {
    pub(crate) device: usize,
    pub(crate) class: Class,
    pub(crate) flags: u32,
    pub(crate) priority: i32,
    /// Its handle is gone; it goes away with its last operation.
    pub(crate) destroyed: bool,
    pub(crate) queue: VecDeque<Op>,
    /// The operation in front is a host function that runs now.
    pub(crate) running: bool,
    /// What it captures instead of doing it.
    pub(crate) capture: Option<InCapture>,
    /// It is a part of a graph that was launched in this stream.
    pub(crate) within: Option<StreamKey>,
}

impl Stream {
    /// The last operation that has not finished.
    pub(crate) fn tail(&self) -> Option<OpId> {
        self.queue.back().map(|op| op.id)
    }
}

/// All streams, all pending operations, all events.
#[derive(Debug)]
pub(crate) struct Scheduler {
    pub(crate) streams: BTreeMap<StreamKey, Stream>,
    /// Streams made by the program, by handle.
    pub(crate) handles: Table<StreamKey>,
    /// Default streams: (device, 0) is the legacy one, (device, n) that of host thread n.
    defaults: HashMap<(usize, u64), StreamKey>,
    /// Which stream each unfinished operation is in.
    pub(crate) pending: HashMap<OpId, StreamKey>,
    pub(crate) events: Table<Event>,
    next_op: OpId,
    next_stream: StreamKey,
}

impl Scheduler {
    pub(crate) fn new() -> Scheduler {
        Scheduler {
            streams: BTreeMap::new(),
            handles: Table::new(),
            defaults: HashMap::new(),
            pending: HashMap::new(),
            events: Table::new(),
            next_op: 1,
            next_stream: 1,
        }
    }

    pub(crate) fn is_done(&self, op: OpId) -> bool {
        !self.pending.contains_key(&op)
    }

    /// Makes a stream without a handle.
    pub(crate) fn new_stream(
        &mut self,
        device: usize,
        class: Class,
        flags: u32,
        priority: i32,
    ) -> StreamKey {
        let key = self.next_stream;
        self.next_stream += 1;
        let queue = VecDeque::new();
        let stream = Stream {
            device,
            class,
            flags,
            priority,
            destroyed: false,
            queue,
            running: false,
            capture: None,
            within: None,
        };
        self.streams.insert(key, stream);
        key
    }

    /// Makes a stream for some nodes of a graph that is launched in stream `within`. It goes away
    /// with its last operation. The launch keeps order with the legacy stream, its nodes need not.
    pub(crate) fn hidden_stream(&mut self, device: usize, within: StreamKey) -> StreamKey {
        let key = self.new_stream(device, Class::NonBlocking, 0, 0);
        if let Some(stream) = self.streams.get_mut(&key) {
            stream.destroyed = true;
            stream.within = Some(within);
        }
        key
    }

    fn default_stream(&mut self, device: usize, thread: u64) -> StreamKey {
        if let Some(key) = self.defaults.get(&(device, thread)) {
            return *key;
        }
        let class = if thread == 0 {
            Class::Legacy
        } else {
            Class::Blocking
        };
        let key = self.new_stream(device, class, 0, 0);
        self.defaults.insert((device, thread), key);
        key
    }

    pub(crate) fn legacy(&mut self, device: usize) -> StreamKey {
        self.default_stream(device, 0)
    }

    /// What must be done before the host has waited for everything of a device.
    pub(crate) fn device_tails(&self, device: usize) -> Vec<OpId> {
        self.streams
            .values()
            .filter(|s| s.device == device)
            .filter_map(Stream::tail)
            .collect()
    }

    /// The last operations of all streams that have any.
    pub(crate) fn all_tails(&self) -> Vec<OpId> {
        self.streams.values().filter_map(Stream::tail).collect()
    }

    /// What must be done before the host has waited for a stream. The legacy stream includes
    /// the streams that block on it.
    pub(crate) fn stream_tails(&self, key: StreamKey) -> Vec<OpId> {
        let Some(stream) = self.streams.get(&key) else {
            return Vec::new();
        };
        let mut tails: Vec<OpId> = stream.tail().into_iter().collect();
        if stream.class == Class::Legacy {
            tails.extend(self.blocking_tails(stream.device));
        }
        tails
    }

    fn blocking_tails(&self, device: usize) -> impl Iterator<Item = OpId> {
        self.streams
            .values()
            .filter(move |s| s.device == device && s.class == Class::Blocking)
            .filter_map(Stream::tail)
    }

    /// A stream in words, for reports.
    pub(crate) fn name(&self, key: StreamKey) -> String {
        match self.streams.get(&key) {
            None => format!("stream #{key}"),
            Some(Stream {
                within: Some(key), ..
            }) => format!("a graph in {}", self.name(*key)),
            Some(s) => {
                let class = match s.class {
                    Class::Legacy => "legacy default stream",
                    Class::Blocking => "blocking stream",
                    Class::NonBlocking => "stream",
                };
                format!("{class} #{key} of device {}", s.device)
            }
        }
    }
}

/// What the special handles of streams are.
const LEGACY: usize = 1;
const PER_THREAD: usize = 2;

impl Sim {
    /// The stream that a handle means now, on this thread. The legacy one cannot be named while
    /// a capture holds a stream that it waits for.
    pub(crate) fn resolve(&mut self, handle: cudaStream_t) -> Outcome<StreamKey> {
        let key = self.resolve_quietly(handle)?;
        if !self.graphs.captures.is_empty() {
            self.implicit(key, true)?;
        }
        Ok(key)
    }

    /// The same for calls that only ask about captures.
    pub(crate) fn resolve_quietly(&mut self, handle: cudaStream_t) -> Outcome<StreamKey> {
        let device = state::current_device();
        let key = match handle as usize {
            0 | LEGACY => self.sched.legacy(device),
            PER_THREAD => self
                .sched
                .default_stream(device, state::thread_number().max(1)),
            other => match self.sched.handles.get(other) {
                Some(key) => *key,
                None => return Err(self.bad_handle("stream", other)),
            },
        };
        let device = self.sched.streams[&key].device;
        self.devices[device].sticky.map_or(Ok(key), Err)
    }

    /// A handle that means nothing: on a device its use is undefined, so it is reported.
    pub(crate) fn bad_handle(&mut self, what: &str, handle: usize) -> cudaError {
        if handle != 0 {
            let detail = format!("{handle:#x} is no {what}, or one that was destroyed");
            let function = self.current_call;
            self.report(ReportKind::InvalidHandle, function, None, 0..0, detail);
        }
        cudaError::cudaErrorInvalidResourceHandle
    }

    /// Appends an operation to a stream, or to the graph that the stream captures.
    pub(crate) fn enqueue(&mut self, key: StreamKey, function: &'static str, work: Work) -> OpId {
        self.enqueue_after(key, function, Vec::new(), work)
    }

    /// Appends an operation that also waits for others.
    pub(crate) fn enqueue_after(
        &mut self,
        key: StreamKey,
        function: &'static str,
        mut deps: Vec<OpId>,
        work: Work,
    ) -> OpId {
        if self.capture_of(key).is_some() {
            self.capture_work(key, function, Step::Work(work));
            return CAPTURED;
        }
        let sched = &mut self.sched;
        let (device, class) = {
            let stream = &sched.streams[&key];
            (stream.device, stream.class)
        };
        match class {
            Class::NonBlocking => {}
            Class::Legacy => deps.extend(sched.blocking_tails(device)),
            Class::Blocking => {
                let legacy = sched.legacy(device);
                deps.extend(sched.streams[&legacy].tail());
            }
        }
        let id = sched.next_op;
        sched.next_op += 1;
        sched.pending.insert(id, key);
        let stream = sched
            .streams
            .get_mut(&key)
            .expect("callers hold a key that exists");
        stream.queue.push_back(Op {
            id,
            function,
            deps,
            work,
        });
        id
    }
}

/// A few steps between two calls, under the random policy.
pub(crate) fn jitter(sim: &mut Lock) {
    if sim.sched.pending.is_empty() || sim.rng.below(2) == 0 {
        return;
    }
    for _ in 0..=sim.rng.below(3) {
        if !step(sim) {
            return;
        }
    }
}

/// Runs one ready operation, chosen by the policy. False if none is ready.
pub(crate) fn step(sim: &mut Lock) -> bool {
    let Some(key) = sim.pick() else { return false };
    execute::run(sim, key);
    true
}

/// Runs until nothing is ready: all there is, except behind host functions that still run.
pub(crate) fn drain_ready(sim: &mut Lock) {
    while step(sim) {}
}

impl Sim {
    /// The stream whose front operation the policy would run now.
    fn pick(&mut self) -> Option<StreamKey> {
        let ready = self.sched.ready();
        let choice = match self.config.policy {
            Policy::Eager | Policy::Lazy => ready.iter().min(),
            Policy::Reverse => ready.iter().max(),
            Policy::Random => ready.get(self.rng.below(ready.len())),
        };
        choice.map(|(_, key)| *key)
    }
}
