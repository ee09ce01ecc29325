//! The page of data that was typed or pasted: every meaning that it can have.
//!
//! It is decoded here. The only request is for the ABI of the contract that it calls. The same entries are
//! the text of `chainglass decode`.

use std::sync::Arc;

use alloy_primitives::{hex, keccak256};

use super::detail::value_entries::{
    argument_entries, bytes_entries, calldata_entries, deeper, unfold_what_fits,
};
use super::detail::{DetailPane, DetailSource, LoadedDetail};
use super::{PaneContext, PanePlace};
use crate::abi::{
    self, CallRisk, DataMeaning, DeclarationKind, DeclaredSignature, DecodedCall, DecodedEvent,
    DecodedRevert, SELECTOR_BYTES, Selector, SignatureDb,
};
use crate::action::Action;
use crate::api::search_results::SearchResult;
use crate::api::{AddressQuery, Cursor, Field, Page, Query, ReplyResult};
use crate::calls::trace_contracts::UnknownContracts;
use crate::calls::values::ValueFormatter;
use crate::chain::amount::{self, Grouped, Unit};
use crate::chain::data_input::DataInput;
use crate::chain::network::Network;
use crate::chain::raw_transaction::{GasFees, RawTransaction, SenderError};
use crate::chain::target::TargetKind;
use crate::chain::{Address, B256, BlockId, Bytes, Timestamp, U256};
use crate::columns::CopyValue;
use crate::messages::abi::{SignatureError, SignatureSource};
use crate::messages::decoded::{self, DecodedNote};
use crate::messages::{Count, column, page, transaction};
use crate::msg::Priority;
use crate::name_cache::NameCache;
use crate::sanitize::SafeText;
use crate::ui::age::AgeClock;
use crate::ui::document::{DocumentEntry, EntryLink, EntryValue};
use crate::ui::format_options::FormatOptions;
use crate::ui::theme::Role;

/// More entries begin folded.
const MAX_OPEN_ENTRIES: usize = 200;
/// Years 2001 to 2106 in Unix time, in seconds.
const UNIX_SECONDS: std::ops::Range<u64> = 1_000_000_000..1 << 32;
/// Numbers from which a block is too far in the future.
const MAX_BLOCK: u64 = 100_000_000_000;
const HEX_LABEL: &str = "hex";
const CALL_TARGET: &str = "call to";
/// Maximum targets of calls whose names are requested.
const MAX_NAMED_TARGETS: usize = 8;
/// Decimals of tokens for dollars, whose amounts differ most from the coin's.
const DOLLAR_DECIMALS: u8 = 6;

/// Data on its page.
#[derive(Debug, Clone)]
pub struct DataOnPage {
    pub input: Arc<DataInput>,
    /// The contract that calldata is decoded for.
    pub contract: Option<Address>,
}

pub fn pane(data: &DataOnPage) -> DetailPane {
    let source = Ok(Box::new(PastedData { data: data.clone(), found: None }) as _);
    DetailPane::from_loaded(LoadedDetail { source, raw: None }, None).complete()
}

impl DataOnPage {
    /// Returns the contract on a chain that the data is a call to: the chosen one, or the recipient of a raw
    /// transaction.
    pub fn called_contract(&self, network: &Network) -> Option<Address> {
        let DataInput::Bytes(bytes) = &*self.input else { return None };
        let Some(transaction) = RawTransaction::parse(bytes) else {
            return self.contract.filter(|_| bytes.len() >= SELECTOR_BYTES);
        };
        let is_here = transaction.chain_id.is_none_or(|id| network.id.is_none_or(|own| own == id));
        transaction.to.filter(|_| is_here && transaction.input.len() >= SELECTOR_BYTES)
    }
}

/// The source of the page.
#[derive(Debug)]
struct PastedData {
    data: DataOnPage,
    /// The only contract on a node's chain that has the function, as the node's server found it.
    found: Option<Address>,
}

impl PastedData {
    fn formatter<'a>(cx: &PaneContext<'a>) -> DataFormatter<'a> {
        DataFormatter {
            signatures: cx.signature_db,
            name_cache: cx.name_cache,
            network: cx.network,
            format: cx.format,
            ages: cx.ages(),
            lookup_hint: Some(cx.keys.expand(page::LOOKS_IT_UP).into_owned()),
        }
    }
}

