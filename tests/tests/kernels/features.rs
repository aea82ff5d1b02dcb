//! What `icffi.h` promises to a kernel, and what a launch reports, with kernels made for that.

use icffi::abi::{ABI_VERSION, LaunchParams};
use icffi::codes;
use icffi::error::check_kernel;
use icffi::pod::{Float4, Uint4};
use icffi::prelude::*;

use crate::util::{garbage, random, same, upload};

mod raw {
    include!(concat!(env!("OUT_DIR"), "/icffi_tests.rs"));
}

#[test]
fn the_library_tells_its_version() {
    // SAFETY: returns a constant.
    assert_eq!(unsafe { raw::icffi_abi_version_icffi_tests() }, ABI_VERSION);
}

#[test]
fn indices_in_three_dimensions() {
    let s = Stream::new().unwrap();
    let (grid, block) = ((3u32, 2, 4), (5u32, 7, 3));
    let n = 3 * 2 * 4 * 5 * 7 * 3;
    let mut out = garbage::<u32>(&s, n);
    let params = LaunchParams::new_3d(grid, block, s.raw());
    // SAFETY: bound to the stream of the launch; the kernel stays within the length.
    let code = unsafe { raw::icffi_test_indices(params, out.output(&s).unwrap().desc()) };
    check_kernel(code, "indices", &params).unwrap();
    let mut expected = Vec::new();
    for b in 0..grid.0 * grid.1 * grid.2 {
        let (bx, by, bz) = (b % 3, b / 3 % 2, b / 6);
        for t in 0..block.0 * block.1 * block.2 {
            let (tx, ty, tz) = (t % 5, t / 5 % 7, t / 35);
            let block = 1_000_000 * bx + 10_000_000 * by + 100_000_000 * bz;
            expected.push(tx + 100 * ty + 10_000 * tz + block);
        }
    }
    same(&out.to_vec(&s).unwrap(), &expected);
}

#[test]
fn a_barrier_and_dynamic_shared_memory() {
    let s = Stream::new().unwrap();
    // The last block is not full: some of its threads leave before the barrier.
    for (n, threads) in [(1, 1u32), (1000, 128), (1024, 1024), (1500, 1024), (77, 33)] {
        let x = random::<i32>(n, 1);
        let mut dx = upload(&s, &x);
        let blocks = n.div_ceil(threads as usize) as u32;
        let params = LaunchParams::new_1d_shared(blocks, threads, 4 * u64::from(threads), s.raw());
        // SAFETY: bound to the stream of the launch; the kernel stays within the length.
        let code = unsafe { raw::icffi_test_reverse(params, dx.output(&s).unwrap().desc()) };
        check_kernel(code, "reverse", &params).unwrap();
        let expected: Vec<_> = x
            .chunks(threads as usize)
            .flat_map(|c| c.iter().rev().copied())
            .collect();
        same(&dx.to_vec(&s).unwrap(), &expected);
    }
}

#[test]
fn warps_shuffle_and_vote() {
    let s = Stream::new().unwrap();
    let mut out = garbage::<Uint4>(&s, 64);
    let params = LaunchParams::new_1d(1, 64, s.raw());
    // SAFETY: bound to the stream of the launch, with an element for each thread.
    let code = unsafe { raw::icffi_test_warps(params, out.output(&s).unwrap().desc()) };
    check_kernel(code, "warps", &params).unwrap();
    let expected: Vec<_> = (0..64u32)
        .map(|t| {
            let (warp, lane) = (t / 32 * 32, t % 32);
            let down = if lane + 3 < 32 { t + 3 } else { t };
            let up = if lane % 8 > 0 { t - 1 } else { t };
            let thirds = (0..32)
                .filter(|l| (warp + l) % 3 == 0)
                .map(|l| 1u32 << l)
                .sum::<u32>();
            let votes = thirds ^ if warp == 32 { 1 << 31 } else { 1 << 30 };
            Uint4::new(down + 1000 * up, warp + (lane ^ 5), warp + 9, votes)
        })
        .collect();
    same(&out.to_vec(&s).unwrap(), &expected);
}

