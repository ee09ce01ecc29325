//! A text with its role, after the mark of its address.

use std::borrow::Cow;

use ratatui::style::Style;

use super::address_mark::{AddressMark, MARK_WIDTH};
use super::format;
use super::theme::{Role, Styles};

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct MarkedText {
    pub mark: Option<AddressMark>,
    pub text: Cow<'static, str>,
    pub role: Role,
}

impl MarkedText {
    pub fn new(text: impl Into<Cow<'static, str>>, role: Role) -> Self {
        Self { mark: None, text: text.into(), role }
    }

    pub fn width(&self) -> usize {
        let mark = if self.mark.is_some() { MARK_WIDTH.into() } else { 0 };
        mark + format::width(&self.text)
    }

    /// Returns the glyphs of the mark, a space and the text, with their styles.
    pub fn pieces(&self, styles: &Styles) -> impl Iterator<Item = (&str, Style)> {
        let glyphs = self.mark.map(|mark| mark.glyphs(styles));
        let space = glyphs.map(|_| (" ", Style::new()));
        let text = (&*self.text, styles.of(self.role));
        glyphs.into_iter().flatten().chain(space).chain([text])
    }
}
