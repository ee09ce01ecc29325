//! Numbers, times and hashes as columns show them.

use std::borrow::Cow;
use std::ops::Range;

use jiff::Timestamp;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::UnicodeWidthStr;

/// Columns a text takes on the screen.
pub fn width(text: &str) -> usize {
    text.width()
}

/// Whether a text takes at most so many columns. One that is far too long is not measured whole.
pub fn fits(text: &str, columns: usize) -> bool {
    // A text cannot be narrower than a quarter of its bytes.
    text.len() <= columns * 4 && text.width() <= columns
}

/// At most `width` columns of `text`; what is cut is marked with `…`.
pub fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if fits(text, width) {
        return Cow::Borrowed(text);
    }
    let mut used = 0;
    let mut out = String::new();
    for grapheme in text.graphemes(true) {
        used += grapheme.width();
        if used + 1 > width {
            if width > 0 {
                out.push('…');
            }
            return Cow::Owned(out);
        }
        out.push_str(grapheme);
    }
    Cow::Owned(out)
}

/// Breaks text into lines of at most `room` columns, at spaces where there are any near the end.
pub fn wrap(text: &str, room: usize) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let (mut start, mut used, mut space) = (0, 0, None);
    for (at, grapheme) in text.grapheme_indices(true) {
        let width = grapheme.width();
        if used + width > room && at > start {
            let end = space.filter(|s| s - start > room / 2).unwrap_or(at);
            lines.push(start..end);
            start = end;
            used = text.get(start..at).map_or(0, UnicodeWidthStr::width);
            space = None;
        }
        used += width;
        if grapheme == " " {
            space = Some(at + 1);
        }
    }
    lines.push(start..text.len());
    lines
}

/// How long ago, in the largest fitting unit: `<1m`, `59m`, `23h`, `364d`, `12y`. Never more than
/// four columns, and the same for a whole minute, so that a screen need not be drawn each second.
pub fn age(then: Timestamp, now: Timestamp) -> String {
    let minutes = (now.as_second() - then.as_second()) / 60;
    match minutes {
        ..=-2 => "later".into(), // a clock is wrong, ours or the chain's
        -1..1 => "<1m".into(),
        1..60 => format!("{minutes}m"),
        60..1_440 => format!("{}h", minutes / 60),
        1_440..525_600 => format!("{}d", minutes / 1_440),
        _ => format!("{}y", minutes / 525_600),
    }
}

/// How long ago, in words: `7m ago`.
pub fn ago(then: Timestamp, now: Timestamp) -> String {
    let age = age(then, now);
    if age == "later" { "in the future".to_owned() } else { format!("{age} ago") }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ages_take_the_largest_unit() {
        let now = Timestamp::from_second(1_700_000_000).unwrap();
        for (seconds, age) in [
            (0, "<1m"),
            (59, "<1m"),
            (60, "1m"),
            (3_599, "59m"),
            (3_600, "1h"),
            (86_399, "23h"),
            (86_400, "1d"),
            (31_535_999, "364d"),
            (31_536_000, "1y"),
            (-30, "<1m"),
            (-600, "later"),
        ] {
            let then = Timestamp::from_second(1_700_000_000 - seconds).unwrap();
            assert_eq!(super::age(then, now), age, "{seconds}");
        }
    }

    proptest! {
        #[test]
        fn a_cut_text_fits_and_says_so(text in any::<String>(), room in 1usize..30) {
            let text = crate::sanitize::sanitize(&text).into_owned();
            let cut = cut(&text, room);
            prop_assert!(width(&cut) <= room);
            prop_assert!(*cut == text || cut.ends_with('…'));
        }

        #[test]
        fn wrapping_loses_nothing(text in "[a-z 美💰é]{0,200}", room in 2usize..50) {
            let lines = wrap(&text, room);
            let joined: String = lines.iter().map(|part| &text[part.clone()]).collect();
            prop_assert_eq!(&joined, &text);
            for part in lines {
                prop_assert!(text[part].width() <= room);
            }
        }
    }
}
