//! Changed slots of storage: their variables with the names of the accounts in keys, and the change of a number.
//!
//! Balances, allowances and supplies of a token are in its unit. Any other integer is a plain one.

use std::borrow::Cow;
use std::str::FromStr;

use alloy_primitives::I256;

use crate::abi::{PROXY_SLOTS, is_unlimited, proxy_address};
use crate::api::Field;
use crate::api::state_changes::StateChange;
use crate::chain::amount::{format_exact, group_integer, group_integers, group_whole_integer};
use crate::chain::hash_abbreviation::{abbreviate, abbreviate_apart};
use crate::chain::significant_digits::{format_balances, format_readable};
use crate::chain::{Address, B256, U256};
use crate::columns::RowContext;
use crate::columns::cells::token_amount::{decimals_provenance, known_token_amount, raw_note};
use crate::columns::cells::{address_field_line, field_cell, zero_cell};
use crate::messages::{approvals, column};
use crate::sanitize::SafeText;
use crate::ui::format::{cut, width as text_columns};
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

/// Maximum columns of a variable's value in a list.
const MAX_STORED_COLUMNS: usize = 28;
/// Characters before the first that differs between two values.
const SHARED_CHARS: usize = 6;
/// Lower-case names of variables that have amounts of their token, with the number of accounts that are their keys.
const AMOUNTS: [(&str, usize); 7] = [
    ("balance", 1),
    ("balances", 1),
    ("balanceof", 1),
    ("allowance", 2),
    ("allowances", 2),
    ("allowed", 2),
    ("totalsupply", 0),
];

impl StateChange {
    pub(super) fn is_slot(&self) -> bool {
        self.slot.value().is_some()
    }

    /// Returns the variable, or the number of the slot if it is unknown.
    pub(super) fn slot_cell(&self, cx: &RowContext<'_>, width: usize) -> TableCell {
        if let Some(variable) = self.variable.value() {
            let shown =
                if cx.is_in_full() { variable.to_string() } else { named_keys(variable, cx) };
            return TableCell::new(cut(&shown, width).into_owned(), Role::Title);
        }
        field_cell(&self.slot, |slot| {
            TableCell::new(format!("slot {}", word_text(slot, cx)), Role::Dim)
        })
    }

    /// Returns the cells of a variable's value before and after, or of the word in a slot without a known
    /// variable, cut so that their difference is seen.
    pub(super) fn stored_cells(&self, cx: &RowContext<'_>) -> [TableCell; 2] {
        let stored = [&self.stored_before, &self.stored_after];
        if let (Some(numbers), false) = (self.stored_numbers(), cx.is_in_full()) {
            let shown = match self.stored_decimals(cx) {
                Some(decimals) => format_balances(numbers, decimals),
                None => group_integers(numbers),
            };
            let shown = match shown {
                [before, after] if before == after => stored.map(ToString::to_string),
                shown => shown,
            };
            let [before, after] = &shown;
            let cells = [(0, after), (1, before)].map(|(n, other)| match numbers[n] {
                U256::ZERO => zero_cell(),
                number if self.is_amount(cx) && is_unlimited(number) => {
                    TableCell::new(approvals::UNLIMITED, Role::Value)
                }
                _ => TableCell::new(
                    self.stored_number(n, numbers, [&shown[n], other], cx),
                    Role::Value,
                ),
            });
            return cells;
        }
        if let (Some(numbers), false) = (self.signed_numbers(), cx.is_in_full()) {
            return signed_cells(numbers);
        }
        let words = [&self.word_before, &self.word_after];
        [(0, 1), (1, 0)].map(|(n, other)| match stored[n].value() {
            Some(value) if cx.is_in_full() => TableCell::new(value.to_string(), Role::Value),
            Some(value) => {
                let shown = if let Some(address) = parse_account(value) {
                    account_name(&address, cx)
                } else {
                    let other = stored[other].value().map_or("", |other| other);
                    cut_apart(value, other, MAX_STORED_COLUMNS)
                };
                TableCell::new(shown, Role::Value)
            }
            None => match self.proxy_part(words[n]) {
                Some(account) if !cx.is_in_full() => {
                    TableCell::new(account_name(&account, cx), Role::Value)
                }
                _ => word_cell(words[n], words[other], cx),
            },
        })
    }

    /// Returns the address in a slot with a part of a proxy (EIP-1967).
    fn proxy_part(&self, word: &Field<B256>) -> Option<Address> {
        let is_part = PROXY_SLOTS.contains(&&**self.variable.value()?);
        proxy_address((*word.value()?).into()).filter(|_| is_part)
    }

