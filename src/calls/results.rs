//! One-line results of calls: return values, token transfers, failure reasons and native amounts.

use super::formatter::{CallFormatter, byte_count};
use super::identity::MAX_INLINE_CALLDATA_BYTES;
use super::transfer_matching::TraceTransfer;
use super::values::uint_value;
use crate::abi::{self, AbiValue, Argument, DecodedCall, DecodedRevert};
use crate::chain::hash_abbreviation::keep_ends;
use crate::chain::{Address, U256};
use crate::columns::cells::failure_reason::error_in_words;
use crate::columns::cells::token_amount::known_token_amount;
use crate::messages::call::CallNote;
use crate::messages::column::LastCallError;
use crate::messages::trace_problem;
use crate::sanitize::SafeText;
use crate::trace::revert_origin::find_origin;
use crate::trace::{CallFrame, CallKind, CallOutcome};
use crate::ui::theme::Role;

/// Stands after the call in which a failure began.
pub const ORIGIN_MARK: &str = "◀ origin";

/// The function of a pool that returns its reserves.
const GET_RESERVES: &str = "getReserves";
/// Result of a call without return values.
const RETURNED_NOTHING: &str = "→ ()";
/// Most bits of a reserve of a pool.
const MAX_RESERVE_BITS: usize = 112;

