//! The self-contained folder of the GPU suite.

use std::fs;
use std::path::{Path, PathBuf};

use serde_json::Value;

use crate::process::{self, Context, Error, Result};
use crate::{toolkit, workspace};

/// The script that runs in the folder. It is a file of its own so that it reads as what it is.
const RUN: &str = include_str!("pack/run.sh");

/// A folder that is larger does not travel easily.
const LARGEST: u64 = 60 << 20;

/// One program of the suite, as cargo reports it.
#[derive(Debug, PartialEq, Eq)]
struct Program {
    name: String,
    path: PathBuf,
    is_test: bool,
}

/// Builds the suite against NVIDIA's runtime and fills `folder`, which appears only when complete.
pub(crate) fn make(folder: &Path, archs: Option<&str>) -> Result<()> {
    if folder.exists()
        && !folder.join("run").exists()
        && fs::read_dir(folder).is_ok_and(|mut d| d.next().is_some())
    {
        return Err(Error::new(format!(
            "{} is there and was not made by this command",
            folder.display()
        ))
        .mend("name another folder with --pack, or remove it"));
    }
    println!("building the suite for the GPU (release)");
    let programs = build(archs)?;
    let parent = folder.parent().unwrap_or(folder);
    fs::create_dir_all(parent).context(|| format!("cannot make {}", parent.display()))?;
    let work = tempfile::Builder::new()
        .prefix(".gpu-suite-")
        .tempdir_in(parent)
        .context(|| format!("cannot make a folder in {}", parent.display()))?;
    let made = work.path().join("suite");
    fill(&made, &programs)?;
    if folder.exists() {
        fs::rename(folder, work.path().join("old"))
            .context(|| format!("cannot replace {}", folder.display()))?;
    }
    fs::rename(&made, folder).context(|| format!("cannot make {}", folder.display()))?;

    let size = size_of(folder);
    let tests = programs.iter().filter(|p| p.is_test).count();
    println!(
        "{}: {tests} test programs and the demo, {:.1} MiB",
        folder.display(),
        size as f64 / f64::from(1 << 20)
    );
    if size > LARGEST {
        return Err(
            Error::new(format!("the folder is larger than {} MiB", LARGEST >> 20))
                .mend("compile for fewer architectures: --archs 90"),
        );
    }
    Ok(())
}

fn build(archs: Option<&str>) -> Result<Vec<Program>> {
    let cargo = |sub: &str, packages: &[&str]| {
        let mut cargo = workspace::cargo(sub);
        for package in packages {
            cargo.args(["--package", package]);
        }
        cargo.args([
            "--release",
            "--quiet",
            "--message-format",
            "json-render-diagnostics",
        ]);
        // Names stay, for the sanitizer's backtraces; line tables would triple the size.
        cargo.args([
            "--config",
            "profile.release.strip=\"debuginfo\"",
            "--target-dir",
        ]);
        toolkit::pin(cargo.arg(workspace::cuda_target()));
        if let Some(archs) = archs {
            cargo.env("ICFFI_CUDA_ARCHS", archs);
        }
        cargo.stderr(std::process::Stdio::inherit());
        cargo
    };
    let mut tests = cargo("test", &workspace::GPU_PACKAGES);
    tests.args(["--no-run", "--lib", "--bins", "--tests"]);
    let mut programs = programs(&process::capture(&mut tests)?);
    programs.extend(self::programs(&process::capture(&mut cargo(
        "build",
        &["icffi-demo"],
    ))?));
    programs.sort_by(|a, b| a.name.cmp(&b.name));
    programs.dedup();
    if !programs.iter().any(|p| p.is_test) {
        return Err(Error::new("cargo built no test program"));
    }
    Ok(programs)
}

/// The programs among cargo's messages, less the compile-fail cases: those need a compiler.
fn programs(messages: &str) -> Vec<Program> {
    let mut found = Vec::new();
    for message in messages
        .lines()
        .filter_map(|l| serde_json::from_str::<Value>(l).ok())
    {
        let Some(path) = message["executable"].as_str() else {
            continue;
        };
        let package = message["package_id"]
            .as_str()
            .and_then(package_name)
            .unwrap_or_default();
        let target = message["target"]["name"].as_str().unwrap_or_default();
        let is_test = message["profile"]["test"] == true;
        if target.contains("compile_fail") || (!is_test && target != "icffi-demo") {
            continue;
        }
        let mut name = format!("{package}.{target}");
        if target.replace('_', "-") == package {
            name = package.to_owned();
        }
        if !is_test {
            name = "icffi-demo".to_owned();
        } else if name == "icffi-demo" {
            name = "icffi-demo.unit".to_owned();
        }
        found.push(Program {
            name,
            path: path.into(),
            is_test,
        });
    }
    found
}

/// `path+file:///w/crates/icffi#0.1.0` and `path+file:///w/tests#icffi-tests@0.1.0`.
fn package_name(id: &str) -> Option<&str> {
    let (path, fragment) = id.rsplit_once('#')?;
    match fragment.split_once('@') {
        Some((name, _)) => Some(name),
        None => path.rsplit('/').next(),
    }
}

