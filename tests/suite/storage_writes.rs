//! 208 writes to storage: each changed variable has the name, type and values that the source gives it.
//!
//! `tests/nodes/run anvil hardhat3 hardhat2 ganache -- cargo test --locked --test suite storage_of_live_nodes
//! -- --ignored` compares them with what each node stores, and writes `target/storage-writes.jsonl`,
//! which is kept in `tests/data/node`. No other test may use the nodes then. The contract is
//! `tests/nodes/world/Storage.sol`.

use std::collections::{BTreeMap, BTreeSet};
use std::fs;
use std::sync::Arc;

use alloy_dyn_abi::{DynSolType, DynSolValue};
use alloy_primitives::{Address, B256, Bytes, I256, U256, hex, keccak256};
use chainglass::test_api::abi::{
    ChangedVariable, Project, ProjectContracts, StorageLayout, StorageShift,
};
use chainglass::test_api::demo_server::{ApiServer, ApiServerOptions};
use chainglass::test_api::indexer::{IndexLimits, NodeChain};
use chainglass::test_api::rpc::RpcClient;
use serde_json::{Value, json};
use tokio::task::JoinSet;

use crate::architecture::root;
use crate::artifacts::{rows, write};
use crate::demo_server_client::{ALICE, ServerClient};

/// Writes of each function.
const ROUNDS: u8 = 8;

/// A call, and the variables that it changes: path, type, value before and after.
struct Write {
    function: &'static str,
    arguments: Vec<String>,
    changed: BTreeSet<[String; 4]>,
}

/// The writes so far, with the values of all variables.
#[derive(Default)]
struct Writes {
    values: BTreeMap<String, String>,
    writes: Vec<Write>,
}

impl Writes {
    /// Adds a call with its effects: path, type and value of variables.
    fn add(
        &mut self,
        function: &'static str,
        arguments: &[&dyn ToString],
        effects: &[(&str, &str, &dyn ToString)],
    ) {
        let arguments = arguments.iter().map(|argument| argument.to_string()).collect();
        let mut changed = BTreeSet::new();
        for (path, ty, after) in effects {
            let after = after.to_string();
            let before = self.values.insert((*path).to_owned(), after.clone());
            let before = before.unwrap_or_else(|| initial(ty));
            if before != after {
                changed.insert([(*path).to_owned(), (*ty).to_owned(), before, after]);
            }
        }
        self.writes.push(Write { function, arguments, changed });
    }
}

fn initial(ty: &str) -> String {
    match ty {
        "string" => "\"\"".to_owned(),
        "bytes" => "0x".to_owned(),
        "bool" => "false".to_owned(),
        _ if ty.starts_with("bytes") => format!("0x{}", "00".repeat(ty[5..].parse().unwrap())),
        _ if ty.starts_with("address") || ty.starts_with("contract") => Address::ZERO.to_string(),
        _ => "0".to_owned(),
    }
}

/// A text of some letters, of which no 32 are the same in two rounds.
fn text(letters: usize, round: u8) -> String {
    let letters = (0..26_u8).cycle().take(letters).map(|index| (7 * index + round) % 26);
    letters.map(|letter| char::from(b'a' + letter)).collect()
}

fn hex_text(bytes: &[u8]) -> String {
    hex::encode_prefixed(bytes)
}

fn quoted(text: &str) -> String {
    format!("\"{text}\"")
}

fn writes() -> Vec<Write> {
    let mut all = Writes::default();
    for round in 0..ROUNDS {
        write_values(&mut all, round);
        write_texts(&mut all, round);
        write_mappings(&mut all, round);
        write_arrays(&mut all, round);
        push_elements(&mut all, round);
    }
    all.writes
}

fn person(number: u8) -> Address {
    Address::from_word(keccak256([number]))
}

