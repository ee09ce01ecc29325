//! The event of a log: as decoded by the explorer, else by known signatures.

use std::borrow::Cow;

use alloy_primitives::keccak256;
use serde_json::{Value, json};

use super::log_argument::{HASHED_KIND, LogArgument, is_hashed};
use super::token_amount::{known_token_amount, moved_amount, raw_note};
use crate::abi::{
    AbiValue, Argument, EventArgument, LogEmitter, SignatureDb, SignatureSource, ValueFormat,
    declared_arguments, is_unlimited,
};
use crate::api::decoded_input::{DecodedInput, DecodedParameter};
use crate::api::logs::Log;
use crate::chain::network::Network;
use crate::chain::{Address, B256, TxHash, U256, amount};
use crate::columns::RowContext;
use crate::messages::{approvals, column};
use crate::name_cache::NameCache;
use crate::sanitize::SafeText;
use crate::ui::format::width;

/// Maximum columns of names above each other.
const MAX_NAME_COLUMNS: usize = 16;

/// Events of liquidity pools with amounts of their two tokens by turns.
const POOL_EVENTS: [&str; 4] = ["Swap", "Sync", "Mint", "Burn"];
/// Types of such amounts, in the pools of Uniswap V2 and V3.
const POOL_AMOUNT_KINDS: [&str; 3] = ["uint256", "int256", "uint112"];
/// An event of pools whose amounts have a type that is liquidity in others.
const COLLECT_EVENT: &str = "Collect";
const COLLECTED_KIND: &str = "uint128";
/// An event of pools with what went in, then with what went out.
const SWAP_EVENT: &str = "Swap";

#[derive(Debug)]
pub struct LogEvent {
    pub name: SafeText,
    /// The name with the types and names of the parameters.
    pub signature: SafeText,
    /// Source of the signature, unless the explorer decoded the event.
    source: Option<SignatureSource>,
    emitter: Option<Address>,
    transaction: Option<TxHash>,
    /// `true` if the log may belong to another event with the same topic.
    is_guess: bool,
    pub arguments: Vec<LogArgument>,
}

impl LogEvent {
    /// Decodes an event, with the texts of arrays and structs.
    pub fn new(log: &Log, signatures: &SignatureDb) -> Option<Self> {
        Self::decode(log, signatures, whole_text)
    }

    /// Decodes an event for a row, which is drawn with every frame: an array may have thousands of items.
    pub fn in_row(log: &Log, signatures: &SignatureDb) -> Option<Self> {
        Self::decode(log, signatures, text_in_row)
    }

    fn decode(log: &Log, signatures: &SignatureDb, text: ValueText) -> Option<Self> {
        let of_server = log.decoded.value().and_then(|decoded| Self::from_server(decoded, text));
        let event = of_server.or_else(|| {
            let contract = log.address.value()?;
            let names: Vec<&str> = contract.contract_names().collect();
            let emitter = LogEmitter { address: contract.hash, names: &names };
            let event = signatures.decode_event(emitter, log.topics(), log.data.value()?)?;
            let arguments = event.arguments.iter().map(|EventArgument { argument, is_indexed }| {
                let value = argument.value.format_full(ValueFormat::Natural);
                let is_hashed = *is_indexed && is_hashed(&argument.type_name, &value);
                let kind = if is_hashed { HASHED_KIND.into() } else { argument.type_name.clone() };
                LogArgument::new(argument, kind, text(&argument.value))
            });
            Some(Self {
                is_guess: event.is_guess(),
                arguments: arguments.collect(),
                name: event.name,
                signature: event.signature,
                source: Some(event.source),
                emitter: None,
                transaction: None,
            })
        })?;
        let emitter = log.address.value().map(|contract| contract.hash);
        let transaction = log.transaction_hash.value().copied();
        Some(Self { emitter, transaction, ..event }.with_pool_amounts())
    }

