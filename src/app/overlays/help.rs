//! The help: every key binding with its description, searchable. Keys that the page does not have are
//! dim.

use std::borrow::Cow;
use std::collections::HashSet;

use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::widgets::{Clear, Widget};
use strum::IntoEnumIterator;

use super::text_input::TextInput;
use crate::action::{Action, BASICS, Step};
use crate::app_message::Key;
use crate::keymap::key_placeholders::KeyPlaceholders;
use crate::keymap::{Chord, KeyContext, Keymap};
use crate::messages::prompt;
use crate::ui::format::{width, wrapped_lines};
use crate::ui::popup::Popup;
use crate::ui::text::draw_text;
use crate::ui::theme::{Role, Styles};
use crate::ui::viewport::Viewport;

#[derive(Debug, Default)]
pub(in crate::app) struct HelpView {
    sections: Vec<HelpSection>,
    /// The number of sections of the page. The others follow.
    sections_here: usize,
    input: TextInput,
    /// `true` if keys are typed into the search.
    pub(in crate::app) is_typing: bool,
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
    /// `true` if the page has the action.
    is_here: bool,
}

#[derive(Debug, Clone, Copy)]
enum HelpRow<'a> {
    Blank,
    Title(&'static str),
    /// The title of a section that began in another column.
    Continued(&'static str),
    /// Keys or a mark, the column of their meaning, the meaning, and `true` if they are of this page.
    Entry(&'a str, u16, &'a str, bool),
    NoMatch,
}

impl HelpEntry {
    /// Returns `true` if each word is the beginning of a key, or part of the name or the description.
    fn matches(&self, words: &[&str]) -> bool {
        let text = [&self.action.label(), " ", &self.description].concat().to_lowercase();
        words.iter().all(|word| {
            let is_key = self.keys.split(' ').any(|key| key.starts_with(word));
            is_key || text.contains(&word.to_lowercase())
        })
    }
}

/// The most columns of the keys of a section. Longer keys push their text to the right.
const KEYS_WIDTH: u16 = 11;
/// Space after a column: what follows is not read on.
const COLUMN_GAP: u16 = 2;
/// The least width of one of several columns, and the most that are side by side.
const MIN_COLUMN_WIDTH: u16 = 37;
const MAX_COLUMNS: u16 = 4;
/// Heading of the marks, which begin a column.
const MARKS: &str = "Marks";
/// Marks on the screen, with their meaning.
const LEGEND: [(&str, &str); 16] = [
    ("◇▲ ○●", prompt::ADDRESS_MARKS),
    ("✓ ✗ …", prompt::OUTCOMES),
    ("!", prompt::CAUGHT_FAILURE),
    ("∅", prompt::UNDONE_CALL),
    ("s d", prompt::SHORT_KINDS),
    ("→ ←", prompt::DIRECTIONS),
    ("«name»", prompt::LABEL),
    ("“name”", prompt::GUARDED_NAME),
    ("▾ ▸ ·", prompt::FOLDS),
    ("? —", prompt::UNKNOWN),
    ("⋅", prompt::ZERO),
    ("name?", prompt::GUESS),
    ("≈", prompt::INFERRED),
    ("+ − ~ =", prompt::CHANGED),
    ("»", prompt::FOUND),
    ("┃", prompt::SCROLLED),
];

fn visible_rows(height: u16) -> usize {
    usize::from(height.saturating_sub(4)).max(1)
}

impl HelpView {
    /// Lists the basics, the bindings of the views in `contexts`, the global ones by subject, then the further
    /// bindings of all other contexts.
    pub(in crate::app) fn new(
        keymap: &Keymap,
        contexts: &[KeyContext],
        is_here: impl Fn(Action) -> bool,
    ) -> Self {
        let mut sections: Vec<HelpSection> = Vec::new();
        for (n, context) in contexts.iter().enumerate() {
            let nearer = contexts.get(..n).unwrap_or_default();
            let section = HelpSection::new(context_title(*context), keymap, *context, nearer);
            sections.extend(section.divided(*context));
        }
        sections.sort_by_key(|section| section.title != BASICS);
        let sections_here = sections.len();
        for context in KeyContext::iter().filter(|context| !contexts.contains(context)) {
            let section = HelpSection::new(context_title(context), keymap, context, &[]);
            sections.extend(section.divided(context));
        }
        let mut listed: HashSet<(String, Cow<'static, str>)> = HashSet::new();
        for (n, section) in sections.iter_mut().enumerate() {
            // The other contexts have much in common with each other.
            section.keys.retain(|entry| {
                // What the key of a view opens, it closes.
                let is_closing = n >= sections_here && entry.action == Action::Back;
                !is_closing && listed.insert((entry.keys.clone(), entry.description.clone()))
            });
            for entry in &mut section.keys {
                // It leaves the help.
                let works = entry.action == Action::Back || is_here(entry.action);
                entry.is_here = n < sections_here && works;
            }
        }
        Self { sections, sections_here, ..Self::default() }
    }

    pub(in crate::app) fn type_key(&mut self, key: Key) {
        self.input.type_key(key);
        self.viewport = Viewport::default();
    }

    /// Scrolls or searches. Returns `false` for other actions.
    pub(in crate::app) fn act(&mut self, action: Action, size: Size) -> bool {
        match action {
            Action::Search => self.is_typing = true,
            Action::Open if self.is_typing => self.is_typing = false,
            Action::NextTab if !self.is_typing => self.show_section(Step::Next, size),
            Action::PreviousTab if !self.is_typing => self.show_section(Step::Previous, size),
            Action::Back if self.is_typing || !self.input.text().is_empty() => {
                self.is_typing = false;
                self.input = TextInput::default();
                self.viewport = Viewport::default();
            }
            _ => {
                let page = visible_rows(size.height);
                let Some(by) = action.row_delta(page) else { return false };
                self.viewport.scroll(by, self.lines_of(size).len(), page);
            }
        }
        true
    }

    /// Scrolls to the next or previous line where a section begins.
    fn show_section(&mut self, step: Step, size: Size) {
        let begins =
            |line: &Vec<HelpRow<'_>>| line.iter().any(|row| matches!(row, HelpRow::Title(_)));
        let lines = self.lines_of(size);
        let numbers = 0..lines.len();
        let mut starts = numbers.zip(&lines).filter(|(_, line)| begins(line)).map(|(at, _)| at);
        let here = self.viewport.offset;
        let found = match step {
            Step::Next => starts.find(|at| *at > here),
            Step::Previous => starts.take_while(|at| *at < here).last(),
        };
        let by = found.map_or(0, |at| at.cast_signed() - here.cast_signed());
        let len = lines.len();
        self.viewport.scroll(by, len, visible_rows(size.height));
    }

    /// Returns the lines on a screen of this size.
    fn lines_of(&self, size: Size) -> Vec<Vec<HelpRow<'_>>> {
        let inner = size.width.saturating_sub(4);
        let columns = usize::from(column_count(inner));
        self.lines(column_width(inner), columns, visible_rows(size.height))
    }

    /// Returns the lines of pages of this height, in columns of a width.
    fn lines(&self, width: u16, columns: usize, height: usize) -> Vec<Vec<HelpRow<'_>>> {
        let words: Vec<&str> = self.input.text().split_whitespace().collect();
        let mut rows = Vec::new();
        for section in &self.sections {
            push_section(&mut rows, section.title, section.found(&words, true), width);
        }
        let (here, elsewhere) = self.sections.split_at(self.sections_here);
        let others = here.iter().flat_map(|section| section.found(&words, false));
        push_section(&mut rows, prompt::OTHER_PAGES, others, width);
        for section in elsewhere {
            push_section(&mut rows, section.title, section.found(&words, false), width);
        }
        let matches = |text: &str| words.iter().all(|word| text.contains(&word.to_lowercase()));
        let marks = LEGEND.into_iter().filter(|(_, meaning)| matches(meaning));
        let marks = marks.map(|(mark, meaning)| (mark, meaning, true));
        push_section(&mut rows, MARKS, marks, width);
        if rows.is_empty() {
            rows.push(HelpRow::NoMatch);
        }
        // One column needs no pages.
        let height = if columns == 1 { rows.len() } else { height };
        let filled = columns_of(&rows, height);
        filled.chunks(columns).flat_map(|page| page_lines(page, height)).collect()
    }

    /// Draws the help. Returns the position of the cursor while a search is typed.
    pub(in crate::app) fn view(
        &self,
        screen: Rect,
        buf: &mut Buffer,
        styles: &Styles,
        keys: KeyPlaceholders<'_>,
    ) -> Option<(u16, u16)> {
        let searched = self.is_typing || !self.input.text().is_empty();
        let title = if searched { prompt::HELP_MATCHES_TITLE } else { prompt::HELP_TITLE };
        let title = &*keys.expand(title);
        let popup = Popup::full(screen).title(title);
        let border = popup.area;
        let inner = popup.inner();
        let column = column_width(inner.width);
        let page = visible_rows(screen.height);
        let lines = self.lines(column, column_count(inner.width).into(), page);
        let end = (self.viewport.offset + page).min(lines.len());
        let position = format!(" lines {}–{end} of {} ", self.viewport.offset + 1, lines.len());
        popup.footer(ratatui::text::Line::from(position).right_aligned()).draw(buf, styles);
        // The query is typed into the border, after the title.
        let used = u16::try_from(width(title)).unwrap_or(0) + 4;
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
        let step = usize::from(column_step(inner.width)).max(1);
        for (line, y) in lines.iter().skip(self.viewport.offset).zip(inner.rows()) {
            for (row, x) in line.iter().zip((inner.x..).step_by(step)) {
                row.draw(Rect { x, width: column, ..y }, buf, styles);
            }
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
        let sentence = |words| KeyPlaceholders::new(keymap, context).expand(words);
        let is_free = |chord: &Chord| {
            let mut all = nearer.iter().flat_map(|nearer| keymap.bindings(*nearer));
            !all.any(|binding| binding.chord == *chord)
        };
        let chords = |action| match keymap.chord_for(nearer, action) {
            Some(_) => None,
            None => free_chords_text(keymap, context, action, is_free),
        };
        let entry = |action: Action| {
            let keys = chords(action)?;
            let group = GROUPS.iter().find(|(actions, _)| actions.contains(&action));
            let ends = group.and_then(|(actions, words)| {
                let (first, last) = (*actions.first()?, *actions.last()?);
                let between = if actions.len() > 2 { " … " } else { " " };
                let keys = [chords(first)?, between.to_owned(), chords(last)?].concat();
                (width(&keys) < usize::from(KEYS_WIDTH)).then_some((first, keys, *words))
            });
            Some(match ends {
                Some((first, ..)) if first != action => return None,
                Some((_, keys, words)) => {
                    HelpEntry { keys, action, description: words.into(), is_here: true }
                }
                _ => {
                    let description = sentence(description_in(context, action));
                    HelpEntry { keys, action, description, is_here: true }
                }
            })
        };
        Self { title, keys: Action::iter().filter_map(entry).collect() }
    }

    /// Returns the keys with these words that work on the page, or those that do not, with their descriptions.
    fn found(&self, words: &[&str], is_here: bool) -> impl Iterator<Item = (&str, &str, bool)> {
        let found = self.keys.iter().filter(move |entry| entry.is_here == is_here);
        found
            .filter(|entry| entry.matches(words))
            .map(|entry| (&*entry.keys, &*entry.description, entry.is_here))
    }

    /// Divides the keys of a context that has many by their subjects.
    fn divided(self, context: KeyContext) -> Vec<Self> {
        let subject = match context {
            KeyContext::Everywhere => Action::subject,
            KeyContext::Trace => Action::trace_subject,
            _ => return vec![self],
        };
        let mut sections: Vec<Self> = Vec::new();
        for entry in self.keys {
            let title = subject(entry.action);
            match sections.iter_mut().find(|section| section.title == title) {
                Some(section) => section.keys.push(entry),
                None => sections.push(Self { title, keys: vec![entry] }),
            }
        }
        sections
    }
}

impl HelpRow<'_> {
    fn draw(self, line: Rect, buf: &mut Buffer, styles: &Styles) {
        let (text, role, wanted_indent) = match self {
            Self::Blank => return,
            Self::Title(title) => (title, Role::Title, 0),
            Self::Continued(title) => {
                draw_text(buf, line, &format!("{title} (continued)"), styles.of(Role::Title));
                return;
            }
            Self::NoMatch => ("No match", Role::Dim, 0),
            Self::Entry(keys, column, text, is_here) => {
                let [key, description] =
                    if is_here { [Role::Accent, Role::Plain] } else { [Role::Dim, Role::Dim] };
                draw_text(buf, line, keys, styles.of(key));
                (text, description, column)
            }
        };
        let indent = wanted_indent.min(line.width);
        let rest = Rect { x: line.x + indent, width: line.width - indent, ..line };
        draw_text(buf, rest, text, styles.of(role));
    }
}

