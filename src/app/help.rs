//! The help: every key and what it does, made from the key map, and searched by typing.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::widgets::{Block, Clear, Widget};
use strum::IntoEnumIterator;

use super::text_input::Line;
use crate::keymap::key_hints::Keys;
use crate::keymap::{Context, Keymap};
use crate::msg::{Action, Key};
use crate::ui::format::{cut, width};
use crate::ui::theme::{Role, Styles};

/// The help, what is looked for in it, and how far it is scrolled.
#[derive(Debug)]
pub(super) struct Help {
    sections: Vec<Section>,
    line: Line,
    typing: bool,
    top: usize,
}

/// The keys of one context.
#[derive(Debug)]
struct Section {
    title: &'static str,
    keys: Vec<Entry>,
}

/// Keys and what they do.
#[derive(Debug)]
struct Entry {
    keys: String,
    action: Action,
    sentence: Cow<'static, str>,
}

/// A line of the help as it is shown.
#[derive(Debug, Clone, Copy)]
enum Row<'a> {
    Title(&'static str),
    Entry(&'a Entry),
    Nothing,
}

impl Entry {
    /// Whether each word is in its keys, as they are typed, or in what is said of it.
    fn holds(&self, words: &[&str]) -> bool {
        let said = [&self.action.words(), " ", &self.sentence].concat();
        let said = said.to_lowercase();
        words.iter().all(|word| {
            let is_key = self.keys.split(' ').any(|key| key.starts_with(word));
            is_key || said.contains(&word.to_lowercase())
        })
    }
}

/// Lines that are seen at once on a screen of this height.
fn visible(height: u16) -> usize {
    usize::from(height.saturating_sub(4)).max(1)
}

impl Help {
    /// The keys that are bound in `contexts`, those of the pane itself first, and then all others.
    pub(super) fn new(keymap: &Keymap, contexts: &[Context]) -> Self {
        let mut sections = Vec::new();
        for (n, context) in contexts.iter().enumerate() {
            let nearer = contexts.get(..n).unwrap_or_default();
            let here = *context != Context::Everywhere;
            let title = if here { "In this view" } else { title(*context) };
            sections.push(Section::new(title, keymap, *context, nearer));
        }
        for context in Context::iter().filter(|context| !contexts.contains(context)) {
            sections.push(Section::new(title(context), keymap, context, &[]));
        }
        Self { sections, line: Line::default(), typing: false, top: 0 }
    }

    /// Whether letters are typed into the search.
    pub(super) fn is_typing(&self) -> bool {
        self.typing
    }

    /// Takes a key that is bound to nothing while a search is typed.
    pub(super) fn type_key(&mut self, key: Key) {
        self.line.type_key(key);
        self.top = 0;
    }

    /// Scrolls or searches; false when the help is to be closed.
    pub(super) fn act(&mut self, action: Action, size: Size) -> bool {
        match action {
            Action::Search => self.typing = true,
            Action::Open if self.typing => self.typing = false,
            Action::Back if self.typing || !self.line.text().is_empty() => {
                (self.typing, self.line, self.top) = (false, Line::default(), 0);
            }
            _ => return self.scroll(action, visible(size.height)),
        }
        true
    }

    fn scroll(&mut self, action: Action, page: usize) -> bool {
        let height = u16::try_from(page).unwrap_or(u16::MAX);
        let Some(by) = action.rows(height) else { return false };
        let last = self.rows().len().saturating_sub(page);
        self.top = self.top.saturating_add_signed(by).min(last);
        true
    }

    /// The lines that hold what is looked for, under their titles.
    fn rows(&self) -> Vec<Row<'_>> {
        let words: Vec<&str> = self.line.text().split_whitespace().collect();
        let mut rows = Vec::new();
        for section in &self.sections {
            let found = section.keys.iter().filter(|entry| entry.holds(&words));
            let mut found = found.map(Row::Entry).peekable();
            if found.peek().is_some() {
                rows.push(Row::Title(section.title));
                rows.extend(found);
            }
        }
        if rows.is_empty() { vec![Row::Nothing] } else { rows }
    }

    /// Draws the help over the place; returns where the cursor is while a search is typed.
    pub(super) fn view(
        &self,
        screen: Rect,
        buf: &mut Buffer,
        styles: &Styles,
        keys: Keys<'_>,
    ) -> Option<(u16, u16)> {
        let area = Rect { y: screen.y + 1, height: screen.height.saturating_sub(2), ..screen };
        Clear.render(area, buf);
        let searched = self.typing || !self.line.text().is_empty();
        let title =
            if searched { " Keys with " } else { " Keys ({search} searches, {back} closes) " };
        let title = &*keys.sentence(title);
        let block = Block::bordered().title(title).border_style(styles.of(Role::Accent));
        let inner = block.inner(area);
        block.render(area, buf);
        let beside = u16::try_from(width(title)).unwrap_or(0) + 1;
        let line = Rect {
            x: area.x + beside,
            width: area.width.saturating_sub(beside + 1),
            height: 1,
            ..area
        };
        let cursor = searched.then(|| {
            Clear.render(line, buf);
            self.line.view(line, buf, styles)
        });
        let all = self.sections.iter().flat_map(|section| &section.keys);
        let label = all.map(|entry| width(&entry.keys)).max().unwrap_or(0) + 2;
        for (row, line) in self.rows().into_iter().skip(self.top).zip(inner.rows()) {
            row.draw(line, label, buf, styles);
        }
        cursor.filter(|_| self.typing)
    }
}

