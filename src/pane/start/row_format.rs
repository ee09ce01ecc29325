//! Draws a row of the start page: its name, its hash and further facts.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::chain_feed::ChainFeed;
use super::rows::StartRow;
use crate::chain::TxHash;
use crate::chain::hash_abbreviation::{Abbreviator, abbreviate};
use crate::columns::cells::called_method::CalledMethod;
use crate::columns::cells::outcome_mark;
use crate::messages::start;
use crate::messages::watch::UnreadMark;
use crate::pane::PaneContext;
use crate::ui::format::{self, cut};
use crate::ui::text::draw_pieces;
use crate::ui::theme::Role;
use crate::user_data::recents::RecentEntry;

const MIN_NAME_WIDTH: usize = 18;
/// Minimum columns of rows with hashes next to descriptions.
const MIN_SHORT_HASH_COLUMNS: usize = 90;

pub(super) struct RowFormat<'a> {
    cx: &'a PaneContext<'a>,
    feed: &'a ChainFeed,
    abbreviator: Abbreviator,
    width: usize,
    watched_name_width: usize,
}

impl<'a> RowFormat<'a> {
    pub(super) fn new(
        rows: &[StartRow],
        width: usize,
        cx: &'a PaneContext<'a>,
        feed: &'a ChainFeed,
    ) -> Self {
        let labels = cx.name_cache.labels();
        let names = labels.watched().filter_map(|address| labels.decorated_name(&address));
        let widest = names.map(|name| format::width(&name) + 2).max().unwrap_or(0);
        let abbreviator = Abbreviator::new(rows.iter().filter_map(|row| row.address()));
        let watched_name_width = widest.min(width / 3).max(MIN_NAME_WIDTH);
        Self { cx, feed, abbreviator, width: width.saturating_sub(1), watched_name_width }
    }

    /// Draws a row: its name, as much of its hash as fits, and further names.
    pub(super) fn draw(&self, row: StartRow, area: Rect, buf: &mut Buffer) {
        let labels = self.cx.name_cache.labels();
        let mut unread = 0;
        let (name, hash, rest) = match row {
            StartRow::Highlight(place) => {
                let hash = match self.width {
                    ..MIN_SHORT_HASH_COLUMNS => String::new(),
                    _ => self.short_hash(row) + "  ",
                };
                (place.name.to_owned(), hash, place.description.to_owned())
            }
            StartRow::Watched(address) => {
                unread = self.cx.watched.unread(address);
                let own = labels.decorated_name(&address).unwrap_or_else(|| "address".into());
                let balance = self.feed.balance(&address, self.cx);
                let age = self.feed.balance_age(&address, self.cx).map(|age| format!("✗ {age}"));
                let known = self.known_name(row).map(str::to_owned);
                let rest: Vec<String> = balance.into_iter().chain(age).chain(known).collect();
                (own, self.hash_column(row), rest.join("  "))
            }
            StartRow::Account(address) => {
                let own = labels.decorated_name(&address);
                let known = || self.known_name(row).unwrap_or(start::ACCOUNT).to_owned();
                let balance = self.feed.balance(&address, self.cx).unwrap_or_default();
                (own.unwrap_or_else(known), self.hash_column(row), balance)
            }
            // They are in the feed.
            StartRow::Block(_) | StartRow::Transaction(_) => return,
            StartRow::Recent(entry) => {
                let own = row.address().and_then(|address| labels.decorated_name(&address));
                let known = self.known_name(row).map(str::to_owned);
                let names: Vec<String> =
                    own.into_iter().chain(known).chain(self.transaction_words(entry)).collect();
                (entry.kind().to_owned(), self.hash_column(row), names.join(" "))
            }
        };
        let name = cut(&name, self.name_width(row) - 2);
        let space = " ".repeat(self.name_width(row).saturating_sub(format::width(&name)));
        let mark = match unread {
            0 => String::new(),
            unread => UnreadMark::Address { unread }.to_string() + "  ",
        };
        let pieces = [
            (" ", Role::Plain),
            (&*name, Role::Plain),
            (&*space, Role::Plain),
            (&*hash, Role::Link),
            (&*mark, Role::Accent),
            (&*rest, Role::Dim),
        ];
        draw_pieces(buf, area, pieces.map(|(text, role)| (text, self.cx.styles.of(role))));
    }

    fn name_width(&self, row: StartRow) -> usize {
        if matches!(row, StartRow::Watched(_)) { self.watched_name_width } else { MIN_NAME_WIDTH }
    }

    /// Describes a transaction that was opened in this session: outcome, method and age.
    fn transaction_words(&self, entry: RecentEntry) -> Option<String> {
        let RecentEntry::Transaction(hash) = entry else { return None };
        let known = self.cx.name_cache.transaction(&hash)?.parsed.as_ref().ok()?;
        let called = CalledMethod::new(known, self.cx.name_cache, self.cx.signature_db);
        let method = called.value().map(ToString::to_string);
        let kind = known.kind_without_method().map(str::to_owned);
        let age =
            known.timestamp.value().map(|then| self.cx.format.short_time(*then, self.cx.ages(), 0));
        let words: Vec<String> = kind.or(method).into_iter().chain(age).collect();
        Some([outcome_mark(known.outcome()), &words.join("  ")].concat())
    }

    fn known_name(&self, row: StartRow) -> Option<&str> {
        self.cx.name_cache.name(&row.address()?)?.label.as_deref()
    }

    /// Returns the hash, in full if a name still fits after it.
    fn hash_column(&self, row: StartRow) -> String {
        let full = row.hash();
        let fits = self.name_width(row) + full.len() + 14 <= self.width;
        let hash = if fits { full } else { self.short_hash(row) };
        hash + "  "
    }

    fn short_hash(&self, row: StartRow) -> String {
        match (row.address(), row.hash().parse::<TxHash>()) {
            (Some(address), _) => self.abbreviator.abbreviate(&address).into_owned(),
            (None, Ok(hash)) => abbreviate(&hash),
            (None, Err(_)) => row.hash(),
        }
    }
}
