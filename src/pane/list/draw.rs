//! Draws a list: header, visible rows, and the line after the last row.

use std::borrow::Cow;
use std::ops::Range;
use std::sync::Arc;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::super::{PaneContext, PanePlace};
use super::ListPane;
use super::loading::gap_text;
use super::regions::table_area;
use super::rows::filter::MAX_MEASURED_ROWS;
use super::rows::order::RowOrder;
use super::rows::search::ListSearch;
use crate::api::page::paged_rows::{InFlight, TailState};
use crate::api::transactions::{PoolState, TransactionOutcome};
use crate::api::{AddressQuery, ApiError, BlockQuery, ListSubject, Query, TokenQuery};
use crate::chain::Address;
use crate::chain::amount::Grouped;
use crate::chain::hash_abbreviation::Abbreviator;
use crate::chain::network::Endpoint;
use crate::columns::table::any_row::{AnyItem, AnyRow};
use crate::columns::table::column::{ColumnHead, ColumnKind};
use crate::columns::table::extent::{PlacedColumn, TableExtent};
use crate::columns::{RowContext, TitledCell};
use crate::messages::Count;
use crate::messages::list::{self, Covered, ListNotice, ListTail};
use crate::messages::{node, token};
use crate::pane::failure_report::FailedRequest;
use crate::ui::format::{self, wrapped_lines};
use crate::ui::format_options::{TimeFormat, format_bytes};
use crate::ui::selection::draw_selection;
use crate::ui::table::{RowCell, TableCell, draw_row};
use crate::ui::text::draw_text;
use crate::ui::theme::{Role, Styles};

/// The columns of the mark in the title of a sorted column.
const SORT_MARK_WIDTH: u16 = 2;
/// Lines of the header, of the lines after the rows and of the details.
const LINES_AROUND_NOTE: u16 = 11;

struct RowLayout<'a> {
    columns: Vec<PlacedColumn>,
    /// The address under the cursor, which is highlighted wherever else it is.
    highlight: Option<Address>,
    /// The search whose words are highlighted.
    search: Option<&'a ListSearch>,
    row_context: RowContext<'a>,
}

impl ListPane {
    pub(super) fn draw(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let [header, _, details] = self.regions(cx);
        let items = self.visible_items(cx);
        let (short, columns) = self.layout(cx);
        let highlight = self.address_of_cell().filter(|_| cx.settings.address_highlight);
        let row_context = self.row_context(cx, Some(&short));
        let search = self.typed_search.as_ref().or(self.search.as_ref());
        let drawn = RowLayout { columns, highlight, search, row_context };
        // The first rows decide on the places of the columns: titles before them would jump, and a list
        // without any has no columns.
        let hides_rows = self.filter.text().is_some() && !self.paged.rows().is_empty();
        if self.len() > 0 || self.is_filtering() || hides_rows {
            self.draw_header(header, &drawn, cx, buf);
        }
        self.draw_total(cx, buf);
        self.draw_gap(cx, buf);
        self.draw_rows(&items, &drawn, cx, buf);
        if !self.draw_row_preview(details, cx, buf) {
            self.draw_details(details, cx, buf);
        }
    }

    pub(super) fn visible_positions(&self, cx: &PaneContext<'_>) -> Range<usize> {
        let [_, rows, _] = self.regions(cx);
        self.viewport.visible(self.len(), usize::from(rows.height))
    }

    pub(super) fn visible_items(&self, cx: &PaneContext<'_>) -> Vec<Arc<dyn AnyItem>> {
        self.items_at(self.visible_positions(cx))
    }

    fn items_at(&self, positions: Range<usize>) -> Vec<Arc<dyn AnyItem>> {
        positions.filter_map(|position| self.item(position)).collect()
    }

