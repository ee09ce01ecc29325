//! The answer to each question, read, learned from and shown. The first byte says which question.
#![no_main]

mod harmless;

use std::sync::LazyLock;

use chainglass::api::{ApiError, Cursor, Next, Page, Query, Reply};
use chainglass::safety::address_poisoning::Known;
use chainglass::chain::network::Network;
use chainglass::chain::{Address, Timestamp, TxHash};
use chainglass::pane::row::{Row, RowCx, csv_line, warnings};
use chainglass::name_cache::Seen;
use chainglass::sanitize::json_line;
use chainglass::ui::json_view;
use chainglass::ui::number_format::Notation;
use harmless::harmless;

const ALICE: Address = Address::repeat_byte(0xa1);
static DEMO: LazyLock<Network> = LazyLock::new(Network::demo);

libfuzzer_sys::fuzz_target!(|data: &[u8]| {
    let Some((which, body)) = data.split_first() else { return };
    let query = query(*which);
    harmless(&ApiError::refused(400 + u16::from(*which), body).to_string());
    if let Some(cursor) = read(&query, body, None) {
        read(&query, body, Some(&cursor));
    }
});

/// A question of each kind: `a` to `l`, and over again.
fn query(which: u8) -> Query {
    let (address, hash) = (ALICE, TxHash::repeat_byte(0xa1));
    match which.wrapping_sub(b'a') % 12 {
        0 => Query::Address(address),
        1 => Query::Counters(address),
        2 => Query::Transaction(hash),
        3 => Query::TransactionInternals(hash),
        4 => Query::RawTrace(hash),
        5 => Query::Transactions { address, direction: None },
        6 => Query::InternalTransactions { address, direction: None },
        7 => Query::transfers(Some(address)),
        8 => Query::Tokens { address, types: Vec::new() },
        9 => Query::Collections { address, types: Vec::new() },
        10 => Query::Instances { token: address, holder: None },
        _ => Query::Redirect("alice.eth".into()),
    }
}

/// Reads an answer, and returns where the next page starts.
fn read(query: &Query, body: &[u8], sent: Option<&Cursor>) -> Option<Cursor> {
    let reply = match query.decode(body, sent) {
        Ok(reply) => reply,
        Err(error) => {
            harmless(&error.to_string());
            return None;
        }
    };
    let mut seen = Seen::default();
    seen.learn(query, &reply);
    seen.learn(query, &reply);
    match reply {
        Reply::Address(_) | Reply::Counters(_) => None,
        Reply::Transaction(item) => {
            harmless(&json_line(item.raw.get()));
            item.read.iter().for_each(show);
            None
        }
        Reply::RawTrace(raw) => {
            for entry in json::tree("trace", &raw) {
                entry.copied().split('\n').for_each(harmless);
            }
            None
        }
        Reply::Redirect(redirect) => {
            redirect.subject().err().iter().for_each(|why| harmless(why));
            None
        }
        Reply::Transactions(page) => list(page),
        Reply::InternalTransactions(page) => list(page),
        Reply::TokenTransfers(page) => list(page),
        Reply::Tokens(page) => list(page),
        Reply::Collections(page) => list(page),
        Reply::Instances(page) => list(page),
    }
}

fn list<T: Row>(page: Page<T>) -> Option<Cursor> {
    for item in &page.items {
        harmless(&json_line(item.raw.get()));
        match &item.read {
            Ok(row) => show(row),
            Err(why) => harmless(why),
        }
    }
    match page.next {
        Next::End => None,
        Next::Page(cursor) => Some(cursor),
        Next::Unread(why) => {
            harmless(&why);
            None
        }
    }
}

/// A row as a line of CSV, in cells of every width, and when it is selected.
fn show<T: Row>(row: &T) {
    let mut known = Known::viewed(ALICE);
    row.sent(ALICE).into_iter().for_each(|sent| known.add(sent));
    let (viewed, now, network) = (Some(ALICE), Timestamp::UNIX_EPOCH, &*DEMO);
    let (known, seen) = (&known, &Seen::default());
    let notation = &Notation::default();
    let cx = RowCx { viewed, now, network, known, seen, short: None, notation };
    let _ = (row.id(), row.addresses());
    harmless(&csv_line(row));
    for column in T::columns() {
        harmless(&(column.full)(row));
        harmless(&(column.how)(row, &cx));
        for room in [0, 1, 9, 40] {
            harmless(&(column.cell)(row, &cx, room).text);
        }
    }
    row.strip(&cx).iter().for_each(|(_, text)| harmless(text));
    warnings(row, &known).iter().for_each(|text| harmless(text));
}
