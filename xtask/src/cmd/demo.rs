//! `cargo xtask demo`: the main job, on whatever this machine has.

use std::ffi::OsString;
use std::path::PathBuf;
use std::process::{Command, Stdio};

use clap::ValueEnum;
use serde_json::Value;

use crate::gpu::{self, Gpu};
use crate::process::{self, Context, Error, Result};
use crate::{toolkit, workspace};

/// Run the main job: an image through a kernel, then 16 million numbers, checked against the CPU.
///
/// With a CUDA toolkit and an NVIDIA GPU it runs there, otherwise on the simulator; it says which
/// and why. The arguments go to the demo: IMAGE, --out FILE, --elements N.
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
    let program = build(cuda)?;
    // Run from here, not through cargo: paths are the caller's, and the demo's own message is all
    // that a person needs to see when it fails.
    let mut demo = Command::new(program);
    demo.args(&args.args)
        .arg("--out-default")
        .arg(workspace::root().join("target/demo/edges.png"))
        .env("ICFFI_DEMO_WHY", why);
    let status = demo.status().context(|| "cannot start the demo".into())?;
    if status.success() {
        Ok(())
    } else {
        Err(Error::said(status))
    }
}

/// Builds the demo and returns the program. cargo shows its progress on standard error.
fn build(cuda: bool) -> Result<PathBuf> {
    let mut cargo = workspace::cargo("build");
    cargo.args(["--release", "--package", "icffi-demo"]);
    cargo.args([
        "--message-format",
        "json-render-diagnostics",
        "--target-dir",
    ]);
    if cuda {
        toolkit::pin(cargo.arg(workspace::cuda_target()));
    } else {
        cargo
            .arg(workspace::target())
            .args(["--no-default-features", "--features", "sim"]);
    }
    let output = cargo
        .stderr(Stdio::inherit())
        .output()
        .context(|| "cannot start cargo".into())?;
    process::finished(&cargo, output.status)?;
    let messages = String::from_utf8_lossy(&output.stdout);
    executable(&messages).ok_or_else(|| Error::new("cargo did not say where the demo is"))
}

fn executable(messages: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|l| serde_json::from_str::<Value>(l).ok())
        .find_map(|m| {
            let ours = m["target"]["name"] == "icffi-demo";
            ours.then(|| m["executable"].as_str().map(PathBuf::from))
                .flatten()
        })
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
