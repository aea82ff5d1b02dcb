//! Memory pools: where stream-ordered allocation takes memory from.
#![allow(unsafe_code)]

use crate::device::{self, Device};
use crate::error::{self, Result};
use crate::op::Op;
use crate::sync::lock;
use crate::{retire, rt};
use icffi_sys::{cudaMemPool_t, cudaMemPoolAttr};
use std::sync::{Arc, Mutex, Weak};

/// A pool of device memory. Cheap to clone: clones are the same pool. `Send + Sync`.
///
/// Freed memory stays in the pool for reuse until the stream, event or device is next
/// synchronized; then what exceeds the release threshold goes back to the system. A threshold of
/// `u64::MAX` keeps everything, which is what a program that allocates in a loop wants.
///
/// ```
/// use icffi::{memory::{DeviceBuffer, MemoryPool}, stream::Stream};
/// let stream = Stream::new()?;
/// let pool = MemoryPool::new(&stream.device())?;
/// pool.set_release_threshold(64 << 20)?;
/// let x = DeviceBuffer::<f32>::alloc_from_async(&pool, &stream, 1 << 20)?;
/// assert!(pool.statistics()?.used_bytes >= 4 << 20);
/// # drop(x);
/// # Ok::<(), icffi::IcffiError>(())
/// ```
#[derive(Clone, Debug)]
pub struct MemoryPool {
    core: Arc<PoolCore>,
}

/// What a pool holds, in bytes. `cudaMemPoolGetAttribute`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct PoolStatistics {
    /// Taken from the system.
    pub reserved_bytes: u64,
    /// The most ever taken.
    pub reserved_high_bytes: u64,
    /// Allocated from the pool.
    pub used_bytes: u64,
    /// The most ever allocated.
    pub used_high_bytes: u64,
}

/// # Invariants
/// 1. If `owned`, the handle came from `cudaMemPoolCreate` and only `Drop` destroys it. Otherwise
///    it is the device's default pool, which lives as long as the process.
#[derive(Debug)]
pub(crate) struct PoolCore {
    raw: cudaMemPool_t,
    device: i32,
    owned: bool,
}

// SAFETY: CUDA's pools may be used by any thread, also several at once (CUDA Runtime API 13.0,
// "Stream Ordered Memory Allocator": calls are thread-safe).
unsafe impl Send for PoolCore {}
// SAFETY: as above.
unsafe impl Sync for PoolCore {}

impl MemoryPool {
    /// A new pool on `device`. `cudaMemPoolCreate`.
    ///
    /// # Errors
    /// `POOLS_UNSUPPORTED`; what the call reports.
    #[track_caller]
    pub fn new(device: &Device) -> Result<Self> {
        let op = Op::new("MemoryPool::new");
        let ordinal = device.raw();
        expect_pools(op, ordinal)?;
        let raw = rt::pool_create(op, ordinal)?;
        let core = Arc::new(PoolCore {
            raw,
            device: ordinal,
            owned: true,
        });
        register(op, &core)?;
        Ok(Self { core })
    }

    /// The pool that [`DeviceBuffer::alloc_async`](super::DeviceBuffer::alloc_async) takes from.
    /// `cudaDeviceGetDefaultMemPool`.
    ///
    /// # Errors
    /// As [`new`](Self::new).
    #[track_caller]
    pub fn default_of(device: &Device) -> Result<Self> {
        let op = Op::new("MemoryPool::default_of");
        let ordinal = device.raw();
        expect_pools(op, ordinal)?;
        let raw = rt::default_pool(op, ordinal)?;
        Ok(Self {
            core: Arc::new(PoolCore {
                raw,
                device: ordinal,
                owned: false,
            }),
        })
    }

    /// How many bytes it keeps when a synchronization lets it give memory back.
    ///
    /// # Errors
    /// What the call reports.
    #[track_caller]
    pub fn set_release_threshold(&self, bytes: u64) -> Result<()> {
        let op = Op::new("MemoryPool::set_release_threshold");
        // SAFETY: invariant 1; the attribute has 64 bits.
        unsafe {
            rt::pool_set(
                op,
                self.core.raw,
                cudaMemPoolAttr::cudaMemPoolAttrReleaseThreshold,
                bytes,
            )
        }
    }

    /// The release threshold in bytes; 0 at first.
    ///
    /// # Errors
    /// What the call reports.
    #[track_caller]
    pub fn release_threshold(&self) -> Result<u64> {
        let op = Op::new("MemoryPool::release_threshold");
        self.get(op, cudaMemPoolAttr::cudaMemPoolAttrReleaseThreshold)
    }