fn write_values(all: &mut Writes, round: u8) {
    let sign = if round.is_multiple_of(2) { -1 } else { 1 };
    let (supply, start) = (u128::MAX - u128::from(round), u64::MAX / (u64::from(round) + 2));
    let (drift, open) = (sign * (i32::MAX - i32::from(round)), round.is_multiple_of(2));
    all.add(
        "setPacked(uint128,uint64,int32,bool)",
        &[&supply, &start, &drift, &open],
        &[
            ("supply", "uint128", &supply),
            ("start", "uint64", &start),
            ("drift", "int32", &drift),
            ("open", "bool", &open),
        ],
    );
    let (code, phase, fee) = (hex_text(&[0xab, round, 0xff]), round % 4, 250 + round % 5);
    all.add(
        "setSmall(bytes3,uint8,uint8)",
        &[&code, &phase, &fee],
        &[
            ("code", "bytes3", &code),
            ("phase", "enum Storage.Phase", &phase),
            ("fee", "uint8", &fee),
        ],
    );
    let (treasury, parent) = (person(round), person(100 + round));
    let debt = i128::from(sign) * ((1 << 95) - 1 - i128::from(round));
    all.add(
        "setAddresses(address,address,int96)",
        &[&treasury, &parent, &debt],
        &[
            ("treasury", "address payable", &treasury),
            ("parent", "contract Owned", &parent),
            ("debt", "int96", &debt),
        ],
    );
    let total = U256::MAX - U256::from(round);
    let balance = if round.is_multiple_of(2) { I256::MIN } else { I256::MAX };
    let root = keccak256(round.to_be_bytes());
    all.add(
        "setWords(uint256,int256,bytes32)",
        &[&total, &balance, &root],
        &[
            ("total", "uint256", &total),
            ("balance", "int256", &balance),
            ("root", "bytes32", &root),
        ],
    );
    let changes = (1_u128 << 96) - 1 - u128::from(round);
    all.add("setOwner(address)", &[&parent], &[("owner", "address", &parent)]);
    all.add("setChanges(uint96)", &[&changes], &[("changes", "uint96", &changes)]);
}

fn write_texts(all: &mut Writes, round: u8) {
    // Short and long ones, also of whole words.
    let title = text([5, 31, 32, 100, 33, 0, 64, 31][usize::from(round)], round);
    all.add("setTitle(string)", &[&title], &[("title", "string", &quoted(&title))]);
    let blob = text([70, 0, 31, 32, 1, 96, 40, 33][usize::from(round)], round);
    let blob = hex_text(blob.as_bytes());
    all.add("setBlob(bytes)", &[&blob], &[("blob", "bytes", &blob)]);
    let (holder, amount) = (person(round), 9 * (round + 1));
    let memo = text(20 + 5 * usize::from(round), round);
    let (x, y) = (-i64::from(round) - 1, i64::MAX - i64::from(round));
    let function = "setMain(address,uint96,int64,int64,string)";
    all.add(
        function,
        &[&holder, &amount, &x, &y, &memo],
        &[
            ("main.holder", "address", &holder),
            ("main.amount", "uint96", &amount),
            ("main.at.x", "int64", &x),
            ("main.at.y", "int64", &y),
            ("main.memo", "string", &quoted(&memo)),
        ],
    );
    let id = U256::MAX - U256::from(round);
    all.add("see(uint256)", &[&id], &[(&format!("main.seen[{id}]"), "bool", &true)]);
}

fn write_mappings(all: &mut Writes, round: u8) {
    let (holder, id, amount) = (person(round % 3), round % 2, 1_000 * (u64::from(round) + 1));
    let path = format!("balances[{holder}]");
    all.add("setBalance(address,uint256)", &[&holder, &amount], &[(&path, "uint256", &amount)]);
    let path = format!("allowances[{holder}][{id}]");
    all.add(
        "allow(address,uint256,uint128)",
        &[&holder, &id, &amount],
        &[(&path, "uint128", &amount)],
    );
    let (name, y) = (text(10 + 30 * usize::from(round % 2), round), -1 - i64::from(round));
    let account = format!("accounts[\"{name}\"]");
    let function = "setAccount(string,address,uint96,int64)";
    all.add(
        function,
        &[&name, &holder, &amount, &y],
        &[
            (&format!("{account}.holder"), "address", &holder),
            (&format!("{account}.amount"), "uint96", &amount),
            (&format!("{account}.at.y"), "int64", &y),
        ],
    );
    let tag = 100 + round;
    all.add(
        "tag(string,uint16)",
        &[&name, &tag],
        &[
            (&format!("{account}.tags.length"), "uint256", &1),
            (&format!("{account}.tags[0]"), "uint16", &tag),
        ],
    );
    let (selector, is_set) = (hex_text(&[round / 2, 0, 0, 0xff]), round.is_multiple_of(2));
    let path = format!("flags[{selector}]");
    all.add("setFlag(bytes4,bool)", &[&selector, &is_set], &[(&path, "bool", &is_set)]);
    let (key, note) = (i64::from(round) - 3, text(8 * usize::from(round) + 1, round));
    let path = format!("notes[{key}]");
    all.add("setNote(int16,string)", &[&key, &note], &[(&path, "string", &quoted(&note))]);
    let path = format!("counts[{}]", round % 4);
    all.add("setCount(uint8,uint64)", &[&(round % 4), &amount], &[(&path, "uint64", &amount)]);
    let count = round / 2;
    let path = format!("history[{}]", person(round % 2));
    all.add(
        "record(address,uint32)",
        &[&person(round % 2), &amount],
        &[
            (&format!("{path}.length"), "uint256", &(count + 1)),
            (&format!("{path}[{count}]"), "uint32", &amount),
        ],
    );
}

