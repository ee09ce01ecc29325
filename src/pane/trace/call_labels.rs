//! What calls are named with: addresses by what was seen of them, calldata by what is known of its
//! selector. No request is made for any of it.

use std::borrow::Cow;

use super::transfer_matching::{Overlay, Transfer};
use crate::abi::{self, Book, Decoded, Reason, Value, unnamed};
use crate::api::decoded_input::Decoded as ServerDecoded;
use crate::api::transactions::Transaction;
use crate::chain::amount::Unit;
use crate::chain::network::Network;
use crate::chain::{Address, U256, amount};
use crate::name_cache::Seen;
use crate::sanitize::Text;
use crate::trace::{Frame, Kind, Span, Tree};
use crate::ui::format::{cut, short_address};

/// Calldata beyond this is decoded only where one call is looked at.
const QUICK: usize = 4 << 10;
/// Columns of one argument in a row.
const ARGUMENT: usize = 42;
/// Lists and structs of no more than this are written out in a row.
const FEW: usize = 3;

/// Everything that names are made of.
#[derive(Clone, Copy)]
pub struct Names<'a> {
    /// The trace.
    pub tree: &'a Tree,
    /// Known signatures.
    pub book: &'a Book,
    /// Known addresses.
    pub seen: &'a Seen,
    /// The chain.
    pub network: &'a Network,
    /// The transaction, where it is known.
    pub transaction: Option<&'a Transaction>,
    /// Token transfers by the calls that made them.
    pub overlay: &'a Overlay,
    /// The unit of amounts: on the screen the one that is shown now, in files and copies the coin.
    pub unit: Unit,
}

/// How sure a name is.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Certainty {
    /// The server said so, or an ABI of this very contract, or it needs no source.
    Sure,
    /// By the selector alone.
    Guess,
    /// Nobody knows.
    None,
}

/// What a call is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Called {
    /// The contract.
    pub target: String,
    /// The function with its arguments, or the selector; empty where there is none.
    pub function: String,
    /// The function's name alone, as other programs are told it; none when it is not known.
    pub name: Option<String>,
    /// How sure that is.
    pub certainty: Certainty,
}

impl Called {
    /// On one line.
    pub fn line(&self) -> String {
        match (self.target.is_empty(), self.function.is_empty()) {
            (true, _) => self.function.clone(),
            (_, true) => self.target.clone(),
            _ => [&*self.target, ".", &self.function].concat(),
        }
    }
}

impl<'a> Names<'a> {
    /// An address as calls show it: its name, its token's symbol, or its ends.
    pub fn address(&self, address: &Address) -> String {
        self.label(address).map_or_else(|| short_address(address), Cow::into_owned)
    }

