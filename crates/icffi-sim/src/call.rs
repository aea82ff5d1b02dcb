//! The door of every exported function: counting, faults, callbacks, schedule, errors.

use icffi_sys::cudaError;

use crate::config::Policy;
use crate::state::{self, Lock};

/// What a function's body returns; the error becomes the thread's last error.
pub(crate) type Outcome<T = ()> = Result<T, cudaError>;

/// What a function needs before its body runs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Needs {
    /// A healthy context on the current device: after a sticky error it fails with that.
    Context,
    /// Only the runtime: works on a poisoned device, refused in host functions all the same.
    Runtime,
    /// Nothing: allowed in host functions too.
    Nothing,
}

/// Runs the body of the exported function `name`.
pub(crate) fn enter(
    name: &'static str,
    needs: Needs,
    body: impl FnOnce(&mut Lock) -> Outcome,
) -> cudaError {
    state::announce();
    let mut sim = state::lock();
    state::refresh_thread(sim.generation);
    let code = match checked(&mut sim, name, needs, body) {
        Ok(()) => cudaError::cudaSuccess,
        Err(code) => code,
    };
    if code != cudaError::cudaSuccess {
        state::set_last_error(code);
    }
    code
}

fn checked(
    sim: &mut Lock,
    name: &'static str,
    needs: Needs,
    body: impl FnOnce(&mut Lock) -> Outcome,
) -> Outcome {
    *sim.calls.entry(name).or_insert(0) += 1;
    sim.current_call = name;
    if state::in_callback() && needs != Needs::Nothing {
        return Err(cudaError::cudaErrorNotPermitted);
    }
    let device = state::current_device();
    let fault = fault(sim, name);
    if let Some((code, enqueued, sticky)) = fault {
        if enqueued {
            // What the work itself returns is hidden behind the injected code.
            let _ = run(sim, device, needs, body);
        }
        if sticky {
            if let Some(device) = sim.devices.get_mut(device) {
                device.sticky.get_or_insert(code);
            }
        }
        return Err(code);
    }
    run(sim, device, needs, body)
}

fn run(
    sim: &mut Lock,
    device: usize,
    needs: Needs,
    body: impl FnOnce(&mut Lock) -> Outcome,
) -> Outcome {
    if sim.config.policy == Policy::Random {
        crate::sched::jitter(sim);
    }
    if needs == Needs::Context {
        match sim.devices.get(device) {
            None => return Err(cudaError::cudaErrorNoDevice),
            Some(device) => device.sticky.map_or(Ok(()), Err)?,
        }
    }
    let outcome = body(sim);
    if sim.config.policy == Policy::Eager {
        crate::sched::drain_ready(sim);
    }
    outcome
}

/// The first armed fault that this call meets; all of them count it.
fn fault(sim: &mut Lock, name: &str) -> Option<(cudaError, bool, bool)> {
    let mut found = None;
    for fault in &mut sim.faults {
        if fault.hits(name) && found.is_none() {
            found = Some((fault.code, fault.enqueued, fault.sticky));
        }
    }
    found
}

/// Defines exported functions and proves at compile time that each has the signature of the
/// bindings. A body sees the locked machine under the name given in bars.
macro_rules! exported {
    ($($(#[$meta:meta])* $needs:ident fn $name:ident($($arg:ident: $ty:ty),* $(,)?)
        |$sim:ident| $body:block)*) => {$(
        $(#[$meta])*
        #[unsafe(no_mangle)]
        extern "C" fn $name($($arg: $ty),*) -> ::icffi_sys::cudaError {
            $crate::call::enter(stringify!($name), $crate::call::Needs::$needs, |$sim| $body)
        }

        const _: [unsafe extern "C" fn($($ty),*) -> ::icffi_sys::cudaError; 2] =
            [$name, ::icffi_sys::$name];
    )*};
}
pub(crate) use exported;

/// Defines exported functions that the simulator does not have.
macro_rules! unsupported {
    ($(fn $name:ident($($ty:ty),* $(,)?);)*) => {$(
        #[unsafe(no_mangle)]
        extern "C" fn $name($(_: $ty),*) -> ::icffi_sys::cudaError {
            $crate::call::enter(stringify!($name), $crate::call::Needs::Runtime, |sim| {
                sim.refuse(stringify!($name))
            })
        }

        const _: [unsafe extern "C" fn($($ty),*) -> ::icffi_sys::cudaError; 2] =
            [$name, ::icffi_sys::$name];
    )*};
}
pub(crate) use unsupported;

impl state::Sim {
    /// Records a function that the simulator does not have and names it once on stderr.
    pub(crate) fn refuse(&mut self, name: &'static str) -> Outcome {
        if !self.refused.contains(&name) {
            self.refused.push(name);
            if !crate::config::quiet() {
                eprintln!("icffi-sim: {name} is not simulated; it returns cudaErrorNotSupported");
            }
        }
        Err(cudaError::cudaErrorNotSupported)
    }
}

/// Writes through an out-pointer of the caller.
pub(crate) fn put<T>(place: *mut T, value: T) -> Outcome {
    if place.is_null() {
        return Err(cudaError::cudaErrorInvalidValue);
    }
    // SAFETY: the pointer is not null, and the C interface asks the caller for a place that is
    // valid for a write of this type. Unaligned is tolerated, as C callers get away with it.
    unsafe { place.write_unaligned(value) };
    Ok(())
}

/// Reads through a pointer of the caller.
pub(crate) fn get<T: Copy>(place: *const T) -> Outcome<T> {
    if place.is_null() {
        return Err(cudaError::cudaErrorInvalidValue);
    }
    // SAFETY: the pointer is not null, and the C interface asks the caller for a place that is
    // valid for a read of this type.
    Ok(unsafe { place.read_unaligned() })
}
