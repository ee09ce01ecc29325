//! A transaction in full, and how to ask for it.

use std::sync::Arc;

use super::Cx;
use super::cell_format::address_line;
use super::detail::{Detail, Detailed, Shown, Take};
use super::row::Row;
use crate::api::address::AddressRef;
use crate::api::decoded_input::{Decoded, Parameter, RevertReason};
use crate::api::transactions::{Outcome, Transaction};
use crate::api::{Field, Item, Query, Reply};
use crate::chain::target::Subject;
use crate::chain::{Address, TxHash, U256, amount};
use crate::msg::Action;
use crate::sanitize::Text;
use crate::ui::document::{Body, Entry, Leads};
use crate::ui::theme::Role;

/// A transaction of which only the hash is known.
pub fn by_hash(hash: TxHash) -> Detail {
    Detail::asked(Query::Transaction(hash), hash.to_string().into(), take)
}

/// A transaction that stands in a list, or was seen in full.
pub fn of(item: &Arc<Item<Transaction>>) -> Detail {
    let hash = item.read.as_ref().ok().map(|t| t.hash);
    let again = hash.map(|hash| (Query::Transaction(hash), take as Take));
    let detail = Detail::of(shown(item, true), again);
    // Only a transaction's own object tells its token transfers.
    match item.read.as_ref().map(|transaction| &transaction.token_transfers) {
        Ok(Field::Read(_)) => detail.answered(),
        _ => detail,
    }
}

fn take(reply: Reply) -> Option<Shown> {
    match reply {
        Reply::Transaction(item) => Some(shown(&item, false)),
        _ => None,
    }
}

fn shown(item: &Arc<Item<Transaction>>, listed: bool) -> Shown {
    let read = match &item.read {
        Ok(_) => Ok(Box::new(InFull { item: item.clone(), listed }) as Box<dyn Detailed>),
        Err(why) => Err(why.clone()),
    };
    Shown { read, raw: Some(item.raw.clone()) }
}

/// A transaction that could be read.
#[derive(Debug)]
struct InFull {
    item: Arc<Item<Transaction>>,
    /// It comes from a list, which leaves its token transfers out.
    listed: bool,
}

impl Detailed for InFull {
    fn entries(&self, cx: &Cx<'_>) -> Vec<Entry> {
        self.item
            .read
            .as_ref()
            .map_or(Vec::new(), |transaction| entries(transaction, self.listed, cx))
    }

    fn copy(
        &self,
        action: Action,
        viewed: Option<Address>,
    ) -> Option<(&'static str, Option<Text>)> {
        let transaction = self.item.read.as_ref().ok()?;
        match action {
            Action::CopyRow => Some(("row", Some(super::row::csv_line(transaction)))),
            _ => transaction.copied(action, viewed),
        }
    }

    fn parties(&self) -> Vec<&AddressRef> {
        self.item.read.as_ref().map_or(Vec::new(), Row::parties)
    }
}

/// Every field, in the order in which a reader asks for them.
fn entries(transaction: &Transaction, listed: bool, cx: &Cx<'_>) -> Vec<Entry> {
    let mut entries = vec![Entry::text("hash", transaction.hash.to_string()).role(Role::Accent)];
    outcome(transaction, cx, &mut entries);
    parties(transaction, cx, &mut entries);
    call(transaction, &mut entries);
    match transaction.token_transfers {
        Field::Absent if listed => {
            let words = cx.keys.sentence("? (lists leave them out: {refresh} asks)");
            entries.push(Entry::text("transfers", &*words).copy("").role(Role::Dim));
        }
        _ => transfers(transaction, &mut entries),
    }
    gas(transaction, cx, &mut entries);
    place(transaction, &mut entries);
    extras(transaction, &mut entries);
    entries
}

fn number(label: &str, value: &Field<u64>) -> Entry {
    Entry::field(label, value, |n| {
        Entry::text(label, amount::grouped(&n.to_string())).copy(n.to_string())
    })
}

fn address(label: &str, value: &Field<AddressRef>) -> Entry {
    Entry::field(label, value, |a| {
        let entry = Entry::text(label, address_line(a)).copy(a.hash.to_string());
        entry.leads(Leads::To(Subject::Address(a.hash))).role(Role::Link)
    })
}

