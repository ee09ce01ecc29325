//! The facts of a transaction below its head and its panels: its parties, its place in the chain and its price.

use super::chain_fields::push_chain_fields;
use super::coin_moves::may_run_code;
use super::fact_columns::{MIN_FACT_COLUMNS, side_by_side};
use super::fields::value_entry;
use super::gas_facts::{push_folded_gas, push_gas};
use super::parameters::{decoded_entries, guessed_entries};
use super::{TransactionDetail, overview, panels};
use crate::abi::DecodedRevert;
use crate::api::Field;
use crate::api::decoded_input::{DecodedInput, RevertReason};
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::chain::amount::{Grouped, Unit};
use crate::chain::{BlockId, Bytes};
use crate::columns::cells::failure_reason::{has_reverted, is_panic};
use crate::messages::page::PageMessage;
use crate::messages::transaction;
use crate::pane::PaneContext;
use crate::pane::detail::field_entries::{
    address_entry, display_entry, field_entry, missing_entry, number_entry,
};
use crate::pane::detail::value_entries::bytes_entries;
use crate::sanitize::SafeText;
use crate::ui::document::DocumentEntry;
use crate::ui::format::fits;
use crate::ui::theme::Role;

/// Columns of both prices of the coin: next to other facts there is no space for more.
const MAX_PRICE_COLUMNS: usize = 26;

/// Categories of transactions that the head and the panels show.
const SHOWN_CATEGORIES: [&str; 4] =
    ["coin_transfer", "contract_call", "contract_creation", "token_transfer"];

/// Appends the facts that are not in the head and the panels, with the entries of the call among them.
pub(super) fn push_facts(
    detail: &TransactionDetail,
    transaction: &Transaction,
    call: Vec<DocumentEntry>,
    cx: &PaneContext<'_>,
    entries: &mut Vec<DocumentEntry>,
) {
    let hash = DocumentEntry::text("hash", transaction.hash.to_string()).role(Role::Accent);
    let (mut parties, mut gas, mut block_data) = (vec![hash], Vec::new(), Vec::new());
    push_outcome(detail, transaction, cx, &mut parties);
    push_parties(transaction, cx, &mut parties);
    let balances = overview::balances_note(detail, transaction, cx);
    parties.extend(
        balances.map(|(note, role)| DocumentEntry::text("balances", note).copy("").role(role)),
    );
    if overview::shows_failure(transaction, cx) {
        push_folded_gas(transaction, cx, &mut gas);
    } else {
        push_gas(transaction, cx, &mut gas);
    }
    push_block_data(transaction, cx, &mut block_data);
    let prices = price_entries(transaction, cx);
    if cx.area.width < MIN_FACT_COLUMNS {
        entries.append(&mut parties);
        entries.extend(call.into_iter().chain(gas).chain(block_data).chain(prices));
    } else if overview::shows_failure(transaction, cx) {
        // The gas is folded, and leaves the other column free.
        block_data.extend(gas);
        panels::append(entries, side_by_side(parties, block_data, cx));
        entries.extend(call);
    } else {
        parties.append(&mut block_data);
        gas.extend(prices);
        panels::append(entries, side_by_side(parties, gas, cx));
        entries.extend(call);
    }
}

fn push_outcome(
    detail: &TransactionDetail,
    transaction: &Transaction,
    cx: &PaneContext<'_>,
    entries: &mut Vec<DocumentEntry>,
) {
    if !status_says_result(transaction) {
        entries.push(display_entry("result", &transaction.result));
    }
    let has_failed = transaction.outcome() == TransactionOutcome::Failed;
    match &transaction.revert_reason {
        // Other failures than a revert have no data.
        Field::Absent if !has_failed || !has_reverted(transaction) => {}
        // The head contains the reason, and a message or a panic has no other parts.
        Field::Present(RevertReason::Decoded(error)) if is_message(error) || is_panic(error) => {}
        Field::Present(RevertReason::Decoded(decoded)) => {
            entries.extend(decoded_entries("revert", decoded, &[], transaction, cx));
        }
        Field::Present(RevertReason::Raw(raw)) => entries.extend(raw_reason_entries(raw, cx)),
        missing => entries.extend(missing_entry("revert", missing)),
    }
    entries.extend(missing_entry("time", &transaction.timestamp));
    entries.extend(missing_entry("block", &transaction.block_number));
    // A development node mines when it is asked to, and nothing has to be confirmed.
    if !cx.network.is_development() && transaction.outcome() != TransactionOutcome::Dropped {
        let confirmed = confirmations_entry(transaction);
        let waited = waited_text(&transaction.confirmation_duration)
            .map(|waited| format!("{} {waited}", transaction::TIME_IN_POOL));
        let notes = overview::age_below(detail, transaction, cx).into_iter().chain(waited);
        let joined = notes.map(|note| format!("· {note}")).collect::<Vec<_>>().join(" ");
        entries.push(confirmed.side_note(&joined));
    }
}

