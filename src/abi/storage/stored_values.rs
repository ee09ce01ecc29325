//! Values of variables as text: the content of words, of strings and of bytes.

use alloy_primitives::hex;

use crate::chain::{Address, U256, WORD_BYTES};

const MAX_SHORT_TEXT_BYTES: usize = 31;

/// Returns the length of a long text, or the content of a short one.
pub(super) fn text_length(word: U256) -> Result<U256, Vec<u8>> {
    if word.bit(0) {
        return Ok((word - U256::ONE) >> 1);
    }
    let bytes = word.to_be_bytes::<WORD_BYTES>();
    let length = usize::from(bytes[WORD_BYTES - 1] / 2).min(MAX_SHORT_TEXT_BYTES);
    Err(bytes[..length].to_vec())
}

pub(super) fn content_text(content: Vec<u8>, is_string: bool) -> String {
    if !is_string {
        return hex::encode_prefixed(content);
    }
    match String::from_utf8(content) {
        Ok(text) => format!("\"{text}\""),
        Err(error) => hex::encode_prefixed(error.as_bytes()),
    }
}

/// Returns a value of a type that takes some bytes.
pub(super) fn value_text(kind: &str, value: U256, bytes: usize) -> String {
    match kind {
        "t_bool" if value <= U256::ONE => (value == U256::ONE).to_string(),
        _ if kind.starts_with("t_uint") || kind.starts_with("t_enum") => value.to_string(),
        _ if kind.starts_with("t_int") => {
            let sign = U256::ONE << (8 * bytes - 1);
            let magnitude = || (U256::ZERO.wrapping_sub(value)) & (U256::MAX >> (256 - 8 * bytes));
            if value & sign == U256::ZERO { value.to_string() } else { format!("-{}", magnitude()) }
        }
        _ if kind.starts_with("t_address") || kind.starts_with("t_contract") => {
            Address::from_word(value.into()).to_string()
        }
        _ => hex::encode_prefixed(&value.to_be_bytes::<WORD_BYTES>()[WORD_BYTES - bytes..]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn texts_of_31_bytes_are_in_their_slot() {
        let mut word = [b'a'; WORD_BYTES];
        for (last, length) in [(0, 0), (2, 1), (62, 31), (64, 31)] {
            word[31] = last;
            let text = vec![b'a'; length];
            assert_eq!(text_length(U256::from_be_bytes(word)), Err(text), "{last}");
        }
        assert_eq!(text_length(U256::from(65)), Ok(U256::from(32)), "it is elsewhere");
    }

    #[test]
    fn values_are_written_by_their_types() {
        for (kind, value, text) in [
            ("t_bool", 0, "false"),
            ("t_bool", 1, "true"),
            ("t_bool", 2, "0x02"),
            ("t_uint8", 255, "255"),
            ("t_int8", 0x7f, "127"),
            ("t_int8", 0x80, "-128"),
            ("t_bytes1", 0x80, "0x80"),
        ] {
            assert_eq!(value_text(kind, U256::from(value), 1), text, "{kind} {value}");
        }
    }
}
