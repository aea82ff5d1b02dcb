//! Which types may cross between host and device, and how.
//!
//! Three different promises, all of them [`bytemuck`]'s:
//!
//! | direction | bound | because |
//! |---|---|---|
//! | host to device | [`bytemuck::NoUninit`] | every byte is copied, so none may be padding |
//! | device to host | [`bytemuck::AnyBitPattern`] | the device may have written any bits |
//! | a kernel's scalar argument | [`IcffiPod`] | it is both, and it crosses the C ABI by value |
//! | zero-filling | [`IcffiZeroable`] | all-zero bits have to be a value |
//!
//! Device-to-device copies take any `Copy + 'static` type: no host value is made from the bits.
//! Types of your own derive these traits with the derives of `bytemuck`, re-exported as
//! [`icffi::bytemuck`](crate::bytemuck).

mod vectors;

pub use vectors::*;

/// The 16-bit floats of the crate `half`, which are CUDA's `__half` and `__nv_bfloat16`.
///
/// ```
/// use icffi::{pod::f16, prelude::*};
/// let stream = Stream::new()?;
/// let x = DeviceBuffer::from_slice_sync(&stream, &[f16::from_f32(1.5)])?;
/// assert_eq!(x.to_vec(&stream)?[0].to_f32(), 1.5);
/// # Ok::<(), IcffiError>(())
/// ```
#[cfg(feature = "half")]
pub use half::{bf16, f16};

/// A type whose values may be handed to a kernel by value, and which may live in a buffer that
/// is read and written from both sides.
///
/// ```
/// use icffi::bytemuck::{Pod, Zeroable};
/// use icffi::pod::IcffiPod;
///
/// #[derive(Clone, Copy, Pod, Zeroable)]
/// #[bytemuck(crate = "icffi::bytemuck")]
/// #[repr(C)]
/// struct Particle {
///     position: [f32; 3],
///     mass: f32,
/// }
/// fn crosses_the_bus<T: IcffiPod>() {}
/// crosses_the_bus::<Particle>();
/// ```
pub trait IcffiPod: bytemuck::Pod {}
impl<T: bytemuck::Pod> IcffiPod for T {}

/// A type for which all-zero bytes are a value, so that device memory may be zero-filled.
pub trait IcffiZeroable: bytemuck::Zeroable + Copy + 'static {}
impl<T: bytemuck::Zeroable + Copy + 'static> IcffiZeroable for T {}

/// The alignment of every device allocation: what a buffer's element may ask for at most.
pub const MAX_ALIGN: usize = 256;

/// Refuses, when the program is compiled, an element type that device memory can't align.
pub(crate) const fn assert_layout<T>() {
    assert!(
        align_of::<T>() <= MAX_ALIGN,
        "CUDA aligns allocations to 256 bytes, no more"
    );
}