impl CallFormatter<'_> {
    /// Returns the result of a call: its return values, a token transfer, or the reason of its failure.
    pub fn result_text(&self, number: u32) -> String {
        let Some(frame) = self.tree.get(number) else { return String::new() };
        if frame.failed() {
            return format!("✗ {}", self.failure_reason(number));
        }
        if let Some(transfer) = self.transfers.get(number) {
            return self.transfer_text(transfer);
        }
        let Some(length) = self.tree.hex_len(frame.output) else { return String::new() };
        if frame.kind.creates() {
            return CallNote::CreatedCode { size: &byte_count(length) }.to_string();
        }
        match length {
            0 if self.tree.address(frame.to) == Some(abi::CONSOLE_ADDRESS) => String::new(),
            0 => RETURNED_NOTHING.into(),
            length => format!("→ {}", self.output_text(frame, length)),
        }
    }

    fn output_text(&self, frame: &CallFrame, length: u64) -> String {
        let bytes = |span| self.tree.hex(span, MAX_INLINE_CALLDATA_BYTES).unwrap_or_default();
        let to = self.tree.address(frame.to);
        let output = bytes(frame.output);
        let fits =
            |span| self.tree.hex_len(span).is_some_and(|n| n <= MAX_INLINE_CALLDATA_BYTES as u64);
        if fits(frame.output)
            && fits(frame.input)
            && let Some(decoded) = self.identifier().decode(to, &bytes(frame.input))
        {
            let returned = self.signatures.decode_output(&decoded, &output);
            let known = returned.filter(|values| !values.is_empty());
            let reserves = || likely_reserves(&output).filter(|_| decoded.name == GET_RESERVES);
            if let Some(values) = known.or_else(reserves) {
                return self.return_values_text(to, &decoded, &values);
            }
        }
        match <[u8; 32]>::try_from(&*output) {
            Ok(word) => self.word_text(U256::from_be_bytes(word)),
            Err(_) => byte_count(length),
        }
    }

    /// Decodes the values that a call returned, if they are short and there are any.
    pub fn returned_values(&self, frame: &CallFrame, call: &DecodedCall) -> Option<Vec<Argument>> {
        let length = self.tree.hex_len(frame.output).filter(|_| !frame.failed())?;
        if length == 0 || length > MAX_INLINE_CALLDATA_BYTES as u64 {
            return None;
        }
        let output = self.tree.hex(frame.output, MAX_INLINE_CALLDATA_BYTES)?;
        self.signatures.decode_output(call, &output).filter(|values| !values.is_empty())
    }

    /// Formats an undecoded word, which may be an address. Other numbers are written as decoded ones.
    fn word_text(&self, word: U256) -> String {
        if abi::is_likely_number(word) {
            self.values().value_text(&AbiValue::Uint(word))
        } else if self.full_addresses {
            format!("{word:#066x}")
        } else {
            keep_ends(&format!("{word:#066x}"), 8, 6)
        }
    }

    fn return_values_text(
        &self,
        to: Option<Address>,
        decoded: &DecodedCall,
        values: &[abi::Argument],
    ) -> String {
        let balance = matches!(&*decoded.name, "balanceOf" | "totalSupply" | "allowance");
        let only = match values {
            [only] if balance => uint_value(&only.value).zip(to),
            _ => None,
        };
        let in_token = only.and_then(|(value, token)| {
            let symbol = self.name_cache.name(&token)?.token.as_ref()?.symbol.as_ref()?;
            Some(format!("{} {symbol}", self.values().token_units(&token, value)?))
        });
        in_token.or_else(|| self.reserves_text(to, decoded, values)).unwrap_or_else(|| {
            values.iter().map(|v| self.values().value_text(&v.value)).collect::<Vec<_>>().join(", ")
        })
    }

    /// Formats the reserves of a pool in the units of its two tokens, and what else it returns.
    fn reserves_text(
        &self,
        pool: Option<Address>,
        decoded: &DecodedCall,
        values: &[abi::Argument],
    ) -> Option<String> {
        if decoded.name != GET_RESERVES || !self.short_amounts || values.len() < 2 {
            return None;
        }
        let tokens = self.reserve_tokens(&pool?, values)?;
        let texts = values.iter().enumerate().map(|(n, value)| {
            let reserve = tokens.get(n).zip(uint_value(&value.value));
            let known = reserve
                .and_then(|(token, reserve)| known_token_amount(self.name_cache, token, reserve));
            known.unwrap_or_else(|| self.values().value_text(&value.value))
        });
        Some(texts.collect::<Vec<_>>().join(", "))
    }

    /// Returns the tokens of the reserves that a pool returned.
    pub fn reserve_tokens(&self, pool: &Address, values: &[Argument]) -> Option<[Address; 2]> {
        let known = self.name_cache.pool_tokens(pool).copied();
        known.or_else(|| {
            let [first, second, ..] = values else { return None };
            let reserves = [uint_value(&first.value)?, uint_value(&second.value)?];
            self.transfers.reserve_tokens(pool, reserves)
        })
    }

    /// Formats a token transfer, such as `1,250.00 USDC → 0x55fe…5ba3`.
    pub fn transfer_text(&self, transfer: &TraceTransfer) -> String {
        format!("{} → {}", self.transferred(transfer), self.address(&transfer.to))
    }

    /// Returns the transferred amount or instance.
    pub fn transferred<'a>(&self, transfer: &'a TraceTransfer) -> &'a str {
        if self.short_amounts { &transfer.short_summary } else { &transfer.summary }
    }

    /// Returns the reason of a call's failure: its decoded revert data, else the node's error.
    pub fn failure_reason(&self, number: u32) -> String {
        self.reason_by(number, |reason| self.values().revert_text(reason), in_words)
    }

    /// Returns the reason of a call's failure with the values as they are in its data.
    pub fn exact_failure_reason(&self, number: u32) -> String {
        self.reason_by(number, |reason| reason.describe().to_string(), ToString::to_string)
    }

    /// Returns the addresses in the error of a failed call that may be tokens.
    pub fn unknown_tokens_of_error(&self, number: u32) -> Vec<Address> {
        let Some(frame) = self.tree.get(number).filter(|frame| frame.failed()) else {
            return Vec::new();
        };
        let data = self.tree.hex(frame.output, MAX_INLINE_CALLDATA_BYTES).unwrap_or_default();
        let DecodedRevert::Custom(error) = self.signatures.revert_reason(&data) else {
            return Vec::new();
        };
        let addresses = error.arguments.iter().filter_map(|argument| match &argument.value {
            AbiValue::Address(address) if may_name_token(&argument.name) => Some(*address),
            _ => None,
        });
        let is_unknown = |address: &Address| {
            self.label(address).is_none() && self.name_cache.may_be_token(address)
        };
        addresses.filter(is_unknown).collect()
    }

    fn reason_by(
        &self,
        number: u32,
        describe: impl Fn(&DecodedRevert) -> String,
        describe_error: impl Fn(&SafeText) -> String,
    ) -> String {
        let Some(frame) = self.tree.get(number) else { return String::new() };
        if let Some(reason) = self.tree.reason_text(number) {
            return reason.to_string();
        }
        let data = self.tree.hex(frame.output, MAX_INLINE_CALLDATA_BYTES).unwrap_or_default();
        match self.signatures.revert_reason(&data) {
            DecodedRevert::Empty => self.node_error(number, frame, describe_error),
            reason => describe(&reason),
        }
    }

    /// Returns the node's error. A call that made no calls may have hit a contract without the function or, if
    /// it used no gas, an address without code.
    fn node_error(
        &self,
        number: u32,
        frame: &CallFrame,
        describe: impl Fn(&SafeText) -> String,
    ) -> String {
        let given = self.tree.text(frame.error).filter(|error| !error.is_empty());
        if given.as_deref().is_none_or(is_revert)
            && let Some(error) = self.error_of_last_call(number)
        {
            return LastCallError(&describe(&error)).to_string();
        }
        let error = given.map_or_else(|| trace_problem::NO_REASON.into(), |error| describe(&error));
        let is_call = matches!(frame.kind, CallKind::Call | CallKind::StaticCall);
        if !is_call || self.tree.children(number).next().is_some() {
            error
        } else if frame.gas_used() == Some(0) && frame.kind == CallKind::Call {
            error + trace_problem::NO_CODE
        } else if self.lacks_function(number, frame) {
            error + trace_problem::NO_FUNCTION
        } else {
            error
        }
    }

    /// Returns the error in which a failure without data began in another call, unless that reverted too.
    fn error_of_last_call(&self, number: u32) -> Option<SafeText> {
        let origin = find_origin(self.tree, number)?.frame().filter(|origin| *origin != number)?;
        let error = self.tree.text(self.tree.get(origin)?.error)?;
        Some(error).filter(|error| !error.is_empty() && !is_revert(error))
    }

    /// Returns `true` if the called contract has no such function.
    fn lacks_function(&self, number: u32, frame: &CallFrame) -> bool {
        let called = self.tree.address(frame.to).zip(self.tree.selector(number));
        called.is_some_and(|(to, selector)| self.signatures.lacks_function(to, selector))
    }

    /// Formats an amount of the native coin.
    pub fn coin_amount(&self, wei: U256) -> String {
        if !self.short_amounts {
            return self.unit.format_exact(wei, self.network);
        }
        self.unit.describe(wei, self.network)
    }

    /// Returns the value sent with a call, if it is not zero.
    pub fn call_value(&self, number: u32) -> Option<String> {
        let frame = self.tree.get(number).filter(|frame| frame.has_value())?;
        let shown = self.tree.value(number).map_or_else(|| "?".into(), |wei| self.coin_amount(wei));
        Some(match frame.kind {
            // Inherited from the call it runs in.
            CallKind::DelegateCall | CallKind::StaticCall => format!("({shown})"),
            _ => shown,
        })
    }

    /// Returns `true` if a call only succeeded: it returned no data, moved no token and created no contract.
    pub fn returns_nothing(&self, number: u32) -> bool {
        let is_silent = |frame: &CallFrame| {
            !frame.failed() && !frame.kind.creates() && self.tree.hex_len(frame.output) == Some(0)
        };
        self.tree.get(number).is_some_and(is_silent) && self.transfers.get(number).is_none()
    }

    /// Returns the value sent with a call and the result, if it is not only that nothing was returned.
    pub fn value_and_result(&self, number: u32) -> String {
        let result = self.result_text(number);
        match self.call_value(number) {
            None => result,
            Some(value) if self.returns_nothing(number) => value,
            Some(value) => [&*value, "  ", &*result].concat().trim_end().to_owned(),
        }
    }
}

