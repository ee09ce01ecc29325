//! Decodes revert data: as `Error(string)` or `Panic(uint256)`, else as an error of a known ABI, else as plain text,
//! which contracts in assembly return. Other data keep their selector and their size.

use super::decode::read_length;
use super::selector::{PANIC_SELECTOR, Selector, panic_text};
use super::signatures::SignatureDb;
use super::value::{DecodedCall, utf8_prefix};
use crate::chain::U256;
use crate::messages::trace_problem;
use crate::sanitize::SafeText;

const MAX_MESSAGE_BYTES: usize = 10_000;
const ERROR_SELECTOR: Selector = [0x08, 0xc3, 0x79, 0xa0];

#[derive(Debug, Clone, PartialEq)]
pub enum DecodedRevert {
    Empty,
    /// `Error(string)`: `require` or `revert` with a message.
    Message(SafeText),
    /// `Panic(uint256)`: a failed check of the compiler's.
    Panic(U256),
    Custom(DecodedCall),
    /// Printable ASCII that is not ABI-encoded.
    Text(SafeText),
    Unknown {
        selector: Option<Selector>,
        bytes: usize,
    },
}

impl SignatureDb {
    pub fn revert_reason(&self, data: &[u8]) -> DecodedRevert {
        let (selector, rest) = match data.split_first_chunk::<4>() {
            Some((selector, rest)) => (Some(*selector), rest),
            None if data.is_empty() => return DecodedRevert::Empty,
            None => (None, data),
        };
        let built_in = match selector {
            Some(ERROR_SELECTOR) => decode_message(rest).map(DecodedRevert::Message),
            Some(PANIC_SELECTOR) => decode_panic(rest),
            _ => None,
        };
        built_in
            .or_else(|| self.decode_error(data).map(DecodedRevert::Custom))
            .or_else(|| decode_plain_text(data).map(DecodedRevert::Text))
            .unwrap_or(DecodedRevert::Unknown { selector, bytes: data.len() })
    }
}

impl DecodedRevert {
    pub fn describe(&self) -> SafeText {
        match self {
            Self::Empty => trace_problem::REVERTED_WITHOUT_REASON.into(),
            Self::Message(text) if text.trim().is_empty() => {
                SafeText::new(&format!("Error(\"{text}\")"))
            }
            Self::Message(text) | Self::Text(text) => text.clone(),
            Self::Panic(code) => panic_text(*code),
            Self::Custom(decoded) => decoded.summary(),
            Self::Unknown { selector, bytes } => {
                let selector =
                    selector.map(|selector| format!("{:#010x} ", u32::from_be_bytes(selector)));
                let plural = if *bytes == 1 { "" } else { "s" };
                SafeText::new(&format!("{}({bytes} byte{plural})", selector.unwrap_or_default()))
            }
        }
    }
}

/// Decodes the string of `Error(string)`. The padding is optional: hand-written assembly often omits
/// it.
fn decode_message(data: &[u8]) -> Option<SafeText> {
    let offset = read_length(data, 0)?;
    let length = read_length(data, 32)?;
    let text = data.get(64..64_usize.checked_add(length)?)?;
    (offset == 32)
        .then(|| SafeText::new(&String::from_utf8_lossy(utf8_prefix(text, MAX_MESSAGE_BYTES))))
}

fn decode_panic(data: &[u8]) -> Option<DecodedRevert> {
    let code = <[u8; 32]>::try_from(data).ok()?;
    Some(DecodedRevert::Panic(U256::from_be_bytes(code)))
}

