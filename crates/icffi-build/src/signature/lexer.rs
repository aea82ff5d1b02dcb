//! C++ into words, as far as finding signatures takes: comments, strings and the preprocessor's
//! lines are left out.

/// A word or a sign, with the line it is on.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Token {
    pub(super) text: String,
    pub(super) line: usize,
}

/// A source file in words.
#[derive(Debug, Default)]
pub(super) struct Source {
    pub(super) tokens: Vec<Token>,
    /// What `#include "…"` names.
    pub(super) includes: Vec<String>,
}

pub(super) fn read(text: &str) -> Source {
    let mut lexer = Lexer {
        rest: text,
        line: 1,
        line_begins: true,
        source: Source::default(),
    };
    while !lexer.rest.is_empty() {
        lexer.step();
    }
    lexer.source
}

struct Lexer<'a> {
    rest: &'a str,
    line: usize,
    /// Only white space so far on this line.
    line_begins: bool,
    source: Source,
}

impl<'a> Lexer<'a> {
    fn take(&mut self, bytes: usize) -> &'a str {
        let (taken, rest) = self.rest.split_at(bytes);
        self.line += taken.matches('\n').count();
        self.rest = rest;
        taken
    }

    fn push(&mut self, bytes: usize) {
        let line = self.line;
        let text = self.take(bytes).to_owned();
        self.source.tokens.push(Token { text, line });
    }

    fn step(&mut self) {
        let rest = self.rest;
        let Some(first) = rest.chars().next() else {
            return;
        };
        if first == '\n' {
            self.take(1);
            self.line_begins = true;
        } else if first.is_whitespace() {
            self.take(first.len_utf8());
        } else if rest.starts_with("//") {
            self.take(end_of_line(rest));
        } else if let Some(comment) = rest.strip_prefix("/*") {
            self.take(comment.find("*/").map_or(rest.len(), |at| at + 4));
        } else if first == '#' && self.line_begins {
            let directive = self.take(end_of_line(rest));
            self.directive(directive);
        } else {
            self.line_begins = false;
            self.word(first);
        }
    }

    fn word(&mut self, first: char) {
        let rest = self.rest;
        if let Some(raw) = rest.strip_prefix("R\"") {
            // A raw string: R"mark( … )mark".
            let mark = raw.split('(').next().unwrap_or_default();
            let end = format!("){mark}\"");
            let length = rest.find(&end).map_or(rest.len(), |at| at + end.len());
            self.push(length);
        } else if first == '"' || first == '\'' {
            self.push(string_length(rest, first));
        } else if first.is_alphabetic() || first == '_' {
            let of_word = |c: char| c.is_alphanumeric() || c == '_';
            self.push(rest.find(|c| !of_word(c)).unwrap_or(rest.len()));
        } else if first.is_ascii_digit() {
            // With the digits' separator ' in it.
            let of_number = |c: char| c.is_alphanumeric() || "_.'".contains(c);
            self.push(rest.find(|c| !of_number(c)).unwrap_or(rest.len()));
        } else if rest.starts_with("::") {
            self.push(2);
        } else if rest.starts_with("<<<") {
            self.push(3);
        } else {
            self.push(first.len_utf8());
        }
    }

    fn directive(&mut self, text: &str) {
        let text = text.trim_start_matches('#').trim_start();
        if let Some(name) = text.strip_prefix("include").map(str::trim_start) {
            if let Some(name) = name.strip_prefix('"').and_then(|n| n.split('"').next()) {
                self.source.includes.push(name.to_owned());
            }
        }
    }
}

/// Up to the end of the line, going on where the line ends with a backslash.
fn end_of_line(text: &str) -> usize {
    let mut from = 0;
    while let Some(at) = text[from..].find('\n') {
        let end = from + at;
        if !text[..end].trim_end_matches('\r').ends_with('\\') {
            return end;
        }
        from = end + 1;
    }
    text.len()
}

fn string_length(text: &str, quote: char) -> usize {
    let mut escaped = false;
    for (at, c) in text.char_indices().skip(1) {
        if c == '\n' {
            return at;
        }
        if c == quote && !escaped {
            return at + 1;
        }
        escaped = c == '\\' && !escaped;
    }
    text.len()
}
