//! Graphs: what they own, and in which order their launches stand to everything else.

use super::{Leaves, Scenario, list};
use crate::{assert_same, random};
use icffi::graph::GraphUpdate;
use icffi::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

list![Nothing {
    row08_buffers_dropped_before_the_launch,
    row09_pinned_memory_given_to_the_capture,
    row24_housekeeping_in_a_capture,
    u1_an_eager_use_in_a_capture,
    u3_a_function_is_called_each_time,
    u6_memory_allocated_in_a_capture,
    u6_memory_dropped_in_a_capture,
    u7_eager_writes_before_a_capture_still_count,
    u12_dropped_in_flight,
    u12_updated_in_flight,
    u12_launched_on_two_streams,
    w12_two_graphs_read_the_same_weights,
    forks_are_joined,
    uses_around_launches,
    a_refused_capture_is_followed_by_a_good_one,
}];

const LEN: usize = 1500;

fn uploaded(stream: &Stream, data: &[u32]) -> Result<DeviceBuffer<u32>> {
    Ok(DeviceBuffer::from_slice_guarded_async(stream, data)?.into_ordered())
}

fn row08_buffers_dropped_before_the_launch() -> Result<()> {
    let (stream, other) = (Stream::new()?, Stream::new()?);
    let data = random::<u32>(LEN);
    let x = uploaded(&stream, &data)?;
    let mut middle = DeviceBuffer::<u32>::alloc_async(&stream, LEN)?;
    let mut y = DeviceBuffer::<u32>::zeros(LEN)?;
    let graph = other.capture(|capture| {
        middle.copy_from_device_async(capture, &x)?;
        y.copy_from_device_async(capture, &middle)
    })?;
    drop((x, middle));
    // The same memory, had it been freed.
    let mut reused = DeviceBuffer::<u32>::alloc_async(&stream, LEN)?;
    reused.fill(&stream, 0x0807_0605)?;
    let mut exec = graph.instantiate()?;
    drop(graph);
    for on in [&stream, &other, &stream] {
        y.fill(&other, 0)?;
        exec.launch(on)?;
        assert_same(&y.to_vec(&other)?, &data);
    }
    assert_same(&reused.to_vec(&other)?, &[0x0807_0605; LEN]);
    Ok(())
}

fn row09_pinned_memory_given_to_the_capture() -> Result<()> {
    let stream = Stream::new()?;
    let (first, second) = (random::<u32>(LEN), random::<u32>(LEN));
    let (source, target) = (
        HostBuffer::from_slice(&first)?,
        HostBuffer::<u32>::alloc_zeroed(LEN)?,
    );
    let mut x = DeviceBuffer::<u32>::alloc_async(&stream, LEN)?;
    let (mut up, mut down) = (None, None);
    let graph = stream.capture(|capture| {
        let (source, target) = (capture.adopt(source)?, capture.adopt(target)?);
        capture.copy_from_adopted(&mut x.as_view_mut(), &source)?;
        capture.copy_to_adopted(&x.as_view(), &target)?;
        (up, down) = (Some(source), Some(target));
        Ok(())
    })?;
    let (up, down) = (up.expect("adopted"), down.expect("adopted"));
    let mut exec = graph.instantiate()?;
    drop((x, graph));
    assert_same(&exec.read_host(&down)?, &[0; LEN]);
    exec.launch(&stream)?;
    // Without a wait in between: it is waited for in there.
    exec.write_host(&up, &second)?;
    assert_same(&exec.read_host(&down)?, &first);
    exec.launch(&stream)?;
    assert_same(&exec.read_host(&down)?, &second);
    Ok(())
}

