//! The pane of a contract: facts, functions, files and code.
//!
//! A proxy is shown with the ABI of its implementation next to its own. Functions are called and slots are
//! read on demand, after a block that the user may choose.

mod definition;
mod facts;
mod files;
mod functions;
mod storage;
mod upgrades;

use std::sync::Arc;

use alloy_primitives::hex;

use super::detail::arguments::argument_entries;
use super::detail::field_entries::missing_entry;
use super::detail::value_entries::unfold_while;
use super::detail::{
    CallableFunction, DetailPane, DetailRequest, DetailSource, LoadedDetail, ShownContract,
    StateReads, columns_next_to_code,
};
use super::export::SourcePlace;
use super::{PaneContext, PanePlace};
use crate::abi::{ContractAbi, PROXY_SLOTS, SlotExpression, StorageLayout, known_slot};
use crate::api::contract::{Contract, HexDigits, SourceFile};
use crate::api::state_reads::StorageBatch;
use crate::api::{ApiError, Cursor, Field, Item, Query, Reply, ReplyResult};
use crate::app_message::Priority;
use crate::chain::amount::Grouped;
use crate::chain::{Address, U256};
use crate::messages::{Count, contract};
use crate::safety::name_marks::guard_name;
use crate::sanitize::SafeText;
use crate::ui::document::{Document, DocumentEntry, EntryValue};
use crate::ui::theme::Role;

use definition::{find_definition, lines_of_contract};
use facts::{artifact, facts, implementations, linked_contracts};
use files::{file_links, files, line_of_all, lines, sources};
use functions::{ShownCalls, functions, selectors};
use storage::storage;
use upgrades::Upgrades;

const MAX_PROBLEMS: usize = 10;
/// Maximum words of variables that are read at once.
const MAX_WORDS: usize = 256;
/// A diamond has dozens.
const MAX_IMPLEMENTATIONS: usize = 8;

pub fn from_address(address: Address) -> DetailPane {
    let request = DetailRequest { query: Query::Contract(address), load };
    DetailPane::from_query(request, format!("contract {address}").into())
}

fn load(query: &Query, reply: &Reply, _: &PaneContext<'_>) -> Option<LoadedDetail> {
    let (&Query::Contract(address), Some(item)) = (query, reply.item()) else { return None };
    Some(LoadedDetail::of_item(item, |contract| {
        ContractDetail::new(address, item.clone(), ContractDetail::abi_of(contract))
    }))
}

#[derive(Debug)]
struct ContractDetail {
    item: Arc<Item<Contract>>,
    address: Address,
    /// The ABI, if there is one, or the reason why it cannot be read.
    abi: Option<Result<ContractAbi, SafeText>>,
    /// Implementations of the contract.
    behind: Vec<Implementation>,
    /// Addresses of implementations whose functions are unknown.
    without_abi: Vec<Address>,
    /// Implementations that wait for those before them, with their queries.
    waiting: Vec<(Query, Arc<Item<Contract>>)>,
    /// Source files of the contract and its implementations.
    files: Vec<SourceFile>,
    /// The queries for these that were answered.
    answered: Vec<Query>,
    upgrades: Upgrades,
    reads: StateReads,
    /// Layout of its storage, or of its implementation's.
    layout: Option<StorageLayout>,
}

#[derive(Debug)]
struct Implementation {
    name: SafeText,
    /// Its name with marks, if that imitates others.
    shown_name: SafeText,
    abi: ContractAbi,
}

impl ContractDetail {
    fn new(
        address: Address,
        item: Arc<Item<Contract>>,
        abi: Option<Result<ContractAbi, SafeText>>,
    ) -> Self {
        let files = item.parsed.iter().flat_map(sources).collect();
        let (behind, without_abi, waiting, answered) = Default::default();
        let (upgrades, reads) = Default::default();
        let layout = item.parsed.as_ref().ok().and_then(layout_of);
        Self {
            item,
            address,
            abi,
            behind,
            without_abi,
            waiting,
            files,
            answered,
            upgrades,
            reads,
            layout,
        }
    }

    fn own_abi(&self) -> Option<&ContractAbi> {
        self.abi.as_ref()?.as_ref().ok()
    }

    /// Returns the ABIs whose functions can be called, with the names of those that are not its own.
    fn abis(&self) -> impl Iterator<Item = (Option<&SafeText>, &ContractAbi)> {
        let behind = self.behind.iter().map(|one| (Some(&one.shown_name), &one.abi));
        self.own_abi().map(|abi| (None, abi)).into_iter().chain(behind)
    }

