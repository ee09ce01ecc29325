//! The start page: the chain's latest blocks and transactions, watched addresses, recent pages, accounts of a
//! development node, and highlights of the demo chain.
//!
//! `chain_feed` has the blocks and transactions and everything else that the page requests; `rows` makes sections of
//! the rest, which the app knows already. The cursor goes through all of them as one list, by row instead of by
//! position, so that it stays while new blocks come. `layout` divides the page, `feed_list` and `row_format` draw.

mod chain_feed;
mod feed_list;
mod layout;
mod row_format;
mod rows;

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Position, Rect};

use super::{Availability, Command, Pane, PaneContext, PaneEvent, PaneState, copy_or_confirm};
use crate::action::{Action, Step};
use crate::api::ApiError;
use crate::chain::Address;
use crate::chain::network::Endpoint;
use crate::columns::CopyValue;
use crate::keymap::KeyContext;
use crate::messages::{prompt, start};
use crate::safety::address_poisoning::Evidence;
use crate::ui::frame::{
    draw_frame, draw_frame_status, draw_frame_title, draw_rule, draw_scrollbar,
};
use crate::ui::selection::draw_selection;
use crate::ui::text::draw_pieces;
use crate::ui::theme::Role;
use crate::ui::viewport::Viewport;
use chain_feed::ChainFeed;
use layout::{StartLayout, body_height};
use row_format::RowFormat;
use rows::{
    StartLine, StartRow, StartSection, lines_of, listed_rows, panels, section_title, sections,
};

#[derive(Debug, Default)]
pub struct StartPane {
    selected: Option<StartRow>,
    /// The position at which it was last.
    selected_index: usize,
    /// The user has moved the selection, or used the row. Until then it is the first row.
    user_selected: bool,
    feed: ChainFeed,
}

/// From this width on there is space for longer hints.
const MIN_HINT_WIDTH: u16 = 100;

/// Returns the command that copies a row, after a confirmation if it resembles another one.
fn copy(row: StartRow, listed: &[StartRow], cx: &PaneContext<'_>) -> Command {
    let Some(address) = row.address() else {
        return Command::copy(row.copied_name(), row.hash().into());
    };
    let mut known_addresses = cx.known_addresses.clone();
    for address in listed.iter().filter_map(|row| row.address()) {
        known_addresses.add(address, Evidence::Seen);
    }
    let cx = PaneContext { known_addresses: &known_addresses, ..*cx };
    copy_or_confirm(row.copied_name(), address.to_string().into(), &cx, &[])
}

impl StartPane {
    fn sections(&self, cx: &PaneContext<'_>) -> Vec<StartSection> {
        sections(&self.feed.accounts(), cx)
    }

    /// Returns all rows that the cursor can be on.
    fn rows(&self, cx: &PaneContext<'_>) -> Vec<StartRow> {
        let listed = listed_rows(&self.sections(cx));
        self.feed.rows(cx).into_iter().chain(listed).collect()
    }

    fn selected_row(&self, cx: &PaneContext<'_>) -> Option<StartRow> {
        let rows = self.rows(cx);
        rows.get(self.position(&rows)).copied()
    }

    fn position(&self, rows: &[StartRow]) -> usize {
        let same = rows.iter().position(|row| Some(*row) == self.selected);
        // A row that is gone gives way to another row of its panel.
        let found = self.selected.and_then(|row| panels(rows).into_iter().nth(row.panel()));
        let panel = found.filter(|panel| !panel.is_empty()).unwrap_or(0..rows.len());
        same.unwrap_or_else(|| {
            self.selected_index.min(panel.end.saturating_sub(1)).max(panel.start)
        })
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
        let [_, transactions, list] = panels(&rows);
        let first = [list, transactions]
            .iter()
            .find(|panel| !panel.is_empty())
            .map_or(0, |panel| panel.start);
        let at = if self.user_selected { self.position(&rows) } else { first };
        self.select(at, &rows);
    }

    /// Goes to the same line of the next panel that has rows, or of the previous one.
    fn select_panel(&mut self, step: Step, cx: &PaneContext<'_>) {
        let rows = self.rows(cx);
        let at = self.position(&rows);
        let mut shown = panels(&rows).to_vec();
        shown.retain(|panel| !panel.is_empty());
        let Some(now) = shown.iter().position(|panel| panel.contains(&at)) else { return };
        let places = if step == Step::Next { 1 } else { shown.len() - 1 };
        let (from, to) = (&shown[now], &shown[(now + places) % shown.len()]);
        self.user_select((to.start + at - from.start).min(to.end - 1), &rows);
    }

