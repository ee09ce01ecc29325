//! Formats of a decoded value that the user can switch between.

use alloy_primitives::hex;
use serde_json::json;
use strum::{IntoStaticStr, VariantArray};

use super::super::sol_type::AbiParameter;
use super::{AbiValue, utf8_prefix};
use crate::chain::{Address, U256};
use crate::messages::abi;
use crate::sanitize::SafeText;

/// Maximum bytes shown of a value. Copying takes the whole value.
const MAX_SHOWN_BYTES: usize = 2_000;

#[derive(Debug, Clone, Copy, PartialEq, Eq, Default, IntoStaticStr, VariantArray)]
#[strum(serialize_all = "lowercase")]
pub enum ValueFormat {
    #[default]
    Natural,
    /// The encoding: a word, or the bytes.
    Raw,
    Decimal,
    Hex,
    Address,
    #[strum(serialize = "utf-8")]
    Utf8,
}

impl ValueFormat {
    pub const ALL: &[Self] = Self::VARIANTS;

    #[must_use]
    pub fn next(self) -> Self {
        Self::ALL[(self as usize + 1) % Self::ALL.len()]
    }
}

struct Formatted {
    text: String,
    is_cut: bool,
}

impl From<String> for Formatted {
    fn from(text: String) -> Self {
        Self { text, is_cut: false }
    }
}

impl AbiValue {
    /// Formats the value, or reports that it does not fit the format. A cut value ends with its size.
    pub fn format(&self, format: ValueFormat) -> SafeText {
        let Formatted { text, is_cut } = self.format_up_to(format, MAX_SHOWN_BYTES);
        if is_cut {
            SafeText::new(&format!("{text}… ({} bytes)", self.to_bytes().len()))
        } else {
            text.into()
        }
    }

    /// Formats the whole value, to copy it: `[1, 2, 3]` and `(id: 1, name: "a")` with all their parts.
    pub fn format_full(&self, format: ValueFormat) -> SafeText {
        match self {
            Self::Array(..) | Self::Tuple(..) => self.format_parts(format).into(),
            _ => self.format_up_to(format, usize::MAX).text.into(),
        }
    }

    /// Formats the whole value as it can be typed as an argument: `[(0x3C44…,100,"a"),…]` without names.
    pub fn typed_text(&self) -> String {
        let parts =
            |values: &[Self]| values.iter().map(Self::typed_text).collect::<Vec<_>>().join(",");
        match self {
            Self::Array(_, items) => format!("[{}]", parts(items)),
            Self::Tuple(_, values) => format!("({})", parts(values)),
            Self::String(bytes) => json!(String::from_utf8_lossy(bytes)).to_string(),
            Self::Bytes(bytes) | Self::Call(bytes, _) => bytes.to_string(),
            _ => self.format_up_to(ValueFormat::Natural, usize::MAX).text,
        }
    }

    fn format_parts(&self, format: ValueFormat) -> String {
        let parts = |values: &[Self]| {
            values.iter().map(|value| value.format_parts(format)).collect::<Vec<_>>().join(", ")
        };
        match self {
            Self::Array(_, items) => format!("[{}]", parts(items)),
            Self::Tuple(fields, values) => {
                let part = |(field, value): (&AbiParameter, &Self)| match &*field.name {
                    "" => value.format_parts(format),
                    name => format!("{name}: {}", value.format_parts(format)),
                };
                let parts: Vec<String> = fields.iter().zip(values).map(part).collect();
                format!("({})", parts.join(", "))
            }
            Self::String(_) => json!(&*self.format_full(format)).to_string(),
            value => value.format_full(format).to_string(),
        }
    }

    fn format_up_to(&self, format: ValueFormat, limit: usize) -> Formatted {
        if matches!(self, Self::Array(..) | Self::Tuple(..)) {
            return self.summary().to_string().into();
        }
        match format {
            ValueFormat::Natural => self.format_natural(limit),
            ValueFormat::Raw => hex_prefix(&self.to_bytes(), limit),
            ValueFormat::Hex => self.format_hex(limit),
            ValueFormat::Decimal => {
                self.format_decimal().unwrap_or(abi::NOT_A_NUMBER.into()).into()
            }
            ValueFormat::Address => {
                self.format_address().unwrap_or(abi::NOT_AN_ADDRESS.into()).into()
            }
            ValueFormat::Utf8 => self.format_utf8(limit),
        }
    }

