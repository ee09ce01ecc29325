//! Replaces everything that is not ASCII, column by column, for terminals and fonts without Unicode.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use unicode_segmentation::UnicodeSegmentation;

use super::format::width;

/// Symbols and their replacements. Letters have none and become `?`: a look-alike letter could be
/// mistaken for a genuine one.
const ASCII_REPLACEMENTS: &[(&str, &str)] = &[
    // Outcomes and folds.
    ("✓", "+"),
    ("✗", "x"),
    ("∅⋅", "0"),
    ("▾", "v"),
    ("▸▶»›", ">"),
    ("«‹◀", "<"),
    ("·", "-"),
    // Amounts and values.
    ("—–−", "-"),
    ("±", "="),
    ("≈", "~"),
    ("×", "*"),
    // As an abbreviation's point.
    ("…", "."),
    ("≤‹", "<"),
    ("›", ">"),
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
    // Lines and bars.
    ("─", "-"),
    ("━═", "="),
    ("╸", " "),
    ("│║▏┊", "|"),
    ("┃", "#"),
    ("├┤┬┴┼╭╮╰╯┌┐└┘┏┓┗┛╔╗╚╝", "+"),
    ("█▉▊▋▇▀", "#"),
    ("▌▍▎▐▄▅▆", "="),
    ("▁", "."),
    ("▂▃", ":"),
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
    &[("≤", ["<", "="]), ("⇒", ["=", ">"]), ("↔", ["<", ">"])];
/// Separates facts between blanks, and stands inside names elsewhere.
const DOT: &str = "·";

pub fn replace_non_ascii(buf: &mut Buffer) {
    let columns = usize::from(buf.area.width).max(1);
    for row in buf.content.chunks_mut(columns) {
        let mut covered = 0;
        let mut is_after_blank = false;
        for n in 0..row.len() {
            let is_before_blank = row.get(n + 1).is_some_and(|next| next.symbol() == " ");
            let Some(cell) = row.get_mut(n) else { break };
            let was_blank = cell.symbol() == " ";
            // The blank cell after a wide character belongs to it.
            let is_covered = std::mem::take(&mut covered) > 0 && was_blank;
            if is_covered {
                cell.set_symbol("?");
            } else if !cell.symbol().is_ascii() {
                covered = width(cell.symbol()).saturating_sub(1);
                let wide = wide_replacement(cell.symbol()).filter(|_| is_before_blank);
                let form = wide.map_or_else(
                    || replacement_between(cell.symbol(), is_after_blank, is_before_blank),
                    |[first, _]| first,
                );
                cell.set_symbol(form);
                if let (Some([_, second]), Some(next)) = (wide, row.get_mut(n + 1)) {
                    next.set_symbol(second);
                }
            }
            is_after_blank = was_blank && !is_covered;
        }
    }
}

/// Returns a text of the same width in ASCII.
pub fn to_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    let mut graphemes = text.graphemes(true).peekable();
    let mut is_after_blank = false;
    while let Some(grapheme) = graphemes.next() {
        let is_before_blank = graphemes.peek() == Some(&" ");
        let wide = wide_replacement(grapheme).filter(|_| is_before_blank);
        match (width(grapheme), wide) {
            (_, Some(both)) => {
                out.extend(both);
                graphemes.next();
            }
            _ if grapheme.is_ascii() => out.push_str(grapheme),
            (1, _) => out.push_str(replacement_between(grapheme, is_after_blank, is_before_blank)),
            (columns, _) => out.extend(std::iter::repeat_n('?', columns)),
        }
        is_after_blank = grapheme == " " && wide.is_none();
    }
    out.into()
}

fn wide_replacement(sign: &str) -> Option<[&'static str; 2]> {
    WIDE_REPLACEMENTS.iter().find(|(wide, _)| *wide == sign).map(|(_, form)| *form)
}

/// Returns the replacement of a symbol by the blanks around it.
fn replacement_between(sign: &str, is_after_blank: bool, is_before_blank: bool) -> &'static str {
    if sign == DOT && is_after_blank && is_before_blank { "|" } else { replacement_for(sign) }
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
        let words = "▾ ▸ · ✓ ✗ ! ∅ ⚙ ↪ │├─└ … 3 × a — ≤5 ±0 −2 ‹key›";
        assert_eq!(to_ascii(words), "v > | + x ! 0 # > |+-+ . 3 * a - <5 =0 -2 <key>");
        assert_eq!(to_ascii("Pool·Cba6 · ≤ 12 s ⇒ 2 ≈ 3"), "Pool-Cba6 | <=12 s =>2 ~ 3");
        assert_eq!(to_ascii("Zürich 美元 USDС ␛[2J ␦"), "Z?rich ???? USD? ^[2J ?");
        assert!(matches!(to_ascii("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn different_states_stay_different() {
        for states in [
            &["✓", "✗", "!", "∅", "?", "≈", "…"][..],
            &["▾", "▸", "─·"],
            &["+", "−", "±"],
            &["█", "░", " "],
            &["ok", "✗ failed", "✓ inner ✗", "… pending", "✓ ok"],
            &["←", "→", "↔", "⇒"],
            &["⋅", "—"],
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
