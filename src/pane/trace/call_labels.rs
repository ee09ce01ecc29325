//! One-line labels of calls: the called contract and function with its arguments. Names come from the
//! user's labels, the name cache and known signatures; no request is made.

use std::borrow::Cow;

use super::call_decoding::{redecode_server_call, server_function_name};
use super::transfer_matching::TransferMap;
use crate::abi::{self, DecodedCall, SignatureDb, special_function_name};
use crate::api::transactions::Transaction;
use crate::chain::abbreviate::abbreviate;
use crate::chain::amount::Unit;
use crate::chain::network::Network;
use crate::chain::{Address, amount};
use crate::name_cache::NameCache;
use crate::sanitize::SafeText;
use crate::trace::export::CallNames;
use crate::trace::{BodySpan, CallFrame, CallKind, CallTree};
use crate::ui::format::cut;

/// Calldata above this size is decoded only in the detail of a call.
pub(super) const MAX_INLINE_CALLDATA_BYTES: usize = 4 << 10;
pub(super) const MAX_ARGUMENT_COLUMNS: usize = 42;

#[derive(Clone, Copy)]
pub struct CallFormatter<'a> {
    pub tree: &'a CallTree,
    pub signatures: &'a SignatureDb,
    pub name_cache: &'a NameCache,
    pub network: &'a Network,
    pub transaction: Option<&'a Transaction>,
    pub transfers: &'a TransferMap,
    /// The unit of native amounts: the current one on the screen, the coin in files and copies.
    pub unit: Unit,
    /// Whether addresses are written in full, beside their names.
    pub full_addresses: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidence {
    /// From the server, an ABI of this contract, or a call without calldata.
    Certain,
    /// By the selector only.
    Guess,
    Unknown,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallLabel {
    pub target: String,
    /// The function with its arguments, or the selector; empty for a plain transfer.
    pub function: String,
    pub name: Option<String>,
    pub confidence: Confidence,
}

impl CallLabel {
    pub fn line(&self) -> String {
        match (self.target.is_empty(), self.function.is_empty()) {
            (true, _) => self.function.clone(),
            (_, true) => self.target.clone(),
            _ => [&*self.target, ".", &self.function].concat(),
        }
    }

    fn new(target: String, function: String) -> Self {
        Self { target, function, name: None, confidence: Confidence::Certain }
    }

    fn undecoded(target: String, input: &[u8], length: u64) -> Self {
        let function = match input.get(..4) {
            Some(selector) => {
                let selector = alloy_primitives::hex::encode_prefixed(selector);
                format!("{selector}({})", byte_count(length.saturating_sub(4)))
            }
            None => format!("({})", byte_count(length)),
        };
        Self { confidence: Confidence::Unknown, ..Self::new(target, function) }
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
    pub fn address(&self, address: &Address) -> String {
        match (self.label(address), self.full_addresses) {
            (Some(label), true) => format!("{label} [{address}]"),
            (Some(label), false) => label.into_owned(),
            (None, true) => address.to_string(),
            (None, false) => abbreviate(address),
        }
    }

    /// Returns the user's label of an address, else its cached name.
    pub fn label(&self, address: &Address) -> Option<Cow<'a, str>> {
        let own = self.name_cache.labels().decorated_name(address).map(Cow::Owned);
        own.or_else(|| self.cached_name(address).map(|name| self.disambiguated(name, address)))
    }

    /// Appends the first digits of the address to a name that several addresses have.
    fn disambiguated(&self, name: &'a SafeText, address: &Address) -> Cow<'a, str> {
        if !self.name_cache.is_ambiguous(name) {
            return Cow::Borrowed(name);
        }
        let hash = address.to_string();
        Cow::Owned([name, "·", hash.get(2..6).unwrap_or_default()].concat())
    }

    /// Returns the cached name of an address, or its token's symbol.
    pub fn cached_name(&self, address: &Address) -> Option<&'a SafeText> {
        let name = self.name_cache.name(address)?;
        name.label.as_ref().or_else(|| name.token.as_ref().and_then(|token| token.symbol.as_ref()))
    }

    pub fn call_label(&self, number: u32) -> CallLabel {
        let Some(frame) = self.tree.get(number) else {
            let confidence = Confidence::Unknown;
            return CallLabel { confidence, ..CallLabel::new(String::new(), "?".into()) };
        };
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
        let created = match self.tree.address(frame.to) {
            Some(address) => self.address(&address),
            None => "contract".into(),
        };
        let size = self.tree.hex_len(frame.input).map_or("? bytes".into(), byte_count);
        CallLabel::new(String::new(), format!("new {created} ({size} of code)"))
    }

    fn selfdestruct_label(&self, frame: &CallFrame) -> CallLabel {
        let beneficiary = self.span_text(frame.to);
        CallLabel::new(self.span_text(frame.from), format!("selfdestruct(to {beneficiary})"))
    }

    fn calldata_label(&self, number: u32, frame: &CallFrame) -> CallLabel {
        let address = self.tree.address(frame.to);
        let length = self.tree.hex_len(frame.input).unwrap_or(0);
        let input = self.tree.hex(frame.input, MAX_INLINE_CALLDATA_BYTES).unwrap_or_default();
        if let Some(label) = address.and_then(|to| precompile_label(&to, &input)) {
            return label;
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
        if let Some(special) = special_function_name(&input) {
            let has_code =
                self.tree.end(number) > number + 1 || address.is_some_and(|a| self.is_contract(&a));
            let function = if has_code { special.into() } else { String::new() };
            return CallLabel::new(target, function);
        }
        if let Some(server) = self.server_decoding(number, frame) {
            return match redecode_server_call(server, &input) {
                Some(decoded) => self.decoded_label(target, address, &decoded, Confidence::Certain),
                None => CallLabel {
                    name: server_function_name(server),
                    ..CallLabel::new(target, self.server_call_text(server))
                },
            };
        }
        match self.decode(address, &input) {
            Some(decoded) if decoded.is_guess() => {
                self.decoded_label(target, address, &decoded, Confidence::Guess)
            }
            Some(decoded) => self.decoded_label(target, address, &decoded, Confidence::Certain),
            None => CallLabel::undecoded(target, &input, length),
        }
    }

    fn decoded_label(
        &self,
        target: String,
        address: Option<Address>,
        decoded: &DecodedCall,
        confidence: Confidence,
    ) -> CallLabel {
        let mark = if confidence == Confidence::Guess { "?" } else { "" };
        let arguments = self.arguments_text(address, decoded);
        let function = format!("{}{mark}({arguments})", decoded.name);
        CallLabel { target, function, name: Some(decoded.name.to_string()), confidence }
    }

    /// Returns whether the name cache shows that an address has code.
    fn is_contract(&self, address: &Address) -> bool {
        self.name_cache.name(address).is_some_and(|name| {
            name.is_verified || name.token.is_some() || !name.implementations.is_empty()
        })
    }

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
}

pub fn byte_count(n: u64) -> String {
    match n {
        1 => "1 byte".into(),
        n => format!("{} bytes", amount::group_digits(&n.to_string())),
    }
}

fn precompile_label(to: &Address, input: &[u8]) -> Option<CallLabel> {
    let precompile = abi::decode_precompile(to, input)?;
    let shown = precompile.arguments.iter().map(|argument| argument.value.summary());
    let shown: Vec<_> = shown.map(|text| cut(&text, MAX_ARGUMENT_COLUMNS).into_owned()).collect();
    let function = format!("⚙ {}({})", precompile.name, shown.join(", "));
    let name = Some(precompile.name.to_string());
    Some(CallLabel { name, ..CallLabel::new(String::new(), function) })
}
