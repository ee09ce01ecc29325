//! Rows that are loaded page by page.

use std::collections::HashSet;
use std::hash::Hash;
use std::mem::take;
use std::sync::Arc;

use super::ItemPage;
use super::id_set::IdSet;
use crate::api::{ApiError, Cursor, Next};
use crate::chain::coverage::{BlockCoverage, MissingBlocks};
use crate::time_slice::free_in_background;

/// The rows loaded so far, and the known facts about the rest. The server sends no total.
#[derive(Debug)]
pub struct PagedRows<R: Send + Sync + 'static, Id: Send + 'static> {
    /// New rows come first and nothing else moves, so that a new first page can be put before the
    /// others. Other lists, which are sorted by value or name, are loaded again.
    newest_first: bool,
    /// Copied before a change while an export still writes them.
    rows: Arc<Vec<R>>,
    /// The number of rows that were taken out.
    taken: usize,
    /// `true` if no more rows may be put before the others.
    is_full: bool,
    tail: TailState,
    /// The blocks that the list is of. `None` if that is the whole chain.
    coverage: Option<BlockCoverage>,
    in_flight: Option<InFlight>,
    seen_ids: IdSet<Id>,
    /// The rows of the first page, to notice a server that begins again.
    first_ids: Vec<Id>,
    visited_cursors: HashSet<Cursor>,
    empty_pages: u8,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TailState {
    /// A page that is not loaded yet. `None` is the first one.
    More(Option<Cursor>),
    Failed(Option<Cursor>, ApiError),
    End,
}

/// The request in flight. There is at most one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InFlight {
    Page,
    /// The first page again, requested by the user.
    Refresh,
    /// The first page again, because the list is live.
    Poll,
    /// The first page again, for a live list whose rows stay when the page lacks them.
    Update,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageOutcome {
    /// The next page was appended, or failed to load: see [`PagedRows::tail`].
    NextPage,
    /// The first page was loaded again and has this many new rows.
    Refreshed(usize),
    /// The first page was loaded again, and does not connect to the loaded rows. It has this many
    /// new rows; none was added.
    Gap(usize),
    RefreshFailed(ApiError),
    Ignored,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// Start of the page, or `None` for the first page.
    pub cursor: Option<Cursor>,
}

/// More rows are freed on another thread: a million take hundreds of megabytes.
const MAX_ROWS_FREED_AT_ONCE: usize = 10_000;

/// Number of consecutive pages without a new row after which loading stops until the user requests
/// more.
const MAX_EMPTY_PAGES: u8 = 5;

impl<R: Clone + Send + Sync + 'static, Id: Clone + Eq + Hash + Send + 'static> PagedRows<R, Id> {
    pub fn new(newest_first: bool) -> Self {
        Self {
            newest_first,
            rows: Arc::default(),
            taken: 0,
            is_full: false,
            tail: TailState::More(None),
            coverage: None,
            in_flight: None,
            seen_ids: IdSet::default(),
            first_ids: Vec::new(),
            visited_cursors: HashSet::new(),
            empty_pages: 0,
        }
    }

    pub fn rows(&self) -> &[R] {
        &self.rows
    }

    /// Returns the rows as they are now, whatever becomes of the list.
    pub fn shared_rows(&self) -> Arc<Vec<R>> {
        Arc::clone(&self.rows)
    }

    pub fn rows_mut(&mut self) -> &mut Vec<R> {
        Arc::make_mut(&mut self.rows)
    }

    /// Keeps a live list from growing, or lets it grow again.
    pub fn set_full(&mut self, is_full: bool) {
        self.is_full = is_full;
    }

    pub fn tail(&self) -> &TailState {
        &self.tail
    }

    pub fn coverage(&self) -> Option<&BlockCoverage> {
        self.coverage.as_ref()
    }

    /// Returns `true` if there may be more rows in older blocks, which were not indexed when the last
    /// page was requested.
    pub fn ends_unindexed(&self) -> bool {
        self.tail == TailState::End
            && self.coverage().is_some_and(|blocks| blocks.older == Some(MissingBlocks::Unindexed))
    }

