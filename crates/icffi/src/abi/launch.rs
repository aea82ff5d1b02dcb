//! Launch shapes.

use crate::device;
use crate::error::{self, Result};
use crate::op::Op;
use crate::stream::Stream;
use icffi_sys::{cudaDeviceAttr, cudaStream_t};

/// Grid, block, dynamic shared memory and stream of one launch: `icffi::LaunchParams` in C++.
/// `repr(C)`, 40 bytes, aligned to 8.
///
/// ```
/// use icffi::{abi::LaunchParams, stream::Stream};
/// let stream = Stream::new()?;
/// let params = LaunchParams::for_elements(1000, 256, &stream)?;
/// assert_eq!((params.grid_x, params.block_x), (4, 256));
/// # Ok::<(), icffi::IcffiError>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(C, align(8))]
pub struct LaunchParams {
    /// Blocks along x.
    pub grid_x: u32,
    /// Blocks along y.
    pub grid_y: u32,
    /// Blocks along z.
    pub grid_z: u32,
    /// Threads of a block along x.
    pub block_x: u32,
    /// Threads of a block along y.
    pub block_y: u32,
    /// Threads of a block along z.
    pub block_z: u32,
    /// Dynamic shared memory of a block, in bytes.
    pub shared_mem_bytes: u64,
    /// The stream's handle. Borrowed: the stream has to live until the launch has been made.
    pub stream: cudaStream_t,
}

const _: () = {
    use std::mem::offset_of;
    assert!(size_of::<LaunchParams>() == 40 && align_of::<LaunchParams>() == 8);
    assert!(offset_of!(LaunchParams, grid_x) == 0 && offset_of!(LaunchParams, grid_y) == 4);
    assert!(offset_of!(LaunchParams, grid_z) == 8 && offset_of!(LaunchParams, block_x) == 12);
    assert!(offset_of!(LaunchParams, block_y) == 16 && offset_of!(LaunchParams, block_z) == 20);
    assert!(offset_of!(LaunchParams, shared_mem_bytes) == 24);
    assert!(offset_of!(LaunchParams, stream) == 32);
};

/// CUDA's own limits, the same on every device of compute capability 3.0 and up ("Compute
/// Capabilities" in the CUDA C++ Programming Guide).
const MAX_GRID: (u32, u32, u32) = (0x7fff_ffff, 0xffff, 0xffff);
const MAX_BLOCK: (u32, u32, u32) = (1024, 1024, 64);
const MAX_BLOCK_THREADS: u64 = 1024;

impl LaunchParams {
    /// A one-dimensional launch. Not validated: CUDA refuses a wrong shape at the launch.
    #[must_use]
    pub const fn new_1d(blocks: u32, threads: u32, stream: cudaStream_t) -> Self {
        Self::new_1d_shared(blocks, threads, 0, stream)
    }

    /// A one-dimensional launch with dynamic shared memory, in bytes.
    #[must_use]
    pub const fn new_1d_shared(
        blocks: u32,
        threads: u32,
        shared_mem_bytes: u64,
        stream: cudaStream_t,
    ) -> Self {
        Self {
            grid_x: blocks,
            grid_y: 1,
            grid_z: 1,
            block_x: threads,
            block_y: 1,
            block_z: 1,
            shared_mem_bytes,
            stream,
        }
    }

    /// A two-dimensional launch: `grid` in blocks, `block` in threads, each as (x, y).
    #[must_use]
    pub const fn new_2d(grid: (u32, u32), block: (u32, u32), stream: cudaStream_t) -> Self {
        Self::new_3d((grid.0, grid.1, 1), (block.0, block.1, 1), stream)
    }

    /// A three-dimensional launch: `grid` in blocks, `block` in threads, each as (x, y, z).
    #[must_use]
    pub const fn new_3d(
        grid: (u32, u32, u32),
        block: (u32, u32, u32),
        stream: cudaStream_t,
    ) -> Self {
        Self {
            grid_x: grid.0,
            grid_y: grid.1,
            grid_z: grid.2,
            block_x: block.0,
            block_y: block.1,
            block_z: block.2,
            shared_mem_bytes: 0,
            stream,
        }
    }

