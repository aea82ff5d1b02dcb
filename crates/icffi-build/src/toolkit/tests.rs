use std::fs;
use std::path::{Path, PathBuf};

use super::inspect::{cudart_version, number_in};
use super::{Linkage, Needs, Search, Version};

const FULL: Needs = Needs::NVCC.with_library(Linkage::Static);

fn write(path: PathBuf, text: &str) {
    fs::create_dir_all(path.parent().unwrap()).unwrap();
    fs::write(path, text).unwrap();
}

fn header(root: &Path, version: u32) {
    let text = format!("/* x */\n#define CUDART_VERSION  {version}\n");
    write(root.join("cuda_runtime_api.h"), &text);
}

fn nvcc(root: &Path) {
    let path = root
        .join("bin")
        .join(format!("nvcc{}", std::env::consts::EXE_SUFFIX));
    write(path.clone(), "#!/bin/sh\n");
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(path, fs::Permissions::from_mode(0o755)).unwrap();
    }
}

/// A toolkit as an installer leaves it.
fn toolkit(root: &Path, version: u32) {
    header(&root.join("include"), version);
    write(root.join("lib64/libcudart_static.a"), "");
    write(root.join("lib64/libcudart.so"), "");
    nvcc(root);
}

/// Finds things as on Linux, on whatever machine the tests run.
fn search(root: &Path) -> Search {
    Search::isolated(root)
        .var("CARGO_CFG_TARGET_OS", "linux")
        .var("CARGO_CFG_TARGET_ARCH", "x86_64")
}

#[test]
fn cuda_home_wins_over_usual_places() {
    let dir = tempfile::tempdir().unwrap();
    toolkit(&dir.path().join("usr/local/cuda"), 12000);
    let home = dir.path().join("mine");
    toolkit(&home, 13000);
    let found = search(dir.path())
        .var("CUDA_HOME", &home)
        .find(FULL)
        .unwrap();
    assert_eq!(found.root, home);
    assert_eq!(
        found.version,
        Version {
            major: 13,
            minor: 0
        }
    );
    assert_eq!(found.lib, Some(home.join("lib64")));
    assert_eq!(found.found_by, "CUDA_HOME");
    assert!(found.nvcc.is_some());
    assert!(found.warnings().is_empty());
}

#[test]
fn variables_for_the_target_win() {
    let dir = tempfile::tempdir().unwrap();
    let (general, special) = (dir.path().join("a"), dir.path().join("b"));
    toolkit(&general, 13000);
    toolkit(&special, 12080);
    let search = search(dir.path())
        .var("TARGET", "x86_64-unknown-linux-gnu")
        .var("CUDA_HOME", &general)
        .var("CUDA_HOME_x86_64_unknown_linux_gnu", &special);
    assert_eq!(search.find(FULL).unwrap().root, special);
    let lines = search.rerun_if_env_changed().join("\n");
    assert!(lines.contains("cargo::rerun-if-env-changed=CUDA_HOME_x86_64-unknown-linux-gnu"));
    assert!(lines.contains("cargo::rerun-if-env-changed=NVCC"));
}

#[test]
fn a_wrong_variable_is_told_even_if_another_place_is_good() {
    let dir = tempfile::tempdir().unwrap();
    toolkit(&dir.path().join("usr/local/cuda"), 12000);
    let found = search(dir.path())
        .var("CUDA_PATH", "/no/such")
        .find(FULL)
        .unwrap();
    assert_eq!(found.found_by, "a usual place");
    let warnings = found.warnings();
    assert_eq!(warnings.len(), 1, "{warnings:?}");
    assert!(warnings[0].contains("/no/such (CUDA_PATH)"), "{warnings:?}");
}

