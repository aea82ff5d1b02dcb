//! Giving memory back in stream order, with the error returned.

use super::DeviceBuffer;
use crate::error::Result;
use crate::op::Op;
use crate::stream::Stream;
use std::sync::Arc;

impl<T> DeviceBuffer<T> {
    /// Frees the memory behind all that `stream` has been given and behind every earlier use on
    /// whichever stream. Does not block. `cudaFreeAsync`; memory of `cudaMalloc`, which CUDA
    /// can't free in stream order, is kept until its uses are over and freed by a later call of
    /// this crate that allocates or waits.
    ///
    /// Plain dropping does the same on the stream of the last use; this chooses the stream and
    /// returns the error.
    ///
    /// # Errors
    /// `DEVICE_MISMATCH` (the buffer is then dropped as usual); what the calls report (the
    /// memory is then kept in quarantine, see
    /// [`Device::quarantined`](crate::device::Device::quarantined), or was freed after all).
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// DeviceBuffer::<f32>::alloc_async(&stream, 1000)?.free_async(&stream)?;
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[must_use = "the memory may not have been freed"]
    #[track_caller]
    pub fn free_async(self, stream: &Stream) -> Result<()> {
        let op = Op::new("DeviceBuffer::free_async");
        if let Some(region) = self.part().region() {
            region.check_stream(op, stream)?;
        }
        if stream.capture_state().is_some() {
            // A graph that uses the memory owns it; otherwise it is freed as when dropped. A
            // free by the graph would only do for an allocation by the graph.
            return Ok(());
        }
        match self.memory.and_then(Arc::into_inner) {
            Some(memory) => memory.free_on(op, stream),
            // Nothing to free, or somebody else keeps it alive and frees it later.
            None => Ok(()),
        }
    }
}
