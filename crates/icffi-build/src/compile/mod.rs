//! Compiling kernels, in a build script.

mod archs;
mod device;
mod headers;
mod host;
/// Whether the package is built for the simulator: its own feature `sim` says so, or what it
/// depends on was given that feature, by whichever package (the features of one build are joined).
fn is_for_simulator() -> bool {
    let chosen = |name: &str| {
        println!("cargo::rerun-if-env-changed={name}");
        env::var_os(name).is_some_and(|runtime| runtime == "simulator")
    };
    env::var_os("CARGO_FEATURE_SIM").is_some()
        || chosen("DEP_ICFFI_RUNTIME")
        || chosen("DEP_CUDART_RUNTIME")
}

#[cfg(test)]
mod proof_tests;
#[cfg(test)]
mod tests;

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::{env, fs};

use crate::error::{Error, Problems};
use crate::generate;
use crate::signature::{self, File};
use crate::toolkit::{NotFound, Search};

pub use headers::include_dir;

/// The linker's message about a missing library shows its name, so the name says what to do.
const MISSING: &str = "icffi_found_no_nvcc__set_CUDA_HOME_or_run_cargo_xtask_setup";

/// Files of kernels to be compiled into one library, with their Rust declarations.
///
/// In `build.rs`:
///
/// ```no_run
/// fn main() -> Result<(), icffi_build::Error> {
///     icffi_build::Kernels::new().file("kernels/wave.cu").compile("wave")?;
///     Ok(())
/// }
/// ```
///
/// and in the crate:
///
/// ```text
/// mod raw {
///     include!(concat!(env!("OUT_DIR"), "/wave.rs"));
/// }
/// ```
#[derive(Clone, Debug, Default)]
#[must_use]
pub struct Kernels {
    files: Vec<PathBuf>,
    includes: Vec<PathBuf>,
    defines: Vec<(String, Option<String>)>,
    flags: Vec<String>,
    archs: Option<String>,
    simulator: Option<bool>,
    device_debug: bool,
}

/// What became of the kernels.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Compiled {
    /// The Rust declarations: `OUT_DIR/<library>.rs`.
    pub declarations: PathBuf,
    /// The folder of `icffi.h`.
    pub include: PathBuf,
    /// How the library was made.
    pub how: How,
}

/// How a library of kernels was made.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub enum How {
    /// By nvcc, for these architectures (`-gencode` arguments).
    Nvcc(Vec<String>),
    /// By the host's compiler, for the simulator.
    Simulator,
    /// Not at all: there is no nvcc. Checking the crate works, linking a program does not.
    NoNvcc(NotFound),
    /// Not at all: documentation needs no kernels.
    DocsOnly,
}

impl Kernels {
    /// No files yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a file of kernels. Its path is relative to the crate's folder.
    pub fn file(mut self, path: impl Into<PathBuf>) -> Self {
        self.files.push(path.into());
        self
    }

    /// Adds files of kernels.
    pub fn files<P: Into<PathBuf>>(mut self, paths: impl IntoIterator<Item = P>) -> Self {
        self.files.extend(paths.into_iter().map(Into::into));
        self
    }

    /// Adds a folder of headers. The one of `icffi.h` is there already. A change of a file in it
    /// compiles the kernels anew.
    pub fn include(mut self, path: impl Into<PathBuf>) -> Self {
        self.includes.push(path.into());
        self
    }

