//! Text stays in its cells on terminals that count characters and on those that count graphemes.

use chainglass::test_api::runtime::FrameWriter;
use chainglass::test_api::sanitize::{SafeText, width};
use proptest::prelude::*;
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Color, Style};
use unicode_properties::{GeneralCategory, UnicodeGeneralCategory};
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

/// The unit that a terminal draws as one symbol.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Counts {
    /// As xterm and tmux do: each character has its own width, which is 0 for marks only.
    Characters,
    /// As kitty and ghostty do: a grapheme takes a cell or two, whatever it holds.
    Graphemes,
    /// As terminals do in East Asian settings, where arrows and lines are wide.
    WideArrows,
}

impl Counts {
    fn symbols(self, text: &str) -> Vec<(&str, usize)> {
        match self {
            Self::Characters => text.split("").filter_map(character).collect(),
            Self::WideArrows => {
                let columns = |part: &str| UnicodeWidthStr::width_cjk(part).clamp(1, 2);
                text.graphemes(true).map(|part| (part, columns(part))).collect()
            }
            Self::Graphemes => {
                text.graphemes(true).map(|part| (part, part.width().clamp(1, 2))).collect()
            }
        }
    }
}

fn character(text: &str) -> Option<(&str, usize)> {
    use GeneralCategory::{EnclosingMark, Format, NonspacingMark};
    let c = text.chars().next()?;
    let is_mark =
        matches!(c.general_category(), EnclosingMark | Format | NonspacingMark) || c == '\u{1160}';
    Some((text, if is_mark { 0 } else { c.width().unwrap_or(1).max(1) }))
}

/// A terminal that wraps lines and knows no sequences but those that move the cursor or erase.
pub(crate) struct Emulator {
    counts: Counts,
    rows: Vec<Vec<String>>,
    x: usize,
    y: usize,
}

impl Emulator {
    /// Shows frames one after the other, as the program writes them.
    pub(crate) fn showing(counts: Counts, frames: &[Buffer]) -> Self {
        let area = frames[0].area;
        let rows = vec![vec![" ".to_owned(); area.width.into()]; area.height.into()];
        let mut emulator = Self { counts, rows, x: 0, y: 0 };
        emulator.write(&output(area, frames));
        emulator
    }

    /// The screen as text.
    pub(crate) fn screen(&self) -> String {
        let lines = self.rows.iter().map(|row| row.concat().trim_end().to_owned());
        lines.collect::<Vec<_>>().join("\n")
    }

    /// Checks that the plain text of a frame is shown where it belongs.
    #[track_caller]
    pub(crate) fn assert_shows_ascii_of(&self, frame: &Buffer) {
        let mut covered = 0;
        for (n, cell) in frame.content.iter().enumerate() {
            let (x, y) = frame.pos_of(n);
            if covered == 0 && cell.symbol().is_ascii() {
                let shown = &self.rows[usize::from(y)][usize::from(x)];
                assert_eq!(shown, cell.symbol(), "{:?} {x} {y}\n{}", self.counts, self.screen());
            }
            covered = covered.max(width(cell.symbol())).saturating_sub(1);
        }
    }

    fn write(&mut self, output: &str) {
        for (n, part) in output.split("\x1b[").enumerate() {
            let end = if n == 0 { 0 } else { part.find(|c: char| c.is_alphabetic()).unwrap() + 1 };
            let (sequence, text) = part.split_at(end);
            if let Some((y, x)) = sequence.strip_suffix('H').and_then(|at| at.split_once(';')) {
                self.y = y.parse::<usize>().unwrap() - 1;
                self.x = (x.parse::<usize>().unwrap() - 1).min(self.rows[0].len() - 1);
            }
            if let Some(x) = sequence.strip_suffix('G') {
                self.x = x.parse::<usize>().unwrap() - 1;
            }
            if let Some(count) = sequence.strip_suffix('X') {
                let before = self.x;
                (0..count.parse().unwrap()).for_each(|_| self.put(" ", 1));
                self.x = before;
            }
            for (symbol, columns) in self.counts.symbols(text) {
                self.put(symbol, columns);
            }
        }
    }

    fn put(&mut self, symbol: &str, columns: usize) {
        if self.x + columns > self.rows[0].len() {
            (self.x, self.y) = (0, self.y + 1);
        }
        let Some(row) = self.rows.get_mut(self.y).filter(|_| columns > 0) else { return };
        let mut cells = [String::new(), String::new()];
        symbol.clone_into(&mut cells[0]);
        // Half a wide symbol is blank.
        if row[self.x].is_empty() {
            row[self.x - 1] = " ".into();
        }
        if let Some(half) = row.get_mut(self.x + columns).filter(|cell| cell.is_empty()) {
            *half = " ".into();
        }
        row[self.x..self.x + columns].clone_from_slice(&cells[..columns]);
        self.x += columns;
    }
}

/// Returns the program's output for frames.
fn output(area: Rect, frames: &[Buffer]) -> String {
    let (mut writer, mut bytes) = (FrameWriter::new(area), Vec::new());
    for frame in frames {
        writer.write(&mut frame.clone(), true, &mut bytes); // the emulator does not scroll
    }
    String::from_utf8(bytes).unwrap()
}

/// The field that hostile text is drawn into.
const FIELD: Rect = Rect { x: 7, y: 2, width: 12, height: 1 };

