//! The pane of one transaction.

use std::sync::Arc;

use super::PaneContext;
use super::detail::{DetailPane, DetailRequest, DetailSource, LoadedDetail};
use crate::action::Action;
use crate::api::address::AddressRef;
use crate::api::decoded_input::{DecodedInput, DecodedParameter, RevertReason};
use crate::api::token::Token;
use crate::api::token_transfers::TokenTransfer;
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::api::{Field, Item, Query, Reply};
use crate::chain::abbreviate::abbreviate;
use crate::chain::{Address, TxHash, U256, amount};
use crate::columns::cells::{address_line, token_line};
use crate::columns::text::csv_line;
use crate::columns::{CopyValue, Row};
use crate::safety::address_poisoning::Evidence;
use crate::sanitize::SafeText;
use crate::ui::document::{DocumentEntry, EntryValue};
use crate::ui::format::cut;
use crate::ui::theme::Role;

/// How far names and values are cut in the sentence about a call.
const MAX_NAME_COLUMNS: usize = 24;

pub fn from_hash(hash: TxHash) -> DetailPane {
    DetailPane::from_query(request(hash), hash.to_string().into())
}

fn request(hash: TxHash) -> DetailRequest {
    DetailRequest { query: Query::Transaction(hash), load: load_detail }
}

pub fn from_item(item: &Arc<Item<Transaction>>) -> DetailPane {
    let request = item.parsed.as_ref().ok().map(|transaction| request(transaction.hash));
    let detail = DetailPane::from_loaded(loaded_detail(item, true), request);
    if item.parsed.as_ref().is_ok_and(Transaction::is_complete) {
        detail.complete()
    } else {
        detail
    }
}

fn load_detail(reply: Reply) -> Option<LoadedDetail> {
    match reply {
        Reply::Transaction(item) => Some(loaded_detail(&item, false)),
        _ => None,
    }
}

fn loaded_detail(item: &Arc<Item<Transaction>>, is_from_list: bool) -> LoadedDetail {
    let detail = |_| Box::new(TransactionDetail { item: item.clone(), is_from_list }) as _;
    let source = item.parsed.as_ref().map(detail).map_err(Clone::clone);
    LoadedDetail { source, raw: Some(item.raw.clone()) }
}

#[derive(Debug)]
struct TransactionDetail {
    item: Arc<Item<Transaction>>,
    /// It is a row of a list, which has no token transfers.
    is_from_list: bool,
}

impl DetailSource for TransactionDetail {
    fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let Ok(transaction) = &self.item.parsed else { return Vec::new() };
        document_entries(transaction, self.is_from_list, cx)
    }

    fn copy_value(&self, action: Action, viewed: Option<Address>) -> Option<CopyValue> {
        let transaction = self.item.parsed.as_ref().ok()?;
        match action {
            Action::CopyRow => Some(CopyValue::new(action, "row", Some(csv_line(transaction)))),
            _ => transaction.copy_value(action, viewed),
        }
    }

    fn evidence(&self, viewed: Option<Address>) -> Vec<(Address, Evidence)> {
        let Ok(transaction) = &self.item.parsed else { return Vec::new() };
        let transfers = transaction.token_transfers.value().into_iter().flatten();
        let in_transfers = transfers.flat_map(|transfer| transfer.evidence(viewed));
        transaction.evidence(viewed).into_iter().chain(in_transfers).collect()
    }
}

/// Returns an entry for every field, the most important first.
fn document_entries(
    transaction: &Transaction,
    is_from_list: bool,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let mut entries: Vec<DocumentEntry> = call_sentence(transaction, cx).into_iter().collect();
    entries.push(DocumentEntry::text("hash", transaction.hash.to_string()).role(Role::Accent));
    push_outcome(transaction, cx, &mut entries);
    push_parties(transaction, cx, &mut entries);
    push_call(transaction, &mut entries);
    match transaction.token_transfers {
        Field::Absent if is_from_list => {
            entries.push(DocumentEntry::text("transfers", "not loaded").copy("").role(Role::Dim));
        }
        _ => push_transfers(transaction, &mut entries),
    }
    push_gas(transaction, cx, &mut entries);
    push_block_data(transaction, &mut entries);
    push_extras(transaction, &mut entries);
    entries
}

