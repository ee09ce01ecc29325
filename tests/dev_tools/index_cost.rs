//! Prints what an index costs.
//!
//! `cargo run --release --example dev_tools -- index-cost empty`, `plain` or `calls`: the memory of 86,400
//! blocks without transactions, or of a transaction without calls or with ten.
//!
//! `tests/nodes/run devnet -- sh -c 'target/release/examples/index_cost $DEVNET_URL'`: the time to
//! index a node's chain, next to that of a client which sends the same requests and does nothing else.

use std::io::Write as _;
use std::time::{Duration, Instant};

use anyhow::Context as _;
use chainglass::test_api::chain::NodeUrl;
use chainglass::test_api::indexer::{IndexLimits, NodeChain};
use chainglass::test_api::rpc::{RpcClient, RpcRequest, RunIdentity};
use serde::Deserialize;
use serde_json::{Value, json};

const ROUNDS: usize = 5;
/// As many as the index reads at once.
const BATCH_BLOCKS: u64 = 50;
const EMPTY_BLOCKS: u64 = 86_400;
const FULL_BLOCKS: u64 = 1_000;
const TRANSACTIONS_PER_BLOCK: u64 = 20;

#[tokio::main(worker_threads = 2)]
pub async fn run(args: &[String]) -> anyhow::Result<()> {
    match &**args.first().context("what? empty, plain, calls or a URL")? {
        "empty" => memory(EMPTY_BLOCKS, 0, 0).await,
        "plain" => memory(FULL_BLOCKS, TRANSACTIONS_PER_BLOCK, 0).await,
        "calls" => memory(FULL_BLOCKS, TRANSACTIONS_PER_BLOCK, 10).await,
        url => time(url::Url::parse(url)?.try_into().context("no node's URL")?).await,
    }
}

/// Prints the memory of an invented chain.
async fn memory(blocks: u64, transactions: u64, calls: u64) -> anyhow::Result<()> {
    let nowhere = url::Url::parse("http://127.0.0.1:1")?.try_into().context("no node's URL")?;
    let client = RpcClient::new(nowhere)?;
    let client = client.simulated(move |body| respond(body, blocks, transactions, calls));
    // What reading takes for a moment is there already when it is read again.
    let _first = index(client.clone()).await?;
    let before = resident()?;
    let chain = index(client).await?;
    let held = resident()?.saturating_sub(before);
    let rows = (blocks * transactions).max(1);
    let segments = chain.published().map_or(0, |it| it.segments.len());
    writeln!(
        std::io::stdout(),
        "{blocks} blocks, {transactions} transactions each of {calls} calls: {} kB, {} bytes a \
         transaction, {segments} segments",
        held >> 10,
        held / rows,
    )?;
    Ok(())
}

/// Reads a chain to its first block.
async fn index(client: RpcClient) -> anyhow::Result<NodeChain> {
    let mut chain = NodeChain::follow(client, IndexLimits::default());
    while chain.progress().coverage.is_none_or(|it| it.unindexed > 0) {
        let error = chain.progress().error;
        anyhow::ensure!(error.is_none() && chain.changed().await, "{error:?}");
    }
    Ok(chain)
}

/// Prints the time to index a chain and to read it only, by turns.
async fn time(url: NodeUrl) -> anyhow::Result<()> {
    let (mut ratios, mut chains) = (Vec::new(), Vec::new());
    for _ in 0..ROUNDS {
        let started = Instant::now();
        read(&RpcClient::new(url.clone())?).await?;
        let bare = started.elapsed();
        let (started, cpu, before) = (Instant::now(), cpu_time()?, resident()?);
        let chain = index(RpcClient::new(url.clone())?).await?;
        let (ours, cpu) = (started.elapsed(), cpu_time()?.saturating_sub(cpu));
        let held = resident()?.saturating_sub(before);
        let transactions = chain.progress().coverage.map_or(0, |it| it.transactions).max(1);
        ratios.push(ours.as_secs_f64() / bare.as_secs_f64());
        chains.push(chain); // so that their memory is not used again
        writeln!(
            std::io::stdout(),
            "{transactions} transactions: indexed in {ours:.0?}, read in {bare:.0?}; {:.0?} of our \
             CPU and {} bytes a transaction",
            cpu / u32::try_from(transactions)?,
            held / u64::try_from(transactions)?,
        )?;
    }
    ratios.sort_by(f64::total_cmp);
    writeln!(std::io::stdout(), "median ratio {:.2}", ratios[ROUNDS / 2])?;
    Ok(())
}

#[derive(Deserialize)]
struct Block {
    number: String,
    transactions: Vec<Value>,
}