    /// Moves the selection within its panel.
    fn go(&mut self, by: isize, cx: &PaneContext<'_>) {
        let rows = self.rows(cx);
        let at = self.position(&rows);
        let Some(panel) = panels(&rows).into_iter().find(|panel| panel.contains(&at)) else {
            return;
        };
        let to = at.saturating_add_signed(by).clamp(panel.start, panel.end - 1);
        self.user_select(to, &rows);
    }

    fn user_select(&mut self, at: usize, rows: &[StartRow]) {
        self.user_selected = true;
        self.select(at, rows);
    }
}

impl Pane for StartPane {
    fn activate(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.restore_selection(cx);
        // The timer is a message, which the event loop handles after the first frame.
        vec![Command::Wake(Duration::ZERO)]
    }

    fn on_cancelled(&mut self, _: &PaneContext<'_>) {
        self.feed.cancel();
    }

    fn availability(&self, action: Action, cx: &PaneContext<'_>) -> Availability {
        match action {
            Action::Open | Action::CopyCell => {
                let reason = start::NOTHING_YET;
                Availability::enabled_if(self.selected_row(cx).is_some(), reason)
            }
            Action::CopyAddress | Action::CopyHash => {
                Availability::supported_if(self.copied_value(action, cx).is_some())
            }
            Action::RemoveRow => match self.selected_row(cx) {
                Some(StartRow::Watched(_) | StartRow::Recent(_)) => Availability::Enabled,
                _ => Availability::Disabled(start::ONLY_OWN_ROWS),
            },
            Action::Refresh => Availability::Enabled,
            Action::NextPanel | Action::PreviousPanel | Action::NextCell | Action::PreviousCell => {
                Availability::enabled_if(
                    panels(&self.rows(cx)).iter().filter(|panel| !panel.is_empty()).count() > 1,
                    start::NO_OTHER_PANEL,
                )
            }
            Action::Follow => Availability::enabled_if(
                cx.network.endpoint != Endpoint::Embedded,
                start::DEMO_STANDS_STILL,
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
            Action::NextPanel | Action::NextCell => {
                self.select_panel(Step::Next, cx);
                return Vec::new();
            }
            Action::PreviousPanel | Action::PreviousCell => {
                self.select_panel(Step::Previous, cx);
                return Vec::new();
            }
            _ => {}
        }
        let Some(row) = self.selected_row(cx) else { return Vec::new() };
        // Rows that appear later in other panels do not take the focus.
        self.user_selected = true;
        let command = match action {
            Action::Open => row.link().map(Command::Navigate),
            Action::RemoveRow => Some(row.removal()),
            _ => Some(copy(row, &self.rows(cx), cx)),
        };
        command.into_iter().collect()
    }

    fn on_event(&mut self, event: PaneEvent<'_>, cx: &PaneContext<'_>) -> Vec<Command> {
        match event {
            PaneEvent::Resized => {
                self.restore_selection(cx);
                return self.feed.on_resize(cx);
            }
            PaneEvent::NamesChanged => {
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
            PaneEvent::RetryFailed => return self.feed.retry_failed(cx),
            PaneEvent::ChainRolledBack => {
                self.feed.forget();
                return self.feed.request(cx);
            }
            PaneEvent::Click(at) => return self.on_click(at, cx).unwrap_or_default(),
            PaneEvent::Wheel { rows: by, .. } => self.go(by, cx),
            _ => {}
        }
        Vec::new()
    }

    fn unknown_tokens(&self, cx: &PaneContext<'_>) -> Vec<Address> {
        self.feed.unknown_tokens(cx)
    }

    fn view(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let sections = self.sections(cx);
        let rows = self.rows(cx);
        let listed = listed_rows(&sections);
        let lines = lines_of(&sections);
        let layout = StartLayout::new(cx.area, lines.len().max(1));
        draw_go_to(layout.go_to, cx, buf);
        if layout.has_feed() && layout.go_to.height > 1 {
            self.feed.draw_vitals(layout.go_to, cx, buf);
        }
        let selected = rows.get(self.position(&rows)).copied();
        let in_feed = listed.is_empty() || self.position(&rows) < rows.len() - listed.len();
        if layout.has_feed() {
            self.feed.view(layout.feed, (in_feed, selected.filter(|_| in_feed)), cx, buf);
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
                draw_selection(buf, place, cx.styles.selection());
            }
        }
        if lines.is_empty() {
            let hint = start::NOTHING_YET_WATCH;
            let line = layout.rows.inner(Margin::new(1, 0));
            cx.draw_message(line, &cx.keys.expand(hint), Role::Dim, buf);
            return;
        }
        let number = (self.position(&rows) + 1).checked_sub(rows.len() - listed.len());
        if let Some(number @ 1..) = number {
            let position = format!("{number} of {}", listed.len());
            draw_frame_status(buf, layout.frame, &position, cx.styles.in_frame(Role::Dim));
        }
        let extent = viewport.extent(lines.len(), layout.rows);
        draw_scrollbar(buf, layout.frame, &extent, cx.styles.of(Role::Accent));
    }

    fn state(&self) -> PaneState {
        let tick_interval = self.feed.tick_interval();
        PaneState { key_context: KeyContext::Start, tick_interval, ..PaneState::default() }
    }

    fn describes_wait(&self) -> bool {
        self.feed.describes_wait()
    }

    fn can_recover(&self) -> bool {
        self.feed.can_recover()
    }

    fn reported_failure(&self, cx: &PaneContext<'_>) -> Option<&ApiError> {
        self.feed.common_failure(cx)
    }

    fn address(&self, cx: &PaneContext<'_>) -> Option<Address> {
        self.selected_row(cx)?.address()
    }

    fn copied_value(&self, action: Action, cx: &PaneContext<'_>) -> Option<CopyValue> {
        let row = self.selected_row(cx)?;
        let has_value = match action {
            Action::CopyCell => true,
            Action::CopyAddress => row.address().is_some(),
            Action::CopyHash => row.address().is_none(),
            _ => false,
        };
        has_value.then(|| CopyValue::new(action, row.copied_name(), Some(row.hash())))
    }
}

impl StartPane {
    fn on_click(&mut self, at: Position, cx: &PaneContext<'_>) -> Option<Vec<Command>> {
        let layout = StartLayout::new(cx.area, lines_of(&self.sections(cx)).len().max(1));
        if layout.go_to.contains(at) {
            return Some(vec![Command::GoTo]);
        }
        let rows = self.rows(cx);
        let clicked = self.row_at(at, &rows, cx)?;
        let at = rows.iter().position(|row| *row == clicked)?;
        if at == self.position(&rows) {
            return Some(self.act(Action::Open, cx));
        }
        self.user_select(at, &rows);
        Some(Vec::new())
    }

