//! The program's settings: what is printed, what is wrong and said, and what they do.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::rogue::{Act, in_turn};
use crate::session::ALICE;

const SWAP: &str = "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";

/// A user's folder with these settings and keys in it.
fn home(settings: &str, keys: &str) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let folder = home.path().join("chainglass");
    fs::create_dir(&folder).unwrap();
    fs::write(folder.join("config.toml"), settings).unwrap();
    if !keys.is_empty() {
        fs::write(folder.join("keymap.toml"), keys).unwrap();
    }
    home
}

fn run(home: &Path, args: &[&str]) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_chainglass"));
    program.args(args).env("XDG_CONFIG_HOME", home).stdin(Stdio::null());
    program.env("XDG_CACHE_HOME", crate::session::NOWHERE);
    for name in [
        "CHAINGLASS_CHAIN",
        "CHAINGLASS_CONFIG",
        "CHAINGLASS_THEME",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
    ] {
        program.env_remove(name);
    }
    program.output().unwrap()
}

fn out(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn err(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn the_defaults_that_are_printed_can_be_the_file() {
    let empty = tempfile::tempdir().unwrap();
    let printed = run(empty.path(), &["config"]);
    let path = empty.path().join("chainglass/config.toml");
    let first = format!("# {} (there is none yet)\n# The settings", path.display());
    assert!(out(&printed).starts_with(&first), "{}", out(&printed));
    let home = home(&out(&printed), "");
    let checked = run(home.path(), &["config", "--check"]);
    assert_eq!(checked.status.code(), Some(0));
    assert!(out(&checked).contains("config.toml: nothing is wrong"), "{}", out(&checked));
    assert!(out(&checked).contains("keymap.toml: there is none"), "{}", out(&checked));
}

#[test]
fn what_is_wrong_is_said_with_file_and_line() {
    let home = home(
        "chian = \"eth\"\nmouse = \"canary\"\n[http]\ntimeout = 0\n",
        "[list]\n\"x\" = \"exprot\"\n",
    );
    let checked = run(home.path(), &["config", "--check"]);
    assert_eq!(checked.status.code(), Some(1));
    let folder = home.path().join("chainglass");
    let lines: Vec<String> =
        out(&checked).lines().map(|line| line.replace(folder.to_str().unwrap(), "")).collect();
    assert_eq!(
        lines,
        [
            "/config.toml: line 1: unknown key `chian`: did you mean `chain`?",
            "/config.toml: line 2: `mouse` must be true or false",
            "/config.toml: line 4: `timeout` must be a whole number from 1 to 3600",
            "/keymap.toml: line 2: unknown action `exprot`: did you mean `export`?",
        ]
    );
}

#[test]
fn what_is_named_and_cannot_be_had_is_said_too() {
    let home = home(
        "chain = \"gnosiss\"\ntheme = \"drak\"\napi_key_file = \"/nonexistent/canary\"\n[http]\nca_file = \"/nonexistent/ca.pem\"\n",
        "",
    );
    let checked = run(home.path(), &["config", "--check"]);
    assert_eq!(checked.status.code(), Some(1));
    let said = out(&checked);
    for words in
        ["gnosis (Gnosis)", "did you mean `dark`?", "ca_file: No such", "api_key_file: No such"]
    {
        assert!(said.contains(words), "{words}: {said}");
    }
    assert!(!said.contains("canary"));
    let empty = run(home.path(), &["--chain", "", "get", "transactions", ALICE]);
    assert_eq!(empty.status.code(), Some(2));
    assert!(err(&empty).contains("which chain is meant"), "{}", err(&empty));
}

#[test]
fn own_themes_are_used_and_checked() {
    let home = home("theme = \"mine\"\nascii = true\n", "");
    let themes = home.path().join("chainglass/themes");
    fs::create_dir(&themes).unwrap();
    fs::write(themes.join("mine.toml"), "base = \"dark\"\nlnk = {}\n").unwrap();
    let checked = run(home.path(), &["config", "--check"]);
    assert_eq!(checked.status.code(), Some(1));
    let words = "mine.toml: line 2: unknown role `lnk`: did you mean `link`?";
    assert!(out(&checked).contains(words), "{}", out(&checked));
    let trace = ["--chain", "demo", "trace", SWAP];
    let refused = run(home.path(), &trace);
    assert!(err(&refused).contains("theme mine: line 2"), "{}", err(&refused));
    let printed = run(home.path(), &[&trace[..], &["--theme", "light"]].concat());
    assert!(printed.status.success() && out(&printed).is_ascii(), "{}", err(&printed));
    let unknown = run(home.path(), &[&trace[..], &["--theme", "drak"]].concat());
    assert!(err(&unknown).contains("unknown theme `drak`: did you mean `dark`?"));
}

#[test]
fn tables_are_written_as_the_user_likes() {
    let home = home("unit = \"gwei\"\ntimes = \"utc\"\n", "");
    let list = ["--chain", "demo", "get", "transactions", ALICE, "--limit", "1"];
    let head = |output: &Output| out(output).lines().next().unwrap_or_default().to_owned();
    let table = run(home.path(), &list);
    assert!(head(&table).contains("value gwei") && head(&table).contains("UTC time"));
    assert!(out(&table).contains("2023-11-14 23:53"), "{}", out(&table));
    let other =
        run(home.path(), &[&list[..], &["--unit", "wei", "--times", "age", "--ascii"]].concat());
    assert!(head(&other).contains("value wei") && out(&other).is_ascii(), "{}", out(&other));
    let csv =
        |more: &[&str]| out(&run(home.path(), &[&list[..], &["--format", "csv"], more].concat()));
    assert_eq!(csv(&["--unit", "wei"]), csv(&["--unit", "coin"]), "CSV is always the same");
}

#[test]
fn a_mistake_costs_nothing_else() {
    let home = home("moose = true\nchain = \"nowhere\"\n", "");
    let listed = run(home.path(), &["--chain", "demo", "get", "transactions", ALICE]);
    assert_eq!(listed.status.code(), Some(0));
    assert!(err(&listed).contains("line 1: unknown key `moose`: did you mean `mouse`?"));
    let listed = run(home.path(), &["get", "transactions", ALICE]);
    assert_eq!(listed.status.code(), Some(2), "the chain is not guessed");
    assert!(err(&listed).contains("nowhere"), "{}", err(&listed));
}

#[test]
fn another_file_can_be_named() {
    let home = home("mouse = 5", "");
    let mut program = Command::new(env!("CARGO_BIN_EXE_chainglass"));
    program.args(["config", "--check"]).env("XDG_CONFIG_HOME", "/nonexistent");
    program.env("CHAINGLASS_CONFIG", home.path().join("chainglass/config.toml"));
    assert_eq!(program.output().unwrap().status.code(), Some(1));
}

#[test]
fn the_user_says_how_long_is_too_long() {
    let server = in_turn([Act::Stall(Vec::new())]);
    let home = home("[http]\ntimeout = 1\n", "");
    let base = server.base();
    let listed = run(home.path(), &["--chain", base.as_str(), "get", "transactions", ALICE]);
    assert_eq!(listed.status.code(), Some(1));
    assert!(err(&listed).contains("no answer within 1 s"), "{}", err(&listed));
}

/// Serves one empty list after the other over TLS; the port.
async fn serve() -> u16 {
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls");
    let chain = CertificateDer::pem_file_iter(data.join("server.pem")).unwrap();
    let key = PrivateKeyDer::from_pem_file(data.join("server.key")).unwrap();
    let config =
        ServerConfig::builder_with_provider(Arc::new(rustls::crypto::ring::default_provider()))
            .with_safe_default_protocol_versions()
            .unwrap()
            .with_no_client_auth()
            .with_single_cert(chain.map(Result::unwrap).collect(), key)
            .unwrap();
    let acceptor = TlsAcceptor::from(Arc::new(config));
    let listener = TcpListener::bind("127.0.0.1:0").await.unwrap();
    let port = listener.local_addr().unwrap().port();
    tokio::spawn(async move {
        while let Ok((peer, _)) = listener.accept().await {
            // Who does not trust us leaves in the middle.
            let Ok(mut peer) = acceptor.accept(peer).await else { continue };
            let body = "{\"items\":[],\"next_page_params\":null}";
            let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json";
            let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            let _ = peer.read(&mut [0; 4096]).await;
            let _ = peer.write_all(answer.as_bytes()).await;
            let _ = peer.shutdown().await;
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn an_own_authority_is_trusted_when_the_settings_say_so() {
    let base = format!("https://localhost:{}", serve().await);
    let args = ["--chain", &base, "get", "transactions", ALICE, "--format", "jsonl"];
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls");

    let stranger = run(home("", "").path(), &args);
    assert_eq!(stranger.status.code(), Some(1));
    assert!(err(&stranger).contains("certificate"), "{}", err(&stranger));

    let trusting = home(&format!("[http]\nca_file = {:?}\n", data.join("ca.pem")), "");
    let listed = run(trusting.path(), &args);
    assert_eq!((listed.status.code(), err(&listed)), (Some(0), String::new()));

    for (file, words) in [("missing.pem", "No such file"), ("README.md", "no certificate in it")] {
        let broken = home(&format!("[http]\nca_file = {:?}\n", data.join(file)), "");
        let refused = run(broken.path(), &args);
        assert_eq!(refused.status.code(), Some(2));
        assert!(err(&refused).contains(words), "{}", err(&refused));
    }
}
