//! The CUDA toolkit of this machine, by the search that the build scripts use too.

use std::process::Command;

use icffi_build::toolkit::{self, Linkage, Needs, NotFound, Toolkit};

/// A toolkit that can compile kernels and link programs.
pub(crate) fn find() -> Result<Toolkit, NotFound> {
    toolkit::find(Needs::NVCC.with_library(Linkage::Static))
}

/// Its name in a sentence, or why there is none.
pub(crate) fn with_nvcc() -> Result<String, String> {
    find()
        .map(|t| format!("CUDA {} in {}", t.version, t.root.display()))
        .map_err(|e| e.to_string())
}

/// Tells the build scripts which toolkit was found. They would find the same one; but cargo only
/// asks them again when a variable changes, and a toolkit that `setup` brought changes none.
pub(crate) fn pin(command: &mut Command) -> &mut Command {
    if let Ok(toolkit) = find() {
        command.env("ICFFI_CUDA_HOME", toolkit.root);
    }
    command
}
