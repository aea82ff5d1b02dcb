//! Where CUDA is: the one search that build scripts and tools of this project share.
//!
//! ```no_run
//! use icffi_build::toolkit::{self, Linkage, Needs};
//!
//! match toolkit::find(Needs::HEADERS.with_library(Linkage::Static)) {
//!     Ok(cuda) => println!("CUDA {} in {}", cuda.version, cuda.root.display()),
//!     Err(why) => eprintln!("{why}"), // each place that was tried, and what to do
//! }
//! ```
//!
//! The order is: `ICFFI_CUDA_HOME`, `CUDA_HOME`, `CUDA_PATH`, `CUDA_ROOT`,
//! `CUDA_TOOLKIT_ROOT_DIR`, the compiler that `NVCC` names, `nvcc` on `PATH`, the folders that
//! installers use, conda, Python's packages, and last `target/cuda` of the workspace, which is
//! where `cargo xtask setup` puts it. Of each variable the forms that `cc` knows come first:
//! `CUDA_HOME_x86_64_unknown_linux_gnu`, `TARGET_CUDA_HOME`, then the plain one.

mod inspect;
mod search;
#[cfg(test)]
mod tests;

use std::fmt;
use std::path::PathBuf;

pub use search::Search;

/// The variables that name the root of a toolkit, the first one set wins.
pub const ROOT_VARIABLES: [&str; 5] = [
    "ICFFI_CUDA_HOME",
    "CUDA_HOME",
    "CUDA_PATH",
    "CUDA_ROOT",
    "CUDA_TOOLKIT_ROOT_DIR",
];

/// The oldest version that can be used.
pub const OLDEST: Version = Version {
    major: 12,
    minor: 0,
};

/// Searches with the environment of this process. See [`Search`] for more control.
///
/// # Errors
/// [`NotFound`], which lists each place that was tried with the reason it was passed over.
pub fn find(needs: Needs) -> Result<Toolkit, NotFound> {
    Search::from_env().find(needs)
}

/// A CUDA version.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct Version {
    /// 13 of 13.0.
    pub major: u32,
    /// 0 of 13.0.
    pub minor: u32,
}

impl Version {
    /// From `CUDART_VERSION`: 13000 is 13.0, 12090 is 12.9.
    #[must_use]
    pub const fn from_cudart(number: u32) -> Self {
        Self {
            major: number / 1000,
            minor: number % 1000 / 10,
        }
    }

    /// As in `CUDART_VERSION`.
    #[must_use]
    pub const fn to_cudart(self) -> u32 {
        self.major * 1000 + self.minor * 10
    }
}

impl fmt::Display for Version {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}.{}", self.major, self.minor)
    }
}

/// How the runtime is to be linked.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Linkage {
    /// `libcudart_static.a`, `cudart_static.lib`.
    Static,
    /// `libcudart.so`, `cudart.lib`.
    Dynamic,
}

/// What a toolkit must have to be of use. Headers it must always have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Needs {
    library: Option<Linkage>,
    nvcc: bool,
}

impl Needs {
    /// The headers only.
    pub const HEADERS: Self = Self {
        library: None,
        nvcc: false,
    };
    /// The headers and the compiler.
    pub const NVCC: Self = Self {
        library: None,
        nvcc: true,
    };

    /// Also the runtime's library.
    #[must_use]
    pub const fn with_library(mut self, linkage: Linkage) -> Self {
        self.library = Some(linkage);
        self
    }

    /// Also the compiler.
    #[must_use]
    pub const fn with_nvcc(mut self) -> Self {
        self.nvcc = true;
        self
    }
}

impl fmt::Display for Needs {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("headers")?;
        match self.library {
            Some(Linkage::Static) => f.write_str(", the static runtime library")?,
            Some(Linkage::Dynamic) => f.write_str(", the shared runtime library")?,
            None => {}
        }
        if self.nvcc {
            f.write_str(", nvcc")
        } else {
            Ok(())
        }
    }
}

/// A CUDA toolkit. What was not asked for may be missing.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Toolkit {
    /// Its folder; for packages that are split over several folders, the one of the headers.
    pub root: PathBuf,
    /// The folder of `cuda_runtime_api.h`.
    pub include: PathBuf,
    /// All include folders, `include` first. More than one where packages are split.
    pub includes: Vec<PathBuf>,
    /// The folder of the runtime's library.
    pub lib: Option<PathBuf>,
    /// The static runtime library.
    pub static_lib: Option<PathBuf>,
    /// The shared runtime library (`cudart.lib` on Windows). Python's packages have
    /// `libcudart.so.13` without the link `libcudart.so` that `-lcudart` needs.
    pub shared_lib: Option<PathBuf>,
    /// The compiler.
    pub nvcc: Option<PathBuf>,
    /// From `cuda_runtime_api.h`.
    pub version: Version,
    /// What led here: `CUDA_HOME`, `nvcc on PATH`, …
    pub found_by: String,
    /// The places that came before and were of no use.
    pub passed_over: Vec<Tried>,
}

impl Toolkit {
    /// One sentence for each place that somebody named by hand and that could not be used, for
    /// `cargo::warning`: it is surprising to get another toolkit than the one asked for.
    #[must_use]
    pub fn warnings(&self) -> Vec<String> {
        self.passed_over
            .iter()
            .filter(|tried| tried.by_hand)
            .map(|tried| {
                format!(
                    "{tried}; using {} ({}) instead",
                    self.root.display(),
                    self.found_by
                )
            })
            .collect()
    }
}

/// A place that was looked at, and why it was not good.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Tried {
    /// The place, with what led to it.
    pub place: String,
    /// What was wrong with it.
    pub why: String,
    /// Somebody named this place in a variable.
    pub by_hand: bool,
}

impl fmt::Display for Tried {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.why)
    }
}

/// No place had what is needed.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NotFound {
    /// What was looked for.
    pub needs: Needs,
    /// Each place that was tried, in order.
    pub tried: Vec<Tried>,
}

impl NotFound {
    /// What to do about it.
    pub const FIX: &'static str = "install CUDA 12 or newer, or set CUDA_HOME to its folder, or in \
        a checkout of icffi run `cargo xtask setup` (no root needed); to run without CUDA and \
        without a GPU, turn the feature `sim` on instead, of every icffi crate that the program \
        depends on directly (`default-features = false, features = [\"sim\"]`)";

    /// The message in lines, for `cargo::warning`, which takes one line at a time.
    #[must_use]
    pub fn lines(&self) -> Vec<String> {
        let mut lines = vec![format!(
            "no CUDA toolkit found (needed: {}). Tried:",
            self.needs
        )];
        lines.extend(self.tried.iter().map(|tried| format!("  {tried}")));
        lines.push(format!("To mend it: {}", Self::FIX));
        lines
    }
}

impl fmt::Display for NotFound {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.lines().join("\n"))
    }
}

impl std::error::Error for NotFound {}
