//! Which CUDA runtime this program was linked with.

/// The CUDA runtime behind the calls of this program.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Runtime {
    /// NVIDIA's own runtime, on a GPU.
    Cuda,
    /// `icffi-sim`, on the CPU.
    Simulator,
}

impl std::fmt::Display for Runtime {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::Cuda => "CUDA",
            Self::Simulator => "simulator",
        })
    }
}

/// Which runtime is linked. Decided when the program was built, by the feature `sim` of the
/// package that makes it; never chosen at run time.
///
/// ```
/// assert_eq!(icffi::runtime(), icffi::Runtime::Simulator);
/// ```
#[must_use]
pub const fn runtime() -> Runtime {
    if cfg!(feature = "sim") {
        Runtime::Simulator
    } else {
        Runtime::Cuda
    }
}
