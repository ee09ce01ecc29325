//! The cache of final traces: what is taken from it, and what is never kept.

use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;
use std::sync::Mutex;

use chainglass::test_api::api::{Query, TransactionQuery};
use chainglass::test_api::app_message::{NetworkEvent, Priority};
use chainglass::test_api::chain::{Chains, Network};
use chainglass::test_api::net::{Provider, ProviderOptions, ResponseCache};

use crate::demo_items::MULTICALL_STRICT;
use crate::fake_server::{Behavior, FakeServer, fake_server, json};

/// A public host. Its requests go to a proxy on the loopback interface, and no further.
const PUBLIC: &str = "http://explorer.example/";

/// The explorer's knowledge of the transaction.
#[derive(Debug, Clone)]
struct Chain {
    block: u64,
    confirmations: u64,
    /// The address called in the trace.
    callee: &'static str,
    /// The name, tag and decoded call of the day.
    opinion: &'static str,
}

impl Chain {
    const OLD: Self = Self { block: 7, confirmations: 999, callee: OLD, opinion: "Wintermute" };

    fn transaction(&self) -> String {
        let Self { block, confirmations, opinion, .. } = self;
        format!(
            r#"{{"hash":"{MULTICALL_STRICT}","status":"ok","block_number":{block},"raw_input":"0x",
            "timestamp":"2023-11-14T23:12:00Z","from":{{"hash":"{OLD}","name":"{opinion}",
            "is_scam":true,"reputation":"scam","public_tags":[{{"label":"{opinion}"}}]}},
            "to":{{"hash":"{NEW}"}},"gas_used":"21000","token_transfers":[],
            "transaction_tag":"{opinion}","decoded_input":{{"method_call":"{opinion}()"}},
            "exchange_rate":"1234.56","has_error_in_internal_transactions":false,
            "confirmations":{confirmations}}}"#
        )
    }

    fn trace(&self) -> String {
        format!(
            r#"[{{"action":{{"callType":"call","from":"{OLD}","gas":"0x10","input":"0x","to":"{}",
            "value":"0x0"}},"result":{{"gasUsed":"0x0","output":"0x"}},"subtraces":0,
            "traceAddress":[],"type":"call"}}]"#,
            self.callee
        )
    }
}

const OLD: &str = "0x1111111111111111111111111111111111111111";
const NEW: &str = "0x2222222222222222222222222222222222222222";

/// An explorer whose chain can be replaced.
struct Explorer {
    chain: Arc<Mutex<Chain>>,
    /// The answer to the next request, in place of the explorer's.
    next_answer: Arc<Mutex<Option<Behavior>>>,
    server: FakeServer,
}

impl Explorer {
    fn new() -> Self {
        let chain = Arc::new(Mutex::new(Chain::OLD));
        let current = Arc::clone(&chain);
        let next_answer = Arc::new(Mutex::new(None));
        let next = Arc::clone(&next_answer);
        let server = fake_server(move |request, _| {
            if let Some(answer) = next.lock().unwrap().take() {
                return answer;
            }
            let chain = current.lock().unwrap();
            let is_trace = request.path().ends_with("raw-trace");
            json(200, if is_trace { chain.trace() } else { chain.transaction() })
        });
        Self { chain, next_answer, server }
    }

    fn replace(&self, chain: Chain) {
        *self.chain.lock().unwrap() = chain;
    }

    /// Returns the number of requests so far for the transaction and for its trace.
    fn requests(&self) -> [usize; 2] {
        let (traces, others): (Vec<_>, Vec<_>) = self
            .server
            .api_requests()
            .into_iter()
            .partition(|request| request.path().ends_with("raw-trace"));
        [others.len(), traces.len()]
    }

    /// Runs the program on an explorer, through this server as the proxy of public hosts.
    fn run(&self, base: &str, folder: &Path, args: &[&str]) -> String {
        let mut program = Command::new(env!("CARGO_BIN_EXE_chainglass"));
        program.args(args).args(["--chain", base]).env("XDG_CACHE_HOME", folder);
        program
            .env("HTTP_PROXY", self.server.base().as_str())
            .env("XDG_CONFIG_HOME", "/nonexistent");
        for name in ["CHAINGLASS_CHAIN", "NO_PROXY", "no_proxy", "http_proxy", "REQUEST_METHOD"] {
            program.env_remove(name);
        }
        let output = program.output().unwrap();
        assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap()
    }

    /// Returns the number of requests so far that identify an explorer.
    fn probes(&self) -> usize {
        let requests = self.server.requests();
        requests.iter().filter(|request| request.path().ends_with("/indexing-status")).count()
    }
}

/// Returns the files of traces.
fn files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder.join("chainglass").join("v1")) else { return vec![] };
    let files = entries.map(|entry| entry.unwrap().path());
    let is_trace = |path: &PathBuf| {
        let text = fs::read(path).unwrap();
        String::from_utf8_lossy(&text).contains("raw-trace")
    };
    files.filter(is_trace).collect()
}

const TRACE: [&str; 2] = ["trace", MULTICALL_STRICT];

