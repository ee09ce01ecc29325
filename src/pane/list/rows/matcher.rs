//! Matches rows with a search. Most rows without a match are ruled out by their JSON (`prefilter`),
//! without formatting cells.

use std::ops::Range;
use std::sync::Arc;

use memchr::memmem::Finder;

use super::cell_number::CellNumber;
use super::prefilter::RowPrefilter;
use super::scopes::{SCOPES, scope_names, scoped_columns, similar_outcome, similar_scope};
use super::text::{RowText, ShownFields, value_position};
use crate::api::activity::ActivityBounds;
use crate::chain::Timestamp;
use crate::chain::amount::Unit;
use crate::chain::time_input::TimeInput;
use crate::columns::RowContext;
use crate::columns::activity::VALUE_TITLE;
use crate::columns::table::any_row::{AnyItem, AnyRow, RowKind, SentRow};
use crate::columns::table::column::{ColumnHead, ColumnKind, FULL_CELL_WIDTH, column_fields};
use crate::messages::list::{self, RowScopeError};
use crate::sanitize::SafeText;
use crate::search_terms::{
    SearchTerm, TextPattern, ValueRange, is_comparison, is_range, is_scope, parse_search,
    starts_with_number,
};
use crate::ui::table::{Align, TableCell};

/// A search for rows by scoped words: `token:GLD amount:>100`. A scope is the title of a column, or
/// its name in CSV.
#[derive(Debug)]
pub struct RowMatcher {
    kind: &'static RowKind,
    shown: ShownFields,
    /// The text of the last row that was not packed, kept for its memory.
    row_text: Vec<u8>,
    text: SafeText,
    terms: Vec<RowTerm>,
    fields: Option<Vec<&'static str>>,
    /// The texts of the last packed rows, and whether one of the rows may match.
    last_texts: Option<(Arc<[u8]>, bool)>,
    last_hit: Option<ColumnHit>,
    /// The revision of the labels and traces that the prefilters know.
    search_revision: u32,
}

/// The column whose cell in the last row had the text of a search. The next row has it there too, most likely, and
/// the other cells need not be formatted.
#[derive(Debug)]
pub struct ColumnHit {
    column: usize,
    /// The fields that the column shows, or `None` if it looks at others too.
    pub fields: Option<Vec<&'static str>>,
}

/// The place where a row matches.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RowHit {
    Cell(usize),
    /// Several cells, or what is not in one.
    Row,
}

#[derive(Debug)]
struct RowTerm {
    term: SearchTerm<RowPredicate>,
    /// `None` if any row may match.
    prefilter: Option<RowPrefilter>,
    /// A search of the whole values of the columns, if a match there is enough. Cells may match too.
    in_values: Option<ValueFinder>,
}

/// A text in the whole values of all columns, or of some.
#[derive(Debug)]
struct ValueFinder {
    text: Finder<'static>,
    /// The columns, by their numbers in a row's text, or `None` for all.
    columns: Option<Vec<usize>>,
}

impl ValueFinder {
    fn finds(&self, text: RowText<'_>) -> bool {
        self.text.find(text.values).is_some()
            && self.columns.as_ref().is_none_or(|columns| {
                let mut values = columns.iter().filter_map(|column| text.value(*column));
                values.any(|value| self.text.find(value.as_bytes()).is_some())
            })
    }
}

/// The property that one word of a search describes.
#[derive(Debug)]
enum RowPredicate {
    Any(TextPattern),
    /// The text is in one of these columns.
    Text(Vec<usize>, TextPattern),
    /// The number in one of these columns is within the range.
    Number(Vec<usize>, ValueRange<CellNumber>),
    /// The time in one of these columns is within the range.
    Time(Vec<usize>, ValueRange<Timestamp>),
}

const DIRECTIONS: [&str; 3] = ["in", "out", "self"];

