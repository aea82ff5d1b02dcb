//! `cargo xtask test`: everything that can be tested without a GPU.

use std::process::Command;
use std::time::{Duration, Instant};

use crate::process::{self, Error, Result};
use crate::tally::Tally;
use crate::{msrv, toolkit, workspace};

/// Run the tests on the simulator, the doc tests, the compile-fail cases and the lints.
///
/// With a CUDA toolkit (`cargo xtask setup` gets one) everything is also compiled and linked
/// against NVIDIA's runtime. No GPU is needed; `cargo xtask test-gpu` is for that.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Only the test programs: no doc tests, lints, documentation or real runtime.
    #[arg(long, conflicts_with_all = ["seeds", "real"])]
    quick: bool,
    /// Repeat the whole-stack tests with this many seeds of the simulator, and with each policy.
    #[arg(long, value_name = "N", default_value_t = 0)]
    seeds: u64,
    /// Only compile and link against NVIDIA's runtime; a missing toolkit is then an error.
    #[arg(long)]
    real: bool,
}

/// One line per step; the first failure ends it.
struct Steps {
    total: Tally,
    started: Instant,
}

impl Steps {
    fn new() -> Self {
        Steps {
            total: Tally::default(),
            started: Instant::now(),
        }
    }

    fn step(&mut self, name: &str, work: impl FnOnce() -> Result<Tally>) -> Result<()> {
        println!("==> {name}");
        let start = Instant::now();
        match work() {
            Ok(tally) => {
                let counted = if tally == Tally::default() {
                    String::new()
                } else {
                    format!(": {tally}")
                };
                println!("    ok, {name}{counted} ({})", seconds(start.elapsed()));
                self.total += tally;
                Ok(())
            }
            Err(e) => {
                println!("    FAILED, {name} ({})", seconds(start.elapsed()));
                Err(e)
            }
        }
    }

    fn finish(&self) -> Result<()> {
        println!("\nall steps done in {}", seconds(self.started.elapsed()));
        // A run that only built something has nothing to count.
        if self.total != Tally::default() {
            println!("{}", self.total);
        }
        Ok(())
    }
}

fn seconds(time: Duration) -> String {
    format!("{:.1} s", time.as_secs_f64())
}

pub(crate) fn run(args: &Args) -> Result<()> {
    let mut steps = Steps::new();
    if args.real {
        real_runtime(&mut steps)?;
        return steps.finish();
    }
    if !args.quick {
        if has("fmt", "rustfmt")? {
            steps.step("format", || {
                quiet(
                    workspace::cargo("fmt").args(["--all", "--check"]),
                    "cargo fmt --all",
                )
            })?;
        }
        if has("clippy", "clippy")? {
            steps.step("lints", lints)?;
        }
        steps.step(
            "dependencies build with the oldest Rust supported",
            msrv::check,
        )?;
    }
    steps.step("tests on the simulator", || {
        let mut cargo = workspace::cargo("test");
        workspace::on_simulator(cargo.arg("--workspace"));
        if args.quick {
            cargo.arg("--all-targets");
        }
        counted(&mut cargo)
    })?;
    for (policy, seed) in schedules(args.seeds) {
        steps.step(
            &format!("whole-stack tests, policy {policy}, seed {seed}"),
            || {
                let mut cargo = workspace::cargo("test");
                workspace::on_simulator(cargo.arg("--workspace")).args(["--quiet", "--tests"]);
                // Type errors do not depend on the schedule.
                cargo.args(["--", "--skip", "must_not_compile"]);
                cargo
                    .env("ICFFI_SIM_POLICY", policy)
                    .env("ICFFI_SIM_SEED", seed.to_string());
                counted(&mut cargo)
            },
        )?;
    }
    if !args.quick {
        steps.step("documentation", || {
            let mut cargo = workspace::cargo("doc");
            workspace::on_simulator(cargo.args(["--workspace", "--no-deps", "--quiet"]));
            quiet(cargo.env("RUSTDOCFLAGS", "-D warnings"), "")
        })?;
        if toolkit::with_nvcc().is_ok() {
            real_runtime(&mut steps)?;
        } else {
            println!(
                "==> left out: the build against NVIDIA's runtime (`cargo xtask setup` gets a toolkit)"
            );
        }
    }
    steps.finish()
}

