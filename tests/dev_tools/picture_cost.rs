//! Decodes the picture on stdin as the program does, and prints what that cost: the peak of its
//! decoder's memory and of its own in kB, the decoder's time on the processor and the time until the
//! picture was there in milliseconds, and then the outcome.
//!
//! `cargo run --example dev_tools -- picture-cost target/debug/chainglass 640 <FILE`

use std::io::{Read, Write};
use std::time::Instant;

use anyhow::{Context as _, bail};
use chainglass::test_api::picture::DecoderProcess;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::TimeValLike;

pub fn run(args: &[String]) -> anyhow::Result<()> {
    let [decoder, side] = args else { bail!("which decoder, which side?") };
    let (decoder, side) = (DecoderProcess::new(decoder.into()), side.parse()?);
    let mut bytes = Vec::new();
    std::io::stdin().read_to_end(&mut bytes)?;
    let runtime = tokio::runtime::Builder::new_current_thread().enable_all().build()?;
    let started = Instant::now();
    let outcome = match runtime.block_on(decoder.decode(&bytes, side, side)) {
        Ok(pixels) => {
            let drawn = pixels.rgba.chunks_exact(4).filter(|pixel| pixel.get(3) > Some(&0)).count();
            format!("{drawn} pixels of {}×{}", pixels.width, pixels.height)
        }
        Err(reason) => reason.to_string(),
    };
    let waited = started.elapsed().as_millis();
    let child = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let cpu = (child.user_time() + child.system_time()).num_milliseconds();
    let (peak, own) = (child.max_rss(), own_peak()?);
    writeln!(std::io::stdout(), "{peak} {own} {cpu} {waited} {outcome}")?;
    Ok(())
}

fn own_peak() -> anyhow::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmHWM:")).context("no VmHWM")?;
    Ok(line.split_whitespace().nth(1).context("no VmHWM")?.parse()?)
}
