//! Pictures in and out: any PNG to 8-bit grey, and a PNG that appears whole or not at all.

use std::fs::{self, File};
use std::io::{self, BufReader, BufWriter, Read, Seek, Write};
use std::path::{Path, PathBuf};

use tempfile::{Builder, NamedTempFile};

use crate::error::DemoError;

/// The most pixels a picture may have. Beyond it the reference check alone would take minutes.
pub(crate) const MAX_PIXELS: u64 = 1 << 28;

const SIGNATURE: [u8; 8] = *b"\x89PNG\r\n\x1a\n";

/// An 8-bit grey picture, row by row without padding.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Grey {
    pub(crate) width: usize,
    pub(crate) height: usize,
    pub(crate) pixels: Vec<u8>,
}

/// Reads a PNG of any colour type and depth as 8-bit grey. Transparency is ignored.
pub(crate) fn read(path: &Path) -> Result<Grey, DemoError> {
    let fail = |reason: String| DemoError::Read {
        path: path.to_owned(),
        reason,
    };
    let meta = fs::metadata(path).map_err(|e| fail(plain(&e)))?;
    if meta.is_dir() {
        return Err(fail("it is a directory, not a PNG file".into()));
    }
    let file = File::open(path).map_err(|e| fail(plain(&e)))?;
    decode(BufReader::new(file)).map_err(fail)
}

fn decode(mut source: impl io::BufRead + Seek) -> Result<Grey, String> {
    check_header(&mut source)?;
    source.rewind().map_err(|e| plain(&e))?;

    let mut decoder = png::Decoder::new(source);
    decoder.set_transformations(png::Transformations::normalize_to_color8());
    decoder.set_limits(png::Limits {
        bytes: usize::try_from(MAX_PIXELS * 8).unwrap_or(usize::MAX),
    });
    let mut reader = decoder.read_info().map_err(damaged)?;
    let size = reader
        .output_buffer_size()
        .ok_or("it does not fit in memory")?;
    let mut bytes = vec![0; size];
    let info = reader.next_frame(&mut bytes).map_err(damaged)?;
    // Also read to the end, so that a file cut off after the pixels is noticed.
    reader.finish().map_err(damaged)?;
    bytes.truncate(info.buffer_size());

    let pixels = match info.color_type {
        png::ColorType::Grayscale => bytes,
        png::ColorType::GrayscaleAlpha => bytes.chunks_exact(2).map(|p| p[0]).collect(),
        png::ColorType::Rgb => bytes.chunks_exact(3).map(luma).collect(),
        png::ColorType::Rgba => bytes.chunks_exact(4).map(luma).collect(),
        png::ColorType::Indexed => return Err("its palette could not be expanded".into()),
    };
    Ok(Grey {
        width: info.width as usize,
        height: info.height as usize,
        pixels,
    })
}

/// Looks at the signature and the size before the decoder allocates anything.
fn check_header(source: &mut impl Read) -> Result<(), String> {
    let mut head = [0_u8; 24];
    let mut filled = 0;
    while filled < head.len() {
        match source.read(&mut head[filled..]) {
            Ok(0) => break,
            Ok(n) => filled += n,
            Err(e) if e.kind() == io::ErrorKind::Interrupted => {}
            Err(e) => return Err(plain(&e)),
        }
    }
    if filled == 0 {
        return Err("the file is empty".into());
    }
    let seen = filled.min(SIGNATURE.len());
    if head[..seen] != SIGNATURE[..seen] {
        return Err("it is not a PNG file".into());
    }
    if filled < head.len() {
        return Err("the PNG file is truncated".into());
    }
    let number =
        |at: usize| u32::from_be_bytes([head[at], head[at + 1], head[at + 2], head[at + 3]]);
    let (width, height) = (number(16), number(20));
    if &head[12..16] != b"IHDR" {
        return Err("the PNG file is damaged: it does not start with its header".into());
    }
    if width == 0 || height == 0 {
        return Err(format!(
            "the picture is {width} x {height}: it has no pixels"
        ));
    }
    if u64::from(width) * u64::from(height) > MAX_PIXELS {
        return Err(format!(
            "the picture is {width} x {height}: more than the {MAX_PIXELS} pixels this demo takes"
        ));
    }
    Ok(())
}