fn write_arrays(all: &mut Writes, round: u8) {
    let (index, small, odd) = (5 * round, 255 - round, 0xff_ffff - u32::from(round));
    all.add(
        "setElements(uint256,uint8,uint24)",
        &[&index, &small, &odd],
        &[
            (&format!("small[{index}]"), "uint8", &small),
            (&format!("odd[{}]", index % 7), "uint24", &odd),
        ],
    );
    let (row, column) = (round % 4, round % 3);
    let path = format!("table[{row}][{column}]");
    all.add(
        "setTable(uint256,uint256,uint8)",
        &[&row, &column, &small],
        &[(&path, "uint8", &small)],
    );
    let (index, x, y) = (round % 5, -i64::from(round) - 1, 70 + round);
    all.add(
        "setPoint(uint256,int64,int64)",
        &[&index, &x, &y],
        &[
            (&format!("points[{index}].x"), "int64", &x),
            (&format!("points[{index}].y"), "int64", &y),
            (&format!("words[{}]", index % 3), "uint256", &y),
        ],
    );
}

fn push_elements(all: &mut Writes, round: u8) {
    let (x, y) = (-i64::from(round) - 1, 70 + round);
    let (length, number, hash) = (round + 1, 60_000 + u16::from(round), keccak256([round]));
    all.add(
        "push(uint16,bytes32)",
        &[&number, &hash],
        &[
            ("list.length", "uint256", &length),
            (&format!("list[{round}]"), "uint16", &number),
            ("roots.length", "uint256", &length),
            (&format!("roots[{round}]"), "bytes32", &hash),
        ],
    );
    all.add(
        "go(int64,int64)",
        &[&x, &y],
        &[
            ("path.length", "uint256", &length),
            (&format!("path[{round}].x"), "int64", &x),
            (&format!("path[{round}].y"), "int64", &y),
        ],
    );
    let name = text(25 * usize::from(round % 3) + 3, round);
    all.add(
        "name(string)",
        &[&name],
        &[
            ("names.length", "uint256", &length),
            (&format!("names[{round}]"), "string", &quoted(&name)),
        ],
    );
    let (row, column) = (round / 3, round % 3);
    all.add(
        "extend(uint256,uint256)",
        &[&row, &number],
        &[
            ("grid.length", "uint256", &(row + 1)),
            (&format!("grid[{row}].length"), "uint256", &(column + 1)),
            (&format!("grid[{row}][{column}]"), "uint256", &number),
        ],
    );
    let path = format!("balances[{}]", person(50));
    all.add("setBalance(address,uint256)", &[&person(50), &y], &[(&path, "uint256", &y)]);
}

fn contracts() -> Value {
    let json = fs::read_to_string(root().join("tests/nodes/world/Storage.json")).unwrap();
    serde_json::from_str(&json).unwrap()
}

