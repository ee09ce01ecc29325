//! Live lists of pending transactions: a row whose transaction leaves the pool stays, and shows where
//! it went.
//!
//! A first page that is the whole list lacks the rows that have left. Those on the screen are asked for
//! by their hashes, as are the ones of a longer list. A transaction that is in no block was replaced if
//! its sender has another one of the same nonce, in the list or among the sender's latest.

use std::any::Any;
use std::collections::{HashMap, HashSet};
use std::sync::Arc;
use std::time::Duration;

use serde_json::value::RawValue;

use super::row_store::{ListedRow, RowKey};
use super::{FOLLOW_INTERVAL, ListPane};
use crate::api::page::ItemPage;
use crate::api::transactions::{PoolState, Transaction};
use crate::api::{
    AddressQuery, ApiError, Direction, ListSubject, Next, Query, Reply, TransactionQuery,
};
use crate::chain::network::Endpoint;
use crate::chain::{Address, TxHash};
use crate::columns::any_row::AnyItem;
use crate::http::is_loopback;
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
        let is_near = match &cx.network.endpoint {
            Endpoint::Node(url) => is_loopback(url.expose()),
            _ => false,
        };
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
        let left = rows.iter().take(end).filter(|row| !is_listed(row));
        let left =
            left.filter_map(transaction).filter(|row| row.pool_state() == PoolState::Pending);
        let left: Vec<_> = left
            .map(|row| (row.hash, sent_by(row).and_then(|(sent, _)| nonces.get(&sent).copied())))
            .collect();
        for (hash, replaced_by) in left {
            self.set_exit(hash, &exit_json(replaced_by, None));
        }
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
        reply: &Result<Reply, ApiError>,
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

    fn on_left(&mut self, hash: TxHash, reply: &Result<Reply, ApiError>) -> Vec<Command> {
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
                    self.replace_row(hash, &item.raw);
                    return Vec::new();
                }
                Ok(PoolState::Pending) | Err(_) => return Vec::new(),
                Ok(_) => {}
            }
        }
        let rows = || self.paged.rows().iter().filter_map(transaction);
        let Some((sent, _)) = rows().find(|row| row.hash == hash).and_then(sent_by) else {
            return Vec::new();
        };
        let (sender, nonce) = sent;
        if let Some(other) = of_nonce(rows().filter(|row| row.hash != hash), sender, nonce) {
            self.set_exit(hash, &exit_json(Some(other), None));
            return Vec::new();
        }
        let waiting = self.pool.unmined.entry(sender).or_default();
        waiting.push(hash);
        let direction = Some(Direction::From);
        let latest = Query::Address(sender, AddressQuery::Transactions { direction });
        let is_first = waiting.len() == 1;
        is_first.then_some(Command::Background(latest, None)).into_iter().collect()
    }

    /// Looks for replacements among the latest transactions of a sender.
    fn on_sent(&mut self, sender: Address, reply: &Result<Reply, ApiError>) {
        let unmined = self.pool.unmined.remove(&sender).unwrap_or_default();
        let page = reply.as_ref().ok().and_then(Reply::page::<Transaction>);
        let Some(page) = page else { return };
        for hash in unmined {
            let mut rows = self.paged.rows().iter().filter_map(transaction);
            let row = rows.find(|row| row.hash == hash);
            let Some(((_, nonce), _)) = row.and_then(sent_by) else { continue };
            let other = of_nonce(page.parsed(), sender, nonce);
            let nonces = page.parsed().filter_map(|sent| sent.nonce.value());
            let is_whole = page.next == Next::End && page.coverage.is_none();
            let is_dropped = is_whole || nonces.min().is_some_and(|min| *min < nonce);
            match other {
                Some(same) if same == hash => {
                    let item = page.items.iter().find(|item| {
                        item.parsed.as_ref().is_ok_and(|sent| {
                            sent.hash == hash && sent.block_number.value().is_some()
                        })
                    });
                    if let Some(item) = item {
                        self.replace_row(hash, &item.raw);
                    }
                }
                _ => self.set_exit(hash, &exit_json(other, Some(is_dropped))),
            }
        }
    }

    /// Adds to a row why it left.
    fn set_exit(&mut self, hash: TxHash, exit: &str) {
        let row = self
            .paged
            .rows()
            .iter()
            .find(|row| transaction(row).is_some_and(|transaction| transaction.hash == hash));
        let raw = row.and_then(ListedRow::parsed).map(|item| item.raw().clone());
        let Some(raw) = raw else { return };
        let json = raw.get().trim_end();
        let before = json.rsplit_once(EXIT_FIELD).map(|(before, _)| before);
        let Some(fields) = before.or_else(|| json.strip_suffix('}')) else { return };
        if let Ok(json) = RawValue::from_string([fields, EXIT_FIELD, exit, "}"].concat()) {
            self.replace_row(hash, &json);
        }
    }

    fn replace_row(&mut self, hash: TxHash, json: &RawValue) {
        let parse = self.kind.parse;
        let is_same =
            |row: &&mut ListedRow| transaction(row).is_some_and(|listed| listed.hash == hash);
        if let Some(row) = self.paged.rows_mut().iter_mut().find(is_same) {
            *row = self.packer.listed(parse(json));
        }
    }
}

/// Returns the rows of a page, and `true` if it is the whole list.
pub(super) fn rows_of(page: &ItemPage<ListedRow>) -> (HashSet<RowKey>, bool) {
    (page.items.iter().filter_map(ListedRow::key).collect(), page.next == Next::End)
}

fn transaction(row: &ListedRow) -> Option<&Transaction> {
    let item: &Arc<dyn AnyItem> = row.parsed()?;
    (item.row().ok()? as &dyn Any).downcast_ref()
}

/// Returns sender and nonce, with the hash.
fn sent_by(transaction: &Transaction) -> Option<((Address, u64), TxHash)> {
    let sender = transaction.from.value()?.hash;
    Some(((sender, *transaction.nonce.value()?), transaction.hash))
}

/// Returns the transaction of a sender that has or had a nonce in the pool or in a block.
fn of_nonce<'a>(
    rows: impl Iterator<Item = &'a Transaction>,
    sender: Address,
    nonce: u64,
) -> Option<TxHash> {
    let mut rows = rows.filter(|row| {
        matches!(row.pool_state(), PoolState::Pending | PoolState::Mined(_))
            && sent_by(row).is_some_and(|(sent, _)| sent == (sender, nonce))
    });
    rows.next().map(|row| row.hash)
}

fn exit_json(replaced_by: Option<TxHash>, is_dropped: Option<bool>) -> String {
    match (replaced_by, is_dropped) {
        (Some(hash), _) => format!("{{\"replaced_by\":\"{hash}\"}}"),
        (None, Some(is_dropped)) => format!("{{\"is_dropped\":{is_dropped}}}"),
        (None, None) => "{}".to_owned(),
    }
}
