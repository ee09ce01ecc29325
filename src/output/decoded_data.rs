//! Meanings of data, as text or JSON.

use std::io::{self, Write};

use serde_json::{Value, json};

use super::{CliError, ignore_broken_pipe, print_lines};
use crate::abi::{DataMeaning, DeclarationKind, DecodedCall, DecodedEvent, DecodedRevert};
use crate::chain::raw_transaction::{GasFees, RawTransaction};
use crate::chain::{Address, B256, U256};
use crate::messages::column;
use crate::pane::decoded_data::DataFormatter;
use crate::sanitize::json_line;
use crate::ui::document::{DocumentEntry, EntryValue};

/// Maximum columns of labels before the values.
const MAX_LABEL_COLUMNS: usize = 24;

/// Prints a line for each entry, indented by its level. Bytes are printed whole.
pub fn print_text(entries: &[DocumentEntry]) -> Result<(), CliError> {
    if entries.is_empty() {
        return print_lines(column::EMPTY_DATA);
    }
    let indented =
        |entry: &DocumentEntry| format!("{}{}", "  ".repeat(entry.level.into()), entry.label);
    let widths = entries.iter().map(|entry| indented(entry).chars().count());
    let width = widths.max().unwrap_or(0).min(MAX_LABEL_COLUMNS);
    let mut lines = String::new();
    for (n, entry) in entries.iter().enumerate() {
        let is_hex = |entry: &DocumentEntry| matches!(entry.value, EntryValue::Hex(_));
        let value = match &entry.value {
            EntryValue::Hex(_) => continue,
            EntryValue::Text(_) if entries.get(n + 1).is_some_and(is_hex) => entry.copy_text(),
            EntryValue::Text(text) => text.clone(),
            _ => entry.copy_text(),
        };
        let label = indented(entry);
        lines.push_str(format!("{label:<width$}  {value}").trim_end());
        lines.push('\n');
    }
    print_lines(&lines)
}

/// Prints one object with the input, its meanings and their risks.
pub fn print_json(
    input: &str,
    meanings: &[DataMeaning],
    contract: Option<Address>,
    formatter: &DataFormatter<'_>,
) -> Result<(), CliError> {
    let risks: Vec<String> =
        formatter.describe_risks(meanings, contract).iter().map(ToString::to_string).collect();
    let meanings: Vec<Value> = meanings.iter().map(meaning_json).collect();
    let object = json!({ "input": input, "meanings": meanings, "risks": risks });
    let line = json_line(&object.to_string());
    writeln!(io::stdout(), "{line}").or_else(ignore_broken_pipe)
}

fn meaning_json(meaning: &DataMeaning) -> Value {
    let strings = |texts: &[_]| -> Vec<String> { texts.iter().map(ToString::to_string).collect() };
    match meaning {
        DataMeaning::Transaction { transaction, call } => {
            transaction_json(transaction, call.as_ref())
        }
        DataMeaning::Call(call) => with("kind", "calldata".into(), json!(call)),
        DataMeaning::Revert(DecodedRevert::Custom(error)) => {
            with("kind", "revert data".into(), json!(error))
        }
        DataMeaning::Revert(revert) => {
            json!({ "kind": "revert data", "reason": revert.describe().to_string() })
        }
        DataMeaning::UnknownSelector(selector) => {
            json!({ "kind": "unknown", "selector": hex(selector) })
        }
        DataMeaning::Functions(found) => {
            json!({ "kind": "function", "signatures": strings(found) })
        }
        DataMeaning::Errors(found) => json!({ "kind": "error", "signatures": strings(found) }),
        DataMeaning::Events(found) => json!({ "kind": "event", "signatures": strings(found) }),
        DataMeaning::Log(event) => log_json(event),
        DataMeaning::Slot(name) => json!({ "kind": "storage slot", "name": name }),
        DataMeaning::Hash(hash) => json!({ "kind": "hash", "value": hash.to_string() }),
        DataMeaning::ReturnValues(values) => {
            json!({ "kind": "return data", "values": values })
        }
        DataMeaning::Address(address) => json!({ "kind": "address", "address": text(address) }),
        DataMeaning::Delegation(to) => json!({ "kind": "delegation", "address": text(to) }),
        DataMeaning::Clone(to) => json!({ "kind": "clone", "address": text(to) }),
        DataMeaning::Code(selectors) => {
            let selectors: Vec<String> = selectors.iter().map(|bytes| hex(bytes)).collect();
            json!({ "kind": "code", "selectors": selectors })
        }
        DataMeaning::Text(text) => json!({ "kind": "text", "text": text.to_string() }),
        DataMeaning::Number(number) => {
            json!({ "kind": "number", "decimal": number.to_string(), "hex": format!("{number:#x}") })
        }
        DataMeaning::Words(words) => {
            let words: Vec<String> = words.iter().map(B256::to_string).collect();
            json!({ "kind": "words", "words": words })
        }
        DataMeaning::Declaration(declared) => json!({
            "kind": "signature",
            "signature": declared.canonical.to_string(),
            "selector": (declared.kind != DeclarationKind::Event).then(|| hex(&declared.selector())),
            "topic": (declared.kind != DeclarationKind::Call).then(|| declared.hash.to_string()),
        }),
    }
}

