//! A bordered box drawn over the rest of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::{Alignment, Rect};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, BorderType, Clear, Padding, Widget};

use super::theme::{Role, Styles};

/// A box with a border and a title. Clears what is below it.
#[derive(Debug)]
pub struct Popup<'a> {
    /// The rectangle of the box, border included.
    pub area: Rect,
    title: String,
    footer: Line<'a>,
    border: Role,
}

impl<'a> Popup<'a> {
    /// A box of at most this size, centred, with a third of the free rows above it.
    pub fn centered(screen: Rect, max_width: u16, height: u16) -> Self {
        let lines = height.min(screen.height);
        Self::below(screen, (screen.height - lines) / 3, max_width, lines)
    }

    /// A box of at most this size, centred, `rows` below the top of the screen.
    pub fn below(screen: Rect, rows: u16, max_width: u16, height: u16) -> Self {
        let width = screen.width.min(max_width);
        let x = screen.x + (screen.width - width) / 2;
        let y = screen.y.saturating_add(rows);
        Self::new(Rect { x, y, width, height }.intersection(screen))
    }

    /// A box that covers everything between the title and the footer.
    pub fn full(screen: Rect) -> Self {
        Self::below(screen, 1, screen.width, screen.height.saturating_sub(2))
    }

    pub fn at_bottom(area: Rect, height: u16) -> Self {
        let lines = height.min(area.height);
        Self::new(Rect { y: area.bottom() - lines, height: lines, ..area })
    }

    fn new(area: Rect) -> Self {
        Self { area, title: String::new(), footer: Line::default(), border: Role::Accent }
    }

    fn block<'b>() -> Block<'b> {
        let padding = Padding::horizontal(1);
        Block::bordered().border_type(BorderType::Rounded).padding(padding)
    }

    #[must_use]
    pub fn title(self, title: &str) -> Self {
        Self { title: format!(" {title} "), ..self }
    }

    #[must_use]
    pub fn footer(self, footer: impl Into<Line<'a>>) -> Self {
        Self { footer: footer.into(), ..self }
    }

    #[must_use]
    pub fn border(self, border: Role) -> Self {
        Self { border, ..self }
    }

    pub fn inner(&self) -> Rect {
        Self::block().inner(self.area)
    }

    /// Moves the page below the box, which replaces a frame at its top, such as the one of the start page: a list that
    /// is cut from above would continue the box, without its title and its first rows. The last rows before the lower
    /// edge of the page give way.
    pub fn move_page_below(&self, buf: &mut Buffer) {
        let area = self.area.intersection(buf.area);
        let is_edge = |y: &u16| buf.cell((area.x, *y)).is_some_and(|cell| cell.symbol() == "╰");
        let page_end = (area.bottom()..buf.area.bottom()).rev().find(is_edge);
        let Some(page_end) = page_end else { return };
        let replaced = (area.top()..area.bottom()).rev().find(is_edge);
        let moved = area.bottom() - replaced.map_or(area.top(), |y| y + 1);
        for y in (area.bottom()..page_end).rev() {
            for x in area.left()..area.right() {
                let above = buf.cell((x, y - moved)).cloned();
                if let Some((cell, above)) = buf.cell_mut((x, y)).zip(above) {
                    *cell = above;
                }
            }
        }
    }

    /// Draws the box and returns the rectangle inside its border.
    pub fn draw(self, buf: &mut Buffer, styles: &Styles) -> Rect {
        let inner = self.inner();
        Clear.render(self.area, buf);
        buf.set_style(self.area, styles.of(Role::Plain));
        let border = styles.of(self.border);
        // A line between the corner and the text, as in the frames of pages.
        let dash = || Span::styled("─", border);
        let mut block = Self::block().border_style(border);
        if !self.title.is_empty() {
            block = block.title(Line::from(vec![dash(), Span::styled(self.title, border)]));
        }
        let mut footer = self.footer;
        if footer.width() > 0 {
            let at =
                if footer.alignment == Some(Alignment::Right) { footer.spans.len() } else { 0 };
            footer.spans.insert(at, dash());
            block = block.title_bottom(footer.style(styles.of(Role::Dim)));
        }
        block.render(self.area, buf);
        inner
    }
}
