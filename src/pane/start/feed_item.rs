//! The rows of the start page's feed: a block or a transaction in a line.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::rows::StartRow;
use crate::api::address::AddressRef;
use crate::api::blocks::Block;
use crate::api::transactions::{Transaction, TransactionOutcome};
use crate::api::{Field, Page};
use crate::chain::abbreviate::abbreviate;
use crate::chain::amount::group_digits;
use crate::chain::{BlockId, Timestamp, U256};
use crate::pane::PaneContext;
use crate::pane::header::HeaderSection;
use crate::ui::format::{cut, width};
use crate::ui::plot::bar;
use crate::ui::selection::draw_selection;
use crate::ui::text::draw_pieces;
use crate::ui::theme::Role;

/// From this width on there is space for bars of gas, and for hashes and amounts.
const BARS_FROM: usize = 34;
const HASHES_FROM: usize = 90;
const GAS_BAR_WIDTH: usize = 6;
const VALUE_WIDTH: usize = 16;

pub(super) type FeedPiece = (String, Role);

/// A block or a transaction of the feed.
pub(super) trait FeedItem {
    fn row(&self) -> Option<StartRow>;

    fn timestamp(&self) -> &Field<Timestamp>;

    /// Returns its line, but its age, in a number of columns.
    fn pieces(&self, space: usize, cx: &PaneContext<'_>) -> Vec<FeedPiece>;
}

pub(super) fn loaded<T>(section: &HeaderSection<Page<T>>) -> impl Iterator<Item = &T> {
    let items = section.value().into_iter().flat_map(|page| &page.items);
    items.filter_map(|item| item.parsed.as_ref().ok())
}

/// Draws the items of a list, each with its age at the right edge.
pub(super) fn draw_list<T: FeedItem>(
    section: &HeaderSection<Page<T>>,
    area: Rect,
    selected: Option<StartRow>,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) {
    let note = match section {
        HeaderSection::Failed(why) => format!("not available: {why}"),
        HeaderSection::Loaded(page) if page.items.is_empty() => "none yet".to_owned(),
        HeaderSection::Loaded(_) => String::new(),
        HeaderSection::NotRequested | HeaderSection::Loading => "loading…".to_owned(),
    };
    let space = usize::from(area.width);
    draw_pieces(buf, area, [(&*cut(&note, space), cx.styles.of(Role::Dim))]);
    let items: Vec<(&T, String)> = loaded(section)
        .take(area.height.into())
        .map(|item| (item, age(item.timestamp(), cx)))
        .collect();
    let ages = items.iter().map(|(_, age)| width(age)).max().unwrap_or(0);
    for ((item, age), line) in items.iter().zip(area.rows()) {
        let left = space.saturating_sub(ages + 3);
        let mut pieces = item.pieces(left, cx);
        let used: usize = pieces.iter().map(|(text, _)| width(text)).sum();
        let gap = space.saturating_sub(used + width(age) + 1);
        pieces.extend([(" ".repeat(gap), Role::Plain), (age.clone(), Role::Dim)]);
        let pieces = pieces.iter().map(|(text, role)| (&**text, cx.styles.of(*role)));
        draw_pieces(buf, line, pieces);
        if selected.is_some() && item.row() == selected {
            draw_selection(buf, line, cx.styles.selection());
        }
    }
}

fn age(then: &Field<Timestamp>, cx: &PaneContext<'_>) -> String {
    then.display_with(|then| cx.format.short_time(*then, cx.ages(), 0).into()).into_owned()
}

impl FeedItem for Block {
    fn row(&self) -> Option<StartRow> {
        Some(StartRow::Block(BlockId::Number(*self.number.value()?)))
    }

    fn timestamp(&self) -> &Field<Timestamp> {
        &self.timestamp
    }

    fn pieces(&self, space: usize, _: &PaneContext<'_>) -> Vec<FeedPiece> {
        let number = self.number.display_with(|number| number.to_string().into());
        let count = self.transactions_count.display_with(|n| group_digits(&n.to_string()).into());
        let used = self.gas_used.value();
        let share = match self.gas_percent() {
            None => "?".to_owned(),
            Some(0) if used.is_some_and(|used| *used > 0) => "<1%".to_owned(),
            Some(percent) => format!("{percent}%"),
        };
        let mut pieces = vec![
            (format!(" {number:<9}"), Role::Link),
            (format!("{:>8}", format!("{count} tx")), Role::Plain),
        ];
        if space >= BARS_FROM {
            let percent = self.gas_percent().unwrap_or_default();
            pieces.push((
                format!("  {}", bar(U256::from(percent), U256::from(100), GAS_BAR_WIDTH)),
                Role::Dim,
            ));
        }
        pieces.push((format!("{share:>5}"), Role::Dim));
        pieces
    }
}

impl FeedItem for Transaction {
    fn row(&self) -> Option<StartRow> {
        Some(StartRow::Transaction(self.hash))
    }

    fn timestamp(&self) -> &Field<Timestamp> {
        &self.timestamp
    }

    fn pieces(&self, space: usize, cx: &PaneContext<'_>) -> Vec<FeedPiece> {
        let (mark, role) = match self.outcome() {
            TransactionOutcome::Ok => (" ", Role::Plain),
            TransactionOutcome::OkInnerFailure => ("!", Role::Warning),
            TransactionOutcome::Failed => ("✗", Role::Failed),
            TransactionOutcome::Pending => ("…", Role::Dim),
            TransactionOutcome::Unknown => ("?", Role::Warning),
        };
        let has_hash = space >= HASHES_FROM;
        let method_width = match space {
            ..48 => 9,
            48..HASHES_FROM => 13,
            _ => 22,
        };
        let method = self.known_method().display_with(|method| Into::into(&**method));
        let method = padded(&method, method_width);
        let hash = if has_hash { abbreviate(&self.hash) + " " } else { String::new() };
        let value = if has_hash { value_text(&self.value, cx) } else { String::new() };
        let used = 3 + method_width + width(&hash) + width(&value);
        let party = |party: &Field<AddressRef>| {
            party.display_with(|party| cx.short_name(&party.hash).into()).into_owned()
        };
        let to = if self.to.value().is_some() { &self.to } else { self.created() };
        let parties = format!("{} → {}", party(&self.from), party(to));
        let left = space.saturating_sub(used);
        let parties = if has_hash { padded(&parties, left) } else { cut(&parties, left).into() };
        vec![
            (mark.to_owned(), role),
            (format!(" {hash}"), Role::Link),
            (method + " ", Role::Plain),
            (parties, Role::Link),
            (value, Role::Value),
        ]
    }
}

/// Returns a text in exactly so many columns.
fn padded(text: &str, columns: usize) -> String {
    let text = cut(text, columns);
    let space = columns.saturating_sub(width(&text));
    text.into_owned() + &" ".repeat(space)
}

/// Returns what was sent, in columns that all rows have if none of them is very long.
fn value_text(value: &Field<U256>, cx: &PaneContext<'_>) -> String {
    let unit = cx.format.unit;
    let text = value.display_with(|wei| match unit.format_readable(*wei, cx.network).text {
        _ if wei.is_zero() => "".into(),
        amount => format!("{amount} {}", unit.name(cx.network)).into(),
    });
    format!("{text:>VALUE_WIDTH$}")
}
