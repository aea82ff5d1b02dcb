//! Executable graphs.
#![allow(unsafe_code)]

use super::handle::ExecHandle;
use super::set::CaptureSet;
use super::{Graph, GraphHostBuffer};
use crate::error::{self, Result, codes};
use crate::op::Op;
use crate::ordering::{Access, Acquired, Mode, Tracker, Use};
use crate::stream::Stream;
use crate::sync::lock;
use crate::{device, event, retire, rt};
use bytemuck::{AnyBitPattern, NoUninit};
use icffi_sys::cudaGraphExecUpdateResult;
use std::sync::Arc;

/// What became of [`GraphExec::update`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum GraphUpdate {
    /// Launches from now on run the new graph.
    Updated,
    /// The two graphs differ in more than parameters; the executable graph is as it was. The
    /// code says in what.
    Rejected(cudaGraphExecUpdateResult),
}

/// A graph ready to be launched. `Send`, not `Sync`: CUDA's graphs are not thread-safe.
///
/// Dropping it is correct while launches are in flight: it is destroyed, and what it owns given
/// back, when they are over.
#[derive(Debug)]
pub struct GraphExec {
    /// `None` only while dropping.
    handle: Option<ExecHandle>,
    /// In ascending order of their captures. More than one only after an update that failed.
    sets: Vec<Arc<CaptureSet>>,
    device: i32,
    /// Launches and uploads that may not be over; on an ordinary stream one stands for all.
    launches: Vec<Use>,
    _not_sync: std::marker::PhantomData<std::cell::Cell<()>>,
}

/// Above this many, launches that are over are forgotten.
const LAUNCHES_KEPT: usize = 8;

impl GraphExec {
    pub(super) fn new(handle: ExecHandle, set: Arc<CaptureSet>, device: i32) -> Self {
        Self {
            handle: Some(handle),
            sets: vec![set],
            device,
            launches: Vec::new(),
            _not_sync: std::marker::PhantomData,
        }
    }

    fn handle(&self) -> &ExecHandle {
        self.handle.as_ref().expect("only `drop` takes it")
    }

    /// Runs the graph behind all that `stream` has been given, and behind every conflicting use
    /// of the memory in it on whichever stream. Does not block, except while another thread reads
    /// or writes pinned memory of the same capture. `cudaGraphLaunch`.
    ///
    /// # Errors
    /// `DEVICE_MISMATCH`; `CAPTURE_UNSUPPORTED` on a stream in capture; `BUSY` if another thread
    /// keeps a use of the memory registered without launching it; what the call reports.
    #[track_caller]
    pub fn launch(&mut self, stream: &Stream) -> Result<()> {
        let op = Op::new("GraphExec::launch");
        rt::enter(op)?;
        stream.refuse_capture(op, "a graph can't be launched into a capture by this crate")?;
        stream.expect_device(op, "graph", self.device)?;
        let _current = device::enter(op, self.device)?;
        let sets = self.sets.clone();
        let _gates: Vec<_> = sets.iter().map(|set| lock(&set.gate)).collect();
        let mut accesses = acquire_all(op, &sets, stream)?;
        // Before the call, and whether it reports success or not.
        if !stream.must_record_early() {
            self.launched_on(op, stream);
        }
        // SAFETY: the set owns all that the graph uses, and outlives the launch (drop and update
        // wait for `launches`); every use is ordered and registered, device and pinned memory.
        let launched = unsafe { self.handle().launch(op, stream) };
        if stream.must_record_early() {
            let mut all: Vec<&mut Access<'_>> = accesses.iter_mut().collect();
            let marked = Access::mark_all(op, stream, &mut all);
            let flight = match &marked {
                Ok(event) => Use::marked(stream, Arc::clone(event)),
                Err(_) => Use::late(stream),
            };
            self.remember(op, flight);
            launched.and(marked.map(drop))
        } else {
            launched
        }
    }

    fn launched_on(&mut self, op: Op, stream: &Stream) {
        let unmarked = |one: &Use| one.stream().is(stream) && one.event().is_none();
        if self.launches.iter().any(unmarked) {
            // An unmarked use stands for the later launch as well.
            return;
        }
        self.remember(op, Use::late(stream));
    }

    /// Keeps a launch until it is over.
    fn remember(&mut self, op: Op, flight: Use) {
        if self.launches.len() >= LAUNCHES_KEPT {
            self.launches
                .retain(|one| !matches!(one.done(op), Ok(true)));
        }
        self.launches.push(flight);
    }

    /// Copies the graph to the device ahead of the first launch. Does not block.
    /// `cudaGraphUpload`.
    ///
    /// # Errors
    /// As [`launch`](Self::launch).
    #[track_caller]
    pub fn upload(&mut self, stream: &Stream) -> Result<()> {
        let op = Op::new("GraphExec::upload");
        rt::enter(op)?;
        stream.refuse_capture(op, "a graph can't be uploaded in a capture")?;
        stream.expect_device(op, "graph", self.device)?;
        let _current = device::enter(op, self.device)?;
        let uploaded = self.handle().upload(op, stream);
        let flight = match event::record(op, stream, 0) {
            Ok(event) => Use::marked(stream, event),
            Err(_) => Use::late(stream),
        };
        self.remember(op, flight);
        uploaded
    }

