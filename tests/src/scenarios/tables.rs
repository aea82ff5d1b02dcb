//! Every function of the tables once, on small data: what the fault sweep goes through.

use super::{Leaves, Scenario, list};
use crate::{assert_same, random};
use icffi::device;
use icffi::prelude::*;
use icffi::staging;

list![Nothing {
    slices_up,
    slices_up_unguarded,
    slices_down,
    slices_down_unguarded,
    pinned_up,
    pinned_up_unguarded,
    pinned_down,
    allocation,
    device_copies,
    fills,
    pinned_memory,
    streams_and_events,
    callbacks,
    kernels,
    views,
    devices,
    larger_than_a_block,
}];

const LEN: usize = 1000;

fn slices_up() -> Result<()> {
    let stream = Stream::new()?;
    let data = random::<u32>(LEN);
    let a = DeviceBuffer::from_slice_sync(&stream, &data)?;
    let b = DeviceBuffer::from_slice_guarded(&stream, &data)?.wait()?;
    let c = DeviceBuffer::from_slice_guarded_async(&stream, &data)?.into_ordered();
    let mut d = DeviceBuffer::<u32>::alloc(LEN)?;
    d.copy_from_host_sync(&stream, &data)?;
    let mut e = DeviceBuffer::<u32>::alloc_async(&stream, LEN)?;
    let up = e.copy_from_host_guarded(&stream, &data)?;
    up.is_complete()?;
    up.wait()?;
    for x in [&a, &b, &c, &d, &e] {
        assert_same(&x.to_vec(&stream)?, &data);
    }
    Ok(())
}

/// Waits for the stream on every way out, as the contract of the unguarded functions asks.
struct Passed<'a>(&'a Stream);

impl Drop for Passed<'_> {
    fn drop(&mut self) {
        // Injected faults may hit this as well; they end.
        let done = (0..10).any(|_| self.0.synchronize().is_ok() || device::synchronize().is_ok());
        // A lost context never finishes, and then nothing of it runs any more either.
        let _ = done;
    }
}

fn slices_up_unguarded() -> Result<()> {
    let data = random::<u32>(LEN);
    let stream = Stream::new()?;
    let _passed = Passed(&stream);
    // SAFETY: `_passed` waits for the stream before `data` goes away.
    let a = unsafe { DeviceBuffer::from_slice_async(&stream, &data)? };
    let mut b = DeviceBuffer::<u32>::zeros_async(&stream, LEN)?;
    // SAFETY: as above.
    unsafe { b.copy_from_host_async(&stream, &data)? };
    stream.synchronize()?;
    for x in [&a, &b] {
        assert_same(&x.to_vec(&stream)?, &data);
    }
    Ok(())
}

fn slices_down() -> Result<()> {
    let stream = Stream::new()?;
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_guarded_async(&stream, &data)?.into_ordered();
    let mut target = vec![0; LEN];
    x.copy_to_host_sync(&stream, &mut target)?;
    assert_same(&target, &data);
    target.fill(0);
    let down = x.copy_to_host_guarded(&stream, &mut target)?;
    down.is_complete()?;
    down.wait()?;
    assert_same(&target, &data);
    drop(x.copy_to_host_guarded(&stream, &mut target)?);
    assert_same(&x.to_vec(&stream)?, &data);
    Ok(())
}

fn slices_down_unguarded() -> Result<()> {
    let mut target = vec![0; LEN];
    let stream = Stream::new()?;
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_sync(&stream, &data)?;
    {
        let _passed = Passed(&stream);
        // SAFETY: `_passed` waits for the stream before `target` is looked at or goes away.
        unsafe { x.copy_to_host_async(&stream, &mut target)? };
        stream.synchronize()?;
    }
    assert_same(&target, &data);
    Ok(())
}

fn pinned_up() -> Result<()> {
    let stream = Stream::new()?;
    let data = random::<u32>(LEN);
    let source = HostBuffer::from_slice(&data)?;
    let a = DeviceBuffer::from_host_buffer_sync(&stream, &source)?;
    let b = DeviceBuffer::from_host_buffer_guarded(&stream, &source)?.wait()?;
    let c = DeviceBuffer::from_host_buffer_guarded_async(&stream, &source)?.into_ordered();
    let mut d = DeviceBuffer::<u32>::zeros(LEN)?;
    d.copy_from_host_buffer_sync(&stream, &source)?;
    let mut e = DeviceBuffer::<u32>::zeros_async(&stream, LEN)?;
    drop(e.copy_from_host_buffer_guarded(&stream, &source)?);
    for x in [&a, &b, &c, &d, &e] {
        assert_same(&x.to_vec(&stream)?, &data);
    }
    Ok(())
}

