//! Sanitizing of untrusted text.
//!
//! Names, symbols, methods, error strings and metadata come from the chain or a server. They are
//! decoded into [`SafeText`], so that the screen, the clipboard, printed output, exports and error
//! messages contain the same harmless string, and no sink has to filter.

mod characters;
mod json;

use std::borrow::{Borrow, Cow};
use std::fmt;
use std::ops::Deref;

use compact_str::CompactString;
use serde::{Deserialize, Serialize, Serializer};
use unicode_properties::UnicodeEmoji;
use unicode_segmentation::UnicodeSegmentation;
use unicode_width::{UnicodeWidthChar, UnicodeWidthStr};

use self::characters::{REPLACEMENT, is_flag_letter, is_mark, replacement, unjoined};
pub use self::json::{for_each_element, json_line, json_pretty, json_pretty_full, string_end};

/// Turns a symbol into an emoji, which has the same width in some terminals only.
const EMOJI_SELECTOR: char = '\u{fe0f}';
/// Combining marks per letter. Scripts need two, rarely three; higher stacks overlap other lines.
const MAX_COMBINING_MARKS: usize = 3;
/// Maximum characters drawn as one. Conjuncts of Indic scripts are: `स्त्री` has six.
const MAX_GRAPHEME_CHARS: usize = 8;

/// A string that is safe to print: without control, format, bidirectional, tag, private-use and blank
/// characters, without tall stacks of combining marks, and without characters that terminals join or
/// give different widths. These are replaced by `␛` or `␦`, not dropped, so that a name with a hidden
/// character differs from the name without it. Only the selector of an emoji is dropped.
#[derive(Clone, Default, PartialEq, Eq, Hash, PartialOrd, Ord, Deserialize)]
#[serde(from = "String")]
pub struct SafeText(CompactString);

impl SafeText {
    pub fn new(from_outside: &str) -> Self {
        Self(CompactString::from(sanitize(from_outside)))
    }

    /// Sanitizes a text that becomes one line, and cuts it to `max_chars` characters.
    pub fn bounded(from_outside: &str, max_chars: usize) -> Self {
        match from_outside.char_indices().nth(max_chars) {
            None => Self::new(from_outside),
            Some((end, _)) => {
                Self::new(&[from_outside.get(..end).unwrap_or_default(), "…"].concat())
            }
        }
    }

    /// Sanitizes several lines. Line feeds stay: the result is for the clipboard and files, not for a
    /// line of the screen.
    pub fn multiline(from_outside: &str) -> Self {
        let lines: Vec<Cow<'_, str>> = from_outside.lines().map(sanitize).collect();
        Self(CompactString::from(lines.join("\n")))
    }

    /// Appends a line after a line feed, unless it is the first.
    pub fn push_line(&mut self, from_outside: &str) {
        if !self.0.is_empty() {
            self.0.push('\n');
        }
        self.0.push_str(&sanitize(from_outside));
    }
}

impl Deref for SafeText {
    type Target = str;

    fn deref(&self) -> &str {
        &self.0
    }
}

impl Borrow<str> for SafeText {
    fn borrow(&self) -> &str {
        self
    }
}

impl PartialEq<str> for SafeText {
    fn eq(&self, other: &str) -> bool {
        **self == *other
    }
}

impl PartialEq<&str> for SafeText {
    fn eq(&self, other: &&str) -> bool {
        **self == **other
    }
}

impl fmt::Display for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

impl fmt::Debug for SafeText {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Debug::fmt(&self.0, f)
    }
}

impl Serialize for SafeText {
    fn serialize<S: Serializer>(&self, serializer: S) -> Result<S::Ok, S::Error> {
        serializer.serialize_str(self)
    }
}

impl<T: AsRef<str>> From<T> for SafeText {
    fn from(value: T) -> Self {
        Self::new(value.as_ref())
    }
}

/// Replaces every character that could control a terminal, be invisible, or be drawn over others.
/// Idempotent.
pub fn sanitize(from_outside: &str) -> Cow<'_, str> {
    if from_outside.bytes().all(|b| (0x20..0x7f).contains(&b)) {
        return Cow::Borrowed(from_outside);
    }
    let mut chars = String::with_capacity(from_outside.len());
    let mut marks = MAX_COMBINING_MARKS; // a leading mark would attach to the text before
    let mut may_join = false;
    let mut previous = ' ';
    for c in from_outside.chars() {
        if c == EMOJI_SELECTOR && previous.is_emoji_char() && !previous.is_ascii() {
            continue;
        }
        previous = replacement(c);
        marks = if is_mark(previous) { marks + 1 } else { 0 };
        may_join |= marks > 0 || is_flag_letter(previous);
        if marks <= MAX_COMBINING_MARKS {
            chars.push(previous);
        } else if marks == MAX_COMBINING_MARKS + 1 {
            chars.push(REPLACEMENT); // once for all further marks
        }
    }
    if !may_join {
        return Cow::Owned(chars);
    }
    let mut out = String::with_capacity(chars.len());
    for grapheme in chars.graphemes(true) {
        if has_one_width(grapheme) {
            out.push_str(grapheme);
        } else {
            out.extend(grapheme.chars().map(unjoined));
        }
    }
    Cow::Owned(out)
}

/// Returns the columns of a text: the sum over its characters. Some terminals draw fewer for characters
/// that Unicode joins; none draws more.
pub fn width(text: &str) -> usize {
    if text.is_ascii() { text.len() } else { text.chars().filter_map(char::width).sum() }
}

