//! Parts of buffers, rows, memory shared by threads, pools, and memory that comes and goes raw.

use super::{Leaves, Scenario, list};
use crate::{assert_same, random};
use icffi::device;
use icffi::memory::{RawOrigin, RawParts, assume_ordered};
use icffi::prelude::*;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};

list![Nothing {
    rows_of_a_picture,
    chunks_on_several_streams,
    w5_halves_go_back_and_forth,
    casts,
    w6_shared_by_threads,
    row26_uses_from_several_threads,
    pools_of_ones_own,
    u16_raw_parts,
    u16_foreign_memory,
    u16_a_borrowed_stream,
    u5_registered_memory,
    w2_checkpoints,
    u13_ordered_by_hand,
}];

const LEN: usize = 1200;

fn rows_of_a_picture() -> Result<()> {
    let (a, b) = (Stream::new()?, Stream::new()?);
    let picture = random::<u32>(30 * 20);
    let mut x = DeviceBuffer::<u32>::zeros(40 * 20)?;
    let mut rows = x.as_view_mut().rows_mut(30, 20, 40)?;
    rows.copy_from_host_sync(&a, &picture)?;
    let mut y = DeviceBuffer::<u32>::zeros_async(&b, 32 * 20)?;
    {
        let from = x.as_view().rows(30, 20, 40)?;
        y.as_view_mut()
            .rows_mut(30, 20, 32)?
            .copy_from_rows_async(&b, &from)?;
    }
    // The gaps of one, on another stream, while the other is copied.
    x.fill(&a, 0)?;
    assert_same(&y.as_view().rows(30, 20, 32)?.to_vec(&a)?, &picture);
    let all = y.to_vec(&b)?;
    for (row, line) in all.chunks(32).enumerate() {
        assert_same(&line[..30], &picture[row * 30..][..30]);
        assert_same(&line[30..], &[0; 2]);
    }
    Ok(())
}

fn chunks_on_several_streams() -> Result<()> {
    let streams = [Stream::new()?, Stream::new()?, Stream::new()?];
    let data = random::<u32>(LEN);
    let source = HostBuffer::from_slice(&data)?;
    let whole = DeviceBuffer::from_host_buffer_sync(&streams[0], &source)?;
    let mut x = DeviceBuffer::<u32>::zeros(LEN)?;
    for (i, (mut to, from)) in x.chunks_mut(170).zip(whole.chunks(170)).enumerate() {
        to.copy_from_device_async(&streams[i % 3], &from)?;
    }
    x.slice_mut(100..1000).fill(&streams[1], 0)?;
    let mut expected = data.clone();
    expected[100..1000].fill(0);
    assert_same(&x.to_vec(&streams[2])?, &expected);
    Ok(())
}

fn w5_halves_go_back_and_forth() -> Result<()> {
    let (a, b) = (Stream::new()?, Stream::new()?);
    let mut x = DeviceBuffer::<u32>::zeros(LEN)?;
    for i in 1..5 {
        let (mut low, mut high) = x.split_at_mut(LEN / 3);
        low.fill(&a, i * 0x0101_0001)?;
        high.fill(&b, i * 0x0001_0101)?;
    }
    let mut expected = vec![4 * 0x0101_0001; LEN / 3];
    expected.resize(LEN, 4 * 0x0001_0101);
    assert_same(&x.to_vec(&a)?, &expected);
    Ok(())
}

fn casts() -> Result<()> {
    let (a, b) = (Stream::new()?, Stream::new()?);
    let data = random::<u32>(LEN);
    let mut x = DeviceBuffer::from_slice_sync(&a, &data)?;
    x.slice_mut(..10).cast::<u8>()?.fill(&a, 0xab)?;
    let bytes = x.as_view().cast::<u8>()?;
    assert_same(&bytes.slice(..40).to_vec(&b)?, &[0xab; 40]);
    assert_same(&x.slice(10..).to_vec(&b)?, &data[10..]);
    Ok(())
}

