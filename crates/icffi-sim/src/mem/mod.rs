//! Memory: who owns which bytes, and whether an operation may touch them.

mod backing;
mod check;
mod life;
mod pool;

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::ops::Range;

use icffi_sys::cudaError;

use crate::call::Outcome;
use crate::report::ReportKind;
use crate::state::Sim;
use crate::table::Table;
use backing::Backing;
pub(crate) use check::{Misuse, Place, Region};
pub(crate) use pool::{Pool, PoolKey};

/// Allocations are told apart by number: an address comes back, a number does not.
pub(crate) type AllocId = u64;

/// Freed memory that stays mapped, at most this much of it.
const QUARANTINE_BYTES: usize = 256 << 20;
const QUARANTINE_COUNT: usize = 2048;
/// Live allocations that get a guard page: each costs the process two mappings of the 65,530
/// that the kernel allows.
const GUARDED: usize = 8192;

/// How memory came to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Origin {
    /// `cudaMalloc` and `cudaMallocPitch`.
    Malloc,
    /// A pool.
    Pool(PoolKey),
    /// A node of a graph.
    Graph,
    /// `cudaHostAlloc` and `cudaMallocHost`, with the flags.
    Pinned(u32),
    /// The caller's own memory under `cudaHostRegister`, with the flags.
    Registered(u32),
}

/// Where an allocation is in its life.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum State {
    /// Handed out, but the stream has not reached the allocation. Memory of a graph is so before
    /// the node that allocates it and after the one that frees it.
    Promised,
    Live,
    Freed,
}

/// One allocation.
#[derive(Debug)]
pub(crate) struct Alloc {
    pub(crate) id: AllocId,
    pub(crate) base: usize,
    pub(crate) len: usize,
    pub(crate) device: usize,
    pub(crate) origin: Origin,
    pub(crate) state: State,
    pub(crate) made_by: &'static str,
    pub(crate) freed_by: &'static str,
    /// `cudaFreeAsync` was called; its stream may not have reached it.
    pub(crate) free_enqueued: bool,
    /// Memory of a graph: by the calls made so far it is allocated.
    pub(crate) outstanding: bool,
    /// Memory of a graph: the device's memory counts it.
    pub(crate) mapped: bool,
    backing: Option<Backing>,
}

impl Alloc {
    pub(crate) fn range(&self) -> Range<usize> {
        self.base..self.base + self.len
    }

    pub(crate) fn is_device(&self) -> bool {
        matches!(
            self.origin,
            Origin::Malloc | Origin::Pool(_) | Origin::Graph
        )
    }

    /// Freed, or to be freed by a call already made: not to be named in a call any more.
    pub(crate) fn is_gone(&self) -> bool {
        let asleep = self.origin == Origin::Graph && !self.outstanding;
        self.free_enqueued || asleep || self.state == State::Freed
    }

    fn span(&self) -> Range<usize> {
        self.backing.as_ref().map_or(self.range(), Backing::span)
    }
}

/// All memory that the simulator knows.
#[derive(Debug)]
pub(crate) struct Memory {
    /// By the first address of the mapping (canary and guard included).
    by_start: BTreeMap<usize, Alloc>,
    by_id: HashMap<AllocId, usize>,
    quarantine: VecDeque<AllocId>,
    quarantined: usize,
    next: AllocId,
    pub(crate) pools: Table<Pool>,
    pub(crate) live: Counts,
}

/// Live memory, for tests that look for leaks.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Counts {
    pub(crate) device: usize,
    pub(crate) device_bytes: u64,
    pub(crate) pinned: usize,
    pub(crate) pinned_bytes: u64,
}

impl Memory {
    pub(crate) fn new() -> Memory {
        Memory {
            by_start: BTreeMap::new(),
            by_id: HashMap::new(),
            quarantine: VecDeque::new(),
            quarantined: 0,
            next: 1,
            pools: Table::new(),
            live: Counts::default(),
        }
    }