fn row24_housekeeping_in_a_capture() -> Result<()> {
    let (stream, other) = (Stream::new()?, Stream::new()?);
    let data = random::<u32>(LEN);
    let x = uploaded(&stream, &data)?;
    let mut y = DeviceBuffer::<u32>::alloc(LEN)?;
    let (blocking, pooled) = (DeviceBuffer::<u32>::zeros(LEN)?, uploaded(&other, &data)?);
    let (pinned, event) = (HostBuffer::<u32>::alloc_zeroed(LEN)?, Event::ordering()?);
    event.record(&other)?;
    let graph = stream.capture(|capture| {
        y.copy_from_device_async(capture, &x)?;
        drop((blocking, pooled, pinned));
        event.query()?;
        event.synchronize()?;
        drop(event);
        let own = Stream::new()?;
        let fresh = DeviceBuffer::from_slice_sync(&own, &data)?;
        drop(HostBuffer::from_slice(&data)?);
        assert_same(&fresh.to_vec(&own)?, &data);
        own.synchronize()?;
        own.query()?;
        drop((fresh, own));
        icffi::trim_all();
        Ok(())
    })?;
    graph.instantiate()?.launch(&stream)?;
    assert_same(&y.to_vec(&other)?, &data);
    Ok(())
}

fn u1_an_eager_use_in_a_capture() -> Result<()> {
    let (stream, other) = (Stream::new()?, Stream::new()?);
    let data = random::<u32>(LEN);
    let x = uploaded(&stream, &data)?;
    let mut late = DeviceBuffer::<u32>::alloc_async(&stream, LEN)?;
    late.copy_from_device_async(&stream, &x)?;
    let mut y = DeviceBuffer::<u32>::zeros_async(&stream, LEN)?;
    let graph = stream.capture(|capture| {
        y.copy_from_device_async(capture, &x)?;
        // What is only read in the capture may be used elsewhere, and so may the stream.
        assert_same(&x.to_vec(&other)?, &data);
        assert_same(&late.to_vec(&other)?, &data);
        late.fill(&stream, 0)?;
        assert_same(&late.to_vec(&other)?, &[0; LEN]);
        Ok(())
    })?;
    assert_same(&y.to_vec(&other)?, &[0; LEN]);
    graph.instantiate()?.launch(&other)?;
    assert_same(&y.to_vec(&stream)?, &data);
    Ok(())
}

fn u3_a_function_is_called_each_time() -> Result<()> {
    let stream = Stream::new()?;
    let calls = Arc::new(AtomicUsize::new(0));
    let count = Arc::clone(&calls);
    let graph = stream.capture(|capture| {
        capture.host_fn(move || {
            count.fetch_add(1, SeqCst);
        })
    })?;
    let mut exec = graph.instantiate()?;
    drop(graph);
    for _ in 0..3 {
        exec.launch(&stream)?;
    }
    stream.synchronize()?;
    assert_eq!(calls.load(SeqCst), 3);
    Ok(())
}

fn u6_memory_allocated_in_a_capture() -> Result<()> {
    let (stream, other) = (Stream::new()?, Stream::new()?);
    let data = random::<u32>(LEN);
    let x = uploaded(&stream, &data)?;
    let mut inside = None;
    let graph = stream.capture(|capture| {
        let mut temporary = DeviceBuffer::<u32>::alloc_async(capture, LEN)?;
        temporary.copy_from_device_async(capture, &x)?;
        let mut kept = DeviceBuffer::<u32>::zeros_async(capture, LEN)?;
        kept.copy_from_device_async(capture, &temporary)?;
        inside = Some(kept);
        temporary.free_async(capture)
    })?;
    let mut y = inside.expect("set in the capture");
    // It is memory like any other, before the first launch too.
    y.fill(&other, 0)?;
    assert_same(&y.to_vec(&stream)?, &[0; LEN]);
    let mut exec = graph.instantiate()?;
    exec.launch(&stream)?;
    assert_same(&y.to_vec(&other)?, &data);
    drop((exec, graph));
    assert_same(&y.to_vec(&stream)?, &data);
    Ok(())
}

fn u6_memory_dropped_in_a_capture() -> Result<()> {
    let stream = Stream::new()?;
    let data = random::<u32>(LEN);
    let (x, unrelated) = (uploaded(&stream, &data)?, uploaded(&stream, &data)?);
    let mut y = DeviceBuffer::<u32>::alloc_async(&stream, LEN)?;
    let graph = stream.capture(|capture| {
        y.copy_from_device_async(capture, &x)?;
        drop(x);
        unrelated.free_async(&stream)
    })?;
    let mut exec = graph.instantiate()?;
    for _ in 0..2 {
        y.fill(&stream, 0)?;
        exec.launch(&stream)?;
        assert_same(&y.to_vec(&stream)?, &data);
    }
    Ok(())
}

