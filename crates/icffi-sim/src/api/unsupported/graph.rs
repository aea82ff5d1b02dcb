//! Not simulated: graphs made by hand, and user objects.

use std::ffi::{c_int, c_uint, c_void};

use icffi_sys::{
    cudaEvent_t, cudaExternalSemaphoreSignalNodeParams, cudaExternalSemaphoreWaitNodeParams,
    cudaGraph_t, cudaGraphConditionalHandle, cudaGraphEdgeData, cudaGraphExec_t,
    cudaGraphInstantiateParams, cudaGraphMemAttributeType, cudaGraphNode_t, cudaGraphNodeParams,
    cudaHostFn_t, cudaHostNodeParams, cudaKernelNodeParams, cudaLaunchAttributeID,
    cudaLaunchAttributeValue, cudaMemAllocNodeParams, cudaMemcpy3DParms, cudaMemcpyKind,
    cudaMemsetParams, cudaStream_t, cudaStreamCaptureMode, cudaUserObject_t,
};

use crate::call::unsupported;

unsupported! {
    fn cudaStreamBeginCaptureToGraph(
        cudaStream_t, cudaGraph_t, *const cudaGraphNode_t, *const cudaGraphEdgeData, usize,
        cudaStreamCaptureMode
    );
    fn cudaStreamUpdateCaptureDependencies(
        cudaStream_t, *mut cudaGraphNode_t, *const cudaGraphEdgeData, usize, c_uint
    );
    fn cudaGraphCreate(*mut cudaGraph_t, c_uint);
    fn cudaGraphAddKernelNode(
        *mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize,
        *const cudaKernelNodeParams
    );
    fn cudaGraphKernelNodeGetParams(cudaGraphNode_t, *mut cudaKernelNodeParams);
    fn cudaGraphKernelNodeSetParams(cudaGraphNode_t, *const cudaKernelNodeParams);
    fn cudaGraphKernelNodeCopyAttributes(cudaGraphNode_t, cudaGraphNode_t);
    fn cudaGraphKernelNodeGetAttribute(
        cudaGraphNode_t, cudaLaunchAttributeID, *mut cudaLaunchAttributeValue
    );
    fn cudaGraphKernelNodeSetAttribute(
        cudaGraphNode_t, cudaLaunchAttributeID, *const cudaLaunchAttributeValue
    );
    fn cudaGraphAddMemcpyNode(
        *mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize,
        *const cudaMemcpy3DParms
    );
    fn cudaGraphAddMemcpyNodeToSymbol(
        *mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize, *const c_void,
        *const c_void, usize, usize, cudaMemcpyKind
    );
    fn cudaGraphAddMemcpyNodeFromSymbol(
        *mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize, *mut c_void,
        *const c_void, usize, usize, cudaMemcpyKind
    );
    fn cudaGraphAddMemcpyNode1D(
        *mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize, *mut c_void,
        *const c_void, usize, cudaMemcpyKind
    );
    fn cudaGraphMemcpyNodeGetParams(cudaGraphNode_t, *mut cudaMemcpy3DParms);
    fn cudaGraphMemcpyNodeSetParams(cudaGraphNode_t, *const cudaMemcpy3DParms);
    fn cudaGraphMemcpyNodeSetParamsToSymbol(
        cudaGraphNode_t, *const c_void, *const c_void, usize, usize, cudaMemcpyKind
    );
    fn cudaGraphMemcpyNodeSetParamsFromSymbol(
        cudaGraphNode_t, *mut c_void, *const c_void, usize, usize, cudaMemcpyKind
    );
    fn cudaGraphMemcpyNodeSetParams1D(
        cudaGraphNode_t, *mut c_void, *const c_void, usize, cudaMemcpyKind
    );
    fn cudaGraphAddMemsetNode(
        *mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize,
        *const cudaMemsetParams
    );
    fn cudaGraphMemsetNodeGetParams(cudaGraphNode_t, *mut cudaMemsetParams);
    fn cudaGraphMemsetNodeSetParams(cudaGraphNode_t, *const cudaMemsetParams);
    fn cudaGraphAddHostNode(
        *mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize,
        *const cudaHostNodeParams
    );
    fn cudaGraphHostNodeGetParams(cudaGraphNode_t, *mut cudaHostNodeParams);
    fn cudaGraphHostNodeSetParams(cudaGraphNode_t, *const cudaHostNodeParams);
    fn cudaGraphAddChildGraphNode(
        *mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize, cudaGraph_t
    );
    fn cudaGraphChildGraphNodeGetGraph(cudaGraphNode_t, *mut cudaGraph_t);
    fn cudaGraphAddEmptyNode(*mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize);
    fn cudaGraphAddEventRecordNode(
        *mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize, cudaEvent_t
    );
    fn cudaGraphEventRecordNodeGetEvent(cudaGraphNode_t, *mut cudaEvent_t);
    fn cudaGraphEventRecordNodeSetEvent(cudaGraphNode_t, cudaEvent_t);
    fn cudaGraphAddEventWaitNode(
        *mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize, cudaEvent_t
    );
    fn cudaGraphEventWaitNodeGetEvent(cudaGraphNode_t, *mut cudaEvent_t);
    fn cudaGraphEventWaitNodeSetEvent(cudaGraphNode_t, cudaEvent_t);
    fn cudaGraphAddExternalSemaphoresSignalNode(
        *mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize,
        *const cudaExternalSemaphoreSignalNodeParams
    );
    fn cudaGraphExternalSemaphoresSignalNodeGetParams(
        cudaGraphNode_t, *mut cudaExternalSemaphoreSignalNodeParams
    );
    fn cudaGraphExternalSemaphoresSignalNodeSetParams(
        cudaGraphNode_t, *const cudaExternalSemaphoreSignalNodeParams
    );
    fn cudaGraphAddExternalSemaphoresWaitNode(
        *mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize,
        *const cudaExternalSemaphoreWaitNodeParams
    );
    fn cudaGraphExternalSemaphoresWaitNodeGetParams(
        cudaGraphNode_t, *mut cudaExternalSemaphoreWaitNodeParams
    );
    fn cudaGraphExternalSemaphoresWaitNodeSetParams(
        cudaGraphNode_t, *const cudaExternalSemaphoreWaitNodeParams
    );
    fn cudaGraphAddMemAllocNode(
        *mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize,
        *mut cudaMemAllocNodeParams
    );
    fn cudaGraphMemAllocNodeGetParams(cudaGraphNode_t, *mut cudaMemAllocNodeParams);
    fn cudaGraphAddMemFreeNode(
        *mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, usize, *mut c_void
    );
    fn cudaGraphMemFreeNodeGetParams(cudaGraphNode_t, *mut c_void);
    fn cudaDeviceGraphMemTrim(c_int);
    fn cudaDeviceGetGraphMemAttribute(c_int, cudaGraphMemAttributeType, *mut c_void);
    fn cudaDeviceSetGraphMemAttribute(c_int, cudaGraphMemAttributeType, *mut c_void);
    fn cudaGraphClone(*mut cudaGraph_t, cudaGraph_t);
    fn cudaGraphNodeFindInClone(*mut cudaGraphNode_t, cudaGraphNode_t, cudaGraph_t);
    fn cudaGraphAddDependencies(
        cudaGraph_t, *const cudaGraphNode_t, *const cudaGraphNode_t, *const cudaGraphEdgeData,
        usize
    );
    fn cudaGraphRemoveDependencies(
        cudaGraph_t, *const cudaGraphNode_t, *const cudaGraphNode_t, *const cudaGraphEdgeData,
        usize
    );
    fn cudaGraphDestroyNode(cudaGraphNode_t);
    fn cudaGraphInstantiateWithParams(
        *mut cudaGraphExec_t, cudaGraph_t, *mut cudaGraphInstantiateParams
    );
    fn cudaGraphExecKernelNodeSetParams(
        cudaGraphExec_t, cudaGraphNode_t, *const cudaKernelNodeParams
    );
    fn cudaGraphExecMemcpyNodeSetParams(
        cudaGraphExec_t, cudaGraphNode_t, *const cudaMemcpy3DParms
    );
    fn cudaGraphExecMemcpyNodeSetParamsToSymbol(
        cudaGraphExec_t, cudaGraphNode_t, *const c_void, *const c_void, usize, usize,
        cudaMemcpyKind
    );
    fn cudaGraphExecMemcpyNodeSetParamsFromSymbol(
        cudaGraphExec_t, cudaGraphNode_t, *mut c_void, *const c_void, usize, usize,
        cudaMemcpyKind
    );
    fn cudaGraphExecMemcpyNodeSetParams1D(
        cudaGraphExec_t, cudaGraphNode_t, *mut c_void, *const c_void, usize, cudaMemcpyKind
    );
    fn cudaGraphExecMemsetNodeSetParams(
        cudaGraphExec_t, cudaGraphNode_t, *const cudaMemsetParams
    );
    fn cudaGraphExecHostNodeSetParams(
        cudaGraphExec_t, cudaGraphNode_t, *const cudaHostNodeParams
    );
    fn cudaGraphExecChildGraphNodeSetParams(cudaGraphExec_t, cudaGraphNode_t, cudaGraph_t);
    fn cudaGraphExecEventRecordNodeSetEvent(cudaGraphExec_t, cudaGraphNode_t, cudaEvent_t);
    fn cudaGraphExecEventWaitNodeSetEvent(cudaGraphExec_t, cudaGraphNode_t, cudaEvent_t);
    fn cudaGraphExecExternalSemaphoresSignalNodeSetParams(
        cudaGraphExec_t, cudaGraphNode_t, *const cudaExternalSemaphoreSignalNodeParams
    );
    fn cudaGraphExecExternalSemaphoresWaitNodeSetParams(
        cudaGraphExec_t, cudaGraphNode_t, *const cudaExternalSemaphoreWaitNodeParams
    );
    fn cudaGraphNodeSetEnabled(cudaGraphExec_t, cudaGraphNode_t, c_uint);
    fn cudaGraphNodeGetEnabled(cudaGraphExec_t, cudaGraphNode_t, *mut c_uint);
    fn cudaUserObjectCreate(*mut cudaUserObject_t, *mut c_void, cudaHostFn_t, c_uint, c_uint);
    fn cudaUserObjectRetain(cudaUserObject_t, c_uint);
    fn cudaUserObjectRelease(cudaUserObject_t, c_uint);
    fn cudaGraphRetainUserObject(cudaGraph_t, cudaUserObject_t, c_uint, c_uint);
    fn cudaGraphReleaseUserObject(cudaGraph_t, cudaUserObject_t, c_uint);
    fn cudaGraphAddNode(
        *mut cudaGraphNode_t, cudaGraph_t, *const cudaGraphNode_t, *const cudaGraphEdgeData,
        usize, *mut cudaGraphNodeParams
    );
    fn cudaGraphNodeSetParams(cudaGraphNode_t, *mut cudaGraphNodeParams);
    fn cudaGraphExecNodeSetParams(cudaGraphExec_t, cudaGraphNode_t, *mut cudaGraphNodeParams);
    fn cudaGraphConditionalHandleCreate(
        *mut cudaGraphConditionalHandle, cudaGraph_t, c_uint, c_uint
    );
}
