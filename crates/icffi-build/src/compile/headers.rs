//! Headers: the project's own, and those that a file of kernels includes.

use std::collections::BTreeSet;
use std::fs;
use std::path::{Path, PathBuf};

use crate::error::Error;
use crate::signature::{self, File};

/// The folder of `icffi.h`.
///
/// # Errors
/// If this crate was copied somewhere without it.
pub fn include_dir() -> Result<PathBuf, Error> {
    let own = Path::new(env!("CARGO_MANIFEST_DIR"));
    // A published crate has a copy; in the project's tree there is a link, which may be missing
    // where the file system has none.
    let places = [own.join("include"), own.join("../../cuda-kernels/include")];
    places
        .iter()
        .find(|folder| folder.join("icffi.h").is_file())
        .map(|folder| folder.canonicalize().unwrap_or_else(|_| folder.clone()))
        .ok_or_else(|| {
            Error::Usage(format!(
                "icffi.h is neither in {} nor in {}",
                places[0].display(),
                places[1].display()
            ))
        })
}

/// The files, and all that they include in quotes, as far as it lies beside them.
pub(super) fn all(files: &[File]) -> BTreeSet<PathBuf> {
    let mut seen = BTreeSet::new();
    for file in files {
        seen.insert(file.path.clone());
        add(&file.path, &file.includes, &mut seen);
    }
    seen
}

fn add(from: &Path, includes: &[String], seen: &mut BTreeSet<PathBuf>) {
    let folder = from.parent().unwrap_or(Path::new(""));
    for name in includes {
        let path = folder.join(name);
        if !path.is_file() || !seen.insert(path.clone()) {
            continue;
        }
        // What can't be read as a source is still tracked.
        let text = fs::read_to_string(&path).unwrap_or_default();
        if let Ok(file) = signature::read(&path, &text) {
            add(&path, &file.includes, seen);
        }
    }
}
