//! The panes of raw JSON: all fields of a row, the raw trace of a transaction, a user operation.

mod decoded_row;
mod traced_calls;

use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::Arc;

use jiff::Timestamp;
use serde_json::Number;
use serde_json::value::RawValue;

use super::detail::empty_fields::{NAME_COLUMNS, unfold_but_empty_fields};
use super::detail::value_entries::{calldata_entries, unfold_what_fits};
use super::detail::{DetailPane, DetailRequest, DetailSource, LoadedDetail};
use super::transaction::at_most_seconds;
use super::{PaneContext, Route};
use crate::action::Action;
use crate::api::json_fields::FromJson;
use crate::api::nft_instances::TokenInstance;
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::api::{InstanceKey, InstanceQuery, Query, Reply, TransactionQuery};
use crate::calls::trace_contracts::{UnknownContracts, called_contracts};
use crate::chain::amount::{Unit, group_whole_integer};
use crate::chain::network::Endpoint;
use crate::chain::target::TargetKind;
use crate::chain::{Address, B256, BlockId, TxHash, U256};
use crate::columns::CopyValue;
use crate::columns::logs::address_in_topic;
use crate::messages::page::PageMessage;
use crate::messages::transaction::{self, type_name};
use crate::sanitize::{SafeText, json_line};
use crate::ui::document::{DocumentEntry, EntryLink, EntryValue};
use crate::ui::json_view;
use crate::ui::theme::Role;
use decoded_row::{DECODINGS, DecodedRow, parameter_entries};
use traced_calls::{TracedCalls, name_calls};

/// Most columns of labels before the names of empty fields.
const LABEL_COLUMNS: usize = 36;
/// Fields of a transaction with its outcome, and the values of success.
const OUTCOME_FIELDS: [&str; 2] = ["status", "result"];
const SUCCESSES: [&str; 2] = ["ok", "success"];
/// Selector of a decoded call.
const SELECTOR_FIELD: &str = "method_id";
/// Fields of a transaction with an address and what is known of it.
const PARTIES: [&str; 3] = ["from", "to", "created_contract"];
/// The price of the coin, now and at the time of a transaction.
const RATE_FIELD: &str = "exchange_rate";
/// Times until a transaction was in a block, in milliseconds.
const WAITED_FIELD: &str = "confirmation_duration";
/// Length of the shortest time with a date.
const MIN_TIME_BYTES: usize = 20;
/// Digits of a number that reads well without groups.
const MAX_PLAIN_DIGITS: usize = 4;
/// Fields of a transaction in the order of their use, before all others.
const TRANSACTION_FIELDS: [&str; 20] = [
    "hash",
    "status",
    "result",
    "revert_reason",
    "block_number",
    "timestamp",
    "from",
    "to",
    "created_contract",
    "value",
    "fee",
    "gas_used",
    "gas_limit",
    "gas_price",
    "max_fee_per_gas",
    "max_priority_fee_per_gas",
    "base_fee_per_gas",
    "nonce",
    "decoded_input",
    "raw_input",
];

pub fn trace(transaction: TxHash) -> DetailPane {
    let title = PageMessage::RawTrace { transaction }.to_string();
    let request = DetailRequest {
        query: Query::Transaction(transaction, TransactionQuery::RawTrace),
        load: load_trace,
    };
    DetailPane::from_query(request, title.into())
}

pub fn instance(key: InstanceKey) -> DetailPane {
    let title = format!("NFT {} of {}", key.id, key.token);
    let request =
        DetailRequest { query: Query::Instance(key, InstanceQuery::Details), load: load_instance };
    DetailPane::from_query(request, title.into())
}

pub fn user_operation(hash: B256) -> DetailPane {
    let request = DetailRequest { query: Query::UserOperation(hash), load: load_operation };
    DetailPane::from_query(request, format!("operation {hash}").into())
}

/// Creates the pane of a row that leads to `page`.
pub fn row(raw: &Arc<RawValue>, name: &SafeText, page: Option<&Route>) -> DetailPane {
    let own = page.and_then(Route::target);
    let json = RawJson { label: name.clone(), raw: raw.clone(), own, traced: None };
    let loaded = LoadedDetail { source: Ok(Box::new(json)), raw: None };
    DetailPane::from_loaded(loaded, None)
}