fn with(name: &str, value: Value, mut object: Value) -> Value {
    if let Value::Object(fields) = &mut object {
        fields.insert(name.to_owned(), value);
    }
    object
}

fn log_json(event: &DecodedEvent) -> Value {
    let arguments = event.arguments.iter();
    let arguments =
        arguments.map(|one| with("is_indexed", one.is_indexed.into(), json!(one.argument)));
    json!({
        "kind": "log",
        "name": event.name.to_string(),
        "signature": event.signature.to_string(),
        "source": event.source.describe().to_string(),
        "is_guess": event.is_guess(),
        "arguments": arguments.collect::<Vec<_>>(),
    })
}

fn transaction_json(transaction: &RawTransaction, call: Option<&DecodedCall>) -> Value {
    let number = |number: &U256| number.to_string();
    let (price, max_fee, max_tip, blob_fee) = match &transaction.fees {
        GasFees::Price(price) => (Some(number(price)), None, None, None),
        GasFees::Market { max_fee, max_tip, max_blob_fee } => {
            let blob_fee = max_blob_fee.as_ref().map(number);
            (None, Some(number(max_fee)), Some(number(max_tip)), blob_fee)
        }
    };
    let access = transaction.access_list.iter().map(|item| {
        let slots: Vec<String> = item.slots.iter().map(B256::to_string).collect();
        json!({ "address": text(&item.address), "slots": slots })
    });
    let delegations = transaction.authorizations.iter().map(|signed| {
        json!({
            "chain_id": signed.chain_id.to_string(),
            "delegate": text(&signed.delegate),
            "nonce": signed.nonce.to_string(),
            "account": signed.authority.ok().as_ref().map(text),
        })
    });
    json!({
        "kind": "transaction",
        "hash": transaction.hash.to_string(),
        "type": transaction.kind,
        "chain_id": transaction.chain_id.map(|id| id.to_string()),
        "from": transaction.sender.ok().as_ref().map(text),
        "to": transaction.to.as_ref().map(text),
        "value": number(&transaction.value),
        "nonce": transaction.nonce.to_string(),
        "gas_limit": transaction.gas_limit.to_string(),
        "gas_price": price,
        "max_fee_per_gas": max_fee,
        "max_priority_fee_per_gas": max_tip,
        "max_fee_per_blob_gas": blob_fee,
        "access_list": access.collect::<Vec<_>>(),
        "blob_hashes": transaction.blob_hashes.iter().map(B256::to_string).collect::<Vec<_>>(),
        "authorizations": delegations.collect::<Vec<_>>(),
        "input": transaction.input.to_string(),
        "call": call,
    })
}

fn hex(bytes: &[u8]) -> String {
    alloy_primitives::hex::encode_prefixed(bytes)
}

fn text(address: &Address) -> String {
    address.to_string()
}
