//! Recording and replay, and invalid recordings.

use std::fs;
use std::path::Path;
use std::process::{Command, Output, Stdio};
use std::sync::Arc;

use chainglass::test_api::abi::SignatureDb;
use chainglass::test_api::api::ApiKey;
use chainglass::test_api::api::{AddressQuery, Query, TransactionQuery};
use chainglass::test_api::app_message::Priority;
use chainglass::test_api::chain::Network;
use chainglass::test_api::chain::TargetKind;
use chainglass::test_api::chain::TxHash;
use chainglass::test_api::chain::{Chains, CustomChain};
use chainglass::test_api::net::{Provider, ProviderOptions};
use chainglass::test_api::net::{Recorder, RecordingMode, Replay};

use crate::demo_items::MULTICALL_STRICT;
use crate::fake_server::{Behavior, fake_server, json, page, scripted, with_type};
use crate::scripted_node::recorded_node;
use crate::session::{ALICE, Session, UNUSABLE_DIR, size};
use crate::terminal::Terminal;

const CANARY: &str = "canary-0ddba11";

fn provider(network: &Network, tape: RecordingMode) -> Provider {
    Provider::with_options(
        network,
        ProviderOptions { recording: Some(tape), ..ProviderOptions::default() },
    )
}

/// Visits lists, pages, details and traces; returns the screens.
async fn visit_screens(source: Provider, network: Network) -> Vec<String> {
    let mut session = Session::at(source, network, size(120, 40), ALICE).await;
    let mut screens = vec![session.screen()];
    for keys in ["G G", "2", "3", "4", "5", "1 r", "enter", "2", "3", "2 r"] {
        session.keys(keys).await;
        screens.push(session.screen());
    }
    session.keys("s").await;
    session.type_text(MULTICALL_STRICT).await;
    for keys in ["2", "E", "esc"] {
        session.keys(keys).await;
        screens.push(session.screen());
    }
    screens
}

#[tokio::test]
async fn replay_shows_the_same_screens() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let recorder = Arc::new(Recorder::start(&path, &Network::demo()).unwrap());
    let source = provider(&Network::demo(), RecordingMode::Record(Arc::clone(&recorder)));
    let first = visit_screens(source, Network::demo()).await;
    recorder.finish().unwrap();
    assert!(recorder.finish().is_err(), "the server has stopped");
    let replay = Arc::new(Replay::load(&path).unwrap());
    assert_eq!(replay.network, recorded(Network::demo()));
    assert!(replay.now() < recorder.now());
    let again =
        visit_screens(provider(&Network::demo(), RecordingMode::Replay(replay)), Network::demo())
            .await;
    assert_eq!(again, first);
    Recorder::start(&path, &Network::demo()).unwrap_err();
}

#[test]
fn recording_of_a_node_has_its_chain_and_the_project() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let node = Chains::default().resolve("anvil:8545").unwrap();
    let recorder = Recorder::start(&path, &node).unwrap();
    recorder.record_chain_id(31_337);
    let mut project = SignatureDb::default();
    let abi = r#"[{"type":"error","name":"Bad","inputs":[{"name":"n","type":"uint8"}]}]"#;
    project.add_contract_abi(None, "Desk", abi).unwrap();
    recorder.record_project(&project);
    recorder.finish().unwrap();
    let replay = Replay::load(&path).unwrap();
    assert!(replay.network.endpoint.is_node() && replay.network.is_development());
    let replayed = replay.take_project_signatures().unwrap();
    assert_eq!(replayed.to_recorded_abis(), r#"{"Desk":["error Bad(uint8 n)"]}"#);
    assert!(replay.take_project_signatures().is_none(), "once");
}

