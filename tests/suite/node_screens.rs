//! The chain of a node on the screen: how far it is read, what comes and what is gone.

use std::path::Path;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use chainglass::test_api::abi::{Project, ProjectContracts};
use chainglass::test_api::app_message::{ChainIndex, Effect, Msg, NetworkEvent, UserDataJob};
use chainglass::test_api::chain::{Chains, CustomChain, Endpoint, Network};
use chainglass::test_api::net::{Provider, ProviderOptions};
use serde_json::{Value, json};
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::sync::watch;
use tokio::time::timeout;

use crate::artifacts::project;
use crate::failure_lines::{INVALID, PANIC, THROWER};
use crate::fake_server::{
    Behavior, ClosedPort, FakeServer, fake_host, fake_server, json as json_response, page,
};
use crate::node_chain::{follow, serve};
use crate::scripted_node::{
    client, node_with, recorded_answer, recorded_block, recorded_node, respond,
};
use crate::session::{ALICE, Session, size};
use crate::terminal::Terminal;

const TIMEOUT: Duration = Duration::from_mins(1);
const LAST_BLOCK: u64 = 23;

/// A node with the small world of one of the recorded ones, up to some block.
struct DevNode {
    server: FakeServer,
    /// `None` while it does not answer.
    chain: Arc<Mutex<Option<(&'static str, u64)>>>,
}

impl DevNode {
    fn start(chain: Option<(&'static str, u64)>) -> Self {
        let chain = Arc::new(Mutex::new(chain));
        let shared = Arc::clone(&chain);
        let server = fake_host(move |request, _| match *shared.lock().unwrap() {
            Some((node, head)) => {
                let answer = |method: &str, params: &Value| answer(node, head, method, params);
                json_response(200, respond(&request.body, answer))
            }
            None => Behavior::Reset(Vec::new()),
        });
        Self { server, chain }
    }

    fn set(&self, chain: Option<(&'static str, u64)>) {
        *self.chain.lock().unwrap() = chain;
    }

    /// The chain of its settings.
    fn network(&self) -> Network {
        let rpc = Some(self.server.base().to_string());
        let own = CustomChain { key: "mine".into(), rpc, ..CustomChain::default() };
        Chains::new(vec![own], false).unwrap().resolve("mine").unwrap()
    }
}

fn answer(node: &str, head: u64, method: &str, params: &Value) -> Value {
    let mut params = params.clone();
    if method == "eth_getBlockByNumber" {
        if params[0] == "latest" {
            params[0] = format!("{head:#x}").into();
        }
        let number = params[0].as_str().and_then(|hex| u64::from_str_radix(&hex[2..], 16).ok());
        if number.is_some_and(|number| number > head) {
            return json!({ "result": null });
        }
    }
    if method == "eth_getTransactionByHash" {
        let blocks = (0..=LAST_BLOCK).map(|number| {
            let params = json!([format!("{number:#x}"), true]);
            recorded_answer(node, "eth_getBlockByNumber", &params)["result"].take()
        });
        let sent = blocks.flat_map(|mut it| match it["transactions"].take() {
            Value::Array(sent) => sent,
            _ => Vec::new(),
        });
        let mut sent = sent.filter(|it| it["hash"] == params[0]).filter_map(|it| in_pool(it, head));
        return json!({ "result": sent.next_back() });
    }
    recorded_answer(node, method, &params)
}

/// A transaction that is in a block, or will be in the next one.
fn in_pool(mut sent: Value, head: u64) -> Option<Value> {
    let number = sent["blockNumber"].as_str().unwrap();
    let number = u64::from_str_radix(&number[2..], 16).unwrap();
    if number > head {
        for place in ["blockHash", "blockNumber", "transactionIndex"] {
            sent[place].take();
        }
    }
    (number <= head + 1).then_some(sent)
}

/// An app, and the events of the chain that it shows.
struct NodeScreen {
    session: Session,
    events: UnboundedReceiver<NetworkEvent>,
}

impl NodeScreen {
    async fn open(network: Network, target: &str) -> Self {
        Self::open_in(None, network, target).await
    }

    /// Opens a chain in the folder of a project.
    async fn open_in(folder: Option<&Path>, network: Network, target: &str) -> Self {
        let project = folder.and_then(Project::find).map(ProjectContracts::new).map(Arc::new);
        let options = ProviderOptions { project, ..ProviderOptions::default() };
        let provider = Provider::with_options(&network, options);
        let (sender, events) = unbounded_channel();
        let watched = provider.clone();
        let report = move |event| drop(sender.send(event));
        tokio::spawn(async move { watched.watch_index(report).await });
        let session = Session::at(provider, network, size(120, 40), target).await;
        Self { session, events }
    }

    /// Handles the events until the screen is as expected.
    async fn until(&mut self, what: &str, is_so: impl Fn(&str) -> bool) {
        while !is_so(&self.session.screen()) {
            let event = timeout(TIMEOUT, self.events.recv()).await;
            let screen = self.session.screen();
            let event = event.unwrap_or_else(|_| panic!("no {what:?} in\n{screen}"));
            let msg = Msg::Network(ChainIndex::default(), event.expect("the chain is watched"));
            let effects = self.session.app.update(msg);
            self.session.settle(effects).await;
        }
    }

    async fn until_shown(&mut self, text: &str) {
        self.until(text, |screen| screen.contains(text)).await;
    }

    fn has(&self, text: &str) -> bool {
        self.session.screen().contains(text)
    }

    /// The blocks of the rows.
    fn blocks(&self) -> Vec<u64> {
        let screen = self.session.screen();
        let rows = screen.lines().filter(|line| line.starts_with('│') && line.contains("0x"));
        let words = rows.map(|row| row.trim_start_matches('│').split_whitespace().take(4));
        words.filter_map(|mut words| words.find_map(|word| word.parse().ok())).collect()
    }
}

/// A node of the chain with this id, which is no development node.
fn foreign_node(chain_id: &'static str) -> FakeServer {
    fake_server(move |request, _| {
        let answer = |method: &str, params: &Value| match method {
            "eth_chainId" => json!({ "result": chain_id }),
            "hardhat_metadata" => json!({"error": {"code": -32601, "message": "no such method"}}),
            _ => recorded_answer("hardhat2", method, params),
        };
        json_response(200, respond(&request.body, answer))
    })
}

fn network_at(server: &FakeServer) -> Network {
    let rpc = Some(server.base().to_string());
    let own = CustomChain { key: "mine".into(), rpc, ..CustomChain::default() };
    Chains::new(vec![own], false).unwrap().resolve("mine").unwrap()
}

#[test]
fn feed_has_the_reasons_of_failures_by_the_project() {
    let (folder, node) = (project("hardhat2"), recorded_node("anvil"));
    let chain = format!("anvil:{}", node.base().port().unwrap());
    let mut terminal = Terminal::explorer_in(folder.path(), &["--chain", &chain]);
    terminal.resize(40, 160).wait_for("Forbidden(");
}

#[tokio::test(flavor = "multi_thread")]
async fn start_page_lists_the_accounts_of_a_development_node() {
    let node = DevNode::start(Some(("anvil", LAST_BLOCK)));
    let mut screen = NodeScreen::open(node.network(), "").await;
    screen.until_shown("Accounts of the node").await;
    let shown = screen.session.screen();
    let rows: Vec<&str> = shown.lines().filter(|line| line.starts_with("│ #")).collect();
    assert!(rows[0].contains(ALICE) && rows[0].contains(" ETH"), "by number\n{shown}");
    assert_eq!(rows.len(), 4, "{shown}");
    screen.session.keys("enter").await;
    assert!(screen.has("› #0"), "{}", screen.session.screen());

    let without = node_with(|method, params| match method {
        "eth_accounts" => json!({ "error": { "code": -32601, "message": "Method not found" } }),
        _ => recorded_answer("anvil", method, params),
    });
    let mut screen = NodeScreen::open(network_at(&without), "").await;
    screen.until_shown("#0 → ").await;
    assert!(screen.has("nothing yet: s opens"), "{}", screen.session.screen());
}

#[tokio::test(flavor = "multi_thread")]
async fn address_whose_code_is_refused_may_be_a_contract() {
    let node = node_with(|method, params| match method {
        "eth_getCode" => json!({ "error": { "code": -32601, "message": "Method not found" } }),
        _ => recorded_answer("anvil", method, params),
    });
    let server = serve(follow(client(&node)).await).await;
    let sent = tokio::task::block_in_place(|| server.json(&format!("/api/v2/addresses/{ALICE}")));
    assert_eq!(sent["is_contract"], Value::Null, "{sent}");
    let mut screen = NodeScreen::open(network_at(&node), ALICE).await;
    screen.until_shown("╭─ #0  ? ─").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn project_names_contracts_of_another_chain_only_with_permission() {
    let folder = project("hardhat2");
    let root = folder.path().canonicalize().unwrap();
    let question = format!("project: {}", root.display());
    for allows in [false, true] {
        let node = foreign_node("0x1");
        let network = network_at(&node);
        let mut screen = NodeScreen::open_in(Some(folder.path()), network, ALICE).await;
        screen.until_shown("names contracts after your project").await;
        screen.session.keys("enter esc g P").await;
        assert!(screen.has("Name contracts after a project's?"), "{}", screen.session.screen());
        assert!(screen.has(&question), "{}", screen.session.screen());
        screen.session.keys(if allows { "enter" } else { "esc" }).await;
        assert!(!screen.has(&question));
        let expected = [Effect::AllowProject(ChainIndex::default())];
        let effects = screen.session.effects.iter();
        let allowed = effects.filter(|it| matches!(it, Effect::AllowProject(_))).cloned();
        assert_eq!(allowed.collect::<Vec<_>>(), expected[..usize::from(allows)]);
        assert!(!screen.has("Thrower"), "{}", screen.session.screen());
    }
    // Its own chains need no question: development nodes on this machine, also those of a fork.
    for id in ["0x7a69", "0x539"] {
        let node = foreign_node(id);
        let network = network_at(&node);
        let mut screen = NodeScreen::open_in(Some(folder.path()), network, ALICE).await;
        screen.until_shown("Thrower").await;
        assert!(!screen.has(&question));
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_folder_names_is_called_compiled_and_never_verified() {
    let folder = project("hardhat2");
    let node = foreign_node("0x7a69");
    let chain = follow(client(&node)).await;
    let project = Project::find(folder.path()).map(ProjectContracts::new).map(Arc::new);
    let server = serve(chain.with_project(project)).await;
    let coin = || {
        let sent = server.all_items(&format!("/api/v2/addresses/{ALICE}/transactions"), "");
        let created = sent.iter().rev().map(|item| &item["created_contract"]);
        let mut created = created.filter(|it| it["name"] == "Coin");
        created.next().unwrap()["hash"].as_str().unwrap().to_owned()
    };
    let coin = tokio::task::block_in_place(coin);
    let network = network_at(&node);
    let mut screen = NodeScreen::open_in(Some(folder.path()), network, &coin).await;
    screen.until_shown("compiled here").await;
    let artifact = format!("artifact    {}", folder.path().display());
    let mut screens = String::new();
    for _ in 0..12 {
        screens += &screen.session.screen();
        assert!(!screen.has("verified"), "{}", screen.session.screen());
        if screen.has(&artifact) {
            return;
        }
        screen.session.keys("}").await;
    }
    panic!("no {artifact} in\n{screens}");
}

#[tokio::test(flavor = "multi_thread")]
async fn contract_on_a_node_may_be_verified_elsewhere() {
    let node = DevNode::start(Some(("hardhat2", LAST_BLOCK)));
    let mut screen = NodeScreen::open(node.network(), THROWER).await;
    screen.until_shown("block 23 · live").await;
    let mut screens = String::new();
    for _ in 0..12 {
        screens += &screen.session.screen();
        assert!(!screen.has("not verified"), "{screens}");
        if screen.has("verified ?") {
            return;
        }
        screen.session.keys("}").await;
    }
    panic!("no verification in\n{screens}");
}

#[tokio::test(flavor = "multi_thread")]
async fn block_comes_when_it_is_mined_and_goes_when_it_is_not() {
    let node = DevNode::start(Some(("anvil", 20)));
    let mut screen = NodeScreen::open(node.network(), "22").await;
    screen.until_shown("block 22  not loaded").await;
    node.set(Some(("anvil", LAST_BLOCK)));
    screen.until_shown(" of 30,000,000 · base fee ").await;
    screen.until_shown("1 Tx ").await;
    assert!(screen.has("fees ") && screen.has(" of 5 ─╯"), "{}", screen.session.screen());
    node.set(Some(("anvil", 18)));
    screen.until_shown("block 22  not loaded").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn followed_list_has_what_is_mined_and_nothing_that_is_gone() {
    let node = DevNode::start(Some(("anvil", 20)));
    let mut screen = NodeScreen::open(node.network(), ALICE).await;
    screen.until_shown("block 20 · live").await;
    assert_eq!(screen.session.app.tick_interval(), Some(Duration::from_mins(1)), "the ages");
    assert!(screen.blocks()[0] <= 20);
    node.set(Some(("anvil", LAST_BLOCK)));
    screen.until_shown("block 23 · live").await;
    assert_eq!(screen.blocks()[0], LAST_BLOCK);
    node.set(Some(("anvil", 18)));
    screen.until_shown("rolled back to block 18: 5 blocks dropped").await;
    assert!(screen.has("block 18 · live") && screen.blocks()[0] <= 18, "{:?}", screen.blocks());
    node.set(Some(("anvil", LAST_BLOCK)));
    screen.until_shown("block 23 · live").await;
    assert_eq!(screen.blocks()[0], LAST_BLOCK, "still live");
    screen.session.keys("F").await;
    node.set(Some(("anvil", 18)));
    screen.until_shown("rolled back to block 18").await;
    node.set(Some(("anvil", LAST_BLOCK)));
    screen.until_shown("block 23 · live").await;
    assert!(screen.blocks()[0] <= 18, "not live: {:?}", screen.blocks());
}

#[tokio::test(flavor = "multi_thread")]
async fn pages_that_are_not_shown_are_loaded_again_when_they_are() {
    let node = DevNode::start(Some(("anvil", LAST_BLOCK)));
    let mut screen = NodeScreen::open(node.network(), ALICE).await;
    screen.until_shown("block 23 · live").await;
    assert_eq!(screen.blocks()[0], LAST_BLOCK);
    screen.session.keys("l enter").await;
    assert!(screen.has("history 2/2"), "{}", screen.session.screen());
    for unknown_here in ["confirmed", "ETH today", "ETH then"] {
        assert!(!screen.has(unknown_here), "{}", screen.session.screen());
    }
    node.set(Some(("anvil", 10)));
    screen.until_shown("rolled back to block 10: 13 blocks dropped").await;
    assert!(screen.has("rolled back from block 23"), "{}", screen.session.screen());
    screen.session.keys("H").await;
    assert!(screen.blocks()[0] <= 10, "{:?}", screen.blocks());
    node.set(Some(("anvil", LAST_BLOCK)));
    screen.until_shown("block 23 · live").await;
    screen.session.keys("L").await;
    assert!(screen.has("gas used"), "it is there again: {}", screen.session.screen());
}

#[tokio::test(flavor = "multi_thread")]
async fn page_of_a_hash_goes_with_its_block_and_comes_back() {
    let node = DevNode::start(Some(("anvil", LAST_BLOCK)));
    let params = json!([format!("{LAST_BLOCK:#x}"), true]);
    let block = recorded_answer("anvil", "eth_getBlockByNumber", &params);
    let hash = block["result"]["transactions"][0]["hash"].as_str().unwrap();
    let mut screen = NodeScreen::open(node.network(), hash).await;
    screen.until_shown("gas used").await;
    assert!(!screen.has("rolled back"), "{}", screen.session.screen());
    node.set(Some(("anvil", 10)));
    screen.until_shown("rolled back from block 23").await;
    assert!(screen.has("→"), "its call is still known: {}", screen.session.screen());
    for tab in ["2", "3", "4", "5", "6"] {
        screen.session.keys(tab).await;
        screen.until_shown("✗ rolled back from block 23").await;
        assert!(
            !screen.has("another chain") && !screen.has(" fold "),
            "{}",
            screen.session.screen()
        );
    }
    screen.session.keys("1").await;
    node.set(Some(("anvil", LAST_BLOCK)));
    screen.until("its outcome", |screen| !screen.contains("rolled back from")).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn page_of_a_failure_has_its_reason_once() {
    let node = DevNode::start(Some(("anvil", LAST_BLOCK)));
    for (hash, reason) in [(PANIC, "Panic(0x12)"), (INVALID, "✗ failed")] {
        let mut screen = NodeScreen::open(node.network(), hash).await;
        screen.until_shown(" in block 19").await;
        let shown = screen.session.screen();
        assert_eq!(shown.matches(reason).count(), 1, "{shown}");
        assert!(!shown.contains("│ revert"), "{shown}");
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn facts_of_a_failure_on_a_development_node_have_two_columns() {
    let node = DevNode::start(Some(("anvil", LAST_BLOCK)));
    let mut screen = NodeScreen::open(node.network(), PANIC).await;
    screen.until_shown("block 23 · live").await;
    // The page is made again with what is known of the chain.
    screen.session.keys("2 1").await;
    let is_beside = |line: &str| line.contains("│ hash") && line.contains("│ nonce");
    screen.until("nonce next to hash", |screen| screen.lines().any(is_beside)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn transaction_before_a_restart_is_dropped_with_all_its_parts() {
    let node = DevNode::start(Some(("anvil", LAST_BLOCK)));
    let params = json!([format!("{LAST_BLOCK:#x}"), true]);
    let block = recorded_answer("anvil", "eth_getBlockByNumber", &params);
    let path = format!(
        "/api/v2/transactions/{}",
        block["result"]["transactions"][0]["hash"].as_str().unwrap()
    );
    let server = serve(follow(client(&node.server)).await).await;
    let check = move || {
        assert_eq!(server.get(&path).0, 200);
        node.set(Some(("hardhat2", 0)));
        let deadline = Instant::now() + TIMEOUT;
        for part in ["", "/logs", "/raw-trace"] {
            let mut body = String::new();
            while !body.contains(r#""message":"dropped by a restart of the node""#) {
                assert!(Instant::now() < deadline, "{part}: {body}");
                body = server.get(&[&*path, part].concat()).1;
            }
        }
    };
    tokio::task::spawn_blocking(check).await.unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn new_run_of_a_node_leaves_nothing_remembered() {
    let node = DevNode::start(Some(("anvil", LAST_BLOCK)));
    let mut screen = NodeScreen::open(node.network(), ALICE).await;
    screen.until_shown("block 23 · live").await;
    let before = screen.blocks();
    assert!(screen.session.app.name_cache().transactions().count() > 0);
    // Its chain is the same up to nothing: even the first block has another hash.
    node.set(Some(("hardhat2", 0)));
    screen.until_shown("node restarted: 55 transactions dropped").await;
    assert!(screen.has("no transactions") && screen.blocks().is_empty());
    assert_eq!(screen.session.app.name_cache().transactions().count(), 0);
    node.set(Some(("hardhat2", LAST_BLOCK)));
    screen.until_shown("block 23 · live").await;
    assert_eq!(screen.blocks(), before);
}

#[tokio::test(flavor = "multi_thread")]
async fn node_that_comes_later_is_shown_without_a_key() {
    let node = DevNode::start(None);
    let mut screen = NodeScreen::open(node.network(), ALICE).await;
    screen.until_shown("cannot be reached").await;
    assert!(screen.has("waiting for anvil, connects by itself"), "{}", screen.session.screen());
    assert!(!screen.has("explorer"), "{}", screen.session.screen());
    node.set(Some(("anvil", LAST_BLOCK)));
    screen.until_shown("block 23 · live").await;
    assert_eq!(screen.blocks()[0], LAST_BLOCK);
    assert!(!screen.has("waiting for anvil"), "{}", screen.session.screen());
    node.set(None);
    screen.until_shown("block 23 · cannot be reached").await;
    assert_eq!(screen.blocks()[0], LAST_BLOCK, "what was read stays");
    // Its id is that of all development chains, so labels are kept by the address.
    let key = screen.session.effects.iter().rev().find_map(|effect| match effect {
        Effect::UserData(UserDataJob::LoadLabels(key)) => Some(key.clone()),
        _ => None,
    });
    assert!(key.unwrap().starts_with("127.0.0.1-"));
}

#[tokio::test(flavor = "multi_thread")]
async fn absent_node_is_named_with_the_reason() {
    let closed = ClosedPort::bind();
    let port = closed.number();
    let network = Chains::default().resolve(&format!("anvil:{port}")).unwrap();
    let mut screen = NodeScreen::open(network, ALICE).await;
    let words = format!("no node at 127.0.0.1:{port}: waiting for anvil, connects by itself");
    screen.until("the reason", |screen| screen.contains(&words)).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn unknown_url_is_asked_once_what_is_there() {
    let node = DevNode::start(Some(("anvil", LAST_BLOCK)));
    let explorer = fake_server(|_, _| page("", "null"));
    for (server, is_node) in [(&node.server, true), (&explorer, false)] {
        // A name in place of the address, which is taken for a node's at once.
        let mut url = server.base();
        url.set_host(Some("localhost")).unwrap();
        let network = Chains::default().resolve(url.as_str()).unwrap();
        assert!(matches!(network.endpoint, Endpoint::Undecided(_)), "{network:?}");
        let mut screen = NodeScreen::open(network, ALICE).await;
        if is_node {
            screen.until_shown("block 23 · live").await;
            assert_eq!(screen.blocks()[0], LAST_BLOCK);
        } else {
            let event = timeout(TIMEOUT, screen.events.recv()).await.unwrap().unwrap();
            let NetworkEvent::Decided(network) = event else { panic!("{event:?}") };
            assert_eq!(network.endpoint, Endpoint::Remote(url.clone()));
            screen.until_shown("no transactions").await;
        }
        let requests = server.requests();
        assert!(is_node || requests.iter().all(|request| request.body.is_empty()), "no post");
        let asked = requests.iter().filter(|request| request.is_probe()).count();
        assert_eq!(asked, if is_node { 3 } else { 1 }, "once, and once by who follows the chain");
    }
}

#[tokio::test]
async fn decision_about_an_unknown_url_costs_one_request() {
    for (target, count) in [(Some(ALICE), 5), (None, 6)] {
        let empty = Behavior::Delay(Duration::from_millis(100), Box::new(page("", "null")));
        let explorer = fake_server(move |_, _| empty.clone());
        let url = format!("http://localhost:{}", explorer.base().port().unwrap());
        let args: Vec<&str> = ["--chain", &url].into_iter().chain(target).collect();
        let mut terminal = Terminal::explorer(&args);
        explorer.until_requested(count).await;
        terminal.press("Q").exit_restored();
        assert_eq!(explorer.requests().len(), count, "{:?}", explorer.requests());
    }
}

#[tokio::test(start_paused = true)]
async fn attempts_to_connect_become_rarer() {
    let port = ClosedPort::bind();
    let url = format!("http://localhost:{}", port.number());
    let network = Chains::default().resolve(&url).unwrap();
    assert!(matches!(network.endpoint, Endpoint::Undecided(_)), "{network:?}");
    let provider = Provider::new(&network);
    let mut events = provider.subscribe();
    timeout(Duration::from_secs(40), provider.watch_index(|_| {})).await.unwrap_err();
    let events = std::iter::from_fn(|| events.try_recv().ok());
    let attempts = events.filter(|event| matches!(event, NetworkEvent::Request(_))).count();
    assert_eq!(attempts, 7, "after 0, 1, 3, 7, 15, 25 and 35 seconds");
}

/// Returns `true` if the terminal's bell was rung, apart from the ends of other sequences.
fn has_rung(written: &str) -> bool {
    let strings = written.split("\x1b]").skip(1);
    strings
        .filter_map(|string| string.split_once(['\x07', '\x1b']))
        .any(|(_, rest)| rest.contains('\x07'))
}

#[test]
fn new_blocks_at_a_watched_address_ring_and_are_counted_in_the_title() {
    let (node, folder) = (DevNode::start(Some(("anvil", 10))), tempfile::tempdir().unwrap());
    let config = folder.path().join("config.toml");
    std::fs::write(&config, "notify = \"bell\"").unwrap();
    let chain = format!("anvil:{}", node.server.base().port().unwrap());
    let variables = [("CHAINGLASS_CONFIG", config.to_str().unwrap())];
    let program = env!("CARGO_BIN_EXE_chainglass").into();
    let mut terminal = Terminal::open_with(program, &["--chain", &chain], &variables);
    terminal.wait_for("block 10 · live").press(&format!("\x1b[200~{ALICE}\x1b[201~"));
    terminal.wait_for("1 of 21").press("w").wait_for("watching").press("\x1b").wait_for("Watched");
    let written = |terminal: &Terminal| String::from_utf8_lossy(&terminal.written).into_owned();
    let all = written(&terminal);
    assert!(!all.contains("\x1b]0;") && !has_rung(&all), "nothing is new");
    node.set(Some(("anvil", LAST_BLOCK)));
    terminal.wait_for(" new ").until("a title", |terminal| {
        let all = written(terminal);
        all.contains("\x1b[22;0t\x1b]0;(") && all.contains(") chainglass\x07") && has_rung(&all)
    });
    node.set(Some(("anvil", 10)));
    let restored = "\x1b]0;chainglass\x07\x1b[23;0t";
    terminal.until("no title", |terminal| written(terminal).contains(restored));
    node.set(Some(("anvil", LAST_BLOCK)));
    terminal.wait_for(" new ").press("Q");
    assert_eq!(terminal.exit_restored(), 0);
    assert_eq!(written(&terminal).matches(restored).count(), 2, "restored on exit, once");
}

#[test]
fn first_screen_waits_for_no_node() {
    let silent = fake_host(|_, _| Behavior::Stall(Vec::new()));
    let port = silent.base().port().unwrap();
    for chain in [format!("anvil:{port}"), format!("http://localhost:{port}")] {
        let program = env!("CARGO_BIN_EXE_chainglass").into();
        let mut terminal = Terminal::open_with(program, &["--chain", &chain, ALICE], &[]);
        terminal.wait_for("loading…").press("Q").exit_restored();
    }
    assert!(!silent.requests().is_empty(), "and none was answered");
}

#[tokio::test(flavor = "multi_thread")]
async fn quitting_waits_for_no_large_answer_of_a_call() {
    // A string of 16 MB, as a name or a symbol.
    let words = [format!("{:064x}{:064x}", 0x20, 16 << 20), "61".repeat(16 << 20)].concat();
    let huge = Arc::new(format!("0x{words}"));
    let calls = Arc::new(watch::channel(0).0);
    let counter = Arc::clone(&calls);
    let node = node_with(move |method, params| match method {
        "eth_call" => {
            counter.send_modify(|calls| *calls += 1);
            json!({ "result": *huge })
        }
        _ => recorded_answer("anvil", method, params),
    });
    let chain = format!("anvil:{}", node.base().port().unwrap());
    for more in [1, 2, 9, 30] {
        let program = env!("CARGO_BIN_EXE_chainglass").into();
        let mut terminal = Terminal::open_with(program, &["--chain", &chain, ALICE], &[]);
        let wanted = *calls.borrow() + more;
        terminal.wait_for("block 23").press("4");
        timeout(TIMEOUT, calls.subscribe().wait_for(|calls| *calls >= wanted))
            .await
            .unwrap()
            .unwrap();
        let pressed = Instant::now();
        assert_eq!(terminal.press("Q").exit_restored(), 0);
        assert!(pressed.elapsed() < Duration::from_secs(3), "{:?}", pressed.elapsed());
    }
}

#[tokio::test(flavor = "multi_thread")]
async fn pending_transaction_says_what_it_would_pay_until_it_is_in_a_block() {
    // It pays one coin to an account.
    let sent = recorded_block("anvil", 22).transactions.into_iter();
    let sent = sent.map(|it| it.hash).nth(3).unwrap().to_string();
    let node = DevNode::start(Some(("anvil", 21)));
    let mut screen = NodeScreen::open(node.network(), &sent).await;
    screen.until_shown("would send 1 ETH to").await;
    for text in ["pending", "fee would be", " at most", "Balances would change"] {
        assert!(screen.has(text), "{text}: {}", screen.session.screen());
    }
    for text in ["✓", "✗", "Balance changes", "in the pool"] {
        assert!(!screen.has(text), "{text}: {}", screen.session.screen());
    }
    screen.session.keys("2").await;
    assert!(screen.has("pending: not executed yet"), "{}", screen.session.screen());
    screen.session.keys("5").await;
    assert!(screen.has("pending: not in a block yet"), "{}", screen.session.screen());
    screen.session.keys("1").await;
    node.set(Some(("anvil", LAST_BLOCK)));
    screen.until_shown("✓ ok").await;
    assert!(screen.has("sends 1 ETH to") && !screen.has("would"), "{}", screen.session.screen());
}
