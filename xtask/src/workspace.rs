//! Where things lie, and how cargo is called.

use std::env;
use std::path::{Path, PathBuf};
use std::process::Command;

/// What selects the simulator for every package that makes programs.
pub(crate) const SIM_FEATURES: &str = "icffi/sim,icffi-kernels/sim,icffi-demo/sim,icffi-tests/sim,\
     icffi-build/compile,icffi/half";

/// The packages whose programs run on a GPU. icffi-sim is not among them: it exports the same
/// symbols as NVIDIA's runtime and asks icffi-sys for the mode `sim`.
pub(crate) const GPU_PACKAGES: [&str; 4] = ["icffi", "icffi-kernels", "icffi-tests", "icffi-demo"];

/// The packages that people get from a registry: their dependencies must hold to the MSRV.
pub(crate) const PUBLISHED: [&str; 5] = [
    "icffi-sys",
    "icffi-sim",
    "icffi",
    "icffi-build",
    "icffi-kernels",
];

/// The workspace's root folder.
pub(crate) fn root() -> PathBuf {
    // Set by cargo when it runs us; the fallback is for a binary started by hand.
    let own = env::var_os("CARGO_MANIFEST_DIR")
        .map_or_else(|| PathBuf::from(env!("CARGO_MANIFEST_DIR")), PathBuf::from);
    own.parent().map_or(own.clone(), Path::to_path_buf)
}

/// The target folder: `CARGO_TARGET_DIR`, or `target` in the root.
pub(crate) fn target() -> PathBuf {
    match env::var_os("CARGO_TARGET_DIR") {
        Some(dir) => root().join(dir),
        None => root().join("target"),
    }
}

/// Builds against NVIDIA's runtime have a target folder of their own, so that the two runtimes
/// never share an artifact and neither build throws the other's away.
pub(crate) fn cuda_target() -> PathBuf {
    target().join("cuda-build")
}

/// `cargo` in the workspace's root.
pub(crate) fn cargo(subcommand: &str) -> Command {
    let mut command = Command::new(env::var_os("CARGO").unwrap_or_else(|| "cargo".into()));
    command.current_dir(root()).arg(subcommand);
    // What the cargo that started us said about this very package misleads build scripts.
    for (key, _) in env::vars_os() {
        let name = key.to_string_lossy();
        if name.starts_with("CARGO_PKG_")
            || name.starts_with("CARGO_MANIFEST_")
            || name.starts_with("DEP_")
        {
            command.env_remove(&key);
        }
    }
    command
}

/// Adds the options that select the simulator for the packages named, or for the workspace.
pub(crate) fn on_simulator(command: &mut Command) -> &mut Command {
    command.args(["--no-default-features", "--features", SIM_FEATURES])
}
