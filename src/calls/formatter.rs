//! One-line labels of calls: the called contract and function with its arguments. Names come from the
//! user's labels, the name cache and known signatures; no request is made.

use std::borrow::Cow;

use alloy_primitives::hex;

use super::failing_source::FailurePlaces;
use super::identity::{CallIdentifier, CallIdentity};
use super::transfer_matching::TransferMap;
use super::values::{MAX_ARGUMENT_COLUMNS, ValueFormatter, joined};
use crate::abi::{DecodedCall, Precompile, SignatureDb, SpecialFunction};
use crate::api::address::proxy_name;
use crate::api::transactions::Transaction;
use crate::chain::Address;
use crate::chain::amount::{Grouped, Unit};
use crate::chain::network::Network;
use crate::messages::call::CallNote;
use crate::name_cache::NameCache;
use crate::trace::{BodySpan, CallFrame, CallKind, CallTree};
use crate::ui::format::cut;
use crate::ui::marked_text::MarkedText;
use crate::ui::theme::Role;

/// Maximum init code that is looked up in the project: twice the protocol's limit.
const MAX_INIT_CODE_BYTES: usize = 96 << 10;
/// Maximum bytes of the calldata of a fallback.
const MAX_FALLBACK_BYTES: usize = 4;
/// Maximum number of calls of a proxy up to the one to its implementation: it may ask a beacon first.
pub const MAX_CALLS_TO_DELEGATION: usize = 4;
/// Stands before the contract whose code a delegated call runs.
pub const DELEGATED: &str = "↪ ";

#[derive(Clone, Copy)]
pub struct CallFormatter<'a> {
    pub tree: &'a CallTree,
    pub signatures: &'a SignatureDb,
    pub name_cache: &'a NameCache,
    pub network: &'a Network,
    pub transaction: Option<&'a Transaction>,
    pub transfers: &'a TransferMap,
    /// For exports and copies.
    pub failure_places: Option<&'a FailurePlaces>,
    /// The unit of native amounts: the current one on the screen, the coin in files and copies.
    pub unit: Unit,
    /// `true` if addresses are written in full, next to their names.
    pub full_addresses: bool,
    /// `true` if amounts are shortened to their first digits.
    pub short_amounts: bool,
    /// `true` if tokens among arguments are written by their symbols.
    pub token_symbols: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Confidence {
    /// From the explorer, an ABI of this contract, or a call without calldata.
    Certain,
    /// By the selector alone.
    Guess,
    Unknown,
}

/// The parts of a call's label. The contract is empty where the name is not of one of its functions.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CallLabel {
    /// `true` if the caller runs the contract's code as its own.
    pub is_delegated: bool,
    pub contract: String,
    /// The function, or the selector; empty for a plain transfer.
    pub name: String,
    /// The arguments in brackets, or the size of the calldata.
    pub arguments: String,
    pub confidence: Confidence,
}

impl CallLabel {
    pub fn line(&self) -> String {
        let arrow = if self.is_delegated { DELEGATED } else { "" };
        [arrow, &self.without_arrow()].concat()
    }

    /// Returns the line without the mark of a delegated call, where something else has it.
    pub fn without_arrow(&self) -> String {
        [&*self.contract, self.dot(), &self.function()].concat()
    }

    /// Returns the contract and the function without its arguments: `Pool.swap`.
    pub fn short(&self) -> String {
        let dot = if self.name.is_empty() { "" } else { self.dot() };
        [&*self.contract, dot, &self.name].concat()
    }

    pub fn function(&self) -> String {
        [&*self.name, &self.arguments].concat()
    }

    /// Returns the dot between the contract and its function.
    pub fn dot(&self) -> &'static str {
        let is_function = !self.name.is_empty() || !self.arguments.is_empty();
        if is_function && !self.contract.is_empty() { "." } else { "" }
    }

    fn new(contract: String, name: String, arguments: String) -> Self {
        let confidence = Confidence::Certain;
        Self { is_delegated: false, contract, name, arguments, confidence }
    }
}

