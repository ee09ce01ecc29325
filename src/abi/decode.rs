//! Decodes ABI-encoded bytes, if they have the layout that compilers produce.

use std::sync::Arc;

use alloy_dyn_abi::{DynSolType, DynSolValue};
use alloy_primitives::I256;

use super::sol_type::{AbiParameter, SolType, tuple_dyn_type};
use super::value::AbiValue;
use crate::chain::{Bytes, U256, WORD_BYTES};

pub(super) struct DecodedValues {
    pub(super) values: Vec<AbiValue>,
    pub(super) trailing_bytes: usize,
}

/// Decodes the values at the start of `data`. Returns `None` if encoding them again would not give the
/// same bytes.
pub(super) fn decode(parameters: &[AbiParameter], data: &[u8]) -> Option<DecodedValues> {
    if parameters.is_empty() {
        return Some(DecodedValues { values: Vec::new(), trailing_bytes: data.len() });
    }
    // The decoder follows any offset, and a few offsets to the same bytes make an array of any size. So
    // the layout is checked first.
    let end = sequence_end(parameters.iter().map(|parameter| &parameter.ty), data, 0)?;
    let encoded = data.get(..end)?;
    let decoded = tuple_dyn_type(parameters).abi_decode_params(encoded).ok()?;
    if decoded.abi_encode_params() != encoded {
        return None;
    }
    let DynSolValue::Tuple(decoded) = decoded else { return None };
    let values = to_values(parameters, decoded)?;
    Some(DecodedValues { values, trailing_bytes: data.len() - end })
}

/// Returns the end of the encoding of `types` that starts at `base`, if each part directly follows the
/// previous one.
fn sequence_end<'a>(
    types: impl Iterator<Item = &'a SolType> + Clone,
    data: &[u8],
    base: usize,
) -> Option<usize> {
    let heads = types.clone().try_fold(0_usize, |sum, ty| sum.checked_add(head_size(ty)?))?;
    let mut head = base;
    let mut tail = base.checked_add(heads)?;
    if tail > data.len() {
        return None;
    }
    for ty in types {
        if ty.is_dynamic() {
            if read_length(data, head)? != tail - base {
                return None;
            }
            tail = tail_end(ty, data, tail)?;
        }
        head += head_size(ty)?;
    }
    Some(tail)
}

/// Returns the bytes of a value in the head of a sequence: an offset if it is dynamic.
fn head_size(ty: &SolType) -> Option<usize> {
    if ty.is_dynamic() { Some(WORD_BYTES) } else { ty.value_count().checked_mul(WORD_BYTES) }
}

fn tail_end(ty: &SolType, data: &[u8], at: usize) -> Option<usize> {
    match ty {
        SolType::Array(item, None) => {
            array_end(item, read_length(data, at)?, data, at + WORD_BYTES)
        }
        SolType::Array(item, Some(length)) => array_end(item, *length, data, at),
        SolType::Tuple(fields) => sequence_end(fields.iter().map(|field| &field.ty), data, at),
        SolType::Elementary(_) => {
            let length = read_length(data, at)?.checked_next_multiple_of(WORD_BYTES)?;
            (at + WORD_BYTES).checked_add(length).filter(|end| *end <= data.len())
        }
    }
}

/// Returns the end of an array's encoding, or `None` if the data is too short for its length.
fn array_end(item: &SolType, length: usize, data: &[u8], start: usize) -> Option<usize> {
    let end = length.checked_mul(head_size(item)?)?.checked_add(start)?;
    if end > data.len() {
        return None;
    }
    if item.is_dynamic() { sequence_end((0..length).map(|_| item), data, start) } else { Some(end) }
}

pub(super) fn read_length(data: &[u8], at: usize) -> Option<usize> {
    let bytes = data.get(at..at.checked_add(WORD_BYTES)?)?;
    usize::try_from(U256::from_be_slice(bytes)).ok()
}

fn to_values(parameters: &[AbiParameter], decoded: Vec<DynSolValue>) -> Option<Vec<AbiValue>> {
    let pairs = parameters.iter().zip(decoded);
    pairs.map(|(parameter, decoded)| to_value(&parameter.ty, decoded)).collect()
}

