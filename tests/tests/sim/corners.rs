//! Corners that an attacker found: calls inside host functions, captures reached from outside,
//! destructors that panic, extreme numbers.

use icffi::graph::GraphHostBuffer;
use icffi::prelude::*;
use icffi::{device, icffi_codes, staging};
use icffi_sim::Policy;
use icffi_tests::assert_same;
use icffi_tests::sim::{idle, sim_session};
use std::sync::atomic::{AtomicBool, Ordering::SeqCst};
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::time::Duration;

type Reader = Arc<Mutex<Option<(GraphExec, GraphHostBuffer<u32>)>>>;

#[test]
fn u4_a_graphs_memory_is_refused_in_a_host_function_while_another_thread_waits_for_it() {
    let sim = sim_session(1, Policy::Eager);
    let stream = Stream::new().unwrap();
    let x = DeviceBuffer::<u32>::zeros(8).unwrap();
    let (slot, go) = (Reader::default(), Arc::new(AtomicBool::new(false)));
    let (answer, answers) = channel();
    let answer = Mutex::new(answer);
    let mut adopted = Vec::new();
    let graph = stream
        .capture(|capture| {
            let (inside, go) = (Arc::clone(&slot), Arc::clone(&go));
            capture.host_fn(move || {
                while !go.load(SeqCst) {
                    std::thread::yield_now();
                }
                // The other thread is inside `read_host` by now.
                std::thread::sleep(Duration::from_millis(200));
                let slot = inside.lock().unwrap();
                let (exec, buffer) = slot.as_ref().unwrap();
                let refused = exec.read_host(buffer).map(drop).map_err(|e| e.code());
                answer.lock().unwrap().send(refused).unwrap();
            })?;
            for _ in 0..2 {
                adopted.push(capture.adopt(HostBuffer::<u32>::alloc_zeroed(8)?)?);
            }
            capture.copy_to_adopted(&x.as_view(), &adopted[0])
        })
        .unwrap();
    let (mut one, two) = (graph.instantiate().unwrap(), graph.instantiate().unwrap());
    let (second, first) = (adopted.pop().unwrap(), adopted.pop().unwrap());
    *slot.lock().unwrap() = Some((two, second));
    one.launch(&stream).unwrap();
    go.store(true, SeqCst);
    assert_same(&one.read_host(&first).unwrap(), &[0; 8]);
    let refused = answers
        .recv_timeout(Duration::from_secs(8))
        .expect("the call came back");
    assert_eq!(refused, Err(icffi_codes::NOT_PERMITTED_IN_CALLBACK));
    slot.lock().unwrap().take();
    drop((one, graph, x, stream));
    sim.end();
}

#[test]
fn u4_uploads_refused_in_a_host_function_leave_others_staging_alone() {
    let sim = sim_session(1, Policy::Lazy);
    let (stream, other) = (Stream::new().unwrap(), Stream::new().unwrap());
    let mut x = DeviceBuffer::<u32>::zeros(1000).unwrap();
    let mut z = DeviceBuffer::<u32>::zeros(1000).unwrap();
    let transfer = x.copy_from_host_guarded(&stream, &[1; 1000]).unwrap();
    let total = staging::statistics().total_bytes;
    let inside = stream.clone();
    other
        .launch_host_fn(move || {
            let refused = z.copy_from_host_guarded(&inside, &[2; 1000]).map(drop);
            let code = refused.unwrap_err().code();
            assert_eq!(code, icffi_codes::NOT_PERMITTED_IN_CALLBACK);
        })
        .unwrap();
    other.synchronize().unwrap();
    assert_eq!(other.take_callback_panic(), None);
    assert_eq!(device::current().unwrap().quarantined(), 0);
    assert_eq!(staging::statistics().total_bytes, total);
    transfer.wait().unwrap();
    drop((x, stream, other));
    sim.end();
}