#[tokio::test(flavor = "multi_thread")]
async fn recording_of_an_undecided_url_has_the_node_that_was_there() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let node = recorded_node("anvil");
    let mut url = node.base();
    url.set_host(Some("localhost")).unwrap();
    let undecided = Chains::default().resolve(url.as_str()).unwrap();
    assert!(!undecided.endpoint.is_node(), "{undecided:?}");
    let recorder = Arc::new(Recorder::start(&path, &undecided).unwrap());
    let source = provider(&undecided, RecordingMode::Record(Arc::clone(&recorder)));
    let query = Query::Address(ALICE.parse().unwrap(), AddressQuery::Details);
    let first = source.fetch(&query, None, Priority::Interactive).await;
    recorder.finish().unwrap();
    let replay = Arc::new(Replay::load(&path).unwrap());
    let network = replay.network.clone();
    assert!(network.endpoint.is_node() && network.is_recorded, "{network:?}");
    assert_eq!(network.name, format!("“{}”", undecided.name));
    let source = provider(&network, RecordingMode::Replay(replay));
    let again = source.fetch(&query, None, Priority::Interactive).await;
    assert_eq!(format!("{again:?}"), format!("{first:?}"));
    assert!(source.is_node());
}

#[tokio::test]
async fn replay_keeps_response_order_and_repeats_the_last() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let server = scripted([
        json(200, r#"{"transactions_count":"1"}"#),
        json(404, r#"{"message":"Not \u001b found"}"#),
        with_type(200, "text/html", "<p>sign in"),
        json(200, b"{\"transactions_count\":\"2\",\"x\":\"\xff\"}"),
    ]);
    let network = Chains::default().network_at(&server.base());
    let query = Query::Address(ALICE.parse().unwrap(), AddressQuery::Counters);
    let recorder = Arc::new(Recorder::start(&path, &network).unwrap());
    let source = provider(&network, RecordingMode::Record(recorder));
    let mut first = Vec::new();
    for _ in 0..4 {
        first.push(format!("{:?}", source.fetch(&query, None, Priority::Interactive).await));
    }
    drop(server);
    let source = provider(&network, RecordingMode::Replay(Arc::new(Replay::load(&path).unwrap())));
    first.push(first[3].clone());
    for expected in first {
        assert_eq!(
            format!("{:?}", source.fetch(&query, None, Priority::Interactive).await),
            expected
        );
    }
    let other = Query::Transaction(TxHash::ZERO, TransactionQuery::Details);
    let error = source.fetch(&other, None, Priority::Interactive).await.unwrap_err();
    assert!(error.to_string().contains("not in the recording"), "{error}");
}

#[test]
fn recording_holds_the_configured_chain() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let own = CustomChain {
        key: "mine".into(),
        id: Some(987_654),
        url: "https://x.org/scan".into(),
        symbol: Some("MINE".into()),
        decimals: Some(6),
        testnet: Some(true),
        ..CustomChain::default()
    };
    let network = Chains::new(vec![own], false).unwrap().resolve("mine").unwrap();
    drop(Recorder::start(&path, &network).unwrap());
    assert_eq!(Replay::load(&path).unwrap().network, recorded(network));
}

