//! Row 2: every guard is forgotten, then the host memory is read, written, dropped and reused.
//! The device has the right data all the same, and no slice is written behind its owner's back.

use super::{Leaves, Scenario, list};
use crate::{assert_same, random};
use icffi::prelude::*;
use std::mem::forget;

list![
    Marks {
        copy_from_host_guarded,
        copy_from_host_buffer_guarded,
        copy_to_host_buffer_guarded,
        guards_of_views,
    }
    Nothing { into_ordered }
    Memory {
        from_slice_guarded,
        from_slice_guarded_async,
        from_host_buffer_guarded,
        from_host_buffer_guarded_async,
        copy_to_host_guarded,
    }
];

const LEN: usize = 2000;

fn copy_from_host_guarded() -> Result<()> {
    let stream = Stream::new()?;
    let mut data = random::<u32>(LEN);
    let expected = data.clone();
    let mut x = DeviceBuffer::<u32>::alloc_async(&stream, LEN)?;
    forget(x.copy_from_host_guarded(&stream, &data)?);
    assert_same(&data, &expected);
    data.fill(0xdead);
    drop(data);
    let reused = random::<u32>(LEN);
    let y = DeviceBuffer::from_slice_guarded_async(&stream, &reused)?.into_ordered();
    assert_same(&x.to_vec(&stream)?, &expected);
    assert_same(&y.to_vec(&stream)?, &reused);
    Ok(())
}

fn copy_to_host_guarded() -> Result<()> {
    let stream = Stream::new()?;
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_sync(&stream, &data)?;
    let old = random::<u32>(LEN);
    let mut target = old.clone();
    forget(x.copy_to_host_guarded(&stream, &mut target)?);
    assert_same(&target, &old);
    let mine = random::<u32>(LEN);
    target.copy_from_slice(&mine);
    drop(x);
    stream.synchronize()?;
    assert_same(&target, &mine);
    drop(target);
    let reused = vec![0x5555_5555u32; LEN];
    stream.synchronize()?;
    assert_same(&reused, &[0x5555_5555; LEN]);
    Ok(())
}

fn from_slice_guarded() -> Result<()> {
    let stream = Stream::new()?;
    let mut data = random::<u32>(LEN);
    forget(DeviceBuffer::from_slice_guarded(&stream, &data)?);
    data.fill(1);
    drop(data);
    reuse(&stream)
}

fn from_slice_guarded_async() -> Result<()> {
    let stream = Stream::new()?;
    let mut data = random::<u32>(LEN);
    forget(DeviceBuffer::from_slice_guarded_async(&stream, &data)?);
    data.fill(1);
    drop(data);
    reuse(&stream)
}

fn from_host_buffer_guarded() -> Result<()> {
    let stream = Stream::new()?;
    let mut source = HostBuffer::from_slice(&random::<u32>(LEN))?;
    forget(DeviceBuffer::from_host_buffer_guarded(&stream, &source)?);
    source.try_as_mut_slice()?.fill(1);
    drop(source);
    reuse(&stream)
}

fn from_host_buffer_guarded_async() -> Result<()> {
    let stream = Stream::new()?;
    let mut source = HostBuffer::from_slice(&random::<u32>(LEN))?;
    forget(DeviceBuffer::from_host_buffer_guarded_async(
        &stream, &source,
    )?);
    source.try_as_mut_slice()?.fill(1);
    drop(source);
    reuse(&stream)
}

/// The buffer was forgotten with its guard, so nobody can look at it; whatever comes next must
/// not be disturbed.
fn reuse(stream: &Stream) -> Result<()> {
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_guarded_async(stream, &data)?.into_ordered();
    let pinned = HostBuffer::from_slice(&data)?;
    let y = DeviceBuffer::from_host_buffer_guarded(stream, &pinned)?.into_ordered();
    assert_same(&x.to_vec(stream)?, &data);
    assert_same(&y.to_vec(stream)?, &data);
    assert_same(pinned.try_as_slice()?, &data);
    Ok(())
}

fn copy_from_host_buffer_guarded() -> Result<()> {
    let stream = Stream::new()?;
    let expected = random::<u32>(LEN);
    let mut source = HostBuffer::from_slice(&expected)?;
    let mut x = DeviceBuffer::<u32>::alloc_async(&stream, LEN)?;
    forget(x.copy_from_host_buffer_guarded(&stream, &source)?);
    // Reading while the device reads is fine; writing waits.
    assert_same(source.try_as_slice()?, &expected);
    source.try_as_mut_slice()?.fill(0xdead);
    assert_same(&x.to_vec(&stream)?, &expected);
    forget(x.copy_from_host_buffer_guarded(&stream, &source)?);
    drop(source);
    let reused = HostBuffer::from_slice(&random::<u32>(LEN))?;
    assert_same(&x.to_vec(&stream)?, &[0xdead; LEN]);
    drop(reused);
    Ok(())
}

fn copy_to_host_buffer_guarded() -> Result<()> {
    let stream = Stream::new()?;
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_sync(&stream, &data)?;
    let mut target = HostBuffer::<u32>::alloc_zeroed(LEN)?;
    forget(x.copy_to_host_buffer_guarded(&stream, &mut target)?);
    assert_same(target.try_as_slice()?, &data);
    target.try_as_mut_slice()?.fill(0);
    forget(x.copy_to_host_buffer_guarded(&stream, &mut target)?);
    let mine = random::<u32>(LEN);
    target.copy_from_slice(&mine)?;
    stream.synchronize()?;
    assert_same(target.try_as_slice()?, &mine);
    forget(x.copy_to_host_buffer_guarded(&stream, &mut target)?);
    drop(target);
    let reused = HostBuffer::from_slice(&mine)?;
    stream.synchronize()?;
    assert_same(reused.try_as_slice()?, &mine);
    Ok(())
}

fn into_ordered() -> Result<()> {
    let (stream, other) = (Stream::new()?, Stream::new()?);
    let mut data = random::<u32>(LEN);
    let expected = data.clone();
    let mut pinned = HostBuffer::from_slice(&data)?;
    let all = [
        DeviceBuffer::from_slice_guarded(&stream, &data)?.into_ordered(),
        DeviceBuffer::from_slice_guarded_async(&stream, &data)?.into_ordered(),
        DeviceBuffer::from_host_buffer_guarded(&stream, &pinned)?.into_ordered(),
        DeviceBuffer::from_host_buffer_guarded_async(&stream, &pinned)?.into_ordered(),
    ];
    data.fill(0);
    pinned.try_as_mut_slice()?.fill(0);
    drop((data, pinned));
    for x in &all {
        assert_same(&x.to_vec(&other)?, &expected);
    }
    Ok(())
}

fn guards_of_views() -> Result<()> {
    let (stream, other) = (Stream::new()?, Stream::new()?);
    let mut data = random::<u32>(LEN);
    let expected = data.clone();
    let mut x = DeviceBuffer::<u32>::alloc(LEN)?;
    {
        let (mut low, mut high) = x.split_at_mut(LEN / 3);
        forget(low.copy_from_host_guarded(&stream, &data[..LEN / 3])?);
        forget(high.copy_from_host_guarded(&other, &data[LEN / 3..])?);
    }
    data.fill(0);
    drop(data);
    assert_same(&x.to_vec(&stream)?, &expected);
    Ok(())
}
