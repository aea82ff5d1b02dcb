//! Reading `ICFFI_KERNEL(name)(…)` out of C++.

mod lexer;
#[cfg(test)]
mod tests;
mod types;

use std::path::{Path, PathBuf};

use lexer::Token;
pub(crate) use types::{ALLOWED, Shape, Type};

/// A kernel's wrapper, as it is declared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Kernel {
    pub(crate) name: String,
    pub(crate) line: usize,
    /// After the `LaunchParams`.
    pub(crate) parameters: Vec<Parameter>,
    /// `noexcept` is a part of the function's type.
    pub(crate) noexcept: bool,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Parameter {
    pub(crate) name: String,
    pub(crate) kind: Kind,
    pub(crate) of: Type,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Kind {
    In,
    Out,
    Scalar,
}

/// A file with the kernels in it.
#[derive(Clone, Debug)]
pub(crate) struct File {
    pub(crate) path: PathBuf,
    pub(crate) kernels: Vec<Kernel>,
    /// What it includes in quotes.
    pub(crate) includes: Vec<String>,
    /// The line of a `<<<…>>>`, which the host's compiler can't read.
    pub(crate) triple_bracket: Option<usize>,
}

/// Something that can't be expressed in Rust.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    pub(crate) path: PathBuf,
    pub(crate) line: usize,
    pub(crate) text: String,
}

impl std::fmt::Display for Problem {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}:{}: {}", self.path.display(), self.line, self.text)
    }
}

/// Reads all signatures of a file, and finds all problems in it at once.
pub(crate) fn read(path: &Path, text: &str) -> Result<File, Vec<Problem>> {
    let source = lexer::read(text);
    let tokens = &source.tokens;
    let mut kernels: Vec<Kernel> = Vec::new();
    let mut problems = Vec::new();
    for at in 0..tokens.len() {
        if tokens[at].text != "ICFFI_KERNEL" {
            continue;
        }
        let line = tokens[at].line;
        match (Reader {
            tokens: &tokens[at + 1..],
            line,
        })
        .kernel(line)
        {
            Ok(kernel) => kernels.push(kernel),
            Err((line, text)) => problems.push(Problem {
                path: path.to_path_buf(),
                line,
                text,
            }),
        }
    }
    if !problems.is_empty() {
        return Err(problems);
    }
    Ok(File {
        path: path.to_path_buf(),
        kernels,
        includes: source.includes,
        triple_bracket: tokens.iter().find(|t| t.text == "<<<").map(|t| t.line),
    })
}

type At<T> = Result<T, (usize, String)>;

struct Reader<'a> {
    tokens: &'a [Token],
    line: usize,
}

impl<'a> Reader<'a> {
    fn next(&mut self) -> &'a str {
        let Some((token, rest)) = self.tokens.split_first() else {
            return "";
        };
        self.tokens = rest;
        self.line = token.line;
        &token.text
    }

    fn expect(&mut self, wanted: &str, place: &str) -> At<()> {
        match self.next() {
            found if found == wanted => Ok(()),
            found => {
                let found = if found.is_empty() {
                    "the end of the file"
                } else {
                    found
                };
                Err((
                    self.line,
                    format!("expected '{wanted}' {place}, found '{found}'"),
                ))
            }
        }
    }

    fn kernel(mut self, line: usize) -> At<Kernel> {
        self.expect("(", "after ICFFI_KERNEL")?;
        let name = self.next().to_owned();
        if !is_name(&name) {
            let text = format!("'{name}' can't be a kernel's name: write ICFFI_KERNEL(name)(…)");
            return Err((self.line, text));
        }
        self.expect(")", "after the kernel's name")?;
        self.expect("(", &format!("after ICFFI_KERNEL({name}): the parameters"))?;
        let mut parameters = self.parameters(&name)?.into_iter();
        let first = parameters.next().unwrap_or((line, Vec::new()));
        launch_params(&name, &first.1).map_err(|text| (first.0, text))?;
        let mut kernel = Kernel {
            name,
            line,
            parameters: Vec::new(),
            noexcept: self.noexcept(),
        };
        for (line, words) in parameters {
            let parameter =
                parameter(&words, kernel.parameters.len()).map_err(|text| (line, text))?;
            if kernel
                .parameters
                .last()
                .is_some_and(|last| last.kind == Kind::Scalar && parameter.kind != Kind::Scalar)
            {
                let text = format!(
                    "buffer '{}' of kernel {} comes after a scalar. The order is LaunchParams, \
                     buffers, scalars",
                    parameter.name, kernel.name
                );
                return Err((line, text));
            }
            kernel.parameters.push(parameter);
        }
        Ok(kernel)
    }

    /// The parameters' words, split at commas that are not within `<…>`.
    fn parameters(&mut self, name: &str) -> At<Vec<(usize, Vec<&'a str>)>> {
        let mut all = Vec::new();
        let mut words: Vec<&str> = Vec::new();
        let mut depth = 0usize;
        let mut line = self.tokens.first().map_or(self.line, |t| t.line);
        loop {
            match self.next() {
                "" => {
                    return Err((self.line, format!("the parameters of {name} do not end")));
                }
                ")" if depth == 0 => {
                    if !words.is_empty() {
                        all.push((line, words));
                    }
                    return Ok(all);
                }
                "," if depth == 0 => {
                    all.push((line, std::mem::take(&mut words)));
                    line = self.tokens.first().map_or(self.line, |t| t.line);
                }
                word => {
                    match word {
                        "<" | "(" | "[" => depth += 1,
                        ">" | ")" | "]" => depth = depth.saturating_sub(1),
                        _ => {}
                    }
                    words.push(word);
                }
            }
        }
    }

    fn noexcept(&mut self) -> bool {
        self.tokens.first().is_some_and(|t| t.text == "noexcept")
    }
}

