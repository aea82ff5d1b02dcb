//! What a device is and can do.

use crate::error::Result;
use crate::op::Op;
use crate::rt;
use icffi_sys::cudaDeviceAttr;

/// The properties people ask for; everything else is an
/// [`attribute`](super::Device::attribute).
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct DeviceProperties {
    /// Marketing name, such as `NVIDIA H200`.
    pub name: String,
    /// Compute capability as (major, minor).
    pub compute_capability: (i32, i32),
    /// Streaming multiprocessors.
    pub multiprocessor_count: i32,
    /// Device memory in bytes.
    pub total_memory: usize,
    /// L2 cache in bytes.
    pub l2_cache_size: i32,
    /// Threads of a warp.
    pub warp_size: i32,
    /// Threads of a block at most.
    pub max_threads_per_block: i32,
    /// Threads of a multiprocessor at most.
    pub max_threads_per_multiprocessor: i32,
    /// Static shared memory of a block at most, in bytes.
    pub shared_memory_per_block: usize,
    /// Dynamic shared memory that a kernel may opt in to, in bytes.
    pub shared_memory_per_block_optin: usize,
    /// Peak clock of the multiprocessors in kHz.
    pub clock_rate_khz: i32,
    /// Peak clock of the memory in kHz.
    pub memory_clock_rate_khz: i32,
    /// Width of the memory bus in bits.
    pub memory_bus_width: i32,
    /// Engines that copy while kernels run.
    pub async_engine_count: i32,
    /// Whether it can allocate in stream order.
    pub memory_pools_supported: bool,
    /// Whether it shares the host's memory.
    pub integrated: bool,
    /// Its place on the PCI bus as domain, bus, device.
    pub pci: (i32, i32, i32),
}

pub(super) fn of(op: Op, ordinal: i32) -> Result<DeviceProperties> {
    let p = rt::device_properties(op, ordinal)?;
    let attribute = |a| rt::device_attribute(op, a, ordinal);
    let name = p
        .name
        .iter()
        .take_while(|&&c| c != 0)
        .map(|&c| c as u8)
        .collect::<Vec<_>>();
    Ok(DeviceProperties {
        name: String::from_utf8_lossy(&name).into_owned(),
        compute_capability: (p.major, p.minor),
        multiprocessor_count: p.multiProcessorCount,
        total_memory: p.totalGlobalMem,
        l2_cache_size: p.l2CacheSize,
        warp_size: p.warpSize,
        max_threads_per_block: p.maxThreadsPerBlock,
        max_threads_per_multiprocessor: p.maxThreadsPerMultiProcessor,
        shared_memory_per_block: p.sharedMemPerBlock,
        shared_memory_per_block_optin: p.sharedMemPerBlockOptin,
        // CUDA 13 dropped the clocks from the struct; the attributes remain in both.
        clock_rate_khz: attribute(cudaDeviceAttr::cudaDevAttrClockRate)?,
        memory_clock_rate_khz: attribute(cudaDeviceAttr::cudaDevAttrMemoryClockRate)?,
        memory_bus_width: p.memoryBusWidth,
        async_engine_count: p.asyncEngineCount,
        memory_pools_supported: attribute(cudaDeviceAttr::cudaDevAttrMemoryPoolsSupported)? != 0,
        integrated: p.integrated != 0,
        pci: (p.pciDomainID, p.pciBusID, p.pciDeviceID),
    })
}
