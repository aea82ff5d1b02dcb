//! What a simulated device says it is: modest, round numbers of a recent device, the same in
//! `cudaDeviceGetAttribute` and `cudaGetDeviceProperties`.

use std::ffi::c_int;

use icffi_sys::{cudaDeviceAttr as A, cudaDeviceProp};

use crate::state::Sim;

const NAME: &[u8] = b"icffi simulator";

/// An attribute. Numbers within the range of the enumeration that mean nothing here are 0, as
/// features that a device lacks are; beyond it they are invalid.
pub(super) fn attribute(attr: A, device: usize) -> Option<c_int> {
    Some(match attr {
        A::cudaDevAttrMaxThreadsPerBlock | A::cudaDevAttrMaxBlockDimX => 1024,
        A::cudaDevAttrMaxBlockDimY => 1024,
        A::cudaDevAttrMaxBlockDimZ => 64,
        A::cudaDevAttrMaxGridDimX => i32::MAX,
        A::cudaDevAttrMaxGridDimY | A::cudaDevAttrMaxGridDimZ => 65_535,
        A::cudaDevAttrMaxSharedMemoryPerBlock => 48 << 10,
        A::cudaDevAttrMaxSharedMemoryPerBlockOptin => 227 << 10,
        A::cudaDevAttrMaxSharedMemoryPerMultiprocessor => 228 << 10,
        A::cudaDevAttrReservedSharedMemoryPerBlock => 1 << 10,
        A::cudaDevAttrTotalConstantMemory => 64 << 10,
        A::cudaDevAttrWarpSize => 32,
        A::cudaDevAttrMaxPitch => i32::MAX,
        A::cudaDevAttrMaxRegistersPerBlock | A::cudaDevAttrMaxRegistersPerMultiprocessor => 65_536,
        A::cudaDevAttrClockRate | A::cudaDevAttrMemoryClockRate => 1_000_000,
        A::cudaDevAttrTextureAlignment | A::cudaDevAttrSurfaceAlignment => 512,
        A::cudaDevAttrTexturePitchAlignment => 32,
        A::cudaDevAttrGpuOverlap
        | A::cudaDevAttrCanMapHostMemory
        | A::cudaDevAttrConcurrentKernels
        | A::cudaDevAttrUnifiedAddressing
        | A::cudaDevAttrStreamPrioritiesSupported
        | A::cudaDevAttrGlobalL1CacheSupported
        | A::cudaDevAttrLocalL1CacheSupported
        | A::cudaDevAttrCanUseHostPointerForRegisteredMem
        | A::cudaDevAttrHostRegisterSupported
        | A::cudaDevAttrMemoryPoolsSupported => 1,
        A::cudaDevAttrMultiProcessorCount => 8,
        A::cudaDevAttrAsyncEngineCount => 3,
        A::cudaDevAttrGlobalMemoryBusWidth => 512,
        A::cudaDevAttrL2CacheSize => 4 << 20,
        A::cudaDevAttrMaxThreadsPerMultiProcessor => 2048,
        A::cudaDevAttrMaxBlocksPerMultiprocessor => 32,
        A::cudaDevAttrComputeCapabilityMajor => 9,
        A::cudaDevAttrComputeCapabilityMinor => 0,
        A::cudaDevAttrSingleToDoublePrecisionPerfRatio => 2,
        A::cudaDevAttrPciBusId => device as c_int + 1,
        A::cudaDevAttrNumaId | A::cudaDevAttrHostNumaId => -1,
        other if other.0 >= 1 && other.0 < A::cudaDevAttrMax.0 => 0,
        _ => return None,
    })
}

