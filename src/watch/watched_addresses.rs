//! The watched addresses of a chain, in rounds: a round reads the lists of each address, one request at a time.
//!
//! The caller begins rounds, sends the next request of a round, and passes the reply. New rows stay unread until the
//! user opens the address. The rows that are there at the start are read: of an explorer those on the first page, of a
//! node those in the blocks that it has then.

use std::collections::VecDeque;
use std::mem::take;
use std::time::Duration;

use super::address_watch::{AddressWatch, WatchedList};
use super::arrival::Arrival;
use crate::api::{ApiError, Cursor, Query, Reply};
use crate::chain::{Address, Timestamp, TxHash};

/// Maximum number of addresses that are watched, the first of the watch list.
const MAX_ADDRESSES: usize = 8;
/// Time between two rounds. A round has three requests for each address.
const ROUND_INTERVAL: Duration = Duration::from_mins(2);
/// Time before the first round, so that a page which is only passed by costs nothing.
const FIRST_DELAY: Duration = Duration::from_secs(5);
/// Maximum number of unread transactions that are remembered of an address.
const MAX_UNREAD: usize = 100;

#[derive(Debug, Default)]
pub struct WatchedAddresses {
    addresses: Vec<AddressState>,
    /// The lists to read in this round. The first of them is requested.
    queue: VecDeque<(Address, WatchedList)>,
    /// Beginning of the last round, or of the wait for the first one.
    waiting_since: Option<Timestamp>,
    /// `true` if the last round ended with a failure that may pass.
    has_failed: bool,
    /// `true` if a node has new blocks since the last round.
    is_behind: bool,
}

#[derive(Debug)]
struct AddressState {
    watch: AddressWatch,
    /// `true` once an explorer has replied to a request for its rows, or refused one.
    was_asked: bool,
    /// The new rows of this round.
    arrivals: Vec<Arrival>,
    unread: Vec<UnreadTransaction>,
}

#[derive(Debug, PartialEq, Eq)]
struct UnreadTransaction {
    hash: Option<TxHash>,
    block_number: Option<u64>,
}

/// New rows at a watched address, oldest first.
#[derive(Debug)]
pub struct NewArrivals {
    pub address: Address,
    pub rows: Vec<Arrival>,
}

impl AddressState {
    fn new(address: Address, since: Option<u64>) -> Self {
        let watch = AddressWatch::new(address, since);
        Self { watch, was_asked: false, arrivals: Vec::new(), unread: Vec::new() }
    }

    /// Returns the new rows of this round. Their transactions are unread.
    fn take_arrivals(&mut self) -> Option<NewArrivals> {
        let mut rows = take(&mut self.arrivals);
        rows.sort_by_key(Arrival::order);
        for row in &rows {
            let (hash, block_number) = (row.transaction_hash(), row.block_number());
            let transaction = UnreadTransaction { hash, block_number };
            let is_counted = hash.is_some() && self.unread.contains(&transaction);
            if !is_counted && self.unread.len() < MAX_UNREAD {
                self.unread.push(transaction);
            }
        }
        (!rows.is_empty()).then_some(NewArrivals { address: self.watch.address, rows })
    }
}

impl WatchedAddresses {
    /// Watches the first of these addresses, and no others. `since` is the first block whose rows are new, if that
    /// is known.
    pub fn set(&mut self, addresses: impl Iterator<Item = Address>, since: Option<u64>) {
        let addresses: Vec<Address> = addresses.take(MAX_ADDRESSES).collect();
        self.addresses.retain(|known| addresses.contains(&known.watch.address));
        self.queue.retain(|(address, _)| addresses.contains(address));
        for address in addresses {
            if self.state_mut(address).is_none() {
                self.addresses.push(AddressState::new(address, since));
            }
        }
    }

    fn state_mut(&mut self, address: Address) -> Option<&mut AddressState> {
        self.addresses.iter_mut().find(|known| known.watch.address == address)
    }

