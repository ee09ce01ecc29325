//! The binary in a pseudo-terminal: start, use, copy, suspend, quit. Every exit restores the
//! terminal.

use std::collections::BTreeSet;
use std::io::{Read, Write};
use std::num::NonZero;
use std::path::{Path, PathBuf};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use nix::sys::termios::LocalFlags;
use nix::sys::wait::{WaitPidFlag, WaitStatus, waitpid};
use nix::unistd::Pid;
use portable_pty::{CommandBuilder, ExitStatus, MasterPty, PtySize, SlavePty, native_pty_system};
use signal_hook::consts;

use super::demo_items::SWAP;
use super::fake_server::{Behavior, FakeServer, fake_server, json, page, response_head};
use super::session::ALICE;
use base64::Engine;
use base64::prelude::BASE64_STANDARD;

/// Time for which a test waits for an event before it fails.
const MAX_WAIT: Duration = Duration::from_mins(1);

/// A program in its own pseudo-terminal.
pub(crate) struct Terminal {
    pub(crate) pid: u32,
    master: Box<dyn MasterPty + Send>,
    /// Open until the program has exited, to read the terminal's modes from it.
    slave: Option<Box<dyn SlavePty + Send>>,
    keys: Box<dyn Write + Send>,
    events: Receiver<Event>,
    ended: Option<ExitStatus>,
    pub(crate) screen: vt100::Parser,
    /// The program's output so far.
    pub(crate) written: Vec<u8>,
}

enum Event {
    Bytes(Vec<u8>),
    Ended(ExitStatus),
}

fn parser(rows: u16, cols: u16) -> vt100::Parser {
    vt100::Parser::new(cells(rows), cells(cols), 0)
}

fn cells(n: u16) -> NonZero<u16> {
    NonZero::new(n).unwrap()
}

impl Terminal {
    fn open(program: PathBuf, args: &[&str]) -> Self {
        Self::open_with(program, args, &[])
    }

    pub(crate) fn open_with(program: PathBuf, args: &[&str], variables: &[(&str, &str)]) -> Self {
        let mut command = Self::command(program, args);
        for (name, value) in variables {
            command.env(name, value);
        }
        Self::spawn(command)
    }

    /// Starts the program in a folder.
    pub(crate) fn explorer_in(folder: &Path, args: &[&str]) -> Self {
        let mut command = Self::command(env!("CARGO_BIN_EXE_chainglass").into(), args);
        command.cwd(folder);
        Self::spawn(command)
    }

    fn command(program: PathBuf, args: &[&str]) -> CommandBuilder {
        let mut command = CommandBuilder::new(program);
        command.args(args);
        command.env("TERM", "xterm-256color");
        command.env("XDG_STATE_HOME", super::session::UNUSABLE_DIR);
        command.env("XDG_CACHE_HOME", super::session::UNUSABLE_DIR);
        command.env("LC_ALL", "C.UTF-8");
        command.env("RUST_BACKTRACE", "0"); // a long one would scroll its reason away
        for name in [
            "DISPLAY",
            "WAYLAND_DISPLAY",
            "CHAINGLASS_CHAIN",
            "XDG_CONFIG_HOME",
            "NO_COLOR",
            "COLORTERM",
            "TMUX",
            "STY",
            "PAGER",
            "VISUAL",
            "EDITOR",
        ] {
            command.env_remove(name);
        }
        command
    }

    fn spawn(command: CommandBuilder) -> Self {
        let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
        let pair = native_pty_system().openpty(size).unwrap();
        let mut child = pair.slave.spawn_command(command).unwrap();
        let pid = child.process_id().unwrap();
        let mut reader = pair.master.try_clone_reader().unwrap();
        let keys = pair.master.take_writer().unwrap();
        let (sender, events) = channel();
        let bytes = sender.clone();
        std::thread::spawn(move || {
            let mut chunk = [0; 8192];
            while let Ok(n @ 1..) = reader.read(&mut chunk) {
                if bytes.send(Event::Bytes(chunk[..n].to_vec())).is_err() {
                    break;
                }
            }
        });
        std::thread::spawn(move || sender.send(Event::Ended(child.wait().unwrap())));
        let (master, slave) = (pair.master, Some(pair.slave));
        let (screen, written) = (parser(24, 80), Vec::new());
        Self { pid, master, slave, keys, events, ended: None, screen, written }
    }