impl DetailSource for PastedData {
    fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let mut entries = Self::formatter(cx).page_entries(&self.data, self.found);
        unfold_what_fits(&mut entries, usize::from(cx.area.height).saturating_sub(1));
        entries
    }

    fn has_ages(&self) -> bool {
        true
    }

    fn unknown_contracts(&self, cx: &PaneContext<'_>) -> Option<UnknownContracts> {
        let contract = self.data.called_contract(cx.network)?;
        // Data of no transaction is counted by its own hash.
        let transaction = keccak256(self.data.input.to_string());
        UnknownContracts::new(transaction, vec![contract])
    }

    /// A node's server names the contract of the function, and the targets of the calls inside.
    fn missing(&self, cx: &PaneContext<'_>) -> Vec<Query> {
        if !cx.network.endpoint.is_node() || cx.place == PanePlace::Preview {
            return Vec::new();
        }
        let meanings = Self::formatter(cx).meanings(&self.data.input, self.data.contract);
        let call = meanings.iter().flatten().find_map(|meaning| match meaning {
            DataMeaning::Call(call) => Some(call),
            _ => None,
        });
        let Some(call) = call else { return Vec::new() };
        let contract = other_contract(call)
            .filter(|name| self.found.is_none() && cx.name_cache.only_contract(name).is_none());
        let search = contract.map(|name| Query::Search(name.clone()));
        let unknown = |target: &Address| cx.name_cache.name(target).is_none();
        let targets = call.named_targets().into_iter().filter(unknown).take(MAX_NAMED_TARGETS);
        let details = targets.map(|target| Query::Address(target, AddressQuery::Details));
        search.into_iter().chain(details).collect()
    }

    fn follow_up(&self, known: &Query, cx: &PaneContext<'_>) -> Option<(Query, Priority)> {
        let found = self.found.filter(|_| matches!(known, Query::Search(_)))?;
        let is_unnamed = cx.name_cache.name(&found).is_none();
        let query = Query::Address(found, AddressQuery::Details);
        is_unnamed.then_some((query, Priority::Interactive))
    }

    fn add(&mut self, query: &Query, reply: ReplyResult, _: &PaneContext<'_>) -> Option<Cursor> {
        if let (Query::Search(name), Ok(reply)) = (query, reply) {
            let page: Page<SearchResult> = reply.page()?;
            let results: Vec<&SearchResult> = page.parsed().collect();
            self.found = only_named(&results, name);
        }
        None
    }

    fn copy_value(&self, _: Action, _: Option<Address>) -> Option<CopyValue> {
        None
    }
}

/// Formats the meanings of data as entries.
pub struct DataFormatter<'a> {
    pub signatures: &'a SignatureDb,
    pub name_cache: &'a NameCache,
    pub network: &'a Network,
    pub format: &'a FormatOptions,
    pub ages: AgeClock,
    /// Note next to signatures that can be looked up. `None` without a screen.
    pub lookup_hint: Option<String>,
}