    /// Gives unused memory back to the system until at most `keep_bytes` are reserved. Blocks
    /// the CPU. `cudaMemPoolTrimTo`.
    ///
    /// # Errors
    /// What the call reports.
    #[track_caller]
    pub fn trim(&self, keep_bytes: usize) -> Result<()> {
        let op = Op::new("MemoryPool::trim");
        // SAFETY: invariant 1.
        unsafe { rt::pool_trim(op, self.core.raw, keep_bytes) }
    }

    /// What it holds now and held at most.
    ///
    /// # Errors
    /// What the calls report.
    #[track_caller]
    pub fn statistics(&self) -> Result<PoolStatistics> {
        let op = Op::new("MemoryPool::statistics");
        Ok(PoolStatistics {
            reserved_bytes: self.get(op, cudaMemPoolAttr::cudaMemPoolAttrReservedMemCurrent)?,
            reserved_high_bytes: self.get(op, cudaMemPoolAttr::cudaMemPoolAttrReservedMemHigh)?,
            used_bytes: self.get(op, cudaMemPoolAttr::cudaMemPoolAttrUsedMemCurrent)?,
            used_high_bytes: self.get(op, cudaMemPoolAttr::cudaMemPoolAttrUsedMemHigh)?,
        })
    }

    fn get(&self, op: Op, attribute: cudaMemPoolAttr) -> Result<u64> {
        // SAFETY: invariant 1; every attribute asked for here has 64 bits.
        unsafe { rt::pool_get(op, self.core.raw, attribute) }
    }

    /// The device it is on.
    #[must_use]
    pub fn device(&self) -> Device {
        Device::from_ordinal(self.core.device)
    }

    /// CUDA's handle. It stays valid as long as a clone of this pool, or memory from it, lives.
    #[must_use]
    pub fn raw(&self) -> cudaMemPool_t {
        self.core.raw
    }

    pub(super) fn ordinal(&self) -> i32 {
        self.core.device
    }
}

pub(super) fn expect_pools(op: Op, ordinal: i32) -> Result<()> {
    if device::state(ordinal).has_pools(op, ordinal)? {
        return Ok(());
    }
    Err(error::pools_unsupported(op, ordinal))
}

/// Which devices may reach another device's pools, and the pools that must be told. Access to a
/// peer's memory, once enabled, does not hold for memory from pools by itself.
static PEERS: Mutex<Peers> = Mutex::new(Peers {
    allowed: Vec::new(),
    pools: Vec::new(),
});

struct Peers {
    /// (owner of the memory, device that may reach it)
    allowed: Vec<(i32, i32)>,
    pools: Vec<Weak<PoolCore>>,
}

fn register(op: Op, core: &Arc<PoolCore>) -> Result<()> {
    let mut peers = lock(&PEERS);
    peers.pools.retain(|pool| pool.strong_count() > 0);
    peers.pools.push(Arc::downgrade(core));
    for &(_, accessor) in peers
        .allowed
        .iter()
        .filter(|(owner, _)| *owner == core.device)
    {
        // SAFETY: the pool is live.
        unsafe { rt::pool_allow(op, core.raw, accessor) }?;
    }
    Ok(())
}

/// Lets `accessor` reach memory of all pools on `owner`, those made later included.
pub(crate) fn allow_peer(op: Op, owner: i32, accessor: i32) -> Result<()> {
    if !device::state(owner).has_pools(op, owner)? {
        return Ok(());
    }
    let mut peers = lock(&PEERS);
    let default = rt::default_pool(op, owner)?;
    // SAFETY: the default pool lives as long as the process.
    unsafe { rt::pool_allow(op, default, accessor) }?;
    for pool in peers
        .pools
        .iter()
        .filter_map(Weak::upgrade)
        .filter(|pool| pool.device == owner)
    {
        // SAFETY: the pool is live.
        unsafe { rt::pool_allow(op, pool.raw, accessor) }?;
    }
    if !peers.allowed.contains(&(owner, accessor)) {
        peers.allowed.push((owner, accessor));
    }
    Ok(())
}

/// A handle on its way to be destroyed.
struct Doomed(cudaMemPool_t);

// SAFETY: see `PoolCore`.
unsafe impl Send for Doomed {}

impl Doomed {
    fn destroy(self, op: Op) -> Result<()> {
        // SAFETY: invariant 1 of the core whose `Drop` made this; consumed. CUDA frees the pool
        // when the last allocation from it is freed.
        unsafe { rt::pool_destroy(op, self.0) }
    }
}

impl Drop for PoolCore {
    fn drop(&mut self) {
        if self.owned {
            let doomed = Doomed(self.raw);
            retire::release_now(self.device, "MemoryPool::drop", move |op| {
                doomed.destroy(op)
            });
        }
    }
}