    pub fn in_flight(&self) -> Option<InFlight> {
        self.in_flight
    }

    /// Requests the next page. Returns `None` if a request is in flight, the last one failed, or
    /// there is no next page.
    pub fn request_next(&mut self) -> Option<PageRequest> {
        let TailState::More(cursor) = &self.tail else { return None };
        if self.in_flight.is_some() {
            return None;
        }
        self.in_flight = Some(InFlight::Page);
        Some(PageRequest { cursor: cursor.clone() })
    }

    pub fn retry(&mut self) -> Option<PageRequest> {
        let TailState::Failed(cursor, _) = &self.tail else { return None };
        self.tail = TailState::More(cursor.clone());
        self.empty_pages = 0;
        self.request_next()
    }

    /// Requests the first page again. Its new rows will be put before the loaded ones.
    pub fn refresh(&mut self) -> PageRequest {
        self.empty_pages = 0;
        self.in_flight =
            Some(if self.rows.is_empty() { InFlight::Page } else { InFlight::Refresh });
        if self.rows.is_empty() {
            self.tail = TailState::More(None);
        }
        PageRequest { cursor: None }
    }

    /// Like [`PagedRows::refresh`], but never drops loaded rows.
    pub fn poll(&mut self) -> PageRequest {
        let request = self.refresh();
        if self.in_flight == Some(InFlight::Refresh) {
            self.in_flight = Some(InFlight::Poll);
        }
        request
    }

    /// Requests the first page again, to add its new rows to the others.
    pub fn update(&mut self) -> PageRequest {
        self.in_flight = Some(InFlight::Update);
        PageRequest { cursor: None }
    }

    /// Drops all rows and requests the first page.
    pub fn reset(&mut self) -> PageRequest {
        *self = Self::new(self.newest_first);
        self.refresh()
    }

    /// Drops the request in flight.
    pub fn cancel(&mut self) {
        self.in_flight = None;
    }

    /// Adds a page. `identify` returns the identity of a row, so that a row on two pages, because rows
    /// moved meanwhile, is listed once.
    pub fn receive(
        &mut self,
        page: Result<ItemPage<R>, ApiError>,
        identify: impl Fn(&R) -> Option<Id>,
    ) -> PageOutcome {
        match (self.in_flight.take(), page) {
            (None, _) => PageOutcome::Ignored,
            (Some(InFlight::Refresh), Ok(page)) => {
                PageOutcome::Refreshed(self.prepend(page, identify))
            }
            (Some(InFlight::Poll), Ok(page)) => {
                let known = |item: &R| identify(item).is_some_and(|id| self.seen_ids.contains(&id));
                if !self.is_full && page.items.iter().any(known) {
                    return PageOutcome::Refreshed(self.prepend(page, identify));
                }
                PageOutcome::Gap(page.items.len())
            }
            (Some(InFlight::Update), Ok(page)) => self.merge(page, identify),
            (Some(InFlight::Refresh | InFlight::Poll | InFlight::Update), Err(error)) => {
                PageOutcome::RefreshFailed(error)
            }
            (Some(InFlight::Page), Ok(page)) => {
                self.append(page, identify);
                PageOutcome::NextPage
            }
            (Some(InFlight::Page), Err(error)) => {
                if let TailState::More(cursor) = &self.tail {
                    self.tail = TailState::Failed(cursor.clone(), error);
                }
                PageOutcome::NextPage
            }
        }
    }

