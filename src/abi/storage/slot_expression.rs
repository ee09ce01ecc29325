//! Storage slots as they are typed: `0`, `0x360894…`, `3[0xf39F…][7]`, `balances[0xf39F…]` or
//! `eip1967.proxy.admin`.
//!
//! A key in brackets leads to the slot of a mapping's value, which is behind the hash of key and slot, or to
//! an element of an array; a name after a point to a field of a struct: `positions[0xf39F…][0].amount`.
//! The types of keys are the layout's, if there is one. Without it, a key is only taken if its encoding
//! is the same for every type that it can have.

use alloy_dyn_abi::DynSolType;
use alloy_primitives::{U256, hex, keccak256};

use super::known_slots::known_slot;
use super::storage_layout::{DYNAMIC_ARRAY, StorageLayout, StorageType, array_length};
use crate::abi::contract_abi::word_of_text;
use crate::chain::{Address, Bytes, WORD_BYTES};
use crate::messages::abi::SlotError;
use crate::sanitize::SafeText;

const MAX_KEYS: usize = 8;

/// A storage slot, and the inputs of the hashes that lead to it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SlotExpression {
    pub slot: U256,
    pub preimages: Vec<Bytes>,
}

impl SlotExpression {
    /// Parses an expression. A name is a variable's of the layout, or published.
    pub fn parse(text: &str, layout: Option<&StorageLayout>) -> Result<Self, SlotError> {
        let text = text.trim();
        let (mut found, mut rest) = SlotSearch::begin(text, layout)?;
        for keys in 0.. {
            rest = rest.trim_start();
            if let Some(after) = rest.strip_prefix('[') {
                let (key, after) = split_key(after)?;
                if keys == MAX_KEYS {
                    return Err(SlotError::NoMapping);
                }
                found.enter(key)?;
                rest = after;
            } else if let Some(after) = rest.strip_prefix('.').filter(|_| found.is_typed()) {
                let end = after.find(['[', '+', '.']).unwrap_or(after.len());
                let (name, after) = after.split_at(end);
                found.enter_member(name.trim())?;
                rest = after;
            } else {
                break;
            }
        }
        let SlotSearch { mut slot, preimages, .. } = found;
        let rest = rest.trim();
        if let Some(offset) = rest.strip_prefix('+') {
            slot = slot.wrapping_add(number(offset.trim()).ok_or_else(|| invalid(offset))?);
        } else if !rest.is_empty() {
            return Err(invalid(rest));
        }
        Ok(Self { slot, preimages })
    }

    /// Returns the keys of an expression that may be names of addresses.
    pub fn names_in_keys(text: &str) -> impl Iterator<Item = &str> {
        text.split_inclusive(['[', ']']).filter_map(name_in_key)
    }

    /// Replaces names among the keys of an expression by their addresses.
    pub fn with_addresses(text: &str, find: impl Fn(&str) -> Option<Address>) -> String {
        let parts = text.split_inclusive(['[', ']']).map(|part| {
            let address = name_in_key(part).and_then(&find);
            address.map_or_else(|| part.to_owned(), |address| format!("{address}]"))
        });
        parts.collect()
    }
}

/// Returns the key at the end of a part of an expression, if it is no number and no text.
fn name_in_key(part: &str) -> Option<&str> {
    let key = part.strip_suffix(']').map(str::trim);
    key.filter(|key| !key.starts_with(|c: char| c.is_ascii_digit() || matches!(c, '"' | '-')))
}

/// The way from a variable to a part of it.
struct SlotSearch<'a> {
    /// The layout, and the type there. `None` for a bare slot.
    ty: Option<(&'a StorageLayout, &'a StorageType)>,
    slot: U256,
    preimages: Vec<Bytes>,
}

