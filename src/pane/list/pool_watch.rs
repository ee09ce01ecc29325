//! Live lists of pending transactions: a row whose transaction leaves the pool stays, and shows where
//! it went.
//!
//! A first page that is the whole list lacks the rows that have left. Those on the screen are asked for
//! by their hashes, as are the ones of a longer list. A transaction that is in no block was replaced if
//! its sender has another one of the same nonce, in the list or among the sender's latest.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use super::rows::store::{ListedRow, RowKey};
use super::{FOLLOW_INTERVAL, ListPane};
use crate::api::page::ItemPage;
use crate::api::transactions::{PoolState, Transaction};
use crate::api::{
    AddressQuery, Direction, ListSubject, Next, Page, Query, Reply, ReplyResult, TransactionQuery,
};
use crate::chain::{Address, TxHash};
use crate::pane::{Command, PaneContext};

/// Interval for the pool of a node on this machine, which is read more often than others.
pub(super) const NODE_POOL_INTERVAL: Duration = Duration::from_secs(2);
/// Transactions of an explorer that are asked for after each page.
const MAX_ASKED_OF_EXPLORER: usize = 10;
const EXIT_FIELD: &str = ",\"left_pool\":";

/// Rows of a live list of pending transactions.
#[derive(Debug, Default)]
pub(super) struct PoolWatch {
    /// The rows of the last first page.
    listed: HashSet<RowKey>,
    /// Transactions that were asked for, until all on the screen were.
    asked: HashSet<TxHash>,
    /// Transactions that are in no block, until the latest of their senders are known.
    unmined: HashMap<Address, Vec<TxHash>>,
}

impl PoolWatch {
    pub(super) fn reset(&mut self) {
        *self = Self::default();
    }
}

impl ListPane {
    pub(super) fn is_pool(&self) -> bool {
        self.query.subject() == ListSubject::Pool
    }

    pub(super) fn poll_interval(&self, cx: &PaneContext<'_>) -> Duration {
        // The whole pool of a public chain is tens of megabytes.
        let endpoint = &cx.network.endpoint;
        let is_near = endpoint.is_node() && endpoint.is_on_this_machine();
        if is_near && self.is_pool() { NODE_POOL_INTERVAL } else { FOLLOW_INTERVAL }
    }

    /// Marks the rows that a first page, which has been received, would have if they had not left.
    pub(super) fn mark_left(&mut self, listed: HashSet<RowKey>, is_whole: bool) {
        let rows = self.paged.rows();
        let is_listed = |row: &ListedRow| row.key().is_some_and(|key| listed.contains(&key));
        let end = if is_whole {
            rows.len()
        } else {
            rows.iter().rposition(is_listed).map_or(0, |last| last + 1)
        };
        let nonces: HashMap<_, _> = (rows.iter().filter(|row| is_listed(row)))
            .filter_map(|row| sent_by(transaction(row)?))
            .collect();
        let left = rows.iter().take(end).filter(|row| !is_listed(row)).filter_map(|row| {
            let left = transaction(row).filter(|row| row.pool_state() == PoolState::Pending)?;
            let replaced_by = sent_by(left).and_then(|(sent, _)| nonces.get(&sent).copied());
            Some((left.hash, with_exit(row, &exit_json(replaced_by, None))?))
        });
        self.replace_rows(&left.collect());
        self.pool.listed = listed;
    }

    /// Asks for the transactions on the screen whose state the list does not show.
    pub(super) fn ask_for_left(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let is_open = |row: &&ListedRow| match transaction(row).map(Transaction::pool_state) {
            Some(PoolState::Unknown) => true,
            Some(PoolState::Pending) => row.key().is_some_and(|k| !self.pool.listed.contains(&k)),
            _ => false,
        };
        let positions = std::iter::once(self.viewport.selected).chain(self.visible_positions(cx));
        let rows = positions.filter_map(|position| self.listed(position)).filter(is_open);
        let open: Vec<TxHash> = rows.filter_map(|row| Some(transaction(row)?.hash)).collect();
        if open.iter().all(|hash| self.pool.asked.contains(hash)) {
            self.pool.asked.clear();
        }
        let limit = if cx.network.endpoint.is_node() { usize::MAX } else { MAX_ASKED_OF_EXPLORER };
        let asked = &mut self.pool.asked;
        let next = open.into_iter().filter(|hash| asked.insert(*hash)).take(limit);
        let query = |hash| Query::Transaction(hash, TransactionQuery::Details);
        next.map(|hash| Command::Background(query(hash), None)).collect()
    }

    /// Shows the answer to a question about a row that left the pool. Returns `None` for other replies.
    pub(super) fn on_pool_answer(
        &mut self,
        query: &Query,
        reply: &ReplyResult,
        cx: &PaneContext<'_>,
    ) -> Option<Vec<Command>> {
        let commands = match *query {
            _ if !self.is_pool() => return None,
            Query::Transaction(hash, TransactionQuery::Details) => self.on_left(hash, reply),
            Query::Address(sender, AddressQuery::Transactions { .. }) => {
                self.on_sent(sender, reply);
                Vec::new()
            }
            _ => return None,
        };
        self.return_row = self.filter.row(self.viewport.selected);
        Some([commands, self.restart_search(cx)].concat())
    }

