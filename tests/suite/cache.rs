//! What cannot change is asked for once: in a run, and on disk from one run to the next.

use std::path::Path;
use std::process::Command;

use chainglass::api::Query;
use chainglass::chain::chains::Chains;
use chainglass::chain::network::Network;
use chainglass::msg::{NetworkEvent, Priority, RequestLogEntry};
use chainglass::net::cache::ResponseCache;
use chainglass::net::provider::{Provider, ProviderOptions};
use tokio::sync::mpsc::UnboundedReceiver;

use crate::rogue::{Rogue, in_turn, json};
use crate::session::{Session, size};

const HASH: &str = "0xab63ed8c33e594f9459b0de86c602823e0901a558435f1005bc7e53f6b2b2d3c";
const TRACE: &str = r#"[{"action":{"callType":"call","from":"0x0000000000000000000000000000000000000001","gas":"0x10","input":"0x","to":"0x0000000000000000000000000000000000000002","value":"0x0"},"result":{"gasUsed":"0x0","output":"0x"},"subtraces":0,"traceAddress":[],"type":"call"}]"#;

fn transaction(confirmations: u32) -> String {
    format!(r#"{{"hash":"{HASH}","status":"ok","block_number":7,"confirmations":{confirmations}}}"#)
}

fn query() -> Query {
    Query::Transaction(HASH.parse().unwrap())
}

fn source(rogue: &Rogue, cache: Option<ResponseCache>) -> Provider {
    Provider::with_options(
        &Chains::default().network_at(&rogue.base()),
        ProviderOptions { cache, ..ProviderOptions::default() },
    )
}

fn told(news: &mut UnboundedReceiver<NetworkEvent>) -> Vec<RequestLogEntry> {
    let news = std::iter::from_fn(|| news.try_recv().ok());
    let sent = news.filter_map(|news| match news {
        NetworkEvent::Request(sent) => Some(*sent),
        NetworkEvent::Status(_) => None,
    });
    sent.collect()
}

#[tokio::test]
async fn a_deep_transaction_is_asked_for_once_until_it_is_refreshed() {
    let rogue = in_turn([json(200, transaction(12)), json(200, transaction(5))]);
    let source = source(&rogue, Some(ResponseCache::in_memory()));
    let mut news = source.subscribe();
    for (why, requests) in [
        (Priority::Interactive, 1),
        (Priority::Interactive, 1),
        (Priority::Prefetch, 1),
        (Priority::Refresh, 2),
        (Priority::Interactive, 3),
    ] {
        source.fetch(&query(), None, why).await.unwrap();
        assert_eq!(rogue.requests().len(), requests, "{why:?}");
    }
    let told = told(&mut news);
    let kept: Vec<bool> = told.iter().map(|sent| sent.from_cache).collect();
    assert_eq!(kept, [false, true, true, false, false]);
    assert_eq!((&told[1].url, told[1].status), (&told[0].url, Some(200)));
    assert!(told[1].bytes < told[0].bytes, "what goes on changing is not kept");
}

#[tokio::test]
async fn without_a_cache_everything_is_asked_for() {
    let rogue = in_turn([json(200, transaction(99))]);
    let source = source(&rogue, None);
    for _ in 0..3 {
        source.fetch(&query(), None, Priority::Interactive).await.unwrap();
    }
    assert_eq!(rogue.requests().len(), 3);
}

async fn read(source: &Provider, why: Priority) -> Vec<u8> {
    let query = Query::RawTrace(HASH.parse().unwrap());
    let mut body =
        source.open_stream(&query, std::time::Duration::from_mins(1), why).await.unwrap();
    let mut all = Vec::new();
    while let Some(piece) = body.chunk().await.unwrap() {
        all.extend_from_slice(&piece);
    }
    all
}

#[tokio::test]
async fn a_trace_is_kept_when_it_was_read_to_its_end() {
    let folder = tempfile::tempdir().unwrap();
    let cache = || Some(ResponseCache::on_disk(folder.path().join("v1")));
    let rogue = in_turn([json(200, TRACE)]);
    let first = source(&rogue, cache());
    let query = Query::RawTrace(HASH.parse().unwrap());
    drop(
        first
            .open_stream(&query, std::time::Duration::from_mins(1), Priority::Interactive)
            .await
            .unwrap(),
    );
    assert_eq!(read(&first, Priority::Interactive).await, TRACE.as_bytes());
    assert_eq!(rogue.requests().len(), 2, "the first was not read");
    assert_eq!(read(&first, Priority::Interactive).await, TRACE.as_bytes());
    let next = source(&rogue, cache());
    assert_eq!(read(&next, Priority::Interactive).await, TRACE.as_bytes());
    next.fetch(&query, None, Priority::Interactive).await.unwrap();
    assert_eq!(rogue.requests().len(), 2);
    assert_eq!(read(&next, Priority::Refresh).await, TRACE.as_bytes());
    assert_eq!(rogue.requests().len(), 3);
}

#[tokio::test]
async fn nothing_of_the_demo_chain_is_on_disk() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("v1");
    let cache = Some(ResponseCache::on_disk(path.clone()));
    let source = Provider::with_options(
        &Network::demo(),
        ProviderOptions { cache, ..ProviderOptions::default() },
    );
    let mut news = source.subscribe();
    let first = read(&source, Priority::Interactive).await;
    assert_eq!(read(&source, Priority::Interactive).await, first);
    let kept: Vec<bool> = told(&mut news).iter().map(|sent| sent.from_cache).collect();
    assert_eq!((kept, path.exists()), (vec![false, true], false));
}