impl DataFormatter<'_> {
    /// Returns the entries of the page: the meanings, then the bytes.
    fn page_entries(&self, data: &DataOnPage, found: Option<Address>) -> Vec<DocumentEntry> {
        let mut entries = match self.meanings(&data.input, data.contract) {
            Ok(meanings) => self.entries(&meanings, data.contract),
            Err(why) => vec![DocumentEntry::warning(&why.to_string().into())],
        };
        if let Some((likely, meanings)) = self.likely_call(data, found) {
            entries = self.entries(&meanings, Some(likely));
            let target = entries.iter_mut().find(|entry| &*entry.label == CALL_TARGET);
            if let Some(target) = target {
                target.label = decoded::LIKELY_CALL.into();
            }
        }
        if let DataInput::Bytes(bytes) = &*data.input {
            if bytes.len() < Address::len_bytes() {
                let note = DocumentEntry::text("", page::TOO_SHORT).copy("").role(Role::Dim);
                entries.insert(0, note);
            }
            // A number is in hexadecimal too.
            let raw = bytes.to_string();
            let is_raw =
                |entry: &DocumentEntry| &*entry.label == HEX_LABEL && *entry.copy_text() == *raw;
            if !entries.iter().any(is_raw) {
                entries.extend(raw_entries("raw data", bytes));
            }
        }
        open_folds(&mut entries);
        entries
    }

    /// Returns the meanings of data.
    ///
    /// # Errors
    ///
    /// Returns the mistake in a signature.
    pub fn meanings(
        &self,
        input: &DataInput,
        to: Option<Address>,
    ) -> Result<Vec<DataMeaning>, SignatureError> {
        self.signatures.meanings(input, to, &|contract| self.names_of(contract))
    }

    fn names_of(&self, contract: Address) -> Vec<String> {
        let names = self.name_cache.contract_names(Some(contract)).into_iter();
        names.map(str::to_owned).collect()
    }

    /// Returns the meanings of a call to the only contract of a node that has the function, if the page's does
    /// not have it. Of a public chain, only some contracts are known.
    fn likely_call(
        &self,
        data: &DataOnPage,
        found: Option<Address>,
    ) -> Option<(Address, Vec<DataMeaning>)> {
        let meanings = self.meanings(&data.input, data.contract).ok()?;
        let DataMeaning::Call(call) = meanings.first()? else { return None };
        let name = other_contract(call)?;
        let known = || self.name_cache.only_contract(name);
        let likely = found.or_else(known).filter(|_| self.network.endpoint.is_node())?;
        let names_of = |contract| {
            let searched = (contract == likely).then(|| name.to_string());
            searched.into_iter().chain(self.names_of(contract)).collect()
        };
        let as_call = self.signatures.meanings(&data.input, Some(likely), &names_of);
        Some((likely, as_call.ok()?))
    }

    /// Returns the entries of meanings, as seen by the contract that calldata is decoded for.
    pub fn entries(
        &self,
        meanings: &[DataMeaning],
        contract: Option<Address>,
    ) -> Vec<DocumentEntry> {
        let risks = self.describe_risks(meanings, contract);
        let warnings = risks.iter().map(DocumentEntry::warning);
        let entries = meanings.iter().flat_map(|meaning| self.meaning_entries(meaning, contract));
        warnings.chain(entries).map(|entry| self.named(entry)).collect()
    }

    /// Describes the risks of calls, transactions and functions.
    pub fn describe_risks(
        &self,
        meanings: &[DataMeaning],
        contract: Option<Address>,
    ) -> Vec<SafeText> {
        let name = |address: &Address| {
            let name = self.name_cache.short_name(address);
            name.map_or_else(|| address.to_string(), |name| format!("{name} ({address})"))
        };
        let describe = |risk: CallRisk| SafeText::from(risk.describe(&name));
        let described = meanings.iter().flat_map(|meaning| match meaning {
            DataMeaning::Functions(found) => CallRisk::describe_functions(found),
            DataMeaning::Call(call) => {
                CallRisk::of_call(call, contract).into_iter().map(describe).collect()
            }
            DataMeaning::Transaction { transaction, call } => {
                let call = call.iter().flat_map(|call| CallRisk::of_call(call, transaction.to));
                delegation_risks(transaction).chain(call).map(describe).collect()
            }
            _ => Vec::new(),
        });
        described.collect()
    }

    fn named(&self, entry: DocumentEntry) -> DocumentEntry {
        let name = entry.address().and_then(|address| self.name_cache.short_name(&address));
        match name {
            Some(name) => entry.side_note(&name),
            None => entry,
        }
    }

    fn meaning_entries(
        &self,
        meaning: &DataMeaning,
        contract: Option<Address>,
    ) -> Vec<DocumentEntry> {
        match meaning {
            DataMeaning::Transaction { transaction, call } => {
                self.transaction_entries(transaction, call.as_ref())
            }
            DataMeaning::Call(call) => {
                // Else no known ABI of the page's contract has the function.
                let called = contract.filter(|_| !call.source.is_of_other_contract());
                let on = called.map(|contract| address_entry(CALL_TARGET, contract));
                on.into_iter().chain(self.token_call_entries("calldata", call, called)).collect()
            }
            DataMeaning::Revert(revert) => revert_entries(revert),
            DataMeaning::UnknownSelector(selector) => {
                self.unknown_entries("selector", *selector, meaning)
            }
            DataMeaning::Functions(found) => list_entries("function", found),
            DataMeaning::Errors(found) => list_entries("error", found),
            DataMeaning::Events(found) => list_entries("event", found),
            DataMeaning::Log(event) => log_entries(event),
            DataMeaning::Slot(name) => vec![DocumentEntry::text("storage slot", *name)],
            DataMeaning::Hash(hash) => self.hash_entries(*hash, meaning),
            DataMeaning::ReturnValues(values) => {
                let header =
                    DocumentEntry::text("return data", decoded::BY_LAYOUT).role(Role::Title);
                [vec![header.copy("").fold(true)], argument_entries(values)].concat()
            }
            DataMeaning::Address(address) => vec![address_entry("address", *address)],
            DataMeaning::Delegation(delegate) => vec![address_entry("delegates to", *delegate)],
            DataMeaning::Clone(code) => vec![address_entry("clone of", *code)],
            DataMeaning::Code(selectors) => self.code_entries(selectors),
            DataMeaning::Text(text) => vec![DocumentEntry::text("text", text.clone())],
            DataMeaning::Number(number) => self.number_entries(*number),
            DataMeaning::Words(words) => word_entries(words),
            DataMeaning::Declaration(declared) => declaration_entries(declared),
        }
    }

    fn transaction_entries(
        &self,
        transaction: &RawTransaction,
        call: Option<&DecodedCall>,
    ) -> Vec<DocumentEntry> {
        let kind = u64::from(transaction.kind);
        let title = format!("{kind}{}", transaction::type_name(kind));
        let hash = EntryLink::Target(TargetKind::Transaction(transaction.hash));
        let grouped = |label: &str, number: u64| {
            DocumentEntry::text(label, Grouped(number).to_string()).copy(number.to_string())
        };
        let mut entries = vec![
            DocumentEntry::text("transaction", title).role(Role::Title).copy(""),
            self.chain_entry(transaction.chain_id),
            sender_entry("from", &transaction.sender),
            match transaction.to {
                Some(to) => address_entry("to", to),
                None => note("to", decoded::CREATES_CONTRACT),
            },
            self.coin_entry("value", transaction.value),
            grouped("nonce", transaction.nonce),
            grouped("gas limit", transaction.gas_limit),
        ];
        if transaction.sender.is_ok() {
            let entry = DocumentEntry::text("hash", transaction.hash.to_string());
            entries.insert(1, entry.link(hash).role(Role::Link));
        }
        entries.extend(self.fee_entries(transaction));
        entries.extend(list_parts(transaction));
        match (call, &transaction.input) {
            (Some(call), _) => {
                entries.extend(self.token_call_entries("call", call, transaction.to));
            }
            (None, input) => entries.extend(self.input_entries(transaction.to, input)),
        }
        entries
    }

    /// Returns a call and its arguments. An amount of the called token is also in the token's unit, if
    /// that is known.
    fn token_call_entries(
        &self,
        label: &str,
        call: &DecodedCall,
        to: Option<Address>,
    ) -> Vec<DocumentEntry> {
        let mut entries = call_entries(label, call);
        let name_cache = self.name_cache;
        let values = ValueFormatter {
            name_cache,
            full_addresses: true,
            short_amounts: false,
            transaction: None,
            balances: None,
        };
        if let Some((at, amount)) = values.token_amount_argument(to, call) {
            let token = to.and_then(|to| name_cache.name(&to)?.token.as_ref());
            let symbol = token.and_then(|token| token.symbol.as_deref()).unwrap_or_default();
            let note = format!("(= {})", [&*amount, symbol].join(" ").trim_end());
            // Another signature of the call comes before its arguments.
            let at = at + usize::from(!call.alternatives.is_empty());
            let argument = entries.iter_mut().filter(|entry| entry.level == 1).nth(at);
            if let Some(argument) = argument {
                *argument = argument.clone().side_note(&note);
            }
        }
        entries
    }

    fn input_entries(&self, to: Option<Address>, input: &Bytes) -> Vec<DocumentEntry> {
        match (to, input.first_chunk()) {
            (_, None) if input.is_empty() => vec![note("input", decoded::EMPTY_CALL)],
            (Some(_), Some(selector)) => {
                let meaning = DataMeaning::UnknownSelector(*selector);
                let unknown = self.unknown_entries("call", *selector, &meaning);
                [unknown, raw_entries("input", input)].concat()
            }
            _ => raw_entries("init code", input),
        }
    }

    fn chain_entry(&self, chain: Option<u64>) -> DocumentEntry {
        let Some(id) = chain else { return note("chain", decoded::ANY_CHAIN) };
        let entry = DocumentEntry::text("chain", id.to_string());
        match self.network.id {
            Some(own) if own == id => entry.side_note(&self.network.name),
            Some(_) => entry.role(Role::Warning).side_note(decoded::OTHER_CHAIN),
            None => entry,
        }
    }

    fn coin_entry(&self, label: &str, wei: U256) -> DocumentEntry {
        let role = if wei.is_zero() { Role::Plain } else { Role::Value };
        let amount = self.format.unit.format_exact(wei, self.network);
        DocumentEntry::text(label, amount).copy(wei.to_string()).role(role)
    }

    fn fee_entries(&self, transaction: &RawTransaction) -> Vec<DocumentEntry> {
        let price = |label: &str, wei: U256| {
            let gwei = format!("{} gwei", amount::format_exact(wei, 9));
            DocumentEntry::text(label, gwei).copy(wei.to_string())
        };
        let (most, mut entries) = match transaction.fees {
            GasFees::Price(wei) => (wei, vec![price("gas price", wei)]),
            GasFees::Market { max_fee, max_tip, max_blob_fee } => {
                let mut entries = vec![price("max fee", max_fee), price("max tip", max_tip)];
                entries.extend(max_blob_fee.map(|wei| price("blob fee", wei)));
                (max_fee, entries)
            }
        };
        let fee = most.checked_mul(U256::from(transaction.gas_limit));
        entries.extend(fee.map(|fee| {
            let shown = self.format.unit.format_exact(fee, self.network);
            let text = DecodedNote::MaxFee { fee: &shown }.to_string();
            DocumentEntry::text("fee", text).copy(fee.to_string())
        }));
        entries
    }

    /// Returns the line of a selector whose signature is unknown, which can be looked up.
    fn unknown_entries(
        &self,
        label: &str,
        selector: Selector,
        meaning: &DataMeaning,
    ) -> Vec<DocumentEntry> {
        let text = hex::encode_prefixed(selector);
        let entry = DocumentEntry::text(label, text.clone()).copy(text);
        if let Some(signature) = self.signatures.declarations(selector).first() {
            let note = DecodedNote::OtherArguments { signature }.to_string();
            return vec![entry.side_note(&note)];
        }
        let hint = self.lookup_hint.as_deref().unwrap_or_default();
        let unknown = entry.side_note(format!("{} {hint}", column::NO_KNOWN_SIGNATURE).trim_end());
        vec![match meaning.unknown_signature() {
            Some(signature) => unknown.link(EntryLink::Signature(signature)),
            None => unknown,
        }]
    }

    /// Returns the candidates for a hash. Nothing is requested before the user opens one of them.
    fn hash_entries(&self, hash: B256, meaning: &DataMeaning) -> Vec<DocumentEntry> {
        let title = DocumentEntry::text("32 bytes", hash.to_string()).role(Role::Title);
        let maybe = note("maybe", decoded::MAYBE_HASH);
        let topic = note("event", decoded::NO_EVENT);
        let Some(hint) = &self.lookup_hint else { return vec![title, maybe, topic] };
        let topic = match meaning.unknown_signature() {
            Some(signature) => topic.side_note(hint).link(EntryLink::Signature(signature)),
            None => topic,
        };
        let url_host = self.network.endpoint.host();
        let host = url_host.as_deref().unwrap_or(&self.network.name);
        let text = DecodedNote::Asks { host }.to_string();
        let open = |label: &str, target| {
            let entry = DocumentEntry::text(label, text.clone()).copy("");
            entry.link(EntryLink::Target(target)).role(Role::Link)
        };
        vec![
            title,
            maybe,
            topic,
            open("transaction", TargetKind::Transaction(hash)),
            open("block", TargetKind::Block(BlockId::Hash(hash))),
        ]
    }

    fn code_entries(&self, selectors: &[Selector]) -> Vec<DocumentEntry> {
        let count = Count(selectors.len(), "function").to_string();
        let header = DocumentEntry::text("code", count).copy("").role(Role::Title).fold(true);
        let functions = selectors.iter().map(|selector| {
            let text = hex::encode_prefixed(selector);
            match self.signatures.declarations(*selector).first() {
                Some(declaration) => DocumentEntry::text(&text, declaration.clone()),
                None => note(&text, column::NO_KNOWN_SIGNATURE),
            }
            .at_level(1)
        });
        [header].into_iter().chain(functions).collect()
    }

    fn number_entries(&self, number: U256) -> Vec<DocumentEntry> {
        let decimal = number.to_string();
        let title = DocumentEntry::text("number", Grouped(&decimal).to_string())
            .role(Role::Title)
            .copy(decimal);
        let title = if number == U256::MAX { title.side_note(decoded::MAXIMUM) } else { title };
        let amount = |label: &str, decimals: u8| {
            let amount = amount::format_exact(number, decimals);
            DocumentEntry::text(label, amount.clone()).copy(amount)
        };
        let mut entries = vec![title, DocumentEntry::text(HEX_LABEL, format!("{number:#x}"))];
        let small = u64::try_from(number).ok();
        if number >= U256::from(10_000) {
            entries.push(amount("6 decimals", DOLLAR_DECIMALS));
        }
        let units = [Unit::Gwei, Unit::Coin]
            .into_iter()
            .filter(|unit| unit.decimals(self.network.decimals) > 0);
        entries.extend(
            units.map(|unit| amount(unit.name(self.network), unit.decimals(self.network.decimals))),
        );
        entries.extend(small.and_then(|number| self.time_entry(number)));
        let block = small.filter(|number| *number < MAX_BLOCK);
        entries.extend(block.map(|number| {
            DocumentEntry::text("block", number.to_string()).link_block(BlockId::Number(number))
        }));
        entries
    }

    fn time_entry(&self, number: u64) -> Option<DocumentEntry> {
        let seconds = [number, number / 1_000].into_iter().find(|n| UNIX_SECONDS.contains(n))?;
        let then = Timestamp::from_second(i64::try_from(seconds).ok()?).ok()?;
        let text = self.format.full_time(then, self.ages);
        Some(DocumentEntry::text("time", text).copy(then.to_string()))
    }
}

