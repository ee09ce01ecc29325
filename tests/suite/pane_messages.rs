//! The sentences of panes with example data, for the snapshot of all sentences.

use chainglass::test_api::chain::{BlockCoverage, Grouped};
use chainglass::test_api::messages::list::{
    self, Covered, ListNotice, ListTail, RowScopeError, SavedRows,
};
use chainglass::test_api::messages::{Count, diff, page, trace};

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
    let (column, direction, why) = ("amount", "↓", "no response within 40 s");
    let (number, all) = (Grouped(3), Grouped(1_200));
    let notices = lines(&[
        &ListNotice::AllLoaded { blocks },
        &ListNotice::NewRows { rows: Count(1, "new row") },
        &ListNotice::NewRows { rows: Count(2, "new row") },
        &ListNotice::Gap { rows: Count(50, "new row"), reloads: list::RELOADS },
        &ListNotice::RefreshFailed { why },
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

pub fn subjects() -> Vec<(&'static str, String)> {
    vec![
        ("list", lists()),
        ("page", constants(&[page::ALL])),
        ("trace", constants(&[trace::ALL])),
        ("diff", constants(&[diff::ALL])),
    ]
}
