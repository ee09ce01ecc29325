//! Drawing of a detail pane.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Direction, Layout, Rect};

use super::json_entries::JSON_LABEL;
use super::source::DetailRequest;
use super::{CodeLayout, DetailPane};
use crate::api::ApiError;
use crate::chain::{Address, TxHash};
use crate::messages::{list, page};
use crate::pane::PaneContext;
use crate::pane::failure_report::FailedRequest;
use crate::pane::picture;
use crate::ui::format::wrapped_lines;
use crate::ui::frame::draw_scrollbar;
use crate::ui::text::draw_text;
use crate::ui::theme::{Role, Styles};

/// A picture with its frame is not narrower, and the frame without one not wider.
const MIN_PICTURE_WIDTH: u16 = 16;
/// Columns of a label, a short address and a name, which stay free next to a picture.
const MIN_TEXT_WIDTH: u16 = 38;
/// Lines of the facts and a few traits, which stay free below a picture.
const MIN_TEXT_HEIGHT: u16 = 18;

/// Returns the columns of a picture on the left of a document, of at most so many columns, as far as both have
/// space. `None` in a narrow pane, and in a high one where the picture is much larger above the document.
fn picture_columns(area: Rect, most: u16) -> Option<u16> {
    let Rect { width, height, .. } = area;
    // A cell is about twice as high as wide.
    let columns = height.saturating_mul(2).min(width.saturating_sub(MIN_TEXT_WIDTH + 1)).min(most);
    let is_small = columns.saturating_mul(3) / 2 < columns_above(area).min(most);
    Some(columns).filter(|columns| *columns >= MIN_PICTURE_WIDTH && !is_small)
}

/// Returns the columns of a picture above a document.
fn columns_above(area: Rect) -> u16 {
    let Rect { width, height, .. } = area;
    width.min(height.max(height.saturating_sub(MIN_TEXT_HEIGHT).saturating_mul(2)))
}

/// Returns the columns of a document next to a picture, or below it in a narrow pane.
pub fn columns_next_to_picture(area: Rect) -> u16 {
    picture_columns(area, u16::MAX).map_or(area.width, |picture| area.width - picture - 1)
}

impl DetailPane {
    /// Returns the areas of the document and of the frame of its picture, if there is one: on the left,
    /// or above a narrow document.
    pub(super) fn areas(&self, cx: &PaneContext<'_>) -> (Rect, Option<Rect>) {
        if let Some(layout) = self.code_layout(cx) {
            return (layout.document, None);
        }
        if let Some(flow) = self.flow_area(cx) {
            return (flow, None);
        }
        let most = match (self.picture(), self.mark()) {
            _ if !cx.pictures.is_on() => return (cx.area, None),
            (Some(_), _) => u16::MAX,
            (None, Some(_)) => MIN_PICTURE_WIDTH,
            (None, None) => return (cx.area, None),
        };
        let above = columns_above(cx.area).min(most);
        let (size, direction) = if let Some(on_left) = picture_columns(cx.area, most) {
            (on_left, Direction::Horizontal)
        } else if above >= MIN_PICTURE_WIDTH {
            (above / 2, Direction::Vertical)
        } else {
            return (cx.area, None);
        };
        let layout = Layout::new(direction, [Constraint::Length(size), Constraint::Min(0)]);
        let [picture, document] = cx.area.layout(&layout);
        // An even number leaves no half row below it.
        let width = picture.width.min(picture.height * 2) / 2 * 2;
        let height = (width.saturating_sub(2).div_ceil(2) + 2).min(picture.height);
        let picture = Rect { width, height, ..picture };
        let gap = u16::from(direction == Direction::Horizontal);
        (Rect { x: document.x + gap, width: document.width - gap, ..document }, Some(picture))
    }

    /// Returns the areas of the document and its code, if they are side by side.
    pub(super) fn code_layout(&self, cx: &PaneContext<'_>) -> Option<CodeLayout> {
        self.code.as_ref().and_then(|code| code.layout(cx.area))
    }

