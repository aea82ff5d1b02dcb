//! What is written from the signatures: Rust's declarations, and C++'s proof of them.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::path::Path;

use crate::signature::{File, Kernel, Kind, Shape, Type};

/// The function of a compiled library that tells the version of the ABI it was made with.
pub(crate) fn version_function(library: &str) -> String {
    format!("icffi_abi_version_{library}")
}

/// The `unsafe extern "C"` block for all kernels.
pub(crate) fn rust(files: &[File], library: &str) -> String {
    let mut out = String::from(
        "// Made by icffi-build from the signatures ICFFI_KERNEL(...). Do not edit.\n\
         #[allow(dead_code, unreachable_pub)]\n\
         unsafe extern \"C\" {\n",
    );
    for file in files {
        for kernel in &file.kernels {
            let place = file.path.file_name().unwrap_or_default().to_string_lossy();
            let _ = writeln!(
                out,
                "    /// The kernel `{}`: {place}:{}.",
                kernel.name, kernel.line
            );
            let _ = write!(
                out,
                "    pub fn icffi_{}(params: ::icffi::abi::LaunchParams",
                kernel.name
            );
            for (parameter, name) in kernel.parameters.iter().zip(rust_names(kernel)) {
                let of = &parameter.of.rust;
                let _ = match parameter.kind {
                    Kind::In => write!(out, ", {name}: ::icffi::abi::InBufferDesc<{of}>"),
                    Kind::Out => write!(out, ", {name}: ::icffi::abi::OutBufferDesc<{of}>"),
                    Kind::Scalar => write!(out, ", {name}: {of}"),
                };
            }
            out.push_str(") -> i32;\n");
        }
    }
    let _ = writeln!(
        out,
        "    /// The version of the ABI that the kernels were compiled with; \
         compare it with `icffi::abi::ABI_VERSION`.\n    pub fn {}() -> u32;\n}}",
        version_function(library)
    );
    out
}

/// Names of parameters that are legal in Rust and unlike each other.
fn rust_names(kernel: &Kernel) -> Vec<String> {
    const KEYWORDS: [&str; 37] = [
        "abstract", "as", "async", "await", "become", "box", "dyn", "final", "fn", "gen", "impl",
        "in", "let", "loop", "macro", "match", "mod", "move", "mut", "override", "priv", "pub",
        "ref", "self", "Self", "super", "trait", "type", "unsafe", "unsized", "use", "where",
        "yield", "crate", "params", "_", "union",
    ];
    kernel
        .parameters
        .iter()
        .map(|p| {
            if KEYWORDS.contains(&p.name.as_str()) {
                format!("{}_", p.name)
            } else {
                p.name.clone()
            }
        })
        .collect()
}

/// The file that is compiled in the place of `file`: it includes it, and asserts behind it that
/// each function has the type that Rust was told, and each type the layout.
pub(crate) fn cpp(file: &File, real: &Path, library: Option<&str>) -> String {
    // Both slashes work in an include on Windows, but only one in a string.
    let path = real.display().to_string().replace('\\', "/");
    let mut out = format!(
        "// Made by icffi-build. Do not edit.\n#include \"{path}\"\n#include <icffi.h>\n\
         #include <type_traits>\n"
    );
    let mut types: BTreeMap<&str, &Type> = BTreeMap::new();
    for kernel in &file.kernels {
        let mut signature = String::from("icffi::LaunchParams");
        for parameter in &kernel.parameters {
            let of = &parameter.of.cpp;
            types.insert(of, &parameter.of);
            let _ = match parameter.kind {
                Kind::In => write!(signature, ", icffi::In<{of}>"),
                Kind::Out => write!(signature, ", icffi::Out<{of}>"),
                Kind::Scalar => write!(signature, ", {of}"),
            };
        }
        let noexcept = if kernel.noexcept { " noexcept" } else { "" };
        let _ = writeln!(
            out,
            "static_assert(std::is_same_v<decltype(&::icffi_{name}), \
             cudaError_t (*)({signature}){noexcept}>,\n    \"icffi-build: ICFFI_KERNEL({name}) in \
             {path}:{line} is not what it reads as: {signature}. A macro or an alias hides a type\");",
            name = kernel.name,
            line = kernel.line,
        );
    }
    for (name, of) in types {
        let test = match of.shape {
            Shape::Float(size) => {
                format!("std::is_floating_point_v<{name}> && sizeof({name}) == {size}")
            }
            Shape::Signed(size) => format!(
                "std::is_integral_v<{name}> && std::is_signed_v<{name}> && sizeof({name}) == {size}"
            ),
            Shape::Unsigned(size) => format!(
                "std::is_integral_v<{name}> && std::is_unsigned_v<{name}> && sizeof({name}) == {size}"
            ),
            Shape::Bool => format!("std::is_same_v<{name}, bool> && sizeof({name}) == 1"),
            Shape::Vector(size, align) => {
                format!("sizeof({name}) == {size} && alignof({name}) == {align}")
            }
        };
        let _ = writeln!(
            out,
            "static_assert({test}, \"icffi-build: here {name} is not Rust's {}\");",
            of.rust
        );
    }
    if let Some(library) = library {
        let _ = writeln!(
            out,
            "extern \"C\" std::uint32_t {}() {{ return ICFFI_ABI_VERSION; }}",
            version_function(library)
        );
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::signature::read;

    const SOURCE: &str = "ICFFI_KERNEL(axpy)(icffi::LaunchParams p, icffi::In<float> in, \
        icffi::Out<std::uint8_t> y, unsigned int n) {}\n\
        ICFFI_KERNEL(nothing)(icffi::LaunchParams) noexcept {}";

    #[test]
    fn declarations() {
        let file = read(Path::new("src/k.cu"), SOURCE).unwrap();
        let text = rust(&[file], "lib");
        assert!(
            text.contains(
                "    /// The kernel `axpy`: k.cu:1.\n    pub fn icffi_axpy(params: \
                 ::icffi::abi::LaunchParams, in_: ::icffi::abi::InBufferDesc<f32>, y: \
                 ::icffi::abi::OutBufferDesc<u8>, n: u32) -> i32;\n"
            ),
            "{text}"
        );
        assert!(
            text.contains("pub fn icffi_nothing(params: ::icffi::abi::LaunchParams) -> i32;"),
            "{text}"
        );
        assert!(
            text.contains("pub fn icffi_abi_version_lib() -> u32;"),
            "{text}"
        );
    }

    #[test]
    fn proof() {
        let file = read(Path::new("k.cu"), SOURCE).unwrap();
        let text = cpp(&file, Path::new("/a/k.cu"), Some("lib"));
        for part in [
            "#include \"/a/k.cu\"",
            "cudaError_t (*)(icffi::LaunchParams, icffi::In<float>, icffi::Out<uint8_t>, unsigned \
             int)>",
            "decltype(&::icffi_nothing), cudaError_t (*)(icffi::LaunchParams) noexcept>",
            "static_assert(std::is_floating_point_v<float> && sizeof(float) == 4",
            "icffi_abi_version_lib() { return ICFFI_ABI_VERSION; }",
        ] {
            assert!(text.contains(part), "missing {part:?} in:\n{text}");
        }
        assert!(!cpp(&file, Path::new("/a/k.cu"), None).contains("icffi_abi_version"));
    }
}
