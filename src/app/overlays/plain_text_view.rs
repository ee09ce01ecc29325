//! The last copied text over the whole width of the screen, to be selected with the mouse where no
//! clipboard takes it.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::widgets::{Clear, Widget};

use crate::action::Action;
use crate::messages::prompt::OverlayText;
use crate::sanitize::SafeText;
use crate::ui::format::{cut, wrap};
use crate::ui::theme::{Role, Styles};
use crate::ui::viewport::Viewport;

#[derive(Debug)]
pub(in crate::app) struct PlainTextView {
    description: &'static str,
    text: SafeText,
    /// The byte range of each line.
    lines: Vec<Range<usize>>,
    viewport: Viewport,
}

/// Returns the area of the text: below the title and a heading, above the footer.
fn text_area(screen: Rect) -> Rect {
    Rect { y: screen.y + 2, height: screen.height.saturating_sub(3), ..screen }
}

fn text_height(size: Size) -> usize {
    usize::from(text_area(Rect::new(0, 0, size.width, size.height)).height)
}

impl PlainTextView {
    pub(in crate::app) fn new(what: &'static str, text: SafeText, size: Size) -> Self {
        let mut print =
            Self { description: what, text, lines: Vec::new(), viewport: Viewport::default() };
        print.layout(size);
        print
    }

    pub(in crate::app) fn layout(&mut self, size: Size) {
        let space = usize::from(size.width).max(2);
        self.lines.clear();
        let mut start = 0;
        for line in self.text.split('\n') {
            let parts = wrap(line, space).into_iter();
            self.lines.extend(parts.map(|part| start + part.start..start + part.end));
            start += line.len() + 1;
        }
        self.viewport.scroll(0, self.lines.len(), text_height(size));
    }

    /// Scrolls. Returns `false` if the action does not scroll.
    pub(in crate::app) fn act(&mut self, action: Action, size: Size) -> bool {
        let height = text_height(size);
        let Some(by) = action.row_delta(height) else { return false };
        self.viewport.scroll(by, self.lines.len(), height);
        true
    }

    pub(in crate::app) fn view(&self, screen: Rect, buf: &mut Buffer, styles: &Styles) {
        let most = text_area(screen);
        // No frame at its sides would be selected with the text.
        let height = u16::try_from(self.lines.len()).unwrap_or(u16::MAX).min(most.height);
        // Over the end of the page: its head stays, and its frame keeps its top.
        let y = most.bottom().saturating_sub(height + 1).max(most.y);
        let body = Rect { y, height, ..most };
        let head = Rect { y: y - 1, height: 1, ..screen }.intersection(screen);
        let foot = Rect { y: body.bottom(), ..head }.intersection(most);
        Clear.render(head.union(body).union(foot).intersection(screen), buf);
        let space = usize::from(screen.width);
        let words = OverlayText::PlainText { what: self.description }.to_string();
        for line in [head, foot].into_iter().filter(|line| line.height > 0) {
            buf.set_stringn(line.x, line.y, "─".repeat(space), space, styles.of(Role::Accent));
        }
        let title = format!(" {words} ");
        buf.set_string(head.x + 1, head.y, cut(&title, space - 1), styles.of(Role::Accent));
        for (part, line) in self.lines.iter().skip(self.viewport.offset).zip(body.rows()) {
            let part = self.text.get(part.clone()).unwrap_or_default();
            buf.set_stringn(line.x, line.y, part, space, styles.of(Role::Plain));
        }
    }
}