    fn format_natural(&self, limit: usize) -> Formatted {
        match self {
            Self::Bytes(bytes) | Self::Call(bytes, _) => hex_prefix(bytes, limit),
            Self::String(bytes) => {
                let text = utf8_prefix(bytes, limit);
                Formatted {
                    text: String::from_utf8_lossy(text).into_owned(),
                    is_cut: text.len() < bytes.len(),
                }
            }
            Self::FixedBytes(word, bytes) => {
                hex::encode_prefixed(word.get(..*bytes).unwrap_or_default()).into()
            }
            _ => self.summary().to_string().into(),
        }
    }

    fn format_hex(&self, limit: usize) -> Formatted {
        match self {
            Self::Uint(number) => format!("{number:#x}").into(),
            Self::Int(number) => {
                let sign = if number.is_negative() { "-" } else { "" };
                format!("{sign}{:#x}", number.unsigned_abs()).into()
            }
            Self::Bool(is) => format!("{:#x}", u8::from(*is)).into(),
            _ => hex_prefix(self.unpadded_bytes().as_ref(), limit),
        }
    }

    fn format_decimal(&self) -> Option<String> {
        match self {
            Self::Int(number) => Some(number.to_string()),
            Self::String(_) => None,
            _ => {
                let content = self.unpadded_bytes();
                let fits = !content.is_empty() && content.len() <= 32;
                fits.then(|| U256::from_be_slice(&content).to_string())
            }
        }
    }

    /// Formats the last 20 bytes if the rest of the word is zero.
    fn format_address(&self) -> Option<String> {
        let content = self.unpadded_bytes();
        let (before, last) = content.split_at_checked(content.len().checked_sub(20)?)?;
        let is_padding = before.len() <= 12 && before.iter().all(|b| *b == 0);
        let fits = is_padding && !matches!(self, Self::String(_) | Self::Bool(_));
        fits.then(|| Address::from_slice(last).to_checksum(None))
    }

    /// Formats the bytes without the zeros that pad a word.
    fn format_utf8(&self, limit: usize) -> Formatted {
        let content = self.unpadded_bytes();
        let is_zero = |b: &&u8| **b == 0;
        let text = match self {
            Self::Uint(_) | Self::Int(_) | Self::Bool(_) | Self::Address(_) => {
                &content[content.iter().take_while(is_zero).count()..]
            }
            Self::FixedBytes(..) => {
                &content[..content.len() - content.iter().rev().take_while(is_zero).count()]
            }
            _ => &content[..],
        };
        let shown = utf8_prefix(text, limit);
        match std::str::from_utf8(shown) {
            Ok(valid) => Formatted { text: valid.to_owned(), is_cut: shown.len() < text.len() },
            Err(_) => "not UTF-8 text".to_owned().into(),
        }
    }

    /// Returns the encoded bytes: a word, or the contents of a `bytes` or `string`.
    fn to_bytes(&self) -> Vec<u8> {
        match self {
            Self::Bool(is) => U256::from(*is).to_be_bytes_vec(),
            Self::Uint(number) => number.to_be_bytes_vec(),
            Self::Int(number) => number.into_raw().to_be_bytes_vec(),
            Self::Address(address) => address.into_word().to_vec(),
            Self::FixedBytes(word, _) => word.to_vec(),
            Self::Bytes(bytes) | Self::String(bytes) | Self::Call(bytes, _) => bytes.to_vec(),
            Self::Array(..) | Self::Tuple(..) => Vec::new(),
        }
    }

    /// Returns the bytes without the padding of an address or of fixed bytes.
    fn unpadded_bytes(&self) -> Vec<u8> {
        match self {
            Self::Address(address) => address.to_vec(),
            Self::FixedBytes(word, bytes) => word.get(..*bytes).unwrap_or_default().to_vec(),
            _ => self.to_bytes(),
        }
    }
}

/// Shortest data that is taken for text: four bytes may well be a selector.
const MIN_TEXT_BYTES: usize = 8;

/// Returns data as text if all of it is printable.
pub fn plain_text(bytes: &[u8]) -> Option<SafeText> {
    let text = std::str::from_utf8(bytes).ok().filter(|text| text.len() >= MIN_TEXT_BYTES)?;
    let is_printable = !text.contains(char::is_control);
    Some(SafeText::new(text)).filter(|safe| is_printable && safe == text)
}

fn hex_prefix(bytes: &[u8], limit: usize) -> Formatted {
    let shown = bytes.get(..limit).unwrap_or(bytes);
    Formatted { text: hex::encode_prefixed(shown), is_cut: shown.len() < bytes.len() }
}

#[cfg(test)]
mod tests {
    use alloy_dyn_abi::DynSolType;
    use alloy_primitives::{I256, address, b256};

    use super::super::super::sol_type::SolType;
    use super::*;
    use crate::chain::{B256, Bytes};