#[test]
fn atomics_of_all_threads() {
    let s = Stream::new().unwrap();
    let (blocks, threads) = (20u32, 96u32);
    let n = blocks * threads;
    let mut u = upload(&s, &[0u32, 0, u32::MAX, 0, 0]);
    let mut i = upload(&s, &[0i32, 0, -1]);
    let mut f = upload(&s, &[0.0f32]);
    let params = LaunchParams::new_1d(blocks, threads, s.raw());
    let (du, di, df) = (
        u.output(&s).unwrap(),
        i.output(&s).unwrap(),
        f.output(&s).unwrap(),
    );
    // SAFETY: bound to the stream of the launch, and as long as the kernel takes for granted.
    let code = unsafe { raw::icffi_test_atomics(params, du.desc(), di.desc(), df.desc()) };
    drop((du, di, df));
    check_kernel(code, "atomics", &params).unwrap();
    let xor = (0..n).fold(0, |a, b| a ^ b);
    same(&u.to_vec(&s).unwrap(), &[n, n - 1, 0, xor, u32::MAX]);
    let last = n as i32 - 1;
    same(&i.to_vec(&s).unwrap(), &[-2 * n as i32, -last, last]);
    same(&f.to_vec(&s).unwrap(), &[n as f32 / 2.0]);
}

#[test]
fn scalars_arrive() {
    let s = Stream::new().unwrap();
    let mut out = garbage::<f64>(&s, 1);
    let params = LaunchParams::new_1d(1, 1, s.raw());
    let desc = out.output(&s).unwrap().desc();
    let e = Float4::new(0.5, 0.25, 0.125, 1e6);
    // SAFETY: bound to the stream of the launch, with the one element that is written.
    let code = unsafe { raw::icffi_test_scalars(params, desc, true, -100, 65535, 1 << 40, 1.5, e) };
    check_kernel(code, "scalars", &params).unwrap();
    let sum = 1.0 - 100.0 + 65535.0 + (1u64 << 40) as f64 + 1.5 + 0.875 + 1e6;
    same(&out.to_vec(&s).unwrap(), &[sum]);
}

#[test]
fn a_template_with_two_arguments() {
    let s = Stream::new().unwrap();
    let mut x = upload(&s, &[1i16, -2, 3]);
    let params = LaunchParams::new_1d(1, 32, s.raw());
    // SAFETY: bound to the stream of the launch; the kernel stays within the length.
    let code = unsafe { raw::icffi_test_scaled(params, x.output(&s).unwrap().desc()) };
    check_kernel(code, "scaled", &params).unwrap();
    same(&x.to_vec(&s).unwrap(), &[3, -6, 9]);
}

#[test]
fn much_shared_memory_has_to_be_allowed() {
    let s = Stream::new().unwrap();
    let mut out = garbage::<u32>(&s, 1);
    let mut launch = |kib: u64, allow: bool| {
        let params = LaunchParams::new_1d_shared(1, 64, kib << 10, s.raw());
        // SAFETY: bound to the stream of the launch, with the one element that is written.
        let code =
            unsafe { raw::icffi_test_big_shared(params, out.output(&s).unwrap().desc(), allow) };
        check_kernel(code, "big_shared", &params)?;
        Ok::<_, IcffiError>(out.to_vec(&s)?[0])
    };
    assert_eq!(launch(48, false).unwrap(), (48 << 8) - 1);
    let error = launch(64, false).unwrap_err();
    assert_eq!(error.code(), codes::INVALID_VALUE, "{error}");
    assert!(error.to_string().contains("65536"), "{error}");
    // Turing has 64 KiB; what is more is not everywhere.
    assert_eq!(launch(64, true).unwrap(), (64 << 8) - 1);
    assert_eq!(
        launch(1 << 20, true).unwrap_err().code(),
        codes::INVALID_VALUE
    );
    // The failures did no harm.
    assert_eq!(launch(4, false).unwrap(), (4 << 8) - 1);
}

#[test]
fn impossible_shapes_are_refused() {
    let s = Stream::new().unwrap();
    let mut x = upload(&s, &[1i16, 2]);
    for params in [
        LaunchParams::new_1d(0, 32, s.raw()),
        LaunchParams::new_1d(1, 0, s.raw()),
        LaunchParams::new_1d(1, 1025, s.raw()),
        LaunchParams::new_2d((1, 1), (64, 32), s.raw()),
        LaunchParams::new_3d((1, 1, 1), (1, 1, 65), s.raw()),
        LaunchParams::new_2d((1, 65536), (1, 1), s.raw()),
        LaunchParams::new_1d(0x8000_0000, 1, s.raw()),
    ] {
        // SAFETY: nothing is launched.
        let code = unsafe { raw::icffi_test_scaled(params, x.output(&s).unwrap().desc()) };
        let error = check_kernel(code, "scaled", &params).unwrap_err();
        assert_eq!(error.code(), codes::INVALID_VALUE, "{error}");
        let shape = format!(
            "grid {} x {} x {}",
            params.grid_x, params.grid_y, params.grid_z
        );
        assert!(error.to_string().contains(&shape), "{error}");
    }
    same(&x.to_vec(&s).unwrap(), &[1, 2]);
}
