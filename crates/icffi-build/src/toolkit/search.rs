//! The places, in order.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use super::inspect::{Parts, Target, executable, inspect, number_in};
use super::{Needs, NotFound, ROOT_VARIABLES, Toolkit, Tried};

/// A search in a given environment and file tree, so that it can be tried out on made-up ones.
#[derive(Clone, Debug)]
pub struct Search {
    variables: BTreeMap<OsString, OsString>,
    file_root: PathBuf,
    ask_python: bool,
}

/// Beyond the roots: what else changes the outcome.
const OTHER_VARIABLES: [&str; 4] = ["NVCC", "CONDA_PREFIX", "VIRTUAL_ENV", "PATH"];

impl Search {
    /// In the environment of this process.
    #[must_use]
    pub fn from_env() -> Self {
        Self {
            variables: std::env::vars_os().collect(),
            file_root: PathBuf::from("/"),
            ask_python: true,
        }
    }

    /// In an empty environment, with `root` in the place of `/` for the folders that installers
    /// use. Python is not asked.
    pub fn isolated(root: impl Into<PathBuf>) -> Self {
        Self {
            variables: BTreeMap::new(),
            file_root: root.into(),
            ask_python: false,
        }
    }

    /// Sets a variable, for this search only.
    #[must_use]
    pub fn var(mut self, name: impl Into<OsString>, value: impl Into<OsString>) -> Self {
        self.variables.insert(name.into(), value.into());
        self
    }

    /// `cargo::rerun-if-env-changed` for each variable that has a say, for build scripts.
    #[must_use]
    pub fn rerun_if_env_changed(&self) -> Vec<String> {
        let mut names: Vec<String> = Vec::new();
        for name in ROOT_VARIABLES.iter().chain(&OTHER_VARIABLES) {
            names.extend(self.forms(name));
        }
        names
            .into_iter()
            .map(|name| format!("cargo::rerun-if-env-changed={name}"))
            .collect()
    }

    /// A variable in the forms that the crate `cc` knows, the most special first.
    #[must_use]
    pub fn get(&self, name: &str) -> Option<(String, OsString)> {
        self.forms(name).into_iter().find_map(|form| {
            let value = self.variables.get(form.as_ref() as &std::ffi::OsStr)?;
            (!value.is_empty()).then(|| (form, value.clone()))
        })
    }

    fn forms(&self, name: &str) -> Vec<String> {
        let mut forms = Vec::new();
        if !matches!(name, "PATH" | "CONDA_PREFIX" | "VIRTUAL_ENV") {
            if let Some(target) = self.plain("TARGET") {
                forms.push(format!("{name}_{target}"));
                forms.push(format!("{name}_{}", target.replace('-', "_")));
                let kind = if self.plain("HOST").is_none_or(|host| host == target) {
                    "HOST"
                } else {
                    "TARGET"
                };
                forms.push(format!("{kind}_{name}"));
            }
        }
        forms.push(name.to_owned());
        forms
    }

    fn plain(&self, name: &str) -> Option<String> {
        self.variables
            .get(name.as_ref() as &std::ffi::OsStr)?
            .to_str()
            .map(str::to_owned)
    }

    fn target(&self) -> Target {
        let or = |name: &str, default: &str| self.plain(name).unwrap_or_else(|| default.into());
        Target {
            os: or("CARGO_CFG_TARGET_OS", std::env::consts::OS),
            arch: or("CARGO_CFG_TARGET_ARCH", std::env::consts::ARCH),
        }
    }

    /// Looks for a toolkit that has what is needed.
    ///
    /// # Errors
    /// [`NotFound`], which lists each place that was tried with the reason it was passed over.
    pub fn find(&self, needs: Needs) -> Result<Toolkit, NotFound> {
        let target = self.target();
        let mut tried = Vec::new();
        let nvcc = self.nvcc_by_hand(&mut tried);
        // Made one after the other: asking Python, the last but one, costs a process.
        let sources: [&Source<'_>; 6] = [
            &|_| {
                ROOT_VARIABLES
                    .iter()
                    .filter_map(|name| self.root_variable(name))
                    .collect()
            },
            &|tried| self.around_nvcc(nvcc.as_deref(), tried),
            &|_| self.usual_places(&target),
            &|tried| self.conda(tried),
            &|tried| self.python(tried),
            &|tried| self.workspace(tried),
        ];
        let unset: Vec<_> = ROOT_VARIABLES
            .iter()
            .filter(|name| self.get(name).is_none())
            .copied()
            .collect();
        if !unset.is_empty() {
            tried.push(note(unset.join(", "), "not set"));
        }
        let mut seen: Vec<PathBuf> = Vec::new();
        for source in sources {
            for candidate in source(&mut tried) {
                // One folder, reached over several links, is one place.
                let real = candidate.parts.root.canonicalize().unwrap_or_default();
                if !real.as_os_str().is_empty() && !candidate.by_hand && seen.contains(&real) {
                    continue;
                }
                match inspect(&candidate.parts, needs, &target, nvcc.as_deref()) {
                    Ok(mut toolkit) => {
                        toolkit.found_by = candidate.led_by;
                        toolkit.passed_over = tried;
                        return Ok(toolkit);
                    }
                    Err(why) => tried.push(Tried {
                        place: format!("{} ({})", candidate.parts.root.display(), candidate.led_by),
                        why,
                        by_hand: candidate.by_hand,
                    }),
                }
                seen.push(real);
            }
        }
        Err(NotFound { needs, tried })
    }

