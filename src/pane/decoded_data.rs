//! The page of data that was typed or pasted: every meaning that it can have.
//!
//! It is decoded here. The only request is for the ABI of the contract that it calls. The same entries are
//! the text of `chainglass decode`.

mod data_formatter;
mod meaning_entries;
mod raw_transaction;

use std::sync::Arc;

use alloy_primitives::keccak256;
use data_formatter::other_contract;

use super::detail::value_entries::unfold_what_fits;
use super::detail::{DetailPane, DetailSource, LoadedDetail};
use super::{PaneContext, PanePlace};
use crate::abi::{DataMeaning, SELECTOR_BYTES};
use crate::api::search_results::SearchResult;
use crate::api::{AddressQuery, Cursor, Field, Page, Query, ReplyResult};
use crate::app_message::Priority;
use crate::calls::trace_contracts::UnknownContracts;
use crate::chain::Address;
use crate::chain::data_input::DataInput;
use crate::chain::network::Network;
use crate::chain::raw_transaction::RawTransaction;
use crate::messages::page;
use crate::sanitize::SafeText;
use crate::ui::document::DocumentEntry;
pub use data_formatter::DataFormatter;

/// Maximum targets of calls whose names are requested.
const MAX_NAMED_TARGETS: usize = 8;

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
        let mut entries =
            Self::formatter(cx).page_entries(&self.data.input, self.data.contract, self.found);
        unfold_what_fits(&mut entries, usize::from(cx.area.height).saturating_sub(1));
        entries
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
