//! Data that a user types or pastes to have it decoded: hex digits, a signature or a number.
//!
//! Only the form of the text counts here. The meanings of the data follow from signatures.

use std::fmt;
use std::str::FromStr;

use alloy_primitives::hex;

use super::decimal::Decimal;
use super::target::{LinkedChain, ParseTargetError, Target, TargetOrName};
use super::time_input::TimeInput;
use super::{Address, Bytes, U256};
use crate::sanitize::SafeText;

/// Maximum bytes that are decoded. Blocks limit transactions to less, apart from their blobs.
const MAX_DATA_BYTES: usize = 1 << 20;
/// Maximum characters of the text: hex digits, with space around each word.
pub const MAX_DATA_CHARS: usize = 2 * MAX_DATA_BYTES + (MAX_DATA_BYTES >> 4);
const HASH_BYTES: usize = 32;
/// Digits of an address or a hash with one too few or too many.
const MISCOUNTED_DIGITS: [usize; 4] = [39, 41, 63, 65];
/// Fewer digits without `0x` are a word such as `beef`.
const MIN_BARE_DIGITS: usize = 8;
/// Digits of the largest number.
const MAX_NUMBER_DIGITS: usize = 64;
/// Digits of a Unix time. A block number has fewer.
const TIMESTAMP_DIGITS: usize = 10;
/// Maximum characters of a signature.
const MAX_SIGNATURE_CHARS: usize = 8_192;
/// The newest block, as JSON-RPC calls it.
pub const LATEST_BLOCK: &str = "latest";
/// Units after a number, with their decimals.
const UNITS: [(&str, usize); 4] = [("gwei", 9), ("wei", 0), ("ether", 18), ("eth", 18)];

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum DataInput {
    Bytes(Bytes),
    /// A declaration of a function, an error or an event, as it was typed.
    Signature(SafeText),
    Number(U256),
}

/// Data that cannot be decoded.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum DataInputError {
    Unknown,
    /// Hex digits with half a byte.
    OddDigits(usize),
    TooLong,
    /// A decimal number of more than 256 bits.
    TooLarge,
}

impl FromStr for DataInput {
    type Err = DataInputError;

    fn from_str(text: &str) -> Result<Self, DataInputError> {
        let text = text.trim();
        if text.len() > MAX_DATA_CHARS {
            return Err(DataInputError::TooLong);
        }
        if let Some(number) = parse_number(text) {
            return Ok(Self::Number(number));
        }
        if is_large_number(text) {
            return Err(DataInputError::TooLarge);
        }
        match hex_digits(text) {
            Some(digits) => Self::from_digits(&digits),
            None if is_signature(text) => Ok(Self::Signature(text.into())),
            None => Err(DataInputError::Unknown),
        }
    }
}

/// Formats the data as text that is parsed as the same again.
impl fmt::Display for DataInput {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            // With 0x it would be a hash.
            Self::Bytes(bytes) if bytes.len() == HASH_BYTES => f.write_str(&hex::encode(bytes)),
            Self::Bytes(bytes) => bytes.fmt(f),
            Self::Signature(text) => text.fmt(f),
            Self::Number(number) => write!(f, "{number} wei"),
        }
    }
}

impl DataInput {
    /// Parses data that cannot be meant as an address, a hash, a block or a name.
    fn parse_unambiguous(text: &str) -> Result<Self, DataInputError> {
        let text = text.trim();
        let is_plain = text.bytes().all(|b| b.is_ascii_digit());
        let digits = hex_digits(text).filter(|_| !is_plain).unwrap_or_default().len();
        if MISCOUNTED_DIGITS.contains(&digits) {
            return Err(DataInputError::OddDigits(digits));
        }
        let has_zero_x = text.starts_with("0x") || text.starts_with("0X");
        let has_digits = text.bytes().any(|b| b.is_ascii_digit());
        if is_plain && text.len() < TIMESTAMP_DIGITS || !is_plain && !has_zero_x && !has_digits {
            return match text.parse() {
                Ok(Self::Signature(text)) => Ok(Self::Signature(text)),
                _ => Err(DataInputError::Unknown),
            };
        }
        text.parse()
    }