impl RowMatcher {
    /// Returns `None` for an empty text.
    ///
    /// # Errors
    ///
    /// Returns a message for the user about the first word that cannot be understood.
    pub fn new(
        kind: &'static RowKind,
        text: &str,
        cx: &RowContext<'_>,
    ) -> Result<Option<Self>, SafeText> {
        let parse = |scope: Option<&str>, rest: &str| RowPredicate::parse(scope, rest, kind, cx);
        let shown = ShownFields::new(kind);
        let terms: Vec<RowTerm> = parse_search(text, RowPredicate::Any, parse)?
            .into_iter()
            .map(|term| RowTerm::new(term, kind, cx))
            .collect();
        let search_revision = cx.name_cache.search_revision();
        let row_text = Vec::new();
        let text = text.trim().into();
        let searched: Vec<usize> = (0..)
            .zip(kind.columns)
            .filter(|(_, head)| head.is_searched_in(cx.subject))
            .map(|(number, _)| number)
            .collect();
        let columns: Vec<&[usize]> =
            terms.iter().map(|term| term.term.predicate.columns().unwrap_or(&searched)).collect();
        let fields = column_fields(kind.columns, &columns.concat());
        let (last_texts, last_hit) = (None, None);
        let matcher = Self {
            kind,
            shown,
            row_text,
            text,
            terms,
            fields,
            last_texts,
            last_hit,
            search_revision,
        };
        Ok(Some(matcher).filter(|matcher| !matcher.terms.is_empty()))
    }

    pub fn text(&self) -> &str {
        &self.text
    }

    /// Returns `true` if one of its words names the column with a title.
    pub fn searches_in(&self, title: &str) -> bool {
        let scopes = self.terms.iter().filter_map(|term| term.term.predicate.columns());
        scopes
            .flatten()
            .filter_map(|column| self.kind.columns.get(*column))
            .any(|c| c.title == title)
    }

    /// Takes note of changed labels and of other known traces.
    pub fn update(&mut self, cx: &RowContext<'_>) {
        let revision = cx.name_cache.search_revision();
        if std::mem::replace(&mut self.search_revision, revision) != revision {
            self.last_texts = None;
            for term in &mut self.terms {
                term.update(self.kind, cx);
            }
        }
    }

    pub fn matches(&mut self, item: &dyn AnyItem, cx: &RowContext<'_>) -> bool {
        self.row_text.clear();
        let values = self.shown.append_text(item, &mut self.row_text);
        self.admits(RowText::new(&self.row_text, values)) && self.contains(item.into(), cx)
    }

    /// Returns the fields that the columns of its words show, or `None` if it looks at others.
    pub fn fields(&self) -> Option<&[&'static str]> {
        self.fields.as_deref()
    }

    /// Returns `true` if a row with this text may match.
    pub fn admits(&self, text: RowText<'_>) -> bool {
        text.is_open() || self.admits_text(text.all)
    }

    /// Returns `true` if a row with this text, one of several, may match. All texts are searched at once: most
    /// hold no match.
    pub fn admits_packed(&mut self, text: RowText<'_>, texts: &Arc<[u8]>) -> bool {
        if text.is_open() {
            return true;
        }
        let known = self.last_texts.as_ref().filter(|(last, _)| Arc::ptr_eq(last, texts));
        let may_match = known.map_or_else(|| self.admits_text(texts), |(_, may_match)| *may_match);
        if known.is_none() {
            self.last_texts = Some((texts.clone(), may_match));
        }
        may_match && self.admits_text(text.all)
    }

    fn admits_text(&self, text: &[u8]) -> bool {
        let mut prefilters = self.terms.iter().filter_map(|term| term.prefilter.as_ref());
        prefilters.all(|prefilter| prefilter.admits(text))
    }

    /// Returns `true` if the whole values of the columns match, whatever else the cells show.
    pub fn has_in_values(&self, text: RowText<'_>) -> bool {
        self.terms.iter().all(|term| term.has_in_values(text))
    }

    /// Returns `true` if the cells of a row match, or the whole values in its text.
    fn matches_text_or_cells(
        &self,
        text: RowText<'_>,
        sent: SentRow<'_>,
        cx: &RowContext<'_>,
    ) -> bool {
        let mut terms = self.terms.iter();
        terms.all(|term| {
            term.has_in_values(text) || term.matches(sent, term.in_values.is_none(), cx)
        })
    }

