//! API keys: a canary key reaches its own host in a header and appears nowhere else.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

use base64::Engine;
use base64::prelude::BASE64_STANDARD;
use chainglass::test_api::api::ApiKey;
use chainglass::test_api::api::Client;
use chainglass::test_api::api::{AddressQuery, ApiError, Query, TransactionQuery};
use tempfile::TempDir;
use url::Url;

use crate::demo_items::SWALLOW_ALL;
use crate::fake_server::{
    Behavior, FakeServer, fake_server, json, page, response_head, scripted, with_type,
};
use crate::session::ALICE;
use crate::terminal::Terminal;

const CANARY: &str = "canary-0ddba11-c0ffee";
const ROW: &str =
    r#"{"hash":"0x1111111111111111111111111111111111111111111111111111111111111111"}"#;
const PRO: &str = "https://api.blockscout.com/1";

/// A configuration folder with these settings.
fn config_home(settings: &str) -> TempDir {
    let home = tempfile::tempdir().unwrap();
    let file = home.path().join("chainglass/config.toml");
    fs::create_dir(file.parent().unwrap()).unwrap();
    fs::write(&file, settings).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    home
}

/// Settings with the canary as the key for `base`.
pub(crate) fn settings_with_key(base: &Url) -> String {
    format!("[keys]\n\"{}\" = \"{CANARY}\"\n", base.authority())
}

fn program(home: &Path, args: &[&str]) -> Command {
    let mut program = Command::new(env!("CARGO_BIN_EXE_chainglass"));
    program.args(args).env("XDG_CONFIG_HOME", home).stdin(Stdio::null());
    program.env("XDG_STATE_HOME", crate::session::UNUSABLE_DIR);
    program.env("XDG_CACHE_HOME", crate::session::UNUSABLE_DIR);
    for name in ["CHAINGLASS_CHAIN", "CHAINGLASS_API_KEY", "CHAINGLASS_API_KEY_FILE", "NO_PROXY"] {
        program.env_remove(name);
    }
    program
}

/// The program's output, which must not contain the canary.
#[track_caller]
fn output_text(output: &Output) -> String {
    let all = [&output.stdout[..], &output.stderr].map(String::from_utf8_lossy).concat();
    assert!(!all.contains("canary"), "{all}");
    all
}

/// Checks that each request has the canary in its key header and nowhere else.
#[track_caller]
fn assert_key_only_in_header(server: &FakeServer) {
    for request in server.requests() {
        let keys = usize::from(!request.asks_chain_id()); // which only a node answers
        assert_eq!(request.header("x-api-key"), [CANARY][..keys]);
        assert_eq!(request.text().matches("canary").count(), keys, "{}", request.text());
    }
}

#[track_caller]
fn assert_no_key(server: &FakeServer) {
    for request in server.requests() {
        assert!(!request.text().contains("canary"), "{}", request.text());
    }
}

fn redirect(status: u16, to: &str) -> Behavior {
    Behavior::Respond(response_head(status, &[("location", to)]))
}

#[test]
fn key_reaches_its_host_and_no_output() {
    let thief = fake_server(|_, _| page(ROW, "null"));
    let there = thief.base().to_string();
    let echo = format!("{{\"message\":\"{CANARY} is not a key: Bearer {CANARY}\"}}");
    let escaped = CANARY.replace('c', "\\u0063").replace('-', "\\\\u002d");
    let percent = CANARY.replace('c', "%63");
    let server = response_head(200, &[("server", CANARY), ("content-type", "text/html")]);
    for behavior in [
        page(ROW, "null"),
        page(&format!("{{\"hash\":\"{SWALLOW_ALL}\",\"method\":\"{CANARY}\"}}"), "null"),
        json(200, format!("\"{CANARY}\"")),
        page(&format!("{{\"hash\":\"{SWALLOW_ALL}\",\"method\":\"{escaped}\"}}"), "null"),
        json(401, &echo),
        json(401, format!("{{\"message\":\"{escaped} at /?x={percent}\"}}")),
        json(500, format!("\"{CANARY}\"")),
        with_type(502, CANARY, "<html>"),
        Behavior::Respond(server),
        Behavior::Respond(format!("HTTP/1.1 {CANARY}\r\n\r\n").into_bytes()),
        Behavior::Reset(Vec::new()),
        redirect(301, &there),
        redirect(302, &format!("{there}x?y=z")),
        redirect(307, &format!("{there}?stolen={CANARY}")),
        redirect(307, &format!("{there}?stolen={percent}")),
        redirect(307, &format!("{there}{}", percent.replace('%', "%25"))),
        redirect(308, "/again"),
        redirect(302, &format!("ftp://{CANARY}/")),
    ] {
        let owner = scripted([behavior]);
        let base = owner.base();
        let home = config_home(&settings_with_key(&base));
        let log = home.path().join("log");
        for call in
            [&["get", "transactions", ALICE, "--format", "csv"][..], &["trace", SWALLOW_ALL]]
        {
            let common = ["--chain", base.as_str(), "--log", log.to_str().unwrap()];
            output_text(&program(home.path(), &[call, &common].concat()).output().unwrap());
        }
        assert_key_only_in_header(&owner);
        assert!(owner.requests().len() >= 2);
        let log = fs::read_to_string(log).unwrap();
        assert!(log.contains("url=http://127.0.0.1"), "{log}");
        assert!(
            !log.contains("canary") && !log.contains("anary") && !log.contains("u0063"),
            "{log}"
        );
    }
    assert_no_key(&thief);
    // A list, a trace and, in its place, the internal transactions.
    assert_eq!(thief.requests().len(), 2 * 3, "redirects are followed without the key");
}

