//! The `trace` command: output formats on the demo chain, and errors.

use std::io::Read;
use std::process::{Command, Output, Stdio};

use chainglass::test_api::chain::Address;
use serde_json::Value;

use crate::artifacts::project;
use crate::demo_items::{CREATE_AND_DESTROY, SWALLOW_ALL, SWAP, SWAP_SLIPPAGE, TREE_11_2};
use crate::failure_lines::{CATCH_ALL, CUSTOM, NOTHING, node as node_with_steps};
use crate::fake_server::{Behavior, FakeServer, fake_server, json, page, scripted};
use crate::scripted_node::{recorded_block, recorded_node};

const PROGRAM: &str = env!("CARGO_BIN_EXE_chainglass");
/// A verified contract of the demo chain.
const BANK: &str = "0xa7918D253764E42d60C3ce2010a34d5a1e7C1398";

/// The program with a subcommand, without the user's settings.
fn program_on(chain: &str, args: &[&str]) -> Command {
    let mut program = Command::new(PROGRAM);
    program.args(["--chain", chain]).args(args);
    program
        .env("LC_ALL", "C.UTF-8")
        .env_remove("CHAINGLASS_CHAIN")
        .env("XDG_CONFIG_HOME", "/nonexistent")
        .env("XDG_STATE_HOME", crate::session::UNUSABLE_DIR);
    program.env("XDG_CACHE_HOME", crate::session::UNUSABLE_DIR);
    program
}

fn program(chain: &str, args: &[&str]) -> Command {
    program_on(chain, &[&["trace"], args].concat())
}

fn run(chain: &str, args: &[&str]) -> Output {
    program(chain, args).output().unwrap()
}

/// The program's stdout.
fn stdout(args: &[&str]) -> String {
    let output = run("demo", args);
    assert!(output.status.success(), "{args:?}: {}", stderr(&output));
    String::from_utf8(output.stdout).unwrap()
}

/// The program's stderr.
fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn demo_traces_in_every_output_format() {
    for (name, hash) in [("create_and_destroy", CREATE_AND_DESTROY), ("swallow_all", SWALLOW_ALL)] {
        let tree = stdout(&[hash, "--format", "tree"]);
        insta::assert_snapshot!(format!("trace_{name}_tree"), tree);
    }
    for format in ["jsonl", "folded", "speedscope"] {
        let exported = stdout(&[SWALLOW_ALL, "--format", format]);
        insta::assert_snapshot!(format!("trace_swallow_all_{format}"), exported);
    }
    assert_eq!(stdout(&[SWAP_SLIPPAGE]), stdout(&[SWAP_SLIPPAGE, "--format", "tree"]));
}

#[test]
fn events_of_a_proxy_are_in_its_delegatecall() {
    for (hash, events) in [
        // A vault behind a proxy, and a minimal proxy.
        (
            "0x9e0d0a7d4435f074b1d1b8e9cca4278d273a8de6ed80ddde91bfad7f4f053dda",
            [0, 2, 0, 0, 0, 1].as_slice(),
        ),
        ("0xf839164045a00fbb386c84a766fab5c86029b6b00dea8545911dbb3dd94870ca", &[0, 1]),
    ] {
        let exported = stdout(&[hash, "--format", "jsonl", "--events"]);
        let calls: Vec<Value> =
            exported.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
        let of_call = |call: &Value| call["events"].as_array().unwrap().clone();
        assert_eq!(calls.iter().map(|call| of_call(call).len()).collect::<Vec<_>>(), events);
        assert!(calls.iter().flat_map(of_call).all(|event| event["is_placed"] == true));
    }
}

#[test]
fn contract_is_printed_as_sent() {
    let output = program_on("demo", &["get", "contract", BANK]).output().unwrap();
    let contract: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!((&contract["name"], &contract["file_path"]), (&"Bank".into(), &"Defi.sol".into()));
}

#[test]
fn storage_of_a_contract_is_read_or_says_why_not() {
    let address = "0x261d8c5e9742e6f7f1076fa1f560894524e19cad";
    let read_slot = |slot: &str, block: &str| {
        program_on("demo", &["get", "storage", address, slot, "--block", block]).output().unwrap()
    };
    let output = read_slot("2", "5");
    let read: Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(read["word"], "0x0000000000000000000000005fbdb2315678afecb367f032d93f642f64180aa3");
    for (slot, block, why) in [
        ("0", "999", "no block 999 yet"),
        ("3[0x2a]", "5", "not an address, a number, 32 bytes or"),
    ] {
        let output = read_slot(slot, block);
        let errors = stderr(&output);
        assert!(errors.contains(why) && output.stdout.is_empty(), "{errors}");
        assert!(!output.status.success());
    }
}