    /// Returns one of two numbers with their common digits or, if that is too long, shortened. Cut at their ends
    /// are only numbers that would look the same.
    fn stored_number(
        &self,
        n: usize,
        numbers: [U256; 2],
        [shown, other]: [&str; 2],
        cx: &RowContext<'_>,
    ) -> String {
        let short = numbers.map(|number| match self.stored_decimals(cx) {
            Some(decimals) => format_readable(number, decimals).text,
            None => group_integer(&number.to_string()).into_owned(),
        });
        match short {
            [before, after] if text_columns(shown) > MAX_STORED_COLUMNS && before != after => {
                if n == 0 { before } else { after }
            }
            _ => cut_apart(shown, other, MAX_STORED_COLUMNS),
        }
    }

    /// Returns the cell of the difference of a number, blank for other variables.
    pub(super) fn stored_change_cell(&self, cx: &RowContext<'_>) -> TableCell {
        let (change, is_more) = match (self.stored_numbers(), self.signed_numbers()) {
            (Some([before, after]), _) => (before.abs_diff(after), before < after),
            (None, Some([before, after])) => {
                let difference = after.wrapping_sub(before).into_raw();
                let is_more = before < after;
                (if is_more { difference } else { difference.wrapping_neg() }, is_more)
            }
            (None, None) => return TableCell::default(),
        };
        let (sign, role) = if is_more { ("+", Role::Ok) } else { ("−", Role::Loss) };
        if self.is_amount(cx) {
            if is_unlimited(change) {
                return TableCell::default();
            }
            if let Some(amount) = self.token_amount(change, cx) {
                let text = [sign, &amount].concat();
                return TableCell { has_own_unit: true, ..TableCell::new(text, role) };
            }
        }
        let digits = change.to_string();
        let shown = if cx.is_in_full() { digits.into() } else { group_integer(&digits) };
        TableCell::new([sign, &shown].concat(), role)
    }

    pub(super) fn slot_lines(&self, cx: &RowContext<'_>) -> Vec<(&'static str, SafeText)> {
        let Some(name) = self.variable.value().filter(|_| self.stored_after.value().is_some())
        else {
            let mut lines = vec![
                ("address", address_field_line(&self.address, cx)),
                ("slot", self.slot.to_string().into()),
                ("before", self.word_line(&self.word_before, cx)),
                ("after", self.word_line(&self.word_after, cx)),
            ];
            let lacks_layout = self.lacks_layout.value() == Some(&true);
            lines.extend(lacks_layout.then(|| ("variable", column::NO_LAYOUT.into())));
            return lines;
        };
        let (kind, before, after) = (&self.variable_type, &self.word_before, &self.word_after);
        let named = named_keys(name, cx);
        let keys = named.find('[').filter(|_| named != **name).and_then(|keys| named.get(keys..));
        let mut lines = vec![
            ("address", address_field_line(&self.address, cx)),
            ("variable", SafeText::new(&format!("{kind} {name}"))),
        ];
        lines.extend(keys.map(|keys| ("keys", SafeText::new(keys))));
        lines.extend([
            ("before", self.stored_line(&self.stored_before, cx)),
            ("after", self.stored_line(&self.stored_after, cx)),
        ]);
        if self.stored_numbers().is_some() || self.signed_numbers().is_some() {
            let in_full = RowContext { abbreviator: None, ..*cx };
            let change = self.stored_change_cell(&in_full).text;
            lines.extend((!change.is_empty()).then(|| ("change", SafeText::new(&change))));
        }
        lines.extend([
            ("slot", self.slot.to_string().into()),
            ("words", SafeText::new(&format!("{before} → {after}"))),
        ]);
        lines
    }

    /// Returns a word in full, with the name of a part of a proxy.
    fn word_line(&self, word: &Field<B256>, cx: &RowContext<'_>) -> SafeText {
        let part = self.proxy_part(word);
        let name = part.and_then(|account| cx.name_cache.short_name(&account));
        SafeText::new([&*word.to_string(), " ", &name.unwrap_or_default()].concat().trim_end())
    }

    pub(super) fn stored_provenance(&self, cx: &RowContext<'_>) -> SafeText {
        self.stored_decimals(cx)
            .map_or_else(SafeText::default, |decimals| decimals_provenance(Some(decimals)))
    }

