//! The same in an order that is right.
use icffi::prelude::*;

pub fn read(stream: &Stream, x: &DeviceBuffer<u32>) -> Result<u32> {
    let mut data = vec![0; 3];
    let transfer = x.copy_to_host_guarded(stream, &mut data)?;
    transfer.wait()?;
    Ok(data[0])
}

pub fn written(stream: &Stream, x: &DeviceBuffer<u32>) -> Result<()> {
    let mut data = vec![0; 3];
    let transfer = x.copy_to_host_guarded(stream, &mut data)?;
    transfer.wait()?;
    data[0] = 1;
    Ok(())
}

pub fn dropped(stream: &Stream, x: &DeviceBuffer<u32>) -> Result<()> {
    let mut data = vec![0; 3];
    let transfer = x.copy_to_host_guarded(stream, &mut data)?;
    transfer.wait()?;
    drop(data);
    Ok(())
}

pub fn moved(stream: &Stream, x: &DeviceBuffer<u32>) -> Result<Vec<u32>> {
    let mut data = vec![0; 3];
    let transfer = x.copy_to_host_guarded(stream, &mut data)?;
    transfer.wait()?;
    let elsewhere = data;
    Ok(elsewhere)
}

pub fn the_guard_is_only_dropped(stream: &Stream, x: &DeviceBuffer<u32>) -> Result<u32> {
    let mut data = vec![0; 3];
    {
        let _transfer = x.copy_to_host_guarded(stream, &mut data)?;
    }
    Ok(data[0])
}

pub fn returned<'a>(
    stream: &Stream,
    x: &DeviceBuffer<u32>,
    data: &'a mut [u32],
) -> Result<icffi::transfer::Transfer<'a, u32>> {
    // The device buffer need not outlive the guard: its memory is freed behind the copy.
    x.copy_to_host_guarded(stream, data)
}
