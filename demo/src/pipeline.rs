//! What runs on the device, step by step, with a row of the table for each.

use std::path::Path;
use std::time::{Duration, Instant};

use icffi::prelude::*;
use icffi_kernels::{axpy, dot_into, sobel};
use rand::rngs::StdRng;
use rand::{Rng, SeedableRng};

use crate::error::DemoError;
use crate::image::{Grey, Output};
use crate::reference;
use crate::report::{Row, table};
use crate::say;

/// The numbers are random and the same in every run.
const SEED: u64 = 20_261_201;
const A: f32 = 1.5;

/// Numbers lie in -1..1, so `a * x + y` lies within 2.5, where half a unit in the last place is
/// 1.2e-7. Without a fused multiply-add there are two roundings.
const AXPY_TOLERANCE: f64 = 5e-7;

/// Of the sum of the terms' sizes: f32 partial sums in a tree stay far below it.
const DOT_TOLERANCE: f64 = 1e-5;

pub(crate) fn run(
    path: &Path,
    picture: &Grey,
    output: Output,
    elements: usize,
) -> Result<(), DemoError> {
    let mut job = Job::start()?;
    say(&format!("runs on {}, because {}", job.place, why()))?;
    let (pixels, expected) = job.picture(path, picture)?;
    let edges = Grey {
        width: picture.width,
        height: picture.height,
        pixels,
    };
    job.numbers(elements)?;

    say(&table(&job.rows).to_string())?;
    // A wrong picture is not written: the file that is there is one that was checked.
    let error = reference::picture_error(&edges, &expected);
    if error != 0 {
        job.wrong.push(format!(
            "a pixel of the edges differs by {error} grey levels"
        ));
    }
    if job.wrong.is_empty() {
        let place = output.path().to_owned();
        let size = output.finish(&edges)?;
        say(&format!(
            "edges of {} are in {} ({size} bytes)",
            path.display(),
            place.display()
        ))?;
        return say("all results agree with the CPU");
    }
    Err(DemoError::Wrong(job.wrong.join("; ")))
}

/// `cargo xtask demo` knows why it chose this runtime; a demo started by hand was built for it.
fn why() -> String {
    std::env::var("ICFFI_DEMO_WHY").unwrap_or_else(|_| match icffi::runtime() {
        icffi::Runtime::Cuda => "this program was linked with NVIDIA's runtime".into(),
        icffi::Runtime::Simulator => "this program was built with the feature `sim`".into(),
    })
}

struct Job {
    stream: Stream,
    place: String,
    rows: Vec<Row>,
    wrong: Vec<String>,
}

impl Job {
    fn start() -> Result<Self, DemoError> {
        let stream = Stream::new()?;
        let name = stream.device().properties()?.name;
        let place = match icffi::runtime() {
            icffi::Runtime::Simulator => "simulator (CPU)".to_owned(),
            icffi::Runtime::Cuda => format!("GPU {}: {name}", stream.device().ordinal()),
        };
        let job = Job {
            stream,
            place,
            rows: Vec::new(),
            wrong: Vec::new(),
        };
        job.warm_up()?;
        Ok(job)
    }

    /// The first launch of a kernel loads its code; that is not what the table is about.
    fn warm_up(&self) -> Result<(), DemoError> {
        let stream = &self.stream;
        let x = DeviceBuffer::from_slice_sync(stream, &[1.0_f32])?;
        let mut y = DeviceBuffer::from_slice_sync(stream, &[1.0_f32])?;
        axpy(stream, A, &x, &mut y)?;
        let mut sum = DeviceBuffer::<f32>::zeros(1)?;
        dot_into(stream, &x, &y, &mut sum)?;
        let input = DeviceBuffer::from_slice_sync(stream, &[0_u8])?;
        let mut output = DeviceBuffer::zeros(1)?;
        sobel(stream, 1, 1, &input, &mut output)?;
        stream.synchronize()?;
        Ok(())
    }

    fn row(
        &mut self,
        step: impl Into<String>,
        bytes: usize,
        time: Duration,
        error: Option<String>,
    ) {
        let place = self.place.clone();
        self.rows.push(Row {
            step: step.into(),
            place,
            bytes: bytes as u64,
            time,
            error,
        });
    }

    /// Times work that blocks until it is complete.
    fn copied<T>(
        &mut self,
        step: &str,
        bytes: usize,
        work: impl FnOnce(&Stream) -> Result<T>,
    ) -> Result<T, DemoError> {
        let start = Instant::now();
        let result = work(&self.stream)?;
        self.row(step, bytes, start.elapsed(), None);
        Ok(result)
    }

