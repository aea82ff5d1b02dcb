//! Which memory an address is, and whether an operation may touch it.

use icffi_sys::{cudaError, cudaMemAccessFlags};

use super::{AllocId, Origin, State};
use crate::report::ReportKind;
use crate::state::Sim;

/// What an address turned out to be.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Place {
    /// Device memory.
    Device(AllocId),
    /// Pinned or registered host memory.
    Pinned(AllocId),
    /// Anything else: ordinary memory of the program, as far as anyone can tell.
    Pageable,
}

/// Bytes that an operation will touch.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Region {
    pub(crate) address: usize,
    pub(crate) bytes: usize,
    pub(crate) place: Place,
}

impl Region {
    pub(crate) fn id(&self) -> Option<AllocId> {
        match self.place {
            Place::Device(id) | Place::Pinned(id) => Some(id),
            Place::Pageable => None,
        }
    }
}

/// Why a range must not be touched.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Misuse {
    pub(crate) kind: ReportKind,
    pub(crate) detail: String,
}

fn misuse<T>(kind: ReportKind, detail: String) -> Result<T, Misuse> {
    Err(Misuse { kind, detail })
}

impl Sim {
    /// Finds out what a range is when a call names it. Freed memory, and a range that leaves
    /// its allocation, are misuse already. A capture may name memory of graphs at any time.
    pub(crate) fn region(
        &self,
        address: usize,
        bytes: usize,
        captured: bool,
    ) -> Result<Region, Misuse> {
        let Some(alloc) = self.memory.find(address) else {
            // A pageable range must not run into memory that is known.
            let end = address.saturating_add(bytes);
            if let Some(hit) = self.memory.first_between(address, end) {
                return misuse(
                    ReportKind::OutOfBounds,
                    format!("ordinary host memory that runs into {}", hit.describe()),
                );
            }
            return Ok(Region {
                address,
                bytes,
                place: Place::Pageable,
            });
        };
        let end = address.checked_add(bytes);
        if address < alloc.base || end.is_none_or(|end| end > alloc.base + alloc.len) {
            return misuse(
                ReportKind::OutOfBounds,
                format!("leaves {}", alloc.describe()),
            );
        }
        if alloc.is_gone() && !(captured && alloc.origin == Origin::Graph) {
            return misuse(alloc.gone_kind(), alloc.describe());
        }
        let place = if alloc.is_device() {
            Place::Device(alloc.id)
        } else {
            Place::Pinned(alloc.id)
        };
        Ok(Region {
            address,
            bytes,
            place,
        })
    }

    /// Looks again when the operation runs: what was alive then may be freed by now.
    pub(crate) fn recheck(&self, region: &Region) -> Result<(), Misuse> {
        let Some(id) = region.id() else { return Ok(()) };
        let Some(alloc) = self.memory.get(id) else {
            return misuse(
                ReportKind::UseAfterFree,
                "memory that was freed or unregistered long ago".to_owned(),
            );
        };
        match alloc.state {
            State::Live => Ok(()),
            State::Promised if alloc.origin == Origin::Graph => {
                misuse(alloc.gone_kind(), alloc.describe())
            }
            State::Promised => misuse(
                ReportKind::UseBeforeAllocation,
                format!(
                    "{}: its stream has not reached the allocation",
                    alloc.describe()
                ),
            ),
            State::Freed => misuse(ReportKind::UseAfterFree, alloc.describe()),
        }
    }

    /// Whether kernels and fills of `device` reach this memory.
    pub(crate) fn reachable(&self, device: usize, id: AllocId) -> Result<(), Misuse> {
        let Some(alloc) = self.memory.get(id) else {
            return Ok(());
        };
        if alloc.device == device || !alloc.is_device() {
            return Ok(());
        }
        let allowed = match alloc.origin {
            Origin::Pool(key) => self.memory.pools.get(key).is_some_and(|pool| {
                pool.access.get(&device).is_some_and(|flags| {
                    *flags == cudaMemAccessFlags::cudaMemAccessFlagsProtReadWrite
                })
            }),
            _ => self
                .devices
                .get(device)
                .is_some_and(|d| d.peers.contains(&alloc.device)),
        };
        if allowed {
            return Ok(());
        }
        misuse(
            ReportKind::WrongDevice,
            format!("device {device} has no access to {}", alloc.describe()),
        )
    }

    /// A sticky error: the context of the device is gone until it is reset.
    pub(crate) fn poison(&mut self, device: usize, code: cudaError) {
        if let Some(device) = self.devices.get_mut(device) {
            device.sticky.get_or_insert(code);
        }
    }
}

impl super::Memory {
    /// The first allocation whose mapping begins between the addresses.
    fn first_between(&self, start: usize, end: usize) -> Option<&super::Alloc> {
        if start >= end {
            return None;
        }
        self.by_start
            .range(start..end)
            .next()
            .map(|(_, alloc)| alloc)
    }
}

impl super::Alloc {
    /// What it is to use this memory, of which [`is_gone`](Self::is_gone) holds.
    fn gone_kind(&self) -> ReportKind {
        if self.state == State::Promised && self.freed_by.is_empty() && !self.free_enqueued {
            ReportKind::UseBeforeAllocation
        } else {
            ReportKind::UseAfterFree
        }
    }

    /// The allocation in words.
    pub(crate) fn describe(&self) -> String {
        let what = match self.origin {
            Origin::Graph => format!("a graph's memory of device {}", self.device),
            Origin::Malloc | Origin::Pool(_) => format!("device {} memory", self.device),
            Origin::Pinned(_) => "pinned memory".to_owned(),
            Origin::Registered(_) => "registered memory".to_owned(),
        };
        let state = match self.state {
            State::Promised if !self.freed_by.is_empty() => ", freed",
            State::Promised => ", not allocated yet",
            State::Live if self.free_enqueued => ", free pending",
            State::Live => "",
            State::Freed => ", freed",
        };
        let by = if self.freed_by.is_empty() {
            String::new()
        } else {
            format!(" by {}", self.freed_by)
        };
        format!(
            "{what} {:#x}..{:#x} ({} bytes, from {}){state}{by}",
            self.base,
            self.base + self.len,
            self.len,
            self.made_by
        )
    }
}
