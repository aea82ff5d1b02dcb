//! Everything the demo can fail with, each as one line for a person.

use std::path::PathBuf;

#[derive(Debug, thiserror::Error)]
pub(crate) enum DemoError {
    #[error("cannot read image '{}': {reason}", path.display())]
    Read { path: PathBuf, reason: String },
    #[error("cannot write '{}': {reason}", path.display())]
    Write { path: PathBuf, reason: String },
    #[error("{0}")]
    Cuda(#[from] icffi::error::IcffiError),
    #[error("wrong result: {0}")]
    Wrong(String),
}
