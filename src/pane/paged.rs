//! Rows that arrive page by page.

use std::collections::HashSet;
use std::hash::Hash;
use std::sync::Arc;

use crate::api::{ApiError, Cursor, Item, Next, Page};

/// The rows of a list so far, and what is known of the rest. The server gives no total.
#[derive(Debug)]
pub struct Paged<T, Id> {
    rows: Vec<Arc<Item<T>>>,
    tail: Tail,
    epoch: u32,
    /// Rows are from before the last refresh, and stay until the new first page is there.
    stale: bool,
    seen: HashSet<Id>,
    visited: HashSet<Cursor>,
    /// Pages in a row that held nothing new.
    empty: u8,
}

/// What comes after the rows.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Tail {
    /// A page that nobody asked for yet.
    More(Option<Cursor>),
    /// A page that is on its way.
    Loading(Option<Cursor>),
    /// A page that did not come.
    Failed(Option<Cursor>, ApiError),
    /// Nothing.
    End,
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
            rows: Vec::new(),
            tail: Tail::More(None),
            epoch: 0,
            stale: false,
            seen: HashSet::new(),
            visited: HashSet::new(),
            empty: 0,
        }
    }
}

impl<T, Id: Eq + Hash> Paged<T, Id> {
    /// The rows so far.
    pub fn rows(&self) -> &[Arc<Item<T>>] {
        &self.rows
    }

    /// What comes after them.
    pub fn tail(&self) -> &Tail {
        &self.tail
    }

    /// The count of fresh starts.
    pub fn epoch(&self) -> u32 {
        self.epoch
    }

    /// Whether the rows are from before a refresh that is under way.
    pub fn is_stale(&self) -> bool {
        self.stale
    }

    /// Starts on the next page, unless it is under way, failed, or there is none. At most one page
    /// is ever under way.
    pub fn advance(&mut self) -> Option<Ask> {
        let Tail::More(cursor) = &self.tail else { return None };
        let cursor = cursor.clone();
        self.tail = Tail::Loading(cursor.clone());
        Some(Ask { cursor })
    }

    /// After a failure: the same page again.
    pub fn retry(&mut self) -> Option<Ask> {
        let Tail::Failed(cursor, _) = &self.tail else { return None };
        self.tail = Tail::More(cursor.clone());
        self.advance()
    }

    /// From the beginning; the rows stay until the first page is there. Answers to earlier requests
    /// no longer count.
    pub fn refresh(&mut self) -> Option<Ask> {
        self.epoch += 1;
        self.stale = !self.rows.is_empty();
        self.tail = Tail::More(None);
        self.empty = 0;
        self.advance()
    }

    /// Nobody waits for the page under way any more.
    pub fn stop(&mut self) {
        if let Tail::Loading(cursor) = &self.tail {
            self.epoch += 1;
            self.tail = Tail::More(cursor.clone());
        }
    }

    /// Takes a page in. `identify` names a row, so that one that is on two pages (lists move while
    /// they are read) stands once.
    pub fn receive(
        &mut self,
        page: Result<Page<T>, ApiError>,
        identify: impl Fn(&Item<T>) -> Option<Id>,
    ) {
        let Tail::Loading(asked) = &self.tail else { return };
        let page = match page {
            Ok(page) => page,
            Err(error) => {
                self.tail = Tail::Failed(asked.clone(), error);
                return;
            }
        };
        if asked.is_none() {
            self.rows.clear();
            self.seen.clear();
            self.visited.clear();
            self.stale = false;
        }
        let before = self.rows.len();
        for item in page.items {
            if identify(&item).is_none_or(|id| self.seen.insert(id)) {
                self.rows.push(item);
            }
        }
        self.empty = if self.rows.len() == before { self.empty + 1 } else { 0 };
        self.tail = self.after(page.next);
    }

    fn after(&mut self, next: Next) -> Tail {
        match next {
            Next::End => Tail::End,
            Next::Unread(why) => Tail::Failed(None, ApiError::Unreadable(why)),
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
        self.empty > 0 && self.empty < EMPTY_PAGES && matches!(self.tail, Tail::More(_))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::value::RawValue;

    use super::*;
    use crate::text::Text;

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

    #[test]
    fn a_refresh_keeps_the_rows_until_the_new_ones_are_there() {
        let mut list = List::default();
        list.advance();
        receive(&mut list, Ok(page([1], None)));
        let epoch = list.epoch();
        assert_eq!(list.refresh(), Some(Ask { cursor: None }));
        assert!(list.epoch() > epoch && list.is_stale());
        assert_eq!(rows(&list), [1]);
        receive(&mut list, Ok(page([9], None)));
        assert_eq!((rows(&list), list.is_stale()), (vec![9], false));
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
                    2 => { under_way = None; list.refresh() }
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
