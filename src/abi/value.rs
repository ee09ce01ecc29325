//! A decoded value, and how it is laid out in lines.

use std::sync::Arc;

use alloy_primitives::{I256, hex};

use super::Decoded;
use super::signature::{Kind, Parameter};
use crate::chain::{Address, B256, Bytes, U256};
use crate::sanitize::Text;

/// Characters of a text that are shown in one line.
const SHOWN: usize = 60;
/// Bytes that are shown in one line.
const BYTES: usize = 32;
/// Lists and structs of no more values than this are shown in one line, if those are simple.
const FEW: usize = 3;

/// A decoded value.
#[derive(Debug, Clone, PartialEq)]
pub enum Value {
    /// `bool`
    Bool(bool),
    /// `uint8` … `uint256`
    Uint(U256),
    /// `int8` … `int256`
    Int(I256),
    /// `address`
    Address(Address),
    /// `bytes1` … `bytes32`, from the left of the word, with the number of bytes.
    Fixed(B256, usize),
    /// `bytes`
    Bytes(Bytes),
    /// `string`, which need not be UTF-8.
    Text(Bytes),
    /// `bytes` that are a call, or an error, themselves.
    Call(Bytes, Box<Decoded>),
    /// An array, with the type of what is in it.
    List(Arc<Kind>, Vec<Value>),
    /// A struct, with its fields.
    Tuple(Arc<[Parameter]>, Vec<Value>),
}

/// One line of a value that is laid out for reading.
#[derive(Debug, Clone)]
pub struct Line<'a> {
    /// How deep inside.
    pub level: usize,
    /// The name of the argument or field, or the place in the list: `[0]`.
    pub label: Text,
    /// The Solidity type.
    pub kind: Text,
    /// The value. What is in a list, a struct or a call follows in lines of its own.
    pub value: &'a Value,
}

impl Value {
    /// The value in one line: short if it is long, `[12 items]` if there is much in it.
    pub fn line(&self) -> Text {
        match self {
            Self::Bool(is) => Text::new(&is.to_string()),
            Self::Uint(number) => Text::new(&number.to_string()),
            Self::Int(number) => Text::new(&number.to_string()),
            Self::Address(address) => Text::new(&address.to_checksum(None)),
            Self::Fixed(word, bytes) => bytes_line(word.get(..*bytes).unwrap_or_default()),
            Self::Bytes(bytes) => bytes_line(bytes),
            Self::Text(bytes) => text_line(bytes),
            Self::Call(_, decoded) => Text::new(&format!("≈ {}", decoded.line())),
            Self::List(_, items) => few(items, ("[", "]"), "item"),
            Self::Tuple(_, items) => few(items, ("(", ")"), "field"),
        }
    }

    /// Values inside, which have lines of their own.
    pub fn has_inside(&self) -> bool {
        match self {
            Self::List(_, items) | Self::Tuple(_, items) => !items.is_empty(),
            Self::Call(_, decoded) => !decoded.arguments.is_empty(),
            _ => false,
        }
    }

    /// The value and all that is in it, line by line, at most `limit` lines. The number of lines
    /// tells whether some were left out: nobody counts those.
    pub fn lines(&self, label: &str, kind: &str, limit: usize) -> Vec<Line<'_>> {
        let mut lines = Vec::new();
        let line = Line { level: 0, label: Text::new(label), kind: Text::new(kind), value: self };
        push(line, &mut lines, limit);
        lines
    }
}

/// Lays out `line` and what is in its value. Types and calls are nested a few levels only.
pub(super) fn push<'a>(line: Line<'a>, lines: &mut Vec<Line<'a>>, limit: usize) {
    if lines.len() >= limit {
        return;
    }
    let (value, level) = (line.value, line.level + 1);
    lines.push(line);
    let left = limit - lines.len();
    match value {
        Value::List(of, items) => {
            let kind = Text::new(&of.to_string());
            for (n, value) in items.iter().take(left).enumerate() {
                let label = Text::new(&format!("[{n}]"));
                push(Line { level, label, kind: kind.clone(), value }, lines, limit);
            }
        }
        Value::Tuple(fields, items) => {
            for (field, value) in fields.iter().zip(items).take(left) {
                let kind = Text::new(&field.kind.to_string());
                push(Line { level, label: field.name.clone(), kind, value }, lines, limit);
            }
        }
        Value::Call(_, decoded) => {
            for argument in decoded.arguments.iter().take(left) {
                push(argument.at(level), lines, limit);
            }
        }
        _ => {}
    }
}

fn bytes_line(bytes: &[u8]) -> Text {
    match bytes.get(..BYTES / 2) {
        Some(first) if bytes.len() > BYTES => {
            let words = format!("{}… ({} bytes)", hex::encode_prefixed(first), bytes.len());
            Text::new(&words)
        }
        _ => Text::new(&hex::encode_prefixed(bytes)),
    }
}

fn text_line(bytes: &[u8]) -> Text {
    let text = String::from_utf8_lossy(prefix(bytes, SHOWN * 4));
    match text.char_indices().nth(SHOWN) {
        Some((end, _)) => Text::new(&format!("\"{}…\" ({} bytes)", &text[..end], bytes.len())),
        None => Text::new(&format!("\"{text}\"")),
    }
}

fn few(items: &[Value], (open, close): (&str, &str), one: &str) -> Text {
    if items.len() > FEW || items.iter().any(Value::has_inside) {
        let plural = if items.len() == 1 { "" } else { "s" };
        return Text::new(&format!("{open}{} {one}{plural}{close}", items.len()));
    }
    let inside: Vec<String> = items.iter().map(|item| item.line().to_string()).collect();
    Text::new(&format!("{open}{}{close}", inside.join(", ")))
}

/// The first `limit` bytes, or up to three less so that no character of UTF-8 is cut.
pub(super) fn prefix(bytes: &[u8], limit: usize) -> &[u8] {
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

    fn numbers(count: u64) -> Value {
        let items = (0..count).map(|n| Value::Uint(U256::from(n))).collect();
        Value::List(Arc::new(Kind::Uint(256)), items)
    }

    #[test]
    fn a_line_is_short() {
        for (value, line) in [
            (Value::Bool(true), "true"),
            (Value::Int(I256::MINUS_ONE), "-1"),
            (Value::Fixed(B256::repeat_byte(0xab), 3), "0xababab"),
            (Value::Bytes(Bytes::new()), "0x"),
            (Value::Bytes(vec![1; 33].into()), "0x01010101010101010101010101010101… (33 bytes)"),
            (Value::Text(Bytes::from_static(b"a\x1b\xff")), "\"a␛␦\""),
            (numbers(0), "[]"),
            (numbers(3), "[0, 1, 2]"),
            (numbers(4), "[4 items]"),
            (Value::List(Arc::new(Kind::Bool), vec![numbers(1)]), "[1 item]"),
        ] {
            assert_eq!(&*value.line(), line);
        }
        let long = Value::Text("é".repeat(1 << 20).into_bytes().into()).line();
        assert_eq!(&*long, format!("\"{}…\" (2097152 bytes)", "é".repeat(60)));
    }

    #[test]
    fn lines_end_at_the_limit() {
        let value = Value::List(Arc::new(Kind::Bool), vec![numbers(3), numbers(2_000)]);
        let lines = value.lines("x", "uint256[][]", 1_000);
        assert_eq!(lines.len(), 1_000);
        let shown =
            |line: &Line<'_>| format!("{} {} {}", line.level, line.label, line.value.line());
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