impl<'a> SlotSearch<'a> {
    /// Returns the variable or the slot at the start of an expression, and the rest of it.
    fn begin<'t>(
        text: &'t str,
        layout: Option<&'a StorageLayout>,
    ) -> Result<(Self, &'t str), SlotError> {
        let split = |ends: &[char]| text.split_at(text.find(ends).unwrap_or(text.len()));
        // A published name has points.
        for (head, rest) in [split(&['[', '+']), split(&['[', '+', '.'])] {
            let label = head.trim();
            if let Some((layout, variable)) =
                layout.and_then(|all| Some((all, all.variable(label)?)))
            {
                let ty = layout.type_of(&variable.kind).map(|ty| (layout, ty));
                return Ok((Self { ty, slot: variable.slot, preimages: Vec::new() }, rest));
            }
        }
        let (head, rest) = split(&['[', '+']);
        let label = head.trim();
        let slot = number(label).or_else(|| known_slot(label)).ok_or_else(|| invalid(label))?;
        Ok((Self { ty: None, slot, preimages: Vec::new() }, rest))
    }

    fn is_typed(&self) -> bool {
        self.ty.is_some()
    }

    /// Goes on to the value of a key, or to an element.
    fn enter(&mut self, key: &str) -> Result<(), SlotError> {
        let Some((layout, ty)) = self.ty else {
            let key = untyped_key(key)?;
            self.hash(&key);
            return Ok(());
        };
        let kind = match ty {
            StorageType { key: Some(key_kind), value: Some(value), .. } => {
                let key_type = layout.type_of(key_kind).ok_or(SlotError::NoMapping)?;
                let key = typed_key(key, &key_type.label)?;
                self.hash(&key);
                value
            }
            StorageType { base: Some(base), .. } => {
                let item = layout.type_of(base).ok_or(SlotError::NoMapping)?;
                self.enter_element(key, ty, item)?;
                base
            }
            _ => return Err(SlotError::NoMapping),
        };
        self.ty = layout.type_of(kind).map(|ty| (layout, ty));
        Ok(())
    }

    /// Goes on to the slot of an element, which it may share with others.
    fn enter_element(
        &mut self,
        index: &str,
        array: &StorageType,
        item: &StorageType,
    ) -> Result<(), SlotError> {
        let wrong =
            || SlotError::KeyType { ty: "uint256".into(), text: SafeText::bounded(index, 80) };
        let number = number(index).ok_or_else(wrong)?;
        if array.encoding == DYNAMIC_ARRAY {
            self.hash(&[]);
        } else if let Some(length) = array_length(&array.label).filter(|length| number >= *length) {
            return Err(SlotError::NoElement { length });
        }
        let distance = if let Ok(bytes @ 1..=16) = usize::try_from(item.number_of_bytes) {
            number / U256::from(WORD_BYTES / bytes)
        } else {
            let slots = item.number_of_bytes.div_ceil(U256::from(WORD_BYTES)).max(U256::ONE);
            number.wrapping_mul(slots)
        };
        self.slot = self.slot.wrapping_add(distance);
        Ok(())
    }

    fn enter_member(&mut self, name: &str) -> Result<(), SlotError> {
        let (layout, ty) = self.ty.ok_or_else(|| invalid(name))?;
        let mut members = ty.members.iter().flatten();
        let member = members.find(|member| member.label == name).ok_or_else(|| invalid(name))?;
        self.slot = self.slot.wrapping_add(member.slot);
        self.ty = layout.type_of(&member.kind).map(|ty| (layout, ty));
        Ok(())
    }

    fn hash(&mut self, key: &[u8]) {
        let preimage = [key, &self.slot.to_be_bytes::<WORD_BYTES>()].concat();
        self.slot = U256::from_be_bytes(keccak256(&preimage).0);
        self.preimages.push(preimage.into());
    }
}

fn invalid(text: &str) -> SlotError {
    SlotError::Invalid(SafeText::bounded(text.trim(), 80))
}

/// Parses a decimal number, or one in hex.
fn number(text: &str) -> Option<U256> {
    let (digits, radix) = text.strip_prefix("0x").map_or((text, 10), |digits| (digits, 16));
    let is_number = !digits.is_empty() && digits.chars().all(|digit| digit.is_digit(radix));
    U256::from_str_radix(digits, radix.into()).ok().filter(|_| is_number)
}

/// Splits a key from what follows its bracket. A key in quotes may contain brackets.
fn split_key(text: &str) -> Result<(&str, &str), SlotError> {
    let quoted = text.strip_prefix('"').and_then(|text| text.find("\"]"));
    let end = quoted.map(|end| end + 2).or_else(|| text.find(']')).ok_or(SlotError::OpenBracket)?;
    let (key, rest) = text.split_at(end);
    Ok((key.trim(), &rest[1..]))
}