/// Returns the columns of keys and the space after them.
fn keys_width(keys: &str) -> u16 {
    u16::try_from(width(keys) + 1).unwrap_or(u16::MAX)
}

/// Returns the rows of keys, with a text that is broken into lines next to them.
fn wrapped<'a>(
    (keys, text, is_here): (&'a str, &'a str, bool),
    usual: u16,
    width: u16,
) -> impl Iterator<Item = HelpRow<'a>> + use<'a> {
    let column = keys_width(keys).max(usual);
    let free = usize::from(width.saturating_sub(column)).max(2);
    let keys_first = std::iter::once(keys).chain(std::iter::repeat(""));
    keys_first
        .zip(wrapped_lines(text, free))
        .map(move |(keys, line)| HelpRow::Entry(keys, column, line, is_here))
}

/// Adds a heading and its entries, if there are any.
fn push_section<'a>(
    rows: &mut Vec<HelpRow<'a>>,
    title: &'static str,
    entries: impl Iterator<Item = (&'a str, &'a str, bool)>,
    width: u16,
) {
    let entries: Vec<_> = entries.collect();
    if entries.is_empty() {
        return;
    }
    let widths = entries.iter().map(|(keys, ..)| keys_width(keys) + 1);
    let usual = widths.filter(|width| *width <= KEYS_WIDTH).max().unwrap_or(KEYS_WIDTH);
    let gap = (!rows.is_empty()).then_some(HelpRow::Blank);
    rows.extend(gap.into_iter().chain([HelpRow::Title(title)]));
    rows.extend(entries.into_iter().flat_map(|entry| wrapped(entry, usual, width)));
}

