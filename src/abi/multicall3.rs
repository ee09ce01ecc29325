//! Many calls in one, by the contract Multicall3, which most chains have at the same address.
//!
//! `net::approval_list` reads allowances with it, and `net::past_balances` the balances at an earlier block.

use alloy_dyn_abi::{DynSolType, DynSolValue};
use alloy_primitives::hex;

use crate::chain::{Address, Bytes, U256, address};

/// The address of Multicall3.
pub const MULTICALL3: Address = address!("cA11bde05977b3631167028862bE2a173976CA11");

/// Maximum bytes of an answer. A few offsets to the same bytes make results of any size of a larger one.
const MAX_ANSWER_BYTES: usize = 1 << 20;

/// `aggregate3((address,bool,bytes)[])`
const AGGREGATE3: [u8; 4] = hex!("82ad56cb");

/// Encodes a call of Multicall3 that makes other calls, of which each may fail.
pub fn encode_calls<'a>(calls: impl IntoIterator<Item = (Address, &'a Bytes)>) -> Bytes {
    let call = |(to, data): (Address, &Bytes)| {
        let data = DynSolValue::Bytes(data.to_vec());
        DynSolValue::Tuple(vec![to.into(), true.into(), data])
    };
    let calls = DynSolValue::Array(calls.into_iter().map(call).collect());
    let arguments = DynSolValue::Tuple(vec![calls]).abi_encode_params();
    [&AGGREGATE3[..], &arguments].concat().into()
}

/// Decodes the answer to so many calls: the data that each returned, or `None` of a failed one. Returns `None`
/// if it is not an answer of Multicall3.
pub fn decode_results(answer: &[u8], calls: usize) -> Option<Vec<Option<Bytes>>> {
    // The array begins behind its offset, with the number of its items.
    let count = answer.get(32..64).map(U256::from_be_slice)?;
    if answer.len() > MAX_ANSWER_BYTES || count != U256::from(calls) {
        return None;
    }
    let result = DynSolType::Tuple(vec![DynSolType::Bool, DynSolType::Bytes]);
    let results = DynSolType::Tuple(vec![DynSolType::Array(Box::new(result))]);
    let DynSolValue::Tuple(mut decoded) = results.abi_decode_params(answer).ok()? else {
        return None;
    };
    let DynSolValue::Array(results) = decoded.pop()? else { return None };
    let returned = |result: DynSolValue| match result {
        DynSolValue::Tuple(parts) => match <[DynSolValue; 2]>::try_from(parts) {
            Ok([DynSolValue::Bool(true), DynSolValue::Bytes(data)]) => Some(data.into()),
            _ => None,
        },
        _ => None,
    };
    Some(results.into_iter().map(returned).collect())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_are_encoded_as_multicall3_takes_them() {
        let to = Address::repeat_byte(0x11);
        let data = Bytes::from_static(&[0x18, 0x16, 0x0d, 0xdd]);
        let word = |number: u64| format!("{number:064x}");
        let expected = [
            "82ad56cb".to_owned(),
            word(0x20),
            word(1),
            word(0x20),
            format!("{:0>64}", "11".repeat(20)),
            word(1),
            word(0x60),
            word(4),
            format!("{:0<64}", "18160ddd"),
        ]
        .concat();
        assert_eq!(hex::encode(encode_calls([(to, &data)])), expected);
    }

    #[test]
    fn only_answers_to_all_calls_are_decoded() {
        let result = |success: bool, data: &[u8]| {
            DynSolValue::Tuple(vec![success.into(), DynSolValue::Bytes(data.to_vec())])
        };
        let results = DynSolValue::Array(vec![result(true, &[7]), result(false, &[1])]);
        let answer = DynSolValue::Tuple(vec![results]).abi_encode_params();
        let seven = Bytes::from_static(&[7]);
        assert_eq!(decode_results(&answer, 2), Some(vec![Some(seven), None]));
        assert_eq!(decode_results(&answer, 3), None);
        for other in [&[][..], &[0; 31], &[0xff; 64], &answer[..answer.len() - 33]] {
            assert_eq!(decode_results(other, 2), None);
        }
        let large = DynSolValue::Array(vec![result(true, &vec![0; MAX_ANSWER_BYTES])]);
        let large = DynSolValue::Tuple(vec![large]).abi_encode_params();
        assert_eq!(decode_results(&large, 1), None);
    }
}