    /// What the user calls an address, or else the name that earlier answers gave it.
    pub fn label(&self, address: &Address) -> Option<Cow<'a, str>> {
        let own = self.seen.labels().shown(address).map(Cow::Owned);
        own.or_else(|| self.given(address).map(|name| self.told_apart(name, address)))
    }

    /// A name, and where several addresses have it, how this one begins.
    fn told_apart(&self, name: &'a Text, address: &Address) -> Cow<'a, str> {
        if !self.seen.is_shared(name) {
            return Cow::Borrowed(name);
        }
        let hash = address.to_string();
        Cow::Owned([name, "·", hash.get(2..6).unwrap_or_default()].concat())
    }

    /// The name that earlier answers gave an address.
    pub fn given(&self, address: &Address) -> Option<&'a Text> {
        let name = self.seen.name(address)?;
        name.label.as_ref().or_else(|| name.token.as_ref().and_then(|token| token.symbol.as_ref()))
    }

    /// What a frame calls, in words.
    pub fn called(&self, number: u32) -> Called {
        let Some(frame) = self.tree.get(number) else { return Called::unknown() };
        match frame.kind {
            Kind::Create | Kind::Create2 => self.creation(frame),
            Kind::SelfDestruct => self.selfdestruct(frame),
            Kind::Reward => Called::plain(self.at(frame.to), "reward".into()),
            _ => self.call(number, frame),
        }
    }

    fn at(&self, span: Span) -> String {
        self.tree.address(span).map_or_else(|| "?".into(), |address| self.address(&address))
    }

    fn creation(&self, frame: &Frame) -> Called {
        let what = match self.tree.address(frame.to) {
            Some(address) => self.address(&address),
            None => "contract".into(),
        };
        let size = self.tree.hex_len(frame.input).map_or("? bytes".into(), bytes);
        Called {
            name: None,
            ..Called::plain(String::new(), format!("new {what} ({size} of code)"))
        }
    }

    fn selfdestruct(&self, frame: &Frame) -> Called {
        let heir = self.at(frame.to);
        Called::plain(self.at(frame.from), format!("selfdestruct(to {heir})"))
    }

    fn call(&self, number: u32, frame: &Frame) -> Called {
        let address = self.tree.address(frame.to);
        let length = self.tree.hex_len(frame.input).unwrap_or(0);
        let input = self.tree.hex(frame.input, QUICK).unwrap_or_default();
        if let Some(precompile) = address.and_then(|to| abi::precompile(&to, &input)) {
            let function = format!("{}({})", precompile.name, line(&precompile.arguments));
            return Called {
                name: Some(precompile.name.to_string()),
                ..Called::plain("⚙".into(), function).unjoined()
            };
        }
        let target = match frame.kind {
            Kind::DelegateCall | Kind::CallCode => format!("↪ {}", self.at(frame.to)),
            _ => self.at(frame.to),
        };
        if usize::try_from(length).is_ok_and(|length| length > QUICK) {
            return self.long_call(target, address, &input, length);
        }
        if let Some(unnamed) = unnamed(&input) {
            let runs =
                self.tree.end(number) > number + 1 || address.is_some_and(|a| self.is_contract(&a));
            let function = if runs { unnamed.into() } else { String::new() };
            return Called::plain(target, function);
        }
        let by_server = self.by_server(number, frame);
        let decoded = by_server.and_then(|server| read_server(server, &input));
        if let (None, Some(server)) = (&decoded, by_server) {
            return Called::plain(target, self.server_line(server)).named(server_name(server));
        }
        let by_server = decoded.is_some();
        match decoded.or_else(|| self.decoded(address, &input)) {
            Some(decoded) => {
                let mark = if decoded.is_guess() && !by_server { "?" } else { "" };
                let function =
                    format!("{}{mark}({})", decoded.name, self.arguments(address, &decoded));
                let certainty = if mark.is_empty() { Certainty::Sure } else { Certainty::Guess };
                let name = Some(decoded.name.to_string());
                Called { target, function, name, certainty }
            }
            None => Called::raw(target, &input, length),
        }
    }

    /// Whether earlier answers showed code at an address.
    fn is_contract(&self, address: &Address) -> bool {
        self.seen.name(address).is_some_and(|name| {
            name.is_verified || name.token.is_some() || !name.implementations.is_empty()
        })
    }

    /// A call with too much calldata to read it for one row.
    fn long_call(&self, target: String, to: Option<Address>, head: &[u8], length: u64) -> Called {
        let selector = head.first_chunk::<4>();
        let name = selector.and_then(|s| self.book.name(to, &self.contract_names(to), *s));
        match name {
            Some(name) => Called {
                target,
                function: format!("{name}?({})", bytes(length)),
                name: Some(name.to_string()),
                certainty: Certainty::Guess,
            },
            None => Called::raw(target, head, length),
        }
    }

    /// Calldata as the book reads it.
    pub fn decoded(&self, to: Option<Address>, input: &[u8]) -> Option<Decoded> {
        self.book.call(to, &self.contract_names(to), input)
    }

    /// Under which names a user's ABI may be for this contract.
    fn contract_names(&self, address: Option<Address>) -> Vec<&'a str> {
        let Some(name) = address.and_then(|address| self.seen.name(&address)) else {
            return Vec::new();
        };
        let behind = name.implementations.iter().filter_map(|(_, name)| name.as_deref());
        name.label.as_deref().into_iter().chain(behind).collect()
    }

    /// The server's own decoding: of the transaction's call, and of any call that repeats it.
    pub fn by_server(&self, number: u32, frame: &Frame) -> Option<&'a ServerDecoded> {
        let decoded = self.transaction?.decoded_input.known()?;
        let root = self.tree.get(0)?;
        let same = || {
            self.tree.body.bytes(frame.to) == self.tree.body.bytes(root.to)
                && self.tree.body.bytes(frame.input) == self.tree.body.bytes(root.input)
        };
        (number == 0 || (frame.input.len() == root.input.len() && same())).then_some(decoded)
    }

    /// The server's own words for a call.
    fn server_line(&self, decoded: &ServerDecoded) -> String {
        let name = server_name(decoded).unwrap_or_else(|| "?".into());
        let parameters = decoded.parameters.known().into_iter().flatten();
        let values = parameters.map(|parameter| {
            let value = parameter.value.known().map_or("?".into(), |v| Cow::Borrowed(&*v.0));
            match value.parse::<Address>() {
                Ok(address) => self.address(&address),
                Err(_) => cut(&value, ARGUMENT).into_owned(),
            }
        });
        format!("{name}({})", values.collect::<Vec<_>>().join(", "))
    }

    /// Arguments on one line: addresses by name, a token's amounts in its unit.
    fn arguments(&self, to: Option<Address>, decoded: &Decoded) -> String {
        let amount = self.token_amount(to, decoded);
        let shown = decoded.arguments.iter().enumerate().map(|(n, argument)| match &amount {
            Some((at, amount)) if *at == n => amount.clone(),
            _ => self.value(&argument.value),
        });
        shown.collect::<Vec<_>>().join(", ")
    }

    fn value(&self, value: &Value) -> String {
        match value {
            Value::Address(address) => self.address(address),
            Value::List(_, items) if items.len() <= FEW => self.few(items, ("[", "]")),
            Value::Tuple(_, items) if items.len() <= FEW => self.few(items, ("(", ")")),
            value => cut(&value.line(), ARGUMENT).into_owned(),
        }
    }

    fn few(&self, items: &[Value], (open, close): (&str, &str)) -> String {
        let simple = |value: &Value| !matches!(value, Value::List(..) | Value::Tuple(..));
        if !items.iter().all(simple) {
            return format!("{open}{} items{close}", items.len());
        }
        let items: Vec<String> = items.iter().map(|item| self.value(item)).collect();
        [open, &items.join(", "), close].concat()
    }

    /// Which argument is an amount of the called token, and how it reads.
    fn token_amount(&self, to: Option<Address>, decoded: &Decoded) -> Option<(usize, String)> {
        let at = match &*decoded.name {
            "transfer" | "approve" | "mint" | "increaseAllowance" | "decreaseAllowance" => 1,
            "transferFrom" => 2,
            "burn" | "withdraw" => 0,
            _ => return None,
        };
        let value = number(&decoded.arguments.get(at)?.value)?;
        Some((at, self.in_token(&to?, value)?))
    }

    fn in_token(&self, token: &Address, value: U256) -> Option<String> {
        let decimals = self.seen.name(token)?.token.as_ref()?.decimals?;
        (value != U256::MAX).then(|| amount::exact(value, decimals))
    }

    /// What a call came back with, on one line.
    pub fn returned(&self, number: u32) -> String {
        let Some(frame) = self.tree.get(number) else { return String::new() };
        if frame.failed() {
            return format!("✗ {}", self.reason(number));
        }
        if let Some(transfer) = self.overlay.of(number) {
            return self.transferred(transfer);
        }
        let Some(length) = self.tree.hex_len(frame.output) else { return String::new() };
        if frame.kind.creates() {
            return format!("→ {} of code", bytes(length));
        }
        match length {
            0 => "→ ()".into(),
            length => format!("→ {}", self.output(frame, length)),
        }
    }

    fn output(&self, frame: &Frame, length: u64) -> String {
        let quick = |span| self.tree.hex(span, QUICK).unwrap_or_default();
        let (to, output) = (self.tree.address(frame.to), quick(frame.output));
        let fits = |span| self.tree.hex_len(span).is_some_and(|n| n <= QUICK as u64);
        if fits(frame.output) && fits(frame.input) {
            let decoded = self.decoded(to, &quick(frame.input));
            let returned = decoded.and_then(|d| {
                let values = self.book.returned(&d, &output)?;
                Some((d, values))
            });
            if let Some((decoded, values)) = returned.filter(|(_, values)| !values.is_empty()) {
                return self.results(to, &decoded, &values);
            }
        }
        match <[u8; 32]>::try_from(&*output) {
            Ok(word) => short_word(U256::from_be_bytes(word)),
            Err(_) => bytes(length),
        }
    }

    fn results(&self, to: Option<Address>, decoded: &Decoded, values: &[abi::Argument]) -> String {
        let balance = matches!(&*decoded.name, "balanceOf" | "totalSupply" | "allowance");
        let only = match values {
            [only] if balance => number(&only.value).zip(to),
            _ => None,
        };
        let in_token = only.and_then(|(value, token)| {
            let symbol = self.seen.name(&token)?.token.as_ref()?.symbol.as_ref()?;
            Some(format!("{} {symbol}", self.in_token(&token, value)?))
        });
        in_token.unwrap_or_else(|| {
            values.iter().map(|v| self.value(&v.value)).collect::<Vec<_>>().join(", ")
        })
    }

    /// `→ 1,250.00 USDC ⇒ 0x55fe…5ba3`.
    pub fn transferred(&self, transfer: &Transfer) -> String {
        format!("→ {} ⇒ {}", transfer.amount(), self.address(&transfer.to))
    }

    /// Why a frame failed: what its revert data say, else the node's own word.
    pub fn reason(&self, number: u32) -> String {
        let Some(frame) = self.tree.get(number) else { return String::new() };
        let data = self.tree.hex(frame.output, QUICK).unwrap_or_default();
        match self.book.reason(&data) {
            Reason::Empty => self.node_word(number, frame),
            reason => reason.words().to_string(),
        }
    }

    /// The node's word, and a question where a call did nothing at all.
    pub fn node_word(&self, number: u32, frame: &Frame) -> String {
        let word = self.tree.text(frame.error).filter(|word| !word.is_empty());
        let word = word.map_or_else(|| "failed, no reason given".into(), |word| word.to_string());
        let idle = frame.used() == Some(0) && self.tree.children(number).next().is_none();
        if idle && frame.kind == Kind::Call { word + " (an address without code?)" } else { word }
    }

    /// An amount of the chain's coin.
    pub fn coin(&self, wei: U256) -> String {
        match (self.unit, self.network.symbol.as_deref()) {
            (Unit::Coin, Some("ETH")) => {
                format!("Ξ{}", amount::exact(wei, self.network.decimals))
            }
            (unit, _) => unit.exact(wei, self.network),
        }
    }

    /// What a frame carries, if that is anything.
    pub fn carried(&self, number: u32) -> Option<String> {
        let frame = self.tree.get(number).filter(|frame| frame.has_value())?;
        let shown = self.tree.value(number).map_or_else(|| "?".into(), |wei| self.coin(wei));
        Some(match frame.kind {
            // It repeats the value of the call it runs in.
            Kind::DelegateCall | Kind::StaticCall => format!("({shown})"),
            _ => shown,
        })
    }
}

