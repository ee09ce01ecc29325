//! Decoded calls and values, in one line or laid out in several.

pub(super) mod format;
mod json;

use std::sync::Arc;

use alloy_primitives::{I256, hex};

use super::SignatureSource;
use super::selector::{PANIC_SELECTOR, panic_text};
use super::sol_type::{AbiParameter, SolType};
use crate::chain::amount::group_whole_integer;
use crate::chain::{Address, B256, Bytes, U256};
use crate::safety::name_marks::replace_label_marks;
use crate::sanitize::SafeText;

const MAX_SUMMARY_CHARS: usize = 60;
const MAX_SUMMARY_BYTES: usize = 32;
/// Maximum values of an array that is shown in one line.
const MAX_INLINE_VALUES: usize = 3;
/// Maximum bytes of a struct in one line, before its last field.
const MAX_STRUCT_BYTES: usize = 48;
/// Maximum bytes of a call in one line, before its last argument.
const MAX_CALL_SUMMARY_BYTES: usize = 200;

#[derive(Debug, Clone, PartialEq)]
pub struct DecodedCall {
    pub name: SafeText,
    /// The name with the types of the parameters, and their names where known.
    pub signature: SafeText,
    pub arguments: Vec<Argument>,
    pub source: SignatureSource,
    /// The number of bytes after the arguments.
    pub trailing_bytes: usize,
    /// `true` if calls in the arguments may be left out, as they are too many or too deep.
    pub has_unread_calls: bool,
    pub alternatives: Vec<SafeText>,
    pub(super) outputs: Option<Arc<[AbiParameter]>>,
}

impl DecodedCall {
    /// Returns `true` if the signature may belong to another function. Guesses are shown with `?`.
    pub fn is_guess(&self) -> bool {
        let may_differ = self.source.is_selector_only() || !self.alternatives.is_empty();
        may_differ && !self.is_language_error()
    }

    /// Returns `true` for `Error(string)` and `Panic(uint256)`, which the compiler writes.
    fn is_language_error(&self) -> bool {
        let [Argument { type_name, .. }] = &*self.arguments else { return false };
        matches!((&*self.name, &**type_name), ("Error", "string") | ("Panic", "uint256"))
    }

    /// Returns the name, with a `?` if it is a guess.
    pub fn title(&self) -> String {
        [&*self.name, if self.is_guess() { "?" } else { "" }].concat()
    }

    /// Returns the name with `(…)` if there are arguments. A guess has a mark.
    pub fn abbreviated(&self) -> String {
        let arguments = if self.arguments.is_empty() { "" } else { "…" };
        format!("{}({arguments})", self.title())
    }

    /// Formats the call in one line, `transfer(0x…, 5)`. Long ones are cut, a guess has a mark.
    pub fn summary(&self) -> SafeText {
        let mut line = format!("{}(", self.title());
        for (n, argument) in self.arguments.iter().enumerate() {
            if line.len() > MAX_CALL_SUMMARY_BYTES {
                line.push_str(", …");
                break;
            }
            line.push_str(if n == 0 { "" } else { ", " });
            line.push_str(&argument.value.summary());
        }
        line.push(')');
        SafeText::new(&line)
    }
}

#[derive(Debug, Clone, PartialEq)]
pub struct Argument {
    /// The name, often empty.
    pub name: SafeText,
    pub type_name: SafeText,
    pub value: AbiValue,
}

impl Argument {
    pub(super) fn from_values(parameters: &[AbiParameter], values: Vec<AbiValue>) -> Vec<Self> {
        let pairs = parameters.iter().zip(values);
        pairs
            .map(|(parameter, value)| Self {
                name: parameter.name.clone(),
                type_name: parameter.type_name(),
                value,
            })
            .collect()
    }

    pub fn first_line(&self, depth: usize) -> ValueLine<'_> {
        ValueLine {
            depth,
            label: self.name.clone(),
            type_name: self.type_name.clone(),
            value: &self.value,
        }
    }
}

#[derive(Debug, Clone, PartialEq)]
pub enum AbiValue {
    Bool(bool),
    Uint(U256),
    Int(I256),
    Address(Address),
    /// `bytes1` … `bytes32`: a left-aligned word and the number of bytes.
    FixedBytes(B256, usize),
    Bytes(Bytes),
    /// `string`, which may be invalid UTF-8.
    String(Bytes),
    /// `bytes` that are an encoded call or error.
    Call(Bytes, Box<DecodedCall>),
    Array(Arc<SolType>, Vec<AbiValue>),
    Tuple(Arc<[AbiParameter]>, Vec<AbiValue>),
}

#[derive(Debug, Clone)]
pub struct ValueLine<'a> {
    pub depth: usize,
    /// The name of the argument or field, or the index in the array: `[0]`.
    pub label: SafeText,
    pub type_name: SafeText,
    /// The value. The contents of an array, struct or call follow in separate lines.
    pub value: &'a AbiValue,
}

impl<'a> ValueLine<'a> {
    /// Lays out arguments and everything inside them. If `limit` lines are returned, more may be
    /// missing: parts of arrays before arguments.
    pub fn of_arguments(arguments: &'a [Argument], limit: usize) -> Vec<Self> {
        let mut lines = Vec::new();
        for (argument, following) in arguments.iter().zip((0..arguments.len()).rev()) {
            let limit = limit.saturating_sub(following).max(lines.len() + 1).min(limit);
            push_lines(argument.first_line(0), &mut lines, limit);
        }
        lines
    }
}

