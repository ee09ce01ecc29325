//! A box to pick one thing of many in: a line to type in, and below it what fits that, best first.

use std::cmp::Reverse;

use nucleo_matcher::pattern::{Atom, AtomKind, CaseMatching, Normalization};
use nucleo_matcher::{Config, Matcher, Utf32Str};
use ratatui::buffer::Buffer;
use ratatui::layout::{Rect, Size};
use ratatui::style::{Modifier, Style};
use ratatui::widgets::{Block, Clear, Widget};
use unicode_segmentation::UnicodeSegmentation;

use super::text_input::Line;
use crate::msg::{Action, Key};
use crate::sanitize::Text;
use crate::ui::format::{cut, width};
use crate::ui::theme::{Role, Styles};

/// The box is no wider, and no higher.
const MOST: Size = Size { width: 110, height: 32 };
/// A box that is narrower shows the detail of the selected entry alone.
const NARROW: u16 = 60;
/// What a word is worth that stands in the detail as a whole, beside one whose letters stand apart in the
/// name; one that stands in the name as a whole is worth twice that.
const NAMED: u32 = 1_000;

/// One thing that can be picked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Entry {
    /// What it is called. The letters of a word may stand apart in it.
    pub(super) name: Text,
    /// More of it. A word must stand in it as a whole.
    pub(super) detail: Text,
    /// What it is known by, at the right: a key, an id, a kind.
    pub(super) right: Text,
    /// It is less than the others, and stands behind them.
    pub(super) dim: bool,
}

/// What was picked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Pick {
    /// What the typed text itself means.
    Offered,
    /// The entry of this number.
    At(usize),
}

/// The box.
#[derive(Debug)]
pub(super) struct Picker {
    title: &'static str,
    line: Line,
    entries: Vec<Entry>,
    offered: Option<Entry>,
    words: Vec<Word>,
    hits: Vec<Pick>,
    selected: usize,
}

/// A typed word, as it is looked for in names and elsewhere.
#[derive(Debug)]
struct Word {
    fuzzy: Atom,
    whole: Atom,
}

impl Word {
    fn new(text: &str) -> Self {
        let atom = |kind| Atom::new(text, CaseMatching::Ignore, Normalization::Smart, kind, false);
        Self { fuzzy: atom(AtomKind::Fuzzy), whole: atom(AtomKind::Substring) }
    }

    /// How well it fits, if it does.
    fn score(&self, entry: &Entry, finder: &mut Finder) -> Option<u32> {
        let whole = finder.score(&self.whole, &entry.name).map(|score| 2 * NAMED + score);
        let beside = |finder: &mut Finder| {
            let detail = finder.score(&self.whole, &entry.detail);
            let beside = detail.or_else(|| finder.score(&self.whole, &entry.right));
            beside.map(|score| NAMED + score)
        };
        whole.or_else(|| beside(finder)).or_else(|| finder.score(&self.fuzzy, &entry.name))
    }
}

/// Looks for words in texts.
struct Finder {
    matcher: Matcher,
    chars: Vec<char>,
}

impl Finder {
    fn new() -> Self {
        Self { matcher: Matcher::new(Config::DEFAULT), chars: Vec::new() }
    }

    fn score(&mut self, atom: &Atom, text: &str) -> Option<u32> {
        let score = atom.score(haystack(text, &mut self.chars), &mut self.matcher);
        score.map(u32::from)
    }

    /// The characters of `text` that fit, added to those in `found`.
    fn find(&mut self, atom: &Atom, text: &str, found: &mut Vec<u32>) -> bool {
        atom.indices(haystack(text, &mut self.chars), &mut self.matcher, found).is_some()
    }

    /// Which characters of the name and of the detail fit the words.
    fn marks(&mut self, words: &[Word], entry: &Entry) -> [Vec<u32>; 2] {
        let [mut name, mut detail] = [Vec::new(), Vec::new()];
        for word in words {
            let _ = self.find(&word.fuzzy, &entry.name, &mut name)
                || self.find(&word.whole, &entry.detail, &mut detail);
        }
        [name, detail]
    }
}

/// A text as the matcher takes it. Its own way takes a letter with an accent apart for ASCII.
fn haystack<'a>(text: &'a str, chars: &'a mut Vec<char>) -> Utf32Str<'a> {
    if text.is_ascii() {
        return Utf32Str::Ascii(text.as_bytes());
    }
    chars.clear();
    chars.extend(text.chars());
    Utf32Str::Unicode(chars)
}

impl Picker {
    /// A box with everything in it.
    pub(super) fn new(title: &'static str, entries: Vec<Entry>) -> Self {
        let (line, words, hits) = (Line::default(), Vec::new(), Vec::new());
        let mut picker = Self { title, line, entries, offered: None, words, hits, selected: 0 };
        picker.rank("", None, |_| true);
        picker
    }

