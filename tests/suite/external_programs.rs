//! The binary in a pseudo-terminal with a mouse, a multiplexer, a pager and an editor.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::PathBuf;

use tempfile::TempDir;
use vt100::MouseProtocolMode;

use super::session::ALICE;
use super::terminal::Terminal;

fn start_explorer(args: &[&str], variables: &[(&str, &str)]) -> Terminal {
    Terminal::open_with(env!("CARGO_BIN_EXE_chainglass").into(), args, variables)
}

/// An executable shell script: its folder and its path.
fn script(lines: &str) -> (TempDir, String) {
    let folder = tempfile::tempdir().unwrap();
    let path: PathBuf = folder.path().join("program with spaces");
    fs::write(&path, format!("#!/bin/sh\n{lines}\n")).unwrap();
    fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
    let path = path.to_str().unwrap().to_owned();
    (folder, path)
}

/// Prints its arguments and the file's first line, waits for a key, saves it, and exits.
const READER: &str = r#"
trap 'echo interrupted' INT
stty -icanon -echo min 1
echo "args: $1"; head -1 "$2" | cut -c1-60; echo "mode: $(stat -c %a "$2") ${2##*/}"
echo "$2" > "${0%/*}/shown"; echo ready
key=$(dd bs=1 count=1 2>/dev/null); stty sane
echo "$key" > "${0%/*}/key"
printf '\033[2J\033[H'"#;

#[test]
fn mouse_capture_excludes_motion_and_is_released() {
    let mut terminal = start_explorer(&["--mouse", ALICE], &[]);
    terminal.wait_for("1 of 826");
    let mouse_mode = |t: &Terminal| t.screen.screen().mouse_protocol_mode();
    assert_eq!(mouse_mode(&terminal), MouseProtocolMode::PressRelease);
    // The third row is selected.
    terminal.press("\x1b[<0;8;8M\x1b[<0;8;8m").wait_for("3 of 826");
    terminal.press("\x1b[<65;8;8M").wait_for("4 of 826");
    terminal.press("p").wait_for("select with the mouse");
    terminal.until("mouse released", |t| mouse_mode(t) == MouseProtocolMode::None);
    terminal.press("\x1b");
    terminal.until("mouse captured again", |t| mouse_mode(t) == MouseProtocolMode::PressRelease);
    terminal.press("\x1a").until("mouse released", |t| mouse_mode(t) == MouseProtocolMode::None);
    terminal.wait_until_stopped().signal("CONT");
    terminal.until("mouse captured again", |t| mouse_mode(t) == MouseProtocolMode::PressRelease);
    terminal.press("M").wait_for("mouse off").press("Q");
    assert_eq!(terminal.exit_restored(), 0);
    let written = String::from_utf8_lossy(&terminal.written).into_owned();
    for motion in ["?1002h", "?1003h", "?9h"] {
        assert!(!written.contains(motion), "{motion}: motion would wake the program");
    }
}

#[test]
fn every_exit_releases_the_mouse() {
    for (name, status) in [("TERM", 128 + 15), ("HUP", 128 + 1), ("QUIT", 128 + 3)] {
        let mut terminal = start_explorer(&["--mouse", ALICE], &[]);
        terminal.wait_for("1 of 826").signal(name);
        assert_eq!(terminal.exit_restored(), status, "{name}");
    }
}

#[test]
fn osc52_is_wrapped_for_multiplexers() {
    let copied =
        "MHhmODM5MTY0MDQ1YTAwZmJiMzg2Yzg0YTc2NmZhYjVjODYwMjliNmIwMGRlYTg1NDU5MTFkYmIzZGQ5NDg3MGNh";
    for (variable, message, before, after) in [
        (
            ("TMUX", "/tmp/x,1,0"),
            "to tmux, which may drop it",
            "\x1bPtmux;\x1b\x1b]52;c;",
            "\x1b\x1b\\\x1b\\",
        ),
        (
            ("STY", "1.x"),
            "to GNU screen, which may drop it",
            "\x1bP\x1b]52;c;",
            "\x1b\x1b\\\x1bP\\\x1b\\",
        ),
        (("TMUX", ""), "by OSC 52 (p shows it)", "\x1b]52;c;", "\x1b\\"),
    ] {
        let mut terminal = start_explorer(&[ALICE], &[variable]);
        terminal.wait_for("1 of 826").press("yh").wait_for(message).press("Q");
        assert_eq!(terminal.exit_restored(), 0);
        let written = String::from_utf8_lossy(&terminal.written).into_owned();
        assert!(written.contains(&format!("{before}{copied}{after}")), "{message}");
    }
}

