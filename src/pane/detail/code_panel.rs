//! The code next to a document, at the place of the selected entry.

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect};

use super::DetailPane;
use crate::pane::export::SourcePlace;
use crate::pane::{Command, PaneContext};
use crate::ui::document::{Document, DocumentClick, EntryLink};
use crate::ui::format::cut;
use crate::ui::frame::draw_divider;
use crate::ui::text::draw_pieces;
use crate::ui::theme::{Role, Styles};

/// Narrower panes have the code in the document, or alone. Frame and margins take the rest of 120 columns.
const MIN_COLUMNS: u16 = 116;
/// The minimum fits an address with its label and its mark. More is of more use to the code.
const DOCUMENT_COLUMNS: [u16; 2] = [59, 68];

/// Returns the columns of a document next to its code, if there is space for both.
pub fn columns_next_to_code(area: Rect) -> Option<u16> {
    let [least, most] = DOCUMENT_COLUMNS;
    (area.width >= MIN_COLUMNS).then(|| (area.width * 2 / 5).clamp(least, most))
}

#[derive(Debug, Default)]
pub(super) struct CodePanel {
    pub(super) document: Document,
    pub(super) has_focus: bool,
    /// `true` if the code has the whole pane while it has the focus.
    is_wide: bool,
    /// Columns of its longest line.
    width: u16,
    /// `true` if there may be more of it.
    pub(super) is_stale: bool,
}

/// Areas of a document and its code.
#[derive(Debug, Clone, Copy)]
pub(super) struct CodeLayout {
    pub(super) document: Rect,
    divider: Rect,
    title: Rect,
    pub(super) lines: Rect,
}

impl CodeLayout {
    fn new(area: Rect, is_wide: bool) -> Option<Self> {
        let columns = columns_next_to_code(area).or(is_wide.then_some(0))?;
        let between = [Constraint::Length(1); 2];
        let widths = [Constraint::Length(columns), between[0], between[1], Constraint::Min(0)];
        let [document, _, divider, code] = area.layout(&Layout::horizontal(widths));
        let code = if is_wide { area } else { code };
        let heights = [Constraint::Length(1), Constraint::Min(0)];
        let [title, lines] = code.layout(&Layout::vertical(heights));
        Some(Self { document, divider, title, lines })
    }

    fn is_in_code(&self, at: Position) -> bool {
        at.x >= self.title.x
    }
}

impl CodePanel {
    pub(super) fn layout(&self, area: Rect) -> Option<CodeLayout> {
        CodeLayout::new(area, self.is_alone())
    }

    /// Returns `true` if a line is longer than the area is wide.
    pub(super) fn has_long_lines(&self) -> bool {
        self.width > self.document.columns()
    }

    pub(super) fn is_alone(&self) -> bool {
        self.is_wide && self.has_focus
    }

    /// Draws the file name and the line above the code, and the divider to the document.
    pub(super) fn draw(&self, layout: CodeLayout, buf: &mut Buffer, styles: &Styles) {
        if !self.is_alone() {
            draw_divider(buf, layout.divider, styles.border());
        }
        if let Some((file, line)) = self.document.selected_code() {
            let line = line.map(|line| format!(":{}", line.number)).unwrap_or_default();
            let columns = usize::from(layout.title.width).saturating_sub(line.len() + 1);
            let role = if self.has_focus { Role::Accent } else { Role::Title };
            let path = file.copy_text();
            let path = (cut(&path, columns), styles.of(role));
            let space = (" ".into(), styles.of(Role::Plain));
            draw_pieces(buf, layout.title, [space, path, (line.into(), styles.of(Role::Dim))]);
        }
        self.document.view(layout.lines, None, buf, styles);
    }
}

impl DetailPane {
    /// Shows the code next to the document, if there is code and space for both.
    pub(super) fn set_code(&mut self, cx: &PaneContext<'_>) {
        let source = self.loaded.as_ref().and_then(|loaded| loaded.source.as_ref().ok());
        let contract = source.and_then(|source| source.contract());
        let is_wide = self.code.as_ref().is_some_and(CodePanel::is_alone);
        let layout = CodeLayout::new(cx.area, is_wide);
        if let (Some(code), Some(layout)) = (&mut self.code, layout)
            && !code.is_stale
        {
            return code.document.resize(layout.lines);
        }
        let shown = contract.zip(layout).map(|(shown, layout)| (shown, layout, shown.code()));
        let Some((contract, layout, entries)) = shown.filter(|(.., code)| !code.is_empty()) else {
            self.code = None;
            return;
        };
        let CodePanel { document, is_stale, width, .. } = self.code.get_or_insert_default();
        let is_new = document.selected_code().is_none();
        *is_stale = false;
        document.resize(layout.lines);
        document.set(entries);
        *width = document.code_width();
        if let Some(line) = contract.first_code_line().filter(|_| is_new) {
            document.show_code_line(line, layout.lines.height);
            document.scroll_to_selected(layout.lines.height);
        }
    }

