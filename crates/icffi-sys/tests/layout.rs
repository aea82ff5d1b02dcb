//! What must hold of the bindings, whichever set is in use. Nothing here calls CUDA, so it links
//! without a runtime.

use std::mem::{align_of, offset_of, size_of};

use icffi_sys::*;

#[test]
fn codes_and_enums_are_c_ints() {
    assert_eq!(
        (size_of::<cudaError_t>(), align_of::<cudaError_t>()),
        (4, 4)
    );
    assert_eq!(size_of::<cudaMemcpyKind>(), 4);
    assert_eq!(size_of::<cudaStreamCaptureStatus>(), 4);
    assert_eq!(cudaError::cudaErrorNotReady.code(), 600);
    assert_eq!(cudaError::cudaErrorIllegalAddress.code(), 700);
    assert_eq!(cudaMemcpyKind::cudaMemcpyDeviceToHost.0, 2);
}

#[test]
fn handles_are_pointers() {
    assert_eq!(size_of::<cudaStream_t>(), size_of::<*mut ()>());
    assert_eq!(size_of::<cudaEvent_t>(), size_of::<*mut ()>());
    assert_eq!(size_of::<cudaGraph_t>(), size_of::<*mut ()>());
    assert_eq!(size_of::<cudaMemPool_t>(), size_of::<*mut ()>());
}

#[test]
fn structs_passed_by_value_have_the_layout_of_the_headers() {
    assert_eq!((size_of::<dim3>(), align_of::<dim3>()), (12, 4));
    assert_eq!((size_of::<cudaExtent>(), size_of::<cudaPos>()), (24, 24));
    assert_eq!(size_of::<cudaPitchedPtr>(), 32);
    assert_eq!(offset_of!(cudaPitchedPtr, xsize), 16);
    assert_eq!(size_of::<cudaMemLocation>(), 8);
    assert_eq!(size_of::<cudaMemPoolProps>(), 88);
    assert_eq!(size_of::<cudaLaunchAttributeValue>(), 64);
}

#[test]
fn the_version_says_which_set_this_is() {
    assert_eq!(BINDINGS_MAJOR, CUDART_VERSION / 1000);
    if RUNTIME == Runtime::Simulator {
        assert_eq!(
            BINDINGS_MAJOR, 13,
            "the simulator exports CUDA 13's symbols"
        );
    }
    // cudaDeviceProp is where the two differ most: 13 dropped fields that had moved to attributes.
    let expected = if BINDINGS_MAJOR == 12 { 1032 } else { 1008 };
    assert_eq!(size_of::<cudaDeviceProp>(), expected);
}