#[test]
fn writes_are_of_all_kinds() {
    let contracts = contracts();
    let functions: BTreeSet<_> = writes().iter().map(|write| write.function).collect();
    let compiled = contracts["Storage"]["selectors"].as_object().unwrap().keys();
    assert_eq!(functions, compiled.map(String::as_str).collect());
    assert_eq!(writes().len(), 208);
    let variables = contracts["Storage"]["layout"]["storage"].as_array().unwrap().clone();
    for variable in variables {
        let label = variable["label"].as_str().unwrap();
        let is_of = |path: &str| path.split(['.', '[']).next() == Some(label);
        let mut changed = writes().into_iter().flat_map(|write| write.changed);
        assert!(changed.any(|[path, ..]| is_of(&path)), "{label}");
    }
}

#[test]
fn changed_variables_are_those_of_the_source() {
    let layout = StorageLayout::parse(&contracts()["Storage"]["layout"].to_string()).unwrap();
    let recorded = rows("storage-writes.jsonl.gz");
    assert_eq!(recorded.len(), writes().len());
    for (write, recorded) in writes().into_iter().zip(recorded) {
        let slots: BTreeMap<U256, [U256; 2]> =
            serde_json::from_value(recorded["slots"].clone()).unwrap();
        let shift =
            |(slot, [before, after]): (U256, [U256; 2])| (slot, StorageShift { before, after });
        let slots = slots.into_iter().map(shift).collect();
        let preimages: Vec<Bytes> = serde_json::from_value(recorded["preimages"].clone()).unwrap();
        let found = layout.changed_variables(&slots, &preimages);
        let row = |one: &ChangedVariable| {
            let ChangedVariable { path, type_name, before, after, .. } = one;
            [path, type_name, before, after].map(ToString::to_string)
        };
        let changed: BTreeSet<_> = found.variables.iter().map(row).collect();
        assert_eq!((changed, found.unnamed.len()), (write.changed, 0), "{}", write.function);
    }
}

impl Write {
    fn calldata(&self) -> String {
        let (_, types) = self.function.split_once('(').unwrap();
        let types = types.strip_suffix(')').unwrap().split(',');
        let values = types.zip(&self.arguments).map(|(ty, argument)| {
            let ty = DynSolType::parse(ty).unwrap();
            match ty {
                DynSolType::String => DynSolValue::String(argument.clone()),
                ty => ty.coerce_str(argument).unwrap(),
            }
        });
        let values = DynSolValue::Tuple(values.collect()).abi_encode_params();
        hex_text(&[&keccak256(self.function)[..4], &values].concat())
    }
}

/// A node with the contract behind a proxy.
struct StorageNode {
    client: RpcClient,
    proxy: String,
}

impl StorageNode {
    async fn deploy(url: &str, contracts: &Value) -> Self {
        let url: url::Url = url.parse().unwrap();
        let client = RpcClient::new(url.try_into().unwrap()).unwrap();
        let mut node = Self { client, proxy: String::new() };
        node.mine_on_request().await;
        let code = contracts["Storage"]["code"].as_str().unwrap();
        let deployed = node.send(Value::Null, code).await;
        let implementation = deployed["contractAddress"].as_str().unwrap();
        let code = contracts["StorageProxy"]["code"].as_str().unwrap();
        let code = format!("{code}{:0>64}", &implementation[2..]);
        let deployed = node.send(Value::Null, &code).await;
        deployed["contractAddress"].as_str().unwrap().clone_into(&mut node.proxy);
        node
    }

    async fn call(&self, method: &'static str, params: Value) -> Value {
        self.client.call(method, params).await.unwrap()
    }

    /// Mines on request only: a block for each transaction, however slow the node is.
    async fn mine_on_request(&self) {
        let stopped: Result<Value, _> = self.client.call("evm_setAutomine", json!([false])).await;
        if stopped.is_err() {
            self.call("miner_stop", json!([])).await; // ganache
        }
    }

    /// Mines a transaction, and returns its receipt.
    async fn send(&self, to: Value, data: &str) -> Value {
        let sent = json!([{ "from": ALICE, "to": to, "data": data, "gas": "0x4c4b40" }]);
        let hash = self.call("eth_sendTransaction", sent).await;
        self.call("evm_mine", json!([])).await;
        for _ in 0..4_000 {
            let receipt = self.call("eth_getTransactionReceipt", json!([hash])).await;
            if !receipt.is_null() {
                assert_eq!(receipt["status"], "0x1", "{receipt}");
                return receipt;
            }
            tokio::time::sleep(std::time::Duration::from_millis(5)).await;
        }
        panic!("{hash} is not mined at {}", self.client.url().expose());
    }

