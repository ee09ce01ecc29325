//! Messages of lists: notices, empty states and ends.

use std::fmt;

use super::Count;
use crate::chain::amount::Grouped;
use crate::chain::coverage::BlockCoverage;
use crate::sanitize::SafeText;

super::sentences! {
    PAGE_ADDRESS = "address of this page";
    ALL_EVENTS = "all events";
    LEFT_OVER = "still allowed";
    CLEAR = "clear";
    PICTURES_FIRST = "pictures first · ";
    NEXT_MATCH = "next match";
    UNFOLD = "unfold";
    UNFOLDS = "{open} lists them";
    NO_FILTERS = "this list has no filters";
    NO_SEARCH = "no search yet: {search} starts one";
    NO_NEW_ROWS = "a transaction gets no new rows";
    STILL_FILTERING = "still filtering";
    STILL_LOADING = "still loading";
    NOT_LOADED = "not loaded";
    EMPTY = "the list is empty";
    NO_ROW_MATCHES = "no row matches";
    NOTHING_TO_OPEN = "nothing to open here";
    PENDING_TRANSACTIONS = "pending transactions";
    NO_ACTIVITY = "this explorer lists no activity: see its other lists";
    NO_WEB_PAGE = "no web page for this";
    NOT_FILTERED = "cannot export: not all rows are filtered yet";
    EXPORT_NAME = "cannot export: the name must end in .csv or .jsonl";
    NOT_LOADED_YET = "not loaded · {refresh} loads";
    LOADING_MORE = "loading more…";
    LOADS_MORE = "more · {next_row} or {last} loads";
    REPLACED_BLOCK = "replaced in a reorg: no transactions listed any more";
    LOADS_REST = "{next_row} loads more";
    CLEARS_FILTER = "{back} clears";
    OLDER_DO_NOT_MATCH = "older rows are before the filter";
    STOPPED = "stopped";
    ALL_LOADED_HINT = "all loaded · {back} goes back";
    FILTERING = "filtering…";
    LOADING = "loading…";
    LABEL_HINT = "{label} changes it";
    UNREADABLE_ROW = "unreadable row";
    UNREADABLE_ROW_KEYS = "{open} shows it · {copy_json} copies it";
    ORIGINAL_ORDER = "in the original order";
    LOADS_ALL = "{last}{last} loads all";
    DIRECTIONS = "dir: expects in, out or self";
    LOADING_ALL = "loading all pages · {back} stops";
    ALL_LOADED = "all rows loaded";
    STOPPED_EARLY = "stopped before the end of the list";
    CONTINUES = "{last} continues";
    CONTINUES_OR_NARROWS = "{last} continues · {filters} narrows";
    LIVE_OFF = "live off";
    LIVE_STOPPED = "live off ({follow})";
    LIVE = "live: new rows appear on top";
    NOTHING_NEW = "nothing new";
    EXPECTED_BOUND = "expected a number such as 161, >100k or 0.5..2";
    EXPECTED_TIME = "expected an age such as <5m, or a date such as >2024-05-01";
    EXPECTED_WORD = "not: expects a word to leave out";
    EXPECTED_SORT = "expected a column with :asc or :desc";
    RELOADS = "{refresh} reloads the list";
    ADDRESS_KEYS = "{label} labels the address · {watch} watches it";
    UNKNOWN_ADDRESS_KEYS = "{open} opens it on Ethereum · {chains} another chain · {label} labels it";
    WATCHED_ADDRESS_KEYS = "{label} labels the address";
    POOL_IS_LIVE = "new ones appear by themselves";
    ONLY_CONTRACTS_EMIT = "only contracts emit events, and this is an account";
    CALLS_THAT_PAY = "calls of contracts that pay this address, or are paid by it";
    TOKENS_MOVED = "tokens that this address sends and receives";
    TOKENS_HELD = "tokens that this address holds";
    NFTS_HELD = "collections of which this address holds NFTs";
    CHANGES_OF_BALANCE = "each change of this address's balance";
    VALIDATOR_PAYOUTS = "what validators pay out to this address";
    NO_APPROVALS = "no spender may take tokens of this address";
}

/// The blocks that the rows of a list come from, if these are not all.
#[derive(Debug, Clone, Copy)]
pub struct Covered<'a>(pub Option<&'a BlockCoverage>);

impl fmt::Display for Covered<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.map_or(Ok(()), |blocks| write!(f, " {blocks}"))
    }
}

