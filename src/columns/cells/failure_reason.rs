//! The reason of a failed transaction in a line of a list.

use alloy_primitives::hex;

use super::AS_SENT;
use crate::abi::{
    AbiValue, Argument, DecodedRevert, PANIC_SELECTOR, SignatureDb, declared_arguments, panic_text,
    struct_text,
};
use crate::api::decoded_input::{DecodedInput, DecodedParameter, RevertReason};
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::chain::amount::group_integer;
use crate::chain::{Address, U256};
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
            // What is not decoded says little, and has much less space than on the page.
            DecodedRevert::Empty | DecodedRevert::Unknown { .. } => return None,
            reason => revert_text(&reason, &short_name),
        },
    })
}

/// Returns decoded revert data in a line of a list: `DeepTrouble(11, Desk, too deep)`.
pub fn revert_text(reason: &DecodedRevert, short_name: &dyn Fn(&Address) -> String) -> String {
    match reason {
        DecodedRevert::Custom(error) => {
            format!("{}({})", error.title(), arguments_text(&error.arguments, short_name))
        }
        reason => reason.describe().to_string(),
    }
}

/// Returns a reason of a failure with the values as they are in its data.
pub fn exact_reason(reason: &RevertReason, signatures: &SignatureDb) -> Option<SafeText> {
    let error = match reason {
        RevertReason::Decoded(error) => error,
        RevertReason::Raw(raw) => {
            let data = hex::decode(&**raw).ok().filter(|data| !data.is_empty())?;
            return Some(signatures.revert_reason(&data).describe());
        }
    };
    let name = error.method_call.value()?.name();
    let parameters = error.parameters.value().map(Vec::as_slice).unwrap_or_default();
    Some(match parameters {
        [message] if name == "Error" => exact_value(message),
        [code] if is_panic(error) && panic_code(code).is_some() => panic_text(panic_code(code)?),
        _ => SafeText::new(&format!("{name}({})", exact_values(error))),
    })
}

/// Returns the values of a call or an error as they were sent.
pub fn exact_values(call: &DecodedInput) -> String {
    let parameters = call.parameters.value().map(Vec::as_slice).unwrap_or_default();
    parameters.iter().map(exact_value).collect::<Vec<_>>().join(", ")
}

fn exact_value(parameter: &DecodedParameter) -> SafeText {
    parameter.value.value().map_or_else(|| "?".into(), |value| value.0.clone())
}

/// Returns `true` for `Panic(uint256)`.
pub fn is_panic(error: &DecodedInput) -> bool {
    let selector = error.method_id.value();
    selector.and_then(|text| hex::decode(&**text).ok()).is_some_and(|bytes| bytes == PANIC_SELECTOR)
}

/// Returns the code of a panic, which is its only parameter.
pub fn panic_code(code: &DecodedParameter) -> Option<U256> {
    code.value.value()?.0.parse().ok()
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
