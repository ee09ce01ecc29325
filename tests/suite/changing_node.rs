//! A node whose chain changes in the ways of development nodes, while it is asked.

use std::collections::VecDeque;
use std::sync::{Arc, Mutex};

use chainglass::test_api::indexer::IndexWatch;
use chainglass::test_api::rpc::RpcClient;
use chainglass::test_api::store::Snapshot;
use serde_json::{Value, json};

use crate::scripted_node::simulated_client;

/// The imitated node, with its refusals and its lies.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Personality {
    Anvil,
    Hardhat3,
    Hardhat2,
    Ganache,
    /// Has `debug_traceTransaction` with callTracer.
    Geth,
}

/// Something that happens to a chain.
#[derive(Debug, Clone, Copy)]
pub(crate) enum NodeOperation {
    /// Mines a block with this many transactions.
    Mine(u8),
    /// Mines empty blocks at once. On Hardhat most of them name no parent.
    MineMany(u8),
    Snapshot,
    /// Goes back to one of the snapshots.
    Revert(u8),
    /// Goes back this many blocks and mines as many others.
    Replace(u8),
    /// Goes back to the first block, as another run.
    Reset,
    /// Starts anew, perhaps with the same first block.
    Restart {
        same_genesis: bool,
    },
    /// Becomes a fork of another chain, from this block.
    Fork(u8),
    /// Forgets the transactions of all blocks but this many.
    Forget(u8),
    /// Answers the next request wrongly.
    Lie(Lie),
}

#[derive(Debug, Clone, Copy)]
pub(crate) enum Lie {
    Null,
    EmptyObject,
    EmptyList,
    /// The answer about another block.
    OtherBlock,
    Refusal,
}

#[derive(Debug)]
struct SimulatedBlock {
    number: u64,
    hash: String,
    parent_hash: String,
    transactions: Vec<SimulatedTransaction>,
}

#[derive(Debug)]
struct SimulatedTransaction {
    hash: String,
    sent: Value,
    receipt: Value,
    calls: Vec<SimulatedCall>,
}

#[derive(Debug)]
struct SimulatedCall {
    from: String,
    to: String,
    error: Option<&'static str>,
}

type Blocks = Vec<Arc<SimulatedBlock>>;

/// The state of the node and what it has noticed.
#[derive(Debug)]
pub(crate) struct SimulatedChain {
    personality: Personality,
    /// Begins after the block of the fork.
    blocks: Blocks,
    snapshots: Vec<Blocks>,
    /// Ever higher, so that nothing is there twice.
    counter: u64,
    run: u64,
    fork_block: Option<u64>,
    /// The first block whose transactions are kept.
    first_kept: u64,
    lie: Option<Lie>,
    /// `true` when the node was asked all that tells what it can do.
    is_probed: bool,
    /// Operations to come, each after so many more requests.
    history: VecDeque<(u8, NodeOperation)>,
    /// The run that was told last.
    told_run: Option<u64>,
    /// The chain when its head was told last.
    told_blocks: Blocks,
    pub(crate) watch: Option<IndexWatch>,
    /// The snapshot that was published last, and checked.
    checked: Option<Snapshot>,
    pub(crate) violations: Vec<String>,
}

fn hash(kind: u8, number: u64) -> String {
    format!("0x{kind:02x}{number:062x}")
}

fn address(number: u64) -> String {
    format!("0x{:040x}", 0xa000 + number)
}

fn quantity(number: u64) -> Value {
    format!("{number:#x}").into()
}

fn error(code: i64, message: &str) -> Value {
    json!({ "error": { "code": code, "message": message } })
}

impl SimulatedChain {
    pub(crate) fn new(personality: Personality, history: VecDeque<(u8, NodeOperation)>) -> Self {
        let mut chain = Self {
            personality,
            blocks: Vec::new(),
            snapshots: Vec::new(),
            counter: 0,
            run: 0,
            fork_block: None,
            first_kept: 0,
            lie: None,
            is_probed: false,
            history,
            told_run: None,
            told_blocks: Vec::new(),
            watch: None,
            checked: None,
            violations: Vec::new(),
        };
        chain.mine(0, false);
        chain
    }

