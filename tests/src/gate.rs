//! A host function that keeps a stream from going on until it is let go.

use icffi::Result;
use icffi::stream::Stream;
use std::sync::mpsc::{RecvTimeoutError, Sender, channel};
use std::time::Duration;

/// Holds its stream until dropped. Tests that use one are [`alone`](crate::alone) on the device,
/// since a call of another thread that synchronizes the device would wait for the gate and hold
/// locks meanwhile.
#[derive(Debug)]
pub struct Gate {
    opener: Sender<()>,
}

impl Gate {
    /// Puts the gate behind what `stream` has been given so far. As a net, it opens by itself
    /// after a while, and that shows as a panic of the stream's callback.
    ///
    /// # Errors
    /// Those of `launch_host_fn`.
    #[track_caller]
    pub fn close(stream: &Stream) -> Result<Self> {
        let (opener, wait) = channel::<()>();
        stream.launch_host_fn(move || {
            if wait.recv_timeout(Duration::from_secs(10)) == Err(RecvTimeoutError::Timeout) {
                panic!("the gate was not opened in time");
            }
        })?;
        Ok(Self { opener })
    }

    /// Lets the stream go on.
    pub fn open(self) {
        drop(self.opener);
    }
}
