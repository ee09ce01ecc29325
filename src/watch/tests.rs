use proptest::prelude::*;
use serde_json::value::RawValue;

use super::new_rows::{FoundRows, MAX_KNOWN_ROWS, NewRows, RowIdentity};
use crate::api::page::ItemPage;
use crate::api::{Cursor, Next};
use crate::chain::coverage::{BlockCoverage, MissingBlocks};
use crate::chain::{B256, U256};
use crate::columns::table::any_row::RowId;

/// A row: its number, the number of its log, and its block.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct SimulatedRow {
    number: u64,
    place: u64,
    block: Option<u64>,
}

type List = NewRows<SimulatedRow>;

fn row(number: u64, block: u64) -> SimulatedRow {
    SimulatedRow { number, place: number, block: Some(block) }
}

#[expect(clippy::unnecessary_wraps, reason = "rows of a list may have none")]
fn identify(row: &SimulatedRow) -> Option<RowIdentity> {
    let id = |number| RowId::Number(U256::from(number));
    let lasting_id = id(row.number);
    let id = id(row.number * 1_000 + row.place);
    Some(RowIdentity { id, lasting_id, block_number: row.block, block_hash: None })
}

fn cursor(position: usize) -> Cursor {
    let json = format!("{{\"at\":{position}}}");
    Cursor::from_json(&RawValue::from_string(json).unwrap(), None).unwrap()
}

/// An explorer with rows, newest first, that lists so many on a page, from a position.
struct SimulatedList {
    rows: Vec<SimulatedRow>,
    page_rows: usize,
}

impl SimulatedList {
    fn new(rows: impl IntoIterator<Item = SimulatedRow>) -> Self {
        Self { rows: rows.into_iter().collect(), page_rows: 3 }
    }

    fn put(&mut self, row: SimulatedRow) {
        self.rows.insert(0, row);
    }

    fn page(&self, at: Option<&Cursor>) -> ItemPage<SimulatedRow> {
        let places = (0..=self.rows.len()).map(|position| (position, cursor(position)));
        let start = at.map_or(0, |wanted| places.clone().find(|(_, at)| at == wanted).unwrap().0);
        let end = (start + self.page_rows).min(self.rows.len());
        let next = if end < self.rows.len() { Next::Page(cursor(end)) } else { Next::End };
        let items = self.rows[start..end].to_vec();
        ItemPage { items, left_out: 0, bytes: 0, next, coverage: None }
    }

    /// Reads pages until no more are needed.
    fn read(&self, list: &mut List) -> FoundRows<u64> {
        loop {
            let page = self.page(list.cursor());
            if let Some(FoundRows { rows, is_cut }) = list.receive(page, identify) {
                return FoundRows { rows: rows.iter().map(|row| row.number).collect(), is_cut };
            }
        }
    }

    fn new_rows(&self, list: &mut List) -> Vec<u64> {
        let FoundRows { rows, is_cut } = self.read(list);
        assert!(!is_cut);
        rows
    }
}

/// Returns an explorer with rows in the blocks 1 to 9, and a list that has begun.
fn begun() -> (SimulatedList, List) {
    let server = SimulatedList::new((1..10).rev().map(|n| row(n, n)));
    let mut list = List::from_now_on();
    assert_eq!(server.new_rows(&mut list), [0; 0]);
    (server, list)
}

#[test]
fn rows_of_the_first_page_and_older_ones_are_old() {
    let (mut server, mut list) = begun();
    assert_eq!(server.new_rows(&mut list), [0; 0]);
    server.put(row(10, 10));
    server.put(row(11, 10));
    assert_eq!(server.new_rows(&mut list), [10, 11], "oldest first");
    assert_eq!(server.new_rows(&mut list), [0; 0], "once");
}

#[test]
fn more_rows_than_a_page_are_found_after_an_outage() {
    let (mut server, mut list) = begun();
    (10..30).for_each(|n| server.put(row(n, n)));
    assert_eq!(server.new_rows(&mut list), (10..30).collect::<Vec<_>>());
}

#[test]
fn walk_goes_on_where_a_request_failed() {
    let (mut server, mut list) = begun();
    (10..20).for_each(|n| server.put(row(n, n)));
    assert_eq!(list.receive(server.page(list.cursor()), identify), None);
    let failed_at = list.cursor().cloned();
    assert_eq!(failed_at, Some(cursor(3)));
    assert_eq!(server.new_rows(&mut list), (10..20).collect::<Vec<_>>());
    assert_eq!(list.cursor(), None);
}

