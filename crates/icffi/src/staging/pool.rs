//! Which blocks there are: idle by size class, and in flight in order of enqueueing.

use super::StagingStatistics;
use super::block::{Block, Staged};
use crate::error::{self, Result};
use crate::op::Op;
use crate::ordering::Use;
use crate::sync::lock;
use crate::{device, retire, rt};
use std::collections::VecDeque;
use std::sync::Mutex;

/// Large enough that a copy of one block hides the cost of enqueueing the next.
pub(super) const LARGEST: usize = 4 << 20;
const CLASSES: [usize; 5] = [16 << 10, 64 << 10, 256 << 10, 1 << 20, LARGEST];
const DEFAULT_LIMIT: usize = 256 << 20;

struct Pool {
    idle: [Vec<Block>; CLASSES.len()],
    in_flight: VecDeque<(Use, Block)>,
    total: usize,
    limit: usize,
}

static POOL: Mutex<Pool> = Mutex::new(Pool {
    idle: [const { Vec::new() }; CLASSES.len()],
    in_flight: VecDeque::new(),
    total: 0,
    limit: DEFAULT_LIMIT,
});

fn class_of(bytes: usize) -> usize {
    CLASSES
        .iter()
        .position(|&size| size >= bytes)
        .unwrap_or(CLASSES.len() - 1)
}

/// A block of at least `bytes` (at most [`LARGEST`]) bytes. At the bound it waits for the oldest
/// transfer in flight; if none is (all blocks are held by guards), it goes over the bound by
/// this one block, so that a caller who must finish now can.
pub(super) fn acquire(op: Op, bytes: usize) -> Result<Staged> {
    rt::enter(op)?;
    let class = class_of(bytes);
    loop {
        if let Some(staged) = try_acquire(op, class)? {
            return Ok(staged);
        }
        let oldest = lock(&POOL).in_flight.pop_front();
        let Some((flight, block)) = oldest else {
            return make(op, class);
        };
        match flight.wait(op) {
            Ok(()) => give_back_or_free(block),
            Err(e) => {
                abandon(block, flight);
                return Err(e);
            }
        }
    }
}

/// Blocks for all of `sizes` within the bound, or none, without waiting.
pub(super) fn acquire_all(
    op: Op,
    sizes: impl Iterator<Item = usize>,
) -> Result<Option<Vec<Staged>>> {
    rt::enter(op)?;
    let mut all = Vec::new();
    for bytes in sizes {
        match try_acquire(op, class_of(bytes))? {
            Some(staged) => all.push(staged),
            None => return Ok(None),
        }
    }
    Ok(Some(all))
}

fn try_acquire(op: Op, class: usize) -> Result<Option<Staged>> {
    if let Some(block) = take_idle(class) {
        return Ok(Some(Staged::new(block)));
    }
    reclaim(op);
    if let Some(block) = take_idle(class) {
        return Ok(Some(Staged::new(block)));
    }
    let fits = {
        let pool = lock(&POOL);
        pool.total + CLASSES[class] <= pool.limit
    };
    if fits {
        make(op, class).map(Some)
    } else {
        Ok(None)
    }
}

fn take_idle(class: usize) -> Option<Block> {
    lock(&POOL).idle[class].pop()
}

fn make(op: Op, class: usize) -> Result<Staged> {
    let block = Block::alloc(op, CLASSES[class])?;
    lock(&POOL).total += block.bytes();
    Ok(Staged::new(block))
}

/// Moves what has landed to the idle ones. Transfers of one stream land in order, so the first
/// that has not landed ends the search for its stream; a few streams are looked at.
fn reclaim(op: Op) {
    // Out of the lock: a query is a CUDA call.
    let mut flights = std::mem::take(&mut lock(&POOL).in_flight);
    let mut waiting = VecDeque::with_capacity(flights.len());
    let mut busy: Vec<crate::stream::Stream> = Vec::new();
    while let Some((flight, block)) = flights.pop_front() {
        if busy.iter().any(|s| s.is(flight.stream())) {
            waiting.push_back((flight, block));
            continue;
        }
        match flight.done(op) {
            Ok(true) => give_back_or_free(block),
            Ok(false) => {
                busy.push(flight.stream().clone());
                waiting.push_back((flight, block));
            }
            // This crate's own refusals say nothing about the transfer.
            Err(e) if e.is_icffi_error() => waiting.push_back((flight, block)),
            Err(_) => abandon(block, flight),
        }
    }
    let mut pool = lock(&POOL);
    while let Some(flight) = waiting.pop_back() {
        pool.in_flight.push_front(flight);
    }
}

/// An idle block comes back.
pub(super) fn give_back(block: Block) {
    if rt::in_callback() {
        lock(&POOL).idle[class_of(block.bytes())].push(block);
    } else {
        give_back_or_free(block);
    }
}

/// A block that the device may still use comes back.
pub(super) fn give_back_after(block: Block, flight: Use) {
    if flight.is_out_of_reach_elsewhere() {
        // Once its thread has ended nobody could ask; what is quarantined is counted, and released
        // when the device is idle.
        return abandon(block, flight);
    }
    lock(&POOL).in_flight.push_back((flight, block));
}

fn give_back_or_free(block: Block) {
    {
        let mut pool = lock(&POOL);
        if pool.total <= pool.limit {
            pool.idle[class_of(block.bytes())].push(block);
            return;
        }
        pool.total -= block.bytes();
    }
    free(Op::new("staging"), block);
}

/// Completion can't be proved: out of the pool, into quarantine.
fn abandon(block: Block, flight: Use) {
    {
        let mut pool = lock(&POOL);
        pool.total -= block.bytes();
    }
    let ordinal = flight.stream().ordinal();
    retire::quarantine(ordinal, "staging", vec![flight], move |op| block.free(op));
}

fn free(op: Op, block: Block) {
    if let Err(e) = rt::gone_at_exit(block.free(op)) {
        // Pinned memory belongs to no device; the first one reports.
        device::state(0).count_leak();
        device::state(0).defer(e);
    }
}

pub(super) fn set_limit(bytes: usize) {
    lock(&POOL).limit = bytes;
}

pub(super) fn reserve(op: Op, bytes: usize) -> Result<()> {
    let limit = lock(&POOL).limit;
    if bytes > limit {
        return Err(error::invalid(
            op,
            format!(
                "{bytes} bytes of staging memory, the bound is {limit}; raise it with set_limit"
            ),
        ));
    }
    let mut made = Vec::new();
    while lock(&POOL).total < bytes {
        made.push(make(op, CLASSES.len() - 1)?);
    }
    Ok(())
}

pub(super) fn trim(op: Op) {
    reclaim(op);
    let idle = {
        let mut pool = lock(&POOL);
        let idle = std::mem::replace(&mut pool.idle, [const { Vec::new() }; CLASSES.len()]);
        pool.total -= idle.iter().flatten().map(Block::bytes).sum::<usize>();
        idle
    };
    for block in idle.into_iter().flatten() {
        free(op, block);
    }
}

pub(super) fn statistics() -> StagingStatistics {
    let pool = lock(&POOL);
    StagingStatistics {
        total_bytes: pool.total,
        idle_bytes: pool.idle.iter().flatten().map(Block::bytes).sum(),
        limit_bytes: pool.limit,
    }
}