fn delegation_risks(transaction: &RawTransaction) -> impl Iterator<Item = CallRisk> {
    let starting = transaction.authorizations.iter().filter(|signed| !signed.delegate.is_zero());
    starting.map(|signed| CallRisk::Delegation {
        authority: signed.authority.ok(),
        delegate: signed.delegate,
    })
}

/// Opens all folds except raw bytes, unless there are too many entries.
fn open_folds(entries: &mut [DocumentEntry]) {
    if entries.len() > MAX_OPEN_ENTRIES {
        return;
    }
    for n in 0..entries.len() {
        let hides_bytes =
            entries.get(n + 1).is_some_and(|next| matches!(next.value, EntryValue::Hex(_)));
        if let Some(entry) = entries.get_mut(n).filter(|entry| entry.open.is_some()) {
            entry.open = Some(!hides_bytes);
        }
    }
}

fn note(label: &str, text: &str) -> DocumentEntry {
    DocumentEntry::text(label, text).copy("").role(Role::Dim)
}

fn address_entry(label: &str, address: Address) -> DocumentEntry {
    DocumentEntry::text(label, address.to_string()).link_address(address)
}

fn sender_entry(label: &str, sender: &Result<Address, SenderError>) -> DocumentEntry {
    match sender {
        Ok(sender) => address_entry(label, *sender),
        Err(SenderError::Unsigned) => note(label, decoded::NOT_SIGNED),
        Err(SenderError::InvalidSignature) => {
            note(label, decoded::BAD_SIGNATURE).role(Role::Warning)
        }
    }
}

