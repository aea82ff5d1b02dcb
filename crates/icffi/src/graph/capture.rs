//! A capture in progress: what it has recorded, and in which order.
//!
//! The uses recorded here never touch the eager record of an allocation: captured work runs when
//! the graph is launched, not now. Order among captured operations is kept by a record of the
//! capture's own; order between a launch and everything else is kept when it is launched.
#![allow(unsafe_code)]

use super::handle::GraphHandle;
use super::set::{CaptureSet, HostFn, PinnedMember};
use super::{CaptureStream, Graph};
use crate::error::{self, Result};
use crate::event::{self, PooledEvent};
use crate::host_memory::Pinned;
use crate::memory::Allocation;
use crate::op::Op;
use crate::ordering::{Access, Mode, Segments};
use crate::rt::{self, CallbackScope, LiveCapture};
use crate::stream::{PanicSlot, Stream};
use crate::sync::lock;
use icffi_sys::cudaStreamCaptureMode;
use std::collections::HashMap;
use std::ffi::c_void;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, Mutex};
use std::thread::{self, ThreadId};

static IDS: AtomicU64 = AtomicU64::new(1);

/// Shared by the streams of one capture. Only the thread that captures gets anything done with
/// it, and only until the capture ends; everybody else is refused before CUDA is called.
#[derive(Debug)]
pub(crate) struct Capture {
    id: u64,
    owner: ThreadId,
    device: i32,
    state: Mutex<State>,
    /// Every event recorded in it, kept until it has ended: the driver follows them when it ends
    /// the capture. Apart from the rest, since they are recorded while that is locked.
    events: Mutex<Vec<Arc<PooledEvent>>>,
}

#[derive(Debug, Default)]
struct State {
    open: bool,
    set: CaptureSet,
    /// Captured uses of device memory, by allocation.
    device_uses: HashMap<*const Allocation, Segments>,
    /// Captured uses of pinned memory, by index in the set.
    pinned_uses: Vec<Segments>,
    /// All streams but the first.
    forks: Vec<Stream>,
    /// If CUDA refused to end the capture: it lasts as long as the streams do.
    unended: Option<LiveCapture>,
}

// SAFETY: the raw pointers are keys, never followed; everything else is `Send`.
unsafe impl Send for State {}

impl Capture {
    pub(crate) fn id(&self) -> u64 {
        self.id
    }

    /// Whether it may still be in progress.
    pub(crate) fn is_open(&self) -> bool {
        lock(&self.state).open
    }

    /// Keeps an event until the capture has ended.
    pub(crate) fn keep_event(&self, event: Arc<PooledEvent>) {
        lock(&self.events).push(event);
    }

    fn enter(&self, op: Op) -> Result<std::sync::MutexGuard<'_, State>> {
        let state = lock(&self.state);
        if !state.open {
            return Err(error::capture_isolation(
                op,
                "the stream's capture has ended",
            ));
        }
        if self.owner != thread::current().id() {
            return Err(error::capture_isolation(
                op,
                "the stream belongs to a capture of another thread",
            ));
        }
        Ok(state)
    }

    /// Refuses whoever may not use the capture's streams.
    pub(crate) fn check(&self, op: Op) -> Result<()> {
        self.enter(op).map(drop)
    }

    /// Registers a captured use of device memory, which the graph owns from now on.
    pub(crate) fn acquire<'a>(
        &self,
        op: Op,
        memory: &Arc<Allocation>,
        stream: &'a Stream,
        mode: Mode,
        range: Range<usize>,
    ) -> Result<Access<'a>> {
        let mut state = self.enter(op)?;
        let state = &mut *state;
        let first = !state.device_uses.contains_key(&Arc::as_ptr(memory));
        let uses = state.device_uses.entry(Arc::as_ptr(memory)).or_default();
        uses.acquire(op, stream, mode, &range, || stream.lane().open())?;
        state.set.add(memory, mode, &range);
        if first {
            memory.tracker().share();
        }
        if mode == Mode::Write {
            memory.tracker().enter_capture(self.id);
        }
        Ok(Access::captured(op, stream))
    }

    /// Takes pinned memory in; the result is its index.
    pub(super) fn adopt(&self, op: Op, memory: Pinned) -> Result<usize> {
        let mut state = self.enter(op)?;
        memory.tracker().share();
        state.set.pinned.push(PinnedMember { memory, mode: None });
        state.pinned_uses.push(Segments::default());
        Ok(state.set.pinned.len() - 1)
    }

    /// Registers a captured use of all of an adopted pinned buffer. The result is its address.
    pub(super) fn acquire_pinned<'a>(
        &self,
        op: Op,
        index: usize,
        stream: &'a Stream,
        mode: Mode,
    ) -> Result<(*mut c_void, Access<'a>)> {
        let mut state = self.enter(op)?;
        let state = &mut *state;
        let member = &mut state.set.pinned[index];
        let whole = 0..usize::MAX;
        state.pinned_uses[index].acquire(op, stream, mode, &whole, || stream.lane().open())?;
        if member.mode != Some(Mode::Write) {
            member.mode = Some(mode);
        }
        Ok((member.memory.ptr(), Access::captured(op, stream)))
    }

    /// Records a host function, which the graph owns from now on.
    pub(super) fn host_fn(&self, op: Op, stream: &Stream, function: HostFn) -> Result<()> {
        let callback = Arc::new(GraphCallback {
            function,
            panics: Arc::clone(stream.core().panics()),
        });
        let data = Arc::as_ptr(&callback).cast_mut().cast::<c_void>();
        self.enter(op)?.set.host_fns.push(callback);
        // SAFETY: the set owns the block, and lives as long as any graph or executable graph
        // that may call it; it is only read, and is `Sync`.
        unsafe { stream.core().launch_host_func(op, Some(trampoline), data) }
    }

    pub(super) fn add_fork(&self, op: Op, fork: &Stream) -> Result<()> {
        self.enter(op)?.forks.push(fork.clone());
        Ok(())
    }

    /// Ends it: from here on its streams are refused. The result is all it recorded.
    fn close(&self) -> CaptureSet {
        let (set, streams, uses) = {
            let mut state = lock(&self.state);
            state.open = false;
            let uses = (
                std::mem::take(&mut state.device_uses),
                std::mem::take(&mut state.pinned_uses),
            );
            (
                std::mem::take(&mut state.set),
                std::mem::take(&mut state.forks),
                uses,
            )
        };
        for member in &set.members {
            member.tracker().leave_capture(self.id);
        }
        // Out of the lock: their destructors call CUDA.
        let events = std::mem::take(&mut *lock(&self.events));
        drop((streams, uses, events));
        set
    }
}

