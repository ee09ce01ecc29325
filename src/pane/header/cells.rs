//! The cells of a header: values that are selected, copied and opened while the header has the focus.
//!
//! A header computes its cells from its data and its area whenever it draws or acts, so that only the
//! number of the selected one is state. The first cell is the address of the page.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::action::Action;
use crate::chain::target::TargetKind;
use crate::chain::{Address, TxHash};
use crate::messages::{list, page, unavailable};
use crate::pane::{Availability, Command, PaneContext, Route, copy_or_confirm};
use crate::ui::document::{EntryCell, EntryLink};
use crate::ui::format::width;
use crate::ui::selection::draw_selection;
use crate::ui::table::{Align, RowCell, draw_row};
use crate::ui::text::draw_text;
use crate::ui::theme::Role;

/// Columns of an address, with a space at its right.
const ADDRESS_COLUMNS: u16 = 43;

/// A value in a header, with its place on the screen.
#[derive(Debug)]
pub struct HeaderCell {
    area: Rect,
    /// Words before the value.
    lead: &'static str,
    /// Name of the value in messages.
    label: &'static str,
    cell: EntryCell,
}

impl HeaderCell {
    pub fn new(lead: &'static str, label: &'static str, cell: EntryCell) -> Self {
        Self { area: Rect::ZERO, lead, label, cell }
    }

    /// Creates the cell of the page's address, which `draw_names` draws at the end of a line.
    pub fn address(address: &Address, line: Rect) -> Self {
        let columns = ADDRESS_COLUMNS.min(line.width);
        let area = Rect { x: line.right() - columns, width: columns.saturating_sub(1), ..line };
        let text = address.to_string();
        let cell = EntryCell::new(text.clone(), Role::Link).copy(text);
        Self { area, ..Self::new("", list::PAGE_ADDRESS, cell) }
    }

    /// Creates the cell of a transaction.
    pub fn transaction(
        lead: &'static str,
        label: &'static str,
        hash: TxHash,
        text: String,
    ) -> Self {
        let link = EntryLink::Target(TargetKind::Transaction(hash));
        Self::new(lead, label, EntryCell::new(text, Role::Link).link(link).copy(hash.to_string()))
    }

    fn route(&self) -> Option<Route> {
        match &self.cell.link {
            Some(EntryLink::Target(target)) => Some(Route::Target(target.clone())),
            Some(EntryLink::Token(token)) => Some(Route::Token(*token)),
            _ => None,
        }
    }

    fn copy(&self, cx: &PaneContext<'_>) -> Option<Command> {
        Some(copy_or_confirm(self.label, self.cell.copy.clone()?, cx, &[]))
    }

    fn draw(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let lead = u16::try_from(width(self.lead)).unwrap_or(u16::MAX);
        let before = Rect { x: self.area.x.saturating_sub(lead), width: lead, ..self.area };
        draw_text(buf, before, self.lead, cx.styles.of(Role::Dim));
        let cell = RowCell::new(self.cell.cell.clone(), self.area.width, Align::Left);
        draw_row(buf, self.area, [cell], cx.styles);
    }
}

/// Lays cells out from the left end of a line, as far as they fit.
pub fn lay_out(cells: impl IntoIterator<Item = HeaderCell>, line: Rect) -> Vec<HeaderCell> {
    let mut x = line.x;
    let placed = cells.into_iter().map_while(|cell| {
        let lead = u16::try_from(width(cell.lead)).unwrap_or(u16::MAX);
        let area = Rect { x: x.saturating_add(lead), width: cell.cell.width(), ..line };
        x = area.right();
        (x <= line.right()).then_some(HeaderCell { area, ..cell })
    });
    placed.collect()
}

/// Draws cells that were laid out on a line. Returns the space after them.
pub fn draw_cells(
    cells: &[HeaderCell],
    line: Rect,
    cx: &PaneContext<'_>,
    buf: &mut Buffer,
) -> Rect {
    for cell in cells {
        cell.draw(cx, buf);
    }
    let x = cells.last().map_or(line.x, |cell| cell.area.right());
    Rect { x, width: line.right().saturating_sub(x), ..line }
}

/// The selected one of a header's cells.
#[derive(Debug, Default)]
pub struct HeaderCursor(usize);

impl HeaderCursor {
    fn selected<'a>(&self, cells: &'a [HeaderCell]) -> Option<&'a HeaderCell> {
        cells.get(self.0).or(cells.first())
    }

    pub fn selected_address(&self, cells: &[HeaderCell]) -> Option<Address> {
        self.selected(cells)?.cell.cell.address
    }

    pub fn availability(&self, action: Action, cells: &[HeaderCell]) -> Availability {
        match action {
            Action::NextCell | Action::PreviousCell => {
                Availability::enabled_if(cells.len() > 1, unavailable::NO_OTHER_CELL)
            }
            Action::Open => {
                let opens = self.selected(cells).is_some_and(|cell| cell.route().is_some());
                Availability::enabled_if(opens, page::NOTHING_TO_OPEN)
            }
            Action::CopyCell => {
                let copies = self.selected(cells).is_some_and(|cell| cell.cell.copy.is_some());
                Availability::supported_if(copies)
            }
            Action::CopyAddress => Availability::supported_if(!cells.is_empty()),
            _ => Availability::Unsupported,
        }
    }

    /// Carries out an action that is available.
    pub fn act(
        &mut self,
        action: Action,
        cells: &[HeaderCell],
        cx: &PaneContext<'_>,
    ) -> Vec<Command> {
        let selected = self.selected(cells);
        match action {
            Action::NextCell => self.0 = (self.0 + 1).min(cells.len().saturating_sub(1)),
            Action::PreviousCell => self.0 = self.0.saturating_sub(1),
            Action::Open => {
                let route = selected.and_then(HeaderCell::route);
                return route.map(Command::Navigate).into_iter().collect();
            }
            Action::CopyCell => {
                return selected.and_then(|cell| cell.copy(cx)).into_iter().collect();
            }
            Action::CopyAddress => {
                let of_cell = selected.filter(|cell| cell.cell.cell.address.is_some());
                let cell = of_cell.or(cells.first());
                return cell.and_then(|cell| cell.copy(cx)).into_iter().collect();
            }
            _ => {}
        }
        Vec::new()
    }

    /// Selects the cell at a position.
    pub fn click(&mut self, at: Position, cells: &[HeaderCell]) {
        let clicked = cells.iter().position(|cell| cell.area.contains(at));
        self.0 = clicked.unwrap_or(self.0);
    }

    /// Tints the selected cell while the header has the focus.
    pub fn draw(&self, cells: &[HeaderCell], cx: &PaneContext<'_>, buf: &mut Buffer) {
        if let Some(selected) = self.selected(cells).filter(|_| cx.styles.is_focused()) {
            draw_selection(buf, selected.area, cx.styles.selection());
            draw_selection(buf, selected.area, cx.styles.of(Role::Cell));
        }
    }
}
