//! A fuzzy picker: a text input, and below it the matching entries, the best first.

mod columns;
mod entry;
mod query_match;

use std::cmp::Reverse;
use std::mem;

use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::style::{Color, Modifier, Style};

use super::text_input::TextInput;
use crate::action::Action;
use crate::sanitize::SafeText;
use crate::ui::format::{cut, wrapped_lines};
use crate::ui::frame::draw_scrollbar;
use crate::ui::popup::Popup;
use crate::ui::text::draw_text;
use crate::ui::theme::{Role, Styles};
use crate::ui::viewport::Viewport;

pub(super) use columns::draw_highlighted;
use columns::{NARROW_WIDTH, PickerColumns, draw_entries};
pub(in crate::app) use entry::{EntryDetail, PickerEntry};
pub(super) use query_match::FuzzyMatcher;
pub(in crate::app) use query_match::QueryTerm;
use query_match::{ALL_WORDS_SCORE, NAME_WORD_SCORE, RankGroup, WHOLE_WORD_SCORE};

/// Most columns of the box, without columns of its own and with some: a key is near the text that it belongs to.
const MAX_WIDTH: u16 = 94;
const MAX_WIDTH_WITH_COLUMNS: u16 = 150;
/// Lines above a box that is narrower than the screen: the title, and the upper edge of the page.
const LINES_ABOVE: u16 = 3;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(in crate::app) enum PickerChoice {
    /// The entry of the typed text itself.
    Suggestion,
    Entry(usize),
}

#[derive(Debug, Default)]
pub(in crate::app) struct Picker {
    title: &'static str,
    /// The query. After a change the entries have to be ranked again.
    pub(in crate::app) input: TextInput,
    entries: Vec<PickerEntry>,
    /// The number of entries that do not depend on the query.
    fixed: usize,
    /// Titles of the columns.
    header: Option<PickerEntry>,
    /// A note in place of an empty query.
    placeholder: &'static str,
    /// The reason why no entry is what the query names.
    note: Option<SafeText>,
    suggestion: Option<PickerEntry>,
    terms: Vec<QueryTerm>,
    matches: Vec<PickerChoice>,
    viewport: Viewport,
    /// `true` if none of the matches is selected, as they are guesses.
    awaits_selection: bool,
}

impl Picker {
    pub(in crate::app) fn new(title: &'static str, entries: Vec<PickerEntry>) -> Self {
        let fixed = entries.len();
        let mut picker = Self { title, entries, fixed, ..Self::default() };
        picker.rank("", None, |_| true);
        picker
    }

    /// Adds titles of columns, for entries with cells.
    pub(in crate::app) fn with_header(self, header: PickerEntry) -> Self {
        Self { header: Some(header), ..self }
    }

    /// Adds a note in place of an empty query.
    pub(in crate::app) fn with_placeholder(self, placeholder: &'static str) -> Self {
        Self { placeholder, ..self }
    }

    /// Shows the reason why no entry is what the query names. Ranking then selects none without it in its name.
    pub(in crate::app) fn set_note(&mut self, note: Option<SafeText>) {
        self.note = note;
    }

    /// Replaces the entries for the query. Returns the number of the others, which come first.
    pub(in crate::app) fn replace_further(&mut self, further: Vec<PickerEntry>) -> usize {
        self.entries.truncate(self.fixed);
        self.entries.extend(further);
        self.fixed
    }

    /// Shows the entries that match every term and pass `keeps`, the best first, and selects the first that can be
    /// chosen, unless all of them are guesses. The suggestion comes before all of them, dimmed entries come last.
    pub(in crate::app) fn rank(
        &mut self,
        text: &str,
        offered: Option<PickerEntry>,
        keeps: impl Fn(usize) -> bool,
    ) {
        self.terms = text.split_whitespace().map(QueryTerm::new).collect();
        let mut finder = FuzzyMatcher::default();
        let mut ranked: Vec<(RankGroup, Reverse<u32>, usize)> = Vec::new();
        let mut has_words = false;
        let mut named: Vec<usize> = Vec::new();
        for (at, entry) in self.entries.iter().enumerate().filter(|(at, _)| keeps(*at)) {
            let scores = self.terms.iter().map(|word| word.score(entry, &mut finder));
            if let Some(scores) = scores.collect::<Option<Vec<u32>>>() {
                if scores.iter().all(|score| *score >= NAME_WORD_SCORE) {
                    named.push(at);
                }
                let score = if scores.iter().all(|score| *score >= WHOLE_WORD_SCORE) {
                    has_words = true;
                    ALL_WORDS_SCORE
                } else {
                    0
                };
                let group = RankGroup::new(entry, &self.terms);
                ranked.push((group, Reverse(score + scores.iter().sum::<u32>()), at));
            }
        }
        // Scattered letters are a guess for want of words.
        let keeps_guesses = !has_words && self.note.is_none();
        ranked.retain(|(_, Reverse(score), _)| keeps_guesses || *score >= ALL_WORDS_SCORE);
        ranked.sort_unstable();
        let first = offered.is_some().then_some(PickerChoice::Suggestion).into_iter();
        self.matches =
            first.chain(ranked.into_iter().map(|(_, _, at)| PickerChoice::Entry(at))).collect();
        self.suggestion = offered;
        let is_guess = !has_words && !self.terms.is_empty() && self.suggestion.is_none();
        self.viewport = Viewport { selected: self.first_choice(), offset: 0 };
        // The note is about the name: what is found by its host only is another chain.
        let is_named =
            |choice: &PickerChoice| matches!(choice, PickerChoice::Entry(at) if named.contains(at));
        let has_named = self.matches.get(self.viewport.selected).is_some_and(is_named);
        self.awaits_selection = is_guess || self.note.is_some() && !has_named;
    }