/// An amount of the chain's coin: copied as wei.
fn coin(label: &str, value: &Field<U256>, cx: &Cx<'_>) -> Entry {
    Entry::field(label, value, |wei| {
        let role = if wei.is_zero() { Role::Plain } else { Role::Value };
        Entry::text(label, cx.notation.coin(*wei, cx.network)).copy(wei.to_string()).role(role)
    })
}

/// A price of gas: in gwei, copied as wei.
fn price(label: &str, value: &Field<U256>) -> Entry {
    Entry::field(label, value, |wei| {
        Entry::text(label, format!("{} gwei", amount::exact(*wei, 9))).copy(wei.to_string())
    })
}

fn outcome(transaction: &Transaction, cx: &Cx<'_>, entries: &mut Vec<Entry>) {
    let role = match transaction.outcome() {
        Outcome::Ok => Role::Ok,
        Outcome::OkInnerFailure | Outcome::Unknown => Role::Warning,
        Outcome::Failed => Role::Failed,
        Outcome::Pending => Role::Dim,
    };
    entries.push(Entry::text("status", Text::new(&transaction.outcome_words())).role(role));
    entries.push(Entry::shown("result", &transaction.result));
    match &transaction.revert_reason {
        Field::Read(RevertReason::Decoded(decoded)) => decode("revert", decoded, entries),
        other => entries.push(Entry::field("revert", other, raw_reason)),
    }
    entries.push(Entry::field("time", &transaction.timestamp, |then| {
        Entry::text("time", cx.notation.time(*then, cx.now)).copy(then.to_string())
    }));
    entries.push(number("block", &transaction.block_number));
    entries.push(number("confirmations", &transaction.confirmations));
}

fn raw_reason(reason: &RevertReason) -> Entry {
    match reason {
        RevertReason::Raw(raw) if !raw.is_empty() => Entry::text("revert", raw.clone()),
        _ => Entry::text("revert", "empty").role(Role::Dim),
    }
}

fn parties(transaction: &Transaction, cx: &Cx<'_>, entries: &mut Vec<Entry>) {
    entries.push(address("from", &transaction.from));
    entries.push(address("to", &transaction.to));
    if !matches!(transaction.created_contract, Field::Absent) {
        entries.push(address("created", &transaction.created_contract));
    }
    entries.push(coin("value", &transaction.value, cx));
    entries.push(Entry::field("fee", &transaction.fee, |fee| {
        let entry = coin("fee", &fee.value, cx);
        match (&fee.kind, &entry.body) {
            (Field::Read(kind), Body::Text(shown)) if **kind == *"maximum" => {
                let shown = Text::new(&format!("{shown} at most"));
                Entry { body: Body::Text(shown), ..entry }
            }
            _ => entry,
        }
    }));
}

fn call(transaction: &Transaction, entries: &mut Vec<Entry>) {
    entries.push(Entry::shown("method", &transaction.method));
    match &transaction.decoded_input {
        Field::Read(decoded) => decode("call", decoded, entries),
        other => entries.push(Entry::field("call", other, |_| Entry::text("", ""))),
    }
    entries.push(Entry::field("raw input", &transaction.raw_input, |bytes| match bytes.len() {
        0 => Entry::text("raw input", "empty").copy("0x").role(Role::Dim),
        n => {
            let size = format!("{} bytes", amount::grouped(&n.to_string()));
            Entry::text("raw input", size).copy(bytes.to_string()).fold(false)
        }
    }));
    if let Some(bytes) = transaction.raw_input.known().filter(|bytes| !bytes.is_empty()) {
        entries.push(Entry::new("", Body::Hex(bytes.clone())).under(1));
    }
}

/// A decoded call or error: its signature, then a line an argument.
fn decode(label: &str, decoded: &Decoded, entries: &mut Vec<Entry>) {
    let id = decoded.method_id.show(|id| (&**id).into());
    let head = Entry::field(label, &decoded.method_call, |call| {
        Entry::text(label, format!("{call}  {id}")).copy(call.clone())
    });
    let parameters = decoded.parameters.known().map(Vec::as_slice).unwrap_or_default();
    entries.push(if parameters.is_empty() { head } else { head.fold(true) });
    entries.extend(parameters.iter().enumerate().map(|(n, parameter)| argument(n, parameter)));
    if let unread @ Field::Unread(_) = &decoded.parameters {
        entries.push(Entry::field("arguments", unread, |_| Entry::text("", "")).under(1));
    }
}

