//! Which GPUs to compile for.

use std::process::{Command, Stdio};

/// Machine code for these by default, as far as the compiler knows them: the generations from
/// Turing to Blackwell, data centre and desktop.
const COMMON: [&str; 7] = ["75", "80", "86", "89", "90", "100", "120"];

/// Chooses `-gencode` arguments. `known` is what the compiler knows, in ascending order.
pub(super) fn choose(
    asked: Option<&str>,
    known: &[String],
    gpus: impl Fn() -> Vec<String>,
) -> Result<Vec<String>, String> {
    let mut list = List {
        known,
        arguments: Vec::new(),
    };
    match asked {
        None => {
            let here = gpus();
            if here.is_empty() {
                list.portable()?;
            } else {
                list.native(&here)?;
            }
        }
        Some(asked) => {
            let items = asked
                .split([',', ';', ' '])
                .map(str::trim)
                .filter(|s| !s.is_empty());
            for item in items {
                match item {
                    "portable" => list.portable()?,
                    "native" => {
                        let here = gpus();
                        if here.is_empty() {
                            return Err("'native', but nvidia-smi shows no GPU here. Write the \
                                        compute capability, as in 90, or portable"
                                .into());
                        }
                        list.native(&here)?;
                    }
                    item => list.item(item)?,
                }
            }
        }
    }
    if list.arguments.is_empty() {
        return Err("the list is empty".into());
    }
    Ok(list.arguments)
}

struct List<'a> {
    known: &'a [String],
    arguments: Vec<String>,
}

impl List<'_> {
    fn knows(&self, arch: &str) -> bool {
        self.known.iter().any(|k| k == arch)
    }

    fn add(&mut self, argument: String) {
        if !self.arguments.contains(&argument) {
            self.arguments.push(argument);
        }
    }

    fn machine_code(&mut self, arch: &str) {
        self.add(format!("-gencode=arch=compute_{arch},code=sm_{arch}"));
    }

    fn ptx(&mut self, arch: &str) {
        self.add(format!("-gencode=arch=compute_{arch},code=compute_{arch}"));
    }

    /// `90`, `9.0`, `sm_90`, `90a`, with or without `+ptx`.
    fn item(&mut self, item: &str) -> Result<(), String> {
        let (arch, ptx) = match item.strip_suffix("+ptx") {
            Some(arch) => (arch, true),
            None => (item, false),
        };
        let arch = arch
            .trim_start_matches("sm_")
            .trim_start_matches("compute_")
            .replace('.', "");
        if !self.knows(&arch) {
            return Err(format!(
                "'{item}' is nothing that this nvcc compiles for. It knows {}; also possible are \
                 native and portable",
                self.known.join(", ")
            ));
        }
        self.machine_code(&arch);
        if ptx {
            self.ptx(&arch);
        }
        Ok(())
    }

    fn portable(&mut self) -> Result<(), String> {
        let common: Vec<_> = COMMON.into_iter().filter(|arch| self.knows(arch)).collect();
        let Some(newest) = common.last() else {
            return Err(format!("this nvcc knows none of {}", COMMON.join(", ")));
        };
        for arch in &common {
            self.machine_code(arch);
        }
        // Some later GPUs are not descendants of the newest one here (Thor is no desktop chip),
        // but all are of Hopper.
        if common.contains(&"90") {
            self.ptx("90");
        }
        self.ptx(newest);
        Ok(())
    }

    /// For the GPUs of this machine. One that is newer than the compiler gets PTX.
    fn native(&mut self, gpus: &[String]) -> Result<(), String> {
        for gpu in gpus {
            if self.knows(gpu) {
                self.machine_code(gpu);
                continue;
            }
            let number = |arch: &str| arch.parse::<u32>().ok();
            let older = self
                .known
                .iter()
                .rev()
                .find(|k| match (number(k), number(gpu)) {
                    (Some(k), Some(gpu)) => k < gpu,
                    _ => false,
                });
            match older.cloned() {
                Some(arch) => self.ptx(&arch),
                None => {
                    return Err(format!(
                        "the GPU of this machine has compute capability {gpu}, and this nvcc's \
                         oldest is {}. An older toolkit is needed",
                        self.known.first().map_or("unknown", String::as_str)
                    ));
                }
            }
        }
        Ok(())
    }
}

/// The compute capabilities of the GPUs of this machine: `90` for 9.0.
pub(super) fn gpus_here() -> Vec<String> {
    let output = Command::new("nvidia-smi")
        .args(["--query-gpu=compute_cap", "--format=csv,noheader"])
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    match output {
        Ok(output) if output.status.success() => {
            capabilities(&String::from_utf8_lossy(&output.stdout))
        }
        _ => Vec::new(),
    }
}

pub(super) fn capabilities(text: &str) -> Vec<String> {
    let mut found: Vec<_> = text
        .lines()
        .map(|line| line.trim().replace('.', ""))
        .filter(|arch| !arch.is_empty() && arch.chars().all(|c| c.is_ascii_digit()))
        .collect();
    found.sort();
    found.dedup();
    found
}
