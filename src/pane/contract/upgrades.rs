//! Upgrades of a proxy: the code that it ran, and since when, by its logs.

use crate::abi::{UPGRADED, upgraded_code};
use crate::api::contract::Contract;
use crate::api::logs::Log;
use crate::api::{AddressQuery, ApiError, Cursor, Next, Page, Query, ReplyResult};
use crate::chain::amount::Grouped;
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::target::TargetKind;
use crate::chain::{Address, B256, U256, b256};
use crate::messages::contract::ContractNote;
use crate::pane::PaneContext;
use crate::sanitize::SafeText;
use crate::ui::document::{DocumentEntry, EntryCell, EntryLink, EntryValue, fact_lines};
use crate::ui::theme::Role;

/// `BeaconUpgraded(address)`, with the beacon that has the address of the code.
const BEACON_UPGRADED: B256 =
    b256!("1cf3b03a6cf19fa2baba4df148e9dcabedea7f8a5c07840e207e5c089be95d3e");
/// `DiamondCut((address,uint8,bytes4[])[],address,bytes)`
const DIAMOND_CUT: B256 = b256!("8faa70878671ccd212d20771b795c50af8fd3ff6cf27f4bde57e5d4de0aeb673");

/// Kinds of proxies whose code never changes, or whose account is none.
const FIXED_KINDS: [&str; 4] = ["eip1167", "eip7702", "clone_with_immutable_arguments", "erc7760"];
/// Maximum pages of logs that are loaded, newest first. An explorer may send other logs too.
const MAX_PAGES: usize = 4;

/// Columns before the lines of upgrades.
const INDENT: u16 = 2;

/// The upgrades of a proxy, as far as they are loaded.
#[derive(Debug, Default)]
pub(super) struct Upgrades {
    /// `None` until there is an answer.
    logs: Option<Vec<Log>>,
    failure: Option<ApiError>,
    pages: usize,
    has_more: bool,
}

/// Returns the query for the upgrades of a proxy that may have any.
pub(super) fn query(contract: &Contract, proxy: Address) -> Option<Query> {
    let kind = contract.proxy_type.value().map(|kind| &**kind);
    let is_proxy = contract.implementations.value().is_some_and(|behind| !behind.is_empty());
    if !is_proxy || kind.is_some_and(|kind| FIXED_KINDS.contains(&kind)) {
        return None;
    }
    let topic = match kind {
        Some("eip2535") => DIAMOND_CUT,
        Some("eip1967_beacon") => BEACON_UPGRADED,
        _ => UPGRADED,
    };
    Some(Query::Address(proxy, AddressQuery::Events { topic }))
}

impl Upgrades {
    /// Adds a page of logs, newest first. Returns the cursor of the next page.
    pub(super) fn add(&mut self, reply: ReplyResult) -> Option<Cursor> {
        let page: Page<Log> = match reply.map(|reply| reply.page()) {
            Ok(page) => page?,
            Err(error) => {
                self.failure = Some(error);
                return None;
            }
        };
        let logs = self.logs.get_or_insert_default();
        logs.extend(page.parsed().filter(|log| code(log).is_some()).cloned());
        self.pages += 1;
        let Next::Page(cursor) = page.next else { return None };
        self.has_more = self.pages >= MAX_PAGES || page.items.is_empty();
        (!self.has_more).then_some(cursor)
    }

    /// Returns `true` if an upgrade is known that came after a block.
    pub(super) fn are_after(&self, block: u64) -> bool {
        let mut logs = self.logs.iter().flatten();
        logs.any(|log| log.block_number.value().is_some_and(|number| *number > block))
    }

    pub(super) fn failure(&self) -> Option<&ApiError> {
        self.failure.as_ref()
    }

    pub(super) fn entries(&self, columns: u16, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        if let Some(error) = &self.failure {
            let why = SafeText::new(&format!("? ({})", cx.reason(error)));
            return vec![DocumentEntry::text("upgrades", why).role(Role::Warning)];
        }
        let Some(logs) = &self.logs else { return Vec::new() };
        let (count, more) = (Grouped(logs.len()), if self.has_more { "+" } else { "" });
        let note = match (logs.is_empty(), self.has_more) {
            (true, true) => ContractNote::NoNewUpgrade,
            (true, false) => ContractNote::NoUpgrade,
            (false, _) => ContractNote::Upgrades { count, more },
        };
        let heading = DocumentEntry::text("upgrades", note.to_string());
        if logs.is_empty() {
            return vec![heading.role(Role::Dim)];
        }
        let lines = logs
            .iter()
            .flat_map(|log| fact_lines(facts(log, cx), columns.saturating_sub(INDENT)))
            .map(indented);
        [heading.fold(true)].into_iter().chain(lines).collect()
    }
}

fn indented(mut line: DocumentEntry) -> DocumentEntry {
    if let EntryValue::Cells(cells) = &mut line.value {
        for cell in cells {
            cell.x = cell.x.saturating_add(INDENT);
        }
    }
    line.at_level(1)
}

/// The code that an upgrade installed.
enum InstalledCode {
    Contract(Address),
    Beacon(Address),
    /// The number of a diamond's facets that were added, replaced or removed.
    Facets(U256),
}

/// Reads an upgrade. Some proxies have the address in the data.
fn code(log: &Log) -> Option<InstalledCode> {
    let topics = &log.topics.value()?.0;
    let data = log.data.value()?;
    let word = |number: usize| data.chunks_exact(32).nth(number).map(U256::from_be_slice);
    let address = || {
        let word = topics.get(1).copied().or_else(|| word(0).map(B256::from))?;
        Some(Address::from_word(word))
    };
    match *topics.first()? {
        UPGRADED => upgraded_code(topics, data).map(InstalledCode::Contract),
        BEACON_UPGRADED => address().map(InstalledCode::Beacon),
        DIAMOND_CUT => {
            let start = usize::try_from(word(0)?).ok().filter(|start| start % 32 == 0)?;
            word(start / 32).map(InstalledCode::Facets)
        }
        _ => None,
    }
}

fn facts(log: &Log, cx: &PaneContext<'_>) -> Vec<EntryCell> {
    let code = code(log).map(|code| match code {
        InstalledCode::Contract(address) => vec![cx.address_cell(address)],
        InstalledCode::Beacon(beacon) => {
            vec![EntryCell::new("beacon", Role::Plain), cx.address_cell(beacon)]
        }
        InstalledCode::Facets(facets) => {
            let note = ContractNote::ChangedFacets { facets };
            vec![EntryCell::new(note.to_string(), Role::Plain)]
        }
    });
    let block = log.block_number.value().map(|block| EntryCell::block(*block));
    let time = log
        .timestamp
        .value()
        .map(|then| EntryCell::new(cx.past_time(*then), Role::Plain).copy(then.to_string()));
    let transaction = log.transaction_hash.value().map(|hash| {
        let link = EntryLink::Target(TargetKind::Transaction(*hash));
        let cell = EntryCell::new(format!("tx {}", abbreviate(hash)), Role::Link).link(link);
        cell.copy(hash.to_string())
    });
    let rest = [block, time, transaction].into_iter().flatten();
    code.into_iter().flatten().chain(rest).collect()
}