    fn root_variable(&self, name: &str) -> Option<Candidate> {
        let (form, value) = self.get(name)?;
        let root = PathBuf::from(value);
        let parts = packages(&root)
            .into_iter()
            .next()
            .unwrap_or_else(|| Parts::whole(root));
        Some(Candidate {
            parts,
            led_by: form,
            by_hand: true,
        })
    }

    /// The compiler that `NVCC` names: a path, or a name to look up on `PATH`.
    fn nvcc_by_hand(&self, tried: &mut Vec<Tried>) -> Option<PathBuf> {
        let (form, value) = self.get("NVCC")?;
        let value = PathBuf::from(value);
        let found = if value.components().count() > 1 {
            Some(value.clone()).filter(|path| executable(path))
        } else {
            self.on_path(&value)
        };
        if found.is_none() {
            tried.push(Tried {
                place: format!("{form}={}", value.display()),
                why: "no such program".into(),
                by_hand: true,
            });
        }
        found
    }

    fn on_path(&self, name: &Path) -> Option<PathBuf> {
        let path = self.variables.get("PATH".as_ref() as &std::ffi::OsStr)?;
        std::env::split_paths(path)
            .map(|folder| folder.join(name))
            .find(|p| executable(p))
    }

    /// The toolkit that a compiler belongs to: its own folder with links followed, and as named.
    fn around_nvcc(&self, by_hand: Option<&Path>, tried: &mut Vec<Tried>) -> Vec<Candidate> {
        let name = format!("nvcc{}", std::env::consts::EXE_SUFFIX);
        let (led_by, nvcc) = match by_hand {
            Some(path) => ("NVCC", path.to_path_buf()),
            None => match self.on_path(Path::new(&name)) {
                Some(path) => ("nvcc on PATH", path),
                None => {
                    tried.push(note("nvcc on PATH".into(), "not there"));
                    return Vec::new();
                }
            },
        };
        let real = nvcc.canonicalize().unwrap_or_else(|_| nvcc.clone());
        [real, nvcc]
            .iter()
            .filter_map(|path| path.parent()?.parent())
            .map(|root| Candidate {
                parts: packages_around(root).unwrap_or_else(|| Parts::whole(root.into())),
                led_by: led_by.into(),
                by_hand: false,
            })
            .collect()
    }

    fn usual_places(&self, target: &Target) -> Vec<Candidate> {
        let mut roots = Vec::new();
        if target.os == "windows" {
            let base = self
                .plain("ProgramFiles")
                .unwrap_or_else(|| r"C:\Program Files".into());
            let base = Path::new(&base).join(r"NVIDIA GPU Computing Toolkit\CUDA");
            roots.extend(newest_first(&base, "v"));
        } else {
            for (folder, prefix) in [("usr/local", "cuda"), ("opt", "cuda")] {
                let folder = self.file_root.join(folder);
                roots.push(folder.join(prefix));
                roots.extend(newest_first(&folder, "cuda-"));
            }
            for folder in ["usr/lib/cuda", "usr/lib/nvidia-cuda-toolkit", "usr"] {
                roots.push(self.file_root.join(folder));
            }
        }
        candidates(roots.into_iter().map(Parts::whole), "a usual place")
    }

    fn conda(&self, tried: &mut Vec<Tried>) -> Vec<Candidate> {
        match self.get("CONDA_PREFIX") {
            Some((_, prefix)) => candidates([Parts::whole(prefix.into())], "CONDA_PREFIX"),
            None => {
                tried.push(note("conda".into(), "CONDA_PREFIX is not set"));
                Vec::new()
            }
        }
    }

    /// Python's packages `nvidia-cuda-*`, in a virtual environment and where python3 looks.
    fn python(&self, tried: &mut Vec<Tried>) -> Vec<Candidate> {
        let mut folders = Vec::new();
        if let Some((_, root)) = self.get("VIRTUAL_ENV") {
            let root = PathBuf::from(root);
            folders.push(root.join("Lib/site-packages"));
            folders.extend(
                newest_first(&root.join("lib"), "python")
                    .into_iter()
                    .map(|python| python.join("site-packages")),
            );
        }
        if self.ask_python {
            folders.extend(ask_python());
        }
        let found: Vec<_> = folders.iter().flat_map(|folder| packages(folder)).collect();
        if found.is_empty() {
            let places: Vec<_> = folders.iter().map(|f| f.display().to_string()).collect();
            let why = if places.is_empty() {
                "python3 told of no folder of packages".to_owned()
            } else {
                format!("no nvidia-cuda-runtime in {}", places.join(", "))
            };
            tried.push(note("Python's packages".into(), &why));
        }
        candidates(found, "Python's packages")
    }

