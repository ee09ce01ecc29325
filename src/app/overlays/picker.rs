//! A fuzzy picker: a text input, and below it the matching entries, the best first.

use std::borrow::Cow;
use std::cmp::Reverse;
use std::{iter, mem};

use alloy_primitives::hex;
use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Matcher, Utf32Str};
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::style::{Modifier, Style};
use unicode_segmentation::UnicodeSegmentation;

use super::name_match::{NameMatch, begins_word};
use super::text_input::TextInput;
use crate::action::Action;
use crate::chain::Address;
use crate::chain::hash_abbreviation::keep_ends;
use crate::sanitize::SafeText;
use crate::ui::format::{cut, width};
use crate::ui::frame::draw_scrollbar;
use crate::ui::popup::Popup;
use crate::ui::theme::{Role, Styles};
use crate::ui::viewport::Viewport;

/// Most lines of the box, unless few lines of the page would be left below it.
const MAX_HEIGHT: u16 = 32;
const MIN_LINES_BELOW: u16 = 10;
/// Fewer characters are matched at the beginning of words only, and these digits not in the middle of an address.
const MIN_INNER_CHARS: usize = 3;
const MIN_ADDRESS_DIGITS: usize = 4;
/// Below this width only the selected entry has a detail.
const NARROW_WIDTH: u16 = 60;
/// Score of a term that occurs in the detail. In the name it has two to five times that, by its place there.
/// Terms whose letters are merely in the name, in order, have less.
const WHOLE_WORD_SCORE: u32 = 1_000;
/// Added to the score of an entry with all terms.
const ALL_WORDS_SCORE: u32 = 1_000_000;

#[derive(Debug, Clone, PartialEq, Eq, Default)]
pub(in crate::app) struct PickerEntry {
    pub(in crate::app) name: SafeText,
    /// A detail. Matched by whole terms.
    pub(in crate::app) detail: EntryDetail,
    /// A key, an id or a kind, at the right.
    pub(in crate::app) right: SafeText,
    /// `true` if a key is at the right.
    pub(in crate::app) has_key: bool,
    /// `true` if the entry is dimmed and comes after the others.
    pub(in crate::app) dim: bool,
    /// Not shown, but matched like the detail.
    pub(in crate::app) keywords: SafeText,
    /// Other names, matched like the name.
    pub(in crate::app) aliases: Vec<SafeText>,
}

impl PickerEntry {
    /// Returns the best place of a text, in lower case, in the names.
    fn find_in_names(&self, typed: &str) -> Option<NameMatch> {
        let aliases = self.aliases.iter().filter_map(|alias| NameMatch::find(alias, typed));
        aliases.chain(NameMatch::find(&self.name, typed)).max()
    }
}

/// An address is written out where it is drawn: a checksum for each of thousands would take too long.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub(in crate::app) enum EntryDetail {
    Text(SafeText),
    Address(Address),
    /// Cells of columns. The last ones are left out where there is no space.
    Cells(Vec<SafeText>),
}

impl EntryDetail {
    fn text(&self) -> SafeText {
        match self {
            Self::Text(text) => text.clone(),
            Self::Address(address) => address.to_string().into(),
            Self::Cells(cells) => {
                let texts: Vec<&str> = cells.iter().map(|text| &**text).collect();
                SafeText::new(texts.join("  ").trim())
            }
        }
    }

    /// Calls a function with the text in any case.
    fn with_text<T>(&self, call: impl FnOnce(&str) -> T) -> T {
        match self {
            Self::Text(text) => call(text),
            Self::Address(address) => call(hex::Buffer::<20, true>::new().format(&address.0)),
            Self::Cells(_) => call(&self.text()),
        }
    }
}

impl Default for EntryDetail {
    fn default() -> Self {
        Self::Text(SafeText::default())
    }
}

impl From<&str> for EntryDetail {
    fn from(text: &str) -> Self {
        Self::Text(text.into())
    }
}

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
    suggestion: Option<PickerEntry>,
    terms: Vec<QueryTerm>,
    matches: Vec<PickerChoice>,
    viewport: Viewport,
    /// `true` if none of the matches is selected, as they are guesses.
    awaits_selection: bool,
}