    /// Returns the place where a row matches, like `matches_text_or_cells`.
    pub fn hit(&self, text: RowText<'_>, sent: SentRow<'_>, cx: &RowContext<'_>) -> Option<RowHit> {
        if let (Ok(row), [only]) = (sent.row, &*self.terms)
            && let Some(pattern) = only.text_anywhere()
            && !only.has_in_values(text)
        {
            let by_values = only.in_values.is_none();
            let found = find_cell(row, pattern, by_values, cx);
            return found.map(RowHit::Cell);
        }
        self.matches_text_or_cells(text, sent, cx).then_some(RowHit::Row)
    }

    pub fn last_hit(&self) -> Option<&ColumnHit> {
        self.last_hit.as_ref()
    }

    /// Keeps the column of a hit.
    pub fn remember(&mut self, hit: Option<RowHit>) {
        if let Some(RowHit::Cell(column)) = hit {
            let fields = column_fields(self.kind.columns, &[column]);
            self.last_hit = Some(ColumnHit { column, fields });
        }
    }

    /// Returns `true` if the cell in which the last row matched does so in this row.
    pub fn matches_again(&self, sent: SentRow<'_>, cx: &RowContext<'_>) -> bool {
        let pattern = self.terms.first().and_then(RowTerm::text_anywhere);
        let place = self.last_hit.as_ref().zip(pattern);
        place
            .zip(sent.row.ok())
            .is_some_and(|((hit, pattern), row)| cell_contains(row, hit.column, pattern, false, cx))
    }

    /// Returns `true` if no row after this one of a list, whose newest rows are first, matches: all are older.
    pub fn is_past(&self, row: &dyn AnyRow) -> bool {
        let Some((oldest, column)) = self.oldest() else { return false };
        row.full_value(column).parse().is_ok_and(|time: Timestamp| time < oldest)
    }

    /// Returns the time before which no row matches, with a column that has the times.
    fn oldest(&self) -> Option<(Timestamp, usize)> {
        let required = self.terms.iter().map(|RowTerm { term, .. }| term);
        let times = required.filter_map(|term| match &term.predicate {
            RowPredicate::Time(columns, range) if !term.is_negated => {
                Some((range.ends()[0]?, *columns.first()?))
            }
            _ => None,
        });
        times.max()
    }

    /// Returns times and amounts between which all matching rows are. Amounts are in whole coins if the
    /// screen shows them so.
    pub fn bounds(&self, cx: &RowContext<'_>) -> ActivityBounds {
        let is_amount = |column: &usize| {
            cx.format.unit == Unit::Coin
                && self.kind.columns.get(*column).is_some_and(|column| column.title == VALUE_TITLE)
        };
        let mut bounds = ActivityBounds::default();
        for RowTerm { term, .. } in self.terms.iter().filter(|term| !term.term.is_negated) {
            match &term.predicate {
                RowPredicate::Time(_, range) => {
                    let [from, to] = range.ends();
                    bounds.from = bounds.from.max(from);
                    bounds.to = bounds.to.into_iter().chain(to).min();
                }
                RowPredicate::Number(columns, range) if columns.iter().all(is_amount) => {
                    let [least, most] = range.ends();
                    bounds.add_amounts(
                        least.and_then(CellNumber::positive),
                        most.and_then(CellNumber::positive),
                    );
                }
                _ => {}
            }
        }
        bounds
    }

    /// Returns the first place of each word of the search in the text of a cell.
    pub fn matches_in_cell(&self, column: usize, text: &str) -> Vec<Range<usize>> {
        let terms = self.terms.iter().map(|RowTerm { term, .. }| term);
        let patterns =
            terms.filter(|term| !term.is_negated).filter_map(|term| match &term.predicate {
                RowPredicate::Any(pattern) => Some(pattern),
                RowPredicate::Text(columns, pattern) => {
                    columns.contains(&column).then_some(pattern)
                }
                RowPredicate::Number(..) | RowPredicate::Time(..) => None,
            });
        patterns.filter_map(|pattern| pattern.find(text)).collect()
    }