    /// Begins a round if one is due.
    pub fn on_tick(&mut self, now: Timestamp) {
        let since = *self.waiting_since.get_or_insert(now);
        let is_new =
            self.addresses.iter().any(|known| !known.was_asked && !known.watch.has_begun());
        let delay = if is_new && !self.has_failed { FIRST_DELAY } else { ROUND_INTERVAL };
        if now.duration_since(since).unsigned_abs() >= delay {
            self.waiting_since = Some(now);
            self.begin_round();
        }
    }

    /// Begins a round if a node has new blocks, and the last round has ended.
    pub fn catch_up(&mut self) {
        if self.is_behind && self.queue.is_empty() {
            self.begin_round();
        }
    }

    fn begin_round(&mut self) {
        (self.is_behind, self.has_failed) = (false, false);
        let addresses = self.addresses.iter().map(|known| known.watch.address);
        let lists = addresses.flat_map(|address| WatchedList::ALL.map(|list| (address, list)));
        for list in lists {
            if !self.queue.contains(&list) {
                self.queue.push_back(list);
            }
        }
    }

    /// Returns the next request of the round.
    pub fn next_request(&self) -> Option<(Query, Option<Cursor>)> {
        let (address, list) = self.queue.front()?;
        let known = self.addresses.iter().find(|known| known.watch.address == *address)?;
        Some((list.query(*address), known.watch.cursor(*list).cloned()))
    }

    /// Adds the reply to the request. Returns new rows once all lists of an address were read. A failure that may
    /// pass ends the round; the next one begins with another address.
    pub fn receive(
        &mut self,
        query: &Query,
        reply: Result<&Reply, &ApiError>,
    ) -> Option<NewArrivals> {
        let (address, list) = *self.queue.front()?;
        if list.query(address) != *query {
            return None; // no longer watched
        }
        let at = self.addresses.iter().position(|known| known.watch.address == address)?;
        let known = self.addresses.get_mut(at)?;
        known.was_asked = true;
        let found = match reply {
            Ok(reply) => known.watch.receive(list, reply),
            Err(error) => known.watch.fail(list, error),
        };
        match (found, reply) {
            (None, Ok(_)) => return None, // another page is needed
            (Some(found), _) => known.arrivals.extend(found.rows),
            (None, Err(error)) => self.has_failed |= error.is_transient(),
        }
        if self.has_failed {
            self.queue.clear();
        }
        self.queue.pop_front();
        if self.queue.front().is_some_and(|(next, _)| *next == address) {
            return None;
        }
        let arrivals = known.take_arrivals();
        if self.has_failed {
            self.addresses.rotate_left(at + 1);
        }
        arrivals
    }

    /// Notes that a node has new blocks.
    pub fn on_new_blocks(&mut self) {
        self.is_behind = true;
    }

    /// Forgets the rows after this block, or all rows of a chain that began again.
    pub fn roll_back(&mut self, last_block: Option<u64>) {
        let is_kept = |block: Option<u64>| block.is_some() && block <= last_block;
        for known in &mut self.addresses {
            known.watch.roll_back(last_block);
            known.arrivals.retain(|row| is_kept(row.block_number()));
            known.unread.retain(|transaction| is_kept(transaction.block_number));
        }
        self.is_behind = true;
    }

    pub fn mark_read(&mut self, address: Address) {
        if let Some(known) = self.state_mut(address) {
            known.unread.clear();
        }
    }

    /// Returns the number of unread transactions of an address, at most [`MAX_UNREAD`].
    pub fn unread(&self, address: Address) -> usize {
        let mut addresses = self.addresses.iter();
        let known = addresses.find(|known| known.watch.address == address);
        known.map_or(0, |known| known.unread.len())
    }

