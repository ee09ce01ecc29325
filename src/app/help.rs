//! The help: every key binding with its description, searchable.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::widgets::{Clear, Widget};
use strum::IntoEnumIterator;

use super::text_input::TextInput;
use crate::action::Action;
use crate::keymap::key_hints::KeyHints;
use crate::keymap::{KeyContext, Keymap};
use crate::msg::Key;
use crate::ui::format::width;
use crate::ui::popup::Popup;
use crate::ui::text::draw_text;
use crate::ui::theme::{Role, Styles};
use crate::ui::viewport::Viewport;

#[derive(Debug, Default)]
pub(super) struct HelpView {
    sections: Vec<HelpSection>,
    input: TextInput,
    /// Whether keys are typed into the search.
    pub(super) is_typing: bool,
    viewport: Viewport,
}

#[derive(Debug)]
struct HelpSection {
    title: &'static str,
    keys: Vec<HelpEntry>,
}

#[derive(Debug)]
struct HelpEntry {
    keys: String,
    action: Action,
    description: Cow<'static, str>,
}

#[derive(Debug, Clone, Copy)]
enum HelpRow<'a> {
    Title(&'static str),
    Entry(&'a HelpEntry),
    NoMatch,
}

impl HelpEntry {
    /// Whether each word is the beginning of a key, or part of the name or the description.
    fn matches(&self, words: &[&str]) -> bool {
        let text = [&self.action.label(), " ", &self.description].concat().to_lowercase();
        words.iter().all(|word| {
            let is_key = self.keys.split(' ').any(|key| key.starts_with(word));
            is_key || text.contains(&word.to_lowercase())
        })
    }
}

fn visible_rows(height: u16) -> usize {
    usize::from(height.saturating_sub(4)).max(1)
}

impl HelpView {
    /// Lists the bindings of `contexts`, then those of all other contexts.
    pub(super) fn new(keymap: &Keymap, contexts: &[KeyContext]) -> Self {
        let mut sections = Vec::new();
        for (n, context) in contexts.iter().enumerate() {
            let nearer = contexts.get(..n).unwrap_or_default();
            let here = *context != KeyContext::Everywhere;
            let title = if here { "This view" } else { context_title(*context) };
            sections.push(HelpSection::new(title, keymap, *context, nearer));
        }
        for context in KeyContext::iter().filter(|context| !contexts.contains(context)) {
            sections.push(HelpSection::new(context_title(context), keymap, context, &[]));
        }
        Self { sections, ..Self::default() }
    }

    pub(super) fn type_key(&mut self, key: Key) {
        self.input.type_key(key);
        self.viewport = Viewport::default();
    }

    /// Scrolls or searches. Returns `false` for other actions.
    pub(super) fn act(&mut self, action: Action, size: Size) -> bool {
        match action {
            Action::Search => self.is_typing = true,
            Action::Open if self.is_typing => self.is_typing = false,
            Action::Back if self.is_typing || !self.input.text().is_empty() => {
                self.is_typing = false;
                self.input = TextInput::default();
                self.viewport = Viewport::default();
            }
            _ => {
                let page = visible_rows(size.height);
                let Some(by) = action.row_delta(page) else { return false };
                self.viewport.scroll(by, self.rows().len(), page);
            }
        }
        true
    }

    fn rows(&self) -> Vec<HelpRow<'_>> {
        let words: Vec<&str> = self.input.text().split_whitespace().collect();
        let mut rows = Vec::new();
        for section in &self.sections {
            let found = section.keys.iter().filter(|entry| entry.matches(&words));
            let mut found = found.map(HelpRow::Entry).peekable();
            if found.peek().is_some() {
                rows.push(HelpRow::Title(section.title));
                rows.extend(found);
            }
        }
        if rows.is_empty() { vec![HelpRow::NoMatch] } else { rows }
    }

    /// Draws the help. Returns the position of the cursor while a search is typed.
    pub(super) fn view(
        &self,
        screen: Rect,
        buf: &mut Buffer,
        styles: &Styles,
        keys: KeyHints<'_>,
    ) -> Option<(u16, u16)> {
        let searched = self.is_typing || !self.input.text().is_empty();
        let title =
            if searched { "Keys matching" } else { "Keys: {search} search · {back} close" };
        let title = &*keys.expand(title);
        let popup = Popup::full(screen).title(title);
        let border = popup.area;
        let inner = popup.draw(buf, styles);
        // The query is typed into the border, after the title.
        let used = u16::try_from(width(title)).unwrap_or(0) + 3;
        let line = Rect {
            x: border.x + used,
            width: border.width.saturating_sub(used + 1),
            height: 1,
            ..border
        };
        let cursor = searched.then(|| {
            Clear.render(line, buf);
            self.input.view(line, buf, styles)
        });
        let all = self.sections.iter().flat_map(|section| &section.keys);
        let label = all.map(|entry| width(&entry.keys)).max().unwrap_or(0) + 2;
        let label = u16::try_from(label).unwrap_or(u16::MAX);
        for (row, line) in self.rows().into_iter().skip(self.viewport.offset).zip(inner.rows()) {
            row.draw(line, label, buf, styles);
        }
        cursor.filter(|_| self.is_typing)
    }
}

impl HelpSection {
    /// Lists the actions that are bound in `context` and in none of the `nearer` contexts.
    fn new(
        title: &'static str,
        keymap: &Keymap,
        context: KeyContext,
        nearer: &[KeyContext],
    ) -> Self {
        let bound = Action::iter().filter(|action| chords_text(keymap, nearer, *action).is_none());
        let sentence = |words| KeyHints::new(keymap, context).expand(words);
        let entry = |action: Action| {
            let keys = chords_text(keymap, &[context], action)?;
            Some(HelpEntry { keys, action, description: sentence(action.description()) })
        };
        Self { title, keys: bound.filter_map(entry).collect() }
    }
}

impl HelpRow<'_> {
    fn draw(self, line: Rect, label: u16, buf: &mut Buffer, styles: &Styles) {
        let (text, role, indent) = match self {
            Self::Title(title) => (title, Role::Title, 0),
            Self::NoMatch => ("No match", Role::Dim, 0),
            Self::Entry(HelpEntry { keys, description, .. }) => {
                draw_text(buf, line, keys, styles.of(Role::Accent));
                (&**description, Role::Plain, label.min(line.width))
            }
        };
        let rest = Rect { x: line.x + indent, width: line.width - indent, ..line };
        draw_text(buf, rest, text, styles.of(role));
    }
}

fn context_title(context: KeyContext) -> &'static str {
    match context {
        KeyContext::Everywhere => "Everywhere",
        KeyContext::Start => "Start screen",
        KeyContext::List => "List",
        KeyContext::Document => "Detail",
        KeyContext::Trace => "Call trace",
        KeyContext::Diff => "Trace diff",
        KeyContext::Requests => "Request log",
        KeyContext::Help => "Help",
        KeyContext::Menu => "Filters",
        KeyContext::Picker => "Palette",
        KeyContext::Field => "Text input",
    }
}

/// Returns all chords of an action in these contexts. `None` if it has none.
fn chords_text(keymap: &Keymap, contexts: &[KeyContext], action: Action) -> Option<String> {
    let all = contexts.iter().flat_map(|context| keymap.bindings(*context));
    let chords: Vec<String> =
        all.filter(|b| b.action == action).map(|b| b.chord.to_string()).collect();
    (!chords.is_empty()).then(|| chords.join(" "))
}
