//! The start page: watched addresses, recent pages, and highlights of the demo chain.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::{
    Availability, Command, Pane, PaneContext, PaneEvent, PaneState, Route, copy_or_confirm,
};
use crate::action::Action;
use crate::chain::abbreviate::{Abbreviator, abbreviate};
use crate::chain::network::Endpoint;
use crate::chain::target::TargetKind;
use crate::chain::{Address, TxHash};
use crate::demo_chain::{HIGHLIGHTS, Highlight};
use crate::keymap::KeyContext;
use crate::safety::address_poisoning::Evidence;
use crate::ui::format::{self, cut};
use crate::ui::text::draw_text;
use crate::ui::theme::Role;
use crate::ui::viewport::Viewport;
use crate::user_data::labels::LabelEdit;
use crate::user_data::recents::RecentEntry;

#[derive(Debug, Default)]
pub struct StartPane {
    selected: Option<StartRow>,
    /// The position at which it was last.
    selected_index: usize,
    /// The user has moved the selection. Until then it is the first row.
    user_selected: bool,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum StartRow {
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
    Blank,
    Title(&'a str),
    Row(StartRow),
}

const HEADER_HEIGHT: u16 = 7;
const COMPACT_HEADER_HEIGHT: u16 = 3;
/// The number of recent pages that are shown however many other rows there are.
const MIN_RECENT_ROWS: usize = 3;
const MIN_NAME_WIDTH: usize = 18;

struct RowFormat<'a> {
    cx: &'a PaneContext<'a>,
    abbreviator: Abbreviator,
    width: usize,
    watched_name_width: usize,
}

impl StartRow {
    fn link(self) -> Option<Route> {
        Some(match self {
            Self::Watched(address) => Route::Target(TargetKind::Address(address)),
            Self::Recent(RecentEntry::Token(token)) => Route::Instances { token, holder: None },
            Self::Recent(_) | Self::Highlight(_) => Route::Target(self.hash().parse().ok()?),
        })
    }

    fn hash(self) -> String {
        match self {
            Self::Watched(address) => address.to_string(),
            Self::Recent(entry) => entry.hash(),
            Self::Highlight(place) => place.hash.to_owned(),
        }
    }

    fn address(self) -> Option<Address> {
        match self {
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
            Self::Highlight(_) => Command::Notify("built-in rows cannot be removed".into()),
        }
    }
}

fn header_height(cx: &PaneContext<'_>) -> u16 {
    if cx.area.height < HEADER_HEIGHT + 7 { COMPACT_HEADER_HEIGHT } else { HEADER_HEIGHT }
}

fn body_height(cx: &PaneContext<'_>) -> usize {
    usize::from(cx.area.height.saturating_sub(header_height(cx))).max(1)
}

fn sections(cx: &PaneContext<'_>) -> Vec<StartSection> {
    let watched: Vec<StartRow> = cx.name_cache.labels().watched().map(StartRow::Watched).collect();
    let highlights: Vec<StartRow> = match cx.network.endpoint {
        Endpoint::Embedded => HIGHLIGHTS.iter().map(StartRow::Highlight).collect(),
        Endpoint::Remote(_) | Endpoint::Node(_) => Vec::new(),
    };
    // Counts titles and blank lines.
    let others = [&watched, &highlights].into_iter().filter(|rows| !rows.is_empty());
    let others: usize = others.map(|rows| rows.len() + 2).sum();
    let max_recent = body_height(cx).saturating_sub(others + 1).max(MIN_RECENT_ROWS);
    let recent =
        cx.recents.entries().iter().take(max_recent).copied().map(StartRow::Recent).collect();
    let not_kept = cx.recents_error.map(|why| format!(" (not saved: {why})")).unwrap_or_default();
    let sections = [
        StartSection { title: "Watched:".into(), rows: watched },
        StartSection { title: format!("Recent{not_kept}:"), rows: recent },
        StartSection { title: "Try these on the demo chain:".into(), rows: highlights },
    ];
    sections.into_iter().filter(|section| !section.rows.is_empty()).collect()
}

/// Returns the command that copies a row, after a confirmation if it resembles another one.
fn copy(row: StartRow, cx: &PaneContext<'_>) -> Command {
    let Some(address) = row.address() else { return Command::copy("hash", row.hash().into()) };
    let mut known_addresses = cx.known_addresses.clone();
    for listed in rows(&sections(cx)).into_iter().filter_map(StartRow::address) {
        known_addresses.add(listed, Evidence::Seen);
    }
    let cx = PaneContext { known_addresses: &known_addresses, ..*cx };
    copy_or_confirm("address", address.to_string().into(), &cx, &[])
}

fn rows(sections: &[StartSection]) -> Vec<StartRow> {
    sections.iter().flat_map(|section| section.rows.iter().copied()).collect()
}

/// Returns the title of the first visible rows if it is scrolled away: it replaces the first line.
fn sticky_title<'a>(lines: &'a [StartLine<'a>], top: usize) -> Option<&'a StartLine<'a>> {
    let next = lines.get(top + 1).filter(|line| matches!(line, StartLine::Row(_)));
    let above = lines.get(..=top).filter(|_| next.is_some()).unwrap_or_default();
    above.iter().rev().find(|line| matches!(line, StartLine::Title(_)))
}

fn lines(sections: &[StartSection]) -> Vec<StartLine<'_>> {
    let lines = sections.iter().flat_map(|section| {
        let rows = section.rows.iter().copied().map(StartLine::Row);
        [StartLine::Blank, StartLine::Title(&section.title)].into_iter().chain(rows)
    });
    lines.skip(1).collect()
}

