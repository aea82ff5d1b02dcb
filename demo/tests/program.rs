//! The program as a person runs it: good pictures, and every bad input one can think of.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::{Command, Output};

/// The demo of this build, or of the packed suite on a machine without the sources.
fn program() -> PathBuf {
    std::env::var_os("ICFFI_DEMO_BIN")
        .map_or_else(|| env!("CARGO_BIN_EXE_icffi-demo").into(), PathBuf::from)
}

fn data(name: &str) -> PathBuf {
    let folder = std::env::var_os("ICFFI_DEMO_DATA").map_or_else(
        || concat!(env!("CARGO_MANIFEST_DIR"), "/data").into(),
        PathBuf::from,
    );
    folder.join(name)
}

/// A run in a folder of its own with few numbers, so that it takes no time.
struct Run {
    folder: tempfile::TempDir,
}

impl Run {
    fn new() -> Self {
        Run {
            folder: tempfile::tempdir().unwrap(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn file(&self, name: &str, bytes: &[u8]) -> PathBuf {
        let path = self.path(name);
        fs::write(&path, bytes).unwrap();
        path
    }

    fn demo(&self, image: &Path, out: &Path) -> Output {
        let mut command = Command::new(program());
        command
            .arg(image)
            .arg("--out")
            .arg(out)
            .args(["--elements", "1000"]);
        command.current_dir(self.folder.path()).output().unwrap()
    }

    /// What is in the folder, hidden files too.
    fn names(&self) -> Vec<String> {
        let entries = fs::read_dir(self.folder.path()).unwrap();
        let mut names: Vec<_> = entries
            .map(|e| e.unwrap().file_name().to_string_lossy().into_owned())
            .collect();
        names.sort();
        names
    }
}

/// The run failed with code 1 and one line that has these parts.
#[track_caller]
fn assert_fails(output: &Output, parts: &[&str]) {
    let stderr = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{stderr}");
    let lines: Vec<_> = stderr
        .lines()
        .filter(|l| !l.starts_with("icffi-sim: running"))
        .collect();
    assert_eq!(lines.len(), 1, "one line, not:\n{stderr}");
    assert!(lines[0].starts_with("error: "), "{stderr}");
    for part in parts {
        assert!(lines[0].contains(part), "'{part}' in: {stderr}");
    }
}

fn png(width: u32, height: u32, color: png::ColorType, data: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut encoder = png::Encoder::new(&mut bytes, width, height);
    encoder.set_color(color);
    let mut writer = encoder.write_header().unwrap();
    writer.write_image_data(data).unwrap();
    writer.finish().unwrap();
    bytes
}

/// A PNG whose header says this size. The encoder refuses such sizes, so it is made by hand; the
/// header's checksum is right.
fn png_header(width: u32, height: u32) -> Vec<u8> {
    let mut header = b"IHDR".to_vec();
    header.extend(width.to_be_bytes());
    header.extend(height.to_be_bytes());
    header.extend([8, 0, 0, 0, 0]);
    let mut crc = u32::MAX;
    for byte in &header {
        crc ^= u32::from(*byte);
        for _ in 0..8 {
            crc = if crc & 1 == 1 {
                (crc >> 1) ^ 0xedb8_8320
            } else {
                crc >> 1
            };
        }
    }
    let mut file = b"\x89PNG\r\n\x1a\n\0\0\0\x0d".to_vec();
    file.extend(header);
    file.extend((!crc).to_be_bytes());
    file.extend(b"\0\0\0\0IEND\xae\x42\x60\x82");
    file
}

fn decode(path: &Path) -> (u32, u32, Vec<u8>) {
    let file = std::io::BufReader::new(fs::File::open(path).unwrap());
    let mut reader = png::Decoder::new(file).read_info().unwrap();
    let mut pixels = vec![0; reader.output_buffer_size().unwrap()];
    let info = reader.next_frame(&mut pixels).unwrap();
    (info.width, info.height, pixels)
}

#[test]
fn the_coins_have_edges() {
    let run = Run::new();
    let out = run.path("edges.png");
    let output = run.demo(&data("coins.png"), &out);
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success(),
        "{text}{}",
        String::from_utf8_lossy(&output.stderr)
    );
    for part in [
        "runs on",
        "because",
        "Sobel",
        "axpy",
        "dot",
        "GB/s",
        "all results agree",
    ] {
        assert!(text.contains(part), "'{part}' in:\n{text}");
    }
    let (width, height, pixels) = decode(&out);
    assert_eq!((width, height), (384, 303));
    let bright = pixels.iter().filter(|p| **p > 128).count();
    assert!((2_000..80_000).contains(&bright), "{bright} bright pixels");
    assert_eq!(run.names(), ["edges.png"]);
}

#[test]
fn a_colour_picture_works_too() {
    let run = Run::new();
    let out = run.path("edges.png");
    assert!(run.demo(&data("astronaut.png"), &out).status.success());
    assert_eq!(decode(&out).0, 512);
}

#[test]
fn pictures_smaller_than_the_filter_work() {
    let run = Run::new();
    for (width, height) in [(1, 1), (2, 1), (1, 2), (2, 2), (3, 2), (1, 300), (300, 1)] {
        let pixels: Vec<u8> = (0..width * height).map(|i| (i * 37) as u8).collect();
        let image = run.file(
            "small.png",
            &png(width, height, png::ColorType::Grayscale, &pixels),
        );
        let out = run.path("edges.png");
        let output = run.demo(&image, &out);
        assert!(
            output.status.success(),
            "{width} x {height}: {}",
            String::from_utf8_lossy(&output.stderr)
        );
        let (w, h, _) = decode(&out);
        assert_eq!((w, h), (width, height));
    }
}

#[test]
fn no_numbers_at_all_work() {
    let run = Run::new();
    let mut command = Command::new(program());
    command
        .arg(data("coins.png"))
        .args(["--elements", "0", "--out"])
        .arg(run.path("edges.png"));
    assert!(command.output().unwrap().status.success());
}

#[test]
fn an_earlier_result_is_replaced_and_a_failure_leaves_it() {
    let run = Run::new();
    let out = run.file("edges.png", b"old");
    assert_fails(&run.demo(&run.path("missing.png"), &out), &["missing.png"]);
    assert_eq!(fs::read(&out).unwrap(), b"old");
    assert!(run.demo(&data("coins.png"), &out).status.success());
    assert_eq!(decode(&out).0, 384);
}

#[test]
fn bad_images_are_one_clear_line_and_no_file() {
    let run = Run::new();
    let coins = fs::read(data("coins.png")).unwrap();
    let mut damaged = coins.clone();
    let middle = damaged.len() / 2;
    damaged[middle] ^= 0xff;
    type Case<'a> = (&'a str, Option<&'a [u8]>, &'a [&'a str]);
    let cases: [Case<'_>; 9] = [
        (
            "missing.png",
            None,
            &["cannot read image", "missing.png", "No such file"],
        ),
        ("empty.png", Some(b""), &["empty"]),
        (
            "text.png",
            Some(b"This is no picture at all, only a text."),
            &["not a PNG"],
        ),
        ("short.png", Some(&coins[..20]), &["truncated"]),
        ("cut.png", Some(&coins[..coins.len() / 3]), &["truncated"]),
        ("damaged.png", Some(&damaged), &["damaged"]),
        ("zero.png", Some(&png_header(0, 0)), &["0 x 0", "no pixels"]),
        ("flat.png", Some(&png_header(5, 0)), &["5 x 0", "no pixels"]),
        (
            "huge.png",
            Some(&png_header(0x7fff_ffff, 0x7fff_ffff)),
            &["2147483647 x 2147483647", "more than"],
        ),
    ];
    let out = run.path("edges.png");
    for (name, bytes, parts) in cases {
        let image = match bytes {
            Some(bytes) => run.file(name, bytes),
            None => run.path(name),
        };
        assert_fails(&run.demo(&image, &out), parts);
        assert!(
            !run.names()
                .iter()
                .any(|n| n.contains("edges") || n.contains("part")),
            "{name}"
        );
    }
    assert_fails(&run.demo(run.folder.path(), &out), &["is a directory"]);
    assert!(!out.exists());
}

#[test]
fn bad_places_for_the_result_are_one_clear_line() {
    let run = Run::new();
    let coins = data("coins.png");
    assert_fails(
        &run.demo(&coins, &run.path("no/such/folder/e.png")),
        &["cannot write", "no folder"],
    );
    assert_fails(&run.demo(&coins, run.folder.path()), &["is a directory"]);
    let file = run.file("file", b"x");
    assert_fails(&run.demo(&coins, &file.join("e.png")), &["cannot write"]);
    assert_eq!(run.names(), ["file"]);
    #[cfg(unix)]
    assert_fails(
        &run.demo(&coins, Path::new("/dev/full")),
        &["not a regular file"],
    );
}

/// A disk that fills up while the picture is written, made with a limit on the size of files.
#[cfg(unix)]
#[test]
fn a_disk_that_fills_up_leaves_no_file() {
    let run = Run::new();
    let script = "trap '' XFSZ; ulimit -f 8; exec \"$0\" \"$1\" --out edges.png --elements 1000";
    let mut shell = Command::new("sh");
    shell
        .args(["-c", script])
        .arg(program())
        .arg(data("coins.png"));
    let output = shell.current_dir(run.folder.path()).output().unwrap();
    assert_fails(&output, &["cannot write", "edges.png"]);
    assert!(run.names().is_empty(), "{:?}", run.names());
}

/// As root every folder can be written, so this test then has nothing to see.
#[cfg(unix)]
#[test]
fn a_folder_that_cannot_be_written_is_named() {
    use std::os::unix::fs::PermissionsExt;
    let run = Run::new();
    let locked = run.path("locked");
    fs::create_dir(&locked).unwrap();
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o555)).unwrap();
    let is_root = fs::write(locked.join("probe"), "").is_ok();
    if !is_root {
        assert_fails(
            &run.demo(&data("coins.png"), &locked.join("e.png")),
            &["permission denied"],
        );
    }
    // /proc takes no new files from anybody.
    if Path::new("/proc/self").exists() {
        assert_fails(
            &run.demo(&data("coins.png"), Path::new("/proc/e.png")),
            &["cannot write '/proc/e.png'"],
        );
    }
    fs::set_permissions(&locked, fs::Permissions::from_mode(0o755)).unwrap();
}