/// The line after the last row.
#[derive(Debug, strum::Display)]
pub enum ListTail<'a> {
    #[strum(to_string = "no {plural}{covered}")]
    NoRows { plural: &'a str, covered: Covered<'a> },
    #[strum(to_string = "no {plural} in this block{covered}")]
    NoRowsInBlock { plural: &'a str, covered: Covered<'a> },
    #[strum(to_string = "end · {rows}")]
    End { rows: Count },
    #[strum(to_string = "no more {blocks} · {rows}")]
    EndOfBlocks { rows: Count, blocks: &'a BlockCoverage },
    #[strum(to_string = "no row matches \"{filter}\"{covered} · {clears}")]
    NoMatch { filter: &'a str, covered: Covered<'a>, clears: &'a str },
    #[strum(to_string = "{matching} of {rows} match \"{filter}\"{covered}")]
    Matches { matching: Grouped<usize>, rows: Count, filter: &'a str, covered: Covered<'a> },
    #[strum(to_string = "{loaded} sorted · {rest}")]
    Sorted { loaded: Count, rest: &'a str },
    #[strum(to_string = "no match for \"{filter}\" in {loaded} · {rest} · {clears}")]
    NoLoadedMatch { filter: &'a str, loaded: &'a str, rest: &'a str, clears: &'a str },
    #[strum(to_string = "{matching} of {loaded} match · {rest}")]
    LoadedMatches { matching: Grouped<usize>, loaded: Count, rest: &'a str },
    /// The rows fill the memory that they may.
    #[strum(to_string = "paused: the rows take {filled}, {free} free · {continues}")]
    Paused { filled: &'a str, free: &'a str, continues: &'a str },
}

/// The loaded rows of a list, of which a filter shows some.
#[derive(Debug, strum::Display)]
pub enum LoadedRows<'a> {
    #[strum(to_string = "{rows}{more} loaded")]
    Loaded { rows: Grouped<usize>, more: &'a str },
    #[strum(to_string = "{rows} loaded, {all} in all")]
    LoadedOf { rows: Grouped<usize>, all: Grouped<usize> },
}

/// The rows in an exported file.
#[derive(Debug)]
pub struct SavedRows {
    pub rows: usize,
    /// The number of unreadable rows that the file lacks.
    pub left_out: usize,
    pub has_more: bool,
}

impl fmt::Display for SavedRows {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        Count(self.rows, "row").fmt(f)?;
        if self.left_out > 0 {
            write!(f, ", {} unreadable left out", Grouped(self.left_out))?;
        }
        f.write_str(if self.has_more { ", more not loaded" } else { "" })
    }
}

/// The finished part of work on all rows.
#[derive(Debug, strum::Display)]
pub enum ListProgress {
    #[strum(to_string = "filtering {percent}%…")]
    Filtering { percent: usize },
    #[strum(to_string = "sorting {percent}%…")]
    Sorting { percent: usize },
    #[strum(to_string = "searching {percent}%…")]
    Searching { percent: usize },
}

/// A scoped word of a search that no row can match.
#[derive(Debug, strum::Display)]
pub enum RowScopeError<'a> {
    #[strum(to_string = "no {scope}: in {plural}")]
    OtherList { scope: &'a str, plural: &'a str },
    #[strum(to_string = "unknown filter {scope}:, did you mean {known}:?")]
    Unknown { scope: &'a str, known: &'a str },
    #[strum(to_string = "unknown status {text}, did you mean {known}?")]
    Outcome { text: &'a str, known: &'a str },
    #[strum(to_string = "no column {scope}:, only {columns}")]
    NoColumn { scope: &'a str, columns: &'a str },
}

/// A notice about the rows of a list.
#[derive(Debug, strum::Display)]
pub enum ListNotice<'a> {
    /// Calls of a transaction that are one row.
    #[strum(to_string = "{calls} without value")]
    FoldedCalls { calls: Count },
    #[strum(to_string = "{calls}+ calls without value")]
    FoldedCallsSoFar { calls: Grouped<usize> },
    #[strum(to_string = "all rows loaded {blocks}")]
    AllLoaded { blocks: &'a BlockCoverage },
    #[strum(to_string = "{rows} at the top")]
    NewRows { rows: Count },
    #[strum(to_string = "more than {rows}: {reloads}")]
    Gap { rows: Count, reloads: &'a str },
    #[strum(to_string = "unreadable row: {why}")]
    Unreadable { why: &'a SafeText },
    /// A page with more rows than are read.
    #[strum(to_string = "page cut at {kept} of {all} rows")]
    PageCut { kept: Grouped<usize>, all: Grouped<usize> },
    #[strum(to_string = "this row has no {what}")]
    NoValue { what: &'a str },
    #[strum(to_string = "{name} is your label ({changes})")]
    OwnLabel { name: &'a str, changes: &'a str },
    #[strum(to_string = "sorted by {column} {direction}")]
    Sorted { column: &'a str, direction: &'a str },
    /// Hashes have no order that means anything.
    #[strum(to_string = "{unordered} has no order: sorted by {column} {direction}")]
    SortedInstead { unordered: &'a str, column: &'a str, direction: &'a str },
    #[strum(to_string = "sorted by {column} {direction} · {rows} ({loads})")]
    LoadedSorted { column: &'a str, direction: &'a str, rows: Count, loads: &'a str },
    #[strum(to_string = "no match for \"{text}\" in {rows}")]
    NoMatch { text: &'a str, rows: Count },
    #[strum(to_string = "match {number} of {all} for \"{text}\" in {rows}")]
    Match { number: Grouped<usize>, all: Grouped<usize>, text: &'a str, rows: Count },
    #[strum(to_string = "match {number} of {all} so far for \"{text}\" in {rows}")]
    MatchSoFar { number: Grouped<usize>, all: Grouped<usize>, text: &'a str, rows: Count },
}
