//! Which types of C++ are which of Rust.

/// What C++ must confirm about a type, so that a macro or an alias can't make it another one.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Shape {
    Float(usize),
    Signed(usize),
    Unsigned(usize),
    Bool,
    /// Size and alignment.
    Vector(usize, usize),
}

/// A type of both languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Type {
    pub(crate) cpp: String,
    pub(crate) rust: String,
    pub(crate) shape: Shape,
}

/// What is allowed, for messages.
pub(crate) const ALLOWED: &str = "float, double, int8_t to int64_t, uint8_t to uint64_t, int, \
    unsigned int, short, signed char, unsigned char, long long, size_t, CUDA's vectors (float4, \
    int2, …), and for scalars bool";

/// Finds the type that these words spell.
pub(super) fn find(words: &[&str]) -> Result<Type, String> {
    let words: Vec<&str> = match words {
        ["::", "std", "::", rest @ ..] | ["std", "::", rest @ ..] => rest.to_vec(),
        words => words.to_vec(),
    };
    let spelled = words.join(" ");
    let type_of = |rust: &str, shape| {
        Ok(Type {
            cpp: spelled.clone(),
            rust: rust.to_owned(),
            shape,
        })
    };
    // `unsigned`, `long` and their kind come in any order.
    let mut sorted: Vec<&str> = words.iter().copied().filter(|w| *w != "int").collect();
    sorted.sort_unstable();
    let plain_int = sorted.is_empty() && !words.is_empty();
    match sorted.as_slice() {
        _ if plain_int => type_of("i32", Shape::Signed(4)),
        ["signed"] => type_of("i32", Shape::Signed(4)),
        ["unsigned"] => type_of("u32", Shape::Unsigned(4)),
        ["short"] | ["short", "signed"] => type_of("i16", Shape::Signed(2)),
        ["short", "unsigned"] => type_of("u16", Shape::Unsigned(2)),
        ["long", "long"] | ["long", "long", "signed"] => type_of("i64", Shape::Signed(8)),
        ["long", "long", "unsigned"] => type_of("u64", Shape::Unsigned(8)),
        ["char", "signed"] | ["int8_t"] => type_of("i8", Shape::Signed(1)),
        ["char", "unsigned"] | ["uint8_t"] => type_of("u8", Shape::Unsigned(1)),
        ["int16_t"] => type_of("i16", Shape::Signed(2)),
        ["uint16_t"] => type_of("u16", Shape::Unsigned(2)),
        ["int32_t"] => type_of("i32", Shape::Signed(4)),
        ["uint32_t"] => type_of("u32", Shape::Unsigned(4)),
        ["int64_t"] => type_of("i64", Shape::Signed(8)),
        ["uint64_t"] => type_of("u64", Shape::Unsigned(8)),
        ["size_t"] => type_of("usize", Shape::Unsigned(8)),
        ["float"] => type_of("f32", Shape::Float(4)),
        ["double"] => type_of("f64", Shape::Float(8)),
        ["bool"] => type_of("bool", Shape::Bool),
        ["char"] => Err(
            "char is signed on some machines and not on others: write int8_t or \
                         uint8_t"
                .into(),
        ),
        ["long"] | ["long", "unsigned"] | ["long", "signed"] => {
            Err("long has 32 bits on some machines: write int64_t or int32_t".into())
        }
        [name] => vector(name).ok_or_else(|| {
            format!("'{name}' is no type that both languages know. Allowed: {ALLOWED}")
        }),
        _ => Err(format!(
            "'{spelled}' is no type that both languages know. Allowed: {ALLOWED}"
        )),
    }
}

/// CUDA's vector types, which `icffi::pod` has too: name, bytes, alignment.
const VECTORS: [(&str, usize, usize); 21] = [
    ("char2", 2, 2),
    ("char4", 4, 4),
    ("uchar2", 2, 2),
    ("uchar3", 3, 1),
    ("uchar4", 4, 4),
    ("short2", 4, 4),
    ("short4", 8, 8),
    ("ushort2", 4, 4),
    ("ushort4", 8, 8),
    ("int2", 8, 8),
    ("int3", 12, 4),
    ("int4", 16, 16),
    ("uint2", 8, 8),
    ("uint3", 12, 4),
    ("uint4", 16, 16),
    ("longlong2", 16, 16),
    ("ulonglong2", 16, 16),
    ("float2", 8, 8),
    ("float3", 12, 4),
    ("float4", 16, 16),
    ("double2", 16, 16),
];

fn vector(name: &str) -> Option<Type> {
    let (name, size, align) = VECTORS.into_iter().find(|(known, ..)| *known == name)?;
    let (first, rest) = name.split_at(1);
    Some(Type {
        cpp: name.to_owned(),
        rust: format!("::icffi::pod::{}{rest}", first.to_uppercase()),
        shape: Shape::Vector(size, align),
    })
}
