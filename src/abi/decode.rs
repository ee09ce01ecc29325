//! Bytes into values. Only what the compiler would have encoded so counts.

use std::sync::Arc;

use alloy_dyn_abi::DynSolValue;
use alloy_primitives::I256;

use super::signature::{Kind, Parameter, decoder};
use super::value::Value;
use crate::chain::{Bytes, U256};

/// A word of the ABI.
const WORD: usize = 32;

/// The values of `parameters` that `data` begins with, and the number of bytes after them. None if
/// encoding the values again would not give the same bytes.
pub(super) fn decode(parameters: &[Parameter], data: &[u8]) -> Option<(Vec<Value>, usize)> {
    if parameters.is_empty() {
        return Some((Vec::new(), data.len()));
    }
    // The decoder follows offsets wherever they lead, and a few of them that lead to one place
    // make an array of any size. The layout is checked before.
    let end = sequence(parameters.iter().map(|parameter| &parameter.kind), data, 0)?;
    let encoded = data.get(..end)?;
    let decoded = decoder(parameters).abi_decode_params(encoded).ok()?;
    if decoded.abi_encode_params() != encoded {
        return None;
    }
    let DynSolValue::Tuple(decoded) = decoded else { return None };
    Some((values(parameters, decoded)?, data.len() - end))
}

/// Where the encoding of `kinds` that begins at `base` ends, if each part follows the one before.
fn sequence<'a>(
    kinds: impl Iterator<Item = &'a Kind> + Clone,
    data: &[u8],
    base: usize,
) -> Option<usize> {
    let heads = kinds.clone().try_fold(0_usize, |sum, kind| sum.checked_add(head(kind)?))?;
    let (mut at, mut next) = (base, base.checked_add(heads)?);
    if next > data.len() {
        return None;
    }
    for kind in kinds {
        if kind.is_dynamic() {
            if word(data, at)? != next - base {
                return None;
            }
            next = tail(kind, data, next)?;
        }
        at += head(kind)?;
    }
    Some(next)
}

/// Bytes of a value where the values before and after it are.
fn head(kind: &Kind) -> Option<usize> {
    if kind.is_dynamic() { Some(WORD) } else { kind.size().checked_mul(WORD) }
}

/// Where the encoding of a dynamic value that begins at `at` ends.
fn tail(kind: &Kind, data: &[u8], at: usize) -> Option<usize> {
    match kind {
        Kind::List(of, None) => {
            let (length, start) = (word(data, at)?, at + WORD);
            list(of, length, data, start)
        }
        Kind::List(of, Some(length)) => list(of, *length, data, at),
        Kind::Tuple(fields) => sequence(fields.iter().map(|field| &field.kind), data, at),
        _ => {
            let length = word(data, at)?.checked_next_multiple_of(WORD)?;
            (at + WORD).checked_add(length).filter(|end| *end <= data.len())
        }
    }
}

/// Where the encoding of a list ends. Its length is believed only if its heads are there.
fn list(of: &Kind, length: usize, data: &[u8], start: usize) -> Option<usize> {
    let end = length.checked_mul(head(of)?)?.checked_add(start)?;
    if end > data.len() {
        return None;
    }
    if of.is_dynamic() { sequence((0..length).map(|_| of), data, start) } else { Some(end) }
}

/// The word at `at`, if it is a number that a length could be.
fn word(data: &[u8], at: usize) -> Option<usize> {
    let bytes = data.get(at..at.checked_add(WORD)?)?;
    usize::try_from(U256::from_be_slice(bytes)).ok()
}

fn values(parameters: &[Parameter], decoded: Vec<DynSolValue>) -> Option<Vec<Value>> {
    let pairs = parameters.iter().zip(decoded);
    pairs.map(|(parameter, decoded)| value(&parameter.kind, decoded)).collect()
}

fn value(kind: &Kind, decoded: DynSolValue) -> Option<Value> {
    Some(match (kind, decoded) {
        (Kind::String, DynSolValue::Bytes(bytes)) => Value::Text(Bytes::from(bytes)),
        (_, DynSolValue::Bytes(bytes)) => Value::Bytes(Bytes::from(bytes)),
        (_, DynSolValue::Bool(is)) => Value::Bool(is),
        // The decoder keeps the whole word of these, and encodes it again as it was.
        (_, DynSolValue::Int(number, bits)) if fits(number, bits) => Value::Int(number),
        (_, DynSolValue::Uint(number, bits)) if number.bit_len() <= bits => Value::Uint(number),
        (_, DynSolValue::FixedBytes(word, bytes)) if is_zero(word.get(bytes..)?) => {
            Value::Fixed(word, bytes)
        }
        (_, DynSolValue::Function(function)) => Value::Fixed(function.into_word(), 24),
        (_, DynSolValue::Address(address)) => Value::Address(address),
        (Kind::List(of, _), DynSolValue::Array(items) | DynSolValue::FixedArray(items)) => {
            let items = items.into_iter().map(|item| value(of, item)).collect::<Option<_>>()?;
            Value::List(Arc::clone(of), items)
        }
        (Kind::Tuple(fields), DynSolValue::Tuple(items)) => {
            Value::Tuple(Arc::clone(fields), values(fields, items)?)
        }
        _ => return None,
    })
}

/// Whether calldata or revert data can be all ABI: whole words, or what is behind them is padding.
pub(super) fn is_abi_like(data: &[u8], trailing: usize) -> bool {
    let tail = data.len().checked_sub(trailing).and_then(|start| data.get(start..));
    data.len().is_multiple_of(WORD) || tail.is_some_and(is_zero)
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| *b == 0)
}

/// Whether a number of so many bits fills its word with its sign.
fn fits(number: I256, bits: usize) -> bool {
    let size = if number.is_negative() { !number.into_raw() } else { number.into_raw() };
    size.bit_len() < bits
}