fn load_trace(query: &Query, reply: &Reply, cx: &PaneContext<'_>) -> Option<LoadedDetail> {
    let Query::Transaction(transaction, _) = query else { return None };
    let raw = reply.get::<Arc<RawValue>>()?.clone();
    let tree = cx.name_cache.trace(transaction).cloned();
    let traced = TracedCalls { transaction: *transaction, tree };
    let json = RawJson { label: "trace".into(), raw, own: None, traced: Some(traced) };
    Some(LoadedDetail { source: Ok(Box::new(json)), raw: None })
}

fn load_operation(_: &Query, reply: &Reply, _: &PaneContext<'_>) -> Option<LoadedDetail> {
    Some(loaded_json("operation", reply.get::<Arc<RawValue>>()?.clone()))
}

fn load_instance(_: &Query, reply: &Reply, _: &PaneContext<'_>) -> Option<LoadedDetail> {
    Some(loaded_json("instance", reply.item::<TokenInstance>()?.raw.clone()))
}

fn loaded_json(label: &'static str, raw: Arc<RawValue>) -> LoadedDetail {
    let json = RawJson { label: label.into(), raw, own: None, traced: None };
    LoadedDetail { source: Ok(Box::new(json)), raw: None }
}

#[derive(Debug)]
struct RawJson {
    label: SafeText,
    raw: Arc<RawValue>,
    /// The page that the object leads to, whose hash is its own.
    own: Option<TargetKind>,
    /// The calls of a trace.
    traced: Option<TracedCalls>,
}

impl RawJson {
    /// Returns the link of a value by its name, as far as explorers and nodes use that for one thing only.
    fn target(&self, entry: &DocumentEntry) -> Option<TargetKind> {
        match &*entry.label {
            "transaction_hash" | "tx_hash" | "transactionHash" => {
                entry.copy_text().parse().ok().map(TargetKind::Transaction)
            }
            "block_hash" | "blockHash" => entry.copy_text().parse().ok().map(TargetKind::Block),
            "block_number" | "blockNumber" | "block" => block_number(&entry.copy_text()),
            "hash" => self.own.clone().filter(|own| own.to_string() == *entry.copy_text()),
            "height" => self.own.clone().filter(|own| matches!(own, TargetKind::Block(_))),
            _ => None,
        }
    }

    /// Returns a number in its unit: prices of gas in gwei, the coin of the chain in its own. A type of transactions
    /// has a name.
    fn read_form(
        &self,
        entry: &DocumentEntry,
        parent: &str,
        cx: &PaneContext<'_>,
    ) -> Option<String> {
        let EntryValue::Text(shown) = &entry.value else { return None };
        let is_of_transaction = matches!(self.own, Some(TargetKind::Transaction(_)));
        let is_rate = entry.level == 1 && entry.label.ends_with(RATE_FIELD);
        if is_of_transaction && is_rate && *entry.copy_text() != *"null" {
            let coin = Unit::Coin.name(cx.network);
            return Some(PageMessage::RateOfCoin { coin }.to_string());
        }
        // Hex has its decimal next to it.
        if entry.role != Role::Value || entry.side_note > 0 || shown.starts_with("0x") {
            return None;
        }
        let number: U256 = entry.copy_text().parse().ok()?;
        let label = entry.label.to_ascii_lowercase().replace('_', "");
        let is_paid = parent == "fee" || label.contains("pergas") || label.contains("gasprice");
        if is_paid && self.pays_fee_in_token() {
            return None;
        }
        if label.contains("pergas") || label.contains("gasprice") {
            let price = || exact_amount(Unit::Gwei, number, cx);
            return (!number.is_zero()).then(|| without_number(&price(), shown));
        }
        if is_of_transaction && entry.level == 1 && label == "type" {
            return Some(type_name(number.try_into().ok()?).trim_start().to_owned());
        }
        let has_value = entry.level == 1 || (entry.level == 2 && parent == "fee");
        let is_fee = label.ends_with("fee") || label.ends_with("fees");
        let is_of_coin = (is_of_transaction && label == "value" && has_value)
            || (self.own.is_some() && is_fee && entry.level == 1);
        if is_of_coin {
            return Some(without_number(&exact_amount(Unit::Coin, number, cx), shown));
        }
        None
    }
}