fn w6_shared_by_threads() -> Result<()> {
    let stream = Stream::new()?;
    let data = Arc::new(random::<u32>(LEN));
    let weights = DeviceBuffer::from_slice_guarded_async(&stream, &data)?
        .into_ordered()
        .freeze();
    let mut threads = Vec::new();
    for _ in 0..3 {
        let (weights, data) = (weights.clone(), Arc::clone(&data));
        threads.push(std::thread::spawn(move || -> Result<()> {
            let own = Stream::new()?;
            assert_same(&weights.to_vec(&own)?, &data);
            let mut y = DeviceBuffer::<u32>::alloc_async(&own, LEN)?;
            y.as_view_mut()
                .copy_from_device_async(&own, &weights.as_view())?;
            drop(weights);
            assert_same(&y.to_vec(&own)?, &data);
            Ok(())
        }));
    }
    let mut result = Ok(());
    for thread in threads {
        let one = thread.join();
        result = result.and(one.unwrap_or_else(|e| std::panic::resume_unwind(e)));
    }
    result?;
    let mut x = weights.try_unfreeze().expect("the only handle");
    x.fill(&stream, 0)?;
    assert_same(&x.to_vec(&stream)?, &[0; LEN]);
    Ok(())
}

fn row26_uses_from_several_threads() -> Result<()> {
    let stream = Stream::new()?;
    let mut x = DeviceBuffer::<u32>::zeros(LEN)?;
    let mut y = DeviceBuffer::<u32>::zeros(LEN)?;
    let graph = stream.capture(|capture| y.copy_from_device_async(capture, &x))?;
    let mut exec = graph.instantiate()?;
    let launching = std::thread::spawn(move || -> Result<()> {
        let own = Stream::new()?;
        for _ in 0..8 {
            exec.launch(&own)?;
        }
        Ok(())
    });
    let mut mine = || -> Result<()> {
        for i in 1..9 {
            x.fill(&stream, 0x0101_0101 * i)?;
            let seen = y.to_vec(&stream)?;
            assert!(seen.iter().all(|&n| n == seen[0]), "a torn copy");
        }
        Ok(())
    };
    let here = mine();
    let there = launching.join();
    here.and(there.unwrap_or_else(|e| std::panic::resume_unwind(e)))
}

fn pools_of_ones_own() -> Result<()> {
    let (a, b) = (Stream::new()?, Stream::new()?);
    let data = random::<u32>(LEN);
    let pool = MemoryPool::new(&device::current()?)?;
    pool.set_release_threshold(1 << 20)?;
    let mut x = DeviceBuffer::<u32>::alloc_from_async(&pool, &a, LEN)?;
    x.copy_from_host_sync(&b, &data)?;
    assert_same(&x.to_vec(&a)?, &data);
    assert!(pool.statistics()?.used_bytes >= 4 * LEN as u64);
    x.free_async(&b)?;
    let mut y = DeviceBuffer::<u32>::alloc_from_async(&pool, &a, LEN)?;
    y.fill(&a, 0)?;
    // It outlives its pool.
    drop(pool);
    assert_same(&y.to_vec(&b)?, &[0; LEN]);
    Ok(())
}

fn u16_raw_parts() -> Result<()> {
    let (a, b) = (Stream::new()?, Stream::new()?);
    let data = random::<u32>(LEN);
    for pooled in [false, true] {
        let mut x = if pooled {
            DeviceBuffer::<u32>::zeros_async(&a, LEN)?
        } else {
            DeviceBuffer::<u32>::zeros(LEN)?
        };
        x.copy_from_host_guarded(&a, &data)?.wait()?;
        x.slice_mut(..10).fill(&a, 0)?;
        let parts = x.into_raw(&b)?;
        assert_eq!(matches!(parts.origin, RawOrigin::Pool), pooled);
        // SAFETY: just taken from a buffer, ordered onto this stream.
        let again = unsafe { DeviceBuffer::from_raw(parts, &b)? };
        let mut expected = data.clone();
        expected[..10].fill(0);
        assert_same(&again.to_vec(&a)?, &expected);
    }
    Ok(())
}

