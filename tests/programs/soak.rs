//! The program on a terminal of its own, under random keys, at a server with random faults. Whenever
//! the server is well again for a moment, every pane must settle; memory must stay flat.
//!
//! `tests/soak/run [SECONDS] [SEED]`

#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::print_stdout,
    reason = "it fails by panicking, and says how it goes"
)]

#[path = "../suite/catalogue.rs"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod catalogue;
#[path = "../suite/peer.rs"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod peer;
#[path = "../suite/rogue.rs"]
#[expect(dead_code, reason = "the suite uses the rest")]
mod rogue;

use std::io::{Read, Write};
use std::num::NonZero;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use portable_pty::{Child, CommandBuilder, MasterPty, PtySize, native_pty_system};
use rogue::{Act, Rogue};

/// What is looked at when the server is well.
const ADDRESS: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
const TRANSACTION: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";
/// How long a pane may take to settle then: what hangs is given up after 40 s, a trace after 60 s.
const SETTLES: Duration = Duration::from_secs(150);
/// What may be held, in kB: a cache and an answer of 64 MB each, and the places of the history. Memory
/// comes to rest below it in steps, so that growth alone says little in ten minutes.
const MOST: u64 = 192_000;
/// Random keys between two such moments.
const KEYS: usize = 1500;
/// Words of panes that wait for something.
const BUSY: [&str; 6] =
    ["loading", "refreshing", "waiting for the explorer", "reading:", "trying again", "try "];
/// Keys that are pressed often, and keys that are pressed.
const OFTEN: &str = "j k j G gg \x04 \x15 l h \r \r \x1b \x1b 1 2 3 4 5 2 } { r r u ";
const SELDOM: &str = "yy ya yj yr yt yb yh d F f f\x20 f\x20\r f\x1b /pane\r /\x1b &e\r &\x1b n N x\r xa.csv\r \
    x\x1b I T i s0x12\r s\x1b ? ! O O\r O\x1b H L \x0f \t V % Z + - > < t o e E c C zM zR z1 z3 zs zp ze zt zz \
    zb ]x [x ]v [v ]d ]n gr gh gp g* * # J K mm D S Sf(uint256)\r Y yi yo ys yf yk yT \x0c \x03j \x1b[A \x1b[B \
    \x1b[5~ \x1b[6~ \x1b[200~pasted\x1b[201~ \x1b[<0;1;1M \x1b[?1;2c \x1b]11;rgb:0/0/0\x1b\\ \u{7f} \u{e9} ";

fn main() {
    let mut args = std::env::args().skip(1);
    let seconds = args.next().map_or(600, |text| text.parse().expect("how many seconds?"));
    let seed = args.next().map_or_else(|| fastrand::u64(..), |text| text.parse().expect("a seed?"));
    println!("seed {seed}, {seconds} s");
    let (server, well) = misbehaving(seed);
    let mut soak = Soak::start(&server, fastrand::Rng::with_seed(seed), well);
    let until = Instant::now() + Duration::from_secs(seconds);
    let mut memory = Vec::new();
    while Instant::now() < until {
        for _ in 0..KEYS {
            soak.any_key();
        }
        soak.settles();
        memory.push((soak.started.elapsed(), soak.resident()));
        let (at, resident) = memory[memory.len() - 1];
        let asked = server.requests().len();
        println!("{:4} s  {resident} kB  {} keys  {asked} requests", at.as_secs(), soak.pressed);
    }
    soak.ends();
    let growth = growth(&memory);
    println!("no panic, no stuck pane; memory grew by {growth} kB a minute; seed {seed}");
    let most = memory.iter().map(|(_, kilobytes)| *kilobytes).max().unwrap_or(0);
    assert!(most < MOST, "{most} kB is more than may be held");
}

/// The demo chain's explorer behind a server that spoils what it says.
fn misbehaving(seed: u64) -> (Rogue, Arc<AtomicBool>) {
    let service = peer::service(50);
    let well = Arc::new(AtomicBool::new(true));
    let is_well = Arc::clone(&well);
    let dice = Mutex::new(fastrand::Rng::with_seed(!seed));
    let faults = catalogue::faults();
    let server = rogue::rogue(move |request, _| {
        let (status, body) = service.get(&request.target);
        let mut dice = dice.lock().unwrap();
        match dice.u8(..) {
            _ if is_well.load(Ordering::Relaxed) => rogue::json(status, body),
            0..128 => rogue::json(status, body),
            128..160 => {
                Act::Late(Duration::from_millis(dice.u64(0..400)), rogue::json(status, body).into())
            }
            160..200 => rogue::json(status, spoilt(body.into_bytes(), &mut dice)),
            200..210 => Act::Trickle(match rogue::json(status, body) {
                Act::Say(bytes) => bytes,
                _ => Vec::new(),
            }),
            _ => dice.choice(&faults).map(|fault| fault.act.clone()).unwrap(),
        }
    });
    (server, well)
}

/// A body with some bytes changed, or its end cut off.
fn spoilt(mut body: Vec<u8>, dice: &mut fastrand::Rng) -> Vec<u8> {
    for _ in 0..dice.usize(0..6) {
        let at = dice.usize(0..body.len().max(1));
        if let Some(byte) = body.get_mut(at) {
            *byte = *dice.choice(b"09-x\"{}[],:\xff\x00n").unwrap();
        }
    }
    if dice.u8(..) < 64 {
        body.truncate(dice.usize(0..=body.len()));
    }
    body
}

