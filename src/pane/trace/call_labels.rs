//! What calls are named with: addresses by what was seen of them, calldata by what is known of its
//! selector. No request is made for any of it.

use std::borrow::Cow;

use super::transfer_matching::{TraceTransfer, TransferMap};
use crate::abi::{self, AbiValue, DecodedCall, DecodedRevert, SignatureDb, special_function_name};
use crate::api::decoded_input::DecodedInput as ServerDecoded;
use crate::api::transactions::Transaction;
use crate::chain::abbreviate::{abbreviate, keep_ends};
use crate::chain::amount::Unit;
use crate::chain::network::Network;
use crate::chain::{Address, U256, amount};
use crate::name_cache::NameCache;
use crate::sanitize::SafeText;
use crate::trace::export::CallNames;
use crate::trace::{BodySpan, CallFrame, CallKind, CallTree};
use crate::ui::format::cut;

/// Calldata beyond this is decoded only where one call is looked at.
const MAX_INLINE_CALLDATA_BYTES: usize = 4 << 10;
/// Columns of one argument in a row.
const MAX_ARGUMENT_COLUMNS: usize = 42;
/// Lists and structs of no more than this are written out in a row.
const MAX_INLINE_ITEMS: usize = 3;

/// Everything that names are made of.
#[derive(Clone, Copy)]
pub struct CallFormatter<'a> {
    /// The trace.
    pub tree: &'a CallTree,
    /// Known signatures.
    pub signatures: &'a SignatureDb,
    /// Known addresses.
    pub name_cache: &'a NameCache,
    /// The chain.
    pub network: &'a Network,
    /// The transaction, where it is known.
    pub transaction: Option<&'a Transaction>,
    /// Token transfers by the calls that made them.
    pub transfers: &'a TransferMap,
    /// The unit of amounts: on the screen the one that is shown now, in files and copies the coin.
    pub unit: Unit,
}

/// How sure a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidence {
    /// The server said so, or an ABI of this very contract, or it needs no source.
    Certain,
    /// By the selector alone.
    Guess,
    /// Nobody knows.
    Unknown,
}

/// What a call is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallLabel {
    /// The contract.
    pub target: String,
    /// The function with its arguments, or the selector; empty where there is none.
    pub function: String,
    /// The function's name alone, as other programs are told it; none when it is not known.
    pub name: Option<String>,
    /// How sure that is.
    pub confidence: Confidence,
}

impl CallLabel {
    /// On one line.
    pub fn line(&self) -> String {
        match (self.target.is_empty(), self.function.is_empty()) {
            (true, _) => self.function.clone(),
            (_, true) => self.target.clone(),
            _ => [&*self.target, ".", &self.function].concat(),
        }
    }
}

impl CallNames for CallFormatter<'_> {
    fn call_text(&self, call: u32) -> String {
        self.call_label(call).line()
    }

    fn function_name(&self, call: u32) -> Option<String> {
        self.call_label(call).name
    }

    fn sent_value(&self, call: u32) -> Option<String> {
        self.call_value(call)
    }

    fn result_text(&self, call: u32) -> String {
        self.result_text(call)
    }

    fn address_name(&self, address: &Address) -> Option<Cow<'_, str>> {
        self.label(address)
    }
}

impl<'a> CallFormatter<'a> {
    /// An address as calls show it: its name, its token's symbol, or its ends.
    pub fn address(&self, address: &Address) -> String {
        self.label(address).map_or_else(|| abbreviate(address), Cow::into_owned)
    }