fn u7_eager_writes_before_a_capture_still_count() -> Result<()> {
    let (writer, launcher, reader) = (Stream::new()?, Stream::new()?, Stream::new()?);
    let data = random::<u32>(LEN);
    let source = uploaded(&reader, &data)?;
    let mut x = DeviceBuffer::<u32>::zeros(LEN)?;
    let (mut y, mut z) = (
        DeviceBuffer::<u32>::zeros(LEN)?,
        DeviceBuffer::<u32>::zeros(LEN)?,
    );
    x.copy_from_device_async(&writer, &source)?;
    let graph = launcher.capture(|capture| y.copy_from_device_async(capture, &x))?;
    z.copy_from_device_async(&reader, &x)?;
    assert_same(&z.to_vec(&reader)?, &data);
    x.fill(&writer, 0x0102_0304)?;
    graph.instantiate()?.launch(&launcher)?;
    x.fill(&reader, 0)?;
    assert_same(&y.to_vec(&writer)?, &[0x0102_0304; LEN]);
    Ok(())
}

fn u12_dropped_in_flight() -> Result<()> {
    let stream = Stream::new()?;
    let data = random::<u32>(LEN);
    let mut y = DeviceBuffer::<u32>::zeros(LEN)?;
    for _ in 0..3 {
        y.fill(&stream, 0)?;
        let x = uploaded(&stream, &data)?;
        let graph = stream.capture(|capture| y.copy_from_device_async(capture, &x))?;
        drop(x);
        let mut exec = graph.instantiate()?;
        exec.launch(&stream)?;
        drop((exec, graph));
        let mut reused = DeviceBuffer::<u32>::alloc_async(&stream, LEN)?;
        reused.fill(&stream, 1)?;
    }
    assert_same(&y.to_vec(&stream)?, &data);
    Ok(())
}

fn u12_updated_in_flight() -> Result<()> {
    let (stream, other) = (Stream::new()?, Stream::new()?);
    let (one, two) = (random::<u32>(LEN), random::<u32>(LEN));
    let mut y = DeviceBuffer::<u32>::zeros(LEN)?;
    let mut z = DeviceBuffer::<u32>::zeros(LEN)?;
    let first = {
        let x = uploaded(&stream, &one)?;
        stream.capture(|capture| y.copy_from_device_async(capture, &x))?
    };
    let second = {
        let x = uploaded(&other, &two)?;
        stream.capture(|capture| z.copy_from_device_async(capture, &x))?
    };
    let mut exec = first.instantiate()?;
    exec.launch(&stream)?;
    assert_eq!(exec.update(&second)?, GraphUpdate::Updated);
    drop((first, second));
    exec.launch(&other)?;
    drop(exec);
    assert_same(&y.to_vec(&other)?, &one);
    assert_same(&z.to_vec(&stream)?, &two);
    Ok(())
}

fn u12_launched_on_two_streams() -> Result<()> {
    let (a, b) = (Stream::new()?, Stream::new()?);
    let mut x = DeviceBuffer::<u32>::zeros(LEN)?;
    let mut y = DeviceBuffer::<u32>::zeros(LEN)?;
    let graph = a.capture(|capture| y.copy_from_device_async(capture, &x))?;
    let mut exec = graph.instantiate()?;
    exec.upload(&b)?;
    for i in 1..6 {
        x.fill(&b, i * 0x0001_0203)?;
        exec.launch(&a)?;
        x.fill(&a, 0)?;
        exec.launch(&b)?;
        x.fill(&a, i * 0x0001_0203)?;
        exec.launch(&b)?;
    }
    assert_same(&y.to_vec(&a)?, &[5 * 0x0001_0203; LEN]);
    Ok(())
}

