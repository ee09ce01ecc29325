//! Replaces everything that is not ASCII, column by column, for terminals and fonts without Unicode.

use std::borrow::Cow;

use ratatui::buffer::{Buffer, Cell};
use unicode_segmentation::UnicodeSegmentation;

use super::format::width;

/// Symbols and their replacements. Letters have none and become `?`: a look-alike letter could be
/// mistaken for a genuine one.
const ASCII_REPLACEMENTS: &[(&str, &str)] = &[
    // Outcomes and folds.
    ("✓", "v"),
    ("✗", "x"),
    ("∅", "%"),
    ("⋅", "0"),
    ("▾", "v"),
    ("▸", "+"),
    ("▶»›", ">"),
    ("«‹◀", "<"),
    ("·", "-"),
    // Amounts and values.
    ("—–−", "-"),
    ("±", "="),
    ("≈", "~"),
    ("×", "x"),
    ("…", "."),
    ("≤", "<"),
    ("≥", ">"),
    // Arrows.
    ("→↪", ">"),
    ("⇒", "="),
    ("←", "<"),
    ("↔", "&"),
    ("⇅↑", "^"),
    ("↓", "v"),
    ("⚙", "#"),
    ("⌕", ">"),
    ("◆", "*"),
    ("●", "@"),
    ("○", "o"),
    // Lines and bars.
    ("─", "-"),
    ("━═", "="),
    ("╸╾", "."),
    ("│║┊", "|"),
    // The parts of a cell that a bar ends with.
    ("▏", "."),
    ("▎▍", "-"),
    ("┃", "#"),
    ("├┤┬┴┼╭╮╰╯┌┐┘┏┓┗┛╔╗╚╝", "+"),
    ("└", "`"),
    ("█▉▊▋▌▐▇▀", "#"),
    ("▄▅▆", "="),
    ("▂▃", "-"),
    ("▁", "_"),
    ("░▒", ":"),
    ("▓", "#"),
    // The spinner.
    ("⠋⠦", "|"),
    ("⠙⠇", "/"),
    ("⠸⠏", "-"),
    ("⠴⠟", "\\"),
    // Quotes.
    ("“”", "\""),
    ("‘’", "'"),
    // Control characters, as `SafeText` shows them.
    ("␀␁␂␃␄␅␆␇␈␉␊␋␌␍␎␏␐␑␒␓␔␕␖␗␘␙␚␛␜␝␞␟␡", "^"),
];

/// Replacements of a symbol and a blank after it: both columns together keep the meaning.
const WIDE_REPLACEMENTS: &[(&str, [&str; 2])] =
    &[("≤", ["<", "="]), ("≥", [">", "="]), ("⇒", ["=", ">"]), ("↔", ["<", ">"])];
/// Separates facts between blanks, and stands inside names elsewhere.
const DOT: &str = "·";
/// Has two points where there is space for them, or in place of the character before it: one alone would be
/// the end of a sentence or a number.
const ELLIPSIS: &str = "…";
/// Points to the result of a call after two blanks, and to a receiver elsewhere.
const ARROW: &str = "→";
/// Separates the pages of a path between blanks.
const PATH_SEPARATOR: &str = "›";

/// A column of a line.
trait ScreenColumn: Clone {
    fn symbol(&self) -> &str;
    fn set(&mut self, symbol: &'static str);

    fn is_blank(&self) -> bool {
        self.symbol() == " "
    }
}

impl ScreenColumn for Cell {
    fn symbol(&self) -> &str {
        self.symbol()
    }

    fn set(&mut self, symbol: &'static str) {
        self.set_symbol(symbol);
    }
}

impl ScreenColumn for &str {
    fn symbol(&self) -> &str {
        self
    }

    fn set(&mut self, symbol: &'static str) {
        *self = symbol;
    }
}

pub fn replace_non_ascii(buf: &mut Buffer) {
    let columns = usize::from(buf.area.width).max(1);
    for row in buf.content.chunks_mut(columns) {
        replace_line(row);
    }
}

/// Returns a text of the same width in ASCII.
pub fn to_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let mut columns: Vec<&str> = Vec::with_capacity(text.len());
    for grapheme in text.graphemes(true) {
        let used = width(grapheme);
        if used > 0 || grapheme.is_ascii() {
            columns.push(grapheme);
        }
        columns.extend(std::iter::repeat_n(" ", used.saturating_sub(1)));
    }
    replace_line(&mut columns);
    columns.concat().into()
}

