//! A decoded call or error, with an entry per parameter.

use alloy_primitives::hex;

use crate::abi::{AbiValue, Argument, DecodedCall, declared_arguments};
use crate::api::Field;
use crate::api::decoded_input::{DecodedInput, DecodedParameter};
use crate::api::transactions::Transaction;
use crate::calls::results::outcome_role;
use crate::calls::values::{allows_all, amount_position};
use crate::chain::amount::group_whole_integer;
use crate::chain::{Bytes, TxHash, U256};
use crate::columns::cells::token_amount::raw_note;
use crate::columns::cells::token_amount::{known_token_amount, moved_amount};
use crate::messages::approvals;
use crate::pane::PaneContext;
use crate::pane::detail::field_entries::{field_entry, missing_entry};
use crate::pane::detail::value_entries::{
    argument_entries, argument_label, bytes_entries, deeper, label_of, list_entries, value_entries,
};
use crate::sanitize::SafeText;
use crate::trace::CallOutcome;
use crate::ui::document::{DocumentEntry, EntryValue, usual_value_column};
use crate::ui::format::fits;
use crate::ui::theme::Role;

/// Level of the items of a list among the parameters.
const ITEM_LEVEL: u8 = 2;
/// Label of the transaction's call.
pub(super) const CALL_LABEL: &str = "call";

/// Decodes the arguments of a transaction's call again: the explorer's decoding lacks the calls in
/// bytes.
pub(super) fn decode_arguments(
    transaction: &Transaction,
    decoded: &DecodedInput,
    cx: &PaneContext<'_>,
) -> Vec<Argument> {
    let call = || {
        let declaration = decoded.method_call.value()?;
        let input = transaction.raw_input.value()?;
        if transaction.is_creation() {
            return cx.signature_db.decode_creation(input);
        }
        let to = transaction.to.hash();
        let names = cx.name_cache.contract_names(to);
        cx.signature_db.decode_declared(declaration, to, &names, input)
    };
    call().map(|call| call.arguments).unwrap_or_default()
}

/// Decodes a call that the explorer did not decode by known signatures.
pub(super) fn guessed_call(transaction: &Transaction, cx: &PaneContext<'_>) -> Option<DecodedCall> {
    let to = transaction.to.hash();
    let names = cx.name_cache.contract_names(to);
    cx.signature_db.decode_call(to, &names, transaction.raw_input.value()?)
}

/// Returns the signature of such a call or error with its source, and the arguments, which are folded of an error.
pub(super) fn guessed_entries(
    label: &str,
    call: &DecodedCall,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let mark = if call.is_guess() { "? " } else { "" };
    let source = format!("({mark}{})", call.source.describe());
    let header = DocumentEntry::text(label, call.signature.clone()).side_note(&source);
    let header = if call.arguments.is_empty() { header } else { header.fold(label == CALL_LABEL) };
    let arguments = argument_entries(&call.arguments).into_iter();
    [header].into_iter().chain(arguments.map(|entry| with_name(entry, cx))).collect()
}

/// Adds the name of its address to an entry.
pub(in crate::pane) fn with_name(entry: DocumentEntry, cx: &PaneContext<'_>) -> DocumentEntry {
    let address = entry.address();
    match address.and_then(|address| cx.name_cache.name_without_label(&address)) {
        Some(name) if !name.is_empty() => entry.side_note(&name),
        _ => entry,
    }
}