    /// Returns the abbreviations of the visible addresses, and the placed columns.
    pub(super) fn layout(&self, cx: &PaneContext<'_>) -> (Abbreviator, Vec<PlacedColumn>) {
        let mut items = self.visible_items(cx);
        if items.is_empty() && self.filter.text().is_some() {
            // The columns keep their places while a filter hides all rows.
            let [_, rows, _] = self.regions(cx);
            let mut reader = self.reader.borrow_mut();
            let loaded = self.paged.rows().iter().take(rows.height.into());
            items.extend(loaded.filter_map(|row| reader.read(row)));
        }
        let (short, mut extent) = self.measure(&items, cx);
        extent.extend(&self.extent);
        let columns = self.kind.columns;
        let ranked = || columns.iter().position(|column| Some(column.title) == self.kind.ranked_by);
        let sorted = self.filter.order().and_then(RowOrder::column);
        if let Some(column) = sorted.or_else(ranked) {
            extent.widen(columns, column, SORT_MARK_WIDTH);
        }
        let row_cx = self.row_context(cx, Some(&short));
        extent.include(columns, &self.last_line(&row_cx));
        let columns = extent.layout(columns, table_area(cx.area, cx).width, &row_cx);
        (short, columns)
    }

    /// Measures some of the rows on a screen. Parts of a transaction have other cells below it than on their own.
    fn extent_of(
        &self,
        rows: &[&dyn AnyRow],
        screen: &[&dyn AnyRow],
        row_cx: RowContext<'_>,
    ) -> TableExtent {
        let mut extent = TableExtent::of_some(self.kind.columns, rows, screen, &row_cx);
        if self.query.is_activity() {
            let below = RowContext { is_below_part: true, ..row_cx };
            extent.extend(&TableExtent::of_some(self.kind.columns, rows, screen, &below));
        }
        extent
    }

    fn measure(
        &self,
        items: &[Arc<dyn AnyItem>],
        cx: &PaneContext<'_>,
    ) -> (Abbreviator, TableExtent) {
        let rows: Vec<_> = items.iter().filter_map(|item| item.row().ok()).collect();
        let short = Abbreviator::new(rows.iter().flat_map(|row| row.addresses()));
        let extent = self.extent_of(&rows, &rows, self.row_context(cx, Some(&short)));
        (short, extent)
    }

    /// Keeps the extent of rows that are, or were, on the screen with others, so that columns stay in
    /// place while the list is scrolled.
    pub(super) fn remember_extent(
        &mut self,
        positions: Range<usize>,
        screen: Range<usize>,
        cx: &PaneContext<'_>,
    ) {
        let items = [positions, screen].map(|positions| self.items_at(positions));
        let [rows, screen] = items
            .each_ref()
            .map(|items| items.iter().filter_map(|item| item.row().ok()).collect::<Vec<_>>());
        let short = Abbreviator::new(screen.iter().flat_map(|row| row.addresses()));
        let extent = self.extent_of(&rows, &screen, self.row_context(cx, Some(&short)));
        self.extent.extend(&extent);
    }

    /// Keeps the extent of rows found by a filter, so that columns stay in place wherever the list is
    /// scrolled to.
    pub(super) fn remember_found(&mut self, found: Range<usize>, cx: &PaneContext<'_>) {
        let found = found.start..found.end.min(MAX_MEASURED_ROWS);
        if !found.is_empty() {
            self.remember_extent(found.clone(), found, cx);
        }
    }

    fn draw_header(
        &self,
        area: Rect,
        drawn: &RowLayout<'_>,
        cx: &PaneContext<'_>,
        buf: &mut Buffer,
    ) {
        let order = self.filter.order().filter(|order| order.column().is_some());
        let ranked_by = self.kind.ranked_by.filter(|_| order.is_none());
        let titles =
            (0..).zip(self.kind.columns.iter().zip(&drawn.columns)).map(|(n, (column, placed))| {
                let sorted = order.filter(|order| order.column() == Some(n));
                let is_rank = ranked_by == Some(column.title);
                let is_age =
                    column.kind == ColumnKind::Time && cx.format.time_format == TimeFormat::Age;
                let own = is_rank.then_some(if is_age { "↑" } else { "↓" });
                let mark = sorted.map(|order| self.order_mark(order, cx)).or(own);
                let mark = mark.map(|mark| [" ", mark].concat()).unwrap_or_default();
                let width = usize::from(placed.width).saturating_sub(format::width(&mark));
                let header = column.header(&drawn.row_context, width, placed.has_units);
                let title = [&*header, &mark].concat();
                placed.title(TableCell::new(title, Role::Title), column.align)
            });
        draw_row(buf, area, titles, cx.styles);
    }