fn w12_two_graphs_read_the_same_weights() -> Result<()> {
    let (a, b) = (Stream::new()?, Stream::new()?);
    let data = random::<u32>(LEN);
    let weights = uploaded(&a, &data)?.freeze();
    let mut outputs = [
        DeviceBuffer::<u32>::zeros(LEN)?,
        DeviceBuffer::<u32>::zeros(LEN)?,
    ];
    let mut execs = Vec::new();
    for y in &mut outputs {
        let record = |capture: &CaptureStream| {
            y.as_view_mut()
                .copy_from_device_async(capture, &weights.as_view())
        };
        execs.push(b.capture(record)?.instantiate()?);
    }
    let mut alone = weights.try_unfreeze().expect("no other handle");
    for _ in 0..3 {
        execs[0].launch(&a)?;
        execs[1].launch(&b)?;
    }
    // A write again waits for the launches.
    alone.fill(&a, 0)?;
    for y in &outputs {
        assert_same(&y.to_vec(&b)?, &data);
    }
    Ok(())
}

fn forks_are_joined() -> Result<()> {
    let stream = Stream::new()?;
    let data = random::<u32>(LEN);
    let x = uploaded(&stream, &data)?;
    let mut parts = [
        DeviceBuffer::<u32>::alloc(LEN)?,
        DeviceBuffer::<u32>::alloc(LEN)?,
        DeviceBuffer::<u32>::alloc(LEN)?,
    ];
    let mut y = DeviceBuffer::<u32>::zeros(LEN)?;
    let graph = stream.capture(|capture| {
        let (left, right) = (capture.fork()?, capture.fork()?);
        let deeper = left.fork()?;
        parts[0].copy_from_device_async(&left, &x)?;
        parts[1].copy_from_device_async(&right, &x)?;
        parts[2].fill(&deeper, 0)?;
        let [a, b, c] = &mut parts;
        // Between branches, by the record of uses alone.
        c.copy_from_device_async(&right, a)?;
        a.fill(&deeper, 0)?;
        y.copy_from_device_async(&left, c)?;
        b.fill(capture, 0)
    })?;
    let mut exec = graph.instantiate()?;
    for _ in 0..2 {
        y.fill(&stream, 0)?;
        exec.launch(&stream)?;
        assert_same(&y.to_vec(&stream)?, &data);
        assert_same(&parts[0].to_vec(&stream)?, &[0; LEN]);
        assert_same(&parts[1].to_vec(&stream)?, &[0; LEN]);
    }
    Ok(())
}

fn uses_around_launches() -> Result<()> {
    let streams = [Stream::new()?, Stream::new()?, Stream::new()?];
    let mut x = DeviceBuffer::<u32>::zeros(LEN)?;
    let mut y = DeviceBuffer::<u32>::zeros(LEN)?;
    let graph = streams[0].capture(|capture| y.copy_from_device_async(capture, &x))?;
    let mut exec = graph.instantiate()?;
    let mut copies = Vec::new();
    for i in 0..6 {
        let value = 0x0100_0001 * (i as u32 + 1);
        x.fill(&streams[i % 3], value)?;
        exec.launch(&streams[(i + 1) % 3])?;
        let mut copy = DeviceBuffer::<u32>::alloc_async(&streams[(i + 2) % 3], LEN)?;
        copy.copy_from_device_async(&streams[(i + 2) % 3], &y)?;
        copies.push((value, copy));
    }
    drop((x, y));
    for (value, copy) in &copies {
        assert_same(&copy.to_vec(&streams[0])?, &[*value; LEN]);
    }
    Ok(())
}

fn a_refused_capture_is_followed_by_a_good_one() -> Result<()> {
    let stream = Stream::new()?;
    let data = random::<u32>(LEN);
    let x = uploaded(&stream, &data)?;
    let mut y = DeviceBuffer::<u32>::zeros(LEN)?;
    let refused = stream.capture(|capture| {
        y.fill(capture, 0)?;
        x.to_vec(capture).map(drop)
    });
    match refused {
        Err(e) if e.is_icffi_error() => {}
        Err(e) => return Err(e),
        Ok(_) => panic!("a graph without its host memory"),
    }
    let graph = stream.capture(|capture| y.copy_from_device_async(capture, &x))?;
    graph.instantiate()?.launch(&stream)?;
    assert_same(&y.to_vec(&stream)?, &data);
    Ok(())
}