/// Returns the lists inside a transaction: the access list, blobs and delegations.
fn list_parts(transaction: &RawTransaction) -> Vec<DocumentEntry> {
    let header = |label: &str, count: usize, noun| {
        let entry = DocumentEntry::text(label, Count(count, noun).to_string()).copy("");
        (count > 0).then(|| entry.fold(true))
    };
    let access = transaction.access_list.iter().flat_map(|item| {
        let slots =
            item.slots.iter().map(|slot| DocumentEntry::text("slot", slot.to_string()).at_level(2));
        [address_entry("contract", item.address).at_level(1)].into_iter().chain(slots)
    });
    let blobs = transaction
        .blob_hashes
        .iter()
        .map(|hash| DocumentEntry::text("hash", hash.to_string()).at_level(1));
    let delegations = transaction.authorizations.iter().flat_map(|signed| {
        let chain = if signed.chain_id.is_zero() {
            note("chain", decoded::ALL_CHAINS)
        } else {
            DocumentEntry::text("chain", signed.chain_id.to_string())
        };
        let parts = [
            address_entry("code of", signed.delegate),
            chain,
            DocumentEntry::text("nonce", signed.nonce.to_string()),
        ];
        let account = sender_entry("account", &signed.authority).fold(true);
        deeper([account].into_iter().chain(deeper(parts)))
    });
    header("access list", transaction.access_list.len(), "contract")
        .into_iter()
        .chain(access)
        .chain(header("blobs", transaction.blob_hashes.len(), "blob"))
        .chain(blobs)
        .chain(header("delegations", transaction.authorizations.len(), "account"))
        .chain(delegations)
        .collect()
}