fn to_value(ty: &SolType, decoded: DynSolValue) -> Option<AbiValue> {
    Some(match (ty, decoded) {
        (SolType::Elementary(DynSolType::String), DynSolValue::Bytes(bytes)) => {
            AbiValue::String(Bytes::from(bytes))
        }
        (_, DynSolValue::Bytes(bytes)) => AbiValue::Bytes(Bytes::from(bytes)),
        (_, DynSolValue::Bool(is)) => AbiValue::Bool(is),
        // The decoder keeps the whole word of these types, also the bits outside the type.
        (_, DynSolValue::Int(number, bits)) if is_sign_extended(number, bits) => {
            AbiValue::Int(number)
        }
        (_, DynSolValue::Uint(number, bits)) if number.bit_len() <= bits => AbiValue::Uint(number),
        (_, DynSolValue::FixedBytes(word, bytes)) if is_zero(word.get(bytes..)?) => {
            AbiValue::FixedBytes(word, bytes)
        }
        (_, DynSolValue::Function(function)) => AbiValue::FixedBytes(function.into_word(), 24),
        (_, DynSolValue::Address(address)) => AbiValue::Address(address),
        (
            SolType::Array(item_type, _),
            DynSolValue::Array(items) | DynSolValue::FixedArray(items),
        ) => {
            let items =
                items.into_iter().map(|item| to_value(item_type, item)).collect::<Option<_>>()?;
            AbiValue::Array(Arc::clone(item_type), items)
        }
        (SolType::Tuple(fields), DynSolValue::Tuple(items)) => {
            AbiValue::Tuple(Arc::clone(fields), to_values(fields, items)?)
        }
        _ => return None,
    })
}

/// Returns `true` if the data has the shape of an ABI encoding: whole words, or zeros as padding.
pub(super) fn is_abi_like(data: &[u8], trailing: usize) -> bool {
    let tail = data.len().checked_sub(trailing).and_then(|start| data.get(start..));
    data.len().is_multiple_of(WORD_BYTES) || tail.is_some_and(is_zero)
}

fn is_zero(bytes: &[u8]) -> bool {
    bytes.iter().all(|b| *b == 0)
}

/// Returns `true` if a number fits in `bits` bits, with its sign in the rest of the word.
fn is_sign_extended(number: I256, bits: usize) -> bool {
    let magnitude = if number.is_negative() { !number.into_raw() } else { number.into_raw() };
    magnitude.bit_len() < bits
}

/// Decodes what a function without parameters returned, such as the name of a token: a `string`, or a `bytes32` as
/// old tokens return.
pub fn returned_text(answer: &[u8]) -> Option<String> {
    let (first, rest) = answer.split_first_chunk::<32>()?;
    if rest.is_empty() {
        let end = first.iter().rposition(|byte| *byte != 0)? + 1;
        return Some(String::from_utf8_lossy(&first[..end]).into_owned());
    }
    let word = |at: usize| {
        let word = answer.get(at..at.checked_add(32)?)?;
        usize::try_from(U256::from_be_slice(word)).ok()
    };
    let start = word(0)?;
    let length = word(start)?;
    let text = answer.get(start + 32..(start + 32).checked_add(length)?)?;
    Some(String::from_utf8_lossy(text).into_owned())
}

#[cfg(test)]
mod tests {
    use alloy_primitives::hex;

    use super::*;

    #[test]
    fn answers_of_another_layout_are_no_text() {
        let text = |digits: &str| returned_text(&hex::decode(digits).unwrap());
        let old = format!("{}{}", "4d4b52", "0".repeat(58));
        assert_eq!(text(&old).as_deref(), Some("MKR"));
        let new = format!("{:064x}{:064x}{}{}", 32, 3, "4d4b52", "0".repeat(58));
        assert_eq!(text(&new).as_deref(), Some("MKR"));
        let cut = format!("{:064x}{:064x}{}", 32, 40, "4d".repeat(32));
        let far = format!("{}{}", "f".repeat(64), "0".repeat(64));
        for other in ["", "00", &"0".repeat(64), &cut, &far] {
            assert_eq!(text(other), None, "{other}");
        }
    }
}
