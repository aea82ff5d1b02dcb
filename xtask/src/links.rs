//! Links between Unix files, where the platform has them.

use std::io;
use std::path::Path;

/// Makes `link` point to `name` in the same folder; where there are no such links, copies it.
pub(crate) fn beside(folder: &Path, name: &str, link: &str) -> io::Result<()> {
    let at = folder.join(link);
    if at.symlink_metadata().is_ok() {
        return Ok(());
    }
    #[cfg(unix)]
    return std::os::unix::fs::symlink(name, at);
    #[cfg(not(unix))]
    return std::fs::copy(folder.join(name), at).map(drop);
}