    /// Returns a value in full: an address with its name, a number with its digits in groups.
    fn stored_line(&self, stored: &Field<SafeText>, cx: &RowContext<'_>) -> SafeText {
        let Some(value) = stored.value() else { return stored.to_string().into() };
        if let Some(address) = parse_account(value) {
            let name = cx.name_cache.short_name(&address);
            let name = name.unwrap_or_default();
            return SafeText::new([value, " ", &name].concat().trim_end());
        }
        if self.signed_numbers().is_some() {
            return SafeText::new(&group_whole_integer(value).replacen('-', "−", 1));
        }
        if self.stored_numbers().is_none() {
            return value.clone();
        }
        let amount = value.parse().ok().and_then(|number| self.token_amount(number, cx));
        let number = group_whole_integer(value);
        let parts = match amount {
            Some(amount) => [&*amount, &*raw_note(&amount, &number)].join(" "),
            None => number.into_owned(),
        };
        SafeText::new(parts.trim_end())
    }

    /// Returns a number before and after, if the variable is an unsigned integer.
    fn stored_numbers(&self) -> Option<[U256; 2]> {
        self.stored_pair("uint")
    }

    /// Returns a number before and after, if the variable is a signed integer.
    fn signed_numbers(&self) -> Option<[I256; 2]> {
        self.stored_pair("int")
    }

    /// Returns a number before and after, if the name of the variable's type is this one with a number of bits.
    fn stored_pair<T: FromStr>(&self, type_name: &str) -> Option<[T; 2]> {
        let bits = self.variable_type.value()?.strip_prefix(type_name)?;
        let number = |stored: &Field<SafeText>| stored.value()?.parse().ok();
        let numbers = [number(&self.stored_before)?, number(&self.stored_after)?];
        bits.bytes().all(|digit| digit.is_ascii_digit()).then_some(numbers)
    }

    /// Returns the decimals of an amount of the token whose storage it is.
    fn stored_decimals(&self, cx: &RowContext<'_>) -> Option<u8> {
        let token = self.address.value()?.hash;
        let known = cx.name_cache.name(&token)?.token.as_ref()?;
        known.decimals.filter(|_| self.is_amount(cx))
    }

    /// Returns `true` for balances, allowances and the supply of a token, by the names of their variables.
    fn is_amount(&self, cx: &RowContext<'_>) -> bool {
        let (Some(variable), Some(contract)) = (self.variable.value(), self.address.value()) else {
            return false;
        };
        let mut parts = variable.split(['[', ']']).filter(|part| !part.is_empty());
        let name = parts.next().unwrap_or_default().trim_start_matches('_').to_ascii_lowercase();
        let keys: Vec<_> = parts.collect();
        AMOUNTS.contains(&(&*name, keys.len()))
            && keys.iter().all(|key| parse_account(key).is_some())
            && cx.name_cache.is_erc20(&contract.hash)
    }

    fn token_amount(&self, value: U256, cx: &RowContext<'_>) -> Option<String> {
        let token = self.address.value().filter(|_| self.is_amount(cx))?.hash;
        if is_unlimited(value) {
            return Some(approvals::UNLIMITED.to_owned());
        }
        if !cx.is_in_full() {
            return known_token_amount(cx.name_cache, &token, value);
        }
        let symbol = cx.name_cache.name(&token)?.token.as_ref()?.symbol.as_ref()?;
        Some(format!("{} {symbol}", format_exact(value, self.stored_decimals(cx)?)))
    }
}

/// Returns the cells of a signed integer before and after.
fn signed_cells(numbers: [I256; 2]) -> [TableCell; 2] {
    let sizes = numbers.map(I256::unsigned_abs);
    let [before, after] = group_integers(sizes);
    let shown = if before == after {
        sizes.map(|size| group_whole_integer(&size.to_string()).into_owned())
    } else {
        [before, after]
    };
    let cell = |number: I256, shown: &str| {
        let sign = if number.is_negative() { "−" } else { "" };
        let text = TableCell::new([sign, shown].concat(), Role::Value);
        if number.is_zero() { zero_cell() } else { text }
    };
    [cell(numbers[0], &shown[0]), cell(numbers[1], &shown[1])]
}

/// Returns the cell of a word in a slot without a known variable.
fn word_cell(word: &Field<B256>, other: &Field<B256>, cx: &RowContext<'_>) -> TableCell {
    field_cell(word, |word| {
        let shown = match other.value().filter(|_| !cx.is_in_full()) {
            Some(other) => abbreviate_apart(word, other),
            None => word_text(word, cx),
        };
        TableCell::new(shown, Role::Dim)
    })
}