#[tokio::test]
async fn a_transaction_that_is_opened_again_costs_no_request_and_r_asks() {
    let mut session = Session::demo(size(120, 40), HASH).await;
    let mut news = session.news();
    let shown = |session: &Session| {
        let screen = session.screen();
        // Without the title and the footer, which tell the way here, and what goes on changing.
        let moves =
            |line: &&str| line.starts_with("confirmations") || line.starts_with("coin $ now");
        let lines = screen.lines().skip(1).take(38).filter(|line| !moves(line));
        lines.map(str::to_owned).collect::<Vec<_>>()
    };
    let screen = shown(&session);
    session.keys("s").await;
    session.types(HASH).await;
    assert_eq!(shown(&session), screen);
    assert!(told(&mut news).iter().all(|sent| sent.from_cache || !sent.url.ends_with(HASH)));
    session.keys("r").await;
    let told = told(&mut news);
    let own: Vec<_> = told.iter().filter(|sent| sent.url.ends_with(HASH)).collect();
    assert_eq!((own.len(), own[0].from_cache, own[0].priority), (1, false, Priority::Refresh));
    session.keys("2").await;
    session.keys("r").await;
    let whys: Vec<_> = self::told(&mut news).iter().map(|s| (s.from_cache, s.priority)).collect();
    assert_eq!(whys, [(false, Priority::Interactive), (false, Priority::Refresh)]);
}

fn run(rogue: &Rogue, folder: &Path, args: &[&str]) -> String {
    let mut program = Command::new(env!("CARGO_BIN_EXE_chainglass"));
    program.args(args).args(["--chain", rogue.base().as_str()]);
    program.env_remove("CHAINGLASS_CHAIN").env("XDG_CONFIG_HOME", "/nonexistent");
    let output = program.env("XDG_CACHE_HOME", folder).output().unwrap();
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn the_next_run_needs_no_request_and_clear_removes_what_was_kept() {
    let folder = tempfile::tempdir().unwrap();
    let rogue = in_turn([json(200, TRACE)]);
    let run = |args: &[&str]| run(&rogue, folder.path(), args);
    let place = folder.path().join("chainglass").join("v1").display().to_string();
    assert_eq!(run(&["cache"]), format!("{place}: 0 answers, 0 bytes\n"));
    let printed = run(&["trace", HASH]);
    assert_eq!(run(&["trace", HASH]), printed);
    assert_eq!(rogue.requests().len(), 1);
    assert_eq!(run(&["trace", HASH, "--no-cache"]), printed);
    assert_eq!(rogue.requests().len(), 2);
    let held = run(&["cache"]);
    assert!(held.starts_with(&format!("{place}: 1 answer, ")), "{held}");
    assert_eq!(run(&["cache", "clear"]), format!("removed from {held}"));
    assert_eq!(run(&["cache"]), format!("{place}: 0 answers, 0 bytes\n"));
    assert_eq!(run(&["trace", HASH]), printed);
    assert_eq!(rogue.requests().len(), 3);
}
