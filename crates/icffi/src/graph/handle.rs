//! CUDA's graph handles behind safe calls.
#![allow(unsafe_code)]

use super::InstantiateFlags;
use crate::error::{self, Result};
use crate::op::Op;
use crate::stream::Stream;
use crate::{retire, rt};
use icffi_sys::{
    cudaGraph_t, cudaGraphExec_t, cudaGraphExecUpdateResult, cudaGraphInstantiateFlags,
};
use std::ffi::CString;
use std::path::Path;

/// # Invariants
/// 1. The handle came from `cudaStreamEndCapture`, and only `Drop` destroys it.
#[derive(Debug)]
pub(crate) struct GraphHandle {
    raw: cudaGraph_t,
    device: i32,
}

// SAFETY: a graph has no thread affinity; it must not be used by two threads at once (CUDA
// Runtime API 13.0, "Graph object thread safety"), which its owners see to by not being `Sync`.
unsafe impl Send for GraphHandle {}

impl GraphHandle {
    /// # Safety
    /// `raw` came from `cudaStreamEndCapture` and has no other owner.
    pub(super) unsafe fn from_raw(raw: cudaGraph_t, device: i32) -> Self {
        Self { raw, device }
    }

    pub(super) fn instantiate(&self, op: Op, flags: InstantiateFlags) -> Result<ExecHandle> {
        let mut bits = 0;
        if flags.use_node_priority {
            bits |= cudaGraphInstantiateFlags::cudaGraphInstantiateFlagUseNodePriority.0;
        }
        // SAFETY: invariant 1.
        let raw = unsafe { rt::graph_instantiate(op, self.raw, bits.into()) }?;
        Ok(ExecHandle(raw))
    }

    pub(super) fn dot(&self, op: Op, path: &Path) -> Result<()> {
        let text = path.to_str().and_then(|p| CString::new(p).ok());
        let Some(text) = text else {
            return Err(error::invalid(
                op,
                format!("the path {} has a nul or is not UTF-8", path.display()),
            ));
        };
        let verbose = icffi_sys::cudaGraphDebugDotFlags::cudaGraphDebugDotFlagsVerbose.0;
        // SAFETY: invariant 1.
        unsafe { rt::graph_dot(op, self.raw, &text, verbose) }
    }
}

/// A handle on its way to be destroyed.
struct Doomed(cudaGraph_t);

// SAFETY: see `GraphHandle`.
unsafe impl Send for Doomed {}

impl Doomed {
    fn destroy(self, op: Op) -> Result<()> {
        // SAFETY: invariant 1 of the handle whose `Drop` made this; consumed. Executable graphs
        // made from it are independent of it.
        unsafe { rt::graph_destroy(op, self.0) }
    }
}

impl Drop for GraphHandle {
    fn drop(&mut self) {
        let doomed = Doomed(self.raw);
        retire::release_now(self.device, "Graph::drop", move |op| doomed.destroy(op));
    }
}

/// # Invariants
/// 1. The handle came from `cudaGraphInstantiate`, and only [`ExecHandle::destroy`], which takes
///    `self`, destroys it.
#[derive(Debug)]
pub(super) struct ExecHandle(cudaGraphExec_t);

// SAFETY: as `GraphHandle`.
unsafe impl Send for ExecHandle {}

impl ExecHandle {
    /// # Safety
    /// All that the graph uses stays alive, and free of conflicting access, until `stream` has
    /// passed it.
    pub(super) unsafe fn launch(&self, op: Op, stream: &Stream) -> Result<()> {
        // SAFETY: invariant 1, and the caller's contract.
        unsafe { rt::graph_launch(op, self.0, stream.raw()) }
    }

    pub(super) fn upload(&self, op: Op, stream: &Stream) -> Result<()> {
        // SAFETY: invariant 1; the stream is held by the caller.
        unsafe { rt::graph_upload(op, self.0, stream.raw()) }
    }

    pub(super) fn update(
        &self,
        op: Op,
        graph: &GraphHandle,
    ) -> (Result<()>, cudaGraphExecUpdateResult) {
        // SAFETY: invariant 1 of both.
        let (result, info) = unsafe { rt::graph_exec_update(op, self.0, graph.raw) };
        (result, info.result)
    }

    pub(super) fn destroy(self, op: Op) -> Result<()> {
        // SAFETY: invariant 1; consumed. The caller has seen to it that no launch is pending.
        unsafe { rt::graph_exec_destroy(op, self.0) }
    }
}
