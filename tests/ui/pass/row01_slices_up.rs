//! The same in an order that is right.
use icffi::prelude::*;

pub fn written(stream: &Stream, x: &mut DeviceBuffer<u32>) -> Result<()> {
    let mut data = [1, 2, 3];
    let transfer = x.copy_from_host_guarded(stream, &data)?;
    let _sum: u32 = data.iter().sum();
    transfer.wait()?;
    data[0] = 4;
    Ok(())
}

pub fn dropped(stream: &Stream, x: &mut DeviceBuffer<u32>) -> Result<()> {
    let data = vec![1, 2, 3];
    let transfer = x.copy_from_host_guarded(stream, &data)?;
    transfer.wait()?;
    drop(data);
    Ok(())
}

pub fn moved(stream: &Stream) -> Result<(Vec<u32>, DeviceBuffer<u32>)> {
    let data = vec![1, 2, 3];
    let x = DeviceBuffer::from_slice_guarded(stream, &data)?.into_ordered();
    let elsewhere = data;
    Ok((elsewhere, x))
}

pub fn goes_out_of_scope(stream: &Stream) -> Result<DeviceBuffer<u32>> {
    let data = vec![1, 2, 3];
    let transfer = { DeviceBuffer::from_slice_guarded_async(stream, &data)? };
    transfer.wait()
}

pub fn returned<'a>(
    stream: &Stream,
    x: &mut DeviceBuffer<u32>,
    data: &'a [u32],
) -> Result<icffi::transfer::Transfer<'a, u32>> {
    x.copy_from_host_guarded(stream, data)
}

pub fn returned_for_ever(
    stream: &Stream,
) -> Result<icffi::transfer::TransferInto<'static, u32, DeviceBuffer<u32>>> {
    static DATA: [u32; 3] = [1, 2, 3];
    DeviceBuffer::from_slice_guarded(stream, &DATA)
}
