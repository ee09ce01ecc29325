//! Prints what a program costs in a full home folder: its start with 1,000 ABI files, there or behind a
//! link, with the longest that a key waits, its cache of 500 MB, and the artifacts of 2,000 contracts. And
//! how often it wakes up while the explorer of its start page does not answer. Needs no network.
//!
//! `cargo run --release --example dev_tools -- home-cost PROGRAM [--json]`

use std::fs;
use std::io::{Read, Write};
#[cfg(unix)]
use std::os::unix::fs::symlink;
#[cfg(windows)]
use std::os::windows::fs::symlink_dir as symlink;
use std::path::Path;
use std::process::{Command, Stdio};
use std::sync::mpsc::{Receiver, RecvTimeoutError, channel};
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context as _, ensure};
use chainglass::test_api::abi::Project;
use portable_pty::{Child, CommandBuilder, PtySize, native_pty_system};

use super::session::ALICE;

const SIZE: PtySize = PtySize { rows: 40, cols: 120, pixel_width: 0, pixel_height: 0 };
/// Ends a frame.
const FRAME_END: &str = "\x1b[?2026l";
/// The question about the terminal's background, and an answer.
const BACKGROUND: [&str; 2] = ["\x1b]11;?", "\x1b]11;rgb:0000/0000/0000\x1b\\"];
const ABI_FILES: usize = 1_000;
const FUNCTIONS: usize = 60;
/// Keys that are pressed while the ABI files are read.
const KEYS: usize = 60;
const CACHE_FILES: usize = 500;
const CACHE_FILE_BYTES: usize = 1 << 20;
const ARTIFACTS: usize = 2_000;
const CODE_BYTES: usize = 24 << 10;
/// Nothing listens there.
const NO_EXPLORER: &str = "http://127.0.0.1:1/api/v2";
/// Time for the start page to settle, with its countdown of a minute, and time in which wake-ups are
/// counted.
const IDLE: [Duration; 2] = [Duration::from_secs(75), Duration::from_secs(20)];
const TIMEOUT: Duration = Duration::from_secs(30);

pub fn run(args: &[String]) -> anyhow::Result<()> {
    let program = args.iter().find(|arg| arg.contains('/')).context("expected a program's path")?;
    let program = Path::new(program);
    let mut costs: Vec<(&str, f64)> = Vec::new();
    for (name, files, is_link) in [
        ("without ABI files", 0, false),
        ("with 1,000 ABI files", ABI_FILES, false),
        ("with 1,000 ABI files behind a link", ABI_FILES, true),
    ] {
        let home = tempfile::tempdir()?;
        let config = home.path().join(".config/chainglass");
        // As managers of dotfiles place it.
        let folder = if is_link { home.path().join("dotfiles/abis") } else { config.join("abis") };
        write_abis(&folder, files)?;
        if is_link {
            fs::create_dir_all(&config)?;
            symlink(&folder, config.join("abis"))?;
        }
        let [first_frame, key, megabytes] = cost_of_start(program, home.path())?;
        costs.extend([
            (name, first_frame),
            ("  longest key, ms", key),
            ("  resident, MB", megabytes),
        ]);
    }
    let home = tempfile::tempdir()?;
    write_cache(&home.path().join(".cache/chainglass"))?;
    costs.push(("cache of 500 MB: `chainglass cache`, ms", cost_of_cache(program, home.path())?));
    costs.push(("2,000 artifacts are read, ms", cost_of_artifacts()?));
    costs.push(("wake-ups a second without an explorer", wake_ups(program)?));
    let mut out = std::io::stdout();
    if args.iter().any(|arg| arg == "--json") {
        let costs: Vec<_> =
            costs.iter().map(|(name, cost)| serde_json::json!([name, cost])).collect();
        writeln!(out, "{}", serde_json::Value::from(costs))?;
    } else {
        for (name, cost) in costs {
            writeln!(out, "{name}: {cost:.1}")?;
        }
    }
    Ok(())
}

fn write_abis(folder: &Path, files: usize) -> anyhow::Result<()> {
    fs::create_dir_all(folder)?;
    for file in 0..files {
        let function = |n| {
            format!(
                r#"{{"type":"function","name":"f{file}_{n}","inputs":[{{"name":"to","type":"address"}},{{"name":"amount","type":"uint256"}}],"outputs":[{{"name":"","type":"bool"}}],"stateMutability":"nonpayable"}}"#
            )
        };
        let functions: Vec<String> = (0..FUNCTIONS).map(function).collect();
        fs::write(folder.join(format!("C{file}.json")), format!("[{}]", functions.join(",")))?;
    }
    Ok(())
}

fn write_cache(folder: &Path) -> anyhow::Result<()> {
    fs::create_dir_all(folder)?;
    for file in 0..CACHE_FILES {
        fs::write(folder.join(format!("{file:064x}")), vec![b'x'; CACHE_FILE_BYTES])?;
    }
    Ok(())
}

/// A program on a terminal.
struct Screen {
    child: Box<dyn Child + Send + Sync>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
}

