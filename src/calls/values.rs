//! Addresses, decoded values and arguments on one line: addresses by name, token amounts in the token's
//! unit.

use std::borrow::Cow;

use super::identity::explorer_function_name;
use crate::abi::{
    AbiValue, Argument, DecodedCall, DecodedRevert, PANIC_SELECTOR, distinguish_numbers,
    hashed_slot, is_unlimited, plain_text, struct_text,
};
use crate::api::decoded_input::DecodedInput;
use crate::chain::amount::Grouped;
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::significant_digits::format_readable;
use crate::chain::{Address, TxHash, U256, amount};
use crate::columns::cells::token_amount::{known_token_amount, moved_amount};
use crate::messages::approvals;
use crate::name_cache::NameCache;
use crate::safety::name_marks::is_quoted;
use crate::sanitize::SafeText;
use crate::trace::queried_balances::QueriedBalances;
use crate::ui::format::cut;
use crate::ui::marked_text::MarkedText;
use crate::ui::theme::Role;

/// Maximum items of an array that are written out. Above it only their number is shown.
const MAX_INLINE_ITEMS: usize = 3;
/// Maximum length of data that is written out among others.
const MAX_INLINE_BYTES: usize = 32;
/// Name of the list of tokens through which a swap goes.
const ROUTE_ARGUMENT: &str = "path";
pub const MAX_ARGUMENT_COLUMNS: usize = 42;

/// Formats decoded values for one line.
#[derive(Clone, Copy)]
pub struct ValueFormatter<'a> {
    pub name_cache: &'a NameCache,
    /// `true` if addresses are written in full, next to their names.
    pub full_addresses: bool,
    /// `true` if amounts are shortened to their first digits.
    pub short_amounts: bool,
    /// `true` if tokens are written by their symbols.
    pub token_symbols: bool,
    /// The transaction whose transferred amounts are written in their token's unit, if shortened.
    pub transaction: Option<TxHash>,
    /// The balances that give the tokens of further numbers.
    pub balances: Option<&'a QueriedBalances>,
}

impl<'a> ValueFormatter<'a> {
    pub fn address(&self, address: &Address) -> String {
        let symbol = self.name_cache.symbol_as_name(address).filter(|_| self.token_symbols);
        if let Some(symbol) = symbol {
            return symbol.to_string();
        }
        match (self.label(address), self.full_addresses) {
            (Some(label), true) => format!("{label} [{address}]"),
            (Some(label), false) if is_quoted(&label) => format!("{label} {}", abbreviate(address)),
            (Some(label), false) => label.into_owned(),
            (None, true) => address.to_string(),
            (None, false) => abbreviate(address),
        }
    }

