//! The start page: what is new on the chain, watched addresses, recent pages, and highlights of the demo
//! chain.

mod chain_feed;

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Margin, Position, Rect};

use super::{
    Availability, Command, Pane, PaneContext, PaneEvent, PaneState, Route, copy_or_confirm,
};
use crate::action::Action;
use crate::chain::abbreviate::{Abbreviator, abbreviate};
use crate::chain::network::Endpoint;
use crate::chain::target::TargetKind;
use crate::chain::{Address, BlockId, TxHash};
use crate::demo_chain::{HIGHLIGHTS, Highlight};
use crate::keymap::KeyContext;
use crate::safety::address_poisoning::Evidence;
use crate::ui::format::{self, cut};
use crate::ui::frame::{
    draw_frame, draw_frame_status, draw_frame_title, draw_rule, draw_scrollbar,
};
use crate::ui::text::{draw_pieces, draw_text};
use crate::ui::theme::Role;
use crate::ui::viewport::Viewport;
use crate::user_data::labels::LabelEdit;
use crate::user_data::recents::RecentEntry;
use chain_feed::{ChainFeed, feed_height};

#[derive(Debug, Default)]
pub struct StartPane {
    selected: Option<StartRow>,
    /// The position at which it was last.
    selected_index: usize,
    /// The user has moved the selection. Until then it is the first row.
    user_selected: bool,
    feed: ChainFeed,
    epoch: u32,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StartRow {
    Block(BlockId),
    Transaction(TxHash),
    Watched(Address),
    Recent(RecentEntry),
    Highlight(&'static Highlight),
}

struct StartSection {
    title: String,
    rows: Vec<StartRow>,
}

#[derive(Clone, Copy, PartialEq)]
enum StartLine<'a> {
    /// The title of a section that is not the first.
    Title(&'a str),
    Row(StartRow),
}

struct StartLayout {
    go_to: Rect,
    feed: Rect,
    frame: Rect,
    rows: Rect,
}

/// How long the first frame may take before anything is asked.
const FIRST_FRAME: Duration = Duration::from_millis(20);
const MAX_WIDTH: u16 = 120;
/// From this width on there is space for the second hint.
const MIN_HINT_WIDTH: u16 = 100;
/// From this height on there is space for a frame around the hint, and for a line above it.
const MIN_FRAMED_HEIGHT: u16 = 16;
const MIN_SPACED_HEIGHT: u16 = 30;
/// The number of recent pages that are shown however many other rows there are.
const MIN_RECENT_ROWS: usize = 3;
const MIN_NAME_WIDTH: usize = 18;

struct RowFormat<'a> {
    cx: &'a PaneContext<'a>,
    feed: &'a ChainFeed,
    abbreviator: Abbreviator,
    width: usize,
    watched_name_width: usize,
}

impl StartRow {
    fn link(self) -> Option<Route> {
        Some(match self {
            Self::Block(block) => Route::Target(TargetKind::Block(block)),
            Self::Watched(address) => Route::Target(TargetKind::Address(address)),
            Self::Recent(RecentEntry::Token(token)) => Route::Token(token),
            Self::Recent(_) | Self::Highlight(_) | Self::Transaction(_) => {
                Route::Target(self.hash().parse().ok()?)
            }
        })
    }

    fn hash(self) -> String {
        match self {
            Self::Block(block) => block.to_string(),
            Self::Transaction(hash) => hash.to_string(),
            Self::Watched(address) => address.to_string(),
            Self::Recent(entry) => entry.hash(),
            Self::Highlight(place) => place.hash.to_owned(),
        }
    }

    fn address(self) -> Option<Address> {
        match self {
            Self::Block(_) | Self::Transaction(_) => None,
            Self::Watched(address) => Some(address),
            Self::Recent(entry) => entry.address(),
            Self::Highlight(place) => match place.hash.parse() {
                Ok(TargetKind::Address(address)) => Some(address),
                _ => None,
            },
        }
    }