impl RawJson {
    /// Returns `true` for a transaction whose fee and prices of gas are in a token.
    fn pays_fee_in_token(&self) -> bool {
        let is_transaction = matches!(self.own, Some(TargetKind::Transaction(_)));
        let parsed = is_transaction.then(|| Transaction::from_json((&*self.raw).into()).ok());
        parsed.flatten().is_some_and(|transaction| transaction.fee_token().is_some())
    }

    /// Returns the role of objects with an error. A call of a transaction that succeeded failed alone.
    fn failure_role(&self, cx: &PaneContext<'_>) -> Role {
        let hash = self.traced.as_ref().map(|traced| traced.transaction);
        let traced = hash.and_then(|hash| cx.name_cache.transaction(&hash));
        let outcome = traced.and_then(|item| Some(item.parsed.as_ref().ok()?.outcome()));
        match outcome {
            Some(TransactionOutcome::Ok | TransactionOutcome::OkInnerFailure) => Role::Warning,
            _ => Role::Failed,
        }
    }
}

/// Returns an amount with all of its digits, in a smaller unit if it is tiny: two values that differ look different.
fn exact_amount(unit: Unit, amount: U256, cx: &PaneContext<'_>) -> String {
    unit.for_amount(amount, cx.network).format_exact(amount, cx.network)
}

/// Returns a time, or the maximum time in the pool, in the words of other screens.
fn time_form(entry: &DocumentEntry, cx: &PaneContext<'_>) -> Option<String> {
    let sent = entry.copy_text();
    if entry.level == 1 && &*entry.label == WAITED_FIELD {
        let range: Vec<Number> = serde_json::from_str(&sent).ok()?;
        let waited = at_most_seconds(&range.last()?.to_string())?;
        return Some(format!("= {} {waited}", transaction::TIME_IN_POOL));
    }
    let is_time = sent.len() >= MIN_TIME_BYTES && sent.as_bytes().get(10) == Some(&b'T');
    let then: Timestamp = is_time.then(|| sent.parse().ok()).flatten()?;
    let shown = cx.format.date_time(then);
    // The same digits say nothing more.
    let is_same = sent.ends_with('Z') && shown.split(' ').eq(sent_in_words(&sent));
    (!is_same).then(|| format!("= {shown}"))
}

/// Returns the words of a time in UTC: date, time of the day without fractions of a second, and zone.
fn sent_in_words(sent: &str) -> [&str; 3] {
    let (date, time) = sent.split_once('T').unwrap_or_default();
    [date, time.get(..8).unwrap_or_default(), "UTC"]
}

/// Returns an amount after a number in wei: with that unit before it, or only its own if it is the same number.
fn without_number(amount: &str, shown: &str) -> String {
    match amount.strip_prefix(&*group_whole_integer(shown)) {
        Some(unit) => unit.trim_start().to_owned(),
        None => ["wei = ", amount].concat(),
    }
}

/// Moves the explorer's decoding before the other fields, unfolded, with a line for each parameter.
fn put_decoding_first(entries: &mut Vec<DocumentEntry>) {
    let is_decoding = |entry: &DocumentEntry| {
        entry.level == 1 && entry.open.is_some() && DECODINGS.contains(&&*entry.label)
    };
    let Some(start) = entries.iter().position(is_decoding) else { return };
    let length = 1 + entries.iter().skip(start + 1).take_while(|entry| entry.level > 1).count();
    let decoding: Vec<_> = entries.drain(start..start + length).collect();
    let mut shown = Vec::with_capacity(length);
    let mut rest = decoding.as_slice();
    while let Some((entry, after)) = rest.split_first() {
        let inside = after.iter().take_while(|part| part.level > entry.level).count();
        let (fields, others) = after.split_at(inside);
        rest = after;
        if let Some(parameter) = parameter_entries(entry, fields) {
            shown.extend(parameter);
            rest = others;
        } else {
            shown.push(DocumentEntry { open: entry.open.map(|_| true), ..entry.clone() });
        }
    }
    entries.splice(1..1, shown);
}

