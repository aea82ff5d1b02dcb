//! The table at the end.

use std::time::Duration;

use comfy_table::{CellAlignment, Table, presets};

/// One row: a step of the job.
#[derive(Debug)]
pub(crate) struct Row {
    pub(crate) step: String,
    pub(crate) place: String,
    /// Bytes that crossed the bus, or that a kernel read and wrote.
    pub(crate) bytes: u64,
    pub(crate) time: Duration,
    /// The largest error against the CPU, where the step has a result to check.
    pub(crate) error: Option<String>,
}

pub(crate) fn table(rows: &[Row]) -> Table {
    let mut table = Table::new();
    table.load_preset(presets::UTF8_BORDERS_ONLY);
    table.set_header([
        "step",
        "where",
        "bytes",
        "time",
        "bandwidth",
        "largest error",
    ]);
    for row in rows {
        table.add_row([
            row.step.clone(),
            row.place.clone(),
            bytes(row.bytes),
            time(row.time),
            bandwidth(row.bytes, row.time),
            row.error.clone().unwrap_or_default(),
        ]);
    }
    for column in 2..5 {
        if let Some(column) = table.column_mut(column) {
            column.set_cell_alignment(CellAlignment::Right);
        }
    }
    table
}

/// Decimal units, as bandwidths are given.
fn bytes(n: u64) -> String {
    match n {
        0..10_000 => format!("{n} B"),
        10_000..10_000_000 => format!("{:.1} kB", n as f64 / 1e3),
        10_000_000..10_000_000_000 => format!("{:.1} MB", n as f64 / 1e6),
        _ => format!("{:.1} GB", n as f64 / 1e9),
    }
}

fn time(t: Duration) -> String {
    let s = t.as_secs_f64();
    if s < 1e-3 {
        format!("{:.1} µs", s * 1e6)
    } else if s < 1.0 {
        format!("{:.2} ms", s * 1e3)
    } else {
        format!("{s:.2} s")
    }
}

fn bandwidth(n: u64, t: Duration) -> String {
    let s = t.as_secs_f64();
    if n == 0 || s == 0.0 {
        "-".into()
    } else {
        format!("{:.2} GB/s", n as f64 / s / 1e9)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_readable() {
        assert_eq!(bytes(9), "9 B");
        assert_eq!(bytes(116_352), "116.4 kB");
        assert_eq!(bytes(192_000_000), "192.0 MB");
        assert_eq!(time(Duration::from_nanos(3_400)), "3.4 µs");
        assert_eq!(time(Duration::from_micros(12_345)), "12.35 ms");
        assert_eq!(time(Duration::from_millis(1_500)), "1.50 s");
        assert_eq!(
            bandwidth(3_000_000_000, Duration::from_secs(2)),
            "1.50 GB/s"
        );
        assert_eq!(bandwidth(0, Duration::from_secs(2)), "-");
        assert_eq!(bandwidth(1, Duration::ZERO), "-");
    }

    #[test]
    fn a_row_shows_all_it_has() {
        let row = Row {
            step: "upload".into(),
            place: "simulator".into(),
            bytes: 1000,
            time: Duration::from_micros(1),
            error: Some("0".into()),
        };
        let text = table(&[row]).to_string();
        for part in [
            "step",
            "upload",
            "simulator",
            "1000 B",
            "1.0 µs",
            "1.00 GB/s",
        ] {
            assert!(text.contains(part), "{part} in\n{text}");
        }
    }
}