    pub(crate) fn explorer(args: &[&str]) -> Self {
        Self::open(env!("CARGO_BIN_EXE_chainglass").into(), args)
    }

    pub(crate) fn resize(&mut self, rows: u16, cols: u16) -> &mut Self {
        self.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        self.screen.screen_mut().set_size(cells(rows), cells(cols));
        self
    }

    pub(crate) fn press(&mut self, keys: &str) -> &mut Self {
        self.keys.write_all(keys.as_bytes()).unwrap();
        self.keys.flush().unwrap();
        self
    }

    pub(crate) fn shown(&self) -> String {
        self.screen.screen().contents()
    }

    /// Processes the next output; returns `false` at its end.
    fn next(&mut self, what: &str, left: Duration) -> bool {
        match self.events.recv_timeout(left) {
            Ok(Event::Bytes(bytes)) => {
                self.screen.process(&bytes);
                self.written.extend_from_slice(&bytes);
            }
            Ok(Event::Ended(status)) => self.ended = Some(status),
            Err(std::sync::mpsc::RecvTimeoutError::Disconnected) => return false,
            Err(e) => panic!("{what}: {e}; the screen:\n{}", self.shown()),
        }
        true
    }

    /// Waits until the screen contains `text`.
    pub(crate) fn until(&mut self, what: &str, is_so: impl Fn(&Self) -> bool) -> &mut Self {
        let deadline = Instant::now() + MAX_WAIT;
        while !is_so(self) {
            let left = deadline.saturating_duration_since(Instant::now());
            assert!(self.next(what, left), "{what}: it ended; the screen:\n{}", self.shown());
        }
        self
    }

    pub(crate) fn wait_for(&mut self, text: &str) -> &mut Self {
        self.until(text, |terminal| terminal.shown().contains(text))
    }

    /// Waits for the exit, checks that the terminal is restored, and returns the status.
    pub(crate) fn exit_restored(&mut self) -> u32 {
        self.until("the end", |terminal| terminal.ended.is_some());
        let flags = self.master.get_termios().unwrap().local_flags;
        assert!(flags.contains(LocalFlags::ICANON | LocalFlags::ECHO), "the terminal is still raw");
        // The terminal has no other user, so its output ends.
        self.slave = None;
        while self.next("the last output", MAX_WAIT) {}
        let screen = self.screen.screen();
        assert!(!screen.alternate_screen(), "still on the alternate screen");
        assert!(!screen.hide_cursor(), "the cursor is hidden");
        assert!(!screen.bracketed_paste(), "pastes are still bracketed");
        let mouse = screen.mouse_protocol_mode();
        assert_eq!(mouse, vt100::MouseProtocolMode::None, "the mouse is still captured");
        self.ended.as_ref().unwrap().exit_code()
    }

    /// Waits until the program is stopped: it would miss an earlier SIGCONT.
    pub(crate) fn wait_until_stopped(&self) -> &Self {
        let pid = Pid::from_raw(i32::try_from(self.pid).unwrap());
        let stopped = waitpid(pid, Some(WaitPidFlag::WUNTRACED)).unwrap();
        assert!(matches!(stopped, WaitStatus::Stopped(..)), "{stopped:?}");
        self
    }

    /// Makes the terminal take no more output.
    #[cfg(target_os = "linux")]
    fn stop_output(&mut self) -> &mut Self {
        let terminal = std::fs::File::open(self.master.tty_name().unwrap()).unwrap();
        rustix::termios::tcflow(terminal, rustix::termios::Action::OOff).unwrap();
        self
    }

    pub(crate) fn signal(&self, name: &str) {
        let pid = self.pid.to_string();
        let sent = std::process::Command::new("kill").args(["-s", name, &pid]).status().unwrap();
        assert!(sent.success());
    }
}

#[test]
fn session_from_start_screen_to_exit_restores_the_terminal() {
    let mut terminal = Terminal::explorer(&["--chain", "demo"]);
    terminal.wait_for("Try these").press("\r").wait_for("1 of 826").wait_for(" 333 ");
    terminal.press("yh").wait_for("copied the transaction hash");
    let copied =
        "MHhmODM5MTY0MDQ1YTAwZmJiMzg2Yzg0YTc2NmZhYjVjODYwMjliNmIwMGRlYTg1NDU5MTFkYmIzZGQ5NDg3MGNh";
    let written = String::from_utf8_lossy(&terminal.written).into_owned();
    assert!(written.contains(&format!("\x1b]52;c;{copied}\x1b\\")), "the whole hash, ended by ST");
    terminal.press("GG").wait_for("826 of 826");
    terminal.press("\r").wait_for("created").press("\x1b").wait_for("826 of 826");
    terminal
        .press("?")
        .wait_for("one row down")
        .press("G")
        .wait_for("visible part of the list")
        .press("Q");
    assert_eq!(terminal.exit_restored(), 0);
}