    fn abi_of(contract: &Contract) -> Option<Result<ContractAbi, SafeText>> {
        let abi = contract.abi.value().map(|json| ContractAbi::parse(json.0.get()));
        abi.map(|abi| abi.map_err(|why| why.to_string().into()))
    }

    /// Returns `true` unless the variables of the code of now may have been in other slots at the block.
    fn is_layout_valid(&self) -> bool {
        !self.reads.block.is_some_and(|block| self.upgrades.are_after(block))
    }

    /// Returns the queries for implementations and upgrades that were not answered.
    fn missing_parts(&self) -> impl Iterator<Item = Query> {
        let contract = self.item.parsed.as_ref().ok();
        let upgrades = contract.and_then(|contract| upgrades::query(contract, self.address));
        let queries = self.implementation_queries().chain(upgrades);
        queries.filter(|query| !self.answered.contains(query))
    }

    /// Returns the queries for the implementations, in their order.
    fn implementation_queries(&self) -> impl Iterator<Item = Query> + use<> {
        let addresses = self.item.parsed.as_ref().map(Contract::implementation_addresses);
        addresses.unwrap_or_default().into_iter().take(MAX_IMPLEMENTATIONS).map(Query::Contract)
    }

    /// Adds the implementations all before which were answered: which of two facets decodes a selector must not
    /// depend on the network.
    fn add_in_order(&mut self) {
        for query in self.implementation_queries() {
            if !self.answered.contains(&query) {
                break;
            }
            if let Some(at) = self.waiting.iter().position(|(waiting, _)| *waiting == query) {
                let (_, item) = self.waiting.swap_remove(at);
                self.add_implementation(&item);
            }
        }
    }

    fn add_implementation(&mut self, item: &Item<Contract>) {
        if let Ok(contract) = &item.parsed
            && let Some((name, json)) = contract.named_abi()
            && let Ok(abi) = ContractAbi::parse(json.get())
        {
            let (name, shown_name) = (name.clone(), guard_name(name.clone()));
            self.behind.push(Implementation { name, shown_name, abi });
            self.layout = self.layout.take().or_else(|| layout_of(contract));
            self.add_files(contract);
        }
    }

    /// Adds the files of a contract that are not already another's.
    fn add_files(&mut self, contract: &Contract) {
        for file in sources(contract) {
            if !self.files.iter().any(|known| {
                known.file_path == file.file_path && known.source_code == file.source_code
            }) {
                self.files.push(file);
            }
        }
    }

    fn has_source(&self) -> bool {
        self.files.iter().any(|file| file.source_code.value().is_some())
    }

    /// Returns the functions, events and errors of all ABIs, or the selectors in the code.
    fn interface(&self, contract: &Contract, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let mut entries = match (&self.abi, &contract.abi) {
            (Some(Err(why)), _) | (None, Field::Invalid(why)) => {
                vec![DocumentEntry::text("ABI", format!("? ({why})")).role(Role::Warning)]
            }
            _ => Vec::new(),
        };
        let token = cx.name_cache.name(&self.address).and_then(|name| name.token.as_ref());
        let is_later_code = !self.is_layout_valid();
        let calls = ShownCalls { reads: &self.reads, token, is_later_code };
        let abis: Vec<_> = self.abis().collect();
        entries.extend(functions(&abis, calls, cx));
        if self.own_abi().is_none() {
            entries.extend(selectors(contract, cx));
        }
        entries
    }
}