/// Rec. 601 luma in integers; the weights add up to 256.
fn luma(p: &[u8]) -> u8 {
    let sum = 77 * u32::from(p[0]) + 150 * u32::from(p[1]) + 29 * u32::from(p[2]);
    ((sum + 128) >> 8) as u8
}

fn damaged(error: png::DecodingError) -> String {
    match error {
        png::DecodingError::IoError(e) if e.kind() == io::ErrorKind::UnexpectedEof => {
            "the PNG file is truncated".into()
        }
        png::DecodingError::IoError(e) => plain(&e),
        png::DecodingError::LimitsExceeded => "the PNG file needs too much memory".into(),
        other => format!("the PNG file is damaged: {other}"),
    }
}

/// The text of an I/O error without `(os error N)`: one clear line is the aim.
fn plain(error: &io::Error) -> String {
    let text = error.to_string();
    match text.find(" (os error") {
        Some(end) => text[..end].to_owned(),
        None => text,
    }
}

/// A picture file in the making. It is written beside its place under another name and takes the
/// place in one step; dropped earlier, on whichever path, it leaves nothing behind.
#[derive(Debug)]
pub(crate) struct Output {
    path: PathBuf,
    file: NamedTempFile,
}

impl Output {
    /// Checks the place and starts the file, so that a bad place is known before the work.
    pub(crate) fn create(path: &Path) -> Result<Self, DemoError> {
        let fail = |reason: String| DemoError::Write {
            path: path.to_owned(),
            reason,
        };
        if path.file_name().is_none() {
            return Err(fail("it is a directory, not a file name".into()));
        }
        match fs::metadata(path) {
            Ok(meta) if meta.is_dir() => {
                return Err(fail("it is a directory, not a file name".into()));
            }
            // A device or a pipe cannot be replaced by a rename without destroying it.
            Ok(meta) if !meta.is_file() => return Err(fail("it is not a regular file".into())),
            _ => {}
        }
        let folder = match path.parent() {
            Some(p) if !p.as_os_str().is_empty() => p,
            _ => Path::new("."),
        };
        let mut builder = Builder::new();
        builder.prefix(".icffi-demo-").suffix(".part");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            // As any new file: the umask takes away what it takes away.
            builder.permissions(fs::Permissions::from_mode(0o666));
        }
        let file = builder.tempfile_in(folder).map_err(|e| {
            let why = match e.kind() {
                io::ErrorKind::NotFound if !folder.exists() => {
                    format!("there is no folder '{}'", folder.display())
                }
                io::ErrorKind::NotFound => format!("no file can be made in '{}'", folder.display()),
                io::ErrorKind::NotADirectory => format!("'{}' is no folder", folder.display()),
                // tempfile adds the temporary name to the text; the cause is what helps.
                kind => kind.to_string(),
            };
            fail(why)
        })?;
        Ok(Output {
            path: path.to_owned(),
            file,
        })
    }

    /// Where the picture will be.
    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Writes the picture and puts it in its place. Returns the size of the file.
    pub(crate) fn finish(mut self, picture: &Grey) -> Result<u64, DemoError> {
        let fail = |reason: String| DemoError::Write {
            path: self.path.clone(),
            reason,
        };
        encode(self.file.as_file_mut(), picture).map_err(|e| fail(plain(&e)))?;
        let size = self
            .file
            .as_file()
            .metadata()
            .map_err(|e| fail(plain(&e)))?
            .len();
        self.file
            .persist(&self.path)
            .map_err(|e| fail(plain(&e.error)))?;
        Ok(size)
    }
}

