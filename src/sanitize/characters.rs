//! The characters that must not reach a terminal, or that join with others there.

use unicode_properties::{GeneralCategory, GeneralCategoryGroup, UnicodeGeneralCategory};
use unicode_width::UnicodeWidthChar;

/// Replaces a character that must not reach a terminal and has no control picture.
pub(super) const REPLACEMENT: char = '␦';
/// First letter of a flag, and the boxed letter that looks like half a flag.
const FLAG_A: u32 = 0x1f1e6;
const BOXED_A: u32 = 0x1f130;

/// Returns a character that does not join with the one before.
pub(super) fn unjoined(c: char) -> char {
    match c {
        _ if is_flag_letter(c) => char::from_u32(u32::from(c) - FLAG_A + BOXED_A).unwrap_or(c),
        _ if is_mark(c) => REPLACEMENT,
        _ => c,
    }
}

pub(super) fn is_flag_letter(c: char) -> bool {
    ('\u{1f1e6}'..='\u{1f1ff}').contains(&c)
}

pub(super) fn is_mark(c: char) -> bool {
    // Thai and Lao have vowels that join like a spacing mark.
    let joins = matches!(c, '\u{e33}' | '\u{eb3}');
    joins || !c.is_ascii() && c.general_category_group() == GeneralCategoryGroup::Mark
}

/// Returns the character that stands for `c`, which may be itself.
pub(super) fn replacement(c: char) -> char {
    match c {
        ' '..='~' => c,
        '\0'..='\x1f' => char::from_u32(0x2400 + u32::from(c)).unwrap_or(REPLACEMENT),
        '\x7f' => '␡',
        _ if is_blank(c) || is_prone_to_join(c) || !is_printable(c) => REPLACEMENT,
        _ => c,
    }
}

/// Returns `true` for letters, symbols and marks without a glyph, and for U+FFFD, which some
/// terminals drop.
fn is_blank(c: char) -> bool {
    matches!(
        c,
        '\u{34f}'
            | '\u{17b4}'
            | '\u{17b5}'
            | '\u{180b}'..='\u{180f}'
            | '\u{2800}'
            | '\u{3164}'
            | '\u{fe00}'..='\u{fe0f}'
            | '\u{ffa0}'
            | '\u{fffc}'
            | '\u{fffd}'
            | '\u{13441}'
            | '\u{13442}'
            | '\u{16fe4}'
            | '\u{1d159}'
            | '\u{e0100}'..='\u{e01ef}'
    )
}

/// Returns `true` for characters that join with others although they are not marks.
fn is_prone_to_join(c: char) -> bool {
    matches!(
        c,
        '\u{1100}'..='\u{11ff}' | '\u{a960}'..='\u{a97c}' | '\u{d7b0}'..='\u{d7fb}' // jamo
            | '\u{16d63}' | '\u{16d67}'..='\u{16d6a}' // Kirat Rai vowels
            | '\u{ff9e}' | '\u{ff9f}' // half-width voiced marks
            | '\u{1f3fb}'..='\u{1f3ff}' // skin tones
    )
}

/// Returns `false` for characters of categories that control, are invisible, or depend on a font, and
/// for characters of unusual width, about which terminals disagree.
fn is_printable(c: char) -> bool {
    use GeneralCategory::{
        Control, EnclosingMark, Format, LineSeparator, NonspacingMark, ParagraphSeparator,
        PrivateUse, SpacingMark, Surrogate, Unassigned,
    };
    let width = c.width().unwrap_or(0);
    match c.general_category() {
        Control | Format | LineSeparator | ParagraphSeparator | PrivateUse | Surrogate
        | Unassigned => false,
        EnclosingMark | NonspacingMark => width == 0,
        SpacingMark => width == 1,
        _ => matches!(width, 1 | 2),
    }
}
