//! A buffer as a kernel's argument.

use super::DeviceBuffer;
use crate::abi::{Bound, InBufferDesc, OutBufferDesc};
use crate::error::Result;
use crate::op::Op;
use crate::ordering::Mode;
use crate::stream::Stream;

impl<T> DeviceBuffer<T> {
    /// The raw descriptor of an input: registers no use, orders nothing. For launches whose
    /// order you keep yourself; see [`input`](Self::input) for the other kind.
    #[must_use]
    pub fn as_in(&self) -> InBufferDesc<T> {
        self.part().as_in()
    }

    /// The raw descriptor of an output: registers no use, orders nothing. See
    /// [`output`](Self::output).
    #[must_use]
    pub fn as_out(&mut self) -> OutBufferDesc<T> {
        self.part().as_out()
    }

    /// The descriptor of an input for a kernel that is launched on `stream` next. The kernel is
    /// ordered behind whatever writes the buffer now. Does not block.
    ///
    /// The launch has to be the next thing enqueued with this buffer, on this very stream; the
    /// borrow that the result carries sees to the first.
    ///
    /// # Errors
    /// `DEVICE_MISMATCH`; what recording or waiting for an event reports.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let x = DeviceBuffer::from_slice_sync(&stream, &[1.0f32; 8])?;
    /// let input = x.input(&stream)?;
    /// assert_eq!(input.len(), 8);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn input<'b>(&'b self, stream: &'b Stream) -> Result<Bound<'b, InBufferDesc<T>>> {
        let op = Op::new("DeviceBuffer::input");
        let access = self.part().lend(op, stream, Mode::Read)?;
        Ok(Bound::new(self.as_in(), access))
    }

    /// The descriptor of an output (or in-out) buffer for a kernel that is launched on `stream`
    /// next. The kernel is ordered behind every earlier use. Does not block. As
    /// [`input`](Self::input) otherwise.
    ///
    /// # Errors
    /// As [`input`](Self::input).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let mut y = DeviceBuffer::<f32>::zeros(8)?;
    /// let output = y.output(&stream)?;
    /// assert_eq!(output.len(), 8);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn output<'b>(&'b mut self, stream: &'b Stream) -> Result<Bound<'b, OutBufferDesc<T>>> {
        let op = Op::new("DeviceBuffer::output");
        let desc = self.as_out();
        let access = self.part().lend(op, stream, Mode::Write)?;
        Ok(Bound::new(desc, access))
    }
}
