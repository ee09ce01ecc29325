//! Fits text into columns and lines, and formats ages.

use std::borrow::Cow;
use std::ops::Range;

use jiff::Timestamp;
use unicode_segmentation::UnicodeSegmentation;

pub use crate::sanitize::width;

/// Returns whether a text fits into `columns`. Texts that are far too long are not measured.
pub fn fits(text: &str, columns: usize) -> bool {
    // A column takes at most four bytes.
    text.len() <= columns.saturating_mul(4) && width(text) <= columns
}

/// Returns at most `width` columns of `text`, with `…` in place of what is cut.
pub fn cut(text: &str, width: usize) -> Cow<'_, str> {
    if fits(text, width) {
        return Cow::Borrowed(text);
    }
    let mut used = 0;
    let mut out = String::new();
    for grapheme in text.graphemes(true) {
        used += self::width(grapheme);
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

/// Breaks text into lines of at most `width` columns, at a space if there is one near the end.
pub fn wrap(text: &str, max_width: usize) -> Vec<Range<usize>> {
    let mut lines = Vec::new();
    let mut start = 0;
    let mut used = 0;
    let mut space = None;
    for (at, grapheme) in text.grapheme_indices(true) {
        let columns = width(grapheme);
        if used + columns > max_width && at > start {
            let end = space.filter(|s| s - start > max_width / 2).unwrap_or(at);
            lines.push(start..end);
            start = end;
            used = text.get(start..at).map_or(0, width);
            space = None;
        }
        used += columns;
        if grapheme == " " {
            space = Some(at + 1);
        }
    }
    lines.push(start..text.len());
    lines
}

/// Breaks text as [`wrap`] does, and returns the lines.
pub fn wrapped_lines(text: &str, max_width: usize) -> impl Iterator<Item = &str> {
    wrap(text, max_width).into_iter().map(|line| text.get(line).unwrap_or_default())
}

/// Returns the time since `then` in its two largest units: `<1m`, `59m`, `23h 59m`, `364d 23h`,
/// `3y 9d`. A time ahead of this computer's clock has a sign: `+59m`. It changes at most once a
/// minute, which keeps redraws rare.
pub fn age(then: Timestamp, now: Timestamp) -> String {
    let minutes = (now.as_second() - then.as_second()) / 60;
    match (minutes, minutes.unsigned_abs()) {
        (-1..1, _) => "<1m".into(),
        (1.., past) => span(past),
        (_, 52_560_000..) => ">99y".into(),
        (_, ahead) => format!("+{}", span(ahead)),
    }
}

/// The minutes of each unit.
const UNITS: [(u64, &str); 4] = [(525_600, "y"), (1_440, "d"), (60, "h"), (1, "m")];

fn span(minutes: u64) -> String {
    let mut left = minutes;
    let counts = UNITS.map(|(unit, name)| {
        let count = left / unit;
        left %= unit;
        (count, name)
    });
    let first = counts.iter().position(|(count, _)| *count > 0).unwrap_or(UNITS.len());
    let shown = counts.iter().skip(first).take(2).filter(|(count, _)| *count > 0);
    shown.map(|(count, name)| format!("{count}{name}")).collect::<Vec<_>>().join(" ")
}

/// Returns the time since `then` in words: `7m ago`.
pub fn ago(then: Timestamp, now: Timestamp) -> String {
    let age = age(then, now);
    match age.strip_prefix('+') {
        Some(ahead) => format!("in {ahead}"),
        None if age.starts_with('>') => "in the future".to_owned(),
        None => format!("{age} ago"),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn ages_have_two_units() {
        let now = Timestamp::from_second(1_700_000_000).unwrap();
        for (seconds, age) in [
            (0, "<1m"),
            (59, "<1m"),
            (60, "1m"),
            (3_599, "59m"),
            (3_600, "1h"),
            (86_399, "23h 59m"),
            (86_400, "1d"),
            (90_060, "1d 1h"),
            (31_535_999, "364d 23h"),
            (31_536_000, "1y"),
            (95_385_600, "3y 9d"),
            (-30, "<1m"),
            (-600, "+10m"),
            (-86_399, "+23h 59m"),
            (-8_640_000, "+100d"),
            (-31_536_000, "+1y"),
            (-3_153_599_999, "+99y 364d"),
            (-200_000_000_000, ">99y"),
        ] {
            let then = Timestamp::from_second(1_700_000_000 - seconds).unwrap();
            assert_eq!(super::age(then, now), age, "{seconds}");
        }
        let later = Timestamp::from_second(1_700_000_600).unwrap();
        assert_eq!((ago(later, now), ago(now, later)), ("in 10m".into(), "10m ago".into()));
    }

    proptest! {
        #[test]
        fn cut_text_fits_and_ends_in_an_ellipsis(text in any::<String>(), max_width in 1usize..30) {
            let text = crate::sanitize::sanitize(&text).into_owned();
            let cut = cut(&text, max_width);
            prop_assert!(width(&cut) <= max_width);
            prop_assert!(*cut == text || cut.ends_with('…'));
        }

        #[test]
        fn wrapped_lines_join_to_the_text(text in "[a-z 美💰é]{0,200}", max_width in 2usize..50) {
            let lines = wrap(&text, max_width);
            let joined: String = lines.iter().map(|part| &text[part.clone()]).collect();
            prop_assert_eq!(&joined, &text);
            for part in lines {
                prop_assert!(width(&text[part]) <= max_width);
            }
        }
    }
}