fn pinned_up_unguarded() -> Result<()> {
    let data = random::<u32>(LEN);
    let source = HostBuffer::from_slice(&data)?;
    let stream = Stream::new()?;
    let _passed = Passed(&stream);
    // SAFETY: `_passed` waits for the stream before `source` goes away.
    let a = unsafe { DeviceBuffer::from_host_buffer_async(&stream, &source)? };
    // SAFETY: as above.
    let b = unsafe { DeviceBuffer::from_host_buffer_alloc_sync(&stream, &source)? };
    let mut c = DeviceBuffer::<u32>::zeros_async(&stream, LEN)?;
    // SAFETY: as above.
    unsafe { c.copy_from_host_buffer_async(&stream, &source)? };
    for x in [&a, &b, &c] {
        assert_same(&x.to_vec(&stream)?, &data);
    }
    Ok(())
}

fn pinned_down() -> Result<()> {
    let stream = Stream::new()?;
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_sync(&stream, &data)?;
    let mut target = HostBuffer::<u32>::alloc_zeroed(LEN)?;
    x.copy_to_host_buffer_sync(&stream, &mut target)?;
    assert_same(target.try_as_slice()?, &data);
    target.try_as_mut_slice()?.fill(0);
    x.copy_to_host_buffer_guarded(&stream, &mut target)?
        .wait()?;
    assert_same(target.try_as_slice()?, &data);
    target.try_as_mut_slice()?.fill(0);
    // SAFETY: the stream is passed before the buffer is read, and the buffer knows of the copy
    // when it is dropped.
    unsafe { x.copy_to_host_buffer_async(&stream, &mut target)? };
    stream.synchronize()?;
    assert_same(target.try_as_slice()?, &data);
    assert_same(x.to_host_buffer(&stream)?.try_as_slice()?, &data);
    Ok(())
}

fn allocation() -> Result<()> {
    let stream = Stream::new()?;
    let a = DeviceBuffer::<u64>::alloc(LEN)?;
    let b = DeviceBuffer::<u64>::alloc_async(&stream, LEN)?;
    let c = DeviceBuffer::<u64>::zeros(LEN)?;
    let d = DeviceBuffer::<u64>::zeros_async(&stream, LEN)?;
    assert_same(&c.to_vec(&stream)?, &[0; LEN]);
    assert_same(&d.to_vec(&stream)?, &[0; LEN]);
    a.free_async(&stream)?;
    b.free_async(&stream)?;
    c.free_async(&stream)?;
    drop(d);
    let empty = DeviceBuffer::<u64>::zeros(0)?;
    empty.free_async(&stream)?;
    stream.synchronize()
}

fn device_copies() -> Result<()> {
    let stream = Stream::new()?;
    let data = random::<u32>(LEN);
    let x = DeviceBuffer::from_slice_sync(&stream, &data)?;
    let mut y = DeviceBuffer::<u32>::alloc_async(&stream, LEN)?;
    y.copy_from_device_async(&stream, &x)?;
    let mut z = DeviceBuffer::<u32>::alloc(LEN)?;
    z.copy_from_device_sync(&stream, &y)?;
    assert_same(&z.to_vec(&stream)?, &data);
    Ok(())
}

fn fills() -> Result<()> {
    let stream = Stream::new()?;
    let mut x = DeviceBuffer::<u32>::alloc(20_000)?;
    x.fill(&stream, 0)?;
    assert_same(&x.to_vec(&stream)?, &[0; 20_000]);
    x.fill(&stream, 0x0403_0201)?;
    assert_same(&x.to_vec(&stream)?, &[0x0403_0201; 20_000]);
    Ok(())
}

fn pinned_memory() -> Result<()> {
    let data = random::<u32>(LEN);
    let mut a = HostBuffer::<u32>::alloc_zeroed(LEN)?;
    a.copy_from_slice(&data)?;
    let b = HostBuffer::from_slice_with_flags(&data, HostAllocFlags::PORTABLE)?;
    // SAFETY: filled before it is read.
    let mut c = unsafe { HostBuffer::<u32>::alloc_uninit(LEN)? };
    // SAFETY: `LEN` elements are there, and the source has as many.
    unsafe { std::ptr::copy_nonoverlapping(data.as_ptr(), c.as_mut_ptr(), LEN) };
    for host in [&a, &b, &c] {
        assert_same(&host.to_vec()?, &data);
    }
    let mut mapped = HostBuffer::<u32>::alloc_zeroed_with_flags(LEN, HostAllocFlags::MAPPED)?;
    assert!(!mapped.device_ptr()?.is_null());
    let mut out = vec![0; LEN];
    b.copy_to_slice(&mut out)?;
    assert_same(&out, &data);
    staging::reserve(1 << 20)?;
    staging::trim();
    Ok(())
}

