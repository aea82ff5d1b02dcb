//! A host function runs on another thread, some time later.
use icffi::prelude::*;

pub fn borrows(stream: &Stream) -> Result<()> {
    let numbers = vec![1, 2, 3];
    stream.launch_host_fn(|| println!("{numbers:?}")) //~ E0373
}

pub fn borrows_mutably(stream: &Stream) -> Result<()> {
    let mut seen = 0;
    let there = &mut seen; //~ E0597
    stream.launch_host_fn(move || *there += 1)
}

pub fn stays_on_its_thread(stream: &Stream) -> Result<()> {
    let shared = std::rc::Rc::new(5);
    stream.launch_host_fn(move || drop(shared)) //~ E0277
}
