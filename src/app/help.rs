//! The help: every key and what it does, made from the key map.

use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::widgets::{Block, Clear, Widget};
use strum::IntoEnumIterator;

use crate::keymap::{Context, Keymap};
use crate::msg::Action;
use crate::ui::format::{cut, width};
use crate::ui::theme::{Role, Styles};

/// The help, and how far it is scrolled.
#[derive(Debug)]
pub(super) struct Help {
    /// Keys and what they do.
    lines: Vec<(String, &'static str)>,
    top: usize,
}

/// Lines that are seen at once on a screen of this height.
fn visible(height: u16) -> usize {
    usize::from(height.saturating_sub(4)).max(1)
}

impl Help {
    /// The keys that are bound in `contexts`, those of the pane itself first.
    pub(super) fn new(keymap: &Keymap, contexts: &[Context]) -> Self {
        let mut lines = Vec::new();
        for (n, context) in contexts.iter().enumerate() {
            let nearer = contexts.get(..n).unwrap_or_default();
            let bound = Action::iter().filter(|action| keys(keymap, nearer, *action).is_none());
            lines.extend(bound.filter_map(|action| {
                Some((keys(keymap, &[*context], action)?, action.about().sentence))
            }));
        }
        Self { lines, top: 0 }
    }

    /// Scrolls; false when the help is to be closed.
    pub(super) fn act(&mut self, action: Action, size: Size) -> bool {
        let page = visible(size.height);
        let last = self.lines.len().saturating_sub(page);
        self.top = match action {
            Action::NextRow => self.top + 1,
            Action::PreviousRow => self.top.saturating_sub(1),
            Action::HalfPageDown => self.top + page / 2,
            Action::HalfPageUp => self.top.saturating_sub(page / 2),
            Action::PageDown => self.top + page,
            Action::PageUp => self.top.saturating_sub(page),
            Action::First => 0,
            Action::Last => last,
            _ => return false,
        }
        .min(last);
        true
    }

    /// Draws the help over the place.
    pub(super) fn view(&self, screen: Rect, buf: &mut Buffer, styles: &Styles) {
        let area = Rect { y: screen.y + 1, height: screen.height.saturating_sub(2), ..screen };
        Clear.render(area, buf);
        let block = Block::bordered()
            .title(" Keys (j k scroll, Esc closes) ")
            .border_style(styles.of(Role::Accent));
        let inner = block.inner(area);
        block.render(area, buf);
        let label = self.lines.iter().map(|(keys, _)| width(keys)).max().unwrap_or(0) + 2;
        let rest = usize::from(inner.width).saturating_sub(label);
        for ((keys, sentence), line) in self.lines.iter().skip(self.top).zip(inner.rows()) {
            buf.set_stringn(line.x, line.y, keys, label, styles.of(Role::Accent));
            let x = line.x.saturating_add(u16::try_from(label).unwrap_or(0));
            buf.set_string(x, line.y, cut(sentence, rest), styles.of(Role::Plain));
        }
    }
}

/// All chords of an action in these contexts, or none.
fn keys(keymap: &Keymap, contexts: &[Context], action: Action) -> Option<String> {
    let all = contexts.iter().flat_map(|context| keymap.bindings(*context));
    let chords: Vec<String> =
        all.filter(|b| b.action == action).map(|b| b.chord.to_string()).collect();
    (!chords.is_empty()).then(|| chords.join(" "))
}
