//! The rows of a list, newest first, that are new since it was read last.
//!
//! A walk begins at the first page and ends where it meets a known row, or one of an old block. It
//! survives failed requests: the next request is for the page that failed. Rows are known by their
//! contents, so neither another order, nor equal times, nor a block that was mined again makes a row
//! new. A row that the explorer lists late is new wherever it is on the pages of a walk, unless its
//! block is old.

use std::collections::{HashMap, HashSet};
use std::mem::take;

use crate::api::page::ItemPage;
use crate::api::{Cursor, Next};
use crate::chain::B256;
use crate::columns::table::any_row::RowId;

/// Maximum number of pages of a walk.
pub const MAX_PAGES: usize = 40;
/// Maximum number of known rows, and the number that is kept of more.
pub(super) const MAX_KNOWN_ROWS: usize = 20_000;
const KEPT_ROWS: usize = 5_000;

/// Identity of a row.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowIdentity {
    /// The row in its block.
    pub id: RowId,
    /// The row wherever it is mined: without the number of its log, which differs in another block. Equal
    /// rows of a transaction share it.
    pub lasting_id: RowId,
    pub block_number: Option<u64>,
    pub block_hash: Option<B256>,
}

/// The new rows of a walk, oldest first.
#[derive(Debug, PartialEq, Eq)]
pub struct FoundRows<R> {
    pub rows: Vec<R>,
    /// `true` if there are older new rows, which could not be reached.
    pub is_cut: bool,
}

/// Finds the new rows of a list.
#[derive(Debug)]
pub struct NewRows<R> {
    /// `false` until the first page, whose rows are old.
    has_begun: bool,
    /// The last block whose rows are old.
    last_old_block: Option<u64>,
    pub(super) known: HashMap<RowId, KnownRow>,
    walk: Walk<R>,
}

/// Equal rows of a transaction, of which there is usually one.
#[derive(Debug)]
pub(super) struct KnownRow {
    ids: Vec<RowId>,
    block_number: Option<u64>,
    block_hash: Option<B256>,
}

#[derive(Debug)]
struct Walk<R> {
    /// The next page, or `None` for the first.
    cursor: Option<Cursor>,
    pages: usize,
    ids: HashSet<RowId>,
    /// The number of rows that were mined again, by their lasting ids.
    mined_again: HashMap<RowId, usize>,
    found: Vec<(RowIdentity, R)>,
    /// `true` if it has met a row that is not new.
    has_met_known: bool,
}

impl KnownRow {
    fn is_in_other_block(&self, row: &RowIdentity) -> bool {
        match (self.block_hash, row.block_hash) {
            (Some(known), Some(hash)) => known != hash,
            _ => self.block_number != row.block_number,
        }
    }
}

impl<R> Default for Walk<R> {
    fn default() -> Self {
        Self {
            cursor: None,
            pages: 0,
            ids: HashSet::new(),
            mined_again: HashMap::new(),
            found: Vec::new(),
            has_met_known: false,
        }
    }
}

impl<R> NewRows<R> {
    /// Finds rows that come after the first page is read.
    pub fn from_now_on() -> Self {
        Self {
            has_begun: false,
            last_old_block: None,
            known: HashMap::new(),
            walk: Walk::default(),
        }
    }

    /// Finds rows in this block and later ones.
    pub fn since(first_block: u64) -> Self {
        let last_old_block = first_block.checked_sub(1);
        Self { has_begun: true, last_old_block, ..Self::from_now_on() }
    }

    /// Returns `true` if the list was read.
    pub fn has_begun(&self) -> bool {
        self.has_begun
    }

    /// Returns the cursor of the next request, or `None` for the first page.
    pub fn cursor(&self) -> Option<&Cursor> {
        self.walk.cursor.as_ref()
    }

    /// Begins the walk again, as after a cursor that the explorer refuses.
    pub fn restart_walk(&mut self) {
        self.walk = Walk::default();
    }

