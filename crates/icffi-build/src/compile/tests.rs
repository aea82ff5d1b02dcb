use super::archs::{capabilities, choose};
use super::device::{architectures, version};
use super::{Kernels, headers, include_dir};
use crate::error::Error;
use crate::toolkit::Version;

fn known() -> Vec<String> {
    architectures("compute_75\ncompute_80 compute_86\ncompute_100\ncompute_90\n")
}

fn archs(asked: Option<&str>, gpus: &[&str]) -> Result<String, String> {
    let gpus: Vec<String> = gpus.iter().map(|s| (*s).to_owned()).collect();
    let list = choose(asked, &known(), || gpus.clone())?;
    let short = |s: &String| s.replace("-gencode=arch=", "").replace("compute_", "c");
    Ok(list.iter().map(short).collect::<Vec<_>>().join(" "))
}

#[test]
fn architectures_by_hand() {
    assert_eq!(archs(Some("90"), &["75"]).unwrap(), "c90,code=sm_90");
    assert_eq!(
        archs(Some("80, 9.0+ptx"), &[]).unwrap(),
        "c80,code=sm_80 c90,code=sm_90 c90,code=c90"
    );
    assert_eq!(archs(Some("sm_90;90"), &[]).unwrap(), "c90,code=sm_90");
    let error = archs(Some("35"), &[]).unwrap_err();
    assert!(
        error.contains("'35' is nothing") && error.contains("75, 80, 86, 90, 100"),
        "{error}"
    );
    assert_eq!(archs(Some(" , "), &[]).unwrap_err(), "the list is empty");
}

#[test]
fn architectures_of_this_machine() {
    assert_eq!(archs(None, &["90"]).unwrap(), "c90,code=sm_90");
    assert_eq!(
        archs(Some("native"), &["86", "90"]).unwrap(),
        "c86,code=sm_86 c90,code=sm_90"
    );
    // Newer than the compiler.
    assert_eq!(archs(None, &["120"]).unwrap(), "c100,code=c100");
    assert!(
        archs(None, &["61"])
            .unwrap_err()
            .contains("An older toolkit is needed")
    );
    assert!(
        archs(Some("native"), &[])
            .unwrap_err()
            .contains("nvidia-smi shows no GPU")
    );
}

#[test]
fn architectures_for_everybody() {
    let portable = "c75,code=sm_75 c80,code=sm_80 c86,code=sm_86 c90,code=sm_90 \
                    c100,code=sm_100 c90,code=c90 c100,code=c100";
    assert_eq!(archs(None, &[]).unwrap(), portable);
    assert_eq!(archs(Some("portable"), &["90"]).unwrap(), portable);
}

#[test]
fn what_tools_print() {
    let text =
        "nvcc: NVIDIA (R) Cuda compiler driver\nCuda compilation tools, release 13.0, V13.0.88\n";
    assert_eq!(
        version(text),
        Some(Version {
            major: 13,
            minor: 0
        })
    );
    assert_eq!(version("gcc 12"), None);
    assert_eq!(capabilities("9.0\n9.0\n8.6\n[N/A]\n"), ["86", "90"]);
}

#[test]
fn headers_in_quotes_are_followed() {
    let dir = tempfile::tempdir().unwrap();
    let at = |name: &str| dir.path().join(name);
    std::fs::write(at("k.cu"), "#include \"a.cuh\"\n#include <vector>\n").unwrap();
    std::fs::write(at("a.cuh"), "#include \"b.h\"\n#include \"missing.h\"\n").unwrap();
    std::fs::write(at("b.h"), "#include \"a.cuh\"\n").unwrap();
    let text = std::fs::read_to_string(at("k.cu")).unwrap();
    let file = crate::signature::read(&at("k.cu"), &text).unwrap();
    let all: Vec<_> = headers::all(&[file]).into_iter().collect();
    assert_eq!(all, [at("a.cuh"), at("b.h"), at("k.cu")]);
}

#[test]
fn the_header_is_there_and_has_the_version() {
    let text = std::fs::read_to_string(include_dir().unwrap().join("icffi.h")).unwrap();
    assert!(text.contains("#define ICFFI_ABI_VERSION 1\n"));
}

#[test]
fn errors_are_sentences_in_debug_too() {
    let error = Kernels::new().compile("x").unwrap_err();
    assert!(matches!(error, Error::Usage(_)), "{error}");
    assert_eq!(format!("{error:?}"), error.to_string());

    let dir = tempfile::tempdir().unwrap();
    let path = dir.path().join("bad.cu");
    std::fs::write(
        &path,
        "\nICFFI_KERNEL(k)(icffi::LaunchParams p, float* x) {}",
    )
    .unwrap();
    let error = Kernels::new().file(&path).read().unwrap_err().to_string();
    assert!(error.contains("bad.cu:2: 'float * x' has a '*'"), "{error}");

    std::fs::write(&path, "ICFFI_KERNEL(k)(icffi::LaunchParams p) {}").unwrap();
    let error = Kernels::new()
        .file(&path)
        .file(&path)
        .read()
        .unwrap_err()
        .to_string();
    assert!(error.contains("the kernel k is defined twice: "), "{error}");
    let error = Kernels::new()
        .file(dir.path().join("no.cu"))
        .read()
        .unwrap_err()
        .to_string();
    assert!(error.contains("no.cu: "), "{error}");
}
