//! A slice that the device's data goes to is borrowed exclusively by the guard.
use icffi::prelude::*;

pub fn read(stream: &Stream, x: &DeviceBuffer<u32>) -> Result<u32> {
    let mut data = vec![0; 3];
    let transfer = x.copy_to_host_guarded(stream, &mut data)?;
    let first = data[0]; //~ E0502
    transfer.wait()?;
    Ok(first)
}

pub fn written(stream: &Stream, x: &DeviceBuffer<u32>) -> Result<()> {
    let mut data = vec![0; 3];
    let transfer = x.copy_to_host_guarded(stream, &mut data)?;
    data[0] = 1; //~ E0499
    transfer.wait()
}

pub fn dropped(stream: &Stream, x: &DeviceBuffer<u32>) -> Result<()> {
    let mut data = vec![0; 3];
    let transfer = x.copy_to_host_guarded(stream, &mut data)?;
    drop(data); //~ E0505
    transfer.wait()
}

pub fn moved(stream: &Stream, x: &DeviceBuffer<u32>) -> Result<Vec<u32>> {
    let mut data = vec![0; 3];
    let transfer = x.copy_to_host_guarded(stream, &mut data)?;
    let elsewhere = data; //~ E0505
    transfer.wait()?;
    Ok(elsewhere)
}

pub fn the_guard_is_only_dropped(stream: &Stream, x: &DeviceBuffer<u32>) -> Result<u32> {
    let mut data = vec![0; 3];
    let _transfer = x.copy_to_host_guarded(stream, &mut data)?;
    Ok(data[0]) //~ E0502
}

pub fn returned(
    stream: &Stream,
    x: &DeviceBuffer<u32>,
) -> Result<icffi::transfer::Transfer<'static, u32>> {
    let mut data = vec![0; 3];
    x.copy_to_host_guarded(stream, &mut data) //~ E0515
}
