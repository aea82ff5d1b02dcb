//! `cargo xtask bindgen`: the committed bindings, made anew or checked.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use super::setup::wheel_store;
use crate::process::{self, Context, Error, Result};
use crate::wheels::{Pip, say};
use crate::workspace;

/// Make the committed bindings of CUDA 12 and 13 anew, from the headers on PyPI.
///
/// The headers and libclang are fetched into target/bindgen the first time. The options of
/// bindgen stand in crates/icffi-sys/build/generate.rs, once: this command builds icffi-sys with
/// its feature `bindgen` and takes what it generated.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Change nothing; fail if a committed file is not what the headers give.
    #[arg(long)]
    check: bool,
}

/// One committed file and the wheels that hold its headers. Exact versions: the committed files
/// must not become wrong on the day that NVIDIA publishes a new patch level.
struct Set {
    major: u32,
    wheels: &'static [&'static str],
}

const SETS: [Set; 2] = [
    Set {
        major: 12,
        wheels: &[
            "nvidia-cuda-runtime-cu12==12.9.79",
            "nvidia-cuda-nvcc-cu12==12.9.86",
        ],
    },
    Set {
        major: 13,
        wheels: &["nvidia-cuda-runtime==13.0.96", "nvidia-cuda-crt==13.0.88"],
    },
];

const LIBCLANG: &str = "libclang==18.1.1";

/// The command that brings a stale file up to date.
const MEND: &str = "cargo xtask bindgen";

pub(crate) fn run(args: &Args) -> Result<()> {
    fetch()?;
    let mut stale = Vec::new();
    for set in &SETS {
        let made = generate(set)?;
        let path = committed(set.major);
        let old = fs::read_to_string(&path).unwrap_or_default();
        let state = compare(&old, &made);
        say(&format!(
            "CUDA {}: {}",
            set.major,
            state.unwrap_or("up to date")
        ));
        if state.is_none() {
            continue;
        }
        if args.check {
            stale.push(path.display().to_string());
        } else {
            fs::write(&path, made).context(|| format!("cannot write {}", path.display()))?;
        }
    }
    if stale.is_empty() {
        return Ok(());
    }
    Err(Error::new(format!("not what the headers give: {}", stale.join(", "))).mend(MEND))
}

/// `None` if they are the same, else where they part.
fn compare(old: &str, made: &str) -> Option<&'static str> {
    match (old == made, old.is_empty()) {
        (true, _) => None,
        (_, true) => Some("no committed file yet"),
        _ => Some("the committed file differs"),
    }
}

fn committed(major: u32) -> PathBuf {
    workspace::root().join(format!("crates/icffi-sys/src/bindings/cuda{major}.rs"))
}

fn home() -> PathBuf {
    workspace::root().join("target/bindgen")
}

/// Downloads and unpacks headers and libclang, once.
pub(crate) fn fetch() -> Result<()> {
    let mut jobs: Vec<(PathBuf, &[&str])> = vec![(home().join("libclang"), &[LIBCLANG])];
    for set in &SETS {
        jobs.push((headers(set.major), set.wheels));
    }
    for (place, wheels) in jobs {
        let record = place.join("icffi-setup.txt");
        let wanted = wheels.join("\n");
        if fs::read_to_string(&record).is_ok_and(|t| t == wanted) {
            continue;
        }
        let pip = Pip::find()?;
        say(&format!("fetching {}", wheels.join(", ")));
        let mut files = Vec::new();
        for wheel in wheels {
            files.push(pip.download(wheel, &wheel_store())?);
        }
        fs::create_dir_all(home()).context(|| "cannot make target/bindgen".into())?;
        let work = tempfile::tempdir_in(home())
            .context(|| "cannot make a folder in target/bindgen".into())?;
        pip.unpack(&files, work.path())?;
        let made = work.path().join("made");
        fs::create_dir(&made).context(|| "cannot make a folder in target/bindgen".into())?;
        collect(work.path(), &made)?;
        fs::write(made.join("icffi-setup.txt"), wanted)
            .context(|| "cannot write the record".into())?;
        if place.exists() {
            fs::remove_dir_all(&place).context(|| format!("cannot remove {}", place.display()))?;
        }
        fs::rename(&made, &place).context(|| format!("cannot make {}", place.display()))?;
    }
    Ok(())
}

/// Of the wheels' trees only the headers and libclang's library are kept: the wheels of CUDA 12
/// spread one include folder over several packages.
fn collect(work: &Path, made: &Path) -> Result<()> {
    for parent in [work.join("nvidia"), work.to_path_buf()] {
        let Ok(entries) = fs::read_dir(&parent) else {
            continue;
        };
        for entry in entries.flatten() {
            let include = entry.path().join("include");
            if include.is_dir() {
                merge(&include, &made.join("include"))?;
            }
            let native = entry.path().join("platlib/clang/native");
            if native.is_dir() {
                merge(&native, made)?;
            }
        }
    }
    Ok(())
}