fn is_name(text: &str) -> bool {
    text.starts_with(|c: char| c.is_ascii_alphabetic() || c == '_')
        && text.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
}

fn without_namespace<'a, 'b>(words: &'b [&'a str]) -> &'b [&'a str] {
    match words {
        ["::", "icffi", "::", rest @ ..] | ["icffi", "::", rest @ ..] => rest,
        words => words,
    }
}

fn launch_params(kernel: &str, words: &[&str]) -> Result<(), String> {
    match without_namespace(strip_const(words)) {
        ["LaunchParams"] => Ok(()),
        ["LaunchParams", name] if is_name(name) => Ok(()),
        _ => Err(format!(
            "the first parameter of kernel {kernel} has to be an icffi::LaunchParams, by value"
        )),
    }
}

/// `const` of the parameter itself: no part of the function's type.
fn strip_const<'a, 'b>(words: &'b [&'a str]) -> &'b [&'a str] {
    match words {
        ["const", rest @ ..] => rest,
        words => words,
    }
}

fn parameter(words: &[&str], index: usize) -> Result<Parameter, String> {
    let shown = words
        .join(" ")
        .replace(" :: ", "::")
        .replace(" < ", "<")
        .replace(" >", ">");
    if words.is_empty() {
        return Err("a parameter is empty".into());
    }
    if let Some(sign) = words
        .iter()
        .find(|w| matches!(**w, "*" | "&" | "[" | "=" | "..."))
    {
        return Err(format!(
            "'{shown}' has a '{sign}'. Allowed are icffi::In<T> and icffi::Out<T> for buffers, and \
             scalars by value: {ALLOWED}"
        ));
    }
    let words = strip_const(words);
    let kind = match without_namespace(words) {
        ["In", "<", ..] => Kind::In,
        ["Out", "<", ..] => Kind::Out,
        _ => Kind::Scalar,
    };
    if kind == Kind::Scalar {
        // The last word is the name, unless it is a word of the type.
        let (of, name) = match words {
            [of @ .., name]
                if !of.is_empty()
                    && types::find(of).is_ok()
                    && is_name(name)
                    && types::find(words).is_err() =>
            {
                (of, (*name).to_owned())
            }
            [of @ .., name] if !of.is_empty() && types::find(words).is_err() => {
                return Err(match types::find(of) {
                    Err(why) => format!("'{shown}': {why}"),
                    Ok(_) => format!("'{shown}': '{name}' can't be a parameter's name"),
                });
            }
            of => (of, format!("arg{index}")),
        };
        let of = types::find(of).map_err(|why| format!("'{shown}': {why}"))?;
        return Ok(Parameter { name, kind, of });
    }
    let inner = &without_namespace(words)[2..];
    let Some(end) = inner.iter().position(|w| *w == ">") else {
        return Err(format!("'{shown}': the '<' does not end"));
    };
    let of = types::find(&inner[..end]).map_err(|why| format!("'{shown}': {why}"))?;
    if of.shape == Shape::Bool {
        return Err(format!(
            "'{shown}': a buffer of bool may hold bytes that are no bool. Write uint8_t"
        ));
    }
    let name = match &inner[end + 1..] {
        [] => format!("arg{index}"),
        [name] if is_name(name) => (*name).to_owned(),
        _ => return Err(format!("'{shown}': expected a name after the type")),
    };
    Ok(Parameter { name, kind, of })
}
