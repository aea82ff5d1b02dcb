//! nvcc.

use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::{env, thread};

use super::{Kernels, Unit, host};
use crate::error::Error;
use crate::toolkit::{Needs, NotFound, OLDEST, Search, Version};

pub(super) struct Nvcc {
    path: PathBuf,
    includes: Vec<PathBuf>,
}

impl Nvcc {
    /// The compiler of the toolkit found, if it is one and new enough.
    pub(super) fn find(search: &Search) -> Result<Result<Self, Error>, NotFound> {
        let toolkit = search.find(Needs::NVCC)?;
        for warning in toolkit.warnings() {
            println!("cargo::warning={warning}");
        }
        let path = toolkit.nvcc.clone().unwrap_or_else(|| "nvcc".into());
        let nvcc = Self {
            path,
            includes: toolkit.includes,
        };
        Ok(nvcc.checked(search))
    }

    fn checked(self, search: &Search) -> Result<Self, Error> {
        let text = self.ask("--version")?;
        let version = version(&text)
            .ok_or_else(|| self.useless(format!("its --version says no release:\n{text}")))?;
        if version < OLDEST {
            return Err(self.useless(format!("it is {version}, and {OLDEST} or newer is needed")));
        }
        if search.get("NVCC").is_none() {
            // SAFETY: no other thread of this build script is running yet; the ones that compile
            // are started later. `cc` takes nvcc's path from nowhere else.
            unsafe { env::set_var("NVCC", &self.path) };
        }
        Ok(self)
    }

    fn useless(&self, why: String) -> Error {
        Error::Nvcc {
            path: self.path.clone(),
            why,
        }
    }

    fn ask(&self, argument: &str) -> Result<String, Error> {
        let output = Command::new(&self.path)
            .arg(argument)
            .stdin(Stdio::null())
            .output()
            .map_err(|e| self.useless(format!("does not run: {e}")))?;
        if !output.status.success() {
            let said = String::from_utf8_lossy(&output.stderr).trim().to_owned();
            return Err(self.useless(format!("{argument} fails ({}): {said}", output.status)));
        }
        Ok(String::from_utf8_lossy(&output.stdout).into_owned())
    }

    /// What it compiles for, in ascending order.
    pub(super) fn architectures(&self) -> Result<Vec<String>, Error> {
        Ok(architectures(&self.ask("--list-gpu-arch")?))
    }

    /// Compiles the units, several at a time, into a library, and tells cargo to link it.
    pub(super) fn compile(
        &self,
        kernels: &Kernels,
        units: &[Unit],
        include: &Path,
        library: &str,
        archs: &[String],
    ) -> Result<(), Error> {
        let jobs = env::var("NUM_JOBS")
            .ok()
            .and_then(|n| n.parse().ok())
            .unwrap_or(1);
        let next = AtomicUsize::new(0);
        let work = || {
            let mut made = Vec::new();
            while let Some(unit) = units.get(next.fetch_add(1, Ordering::Relaxed)) {
                made.push((unit, self.object(kernels, unit, include, archs)));
            }
            made
        };
        let mut made = Vec::new();
        thread::scope(|scope| {
            let threads: Vec<_> = (0..units.len().min(jobs))
                .map(|_| scope.spawn(work))
                .collect();
            for thread in threads {
                made.extend(thread.join().unwrap_or_default());
            }
        });
        // The same order every time, so that the library is the same.
        made.sort_by(|a, b| a.0.path.cmp(&b.0.path));
        let objects: Result<Vec<_>, _> = made.into_iter().map(|(_, object)| object).collect();
        host::archive(objects?.into_iter().flatten().collect(), library)
    }

    fn object(
        &self,
        kernels: &Kernels,
        unit: &Unit,
        include: &Path,
        archs: &[String],
    ) -> Result<Vec<PathBuf>, Error> {
        let mut build = cc::Build::new();
        build.cuda(true);
        kernels.common(&mut build, include);
        build
            // `std` of `cc` would tell the host's compiler only.
            .flag("-std=c++17")
            // icffi-sys links the runtime, static or shared.
            .cudart("none")
            // With `debug`, nvcc would be given -G.
            .debug(false)
            // -Wall complains of the code that nvcc makes.
            .warnings(false)
            .includes(&self.includes)
            .flag(if kernels.device_debug {
                "-G"
            } else {
                "-lineinfo"
            });
        for arch in archs {
            build.flag(arch);
        }
        build
            .file(&unit.path)
            .try_compile_intermediates()
            .map_err(|e| Error::Compile {
                compiler: "nvcc",
                file: unit.of.clone(),
                why: e.to_string(),
            })
    }
}

/// From `Cuda compilation tools, release 13.0, V13.0.88`.
pub(super) fn version(text: &str) -> Option<Version> {
    let number = text
        .split("release ")
        .nth(1)?
        .split([',', ' ', '\n'])
        .next()?;
    let (major, minor) = number.split_once('.')?;
    Some(Version {
        major: major.parse().ok()?,
        minor: minor.parse().ok()?,
    })
}

/// From lines like `compute_90`.
pub(super) fn architectures(text: &str) -> Vec<String> {
    let mut found: Vec<_> = text
        .split_whitespace()
        .filter_map(|word| word.strip_prefix("compute_"))
        .map(str::to_owned)
        .collect();
    let number = |arch: &String| {
        let digits: String = arch.chars().take_while(char::is_ascii_digit).collect();
        (digits.parse::<u32>().unwrap_or(0), arch.clone())
    };
    found.sort_by_key(number);
    found.dedup();
    found
}
