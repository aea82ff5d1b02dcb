//! A descriptor keeps its buffer borrowed until the launch.
use icffi::prelude::*;

pub fn written_meanwhile(a: &Stream, b: &Stream, x: &mut DeviceBuffer<u32>) -> Result<u64> {
    let input = x.input(a)?;
    x.fill(b, 0)?; //~ E0502
    Ok(input.len())
}

pub fn dropped_meanwhile(a: &Stream, x: DeviceBuffer<u32>) -> Result<u64> {
    let input = x.input(a)?;
    drop(x); //~ E0505
    Ok(input.len())
}

pub fn read_meanwhile(a: &Stream, x: &mut DeviceBuffer<u32>) -> Result<u64> {
    let output = x.output(a)?;
    x.to_vec(a)?; //~ E0502
    Ok(output.len())
}

pub fn twice_for_writing(x: &mut DeviceBuffer<u32>) -> usize {
    let one = x.slice_mut(..2);
    let two = x.slice_mut(2..); //~ E0499
    one.len() + two.len()
}