#[tokio::test]
async fn key_is_sent_again_after_a_redirect_back() {
    let owner = fake_server(|request, before| match (request.path(), before) {
        ("/home", _) => page(ROW, "null"),
        _ => json(500, "\"not asked\""),
    });
    let home = owner.base().join("home").unwrap();
    let thief = scripted([redirect(302, home.as_str())]);
    let back = thief.base();
    let first = fake_server(move |_, _| redirect(302, back.as_str()));
    let key = ApiKey::new(owner.base().authority(), CANARY).unwrap();
    let client = Client::new(&first.base()).unwrap().with_key(Some(key)).unwrap();
    let query =
        Query::Address(ALICE.parse().unwrap(), AddressQuery::Transactions { direction: None });
    client.fetch(&query, None).await.body.unwrap();
    assert_no_key(&first);
    assert_no_key(&thief);
    assert_key_only_in_header(&owner);
}

#[tokio::test]
async fn key_is_redacted_across_chunks() {
    let body = format!("[\"{CANARY}\",\"canary-{CANARY}-canary\",\"can\"]");
    let escaped = body.replace(CANARY, &CANARY.replace('a', "\\u0061"));
    let both = [&body[..], &escaped].concat();
    let owner = scripted([json(200, both)]);
    let key = ApiKey::new(owner.base().authority(), CANARY).unwrap();
    let client = Client::new(&owner.base()).unwrap().with_key(Some(key)).unwrap();
    let query = Query::Transaction(SWALLOW_ALL.parse().unwrap(), TransactionQuery::RawTrace);
    let mut streamed =
        client.open_stream(&query, std::time::Duration::from_mins(1)).await.body.unwrap();
    let mut read = Vec::new();
    while let Some(piece) = streamed.chunk().await.unwrap() {
        read.extend_from_slice(&piece);
    }
    let redacted = body.replace(CANARY, "‹key›");
    assert_eq!(String::from_utf8(read).unwrap(), redacted.repeat(2));
}

#[test]
fn failing_arguments_are_printed_without_their_key() {
    let home = config_home("");
    let log = home.path().join("log");
    for url in [
        format!("https://me:{CANARY}@127.0.0.1:1/x"),
        format!("https://127.0.0.1:1/{CANARY}?apikey={CANARY}#{CANARY}"),
        format!("https://[::{CANARY}/"),
        format!("ftp://{CANARY}@127.0.0.1/"),
    ] {
        for args in [
            &[&*url][..],
            &["get", "transactions", &url],
            &["get", &url],
            &["trace", &url],
            &["trace", SWALLOW_ALL, &url],
            &["chains", &url],
            &["chains", "--chain", &url, "--format", &url],
            &["--chain", &format!("x{url}"), "get", "token-transfers"],
            &[&format!("--theme={url}"), "--times", &url],
        ] {
            let args = [args, &["--log", log.to_str().unwrap()]].concat();
            let output = program(home.path(), &args).output().unwrap();
            assert!(matches!(output.status.code(), Some(1..=3)), "{args:?}");
            output_text(&output);
        }
    }
    assert!(!fs::read_to_string(&log).unwrap_or_default().contains("canary"));
    // The key of a host, in that host's own URL.
    let home = config_home("[keys]\n\"127.0.0.1:1\" = \"canary-0ddba11-c0ffee\"\n");
    let args = ["--chain", &format!("http://127.0.0.1:1/{CANARY}"), "get", "token-transfers"];
    let output = program(home.path(), &args).output().unwrap();
    assert!(output_text(&output).contains("remove the key from the URL"));
    assert_eq!(output.status.code(), Some(2));
}