    /// `-Dname=value`, or `-Dname`.
    pub fn define<'a>(mut self, name: &str, value: impl Into<Option<&'a str>>) -> Self {
        self.defines
            .push((name.into(), value.into().map(str::to_owned)));
        self
    }

    /// A flag for whichever compiler is used.
    pub fn flag(mut self, flag: impl Into<String>) -> Self {
        self.flags.push(flag.into());
        self
    }

    /// The GPUs to compile for: `90`, `80,90+ptx`, `native`, `portable`. The variable
    /// `ICFFI_CUDA_ARCHS` of whoever builds wins over this.
    ///
    /// A number makes machine code for that compute capability, `+ptx` adds code that later GPUs
    /// can translate. `native` is the GPU of this machine. `portable`, the default where there is
    /// no GPU, is machine code for the common ones and PTX for those to come.
    pub fn archs(mut self, archs: impl Into<String>) -> Self {
        self.archs = Some(archs.into());
        self
    }

    /// Compile for the CPU or not. The default is whether the crate's feature `sim` is on.
    pub fn simulator(mut self, on: bool) -> Self {
        self.simulator = Some(on);
        self
    }

    /// Debugging of device code (`-G`): slow code, for cuda-gdb. Without it there is still the
    /// line of each instruction (`-lineinfo`), for profilers and compute-sanitizer.
    pub fn device_debug(mut self, on: bool) -> Self {
        self.device_debug = on;
        self
    }

    /// Compiles the files into `lib<library>.a`, tells cargo to link it, and writes the
    /// declarations to `OUT_DIR/<library>.rs`.
    ///
    /// If nvcc is missing and the simulator is not asked for, this succeeds with
    /// [`How::NoNvcc`], so that `cargo check` and `cargo doc` work on any machine. cargo shows the
    /// places that were tried as warnings, and linking a program fails with a library's name that
    /// says why.
    ///
    /// # Errors
    /// A signature that Rust can't express, a file that can't be read or compiled, architectures
    /// that the compiler does not know.
    pub fn compile(&self, library: &str) -> Result<Compiled, Error> {
        let out = out_dir()?;
        if self.files.is_empty() {
            return Err(Error::Usage("Kernels::compile: no file was given".into()));
        }
        if !library.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
            || !library
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || c == '_')
        {
            return Err(Error::Usage(format!(
                "Kernels::compile: '{library}' has to be a name of letters, digits and _"
            )));
        }
        let include = include_dir()?;
        let (files, sources) = self.read()?;
        self.track(&files, &include);
        let declarations = out.join(format!("{library}.rs"));
        write(&declarations, &generate::rust(&files, library))?;
        println!("cargo::metadata=INCLUDE={}", include.display());

        let simulator = self.simulator.unwrap_or_else(is_for_simulator);
        let units = self.units(&files, &sources, library, &out)?;
        let how = if env::var_os("DOCS_RS").is_some() {
            How::DocsOnly
        } else if simulator {
            host::compile(self, &files, &units, &include, library)?;
            How::Simulator
        } else {
            self.compile_for_gpu(&units, &include, library)?
        };
        Ok(Compiled {
            declarations,
            include,
            how,
        })
    }

    fn compile_for_gpu(&self, units: &[Unit], include: &Path, library: &str) -> Result<How, Error> {
        let search = Search::from_env();
        for line in search.rerun_if_env_changed() {
            println!("{line}");
        }
        println!("cargo::rerun-if-env-changed=ICFFI_CUDA_ARCHS");
        match device::Nvcc::find(&search) {
            Ok(nvcc) => {
                let nvcc = nvcc?;
                let asked = env::var("ICFFI_CUDA_ARCHS")
                    .ok()
                    .filter(|s| !s.trim().is_empty());
                let archs = archs::choose(
                    asked.or_else(|| self.archs.clone()).as_deref(),
                    &nvcc.architectures()?,
                    archs::gpus_here,
                )
                .map_err(Error::Architectures)?;
                nvcc.compile(self, units, include, library, &archs)?;
                Ok(How::Nvcc(archs))
            }
            Err(not_found) => {
                for line in not_found.lines() {
                    println!("cargo::warning={line}");
                }
                println!("cargo::rustc-link-lib=dylib={MISSING}");
                Ok(How::NoNvcc(not_found))
            }
        }
    }

    /// Reads all signatures; with the files' real paths.
    fn read(&self) -> Result<(Vec<File>, Vec<PathBuf>), Error> {
        let mut files = Vec::new();
        let mut sources = Vec::new();
        let mut problems = Vec::new();
        for path in &self.files {
            let unreadable = |error| Error::File {
                path: path.clone(),
                error,
            };
            let text = fs::read_to_string(path).map_err(unreadable)?;
            sources.push(path.canonicalize().map_err(unreadable)?);
            match signature::read(path, &text) {
                Ok(file) => files.push(file),
                Err(more) => problems.extend(more),
            }
        }
        if !problems.is_empty() {
            return Err(Error::Signatures(Problems(problems)));
        }
        let mut seen: BTreeMap<&str, String> = BTreeMap::new();
        for file in &files {
            for kernel in &file.kernels {
                let place = format!("{}:{}", file.path.display(), kernel.line);
                if let Some(first) = seen.insert(&kernel.name, place.clone()) {
                    let name = kernel.name.clone();
                    return Err(Error::Twice {
                        name,
                        first,
                        second: place,
                    });
                }
            }
        }
        Ok((files, sources))
    }

    /// Tells cargo which files matter. `cc` does not track headers.
    fn track(&self, files: &[File], include: &Path) {
        for folder in self.includes.iter().map(PathBuf::as_path).chain([include]) {
            println!("cargo::rerun-if-changed={}", folder.display());
        }
        for path in headers::all(files) {
            println!("cargo::rerun-if-changed={}", path.display());
        }
    }

    /// Writes the files that are compiled in the place of the given ones.
    fn units(
        &self,
        files: &[File],
        sources: &[PathBuf],
        library: &str,
        out: &Path,
    ) -> Result<Vec<Unit>, Error> {
        let folder = out.join(format!("{library}_units"));
        fs::create_dir_all(&folder).map_err(|error| Error::File {
            path: folder.clone(),
            error,
        })?;
        let mut units = Vec::new();
        for (index, (file, source)) in files.iter().zip(sources).enumerate() {
            let stem = file.path.file_stem().unwrap_or_default().to_string_lossy();
            let path = folder.join(format!("{index}_{stem}.cu"));
            let text = generate::cpp(file, source, (index == 0).then_some(library));
            write(&path, &text)?;
            units.push(Unit {
                path,
                of: file.path.clone(),
            });
        }
        Ok(units)
    }

    /// What both compilers are told.
    fn common(&self, build: &mut cc::Build, include: &Path) {
        build.cpp(true).include(include).includes(&self.includes);
        for (name, value) in &self.defines {
            build.define(name, value.as_deref());
        }
        for flag in &self.flags {
            build.flag(flag);
        }
    }
}

/// A generated file, and the one that it includes.
#[derive(Clone, Debug)]
struct Unit {
    path: PathBuf,
    of: PathBuf,
}

fn out_dir() -> Result<PathBuf, Error> {
    env::var_os("OUT_DIR").map(PathBuf::from).ok_or_else(|| {
        Error::Usage("OUT_DIR is not set: Kernels::compile is for build scripts".into())
    })
}

/// Writes a file unless it is the same already, so that nothing is compiled anew for it.
fn write(path: &Path, text: &str) -> Result<(), Error> {
    if fs::read_to_string(path).is_ok_and(|old| old == text) {
        return Ok(());
    }
    fs::write(path, text).map_err(|error| Error::File {
        path: path.into(),
        error,
    })
}
