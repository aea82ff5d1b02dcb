//! A host function that owns what it uses.
use icffi::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, Ordering};

pub fn borrows(stream: &Stream) -> Result<()> {
    let numbers = vec![1, 2, 3];
    stream.launch_host_fn(move || println!("{numbers:?}"))
}

pub fn borrows_mutably(stream: &Stream) -> Result<u32> {
    let seen = Arc::new(AtomicU32::new(0));
    let there = Arc::clone(&seen);
    stream.launch_host_fn(move || {
        there.fetch_add(1, Ordering::Relaxed);
    })?;
    stream.synchronize()?;
    Ok(seen.load(Ordering::Relaxed))
}

pub fn stays_on_its_thread(stream: &Stream) -> Result<()> {
    let shared = Arc::new(5);
    stream.launch_host_fn(move || drop(shared))
}