    /// Finds the amounts of a pool's two tokens.
    fn with_pool_amounts(mut self) -> Self {
        let kinds: &[&str] = match &*self.name {
            COLLECT_EVENT => &[COLLECTED_KIND],
            name if POOL_EVENTS.contains(&name) => &POOL_AMOUNT_KINDS,
            _ => &[],
        };
        let is_amount = |argument: &&mut LogArgument| kinds.contains(&&*argument.kind);
        let amounts: Vec<_> = self.arguments.iter_mut().filter(is_amount).collect();
        // Pools with signed amounts have one for each token.
        let signs =
            if &*self.name == SWAP_EVENT && amounts.len() == 4 { ["+", "−"] } else { [""; 2] };
        if let 2 | 4 = amounts.len() {
            for (n, amount) in amounts.into_iter().enumerate() {
                amount.pool_token = Some(n % 2);
                amount.pool_sign = signs.get(n / 2).copied().unwrap_or_default();
            }
        }
        self
    }

    fn from_server(decoded: &DecodedInput, text: ValueText) -> Option<Self> {
        let signature = decoded.method_call.value()?;
        let parameters = decoded.parameters.value().map(Vec::as_slice).unwrap_or_default();
        let sent = |parameter: &DecodedParameter| {
            parameter.value.value().map_or("?".into(), |value| value.0.clone())
        };
        let kind = |parameter: &DecodedParameter| {
            let kind = parameter.kind.value().cloned().unwrap_or_default();
            let is_indexed = parameter.indexed.value() == Some(&true);
            let is_hashed = is_indexed && is_hashed(&kind, &sent(parameter));
            if is_hashed { HASHED_KIND.into() } else { kind }
        };
        let texts = parameters.iter().map(|parameter| parameter.value.value().map(|v| &*v.0));
        let has_parts =
            signature.split_once('(').is_some_and(|(_, rest)| rest.contains(['(', '[']));
        let with_parts = has_parts.then(|| declared_arguments(signature, texts)).flatten();
        let arguments = if let Some(arguments) = with_parts {
            let pairs = arguments.iter().zip(parameters);
            let argument = |(argument, parameter): (&Argument, _)| {
                LogArgument::new(argument, kind(parameter), text(&argument.value))
            };
            pairs.map(argument).collect()
        } else {
            let argument = |parameter: &DecodedParameter| LogArgument {
                name: parameter.name.value().map(|name| name.0.clone()).unwrap_or_default(),
                kind: kind(parameter),
                value: sent(parameter),
                structure: None,
                pool_token: None,
                pool_sign: "",
            };
            parameters.iter().map(argument).collect()
        };
        Some(Self {
            name: signature.name().into(),
            signature: signature.0.clone(),
            source: None,
            emitter: None,
            transaction: None,
            is_guess: false,
            arguments,
        })
    }

    /// Describes the source of the signature.
    pub fn source(&self, network: &Network) -> SafeText {
        match &self.source {
            Some(source) => source.describe(),
            None => column::decoded_by_explorer(&network.endpoint).into(),
        }
    }

    pub fn is_guess(&self) -> bool {
        self.is_guess
    }

    /// Returns the name, with a `?` if it is a guess.
    pub fn title(&self) -> String {
        [&*self.name, if self.is_guess { "?" } else { "" }].concat()
    }

    /// Formats each argument after a column of names, an address in full, an amount next to its exact integer.
    pub fn argument_texts(&self, cx: &RowContext<'_>) -> impl Iterator<Item = String> {
        let widest = self.arguments.iter().map(|argument| width(&argument.name)).max();
        let columns = widest.unwrap_or_default().min(MAX_NAME_COLUMNS);
        self.arguments.iter().map(move |argument| {
            let LogArgument { name, value, .. } = argument;
            let known = match argument.address() {
                Some(address) => cx.name_cache.short_name(&address).map(Cow::into_owned),
                None => self.amount(argument, cx),
            };
            let exact = if argument.kind.contains("int") {
                amount::group_whole_integer(value)
            } else {
                Cow::Borrowed(&**value)
            };
            let name = format!("{name}{:1$}", "", columns.saturating_sub(width(name)));
            let parts = match (argument.address(), &known) {
                (None, Some(amount)) => [&*name, amount, &*raw_note(amount, &exact)],
                (_, known) => [&*name, &*exact, known.as_deref().unwrap_or_default()],
            };
            parts.into_iter().filter(|part| !part.is_empty()).collect::<Vec<_>>().join(" ")
        })
    }