    pub(super) fn mark_code_stale(&mut self) {
        if let Some(code) = &mut self.code {
            code.is_stale = true;
        }
    }

    pub(super) fn is_code_focused(&self) -> bool {
        self.code.as_ref().is_some_and(|code| code.has_focus)
    }

    pub(super) fn focus_code(&mut self, has_focus: bool) {
        if let Some(code) = &mut self.code {
            code.has_focus = has_focus;
        }
    }

    /// Moves the focus to the code, which has the whole pane if its lines are longer than its part, or back.
    pub(super) fn toggle_code_focus(&mut self, cx: &PaneContext<'_>) {
        let Some(layout) = self.code_layout(cx) else { return self.zoom_code(cx) };
        if let Some(code) = &mut self.code {
            code.is_wide |= code.width > layout.lines.width;
        }
        self.focus_code(!self.is_code_focused());
        self.set_code(cx);
    }

    /// Gives the code the whole pane, or shows the document again, next to it if there is space.
    pub(super) fn zoom_code(&mut self, cx: &PaneContext<'_>) {
        let is_new = self.code.is_none();
        let code = self.code.get_or_insert_default();
        code.is_stale |= is_new;
        code.is_wide = !code.is_alone();
        code.has_focus |= code.is_wide;
        self.set_code(cx);
    }

    /// Returns the document that keys go to: the object, or its code.
    pub(super) fn focused(&self) -> &Document {
        match &self.code {
            Some(code) if code.has_focus => &code.document,
            _ => &self.document,
        }
    }

    /// Returns the document that keys go to, and its height.
    pub(super) fn focused_mut(&mut self, cx: &PaneContext<'_>) -> (&mut Document, u16) {
        let height = self.document_height(cx);
        match (self.code_layout(cx), &mut self.code) {
            (Some(layout), Some(code)) if code.has_focus => {
                (&mut code.document, layout.lines.height)
            }
            _ => (&mut self.document, height),
        }
    }

    /// Returns the line of the code that belongs to the selected entry.
    pub(super) fn declaration_line(&self) -> Option<usize> {
        self.code.as_ref().filter(|code| !code.has_focus)?;
        let entry = self.document.selected()?;
        if let Some(EntryLink::CodeLine(line)) = entry.link {
            return Some(line);
        }
        let place = SourcePlace::Definition(entry.declared_name()?.into());
        self.contract()?.code_line(&place)
    }

    /// Shows the code of the selected entry.
    pub(super) fn follow(&mut self, cx: &PaneContext<'_>) {
        if let Some(line) = self.declaration_line()
            && let Some(layout) = self.code_layout(cx)
            && let Some(code) = &mut self.code
        {
            code.document.show_code_line(line, layout.lines.height);
        }
    }

    pub(super) fn scroll(&mut self, rows: isize, at: Position, cx: &PaneContext<'_>) {
        let height = self.document_height(cx);
        match (self.code_layout(cx), &mut self.code) {
            (Some(layout), Some(code)) if layout.is_in_code(at) => {
                code.document.scroll(rows, layout.lines.height);
            }
            _ => {
                self.document.scroll(rows, height);
                self.follow(cx);
            }
        }
    }

    pub(super) fn on_click(&mut self, at: Position, cx: &PaneContext<'_>) -> Vec<Command> {
        if let Some(layout) = self.code_layout(cx).filter(|layout| layout.is_in_code(at)) {
            self.focus_code(true);
            let (document, _) = self.focused_mut(cx);
            document.click(at, layout.lines);
            self.follow(cx);
            return Vec::new();
        }
        self.focus_code(false);
        let place = self.document_place(at, cx).filter(|_| self.loaded.is_some());
        let area = self.areas(cx).0;
        let clicked = place.and_then(|place| self.document.click(place, area));
        self.follow(cx);
        match clicked {
            Some(DocumentClick::SelectedLine) => self.open(cx),
            _ => Vec::new(),
        }
    }
}
