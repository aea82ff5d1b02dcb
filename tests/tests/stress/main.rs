//! Threads that do random things with their streams and buffers, against a model on the CPU: every
//! download has to be what the same operations make of a vector. `ICFFI_STRESS_SECONDS` says for
//! how long (2), `ICFFI_STRESS_SEED` with which seed.

mod worker;

use icffi_tests::{alone, together};
use std::sync::Barrier;
use std::sync::mpsc::channel;
use std::time::{Duration, Instant};
use worker::Worker;

const THREADS: usize = 8;

fn setting(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Ok(text) => text
            .parse()
            .unwrap_or_else(|_| panic!("{name}={text} is no number")),
        Err(_) => default,
    }
}

#[test]
fn eight_threads_with_four_streams_each_do_as_the_model_does() {
    let _turn = alone();
    let seed = setting("ICFFI_STRESS_SEED", 1);
    let end = Instant::now() + Duration::from_secs(setting("ICFFI_STRESS_SECONDS", 2));
    // Each thread passes buffers on to the next one, with their uses still pending.
    let (senders, receivers): (Vec<_>, Vec<_>) = (0..THREADS).map(|_| channel()).unzip();
    let start = Barrier::new(THREADS);
    let steps: u64 = std::thread::scope(|scope| {
        let threads: Vec<_> = receivers
            .into_iter()
            .enumerate()
            .map(|(i, inbox)| {
                let outbox = senders[(i + 1) % THREADS].clone();
                let start = &start;
                scope.spawn(move || {
                    let mut worker = Worker::new(seed * 1000 + i as u64, inbox, outbox);
                    start.wait();
                    let mut steps = 0;
                    while Instant::now() < end {
                        worker.step();
                        steps += 1;
                    }
                    worker.finish();
                    steps
                })
            })
            .collect();
        threads
            .into_iter()
            .map(|t| t.join().expect("a worker's panic is above"))
            .sum()
    });
    drop(senders);
    println!("{steps} operations, seed {seed}: no difference");
    icffi::device::synchronize().unwrap();
    let device = icffi::device::current().unwrap();
    assert_eq!(device.quarantined(), 0);
    assert_eq!(device.leaked(), 0);
    assert!(device.take_deferred_error().is_none());
}

#[test]
fn one_seed_is_one_sequence() {
    let _turn = together();
    let run = || {
        let (outbox, _keep) = channel();
        let (_none, inbox) = channel();
        let mut worker = Worker::new(7, inbox, outbox);
        for _ in 0..200 {
            worker.step();
        }
        worker.digest()
    };
    assert_eq!(run(), run());
}
