//! Which kernel belongs to which type of element.

use icffi::abi::{InBufferDesc, LaunchParams, OutBufferDesc};
use icffi::pod::IcffiPod;

use crate::raw;

/// What a buffer can be [`fill`](crate::fill)ed with: integers of 8 to 64 bits, `f32`, `f64`.
pub trait Element: sealed::Fill {}

/// What [`add`](crate::add), [`multiply`](crate::multiply) and [`scale`](crate::scale) work on:
/// `f32`, `f64`, and integers of 32 and 64 bits, which wrap around.
pub trait Arithmetic: sealed::Arithmetic {}

/// `f32` and `f64`.
pub trait Float: Arithmetic + sealed::Float {}

pub(crate) mod sealed {
    use super::*;

    // Each function has the safety contract of the wrapper that it calls: descriptors of memory
    // that is live on the stream, of lengths that the kernel may rely on.

    pub trait Fill: IcffiPod {
        /// # Safety
        /// `out` is bound to the stream of `p`.
        unsafe fn fill(p: LaunchParams, out: OutBufferDesc<Self>, value: Self) -> i32;
    }

    pub trait Arithmetic: IcffiPod {
        /// # Safety
        /// `x` is bound to the stream of `p`.
        unsafe fn scale(p: LaunchParams, x: OutBufferDesc<Self>, factor: Self) -> i32;
        /// # Safety
        /// All are bound to the stream of `p` and of one length.
        unsafe fn add(
            p: LaunchParams,
            x: InBufferDesc<Self>,
            y: InBufferDesc<Self>,
            out: OutBufferDesc<Self>,
        ) -> i32;
        /// # Safety
        /// As `add`.
        unsafe fn multiply(
            p: LaunchParams,
            x: InBufferDesc<Self>,
            y: InBufferDesc<Self>,
            out: OutBufferDesc<Self>,
        ) -> i32;
    }

    pub trait Float: IcffiPod {
        /// # Safety
        /// All are bound to the stream of `p` and of one length.
        unsafe fn axpy(
            p: LaunchParams,
            x: InBufferDesc<Self>,
            y: OutBufferDesc<Self>,
            a: Self,
        ) -> i32;
        /// # Safety
        /// As `axpy`.
        unsafe fn fma(
            p: LaunchParams,
            a: InBufferDesc<Self>,
            b: InBufferDesc<Self>,
            c: InBufferDesc<Self>,
            out: OutBufferDesc<Self>,
        ) -> i32;
        /// # Safety
        /// Both are bound to the stream of `p`; `partial` has an element for each block.
        unsafe fn sum(p: LaunchParams, x: InBufferDesc<Self>, partial: OutBufferDesc<Self>) -> i32;
        /// # Safety
        /// As `sum`; `x` and `y` are of one length.
        unsafe fn dot(
            p: LaunchParams,
            x: InBufferDesc<Self>,
            y: InBufferDesc<Self>,
            partial: OutBufferDesc<Self>,
        ) -> i32;
    }
}

/// The same memory, seen as elements of the same size.
fn input<T, U>(desc: InBufferDesc<T>) -> InBufferDesc<U> {
    const { assert!(size_of::<T>() == size_of::<U>() && align_of::<T>() == align_of::<U>()) }
    InBufferDesc::new(desc.as_ptr().cast(), desc.len())
}

/// The same memory, seen as elements of the same size.
fn output<T, U>(desc: OutBufferDesc<T>) -> OutBufferDesc<U> {
    const { assert!(size_of::<T>() == size_of::<U>() && align_of::<T>() == align_of::<U>()) }
    OutBufferDesc::new(desc.as_ptr().cast(), desc.len())
}

macro_rules! fill {
    ($($type:ty: $fill:ident($bits:ty);)*) => { $(
        impl Element for $type {}
        impl sealed::Fill for $type {
            unsafe fn fill(p: LaunchParams, out: OutBufferDesc<Self>, value: Self) -> i32 {
                let value: $bits = icffi::bytemuck::cast(value);
                // SAFETY: the caller's contract is the kernel's.
                unsafe { raw::$fill(p, output(out), value) }
            }
        }
    )* };
}

