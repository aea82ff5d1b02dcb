//! `cargo xtask demo`: the main job, on whatever this machine has.

use std::ffi::OsString;
use std::process::Command;

use clap::ValueEnum;

use crate::gpu::{self, Gpu};
use crate::process::{Error, Result};
use crate::{toolkit, workspace};

/// Run the main job: an image through a kernel, then 16 million numbers, checked against the CPU.
///
/// With a CUDA toolkit and an NVIDIA GPU it runs there, otherwise on the simulator; it says which
/// and why. The arguments go to the demo: [IMAGE] [--out FILE] [--elements N].
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Choose the runtime instead of letting the machine decide.
    #[arg(long, value_enum, default_value_t = Choice::Auto)]
    runtime: Choice,
    /// For the demo itself: a PNG file and options (`-- --help` lists them).
    #[arg(
        trailing_var_arg = true,
        allow_hyphen_values = true,
        value_name = "IMAGE | OPTION"
    )]
    args: Vec<OsString>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Choice {
    /// The GPU if there is one and a toolkit, else the simulator.
    Auto,
    /// The simulator on the CPU.
    Sim,
    /// NVIDIA's runtime and a GPU.
    Cuda,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let (cuda, why) = decide(args.runtime, &gpu::find(), &toolkit::with_nvcc())?;
    println!(
        "building the demo for {}",
        if cuda { "the GPU" } else { "the simulator" }
    );
    let mut cargo = workspace::cargo("run");
    cargo.args([
        "--quiet",
        "--release",
        "--package",
        "icffi-demo",
        "--target-dir",
    ]);
    if cuda {
        toolkit::pin(cargo.arg(workspace::cuda_target()));
    } else {
        cargo.arg(workspace::target());
        cargo.args(["--no-default-features", "--features", "sim"]);
    }
    cargo
        .arg("--manifest-path")
        .arg(workspace::root().join("Cargo.toml"));
    cargo.env("ICFFI_DEMO_WHY", why).arg("--").args(&args.args);
    cargo
        .arg("--out-default")
        .arg(workspace::root().join("target/demo/edges.png"));
    // Paths on the command line are the caller's, and cargo runs programs where it was started.
    if let Ok(here) = std::env::current_dir() {
        cargo.current_dir(here);
    }
    run_demo(&mut cargo)
}

/// The demo has already said what is wrong; cargo's command line would only hide it.
fn run_demo(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|e| {
        Error::new(format!("cannot start cargo: {e}")).mend("install Rust 1.85 or later")
    })?;
    if status.success() {
        return Ok(());
    }
    Err(Error::new("the demo did not succeed; its own message stands above").with_status(status))
}

/// Which runtime, and the reason in words. `toolkit` is the toolkit's name or why there is none.
fn decide(choice: Choice, gpu: &Gpu, toolkit: &Result<String, String>) -> Result<(bool, String)> {
    match (choice, gpu, toolkit) {
        (Choice::Sim, ..) => Ok((false, "asked for with --runtime sim".into())),
        (_, Gpu::Found(name), Ok(toolkit)) => {
            Ok((true, format!("this machine has an {name} and {toolkit}")))
        }
        (Choice::Auto, Gpu::Missing(why), _) => Ok((false, why.clone())),
        (Choice::Auto, Gpu::Found(name), Err(_)) => Ok((
            false,
            format!(
                "this machine has an {name}, but no CUDA toolkit (`cargo xtask setup` gets one)"
            ),
        )),
        (Choice::Cuda, Gpu::Missing(why), _) => {
            Err(Error::new(format!("cannot run on a GPU: {why}"))
                .mend("cargo xtask demo --runtime sim (runs on the CPU)"))
        }
        (Choice::Cuda, _, Err(why)) => Err(Error::new(why.clone()).mend("cargo xtask setup")),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_machine_decides_unless_told() {
        let found = Gpu::Found("NVIDIA H200".into());
        let missing = Gpu::Missing("this machine has no NVIDIA GPU".into());
        let (yes, no) = (Ok("CUDA 13.0".to_owned()), Err("no toolkit".to_owned()));
        let of =
            |c, g: &Gpu, t: &Result<String, String>| decide(c, g, t).map(|(cuda, _)| cuda).ok();
        assert_eq!(of(Choice::Auto, &found, &yes), Some(true));
        assert_eq!(of(Choice::Auto, &found, &no), Some(false));
        assert_eq!(of(Choice::Auto, &missing, &yes), Some(false));
        assert_eq!(of(Choice::Sim, &found, &yes), Some(false));
        assert_eq!(of(Choice::Cuda, &found, &yes), Some(true));
        assert_eq!(of(Choice::Cuda, &missing, &yes), None);
        assert_eq!(of(Choice::Cuda, &found, &no), None);
    }
}
