//! No dependency of a published crate may need a newer Rust than those crates promise.

use std::collections::{HashMap, HashSet};

use serde_json::Value;

use crate::process::{self, Error, Result};
use crate::tally::Tally;
use crate::workspace;

/// Reads `cargo metadata` and compares every `rust-version`.
pub(crate) fn check() -> Result<Tally> {
    let text = process::capture(workspace::cargo("metadata").args([
        "--format-version",
        "1",
        "--all-features",
        "--locked",
    ]))
    .map_err(|e| {
        e.mend("cargo update --workspace (brings Cargo.lock up to date), then commit it")
    })?;
    let metadata: Value =
        serde_json::from_str(&text).map_err(|e| Error::new(format!("cargo metadata: {e}")))?;
    let newer = newer_than_promised(&metadata);
    if newer.is_empty() {
        return Ok(Tally::default());
    }
    Err(Error::new(format!(
        "these dependencies need a newer Rust than promised:\n  {}",
        newer.join("\n  ")
    ))
    .mend("cargo update NAME --precise VERSION, with a version that supports it"))
}

/// Dependencies (normal and build, not dev) of the published crates above the crates' own MSRV.
fn newer_than_promised(metadata: &Value) -> Vec<String> {
    let list = |v: &Value| v.as_array().cloned().unwrap_or_default();
    let packages: HashMap<String, Value> = list(&metadata["packages"])
        .into_iter()
        .filter_map(|p| Some((p["id"].as_str()?.to_owned(), p)))
        .collect();
    let edges: HashMap<String, Vec<String>> = list(&metadata["resolve"]["nodes"])
        .into_iter()
        .filter_map(|n| {
            let deps = list(&n["deps"])
                .into_iter()
                .filter(|d| list(&d["dep_kinds"]).iter().any(|k| k["kind"] != "dev"));
            let deps = deps
                .filter_map(|d| Some(d["pkg"].as_str()?.to_owned()))
                .collect();
            Some((n["id"].as_str()?.to_owned(), deps))
        })
        .collect();

    let mut newer = Vec::new();
    let mut seen = HashSet::new();
    let mut todo: Vec<(String, (u64, u64))> = packages
        .values()
        .filter(|p| p["source"].is_null())
        .filter(|p| {
            p["name"]
                .as_str()
                .is_some_and(|n| workspace::PUBLISHED.contains(&n))
        })
        .filter_map(|p| Some((p["id"].as_str()?.to_owned(), version(&p["rust_version"])?)))
        .collect();
    while let Some((id, promised)) = todo.pop() {
        if !seen.insert(id.clone()) {
            continue;
        }
        let package = &packages[&id];
        if version(&package["rust_version"]).is_some_and(|needed| needed > promised) {
            newer.push(format!(
                "{} {} needs Rust {}; promised is {}.{}",
                package["name"].as_str().unwrap_or_default(),
                package["version"].as_str().unwrap_or_default(),
                package["rust_version"].as_str().unwrap_or_default(),
                promised.0,
                promised.1
            ));
        }
        todo.extend(
            edges
                .get(&id)
                .into_iter()
                .flatten()
                .map(|d| (d.clone(), promised)),
        );
    }
    newer.sort();
    newer
}

fn version(value: &Value) -> Option<(u64, u64)> {
    let mut numbers = value.as_str()?.split('.').map(|n| n.parse().ok());
    Some((numbers.next()??, numbers.next().flatten().unwrap_or(0)))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn a_newer_dependency_is_named_and_a_dev_dependency_is_not() {
        let package = |name: &str, source: Value, rust: &str| {
            json!({
                "id": name, "name": name, "version": "1.0.0", "source": source, "rust_version": rust,
            })
        };
        let dep = |name: &str, kind: Value| json!({ "pkg": name, "dep_kinds": [{ "kind": kind }] });
        let metadata = json!({
            "packages": [
                package("icffi", Value::Null, "1.85"),
                package("old", json!("registry"), "1.60.1"),
                package("new", json!("registry"), "1.90"),
                package("test-only", json!("registry"), "1.95"),
            ],
            "resolve": { "nodes": [
                { "id": "icffi", "deps": [dep("old", Value::Null), dep("test-only", json!("dev"))] },
                { "id": "old", "deps": [dep("new", json!("build"))] },
            ] },
        });
        let newer = newer_than_promised(&metadata);
        assert_eq!(newer, ["new 1.0.0 needs Rust 1.90; promised is 1.85"]);
    }
}
