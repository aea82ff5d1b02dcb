//! Graphs: captured once, launched many times. Each test is alone on the device, since others may
//! synchronize it, which is refused while a capture is live.

use icffi::codes;
use icffi::graph::{CaptureStatus, GraphUpdate, InstantiateFlags};
use icffi::icffi_codes::{BUSY, INVALID_ARGUMENT};
use icffi::prelude::*;
use icffi_tests::{
    Gate, alone, assert_same, expect_error, expect_length_mismatch, random, scenarios,
};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::Duration;

const LEN: usize = 4000;

#[test]
fn the_scenarios_of_graphs() {
    let _turn = alone();
    for scenario in scenarios::graphs::ALL {
        if let Err(error) = (scenario.run)() {
            panic!("{}: {error}", scenario.name);
        }
    }
    device::synchronize().unwrap();
    assert_eq!(device::current().unwrap().quarantined(), 0);
}

#[test]
fn a_capture_ends_on_every_path_and_runs_nothing() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let good = |x: &mut DeviceBuffer<u32>| stream.capture(|capture| x.fill(capture, 0x0101_0101));

    let graph = good(&mut x).unwrap();
    assert_same(&x.to_vec(&stream).unwrap(), &[0; LEN]);

    let mine = "an error of the closure's own";
    let refused = stream.capture(|capture| {
        x.fill(capture, 0x0202_0202)?;
        Err(IcffiError::new(codes::UNKNOWN, "closure", mine))
    });
    assert!(refused.unwrap_err().to_string().contains(mine));
    drop(good(&mut x).unwrap());

    let panicked = catch_unwind(AssertUnwindSafe(|| {
        stream.capture(|capture| {
            let fork = capture.fork()?;
            x.fill(&fork, 0x0303_0303)?;
            panic!("in the capture")
        })
    }));
    let payload = panicked.unwrap_err();
    assert_eq!(payload.downcast_ref(), Some(&"in the capture"));
    assert_eq!(stream.capture_status().unwrap(), CaptureStatus::None);
    drop(good(&mut x).unwrap());

    assert_same(&x.to_vec(&stream).unwrap(), &[0; LEN]);
    graph.instantiate().unwrap().launch(&stream).unwrap();
    assert_same(&x.to_vec(&stream).unwrap(), &[0x0101_0101; LEN]);
    device::synchronize().unwrap();
}

#[test]
fn an_empty_capture_makes_a_graph() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let graph = stream.capture(|_| Ok(())).unwrap();
    let mut exec = graph
        .instantiate_with_flags(InstantiateFlags {
            use_node_priority: true,
        })
        .unwrap();
    exec.launch(&stream).unwrap();
    let mut none = DeviceBuffer::<u32>::zeros(0).unwrap();
    let pinned = HostBuffer::<u32>::alloc_zeroed(0).unwrap();
    let mut given = None;
    let graph = stream.capture(|capture| {
        none.fill(capture, 3)?;
        let adopted = capture.adopt(pinned)?;
        capture.copy_from_adopted(&mut none.as_view_mut(), &adopted)?;
        capture.copy_to_adopted(&none.as_view(), &adopted)?;
        given = Some(adopted);
        Ok(())
    });
    let mut exec = graph.unwrap().instantiate().unwrap();
    exec.launch(&stream).unwrap();
    let given = given.unwrap();
    assert!(given.is_empty());
    exec.write_host(&given, &[]).unwrap();
    assert!(exec.read_host(&given).unwrap().is_empty());
    stream.synchronize().unwrap();
}

#[test]
fn the_capturing_stream_says_so_and_the_other_does_not() {
    let _turn = alone();
    let stream = Stream::with_priority(-1).unwrap();
    let graph = stream.capture(|capture| {
        assert_eq!(capture.capture_status()?, CaptureStatus::Active);
        assert_eq!(capture.fork()?.capture_status()?, CaptureStatus::Active);
        assert_eq!(capture.priority()?, stream.priority()?);
        assert_eq!(capture.device(), stream.device());
        assert_ne!(capture.raw(), stream.raw());
        assert_eq!(stream.capture_status()?, CaptureStatus::None);
        Ok(())
    });
    drop(graph.unwrap());
}

