//! The configuration file: printed defaults, reported problems and effects.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use chainglass::test_api::app::Setup;
use chainglass::test_api::chain::Network;
use rustls::ServerConfig;
use rustls::pki_types::pem::PemObject;
use rustls::pki_types::{CertificateDer, PrivateKeyDer};
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;
use tokio_rustls::TlsAcceptor;

use crate::demo_items::SWAP;
use crate::fake_server::{Behavior, EXPLORER_STATUS, scripted};
use crate::session::{ALICE, Session, setup, size};

/// A configuration folder with these settings and keys.
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
    program.env("XDG_CACHE_HOME", crate::session::UNUSABLE_DIR);
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

fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).unwrap()
}

fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).unwrap()
}

#[test]
fn printed_defaults_are_a_valid_config() {
    let empty = tempfile::tempdir().unwrap();
    let printed = run(empty.path(), &["config"]);
    let path = empty.path().join("chainglass/config.toml");
    let first = format!("# {} (not created yet)\n# Settings of", path.display());
    assert!(stdout(&printed).starts_with(&first), "{}", stdout(&printed));
    let home = home(&stdout(&printed), "");
    let checked = run(home.path(), &["config", "--check"]);
    assert_eq!(checked.status.code(), Some(0));
    assert!(stdout(&checked).contains("config.toml: ok"), "{}", stdout(&checked));
    assert!(stdout(&checked).contains("keymap.toml: no such file"), "{}", stdout(&checked));
}

