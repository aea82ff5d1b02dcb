//! Packages from PyPI by pip: downloaded (pip checks their checksums), unpacked, never installed
//! into anybody's Python.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::process::{self, Context, Error, Result};

/// Python with pip, checked.
pub(crate) struct Pip {
    python: String,
}

/// Adds files of a wheel (a zip file) to a folder: python3 has what is needed, cargo has not.
const UNPACK: &str = "\
import sys, zipfile
for wheel in sys.argv[2:]:
    with zipfile.ZipFile(wheel) as z:
        z.extractall(sys.argv[1])
";

impl Pip {
    pub(crate) fn find() -> Result<Self> {
        let python = std::env::var("PYTHON").unwrap_or_else(|_| "python3".into());
        let quiet = |args: &[&str]| {
            Command::new(&python)
                .args(args)
                .stdin(Stdio::null())
                .output()
        };
        match quiet(&["--version"]) {
            Ok(o) if o.status.success() => {}
            _ => {
                return Err(Error::new(format!("there is no Python 3: '{python} --version' does not run"))
                    .mend("install it (Debian, Ubuntu: apt-get install python3 python3-pip) or set PYTHON"));
            }
        }
        match quiet(&["-m", "pip", "--version"]) {
            Ok(o) if o.status.success() => Ok(Pip { python }),
            _ => Err(Error::new(format!("Python has no pip: '{python} -m pip --version' does not run"))
                .mend("install it (Debian, Ubuntu: apt-get install python3-pip; else python3 -m ensurepip --user)")),
        }
    }

    /// Downloads one package into `folder` and returns the wheel. A wheel that is there already
    /// is not downloaded again, so an interrupted setup goes on where it was.
    pub(crate) fn download(&self, requirement: &str, folder: &Path) -> Result<PathBuf> {
        fs::create_dir_all(folder).context(|| format!("cannot make {}", folder.display()))?;
        let mut command = Command::new(&self.python);
        command
            .args([
                "-m",
                "pip",
                "download",
                "--disable-pip-version-check",
                "--no-input",
            ])
            .args([
                "--no-deps",
                "--only-binary",
                ":all:",
                "--timeout",
                "30",
                "--retries",
                "3",
            ])
            .arg("--dest")
            .arg(folder)
            .arg(requirement)
            .stdin(Stdio::null());
        // pip draws its own progress bar on a terminal, so standard output is left to it. What it
        // complains about is kept, to find out why it failed.
        command.stderr(Stdio::piped());
        let mut child = command
            .spawn()
            .context(|| format!("cannot start {}", self.python))?;
        let complaints = child.stderr.take().map(io::read_to_string).transpose();
        let status = child.wait().context(|| "cannot wait for pip".into())?;
        let complaints = complaints.unwrap_or_default().unwrap_or_default();
        if !status.success() {
            return Err(explain(requirement, &complaints, &process::shown(&command)));
        }
        let (name, version) = split(requirement);
        newest(folder, name, version).ok_or_else(|| {
            Error::new(format!(
                "pip said it downloaded {requirement}, but {} has no such wheel",
                folder.display()
            ))
        })
    }

    /// Unpacks wheels one over the other.
    pub(crate) fn unpack(&self, wheels: &[PathBuf], into: &Path) -> Result<()> {
        let mut command = Command::new(&self.python);
        command.arg("-c").arg(UNPACK).arg(into).args(wheels);
        process::capture(&mut command).map(drop).map_err(|e| {
            let text = e.to_string();
            if text.contains("No space left") {
                return Error::new(format!("no space left on the disk of {}", into.display()))
                    .mend("free about 600 MB there, or choose another place with --dir");
            }
            if text.contains("BadZipFile") {
                return Error::new("a downloaded wheel is damaged")
                    .mend("remove target/wheels and run it again");
            }
            e
        })
    }
}

/// The step that failed is known; why, only pip's text tells.
fn explain(requirement: &str, complaints: &str, command: &str) -> Error {
    let has = |words: &[&str]| words.iter().any(|w| complaints.contains(w));
    if has(&["No space left on device", "Disk quota exceeded"]) {
        return Error::new(format!("no space left on the disk for {requirement}"))
            .mend("free about 600 MB, then run it again: finished downloads are kept");
    }
    if has(&[
        "NewConnectionError",
        "Temporary failure in name resolution",
        "Failed to establish a new connection",
        "Max retries exceeded",
        "ReadTimeoutError",
        "ConnectTimeoutError",
        "ProxyError",
        "Network is unreachable",
    ]) {
        return Error::new(format!("no network: pip could not reach the package index for {requirement}"))
            .mend("check the network or the proxy (pip config list), then run it again: finished downloads are kept");
    }
    if has(&["No matching distribution"]) {
        return Error::new(format!(
            "the package index has no {requirement} for this machine"
        ))
        .mend(format!(
            "{command}\n  shows which versions there are; choose one with --cuda"
        ));
    }
    Error::new(format!(
        "pip could not download {requirement}:\n{}",
        complaints.trim_end()
    ))
    .mend(format!("run it alone to see more:\n  {command}"))
}

