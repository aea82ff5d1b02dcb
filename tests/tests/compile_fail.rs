//! What must not compile. Each file of `ui/fail` has its errors marked, `//~ E0502` at the end of
//! the line, and a twin of the same name in `ui/pass` which compiles.
//!
//! Only the error codes and their lines are compared, never the compiler's words, so a newer
//! compiler does not break this. All files are compiled to machine code in one run of cargo,
//! since some errors (constants of generic types) come up only there, as libraries, so that
//! nothing has to be linked.

use serde_json::Value;
use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;

/// A line and a code; line 0 for an error that may be anywhere.
type Errors = BTreeSet<(u64, String)>;

/// The feature that this program was built with.
const MODE: &str = if cfg!(feature = "sim") {
    "sim"
} else if cfg!(feature = "dynamic") {
    "dynamic"
} else {
    "static"
};

fn names(folder: &Path) -> BTreeSet<String> {
    let entries = fs::read_dir(folder).expect("the folder is there");
    entries
        .map(|entry| entry.expect("it can be listed").path())
        .map(|path| {
            path.file_stem()
                .expect("a file")
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

fn marked(path: &Path) -> Errors {
    let text = fs::read_to_string(path).expect("the file can be read");
    let mut errors = Errors::new();
    for (i, line) in text.lines().enumerate() {
        if let Some((_, code)) = line.split_once("//~? ") {
            errors.insert((0, code.trim().to_owned()));
        } else if let Some((_, code)) = line.split_once("//~ ") {
            errors.insert((i as u64 + 1, code.trim().to_owned()));
        }
    }
    errors
}

/// A package with every file as a library example.
fn package(ui: &Path, names: &BTreeSet<String>) -> PathBuf {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("..");
    let icffi = root.join("crates/icffi");
    let mut manifest = format!(
        "[package]\nname = \"icffi-ui\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [profile.dev]\ndebug = false\n\n[lib]\npath = \"empty.rs\"\n\n[dev-dependencies]\n\
         icffi = {{ path = {icffi:?}, default-features = false, features = [\"{MODE}\"] }}\n"
    );
    for kind in ["fail", "pass"] {
        for name in names {
            let path = ui.join(kind).join(format!("{name}.rs"));
            let _ = write!(
                manifest,
                "\n[[example]]\nname = \"{kind}_{name}\"\npath = {path:?}\ncrate-type = [\"rlib\"]\n"
            );
        }
    }
    let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join("ui");
    fs::create_dir_all(&folder).expect("a folder of our own");
    let write_new = |name: &str, text: &str| {
        // Unchanged files keep their time, and cargo its results.
        let path = folder.join(name);
        if fs::read_to_string(&path).ok().as_deref() != Some(text) {
            fs::write(path, text).expect("a file of our own");
        }
    };
    write_new("Cargo.toml", &manifest);
    write_new("empty.rs", "");
    // The versions of the workspace, which are on this machine already.
    let lock = fs::read_to_string(root.join("Cargo.lock")).expect("the workspace's lock file");
    fs::write(folder.join("Cargo.lock"), lock).expect("a file of our own");
    folder
}

/// Compiles everything and sorts the errors by example; none where it compiled.
fn compile(folder: &Path) -> BTreeMap<String, Errors> {
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let output = Command::new(cargo)
        .args(["build", "--examples", "--keep-going", "--offline"])
        .args(["--message-format=json", "--manifest-path"])
        .arg(folder.join("Cargo.toml"))
        .arg("--target-dir")
        .arg(folder.join("target"))
        .output()
        .expect("cargo runs");
    let mut found: BTreeMap<String, Errors> = BTreeMap::new();
    for line in String::from_utf8_lossy(&output.stdout).lines() {
        let Ok(message) = serde_json::from_str::<Value>(line) else {
            continue;
        };
        let target = message["target"]["name"]
            .as_str()
            .unwrap_or_default()
            .to_owned();
        match message["reason"].as_str() {
            Some("compiler-artifact") => {
                found.entry(target).or_default();
            }
            Some("compiler-message") if message["message"]["level"] == "error" => {
                let error = &message["message"];
                // The closing "aborting due to" has no code.
                let code = match error["code"]["code"].as_str() {
                    // "The method exists but its bounds are not met": which of the two a call
                    // gets is the compiler's choice. That the method exists, the twin shows.
                    Some("E0599") => Some("E0277"),
                    code => code,
                };
                let Some(code) = code else {
                    assert!(
                        error["spans"].as_array().is_none_or(Vec::is_empty),
                        "an error without a code: {}",
                        error["rendered"]
                    );
                    continue;
                };
                let spans = error["spans"].as_array();
                let primary = spans.and_then(|s| s.iter().find(|s| s["is_primary"] == true));
                let line = primary.and_then(|s| s["line_start"].as_u64()).unwrap_or(0);
                found
                    .entry(target)
                    .or_default()
                    .insert((line, code.to_owned()));
            }
            _ => {}
        }
    }
    assert!(
        !found.is_empty(),
        "nothing was compiled: {}",
        String::from_utf8_lossy(&output.stderr)
    );
    found
}

#[test]
fn what_must_not_compile_does_not_and_its_twin_does() {
    let ui = Path::new(env!("CARGO_MANIFEST_DIR")).join("ui");
    let names = {
        let (fail, pass) = (names(&ui.join("fail")), names(&ui.join("pass")));
        assert_eq!(fail, pass, "every file needs its twin");
        fail
    };
    let found = compile(&package(&ui, &names));
    let mut wrong = String::new();
    for name in &names {
        let expected = marked(&ui.join("fail").join(format!("{name}.rs")));
        assert!(!expected.is_empty(), "no error is marked in {name}");
        let anywhere = expected.iter().all(|(line, _)| *line == 0);
        let mut actual = found
            .get(&format!("fail_{name}"))
            .cloned()
            .unwrap_or_default();
        if anywhere {
            actual = actual.into_iter().map(|(_, code)| (0, code)).collect();
        }
        for (line, code) in expected.difference(&actual) {
            let _ = writeln!(wrong, "ui/fail/{name}.rs:{line}: {code} did not come up");
        }
        for (line, code) in actual.difference(&expected) {
            let _ = writeln!(wrong, "ui/fail/{name}.rs:{line}: {code} is not marked");
        }
        match found.get(&format!("pass_{name}")) {
            Some(errors) if errors.is_empty() => {}
            other => {
                let _ = writeln!(wrong, "ui/pass/{name}.rs does not compile: {other:?}");
            }
        }
    }
    assert!(wrong.is_empty(), "\n{wrong}");
}
