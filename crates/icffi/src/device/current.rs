//! The current device, switched for one operation and back.

use super::state::single_device;
use crate::error::Result;
use crate::op::Op;
use crate::rt;
use std::marker::PhantomData;

/// Keeps a device current on this thread; puts the previous one back when dropped. See
/// [`Device::enter`](super::Device::enter).
#[must_use = "the device is current only as long as this lives"]
#[derive(Debug)]
pub struct DeviceScope {
    back: Option<i32>,
    _this_thread: PhantomData<*const ()>,
}

impl DeviceScope {
    const fn new(back: Option<i32>) -> Self {
        Self {
            back,
            _this_thread: PhantomData,
        }
    }
}

/// Makes `ordinal` current until the result is dropped. On a machine with one device it costs
/// nothing; otherwise one `cudaGetDevice`, since other code may switch devices at any time.
#[inline]
pub(crate) fn enter(op: Op, ordinal: i32) -> Result<DeviceScope> {
    if single_device(op)? {
        return Ok(DeviceScope::new(None));
    }
    let now = rt::get_device(op)?;
    if now == ordinal {
        return Ok(DeviceScope::new(None));
    }
    rt::set_device(op, ordinal)?;
    Ok(DeviceScope::new(Some(now)))
}

impl Drop for DeviceScope {
    fn drop(&mut self) {
        if let Some(ordinal) = self.back {
            // It was current a moment ago, so it exists; a lost context shows at the next call.
            let _ = rt::set_device(Op::new("restoring the current device"), ordinal);
        }
    }
}