#[test]
fn u1_transfers_and_events_from_outside_leave_a_capture_whole() {
    let sim = sim_session(1, Policy::Lazy);
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(1000).unwrap();
    let mut y = DeviceBuffer::<u32>::alloc(1000).unwrap();
    let event = Event::ordering().unwrap();
    let transfer = x.copy_from_host_guarded(&stream, &[1; 1000]).unwrap();
    let graph = stream
        .capture(|capture| {
            let refused = transfer.order_before(capture).unwrap_err();
            assert_eq!(refused.code(), icffi_codes::CAPTURE_UNSUPPORTED);
            let private = Stream::clone(capture);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let recorded = event.record(&private).unwrap_err();
                    assert_eq!(recorded.code(), icffi_codes::CAPTURE_ISOLATION);
                    let waited = private.wait_event(&event).unwrap_err();
                    assert_eq!(waited.code(), icffi_codes::CAPTURE_ISOLATION);
                });
            });
            y.fill(capture, 0)
        })
        .unwrap();
    transfer.wait().unwrap();
    graph.instantiate().unwrap().launch(&stream).unwrap();
    assert_same(&y.to_vec(&stream).unwrap(), &[0; 1000]);
    drop((graph, x, y, event, stream));
    sim.end();
}

#[test]
fn w1_waiting_for_the_whole_device_is_refused_while_another_thread_captures() {
    let sim = sim_session(1, Policy::Lazy);
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(1000).unwrap();
    let mut y = DeviceBuffer::<u32>::zeros(1000).unwrap();
    std::thread::scope(|scope| {
        scope.spawn(|| {
            let theirs = Stream::per_thread_default().unwrap();
            std::mem::forget(x.output(&theirs).unwrap());
        });
    });
    let graph = stream.capture(|capture| {
        std::thread::scope(|scope| {
            scope.spawn(|| {
                let refused = x.fill(&stream, 0).unwrap_err();
                assert_eq!(refused.code(), icffi_codes::CAPTURE_UNSUPPORTED);
            });
        });
        y.fill(capture, 0)
    });
    drop(graph.unwrap());
    x.fill(&stream, 0).unwrap();
    drop((x, y, stream));
    sim.end();
}

#[test]
fn a_destructor_that_panics_in_an_unrelated_call_loses_nobody_elses_memory() {
    struct Bomb(AtomicBool);
    impl Drop for Bomb {
        fn drop(&mut self) {
            if !std::thread::panicking() {
                panic!("a destructor of the user's");
            }
        }
    }
    let sim = sim_session(1, Policy::Lazy);
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(1000).unwrap();
    let bomb = Bomb(AtomicBool::new(false));
    let graph = stream
        .capture(|capture| {
            capture.host_fn(move || bomb.0.store(true, SeqCst))?;
            x.fill(capture, 0)
        })
        .unwrap();
    let mut exec = graph.instantiate().unwrap();
    drop(graph);
    exec.launch(&stream).unwrap();
    drop(exec);
    for _ in 0..5 {
        let parked = DeviceBuffer::<u32>::alloc(1000).unwrap();
        parked.free_async(&stream).unwrap();
    }
    stream.synchronize().unwrap();
    let device = device::current().unwrap();
    let (error, _) = device.take_deferred_error().expect("the panic is told");
    assert_eq!(error.code(), icffi_codes::PANICKED);
    drop((x, stream));
    idle().unwrap();
    icffi::trim_all();
    assert_eq!(sim.live().device_allocations, 0);
}

#[test]
fn u12_a_graph_launched_on_an_ended_threads_stream_is_given_back() {
    let sim = sim_session(1, Policy::Eager);
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(1000).unwrap();
    let graph = stream.capture(|capture| x.fill(capture, 0)).unwrap();
    drop(x);
    let mut exec = graph.instantiate().unwrap();
    let launched = std::thread::spawn(move || {
        let theirs = Stream::per_thread_default().unwrap();
        exec.launch(&theirs).unwrap();
        theirs.synchronize().unwrap();
        exec
    });
    drop(launched.join().unwrap());
    drop(graph);
    stream.synchronize().unwrap();
    assert_eq!(sim.live().device_allocations, 0);
    drop(stream);
    sim.end();
}

