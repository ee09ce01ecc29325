//! The panel with the detail of the selected call: its focus, its value format and its document.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::DetailOptions;
use crate::abi::ValueFormat;
use crate::action::Action;
use crate::chain::Address;
use crate::chain::target::TargetKind;
use crate::keymap::key_placeholders::KeyPlaceholders;
use crate::pane::detail::JSON_LABEL;
use crate::pane::trace::failure_lines::LineAnswer;
use crate::pane::{Command, Route};
use crate::trace::log_rows::TraceRow;
use crate::ui::document::{
    Document, DocumentClick, DocumentEntry, EntryLink, EntryValue, LineColumns,
};
use crate::ui::frame::ScrollExtent;
use crate::ui::theme::Styles;

/// Minimum width of a detail in two columns: of one below the calls on a screen that could have it to their right.
const MIN_COLUMNS_OF_TWO: u16 = 166;

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
enum DetailMode {
    /// Below the calls, without focus.
    #[default]
    Preview,
    /// Below the calls, with focus.
    Focused,
    /// With focus: on half of a wide screen, or below the calls for which it has no use of the lines, if there are any.
    Enlarged,
}

/// The content of the document, to detect when it is outdated.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ShownCall {
    number: u32,
    /// The log that is shown instead.
    log: Option<TraceRow>,
    value_format: ValueFormat,
    full: bool,
    is_enlarged: bool,
    is_unfinished: bool,
    columns: u16,
}

impl ShownCall {
    pub fn options<'a>(
        self,
        keys: KeyPlaceholders<'a>,
        failure_line: Option<&'a LineAnswer>,
    ) -> DetailOptions<'a> {
        let Self { value_format, full, columns, .. } = self;
        DetailOptions { value_format, full, columns, keys, failure_line, is_compared: false }
    }
}

#[derive(Debug, Default)]
pub struct DetailPanel {
    document: Document,
    shown: Option<ShownCall>,
    /// `true` if more is known of the call since.
    is_stale: bool,
    mode: DetailMode,
    value_format: ValueFormat,
}

impl DetailPanel {
    /// Returns an empty panel with the same mode and format.
    pub fn emptied(&self) -> Self {
        Self { mode: self.mode, value_format: self.value_format, ..Self::default() }
    }

    pub fn has_focus(&self) -> bool {
        self.mode != DetailMode::Preview
    }

    pub fn is_enlarged(&self) -> bool {
        self.mode == DetailMode::Enlarged
    }

    pub fn line_count(&self) -> usize {
        self.document.line_count()
    }

    pub fn unfocus(&mut self) {
        self.mode = DetailMode::Preview;
    }

    pub fn toggle_focus(&mut self) {
        self.mode = if self.has_focus() { DetailMode::Preview } else { DetailMode::Focused };
    }

    pub fn toggle_enlarged(&mut self) {
        self.mode = if self.is_enlarged() { DetailMode::Preview } else { DetailMode::Enlarged };
    }

