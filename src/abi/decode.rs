//! Bytes into values. Only what the compiler would have encoded so counts.

use std::sync::Arc;

use alloy_dyn_abi::DynSolValue;
use alloy_primitives::I256;

use super::signature::{AbiParameter, SolType, dyn_type};
use super::value::AbiValue;
use crate::chain::{Bytes, U256};

/// A word of the ABI.
const WORD_BYTES: usize = 32;

/// The values of `parameters` that `data` begins with, and the number of bytes after them. None if
/// encoding the values again would not give the same bytes.
pub(super) fn decode(parameters: &[AbiParameter], data: &[u8]) -> Option<(Vec<AbiValue>, usize)> {
    if parameters.is_empty() {
        return Some((Vec::new(), data.len()));
    }
    // The decoder follows offsets wherever they lead, and a few of them that lead to one place
    // make an array of any size. The layout is checked before.
    let end = sequence_end(parameters.iter().map(|parameter| &parameter.ty), data, 0)?;
    let encoded = data.get(..end)?;
    let decoded = dyn_type(parameters).abi_decode_params(encoded).ok()?;
    if decoded.abi_encode_params() != encoded {
        return None;
    }
    let DynSolValue::Tuple(decoded) = decoded else { return None };
    Some((to_values(parameters, decoded)?, data.len() - end))
}

/// Where the encoding of `kinds` that begins at `base` ends, if each part follows the one before.
fn sequence_end<'a>(
    kinds: impl Iterator<Item = &'a SolType> + Clone,
    data: &[u8],
    base: usize,
) -> Option<usize> {
    let heads = kinds.clone().try_fold(0_usize, |sum, kind| sum.checked_add(head_size(kind)?))?;
    let (mut at, mut next) = (base, base.checked_add(heads)?);
    if next > data.len() {
        return None;
    }
    for kind in kinds {
        if kind.is_dynamic() {
            if read_length(data, at)? != next - base {
                return None;
            }
            next = tail_end(kind, data, next)?;
        }
        at += head_size(kind)?;
    }
    Some(next)
}

/// Bytes of a value where the values before and after it are.
fn head_size(kind: &SolType) -> Option<usize> {
    if kind.is_dynamic() { Some(WORD_BYTES) } else { kind.value_count().checked_mul(WORD_BYTES) }
}

/// Where the encoding of a dynamic value that begins at `at` ends.
fn tail_end(kind: &SolType, data: &[u8], at: usize) -> Option<usize> {
    match kind {
        SolType::Array(of, None) => {
            let (length, start) = (read_length(data, at)?, at + WORD_BYTES);
            array_end(of, length, data, start)
        }
        SolType::Array(of, Some(length)) => array_end(of, *length, data, at),
        SolType::Tuple(fields) => sequence_end(fields.iter().map(|field| &field.ty), data, at),
        _ => {
            let length = read_length(data, at)?.checked_next_multiple_of(WORD_BYTES)?;
            (at + WORD_BYTES).checked_add(length).filter(|end| *end <= data.len())
        }
    }
}

/// Where the encoding of a list ends. Its length is believed only if its heads are there.
fn array_end(of: &SolType, length: usize, data: &[u8], start: usize) -> Option<usize> {
    let end = length.checked_mul(head_size(of)?)?.checked_add(start)?;
    if end > data.len() {
        return None;
    }
    if of.is_dynamic() { sequence_end((0..length).map(|_| of), data, start) } else { Some(end) }
}

/// The word at `at`, if it is a number that a length could be.
fn read_length(data: &[u8], at: usize) -> Option<usize> {
    let bytes = data.get(at..at.checked_add(WORD_BYTES)?)?;
    usize::try_from(U256::from_be_slice(bytes)).ok()
}

fn to_values(parameters: &[AbiParameter], decoded: Vec<DynSolValue>) -> Option<Vec<AbiValue>> {
    let pairs = parameters.iter().zip(decoded);
    pairs.map(|(parameter, decoded)| to_value(&parameter.ty, decoded)).collect()
}

fn to_value(kind: &SolType, decoded: DynSolValue) -> Option<AbiValue> {
    Some(match (kind, decoded) {
        (SolType::String, DynSolValue::Bytes(bytes)) => AbiValue::String(Bytes::from(bytes)),
        (_, DynSolValue::Bytes(bytes)) => AbiValue::Bytes(Bytes::from(bytes)),
        (_, DynSolValue::Bool(is)) => AbiValue::Bool(is),
        // The decoder keeps the whole word of these, and encodes it again as it was.
        (_, DynSolValue::Int(number, bits)) if is_sign_extended(number, bits) => {
            AbiValue::Int(number)
        }
        (_, DynSolValue::Uint(number, bits)) if number.bit_len() <= bits => AbiValue::Uint(number),
        (_, DynSolValue::FixedBytes(word, bytes)) if is_zero(word.get(bytes..)?) => {
            AbiValue::FixedBytes(word, bytes)
        }
        (_, DynSolValue::Function(function)) => AbiValue::FixedBytes(function.into_word(), 24),
        (_, DynSolValue::Address(address)) => AbiValue::Address(address),
        (SolType::Array(of, _), DynSolValue::Array(items) | DynSolValue::FixedArray(items)) => {
            let items = items.into_iter().map(|item| to_value(of, item)).collect::<Option<_>>()?;
            AbiValue::Array(Arc::clone(of), items)
        }
        (SolType::Tuple(fields), DynSolValue::Tuple(items)) => {
            AbiValue::Tuple(Arc::clone(fields), to_values(fields, items)?)
        }
        _ => return None,
    })
}

/// Whether calldata or revert data can be all ABI: whole words, or what is behind them is padding.
pub(super) fn is_abi_like(data: &[u8], trailing: usize) -> bool {
    let tail = data.len().checked_sub(trailing).and_then(|start| data.get(start..));
    data.len().is_multiple_of(WORD_BYTES) || tail.is_some_and(is_zero)
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| *b == 0)
}

/// Whether a number of so many bits fills its word with its sign.
fn is_sign_extended(number: I256, bits: usize) -> bool {
    let size = if number.is_negative() { !number.into_raw() } else { number.into_raw() };
    size.bit_len() < bits
}
