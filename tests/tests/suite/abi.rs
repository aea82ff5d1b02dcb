//! Launch shapes and descriptors.

use icffi::abi::{InBufferDesc, LaunchParams, OutBufferDesc};
use icffi::icffi_codes::{GRID_TOO_LARGE, INVALID_ARGUMENT};
use icffi::prelude::*;
use icffi_tests::{expect_error, together};

#[test]
fn shapes_without_checks() {
    let raw = std::ptr::null_mut();
    let p = LaunchParams::new_1d(3, 4, raw);
    assert_eq!((p.grid_x, p.grid_y, p.grid_z), (3, 1, 1));
    assert_eq!((p.block_x, p.block_y, p.block_z), (4, 1, 1));
    assert_eq!((p.shared_mem_bytes, p.stream), (0, raw));
    assert_eq!(
        LaunchParams::new_1d_shared(3, 4, 99, raw).shared_mem_bytes,
        99
    );
    let p = LaunchParams::new_2d((1, 2), (3, 4), raw);
    assert_eq!((p.grid_x, p.grid_y, p.grid_z), (1, 2, 1));
    assert_eq!((p.block_x, p.block_y, p.block_z), (3, 4, 1));
    let p = LaunchParams::new_3d((1, 2, 3), (4, 5, 6), raw);
    assert_eq!((p.grid_x, p.grid_y, p.grid_z), (1, 2, 3));
    assert_eq!((p.block_x, p.block_y, p.block_z), (4, 5, 6));
}

#[test]
fn one_thread_for_each_element() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    for (n, threads, blocks) in [
        (0, 256, 1),
        (1, 256, 1),
        (256, 256, 1),
        (257, 256, 2),
        (3_000_000, 1024, 2930),
        (0x7fff_ffff, 1, 0x7fff_ffff),
    ] {
        let p = LaunchParams::for_elements(n, threads, &stream).unwrap();
        assert_eq!(
            (p.grid_x, p.block_x, p.stream),
            (blocks, threads, stream.raw())
        );
    }
    let name = "LaunchParams::for_elements";
    for n in [0x8000_0000, u64::MAX] {
        let result = LaunchParams::for_elements(n, 1, &stream);
        expect_error(
            result,
            GRID_TOO_LARGE,
            name,
            file!(),
            &[&n.to_string(), "2147483647"],
        );
    }
    for threads in [0, 1025, u32::MAX] {
        let result = LaunchParams::for_elements(10, threads, &stream);
        expect_error(
            result,
            INVALID_ARGUMENT,
            name,
            file!(),
            &[&threads.to_string(), "1024"],
        );
    }
}

#[test]
fn the_builder_checks_against_the_device() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let name = "LaunchParams::builder";
    let build = || LaunchParams::builder(&stream);
    let p = build()
        .grid(7, 8, 9)
        .block(32, 4, 2)
        .shared_mem_bytes(1024)
        .build()
        .unwrap();
    assert_eq!((p.grid_z, p.block_y, p.shared_mem_bytes), (9, 4, 1024));
    assert!(
        build()
            .block(1024, 1, 1)
            .grid(0x7fff_ffff, 65535, 65535)
            .build()
            .is_ok()
    );
    for wrong in [
        build().grid(0, 1, 1),
        build().grid(1, 0, 1),
        build().block(1, 1, 0),
        build().block(1025, 1, 1),
        build().block(1, 1, 65),
        build().block(32, 32, 2),
        build().shared_mem_bytes(1 << 40),
        build().shared_mem_bytes(u64::MAX),
    ] {
        expect_error(wrong.build(), INVALID_ARGUMENT, name, file!(), &[]);
    }
    for wrong in [
        build().grid(0x8000_0000, 1, 1),
        build().grid(1, 65536, 1),
        build().grid(1, 1, 65536),
    ] {
        expect_error(wrong.build(), GRID_TOO_LARGE, name, file!(), &[]);
    }
}

#[test]
fn descriptors_are_bound_to_their_buffers() {
    let _turn = together();
    let stream = Stream::new().unwrap();
    let mut x = DeviceBuffer::<f32>::zeros(10).unwrap();
    let address = x.as_ptr();
    let input = x.input(&stream).unwrap();
    let desc: InBufferDesc<f32> = input.desc();
    assert_eq!(
        (desc.as_ptr(), desc.len(), input.is_empty()),
        (address, 10, false)
    );
    drop(input);
    let output = x.output(&stream).unwrap();
    let desc: OutBufferDesc<f32> = output.desc();
    assert_eq!((desc.as_ptr().cast_const(), desc.len()), (address, 10));
    drop(output);
    let mut none = DeviceBuffer::<f32>::zeros(0).unwrap();
    assert!(none.input(&stream).unwrap().as_ptr().is_null());
    assert!(none.output(&stream).unwrap().as_ptr().is_null());
    assert!(InBufferDesc::<u8>::empty().is_empty());
    assert_eq!(OutBufferDesc::<u8>::new(std::ptr::null_mut(), 5).len(), 5);
}
