//! The table of docs/soundness.md: it has every row, and every test that it names exists.

use std::fs;
use std::path::Path;

const PAGE: &str = include_str!("../../../docs/soundness.md");

/// What stands in backticks on a line.
fn quoted(line: &str) -> impl Iterator<Item = &str> {
    line.split('`').skip(1).step_by(2)
}

/// The file and the function of a name as the page writes them, if it is one of a test.
fn place(name: &str) -> Option<(String, Option<&str>)> {
    if let Some(case) = name.strip_prefix("ui/") {
        return (case != "…").then(|| (format!("ui/fail/{case}.rs"), None));
    }
    if let Some(path) = name.strip_prefix("tests/") {
        return path.ends_with(".rs").then(|| (path.to_owned(), None));
    }
    let parts: Vec<_> = name.split("::").collect();
    match parts[..] {
        [suite @ ("suite" | "sim"), module, test] if module != "m" => {
            Some((format!("tests/{suite}/{module}.rs"), Some(test)))
        }
        ["scenarios", module, test] if module != "m" => {
            Some((format!("src/scenarios/{module}.rs"), Some(test)))
        }
        [program @ ("fork" | "types"), test] => Some((format!("tests/{program}.rs"), Some(test))),
        _ => None,
    }
}

#[test]
fn every_test_that_the_page_names_exists() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let mut known = 0;
    for line in PAGE.lines().filter(|line| line.starts_with("| ")) {
        for name in quoted(line) {
            let Some((file, test)) = place(name) else {
                continue;
            };
            let text = fs::read_to_string(root.join(&file))
                .unwrap_or_else(|e| panic!("{name}: {file}: {e}"));
            if let Some(test) = test {
                let found = [format!("fn {test}("), format!("fn {test}<")]
                    .iter()
                    .any(|start| text.contains(start));
                assert!(found, "no {test} in {file}");
            }
            known += 1;
        }
    }
    assert!(known > 100, "{known} names");
}

#[test]
fn every_row_has_a_test_or_says_that_it_is_open() {
    let numbers = (1..=28)
        .map(|n| n.to_string())
        .chain((1..=17).map(|n| format!("U{n}")))
        .chain((1..=20).map(|n| format!("W{n}")));
    for number in numbers {
        let start = format!("| {number} | ");
        let mut rows = PAGE.lines().filter(|line| line.starts_with(&start));
        let row = rows.next().unwrap_or_else(|| panic!("no row {number}"));
        assert!(rows.next().is_none(), "two rows {number}");
        let tested = quoted(row).any(|name| place(name).is_some());
        let told = ["open", "as row 26", "tests/tests/kernels", "by design"]
            .iter()
            .any(|words| row.contains(words));
        assert!(tested || told, "{row}");
    }
}
