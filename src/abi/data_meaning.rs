//! Meanings of data whose origin is unknown, from the data alone.
//!
//! The form of the bytes allows few of them: a signed transaction is exactly one RLP list, calldata and
//! revert data are a selector and words, a topic is 32 bytes. All that remain are returned, the likeliest
//! first.

use alloy_primitives::{hex, keccak256};

use super::call_decoder::NamesOf;
use super::code_selectors::code_selectors;
use super::decode::decode;
use super::revert_reason::DecodedRevert;
use super::selector::Selector;
use super::signatures::{DecodedEvent, Signature, SignatureDb, SignatureHash};
use super::storage::known_slot_name;
use super::value::{AbiValue, Argument, DecodedCall};
use crate::chain::data_input::DataInput;
use crate::chain::raw_transaction::RawTransaction;
use crate::chain::{Address, B256, U256, WORD_BYTES};
use crate::messages::abi::SignatureError;
use crate::sanitize::SafeText;

/// The code of an account that delegates (EIP-7702), before the address.
const DELEGATION_PREFIX: [u8; 3] = hex!("ef0100");
/// The code of a minimal proxy (ERC-1167), around the address.
const CLONE_PREFIX: [u8; 10] = hex!("363d3d373d3d3d363d73");
/// First instructions of compiled code: they store the pointer to free memory.
const CODE_PREFIXES: [&[u8]; 3] = [&hex!("6080604052"), &hex!("60606040"), &hex!("60a0604052")];
/// Types of return data that can be recognised by their layout, each a declaration's parameters.
const RETURN_TYPES: [&str; 4] = ["string", "address[]", "bytes", "uint256[]"];
/// Maximum characters of a text.
const MAX_TEXT_CHARS: usize = 10_000;
/// Zero bytes at the start of a word that no hash has.
const ZEROS_OF_NUMBER: usize = 6;

/// Maximum bits of a number without a type: an address has up to 160, and seldom more than six zero bytes.
const MAX_NUMBER_BITS: usize = 104;
const ADDRESS_BITS: usize = 160;

/// Returns `true` if a word of unknown type is rather a number than an address or a hash.
pub fn is_likely_number(word: U256) -> bool {
    word.bit_len() <= MAX_NUMBER_BITS
}

/// Returns the address that a word of unknown type may be.
pub fn likely_address(word: U256) -> Option<Address> {
    let is_address = !is_likely_number(word) && word.bit_len() <= ADDRESS_BITS;
    is_address.then(|| Address::from_word(word.into()))
}

/// Returns the word of a number that is named as a slot of storage, if it is rather a hash than a count.
pub fn hashed_slot(name: &str, value: &AbiValue) -> Option<B256> {
    match value {
        AbiValue::Uint(number) if name == "slot" && !is_likely_number(*number) => {
            Some((*number).into())
        }
        _ => None,
    }
}

/// One meaning of data.
#[derive(Debug, Clone, PartialEq)]
pub enum DataMeaning {
    Transaction {
        transaction: Box<RawTransaction>,
        call: Option<DecodedCall>,
    },
    Call(DecodedCall),
    Revert(DecodedRevert),
    /// Calldata or revert data whose signature is unknown, if it is that at all.
    UnknownSelector(Selector),
    /// Functions with a selector.
    Functions(Vec<SafeText>),
    /// Errors with a selector.
    Errors(Vec<SafeText>),
    /// Events with a topic.
    Events(Vec<SafeText>),
    /// A log, from its topics and its data.
    Log(DecodedEvent),
    /// Slot of the storage with a published name.
    Slot(&'static str),
    /// A topic, a slot, a transaction, a block, or a secret key.
    Hash(B256),
    ReturnValues(Vec<Argument>),
    Address(Address),
    /// The code of an account that delegates to a contract.
    Delegation(Address),
    /// The code of a minimal proxy.
    Clone(Address),
    /// Code, with the selectors that it compares.
    Code(Vec<Selector>),
    Text(SafeText),
    Number(U256),
    Words(Vec<B256>),
    Declaration(DeclaredSignature),
}

/// A typed signature with its hash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct DeclaredSignature {
    /// The form that is hashed: `transfer(address,uint256)`.
    pub canonical: SafeText,
    pub hash: B256,
    pub kind: DeclarationKind,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DeclarationKind {
    Event,
    /// A function or an error.
    Call,
    /// The text has no keyword.
    Any,
}

impl DeclaredSignature {
    fn parse(text: &str) -> Result<Self, SignatureError> {
        let text = text.trim().trim_end_matches(';').trim_end();
        let event = text.strip_prefix("event ").map(|event| event.trim_end_matches("anonymous"));
        let signature = Signature::parse(event.unwrap_or(text))?;
        let canonical = signature.canonical();
        let has_keyword = text.starts_with("function ") || text.starts_with("error ");
        let kind = match event {
            Some(_) => DeclarationKind::Event,
            None if has_keyword => DeclarationKind::Call,
            None => DeclarationKind::Any,
        };
        Ok(Self { hash: keccak256(&canonical), canonical: canonical.into(), kind })
    }

