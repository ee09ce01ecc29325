//! A running anvil is followed through everything that happens to development chains.
//!
//! `tests/nodes/run anvil -- cargo test --locked --test suite running_anvil -- --ignored`

use std::net::{Ipv4Addr, TcpListener};
use std::process::{Child, Command};
use std::sync::Arc;
use std::time::{Duration, Instant};

use chainglass::test_api::demo_server::{ApiServer, ApiServerOptions};
use chainglass::test_api::indexer::{IndexLimits, NodeChain};
use chainglass::test_api::rpc::RpcClient;
use serde_json::{Value, json};
use tokio::time::sleep;

use crate::demo_server_client::{ALICE, ServerClient};

const RECIPIENT: &str = "0x70997970c51812dc3a010c7d01b50e0d17dc79c8";
const TIMEOUT: Duration = Duration::from_secs(10);

/// Anvil on a port, ended when this is dropped.
struct Anvil {
    process: Child,
    client: RpcClient,
}

impl Anvil {
    async fn start(port: u16) -> Self {
        let program = std::env::var("ANVIL").expect("tests/nodes/run sets ANVIL");
        let mut command = Command::new(program);
        let process = command.args(["--silent", "--port", &port.to_string()]).spawn().unwrap();
        let anvil = Self { process, client: client(port) };
        let started = Instant::now();
        while anvil.client.call::<Value>("eth_chainId", json!([])).await.is_err() {
            assert!(started.elapsed() < TIMEOUT, "anvil does not answer");
            sleep(Duration::from_millis(20)).await;
        }
        anvil
    }

    async fn call(&self, method: &'static str, params: Value) -> Value {
        self.client.call(method, params).await.unwrap()
    }

    /// Mines a payment in a block of its own.
    async fn pay(&self, value: u64) {
        let payment = json!([{ "from": ALICE, "to": RECIPIENT, "value": format!("{value:#x}") }]);
        self.call("eth_sendTransaction", payment).await;
    }
}

impl Drop for Anvil {
    fn drop(&mut self) {
        self.process.kill().unwrap();
        self.process.wait().unwrap();
    }
}

fn client(port: u16) -> RpcClient {
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

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs anvil: see the top of this file"]
async fn anvil_is_followed_through_reverts_and_restarts() {
    let port = TcpListener::bind((Ipv4Addr::LOCALHOST, 0)).unwrap().local_addr().unwrap().port();
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
