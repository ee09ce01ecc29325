//! Decodes logs by the signatures of events.

use std::collections::HashMap;
use std::iter::repeat;
use std::sync::{Arc, LazyLock};

use alloy_primitives::keccak256;

use super::signature::{CONTRACT_SOURCES, OTHER_SOURCES, Signature};
use crate::abi::decode::decode;
use crate::abi::sol_type::{AbiParameter, SolType};
use crate::abi::value::{AbiValue, Argument};
use crate::chain::{Address, B256};
use crate::messages::abi::SignatureSource;
use crate::sanitize::SafeText;

/// Events of published standards and well-known contracts, one per line, under headings.
static BUILTIN_EVENTS: LazyLock<EventIndex> =
    LazyLock::new(|| EventIndex::parse(include_str!("../../../assets/events.txt")));

/// Maximum events kept per topic, and of anonymous ones: each is compared with all before.
const MAX_SAME_EVENTS: usize = 4_000;
/// Maximum topics of a log.
const MAX_TOPICS: usize = 4;

#[derive(Debug, Clone, PartialEq, Eq)]
pub(in crate::abi) struct EventSignature {
    pub(super) signature: Signature,
    /// `true` for each parameter that is a topic.
    pub(super) indexed: Vec<bool>,
    pub(in crate::abi) is_anonymous: bool,
}

/// A log, decoded with its event's signature.
#[derive(Debug, Clone, PartialEq)]
pub struct DecodedEvent {
    pub name: SafeText,
    /// The name with the types and names of the parameters.
    pub signature: SafeText,
    pub arguments: Vec<EventArgument>,
    pub source: SignatureSource,
}

#[derive(Debug, Clone, PartialEq)]
pub struct EventArgument {
    /// The value of an indexed string, array or struct is its hash.
    pub argument: Argument,
    pub is_indexed: bool,
}

impl DecodedEvent {
    /// Returns `true` if other parameters of the event may be indexed. The topic gives its name and its types, but
    /// not that, unless all of them are indexed or none. Guesses are shown with `?`.
    pub fn is_guess(&self) -> bool {
        let mut indexed = self.arguments.iter().map(|argument| argument.is_indexed);
        let first = indexed.next();
        let has_both = indexed.any(|is_indexed| Some(is_indexed) != first);
        has_both && (self.source.is_of_other_contract() || self.source == SignatureSource::Database)
    }

    /// Formats the event in one line, `Transfer(0x…, 0x…, 5)`.
    pub fn summary(&self) -> SafeText {
        let values: Vec<_> = self
            .arguments
            .iter()
            .map(|argument| argument.argument.value.summary().to_string())
            .collect();
        SafeText::new(&format!("{}({})", self.name, values.join(", ")))
    }
}

impl EventSignature {
    pub(in crate::abi) fn topic(&self) -> B256 {
        keccak256(self.signature.canonical())
    }

    fn parameters(&self) -> impl Iterator<Item = (&AbiParameter, bool)> {
        self.signature.inputs.iter().zip(self.indexed.iter().copied())
    }

    pub(in crate::abi) fn declaration(&self) -> SafeText {
        let parameters: Vec<_> = self
            .parameters()
            .map(|(AbiParameter { name, ty, .. }, is_indexed)| {
                let words = [&*ty.named(), if is_indexed { "indexed" } else { "" }, name];
                words.into_iter().filter(|word| !word.is_empty()).collect::<Vec<_>>().join(" ")
            })
            .collect();
        SafeText::new(&format!("{}({})", self.signature.name.shown, parameters.join(", ")))
    }

    /// Returns the approximate memory of the event in an index, in bytes.
    pub(super) fn kept_bytes(&self) -> usize {
        self.signature.kept_bytes() + self.indexed.len()
    }

    pub(super) fn decoded(
        &self,
        topics: &[B256],
        data: &[u8],
        source: SignatureSource,
    ) -> Option<DecodedEvent> {
        Some(DecodedEvent {
            name: self.signature.name.shown.clone(),
            signature: self.declaration(),
            arguments: self.decode(topics, data)?,
            source,
        })
    }