/// Says in one line who did what: `bob.eth → Router.swapExactIn(amt 2500, to bob.eth)`.
fn call_sentence(transaction: &Transaction, cx: &PaneContext<'_>) -> Option<DocumentEntry> {
    let from = short_name(transaction.from.value()?.hash, cx);
    let value = transaction.value.value().filter(|wei| !wei.is_zero());
    let value = value.map(|wei| cx.format.unit.format_exact(*wei, cx.network));
    let sentence = match (transaction.to.value(), transaction.known_method().value()) {
        (None, _) => {
            let created = short_name(transaction.created().value()?.hash, cx);
            format!("{from} creates {created}")
        }
        (Some(to), None) => {
            format!("{from} sends {} to {}", value?, short_name(to.hash, cx))
        }
        (Some(to), Some(method)) => {
            let parameters =
                transaction.decoded_input.value().and_then(|call| call.parameters.value());
            let parameters = parameters.map(Vec::as_slice).unwrap_or_default().iter();
            let parameters: Vec<String> = parameters.map(|it| short_parameter(it, cx)).collect();
            let paid = value.map(|value| format!(" with {value}")).unwrap_or_default();
            let to = short_name(to.hash, cx);
            format!("{from} → {to}.{method}({}){paid}", parameters.join(", "))
        }
    };
    Some(DocumentEntry::text("what", sentence).role(Role::Title))
}

fn short_name(address: Address, cx: &PaneContext<'_>) -> String {
    let known = || cx.name_cache.name(&address)?.label.as_deref().map(str::to_owned);
    let name = cx.name_cache.labels().decorated_name(&address).or_else(known);
    name.map_or_else(|| abbreviate(&address), |name| cut(&name, MAX_NAME_COLUMNS).into_owned())
}

fn short_parameter(parameter: &DecodedParameter, cx: &PaneContext<'_>) -> String {
    let value = match parameter.value.value().map(|value| &*value.0) {
        None => "?".into(),
        Some(list) if list.starts_with('[') => "[…]".to_owned(),
        Some(value) => match value.parse() {
            Ok(address) => short_name(address, cx),
            Err(_) => cut(value, MAX_NAME_COLUMNS).into_owned(),
        },
    };
    let name = parameter.name.value().filter(|name| !name.is_empty());
    name.map_or_else(|| value.clone(), |name| format!("{name} {value}"))
}

fn number_entry(label: &str, value: &Field<u64>) -> DocumentEntry {
    DocumentEntry::field(label, value, |n| {
        DocumentEntry::text(label, amount::group_digits(&n.to_string())).copy(n.to_string())
    })
}

pub fn address_entry(label: &str, value: &Field<AddressRef>) -> DocumentEntry {
    DocumentEntry::field(label, value, |a| {
        DocumentEntry::text(label, address_line(a)).copy(a.hash.to_string()).link_address(a.hash)
    })
}

pub fn token_entry(token: &Field<Token>) -> DocumentEntry {
    DocumentEntry::field("token", token, |token| {
        let entry = DocumentEntry::text("token", token_line(token));
        match token.address.value() {
            Some(address) => entry.copy(address.to_string()).link_token(*address),
            None => entry,
        }
    })
}

/// Returns the entry of an amount of the chain's coin, which is copied in wei.
fn coin_entry(label: &str, value: &Field<U256>, cx: &PaneContext<'_>) -> DocumentEntry {
    DocumentEntry::field(label, value, |wei| {
        let role = if wei.is_zero() { Role::Plain } else { Role::Value };
        let amount = cx.format.unit.format_exact(*wei, cx.network);
        DocumentEntry::text(label, amount).copy(wei.to_string()).role(role)
    })
}

/// Returns the entry of a gas price in gwei, which is copied in wei.
fn gas_price_entry(label: &str, value: &Field<U256>) -> DocumentEntry {
    DocumentEntry::field(label, value, |wei| {
        let gwei = format!("{} gwei", amount::format_exact(*wei, 9));
        DocumentEntry::text(label, gwei).copy(wei.to_string())
    })
}