    fn on_left(&mut self, hash: TxHash, reply: &ReplyResult) -> Vec<Command> {
        let item = match reply {
            Ok(reply) => reply.item::<Transaction>(),
            Err(error) if error.is_not_found() => None,
            Err(_) => return Vec::new(), // asked for again after the next page
        };
        if let Some(item) = item {
            if item.parsed.as_ref().is_ok_and(|sent| sent.hash != hash) {
                return Vec::new();
            }
            match item.parsed.as_ref().map(Transaction::pool_state) {
                Ok(PoolState::Mined(_)) => {
                    self.replace_rows(&HashMap::from([(hash, item.raw.clone())]));
                    return Vec::new();
                }
                Ok(PoolState::Pending) | Err(_) => return Vec::new(),
                Ok(_) => {}
            }
        }
        let is_left = |row: &&ListedRow| transaction(row).is_some_and(|sent| sent.hash == hash);
        let Some(left) = self.paged.rows().iter().find(is_left) else { return Vec::new() };
        let Some((sent, _)) = transaction(left).and_then(sent_by) else { return Vec::new() };
        let others = self.paged.rows().iter().filter(|row| !is_left(row)).filter_map(transaction);
        if let Some(other) = by_nonce(others).get(&sent) {
            let left = with_exit(left, &exit_json(Some(*other), None));
            self.replace_rows(&left.map(|json| (hash, json)).into_iter().collect());
            return Vec::new();
        }
        let (sender, _) = sent;
        let waiting = self.pool.unmined.entry(sender).or_default();
        waiting.push(hash);
        let direction = Some(Direction::From);
        let latest = Query::Address(sender, AddressQuery::Transactions { direction });
        let is_first = waiting.len() == 1;
        is_first.then_some(Command::Background(latest, None)).into_iter().collect()
    }

    /// Looks for replacements among the latest transactions of a sender.
    fn on_sent(&mut self, sender: Address, reply: &ReplyResult) {
        let unmined: HashSet<_> = self.pool.unmined.remove(&sender).into_iter().flatten().collect();
        let page = reply.as_ref().ok().and_then(Reply::page::<Transaction>);
        let Some(page) = page else { return };
        let latest = by_nonce(page.parsed());
        let first_nonce = page.parsed().filter_map(|sent| sent.nonce.value()).min();
        let is_whole = page.next == Next::End && page.coverage.is_none();
        let rows = self.paged.rows().iter().filter_map(|row| {
            let (sent, hash) = sent_by(transaction(row).filter(|s| unmined.contains(&s.hash))?)?;
            let other = latest.get(&sent).copied();
            if other == Some(hash) {
                return Some((hash, mined(&page, hash)?));
            }
            let is_dropped = is_whole || first_nonce.is_some_and(|first| *first < sent.1);
            Some((hash, with_exit(row, &exit_json(other, Some(is_dropped)))?))
        });
        self.replace_rows(&rows.collect());
    }

    /// Replaces rows by the JSON of their transactions.
    fn replace_rows(&mut self, rows: &HashMap<TxHash, Arc<RawValue>>) {
        let parse = self.kind.parse;
        for row in self.paged.rows_mut() {
            if let Some(json) = transaction(row).and_then(|listed| rows.get(&listed.hash)) {
                *row = self.packer.wrap(parse(json));
            }
        }
    }
}

/// Returns the rows of a page, and `true` if it is the whole list.
pub(super) fn rows_of(page: &ItemPage<ListedRow>) -> (HashSet<RowKey>, bool) {
    (page.items.iter().filter_map(ListedRow::key).collect(), page.next == Next::End)
}

fn transaction(row: &ListedRow) -> Option<&Transaction> {
    row.parsed()?.row().ok()?.as_transaction()
}

/// Returns sender and nonce, with the hash.
fn sent_by(transaction: &Transaction) -> Option<((Address, u64), TxHash)> {
    let sender = transaction.from.value()?.hash;
    Some(((sender, *transaction.nonce.value()?), transaction.hash))
}

/// Returns the transactions that have or had a nonce of their sender, in the pool or in a block.
fn by_nonce<'a>(rows: impl Iterator<Item = &'a Transaction>) -> HashMap<(Address, u64), TxHash> {
    let mut hashes = HashMap::new();
    for (sent, hash) in rows.filter(|row| has_nonce(row)).filter_map(sent_by) {
        hashes.entry(sent).or_insert(hash);
    }
    hashes
}

fn has_nonce(row: &Transaction) -> bool {
    matches!(row.pool_state(), PoolState::Pending | PoolState::Mined(_))
}

/// Returns the JSON of a transaction of a page that is in a block.
fn mined(page: &Page<Transaction>, hash: TxHash) -> Option<Arc<RawValue>> {
    let is_mined = |sent: &Transaction| sent.hash == hash && sent.block_number.value().is_some();
    let mut items = page.items.iter();
    items.find(|item| item.parsed.as_ref().is_ok_and(is_mined)).map(|item| item.raw.clone())
}

/// Returns the JSON of a row, with the reason why it left.
fn with_exit(row: &ListedRow, exit: &str) -> Option<Arc<RawValue>> {
    let json = row.parsed()?.raw().get().trim_end();
    let before = json.rsplit_once(EXIT_FIELD).map(|(before, _)| before);
    let fields = before.or_else(|| json.strip_suffix('}'))?;
    RawValue::from_string([fields, EXIT_FIELD, exit, "}"].concat()).ok().map(Arc::from)
}

fn exit_json(replaced_by: Option<TxHash>, is_dropped: Option<bool>) -> String {
    match (replaced_by, is_dropped) {
        (Some(hash), _) => format!("{{\"replaced_by\":\"{hash}\"}}"),
        (None, Some(is_dropped)) => format!("{{\"is_dropped\":{is_dropped}}}"),
        (None, None) => "{}".to_owned(),
    }
}