/// Returns `true` if terminals that count characters and those that count graphemes give this grapheme
/// the same width. Half a flag is as wide as a whole one in some.
fn has_one_width(grapheme: &str) -> bool {
    let is_half_flag = grapheme.chars().filter(|c| is_flag_letter(*c)).count() == 1;
    let is_short = grapheme.chars().nth(MAX_GRAPHEME_CHARS).is_none();
    !is_half_flag && is_short && grapheme.width() == width(grapheme)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    #[test]
    fn appended_lines_are_sanitized_lines() {
        let lines = ["one", "", "\x1b[31mRED\x07", "\u{301}lead"];
        let mut text = SafeText::default();
        for line in lines {
            text.push_line(line);
        }
        assert_eq!(text, SafeText::multiline(&lines.join("\n")));
    }

    #[test]
    fn plain_text_is_borrowed() {
        assert!(matches!(sanitize("Glass Dollar (GLD) v2.1"), Cow::Borrowed(_)));
    }

    #[test]
    fn control_and_hidden_characters_are_replaced() {
        for (from, to) in [
            ("\x1b[31mRED\x07", "␛[31mRED␇"),
            ("a\u{202e}b", "a␦b"),
            ("a\u{200b}b", "a␦b"),
            ("U\u{200d}S", "U␦S"),
            ("x\u{9b}y", "x␦y"),
            ("2\nlines\t", "2␊lines␉"),
            ("\u{e0041}tag", "␦tag"),
            ("\u{301}lead", "␦lead"),
            ("z\u{301}\u{302}\u{303}\u{304}\u{305}z", "z\u{301}\u{302}\u{303}␦z"),
            ("fill\u{3164}er", "fill␦er"),
            ("bad\u{fffd}", "bad␦"),
            ("braille\u{2800}\u{fffc}\u{1d159}", "braille␦␦␦"),
            // Joined by terminals that count graphemes, side by side in those that count characters.
            ("⬛\u{200d}⬛\u{200d}⬛", "⬛␦⬛␦⬛"),
            ("👩\u{200d}👧", "👩␦👧"),
            ("👍\u{1f3fd}", "👍␦"),
            ("1\u{fe0f}\u{20e3}", "1␦\u{20e3}"),
            ("US\u{fe0f}DT", "US␦DT"),
            ("🇨🇭🇨", "🇨🇭🄲"),
            ("\u{d4e}\u{d4e}USDT", "␦␦USDT"),
            ("\u{1112}\u{1161}\u{11ab}", "␦␦␦"),
            ("क्ष्क्ष्क्ष्क्ष्क", "क␦ष␦क␦ष␦क␦ष␦क␦ष␦क"),
            ("ก\u{e33}\u{e33}\u{e33}\u{e33}", "ก\u{e33}\u{e33}\u{e33}␦"),
        ] {
            assert_eq!(sanitize(from), to, "{from:?}");
        }
    }

    #[test]
    fn scripts_and_emoji_are_unchanged() {
        for text in
            ["Tökën 美元💰", "👩👩👧", "❤🔥", "🇨🇭", "नमस्ते", "स्त्री", "e\u{301}", "مرحبا", "น้ำ"]
        {
            assert_eq!(sanitize(text), text);
        }
        assert_eq!(
            sanitize("❤\u{fe0f}⚡\u{fe0f}"),
            "❤⚡",
            "a selector that the emoji does without"
        );
    }

    #[test]
    fn only_marks_and_flags_join_what_is_before() {
        for c in ('\0'..=char::MAX).filter(|c| replacement(*c) == *c && unjoined(*c) == *c) {
            assert!(matches!(c.width(), Some(1 | 2)), "{c:?}");
            for text in [format!("a{c}b"), format!("{c}{c}{c}"), format!("⬛{c}क")] {
                assert_eq!(text.graphemes(true).count(), 3, "{c:?}");
            }
        }
    }

    /// Characters that join, change a width or are blank, and some of those that they act on.
    const JOINING: &str = "[a⬛👩🇨🇭❤1कषकत်ကলกលា美𑇂ൎ\u{94d}\u{94d}\u{93e}\u{9be}\u{17d2}\u{1780}\u{e33}\
        \u{200d}\u{200d}\u{fe0e}\u{fe0f}\u{20e3}\u{301}\u{1f3fd}\u{e0067}\u{1100}\u{1161}\u{16d67}\
        \u{2d31}\u{2d7f}\u{ff76}\u{ff9e}\u{3164}\u{d4e}\u{600}\u{70f}\u{1039}\u{1a60}\u{a4f8}\u{a4fc}لا]{0,24}";

    proptest! {
        #[test]
        fn graphemes_are_bounded_and_of_one_width(text in JOINING) {
            let safe = sanitize(&text);
            for grapheme in safe.graphemes(true) {
                prop_assert!(grapheme.chars().count() <= MAX_GRAPHEME_CHARS, "{:?}", grapheme);
                prop_assert_eq!(grapheme.width(), width(grapheme), "{:?}", grapheme);
            }
            prop_assert_eq!(&sanitize(&safe), &safe);
        }

        #[test]
        fn sanitize_is_idempotent(text in any::<String>()) {
            let once = sanitize(&text).into_owned();
            prop_assert_eq!(sanitize(&once).into_owned(), once.clone());
            prop_assert!(!once.chars().any(char::is_control));
            let bidi = once.contains('\u{202e}');
            prop_assert!(!bidi);
        }
    }
}
