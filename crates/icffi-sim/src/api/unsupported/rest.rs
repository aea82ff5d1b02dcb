//! Not simulated: managed memory, batches, hints and the rest.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};

use icffi_sys::{
    cudaAtomicOperation, cudaLaunchAttributeID, cudaLaunchAttributeValue, cudaLaunchConfig_t,
    cudaMemLocation, cudaMemRangeAttribute, cudaMemcpyAttributes, cudaMemoryAdvise,
    cudaSharedMemConfig, cudaStream_t,
};

use crate::call::unsupported;

unsupported! {
    fn cudaDeviceGetSharedMemConfig(*mut cudaSharedMemConfig);
    fn cudaDeviceSetSharedMemConfig(cudaSharedMemConfig);
    fn cudaDeviceGetHostAtomicCapabilities(
        *mut c_uint, *const cudaAtomicOperation, c_uint, c_int
    );
    fn cudaDeviceGetP2PAtomicCapabilities(
        *mut c_uint, *const cudaAtomicOperation, c_uint, c_int, c_int
    );
    fn cudaSetValidDevices(*mut c_int, c_int);
    fn cudaCtxResetPersistingL2Cache();
    fn cudaStreamCopyAttributes(cudaStream_t, cudaStream_t);
    fn cudaStreamGetAttribute(cudaStream_t, cudaLaunchAttributeID, *mut cudaLaunchAttributeValue);
    fn cudaStreamSetAttribute(
        cudaStream_t, cudaLaunchAttributeID, *const cudaLaunchAttributeValue
    );
    fn cudaStreamAttachMemAsync(cudaStream_t, *mut c_void, usize, c_uint);
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessor(*mut c_int, *const c_void, c_int, usize);
    fn cudaOccupancyAvailableDynamicSMemPerBlock(*mut usize, *const c_void, c_int, c_int);
    fn cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags(
        *mut c_int, *const c_void, c_int, usize, c_uint
    );
    fn cudaOccupancyMaxPotentialClusterSize(*mut c_int, *const c_void, *const cudaLaunchConfig_t);
    fn cudaOccupancyMaxActiveClusters(*mut c_int, *const c_void, *const cudaLaunchConfig_t);
    fn cudaMallocManaged(*mut *mut c_void, usize, c_uint);
    fn cudaMemcpyBatchAsync(
        *const *mut c_void, *const *const c_void, *const usize, usize,
        *mut cudaMemcpyAttributes, *mut usize, usize, cudaStream_t
    );
    fn cudaMemPrefetchAsync(*const c_void, usize, cudaMemLocation, c_uint, cudaStream_t);
    fn cudaMemPrefetchBatchAsync(
        *mut *mut c_void, *mut usize, usize, *mut cudaMemLocation, *mut usize, usize,
        c_ulonglong, cudaStream_t
    );
    fn cudaMemDiscardBatchAsync(*mut *mut c_void, *mut usize, usize, c_ulonglong, cudaStream_t);
    fn cudaMemDiscardAndPrefetchBatchAsync(
        *mut *mut c_void, *mut usize, usize, *mut cudaMemLocation, *mut usize, usize,
        c_ulonglong, cudaStream_t
    );
    fn cudaMemAdvise(*const c_void, usize, cudaMemoryAdvise, cudaMemLocation);
    fn cudaMemRangeGetAttribute(*mut c_void, usize, cudaMemRangeAttribute, *const c_void, usize);
    fn cudaMemRangeGetAttributes(
        *mut *mut c_void, *mut usize, *mut cudaMemRangeAttribute, usize, *const c_void, usize
    );
}
