//! Prints the time and the processor time of programs, such as those of two commits: until the first frame
//! and the first rows of the demo chain, of a short list, and of a long trace, of which only the first call
//! is printed or all. The programs take turns, so that both meet what else runs. Needs no network.
//!
//! `cargo run --release --example dev_tools -- program-cost PROGRAM… [CALLS] [--json]`, of the trace:
//! 100,000 otherwise

use std::io::{Read, Write};
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::LazyLock;
use std::time::{Duration, Instant};

use anyhow::ensure;
use nix::sys::resource::{UsageWho, getrusage};
use nix::sys::time::{TimeVal, TimeValLike};
use portable_pty::{CommandBuilder, PtySize, native_pty_system};

use super::fake_server::{FakeServer, fake_server, json};
use super::session::ALICE;
use super::synthetic;

const RUNS: usize = 7;
const SIZE: PtySize = PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 };
const TRACE: &str = "0x1111111111111111111111111111111111111111111111111111111111111111";
/// Ends a frame.
const FRAME_END: &str = "\x1b[?2026l";
/// A function in the first rows of the demo chain.
const FIRST_ROWS: &str = "transferFrom";
/// The question about the terminal's background, before the first frame, and an answer.
const BACKGROUND: [&str; 2] = ["\x1b]11;?", "\x1b]11;rgb:0000/0000/0000\x1b\\"];

/// The medians of a program.
struct ProgramCost {
    name: &'static str,
    whole: Duration,
    /// Processor time, of the children of this process.
    processor: Duration,
}

pub fn run(args: &[String]) -> anyhow::Result<()> {
    let calls = args.iter().find_map(|arg| arg.parse().ok()).unwrap_or(100_000);
    let programs: Vec<&Path> =
        args.iter().map(String::as_str).filter(|arg| arg.contains('/')).map(Path::new).collect();
    ensure!(!programs.is_empty(), "expected the path of a program");
    // Made when it is asked for: a process with a large memory takes long to start others.
    let body = LazyLock::new(move || synthetic::trace(calls));
    let server = fake_server(move |_, _| json(200, &**body));
    let home = tempfile::tempdir()?;
    let mut costs: Vec<Vec<ProgramCost>> = programs.iter().map(|_| Vec::new()).collect();
    for name in ["first frame", "first rows", "get --limit 1", "trace, first call", "trace, jsonl"]
    {
        let mut runs: Vec<Vec<[Duration; 2]>> = programs.iter().map(|_| Vec::new()).collect();
        for _ in 0..RUNS {
            for (program, runs) in programs.iter().zip(&mut runs) {
                runs.push(cost(name, program, home.path(), &server)?);
            }
        }
        for (costs, runs) in costs.iter_mut().zip(runs) {
            let [whole, processor] = [0, 1].map(|n| median(runs.iter().map(|run| run[n])));
            costs.push(ProgramCost { name, whole, processor });
        }
    }
    print(&programs, &costs, args.iter().any(|arg| arg == "--json"))
}

fn print(programs: &[&Path], costs: &[Vec<ProgramCost>], is_json: bool) -> anyhow::Result<()> {
    let mut out = std::io::stdout();
    for (program, costs) in programs.iter().zip(costs) {
        let mut values = serde_json::json!({ "program": program });
        for ProgramCost { name, whole, processor } in costs {
            let [whole_us, processor_us] = [whole, processor].map(Duration::as_micros);
            values[name] =
                serde_json::json!({ "whole_us": whole_us, "processor_us": processor_us });
            if !is_json {
                let program = program.display();
                writeln!(out, "{program}: {name}: {whole:.1?}, processor {processor:.1?}")?;
            }
        }
        if is_json {
            writeln!(out, "{values}")?;
        }
    }
    Ok(())
}

/// Runs a program. Returns the time that it took, and its processor time.
fn cost(
    name: &str,
    program: &Path,
    home: &Path,
    server: &FakeServer,
) -> anyhow::Result<[Duration; 2]> {
    let before = children_time()?;
    let started = Instant::now();
    let base = server.base();
    let whole = match name {
        "first frame" => wait_for(FRAME_END, program, home)?,
        "first rows" => wait_for(FIRST_ROWS, program, home)?,
        "get --limit 1" => {
            print_to_nowhere(program, home, &["get", "transactions", "--chain=demo", "--limit=1"])?;
            started.elapsed()
        }
        _ => {
            let chain = format!("--chain={base}");
            let mut args = vec!["trace", TRACE, &chain, "--format=jsonl", "--max-bytes=4000000000"];
            args.extend((name == "trace, first call").then_some("--depth=0"));
            print_to_nowhere(program, home, &args)?;
            started.elapsed()
        }
    };
    Ok([whole, children_time()?.saturating_sub(before)])
}

fn print_to_nowhere(program: &Path, home: &Path, args: &[&str]) -> anyhow::Result<()> {
    let mut command = Command::new(program);
    command.args(args).env_clear().env("HOME", home).stdout(Stdio::null());
    ensure!(command.status()?.success(), "{args:?} failed");
    Ok(())
}

/// Runs a program on a terminal until it writes a text, and returns the time until then.
fn wait_for(text: &str, program: &Path, home: &Path) -> anyhow::Result<Duration> {
    let pair = native_pty_system().openpty(SIZE)?;
    let mut command = CommandBuilder::new(program);
    command.args(["--chain=demo", ALICE]);
    command.env_clear();
    command.env("TERM", "xterm-256color");
    command.env("HOME", home);
    let mut output = pair.master.try_clone_reader()?;
    let mut keys = pair.master.take_writer()?;
    let started = Instant::now();
    let mut child = pair.slave.spawn_command(command)?;
    let (mut written, mut is_answered) = (String::new(), false);
    while !written.contains(text) {
        let mut chunk = [0; 8_192];
        let read = output.read(&mut chunk)?;
        ensure!(read > 0, "the program has ended");
        written.push_str(&String::from_utf8_lossy(&chunk[..read]));
        let [question, answer] = BACKGROUND;
        if !is_answered && written.contains(question) {
            keys.write_all(answer.as_bytes())?;
            is_answered = true;
        }
    }
    let took = started.elapsed();
    child.kill()?;
    child.wait()?;
    Ok(took)
}

/// Returns the processor time of all children that have ended.
fn children_time() -> anyhow::Result<Duration> {
    let usage = getrusage(UsageWho::RUSAGE_CHILDREN)?;
    let micros = |time: TimeVal| u64::try_from(time.num_microseconds());
    Ok(Duration::from_micros(micros(usage.user_time())? + micros(usage.system_time())?))
}

fn median(times: impl Iterator<Item = Duration>) -> Duration {
    let mut times: Vec<Duration> = times.collect();
    times.sort_unstable();
    times.get(times.len() / 2).copied().unwrap_or_default()
}