/// Content of the field before, which no text can have.
const OLD: &str = "\u{e000}";

/// A frame of `#` with a field of text.
fn frame(area: Rect, text: &str, style: Style) -> Buffer {
    let mut buf = Buffer::empty(area);
    buf.content.iter_mut().for_each(|cell| _ = cell.set_symbol("#"));
    buf.set_string(FIELD.x, FIELD.y, " ".repeat(FIELD.width.into()), style);
    buf.set_stringn(FIELD.x, FIELD.y, text, FIELD.width.into(), style);
    buf
}

/// Checks that the text changes no cell outside its field, leaves nothing of what was there, and is
/// gone in the next frame.
#[track_caller]
fn assert_confined(text: &str) {
    let area = Rect::new(0, 0, FIELD.right(), 5); // the field ends at the edge
    for area in [area, Rect { width: 30, ..area }] {
        let before = frame(area, &OLD.repeat(FIELD.width.into()), Style::new().bg(Color::Red));
        let after = frame(area, "", Style::new());
        let frames = [before, frame(area, text, Style::new()), after];
        for counts in [Counts::Characters, Counts::Graphemes] {
            let shown = Emulator::showing(counts, &frames[..2]);
            for (y, row) in (0..).zip(&shown.rows) {
                for (x, cell) in (0..).zip(row) {
                    let is_in_place = cell == "#" || FIELD.contains((x, y).into()) && cell != OLD;
                    assert!(is_in_place, "{text:?} {counts:?} {x} {y} {}", shown.screen());
                }
            }
            let last = Emulator::showing(counts, &frames);
            let alone = Emulator::showing(counts, &frames[2..]);
            assert_eq!(last.screen(), alone.screen(), "{text:?} {counts:?}");
        }
    }
}

#[test]
fn a_wide_symbol_that_is_partly_covered_is_left_out() {
    let mut buf = Buffer::empty(Rect::new(0, 0, 6, 1));
    buf.set_string(0, 0, "a美b美", Style::new());
    buf.set_string(2, 0, "│", Style::new()); // the border of a popup
    for counts in [Counts::Characters, Counts::Graphemes] {
        let shown = Emulator::showing(counts, std::slice::from_ref(&buf));
        assert_eq!(shown.screen(), "a │b美");
    }
}

#[test]
fn an_arrow_that_is_wide_shifts_nothing() {
    let mut buf = Buffer::empty(Rect::new(0, 0, 9, 2));
    buf.set_string(0, 0, "in →0x12…", Style::new());
    buf.set_string(0, 1, "next line", Style::new());
    Emulator::showing(Counts::WideArrows, std::slice::from_ref(&buf)).assert_shows_ascii_of(&buf);
}

#[test]
fn a_line_whose_symbols_are_wide_shifts_nothing() {
    let frames = ["0123456789abcdef", "┌──────┐89abcdef", "01──────────cdef", "──────────── def"];
    let frames = frames.map(|row| Buffer::with_lines([row, "the next line..."]));
    for counts in [Counts::WideArrows, Counts::Characters] {
        for (first, last) in (0..4).flat_map(|first| (0..4).map(move |last| (first, last))) {
            let shown = [frames[first].clone(), frames[last].clone()];
            Emulator::showing(counts, &shown).assert_shows_ascii_of(&frames[last]);
        }
    }
}

/// Texts that take other columns in some terminals than in others.
pub(crate) const ATTACKS: [fn() -> String; 9] = [
    || "\u{d4e}".repeat(84),
    || "⬛\u{200d}".repeat(170),
    || "👩\u{200d}❤\u{fe0f}\u{200d}".repeat(40),
    || "क\u{94d}".repeat(80),
    || "ক\u{9be}".repeat(80),
    || "ᄀ".repeat(80),
    || "👍\u{1f3fd}".repeat(40),
    || "🇨".repeat(41),
    || "ก\u{e33}\u{e33}\u{e33}\u{e33}\u{e33}".repeat(20),
];

#[test]
fn attacks_stay_in_their_field() {
    for attack in ATTACKS {
        assert_confined(&SafeText::new(&attack()));
    }
}

/// Characters that join, change a width or are blank, and some of those that they act on.
const JOINING: &str = "[a⬛👩🇨🇭❤1कषকကកលກกำ美𑇂ൎ\\u{94d}\\u{94d}\\u{93e}\\u{9be}\\u{17d2}\\u{1780}\\u{e33}\
    \\u{200d}\\u{200d}\\u{fe0e}\\u{fe0f}\\u{20e3}\\u{301}\\u{1f3fd}\\u{e0067}\\u{1100}\\u{1161}\\u{16d67}\
    \\u{2d31}\\u{2d7f}\\u{ff76}\\u{ff9e}\\u{3164}\\u{d4e}\\u{600}\\u{70f}\\u{1039}\\u{1a60}\\u{a4f8}\\u{a4fc}لا]{0,30}";

proptest! {
    #[test]
    fn any_text_stays_in_its_field(text in prop_oneof![JOINING.prop_map(String::from), any::<String>()]) {
        let text = SafeText::new(&text);
        assert_confined(&text);
        // The columns that are drawn are those that were measured.
        let mut line = Buffer::empty(Rect::new(0, 0, 300, 1));
        let (end, _) = line.set_stringn(0, 0, &*text, 300, Style::new());
        prop_assert_eq!(usize::from(end), width(&text));
    }
}