/// Sorts the fields of a transaction by their use. Its parties are a line each.
fn order_transaction(entries: Vec<DocumentEntry>) -> Vec<DocumentEntry> {
    let mut fields: Vec<Vec<DocumentEntry>> = Vec::new();
    let mut entries = entries.into_iter();
    let root = entries.next();
    for entry in entries {
        match fields.last_mut().filter(|_| entry.level > 1) {
            Some(field) => field.push(entry),
            None => fields.push(vec![entry]),
        }
    }
    let place = |field: &Vec<DocumentEntry>| {
        let has_value = |entry: &&DocumentEntry| *entry.copy_text() != *"null";
        let name = field.first().filter(has_value).map(|entry| &*entry.label);
        let known = TRANSACTION_FIELDS.iter().position(|known| Some(*known) == name);
        known.unwrap_or(TRANSACTION_FIELDS.len())
    };
    fields.sort_by_key(place);
    for field in &mut fields {
        if let Some((party, inside)) = field
            .split_first_mut()
            .filter(|(party, _)| PARTIES.contains(&&*party.label) && party.open.is_some())
            && let Some(address) = inside.iter().find_map(DocumentEntry::address)
        {
            let copied = party.copy_text();
            party.value = EntryValue::Text(address.to_string().into());
            *party = party.clone().link_address(address).copy(copied).fold(false);
            // The line of the party is its address.
            let is_repeated = |field: &DocumentEntry| {
                &*field.label == "hash" && field.level == 2 && field.address() == Some(address)
            };
            field.retain(|entry| !is_repeated(entry));
        }
    }
    root.into_iter().chain(fields.into_iter().flatten()).collect()
}

/// Returns the address in a topic.
fn topic_address(entry: &DocumentEntry, parent: &str) -> Option<Address> {
    let is_topic = parent == "topics" && entry.level == 2;
    let topic: B256 = is_topic.then(|| entry.copy_text().parse().ok()).flatten()?;
    address_in_topic(&topic)
}

/// Returns `true` for the topic with the hash of an event.
fn is_first_topic(entry: &DocumentEntry, parent: &str) -> bool {
    parent == "topics" && entry.level == 2 && &*entry.label == "#0"
}

/// Leaves out the fields of objects that are the same as one before.
fn merge_repeated(entries: &mut Vec<DocumentEntry>) {
    let mut fields: HashMap<SafeText, SafeText> = HashMap::new();
    let mut is_repeated = false;
    entries.retain_mut(|entry| {
        if entry.level > 1 {
            return !is_repeated;
        }
        is_repeated = false;
        if entry.level == 1 && entry.open == Some(true) {
            let json = entry.copy_text();
            if let Some(field) = fields.get(&json) {
                let note = PageMessage::SameAs { field }.to_string();
                *entry = DocumentEntry { open: None, ..entry.clone().side_note(&note) };
                is_repeated = true;
            } else {
                fields.insert(json, entry.label.clone());
            }
        }
        true
    });
}

/// Divides calldata into the selector and its words, which would be shifted by it.
fn split_selectors(entries: Vec<DocumentEntry>) -> Vec<DocumentEntry> {
    let mut divided = Vec::with_capacity(entries.len());
    let mut label = SafeText::default();
    for entry in entries {
        match &entry.value {
            EntryValue::Hex(bytes) if matches!(&*label, "input" | "raw_input") => {
                divided.extend(calldata_entries(bytes).map(|part| part.at_level(entry.level)));
            }
            _ => {
                label = entry.label.clone();
                divided.push(entry);
            }
        }
    }
    divided
}

/// Groups the digits of a long number. It is copied as it was sent.
fn grouped(entry: DocumentEntry) -> DocumentEntry {
    let sent = entry.copy_text();
    match &entry.value {
        EntryValue::Text(digits)
            if entry.role == Role::Value
                && entry.side_note == 0
                && digits.len() > MAX_PLAIN_DIGITS
                && digits.bytes().all(|byte| byte.is_ascii_digit()) =>
        {
            let value = EntryValue::Text(group_whole_integer(digits).as_ref().into());
            DocumentEntry { value, ..entry }.copy(sent)
        }
        _ => entry,
    }
}

/// Removes the line of the outermost object, which the title of the page names.
fn remove_root(entries: &mut Vec<DocumentEntry>) {
    if entries.first().is_some_and(|root| root.open.is_some()) {
        entries.remove(0);
        for entry in entries {
            entry.level = entry.level.saturating_sub(1);
        }
    }
}

/// Returns `true` for the outcome of a transaction that succeeded.
fn is_success(entry: &DocumentEntry) -> bool {
    entry.level == 1
        && OUTCOME_FIELDS.contains(&&*entry.label)
        && SUCCESSES.contains(&&*entry.copy_text())
}

