//! The per-thread default stream.

use super::Stream;
use std::marker::PhantomData;
use std::ops::Deref;

/// The default stream of the thread it was asked for on; see [`Stream::per_thread_default`].
/// Accepted, as `&PerThreadStream`, wherever a `&Stream` is. It is not `Send`: on another
/// thread the same handle means another stream. (A `Stream` cloned out of it by force stays
/// sound, since every use on it is marked by an event at once, but on another thread it waits for
/// and works on that thread's stream.)
///
/// ```
/// use icffi::{memory::DeviceBuffer, stream::Stream};
/// let stream = Stream::per_thread_default()?;
/// let x = DeviceBuffer::from_slice_sync(&stream, &[1.0f32; 4])?;
/// assert_eq!(x.to_vec(&stream)?, [1.0; 4]);
/// # Ok::<(), icffi::IcffiError>(())
/// ```
/// ```compile_fail
/// let stream = icffi::stream::Stream::per_thread_default().unwrap();
/// std::thread::spawn(move || stream.synchronize());
/// ```
#[derive(Debug)]
pub struct PerThreadStream {
    stream: Stream,
    _this_thread: PhantomData<*const ()>,
}

impl PerThreadStream {
    pub(super) fn new(stream: Stream) -> Self {
        Self {
            stream,
            _this_thread: PhantomData,
        }
    }
}

impl Clone for PerThreadStream {
    /// The same stream, and bound to this thread as well.
    fn clone(&self) -> Self {
        Self::new(self.stream.clone())
    }
}

impl Deref for PerThreadStream {
    type Target = Stream;

    fn deref(&self) -> &Stream {
        &self.stream
    }
}
