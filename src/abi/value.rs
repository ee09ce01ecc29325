//! A decoded value, and how it is laid out in lines.

use std::sync::Arc;

use alloy_primitives::{I256, hex};

use super::DecodedCall;
use super::signature::{AbiParameter, SolType};
use crate::chain::{Address, B256, Bytes, U256};
use crate::sanitize::SafeText;

/// Characters of a text that are shown in one line.
const MAX_SUMMARY_CHARS: usize = 60;
/// Bytes that are shown in one line.
const MAX_SUMMARY_BYTES: usize = 32;
/// Lists and structs of no more values than this are shown in one line, if those are simple.
const MAX_INLINE_VALUES: usize = 3;

/// A decoded value.
#[derive(Debug, Clone, PartialEq)]
pub enum AbiValue {
    /// `bool`
    Bool(bool),
    /// `uint8` … `uint256`
    Uint(U256),
    /// `int8` … `int256`
    Int(I256),
    /// `address`
    Address(Address),
    /// `bytes1` … `bytes32`, from the left of the word, with the number of bytes.
    FixedBytes(B256, usize),
    /// `bytes`
    Bytes(Bytes),
    /// `string`, which need not be UTF-8.
    String(Bytes),
    /// `bytes` that are a call, or an error, themselves.
    Call(Bytes, Box<DecodedCall>),
    /// An array, with the type of what is in it.
    Array(Arc<SolType>, Vec<AbiValue>),
    /// A struct, with its fields.
    Tuple(Arc<[AbiParameter]>, Vec<AbiValue>),
}

/// One line of a value that is laid out for reading.
#[derive(Debug, Clone)]
pub struct ValueLine<'a> {
    /// How deep inside.
    pub depth: usize,
    /// The name of the argument or field, or the place in the list: `[0]`.
    pub label: SafeText,
    /// The Solidity type.
    pub type_name: SafeText,
    /// The value. What is in a list, a struct or a call follows in lines of its own.
    pub value: &'a AbiValue,
}

impl AbiValue {
    /// The value in one line: short if it is long, `[12 items]` if there is much in it.
    pub fn summary(&self) -> SafeText {
        match self {
            Self::Bool(is) => SafeText::new(&is.to_string()),
            Self::Uint(number) => SafeText::new(&number.to_string()),
            Self::Int(number) => SafeText::new(&number.to_string()),
            Self::Address(address) => SafeText::new(&address.to_checksum(None)),
            Self::FixedBytes(word, bytes) => {
                summarize_bytes(word.get(..*bytes).unwrap_or_default())
            }
            Self::Bytes(bytes) => summarize_bytes(bytes),
            Self::String(bytes) => summarize_text(bytes),
            Self::Call(_, decoded) => SafeText::new(&format!("≈ {}", decoded.summary())),
            Self::Array(_, items) => summarize_items(items, ("[", "]"), "item"),
            Self::Tuple(_, items) => summarize_items(items, ("(", ")"), "field"),
        }
    }

    /// Values inside, which have lines of their own.
    pub fn has_children(&self) -> bool {
        match self {
            Self::Array(_, items) | Self::Tuple(_, items) => !items.is_empty(),
            Self::Call(_, decoded) => !decoded.arguments.is_empty(),
            _ => false,
        }
    }

    /// The value and all that is in it, line by line, at most `limit` lines. The number of lines
    /// tells whether some were left out: nobody counts those.
    pub fn lines(&self, label: &str, kind: &str, limit: usize) -> Vec<ValueLine<'_>> {
        let mut lines = Vec::new();
        let line = ValueLine {
            depth: 0,
            label: SafeText::new(label),
            type_name: SafeText::new(kind),
            value: self,
        };
        push_lines(line, &mut lines, limit);
        lines
    }
}

/// Lays out `summary` and what is in its value. Types and calls are nested a few levels only.
pub(super) fn push_lines<'a>(line: ValueLine<'a>, lines: &mut Vec<ValueLine<'a>>, limit: usize) {
    if lines.len() >= limit {
        return;
    }
    let (value, level) = (line.value, line.depth + 1);
    lines.push(line);
    let left = limit - lines.len();
    match value {
        AbiValue::Array(of, items) => {
            let kind = SafeText::new(&of.to_string());
            for (n, value) in items.iter().take(left).enumerate() {
                let label = SafeText::new(&format!("[{n}]"));
                push_lines(
                    ValueLine { depth: level, label, type_name: kind.clone(), value },
                    lines,
                    limit,
                );
            }
        }
        AbiValue::Tuple(fields, items) => {
            for (field, value) in fields.iter().zip(items).take(left) {
                let kind = SafeText::new(&field.ty.to_string());
                push_lines(
                    ValueLine { depth: level, label: field.name.clone(), type_name: kind, value },
                    lines,
                    limit,
                );
            }
        }
        AbiValue::Call(_, decoded) => {
            for argument in decoded.arguments.iter().take(left) {
                push_lines(argument.first_line(level), lines, limit);
            }
        }
        _ => {}
    }
}