    pub fn label(&self, address: &Address) -> Option<Cow<'a, str>> {
        self.name_cache.short_name(address)
    }

    /// Returns the function that the explorer names, and its arguments.
    pub fn explorer_call(&self, decoded: &DecodedInput) -> (String, String) {
        let name = explorer_function_name(decoded).unwrap_or_else(|| "?".into());
        let parameters = decoded.parameters.value().into_iter().flatten();
        let values = parameters.map(|parameter| {
            let value = parameter.value.value().map_or("?".into(), |v| Cow::Borrowed(&*v.0));
            match value.parse::<Address>() {
                Ok(address) => self.address(&address),
                Err(_) => cut(&value, MAX_ARGUMENT_COLUMNS).into_owned(),
            }
        });
        (name, format!("({})", values.collect::<Vec<_>>().join(", ")))
    }

    /// Formats the arguments of a call: addresses by name, amounts of a token in its unit.
    pub fn arguments_text(&self, to: Option<Address>, decoded: &DecodedCall) -> String {
        joined(&self.argument_parts(to, decoded))
    }

    /// Like [`arguments_text`](Self::arguments_text), with the roles of addresses and amounts.
    pub fn argument_parts(&self, to: Option<Address>, decoded: &DecodedCall) -> Vec<MarkedText> {
        let unlimited = self.unlimited_argument(to, decoded).filter(|_| self.short_amounts);
        let amount = unlimited.map(|at| (at, approvals::UNLIMITED.to_owned())).or_else(|| {
            let (at, amount) = self.token_amount_argument(to, decoded)?;
            let symbol = to.filter(|_| self.short_amounts).and_then(|token| self.symbol(&token));
            Some((at, symbol.map_or(amount.clone(), |symbol| format!("{amount} {symbol}"))))
        });
        let shown = decoded.arguments.iter().enumerate().map(|(n, argument)| match &amount {
            Some((at, amount)) if *at == n => vec![MarkedText::new(amount.clone(), Role::Value)],
            _ if let Some(slot) = hashed_slot(&argument.name, &argument.value) => {
                let word = if self.full_addresses { slot.to_string() } else { abbreviate(&slot) };
                vec![MarkedText::new(["slot ", &word].concat(), Role::Plain)]
            }
            _ => self.route_parts(argument).unwrap_or_else(|| self.value_parts(&argument.value)),
        });
        separated(shown)
    }

    /// Returns the symbols of the tokens through which a swap goes: `[GLD → WTH → … → NIL]`.
    pub fn route_parts(&self, argument: &Argument) -> Option<Vec<MarkedText>> {
        let AbiValue::Array(_, items) = &argument.value else { return None };
        if !self.short_amounts || &*argument.name != ROUTE_ARGUMENT || items.len() < 2 {
            return None;
        }
        let symbol = |item: &AbiValue| match item {
            AbiValue::Address(token) => self.name_cache.symbol_as_name(token).map(|text| &**text),
            _ => None,
        };
        let all: Vec<&str> = items.iter().map(symbol).collect::<Option<_>>()?;
        let shown = match &*all {
            [first, second, _, .., last] => vec![*first, *second, "…", *last],
            few => few.to_vec(),
        };
        Some(vec![MarkedText::new(format!("[{}]", shown.join(" → ")), Role::Link)])
    }

    /// Formats the reason of a failure. Errors have arguments like calls.
    pub fn revert_text(&self, reason: &DecodedRevert) -> String {
        match reason {
            DecodedRevert::Custom(error) => self.error_text(error),
            reason => reason.describe().to_string(),
        }
    }

    fn error_text(&self, error: &DecodedCall) -> String {
        let values = error.arguments.iter().map(|argument| match &argument.value {
            // An error that this one passes on.
            AbiValue::Call(data, _) if data.starts_with(&PANIC_SELECTOR) => {
                argument.value.summary().to_string()
            }
            AbiValue::Call(_, inner) => self.error_text(inner),
            value => self.value_text(value),
        });
        let mut texts: Vec<String> = values.collect();
        let values: Vec<&AbiValue> =
            error.arguments.iter().map(|argument| &argument.value).collect();
        distinguish_numbers(&mut texts, &values);
        format!("{}({})", error.title(), texts.join(", "))
    }

    pub fn value_text(&self, value: &AbiValue) -> String {
        joined(&self.value_parts(value))
    }

    /// Like [`value_text`](Self::value_text), with the roles of addresses and amounts.
    pub fn value_parts(&self, value: &AbiValue) -> Vec<MarkedText> {
        let known = || uint_value(value).and_then(|number| self.known_amount(number));
        match value {
            AbiValue::Address(address) => vec![MarkedText::new(self.address(address), Role::Link)],
            AbiValue::Array(_, items) if is_inline(items) => {
                let bracket = |text: &'static str| MarkedText::new(text, Role::Plain);
                let inside = separated(items.iter().map(|item| self.value_parts(item)));
                [bracket("[")].into_iter().chain(inside).chain([bracket("]")]).collect()
            }
            AbiValue::Uint(_)
                if self.short_amounts
                    && let Some(amount) = known() =>
            {
                vec![MarkedText::new(amount, Role::Value)]
            }
            value => vec![MarkedText::new(self.plain_value(value), Role::Plain)],
        }
    }

    /// Formats a value that is neither an address nor an amount nor a short list.
    fn plain_value(&self, value: &AbiValue) -> String {
        match value {
            AbiValue::Call(_, call) => call.abbreviated(),
            AbiValue::Array(_, items) if let Some(name) = common_call(items) => {
                format!("[{} × {name}]", Grouped(items.len()))
            }
            AbiValue::Array(_, items) if items.len() <= MAX_INLINE_ITEMS => {
                format!("[{} items]", items.len())
            }
            AbiValue::Tuple(fields, values) => {
                struct_text(fields, values, |value| self.value_text(value))
            }
            AbiValue::Uint(_) | AbiValue::Int(_) if self.short_amounts => {
                amount::group_integer(&value.summary()).into_owned()
            }
            AbiValue::Bytes(bytes) if self.short_amounts => match plain_text(bytes) {
                Some(text) => format!("\"{}\"", cut(&text, MAX_ARGUMENT_COLUMNS)),
                None => cut(&value.summary(), MAX_ARGUMENT_COLUMNS).into_owned(),
            },
            value => cut(&value.summary(), MAX_ARGUMENT_COLUMNS).into_owned(),
        }
    }

    /// Returns a number in the unit of the token of which the transaction moved so much, or of which so
    /// much is a balance.
    pub fn known_amount(&self, value: U256) -> Option<String> {
        let moved = self.transaction.and_then(|hash| moved_amount(self.name_cache, &hash, value));
        moved.or_else(|| {
            known_token_amount(self.name_cache, self.balances?.token_of(&value)?, value)
        })
    }

    fn symbol(&self, token: &Address) -> Option<&'a SafeText> {
        self.name_cache.name(token)?.token.as_ref()?.symbol.as_ref()
    }

    /// Returns the index of the argument that allows a spender more than any supply of the called token.
    fn unlimited_argument(&self, to: Option<Address>, decoded: &DecodedCall) -> Option<usize> {
        let at = amount_position(&decoded.name)?;
        let value = uint_value(&decoded.arguments.get(at)?.value)?;
        allows_all(self.name_cache, &decoded.name, &to?, value).then_some(at)
    }

    /// Returns the index of the argument that is an amount of the called token, and the amount.
    pub fn token_amount_argument(
        &self,
        to: Option<Address>,
        decoded: &DecodedCall,
    ) -> Option<(usize, String)> {
        let at = amount_position(&decoded.name)?;
        let value = uint_value(&decoded.arguments.get(at)?.value)?;
        Some((at, self.token_units(&to?, value)?))
    }

    pub fn token_units(&self, token: &Address, value: U256) -> Option<String> {
        let decimals = self.name_cache.name(token)?.token.as_ref()?.decimals?;
        (value != U256::MAX).then(|| {
            if self.short_amounts {
                format_readable(value, decimals).text
            } else {
                amount::format_exact(value, decimals)
            }
        })
    }
}