/// The program, and what it has written.
struct Soak {
    child: Box<dyn Child + Send + Sync>,
    master: Box<dyn MasterPty + Send>,
    keys: Box<dyn Write + Send>,
    output: Receiver<Vec<u8>>,
    screen: vt100::Parser,
    dice: fastrand::Rng,
    well: Arc<AtomicBool>,
    started: Instant,
    pressed: usize,
    /// What it wrote last: a reason to end stands there.
    last: Vec<u8>,
    /// Where it may write; gone at the end.
    _home: tempfile::TempDir,
}

impl Soak {
    fn start(server: &Rogue, dice: fastrand::Rng, well: Arc<AtomicBool>) -> Self {
        let home = tempfile::tempdir().unwrap();
        let pair = native_pty_system().openpty(pty_size(100, 30)).unwrap();
        // Beside the folder of the examples.
        let own = std::env::current_exe().unwrap();
        let program = own.parent().and_then(|folder| folder.parent()).unwrap().join("chainglass");
        let mut command = CommandBuilder::new(program);
        command.args(["--chain", server.base().as_str(), ADDRESS]);
        command.env_clear();
        // No browser is found on an empty path.
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
            dice,
            well,
            started,
            pressed: 0,
            last: Vec::new(),
            _home: home,
        };
        soak.until("the first screen", |screen| screen.contains("1 Transactions"));
        soak
    }

    /// Takes in what is written until nothing is for so long.
    fn listen(&mut self, quiet: Duration) {
        while let Ok(bytes) = self.output.recv_timeout(quiet) {
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
        self.well.store(false, Ordering::Relaxed);
        match self.dice.u8(..) {
            0..2 => self.any_size(),
            2..170 => self.one_of(OFTEN),
            _ => self.one_of(SELDOM),
        }
        let quiet = self.dice.u64(0..12);
        self.listen(Duration::from_millis(quiet));
    }

    fn one_of(&mut self, keys: &str) {
        let keys: Vec<&str> = keys.split(' ').filter(|key| !key.is_empty()).collect();
        let key = *self.dice.choice(&keys).unwrap();
        self.press(key);
    }

    fn any_size(&mut self) {
        let (columns, rows) = (self.dice.u16(1..200), self.dice.u16(1..60));
        self.resize(columns, rows);
    }

    fn resize(&mut self, columns: u16, rows: u16) {
        self.master.resize(pty_size(columns, rows)).unwrap();
        self.screen.screen_mut().set_size(cells(rows), cells(columns));
    }

    /// With a server that is well, every pane comes to rest, and what is asked for anew is there.
    fn settles(&mut self) {
        self.well.store(true, Ordering::Relaxed);
        // Out of whatever is open, of which there are few layers.
        self.press("\x1b");
        self.listen(Duration::from_millis(100));
        self.resize(120, 40);
        for _ in 0..6 {
            self.press("\x1b");
            self.listen(Duration::from_millis(100));
        }
        self.visit(ADDRESS, "1 Transactions");
        for tab in ["1", "2", "3", "4", "5"] {
            self.press(tab);
            self.press("r");
            self.until(&format!("tab {tab}"), |screen| {
                // Until the answer is there the failure of before may still be seen.
                !is_busy(screen) && screen.matches("0x").count() > 3 && !screen.contains("✗ failed")
            });
        }
        self.visit(TRANSACTION, "2 Trace");
        self.press("2");
        self.press("r");
        self.until("the trace", |screen| !is_busy(screen) && screen.contains("0.0"));
    }

    fn visit(&mut self, target: &str, title: &str) {
        self.press("s");
        self.until("the box", |screen| screen.contains("Go to"));
        self.press(&format!("{target}\r"));
        let is_there = |screen: &str| screen.contains(title) && !screen.contains("Go to");
        self.until(target, |screen| is_there(screen) && !is_busy(screen));
    }

    /// Waits until the screen is so.
    fn until(&mut self, what: &str, is_so: impl Fn(&str) -> bool) {
        let deadline = Instant::now() + SETTLES;
        while !is_so(&self.shown()) {
            assert!(Instant::now() < deadline, "{what} is stuck:\n{}", self.shown());
            self.listen(Duration::from_millis(50));
        }
    }

    /// Its memory in kB.
    fn resident(&self) -> u64 {
        let pid = self.child.process_id().unwrap();
        let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
        let line = status.lines().find(|line| line.starts_with("VmRSS:")).unwrap();
        line.split_whitespace().nth(1).unwrap().parse().unwrap()
    }

    fn ends(&mut self) {
        self.press("Q");
        let status = self.child.wait().unwrap();
        assert!(status.success(), "{status:?}");
    }
}

fn is_busy(screen: &str) -> bool {
    BUSY.iter().any(|word| screen.contains(word))
}

fn cells(n: u16) -> NonZero<u16> {
    NonZero::new(n).unwrap()
}

fn pty_size(cols: u16, rows: u16) -> PtySize {
    PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }
}

/// By how many kB a minute memory grew, from the second half of the first third to the end: the
/// difference of two means, so that one large answer does not decide.
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
