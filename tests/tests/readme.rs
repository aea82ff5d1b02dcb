//! The example of the project's README, run.

// README begins
use icffi::prelude::*;

fn example() -> Result<()> {
    let stream = Stream::new()?;
    let numbers = HostBuffer::from_slice(&[1.0_f32, 2.0, 3.0])?; // pinned

    // Nothing here blocks: allocation, copy and kernel follow each other on the stream. The guard
    // holds a lease on `numbers`, and forgetting it would be harmless.
    let upload = DeviceBuffer::from_host_buffer_guarded_async(&stream, &numbers)?;
    let x = upload.into_ordered();
    let mut y = DeviceBuffer::<f32>::zeros_async(&stream, 3)?;
    icffi_kernels::axpy(&stream, 2.0, &x, &mut y)?; // y = 2 x + y

    // This blocks until the result is here.
    assert_eq!(y.to_vec(&stream)?, [2.0, 4.0, 6.0]);
    Ok(())
}
// README ends

#[test]
fn the_readme_example_works() {
    icffi_tests::trim_at_exit();
    example().unwrap();
}

#[test]
fn the_readme_shows_this_very_code() {
    let ours = include_str!("readme.rs");
    let (_, ours) = ours.split_once("// README begins\n").expect("a beginning");
    let (ours, _) = ours.split_once("// README ends\n").expect("an end");
    assert!(
        include_str!("../../README.md").contains(ours),
        "README.md shows other code"
    );
}
