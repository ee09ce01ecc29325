//! The `chains` command, and the error for an unknown chain.

use std::process::{Command, Output};

use insta::assert_snapshot;
use serde_json::Value;

const KEY: &str = "canary-1c0ffee";
const NO_KEY_NOTE: &str = "\nown explorer: no API key for the PRO API\n";

/// Runs the program without the user's settings.
fn run(args: &[&str], key: Option<&str>) -> Output {
    let mut program = Command::new(env!("CARGO_BIN_EXE_chainglass"));
    program.args(args).env_remove("CHAINGLASS_CHAIN").env_remove("CHAINGLASS_API_KEY");
    program.env_remove("CHAINGLASS_API_KEY_FILE").env("XDG_CONFIG_HOME", "/nonexistent");
    program.env("XDG_CACHE_HOME", crate::session::UNUSABLE_DIR);
    program.envs(key.map(|key| ("CHAINGLASS_API_KEY", key))).output().unwrap()
}

fn stdout(args: &[&str], key: Option<&str>) -> String {
    let output = run(args, key);
    let note = if key.is_none() { NO_KEY_NOTE } else { "" };
    assert!(output.status.success() && output.stderr == note.as_bytes(), "{output:?}");
    String::from_utf8(output.stdout).unwrap()
}

#[test]
fn chain_list_without_a_key() {
    assert_snapshot!("chains_sepolia", stdout(&["chains", "sepolia"], None));
}

#[test]
fn chain_list_with_a_key() {
    let tables: Vec<_> =
        ["OP_Main", "manta", "demo", "8453"].map(|f| stdout(&["chains", f], Some(KEY))).into();
    assert_snapshot!("chains_with_a_key", tables.join("\n"));
}

#[test]
fn chain_list_as_json() {
    let lines = stdout(&["chains", "--format", "jsonl"], Some(KEY));
    assert!(!lines.contains(KEY));
    let rows: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(rows.len(), 731);
    assert_eq!(rows[0]["source"], "demo");
    assert_snapshot!("chains_eth_object", lines.lines().nth(1).unwrap());
    for row in &rows {
        let is_pro = row["source"] == "pro";
        let asked_at = row["asked_at"].as_str().unwrap_or_default();
        assert_eq!(asked_at.starts_with("https://api.blockscout.com/"), is_pro, "{row}");
    }
    assert_eq!(rows.iter().filter(|row| row["source"] == "pro").count(), 91);
    let array = stdout(&["chains", "--format", "json"], Some(KEY));
    assert_eq!(serde_json::from_str::<Vec<Value>>(&array).unwrap(), rows);
}

#[test]
fn filter_without_matches_fails() {
    let output = run(&["chains", "no\u{1b}pe"], None);
    assert_eq!((output.status.code(), output.stdout.len()), (Some(3), 0));
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("no chain matches") && !stderr.contains('\u{1b}'), "{stderr}");
}

#[test]
fn list_names_the_way_to_a_known_chain_without_an_explorer() {
    for (filter, advice) in [
        ("bsc", "no Blockscout explorer is known for bsc (chain 56): use a node's https://…"),
        ("wss://node.example", "nodes are read over HTTP, not WebSocket: try https://node.example"),
    ] {
        let output = run(&["chains", filter], Some(KEY));
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert_eq!(stderr, format!("chainglass: {advice}\n"));
        assert_eq!(output.status.code(), Some(3), "{filter}");
    }
}

#[test]
fn well_known_chains_come_first() {
    let lines = stdout(&["chains"], None);
    let names: Vec<&str> =
        lines.lines().skip(2).take(5).filter_map(|line| line.split_whitespace().nth(1)).collect();
    assert_eq!(names, ["eth", "base", "arb", "op", "polygon"]);
}

#[test]
fn a_list_says_that_nothing_chose_its_chain() {
    let list = ["get", "token-transfers", "--limit", "1"];
    let output = run(&list, None);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert_eq!(stderr, "chainglass: invented data of the demo chain (--chain NAME for another)\n");
    assert!(run(&[&list[..], &["--chain", "demo"]].concat(), None).stderr.is_empty());
}

#[test]
fn unknown_chain_is_refused_with_suggestions() {
    let list = ["get", "token-transfers", "--chain"];
    for (chain, message) in [
        ("etereum", "did you mean eth (Ethereum)"),
        ("nope-nope", "`chainglass chains`"),
        ("bsc", "no Blockscout explorer is known for bsc (chain 56): use a node's https://…"),
        ("gnos", "matches several chains: gnosis (Gnosis), chiado"),
    ] {
        let output = run(&[&list[..], &[chain]].concat(), Some(KEY));
        assert_eq!((output.status.code(), output.stdout.len()), (Some(2), 0), "{chain}");
        let stderr = String::from_utf8(output.stderr).unwrap();
        assert!(stderr.contains(message) && stderr.lines().count() == 1, "{stderr}");
        assert!(!stderr.contains(KEY), "{stderr}");
    }
    let output = run(&["--chain", "nosuch", "0x1"], None);
    let stderr = String::from_utf8(output.stderr).unwrap();
    assert!(stderr.contains("unknown chain \"nosuch\""), "{stderr}");
}