fn argument(n: usize, parameter: &Parameter) -> Entry {
    let kind = parameter.kind.show(|k| (&**k).into());
    let name = parameter.name.known().filter(|name| !name.is_empty());
    let label = name.map_or_else(|| format!("#{n}"), ToString::to_string);
    let entry = Entry::field(&label, &parameter.value, |value| {
        Entry::text(&label, format!("{kind} {}", value.0)).copy(value.0.clone())
    });
    let to = parameter.value.known().filter(|_| kind == "address").and_then(|v| v.0.parse().ok());
    match to {
        Some(address) => entry.leads(Leads::To(Subject::Address(address))).role(Role::Link),
        None => entry,
    }
    .under(1)
}

fn transfers(transaction: &Transaction, entries: &mut Vec<Entry>) {
    let label = "transfers";
    let more = transaction.token_transfers_overflow.known() == Some(&true);
    entries.push(Entry::field(label, &transaction.token_transfers, |list| match list.len() {
        0 => Entry::text(label, "none").role(Role::Dim),
        n => Entry::text(label, format!("{n}{}", if more { ", and there are more" } else { "" }))
            .fold(true),
    }));
    let list = transaction.token_transfers.known().into_iter().flatten();
    entries.extend(list.flat_map(|transfer| {
        [
            Entry::text("transfer", transfer.what()).role(Role::Value).under(1),
            address("from", &transfer.from).under(2),
            address("to", &transfer.to).under(2),
        ]
    }));
}

fn gas(transaction: &Transaction, cx: &Cx<'_>, entries: &mut Vec<Entry>) {
    let gas = &transaction.gas;
    entries.push(Entry::field("gas used", &gas.used, |used| {
        let share = gas.limit.known().filter(|limit| **limit > 0);
        let share = share.map(|limit| {
            format!(" ({} % of the limit)", u128::from(*used) * 100 / u128::from(*limit))
        });
        let shown = amount::grouped(&used.to_string()) + &share.unwrap_or_default();
        Entry::text("gas used", shown).copy(used.to_string())
    }));
    entries.push(number("gas limit", &gas.limit));
    entries.push(price("gas price", &gas.price));
    entries.push(price("base fee", &gas.base_fee));
    entries.push(price("max fee", &gas.max_fee));
    entries.push(price("max tip", &gas.max_priority_fee));
    entries.push(coin("tip", &gas.priority_fee, cx));
    entries.push(coin("burnt", &gas.burnt_fee, cx));
}

fn place(transaction: &Transaction, entries: &mut Vec<Entry>) {
    entries.push(number("nonce", &transaction.nonce));
    entries.push(number("position", &transaction.position));
    entries.push(Entry::field("type", &transaction.kind, |n| {
        Entry::text("type", format!("{n}{}", type_name(*n))).copy(n.to_string())
    }));
    entries.push(list("about", &transaction.transaction_types));
    entries.push(Entry::shown("tag", &transaction.transaction_tag));
    entries.push(Entry::shown("inner failure", &transaction.has_inner_error));
    entries.push(list("confirmed ms", &transaction.confirmation_duration));
    entries.push(Entry::shown("coin $ now", &transaction.exchange_rate));
    entries.push(Entry::shown("coin $ then", &transaction.historic_exchange_rate));
}

fn list(label: &str, texts: &Field<Vec<Text>>) -> Entry {
    Entry::field(label, texts, |texts| match texts.as_slice() {
        [] => Entry::text(label, "none").role(Role::Dim),
        texts => Entry::text(label, texts.iter().map(|t| &**t).collect::<Vec<_>>().join(", ")),
    })
}

/// The names of the types that every chain has.
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

fn extras(transaction: &Transaction, entries: &mut Vec<Entry>) {
    let actions = transaction.actions.known().into_iter().flatten();
    entries.extend(actions.map(|action| {
        let protocol = action.protocol.show(|p| (&**p).into());
        let kind = action.kind.show(|k| (&**k).into());
        let data = action.data.show(|d| (&*d.0).into());
        Entry::text("action", format!("{protocol} {kind} {data}"))
    }));
    let delegations = transaction.authorization_list.known().into_iter().flatten();
    entries
        .extend(delegations.map(|delegation| Entry::text("authorization", delegation.0.clone())));
    if !transaction.rest.is_empty() {
        entries.push(Entry::text("other fields", format!("{}", transaction.rest.len())).fold(true));
    }
    let rest = transaction.rest.iter();
    entries.extend(rest.map(|(name, json)| Entry::text(name, json.clone()).under(1)));
}