/// Returns the lines of columns side by side.
fn page_lines<'a>(columns: &[Vec<HelpRow<'a>>], height: usize) -> Vec<Vec<HelpRow<'a>>> {
    let row = |column: &Vec<HelpRow<'a>>, n| column.get(n).copied().unwrap_or(HelpRow::Blank);
    (0..height).map(|n| columns.iter().map(|column| row(column, n)).collect()).collect()
}

/// Returns the rows of a column before a section that is better begun in the next one: it is whole there, and here it
/// would begin in the last quarter, or it has the marks.
fn rows_before_section(rows: &[HelpRow<'_>], height: usize) -> Option<usize> {
    let is_title = |row: &HelpRow<'_>| matches!(row, HelpRow::Title(_));
    let start = rows.get(..height)?.iter().rposition(is_title).filter(|at| *at > 0)?;
    let section = rows.get(start..)?;
    let length = section.iter().take_while(|row| !matches!(row, HelpRow::Blank)).count();
    let has_marks = matches!(section, [HelpRow::Title(MARKS), ..]);
    let is_low = start * 4 >= height * 3 && start + length > height && length <= height;
    (has_marks || is_low).then_some(start - 1)
}

/// Breaks rows into columns of at most this height. None begins with a gap, ends with a heading, or
/// ends within an entry. A column within a section repeats its title, but not above its last entry alone.
fn columns_of<'a>(mut rows: &[HelpRow<'a>], height: usize) -> Vec<Vec<HelpRow<'a>>> {
    let mut columns = Vec::new();
    let mut section = None;
    let is_one = rows.len() <= height;
    while !rows.is_empty() {
        let begins = matches!(rows, [HelpRow::Title(_), ..]);
        let continued = section.filter(|_| !begins).map(HelpRow::Continued);
        let space = height.saturating_sub(usize::from(continued.is_some())).max(1);
        let before_section = rows_before_section(rows, space).filter(|_| !is_one);
        let space = before_section.unwrap_or(space).max(1);
        let fitting = rows.get(..space).unwrap_or(rows);
        let is_loose = |row: &HelpRow<'_>| matches!(row, HelpRow::Blank | HelpRow::Title(_));
        let is_further = |row: Option<&HelpRow<'_>>| matches!(row, Some(HelpRow::Entry("", ..)));
        let is_end =
            |n: &usize| !fitting.get(*n).is_none_or(is_loose) && !is_further(rows.get(n + 1));
        let mut ends = (0..fitting.len()).rev().filter(is_end);
        let last = ends.next().unwrap_or(fitting.len() - 1);
        let left = rows.iter().skip(last + 1).take_while(|row| !is_loose(row));
        let is_alone = left.filter(|row| !is_further(Some(row))).count() == 1;
        let last = ends.next().filter(|_| is_alone).unwrap_or(last);
        let (column, rest) = rows.split_at(last + 1);
        let title = |row: &HelpRow<'_>| match row {
            HelpRow::Title(title) => Some(*title),
            _ => None,
        };
        section = column.iter().rev().find_map(title).or(section);
        columns.push(continued.into_iter().chain(column.iter().copied()).collect());
        let gap = usize::from(matches!(rest, [HelpRow::Blank, ..]));
        rows = rest.get(gap..).unwrap_or_default();
    }
    columns
}