fn is_revert(error: &str) -> bool {
    error.to_ascii_lowercase().contains("revert")
}

/// Returns the two reserves of a pool, with the time of the last change if it is returned, by the size of an output of
/// unknown types.
fn likely_reserves(output: &[u8]) -> Option<Vec<abi::Argument>> {
    let (words, rest) = output.as_chunks::<32>();
    let words: Vec<U256> = words.iter().map(|word| U256::from_be_bytes(*word)).collect();
    let are_numbers = words.iter().all(|word| word.bit_len() <= MAX_RESERVE_BITS);
    let has_values = rest.is_empty() && (2..=3).contains(&words.len()) && are_numbers;
    has_values.then(|| words.into_iter().map(unnamed_number).collect())
}

fn unnamed_number(number: U256) -> abi::Argument {
    let (name, type_name) = (SafeText::default(), "uint256".into());
    abi::Argument { name, type_name, value: AbiValue::Uint(number) }
}

/// Writes a node's error as words. One without data is known to have none.
pub fn in_words(error: &SafeText) -> String {
    if error == "Reverted" {
        return trace_problem::REVERTED_WITHOUT_REASON.into();
    }
    error_in_words(error)
}

/// Returns the role in which an outcome is drawn.
pub fn outcome_role(outcome: CallOutcome) -> Role {
    match outcome {
        CallOutcome::Succeeded => Role::Ok,
        CallOutcome::Failed => Role::Failed,
        CallOutcome::Caught => Role::Warning,
        CallOutcome::RolledBack => Role::Dim,
    }
}

/// Returns `true` if an argument may be a token by its name, which most are not: `sender`, `owner`.
fn may_name_token(name: &str) -> bool {
    const WORDS: [&str; 6] = ["token", "asset", "currency", "coin", "nft", "collection"];
    let lower = name.to_ascii_lowercase();
    lower.is_empty() || WORDS.iter().any(|word| lower.contains(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_some_arguments_of_errors_may_be_tokens() {
        let names = ["", "token", "tokenIn", "_asset", "Currency0", "sender", "owner", "to"];
        assert_eq!(names.map(may_name_token), [true, true, true, true, true, false, false, false]);
    }

    #[test]
    fn outputs_of_a_few_words_may_be_reserves() {
        let word = |number: u64| U256::from(number).to_be_bytes::<32>();
        let numbers = |words: &[[u8; 32]]| likely_reserves(&words.concat()).map(|all| all.len());
        assert_eq!(numbers(&[word(5), word(7)]), Some(2));
        assert_eq!(numbers(&[word(5), word(7), word(9)]), Some(3));
        assert_eq!(numbers(&[word(5), [0xab; 32]]), None, "a hash");
        assert_eq!(numbers(&[word(5)]), None);
        assert_eq!(likely_reserves(&[0; 65]).map(|all| all.len()), None);
    }
}
