//! Every function of the bindings is exported, with the signature of the bindings: the latter
//! is proved where they are defined, the former by linking this test.

mod common;
use common::*;
use std::collections::BTreeSet;

macro_rules! functions {
    ($($name:ident)*) => { &[$((stringify!($name), $name as *const ())),*] };
}

/// All of them. What the bindings declare and this list lacks fails below; what this list has
/// and the simulator lacks does not link.
const FUNCTIONS: &[(&str, *const ())] = functions! {
    cudaArrayGetInfo cudaArrayGetMemoryRequirements cudaArrayGetPlane cudaArrayGetSparseProperties
    cudaChooseDevice cudaCreateChannelDesc cudaCreateSurfaceObject cudaCreateTextureObject
    cudaCtxResetPersistingL2Cache cudaDestroyExternalMemory cudaDestroyExternalSemaphore
    cudaDestroySurfaceObject cudaDestroyTextureObject cudaDeviceCanAccessPeer
    cudaDeviceDisablePeerAccess cudaDeviceEnablePeerAccess cudaDeviceFlushGPUDirectRDMAWrites
    cudaDeviceGetAttribute cudaDeviceGetByPCIBusId cudaDeviceGetCacheConfig
    cudaDeviceGetDefaultMemPool cudaDeviceGetGraphMemAttribute cudaDeviceGetHostAtomicCapabilities
    cudaDeviceGetLimit cudaDeviceGetMemPool cudaDeviceGetNvSciSyncAttributes
    cudaDeviceGetP2PAtomicCapabilities cudaDeviceGetP2PAttribute cudaDeviceGetPCIBusId
    cudaDeviceGetSharedMemConfig cudaDeviceGetStreamPriorityRange
    cudaDeviceGetTexture1DLinearMaxWidth cudaDeviceGraphMemTrim
    cudaDeviceRegisterAsyncNotification cudaDeviceReset cudaDeviceSetCacheConfig
    cudaDeviceSetGraphMemAttribute cudaDeviceSetLimit cudaDeviceSetMemPool
    cudaDeviceSetSharedMemConfig cudaDeviceSynchronize cudaDeviceUnregisterAsyncNotification
    cudaDriverGetVersion cudaEventCreate cudaEventCreateWithFlags cudaEventDestroy
    cudaEventElapsedTime cudaEventQuery cudaEventRecord cudaEventRecordWithFlags
    cudaEventSynchronize cudaExternalMemoryGetMappedBuffer
    cudaExternalMemoryGetMappedMipmappedArray cudaFree cudaFreeArray cudaFreeAsync cudaFreeHost
    cudaFreeMipmappedArray cudaFuncGetAttributes cudaFuncGetName cudaFuncGetParamInfo
    cudaFuncSetAttribute cudaFuncSetCacheConfig cudaFuncSetSharedMemConfig cudaGetChannelDesc
    cudaGetDevice cudaGetDeviceCount cudaGetDeviceFlags cudaGetDeviceProperties
    cudaGetDriverEntryPoint cudaGetDriverEntryPointByVersion cudaGetErrorName cudaGetErrorString
    cudaGetExportTable cudaGetFuncBySymbol cudaGetKernel cudaGetLastError
    cudaGetMipmappedArrayLevel cudaGetSurfaceObjectResourceDesc cudaGetSymbolAddress
    cudaGetSymbolSize cudaGetTextureObjectResourceDesc cudaGetTextureObjectResourceViewDesc
    cudaGetTextureObjectTextureDesc cudaGraphAddChildGraphNode cudaGraphAddDependencies
    cudaGraphAddEmptyNode cudaGraphAddEventRecordNode cudaGraphAddEventWaitNode
    cudaGraphAddExternalSemaphoresSignalNode cudaGraphAddExternalSemaphoresWaitNode
    cudaGraphAddHostNode cudaGraphAddKernelNode cudaGraphAddMemAllocNode cudaGraphAddMemFreeNode
    cudaGraphAddMemcpyNode cudaGraphAddMemcpyNode1D cudaGraphAddMemcpyNodeFromSymbol
    cudaGraphAddMemcpyNodeToSymbol cudaGraphAddMemsetNode cudaGraphAddNode
    cudaGraphChildGraphNodeGetGraph cudaGraphClone cudaGraphConditionalHandleCreate
    cudaGraphCreate cudaGraphDebugDotPrint cudaGraphDestroy cudaGraphDestroyNode
    cudaGraphEventRecordNodeGetEvent cudaGraphEventRecordNodeSetEvent
    cudaGraphEventWaitNodeGetEvent cudaGraphEventWaitNodeSetEvent
    cudaGraphExecChildGraphNodeSetParams cudaGraphExecDestroy cudaGraphExecEventRecordNodeSetEvent
    cudaGraphExecEventWaitNodeSetEvent cudaGraphExecExternalSemaphoresSignalNodeSetParams
    cudaGraphExecExternalSemaphoresWaitNodeSetParams cudaGraphExecGetFlags
    cudaGraphExecHostNodeSetParams cudaGraphExecKernelNodeSetParams
    cudaGraphExecMemcpyNodeSetParams cudaGraphExecMemcpyNodeSetParams1D
    cudaGraphExecMemcpyNodeSetParamsFromSymbol cudaGraphExecMemcpyNodeSetParamsToSymbol
    cudaGraphExecMemsetNodeSetParams cudaGraphExecNodeSetParams cudaGraphExecUpdate
    cudaGraphExternalSemaphoresSignalNodeGetParams cudaGraphExternalSemaphoresSignalNodeSetParams
    cudaGraphExternalSemaphoresWaitNodeGetParams cudaGraphExternalSemaphoresWaitNodeSetParams
    cudaGraphGetEdges cudaGraphGetNodes cudaGraphGetRootNodes cudaGraphHostNodeGetParams
    cudaGraphHostNodeSetParams cudaGraphInstantiate cudaGraphInstantiateWithFlags
    cudaGraphInstantiateWithParams cudaGraphKernelNodeCopyAttributes
    cudaGraphKernelNodeGetAttribute cudaGraphKernelNodeGetParams cudaGraphKernelNodeSetAttribute
    cudaGraphKernelNodeSetParams cudaGraphLaunch cudaGraphMemAllocNodeGetParams
    cudaGraphMemFreeNodeGetParams cudaGraphMemcpyNodeGetParams cudaGraphMemcpyNodeSetParams
    cudaGraphMemcpyNodeSetParams1D cudaGraphMemcpyNodeSetParamsFromSymbol
    cudaGraphMemcpyNodeSetParamsToSymbol cudaGraphMemsetNodeGetParams cudaGraphMemsetNodeSetParams
    cudaGraphNodeFindInClone cudaGraphNodeGetDependencies cudaGraphNodeGetDependentNodes
    cudaGraphNodeGetEnabled cudaGraphNodeGetType cudaGraphNodeSetEnabled cudaGraphNodeSetParams
    cudaGraphReleaseUserObject cudaGraphRemoveDependencies cudaGraphRetainUserObject
    cudaGraphUpload cudaGraphicsMapResources cudaGraphicsResourceGetMappedMipmappedArray
    cudaGraphicsResourceGetMappedPointer cudaGraphicsResourceSetMapFlags
    cudaGraphicsSubResourceGetMappedArray cudaGraphicsUnmapResources
    cudaGraphicsUnregisterResource cudaHostAlloc cudaHostGetDevicePointer cudaHostGetFlags
    cudaHostRegister cudaHostUnregister cudaImportExternalMemory cudaImportExternalSemaphore
    cudaInitDevice cudaIpcCloseMemHandle cudaIpcGetEventHandle cudaIpcGetMemHandle
    cudaIpcOpenEventHandle cudaIpcOpenMemHandle cudaKernelSetAttributeForDevice
    cudaLaunchCooperativeKernel cudaLaunchHostFunc cudaLaunchKernel cudaLaunchKernelExC
    cudaLibraryEnumerateKernels cudaLibraryGetGlobal cudaLibraryGetKernel
    cudaLibraryGetKernelCount cudaLibraryGetManaged cudaLibraryGetUnifiedFunction
    cudaLibraryLoadData cudaLibraryLoadFromFile cudaLibraryUnload cudaLogsCurrent
    cudaLogsDumpToFile cudaLogsDumpToMemory cudaLogsRegisterCallback cudaLogsUnregisterCallback
    cudaMalloc cudaMalloc3D cudaMalloc3DArray cudaMallocArray cudaMallocAsync
    cudaMallocFromPoolAsync cudaMallocHost cudaMallocManaged cudaMallocMipmappedArray
    cudaMallocPitch cudaMemAdvise cudaMemDiscardAndPrefetchBatchAsync cudaMemDiscardBatchAsync
    cudaMemGetDefaultMemPool cudaMemGetInfo cudaMemGetMemPool cudaMemPoolCreate cudaMemPoolDestroy
    cudaMemPoolExportPointer cudaMemPoolExportToShareableHandle cudaMemPoolGetAccess
    cudaMemPoolGetAttribute cudaMemPoolImportFromShareableHandle cudaMemPoolImportPointer
    cudaMemPoolSetAccess cudaMemPoolSetAttribute cudaMemPoolTrimTo cudaMemPrefetchAsync
    cudaMemPrefetchBatchAsync cudaMemRangeGetAttribute cudaMemRangeGetAttributes cudaMemSetMemPool
    cudaMemcpy cudaMemcpy2D cudaMemcpy2DArrayToArray cudaMemcpy2DAsync cudaMemcpy2DFromArray
    cudaMemcpy2DFromArrayAsync cudaMemcpy2DToArray cudaMemcpy2DToArrayAsync cudaMemcpy3D
    cudaMemcpy3DAsync cudaMemcpy3DBatchAsync cudaMemcpy3DPeer cudaMemcpy3DPeerAsync
    cudaMemcpyArrayToArray cudaMemcpyAsync cudaMemcpyBatchAsync cudaMemcpyFromArray
    cudaMemcpyFromArrayAsync cudaMemcpyFromSymbol cudaMemcpyFromSymbolAsync cudaMemcpyPeer
    cudaMemcpyPeerAsync cudaMemcpyToArray cudaMemcpyToArrayAsync cudaMemcpyToSymbol
    cudaMemcpyToSymbolAsync cudaMemset cudaMemset2D cudaMemset2DAsync cudaMemset3D
    cudaMemset3DAsync cudaMemsetAsync cudaMipmappedArrayGetMemoryRequirements
    cudaMipmappedArrayGetSparseProperties cudaOccupancyAvailableDynamicSMemPerBlock
    cudaOccupancyMaxActiveBlocksPerMultiprocessor
    cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags cudaOccupancyMaxActiveClusters
    cudaOccupancyMaxPotentialClusterSize cudaPeekAtLastError cudaPointerGetAttributes
    cudaRuntimeGetVersion cudaSetDevice cudaSetDeviceFlags cudaSetValidDevices
    cudaSignalExternalSemaphoresAsync cudaStreamAddCallback cudaStreamAttachMemAsync
    cudaStreamBeginCapture cudaStreamBeginCaptureToGraph cudaStreamCopyAttributes cudaStreamCreate
    cudaStreamCreateWithFlags cudaStreamCreateWithPriority cudaStreamDestroy cudaStreamEndCapture
    cudaStreamGetAttribute cudaStreamGetCaptureInfo cudaStreamGetDevice cudaStreamGetFlags
    cudaStreamGetId cudaStreamGetPriority cudaStreamIsCapturing cudaStreamQuery
    cudaStreamSetAttribute cudaStreamSynchronize cudaStreamUpdateCaptureDependencies
    cudaStreamWaitEvent cudaThreadExchangeStreamCaptureMode cudaUserObjectCreate
    cudaUserObjectRelease cudaUserObjectRetain cudaWaitExternalSemaphoresAsync
};

