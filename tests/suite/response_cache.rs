//! The cache of final responses, in memory and on disk.

use std::path::Path;
use std::process::Command;

use chainglass::test_api::api::Query;
use chainglass::test_api::chain::Chains;
use chainglass::test_api::chain::Network;
use chainglass::test_api::msg::{NetworkEvent, Priority, RequestLogEntry};
use chainglass::test_api::net::ResponseCache;
use chainglass::test_api::net::{Provider, ProviderOptions};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::demo_items::MULTICALL_STRICT;
use crate::fake_server::{FakeServer, json, scripted};
use crate::session::{Session, size};

const TRACE: &str = r#"[{"action":{"callType":"call","from":"0x0000000000000000000000000000000000000001","gas":"0x10","input":"0x","to":"0x0000000000000000000000000000000000000002","value":"0x0"},"result":{"gasUsed":"0x0","output":"0x"},"subtraces":0,"traceAddress":[],"type":"call"}]"#;

fn transaction(confirmations: u32) -> String {
    format!(
        r#"{{"hash":"{MULTICALL_STRICT}","status":"ok","block_number":7,"raw_input":"0x",
            "to":{{"hash":"0x0000000000000000000000000000000000000001"}},"gas_used":"21000",
            "token_transfers":[],"has_error_in_internal_transactions":false,
            "confirmations":{confirmations}}}"#
    )
}

fn query() -> Query {
    Query::Transaction(MULTICALL_STRICT.parse().unwrap())
}

fn source(server: &FakeServer, cache: Option<ResponseCache>) -> Provider {
    Provider::with_options(
        &Chains::default().network_at(&server.base()),
        ProviderOptions { cache, ..ProviderOptions::default() },
    )
}

fn log_entries(events: &mut UnboundedReceiver<NetworkEvent>) -> Vec<RequestLogEntry> {
    let events = std::iter::from_fn(|| events.try_recv().ok());
    let sent = events.filter_map(|events| match events {
        NetworkEvent::Request(sent) => Some(*sent),
        NetworkEvent::Status(_) => None,
    });
    sent.collect()
}

#[tokio::test]
async fn final_transaction_is_fetched_once_until_refreshed() {
    let server = scripted([json(200, transaction(12)), json(200, transaction(5))]);
    let source = source(&server, Some(ResponseCache::in_memory()));
    let mut events = source.subscribe();
    for (why, requests) in [
        (Priority::Interactive, 1),
        (Priority::Interactive, 1),
        (Priority::Prefetch, 1),
        (Priority::Refresh, 2),
        (Priority::Interactive, 3),
    ] {
        source.fetch(&query(), None, why).await.unwrap();
        assert_eq!(server.requests().len(), requests, "{why:?}");
    }
    let entries = log_entries(&mut events);
    let kept: Vec<bool> = entries.iter().map(|sent| sent.from_cache).collect();
    assert_eq!(kept, [false, true, true, false, false]);
    assert_eq!((&entries[1].url, entries[1].status), (&entries[0].url, Some(200)));
    assert!(entries[1].bytes < entries[0].bytes, "volatile fields are not cached");
}

#[tokio::test]
async fn every_query_is_sent_without_a_cache() {
    let server = scripted([json(200, transaction(99))]);
    let source = source(&server, None);
    for _ in 0..3 {
        source.fetch(&query(), None, Priority::Interactive).await.unwrap();
    }
    assert_eq!(server.requests().len(), 3);
}

async fn read_trace(source: &Provider, why: Priority) -> Vec<u8> {
    let query = Query::RawTrace(MULTICALL_STRICT.parse().unwrap());
    let mut body =
        source.open_stream(&query, std::time::Duration::from_mins(1), why).await.unwrap();
    let mut all = Vec::new();
    while let Some(piece) = body.chunk().await.unwrap() {
        all.extend_from_slice(&piece);
    }
    all
}

