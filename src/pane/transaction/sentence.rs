//! A transaction in a sentence, and the reason of its failure in another.

use alloy_primitives::hex;

use super::parameters::{MovedAmounts, decode_arguments, guessed_call};
use crate::abi::{AbiValue, Argument, DecodedCall, DecodedRevert, declared_arguments};
use crate::api::decoded_input::{AbiDeclaration, DecodedInput, DecodedParameter, RevertReason};
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::calls::formatter::is_named_after;
use crate::calls::identity::MAX_INLINE_CALLDATA_BYTES;
use crate::calls::values::{joined, separated};
use crate::chain::amount::{Grouped, group_integer, group_whole_integer};
use crate::chain::{Address, Bytes, U256};
use crate::columns::cells::called_method::CalledMethod;
use crate::columns::cells::failure_reason::{exact_values, panic_of};
use crate::messages::Count;
use crate::messages::transaction::Tense;
use crate::pane::PaneContext;
use crate::ui::format::cut;
use crate::ui::marked_text::MarkedText;
use crate::ui::theme::Role;

/// Maximum columns of a value.
const MAX_VALUE_COLUMNS: usize = 24;

pub(super) fn tense(transaction: &Transaction) -> Tense {
    match transaction.outcome() {
        TransactionOutcome::Dropped => Tense::Dropped,
        TransactionOutcome::Pending => Tense::Pending,
        _ => Tense::Mined,
    }
}

/// Describes the call in one line: `bob.eth → Router.swapExactIn(amt 2500, to bob.eth)`.
pub(super) fn call_sentence(
    transaction: &Transaction,
    cx: &PaneContext<'_>,
) -> Option<Vec<MarkedText>> {
    let call = call_parts(transaction, cx);
    let paid = coin_sent(transaction).map(|wei| cx.format.unit.describe(wei, cx.network));
    sentence(transaction, call, paid, |address| cx.short_name(address))
}

/// Describes the call with whole addresses and the values as they were sent.
pub(super) fn exact_call_sentence(
    transaction: &Transaction,
    cx: &PaneContext<'_>,
) -> Option<String> {
    let guessed = |call: &DecodedCall| {
        let values =
            call.arguments.iter().map(|argument| argument.value.format_full(<_>::default()));
        plain(values.map(|value| value.to_string()).collect::<Vec<_>>().join(", "))
    };
    let paid = coin_sent(transaction).map(|wei| cx.format.unit.format_exact(wei, cx.network));
    let exact = |_: &str, call: &_| plain(exact_values(call));
    let call = written_call(transaction, exact, guessed, paid.clone(), cx);
    sentence(transaction, call, paid, Address::to_string).map(|parts| joined(&parts))
}

fn sentence(
    transaction: &Transaction,
    call: Option<Vec<MarkedText>>,
    paid: Option<String>,
    name: impl Fn(&Address) -> String,
) -> Option<Vec<MarkedText>> {
    let party = |address: &Address| MarkedText::new(name(address), Role::Link);
    let word = |text: &str| MarkedText::new(format!(" {text} "), Role::Plain);
    let from = party(&transaction.from.value()?.hash);
    let tense = tense(transaction);
    Some(match (transaction.to.value(), call) {
        (None, _) if !transaction.is_creation() => return None,
        (None, call) => {
            let created = transaction.created().value().map(|created| created.hash);
            let contract = creation_name(transaction);
            let shown = created.map(|created| {
                // The name of a proxy has the one of its implementation after it.
                let whole = name(&created);
                let own = whole.split(" › ").next().filter(|own| Some(*own) == contract);
                MarkedText::new(own.unwrap_or(&whole).to_owned(), Role::Link)
            });
            let is_same = shown
                .as_ref()
                .zip(contract)
                .is_some_and(|(shown, contract)| is_named_after(&shown.text, contract));
            let begin = [from, word(tense.creates())].into_iter();
            match call {
                None => begin.chain([shown?]).collect(),
                // The name of the contract begins the call.
                Some(call) if is_same => {
                    begin.chain(shown).chain(call.into_iter().skip(1)).collect()
                }
                Some(call) => {
                    let equals = shown.is_some().then(|| word("="));
                    begin.chain(shown).chain(equals).chain(call).collect()
                }
            }
        }
        (Some(to), None) => {
            let paid = MarkedText::new(paid?, Role::Value);
            vec![from, word(tense.sends()), paid, word("to"), party(&to.hash)]
        }
        (Some(to), Some(call)) => {
            let called = [from, word("→"), party(&to.hash), MarkedText::new(".", Role::Plain)];
            called.into_iter().chain(call).collect()
        }
    })
}

