//! The current device, switched for one operation and back.

use super::state::single_device;
use crate::error::Result;
use crate::op::Op;
use crate::rt;

/// Puts the previous device back when dropped.
#[must_use]
#[derive(Debug)]
pub(crate) struct Entered {
    back: Option<i32>,
}

/// Makes `ordinal` current until the result is dropped. On a machine with one device it costs
/// nothing; otherwise one `cudaGetDevice`, since other code may switch devices at any time.
#[inline]
pub(crate) fn enter(op: Op, ordinal: i32) -> Result<Entered> {
    if single_device(op)? {
        return Ok(Entered { back: None });
    }
    let now = rt::get_device(op)?;
    if now == ordinal {
        return Ok(Entered { back: None });
    }
    rt::set_device(op, ordinal)?;
    Ok(Entered { back: Some(now) })
}

impl Drop for Entered {
    fn drop(&mut self) {
        if let Some(ordinal) = self.back {
            // It was current a moment ago, so it exists; a lost context shows at the next call.
            let _ = rt::set_device(Op::new("restoring the current device"), ordinal);
        }
    }
}
