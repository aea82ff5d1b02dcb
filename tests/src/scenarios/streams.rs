//! Several streams and threads on the same memory, in orders that need waits between them.

use super::{Leaves, Scenario, list};
use crate::{assert_same, random};
use icffi::prelude::*;
use std::mem::forget;

list![
    Nothing {
        row05_freed_on_another_stream,
        row07_zeros_are_complete_for_every_stream,
        row19_streams_come_and_go,
        later_work_on_the_same_stream_counts,
        memory_of_one_stream_is_used_on_another_at_once,
        writer_after_readers,
        per_thread_streams,
        ping_pong,
    }
    Marks {
        row06_pool_memory_goes_back_behind_its_last_use,
        row13_a_slice_of_pinned_memory_is_a_plain_slice,
        w2_copies_and_work_on_two_streams,
        dropped_in_flight,
    }
];

const LEN: usize = 3000;

fn row05_freed_on_another_stream() -> Result<()> {
    let (a, b) = (Stream::new()?, Stream::new()?);
    for _ in 0..3 {
        let data = random::<u32>(LEN);
        let x = DeviceBuffer::from_slice_guarded_async(&a, &data)?.into_ordered();
        let mut y = DeviceBuffer::<u32>::alloc_async(&a, LEN)?;
        y.copy_from_device_async(&a, &x)?;
        x.free_async(&b)?;
        // Perhaps the same memory.
        let mut z = DeviceBuffer::<u32>::alloc_async(&b, LEN)?;
        z.fill(&b, 7)?;
        assert_same(&y.to_vec(&b)?, &data);
        drop(y);
        assert_same(&z.to_vec(&a)?, &[7; LEN]);
    }
    Ok(())
}

fn row06_pool_memory_goes_back_behind_its_last_use() -> Result<()> {
    let (a, b) = (Stream::new()?, Stream::new()?);
    let data = random::<u32>(LEN);
    for _ in 0..3 {
        let mut host = HostBuffer::<u32>::alloc_zeroed(LEN)?;
        let x = DeviceBuffer::from_slice_guarded_async(&a, &data)?.into_ordered();
        forget(x.copy_to_host_buffer_guarded(&b, &mut host)?);
        drop(x);
        let mut y = DeviceBuffer::<u32>::alloc_async(&a, LEN)?;
        y.fill(&a, 0)?;
        assert_same(host.try_as_slice()?, &data);
    }
    Ok(())
}

fn row07_zeros_are_complete_for_every_stream() -> Result<()> {
    let x = DeviceBuffer::<u32>::zeros(LEN)?;
    let mut copies = Vec::new();
    for stream in [
        Stream::new()?,
        Stream::new_with_flags(StreamFlags::Blocking)?,
        Stream::legacy_default()?,
    ] {
        let mut y = DeviceBuffer::<u32>::alloc_async(&stream, LEN)?;
        y.copy_from_device_async(&stream, &x)?;
        copies.push((stream, y));
    }
    for (stream, y) in &copies {
        assert_same(&y.to_vec(stream)?, &[0; LEN]);
    }
    Ok(())
}

fn row13_a_slice_of_pinned_memory_is_a_plain_slice() -> Result<()> {
    let stream = Stream::new()?;
    let data = random::<u32>(LEN);
    let mut pinned = HostBuffer::from_slice(&data)?;
    let mut x = DeviceBuffer::<u32>::alloc_async(&stream, LEN)?;
    forget(x.copy_from_host_guarded(&stream, pinned.try_as_slice()?)?);
    // The lease knows nothing of it, so this does not wait.
    pinned.try_as_mut_slice()?.fill(0);
    assert_same(&x.to_vec(&stream)?, &data);
    x.copy_to_host_guarded(&stream, pinned.try_as_mut_slice()?)?
        .wait()?;
    assert_same(pinned.try_as_slice()?, &data);
    Ok(())
}

fn row19_streams_come_and_go() -> Result<()> {
    let mut x = DeviceBuffer::<u32>::zeros(LEN)?;
    let mut y = DeviceBuffer::<u32>::zeros(LEN)?;
    for i in 1..8 {
        x.fill(&Stream::new()?, i * 0x01_0203)?;
        y.copy_from_device_async(&Stream::new()?, &x)?;
    }
    x.fill(&Stream::new()?, 0)?;
    assert_same(&y.to_vec(&Stream::new()?)?, &[7 * 0x01_0203; LEN]);
    Ok(())
}

fn w2_copies_and_work_on_two_streams() -> Result<()> {
    let (copy, compute) = (Stream::new()?, Stream::new()?);
    let data: Vec<_> = (0..4).map(|_| random::<u32>(LEN)).collect();
    let mut sources = Vec::new();
    let (mut inputs, mut outputs) = (Vec::new(), Vec::new());
    for data in &data {
        sources.push(HostBuffer::from_slice(data)?);
        inputs.push(DeviceBuffer::<u32>::alloc_async(&copy, LEN)?);
        outputs.push(DeviceBuffer::<u32>::alloc_async(&compute, LEN)?);
    }
    for (x, source) in inputs.iter_mut().zip(&sources) {
        forget(x.copy_from_host_buffer_guarded(&copy, source)?);
    }
    for (y, x) in outputs.iter_mut().zip(&inputs) {
        y.copy_from_device_async(&compute, x)?;
    }
    for (source, x) in sources.iter_mut().zip(&mut inputs) {
        // The next round overwrites what this one reads.
        source.try_as_mut_slice()?.fill(0);
        forget(x.copy_from_host_buffer_guarded(&copy, source)?);
    }
    for (y, data) in outputs.iter().zip(&data) {
        assert_same(&y.to_vec(&copy)?, data);
    }
    Ok(())
}

