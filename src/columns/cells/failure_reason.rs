//! The reason of a failed transaction in a line of a list.

use alloy_primitives::hex;

use super::AS_SENT;
use crate::abi::{
    AbiValue, Argument, DecodedRevert, PANIC_SELECTOR, SignatureDb, declared_arguments,
    distinguish_numbers, panic_text, struct_text,
};
use crate::api::decoded_input::{AbiDeclaration, DecodedInput, DecodedParameter, RevertReason};
use crate::api::transactions::{AWAITING, Transaction, TransactionOutcome};
use crate::chain::amount::group_integer;
use crate::chain::network::Endpoint;
use crate::chain::{Address, U256};
use crate::messages::column::{self, LastCallError};
use crate::name_cache::NameCache;
use crate::sanitize::SafeText;
use crate::ui::format::cut;

/// Maximum columns of an argument.
const MAX_VALUE_COLUMNS: usize = 24;

/// Words from which on the name of an error is written as a sentence.
const MIN_WORDS_OF_NAME: usize = 3;

/// The reason of a failed transaction in a list.
#[derive(Debug)]
pub enum FailureReason<'a> {
    /// An error that the server decoded, with its declaration.
    Decoded(&'a AbiDeclaration, &'a DecodedInput),
    Data(DecodedRevert),
    /// The server's word for the failure, such as `Out of gas`.
    Word(&'a str),
    /// The error of the last call of a transaction that reverted without data.
    LastCall(&'a str),
    NotIndexedYet,
    Unknown,
}

impl<'a> FailureReason<'a> {
    /// Returns the reason of a transaction in a list, unless it did not fail.
    pub fn of(
        sent: &'a Transaction,
        names: &'a NameCache,
        signatures: &SignatureDb,
    ) -> Option<Self> {
        if sent.outcome() != TransactionOutcome::Failed {
            return None;
        }
        let transaction = with_decoded_reason(sent, names);
        let reason = transaction.revert_reason.value();
        // Other failures have no data either.
        let of_data = reason
            .and_then(|reason| Self::of_data(reason, signatures))
            .filter(|reason| !reason.is_empty() || has_reverted(transaction));
        if let (None | Some(Self::Data(DecodedRevert::Empty)), Some(error)) =
            (&of_data, transaction.last_call_error.value())
        {
            return Some(Self::LastCall(error));
        }
        Some(of_data.unwrap_or_else(|| match transaction.result.value() {
            None => Self::Unknown,
            Some(result) if result == AWAITING => Self::NotIndexedYet,
            Some(result) => Self::Word(result),
        }))
    }

    /// Returns the reason in the data of a failure, which may be empty.
    fn of_data(reason: &'a RevertReason, signatures: &SignatureDb) -> Option<Self> {
        Some(match reason {
            RevertReason::Decoded(error) => Self::Decoded(error.method_call.value()?, error),
            RevertReason::Raw(raw) => {
                let data = hex::decode(&**raw).ok().filter(|_| !raw.is_empty())?;
                Self::Data(signatures.revert_reason(&data))
            }
        })
    }

    fn is_empty(&self) -> bool {
        matches!(self, Self::Data(DecodedRevert::Empty))
    }

    /// Returns the text of a row: `DeepTrouble(11, Desk, too deep)`, or the selector of an unknown error.
    pub fn text(&self, short_name: impl Fn(&Address) -> String) -> String {
        match self {
            Self::Decoded(declaration, error) => decoded_text(declaration, error, &short_name),
            // Its size says little, and a list has much less space than the page.
            Self::Data(DecodedRevert::Unknown { selector: Some(selector), .. }) => {
                hex::encode_prefixed(selector)
            }
            Self::Data(reason) => revert_text(reason, &short_name),
            Self::Word(word) => error_in_words(word),
            Self::LastCall(error) => LastCallError(&error_in_words(error)).to_string(),
            Self::NotIndexedYet => column::NOT_INDEXED_YET.to_owned(),
            Self::Unknown => "?".to_owned(),
        }
    }

    /// Returns the reason with the values as they are in its data, if it is known.
    pub fn exact(&self) -> Option<SafeText> {
        match self {
            Self::Decoded(declaration, error) => Some(exact_error(declaration, error)),
            Self::Data(reason) => Some(reason.describe()),
            Self::Word(word) => Some(SafeText::new(&error_in_words(word))),
            Self::LastCall(_) => Some(SafeText::new(&self.text(|_| String::new()))),
            Self::NotIndexedYet | Self::Unknown => None,
        }
    }

    /// Describes the source of the text.
    pub fn source(&self, endpoint: &Endpoint) -> SafeText {
        match self {
            Self::Decoded(..) => column::decoded_by_explorer(endpoint).into(),
            Self::Data(DecodedRevert::Custom(error)) => error.source.describe(),
            Self::Data(DecodedRevert::Panic(_)) | Self::LastCall(_) => column::IN_WORDS.into(),
            Self::Word(word) if error_in_words(word) != *word => column::IN_WORDS.into(),
            _ => AS_SENT.into(),
        }
    }
}

/// Returns the known transaction if its error is decoded: lists have the data alone.
fn with_decoded_reason<'a>(sent: &'a Transaction, names: &'a NameCache) -> &'a Transaction {
    let known = names.transaction(&sent.hash).and_then(|item| item.parsed.as_ref().ok());
    let decoded = known.filter(|known| {
        matches!(known.revert_reason.value(), Some(RevertReason::Decoded(_)))
            && known.block_number == sent.block_number
    });
    decoded.unwrap_or(sent)
}

/// Returns `true` if a failed transaction reverted, as far as is known: other failures have no data.
pub fn has_reverted(transaction: &Transaction) -> bool {
    let result = transaction.result.value();
    result.is_none_or(|result| result.to_ascii_lowercase().contains("revert"))
}

/// Writes the name of a node's error as words: `State change during static call`.
pub fn error_in_words(error: &str) -> String {
    let is_name = error.bytes().all(|byte| byte.is_ascii_alphabetic());
    let starts = |(one, next): &(char, char)| one.is_ascii_lowercase() && next.is_ascii_uppercase();
    let words = 1 + error.chars().zip(error.chars().skip(1)).filter(starts).count();
    let capitals = error.bytes().filter(u8::is_ascii_uppercase).count();
    if !is_name || words < MIN_WORDS_OF_NAME || words != capitals {
        return error.to_owned();
    }
    let spaced = error.chars().enumerate().flat_map(|(n, letter)| {
        let starts = n > 0 && letter.is_ascii_uppercase();
        let letter = if starts { letter.to_ascii_lowercase() } else { letter };
        starts.then_some(' ').into_iter().chain([letter])
    });
    spaced.collect()
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
    let reason = FailureReason::of_data(reason, signatures);
    reason.filter(|reason| !reason.is_empty())?.exact()
}

fn exact_error(declaration: &AbiDeclaration, error: &DecodedInput) -> SafeText {
    match (declaration.name(), error.parameters.value().map(Vec::as_slice)) {
        ("Error", Some([message])) => exact_value(message),
        (name, _) => panic_of(error)
            .unwrap_or_else(|| SafeText::new(&format!("{name}({})", exact_values(error)))),
    }
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

/// Returns a panic with its meaning. Its only parameter is the code.
pub fn panic_of(error: &DecodedInput) -> Option<SafeText> {
    let [code] = error.parameters.value()?.as_slice() else { return None };
    let code: U256 = code.value.value()?.0.parse().ok().filter(|_| is_panic(error))?;
    Some(panic_text(code))
}

/// Formats an error that the server decoded.
fn decoded_text(
    declaration: &AbiDeclaration,
    error: &DecodedInput,
    short_name: &dyn Fn(&Address) -> String,
) -> String {
    if let Some(panic) = panic_of(error) {
        return panic.to_string();
    }
    let parameters = error.parameters.value().map(Vec::as_slice).unwrap_or_default();
    let texts = parameters.iter().map(|parameter| parameter.value.value().map(|text| &*text.0));
    let arguments = declared_arguments(declaration, texts);
    match (declaration.name(), arguments.as_deref()) {
        ("Error", Some([message])) => message.value.summary().to_string(),
        (name, Some(arguments)) => format!("{name}({})", arguments_text(arguments, short_name)),
        (name, None) => format!("{name}(…)"),
    }
}

fn arguments_text(arguments: &[Argument], short_name: &dyn Fn(&Address) -> String) -> String {
    let values: Vec<&AbiValue> = arguments.iter().map(|argument| &argument.value).collect();
    let mut texts: Vec<_> = values.iter().map(|value| value_text(value, short_name)).collect();
    distinguish_numbers(&mut texts, &values);
    texts.join(", ")
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

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::api::{Item, Query, TransactionQuery};
    use crate::chain::TxHash;
    use crate::messages::trace_problem::REVERTED_WITHOUT_REASON;

    #[test]
    fn each_failure_has_a_reason() {
        let raw = |raw: &str| json!({ "raw": raw });
        for (result, revert_reason, shown) in [
            (json!("Reverted"), raw("0xda472023"), "0xda472023"),
            (json!("Reverted"), raw("0xff"), "(1 byte)"),
            (json!("Reverted"), raw("0x"), REVERTED_WITHOUT_REASON),
            (json!("Reverted"), raw(""), "Reverted"),
            (json!("Reverted"), json!(null), "Reverted"),
            (json!("OutOfGas"), json!(null), "Out of gas"),
            (json!("out of gas"), raw("0x"), "out of gas"),
            (json!("Bad instruction"), json!(null), "Bad instruction"),
            (json!(AWAITING), json!(null), column::NOT_INDEXED_YET),
            (json!(null), json!(null), "?"),
        ] {
            let sent = json!({ "hash": TxHash::ZERO, "status": "error", "result": result,
                "block_number": 5, "revert_reason": revert_reason });
            let transaction: Transaction =
                Item::from_json(&to_raw_value(&sent).unwrap()).parsed.unwrap();
            let names = NameCache::default();
            let reason = FailureReason::of(&transaction, &names, &SignatureDb::builtin()).unwrap();
            assert_eq!(reason.text(Address::to_string), shown, "{sent}");
        }
    }

    #[test]
    fn bare_revert_has_the_error_of_the_last_call() {
        let sent = json!({ "hash": TxHash::ZERO, "status": "error", "result": "Reverted",
            "block_number": 5, "revert_reason": { "raw": "0x" }, "last_call_error": "Out of gas" });
        let transaction: Transaction =
            Item::from_json(&to_raw_value(&sent).unwrap()).parsed.unwrap();
        let names = NameCache::default();
        let reason = FailureReason::of(&transaction, &names, &SignatureDb::builtin()).unwrap();
        assert_eq!(reason.text(Address::to_string), "Out of gas in its last call");
        assert_eq!(&*reason.exact().unwrap(), "Out of gas in its last call");
    }

    #[test]
    fn reason_has_its_source_and_an_exact_form() {
        let error = json!({ "method_call": "Bad(uint256 code)", "method_id": "aabbccdd",
            "parameters": [{ "name": "code", "type": "uint256", "value": "12345" }] });
        let bytes = json!({ "raw": format!("0xaabbccdd{:064x}", 12_345) });
        let panic = json!({ "raw": format!("0x4e487b71{:064x}", 1) });
        let panicked = "Panic(0x01): assertion failed";
        let query = Query::Transaction(TxHash::ZERO, TransactionQuery::Details);
        let mut names = NameCache::default();
        for (result, reason, shown, exact, source) in [
            ("OutOfGas", json!(null), "Out of gas", "Out of gas", column::IN_WORDS),
            ("out of gas", json!(null), "out of gas", "out of gas", AS_SENT),
            ("Reverted", panic, panicked, panicked, column::IN_WORDS),
            ("Reverted", bytes.clone(), "0xaabbccdd", "0xaabbccdd (36 bytes)", AS_SENT),
            ("Reverted", error, "Bad(12,345)", "Bad(12345)", column::DECODED_BY_EXPLORER),
            // The page has decoded it by now.
            ("Reverted", bytes, "Bad(12,345)", "Bad(12345)", column::DECODED_BY_EXPLORER),
        ] {
            let sent = json!({ "hash": TxHash::ZERO, "status": "error", "result": result,
                "block_number": 5, "revert_reason": reason });
            let item: Item<Transaction> = Item::from_json(&to_raw_value(&sent).unwrap());
            let transaction = item.parsed.unwrap();
            let reason = FailureReason::of(&transaction, &names, &SignatureDb::builtin()).unwrap();
            let exact_text = reason.exact().unwrap();
            let texts = (reason.text(Address::to_string), &*exact_text);
            assert_eq!(texts, (shown.to_owned(), exact), "{sent}");
            assert_eq!(&*reason.source(&Endpoint::Embedded), source, "{sent}");
            names.ingest(&query, &query.decode(sent.to_string().as_bytes(), None).unwrap());
        }
    }

    #[test]
    fn names_of_errors_are_written_as_words() {
        for (error, words) in [
            ("StateChangeDuringStaticCall", "State change during static call"),
            ("OutOfGas", "Out of gas"),
            ("Bad instruction", "Bad instruction"),
            ("STF", "STF"),
            ("ERC20", "ERC20"),
            ("", ""),
        ] {
            assert_eq!(error_in_words(error), words);
        }
    }
}
