//! The main job, end to end: a picture and 16 million numbers go to the GPU (or the simulator),
//! kernels work on them, and the results come back and are checked against the CPU.

mod error;
mod image;
mod pipeline;
mod reference;
mod report;

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

use clap::Parser;

use crate::error::DemoError;

/// Finds the edges in a picture and does arithmetic on millions of numbers, on a GPU or on the
/// simulator (as this program was built), and checks every result against the CPU.
/// 16 GB of floats in all on the host; more is a slip of the finger.
const MOST_ELEMENTS: u64 = 1 << 30;

#[derive(Debug, Parser)]
#[command(name = "icffi-demo", version, max_term_width = 100)]
struct Args {
    /// A PNG file of any colour type; without it, the coins that come with the demo
    image: Option<PathBuf>,
    /// Where to write the picture of the edges; without it, target/demo/edges.png
    #[arg(long, value_name = "FILE")]
    out: Option<PathBuf>,
    /// How many random numbers the numeric part works on
    #[arg(
        long,
        value_name = "N",
        default_value_t = 16_000_000,
        allow_negative_numbers = true
    )]
    #[arg(value_parser = clap::value_parser!(u64).range(..=MOST_ELEMENTS))]
    elements: u64,
    /// What `cargo xtask demo` uses for --out when that is not given
    #[arg(long, hide = true, default_value = "target/demo/edges.png")]
    out_default: PathBuf,
}

fn main() -> ExitCode {
    match run(Args::parse()) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {}", one_line(&error.to_string()));
            ExitCode::FAILURE
        }
    }
}

fn run(args: Args) -> Result<(), DemoError> {
    let path = args
        .image
        .unwrap_or_else(|| data_folder().join("coins.png"));
    let picture = image::read(&path)?;
    let output = match args.out {
        Some(out) if same_file(&out, &path) => {
            return Err(DemoError::Write {
                path: out,
                reason: "it is the picture that is read".into(),
            });
        }
        Some(out) => image::Output::create(&out)?,
        None => {
            // The default's folder is ours to make; a folder that a person names must be there.
            if let Some(folder) = args.out_default.parent() {
                std::fs::create_dir_all(folder).map_err(|e| DemoError::Write {
                    path: args.out_default.clone(),
                    reason: format!("cannot make its folder: {}", e.kind()),
                })?;
            }
            image::Output::create(&args.out_default)?
        }
    };
    pipeline::run(&path, &picture, output, args.elements as usize)
}

/// Prints a line. A reader that went away (`| head`) is no reason to fail.
pub(crate) fn say(text: &str) -> Result<(), DemoError> {
    match writeln!(std::io::stdout(), "{text}") {
        Err(e) if e.kind() != std::io::ErrorKind::BrokenPipe => Err(DemoError::Write {
            path: "standard output".into(),
            reason: e.kind().to_string(),
        }),
        _ => Ok(()),
    }
}

/// The pictures that come with the demo: here in the sources, or where the packed suite says.
fn data_folder() -> PathBuf {
    match std::env::var_os("ICFFI_DEMO_DATA") {
        Some(folder) => folder.into(),
        None => concat!(env!("CARGO_MANIFEST_DIR"), "/data").into(),
    }
}

/// Whatever an error holds, it is shown as one line.
fn one_line(text: &str) -> String {
    text.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Whether both are one file that exists.
fn same_file(a: &Path, b: &Path) -> bool {
    match (a.canonicalize(), b.canonicalize()) {
        (Ok(a), Ok(b)) => a == b,
        _ => false,
    }
}