    fn row_at(&self, at: Position, rows: &[StartRow], cx: &PaneContext<'_>) -> Option<StartRow> {
        let sections = self.sections(cx);
        let lines = lines_of(&sections);
        let layout = StartLayout::new(cx.area, lines.len().max(1));
        if let Some(row) = self.feed.row_at(at, layout.feed) {
            return Some(row);
        }
        let line = self.viewport(rows, &lines, cx).line_at(at, layout.rows, lines.len())?;
        match lines.get(line)? {
            StartLine::Row(row) => Some(*row),
            StartLine::Title(_) => None,
        }
    }
}

fn draw_go_to(area: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
    let is_framed = area.height > 1;
    let line = if is_framed { area.inner(Margin::new(2, 1)) } else { area };
    if is_framed {
        draw_frame(buf, area, cx.styles.of(Role::Border));
        draw_frame_title(buf, area, prompt::GO_TO_BOX_TITLE, cx.styles.in_frame(Role::Title));
    }
    let (paste_hint, lists) = match line.width {
        ..MIN_HINT_WIDTH => ("", start::LISTS),
        _ => (start::PASTE_HINT, start::LISTS_OF_CHAIN),
    };
    let pieces = [
        ("⌕ {go_to}", Role::Accent),
        ("  ", Role::Plain),
        (start::GO_TO_HINT, Role::Plain),
        (paste_hint, Role::Dim),
        ("  ·  ", Role::Dim),
        ("{lists}", Role::Accent),
        ("  ", Role::Plain),
        (lists, Role::Plain),
    ]
    .map(|(text, role)| (cx.keys.expand(text), cx.styles.of(role)));
    draw_pieces(buf, line, pieces);
}