#[test]
fn old_recording_without_chain_is_readable() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let base = "https://eth.blockscout.com/";
    fs::write(&path, head(&format!(r#"{{"name":"Ethereum","base":"{base}"}}"#))).unwrap();
    let network = Replay::load(&path).unwrap().network.clone();
    assert_eq!(network, recorded(Chains::default().network_at(&base.parse().unwrap())));
}

fn recorded(network: Network) -> Network {
    Network { is_recorded: true, name: format!("“{}”", network.name), ..network }
}

/// The first line of a recording.
fn head(chain: &str) -> String {
    let started = "2026-01-01T00:00:00Z";
    format!(
        "{{\"chainglass\":\"recording\",\"version\":1,\"chain\":{chain},\"started\":\"{started}\"}}\n"
    )
}

#[test]
fn private_base_of_a_recording_is_not_opened() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    for (base, opened) in [
        ("http://127.0.0.1:8545/", false),
        ("http://localhost/", false),
        ("https://router.home/", false),
        ("http://[::1]:1/", false),
        ("https://explorer.example.com/", true),
    ] {
        fs::write(&path, head(&format!(r#"{{"name":"Ethereum","base":"{base}"}}"#))).unwrap();
        let network = Replay::load(&path).unwrap().network.clone();
        let page = network.web_page(&TargetKind::Address(ALICE.parse().unwrap()));
        assert_eq!(page.is_some(), opened, "{base}");
    }
}

#[test]
fn labels_and_visits_of_a_recording_are_its_own() {
    let home = tempfile::tempdir().unwrap();
    let at = |name: &str| home.path().join(name);
    let path = at("run.jsonl");
    fs::write(&path, head(r#"{"name":"Ethereum","base":"https://eth.blockscout.com/"}"#)).unwrap();
    fs::create_dir_all(at("chainglass/labels")).unwrap();
    fs::create_dir_all(at("chainglass/recent")).unwrap();
    let own = format!("address,name,watch\n{ALICE},Secret,\n");
    fs::write(at("chainglass/labels/1.csv"), &own).unwrap();
    fs::write(at("chainglass/recent/1"), "").unwrap();
    let folder = home.path().to_str().unwrap();
    let mut terminal = Terminal::open_with(
        env!("CARGO_BIN_EXE_chainglass").into(),
        &["--replay", path.to_str().unwrap(), ALICE],
        &[("XDG_CONFIG_HOME", folder), ("XDG_STATE_HOME", folder)],
    );
    terminal.wait_for("not in the recording").press("aEve\r").wait_for("«Eve»").press("Q");
    assert_eq!(terminal.exit_restored(), 0);
    assert!(!String::from_utf8_lossy(&terminal.written).contains("Secret"));
    assert_eq!(fs::read_to_string(at("chainglass/labels/1.csv")).unwrap(), own);
    assert_eq!(fs::read_to_string(at("chainglass/recent/1")).unwrap(), "");
    for file in ["chainglass/labels/recording_1.csv", "chainglass/recent/recording_1"] {
        assert!(fs::read_to_string(at(file)).unwrap().contains(ALICE), "{file}");
    }
}

#[tokio::test]
async fn interrupted_trace_replays_interrupted() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let cut = [
        &crate::fake_server::response_head(200, &[("content-length", "999")])[..],
        b"[{\"action\"",
    ]
    .concat();
    let server = scripted([Behavior::Respond(cut)]);
    let network = Chains::default().network_at(&server.base());
    let source = provider(
        &network,
        RecordingMode::Record(Arc::new(Recorder::start(&path, &network).unwrap())),
    );
    let recorded = read_trace(&source).await;
    drop(server);
    let source = provider(&network, RecordingMode::Replay(Arc::new(Replay::load(&path).unwrap())));
    assert_eq!(read_trace(&source).await, recorded);
    assert!(recorded.1.contains("cut off"), "{recorded:?}");
}

/// The bytes of a trace, and the error that ended it.
async fn read_trace(source: &Provider) -> (Vec<u8>, String) {
    let (query, patience) = (
        Query::Transaction(TxHash::ZERO, TransactionQuery::RawTrace),
        std::time::Duration::from_mins(1),
    );
    let mut body = source.open_stream(&query, patience, Priority::Interactive).await.unwrap();
    let mut all = Vec::new();
    loop {
        match body.chunk().await {
            Ok(Some(piece)) => all.extend_from_slice(&piece),
            Ok(None) => return (all, String::new()),
            Err(error) => return (all, error.to_string()),
        }
    }
}

#[tokio::test]
async fn recording_holds_no_key() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let echo = format!("[\"{CANARY}\"]");
    let server = fake_server(move |_, before| json(if before == 0 { 200 } else { 401 }, &echo));
    let network = Chains::default().network_at(&server.base());
    let key = ApiKey::new(server.base().authority(), CANARY).unwrap();
    let tape = Some(RecordingMode::Record(Arc::new(Recorder::start(&path, &network).unwrap())));
    let source = Provider::with_options(
        &network,
        ProviderOptions { key: Some(key), recording: tape, ..ProviderOptions::default() },
    );
    assert_eq!(read_trace(&source).await.0, "[\"‹key›\"]".as_bytes());
    source
        .fetch(
            &Query::Address(ALICE.parse().unwrap(), AddressQuery::Counters),
            None,
            Priority::Interactive,
        )
        .await
        .unwrap_err();
    assert!(server.requests().iter().all(|request| request.text().contains(CANARY)));
    let recording = fs::read_to_string(&path).unwrap();
    assert_eq!(recording.lines().count(), 3);
    assert!(recording.contains("‹key›") && !recording.contains(CANARY), "{recording}");
}

fn run(args: &[&str], file: (&str, &Path)) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_chainglass"));
    program.args(args).arg(file.0).arg(file.1).stdin(Stdio::null());
    program.env_remove("CHAINGLASS_CHAIN").env("XDG_CONFIG_HOME", "/nonexistent");
    program.env("XDG_CACHE_HOME", UNUSABLE_DIR).output().unwrap()
}

#[test]
fn cli_replays_offline() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let row = format!("{{\"hash\":\"{MULTICALL_STRICT}\",\"timestamp\":\"2023-11-14T22:17:51Z\"}}");
    let server = fake_server(move |_, _| page(&row, "null"));
    let (base, list) = (server.base(), ["get", "transactions", ALICE, "--format", "csv"]);
    let first = run(&[&list[..], &["--chain", base.as_str()]].concat(), ("--record", &path));
    assert!(first.status.success() && !first.stdout.is_empty());
    drop(server);
    let again = run(&list, ("--replay", &path));
    assert_eq!((again.status.code(), &again.stdout), (Some(0), &first.stdout));
    let elsewhere = run(&[&["--chain", "eth"], &list[..]].concat(), ("--replay", &path));
    let message = String::from_utf8_lossy(&elsewhere.stderr);
    assert!(elsewhere.status.code() == Some(2) && message.contains("recording is of"), "{message}");
    let other = run(&["get", "tokens", ALICE], ("--replay", &path));
    let message = String::from_utf8(other.stderr).unwrap();
    assert!(
        other.status.code() == Some(1) && message.contains("not in the recording"),
        "{message}"
    );
    let twice = run(&list, ("--record", &path));
    assert_eq!(twice.status.code(), Some(2), "recordings are not overwritten");
}

#[test]
fn invalid_recording_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (good, bad) = (folder.path().join("good.jsonl"), folder.path().join("bad.jsonl"));
    assert!(run(&["trace", MULTICALL_STRICT], ("--record", &good)).status.success());
    let recording = fs::read(&good).unwrap();
    let end = recording.iter().position(|b| *b == b'\n').unwrap() + 1;
    let newer = String::from_utf8(recording[..end].to_vec()).unwrap();
    for (bytes, message) in [
        (&b""[..], "not a chainglass recording"),
        (b"\x89PNG\r\n", "not a chainglass recording"),
        (b"{\"items\":[]}\n", "not a chainglass recording"),
        (head(&format!("{{\"name\":\"{}\"}}", "x".repeat(1 << 14))).as_bytes(), "not a chainglass"),
        (
            newer.replace("\"version\":1", "\"version\":2").as_bytes(),
            "recording version 2 cannot be read, only 1",
        ),
        (&recording[..end - 1], "line 1 is incomplete"),
        (&recording[..end + 9], "line 2 is incomplete"),
        (&recording[..recording.len() - 1], "line 2 is incomplete"),
        (&[&recording[..], b"{}\n"].concat(), "line 3 is incomplete or invalid"),
    ] {
        fs::write(&bad, bytes).unwrap();
        let output = run(&["trace", MULTICALL_STRICT], ("--replay", &bad));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(output.status.code() == Some(2) && stderr.contains(message), "{message}: {stderr}");
    }
    let output = run(&["trace", MULTICALL_STRICT], ("--replay", &folder.path().join("none")));
    assert_eq!(output.status.code(), Some(2));
    assert!(run(&["trace", MULTICALL_STRICT], ("--replay", &good)).status.success());
}

#[test]
fn recorded_name_of_a_chain_is_quoted_and_cut() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("run.jsonl");
    let symbol = "✓ «ETH» of Alice";
    for (base, name, quoted) in [
        (r#""https://eth.blockscout.com/""#, "Ethereum", "“Ethereum”"),
        ("null", "demo” ✓ «Bob» 0x14dC79964da2C08b", "“demo’ ✓ ‹Bob› 0x14dC7996…”"),
        (r#""https://explorer.example.com/""#, "«Bob»", "“‹Bob›”"),
    ] {
        let chain = format!(r#"{{"name":"{name}","base":{base},"symbol":"{symbol}"}}"#);
        fs::write(&path, head(&chain)).unwrap();
        let network = Replay::load(&path).unwrap().network.clone();
        assert_eq!(network.name, quoted);
        let symbol = network.symbol.map(|symbol| symbol.to_string()).unwrap_or_default();
        let expected = if base == "null" { "ETH" } else { "“✓ ‹ETH› of A…”" };
        assert_eq!(symbol, expected, "{base}");
    }
}
