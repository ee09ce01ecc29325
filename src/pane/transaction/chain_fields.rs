//! Fields that transactions and blocks of some chains have, with names and units: blobs, delegations, the fees
//! and batches of rollups, and what other chains add. What is not known here is listed raw.

use serde_json::Value;

use crate::api::Field;
use crate::api::address::AddressRef;
use crate::api::endpoints::block::Block;
use crate::api::json_fields::ExtraFields;
use crate::api::transactions::Transaction;
use crate::chain::decimal::Decimal;
use crate::chain::{Address, U256};
use crate::messages::transaction;
use crate::pane::PaneContext;
use crate::pane::detail::field_entries::{
    address_entry, coin_entry, field_entry, gas_price_entry, number_entry, time_entry,
};
use crate::sanitize::SafeText;
use crate::ui::document::DocumentEntry;

/// Unit of a field.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum FieldUnit {
    /// Wei.
    Coin,
    /// Wei per unit of gas.
    GasPrice,
    Count,
    Text,
    /// Has no entry if it is zero or false, as usual.
    Unusual,
    Time,
    Percent,
    Address,
}

use FieldUnit::{Address as Party, Coin, Count, GasPrice, Percent, Text, Time, Unusual};

/// A path in the JSON of a transaction, the label of the field, and its unit.
type ChainField = (&'static str, &'static str, FieldUnit);

/// The fields of [`Transaction::extra_fields`] that are known, in the order of their entries.
const CHAIN_FIELDS: &[ChainField] = &[
    ("blob_gas_used", "blob gas", Count),
    ("blob_gas_price", transaction::BLOB_GAS_PRICE, GasPrice),
    ("max_fee_per_blob_gas", transaction::MAX_BLOB_PRICE, GasPrice),
    ("burnt_blob_fee", transaction::BURNT_FOR_BLOBS, Coin),
    // Optimism
    ("l1_fee", "L1 fee", Coin),
    ("l1_gas_used", transaction::L1_GAS_USED, Count),
    ("l1_gas_price", transaction::L1_GAS_PRICE, GasPrice),
    ("l1_fee_scalar", transaction::L1_FEE_SCALAR, Text),
    ("operator_fee", "operator fee", Coin),
    ("da_footprint_gas_scalar", transaction::FOOTPRINT_SCALAR, Text),
    ("scroll.l2_block_status", "rollup status", Text),
    ("scroll.l1_fee", "L1 fee", Coin),
    ("scroll.l2_fee.value", "L2 fee", Coin),
    ("scroll.l2_fee.type", transaction::L2_FEE_TYPE, Text),
    ("scroll.l1_gas_used", transaction::L1_GAS_USED, Count),
    ("scroll.l1_base_fee", transaction::L1_BASE_FEE, GasPrice),
    ("scroll.l1_blob_base_fee", transaction::L1_BLOB_BASE_FEE, GasPrice),
    ("scroll.l1_fee_scalar", transaction::L1_FEE_SCALAR, Text),
    ("scroll.l1_fee_commit_scalar", transaction::L1_COMMIT_SCALAR, Text),
    ("scroll.l1_fee_blob_scalar", transaction::L1_BLOB_SCALAR, Text),
    ("scroll.l1_fee_overhead", transaction::L1_FEE_OVERHEAD, Text),
    ("scroll.queue_index", "queue index", Count),
    ("arbitrum.status", "rollup status", Text),
    ("arbitrum.batch_number", "batch", Count),
    ("arbitrum.gas_used_for_l1", transaction::GAS_FOR_L1, Count),
    ("arbitrum.gas_used_for_l2", transaction::GAS_FOR_L2, Count),
    ("arbitrum.poster_fee", "poster fee", Coin),
    ("arbitrum.network_fee", "network fee", Coin),
    ("arbitrum.commitment_transaction.hash", "commitment L1", Text),
    ("arbitrum.commitment_transaction.timestamp", "committed", Time),
    ("arbitrum.commitment_transaction.status", "commitment", Text),
    ("arbitrum.confirmation_transaction.hash", "confirmation L1", Text),
    ("arbitrum.confirmation_transaction.timestamp", "confirmed L1", Time),
    ("arbitrum.confirmation_transaction.status", "confirmation", Text),
    ("arbitrum.contains_message", "message", Text),
    ("arbitrum.message_related_info.message_status", "message status", Text),
    ("arbitrum.message_related_info.message_id", "message id", Text),
    ("arbitrum.message_related_info.associated_l1_transaction", "message L1", Text),
    ("arbitrum.message_related_info.associated_l1_transaction_hash", "message L1", Text),
    ("zksync.status", "rollup status", Text),
    ("zksync.batch_number", "batch", Count),
    ("zksync.commit_transaction_hash", "commit L1", Text),
    ("zksync.commit_transaction_timestamp", "committed", Time),
    ("zksync.prove_transaction_hash", "proof L1", Text),
    ("zksync.prove_transaction_timestamp", "proven", Time),
    ("zksync.execute_transaction_hash", "execution L1", Text),
    ("zksync.execute_transaction_timestamp", "executed", Time),
    ("celo.gas_token.symbol", "gas token", Text),
    ("celo.gas_token.name", transaction::GAS_TOKEN_NAME, Text),
    ("celo.gas_token.address_hash", "gas contract", Party),
    ("zilliqa.is_scilla", transaction::SCILLA, Text),
    ("fhe_operations_count", "FHE operations", Unusual),
    ("is_pending_update", "update pending", Unusual),
];

