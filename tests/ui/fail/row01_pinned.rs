//! Pinned buffers are borrowed by the guard as slices are: shared upwards, exclusively downwards.
use icffi::prelude::*;

pub fn written(stream: &Stream, x: &mut DeviceBuffer<u32>, h: &mut HostBuffer<u32>) -> Result<()> {
    let transfer = x.copy_from_host_buffer_guarded(stream, h)?;
    h.as_mut_slice()[0] = 4; //~ E0502
    transfer.wait()
}

pub fn dropped(stream: &Stream, x: &mut DeviceBuffer<u32>, h: HostBuffer<u32>) -> Result<()> {
    let transfer = x.copy_from_host_buffer_guarded(stream, &h)?;
    drop(h); //~ E0505
    transfer.wait()
}

pub fn moved(stream: &Stream, h: HostBuffer<u32>) -> Result<HostBuffer<u32>> {
    let transfer = DeviceBuffer::from_host_buffer_guarded_async(stream, &h)?;
    let elsewhere = h; //~ E0505
    drop(transfer.wait()?);
    Ok(elsewhere)
}

pub fn returned(
    stream: &Stream,
) -> Result<icffi::transfer::TransferInto<'static, u32, DeviceBuffer<u32>>> {
    let h = HostBuffer::from_slice(&[1, 2, 3])?;
    DeviceBuffer::from_host_buffer_guarded(stream, &h) //~ E0515
}

pub fn read_too_early(
    stream: &Stream,
    x: &DeviceBuffer<u32>,
    h: &mut HostBuffer<u32>,
) -> Result<u32> {
    let transfer = x.copy_to_host_buffer_guarded(stream, h)?;
    let first = h[0]; //~ E0502
    transfer.wait()?;
    Ok(first)
}

pub fn dropped_too_early(
    stream: &Stream,
    x: &DeviceBuffer<u32>,
    mut h: HostBuffer<u32>,
) -> Result<()> {
    let transfer = x.copy_to_host_buffer_guarded(stream, &mut h)?;
    drop(h); //~ E0505
    transfer.wait()
}

pub fn a_slice_taken_before(
    stream: &Stream,
    x: &DeviceBuffer<u32>,
    h: &mut HostBuffer<u32>,
) -> Result<u32> {
    let before = h.as_slice();
    std::mem::forget(x.copy_to_host_buffer_guarded(stream, h)?); //~ E0502
    Ok(before[0])
}

pub fn a_mutable_slice_taken_before(
    stream: &Stream,
    x: &mut DeviceBuffer<u32>,
    h: &mut HostBuffer<u32>,
) -> Result<()> {
    let before = h.as_mut_slice();
    std::mem::forget(x.copy_from_host_buffer_guarded(stream, h)?); //~ E0502
    before[0] = 1;
    Ok(())
}

pub fn returned_downwards(
    stream: &Stream,
    x: &DeviceBuffer<u32>,
) -> Result<icffi::transfer::Transfer<'static, u32>> {
    let mut h = HostBuffer::alloc_zeroed(3)?;
    x.copy_to_host_buffer_guarded(stream, &mut h) //~ E0515
}
