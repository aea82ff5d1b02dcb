//! Looking at one candidate.

use std::ffi::OsStr;
use std::fs;
use std::path::{Path, PathBuf};

use super::{Linkage, Needs, OLDEST, Toolkit, Version};

/// The machine that the program is built for.
#[derive(Clone, Debug)]
pub(super) struct Target {
    pub(super) os: String,
    pub(super) arch: String,
}

impl Target {
    fn windows(&self) -> bool {
        self.os == "windows"
    }

    /// NVIDIA's names of the folders under `targets/`.
    fn cross_folders(&self) -> &'static [&'static str] {
        match self.arch.as_str() {
            "aarch64" => &["sbsa-linux", "aarch64-linux"],
            _ => &["x86_64-linux"],
        }
    }

    fn include_folders(&self, root: &Path) -> Vec<PathBuf> {
        let mut folders = vec![root.join("include")];
        folders.extend(
            self.cross_folders()
                .iter()
                .map(|t| root.join("targets").join(t).join("include")),
        );
        if self.windows() {
            folders.push(root.join("Library/include"));
            folders.push(root.join("Library/include/targets/x64"));
        }
        folders
    }

    fn library_folders(&self, root: &Path) -> Vec<PathBuf> {
        if self.windows() {
            return ["lib/x64", "Library/lib/x64", "Library/lib", "lib"]
                .map(|f| root.join(f))
                .to_vec();
        }
        let mut folders = vec![root.join("lib64"), root.join("lib")];
        folders.extend(
            self.cross_folders()
                .iter()
                .map(|t| root.join("targets").join(t).join("lib")),
        );
        // Debian's own package.
        folders.push(root.join("lib").join(format!("{}-linux-gnu", self.arch)));
        folders
    }

    pub(super) fn nvcc_in(&self, root: &Path) -> Option<PathBuf> {
        // The compiler runs where the build runs, so its name is the build machine's.
        let name = format!("nvcc{}", std::env::consts::EXE_SUFFIX);
        ["bin", "Library/bin"]
            .iter()
            .map(|b| root.join(b).join(&name))
            .find(|p| p.is_file())
    }
}

/// The folders that together are a toolkit: mostly one.
#[derive(Clone, Debug)]
pub(super) struct Parts {
    /// The root of headers and libraries.
    pub(super) root: PathBuf,
    /// The root of the compiler, if that is another one.
    pub(super) compiler: Option<PathBuf>,
    /// More include folders.
    pub(super) includes: Vec<PathBuf>,
}

impl Parts {
    pub(super) fn whole(root: PathBuf) -> Self {
        Self {
            root,
            compiler: None,
            includes: Vec::new(),
        }
    }
}

/// Checks whether a candidate has what is needed; if not, says why.
pub(super) fn inspect(
    parts: &Parts,
    needs: Needs,
    target: &Target,
    nvcc_by_hand: Option<&Path>,
) -> Result<Toolkit, String> {
    let root = &parts.root;
    if !root.is_dir() {
        return Err("there is no such folder".into());
    }
    let folders = target.include_folders(root);
    let Some(include) = folders
        .iter()
        .find(|f| f.join("cuda_runtime_api.h").is_file())
    else {
        return Err(format!("no cuda_runtime_api.h in {}", list(root, &folders)));
    };
    let header = include.join("cuda_runtime_api.h");
    let text = fs::read_to_string(&header)
        .map_err(|e| format!("{} cannot be read: {e}", header.display()))?;
    let Some(version) = cudart_version(&text) else {
        return Err(format!(
            "{} does not define CUDART_VERSION",
            header.display()
        ));
    };
    if version < OLDEST {
        return Err(format!(
            "it is CUDA {version}, and {OLDEST} or newer is needed"
        ));
    }

    let folders = target.library_folders(root);
    let static_lib = library(&folders, |name| {
        name == if target.windows() {
            "cudart_static.lib"
        } else {
            "libcudart_static.a"
        }
    });
    let shared_lib = library(&folders, |name| {
        if target.windows() {
            name == "cudart.lib"
        } else {
            name == "libcudart.so" || name.starts_with("libcudart.so.")
        }
    });
    let wanted = match needs.library {
        Some(Linkage::Static) if static_lib.is_none() => {
            return Err(format!(
                "no static runtime library in {}",
                list(root, &folders)
            ));
        }
        Some(Linkage::Dynamic) if shared_lib.is_none() => {
            return Err(format!(
                "no shared runtime library in {}",
                list(root, &folders)
            ));
        }
        Some(Linkage::Dynamic) => shared_lib.as_ref(),
        _ => static_lib.as_ref().or(shared_lib.as_ref()),
    };
    let lib = wanted.and_then(|file| file.parent()).map(Path::to_path_buf);

    let compiler = parts.compiler.as_ref().unwrap_or(root);
    let nvcc = nvcc_by_hand
        .map(Path::to_path_buf)
        .or_else(|| target.nvcc_in(compiler));
    if needs.nvcc {
        match &nvcc {
            None => return Err(format!("no nvcc in {}", compiler.join("bin").display())),
            Some(path) if !executable(path) => {
                return Err(format!(
                    "{0} is not executable (a wheel that was unpacked by hand? chmod +x {0})",
                    path.display()
                ));
            }
            Some(_) => {}
        }
    }
    let mut includes = vec![include.clone()];
    includes.extend(parts.includes.iter().filter(|f| f.is_dir()).cloned());
    Ok(Toolkit {
        root: root.clone(),
        include: include.clone(),
        includes,
        lib,
        static_lib,
        shared_lib,
        nvcc,
        version,
        found_by: String::new(),
        passed_over: Vec::new(),
    })
}

/// `CUDART_VERSION` of the header's text.
pub(super) fn cudart_version(header: &str) -> Option<Version> {
    header.lines().find_map(|line| {
        let mut words = line.trim_start().strip_prefix('#')?.split_whitespace();
        if words.next() != Some("define") || words.next() != Some("CUDART_VERSION") {
            return None;
        }
        words.next()?.parse().ok().map(Version::from_cudart)
    })
}

/// The first file that `accept` takes; of several in one folder, the one with the shortest name
/// (`libcudart.so` before `libcudart.so.13`).
fn library(folders: &[PathBuf], accept: impl Fn(&str) -> bool) -> Option<PathBuf> {
    folders.iter().find_map(|folder| {
        let mut names: Vec<_> = fs::read_dir(folder)
            .ok()?
            .flatten()
            .filter_map(|entry| entry.file_name().into_string().ok())
            .filter(|name| accept(name))
            .collect();
        names.sort_by_key(|name| (name.len(), name.clone()));
        names.first().map(|name| folder.join(name))
    })
}

fn list(root: &Path, folders: &[PathBuf]) -> String {
    let names: Vec<_> = folders
        .iter()
        .map(|f| f.strip_prefix(root).unwrap_or(f).display().to_string())
        .collect();
    format!("its {}", names.join(", "))
}

#[cfg(unix)]
pub(super) fn executable(path: &Path) -> bool {
    use std::os::unix::fs::PermissionsExt;
    fs::metadata(path).is_ok_and(|m| m.is_file() && m.permissions().mode() & 0o111 != 0)
}

#[cfg(not(unix))]
pub(super) fn executable(path: &Path) -> bool {
    path.is_file()
}

/// The number in `cuda-12.9` or `cu13`, for sorting.
pub(super) fn number_in(name: &OsStr) -> Vec<u32> {
    name.to_string_lossy()
        .split(|c: char| !c.is_ascii_digit())
        .filter_map(|digits| digits.parse().ok())
        .collect()
}
