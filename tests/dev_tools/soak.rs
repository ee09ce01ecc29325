//! Runs the program in a pseudo-terminal with random keys, against a server with random faults. Whenever
//! the server works for a moment, every pane must finish loading. Memory must stay bounded.
//!
//! `tests/soak/run [SECONDS] [SEED]`

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "it fails by panicking, and says how it goes"
)]

use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::fake_server::{self, Behavior, FakeServer};
use super::{demo_server_client, fault_cases};
use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};

/// The targets to load while the server works.
const ADDRESS: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const TRANSACTION: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";
/// Longest time in which a pane loads: stalled requests time out after 40 s, traces after 60 s.
const MAX_LOADING_TIME: Duration = Duration::from_secs(150);
/// The memory limit in kB: a cache and a response of 64 MB each, and the history. Memory grows in steps,
/// so its growth in ten minutes says little.
const MAX_RESIDENT_KB: u64 = 192_000;
/// The number of random keys between two checks.
const KEYS_PER_CHECK: usize = 1500;
/// Texts of panes that are loading.
const LOADING_TEXTS: [&str; 6] =
    ["loading", "refreshing", "waiting for the explorer", "loading:", "trying again", "try "];
/// Keys that are pressed often, and keys that are pressed rarely.
const COMMON_KEYS: &str = "j k j G gg \x04 \x15 l h \r \r \x1b \x1b 1 2 3 4 5 2 } { r r u ";
const RARE_KEYS: &str = "yy ya yj yr yt yb yh d F f f\x20 f\x20\r f\x1b /pane\r /\x1b &e\r &\x1b n N x\r xa.csv\r \
    x\x1b I T i s0x12\r s\x1b ? ! O O\r O\x1b H L \x0f \t V % Z + - > < t o e E c C zM zR z1 z3 zs zp ze zt zz \
    zb ]x [x ]v [v ]d ]n gr gh gp g* * # J K mm D S Sf(uint256)\r Y yi yo ys yf yk yT \x0c \x03j \x1b[A \x1b[B \
    \x1b[5~ \x1b[6~ \x1b[200~pasted\x1b[201~ \x1b[<0;1;1M \x1b[?1;2c \x1b]11;rgb:0/0/0\x1b\\ \u{7f} \u{e9} ";

pub fn run(args: &[String]) {
    let mut args = args.iter();
    let seconds = args.next().map_or(600, |text| text.parse().expect("how many seconds?"));
    let seed = args.next().map_or_else(|| fastrand::u64(..), |text| text.parse().expect("a seed?"));
    println!("seed {seed}, {seconds} s");
    let (server, is_fixed) = faulty_server(seed);
    let mut soak = Soak::start(&server, fastrand::Rng::with_seed(seed), is_fixed);
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut memory = Vec::new();
    while Instant::now() < until {
        for _ in 0..KEYS_PER_CHECK {
            soak.any_key();
        }
        soak.check_all_load();
        memory.push((soak.started.elapsed(), soak.resident()));
        let (at, resident) = memory[memory.len() - 1];
        let asked = server.requests().len();
        println!("{:4} s  {resident} kB  {} keys  {asked} requests", at.as_secs(), soak.pressed);
    }
    soak.quit();
    let growth = growth(&memory);
    println!("no panic, no stuck pane; memory grew by {growth} kB a minute; seed {seed}");
    let peak = memory.iter().map(|(_, kilobytes)| *kilobytes).max().unwrap_or(0);
    assert!(peak < MAX_RESIDENT_KB, "{peak} kB exceed the memory limit");
}

