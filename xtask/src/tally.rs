//! Counting tests from what the test programs say.

use std::fmt;
use std::ops::AddAssign;

/// How many tests passed, failed and were left out.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub(crate) struct Tally {
    pub(crate) passed: u64,
    pub(crate) failed: u64,
    pub(crate) ignored: u64,
}

impl Tally {
    /// Adds up all `test result:` lines of a text.
    pub(crate) fn of(text: &str) -> Self {
        let mut sum = Tally::default();
        for line in text.lines() {
            let Some(rest) = line.trim_start().strip_prefix("test result: ") else {
                continue;
            };
            for part in rest.split(['.', ';']) {
                let mut words = part.split_whitespace();
                let (Some(number), Some(what)) = (words.next(), words.next()) else {
                    continue;
                };
                let Ok(number) = number.parse::<u64>() else {
                    continue;
                };
                match what {
                    "passed" => sum.passed += number,
                    "failed" => sum.failed += number,
                    "ignored" => sum.ignored += number,
                    _ => {}
                }
            }
        }
        sum
    }
}

impl AddAssign for Tally {
    fn add_assign(&mut self, other: Self) {
        self.passed += other.passed;
        self.failed += other.failed;
        self.ignored += other.ignored;
    }
}

impl fmt::Display for Tally {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} passed, {} failed", self.passed, self.failed)?;
        if self.ignored > 0 {
            write!(f, ", {} skipped", self.ignored)?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn result_lines_are_added_up() {
        let text = "running 3 tests\ntest result: ok. 3 passed; 0 failed; 1 ignored; 0 measured; \
                    2 filtered out; finished in 0.02s\nnoise 9 passed\n\
                    test result: FAILED. 10 passed; 2 failed; 0 ignored; 0 measured; 0 filtered out\n";
        assert_eq!(
            Tally::of(text),
            Tally {
                passed: 13,
                failed: 2,
                ignored: 1
            }
        );
        assert_eq!(
            Tally::of(text).to_string(),
            "13 passed, 2 failed, 1 skipped"
        );
        assert_eq!(Tally::of("").to_string(), "0 passed, 0 failed");
    }
}
