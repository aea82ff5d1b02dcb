//! The project's own commands. `cargo xtask --help` lists them; each lives in its own file.

mod cmd;
mod gpu;
mod links;
mod msrv;
mod pack;
mod process;
mod tally;
mod toolkit;
mod wheels;
mod workspace;

use std::process::ExitCode;

use clap::{Parser, Subcommand};

/// Everything this project needs beside cargo itself.
///
/// On a fresh machine start with `cargo xtask demo` and `cargo xtask test`: they need Rust and a
/// C++ compiler, nothing else. With an NVIDIA GPU and a CUDA toolkit (`cargo xtask setup` gets
/// one without root) the demo runs on the GPU, and `cargo xtask test-gpu` runs the suite there.
#[derive(Debug, Parser)]
#[command(bin_name = "cargo xtask", version, max_term_width = 100)]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Debug, Subcommand)]
enum Command {
    Demo(cmd::demo::Args),
    Test(cmd::test::Args),
    TestGpu(cmd::test_gpu::Args),
    Setup(cmd::setup::Args),
    Bindgen(cmd::bindgen::Args),
    Ci(cmd::ci::Args),
}

fn main() -> ExitCode {
    let result = match Cli::parse().command {
        Command::Demo(args) => cmd::demo::run(&args),
        Command::Test(args) => cmd::test::run(&args),
        Command::TestGpu(args) => cmd::test_gpu::run(&args),
        Command::Setup(args) => cmd::setup::run(&args),
        Command::Bindgen(args) => cmd::bindgen::run(&args),
        Command::Ci(args) => cmd::ci::run(&args),
    };
    match result {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            if error.has_text() {
                eprintln!("error: {error}");
            }
            error.code()
        }
    }
}
