//! An argument of an event, its type and its value.

use serde_json::{Value, json};

use super::token_amount::known_token_amount;
use crate::abi::{AbiValue, Argument, DecodedCall, DecodedRevert, plain_text, struct_text};
use crate::chain::hash_abbreviation::keep_ends;
use crate::chain::{Address, B256, Bytes, U256, amount};
use crate::columns::RowContext;
use crate::messages::column;
use crate::sanitize::SafeText;
use crate::ui::format::cut;

/// Maximum columns of an argument in a line with others.
pub(super) const MAX_VALUE_COLUMNS: usize = 42;
/// Digits at each end of data that are too long for a line.
pub(super) const DATA_END_CHARS: usize = 8;
/// Type of an indexed argument that is too long for a topic, which has its hash.
pub(super) const HASHED_KIND: &str = "keccak256";

#[derive(Debug)]
pub struct LogArgument {
    pub name: SafeText,
    pub kind: SafeText,
    pub value: SafeText,
    /// The parts, if it is an array or a struct.
    pub structure: Option<AbiValue>,
    /// The number of the token of which it is an amount, if the event is of a pool with two.
    pub(super) pool_token: Option<usize>,
    /// The sign of an amount that went into a pool or out of it, which stands for the name.
    pub(super) pool_sign: &'static str,
}

impl LogArgument {
    pub(super) fn new(argument: &Argument, kind: SafeText, value: SafeText) -> Self {
        let is_structure = matches!(argument.value, AbiValue::Array(..) | AbiValue::Tuple(..));
        Self {
            name: argument.name.clone(),
            kind,
            value,
            structure: is_structure.then(|| argument.value.clone()),
            pool_token: None,
            pool_sign: "",
        }
    }

    pub(super) fn json(&self) -> Value {
        match (&self.structure, &*self.kind) {
            (Some(structure), _) => json!(structure),
            (None, "bool") => json!(&*self.value == "true"),
            (None, _) => json!(&*self.value),
        }
    }

    /// Returns the number in the unit of the token of which the trace asks for exactly this balance.
    pub(super) fn queried_amount(&self, cx: &RowContext<'_>) -> Option<String> {
        let value = self.value.parse::<U256>().ok().filter(|_| self.kind.starts_with("uint"))?;
        known_token_amount(cx.name_cache, cx.balances?.token_of(&value)?, value)
    }

    /// Shortens a value: data in the middle, unless they are a text or an error.
    pub(super) fn short_value(&self, cx: &RowContext<'_>) -> String {
        if self.kind.contains("int") {
            return amount::group_integer(&self.value).into_owned();
        }
        let bytes = (self.kind == "bytes").then(|| self.value.parse::<Bytes>().ok()).flatten();
        let Some(bytes) = bytes else { return cut(&self.value, MAX_VALUE_COLUMNS).into_owned() };
        if bytes.is_empty() {
            return column::EMPTY_DATA.to_owned();
        }
        match (plain_text(&bytes), cx.signatures.revert_reason(&bytes)) {
            (Some(text), _) | (None, DecodedRevert::Message(text)) => {
                format!("\"{}\"", cut(&text, MAX_VALUE_COLUMNS))
            }
            (None, DecodedRevert::Custom(error)) => {
                cut(&error_text(&error, cx), MAX_VALUE_COLUMNS).into_owned()
            }
            (None, reason @ DecodedRevert::Panic(_)) => {
                cut(&reason.describe(), MAX_VALUE_COLUMNS).into_owned()
            }
            (None, _) if self.value.len() > MAX_VALUE_COLUMNS => {
                keep_ends(&self.value, DATA_END_CHARS + "0x".len(), DATA_END_CHARS)
            }
            (None, _) => self.value.to_string(),
        }
    }

    /// Returns `true` for a number or an address, whose first digits alone would be another one.
    pub(super) fn is_kept_whole(&self) -> bool {
        !self.kind.ends_with(']') && (self.kind.contains("int") || self.address().is_some())
    }

    pub(super) fn is_recipient(&self) -> bool {
        matches!(&*self.name, "to" | "recipient")
    }

    pub fn address(&self) -> Option<Address> {
        (self.kind == "address").then(|| self.value.parse().ok())?
    }
}

/// Returns `true` for the type of an indexed argument that is only there as its hash.
pub(super) fn is_hashed(kind: &str, value: &str) -> bool {
    let is_word = value.len() == B256::len_bytes() * 2 + "0x".len() && value.starts_with("0x");
    // Of other types only `bytes32` is written so.
    is_word && (kind == "bytes" || !kind.starts_with("bytes") || kind.ends_with(']'))
}

pub(super) fn error_text(error: &DecodedCall, cx: &RowContext<'_>) -> String {
    let values = error.arguments.iter().map(|argument| value_text(&argument.value, cx));
    format!("{}({})", error.title(), values.collect::<Vec<_>>().join(", "))
}

/// Formats a value in a struct or an error.
pub(super) fn value_text(value: &AbiValue, cx: &RowContext<'_>) -> String {
    match value {
        AbiValue::Address(address) => short_name(address, cx),
        AbiValue::Tuple(fields, values) => {
            struct_text(fields, values, |value| value_text(value, cx))
        }
        AbiValue::Uint(_) | AbiValue::Int(_) => {
            amount::group_integer(&value.summary()).into_owned()
        }
        value => cut(&value.summary(), MAX_VALUE_COLUMNS).into_owned(),
    }
}

/// Returns the name of an address, or the address if it has none or everything is in full.
pub(in crate::columns) fn short_name(address: &Address, cx: &RowContext<'_>) -> String {
    let name = cx.name_cache.short_name(address);
    name.filter(|_| !cx.is_in_full()).map_or_else(
        || cx.short_address(address),
        |name| cut(&name, MAX_VALUE_COLUMNS / 2).into_owned(),
    )
}