    /// Returns the position of the first match that can be chosen, or of the first one.
    fn first_choice(&self) -> usize {
        let can_be_chosen = |pick: &PickerChoice| self.entry(*pick).is_some_and(|entry| !entry.dim);
        self.matches.iter().position(can_be_chosen).unwrap_or(0)
    }

    /// Returns `true` if an entry has this name, or an alias like it.
    pub(in crate::app) fn has_name(&self, text: &str) -> bool {
        let mut names =
            self.entries.iter().flat_map(|entry| entry.aliases.iter().chain([&entry.name]));
        names.any(|name| name.eq_ignore_ascii_case(text.trim()))
    }

    /// Returns `true` if the user has moved the selection.
    pub(in crate::app) fn is_moved(&self) -> bool {
        self.viewport.selected != self.first_choice()
    }

    /// Selects an entry, if it is shown.
    pub(in crate::app) fn select(&mut self, entry: usize) {
        let is_entry = |choice: &PickerChoice| *choice == PickerChoice::Entry(entry);
        if let Some(at) = self.matches.iter().position(is_entry) {
            self.awaits_selection = false;
            self.viewport.selected = at;
        }
    }

    /// Returns `true` if the selected entry can be chosen.
    pub(in crate::app) fn has_choice(&self) -> bool {
        self.choice().and_then(|choice| self.entry(choice)).is_some_and(|entry| !entry.dim)
    }

    pub(in crate::app) fn choice(&self) -> Option<PickerChoice> {
        if self.awaits_selection {
            return None;
        }
        self.matches.get(self.viewport.selected).copied()
    }

    /// Returns the titles of the columns, unless there are no rows below them.
    fn shown_header(&self) -> Option<&PickerEntry> {
        self.header.as_ref().filter(|_| !self.matches.is_empty())
    }

    /// Returns the lines of the note.
    fn note_lines(&self, width: u16) -> impl Iterator<Item = &str> {
        self.note.iter().flat_map(move |note| wrapped_lines(note, width.into()))
    }

    /// Returns the number of lines of the query, the note and the titles.
    fn lines_above_rows(&self, width: u16) -> u16 {
        let note = u16::try_from(self.note_lines(width).count()).unwrap_or_default();
        1 + note + u16::from(self.shown_header().is_some())
    }

    fn entry(&self, pick: PickerChoice) -> Option<&PickerEntry> {
        match pick {
            PickerChoice::Suggestion => self.suggestion.as_ref(),
            PickerChoice::Entry(at) => self.entries.get(at),
        }
    }

    /// Moves the selection. Returns `false` if the action does not move.
    pub(in crate::app) fn act(&mut self, action: Action, screen: Size) -> bool {
        let inner = self.popup(Rect::from((ratatui::layout::Position::ORIGIN, screen))).inner();
        let height = usize::from(inner.height.saturating_sub(self.lines_above_rows(inner.width)));
        let Some(by) = action.row_delta(height) else { return false };
        let by = if mem::take(&mut self.awaits_selection) && by > 0 { by - 1 } else { by };
        self.viewport.step(by, self.matches.len(), height);
        true
    }