    pub(crate) fn head_hash(&self) -> Option<&str> {
        self.blocks.last().map(|block| &*block.hash)
    }

    pub(crate) fn head_number(&self) -> Option<u64> {
        self.blocks.last().map(|block| block.number)
    }

    pub(crate) fn has_forgotten_head(&self) -> bool {
        let head = self.blocks.last();
        head.is_some_and(|it| !it.transactions.is_empty() && self.kept(it).is_empty())
    }

    pub(crate) fn is_over(&self) -> bool {
        self.history.is_empty()
    }

    fn first_number(&self) -> u64 {
        self.fork_block.map_or(0, |fork| fork + 1)
    }

    fn next_number(&self) -> u64 {
        self.first_number() + self.blocks.len() as u64
    }

    fn next_id(&mut self) -> u64 {
        self.counter += 1;
        self.counter
    }

    fn mine(&mut self, transactions: u8, without_parent: bool) {
        let number = self.next_number();
        let block_hash = hash(0xb0, self.next_id());
        let parent = self.head_hash().filter(|_| !without_parent);
        let parent_hash = parent.map_or_else(|| hash(0, 0), str::to_owned);
        let transactions =
            (0..transactions).map(|index| self.transaction(number, &block_hash, index));
        let transactions = transactions.collect();
        let block = SimulatedBlock { number, hash: block_hash, parent_hash, transactions };
        self.blocks.push(Arc::new(block));
    }

    /// Makes a payment, the creation of a contract, a transfer of a token, or a failing call.
    fn transaction(&mut self, number: u64, block_hash: &str, index: u8) -> SimulatedTransaction {
        let id = self.next_id();
        let kind = (id / 2) % 4;
        let has_failed = kind == 3;
        let (hash, from) = (hash(0x77, id), address(id % 3));
        let to = match kind {
            0 => address(30 + id % 3),
            1 => address(100 + id),
            _ => address(10 + id % 3),
        };
        let topic = |n: u64| Value::from(hash_of_address(&address(n)));
        let transfer = json!({
            "address": to,
            "topics": [TRANSFER_TOPIC, topic(id % 3), topic(3 + id % 3)],
            "data": format!("0x{id:064x}"),
        });
        let receipt = json!({
            "transactionHash": hash,
            "blockHash": block_hash,
            "blockNumber": quantity(number),
            "transactionIndex": quantity(index.into()),
            "status": quantity(u64::from(!has_failed)),
            "gasUsed": quantity(21_000 + 1_000 * kind),
            "effectiveGasPrice": "0x7",
            "contractAddress": (kind == 1).then_some(&to),
            "logs": if kind == 2 { vec![transfer] } else { Vec::new() },
        });
        let sent = json!({
            "hash": hash,
            "from": from,
            "to": (kind != 1).then_some(&to),
            "nonce": quantity(id),
            "value": quantity(id),
            "gas": "0x30000",
            "gasPrice": "0x9",
            "input": if kind == 0 { "0x" } else { "0x12345678" },
            "type": "0x2",
        });
        let inner = (0..id % 3).map(|n| SimulatedCall {
            from: to.clone(),
            to: address(20 + n),
            error: (n == 1).then_some("out of gas"),
        });
        let root = SimulatedCall { from, to: to.clone(), error: has_failed.then_some("Reverted") };
        let calls = if kind == 0 { vec![root] } else { [root].into_iter().chain(inner).collect() };
        SimulatedTransaction { hash, sent, receipt, calls }
    }

    fn cut(&mut self, length: usize) {
        self.blocks.truncate(length.max(1));
        self.first_kept = self.first_kept.min(self.next_number());
    }

    /// Begins another run from the first block, or from that of a fork.
    fn begin_run(&mut self, fork_block: Option<u64>) {
        self.run += 1;
        self.is_probed = false;
        self.snapshots.clear();
        self.first_kept = 0;
        if fork_block.is_some() || self.fork_block.is_some() {
            self.blocks.clear();
        }
        self.fork_block = fork_block;
        self.cut(1);
        if self.blocks.is_empty() {
            self.mine(0, false);
        }
    }