/// Decodes plain text, which may be padded with zeros to whole words.
fn decode_plain_text(data: &[u8]) -> Option<SafeText> {
    let end = data.iter().rposition(|b| *b != 0)? + 1;
    let text = std::str::from_utf8(&data[..end.min(MAX_MESSAGE_BYTES)]).ok()?;
    let printable = text.bytes().all(|b| (0x20..0x7f).contains(&b));
    (printable && data.len() - end < 32).then(|| SafeText::new(text))
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{hex, keccak256};

    use super::*;

    fn describe(data: &str) -> String {
        let mut db = SignatureDb::builtin();
        for error in [
            "error InsufficientBalance(address who, uint256 have, uint256 want)",
            "error Slippage(uint256 got, uint256 min)",
            "error NoPool(address a, address b)",
            "error Unauthorized(address who, uint256 level)",
            "error Nested(bytes inner)",
        ] {
            db.add_signature(error).unwrap();
        }
        db.revert_reason(&hex::decode(data).unwrap()).describe().to_string()
    }

    /// Revert data of transactions on the demo chain: see their hashes in its `NOTABLE.md`.
    #[test]
    fn demo_chain_reverts_are_decoded() {
        for (data, expected) in [
            // deep_error_string
            (
                "08c379a0000000000000000000000000000000000000000000000000000000000000002000000000000000000000000000000000000000000000000000000000000000315468726f7765723a20736f6d657468696e672077656e742077726f6e672c2062656361757365206f6620726561736f6e73000000000000000000000000000000",
                "Thrower: something went wrong, because of reasons",
            ),
            // thrower_errorUnicode
            (
                "08c379a000000000000000000000000000000000000000000000000000000000000000200000000000000000000000000000000000000000000000000000000000000016e5a4b1e6959720f09f92a520e28094206e61c3af766500000000000000000000",
                "失敗 💥 — naïve",
            ),
            // deep_panic
            (
                "4e487b710000000000000000000000000000000000000000000000000000000000000001",
                "Panic(0x01): assertion failed",
            ),
            // swap_slippage
            (
                "2746152a0000000000000000000000000000000000000000000000000000000000000996000000000000000000000000000000000000000c9f2c9cd04674edea40000000",
                "Slippage(2454, 1000000000000000000000000000000)",
            ),
            // erc20_insufficient
            (
                "db42144d000000000000000000000000a0ee7a142d267c1f36714e4a8f75612f20a79720000000000000000000000000000000000000000000000000000000e8d495cdc00000000000000000000000000000000000000000000000000de0b6b3a7640000",
                "InsufficientBalance(0xa0Ee7A142d267C1f36714E4a8F75612F20a79720, 999999000000, 1000000000000000000)",
            ),
            // deep_custom
            (
                "da4720230000000000000000000000001eb835eb7beeee9e6bbfe08f16a2d2ef668204bd000000000000000000000000000000000000000000000000000000000000002a",
                "Unauthorized(0x1Eb835EB7BEEEE9E6bbFe08F16a2d2eF668204bd, 42)",
            ),
        ] {
            assert_eq!(describe(data), expected);
        }
    }

    #[test]
    fn panic_with_other_parameters_is_the_contracts_own() {
        let mut db = SignatureDb::builtin();
        for error in ["error Panic(uint8 code)", "error Nested(bytes inner)"] {
            db.add_signature(error).unwrap();
        }
        let encoded = |signature: &str, rest: &[u8]| [&keccak256(signature)[..4], rest].concat();
        let word = |n: u8| U256::from(n).to_be_bytes::<32>();
        for (panic, described) in
            [("Panic(uint8)", "Panic(1)"), ("Panic(uint256)", "Panic(0x01): assertion failed")]
        {
            let data = encoded(panic, &word(1));
            assert_eq!(&*db.revert_reason(&data).describe(), described);
            let inner = [&word(32)[..], &word(36), &data, &[0; 28]].concat();
            let nested = db.revert_reason(&encoded("Nested(bytes)", &inner)).describe();
            assert!(nested.contains(described), "{nested}");
        }
    }

    #[test]
    fn unknown_data_are_described_by_size() {
        assert_eq!(describe(""), "reverted without a reason");
        assert_eq!(describe("ff"), "(1 byte)");
        assert_eq!(describe(&"00".repeat(20_000)), "0x00000000 (20000 bytes)");
        assert_eq!(describe("fdfdfdfd01"), "0xfdfdfdfd (5 bytes)");
        assert_eq!(describe(&hex::encode("NOT_ENOUGH\0\0")), "NOT_ENOUGH");
        assert_eq!(describe(&format!("4e487b71{}", "00".repeat(31) + "99")), "Panic(0x99)");
        // A length beyond the data, and a string without padding.
        let error =
            |length: &str| format!("08c379a0{}20{}{length}6e6f", "00".repeat(31), "00".repeat(31));
        assert_eq!(describe(&error("03")), "0x08c379a0 (70 bytes)");
        assert_eq!(describe(&error("02")), "no");
        assert_eq!(describe(&error("00")), "Error(\"\")", "an empty reason is not nothing");
        let elsewhere = error("02").replacen("20", "40", 1);
        assert_eq!(describe(&elsewhere), "0x08c379a0 (70 bytes)", "the text is not at its offset");
    }

    #[test]
    fn plain_text_is_padded_to_a_word_at_most() {
        for (zeros, described) in [(31, "NOT_ENOUGH"), (32, "0x4e4f545f (42 bytes)")] {
            let data = hex::encode(["NOT_ENOUGH", &"\0".repeat(zeros)].concat());
            assert_eq!(describe(&data), described);
        }
    }

    #[test]
    fn message_of_any_length_is_bounded() {
        let length = MAX_MESSAGE_BYTES + 1;
        let text = hex::encode("a".repeat(length));
        let message = describe(&format!("08c379a0{:064x}{length:064x}{text}", 32));
        assert_eq!(message.len(), MAX_MESSAGE_BYTES);
    }
}