    /// Draws the picker. Returns the position of the cursor.
    pub(in crate::app) fn view(
        &self,
        screen: Rect,
        buf: &mut Buffer,
        styles: &Styles,
    ) -> (u16, u16) {
        let popup = self.popup(screen).title(self.title);
        let area = popup.area;
        let selected = self.choice().map_or(0, |_| self.viewport.selected + 1);
        let at = selected.min(self.matches.len());
        let count = format!(" {at} of {} ", self.matches.len());
        let selected = self.choice().and_then(|pick| self.entry(pick));
        let popup = match selected.filter(|_| area.width < NARROW_WIDTH) {
            Some(entry) => {
                let space = usize::from(area.width.saturating_sub(4));
                popup.footer(format!(" {} ", cut(&entry.detail.text(), space)))
            }
            None => popup.footer(ratatui::text::Line::from(count).right_aligned()),
        };
        if area.width == screen.width {
            popup.move_page_below(buf);
        }
        let inner = popup.draw(buf, styles);
        let height = inner.height.saturating_sub(self.lines_above_rows(inner.width));
        let rows = Rect { y: inner.bottom() - height, height, ..inner };
        let extent = self.viewport.extent(self.matches.len(), rows);
        draw_scrollbar(buf, area, &extent, styles.of(Role::Accent));
        buf.set_stringn(inner.x, inner.y, "> ", 2, styles.of(Role::Accent));
        let line = Rect { x: inner.x + 2, width: inner.width.saturating_sub(2), ..inner };
        if self.input.text().is_empty() {
            let columns = usize::from(line.width);
            buf.set_stringn(line.x, line.y, self.placeholder, columns, styles.of(Role::Dim));
        }
        let cursor = self.input.view(line, buf, styles);
        let rows = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
        self.draw_rows(rows.intersection(inner), buf, styles);
        cursor
    }

    /// Returns the box for the entries that match.
    fn popup<'a>(&self, screen: Rect) -> Popup<'a> {
        let columns = if self.header.is_some() { MAX_WIDTH_WITH_COLUMNS } else { MAX_WIDTH };
        let above_rows = self.lines_above_rows(screen.width.min(columns).saturating_sub(4));
        let rows = u16::try_from(self.matches.len()).unwrap_or(u16::MAX);
        let least = u16::from(self.note.is_none());
        let height = rows.max(least).saturating_add(2 + above_rows);
        let above = if screen.width > columns { LINES_ABOVE } else { 1 };
        let most = screen.height.saturating_sub(1 + above);
        Popup::below(screen, above, columns, height.min(most))
    }