    /// Returns the arguments, if the topics and the data fit this event.
    fn decode(&self, topics: &[B256], data: &[u8]) -> Option<Vec<EventArgument>> {
        let topics = if self.is_anonymous { topics } else { topics.get(1..)? };
        let (indexed, unindexed): (Vec<_>, Vec<_>) =
            self.parameters().partition(|(_, is_indexed)| *is_indexed);
        if indexed.len() != topics.len() {
            return None;
        }
        let plain: Vec<_> = unindexed.into_iter().map(|(input, _)| input.clone()).collect();
        let decoded = decode(&plain, data)?;
        if decoded.trailing_bytes > 0 {
            return None;
        }
        let values = indexed.into_iter().zip(topics);
        let mut indexed = values
            .map(|((input, _), topic)| indexed_value(input, *topic))
            .collect::<Option<Vec<_>>>()?
            .into_iter();
        let mut plain = decoded.values.into_iter();
        let arguments = self.parameters().map(|(input, is_indexed)| {
            let value = if is_indexed { indexed.next() } else { plain.next() }?;
            let (name, type_name) = (input.name.clone(), input.type_name());
            Some(EventArgument { argument: Argument { name, type_name, value }, is_indexed })
        });
        arguments.collect()
    }
}

/// Returns the value of an indexed argument, or its hash if it does not fit in a topic.
fn indexed_value(parameter: &AbiParameter, topic: B256) -> Option<AbiValue> {
    let is_hashed = parameter.ty.is_dynamic() || !matches!(parameter.ty, SolType::Elementary(_));
    if is_hashed {
        return Some(AbiValue::FixedBytes(topic, 32));
    }
    decode(std::slice::from_ref(parameter), topic.as_slice())?.values.pop()
}

#[derive(Debug, Clone)]
struct IndexedEvent {
    signature: Arc<EventSignature>,
    source: EventSource,
}

#[derive(Debug, Clone, PartialEq, Eq)]
enum EventSource {
    Address(Address),
    Contract(SafeText),
    BuiltIn(&'static str),
}

/// Events by topic. Anonymous events have none.
#[derive(Debug, Default, Clone)]
pub(super) struct EventIndex {
    by_topic: HashMap<B256, Vec<IndexedEvent>>,
    anonymous: Vec<IndexedEvent>,
}

/// The contract that emitted a log.
#[derive(Debug, Clone, Copy)]
pub struct LogEmitter<'a> {
    pub address: Address,
    /// Names of the contract and of its implementation.
    pub names: &'a [&'a str],
}

impl EventIndex {
    fn parse(text: &'static str) -> Self {
        let mut index = Self::default();
        let mut heading = "";
        for line in text.lines() {
            if let Some(text) = line.strip_prefix("# ") {
                heading = text;
            } else if let Ok(signature) = EventSignature::parse(line) {
                index.insert(signature, EventSource::BuiltIn(heading));
            }
        }
        index
    }

    /// Adds the events of the contract at an address, or else of all contracts with a name. Returns `true` if
    /// any was new.
    pub(super) fn add_contract(
        &mut self,
        address: Option<Address>,
        name: &SafeText,
        events: Vec<EventSignature>,
    ) -> bool {
        let source = || address.map_or(EventSource::Contract(name.clone()), EventSource::Address);
        let mut is_any_new = false;
        for event in events {
            is_any_new |= self.insert(event, source());
        }
        is_any_new
    }

    fn insert(&mut self, signature: EventSignature, source: EventSource) -> bool {
        let same = if signature.is_anonymous {
            &mut self.anonymous
        } else {
            self.by_topic.entry(signature.topic()).or_insert_with(|| Vec::with_capacity(1))
        };
        let is_known =
            |known: &IndexedEvent| known.source == source && *known.signature == signature;
        let is_new = same.len() < MAX_SAME_EVENTS && !same.iter().any(is_known);
        if is_new {
            same.push(IndexedEvent { signature: Arc::new(signature), source });
        }
        is_new
    }

    /// Returns the events of contracts that are known by name.
    pub(super) fn contract_events(&self) -> impl Iterator<Item = (&SafeText, &EventSignature)> {
        let events = self.by_topic.values().flatten().chain(&self.anonymous);
        events.filter_map(|event| match &event.source {
            EventSource::Contract(name) => Some((name, &*event.signature)),
            _ => None,
        })
    }

    fn with_topic(&self, topic: Option<&B256>) -> &[IndexedEvent] {
        topic.and_then(|topic| self.by_topic.get(topic)).map_or(&[], Vec::as_slice)
    }
}