    async fn word(&self, slot: U256, block: u64) -> U256 {
        let params = json!([self.proxy, B256::from(slot), format!("{block:#x}")]);
        parse_word(&self.call("eth_getStorageAt", params).await)
    }

    /// The content of a string or bytes.
    async fn content(&self, slot: U256, block: u64) -> Vec<u8> {
        let word = self.word(slot, block).await;
        if !word.bit(0) {
            let bytes = word.to_be_bytes::<32>();
            return bytes[..usize::from(bytes[31]) / 2].to_vec();
        }
        let length = usize::try_from(word >> 1).unwrap();
        let first = U256::from_be_bytes(keccak256(B256::from(slot)).0);
        let mut content = Vec::new();
        for part in 0..length.div_ceil(32) {
            let word = self.word(first + U256::from(part), block).await;
            content.extend(word.to_be_bytes::<32>());
        }
        content.truncate(length);
        content
    }

    /// Compares a row with what the node stores.
    async fn check(&self, row: &Value, block: u64) {
        let slot = parse_word(&row["slot"]);
        let ty = row["variable_type"].as_str().unwrap();
        for (block, word, value) in
            [(block - 1, "word_before", "stored_before"), (block, "word_after", "stored_after")]
        {
            let stored = self.word(slot, block).await;
            assert_eq!(row[word], B256::from(stored).to_string(), "{row}");
            let value = row[value].as_str().unwrap();
            if ty == "string" || ty == "bytes" {
                let content = self.content(slot, block).await;
                let shown = if ty == "bytes" {
                    hex_text(&content)
                } else {
                    quoted(&String::from_utf8(content).unwrap())
                };
                assert_eq!(value, shown, "{row}");
            } else {
                let digits = digits(ty, value);
                assert!(hex::encode(B256::from(stored)).contains(&digits), "{row}");
            }
        }
    }
}

/// The digits of a value in its slot.
fn digits(ty: &str, value: &str) -> String {
    let bits = |name: &str| ty.strip_prefix(name).and_then(|bits| bits.parse::<usize>().ok());
    match ty {
        "bool" => (if value == "true" { "01" } else { "00" }).to_owned(),
        _ if ty.starts_with("enum") => format!("{:02x}", value.parse::<u8>().unwrap()),
        _ if let Some(bits) = bits("uint") => {
            format!("{:0>1$x}", value.parse::<U256>().unwrap(), bits / 4)
        }
        _ if let Some(bits) = bits("int") => {
            let word = value.parse::<I256>().unwrap().into_raw();
            format!("{word:064x}")[64 - bits / 4..].to_owned()
        }
        _ => value.trim_start_matches("0x").to_lowercase(),
    }
}

/// Parses a word. Ganache answers `0x` for an empty slot.
fn parse_word(word: &Value) -> U256 {
    let digits = word.as_str().unwrap().trim_start_matches("0x");
    if digits.is_empty() { U256::ZERO } else { U256::from_str_radix(digits, 16).unwrap() }
}

/// The words before and after of each changed slot.
fn changed_slots(diff: &Value, contract: &str) -> BTreeMap<String, [String; 2]> {
    let mut slots = BTreeMap::<String, [String; 2]>::new();
    for (index, state) in ["pre", "post"].into_iter().enumerate() {
        let storage = diff[state][contract.to_lowercase()]["storage"].as_object();
        for (slot, word) in storage.into_iter().flatten() {
            let words = slots.entry(slot.clone()).or_insert(["0x0", "0x0"].map(str::to_owned));
            word.as_str().unwrap().clone_into(&mut words[index]);
        }
    }
    slots
}

/// The inputs of hashes in the steps of a transaction.
fn preimages(steps: &Value) -> BTreeSet<String> {
    let hashes = steps["structLogs"].as_array().unwrap().iter().filter(|step| {
        let op = step["op"].as_str().unwrap();
        op == "KECCAK256" || op == "SHA3"
    });
    let preimage = |step: &Value| {
        let memory: String = step["memory"]
            .as_array()
            .unwrap()
            .iter()
            .map(|word| word.as_str().unwrap().trim_start_matches("0x"))
            .collect();
        let stack = step["stack"].as_array().unwrap();
        let top = |depth: usize| usize::try_from(parse_word(&stack[stack.len() - depth])).unwrap();
        format!("0x{}", &memory[2 * top(1)..2 * (top(1) + top(2))])
    };
    hashes.map(preimage).collect()
}

