//! The one place that calls the CUDA runtime. Each function is one call, its status turned into
//! a `Result` that carries the caller's operation.
#![allow(unsafe_code)]

mod device;
mod event;
mod fork;
mod graph;
mod memory;
mod pool;
mod relaxed;
mod stream;

pub(crate) use device::*;
pub(crate) use event::*;
pub(crate) use graph::*;
pub(crate) use memory::*;
pub(crate) use pool::*;
pub(crate) use relaxed::{LiveCapture, live_captures_of};
pub(crate) use stream::*;

use crate::error::{self, Result, codes};
use crate::op::Op;
use icffi_sys::{cudaError, cudaError_t};
use std::cell::Cell;

thread_local! {
    /// Set while this thread runs a host callback, where CUDA forbids every call of its own.
    static IN_CALLBACK: Cell<bool> = const { Cell::new(false) };
}

/// Whether this thread is inside a host callback. A thread that is being torn down runs none.
#[inline]
pub(crate) fn in_callback() -> bool {
    IN_CALLBACK.try_with(Cell::get).unwrap_or(false)
}

/// Marks this thread as inside a host callback until dropped.
pub(crate) struct CallbackScope(());

impl CallbackScope {
    pub(crate) fn enter() -> Self {
        let _ = IN_CALLBACK.try_with(|flag| flag.set(true));
        Self(())
    }
}

impl Drop for CallbackScope {
    fn drop(&mut self) {
        let _ = IN_CALLBACK.try_with(|flag| flag.set(false));
    }
}

/// Refuses before CUDA is touched where CUDA must not be touched.
#[inline]
pub(crate) fn enter(op: Op) -> Result<()> {
    if in_callback() {
        return Err(error::in_callback(op));
    }
    if fork::is_child() {
        return Err(error::forked(op));
    }
    Ok(())
}

#[inline]
fn status(op: Op, call: &str, code: cudaError_t) -> Result<()> {
    if code == cudaError::cudaSuccess {
        return Ok(());
    }
    Err(error::from_cuda(op, call, code))
}

/// `NotReady` is an answer, not a failure; it sets the last error all the same, so it is drained.
fn ready(op: Op, call: &str, code: cudaError_t) -> Result<bool> {
    if code == cudaError::cudaErrorNotReady {
        drain_last_error();
        return Ok(false);
    }
    status(op, call, code).map(|()| true)
}

/// Reads the thread's last error, which clears it unless it is sticky.
pub(crate) fn drain_last_error() {
    if in_callback() || fork::is_child() {
        return;
    }
    // SAFETY: takes no argument and has no precondition.
    let _ = unsafe { icffi_sys::cudaGetLastError() };
}

/// Whether there is nothing left to give back to: the runtime is being unloaded, or belongs to
/// the process that forked this one.
pub(crate) fn is_gone(error: &error::IcffiError) -> bool {
    matches!(
        error.code(),
        codes::CUDART_UNLOADING | error::icffi_codes::FORKED
    )
}

/// At process exit the runtime may be gone before a destructor runs; what it owned went with it.
pub(crate) fn gone_at_exit(result: Result<()>) -> Result<()> {
    match result {
        Err(e) if is_gone(&e) => Ok(()),
        other => other,
    }
}

/// `enter`, the call, `status`: to be used inside an `unsafe` block that proves the call.
macro_rules! cuda {
    ($op:expr, $function:ident $(, $argument:expr)*) => {{
        let op = $op;
        $crate::rt::enter(op)?;
        let _relaxed = $crate::rt::relaxed::enter();
        $crate::rt::status(op, stringify!($function), icffi_sys::$function($($argument),*))
    }};
}
use cuda;