    /// Returns `true` if the cells of a row match.
    pub fn contains(&self, sent: SentRow<'_>, cx: &RowContext<'_>) -> bool {
        self.terms.iter().all(|term| term.matches(sent, true, cx))
    }
}

impl RowTerm {
    fn new(term: SearchTerm<RowPredicate>, kind: &RowKind, cx: &RowContext<'_>) -> Self {
        let in_values = term.predicate.in_values(kind).filter(|_| !term.is_negated);
        let mut term = Self { term, prefilter: None, in_values };
        term.update(kind, cx);
        term
    }

    /// Returns the text that any cell may have.
    fn text_anywhere(&self) -> Option<&TextPattern> {
        match &self.term.predicate {
            RowPredicate::Any(pattern) if !self.term.is_negated => Some(pattern),
            _ => None,
        }
    }

    fn has_in_values(&self, text: RowText<'_>) -> bool {
        self.in_values.as_ref().is_some_and(|finder| finder.finds(text))
    }

    /// Returns `true` if a row matches: by its cells, or also by the whole values of the columns.
    fn matches(&self, sent: SentRow<'_>, by_values: bool, cx: &RowContext<'_>) -> bool {
        self.term.predicate.matches(sent, by_values, cx) != self.term.is_negated
    }

    /// Takes note of changed labels and of other known traces. What a row must not have is not looked for in its JSON.
    fn update(&mut self, kind: &RowKind, cx: &RowContext<'_>) {
        let SearchTerm { is_negated, predicate } = &self.term;
        self.prefilter = if *is_negated { None } else { predicate.prefilter(kind, cx) };
    }
}

impl RowPredicate {
    fn parse(
        scope: Option<&str>,
        rest: &str,
        kind: &RowKind,
        cx: &RowContext<'_>,
    ) -> Result<Self, SafeText> {
        let Some(scope) = scope else { return Ok(Self::Any(TextPattern::new(rest))) };
        let scope = &*scope.to_ascii_lowercase();
        let columns = scoped_columns(scope, kind.columns);
        let is_bound = is_comparison(rest) || is_range(rest);
        if columns.is_empty() && (is_bound || SCOPES.contains(&scope)) {
            return Err(RowScopeError::OtherList { scope, plural: kind.plural }.to_string().into());
        }
        if let (true, Some(known)) = (columns.is_empty(), similar_scope(scope, kind.columns)) {
            return Err(RowScopeError::Unknown { scope, known }.to_string().into());
        }
        if columns.is_empty() && is_scope(scope, rest) {
            let columns = &scope_names(kind.columns, cx.subject);
            return Err(RowScopeError::NoColumn { scope, columns }.to_string().into());
        }
        if scope == "dir" && !DIRECTIONS.contains(&&*rest.to_ascii_lowercase()) {
            return Err(list::DIRECTIONS.into());
        }
        let text = &*rest.to_ascii_lowercase();
        if let (true, Some(known)) = (kind.has_outcomes(&columns), similar_outcome(text)) {
            return Err(RowScopeError::Outcome { text, known }.to_string().into());
        }
        let all = |is_such: fn(&ColumnHead) -> bool| {
            columns.iter().all(|n| kind.columns.get(*n).is_some_and(is_such))
        };
        let are_amounts = all(|column| column.align == Align::Point);
        let are_times = all(|column| column.kind == ColumnKind::Time);
        let is_number = is_bound || (are_amounts && starts_with_number(rest));
        Ok(if columns.is_empty() {
            Self::Any(TextPattern::new(&[scope, ":", rest].concat()))
        } else if are_times && (is_bound || !is_part_of_time(rest)) {
            Self::Time(columns, ValueRange::parse_time(rest, cx.ages().now())?)
        } else if is_number {
            Self::Number(columns, ValueRange::parse_with(rest, CellNumber::parse)?)
        } else {
            Self::Text(columns, TextPattern::new(rest))
        })
    }

