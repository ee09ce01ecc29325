//! Colours as themes write them: the terminal's sixteen by name, any other as `#rrggbb`.

use ratatui::style::Color;
use strum::{EnumString, VariantNames};

/// The terminal's own colours, in the order of their numbers.
const ANSI_COLORS: [Color; 16] = [
    Color::Black,
    Color::Red,
    Color::Green,
    Color::Yellow,
    Color::Blue,
    Color::Magenta,
    Color::Cyan,
    Color::Gray,
    Color::DarkGray,
    Color::LightRed,
    Color::LightGreen,
    Color::LightYellow,
    Color::LightBlue,
    Color::LightMagenta,
    Color::LightCyan,
    Color::White,
];

/// What they usually look like.
const ANSI_RGB: [[u8; 3]; 16] = [
    [0, 0, 0],
    [170, 0, 0],
    [0, 170, 0],
    [170, 85, 0],
    [0, 0, 170],
    [170, 0, 170],
    [0, 170, 170],
    [170, 170, 170],
    [85, 85, 85],
    [255, 85, 85],
    [85, 255, 85],
    [255, 255, 85],
    [85, 85, 255],
    [255, 85, 255],
    [85, 255, 255],
    [255, 255, 255],
];

/// A colour that has a name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, EnumString, VariantNames)]
#[strum(serialize_all = "kebab-case")]
pub(super) enum AnsiColor {
    /// What the terminal writes in when nobody says anything.
    Default,
    Black,
    Red,
    Green,
    Yellow,
    Blue,
    Magenta,
    Cyan,
    Gray,
    DarkGray,
    LightRed,
    LightGreen,
    LightYellow,
    LightBlue,
    LightMagenta,
    LightCyan,
    White,
}

impl From<AnsiColor> for Color {
    fn from(named: AnsiColor) -> Self {
        let number = (named as usize).checked_sub(1);
        number.and_then(|number| ANSI_COLORS.get(number)).copied().unwrap_or(Self::Reset)
    }
}

/// `#rrggbb`.
pub(super) fn parse_hex(text: &str) -> Option<Color> {
    let digits = text.strip_prefix('#').filter(|digits| digits.len() == 6)?;
    // The reader of numbers would take a sign.
    if !digits.bytes().all(|b| b.is_ascii_hexdigit()) {
        return None;
    }
    let [_, r, g, b] = u32::from_str_radix(digits, 16).ok()?.to_be_bytes();
    Some(Color::Rgb(r, g, b))
}

/// The one of the sixteen that usually looks most like it.
pub(super) fn nearest_ansi(color: Color) -> Color {
    let Color::Rgb(r, g, b) = color else { return color };
    let apart = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    let distance = |[x, y, z]: &[u8; 3]| apart(*x, r) + apart(*y, g) + apart(*z, b);
    let of_all = ANSI_COLORS.iter().zip(&ANSI_RGB).min_by_key(|(_, usual)| distance(usual));
    of_all.map_or(Color::Reset, |(color, _)| *color)
}

/// What a colour usually looks like; the default one can be anything.
#[cfg(test)]
pub(super) fn default_rgb(color: Color) -> Option<[u8; 3]> {
    match color {
        Color::Rgb(r, g, b) => Some([r, g, b]),
        color => Some(ANSI_RGB[ANSI_COLORS.iter().position(|one| *one == color)?]),
    }
}

#[cfg(test)]
mod tests {
    use strum::VariantNames;

    use super::*;

    #[test]
    fn every_name_is_a_colour_of_its_own() {
        let colors: Vec<Color> = AnsiColor::VARIANTS
            .iter()
            .map(|name| name.parse::<AnsiColor>().unwrap().into())
            .collect();
        assert_eq!((colors[0], &colors[1..]), (Color::Reset, &ANSI_COLORS[..]));
    }

    #[test]
    fn exact_colours_and_their_nearest() {
        assert_eq!(parse_hex("#ffb86c"), Some(Color::Rgb(255, 184, 108)));
        for text in ["ffb86c", "#fff", "#ffb86g", "#+fb86c", "#ffb86c0", "#é86c"] {
            assert_eq!(parse_hex(text), None, "{text}");
        }
        for (color, like) in ANSI_COLORS.iter().zip(ANSI_RGB) {
            assert_eq!(nearest_ansi(Color::Rgb(like[0], like[1], like[2])), *color);
        }
        assert_eq!(nearest_ansi(Color::Rgb(240, 90, 80)), Color::LightRed);
        assert_eq!(nearest_ansi(Color::Yellow), Color::Yellow);
    }
}
