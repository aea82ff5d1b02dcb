//! Is there an NVIDIA GPU that a program could use, and which runtime follows from it.

use std::path::Path;
use std::process::{Command, Stdio};

/// What was found when a GPU was looked for.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Gpu {
    /// A name to show.
    Found(String),
    /// Why there is none to use.
    Missing(String),
}

/// Asks the driver's tool; without it, looks for the driver's devices and library.
pub(crate) fn find() -> Gpu {
    let listed = Command::new("nvidia-smi")
        .arg("-L")
        .stdin(Stdio::null())
        .output();
    match listed {
        Ok(output) => from_list(
            output.status.success(),
            &String::from_utf8_lossy(&output.stdout),
        ),
        Err(_) => from_devices(
            Path::new("/dev/nvidia0").exists() || Path::new("/dev/dxg").exists(),
            has_driver_library(),
        ),
    }
}

/// `nvidia-smi -L` prints `GPU 0: NVIDIA H200 (UUID: …)` for each GPU.
fn from_list(success: bool, text: &str) -> Gpu {
    let first = text
        .lines()
        .find_map(|l| l.strip_prefix("GPU ")?.split_once(": "));
    match first {
        Some((_, name)) if success => Gpu::Found(
            name.split(" (UUID")
                .next()
                .unwrap_or(name)
                .trim()
                .to_owned(),
        ),
        _ => Gpu::Missing("nvidia-smi lists no NVIDIA GPU".into()),
    }
}

fn from_devices(device: bool, library: bool) -> Gpu {
    match (device, library) {
        (true, true) => Gpu::Found("NVIDIA GPU".into()),
        (true, false) => Gpu::Missing("the NVIDIA driver's library libcuda.so.1 is missing".into()),
        (false, _) => Gpu::Missing("this machine has no NVIDIA GPU".into()),
    }
}

fn has_driver_library() -> bool {
    let usual = [
        "/usr/lib/x86_64-linux-gnu",
        "/usr/lib/aarch64-linux-gnu",
        "/usr/lib64",
        "/usr/lib",
        "/usr/local/nvidia/lib64",
        "/usr/lib/wsl/lib",
        "/run/opengl-driver/lib",
    ];
    let more = std::env::var_os("LD_LIBRARY_PATH").unwrap_or_default();
    usual
        .iter()
        .map(Into::into)
        .chain(std::env::split_paths(&more))
        .any(|folder| folder.join("libcuda.so.1").exists())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_list_of_nvidia_smi_is_understood() {
        let text = "GPU 0: NVIDIA H200 (UUID: GPU-1b)\nGPU 1: NVIDIA H200 (UUID: GPU-2c)\n";
        assert_eq!(from_list(true, text), Gpu::Found("NVIDIA H200".into()));
        assert!(matches!(
            from_list(true, "No devices were found\n"),
            Gpu::Missing(_)
        ));
        assert!(matches!(
            from_list(false, "Failed to initialize NVML"),
            Gpu::Missing(_)
        ));
    }

    #[test]
    fn devices_without_a_driver_do_not_count() {
        assert!(matches!(from_devices(true, true), Gpu::Found(_)));
        assert!(matches!(from_devices(true, false), Gpu::Missing(_)));
        assert!(matches!(from_devices(false, true), Gpu::Missing(_)));
    }
}