/// Returns the storage that `get storage` prints of an explorer with this answer for contracts, and its server.
fn storage_with(contract: fn() -> Behavior, slots: &[&str]) -> (Output, FakeServer) {
    let server = fake_server(move |request, _| match request.path() {
        path if path.contains("/smart-contracts/") => contract(),
        path if path.ends_with("/indexing-status") => {
            json(200, r#"{"finished_indexing_blocks":true,"indexed_blocks_ratio":"1.00"}"#)
        }
        _ => json(200, r#"{"id":1,"result":"0x07"}"#),
    });
    let url = format!("http://localhost:{}", server.base().port().unwrap());
    let args = [&["get", "storage", BANK], slots].concat();
    (program_on(&url, &args).output().unwrap(), server)
}

#[test]
fn storage_layouts_of_an_explorer_are_not_looked_for() {
    let many_behind = || {
        let one = |n: usize| format!(r#"{{"address_hash":"{n:#042x}"}}"#);
        let behind: Vec<String> = (1..=30).map(one).collect();
        json(200, format!(r#"{{"implementations":[{}]}}"#, behind.join(",")))
    };
    let (output, server) = storage_with(many_behind, &["0"]);
    assert!(output.status.success(), "{}", stderr(&output));
    let requests = server.requests();
    let contracts = requests.iter().filter(|request| request.path().contains("/smart-contracts/"));
    assert_eq!(contracts.count(), 1, "the contract itself");
}

#[test]
fn outage_is_no_contract_without_a_layout() {
    let (output, _) = storage_with(|| json(403, r#"{"message":"Forbidden"}"#), &[]);
    let errors = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{errors}");
    assert!(errors.contains("403") && !errors.contains("layout"), "{errors}");
}

#[test]
fn names_are_asked_for_on_demand() {
    let named = stdout(&[SWAP_SLIPPAGE, "--names"]);
    assert!(named.contains("Router [0xCE3478A9E0167a6Bc5716DC39DbbbfAc38F27623].swap"), "{named}");
    assert!(named.contains("Slippage("), "{named}");
    assert!(!stdout(&[SWAP_SLIPPAGE]).contains("Router ["));
}

/// The amounts of two pools: a small one and one of 101 bits.
#[test]
fn results_of_an_unknown_function_are_written_alike() {
    let trace = stdout(&[SWAP]);
    let results: Vec<&str> = trace
        .lines()
        .filter_map(|line| line.split_once(".0x8f79306e(64 bytes) → "))
        .map(|(_, result)| result)
        .collect();
    assert!(results.contains(&"248156061429"), "{trace}");
    assert!(results.contains(&"2472892288005334073227941693952"), "{trace}");
}

#[test]
fn json_array_equals_jsonl_lines() {
    let array: Vec<Value> =
        serde_json::from_str(&stdout(&[SWAP_SLIPPAGE, "--format", "json"])).unwrap();
    let lines = stdout(&[SWAP_SLIPPAGE, "--format", "jsonl"]);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((array.len(), &array), (26, &lines));
}

#[test]
fn rows_have_the_data_of_calls_in_full_and_always_the_same_keys() {
    let lines = stdout(&[SWAP_SLIPPAGE, "--format", "jsonl"]);
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let keys = |row: &Value| -> Vec<String> { row.as_object().unwrap().keys().cloned().collect() };
    for (n, row) in rows.iter().enumerate() {
        assert_eq!((keys(row), &row["index"]), (keys(&rows[0]), &n.into()));
        let input = row["input"].as_str().unwrap();
        assert_eq!(row["selector"].as_str().unwrap_or("0x"), &input[..input.len().min(10)]);
        let to: Address = row["to"].as_str().unwrap().parse().unwrap();
        assert_eq!(row["to"], to.to_string());
        assert_eq!(row["is_guess"].is_null(), row["name"].is_null(), "{row}");
    }
    // The data of the revert that ends the transaction.
    assert!(rows[0]["output"].as_str().unwrap().len() > 10, "{}", rows[0]);
    let balance = rows.iter().find(|row| row["name"] == "balanceOf").unwrap();
    let [argument, returned] = ["arguments", "result"].map(|key| &balance[key][0]);
    assert_eq!(
        (keys(argument).join(" "), &argument["type"]),
        ("name type value".into(), &"address".into())
    );
    assert_eq!((&returned["type"], &balance["is_guess"]), (&"uint256".into(), &true.into()));
    assert_eq!(balance["output"].as_str().unwrap().len(), "0x".len() + 64);
}

#[test]
fn events_are_at_the_calls_that_emitted_them() {
    let lines = stdout(&[SWAP, "--format", "jsonl", "--events"]);
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let events: Vec<(&Value, &Value)> = rows
        .iter()
        .flat_map(|row| row["events"].as_array().unwrap().iter().map(move |event| (row, event)))
        .collect();
    assert_eq!(events.len(), 14);
    let transfer = events.iter().find(|(_, event)| event["arguments"][2]["name"] == "value");
    let (call, event) = transfer.unwrap();
    assert_eq!(call["to"], event["address"], "{event}");
    let error = run("demo", &[SWAP, "--events"]);
    assert_eq!(error.status.code(), Some(2));
}

#[test]
fn events_of_unknown_calls_are_in_the_first_object() {
    let events = |more: usize, has_next: bool| {
        let server = fake_server(move |request, before| match request.path() {
            path if path.ends_with("/raw-trace") => {
                json(200, r#"{"type":"CALL","from":"0x01","to":"0x02","calls":[]}"#)
            }
            path if path.ends_with("/logs") => {
                let log = |n: usize| {
                    format!(r#"{{"index":{n},"address":{{"hash":"{:#042x}"}},"topics":[]}}"#, 7)
                };
                let logs = (0..more).map(log).chain(["7".into()]).collect::<Vec<_>>();
                let next = has_next.then(|| format!(r#"{{"index":{before}}}"#));
                page(&logs.join(","), &next.unwrap_or_else(|| "null".into()))
            }
            _ => json(404, r#"{"message":"Not found"}"#),
        });
        run(server.base().as_str(), &[SWAP_SLIPPAGE, "--format", "jsonl", "--events"])
    };
    let output = events(3, false);
    let errors = stderr(&output);
    let root: Value = serde_json::from_slice(&output.stdout).expect(&errors);
    let placed = root["events"].as_array().unwrap().iter().map(|event| &event["is_placed"]);
    assert_eq!(placed.collect::<Vec<_>>(), [&Value::Bool(false); 3]);
    assert!(errors.contains("3 events of unknown calls"), "{errors}");
    assert!(errors.contains("1 event left out: not readable"), "{errors}");
    let cut = events(1_999, true);
    assert!(stderr(&cut).contains("more than 10,000 events"), "{}", stderr(&cut));
    assert_eq!((cut.status.code(), &*cut.stdout), (Some(1), &b""[..]));
}

#[test]
fn node_and_depth_select_a_subtree() {
    let paths = |args: &[&str]| -> Vec<String> {
        let args = [&[TREE_11_2, "--format", "jsonl"], args].concat();
        let rows = stdout(&args);
        let row = |row: &str| serde_json::from_str::<Value>(row).unwrap();
        rows.lines().map(|line| row(line)["trace_address"].to_string()).collect()
    };
    assert_eq!(paths(&["--node", "1.0", "--depth", "0"]), ["[1,0]"]);
    assert_eq!(paths(&["--node", "1.0", "--depth", "1"]), ["[1,0]", "[1,0,0]", "[1,0,1]"]);
    assert_eq!(paths(&["--depth", "1"]), ["[]", "[0]", "[1]"]);
    assert_eq!(paths(&["--node", "root", "--depth", "2"]).len(), 7);
    assert_eq!(paths(&["--node", "0"]).len(), 2047);
    let tree = stdout(&[TREE_11_2, "--node", "1.0", "--depth", "1"]);
    assert_eq!(tree.lines().count(), 3);
    assert!(tree.starts_with('✓') && tree.contains("\n├─ ") && tree.contains("\n└─ "), "{tree}");
}

#[test]
fn missing_node_error_names_the_longest_existing_prefix() {
    for (node, message) in [
        ("7", "no call 7: root has 3 calls"),
        ("2.0.1.9", "no call 2.0.1.9: 2.0 has no calls"),
        ("2.1", "no call 2.1: 2 has 1 call"),
    ] {
        let output = run("demo", &[CREATE_AND_DESTROY, "--node", node]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0), "{node}");
        assert_eq!(stderr(&output).trim_end(), format!("chainglass: {message}"));
    }
}

#[test]
fn usage_errors_exit_with_2() {
    let address = "0xf39fd6e51aad88f6f4ce6ab8827279cfffb92266";
    for args in [
        &[][..],
        &["0x12"],
        &[address],
        &[SWAP_SLIPPAGE, "--format", "svg"],
        &[SWAP_SLIPPAGE, "--node", "0..1"],
        &[SWAP_SLIPPAGE, "--depth", "-1"],
        &[SWAP_SLIPPAGE, "--max-bytes", "lots"],
    ] {
        let output = run("demo", args);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{args:?}");
        assert!(!output.stderr.is_empty(), "{args:?}");
    }
}

#[test]
fn unknown_transaction_exits_with_3() {
    let unknown = format!("0x{}", "12".repeat(32));
    let output = run("demo", &[&unknown]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0));
    assert!(stderr(&output).contains("no such transaction on demo"), "{}", stderr(&output));
}

#[test]
fn missing_trace_is_made_of_internal_transactions() {
    let missing = [
        (404, r#"{"message":"Not found"}"#, "404: Not found"),
        (500, "\"Error while raw trace fetching\"", "Error while raw trace fetching"),
        (200, "null", "sent `null`"),
    ];
    for (status, body, reason) in missing {
        let [from, to] = ["aa", "bb"].map(|end| format!("0x{end:0>40}"));
        let row = move |index| {
            format!(
                r#"{{"from":{{"hash":"{from}"}},"index":{index},"success":true,
                    "to":{{"hash":"{to}"}},"type":"call","value":"1"}}"#
            )
        };
        let explorer = fake_server(move |request, before| match before {
            _ if request.path().ends_with("/raw-trace") => json(status, body),
            0 => page(&row(1), r#"{"index":1}"#),
            _ => page(&row(2), "null"),
        });
        let output = run(explorer.base().as_str(), &[SWAP_SLIPPAGE]);
        assert!(output.status.success(), "{}", stderr(&output));
        let notes = stderr(&output);
        assert!(notes.contains(reason) && notes.contains("from internal transactions"), "{notes}");
        let tree = String::from_utf8(output.stdout).unwrap();
        assert_eq!(tree.matches("call [?] 0x00000000000000000000000000000000000000").count(), 2);
    }
}

#[test]
fn stacks_without_gas_are_refused() {
    let unknown = r#"[{"type":"call","action":{"from":"0x00"}}]"#;
    let known = r#"[{"type":"call","action":{"from":"0x00"},"result":{"gasUsed":"0x5"}}]"#;
    for format in ["folded", "speedscope"] {
        let output = run_on(unknown, &["--format", format]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
        assert!(stderr(&output).contains("the gas of all calls is unknown"), "{}", stderr(&output));
        assert!(run_on(known, &["--format", format]).status.success());
    }
}

#[test]
fn explorer_url_selects_the_chain() {
    let explorer = server_with(r#"[{"type":"call","action":{"from":"0x00"}}]"#);
    let address = format!("{}tx/{SWAP_SLIPPAGE}", explorer.base());
    let mut program = Command::new(PROGRAM);
    let output = program.args(["trace", &address]).env_remove("CHAINGLASS_CHAIN").output().unwrap();
    assert!(output.status.success(), "{}", stderr(&output));
    let asked = explorer.requests();
    assert_eq!(asked.len(), 1, "only the trace is fetched");
    assert_eq!(asked[0].target, format!("/api/v2/transactions/{SWAP_SLIPPAGE}/raw-trace"));
}

fn server_with(body: &str) -> FakeServer {
    scripted([json(200, body)])
}

fn run_on(body: &str, args: &[&str]) -> Output {
    let explorer = server_with(body);
    run(explorer.base().as_str(), &[&[SWAP_SLIPPAGE], args].concat())
}

#[test]
fn response_without_calls_exits_with_1_and_says_why() {
    for (body, message) in [
        ("[]", "pruned by the node"),
        ("null", "sent `null`"),
        (r#"{"gas":1,"structLogs":[]}"#, "opcodes, not calls"),
        (r#""historical state is not available \u001b[2J""#, "not available ␛[2J"),
        ("7", "unknown trace format"),
        ("", "empty"),
    ] {
        let output = run_on(body, &[]);
        assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0), "{body}");
        assert!(stderr(&output).contains(message), "{body}: {}", stderr(&output));
        assert_eq!(stderr(&output).lines().count(), 1, "{body}");
    }
}

#[test]
fn oversized_response_prints_nothing() {
    let body = format!(r#"[{{"type":"call","action":{{"input":"0x{}"}}}}]"#, "00".repeat(5_000));
    let output = run_on(&body, &["--max-bytes", "10000"]);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(1), 0));
    assert!(stderr(&output).contains("--max-bytes"), "{}", stderr(&output));
    let enough = (body.len()).to_string();
    assert!(run_on(&body, &["--max-bytes", &enough]).status.success());
}

#[test]
fn trace_problems_go_to_stderr() {
    let body = r#"[{"type":"call","traceAddress":[],"subtraces":3},7,{"type":"call","traceAddress":[0,1]}"#;
    let output = run_on(body, &["--format", "jsonl"]);
    assert_eq!(output.status.code(), Some(1), "the trace is incomplete");
    assert_eq!(String::from_utf8_lossy(&output.stdout).lines().count(), 2);
    for message in ["1 call without its parent", "1 unreadable entry", "incomplete"] {
        assert!(stderr(&output).contains(message), "{message}: {}", stderr(&output));
    }
}

#[test]
fn output_is_no_longer_than_the_trace_whatever_its_depth() {
    let nested = |calls: usize| {
        let call = r#"{"type":"CALL","gasUsed":"0x5","calls":["#;
        call.repeat(calls) + "{}" + &"]}".repeat(calls)
    };
    let wide = |calls: usize| {
        let call = r#"{"type":"CALL","gasUsed":"0x5"},"#;
        format!(r#"{{"type":"CALL","gasUsed":"0xffffff","calls":[{}{{}}]}}"#, call.repeat(calls))
    };
    for format in ["tree", "jsonl", "folded", "speedscope"] {
        let length = |body: &str| run_on(body, &["--format", format]).stdout.len();
        assert!(length(&wide(2_000)) <= 3 * length(&wide(1_000)), "{format}");
        let [deep, deeper] =
            [2_000, 59_000].map(|calls| run_on(&nested(calls), &["--format", format]));
        assert!(deep.stdout == deeper.stdout && !deep.stdout.is_empty(), "{format}");
        let refusal = "incomplete: calls nest deeper than the EVM's 1,024 levels";
        assert!(stderr(&deeper).contains(refusal), "{format}: {}", stderr(&deeper));
    }
}

#[test]
fn flat_trace_that_nests_too_deep_is_incomplete() {
    let call = |depth: usize| {
        let path = vec!["0"; depth].join(",");
        format!(r#"{{"type":"call","action":{{}},"traceAddress":[{path}]}}"#)
    };
    let [whole, cut] = [1_026, 1_027].map(|calls| {
        let calls: Vec<String> = (0..calls).map(call).collect();
        format!("[{}]", calls.join(","))
    });
    // A call that is not there may be in the rest.
    let missing = [&whole, &cut].map(|body| run_on(body, &["--node", "7"]));
    assert_eq!(missing.each_ref().map(|output| output.status.code()), [Some(3), Some(1)]);
    let whole_and_cut = [whole, cut].map(|body| run_on(&body, &[]));
    assert_eq!(whole_and_cut.each_ref().map(|output| output.status.code()), [Some(0), Some(1)]);
    let [whole, cut] = whole_and_cut.map(|output| stderr(&output));
    assert_eq!(whole, "");
    let refusal = "incomplete: calls nest deeper than the EVM's 1,024 levels";
    assert!(cut.contains("1 unreadable entry") && cut.contains(refusal), "{cut}");
    assert!(cut.contains("the trace is incomplete"), "{cut}");
}

#[test]
fn output_is_uncoloured_when_piped() {
    assert!(!stdout(&[SWALLOW_ALL]).contains('\u{1b}'));
}

#[test]
fn closed_pipe_is_not_an_error() {
    let mut program = program("demo", &[TREE_11_2, "--format", "json"]);
    let mut child = program.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
    let mut first = [0; 1];
    child.stdout.take().unwrap().read_exact(&mut first).unwrap();
    let output = child.wait_with_output().unwrap();
    assert_eq!((output.status.code(), stderr(&output)), (Some(0), String::new()));
}

#[test]
fn ascii_locale_prints_an_ascii_tree() {
    let shown = |locale| program("demo", &[SWALLOW_ALL]).env("LC_ALL", locale).output().unwrap();
    let (ascii, other) = (shown("C"), shown("en_GB.UTF-8"));
    assert!(ascii.stdout.is_ascii() && !other.stdout.is_ascii());
    let lines = |output: &Output| String::from_utf8_lossy(&output.stdout).lines().count();
    assert_eq!(lines(&ascii), lines(&other));
    let ascii = String::from_utf8_lossy(&ascii.stdout).into_owned();
    assert!(ascii.starts_with("v call [") && ascii.contains("+- ! "), "{ascii}");
}

#[test]
fn contracts_of_the_project_have_names() {
    let (folder, node) = (project("hardhat3"), recorded_node("hardhat3"));
    let chain = format!("anvil:{}", node.base().port().unwrap());
    let calls = [
        (9, "World Coin·5FbD [0x5FbDB2315678afecb367f032d93F642f64180aa3].transfer("),
        (10, "Panes [0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512].mint("),
        (14, "new Child-2 [0x856e4424f806D16E8CBC702B3c0F2ede5468eae5]"),
        (17, "custom() ✗ Forbidden(Caller [0x0165878A594ca255338adfa4d48449f69242Eb8F], 42)"),
    ];
    for (block, call) in calls {
        let hash = recorded_block("hardhat3", block).transactions[0].hash.to_string();
        let output = program(&chain, &[&hash]).current_dir(folder.path()).output().unwrap();
        let tree = String::from_utf8(output.stdout).unwrap();
        assert!(tree.contains(call) && !tree.contains("?("), "{call}: {tree}");
    }
}

#[test]
fn failure_on_a_node_is_followed_by_source_and_stack() {
    let (folder, node) = (project("hardhat2"), node_with_steps());
    let chain = format!("anvil:{}", node.base().port().unwrap());
    let output = program(&chain, &[CUSTOM]).current_dir(folder.path()).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let (tree, failure) = printed.split_once("\n\n").unwrap();
    assert!(tree.contains(" (contracts/World.sol:"), "{tree}");
    insta::assert_snapshot!("trace_failure_source", failure);
    let mut only_call = program(&chain, &[CUSTOM, "--node", "root"]);
    let output = only_call.current_dir(folder.path()).output().unwrap();
    assert!(!String::from_utf8(output.stdout).unwrap().contains("Stack"));
    let mut rows = program(&chain, &[CUSTOM, "--format", "jsonl"]);
    let output = rows.current_dir(folder.path()).output().unwrap();
    let row: Value = serde_json::from_slice(&output.stdout).unwrap();
    let place = row["reverted_at"].as_str().unwrap();
    assert!(place.starts_with("contracts/World.sol:"), "{row}");
    assert!(tree.ends_with(&format!(" ({place})")), "{tree}");
}

#[test]
fn caught_failure_on_a_node_has_its_line() {
    let (folder, node) = (project("hardhat2"), node_with_steps());
    let chain = format!("anvil:{}", node.base().port().unwrap());
    let run = |args: &[&str]| {
        let output = program(&chain, args).current_dir(folder.path()).output().unwrap();
        String::from_utf8(output.stdout).unwrap()
    };
    let rows = run(&[CATCH_ALL, "--format", "jsonl"]);
    let rows: Vec<Value> = rows.lines().map(|row| serde_json::from_str(row).unwrap()).collect();
    let of_custom = |row: &&Value| row["name"].as_str().is_some_and(|name| name == "custom");
    let place = rows.iter().find(of_custom).unwrap()["reverted_at"].as_str().unwrap();
    assert!(place.starts_with("contracts/World.sol:"), "{place}");
    let tree = run(&[CATCH_ALL]);
    assert!(tree.contains(&format!(" ({place})")) && !tree.contains("Stack"), "{tree}");
}

#[test]
fn cause_of_a_revert_without_data_is_above_its_source() {
    let (folder, node) = (project("hardhat2"), node_with_steps());
    let chain = format!("anvil:{}", node.base().port().unwrap());
    let output = program(&chain, &[NOTHING]).current_dir(folder.path()).output().unwrap();
    let printed = String::from_utf8(output.stdout).unwrap();
    let (_, failure) = printed.split_once("\n\n").unwrap();
    assert!(failure.starts_with("revert without a reason\n\nSource"), "{failure}");
}

#[test]
fn node_without_steps_says_why_there_is_no_source() {
    let (folder, node) = (project("hardhat2"), recorded_node("anvil"));
    let chain = format!("anvil:{}", node.base().port().unwrap());
    let output = program(&chain, &[CUSTOM]).current_dir(folder.path()).output().unwrap();
    let tree = String::from_utf8(output.stdout.clone()).unwrap();
    assert!(!tree.contains("Source") && tree.contains("✗"), "{tree}");
    assert!(stderr(&output).starts_with("? source line: "), "{}", stderr(&output));
}
