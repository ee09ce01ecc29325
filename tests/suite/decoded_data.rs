//! Data that is typed or pasted: the page of its meanings, and `chainglass decode`.

use std::io::Write;
use std::process::{Command, Output, Stdio};

use alloy_primitives::keccak256;
use chainglass::test_api::api::{ApiError, Query, TransactionQuery};
use chainglass::test_api::app::Setup;
use chainglass::test_api::app_message::{Effect, Msg};
use chainglass::test_api::chain::Network;
use chainglass::test_api::config::AppSettings;
use serde_json::{Value, json};

use super::artifacts::write;
use super::demo_items::SWAP;
use super::session::{Session, setup, size};

const PROGRAM: &str = env!("CARGO_BIN_EXE_chainglass");
const SPENDER: &str = "3c44cdddb6a900fa2b585dd299e03d12fa4293bc";
const RAW_TRANSACTION: &str = "0x02f878827a6902843b9aca008470b322668252a8943c44cdddb6a900fa2b585dd299e03d12fa4293bc880de0b6b3a764000084a9059cbbc080a0b671347f9a6c8ed32086278ff5373f2b7f73b7cec48982b6da8a34b0aa0567e4a0020e63bb61a509fd98a71c2c6f2f4874339b1b2d452d22982d37a1ddd94fe54f";

/// A token of the demo chain with names of its own for arguments.
const WRAPPED: &str = "0xe7f1725E7734CE288F8367e1Bb143E90bb3F0512";

/// Encodes `approve(spender, amount)` with an amount of equal bytes.
fn approve(byte: &str) -> String {
    format!("0x095ea7b3{}{SPENDER}{}", "0".repeat(24), byte.repeat(32))
}

/// Encodes `multicall(bytes[])` of one call of 68 bytes.
fn multicall(call: &str) -> String {
    let word = |n: usize| format!("{n:064x}");
    let call = call.trim_start_matches("0x");
    let padding = "0".repeat(56);
    let head = [word(32), word(1), word(32), word(68)].concat();
    format!("0xac9650d8{head}{call}{padding}")
}

#[tokio::test]
async fn pasted_calldata_is_decoded_without_requests() {
    let mut session = Session::demo(size(120, 40), "").await;
    let asked = session.requests.len();
    let effects = session.app.update(Msg::Paste(multicall(&approve("ff"))));
    session.settle(effects).await;
    let screen = session.screen();
    for shown in [
        "! ",
        "unlimited approval: ",
        "multicall(bytes[] data)",
        "approve?(",
        "spender",
        "0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC",
    ] {
        assert!(screen.contains(shown), "{shown}: {screen}");
    }
    assert_eq!(session.requests.len(), asked, "{:?}", session.requests);
    session.keys("Y").await;
    let command = session.copied().unwrap().to_owned();
    assert!(command.starts_with("chainglass --chain demo 0xac9650d8"), "{command}");
    session.keys("H").await;
    assert!(session.screen().contains("Try these"), "{}", session.screen());
    session.keys("L").await;
    assert!(session.screen().contains("multicall"), "{}", session.screen());
}

#[tokio::test]
async fn amount_of_the_viewed_token_is_in_its_unit() {
    let mut session =
        Session::demo(size(140, 30), "0x5FbDB2315678afecb367f032d93F642f64180aa3").await;
    let approve = format!("0x095ea7b3{}{SPENDER}{:064x}", "0".repeat(24), 12_345_678);
    let effects = session.app.update(Msg::Paste(approve));
    session.settle(effects).await;
    let screen = session.screen();
    assert!(screen.contains("12,345,678 (= 12.345678 GLD)"), "{screen}");
}

#[tokio::test]
async fn abi_of_the_called_contract_is_asked_for_while_its_call_is_shown() {
    for (settings, is_named) in [
        (AppSettings::default(), true),
        (AppSettings { fetches_contract_names: false, ..AppSettings::default() }, false),
    ] {
        let setup = Setup { settings, ..setup(Network::demo()) };
        let mut session = Session::demo_with(setup, size(140, 30), WRAPPED).await;
        let asked = |session: &Session| {
            let contract = |(query, _): &&(Query, _)| matches!(query, Query::Contract(_));
            session.requests.iter().filter(contract).count()
        };
        assert_eq!(asked(&session), 0);
        let effects = session.app.update(Msg::Paste(approve("ff")));
        session.settle(effects).await;
        let screen = session.screen();
        assert_eq!(screen.contains("approve(address sp, uint256 v)"), is_named, "{screen}");
        assert_eq!(asked(&session), usize::from(is_named));
    }
}

