//! Calls of precompiled contracts, which have small numbers as addresses.

use super::value::{AbiValue, Argument};
use crate::chain::{Address, B256, Bytes, U256};
use crate::sanitize::SafeText;

/// Names by address, from 1.
const PRECOMPILE_NAMES: [&str; 17] = [
    "ecrecover",
    "sha256",
    "ripemd160",
    "identity",
    "modexp",
    "ecadd",
    "ecmul",
    "ecpairing",
    "blake2f",
    "kzg_point_evaluation",
    "bls12_g1add",
    "bls12_g1msm",
    "bls12_g2add",
    "bls12_g2msm",
    "bls12_pairing_check",
    "bls12_map_fp_to_g1",
    "bls12_map_fp2_to_g2",
];
const P256_NAME: &str = "p256verify";
/// The address of the secp256r1 precompile (RIP-7212). Some chains have something else there.
const P256_ADDRESS: u64 = 0x100;
const P256_INPUT_BYTES: usize = 160;

#[derive(Debug, Clone, PartialEq)]
pub struct Precompile {
    pub name: &'static str,
    pub arguments: Vec<Argument>,
}

/// Returns `true` if the name of a precompiled contract contains `part`.
pub fn is_in_precompile_name(part: &str) -> bool {
    PRECOMPILE_NAMES.iter().chain([&P256_NAME]).any(|name| name.contains(part))
}

/// Returns the number of a precompiled contract. `0x100` is one on some chains only.
pub fn precompile_number(address: &Address) -> Option<u64> {
    let number = u64::try_from(U256::from_be_slice(address.as_slice())).ok()?;
    let is_named = (1..=PRECOMPILE_NAMES.len() as u64).contains(&number);
    (is_named || number == P256_ADDRESS).then_some(number)
}

/// Decodes a call if `address` is a precompiled contract. `0x100` is one on some chains only, and is
/// recognised if the input has the right length.
pub fn decode_precompile(address: &Address, input: &[u8]) -> Option<Precompile> {
    let number = precompile_number(address)?;
    if number == P256_ADDRESS {
        let arguments = word_arguments(input, &["hash", "r", "s", "qx", "qy"]);
        let fits = input.len() == P256_INPUT_BYTES;
        return fits.then_some(Precompile { name: P256_NAME, arguments });
    }
    let name = PRECOMPILE_NAMES.get(usize::try_from(number.checked_sub(1)?).ok()?)?;
    let arguments = match number {
        1 => ecrecover_arguments(input),
        2..=4 => vec![bytes_argument("data", input)],
        5 => modexp_arguments(input),
        _ => Vec::new(),
    };
    Some(Precompile { name, arguments })
}

/// Returns the word at offset `at`. Missing input counts as zeros.
fn word_at(input: &[u8], at: usize) -> B256 {
    let rest = input.get(at..).unwrap_or_default();
    let given = rest.get(..32).unwrap_or(rest);
    B256::right_padding_from(given)
}

fn word_arguments(input: &[u8], names: &[&str]) -> Vec<Argument> {
    let one = |(n, name): (usize, &&str)| bytes32_argument(name, word_at(input, n * 32));
    names.iter().enumerate().map(one).collect()
}

fn ecrecover_arguments(input: &[u8]) -> Vec<Argument> {
    vec![
        bytes32_argument("hash", word_at(input, 0)),
        uint_argument("v", word_at(input, 32).into()),
        bytes32_argument("r", word_at(input, 64)),
        bytes32_argument("s", word_at(input, 96)),
    ]
}

/// Decodes three lengths and as much of the three numbers as the input contains.
fn modexp_arguments(input: &[u8]) -> Vec<Argument> {
    let [base, exponent, modulus] = [0, 32, 64].map(|at| word_at(input, at).into());
    let mut rest = input.get(96..).unwrap_or_default();
    let mut take = |length: U256| {
        let length = usize::try_from(length).unwrap_or(usize::MAX).min(rest.len());
        let (number, after) = rest.split_at(length);
        rest = after;
        number
    };
    vec![
        uint_argument("base length", base),
        uint_argument("exponent length", exponent),
        uint_argument("modulus length", modulus),
        bytes_argument("base", take(base)),
        bytes_argument("exponent", take(exponent)),
        bytes_argument("modulus", take(modulus)),
    ]
}

fn new_argument(name: &str, type_name: &str, value: AbiValue) -> Argument {
    Argument { name: SafeText::new(name), type_name: SafeText::new(type_name), value }
}

fn bytes32_argument(name: &str, word: B256) -> Argument {
    new_argument(name, "bytes32", AbiValue::FixedBytes(word, 32))
}

fn uint_argument(name: &str, number: U256) -> Argument {
    new_argument(name, "uint256", AbiValue::Uint(number))
}

fn bytes_argument(name: &str, data: &[u8]) -> Argument {
    new_argument(name, "bytes", AbiValue::Bytes(Bytes::copy_from_slice(data)))
}

#[cfg(test)]
mod tests {
    use alloy_primitives::hex;
    use proptest::prelude::*;

    use super::*;

    fn shown(number: u64, input: &[u8]) -> Option<String> {
        let call = decode_precompile(&Address::from_word(U256::from(number).into()), input)?;
        let one = |argument: &Argument| format!("{} {}", argument.name, argument.value.summary());
        let arguments: Vec<String> = call.arguments.iter().map(one).collect();
        Some(format!("{}({})", call.name, arguments.join(", ")))
    }

    #[test]
    fn precompiles_have_names_and_arguments() {
        let mut input = hex!("0001").repeat(16);
        input.extend(U256::from(27).to_be_bytes::<32>());
        input.push(0xff);
        let hash = "0001".repeat(16);
        let zeroes = "00".repeat(32);
        let r = format!("ff{}", "00".repeat(31));
        assert_eq!(
            shown(1, &input),
            Some(format!("ecrecover(hash 0x{hash}, v 27, r 0x{r}, s 0x{zeroes})"))
        );
        assert_eq!(shown(2, b"hi").as_deref(), Some("sha256(data 0x6869)"));
        // From the transaction `precompiles` of the demo chain.
        let mut input = [1_u8, 1, 2].map(|n| U256::from(n).to_be_bytes::<32>()).concat();
        input.extend([3, 200, 0xff, 0xf1]);
        assert_eq!(
            shown(5, &input).as_deref(),
            Some(
                "modexp(base length 1, exponent length 1, modulus length 2, base 0x03, exponent 0xc8, modulus 0xfff1)"
            )
        );
        assert_eq!(shown(0x11, b"").as_deref(), Some("bls12_map_fp2_to_g2()"));
        assert_eq!(shown(0, b""), None);
        assert_eq!(shown(0x12, b""), None);
        assert_eq!(shown(4, b"hi").as_deref(), Some("identity(data 0x6869)"));
        assert_eq!([159, 161].map(|bytes| shown(0x100, &vec![1; bytes])), [None, None]);
        assert!(shown(0x100, &[1; 160]).unwrap().starts_with("p256verify(hash 0x0101"));
        assert!(decode_precompile(&Address::repeat_byte(1), b"").is_none());
    }

    proptest! {
        #[test]
        fn any_input_is_decoded(number in 1_u64..=0x11, input in prop::collection::vec(any::<u8>(), 0..300)) {
            prop_assert!(shown(number, &input).is_some());
        }
    }
}
