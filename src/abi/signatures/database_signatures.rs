//! Signatures found in a signature database by their hash.

use std::collections::{HashMap, HashSet};
use std::fmt;
use std::sync::Arc;

use alloy_primitives::{hex, keccak256};

use super::event::{DecodedEvent, EventSignature};
use super::signature::{Candidate, Signature};
use crate::abi::selector::Selector;
use crate::chain::B256;
use crate::messages::abi::SignatureSource;
use crate::sanitize::SafeText;

/// Maximum signatures per hash: databases also have those that were crafted to collide.
const MAX_CANDIDATES: usize = 16;
/// Maximum parameters of an event: all choices of indexed ones are tried.
const MAX_EVENT_PARAMETERS: usize = 10;

/// Hash by which a signature is looked up.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum SignatureHash {
    /// Selector of a function or an error.
    Selector(Selector),
    /// Topic of an event.
    Topic(B256),
}

impl fmt::Display for SignatureHash {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Selector(selector) => f.write_str(&hex::encode_prefixed(selector)),
            Self::Topic(topic) => topic.fmt(f),
        }
    }
}

impl SignatureHash {
    /// Returns `true` if `text` is a signature with this hash.
    pub fn is_of_text(&self, text: &str) -> bool {
        Signature::parse(text).is_ok_and(|signature| self.is_of(&signature))
    }

    fn is_of(&self, signature: &Signature) -> bool {
        match self {
            Self::Selector(selector) => signature.selector() == *selector,
            Self::Topic(topic) => keccak256(signature.canonical()) == *topic,
        }
    }
}

#[derive(Debug, Default, Clone)]
pub(super) struct DatabaseSignatures(HashMap<SignatureHash, Vec<Arc<Signature>>>);

impl DatabaseSignatures {
    /// Keeps the signatures received from a database whose hash is the requested one, and returns them.
    pub(super) fn insert(&mut self, hash: SignatureHash, sent: &[SafeText]) -> Vec<SafeText> {
        let mut forms = HashSet::new();
        let parsed = sent.iter().filter_map(|text| Some(Signature::parse(text).ok()?.canonical()));
        // The hash covers this form only: names of parameters and outputs may be made up.
        let read = parsed
            .filter(|form| forms.insert(form.clone()))
            .filter_map(|form| Signature::parse(&form).ok());
        let found: Vec<_> = read
            .filter(|signature| hash.is_of(signature))
            .take(MAX_CANDIDATES)
            .map(Arc::new)
            .collect();
        let declarations = found.iter().map(|signature| signature.declaration()).collect();
        self.0.insert(hash, found);
        declarations
    }

    pub(super) fn find(&self, selector: Selector) -> impl Iterator<Item = Candidate> {
        let found = self.0.get(&SignatureHash::Selector(selector)).into_iter().flatten();
        found.map(|signature| Candidate {
            signature: Arc::clone(signature),
            source: SignatureSource::Database,
        })
    }

    pub(super) fn functions(&self) -> impl Iterator<Item = (Selector, Arc<Signature>)> {
        self.0.iter().flat_map(|(hash, found)| {
            let selector = match hash {
                SignatureHash::Selector(selector) => Some(*selector),
                SignatureHash::Topic(_) => None,
            };
            found.iter().filter_map(move |signature| Some((selector?, Arc::clone(signature))))
        })
    }

    pub(super) fn event_declarations(&self, topic: B256) -> impl Iterator<Item = SafeText> {
        let found = self.0.get(&SignatureHash::Topic(topic)).into_iter().flatten();
        found.map(|signature| signature.declaration())
    }

    /// Decodes a log by the first signature that fits. Databases do not report which parameters are
    /// indexed, so the first choice that fits is taken.
    pub(super) fn decode_event(&self, topics: &[B256], data: &[u8]) -> Option<DecodedEvent> {
        let (topic, indexed) = topics.split_first()?;
        let candidates = self.0.get(&SignatureHash::Topic(*topic))?;
        candidates.iter().find_map(|signature| {
            let parameters = signature.inputs.len();
            let masks = 0..1_u32 << parameters.min(MAX_EVENT_PARAMETERS);
            let mut choices = masks.filter(|choice| {
                parameters <= MAX_EVENT_PARAMETERS && choice.count_ones() as usize == indexed.len()
            });
            choices.find_map(|indexed| {
                with_indexed(signature, indexed).decoded(topics, data, SignatureSource::Database)
            })
        })
    }
}

/// Returns an event whose parameters are indexed where `indexed` has a bit.
fn with_indexed(signature: &Signature, indexed: u32) -> EventSignature {
    let indexed = (0..signature.inputs.len()).map(|n| indexed >> n & 1 == 1).collect();
    EventSignature { signature: signature.clone(), indexed, is_anonymous: false }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::U256;

    use super::*;

    #[test]
    fn only_what_the_hash_is_of_is_taken() {
        let selector = Signature::parse("balanceOf(address)").unwrap().selector();
        let sent = [
            "function balanceOf(address safe) returns (bool isSafe)",
            "balanceOf(address)",
            "balanceOf(uint256)",
        ];
        let mut signatures = DatabaseSignatures::default();
        let sent = sent.map(SafeText::new);
        let declarations = signatures.insert(SignatureHash::Selector(selector), &sent);
        assert_eq!(declarations, ["balanceOf(address)"]);
        let kept: Vec<_> = signatures.find(selector).collect();
        assert!(kept.len() == 1 && kept[0].signature.outputs.is_none(), "{}", kept.len());
    }

    #[test]
    fn events_are_decoded_without_knowing_what_is_indexed() {
        let word = |n: u64| B256::from(U256::from(n));
        let topic = |text: &str| keccak256(text);
        let mut signatures = DatabaseSignatures::default();
        let mut add = |text: &str| {
            let sent = [SafeText::new("Other(uint256)"), SafeText::new(text)];
            assert_eq!(signatures.insert(SignatureHash::Topic(topic(text)), &sent).len(), 1);
        };
        add("Paid(address,uint256,string)");
        add("Many(uint8,uint8,uint8,uint8,uint8,uint8,uint8,uint8,uint8,uint8,uint8)");
        let paid = topic("Paid(address,uint256,string)");
        let text = [word(7), word(64), word(2), B256::right_padding_from(b"hi")].concat();
        let decoded = signatures.decode_event(&[paid, word(1)], &text).unwrap();
        assert_eq!(&*decoded.signature, "Paid(address indexed, uint256, string)");
        assert!(decoded.is_guess());
        let all = [paid, word(1), word(7), word(9)];
        assert!(signatures.decode_event(&all, &[]).is_some());
        assert!(signatures.decode_event(&all, &[0; 5]).is_none());
        assert!(signatures.decode_event(&[], &[]).is_none());
        let many = topic("Many(uint8,uint8,uint8,uint8,uint8,uint8,uint8,uint8,uint8,uint8,uint8)");
        assert!(signatures.decode_event(&[many], &[0; 352]).is_none(), "too many to try");
    }
}