/// Decodes a log: by the ABI of its contract, else by the built-in events if `uses_builtin`, else by the
/// ABI of any contract. `indexes` are of the user's ABIs and of the project's.
pub(super) fn decode_event(
    indexes: &[&EventIndex],
    emitter: LogEmitter<'_>,
    topics: &[B256],
    data: &[u8],
    uses_builtin: bool,
) -> Option<DecodedEvent> {
    if topics.len() > MAX_TOPICS {
        return None;
    }
    let topic = topics.first();
    let known = |sources: [_; 2]| {
        let indexes = indexes.iter().zip(sources);
        indexes.flat_map(move |(index, source)| index.with_topic(topic).iter().zip(repeat(source)))
    };
    let anonymous = indexes
        .iter()
        .zip(CONTRACT_SOURCES)
        .flat_map(|(index, source)| index.anonymous.iter().zip(repeat(source)));
    let own = known(CONTRACT_SOURCES).chain(anonymous).filter_map(|(event, source)| {
        match &event.source {
            EventSource::Address(address) if *address == emitter.address => {
                Some((event, SignatureSource::Address(*address)))
            }
            EventSource::Contract(name) if emitter.names.contains(&&**name) => {
                Some((event, source(name.clone())))
            }
            _ => None,
        }
    });
    let builtin =
        uses_builtin.then(|| BUILTIN_EVENTS.with_topic(topic)).into_iter().flatten().filter_map(
            |event| match event.source {
                EventSource::BuiltIn(heading) => Some((event, SignatureSource::BuiltIn(heading))),
                _ => None,
            },
        );
    let others = known(OTHER_SOURCES).map(|(event, source)| (event, source(event.origin())));
    own.chain(builtin)
        .chain(others)
        .find_map(|(event, source)| event.signature.decoded(topics, data, source))
}

/// Returns the events with a topic: the built-in ones if `uses_builtin`, then ABIs' own. Equal ones are
/// returned once.
pub(super) fn event_declarations(
    indexes: &[&EventIndex],
    topic: B256,
    uses_builtin: bool,
) -> Vec<SafeText> {
    let builtin = uses_builtin.then(|| BUILTIN_EVENTS.with_topic(Some(&topic)));
    let known = indexes.iter().flat_map(|index| index.with_topic(Some(&topic)));
    let mut found = Vec::new();
    for event in builtin.into_iter().flatten().chain(known) {
        let declaration = event.signature.declaration();
        if !found.contains(&declaration) {
            found.push(declaration);
        }
    }
    found
}

impl IndexedEvent {
    fn origin(&self) -> SafeText {
        match &self.source {
            EventSource::Address(address) => SafeText::new(&address.to_checksum(None)),
            EventSource::Contract(name) => name.clone(),
            EventSource::BuiltIn(heading) => SafeText::new(heading),
        }
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::{U256, address, b256};
    use proptest::prelude::*;

    use super::*;

    const TRANSFER: &str =
        "event Transfer(address indexed from, address indexed to, uint256 value)";
    const EMITTER: LogEmitter<'static> = LogEmitter {
        address: address!("00000000000000000000000000000000000000aa"),
        names: &["Coin"],
    };

    fn index(declarations: &[&str]) -> EventIndex {
        let events = declarations.iter().map(|text| EventSignature::parse(text).unwrap());
        let mut index = EventIndex::default();
        index.add_contract(None, &SafeText::new("Coin"), events.collect());
        index
    }

    fn word(value: u64) -> B256 {
        U256::from(value).into()
    }

    fn summary(index: &EventIndex, topics: &[B256], data: &[u8]) -> Option<String> {
        decode_event(&[index], EMITTER, topics, data, false)
            .map(|event| event.summary().to_string())
    }

    #[test]
    fn built_in_events_are_valid_and_unique() {
        let text = include_str!("../../../assets/events.txt");
        let lines = text.lines().filter(|line| !line.is_empty() && !line.starts_with('#'));
        let signatures: Vec<_> = lines.map(|line| EventSignature::parse(line).unwrap()).collect();
        let count = BUILTIN_EVENTS.by_topic.values().map(Vec::len).sum::<usize>();
        assert_eq!(count, signatures.len());
        let transfer = b256!("ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef");
        assert_eq!(BUILTIN_EVENTS.by_topic[&transfer].len(), 2, "ERC-20 and ERC-721");
    }