#[test]
fn target_paste_and_resize_work() {
    let mut terminal = Terminal::explorer(&[ALICE]);
    terminal.wait_for("alice.eth").wait_for("1 of 826");
    terminal.press(&format!("\x1b[200~{SWAP}\x1b[201~")).wait_for("swapExactIn");
    for (rows, cols) in [(10, 40), (1, 1), (60, 200), (24, 80)] {
        terminal.resize(rows, cols);
    }
    terminal.wait_for("swapExactIn").press("\x1b").wait_for("1 of 826").press("qq");
    assert_eq!(terminal.exit_restored(), 0);
}

/// The colour of the mark in the title.
fn color_of_title(terminal: &Terminal) -> vt100::Color {
    terminal.screen.screen().cell(0, 1).unwrap().fgcolor()
}

#[test]
fn light_background_reply_keeps_surrounding_keys() {
    let asks =
        |terminal: &Terminal| terminal.written.windows(7).any(|part| part == b"\x1b]11;?\x07");
    for (answer, color) in [
        ("\x1b]11;rgb:ffff/ffff/dddd\x1b\\", vt100::Color::Idx(25)),
        ("\x1b]11;rgb:1111/1111/2222\x07", vt100::Color::Idx(80)),
    ] {
        let mut terminal = Terminal::explorer(&[ALICE]);
        terminal.until("the question", asks).press(&["s", answer, "ab"].concat());
        terminal
            .wait_for("Go to")
            .wait_for("│ > ab ")
            .press("\x1b")
            .until("its colour", |t| color_of_title(t) == color);
        terminal.press("Q");
        assert_eq!(terminal.exit_restored(), 0);
    }
    // A terminal that does not reply, or is not queried, does not delay the start.
    let mut terminal = Terminal::explorer(&[ALICE]);
    terminal.wait_for("1 of 826").press("q").exit_restored();
    assert!(asks(&terminal));
    let program = PathBuf::from(env!("CARGO_BIN_EXE_chainglass"));
    let mut terminal = Terminal::open_with(program, &[ALICE], &[("NO_COLOR", "1")]);
    terminal.wait_for("1 of 826").press("q").exit_restored();
    assert!(!asks(&terminal) && color_of_title(&terminal) == vt100::Color::Default);
}

/// Returns the numbers that follow a text in what was written.
fn numbers_after(written: &[u8], text: &str) -> BTreeSet<u32> {
    let written = String::from_utf8_lossy(written);
    let parts = written.split(text).skip(1);
    parts
        .filter_map(|part| part.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok())
        .collect()
}

#[test]
fn pictures_of_kitty_are_deleted_on_the_way_out() {
    const PANES: &str = "0x948b3c65b89df0b4894abe91e6d02fe579834f8f";
    for (name, sent) in [
        ("kitty(0.26.5)", "\x1b_Ga=t,q=2,f=100,i="),
        ("kitty(0.32.1)", "\x1b_Ga=T,U=1,q=2,f=100,i="),
    ] {
        let mut terminal = Terminal::explorer(&[PANES]);
        terminal.until("the question", |t| t.written.windows(4).any(|part| part == b"\x1b[>q"));
        terminal.press(&format!("\x1bP>|{name}\x1b\\")).wait_for("Glass Panes").press("i4");
        terminal.until("pictures", |t| numbers_after(&t.written, sent).len() >= 4).press("Q");
        assert_eq!(terminal.exit_restored(), 0);
        let (drawn, end) = terminal.written.split_at(
            terminal.written.windows(8).rposition(|part| part == b"\x1b[?1049l").unwrap(),
        );
        let stored = numbers_after(drawn, sent);
        assert_eq!(numbers_after(drawn, "\x1b_Ga=d,d=I,i="), stored, "{name}");
        assert!(!end.windows(3).any(|part| part == b"\x1b_G"));
    }
}