    /// Makes memory of the simulator's own.
    pub(crate) fn allocate(
        &mut self,
        len: usize,
        device: usize,
        origin: Origin,
        state: State,
        made_by: &'static str,
    ) -> Outcome<&Alloc> {
        let guarded = self.by_start.len() < GUARDED;
        let backing = Backing::new(len, guarded).ok_or(cudaError::cudaErrorMemoryAllocation)?;
        let base = backing.base();
        let alloc = self.new_alloc(base, len, device, origin, state, made_by, Some(backing));
        Ok(self.insert(alloc))
    }

    /// Takes note of memory of the caller's. `None` if some of it is known already.
    pub(crate) fn register(
        &mut self,
        base: usize,
        len: usize,
        device: usize,
        flags: u32,
    ) -> Option<AllocId> {
        let end = base.checked_add(len)?;
        let before = self.by_start.range(..end).next_back();
        if before.is_some_and(|(_, a)| a.span().end > base) {
            return None;
        }
        let origin = Origin::Registered(flags);
        let made_by = "cudaHostRegister";
        let alloc = self.new_alloc(base, len, device, origin, State::Live, made_by, None);
        Some(self.insert(alloc).id)
    }

    #[allow(clippy::too_many_arguments)] // the fields of an allocation, said once
    fn new_alloc(
        &mut self,
        base: usize,
        len: usize,
        device: usize,
        origin: Origin,
        state: State,
        made_by: &'static str,
        backing: Option<Backing>,
    ) -> Alloc {
        let id = self.next;
        self.next += 1;
        Alloc {
            id,
            base,
            len,
            device,
            origin,
            state,
            made_by,
            freed_by: "",
            free_enqueued: false,
            outstanding: false,
            mapped: false,
            backing,
        }
    }

    fn insert(&mut self, alloc: Alloc) -> &Alloc {
        self.count(&alloc, true);
        let start = alloc.span().start;
        self.by_id.insert(alloc.id, start);
        self.by_start.entry(start).or_insert(alloc)
    }

    fn count(&mut self, alloc: &Alloc, more: bool) {
        if alloc.origin == Origin::Graph && alloc.state != State::Live {
            return;
        }
        let (number, bytes) = if alloc.is_device() {
            (&mut self.live.device, &mut self.live.device_bytes)
        } else {
            (&mut self.live.pinned, &mut self.live.pinned_bytes)
        };
        if more {
            *number += 1;
            *bytes += alloc.len as u64;
        } else {
            *number -= 1;
            *bytes -= alloc.len as u64;
        }
    }

    /// The allocation whose mapping holds this address: freed memory in quarantine too, and
    /// the bytes beside an allocation too.
    pub(crate) fn find(&self, address: usize) -> Option<&Alloc> {
        let (_, alloc) = self.by_start.range(..=address).next_back()?;
        alloc.span().contains(&address).then_some(alloc)
    }

    pub(crate) fn get(&self, id: AllocId) -> Option<&Alloc> {
        self.by_start.get(self.by_id.get(&id)?)
    }

    pub(crate) fn get_mut(&mut self, id: AllocId) -> Option<&mut Alloc> {
        self.by_start.get_mut(self.by_id.get(&id)?)
    }

    /// Everything alive that was made on a device.
    pub(crate) fn of_device(&self, device: usize) -> Vec<(AllocId, Origin)> {
        let alive = self.by_start.values().filter(|a| a.state != State::Freed);
        alive
            .filter(|a| a.device == device)
            .map(|a| (a.id, a.origin))
            .collect()
    }

    /// Forgets registered memory.
    pub(crate) fn unregister(&mut self, id: AllocId) {
        if let Some(alloc) = self
            .by_id
            .remove(&id)
            .and_then(|s| self.by_start.remove(&s))
        {
            self.count(&alloc, false);
        }
    }