/// Returns the contract whose ABI a call of another contract is decoded by.
fn other_contract(call: &DecodedCall) -> Option<&SafeText> {
    match &call.source {
        SignatureSource::OtherAbi(name) | SignatureSource::OtherCompiled(name) => Some(name),
        _ => None,
    }
}

/// Returns the only proxy of a contract with a name, or else the only contract with it.
fn only_named(results: &[&SearchResult], name: &SafeText) -> Option<Address> {
    let only = |is_named: &dyn Fn(&SearchResult) -> bool| {
        let mut named = results.iter().filter(|result| is_named(result));
        let first = named.next().and_then(|result| result.address.value().copied());
        (first.is_some(), first.filter(|_| named.next().is_none()))
    };
    let is_name = |own: &Field<SafeText>| own.value() == Some(name);
    let is_proxy = |result: &SearchResult| {
        let mut behind = result.implementations.value().into_iter().flatten();
        behind.any(|behind| is_name(&behind.name))
    };
    match only(&is_proxy) {
        (true, proxy) => proxy,
        (false, _) => only(&|result| is_name(&result.name)).1,
    }
}

/// Returns the signature of a call or an error, and its arguments.
fn call_entries(label: &str, call: &DecodedCall) -> Vec<DocumentEntry> {
    let header = DocumentEntry::text(label, call.signature.clone())
        .role(Role::Title)
        .side_note(&format!("({})", call.source.describe()));
    let others: Vec<&str> = call.alternatives.iter().map(|other| &**other).collect();
    let others = (!others.is_empty())
        .then(|| DocumentEntry::text("or", others.join(" or ")).role(Role::Warning).at_level(1));
    let trailing = (call.trailing_bytes > 0).then(|| {
        let size = Count(call.trailing_bytes, "byte").to_string();
        let text = crate::messages::call::CallNote::TrailingBytes { size: &size }.to_string();
        note("more", &text).at_level(1)
    });
    let is_foldable = !call.arguments.is_empty() || others.is_some() || trailing.is_some();
    let header = if is_foldable { header.fold(true) } else { header };
    let arguments = argument_entries(&call.arguments);
    [header].into_iter().chain(others).chain(arguments).chain(trailing).collect()
}