    pub(crate) fn apply(&mut self, operation: NodeOperation) {
        match operation {
            NodeOperation::Mine(transactions) => self.mine(transactions, false),
            NodeOperation::MineMany(count) => {
                let is_hardhat =
                    matches!(self.personality, Personality::Hardhat2 | Personality::Hardhat3);
                (0..count).for_each(|n| self.mine(0, is_hardhat && n > 0 && n + 1 < count));
            }
            NodeOperation::Snapshot => self.snapshots.push(self.blocks.clone()),
            NodeOperation::Revert(index) => {
                if let Some(last) = self.snapshots.len().checked_sub(1) {
                    self.snapshots.truncate(usize::from(index).min(last) + 1);
                    let kept = self.snapshots.pop().map_or(0, |blocks| blocks.len());
                    self.cut(kept);
                }
            }
            NodeOperation::Replace(depth) => {
                let kept = self.blocks.len().saturating_sub(depth.into());
                let gone = self.blocks.len() - kept.max(1);
                self.snapshots.retain(|blocks| blocks.len() <= kept);
                self.cut(kept);
                (0..gone).for_each(|n| self.mine(u8::try_from(n % 3).unwrap(), false));
            }
            NodeOperation::Reset => self.begin_run(self.fork_block),
            NodeOperation::Restart { same_genesis } => {
                if !same_genesis {
                    self.blocks.clear();
                }
                self.begin_run(None);
            }
            NodeOperation::Fork(at) => {
                // The others do not tell that they forked.
                let tells = !matches!(self.personality, Personality::Ganache | Personality::Geth);
                self.begin_run(tells.then_some(at.into()));
            }
            NodeOperation::Forget(kept) => {
                let first_kept = self.next_number().saturating_sub(kept.into());
                self.first_kept = self.first_kept.max(first_kept);
            }
            NodeOperation::Lie(lie) => self.lie = Some(lie),
        }
    }

    fn block(&self, number: u64) -> Option<&Arc<SimulatedBlock>> {
        let index = number.checked_sub(self.first_number())?;
        self.blocks.get(usize::try_from(index).ok()?)
    }