    /// Times stream-ordered work on the device itself, by events around it.
    fn launched(&self, work: impl FnOnce(&Stream) -> Result<()>) -> Result<Duration, DemoError> {
        let (before, after) = (Event::timed()?, Event::timed()?);
        before.record(&self.stream)?;
        work(&self.stream)?;
        after.record(&self.stream)?;
        after.synchronize()?;
        Ok(after.elapsed_since(&before)?)
    }

    /// The picture through Sobel: the result, and what the CPU makes of it.
    fn picture(&mut self, path: &Path, picture: &Grey) -> Result<(Vec<u8>, Grey), DemoError> {
        let (width, height) = (picture.width, picture.height);
        let n = picture.pixels.len();
        let name = path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned();
        let input = self.copied(&format!("upload {name}, {width} x {height}"), n, |stream| {
            DeviceBuffer::from_slice_sync(stream, &picture.pixels)
        })?;
        let mut edges = DeviceBuffer::<u8>::zeros(n)?;
        let time = self.launched(|stream| sobel(stream, width, height, &input, &mut edges))?;

        let start = Instant::now();
        let mut pixels = vec![0; n];
        edges.copy_to_host_sync(&self.stream, &mut pixels)?;
        let download = start.elapsed();

        let expected = reference::sobel(picture);
        let made = Grey {
            width,
            height,
            pixels,
        };
        let error = reference::picture_error(&made, &expected);
        self.row("Sobel", 2 * n, time, Some(format!("{error} of 255")));
        self.row("download edges", n, download, None);
        Ok((made.pixels, expected))
    }

    /// `y = a * x + y`, then the dot product of `x` and the new `y`.
    fn numbers(&mut self, n: usize) -> Result<(), DemoError> {
        let mut random = StdRng::seed_from_u64(SEED);
        let mut numbers = || {
            (0..n)
                .map(|_| random.random_range(-1.0..1.0))
                .collect::<Vec<f32>>()
        };
        let (x, y) = (numbers(), numbers());
        let bytes = n * size_of::<f32>();

        let (device_x, mut device_y) =
            self.copied(&format!("upload 2 x {n} floats"), 2 * bytes, |stream| {
                Ok((
                    DeviceBuffer::from_slice_sync(stream, &x)?,
                    DeviceBuffer::from_slice_sync(stream, &y)?,
                ))
            })?;
        let axpy_time = self.launched(|stream| axpy(stream, A, &device_x, &mut device_y))?;

        let mut sum = DeviceBuffer::<f32>::zeros(1)?;
        let dot_time = self.launched(|stream| dot_into(stream, &device_x, &device_y, &mut sum))?;
        let made_dot = f64::from(sum.to_vec(&self.stream)?[0]);

        let start = Instant::now();
        let mut made = vec![0.0; n];
        device_y.copy_to_host_sync(&self.stream, &mut made)?;
        let download = start.elapsed();

        let axpy_error = reference::axpy_error(A, &x, &y, &made);
        // Against the y that the GPU really had, so that each step answers for its own error.
        let (expected_dot, size) = reference::dot(&x, &made);
        let dot_error = (made_dot - expected_dot).abs();
        self.row(
            "axpy",
            3 * bytes,
            axpy_time,
            Some(format!("{axpy_error:.1e}")),
        );
        let relative = if size == 0.0 {
            dot_error
        } else {
            dot_error / size
        };
        self.row(
            "dot",
            2 * bytes,
            dot_time,
            Some(format!("{relative:.1e} of the sum of sizes")),
        );
        self.row(format!("download {n} floats"), bytes, download, None);

        self.wrong
            .extend(judge(axpy_error, made_dot, expected_dot, size));
        Ok(())
    }
}

/// What is wrong with the numbers, if anything. A NaN is wrong too.
fn judge(axpy_error: f64, made_dot: f64, expected_dot: f64, size: f64) -> Vec<String> {
    let mut wrong = Vec::new();
    if axpy_error.is_nan() || axpy_error > AXPY_TOLERANCE {
        wrong.push(format!(
            "axpy is off by {axpy_error:.3e}; {AXPY_TOLERANCE:.0e} is allowed"
        ));
    }
    let dot_error = (made_dot - expected_dot).abs();
    if dot_error.is_nan() || dot_error > DOT_TOLERANCE * size {
        wrong.push(format!(
            "dot is {made_dot}, not {expected_dot}; off by {dot_error:.3e}"
        ));
    }
    wrong
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn wrong_numbers_are_wrong() {
        assert!(judge(1e-7, 10.0, 10.0, 100.0).is_empty());
        assert!(judge(0.0, 0.0, 0.0, 0.0).is_empty());
        for (axpy, made) in [
            (1e-3, 10.0),
            (f64::INFINITY, 10.0),
            (f64::NAN, 10.0),
            (0.0, 10.1),
            (0.0, f64::NAN),
        ] {
            assert_eq!(judge(axpy, made, 10.0, 100.0).len(), 1, "{axpy} {made}");
        }
    }
}
