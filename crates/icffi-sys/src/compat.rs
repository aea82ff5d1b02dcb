//! What differs between CUDA 12 and CUDA 13, brought to one shape, and which runtime is linked.
//!
//! CUDA 13 gave the plain names to what CUDA 12 calls `…_v2` (or `…_v3`). In CUDA 12's headers
//! some plain names are macros for the versioned symbol, others keep the old signature. So that
//! code above reads the same with both, the plain name means CUDA 13's signature here, always.

/// Which CUDA runtime the program was linked with.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Runtime {
    /// NVIDIA's runtime (feature `static` or `dynamic`, or linked by the program itself).
    Cuda,
    /// The simulator on the CPU (feature `sim`).
    Simulator,
}

/// The runtime that this build of the crate was made for.
pub const RUNTIME: Runtime = if cfg!(feature = "sim") {
    Runtime::Simulator
} else {
    Runtime::Cuda
};

/// The major version of CUDA that the bindings in use belong to: 12 or 13.
pub const BINDINGS_MAJOR: u32 = crate::CUDART_VERSION / 1000;

#[cfg(icffi_cuda12)]
pub mod cuda12 {
    pub use crate::bindings::{
        cudaGetDeviceProperties_v2 as cudaGetDeviceProperties,
        cudaGraphAddDependencies_v2 as cudaGraphAddDependencies,
        cudaGraphAddNode_v2 as cudaGraphAddNode, cudaGraphGetEdges_v2 as cudaGraphGetEdges,
        cudaGraphNodeGetDependencies_v2 as cudaGraphNodeGetDependencies,
        cudaGraphNodeGetDependentNodes_v2 as cudaGraphNodeGetDependentNodes,
        cudaGraphRemoveDependencies_v2 as cudaGraphRemoveDependencies,
        cudaMemAdvise_v2 as cudaMemAdvise, cudaMemPrefetchAsync_v2 as cudaMemPrefetchAsync,
        cudaSignalExternalSemaphoresAsync_v2 as cudaSignalExternalSemaphoresAsync,
        cudaStreamGetCaptureInfo_v3 as cudaStreamGetCaptureInfo,
        cudaStreamUpdateCaptureDependencies_v2 as cudaStreamUpdateCaptureDependencies,
        cudaWaitExternalSemaphoresAsync_v2 as cudaWaitExternalSemaphoresAsync,
    };
}

#[cfg(test)]
mod tests {
    use core::ffi::{c_int, c_uint, c_void};

    use crate::*;

    /// The unified names coerce to CUDA 13's signatures with either set of bindings. Only types
    /// are looked at: no symbol is referenced, so this links without a runtime.
    #[test]
    fn unified_names_have_one_signature() {
        type Advise = unsafe extern "C" fn(
            *const c_void,
            usize,
            cudaMemoryAdvise,
            cudaMemLocation,
        ) -> cudaError_t;
        type Prefetch = unsafe extern "C" fn(
            *const c_void,
            usize,
            cudaMemLocation,
            c_uint,
            cudaStream_t,
        ) -> cudaError_t;
        type Properties = unsafe extern "C" fn(*mut cudaDeviceProp, c_int) -> cudaError_t;
        type AddNode = unsafe extern "C" fn(
            *mut cudaGraphNode_t,
            cudaGraph_t,
            *const cudaGraphNode_t,
            *const cudaGraphEdgeData,
            usize,
            *mut cudaGraphNodeParams,
        ) -> cudaError_t;
        type Change = unsafe extern "C" fn(
            cudaGraph_t,
            *const cudaGraphNode_t,
            *const cudaGraphNode_t,
            *const cudaGraphEdgeData,
            usize,
        ) -> cudaError_t;
        type Edges = unsafe extern "C" fn(
            cudaGraph_t,
            *mut cudaGraphNode_t,
            *mut cudaGraphNode_t,
            *mut cudaGraphEdgeData,
            *mut usize,
        ) -> cudaError_t;
        type Neighbours = unsafe extern "C" fn(
            cudaGraphNode_t,
            *mut cudaGraphNode_t,
            *mut cudaGraphEdgeData,
            *mut usize,
        ) -> cudaError_t;
        type CaptureInfo = unsafe extern "C" fn(
            cudaStream_t,
            *mut cudaStreamCaptureStatus,
            *mut core::ffi::c_ulonglong,
            *mut cudaGraph_t,
            *mut *const cudaGraphNode_t,
            *mut *const cudaGraphEdgeData,
            *mut usize,
        ) -> cudaError_t;
        type UpdateCapture = unsafe extern "C" fn(
            cudaStream_t,
            *mut cudaGraphNode_t,
            *const cudaGraphEdgeData,
            usize,
            c_uint,
        ) -> cudaError_t;
        type Signal = unsafe extern "C" fn(
            *const cudaExternalSemaphore_t,
            *const cudaExternalSemaphoreSignalParams,
            c_uint,
            cudaStream_t,
        ) -> cudaError_t;
        type Wait = unsafe extern "C" fn(
            *const cudaExternalSemaphore_t,
            *const cudaExternalSemaphoreWaitParams,
            c_uint,
            cudaStream_t,
        ) -> cudaError_t;

        // Never called, and generic, so the linker never sees these names.
        #[allow(dead_code)]
        fn same<T>() {
            let _: Advise = cudaMemAdvise;
            let _: Prefetch = cudaMemPrefetchAsync;
            let _: Properties = cudaGetDeviceProperties;
            let _: AddNode = cudaGraphAddNode;
            let _: Change = cudaGraphAddDependencies;
            let _: Change = cudaGraphRemoveDependencies;
            let _: Edges = cudaGraphGetEdges;
            let _: Neighbours = cudaGraphNodeGetDependencies;
            let _: Neighbours = cudaGraphNodeGetDependentNodes;
            let _: CaptureInfo = cudaStreamGetCaptureInfo;
            let _: UpdateCapture = cudaStreamUpdateCaptureDependencies;
            let _: Signal = cudaSignalExternalSemaphoresAsync;
            let _: Wait = cudaWaitExternalSemaphoresAsync;
        }
        assert!(matches!(BINDINGS_MAJOR, 12 | 13));
    }
}
