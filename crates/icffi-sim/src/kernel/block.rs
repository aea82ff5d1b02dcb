//! Running the threads of one block after the other until they wait, and deciding who goes on.

use std::collections::VecDeque;
use std::ffi::c_void;

use super::abi::{Block, Run, Wait};
use super::fiber::{Entry, Fiber, switch};

/// What a fiber says when it gives the processor back.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Said {
    /// No thread is left to begin.
    Done,
    /// Its thread waits.
    Waits(Waiting),
}

/// A thread that waits, on the fiber of that number.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct Waiting {
    fiber: usize,
    thread: u32,
    what: Wait,
    mask: u32,
    value: u64,
    source: u32,
}

impl Waiting {
    fn warp(&self) -> u32 {
        self.thread / 32
    }

    fn lane(&self) -> u32 {
        self.thread % 32
    }
}

/// The block that runs, and what fibers and scheduler tell each other. C++ gets a pointer to its
/// first field and hands it back.
#[repr(C)]
struct Desk {
    block: Block,
    run: Option<Run>,
    arguments: *const c_void,
    /// The scheduler, while a fiber runs; the fiber that spoke last, while the scheduler runs.
    scheduler: *mut u8,
    fiber: *mut u8,
    said: Said,
    /// What the waiting thread gets from its wait.
    answer: u64,
}

/// Runs blocks. It keeps its fibers from launch to launch: an idle one waits in its entry loop.
///
/// # Invariants
/// 1. `desk` is a leaked box, so that fibers may keep its address; it is only touched by whoever
///    runs, the scheduler or one fiber.
/// 2. A fiber is in exactly one of `idle`, `ready`, `waiting`, or is the one that runs.
pub(super) struct Blocks {
    desk: *mut Desk,
    fibers: Vec<Fiber>,
    idle: Vec<usize>,
    ready: VecDeque<(usize, u64)>,
    waiting: Vec<Waiting>,
}

// SAFETY: `desk` belongs to this value (invariant 1), and fibers hold nothing that belongs to the
// thread they ran on: between launches each sits in `fiber_main`, which keeps two pointers.
unsafe impl Send for Blocks {}

impl Blocks {
    pub(super) fn new() -> Self {
        let desk = Desk {
            block: Block {
                next: 0,
                threads: 0,
                grid: [1; 3],
                block: [1; 3],
                index: [0; 3],
                reserved: 0,
                dynamic_shared: std::ptr::null_mut(),
            },
            run: None,
            arguments: std::ptr::null(),
            scheduler: std::ptr::null_mut(),
            fiber: std::ptr::null_mut(),
            said: Said::Done,
            answer: 0,
        };
        Self {
            desk: Box::into_raw(Box::new(desk)),
            fibers: Vec::new(),
            idle: Vec::new(),
            ready: VecDeque::new(),
            waiting: Vec::new(),
        }
    }

    /// Runs one block to its end.
    ///
    /// # Errors
    /// A sentence, if its threads wait for each other for ever.
    ///
    /// # Safety
    /// `run` may be called with `arguments` on any stack, and its kernel touches what it may.
    pub(super) unsafe fn run(
        &mut self,
        block: Block,
        run: Run,
        arguments: *const c_void,
    ) -> Result<(), String> {
        // SAFETY: no fiber runs, so the desk is ours (invariant 1).
        unsafe {
            (*self.desk).block = block;
            (*self.desk).run = Some(run);
            (*self.desk).arguments = arguments;
        }
        loop {
            if let Some((fiber, answer)) = self.ready.pop_front() {
                self.resume(fiber, answer);
            // SAFETY: no fiber runs (invariant 1).
            } else if unsafe { (*self.desk).block.next < (*self.desk).block.threads } {
                let fiber = match self.idle.pop() {
                    Some(fiber) => fiber,
                    None => self.add_fiber()?,
                };
                self.resume(fiber, 0);
            } else if self.waiting.is_empty() {
                return Ok(());
            } else if !self.release_warps() && !self.release_block() {
                let why = self.deadlock();
                self.abandon();
                return Err(why);
            }
        }
    }

    fn add_fiber(&mut self) -> Result<usize, String> {
        match Fiber::new(self.fibers.len(), FIBER_MAIN, self.desk.cast()) {
            Ok(fiber) => {
                self.fibers.push(fiber);
                Ok(self.fibers.len() - 1)
            }
            Err(e) => {
                self.abandon();
                Err(format!("no memory for the stack of another thread: {e}"))
            }
        }
    }

    fn resume(&mut self, fiber: usize, answer: u64) {
        let desk = self.desk;
        // SAFETY: the fiber does not run and its pointer is the one saved last (invariant 2);
        // while it runs the desk is its own, and afterwards ours again (invariant 1).
        let said = unsafe {
            (*desk).answer = answer;
            switch(&raw mut (*desk).scheduler, self.fibers[fiber].pointer);
            self.fibers[fiber].pointer = (*desk).fiber;
            (*desk).said
        };
        match said {
            Said::Done => self.idle.push(fiber),
            Said::Waits(waiting) => self.waiting.push(Waiting { fiber, ..waiting }),
        }
    }