/// A server that passes the demo server's responses on with random faults.
fn faulty_server(seed: u64) -> (FakeServer, Arc<AtomicBool>) {
    let server = demo_server_client::demo_server(50);
    let is_fixed = Arc::new(AtomicBool::new(true));
    let fixed = Arc::clone(&is_fixed);
    let rng = Mutex::new(fastrand::Rng::with_seed(!seed));
    let faults = fault_cases::fault_cases();
    let server = fake_server::fake_server(move |request, _| {
        let (status, body) = server.get(&request.target);
        let mut rng = rng.lock().unwrap();
        match rng.u8(..) {
            _ if fixed.load(Ordering::Relaxed) => fake_server::json(status, body),
            0..128 => fake_server::json(status, body),
            128..160 => Behavior::Delay(
                Duration::from_millis(rng.u64(0..400)),
                fake_server::json(status, body).into(),
            ),
            160..200 => fake_server::json(status, corrupted(body.into_bytes(), &mut rng)),
            200..210 => Behavior::Trickle(match fake_server::json(status, body) {
                Behavior::Respond(bytes) => bytes,
                _ => Vec::new(),
            }),
            _ => rng.choice(&faults).map(|fault| fault.behavior.clone()).unwrap(),
        }
    });
    (server, is_fixed)
}

/// A body with some bytes changed or its end truncated.
fn corrupted(mut body: Vec<u8>, rng: &mut fastrand::Rng) -> Vec<u8> {
    for _ in 0..rng.usize(0..6) {
        let at = rng.usize(0..body.len().max(1));
        if let Some(byte) = body.get_mut(at) {
            *byte = *rng.choice(b"09-x\"{}[],:\xff\x00n").unwrap();
        }
    }
    if rng.u8(..) < 64 {
        body.truncate(rng.usize(0..=body.len()));
    }
    body
}

/// The running program and its output.
struct Soak {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    rng: fastrand::Rng,
    is_fixed: Arc<AtomicBool>,
    started: Instant,
    pressed: usize,
    /// The last output, which has the reason for an unexpected exit.
    last: Vec<u8>,
    /// The program's home folder, removed at the end.
    _home: tempfile::TempDir,
}

impl Soak {
    fn start(server: &FakeServer, rng: fastrand::Rng, is_fixed: Arc<AtomicBool>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let pair = native_pty_system().openpty(pty_size(100, 30)).unwrap();
        // The binary is next to the folder of examples.
        let own = std::env::current_exe().unwrap();
        let program = own.parent().and_then(|folder| folder.parent()).unwrap().join("chainglass");
        let mut command = CommandBuilder::new(program);
        command.args(["--chain", server.base().as_str(), ADDRESS]);
        command.env_clear();
        // An empty path keeps it from opening a browser.
        command.env("PATH", "");
        command.env("TERM", "xterm-256color");
        for name in ["HOME", "XDG_CONFIG_HOME", "XDG_CACHE_HOME", "XDG_STATE_HOME"] {
            command.env(name, home.path());
        }
        command.cwd(home.path());
        let child = pair.slave.spawn_command(command).unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let (sender, output) = channel();
        std::thread::spawn(move || {
            let mut chunk = [0; 8192];
            while let Ok(n @ 1..) = reader.read(&mut chunk) {
                if sender.send(chunk[..n].to_vec()).is_err() {
                    return;
                }
            }
        });
        let keys = pair.master.take_writer().unwrap();
        let screen = vt100::Parser::new(cells(30), cells(100), 0);
        let (master, started) = (pair.master, Instant::now());
        let mut soak = Self {
            child,
            master,
            keys,
            output,
            screen,
            rng,
            is_fixed,
            started,
            pressed: 0,
            last: Vec::new(),
            _home: home,
        };
        soak.until("the first screen", |screen| screen.contains("1 Transactions"));
        soak
    }

    /// Processes output until there is none for this duration.
    fn process_output(&mut self, pause: Duration) {
        while let Ok(bytes) = self.output.recv_timeout(pause) {
            self.screen.process(&bytes);
            self.last.extend(bytes);
            let old = self.last.len().saturating_sub(4000);
            self.last.drain(..old);
        }
        if let Some(status) = self.child.try_wait().unwrap() {
            let last = String::from_utf8_lossy(&self.last);
            panic!("it ended with {status:?} after {} keys:\n{last}", self.pressed);
        }
    }

    fn shown(&self) -> String {
        self.screen.screen().contents()
    }

