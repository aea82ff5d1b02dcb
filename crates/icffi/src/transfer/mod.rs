//! Transfers in flight: what the guarded functions return.
//!
//! A guard is never needed for soundness. It holds the host side borrowed, so that the compiler
//! points at a read that would come too early; but if it is forgotten, the worst is that a
//! download's result is never copied out. See `docs/soundness.md`.
#![allow(unsafe_code)]

mod into;

pub use into::TransferInto;

use crate::error::Result;
use crate::event::PooledEvent;
use crate::op::Op;
use crate::ordering::Use;
use crate::staging::Landed;
use crate::stream::Stream;
use crate::{device, rt};
use icffi_sys::cudaEvent_t;
use std::cell::Cell;
use std::marker::PhantomData;
use std::sync::Arc;

/// A copy that may still be in flight, and the host memory it belongs to, borrowed for `'a`.
/// `Send`, not `Sync`.
///
/// Dropping it waits, as [`wait`](Self::wait) does, for this copy's own event and not for the
/// whole stream; an error then goes to
/// [`Device::take_deferred_error`](crate::device::Device::take_deferred_error). Forgetting it is
/// harmless: a plain slice that was to receive data keeps its old contents, and what leaks is the
/// staging memory of a download, one event, and a hold on the stream.
///
/// ```
/// use icffi::prelude::*;
/// let stream = Stream::new()?;
/// let x = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3])?;
/// let mut host = [0; 3];
/// let transfer = x.copy_to_host_guarded(&stream, &mut host)?;
/// // Other work of this thread goes here.
/// transfer.wait()?;
/// assert_eq!(host, [1, 2, 3]);
/// # Ok::<(), IcffiError>(())
/// ```
///
/// While it lives the slice can't be read:
///
/// ```compile_fail,E0502
/// # use icffi::prelude::*;
/// # let stream = Stream::new().unwrap();
/// # let x = DeviceBuffer::from_slice_sync(&stream, &[1, 2, 3]).unwrap();
/// let mut host = [0; 3];
/// let transfer = x.copy_to_host_guarded(&stream, &mut host).unwrap();
/// assert_eq!(host, [1, 2, 3]);
/// transfer.wait().unwrap();
/// ```
#[must_use = "dropping it blocks until the copy is complete; `wait` also returns its error"]
#[derive(Debug)]
pub struct Transfer<'a, T> {
    /// `None` once the copy is known to be complete.
    flight: Option<Use>,
    /// A download that has to be copied out when it has landed.
    landing: Option<Landing<'a, T>>,
    synchronous: bool,
    _host: PhantomData<(&'a T, Cell<()>)>,
}

#[derive(Debug)]
struct Landing<'a, T> {
    data: Landed,
    target: &'a mut [T],
}

impl<'a, T> Transfer<'a, T> {
    /// Nothing is in flight.
    pub(crate) fn complete(synchronous: bool) -> Self {
        Self {
            flight: None,
            landing: None,
            synchronous,
            _host: PhantomData,
        }
    }

    /// The host memory needs no more work, only the event.
    pub(crate) fn marked(stream: &Stream, event: Arc<PooledEvent>) -> Self {
        let mut transfer = Self::complete(false);
        transfer.flight = Some(Use::marked(stream, event));
        transfer
    }

    /// `data`, of as many bytes as `target`, lands with the event and then goes to `target`.
    pub(crate) fn landing(
        stream: &Stream,
        event: Arc<PooledEvent>,
        data: Landed,
        target: &'a mut [T],
    ) -> Self
    where
        T: bytemuck::AnyBitPattern,
    {
        let mut transfer = Self::marked(stream, event);
        transfer.landing = Some(Landing { data, target });
        transfer
    }

    /// Blocks the CPU until the copy is complete and, for a download into a slice, copies the
    /// data out. `cudaEventSynchronize`; other streams go on.
    ///
    /// # Errors
    /// What the copy, or work before it, failed with. The slice is then unchanged.
    #[track_caller]
    pub fn wait(mut self) -> Result<()> {
        if let Err(e) = self.finish(Op::new("Transfer::wait")) {
            // The slice stays as it is: dropping must not try again. The staging memory goes
            // where it waits for its event.
            self.detach();
            return Err(e);
        }
        crate::retire::sweep();
        Ok(())
    }

    /// Ends the guard without waiting: what is in flight has owners of its own.
    fn detach(mut self) {
        self.flight = None;
        self.landing = None;
    }

    fn finish(&mut self, op: Op) -> Result<()> {
        if let Some(flight) = &self.flight {
            flight.wait(op)?;
            self.flight = None;
        }
        if let Some(Landing { data, target }) = self.landing.take() {
            // SAFETY: the event is passed (above), the target has as many bytes as were
            // downloaded, and any bits make a `T` (the bound of `landing`).
            unsafe { data.copy_out(target.as_mut_ptr().cast()) };
        }
        Ok(())
    }

    /// Whether the device has finished the copy. Does not block. A download into a slice still
    /// has to be copied out by [`wait`](Self::wait). `cudaEventQuery`.
    ///
    /// # Errors
    /// What the copy, or work before it, failed with.
    #[track_caller]
    pub fn is_complete(&self) -> Result<bool> {
        let op = Op::new("Transfer::is_complete");
        self.flight
            .as_ref()
            .map_or(Ok(true), |flight| flight.done(op))
    }

    /// Whether the copy was already complete when the guarded function returned: there was
    /// nothing to copy, or no staging memory left to keep it in flight.
    #[must_use]
    pub fn was_synchronous(&self) -> bool {
        self.synchronous
    }

    /// The event behind the copy, to be waited for by raw calls; null if nothing was in flight.
    /// It stays valid, and bound to this copy, as long as `self` lives.
    #[must_use]
    pub fn event_raw(&self) -> cudaEvent_t {
        self.flight
            .as_ref()
            .and_then(Use::event)
            .map_or(std::ptr::null_mut(), |event| event.handle().raw())
    }

    /// Makes all later work of `stream` wait for the copy, on the device. Only needed beside
    /// raw calls: operations on the buffer order themselves. `cudaStreamWaitEvent`.
    ///
    /// # Errors
    /// `CAPTURE_UNSUPPORTED` on a stream in capture; what the call reports.
    #[track_caller]
    pub fn order_before(&self, stream: &Stream) -> Result<()> {
        let op = Op::new("Transfer::order_before");
        stream.refuse_capture(
            op,
            "a transfer from outside can't be waited for in a capture",
        )?;
        let Some(event) = self.flight.as_ref().and_then(Use::event) else {
            return Ok(());
        };
        let _current = device::enter(op, stream.ordinal())?;
        event.handle().hold_back(op, stream)
    }
}

impl<T> Drop for Transfer<'_, T> {
    fn drop(&mut self) {
        if self.flight.is_none() && self.landing.is_none() {
            return;
        }
        if rt::in_callback() {
            // Waiting is forbidden here. What is in flight belongs to the staging pool or to
            // the pinned buffer's own record, so nothing is lost but the copy to the slice.
            return;
        }
        let ordinal = self
            .flight
            .as_ref()
            .map_or(0, |flight| flight.stream().ordinal());
        if let Err(e) = rt::gone_at_exit(self.finish(Op::new("Transfer::drop"))) {
            device::state(ordinal).defer(e);
        }
    }
}