/// Returns `true` for `Error(string)`.
fn is_message(error: &DecodedInput) -> bool {
    let parameters = error.parameters.value().map(Vec::as_slice).unwrap_or_default();
    error.method_call.value().is_some_and(|call| call.name() == "Error") && parameters.len() == 1
}

fn confirmations_entry(transaction: &Transaction) -> DocumentEntry {
    match (&transaction.confirmations, &transaction.block_number) {
        // A transaction in a block has some.
        (Field::Absent, Field::Present(_)) => DocumentEntry::note("confirmed", "?"),
        (confirmations, _) => field_entry("confirmed", confirmations, |n| {
            let blocks = if *n == 1 { "block" } else { "blocks" };
            let text = format!("by {} {blocks}", Grouped(n));
            DocumentEntry::text("confirmed", text).copy(n.to_string())
        }),
    }
}

/// Returns `true` if the status already contains the result.
fn status_says_result(transaction: &Transaction) -> bool {
    use TransactionOutcome::{Dropped, Failed, Pending, Unknown};
    match (transaction.outcome(), transaction.result.value()) {
        (Failed | Dropped | Pending | Unknown, result) => result.is_some(),
        (_, result) => result.is_some_and(|result| result == "success"),
    }
}

/// Returns revert data that the explorer did not decode, by known signatures.
fn raw_reason_entries(raw: &SafeText, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
    match raw.parse::<Bytes>() {
        Ok(data) if data.is_empty() => {
            vec![DocumentEntry::text("revert", "empty").copy("0x").role(Role::Dim)]
        }
        Ok(data) => match cx.signature_db.revert_reason(&data) {
            DecodedRevert::Empty | DecodedRevert::Unknown { .. } => bytes_entries("revert", data),
            // The head has the reason, and of an error its values in short.
            DecodedRevert::Custom(error) => {
                let decoded = guessed_entries("revert", &error, cx).into_iter();
                decoded.chain(bytes_entries("revert data", data)).collect()
            }
            DecodedRevert::Message(_) | DecodedRevert::Panic(_) | DecodedRevert::Text(_) => {
                Vec::new()
            }
        },
        Err(_) => vec![DocumentEntry::text("revert", raw.clone())],
    }
}

fn push_parties(transaction: &Transaction, cx: &PaneContext<'_>, entries: &mut Vec<DocumentEntry>) {
    entries.push(address_entry("from", &transaction.from, cx));
    entries.push(address_entry("to", &transaction.to, cx));
    match (&transaction.created_contract, transaction.created()) {
        (Field::Absent, _) => {}
        (_, Field::Absent) => {
            entries.push(DocumentEntry::note("created", "— (failed)"));
        }
        (_, created) => entries.push(address_entry("created", created, cx)),
    }
    entries.push(value_entry(&transaction.value, cx));
}

fn push_block_data(
    transaction: &Transaction,
    cx: &PaneContext<'_>,
    entries: &mut Vec<DocumentEntry>,
) {
    entries.push(number_entry("nonce", &transaction.nonce));
    entries.push(place_entry(transaction, cx));
    entries.push(field_entry("type", &transaction.kind, |n| {
        DocumentEntry::text("type", format!("{n}{}", transaction::type_name(*n)))
            .copy(n.to_string())
    }));
    entries.extend(category_entry(&transaction.transaction_types));
    if !matches!(transaction.transaction_tag, Field::Absent) {
        entries.push(display_entry("tag", &transaction.transaction_tag));
    }
    // All are reverted with a transaction that failed.
    if transaction.outcome() != TransactionOutcome::Failed && may_run_code(transaction) {
        entries.extend(missing_entry("inner calls", &transaction.has_inner_error));
    }
    let waited = &transaction.confirmation_duration;
    if waited_text(waited).is_none() && !waited.value().is_some_and(Vec::is_empty) {
        entries.push(list_entry(transaction::TIME_IN_POOL, waited));
    }
}