    /// Marks newer rows that are missing above the loaded ones.
    fn draw_gap(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let [header, rows, _] = self.regions(cx);
        let Some(new) = self.gap.filter(|_| header.bottom() < rows.y) else { return };
        let line = Rect { y: header.bottom(), ..header };
        draw_text(buf, line, &format!("⋯ {}", gap_text(new, cx)), cx.styles.of(Role::Warning));
    }

    fn draw_rows(
        &self,
        items: &[Arc<dyn AnyItem>],
        drawn: &RowLayout<'_>,
        cx: &PaneContext<'_>,
        buf: &mut Buffer,
    ) {
        let [_, area, _] = self.regions(cx);
        let mut above = None;
        for (n, (item, line)) in items.iter().zip(area.rows()).enumerate() {
            let is_selected = self.viewport.offset + n == self.viewport.selected;
            match item.row() {
                Ok(row) => {
                    let cells = row_cells(row, above, is_selected, drawn);
                    match self.folded_words(self.viewport.offset + n) {
                        None => draw_row(buf, line, cells, cx.styles),
                        Some(words) => {
                            self.draw_folded((&words, cells), line, drawn, (cx.styles, buf));
                        }
                    }
                    above = Some(row);
                }
                Err(why) => {
                    let keys = cx.keys.expand(list::UNREADABLE_ROW_KEYS);
                    let text = format!("{} ({keys})", ListNotice::Unreadable { why });
                    draw_text(buf, line, &text, cx.styles.of(Role::Warning));
                }
            }
            if is_selected {
                let whole = Rect { x: cx.area.x, width: cx.area.width, ..line };
                draw_selection(buf, whole, cx.styles.selection());
                let cell = self.cell_area(line, &drawn.columns);
                draw_selection(buf, cell, cx.styles.of(Role::Cell));
            }
        }
        let used = u16::try_from(items.len()).unwrap_or(u16::MAX).min(area.height);
        let rest = Rect { y: area.y + used, height: area.height - used, ..area };
        let last = self.last_line(&drawn.row_context);
        if last.is_empty() {
            return self.draw_tail(rest, cx, buf);
        }
        let columns = self.kind.columns.iter().zip(&drawn.columns);
        let cells = columns.map(|(column, placed)| {
            let own = last.iter().find(|(title, _)| *title == column.title);
            placed.cell(own.map(|(_, cell)| cell.clone()).unwrap_or_default(), column.align)
        });
        let lines = self.lines_after_rows(cx);
        let line = Rect { y: rest.y + u16::from(lines > 1), height: 1, ..rest };
        draw_row(buf, line, cells, cx.styles);
        if lines > 1 {
            let note = (self.kind.end_note)(cx.network);
            draw_text(buf, Rect { y: line.y + 1, ..line }, note, cx.styles.of(Role::Dim));
        }
    }

    /// Draws the row of several calls: their number is in place of what they differ in.
    fn draw_folded(
        &self,
        (words, cells): (&str, impl Iterator<Item = RowCell>),
        line: Rect,
        drawn: &RowLayout<'_>,
        (styles, buf): (&Styles, &mut Buffer),
    ) {
        let function = |column: &ColumnHead| column.kind == ColumnKind::TracedFunction;
        let before = self.kind.columns.iter().position(function).map_or(0, |function| function + 1);
        let placed = drawn.columns.iter().take(before);
        let shown: Vec<_> = placed.filter(|placed| placed.width > 0).collect();
        let left = shown.iter().map(|placed| placed.width + placed.gap).sum::<u16>();
        draw_row(buf, line, cells.take(shown.len()), styles);
        let rest = Rect { x: line.x + left, width: line.width.saturating_sub(left), ..line };
        draw_text(buf, rest, words, styles.of(Role::Dim));
    }

