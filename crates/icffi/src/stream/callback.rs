//! Host functions in a stream.
#![allow(unsafe_code)]

use super::Stream;
use crate::error::Result;
use crate::op::Op;
use crate::rt::CallbackScope;
use crate::sync::lock;
use std::any::Any;
use std::ffi::c_void;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};

type HostFn = Box<dyn FnOnce() + Send>;

/// Where a stream keeps the first panic of its host functions.
#[derive(Debug, Default)]
pub(crate) struct PanicSlot(Mutex<Option<String>>);

impl PanicSlot {
    pub(super) fn take(&self) -> Option<String> {
        lock(&self.0).take()
    }

    /// Keeps the message of a caught panic.
    pub(crate) fn keep(&self, payload: Box<dyn Any + Send>) {
        let text = payload
            .downcast_ref::<&str>()
            .map(|s| (*s).to_owned())
            .or_else(|| payload.downcast_ref::<String>().cloned())
            .unwrap_or_else(|| "a panic whose payload is no string".to_owned());
        lock(&self.0).get_or_insert(text);
        // A payload whose own drop panics must not unwind into C.
        let _ = catch_unwind(AssertUnwindSafe(move || drop(payload)));
    }
}

/// What the runtime is given a pointer to. The function is taken out under the lock, by the
/// callback or by an enqueuer whose call failed, so exactly one of them has it.
struct Control {
    function: Mutex<Option<HostFn>>,
    panics: Arc<PanicSlot>,
}

/// Enqueues `function` on `stream`, whose device is current.
pub(super) fn launch(op: Op, stream: &Stream, function: HostFn) -> Result<()> {
    let control = Arc::new(Control {
        function: Mutex::new(Some(function)),
        panics: Arc::clone(stream.core().panics()),
    });
    let data = Arc::into_raw(Arc::clone(&control))
        .cast_mut()
        .cast::<c_void>();
    // SAFETY: `data` carries one count of the control block, which the one call of `trampoline`
    // takes over; a block is `Send + Sync`, so any thread may.
    let enqueued = unsafe { stream.core().launch_host_func(op, Some(trampoline), data) };
    if enqueued.is_err() {
        // The error may be an older one, and the function enqueued all the same (row 11). So the
        // count given to the runtime is not taken back: at worst this small block leaks. What
        // the caller captured is not leaked with it.
        let function = lock(&control.function).take();
        drop(function);
    }
    enqueued
}

unsafe extern "C" fn trampoline(data: *mut c_void) {
    // SAFETY: `launch` made `data` from one count of an `Arc<Control>`, and the runtime calls
    // this once for it.
    let control = unsafe { Arc::from_raw(data.cast_const().cast::<Control>()) };
    let _scope = CallbackScope::enter();
    let Some(function) = lock(&control.function).take() else {
        return;
    };
    // The captured values are dropped inside as well, where `CallbackScope` makes every
    // destructor of this crate park instead of calling CUDA.
    if let Err(payload) = catch_unwind(AssertUnwindSafe(function)) {
        control.panics.keep(payload);
    }
}
