//! Rows that arrive page by page.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use crate::api::{ApiError, Cursor, Item, Next, Page};

/// The rows of a list so far, and what is known of the rest. The server gives no total.
#[derive(Debug)]
pub struct Paged<T, Id> {
    /// New rows come at the top and nothing else moves, so that a fresh first page can be put before
    /// the others. Lists by worth or by name are read anew instead.
    newest_first: bool,
    rows: Vec<Arc<Item<T>>>,
    tail: Tail,
    under_way: Option<UnderWay>,
    epoch: u32,
    seen: HashSet<Id>,
    visited: HashSet<Cursor>,
    /// Pages in a row that held nothing new.
    empty: u8,
}

/// What comes after the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tail {
    /// A page that has not come yet.
    More(Option<Cursor>),
    /// A page that did not come.
    Failed(Option<Cursor>, ApiError),
    /// Nothing.
    End,
}

/// The request that is under way: never more than one.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum UnderWay {
    /// The page after the rows.
    Page,
    /// The first page once more, because the user asked for it.
    Head,
    /// The first page once more, because the list is followed.
    Poll,
}

/// What an answer brought.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Arrived {
    /// The page after the rows, or word that it did not come: the tail says.
    Page,
    /// The first page once more, with so many rows that were not there before.
    Head(usize),
    /// The first page once more, and between it and the rows there are others: so many are new at
    /// least, and the rows are as they were.
    Gap(usize),
    /// The first page did not come once more; the rows are as they were.
    HeadFailed(ApiError),
    /// Nobody waited for it.
    Nothing,
}

/// A page that is to be asked for now.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Ask {
    /// Where it starts; none for the first.
    pub cursor: Option<Cursor>,
}

/// Empty pages with a cursor that are followed in a row before the user is asked.
const EMPTY_PAGES: u8 = 5;

impl<T, Id> Default for Paged<T, Id> {
    fn default() -> Self {
        Self {
            newest_first: true,
            rows: Vec::new(),
            tail: Tail::More(None),
            under_way: None,
            epoch: 0,
            seen: HashSet::new(),
            visited: HashSet::new(),
            empty: 0,
        }
    }
}

impl<T, Id: Eq + Hash> Paged<T, Id> {
    /// A list in an order of this kind.
    pub fn new(newest_first: bool) -> Self {
        Self { newest_first, ..Self::default() }
    }

    /// The rows so far.
    pub fn rows(&self) -> &[Arc<Item<T>>] {
        &self.rows
    }

    /// What comes after them.
    pub fn tail(&self) -> &Tail {
        &self.tail
    }

    /// What was asked for and has not come yet.
    pub fn under_way(&self) -> Option<UnderWay> {
        self.under_way
    }

    /// The count of fresh starts: answers to requests of earlier ones do not count.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Starts on the next page, unless something is under way, it failed, or there is none.
    pub fn advance(&mut self) -> Option<Ask> {
        let Tail::More(cursor) = &self.tail else { return None };
        if self.under_way.is_some() {
            return None;
        }
        self.under_way = Some(UnderWay::Page);
        Some(Ask { cursor: cursor.clone() })
    }

    /// After a failure: the same page again.
    pub fn retry(&mut self) -> Option<Ask> {
        let Tail::Failed(cursor, _) = &self.tail else { return None };
        self.tail = Tail::More(cursor.clone());
        self.empty = 0;
        self.advance()
    }

    /// The first page once more; the rows stay, and what is new is put before them.
    pub fn refresh(&mut self) -> Ask {
        self.epoch += 1;
        self.empty = 0;
        self.under_way = Some(if self.rows.is_empty() { UnderWay::Page } else { UnderWay::Head });
        if self.rows.is_empty() {
            self.tail = Tail::More(None);
        }
        Ask { cursor: None }
    }

    /// The first page once more, but rows are never taken away for it.
    pub fn poll(&mut self) -> Ask {
        let ask = self.refresh();
        if self.under_way == Some(UnderWay::Head) {
            self.under_way = Some(UnderWay::Poll);
        }
        ask
    }

    /// From nothing: another list.
    pub fn reset(&mut self) -> Ask {
        *self = Self { epoch: self.epoch, ..Self::new(self.newest_first) };
        self.refresh()
    }

    /// Nobody waits for the answer any more.
    pub fn stop(&mut self) {
        if self.under_way.take().is_some() {
            self.epoch += 1;
        }
    }

    /// Takes a page in. `identify` names a row, so that one that is on two pages (lists move while
    /// they are read) stands once.
    pub fn receive(
        &mut self,
        page: Result<Page<T>, ApiError>,
        identify: impl Fn(&Item<T>) -> Option<Id>,
    ) -> Arrived {
        match (self.under_way.take(), page) {
            (None, _) => Arrived::Nothing,
            (Some(UnderWay::Head), Ok(page)) => Arrived::Head(self.put_before(page, identify)),
            (Some(UnderWay::Poll), Ok(page)) => {
                let known =
                    |item: &Arc<Item<T>>| identify(item).is_some_and(|id| self.seen.contains(&id));
                if page.items.iter().any(known) {
                    return Arrived::Head(self.put_before(page, identify));
                }
                Arrived::Gap(page.items.len())
            }
            (Some(UnderWay::Head | UnderWay::Poll), Err(error)) => Arrived::HeadFailed(error),
            (Some(UnderWay::Page), Ok(page)) => {
                self.put_after(page, identify);
                Arrived::Page
            }
            (Some(UnderWay::Page), Err(error)) => {
                if let Tail::More(cursor) = &self.tail {
                    self.tail = Tail::Failed(cursor.clone(), error);
                }
                Arrived::Page
            }
        }
    }