/// Sends what an index sends, one batch after another, and keeps nothing.
async fn read(client: &RpcClient) -> anyhow::Result<()> {
    let head: Block = client.call("eth_getBlockByNumber", json!(["latest", false])).await?;
    let mut end = u64::from_str_radix(head.number.trim_start_matches("0x"), 16)? + 1;
    while end > 0 {
        let first = end.saturating_sub(BATCH_BLOCKS);
        let latest = RpcRequest::new("eth_getBlockByNumber", json!(["latest", false]));
        client.batch(&[latest, RunIdentity::request()]).await?;
        let block = |n| RpcRequest::new("eth_getBlockByNumber", json!([format!("{n:#x}"), true]));
        let mut mined = Vec::new();
        for block in client.batch(&(first..end).map(block).collect::<Vec<_>>()).await? {
            let block: Block = client.decode(&block?)?;
            mined.extend((!block.transactions.is_empty()).then_some(block.number));
        }
        for method in ["eth_getBlockReceipts", "trace_block"] {
            let asked = mined.iter().map(|number| RpcRequest::new(method, json!([number])));
            client.batch(&asked.collect::<Vec<_>>()).await?;
        }
        end = first;
    }
    Ok(())
}

/// This process's memory in bytes.
fn resident() -> anyhow::Result<u64> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let line = status.lines().find(|line| line.starts_with("VmRSS:")).context("no VmRSS")?;
    let kilobytes: u64 = line.split_whitespace().nth(1).context("no number")?.parse()?;
    Ok(kilobytes * 1024)
}

/// The CPU time of this process, which Linux counts in hundredths of a second.
fn cpu_time() -> anyhow::Result<Duration> {
    let stat = std::fs::read_to_string("/proc/self/stat")?;
    let (_, fields) = stat.rsplit_once(')').context("no name")?;
    let ticks = fields.split_whitespace().skip(11).take(2);
    let ticks: u64 = ticks.map(|it| it.parse().unwrap_or(0)).sum();
    Ok(Duration::from_millis(ticks * 10))
}

/// Answers a request or a batch about an invented chain.
fn respond(body: &[u8], blocks: u64, transactions: u64, calls: u64) -> Vec<u8> {
    let answer = |request: &Value| {
        let result = result(request, blocks, transactions, calls);
        let is_known = !result.is_null();
        let error = json!({ "code": -32601, "message": "Method not found" });
        let (member, value) = if is_known { ("result", result) } else { ("error", error) };
        json!({ "jsonrpc": "2.0", "id": request["id"], member: value })
    };
    let request: Value = serde_json::from_slice(body).unwrap_or_default();
    let batch = request.as_array();
    let response = batch.map_or_else(|| answer(&request), |all| all.iter().map(answer).collect());
    response.to_string().into_bytes()
}

fn result(request: &Value, blocks: u64, transactions: u64, calls: u64) -> Value {
    let params = &request["params"];
    let asked = params[0].as_str().unwrap_or_default().trim_start_matches("0x");
    let number = u64::from_str_radix(asked, 16).unwrap_or(blocks - 1);
    let hashes = (0..transactions).map(|n| word(1_000_000 * (number + 1) + n));
    match request["method"].as_str().unwrap_or_default() {
        "eth_chainId" => json!("0x7a69"),
        "eth_getBlockByNumber" => json!({
            "number": format!("{number:#x}"),
            "hash": word(number + 1),
            "parentHash": word(number),
            "timestamp": format!("{:#x}", 1_700_000_000 + number),
            "miner": address(9),
            "size": "0x200",
            "gasLimit": "0x1c9c380",
            "gasUsed": format!("{:#x}", 21_000 * transactions),
            "baseFeePerGas": "0x7",
            "transactions": hashes
                .map(|hash| if params[1] == true { sent(&hash, calls) } else { hash.into() })
                .collect::<Value>(),
        }),
        "eth_getBlockReceipts" => {
            hashes.map(|hash| receipt(&hash, &word(number + 1), calls)).collect()
        }
        "trace_block" => {
            hashes.flat_map(|hash| (0..calls.max(1)).map(move |n| call(&hash, n))).collect()
        }
        _ => Value::Null,
    }
}

fn sent(hash: &str, calls: u64) -> Value {
    let input = if calls == 0 { "0x".to_owned() } else { format!("0xa9059cbb{}", "00".repeat(64)) };
    json!({
        "hash": hash, "from": address(1), "to": address(2), "nonce": "0x1", "value": "0x1",
        "gas": "0x30000", "gasPrice": "0x9", "maxFeePerGas": "0x9", "maxPriorityFeePerGas": "0x1",
        "input": input, "type": "0x2",
    })
}

/// Two logs, of which one is a transfer, if there are calls.
fn receipt(hash: &str, block_hash: &str, calls: u64) -> Value {
    let transfer = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
    let log = |topic: &str| json!({ "address": address(3), "topics": [topic, word(1), word(2)], "data": word(7) });
    let logs = if calls == 0 { json!([]) } else { json!([log(transfer), log(&word(5))]) };
    json!({
        "transactionHash": hash, "blockHash": block_hash, "status": "0x1", "gasUsed": "0x5208",
        "effectiveGasPrice": "0x7", "logs": logs,
    })
}

fn call(hash: &str, index: u64) -> Value {
    let path: Vec<u64> = index.checked_sub(1).into_iter().collect();
    json!({
        "action": { "from": address(1), "to": address(2), "value": "0x1", "gas": "0x9",
            "input": "0x", "callType": "call" },
        "result": { "gasUsed": "0x1", "output": "0x" },
        "type": "call", "traceAddress": path, "transactionHash": hash,
    })
}

fn word(number: u64) -> String {
    format!("0x{number:064x}")
}

fn address(number: u64) -> String {
    format!("0x{number:040x}")
}
