//! The feature `bindgen`: bindings from the headers that the build finds. The committed sets are
//! made by this very function, so its options exist once.

use std::path::{Path, PathBuf};
use std::process::Command;

/// Writes `bindings.rs` for the headers in `include`.
pub fn generate(include: &Path, out: &Path) -> Result<(), String> {
    let header = include.join("cuda_runtime_api.h");
    if !header.is_file() {
        return Err(format!("there is no {}", header.display()));
    }
    if !include.join("crt/host_defines.h").is_file() {
        return Err(format!(
            "{} has no crt/host_defines.h: cuda_runtime_api.h needs the headers of the compiler too \
             (in PyPI's nvidia-cuda-crt, or nvidia-cuda-nvcc-cu12)",
            include.display()
        ));
    }
    let mut builder = bindgen::Builder::default()
        .header_contents("icffi.h", "#include <cuda_runtime_api.h>\n")
        .clang_arg(format!("-I{}", include.display()))
        .allowlist_function("cuda.*")
        .allowlist_type("cuda.*")
        .allowlist_type("dim3|uint3|float4")
        .allowlist_var("cuda.*")
        .allowlist_var("CUDART.*")
        // A code that a newer driver returns must be a value, not undefined behaviour.
        .default_enum_style(bindgen::EnumVariation::NewType {
            is_bitfield: false,
            is_global: false,
        })
        .use_core()
        .generate_comments(false)
        .derive_default(true)
        .rust_target(bindgen::RustTarget::stable(85, 0).map_err(|e| e.to_string())?)
        .rust_edition(bindgen::RustEdition::Edition2024);
    if let Some(builtin) = builtin_headers() {
        builder = builder
            .clang_arg("-isystem")
            .clang_arg(builtin.display().to_string());
    }
    let bindings = builder.generate().map_err(|e| {
        format!(
            "bindgen could not read the headers in {}: {e}",
            include.display()
        )
    })?;
    bindings
        .write_to_file(out)
        .map_err(|e| format!("cannot write {}: {e}", out.display()))
}

/// `limits.h` and its kind belong to a compiler. libclang without clang (PyPI's wheel, say) lacks
/// them; GCC's do as well.
fn builtin_headers() -> Option<PathBuf> {
    let output = Command::new("gcc")
        .arg("-print-file-name=include")
        .output()
        .ok()?;
    let path = PathBuf::from(String::from_utf8(output.stdout).ok()?.trim());
    path.is_dir().then_some(path)
}

/// bindgen panics when it finds no libclang; this says first what to do.
pub fn check_libclang() -> Result<(), String> {
    let hook = std::panic::take_hook();
    std::panic::set_hook(Box::new(|_| {}));
    let found = std::panic::catch_unwind(bindgen::clang_version).is_ok();
    std::panic::set_hook(hook);
    if found {
        return Ok(());
    }
    Err("the feature `bindgen` needs libclang, and none was found. Install it (Debian, Ubuntu: \
         apt-get install libclang-dev; or python3 -m pip install libclang) and, where it is not in a \
         usual place, set LIBCLANG_PATH to its folder. Without the feature, the committed bindings \
         are used and nothing is needed."
        .into())
}