impl Screen {
    fn start(program: &Path, home: &Path, args: &[&str]) -> anyhow::Result<Self> {
        let pair = native_pty_system().openpty(SIZE)?;
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env_clear();
        command.env("TERM", "xterm-256color");
        command.env("HOME", home);
        let mut reader = pair.master.try_clone_reader()?;
        let keys = pair.master.take_writer()?;
        let (sender, output) = channel();
        let child = pair.slave.spawn_command(command)?;
        thread::spawn(move || {
            // The terminal lives as long as its output is read.
            let _master = pair.master;
            let mut chunk = [0; 8_192];
            while let Ok(read @ 1..) = reader.read(&mut chunk) {
                if sender.send(chunk[..read].to_vec()).is_err() {
                    return;
                }
            }
        });
        Ok(Self { child, keys, output })
    }

    /// Waits for a text in the output, and answers the question about the background.
    fn wait_for(&mut self, text: &str) -> anyhow::Result<()> {
        let mut written = String::new();
        while !written.contains(text) {
            let chunk = self.output.recv_timeout(TIMEOUT).context("no output")?;
            written.push_str(&String::from_utf8_lossy(&chunk));
            let [question, answer] = BACKGROUND;
            if written.contains(question) {
                self.keys.write_all(answer.as_bytes())?;
                written = written.replace(question, "");
            }
        }
        Ok(())
    }

    /// Reads what is written within a time.
    fn drain(&self, time: Duration) {
        let end = Instant::now() + time;
        while let Some(left) = end.checked_duration_since(Instant::now()) {
            if self.output.recv_timeout(left) == Err(RecvTimeoutError::Disconnected) {
                return;
            }
        }
    }

    fn process(&self) -> anyhow::Result<u32> {
        self.child.process_id().context("no process")
    }

    fn end(mut self) -> anyhow::Result<()> {
        self.child.kill()?;
        self.child.wait()?;
        Ok(())
    }
}

/// Returns the milliseconds to the first frame, the longest from a key to its frame, and the resident
/// megabytes in the end.
fn cost_of_start(program: &Path, home: &Path) -> anyhow::Result<[f64; 3]> {
    let started = Instant::now();
    let mut screen = Screen::start(program, home, &["--chain=demo", ALICE])?;
    screen.wait_for(FRAME_END)?;
    let first_frame = started.elapsed();
    let mut longest = Duration::ZERO;
    for key in ["?", "\x1b"].into_iter().cycle().take(KEYS) {
        screen.drain(Duration::from_millis(20));
        let pressed = Instant::now();
        screen.keys.write_all(key.as_bytes())?;
        screen.wait_for(FRAME_END)?;
        longest = longest.max(pressed.elapsed());
    }
    let status = fs::read_to_string(format!("/proc/{}/status", screen.process()?))?;
    let kilobytes: f64 = status_number(&status, "VmRSS:").context("no VmRSS")?;
    screen.end()?;
    Ok([milliseconds(first_frame), milliseconds(longest), kilobytes / 1024.0])
}

fn cost_of_cache(program: &Path, home: &Path) -> anyhow::Result<f64> {
    let started = Instant::now();
    let mut command = Command::new(program);
    command.arg("cache").env_clear().env("HOME", home).stdout(Stdio::null());
    ensure!(command.status()?.success(), "`cache` failed");
    Ok(milliseconds(started.elapsed()))
}

fn cost_of_artifacts() -> anyhow::Result<f64> {
    let root = tempfile::tempdir()?;
    fs::write(root.path().join("foundry.toml"), "")?;
    for n in 0..ARTIFACTS {
        let folder = root.path().join(format!("out/C{n}.sol"));
        fs::create_dir_all(&folder)?;
        let code = format!("{n:08x}").repeat(CODE_BYTES / 4);
        let abi = r#"[{"type":"function","name":"set","inputs":[],"outputs":[]}]"#;
        let artifact = format!(
            r#"{{"abi":{abi},"bytecode":{{"object":"0x{code}"}},"deployedBytecode":{{"object":"0x{code}","sourceMap":""}}}}"#
        );
        fs::write(folder.join(format!("C{n}.json")), artifact)?;
    }
    let project = Project::find(root.path()).context("no project")?;
    let started = Instant::now();
    let (index, problems) = project.load();
    let took = started.elapsed();
    drop(index);
    ensure!(problems.is_empty(), "{problems:?}");
    Ok(milliseconds(took))
}

/// Returns the wake-ups of a program's threads in a second, while its explorer does not answer.
fn wake_ups(program: &Path) -> anyhow::Result<f64> {
    let home = tempfile::tempdir()?;
    let mut screen = Screen::start(program, home.path(), &["--chain", NO_EXPLORER])?;
    screen.wait_for(FRAME_END)?;
    let [settling, counted] = IDLE;
    screen.drain(settling);
    let before = switches(screen.process()?)?;
    screen.drain(counted);
    let after = switches(screen.process()?)?;
    screen.end()?;
    Ok((after - before) / counted.as_secs_f64())
}

/// Returns the number of times that the threads of a process have waited.
fn switches(process: u32) -> anyhow::Result<f64> {
    let mut count = 0.0;
    for thread in fs::read_dir(format!("/proc/{process}/task"))? {
        let status = fs::read_to_string(thread?.path().join("status"))?;
        count += status_number(&status, "voluntary_ctxt_switches:").unwrap_or_default();
    }
    Ok(count)
}

fn status_number(status: &str, name: &str) -> Option<f64> {
    let line = status.lines().find(|line| line.starts_with(name))?;
    line.split_whitespace().nth(1)?.parse().ok()
}

fn milliseconds(time: Duration) -> f64 {
    time.as_secs_f64() * 1_000.0
}