/// Groups of matches, in their order.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum RankGroup {
    /// The name begins with a term.
    Named,
    Other,
    /// Like `Named`, but dimmed.
    NamedDim,
    OtherDim,
}

impl RankGroup {
    fn new(entry: &PickerEntry, terms: &[QueryTerm]) -> Self {
        let begins = |term: &QueryTerm| entry.find_in_names(&term.typed) >= Some(NameMatch::Start);
        match (terms.iter().any(begins), entry.dim) {
            (true, false) => Self::Named,
            (true, true) => Self::NamedDim,
            (false, false) => Self::Other,
            (false, true) => Self::OtherDim,
        }
    }
}

#[derive(Debug)]
pub(in crate::app) struct QueryTerm {
    /// In lower case.
    typed: String,
    fuzzy: Atom,
    whole: Atom,
}

impl QueryTerm {
    pub(super) fn new(text: &str) -> Self {
        let atom = |kind| Atom::new(text, CaseMatching::Ignore, Normalization::Smart, kind, false);
        let typed = text.to_lowercase();
        Self { typed, fuzzy: atom(AtomKind::Fuzzy), whole: atom(AtomKind::Substring) }
    }

    /// Returns the score of an entry. `None` if it does not match.
    fn score(&self, entry: &PickerEntry, finder: &mut FuzzyMatcher) -> Option<u32> {
        let is_short = self.typed.chars().count() < MIN_INNER_CHARS;
        let called = iter::once(&entry.name).chain(&entry.aliases);
        let scores = called.filter_map(|name| {
            let score = finder.score(&self.whole, name)?;
            let place = NameMatch::find(name, &self.typed).unwrap_or(NameMatch::Inside);
            let is_near = !is_short || place > NameMatch::Inside;
            is_near.then_some((2 + place as u32) * WHOLE_WORD_SCORE + score)
        });
        let whole = scores.max();
        let others = |finder: &mut FuzzyMatcher| {
            let detail = match &entry.detail {
                EntryDetail::Text(text) if !begins_word(&text.to_lowercase(), &self.typed) => None,
                EntryDetail::Address(_) if !self.is_part_of_address() => None,
                detail => detail.with_text(|text| finder.score(&self.whole, text)),
            };
            let texts = [&entry.right, &entry.keywords];
            let named =
                texts.into_iter().filter(|text| begins_word(&text.to_lowercase(), &self.typed));
            let mut scores = named.filter_map(|text| finder.score(&self.whole, text));
            detail.or_else(|| scores.next()).map(|score| WHOLE_WORD_SCORE + score)
        };
        whole.or_else(|| others(finder)).or_else(|| finder.score(&self.fuzzy, &entry.name))
    }

    fn is_part_of_address(&self) -> bool {
        self.typed.starts_with("0x") || self.typed.len() >= MIN_ADDRESS_DIGITS
    }
}

#[derive(Default)]
pub(super) struct FuzzyMatcher {
    matcher: Matcher,
    chars: Vec<char>,
}

impl FuzzyMatcher {
    fn score(&mut self, atom: &Atom, text: &str) -> Option<u32> {
        let score = atom.score(haystack(text, &mut self.chars), &mut self.matcher);
        score.map(u32::from)
    }

    /// Adds the indices of the matching characters to `found`. Returns `true` if there are any.
    fn append_positions(&mut self, atom: &Atom, text: &str, found: &mut Vec<u32>) -> bool {
        atom.indices(haystack(text, &mut self.chars), &mut self.matcher, found).is_some()
    }

    /// Returns the positions of the characters of a text that are the whole term.
    pub(super) fn whole_positions(&mut self, term: &QueryTerm, text: &str) -> Vec<u32> {
        let mut found = Vec::new();
        self.append_positions(&term.whole, text, &mut found);
        found
    }

    fn match_positions(&mut self, words: &[QueryTerm], entry: &PickerEntry) -> [Vec<u32>; 2] {
        let [mut name, mut detail] = [Vec::new(), Vec::new()];
        for word in words {
            let _ = self.append_positions(&word.fuzzy, &entry.name, &mut name)
                || entry
                    .detail
                    .with_text(|text| self.append_positions(&word.whole, text, &mut detail));
        }
        [name, detail]
    }
}

