//! A transaction in a sentence, and why it failed in another.

use crate::api::decoded_input::{DecodedInput, DecodedParameter, RevertReason};
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::chain::Address;
use crate::pane::PaneContext;
use crate::ui::format::cut;

/// How far values are cut.
const MAX_VALUE_COLUMNS: usize = 24;

/// Says in one line who did what: `bob.eth → Router.swapExactIn(amt 2500, to bob.eth)`.
pub(super) fn call_sentence(transaction: &Transaction, cx: &PaneContext<'_>) -> Option<String> {
    let from = cx.short_name(&transaction.from.value()?.hash);
    let value = transaction.value.value().filter(|wei| !wei.is_zero());
    let value = value.map(|wei| cx.format.unit.format_exact(*wei, cx.network));
    Some(match (transaction.to.value(), transaction.known_method().value()) {
        (None, _) => {
            let created = cx.short_name(&transaction.created().value()?.hash);
            format!("{from} creates {created}")
        }
        (Some(to), None) => format!("{from} sends {} to {}", value?, cx.short_name(&to.hash)),
        (Some(to), Some(method)) => {
            let arguments = transaction.decoded_input.value();
            let arguments = arguments.map(|call| arguments_text(call, cx)).unwrap_or_default();
            let paid = value.map(|value| format!(" with {value}")).unwrap_or_default();
            format!("{from} → {}.{method}({arguments}){paid}", cx.short_name(&to.hash))
        }
    })
}

/// Returns the decoded reason of a failed transaction.
pub(super) fn failure_sentence(transaction: &Transaction, cx: &PaneContext<'_>) -> Option<String> {
    if transaction.outcome() != TransactionOutcome::Failed {
        return None;
    }
    Some(match transaction.revert_reason.value()? {
        RevertReason::Decoded(error) => {
            let call = error.method_call.value()?;
            let name = call.split('(').next().unwrap_or_default();
            match error.parameters.value().map(Vec::as_slice) {
                Some([message]) if name == "Error" => {
                    format!("“{}”", message.value.value().map_or("?", |text| &text.0))
                }
                _ => format!("{name}({})", arguments_text(error, cx)),
            }
        }
        RevertReason::Raw(raw) => {
            let data = alloy_primitives::hex::decode(&**raw).ok()?;
            cx.signature_db.revert_reason(&data).describe().to_string()
        }
    })
}

fn arguments_text(call: &DecodedInput, cx: &PaneContext<'_>) -> String {
    let parameters = call.parameters.value().map(Vec::as_slice).unwrap_or_default().iter();
    parameters.map(|it| short_parameter(it, cx)).collect::<Vec<_>>().join(", ")
}

fn short_parameter(parameter: &DecodedParameter, cx: &PaneContext<'_>) -> String {
    let value = match parameter.value.value().map(|value| &*value.0) {
        None => "?".into(),
        Some(list) if list.starts_with('[') => "[…]".to_owned(),
        Some(value) => match value.parse::<Address>() {
            Ok(address) => cx.short_name(&address),
            Err(_) => cut(value, MAX_VALUE_COLUMNS).into_owned(),
        },
    };
    let name = parameter.name.value().filter(|name| !name.is_empty());
    name.map_or_else(|| value.clone(), |name| format!("{name} {value}"))
}