    /// Lets go the lanes that have met: of each warp those of one mask, if no lane of that mask
    /// waits for something else. Lanes that have ended need not come any more.
    fn release_warps(&mut self) -> bool {
        if self.waiting.iter().all(|w| w.what == Wait::Block) {
            return false;
        }
        let mut released = false;
        // All waiting threads of a warp are looked at together; everybody else has ended.
        self.waiting.sort_by_key(|w| w.thread);
        let waiting = std::mem::take(&mut self.waiting);
        for warp in waiting.chunk_by(|a, b| a.warp() == b.warp()) {
            for w in warp {
                let group = || warp.iter().filter(|other| w.mask >> other.lane() & 1 == 1);
                let met = w.what != Wait::Block
                    && w.mask >> w.lane() & 1 == 1
                    && group().all(|other| other.what == w.what && other.mask == w.mask);
                if !met {
                    self.waiting.push(*w);
                    continue;
                }
                let answer = match w.what {
                    Wait::Block | Wait::Warp => 0,
                    Wait::Shuffle => group()
                        .find(|other| other.lane() == w.source)
                        .map_or(w.value, |other| other.value),
                    Wait::Ballot => group()
                        .filter(|other| other.value != 0)
                        .map(|other| 1u64 << other.lane())
                        .sum(),
                };
                self.ready.push_back((w.fiber, answer));
                released = true;
            }
        }
        released
    }

    /// Lets all threads go if all wait at the block's barrier. Those that have ended count as
    /// arrived, as they do on a GPU.
    fn release_block(&mut self) -> bool {
        if self.waiting.iter().any(|w| w.what != Wait::Block) {
            return false;
        }
        self.ready
            .extend(self.waiting.drain(..).map(|w| (w.fiber, 0)));
        true
    }

    fn deadlock(&self) -> String {
        let at = |what: Wait| self.waiting.iter().filter(|w| w.what == what).count();
        let first = self.waiting.iter().find(|w| w.what != Wait::Block);
        let detail = first.map_or(String::new(), |w| {
            format!(
                "; thread {} of the block waits for lanes {:#010x} of its warp in {:?}",
                w.thread, w.mask, w.what
            )
        });
        format!(
            "its threads wait for each other for ever: {} at __syncthreads, {} at a warp's barrier, \
             shuffle or vote{detail}",
            at(Wait::Block),
            self.waiting.len() - at(Wait::Block),
        )
    }

    /// Throws away threads that can't go on. What they have on their stacks is forgotten: a
    /// kernel has nothing there that needs a destructor.
    fn abandon(&mut self) {
        let stuck = self.waiting.drain(..).map(|w| w.fiber);
        let stuck: Vec<_> = stuck.chain(self.ready.drain(..).map(|(f, _)| f)).collect();
        for fiber in stuck {
            self.fibers[fiber].reset(FIBER_MAIN, self.desk.cast());
            self.idle.push(fiber);
        }
    }
}

const FIBER_MAIN: Entry = fiber_main;

/// What each fiber runs: threads of the block on the desk, until there are none, again and again.
unsafe extern "C" fn fiber_main(desk: *mut c_void) -> ! {
    let desk: *mut Desk = desk.cast();
    loop {
        // SAFETY: this fiber runs, so the desk is its own (invariant 1 of `Blocks`), and `run`
        // was set with its arguments by `Blocks::run`, which waits for us.
        unsafe {
            if let Some(run) = (*desk).run {
                run((*desk).arguments, (&raw mut (*desk).block).cast());
            }
            (*desk).said = Said::Done;
            switch(&raw mut (*desk).fiber, (*desk).scheduler);
        }
    }
}

/// Called by a thread of a kernel that has to wait. See `icffi/sim/device.h`.
///
/// # Safety
/// `block` is what the kernel's `run` was called with, and it is running.
#[unsafe(no_mangle)]
unsafe extern "C" fn icffi_sim_wait(
    block: *mut Block,
    thread: u32,
    what: u32,
    mask: u32,
    value: u64,
    source: u32,
) -> u64 {
    // `block` is the first field of the desk.
    let desk: *mut Desk = block.cast();
    // Unwinding must not cross into C++, so a wrong number is a plain barrier.
    let what = Wait::new(what).unwrap_or(Wait::Block);
    // SAFETY: the caller runs on a fiber, so the desk is its own until the switch, and again after
    // it; the scheduler's pointer was saved when this fiber was resumed.
    unsafe {
        (*desk).said = Said::Waits(Waiting {
            fiber: usize::MAX,
            thread,
            what,
            mask,
            value,
            source,
        });
        switch(&raw mut (*desk).fiber, (*desk).scheduler);
        (*desk).answer
    }
}