#[tokio::test]
async fn typed_data_is_decoded_on_enter() {
    for (typed, shown) in [
        ("0xa9059cbb", "transfer(address to, uint256 amount)"),
        ("a9059cbb", "transfer(address to, uint256 amount)"),
        (
            "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
                .trim_start_matches("0x"),
            "Transfer(address indexed from, address indexed to, uint256 value)",
        ),
        (RAW_TRANSACTION, "0x70997970C51812dc3A010C7d01b50e0d17dc79C8"),
        ("transfer(address,uint)", "0xa9059cbb"),
        ("1700000000", "2023-11-14 22:13:20 UTC"),
        ("1.5 gwei", "1,500,000,000"),
        ("0x5", "number"),
        ("0x4e487b710000000000000000000000000000000000000000000000000000000000000011", "overflow"),
    ] {
        let mut session = Session::demo(size(120, 40), "").await;
        session.keys("s").await;
        let asked = session.requests.len();
        session.type_text(typed).await;
        let screen = session.screen();
        assert!(screen.contains("Decoded") && screen.contains(shown), "{typed}: {screen}");
        assert_eq!(session.requests.len(), asked, "{typed}: {:?}", session.requests);
    }
}

#[tokio::test]
async fn hash_without_a_transaction_has_other_meanings() {
    for (typed, shown) in [
        (
            "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef",
            "Transfer(address indexed from, address indexed to, uint256 value)",
        ),
        (
            "0x360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc",
            "eip1967.proxy.implementation",
        ),
        (
            "0x0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e6",
            "it may be an event's topic (gs) or a slot",
        ),
    ] {
        let mut session = Session::demo(size(120, 40), "").await;
        session.keys("s").await;
        session.type_text(typed).await;
        let screen = session.screen();
        assert!(screen.contains(shown), "{typed}: {screen}");
    }
}

/// It may be a private key.
#[tokio::test]
async fn bare_hash_is_sent_only_when_it_is_opened() {
    let mut session = Session::demo(size(120, 40), "").await;
    let asked = session.requests.len();
    let secret = "0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";
    let effects = session.app.update(Msg::Paste(secret.into()));
    session.settle(effects).await;
    assert!(session.screen().contains("secret key"), "{}", session.screen());
    session.keys("s").await;
    let effects = session.app.update(Msg::Paste(secret.into()));
    assert!(!effects.iter().any(|effect| matches!(effect, Effect::Request { .. })), "{effects:?}");
    session.settle(effects).await;
    assert_eq!(session.requests.len(), asked, "{:?}", session.requests);
    session.keys("esc j j j enter").await;
    assert!(session.screen().contains("swapExactIn"), "{}", session.screen());
}

#[tokio::test]
async fn mistakes_are_shown_at_the_prompt() {
    let odd = format!("0x{}", "1".repeat(67));
    for (typed, why) in [
        ("transfer(adress)", "expected a type"),
        (&*odd, "67 hex digits: half a byte is missing"),
        ("0xzz", "not an address"),
    ] {
        let mut session = Session::demo(size(120, 40), "").await;
        session.keys("s").await;
        session.type_text(typed).await;
        let screen = session.screen();
        assert!(screen.contains("Go to") && screen.contains(why), "{typed}: {screen}");
    }
}

#[tokio::test]
async fn pasted_megabytes_are_bounded() {
    let mut session = Session::demo(size(80, 24), "").await;
    let zeros = "00".repeat(1 << 20);
    for pasted in [format!("0x{zeros}"), format!("0x{zeros}00"), "0x ".repeat(1 << 20)] {
        let effects = session.app.update(Msg::Paste(pasted));
        session.settle(effects).await;
        assert!(!session.screen().is_empty());
    }
    session.keys("esc s").await;
    let effects = session.app.update(Msg::Paste(format!("{zeros}00")));
    session.settle(effects).await;
    session.keys("x backspace").await;
    assert!(session.screen().contains("Go to"), "{}", session.screen());
}

#[tokio::test]
async fn transaction_and_its_trace_warn_of_an_unlimited_approval() {
    let hash = "0x417170f62f78a5590d494b496a647f781cdd7f774c97e87b7164d346ef785791";
    let mut session = Session::demo(size(120, 40), hash).await;
    let warning = "unlimited approval: 0x261D…9cad can take all Glass Dollar from the sender";
    assert!(session.screen().contains(warning), "{}", session.screen());
    session.keys("2").await;
    assert!(session.screen().contains(warning), "{}", session.screen());
}

