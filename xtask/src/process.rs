//! Running other programs, and the error all sub-commands fail with.

use std::fmt;
use std::io::{self, BufRead, BufReader, Read, Write};
use std::process::{Command, ExitCode, ExitStatus, Stdio};

/// What went wrong, and the command or step that mends it.
#[derive(Debug)]
pub(crate) struct Error {
    what: String,
    mend: Option<String>,
    code: u8,
}

pub(crate) type Result<T, E = Error> = std::result::Result<T, E>;

impl Error {
    pub(crate) fn new(what: impl Into<String>) -> Self {
        Error {
            what: what.into(),
            mend: None,
            code: 1,
        }
    }

    /// Adds the line that tells how to go on.
    #[must_use]
    pub(crate) fn mend(mut self, mend: impl Into<String>) -> Self {
        self.mend = Some(mend.into());
        self
    }

    /// Passes on the exit code of the program that failed.
    #[must_use]
    pub(crate) fn with_status(mut self, status: ExitStatus) -> Self {
        self.code = status
            .code()
            .and_then(|c| u8::try_from(c).ok())
            .filter(|&c| c != 0)
            .unwrap_or(1);
        self
    }

    /// A program that said itself what is wrong failed: nothing is left to say.
    pub(crate) fn said(status: ExitStatus) -> Self {
        Error::new("").with_status(status)
    }

    /// Whether there is something to print.
    pub(crate) fn has_text(&self) -> bool {
        !self.what.is_empty()
    }

    pub(crate) fn code(&self) -> ExitCode {
        ExitCode::from(self.code)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.what)?;
        match &self.mend {
            Some(mend) => write!(f, "\n  to mend: {mend}"),
            None => Ok(()),
        }
    }
}

/// Gives an I/O error the sentence it lacks.
pub(crate) trait Context<T> {
    fn context(self, what: impl FnOnce() -> String) -> Result<T>;
}

impl<T> Context<T> for io::Result<T> {
    fn context(self, what: impl FnOnce() -> String) -> Result<T> {
        self.map_err(|e| {
            let error = Error::new(format!("{}: {e}", what()));
            match e.kind() {
                io::ErrorKind::StorageFull => error.mend("free some disk space and run it again"),
                _ => error,
            }
        })
    }
}

/// The command as a person would type it, with the variables that matter in front.
pub(crate) fn shown(command: &Command) -> String {
    let mut words = Vec::new();
    for (key, value) in command.get_envs() {
        if let Some(value) = value {
            words.push(format!(
                "{}={}",
                key.to_string_lossy(),
                quoted(&value.to_string_lossy())
            ));
        }
    }
    // cargo's own path is long and says nothing.
    let program = command.get_program().to_string_lossy();
    let is_cargo = program
        .rsplit(['/', '\\'])
        .next()
        .is_some_and(|n| n.trim_end_matches(".exe") == "cargo");
    words.push(if is_cargo {
        "cargo".into()
    } else {
        quoted(&program)
    });
    words.extend(command.get_args().map(|a| quoted(&a.to_string_lossy())));
    words.join(" ")
}

fn quoted(word: &str) -> String {
    let safe = |c: char| c.is_ascii_alphanumeric() || "-_./=,:+@%".contains(c);
    if !word.is_empty() && word.chars().all(safe) {
        word.to_owned()
    } else {
        format!("'{}'", word.replace('\'', r"'\''"))
    }
}

fn spawn_error(command: &Command, e: &io::Error) -> Error {
    let program = command.get_program().to_string_lossy();
    match e.kind() {
        io::ErrorKind::NotFound => {
            Error::new(format!("there is no program '{program}' on the PATH"))
        }
        _ => Error::new(format!("cannot start '{program}': {e}")),
    }
}

/// Runs it with our own input and output.
pub(crate) fn run(command: &mut Command) -> Result<()> {
    let status = command.status().map_err(|e| spawn_error(command, &e))?;
    finished(command, status)
}

/// Turns an exit status into a result that names the command.
pub(crate) fn finished(command: &Command, status: ExitStatus) -> Result<()> {
    if status.success() {
        return Ok(());
    }
    Err(Error::new(format!(
        "this command failed ({status}):\n  {}",
        shown(command)
    ))
    .with_status(status))
}

/// Runs it and returns its standard output; on failure the error holds what it said.
pub(crate) fn capture(command: &mut Command) -> Result<String> {
    let output = command
        .stdin(Stdio::null())
        .output()
        .map_err(|e| spawn_error(command, &e))?;
    if !output.status.success() {
        let said = String::from_utf8_lossy(&output.stderr);
        let said = if said.trim().is_empty() {
            String::from_utf8_lossy(&output.stdout)
        } else {
            said
        };
        return Err(Error::new(format!(
            "this command failed ({}):\n  {}\n{}",
            output.status,
            shown(command),
            said.trim_end()
        )));
    }
    Ok(String::from_utf8_lossy(&output.stdout).into_owned())
}

/// Runs it, shows its standard output as it comes and returns it with the status.
pub(crate) fn tee(command: &mut Command) -> Result<(ExitStatus, String)> {
    let mut child = command
        .stdin(Stdio::null())
        .stdout(Stdio::piped())
        .spawn()
        .map_err(|e| spawn_error(command, &e))?;
    let text = child
        .stdout
        .take()
        .map_or_else(String::new, |out| pass(out, io::stdout()));
    let status = child.wait().map_err(|e| spawn_error(command, &e))?;
    Ok((status, text))
}

/// Copies line by line. A terminal that is gone is no reason to stop the program.
fn pass(from: impl Read, mut to: impl Write) -> String {
    let mut from = BufReader::new(from);
    let (mut all, mut line) = (Vec::new(), Vec::new());
    while matches!(from.read_until(b'\n', &mut line), Ok(n) if n > 0) {
        let _ = to.write_all(&line).and_then(|()| to.flush());
        all.append(&mut line);
    }
    String::from_utf8_lossy(&all).into_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn commands_are_shown_as_typed() {
        let mut command = Command::new("/home/x/.cargo/bin/cargo");
        command
            .args(["test", "-p", "a b"])
            .env("RUSTDOCFLAGS", "-D warnings");
        assert_eq!(
            shown(&command),
            "RUSTDOCFLAGS='-D warnings' cargo test -p 'a b'"
        );
        assert_eq!(quoted("it's"), r"'it'\''s'");
        assert_eq!(quoted(""), "''");
    }

    #[test]
    fn a_missing_program_is_named() {
        let error = run(&mut Command::new("no-such-program-here")).unwrap_err();
        assert_eq!(
            error.to_string(),
            "there is no program 'no-such-program-here' on the PATH"
        );
    }

    #[test]
    fn errors_carry_what_mends_them() {
        let error = Error::new("no CUDA toolkit").mend("cargo xtask setup");
        assert_eq!(
            error.to_string(),
            "no CUDA toolkit\n  to mend: cargo xtask setup"
        );
    }
}