/// Returns the index of the argument that is an amount of the token whose method is called.
pub fn amount_position(method: &str) -> Option<usize> {
    match method {
        "transfer" | "approve" | "mint" | "increaseAllowance" | "decreaseAllowance" => Some(1),
        "transferFrom" => Some(2),
        "burn" | "withdraw" => Some(0),
        _ => None,
    }
}

/// Returns `true` for a method that allows a spender more than any supply of an ERC-20 token. Ids of NFTs may be
/// as large.
pub fn allows_all(names: &NameCache, method: &str, token: &Address, value: U256) -> bool {
    let is_allowance = matches!(method, "approve" | "increaseAllowance");
    is_allowance && is_unlimited(value) && names.is_erc20(token)
}

/// Returns `true` for a few items, none of which is a list, a struct or long data.
fn is_inline(items: &[AbiValue]) -> bool {
    let is_nested = |value: &AbiValue| match value {
        AbiValue::Array(..) | AbiValue::Tuple(..) => true,
        AbiValue::Bytes(bytes) => bytes.len() > MAX_INLINE_BYTES,
        _ => false,
    };
    items.len() <= MAX_INLINE_ITEMS && common_call(items).is_none() && !items.iter().any(is_nested)
}

/// Joins values with commas.
pub fn separated(values: impl Iterator<Item = Vec<MarkedText>>) -> Vec<MarkedText> {
    let mut parts = Vec::new();
    for value in values {
        if !parts.is_empty() {
            parts.push(MarkedText::new(", ", Role::Plain));
        }
        parts.extend(value);
    }
    parts
}

/// Returns the text of all parts.
pub fn joined(parts: &[MarkedText]) -> String {
    parts.iter().map(|part| &*part.text).collect()
}

/// Returns the call that all items of a list are, with other arguments.
fn common_call(items: &[AbiValue]) -> Option<String> {
    let mut calls = items.iter().map(|item| match item {
        AbiValue::Call(_, call) => Some(call.abbreviated()),
        _ => None,
    });
    let first = calls.next().flatten()?;
    (items.len() > 1 && calls.all(|call| call.as_ref() == Some(&first))).then_some(first)
}

