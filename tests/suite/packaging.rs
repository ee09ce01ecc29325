//! Shell completions and man pages.

use std::io::Write;
use std::process::{Command, Stdio};

const COMMANDS: [&str; 8] =
    ["get", "trace", "chains", "cache", "config", "completions", "man", "serve"];

fn stdout(args: &[&str]) -> String {
    let output = Command::new(env!("CARGO_BIN_EXE_chainglass")).args(args).output().unwrap();
    assert!(output.status.success(), "{args:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn completions_cover_every_command() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let script = stdout(&["completions", shell]);
        for word in COMMANDS.iter().chain(&["chain", "record", "trace"]) {
            assert!(script.contains(word), "{shell} does not know {word}");
        }
    }
}

#[test]
fn bash_completion_works() {
    let script = stdout(&["completions", "bash"]);
    let ask = "COMP_WORDS=(chainglass co); COMP_CWORD=1; _chainglass chainglass co chainglass; echo \"${COMPREPLY[@]}\"";
    let mut bash =
        Command::new("bash").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    bash.stdin.take().unwrap().write_all(format!("{script}\n{ask}\n").as_bytes()).unwrap();
    let output = bash.wait_with_output().unwrap();
    assert_eq!(String::from_utf8(output.stdout).unwrap().trim(), "config completions");
}

#[test]
fn man_pages_cover_every_command_and_option() {
    let page = stdout(&["man"]).replace('\\', "");
    let named = COMMANDS.iter().map(|command| format!("chainglass-{command}(1)"));
    for word in named.chain(["--chain", "--log", "--record", "TARGET"].map(Into::into)) {
        assert!(page.contains(&word), "{word} is not in the manual");
    }
    let folder = tempfile::tempdir().unwrap();
    assert!(stdout(&["man", folder.path().to_str().unwrap()]).is_empty());
    for command in COMMANDS {
        assert!(folder.path().join(format!("chainglass-{command}.1")).exists(), "{command}");
    }
}

#[test]
fn man_pages_need_their_folder() {
    let folder = tempfile::tempdir().unwrap();
    let missing = folder.path().join("missing");
    let program = Command::new(env!("CARGO_BIN_EXE_chainglass")).arg("man").arg(&missing).output();
    let output = program.unwrap();
    let expected = format!("chainglass: no such folder: {}\n", missing.display());
    let found = (output.status.code(), String::from_utf8(output.stderr).unwrap());
    assert_eq!(found, (Some(2), expected));
}

#[test]
fn man_pages_replace_no_file_and_follow_no_link() {
    let folder = tempfile::tempdir().unwrap();
    let at = |name: &str| folder.path().join(name);
    for name in ["chainglass.1", "chainglass-get.1", "chainglass-cache-clear.1"] {
        let pages = at(&format!("pages of {name}"));
        for is_link in [false, true] {
            std::fs::create_dir(&pages).unwrap();
            if is_link {
                std::os::unix::fs::symlink(at("target"), pages.join(name)).unwrap();
            } else {
                std::fs::write(pages.join(name), "mine").unwrap();
            }
            let program =
                Command::new(env!("CARGO_BIN_EXE_chainglass")).arg("man").arg(&pages).output();
            let output = program.unwrap();
            let message = String::from_utf8(output.stderr).unwrap();
            assert_eq!(output.status.code(), Some(1), "{message}");
            assert!(message.contains(name) && message.contains("File exists"), "{message}");
            assert!(is_link || std::fs::read(pages.join(name)).unwrap() == b"mine");
            assert!(!at("target").exists());
            std::fs::remove_dir_all(&pages).unwrap();
        }
    }
}