    pub fn selector(&self) -> Selector {
        [self.hash[0], self.hash[1], self.hash[2], self.hash[3]]
    }
}

impl SignatureDb {
    /// Returns the meanings of data, the likeliest first. Calldata is decoded as a call to the contract `to`, if
    /// one is chosen.
    ///
    /// # Errors
    ///
    /// Returns the mistake in a signature.
    pub fn meanings(
        &self,
        input: &DataInput,
        to: Option<Address>,
        names_of: NamesOf<'_>,
    ) -> Result<Vec<DataMeaning>, SignatureError> {
        Ok(match input {
            DataInput::Number(number) => vec![DataMeaning::Number(*number)],
            DataInput::Signature(text) => {
                vec![DataMeaning::Declaration(DeclaredSignature::parse(text)?)]
            }
            DataInput::Bytes(bytes) => self.meanings_of_bytes(bytes, to, names_of),
        })
    }

    fn meanings_of_bytes(
        &self,
        bytes: &[u8],
        to: Option<Address>,
        names_of: NamesOf<'_>,
    ) -> Vec<DataMeaning> {
        if bytes.is_empty() {
            return Vec::new();
        }
        if let Some(transaction) = RawTransaction::parse(bytes) {
            let call = transaction
                .to
                .and_then(|to| self.decode_named_call(Some(to), names_of, &transaction.input));
            return vec![DataMeaning::Transaction { transaction: Box::new(transaction), call }];
        }
        if let Some(code) = code_meaning(bytes) {
            return vec![code];
        }
        if let Some(selector) = bytes.first_chunk().filter(|_| bytes.len() == 4) {
            return self.selector_meanings(*selector);
        }
        if let Ok(word) = B256::try_from(bytes) {
            return self.word_meanings(word);
        }
        let mut meanings = self.call_meanings(bytes, to, names_of);
        meanings.extend(return_values(bytes).map(DataMeaning::ReturnValues));
        meanings.extend(text_of(bytes).map(DataMeaning::Text));
        match bytes.len() {
            20 => meanings.push(DataMeaning::Address(Address::from_slice(bytes))),
            0..WORD_BYTES => meanings.push(DataMeaning::Number(U256::from_be_slice(bytes))),
            _ => {}
        }
        if meanings.is_empty() {
            let selector = bytes.first_chunk().filter(|_| !bytes.len().is_multiple_of(WORD_BYTES));
            meanings.extend(selector.map(|selector| DataMeaning::UnknownSelector(*selector)));
            let start = bytes.len() % WORD_BYTES;
            let words = bytes[start..].chunks_exact(WORD_BYTES).map(B256::from_slice).collect();
            meanings.extend(matches!(start, 0 | 4).then_some(DataMeaning::Words(words)));
        }
        meanings
    }

