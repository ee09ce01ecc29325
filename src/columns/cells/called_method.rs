//! The method that a transaction calls: as the explorer names it, else by known signatures.

use std::fmt;

use alloy_primitives::hex;

use super::failure_reason::revert_text;
use super::log_argument::short_name;
use super::{AS_SENT, text_cell};
use crate::abi::{DecodedRevert, SELECTOR_BYTES, Selector, SignatureDb, SpecialFunction};
use crate::api::Field;
use crate::api::decoded_input::AbiIdentifier;
use crate::api::transactions::{PLAIN_SEND, Transaction};
use crate::chain::amount::Grouped;
use crate::chain::call_kind::CallKind;
use crate::chain::{Address, TxHash};
use crate::columns::RowContext;
use crate::messages::call::CallNote;
use crate::messages::column;
use crate::name_cache::NameCache;
use crate::sanitize::SafeText;
use crate::trace::CallTree;
use crate::ui::format::cut;
use crate::ui::table::TableCell;
use crate::ui::theme::Role;

/// Bytes of revert data that are decoded.
const MAX_REVERT_BYTES: usize = 4 << 10;

#[derive(Debug)]
pub struct CalledMethod {
    /// The name, or else the selector.
    pub name: SafeText,
    /// Source of the name.
    pub source: SafeText,
    /// `true` if the selector may be another function's.
    is_guess: bool,
    /// `true` if no function is called, which runs the fallback.
    pub runs_fallback: bool,
}

impl CalledMethod {
    /// Returns the method as this or another reply names it, else by its selector.
    pub fn new(
        transaction: &Transaction,
        names: &NameCache,
        signatures: &SignatureDb,
    ) -> Field<Self> {
        let own = transaction.method_name();
        if let Some(name) = own.or_else(|| names.method_name(&transaction.hash)) {
            return Field::Present(Self::sent(name));
        }
        let to = transaction.to.hash();
        let has_code = to.is_some_and(|to| names.has_code(&to) == Some(true));
        let (selector, sent) = match transaction.known_method() {
            Field::Present(sent) => (sent.selector(), Field::Present(Self::sent(&sent))),
            Field::Absent => (transaction.selector().filter(|_| has_code), Field::Absent),
            Field::Invalid(why) => (None, Field::Invalid(why)),
        };
        let Some(selector) = selector else { return sent };
        let contracts = names.contract_names(to);
        match signatures.function_name(to, &contracts, selector) {
            Some((name, source)) => Field::Present(Self {
                name,
                is_guess: source.is_selector_only(),
                source: source.describe(),
                runs_fallback: false,
            }),
            None if runs_fallback(to, names, selector, signatures) => {
                let name = SpecialFunction::Fallback.name().into();
                Field::Present(Self {
                    name,
                    source: column::NO_SUCH_FUNCTION.into(),
                    is_guess: false,
                    runs_fallback: true,
                })
            }
            None => sent,
        }
    }

    /// Returns the method of the transaction that a row is a part of. If only the selector was sent, the name
    /// is a guess: the called contract is unknown.
    fn of_selector(sent: &Field<AbiIdentifier>, signatures: &SignatureDb) -> Field<Self> {
        let selector = sent.value().and_then(AbiIdentifier::selector);
        match selector.and_then(|selector| signatures.function_name(None, &[], selector)) {
            Some((name, source)) => {
                let source = source.describe();
                Field::Present(Self { name, source, is_guess: true, runs_fallback: false })
            }
            None => sent.as_ref().and_then(|name| Field::Present(Self::sent(name))),
        }
    }

    fn sent(name: &AbiIdentifier) -> Self {
        let (name, source) = (name.0.clone(), AS_SENT.into());
        Self { name, source, is_guess: false, runs_fallback: false }
    }
}

/// Returns `true` if the ABI of a contract has a fallback, which takes calls of unknown functions. The one of a
/// proxy calls its implementation.
fn runs_fallback(
    to: Option<Address>,
    names: &NameCache,
    selector: Selector,
    signatures: &SignatureDb,
) -> bool {
    let contract = to.filter(|to| !names.is_proxy(to));
    let special =
        contract.and_then(|to| signatures.special_functions(to, &names.contract_names(contract)));
    special.is_some_and(|special| special.run_by(&selector).is_some())
}

impl fmt::Display for CalledMethod {
    /// Writes the name, with a `?` if it is a guess.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.name, if self.is_guess { "?" } else { "" })
    }
}

/// Returns the cell of the method of the transaction that a row is a part of.
pub fn method_cell(sent: &Field<AbiIdentifier>, cx: &RowContext<'_>) -> TableCell {
    text_cell(&CalledMethod::of_selector(sent, cx.signatures))
}

/// A call by the trace that it is in.
#[derive(Debug, Clone, Copy)]
pub struct KnownCall<'a> {
    pub transaction: TxHash,
    pub tree: &'a CallTree,
    pub number: u32,
}

impl<'a> KnownCall<'a> {
    /// Returns a call of a transaction whose trace is known, if the trace has the same callee.
    pub fn find(
        transaction: &Field<TxHash>,
        number: &Field<u64>,
        callee: Option<Address>,
        names: &'a NameCache,
    ) -> Option<Self> {
        let (transaction, number) = (*transaction.value()?, u32::try_from(*number.value()?).ok()?);
        let tree = names.trace(&transaction)?;
        let has_same = tree.get(number).is_some() && tree.target_address(number) == callee;
        has_same.then_some(Self { transaction, tree, number })
    }

