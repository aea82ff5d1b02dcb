//! CUDA's built-in vector types, with CUDA's alignment (CUDA C++ Programming Guide, "Built-in
//! Vector Types"), so that a buffer of them is loaded with one wide instruction.
#![allow(unsafe_code)]

macro_rules! vectors {
    ($($name:ident: $align:literal { $first:ident $(, $field:ident)* } of $scalar:ty, $cuda:literal;)*) => {
        $(
            #[doc = concat!("CUDA's `", $cuda, "`, ", stringify!($align), "-byte aligned.")]
            #[derive(Clone, Copy, Debug, Default, PartialEq)]
            #[repr(C, align($align))]
            pub struct $name {
                #[doc = "Component."]
                pub $first: $scalar,
                $(#[doc = "Component."] pub $field: $scalar,)*
            }

            impl $name {
                #[doc = concat!("As `make_", $cuda, "`.")]
                #[must_use]
                pub const fn new($first: $scalar $(, $field: $scalar)*) -> Self {
                    Self { $first $(, $field)* }
                }
            }

            const _: () = {
                let fields = size_of::<$scalar>() $(+ { let _ = stringify!($field); size_of::<$scalar>() })*;
                assert!(size_of::<$name>() == fields, "no padding");
                assert!(align_of::<$name>() == $align);
            };

            // SAFETY: only scalars that are themselves `Zeroable`.
            unsafe impl bytemuck::Zeroable for $name {}
            // SAFETY: `repr(C)`, scalar fields that are `Pod`, and no padding (asserted above).
            unsafe impl bytemuck::Pod for $name {}
        )*
    };
}

vectors! {
    Char2: 2 { x, y } of i8, "char2";
    Char4: 4 { x, y, z, w } of i8, "char4";
    Uchar2: 2 { x, y } of u8, "uchar2";
    Uchar3: 1 { x, y, z } of u8, "uchar3";
    Uchar4: 4 { x, y, z, w } of u8, "uchar4";
    Short2: 4 { x, y } of i16, "short2";
    Short4: 8 { x, y, z, w } of i16, "short4";
    Ushort2: 4 { x, y } of u16, "ushort2";
    Ushort4: 8 { x, y, z, w } of u16, "ushort4";
    Int2: 8 { x, y } of i32, "int2";
    Int3: 4 { x, y, z } of i32, "int3";
    Int4: 16 { x, y, z, w } of i32, "int4";
    Uint2: 8 { x, y } of u32, "uint2";
    Uint3: 4 { x, y, z } of u32, "uint3";
    Uint4: 16 { x, y, z, w } of u32, "uint4";
    Longlong2: 16 { x, y } of i64, "longlong2";
    Ulonglong2: 16 { x, y } of u64, "ulonglong2";
    Float2: 8 { x, y } of f32, "float2";
    Float3: 4 { x, y, z } of f32, "float3";
    Float4: 16 { x, y, z, w } of f32, "float4";
    Double2: 16 { x, y } of f64, "double2";
}
