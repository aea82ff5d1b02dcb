//! Not simulated: other processes, other libraries, and kernels by address.

use std::ffi::{c_char, c_int, c_uint, c_ulonglong, c_void};

use icffi_sys::{
    cudaAsyncCallback, cudaAsyncCallbackHandle_t, cudaDriverEntryPointQueryResult, cudaEvent_t,
    cudaExternalMemory_t, cudaExternalMemoryBufferDesc, cudaExternalMemoryHandleDesc,
    cudaExternalSemaphore_t, cudaExternalSemaphoreHandleDesc, cudaExternalSemaphoreSignalParams,
    cudaExternalSemaphoreWaitParams, cudaFlushGPUDirectRDMAWritesScope,
    cudaFlushGPUDirectRDMAWritesTarget, cudaFuncAttribute, cudaFuncAttributes, cudaFuncCache,
    cudaGraphicsResource_t, cudaIpcEventHandle_t, cudaIpcMemHandle_t, cudaJitOption, cudaKernel_t,
    cudaLaunchConfig_t, cudaLibrary_t, cudaLibraryOption, cudaLogIterator, cudaLogsCallback_t,
    cudaLogsCallbackHandle, cudaMemAllocationHandleType, cudaMemPool_t, cudaMemPoolPtrExportData,
    cudaSharedMemConfig, cudaStream_t, cudaUUID_t, dim3,
};

use crate::call::unsupported;

