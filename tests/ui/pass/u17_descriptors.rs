//! The same in an order that is right.
use icffi::prelude::*;

pub fn written_meanwhile(a: &Stream, b: &Stream, x: &mut DeviceBuffer<u32>) -> Result<u64> {
    let len = x.input(a)?.len();
    x.fill(b, 0)?;
    Ok(len)
}

pub fn dropped_meanwhile(a: &Stream, x: DeviceBuffer<u32>) -> Result<u64> {
    let len = x.input(a)?.len();
    drop(x);
    Ok(len)
}

pub fn read_meanwhile(a: &Stream, x: &mut DeviceBuffer<u32>) -> Result<u64> {
    let len = x.output(a)?.len();
    x.to_vec(a)?;
    let (one, two) = (x.input(a)?, x.input(a)?);
    Ok(len + one.len() + two.len())
}

pub fn twice_for_writing(x: &mut DeviceBuffer<u32>) -> usize {
    let (one, two) = x.split_at_mut(2);
    one.len() + two.len()
}
