//! The same in an order that is right.
use icffi::prelude::*;

pub fn written(stream: &Stream, x: &mut DeviceBuffer<u32>, h: &mut HostBuffer<u32>) -> Result<()> {
    let transfer = x.copy_from_host_buffer_guarded(stream, h)?;
    let _first = h.as_slice()[0];
    transfer.wait()?;
    h.as_mut_slice()[0] = 4;
    Ok(())
}

pub fn dropped(stream: &Stream, x: &mut DeviceBuffer<u32>, h: HostBuffer<u32>) -> Result<()> {
    // A forgotten guard is no danger: the buffer knows of the transfer itself.
    std::mem::forget(x.copy_from_host_buffer_guarded(stream, &h)?);
    drop(h);
    Ok(())
}

pub fn moved(stream: &Stream, h: HostBuffer<u32>) -> Result<HostBuffer<u32>> {
    let transfer = DeviceBuffer::from_host_buffer_guarded_async(stream, &h)?;
    drop(transfer.into_ordered());
    let elsewhere = h;
    Ok(elsewhere)
}

pub fn returned<'a>(
    stream: &Stream,
    h: &'a HostBuffer<u32>,
) -> Result<icffi::transfer::TransferInto<'a, u32, DeviceBuffer<u32>>> {
    DeviceBuffer::from_host_buffer_guarded(stream, h)
}

pub fn read_too_early(
    stream: &Stream,
    x: &DeviceBuffer<u32>,
    h: &mut HostBuffer<u32>,
) -> Result<u32> {
    let transfer = x.copy_to_host_buffer_guarded(stream, h)?;
    transfer.wait()?;
    Ok(h[0])
}

pub fn dropped_too_early(
    stream: &Stream,
    x: &DeviceBuffer<u32>,
    mut h: HostBuffer<u32>,
) -> Result<()> {
    let transfer = x.copy_to_host_buffer_guarded(stream, &mut h)?;
    transfer.wait()?;
    drop(h);
    Ok(())
}

pub fn a_slice_taken_before(
    stream: &Stream,
    x: &DeviceBuffer<u32>,
    h: &mut HostBuffer<u32>,
) -> Result<u32> {
    let before = h.as_slice()[0];
    std::mem::forget(x.copy_to_host_buffer_guarded(stream, h)?);
    Ok(before)
}

pub fn a_mutable_slice_taken_before(
    stream: &Stream,
    x: &mut DeviceBuffer<u32>,
    h: &mut HostBuffer<u32>,
) -> Result<()> {
    h.as_mut_slice()[0] = 1;
    std::mem::forget(x.copy_from_host_buffer_guarded(stream, h)?);
    Ok(())
}

pub fn returned_downwards<'a>(
    stream: &Stream,
    x: &DeviceBuffer<u32>,
    h: &'a mut HostBuffer<u32>,
) -> Result<icffi::transfer::Transfer<'a, u32>> {
    x.copy_to_host_buffer_guarded(stream, h)
}