/// Describes the called method with its arguments, unless none is called: `swapExactIn(amt 2500, to bob.eth)`.
pub fn call_text(transaction: &Transaction, cx: &PaneContext<'_>) -> Option<String> {
    call_parts(transaction, cx).map(|parts| joined(&parts))
}

/// Like [`call_text`], with the roles of addresses and amounts.
fn call_parts(transaction: &Transaction, cx: &PaneContext<'_>) -> Option<Vec<MarkedText>> {
    let arguments = |method: &str, call: &DecodedInput| {
        let moved = MovedAmounts { transaction, method, cx };
        let decoded = decode_arguments(transaction, call, cx);
        argument_parts(call, &decoded, cx, |n, argument| match moved.text(n, argument) {
            Some(amount) => MarkedText::new(amount, Role::Value),
            None => short_value(argument, cx),
        })
    };
    let guessed = |call: &DecodedCall| cx.values().argument_parts(transaction.to.hash(), call);
    let paid = coin_sent(transaction).map(|wei| cx.format.unit.describe(wei, cx.network));
    written_call(transaction, arguments, guessed, paid, cx)
}

/// Writes a call with the `arguments` of its method, as the explorer decodes them, or with those `guessed`
/// from known signatures, and the coin that is `paid`.
fn written_call(
    transaction: &Transaction,
    arguments: impl FnOnce(&str, &DecodedInput) -> Vec<MarkedText>,
    guessed: impl FnOnce(&DecodedCall) -> Vec<MarkedText>,
    paid: Option<String>,
    cx: &PaneContext<'_>,
) -> Option<Vec<MarkedText>> {
    let with_coin = paid.map(|value| format!(" with {value}")).unwrap_or_default();
    let end = plain(format!("){with_coin}"));
    if transaction.is_creation() {
        let creation = transaction.decoded_input.value()?;
        let contract = creation_name(transaction)?;
        let inside = arguments(contract, creation);
        return Some([plain(contract.to_owned()), plain("(".to_owned()), inside, end].concat());
    }
    let called = CalledMethod::new(transaction, cx.name_cache, cx.signature_db);
    let method = called.value()?;
    // Lists write it with every frame, which long calldata would slow down.
    let input = transaction.raw_input.value();
    let is_short = input.is_none_or(|bytes| bytes.len() <= MAX_INLINE_CALLDATA_BYTES);
    let guess = || guessed_call(transaction, cx).filter(|call| call.name == method.name);
    let inside = match transaction.decoded_input.value() {
        Some(call) => arguments(&method.name, call),
        None => match is_short.then(guess).flatten() {
            Some(call) => guessed(&call),
            None if method.runs_fallback => plain(fallback_data(input)),
            None => plain(undecoded_text(input)),
        },
    };
    Some([plain(format!("{method}(")), inside, end].concat())
}

/// Returns the name of the contract that a transaction creates, if its constructor is known.
fn creation_name(transaction: &Transaction) -> Option<&str> {
    let constructor = transaction.decoded_input.value().filter(|_| transaction.is_creation())?;
    constructor.method_call.value().map(AbiDeclaration::name)
}

fn plain(text: String) -> Vec<MarkedText> {
    vec![MarkedText::new(text, Role::Plain)]
}