    /// What the user calls an address, or else the name that earlier answers gave it.
    pub fn label(&self, address: &Address) -> Option<Cow<'a, str>> {
        let own = self.name_cache.labels().decorated_name(address).map(Cow::Owned);
        own.or_else(|| self.cached_name(address).map(|name| self.disambiguated(name, address)))
    }

    /// A name, and where several addresses have it, how this one begins.
    fn disambiguated(&self, name: &'a SafeText, address: &Address) -> Cow<'a, str> {
        if !self.name_cache.is_ambiguous(name) {
            return Cow::Borrowed(name);
        }
        let hash = address.to_string();
        Cow::Owned([name, "·", hash.get(2..6).unwrap_or_default()].concat())
    }

    /// The name that earlier answers gave an address.
    pub fn cached_name(&self, address: &Address) -> Option<&'a SafeText> {
        let name = self.name_cache.name(address)?;
        name.label.as_ref().or_else(|| name.token.as_ref().and_then(|token| token.symbol.as_ref()))
    }

    /// What a frame calls, in words.
    pub fn call_label(&self, number: u32) -> CallLabel {
        let Some(frame) = self.tree.get(number) else { return CallLabel::unknown() };
        match frame.kind {
            CallKind::Create | CallKind::Create2 => self.creation_label(frame),
            CallKind::SelfDestruct => self.selfdestruct_label(frame),
            CallKind::Reward => CallLabel::new(self.span_text(frame.to), "reward".into()),
            _ => self.calldata_label(number, frame),
        }
    }

    fn span_text(&self, span: BodySpan) -> String {
        self.tree.address(span).map_or_else(|| "?".into(), |address| self.address(&address))
    }

    fn creation_label(&self, frame: &CallFrame) -> CallLabel {
        let what = match self.tree.address(frame.to) {
            Some(address) => self.address(&address),
            None => "contract".into(),
        };
        let size = self.tree.hex_len(frame.input).map_or("? bytes".into(), byte_count);
        CallLabel {
            name: None,
            ..CallLabel::new(String::new(), format!("new {what} ({size} of code)"))
        }
    }

    fn selfdestruct_label(&self, frame: &CallFrame) -> CallLabel {
        let heir = self.span_text(frame.to);
        CallLabel::new(self.span_text(frame.from), format!("selfdestruct(to {heir})"))
    }

    fn calldata_label(&self, number: u32, frame: &CallFrame) -> CallLabel {
        let address = self.tree.address(frame.to);
        let length = self.tree.hex_len(frame.input).unwrap_or(0);
        let input = self.tree.hex(frame.input, MAX_INLINE_CALLDATA_BYTES).unwrap_or_default();
        if let Some(precompile) = address.and_then(|to| abi::decode_precompile(&to, &input)) {
            let function =
                format!("{}({})", precompile.name, arguments_line(&precompile.arguments));
            return CallLabel {
                name: Some(precompile.name.to_string()),
                ..CallLabel::new("⚙".into(), function).joined_by_space()
            };
        }
        let target = match frame.kind {
            CallKind::DelegateCall | CallKind::CallCode => {
                format!("↪ {}", self.span_text(frame.to))
            }
            _ => self.span_text(frame.to),
        };
        if usize::try_from(length).is_ok_and(|length| length > MAX_INLINE_CALLDATA_BYTES) {
            return self.long_call_label(target, address, &input, length);
        }
        if let Some(unnamed) = special_function_name(&input) {
            let runs =
                self.tree.end(number) > number + 1 || address.is_some_and(|a| self.is_contract(&a));
            let function = if runs { unnamed.into() } else { String::new() };
            return CallLabel::new(target, function);
        }
        let by_server = self.server_decoding(number, frame);
        let decoded = by_server.and_then(|server| redecode_server_call(server, &input));
        if let (None, Some(server)) = (&decoded, by_server) {
            return CallLabel::new(target, self.server_call_text(server))
                .with_name(server_function_name(server));
        }
        let by_server = decoded.is_some();
        match decoded.or_else(|| self.decode(address, &input)) {
            Some(decoded) => {
                let mark = if decoded.is_guess() && !by_server { "?" } else { "" };
                let function =
                    format!("{}{mark}({})", decoded.name, self.arguments_text(address, &decoded));
                let certainty =
                    if mark.is_empty() { Confidence::Certain } else { Confidence::Guess };
                let name = Some(decoded.name.to_string());
                CallLabel { target, function, name, confidence: certainty }
            }
            None => CallLabel::undecoded(target, &input, length),
        }
    }

    /// Whether earlier answers showed code at an address.
    fn is_contract(&self, address: &Address) -> bool {
        self.name_cache.name(address).is_some_and(|name| {
            name.is_verified || name.token.is_some() || !name.implementations.is_empty()
        })
    }

    /// A call with too much calldata to read it for one row.
    fn long_call_label(
        &self,
        target: String,
        to: Option<Address>,
        head: &[u8],
        length: u64,
    ) -> CallLabel {
        let selector = head.first_chunk::<4>();
        let name =
            selector.and_then(|s| self.signatures.function_name(to, &self.abi_names(to), *s));
        match name {
            Some(name) => CallLabel {
                target,
                function: format!("{name}?({})", byte_count(length)),
                name: Some(name.to_string()),
                confidence: Confidence::Guess,
            },
            None => CallLabel::undecoded(target, head, length),
        }
    }

    /// Calldata as the book reads it.
    pub fn decode(&self, to: Option<Address>, input: &[u8]) -> Option<DecodedCall> {
        self.signatures.decode_call(to, &self.abi_names(to), input)
    }

    /// Under which names a user's ABI may be for this contract.
    fn abi_names(&self, address: Option<Address>) -> Vec<&'a str> {
        let Some(name) = address.and_then(|address| self.name_cache.name(&address)) else {
            return Vec::new();
        };
        let behind = name.implementations.iter().filter_map(|(_, name)| name.as_deref());
        name.label.as_deref().into_iter().chain(behind).collect()
    }

    /// The server's own decoding: of the transaction's call, and of any call that repeats it.
    pub fn server_decoding(&self, number: u32, frame: &CallFrame) -> Option<&'a ServerDecoded> {
        let decoded = self.transaction?.decoded_input.value()?;
        let root = self.tree.get(0)?;
        let same = || {
            self.tree.body.bytes(frame.to) == self.tree.body.bytes(root.to)
                && self.tree.body.bytes(frame.input) == self.tree.body.bytes(root.input)
        };
        (number == 0 || (frame.input.len() == root.input.len() && same())).then_some(decoded)
    }

    /// The server's own words for a call.
    fn server_call_text(&self, decoded: &ServerDecoded) -> String {
        let name = server_function_name(decoded).unwrap_or_else(|| "?".into());
        let parameters = decoded.parameters.value().into_iter().flatten();
        let values = parameters.map(|parameter| {
            let value = parameter.value.value().map_or("?".into(), |v| Cow::Borrowed(&*v.0));
            match value.parse::<Address>() {
                Ok(address) => self.address(&address),
                Err(_) => cut(&value, MAX_ARGUMENT_COLUMNS).into_owned(),
            }
        });
        format!("{name}({})", values.collect::<Vec<_>>().join(", "))
    }

    /// Arguments on one line: addresses by name, a token's amounts in its unit.
    fn arguments_text(&self, to: Option<Address>, decoded: &DecodedCall) -> String {
        let amount = self.token_amount_argument(to, decoded);
        let shown = decoded.arguments.iter().enumerate().map(|(n, argument)| match &amount {
            Some((at, amount)) if *at == n => amount.clone(),
            _ => self.value_text(&argument.value),
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    fn value_text(&self, value: &AbiValue) -> String {
        match value {
            AbiValue::Address(address) => self.address(address),
            AbiValue::Array(_, items) if items.len() <= MAX_INLINE_ITEMS => {
                self.inline_items(items, ("[", "]"))
            }
            AbiValue::Tuple(_, items) if items.len() <= MAX_INLINE_ITEMS => {
                self.inline_items(items, ("(", ")"))
            }
            value => cut(&value.summary(), MAX_ARGUMENT_COLUMNS).into_owned(),
        }
    }

    fn inline_items(&self, items: &[AbiValue], (open, close): (&str, &str)) -> String {
        let simple = |value: &AbiValue| !matches!(value, AbiValue::Array(..) | AbiValue::Tuple(..));
        if !items.iter().all(simple) {
            return format!("{open}{} items{close}", items.len());
        }
        let items: Vec<String> = items.iter().map(|item| self.value_text(item)).collect();
        [open, &items.join(", "), close].concat()
    }

    /// Which argument is an amount of the called token, and how it reads.
    fn token_amount_argument(
        &self,
        to: Option<Address>,
        decoded: &DecodedCall,
    ) -> Option<(usize, String)> {
        let at = match &*decoded.name {
            "transfer" | "approve" | "mint" | "increaseAllowance" | "decreaseAllowance" => 1,
            "transferFrom" => 2,
            "burn" | "withdraw" => 0,
            _ => return None,
        };
        let value = uint_value(&decoded.arguments.get(at)?.value)?;
        Some((at, self.token_units(&to?, value)?))
    }

    fn token_units(&self, token: &Address, value: U256) -> Option<String> {
        let decimals = self.name_cache.name(token)?.token.as_ref()?.decimals?;
        (value != U256::MAX).then(|| amount::format_exact(value, decimals))
    }

    /// What a call came back with, on one line.
    pub fn result_text(&self, number: u32) -> String {
        let Some(frame) = self.tree.get(number) else { return String::new() };
        if frame.failed() {
            return format!("✗ {}", self.failure_reason(number));
        }
        if let Some(transfer) = self.transfers.get(number) {
            return self.transfer_text(transfer);
        }
        let Some(length) = self.tree.hex_len(frame.output) else { return String::new() };
        if frame.kind.creates() {
            return format!("→ {} of code", byte_count(length));
        }
        match length {
            0 => "→ ()".into(),
            length => format!("→ {}", self.output_text(frame, length)),
        }
    }

    fn output_text(&self, frame: &CallFrame, length: u64) -> String {
        let quick = |span| self.tree.hex(span, MAX_INLINE_CALLDATA_BYTES).unwrap_or_default();
        let (to, output) = (self.tree.address(frame.to), quick(frame.output));
        let fits =
            |span| self.tree.hex_len(span).is_some_and(|n| n <= MAX_INLINE_CALLDATA_BYTES as u64);
        if fits(frame.output) && fits(frame.input) {
            let decoded = self.decode(to, &quick(frame.input));
            let returned = decoded.and_then(|d| {
                let values = self.signatures.decode_output(&d, &output)?;
                Some((d, values))
            });
            if let Some((decoded, values)) = returned.filter(|(_, values)| !values.is_empty()) {
                return self.return_values_text(to, &decoded, &values);
            }
        }
        match <[u8; 32]>::try_from(&*output) {
            Ok(word) => abbreviate_word(U256::from_be_bytes(word)),
            Err(_) => byte_count(length),
        }
    }

    fn return_values_text(
        &self,
        to: Option<Address>,
        decoded: &DecodedCall,
        values: &[abi::Argument],
    ) -> String {
        let balance = matches!(&*decoded.name, "balanceOf" | "totalSupply" | "allowance");
        let only = match values {
            [only] if balance => uint_value(&only.value).zip(to),
            _ => None,
        };
        let in_token = only.and_then(|(value, token)| {
            let symbol = self.name_cache.name(&token)?.token.as_ref()?.symbol.as_ref()?;
            Some(format!("{} {symbol}", self.token_units(&token, value)?))
        });
        in_token.unwrap_or_else(|| {
            values.iter().map(|v| self.value_text(&v.value)).collect::<Vec<_>>().join(", ")
        })
    }

    /// `→ 1,250.00 USDC ⇒ 0x55fe…5ba3`.
    pub fn transfer_text(&self, transfer: &TraceTransfer) -> String {
        format!("→ {} ⇒ {}", transfer.amount(), self.address(&transfer.to))
    }

    /// Why a frame failed: what its revert data say, else the node's own word.
    pub fn failure_reason(&self, number: u32) -> String {
        let Some(frame) = self.tree.get(number) else { return String::new() };
        let data = self.tree.hex(frame.output, MAX_INLINE_CALLDATA_BYTES).unwrap_or_default();
        match self.signatures.revert_reason(&data) {
            DecodedRevert::Empty => self.node_error(number, frame),
            reason => reason.describe().to_string(),
        }
    }

    /// The node's word, and a question where a call did nothing at all.
    pub fn node_error(&self, number: u32, frame: &CallFrame) -> String {
        let word = self.tree.text(frame.error).filter(|word| !word.is_empty());
        let word = word.map_or_else(|| "failed, no reason given".into(), |word| word.to_string());
        let idle = frame.gas_used() == Some(0) && self.tree.children(number).next().is_none();
        if idle && frame.kind == CallKind::Call {
            word + " (an address without code?)"
        } else {
            word
        }
    }

    /// An amount of the chain's coin.
    pub fn coin_amount(&self, wei: U256) -> String {
        match (self.unit, self.network.symbol.as_deref()) {
            (Unit::Coin, Some("ETH")) => {
                format!("Ξ{}", amount::format_exact(wei, self.network.decimals))
            }
            (unit, _) => unit.format_exact(wei, self.network),
        }
    }

    /// What a frame carries, if that is anything.
    pub fn call_value(&self, number: u32) -> Option<String> {
        let frame = self.tree.get(number).filter(|frame| frame.has_value())?;
        let shown = self.tree.value(number).map_or_else(|| "?".into(), |wei| self.coin_amount(wei));
        Some(match frame.kind {
            // It repeats the value of the call it runs in.
            CallKind::DelegateCall | CallKind::StaticCall => format!("({shown})"),
            _ => shown,
        })
    }
}

impl CallLabel {
    fn unknown() -> Self {
        Self { confidence: Confidence::Unknown, ..Self::new(String::new(), "?".into()) }
    }

    fn new(target: String, function: String) -> Self {
        Self { target, function, name: None, confidence: Confidence::Certain }
    }

    fn with_name(self, name: Option<String>) -> Self {
        Self { name, ..self }
    }

    /// A sign before the function, without the point of a contract's function.
    fn joined_by_space(self) -> Self {
        let function = [&*self.target, " ", &self.function].concat();
        Self { target: String::new(), function, ..self }
    }

    /// Calldata that nobody can name.
    fn undecoded(target: String, input: &[u8], length: u64) -> Self {
        let function = match input.get(..4) {
            Some(selector) => {
                let selector = alloy_primitives::hex::encode_prefixed(selector);
                format!("{selector}({})", byte_count(length.saturating_sub(4)))
            }
            None => format!("({})", byte_count(length)),
        };
        Self { target, function, name: None, confidence: Confidence::Unknown }
    }
}

/// `12 bytes`.
pub fn byte_count(n: u64) -> String {
    match n {
        1 => "1 byte".into(),
        n => format!("{} bytes", amount::group_digits(&n.to_string())),
    }
}

fn arguments_line(arguments: &[abi::Argument]) -> String {
    let shown = arguments
        .iter()
        .map(|argument| cut(&argument.value.summary(), MAX_ARGUMENT_COLUMNS).into_owned());
    shown.collect::<Vec<_>>().join(", ")
}

fn uint_value(value: &AbiValue) -> Option<U256> {
    match value {
        AbiValue::Uint(number) => Some(*number),
        _ => None,
    }
}

/// A single word of a return value that nobody can name: small numbers as such.
fn abbreviate_word(word: U256) -> String {
    if let Ok(small) = u64::try_from(word) {
        amount::group_digits(&small.to_string())
    } else {
        keep_ends(&format!("{word:#066x}"), 8, 6)
    }
}

/// The server's decoding done again by its own signature, for what its words leave open: values in
/// arrays, calls in bytes. None when that does not give the calldata back.
pub(super) fn redecode_server_call(server: &ServerDecoded, input: &[u8]) -> Option<DecodedCall> {
    let mut book = SignatureDb::builtin();
    book.add_signature(server.method_call.value()?).ok()?;
    let decoded = book.decode_call(None, &[], input)?;
    (!decoded.source.is_selector_only()).then_some(decoded)
}

fn server_function_name(decoded: &ServerDecoded) -> Option<String> {
    let call = decoded.method_call.value()?;
    call.split('(').next().map(str::to_owned)
}