#[test]
fn graphics_are_asked_only_of_a_terminal_with_a_name() {
    let has = |terminal: &Terminal, text: &str| {
        terminal.written.windows(text.len()).any(|part| part == text.as_bytes())
    };
    let program = || PathBuf::from(env!("CARGO_BIN_EXE_chainglass"));
    for (variable, reply, [asks_name, asks_kitty]) in [
        ("A", "", [true, false]),
        ("A", "\x1bP>|tmux 3.5\x1b\\", [true, false]),
        ("A", "\x1bP>|kitty(0.32.1)\x1b\\", [true, false]),
        ("A", "\x1bP>|Rio 0.2\x1b\\", [true, true]),
        ("TMUX", "", [false, false]),
        ("STY", "", [false, false]),
    ] {
        let mut terminal = Terminal::open_with(program(), &[ALICE], &[(variable, "1")]);
        terminal.wait_for("1 of 826").press(reply);
        if asks_kitty {
            terminal.until("the question", |t| has(t, "\x1b_Gi=31,"));
        }
        terminal.press("j").wait_for("2 of 826").press("Q");
        assert_eq!(terminal.exit_restored(), 0);
        let asked = [has(&terminal, "\x1b[>q"), has(&terminal, "\x1b_Gi=31,")];
        assert_eq!(asked, [asks_name, asks_kitty], "{variable} {reply:?}");
    }
}

#[test]
fn background_is_painted_until_the_terminal_reports_its_own() {
    let color = |terminal: &Terminal| terminal.screen.screen().cell(0, 0).unwrap().bgcolor();
    let mut terminal = Terminal::explorer(&[ALICE]);
    terminal.wait_for("1 of 826");
    assert!(matches!(color(&terminal), vt100::Color::Idx(_)), "{:?}", color(&terminal));
    terminal.press("\x1b]11;rgb:ffff/ffff/ffff\x07");
    terminal.until("its own", |t| color(t) == vt100::Color::Default).press("Q");
    assert_eq!(terminal.exit_restored(), 0);
}

#[test]
fn trace_preview_follows_the_selection_after_a_delay() {
    let mut terminal = Terminal::explorer(&[ALICE]);
    terminal.wait_for("1 of 826");
    terminal.resize(40, 160);
    terminal.wait_for("as they happened").press("\t").wait_for("Tab list");
    terminal.press("2").wait_for("outside calls").press("\x1b").wait_for("Tab preview");
    terminal.press("jjjjj").wait_for("8 calls ·");
    terminal.press("Q");
    assert_eq!(terminal.exit_restored(), 0);
}

#[test]
fn two_interrupts_quit() {
    let mut terminal = Terminal::explorer(&[ALICE]);
    terminal.wait_for("offline").press("\x03").wait_for("^c again quits").press("\x03");
    assert_eq!(terminal.exit_restored(), 0);
}

#[test]
fn signals_exit_with_the_terminal_restored() {
    for (name, number) in [
        ("TERM", consts::SIGTERM),
        ("HUP", consts::SIGHUP),
        ("INT", consts::SIGINT),
        ("ABRT", consts::SIGABRT),
        ("ALRM", consts::SIGALRM),
        ("USR1", consts::SIGUSR1),
        ("USR2", consts::SIGUSR2),
        ("PROF", consts::SIGPROF),
        ("XCPU", consts::SIGXCPU),
    ] {
        let mut terminal = Terminal::explorer(&[ALICE]);
        terminal.wait_for("alice.eth").signal(name);
        assert_eq!(terminal.exit_restored(), number.cast_unsigned() + 128, "{name}");
    }
}

#[test]
#[cfg(target_os = "linux")]
fn signal_ends_the_program_on_a_terminal_that_takes_no_output() {
    let mut terminal = Terminal::explorer(&[ALICE]);
    terminal.wait_for("alice.eth").stop_output().press("j").signal("TERM");
    terminal.until("the end", |terminal| terminal.ended.is_some());
    let flags = terminal.master.get_termios().unwrap().local_flags;
    assert!(flags.contains(LocalFlags::ICANON | LocalFlags::ECHO), "the terminal is still raw");
    let status = consts::SIGTERM.cast_unsigned() + 128;
    assert_eq!(terminal.ended.map(|ended| ended.exit_code()), Some(status));
}