    pub fn all_unread(&self) -> usize {
        self.addresses.iter().map(|known| known.unread.len()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const ALICE: Address = Address::repeat_byte(1);
    const BOB: Address = Address::repeat_byte(2);

    fn at(seconds: i64) -> Timestamp {
        Timestamp::from_second(seconds).unwrap()
    }

    fn failure(status: u16) -> ApiError {
        ApiError::from_error_body(status, b"{}")
    }

    /// Returns the rows of a list, in the blocks with these numbers.
    fn rows(list: WatchedList, blocks: &[u64]) -> String {
        let row = |block: &u64| {
            format!(
                r#"{{"hash":"{block:#066x}","transaction_hash":"{block:#066x}","log_index":0,
                    "block_number":{block},"from":{{"hash":"{BOB}"}},"to":{{"hash":"{ALICE}"}},"value":"1",
                    "token":{{"address_hash":"{BOB}","symbol":"USD","decimals":"0","type":"ERC-20"}},
                    "total":{{"value":"5","decimals":"0"}},"type":"token_transfer"}}"#
            )
        };
        let rows: Vec<String> = match list {
            WatchedList::Transactions => blocks.iter().map(row).collect(),
            WatchedList::TokenTransfers | WatchedList::InternalTransactions => Vec::new(),
        };
        format!(r#"{{"items":[{}],"next_page_params":null}}"#, rows.join(","))
    }

    /// Answers the requests of a round. Returns the addresses with new rows, and their number.
    fn answer(watched: &mut WatchedAddresses, blocks: &[u64]) -> Vec<(Address, usize)> {
        let mut found = Vec::new();
        while let Some((query, cursor)) = watched.next_request() {
            let (_, list) = watched.queue[0];
            let reply = query.decode(rows(list, blocks).as_bytes(), cursor.as_ref()).unwrap();
            let new = watched.receive(&query, Ok(&reply));
            found.extend(new.map(|new| (new.address, new.rows.len())));
        }
        found
    }

    fn begun(addresses: &[Address]) -> WatchedAddresses {
        let mut watched = WatchedAddresses::default();
        watched.set(addresses.iter().copied(), None);
        watched.on_tick(at(0));
        assert_eq!(watched.next_request(), None, "the page may only be passed by");
        watched.on_tick(at(5));
        assert_eq!(answer(&mut watched, &[3, 2]), [], "they were there before");
        watched
    }

    #[test]
    fn rows_after_the_first_reading_are_unread_until_the_address_is_opened() {
        let mut watched = begun(&[ALICE]);
        watched.on_tick(at(124));
        assert_eq!(watched.next_request(), None, "too early");
        watched.on_tick(at(125));
        assert_eq!(answer(&mut watched, &[5, 4, 3, 2]), [(ALICE, 2)]);
        assert_eq!((watched.unread(ALICE), watched.unread(BOB)), (2, 0));
        watched.on_tick(at(245));
        assert_eq!(answer(&mut watched, &[6, 5, 4, 3]), [(ALICE, 1)]);
        assert_eq!(watched.all_unread(), 3);
        watched.mark_read(ALICE);
        watched.on_tick(at(365));
        assert_eq!(answer(&mut watched, &[6, 5, 4, 3]), []);
        assert_eq!(watched.all_unread(), 0);
    }

    #[test]
    fn transaction_with_a_token_transfer_counts_once() {
        let mut watched = begun(&[ALICE]);
        watched.begin_round();
        for list in WatchedList::ALL {
            let (query, _) = watched.next_request().unwrap();
            let body = rows(WatchedList::Transactions, &[4]);
            let reply = query.decode(body.as_bytes(), None).unwrap();
            let new = watched.receive(&query, Ok(&reply));
            let expected = (list == WatchedList::InternalTransactions).then_some(2);
            assert_eq!(new.map(|new| new.rows.len()), expected);
        }
        assert_eq!(watched.unread(ALICE), 1);
    }

    #[test]
    fn payments_within_transactions_are_new_and_other_calls_are_not() {
        let mut watched = begun(&[ALICE]);
        watched.begin_round();
        let call = |kind: &str, index: u64, value: u64, success: bool| {
            format!(
                r#"{{"transaction_hash":"{index:#066x}","index":{index},"block_number":9,"type":"{kind}",
                    "from":{{"hash":"{BOB}"}},"to":{{"hash":"{ALICE}"}},"value":"{value}",
                    "success":{success}}}"#
            )
        };
        let calls = [
            call("callcode", 5, 5, true),
            call("delegatecall", 4, 5, true),
            call("call", 3, 0, true),
            call("call", 2, 7, false),
            call("call", 1, 5, true),
        ]
        .join(",");
        let body = format!(r#"{{"items":[{calls}],"next_page_params":null}}"#);
        let mut found = Vec::new();
        while let Some((query, cursor)) = watched.next_request() {
            let (_, list) = watched.queue[0];
            let is_internal = list == WatchedList::InternalTransactions;
            let body = if is_internal { body.clone() } else { rows(list, &[]) };
            let reply = query.decode(body.as_bytes(), cursor.as_ref()).unwrap();
            found.extend(watched.receive(&query, Ok(&reply)).into_iter().flat_map(|new| new.rows));
        }
        let payments: Vec<_> = found.iter().map(Arrival::transaction_hash).collect();
        assert_eq!(payments, [Some(TxHash::with_last_byte(1))]);
        assert_eq!(watched.unread(ALICE), 1);
    }

