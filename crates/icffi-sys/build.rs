//! Chooses the bindings and the way to link. It finds CUDA through `icffi_build::toolkit`, the
//! one search of this project, and never fails for want of a toolkit: `cargo check`, `cargo doc`
//! and docs.rs need none. Only the final link of a program does, and says so.

use std::env;
use std::path::{Path, PathBuf};

use icffi_build::toolkit::{Linkage, Needs, Search, Toolkit, Version};

#[cfg(feature = "bindgen")]
#[path = "build/generate.rs"]
mod generate;

/// The linker's message about a missing library shows its name, so the name says what to do.
const MISSING: &str = "icffi_found_no_cuda_toolkit__set_CUDA_HOME_or_run_cargo_xtask_setup";

/// Where the runtime's symbols come from.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Mode {
    Static,
    Dynamic,
    Simulator,
    /// Nobody asked for a mode: types only, or a program that links the runtime itself.
    Nothing,
}

fn main() {
    println!("cargo::rustc-check-cfg=cfg(icffi_cuda12)");
    println!("cargo::rustc-check-cfg=cfg(icffi_generated)");
    println!("cargo::rerun-if-changed=build.rs");
    println!("cargo::rerun-if-changed=build");
    if let Err(error) = run() {
        // Each line of its own, or cargo shows the first one only.
        for line in error.lines() {
            println!("cargo::error={line}");
        }
    }
}

fn run() -> Result<(), String> {
    let mode = mode()?;
    metadata(
        "RUNTIME",
        match mode {
            Mode::Static => "static",
            Mode::Dynamic => "dynamic",
            Mode::Simulator => "simulator",
            Mode::Nothing => "none",
        },
    );
    if mode == Mode::Simulator {
        // The simulator exports CUDA 13's symbols, whatever toolkit may be on the machine.
        metadata("VERSION", &bindings_version(13).to_cudart().to_string());
        metadata("BINDINGS", "13");
        return Ok(());
    }
    if env::var_os("DOCS_RS").is_some() {
        return choose(None, None);
    }
    if mode == Mode::Nothing {
        println!(
            "cargo::warning=no link mode was chosen for icffi-sys, so a program will lack the CUDA \
             runtime's symbols: turn one of the features static, dynamic or sim on"
        );
    }

    let search = Search::from_env();
    for line in search.rerun_if_env_changed() {
        println!("{line}");
    }
    let needs = match mode {
        Mode::Static => Needs::HEADERS.with_library(Linkage::Static),
        Mode::Dynamic => Needs::HEADERS.with_library(Linkage::Dynamic),
        _ => Needs::HEADERS,
    };
    match search.find(needs) {
        Ok(toolkit) => {
            for warning in toolkit.warnings() {
                println!("cargo::warning={warning}");
            }
            println!(
                "cargo::rerun-if-changed={}",
                toolkit.include.join("cuda_runtime_api.h").display()
            );
            metadata("VERSION", &toolkit.version.to_cudart().to_string());
            metadata("ROOT", &toolkit.root.display().to_string());
            metadata("INCLUDE", &toolkit.include.display().to_string());
            if let Some(lib) = &toolkit.lib {
                metadata("LIB", &lib.display().to_string());
            }
            choose(Some(toolkit.version), Some(&toolkit.include))?;
            link(mode, &toolkit)
        }
        Err(why) => {
            if mode != Mode::Nothing {
                for line in why.lines() {
                    println!("cargo::warning={line}");
                }
                println!("cargo::rustc-link-lib=dylib={MISSING}");
            }
            choose(None, None)
        }
    }
}

fn mode() -> Result<Mode, String> {
    let on = |name: &str| env::var_os(format!("CARGO_FEATURE_{name}")).is_some();
    match (on("STATIC"), on("DYNAMIC"), on("SIM")) {
        (true, false, false) => Ok(Mode::Static),
        (false, true, false) => Ok(Mode::Dynamic),
        (false, false, true) => Ok(Mode::Simulator),
        (false, false, false) => Ok(Mode::Nothing),
        (s, d, m) => {
            let named = [(s, "static"), (d, "dynamic"), (m, "sim")];
            let named: Vec<_> = named
                .iter()
                .filter(|(on, _)| *on)
                .map(|(_, n)| *n)
                .collect();
            Err(format!(
                "icffi-sys was given {} link modes at once: {}. One program has one CUDA runtime.\n\
                 For the simulator add --no-default-features, and default-features = false where icffi \
                 crates are depended on (their default is `static`).\n\
                 `cargo tree -e features -i icffi-sys` shows who asks for which; icffi-sim asks for \
                 `sim`, so it is not built together with NVIDIA's runtime (--exclude icffi-sim).",
                named.len(),
                named.join(", ")
            ))
        }
    }
}

/// Chooses the set of bindings: generated if asked for, else the committed one that fits.
fn choose(version: Option<Version>, include: Option<&Path>) -> Result<(), String> {
    let version = generated(version, include)?.or(version);
    println!("cargo::rerun-if-env-changed=ICFFI_CUDA_VERSION");
    let major = match (version, env::var("ICFFI_CUDA_VERSION").as_deref()) {
        (Some(version), _) => version.major,
        // Without a toolkit one can still check one's code against either set.
        (None, Ok("12")) => 12,
        (None, Ok("13") | Err(_)) => 13,
        (None, Ok(other)) => {
            return Err(format!(
                "ICFFI_CUDA_VERSION is '{other}'; it can be 12 or 13"
            ));
        }
    };
    if major > 13 {
        println!(
            "cargo::warning=CUDA {major} is newer than the bindings of this icffi-sys: those of CUDA 13 are \
             used. The feature `bindgen` makes them from your headers."
        );
    }
    if version.is_none() {
        metadata("VERSION", &bindings_version(major).to_cudart().to_string());
    }
    metadata("BINDINGS", if major == 12 { "12" } else { "13" });
    if major == 12 {
        println!("cargo::rustc-cfg=icffi_cuda12");
    }
    Ok(())
}