    fn prefilter(&self, kind: &RowKind, cx: &RowContext<'_>) -> Option<RowPrefilter> {
        match self {
            Self::Any(TextPattern::Literal(pattern))
            | Self::Text(_, TextPattern::Literal(pattern)) => RowPrefilter::new(pattern, kind, cx),
            _ => None,
        }
    }

    /// Returns the search of the whole values of the columns. Other letters may differ in lower case.
    fn in_values(&self, kind: &RowKind) -> Option<ValueFinder> {
        let (pattern, columns) = match self {
            Self::Any(pattern) => (pattern, None),
            Self::Text(columns, pattern) => {
                let columns =
                    columns.iter().filter_map(|column| value_position(kind.columns, *column));
                (pattern, Some(columns.collect()))
            }
            Self::Number(..) | Self::Time(..) => return None,
        };
        match pattern {
            TextPattern::Literal(pattern) if pattern.is_ascii() => {
                Some(ValueFinder { text: Finder::new(pattern).into_owned(), columns })
            }
            _ => None,
        }
    }

    /// Returns the columns that it looks at, or `None` if those are all in which searches look.
    fn columns(&self) -> Option<&[usize]> {
        match self {
            Self::Any(_) => None,
            Self::Text(columns, _) | Self::Number(columns, _) | Self::Time(columns, _) => {
                Some(columns)
            }
        }
    }

    fn matches(&self, sent: SentRow<'_>, by_values: bool, cx: &RowContext<'_>) -> bool {
        let row = match (sent.row, self) {
            (Ok(row), _) => row,
            (Err(_), Self::Any(pattern)) => return pattern.matches(sent.json),
            (Err(_), _) => return false,
        };
        match self {
            Self::Any(pattern) => find_cell(row, pattern, by_values, cx).is_some(),
            Self::Text(columns, pattern) => {
                columns.iter().any(|n| cell_contains(row, *n, pattern, by_values, cx))
            }
            Self::Number(columns, bound) => {
                columns.iter().any(|n| bound.matches(cell_number(row, *n, cx)))
            }
            Self::Time(columns, bound) => {
                columns.iter().any(|n| bound.matches(row.full_value(*n).parse().ok()))
            }
        }
    }
}

/// Returns the first of the searched columns whose cell in a row has a text.
fn find_cell(
    row: &dyn AnyRow,
    pattern: &TextPattern,
    by_values: bool,
    cx: &RowContext<'_>,
) -> Option<usize> {
    let columns = row.kind().columns.iter().enumerate();
    let mut searched = columns.filter(|(_, head)| head.is_searched_in(cx.subject));
    let found = searched.find(|(n, _)| cell_contains(row, *n, pattern, by_values, cx));
    found.map(|(column, _)| column)
}

/// Returns `true` if a cell has a text, or also its whole value.
fn cell_contains(
    row: &dyn AnyRow,
    column: usize,
    pattern: &TextPattern,
    by_values: bool,
    cx: &RowContext<'_>,
) -> bool {
    if by_values && pattern.matches(&row.full_value(column)) {
        return true;
    }
    let cell = row.cell(column, cx, FULL_CELL_WIDTH.into());
    pattern.matches(&searched_text(&cell))
        || name_below_label(row, &cell, cx).is_some_and(|name| pattern.matches(&name))
}

/// Returns `true` for a part of a time as cells show it: `2026-01`, `22:`. A day is more than a part, and an age is in
/// other ages: `5m` in `15m`.
fn is_part_of_time(text: &str) -> bool {
    let letters = b"-:+tzTZ";
    text.bytes().all(|c| c.is_ascii_digit() || letters.contains(&c))
        && text.len() != "2026-01-01".len()
        && !matches!(text.parse(), Ok(TimeInput::At(_)))
}

/// Returns the number in the cell, or `None` if it is not known or counts units.
pub fn cell_number(row: &dyn AnyRow, column: usize, cx: &RowContext<'_>) -> Option<CellNumber> {
    CellNumber::in_cell(&cell_text(row, column, cx))
}