impl DetailSource for ContractDetail {
    fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let Ok(contract) = &self.item.parsed else { return Vec::new() };
        let next_to_code = columns_next_to_code(cx.area).filter(|_| self.has_source());
        let columns = next_to_code.unwrap_or(cx.area.width);
        let mut entries = facts(contract, columns, cx);
        entries.extend(artifact(contract));
        entries.extend(implementations(contract, &self.without_abi));
        entries.extend(linked_contracts(contract));
        entries.extend(self.upgrades.entries(columns, cx));
        entries.extend(self.interface(contract, cx));
        let layout = self.layout.as_ref().map(|layout| (layout, self.is_layout_valid()));
        entries.extend(storage(&self.reads, layout, contract.has_proxy_slots(), columns, cx));
        entries.extend(constructor(contract, self.own_abi()));
        let rest = match next_to_code {
            Some(_) => file_links(&self.files),
            None => files(&self.files, false),
        };
        let code = code_entries("code", &contract.deployed_bytecode, !self.has_source());
        let creation = code_entries("init code", &contract.creation_bytecode, false);
        let rest = [rest, code, creation].concat();
        // The JSON has a line too.
        let lines_after = 1 + rest.iter().filter(|entry| entry.level == 0).count();
        let lines = usize::from(cx.area.height).saturating_sub(lines_after);
        unfold_while(&mut entries, |entries| {
            Document::lines_of(entries.to_vec(), columns) <= lines
        });
        entries.extend(rest);
        entries
    }

    fn missing(&self, cx: &PaneContext<'_>) -> Vec<Query> {
        self.missing_parts().chain(self.unread_variables(cx)).collect()
    }

    fn follow_up(&self, _: &Query, cx: &PaneContext<'_>) -> Option<(Query, Priority)> {
        self.unread_variables(cx).map(|query| (query, Priority::Interactive))
    }

    fn add(&mut self, query: &Query, reply: ReplyResult, _: &PaneContext<'_>) -> Option<Cursor> {
        self.answered.push(query.clone());
        if let Query::Address(..) = query {
            return self.upgrades.add(reply);
        }
        let reply = reply.ok();
        let item = reply.as_ref().and_then(Reply::item::<Contract>);
        let has_abi = |item: &&Arc<Item<Contract>>| {
            item.parsed.as_ref().is_ok_and(|contract| contract.named_abi().is_some())
        };
        if let (Query::Contract(address), None) = (query, item.filter(has_abi)) {
            self.without_abi.push(*address);
        }
        self.waiting.extend(item.map(|item| (query.clone(), item.clone())));
        self.add_in_order();
        None
    }

    fn failure(&self) -> Option<&ApiError> {
        self.upgrades.failure()
    }

    fn forget_failures(&mut self) {
        self.answered.retain(|query| !matches!(query, Query::Address(..)));
        self.upgrades = Upgrades::default();
    }

    fn has_ages(&self) -> bool {
        false
    }

    fn contract(&self) -> Option<&dyn ShownContract> {
        Some(self)
    }

    fn contract_mut(&mut self) -> Option<&mut dyn ShownContract> {
        Some(self)
    }

    fn warnings(&self) -> Vec<SafeText> {
        let changed =
            self.item.parsed.as_ref().map(|contract| contract.is_changed_bytecode.value());
        let is_changed = changed == Ok(Some(&true));
        let changed = is_changed.then(|| contract::CHANGED_CODE.into());
        let reported =
            self.item.parsed.as_ref().ok().and_then(|contract| contract.source_problems.value());
        let problems = reported.into_iter().flatten().take(MAX_PROBLEMS).cloned();
        changed.into_iter().chain(problems).collect()
    }
}

impl ShownContract for ContractDetail {
    /// The layout may be an implementation's. It is the node's server that reads all words at once.
    fn unread_variables(&self, cx: &PaneContext<'_>) -> Option<Query> {
        let is_wanted = cx.network.endpoint.is_node()
            && cx.place != PanePlace::Preview
            && self.reads.variables.is_none()
            && self.missing_parts().next().is_none();
        let is_proxy = self.item.parsed.as_ref().is_ok_and(Contract::has_proxy_slots);
        let of_proxy = PROXY_SLOTS.into_iter().filter(|_| is_wanted && is_proxy);
        // The slots of a proxy are in no layout.
        let layout = self.layout.as_ref().filter(|_| is_wanted && self.is_layout_valid());
        let variables =
            layout.into_iter().flat_map(|layout| layout.plain_slots().slots.into_keys());
        let slots: Vec<U256> =
            of_proxy.filter_map(known_slot).chain(variables).take(MAX_WORDS).collect();
        let batch = StorageBatch { address: self.address, slots, block: self.reads.block };
        (!batch.slots.is_empty()).then_some(Query::StorageWords(batch))
    }

    fn has_code(&self) -> bool {
        self.has_source()
    }

    fn code(&self) -> Vec<DocumentEntry> {
        if self.has_source() { files(&self.files, true) } else { Vec::new() }
    }

    fn first_code_line(&self) -> Option<usize> {
        let name = self.item.parsed.as_ref().ok()?.name.value()?;
        Some(lines_of_contract(&lines(&self.files), name)?.start)
    }