/// Returns the entry of the index, which leads to the block.
fn place_entry(transaction: &Transaction, cx: &PaneContext<'_>) -> DocumentEntry {
    field_entry("index", &transaction.position, |position| {
        let index = Grouped(*position).to_string();
        let Some(number) = transaction.block_number.value().filter(|_| !cx.is_in_block) else {
            return DocumentEntry::text("index", index).copy(position.to_string());
        };
        let place = format!("{index} {}", PageMessage::InBlock { number: *number });
        DocumentEntry::text("index", place)
            .copy(position.to_string())
            .link_block(BlockId::Number(*number))
    })
}

/// Returns the entry of further kinds of the transaction.
fn category_entry(kinds: &Field<Vec<SafeText>>) -> Option<DocumentEntry> {
    let Field::Present(kinds) = kinds else { return Some(list_entry("category", kinds)) };
    let others: Vec<String> = kinds
        .iter()
        .filter(|kind| !SHOWN_CATEGORIES.contains(&&***kind))
        .map(|kind| kind.replace('_', " "))
        .collect();
    (!others.is_empty()).then(|| DocumentEntry::text("category", others.join(", ")))
}

/// Returns the price of the coin then and now. Nodes know no prices.
fn price_entries(transaction: &Transaction, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
    if cx.network.endpoint.is_node() {
        return Vec::new();
    }
    let coin = Unit::Coin.name(cx.network);
    let [then, now] = [&transaction.historic_exchange_rate, &transaction.exchange_rate];
    let label = format!("{coin} then");
    if let (Some(before), Some(current)) = (then.value(), now.value()) {
        let both = format!("{} · now {}", price_text(before), price_text(current));
        if fits(&both, MAX_PRICE_COLUMNS) {
            return vec![DocumentEntry::text(&label, both)];
        }
    }
    vec![price_entry(&label, then), price_entry(&format!("{coin} now"), now)]
}

/// Returns the entry of the price of the chain's coin in US dollars.
fn price_entry(label: &str, price: &Field<SafeText>) -> DocumentEntry {
    field_entry(label, price, |price| {
        DocumentEntry::text(label, price_text(price)).copy(price.clone())
    })
}

fn price_text(price: &SafeText) -> String {
    let (whole, fraction) = price.split_at(price.find('.').unwrap_or(price.len()));
    let is_number = whole.bytes().all(|digit| digit.is_ascii_digit());
    let whole = if is_number { Grouped(whole).to_string() } else { whole.to_owned() };
    format!("${whole}{fraction}")
}

/// Returns the maximum of the times until it was in a block, which are in milliseconds.
fn waited_text(range: &Field<Vec<SafeText>>) -> Option<String> {
    at_most_seconds(range.value()?.last()?)
}

/// Returns milliseconds as a maximum of seconds: `≤ 12 s`.
pub(in crate::pane) fn at_most_seconds(ms: &str) -> Option<String> {
    let (whole, fraction) = ms.split_once('.').unwrap_or((ms, ""));
    let is_more = fraction.bytes().any(|digit| digit != b'0');
    let ms = whole.parse::<u64>().ok()?.checked_add(is_more.into())?;
    let tenths = ms.div_ceil(100);
    let seconds = format!("≤ {}.{} s", tenths / 10, tenths % 10);
    Some(seconds.replace(".0 s", " s"))
}

fn list_entry(label: &str, texts: &Field<Vec<SafeText>>) -> DocumentEntry {
    field_entry(label, texts, |texts| match texts.as_slice() {
        [] => DocumentEntry::text(label, "none").role(Role::Dim),
        texts => {
            DocumentEntry::text(label, texts.iter().map(|t| &**t).collect::<Vec<_>>().join(", "))
        }
    })
}

pub(super) fn push_extras(
    transaction: &Transaction,
    cx: &PaneContext<'_>,
    entries: &mut Vec<DocumentEntry>,
) {
    let actions = transaction.actions.value().into_iter().flatten();
    entries.extend(actions.map(|action| {
        let protocol = action.protocol.display_with(|p| (&**p).into());
        let kind = action.kind.display_with(|k| (&**k).into());
        let data = action.data.display_with(|d| (&*d.0).into());
        DocumentEntry::text("action", format!("{protocol} {kind} {data}"))
    }));
    push_chain_fields(transaction, cx, entries);
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn longest_wait_is_rounded_up() {
        let waits = ["6364", "1200.0", "2000.5", "12000"].map(at_most_seconds);
        assert_eq!(waits.map(Option::unwrap), ["≤ 6.4 s", "≤ 1.2 s", "≤ 2.1 s", "≤ 12 s"]);
        assert_eq!(["", "-1", "x"].map(at_most_seconds), [None, None, None]);
    }
}
