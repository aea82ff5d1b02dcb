#![doc = include_str!("../README.md")]
#![no_std]
#![allow(unexpected_cfgs)]

#[cfg(not(any(feature = "bindgen", icffi_cuda12)))]
#[path = "bindings/cuda13.rs"]
#[allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
mod bindings;

#[cfg(all(not(feature = "bindgen"), icffi_cuda12))]
#[path = "bindings/cuda12.rs"]
#[allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
mod bindings;

#[cfg(feature = "bindgen")]
#[allow(non_camel_case_types, non_snake_case, non_upper_case_globals)]
mod bindings {
    include!(concat!(env!("OUT_DIR"), "/bindings.rs"));
}

pub use bindings::*;
