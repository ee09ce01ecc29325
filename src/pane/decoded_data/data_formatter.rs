//! The meanings of data as entries of a page.

use alloy_primitives::hex;

use super::meaning_entries::{
    address_entry, call_entries, declaration_entries, list_entries, log_entries, raw_entries,
    revert_entries, word_entries,
};
use crate::abi::{CallRisk, DataMeaning, DecodedCall, Selector, SignatureDb};
use crate::calls::values::ValueFormatter;
use crate::chain::amount::{self, Grouped, Unit};
use crate::chain::data_input::DataInput;
use crate::chain::network::Network;
use crate::chain::raw_transaction::RawTransaction;
use crate::chain::target::TargetKind;
use crate::chain::{Address, B256, BlockId, Timestamp, U256};
use crate::messages::abi::{SignatureError, SignatureSource};
use crate::messages::decoded::{self, DecodedNote};
use crate::messages::{Count, column, page};
use crate::name_cache::NameCache;
use crate::pane::detail::value_entries::argument_entries;
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
/// Decimals of tokens for dollars, whose amounts differ most from the coin's.
const DOLLAR_DECIMALS: u8 = 6;

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
    pub(super) fn page_entries(
        &self,
        input: &DataInput,
        contract: Option<Address>,
        found: Option<Address>,
    ) -> Vec<DocumentEntry> {
        let mut entries = match self.meanings(input, contract) {
            Ok(meanings) => self.entries(&meanings, contract),
            Err(why) => vec![DocumentEntry::warning(&why.to_string().into())],
        };
        if let Some((likely, meanings)) = self.likely_call(input, contract, found) {
            entries = self.entries(&meanings, Some(likely));
            let target = entries.iter_mut().find(|entry| &*entry.label == CALL_TARGET);
            if let Some(target) = target {
                target.label = decoded::LIKELY_CALL.into();
            }
        }
        if let DataInput::Bytes(bytes) = input {
            if bytes.len() < Address::len_bytes() {
                let note = DocumentEntry::note("", page::TOO_SHORT);
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
        input: &DataInput,
        contract: Option<Address>,
        found: Option<Address>,
    ) -> Option<(Address, Vec<DataMeaning>)> {
        let meanings = self.meanings(input, contract).ok()?;
        let DataMeaning::Call(call) = meanings.first()? else { return None };
        let name = other_contract(call)?;
        let known = || self.name_cache.only_contract(name);
        let likely = found.or_else(known).filter(|_| self.network.endpoint.is_node())?;
        let names_of = |contract| {
            let searched = (contract == likely).then(|| name.to_string());
            searched.into_iter().chain(self.names_of(contract)).collect()
        };
        let as_call = self.signatures.meanings(input, Some(likely), &names_of);
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

    /// Returns a call and its arguments. An amount of the called token is also in the token's unit, if
    /// that is known.
    pub(super) fn token_call_entries(
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
            token_symbols: false,
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

    /// Returns the line of a selector whose signature is unknown, which can be looked up.
    pub(super) fn unknown_entries(
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
        let maybe = DocumentEntry::note("maybe", decoded::MAYBE_HASH);
        let topic = DocumentEntry::note("event", decoded::NO_EVENT);
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
                None => DocumentEntry::note(&text, column::NO_KNOWN_SIGNATURE),
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
        is_certain: true,
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

/// Returns the contract whose ABI a call of another contract is decoded by.
pub(super) fn other_contract(call: &DecodedCall) -> Option<&SafeText> {
    match &call.source {
        SignatureSource::OtherAbi(name) | SignatureSource::OtherCompiled(name) => Some(name),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use alloy_primitives::keccak256;
    use url::Url;

    use super::*;
    use crate::api::{Query, TokenQuery};

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
        let input: DataInput = data.parse().unwrap();
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
            format!("{:?}", formatter.page_entries(&input, Some(vault), found))
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
        let input: DataInput = transfer.parse().unwrap();
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
            let entries = format!("{:?}", formatter.page_entries(&input, Some(token), None));
            for part in ["call to", "2,500 GLD"] {
                assert_eq!(entries.contains(part), has_token, "{part}: {entries}");
            }
        }
    }
}