    /// Returns the lines of what the rows leave out: a blank one, the last line and a note, or on a low screen
    /// only the last line.
    pub(super) fn lines_after_rows(&self, cx: &PaneContext<'_>) -> u16 {
        let most = self.most_lines_after_rows(cx);
        let rows = u16::try_from(self.len()).unwrap_or(u16::MAX);
        // The details next to a preview are in that.
        let is_next_to_preview = cx.place == PanePlace::NextToPreview;
        let around = if is_next_to_preview { most + 1 } else { LINES_AROUND_NOTE };
        let is_low = rows.saturating_add(around) > cx.area.height;
        if is_low { most.min(1) } else { most }
    }

    /// Returns the lines of what the rows leave out on a screen that is not low.
    pub(super) fn most_lines_after_rows(&self, cx: &PaneContext<'_>) -> u16 {
        if self.last_line(&self.row_context(cx, None)).is_empty() {
            return 0;
        }
        let has_note = !(self.kind.end_note)(cx.network).is_empty();
        2 + u16::from(has_note)
    }

    /// Returns the line after the last row, if that is the last of all.
    pub(super) fn last_line(&self, row_cx: &RowContext<'_>) -> Vec<TitledCell> {
        let has_end = self.is_plain_end() && self.filter.column_order().is_none();
        if has_end { (self.kind.last_line)(row_cx) } else { Vec::new() }
    }

    /// Draws the note after the last row.
    pub(super) fn draw_tail(&self, area: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
        // What stands alone is at the same height in all lists.
        let area = if self.len() == 0 { cx.area } else { area };
        if let Some(error) = self.failure_without_rows() {
            let lacks_list = matches!(error, ApiError::Refused { status: 400 | 404 | 501, .. });
            if lacks_list && self.query.is_activity() {
                draw_text(buf, area, list::NO_ACTIVITY, cx.styles.of(Role::Dim));
                return;
            }
            let subject = matches!(self.query, Query::Token(..)).then_some("token");
            let failed = FailedRequest { error, subject, query: Some(&self.query) };
            return cx.draw_failure(&failed, area, buf);
        }
        if self.paged.rows().is_empty() && self.awaits_first_page(cx) {
            return cx.draw_wait(&self.query, area, buf);
        }
        let (words, role) = self.tail_text(area, cx);
        let is_alone = self.len() == 0 && !self.is_filtering() && role == Role::Dim;
        if is_alone && (self.is_known_empty() || self.filter.text().is_some()) {
            let hint = if self.is_known_empty() { self.hint_of_empty_list(cx) } else { "" };
            let keys = cx.keys.expand(hint);
            let lines = [(&*words, Role::Plain), ("", Role::Plain), (&*keys, Role::Dim)];
            return cx.draw_notice(area, &lines, buf);
        }
        let parts = wrapped_lines(&words, usize::from(area.width).max(2));
        for (part, line) in parts.zip(area.rows()) {
            cx.draw_message(line, part, role, buf);
        }
    }

    fn awaits_first_page(&self, cx: &PaneContext<'_>) -> bool {
        !self.is_filtering()
            && match (self.paged.tail(), self.paged.in_flight()) {
                (_, Some(InFlight::Page)) => true,
                (TailState::More(None), _) => cx.is_busy,
                _ => false,
            }
    }

    /// Returns `true` if the list is known to have no rows.
    pub(super) fn is_known_empty(&self) -> bool {
        let is_complete = *self.paged.tail() == TailState::End && self.paged.in_flight().is_none();
        is_complete && self.paged.rows().is_empty() && self.filter.text().is_none()
    }

    /// Returns the address whose transactions, or all of whose events, the list has.
    fn address_of_events(&self) -> Option<&Address> {
        match &self.query {
            Query::Address(
                address,
                AddressQuery::Transactions { .. } | AddressQuery::Activity(_),
            ) => Some(address),
            _ => None,
        }
    }