#[test]
fn a_descriptor_forgotten_on_shared_memory_is_forgiven_when_there_is_one_owner() {
    let sim = sim_session(1, Policy::Lazy);
    let stream = Stream::new().unwrap();
    let shared = DeviceBuffer::from_slice_sync(&stream, &[7u32; 8])
        .unwrap()
        .freeze();
    let shared = std::thread::spawn(move || {
        let theirs = Stream::new().unwrap();
        std::mem::forget(shared.input(&theirs).unwrap());
        shared
    })
    .join()
    .unwrap();
    let mut x = shared.try_unfreeze().unwrap();
    x.fill(&stream, 0).unwrap();
    assert_same(&x.to_vec(&stream).unwrap(), &[0; 8]);
    drop((x, stream));
    sim.end();
}

#[test]
fn extreme_numbers_are_numbers() {
    let sim = sim_session(1, Policy::Lazy);
    let stream = Stream::new().unwrap();
    let x = DeviceBuffer::from_slice_sync(&stream, &[1u32, 2, 3, 4]).unwrap();
    let row = x.as_view().rows(4, 1, usize::MAX).unwrap();
    assert_same(&row.to_vec(&stream).unwrap(), &[1, 2, 3, 4]);
    assert!(x.as_view().rows(1, usize::MAX, usize::MAX).is_err());
    let nothing = DeviceBuffer::<()>::zeros(usize::MAX).unwrap();
    let lengths: Vec<_> = nothing.chunks(usize::MAX - 1).map(|c| c.len()).collect();
    assert_eq!(lengths, [usize::MAX - 1, 1]);
    drop((x, stream));
    sim.end();
}

#[test]
fn u1_events_of_a_capture_are_nobody_elses_until_it_has_ended() {
    let sim = sim_session(1, Policy::Lazy);
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(1000).unwrap();
    let (event, dropped) = (Event::ordering().unwrap(), Event::ordering().unwrap());
    // So that no event lies ready.
    icffi::trim_all();
    let destroyed = sim.calls("cudaEventDestroy");
    let graph = stream
        .capture(|capture| {
            event.record(capture)?;
            dropped.record(capture)?;
            // Those that a fork needs are no others' either: none goes back to be recorded again.
            let side = capture.fork()?;
            let made = sim.calls("cudaEventCreateWithFlags");
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    let refused = event.record(&stream).unwrap_err();
                    assert_eq!(refused.code(), icffi_codes::CAPTURE_ISOLATION);
                    drop(dropped);
                    stream.checkpoint().unwrap();
                });
            });
            assert_eq!(sim.calls("cudaEventCreateWithFlags"), made + 1);
            assert_eq!(sim.calls("cudaEventDestroy"), destroyed);
            x.fill(&side, 0)
        })
        .unwrap();
    event.record(&stream).unwrap();
    event.synchronize().unwrap();
    drop((graph, x, event, stream));
    sim.end();
}

#[test]
fn u12_launches_on_a_per_thread_stream_are_forgotten_when_they_are_over() {
    let sim = sim_session(1, Policy::Eager);
    let stream = Stream::new().unwrap();
    let mine = Stream::per_thread_default().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(8).unwrap();
    let graph = stream.capture(|capture| x.fill(capture, 0)).unwrap();
    let mut exec = graph.instantiate().unwrap();
    for _ in 0..200 {
        exec.launch(&mine).unwrap();
        mine.synchronize().unwrap();
    }
    // Each launch has an event; those that are over have given theirs back.
    assert!(sim.live().events < 40, "{:?}", sim.live());
    drop((exec, graph, x, stream));
    sim.end();
}
