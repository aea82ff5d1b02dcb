//! Memory that streams allocate and free, and the end of the quarantine.

use super::{AllocId, Backing, Damage, Memory, Origin, State, backing};
use crate::state::Sim;

impl Memory {
    /// Unmaps the oldest freed memory.
    pub(super) fn release_oldest(&mut self) -> Option<Damage> {
        let id = self.quarantine.pop_front()?;
        let alloc = self
            .by_id
            .remove(&id)
            .and_then(|s| self.by_start.remove(&s))?;
        self.quarantined -= alloc.backing.as_ref().map_or(0, Backing::committed);
        Damage::freed(&alloc)
    }

    fn wake(&mut self, id: AllocId) -> Option<Damage> {
        let alloc = self.get_mut(id)?;
        if alloc.state != State::Promised {
            return None;
        }
        let mut damage = None;
        if alloc.origin == Origin::Graph && !alloc.freed_by.is_empty() {
            damage = Damage::freed(alloc);
            if let Some(backing) = &alloc.backing {
                backing.fill(backing::POISON_NEW);
            }
            alloc.freed_by = "";
        }
        alloc.state = State::Live;
        if alloc.origin == Origin::Graph {
            let (bytes, counts) = (alloc.len as u64, &mut self.live);
            counts.device += 1;
            counts.device_bytes += bytes;
        }
        damage
    }

    fn sleep(&mut self, id: AllocId, freed_by: &'static str) -> Option<Damage> {
        let alloc = self.get_mut(id)?;
        if alloc.origin != Origin::Graph || alloc.state != State::Live {
            return None;
        }
        alloc.state = State::Promised;
        alloc.freed_by = freed_by;
        let damage = Damage::beside(alloc);
        if let Some(backing) = &alloc.backing {
            backing.fill(backing::POISON_FREED);
        }
        let (bytes, counts) = (alloc.len as u64, &mut self.live);
        counts.device -= 1;
        counts.device_bytes -= bytes;
        damage
    }
}

impl Sim {
    /// A stream has reached an allocation.
    pub(crate) fn wake(&mut self, id: AllocId) {
        let damage = self.memory.wake(id);
        self.report_damage(damage.into_iter().collect());
    }

    /// Memory of a graph is free until the next launch.
    pub(crate) fn sleep(&mut self, id: AllocId, freed_by: &'static str) {
        let damage = self.memory.sleep(id, freed_by);
        self.report_damage(damage.into_iter().collect());
    }
}
