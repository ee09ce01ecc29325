//! Rows that arrive page by page.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use super::{ApiError, Cursor, Item, Next, Page};

/// The rows of a list so far, and what is known of the rest. The server gives no total.
#[derive(Debug)]
pub struct PagedRows<T, Id> {
    /// New rows come at the top and nothing else moves, so that a fresh first page can be put before
    /// the others. Lists by worth or by name are read anew instead.
    newest_first: bool,
    rows: Vec<Arc<Item<T>>>,
    tail: TailState,
    in_flight: Option<InFlight>,
    epoch: u32,
    seen_ids: HashSet<Id>,
    visited_cursors: HashSet<Cursor>,
    /// Pages in a row that held nothing new.
    empty_pages: u8,
}

/// What comes after the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum TailState {
    /// A page that has not come yet.
    More(Option<Cursor>),
    /// A page that did not come.
    Failed(Option<Cursor>, ApiError),
    /// Nothing.
    End,
}

/// The request that is under way: never more than one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum InFlight {
    /// The page after the rows.
    Page,
    /// The first page once more, because the user asked for it.
    Refresh,
    /// The first page once more, because the list is followed.
    Poll,
}

/// What an answer brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum PageOutcome {
    /// The page after the rows, or word that it did not come: the tail says.
    Appended,
    /// The first page once more, with so many rows that were not there before.
    Refreshed(usize),
    /// The first page once more, and between it and the rows there are others: so many are new at
    /// least, and the rows are as they were.
    Gap(usize),
    /// The first page did not come once more; the rows are as they were.
    RefreshFailed(ApiError),
    /// Nobody waited for it.
    Ignored,
}

/// A page that is to be asked for now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct PageRequest {
    /// Where it starts; none for the first.
    pub cursor: Option<Cursor>,
}

/// Empty pages with a cursor that are followed in a row before the user is asked.
const MAX_EMPTY_PAGES: u8 = 5;

impl<T, Id> Default for PagedRows<T, Id> {
    fn default() -> Self {
        Self {
            newest_first: true,
            rows: Vec::new(),
            tail: TailState::More(None),
            in_flight: None,
            epoch: 0,
            seen_ids: HashSet::new(),
            visited_cursors: HashSet::new(),
            empty_pages: 0,
        }
    }
}

impl<T, Id: Eq + Hash> PagedRows<T, Id> {
    /// A list in an order of this kind.
    pub fn new(newest_first: bool) -> Self {
        Self { newest_first, ..Self::default() }
    }

    /// The rows so far.
    pub fn rows(&self) -> &[Arc<Item<T>>] {
        &self.rows
    }

    /// What comes after them.
    pub fn tail(&self) -> &TailState {
        &self.tail
    }

    /// What was asked for and has not come yet.
    pub fn in_flight(&self) -> Option<InFlight> {
        self.in_flight
    }

    /// The count of fresh starts: answers to requests of earlier ones do not count.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Starts on the next page, unless something is under way, it failed, or there is none.
    pub fn request_next(&mut self) -> Option<PageRequest> {
        let TailState::More(cursor) = &self.tail else { return None };
        if self.in_flight.is_some() {
            return None;
        }
        self.in_flight = Some(InFlight::Page);
        Some(PageRequest { cursor: cursor.clone() })
    }

    /// After a failure: the same page again.
    pub fn retry(&mut self) -> Option<PageRequest> {
        let TailState::Failed(cursor, _) = &self.tail else { return None };
        self.tail = TailState::More(cursor.clone());
        self.empty_pages = 0;
        self.request_next()
    }

    /// The first page once more; the rows stay, and what is new is put before them.
    pub fn refresh(&mut self) -> PageRequest {
        self.epoch += 1;
        self.empty_pages = 0;
        self.in_flight =
            Some(if self.rows.is_empty() { InFlight::Page } else { InFlight::Refresh });
        if self.rows.is_empty() {
            self.tail = TailState::More(None);
        }
        PageRequest { cursor: None }
    }