    /// Makes later launches run `graph`, which has to have the same nodes with other parameters.
    /// Launches in flight are not affected. `cudaGraphExecUpdate`; much cheaper than a new
    /// instantiation.
    ///
    /// # Errors
    /// `DEVICE_MISMATCH`; what the call reports. A graph that differs too much is no error but
    /// [`GraphUpdate::Rejected`].
    #[track_caller]
    pub fn update(&mut self, graph: &Graph) -> Result<GraphUpdate> {
        let op = Op::new("GraphExec::update");
        rt::enter(op)?;
        if graph.device != self.device {
            return Err(error::device_mismatch(
                op,
                ("graph", graph.device),
                ("executable graph", self.device),
            ));
        }
        let _current = device::enter(op, self.device)?;
        let (result, why) = self.handle().update(op, &graph.handle);
        if let Err(e) = result {
            // CUDA does not say that a refused update leaves every node as it was, so both sets
            // are kept, and count as used by a launch.
            if !self.sets.iter().any(|set| Arc::ptr_eq(set, &graph.set)) {
                self.sets.push(Arc::clone(&graph.set));
                self.sets.sort_by_key(|set| set.id);
            }
            if e.code() == codes::GRAPH_EXEC_UPDATE_FAILURE {
                return Ok(GraphUpdate::Rejected(why));
            }
            return Err(e);
        }
        let old = std::mem::replace(&mut self.sets, vec![Arc::clone(&graph.set)]);
        retire::park(
            self.device,
            "GraphExec::update",
            self.launches.clone(),
            move |_| {
                drop(old);
                Ok(())
            },
        );
        retire::sweep();
        Ok(GraphUpdate::Updated)
    }

    /// The set that a pinned buffer belongs to, and its index; `None` if it has no bytes.
    fn find<T>(&self, op: Op, buffer: &GraphHostBuffer<T>) -> Result<Option<(&CaptureSet, usize)>> {
        let set = self.sets.iter().find(|set| set.id == buffer.capture());
        let Some(set) = set else {
            return Err(error::invalid(
                op,
                "the pinned buffer was given to another capture",
            ));
        };
        Ok(buffer.index_in(op, set.id)?.map(|index| (&**set, index)))
    }

    /// The contents of a pinned buffer of the graph. Blocks the CPU until the launches that may
    /// write it are over.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if it is not of this graph; what the launches failed with.
    #[track_caller]
    pub fn read_host<T: AnyBitPattern>(&self, buffer: &GraphHostBuffer<T>) -> Result<Vec<T>> {
        let op = Op::new("GraphExec::read_host");
        rt::enter(op)?;
        let mut vec = Vec::<T>::with_capacity(buffer.len());
        if let Some((set, index)) = self.find(op, buffer)? {
            let _gate = lock(&set.gate);
            let memory = &set.pinned[index].memory;
            memory.tracker().wait_for_host(op, Mode::Read)?;
            // SAFETY: the pinned memory holds `len` elements, and no launch writes it now: those
            // registered are over, and the gate keeps further ones away. Any bits make a `T`.
            unsafe {
                std::ptr::copy_nonoverlapping(memory.ptr().cast(), vec.as_mut_ptr(), buffer.len());
            }
        }
        // SAFETY: all elements have been written, or are of size zero.
        unsafe { vec.set_len(buffer.len()) };
        Ok(vec)
    }

    /// Overwrites a pinned buffer of the graph, for later launches. Blocks the CPU until the
    /// launches that may use it are over.
    ///
    /// # Errors
    /// `LENGTH_MISMATCH`; as [`read_host`](Self::read_host).
    #[track_caller]
    pub fn write_host<T: NoUninit>(
        &mut self,
        buffer: &GraphHostBuffer<T>,
        source: &[T],
    ) -> Result<()> {
        let op = Op::new("GraphExec::write_host");
        rt::enter(op)?;
        if source.len() != buffer.len() {
            return Err(error::length_mismatch(
                op,
                ("pinned buffer", buffer.len()),
                ("source slice", source.len()),
            ));
        }
        if let Some((set, index)) = self.find(op, buffer)? {
            let _gate = lock(&set.gate);
            let memory = &set.pinned[index].memory;
            memory.tracker().wait_for_host(op, Mode::Write)?;
            // SAFETY: the pinned memory holds `len` elements, and no launch uses it now: those
            // registered are over, and the gate keeps further ones away.
            unsafe {
                std::ptr::copy_nonoverlapping(source.as_ptr(), memory.ptr().cast(), source.len());
            }
        }
        Ok(())
    }
}

/// Registers a launch of `sets` on `stream` with everything in it. It never waits for another
/// thread's registration while it holds one of its own, so that two threads can't wait for each
/// other.
fn acquire_all<'a>(
    op: Op,
    sets: &'a [Arc<CaptureSet>],
    stream: &'a Stream,
) -> Result<Vec<Access<'a>>> {
    let members = sets.iter().flat_map(|set| &set.members);
    let device = members.map(|m| (m.tracker(), m.mode, m.range.clone()));
    let pinned = sets
        .iter()
        .flat_map(|set| &set.pinned)
        .filter_map(|p| p.mode.map(|mode| (p.memory.tracker(), mode, 0..usize::MAX)));
    let wanted: Vec<(&Tracker, Mode, _)> = device.chain(pinned).collect();
    'again: loop {
        let mut accesses = Vec::with_capacity(wanted.len());
        for (tracker, mode, range) in &wanted {
            match tracker.try_acquire(op, stream, *mode, range.clone())? {
                Acquired::Now(access) => accesses.push(access),
                Acquired::Busy => {
                    drop(accesses);
                    tracker.wait_for_turn(op, *mode)?;
                    continue 'again;
                }
            }
        }
        return Ok(accesses);
    }
}

impl Drop for GraphExec {
    fn drop(&mut self) {
        const NAME: &str = "GraphExec::drop";
        let Some(handle) = self.handle.take() else {
            return;
        };
        let sets = std::mem::take(&mut self.sets);
        let uses = std::mem::take(&mut self.launches);
        retire::park(self.device, NAME, uses, move |op| {
            let destroyed = handle.destroy(op);
            drop(sets);
            destroyed
        });
        retire::sweep();
    }
}
