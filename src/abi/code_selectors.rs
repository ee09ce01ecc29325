//! Finds the selectors that a contract's code compares with its calldata.
//!
//! The code is not run: a constant of four bytes before a comparison is taken for a selector, as the dispatchers of
//! compilers push it there. Bytes of data may look the same, so that a selector more than the contract has is possible.

use super::selector::Selector;

const PUSH1: u8 = 0x60;
const PUSH32: u8 = 0x7f;
const SUB: u8 = 0x03;
const EQ: u8 = 0x14;
const XOR: u8 = 0x18;
/// Maximum selectors. Dispatchers have fewer.
const MAX_SELECTORS: usize = 2_000;

/// Returns the selectors in the order of the code: compared constants of four bytes, or of three if the
/// first byte is zero.
pub fn code_selectors(code: &[u8]) -> Vec<Selector> {
    let mut found = Vec::new();
    let mut rest = code;
    while let [opcode, after @ ..] = rest {
        let length = match *opcode {
            PUSH1..=PUSH32 => usize::from(*opcode - PUSH1) + 1,
            _ => 0,
        };
        let (constant, next) = after.split_at_checked(length).unwrap_or((after, &[]));
        if let Some(selector) = compared_selector(constant, next)
            && !found.contains(&selector)
            && found.len() < MAX_SELECTORS
        {
            found.push(selector);
        }
        rest = next;
    }
    found
}

fn compared_selector(constant: &[u8], next: &[u8]) -> Option<Selector> {
    let next = match next {
        // The operands are swapped or copied first.
        [0x80..=0x9f, next @ ..] | next => next.first()?,
    };
    match (constant, *next) {
        (&[a, b, c, d], EQ | SUB | XOR) if [a, b, c, d] != [0xff; 4] => Some([a, b, c, d]),
        (&[b, c, d], EQ) => Some([0, b, c, d]),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::hex;

    use super::*;

    #[test]
    fn dispatchers_of_compilers_are_read() {
        for (code, expected) in [
            // solc: a linear dispatcher, a leading zero, and a single function.
            (
                "5f3560e01c806370a08231146101d457508063853828b6146100a7",
                vec!["70a08231", "853828b6"],
            ),
            (
                "5f3560e01c908162f714ce146108f057508063017e7e58146108c8",
                vec!["00f714ce", "017e7e58"],
            ),
            ("5f3560e01c6394e4a8220361000e57", vec!["94e4a822"]),
            // vyper
            ("5f3560e01c6306fdde038118610060575b", vec!["06fdde03"]),
            // A constant inside another one, and a mask.
            ("6963aabbccdd146000600016", vec![]),
            ("63ffffffff16", vec![]),
            ("63ffffffff14", vec![]),
            // Cut off.
            ("63aabb", vec![]),
            ("63aabbccdd", vec![]),
            ("", vec![]),
        ] {
            let found: Vec<String> =
                code_selectors(&hex::decode(code).unwrap()).iter().map(hex::encode).collect();
            assert_eq!(found, expected, "{code}");
        }
    }
}