    /// `target/cuda` of the workspace, seen from a build script or from a tool run by cargo.
    fn workspace(&self, tried: &mut Vec<Tried>) -> Vec<Candidate> {
        let mut folders: Vec<PathBuf> = Vec::new();
        if let Some(target) = self.plain("CARGO_TARGET_DIR") {
            folders.push(Path::new(&target).join("cuda"));
        }
        for start in ["OUT_DIR", "CARGO_MANIFEST_DIR"] {
            let Some(start) = self.plain(start) else {
                continue;
            };
            for folder in Path::new(&start).ancestors() {
                folders.push(folder.join("target/cuda"));
                // A target folder of another name is known by the mark cargo puts there.
                if folder.join("CACHEDIR.TAG").is_file() {
                    folders.push(folder.join("cuda"));
                }
            }
        }
        let found: Vec<_> = folders
            .iter()
            .filter(|folder| folder.is_dir())
            .flat_map(|folder| {
                let mut parts = packages(folder);
                if parts.is_empty() {
                    parts.push(Parts::whole(folder.clone()));
                }
                parts
            })
            .collect();
        if found.is_empty() {
            tried.push(note(
                "target/cuda of the workspace".into(),
                "there is no such folder",
            ));
        }
        candidates(found, "target/cuda, made by cargo xtask setup")
    }
}

/// Makes candidates, or notes why it has none.
type Source<'a> = dyn Fn(&mut Vec<Tried>) -> Vec<Candidate> + 'a;

struct Candidate {
    parts: Parts,
    led_by: String,
    by_hand: bool,
}

fn candidates(parts: impl IntoIterator<Item = Parts>, led_by: &str) -> Vec<Candidate> {
    parts
        .into_iter()
        .map(|parts| Candidate {
            parts,
            led_by: led_by.into(),
            by_hand: false,
        })
        .collect()
}

fn note(place: String, why: &str) -> Tried {
    Tried {
        place,
        why: why.into(),
        by_hand: false,
    }
}

/// The toolkits among unpacked wheels: `nvidia/cu13` is whole, while CUDA 12 comes as a folder
/// for each package.
fn packages(folder: &Path) -> Vec<Parts> {
    let nvidia = folder.join("nvidia");
    let mut found: Vec<_> = newest_first(&nvidia, "cu")
        .into_iter()
        .filter(|root| root.join("include/cuda_runtime_api.h").is_file())
        // `cuda_runtime` begins with `cu` as well.
        .filter(|root| !root.ends_with("cuda_runtime"))
        .map(Parts::whole)
        .collect();
    let runtime = nvidia.join("cuda_runtime");
    if runtime.is_dir() {
        found.push(split(&nvidia));
    }
    found
}

fn split(nvidia: &Path) -> Parts {
    let compiler = nvidia.join("cuda_nvcc");
    Parts {
        root: nvidia.join("cuda_runtime"),
        includes: vec![compiler.join("include"), nvidia.join("cuda_cccl/include")],
        compiler: compiler.is_dir().then_some(compiler),
    }
}

/// For a compiler in `nvidia/cuda_nvcc`: its neighbours.
fn packages_around(root: &Path) -> Option<Parts> {
    let nvidia = root.parent()?;
    (root.ends_with("cuda_nvcc") && nvidia.join("cuda_runtime").is_dir()).then(|| split(nvidia))
}

/// The folders in `folder` whose names begin so, the highest number first.
fn newest_first(folder: &Path, prefix: &str) -> Vec<PathBuf> {
    let mut found: Vec<_> = fs::read_dir(folder)
        .into_iter()
        .flatten()
        .flatten()
        .filter(|entry| entry.file_name().to_string_lossy().starts_with(prefix))
        .map(|entry| entry.path())
        .filter(|path| path.is_dir())
        .collect();
    found.sort_by_key(|path| std::cmp::Reverse(number_in(path.file_name().unwrap_or_default())));
    found
}

fn ask_python() -> Vec<PathBuf> {
    const PROGRAM: &str = "import site\n\
        p = getattr(site, 'getsitepackages', list)() + [site.getusersitepackages()]\n\
        print('\\n'.join(p))";
    let program = if cfg!(windows) { "python" } else { "python3" };
    let output = Command::new(program)
        .args(["-c", PROGRAM])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    match output {
        Ok(output) if output.status.success() => String::from_utf8_lossy(&output.stdout)
            .lines()
            .map(PathBuf::from)
            .filter(|path| path.is_dir())
            .collect(),
        _ => Vec::new(),
    }
}
