//! A running anvil is followed through everything that happens to development chains.
//!
//! `tests/nodes/run anvil -- cargo test --locked --test suite running_anvil -- --ignored`, with
//! `CHAINGLASS_SEED` for another random history.

use std::fs;
use std::io::Write;
use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::{Duration, Instant};

use chainglass::test_api::abi::{Project, ProjectContracts};
use chainglass::test_api::demo_server::{ApiServer, ApiServerOptions};
use chainglass::test_api::indexer::{IndexLimits, NodeChain};
use chainglass::test_api::rpc::RpcClient;
use serde_json::{Value, json};
use tokio::time::{sleep, timeout};

use crate::architecture::root;
use crate::artifacts::project;
use crate::demo_server_client::{ALICE, ServerClient};
use crate::terminal::Terminal;

const RECIPIENT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const TIMEOUT: Duration = Duration::from_secs(10);

/// Anvil on a port, ended when this is dropped.
pub(crate) struct Anvil {
    process: Child,
    pub(crate) client: RpcClient,
}

impl Anvil {
    pub(crate) async fn start(port: u16) -> Self {
        Self::start_with(port, &[]).await
    }

    async fn start_with(port: u16, options: &[&str]) -> Self {
        let program = std::env::var("ANVIL").expect("tests/nodes/run sets ANVIL");
        let mut command = Command::new(program);
        let command = command.args(["--silent", "--port", &port.to_string()]).args(options);
        let process = command.spawn().unwrap();
        let anvil = Self { process, client: client(port) };
        let started = Instant::now();
        while anvil.client.call::<Value>("eth_chainId", json!([])).await.is_err() {
            assert!(started.elapsed() < TIMEOUT, "anvil does not answer");
            sleep(Duration::from_millis(20)).await;
        }
        anvil
    }

    pub(crate) async fn call(&self, method: &'static str, params: Value) -> Value {
        self.client.call(method, params).await.unwrap()
    }

    /// Mines a payment in a block of its own, and waits for it: a revert while anvil mines leaves gaps.
    /// After a revert some payments are never mined.
    async fn pay(&self, value: u64) {
        let payment = json!([{ "from": ALICE, "to": RECIPIENT, "value": format!("{value:#x}") }]);
        let hash = self.call("eth_sendTransaction", payment).await;
        let mined = async {
            while self.call("eth_getTransactionReceipt", json!([hash])).await.is_null() {
                sleep(Duration::from_millis(1)).await;
            }
        };
        drop(timeout(Duration::from_secs(1), mined).await);
    }
}

impl Anvil {
    /// Waits for the receipt of a transaction.
    pub(crate) async fn receipt(&self, transaction: &Value) -> Value {
        let mined = async {
            loop {
                let receipt = self.call("eth_getTransactionReceipt", json!([transaction])).await;
                if !receipt.is_null() {
                    return receipt;
                }
                sleep(Duration::from_millis(5)).await;
            }
        };
        timeout(TIMEOUT, mined).await.unwrap()
    }
}