#[test]
fn signals_of_failed_writes_do_not_end_the_program() {
    let mut terminal = Terminal::explorer(&[ALICE]);
    terminal.wait_for("1 of 826").signal("PIPE");
    terminal.signal("XFSZ");
    terminal.press("j").wait_for("2 of 826").press("Q");
    assert_eq!(terminal.exit_restored(), 0);
}

#[test]
fn few_descriptors_end_with_a_sentence_and_the_terminal_restored() {
    for limit in [8, 12, 30] {
        let script = format!("ulimit -n {limit}; exec '{}'", env!("CARGO_BIN_EXE_chainglass"));
        let mut terminal = Terminal::open("/bin/sh".into(), &["-c", &script]);
        terminal.wait_for("Too many open files");
        assert_eq!(terminal.exit_restored(), 1, "{limit}");
        assert!(!terminal.shown().contains("panicked") && terminal.shown().contains("ulimit -n"));
    }
}

#[test]
fn suspend_and_resume_switch_screens() {
    let mut terminal = Terminal::explorer(&[ALICE]);
    terminal.wait_for("1 of 826").press("j").wait_for("2 of 826").press("\x1a");
    terminal.until("the shell's screen", |t| !t.screen.screen().alternate_screen());
    terminal.wait_until_stopped().signal("CONT");
    terminal.until("the explorer's screen", |t| t.screen.screen().alternate_screen());
    terminal.wait_for("2 of 826").press("j").wait_for("3 of 826").press("Q");
    assert_eq!(terminal.exit_restored(), 0);
}

#[test]
fn panics_restore_the_terminal() {
    let mut program = PathBuf::from(env!("CARGO_BIN_EXE_chainglass"));
    program.pop();
    program.extend(["examples", "dev_tools"]);
    for place in ["update", "draw", "task"] {
        let mut terminal = Terminal::open(program.clone(), &["panic-on-key", place]);
        terminal.wait_for("press a key").press("x");
        assert_eq!(terminal.exit_restored(), 101, "{place}");
        assert!(terminal.shown().contains("panicked at"), "the message is on the main screen");
        assert!(terminal.shown().contains("␛]0;pwned␇␦"), "harmless: {}", terminal.shown());
    }
}

#[test]
fn api_key_is_never_on_the_screen() {
    let row = format!("{{\"hash\":\"0x{}\",\"method\":\"called\"}}", "1".repeat(64));
    let echo = |status| json(status, "{\"message\":\"canary-0ddba11-c0ffee is no key\"}");
    let owner = fake_server(move |request, _| match request.path() {
        path if path.ends_with("/transactions") => page(&row, "{\"at\":1}"),
        path if path.ends_with("/token-transfers") => echo(401),
        _ => echo(500),
    });
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("chainglass")).unwrap();
    let settings = home.path().join("chainglass/config.toml");
    std::fs::write(settings, super::api_keys::settings_with_key(&owner.base())).unwrap();
    let folder = home.path().to_str().unwrap();
    let mut terminal = Terminal::open_with(
        env!("CARGO_BIN_EXE_chainglass").into(),
        &["--chain", owner.base().as_str(), ALICE],
        &[("XDG_CONFIG_HOME", folder), ("CHAINGLASS_API_KEY", "canary-for-another")],
    );
    terminal
        .wait_for("called")
        .press("I")
        .wait_for("Origin of this value")
        .press("\x1b")
        .press("yj");
    terminal
        .wait_for("copied")
        .press("3")
        .wait_for("‹key› is no key")
        .press("?")
        .wait_for("one row down");
    terminal
        .press("\x1b")
        .press("!")
        .wait_for("copy as curl")
        .press("y")
        .wait_for("copied the request");
    terminal.press("Q");
    assert_eq!(terminal.exit_restored(), 0);
    let written = String::from_utf8_lossy(&terminal.written);
    assert!(!written.contains("canary"), "{written}");
    let copied: Vec<&str> = written.split("\x1b]52;c;").skip(1).collect();
    assert_eq!(copied.len(), 2, "the row, and the request");
    for copy in copied {
        let encoded = copy.split('\x1b').next().unwrap();
        let text = BASE64_STANDARD.decode(encoded).unwrap();
        assert!(!String::from_utf8_lossy(&text).contains("canary"), "{copy}");
    }
    for request in owner.api_requests() {
        assert_eq!(request.text().matches("canary").count(), 1, "{}", request.text());
    }
}