#[test]
fn walk_begins_again_after_a_refused_cursor() {
    let (mut server, mut list) = begun();
    (10..20).for_each(|n| server.put(row(n, n)));
    assert_eq!(list.receive(server.page(list.cursor()), identify), None);
    list.restart_walk();
    assert_eq!(list.cursor(), None);
    assert_eq!(server.new_rows(&mut list), (10..20).collect::<Vec<_>>());
}

#[test]
fn rows_that_move_to_the_next_page_are_found_once() {
    let (mut server, mut list) = begun();
    (10..20).for_each(|n| server.put(row(n, n)));
    assert_eq!(list.receive(server.page(list.cursor()), identify), None);
    server.put(row(20, 20));
    server.put(row(21, 20));
    assert_eq!(server.new_rows(&mut list), (10..20).collect::<Vec<_>>());
    assert_eq!(server.new_rows(&mut list), [20, 21]);
}

#[test]
fn order_and_equal_times_do_not_matter() {
    let (mut server, mut list) = begun();
    (10..14).for_each(|n| server.put(row(n, 10)));
    assert_eq!(server.new_rows(&mut list), [10, 11, 12, 13]);
    server.rows[..4].reverse();
    server.put(row(14, 10));
    server.rows.swap(0, 2);
    assert_eq!(server.new_rows(&mut list), [14]);
}

#[test]
fn late_row_is_found_below_known_ones() {
    let (mut server, mut list) = begun();
    (10..12).for_each(|n| server.put(row(n, n + 1)));
    assert_eq!(server.new_rows(&mut list), [10, 11]);
    server.rows.insert(2, row(12, 10));
    assert_eq!(server.new_rows(&mut list), [12]);
    server.rows.insert(1, row(13, 5));
    assert_eq!(server.new_rows(&mut list), [0; 0], "its block was old at the start");
}

#[test]
fn row_that_is_mined_again_is_known() {
    let (mut server, mut list) = begun();
    server.put(row(10, 10));
    assert_eq!(server.new_rows(&mut list), [10]);
    server.rows.remove(0);
    server.put(row(11, 10));
    server.put(SimulatedRow { number: 10, place: 77, block: Some(11) });
    assert_eq!(server.new_rows(&mut list), [11]);
    server.rows.drain(..5);
    assert_eq!(server.new_rows(&mut list), [0; 0], "older rows move up");
}

#[test]
fn equal_rows_of_a_transaction_are_counted() {
    let (mut server, mut list) = begun();
    server.put(SimulatedRow { number: 10, place: 1, block: Some(10) });
    assert_eq!(server.new_rows(&mut list), [10]);
    server.put(SimulatedRow { number: 10, place: 2, block: Some(10) });
    assert_eq!(server.new_rows(&mut list), [10]);
    server.put(SimulatedRow { number: 10, place: 3, block: Some(10) });
    server.put(SimulatedRow { number: 10, place: 4, block: Some(10) });
    assert_eq!(server.new_rows(&mut list), [10, 10]);
    server.rows[..4].iter_mut().for_each(|row| (row.place, row.block) = (row.place + 7, Some(11)));
    assert_eq!(server.new_rows(&mut list), [0; 0], "mined again");
}

#[test]
fn block_of_the_same_number_is_another() {
    let id = |n: u64| RowId::Number(U256::from(n));
    let identity = |log, hash| {
        let block_hash = Some(B256::repeat_byte(hash));
        move |_: &SimulatedRow| {
            Some(RowIdentity { id: id(log), lasting_id: id(0), block_number: Some(10), block_hash })
        }
    };
    let server = SimulatedList::new([row(10, 10)]);
    let mut list = List::since(10);
    for (identity, new_rows) in
        [(identity(1, 1), 1), (identity(2, 2), 0), (identity(2, 1), 1), (identity(2, 1), 0)]
    {
        let found = list.receive(server.page(None), identity).unwrap();
        assert_eq!(found.rows.len(), new_rows);
    }
}

#[test]
fn rows_without_a_block_are_new_above_known_ones() {
    let nowhere = |number| SimulatedRow { block: None, ..row(number, 0) };
    let mut server = SimulatedList::new([nowhere(1), nowhere(2)]);
    let mut list = List::from_now_on();
    assert_eq!(server.new_rows(&mut list), [0; 0]);
    server.put(nowhere(3));
    server.rows.push(nowhere(4));
    assert_eq!(server.new_rows(&mut list), [3]);
}

#[test]
fn list_begins_with_a_block() {
    let (server, _) = begun();
    assert_eq!(server.new_rows(&mut List::since(4)), [4, 5, 6, 7, 8, 9]);
    assert_eq!(server.new_rows(&mut List::since(0)), (1..10).collect::<Vec<_>>());
    assert_eq!(server.new_rows(&mut List::since(10)), [0; 0]);
}