pub(super) fn properties(sim: &Sim, device: usize) -> cudaDeviceProp {
    let of = |attr| attribute(attr, device).unwrap_or(0);
    let size = |attr| of(attr) as usize;
    let mut p = cudaDeviceProp::default();
    for (to, from) in p.name.iter_mut().zip(NAME) {
        *to = *from as _;
    }
    for (to, from) in p.uuid.bytes.iter_mut().zip(b"icffi-simulator") {
        *to = *from as _;
    }
    p.uuid.bytes[15] = device as _;
    p.totalGlobalMem = sim.config.memory as usize;
    p.sharedMemPerBlock = size(A::cudaDevAttrMaxSharedMemoryPerBlock);
    p.sharedMemPerBlockOptin = size(A::cudaDevAttrMaxSharedMemoryPerBlockOptin);
    p.sharedMemPerMultiprocessor = size(A::cudaDevAttrMaxSharedMemoryPerMultiprocessor);
    p.reservedSharedMemPerBlock = size(A::cudaDevAttrReservedSharedMemoryPerBlock);
    p.regsPerBlock = of(A::cudaDevAttrMaxRegistersPerBlock);
    p.regsPerMultiprocessor = of(A::cudaDevAttrMaxRegistersPerMultiprocessor);
    p.warpSize = of(A::cudaDevAttrWarpSize);
    p.memPitch = size(A::cudaDevAttrMaxPitch);
    p.maxThreadsPerBlock = of(A::cudaDevAttrMaxThreadsPerBlock);
    p.maxThreadsDim = [
        of(A::cudaDevAttrMaxBlockDimX),
        of(A::cudaDevAttrMaxBlockDimY),
        of(A::cudaDevAttrMaxBlockDimZ),
    ];
    p.maxGridSize = [
        of(A::cudaDevAttrMaxGridDimX),
        of(A::cudaDevAttrMaxGridDimY),
        of(A::cudaDevAttrMaxGridDimZ),
    ];
    p.totalConstMem = size(A::cudaDevAttrTotalConstantMemory);
    p.major = of(A::cudaDevAttrComputeCapabilityMajor);
    p.minor = of(A::cudaDevAttrComputeCapabilityMinor);
    p.textureAlignment = size(A::cudaDevAttrTextureAlignment);
    p.texturePitchAlignment = size(A::cudaDevAttrTexturePitchAlignment);
    p.surfaceAlignment = size(A::cudaDevAttrSurfaceAlignment);
    p.multiProcessorCount = of(A::cudaDevAttrMultiProcessorCount);
    p.canMapHostMemory = of(A::cudaDevAttrCanMapHostMemory);
    p.concurrentKernels = of(A::cudaDevAttrConcurrentKernels);
    p.pciBusID = of(A::cudaDevAttrPciBusId);
    p.asyncEngineCount = of(A::cudaDevAttrAsyncEngineCount);
    p.unifiedAddressing = of(A::cudaDevAttrUnifiedAddressing);
    p.memoryBusWidth = of(A::cudaDevAttrGlobalMemoryBusWidth);
    p.l2CacheSize = of(A::cudaDevAttrL2CacheSize);
    p.maxThreadsPerMultiProcessor = of(A::cudaDevAttrMaxThreadsPerMultiProcessor);
    p.maxBlocksPerMultiProcessor = of(A::cudaDevAttrMaxBlocksPerMultiprocessor);
    p.streamPrioritiesSupported = of(A::cudaDevAttrStreamPrioritiesSupported);
    p.globalL1CacheSupported = of(A::cudaDevAttrGlobalL1CacheSupported);
    p.localL1CacheSupported = of(A::cudaDevAttrLocalL1CacheSupported);
    p.canUseHostPointerForRegisteredMem = of(A::cudaDevAttrCanUseHostPointerForRegisteredMem);
    p.hostRegisterSupported = of(A::cudaDevAttrHostRegisterSupported);
    p.memoryPoolsSupported = of(A::cudaDevAttrMemoryPoolsSupported);
    p.deviceNumaId = of(A::cudaDevAttrNumaId);
    p.hostNumaId = of(A::cudaDevAttrHostNumaId);
    p
}