    /// Returns the content that an empty list lacks, or the keys that help.
    fn hint_of_empty_list(&self, cx: &PaneContext<'_>) -> &'static str {
        let address = match &self.query {
            _ if cx.place == PanePlace::Preview => return "",
            query if query.subject() == ListSubject::Pool => return list::POOL_IS_LIVE,
            Query::Address(address, AddressQuery::Logs)
                if cx.name_cache.has_code(address) == Some(false) =>
            {
                return list::ONLY_CONTRACTS_EMIT;
            }
            query => match (self.address_of_events(), query) {
                (Some(address), _) => address,
                (None, Query::Address(_, query)) => return row_origin(query),
                _ => return "",
            },
        };
        let is_watched = cx.name_cache.labels().is_watched(address);
        match self.address_elsewhere(cx) {
            // The header has the key of the token's page.
            _ if cx.name_cache.is_token(address) => "",
            Some(_) => list::UNKNOWN_ADDRESS_KEYS,
            None if is_watched => list::WATCHED_ADDRESS_KEYS,
            None => list::ADDRESS_KEYS,
        }
    }

    /// Returns the failure of a list that has no rows.
    pub(super) fn failure_without_rows(&self) -> Option<&ApiError> {
        match (self.paged.tail(), self.paged.in_flight()) {
            (TailState::Failed(_, error), None) if self.paged.rows().is_empty() => Some(error),
            _ => None,
        }
    }

    fn cell_area(&self, line: Rect, columns: &[PlacedColumn]) -> Rect {
        let shown = columns.iter().take(self.column).filter(|column| column.width > 0);
        let before = shown.map(|column| column.width + column.gap).sum();
        let width = columns.get(self.column).map_or(0, |column| column.width);
        Rect { x: line.x.saturating_add(before), width, ..line }.intersection(line)
    }

    fn tail_text(&self, area: Rect, cx: &PaneContext<'_>) -> (Cow<'_, str>, Role) {
        let rows = self.paged.rows().len();
        if self.is_filtering() {
            return (list::FILTERING.into(), Role::Dim);
        }
        if let Some(text) = self.narrowed_tail(cx) {
            return (text.into(), Role::Dim);
        }
        match (self.paged.tail(), self.paged.in_flight()) {
            (_, Some(InFlight::Page)) => (list::LOADING_MORE.into(), Role::Dim),
            (TailState::Failed(_, error), _) => {
                let columns = usize::from(area.width) * usize::from(area.height);
                let (text, role) = cx.failure_within(error, None, columns);
                (text.into(), role)
            }
            (TailState::More(None), _) => (cx.keys.expand(list::NOT_LOADED_YET), Role::Dim),
            (TailState::More(Some(_)), _) => {
                let loads = || cx.keys.expand(list::LOADS_MORE);
                (self.pause_text(cx).map_or_else(loads, Cow::Owned), Role::Dim)
            }
            // The position in the frame says how many there are.
            (TailState::End, _) if self.is_plain_end() => ("".into(), Role::Dim),
            (TailState::End, _) => (self.end_text(rows, cx), Role::Dim),
        }
    }

    /// Describes the memory of a list that pauses for it.
    fn pause_text(&self, cx: &PaneContext<'_>) -> Option<String> {
        let held_bytes = self.held_bytes();
        let free = &format_bytes(self.memory.question(held_bytes)?);
        let filled = &format_bytes(u64::try_from(held_bytes).unwrap_or(u64::MAX));
        let filters = self.query.filters(None);
        let can_narrow = !filters.is_empty() && filters.iter().all(|option| !option.is_set);
        let keys = if can_narrow { list::CONTINUES_OR_NARROWS } else { list::CONTINUES };
        let continues = &*cx.keys.expand(keys);
        Some(ListTail::Paused { filled, free, continues }.to_string())
    }

    /// Describes a list of which all rows are loaded.
    fn end_text(&self, rows: usize, cx: &PaneContext<'_>) -> Cow<'_, str> {
        if let Some(state) = self.state_without_block(cx).filter(|_| rows == 0) {
            return state;
        }
        let (covered, plural) = (Covered(self.paged.coverage()), self.kind.plural);
        let clears = &*cx.keys.expand(list::CLEARS_FILTER);
        let rows = Count(rows, "row");
        let tail = match (self.filter.text(), self.len()) {
            (Some(filter), 0) => ListTail::NoMatch { filter, covered, clears },
            (Some(filter), matching) => {
                ListTail::Matches { matching: Grouped(matching), rows, filter, covered }
            }
            (None, 1..) => match covered.0 {
                Some(blocks) => ListTail::EndOfBlocks { rows, blocks },
                None => ListTail::End { rows },
            },
            (None, 0) if self.is_of_erc20(cx) => return token::NO_INSTANCES.into(),
            (None, 0) if covered.0.is_none() && self.has_no_approvals() => {
                return list::NO_APPROVALS.into();
            }
            (None, 0) if matches!(self.query, Query::Block(block, BlockQuery::Transactions) if cx.name_cache.is_replaced(block)) =>
            {
                return list::REPLACED_BLOCK.into();
            }
            (None, 0) if self.query.subject() == ListSubject::Block => {
                ListTail::NoRowsInBlock { plural, covered }
            }
            (None, 0) if self.query.subject() == ListSubject::Pool => {
                ListTail::NoRows { plural: list::PENDING_TRANSACTIONS, covered }
            }
            (None, 0) => ListTail::NoRows { plural, covered },
        };
        tail.to_string().into()
    }

    /// Describes the state of the transaction that all rows would be of, if it is in no block.
    fn state_without_block(&self, cx: &PaneContext<'_>) -> Option<Cow<'static, str>> {
        let Query::Transaction(hash, _) = &self.query else { return None };
        let transaction = cx.name_cache.transaction(hash)?.parsed.as_ref().ok()?;
        match (transaction.pool_state(), transaction.outcome()) {
            (PoolState::Pending, TransactionOutcome::Pending) => Some(node::PENDING.into()),
            (PoolState::Mined(_) | PoolState::Pending, _) => None,
            _ => Some(transaction.describe_outcome().into_owned().into()),
        }
    }

    /// Returns an address that the demo chain does not have: that chain is the default, so the address may be of
    /// another one.
    pub(super) fn address_elsewhere(&self, cx: &PaneContext<'_>) -> Option<Address> {
        let address = self.address_of_events()?;
        let is_unknown = cx.network.endpoint == Endpoint::Embedded
            && self.is_known_empty()
            && cx.unused_address == Some(*address)
            && self.query.filters(None).iter().all(|option| !option.is_set);
        is_unknown.then_some(*address)
    }

    /// Returns `true` if the list is of what others may take now, and that is nothing.
    fn has_no_approvals(&self) -> bool {
        let approvals = AddressQuery::Approvals { is_history: false };
        matches!(&self.query, Query::Address(_, query) if *query == approvals)
    }

    /// Returns `true` if the list is the instances of a token that has none.
    fn is_of_erc20(&self, cx: &PaneContext<'_>) -> bool {
        matches!(&self.query, Query::Token(token, TokenQuery::Instances { .. }) if cx.name_cache.is_erc20(token))
    }

    /// Returns `true` if the line after the last row says no more than their number.
    pub(super) fn is_plain_end(&self) -> bool {
        let is_complete = *self.paged.tail() == TailState::End && self.paged.in_flight().is_none();
        let is_whole = self.filter.text().is_none() && self.paged.coverage().is_none();
        is_complete && is_whole && self.len() > 0
    }

    /// Returns the line after rows that are filtered or sorted while others are not loaded.
    fn narrowed_tail(&self, cx: &PaneContext<'_>) -> Option<String> {
        let TailState::More(Some(_)) = self.paged.tail() else { return None };
        let loaded = Count(self.paged.rows().len(), "loaded row");
        let text = if let Some(InFlight::Page) = self.paged.in_flight() {
            list::LOADING_MORE.into()
        } else if self.is_past_filter() {
            list::OLDER_DO_NOT_MATCH.into()
        } else {
            self.pause_text(cx).map_or_else(|| cx.keys.expand(list::LOADS_REST), Cow::Owned)
        };
        let rest = &*text;
        let tail = match (self.filter.text(), self.len()) {
            (None, _) => self.filter.column_order().map(|_| ListTail::Sorted { loaded, rest })?,
            (Some(filter), 0) => ListTail::NoLoadedMatch {
                filter,
                loaded: &self.loaded_text(cx),
                rest,
                clears: &cx.keys.expand(list::CLEARS_FILTER),
            },
            (Some(_), matching) => {
                ListTail::LoadedMatches { matching: Grouped(matching), loaded, rest }
            }
        };
        Some(tail.to_string())
    }

    /// Describes the loaded rows among all: `550 of 826 rows`.
    pub(super) fn loaded_text(&self, cx: &PaneContext<'_>) -> String {
        let rows = self.paged.rows().len();
        match self.counted_rows(cx).filter(|all| *all > rows) {
            Some(all) => format!("{} of {}", Grouped(rows), Count(all, "row")),
            None => Count(rows, "loaded row").to_string(),
        }
    }

    /// Describes the calls that are one row at a position. The next page may have more of those loaded last.
    pub(super) fn folded_words(&self, position: usize) -> Option<String> {
        let calls = Some(self.filter.folded(position)).filter(|calls| *calls > 1)?;
        let is_whole = !self.filter.may_grow(position) || *self.paged.tail() == TailState::End;
        let notice = if is_whole {
            ListNotice::FoldedCalls { calls: Count(calls, "call") }
        } else {
            ListNotice::FoldedCallsSoFar { calls: Grouped(calls) }
        };
        Some(notice.to_string())
    }
}

/// Returns the content of an address's list.
fn row_origin(query: &AddressQuery) -> &'static str {
    match query {
        AddressQuery::InternalTransactions { .. } => list::CALLS_THAT_PAY,
        AddressQuery::TokenTransfers { .. } => list::TOKENS_MOVED,
        AddressQuery::Tokens { .. } => list::TOKENS_HELD,
        AddressQuery::Collections { .. } => list::NFTS_HELD,
        AddressQuery::BalanceHistory => list::CHANGES_OF_BALANCE,
        AddressQuery::Withdrawals => list::VALIDATOR_PAYOUTS,
        _ => "",
    }
}

/// Returns the cells of a row. A cell of a grouped column is blank below an equal one of the same transaction,
/// unless the row is selected.
fn row_cells(
    row: &dyn AnyRow,
    above: Option<&dyn AnyRow>,
    is_selected: bool,
    drawn: &RowLayout<'_>,
) -> impl Iterator<Item = RowCell> {
    let whole = row.part_of();
    let above = above.filter(|above| above.part_of() == whole);
    let is_below_part = whole.is_some() && above.is_some();
    let row_context = RowContext { is_below_part, ..drawn.row_context };
    let equal = above.filter(|_| !is_selected);
    let columns = (0..).zip(row.kind().columns.iter().zip(&drawn.columns));
    let shown = columns.filter(|(_, (_, placed))| placed.width > 0);
    shown.map(move |(n, (column, placed))| {
        let width = placed.width.into();
        let mut cell = row.cell(n, &row_context, width);
        if let Some(equal) = equal.filter(|_| column.is_grouped)
            && equal.cell(n, &row_context, width) == cell
        {
            cell = TableCell::default();
        }
        let found = drawn.search.map(|search| search.matches_in_cell(n, &cell.text));
        cell.is_highlighted = cell.address.is_some() && cell.address == drawn.highlight;
        let matches = found.unwrap_or_default();
        RowCell { matches, ..placed.cell(cell, column.align) }
    })
}