    /// Ends the life of an allocation: poisons it and puts it into quarantine. Returns what was
    /// found wrong with its surroundings, and with memory that leaves the quarantine for it.
    fn retire(&mut self, id: AllocId, freed_by: &'static str) -> Vec<Damage> {
        let mut damage = Vec::new();
        let Some(alloc) = self.get_mut(id) else {
            return damage;
        };
        if alloc.state == State::Freed {
            return damage;
        }
        let counted = Alloc {
            backing: None,
            ..*alloc
        };
        alloc.state = State::Freed;
        alloc.freed_by = freed_by;
        damage.extend(Damage::beside(alloc));
        let mut committed = 0;
        if let Some(backing) = &alloc.backing {
            backing.fill(backing::POISON_FREED);
            committed = backing.committed();
        }
        self.count(&counted, false);
        self.quarantine.push_back(id);
        self.quarantined += committed;
        while self.quarantined > QUARANTINE_BYTES || self.quarantine.len() > QUARANTINE_COUNT {
            damage.extend(self.release_oldest());
        }
        damage
    }

    /// Looks at all canaries and all poison there is.
    fn survey(&mut self) -> Vec<Damage> {
        self.by_start
            .values()
            .filter_map(|a| match a.state {
                State::Freed => Damage::freed(a),
                _ => Damage::beside(a),
            })
            .collect()
    }

    /// Lets everything go, except that live pinned memory stays mapped, since those who hold it
    /// may still look at it, and that addresses of live device memory are never handed out
    /// again, so that a late free of one does not meet somebody else's.
    pub(crate) fn abandon(mut self) {
        for alloc in std::mem::take(&mut self.by_start).into_values() {
            if alloc.state != State::Freed {
                if let Some(backing) = alloc.backing {
                    backing.outlive(matches!(alloc.origin, Origin::Pinned(_)));
                }
            }
        }
    }
}

/// Bytes that someone wrote who should not have.
#[derive(Debug)]
struct Damage {
    kind: ReportKind,
    function: &'static str,
    range: Range<usize>,
    detail: String,
}

impl Damage {
    fn beside(alloc: &Alloc) -> Option<Damage> {
        let backing = alloc.backing.as_ref()?;
        (!backing.intact()).then(|| Damage {
            kind: ReportKind::OutOfBoundsWrite,
            function: alloc.made_by,
            range: alloc.range(),
            detail: format!("bytes beside these {} bytes were overwritten", alloc.len),
        })
    }

    fn freed(alloc: &Alloc) -> Option<Damage> {
        let backing = alloc.backing.as_ref()?;
        (!backing.still_poisoned()).then(|| Damage {
            kind: ReportKind::FreedMemoryWritten,
            function: alloc.freed_by,
            range: alloc.range(),
            detail: format!("written after {} had freed it", alloc.freed_by),
        })
    }
}

impl Sim {
    /// Ends the life of an allocation and reports damage found on the way.
    pub(crate) fn retire(&mut self, id: AllocId, freed_by: &'static str) {
        let damage = self.memory.retire(id, freed_by);
        self.report_damage(damage);
    }

    /// Reports all damage to canaries and freed memory, each piece once.
    pub(crate) fn survey(&mut self) {
        let damage = self.memory.survey();
        self.report_damage(damage);
    }

    fn report_damage(&mut self, damage: Vec<Damage>) {
        for Damage {
            kind,
            function,
            range,
            detail,
        } in damage
        {
            if !self
                .reports
                .iter()
                .any(|r| r.kind == kind && r.range == range)
            {
                self.report(kind, function, None, range, detail);
            }
        }
    }

    /// Whether the bytes beside an allocation are untouched; reported under `function`.
    pub(crate) fn check_beside(&mut self, id: AllocId, function: &str, stream: &str) {
        let Some(damage) = self.memory.get(id).and_then(Damage::beside) else {
            return;
        };
        if !self
            .reports
            .iter()
            .any(|r| r.kind == damage.kind && r.range == damage.range)
        {
            let stream = Some(stream.to_owned());
            self.report(damage.kind, function, stream, damage.range, damage.detail);
        }
    }
}
