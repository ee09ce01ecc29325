//! A bordered box drawn over the rest of the screen.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;
use ratatui::widgets::{Block, BorderType, Clear, Widget};

use super::theme::{Role, Styles};

/// A box with a border and a title. Clears what is below it.
#[derive(Debug)]
pub struct Popup<'a> {
    /// The rectangle of the box, border included.
    pub area: Rect,
    block: Block<'a>,
    border: Role,
}

impl<'a> Popup<'a> {
    /// A box of at most this size, centred, with a third of the free rows above it.
    pub fn centered(screen: Rect, max_width: u16, height: u16) -> Self {
        let height = height.min(screen.height);
        Self::below(screen, (screen.height - height) / 3, max_width, height)
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
        let height = height.min(area.height);
        Self::new(Rect { y: area.bottom() - height, height, ..area })
    }

    fn new(area: Rect) -> Self {
        Self {
            area,
            block: Block::bordered().border_type(BorderType::Rounded),
            border: Role::Accent,
        }
    }

    #[must_use]
    pub fn title(self, title: &str) -> Self {
        Self { block: self.block.title(format!(" {title} ")), ..self }
    }

    #[must_use]
    pub fn footer(self, footer: impl Into<Line<'a>>) -> Self {
        Self { block: self.block.title_bottom(footer.into()), ..self }
    }

    #[must_use]
    pub fn border(self, border: Role) -> Self {
        Self { border, ..self }
    }

    pub fn inner(&self) -> Rect {
        self.block.inner(self.area)
    }

    /// Draws the box and returns the rectangle inside its border.
    pub fn draw(self, buf: &mut Buffer, styles: &Styles) -> Rect {
        let inner = self.inner();
        Clear.render(self.area, buf);
        buf.set_style(self.area, styles.of(Role::Plain));
        self.block.border_style(styles.of(self.border)).render(self.area, buf);
        inner
    }
}