    pub(super) fn draw(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        if self.loaded.is_none() {
            return self.draw_state(cx, buf);
        }
        let (area, picture) = self.areas(cx);
        let highlight = self.document.selected_address().filter(|_| cx.settings.address_highlight);
        if let (Some(code), Some(layout)) = (&self.code, self.code_layout(cx)) {
            let unfocused = cx.styles.unfocused();
            let [document_styles, code_styles] =
                if code.has_focus { [&unfocused, cx.styles] } else { [cx.styles, &unfocused] };
            code.draw(layout, buf, code_styles);
            if !code.is_alone() {
                if code.has_focus {
                    self.document.draw_lines(area, None, buf, document_styles);
                } else {
                    self.draw_document(area, highlight, buf, document_styles);
                }
                let frame = Rect { width: area.width + 2, ..area };
                draw_scrollbar(buf, frame, &self.document.extent(area), cx.styles.of(Role::Accent));
            }
            return;
        }
        if self.draw_columns(highlight, cx, buf) {
            return;
        }
        self.draw_document(area, highlight, buf, cx.styles);
        let next_to_json = self.document.area_after(JSON_LABEL, area);
        if let Some((source, free)) = self.source().zip(next_to_json) {
            source.draw_next_to_json(free, cx, buf);
        }
        let lines = u16::try_from(self.document.line_count()).unwrap_or(u16::MAX);
        if let Some(source) =
            self.source().filter(|_| next_to_json.is_none() && lines < area.height)
        {
            let below = Rect { y: area.y + lines, height: area.height - lines, ..area };
            source.draw_below(below, cx, buf);
        }
        if let Some(area) = picture {
            picture::draw_framed(self.picture(), self.mark(), area, cx, buf);
        }
    }

    /// Returns `true` if there is a cursor: once the user has moved it. Raw JSON has one at once, as lists have.
    pub(super) fn shows_cursor(&self) -> bool {
        self.has_cursor || self.is_json()
    }

    fn draw_document(
        &self,
        area: Rect,
        highlight: Option<Address>,
        buf: &mut Buffer,
        styles: &Styles,
    ) {
        if self.shows_cursor() {
            self.document.view(area, highlight, buf, styles);
        } else {
            self.document.draw_lines(area, None, buf, styles);
        }
    }

    /// Draws the reason why there is no document.
    fn draw_state(&self, cx: &PaneContext<'_>, buf: &mut Buffer) {
        if let (Some(why), Some(error)) = (self.absence(cx), self.state.failure())
            && error.is_not_found()
        {
            let why = cx.keys.expand(why);
            return cx.draw_notice(cx.area, &[(&*why, Role::Plain)], buf);
        }
        let width = usize::from(cx.area.width).max(2);
        let title: Vec<&str> =
            wrapped_lines(&self.title, width).filter(|line| !line.is_empty()).collect();
        for (part, line) in title.iter().zip(cx.area.rows()) {
            draw_text(buf, line, part, cx.styles.of(Role::Accent));
        }
        let used = u16::try_from(title.len()).unwrap_or(u16::MAX).min(cx.area.height);
        let rest = Rect { y: cx.area.y + used, height: cx.area.height - used, ..cx.area };
        let query = self.request.as_ref().map(|request| &request.query);
        let is_loading =
            self.state.is_loading() || cx.is_busy && self.state.last_failure().is_none();
        if let Some(query) = query.filter(|_| is_loading) {
            return cx.draw_wait(query, rest, buf);
        }
        let text: Cow<'_, str> = match self.state.last_failure() {
            _ if is_loading => cx.with_spinner(list::LOADING).into(),
            Some(error) => {
                let subject = self.request.as_ref().and_then(DetailRequest::subject);
                return cx.draw_failure(&FailedRequest { error, subject, query }, rest, buf);
            }
            None => cx.keys.expand(page::NOT_LOADED),
        };
        for (part, line) in wrapped_lines(&text, width).zip(rest.rows()) {
            draw_text(buf, line, part, cx.styles.of(Role::Dim));
        }
    }

    /// Returns the hash of the page if there is no such transaction: it may be something else.
    pub(super) fn absent_transaction(&self) -> Option<TxHash> {
        let query = self.request.as_ref().map(|request| &request.query);
        let error = self.state.last_failure().filter(|_| self.loaded.is_none())?;
        FailedRequest { error, subject: None, query }.absent_transaction()
    }

    /// Returns the failure of a page that has nothing else to show.
    pub(super) fn failure_without_document(&self, cx: &PaneContext<'_>) -> Option<&ApiError> {
        let is_reported = self.loaded.is_none();
        let is_absence = |error: &&ApiError| error.is_not_found() && self.absence(cx).is_some();
        self.state.failure().filter(|error| is_reported && !is_absence(error))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn picture_is_above_a_document_where_it_is_much_larger() {
        let columns = |width, height| picture_columns(Rect::new(0, 0, width, height), u16::MAX);
        assert_eq!(columns(116, 36), Some(72));
        assert_eq!(columns(82, 55), None, "74 columns above");
        assert_eq!(columns(66, 27), Some(27));
        assert_eq!(columns(50, 30), None, "no space for text");
    }
}