fn log_entries(event: &DecodedEvent) -> Vec<DocumentEntry> {
    let source = event.source.describe();
    let other = if event.is_guess() { decoded::OTHERS_INDEXED } else { "" };
    let header = DocumentEntry::text("log", event.signature.clone())
        .role(Role::Title)
        .side_note(format!("({source}) {other}").trim_end())
        .fold(!event.arguments.is_empty());
    let arguments: Vec<_> = event.arguments.iter().map(|one| one.argument.clone()).collect();
    [header].into_iter().chain(argument_entries(&arguments)).collect()
}

fn revert_entries(revert: &DecodedRevert) -> Vec<DocumentEntry> {
    match revert {
        DecodedRevert::Custom(error) => call_entries("revert data", error),
        revert => vec![DocumentEntry::text("revert data", revert.describe()).role(Role::Failed)],
    }
}

/// Returns a line for each signature with the same hash.
fn list_entries(label: &str, found: &[SafeText]) -> Vec<DocumentEntry> {
    let entries = found.iter().enumerate().map(|(n, declaration)| {
        let label = if n == 0 { label } else { "or" };
        let role = if n == 0 { Role::Title } else { Role::Warning };
        DocumentEntry::text(label, declaration.clone()).role(role)
    });
    entries.collect()
}

fn word_entries(words: &[B256]) -> Vec<DocumentEntry> {
    let count = Count(words.len(), "word").to_string();
    let header = DocumentEntry::text("words", count).copy("").role(Role::Title).fold(true);
    let words = words.iter().enumerate().map(|(n, word)| {
        let entry = DocumentEntry::text(&format!("{:#x}", n * 32), word.to_string());
        let number = U256::from_be_bytes(word.0);
        match u64::try_from(number) {
            Ok(small) => entry.side_note(&Grouped(small).to_string()),
            Err(_) => match abi::likely_address(number) {
                Some(address) => entry.copy(word.to_string()).link_address(address),
                None => entry,
            },
        }
        .at_level(1)
    });
    [header].into_iter().chain(words).collect()
}

fn declaration_entries(declared: &DeclaredSignature) -> Vec<DocumentEntry> {
    let selector = DocumentEntry::text("selector", hex::encode_prefixed(declared.selector()));
    let topic = DocumentEntry::text("topic", declared.hash.to_string());
    let title = DocumentEntry::text("signature", declared.canonical.clone()).role(Role::Title);
    let hashes = match declared.kind {
        DeclarationKind::Call => vec![selector],
        DeclarationKind::Event => vec![topic],
        DeclarationKind::Any => vec![selector, topic],
    };
    [title].into_iter().chain(hashes).collect()
}

/// Returns the size of bytes and, folded, all of them.
fn raw_entries(label: &str, bytes: &Bytes) -> Vec<DocumentEntry> {
    let mut entries = bytes_entries(label, bytes.clone());
    if let Some(first) = entries.first_mut().filter(|entry| entry.open.is_some()) {
        let size = Count(bytes.len(), "byte").to_string();
        *first = DocumentEntry::text(label, size).copy(bytes.to_string()).fold(false);
        entries.truncate(1);
        entries.extend(calldata_entries(bytes));
    }
    entries
}