impl<'a> CallFormatter<'a> {
    /// Creates the formatter of a trace whose transaction is not known, with exact amounts in coins.
    pub fn new(
        tree: &'a CallTree,
        signatures: &'a SignatureDb,
        name_cache: &'a NameCache,
        network: &'a Network,
        transfers: &'a TransferMap,
    ) -> Self {
        Self {
            tree,
            signatures,
            name_cache,
            network,
            transaction: None,
            transfers,
            failure_places: None,
            unit: Unit::Coin,
            full_addresses: false,
            short_amounts: false,
            token_symbols: false,
        }
    }

    pub fn identifier(&self) -> CallIdentifier<'a> {
        let Self { tree, signatures, name_cache, transaction, .. } = *self;
        CallIdentifier { tree, signatures, name_cache, transaction }
    }

    pub fn values(&self) -> ValueFormatter<'a> {
        let Self { name_cache, full_addresses, short_amounts, token_symbols, .. } = *self;
        // Traces that are compared have no transfers: equal numbers stay equal texts.
        let is_moving = !self.transfers.is_empty();
        let transaction = self.transaction.filter(|_| is_moving).map(|known| known.hash);
        let balances = is_moving.then_some(&self.transfers.balances);
        ValueFormatter {
            name_cache,
            full_addresses,
            short_amounts,
            token_symbols,
            transaction,
            balances,
        }
    }

    pub fn address(&self, address: &Address) -> String {
        self.values().address(address)
    }

    pub fn label(&self, address: &Address) -> Option<Cow<'a, str>> {
        self.name_cache.short_name(address)
    }

    pub fn call_label(&self, number: u32) -> CallLabel {
        let Some(frame) = self.tree.get(number) else {
            let unknown = CallLabel::new(String::new(), "?".into(), String::new());
            return CallLabel { confidence: Confidence::Unknown, ..unknown };
        };
        match self.identifier().identify(number, frame) {
            CallIdentity::Creation => self.creation_label(frame),
            CallIdentity::SelfDestruct => self.selfdestruct_label(frame),
            CallIdentity::Reward => {
                CallLabel::new(self.span_text(frame.to), "reward".into(), String::new())
            }
            CallIdentity::Precompile(precompile) => precompile_label(&precompile),
            CallIdentity::Console(log) => {
                CallLabel::new(String::new(), "console.log".into(), format!(": {}", log.line()))
            }
            identity => {
                let is_delegated =
                    matches!(frame.kind, CallKind::DelegateCall | CallKind::CallCode);
                let former = self.former_proxy_name(number).filter(|_| !is_delegated);
                let contract = former.unwrap_or_else(|| self.span_text(frame.to));
                let (name, arguments, confidence) = self.function_parts(number, frame, &identity);
                CallLabel { is_delegated, contract, name, arguments, confidence }
            }
        }
    }

    /// Returns the own name of a proxy that had another implementation than it has now.
    pub fn former_proxy_name(&self, number: u32) -> Option<String> {
        let address = self.tree.address(self.tree.get(number)?.to)?;
        let implementations = &self.name_cache.name(&address)?.implementations;
        if implementations.is_empty() {
            return None;
        }
        let is_delegated = |call: &u32| {
            self.tree.get(*call).is_some_and(|call| call.kind == CallKind::DelegateCall)
        };
        let mut first = self.tree.children(number).take(MAX_CALLS_TO_DELEGATION);
        let delegated = first.find(is_delegated)?;
        let code = self.tree.address(self.tree.get(delegated)?.to);
        if code.is_none() || implementations.iter().any(|(now, _)| now.is_none() || *now == code) {
            return None;
        }
        let name = self.name_cache.cached_name(&address)?;
        let mut behind = implementations.iter().filter_map(|(_, name)| name.as_deref());
        let own = behind.find_map(|behind| proxy_name(name, behind))?;
        // Its digits or the whole address may follow. A label of the user's stays.
        let shown = self.address(&address);
        Some([own, shown.strip_prefix(&**name)?].concat())
    }

    /// Returns the called or created contract.
    pub fn target(&self, number: u32) -> String {
        let address = self.tree.target_address(number);
        let creation = || Some(self.creation(self.tree.get(number)?)?.name.to_string());
        let unnamed = || creation().unwrap_or_else(|| "?".into());
        let now = || address.map_or_else(unnamed, |address| self.address(&address));
        self.former_proxy_name(number).unwrap_or_else(now)
    }

    /// Decodes the init code of a contract that was compiled in the project.
    pub fn creation(&self, frame: &CallFrame) -> Option<DecodedCall> {
        let is_short = self.tree.hex_len(frame.input)? <= MAX_INIT_CODE_BYTES as u64;
        let code = self.tree.hex(frame.input, MAX_INIT_CODE_BYTES);
        code.filter(|_| frame.kind.creates() && is_short)
            .and_then(|code| self.signatures.decode_creation(&code))
    }

    fn span_text(&self, span: BodySpan) -> String {
        self.tree.address(span).map_or_else(|| "?".into(), |address| self.address(&address))
    }

    fn creation_label(&self, frame: &CallFrame) -> CallLabel {
        if let Some(creation) = self.creation(frame) {
            let name = self.tree.address(frame.to).map(|address| self.address(&address));
            let own = &*creation.name;
            let contract = match name {
                Some(name) if !is_named_after(&name, own) => format!("{name} = {own}"),
                Some(name) if !name.contains(" › ") => name,
                _ => own.to_owned(),
            };
            let arguments = format!("({})", self.values().arguments_text(None, &creation));
            let name = CallNote::Creation { contract: &contract }.to_string();
            return CallLabel::new(String::new(), name, arguments);
        }
        let created = match self.tree.address(frame.to) {
            Some(address) => self.address(&address),
            None => "contract".into(),
        };
        let size = self.tree.hex_len(frame.input).map_or("? bytes".into(), byte_count);
        let name = CallNote::Creation { contract: &created }.to_string();
        CallLabel::new(String::new(), name, format!(" ({size})"))
    }

    fn selfdestruct_label(&self, frame: &CallFrame) -> CallLabel {
        let beneficiary = format!("(to {})", self.span_text(frame.to));
        CallLabel::new(self.span_text(frame.from), "selfdestruct".into(), beneficiary)
    }

    /// Returns the name of the function of a call with calldata, and its arguments.
    fn function_parts(
        &self,
        number: u32,
        frame: &CallFrame,
        identity: &CallIdentity<'_>,
    ) -> (String, String, Confidence) {
        use Confidence::{Certain, Guess, Unknown};
        let address = self.tree.address(frame.to);
        let length = self.tree.hex_len(frame.input).unwrap_or(0);
        match identity {
            CallIdentity::Long(Some(name)) => {
                (format!("{name}?"), format!("({})", byte_count(length)), Guess)
            }
            CallIdentity::Fallback => {
                let data = self.tree.hex(frame.input, MAX_FALLBACK_BYTES).unwrap_or_default();
                let rest = if length > MAX_FALLBACK_BYTES as u64 { "…" } else { "" };
                let data = hex::encode_prefixed(data);
                (SpecialFunction::Fallback.name().into(), format!("({data}{rest})"), Certain)
            }
            CallIdentity::Special { function, is_guess: false } => {
                (function.name().into(), "()".into(), Certain)
            }
            CallIdentity::Special { function, .. } if self.runs_code(number, address) => {
                (format!("{}?", function.name()), "()".into(), Guess)
            }
            CallIdentity::Special { .. } | CallIdentity::Plain => {
                (String::new(), String::new(), Certain)
            }
            CallIdentity::ByExplorer(decoded) => {
                let (name, arguments) = self.values().explorer_call(decoded);
                (name, arguments, Certain)
            }
            CallIdentity::Decoded { call, is_guess } => {
                let (mark, confidence) = if *is_guess { ("?", Guess) } else { ("", Certain) };
                let arguments = self.values().arguments_text(address, call);
                (format!("{}{mark}", call.name), format!("({arguments})"), confidence)
            }
            _ => {
                let (name, bytes) = self.undecoded_call(number, address, length);
                (name, format!("({})", byte_count(bytes)), Unknown)
            }
        }
    }

    /// Returns the likely name of a function whose arguments do not fit, and their bytes.
    fn undecoded_call(&self, number: u32, to: Option<Address>, length: u64) -> (String, u64) {
        let selector = self.tree.selector(number);
        let names = self.name_cache.contract_names(to);
        let known =
            selector.and_then(|selector| self.signatures.function_name(to, &names, selector));
        let name = match (known, selector) {
            (Some((name, _)), _) => format!("{name}?"),
            (None, Some(selector)) => hex::encode_prefixed(selector),
            (None, None) => return (String::new(), length),
        };
        (name, length.saturating_sub(4))
    }

    /// Returns the label of a call for copies: arguments of any length as they can be typed.
    pub fn whole_call_label(&self, number: u32) -> CallLabel {
        let label = self.call_label(number);
        let Some((call, is_guess)) = self.whole_call(number) else { return label };
        let values: Vec<_> =
            call.arguments.iter().map(|argument| argument.value.typed_text()).collect();
        let mark = if is_guess { "?" } else { "" };
        let name = format!("{}{mark}", call.name);
        CallLabel { name, arguments: format!("({})", values.join(", ")), ..label }
    }

    /// Returns `true` unless the function of a call is known by its contract.
    pub fn is_selector_only(&self, number: u32) -> bool {
        let to = self.tree.target_address(number);
        let names = self.name_cache.contract_names(to);
        let selector = self.tree.selector(number);
        let known = selector.and_then(|one| self.signatures.function_name(to, &names, one));
        known.is_none_or(|(_, source)| source.is_selector_only())
    }

    /// Decodes a call with calldata of any length. Returns it with `true` if it is a guess.
    pub fn whole_call(&self, number: u32) -> Option<(DecodedCall, bool)> {
        let frame = self.tree.get(number)?;
        match self.identifier().identify(number, frame) {
            CallIdentity::Decoded { call, is_guess } => Some((call, is_guess)),
            CallIdentity::Long(_) => {
                let input = self.tree.hex(frame.input, usize::MAX)?;
                let call = self.identifier().decode(self.tree.address(frame.to), &input)?;
                let is_guess = call.is_guess();
                Some((call, is_guess))
            }
            _ => None,
        }
    }

    /// Returns the arguments of a call's label, with the roles of addresses and amounts if they are decoded.
    pub fn argument_parts(&self, number: u32, label: &CallLabel) -> Vec<MarkedText> {
        let decoded = || {
            let frame = self.tree.get(number)?;
            let identity = self.identifier().identify(number, frame);
            let CallIdentity::Decoded { call, .. } = identity else { return None };
            let parts = self.values().argument_parts(self.tree.address(frame.to), &call);
            let inside = label.arguments.strip_prefix('(')?.strip_suffix(')')?;
            (joined(&parts) == inside).then_some(parts)
        };
        let plain = |text: String| MarkedText::new(text, Role::Plain);
        match decoded() {
            Some(parts) => {
                let [open, close] = ["(", ")"].map(|bracket| plain(bracket.into()));
                [open].into_iter().chain(parts).chain([close]).collect()
            }
            None => vec![plain(label.arguments.clone())],
        }
    }

    /// Returns `true` if a call is known to run code.
    fn runs_code(&self, number: u32, address: Option<Address>) -> bool {
        let is_contract = address.is_some_and(|address| self.name_cache.is_contract(&address));
        is_contract || self.tree.runs_code(number)
    }
}