/// What the committed files were made from.
fn bindings_version(major: u32) -> Version {
    if major == 12 {
        Version {
            major: 12,
            minor: 9,
        }
    } else {
        Version {
            major: 13,
            minor: 0,
        }
    }
}

#[cfg(not(feature = "bindgen"))]
#[allow(clippy::unnecessary_wraps)]
fn generated(_: Option<Version>, _: Option<&Path>) -> Result<Option<Version>, String> {
    Ok(None)
}

/// Generates the bindings, from the folder that `ICFFI_BINDGEN_INCLUDE` names or the toolkit's.
#[cfg(feature = "bindgen")]
fn generated(version: Option<Version>, include: Option<&Path>) -> Result<Option<Version>, String> {
    println!("cargo::rerun-if-env-changed=ICFFI_BINDGEN_INCLUDE");
    println!("cargo::rerun-if-env-changed=LIBCLANG_PATH");
    if env::var_os("DOCS_RS").is_some() {
        return Ok(None);
    }
    let by_hand = env::var_os("ICFFI_BINDGEN_INCLUDE").map(PathBuf::from);
    let Some(include) = by_hand.as_deref().or(include) else {
        return Err("the feature `bindgen` reads the headers of a CUDA toolkit, and none was found \
                    (the warnings list where). Set CUDA_HOME, or ICFFI_BINDGEN_INCLUDE to the folder of \
                    cuda_runtime_api.h."
            .into());
    };
    let version = match &by_hand {
        None => version,
        Some(folder) => {
            let root = folder.parent().unwrap_or(folder);
            let alone = Search::isolated(root.join("nowhere")).var("CUDA_HOME", root);
            Some(
                alone
                    .find(Needs::HEADERS)
                    .map_err(|e| e.to_string())?
                    .version,
            )
        }
    };
    generate::check_libclang()?;
    generate::generate(include, &out_dir().join("bindings.rs"))?;
    println!("cargo::rustc-cfg=icffi_generated");
    Ok(version)
}

fn link(mode: Mode, toolkit: &Toolkit) -> Result<(), String> {
    let windows = env::var("CARGO_CFG_TARGET_OS").is_ok_and(|os| os == "windows");
    let search = |folder: &Path| println!("cargo::rustc-link-search=native={}", folder.display());
    match mode {
        Mode::Static => {
            if let Some(folder) = toolkit.static_lib.as_deref().and_then(Path::parent) {
                search(folder);
            }
            // Not bundled: NVIDIA's code does not go into an rlib that somebody may pass on.
            println!("cargo::rustc-link-lib=static:-bundle=cudart_static");
            if !windows {
                for library in ["dl", "rt", "pthread"] {
                    println!("cargo::rustc-link-lib=dylib={library}");
                }
            }
        }
        Mode::Dynamic => {
            if let Some(library) = &toolkit.shared_lib {
                let folder = library.parent().unwrap_or(Path::new("."));
                if !windows {
                    search(&linked_names(folder)?);
                }
                search(folder);
            }
            println!("cargo::rustc-link-lib=dylib=cudart");
        }
        Mode::Simulator | Mode::Nothing => {}
    }
    Ok(())
}

/// A folder of our own with links to the shared library under each of its names, for two reasons:
/// Python's packages have `libcudart.so.13` only, while `-lcudart` looks for `libcudart.so`; and
/// `cargo run` and `cargo test` let programs load from the build's own folders, no others.
fn linked_names(folder: &Path) -> Result<PathBuf, String> {
    let place = out_dir().join("lib");
    let make = || -> std::io::Result<()> {
        std::fs::create_dir_all(&place)?;
        let mut names = vec!["libcudart.so".to_owned()];
        for entry in std::fs::read_dir(folder)? {
            let name = entry?.file_name().to_string_lossy().into_owned();
            if name.starts_with("libcudart.so.") {
                names.push(name);
            }
        }
        for name in &names {
            let link = place.join(name);
            if link.symlink_metadata().is_ok() {
                std::fs::remove_file(&link)?;
            }
            let own = folder.join(name);
            // The one that has a version stands in for the one that has none.
            let library = if own.is_file() {
                own
            } else {
                folder.join(&names[names.len() - 1])
            };
            #[cfg(unix)]
            std::os::unix::fs::symlink(library, link)?;
            #[cfg(not(unix))]
            std::fs::copy(library, link).map(drop)?;
        }
        Ok(())
    };
    make().map_err(|e| format!("cannot make links to {}: {e}", folder.display()))?;
    Ok(place)
}

fn out_dir() -> PathBuf {
    PathBuf::from(env::var_os("OUT_DIR").expect("cargo sets OUT_DIR"))
}

/// Dependents see `DEP_CUDART_<KEY>`.
fn metadata(key: &str, value: &str) {
    println!("cargo::metadata={key}={value}");
}