    /// Returns the transactions that the node has not forgotten.
    fn kept<'a>(&self, block: &'a SimulatedBlock) -> &'a [SimulatedTransaction] {
        if block.number < self.first_kept { &[] } else { &block.transactions }
    }

    /// Accounts that are only paid have none.
    fn code(&self, address: &Value) -> &'static str {
        let mut sent = self.blocks.iter().flat_map(|block| &block.transactions);
        let is_called = sent.any(|it| {
            it.receipt["contractAddress"] == *address
                || (it.sent["to"] == *address && it.sent["input"] != "0x")
        });
        if is_called { "0x00" } else { "0x" }
    }

    fn find(&self, params: &Value) -> Option<&SimulatedTransaction> {
        let mut kept = self.blocks.iter().flat_map(|block| self.kept(block));
        kept.find(|it| params[0] == *it.hash)
    }

    fn block_json(&self, block: &SimulatedBlock, is_whole: bool) -> Value {
        let kept = self.kept(block).iter();
        let transactions: Value = kept
            .map(|it| if is_whole { it.sent.clone() } else { it.hash.clone().into() })
            .collect();
        let is_empty = block.transactions.is_empty();
        json!({
            "number": quantity(block.number),
            "hash": block.hash,
            "parentHash": block.parent_hash,
            "timestamp": quantity(1_700_000_000 + block.number),
            "gasUsed": if is_empty { "0x0" } else { "0x5208" },
            "transactionsRoot": if is_empty { EMPTY_ROOT.to_owned() } else { hash(0xcc, 1) },
            "transactions": transactions,
        })
    }

    pub(crate) fn answer(&mut self, method: &str, params: &Value) -> Value {
        if let Some((wait, operation)) = self.history.front_mut() {
            if let Some(less) = wait.checked_sub(1) {
                *wait = less;
            } else {
                let operation = *operation;
                self.history.pop_front();
                self.apply(operation);
            }
        }
        let number = params[0].as_str().and_then(|text| text.strip_prefix("0x"));
        let number = number.and_then(|digits| u64::from_str_radix(digits, 16).ok());
        let is_of_block = !params.is_null() && params[0].as_str().is_some_and(|it| it.len() < 20);
        if is_of_block
            && self.told_run == Some(self.run)
            && number <= self.fork_block
            && number.is_some()
        {
            self.violations.push(format!("asked for {method} of the forked block {params}"));
        }
        let lie = if self.is_probed { self.lie.take() } else { None };
        match lie {
            None => self.honest_answer(method, params, number),
            Some(Lie::Null) => json!({ "result": null }),
            Some(Lie::EmptyObject) => json!({ "result": {} }),
            Some(Lie::EmptyList) => json!({ "result": [] }),
            Some(Lie::Refusal) => error(-32000, "not now"),
            Some(Lie::OtherBlock) => {
                if params[0] == "latest" {
                    self.tell_head(); // blocks that are compared with this one were there now
                }
                let head = self.next_number().saturating_sub(1);
                let other = number.unwrap_or(head).saturating_sub(1);
                let mut params = params.clone();
                if let Some(first) = params.get_mut(0) {
                    *first = quantity(other);
                }
                self.honest_answer(method, &params, Some(other))
            }
        }
    }

    fn honest_answer(&mut self, method: &str, params: &Value, number: Option<u64>) -> Value {
        use Personality::{Anvil, Ganache, Geth, Hardhat2, Hardhat3};
        let block = number.and_then(|number| self.block(number).cloned());
        match (method, self.personality) {
            ("eth_chainId", _) => json!({ "result": "0x7a69" }),
            ("web3_clientVersion", _) => json!({ "result": "simulated" }),
            ("hardhat_metadata", Anvil | Hardhat2 | Hardhat3) => self.tell_run(),
            ("eth_getBlockByNumber", _) if params[0] == "latest" => self.tell_head(),
            ("eth_getBlockByNumber", _) => {
                json!({ "result": block.map(|it| self.block_json(&it, params[1] == true)) })
            }
            ("eth_getBlockReceipts", Anvil | Geth) => {
                let receipts = |it: Arc<SimulatedBlock>| -> Value {
                    self.kept(&it).iter().map(|it| it.receipt.clone()).collect()
                };
                json!({ "result": block.map(receipts) })
            }
            ("eth_getCode", _) => json!({ "result": self.code(&params[0]) }),
            ("eth_getTransactionReceipt", _) => {
                json!({ "result": self.find(params).map(|it| &it.receipt) })
            }
            ("trace_block", Anvil) => {
                let of_block = block.iter().flat_map(|block| self.kept(block));
                json!({ "result": of_block.flat_map(SimulatedTransaction::flat_calls).collect::<Value>() })
            }
            ("debug_traceTransaction", _) => self.trace(params),
            (_, Ganache) => error(
                -32700,
                &format!("The method {method} does not exist/is not available at Map.<anonymous>"),
            ),
            (_, Hardhat2 | Hardhat3) => error(-32004, &format!("Method {method} is not supported")),
            (_, Anvil | Geth) => error(-32601, "Method not found"),
        }
    }

    fn trace(&mut self, params: &Value) -> Value {
        use Personality::{Anvil, Ganache, Geth, Hardhat2, Hardhat3};
        let tracer = params[1]["tracer"].as_str().map(str::to_owned);
        self.is_probed |= tracer.as_deref() == Some("prestateTracer");
        let Some(transaction) = self.find(params) else {
            return match self.personality {
                Anvil => json!({ "result": { "failed": false, "gas": 0, "structLogs": [] } }),
                Hardhat2 => error(-32602, "Unable to find a block containing transaction"),
                _ => error(-32000, "transaction not found"),
            };
        };
        let steps = transaction.calls.len() - 1 + usize::from(transaction.sent["input"] != "0x");
        let struct_logs = json!({
            "gas": 21_000 + 10_000 * steps,
            "failed": false,
            "structLogs": vec![json!({ "op": "STOP" }); steps],
        });
        match (tracer.as_deref(), self.personality) {
            (Some("flatCallTracer"), Hardhat3) => {
                json!({ "result": transaction.flat_calls().collect::<Value>() })
            }
            (Some("callTracer"), Anvil | Hardhat3 | Geth) => {
                json!({ "result": transaction.nested_calls() })
            }
            (Some(_), Anvil | Hardhat3) => json!({ "result": {} }),
            (Some(_), Geth) => error(-32000, "tracer not found"),
            (Some(_), Hardhat2) => error(
                -32602,
                "Hardhat currently only supports the default tracer, so no tracer parameter should be passed.",
            ),
            (_, Ganache | Hardhat2) => json!({ "result": struct_logs }),
            (None, _) => json!({ "result": { "failed": false, "gas": 0, "structLogs": [] } }),
        }
    }

    fn tell_run(&mut self) -> Value {
        self.told_run = Some(self.run);
        let fork = self.fork_block.map(|block| {
            json!({ "chainId": 1, "forkBlockNumber": block, "forkBlockHash": hash(0xf0, block) })
        });
        json!({ "result": { "instanceId": hash(0x1d, self.run), "forkedNetwork": fork } })
    }

    /// Tells the head, after a look at what was published since it was told last.
    fn tell_head(&mut self) -> Value {
        let published = self.watch.as_mut().and_then(IndexWatch::take_changed);
        let checked = self.checked.as_ref().map(|it| &it.segments);
        // An error leaves what was published before.
        if let Some(published) = published
            && checked.is_none_or(|checked| !Arc::ptr_eq(checked, &published.segments))
        {
            self.check_published(&published);
            self.checked = Some(published);
        }
        self.told_blocks.clone_from(&self.blocks);
        let head = self.blocks.last().map(|block| self.block_json(block, false));
        json!({ "result": head })
    }

    /// Checks that all rows are of blocks that were there when the head was told last.
    fn check_published(&mut self, published: &Snapshot) {
        let first = self.told_blocks.first().map_or(0, |block| block.number);
        let told =
            |number: u64| self.told_blocks.get(usize::try_from(number.checked_sub(first)?).ok()?);
        let mut violations = Vec::new();
        for segment in &*published.segments {
            for block in segment.blocks.get().unwrap() {
                if told(block.number).is_none_or(|told| told.hash != block.hash.to_string()) {
                    violations.push(format!("published block {} that is gone", block.number));
                }
            }
            for row in segment.transactions.get().unwrap() {
                let block = told(row.block_number);
                let mut hashes = block.iter().flat_map(|it| &it.transactions).map(|it| &it.hash);
                if !hashes.any(|hash| *hash == row.hash.to_string()) {
                    violations.push(format!(
                        "published a transaction of {} that is gone",
                        row.block_number
                    ));
                }
            }
        }
        self.violations.extend(violations);
    }
}