#[test]
fn every_function_of_the_bindings_is_here() {
    let bindings = include_str!("../../icffi-sys/src/bindings/cuda13.rs");
    let declared: BTreeSet<&str> = bindings
        .lines()
        .filter_map(|line| line.trim().strip_prefix("pub fn cuda"))
        .map(|rest| rest.split('(').next().unwrap_or(rest))
        .collect();
    let linked: BTreeSet<&str> = FUNCTIONS
        .iter()
        .filter_map(|(name, _)| name.strip_prefix("cuda"))
        .collect();
    assert_eq!(declared, linked);
    assert!(FUNCTIONS.iter().all(|(_, address)| !address.is_null()));
    assert!(FUNCTIONS.len() >= 310);
}

#[test]
fn what_is_not_simulated_says_so() {
    let session = start(Policy::Random);
    let mut graph = null_mut();
    assert_eq!(
        cuda!(cudaGraphCreate(&mut graph, 0)),
        E::cudaErrorNotSupported
    );
    let mut p = null_mut();
    assert_eq!(
        cuda!(cudaMallocManaged(&mut p, 64, 1)),
        E::cudaErrorNotSupported
    );
    assert!(p.is_null());
    assert_eq!(cuda!(cudaGetLastError()), E::cudaErrorNotSupported);
    assert_eq!(
        session.unsupported_calls(),
        ["cudaGraphCreate", "cudaMallocManaged"]
    );
    assert_eq!(session.calls("cudaMallocManaged"), 1);
    let kind = cudaChannelFormatKind::cudaChannelFormatKindFloat;
    let desc = cuda!(cudaCreateChannelDesc(32, 0, 0, 0, kind));
    assert_eq!((desc.x, desc.y, desc.f), (32, 0, kind));
}