/// Returns the coin that a transaction sends, if it is any.
fn coin_sent(transaction: &Transaction) -> Option<U256> {
    transaction.value.value().filter(|wei| !wei.is_zero()).copied()
}

/// Returns the decoded reason of a failed transaction.
pub(super) fn failure_sentence(transaction: &Transaction, cx: &PaneContext<'_>) -> Option<String> {
    if transaction.outcome() != TransactionOutcome::Failed {
        return None;
    }
    reason_sentence(transaction.revert_reason.value()?, cx)
}

/// Returns a reason of a failure in words.
pub(super) fn reason_sentence(reason: &RevertReason, cx: &PaneContext<'_>) -> Option<String> {
    Some(match reason {
        RevertReason::Decoded(error) => {
            let name = error.method_call.value()?.name();
            match (error.parameters.value().map(Vec::as_slice), panic_of(error)) {
                (Some([message]), _) if name == "Error" => {
                    format!("“{}”", message.value.value().map_or("?", |text| &text.0))
                }
                (_, Some(panic)) => panic.to_string(),
                _ => {
                    let value = |_, argument: &_| match inner_error(argument, cx) {
                        Some(error) => MarkedText::new(error, Role::Plain),
                        None if let Some(exact) = ambiguous_number(error, argument) => {
                            MarkedText::new(exact, Role::Plain)
                        }
                        None => short_value(argument, cx),
                    };
                    format!("{name}({})", joined(&argument_parts(error, &[], cx, value)))
                }
            }
        }
        RevertReason::Raw(raw) => {
            let data = hex::decode(&**raw).ok().filter(|data| !data.is_empty())?;
            cx.values().revert_text(&cx.signature_db.revert_reason(&data))
        }
    })
}

/// Returns the error that another one passes on in its bytes, if it is known.
fn inner_error(parameter: &DecodedParameter, cx: &PaneContext<'_>) -> Option<String> {
    parameter.kind.value().filter(|kind| *kind == "bytes")?;
    let data = hex::decode(&*parameter.value.value()?.0).ok()?;
    match cx.signature_db.revert_reason(&data) {
        DecodedRevert::Empty | DecodedRevert::Text(_) | DecodedRevert::Unknown { .. } => None,
        // As other errors, with its name.
        DecodedRevert::Message(text) => {
            Some(format!("Error(\"{}\")", cut(&text, MAX_VALUE_COLUMNS)))
        }
        reason => Some(cx.values().revert_text(&reason)),
    }
}

/// Returns a number of an error with all digits, if another one would have the same text.
fn ambiguous_number(error: &DecodedInput, argument: &DecodedParameter) -> Option<String> {
    let number = |parameter: &DecodedParameter| {
        parameter.kind.value().filter(|kind| kind.contains("int"))?;
        parameter.value.value().map(|value| value.0.clone())
    };
    let own = number(argument)?;
    let mut others = error.parameters.value()?.iter().filter_map(number);
    let is_ambiguous =
        others.any(|other| other != own && group_integer(&other) == group_integer(&own));
    is_ambiguous.then(|| group_whole_integer(&own).into_owned())
}

/// Describes the size of calldata with unknown arguments.
fn undecoded_text(input: Option<&Bytes>) -> String {
    match input.map(|input| input.len().saturating_sub(4)) {
        None => "…".to_owned(),
        Some(0) => String::new(),
        Some(1) => "1 byte".to_owned(),
        Some(length) => format!("{} bytes", Grouped(length)),
    }
}

/// Returns the first bytes of the calldata of a fallback.
fn fallback_data(input: Option<&Bytes>) -> String {
    let Some((selector, rest)) = input.and_then(|input| input.split_first_chunk::<4>()) else {
        return String::new();
    };
    let more = if rest.is_empty() { "" } else { "…" };
    [&*hex::encode_prefixed(selector), more].concat()
}

