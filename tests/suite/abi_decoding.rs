//! Decodes the demo chain's calls and errors and compares them with its records.

use std::collections::HashMap;
use std::fs::File;
use std::io::{BufRead, BufReader};
use std::path::Path;

use alloy_primitives::hex;
use chainglass::test_api::abi::{DecodedCall, DecodedRevert, SignatureDb, ValueFormat};
use flate2::read::GzDecoder;
use serde_json::Value;

/// Compares a call or error with its record. Functions of two token standards can share a selector
/// but not parameter names: the signature table has no names for those.
fn check(record: &Value, ours: &DecodedCall) {
    let call = record["method_call"].as_str().unwrap();
    assert_eq!(call.split('(').next(), Some(&*ours.name), "{record}");
    let parameters = record["parameters"].as_array().unwrap();
    assert_eq!(parameters.len(), ours.arguments.len());
    for (parameter, argument) in parameters.iter().zip(&ours.arguments) {
        if !argument.name.is_empty() {
            assert_eq!(parameter["name"], *argument.name, "{call}");
        }
        assert_eq!(parameter["type"], *argument.type_name);
        if let Some(text) = parameter["value"].as_str() {
            assert_eq!(
                chainglass::test_api::sanitize::sanitize(text),
                *argument.value.format_full(ValueFormat::Natural)
            );
        }
    }
}

/// Reads a table of the demo chain's archive, which has one member or several.
fn table(name: &str) -> Vec<Value> {
    let path = concat!(env!("CARGO_MANIFEST_DIR"), "/assets/demo/chain.zip");
    let mut zip = zip::ZipArchive::new(File::open(path).unwrap()).unwrap();
    let mut rows = Vec::new();
    for n in 0..zip.len() {
        let member = zip.by_index(n).unwrap();
        if member.name().strip_prefix(name).is_some_and(|rest| rest.starts_with(['.', '/'])) {
            let lines = BufReader::new(member).lines();
            rows.extend(lines.map(|row| serde_json::from_str::<Value>(&row.unwrap()).unwrap()));
        }
    }
    rows
}

#[test]
fn demo_chain_calls_and_errors_decode_as_recorded() {
    let mut book = SignatureDb::builtin();
    for contract in table("contracts") {
        let file = format!("{}.json", contract["name"].as_str().unwrap());
        book.add_abi(Path::new(&file), &contract["abi"].to_string()).unwrap();
    }
    let accounts: HashMap<String, Value> = (table("addresses").into_iter())
        .map(|account| (account["hash"].as_str().unwrap().to_lowercase(), account))
        .collect();
    let recorded = GzDecoder::new(&include_bytes!("../data/decodings.jsonl.gz")[..]);
    let recorded: HashMap<String, Value> = BufReader::new(recorded)
        .lines()
        .map(|row| serde_json::from_str(&row.unwrap()).unwrap())
        .map(|row: Value| (row["hash"].as_str().unwrap().to_owned(), row))
        .collect();
    let (mut calls, mut errors) = (0, 0);
    for row in table("transactions") {
        let bytes = |name: &str| hex::decode(row[name].as_str().unwrap_or_default()).unwrap();
        let decoding = recorded.get(row["hash"].as_str().unwrap()).unwrap_or(&Value::Null);
        if decoding["decoded_input"].is_object() {
            let account = &accounts[row["to"].as_str().unwrap()];
            let names = [&account["implementations"][0]["name"], &account["name"]];
            let names: Vec<&str> = names.into_iter().filter_map(Value::as_str).collect();
            let ours = book.decode_call(None, &names, &bytes("raw_input"));
            let ours = ours.unwrap_or_else(|| panic!("{row}"));
            check(&decoding["decoded_input"], &ours);
            assert!(!ours.is_guess(), "{row}");
            calls += 1;
        }
        match book.revert_reason(&bytes("revert_reason")) {
            DecodedRevert::Custom(ours) => check(&decoding["revert_decoded"], &ours),
            DecodedRevert::Message(text) => {
                let record = &decoding["revert_decoded"]["parameters"][0]["value"];
                assert_eq!(
                    chainglass::test_api::sanitize::sanitize(record.as_str().unwrap()),
                    *text
                );
            }
            DecodedRevert::Panic(code) => {
                let record = &decoding["revert_decoded"]["parameters"][0]["value"];
                assert_eq!(record.as_str(), Some(&*code.to_string()));
            }
            _ => {
                assert!(decoding["revert_decoded"].is_null(), "{row}");
                continue;
            }
        }
        errors += 1;
    }
    assert!(calls > 1_000 && errors > 30, "{calls} calls and {errors} errors");
}
