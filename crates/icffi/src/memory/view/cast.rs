//! The same bytes as elements of another type.

use super::{DeviceSlice, DeviceSliceMut};
use crate::error::{self, Result};
use crate::memory::DeviceBuffer;
use crate::memory::part::Part;
use crate::op::Op;
use bytemuck::{AnyBitPattern, NoUninit};

/// Checks what `bytemuck::cast_slice` checks: the address aligns to `U`, and the bytes make
/// whole elements.
fn cast<T, U>(op: Op, part: Part<'_, T>) -> Result<Part<'_, U>> {
    let () = DeviceBuffer::<U>::LAYOUT_FITS;
    let bytes = part.bytes();
    let (element, align) = (size_of::<U>(), align_of::<U>());
    let whole = if element == 0 {
        bytes == 0
    } else {
        bytes % element == 0
    };
    if !whole {
        return Err(error::invalid(
            op,
            format!("{bytes} bytes are no whole number of elements of {element} bytes"),
        ));
    }
    if bytes > 0 && part.ptr().addr() % align != 0 {
        return Err(error::invalid(
            op,
            format!(
                "the address {:p} does not align to {align} bytes",
                part.ptr()
            ),
        ));
    }
    Ok(part.retype(bytes.checked_div(element).unwrap_or(0)))
}

impl<'a, T: NoUninit> DeviceSlice<'a, T> {
    /// The same bytes as elements of `U`, by the rules of `bytemuck::cast_slice`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if the bytes are no whole number of elements or the address does not
    /// align.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let x = DeviceBuffer::from_slice_sync(&stream, &[1.0f32])?;
    /// assert_eq!(x.as_view().cast::<u32>()?.to_vec(&stream)?, [1.0f32.to_bits()]);
    /// assert!(x.as_view().cast::<u64>().is_err());
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn cast<U: AnyBitPattern>(self) -> Result<DeviceSlice<'a, U>> {
        cast(Op::new("DeviceSlice::cast"), self.part).map(DeviceSlice::new)
    }
}

impl<'a, T: NoUninit + AnyBitPattern> DeviceSliceMut<'a, T> {
    /// The same bytes as elements of `U`, by the rules of `bytemuck::cast_slice_mut`.
    ///
    /// # Errors
    /// `INVALID_ARGUMENT` if the bytes are no whole number of elements or the address does not
    /// align.
    ///
    /// ```
    /// use icffi::prelude::*;
    /// let stream = Stream::new()?;
    /// let mut x = DeviceBuffer::<u32>::zeros(2)?;
    /// x.as_view_mut().cast::<f32>()?.fill(&stream, 1.0)?;
    /// assert_eq!(x.to_vec(&stream)?, [1.0f32.to_bits(); 2]);
    /// # Ok::<(), IcffiError>(())
    /// ```
    #[track_caller]
    pub fn cast<U: NoUninit + AnyBitPattern>(self) -> Result<DeviceSliceMut<'a, U>> {
        cast(Op::new("DeviceSliceMut::cast"), self.part).map(DeviceSliceMut::new)
    }
}