fn encode(sink: impl Write, picture: &Grey) -> io::Result<()> {
    let too_big = |_| io::Error::other("the picture is too large for a PNG file");
    let width = u32::try_from(picture.width).map_err(too_big)?;
    let height = u32::try_from(picture.height).map_err(too_big)?;
    let mut sink = BufWriter::new(sink);
    let mut encoder = png::Encoder::new(&mut sink, width, height);
    encoder.set_color(png::ColorType::Grayscale);
    encoder.set_depth(png::BitDepth::Eight);
    let as_io = |e| match e {
        png::EncodingError::IoError(e) => e,
        other => io::Error::other(other.to_string()),
    };
    let mut writer = encoder.write_header().map_err(as_io)?;
    writer.write_image_data(&picture.pixels).map_err(as_io)?;
    writer.finish().map_err(as_io)?;
    sink.flush()
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::*;

    fn encoded(
        width: u32,
        height: u32,
        color: png::ColorType,
        depth: png::BitDepth,
        data: &[u8],
    ) -> Vec<u8> {
        let mut out = Vec::new();
        let mut encoder = png::Encoder::new(&mut out, width, height);
        encoder.set_color(color);
        encoder.set_depth(depth);
        if color == png::ColorType::Indexed {
            encoder.set_palette(vec![0, 0, 0, 255, 255, 255, 255, 0, 0]);
        }
        let mut writer = encoder.write_header().unwrap();
        writer.write_image_data(data).unwrap();
        writer.finish().unwrap();
        out
    }

    #[test]
    fn every_colour_type_becomes_grey() {
        use png::{BitDepth::*, ColorType::*};
        let cases: [(png::ColorType, png::BitDepth, &[u8], [u8; 2]); 8] = [
            (Grayscale, Eight, &[7, 200], [7, 200]),
            (Grayscale, Sixteen, &[7, 255, 200, 1], [7, 200]),
            (Grayscale, One, &[0b0100_0000], [0, 255]),
            (GrayscaleAlpha, Eight, &[7, 0, 200, 255], [7, 200]),
            (Rgb, Eight, &[255, 255, 255, 255, 0, 0], [255, 77]),
            (Rgba, Eight, &[0, 255, 0, 9, 0, 0, 255, 9], [149, 29]),
            (
                Rgb,
                Sixteen,
                &[255, 0, 255, 0, 255, 0, 0, 9, 0, 9, 0, 9],
                [255, 0],
            ),
            (Indexed, Eight, &[1, 2], [255, 77]),
        ];
        for (color, depth, data, expected) in cases {
            let grey = decode(Cursor::new(encoded(2, 1, color, depth, data))).unwrap();
            assert_eq!((grey.width, grey.height), (2, 1), "{color:?} {depth:?}");
            assert_eq!(grey.pixels, expected, "{color:?} {depth:?}");
        }
    }

    #[test]
    fn every_truncation_is_an_error() {
        let data: Vec<u8> = (0..=255).collect();
        let whole = encoded(
            16,
            16,
            png::ColorType::Grayscale,
            png::BitDepth::Eight,
            &data,
        );
        assert_eq!(decode(Cursor::new(&whole)).unwrap().pixels, data);
        for cut in 0..whole.len() {
            assert!(
                decode(Cursor::new(&whole[..cut])).is_err(),
                "cut at {cut} of {}",
                whole.len()
            );
        }
    }

    #[test]
    fn a_full_disk_is_reported_and_leaves_no_file() {
        struct Full(usize);
        impl Write for Full {
            fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
                if self.0 == 0 {
                    return Err(io::ErrorKind::StorageFull.into());
                }
                let n = bytes.len().min(self.0);
                self.0 -= n;
                Ok(n)
            }
            fn flush(&mut self) -> io::Result<()> {
                Ok(())
            }
        }
        let pixels = (0..100 * 100_u32)
            .map(|i| (i.wrapping_mul(2_654_435_761) >> 24) as u8)
            .collect();
        let picture = Grey {
            width: 100,
            height: 100,
            pixels,
        };
        let mut whole = Vec::new();
        encode(&mut whole, &picture).unwrap();
        for room in 0..whole.len() {
            let error = encode(Full(room), &picture).unwrap_err();
            assert_eq!(
                error.kind(),
                io::ErrorKind::StorageFull,
                "room for {room} bytes"
            );
        }

        let folder = tempfile::tempdir().unwrap();
        drop(Output::create(&folder.path().join("edges.png")).unwrap());
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn what_is_written_reads_back() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("p.png");
        for (width, height) in [(1, 1), (3, 1), (1, 5), (17, 9)] {
            let pixels = (0..width * height).map(|i| (i * 31) as u8).collect();
            let picture = Grey {
                width,
                height,
                pixels,
            };
            Output::create(&path).unwrap().finish(&picture).unwrap();
            assert_eq!(read(&path).unwrap(), picture);
        }
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 1);
    }
}