    /// Returns the cell of the called function: the name, with a `?` if it is a guess, or the selector.
    pub fn function_cell(&self, cx: &RowContext<'_>, width: usize) -> Option<TableCell> {
        let Some(selector) = self.tree.selector(self.number) else {
            let name = self.special_function(cx.signatures, cx.name_cache)?;
            return Some(TableCell::new(cut(&name, width).into_owned(), Role::Dim));
        };
        let to = self.tree.target_address(self.number);
        let names = cx.name_cache.contract_names(to);
        let (function, role) = match cx.signatures.function_name(to, &names, selector) {
            Some((name, source)) => {
                let mark = if source.is_selector_only() { "?" } else { "" };
                ([&*name, mark].concat(), Role::Plain)
            }
            None => (hex::encode_prefixed(selector), Role::Dim),
        };
        Some(TableCell::new(cut(&function, width).into_owned(), role))
    }

    /// Returns the name of the function that runs without a selector, with a `?` if no ABI declares it, or the word
    /// for coin that goes to an account without code.
    fn special_function(&self, signatures: &SignatureDb, names: &NameCache) -> Option<String> {
        let frame = self.tree.get(self.number)?;
        let to = self.tree.target_address(self.number)?;
        if matches!(frame.kind, CallKind::SelfDestruct | CallKind::Reward) || frame.kind.creates() {
            return None;
        }
        let input = self.tree.hex(frame.input, SELECTOR_BYTES).unwrap_or_default();
        let likely = SpecialFunction::of_calldata(&input)?;
        let declared = signatures.special_functions(to, &names.contract_names(Some(to)));
        let function = match declared {
            Some(declared) => return Some(declared.run_by(&input)?.name().to_owned()),
            None if names.is_contract(&to) || self.tree.runs_code(self.number) => Some(likely),
            None => None,
        };
        let guess = function.map(|function| [function.name(), "?"].concat());
        guess.or_else(|| frame.has_value().then(|| PLAIN_SEND.to_owned()))
    }

    /// Returns the reason of its failure by its revert data, if it failed with any.
    pub fn revert_reason(&self, cx: &RowContext<'_>) -> Option<SafeText> {
        let frame = self.tree.get(self.number).filter(|frame| frame.failed())?;
        let decoded = || {
            let data = self.tree.hex(frame.output, MAX_REVERT_BYTES)?;
            match cx.signatures.revert_reason(&data) {
                DecodedRevert::Empty => None,
                reason => Some(revert_text(&reason, &|address| short_name(address, cx)).into()),
            }
        };
        self.tree.reason_text(self.number).or_else(decoded)
    }

    /// Returns its number among the calls, `call #3 of 26`.
    pub fn position(&self) -> String {
        let number = Grouped(u64::from(self.number) + 1);
        CallNote::Position { number, calls: Grouped(self.tree.len().into()) }.to_string()
    }
}

/// Returns the line of a row's details with that method.
pub fn called_line(
    sent: &Field<AbiIdentifier>,
    cx: &RowContext<'_>,
) -> Option<(&'static str, SafeText)> {
    let method = CalledMethod::of_selector(sent, cx.signatures);
    method.value().map(|method| ("call", SafeText::new(&method.to_string())))
}

/// Describes the source of that method's name.
pub fn method_source(sent: &Field<AbiIdentifier>, cx: &RowContext<'_>) -> SafeText {
    match CalledMethod::of_selector(sent, cx.signatures) {
        Field::Present(method) => method.source,
        _ => AS_SENT.into(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::to_raw_value;

    use super::*;
    use crate::api::{AddressQuery, Item, Query};

    #[test]
    fn unknown_functions_run_the_fallback() {
        let to = Address::repeat_byte(7);
        let mut signatures = SignatureDb::builtin();
        let mut names = NameCache::default();
        for (abi, runs) in [("[]", false), (r#"[{"type":"fallback"}]"#, true)] {
            signatures.add_explorer_abi(to, &"Vault".into(), abi).unwrap();
            assert_eq!(runs_fallback(Some(to), &names, [1, 2, 3, 4], &signatures), runs);
        }
        // Older contracts may have a function of that name.
        for (sent, runs) in [("0x01020304", true), ("fallback", false)] {
            let json = json!({ "hash": TxHash::ZERO, "to": { "hash": to }, "method": sent });
            let transaction = Item::<Transaction>::from_json(&to_raw_value(&json).unwrap());
            let (transaction, names) = (transaction.parsed.unwrap(), NameCache::default());
            let method = CalledMethod::new(&transaction, &names, &signatures);
            let method = method.value().unwrap();
            assert_eq!((&*method.name, method.runs_fallback), ("fallback", runs), "{sent}");
        }
        let proxy = format!(r#"{{"hash":"{to}","implementations":[{{"address_hash":"{to}"}}]}}"#);
        let query = Query::Address(to, AddressQuery::Details);
        names.ingest(&query, &query.decode(proxy.as_bytes(), None).unwrap());
        assert!(!runs_fallback(Some(to), &names, [1, 2, 3, 4], &signatures), "a proxy");
    }

    #[test]
    fn selectors_of_parts_have_likely_names() {
        let signatures = SignatureDb::builtin();
        for (sent, shown) in
            [("0xa9059cbb", "transfer?"), ("transfer", "transfer"), ("0x12345678", "0x12345678")]
        {
            let sent = Field::Present(AbiIdentifier(sent.into()));
            let method = CalledMethod::of_selector(&sent, &signatures);
            assert_eq!(method.value().map(ToString::to_string).as_deref(), Some(shown));
        }
        assert!(matches!(CalledMethod::of_selector(&Field::Absent, &signatures), Field::Absent));
    }
}