/// Returns the signature of a decoded call or error, and its parameters. `arguments` are as decoded
/// here, if they could be. The parameters of an error are folded.
pub(super) fn decoded_entries(
    label: &str,
    decoded: &DecodedInput,
    arguments: &[Argument],
    transaction: &Transaction,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let is_call = label == CALL_LABEL;
    let header = field_entry(label, &decoded.method_call, |call| {
        let with_id = with_selector(decoded, cx);
        DocumentEntry::text(label, with_id.unwrap_or_else(|| call.0.to_string()))
            .copy(call.0.clone())
    });
    let parameters = decoded.parameters.value().map(Vec::as_slice).unwrap_or_default();
    let header = if parameters.is_empty() { header } else { header.fold(is_call) };
    let invalid = matches!(decoded.parameters, Field::Invalid(_));
    let invalid = missing_entry("arguments", &decoded.parameters).filter(|_| invalid);
    let texts = parameters.iter().map(|parameter| parameter.value.value().map(|text| &*text.0));
    // Without them the declaration has the names of a struct's fields.
    let declaration = decoded.method_call.value().filter(|_| arguments.is_empty());
    let mut declared =
        declaration.and_then(|call| declared_arguments(call, texts)).unwrap_or_default();
    if !is_call {
        cx.signature_db.decode_errors_in(&mut declared);
    }
    let read = if arguments.is_empty() { &*declared } else { arguments };
    let scaled = parameters.iter().enumerate().flat_map(|(n, parameter)| {
        let name = parameter.name.value().map_or("", |name| &**name);
        let kind = parameter.kind.value().map_or("", |kind| &**kind);
        let label = argument_label(kind, &label_of(name, n), cx);
        let entries = parameter_entries(&label, parameter, read.get(n));
        let called = decoded.method_call.value().filter(|_| is_call);
        let moved = called.map(|call| MovedAmounts { transaction, method: call.name(), cx });
        let allows_all = moved.as_ref().is_some_and(|moved| moved.allows_all(n, parameter));
        let of_method = moved.and_then(|moved| moved.text(n, parameter));
        let scaled = entries.into_iter().map(|entry| {
            let moved = moved_amount_in(&entry, kind, &transaction.hash, cx);
            match moved.or_else(|| of_method.clone()) {
                // Its digits say no more.
                Some(unlimited) if allows_all => {
                    let shown = DocumentEntry::text(&entry.label, unlimited).role(Role::Value);
                    shown.copy(entry.copy_text()).at_level(entry.level)
                }
                Some(amount) => amount_entry(&entry, amount),
                None => entry,
            }
        });
        scaled.collect::<Vec<_>>()
    });
    let parameters = scaled.chain(invalid).map(|entry| with_name(entry, cx));
    [header].into_iter().chain(deeper(parameters)).collect()
}

/// Returns a declaration before its selector, if both fit on a line. The raw input has the selector too.
fn with_selector(decoded: &DecodedInput, cx: &PaneContext<'_>) -> Option<String> {
    let call = decoded.method_call.value()?;
    let id = decoded.method_id.value().map(|id| {
        let digits = id.strip_prefix("0x").unwrap_or(id);
        ["0x", digits].concat()
    })?;
    let space = cx.area.width.saturating_sub(usual_value_column(cx.area.width));
    Some(format!("{call}  {id}")).filter(|text| fits(text, space.into()))
}

/// Returns `true` if the line of a decoded call has its selector.
pub(super) fn states_selector(decoded: &DecodedInput, cx: &PaneContext<'_>) -> bool {
    decoded.method_id.value().is_some() && with_selector(decoded, cx).is_some()
}

/// Marks the items of a list of calls that failed. `has_failed` has as many as the only list.
pub(super) fn mark_failed_items(
    entries: &mut [DocumentEntry],
    has_failed: &[bool],
    outcome: CallOutcome,
) {
    let is_item = |entry: &&mut DocumentEntry| {
        entry.level == ITEM_LEVEL && entry.label.starts_with('#') && entry.open.is_some()
    };
    let items: Vec<_> = entries.iter_mut().filter(is_item).collect();
    if items.len() != has_failed.len() {
        return;
    }
    for (item, _) in items.into_iter().zip(has_failed).filter(|(_, has_failed)| **has_failed) {
        if let EntryValue::Text(text) = &item.value {
            let copied = item.copy_text();
            let marked = SafeText::new(&[outcome.symbol(), " ", text].concat());
            *item = DocumentEntry { value: EntryValue::Text(marked), ..item.clone() };
            *item = item.clone().role(outcome_role(outcome)).copy(copied);
        }
    }
}

/// The numbers among a call's arguments that are amounts of a token.
pub(super) struct MovedAmounts<'a> {
    pub(super) transaction: &'a Transaction,
    pub(super) method: &'a str,
    pub(super) cx: &'a PaneContext<'a>,
}