#[test]
fn config_problems_name_file_and_line() {
    let home = home(
        "chian = \"eth\"\nmouse = \"canary\"\n[http]\ntimeout = 0\n",
        "[list]\n\"x\" = \"exprot\"\n",
    );
    let checked = run(home.path(), &["config", "--check"]);
    assert_eq!(checked.status.code(), Some(1));
    let folder = home.path().join("chainglass");
    let lines: Vec<String> =
        stdout(&checked).lines().map(|line| line.replace(folder.to_str().unwrap(), "")).collect();
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

#[tokio::test]
async fn notice_of_problems_counts_them_and_names_the_command() {
    let file = "/home/user/with/a/long/name/.config/chainglass/config.toml";
    let problems = [1, 2].map(|line| format!("{file}: line {line}: unknown key").into()).to_vec();
    let setup = Setup { problems, ..setup(Network::demo()) };
    let session = Session::demo_with(setup, size(80, 24), "").await;
    let screen = session.screen();
    assert!(screen.contains("2 problems in your files (chainglass config --check): /"), "{screen}");
}

#[test]
fn unavailable_config_values_are_reported() {
    let home = home(
        "chain = \"gnosiss\"\ntheme = \"drak\"\napi_key_file = \"/nonexistent/canary\"\n[http]\nca_file = \"/nonexistent/ca.pem\"\n",
        "",
    );
    let checked = run(home.path(), &["config", "--check"]);
    assert_eq!(checked.status.code(), Some(1));
    let output = stdout(&checked);
    for message in [
        "gnosis (Gnosis)",
        "/config.toml: line 2: unknown theme `drak`: did you mean `dark`?",
        "ca_file: No such",
        "/config.toml: api_key_file: file not found",
    ] {
        assert!(output.contains(message), "{message}: {output}");
    }
    assert!(!output.contains("canary"));
    let empty = run(home.path(), &["--chain", "", "get", "transactions", ALICE]);
    assert_eq!(empty.status.code(), Some(2));
    assert!(stderr(&empty).contains("--chain is empty"), "{}", stderr(&empty));
}

#[test]
fn user_themes_are_used_and_checked() {
    let home = home("theme = \"mine\"\nascii = true\n", "");
    let themes = home.path().join("chainglass/themes");
    fs::create_dir(&themes).unwrap();
    fs::write(themes.join("mine.toml"), "base = \"dark\"\nlnk = {}\nlink = { fg = \"#zzz\" }\n")
        .unwrap();
    let checked = run(home.path(), &["config", "--check"]);
    assert_eq!(checked.status.code(), Some(1));
    let problems = [
        "line 2: unknown key `lnk`: did you mean `link`?",
        "line 3: `#zzz` is not a colour: expected six hex digits",
    ];
    for problem in problems {
        let message = format!("mine.toml: {problem}");
        assert!(stdout(&checked).contains(&message), "{}", stdout(&checked));
    }
    let trace = ["--chain", "demo", "trace", SWAP];
    let noted = run(home.path(), &trace);
    assert!(noted.status.success() && stdout(&noted).is_ascii(), "{}", stderr(&noted));
    for problem in problems {
        let message = format!("chainglass: themes/mine.toml {problem}");
        assert!(stderr(&noted).contains(&message), "{}", stderr(&noted));
    }
    let printed = run(home.path(), &[&trace[..], &["--theme", "light"]].concat());
    assert!(printed.status.success() && stdout(&printed).is_ascii(), "{}", stderr(&printed));
    let unknown = run(home.path(), &[&trace[..], &["--theme", "drak"]].concat());
    let message = "chainglass: unknown theme `drak`: did you mean `dark`?";
    assert_eq!(stderr(&unknown).lines().last(), Some(message));
}

#[test]
fn unknown_theme_is_reported_and_skipped() {
    let home = home("theme = \"drak\"\nascii = true\n", "");
    let printed = run(home.path(), &["--chain", "demo", "trace", SWAP]);
    assert!(printed.status.success() && stdout(&printed).is_ascii(), "{}", stderr(&printed));
    let message = "config.toml: line 1: unknown theme `drak`: did you mean `dark`?";
    assert!(stderr(&printed).contains(message), "{}", stderr(&printed));
    fs::create_dir_all(home.path().join("chainglass/themes/drak.toml")).unwrap();
    let printed = run(home.path(), &["--chain", "demo", "trace", SWAP]);
    let message = "config.toml: line 1: themes/drak.toml: ";
    assert!(printed.status.success() && stderr(&printed).contains(message), "{}", stderr(&printed));
}

#[test]
fn tables_follow_unit_and_time_settings() {
    let home = home("unit = \"gwei\"\ntimes = \"utc\"\n", "");
    let list = ["--chain", "demo", "get", "transactions", ALICE, "--limit", "1"];
    let head = |output: &Output| stdout(output).lines().next().unwrap_or_default().to_owned();
    let table = run(home.path(), &list);
    assert!(head(&table).contains("value gwei") && head(&table).contains("UTC time"));
    assert!(stdout(&table).contains("2023-11-14 23:53:16"), "{}", stdout(&table));
    let other =
        run(home.path(), &[&list[..], &["--unit", "wei", "--times", "age", "--ascii"]].concat());
    assert!(head(&other).contains("value wei") && stdout(&other).is_ascii(), "{}", stdout(&other));
    let csv = |more: &[&str]| {
        stdout(&run(home.path(), &[&list[..], &["--format", "csv"], more].concat()))
    };
    assert_eq!(csv(&["--unit", "wei"]), csv(&["--unit", "coin"]), "CSV is always the same");
}

#[test]
fn invalid_setting_does_not_affect_others() {
    let home = home("moose = true\nchain = \"nowhere\"\n", "");
    let listed = run(home.path(), &["--chain", "demo", "get", "transactions", ALICE]);
    assert_eq!(listed.status.code(), Some(0));
    assert!(stderr(&listed).contains("line 1: unknown key `moose`: did you mean `mouse`?"));
    let listed = run(home.path(), &["get", "transactions", ALICE]);
    assert_eq!(listed.status.code(), Some(2), "the chain is not guessed");
    assert!(stderr(&listed).contains("nowhere"), "{}", stderr(&listed));
}

#[test]
fn config_path_can_be_overridden() {
    let home = home("mouse = 5", "");
    let mut program = Command::new(env!("CARGO_BIN_EXE_chainglass"));
    program.args(["config", "--check"]).env("XDG_CONFIG_HOME", "/nonexistent");
    program.env("CHAINGLASS_CONFIG", home.path().join("chainglass/config.toml"));
    assert_eq!(program.output().unwrap().status.code(), Some(1));
}

#[test]
fn timeout_setting_is_applied() {
    let server = scripted([Behavior::Stall(Vec::new())]);
    let home = home("[http]\ntimeout = 1\n", "");
    let base = server.base();
    let listed = run(home.path(), &["--chain", base.as_str(), "get", "transactions", ALICE]);
    assert_eq!(listed.status.code(), Some(1));
    assert!(stderr(&listed).contains("no response within 1 s"), "{}", stderr(&listed));
}

/// Serves empty lists over TLS; returns the port.
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
        while let Ok((stream, _)) = listener.accept().await {
            // A client that does not trust the certificate aborts the handshake.
            let Ok(mut stream) = acceptor.accept(stream).await else { continue };
            let mut request = [0; 4096];
            let read = stream.read(&mut request).await.unwrap_or_default();
            let body = if String::from_utf8_lossy(&request[..read]).contains("indexing-status") {
                EXPLORER_STATUS
            } else {
                "{\"items\":[],\"next_page_params\":null}"
            };
            let head = "HTTP/1.1 200 OK\r\nconnection: close\r\ncontent-type: application/json";
            let answer = format!("{head}\r\ncontent-length: {}\r\n\r\n{body}", body.len());
            let _ = stream.write_all(answer.as_bytes()).await;
            let _ = stream.shutdown().await;
        }
    });
    port
}

#[tokio::test(flavor = "multi_thread")]
async fn configured_ca_is_trusted() {
    let base = format!("https://localhost:{}", serve().await);
    let args = ["--chain", &base, "get", "transactions", ALICE, "--format", "jsonl"];
    let data = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/data/tls");

    let untrusting = run(home("", "").path(), &args);
    assert_eq!(untrusting.status.code(), Some(1));
    assert!(stderr(&untrusting).contains("certificate"), "{}", stderr(&untrusting));

    let trusting = home(&format!("[http]\nca_file = {:?}\n", data.join("ca.pem")), "");
    let listed = run(trusting.path(), &args);
    assert_eq!((listed.status.code(), stderr(&listed)), (Some(0), "no transactions\n".to_owned()));

    for (file, message) in [("missing.pem", "No such file"), ("README.md", "no certificate found")]
    {
        let broken = home(&format!("[http]\nca_file = {:?}\n", data.join(file)), "");
        let refused = run(broken.path(), &args);
        assert_eq!(refused.status.code(), Some(2));
        assert!(stderr(&refused).contains(message), "{}", stderr(&refused));
    }
}