/// Calls that permit others to take tokens or to replace code: the signature, the words of the arguments, and the
/// beginning of the warning.
fn dangers() -> Vec<(&'static str, Vec<String>, &'static str)> {
    let word = |n: u64| format!("{n:064x}");
    let spender = || format!("{SPENDER:0>64}");
    let safe = [spender(), word(0), word(320), word(1), word(0), word(0), word(0)]
        .into_iter()
        .chain([spender(), spender(), word(352), word(0), word(0)]);
    let permit = [spender(), spender(), word(5_000), word(9), word(27), word(1), word(1)];
    vec![
        ("approve(address,uint256)", vec![spender(), "f".repeat(64)], "unlimited approval: "),
        ("setApprovalForAll(address,bool)", vec![spender(), word(1)], "approval for all: "),
        (
            "permit(address,address,uint256,uint256,uint8,bytes32,bytes32)",
            permit.into(),
            "permit: ",
        ),
        ("transferOwnership(address)", vec![spender()], "ownership of "),
        ("renounceOwnership()", Vec::new(), "no owner: "),
        ("grantRole(bytes32,address)", vec![word(0), spender()], "role: "),
        ("upgradeTo(address)", vec![spender()], "upgrade: "),
        ("enableModule(address)", vec![spender()], "module: "),
        (
            "execTransaction(address,uint256,bytes,uint8,uint256,uint256,uint256,address,address,bytes)",
            safe.collect(),
            "delegatecall: ",
        ),
    ]
}

#[tokio::test]
async fn every_danger_is_named_wherever_the_call_is_shown() {
    for (signature, words, warning) in dangers() {
        let selector = &keccak256(signature).to_string()[..10];
        let data = format!("{selector}{}", words.concat());
        let mut decoded = Session::demo(size(160, 40), "").await;
        let effects = decoded.app.update(Msg::Paste(data.clone()));
        decoded.settle(effects).await;
        assert!(decoded.screen().contains(warning), "{signature}: {}", decoded.screen());
        // A selector alone is a function's, and no call.
        let effects = decoded.app.update(Msg::Paste(selector.to_owned()));
        decoded.settle(effects).await;
        let at_worst = format!("at worst: {warning}");
        assert!(decoded.screen().contains(&at_worst), "{signature}: {}", decoded.screen());
        let call = serde_json::json!({
            "type": "CALL", "from": WRAPPED, "to": WRAPPED, "input": data, "output": "0x",
            "value": "0x0", "gas": "0x5208", "gasUsed": "0x5208",
        });
        let details = serde_json::json!({
            "hash": SWAP, "status": "ok", "result": "success", "raw_input": data,
            "from": { "hash": WRAPPED }, "to": { "hash": WRAPPED },
        });
        let mut session = Session::explorer(size(160, 40), SWAP, move |query, _| match query {
            Query::Transaction(_, TransactionQuery::Details) => Ok(details.to_string()),
            Query::Transaction(_, TransactionQuery::RawTrace) => Ok(call.to_string()),
            _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
        })
        .await;
        assert!(session.screen().contains(warning), "{signature}: {}", session.screen());
        session.keys("2").await;
        assert!(session.screen().contains(warning), "{signature}: {}", session.screen());
    }
}

/// A signed transaction with an authorization: the account that the signature belongs to delegates to the
/// spender.
fn raw_delegation() -> String {
    let number = |n: u64| alloy_rlp::encode(n);
    let list = |items: &[Vec<u8>]| {
        let mut encoded = Vec::new();
        let payload_length = items.iter().map(Vec::len).sum();
        alloy_rlp::Header { list: true, payload_length }.encode(&mut encoded);
        [encoded, items.concat()].concat()
    };
    let account = alloy_rlp::encode(SPENDER.parse::<alloy_primitives::Address>().unwrap());
    let signature = [number(1), number(7), number(7)];
    let signed = list(&[vec![number(1), account.clone(), number(9)], signature.to_vec()].concat());
    let fees = [number(1), number(2), number(5), number(6), number(21_000)];
    let call = [account, number(0), number(0x80), list(&[]), list(&[signed])];
    let body = list(&[fees.to_vec(), call.to_vec(), signature.to_vec()].concat());
    alloy_primitives::hex::encode_prefixed([vec![4], body].concat())
}