    fn removal(self) -> Command {
        match self {
            Self::Watched(address) => Command::EditLabel(LabelEdit::watch(address, false)),
            Self::Recent(entry) => Command::RemoveRecent(entry),
            Self::Block(_) | Self::Transaction(_) | Self::Highlight(_) => {
                Command::Notify("only watched and recent rows can be removed".into())
            }
        }
    }
}

impl StartLayout {
    /// Divides `area` for a list of `len` lines.
    fn new(area: Rect, len: usize) -> Self {
        let width = area.width.min(MAX_WIDTH);
        let area = Rect { x: area.x + (area.width - width) / 2, width, ..area };
        let go_to = if area.height < MIN_FRAMED_HEIGHT { 1 } else { 3 };
        let heights = [
            Constraint::Length(u16::from(area.height >= MIN_SPACED_HEIGHT)),
            Constraint::Length(go_to),
            Constraint::Length(feed_height(area)),
            Constraint::Max(u16::try_from(len).unwrap_or(u16::MAX).saturating_add(2)),
        ];
        let [_, go_to, feed, frame] = area.layout(&Layout::vertical(heights));
        Self { go_to, feed, frame, rows: frame.inner(Margin::new(1, 1)) }
    }
}

fn body_height(cx: &PaneContext<'_>) -> usize {
    usize::from(StartLayout::new(cx.area, usize::MAX).rows.height).max(1)
}

fn sections(cx: &PaneContext<'_>) -> Vec<StartSection> {
    let watched: Vec<StartRow> = cx.name_cache.labels().watched().map(StartRow::Watched).collect();
    let highlights: Vec<StartRow> = match cx.network.endpoint {
        Endpoint::Embedded => HIGHLIGHTS.iter().map(StartRow::Highlight).collect(),
        Endpoint::Remote(_) | Endpoint::Node(_) | Endpoint::Undecided(_) => Vec::new(),
    };
    // Counts titles.
    let others = [&watched, &highlights].into_iter().filter(|rows| !rows.is_empty());
    let others: usize = others.map(|rows| rows.len() + 1).sum();
    let max_recent = body_height(cx).saturating_sub(others).max(MIN_RECENT_ROWS);
    let recent =
        cx.recents.entries().iter().take(max_recent).copied().map(StartRow::Recent).collect();
    let not_kept = cx.recents_error.map(|why| format!(" (not saved: {why})")).unwrap_or_default();
    let sections = [
        StartSection { title: "Watched".into(), rows: watched },
        StartSection { title: format!("Recent{not_kept}"), rows: recent },
        StartSection { title: "Try these on the demo chain".into(), rows: highlights },
    ];
    sections.into_iter().filter(|section| !section.rows.is_empty()).collect()
}

/// Returns the command that copies a row, after a confirmation if it resembles another one.
fn copy(row: StartRow, cx: &PaneContext<'_>) -> Command {
    let Some(address) = row.address() else { return Command::copy("hash", row.hash().into()) };
    let mut known_addresses = cx.known_addresses.clone();
    for listed in listed_rows(&sections(cx)).into_iter().filter_map(StartRow::address) {
        known_addresses.add(listed, Evidence::Seen);
    }
    let cx = PaneContext { known_addresses: &known_addresses, ..*cx };
    copy_or_confirm("address", address.to_string().into(), &cx, &[])
}

fn listed_rows(sections: &[StartSection]) -> Vec<StartRow> {
    sections.iter().flat_map(|section| section.rows.iter().copied()).collect()
}

fn lines(sections: &[StartSection]) -> Vec<StartLine<'_>> {
    let lines = sections.iter().flat_map(|section| {
        let rows = section.rows.iter().copied().map(StartLine::Row);
        [StartLine::Title(&section.title)].into_iter().chain(rows)
    });
    lines.skip(1).collect()
}