    fn draw_rows(&self, mut area: Rect, buf: &mut Buffer, styles: &Styles) {
        for note in self.note_lines(area.width) {
            draw_text(buf, area, note, styles.of(Role::Warning));
            area = Rect { y: area.y + 1, height: area.height.saturating_sub(1), ..area };
        }
        let rows = area.height.saturating_sub(u16::from(self.shown_header().is_some()));
        let height = usize::from(rows);
        let visible = self.viewport.visible(self.matches.len(), height);
        let picks = self.matches.get(visible.clone()).unwrap_or_default().iter();
        let shown: Vec<&PickerEntry> = picks.filter_map(|pick| self.entry(*pick)).collect();
        if shown.is_empty() && self.note.is_none() {
            let space = usize::from(area.width);
            buf.set_stringn(area.x, area.y, "  nothing found", space, styles.of(Role::Dim));
        }
        let selected = self.choice().map(|_| self.viewport.selected.saturating_sub(visible.start));
        let columns = PickerColumns::new(area.width, (self.shown_header(), &shown), styles);
        if let Some(header) = self.shown_header() {
            columns.draw(header, &[], area, buf);
            let line = Rect { height: 1, ..area };
            buf.set_style(line, Style::new().fg(Color::Reset).remove_modifier(Modifier::DIM));
            buf.set_style(line, styles.of(Role::Plain).patch(styles.of(Role::Title)));
        }
        let area = Rect { y: area.bottom() - rows, height: rows, ..area };
        draw_entries(area, buf, (&shown, selected), &self.terms, &columns);
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Modifier;

    use super::*;

    fn entry(name: &str, detail: &str) -> PickerEntry {
        PickerEntry { name: name.into(), detail: detail.into(), ..PickerEntry::default() }
    }

    fn picker(entries: &[(&str, &str)]) -> Picker {
        Picker::new("Test", entries.iter().map(|(name, detail)| entry(name, detail)).collect())
    }

    fn found(picker: &mut Picker, text: &str) -> Vec<usize> {
        picker.rank(text, None, |_| true);
        let numbers = picker.matches.iter().map(|pick| match pick {
            PickerChoice::Entry(at) => *at,
            PickerChoice::Suggestion => usize::MAX,
        });
        numbers.collect()
    }

    #[test]
    fn the_best_comes_first_and_every_word_counts() {
        let mut picker = picker(&[
            ("fold all", "fold everything"),
            ("copy row", "copy the row as CSV"),
            ("close", "close this place"),
            ("scope", ""),
        ]);
        assert_eq!(found(&mut picker, ""), [0, 1, 2, 3]);
        assert_eq!(found(&mut picker, "COP"), [1, 3], "letters in a row, at the start of a word");
        assert_eq!(found(&mut picker, "cl"), [2]);
        assert_eq!(found(&mut picker, "sv"), [0; 0], "not in the middle of a word of the detail");
        assert_eq!(found(&mut picker, "copy csv"), [1], "a word may stand in the detail");
        assert_eq!(found(&mut picker, "place"), [2]);
        assert_eq!(found(&mut picker, "cpr"), [1], "scattered letters, where no word is found");
        assert_eq!(picker.choice(), None, "a guess is not selected");
        picker.act(Action::NextRow, Size { width: 80, height: 24 });
        assert_eq!(picker.choice(), Some(PickerChoice::Entry(1)), "until the user does");
        assert_eq!(found(&mut picker, "csv fold"), [0; 0]);
        assert_eq!(picker.choice(), None);
    }

    #[test]
    fn names_that_begin_with_the_text_stand_before_others_that_have_it() {
        let names = ["Alice", "interrupt twice", "the icicle", "icicle", "ic"];
        let mut picker = picker(&names.map(|name| (name, "")));
        assert_eq!(found(&mut picker, "ic"), [4, 3, 2], "two letters begin a word");
        assert_eq!(found(&mut picker, "ice"), [0, 1]);
    }

    #[test]
    fn what_is_dim_stands_last_and_what_is_offered_first() {
        let dim = PickerEntry { dim: true, ..entry("copy", "") };
        let mut picker =
            Picker::new("Test", vec![dim, entry("copy c o p y", ""), entry("other", "")]);
        assert_eq!(found(&mut picker, "copy"), [1, 0]);
        assert_eq!(found(&mut picker, "c"), [1, 0], "also one that is named so");
        picker.rank("copy", Some(entry("the text itself", "")), |at| at != 1);
        assert_eq!(picker.matches, [PickerChoice::Suggestion, PickerChoice::Entry(0)]);
    }

    #[test]
    fn the_selection_stays_within_what_is_found() {
        let mut picker = picker(&[("a", ""), ("b", ""), ("c", "")]);
        let screen = Size { width: 80, height: 24 };
        for (action, picked) in [
            (Action::PreviousRow, 0),
            (Action::NextRow, 1),
            (Action::HalfPageDown, 2),
            (Action::NextRow, 2),
            (Action::HalfPageUp, 1),
        ] {
            assert!(picker.act(action, screen));
            assert_eq!(picker.choice(), Some(PickerChoice::Entry(picked)));
        }
        assert!(!picker.act(Action::Open, screen));
        assert_eq!(found(&mut picker, "z"), [0; 0]);
        assert!(picker.act(Action::NextRow, screen));
    }

    #[test]
    fn matched_letters_are_underlined_in_any_script_and_at_any_size() {
        let names = [("se\u{301}p o\u{301}", "x"), ("𝐔𝐒𝐃𝐂 coin", "日本語 o"), ("", "on")];
        let mut picker = picker(&names);
        picker.rank("o", None, |_| true);
        for (width, height) in [(40, 10), (80, 24), (300, 80)] {
            let screen = Rect::new(0, 0, width, height);
            let mut buf = Buffer::empty(screen);
            picker.view(screen, &mut buf, &Styles::new(false));
            let marked =
                |cell: &&ratatui::buffer::Cell| cell.modifier.contains(Modifier::UNDERLINED);
            let marked: String =
                buf.content().iter().filter(marked).map(ratatui::buffer::Cell::symbol).collect();
            let all = match width {
                40 => "o\u{301}o",
                _ => "o\u{301}oo",
            };
            assert_eq!(marked, all, "{width}x{height}");
        }
    }

    #[test]
    fn addresses_are_found_in_any_case_and_drawn_with_their_checksum() {
        let address = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
        let detail = EntryDetail::Address(address.parse().unwrap());
        let named = PickerEntry { detail, ..entry("Alice", "") };
        let mut picker = Picker::new("Test", vec![named, entry("Bob", "")]);
        assert_eq!(found(&mut picker, "0xF39fd6"), [0]);
        assert_eq!(found(&mut picker, "b92266"), [0]);
        let screen = Rect::new(0, 0, 120, 10);
        let mut buf = Buffer::empty(screen);
        picker.view(screen, &mut buf, &Styles::new(false));
        let text: String = buf.content().iter().map(ratatui::buffer::Cell::symbol).collect();
        assert!(text.contains(address), "{text}");
    }

    #[test]
    fn ten_thousand_are_ranked_like_ten() {
        let entry = |n: usize| entry(&format!("token {n}"), &format!("0x{n:040x}"));
        let mut picker = Picker::new("Test", (0..10_000).map(entry).collect());
        assert_eq!(found(&mut picker, "token 9999"), [9999]);
        assert_eq!(found(&mut picker, "").len(), 10_000);
    }
}