/// Cuts a text at its end, or at both if no difference from `other` would be left.
fn cut_apart(text: &str, other: &str, columns: usize) -> String {
    let is_shared = |((_, one), other): &((usize, char), char)| one == other;
    let shared = text.char_indices().zip(other.chars()).take_while(is_shared).count();
    let begin = text.char_indices().nth(shared.saturating_sub(SHARED_CHARS)).map(|(at, _)| at);
    match begin.and_then(|begin| text.get(begin..)) {
        Some(rest) if shared + 1 >= columns && text_columns(text) > columns => {
            cut(&["…", rest].concat(), columns).into_owned()
        }
        _ => cut(text, columns).into_owned(),
    }
}

/// Names the addresses among the keys of a variable, and abbreviates hashes.
fn named_keys(variable: &str, cx: &RowContext<'_>) -> String {
    variable
        .split_inclusive(['[', ']'])
        .map(|part| {
            let (key, end) = part.strip_suffix(']').map_or((part, ""), |key| (key, "]"));
            let address = parse_account(key).map(|address| account_name(&address, cx));
            let hash = || Some(abbreviate(&key.parse::<B256>().ok()?));
            address.or_else(hash).map_or_else(|| part.to_owned(), |short| short + end)
        })
        .collect()
}

/// Parses an address. A number may have as many digits.
fn parse_account(text: &str) -> Option<Address> {
    text.strip_prefix("0x")?.parse().ok()
}

fn account_name(account: &Address, cx: &RowContext<'_>) -> String {
    let name = cx.name_cache.short_name(account);
    name.map_or_else(|| cx.short_address(account), Cow::into_owned)
}

