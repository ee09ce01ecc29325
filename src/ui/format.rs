//! Fits text into columns and lines.

use std::borrow::Cow;
use std::ops::Range;

use unicode_segmentation::UnicodeSegmentation;

pub use crate::sanitize::width;

/// Returns `true` if a text fits into `columns`. Texts that are far too long are not measured.
pub fn fits(text: &str, columns: usize) -> bool {
    // A column takes at most four bytes.
    text.len() <= columns.saturating_mul(4) && width(text) <= columns
}

/// Returns at most `width` columns of `text`, with `…` in place of the rest.
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

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

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