/// `name==1.2.*` to its two parts; the version without its star.
fn split(requirement: &str) -> (&str, &str) {
    let (name, version) = requirement.split_once("==").unwrap_or((requirement, ""));
    (name, version.trim_end_matches('*'))
}

/// A wheel's name and version from its file name (`nvidia_cuda_nvcc-13.0.88-py3-…`).
fn parts(file: &str) -> Option<(String, &str)> {
    let mut fields = file.strip_suffix(".whl")?.split('-');
    let name = fields.next()?.replace(['_', '.'], "-").to_lowercase();
    Some((name, fields.next()?))
}

fn newest(folder: &Path, name: &str, version: &str) -> Option<PathBuf> {
    let key = |file: &str| -> Option<Vec<u64>> {
        let (found, at) = parts(file)?;
        (found == name && at.starts_with(version))
            .then(|| at.split('.').map(|n| n.parse().unwrap_or(0)).collect())
    };
    let mut best: Option<(Vec<u64>, PathBuf)> = None;
    for entry in fs::read_dir(folder).ok()?.flatten() {
        if let Some(key) = key(&entry.file_name().to_string_lossy()) {
            if best.as_ref().is_none_or(|(old, _)| key > *old) {
                best = Some((key, entry.path()));
            }
        }
    }
    best.map(|(_, path)| path)
}

/// `name version` of a wheel, to be recorded.
pub(crate) fn label(wheel: &Path) -> String {
    let file = wheel.file_name().unwrap_or_default().to_string_lossy();
    parts(&file).map_or_else(
        || file.clone().into_owned(),
        |(name, version)| format!("{name} {version}"),
    )
}

/// Fails early, in words, when the disk of `folder` has less than `needed` bytes left. Where
/// `df` cannot tell, nothing is checked: the unpacking itself reports a full disk as well.
pub(crate) fn check_space(folder: &Path, needed: u64) -> Result<()> {
    let Ok(text) = process::capture(Command::new("df").arg("-Pk").arg(folder)) else {
        return Ok(());
    };
    match free_bytes(&text) {
        Some(free) if free < needed => Err(Error::new(format!(
            "the disk of {} has {} MB left; {} MB are needed",
            folder.display(),
            free / 1_000_000,
            needed / 1_000_000
        ))
        .mend("free some space, or choose another place with --dir")),
        _ => Ok(()),
    }
}

fn free_bytes(df: &str) -> Option<u64> {
    df.lines()
        .nth(1)?
        .split_whitespace()
        .nth(3)?
        .parse::<u64>()
        .ok()?
        .checked_mul(1024)
}

/// Says what is being done, at once even when the output is a pipe.
pub(crate) fn say(text: &str) {
    println!("{text}");
    let _ = io::stdout().flush();
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wheels_are_found_by_name_and_version() {
        let folder = tempfile::tempdir().unwrap();
        for file in [
            "nvidia_cuda_nvcc-13.0.9-py3-none-any.whl",
            "nvidia_cuda_nvcc-13.0.88-py3-none-any.whl",
            "nvidia_cuda_nvcc-13.1.2-py3-none-any.whl",
            "nvidia_cuda_nvcc_cu12-12.9.86-py3-none-any.whl",
            "notes.txt",
        ] {
            fs::write(folder.path().join(file), "").unwrap();
        }
        let find = |r: &str| {
            let (name, version) = split(r);
            newest(folder.path(), name, version).map(|w| label(&w))
        };
        assert_eq!(
            find("nvidia-cuda-nvcc==13.0.*").as_deref(),
            Some("nvidia-cuda-nvcc 13.0.88")
        );
        assert_eq!(
            find("nvidia-cuda-nvcc==13.1.*").as_deref(),
            Some("nvidia-cuda-nvcc 13.1.2")
        );
        assert_eq!(
            find("nvidia-cuda-nvcc-cu12==12.9.*").as_deref(),
            Some("nvidia-cuda-nvcc-cu12 12.9.86")
        );
        assert_eq!(find("nvidia-cuda-nvcc==14.0.*"), None);
    }

    #[test]
    fn failures_of_pip_are_explained() {
        let of = |text: &str| explain("x==1.*", text, "pip download x").to_string();
        assert!(of("OSError: [Errno 28] No space left on device").starts_with("no space left"));
        assert!(of("Failed to establish a new connection: [Errno -3] Temporary failure in name resolution\n\
                    ERROR: No matching distribution found for x").starts_with("no network"));
        assert!(of("ERROR: No matching distribution found for x==1.*").contains("has no x==1.*"));
        assert!(of("ERROR: strange").contains("strange"));
    }

    #[test]
    fn df_is_read() {
        let text =
            "Filesystem 1024-blocks Used Available Capacity Mounted on\n/dev/vda 100 40 60 40% /\n";
        assert_eq!(free_bytes(text), Some(61_440));
        assert_eq!(free_bytes("nothing"), None);
    }
}
