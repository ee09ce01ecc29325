//! The reason of a failed transaction in a line of a list.

use alloy_primitives::hex;

use super::AS_SENT;
use crate::abi::{AbiValue, Argument, DecodedRevert, SignatureDb, declared_arguments, struct_text};
use crate::api::decoded_input::{DecodedInput, RevertReason};
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::chain::Address;
use crate::chain::amount::group_integer;
use crate::columns::RowContext;
use crate::messages::column;
use crate::sanitize::SafeText;
use crate::ui::format::cut;

/// Maximum columns of an argument.
const MAX_VALUE_COLUMNS: usize = 24;

/// Returns the decoded reason of a failed transaction: `DeepTrouble(11, Desk, too deep)`.
pub fn failure_reason(
    transaction: &Transaction,
    signatures: &SignatureDb,
    short_name: impl Fn(&Address) -> String,
) -> Option<String> {
    if transaction.outcome() != TransactionOutcome::Failed {
        return None;
    }
    Some(match transaction.revert_reason.value()? {
        RevertReason::Decoded(error) => decoded_text(error, &short_name)?,
        RevertReason::Raw(raw) => match signatures.revert_reason(&hex::decode(&**raw).ok()?) {
            DecodedRevert::Custom(error) => {
                format!("{}({})", error.title(), arguments_text(&error.arguments, &short_name))
            }
            // What is not decoded says little, and has much less space than on the page.
            DecodedRevert::Empty | DecodedRevert::Unknown { .. } => return None,
            reason => reason.describe().to_string(),
        },
    })
}

/// Describes the source of a reason.
pub fn reason_source(transaction: &Transaction, cx: &RowContext<'_>) -> SafeText {
    let raw = match transaction.revert_reason.value() {
        Some(RevertReason::Decoded(_)) => {
            return column::decoded_by_explorer(&cx.network.endpoint).into();
        }
        Some(RevertReason::Raw(raw)) => hex::decode(&**raw).ok(),
        None => None,
    };
    match raw.map(|raw| cx.signatures.revert_reason(&raw)) {
        Some(DecodedRevert::Custom(error)) => error.source.describe(),
        _ => AS_SENT.into(),
    }
}

/// Formats an error that the server decoded.
fn decoded_text(error: &DecodedInput, short_name: &dyn Fn(&Address) -> String) -> Option<String> {
    let declaration = error.method_call.value()?;
    let parameters = error.parameters.value().map(Vec::as_slice).unwrap_or_default();
    let texts = parameters.iter().map(|parameter| parameter.value.value().map(|text| &*text.0));
    let arguments = declared_arguments(declaration, texts);
    Some(match (declaration.name(), arguments.as_deref()) {
        ("Error", Some([message])) => message.value.summary().to_string(),
        (name, Some(arguments)) => format!("{name}({})", arguments_text(arguments, short_name)),
        (name, None) => format!("{name}(…)"),
    })
}

fn arguments_text(arguments: &[Argument], short_name: &dyn Fn(&Address) -> String) -> String {
    let texts = arguments.iter().map(|argument| value_text(&argument.value, short_name));
    texts.collect::<Vec<_>>().join(", ")
}

fn value_text(value: &AbiValue, short_name: &dyn Fn(&Address) -> String) -> String {
    match value {
        AbiValue::Address(address) => short_name(address),
        AbiValue::Tuple(fields, values) => {
            struct_text(fields, values, |value| value_text(value, short_name))
        }
        AbiValue::Uint(_) | AbiValue::Int(_) => group_integer(&value.summary()).into_owned(),
        value => cut(&value.summary(), MAX_VALUE_COLUMNS).into_owned(),
    }
}
