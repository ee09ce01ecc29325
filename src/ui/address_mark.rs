//! The mark of an address, by which it is recognised without being read: two glyphs in two hues.
//!
//! It comes from a hash of the whole address, so that addresses with the same ends differ.

use ratatui::buffer::Buffer;
use ratatui::style::Style;

use super::theme::{HUE_COUNT, Styles};
use crate::chain::Address;

/// Columns of a mark and the space after it.
pub const MARK_WIDTH: u16 = 3;

/// Shapes with space around them, so that the marks of neighbouring rows stay apart.
const GLYPHS: [&str; 10] = ["■", "●", "◆", "▲", "▼", "□", "○", "◇", "△", "▽"];

const FNV_OFFSET: u64 = 0xcbf2_9ce4_8422_2325;
const FNV_PRIME: u64 = 0x0100_0000_01b3;
const MURMUR_FACTOR: u64 = 0xff51_afd7_ed55_8ccd;

/// Returns `true` for a glyph of which marks consist.
pub fn is_mark_glyph(symbol: &str) -> bool {
    GLYPHS.contains(&symbol)
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct AddressMark(u64);

impl AddressMark {
    pub fn new(address: &Address) -> Self {
        let hash = address.iter().fold(FNV_OFFSET, |hash, byte| {
            (hash ^ u64::from(*byte)).wrapping_mul(FNV_PRIME) // FNV-1a
        });
        // Every bit depends on every byte.
        let mixed = (hash ^ (hash >> 33)).wrapping_mul(MURMUR_FACTOR);
        Self(mixed ^ (mixed >> 33))
    }

    /// Returns the two glyphs with their styles, which have no colour in a theme without any.
    pub fn glyphs(self, styles: &Styles) -> [(&'static str, Style); 2] {
        [self.0, self.0 >> 16].map(|bits| {
            let [glyph, hue, ..] = bits.to_le_bytes().map(usize::from);
            (GLYPHS[glyph % GLYPHS.len()], styles.mark_hue(hue))
        })
    }

    /// Returns the number of the first hue.
    pub fn hue(self) -> usize {
        usize::from(self.0.to_le_bytes()[1]) % HUE_COUNT
    }

    /// Draws the mark inside the buffer's area. The space after it is left unchanged.
    pub fn draw(self, buf: &mut Buffer, x: u16, y: u16, styles: &Styles) {
        for ((glyph, style), x) in self.glyphs(styles).into_iter().zip(x..) {
            if let Some(cell) = buf.cell_mut((x, y)) {
                cell.set_symbol(glyph).set_style(style);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    fn mark(address: &str) -> [(&'static str, Style); 2] {
        AddressMark::new(&address.parse().unwrap()).glyphs(&Styles::new(true))
    }

    #[test]
    fn addresses_with_the_same_ends_differ() {
        let alice = "0xf39Fd6e51aad88F6F4ce6aB8827279cffFb92266";
        assert_eq!(mark(alice), mark(&alice.to_lowercase()));
        for other in [
            "0xf39fd6e51aad88f6f4ce6ab8827279cffeb92266",
            "0xf39fd6e51aad88f6f4ce6ab8827279cffeb92267",
            "0xf39f111111111111111111111111111111112266",
            "0xf39fd7e51aad88f6f4ce6ab8827279cffeb92266",
        ] {
            assert_ne!(mark(alice), mark(other), "{other}");
        }
    }

    #[test]
    fn counted_addresses_have_many_marks() {
        let marks = (0..1_000_u64).map(|n| mark(&format!("0x{n:040x}")));
        let different: HashSet<_> = marks.collect();
        assert!(different.len() > 800, "{}", different.len());
    }

    #[test]
    fn glyphs_are_shapes_of_one_column() {
        let different: HashSet<_> = GLYPHS.into_iter().collect();
        assert_eq!(different.len(), GLYPHS.len());
        for glyph in GLYPHS {
            assert_eq!(crate::ui::format::width(glyph), 1, "{glyph}");
            assert!(is_mark_glyph(glyph));
        }
        assert!(["█", "▌", "▀", "▸", " "].into_iter().all(|other| !is_mark_glyph(other)));
    }

    #[test]
    fn marks_without_colours_differ_by_shape() {
        let mono = Styles::new(false);
        let marks: HashSet<_> =
            (0..100_u8).map(|n| AddressMark::new(&Address::repeat_byte(n)).glyphs(&mono)).collect();
        assert!(marks.iter().flatten().all(|(_, style)| style.fg.is_none()));
        assert!(marks.len() > 50, "{}", marks.len());
    }
}