/// Whether a component of Rust is installed. A minimal installation lacks some, and the tests can
/// do without; CI cannot.
fn has(subcommand: &str, component: &str) -> Result<bool> {
    let mend = format!("rustup component add {component}");
    if process::capture(workspace::cargo(subcommand).arg("--version")).is_ok() {
        return Ok(true);
    }
    if std::env::var_os("CI").is_some() {
        return Err(Error::new(format!("{component} is not installed")).mend(mend));
    }
    println!("==> left out: {component} is not installed (`{mend}`)");
    Ok(false)
}

fn lints() -> Result<Tally> {
    let mut cargo = workspace::cargo("clippy");
    workspace::on_simulator(cargo.args(["--workspace", "--all-targets", "--quiet"]));
    quiet(cargo.args(["--", "-D", "warnings"]), "")
}

/// Compiles and links every program against NVIDIA's runtime, and lints that build too.
fn real_runtime(steps: &mut Steps) -> Result<()> {
    let name = toolkit::with_nvcc().map_err(|e| Error::new(e).mend("cargo xtask setup"))?;
    let packages = |cargo: &mut Command| {
        for package in workspace::GPU_PACKAGES {
            cargo.args(["--package", package]);
        }
        toolkit::pin(
            cargo
                .arg("--quiet")
                .arg("--target-dir")
                .arg(workspace::cuda_target()),
        );
        // These programs are linked, not run: one architecture shows that the kernels compile.
        // The packed suite has them all.
        if std::env::var_os("ICFFI_CUDA_ARCHS").is_none() {
            cargo.env("ICFFI_CUDA_ARCHS", "90");
        }
    };
    steps.step(
        &format!("everything compiles and links against {name}"),
        || {
            let mut cargo = workspace::cargo("test");
            packages(&mut cargo);
            quiet(cargo.args(["--no-run", "--all-targets"]), "")
        },
    )?;
    if !has("clippy", "clippy")? {
        return Ok(());
    }
    steps.step("lints against NVIDIA's runtime", || {
        let mut cargo = workspace::cargo("clippy");
        packages(&mut cargo);
        quiet(cargo.args(["--all-targets", "--", "-D", "warnings"]), "")
    })
}

/// Each policy, with as many seeds as asked for where the seed matters.
fn schedules(seeds: u64) -> Vec<(&'static str, u64)> {
    if seeds == 0 {
        return Vec::new();
    }
    let fixed = ["eager", "lazy", "reverse"].map(|p| (p, 0));
    fixed
        .into_iter()
        .chain((1..=seeds).map(|s| ("random", s)))
        .collect()
}

/// Runs a command that either succeeds or explains itself.
fn quiet(command: &mut Command, mend: &str) -> Result<Tally> {
    process::run(command)
        .map(|()| Tally::default())
        .map_err(|e| match mend {
            "" => e,
            mend => e.mend(mend),
        })
}

fn counted(command: &mut Command) -> Result<Tally> {
    let (status, text) = process::tee(command)?;
    let tally = Tally::of(&text);
    if !status.success() {
        println!("{tally}");
    }
    process::finished(command, status)?;
    Ok(tally)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_policy_gets_its_turn() {
        assert!(schedules(0).is_empty());
        let two = schedules(2);
        assert_eq!(
            two,
            [
                ("eager", 0),
                ("lazy", 0),
                ("reverse", 0),
                ("random", 1),
                ("random", 2)
            ]
        );
    }

    #[test]
    fn the_first_failure_ends_it() {
        let mut steps = Steps::new();
        let two = Tally {
            passed: 2,
            ..Tally::default()
        };
        steps.step("a", || Ok(two)).unwrap();
        assert!(steps.step("b", || Err(Error::new("no"))).is_err());
        assert_eq!(steps.total, two);
    }
}
