//! Handles: opaque values given to the program, checked when they come back.

use std::collections::HashMap;
use std::sync::atomic::{AtomicUsize, Ordering};

/// No address of user space looks like this, so a program that dereferences a handle faults at
/// once. The counter is the process's, so a handle of an earlier session is never valid again.
static NEXT: AtomicUsize = AtomicUsize::new(0x00ce_0000_0000_1000_u64 as usize);

/// Objects by handle. The handle of a destroyed object is given to the next one created, as
/// CUDA does, so that code which keys anything by a handle is found out.
#[derive(Debug)]
pub(crate) struct Table<T> {
    live: HashMap<usize, T>,
    free: Vec<usize>,
}

impl<T> Table<T> {
    pub(crate) fn new() -> Table<T> {
        Table {
            live: HashMap::new(),
            free: Vec::new(),
        }
    }

    pub(crate) fn insert(&mut self, value: T) -> usize {
        let handle = self
            .free
            .pop()
            .unwrap_or_else(|| NEXT.fetch_add(0x40, Ordering::Relaxed));
        self.live.insert(handle, value);
        handle
    }

    pub(crate) fn get(&self, handle: usize) -> Option<&T> {
        self.live.get(&handle)
    }

    pub(crate) fn get_mut(&mut self, handle: usize) -> Option<&mut T> {
        self.live.get_mut(&handle)
    }

    pub(crate) fn remove(&mut self, handle: usize) -> Option<T> {
        let value = self.live.remove(&handle)?;
        self.free.push(handle);
        Some(value)
    }

    /// All objects, in no order.
    pub(crate) fn values(&self) -> impl Iterator<Item = &T> {
        self.live.values()
    }

    pub(crate) fn len(&self) -> usize {
        self.live.len()
    }

    /// The handles of the objects that satisfy `keep`, in a fixed order.
    pub(crate) fn keys_where(&self, keep: impl Fn(&T) -> bool) -> Vec<usize> {
        let mut keys: Vec<usize> = self
            .live
            .iter()
            .filter(|(_, v)| keep(v))
            .map(|(handle, _)| *handle)
            .collect();
        keys.sort_unstable();
        keys
    }
}
