//! The C++ compiler as a witness: what it accepts, what it refuses, and with which words.

use std::path::Path;
use std::process::Command;

use super::include_dir;
use crate::{generate, signature};

/// Compiles a file of kernels the way a build for the simulator does, without making code.
fn compile(source: &str) -> Result<(), String> {
    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("k.cu");
    std::fs::write(&path, source).unwrap();
    let file = signature::read(Path::new("k.cu"), source).unwrap();
    let unit = dir.path().join("unit.cu");
    std::fs::write(&unit, generate::cpp(&file, &path, Some("lib"))).unwrap();
    let include = include_dir().unwrap();
    let output = Command::new(std::env::var("CXX").unwrap_or_else(|_| "c++".into()))
        // As a dependency of the code that is made: errors of unused functions count as well.
        .args(["-xc++", "-std=c++17", "-DICFFI_SIM", "-O1", "-c", "-o"])
        .arg(dir.path().join("unit.o"))
        .arg(format!("-I{}", include.display()))
        .arg(format!("-I{}", include.join("icffi/sim/include").display()))
        .arg(&unit)
        .output()
        .expect("a C++ compiler is needed, as for the simulator");
    if output.status.success() {
        return Ok(());
    }
    Err(String::from_utf8_lossy(&output.stderr).into_owned())
}

fn refused(source: &str, words: &[&str]) {
    let said = compile(source).expect_err(source);
    for word in words {
        assert!(
            said.contains(word),
            "no {word:?} in:\n{said}\nof:\n{source}"
        );
    }
}

const HEAD: &str = "#include <icffi.h>\n";

fn with_kernel(before: &str, parameters: &str, body: &str) -> String {
    format!(
        "{HEAD}{before}\n__global__ void k() {{ {body} }}\n\
         ICFFI_KERNEL(k)(icffi::LaunchParams params, {parameters}) {{\n\
         return ICFFI_LAUNCH(k, params);\n}}\n"
    )
}

#[test]
fn a_plain_kernel_is_accepted() {
    let parameters = "icffi::In<float> x, const ::icffi::Out<std::uint8_t> y, icffi::In<float4>, \
                      unsigned long long n, size_t m, bool b, long long int, const double d";
    assert_eq!(
        compile(&with_kernel("", parameters, "__syncthreads();")),
        Ok(())
    );
    let for_both = "#include <cuda_runtime.h>\n#pragma unroll";
    assert_eq!(compile(&with_kernel(for_both, "int n", "")), Ok(()));
}

#[test]
fn what_hides_a_type_is_found() {
    refused(
        &with_kernel("#define float double", "float a", ""),
        &["float is not Rust's f32"],
    );
    refused(
        &with_kernel("#define a *pointer", "int a", ""),
        &["ICFFI_KERNEL(k) in", "k.cu:4 is not what it reads as"],
    );
    refused(
        &format!(
            "{HEAD}#ifdef NEVER\nICFFI_KERNEL(k)(icffi::LaunchParams p) {{ return cudaSuccess; }}\n\
             #endif\n"
        ),
        &["icffi_k"],
    );
}

#[test]
fn what_a_cpu_can_not_do_is_said() {
    for (body, words) in [
        (
            "unsigned m = __activemask(); (void)m;",
            "which lanes are active is unknown on the CPU",
        ),
        (
            "__syncthreads_count(1);",
            "voting barriers are not simulated",
        ),
        ("cudaDeviceSynchronize();", "a wrapper never synchronizes"),
    ] {
        refused(&with_kernel("", "int n", body), &["icffi simulator", words]);
    }
    refused(
        &with_kernel("#include <cub/cub.cuh>", "int n", ""),
        &["icffi simulator", "GPUs only"],
    );
    refused(
        &with_kernel("", "int n", "extern __shared__ int s[];"),
        &["extern"],
    );
}