impl Section {
    /// What is bound in `context` to what is bound in none of the `nearer` ones.
    fn new(title: &'static str, keymap: &Keymap, context: Context, nearer: &[Context]) -> Self {
        let bound = Action::iter().filter(|action| keys(keymap, nearer, *action).is_none());
        let sentence = |words| Keys::new(keymap, context).sentence(words);
        let entry = |action: Action| {
            let keys = keys(keymap, &[context], action)?;
            Some(Entry { keys, action, sentence: sentence(action.about().sentence) })
        };
        Self { title, keys: bound.filter_map(entry).collect() }
    }
}

impl Row<'_> {
    fn draw(self, line: Rect, label: usize, buf: &mut Buffer, styles: &Styles) {
        let room = usize::from(line.width);
        match self {
            Self::Title(title) => {
                buf.set_string(line.x, line.y, cut(title, room), styles.of(Role::Title));
            }
            Self::Entry(Entry { keys, sentence, .. }) => {
                buf.set_stringn(line.x, line.y, keys, label, styles.of(Role::Accent));
                let x = line.x.saturating_add(u16::try_from(label).unwrap_or(0));
                let sentence = cut(sentence, room.saturating_sub(label));
                buf.set_string(x, line.y, sentence, styles.of(Role::Plain));
            }
            Self::Nothing => {
                let words = cut("no key does that", room);
                buf.set_string(line.x, line.y, words, styles.of(Role::Dim));
            }
        }
    }
}

/// What the keys of a context are called.
fn title(context: Context) -> &'static str {
    match context {
        Context::Everywhere => "Everywhere",
        Context::Start => "On the start screen",
        Context::List => "In a list",
        Context::Document => "In a detail",
        Context::Trace => "In a call trace",
        Context::Diff => "In a comparison of two traces",
        Context::Requests => "Among the last requests",
        Context::Help => "In this help",
        Context::Menu => "While filters are chosen",
        Context::Picker => "In the palette",
        Context::Field => "While a text is typed",
    }
}

/// All chords of an action in these contexts, or none.
fn keys(keymap: &Keymap, contexts: &[Context], action: Action) -> Option<String> {
    let all = contexts.iter().flat_map(|context| keymap.bindings(*context));
    let chords: Vec<String> =
        all.filter(|b| b.action == action).map(|b| b.chord.to_string()).collect();
    (!chords.is_empty()).then(|| chords.join(" "))
}