    fn put_after(&mut self, page: Page<T>, identify: impl Fn(&Item<T>) -> Option<Id>) {
        let before = self.rows.len();
        let ids: Vec<Id> = page.items.iter().filter_map(|item| identify(item)).collect();
        // Only rows of earlier pages are repeated by a list that moved; what one page says twice, it
        // means.
        let is_new = |item: &Arc<Item<T>>| identify(item).is_none_or(|id| !self.seen.contains(&id));
        self.rows.extend(page.items.into_iter().filter(is_new));
        self.seen.extend(ids);
        self.empty = if self.rows.len() == before { self.empty + 1 } else { 0 };
        self.tail = self.after(page.next);
    }

    /// Puts a first page before the rows that it does not replace; how many of its rows are new.
    fn put_before(&mut self, page: Page<T>, identify: impl Fn(&Item<T>) -> Option<Id>) -> usize {
        let fresh: HashSet<Id> = page.items.iter().filter_map(|item| identify(item)).collect();
        let is_fresh = |item: &Arc<Item<T>>| identify(item).is_some_and(|id| fresh.contains(&id));
        let new = fresh.iter().filter(|id| !self.seen.contains(*id)).count();
        let last = self.rows.iter().rposition(is_fresh).filter(|_| self.newest_first);
        let Some(last) = last else {
            // A gap, or another order: what is below is no longer what follows.
            *self = Self { epoch: self.epoch, ..Self::new(self.newest_first) };
            self.put_after(page, identify);
            return new;
        };
        // A row that is gone may come again further down.
        let gone: Vec<Id> =
            self.rows.iter().take(last + 1).filter_map(|item| identify(item)).collect();
        for id in &gone {
            self.seen.remove(id);
        }
        let mut rows = page.items;
        rows.extend(self.rows.drain(last + 1..).filter(|item| !is_fresh(item)));
        self.rows = rows;
        self.seen.extend(fresh);
        new
    }

    fn after(&mut self, next: Next) -> Tail {
        match next {
            Next::End => Tail::End,
            Next::Unread(why) => Tail::Failed(None, ApiError::Unreadable(why)),
            Next::Page(cursor) if self.empty >= EMPTY_PAGES => {
                Tail::Failed(Some(cursor), ApiError::EmptyPages { pages: self.empty })
            }
            Next::Page(cursor) if self.visited.insert(cursor.clone()) => Tail::More(Some(cursor)),
            Next::Page(cursor) => {
                Tail::Failed(Some(cursor), ApiError::CursorLoop { rows: self.rows.len() })
            }
        }
    }

    /// Hands the rows over, for a reader who does not come back to them.
    pub fn take_rows(&mut self) -> Vec<Arc<Item<T>>> {
        std::mem::take(&mut self.rows)
    }