pub fn uint_value(value: &AbiValue) -> Option<U256> {
    match value {
        AbiValue::Uint(number) => Some(*number),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::keccak256;

    use super::*;
    use crate::abi::{SignatureDb, declared_arguments};
    use crate::api::{AddressQuery, Query};

    /// Returns an encoded error with these words after its selector.
    fn error(signature: &str, words: &[&str]) -> Vec<u8> {
        let words: Vec<String> = words.iter().map(|word| format!("{word:0>64}")).collect();
        let data = alloy_primitives::hex::decode(words.concat()).unwrap();
        [&keccak256(signature)[..4], &data].concat()
    }

    fn on_screen(name_cache: &NameCache) -> ValueFormatter<'_> {
        ValueFormatter {
            name_cache,
            full_addresses: false,
            short_amounts: true,
            token_symbols: false,
            transaction: None,
            balances: None,
        }
    }

    #[test]
    fn route_has_symbols_that_name_one_token_each() {
        let mut name_cache = NameCache::default();
        let query = Query::Address(Address::ZERO, AddressQuery::Tokens { types: vec![] });
        for (byte, symbol) in [(1, "USDC"), (2, "WETH"), (3, "GLD"), (4, "GLD")] {
            let token = Address::repeat_byte(byte);
            let json = format!(
                r#"{{"items":[{{"token":{{"address_hash":"{token}","name":"Token {byte}",
                "symbol":"{symbol}"}}}}],"next_page_params":null}}"#
            );
            name_cache.ingest(&query, &query.decode(json.as_bytes(), None).unwrap());
        }
        let values = on_screen(&name_cache);
        for (bytes, shown) in [([1, 2, 1], Some("[USDC → WETH → USDC]")), ([1, 2, 3], None)] {
            let items = bytes.map(|byte| Address::repeat_byte(byte).to_string());
            let json = serde_json::json!(items).to_string();
            let declared = declared_arguments("f(address[] path)", [Some(&*json)].into_iter());
            let argument = declared.unwrap().remove(0);
            let parts = values.route_parts(&argument).map(|parts| joined(&parts));
            assert_eq!(parts.as_deref(), shown);
        }
    }

    #[test]
    fn equal_numbers_of_an_error_have_all_digits() {
        let mut signatures = SignatureDb::builtin();
        signatures.add_signature("error K(uint256 was, uint256 is, uint256 fee)").unwrap();
        let numbers = [16_004_545_142_000_000_000_000_u128, 16_004_545_063_000_000_000_000, 30];
        let words = numbers.map(|n| format!("{:x}", n * 1_000_000_000));
        let data = error("K(uint256,uint256,uint256)", &words.each_ref().map(|word| &**word));
        let name_cache = NameCache::default();
        let shown = on_screen(&name_cache).revert_text(&signatures.revert_reason(&data));
        assert_eq!(
            shown,
            "K(16,004,545,142,000,000,000,000,000,000,000, \
             16,004,545,063,000,000,000,000,000,000,000, 30,000,000,000)"
        );
    }

    #[test]
    fn pointer_to_storage_at_a_hash_is_a_slot() {
        let mut signatures = SignatureDb::builtin();
        signatures.add_signature("rate(uint256 slot, uint256 amount)").unwrap();
        let name_cache = NameCache::default();
        for (slot, shown) in [("8a35".repeat(16), "slot 0x8a35…8a35, 5"), ("4".into(), "4, 5")] {
            let data = error("rate(uint256,uint256)", &[&slot, "5"]);
            let call = signatures.decode_call(None, &[], &data).unwrap();
            assert_eq!(on_screen(&name_cache).arguments_text(None, &call), shown);
        }
    }

    #[test]
    fn errors_of_the_language_are_no_guesses() {
        let mut signatures = SignatureDb::builtin();
        signatures.add_signature("error Inner(bytes reason)").unwrap();
        let text = format!("{:0<64}", "78");
        let inner = format!(
            "{}{:0<56}",
            alloy_primitives::hex::encode(error("Error(string)", &["20", "1", &text])),
            ""
        );
        let words: Vec<&str> = (0..4).map(|n| &inner[n * 64..(n + 1) * 64]).collect();
        let data =
            error("Inner(bytes)", &["20", "64"].into_iter().chain(words).collect::<Vec<_>>());
        let name_cache = NameCache::default();
        let shown = on_screen(&name_cache).revert_text(&signatures.revert_reason(&data));
        assert_eq!(shown, "Inner(Error(\"x\"))");
    }

    #[test]
    fn guessed_errors_have_marks() {
        let text = format!("{:0<64}", "78");
        let inner = error("FailedOp(uint256,string)", &["2", "40", "1", &text]);
        let bytes = format!("{}{:0<56}", alloy_primitives::hex::encode(&inner), "");
        let tail: Vec<&str> = (0..5).map(|n| &bytes[n * 64..(n + 1) * 64]).collect();
        let head = ["1", "60", "a0", "1", &text, "84"];
        let outer = error(
            "FailedOpWithRevert(uint256,string,bytes)",
            &head.into_iter().chain(tail).collect::<Vec<_>>(),
        );
        let name_cache = NameCache::default();
        let values = on_screen(&name_cache);
        let shown = values.revert_text(&SignatureDb::builtin().revert_reason(&outer));
        assert_eq!(shown, "FailedOpWithRevert?(1, \"x\", FailedOp?(2, \"x\"))");
    }
}