    /// The first page once more, but rows are never taken away for it.
    pub fn poll(&mut self) -> PageRequest {
        let ask = self.refresh();
        if self.in_flight == Some(InFlight::Refresh) {
            self.in_flight = Some(InFlight::Poll);
        }
        ask
    }

    /// From nothing: another list.
    pub fn reset(&mut self) -> PageRequest {
        *self = Self { epoch: self.epoch, ..Self::new(self.newest_first) };
        self.refresh()
    }

    /// Nobody waits for the answer any more.
    pub fn cancel(&mut self) {
        if self.in_flight.take().is_some() {
            self.epoch += 1;
        }
    }

    /// Takes a page in. `identify` names a row, so that one that is on two pages (lists move while
    /// they are read) stands once.
    pub fn receive(
        &mut self,
        page: Result<Page<T>, ApiError>,
        identify: impl Fn(&Item<T>) -> Option<Id>,
    ) -> PageOutcome {
        match (self.in_flight.take(), page) {
            (None, _) => PageOutcome::Ignored,
            (Some(InFlight::Refresh), Ok(page)) => {
                PageOutcome::Refreshed(self.prepend(page, identify))
            }
            (Some(InFlight::Poll), Ok(page)) => {
                let known = |item: &Arc<Item<T>>| {
                    identify(item).is_some_and(|id| self.seen_ids.contains(&id))
                };
                if page.items.iter().any(known) {
                    return PageOutcome::Refreshed(self.prepend(page, identify));
                }
                PageOutcome::Gap(page.items.len())
            }
            (Some(InFlight::Refresh | InFlight::Poll), Err(error)) => {
                PageOutcome::RefreshFailed(error)
            }
            (Some(InFlight::Page), Ok(page)) => {
                self.append(page, identify);
                PageOutcome::Appended
            }
            (Some(InFlight::Page), Err(error)) => {
                if let TailState::More(cursor) = &self.tail {
                    self.tail = TailState::Failed(cursor.clone(), error);
                }
                PageOutcome::Appended
            }
        }
    }

    fn append(&mut self, page: Page<T>, identify: impl Fn(&Item<T>) -> Option<Id>) {
        let before = self.rows.len();
        let ids: Vec<Id> = page.items.iter().filter_map(|item| identify(item)).collect();
        // Only rows of earlier pages are repeated by a list that moved; what one page says twice, it
        // means.
        let is_new =
            |item: &Arc<Item<T>>| identify(item).is_none_or(|id| !self.seen_ids.contains(&id));
        self.rows.extend(page.items.into_iter().filter(is_new));
        self.seen_ids.extend(ids);
        self.empty_pages = if self.rows.len() == before { self.empty_pages + 1 } else { 0 };
        self.tail = self.tail_after(page.next);
    }

    /// Puts a first page before the rows that it does not replace; how many of its rows are new.
    fn prepend(&mut self, page: Page<T>, identify: impl Fn(&Item<T>) -> Option<Id>) -> usize {
        let fresh: HashSet<Id> = page.items.iter().filter_map(|item| identify(item)).collect();
        let is_fresh = |item: &Arc<Item<T>>| identify(item).is_some_and(|id| fresh.contains(&id));
        let new = fresh.iter().filter(|id| !self.seen_ids.contains(*id)).count();
        let last = self.rows.iter().rposition(is_fresh).filter(|_| self.newest_first);
        let Some(last) = last else {
            // A gap, or another order: what is below is no longer what follows.
            *self = Self { epoch: self.epoch, ..Self::new(self.newest_first) };
            self.append(page, identify);
            return new;
        };
        // A row that is gone may come again further down.
        let gone: Vec<Id> =
            self.rows.iter().take(last + 1).filter_map(|item| identify(item)).collect();
        for id in &gone {
            self.seen_ids.remove(id);
        }
        let mut rows = page.items;
        rows.extend(self.rows.drain(last + 1..).filter(|item| !is_fresh(item)));
        self.rows = rows;
        self.seen_ids.extend(fresh);
        new
    }