#[cfg(test)]
mod tests {
    use url::Url;

    use super::*;
    use crate::api::TokenQuery;

    #[test]
    fn function_of_another_contract_is_likely_a_call_to_it() {
        let [desk, vault, token] = [6, 7, 8].map(Address::repeat_byte);
        let mut signatures = SignatureDb::default();
        let go = r#"[{"type":"function","name":"go","inputs":[{"name":"target","type":"address"},{"name":"data","type":"bytes"}]}]"#;
        let count = r#"[{"type":"function","name":"count","inputs":[],"outputs":[]}]"#;
        for (name, abi) in [("Desk", go), ("Token", count), ("Other", count)] {
            signatures.add_contract_abi(None, name, abi).unwrap();
        }
        let mut name_cache = NameCache::default();
        let name = |name_cache: &mut NameCache, address: Address, name: &str| {
            let query = Query::Contract(address);
            let contract = format!(r#"{{"name":"{name}"}}"#);
            name_cache.ingest(&query, &query.decode(contract.as_bytes(), None).unwrap());
        };
        name(&mut name_cache, desk, "Desk");
        name(&mut name_cache, token, "Token");
        let selector = |declared: &str| hex::encode(&keccak256(declared)[..4]);
        let data = format!(
            "0x{}{:0>64}{:064x}{:064x}{:0<64}",
            selector("go(address,bytes)"),
            hex::encode(token),
            64,
            4,
            selector("count()")
        );
        let input: Arc<DataInput> = Arc::new(data.parse().unwrap());
        let url: Url = "http://127.0.0.1:8545".parse().unwrap();
        let node = Network::of_node("anvil", url.try_into().unwrap());
        let shown_on = |network: &Network, name_cache: &NameCache, found: Option<Address>| {
            let format = FormatOptions::default();
            let formatter = DataFormatter {
                signatures: &signatures,
                name_cache,
                network,
                format: &format,
                ages: AgeClock::new(network, Timestamp::UNIX_EPOCH),
                lookup_hint: None,
            };
            let data = DataOnPage { input: Arc::clone(&input), contract: Some(vault) };
            format!("{:?}", formatter.page_entries(&data, found))
        };
        let shown =
            |name_cache: &NameCache, found: Option<Address>| shown_on(&node, name_cache, found);
        let public = shown_on(&Network::demo(), &name_cache, None);
        assert!(!public.contains(decoded::LIKELY_CALL), "others may have the name: {public}");
        let entries = shown(&name_cache, None);
        assert!(entries.contains(decoded::LIKELY_CALL) && entries.contains(&desk.to_string()));
        assert!(entries.contains("count()") && !entries.contains("a guess"), "{entries}");
        name(&mut name_cache, Address::ZERO, "Desk");
        assert!(!shown(&name_cache, None).contains(decoded::LIKELY_CALL), "one of two");
        let unnamed = Address::repeat_byte(9);
        assert!(shown(&name_cache, Some(unnamed)).contains(decoded::LIKELY_CALL));
    }

    #[test]
    fn function_of_another_contract_moves_nothing_of_the_pages_token() {
        let [token, other] = [7, 8].map(Address::repeat_byte);
        let mut name_cache = NameCache::default();
        let query = Query::Token(token, TokenQuery::Details);
        let details = br#"{"symbol":"GLD","decimals":"6","type":"ERC-20"}"#;
        name_cache.ingest(&query, &query.decode(details, None).unwrap());
        let transfer = format!("0xa9059cbb{:064x}{:064x}", 1, 2_500_000_000_u64);
        let input: Arc<DataInput> = Arc::new(transfer.parse().unwrap());
        let abi = r#"[{"type":"function","name":"transfer","inputs":[{"name":"to","type":"address"},{"name":"amount","type":"uint256"}]}]"#;
        for (owner, has_token) in [(token, true), (other, false)] {
            let mut signatures = SignatureDb::default();
            signatures.add_explorer_abi(owner, &"Gold".into(), abi).unwrap();
            let (network, format) = (Network::demo(), FormatOptions::default());
            let formatter = DataFormatter {
                signatures: &signatures,
                name_cache: &name_cache,
                network: &network,
                format: &format,
                ages: AgeClock::new(&network, Timestamp::UNIX_EPOCH),
                lookup_hint: None,
            };
            let data = DataOnPage { input: Arc::clone(&input), contract: Some(token) };
            let entries = format!("{:?}", formatter.page_entries(&data, None));
            for part in ["call to", "2,500 GLD"] {
                assert_eq!(entries.contains(part), has_token, "{part}: {entries}");
            }
        }
    }
}