    #[test]
    fn unread_transactions_are_bounded() {
        let mut watched = begun(&[ALICE]);
        watched.begin_round();
        let blocks: Vec<u64> = (4..=203).rev().collect();
        assert_eq!(answer(&mut watched, &blocks), [(ALICE, 200)]);
        assert_eq!(watched.unread(ALICE), MAX_UNREAD);
    }

    #[test]
    fn only_the_first_addresses_of_the_list_are_watched() {
        let addresses: Vec<Address> = (1..20).map(Address::repeat_byte).collect();
        let mut watched = begun(&addresses);
        assert_eq!(watched.addresses.len(), MAX_ADDRESSES);
        watched.begin_round();
        assert_eq!(watched.queue.len(), WatchedList::ALL.len() * MAX_ADDRESSES);
        let (query, _) = watched.next_request().unwrap();
        watched.set([BOB].into_iter(), None);
        assert!(watched.receive(&query, Err(&failure(500))).is_none(), "no longer watched");
        assert_eq!(watched.queue, WatchedList::ALL.map(|list| (BOB, list)));
        watched.set([].into_iter(), None);
        assert_eq!(watched.next_request(), None);
    }

    #[test]
    fn outage_ends_the_round_and_loses_nothing() {
        let mut watched = begun(&[ALICE, BOB]);
        watched.on_tick(at(125));
        let (query, _) = watched.next_request().unwrap();
        assert!(watched.receive(&query, Err(&failure(503))).is_none());
        assert_eq!(watched.next_request(), None);
        watched.on_tick(at(200));
        assert_eq!(watched.next_request(), None, "it is left alone until the next round");
        watched.on_tick(at(245));
        assert_eq!(answer(&mut watched, &[4, 3]), [(BOB, 1), (ALICE, 1)], "another one is first");
    }

    #[test]
    fn address_without_a_first_reading_is_not_asked_for_more_often_in_an_outage() {
        let mut watched = WatchedAddresses::default();
        watched.set([ALICE].into_iter(), None);
        (0..=5).for_each(|seconds| watched.on_tick(at(seconds)));
        let (query, _) = watched.next_request().unwrap();
        watched.receive(&query, Err(&failure(503)));
        watched.on_tick(at(60));
        assert_eq!(watched.next_request(), None);
        watched.on_tick(at(125));
        assert_eq!(answer(&mut watched, &[3]), []);
    }

    #[test]
    fn lists_that_were_refused_from_the_start_are_asked_for_once_a_round() {
        let mut watched = WatchedAddresses::default();
        watched.set([ALICE].into_iter(), None);
        (0..=5).for_each(|seconds| watched.on_tick(at(seconds)));
        for _ in WatchedList::ALL {
            let (query, _) = watched.next_request().unwrap();
            watched.receive(&query, Err(&failure(422)));
        }
        watched.on_tick(at(124));
        assert_eq!(watched.next_request(), None);
        watched.on_tick(at(125));
        assert!(watched.next_request().is_some());
    }