fn column_count(width: u16) -> u16 {
    (width / MIN_COLUMN_WIDTH).clamp(1, MAX_COLUMNS)
}

/// Returns the width of a column without the space after it.
fn column_width(width: u16) -> u16 {
    column_step(width).saturating_sub(COLUMN_GAP)
}

/// Returns the width of a column with the space after it.
fn column_step(width: u16) -> u16 {
    width / column_count(width)
}

/// Actions on one line, as they differ by a number or a direction only, with their description.
const GROUPS: [(&[Action], &str); 17] = {
    use Action::{
        FoldAll, HalfPageDown, HalfPageUp, Indent, NextBlock, NextCreate, NextDelegate,
        NextDifference, NextFailure, NextMatch, NextPanel, NextSameTarget, NextSibling, NextTab,
        NextValue, Outdent, PreviousBlock, PreviousCreate, PreviousDelegate, PreviousDifference,
        PreviousFailure, PreviousMatch, PreviousPanel, PreviousSameTarget, PreviousSibling,
        PreviousTab, PreviousValue, UnfoldAll, ZoomIn, ZoomOut,
    };
    [
        (&Action::TABS, prompt::TAB),
        (&Action::DEPTHS, prompt::LEVELS),
        (&[HalfPageDown, HalfPageUp], prompt::HALF_PAGES),
        (&[NextPanel, PreviousPanel], prompt::PANEL_STEPS),
        (&[NextTab, PreviousTab], prompt::TAB_STEPS),
        (&[NextBlock, PreviousBlock], prompt::BLOCK_STEPS),
        (&[NextMatch, PreviousMatch], prompt::MATCH_STEPS),
        (&[NextSibling, PreviousSibling], prompt::SIBLING_STEPS),
        (&[NextFailure, PreviousFailure], prompt::FAILURE_STEPS),
        (&[NextValue, PreviousValue], prompt::VALUE_STEPS),
        (&[NextDelegate, PreviousDelegate], prompt::DELEGATE_STEPS),
        (&[NextCreate, PreviousCreate], prompt::CREATE_STEPS),
        (&[NextSameTarget, PreviousSameTarget], prompt::TARGET_STEPS),
        (&[NextDifference, PreviousDifference], prompt::DIFFERENCE_STEPS),
        (&[FoldAll, UnfoldAll], prompt::FOLD_ALL),
        (&[ZoomIn, ZoomOut], prompt::ZOOM_STEPS),
        (&[Indent, Outdent], prompt::INDENTS),
    ]
};