#[test]
fn user_keymap_is_applied() {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("chainglass");
    std::fs::create_dir(&folder).unwrap();
    std::fs::write(folder.join("config.toml"), "moose = true\n").unwrap();
    std::fs::write(folder.join("keymap.toml"), "[everywhere]\n\"X\" = \"quit\"\n").unwrap();
    let mut terminal = Terminal::open_with(
        env!("CARGO_BIN_EXE_chainglass").into(),
        &["--chain", "demo"],
        &[("XDG_CONFIG_HOME", home.path().to_str().unwrap()), ("CHAINGLASS_CONFIG", "")],
    );
    terminal.wait_for(
        "1 problem in your files (chainglass config --check): config.toml line 1: unkno…",
    );
    terminal.press("?").press("/").press("quit at").wait_for("X Q ").press("\x1b\x1b").press("X");
    assert_eq!(terminal.exit_restored(), 0);
}

#[test]
fn missing_terminal_is_an_error() {
    let output =
        std::process::Command::new(env!("CARGO_BIN_EXE_chainglass")).arg(ALICE).output().unwrap();
    assert_eq!(output.status.code(), Some(2));
    let message = String::from_utf8(output.stderr).unwrap();
    assert!(message.contains("not a terminal") && message.lines().count() == 1, "{message}");
}

/// A server with the same behavior for every request.
fn server_doing(behavior: Behavior) -> FakeServer {
    fake_server(move |_, _| behavior.clone())
}

#[test]
fn quit_does_not_wait_for_requests() {
    let json = [("content-type", "application/json")];
    let begun = [&response_head(200, &json)[..], b"{\"items\":["].concat();
    for behavior in [
        Behavior::Stall(Vec::new()),
        Behavior::Stall(begun.clone()),
        Behavior::Endless(begun, vec![b' '; 100]),
        Behavior::Trickle([&response_head(200, &json)[..], &vec![b' '; 1 << 20]].concat()),
    ] {
        let server = server_doing(behavior);
        for keys in ["Q", "\x03\x03"] {
            let mut terminal = Terminal::explorer(&["--chain", server.base().as_str(), ALICE]);
            terminal.wait_for("loading…").press(keys);
            assert_eq!(terminal.exit_restored(), 0);
        }
    }
}

#[test]
fn many_resizes_are_handled() {
    let mut terminal = Terminal::explorer(&[ALICE]);
    terminal.wait_for("1 of 826");
    for n in 0..300_u16 {
        let (rows, cols) =
            [(1, 1), (60, 200), (2, 1 + n % 90), (1 + n % 50, 3)][usize::from(n % 4)];
        terminal.master.resize(PtySize { rows, cols, pixel_width: 0, pixel_height: 0 }).unwrap();
        terminal.press("j");
    }
    terminal
        .master
        .resize(PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 })
        .unwrap();
    terminal.press("gg").wait_for(" 333 ").press("j").wait_for("2 of").press("Q");
    assert_eq!(terminal.exit_restored(), 0);
}

#[test]
fn large_paste_is_handled() {
    let mut terminal = Terminal::explorer(&[ALICE]);
    terminal.wait_for("1 of 826");
    let text = "0x0bbc \x07\u{9b}31m".repeat(1500);
    terminal.press(&format!("\x1b[200~{text}\x1b[201~")).wait_for("not an address");
    terminal.press("\x1b").wait_for("1 of 826").press("j").wait_for("2 of 826").press("Q");
    assert_eq!(terminal.exit_restored(), 0);
}

#[test]
fn unknown_and_split_escape_sequences_are_ignored() {
    let mut terminal = Terminal::explorer(&[ALICE]);
    terminal.wait_for("1 of 826");
    for keys in [
        "\x1b[?1;2c",
        "\x1b]11;rgb:0000/0000/0000\x1b\\",
        "\x1bP1$r0m\x1b\\",
        "\x1b[<0;1;1M",
        "\x1b[99;99~",
        "\x1b[1;9",
        "9R",
        "\x1b[",
        "B\x1b[",
        "B",
        "\u{e9}\u{1f469}",
    ] {
        terminal.press(keys);
    }
    terminal
        .press("\x1b\x1b")
        .press("gg")
        .wait_for("1 of 826")
        .press("j")
        .wait_for("2 of 826")
        .press("Q");
    assert_eq!(terminal.exit_restored(), 0);
    let written = String::from_utf8_lossy(&terminal.written);
    for question in ["\x1b[6n", "\x1b[c", "\x1b[>c", "\x1b[?u", "\x1b]10;?"] {
        assert!(!written.contains(question), "some terminals never answer {question:?}");
    }
}