#[test]
fn final_trace_is_fetched_once_and_cache_clear_removes_it() {
    let folder = tempfile::tempdir().unwrap();
    let explorer = Explorer::new();
    let run = |args: &[&str]| explorer.run(PUBLIC, folder.path(), args);
    let place = folder.path().join("chainglass").join("v1").display().to_string();
    assert_eq!(run(&["cache"]), format!("{place}: 0 responses, 0 bytes\n"));
    let printed = run(&TRACE);
    assert_eq!(explorer.requests(), [1, 1]);
    assert_eq!(run(&TRACE), printed);
    assert_eq!(explorer.requests(), [2, 1]);
    assert_eq!(run(&["trace", MULTICALL_STRICT, "--no-cache"]), printed);
    assert_eq!(explorer.requests(), [2, 2]);
    let held = run(&["cache"]);
    assert!(held.starts_with(&format!("{place}: 2 responses, ")), "{held}");
    assert_eq!(run(&["cache", "clear"]), format!("removed from {held}"));
    assert_eq!(run(&["cache"]), format!("{place}: 0 responses, 0 bytes\n"));
    assert_eq!(run(&TRACE), printed);
    assert_eq!(explorer.requests(), [3, 3]);
}

#[test]
fn explorer_at_a_url_is_identified_once() {
    let folder = tempfile::tempdir().unwrap();
    let explorer = Explorer::new();
    let probes_of = |base: &str, args: &[&str]| {
        let before = explorer.probes();
        explorer.run(base, folder.path(), args);
        explorer.probes() - before
    };
    assert_eq!(probes_of(PUBLIC, &TRACE), 1);
    assert_eq!(probes_of(PUBLIC, &TRACE), 0, "it is remembered");
    assert_eq!(probes_of("http://other.example/", &TRACE), 1);
    assert_eq!(probes_of(PUBLIC, &["trace", MULTICALL_STRICT, "--no-cache"]), 1);
    for _ in 0..2 {
        assert_eq!(probes_of(&format!("{PUBLIC}path/"), &TRACE), 1, "a path may be a key");
    }
    explorer.run(PUBLIC, folder.path(), &["cache", "clear"]);
    assert_eq!(probes_of(PUBLIC, &TRACE), 1);
}

#[test]
fn wrong_memory_of_an_explorer_is_refuted_by_the_first_answer() {
    let answers = [
        json(404, r#"{"message":"Not found"}"#),
        json(200, r#"{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no"}}"#),
    ];
    for first in answers {
        let folder = tempfile::tempdir().unwrap();
        let explorer = Explorer::new();
        explorer.run(PUBLIC, folder.path(), &TRACE);
        *explorer.next_answer.lock().unwrap() = Some(first);
        assert!(explorer.run(PUBLIC, folder.path(), &TRACE).contains(OLD));
        assert_eq!(explorer.probes(), 2, "it was probed again");
        explorer.run(PUBLIC, folder.path(), &TRACE);
        assert_eq!(explorer.probes(), 2, "it is remembered again");
    }
}

#[test]
fn cache_holds_no_opinion_of_the_explorer() {
    let folder = tempfile::tempdir().unwrap();
    let explorer = Explorer::new();
    explorer.run(PUBLIC, folder.path(), &TRACE);
    let [file] = &files(folder.path())[..] else { panic!("one response is cached") };
    let text = String::from_utf8_lossy(&fs::read(file).unwrap()).to_lowercase();
    assert!(text.contains("calltype"), "the trace is there");
    for opinion in ["wintermute", "tag", "scam", "reputation", "decoded", "exchange_rate"] {
        assert!(!text.contains(opinion), "{opinion}: {text}");
    }
}

#[test]
fn chain_that_is_started_anew_shows_its_new_trace() {
    for base in [PUBLIC, "loopback"] {
        let folder = tempfile::tempdir().unwrap();
        let explorer = Explorer::new();
        let loopback = explorer.server.base();
        let base = if base == PUBLIC { base } else { loopback.as_str() };
        assert!(explorer.run(base, folder.path(), &TRACE).contains(OLD));
        assert_eq!(files(folder.path()).len(), usize::from(base == PUBLIC));
        explorer.replace(Chain { block: 8, callee: NEW, ..Chain::OLD });
        assert!(explorer.run(base, folder.path(), &TRACE).contains(NEW));
    }
}

#[test]
fn trace_without_known_depth_is_not_cached() {
    let folder = tempfile::tempdir().unwrap();
    let explorer = Explorer::new();
    for confirmations in [0, 12, 255] {
        explorer.replace(Chain { confirmations, ..Chain::OLD });
        explorer.run(PUBLIC, folder.path(), &TRACE);
        assert_eq!(files(folder.path()), Vec::<PathBuf>::new(), "{confirmations}");
    }
}

fn provider(network: &Network, folder: &Path) -> Provider {
    let cache = Some(ResponseCache::new(folder.join("v1")));
    Provider::with_options(network, ProviderOptions { cache, ..ProviderOptions::default() })
}

/// Fetches the transaction and its trace twice. Returns what came from the cache.
async fn fetch_twice(provider: &Provider) -> Vec<bool> {
    let hash = MULTICALL_STRICT.parse().unwrap();
    let mut events = provider.subscribe();
    for query in [
        Query::Transaction(hash, TransactionQuery::Details),
        Query::Transaction(hash, TransactionQuery::RawTrace),
    ]
    .iter()
    .cycle()
    .take(4)
    {
        provider.fetch(query, None, Priority::Interactive).await.unwrap();
    }
    let events = std::iter::from_fn(|| events.try_recv().ok());
    let sent = events.filter_map(|event| match event {
        NetworkEvent::Request(sent) => Some(sent.from_cache),
        _ => None,
    });
    sent.collect()
}

#[tokio::test]
async fn explorers_of_this_machine_are_not_cached() {
    let folder = tempfile::tempdir().unwrap();
    let explorer = Explorer::new();
    let local = Chains::default().network_at(&explorer.server.base());
    for network in [local, Network::demo()] {
        assert_eq!(fetch_twice(&provider(&network, folder.path())).await, [false; 4]);
        assert!(!folder.path().join("v1").exists());
    }
}
