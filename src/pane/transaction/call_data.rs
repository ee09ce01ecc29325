//! The call of a transaction and its data.

use super::parameters::{
    CALL_LABEL, decode_arguments, decoded_entries, guessed_call, guessed_entries,
    mark_failed_items, states_selector,
};
use super::{INPUT_LABEL, MIN_WIDE_COLUMNS, TransactionDetail, inner_outcome};
use crate::abi::SELECTOR_BYTES;
use crate::api::Field;
use crate::api::transactions::Transaction;
use crate::chain::amount::Grouped;
use crate::columns::cells::called_method::CalledMethod;
use crate::messages::transaction;
use crate::pane::PaneContext;
use crate::pane::detail::field_entries::{display_entry, field_entry, missing_entry};
use crate::pane::detail::value_entries::{SELECTOR_LABEL, calldata_entries, only_selector_entry};
use crate::ui::document::DocumentEntry;
use crate::ui::theme::Role;

/// Longer calldata is folded on wide screens too.
const MAX_OPEN_INPUT_BYTES: usize = 1_000;

/// Returns the entries of the call and of its data, or none of a plain send.
pub(super) fn call_entries(
    detail: &TransactionDetail,
    transaction: &Transaction,
    cx: &PaneContext<'_>,
) -> Vec<DocumentEntry> {
    let mut entries = Vec::new();
    let mut has_selector = false;
    match &transaction.decoded_input {
        Field::Present(decoded) => {
            let arguments = decode_arguments(transaction, decoded, cx);
            let mut call = decoded_entries(CALL_LABEL, decoded, &arguments, transaction, cx);
            has_selector = states_selector(decoded, cx);
            let to = transaction.to.value();
            let self_calls = to.map(|to| detail.coin_moves.failed_self_calls(to.hash));
            mark_failed_items(
                &mut call,
                &self_calls.unwrap_or_default(),
                inner_outcome(transaction),
            );
            entries.append(&mut call);
        }
        _ if transaction.is_plain_send() => return entries,
        other => {
            let method = CalledMethod::new(transaction, cx.name_cache, cx.signature_db);
            let guess = guessed_call(transaction, cx).filter(|call| {
                matches!(other, Field::Absent)
                    && method.value().is_some_and(|method| method.name == call.name)
            });
            let call = display_entry(CALL_LABEL, &method);
            match (other, &method, guess) {
                (_, _, Some(guess)) => entries.append(&mut guessed_entries(CALL_LABEL, &guess, cx)),
                (Field::Absent, Field::Present(_), None) => {
                    entries.push(call.side_note(transaction::NO_ABI));
                }
                _ => entries.push(call),
            }
            let invalid = matches!(other, Field::Invalid(_));
            entries.extend(missing_entry("arguments", other).filter(|_| invalid));
        }
    }
    entries.push(field_entry(INPUT_LABEL, &transaction.raw_input, |bytes| match bytes.len() {
        0 => DocumentEntry::text(INPUT_LABEL, "empty").copy("0x").role(Role::Dim),
        SELECTOR_BYTES => only_selector_entry(INPUT_LABEL, bytes),
        n => {
            let size = format!("{} bytes", Grouped(n));
            let is_open = cx.area.width >= MIN_WIDE_COLUMNS && n <= MAX_OPEN_INPUT_BYTES;
            DocumentEntry::text(INPUT_LABEL, size).copy(bytes.to_string()).fold(is_open)
        }
    }));
    let bytes = transaction.raw_input.value().filter(|bytes| bytes.len() > SELECTOR_BYTES);
    // The call above may have the selector.
    let is_new = |entry: &DocumentEntry| !has_selector || &*entry.label != SELECTOR_LABEL;
    entries.extend(bytes.into_iter().flat_map(calldata_entries).filter(is_new));
    entries
}