#[test]
fn blocks_that_a_node_indexes_later_are_old() {
    let mut list = List::from_now_on();
    let mut page = SimulatedList::new([]).page(None);
    let older = Some(MissingBlocks::Unindexed);
    page.coverage = Some(BlockCoverage { first_block: 50, last_block: 90, unreadable: 0, older });
    assert!(list.receive(page, identify).is_some());
    let server = SimulatedList::new([row(2, 91), row(1, 40)]);
    assert_eq!(server.new_rows(&mut list), [2]);
}

#[test]
fn rows_out_of_reach_are_reported() {
    let (mut server, mut list) = begun();
    (10..1_000).for_each(|n| server.put(row(n, n)));
    let FoundRows { rows, is_cut } = server.read(&mut list);
    assert!(is_cut);
    assert_eq!(rows, (1_000 - 3 * 40..1_000).collect::<Vec<_>>());
    server.put(row(1_000, 1_000));
    assert_eq!(server.new_rows(&mut list), [1_000]);
}

#[test]
fn cursor_that_repeats_ends_the_walk() {
    let (mut server, mut list) = begun();
    (10..20).for_each(|n| server.put(row(n, n)));
    let page = || ItemPage { next: Next::Page(cursor(3)), ..server.page(None) };
    assert_eq!(list.receive(page(), identify), None);
    assert!(list.receive(page(), identify).unwrap().is_cut);
}

#[test]
fn rolled_back_rows_are_new_when_they_come_again() {
    let (mut server, mut list) = begun();
    (10..13).for_each(|n| server.put(row(n, n)));
    assert_eq!(server.new_rows(&mut list), [10, 11, 12]);
    server.rows.drain(..2);
    list.roll_back(Some(10));
    assert_eq!(server.new_rows(&mut list), [0; 0]);
    server.put(row(12, 11));
    assert_eq!(server.new_rows(&mut list), [12]);
    list.roll_back(None);
    let restarted = SimulatedList::new([row(1, 1)]);
    assert_eq!(restarted.new_rows(&mut list), [1], "another chain");
}

#[test]
fn old_rows_are_forgotten() {
    let (mut server, mut list) = begun();
    server.page_rows = 1_000;
    for n in 10..30_010 {
        server.put(row(n, n));
        if n % 1_000 == 9 {
            assert_eq!(server.new_rows(&mut list).len(), 1_000);
            server.rows.truncate(2_000);
        }
    }
    assert!(list.known.len() <= MAX_KNOWN_ROWS);
    server.rows.truncate(1_000);
    server.rows.push(row(11, 11));
    assert_eq!(server.new_rows(&mut list), [0; 0]);
    // One block with too many rows.
    let crowd = SimulatedList {
        rows: (0..30_000).map(|n| row(n + 40_000, 40_000)).collect(),
        page_rows: 1_000,
    };
    assert_eq!(crowd.new_rows(&mut List::since(1)).len(), 30_000);
    let mut list = List::since(1);
    crowd.read(&mut list);
    assert_eq!((list.known.len(), crowd.new_rows(&mut list).len()), (0, 0));
}

/// Something that happens between two requests.
#[derive(Debug, Clone)]
enum Operation {
    Mine { rows: usize },
    RequestPage,
    Read,
}

fn operation() -> impl Strategy<Value = Operation> {
    prop_oneof![
        (0..9_usize).prop_map(|rows| Operation::Mine { rows }),
        Just(Operation::RequestPage),
        Just(Operation::Read),
    ]
}

proptest! {
    #[test]
    fn every_row_is_found_once(operations in proptest::collection::vec(operation(), 0..60)) {
        let (mut server, mut list) = begun();
        let (mut found, mut block, mut last) = (Vec::new(), 10, 9);
        for operation in operations {
            match operation {
                Operation::Mine { rows } => {
                    for _ in 0..rows {
                        last += 1;
                        server.put(row(last, block));
                    }
                    block += 1;
                }
                Operation::RequestPage => {
                    let page = server.page(list.cursor());
                    let rows = list.receive(page, identify).map(|found| found.rows);
                    found.extend(rows.into_iter().flatten().map(|row| row.number));
                }
                Operation::Read => found.extend(server.new_rows(&mut list)),
            }
        }
        for _ in 0..2 {
            found.extend(server.new_rows(&mut list));
        }
        found.sort_unstable();
        prop_assert_eq!(found, (10..=last).collect::<Vec<_>>());
    }
}