/// Returns the description of an action in a context where it differs.
fn description_in(context: KeyContext, action: Action) -> &'static str {
    match (context, action) {
        (KeyContext::Menu, Action::Open) => prompt::APPLY,
        (KeyContext::Field, Action::Open) => prompt::ACCEPT,
        (KeyContext::Trace | KeyContext::Diff, Action::Export) => prompt::SAVE_CALLS,
        _ => action.description(),
    }
}

fn context_title(context: KeyContext) -> &'static str {
    match context {
        KeyContext::Everywhere => "Everywhere",
        KeyContext::Start => "Start page",
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

/// Returns the free chords of an action in a context. `None` if it has none.
fn free_chords_text(
    keymap: &Keymap,
    context: KeyContext,
    action: Action,
    is_free: impl Fn(&Chord) -> bool,
) -> Option<String> {
    let all = keymap.bindings(context).iter().filter(|b| b.action == action && is_free(&b.chord));
    let chords: Vec<String> = all.map(|binding| binding.chord.to_string()).collect();
    (!chords.is_empty()).then(|| chords.join(" "))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::ui::address_mark::is_mark_glyph;

    #[test]
    fn titles_are_repeated_above_several_entries() {
        let lengths = |entries| {
            let mut rows = vec![HelpRow::Title("Move")];
            rows.extend(vec![HelpRow::Entry("j", 2, "next row", true); entries]);
            columns_of(&rows, 5).iter().map(Vec::len).collect::<Vec<_>>()
        };
        assert_eq!(lengths(4), [5]);
        assert_eq!(lengths(5), [4, 3], "not one alone");
        assert_eq!(lengths(6), [5, 3]);
    }

    #[test]
    fn sections_that_begin_low_are_whole_in_the_next_column() {
        let section = |title, entries| {
            let mut rows = vec![HelpRow::Blank, HelpRow::Title(title)];
            rows.extend(vec![HelpRow::Entry("j", 2, "next row", true); entries]);
            rows
        };
        let lengths = |first, title, entries| {
            let rows = [&section("Move", first)[1..], &section(title, entries)].concat();
            columns_of(&rows, 12).iter().map(Vec::len).collect::<Vec<_>>()
        };
        assert_eq!(lengths(7, "Copy", 6), [8, 7]);
        assert_eq!(lengths(7, "Copy", 2), [12], "all of it fits");
        assert_eq!(lengths(3, "Copy", 9), [12, 4], "much space is left");
        assert_eq!(lengths(3, MARKS, 9), [4, 10]);
    }

    #[test]
    fn marks_of_the_legend_are_those_of_addresses() {
        let (marks, _) = LEGEND[0];
        let mut glyphs = marks.split("").filter(|glyph| !glyph.trim().is_empty());
        assert!(glyphs.all(is_mark_glyph), "{marks}");
    }

    #[test]
    fn columns_are_as_many_as_fit() {
        assert_eq!([36, 76, 116, 156, 196, 300].map(column_count), [1, 2, 3, 4, 4, 4]);
    }
}