    /// One thread for each of `n` elements, `threads` to a block. For `n` = 0 it is one block,
    /// so that the launch stays legal; the kernel has to test its index anyway.
    ///
    /// # Errors
    /// `GRID_TOO_LARGE` if that takes more than 2^31 - 1 blocks, `INVALID_ARGUMENT` if `threads`
    /// is 0 or above the device's limit.
    #[track_caller]
    pub fn for_elements(n: u64, threads: u32, stream: &Stream) -> Result<Self> {
        let op = Op::new("LaunchParams::for_elements");
        if threads == 0 || u64::from(threads) > MAX_BLOCK_THREADS {
            return Err(error::invalid(
                op,
                format!("{threads} threads a block, allowed are 1 to {MAX_BLOCK_THREADS}"),
            ));
        }
        let blocks = n.div_ceil(u64::from(threads)).max(1);
        match u32::try_from(blocks) {
            Ok(blocks) if blocks <= MAX_GRID.0 => Ok(Self::new_1d(blocks, threads, stream.raw())),
            _ => Err(error::grid_too_large(op, blocks.into(), MAX_GRID.0.into())),
        }
    }

    /// Starts a launch shape that is checked against the stream's device.
    ///
    /// ```
    /// use icffi::{abi::LaunchParams, stream::Stream};
    /// let stream = Stream::new()?;
    /// let params = LaunchParams::builder(&stream).grid(16, 16, 1).block(32, 8, 1).build()?;
    /// assert_eq!(params.block_y, 8);
    /// assert!(LaunchParams::builder(&stream).block(1024, 2, 1).build().is_err());
    /// # Ok::<(), icffi::IcffiError>(())
    /// ```
    pub fn builder(stream: &Stream) -> LaunchBuilder<'_> {
        LaunchBuilder {
            stream,
            params: Self::new_1d(1, 1, stream.raw()),
        }
    }
}

/// A launch shape in the making; see [`LaunchParams::builder`].
#[derive(Debug)]
#[must_use]
pub struct LaunchBuilder<'s> {
    stream: &'s Stream,
    params: LaunchParams,
}

impl LaunchBuilder<'_> {
    /// Blocks along x, y and z.
    pub fn grid(mut self, x: u32, y: u32, z: u32) -> Self {
        (self.params.grid_x, self.params.grid_y, self.params.grid_z) = (x, y, z);
        self
    }

    /// Threads of a block along x, y and z.
    pub fn block(mut self, x: u32, y: u32, z: u32) -> Self {
        (
            self.params.block_x,
            self.params.block_y,
            self.params.block_z,
        ) = (x, y, z);
        self
    }

    /// Dynamic shared memory of a block, in bytes.
    pub fn shared_mem_bytes(mut self, bytes: u64) -> Self {
        self.params.shared_mem_bytes = bytes;
        self
    }

    /// Checks the shape, in release builds too.
    ///
    /// # Errors
    /// `GRID_TOO_LARGE` or `INVALID_ARGUMENT` with the limit that was passed; errors of the
    /// device query.
    #[track_caller]
    pub fn build(self) -> Result<LaunchParams> {
        let op = Op::new("LaunchParams::builder");
        let p = self.params;
        let grid = [
            (p.grid_x, MAX_GRID.0),
            (p.grid_y, MAX_GRID.1),
            (p.grid_z, MAX_GRID.2),
        ];
        let block = [
            (p.block_x, MAX_BLOCK.0),
            (p.block_y, MAX_BLOCK.1),
            (p.block_z, MAX_BLOCK.2),
        ];
        if grid.iter().chain(&block).any(|&(size, _)| size == 0) {
            return Err(error::invalid(op, "a grid or block dimension is 0"));
        }
        for (axis, (size, limit)) in ["x", "y", "z"].into_iter().zip(block) {
            if size > limit {
                return Err(error::invalid(
                    op,
                    format!("block {axis} is {size} threads, the limit is {limit}"),
                ));
            }
        }
        for (size, limit) in grid {
            if size > limit {
                return Err(error::grid_too_large(op, size.into(), limit.into()));
            }
        }
        let threads = block
            .iter()
            .map(|&(size, _)| u64::from(size))
            .product::<u64>();
        if threads > MAX_BLOCK_THREADS {
            return Err(error::invalid(
                op,
                format!("a block of {threads} threads, the limit is {MAX_BLOCK_THREADS}"),
            ));
        }
        if p.shared_mem_bytes > 0 {
            let limit = device::attribute_of(
                op,
                self.stream.ordinal(),
                cudaDeviceAttr::cudaDevAttrMaxSharedMemoryPerBlockOptin,
            )?;
            if p.shared_mem_bytes > u64::try_from(limit).unwrap_or(0) {
                return Err(error::invalid(
                    op,
                    format!(
                        "{} bytes of dynamic shared memory, the device allows {limit} a block",
                        p.shared_mem_bytes
                    ),
                ));
            }
        }
        Ok(p)
    }
}