    #[test]
    fn events_are_bounded_like_signatures() {
        for (text, why) in [
            (format!("event {}()", "E".repeat(9_000)), "signature too long"),
            ("event E(uint[999][999])".into(), "types too large"),
        ] {
            assert_eq!(EventSignature::parse(&text).unwrap_err().to_string(), why);
        }
    }

    #[test]
    fn event_has_at_most_four_topics() {
        let declaration = "event E(uint256 indexed a, uint256 indexed b, uint256 indexed c)";
        let topic = EventSignature::parse(declaration).unwrap().topic();
        let topics = [topic, word(1), word(2), word(3), word(4)];
        let index = index(&[declaration]);
        assert!(summary(&index, &topics[..4], &[]).is_some());
        assert_eq!(summary(&index, &topics, &[]), None);
    }

    #[test]
    fn topics_and_data_are_decoded() {
        let index = index(&[TRANSFER, "event Named(string indexed name, uint256[] values)"]);
        let topic = EventSignature::parse(TRANSFER).unwrap().topic();
        let topics = [topic, word(1), word(2)];
        let decoded = decode_event(&[&index], EMITTER, &topics, word(7).as_slice(), false).unwrap();
        assert_eq!(
            &*decoded.signature,
            "Transfer(address indexed from, address indexed to, uint256 value)"
        );
        assert_eq!(decoded.arguments[2].argument.value, AbiValue::Uint(U256::from(7)));
        assert!(decoded.arguments[1].is_indexed && !decoded.is_guess());
        // Another number of indexed arguments, a dirty address, bytes left over.
        assert_eq!(summary(&index, &[topic, word(1), word(2), word(3)], &[]), None);
        assert_eq!(
            summary(&index, &[topic, word(1), B256::repeat_byte(1)], word(7).as_slice()),
            None
        );
        assert_eq!(summary(&index, &topics, &[0; 64]), None);
        let named = EventSignature::parse("event Named(string indexed name, uint256[] values)");
        let topics = [named.unwrap().topic(), B256::repeat_byte(9)];
        let data = [word(32), word(1), word(5)].concat();
        let arguments = decode_event(&[&index], EMITTER, &topics, &data, false).unwrap().arguments;
        assert_eq!(arguments[0].argument.value, AbiValue::FixedBytes(B256::repeat_byte(9), 32));
    }

    #[test]
    fn own_abi_comes_first_and_others_are_guesses() {
        let mut index = index(&["event Transfer(address indexed a, address indexed b, uint256 c)"]);
        let topic = EventSignature::parse(TRANSFER).unwrap().topic();
        let topics = [topic, word(1), word(2)];
        let data = word(7);
        let other = LogEmitter { names: &[], ..EMITTER };
        assert!(
            decode_event(&[&index], other, &topics, data.as_slice(), false).unwrap().is_guess()
        );
        let builtin = decode_event(&[&index], other, &topics, data.as_slice(), true).unwrap();
        assert_eq!((builtin.is_guess(), &*builtin.arguments[2].argument.name), (false, "value"));
        let own = decode_event(&[&index], EMITTER, &topics, data.as_slice(), true).unwrap();
        assert_eq!(&*own.arguments[2].argument.name, "c");
        let anonymous = EventSignature::parse("event Note(uint256 indexed id) anonymous").unwrap();
        index.add_contract(Some(EMITTER.address), &SafeText::default(), vec![anonymous]);
        assert_eq!(summary(&index, &[word(3)], &[]).as_deref(), Some("Note(3)"));
        let stranger = LogEmitter { address: Address::ZERO, ..other };
        assert!(decode_event(&[&index], stranger, &[word(3)], &[], true).is_none());
    }

    proptest! {
        #[test]
        fn any_log_is_decoded_or_refused(
            topics in prop::collection::vec(any::<[u8; 32]>(), 0..6),
            data in prop::collection::vec(any::<u8>(), 0..200),
            is_transfer in any::<bool>(),
        ) {
            let index = index(&[TRANSFER, "event A(string s, (uint8, bytes)[] t) anonymous"]);
            let mut topics: Vec<_> = topics.into_iter().map(B256::from).collect();
            if is_transfer && let Some(first) = topics.first_mut() {
                *first = EventSignature::parse(TRANSFER).unwrap().topic();
            }
            let _ = decode_event(&[&index], EMITTER, &topics, &data, true);
        }
    }
}