    fn from_digits(digits: &str) -> Result<Self, DataInputError> {
        if !digits.len().is_multiple_of(2) {
            let number =
                U256::from_str_radix(digits, 16).ok().filter(|_| digits.len() < MAX_NUMBER_DIGITS);
            return number.map(Self::Number).ok_or(DataInputError::OddDigits(digits.len()));
        }
        if digits.len() > 2 * MAX_DATA_BYTES {
            return Err(DataInputError::TooLong);
        }
        let bytes = hex::decode(digits).map_err(|_| DataInputError::Unknown)?;
        Ok(Self::Bytes(bytes.into()))
    }
}

/// Text that opens a page.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum GoToInput {
    Place(TargetOrName),
    LatestBlock,
    /// The time of a block.
    Time(TimeInput),
    Data(DataInput),
}

#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum GoToError {
    #[error(transparent)]
    Target(#[from] ParseTargetError),
    #[error(transparent)]
    Data(#[from] DataInputError),
}

impl FromStr for GoToInput {
    type Err = GoToError;

    /// Parses a time or a place, or else data. A number as long as a Unix time is not taken for a block.
    fn from_str(text: &str) -> Result<Self, GoToError> {
        if text.trim().eq_ignore_ascii_case(LATEST_BLOCK) {
            return Ok(Self::LatestBlock);
        }
        if let Ok(time) = text.parse() {
            return Ok(Self::Time(time));
        }
        let data = DataInput::parse_unambiguous(text);
        if let Ok(number @ DataInput::Number(_)) = data {
            return Ok(Self::Data(number));
        }
        match (text.parse::<Target>(), data) {
            (Ok(target), _) => Ok(Self::Place(TargetOrName::Target(target))),
            (Err(unclear @ ParseTargetError::Unclear(_)), _) => Err(unclear.into()),
            // An address with spaces in it.
            (Err(_), Ok(DataInput::Bytes(bytes))) if bytes.len() == Address::len_bytes() => {
                Ok(Self::Place(TargetOrName::Target(bytes.to_string().parse()?)))
            }
            (Err(_), Ok(data)) => Ok(Self::Data(data)),
            (Err(_), Err(DataInputError::Unknown)) => Ok(Self::Place(text.parse()?)),
            (Err(_), Err(error)) => Err(error.into()),
        }
    }
}

impl GoToInput {
    pub fn linked_chain(&self) -> Option<&LinkedChain> {
        match self {
            Self::Place(place) => place.linked_chain(),
            Self::LatestBlock | Self::Time(_) | Self::Data(_) => None,
        }
    }
}

/// Returns the digits of hex in one or several words, each with `0x` or without. `None` if there is
/// anything else.
fn hex_digits(text: &str) -> Option<String> {
    let has_prefix = |word: &str| word.starts_with("0x") || word.starts_with("0X");
    let unquoted = text.trim_matches(['"', '\'', '`']);
    let text = unquoted.strip_prefix("hex\"").or(unquoted.strip_prefix("hex'")).unwrap_or(unquoted);
    let mut digits = String::with_capacity(text.len());
    // Line ends become signs in a line of input.
    let words = text.split(|c: char| c.is_whitespace() || matches!(c, '␊' | '␍' | '␉'));
    for word in words.filter(|word| !word.is_empty()) {
        let word = if has_prefix(word) { word.get(2..)? } else { word };
        if !word.bytes().all(|b| b.is_ascii_hexdigit()) {
            return None;
        }
        digits.push_str(word);
    }
    let is_long = digits.len() >= MIN_BARE_DIGITS || (has_prefix(text) && !digits.is_empty());
    is_long.then_some(digits)
}

/// Parses a decimal number, which may have grouped digits, an exponent and a unit.
fn parse_number(text: &str) -> Option<U256> {
    let lower = text.to_ascii_lowercase();
    let with_unit = UNITS
        .iter()
        .find_map(|(unit, decimals)| Some((lower.strip_suffix(unit)?.trim_end(), *decimals)));
    let (digits, decimals) = with_unit.unwrap_or((&lower, 0));
    // Words of hex may have no letters.
    let is_word = decimals == 0
        && with_unit.is_none()
        && digits.len() >= MAX_NUMBER_DIGITS
        && digits.len().is_multiple_of(MAX_NUMBER_DIGITS);
    let is_padded = digits.len() >= MIN_BARE_DIGITS && digits.starts_with("00");
    if is_word
        || is_padded
        || digits.len() > MAX_NUMBER_DIGITS * 2
        || !digits.starts_with(|c: char| c.is_ascii_digit())
    {
        return None;
    }
    let number: Decimal = digits.replace([',', '_'], "").parse().ok()?;
    number.to_units(decimals)
}

/// Returns `true` for decimal digits that are too many for a number, and no words of hex, which may be calldata.
fn is_large_number(text: &str) -> bool {
    let is_hex = matches!(text.len() % MAX_NUMBER_DIGITS, 0 | MIN_BARE_DIGITS);
    let is_long = (MAX_NUMBER_DIGITS + 1..=2 * MAX_NUMBER_DIGITS).contains(&text.len());
    is_long && !is_hex && !text.starts_with("00") && text.bytes().all(|byte| byte.is_ascii_digit())
}

/// Returns `true` for a name before parentheses, which may follow a keyword.
fn is_signature(text: &str) -> bool {
    let declaration = ["function ", "error ", "event "]
        .iter()
        .find_map(|word| text.strip_prefix(word))
        .unwrap_or(text)
        .trim_start();
    let name = declaration.split('(').next().unwrap_or_default().trim_end();
    let is_name = |name: &str| {
        let mut chars = name.chars();
        let first = chars.next().is_some_and(|c| c.is_ascii_alphabetic() || "_$".contains(c));
        first && chars.all(|c| c.is_ascii_alphanumeric() || "_$".contains(c))
    };
    declaration.contains('(') && is_name(name) && text.len() <= MAX_SIGNATURE_CHARS
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    fn parse(text: &str) -> Result<DataInput, DataInputError> {
        text.parse()
    }

    #[test]
    fn hex_is_recognized_in_every_spelling() {
        let bytes = DataInput::Bytes(Bytes::from_static(&[0xa9, 0x05, 0x9c, 0xbb, 0x00, 0xff]));
        for text in [
            "0xa9059cbb00ff",
            "0XA9059CBB00FF",
            " a9059cbb00ff\n",
            "0xa9059cbb 00ff",
            "0xa9059cbb\r\n  00ff\n",
            "0xa9059cbb␊00ff",
            "0xa9 0x05 0x9c 0xbb 0x00 0xff",
            "\"0xa9059cbb00ff\"",
            "hex\"a9059cbb00ff\"",
        ] {
            assert_eq!(parse(text), Ok(bytes.clone()), "{text}");
        }
        for text in ["", "0x", "cafe", "0xzz", "bob", "alice.eth", "a9059cbb0g", "0x12-34"] {
            assert_eq!(parse(text), Err(DataInputError::Unknown), "{text}");
        }
    }

    #[test]
    fn half_bytes_are_a_number_or_a_mistake() {
        assert_eq!(parse("0x123"), Ok(DataInput::Number(U256::from(0x123))));
        let odd = format!("0x{}", "1".repeat(137));
        assert_eq!(parse(&odd), Err(DataInputError::OddDigits(137)));
        let long = "0a".repeat(MAX_DATA_BYTES + 1);
        assert_eq!(parse(&long), Err(DataInputError::TooLong));
        assert_eq!(parse(&" ".repeat(9_000_000)), Err(DataInputError::Unknown));
    }

    #[test]
    fn numbers_have_units() {
        for (text, number) in [
            ("0", 0_u64),
            ("1700000000", 1_700_000_000),
            ("1,000_000", 1_000_000),
            ("1.5 gwei", 1_500_000_000),
            ("1.5gwei", 1_500_000_000),
            ("2 ETH", 2_000_000_000_000_000_000),
            ("7 wei", 7),
            ("1e9", 1_000_000_000),
        ] {
            assert_eq!(parse(text), Ok(DataInput::Number(U256::from(number))), "{text}");
        }
        // A word of hex may have no letters.
        let digits = U256::MAX.to_string();
        assert_eq!(parse(&digits), Ok(DataInput::Number(U256::MAX)));
        assert_eq!(parse(&digits.replace("935", "936")), Err(DataInputError::TooLarge));
        for text in ["1.5 wei", "gwei", "1.5 USDC", "-1", &"1".repeat(64), &"9".repeat(99)] {
            assert!(!matches!(parse(text), Ok(DataInput::Number(_))), "{text}");
        }
        assert!(matches!(parse(&"1".repeat(63)), Ok(DataInput::Number(_))));
    }

    #[test]
    fn names_and_blocks_are_not_data() {
        for text in ["12345678", "vitalik.eth", "USDC", "deadbeef", "facade", "0x", "1inch.eth"] {
            assert_eq!(DataInput::parse_unambiguous(text), Err(DataInputError::Unknown), "{text}");
        }
        for text in ["a9059cbb", "0x1", "1700000000", "f()", "event Transfer(address)", "2 gwei"] {
            assert!(DataInput::parse_unambiguous(text).is_ok(), "{text}");
        }
    }

    #[test]
    fn places_come_before_data() {
        let address = "f39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
        let hash = "0bbcd8ea5b312d9e1693f5e77a955f7dbf9c14bda6904452fbd0fdd01a64b5e5";
        let parse = |text: &str| text.parse::<GoToInput>();
        for place in [address, &format!("0x{hash}"), "333", "bob.eth", "deadbeef"] {
            assert!(matches!(parse(place), Ok(GoToInput::Place(_))), "{place}");
        }
        // A hash without 0x may be a private key: it is not searched for as a name.
        for data in [hash, "0xa9059cbb", "transfer(address,uint256)", "1700000000", "0x5"] {
            assert!(matches!(parse(data), Ok(GoToInput::Data(_))), "{data}");
        }
        for time in ["tomorrow", "2 fortnights ago", "2023/11/14", "25:00"] {
            assert_eq!(parse(time), Err(ParseTargetError::Time.into()), "{time}");
        }
        let two = format!("0x{address} 0x{hash}");
        for unclear in [two, format!("transfer(0x{address}, 0x{hash})")] {
            assert!(matches!(parse(&unclear), Err(GoToError::Target(_))), "{unclear}");
        }
        for (text, digits) in [(hash, 63), (hash, 65), (address, 39), (address, 41)] {
            let miscounted = [text, "1"].concat()[..digits].to_owned();
            for odd in [format!("0x{miscounted}"), miscounted] {
                assert_eq!(parse(&odd), Err(DataInputError::OddDigits(digits).into()), "{odd}");
            }
        }
    }

    proptest! {
        #[test]
        fn bytes_round_trip(bytes in prop::collection::vec(any::<u8>(), 1..200), width in 1_usize..80) {
            let digits = hex::encode(&bytes);
            let lines: Vec<&str> = digits.as_bytes().chunks(width * 2)
                .map(|line| std::str::from_utf8(line).unwrap()).collect();
            let expected = DataInput::Bytes(bytes.into());
            prop_assert_eq!(parse(&format!("0x{}", lines.join("\n"))), Ok(expected));
        }

        #[test]
        fn any_data_is_parsed_again_from_its_text(
            text in "\\PC*|(0x)?[0-9a-f ]{0,80}|[0-9]{1,90}|[a-z]{1,4}[a-z(), ]{0,40}|[0-9.]{1,9} ?g?wei",
        ) {
            let _ = parse(&text);
            if let Ok(GoToInput::Data(data)) = text.parse() {
                prop_assert_eq!(data.to_string().parse(), Ok(GoToInput::Data(data)));
            }
        }
    }
}