    fn call_meanings(
        &self,
        bytes: &[u8],
        to: Option<Address>,
        names_of: NamesOf<'_>,
    ) -> Vec<DataMeaning> {
        let is_padded = bytes.len().is_multiple_of(WORD_BYTES) && bytes.starts_with(&[0; 4]);
        if bytes.len() < 4 || is_padded {
            return Vec::new();
        }
        let revert = match self.revert_reason(bytes) {
            revert @ (DecodedRevert::Message(_) | DecodedRevert::Panic(_)) => {
                return vec![DataMeaning::Revert(revert)];
            }
            revert @ DecodedRevert::Custom(_) => Some(DataMeaning::Revert(revert)),
            _ => None,
        };
        let call = self.decode_named_call(to, names_of, bytes).map(DataMeaning::Call);
        call.into_iter().chain(revert).collect()
    }

    fn selector_meanings(&self, selector: Selector) -> Vec<DataMeaning> {
        let (functions, errors) = (self.declarations(selector), self.error_declarations(selector));
        let mut meanings = Vec::new();
        if !functions.is_empty() {
            meanings.push(DataMeaning::Functions(functions));
        }
        if !errors.is_empty() {
            meanings.push(DataMeaning::Errors(errors));
        }
        if meanings.is_empty() {
            meanings.push(DataMeaning::UnknownSelector(selector));
            meanings.extend(text_of(&selector).map(DataMeaning::Text));
            meanings.push(DataMeaning::Number(U256::from_be_slice(&selector)));
        }
        meanings
    }

