//! The gas, the prices of gas and the fee of a transaction.

use super::fields::token_price_entry;
use crate::api::Field;
use crate::api::transactions::{Transaction, TransactionFee, TransactionOutcome};
use crate::chain::amount::Grouped;
use crate::chain::percent::Percent;
use crate::columns::cells::fee::exact_fee;
use crate::messages::page::PageMessage;
use crate::messages::transaction;
use crate::pane::PaneContext;
use crate::pane::detail::field_entries::{coin_entry, field_entry, gas_price_entry};
use crate::ui::charts::gauge;
use crate::ui::document::{DocumentEntry, EntryValue};
use crate::ui::theme::Role;

const FEE_LABEL: &str = "fee";

pub(super) fn push_gas(
    transaction: &Transaction,
    cx: &PaneContext<'_>,
    entries: &mut Vec<DocumentEntry>,
) {
    let gas = &transaction.gas;
    let is_dropped = transaction.outcome() == TransactionOutcome::Dropped;
    let (used, limit) = (gas.used.value().filter(|_| !is_dropped), gas.limit.value());
    let percent = used.zip(limit).and_then(|(used, limit)| Percent::of(*used, *limit));
    // What was dropped used no gas, whatever else an explorer sends.
    if !is_dropped {
        entries.push(field_entry("gas used", &gas.used, |used| {
            let share =
                percent.map(|percent| format!(" {}", PageMessage::ShareOfLimit { percent }));
            let shown = [Grouped(used).to_string(), share.unwrap_or_default()].concat();
            DocumentEntry::text("gas used", shown).copy(used.to_string())
        }));
    }
    entries.push(field_entry("gas limit", &gas.limit, |limit| {
        // An empty bar says less than the share above it.
        let bar = percent
            .filter(|percent| percent.is_visible())
            .map(|percent| format!("  {}", gauge(percent)));
        let shown = [Grouped(limit).to_string(), bar.unwrap_or_default()].concat();
        DocumentEntry::text("gas limit", shown).copy(limit.to_string())
    }));
    let paid_price = |label, price| match transaction.fee_token() {
        Some(token) => token_price_entry(label, price, token),
        None => gas_price_entry(label, price),
    };
    // The price of a pending transaction is the most that it may pay.
    let is_bound = transaction.has_maximum_fee() && gas.max_fee != Field::Absent;
    entries.push(bounded(paid_price("gas price", &gas.price), is_bound));
    let base_fee = gas_price_entry("base fee", &gas.base_fee);
    // A legacy transaction has no such prices, and an old chain none at all.
    let later = [
        (&gas.base_fee, base_fee),
        (&gas.max_fee, paid_price("max fee", &gas.max_fee)),
        (&gas.max_priority_fee, paid_price("max tip", &gas.max_priority_fee)),
    ];
    let sent = later.into_iter().filter(|(price, _)| **price != Field::Absent);
    entries.extend(sent.map(|(_, entry)| entry));
    entries.push(fee_entry(transaction, cx));
    if !is_dropped {
        push_fee_parts(transaction, cx, entries);
    }
}

/// Appends the tip and the burnt part of a fee.
fn push_fee_parts(
    transaction: &Transaction,
    cx: &PaneContext<'_>,
    entries: &mut Vec<DocumentEntry>,
) {
    let fee = transaction.fee.value().and_then(TransactionFee::wei);
    // Then there is no tip.
    let [tip, burnt] = transaction.fee_parts();
    let is_all_burnt = fee.is_some_and(|fee| !fee.is_zero()) && burnt.value() == fee;
    let parts = [("tip", &tip), ("burnt", &burnt)]
        .into_iter()
        .filter(|(label, part)| **part != Field::Absent && !(is_all_burnt && *label == "tip"));
    entries.extend(parts.map(|(label, part)| match part.value().filter(|wei| !wei.is_zero()) {
        Some(wei) if Some(wei) == fee => {
            DocumentEntry::text(label, transaction::WHOLE_FEE).copy(wei.to_string())
        }
        _ => coin_entry(label, part, cx),
    }));
}

/// Returns an entry with the mark of an upper bound, if it is one.
fn bounded(entry: DocumentEntry, is_bound: bool) -> DocumentEntry {
    match &entry.value {
        EntryValue::Text(text) if is_bound => {
            DocumentEntry { value: EntryValue::Text(["≤ ", text].concat().into()), ..entry }
        }
        _ => entry,
    }
}

/// Returns the entry of the fee with every digit.
fn fee_entry(transaction: &Transaction, cx: &PaneContext<'_>) -> DocumentEntry {
    let is_bound = transaction.has_maximum_fee()
        && transaction.fee.value().and_then(TransactionFee::wei).is_some_and(|fee| !fee.is_zero());
    bounded(exact_fee_entry(transaction, cx), is_bound)
}

fn exact_fee_entry(transaction: &Transaction, cx: &PaneContext<'_>) -> DocumentEntry {
    field_entry(FEE_LABEL, &transaction.fee, |fee| {
        if fee.value == Field::Absent {
            return DocumentEntry::note(FEE_LABEL, "?").role(Role::Warning);
        }
        if fee.is_in_coin() {
            return coin_entry(FEE_LABEL, &fee.value, cx);
        }
        field_entry(FEE_LABEL, &fee.value, |value| {
            let amount = exact_fee(fee, (cx.format.unit, cx.network)).unwrap_or_default();
            DocumentEntry::text(FEE_LABEL, amount).copy(value.to_string()).role(Role::Value)
        })
    })
}

/// Appends what a failure cost in an entry that is folded.
pub(super) fn push_folded_gas(
    transaction: &Transaction,
    cx: &PaneContext<'_>,
    entries: &mut Vec<DocumentEntry>,
) {
    let mut parts = Vec::new();
    push_gas(transaction, cx, &mut parts);
    parts.retain(|part| &*part.label != FEE_LABEL);
    entries.push(fee_entry(transaction, cx).fold(false));
    entries.extend(parts.into_iter().map(|part| part.at_level(1)));
}