    /// What is typed so far.
    pub(super) fn text(&self) -> &str {
        self.line.text()
    }

    /// Adds pasted text; whoever opened the box ranks its entries again.
    pub(super) fn paste(&mut self, text: &str) {
        self.line.paste(text);
    }

    /// Takes a key that is bound to nothing; whoever opened the box ranks its entries again.
    pub(super) fn type_key(&mut self, key: Key) {
        self.line.type_key(key);
    }

    /// Shows what fits every word, of the entries that are kept, best first; before them all what is
    /// offered for the text itself.
    pub(super) fn rank(
        &mut self,
        text: &str,
        offered: Option<Entry>,
        keeps: impl Fn(usize) -> bool,
    ) {
        self.words = text.split_whitespace().map(Word::new).collect();
        let mut finder = Finder::new();
        let mut ranked: Vec<(bool, Reverse<u32>, usize)> = Vec::new();
        for (at, entry) in self.entries.iter().enumerate().filter(|(at, _)| keeps(*at)) {
            let scores = self.words.iter().map(|word| word.score(entry, &mut finder));
            if let Some(score) = scores.sum::<Option<u32>>() {
                ranked.push((entry.dim, Reverse(score), at));
            }
        }
        ranked.sort_unstable();
        let first = offered.is_some().then_some(Pick::Offered).into_iter();
        self.hits = first.chain(ranked.into_iter().map(|(_, _, at)| Pick::At(at))).collect();
        self.offered = offered;
        self.selected = 0;
    }

    /// What is selected, unless nothing fits.
    pub(super) fn picked(&self) -> Option<Pick> {
        self.hits.get(self.selected).copied()
    }

    fn entry(&self, pick: Pick) -> Option<&Entry> {
        match pick {
            Pick::Offered => self.offered.as_ref(),
            Pick::At(at) => self.entries.get(at),
        }
    }

    /// Moves; false when the action is for somebody else.
    pub(super) fn act(&mut self, action: Action, screen: Size) -> bool {
        let area = area(Rect::from((ratatui::layout::Position::ORIGIN, screen)));
        let Some(by) = action.rows(area.height.saturating_sub(3)) else { return false };
        let last = self.hits.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
        true
    }

    /// Draws the box; returns where the cursor is.
    pub(super) fn view(&self, screen: Rect, buf: &mut Buffer, styles: &Styles) -> (u16, u16) {
        let area = area(screen);
        Clear.render(area, buf);
        let at = (self.selected + 1).min(self.hits.len());
        let count = format!(" {at} of {} ", self.hits.len());
        let mut block = Block::bordered().title(self.title).border_style(styles.of(Role::Accent));
        let selected = self.picked().and_then(|pick| self.entry(pick));
        block = match selected.filter(|_| area.width < NARROW) {
            Some(entry) => {
                let room = usize::from(area.width.saturating_sub(4));
                block.title_bottom(format!(" {} ", cut(&entry.detail, room)))
            }
            None => block.title_bottom(ratatui::text::Line::from(count).right_aligned()),
        };
        let inner = block.inner(area);
        block.render(area, buf);
        buf.set_stringn(inner.x, inner.y, "> ", 2, styles.of(Role::Accent));
        let line = Rect { x: inner.x + 2, width: inner.width.saturating_sub(2), ..inner };
        let cursor = self.line.view(line, buf, styles);
        let rows = Rect { y: inner.y + 1, height: inner.height.saturating_sub(1), ..inner };
        self.draw_rows(rows.intersection(inner), buf, styles);
        cursor
    }

    fn draw_rows(&self, area: Rect, buf: &mut Buffer, styles: &Styles) {
        let height = usize::from(area.height);
        let end = self.hits.len().saturating_sub(height);
        let top = self.selected.saturating_sub(height / 2).min(end);
        let shown = self.hits.iter().skip(top).take(height);
        let shown: Vec<&Entry> = shown.filter_map(|pick| self.entry(*pick)).collect();
        if shown.is_empty() {
            let room = usize::from(area.width);
            buf.set_stringn(area.x, area.y, "  nothing found", room, styles.of(Role::Dim));
        }
        let columns = Columns::of(area.width, &shown, styles);
        let mut finder = Finder::new();
        for ((n, entry), line) in shown.into_iter().enumerate().zip(area.rows()) {
            let marks = finder.marks(&self.words, entry);
            columns.draw(entry, &marks, line, buf);
            if top + n == self.selected {
                buf.set_style(line, styles.selection());
            }
        }
    }
}