fn push_outcome(transaction: &Transaction, cx: &PaneContext<'_>, entries: &mut Vec<DocumentEntry>) {
    let role = match transaction.outcome() {
        TransactionOutcome::Ok => Role::Ok,
        TransactionOutcome::OkInnerFailure | TransactionOutcome::Unknown => Role::Warning,
        TransactionOutcome::Failed => Role::Failed,
        TransactionOutcome::Pending => Role::Dim,
    };
    entries.push(DocumentEntry::text("status", transaction.describe_outcome()).role(role));
    if !status_says_result(transaction) {
        entries.push(DocumentEntry::from_display("result", &transaction.result));
    }
    match &transaction.revert_reason {
        Field::Present(RevertReason::Decoded(decoded)) => push_decoded("revert", decoded, entries),
        other => entries.push(DocumentEntry::field("revert", other, raw_reason_entry)),
    }
    entries.push(DocumentEntry::field("time", &transaction.timestamp, |then| {
        DocumentEntry::text("time", cx.format.full_time(*then, cx.now)).copy(then.to_string())
    }));
    entries.push(number_entry("block", &transaction.block_number));
    entries.push(match (&transaction.confirmations, &transaction.block_number) {
        // A transaction in a block has some.
        (Field::Absent, Field::Present(_)) => {
            DocumentEntry::text("confirmations", "?").copy("").role(Role::Dim)
        }
        (confirmations, _) => number_entry("confirmations", confirmations),
    });
}

/// Returns whether the status says everything that the result says.
fn status_says_result(transaction: &Transaction) -> bool {
    use TransactionOutcome::{Failed, Pending, Unknown};
    match (transaction.outcome(), transaction.result.value()) {
        (Failed | Pending | Unknown, result) => result.is_some(),
        (_, result) => result.is_some_and(|result| **result == *"success"),
    }
}

fn raw_reason_entry(reason: &RevertReason) -> DocumentEntry {
    match reason {
        RevertReason::Raw(raw) if **raw != *"0x" => DocumentEntry::text("revert", raw.clone()),
        _ => DocumentEntry::text("revert", "empty").copy("0x").role(Role::Dim),
    }
}

fn push_parties(transaction: &Transaction, cx: &PaneContext<'_>, entries: &mut Vec<DocumentEntry>) {
    entries.push(address_entry("from", &transaction.from));
    entries.push(address_entry("to", &transaction.to));
    match (&transaction.created_contract, transaction.created()) {
        (Field::Absent, _) => {}
        (_, Field::Absent) => {
            entries.push(DocumentEntry::text("created", "— (failed)").copy("").role(Role::Dim));
        }
        (_, created) => entries.push(address_entry("created", created)),
    }
    entries.push(coin_entry("value", &transaction.value, cx));
    entries.push(DocumentEntry::field("fee", &transaction.fee, |fee| {
        let entry = coin_entry("fee", &fee.value, cx);
        match (&fee.kind, &entry.value) {
            (Field::Present(kind), EntryValue::Text(shown)) if **kind == *"maximum" => {
                let shown = SafeText::new(&format!("{shown} at most"));
                DocumentEntry { value: EntryValue::Text(shown), ..entry }
            }
            _ => entry,
        }
    }));
}

fn push_call(transaction: &Transaction, entries: &mut Vec<DocumentEntry>) {
    entries.push(DocumentEntry::from_display("method", transaction.known_method()));
    match &transaction.decoded_input {
        Field::Present(decoded) => push_decoded("call", decoded, entries),
        other => entries.push(DocumentEntry::missing("call", other)),
    }
    entries.push(DocumentEntry::field("raw input", &transaction.raw_input, |bytes| {
        match bytes.len() {
            0 => DocumentEntry::text("raw input", "empty").copy("0x").role(Role::Dim),
            n => {
                let size = format!("{} bytes", amount::group_digits(&n.to_string()));
                DocumentEntry::text("raw input", size).copy(bytes.to_string()).fold(false)
            }
        }
    }));
    if let Some(bytes) = transaction.raw_input.value().filter(|bytes| !bytes.is_empty()) {
        entries.push(DocumentEntry::new("", EntryValue::Hex(bytes.clone())).at_level(1));
    }
}