#[test]
fn a_graph_is_drawn() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let graph = stream
        .capture(|capture| {
            y.copy_from_device_async(capture, &x)?;
            y.fill(capture, 0)
        })
        .unwrap();
    let path = std::env::temp_dir().join(format!("icffi-graph-{}.dot", std::process::id()));
    graph.dot(&path).unwrap();
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::remove_file(&path).unwrap();
    assert!(text.contains("digraph"), "{text}");
    assert!(text.to_uppercase().contains("MEMCPY"), "{text}");
    assert!(text.to_uppercase().contains("MEMSET"), "{text}");
    assert!(text.contains("->"), "{text}");
    let result = graph.dot("a\0b");
    expect_error(result, INVALID_ARGUMENT, "Graph::dot", file!(), &["nul"]);
}

#[test]
fn an_update_is_taken_or_rejected() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let mut z = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let first = stream
        .capture(|capture| y.copy_from_device_async(capture, &x))
        .unwrap();
    let second = stream
        .capture(|capture| z.copy_from_device_async(capture, &x))
        .unwrap();
    let other = stream
        .capture(|capture| {
            y.fill(capture, 0)?;
            z.fill(capture, 0)?;
            y.copy_from_device_async(capture, &z)
        })
        .unwrap();
    let mut exec = first.instantiate().unwrap();
    let rejected = exec.update(&other).unwrap();
    assert!(matches!(rejected, GraphUpdate::Rejected(_)), "{rejected:?}");
    exec.launch(&stream).unwrap();
    assert_same(&y.to_vec(&stream).unwrap(), &data);
    assert_same(&z.to_vec(&stream).unwrap(), &[0; LEN]);
    assert_eq!(exec.update(&second).unwrap(), GraphUpdate::Updated);
    drop((first, second, other, x));
    y.fill(&stream, 0).unwrap();
    exec.launch(&stream).unwrap();
    assert_same(&z.to_vec(&stream).unwrap(), &data);
    assert_same(&y.to_vec(&stream).unwrap(), &[0; LEN]);
}

#[test]
fn row08_a_captured_buffer_is_given_up_only_after_the_graph() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let mut y = DeviceBuffer::<u32>::zeros_async(&stream, LEN).unwrap();
    let graph = stream
        .capture(|capture| {
            x.fill(capture, 0x0404_0404)?;
            y.copy_from_device_async(capture, &x)
        })
        .unwrap();
    let result = x.into_raw(&stream);
    expect_error(result, BUSY, "DeviceBuffer::into_raw", file!(), &["graph"]);
    let mut exec = graph.instantiate().unwrap();
    exec.launch(&stream).unwrap();
    assert_same(&y.to_vec(&stream).unwrap(), &[0x0404_0404; LEN]);
    // A free is a drop here: the graph keeps the memory.
    y.free_async(&stream).unwrap();
    exec.launch(&stream).unwrap();
    stream.synchronize().unwrap();
}

#[test]
fn row09_pinned_memory_belongs_to_one_capture() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let mut given = None;
    let pinned = HostBuffer::<u32>::alloc_zeroed(LEN).unwrap();
    let first = stream
        .capture(|capture| {
            let adopted = capture.adopt(pinned)?;
            let result = capture.copy_from_adopted(&mut x.slice_mut(1..), &adopted);
            let name = "CaptureStream::copy_from_adopted";
            expect_length_mismatch(result, name, file!(), (LEN - 1, LEN));
            capture.copy_from_adopted(&mut x.as_view_mut(), &adopted)?;
            given = Some(adopted);
            Ok(())
        })
        .unwrap();
    let given = given.unwrap();
    let second = stream
        .capture(|capture| {
            let result = capture.copy_to_adopted(&x.as_view(), &given);
            let name = "CaptureStream::copy_to_adopted";
            let says = "given to another capture";
            expect_error(result, INVALID_ARGUMENT, name, file!(), &[says]);
            x.fill(capture, 0)
        })
        .unwrap();
    let exec = second.instantiate().unwrap();
    let says = "given to another capture";
    let result = exec.read_host(&given);
    let name = "GraphExec::read_host";
    expect_error(result, INVALID_ARGUMENT, name, file!(), &[says]);
    let mut exec = first.instantiate().unwrap();
    let result = exec.write_host(&given, &[1, 2]);
    expect_length_mismatch(result, "GraphExec::write_host", file!(), (LEN, 2));
}