    #[test]
    fn history_before_the_index_is_not_walked_through() {
        let mut watched = WatchedAddresses::default();
        watched.set([ALICE].into_iter(), Some(4));
        watched.on_new_blocks();
        watched.catch_up();
        let (query, _) = watched.next_request().unwrap();
        let page = r#"{"items":[],"next_page_params":{"block_number":2,"index":0},
            "coverage":{"from_block":3,"to_block":5,"reason":"over_limit"}}"#;
        let reply = query.decode(page.as_bytes(), None).unwrap();
        watched.receive(&query, Ok(&reply));
        let next = watched.next_request();
        assert_eq!(next, Some((WatchedList::TokenTransfers.query(ALICE), None)));
    }

    #[test]
    fn refused_list_does_not_hide_the_other() {
        let mut watched = begun(&[ALICE]);
        watched.begin_round();
        let (query, _) = watched.next_request().unwrap();
        let reply = query.decode(rows(WatchedList::Transactions, &[4]).as_bytes(), None).unwrap();
        assert!(watched.receive(&query, Ok(&reply)).is_none());
        let (query, _) = watched.next_request().unwrap();
        assert!(watched.receive(&query, Err(&failure(422))).is_none());
        let (query, _) = watched.next_request().unwrap();
        let new = watched.receive(&query, Err(&failure(501)));
        assert_eq!(new.map(|new| new.rows.len()), Some(1));
    }

    #[test]
    fn failing_internal_transactions_do_not_end_the_round() {
        for status in [429, 502, 503, 504, 500] {
            let mut watched = begun(&[ALICE, BOB]);
            watched.begin_round();
            let mut found = Vec::new();
            while let Some((query, cursor)) = watched.next_request() {
                let (address, list) = watched.queue[0];
                let reply = if list != WatchedList::InternalTransactions {
                    query.decode(rows(list, &[4, 3]).as_bytes(), None).map_err(|_| failure(0))
                } else if address == ALICE && cursor.is_none() {
                    let page = r#"{"items":[],"next_page_params":{"block_number":2,"index":0}}"#;
                    query.decode(page.as_bytes(), None).map_err(|_| failure(0))
                } else {
                    Err(failure(status))
                };
                let new = watched.receive(&query, reply.as_ref());
                found.extend(new.map(|new| (new.address, new.rows.len())));
            }
            assert_eq!(found, [(ALICE, 1), (BOB, 1)], "{status}");
            assert!(!watched.has_failed, "{status}");
            let is_kept = failure(status).is_transient();
            let list = WatchedList::InternalTransactions;
            assert_eq!(watched.addresses[0].watch.cursor(list).is_some(), is_kept, "{status}");
        }
    }

    #[test]
    fn blocks_of_a_node_begin_rounds_and_reverted_ones_are_not_unread() {
        let mut watched = WatchedAddresses::default();
        watched.set([ALICE].into_iter(), Some(4));
        watched.catch_up();
        assert_eq!(watched.next_request(), None, "nothing is new");
        watched.on_new_blocks();
        watched.catch_up();
        assert_eq!(answer(&mut watched, &[5, 4, 3]), [(ALICE, 2)]);
        watched.catch_up();
        assert_eq!(watched.next_request(), None);
        watched.roll_back(Some(4));
        assert_eq!(watched.unread(ALICE), 1);
        watched.catch_up();
        assert_eq!(answer(&mut watched, &[5, 4]), [(ALICE, 1)], "mined again");
        watched.roll_back(None);
        assert_eq!(watched.unread(ALICE), 0);
        watched.catch_up();
        assert_eq!(answer(&mut watched, &[1]), [(ALICE, 1)], "of another chain");
    }
}