fn word_text(word: &B256, cx: &RowContext<'_>) -> String {
    if cx.is_in_full() { word.to_string() } else { abbreviate(word) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::json_fields::FromJson;
    use crate::api::{AddressQuery, Query};
    use crate::chain::hash_abbreviation::Abbreviator;
    use crate::name_cache::NameCache;

    /// A number that is too long for a cell.
    const LONG_NUMBER: &str = "123456789012345678901234567890";

    /// Returns the variable, and its value before, after, and the change, as they are in a list.
    fn shown(names: &NameCache, variable: &str, kind: &str, values: [&str; 2]) -> [String; 4] {
        let json = serde_json::json!({
            "type": "storage", "slot": B256::ZERO, "address": { "hash": Address::repeat_byte(7) },
            "variable": variable, "variable_type": kind,
            "stored_before": values[0], "stored_after": values[1],
        });
        let raw = serde_json::value::to_raw_value(&json).unwrap();
        let row = StateChange::from_json((&*raw).into()).unwrap();
        let abbreviator = Abbreviator::default();
        let cx = RowContext {
            name_cache: names,
            abbreviator: Some(&abbreviator),
            ..RowContext::blank()
        };
        let [before, after] = row.stored_cells(&cx);
        [row.slot_cell(&cx, 60), before, after, row.stored_change_cell(&cx)]
            .map(|cell| cell.text.into_owned())
    }

    /// Returns the names of the contract as a token of a standard.
    fn token_names(standard: &str) -> NameCache {
        let mut names = NameCache::default();
        let query = Query::Address(Address::ZERO, AddressQuery::Tokens { types: vec![] });
        let body = serde_json::json!({ "next_page_params": null, "items": [{ "token": {
            "address_hash": Address::repeat_byte(7), "symbol": "GLD", "decimals": "6", "type": standard,
        } }] });
        names.ingest(&query, &query.decode(body.to_string().as_bytes(), None).unwrap());
        names
    }

    #[test]
    fn variables_with_amounts_have_several_names_in_erc20_tokens_only() {
        let owner = Address::repeat_byte(1);
        for (name, keys) in [
            ("_balances", 1),
            ("balanceOf", 1),
            ("balance", 1),
            ("allowed", 2),
            ("_allowances", 2),
            ("totalSupply", 0),
        ] {
            let variable = [name, &format!("[{owner}]").repeat(keys)].concat();
            let is_amount = |standard: &str| {
                let [.., change] =
                    shown(&token_names(standard), &variable, "uint256", ["1000000", "3000000"]);
                change.ends_with(" GLD")
            };
            assert_eq!(["ERC-20", "ERC-721"].map(is_amount), [true, false], "{variable}");
            let is_unlimited = |standard: &str| {
                let values = ["0", &U256::MAX.to_string()];
                shown(&token_names(standard), &variable, "uint256", values)[2] == "unlimited"
            };
            assert_eq!(["ERC-20", "ERC-721"].map(is_unlimited), [true, false], "{variable}");
        }
    }

    #[test]
    fn balances_of_a_token_are_in_its_unit() {
        let names = token_names("ERC-20");
        let owner = crate::chain::development_accounts::DEVELOPMENT_ACCOUNTS[1];
        let allowance = format!("allowance[{owner}][{}]", Address::repeat_byte(7));
        let max = U256::MAX.to_string();
        for (variable, values, expected) in [
            (&*allowance, ["5000000000", "2500000"], ["5,000.0", "2.5", "−4,997.5 GLD"]),
            (&*allowance, ["0", &max], ["⋅", "unlimited", ""]),
            ("_totalSupply", ["1000000", "1000001"], ["1.000000", "1.000001", "+0.000001 GLD"]),
            ("nonces[1]", ["1000000", "1000001"], ["1,000,000", "1,000,001", "+1"]),
            ("rebalanceInterval", ["3600", "86400"], ["3,600", "86,400", "+82,800"]),
            (&*format!("allowedUntil[{owner}]"), ["8", "10000"], ["8", "10,000", "+9,992"]),
            (&*format!("_gonBalances[{owner}]"), ["8", "10000"], ["8", "10,000", "+9,992"]),
            (&*format!("balanceOf[{}]", "1".repeat(40)), ["8", "9"], ["8", "9", "+1"]),
            ("fee", ["0", "2000000000000000000000"], ["⋅", "2,000e18", "+2,000e18"]),
            ("total", ["0", LONG_NUMBER], ["⋅", "1.23457e29", "+1.23457e29"]),
            (&*allowance, ["0", LONG_NUMBER], ["⋅", "1.23457e23", "+1.23457e23 GLD"]),
        ] {
            let [name, before, after, change] = shown(&names, variable, "uint256", values);
            assert_eq!([&*before, &*after, &*change], expected, "{name}");
        }
        let [name, ..] = shown(&names, &allowance, "uint256", ["1", "2"]);
        assert_eq!(name, "allowance[0x7099…79C8][GLD]");
        let unknown = NameCache::default();
        let [_, before, _, change] = shown(&unknown, "balanceOf[1]", "uint256", ["5000000", "1"]);
        assert_eq!([&*before, &*change], ["5,000,000", "−4,999,999"]);
        for (values, expected) in [
            (["-5", "-15"], ["−5", "−15", "−10"]),
            (["100007500000", "-1"], ["100,007,500,000", "−1", "−100,007,500,001"]),
            (["-3", "0"], ["−3", "⋅", "+3"]),
        ] {
            let [_, before, after, change] = shown(&names, "drift", "int128", values);
            assert_eq!([&*before, &*after, &*change], expected);
        }
        let [_, before, after, change] = shown(&names, "paused", "bool", ["false", "true"]);
        assert_eq!([&*before, &*after, &*change], ["false", "true", ""]);
    }

    #[test]
    fn parts_of_a_proxy_are_contracts_by_their_names() {
        let names = token_names("ERC-20");
        let [before, after] = [3, 7].map(|digit| Address::repeat_byte(digit).into_word());
        let cells = |variable: &str| {
            let json = serde_json::json!({
                "type": "storage", "slot": B256::ZERO, "variable": variable,
                "address": { "hash": Address::ZERO }, "word_before": before, "word_after": after,
            });
            let raw = serde_json::value::to_raw_value(&json).unwrap();
            let row = StateChange::from_json((&*raw).into()).unwrap();
            let abbreviator = Abbreviator::default();
            let abbreviator = Some(&abbreviator);
            let cx = RowContext { name_cache: &names, abbreviator, ..RowContext::blank() };
            row.stored_cells(&cx).map(|cell| cell.text.into_owned())
        };
        assert_eq!(cells("eip1967.proxy.implementation"), ["0x0303…0303", "GLD"]);
        assert_ne!(cells("eip1967.proxy.rollback")[1], "GLD", "not an address");
    }

    #[test]
    fn changed_values_show_their_difference() {
        let [before, after] = ["1", "2"].map(|digit| ["9".repeat(40), digit.into()].concat());
        assert_eq!(cut_apart(&before, &after, 28), "…9999991");
        assert_eq!(cut_apart(&after, &before, 28), "…9999992");
        let [before, after] = ["b", "c"].map(|letter| ["a".repeat(30), letter.repeat(40)].concat());
        assert_eq!(cut_apart(&before, &after, 28), format!("…aaaaaa{}…", "b".repeat(20)));
        assert_eq!(cut_apart("short", "other", 28), "short");
        assert_eq!(cut_apart("short", "shortest", 28), "short");
        let early = ["x", &before].concat();
        assert_eq!(cut_apart(&early, &after, 28), format!("x{}…", "a".repeat(26)));
    }
}