fn u16_foreign_memory() -> Result<()> {
    let (a, b) = (Stream::new()?, Stream::new()?);
    let data = random::<u32>(LEN);
    let mut y = DeviceBuffer::<u32>::zeros(LEN)?;
    let mut owner = DeviceBuffer::<u32>::zeros(LEN)?;
    let deleted = Arc::new(AtomicUsize::new(0));
    let (ptr, count) = (owner.as_mut_ptr(), Arc::clone(&deleted));
    let address = ptr.addr();
    let parts = RawParts {
        ptr,
        len: LEN,
        device: device::current()?,
        origin: RawOrigin::Foreign(Box::new(move |given| {
            assert_eq!(given.addr(), address);
            count.fetch_add(1, SeqCst);
            drop(owner);
        })),
    };
    // SAFETY: the memory belongs to the deleter; its zeros are complete.
    let mut x = unsafe { DeviceBuffer::from_raw(parts, &a)? };
    x.copy_from_host_guarded(&a, &data)?.wait()?;
    y.copy_from_device_async(&b, &x)?;
    drop(x);
    assert_same(&y.to_vec(&a)?, &data);
    device::synchronize()?;
    icffi::trim_all();
    assert_eq!(deleted.load(SeqCst), 1);
    Ok(())
}

fn u16_a_borrowed_stream() -> Result<()> {
    let (owner, other) = (Stream::new()?, Stream::new()?);
    // SAFETY: `owner` is dropped after the last call with it.
    let borrowed = unsafe { Stream::from_raw_borrowed(owner.raw(), owner.device()) };
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_guarded_async(&borrowed, &data)?.into_ordered();
    let mut y = DeviceBuffer::<u32>::alloc_async(&other, LEN)?;
    y.copy_from_device_async(&borrowed, &x)?;
    drop(borrowed);
    assert_same(&y.to_vec(&other)?, &data);
    Ok(())
}

fn u5_registered_memory() -> Result<()> {
    let stream = Stream::new()?;
    let data = random::<u32>(LEN);
    let mut x = DeviceBuffer::<u32>::zeros(LEN)?;
    let mut pinned = HostBuffer::register(data.clone())?;
    drop(x.copy_from_host_buffer_guarded(&stream, &pinned)?);
    x.copy_to_host_buffer_guarded(&stream, &mut pinned)?
        .wait()?;
    let back = pinned.unregister()?;
    assert_same(&back, &data);
    assert_same(&x.to_vec(&stream)?, &data);
    Ok(())
}

fn w2_checkpoints() -> Result<()> {
    let (a, b) = (Stream::new()?, Stream::new()?);
    let mut x = DeviceBuffer::<u32>::zeros(LEN)?;
    let mut y = DeviceBuffer::<u32>::zeros(LEN)?;
    let mut z = DeviceBuffer::<u32>::zeros(LEN)?;
    x.fill(&a, 0x0102_0304)?;
    a.checkpoint()?;
    z.fill(&a, 0)?;
    y.copy_from_device_async(&b, &x)?;
    // Later work on `a` is not covered by that checkpoint.
    z.copy_from_device_async(&a, &x)?;
    x.fill(&b, 0)?;
    assert_same(&y.to_vec(&b)?, &[0x0102_0304; LEN]);
    assert_same(&z.to_vec(&b)?, &[0x0102_0304; LEN]);
    Ok(())
}

fn u13_ordered_by_hand() -> Result<()> {
    let (a, b) = (Stream::new()?, Stream::new()?);
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_guarded_async(&a, &data)?.into_ordered();
    let mut y = DeviceBuffer::<u32>::zeros(LEN)?;
    let event = Event::ordering()?;
    event.record(&a)?;
    b.wait_event(&event)?;
    // SAFETY: `b` waits for all that `a` was given, by the event.
    unsafe { assume_ordered(|| y.copy_from_device_async(&b, &x)) }?;
    drop(x);
    assert_same(&y.to_vec(&a)?, &data);
    Ok(())
}