impl Drop for Anvil {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

pub(crate) fn client(port: u16) -> RpcClient {
    let url: url::Url = format!("http://127.0.0.1:{port}").parse().unwrap();
    RpcClient::new(url.try_into().unwrap()).unwrap()
}

/// Waits until the payments of the account are these, newest first.
async fn expect_values(server: &Arc<ServerClient>, expected: &[&str]) {
    let started = Instant::now();
    loop {
        let server = Arc::clone(server);
        let list = format!("/api/v2/addresses/{ALICE}/transactions");
        let response = tokio::task::spawn_blocking(move || server.get(&list)).await.unwrap();
        let page: Value = serde_json::from_str(&response.1).unwrap();
        let items = page["items"].as_array().map(Vec::as_slice).unwrap_or_default();
        let values: Vec<_> = items.iter().map(|item| item["value"].as_str().unwrap()).collect();
        if response.0 == 200 && values == expected {
            return;
        }
        assert!(started.elapsed() < TIMEOUT, "{expected:?} became {response:?}");
        sleep(Duration::from_millis(20)).await;
    }
}

pub(crate) fn free_port() -> u16 {
    TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port()
}

/// Does something random to the chain.
async fn operate(anvil: &Anvil, random: &mut fastrand::Rng, snapshots: &mut Vec<Value>) {
    match random.u8(..12) {
        0..4 => anvil.pay(random.u64(1..1_000)).await,
        4 => drop(anvil.call("anvil_mine", json!([format!("{:#x}", random.u8(1..80))])).await),
        5 | 6 => snapshots.push(anvil.call("evm_snapshot", json!([])).await),
        7 | 8 if !snapshots.is_empty() => {
            let index = random.usize(..snapshots.len());
            let snapshot = snapshots.drain(index..).next().unwrap();
            anvil.call("evm_revert", json!([snapshot])).await;
        }
        9 => {
            anvil.call("evm_increaseTime", json!([random.u32(1..10_000)])).await;
            anvil.call("evm_mine", json!([])).await;
        }
        10 => {
            let code = json!([RECIPIENT, format!("0x60{:02x}", random.u8(..))]);
            anvil.call("anvil_setCode", code).await;
            anvil.call("anvil_setBalance", json!([ALICE, "0xffffffffffffffffffff"])).await;
        }
        _ if random.u8(..8) == 0 => {
            anvil.call("anvil_reset", json!([])).await;
            snapshots.clear();
        }
        _ => {}
    }
}

/// The rows of the whole chain, once its head is the node's.
pub(crate) async fn rows_at_head(chain: &mut NodeChain, anvil: &Anvil) -> String {
    let read = async {
        loop {
            // A payment may be mined after its answer.
            let head = anvil.call("eth_getBlockByNumber", json!(["latest", false])).await;
            let published = chain.published().filter(|it| it.coverage.is_none());
            let block = published.as_ref().and_then(|it| it.head().unwrap());
            if let (Some(block), Some(chain)) = (block, &published)
                && head["hash"] == block.hash.to_string()
            {
                let blocks = chain.segments.iter().flat_map(|it| it.blocks.get().unwrap());
                let blocks: Vec<_> = blocks.collect();
                let sent: Vec<_> = chain.transactions(u64::MAX).unwrap().collect();
                let (calls, end) = chain.internal_transactions(u64::MAX);
                end.unwrap();
                return format!("{blocks:#?}{sent:#?}{:#?}", calls.collect::<Vec<_>>());
            }
            let _ = timeout(Duration::from_millis(100), chain.changed()).await;
        }
    };
    let rows = timeout(TIMEOUT, read).await;
    rows.unwrap_or_else(|_| panic!("not read: {:?}", chain.progress()))
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs anvil: see the top of this file"]
async fn hundred_operations_leave_what_a_fresh_index_reads() {
    let seed = std::env::var("CHAINGLASS_SEED").ok().and_then(|seed| seed.parse().ok());
    let seed = seed.unwrap_or(16_161_584_695_419_027_532);
    std::io::stderr().write_all(format!("seed {seed}\n").as_bytes()).unwrap();
    let mut random = fastrand::Rng::with_seed(seed);
    let port = free_port();
    let anvil = Anvil::start(port).await;
    let mut followed = NodeChain::follow(client(port), IndexLimits::default());
    let mut snapshots = Vec::new();
    for n in 0..100 {
        operate(&anvil, &mut random, &mut snapshots).await;
        // Now and then the index catches up, else it reads what changes meanwhile.
        if n % 10 == 9 {
            rows_at_head(&mut followed, &anvil).await;
        }
    }
    rows_at_head(&mut followed, &anvil).await;
    let mut fresh = NodeChain::follow(client(port), IndexLimits::default());
    let fresh = rows_at_head(&mut fresh, &anvil).await;
    let ours = rows_at_head(&mut followed, &anvil).await; // a block may have come late
    assert!(ours == fresh, "{ours} became {fresh}");
}

/// A followed list of transactions, as the program shows it.
struct FollowedScreen(Terminal);

impl FollowedScreen {
    fn open(port: u16) -> Self {
        let url = format!("http://127.0.0.1:{port}");
        let mut terminal =
            Terminal::explorer(&["--chain", &url, "--tab", "transactions", "--no-cache", ALICE]);
        terminal.wait_for(" live ─╯");
        Self(terminal)
    }

    /// Returns the time until a row of the block is there, or is not.
    fn time_until(&mut self, block: u64, is_shown: bool) -> Duration {
        let (since, number) = (Instant::now(), block.to_string());
        let has_row = |screen: &str| {
            let words: Vec<&str> = screen.split_whitespace().collect();
            words.windows(2).any(|pair| pair[0] == number && pair[1].starts_with("0x"))
        };
        tokio::task::block_in_place(|| {
            self.0.until(&number, |terminal| has_row(&terminal.shown()) == is_shown);
        });
        since.elapsed()
    }
}

/// Prints the 95th percentile. The limit is for a machine on which other things run.
fn check_p95(what: &str, mut times: Vec<Duration>, limit: Duration) {
    times.sort_unstable();
    let p95 = times[times.len() * 95 / 100 - 1];
    let count = times.len();
    let text = format!("{what}: on the screen after {p95:.0?} (p95 of {count})\n");
    std::io::stderr().write_all(text.as_bytes()).unwrap();
    assert!(p95 < limit, "{what}: {times:?}");
}

/// Half a second for what is mined, and one for what is gone, if nothing else runs.
#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs anvil: see the top of this file"]
async fn running_chain_is_on_a_followed_screen_soon() {
    let (port, mut random) = (free_port(), fastrand::Rng::with_seed(1));
    let mut anvil = Anvil::start(port).await;
    let mut screen = FollowedScreen::open(port);
    let [mut mined, mut reverted, mut reset, mut restarted] = [const { Vec::new() }; 4];
    for block in 1..=100 {
        sleep(Duration::from_millis(random.u64(..300))).await; // at any time between two polls
        anvil.pay(block).await;
        mined.push(screen.time_until(block, true));
    }
    for _ in 0..20 {
        let before = anvil.call("evm_snapshot", json!([])).await;
        anvil.pay(1).await;
        screen.time_until(101, true);
        sleep(Duration::from_millis(random.u64(..300))).await;
        anvil.call("evm_revert", json!([before])).await;
        reverted.push(screen.time_until(101, false));
    }
    for block in 1..=20 {
        sleep(Duration::from_millis(random.u64(..300))).await;
        anvil.call("anvil_reset", json!([])).await;
        reset.push(screen.time_until(if block == 1 { 100 } else { 1 }, false));
        anvil.pay(block).await;
        screen.time_until(1, true);
    }
    for _ in 0..20 {
        drop(anvil);
        sleep(Duration::from_millis(random.u64(..1_000))).await;
        anvil = Anvil::start(port).await;
        restarted.push(screen.time_until(1, false));
        anvil.pay(1).await;
        screen.time_until(1, true);
    }
    check_p95("mined", mined, Duration::from_secs(2));
    check_p95("reverted", reverted, Duration::from_secs(3));
    check_p95("reset", reset, Duration::from_secs(3));
    check_p95("restarted", restarted, Duration::from_secs(3));
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs anvil: see the top of this file"]
async fn anvil_is_followed_through_reverts_and_restarts() {
    let port = free_port();
    // Followed before it runs.
    let chain = NodeChain::follow(client(port), IndexLimits::default());
    let server = ApiServer::start(Arc::new(chain), ApiServerOptions::default()).await.unwrap();
    let server = Arc::new(ServerClient::new(server));
    let anvil = Anvil::start(port).await;
    expect_values(&server, &[]).await;
    anvil.pay(1).await;
    anvil.pay(2).await;
    expect_values(&server, &["2", "1"]).await;

    let before = anvil.call("evm_snapshot", json!([])).await;
    anvil.pay(3).await;
    expect_values(&server, &["3", "2", "1"]).await;
    anvil.call("evm_revert", json!([before])).await;
    expect_values(&server, &["2", "1"]).await;

    let before = anvil.call("evm_snapshot", json!([])).await;
    anvil.pay(4).await;
    expect_values(&server, &["4", "2", "1"]).await;
    anvil.call("evm_revert", json!([before])).await;
    anvil.pay(5).await; // another block of the same number
    expect_values(&server, &["5", "2", "1"]).await;

    anvil.call("anvil_mine", json!(["0x3e8"])).await;
    anvil.pay(6).await;
    expect_values(&server, &["6", "5", "2", "1"]).await;

    drop(anvil);
    let anvil = Anvil::start(port).await;
    anvil.pay(7).await;
    expect_values(&server, &["7"]).await;
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs anvil: see the top of this file"]
async fn failed_call_ends_at_its_line_with_recorded_steps_or_without() {
    let world = fs::read_to_string(root().join("tests/nodes/world/World.json")).unwrap();
    let thrower = &serde_json::from_str::<Value>(&world).unwrap()["Thrower"];
    let folder = project("hardhat3");
    // Without recorded steps, the first transaction of a block is repeated.
    for options in [&["--steps-tracing"][..], &[]] {
        let port = free_port();
        let anvil = Anvil::start_with(port, options).await;
        let sent = |to: Value, data: String| {
            let data = if data.starts_with("0x") { data } else { format!("0x{data}") };
            json!([{ "from": ALICE, "to": to, "data": data, "gas": "0xf4240" }])
        };
        let code = thrower["code"].as_str().unwrap().to_owned();
        let created = anvil.call("eth_sendTransaction", sent(Value::Null, code)).await;
        let receipt = anvil.receipt(&created).await;
        let custom = thrower["selectors"]["custom()"].as_str().unwrap().to_owned();
        let failed = sent(receipt["contractAddress"].clone(), custom);
        let failed = anvil.call("eth_sendTransaction", failed).await;
        anvil.receipt(&failed).await;

        let compiled = ProjectContracts::new(Project::find(folder.path()).unwrap());
        let mut chain = NodeChain::follow(client(port), IndexLimits::default());
        rows_at_head(&mut chain, &anvil).await;
        let chain = chain.with_project(Some(Arc::new(compiled)));
        let server = ApiServer::start(Arc::new(chain), ApiServerOptions::default()).await.unwrap();
        let contract = receipt["contractAddress"].as_str().unwrap().to_owned();
        let path = format!(
            "/api/v2/transactions/{}/failure-line?contract={contract}",
            failed.as_str().unwrap()
        );
        let ask = move || ServerClient::new(server).get(&path).1;
        let answer = tokio::task::spawn_blocking(ask).await.unwrap();
        let answer: Value = serde_json::from_str(&answer).unwrap();
        let line =
            format!("{}:{}", answer["file_path"].as_str().unwrap_or_default(), answer["line"]);
        assert_eq!(line, "contracts/World.sol:262", "{answer}");
    }
}

/// A server of the demo's chain on a node, of which so many transactions are indexed.
async fn devnet_server(transactions: usize) -> Arc<ServerClient> {
    let url: url::Url = std::env::var("DEVNET_URL").unwrap().parse().unwrap();
    let client = RpcClient::new(url.try_into().unwrap()).unwrap();
    let limits = IndexLimits { transactions, ..IndexLimits::default() };
    let chain = Arc::new(NodeChain::follow(client, limits));
    let server = ApiServer::start(chain, ApiServerOptions::default()).await.unwrap();
    Arc::new(ServerClient::new(server))
}

/// Places and amounts of the rows of a list, when the chain is read.
fn places(server: &ServerClient, list: &str) -> Vec<Value> {
    let started = Instant::now();
    while server.get("/api/v2/main-page/indexing-status").1.contains("\"unread\"") {
        assert!(started.elapsed() < Duration::from_mins(1), "the chain is not read");
        std::thread::sleep(Duration::from_millis(50));
    }
    let fields =
        ["transaction_hash", "hash", "block_number", "log_index", "index", "total", "value"];
    let place = |row: &Value| fields.iter().map(|name| row[*name].clone()).collect();
    server.all_items(&format!("/api/v2/addresses/{list}"), "").iter().map(place).collect()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs anvil: see the top of this file"]
async fn history_of_a_running_node_goes_on_before_the_index() {
    let (limited, whole) = (devnet_server(100).await, devnet_server(100_000).await);
    let check = move || {
        for (list, rows) in [
            ("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266/transactions", 826),
            ("0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266/token-transfers", 2_239),
            ("0xa1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1a1/token-transfers", 100),
            ("0xb1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1b1/internal-transactions", 51),
            ("0x0116686e2291dbd5e317f47fadbfb43b599786ef/internal-transactions", 66),
        ] {
            let (found, expected) = (places(&limited, list), places(&whole, list));
            assert_eq!((found.len(), expected.len()), (rows, rows), "{list}");
            assert!(found == expected, "{list}");
        }
        let page =
            limited.json("/api/v2/addresses/0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266/logs");
        assert_eq!(page["coverage"]["reason"], "over_limit", "the index is not whole");
    };
    tokio::task::spawn_blocking(check).await.unwrap();
}