    fn append(&mut self, page: ItemPage<R>, identify: impl Fn(&R) -> Option<Id>) {
        self.coverage = page.coverage;
        let before = self.rows.len();
        let identities: Vec<Option<Id>> = page.items.iter().map(identify).collect();
        // Repeated rows within one page are all kept: only rows that moved between pages are
        // duplicates.
        let is_new = |id: &Option<Id>| id.as_ref().is_none_or(|id| !self.seen_ids.contains(id));
        let items = page.items.into_iter().zip(&identities).filter(|(_, id)| is_new(id));
        Arc::make_mut(&mut self.rows).extend(items.map(|(item, _)| item));
        self.empty_pages = if self.rows.len() == before { self.empty_pages + 1 } else { 0 };
        let ids: Vec<Id> = identities.into_iter().flatten().collect();
        let begins_again = !ids.is_empty() && ids == self.first_ids;
        if self.visited_cursors.is_empty() {
            self.first_ids.clone_from(&ids);
        }
        self.seen_ids.extend(ids);
        self.tail = match page.next {
            Next::Page(cursor) if begins_again => {
                let rows = self.taken + self.rows.len();
                TailState::Failed(Some(cursor), ApiError::FirstPageAgain { rows })
            }
            next => self.tail_after(next),
        };
    }

    /// Puts a first page before the rows that it does not replace. Returns the number of new rows.
    fn prepend(&mut self, page: ItemPage<R>, identify: impl Fn(&R) -> Option<Id>) -> usize {
        let fresh: HashSet<Id> = page.items.iter().filter_map(&identify).collect();
        let new = fresh.iter().filter(|id| !self.seen_ids.contains(*id)).count();
        let last = self.last_of(&fresh, &identify).filter(|_| self.newest_first);
        let Some(last) = last.filter(|_| !self.ends_unindexed()) else {
            // After a gap, or in another order, the loaded rows do not follow this page; or there are
            // more of them by now.
            *self = Self::new(self.newest_first);
            self.append(page, identify);
            return new;
        };
        // A dropped row may appear again further down.
        let gone: Vec<Id> = self.rows.iter().take(last + 1).filter_map(&identify).collect();
        for id in &gone {
            self.seen_ids.remove(id);
        }
        self.first_ids = page.items.iter().filter_map(identify).collect();
        self.coverage = page.coverage;
        self.rows_mut().splice(..=last, page.items);
        self.seen_ids.extend(fresh);
        new
    }

    /// Adds a first page, in its order, to rows that it may lack.
    fn merge(&mut self, page: ItemPage<R>, identify: impl Fn(&R) -> Option<Id>) -> PageOutcome {
        let fresh: HashSet<Id> = page.items.iter().filter_map(&identify).collect();
        let new = fresh.iter().filter(|id| !self.seen_ids.contains(*id)).count();
        if self.rows.is_empty() {
            *self = Self::new(self.newest_first);
            self.append(page, identify);
            return PageOutcome::Refreshed(new);
        }
        let is_whole = page.next == Next::End;
        let last = self.last_of(&fresh, &identify).map(|last| last + 1);
        let end = if is_whole { Some(self.rows.len()) } else { last };
        let Some(end) = end.filter(|_| !self.is_full) else {
            return PageOutcome::Gap(page.items.len());
        };
        if is_whole {
            self.tail = TailState::End;
        }
        let mut before = take(self.rows_mut());
        let older = before.split_off(end);
        let rows = Arc::make_mut(&mut self.rows);
        let mut items = page.items.into_iter().peekable();
        let mut placed = HashSet::new();
        for row in before {
            let Some(id) = identify(&row) else { continue }; // the page has it again
            let is_new = |item: &R| identify(item).is_none_or(|id| !self.seen_ids.contains(&id));
            while let Some(item) = items.next_if(is_new) {
                rows.push(item);
            }
            if !fresh.contains(&id) {
                rows.push(row);
                continue;
            }
            while !placed.contains(&id) {
                let Some(item) = items.next() else { break };
                placed.extend(identify(&item));
                rows.push(item);
            }
        }
        rows.extend(items.chain(older));
        self.seen_ids.extend(fresh);
        PageOutcome::Refreshed(new)
    }