    fn tail_after(&mut self, next: Next) -> TailState {
        match next {
            Next::End => TailState::End,
            Next::Invalid(why) => TailState::Failed(None, ApiError::InvalidResponse(why)),
            Next::Page(cursor) if self.empty_pages >= MAX_EMPTY_PAGES => {
                TailState::Failed(Some(cursor), ApiError::EmptyPages { pages: self.empty_pages })
            }
            Next::Page(cursor) if self.visited_cursors.insert(cursor.clone()) => {
                TailState::More(Some(cursor))
            }
            Next::Page(cursor) => {
                TailState::Failed(Some(cursor), ApiError::CursorLoop { rows: self.rows.len() })
            }
        }
    }

    /// Hands the rows over, for a reader who does not come back to them.
    pub fn take_rows(&mut self) -> Vec<Arc<Item<T>>> {
        std::mem::take(&mut self.rows)
    }

    /// Whether the last pages held nothing new but more are promised, so that the next one should be
    /// fetched without waiting for the user.
    pub fn is_skipping_empty_pages(&self) -> bool {
        self.empty_pages > 0 && matches!(self.tail, TailState::More(_))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;
    use crate::sanitize::SafeText;

    type List = PagedRows<u64, u64>;

    fn item(n: u64) -> Arc<Item<u64>> {
        let raw = Arc::from(RawValue::from_string(n.to_string()).unwrap());
        Arc::new(Item { parsed: Ok(n), raw })
    }

    fn cursor(n: u64) -> Cursor {
        Cursor::from_json(&RawValue::from_string(format!("{{\"at\":{n}}}")).unwrap(), None).unwrap()
    }

    fn page(rows: impl IntoIterator<Item = u64>, next: Option<u64>) -> Page<u64> {
        let next = next.map_or(Next::End, |n| Next::Page(cursor(n)));
        Page { items: rows.into_iter().map(item).collect(), next }
    }

    fn receive(list: &mut List, page: Result<Page<u64>, ApiError>) {
        list.receive(page, |item| item.parsed.clone().ok());
    }

    fn rows(list: &List) -> Vec<u64> {
        list.rows().iter().map(|item| item.parsed.clone().unwrap()).collect()
    }

    #[test]
    fn pages_follow_each_other_once() {
        let mut list = List::default();
        assert_eq!(list.request_next(), Some(PageRequest { cursor: None }));
        assert_eq!(list.request_next(), None, "one page at a time");
        receive(&mut list, Ok(page([1, 2], Some(2))));
        assert_eq!(list.request_next(), Some(PageRequest { cursor: Some(cursor(2)) }));
        receive(&mut list, Ok(page([2, 3], None)));
        assert_eq!(rows(&list), [1, 2, 3], "a row that is on both pages stands once");
        assert_eq!(list.tail(), &TailState::End);
        assert_eq!(list.request_next(), None);
    }

    #[test]
    fn what_one_page_says_twice_stands_twice() {
        assert_eq!(rows(&loaded([1, 1, 2], None)), [1, 1, 2]);
    }

    #[test]
    fn a_failed_page_keeps_the_others_and_is_tried_again() {
        let mut list = List::default();
        list.request_next();
        receive(&mut list, Ok(page([1], Some(1))));
        list.request_next();
        receive(&mut list, Err(ApiError::TimedOut { seconds: 1 }));
        assert_eq!(rows(&list), [1]);
        assert_eq!(list.request_next(), None, "not by itself");
        assert_eq!(list.retry(), Some(PageRequest { cursor: Some(cursor(1)) }));
    }

    #[test]
    fn a_cursor_that_comes_again_ends_the_list_with_a_word() {
        let mut list = List::default();
        for (n, next) in [(1, 10), (2, 20), (3, 10)] {
            list.request_next();
            receive(&mut list, Ok(page([n], Some(next))));
        }
        assert_eq!(rows(&list), [1, 2, 3]);
        assert!(matches!(list.tail(), TailState::Failed(_, ApiError::CursorLoop { rows: 3 })));
    }

    fn loaded(rows: impl IntoIterator<Item = u64>, next: Option<u64>) -> List {
        let mut list = List::default();
        list.request_next();
        receive(&mut list, Ok(page(rows, next)));
        list
    }

    #[test]
    fn a_refresh_puts_what_is_new_before_the_rows_and_keeps_the_rest() {
        let mut list = loaded([5, 4, 3, 2, 1], Some(1));
        let epoch = list.epoch();
        assert_eq!(list.refresh(), PageRequest { cursor: None });
        assert!(list.epoch() > epoch);
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
    fn a_refresh_across_a_gap_starts_anew() {
        let mut list = loaded([2, 1], None);
        list.refresh();
        let arrived = list.receive(Ok(page([9, 8], Some(8))), |item| item.parsed.clone().ok());
        assert_eq!((arrived, rows(&list)), (PageOutcome::Refreshed(2), vec![9, 8]));
        assert_eq!(list.tail(), &TailState::More(Some(cursor(8))));
    }

    #[test]
    fn following_never_takes_rows_away() {
        let mut list = loaded([2, 1], None);
        list.poll();
        let arrived = list.receive(Ok(page([9, 8], Some(8))), |item| item.parsed.clone().ok());
        assert_eq!((arrived, rows(&list)), (PageOutcome::Gap(2), vec![2, 1]));
        assert_eq!(list.tail(), &TailState::End);
    }

    #[test]
    fn a_list_in_another_order_is_read_anew() {
        let mut list = List::new(false);
        list.request_next();
        receive(&mut list, Ok(page([5, 4, 3], Some(3))));
        list.request_next();
        receive(&mut list, Ok(page([2, 1], None)));
        list.refresh();
        receive(&mut list, Ok(page([1, 5, 4], Some(4)))); // 1 has become worth more
        assert_eq!(rows(&list), [1, 5, 4]);
        list.request_next();
        receive(&mut list, Ok(page([3, 2], None)));
        assert_eq!(rows(&list), [1, 5, 4, 3, 2], "nothing is lost");
    }

    #[test]
    fn a_refresh_that_fails_changes_nothing() {
        let mut list = loaded([2, 1], None);
        list.refresh();
        let error = ApiError::TimedOut { seconds: 1 };
        let arrived = list.receive(Err(error.clone()), |item| item.parsed.clone().ok());
        assert_eq!((arrived, rows(&list)), (PageOutcome::RefreshFailed(error), vec![2, 1]));
        assert_eq!(list.tail(), &TailState::End);
    }

    #[test]
    fn a_cursor_that_is_none_is_said() {
        let mut list = List::default();
        list.request_next();
        let next = Next::Invalid(SafeText::new("expected an object, found []"));
        receive(&mut list, Ok(Page { items: vec![item(1)], next }));
        assert_eq!(rows(&list), [1]);
        assert!(matches!(list.tail(), TailState::Failed(None, ApiError::InvalidResponse(_))));
    }

    proptest! {
        #[test]
        fn never_two_pages_under_way(steps in proptest::collection::vec(0u8..6, 0..60)) {
            let mut list = List::default();
            let mut under_way: Option<u32> = None; // the epoch that waits for an answer
            let mut n = 0;
            for step in steps {
                let asked = match step {
                    0 => list.request_next(),
                    1 => list.retry(),
                    2 => { under_way = None; Some(list.refresh()) }
                    3 => { list.cancel(); under_way = None; None }
                    4 if under_way.take() == Some(list.epoch()) => {
                        n += 1;
                        receive(&mut list, Ok(page([n], Some(n))));
                        None
                    }
                    5 if under_way.take() == Some(list.epoch()) => {
                        receive(&mut list, Err(ApiError::TimedOut { seconds: 1 }));
                        None
                    }
                    _ => None,
                };
                if asked.is_some() {
                    prop_assert_eq!(under_way, None, "a second request for one epoch");
                    under_way = Some(list.epoch());
                }
            }
        }
    }
}
