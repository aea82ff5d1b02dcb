//! Not simulated: arrays, textures, surfaces, symbols and 3-D copies.

use std::ffi::{c_int, c_uint, c_ulonglong, c_void};

use icffi_sys::{
    cudaArray_const_t, cudaArray_t, cudaArrayMemoryRequirements, cudaArraySparseProperties,
    cudaChannelFormatDesc, cudaExtent, cudaExternalMemory_t, cudaExternalMemoryMipmappedArrayDesc,
    cudaFunction_t, cudaGraphicsResource_t, cudaMemcpy3DBatchOp, cudaMemcpy3DParms,
    cudaMemcpy3DPeerParms, cudaMemcpyKind, cudaMipmappedArray_const_t, cudaMipmappedArray_t,
    cudaPitchedPtr, cudaResourceDesc, cudaResourceViewDesc, cudaStream_t, cudaSurfaceObject_t,
    cudaTextureDesc, cudaTextureObject_t,
};

use crate::call::unsupported;

unsupported! {
    fn cudaDeviceGetTexture1DLinearMaxWidth(*mut usize, *const cudaChannelFormatDesc, c_int);
    fn cudaExternalMemoryGetMappedMipmappedArray(
        *mut cudaMipmappedArray_t, cudaExternalMemory_t,
        *const cudaExternalMemoryMipmappedArrayDesc
    );
    fn cudaMallocArray(*mut cudaArray_t, *const cudaChannelFormatDesc, usize, usize, c_uint);
    fn cudaFreeArray(cudaArray_t);
    fn cudaFreeMipmappedArray(cudaMipmappedArray_t);
    fn cudaMalloc3D(*mut cudaPitchedPtr, cudaExtent);
    fn cudaMalloc3DArray(*mut cudaArray_t, *const cudaChannelFormatDesc, cudaExtent, c_uint);
    fn cudaMallocMipmappedArray(
        *mut cudaMipmappedArray_t, *const cudaChannelFormatDesc, cudaExtent, c_uint, c_uint
    );
    fn cudaGetMipmappedArrayLevel(*mut cudaArray_t, cudaMipmappedArray_const_t, c_uint);
    fn cudaMemcpy3D(*const cudaMemcpy3DParms);
    fn cudaMemcpy3DPeer(*const cudaMemcpy3DPeerParms);
    fn cudaMemcpy3DAsync(*const cudaMemcpy3DParms, cudaStream_t);
    fn cudaMemcpy3DPeerAsync(*const cudaMemcpy3DPeerParms, cudaStream_t);
    fn cudaArrayGetInfo(*mut cudaChannelFormatDesc, *mut cudaExtent, *mut c_uint, cudaArray_t);
    fn cudaArrayGetPlane(*mut cudaArray_t, cudaArray_t, c_uint);
    fn cudaArrayGetMemoryRequirements(*mut cudaArrayMemoryRequirements, cudaArray_t, c_int);
    fn cudaMipmappedArrayGetMemoryRequirements(
        *mut cudaArrayMemoryRequirements, cudaMipmappedArray_t, c_int
    );
    fn cudaArrayGetSparseProperties(*mut cudaArraySparseProperties, cudaArray_t);
    fn cudaMipmappedArrayGetSparseProperties(
        *mut cudaArraySparseProperties, cudaMipmappedArray_t
    );
    fn cudaMemcpy2DToArray(
        cudaArray_t, usize, usize, *const c_void, usize, usize, usize, cudaMemcpyKind
    );
    fn cudaMemcpy2DFromArray(
        *mut c_void, usize, cudaArray_const_t, usize, usize, usize, usize, cudaMemcpyKind
    );
    fn cudaMemcpy2DArrayToArray(
        cudaArray_t, usize, usize, cudaArray_const_t, usize, usize, usize, usize,
        cudaMemcpyKind
    );
    fn cudaMemcpyToSymbol(*const c_void, *const c_void, usize, usize, cudaMemcpyKind);
    fn cudaMemcpyFromSymbol(*mut c_void, *const c_void, usize, usize, cudaMemcpyKind);
    fn cudaMemcpy3DBatchAsync(usize, *mut cudaMemcpy3DBatchOp, c_ulonglong, cudaStream_t);
    fn cudaMemcpy2DToArrayAsync(
        cudaArray_t, usize, usize, *const c_void, usize, usize, usize, cudaMemcpyKind,
        cudaStream_t
    );
    fn cudaMemcpy2DFromArrayAsync(
        *mut c_void, usize, cudaArray_const_t, usize, usize, usize, usize, cudaMemcpyKind,
        cudaStream_t
    );
    fn cudaMemcpyToSymbolAsync(
        *const c_void, *const c_void, usize, usize, cudaMemcpyKind, cudaStream_t
    );
    fn cudaMemcpyFromSymbolAsync(
        *mut c_void, *const c_void, usize, usize, cudaMemcpyKind, cudaStream_t
    );
    fn cudaMemset3D(cudaPitchedPtr, c_int, cudaExtent);
    fn cudaMemset3DAsync(cudaPitchedPtr, c_int, cudaExtent, cudaStream_t);
    fn cudaGetSymbolAddress(*mut *mut c_void, *const c_void);
    fn cudaGetSymbolSize(*mut usize, *const c_void);
    fn cudaMemcpyToArray(cudaArray_t, usize, usize, *const c_void, usize, cudaMemcpyKind);
    fn cudaMemcpyFromArray(*mut c_void, cudaArray_const_t, usize, usize, usize, cudaMemcpyKind);
    fn cudaMemcpyArrayToArray(
        cudaArray_t, usize, usize, cudaArray_const_t, usize, usize, usize, cudaMemcpyKind
    );
    fn cudaMemcpyToArrayAsync(
        cudaArray_t, usize, usize, *const c_void, usize, cudaMemcpyKind, cudaStream_t
    );
    fn cudaMemcpyFromArrayAsync(
        *mut c_void, cudaArray_const_t, usize, usize, usize, cudaMemcpyKind, cudaStream_t
    );
    fn cudaGraphicsSubResourceGetMappedArray(
        *mut cudaArray_t, cudaGraphicsResource_t, c_uint, c_uint
    );
    fn cudaGraphicsResourceGetMappedMipmappedArray(
        *mut cudaMipmappedArray_t, cudaGraphicsResource_t
    );
    fn cudaGetChannelDesc(*mut cudaChannelFormatDesc, cudaArray_const_t);
    fn cudaCreateTextureObject(
        *mut cudaTextureObject_t, *const cudaResourceDesc, *const cudaTextureDesc,
        *const cudaResourceViewDesc
    );
    fn cudaDestroyTextureObject(cudaTextureObject_t);
    fn cudaGetTextureObjectResourceDesc(*mut cudaResourceDesc, cudaTextureObject_t);
    fn cudaGetTextureObjectTextureDesc(*mut cudaTextureDesc, cudaTextureObject_t);
    fn cudaGetTextureObjectResourceViewDesc(*mut cudaResourceViewDesc, cudaTextureObject_t);
    fn cudaCreateSurfaceObject(*mut cudaSurfaceObject_t, *const cudaResourceDesc);
    fn cudaDestroySurfaceObject(cudaSurfaceObject_t);
    fn cudaGetSurfaceObjectResourceDesc(*mut cudaResourceDesc, cudaSurfaceObject_t);
    fn cudaGetFuncBySymbol(*mut cudaFunction_t, *const c_void);
}