    fn all_formats(value: &AbiValue) -> Vec<String> {
        ValueFormat::ALL[2..].iter().map(|mode| value.format(*mode).to_string()).collect()
    }

    #[test]
    fn arrays_and_structs_are_copied_with_all_parts() {
        let number = |number: u64| AbiValue::Uint(U256::from(number));
        let ty = |name: &str| SolType::Elementary(DynSolType::parse(name).unwrap());
        let numbers = AbiValue::Array(ty("uint256").into(), (1..=5).map(number).collect());
        assert_eq!(&*numbers.format(ValueFormat::Natural), "[5 items]");
        assert_eq!(&*numbers.format_full(ValueFormat::Natural), "[1, 2, 3, 4, 5]");
        let field = |name: &str, kind: &str| AbiParameter::new(name, ty(kind));
        let text = AbiValue::String(Bytes::from_static(b"a \"b\""));
        let order = AbiValue::Tuple(
            vec![field("id", "uint256"), field("", "string")].into(),
            vec![number(7), text],
        );
        let orders = AbiValue::Array(ty("bytes").into(), vec![order]);
        assert_eq!(&*orders.format_full(ValueFormat::Natural), r#"[(id: 7, "a \"b\"")]"#);
        assert_eq!(orders.typed_text(), r#"[(7,"a \"b\"")]"#);
    }

    #[test]
    fn each_format_fits_or_says_so() {
        let who = address!("70997970c51812dc3a010c7d01b50e0d17dc79c8");
        let checksummed = "0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
        assert_eq!(
            all_formats(&AbiValue::Uint(U256::from(0x6869))),
            ["26729", "0x6869", "0x0000000000000000000000000000000000006869", "hi"]
        );
        assert_eq!(
            all_formats(&AbiValue::Int(I256::MINUS_ONE)),
            ["-1", "-0x1", "not an address", "not UTF-8 text"]
        );
        assert_eq!(
            all_formats(&AbiValue::FixedBytes(
                b256!("4d4b520000000000000000000000000000000000000000000000000000000000"),
                4
            )),
            ["1296781824", "0x4d4b5200", "not an address", "MKR"]
        );
        let word = AbiValue::FixedBytes(who.into_word(), 32);
        assert_eq!(&*word.format(ValueFormat::Address), checksummed);
        assert_eq!(&*AbiValue::Address(who).format(ValueFormat::Natural), checksummed);
        assert_eq!(&*AbiValue::Address(who).format(ValueFormat::Hex), checksummed.to_lowercase());
        let text = AbiValue::String(Bytes::from_static("né\x07".as_bytes()));
        assert_eq!(all_formats(&text), ["not a number", "0x6ec3a907", "not an address", "né␇"]);
        assert_eq!(all_formats(&AbiValue::Bool(true))[..2], ["1", "0x1"]);
        assert_eq!(&*AbiValue::Bytes(Bytes::new()).format(ValueFormat::Decimal), "not a number");
        let raw = AbiValue::Bool(true).format(ValueFormat::Raw);
        assert_eq!(&*raw, B256::with_last_byte(1).to_string());
    }

    #[test]
    fn long_values_are_cut_but_copied_whole() {
        let value = AbiValue::Bytes(vec![b'x'; 4 << 20].into());
        for mode in ValueFormat::ALL {
            assert!(value.format(*mode).len() < 5_000, "{mode:?}");
        }
        assert!(value.format(ValueFormat::Utf8).ends_with("x… (4194304 bytes)"));
        assert_eq!(value.format_full(ValueFormat::Hex).len(), 2 + (8 << 20));
        assert_eq!(utf8_prefix("aé".as_bytes(), 2), b"a");
        assert_eq!(utf8_prefix(&[0x80; 9], 4), [0x80; 4]);
    }

    #[test]
    fn data_are_text_in_any_script_without_control_characters() {
        let text = |bytes: &[u8]| plain_text(bytes).map(|text| text.to_string());
        assert_eq!(text("失敗 💥 — naïve".as_bytes()).as_deref(), Some("失敗 💥 — naïve"));
        assert_eq!(text(b"too low").as_deref(), None, "short enough for a selector");
        assert_eq!(text(b"NOT_ENOUGH\0\0"), None);
        assert_eq!(text("\u{202e}backwards".as_bytes()), None);
        assert_eq!(text(&[0x80; 9]), None);
    }

    #[test]
    fn next_cycles_through_all_formats() {
        let mut mode = ValueFormat::default();
        for expected in ValueFormat::ALL {
            assert_eq!(mode, *expected);
            mode = mode.next();
        }
        assert_eq!(mode, ValueFormat::Natural);
    }
}