    /// Returns the arguments as a JSON list in their order: numbers as decimal strings. A guess has none.
    pub fn arguments_json(&self) -> Option<Value> {
        let arguments = self.arguments.iter().map(|argument| {
            json!({ "name": &*argument.name, "type": &*argument.kind, "value": argument.json() })
        });
        (!self.is_guess).then(|| Value::Array(arguments.collect()))
    }

    /// Returns the number in the unit of a token, as far as the event and what is around it give one.
    pub(super) fn amount(&self, argument: &LogArgument, cx: &RowContext<'_>) -> Option<String> {
        self.token_amount(argument, cx.name_cache).or_else(|| argument.queried_amount(cx))
    }

    /// Writes an argument that is a hash as what it is of: `keccak256("hello")`, or `keccak256` if that is unknown.
    pub fn hash_note(&self, argument: &LogArgument, names: &NameCache) -> Option<String> {
        let text = self.hashed_text(argument, names).map(|text| format!("(\"{text}\")"));
        let is_hash = &*argument.kind == HASHED_KIND;
        is_hash.then(|| [HASHED_KIND, &text.unwrap_or_default()].concat())
    }

    /// Returns the text of which an argument is the hash, if it is in the event or in the transaction's call.
    pub(super) fn hashed_text(
        &self,
        argument: &LogArgument,
        names: &NameCache,
    ) -> Option<SafeText> {
        let hash: B256 = argument.value.parse().ok().filter(|_| &*argument.kind == HASHED_KIND)?;
        let own = self.arguments.iter().filter(|other| &*other.kind == "string");
        let sent = self.transaction.and_then(|hash| names.transaction(&hash)?.parsed.as_ref().ok());
        let call = sent.and_then(|sent| sent.decoded_input.value()?.parameters.value());
        let called = call.into_iter().flatten().filter_map(|parameter| {
            let text = &parameter.value.value()?.0;
            parameter.kind.value().is_some_and(|kind| *kind == "string").then_some(text)
        });
        let mut texts = own.map(|other| &other.value).chain(called);
        texts.find(|text| keccak256(text.as_bytes()) == hash).cloned()
    }

    /// Returns the amount in a transfer or an approval of a known token or in an event of its pool, or an
    /// amount that the transaction moved: `2,490.26 WTH`.
    pub fn token_amount(&self, argument: &LogArgument, names: &NameCache) -> Option<String> {
        if let Some(amount) = self.pool_amount(argument, names) {
            return Some(amount);
        }
        let value = || argument.value.parse::<U256>().ok();
        if !argument.kind.starts_with("uint") {
            return None;
        }
        if matches!(&*self.name, "Transfer" | "Approval") && argument.kind == "uint256" {
            let (token, value) = (self.emitter?, value()?);
            let is_allowance = self.name == "Approval" && names.is_erc20(&token);
            if is_allowance && is_unlimited(value) {
                return Some(approvals::UNLIMITED.to_owned());
            }
            return known_token_amount(names, &token, value);
        }
        moved_amount(names, &self.transaction?, value()?)
    }

    /// Returns an amount that a pool reports of one of its tokens. What left a pool may be negative.
    fn pool_amount(&self, argument: &LogArgument, names: &NameCache) -> Option<String> {
        let token = names.pool_tokens(&self.emitter?)?.get(argument.pool_token?)?;
        let (sign, digits) = match argument.value.strip_prefix('-') {
            Some(digits) => ("−", digits),
            None => ("", &*argument.value),
        };
        let value = digits.parse::<U256>().ok().filter(|value| !value.is_zero())?;
        Some([sign, &*known_token_amount(names, token, value)?].concat())
    }
}

/// Formats the value of an argument.
type ValueText = fn(&AbiValue) -> SafeText;

fn whole_text(value: &AbiValue) -> SafeText {
    value.format_full(ValueFormat::Natural)
}