/// Returns `true` for the name of a contract with digits of its address or its implementation after it.
pub fn is_named_after(name: &str, contract: &str) -> bool {
    let rest = name.strip_prefix(contract);
    rest.is_some_and(|rest| !rest.starts_with(|c: char| c.is_alphanumeric() || c == '_'))
}

pub fn byte_count(n: u64) -> String {
    match n {
        1 => "1 byte".into(),
        n => format!("{} bytes", Grouped(n)),
    }
}

fn precompile_label(precompile: &Precompile) -> CallLabel {
    let summaries = precompile.arguments.iter().map(|argument| argument.value.summary());
    let shown: Vec<_> =
        summaries.map(|text| cut(&text, MAX_ARGUMENT_COLUMNS).into_owned()).collect();
    let arguments = format!("({})", shown.join(", "));
    CallLabel::new(String::new(), format!("⚙ {}", precompile.name), arguments)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::api::{AddressQuery, Query};
    use crate::trace::export::CallNames;
    use crate::trace::test_util::{SampleCall, sample_tree};

    /// The callee of sample calls.
    const CALLEE: &str = "0x000000000000000000000000000000000000cafe";

    fn call(signatures: &mut SignatureDb, n: u32, signature: &str, words: &[u64]) -> SampleCall {
        let selector = signatures.add_signature(signature).unwrap();
        let digits: Vec<String> = words.iter().map(|word| format!("{word:064x}")).collect();
        let input = [hex::encode_prefixed(selector), digits.concat()].concat();
        SampleCall { to: 0xcafe, ..SampleCall::at(&[n]).input(&input) }
    }

    /// Returns the names of a reply with the tokens of an address.
    fn names_of_tokens(json: &str) -> NameCache {
        let mut names = NameCache::default();
        let query = Query::Address(Address::ZERO, AddressQuery::Tokens { types: vec![] });
        names.ingest(&query, &query.decode(json.as_bytes(), None).unwrap());
        names
    }

    fn with_formatter<R>(
        calls: &[SampleCall],
        signatures: &SignatureDb,
        name_cache: &NameCache,
        read: impl FnOnce(CallFormatter<'_>) -> R,
    ) -> R {
        let tree = sample_tree(calls);
        let (network, transfers) = (Network::demo(), TransferMap::default());
        read(CallFormatter::new(&tree, signatures, name_cache, &network, &transfers))
    }

    #[test]
    fn name_of_a_long_call_is_certain_by_its_signature() {
        let mut signatures = SignatureDb::default();
        let numbers: Vec<u64> = [32, 200].into_iter().chain(0..200).collect();
        let known = call(&mut signatures, 0, "airdrop(uint256[])", &numbers);
        let calls = [SampleCall::at(&[]), known];
        with_formatter(&calls, &signatures, &NameCache::default(), |formatter| {
            assert!(!formatter.function(1).unwrap().is_guess);
        });
    }

    #[test]
    fn copied_calls_have_all_values_as_they_can_be_typed() {
        let mut signatures = SignatureDb::default();
        let numbers: Vec<u64> = [32, 200].into_iter().chain(0..200).collect();
        let calls = [
            SampleCall::at(&[]),
            call(&mut signatures, 0, "transfer(address,uint256)", &[0xacde, 2_500_000_000]),
            call(&mut signatures, 1, "airdrop(uint256[])", &numbers),
        ];
        let names = names_of_tokens(&format!(
            r#"{{"items":[{{"token":{{"address_hash":"{CALLEE}","symbol":"GLD","decimals":"6"}}}}],"next_page_params":null}}"#
        ));
        with_formatter(&calls, &signatures, &names, |formatter| {
            let copied = |number| formatter.whole_call_label(number).line();
            let transfer = copied(1);
            assert!(transfer.starts_with("GLD.transfer(0x000000"), "{transfer}");
            assert!(transfer.ends_with(", 2500000000)"), "{transfer}");
            let airdrop = copied(2);
            assert!(airdrop.starts_with("GLD.airdrop([0,1,2,"), "{airdrop}");
            assert!(airdrop.ends_with(",198,199])"), "{airdrop}");
        });
    }

    #[test]
    fn supply_of_a_token_is_in_its_unit() {
        let names = names_of_tokens(&format!(
            r#"{{"items":[{{"token":{{"address_hash":"{CALLEE}","symbol":"GLD","decimals":"6"}}}}],"next_page_params":null}}"#
        ));
        let output = format!("0x{:064x}", 2_500_000_000_u64);
        let called = |selector: &str| SampleCall {
            to: 0xcafe,
            output: output.clone(),
            ..SampleCall::at(&[0]).input(selector)
        };
        for (selector, is_amount) in [("0x18160ddd", true), ("0x313ce567", false)] {
            let calls = [SampleCall::at(&[]), called(selector)];
            with_formatter(&calls, &SignatureDb::builtin(), &names, |formatter| {
                let text = formatter.result_text(1).replace(',', "");
                assert_eq!(
                    text.starts_with("→ 2500") && text.ends_with(" GLD"),
                    is_amount,
                    "{text}"
                );
            });
        }
    }

    #[test]
    fn numbers_of_unknown_types_are_reserves_of_pools_only() {
        for (signature, are_numbers) in [("getReserves()", true), ("getPair()", false)] {
            let mut signatures = SignatureDb::default();
            let output = format!("0x{:064x}{:064x}", 5, 7);
            let called = SampleCall { output, ..call(&mut signatures, 0, signature, &[]) };
            let calls = [SampleCall::at(&[]), called];
            with_formatter(&calls, &signatures, &NameCache::default(), |formatter| {
                let text = formatter.result_text(1);
                assert_eq!(text == "→ 5, 7", are_numbers, "{text}");
            });
        }
    }

    #[test]
    fn value_of_the_caller_is_in_brackets() {
        for (kind, is_inherited) in [("call", false), ("delegatecall", true)] {
            let calls = [SampleCall::at(&[]), SampleCall::at(&[0]).moves(1, 2, 5).kind(kind)];
            with_formatter(&calls, &SignatureDb::default(), &NameCache::default(), |formatter| {
                let value = formatter.call_value(1).unwrap();
                assert_eq!(value.starts_with('('), is_inherited, "{kind}: {value}");
                assert_eq!(formatter.value_and_result(1), value);
            });
        }
    }

    #[test]
    fn only_a_call_without_gas_may_have_met_no_code() {
        for (kind, may_lack_code) in [("call", true), ("staticcall", false)] {
            let calls = [SampleCall::at(&[]), SampleCall::at(&[0]).kind(kind).failed("0x")];
            with_formatter(&calls, &SignatureDb::default(), &NameCache::default(), |formatter| {
                let reason = formatter.failure_reason(1);
                assert_eq!(
                    reason.ends_with("(an address without code?)"),
                    may_lack_code,
                    "{reason}"
                );
            });
        }
    }

    #[test]
    fn revert_without_data_has_the_error_of_its_last_call() {
        for (error, reason) in [
            ("Out of gas", "Out of gas in its last call"),
            ("Reverted", "reverted without a reason"),
        ] {
            let last = SampleCall { error: Some(error), ..SampleCall::at(&[0, 0]).failed("0x") };
            let calls = [SampleCall::at(&[]).failed("0x"), SampleCall::at(&[0]).failed("0x"), last];
            with_formatter(&calls, &SignatureDb::default(), &NameCache::default(), |formatter| {
                let reasons = [0, 1].map(|number| formatter.failure_reason(number));
                assert_eq!(reasons, [reason; 2]);
            });
        }
    }

    #[test]
    fn longer_names_are_others() {
        for (name, is_named) in [
            ("Token", true),
            ("Token·5FbD", true),
            ("Token › Logic", true),
            ("Token2", false),
            ("Token_v2", false),
            ("Tokenomics", false),
            ("My Token", false),
        ] {
            assert_eq!(is_named_after(name, "Token"), is_named, "{name}");
        }
    }

    #[test]
    fn only_the_fallback_of_a_contract_without_implementations_is_named() {
        let mut signatures = SignatureDb::default();
        let callee = CALLEE.parse().unwrap();
        signatures.add_explorer_abi(callee, &"P".into(), r#"[{"type":"fallback"}]"#).unwrap();
        let call = SampleCall { to: 0xcafe, ..SampleCall::at(&[0]).input("0xdeadbeef05") };
        let calls = [SampleCall::at(&[]), call];
        let function = |names: &NameCache| {
            with_formatter(&calls, &signatures, names, |formatter| {
                formatter.call_label(1).function()
            })
        };
        let mut names = NameCache::default();
        assert_eq!(function(&names), "fallback(0xdeadbeef…)");
        let proxy =
            format!(r#"{{"hash":"{CALLEE}","implementations":[{{"address_hash":"{CALLEE}"}}]}}"#);
        let query = Query::Address(callee, AddressQuery::Details);
        names.ingest(&query, &query.decode(proxy.as_bytes(), None).unwrap());
        assert_eq!(function(&names), "0xdeadbeef(1 byte)");
    }
}
