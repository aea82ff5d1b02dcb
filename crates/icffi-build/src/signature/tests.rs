use std::path::Path;

use super::{File, Kind, Shape, read};

fn file(text: &str) -> File {
    read(Path::new("k.cu"), text).unwrap_or_else(|p| panic!("{p:?}"))
}

fn problem(text: &str) -> String {
    let problems = read(Path::new("k.cu"), text).unwrap_err();
    assert_eq!(problems.len(), 1, "{problems:?}");
    problems[0].to_string()
}

fn parameters(text: &str) -> Vec<(Kind, String, String)> {
    let source = format!("ICFFI_KERNEL(k)(icffi::LaunchParams p{text}) {{}}");
    let parameters = file(&source).kernels.remove(0).parameters;
    parameters
        .into_iter()
        .map(|p| (p.kind, p.of.rust, p.name))
        .collect()
}

#[test]
fn a_whole_signature() {
    let file = file(
        "#include \"own.cuh\"\n#include <icffi.h>\n// ICFFI_KERNEL(no)(int)\n/* ICFFI_KERNEL(no) */\n\
         #define K(x) \\\n  ICFFI_KERNEL(x)(int)\n\
         const char* s = \"ICFFI_KERNEL(no)\";\nconst char* r = R\"x(ICFFI_KERNEL(\")x\";\n\
         ICFFI_KERNEL(axpy)(\n    icffi::LaunchParams params, icffi::In<float> x,\n    \
         icffi::Out<float> y, float a) {\n return ICFFI_LAUNCH(axpy, params, x, y, a);\n}\n",
    );
    assert_eq!(file.includes, ["own.cuh"]);
    assert_eq!(file.kernels.len(), 1);
    let kernel = &file.kernels[0];
    assert_eq!(
        (kernel.name.as_str(), kernel.line, kernel.noexcept),
        ("axpy", 9, false)
    );
    let kinds: Vec<_> = kernel.parameters.iter().map(|p| p.kind).collect();
    assert_eq!(kinds, [Kind::In, Kind::Out, Kind::Scalar]);
    assert_eq!(file.triple_bracket, None);
}

#[test]
fn spellings_of_types() {
    for (cpp, rust) in [
        ("float", "f32"),
        ("double", "f64"),
        ("int", "i32"),
        ("unsigned", "u32"),
        ("unsigned int", "u32"),
        ("int unsigned", "u32"),
        ("signed char", "i8"),
        ("unsigned char", "u8"),
        ("short int", "i16"),
        ("unsigned long long", "u64"),
        ("long long int", "i64"),
        ("std::uint64_t", "u64"),
        ("::std::int16_t", "i16"),
        ("size_t", "usize"),
        ("float4", "::icffi::pod::Float4"),
        ("ulonglong2", "::icffi::pod::Ulonglong2"),
    ] {
        let scalar = (Kind::Scalar, rust.to_owned(), "v".to_owned());
        assert_eq!(
            parameters(&format!(", {cpp} v")),
            std::slice::from_ref(&scalar)
        );
        assert_eq!(parameters(&format!(", const {cpp} v")), [scalar]);
        let buffer = (Kind::Out, rust.to_owned(), "v".to_owned());
        assert_eq!(parameters(&format!(", icffi::Out< {cpp} > v")), [buffer]);
    }
    assert_eq!(
        parameters(", bool b"),
        [(Kind::Scalar, "bool".into(), "b".into())]
    );
}

#[test]
fn names_may_be_missing() {
    assert_eq!(
        parameters(", ::icffi::In<float>, unsigned long long, float"),
        [
            (Kind::In, "f32".into(), "arg0".into()),
            (Kind::Scalar, "u64".into(), "arg1".into()),
            (Kind::Scalar, "f32".into(), "arg2".into()),
        ]
    );
}

#[test]
fn problems_name_the_line_and_what_is_allowed() {
    let with = |parameter: &str| {
        problem(&format!(
            "\nICFFI_KERNEL(k)(icffi::LaunchParams p,\n  {parameter}) {{}}"
        ))
    };
    for (parameter, part) in [
        (
            "float* x",
            "k.cu:3: 'float * x' has a '*'. Allowed are icffi::In<T>",
        ),
        ("const float& x", "has a '&'"),
        (
            "icffi::In<Particle> x",
            "'Particle' is no type that both languages know. Allowed: float",
        ),
        ("real x", "'real' is no type"),
        ("long n", "long has 32 bits on some machines"),
        ("char c", "char is signed on some machines"),
        ("icffi::Out<bool> b", "Write uint8_t"),
        (
            "float a, icffi::In<float> x",
            "buffer 'x' of kernel k comes after a scalar",
        ),
    ] {
        let text = with(parameter);
        assert!(text.contains(part), "{parameter}: {text}");
        assert!(text.starts_with("k.cu:3: "), "{text}");
    }
    assert!(problem("ICFFI_KERNEL(k)(int n) {}").contains("first parameter of kernel k"));
    assert!(problem("ICFFI_KERNEL(k)() {}").contains("first parameter of kernel k"));
    assert!(problem("ICFFI_KERNEL(k)(icffi::LaunchParams& p) {}").contains("by value"));
    assert!(problem("ICFFI_KERNEL(k)(icffi::LaunchParams p").contains("do not end"));
    assert!(problem("ICFFI_KERNEL k").contains("expected '('"));
    assert!(problem("ICFFI_KERNEL(1)(").contains("can't be a kernel's name"));
}

#[test]
fn all_problems_are_found_at_once() {
    let text = "ICFFI_KERNEL(a)(int)\nICFFI_KERNEL(b)(icffi::LaunchParams, char*) {}";
    assert_eq!(read(Path::new("k.cu"), text).unwrap_err().len(), 2);
}

#[test]
fn noexcept_and_triple_brackets_are_seen() {
    let file = file("ICFFI_KERNEL(a)(icffi::LaunchParams p) noexcept {\n k<<<1, 2>>>();\n}");
    assert!(file.kernels[0].noexcept);
    assert_eq!(file.triple_bracket, Some(2));
    assert!(matches!(
        super::types::find(&["float3"]).unwrap().shape,
        Shape::Vector(12, 4)
    ));
}
