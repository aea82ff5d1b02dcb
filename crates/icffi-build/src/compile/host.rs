//! The host's compiler, for the simulator.

use std::env;
use std::path::Path;

use super::{Kernels, Unit};
use crate::error::{Error, Problems};
use crate::signature::{File, Problem};

/// Compiles the units into a library, and tells cargo to link it.
pub(super) fn compile(
    kernels: &Kernels,
    files: &[File],
    units: &[Unit],
    include: &Path,
    library: &str,
) -> Result<(), Error> {
    let problems: Vec<_> = files
        .iter()
        .filter_map(|file| {
            Some(Problem {
                path: file.path.clone(),
                line: file.triple_bracket?,
                text: "kernel<<<…>>>(…) is for nvcc only, and the simulator has no part in it: \
                       write ICFFI_LAUNCH(kernel, params, …)"
                    .into(),
            })
        })
        .collect();
    if !problems.is_empty() {
        return Err(Error::Signatures(Problems(problems)));
    }
    let mut build = cc::Build::new();
    kernels.common(&mut build, include);
    build
        .std("c++17")
        .define("ICFFI_SIM", None)
        .include(include.join("icffi/sim/include"))
        // A kernel's loop is where the time goes, in debug builds of the caller as well.
        .opt_level_str(&opt_level())
        // The name `.cu` says nothing to this compiler.
        .flag("-xc++")
        .flag_if_supported("-Wno-unknown-pragmas");
    let mut objects = Vec::new();
    for unit in units {
        let made = build.clone().file(&unit.path).try_compile_intermediates();
        objects.extend(made.map_err(|e| Error::Compile {
            compiler: "the C++ compiler",
            file: unit.of.clone(),
            why: explain(&e.to_string()),
        })?);
    }
    archive(objects, library)
}

/// `cc`'s words, and what to do where the reason is not in the sources.
fn explain(why: &str) -> String {
    if why.contains("ToolNotFound") || why.contains("ailed to find tool") {
        return format!(
            "{why}; there is no C++ compiler: install one (g++ or clang++), or set CXX to it"
        );
    }
    why.to_owned()
}

/// Makes the library. Each file was compiled alone: a `Build` with more than one `.cu` would turn
/// on relocatable device code, and its device link.
pub(super) fn archive(objects: Vec<std::path::PathBuf>, library: &str) -> Result<(), Error> {
    cc::Build::new()
        .cpp(true)
        .objects(objects)
        .try_compile(library)
        .map_err(|e| Error::Usage(format!("could not make the library {library}: {e}")))
}

fn opt_level() -> String {
    match env::var("OPT_LEVEL").as_deref() {
        Ok("3") => "3",
        _ => "2",
    }
    .into()
}