#[test]
fn the_newest_of_versioned_folders() {
    let dir = tempfile::tempdir().unwrap();
    for (name, version) in [
        ("cuda-9.2", 9020),
        ("cuda-12.9", 12090),
        ("cuda-13.0", 13000),
    ] {
        toolkit(&dir.path().join("usr/local").join(name), version);
    }
    let found = search(dir.path()).find(FULL).unwrap();
    assert_eq!(
        found.version,
        Version {
            major: 13,
            minor: 0
        }
    );
}

#[test]
fn old_versions_are_refused() {
    let dir = tempfile::tempdir().unwrap();
    toolkit(&dir.path().join("usr/local/cuda"), 11080);
    let error = search(dir.path())
        .find(Needs::HEADERS)
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("it is CUDA 11.8, and 12.0 or newer is needed"),
        "{error}"
    );
}

#[cfg(unix)]
#[test]
fn links_of_nvcc_on_path_are_followed() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("far/cuda");
    toolkit(&root, 13000);
    let bin = dir.path().join("bin");
    fs::create_dir_all(&bin).unwrap();
    std::os::unix::fs::symlink(root.join("bin/nvcc"), bin.join("nvcc")).unwrap();
    let found = search(dir.path()).var("PATH", &bin).find(FULL).unwrap();
    assert_eq!(found.root, root.canonicalize().unwrap());
    assert_eq!(found.found_by, "nvcc on PATH");
}

#[test]
fn nvcc_by_hand_is_the_compiler_of_any_toolkit() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("headers");
    header(&home.join("include"), 13000);
    nvcc(&dir.path().join("elsewhere"));
    let by_hand = dir
        .path()
        .join("elsewhere/bin")
        .join(format!("nvcc{}", std::env::consts::EXE_SUFFIX));
    let found = search(dir.path())
        .var("CUDA_HOME", &home)
        .var("NVCC", &by_hand)
        .find(Needs::NVCC)
        .unwrap();
    assert_eq!((found.root, found.nvcc), (home, Some(by_hand)));
}

#[test]
fn conda_keeps_things_under_targets() {
    let dir = tempfile::tempdir().unwrap();
    let prefix = dir.path().join("env");
    header(&prefix.join("targets/x86_64-linux/include"), 12060);
    write(
        prefix.join("targets/x86_64-linux/lib/libcudart_static.a"),
        "",
    );
    nvcc(&prefix);
    let found = search(dir.path())
        .var("CONDA_PREFIX", &prefix)
        .find(FULL)
        .unwrap();
    assert_eq!(found.include, prefix.join("targets/x86_64-linux/include"));
}

#[test]
fn wheels_of_cuda_13_are_whole_and_have_lib() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir
        .path()
        .join("v/lib/python3.11/site-packages/nvidia/cu13");
    header(&root.join("include"), 13000);
    write(root.join("lib/libcudart_static.a"), "");
    write(root.join("lib/libcudart.so.13"), "");
    nvcc(&root);
    let search = search(dir.path()).var("VIRTUAL_ENV", dir.path().join("v"));
    let found = search.find(FULL).unwrap();
    assert_eq!(found.root, root);
    assert_eq!(found.shared_lib, Some(root.join("lib/libcudart.so.13")));
    assert!(
        search
            .find(Needs::HEADERS.with_library(Linkage::Dynamic))
            .is_ok()
    );
}

#[test]
fn wheels_of_cuda_12_are_put_together() {
    let dir = tempfile::tempdir().unwrap();
    let nvidia = dir.path().join("v/lib/python3.11/site-packages/nvidia");
    header(&nvidia.join("cuda_runtime/include"), 12090);
    write(nvidia.join("cuda_runtime/lib/libcudart_static.a"), "");
    write(nvidia.join("cuda_nvcc/include/crt/host_defines.h"), "");
    nvcc(&nvidia.join("cuda_nvcc"));
    let found = search(dir.path())
        .var("VIRTUAL_ENV", dir.path().join("v"))
        .find(FULL)
        .unwrap();
    assert_eq!(
        found.version,
        Version {
            major: 12,
            minor: 9
        }
    );
    assert!(found.nvcc.unwrap().starts_with(nvidia.join("cuda_nvcc")));
    assert_eq!(
        found.includes,
        [
            nvidia.join("cuda_runtime/include"),
            nvidia.join("cuda_nvcc/include")
        ]
    );
}