impl StartPane {
    fn selected_row(&self, cx: &PaneContext<'_>) -> Option<StartRow> {
        let rows = rows(&sections(cx));
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

    fn top_line(&self, rows: &[StartRow], lines: &[StartLine<'_>], cx: &PaneContext<'_>) -> usize {
        let selected = rows.get(self.position(rows)).map(|row| StartLine::Row(*row));
        let at = lines.iter().position(|line| Some(*line) == selected).unwrap_or(0);
        let mut viewport = Viewport::default();
        viewport.show(at, body_height(cx));
        viewport.offset
    }

    fn restore_selection(&mut self, cx: &PaneContext<'_>) {
        let rows = rows(&sections(cx));
        let at = if self.user_selected { self.position(&rows) } else { 0 };
        self.select(at, &rows);
    }

    fn go(&mut self, by: isize, rows: &[StartRow]) {
        let to = self.position(rows).saturating_add_signed(by);
        self.user_selected = true;
        self.select(to, rows);
    }
}

impl Pane for StartPane {
    fn activate(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.restore_selection(cx);
        Vec::new()
    }

    fn availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability {
        match action {
            Action::Open | Action::CopyCell | Action::CopyAddress | Action::CopyHash => {
                let reason = "nothing here yet: {go_to} opens an address or transaction";
                Availability::enabled_if(self.selected_row(cx).is_some(), reason)
            }
            Action::Forget => match self.selected_row(cx) {
                Some(StartRow::Watched(_) | StartRow::Recent(_)) => Availability::Enabled,
                _ => Availability::Disabled("built-in rows cannot be removed"),
            },
            // The app reloads the user's files, and nothing else is listed here.
            Action::Refresh => Availability::Enabled,
            _ => Availability::supported_if(action.is_row_move()),
        }
    }

    fn act(&mut self, action: Action, cx: &PaneContext<'_>) -> Vec<Command> {
        if let Some(by) = action.row_delta(body_height(cx)) {
            self.go(by, &rows(&sections(cx)));
            return Vec::new();
        }
        let Some(row) = self.selected_row(cx) else { return Vec::new() };
        let command = match action {
            Action::Open => row.link().map(Command::Navigate),
            Action::Forget => Some(row.removal()),
            Action::Refresh => None,
            _ => Some(copy(row, cx)),
        };
        command.into_iter().collect()
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        match event {
            PaneEvent::Resized | PaneEvent::LabelsChanged => self.restore_selection(cx),
            PaneEvent::Click(at) => return self.on_click(at, cx).unwrap_or_default(),
            PaneEvent::Wheel { rows: by, .. } => self.go(by, &rows(&sections(cx))),
            _ => {}
        }
        Vec::new()
    }

    fn view(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let left = if cx.area.width > 60 { 2 } else { 0 };
        let inside = Rect { x: cx.area.x + left, width: cx.area.width - left, ..cx.area };
        draw_header(inside, cx, buf);
        let sections = sections(cx);
        let rows = rows(&sections);
        let lines = lines(&sections);
        let selected = rows.get(self.position(&rows)).map(|row| StartLine::Row(*row));
        let top = self.top_line(&rows, &lines, cx);
        let look = RowFormat::new(&rows, usize::from(inside.width), cx);
        let area = Rect { y: cx.area.y + header_height(cx), ..inside }.intersection(cx.area);
        for (n, (line, place)) in lines.iter().skip(top).zip(area.rows()).enumerate() {
            let line = sticky_title(&lines, top).filter(|_| n == 0).unwrap_or(line);
            draw_line(*line, place, &look, buf);
            if Some(*line) == selected {
                let whole = Rect { x: cx.area.x, width: cx.area.width, ..place };
                buf.set_style(whole, cx.styles.selection());
            }
        }
        if lines.is_empty() {
            let hint = "nothing here yet: {go_to} opens an address or transaction, {watch} adds it";
            draw_text(buf, area, &cx.keys.expand(hint), cx.styles.of(Role::Dim));
        }
    }

    fn state(&self) -> PaneState {
        PaneState { key_context: KeyContext::Start, ..PaneState::default() }
    }

    fn address(&self, cx: &PaneContext<'_>) -> Option<Address> {
        self.selected_row(cx)?.address()
    }
}

impl StartPane {
    fn on_click(&mut self, at: Position, cx: &PaneContext<'_>) -> Option<Vec<Command>> {
        let below =
            at.y.checked_sub(cx.area.y + header_height(cx)).filter(|_| cx.area.contains(at))?;
        let sections = sections(cx);
        let rows = rows(&sections);
        let lines = lines(&sections);
        let top = self.top_line(&rows, &lines, cx);
        let is_title = below == 0 && sticky_title(&lines, top).is_some();
        let line = lines.get(top + usize::from(below)).filter(|_| !is_title)?;
        let at = rows.iter().position(|row| StartLine::Row(*row) == *line)?;
        if at == self.position(&rows) {
            return Some(self.act(Action::Open, cx));
        }
        self.user_selected = true;
        self.select(at, &rows);
        Some(Vec::new())
    }
}

fn draw_header(area: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
    let name = [
        ("", Role::Plain),
        ("chainglass", Role::Accent),
        ("an explorer for EVM chains: addresses, transfers, NFTs and raw traces", Role::Dim),
        ("", Role::Plain),
    ];
    let keys = [
        ("{go_to}  go to an address, transaction, name or explorer URL", Role::Title),
        (
            "{transfers}  latest token transfers (an address, hash or link can be pasted anywhere)",
            Role::Dim,
        ),
    ];
    let name =
        name.into_iter().skip(if header_height(cx) == COMPACT_HEADER_HEIGHT { 4 } else { 0 });
    for ((text, role), line) in name.chain(keys).zip(area.rows()) {
        draw_text(buf, line, &cx.keys.expand(text), cx.styles.of(role));
    }
}

fn draw_line(line: StartLine<'_>, place: Rect, look: &RowFormat<'_>, buf: &mut Buffer) {
    let (text, role) = match line {
        StartLine::Blank => return,
        StartLine::Title(title) => (title.into(), Role::Title),
        StartLine::Row(row) => (look.line(row), Role::Plain),
    };
    draw_text(buf, place, &text, look.cx.styles.of(role));
}

impl<'a> RowFormat<'a> {
    fn new(rows: &[StartRow], width: usize, cx: &'a PaneContext<'a>) -> Self {
        let labels = cx.name_cache.labels();
        let names = labels.watched().filter_map(|address| labels.decorated_name(&address));
        let widest = names.map(|name| format::width(&name) + 2).max().unwrap_or(0);
        let abbreviator = Abbreviator::new(rows.iter().filter_map(|row| row.address()));
        let watched_name_width = widest.min(width / 3).max(MIN_NAME_WIDTH);
        Self { cx, abbreviator, width, watched_name_width }
    }

    /// Returns a row: its name, as much of its hash as fits, and further names.
    fn line(&self, row: StartRow) -> String {
        let (name, rest) = match row {
            StartRow::Highlight(place) => {
                let hash =
                    if self.width < 100 { String::new() } else { self.short_hash(row) + "  " };
                (place.name.to_owned(), hash + place.description)
            }
            StartRow::Watched(address) => {
                let own = self.cx.name_cache.labels().decorated_name(&address);
                let given = self.known_name(row).unwrap_or_default();
                (own.unwrap_or_else(|| "address".into()), self.hash_column(row) + given)
            }
            StartRow::Recent(entry) => {
                let labels = self.cx.name_cache.labels();
                let own = row.address().and_then(|address| labels.decorated_name(&address));
                let names: Vec<&str> =
                    own.as_deref().into_iter().chain(self.known_name(row)).collect();
                (entry.kind().to_owned(), self.hash_column(row) + &names.join(" "))
            }
        };
        let name = cut(&name, self.name_width(row) - 2);
        let space = " ".repeat(self.name_width(row).saturating_sub(format::width(&name)));
        [&*name, &space, &rest].concat().trim_end().to_owned()
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
