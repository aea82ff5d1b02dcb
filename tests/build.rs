//! Compiles the kernels that the suite `kernels` tries icffi.h with.

fn main() -> Result<(), icffi_build::Error> {
    icffi_build::Kernels::new()
        .file("cuda/features.cu")
        .compile("icffi_tests")?;
    println!("cargo::rerun-if-changed=build.rs");
    Ok(())
}