/// Converts a text for the matcher. `Utf32Str::new` would keep only the first character of a
/// grapheme, such as a letter without its accent.
fn haystack<'a>(text: &'a str, chars: &'a mut Vec<char>) -> Utf32Str<'a> {
    if text.is_ascii() {
        return Utf32Str::Ascii(text.as_bytes());
    }
    chars.clear();
    chars.extend(text.chars());
    Utf32Str::Unicode(chars)
}

impl Picker {
    pub(in crate::app) fn new(title: &'static str, entries: Vec<PickerEntry>) -> Self {
        let fixed = entries.len();
        let mut picker = Self { title, entries, fixed, ..Self::default() };
        picker.rank("", None, |_| true);
        picker
    }

    /// Adds titles of columns, for entries with cells, and a note in place of an empty query.
    pub(in crate::app) fn with_header(
        self,
        header: PickerEntry,
        placeholder: &'static str,
    ) -> Self {
        Self { header: Some(header), placeholder, ..self }
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
        for (at, entry) in self.entries.iter().enumerate().filter(|(at, _)| keeps(*at)) {
            let scores = self.terms.iter().map(|word| word.score(entry, &mut finder));
            if let Some(scores) = scores.collect::<Option<Vec<u32>>>() {
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
        ranked.retain(|(_, Reverse(score), _)| !has_words || *score >= ALL_WORDS_SCORE);
        ranked.sort_unstable();
        let first = offered.is_some().then_some(PickerChoice::Suggestion).into_iter();
        self.matches =
            first.chain(ranked.into_iter().map(|(_, _, at)| PickerChoice::Entry(at))).collect();
        self.suggestion = offered;
        self.awaits_selection = !has_words && !self.terms.is_empty() && self.suggestion.is_none();
        self.viewport = Viewport { selected: self.first_choice(), offset: 0 };
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

    /// Returns the number of lines of the query and the titles.
    fn lines_above_rows(&self) -> u16 {
        1 + u16::from(self.shown_header().is_some())
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
        let height = usize::from(inner.height.saturating_sub(self.lines_above_rows()));
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
        popup.move_page_below(buf);
        let inner = popup.draw(buf, styles);
        let height = inner.height.saturating_sub(self.lines_above_rows());
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
        let entries = u16::try_from(self.matches.len()).unwrap_or(u16::MAX).max(1);
        let header = u16::from(self.shown_header().is_some());
        let most = screen.height.saturating_sub(2);
        let is_high = self.header.is_some() || most < MAX_HEIGHT + MIN_LINES_BELOW;
        let most = if is_high { most } else { MAX_HEIGHT };
        Popup::below(screen, 1, screen.width, entries.saturating_add(3 + header).min(most))
    }

    fn draw_rows(&self, area: Rect, buf: &mut Buffer, styles: &Styles) {
        let rows = area.height.saturating_sub(u16::from(self.shown_header().is_some()));
        let height = usize::from(rows);
        let visible = self.viewport.visible(self.matches.len(), height);
        let picks = self.matches.get(visible.clone()).unwrap_or_default().iter();
        let shown: Vec<&PickerEntry> = picks.filter_map(|pick| self.entry(*pick)).collect();
        if shown.is_empty() {
            let space = usize::from(area.width);
            buf.set_stringn(area.x, area.y, "  nothing found", space, styles.of(Role::Dim));
        }
        let selected = self.choice().map(|_| self.viewport.selected.saturating_sub(visible.start));
        let columns = PickerColumns::new(area.width, (self.shown_header(), &shown), styles);
        if let Some(header) = self.shown_header() {
            columns.draw(header, &[], area, buf);
        }
        let area = Rect { y: area.bottom() - rows, height: rows, ..area };
        draw_entries(area, buf, (&shown, selected), &self.terms, &columns);
    }
}

/// Draws entries, one of them selected, as many as there are lines for.
fn draw_entries(
    area: Rect,
    buf: &mut Buffer,
    (shown, selected): (&[&PickerEntry], Option<usize>),
    terms: &[QueryTerm],
    columns: &PickerColumns<'_>,
) {
    for ((n, entry), line) in shown.iter().enumerate().zip(area.rows()) {
        columns.draw(entry, terms, line, buf);
        if selected == Some(n) {
            buf.set_style(line, columns.styles.selection());
        }
    }
}

/// Columns before a name.
const LEAD_WIDTH: usize = 2;

/// Columns between the parts of a line.
const GAP: usize = 2;
/// Most columns between the longest detail and what is at the right.
const RIGHT_GAP: usize = 4;
/// Minimum columns of a cell that is shortened.
const MIN_CELL_WIDTH: usize = 16;

struct PickerColumns<'a> {
    name: usize,
    detail: usize,
    /// Columns of the cells that fit, with `true` for numbers.
    cells: Vec<(usize, bool)>,
    right: usize,
    styles: &'a Styles,
}

impl<'a> PickerColumns<'a> {
    fn new(
        space: u16,
        (header, shown): (Option<&PickerEntry>, &[&PickerEntry]),
        styles: &'a Styles,
    ) -> Self {
        let rest = usize::from(space).saturating_sub(LEAD_WIDTH);
        let lines = || header.into_iter().chain(shown.iter().copied());
        let widest = |part: fn(&PickerEntry) -> &SafeText| {
            lines().map(|entry| width(part(entry))).max().unwrap_or(0)
        };
        let right = widest(|entry| &entry.right).min(rest / 3);
        let rest = rest.saturating_sub(right + GAP);
        if space + 2 < NARROW_WIDTH {
            return Self { name: rest, detail: 0, cells: Vec::new(), right, styles };
        }
        let name = widest(|entry| &entry.name).min(rest / 2);
        let detail = rest.saturating_sub(name + GAP);
        let mut cells: Vec<usize> = Vec::new();
        for entry in lines() {
            let EntryDetail::Cells(texts) = &entry.detail else { continue };
            cells.resize(cells.len().max(texts.len()), 0);
            for (columns, text) in cells.iter_mut().zip(texts) {
                *columns = width(text).max(*columns);
            }
        }
        let is_number = |column: usize| {
            let texts = shown.iter().filter_map(|entry| match &entry.detail {
                EntryDetail::Cells(texts) => texts.get(column),
                _ => None,
            });
            texts.clone().next().is_some()
                && texts.flat_map(|text| text.bytes()).all(|c| c.is_ascii_digit())
        };
        let fitted = fit_cells(cells, detail).into_iter().enumerate();
        let cells = fitted.map(|(column, columns)| (columns, is_number(column))).collect();
        let texts = lines().map(|entry| match &entry.detail {
            EntryDetail::Text(text) => width(text),
            EntryDetail::Address(_) | EntryDetail::Cells(_) => detail,
        });
        let detail = texts.max().unwrap_or(0).min(detail);
        Self { name, detail, cells, right, styles }
    }

    /// Draws cells. The last text of a line has the space of the blank ones after it too.
    fn draw_cells(&self, texts: &[SafeText], terms: &[QueryTerm], line: Rect, buf: &mut Buffer) {
        let mut finder = FuzzyMatcher::default();
        let mut x = line.x;
        let shown = texts.get(..self.cells.len()).unwrap_or(texts);
        let last = shown.iter().rposition(|text| !text.is_empty());
        for ((n, text), (columns, is_number)) in texts.iter().enumerate().zip(&self.cells) {
            let mut hits = Vec::new();
            for term in terms {
                finder.append_positions(&term.whole, text, &mut hits);
            }
            let style = self.styles.of(Role::Dim);
            let space =
                if Some(n) == last { line.right().saturating_sub(x).into() } else { *columns };
            let text = cut_list(text, space);
            let before = if *is_number { columns.saturating_sub(width(&text)) } else { 0 };
            let at = x.saturating_add(u16::try_from(before).unwrap_or(u16::MAX));
            draw_highlighted(buf, (at, line.y), (&text, &hits), style, self.styles);
            x = x.saturating_add(u16::try_from(columns + GAP).unwrap_or(u16::MAX));
        }
    }

    fn draw(&self, entry: &PickerEntry, terms: &[QueryTerm], line: Rect, buf: &mut Buffer) {
        let styles = self.styles;
        let plain = styles.of(if entry.dim { Role::Dim } else { Role::Plain });
        let [name, detail] = &FuzzyMatcher::default().match_positions(terms, entry);
        let column = |used: usize| line.x.saturating_add(u16::try_from(used).unwrap_or(u16::MAX));
        let at = (column(LEAD_WIDTH), line.y);
        draw_highlighted(buf, at, (&cut(&entry.name, self.name), name), plain, styles);
        let after_name = column(LEAD_WIDTH + self.name + GAP);
        if let EntryDetail::Cells(texts) = &entry.detail {
            let right = match width(&entry.right).min(self.right) {
                0 => 0,
                right => u16::try_from(right + GAP).unwrap_or(u16::MAX),
            };
            let end = line.right().saturating_sub(right);
            let cells = Rect { x: after_name, width: end.saturating_sub(after_name), ..line };
            self.draw_cells(texts, terms, cells, buf);
        } else if self.detail > 0 {
            let at = (after_name, line.y);
            let whole = entry.detail.text();
            let text = if detail.is_empty() && whole.starts_with("0x") {
                keep_ends(&whole, self.detail / 2, (self.detail - 1) / 2).into()
            } else {
                cut(&whole, self.detail)
            };
            draw_highlighted(buf, at, (&text, detail), styles.of(Role::Dim), styles);
        }
        let right = cut(&entry.right, self.right);
        let role = if entry.has_key && !entry.dim { Role::Accent } else { Role::Dim };
        // In a wide box near the details, whose lines it belongs to.
        let end = LEAD_WIDTH + self.name + GAP + self.detail + RIGHT_GAP + self.right;
        let x = column(end.min(line.width.into()).saturating_sub(width(&right)));
        buf.set_stringn(x, line.y, right, self.right, styles.of(role));
    }
}

/// Returns the columns of cells in so many columns: the last and then the widest are shortened, else the last are
/// left out.
fn fit_cells(mut cells: Vec<usize>, space: usize) -> Vec<usize> {
    while !cells.is_empty() {
        let mut fitted = cells.clone();
        let used = |widths: &[usize]| widths.iter().map(|width| width + GAP).sum::<usize>();
        if let Some(last) = fitted.last_mut().filter(|last| **last > MIN_CELL_WIDTH) {
            *last -= (used(&cells).saturating_sub(space + GAP)).min(*last - MIN_CELL_WIDTH);
        }
        while used(&fitted) > space + GAP
            && let Some(widest) = fitted.iter_mut().max().filter(|width| **width > MIN_CELL_WIDTH)
        {
            *widest -= 1;
        }
        if used(&fitted) <= space + GAP {
            return fitted;
        }
        cells.pop();
    }
    cells
}

/// Cuts a text to so many columns, after a whole item of a list with commas.
fn cut_list(text: &str, columns: usize) -> Cow<'_, str> {
    let shown = cut(text, columns);
    match shown.strip_suffix('…').and_then(|part| part.rsplit_once(", ")) {
        Some((whole, _)) => format!("{whole}, …").into(),
        None => shown,
    }
}

/// Draws a text with the characters at some positions marked.
pub(super) fn draw_highlighted(
    buf: &mut Buffer,
    (mut x, y): (u16, u16),
    (text, marks): (&str, &[u32]),
    plain: Style,
    styles: &Styles,
) {
    let marked = styles.of(Role::Accent).add_modifier(Modifier::UNDERLINED);
    let mut number = 0;
    for grapheme in text.graphemes(true) {
        let end = number + u32::try_from(grapheme.chars().count()).unwrap_or(0);
        let hit = marks.iter().any(|mark| (number..end).contains(mark));
        x = buf.set_stringn(x, y, grapheme, usize::MAX, if hit { marked } else { plain }).0;
        number = end;
    }
}

#[cfg(test)]
mod tests {
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
    fn lists_are_cut_after_a_whole_item() {
        assert_eq!(cut_list("arb, arbitrum, arbitrum-one", 20), "arb, arbitrum, …");
        assert_eq!(cut_list("arb, arbitrum", 20), "arb, arbitrum");
        assert_eq!(cut_list("eth.blockscout.com", 6), "eth.b…");
    }

    #[test]
    fn ten_thousand_are_ranked_like_ten() {
        let entry = |n: usize| entry(&format!("token {n}"), &format!("0x{n:040x}"));
        let mut picker = Picker::new("Test", (0..10_000).map(entry).collect());
        assert_eq!(found(&mut picker, "token 9999"), [9999]);
        assert_eq!(found(&mut picker, "").len(), 10_000);
    }
}