fill! {
    u8: icffi_fill_u8(u8);
    i8: icffi_fill_u8(u8);
    u16: icffi_fill_u16(u16);
    i16: icffi_fill_u16(u16);
    u32: icffi_fill_u32(u32);
    i32: icffi_fill_u32(u32);
    f32: icffi_fill_u32(u32);
    u64: icffi_fill_u64(u64);
    i64: icffi_fill_u64(u64);
    f64: icffi_fill_u64(u64);
}

macro_rules! arithmetic {
    ($($type:ty as $bits:ty: $scale:ident $add:ident $multiply:ident;)*) => { $(
        impl Arithmetic for $type {}
        impl sealed::Arithmetic for $type {
            unsafe fn scale(p: LaunchParams, x: OutBufferDesc<Self>, factor: Self) -> i32 {
                let factor: $bits = icffi::bytemuck::cast(factor);
                // SAFETY: the caller's contract is the kernel's.
                unsafe { raw::$scale(p, output(x), factor) }
            }
            unsafe fn add(
                p: LaunchParams,
                x: InBufferDesc<Self>,
                y: InBufferDesc<Self>,
                out: OutBufferDesc<Self>,
            ) -> i32 {
                // SAFETY: the caller's contract is the kernel's.
                unsafe { raw::$add(p, input(x), input(y), output(out)) }
            }
            unsafe fn multiply(
                p: LaunchParams,
                x: InBufferDesc<Self>,
                y: InBufferDesc<Self>,
                out: OutBufferDesc<Self>,
            ) -> i32 {
                // SAFETY: the caller's contract is the kernel's.
                unsafe { raw::$multiply(p, input(x), input(y), output(out)) }
            }
        }
    )* };
}

arithmetic! {
    f32 as f32: icffi_scale_f32 icffi_add_f32 icffi_multiply_f32;
    f64 as f64: icffi_scale_f64 icffi_add_f64 icffi_multiply_f64;
    u32 as u32: icffi_scale_u32 icffi_add_u32 icffi_multiply_u32;
    i32 as u32: icffi_scale_u32 icffi_add_u32 icffi_multiply_u32;
    u64 as u64: icffi_scale_u64 icffi_add_u64 icffi_multiply_u64;
    i64 as u64: icffi_scale_u64 icffi_add_u64 icffi_multiply_u64;
}

macro_rules! float {
    ($($type:ty: $axpy:ident $fma:ident $sum:ident $dot:ident;)*) => { $(
        impl Float for $type {}
        impl sealed::Float for $type {
            unsafe fn axpy(
                p: LaunchParams,
                x: InBufferDesc<Self>,
                y: OutBufferDesc<Self>,
                a: Self,
            ) -> i32 {
                // SAFETY: the caller's contract is the kernel's.
                unsafe { raw::$axpy(p, x, y, a) }
            }
            unsafe fn fma(
                p: LaunchParams,
                a: InBufferDesc<Self>,
                b: InBufferDesc<Self>,
                c: InBufferDesc<Self>,
                out: OutBufferDesc<Self>,
            ) -> i32 {
                // SAFETY: the caller's contract is the kernel's.
                unsafe { raw::$fma(p, a, b, c, out) }
            }
            unsafe fn sum(
                p: LaunchParams,
                x: InBufferDesc<Self>,
                partial: OutBufferDesc<Self>,
            ) -> i32 {
                // SAFETY: the caller's contract is the kernel's.
                unsafe { raw::$sum(p, x, partial) }
            }
            unsafe fn dot(
                p: LaunchParams,
                x: InBufferDesc<Self>,
                y: InBufferDesc<Self>,
                partial: OutBufferDesc<Self>,
            ) -> i32 {
                // SAFETY: the caller's contract is the kernel's.
                unsafe { raw::$dot(p, x, y, partial) }
            }
        }
    )* };
}

float! {
    f32: icffi_axpy_f32 icffi_fma_f32 icffi_sum_f32 icffi_dot_f32;
    f64: icffi_axpy_f64 icffi_fma_f64 icffi_sum_f64 icffi_dot_f64;
}