#[test]
fn u3_functions_are_called_each_time_and_their_panics_kept() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let (calls, dropped) = (Arc::new(AtomicUsize::new(0)), Arc::new(()));
    let (count, token) = (Arc::clone(&calls), Arc::clone(&dropped));
    let graph = stream
        .capture(|capture| {
            capture.host_fn(move || {
                let _token = &token;
                count.fetch_add(1, SeqCst);
                // Calls are refused inside, as in any host function.
                assert!(Stream::new().is_err());
            })
        })
        .unwrap();
    let mut exec = graph.instantiate().unwrap();
    assert_eq!(calls.load(SeqCst), 0);
    for _ in 0..5 {
        exec.launch(&stream).unwrap();
    }
    stream.synchronize().unwrap();
    assert_eq!(calls.load(SeqCst), 5);
    assert_eq!(Arc::strong_count(&dropped), 2);
    exec.launch(&stream).unwrap();
    drop((exec, graph));
    stream.synchronize().unwrap();
    device::synchronize().unwrap();
    assert_eq!(calls.load(SeqCst), 6);
    assert_eq!(Arc::strong_count(&dropped), 1);
}

#[test]
fn u12_a_graph_is_dropped_while_it_waits() {
    let _turn = alone();
    let (stream, other) = (Stream::new().unwrap(), Stream::new().unwrap());
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_sync(&stream, &data).unwrap();
    let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let graph = stream
        .capture(|capture| y.copy_from_device_async(capture, &x))
        .unwrap();
    let mut exec = graph.instantiate().unwrap();
    let gate = Gate::close(&stream).unwrap();
    exec.launch(&stream).unwrap();
    drop((exec, graph, x));
    let mut reused = DeviceBuffer::<u32>::alloc_async(&other, LEN).unwrap();
    reused.fill(&other, 0x0505_0505).unwrap();
    other.synchronize().unwrap();
    gate.open();
    assert_same(&y.to_vec(&other).unwrap(), &data);
    assert_same(&reused.to_vec(&other).unwrap(), &[0x0505_0505; LEN]);
}

#[test]
fn w12_two_graphs_that_read_the_same_weights_do_not_wait_for_each_other() {
    let _turn = alone();
    let (a, b) = (Stream::new().unwrap(), Stream::new().unwrap());
    let data = random::<u32>(LEN);
    let weights = DeviceBuffer::from_slice_sync(&a, &data).unwrap().freeze();
    let mut outputs = [0, 1].map(|_| DeviceBuffer::<u32>::zeros(LEN).unwrap());
    let mut execs: Vec<_> = outputs
        .iter_mut()
        .map(|y| {
            let graph = a.capture(|capture| {
                y.as_view_mut()
                    .copy_from_device_async(capture, &weights.as_view())
            });
            graph.unwrap().instantiate().unwrap()
        })
        .collect();
    let gate = Gate::close(&a).unwrap();
    execs[0].launch(&a).unwrap();
    execs[1].launch(&b).unwrap();
    // Behind the gate it would not come to an end.
    b.synchronize().unwrap();
    assert_same(&outputs[1].to_vec(&b).unwrap(), &data);
    gate.open();
    assert_same(&outputs[0].to_vec(&b).unwrap(), &data);
}

#[test]
fn row26_a_graph_on_another_thread_and_its_buffers_here() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let graph = stream
        .capture(|capture| y.copy_from_device_async(capture, &x))
        .unwrap();
    let mut exec = graph.instantiate().unwrap();
    let launching = std::thread::spawn(move || {
        let own = Stream::new().unwrap();
        for _ in 0..200 {
            exec.launch(&own).unwrap();
        }
        own.synchronize().unwrap();
    });
    for i in 0..100 {
        x.fill(&stream, i * 0x0101_0101).unwrap();
        let seen = y.to_vec(&stream).unwrap();
        assert!(seen.iter().all(|&n| n == seen[0]), "a torn copy");
    }
    launching.join().unwrap();
}

#[test]
fn row26_a_use_that_is_not_launched_yet_makes_other_threads_wait() {
    let _turn = alone();
    let stream = Stream::new().unwrap();
    let mut y = DeviceBuffer::<u32>::zeros(LEN).unwrap();
    let graph = stream.capture(|capture| y.fill(capture, 0)).unwrap();
    let mut exec = graph.instantiate().unwrap();
    let bound = y.output(&stream).unwrap();
    std::thread::scope(|scope| {
        let launching = scope.spawn(move || {
            let own = Stream::new().unwrap();
            exec.launch(&own)
        });
        std::thread::sleep(Duration::from_millis(50));
        assert!(!launching.is_finished());
        drop(bound);
        launching.join().unwrap().unwrap();
    });
    stream.synchronize().unwrap();
}