/// Returns the cell in full, as searches see it.
pub fn cell_text(row: &dyn AnyRow, column: usize, cx: &RowContext<'_>) -> String {
    searched_text(&row.cell(column, cx, FULL_CELL_WIDTH.into()))
}

/// Returns the text of a cell with the minus sign that keyboards have.
fn searched_text(cell: &TableCell) -> String {
    cell.to_string().replace('−', "-")
}

/// Returns the name of a cell's address, if the user's label stands in its place: searches find both.
fn name_below_label(row: &dyn AnyRow, cell: &TableCell, cx: &RowContext<'_>) -> Option<SafeText> {
    let address = cell.address.filter(|address| cx.name_cache.labels().name(address).is_some())?;
    let sent = || row.parties().into_iter().find(|party| party.hash == address)?.label();
    cx.name_cache.cached_name(&address).or_else(sent).cloned()
}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::api::endpoints::address::{Collection, TokenBalance};
    use crate::api::internal_transactions::InternalTransaction;
    use crate::api::nft_instances::TokenInstance;
    use crate::api::token_transfers::TokenTransfer;
    use crate::api::transactions::Transaction;
    use crate::api::{AddressQuery, ChainQuery, ListSubject, Query, TokenQuery};
    use crate::chain::Address;
    use crate::columns::ListRow;
    use crate::name_cache::NameCache;
    use crate::user_data::labels::Labels;

    const ALICE: &str = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";

    /// Searches the rows of a response for every word in their cells, and for parts of them. Returns
    /// the number of rows that the prefilter ruled out.
    fn check<T: ListRow>(query: &Query, body: &str) -> usize {
        let mut name_cache = NameCache::default();
        name_cache.set_labels(Labels::from_csv(&format!("address,name\n{ALICE},Zoe\n")).into());
        let cx = RowContext {
            viewed: ALICE.parse().ok(),
            now: "2040-01-01T00:00:00Z".parse().unwrap(),
            name_cache: &name_cache,
            ..RowContext::blank()
        };
        let items = query.decode(body.as_bytes(), None).unwrap().page::<T>().unwrap().items;
        let mut words = BTreeSet::new();
        for row in items.iter().take(4).filter_map(|item| item.parsed.as_ref().ok()) {
            for column in T::COLUMNS {
                let cell = (column.cell)(row, &cx, FULL_CELL_WIDTH.into());
                let all = format!("{cell} {}", (column.full_value)(row));
                words.extend(all.split_whitespace().map(str::to_owned));
            }
        }
        let ends = words.iter().flat_map(|word| [word.get(3..), word.get(word.len().max(3) - 3..)]);
        let ends: Vec<String> = ends.flatten().map(str::to_owned).collect();
        words.extend(ends.into_iter().filter(|word| !word.is_empty()));
        let mut ruled_out = 0;
        for word in words {
            let mut matcher = RowMatcher::new(T::KIND, &word, &cx).unwrap().unwrap();
            let predicate = RowPredicate::Any(TextPattern::new(&word));
            for item in &items {
                let sent: SentRow<'_> = (&**item as &dyn AnyItem).into();
                let contains = predicate.matches(sent, true, &cx);
                assert_eq!(matcher.matches(&**item, &cx), contains, "{word} in {}", item.raw.get());
                let mut text = Vec::new();
                let values = matcher.shown.append_text(&**item, &mut text);
                let text = RowText::new(&text, values);
                ruled_out += usize::from(!matcher.admits(text));
                assert!(contains || !matcher.has_in_values(text), "{word} in {}", item.raw.get());
                assert_eq!(matcher.matches_text_or_cells(text, sent, &cx), contains, "{word}");
            }
        }
        ruled_out
    }

    macro_rules! golden {
        ($name:literal) => {
            include_str!(concat!("../../../../tests/data/golden/", $name, ".json"))
        };
    }

    /// A failed internal call, a failure that is not indexed yet, and ages.
    const UNUSUAL_TRANSACTIONS: &str = r#"{"items":[
        {"hash":"0x0000000000000000000000000000000000000000000000000000000000000001",
         "status":"ok","has_error_in_internal_transactions":true,
         "timestamp":"2039-12-31T21:00:00.000000Z"},
        {"hash":"0x0000000000000000000000000000000000000000000000000000000000000002",
         "status":"error","result":"awaiting_internal_transactions",
         "timestamp":"2039-12-31T23:48:07.000000Z"},
        {"hash":"0x0000000000000000000000000000000000000000000000000000000000000003",
         "status":"ok","timestamp":"2040-02-01T02:00:00+02:00"}],"next_page_params":null}"#;

    /// Decimals that are not known, and a symbol with a Kelvin sign.
    const UNUSUAL_TRANSFERS: &str = r#"{"items":[{"log_index":1,"total":{"value":"1234567"},
        "token":{"symbol":"KELVIN","type":"ERC-20"}}],"next_page_params":null}"#;

    /// Returns the number of rows of Alice's token transfers that match a search.
    fn count(text: &str) -> Result<usize, SafeText> {
        let viewed: Option<Address> = ALICE.parse().ok();
        let cx = RowContext {
            viewed,
            now: "2040-01-01T00:00:00Z".parse().unwrap(),
            ..RowContext::blank()
        };
        let query = Query::token_transfers(viewed);
        let reply = query.decode(golden!("transfers_alice").as_bytes(), None).unwrap();
        let items = reply.page::<TokenTransfer>().unwrap().items;
        let mut matcher = RowMatcher::new(TokenTransfer::KIND, text, &cx)?.unwrap();
        Ok(items.iter().filter(|item| matcher.matches(&***item, &cx)).count())
    }

    #[test]
    fn scoped_words_look_at_their_columns() {
        let all = count("0x").unwrap();
        let [into, out, own] =
            ["dir:in", "dir:out", "dir:self"].map(|search| count(search).unwrap());
        assert!(into > 0 && out > 0 && into + out + own == all, "{into} {out} {own} of {all}");
        let gold = count("token:GLD").unwrap();
        assert!(gold > 0 && gold < all && count("token:gld").unwrap() == gold);
        let [some, few] = ["token:GLD amount:>2", "token:GLD amount:>100"].map(count);
        assert!(few.unwrap() < some.clone().unwrap() && some.unwrap() < gold);
        assert_eq!(count("to:0xf39F").unwrap() + count("from:0xf39F").unwrap(), all + own);
        assert_eq!(
            count("re:^(swap|safe)").unwrap(),
            count("method:swap").unwrap() + count("method:safe").unwrap()
        );
        assert_eq!(count("https://nothing").unwrap(), 0, "not a scope: a text");
        let [new, old] = ["age:<30s", "age:>30s"].map(|search| count(search).unwrap());
        assert!(new > 0 && old > 0 && new + old == all, "{new} and {old} of {all}");
        assert_eq!((count("date:2023-11-14"), count("date:<2023-11-14")), (Ok(all), Ok(0)));
    }

    #[test]
    fn dollars_are_compared_to_the_cent() {
        let body = r#"{"items":[{"log_index":1,"total":{"value":"123456789","decimals":"2"},
            "token":{"symbol":"USDC","type":"ERC-20","exchange_rate":"1"}}],"next_page_params":null}"#;
        let items = Query::token_transfers(None)
            .decode(body.as_bytes(), None)
            .unwrap()
            .page::<TokenTransfer>()
            .unwrap()
            .items;
        let cx = RowContext { subject: ListSubject::Transaction, ..RowContext::blank() };
        for (search, is_found) in [("worth:>1234567", true), ("worth:>1234568", false)] {
            let mut matcher = RowMatcher::new(TokenTransfer::KIND, search, &cx).unwrap().unwrap();
            assert_eq!(matcher.matches(&*items[0], &cx), is_found, "{search}");
        }
    }

    #[test]
    fn words_that_cannot_be_understood_are_reported() {
        let error = |text| count(text).unwrap_err().to_string();
        assert_eq!(error("amount:>x"), "expected a number such as 161, >100k or 0.5..2");
        assert_eq!(error("amout:>5"), "no amout: in token transfers");
        assert_eq!(error("fee:1"), "no fee: in token transfers");
        assert_eq!(error("age:<5"), list::EXPECTED_TIME);
        assert_eq!(error("dir:up"), "dir: expects in, out or self");
        for text in
            ["date:2023/11/14", "date:14.11.2023", "date:2023-11-32", "age:tomorrow", "age:5m"]
        {
            assert_eq!(error(text), list::EXPECTED_TIME, "{text}");
        }
        for text in ["date:", "date:2023-1", "date:2023-11-14T2", "date:yesterday"] {
            assert!(count(text).is_ok(), "{text}");
        }
        assert!(count("re:(").is_err());
    }

    #[test]
    fn misspelt_outcomes_are_reported() {
        let cx = RowContext::blank();
        let error = |text: &str| RowMatcher::new(Transaction::KIND, text, &cx).unwrap_err();
        for (typed, known) in [("failled", "failed"), ("success", "ok"), ("pendng", "pending")] {
            let expected = format!("unknown status {typed}, did you mean {known}?");
            assert_eq!(error(&format!("status:{typed}")).to_string(), expected);
        }
        for text in ["status:", "status:fail", "status:Reverted", "status:insufficient", "err:out"]
        {
            assert!(RowMatcher::new(Transaction::KIND, text, &cx).is_ok(), "{text}");
        }
    }

    #[test]
    fn rows_with_unusual_words_are_not_ruled_out() {
        let address = ALICE.parse().unwrap();
        let query = Query::Address(address, AddressQuery::Transactions { direction: None });
        check::<Transaction>(&query, UNUSUAL_TRANSACTIONS);
        let query = Query::token_transfers(Some(address));
        check::<TokenTransfer>(&query, &UNUSUAL_TRANSFERS.replace("KELVIN", "\u{212a}NT"));
    }

    #[test]
    fn labels_hide_no_names() {
        let rows = |labels: &str| {
            let mut name_cache = NameCache::default();
            name_cache.set_labels(Labels::from_csv(&format!("address,name\n{labels}")).into());
            let cx = RowContext { name_cache: &name_cache, ..RowContext::blank() };
            let items = Query::Chain(ChainQuery::Transactions)
                .decode(golden!("chain_transactions").as_bytes(), None)
                .unwrap()
                .page::<Transaction>()
                .unwrap()
                .items;
            ["alice", "from:alice", "from:Alice.eth"].map(|text| {
                let mut matcher = RowMatcher::new(Transaction::KIND, text, &cx).unwrap().unwrap();
                items.iter().filter(|item| matcher.matches(&***item, &cx)).count()
            })
        };
        let unlabelled = rows("");
        assert!(unlabelled.iter().all(|count| *count > 0), "{unlabelled:?}");
        assert_eq!(rows(&format!("{ALICE},boss\n")), unlabelled);
    }

    #[test]
    fn no_row_that_has_a_word_is_ruled_out() {
        let address = ALICE.parse().unwrap();
        let (direction, types) = (None, Vec::new());
        let query = Query::Address(address, AddressQuery::Transactions { direction });
        assert!(check::<Transaction>(&query, golden!("transactions_alice")) > 50);
        check::<Transaction>(&query, golden!("transactions_thrower"));
        let query = Query::token_transfers(Some(address));
        assert!(check::<TokenTransfer>(&query, golden!("transfers_alice")) > 50);
        check::<TokenTransfer>(&query, golden!("transfers_alice_nft"));
        check::<TokenTransfer>(&query, golden!("transfers_evil"));
        let query = Query::Address(address, AddressQuery::InternalTransactions { direction });
        assert!(check::<InternalTransaction>(&query, golden!("internal_factory")) > 50);
        let query = Query::Address(address, AddressQuery::Tokens { types: types.clone() });
        check::<TokenBalance>(&query, golden!("tokens_alice"));
        let query = Query::Address(address, AddressQuery::Collections { types });
        check::<Collection>(&query, golden!("collections_alice"));
        let query = Query::Token(address, TokenQuery::Instances { holder: None });
        check::<TokenInstance>(&query, golden!("instances_gns_huge_ids"));
    }
}