#[tokio::test]
async fn delegation_is_named_on_the_decoded_page_and_on_its_transaction() {
    let warning = "delegation: code of 0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC";
    let mut decoded = Session::demo(size(160, 40), "").await;
    let effects = decoded.app.update(Msg::Paste(raw_delegation()));
    decoded.settle(effects).await;
    assert!(decoded.screen().contains(warning), "{}", decoded.screen());
    let shown = |status: Option<&str>, outcome: &str, delegate: &str| {
        let signed = serde_json::json!({
            "address_hash": delegate, "authority": WRAPPED, "chain_id": "1", "nonce": "0",
            "status": status, "r": "1", "s": "2", "v": 0,
        });
        let details = serde_json::json!({
            "hash": SWAP, "status": outcome, "result": "x", "raw_input": "0x", "type": 4,
            "from": { "hash": WRAPPED }, "to": { "hash": WRAPPED }, "authorization_list": [signed],
        });
        let answer = move |query: &Query, _: Option<&_>| match query {
            Query::Transaction(_, TransactionQuery::Details) => Ok(details.to_string()),
            _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
        };
        async move { Session::explorer(size(160, 40), SWAP, answer).await.screen() }
    };
    let spender = format!("0x{SPENDER}");
    let warning = "delegation: code of 0x3C44…93BC acts as 0xe7f1…0512 from now on";
    let failed = shown(Some("ok"), "error", &spender).await;
    assert!(failed.contains(warning), "delegations outlive a failure: {failed}");
    let unknown = shown(None, "ok", &spender).await;
    assert!(unknown.contains("acts as 0xe7f1…0512, if it was valid"), "{unknown}");
    let screen = shown(Some("ok"), "ok", &spender).await;
    assert!(screen.contains(warning), "{screen}");
    for (label, address) in [("delegation", WRAPPED), ("runs code of", &spender)] {
        let address = address.to_lowercase();
        let mut lines = screen.lines().filter(|line| line.contains(label));
        assert!(lines.any(|line| line.to_lowercase().contains(&address)), "{label}: {screen}");
    }
    for (status, delegate) in [("invalid_nonce", &*spender), ("ok", &format!("0x{:040}", 0))] {
        let screen = shown(Some(status), "ok", delegate).await;
        assert!(!screen.contains("delegation: code"), "{status} {delegate}: {screen}");
    }
}

#[tokio::test]
async fn delegatecall_to_unverified_code_is_named_in_the_trace() {
    let code = format!("0x{SPENDER}");
    for (details, is_named) in [
        (serde_json::json!({ "is_verified": false }), true),
        (serde_json::json!({ "is_verified": true, "name": "Logic" }), false),
    ] {
        let call = |kind: &str, to: &str, calls: Value| {
            serde_json::json!({
                "type": kind, "from": WRAPPED, "to": to, "input": "0x12345678", "output": "0x",
                "value": "0x0", "gas": "0x5208", "gasUsed": "0x5208", "calls": calls,
            })
        };
        let inner = call("DELEGATECALL", &code, serde_json::json!([]));
        let trace = call("CALL", WRAPPED, serde_json::json!([inner])).to_string();
        let mut session = Session::explorer(size(160, 40), SWAP, move |query, _| match query {
            Query::Transaction(_, TransactionQuery::RawTrace) => Ok(trace.clone()),
            Query::Contract(_) => Ok(details.to_string()),
            _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
        })
        .await;
        session.keys("2 j g n").await;
        let warning = "delegatecall: unverified code of 0x3C44…93BC acts as 0xe7f1…0512";
        assert_eq!(session.screen().contains(warning), is_named, "{}", session.screen());
    }
}

#[test]
fn decoded_address_with_a_wrong_checksum_is_reported() {
    for (typed, is_doubtful) in [
        ("0x70997970C51812dc3A010C7d01b50e0d17dc79C8", false),
        ("0x70997970c51812dc3A010c7d01b50e0d17dc79c8", true),
    ] {
        let stderr = String::from_utf8(decode(&[typed], "").stderr).unwrap();
        assert_eq!(stderr.contains("checksum"), is_doubtful, "{typed}: {stderr}");
    }
}

fn decode(args: &[&str], stdin: &str) -> Output {
    let mut program = Command::new(PROGRAM)
        .env_remove("CHAINGLASS_CHAIN")
        .arg("decode")
        .args(args)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    // It stops reading what is too long.
    let _ = program.stdin.take().unwrap().write_all(stdin.as_bytes());
    program.wait_with_output().unwrap()
}