impl Called {
    fn unknown() -> Self {
        Self { certainty: Certainty::None, ..Self::plain(String::new(), "?".into()) }
    }

    fn plain(target: String, function: String) -> Self {
        Self { target, function, name: None, certainty: Certainty::Sure }
    }

    fn named(self, name: Option<String>) -> Self {
        Self { name, ..self }
    }

    /// A sign before the function, without the point of a contract's function.
    fn unjoined(self) -> Self {
        let function = [&*self.target, " ", &self.function].concat();
        Self { target: String::new(), function, ..self }
    }

    /// Calldata that nobody can name.
    fn raw(target: String, input: &[u8], length: u64) -> Self {
        let function = match input.get(..4) {
            Some(selector) => {
                let selector = alloy_primitives::hex::encode_prefixed(selector);
                format!("{selector}({})", bytes(length.saturating_sub(4)))
            }
            None => format!("({})", bytes(length)),
        };
        Self { target, function, name: None, certainty: Certainty::None }
    }
}

/// `12 bytes`.
pub fn bytes(n: u64) -> String {
    match n {
        1 => "1 byte".into(),
        n => format!("{} bytes", amount::grouped(&n.to_string())),
    }
}

fn line(arguments: &[abi::Argument]) -> String {
    let shown = arguments.iter().map(|argument| cut(&argument.value.line(), ARGUMENT).into_owned());
    shown.collect::<Vec<_>>().join(", ")
}

fn number(value: &Value) -> Option<U256> {
    match value {
        Value::Uint(number) => Some(*number),
        _ => None,
    }
}

/// A single word of a return value that nobody can name: small numbers as such.
fn short_word(word: U256) -> String {
    if let Ok(small) = u64::try_from(word) {
        amount::grouped(&small.to_string())
    } else {
        let hex = format!("{word:064x}");
        let ends = hex.get(..6).zip(hex.get(58..));
        ends.map_or_else(|| hex.clone(), |(head, tail)| format!("0x{head}…{tail}"))
    }
}

/// The server's decoding done again by its own signature, for what its words leave open: values in
/// arrays, calls in bytes. None when that does not give the calldata back.
pub(super) fn read_server(server: &ServerDecoded, input: &[u8]) -> Option<Decoded> {
    let mut book = Book::embedded();
    book.add_signature(server.method_call.known()?).ok()?;
    let decoded = book.call(None, &[], input)?;
    (!decoded.source.is_selector_alone()).then_some(decoded)
}

fn server_name(decoded: &ServerDecoded) -> Option<String> {
    let call = decoded.method_call.known()?;
    call.split('(').next().map(str::to_owned)
}