/// An event that was recorded for a copy does not cover what the same stream did afterwards.
fn later_work_on_the_same_stream_counts() -> Result<()> {
    let (a, b) = (Stream::new()?, Stream::new()?);
    let data = random::<u32>(LEN);
    let source = HostBuffer::from_slice(&data)?;
    let mut x = DeviceBuffer::<u32>::alloc(LEN)?;
    let mut y = DeviceBuffer::<u32>::alloc(LEN)?;
    let mut target = HostBuffer::<u32>::alloc_zeroed(LEN)?;
    for _ in 0..3 {
        // A write with an event of its own, then one without.
        let up = x.copy_from_host_buffer_guarded(&a, &source)?;
        x.fill(&a, 0)?;
        y.copy_from_device_async(&b, &x)?;
        up.wait()?;
        assert_same(&y.to_vec(&b)?, &[0; LEN]);
        // A read with an event of its own, then one without, then a write elsewhere.
        x.copy_from_host_buffer_sync(&b, &source)?;
        let down = x.copy_to_host_buffer_guarded(&a, &mut target)?;
        y.copy_from_device_async(&a, &x)?;
        x.fill(&b, 0)?;
        down.wait()?;
        assert_same(&y.to_vec(&b)?, &data);
    }
    Ok(())
}

fn memory_of_one_stream_is_used_on_another_at_once() -> Result<()> {
    let (a, b) = (Stream::new()?, Stream::new()?);
    let data = random::<u32>(LEN);
    let mut busy = DeviceBuffer::<u32>::alloc_async(&a, LEN)?;
    for _ in 0..3 {
        busy.fill(&a, 0)?;
        let mut x = DeviceBuffer::<u32>::alloc_async(&a, LEN)?;
        x.copy_from_host_sync(&b, &data)?;
        assert_same(&x.to_vec(&b)?, &data);
    }
    Ok(())
}

fn writer_after_readers() -> Result<()> {
    let mut streams = Vec::new();
    for _ in 0..10 {
        streams.push(Stream::new()?);
    }
    let data = random::<u32>(LEN);
    let mut x = DeviceBuffer::from_slice_guarded_async(&streams[0], &data)?.into_ordered();
    let mut copies = Vec::new();
    for stream in &streams {
        let mut y = DeviceBuffer::<u32>::alloc_async(stream, LEN)?;
        y.copy_from_device_async(stream, &x)?;
        copies.push(y);
    }
    x.fill(&streams[4], 0x0102_0304)?;
    for y in &copies {
        assert_same(&y.to_vec(&streams[7])?, &data);
    }
    assert_same(&x.to_vec(&streams[1])?, &[0x0102_0304; LEN]);
    Ok(())
}

fn per_thread_streams() -> Result<()> {
    let mine = Stream::per_thread_default()?;
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_guarded_async(&mine, &data)?.into_ordered();
    let there = move || -> Result<(DeviceBuffer<u32>, DeviceBuffer<u32>)> {
        let theirs = Stream::per_thread_default()?;
        let mut y = DeviceBuffer::<u32>::alloc_async(&theirs, LEN)?;
        y.copy_from_device_async(&theirs, &x)?;
        Ok((x, y))
    };
    let joined = std::thread::spawn(there).join();
    let (mut x, y) = joined.unwrap_or_else(|e| std::panic::resume_unwind(e))?;
    x.fill(&mine, 0)?;
    assert_same(&y.to_vec(&mine)?, &data);
    Ok(())
}

fn ping_pong() -> Result<()> {
    let (a, b) = (Stream::new()?, Stream::new()?);
    let mut x = DeviceBuffer::<u32>::zeros(LEN)?;
    let mut y = DeviceBuffer::<u32>::zeros(LEN)?;
    for i in 1..6 {
        x.fill(&a, i * 0x1001)?;
        y.copy_from_device_async(&b, &x)?;
        x.copy_from_device_async(&a, &y)?;
    }
    assert_same(&x.to_vec(&b)?, &[5 * 0x1001; LEN]);
    assert_same(&y.to_vec(&a)?, &[5 * 0x1001; LEN]);
    Ok(())
}

fn dropped_in_flight() -> Result<()> {
    let (a, b) = (Stream::new()?, Stream::new()?);
    let data = random::<u32>(LEN);
    let mut host = HostBuffer::<u32>::alloc_zeroed(LEN)?;
    for pooled in [false, true] {
        let x = if pooled {
            DeviceBuffer::from_slice_guarded_async(&a, &data)?.into_ordered()
        } else {
            DeviceBuffer::from_slice_guarded(&a, &data)?.into_ordered()
        };
        let source = HostBuffer::from_slice(&data)?;
        let mut y = DeviceBuffer::<u32>::alloc(LEN)?;
        forget(y.copy_from_host_buffer_guarded(&b, &source)?);
        drop(source);
        forget(x.copy_to_host_buffer_guarded(&b, &mut host)?);
        drop((x, a.clone()));
        assert_same(&y.to_vec(&a)?, &data);
        assert_same(host.try_as_slice()?, &data);
    }
    Ok(())
}