    /// Whether the last pages held nothing new but more are promised, so that the next one should be
    /// fetched without waiting for the user.
    pub fn is_empty_so_far(&self) -> bool {
        self.empty > 0 && matches!(self.tail, Tail::More(_))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;
    use crate::sanitize::Text;

    type List = Paged<u64, u64>;

    fn item(n: u64) -> Arc<Item<u64>> {
        let raw = Arc::from(RawValue::from_string(n.to_string()).unwrap());
        Arc::new(Item { read: Ok(n), raw })
    }

    fn cursor(n: u64) -> Cursor {
        Cursor::read(&RawValue::from_string(format!("{{\"at\":{n}}}")).unwrap(), None).unwrap()
    }

    fn page(rows: impl IntoIterator<Item = u64>, next: Option<u64>) -> Page<u64> {
        let next = next.map_or(Next::End, |n| Next::Page(cursor(n)));
        Page { items: rows.into_iter().map(item).collect(), next }
    }

    fn receive(list: &mut List, page: Result<Page<u64>, ApiError>) {
        list.receive(page, |item| item.read.clone().ok());
    }

    fn rows(list: &List) -> Vec<u64> {
        list.rows().iter().map(|item| item.read.clone().unwrap()).collect()
    }

    #[test]
    fn pages_follow_each_other_once() {
        let mut list = List::default();
        assert_eq!(list.advance(), Some(Ask { cursor: None }));
        assert_eq!(list.advance(), None, "one page at a time");
        receive(&mut list, Ok(page([1, 2], Some(2))));
        assert_eq!(list.advance(), Some(Ask { cursor: Some(cursor(2)) }));
        receive(&mut list, Ok(page([2, 3], None)));
        assert_eq!(rows(&list), [1, 2, 3], "a row that is on both pages stands once");
        assert_eq!(list.tail(), &Tail::End);
        assert_eq!(list.advance(), None);
    }

    #[test]
    fn what_one_page_says_twice_stands_twice() {
        assert_eq!(rows(&loaded([1, 1, 2], None)), [1, 1, 2]);
    }

    #[test]
    fn a_failed_page_keeps_the_others_and_is_tried_again() {
        let mut list = List::default();
        list.advance();
        receive(&mut list, Ok(page([1], Some(1))));
        list.advance();
        receive(&mut list, Err(ApiError::TimedOut { seconds: 1 }));
        assert_eq!(rows(&list), [1]);
        assert_eq!(list.advance(), None, "not by itself");
        assert_eq!(list.retry(), Some(Ask { cursor: Some(cursor(1)) }));
    }

    #[test]
    fn a_cursor_that_comes_again_ends_the_list_with_a_word() {
        let mut list = List::default();
        for (n, next) in [(1, 10), (2, 20), (3, 10)] {
            list.advance();
            receive(&mut list, Ok(page([n], Some(next))));
        }
        assert_eq!(rows(&list), [1, 2, 3]);
        assert!(matches!(list.tail(), Tail::Failed(_, ApiError::CursorLoop { rows: 3 })));
    }

    fn loaded(rows: impl IntoIterator<Item = u64>, next: Option<u64>) -> List {
        let mut list = List::default();
        list.advance();
        receive(&mut list, Ok(page(rows, next)));
        list
    }

    #[test]
    fn a_refresh_puts_what_is_new_before_the_rows_and_keeps_the_rest() {
        let mut list = loaded([5, 4, 3, 2, 1], Some(1));
        let epoch = list.epoch();
        assert_eq!(list.refresh(), Ask { cursor: None });
        assert!(list.epoch() > epoch);
        assert_eq!(rows(&list), [5, 4, 3, 2, 1], "until the answer is there");
        let arrived = list.receive(Ok(page([7, 6, 5, 3], Some(9))), |item| item.read.clone().ok());
        assert_eq!(arrived, Arrived::Head(2));
        assert_eq!(rows(&list), [7, 6, 5, 3, 2, 1], "4 is gone: it was reorganised away");
        assert_eq!(
            list.advance(),
            Some(Ask { cursor: Some(cursor(1)) }),
            "and goes on where it was"
        );
    }

    #[test]
    fn a_refresh_across_a_gap_starts_anew() {
        let mut list = loaded([2, 1], None);
        list.refresh();
        let arrived = list.receive(Ok(page([9, 8], Some(8))), |item| item.read.clone().ok());
        assert_eq!((arrived, rows(&list)), (Arrived::Head(2), vec![9, 8]));
        assert_eq!(list.tail(), &Tail::More(Some(cursor(8))));
    }

    #[test]
    fn following_never_takes_rows_away() {
        let mut list = loaded([2, 1], None);
        list.poll();
        let arrived = list.receive(Ok(page([9, 8], Some(8))), |item| item.read.clone().ok());
        assert_eq!((arrived, rows(&list)), (Arrived::Gap(2), vec![2, 1]));
        assert_eq!(list.tail(), &Tail::End);
    }

    #[test]
    fn a_list_in_another_order_is_read_anew() {
        let mut list = List::new(false);
        list.advance();
        receive(&mut list, Ok(page([5, 4, 3], Some(3))));
        list.advance();
        receive(&mut list, Ok(page([2, 1], None)));
        list.refresh();
        receive(&mut list, Ok(page([1, 5, 4], Some(4)))); // 1 has become worth more
        assert_eq!(rows(&list), [1, 5, 4]);
        list.advance();
        receive(&mut list, Ok(page([3, 2], None)));
        assert_eq!(rows(&list), [1, 5, 4, 3, 2], "nothing is lost");
    }

    #[test]
    fn a_refresh_that_fails_changes_nothing() {
        let mut list = loaded([2, 1], None);
        list.refresh();
        let error = ApiError::TimedOut { seconds: 1 };
        let arrived = list.receive(Err(error.clone()), |item| item.read.clone().ok());
        assert_eq!((arrived, rows(&list)), (Arrived::HeadFailed(error), vec![2, 1]));
        assert_eq!(list.tail(), &Tail::End);
    }

    #[test]
    fn a_cursor_that_is_none_is_said() {
        let mut list = List::default();
        list.advance();
        let next = Next::Unread(Text::new("expected an object, found []"));
        receive(&mut list, Ok(Page { items: vec![item(1)], next }));
        assert_eq!(rows(&list), [1]);
        assert!(matches!(list.tail(), Tail::Failed(None, ApiError::Unreadable(_))));
    }

    proptest! {
        #[test]
        fn never_two_pages_under_way(steps in proptest::collection::vec(0u8..6, 0..60)) {
            let mut list = List::default();
            let mut under_way: Option<u32> = None; // the epoch that waits for an answer
            let mut n = 0;
            for step in steps {
                let asked = match step {
                    0 => list.advance(),
                    1 => list.retry(),
                    2 => { under_way = None; Some(list.refresh()) }
                    3 => { list.stop(); under_way = None; None }
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
