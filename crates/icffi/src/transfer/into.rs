//! A transfer together with the buffer that it fills.

use super::Transfer;
use crate::error::Result;
use crate::stream::Stream;
use icffi_sys::cudaEvent_t;

/// A copy into a new `B` that may still be in flight. `Send`, not `Sync`.
///
/// [`wait`](Self::wait) hands the buffer out when the copy is complete;
/// [`into_ordered`](Self::into_ordered) does so at once, since work on the buffer waits for the
/// copy on the device anyway.
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let x = DeviceBuffer::from_slice_guarded(&stream, &[1, 2, 3])?.wait()?;
/// let y = DeviceBuffer::from_slice_guarded(&stream, &[4, 5, 6])?.into_ordered();
/// assert_eq!((x.to_vec(&stream)?, y.to_vec(&stream)?), (vec![1, 2, 3], vec![4, 5, 6]));
/// # Ok::<(), IcffiError>(())
/// ```
#[must_use = "it holds the new buffer; dropping it waits for the copy and frees the buffer"]
#[derive(Debug)]
pub struct TransferInto<'a, T, B> {
    transfer: Transfer<'a, T>,
    buffer: B,
}

impl<'a, T, B> TransferInto<'a, T, B> {
    pub(crate) fn new(transfer: Transfer<'a, T>, buffer: B) -> Self {
        Self { transfer, buffer }
    }

    /// Blocks the CPU until the copy is complete and returns the buffer.
    ///
    /// # Errors
    /// What the copy, or work before it, failed with; the buffer is then freed.
    #[track_caller]
    pub fn wait(self) -> Result<B> {
        self.transfer.wait()?;
        Ok(self.buffer)
    }

    /// Returns the buffer without waiting on the CPU. Every operation on it is ordered behind
    /// the copy. Plain slices have been read by now; a pinned source stays protected by its own
    /// record of transfers in flight.
    #[must_use]
    pub fn into_ordered(self) -> B {
        let Self { transfer, buffer } = self;
        transfer.detach();
        buffer
    }

    /// [`Transfer::is_complete`].
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn is_complete(&self) -> Result<bool> {
        self.transfer.is_complete()
    }

    /// [`Transfer::was_synchronous`].
    #[must_use]
    pub fn was_synchronous(&self) -> bool {
        self.transfer.was_synchronous()
    }

    /// [`Transfer::event_raw`].
    #[must_use]
    pub fn event_raw(&self) -> cudaEvent_t {
        self.transfer.event_raw()
    }

    /// [`Transfer::order_before`].
    ///
    /// # Errors
    /// As there.
    #[track_caller]
    pub fn order_before(&self, stream: &Stream) -> Result<()> {
        self.transfer.order_before(stream)
    }
}