#[test]
fn pager_owns_the_terminal_until_it_exits() {
    let (folder, pager) = script(READER);
    let pager = format!("'{pager}' -S");
    let mut terminal = start_explorer(&["--mouse", ALICE], &[("PAGER", &pager)]);
    terminal.wait_for("1 of 826").press("j").wait_for("2 of 826");
    let is_unknown = |line: &str| line.contains('→') && line.contains(" ? ");
    terminal.until("all amounts", |t| !t.shown().lines().any(is_unknown));
    // Tabs without rows make space once the rows are counted.
    terminal.wait_for("8 Balance");
    let lines =
        |t: &Terminal| t.shown().lines().map(|line| line.trim_end().to_owned()).collect::<Vec<_>>();
    let before = lines(&terminal);
    for key in ["x", "\x04"] {
        terminal
            .press("v")
            .wait_for("args: -S")
            .wait_for("mode: 600 transactions.txt")
            .wait_for("ready");
        let screen = terminal.screen.screen();
        assert!(!screen.alternate_screen() && !screen.bracketed_paste() && !screen.hide_cursor());
        assert_eq!(screen.mouse_protocol_mode(), MouseProtocolMode::None);
        terminal.press(key);
        terminal.until("the explorer's screen", |t| t.screen.screen().alternate_screen());
        terminal.until("as it was", |t| lines(t) == before);
        let had = fs::read(folder.path().join("key")).unwrap();
        assert_eq!(had, format!("{key}\n").into_bytes());
        let shown = fs::read_to_string(folder.path().join("shown")).unwrap();
        assert!(!PathBuf::from(shown.trim()).exists(), "the temporary file is removed");
    }
    terminal.press("j").wait_for("3 of 826").press("Q");
    assert_eq!(terminal.exit_restored(), 0);
}

#[test]
fn editor_receives_json() {
    let (_folder, editor) = script(READER);
    let editor = format!("'{editor}' -x");
    let variables = [("VISUAL", editor.as_str()), ("EDITOR", "/nowhere")];
    let mut terminal = start_explorer(&[ALICE], &variables);
    terminal
        .wait_for("1 of 826")
        .press("ge")
        .wait_for("transactions.jsonl")
        .wait_for("{\"")
        .wait_for("ready")
        .press("q");
    terminal.wait_for("1 of 826").press("Q");
    assert_eq!(terminal.exit_restored(), 0);
}

#[test]
fn keyboard_signals_reach_only_the_external_program() {
    let (_folder, pager) = script(READER);
    let pager = format!("'{pager}' -S");
    let mut terminal = start_explorer(&[ALICE], &[("PAGER", &pager)]);
    terminal.wait_for("1 of 826").press("v").wait_for("mode: 600").wait_for("ready");
    for name in ["INT", "QUIT", "CONT"] {
        terminal.signal(name);
    }
    // Stop and continue, as a shell does.
    terminal.signal("TSTP");
    terminal.wait_until_stopped().signal("CONT");
    terminal.press("q").wait_for("1 of 826").press("j").wait_for("2 of 826").press("Q");
    assert_eq!(terminal.exit_restored(), 0);
}

#[test]
fn termination_ends_the_external_program_first() {
    let (folder, pager) =
        script("trap 'echo bye > \"${0%/*}/bye\"; exit 0' TERM\necho here\nread -r line");
    let pager = format!("'{pager}'");
    let mut terminal = start_explorer(&[ALICE], &[("PAGER", &pager)]);
    terminal.wait_for("1 of 826").press("v").wait_for("here").signal("TERM");
    assert_eq!(terminal.exit_restored(), 128 + 15);
    assert!(folder.path().join("bye").exists());
}

#[test]
fn external_program_failure_is_reported() {
    let (_folder, failing) = script("exit 3");
    let failing = format!("'{failing}'");
    for (pager, message) in [
        ("/no/such/pager -x", "cannot start /no/such/pager"),
        ("less '", "unmatched quote in $PAGER"),
        (&failing, "3"),
    ] {
        let mut terminal = start_explorer(&[ALICE], &[("PAGER", pager)]);
        terminal.wait_for("1 of 826").press("v").wait_for(message).wait_for("1 of 826").press("Q");
        assert_eq!(terminal.exit_restored(), 0, "{pager}");
    }
}

#[test]
fn terminal_modes_of_a_killed_pager_are_reset() {
    let (_folder, pager) = script(
        "stty raw -echo\nprintf '\\033[?1003h\\033[?1006h\\033[?25l\\033[31m'\nkill -KILL $$",
    );
    let pager = format!("'{pager}'");
    let mut terminal = start_explorer(&[ALICE], &[("PAGER", &pager)]);
    terminal
        .wait_for("1 of 826")
        .press("v")
        .wait_for("SIGKILL")
        .press("j")
        .wait_for("2 of 826")
        .press("Q");
    assert_eq!(terminal.exit_restored(), 0);
    assert_eq!(terminal.screen.screen().fgcolor(), vt100::Color::Default);
}