impl AbiValue {
    /// Formats the value in one line: cut if it is long, `[12 items]` if it has many parts.
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
            Self::Call(data, decoded) => match &decoded.arguments[..] {
                [Argument { value: Self::Uint(code), .. }] if data.starts_with(&PANIC_SELECTOR) => {
                    panic_text(*code)
                }
                _ => decoded.summary(),
            },
            Self::Array(_, items) => summarize_items(items),
            Self::Tuple(fields, values) => {
                SafeText::new(&struct_text(fields, values, |value| value.summary().to_string()))
            }
        }
    }

    /// Returns `true` if the value contains others, which have lines of their own.
    pub fn has_children(&self) -> bool {
        match self {
            Self::Array(_, items) | Self::Tuple(_, items) => !items.is_empty(),
            Self::Call(_, decoded) => !decoded.arguments.is_empty(),
            _ => false,
        }
    }
}

/// Adds `line` and the lines of the values inside. The depth of types and calls is bounded.
fn push_lines<'a>(line: ValueLine<'a>, lines: &mut Vec<ValueLine<'a>>, limit: usize) {
    if lines.len() >= limit {
        return;
    }
    let value = line.value;
    let depth = line.depth + 1;
    let item_type = line.type_name.rsplit_once('[').map(|(item, _)| SafeText::new(item));
    lines.push(line);
    let left = limit - lines.len();
    match value {
        AbiValue::Array(item, items) => {
            let type_name = item_type.unwrap_or_else(|| SafeText::new(&item.to_string()));
            for (n, value) in items.iter().take(left).enumerate() {
                let label = SafeText::new(&format!("[{n}]"));
                let line = ValueLine { depth, label, type_name: type_name.clone(), value };
                push_lines(line, lines, limit);
            }
        }
        AbiValue::Tuple(fields, items) => {
            for (field, value) in fields.iter().zip(items).take(left) {
                let type_name = field.type_name();
                let line = ValueLine { depth, label: field.name.clone(), type_name, value };
                push_lines(line, lines, limit);
            }
        }
        AbiValue::Call(_, decoded) => {
            for argument in decoded.arguments.iter().take(left) {
                push_lines(argument.first_line(depth), lines, limit);
            }
        }
        _ => {}
    }
}

/// Writes numbers with all digits where texts of different ones are equal.
pub fn distinguish_numbers(texts: &mut [String], values: &[&AbiValue]) {
    let is_ambiguous = |n: usize| {
        let mut others = texts.iter().zip(values);
        others.any(|(text, value)| *text == texts[n] && *value != values[n])
    };
    let ambiguous: Vec<usize> =
        (0..texts.len().min(values.len())).filter(|n| is_ambiguous(*n)).collect();
    for n in ambiguous {
        if let AbiValue::Uint(_) | AbiValue::Int(_) = values[n] {
            texts[n] = group_whole_integer(&values[n].summary()).into_owned();
        }
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
    let quoted = match text.char_indices().nth(MAX_SUMMARY_CHARS) {
        Some((end, _)) => format!("\"{}…\" ({} bytes)", &text[..end], bytes.len()),
        None => format!("\"{text}\""),
    };
    replace_label_marks(quoted.into())
}

fn summarize_items(items: &[AbiValue]) -> SafeText {
    if items.len() > MAX_INLINE_VALUES || items.iter().any(AbiValue::has_children) {
        let plural = if items.len() == 1 { "" } else { "s" };
        return SafeText::new(&format!("[{} item{plural}]", items.len()));
    }
    let inside: Vec<String> = items.iter().map(|item| item.summary().to_string()).collect();
    SafeText::new(&format!("[{}]", inside.join(", ")))
}

/// Formats the fields of a struct in one line, `(id: 1, price: 5)`, each value by `text`. Long ones are
/// cut.
pub fn struct_text(
    fields: &[AbiParameter],
    values: &[AbiValue],
    text: impl Fn(&AbiValue) -> String,
) -> String {
    let mut line = "(".to_owned();
    for (n, (field, value)) in fields.iter().zip(values).enumerate() {
        line.push_str(if n == 0 { "" } else { ", " });
        if line.len() > MAX_STRUCT_BYTES {
            line.push('…');
            break;
        }
        let colon = if field.name.is_empty() { "" } else { ": " };
        line.extend([&*field.name, colon, &*text(value)]);
    }
    line + ")"
}

/// Returns the first `limit` bytes, or up to three fewer so that no UTF-8 character is cut.
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
    use alloy_dyn_abi::DynSolType;

    use super::*;

    fn numbers(count: u64) -> AbiValue {
        let items = (0..count).map(|n| AbiValue::Uint(U256::from(n))).collect();
        AbiValue::Array(Arc::new(SolType::Elementary(DynSolType::Uint(256))), items)
    }

    #[test]
    fn summaries_are_short() {
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
            (
                AbiValue::Array(Arc::new(SolType::Elementary(DynSolType::Bool)), vec![numbers(1)]),
                "[1 item]",
            ),
        ] {
            assert_eq!(&*value.summary(), line);
        }
        let long = AbiValue::String("é".repeat(1 << 20).into_bytes().into()).summary();
        assert_eq!(&*long, format!("\"{}…\" (2097152 bytes)", "é".repeat(60)));
    }

    #[test]
    fn layout_stops_at_the_limit() {
        let value = AbiValue::Array(
            Arc::new(SolType::Elementary(DynSolType::Bool)),
            vec![numbers(3), numbers(2_000)],
        );
        let (name, type_name) = ("x".into(), "uint256[][]".into());
        let arguments = [Argument { name, type_name, value }];
        let lines = ValueLine::of_arguments(&arguments, 1_000);
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
        assert!(ValueLine::of_arguments(&arguments, 0).is_empty());
    }
}
