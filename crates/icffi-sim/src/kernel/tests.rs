//! The scheduler of a block, with "kernels" written in Rust.

use std::ffi::c_void;
use std::sync::{Mutex, PoisonError};

use super::abi::{Block, Wait};
use super::block::Blocks;

type Thread<'a> = &'a dyn Fn(&Ctx, u32);

struct Ctx<'a> {
    thread: Thread<'a>,
    block: *mut Block,
}

impl Ctx<'_> {
    fn wait(&self, thread: u32, what: Wait, mask: u32, value: u64, source: u32) -> u64 {
        unsafe extern "C" {
            fn icffi_sim_wait(b: *mut Block, t: u32, w: u32, m: u32, v: u64, s: u32) -> u64;
        }
        // SAFETY: called by a thread of the block that runs.
        unsafe { icffi_sim_wait(self.block, thread, what as u32, mask, value, source) }
    }

    fn sync(&self, thread: u32) {
        self.wait(thread, Wait::Block, 0, 0, 0);
    }
}

/// What the C++ header does.
unsafe extern "C" fn run(thread: *const c_void, block: *mut Block) {
    // SAFETY: `run_block` passes this type and outlives the call.
    let thread = unsafe { *thread.cast::<Thread<'_>>() };
    let ctx = Ctx { thread, block };
    loop {
        // SAFETY: the block that runs; only one thread touches it at a time.
        let t = unsafe {
            let t = (*block).next;
            if t >= (*block).threads {
                return;
            }
            (*block).next = t + 1;
            t
        };
        (ctx.thread)(&ctx, t);
    }
}

fn run_block(blocks: &mut Blocks, threads: u32, thread: Thread<'_>) -> Result<(), String> {
    let block = Block {
        next: 0,
        threads,
        grid: [1; 3],
        block: [threads, 1, 1],
        index: [0; 3],
        reserved: 0,
        dynamic_shared: std::ptr::null_mut(),
    };
    // SAFETY: `run` takes a pointer to a `Thread`.
    unsafe { blocks.run(block, run, (&raw const thread).cast()) }
}

fn log() -> Mutex<Vec<u32>> {
    Mutex::new(Vec::new())
}

fn push(log: &Mutex<Vec<u32>>, value: u32) {
    log.lock()
        .unwrap_or_else(PoisonError::into_inner)
        .push(value);
}

#[test]
fn without_barriers_threads_run_in_order() {
    let mut blocks = Blocks::new();
    let seen = log();
    run_block(&mut blocks, 1024, &|_, t| push(&seen, t)).unwrap();
    assert!(seen.into_inner().unwrap().into_iter().eq(0..1024));
}

#[test]
fn nobody_passes_a_barrier_before_all_arrived() {
    let mut blocks = Blocks::new();
    for _ in 0..3 {
        let seen = log();
        run_block(&mut blocks, 256, &|ctx, t| {
            for round in 0..5 {
                push(&seen, round);
                ctx.sync(t);
            }
        })
        .unwrap();
        let seen = seen.into_inner().unwrap();
        assert_eq!(seen.len(), 5 * 256);
        assert!(seen.is_sorted());
    }
}

#[test]
fn ended_threads_count_as_arrived() {
    let mut blocks = Blocks::new();
    let seen = log();
    run_block(&mut blocks, 100, &|ctx, t| {
        if t % 3 == 0 {
            return;
        }
        push(&seen, 0);
        ctx.sync(t);
        push(&seen, 1);
    })
    .unwrap();
    let seen = seen.into_inner().unwrap();
    assert_eq!(seen.len(), 2 * 66);
    assert!(seen.is_sorted());
}

#[test]
fn shuffles_stay_within_their_warp() {
    let mut blocks = Blocks::new();
    let bad = log();
    // The last warp has 8 threads only.
    run_block(&mut blocks, 72, &|ctx, t| {
        let source = (t % 32 + 1) % 32;
        let got = ctx.wait(t, Wait::Shuffle, !0, u64::from(t) + 1000, source);
        let from = t / 32 * 32 + source;
        let expected = if from < 72 { from } else { t };
        if got != u64::from(expected) + 1000 {
            push(&bad, t);
        }
        let votes = ctx.wait(t, Wait::Ballot, !0, u64::from(t % 2), 0);
        let lanes = if t < 64 { 0xaaaa_aaaa } else { 0xaa };
        if votes != lanes {
            push(&bad, t);
        }
    })
    .unwrap();
    assert_eq!(bad.into_inner().unwrap(), []);
}

#[test]
fn halves_of_a_warp_may_meet_on_their_own() {
    let mut blocks = Blocks::new();
    run_block(&mut blocks, 32, &|ctx, t| {
        if t < 16 {
            ctx.wait(t, Wait::Warp, 0xffff, 0, 0);
        } else {
            ctx.wait(t, Wait::Ballot, 0xffff_0000, 0, 0);
        }
        ctx.sync(t);
    })
    .unwrap();
}

#[test]
fn a_deadlock_ends_with_a_sentence_and_the_next_block_runs() {
    let mut blocks = Blocks::new();
    for _ in 0..2 {
        let why = run_block(&mut blocks, 64, &|ctx, t| {
            if t == 5 {
                ctx.wait(t, Wait::Warp, !0, 0, 0);
            } else {
                ctx.sync(t);
            }
        })
        .unwrap_err();
        assert!(why.contains("63 at __syncthreads, 1 at a warp's"), "{why}");
        assert!(why.contains("thread 5"), "{why}");
        // A lane that is not in its own mask can't meet anybody.
        run_block(&mut blocks, 32, &|ctx, t| {
            ctx.wait(t, Wait::Warp, 1, 0, 0);
        })
        .unwrap_err();
        run_block(&mut blocks, 64, &|ctx, t| ctx.sync(t)).unwrap();
    }
}

#[test]
fn floating_point_registers_survive() {
    let mut blocks = Blocks::new();
    let bad = log();
    run_block(&mut blocks, 64, &|ctx, t| {
        let mut sum = f64::from(t);
        for i in 0..10 {
            ctx.sync(t);
            sum += f64::from(i);
        }
        if sum != f64::from(t + 45) {
            push(&bad, t);
        }
    })
    .unwrap();
    assert_eq!(bad.into_inner().unwrap(), []);
}
