//! `cargo xtask setup`: a complete CUDA compiler without an installer and without root.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

use crate::process::{self, Context, Error, Result};
use crate::wheels::{self, Pip, say};
use crate::{links, workspace};

/// Get a complete CUDA compiler from PyPI into target/cuda (about 105 MB to download).
///
/// Needs python3 with pip, no root and no GPU. nvcc also needs a C++ compiler on the PATH. An
/// interrupted setup goes on where it was; one that is done is left as it is.
#[derive(Debug, clap::Args)]
pub(crate) struct Args {
    /// Where to put the toolkit; elsewhere than target/cuda, set CUDA_HOME to it afterwards.
    #[arg(long, value_name = "DIR")]
    dir: Option<PathBuf>,
    /// The CUDA release: 13.0 or later (the wheels of CUDA 12 do not contain nvcc).
    #[arg(long, value_name = "MAJOR.MINOR", default_value = "13.0")]
    cuda: String,
    /// Make it anew even if it is there.
    #[arg(long)]
    force: bool,
    /// Also get what `cargo xtask bindgen` needs (libclang and the headers of CUDA 12 and 13).
    #[arg(long)]
    bindgen: bool,
}

/// What together makes a toolkit. All of a release, at its newest patch level.
const PACKAGES: [&str; 5] = [
    "nvidia-cuda-nvcc",
    "nvidia-cuda-crt",
    "nvidia-nvvm",
    "nvidia-cuda-runtime",
    "nvidia-cuda-cccl",
];

/// Written last: a folder that has it is complete, and it says what is in it.
const RECORD: &str = "icffi-setup.txt";

/// The beginning of the name of the folder in which a toolkit is made.
const WORK: &str = ".cuda-setup-";

/// Wheels and the unpacked toolkit together, with some room.
const SPACE: u64 = 600_000_000;

pub(crate) fn run(args: &Args) -> Result<()> {
    let place = args
        .dir
        .clone()
        .unwrap_or_else(|| workspace::root().join("target/cuda"));
    let place =
        std::path::absolute(&place).context(|| format!("cannot resolve {}", place.display()))?;
    toolkit(&place, &args.cuda, args.force)?;
    // Build scripts that found no toolkit are asked again when they change, not when one appears.
    if let Ok(script) = fs::File::options()
        .append(true)
        .open(workspace::root().join("crates/icffi-sys/build.rs"))
    {
        let _ = script.set_modified(std::time::SystemTime::now());
    }
    if args.dir.is_some() {
        say(&format!("to use it: export CUDA_HOME={}", place.display()));
    }
    if args.bindgen {
        super::bindgen::fetch()?;
    }
    Ok(())
}

fn toolkit(place: &Path, cuda: &str, force: bool) -> Result<()> {
    check_version(cuda)?;
    let record = place.join(RECORD);
    if let (false, Ok(text)) = (force, fs::read_to_string(&record)) {
        if text.lines().next() == Some(&*title(cuda)) {
            say(&format!(
                "{} is complete:\n{}",
                place.display(),
                indented(&text)
            ));
            return verify(place);
        }
    } else if place.exists() && !record.exists() && !is_empty(place) {
        return Err(Error::new(format!(
            "{} is there, but was not made by this command",
            place.display()
        ))
        .mend("choose another place with --dir, or remove it"));
    }

    let parent = place.parent().unwrap_or(place);
    fs::create_dir_all(parent).context(|| format!("cannot make {}", parent.display()))?;
    wheels::check_space(parent, SPACE)?;
    let pip = Pip::find()?;
    let store = wheel_store();
    let mut found = Vec::new();
    for (i, package) in PACKAGES.iter().enumerate() {
        say(&format!("[{}/{}] {package} {cuda}", i + 1, PACKAGES.len()));
        found.push(pip.download(&format!("{package}=={cuda}.*"), &store)?);
    }

    sweep(parent);
    // Made beside its place and moved there when it works: nobody ever sees half a toolkit.
    let work = tempfile::Builder::new()
        .prefix(WORK)
        .tempdir_in(parent)
        .context(|| format!("cannot make a folder in {}", parent.display()))?;
    say("unpacking");
    pip.unpack(&found, work.path())?;
    let made = unpacked_root(work.path())?;
    finish_layout(&made)?;
    say("checking that nvcc compiles");
    verify(&made)?;
    let mut text = title(cuda);
    for wheel in &found {
        text.push('\n');
        text.push_str(&wheels::label(wheel));
    }
    text.push('\n');
    fs::write(made.join(RECORD), &text).context(|| format!("cannot write {RECORD}"))?;
    replace(&made, place, work.path())?;
    say(&format!(
        "{} is ready:\n{}",
        place.display(),
        indented(&text)
    ));
    Ok(())
}

