//! The event of a log: as decoded by the explorer, else by known signatures.

use super::RowContext;
use crate::abi::{DecodedEvent, LogEmitter, SignatureDb, ValueFormat, ValueLine};
use crate::api::decoded_input::DecodedInput;
use crate::api::logs::Log;
use crate::chain::significant_digits::format_readable;
use crate::chain::{Address, U256, amount};
use crate::messages::column;
use crate::safety::confusables::spoofed_symbol;
use crate::sanitize::SafeText;
use crate::ui::format::cut;

/// Maximum columns of an argument in a line with others.
const MAX_VALUE_COLUMNS: usize = 42;
/// Maximum listed values of an event with arrays and structs.
const MAX_VALUES: usize = 1_000;

#[derive(Debug)]
pub struct LogEvent {
    pub name: SafeText,
    /// The name with the types and names of the parameters.
    pub signature: SafeText,
    /// Source of the signature.
    pub source: SafeText,
    emitter: Option<Address>,
    /// `true` if the log may belong to another event with the same topic.
    is_guess: bool,
    pub arguments: Vec<LogArgument>,
}

#[derive(Debug)]
pub struct LogArgument {
    /// The depth in arrays and structs.
    pub depth: usize,
    pub name: SafeText,
    pub kind: SafeText,
    pub value: SafeText,
}

impl LogEvent {
    pub fn new(log: &Log, signatures: &SignatureDb) -> Option<Self> {
        let event = log.decoded.value().and_then(Self::from_server).or_else(|| {
            let contract = log.address.value()?;
            let names: Vec<&str> = contract.contract_names().collect();
            let emitter = LogEmitter { address: contract.hash, names: &names };
            let event = signatures.decode_event(emitter, log.topics(), log.data.value()?)?;
            Some(Self::from_signature(&event))
        })?;
        Some(Self { emitter: log.address.value().map(|contract| contract.hash), ..event })
    }

    fn from_server(decoded: &DecodedInput) -> Option<Self> {
        let signature = decoded.method_call.value()?;
        let parameters = decoded.parameters.value().into_iter().flatten();
        let arguments = parameters.map(|parameter| LogArgument {
            depth: 0,
            name: parameter.name.value().map(|name| name.0.clone()).unwrap_or_default(),
            kind: parameter.kind.value().cloned().unwrap_or_default(),
            value: parameter.value.value().map_or("?".into(), |value| value.0.clone()),
        });
        Some(Self {
            name: signature.name().into(),
            signature: signature.0.clone(),
            source: column::DECODED_BY_EXPLORER.into(),
            emitter: None,
            is_guess: false,
            arguments: arguments.collect(),
        })
    }

    fn from_signature(event: &DecodedEvent) -> Self {
        let arguments: Vec<_> =
            event.arguments.iter().map(|argument| argument.argument.clone()).collect();
        let lines = ValueLine::of_arguments(&arguments, MAX_VALUES).into_iter();
        let arguments = lines.map(|line| LogArgument {
            depth: line.depth,
            name: line.label,
            kind: line.type_name,
            value: line.value.format_full(ValueFormat::Natural),
        });
        Self {
            name: event.name.clone(),
            signature: event.signature.clone(),
            source: event.source.describe(),
            emitter: None,
            is_guess: event.is_guess(),
            arguments: arguments.collect(),
        }
    }

    /// Returns the name, with a `?` if it is a guess.
    pub fn title(&self) -> String {
        [&*self.name, if self.is_guess { "?" } else { "" }].concat()
    }

    /// Formats the event in one line: `Transfer(from alice, to 0x7099…79C8, value 2.5 GLD)`.
    pub fn summary(&self, cx: &RowContext<'_>) -> String {
        format!("{}({})", self.title(), self.arguments_text(cx))
    }

    /// Formats the arguments in one line: `from alice, to 0x7099…79C8, value 2.5 GLD`.
    pub fn arguments_text(&self, cx: &RowContext<'_>) -> String {
        let arguments = self.arguments.iter().filter(|argument| argument.depth == 0);
        let arguments = arguments.map(|argument| {
            let value = match argument.address() {
                Some(address) => short_name(&address, cx),
                None if cx.is_in_full() => argument.value.to_string(),
                None => self.token_amount(argument, cx).unwrap_or_else(|| argument.short_value()),
            };
            [&argument.name, " ", &value].concat().trim_start().to_owned()
        });
        arguments.collect::<Vec<_>>().join(", ")
    }

    /// Returns the amount in a transfer or an approval of a known token: `2,490.26 WTH`.
    fn token_amount(&self, argument: &LogArgument, cx: &RowContext<'_>) -> Option<String> {
        let is_amount =
            matches!(&*self.name, "Transfer" | "Approval") && *argument.kind == *"uint256";
        let token = cx.name_cache.name(&self.emitter.filter(|_| is_amount)?)?.token.as_ref()?;
        let (symbol, decimals) = (token.symbol.as_ref()?, token.decimals?);
        let is_fungible = token.standard.as_ref().is_none_or(|standard| **standard == *"ERC-20");
        let value: U256 = argument.value.parse().ok()?;
        let mark = if spoofed_symbol(symbol).is_some() { "!" } else { "" };
        let shown = format_readable(value, decimals).text;
        (is_fungible && value != U256::MAX).then(|| format!("{shown} {mark}{symbol}"))
    }
}

impl LogArgument {
    fn short_value(&self) -> String {
        if self.kind.contains("int") {
            amount::abbreviate_integer(&self.value).into_owned()
        } else {
            cut(&self.value, MAX_VALUE_COLUMNS).into_owned()
        }
    }

    pub fn address(&self) -> Option<Address> {
        (*self.kind == *"address").then(|| self.value.parse().ok())?
    }
}

/// Returns the name of an address, or the address if it has none or everything is in full.
fn short_name(address: &Address, cx: &RowContext<'_>) -> String {
    let name = cx.name_cache.short_name(address);
    name.filter(|_| !cx.is_in_full()).map_or_else(
        || cx.short_address(address),
        |name| cut(&name, MAX_VALUE_COLUMNS / 2).into_owned(),
    )
}
