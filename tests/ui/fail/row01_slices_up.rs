//! A slice on its way to the device is borrowed by the guard.
use icffi::prelude::*;

pub fn written(stream: &Stream, x: &mut DeviceBuffer<u32>) -> Result<()> {
    let mut data = [1, 2, 3];
    let transfer = x.copy_from_host_guarded(stream, &data)?;
    data[0] = 4; //~ E0506
    transfer.wait()
}

pub fn dropped(stream: &Stream, x: &mut DeviceBuffer<u32>) -> Result<()> {
    let data = vec![1, 2, 3];
    let transfer = x.copy_from_host_guarded(stream, &data)?;
    drop(data); //~ E0505
    transfer.wait()
}

pub fn moved(stream: &Stream) -> Result<(Vec<u32>, DeviceBuffer<u32>)> {
    let data = vec![1, 2, 3];
    let transfer = DeviceBuffer::from_slice_guarded(stream, &data)?;
    let elsewhere = data; //~ E0505
    Ok((elsewhere, transfer.wait()?))
}

pub fn goes_out_of_scope(stream: &Stream) -> Result<DeviceBuffer<u32>> {
    let transfer = {
        let data = vec![1, 2, 3];
        DeviceBuffer::from_slice_guarded_async(stream, &data)? //~ E0597
    };
    transfer.wait()
}

pub fn returned<'a>(
    stream: &Stream,
    x: &mut DeviceBuffer<u32>,
) -> Result<icffi::transfer::Transfer<'a, u32>> {
    let data = vec![1, 2, 3];
    x.copy_from_host_guarded(stream, &data) //~ E0515
}

pub fn returned_for_ever(
    stream: &Stream,
) -> Result<icffi::transfer::TransferInto<'static, u32, DeviceBuffer<u32>>> {
    let data = vec![1, 2, 3];
    DeviceBuffer::from_slice_guarded(stream, &data) //~ E0515
}