impl SimulatedTransaction {
    fn flat_calls(&self) -> impl Iterator<Item = Value> {
        self.calls.iter().enumerate().map(|(n, call)| {
            let path = n.checked_sub(1).map_or_else(Vec::new, |index| vec![index]);
            json!({
                "action": { "from": call.from, "to": call.to, "value": "0x1", "gas": "0x9", "callType": "call" },
                "type": "call",
                "error": call.error,
                "traceAddress": path,
                "transactionHash": self.hash,
            })
        })
    }

    fn nested_calls(&self) -> Value {
        let json = |call: &SimulatedCall| {
            json!({
                "type": "CALL",
                "from": call.from,
                "to": call.to,
                "value": "0x1",
                "gas": "0x9",
                "error": call.error,
            })
        };
        let mut root = json(&self.calls[0]);
        root["calls"] = self.calls[1..].iter().map(json).collect();
        root
    }
}

const TRANSFER_TOPIC: &str = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
const EMPTY_ROOT: &str = "0x56e81f171bcc55a6ff8345e692c0f86e5b48e01b996cadc001622fb5e363b421";

fn hash_of_address(address: &str) -> String {
    format!("0x{:0>64}", &address[2..])
}

pub(crate) fn client_of(chain: &Arc<Mutex<SimulatedChain>>) -> RpcClient {
    let chain = Arc::clone(chain);
    simulated_client(move |method, params| chain.lock().unwrap().answer(method, params))
}