/// Appends a decoded call or error: its signature, then an entry per argument.
fn push_decoded(label: &str, decoded: &DecodedInput, entries: &mut Vec<DocumentEntry>) {
    let id = decoded.method_id.display_with(|id| (&**id).into());
    let header = DocumentEntry::field(label, &decoded.method_call, |call| {
        DocumentEntry::text(label, format!("{call}  {id}")).copy(call.clone())
    });
    let parameters = decoded.parameters.value().map(Vec::as_slice).unwrap_or_default();
    entries.push(if parameters.is_empty() { header } else { header.fold(true) });
    entries.extend(parameters.iter().enumerate().map(argument_entry));
    if let invalid @ Field::Invalid(_) = &decoded.parameters {
        entries.push(DocumentEntry::missing("arguments", invalid).at_level(1));
    }
}

fn argument_entry((n, parameter): (usize, &DecodedParameter)) -> DocumentEntry {
    let kind = parameter.kind.display_with(|k| (&**k).into());
    let name = parameter.name.value().filter(|name| !name.is_empty());
    let label = name.map_or_else(|| format!("#{n}"), ToString::to_string);
    let entry = DocumentEntry::field(&label, &parameter.value, |value| {
        let shown = if value.0.is_empty() { "\"\"" } else { &*value.0 };
        DocumentEntry::text(&label, format!("{kind} {shown}")).copy(value.0.clone())
    });
    let to = parameter.value.value().filter(|_| kind == "address").and_then(|v| v.0.parse().ok());
    let entry = entry.at_level(1);
    if let Some(address) = to { entry.link_address(address) } else { entry }
}

fn push_transfers(transaction: &Transaction, entries: &mut Vec<DocumentEntry>) {
    let label = "transfers";
    let has_more = transaction.token_transfers_overflow.value() == Some(&true);
    entries.push(DocumentEntry::field(label, &transaction.token_transfers, |list| {
        match list.len() {
            0 => DocumentEntry::text(label, "none").role(Role::Dim),
            n if has_more => DocumentEntry::text(label, format!("{n}, more not listed")).fold(true),
            n => DocumentEntry::text(label, n.to_string()).fold(true),
        }
    }));
    let list = transaction.token_transfers.value().into_iter().flatten();
    entries.extend(list.flat_map(transfer_entries));
}

fn transfer_entries(transfer: &TokenTransfer) -> Vec<DocumentEntry> {
    let warnings = transfer.warnings();
    let role = if warnings.is_empty() { Role::Value } else { Role::Warning };
    let amount = transfer.describe_amount();
    let mut entries =
        vec![DocumentEntry::text(transfer.kind_name(), amount).role(role).at_level(1)];
    let warnings = warnings.iter().map(DocumentEntry::warning);
    entries.extend(warnings.map(|warning| warning.at_level(2)));
    entries.push(token_entry(&transfer.token).at_level(2));
    entries.push(address_entry("from", &transfer.from).at_level(2));
    entries.push(address_entry("to", &transfer.to).at_level(2));
    entries
}

fn push_gas(transaction: &Transaction, cx: &PaneContext<'_>, entries: &mut Vec<DocumentEntry>) {
    let gas = &transaction.gas;
    entries.push(DocumentEntry::field("gas used", &gas.used, |used| {
        let limit = gas.limit.value().filter(|limit| **limit > 0);
        let percent = limit.map(|limit| u128::from(*used) * 100 / u128::from(*limit));
        let share = percent.map(|percent| format!(" ({percent}% of limit)"));
        let bar = percent.and_then(gas_bar).unwrap_or_default();
        let shown = amount::group_digits(&used.to_string()) + &share.unwrap_or_default() + &bar;
        DocumentEntry::text("gas used", shown).copy(used.to_string())
    }));
    entries.push(number_entry("gas limit", &gas.limit));
    entries.push(gas_price_entry("gas price", &gas.price));
    entries.push(gas_price_entry("base fee", &gas.base_fee));
    entries.push(gas_price_entry("max fee", &gas.max_fee));
    entries.push(gas_price_entry("max tip", &gas.max_priority_fee));
    entries.push(coin_entry("tip", &gas.priority_fee, cx));
    entries.push(coin_entry("burnt", &gas.burnt_fee, cx));
}