#[test]
fn the_workspace_is_seen_from_a_build_script() {
    let dir = tempfile::tempdir().unwrap();
    let root = dir.path().join("w/target/cuda/nvidia/cu13");
    header(&root.join("include"), 13000);
    let out = dir.path().join("w/target/cuda-build/debug/build/x/out");
    let found = search(dir.path())
        .var("OUT_DIR", &out)
        .find(Needs::HEADERS)
        .unwrap();
    assert_eq!(found.root, root);

    // A target folder of another name.
    let root = dir.path().join("other/cuda/nvidia/cu13");
    header(&root.join("include"), 13000);
    write(dir.path().join("other/CACHEDIR.TAG"), "");
    let out = dir.path().join("other/debug/build/x/out");
    let found = search(dir.path())
        .var("OUT_DIR", &out)
        .find(Needs::HEADERS)
        .unwrap();
    assert_eq!(found.root, root);
}

#[test]
fn windows_keeps_libraries_in_lib_x64() {
    let dir = tempfile::tempdir().unwrap();
    header(&dir.path().join("include"), 13000);
    write(dir.path().join("lib/x64/cudart_static.lib"), "");
    let found = Search::isolated(dir.path().join("none"))
        .var("CARGO_CFG_TARGET_OS", "windows")
        .var("CUDA_PATH", dir.path())
        .find(Needs::HEADERS.with_library(Linkage::Static))
        .unwrap();
    assert_eq!(found.lib, Some(dir.path().join("lib/x64")));
}

#[test]
fn not_found_lists_places_and_the_fix() {
    let dir = tempfile::tempdir().unwrap();
    let home = dir.path().join("half");
    header(&home.join("include"), 13000);
    let error = search(dir.path())
        .var("CUDA_HOME", &home)
        .find(FULL)
        .unwrap_err();
    let text = error.to_string();
    for part in [
        "half (CUDA_HOME): no static runtime library in its lib64, lib",
        "ICFFI_CUDA_HOME, CUDA_PATH, CUDA_ROOT, CUDA_TOOLKIT_ROOT_DIR: not set",
        "nvcc on PATH: not there",
        "usr/local/cuda (a usual place): there is no such folder",
        "conda: CONDA_PREFIX is not set",
        "Python's packages",
        "target/cuda of the workspace",
        "cargo xtask setup",
        "the feature `sim`",
    ] {
        assert!(text.contains(part), "missing {part:?} in:\n{text}");
    }
    assert_eq!(text.lines().count(), error.lines().len());
}

#[cfg(unix)]
#[test]
fn a_compiler_without_its_execute_bit_is_told() {
    let dir = tempfile::tempdir().unwrap();
    header(&dir.path().join("include"), 13000);
    write(dir.path().join("bin/nvcc"), "");
    let error = search(&dir.path().join("none")).var("CUDA_HOME", dir.path());
    let text = error.find(Needs::NVCC).unwrap_err().to_string();
    assert!(
        text.contains("is not executable") && text.contains("chmod +x"),
        "{text}"
    );
}

#[test]
fn versions() {
    assert_eq!(
        cudart_version("#define  CUDART_VERSION 12090\n"),
        Some(Version {
            major: 12,
            minor: 9
        })
    );
    assert_eq!(
        cudart_version("#define CUDART_VERSION_X 1\n// CUDART_VERSION 3"),
        None
    );
    assert_eq!(Version::from_cudart(13000).to_cudart(), 13000);
    assert_eq!(
        Version {
            major: 12,
            minor: 9
        }
        .to_cudart(),
        12090
    );
    assert_eq!(number_in("cuda-12.9".as_ref()), [12, 9]);
}