/// Writes a selector as elsewhere. It is copied as it was sent.
fn with_prefix(mut entry: DocumentEntry) -> DocumentEntry {
    let sent = entry.copy_text();
    if sent.len() == 8 && sent.bytes().all(|digit| digit.is_ascii_hexdigit()) {
        entry.value = EntryValue::Text(["0x", &*sent].concat().into());
    }
    entry.copy(sent)
}

/// Parses a number in decimal or in hex.
fn block_number(text: &str) -> Option<TargetKind> {
    let number = match text.strip_prefix("0x") {
        Some(digits) => u64::from_str_radix(digits, 16),
        None => text.parse(),
    };
    number.ok().map(|number| TargetKind::Block(BlockId::Number(number)))
}

impl DetailSource for RawJson {
    fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let mut parent = SafeText::default();
        let failure_role = self.failure_role(cx);
        let name = |address: &Address| cx.name_cache.short_name(address).map(Cow::into_owned);
        let mut entries = json_view::json_entries(&self.label, &self.raw, &name);
        if let Some(traced) = &self.traced {
            name_calls(&mut entries, traced, cx);
        } else {
            put_decoding_first(&mut entries);
            merge_repeated(&mut entries);
            if let Some(TargetKind::Transaction(_)) = self.own {
                entries = order_transaction(entries);
            }
        }
        let decoded = DecodedRow::new(&entries);
        let described = split_selectors(entries).into_iter().map(|entry| {
            if entry.level == 1 {
                parent = entry.label.clone();
            }
            if entry.role == Role::Failed {
                return entry.role(failure_role);
            }
            if is_success(&entry) {
                return entry.role(Role::Ok);
            }
            if &*entry.label == SELECTOR_FIELD {
                return with_prefix(entry);
            }
            if DecodedRow::is_parameter(&entry, &parent) {
                return decoded.describe_parameter(entry, cx);
            }
            let address = entry.address().or_else(|| topic_address(&entry, &parent));
            let name = address.and_then(|address| cx.name_cache.short_name(&address));
            if let Some(name) = name {
                return entry.side_note(&name);
            }
            if let Some(event) = decoded.event.as_ref().filter(|_| is_first_topic(&entry, &parent))
            {
                return entry.side_note(event);
            }
            if let Some(target) = self.target(&entry) {
                return entry.link(EntryLink::Target(target)).role(Role::Link);
            }
            let form = self.read_form(&entry, &parent, cx);
            let note = form.or_else(|| time_form(&entry, cx)).unwrap_or_default();
            grouped(entry).side_note(&note)
        });
        let mut shown: Vec<_> = described.collect();
        if self.traced.is_some() {
            unfold_what_fits(&mut shown, cx.area.height.into());
            return shown;
        }
        remove_root(&mut shown);
        let height = cx.area.height.into();
        let columns = usize::from(cx.area.width).saturating_sub(LABEL_COLUMNS).max(NAME_COLUMNS);
        unfold_but_empty_fields(shown, height, columns)
    }

    fn copy_value(&self, action: Action, _: Option<Address>) -> Option<CopyValue> {
        let json = || Some(json_line(self.raw.get()));
        (action == Action::CopyJson).then(|| CopyValue::new(action, "JSON", json()))
    }

    fn missing(&self, cx: &PaneContext<'_>) -> Vec<Query> {
        let Some(traced) = &self.traced else { return Vec::new() };
        let hash = traced.transaction;
        let known = cx.name_cache.transaction(&hash).and_then(|item| item.parsed.as_ref().ok());
        let is_executed = known.is_some_and(|known| known.outcome() != TransactionOutcome::Pending);
        let details = (!is_executed).then_some(TransactionQuery::Details);
        // They have the tokens of pools, and the demo chain's answers cost nothing.
        let is_demo = cx.network.endpoint == Endpoint::Embedded && traced.tree.is_some();
        let logs = is_demo.then_some(TransactionQuery::Logs);
        let queries = details.into_iter().chain(logs);
        queries.map(|query| Query::Transaction(hash, query)).collect()
    }

    fn unknown_contracts(&self, _: &PaneContext<'_>) -> Option<UnknownContracts> {
        let traced = self.traced.as_ref()?;
        let tree = traced.tree.as_ref()?;
        let addresses = called_contracts(tree, 0..tree.len());
        UnknownContracts::new(traced.transaction, addresses)
    }

    fn has_ages(&self) -> bool {
        false
    }

    fn is_json(&self) -> bool {
        true
    }
}