/// Returns a bar of ten cells for a share in percent.
fn gas_bar(percent: u128) -> Option<String> {
    let used = usize::try_from(percent.div_ceil(10)).ok()?.min(10);
    Some(format!("  {}{}", "▓".repeat(used), "░".repeat(10 - used)))
}

fn push_block_data(transaction: &Transaction, entries: &mut Vec<DocumentEntry>) {
    entries.push(number_entry("nonce", &transaction.nonce));
    entries.push(number_entry("index", &transaction.position));
    entries.push(DocumentEntry::field("type", &transaction.kind, |n| {
        DocumentEntry::text("type", format!("{n}{}", type_name(*n))).copy(n.to_string())
    }));
    entries.push(list_entry("kind", &transaction.transaction_types));
    if !matches!(transaction.transaction_tag, Field::Absent) {
        entries.push(DocumentEntry::from_display("tag", &transaction.transaction_tag));
    }
    let failed =
        |failed: &bool| DocumentEntry::text("failed calls", if *failed { "yes" } else { "no" });
    entries.push(DocumentEntry::field("failed calls", &transaction.has_inner_error, failed));
    entries.push(duration_entry(&transaction.confirmation_duration));
    entries.push(DocumentEntry::from_display("price now $", &transaction.exchange_rate));
    entries.push(DocumentEntry::from_display("price then $", &transaction.historic_exchange_rate));
}

/// Returns the entry of the least and the greatest confirmation time, which are in milliseconds.
fn duration_entry(range: &Field<Vec<SafeText>>) -> DocumentEntry {
    let longest = range.value().and_then(|range| range.last()?.parse::<u64>().ok());
    match longest {
        Some(ms) => {
            let text = format!("within {}.{} s", ms / 1_000, ms % 1_000 / 100);
            let copied = list_entry("confirmed", range).copy_text();
            DocumentEntry::text("confirmed", text.replace(".0 s", " s")).copy(copied)
        }
        None => list_entry("confirmed", range),
    }
}

fn list_entry(label: &str, texts: &Field<Vec<SafeText>>) -> DocumentEntry {
    DocumentEntry::field(label, texts, |texts| match texts.as_slice() {
        [] => DocumentEntry::text(label, "none").role(Role::Dim),
        texts => {
            DocumentEntry::text(label, texts.iter().map(|t| &**t).collect::<Vec<_>>().join(", "))
        }
    })
}

/// Returns the name of a transaction type that all chains share.
fn type_name(kind: u64) -> &'static str {
    match kind {
        0 => " (legacy)",
        1 => " (access list, EIP-2930)",
        2 => " (dynamic fee, EIP-1559)",
        3 => " (blobs, EIP-4844)",
        4 => " (delegation, EIP-7702)",
        _ => "",
    }
}

fn push_extras(transaction: &Transaction, entries: &mut Vec<DocumentEntry>) {
    let actions = transaction.actions.value().into_iter().flatten();
    entries.extend(actions.map(|action| {
        let protocol = action.protocol.display_with(|p| (&**p).into());
        let kind = action.kind.display_with(|k| (&**k).into());
        let data = action.data.display_with(|d| (&*d.0).into());
        DocumentEntry::text("action", format!("{protocol} {kind} {data}"))
    }));
    let delegations = transaction.authorization_list.value().into_iter().flatten();
    entries.extend(delegations.map(|json| DocumentEntry::text("authorization", json.0.clone())));
    let rest = &transaction.extra_fields;
    if !rest.is_empty() {
        entries.push(DocumentEntry::text("other fields", rest.len().to_string()).fold(true));
    }
    let rest = rest.iter();
    entries.extend(rest.map(|(name, json)| DocumentEntry::text(name, json.clone()).at_level(1)));
}