    /// Adds a page. Returns the new rows once no further page is needed. Rows without identity are left out.
    pub fn receive(
        &mut self,
        page: ItemPage<R>,
        identify: impl Fn(&R) -> Option<RowIdentity>,
    ) -> Option<FoundRows<R>> {
        let ItemPage { items, next, coverage, .. } = page;
        let is_empty = items.is_empty();
        let items = items.into_iter().filter_map(|row| Some((identify(&row)?, row)));
        if !self.has_begun {
            self.has_begun = true;
            self.last_old_block = coverage.map(|blocks| blocks.last_block);
            for (identity, _) in items {
                self.last_old_block = self.last_old_block.max(identity.block_number);
                self.learn(identity);
            }
            return Some(FoundRows { rows: Vec::new(), is_cut: false });
        }
        // A node's own history, which has pages without rows, is of blocks before the indexed ones.
        let is_older = is_empty
            && coverage.zip(self.last_old_block).is_some_and(|(indexed, last_old)| {
                indexed.first_block <= last_old.saturating_add(1)
            });
        for (identity, row) in items {
            self.visit(identity, row);
        }
        self.walk.pages += 1;
        let is_cut = match next {
            _ if self.walk.has_met_known || is_older => false,
            Next::Page(cursor)
                if self.walk.pages < MAX_PAGES && self.walk.cursor.as_ref() != Some(&cursor) =>
            {
                self.walk.cursor = Some(cursor);
                return None;
            }
            Next::End => false,
            Next::Page(_) | Next::Invalid(_) => true,
        };
        Some(FoundRows { rows: self.end_walk(), is_cut })
    }

    fn visit(&mut self, identity: RowIdentity, row: R) {
        let walk = &mut self.walk;
        if !walk.ids.insert(identity.id.clone()) {
            return;
        }
        let is_known = self.known.get(&identity.lasting_id).is_some_and(|known| {
            if known.ids.contains(&identity.id) {
                return true;
            }
            if !known.is_in_other_block(&identity) {
                return false;
            }
            let mined_again = walk.mined_again.entry(identity.lasting_id.clone()).or_default();
            *mined_again += 1;
            *mined_again <= known.ids.len()
        });
        let is_old = match identity.block_number {
            Some(block) => self.last_old_block.is_some_and(|old| block <= old),
            None => walk.has_met_known,
        };
        if is_known || is_old {
            walk.has_met_known = true;
        } else {
            walk.found.push((identity, row));
        }
    }

    /// Returns the rows that were found, oldest first.
    fn end_walk(&mut self) -> Vec<R> {
        let found = take(&mut self.walk).found;
        let mut rows = Vec::with_capacity(found.len());
        for (identity, row) in found.into_iter().rev() {
            self.learn(identity);
            rows.push(row);
        }
        self.forget_oldest();
        rows
    }

    fn learn(&mut self, identity: RowIdentity) {
        let RowIdentity { id, lasting_id, block_number, block_hash } = identity;
        let ids = Vec::with_capacity(1);
        let known =
            self.known.entry(lasting_id).or_insert(KnownRow { ids, block_number, block_hash });
        known.ids.push(id);
    }

    /// Forgets the oldest rows if there are too many: the blocks they are in are old then.
    fn forget_oldest(&mut self) {
        if self.known.len() <= MAX_KNOWN_ROWS {
            return;
        }
        let mut blocks: Vec<_> = self.known.values().map(|row| row.block_number).collect();
        blocks.sort_unstable_by(|a, b| b.cmp(a));
        let last_old_block = blocks.get(KEPT_ROWS).copied().flatten();
        self.known.retain(|_, row| row.block_number > last_old_block);
        self.last_old_block = self.last_old_block.max(last_old_block);
    }

    /// Forgets the rows after a block, or all of a chain that began again: they are new if they come again.
    pub fn roll_back(&mut self, last_block: Option<u64>) {
        self.restart_walk();
        if !self.has_begun {
            return;
        }
        self.known.retain(|_, row| row.block_number.is_some() && row.block_number <= last_block);
        self.last_old_block = self.last_old_block.min(last_block);
    }
}
