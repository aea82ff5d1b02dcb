//! `cargo xtask ci`: what the project's CI does, for a run at home.

use std::process::Command;

use crate::process::{self, Result};
use crate::workspace;

/// Do what CI does (.ci/run): the tests, then get a toolkit and build everything against it.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {}

pub(crate) fn run(_: &Args) -> Result<()> {
    let mut script = Command::new("bash");
    script
        .arg(workspace::root().join(".ci/run"))
        .current_dir(workspace::root());
    process::run(&mut script)
}