/// Removes what an interrupted setup left beside the place. One that is an hour old is not one
/// that runs now.
fn sweep(parent: &Path) {
    let Ok(entries) = fs::read_dir(parent) else {
        return;
    };
    for entry in entries.flatten() {
        let ours = entry.file_name().to_string_lossy().starts_with(WORK);
        let age = entry
            .metadata()
            .and_then(|m| m.modified())
            .ok()
            .and_then(|t| t.elapsed().ok());
        if ours && age.is_some_and(|age| age > std::time::Duration::from_secs(3600)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}

/// Downloads are shared by all that this project gets from PyPI, and kept.
pub(crate) fn wheel_store() -> PathBuf {
    workspace::root().join("target/wheels")
}

fn title(cuda: &str) -> String {
    format!("CUDA {cuda} from PyPI")
}

fn indented(text: &str) -> String {
    text.lines()
        .map(|l| format!("  {l}"))
        .collect::<Vec<_>>()
        .join("\n")
}

fn is_empty(folder: &Path) -> bool {
    fs::read_dir(folder).is_ok_and(|mut entries| entries.next().is_none())
}

fn check_version(cuda: &str) -> Result<()> {
    let numbers = cuda
        .split_once('.')
        .and_then(|(major, minor)| Some((major.parse::<u32>().ok()?, minor.parse::<u32>().ok()?)));
    match numbers {
        Some((major, _)) if major >= 13 => Ok(()),
        Some(_) => Err(Error::new(format!(
            "PyPI has no complete compiler of CUDA {cuda}: its wheels lack nvcc"
        ))
        .mend("take 13.0 or later, or install that toolkit and set CUDA_HOME")),
        None => Err(Error::new(format!("'{cuda}' is no CUDA release"))
            .mend("cargo xtask setup --cuda 13.0")),
    }
}

/// The wheels put everything under `nvidia/cu13`.
fn unpacked_root(work: &Path) -> Result<PathBuf> {
    let nvidia = work.join("nvidia");
    let entries = fs::read_dir(&nvidia).context(|| "the wheels have no folder 'nvidia'".into())?;
    entries
        .flatten()
        .map(|e| e.path())
        .find(|p| p.join("bin/nvcc").exists() || p.join("bin/nvcc.exe").exists())
        .ok_or_else(|| {
            Error::new("the wheels hold no nvcc: their layout is not the one of CUDA 13.0")
        })
}

/// What unzipping loses and what an installer would have added.
fn finish_layout(toolkit: &Path) -> Result<()> {
    for folder in ["bin", "bin/crt", "nvvm/bin"] {
        make_executable(&toolkit.join(folder))?;
    }
    let lib = toolkit.join("lib");
    if let Ok(entries) = fs::read_dir(&lib) {
        for entry in entries.flatten() {
            let name = entry.file_name().to_string_lossy().into_owned();
            // The linker looks for the name without a version.
            if let Some((stem, _)) = name.split_once(".so.") {
                links::beside(&lib, &name, &format!("{stem}.so"))
                    .context(|| format!("cannot link {stem}.so"))?;
            }
        }
    }
    Ok(())
}

#[cfg(unix)]
fn make_executable(folder: &Path) -> Result<()> {
    use std::os::unix::fs::PermissionsExt;
    let Ok(entries) = fs::read_dir(folder) else {
        return Ok(());
    };
    for entry in entries.flatten() {
        let path = entry.path();
        if path.is_file() {
            fs::set_permissions(&path, fs::Permissions::from_mode(0o755))
                .context(|| format!("cannot make {} executable", path.display()))?;
        }
    }
    Ok(())
}

#[cfg(not(unix))]
fn make_executable(_: &Path) -> Result<()> {
    Ok(())
}

/// Moves the finished folder to its place; what was there goes with the work folder.
fn replace(made: &Path, place: &Path, work: &Path) -> Result<()> {
    if place.exists() {
        fs::rename(place, work.join("old"))
            .context(|| format!("cannot move {} away", place.display()))?;
    }
    fs::rename(made, place).context(|| format!("cannot move the toolkit to {}", place.display()))
}

/// The proof: nvcc runs and makes an object of a kernel.
fn verify(toolkit: &Path) -> Result<()> {
    let nvcc = toolkit
        .join("bin")
        .join(format!("nvcc{}", std::env::consts::EXE_SUFFIX));
    let version = process::capture(Command::new(&nvcc).arg("--version"))
        .map_err(|e| e.mend("cargo xtask setup --force (makes it anew)"))?;
    let folder = tempfile::tempdir().context(|| "cannot make a temporary folder".into())?;
    let source = folder.path().join("tiny.cu");
    fs::write(
        &source,
        "#include <cuda_runtime.h>\n__global__ void tiny(float* x) { x[threadIdx.x] *= 2.0f; }\n",
    )
    .context(|| "cannot write the test kernel".into())?;
    let mut compile = Command::new(&nvcc);
    compile
        .arg("-c")
        .arg(&source)
        .arg("-o")
        .arg(folder.path().join("tiny.o"));
    process::capture(&mut compile).map_err(|e| {
        let text = e.to_string();
        if text.contains("unsupported GNU version") || text.contains("unsupported clang version") {
            e.mend("install a C++ compiler that this CUDA knows and name it in NVCC_CCBIN (say, g++-12)")
        } else if text.contains("No such file or directory") || text.contains("Failed to preprocess host compiler") {
            e.mend("nvcc needs a C++ compiler: install one (Debian, Ubuntu: apt-get install g++)")
        } else {
            e
        }
    })?;
    let line = version
        .lines()
        .find(|l| l.contains("release"))
        .unwrap_or("nvcc");
    say(&format!("nvcc works: {}", line.trim()));
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_releases_with_a_compiler_are_taken() {
        assert!(check_version("13.0").is_ok());
        assert!(check_version("14.2").is_ok());
        assert!(
            check_version("12.9")
                .unwrap_err()
                .to_string()
                .contains("lack nvcc")
        );
        assert!(
            check_version("13")
                .unwrap_err()
                .to_string()
                .contains("--cuda 13.0")
        );
        assert!(check_version("13.x").is_err());
    }

    #[test]
    fn an_unpacked_tree_gets_what_it_lacks() {
        let work = tempfile::tempdir().unwrap();
        let toolkit = work.path().join("nvidia/cu13");
        fs::create_dir_all(toolkit.join("bin")).unwrap();
        fs::create_dir_all(toolkit.join("lib")).unwrap();
        assert!(unpacked_root(work.path()).is_err());
        fs::write(toolkit.join("bin/nvcc"), "").unwrap();
        fs::write(toolkit.join("lib/libcudart.so.13"), "lib").unwrap();
        assert_eq!(unpacked_root(work.path()).unwrap(), toolkit);
        finish_layout(&toolkit).unwrap();
        assert_eq!(
            fs::read_to_string(toolkit.join("lib/libcudart.so")).unwrap(),
            "lib"
        );
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            let mode = fs::metadata(toolkit.join("bin/nvcc"))
                .unwrap()
                .permissions()
                .mode();
            assert_eq!(mode & 0o111, 0o111);
        }

        let place = work.path().join("cuda");
        fs::create_dir(&place).unwrap();
        fs::write(place.join("stale"), "").unwrap();
        replace(&toolkit, &place, work.path()).unwrap();
        assert!(place.join("bin/nvcc").exists() && !place.join("stale").exists());
    }

    #[test]
    fn a_foreign_folder_is_left_alone() {
        let work = tempfile::tempdir().unwrap();
        fs::write(work.path().join("precious"), "").unwrap();
        let error = toolkit(work.path(), "13.0", false).unwrap_err().to_string();
        assert!(error.contains("was not made by this command"), "{error}");
        assert!(work.path().join("precious").exists());
    }
}