/// Runs `record` on a private stream that captures, and ends the capture on every path.
pub(crate) fn run(
    op: Op,
    near: &Stream,
    record: impl FnOnce(&CaptureStream) -> Result<()>,
) -> Result<Graph> {
    let device = near.ordinal();
    let _current = crate::device::enter(op, device)?;
    let capture = Arc::new(Capture {
        id: IDS.fetch_add(1, Relaxed),
        owner: thread::current().id(),
        device,
        state: Mutex::new(State {
            open: true,
            ..State::default()
        }),
        events: Mutex::default(),
    });
    lock(&capture.state).set.id = capture.id;
    let priority = near.priority_in(op)?;
    let stream = Stream::for_capture(op, device, priority, Arc::clone(&capture))?;
    let live = LiveCapture::on(device);
    // SAFETY: the stream is private: only this capture's operations reach it, and only from this
    // thread. Thread-local mode, so that other threads neither disturb nor are disturbed.
    unsafe {
        rt::begin_capture(
            op,
            stream.raw(),
            cudaStreamCaptureMode::cudaStreamCaptureModeThreadLocal,
        )
    }?;
    let recorded = catch_unwind(AssertUnwindSafe(|| {
        record(&CaptureStream::new(stream.clone()))
    }));
    let joined = join_forks(op, &capture, &stream);
    // SAFETY: the stream is live, and was put into capture above.
    let ended = unsafe { rt::end_capture(op, stream.raw()) };
    let set = capture.close();
    if ended.is_err() {
        lock(&capture.state).unended = Some(live);
    } else {
        drop(live);
    }
    let graph = ended.map(|raw| {
        // SAFETY: just made, and nobody else has it.
        Graph::new(unsafe { GraphHandle::from_raw(raw, device) }, set, device)
    });
    match recorded {
        Err(panic) => resume_unwind(panic),
        Ok(Err(refused)) => Err(refused),
        Ok(Ok(())) => joined.and(graph),
    }
}

/// Joins the other streams to the first, as CUDA demands before a capture ends.
fn join_forks(op: Op, capture: &Capture, stream: &Stream) -> Result<()> {
    let forks = lock(&capture.state).forks.clone();
    forks.iter().try_for_each(|fork| {
        let event = event::record(op, fork, 0)?;
        event.handle().hold_back(op, stream)
    })
}

impl Capture {
    /// Another stream of the same capture, behind all that `from` has recorded.
    pub(super) fn fork(self: &Arc<Self>, op: Op, from: &Stream) -> Result<Stream> {
        self.check(op)?;
        let priority = from.priority_in(op)?;
        let fork = Stream::for_capture(op, self.device, priority, Arc::clone(self))?;
        let event = event::record(op, from, 0)?;
        event.handle().hold_back(op, &fork)?;
        self.add_fork(op, &fork)?;
        Ok(fork)
    }
}

/// A host function of a graph, called at every launch.
pub(crate) struct GraphCallback {
    function: HostFn,
    panics: Arc<PanicSlot>,
}

unsafe extern "C" fn trampoline(data: *mut c_void) {
    // SAFETY: `host_fn` passed the address of a block that the capture set owns.
    let callback = unsafe { &*data.cast_const().cast::<GraphCallback>() };
    let _scope = CallbackScope::enter();
    if let Err(payload) = catch_unwind(AssertUnwindSafe(|| (callback.function)())) {
        callback.panics.keep(payload);
    }
}