#[test]
fn dumb_terminal_is_refused() {
    let program = env!("CARGO_BIN_EXE_chainglass");
    let mut terminal = Terminal::open("/usr/bin/env".into(), &["TERM=dumb", program, ALICE]);
    assert_eq!(terminal.exit_restored(), 2);
    assert!(terminal.shown().contains("TERM is dumb"), "{}", terminal.shown());
    assert!(!terminal.written.contains(&0x1b), "no sequence at all");
}

#[test]
fn closed_terminal_exits() {
    // SIGHUP and the end of the input arrive in any order.
    for _ in 0..4 {
        check_closed_terminal();
    }
}

fn check_closed_terminal() {
    let size = PtySize { rows: 24, cols: 80, pixel_width: 0, pixel_height: 0 };
    let pair = native_pty_system().openpty(size).unwrap();
    let mut command = CommandBuilder::new(env!("CARGO_BIN_EXE_chainglass"));
    command.args([ALICE]);
    command.env("TERM", "xterm-256color");
    command.env_remove("CHAINGLASS_CHAIN");
    let mut child = pair.slave.spawn_command(command).unwrap();
    drop(pair.slave);
    let mut reader = pair.master.try_clone_reader().unwrap();
    let mut screen = parser(24, 80);
    while !screen.screen().contents().contains("1 of 826") {
        let mut chunk = [0; 8192];
        let read = reader.read(&mut chunk).unwrap();
        screen.process(&chunk[..read]);
    }
    // Closes the terminal.
    drop((reader, pair.master));
    let code = child.wait().unwrap().exit_code();
    assert!(code == 1 || code == 128 + 1, "end of input or SIGHUP: {code}");
}

#[test]
#[cfg(target_os = "linux")]
fn no_child_process_remains() {
    let mut terminal = Terminal::explorer(&[ALICE]);
    terminal
        .wait_for("1 of 826")
        .press("3")
        .wait_for("1 of 826")
        .press("1yh")
        .wait_for("copied")
        .press("Q");
    assert_eq!(terminal.exit_restored(), 0);
    // The program is its session's leader.
    let own = terminal.pid.to_string();
    let processes = std::fs::read_dir("/proc").unwrap().flatten();
    let stats = processes.filter_map(|at| std::fs::read_to_string(at.path().join("stat")).ok());
    let in_session = |stat: &String| {
        let after_name = stat.rsplit_once(')').map_or("", |(_, rest)| rest);
        after_name.split_whitespace().nth(3) == Some(&own)
    };
    assert_eq!(stats.filter(in_session).collect::<Vec<_>>(), Vec::<String>::new());
}

