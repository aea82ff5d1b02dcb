//! `cargo xtask test-gpu`: the suite on a GPU, here or on another machine.

use std::path::PathBuf;
use std::process::Command;

use crate::gpu::{self, Gpu};
use crate::process::{self, Context, Error, Result};
use crate::{pack, toolkit, workspace};

/// Run the whole suite on a GPU, built with nvcc in release mode.
///
/// Without a GPU this fails: it never passes by testing nothing. With --pack DIR it runs nothing
/// but makes a folder that holds the suite and needs neither cargo nor a toolkit where it runs.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Make a self-contained folder instead; its `run` script is for the GPU machine.
    #[arg(long, value_name = "DIR")]
    pack: Option<PathBuf>,
    /// GPU architectures to compile for, as `ICFFI_CUDA_ARCHS` takes them: say, 80,90.
    #[arg(long, value_name = "LIST")]
    archs: Option<String>,
    /// For the suite's `run` script: --sanitizer, --demo, a part of a test's name (`-- --help`).
    #[arg(last = true, conflicts_with = "pack", value_name = "ARGS")]
    args: Vec<String>,
}

pub(crate) fn run(args: &Args) -> Result<()> {
    if let (None, Gpu::Missing(why)) = (&args.pack, gpu::find()) {
        return Err(Error::new(format!("the GPU suite needs an NVIDIA GPU: {why}")).mend(
            "run it on a machine with a GPU, or make a folder for one: cargo xtask test-gpu --pack DIR",
        ));
    }
    toolkit::with_nvcc().map_err(|e| Error::new(e).mend("cargo xtask setup"))?;
    let folder = match &args.pack {
        Some(dir) => {
            std::path::absolute(dir).context(|| format!("cannot resolve {}", dir.display()))?
        }
        None => workspace::target().join("gpu-suite"),
    };
    pack::make(&folder, args.archs.as_deref())?;
    if args.pack.is_some() {
        println!("to use it: copy the folder to a machine with a GPU and start ./run there");
        return Ok(());
    }
    process::run(Command::new(folder.join("run")).args(&args.args))
}
