//! Parses a raw trace from a file and prints the time and memory that this took.
//!
//! `cargo run --release --example dev_tools -- trace-memory FILE`

use std::io::Write as _;
use std::time::Instant;

use anyhow::Context as _;
use bytes::Bytes;
use chainglass::test_api::trace::{VisibleFrames, parser};

pub fn run(args: &[String]) -> anyhow::Result<()> {
    let path = args.first().context("which file?")?;
    let body = Bytes::from(std::fs::read(path).with_context(|| path.clone())?);
    let (size, before) = (body.len(), peak()?);
    let start = Instant::now();
    let tree = parser::parse_trace(body);
    let mut outline = VisibleFrames::default();
    outline.extend(&tree);
    let took = start.elapsed();
    let (calls, peak) = (tree.len(), peak()?);
    let beside = peak.saturating_sub(before);
    writeln!(
        std::io::stdout(),
        "{calls} calls, {} rows, {:.1} MB, {} ms; peak memory {:.3} of the body, {} bytes a call beside it",
        outline.rows().len(),
        mega(size),
        took.as_millis(),
        mega(peak) / mega(size),
        beside / usize::try_from(calls)?.max(1),
    )?;
    Ok(())
}

#[expect(clippy::cast_precision_loss, reason = "a figure to look at")]
fn mega(bytes: usize) -> f64 {
    bytes as f64 / 1e6
}

/// This process's peak memory in bytes.
fn peak() -> anyhow::Result<usize> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).context("no VmHWM")?;
    let kilobytes: usize = line.split_whitespace().nth(1).context("no number")?.parse()?;
    Ok(kilobytes * 1024)
}