    /// Changes the format of decoded values and returns its name.
    pub fn cycle_value_format(&mut self) -> &'static str {
        self.value_format = self.value_format.next();
        self.value_format.into()
    }

    /// Has the document made again. The cursor and the folds stay while the panel has the focus.
    pub fn invalidate(&mut self) {
        self.is_stale = true;
    }

    /// Describes the document for a call in the current mode and format.
    pub fn wanted(
        &self,
        number: u32,
        log: Option<TraceRow>,
        is_unfinished: bool,
        columns: u16,
    ) -> ShownCall {
        ShownCall {
            number,
            log,
            columns,
            value_format: self.value_format,
            full: self.has_focus(),
            is_enlarged: self.is_enlarged(),
            is_unfinished,
        }
    }

    pub fn is_up_to_date(&self, wanted: ShownCall) -> bool {
        !self.is_stale && self.shown == Some(wanted)
    }

    /// Replaces the document. Cursor and folds stay if the call is the same and nothing new is known of it, or
    /// the user is in the panel.
    pub fn set(&mut self, call: ShownCall, entries: Vec<DocumentEntry>, area: Rect) {
        let is_same =
            self.shown.is_some_and(|shown| (shown.number, shown.log) == (call.number, call.log));
        // Without the focus nothing was folded, and more may fit now.
        let is_enlarged = call.is_enlarged && self.shown.is_some_and(|shown| !shown.full);
        if !is_same || is_enlarged || self.is_stale && !self.has_focus() {
            self.document = Document::with_one_column();
        }
        self.is_stale = false;
        // Below the fields the JSON has a column of values of its own.
        let second = match Self::columns(area) {
            Some(_) => first_data(&entries),
            // An argument may have the label too.
            None => entries.iter().rposition(|e| e.level == 0 && &*e.label == JSON_LABEL),
        };
        self.document.set_second_column(second);
        self.document.resize(Self::lines_area(area));
        self.document.set(entries);
        self.shown = Some(call);
    }

    pub fn resize(&mut self, area: Rect) {
        self.document.resize(Self::lines_area(area));
    }

    pub fn extent(&self, area: Rect) -> ScrollExtent {
        match Self::columns(area) {
            Some(columns) => columns.extent(&self.document),
            None => self.document.extent(area),
        }
    }

    /// Returns the columns of a wide detail, which has two.
    fn columns(area: Rect) -> Option<LineColumns> {
        (area.width >= MIN_COLUMNS_OF_TWO).then(|| LineColumns::new(area))
    }

    /// Returns the area of all lines, as if the second column were below the first one.
    pub fn lines_area(area: Rect) -> Rect {
        Self::columns(area).map_or(area, LineColumns::flow)
    }

    /// Draws the panel. `highlight` is the address to highlight.
    pub fn draw(&self, area: Rect, highlight: Option<Address>, buf: &mut Buffer, styles: &Styles) {
        if let Some(columns) = Self::columns(area) {
            columns.draw((&self.document, self.has_focus()), highlight, buf, styles);
        } else if self.has_focus() {
            self.document.view(area, highlight, buf, styles);
        } else {
            self.document.draw_lines(area, highlight, buf, styles);
        }
    }

    /// Returns the selected line, if the panel has the focus.
    pub fn selected(&self) -> Option<&DocumentEntry> {
        self.document.selected().filter(|_| self.has_focus())
    }

    fn selected_link(&self) -> Option<&EntryLink> {
        self.selected()?.link.as_ref()
    }

    pub fn selected_address(&self) -> Option<Address> {
        match self.selected_link()? {
            EntryLink::Target(TargetKind::Address(address)) => Some(*address),
            _ => None,
        }
    }

    pub fn act(&mut self, action: Action, area: Rect) -> Option<Vec<Command>> {
        let height = Self::lines_area(area).height;
        if let Some(by) = action.row_delta(height) {
            self.document.move_cursor(by, height);
            return Some(Vec::new());
        }
        match action {
            Action::NextCell => drop(self.document.fold(Some(true), height)),
            Action::PreviousCell => drop(self.document.fold(Some(false), height)),
            Action::Toggle => drop(self.document.fold(None, height)),
            Action::Open => match self.selected_link() {
                Some(EntryLink::Target(target)) => {
                    return Some(vec![Command::Navigate(Route::Target(target.clone()))]);
                }
                Some(EntryLink::Signature(hash)) => {
                    return Some(vec![Command::LookUp(vec![*hash])]);
                }
                Some(EntryLink::Call(transaction, path)) => {
                    return Some(vec![Command::OpenCall(*transaction, path.clone())]);
                }
                _ => drop(self.document.fold(None, height)),
            },
            Action::Back => self.unfocus(),
            _ => return None,
        }
        Some(Vec::new())
    }

    /// Focuses the panel, or opens the selected line if it had the focus. Returns `None` if there is no
    /// line.
    pub fn click(&mut self, at: Position, area: Rect) -> Option<Vec<Command>> {
        let had_focus = self.has_focus();
        let place = match Self::columns(area) {
            Some(columns) => columns.place(at, &self.document)?,
            None => at,
        };
        let click = self.document.click(place, Self::lines_area(area))?;
        if !had_focus {
            self.mode = DetailMode::Focused;
        }
        let opens = had_focus && click == DocumentClick::SelectedLine;
        let commands = opens.then(|| self.act(Action::Open, area)).flatten();
        Some(commands.unwrap_or_default())
    }

    pub fn scroll(&mut self, by: isize, area: Rect) {
        self.document.scroll(by, Self::lines_area(area).height);
    }
}

/// Returns the place of the first data, which begin the second of two columns.
fn first_data(entries: &[DocumentEntry]) -> Option<usize> {
    let has_data = |pair: &[DocumentEntry]| match pair {
        [size, data] => size.level == 0 && matches!(data.value, EntryValue::Hex(_)),
        _ => false,
    };
    entries.windows(2).position(has_data)
}