unsupported! {
    fn cudaIpcGetEventHandle(*mut cudaIpcEventHandle_t, cudaEvent_t);
    fn cudaIpcOpenEventHandle(*mut cudaEvent_t, cudaIpcEventHandle_t);
    fn cudaIpcGetMemHandle(*mut cudaIpcMemHandle_t, *mut c_void);
    fn cudaIpcOpenMemHandle(*mut *mut c_void, cudaIpcMemHandle_t, c_uint);
    fn cudaIpcCloseMemHandle(*mut c_void);
    fn cudaDeviceFlushGPUDirectRDMAWrites(
        cudaFlushGPUDirectRDMAWritesTarget, cudaFlushGPUDirectRDMAWritesScope
    );
    fn cudaDeviceRegisterAsyncNotification(
        c_int, cudaAsyncCallback, *mut c_void, *mut cudaAsyncCallbackHandle_t
    );
    fn cudaDeviceUnregisterAsyncNotification(c_int, cudaAsyncCallbackHandle_t);
    fn cudaDeviceGetNvSciSyncAttributes(*mut c_void, c_int, c_int);
    fn cudaImportExternalMemory(*mut cudaExternalMemory_t, *const cudaExternalMemoryHandleDesc);
    fn cudaExternalMemoryGetMappedBuffer(
        *mut *mut c_void, cudaExternalMemory_t, *const cudaExternalMemoryBufferDesc
    );
    fn cudaDestroyExternalMemory(cudaExternalMemory_t);
    fn cudaImportExternalSemaphore(
        *mut cudaExternalSemaphore_t, *const cudaExternalSemaphoreHandleDesc
    );
    fn cudaSignalExternalSemaphoresAsync(
        *const cudaExternalSemaphore_t, *const cudaExternalSemaphoreSignalParams, c_uint,
        cudaStream_t
    );
    fn cudaWaitExternalSemaphoresAsync(
        *const cudaExternalSemaphore_t, *const cudaExternalSemaphoreWaitParams, c_uint,
        cudaStream_t
    );
    fn cudaDestroyExternalSemaphore(cudaExternalSemaphore_t);
    fn cudaLaunchKernel(*const c_void, dim3, dim3, *mut *mut c_void, usize, cudaStream_t);
    fn cudaLaunchKernelExC(*const cudaLaunchConfig_t, *const c_void, *mut *mut c_void);
    fn cudaLaunchCooperativeKernel(
        *const c_void, dim3, dim3, *mut *mut c_void, usize, cudaStream_t
    );
    fn cudaFuncSetCacheConfig(*const c_void, cudaFuncCache);
    fn cudaFuncGetAttributes(*mut cudaFuncAttributes, *const c_void);
    fn cudaFuncSetAttribute(*const c_void, cudaFuncAttribute, c_int);
    fn cudaFuncGetName(*mut *const c_char, *const c_void);
    fn cudaFuncGetParamInfo(*const c_void, usize, *mut usize, *mut usize);
    fn cudaFuncSetSharedMemConfig(*const c_void, cudaSharedMemConfig);
    fn cudaMemPoolExportToShareableHandle(
        *mut c_void, cudaMemPool_t, cudaMemAllocationHandleType, c_uint
    );
    fn cudaMemPoolImportFromShareableHandle(
        *mut cudaMemPool_t, *mut c_void, cudaMemAllocationHandleType, c_uint
    );
    fn cudaMemPoolExportPointer(*mut cudaMemPoolPtrExportData, *mut c_void);
    fn cudaMemPoolImportPointer(*mut *mut c_void, cudaMemPool_t, *mut cudaMemPoolPtrExportData);
    fn cudaGraphicsUnregisterResource(cudaGraphicsResource_t);
    fn cudaGraphicsResourceSetMapFlags(cudaGraphicsResource_t, c_uint);
    fn cudaGraphicsMapResources(c_int, *mut cudaGraphicsResource_t, cudaStream_t);
    fn cudaGraphicsUnmapResources(c_int, *mut cudaGraphicsResource_t, cudaStream_t);
    fn cudaGraphicsResourceGetMappedPointer(*mut *mut c_void, *mut usize, cudaGraphicsResource_t);
    fn cudaLogsRegisterCallback(cudaLogsCallback_t, *mut c_void, *mut cudaLogsCallbackHandle);
    fn cudaLogsUnregisterCallback(cudaLogsCallbackHandle);
    fn cudaLogsCurrent(*mut cudaLogIterator, c_uint);
    fn cudaLogsDumpToFile(*mut cudaLogIterator, *const c_char, c_uint);
    fn cudaLogsDumpToMemory(*mut cudaLogIterator, *mut c_char, *mut usize, c_uint);
    fn cudaGetDriverEntryPoint(
        *const c_char, *mut *mut c_void, c_ulonglong, *mut cudaDriverEntryPointQueryResult
    );
    fn cudaGetDriverEntryPointByVersion(
        *const c_char, *mut *mut c_void, c_uint, c_ulonglong,
        *mut cudaDriverEntryPointQueryResult
    );
    fn cudaLibraryLoadData(
        *mut cudaLibrary_t, *const c_void, *mut cudaJitOption, *mut *mut c_void, c_uint,
        *mut cudaLibraryOption, *mut *mut c_void, c_uint
    );
    fn cudaLibraryLoadFromFile(
        *mut cudaLibrary_t, *const c_char, *mut cudaJitOption, *mut *mut c_void, c_uint,
        *mut cudaLibraryOption, *mut *mut c_void, c_uint
    );
    fn cudaLibraryUnload(cudaLibrary_t);
    fn cudaLibraryGetKernel(*mut cudaKernel_t, cudaLibrary_t, *const c_char);
    fn cudaLibraryGetGlobal(*mut *mut c_void, *mut usize, cudaLibrary_t, *const c_char);
    fn cudaLibraryGetManaged(*mut *mut c_void, *mut usize, cudaLibrary_t, *const c_char);
    fn cudaLibraryGetUnifiedFunction(*mut *mut c_void, cudaLibrary_t, *const c_char);
    fn cudaLibraryGetKernelCount(*mut c_uint, cudaLibrary_t);
    fn cudaLibraryEnumerateKernels(*mut cudaKernel_t, c_uint, cudaLibrary_t);
    fn cudaKernelSetAttributeForDevice(cudaKernel_t, cudaFuncAttribute, c_int, c_int);
    fn cudaGetExportTable(*mut *const c_void, *const cudaUUID_t);
    fn cudaGetKernel(*mut cudaKernel_t, *const c_void);
}