#[test]
fn key_is_not_sent_over_plain_http() {
    let key = ApiKey::new("a.example:80", CANARY).unwrap();
    let client = Client::new(&"http://a.example/".parse().unwrap()).unwrap();
    let error = client.with_key(Some(key)).unwrap_err();
    assert_eq!(error, ApiError::Blocked { why: "an API key is only sent over https".into() });
}

/// Every way to configure the PRO API's key.
fn key_sources(folder: &Path) -> Vec<(TempDir, Vec<(&'static str, String)>)> {
    let file = folder.join("key");
    fs::write(&file, CANARY).unwrap();
    fs::set_permissions(&file, fs::Permissions::from_mode(0o600)).unwrap();
    let path = file.to_str().unwrap().to_owned();
    vec![
        (config_home(""), vec![("CHAINGLASS_API_KEY", CANARY.to_owned())]),
        (config_home(""), vec![("CHAINGLASS_API_KEY_FILE", path.clone())]),
        (config_home(&format!("api_key = \"{CANARY}\"")), vec![]),
        (config_home(&format!("api_key_file = \"{path}\"")), vec![]),
        (config_home(&format!("[keys]\n\"api.blockscout.com\" = \"{CANARY}\"")), vec![]),
    ]
}

#[test]
fn key_from_any_source_stays_with_its_host() {
    let (other, proxy) = (fake_server(|_, _| page(ROW, "null")), scripted([json(502, "\"no\"")]));
    let folder = tempfile::tempdir().unwrap();
    for (home, variables) in key_sources(folder.path()) {
        let run = |args: &[&str]| {
            let mut program = program(home.path(), args);
            program.envs(variables.clone()).env("HTTPS_PROXY", proxy.base().as_str());
            let output = program.output().unwrap();
            (output.status.code(), output_text(&output))
        };
        let get = |chain: &str| run(&["get", "transactions", ALICE, "--chain", chain]);
        assert_eq!(get(other.base().as_str()).0, Some(0));
        // The proxy refuses the connection that it is asked for.
        assert_eq!(get(PRO).0, Some(1));
        let (status, message) = get("http://api.blockscout.com/1");
        assert_eq!(
            (status, message.contains("only sent over https")),
            (Some(2), true),
            "{message}"
        );
        for args in [&["--help"][..], &["get", "--help"], &["--version"], &["nonsense"], &[ALICE]] {
            run(args);
        }
        let log = home.path().join("link");
        std::os::unix::fs::symlink(home.path().join("elsewhere"), &log).unwrap();
        let (status, message) =
            run(&["--log", log.to_str().unwrap(), "get", "raw-trace", SWALLOW_ALL]);
        assert_eq!(
            (status, message.contains("symbolic links are not followed")),
            (Some(2), true),
            "{message}"
        );
        let links = fs::read_dir(home.path()).unwrap().count();
        assert_eq!(links, 2, "the settings and the link");
    }
    assert_no_key(&other);
    assert_no_key(&proxy);
    assert!(proxy.requests().len() >= 5, "both connect to the host");
    assert!(proxy.requests().iter().all(|r| r.target == "api.blockscout.com:443"));
}

#[test]
fn readable_or_invalid_config_never_prints_the_key() {
    let owner = fake_server(|_, _| page(ROW, "null"));
    let base = owner.base();
    let home = config_home(&settings_with_key(&base));
    let settings = home.path().join("chainglass/config.toml");
    let run = || {
        let args = ["get", "transactions", ALICE, "--chain", base.as_str()];
        let output = program(home.path(), &args).output().unwrap();
        (output.status.code(), output_text(&output))
    };
    assert!(!run().1.contains("chmod"));
    fs::set_permissions(&settings, fs::Permissions::from_mode(0o644)).unwrap();
    let (status, message) = run();
    assert!(status == Some(0) && message.contains("others can read the API key in"), "{message}");
    assert_key_only_in_header(&owner);
    let (keyed, host) = (owner.requests().len(), base.authority());
    for (settings, code, why) in [
        (format!("api_key = \"{CANARY}"), 0, "line 1"),
        (format!("\n[keys]\n\"{host}\" = [\"{CANARY}\"]"), 0, "line 3: expected an API key"),
        (format!("[keys]\n\"{host}\" = \"{CANARY} {CANARY}\""), 2, "not an API key"),
    ] {
        fs::write(home.path().join("chainglass/config.toml"), settings).unwrap();
        let (status, message) = run();
        assert!(status == Some(code) && message.contains(why), "{message}");
    }
    // An unreadable key is not sent.
    assert!(owner.requests()[keyed..].iter().all(|request| !request.text().contains("canary")));
}

/// The texts copied through the terminal (OSC 52).
fn osc52_texts(written: &[u8]) -> Vec<String> {
    let written = String::from_utf8_lossy(written).into_owned();
    let sent = written.split("\x1b]52;c;").skip(1).filter_map(|rest| rest.split('\x1b').next());
    sent.map(|text| String::from_utf8(BASE64_STANDARD.decode(text).unwrap()).unwrap()).collect()
}

/// The files below a folder, except the settings.
fn files(folder: &Path) -> Vec<PathBuf> {
    let inside = fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path());
    let all = inside.flat_map(|path| if path.is_dir() { files(&path) } else { vec![path] });
    all.filter(|path| !path.ends_with("config.toml")).collect()
}