/// Returns the title of the section that the line at `top` belongs to.
fn section_title<'a>(sections: &'a [StartSection], lines: &[StartLine<'a>], top: usize) -> &'a str {
    let above = lines.get(..=top).unwrap_or_default().iter().rev();
    let title = above.filter_map(|line| match line {
        StartLine::Title(title) => Some(*title),
        StartLine::Row(_) => None,
    });
    let first = sections.first().map_or("Places", |section| &section.title);
    title.into_iter().next().unwrap_or(first)
}

impl StartPane {
    /// Returns all rows that the cursor can be on.
    fn rows(&self, cx: &PaneContext<'_>) -> Vec<StartRow> {
        let listed = listed_rows(&sections(cx));
        self.feed.rows(cx.area).into_iter().chain(listed).collect()
    }

    fn selected_row(&self, cx: &PaneContext<'_>) -> Option<StartRow> {
        let rows = self.rows(cx);
        rows.get(self.position(&rows)).copied()
    }

    fn position(&self, rows: &[StartRow]) -> usize {
        let same = rows.iter().position(|row| Some(*row) == self.selected);
        same.unwrap_or_else(|| self.selected_index.min(rows.len().saturating_sub(1)))
    }

    fn select(&mut self, at: usize, rows: &[StartRow]) {
        self.selected_index = at.min(rows.len().saturating_sub(1));
        self.selected = rows.get(self.selected_index).copied();
    }

    fn viewport(
        &self,
        rows: &[StartRow],
        lines: &[StartLine<'_>],
        cx: &PaneContext<'_>,
    ) -> Viewport {
        let selected = rows.get(self.position(rows)).map(|row| StartLine::Row(*row));
        let at = lines.iter().position(|line| Some(*line) == selected).unwrap_or(0);
        let mut viewport = Viewport { selected: at, offset: 0 };
        viewport.show(at, body_height(cx));
        viewport
    }

    fn restore_selection(&mut self, cx: &PaneContext<'_>) {
        let rows = self.rows(cx);
        // The first row below the feed.
        let first = self.feed.rows(cx.area).len();
        let at = if self.user_selected { self.position(&rows) } else { first };
        self.select(at, &rows);
    }

    /// Goes from the blocks to the transactions beside them, or back.
    fn step_list(&mut self, to_right: bool, cx: &PaneContext<'_>) {
        let rows = self.rows(cx);
        let is_block = |row: &StartRow| matches!(row, StartRow::Block(_));
        let blocks = rows.iter().take_while(|row| is_block(row)).count();
        let feed = self.feed.rows(cx.area).len();
        let at = self.position(&rows);
        let to = match to_right {
            true if at < blocks && feed > blocks => (at + blocks).min(feed - 1),
            false if (blocks..feed).contains(&at) && blocks > 0 => (at - blocks).min(blocks - 1),
            _ => return,
        };
        self.user_selected = true;
        self.select(to, &rows);
    }

    /// Moves the cursor. From the list, only a step at its top leads into the feed above.
    fn go(&mut self, by: isize, cx: &PaneContext<'_>) {
        let rows = self.rows(cx);
        let (at, first) = (self.position(&rows), self.feed.rows(cx.area).len());
        let to = at.saturating_add_signed(by);
        let to = if at > first || by == isize::MIN { to.max(first) } else { to };
        self.user_selected = true;
        self.select(to, &rows);
    }
}

impl Pane for StartPane {
    fn activate(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.restore_selection(cx);
        // The page is drawn before anything is asked.
        vec![Command::Wake(FIRST_FRAME)]
    }

    fn deactivate(&mut self) {
        if self.feed.is_busy() {
            self.epoch += 1;
        }
        self.feed.cancel();
    }

    fn availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability {
        match action {
            Action::Open | Action::CopyCell | Action::CopyAddress | Action::CopyHash => {
                let reason = "nothing here yet: {go_to} opens an address or transaction";
                Availability::enabled_if(self.selected_row(cx).is_some(), reason)
            }
            Action::Forget => match self.selected_row(cx) {
                Some(StartRow::Watched(_) | StartRow::Recent(_)) => Availability::Enabled,
                _ => Availability::Disabled("only watched and recent rows can be removed"),
            },
            Action::Refresh | Action::NextCell | Action::PreviousCell => Availability::Enabled,
            Action::Interrupt => Availability::supported_if(self.feed.is_busy()),
            Action::Follow => Availability::enabled_if(
                cx.network.endpoint != Endpoint::Embedded,
                "the demo chain makes no blocks",
            ),
            _ => Availability::supported_if(action.is_row_move()),
        }
    }

    fn act(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        if let Some(by) = action.row_delta(body_height(cx)) {
            self.go(by, cx);
            return Vec::new();
        }
        match action {
            Action::Follow => return self.feed.toggle(cx),
            Action::Refresh => return self.feed.refresh(cx),
            Action::Interrupt => {
                self.deactivate();
                return vec![Command::cancel()];
            }
            Action::NextCell | Action::PreviousCell => {
                self.step_list(action == Action::NextCell, cx);
                return Vec::new();
            }
            _ => {}
        }
        let Some(row) = self.selected_row(cx) else { return Vec::new() };
        let command = match action {
            Action::Open => row.link().map(Command::Navigate),
            Action::Forget => Some(row.removal()),
            _ => Some(copy(row, cx)),
        };
        command.into_iter().collect()
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        match event {
            PaneEvent::Resized => self.restore_selection(cx),
            PaneEvent::LabelsChanged => {
                self.restore_selection(cx);
                return self.feed.request_balances(cx);
            }
            PaneEvent::Reply { query, reply } => {
                let commands = self.feed.on_reply(query, reply, cx);
                self.restore_selection(cx);
                return commands;
            }
            PaneEvent::Woken => return self.feed.request(cx),
            PaneEvent::Tick => return self.feed.on_tick(cx),
            PaneEvent::ChainAdvanced => return self.feed.on_chain_advanced(cx),
            PaneEvent::ChainSetBack => {
                self.feed.forget();
                return self.feed.request(cx);
            }
            PaneEvent::Click(at) => return self.on_click(at, cx).unwrap_or_default(),
            PaneEvent::Wheel { rows: by, .. } => self.go(by, cx),
            _ => {}
        }
        Vec::new()
    }

    fn view(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let sections = sections(cx);
        let rows = self.rows(cx);
        let listed = listed_rows(&sections);
        let lines = lines(&sections);
        let layout = StartLayout::new(cx.area, lines.len().max(1));
        draw_go_to(layout.go_to, cx, buf);
        let selected = rows.get(self.position(&rows)).copied();
        let in_feed = self.position(&rows) < rows.len() - listed.len();
        if layout.feed.height > 0 {
            self.feed.view(layout.feed, selected.filter(|_| in_feed), cx, buf);
        }
        let viewport = self.viewport(&rows, &lines, cx);
        let border = if in_feed { cx.styles.of(Role::Border) } else { cx.styles.border() };
        draw_frame(buf, layout.frame, border);
        let title = section_title(&sections, &lines, viewport.offset);
        draw_frame_title(buf, layout.frame, title, cx.styles.in_frame(Role::Title));
        let row_format = RowFormat::new(&listed, usize::from(layout.rows.width), cx, &self.feed);
        let shown = lines.iter().enumerate().skip(viewport.offset);
        for ((n, line), place) in shown.zip(layout.rows.rows()) {
            match line {
                StartLine::Title(title) => {
                    draw_rule(buf, place, cx.styles.border());
                    draw_frame_title(
                        buf,
                        place.outer(Margin::new(1, 0)),
                        title,
                        cx.styles.of(Role::Title),
                    );
                }
                StartLine::Row(row) => row_format.draw(*row, place, buf),
            }
            if n == viewport.selected && !in_feed {
                buf.set_style(place, cx.styles.selection());
            }
        }
        if lines.is_empty() {
            let hint = "nothing here yet: {go_to} opens an address or transaction, {watch} adds it";
            draw_text(buf, layout.rows, &cx.keys.expand(hint), cx.styles.of(Role::Dim));
            return;
        }
        let position = match (self.position(&rows) + 1).checked_sub(rows.len() - listed.len()) {
            Some(at @ 1..) => format!("{at} of {}", listed.len()),
            _ => listed.len().to_string(),
        };
        draw_frame_status(buf, layout.frame, &position, cx.styles.in_frame(Role::Dim));
        let extent = viewport.extent(lines.len(), layout.rows);
        draw_scrollbar(buf, layout.frame, &extent, cx.styles.of(Role::Accent));
    }

    fn state(&self) -> PaneState {
        let tick_interval = self.feed.tick_interval();
        PaneState {
            epoch: self.epoch,
            is_busy: self.feed.is_busy(),
            key_context: KeyContext::Start,
            tick_interval,
            ..PaneState::default()
        }
    }

    fn address(&self, cx: &PaneContext<'_>) -> Option<Address> {
        self.selected_row(cx)?.address()
    }
}

impl StartPane {
    fn on_click(&mut self, at: Position, cx: &PaneContext<'_>) -> Option<Vec<Command>> {
        let sections = sections(cx);
        let rows = self.rows(cx);
        let lines = lines(&sections);
        let area = StartLayout::new(cx.area, lines.len()).rows;
        let line = lines.get(self.viewport(&rows, &lines, cx).line_at(at, area, lines.len())?)?;
        let at = rows.iter().position(|row| StartLine::Row(*row) == *line)?;
        if at == self.position(&rows) {
            return Some(self.act(Action::Open, cx));
        }
        self.user_selected = true;
        self.select(at, &rows);
        Some(Vec::new())
    }
}

fn draw_go_to(area: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
    let is_framed = area.height > 1;
    let line = if is_framed { area.inner(Margin::new(2, 1)) } else { area };
    if is_framed {
        draw_frame(buf, area, cx.styles.of(Role::Border));
        draw_frame_title(buf, area, "Go to", cx.styles.in_frame(Role::Title));
    }
    let most = if line.width < MIN_HINT_WIDTH { 3 } else { 6 };
    let pieces = [
        ("⌕ {go_to}", Role::Accent),
        ("  an address, transaction, block, name or link", Role::Plain),
        (" (or paste one)", Role::Dim),
        ("  ·  ", Role::Dim),
        ("{transfers}", Role::Accent),
        ("  latest token transfers", Role::Plain),
    ];
    let pieces = pieces.map(|(text, role)| (cx.keys.expand(text), cx.styles.of(role)));
    draw_pieces(buf, line, pieces.into_iter().take(most));
}

impl<'a> RowFormat<'a> {
    fn new(rows: &[StartRow], width: usize, cx: &'a PaneContext<'a>, feed: &'a ChainFeed) -> Self {
        let labels = cx.name_cache.labels();
        let names = labels.watched().filter_map(|address| labels.decorated_name(&address));
        let widest = names.map(|name| format::width(&name) + 2).max().unwrap_or(0);
        let abbreviator = Abbreviator::new(rows.iter().filter_map(|row| row.address()));
        let watched_name_width = widest.min(width / 3).max(MIN_NAME_WIDTH);
        Self { cx, feed, abbreviator, width: width.saturating_sub(1), watched_name_width }
    }

    /// Draws a row: its name, as much of its hash as fits, and further names.
    fn draw(&self, row: StartRow, area: Rect, buf: &mut Buffer) {
        let labels = self.cx.name_cache.labels();
        let (name, hash, rest) = match row {
            StartRow::Highlight(place) => {
                let hash =
                    if self.width < 100 { String::new() } else { self.short_hash(row) + "  " };
                (place.name.to_owned(), hash, place.description.to_owned())
            }
            StartRow::Watched(address) => {
                let own = labels.decorated_name(&address).unwrap_or_else(|| "address".into());
                let balance = self.feed.balance(&address, self.cx);
                let known = self.known_name(row).map(str::to_owned);
                let rest: Vec<String> = balance.into_iter().chain(known).collect();
                (own, self.hash_column(row), rest.join("  "))
            }
            // They are in the feed.
            StartRow::Block(_) | StartRow::Transaction(_) => return,
            StartRow::Recent(entry) => {
                let own = row.address().and_then(|address| labels.decorated_name(&address));
                let names: Vec<&str> =
                    own.as_deref().into_iter().chain(self.known_name(row)).collect();
                (entry.kind().to_owned(), self.hash_column(row), names.join(" "))
            }
        };
        let name = cut(&name, self.name_width(row) - 2);
        let space = " ".repeat(self.name_width(row).saturating_sub(format::width(&name)));
        let pieces = [
            (" ", Role::Plain),
            (&*name, Role::Plain),
            (&*space, Role::Plain),
            (&*hash, Role::Link),
            (&*rest, Role::Dim),
        ];
        draw_pieces(buf, area, pieces.map(|(text, role)| (text, self.cx.styles.of(role))));
    }

    fn name_width(&self, row: StartRow) -> usize {
        if matches!(row, StartRow::Watched(_)) { self.watched_name_width } else { MIN_NAME_WIDTH }
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