fn merge(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to).context(|| format!("cannot make {}", to.display()))?;
    let entries = fs::read_dir(from).context(|| format!("cannot read {}", from.display()))?;
    for entry in entries.flatten() {
        let target = to.join(entry.file_name());
        if entry.path().is_dir() && target.is_dir() {
            merge(&entry.path(), &target)?;
        } else {
            fs::rename(entry.path(), &target)
                .context(|| format!("cannot make {}", target.display()))?;
        }
    }
    Ok(())
}

fn headers(major: u32) -> PathBuf {
    home().join(format!("cuda{major}"))
}

/// Lets icffi-sys generate its bindings and returns them under our first line.
fn generate(set: &Set) -> Result<String> {
    let mut cargo = workspace::cargo("build");
    cargo
        .args([
            "--quiet",
            "--package",
            "icffi-sys",
            "--no-default-features",
            "--features",
            "bindgen",
        ])
        .args([
            "--message-format",
            "json-render-diagnostics",
            "--target-dir",
        ])
        .arg(home().join("build"))
        .env("ICFFI_BINDGEN_INCLUDE", headers(set.major).join("include"));
    if std::env::var_os("LIBCLANG_PATH").is_none() {
        cargo.env("LIBCLANG_PATH", home().join("libclang"));
    }
    let messages = process::capture(&mut cargo)?;
    let folder = out_dir(&messages)
        .ok_or_else(|| Error::new("cargo did not say where icffi-sys was built"))?;
    let path = folder.join("bindings.rs");
    let text = fs::read_to_string(&path).context(|| format!("cannot read {}", path.display()))?;
    let made = format!(
        "// Made by `cargo xtask bindgen` from cuda_runtime_api.h of CUDA {}. Do not edit.\n{text}",
        set.major
    );
    format_as_here(&made)
}

/// The repository's own formatting, so that `cargo fmt` and this command agree.
fn format_as_here(text: &str) -> Result<String> {
    let folder = tempfile::tempdir().context(|| "cannot make a temporary folder".into())?;
    let path = folder.path().join("bindings.rs");
    fs::write(&path, text).context(|| "cannot write the bindings".into())?;
    let mut rustfmt = std::process::Command::new("rustfmt");
    rustfmt
        .arg("--config-path")
        .arg(workspace::root().join("rustfmt.toml"))
        .arg(&path);
    process::capture(&mut rustfmt).map_err(|e| e.mend("rustup component add rustfmt"))?;
    fs::read_to_string(&path).context(|| "cannot read the bindings".into())
}

/// The output folder of icffi-sys's build script, from cargo's messages.
fn out_dir(messages: &str) -> Option<PathBuf> {
    messages
        .lines()
        .filter_map(|l| serde_json::from_str::<Value>(l).ok())
        .find_map(|m| {
            let ours = m["reason"] == "build-script-executed"
                && m["package_id"]
                    .as_str()
                    .is_some_and(|id| id.contains("icffi-sys"));
            ours.then(|| m["out_dir"].as_str().map(PathBuf::from))
                .flatten()
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cargo_says_where_it_built() {
        let messages = r#"{"reason":"compiler-artifact"}
not json
{"reason":"build-script-executed","package_id":"path+file:///w/crates/icffi-build#0.1.0","out_dir":"/no"}
{"reason":"build-script-executed","package_id":"path+file:///w/crates/icffi-sys#0.1.0","out_dir":"/t/out"}"#;
        assert_eq!(out_dir(messages), Some(PathBuf::from("/t/out")));
        assert_eq!(out_dir(""), None);
    }

    #[test]
    fn a_difference_is_seen() {
        assert_eq!(compare("a", "a"), None);
        assert!(compare("", "a").is_some());
        assert!(compare("b", "a").is_some());
    }

    #[test]
    fn headers_of_several_wheels_become_one_folder() {
        let work = tempfile::tempdir().unwrap();
        for file in [
            "nvidia/cuda_runtime/include/a.h",
            "nvidia/cuda_runtime/include/crt/b.h",
            "nvidia/cuda_nvcc/include/crt/c.h",
        ] {
            let path = work.path().join(file);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, "").unwrap();
        }
        let made = work.path().join("made");
        fs::create_dir(&made).unwrap();
        collect(work.path(), &made).unwrap();
        for file in ["include/a.h", "include/crt/b.h", "include/crt/c.h"] {
            assert!(made.join(file).exists(), "{file}");
        }
    }
}