/// The fields of a block that are known.
const BLOCK_FIELDS: &[ChainField] = &[
    ("gas_target_percentage", transaction::GAS_VERSUS_TARGET, Percent),
    ("blob_transactions_count", "blob txs", Count),
    ("blob_gas_used", "blob gas", Count),
    ("blob_gas_price", transaction::BLOB_GAS_PRICE, GasPrice),
    ("burnt_blob_fees", transaction::BURNT_FOR_BLOBS, Coin),
    ("excess_blob_gas", transaction::EXCESS_BLOB_GAS, Count),
    // Rootstock
    ("minimum_gas_price", transaction::MIN_GAS_PRICE, GasPrice),
    ("hash_for_merged_mining", transaction::MERGED_MINING, Text),
    ("bitcoin_merged_mining_header", "Bitcoin header", Text),
    ("bitcoin_merged_mining_coinbase_transaction", "Bitcoin coinbase", Text),
    ("bitcoin_merged_mining_merkle_proof", "Bitcoin proof", Text),
    ("zilliqa.view", "view", Count),
];

/// Parts of objects that are about their token, which has a page of its own.
const TOKEN_PATHS: [&str; 1] = ["celo.gas_token"];

pub(super) fn push_chain_fields(
    transaction: &Transaction,
    cx: &PaneContext<'_>,
    entries: &mut Vec<DocumentEntry>,
) {
    let hashes = transaction.blob_hashes.value().into_iter().flatten();
    entries.extend(hashes.map(|hash| DocumentEntry::text("blob", hash.clone())));
    let delegations = transaction.authorization_list.value().into_iter().flatten();
    entries.extend(delegations.flat_map(|json| delegation_entries(&json.0, cx)));
    push_fields(&transaction.extra_fields, CHAIN_FIELDS, cx, entries);
}

pub fn push_block_fields(block: &Block, cx: &PaneContext<'_>, entries: &mut Vec<DocumentEntry>) {
    push_fields(&block.extra_fields, BLOCK_FIELDS, cx, entries);
}

fn push_fields(
    fields: &ExtraFields,
    known: &[ChainField],
    cx: &PaneContext<'_>,
    entries: &mut Vec<DocumentEntry>,
) {
    let mut raw: Vec<(&SafeText, SafeText)> = Vec::new();
    for (name, json) in fields {
        let parsed = serde_json::from_str::<Value>(json);
        let Some(mut rest) = parsed.ok().filter(|_| is_known(name, known)) else {
            raw.push((name, json.clone()));
            continue;
        };
        entries.extend(take_known(name, &mut rest, known, cx));
        if prune(&mut rest) {
            raw.push((name, SafeText::new(&rest.to_string())));
        }
    }
    if !raw.is_empty() {
        entries.push(DocumentEntry::text("raw fields", raw.len().to_string()).fold(false));
    }
    entries.extend(raw.into_iter().map(|(name, json)| DocumentEntry::text(name, json).at_level(1)));
}

fn is_known(name: &str, known: &[ChainField]) -> bool {
    name == "op_withdrawals" || known.iter().any(|(path, ..)| path.split('.').next() == Some(name))
}

/// Takes the known parts out of a field, as entries.
fn take_known(
    name: &str,
    json: &mut Value,
    known: &[ChainField],
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    if name == "op_withdrawals" {
        return take_withdrawals(json);
    }
    let mut entries = Vec::new();
    for (path, label, unit) in known {
        let mut parts = path.split('.');
        if parts.next() == Some(name)
            && let Some(text) = take_text(json, parts, *unit)
            && !(*unit == Unusual && matches!(&*text, "0" | "false"))
        {
            entries.push(chain_entry(label, &text, *unit, cx));
        }
    }
    for path in TOKEN_PATHS {
        if let Some(inner) = path.strip_prefix(name).and_then(|rest| rest.strip_prefix('.')) {
            json.as_object_mut().map(|object| object.remove(inner));
        }
    }
    entries
}