fn streams_and_events() -> Result<()> {
    let stream = Stream::new()?;
    let urgent = Stream::with_priority(-1)?;
    let blocking = Stream::new_with_flags(StreamFlags::Blocking)?;
    let (start, end, mark) = (Event::timed()?, Event::timed()?, Event::ordering()?);
    stream.record_event(&start)?;
    mark.record(&urgent)?;
    stream.wait_event(&mark)?;
    blocking.wait_event(&mark)?;
    end.record(&stream)?;
    stream.query()?;
    end.query()?;
    end.synchronize()?;
    end.elapsed_since(&start)?;
    urgent.priority()?;
    Stream::priority_range()?;
    blocking.synchronize()?;
    Stream::legacy_default()?.synchronize()?;
    Stream::per_thread_default()?.synchronize()
}

fn callbacks() -> Result<()> {
    let stream = Stream::new()?;
    let (sender, receiver) = std::sync::mpsc::channel();
    let x = DeviceBuffer::<u32>::zeros_async(&stream, LEN)?;
    let host = HostBuffer::<u32>::alloc_zeroed(LEN)?;
    let (event, other) = (Event::ordering()?, Stream::new()?);
    stream.launch_host_fn(move || {
        drop((x, host, event, other));
        let _ = sender.send(17);
    })?;
    stream.synchronize()?;
    assert_eq!(receiver.try_recv(), Ok(17));
    stream.launch_host_fn(|| std::panic::resume_unwind(Box::new("on purpose")))?;
    stream.synchronize()?;
    assert_eq!(stream.take_callback_panic().as_deref(), Some("on purpose"));
    Ok(())
}

/// What a kernel wrapper does, but for the launch.
fn kernels() -> Result<()> {
    let (stream, other) = (Stream::new()?, Stream::new()?);
    let x = DeviceBuffer::<f32>::zeros_async(&stream, LEN)?;
    let mut y = DeviceBuffer::<f32>::zeros(LEN)?;
    let params = LaunchParams::for_elements(LEN as u64, 128, &other)?;
    let shape = LaunchParams::builder(&other)
        .grid(2, 2, 2)
        .shared_mem_bytes(4096)
        .build()?;
    assert_eq!((params.grid_x, shape.grid_y), (8, 2));
    {
        let (input, output) = (x.input(&other)?, y.output(&other)?);
        assert_eq!((input.len(), output.len()), (LEN as u64, LEN as u64));
    }
    assert_same(&y.to_vec(&stream)?, &[0.0; LEN]);
    Ok(())
}

fn views() -> Result<()> {
    let (stream, other) = (Stream::new()?, Stream::new()?);
    let data = random::<u32>(LEN);
    let mut x = DeviceBuffer::<u32>::zeros(LEN)?;
    {
        let (mut low, mut high) = x.split_at_mut(LEN / 2);
        low.copy_from_host_guarded(&stream, &data[..LEN / 2])?
            .wait()?;
        high.copy_from_host_sync(&other, &data[LEN / 2..])?;
    }
    assert_same(&x.slice(100..200).to_vec(&stream)?, &data[100..200]);
    assert_same(&x.to_vec(&other)?, &data);
    x.slice_mut(..10).fill(&other, 0)?;
    assert_same(&x.slice(..10).to_vec(&stream)?, &[0; 10]);
    Ok(())
}

fn devices() -> Result<()> {
    device::set_current(0)?;
    assert!(device::count()? >= 1);
    let current = device::current()?;
    current.properties()?;
    device::memory_info()?;
    device::driver_version()?;
    device::runtime_version()?;
    device::synchronize()?;
    assert_eq!(current.ordinal(), 0);
    Ok(())
}

fn larger_than_a_block() -> Result<()> {
    let stream = Stream::new()?;
    let data = random::<u8>((9 << 20) + 17);
    let x = DeviceBuffer::from_slice_guarded_async(&stream, &data)?.into_ordered();
    let mut target = vec![0; data.len()];
    x.copy_to_host_guarded(&stream, &mut target)?.wait()?;
    assert_same(&target, &data);
    assert_same(&x.to_vec(&stream)?, &data);
    Ok(())
}