    /// Returns the place of the last row with one of these ids. They are near the start, however long the
    /// list is.
    fn last_of(&self, ids: &HashSet<Id>, identify: impl Fn(&R) -> Option<Id>) -> Option<usize> {
        let mut missing: HashSet<&Id> =
            ids.iter().filter(|id| self.seen_ids.contains(*id)).collect();
        let mut last = None;
        for (place, row) in self.rows.iter().enumerate() {
            let id = identify(row).filter(|id| ids.contains(id));
            if missing.is_empty() && id.is_none() {
                break;
            }
            if let Some(id) = id {
                missing.remove(&id);
                last = Some(place);
            }
        }
        last
    }

    fn tail_after(&mut self, next: Next) -> TailState {
        match next {
            Next::End => TailState::End,
            Next::Invalid(why) => TailState::Failed(None, ApiError::InvalidResponse { why }),
            Next::Page(cursor) if self.empty_pages >= MAX_EMPTY_PAGES => {
                TailState::Failed(Some(cursor), ApiError::EmptyPages { pages: self.empty_pages })
            }
            Next::Page(cursor) if self.visited_cursors.insert(cursor.clone()) => {
                TailState::More(Some(cursor))
            }
            Next::Page(cursor) => {
                let rows = self.taken + self.rows.len();
                TailState::Failed(Some(cursor), ApiError::CursorLoop { rows })
            }
        }
    }

    /// Takes the rows out, for a caller that needs each of them once.
    pub fn take_rows(&mut self) -> Vec<R> {
        self.taken += self.rows.len();
        take(self.rows_mut())
    }