#[tokio::test(flavor = "multi_thread")]
#[ignore = "needs nodes: see the top of this file"]
async fn storage_of_live_nodes_is_named_by_the_layout() {
    let contracts = contracts();
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "foundry.toml", "");
    for name in ["Storage", "StorageProxy"] {
        let compiled = &contracts[name];
        let artifact = json!({
            "abi": [], "bytecode": { "object": compiled["code"] },
            "deployedBytecode": { "object": compiled["runtime"] },
            "storageLayout": compiled["layout"],
        });
        write(folder.path(), &format!("out/Storage.sol/{name}.json"), &artifact.to_string());
    }
    let mut checks = JoinSet::new();
    for node in ["ANVIL_URL", "HARDHAT3_URL", "HARDHAT2_URL", "GANACHE_URL"] {
        let Ok(url) = std::env::var(node) else { continue };
        let project = ProjectContracts::new(Project::find(folder.path()).unwrap());
        let contracts = contracts.clone();
        checks.spawn(async move {
            assert_eq!(check_writes(&url, &contracts, project).await, 426, "{node}");
        });
    }
    checks.join_all().await;
}

/// Compares the state changes of all writes with the source and the node. Returns the number of rows.
async fn check_writes(url: &str, contracts: &Value, project: ProjectContracts) -> usize {
    let node = StorageNode::deploy(url, contracts).await;
    let chain = NodeChain::follow(node.client.clone(), IndexLimits::default());
    let chain = chain.with_project(Some(Arc::new(project)));
    let server = ApiServer::start(Arc::new(chain), ApiServerOptions::default()).await.unwrap();
    let server = Arc::new(ServerClient::new(server));
    let (mut checked, mut recorded) = (0, Vec::new());
    let records = std::env::var("HARDHAT3_URL").is_ok_and(|recorded| recorded == url);
    for one in writes() {
        let receipt = node.send(json!(node.proxy), &one.calldata()).await;
        let hash = receipt["transactionHash"].as_str().unwrap().to_owned();
        let items = storage_items(&server, &hash).await;
        let row = |item: &Value| {
            ["variable", "variable_type", "stored_before", "stored_after"]
                .map(|key| item[key].as_str().unwrap_or_else(|| panic!("{item}")).to_owned())
        };
        let changed: BTreeSet<_> = items.iter().map(row).collect();
        assert_eq!(changed, one.changed, "{url}: {}", one.function);
        let block = parse_word(&receipt["blockNumber"]).to();
        for item in &items {
            node.check(item, block).await;
        }
        checked += items.len();
        if records {
            let diff = json!({ "tracer": "prestateTracer", "tracerConfig": { "diffMode": true } });
            let diff = node.call("debug_traceTransaction", json!([hash, diff])).await;
            let steps = json!([hash, { "enableMemory": true }]);
            let steps = node.call("debug_traceTransaction", steps).await;
            let slots = changed_slots(&diff, &node.proxy);
            recorded.push(json!({ "slots": slots, "preimages": preimages(&steps) }).to_string());
        }
    }
    if records {
        fs::write(root().join("target/storage-writes.jsonl"), recorded.join("\n") + "\n").unwrap();
    }
    checked
}

async fn storage_items(server: &Arc<ServerClient>, hash: &str) -> Vec<Value> {
    let (server, hash) = (Arc::clone(server), hash.to_owned());
    let ask = move || {
        let transaction = format!("/api/v2/transactions/{hash}");
        for _ in 0..500 {
            if server.json(&transaction)["block_number"].is_u64() {
                break;
            }
            std::thread::sleep(std::time::Duration::from_millis(10));
        }
        server.all_items(&format!("{transaction}/state-changes"), "")
    };
    let items = tokio::task::spawn_blocking(ask).await.unwrap();
    items.into_iter().filter(|item| item["type"] == "storage").collect()
}
