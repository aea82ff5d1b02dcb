//! What goes wrong in a build.

use std::fmt;
use std::io;
use std::path::PathBuf;

use crate::signature::Problem;

/// Why kernels could not be compiled.
///
/// `Debug` prints the same as `Display`, because that is what `fn main() -> Result<…>` of a build
/// script shows.
#[derive(thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Signatures that Rust can't express.
    #[error("{}", lines(.0))]
    Signatures(Problems),
    /// Two kernels of one name.
    #[error("the kernel {name} is defined twice: {first} and {second}")]
    Twice {
        /// The kernel.
        name: String,
        /// File and line.
        first: String,
        /// File and line.
        second: String,
    },
    /// A list of architectures that can't be used.
    #[error("ICFFI_CUDA_ARCHS or archs(): {0}")]
    Architectures(String),
    /// The compiler is of no use.
    #[error("{path}: {why}", path = .path.display())]
    Nvcc {
        /// The compiler.
        path: PathBuf,
        /// What is wrong with it.
        why: String,
    },
    /// The compiler refused a file.
    #[error(
        "{compiler} could not compile {file}; what it said stands above, with the warnings of cargo\n{why}",
        file = .file.display()
    )]
    Compile {
        /// `nvcc`, or the host's compiler.
        compiler: &'static str,
        /// The file of kernels.
        file: PathBuf,
        /// The last words of the compiler.
        why: String,
    },
    /// A file could not be read or written.
    #[error("{path}: {error}", path = .path.display())]
    File {
        /// The file.
        path: PathBuf,
        /// What happened.
        error: io::Error,
    },
    /// Used in a wrong way, or not in a build script.
    #[error("{0}")]
    Usage(String),
}

impl fmt::Debug for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

/// Signatures with something wrong, each with file, line and what is allowed.
#[derive(Clone, Debug)]
pub struct Problems(pub(crate) Vec<Problem>);

fn lines(problems: &Problems) -> String {
    let lines: Vec<_> = problems.0.iter().map(ToString::to_string).collect();
    format!(
        "a kernel's signature can't be expressed in Rust:\n{}",
        lines.join("\n")
    )
}
