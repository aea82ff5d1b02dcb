//! What a simulated machine looks like, from the environment or from a session.

use std::fmt;

/// Which ready operation the scheduler runs next, and when.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Policy {
    /// Every operation runs inside the call that enqueues it, as soon as it may.
    Eager,
    /// Nothing moves until the host waits, and then only what it waits for.
    Lazy,
    /// Any call may run a few ready operations of any stream; waits run them in random order.
    Random,
    /// The operation enqueued last goes first whenever streams leave the choice.
    Reverse,
}

impl fmt::Display for Policy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Policy::Eager => "eager",
            Policy::Lazy => "lazy",
            Policy::Random => "random",
            Policy::Reverse => "reverse",
        })
    }
}

/// Bytes of a device when nothing else is said. Nominal: pages are committed as they are touched.
const DEFAULT_MEMORY: u64 = 8 << 30;

/// The settings of one simulated machine.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Config {
    pub(crate) seed: u64,
    pub(crate) policy: Policy,
    pub(crate) devices: u32,
    pub(crate) memory: u64,
}

impl Config {
    /// The settings of the `ICFFI_SIM_*` variables. A value that cannot be read is said on
    /// stderr and the default taken: a program must not die for a typo in its environment.
    pub(crate) fn from_env() -> Config {
        let policy = match std::env::var("ICFFI_SIM_POLICY").as_deref() {
            Err(_) | Ok("") | Ok("random") => Policy::Random,
            Ok("eager") => Policy::Eager,
            Ok("lazy") => Policy::Lazy,
            Ok("reverse") => Policy::Reverse,
            Ok(other) => {
                eprintln!(
                    "icffi-sim: ICFFI_SIM_POLICY={other} is none of eager, lazy, random, reverse; \
                     using random"
                );
                Policy::Random
            }
        };
        Config {
            seed: number("ICFFI_SIM_SEED", 0),
            policy,
            devices: number("ICFFI_SIM_DEVICES", 1).min(64) as u32,
            memory: number("ICFFI_SIM_MEMORY", DEFAULT_MEMORY),
        }
    }
}

fn number(name: &str, default: u64) -> u64 {
    match std::env::var(name) {
        Err(_) => default,
        Ok(text) if text.is_empty() => default,
        Ok(text) => text.trim().parse().unwrap_or_else(|_| {
            eprintln!("icffi-sim: {name}={text} is not a number; using {default}");
            default
        }),
    }
}

/// Whether the line on first use is unwanted.
pub(crate) fn quiet() -> bool {
    std::env::var("ICFFI_SIM_QUIET").is_ok_and(|v| !v.is_empty() && v != "0")
}