fn summarize_bytes(bytes: &[u8]) -> SafeText {
    match bytes.get(..MAX_SUMMARY_BYTES / 2) {
        Some(first) if bytes.len() > MAX_SUMMARY_BYTES => {
            let words = format!("{}… ({} bytes)", hex::encode_prefixed(first), bytes.len());
            SafeText::new(&words)
        }
        _ => SafeText::new(&hex::encode_prefixed(bytes)),
    }
}

fn summarize_text(bytes: &[u8]) -> SafeText {
    let text = String::from_utf8_lossy(utf8_prefix(bytes, MAX_SUMMARY_CHARS * 4));
    match text.char_indices().nth(MAX_SUMMARY_CHARS) {
        Some((end, _)) => SafeText::new(&format!("\"{}…\" ({} bytes)", &text[..end], bytes.len())),
        None => SafeText::new(&format!("\"{text}\"")),
    }
}

fn summarize_items(items: &[AbiValue], (open, close): (&str, &str), one: &str) -> SafeText {
    if items.len() > MAX_INLINE_VALUES || items.iter().any(AbiValue::has_children) {
        let plural = if items.len() == 1 { "" } else { "s" };
        return SafeText::new(&format!("{open}{} {one}{plural}{close}", items.len()));
    }
    let inside: Vec<String> = items.iter().map(|item| item.summary().to_string()).collect();
    SafeText::new(&format!("{open}{}{close}", inside.join(", ")))
}

/// The first `limit` bytes, or up to three less so that no character of UTF-8 is cut.
pub(super) fn utf8_prefix(bytes: &[u8], limit: usize) -> &[u8] {
    if bytes.len() <= limit {
        return bytes;
    }
    let inside = |at: &usize| bytes[*at] & 0xc0 == 0x80;
    let end = (limit.saturating_sub(3)..=limit).rev().find(|at| !inside(at)).unwrap_or(limit);
    &bytes[..end]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn numbers(count: u64) -> AbiValue {
        let items = (0..count).map(|n| AbiValue::Uint(U256::from(n))).collect();
        AbiValue::Array(Arc::new(SolType::Uint(256)), items)
    }

    #[test]
    fn a_line_is_short() {
        for (value, line) in [
            (AbiValue::Bool(true), "true"),
            (AbiValue::Int(I256::MINUS_ONE), "-1"),
            (AbiValue::FixedBytes(B256::repeat_byte(0xab), 3), "0xababab"),
            (AbiValue::Bytes(Bytes::new()), "0x"),
            (AbiValue::Bytes(vec![1; 33].into()), "0x01010101010101010101010101010101… (33 bytes)"),
            (AbiValue::String(Bytes::from_static(b"a\x1b\xff")), "\"a␛␦\""),
            (numbers(0), "[]"),
            (numbers(3), "[0, 1, 2]"),
            (numbers(4), "[4 items]"),
            (AbiValue::Array(Arc::new(SolType::Bool), vec![numbers(1)]), "[1 item]"),
        ] {
            assert_eq!(&*value.summary(), line);
        }
        let long = AbiValue::String("é".repeat(1 << 20).into_bytes().into()).summary();
        assert_eq!(&*long, format!("\"{}…\" (2097152 bytes)", "é".repeat(60)));
    }

    #[test]
    fn lines_end_at_the_limit() {
        let value = AbiValue::Array(Arc::new(SolType::Bool), vec![numbers(3), numbers(2_000)]);
        let lines = value.lines("x", "uint256[][]", 1_000);
        assert_eq!(lines.len(), 1_000);
        let shown = |line: &ValueLine<'_>| {
            format!("{} {} {}", line.depth, line.label, line.value.summary())
        };
        let first: Vec<String> = lines.iter().take(6).map(shown).collect();
        assert_eq!(
            first,
            [
                "0 x [2 items]",
                "1 [0] [0, 1, 2]",
                "2 [0] 0",
                "2 [1] 1",
                "2 [2] 2",
                "1 [1] [2000 items]"
            ]
        );
        assert!(value.lines("x", "", 0).is_empty());
    }
}