/// The box on a screen.
fn area(screen: Rect) -> Rect {
    let (width, height) =
        (screen.width.min(MOST.width), screen.height.saturating_sub(2).min(MOST.height));
    let (x, y) = ((screen.width - width) / 2, 1.min(screen.height));
    Rect::new(screen.x + x, screen.y + y, width, height).intersection(screen)
}

/// How wide the parts of the entries in sight are.
struct Columns<'a> {
    name: usize,
    detail: usize,
    right: usize,
    styles: &'a Styles,
}

impl<'a> Columns<'a> {
    fn of(room: u16, shown: &[&Entry], styles: &'a Styles) -> Self {
        // A mark before, and two columns between neighbours.
        let rest = usize::from(room).saturating_sub(2);
        let widest = |part: fn(&Entry) -> &Text| {
            shown.iter().map(|entry| width(part(entry))).max().unwrap_or(0)
        };
        let right = widest(|entry| &entry.right).min(rest / 3);
        let rest = rest.saturating_sub(right + 2);
        if room + 2 < NARROW {
            return Self { name: rest, detail: 0, right, styles };
        }
        let name = widest(|entry| &entry.name).min(rest / 2);
        Self { name, detail: rest.saturating_sub(name + 2), right, styles }
    }

    fn draw(&self, entry: &Entry, marks: &[Vec<u32>; 2], line: Rect, buf: &mut Buffer) {
        let styles = self.styles;
        let plain = styles.of(if entry.dim { Role::Dim } else { Role::Plain });
        let [name, detail] = marks;
        let column = |used: usize| line.x.saturating_add(u16::try_from(used).unwrap_or(u16::MAX));
        let at = (column(2), line.y);
        draw_marked(buf, at, (&cut(&entry.name, self.name), name), plain, styles);
        if self.detail > 0 {
            let at = (column(2 + self.name + 2), line.y);
            let dim = styles.of(Role::Dim);
            draw_marked(buf, at, (&cut(&entry.detail, self.detail), detail), dim, styles);
        }
        let right = cut(&entry.right, self.right);
        let role = if entry.dim { Role::Dim } else { Role::Accent };
        let x = column(usize::from(line.width).saturating_sub(width(&right)));
        buf.set_stringn(x, line.y, right, self.right, styles.of(role));
    }
}

/// Draws a text with the characters marked that fit what is typed.
fn draw_marked(
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

    fn entry(name: &str, detail: &str) -> Entry {
        Entry { name: name.into(), detail: detail.into(), right: Text::default(), dim: false }
    }

    fn picker(entries: &[(&str, &str)]) -> Picker {
        Picker::new(" Test ", entries.iter().map(|(name, detail)| entry(name, detail)).collect())
    }

    fn found(picker: &mut Picker, text: &str) -> Vec<usize> {
        picker.rank(text, None, |_| true);
        let numbers = picker.hits.iter().map(|pick| match pick {
            Pick::At(at) => *at,
            Pick::Offered => usize::MAX,
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
        assert_eq!(found(&mut picker, "copy csv"), [1], "a word may stand in the detail");
        assert_eq!(found(&mut picker, "place"), [2]);
        assert_eq!(found(&mut picker, "csv fold"), [0; 0]);
        assert_eq!(picker.picked(), None);
    }

    #[test]
    fn what_is_dim_stands_last_and_what_is_offered_first() {
        let dim = Entry { dim: true, ..entry("copy", "") };
        let mut picker = Picker::new(" Test ", vec![dim, entry("c o p y", ""), entry("other", "")]);
        assert_eq!(found(&mut picker, "copy"), [1, 0]);
        picker.rank("copy", Some(entry("the text itself", "")), |at| at != 1);
        assert_eq!(picker.hits, [Pick::Offered, Pick::At(0)]);
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
            (Action::HalfPageUp, 0),
        ] {
            assert!(picker.act(action, screen));
            assert_eq!(picker.picked(), Some(Pick::At(picked)));
        }
        assert!(!picker.act(Action::Open, screen));
        assert_eq!(found(&mut picker, "z"), [0; 0]);
        assert!(picker.act(Action::NextRow, screen));
    }

    #[test]
    fn matched_letters_are_underlined_in_any_script_and_at_any_size() {
        let names = [("se\u{301}p o\u{301}", "x"), ("𝐔𝐒𝐃𝐂 coin", "日本語 o"), ("", "no")];
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
    fn ten_thousand_are_ranked_like_ten() {
        let entry = |n: usize| entry(&format!("token {n}"), &format!("0x{n:040x}"));
        let mut picker = Picker::new(" Test ", (0..10_000).map(entry).collect());
        assert_eq!(found(&mut picker, "token 9999"), [9999]);
        assert_eq!(found(&mut picker, "").len(), 10_000);
    }
}