    /// Returns `true` if the last pages had no new row but there are more, so that the next one should
    /// be requested at once.
    pub fn is_skipping_empty_pages(&self) -> bool {
        self.empty_pages > 0 && matches!(self.tail, TailState::More(_))
    }
}

impl<R: Send + Sync + 'static, Id: Send + 'static> Drop for PagedRows<R, Id> {
    fn drop(&mut self) {
        if self.rows.len() > MAX_ROWS_FREED_AT_ONCE {
            free_in_background((take(&mut self.rows), take(&mut self.seen_ids)));
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Sender, channel};
    use std::thread::{self, ThreadId};

    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;
    use crate::api::{Item, Page};
    use crate::sanitize::SafeText;

    type List = PagedRows<Arc<Item<u64>>, u64>;

    fn item(n: u64) -> Arc<Item<u64>> {
        let raw = Arc::from(RawValue::from_string(n.to_string()).unwrap());
        Arc::new(Item { parsed: Ok(n), raw })
    }

    fn cursor(n: u64) -> Cursor {
        Cursor::from_json(&RawValue::from_string(format!("{{\"at\":{n}}}")).unwrap(), None).unwrap()
    }

    fn page(rows: impl IntoIterator<Item = u64>, next: Option<u64>) -> Page<u64> {
        let next = next.map_or(Next::End, |n| Next::Page(cursor(n)));
        let items = rows.into_iter().map(item).collect();
        Page { items, left_out: 0, bytes: 0, next, coverage: None }
    }

    fn receive(list: &mut List, page: Result<Page<u64>, ApiError>) {
        list.receive(page, |item| item.parsed.clone().ok());
    }

    fn rows(list: &List) -> Vec<u64> {
        list.rows().iter().map(|item| item.parsed.clone().unwrap()).collect()
    }

    #[test]
    fn loading_stops_after_five_pages_without_new_rows() {
        let mut list = List::new(false);
        assert!(!list.is_skipping_empty_pages());
        for n in 0..5 {
            assert!(list.request_next().is_some(), "{n}");
            receive(&mut list, Ok(page([], Some(n))));
        }
        let pages = ApiError::EmptyPages { pages: 5 };
        assert_eq!(*list.tail(), TailState::Failed(Some(cursor(4)), pages));
        assert!(list.retry().is_some());
        receive(&mut list, Ok(page([], Some(5))));
        assert!(list.is_skipping_empty_pages(), "it counts again");
    }

    #[derive(Clone)]
    struct ReportsItemDrop(Sender<ThreadId>);

    impl Drop for ReportsItemDrop {
        fn drop(&mut self) {
            self.0.send(thread::current().id()).unwrap();
        }
    }

    #[test]
    fn many_rows_are_freed_on_another_thread() {
        for (rows, is_here) in [(3, true), (MAX_ROWS_FREED_AT_ONCE + 1, false)] {
            let (sender, freed_on) = channel();
            let mut list = PagedRows::<ReportsItemDrop, u64>::new(true);
            list.rows_mut().extend((0..rows).map(|_| ReportsItemDrop(sender.clone())));
            drop((list, sender));
            let threads: Vec<ThreadId> = freed_on.iter().collect();
            assert_eq!(threads.len(), rows);
            assert!(threads.iter().all(|id| (*id == thread::current().id()) == is_here));
        }
    }

    #[test]
    fn shared_rows_stay_as_they_were() {
        let mut list = loaded([2, 1], Some(1));
        let shared = list.shared_rows();
        list.request_next();
        receive(&mut list, Ok(page([0], None)));
        list.update();
        receive(&mut list, Ok(page([3, 2], None)));
        let numbers: Vec<u64> = shared.iter().map(|item| item.parsed.clone().unwrap()).collect();
        assert_eq!((numbers, rows(&list)), (vec![2, 1], vec![3, 2, 1, 0]));
    }

    #[test]
    fn overlapping_pages_are_merged() {
        let mut list = List::new(true);
        assert_eq!(list.request_next(), Some(PageRequest { cursor: None }));
        assert_eq!(list.request_next(), None, "one page at a time");
        assert_eq!(list.in_flight(), Some(InFlight::Page));
        receive(&mut list, Ok(page([1, 2], Some(2))));
        assert_eq!(list.in_flight(), None);
        assert_eq!(list.request_next(), Some(PageRequest { cursor: Some(cursor(2)) }));
        receive(&mut list, Ok(page([2, 3], None)));
        assert_eq!(rows(&list), [1, 2, 3], "a row on both pages is listed once");
        assert_eq!(list.tail(), &TailState::End);
        assert_eq!(list.request_next(), None);
    }

    #[test]
    fn rows_repeated_within_a_page_are_kept() {
        assert_eq!(rows(&loaded([1, 1, 2], None)), [1, 1, 2]);
    }

    #[test]
    fn updates_keep_the_rows_that_they_lack() {
        let whole = None;
        for (before, updated, next, after) in [
            (vec![3, 2, 1], vec![4, 3, 1], whole, vec![4, 3, 2, 1]),
            (vec![3, 2, 1], vec![], whole, vec![3, 2, 1]),
            (vec![3, 2, 1], vec![5, 4], whole, vec![5, 4, 3, 2, 1]),
            (vec![3, 2, 1], vec![1, 2, 3], whole, vec![1, 2, 3]),
            (vec![3, 2, 1], vec![4, 2], Some(2), vec![4, 3, 2, 1]),
            (vec![], vec![2, 1], Some(1), vec![2, 1]),
        ] {
            let mut list = loaded(before.clone(), Some(9));
            list.update();
            receive(&mut list, Ok(page(updated.clone(), next)));
            assert_eq!(rows(&list), after, "{before:?} and {updated:?}");
            assert_eq!(*list.tail() == TailState::End, next.is_none(), "{updated:?}");
        }
        let mut list = loaded([3, 2], Some(2));
        list.update();
        let outcome = list.receive(Ok(page([9, 8], Some(8))), |item| item.parsed.clone().ok());
        assert_eq!((outcome, rows(&list)), (PageOutcome::Gap(2), vec![3, 2]));
    }

    #[test]
    fn failed_page_keeps_the_rows_and_can_be_retried() {
        let mut list = List::new(true);
        list.request_next();
        receive(&mut list, Ok(page([1], Some(1))));
        list.request_next();
        receive(&mut list, Err(ApiError::TimedOut { seconds: 1 }));
        assert_eq!(rows(&list), [1]);
        assert_eq!(list.request_next(), None, "not by itself");
        assert_eq!(list.retry(), Some(PageRequest { cursor: Some(cursor(1)) }));
    }

    #[test]
    fn repeated_cursor_is_an_error() {
        let mut list = List::new(true);
        for (n, next) in [(1, 10), (2, 20), (3, 10)] {
            list.request_next();
            receive(&mut list, Ok(page([n], Some(next))));
        }
        assert_eq!(rows(&list), [1, 2, 3]);
        assert!(matches!(list.tail(), TailState::Failed(_, ApiError::CursorLoop { rows: 3 })));
    }

    #[test]
    fn first_page_again_is_an_error() {
        let mut list = List::new(true);
        for (rows, next) in [([1, 2], 10), ([3, 4], 20), ([1, 2], 30)] {
            list.request_next();
            receive(&mut list, Ok(page(rows, Some(next))));
            list.take_rows();
        }
        let again = ApiError::FirstPageAgain { rows: 4 };
        assert_eq!(list.tail(), &TailState::Failed(Some(cursor(30)), again));
    }

    #[test]
    fn rows_taken_out_count_in_a_repeated_cursor() {
        let mut list = List::new(true);
        for n in [1, 2] {
            list.request_next();
            receive(&mut list, Ok(page([n], Some(7))));
            list.take_rows();
        }
        assert!(matches!(list.tail(), TailState::Failed(_, ApiError::CursorLoop { rows: 2 })));
    }

    #[test]
    fn full_live_list_does_not_grow() {
        let mut list = loaded([2, 1], Some(1));
        list.set_full(true);
        list.poll();
        let polled = list.receive(Ok(page([3, 2], None)), |item| item.parsed.clone().ok());
        assert_eq!((polled, rows(&list)), (PageOutcome::Gap(2), vec![2, 1]));
    }

    fn loaded(rows: impl IntoIterator<Item = u64>, next: Option<u64>) -> List {
        let mut list = List::new(true);
        list.request_next();
        receive(&mut list, Ok(page(rows, next)));
        list
    }

    #[test]
    fn full_list_is_not_updated() {
        let mut list = loaded([2, 1], Some(1));
        list.set_full(true);
        list.update();
        let updated = list.receive(Ok(page([3, 2], None)), |item| item.parsed.clone().ok());
        assert_eq!((updated, rows(&list)), (PageOutcome::Gap(2), vec![2, 1]));
    }

    #[test]
    fn row_that_was_gone_is_new_again() {
        let mut list = loaded([3, 2, 1], None);
        let mut refreshed = |rows: &[u64]| {
            list.refresh();
            let answer = page(rows.iter().copied(), Some(9));
            list.receive(Ok(answer), |item| item.parsed.clone().ok())
        };
        assert_eq!(refreshed(&[4, 2]), PageOutcome::Refreshed(1));
        assert_eq!(refreshed(&[3, 4, 2]), PageOutcome::Refreshed(1));
    }

    #[test]
    fn refresh_prepends_new_rows() {
        let mut list = loaded([5, 4, 3, 2, 1], Some(1));
        assert_eq!(list.refresh(), PageRequest { cursor: None });
        assert_eq!(rows(&list), [5, 4, 3, 2, 1], "until the answer is there");
        let arrived =
            list.receive(Ok(page([7, 6, 5, 3], Some(9))), |item| item.parsed.clone().ok());
        assert_eq!(arrived, PageOutcome::Refreshed(2));
        assert_eq!(rows(&list), [7, 6, 5, 3, 2, 1], "4 is gone: it was reorganised away");
        assert_eq!(
            list.request_next(),
            Some(PageRequest { cursor: Some(cursor(1)) }),
            "and goes on where it was"
        );
    }

    #[test]
    fn refresh_across_a_gap_restarts_the_list() {
        let mut list = loaded([2, 1], None);
        list.refresh();
        let arrived = list.receive(Ok(page([9, 8], Some(8))), |item| item.parsed.clone().ok());
        assert_eq!((arrived, rows(&list)), (PageOutcome::Refreshed(2), vec![9, 8]));
        assert_eq!(list.tail(), &TailState::More(Some(cursor(8))));
    }

    #[test]
    fn list_that_ends_where_blocks_are_unread_is_loaded_again() {
        let older = Some(MissingBlocks::Unindexed);
        let covered = BlockCoverage { first_block: 5, last_block: 9, unreadable: 0, older };
        let mut list = List::new(true);
        list.request_next();
        receive(&mut list, Ok(Page { coverage: Some(covered), ..page([2, 1], None) }));
        assert!(list.ends_unindexed());
        list.refresh();
        receive(&mut list, Ok(page([2, 1], Some(7))));
        assert_eq!((rows(&list), list.ends_unindexed()), (vec![2, 1], false));
        assert_eq!(list.tail(), &TailState::More(Some(cursor(7))), "there are more by now");
    }

    #[test]
    fn polling_never_drops_rows() {
        let mut list = loaded([2, 1], None);
        list.poll();
        let arrived = list.receive(Ok(page([9, 8], Some(8))), |item| item.parsed.clone().ok());
        assert_eq!((arrived, rows(&list)), (PageOutcome::Gap(2), vec![2, 1]));
        assert_eq!(list.tail(), &TailState::End);
    }

    #[test]
    fn list_in_another_order_is_loaded_again() {
        let mut list = List::new(false);
        list.request_next();
        receive(&mut list, Ok(page([5, 4, 3], Some(3))));
        list.request_next();
        receive(&mut list, Ok(page([2, 1], None)));
        list.refresh();
        receive(&mut list, Ok(page([1, 5, 4], Some(4)))); // 1 has risen in value
        assert_eq!(rows(&list), [1, 5, 4]);
        list.request_next();
        receive(&mut list, Ok(page([3, 2], None)));
        assert_eq!(rows(&list), [1, 5, 4, 3, 2], "nothing is lost");
    }

    #[test]
    fn failed_refresh_keeps_the_rows() {
        let mut list = loaded([2, 1], None);
        list.refresh();
        let error = ApiError::TimedOut { seconds: 1 };
        let arrived = list.receive(Err(error.clone()), |item| item.parsed.clone().ok());
        assert_eq!((arrived, rows(&list)), (PageOutcome::RefreshFailed(error), vec![2, 1]));
        assert_eq!(list.tail(), &TailState::End);
    }

    #[test]
    fn invalid_cursor_is_an_error() {
        let mut list = List::new(true);
        list.request_next();
        let next = Next::Invalid(SafeText::new("expected an object, found []"));
        receive(&mut list, Ok(Page { next, ..page([1], None) }));
        assert_eq!(rows(&list), [1]);
        assert!(matches!(list.tail(), TailState::Failed(None, ApiError::InvalidResponse { .. })));
    }

    proptest! {
        #[test]
        fn at_most_one_request_is_in_flight(steps in proptest::collection::vec(0u8..6, 0..60)) {
            let mut list = List::new(true);
            let mut is_under_way = false;
            let mut n = 0;
            for step in steps {
                let asked = match step {
                    0 => list.request_next(),
                    1 => list.retry(),
                    2 => { is_under_way = false; Some(list.refresh()) }
                    3 => { list.cancel(); is_under_way = false; None }
                    4 if std::mem::take(&mut is_under_way) => {
                        n += 1;
                        receive(&mut list, Ok(page([n], Some(n))));
                        None
                    }
                    5 if std::mem::take(&mut is_under_way) => {
                        receive(&mut list, Err(ApiError::TimedOut { seconds: 1 }));
                        None
                    }
                    _ => None,
                };
                if asked.is_some() {
                    prop_assert!(!is_under_way, "a second request");
                    is_under_way = true;
                }
            }
        }
    }
}