#[tokio::test]
async fn trace_is_cached_once_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let cache = || Some(ResponseCache::on_disk(folder.path().join("v1")));
    let server = scripted([json(200, TRACE)]);
    let first = source(&server, cache());
    let query = Query::RawTrace(MULTICALL_STRICT.parse().unwrap());
    drop(
        first
            .open_stream(&query, std::time::Duration::from_mins(1), Priority::Interactive)
            .await
            .unwrap(),
    );
    assert_eq!(read_trace(&first, Priority::Interactive).await, TRACE.as_bytes());
    assert_eq!(server.requests().len(), 2, "the first download was dropped");
    assert_eq!(read_trace(&first, Priority::Interactive).await, TRACE.as_bytes());
    let next = source(&server, cache());
    assert_eq!(read_trace(&next, Priority::Interactive).await, TRACE.as_bytes());
    next.fetch(&query, None, Priority::Interactive).await.unwrap();
    assert_eq!(server.requests().len(), 2);
    assert_eq!(read_trace(&next, Priority::Refresh).await, TRACE.as_bytes());
    assert_eq!(server.requests().len(), 3);
}

#[tokio::test]
async fn demo_chain_is_not_cached_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v1");
    let cache = Some(ResponseCache::on_disk(path.clone()));
    let source = Provider::with_options(
        &Network::demo(),
        ProviderOptions { cache, ..ProviderOptions::default() },
    );
    let mut events = source.subscribe();
    let first = read_trace(&source, Priority::Interactive).await;
    assert_eq!(read_trace(&source, Priority::Interactive).await, first);
    let kept: Vec<bool> = log_entries(&mut events).iter().map(|sent| sent.from_cache).collect();
    assert_eq!((kept, path.exists()), (vec![false, true], false));
}

#[tokio::test]
async fn reopened_transaction_is_cached_and_r_refetches_it() {
    let mut session = Session::demo(size(120, 40), MULTICALL_STRICT).await;
    let mut events = session.network_events();
    let shown = |session: &Session| {
        let screen = session.screen();
        // Without the title and the status line, which depend on the history, and volatile fields.
        let moves =
            |line: &&str| line.starts_with("confirmations") || line.starts_with("coin $ now");
        let lines = screen.lines().skip(1).take(38).filter(|line| !moves(line));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let screen = shown(&session);
    session.keys("s").await;
    session.type_text(MULTICALL_STRICT).await;
    assert_eq!(shown(&session), screen);
    let lines = session.screen();
    let confirmations = lines.lines().find(|line| line.starts_with("confirmations")).unwrap();
    assert_eq!(confirmations.split_whitespace().nth(1), Some("?"), "{confirmations}");
    assert!(
        log_entries(&mut events)
            .iter()
            .all(|sent| sent.from_cache || !sent.url.ends_with(MULTICALL_STRICT))
    );
    session.keys("r").await;
    let entries = log_entries(&mut events);
    let own: Vec<_> = entries.iter().filter(|sent| sent.url.ends_with(MULTICALL_STRICT)).collect();
    assert_eq!((own.len(), own[0].from_cache, own[0].priority), (1, false, Priority::Refresh));
    session.keys("2").await;
    session.keys("r").await;
    let whys: Vec<_> =
        self::log_entries(&mut events).iter().map(|s| (s.from_cache, s.priority)).collect();
    assert_eq!(whys, [(false, Priority::Interactive), (false, Priority::Refresh)]);
}

fn run_program(server: &FakeServer, folder: &Path, args: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_chainglass"));
    program.args(args).args(["--chain", server.base().as_str()]);
    program.env_remove("CHAINGLASS_CHAIN").env("XDG_CONFIG_HOME", "/nonexistent");
    let output = program.env("XDG_CACHE_HOME", folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn disk_cache_survives_a_run_and_cache_clear_empties_it() {
    let folder = tempfile::tempdir().unwrap();
    let server = scripted([json(200, TRACE)]);
    let run = |args: &[&str]| run_program(&server, folder.path(), args);
    let place = folder.path().join("chainglass").join("v1").display().to_string();
    assert_eq!(run(&["cache"]), format!("{place}: 0 responses, 0 bytes\n"));
    let printed = run(&["trace", MULTICALL_STRICT]);
    assert_eq!(run(&["trace", MULTICALL_STRICT]), printed);
    assert_eq!(server.requests().len(), 1);
    assert_eq!(run(&["trace", MULTICALL_STRICT, "--no-cache"]), printed);
    assert_eq!(server.requests().len(), 2);
    let held = run(&["cache"]);
    assert!(held.starts_with(&format!("{place}: 1 response, ")), "{held}");
    assert_eq!(run(&["cache", "clear"]), format!("removed from {held}"));
    assert_eq!(run(&["cache"]), format!("{place}: 0 responses, 0 bytes\n"));
    assert_eq!(run(&["trace", MULTICALL_STRICT]), printed);
    assert_eq!(server.requests().len(), 3);
}
