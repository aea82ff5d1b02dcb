//! Rows with a distance between them, through staging, where they lie without.
#![allow(unsafe_code)]

use super::pool;
use crate::error::Result;
use crate::event::{self, PooledEvent};
use crate::op::Op;
use crate::rt;
use crate::stream::Stream;
use icffi_sys::cudaMemcpyKind;
use std::ffi::c_void;
use std::sync::Arc;

/// Rows on the device, all sizes in bytes; `width` and `height` are more than 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Rows {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pitch: usize,
}

/// A rectangle that fits a staging block: whole rows, or a part of one.
#[derive(Clone, Copy)]
struct Tile {
    column: usize,
    row: usize,
    width: usize,
    height: usize,
}

impl Rows {
    fn tiles(self) -> impl Iterator<Item = Tile> {
        let width = self.width.min(pool::LARGEST);
        let height = (pool::LARGEST / width).clamp(1, self.height);
        let columns = (0..self.width).step_by(width);
        let rows = (0..self.height).step_by(height);
        rows.flat_map(move |row| {
            columns.clone().map(move |column| Tile {
                column,
                row,
                width: width.min(self.width - column),
                height: height.min(self.height - row),
            })
        })
    }

    fn on_device(&self, tile: &Tile) -> usize {
        tile.row * self.pitch + tile.column
    }

    /// In host memory the rows lie without gaps. A tile of several rows is as wide as they are.
    fn on_host(&self, tile: &Tile) -> usize {
        tile.row * self.width + tile.column
    }
}

/// As [`upload`](super::upload), into rows.
///
/// # Safety
/// `src` is valid for reads of all rows without gaps; `dst` is device memory that spans them and
/// stays allocated, and free of conflicting access, until `stream` has passed the copy.
pub(crate) unsafe fn upload_rows(
    op: Op,
    dst: *mut c_void,
    src: *const u8,
    rows: Rows,
    stream: &Stream,
) -> Result<Arc<PooledEvent>> {
    let mut tiles = rows.tiles().peekable();
    loop {
        let Some(tile) = tiles.next() else {
            return event::record(op, stream, 0);
        };
        let bytes = tile.width * tile.height;
        let mut staged = pool::acquire(op, bytes)?;
        // SAFETY: the tile lies within the rows, for which `src` is valid.
        unsafe { staged.fill(src.add(rows.on_host(&tile)), bytes) };
        staged.enter_flight(stream);
        // SAFETY: the staging block outlives the copy; the destination by the caller's contract.
        unsafe {
            rt::memcpy_2d_async(
                op,
                (dst.byte_add(rows.on_device(&tile)), rows.pitch),
                (staged.device_side(), tile.width),
                tile.width,
                tile.height,
                cudaMemcpyKind::cudaMemcpyHostToDevice,
                stream.raw(),
            )
        }?;
        let last = tiles.peek().is_none();
        let event = event::record(op, stream, u64::from(last))?;
        staged.mark(stream, Arc::clone(&event));
        if last {
            return Ok(event);
        }
    }
}

/// As [`download`](super::download), from rows.
///
/// # Safety
/// `dst` is valid for writes of all rows without gaps; `src` is device memory that spans them and
/// stays allocated, and free of conflicting access, until `stream` has passed the copy.
pub(crate) unsafe fn download_rows(
    op: Op,
    dst: *mut u8,
    src: *const c_void,
    rows: Rows,
    stream: &Stream,
) -> Result<()> {
    for tile in rows.tiles() {
        let bytes = tile.width * tile.height;
        let mut staged = pool::acquire(op, bytes)?;
        staged.enter_flight(stream);
        // SAFETY: the staging block outlives the copy; the source by the caller's contract.
        unsafe {
            rt::memcpy_2d_async(
                op,
                (staged.device_side(), tile.width),
                (src.byte_add(rows.on_device(&tile)), rows.pitch),
                tile.width,
                tile.height,
                cudaMemcpyKind::cudaMemcpyDeviceToHost,
                stream.raw(),
            )
        }?;
        let event = event::record(op, stream, 0)?;
        staged.mark(stream, event);
        staged.land(op)?;
        // SAFETY: the tile lies within the rows, for which `dst` is valid.
        unsafe { staged.empty(dst.add(rows.on_host(&tile)), bytes) };
    }
    Ok(())
}