    fn word_meanings(&self, word: B256) -> Vec<DataMeaning> {
        let mut meanings = Vec::new();
        let events = self.event_declarations(word);
        if !events.is_empty() {
            meanings.push(DataMeaning::Events(events));
        }
        meanings.extend(known_slot_name(word).map(DataMeaning::Slot));
        meanings.extend(likely_address(word.into()).map(DataMeaning::Address));
        meanings.extend(text_of(word.as_slice()).map(DataMeaning::Text));
        let zeros = word.iter().take_while(|byte| **byte == 0).count();
        if zeros >= ZEROS_OF_NUMBER || word.iter().all(|byte| *byte == u8::MAX) {
            meanings.push(DataMeaning::Number(word.into()));
        }
        if meanings.is_empty() {
            meanings.push(DataMeaning::Hash(word));
        }
        meanings
    }
}

impl DataMeaning {
    /// Returns the signatures that a database may know.
    pub fn unknown_signature(&self) -> Option<SignatureHash> {
        match self {
            Self::UnknownSelector(selector) => Some(SignatureHash::Selector(*selector)),
            Self::Hash(hash) => Some(SignatureHash::Topic(*hash)),
            _ => None,
        }
    }
}

fn code_meaning(bytes: &[u8]) -> Option<DataMeaning> {
    if let Some(address) = bytes.strip_prefix(&DELEGATION_PREFIX) {
        let delegate = Address::try_from(address).ok();
        return delegate.map(DataMeaning::Delegation);
    }
    let behind = bytes.strip_prefix(&CLONE_PREFIX).and_then(<[u8]>::split_first_chunk::<20>);
    if let Some((address, _)) = behind {
        return Some(DataMeaning::Clone(Address::from(*address)));
    }
    let is_code = CODE_PREFIXES.iter().any(|prefix| bytes.starts_with(prefix));
    is_code.then(|| DataMeaning::Code(code_selectors(bytes)))
}

/// Decodes return data by its layout, if that is unusual enough to be no coincidence.
fn return_values(bytes: &[u8]) -> Option<Vec<Argument>> {
    if bytes.len() < 2 * WORD_BYTES || !bytes.len().is_multiple_of(WORD_BYTES) {
        return None;
    }
    RETURN_TYPES.iter().find_map(|kind| {
        let inputs = Signature::parse(&format!("f({kind})")).ok()?.inputs;
        let decoded = decode(&inputs, bytes).filter(|decoded| decoded.trailing_bytes == 0)?;
        let is_plausible = match decoded.values.first()? {
            AbiValue::String(text) => text.is_empty() || text_of(text).is_some(),
            _ => true,
        };
        is_plausible.then(|| Argument::from_values(&inputs, decoded.values))
    })
}

/// Returns printable text, which may have zeros after it.
fn text_of(bytes: &[u8]) -> Option<SafeText> {
    let end = bytes.iter().rposition(|byte| *byte != 0)? + 1;
    let text = std::str::from_utf8(bytes.get(..end)?).ok()?;
    let is_printable = text.chars().all(|c| !c.is_control() || c.is_ascii_whitespace());
    let has_letters =
        text.chars().filter(|c| c.is_alphanumeric()).count() * 2 > text.chars().count();
    (is_printable && has_letters && end >= 4).then(|| SafeText::bounded(text, MAX_TEXT_CHARS))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_has_four_characters_and_more_letters_than_others() {
        for bytes in [&b"abcd"[..], b"abc--\0\0", b"a\nbcd"] {
            assert!(text_of(bytes).is_some(), "{bytes:?}");
        }
        for bytes in [&b"abc"[..], b"ab--", b"abcd\x01", b"\0\0", b"", b"abcd\xff"] {
            assert_eq!(text_of(bytes), None, "{bytes:?}");
        }
    }

    #[test]
    fn addresses_have_few_leading_zeros() {
        let is_address = |zeros: usize| {
            let mut word = [1; WORD_BYTES];
            word[..zeros].fill(0);
            let meanings = SignatureDb::default().word_meanings(word.into());
            meanings.iter().any(|meaning| matches!(meaning, DataMeaning::Address(_)))
        };
        assert_eq!([11, 12, 18, 19].map(is_address), [false, true, true, false]);
    }

    #[test]
    fn words_are_numbers_or_slots_if_they_look_so() {
        let meanings = |word: B256| SignatureDb::default().word_meanings(word);
        assert_eq!(meanings(B256::repeat_byte(0xff)), [DataMeaning::Number(U256::MAX)]);
        let slot = hex!("360894a13ba1a3210667c828492db98dca3e2076cc3735a920a3ca505d382bbc");
        assert!(matches!(&*meanings(slot.into()), [DataMeaning::Slot(_)]));
        let hash = B256::repeat_byte(0xab);
        assert_eq!(meanings(hash), [DataMeaning::Hash(hash)]);
    }

    #[test]
    fn bytes_are_numbers_if_they_are_less_than_a_word() {
        let meanings =
            |bytes: &[u8]| SignatureDb::default().meanings_of_bytes(bytes, None, &|_| Vec::new());
        let number = DataMeaning::Number(U256::from(0x01_0203_0405_u64));
        assert!(meanings(&[1, 2, 3, 4, 5]).contains(&number));
        assert!(!meanings(&[1; 33]).iter().any(|one| matches!(one, DataMeaning::Number(_))));
    }

    #[test]
    fn code_of_a_minimal_proxy_names_its_implementation() {
        let implementation = Address::repeat_byte(0x11);
        let code = [&CLONE_PREFIX[..], implementation.as_slice(), &hex!("5af43d82803e")].concat();
        assert_eq!(code_meaning(&code), Some(DataMeaning::Clone(implementation)));
    }

    #[test]
    fn selector_is_of_functions_of_errors_or_unknown() {
        let mut signatures = SignatureDb::default();
        let transfer = signatures.add_signature("transfer(address,uint256)").unwrap();
        let paused = signatures.add_signature("error Paused(uint256)").unwrap();
        let meanings = signatures.selector_meanings(transfer);
        assert!(matches!(&*meanings, [DataMeaning::Functions(_)]), "{meanings:?}");
        let meanings = signatures.selector_meanings(paused);
        assert!(matches!(&*meanings, [DataMeaning::Errors(_)]), "{meanings:?}");
        let meanings = signatures.selector_meanings([0xff; 4]);
        let expected =
            [DataMeaning::UnknownSelector([0xff; 4]), DataMeaning::Number(U256::from(u32::MAX))];
        assert_eq!(meanings, expected);
    }

    #[test]
    fn empty_text_is_a_returned_string() {
        let word = |n: u64| U256::from(n).to_be_bytes::<WORD_BYTES>();
        let empty = return_values(&[word(32), word(0)].concat()).unwrap();
        assert!(matches!(&empty[0].value, AbiValue::String(text) if text.is_empty()));
        let binary = [word(32), word(1), U256::MAX.to_be_bytes()].concat();
        assert!(!matches!(return_values(&binary).unwrap()[0].value, AbiValue::String(_)));
    }
}