/// Takes a scalar out of nested objects. A number that cannot be held exactly stays.
fn take_text<'a>(
    json: &mut Value,
    mut parts: impl Iterator<Item = &'a str>,
    unit: FieldUnit,
) -> Option<SafeText> {
    let place = parts.try_fold(json, |json, part| json.get_mut(part))?;
    let text = match &*place {
        Value::String(text) => SafeText::new(text),
        Value::Bool(value) => SafeText::new(&value.to_string()),
        Value::Number(number) if number.is_u64() || matches!(unit, Text | Percent) => {
            SafeText::new(&number.to_string())
        }
        _ => return None,
    };
    *place = Value::Null;
    Some(text)
}

/// Removes nulls, also from inner objects. Returns `true` if something is left.
fn prune(json: &mut Value) -> bool {
    if let Value::Object(fields) = json {
        fields.retain(|_, field| prune(field));
        return !fields.is_empty();
    }
    !json.is_null()
}

fn chain_entry(
    label: &str,
    text: &SafeText,
    unit: FieldUnit,
    cx: &PaneContext<'_>,
) -> DocumentEntry {
    match unit {
        Coin => coin_entry(label, &parsed::<U256>(text), cx),
        GasPrice => gas_price_entry(label, &parsed(text)),
        Count => number_entry(label, &parsed(text)),
        Text | Unusual => DocumentEntry::text(label, text.clone()),
        Percent => percent_entry(label, text),
        Time => time_entry(label, &parsed(text), cx),
        Party => field_entry(label, &parsed::<Address>(text), |address| {
            DocumentEntry::text(label, address.to_string()).link_address(*address)
        }),
    }
}

fn percent_entry(label: &str, text: &SafeText) -> DocumentEntry {
    let (sign, size) = text.strip_prefix('-').map_or(("", &**text), |size| ("−", size));
    let size =
        size.parse::<Decimal>().map_or_else(|_| Field::Invalid(text.clone()), Field::Present);
    field_entry(label, &size, |size| {
        let digits = size.to_string();
        let digits = digits.strip_suffix(".0").unwrap_or(&digits);
        DocumentEntry::text(label, format!("{sign}{digits}%")).copy(text.clone())
    })
}

fn parsed<T: std::str::FromStr>(text: &SafeText) -> Field<T> {
    text.parse().map_or_else(|_| Field::Invalid(text.clone()), Field::Present)
}

/// Takes the withdrawals of an Optimism transaction to L1: nonce, status, and the transaction there.
fn take_withdrawals(json: &mut Value) -> Vec<DocumentEntry> {
    let Some(items) = json.as_array() else { return Vec::new() };
    let entry = |item: &Value| {
        let parts = ["nonce", "status", "l1_transaction_hash"];
        DocumentEntry::text("to L1", joined(item, &parts))
    };
    let entries = items.iter().map(entry).collect();
    *json = Value::Null;
    entries
}

/// Returns the account of a delegation (EIP-7702), the contract whose code it runs, and the authorization with its
/// JSON below it.
fn delegation_entries(json: &SafeText, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
    let raw = DocumentEntry::text("authorization", json.clone());
    let Ok(item) = serde_json::from_str::<Value>(json) else { return vec![raw] };
    let address = |name: &str| item.get(name)?.as_str()?.parse::<Address>().ok();
    let delegate = address("address_hash").or_else(|| address("address"));
    let (Some(authority), Some(delegate)) = (address("authority"), delegate) else {
        return vec![raw];
    };
    let rest = joined(&item, &["status", "nonce", "chain_id"]);
    let party =
        |label, address| address_entry(label, &Field::Present(AddressRef::unnamed(address)), cx);
    let authorization = DocumentEntry::text("authorization", rest).fold(false);
    let accounts = [party("delegation", authority), party(transaction::RUN_CODE, delegate)];
    accounts.into_iter().chain([authorization, raw.at_level(1)]).collect()
}

/// Joins the fields of an object that are there, with their names.
fn joined(item: &Value, names: &[&str]) -> SafeText {
    let shown = |name: &&str| {
        let text = match item.get(*name)? {
            Value::String(text) => text.clone(),
            Value::Null => return None,
            other => other.to_string(),
        };
        Some(format!("{} {text}", name.replace('_', " ")))
    };
    SafeText::new(&names.iter().filter_map(shown).collect::<Vec<_>>().join(" · "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::document::EntryValue;

    #[test]
    fn percentages_are_numbers() {
        for (sent, shown) in [
            ("12.5", "12.5%"),
            ("-97.0", "−97%"),
            ("1e-7", "0.0000001%"),
            ("abc", "?"),
            ("NaN", "?"),
            ("-", "?"),
        ] {
            let entry = percent_entry("", &SafeText::new(sent));
            let EntryValue::Text(text) = &entry.value else { panic!("{entry:?}") };
            assert!(text.starts_with(shown), "{sent}: {text}");
        }
    }
}