/// A server on which every address has one transaction with this method.
fn server_with_method(method: &str) -> FakeServer {
    let row = format!("{{\"hash\":\"0x{}\",\"method\":\"{method}\"}}", "1".repeat(64));
    fake_server(move |request, _| match request.path() {
        path if path.ends_with("/transactions") => page(&row, "null"),
        _ => json(404, r#"{"message":"Not found"}"#),
    })
}

#[test]
fn each_explorer_gets_its_own_key() {
    let [first, second, third, broken] = ["one", "two", "three", "four"].map(server_with_method);
    let host = |server: &FakeServer| server.base().authority().to_owned();
    let home = tempfile::tempdir().unwrap();
    std::fs::create_dir(home.path().join("chainglass")).unwrap();
    let keys = [(&first, "canary-of-one"), (&second, "canary-of-two"), (&broken, "no canary")];
    let keys = keys.map(|(server, key)| format!("\"{}\" = \"{key}\"", host(server))).join("\n");
    let settings = home.path().join("chainglass/config.toml");
    std::fs::write(&settings, format!("[keys]\n{keys}\n")).unwrap();
    let mut terminal = Terminal::open_with(
        env!("CARGO_BIN_EXE_chainglass").into(),
        &["--chain", first.base().as_str(), ALICE],
        &[("XDG_CONFIG_HOME", home.path().to_str().unwrap())],
    );
    let go_to = |terminal: &mut Terminal, server: &FakeServer| {
        terminal.press(&format!("\x1b[200~{}address/{ALICE}\x1b[201~", server.base()));
    };
    terminal.wait_for("one").wait_for(&format!(" ◆ {} › address", host(&first)));
    go_to(&mut terminal, &second);
    terminal.wait_for("two").wait_for(&format!(" ◆ {} › address", host(&second)));
    terminal.wait_for("others can read the API key");
    go_to(&mut terminal, &third);
    terminal.wait_for("three").wait_for(&format!(" ◆ {} › address", host(&third)));
    go_to(&mut terminal, &broken);
    terminal.wait_for("cannot open").wait_for(&format!(" ◆ {} › address", host(&third)));
    let asked = first.requests().len();
    terminal.press("HH").wait_for("one").press("r").press("s").press("bob.eth\r");
    terminal.wait_for("this explorer cannot resolve names").press("\x1b").press("Q");
    assert_eq!(terminal.exit_restored(), 0);
    assert!(first.requests().len() > asked);
    for (server, key) in
        [(&first, Some("canary-of-one")), (&second, Some("canary-of-two")), (&third, None)]
    {
        assert!(!server.api_requests().is_empty());
        for request in server.api_requests() {
            assert_eq!(request.header("x-api-key"), key.into_iter().collect::<Vec<_>>());
            assert_eq!(request.text().matches("canary").count(), key.iter().count());
        }
    }
    assert_eq!(broken.requests().len(), 0, "no request with an invalid key");
    assert!(!String::from_utf8_lossy(&terminal.written).contains("canary"));
}

#[test]
fn recorded_run_stays_on_one_chain() {
    let (first, second) = (server_with_method("one"), server_with_method("two"));
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let path = path.to_str().unwrap();
    for (option, message) in [("--record", "while recording"), ("--replay", "in a replay")] {
        let mut terminal =
            Terminal::explorer(&["--chain", first.base().as_str(), option, path, ALICE]);
        terminal.wait_for("one");
        terminal.press(&format!("\x1b[200~{}address/{ALICE}\x1b[201~", second.base()));
        terminal.wait_for(message).press("Q");
        assert_eq!(terminal.exit_restored(), 0, "{option}");
    }
    assert_eq!(second.requests().len(), 0);
}

#[test]
fn labels_and_watch_list_persist() {
    let home = tempfile::tempdir().unwrap();
    let own = [("XDG_CONFIG_HOME", home.path().to_str().unwrap())];
    let start =
        |args: &[&str]| Terminal::open_with(env!("CARGO_BIN_EXE_chainglass").into(), args, &own);
    let mut terminal = start(&["--chain", "demo", ALICE]);
    // The label is saved even if the program quits immediately.
    terminal.wait_for("alice.eth").press("a").wait_for("Label of").press("My wallet\rwQ");
    assert_eq!(terminal.exit_restored(), 0);
    let file = home.path().join("chainglass/labels/demo.csv");
    let kept = std::fs::read_to_string(&file).unwrap();
    assert_eq!(kept, format!("address,name,watch\n{ALICE},My wallet,yes\n"));
    let mut terminal = start(&["--chain", "demo"]);
    terminal.wait_for("─ Watched ─").wait_for("«My wallet»").press("\r").wait_for("› «My wallet»");
    // A refresh shows a label that another program has changed.
    std::fs::write(&file, format!("address,name,watch\n{ALICE},Ours,yes\n")).unwrap();
    terminal.press("r").wait_for("› «Ours»").press("Q");
    assert_eq!(terminal.exit_restored(), 0);
}

#[test]
fn recents_persist_and_can_be_removed() {
    let state = tempfile::tempdir().unwrap();
    let explorer = fake_server(|_, _| page("", "null"));
    let chain = explorer.base().to_string();
    let own = [("XDG_STATE_HOME", state.path().to_str().unwrap())];
    let start =
        |args: &[&str]| Terminal::open_with(env!("CARGO_BIN_EXE_chainglass").into(), args, &own);
    let mut terminal = start(&["--chain", &chain, ALICE]);
    // Known to be an explorer's.
    terminal.wait_for("no transactions").press("Q");
    assert_eq!(terminal.exit_restored(), 0);
    let mut terminal = start(&["--chain", &chain]);
    terminal.wait_for("─ Recent ─").wait_for(ALICE).press("x").wait_for("w adds it").press("Q");
    assert_eq!(terminal.exit_restored(), 0);
}