    fn callable(&self, function: usize) -> Option<CallableFunction<'_>> {
        let function = self.abis().flat_map(|(_, abi)| &abi.functions).nth(function)?;
        Some(CallableFunction { at: self.address, function })
    }

    fn storage_slot(&self, text: &str) -> Result<(Address, SlotExpression), SafeText> {
        let is_valid = self.is_layout_valid();
        let layout = self.layout.as_ref().filter(|_| is_valid);
        SlotExpression::parse(text, layout).map(|slot| (self.address, slot)).map_err(|why| {
            if is_valid { why.to_string().into() } else { contract::UPGRADED_SINCE.into() }
        })
    }

    fn code_line(&self, place: &SourcePlace) -> Option<usize> {
        let name = match place {
            SourcePlace::Definition(name) => &**name,
            SourcePlace::Line(file, line) => return line_of_all(&self.files, file, *line),
        };
        let own = self.item.parsed.iter().filter_map(|contract| contract.name.value());
        let contracts: Vec<&str> =
            own.chain(self.behind.iter().map(|one| &one.name)).map(|name| &**name).collect();
        // A trace that does not know the ABI has the selector.
        let known = self
            .abis()
            .flat_map(|(_, abi)| &abi.functions)
            .find(|function| hex::encode_prefixed(function.selector()) == name);
        find_definition(
            &lines(&self.files),
            &contracts,
            known.map_or(name, |function| function.name()),
        )
    }

    fn state_reads(&self) -> &StateReads {
        &self.reads
    }

    fn state_reads_mut(&mut self) -> &mut StateReads {
        &mut self.reads
    }
}

fn layout_of(contract: &Contract) -> Option<StorageLayout> {
    StorageLayout::parse(contract.storage_layout.value()?.0.get())
}

fn constructor(contract: &Contract, abi: Option<&ContractAbi>) -> Vec<DocumentEntry> {
    let bytes = [&contract.constructor_args, &contract.creation_bytecode];
    let Some(HexDigits(bytes)) = bytes.into_iter().find_map(Field::value) else {
        return Vec::new();
    };
    let arguments = abi.and_then(|abi| abi.constructor_arguments(bytes));
    match (arguments, &contract.constructor_args) {
        (Some((start, arguments)), _) => {
            let encoded = bytes.slice(start..).to_string();
            let count = Count(arguments.len(), "argument").to_string();
            let heading = DocumentEntry::text("constructor", count).fold(false).copy(encoded);
            [vec![heading], argument_entries(&arguments)].concat()
        }
        (None, Field::Present(HexDigits(bytes))) if !bytes.is_empty() => {
            vec![DocumentEntry::text("constructor", bytes.to_string())]
        }
        _ => Vec::new(),
    }
}

fn code_entries(label: &str, code: &Field<HexDigits>, is_open: bool) -> Vec<DocumentEntry> {
    let Field::Present(HexDigits(bytes)) = code else {
        return missing_entry(label, code).into_iter().collect();
    };
    if bytes.is_empty() {
        return vec![DocumentEntry::text(label, "0x (empty)").copy("0x").role(Role::Dim)];
    }
    let size = format!("{} bytes", Grouped(bytes.len()));
    vec![
        DocumentEntry::text(label, size).fold(is_open).copy(bytes.to_string()),
        DocumentEntry::new("", EntryValue::Hex(bytes.clone())).at_level(1),
    ]
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};

    use super::*;

    fn contract(json: &Value) -> Arc<Item<Contract>> {
        Arc::new(Item::from_json(&to_raw_value(json).unwrap()))
    }

    #[test]
    fn implementations_are_in_the_explorers_order() {
        let addresses = [1, 2, 3].map(Address::repeat_byte);
        let behind = addresses.map(|address| json!({ "address_hash": address }));
        let proxy = contract(&json!({ "implementations": behind }));
        let mut detail = ContractDetail::new(Address::ZERO, proxy, None);
        // The first has no source.
        for (answered, names) in [(2, &[][..]), (0, &[]), (1, &["B", "C"])] {
            let query = Query::Contract(addresses[answered]);
            detail.answered.push(query.clone());
            if answered > 0 {
                let name = ["A", "B", "C"][answered];
                let item = contract(&json!({ "name": name, "abi": [], "source_code": name }));
                detail.waiting.push((query, item));
            }
            detail.add_in_order();
            let shown: Vec<&str> = detail.behind.iter().map(|one| &*one.name).collect();
            assert_eq!(shown, names);
        }
        let proxy = detail.item.parsed.as_ref().unwrap();
        let lines = implementations(proxy, &addresses[..1]);
        let is_unknown =
            |line: &DocumentEntry| format!("{line:?}").contains(contract::UNKNOWN_FUNCTIONS);
        assert_eq!(lines[1..].iter().map(is_unknown).collect::<Vec<_>>(), [true, false, false]);
    }
}
