//! Bytes as lines of hex digits.

use std::fmt::Write;
use std::ops::Range;

/// Returns a whole, half or quarter word of calldata.
pub(super) fn bytes_per_line(width: usize) -> usize {
    [32, 16, 8].into_iter().find(|n| n * 2 + 8 <= width).unwrap_or(4)
}

pub(super) fn hex_line(bytes: &[u8], offset: usize) -> String {
    let mut out = format!("{offset:>6} ");
    for byte in bytes {
        // Writing to a String cannot fail.
        let _ = write!(out, "{byte:02x}");
    }
    out
}

pub(super) fn line_ranges(len: usize, by: usize) -> Vec<Range<usize>> {
    let starts = (0..len.max(1)).step_by(by);
    starts.map(|start| start..(start + by).min(len)).collect()
}