/// Encodes a key of a type of Solidity.
fn typed_key(key: &str, ty: &str) -> Result<Vec<u8>, SlotError> {
    let wrong = || SlotError::KeyType { ty: ty.into(), text: SafeText::bounded(key, 80) };
    let name = match ty.split(' ').next() {
        Some("contract") => "address",
        Some("enum") => "uint8",
        _ => ty,
    };
    let literal = key.strip_prefix('"').and_then(|key| key.strip_suffix('"'));
    match DynSolType::parse(name).map_err(|_| wrong())? {
        DynSolType::String => Ok(literal.unwrap_or(key).as_bytes().to_vec()),
        DynSolType::Bytes => hex::decode(key).map_err(|_| wrong()),
        DynSolType::FixedBytes(size) if let Some(word) = word_of_text(key, size) => {
            Ok(word.to_vec())
        }
        ty => {
            let value = ty.coerce_str(key).map_err(|_| wrong())?;
            value.as_word().map(|word| word.to_vec()).ok_or_else(wrong)
        }
    }
}

/// Encodes a key of an unknown type: an address, a number, a whole word, or text in quotes.
fn untyped_key(key: &str) -> Result<Vec<u8>, SlotError> {
    if let Some(text) = key.strip_prefix('"').and_then(|key| key.strip_suffix('"')) {
        return Ok(text.as_bytes().to_vec());
    }
    let parsed = match (key.len(), key.parse::<Address>()) {
        (42, Ok(address)) => Some(U256::from_be_bytes(address.into_word().0)),
        (66, _) => number(key),
        _ if key.starts_with("0x") => None,
        _ => number(key),
    };
    let word = parsed.ok_or_else(|| SlotError::Key(SafeText::bounded(key, 80)))?;
    Ok(word.to_be_bytes_vec())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn slot(text: &str) -> Result<U256, SlotError> {
        SlotExpression::parse(text, None).map(|parsed| parsed.slot)
    }

    fn hash(parts: &[&[u8]]) -> U256 {
        U256::from_be_bytes(keccak256(parts.concat()).0)
    }

    #[test]
    fn only_names_in_keys_are_replaced() {
        let text = r#"positions[#1][1].debt[Bob]["Bob"]+2"#;
        assert_eq!(SlotExpression::names_in_keys(text).collect::<Vec<_>>(), ["#1", "Bob"]);
        let bob = Address::repeat_byte(7);
        let named = SlotExpression::with_addresses(text, |name| (name == "Bob").then_some(bob));
        assert_eq!(named, format!(r#"positions[#1][1].debt[{bob}]["Bob"]+2"#));
    }

    #[test]
    fn slots_are_numbers_names_or_formulas() {
        let n = U256::from::<u64>;
        let word = |number: u64| n(number).to_be_bytes::<32>();
        let holder = Address::repeat_byte(0x11);
        let balance = hash(&[holder.into_word().as_slice(), &word(3)]);
        let nested = hash(&[&word(7), &balance.to_be_bytes::<32>()]);
        for (text, expected) in [
            ("0".to_owned(), n(0)),
            (" 12 ".to_owned(), n(12)),
            ("0x0c".to_owned(), n(12)),
            ("12+3".to_owned(), n(15)),
            (format!("3[{holder}]"), balance),
            (format!("3[{holder}][7] + 1"), nested + n(1)),
            (r#"3["a]b"]"#.to_owned(), hash(&[b"a]b", &word(3)])),
            (format!("3[0x{}]", "ab".repeat(32)), hash(&[&[0xab; 32], &word(3)])),
        ] {
            assert_eq!(slot(&text), Ok(expected), "{text}");
        }
        let admin: U256 =
            "0xb53127684a568b3173ae13b9f8a6016e243e63b6e8ee1178d6a717850b5d6103".parse().unwrap();
        assert_eq!(slot("eip1967.proxy.admin"), Ok(admin));
    }

    #[test]
    fn ambiguous_slots_are_refused() {
        let key = |text: &str| Err(SlotError::Key(text.into()));
        for (text, expected) in [
            ("3[0x2a]", key("0x2a")),
            ("3[true]", key("true")),
            ("3[-1]", key("-1")),
            ("3[]", key("")),
            ("3[1", Err(SlotError::OpenBracket)),
            ("3[1]x", Err(invalid("x"))),
            ("", Err(invalid(""))),
            ("balances", Err(invalid("balances"))),
            ("0x", Err(invalid("0x"))),
            ("1e3", Err(invalid("1e3"))),
            ("0[1][1][1][1][1][1][1][1][1]", Err(SlotError::NoMapping)),
        ] {
            assert_eq!(slot(text), expected, "{text}");
        }
    }

    #[test]
    fn elements_and_fields_are_behind_their_slots() {
        let value = |label: &str, bytes: &str| json!({ "encoding": "inplace", "label": label, "numberOfBytes": bytes });
        let layout = json!({
            "storage": [
                { "label": "fees", "offset": 0, "slot": "3", "type": "t_array(t_uint64)9" },
                { "label": "positions", "offset": 0, "slot": "7", "type": "t_mapping" }],
            "types": {
                "t_uint64": value("uint64", "8"), "t_address": value("address", "20"),
                "t_array(t_uint64)9": { "encoding": "inplace", "base": "t_uint64",
                    "label": "uint64[9]", "numberOfBytes": "96" },
                "t_array(t_struct)dyn": { "encoding": "dynamic_array", "base": "t_struct",
                    "label": "struct Position[]", "numberOfBytes": "32" },
                "t_struct": { "encoding": "inplace", "label": "struct Position", "numberOfBytes": "64",
                    "members": [{ "label": "until", "offset": 0, "slot": "1", "type": "t_uint64" }] },
                "t_mapping": { "encoding": "mapping", "key": "t_address", "label": "",
                    "numberOfBytes": "32", "value": "t_array(t_struct)dyn" } },
        });
        let layout = StorageLayout::parse(&layout.to_string()).unwrap();
        let parse = |text: &str| SlotExpression::parse(text, Some(&layout)).map(|found| found.slot);
        let n = U256::from::<u64>;
        assert_eq!([parse("fees[3]"), parse("fees[ 4 ]")], [Ok(n(3)), Ok(n(4))]);
        assert_eq!(parse("fees[9]"), Err(SlotError::NoElement { length: n(9) }));
        let holder = Address::repeat_byte(0x11);
        let array = hash(&[holder.into_word().as_slice(), &n(7).to_be_bytes::<32>()]);
        let start = hash(&[&array.to_be_bytes::<32>()]);
        assert_eq!(parse(&format!("positions[{holder}]")), Ok(array));
        assert_eq!(parse(&format!("positions[{holder}][2]")), Ok(start + n(4)));
        assert_eq!(parse(&format!("positions[{holder}][2].until")), Ok(start + n(5)));
        assert_eq!(parse(&format!("positions[{holder}][2].x")), Err(invalid("x")));
        assert_eq!(parse("fees[1][1]"), Err(SlotError::NoMapping));
    }

    #[test]
    fn keys_have_the_types_of_the_layout() {
        let layout = json!({
            "storage": [
                { "label": "owner", "offset": 0, "slot": "0", "type": "t_address" },
                { "label": "flags", "offset": 0, "slot": "5", "type": "t_mapping(t_bytes4)" }],
            "types": {
                "t_address": { "encoding": "inplace", "label": "address", "numberOfBytes": "20" },
                "t_bytes4": { "encoding": "inplace", "label": "bytes4", "numberOfBytes": "4" },
                "t_mapping(t_bytes4)": { "encoding": "mapping", "key": "t_bytes4",
                    "label": "mapping(bytes4 => address)", "numberOfBytes": "32",
                    "value": "t_address" } },
        });
        let layout = StorageLayout::parse(&layout.to_string()).unwrap();
        let parse = |text: &str| SlotExpression::parse(text, Some(&layout)).map(|found| found.slot);
        let mut key = [0; 32];
        key[..4].copy_from_slice(&[1, 2, 3, 4]);
        let five = U256::from(5).to_be_bytes::<32>();
        assert_eq!(parse("flags[0x01020304]"), Ok(hash(&[&key, &five])), "at the left of a word");
        assert_eq!(parse("owner"), Ok(U256::ZERO));
        assert_eq!(parse("owner[1]"), Err(SlotError::NoMapping));
        assert_eq!(parse("flags[0x01020304][1]"), Err(SlotError::NoMapping));
        let wrong = SlotError::KeyType { ty: "bytes4".into(), text: "no".into() };
        assert_eq!(parse("flags[no]"), Err(wrong));
        let two = U256::from(2).to_be_bytes_vec();
        assert_eq!(typed_key("2", "enum Direction"), Ok(two), "by its number");
    }
}
