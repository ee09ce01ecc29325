//! Replaces everything that is not ASCII, column by column, for terminals and fonts without Unicode.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use unicode_segmentation::UnicodeSegmentation;

use super::format::width;

/// Symbols and their replacements. Letters have none and become `?`: a look-alike letter could be
/// mistaken for a genuine one.
const ASCII_REPLACEMENTS: &[(&str, &str)] = &[
    // Outcomes and folds.
    ("✓", "o"),
    ("✗", "x"),
    ("∅⋅", "0"),
    ("▾", "v"),
    ("▸▶»›", ">"),
    ("«‹◀", "<"),
    ("·", "-"),
    // Amounts and values.
    ("—–−", "-"),
    ("±≈", "="),
    ("×", "*"),
    ("…", "~"),
    ("≤‹", "<"),
    ("›", ">"),
    // Arrows.
    ("→↪", ">"),
    ("⇒", "}"),
    ("←", "<"),
    ("↔", "="),
    ("⇅↑", "^"),
    ("↓", "v"),
    ("⚙", "#"),
    ("⌕", ">"),
    ("◆", "*"),
    // Lines and bars.
    ("─━═", "-"),
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

pub fn replace_non_ascii(buf: &mut Buffer) {
    let columns = usize::from(buf.area.width).max(1);
    let mut covered = 0;
    for (n, cell) in buf.content.iter_mut().enumerate() {
        if n % columns == 0 {
            covered = 0;
        }
        // The blank cell after a wide character belongs to it.
        if std::mem::take(&mut covered) > 0 && cell.symbol() == " " {
            cell.set_symbol("?");
        } else if !cell.symbol().is_ascii() {
            covered = width(cell.symbol()).saturating_sub(1);
            cell.set_symbol(replacement_for(cell.symbol()));
        }
    }
}

/// Returns a text of the same width in ASCII.
pub fn to_ascii(text: &str) -> Cow<'_, str> {
    if text.is_ascii() {
        return text.into();
    }
    let mut out = String::with_capacity(text.len());
    for grapheme in text.graphemes(true) {
        match width(grapheme) {
            _ if grapheme.is_ascii() => out.push_str(grapheme),
            1 => out.push_str(replacement_for(grapheme)),
            columns => out.extend(std::iter::repeat_n('?', columns)),
        }
    }
    out.into()
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
        assert_eq!(to_ascii(words), "v > - o x ! 0 # > |+-+ ~ 3 * a - <5 =0 -2 <key>");
        assert_eq!(to_ascii("Zürich 美元 USDС ␛[2J ␦"), "Z?rich ???? USD? ^[2J ?");
        assert!(matches!(to_ascii("plain"), Cow::Borrowed("plain")));
    }

    #[test]
    fn different_states_stay_different() {
        for states in [
            &["✓", "✗", "!", "∅", "?"][..],
            &["▾", "▸", "·"],
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
        fn frame_matches_its_text(words in "[a-zé美💥▾│…]{0,10}", at in 0u16..10) {
            check_frame(&words, at);
        }
    }
}
