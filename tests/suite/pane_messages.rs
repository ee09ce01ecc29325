//! The sentences of panes with example data, for the snapshot of all sentences.

use chainglass::test_api::chain::{BlockCoverage, Grouped};
use chainglass::test_api::messages::abi::{AbiError, ArgumentError};
use chainglass::test_api::messages::contract::{self, ContractNote};
use chainglass::test_api::messages::list::{
    self, Covered, ListNotice, ListTail, RowScopeError, SavedRows,
};
use chainglass::test_api::messages::outage::{DataAge, FailedRefresh};
use chainglass::test_api::messages::page::{self, PageMessage};
use chainglass::test_api::messages::start::{self, StartNote};
use chainglass::test_api::messages::token::{self, TokenNote};
use chainglass::test_api::messages::transaction::{
    self, MissingTransfers, Tense, TransferList, type_name,
};
use chainglass::test_api::messages::{Count, diff, trace};

use super::messages::{constants, lines, text};

fn lists() -> String {
    let blocks = &BlockCoverage { first_block: 1, last_block: 9, unreadable: 0, older: None };
    let (covered, plural, filter) = (Covered(None), "token transfers", "alice");
    let (rows, clears, rest) = (11_000, list::CLEARS_FILTER, list::LOADS_REST);
    let tails = lines(&[
        &ListTail::NoRows { plural, covered },
        &ListTail::NoRows { plural, covered: Covered(Some(blocks)) },
        &ListTail::NoRowsInBlock { plural, covered },
        &ListTail::End { rows: 1, covered },
        &ListTail::End { rows, covered: Covered(Some(blocks)) },
        &ListTail::NoMatch { filter, covered, clears },
        &ListTail::Matches { matching: 25, rows, filter, covered },
        &ListTail::Sorted { rows, rest },
        &ListTail::NoLoadedMatch { rows, rest },
        &ListTail::LoadedMatches { matching: 25, rows, rest },
        &SavedRows { rows, left_out: 0, has_more: false },
        &SavedRows { rows, left_out: 2, has_more: true },
        &RowScopeError::OtherList { scope: "gas", plural },
        &RowScopeError::Unknown { scope: "metod", known: "method" },
    ]);
    let (rows, found, name) = (Count(rows, "loaded row"), "alice", "‹alice›");
    let (column, direction) = ("amount", "↓");
    let (number, all) = (Grouped(3), Grouped(1_200));
    let notices = lines(&[
        &ListNotice::AllLoaded { blocks },
        &ListNotice::NewRows { rows: Count(1, "new row") },
        &ListNotice::NewRows { rows: Count(2, "new row") },
        &ListNotice::Gap { rows: Count(50, "new row"), reloads: list::RELOADS },
        &ListNotice::Unreadable { why: &text("expected an object, found 7") },
        &ListNotice::NoValue { what: "method" },
        &ListNotice::OwnLabel { name, changes: list::LABEL_HINT },
        &ListNotice::Sorted { column, direction },
        &ListNotice::LoadedSorted { column, direction, rows, loads: list::LOADS_ALL },
        &ListNotice::NoMatch { text: found, rows },
        &ListNotice::Match { number, all, text: found, rows },
        &ListNotice::MatchSoFar { number, all, text: found, rows },
    ]);
    constants(&[list::ALL]) + &tails + &notices
}

fn outages() -> String {
    let age = |seconds| Some(DataAge { seconds });
    let refresh = |age| FailedRefresh { why: "no response within 40 s", age };
    lines(&[
        &refresh(age(40)),
        &refresh(age(90)),
        &refresh(age(7_200)),
        &refresh(age(200_000)),
        &refresh(None),
    ])
}

fn pages() -> String {
    let (why, what) = (&text("no response within 40 s"), "method");
    constants(&[page::ALL])
        + &lines(&[
            &PageMessage::Unavailable { why: "no response within 40 s" },
            &PageMessage::NothingToCopy { what },
            &PageMessage::NoSource { place: "Vault.sol:12" },
            &PageMessage::NoMatch { text: "alice" },
            &PageMessage::Match { number: 3, all: 12, text: "alice" },
            &PageMessage::CannotCall { why: &ArgumentError::Empty { ty: text("address") } },
            &PageMessage::PictureFailed { why },
            &PageMessage::ShareOfLimit { percent: 42 },
            &PageMessage::InBlock { number: 12 },
            &PageMessage::BalanceHistory { changes: Count(1, "loaded change") },
        ])
}

fn start_page() -> String {
    let why = &text("permission denied");
    constants(&[start::ALL])
        + &lines(&[
            &StartNote::Unavailable { why: "no response within 40 s" },
            &StartNote::NotSaved { why },
            &StartNote::BlockTime { seconds: "12.1" },
            &StartNote::Daily { chart: "▂▅▇" },
        ])
}

fn contracts() -> String {
    let selector = "0xa9059cbb";
    constants(&[contract::ALL])
        + &lines(&[
            &ContractNote::CodeSize { bytes: Grouped(24_576) },
            &ContractNote::MoreLines { lines: Grouped(1_200) },
            &ContractNote::UnreadableEntries { why: &AbiError::NoAbi },
            &ContractNote::BySelector { selector },
            &ContractNote::PerhapsBySelector { selector },
        ])
}

fn transactions() -> String {
    let why = text("no response within 40 s");
    let mut sentences = lines(&[
        &MissingTransfers::Unreadable(1),
        &MissingTransfers::Unreadable(3),
        &MissingTransfers::UnreadableCalls(1),
        &MissingTransfers::UnreadableCalls(3),
        &MissingTransfers::SeeTrace,
        &MissingTransfers::NotLoaded(TransferList::Internal),
        &MissingTransfers::Failed(TransferList::Internal, why),
        &MissingTransfers::FirstPages(TransferList::Token, 10),
    ]);
    for tense in [Tense::Mined, Tense::Pending, Tense::Dropped] {
        sentences += &format!("alice {} Vault\n", tense.creates());
        sentences += &format!("alice {} 2 ETH to bob\n", tense.sends());
        sentences += &format!("{} 0.01 ETH\n", tense.fee());
    }
    sentences + &(0..=4).map(|kind| format!("{kind}{}\n", type_name(kind))).collect::<String>()
}

fn tokens() -> String {
    let units = TokenNote::Units { amount: "1,200", token: "0x5FbD…0aa3" };
    constants(&[token::ALL]) + &lines(&[&units])
}

pub fn subjects() -> Vec<(&'static str, String)> {
    vec![
        ("list", lists()),
        ("outage", outages()),
        ("page", pages()),
        ("start page", start_page()),
        ("transaction", constants(&[transaction::ALL]) + &transactions()),
        ("contract", contracts()),
        ("token", tokens()),
        ("trace", constants(&[trace::ALL])),
        ("diff", constants(&[diff::ALL])),
    ]
}