/// Formats the arguments of a call or an error. `decoded` are as decoded here, with the calls in bytes.
fn argument_parts(
    call: &DecodedInput,
    decoded: &[Argument],
    cx: &PaneContext<'_>,
    value: impl Fn(usize, &DecodedParameter) -> MarkedText,
) -> Vec<MarkedText> {
    let parameters = call.parameters.value().map(Vec::as_slice).unwrap_or_default();
    let texts = parameters.iter().map(|parameter| parameter.value.value().map(|text| &*text.0));
    let declared = call
        .method_call
        .value()
        .and_then(|call| declared_arguments(call, texts))
        .unwrap_or_default();
    let named = parameters.iter().enumerate().map(|(n, parameter)| {
        let name = parameter.name.value().filter(|name| !name.is_empty());
        let calls = decoded.get(n).map(|argument| &argument.value).filter(|value| has_calls(value));
        let route = declared.get(n).and_then(|argument| cx.values().route_parts(argument));
        let shown = match calls.or(declared.get(n).map(|argument| &argument.value)) {
            _ if let Some(route) = route => route,
            Some(calls) if has_calls(calls) => cx.values().value_parts(calls),
            Some(structure @ AbiValue::Tuple(..)) => cx.values().value_parts(structure),
            Some(AbiValue::Array(_, items)) => plain(format!("[{}]", Count(items.len(), "item"))),
            _ => vec![value(n, parameter)],
        };
        let begin = name.map(|name| MarkedText::new(format!("{name} "), Role::Plain));
        begin.into_iter().chain(shown).collect()
    });
    separated(named)
}

/// Returns `true` for bytes that are a call, and for a list of them.
fn has_calls(value: &AbiValue) -> bool {
    match value {
        AbiValue::Call(..) => true,
        AbiValue::Array(_, items) => {
            !items.is_empty() && items.iter().all(|item| matches!(item, AbiValue::Call(..)))
        }
        _ => false,
    }
}

fn short_value(parameter: &DecodedParameter, cx: &PaneContext<'_>) -> MarkedText {
    let text = match parameter.value.value().map(|value| &*value.0) {
        None => "?".to_owned(),
        Some(list) if list.starts_with('[') => "[…]".to_owned(),
        Some(value) => match value.parse::<Address>() {
            Ok(address) => return MarkedText::new(cx.short_name(&address), Role::Link),
            Err(_) if parameter.kind.value().is_some_and(|kind| kind.contains("int")) => {
                cut(&group_integer(value), MAX_VALUE_COLUMNS).into_owned()
            }
            Err(_) => cut(value, MAX_VALUE_COLUMNS).into_owned(),
        },
    };
    MarkedText::new(text, Role::Plain)
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};

    use super::*;
    use crate::api::Item;
    use crate::chain::TxHash;

    /// Returns the sentence of a transaction to an account that creates a `Token`, whose address has a name.
    fn creation(to: &Value, name: &str) -> Option<String> {
        let [from, created] = [1, 2].map(Address::repeat_byte);
        let sent = json!({
            "hash": TxHash::ZERO, "status": "ok", "from": { "hash": from }, "to": to,
            "created_contract": { "hash": created },
            "decoded_input": { "method_call": "Token(string symbol)", "parameters": [] },
        });
        let transaction =
            Item::<Transaction>::from_json(&to_raw_value(&sent).unwrap()).parsed.unwrap();
        let call = ["Token", "(symbol GLD)"].map(|part| plain(part.to_owned())).concat();
        let name = |address: &Address| if *address == created { name } else { "alice" }.to_owned();
        sentence(&transaction, Some(call), None, name).map(|parts| joined(&parts))
    }

    #[test]
    fn contract_with_the_name_of_its_class_is_named_once() {
        for (name, shown) in [
            ("Token", "Token(symbol GLD)"),
            ("Token·5FbD", "Token·5FbD(symbol GLD)"),
            ("Tokenomics", "Tokenomics = Token(symbol GLD)"),
        ] {
            assert_eq!(creation(&Value::Null, name).unwrap(), format!("alice creates {shown}"));
        }
        assert_eq!(creation(&json!({ "hash": 7 }), "Token"), None, "an unreadable recipient");
    }
}