impl MovedAmounts<'_> {
    /// Returns an argument in the unit of the token of which the transaction moved exactly so much, or of
    /// the called token by the method's meaning.
    pub(super) fn text(&self, position: usize, parameter: &DecodedParameter) -> Option<String> {
        if self.allows_all(position, parameter) {
            return Some(approvals::UNLIMITED.to_owned());
        }
        let value = number(parameter)?;
        let names = self.cx.name_cache;
        moved_amount(names, &self.transaction.hash, value).or_else(|| {
            amount_position(self.method).filter(|at| *at == position)?;
            known_token_amount(names, &self.transaction.to.value()?.hash, value)
        })
    }

    /// Returns `true` for the amount of an unlimited approval.
    fn allows_all(&self, position: usize, parameter: &DecodedParameter) -> bool {
        let token = self.transaction.to.value().zip(number(parameter));
        amount_position(self.method) == Some(position)
            && token.is_some_and(|(token, value)| {
                allows_all(self.cx.name_cache, self.method, &token.hash, value)
            })
    }
}

/// Returns the value of an unsigned number.
fn number(parameter: &DecodedParameter) -> Option<U256> {
    parameter.kind.value().filter(|kind| kind.starts_with("uint"))?;
    parameter.value.value()?.0.parse().ok()
}

/// Returns the entry of a number with an amount before it.
pub(in crate::pane) fn amount_entry(entry: &DocumentEntry, amount: String) -> DocumentEntry {
    let exact = entry.copy_text();
    let note = raw_note(&amount, &group_whole_integer(&exact));
    let shown = DocumentEntry::text(&entry.label, amount).role(Role::Value);
    shown.side_note(&note).copy(exact).at_level(entry.level)
}

/// Returns the number of an entry of a parameter in the unit of the token of which the transaction moved
/// exactly so much.
pub(in crate::pane) fn moved_amount_in(
    entry: &DocumentEntry,
    kind: &str,
    transaction: &TxHash,
    cx: &PaneContext<'_>,
) -> Option<String> {
    let EntryValue::Text(_) = &entry.value else { return None };
    // The items of an array have the type of the parameter, the fields of a tuple one of their own.
    let is_unsigned = entry.label.starts_with("uint") || kind.starts_with("uint");
    let value = entry.copy_text().parse().ok().filter(|_| is_unsigned)?;
    moved_amount(cx.name_cache, transaction, value)
}

fn parameter_entries(
    label: &str,
    parameter: &DecodedParameter,
    argument: Option<&Argument>,
) -> Vec<DocumentEntry> {
    let kind = parameter.kind.display_with(|kind| (&**kind).into());
    let value = parameter.value.value().map_or("", |value| &*value.0);
    match argument.map(|argument| &argument.value) {
        Some(AbiValue::Array(_, items)) => list_entries(label, items, value),
        Some(it @ (AbiValue::Tuple(..) | AbiValue::Bytes(_) | AbiValue::Call(..))) => {
            value_entries(label, "", it)
        }
        _ => match decode_hex(value).filter(|_| kind == "bytes") {
            Some(bytes) => bytes_entries(label, bytes),
            None => vec![text_entry(label, &kind, parameter)],
        },
    }
}

fn text_entry(label: &str, kind: &str, parameter: &DecodedParameter) -> DocumentEntry {
    let entry = field_entry(label, &parameter.value, |value| {
        let shown = match &*value.0 {
            "" => "\"\"".into(),
            value if kind.contains("int") => group_whole_integer(value),
            value => value.into(),
        };
        DocumentEntry::text(label, &*shown).copy(value.0.clone())
    });
    let to = parameter.value.value().filter(|_| kind == "address").and_then(|v| v.0.parse().ok());
    if let Some(address) = to { entry.link_address(address) } else { entry }
}

fn decode_hex(text: &str) -> Option<Bytes> {
    text.starts_with("0x").then(|| hex::decode(text).ok()).flatten().map(Bytes::from)
}