fn printed(args: &[&str], stdin: &str) -> String {
    let output = decode(args, stdin);
    assert!(output.status.success(), "{}", String::from_utf8_lossy(&output.stderr));
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn decode_prints_the_meanings() {
    let approval = approve("ff");
    let text = printed(&[&approval], "");
    let lines: Vec<&str> = text.lines().map(str::trim_end).collect();
    assert!(
        lines[0].trim_start().starts_with('!') && lines[0].contains("unlimited approval"),
        "{text}"
    );
    assert!(lines[1].starts_with("calldata"), "{text}");
    assert!(lines[2].starts_with("  address spender"), "{text}");
    assert_eq!(printed(&["-"], &format!("{approval}\n")), text);
    assert_eq!(printed(&[], &approval.replace("095ea7b3", "095ea7b3\n  ")), text);
}

#[test]
fn decode_uses_the_abi_of_the_contract_if_a_chain_is_named() {
    let approval = approve("ff");
    let offline = printed(&["--to", WRAPPED, &approval], "");
    assert!(offline.contains("spender") && !offline.contains(" sp "), "{offline}");
    let asked = printed(&["--chain", "demo", "--to", WRAPPED, &approval], "");
    assert!(asked.contains("approve(address sp, uint256 v)"), "{asked}");
}

#[test]
fn decode_uses_the_project_on_own_chains_alone() {
    let folder = tempfile::tempdir().unwrap();
    write(folder.path(), "foundry.toml", "");
    let function = json!({"type": "function", "name": "ofThisProject", "inputs": [], "outputs": [],
        "stateMutability": "view"});
    let artifact = json!({"abi": [function], "deployedBytecode": {"object": "5b".repeat(40)}});
    write(folder.path(), "out/A.sol/A.json", &artifact.to_string());
    write(folder.path(), "out/B.sol/B.json", "{");
    let run = |args: &[&str]| {
        let mut program = Command::new(PROGRAM);
        program.env_remove("CHAINGLASS_CHAIN").env("XDG_CONFIG_HOME", "/nonexistent");
        let output = program.current_dir(&folder).arg("decode").args(args).output().unwrap();
        [output.stdout, output.stderr].map(|text| String::from_utf8(text).unwrap())
    };
    let selector = format!("0x{}", &keccak256("ofThisProject()").to_string()[2..10]);
    for (chain, is_used) in [
        (&[][..], true),
        (&["--chain", "http://127.0.0.1:1"], true),
        (&["--chain", "http://203.0.113.1"], false),
        (&["--chain", "eth"], false),
    ] {
        let [text, notes] = run(&[chain, &[&selector]].concat());
        assert_eq!(text.contains("ofThisProject"), is_used, "{chain:?}: {text}");
        assert_eq!(notes.contains("B.json"), is_used, "{chain:?}: {notes}");
    }
    assert_eq!(run(&["5"])[1], "", "no ABI changes a number");
}

#[test]
fn decode_prints_one_json_object() {
    let json: Value =
        serde_json::from_str(&printed(&["--format", "json", RAW_TRANSACTION], "")).unwrap();
    assert_eq!(json["input"], RAW_TRANSACTION);
    let transaction = &json["meanings"][0];
    assert_eq!(transaction["kind"], "transaction");
    assert_eq!(transaction["from"], "0x70997970C51812dc3A010C7d01b50e0d17dc79C8");
    assert_eq!(transaction["value"], "1000000000000000000");
    let call: Value =
        serde_json::from_str(&printed(&["--format", "json", &multicall(&approve("ff"))], ""))
            .unwrap();
    let inner = &call["meanings"][0]["arguments"][0]["value"][0]["call"];
    assert_eq!(inner["name"], "approve", "{call}");
    assert_eq!(call["risks"].as_array().unwrap().len(), 1, "{call}");
    let supports = format!("0x01ffc9a780ac58cd{}", "0".repeat(56));
    let call: Value = serde_json::from_str(&printed(&["--format", "json", &supports], "")).unwrap();
    assert_eq!(call["meanings"][0]["arguments"][0]["value"], "0x80ac58cd", "{call}");
}

#[test]
fn each_line_with_0x_is_a_value() {
    let [call, other] = ["ff", "01"].map(approve);
    let lines = printed(&["--format", "json", "-"], &format!("{call}\n\n{other}\n"));
    let values: Vec<Value> =
        lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!((&values[0]["input"], &values[1]["input"]), (&(*call).into(), &(*other).into()));
    let text = printed(&["-"], &format!("{call}\n{other}\n"));
    assert_eq!(text.matches("calldata").count(), 2, "{text}");
    let bad = decode(&["-"], &format!("{call}\n0x123456789zz\n"));
    assert!(String::from_utf8_lossy(&bad.stderr).contains("line 2: "), "{bad:?}");
    for (text, values) in [
        ("1000000000\n2000000000\n".to_owned(), 2),
        ("0X12345678\n0X12345679".to_owned(), 2),
        (format!("{}\n{}", &call[..70], &call[70..]), 1),
    ] {
        let printed = decode(&["--format", "json", "-"], &text).stdout;
        assert_eq!(String::from_utf8_lossy(&printed).lines().count(), values, "{text}");
    }
    let hash = format!("0x{}", "5a".repeat(32));
    for (values, status) in
        [("0xdeadbeef".to_owned(), 3), (format!("0xdeadbeef\n{call}"), 0), (hash, 0)]
    {
        assert_eq!(decode(&["-"], &values).status.code(), Some(status), "{values}");
    }
}

#[test]
fn empty_calldata_is_a_value_without_meanings() {
    let call = approve("ff");
    let lines = printed(&["--format", "json", "-"], &format!("0x\n{call}\n"));
    let first: Value = serde_json::from_str(lines.lines().next().unwrap()).unwrap();
    assert_eq!((&first["input"], &first["meanings"]), (&"0x".into(), &Value::Array(Vec::new())));
    assert_eq!(printed(&["0x"], ""), "(empty)\n");
}

#[test]
fn log_is_decoded_from_topics_and_data() {
    let topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef";
    let [from, to] = ["11", "22"].map(|byte| format!("0x{}{}", "0".repeat(24), byte.repeat(20)));
    let data = format!("0x{:064x}", 5);
    let args = ["--topic", topic, "--topic", &from, "--topic", &to, &data];
    let text = printed(&args, "");
    assert!(text.starts_with("log") && text.contains("uint256 value"), "{text}");
    let json: Value =
        serde_json::from_str(&printed(&[&["--format", "json"], &args[..]].concat(), "")).unwrap();
    let arguments = &json["meanings"][0]["arguments"];
    assert_eq!((&arguments[2]["value"], &arguments[2]["is_indexed"]), (&"5".into(), &false.into()));
    let empty = decode(&["--topic", &format!("0x{}", "5".repeat(64)), "0x"], "");
    assert_eq!(empty.status.code(), Some(3), "{empty:?}");
}

#[test]
fn decode_refuses_what_it_cannot_read() {
    for (text, why) in [
        ("xyz", "not hex"),
        ("f(uint7)", "expected a type"),
        ("", "not hex"),
        (&*"1".repeat(4_000_000), "longer than 1 MB"),
    ] {
        let output = decode(&["-"], text);
        let stderr = String::from_utf8_lossy(&output.stderr);
        assert_eq!(output.status.code(), Some(2), "{stderr}");
        assert!(stderr.contains(why), "{stderr}");
    }
}

#[tokio::test]
async fn structs_in_an_event_are_listed_as_those_of_a_call() {
    let parameter = json!({ "name": "ops", "type": "Op[]", "indexed": false,
        "value": [["0", "5000"], ["1", "7000"]] });
    let decoded = json!({ "method_call": "Batch((uint8 side, uint256 amount)[] ops)",
        "method_id": "01020304", "parameters": [parameter] });
    let log = json!({ "index": 0, "address": { "hash": WRAPPED }, "data": "0x", "topics": [],
        "decoded": decoded });
    let page = json!({ "items": [log], "next_page_params": null }).to_string();
    let mut session = Session::canned(size(120, 40), SWAP, move |query, _| match query {
        Query::Transaction(_, TransactionQuery::Logs) => Ok(page.clone()),
        _ => Err(ApiError::from_error_body(404, br#"{"message":"Not found"}"#)),
    })
    .await;
    session.keys("4 enter").await;
    let screen = session.screen();
    let line = |text: &str| screen.lines().find(|line| line.contains(text)).unwrap_or_default();
    assert!(line("Op[] ops ").contains("2 items"), "{screen}");
    assert!(line(" #1 ").contains("(side: 1, amount: 7000)"), "{screen}");
    assert!(screen.contains("uint256 amount 7,000"), "{screen}");
}
