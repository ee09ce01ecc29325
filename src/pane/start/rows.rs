//! The rows of the start page above the feed, in their sections.

use std::ops::Range;

use super::layout::{StartLayout, body_height};
use crate::chain::network::Endpoint;
use crate::chain::target::TargetKind;
use crate::chain::{Address, BlockId, TxHash};
use crate::demo_chain::{HIGHLIGHTS, Highlight};
use crate::messages::prompt;
use crate::messages::start::{self, StartNote};
use crate::pane::{Command, PaneContext, Route};
use crate::user_data::labels::LabelEdit;
use crate::user_data::recents::RecentEntry;

/// The number of recent pages that are shown however many other rows there are.
const MIN_RECENT_ROWS: usize = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum StartRow {
    Block(BlockId),
    Transaction(TxHash),
    Watched(Address),
    Recent(RecentEntry),
    /// An account of a development node.
    Account(Address),
    Highlight(&'static Highlight),
}

pub(super) struct StartSection {
    pub(super) title: String,
    pub(super) rows: Vec<StartRow>,
}

#[derive(Clone, Copy, PartialEq)]
pub(super) enum StartLine<'a> {
    /// The title of a section that is not the first.
    Title(&'a str),
    Row(StartRow),
}

impl StartRow {
    pub(super) fn link(self) -> Option<Route> {
        Some(match self {
            Self::Block(block) => Route::Target(TargetKind::Block(block)),
            Self::Watched(address) | Self::Account(address) => {
                Route::Target(TargetKind::Address(address))
            }
            Self::Recent(RecentEntry::Token(token)) => Route::Token(token),
            Self::Recent(_) | Self::Highlight(_) | Self::Transaction(_) => {
                Route::Target(self.hash().parse().ok()?)
            }
        })
    }

    /// Returns the number of its panel.
    pub(super) fn panel(self) -> usize {
        match self {
            Self::Block(_) => 0,
            Self::Transaction(_) => 1,
            Self::Watched(_) | Self::Recent(_) | Self::Account(_) | Self::Highlight(_) => 2,
        }
    }

    pub(super) fn hash(self) -> String {
        match self {
            Self::Block(block) => block.to_string(),
            Self::Transaction(hash) => hash.to_string(),
            Self::Watched(address) | Self::Account(address) => address.to_string(),
            Self::Recent(entry) => entry.hash(),
            Self::Highlight(place) => place.hash.to_owned(),
        }
    }

    /// Returns the word for what is copied of it.
    pub(super) fn copied_name(self) -> &'static str {
        match self {
            Self::Block(_) => "block",
            _ if self.address().is_some() => "address",
            _ => "hash",
        }
    }

    pub(super) fn address(self) -> Option<Address> {
        match self {
            Self::Block(_) | Self::Transaction(_) => None,
            Self::Watched(address) | Self::Account(address) => Some(address),
            Self::Recent(entry) => entry.address(),
            Self::Highlight(place) => match place.hash.parse() {
                Ok(TargetKind::Address(address)) => Some(address),
                _ => None,
            },
        }
    }

    pub(super) fn removal(self) -> Command {
        match self {
            Self::Watched(address) => Command::EditLabel(LabelEdit::watch(address, false)),
            Self::Recent(entry) => Command::RemoveRecent(entry),
            Self::Block(_) | Self::Transaction(_) | Self::Account(_) | Self::Highlight(_) => {
                Command::Notify(start::ONLY_OWN_ROWS.into())
            }
        }
    }
}

/// Returns the sections, with the accounts of a development node.
pub(super) fn sections(accounts: &[Address], cx: &PaneContext<'_>) -> Vec<StartSection> {
    let watched: Vec<StartRow> = cx.name_cache.labels().watched().map(StartRow::Watched).collect();
    let accounts: Vec<StartRow> = accounts.iter().copied().map(StartRow::Account).collect();
    let highlights: Vec<StartRow> = match cx.network.endpoint {
        Endpoint::Embedded => HIGHLIGHTS.iter().map(StartRow::Highlight).collect(),
        Endpoint::Remote(_) | Endpoint::Node(_) | Endpoint::Undecided(_) => Vec::new(),
    };
    // Counts titles.
    let others: usize = [&watched, &accounts, &highlights]
        .into_iter()
        .filter(|rows| !rows.is_empty())
        .map(|rows| rows.len() + 1)
        .sum();
    let max_recent = body_height(cx).saturating_sub(others).max(MIN_RECENT_ROWS);
    let recent =
        cx.recents.entries().iter().take(max_recent).copied().map(StartRow::Recent).collect();
    let not_kept = cx.recents_error.map(|why| format!(" {}", StartNote::NotSaved { why }));
    let sections = [
        StartSection { title: "Watched".into(), rows: watched },
        StartSection { title: ["Recent", &not_kept.unwrap_or_default()].concat(), rows: recent },
        StartSection { title: prompt::NODE_ACCOUNTS.into(), rows: accounts },
        StartSection { title: prompt::TRY_THESE.into(), rows: highlights },
    ];
    sections.into_iter().filter(|section| !section.rows.is_empty()).collect()
}

/// Returns the number of blocks and of transactions in the feed of these sections.
pub(super) fn feed_rows(accounts: &[Address], cx: &PaneContext<'_>) -> [usize; 2] {
    StartLayout::new(cx.area, lines_of(&sections(accounts, cx)).len().max(1)).feed_rows()
}

pub(super) fn listed_rows(sections: &[StartSection]) -> Vec<StartRow> {
    sections.iter().flat_map(|section| section.rows.iter().copied()).collect()
}

/// Returns the positions of the blocks, of the transactions, and of the list below them.
pub(super) fn panels(rows: &[StartRow]) -> [Range<usize>; 3] {
    let [blocks, feed] = [0, 1].map(|last| rows.partition_point(|row| row.panel() <= last));
    [0..blocks, blocks..feed, feed..rows.len()]
}

pub(super) fn lines_of(sections: &[StartSection]) -> Vec<StartLine<'_>> {
    let lines = sections.iter().flat_map(|section| {
        let rows = section.rows.iter().copied().map(StartLine::Row);
        [StartLine::Title(&section.title)].into_iter().chain(rows)
    });
    lines.skip(1).collect()
}

/// Returns the title of the section that the line at `top` belongs to.
pub(super) fn section_title<'a>(
    sections: &'a [StartSection],
    lines: &[StartLine<'a>],
    top: usize,
) -> &'a str {
    let above = lines.get(..=top).unwrap_or_default().iter().rev();
    let title = above.filter_map(|line| match line {
        StartLine::Title(title) => Some(*title),
        StartLine::Row(_) => None,
    });
    let first = sections.first().map_or("Places", |section| &section.title);
    title.into_iter().next().unwrap_or(first)
}