    fn press(&mut self, keys: &str) {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
        self.pressed += 1;
    }

    fn any_key(&mut self) {
        self.is_fixed.store(false, Ordering::Relaxed);
        match self.rng.u8(..) {
            0..2 => self.any_size(),
            2..170 => self.one_of(COMMON_KEYS),
            _ => self.one_of(RARE_KEYS),
        }
        let pause = self.rng.u64(0..12);
        self.process_output(Duration::from_millis(pause));
    }

    fn one_of(&mut self, keys: &str) {
        let keys: Vec<&str> = keys.split(' ').filter(|key| !key.is_empty()).collect();
        let key = *self.rng.choice(&keys).unwrap();
        self.press(key);
    }

    fn any_size(&mut self) {
        let (columns, rows) = (self.rng.u16(1..200), self.rng.u16(1..60));
        self.resize(columns, rows);
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.master.resize(pty_size(columns, rows)).unwrap();
        self.screen.screen_mut().set_size(cells(rows), cells(columns));
    }

    /// Checks that every pane loads while the server works.
    fn check_all_load(&mut self) {
        self.is_fixed.store(true, Ordering::Relaxed);
        // Close all overlays.
        self.press("\x1b");
        self.process_output(Duration::from_millis(100));
        self.resize(120, 40);
        for _ in 0..6 {
            self.press("\x1b");
            self.process_output(Duration::from_millis(100));
        }
        self.visit(ADDRESS, "1 Transactions");
        for tab in ["1", "2", "3", "4", "5"] {
            self.press(tab);
            self.press("r");
            self.until(&format!("tab {tab}"), |screen| {
                // An earlier failure can be visible until the response arrives.
                !is_loading(screen)
                    && screen.matches("0x").count() > 3
                    && !screen.contains("✗ failed")
            });
        }
        self.visit(TRANSACTION, "2 Trace");
        self.press("2");
        self.press("r");
        self.until("the trace", |screen| !is_loading(screen) && screen.contains("0.0"));
    }

    fn visit(&mut self, target: &str, title: &str) {
        self.press("s");
        self.until("the box", |screen| screen.contains("Go to"));
        self.press(&format!("{target}\r"));
        let is_there = |screen: &str| screen.contains(title) && !screen.contains("Go to");
        self.until(target, |screen| is_there(screen) && !is_loading(screen));
    }

    /// Waits until a condition holds for the screen.
    fn until(&mut self, what: &str, is_so: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + MAX_LOADING_TIME;
        while !is_so(&self.shown()) {
            assert!(Instant::now() < deadline, "{what} is stuck:\n{}", self.shown());
            self.process_output(Duration::from_millis(50));
        }
    }

    /// The program's memory in kB.
    fn resident(&self) -> u64 {
        let pid = self.child.process_id().unwrap();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    fn quit(&mut self) {
        self.press("Q");
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status:?}");
    }
}

fn is_loading(screen: &str) -> bool {
    LOADING_TEXTS.iter().any(|word| screen.contains(word))
}

fn cells(n: u16) -> NonZero<u16> {
    NonZero::new(n).unwrap()
}

fn pty_size(cols: u16, rows: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

/// The growth of memory in kB per minute, between the means of the second and the last third, so that one
/// large response does not matter.
fn growth(memory: &[(Duration, u64)]) -> i64 {
    let third = memory.len() / 3;
    if third == 0 {
        return 0;
    }
    let mean = |part: &[(Duration, u64)]| {
        let all: u64 = part.iter().map(|(_, kilobytes)| kilobytes).sum();
        let at: u64 = part.iter().map(|(at, _)| at.as_secs()).sum();
        let count = u64::try_from(part.len()).unwrap();
        (i64::try_from(at / count).unwrap(), i64::try_from(all / count).unwrap())
    };
    let (from, before) = mean(&memory[third..2 * third]);
    let (to, after) = mean(&memory[2 * third..]);
    (after - before) * 60 / (to - from).max(1)
}
