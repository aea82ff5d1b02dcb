//! Which operations are ready.

use std::collections::HashSet;

use super::{OpId, Scheduler, StreamKey};

impl Scheduler {
    /// The front operations that nothing holds back, with their streams, in stream order.
    pub(super) fn ready(&self) -> Vec<(OpId, StreamKey)> {
        self.streams
            .iter()
            .filter(|(_, s)| !s.running)
            .filter_map(|(key, s)| Some((s.queue.front()?, *key)))
            .filter(|(op, _)| op.deps.iter().all(|dep| self.is_done(*dep)))
            .map(|(op, key)| (op.id, key))
            .collect()
    }

    /// The stream whose front operation brings `target` nearer: the first one in its way that
    /// is ready. `None` if a running host function is in the way.
    pub(super) fn toward(&self, mut target: OpId) -> Option<StreamKey> {
        // Each step goes to a smaller number, so this ends.
        loop {
            let key = *self.pending.get(&target)?;
            let stream = &self.streams[&key];
            if stream.running {
                return None;
            }
            let front = stream.queue.front()?;
            match front.deps.iter().find(|dep| !self.is_done(**dep)) {
                None => return Some(key),
                Some(dep) => target = *dep,
            }
        }
    }

    /// Removes the front operation of a stream once it is finished.
    pub(super) fn finish(&mut self, key: StreamKey, id: OpId) {
        self.pending.remove(&id);
        let Some(stream) = self.streams.get_mut(&key) else {
            return;
        };
        stream.running = false;
        if stream.queue.front().is_some_and(|op| op.id == id) {
            stream.queue.pop_front();
        }
        if stream.destroyed && stream.queue.is_empty() {
            self.streams.remove(&key);
        }
    }

    /// Whether some host function runs now.
    pub(crate) fn callback_runs(&self) -> bool {
        self.streams.values().any(|s| s.running)
    }
}

impl Scheduler {
    /// Takes the handle of a stream away. What is enqueued still runs.
    pub(crate) fn destroy(&mut self, handle: usize, key: StreamKey) {
        self.handles.remove(handle);
        if let Some(stream) = self.streams.get_mut(&key) {
            stream.destroyed = true;
            if stream.queue.is_empty() {
                self.streams.remove(&key);
            }
        }
    }
}

impl Scheduler {
    /// Forgets all operations but host functions that run already.
    pub(crate) fn discard(&mut self) {
        for stream in self.streams.values_mut() {
            stream.queue.truncate(usize::from(stream.running));
        }
        let kept: HashSet<OpId> = self
            .streams
            .values()
            .flat_map(|s| s.queue.iter().map(|op| op.id))
            .collect();
        self.pending.retain(|op, _| kept.contains(op));
    }
}