/// Formats a value, without the text of arrays and structs.
fn text_in_row(value: &AbiValue) -> SafeText {
    match value {
        AbiValue::Array(..) | AbiValue::Tuple(..) => SafeText::default(),
        value => whole_text(value),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::value::RawValue;

    use super::super::log_line::ArgumentForm;
    use super::*;
    use crate::api::Item;
    use crate::chain::hash_abbreviation::Abbreviator;

    #[test]
    fn fields_of_a_struct_that_the_server_decoded_have_their_names() {
        let json = r#"{"topics":[],"data":"0x","decoded":{
            "method_call":"Placed(address indexed who, (uint256 id, address[] by) order)",
            "parameters":[
                {"name":"who","type":"address","value":"0x70997970C51812dc3A010C7d01b50e0d17dc79C8"},
                {"name":"order","type":"(uint256,address[])","value":["1",[]]}]}}"#;
        let log = RawValue::from_string(json.to_owned()).unwrap();
        let log = Item::<Log>::from_json(&log).parsed.unwrap();
        let event = LogEvent::new(&log, &SignatureDb::default()).unwrap();
        let line = |line: &LogArgument| format!("{} {}", line.name, line.value);
        let lines: Vec<_> = event.arguments.iter().map(line).collect();
        let who = "who 0x70997970C51812dc3A010C7d01b50e0d17dc79C8";
        assert_eq!(lines, [who, "order (id: 1, by: [])"]);
        let names = |json: &Value| json["value"][0]["name"].clone();
        let json = event.arguments_json().unwrap();
        assert_eq!(names(&json[1]), json!("id"), "{json}");
    }

    #[test]
    fn arguments_of_one_name_are_all_in_json() {
        let json = r#"{"topics":[],"data":"0x","decoded":{
            "method_call":"Moved(uint256 a, bool a)",
            "parameters":[{"name":"a","type":"uint256","value":"1"},
                {"name":"a","type":"bool","value":"true"}]}}"#;
        let log = RawValue::from_string(json.to_owned()).unwrap();
        let log = Item::<Log>::from_json(&log).parsed.unwrap();
        let event = LogEvent::in_row(&log, &SignatureDb::default()).unwrap();
        let expected = json!([{"name": "a", "type": "uint256", "value": "1"},
            {"name": "a", "type": "bool", "value": true}]);
        assert_eq!(event.arguments_json(), Some(expected));
    }

    #[test]
    fn indexed_text_is_its_hash_and_known_if_the_event_has_it() {
        let hash = keccak256("hello");
        let event = |note: &str| {
            let json = format!(
                r#"{{"topics":[],"data":"0x","decoded":{{
                "method_call":"Noted(string indexed memo, bytes32 indexed id, string note)",
                "parameters":[
                    {{"name":"memo","type":"string","indexed":true,"value":"{hash}"}},
                    {{"name":"id","type":"bytes32","indexed":true,"value":"{hash}"}},
                    {{"name":"note","type":"string","indexed":false,"value":"{note}"}}]}}}}"#
            );
            let log = RawValue::from_string(json).unwrap();
            let log = Item::<Log>::from_json(&log).parsed.unwrap();
            let event = LogEvent::new(&log, &SignatureDb::default()).unwrap();
            let kinds: Vec<_> = event.arguments.iter().map(|one| one.kind.to_string()).collect();
            assert_eq!(kinds, ["keccak256", "bytes32", "string"]);
            let short = Abbreviator::default();
            let cx = RowContext { abbreviator: Some(&short), ..RowContext::blank() };
            let line = event.summary(&cx, usize::MAX);
            line.iter().map(|part| &*part.text).collect::<String>()
        };
        for (note, start) in [
            ("hello", r#"Noted(memo keccak256 "hello" · id 0x1c8a"#),
            ("other", "Noted(memo keccak256 0x1c8aff…"),
        ] {
            assert!(event(note).starts_with(start), "{}", event(note));
        }
    }

    #[test]
    fn arrays_that_the_server_decoded_have_no_text_in_a_row() {
        let json = r#"{"topics":[],"data":"0x","decoded":{
            "method_call":"Moved(uint256[] ids)",
            "parameters":[{"name":"ids","type":"uint256[]","value":["11","12","13","14","15"]}]}}"#;
        let log = RawValue::from_string(json.to_owned()).unwrap();
        let log = Item::<Log>::from_json(&log).parsed.unwrap();
        let event = LogEvent::new(&log, &SignatureDb::default()).unwrap();
        assert_eq!(&*event.arguments[0].value, "[11, 12, 13, 14, 15]");
        let in_row = LogEvent::in_row(&log, &SignatureDb::default()).unwrap();
        assert_eq!(&*in_row.arguments[0].value, "");
        let short = Abbreviator::default();
        let cx = RowContext { abbreviator: Some(&short), ..RowContext::blank() };
        assert_eq!(in_row.summary(&cx, usize::MAX), event.summary(&cx, usize::MAX));
    }

    #[test]
    fn collected_amounts_of_a_pool_go_to_a_recipient_for_the_owner() {
        let party = |digit: &str| ["0x", &digit.repeat(40)].concat();
        let argument = |name: &str, kind: &str, value: &str| serde_json::json!({"name": name, "type": kind, "value": value});
        let json = serde_json::json!({"topics": [], "data": "0x", "decoded": {
            "method_call": "Collect(address indexed owner, address recipient, int24 indexed tickLower, int24 indexed tickUpper, uint128 amount0, uint128 amount1)",
            "parameters": [
                argument("owner", "address", &party("1")),
                argument("tickLower", "int24", "-60"),
                argument("tickUpper", "int24", "60"),
                argument("recipient", "address", &party("2")),
                argument("amount0", "uint128", "7"),
                argument("amount1", "uint128", "0"),
            ],
        }});
        let raw = serde_json::value::to_raw_value(&json).unwrap();
        let log = Item::<Log>::from_json(&raw).parsed.unwrap();
        let event = LogEvent::new(&log, &SignatureDb::default()).unwrap();
        let short = Abbreviator::default();
        let cx = RowContext { abbreviator: Some(&short), ..RowContext::blank() };
        let form =
            ArgumentForm { has_address_names: true, has_amount_names: true, has_marks: false };
        let words = event.arguments_line(&cx, form, usize::MAX);
        let line: String = words.iter().map(|part| &*part.text).collect();
        assert!(line.starts_with("amount0 7 → 0x2222…2222 · owner 0x1111…1111"), "{line}");
    }

    /// Returns the arguments of a swap that a pool of two unknown tokens reports, in a line.
    fn swap_line(width: usize, has_address_names: bool) -> String {
        let [sender, to] = ["0x70997970C51812dc3A010C7d01b50e0d17dc79C8"; 2];
        let json = format!(
            r#"{{"topics":[],"data":"0x","decoded":{{
            "method_call":"Swap(address from, uint256 in0, uint256 in1, uint256 out0, uint256 out1, address to)",
            "parameters":[
                {{"name":"from","type":"address","value":"{sender}"}},
                {{"name":"to","type":"address","value":"{to}"}},
                {{"name":"in0","type":"uint256","value":"1234567"}},
                {{"name":"in1","type":"uint256","value":"0"}},
                {{"name":"out0","type":"uint256","value":"0"}},
                {{"name":"out1","type":"uint256","value":"7654321"}}]}}}}"#
        );
        let log = RawValue::from_string(json).unwrap();
        let log = Item::<Log>::from_json(&log).parsed.unwrap();
        let event = LogEvent::new(&log, &SignatureDb::default()).unwrap();
        let short = Abbreviator::default();
        let cx = RowContext { abbreviator: Some(&short), ..RowContext::blank() };
        let form = ArgumentForm { has_address_names, has_amount_names: true, has_marks: false };
        event.arguments_line(&cx, form, width).iter().map(|part| &*part.text).collect()
    }

    #[test]
    fn narrow_lines_leave_out_names_before_values() {
        let moved = "in0 1,234,567 · out1 7,654,321";
        let to = [moved, " → 0x7099…79C8"].concat();
        assert_eq!(swap_line(100, true), to, "without the sender and what did not move");
        assert_eq!(swap_line(50, false), to, "in the same form");
        let unnamed = "+1,234,567 · −7,654,321 → 0x7099…79C8";
        assert_eq!(swap_line(37, false), unnamed, "rather the recipient than names");
        assert_eq!(swap_line(33, false), [moved, " …"].concat(), "no part of an address");
        assert_eq!(swap_line(28, false), "in0 1,234,567 · 7,654,321 …");
        assert_eq!(swap_line(20, false), "in0 1,234,567 …", "no part of a number");
    }
}