fn replace_line<C: ScreenColumn>(line: &mut [C]) {
    join_frames(line);
    // The replacement of the second column of a wide character, which is blank.
    let mut covering = None;
    let mut is_after_blank = false;
    for n in 0..line.len() {
        let covered = covering.take();
        let was_blank = is_blank(line, n);
        if let Some(form) = covered.filter(|_| was_blank) {
            set(line, n, form);
        } else if line.get(n).is_some_and(|column| !column.symbol().is_ascii()) {
            covering = replace_symbol(line, n, is_after_blank);
        }
        is_after_blank = was_blank && covered.is_none();
    }
}

/// Replaces a symbol, and the column next to it if both are needed. Returns the replacement of the column
/// that a wide character covers.
fn replace_symbol<C: ScreenColumn>(
    line: &mut [C],
    n: usize,
    is_after_blank: bool,
) -> Option<&'static str> {
    let column = line.get(n)?.clone();
    let symbol = column.symbol();
    let pair = |pairs: &[(&str, [&'static str; 2])]| {
        pairs.iter().find(|(known, _)| *known == symbol).map(|(_, forms)| *forms)
    };
    let is_before_blank = is_blank(line, n + 1);
    if let Some([first, second]) = pair(WIDE_REPLACEMENTS).filter(|_| is_before_blank) {
        set(line, n, first);
        set(line, n + 1, second);
    } else if symbol == ELLIPSIS {
        replace_ellipsis(line, n);
    } else if symbol == DOT && is_after_blank && is_before_blank {
        let follows_word = n.checked_sub(2).is_some_and(|at| is_ascii_graphic(line, at));
        set(line, n, if follows_word { " " } else { "-" });
        if follows_word {
            set(line, n - 1, ",");
        }
    } else if symbol == DOT && is_within_word(line, n) {
        set(line, n, ":");
    } else if symbol == ARROW && follows_call(line, n) {
        set(line, n - 1, "-");
        set(line, n, ">");
    } else if symbol == PATH_SEPARATOR && is_after_blank && is_before_blank {
        set(line, n, "/");
    } else {
        set(line, n, replacement_for(symbol));
    }
    // A picture is one sign, letters of two columns are two.
    let is_letter = symbol.starts_with(char::is_alphanumeric);
    (width(symbol) > 1).then_some(if is_letter { "?" } else { " " })
}

/// Writes two points, without a column of its own for the second.
fn replace_ellipsis<C: ScreenColumn>(line: &mut [C], n: usize) {
    let is_before_blank = is_blank(line, n + 1);
    let before = n.checked_sub(1).and_then(|at| line.get(at)).map(ScreenColumn::symbol);
    let is_bracket = before.is_some_and(|before| ["(", "["].contains(&before));
    let ends_brackets = line.get(n + 1).is_some_and(|column| [")", "]"].contains(&column.symbol()));
    let is_after_lone_blank = before == Some(" ") && !is_before_blank;
    if is_bracket && ends_brackets && is_blank(line, n + 2) && is_blank(line, n + 3) {
        let bracket = if before == Some("(") { ")" } else { "]" };
        set(line, n + 1, ".");
        set(line, n + 2, bracket);
    } else if is_before_blank && is_blank(line, n + 2) {
        set(line, n + 1, ".");
    } else if !is_bracket && n > 0 && is_ascii_graphic(line, n - 1) || is_after_lone_blank {
        set(line, n - 1, ".");
    }
    set(line, n, ".");
}

/// Replaces the left edge of a frame next to the right edge of another: two lines would be drawn as a thick one.
fn join_frames<C: ScreenColumn>(line: &mut [C]) {
    const RIGHT_EDGES: [&str; 5] = ["│", "┃", "┤", "╮", "╯"];
    for n in 1..line.len() {
        let is_after_edge =
            RIGHT_EDGES.iter().any(|edge| line.get(n - 1).is_some_and(|c| c.symbol() == *edge));
        match line.get(n).map(ScreenColumn::symbol) {
            Some("│") if is_after_edge => set(line, n, " "),
            Some("├" | "╭" | "╰") if is_after_edge => set(line, n, "-"),
            _ => {}
        }
    }
}

/// Returns `true` if two blanks separate the column from a call before it.
fn follows_call<C: ScreenColumn>(line: &[C], n: usize) -> bool {
    let symbol_before =
        |columns| n.checked_sub(columns).and_then(|at| line.get(at)).map(ScreenColumn::symbol);
    [1, 2].iter().all(|columns| symbol_before(*columns) == Some(" "))
        && symbol_before(3).is_some_and(|end| [")", "."].contains(&end))
}

fn is_within_word<C: ScreenColumn>(line: &[C], n: usize) -> bool {
    let is_word = |at: usize| {
        line.get(at).is_some_and(|c| c.symbol().ends_with(|c: char| c.is_ascii_alphanumeric()))
    };
    n.checked_sub(1).is_some_and(is_word) && is_word(n + 1)
}

fn is_ascii_graphic<C: ScreenColumn>(line: &[C], n: usize) -> bool {
    line.get(n).is_some_and(|c| c.symbol().bytes().all(|b| b.is_ascii_graphic()))
}

fn is_blank<C: ScreenColumn>(line: &[C], n: usize) -> bool {
    line.get(n).is_some_and(ScreenColumn::is_blank)
}

fn set<C: ScreenColumn>(line: &mut [C], n: usize, form: &'static str) {
    if let Some(column) = line.get_mut(n) {
        column.set(form);
    }
}

/// Returns the replacement of a symbol, which is one column wide.
fn replacement_for(sign: &str) -> &'static str {
    let found = ASCII_REPLACEMENTS.iter().find(|(signs, _)| signs.contains(sign));
    found.map_or("?", |(_, form)| form)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::layout::Rect;
    use ratatui::style::Style;

    use super::*;

    #[test]
    fn symbols_are_replaced() {
        let words = "▾ ▸ · ✓ ✗ ! ∅ ⚙ ↪ │ ├─└ … 3 × a — ≤5 ±0 −2 ‹key›";
        assert_eq!(to_ascii(words), "v +,  v x ! % # > | +-` . 3 x a - <5 =0 -2 <key>");
        assert_eq!(to_ascii("≥5 ≥ 5"), ">5 >=5");
        assert_eq!(to_ascii("Pool·Cba6 · ≤ 12 s ⇒ 2 ≈ 3"), "Pool:Cba6,  <=12 s =>2 ~ 3");
        assert_eq!(to_ascii("Zürich 美元 🐋 USDС ␛[2J ␦"), "Z?rich ???? ?  USD? ^[2J ?");
        assert_eq!(
            to_ascii("0xf39F…2266 500,000,0… f(…) g(…)  a…  b, …│"),
            "0xf39..2266 500,000,.. f(.) g(..) a.. b,..|"
        );
        assert_eq!(to_ascii("a → b  ← c|→ d  f()  → 2"), "a > b  < c|> d  f() -> 2");
        assert_eq!(to_ascii("demo › Proxy › a›b · c"), "demo / Proxy / a>b,  c");
        assert_eq!(to_ascii("─╮╭─ │┃│ ┤├"), "-+-- |#  +-");
        assert!(matches!(to_ascii("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn different_states_stay_different() {
        for states in [
            &["✓", "✗", "!", "∅", "?", "≈", "…"][..],
            &["▾", "▸", "·"],
            &["+", "−", "±"],
            &["█", "▎", "▏", "░", "│", " "],
            &["ok", "✗ failed", "✓ inner ✗", "… pending", "✓ ok"],
            &["←", "→", "↔", "⇒"],
            &["⋅", "—", "∅"],
            &["◆", "●", "○", "?"],
        ] {
            let mut forms: Vec<Cow<'_, str>> = states.iter().map(|state| to_ascii(state)).collect();
            forms.sort_unstable();
            forms.dedup();
            assert_eq!(forms.len(), states.len(), "{states:?} {forms:?}");
        }
    }

    #[test]
    fn replacements_are_one_ascii_column() {
        for (signs, form) in ASCII_REPLACEMENTS {
            assert!(form.is_ascii() && form.len() == 1, "{form}");
            for sign in signs.chars() {
                assert_eq!(width(sign.encode_utf8(&mut [0; 4])), 1, "{sign}");
            }
        }
    }

    fn check_frame(words: &str, at: u16) {
        let area = Rect::new(3, 2, 30, 2);
        let mut buf = Buffer::empty(area);
        buf.set_string(3 + at, 3, words, Style::new());
        let mut same = buf.clone();
        replace_non_ascii(&mut buf);
        assert!(buf.content.iter().all(|cell| cell.symbol().is_ascii()));
        assert!(buf.content.iter().all(|cell| cell.symbol().len() == 1));
        same.set_string(3 + at, 3, to_ascii(words), Style::new());
        assert_eq!(buf, same);
    }

    #[test]
    fn wide_text_up_to_the_right_edge_is_replaced() {
        check_frame("a💥a美││💥aa……éa💥", 12);
    }

    proptest! {
        #[test]
        fn text_keeps_its_width(words in any::<String>()) {
            let words = crate::sanitize::sanitize(&words).into_owned();
            let shown = to_ascii(&words);
            prop_assert!(shown.is_ascii());
            prop_assert_eq!(width(&shown), words.graphemes(true).map(width).sum::<usize>());
        }

        #[test]
        fn frame_matches_its_text(words in "a[a-zé美💥▾│…·≤⇒ ]{0,8}a", at in 0u16..10) {
            check_frame(&words, at);
        }
    }
}