fn fill(folder: &Path, programs: &[Program]) -> Result<()> {
    let tests = folder.join("tests");
    fs::create_dir_all(&tests).context(|| format!("cannot make {}", tests.display()))?;
    for program in programs {
        let place = if program.is_test {
            tests.join(&program.name)
        } else {
            folder.join(&program.name)
        };
        copy(&program.path, &place)?;
    }
    let data = folder.join("data");
    fs::create_dir_all(&data).context(|| format!("cannot make {}", data.display()))?;
    for file in ["coins.png", "astronaut.png", "README.md"] {
        copy(
            &workspace::root().join("demo/data").join(file),
            &data.join(file),
        )?;
    }
    let run = folder.join("run");
    fs::write(&run, RUN).context(|| format!("cannot write {}", run.display()))?;
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        fs::set_permissions(&run, fs::Permissions::from_mode(0o755))
            .context(|| format!("cannot make {} executable", run.display()))?;
    }
    Ok(())
}

fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::copy(from, to)
        .map(drop)
        .context(|| format!("cannot copy {} to {}", from.display(), to.display()))
}

fn size_of(folder: &Path) -> u64 {
    let Ok(entries) = fs::read_dir(folder) else {
        return 0;
    };
    entries
        .flatten()
        .map(|e| match e.metadata() {
            Ok(m) if m.is_dir() => size_of(&e.path()),
            Ok(m) => m.len(),
            Err(_) => 0,
        })
        .sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn programs_are_told_apart() {
        let message = |id: &str, target: &str, test: bool, exe: &str| {
            serde_json::json!({
                "reason": "compiler-artifact", "package_id": id, "target": { "name": target },
                "profile": { "test": test }, "executable": exe,
            })
            .to_string()
        };
        let text = [
            message(
                "path+file:///w/crates/icffi#0.1.0",
                "icffi",
                true,
                "/t/icffi-1",
            ),
            message(
                "path+file:///w/tests#icffi-tests@0.1.0",
                "transfer",
                true,
                "/t/transfer-1",
            ),
            message(
                "path+file:///w/tests#icffi-tests@0.1.0",
                "compile_fail",
                true,
                "/t/cf",
            ),
            message(
                "path+file:///w/demo#icffi-demo@0.1.0",
                "icffi-demo",
                true,
                "/t/d-test",
            ),
            message(
                "path+file:///w/demo#icffi-demo@0.1.0",
                "icffi-demo",
                false,
                "/t/d",
            ),
            r#"{"reason":"build-finished","success":true}"#.into(),
        ]
        .join("\n");
        let found: Vec<_> = programs(&text)
            .into_iter()
            .map(|p| (p.name, p.is_test))
            .collect();
        let expected = [
            ("icffi", true),
            ("icffi-tests.transfer", true),
            ("icffi-demo.unit", true),
            ("icffi-demo", false),
        ];
        assert_eq!(found, expected.map(|(n, t)| (n.to_owned(), t)));
    }

    #[cfg(unix)]
    fn suite(program: &str) -> tempfile::TempDir {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let script = folder.path().join("program");
        fs::write(&script, program).unwrap();
        fs::set_permissions(&script, fs::Permissions::from_mode(0o755)).unwrap();
        let demo = folder.path().join("demo");
        fs::write(&demo, "#!/bin/sh\necho demo: \"$@\"\n").unwrap();
        fs::set_permissions(&demo, fs::Permissions::from_mode(0o755)).unwrap();
        let list = [
            Program {
                name: "one".into(),
                path: script.clone(),
                is_test: true,
            },
            Program {
                name: "two".into(),
                path: script,
                is_test: true,
            },
            Program {
                name: "icffi-demo".into(),
                path: demo,
                is_test: false,
            },
        ];
        fill(&folder.path().join("suite"), &list).unwrap();
        folder
    }

    /// Runs the packed script as on a machine with a GPU, or without one.
    #[cfg(unix)]
    fn run_suite(folder: &tempfile::TempDir, gpu: bool, args: &[&str]) -> (i32, String) {
        let output = std::process::Command::new(folder.path().join("suite/run"))
            .args(args)
            .env("ICFFI_SUITE_ASSUME_GPU", if gpu { "yes" } else { "no" })
            .output()
            .unwrap();
        let text = [output.stdout, output.stderr].concat();
        (
            output.status.code().unwrap(),
            String::from_utf8(text).unwrap(),
        )
    }

    #[cfg(unix)]
    #[test]
    fn the_run_script_counts_and_fails_when_it_should() {
        let good = suite(
            "#!/bin/sh\necho \"test result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; 0 filtered out\"\n",
        );
        let (code, text) = run_suite(&good, true, &[]);
        assert!(
            code == 0 && text.contains("\n6 passed, 0 failed, 2 skipped\n"),
            "{code}: {text}"
        );

        let (code, text) = run_suite(&good, false, &[]);
        assert!(
            code != 0 && text.contains("no NVIDIA GPU") && !text.contains("passed"),
            "{code}: {text}"
        );

        let bad = suite(
            "#!/bin/sh\necho \"test result: FAILED. 3 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\"\nexit 101\n",
        );
        let (code, text) = run_suite(&bad, true, &[]);
        assert!(
            code == 1 && text.contains("\n6 passed, 4 failed\n"),
            "{code}: {text}"
        );

        let crash = suite("#!/bin/sh\nexit 139\n");
        let (code, text) = run_suite(&crash, true, &[]);
        assert!(
            code == 1 && text.contains("\n0 passed, 2 failed\n"),
            "{code}: {text}"
        );

        let empty = suite("#!/bin/sh\necho \"test result: ok. 0 passed; 0 failed; 0 ignored\"\n");
        let (code, text) = run_suite(&empty, true, &[]);
        assert!(code == 1 && text.contains("no test ran"), "{code}: {text}");

        let (code, text) = run_suite(&good, true, &["--nonsense"]);
        assert!(code == 2 && text.contains("usage"), "{code}: {text}");
    }
}