#[test]
fn key_stays_with_its_host_across_chain_switches() {
    let other = fake_server(|_, _| page(ROW, "null"));
    let there = other.base();
    let elsewhere = there.to_string();
    let owner = fake_server(move |request, _| match request.path() {
        path if path.ends_with("/counters") => redirect(302, &elsewhere),
        _ => page(ROW, "null"),
    });
    let secret = format!("http://me:{CANARY}@{}/x?apikey={CANARY}#{CANARY}", there.authority());
    let home = config_home(&format!(
        "{}[chains.mine]\nurl = \"{secret}\"\n",
        settings_with_key(&owner.base())
    ));
    let at = |name: &str| home.path().join(name).to_str().unwrap().to_owned();
    let (log, state, cache, config) = (at("log"), at("state"), at("cache"), at(""));
    let base = owner.base().to_string();
    let mut terminal = Terminal::open_with(
        env!("CARGO_BIN_EXE_chainglass").into(),
        &["--chain", &base, "--log", &log, ALICE],
        &[
            ("XDG_CONFIG_HOME", &config),
            ("XDG_STATE_HOME", &state),
            ("XDG_CACHE_HOME", &cache),
            ("CHAINGLASS_API_KEY", CANARY),
        ],
    );
    terminal.wait_for("0x1111").press("Y").wait_for("copied the command");
    terminal
        .press("!")
        .wait_for("─ Requests ")
        .press("y")
        .wait_for("copied the")
        .press("\x1b")
        .press("aName\r")
        .wait_for("«Name»");
    terminal.press("gcmine\r").wait_for("◆ mine ").press("Y").wait_for("copied the command");
    let target = secret.replace("/x?", &format!("/x/address/{ALICE}?"));
    terminal
        .press(&format!("\x1b[200~{target}\x1b[201~"))
        .wait_for("◆ mine › address")
        .wait_for("0x1111");
    terminal.press("Y").wait_for("copied the command").press("!").wait_for("/x/addresses");
    terminal.press("\x1bHHr").wait_for("0x1111").press("gc").wait_for("mine").press("\x1bQ");
    assert_eq!(terminal.exit_restored(), 0);
    let copies = osc52_texts(&terminal.written);
    assert_eq!(copies.len(), 4, "{copies:?}");
    assert!(copies[3].contains(ALICE) && !copies.concat().contains("canary"), "{copies:?}");
    assert!(!String::from_utf8_lossy(&terminal.written).contains("canary"));
    let files = files(home.path());
    for name in ["log", "labels", "recent"] {
        assert!(files.iter().any(|path| path.to_str().unwrap().contains(name)), "{files:?}");
    }
    for file in files {
        let bytes = fs::read(&file).unwrap();
        assert!(!String::from_utf8_lossy(&bytes).contains("canary"), "{}", file.display());
    }
    assert_key_only_in_header(&owner);
    assert_no_key(&other);
    let asked = other.requests();
    assert!(asked.iter().any(|request| request.path().starts_with("/x/api/v2/")));
    assert!(asked.iter().any(|request| request.path() == "/"), "redirects are followed");
}
