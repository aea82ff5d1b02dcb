//! What a buffer looks like in a log.

use super::DeviceBuffer;

impl<T> std::fmt::Debug for DeviceBuffer<T> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("DeviceBuffer")
            .field("ptr", &self.as_ptr())
            .field("len", &self.len)
            .field("bytes", &self.size_bytes())
            .field("device", &self.device)
            .finish()
    }
}
