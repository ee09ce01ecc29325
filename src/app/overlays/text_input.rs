//! A single-line text input.

use crossterm::event::KeyCode;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use tui_input::{Input, InputRequest};

use crate::app_message::Key;
use crate::sanitize::SafeText;
use crate::ui::theme::{Role, Styles};

/// Maximum characters of an input, unless it has another limit: a paste may have any length.
const MAX_INPUT_CHARS: usize = 500;

#[derive(Debug)]
pub(in crate::app) struct TextInput {
    input: Input,
    max_chars: usize,
}

impl Default for TextInput {
    fn default() -> Self {
        Self::with_limit(MAX_INPUT_CHARS)
    }
}

impl TextInput {
    pub(in crate::app) fn with_limit(max_chars: usize) -> Self {
        Self { input: Input::default(), max_chars }
    }

    pub(in crate::app) fn text(&self) -> &str {
        self.input.value()
    }

    pub(in crate::app) fn clear(&mut self) {
        self.input.reset();
    }

    /// Inserts a text at the cursor.
    pub(in crate::app) fn paste(&mut self, text: &str) {
        let chars_left = self.max_chars.saturating_sub(self.text().chars().count());
        let pasted: String = SafeText::new(text.trim()).chars().take(chars_left).collect();
        let cursor = self.input.cursor();
        let end = self.text().char_indices().nth(cursor).map_or(self.text().len(), |(at, _)| at);
        let (before, after) = self.text().split_at(end);
        let text = [before, &*pasted, after].concat();
        self.input = Input::new(text).with_cursor(cursor + pasted.chars().count());
    }

    pub(in crate::app) fn type_key(&mut self, key: Key) {
        let request = match (key.code, key.ctrl) {
            (KeyCode::Char('u'), true) => InputRequest::DeleteLine,
            (KeyCode::Char('w'), true) => InputRequest::DeletePrevWord,
            (KeyCode::Char('a'), true) | (KeyCode::Home, _) => InputRequest::GoToStart,
            (KeyCode::Char('e'), true) | (KeyCode::End, _) => InputRequest::GoToEnd,
            (KeyCode::Char(c), false) if self.text().len() < self.max_chars => {
                InputRequest::InsertChar(c)
            }
            (KeyCode::Backspace, _) => InputRequest::DeletePrevChar,
            (KeyCode::Delete, _) => InputRequest::DeleteNextChar,
            (KeyCode::Left, _) => InputRequest::GoToPrevChar,
            (KeyCode::Right, _) => InputRequest::GoToNextChar,
            _ => return,
        };
        self.input.handle(request);
    }

    /// Draws the text on the first row of `area`. Returns the position of the cursor.
    pub(in crate::app) fn view(&self, area: Rect, buf: &mut Buffer, styles: &Styles) -> (u16, u16) {
        let width = usize::from(area.width.saturating_sub(1)).max(1);
        let scroll = self.input.visual_scroll(width);
        let shown: String = self.text().chars().skip(scroll).take(width).collect();
        let shown = SafeText::new(&shown); // also what was typed
        buf.set_stringn(area.x, area.y, &*shown, width, styles.of(Role::Plain));
        let at = self.input.visual_cursor().saturating_sub(scroll);
        (area.x + u16::try_from(at).unwrap_or(0), area.y)
    }
}
