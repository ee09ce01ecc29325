//! Colours in theme files: one of the terminal's sixteen by name, or any as `#rrggbb`.

use std::fmt;

use ratatui::style::Color;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::toml_reader::unknown_name_message;

/// The sixteen colours of terminals: their names in theme files and their usual RGB values.
const ANSI_COLORS: [(&str, Color, [u8; 3]); 16] = [
    ("black", Color::Black, [0, 0, 0]),
    ("red", Color::Red, [170, 0, 0]),
    ("green", Color::Green, [0, 170, 0]),
    ("yellow", Color::Yellow, [170, 85, 0]),
    ("blue", Color::Blue, [0, 0, 170]),
    ("magenta", Color::Magenta, [170, 0, 170]),
    ("cyan", Color::Cyan, [0, 170, 170]),
    ("gray", Color::Gray, [170, 170, 170]),
    ("dark-gray", Color::DarkGray, [85, 85, 85]),
    ("light-red", Color::LightRed, [255, 85, 85]),
    ("light-green", Color::LightGreen, [85, 255, 85]),
    ("light-yellow", Color::LightYellow, [255, 255, 85]),
    ("light-blue", Color::LightBlue, [85, 85, 255]),
    ("light-magenta", Color::LightMagenta, [255, 85, 255]),
    ("light-cyan", Color::LightCyan, [85, 255, 255]),
    ("white", Color::White, [255, 255, 255]),
];

/// A colour, and what stands for it on a terminal with sixteen colours: the nearest, unless the theme
/// names another, as in `["#ffb86c", "yellow"]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ThemeColor {
    exact: Color,
    ansi: Color,
}

impl ThemeColor {
    pub(super) fn get(self, is_truecolor: bool) -> Color {
        if is_truecolor { self.exact } else { self.ansi }
    }
}

impl<'de> Deserialize<'de> for ThemeColor {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        deserializer.deserialize_any(ThemeColorVisitor)
    }
}

struct ThemeColorVisitor;

impl<'de> Visitor<'de> for ThemeColorVisitor {
    type Value = ThemeColor;

    fn expecting(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(r##"a colour in quotes, or two: ["#ffb86c", "yellow"]"##)
    }

    fn visit_str<E: Error>(self, text: &str) -> Result<ThemeColor, E> {
        let exact = parse_color(text).map_err(E::custom)?;
        Ok(ThemeColor { exact, ansi: nearest_ansi(exact) })
    }

    fn visit_seq<A: SeqAccess<'de>>(self, mut colors: A) -> Result<ThemeColor, A::Error> {
        let missing = || A::Error::invalid_length(1, &self);
        let ColorText(exact) = colors.next_element()?.ok_or_else(missing)?;
        let ColorText(ansi) = colors.next_element()?.ok_or_else(missing)?;
        match colors.next_element::<ColorText>()? {
            None => Ok(ThemeColor { exact, ansi: nearest_ansi(ansi) }),
            Some(_) => Err(A::Error::invalid_length(3, &self)),
        }
    }
}

struct ColorText(Color);

impl<'de> Deserialize<'de> for ColorText {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let text = String::deserialize(deserializer)?;
        parse_color(&text).map(Self).map_err(D::Error::custom)
    }
}

/// Parses a name or six hex digits, but not the other forms of [`Color`].
fn parse_color(text: &str) -> Result<Color, String> {
    if text.starts_with('#') {
        let invalid = |_| format!("`{text}` is not a colour: expected six hex digits");
        return text.parse().map_err(invalid);
    }
    let names = [("default", Color::Reset)].into_iter();
    let names: Vec<_> = names.chain(ANSI_COLORS.map(|(name, color, _)| (name, color))).collect();
    let known = names.iter().find(|(name, _)| *name == text).map(|(_, color)| *color);
    known.ok_or_else(|| {
        let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        unknown_name_message("colour", text, &names)
    })
}

/// Returns the one of the sixteen that usually looks most like a colour.
fn nearest_ansi(color: Color) -> Color {
    let Color::Rgb(r, g, b) = color else { return color };
    let squared = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    let distance = |[x, y, z]: [u8; 3]| squared(x, r) + squared(y, g) + squared(z, b);
    let nearest = ANSI_COLORS.iter().min_by_key(|(.., rgb)| distance(*rgb));
    nearest.map_or(Color::Reset, |(_, color, _)| *color)
}

/// Returns what a colour usually looks like, or `None` for the default one.
#[cfg(test)]
pub(super) fn default_rgb(color: Color) -> Option<[u8; 3]> {
    match color {
        Color::Rgb(r, g, b) => Some([r, g, b]),
        color => ANSI_COLORS.iter().find(|(_, one, _)| *one == color).map(|(.., rgb)| *rgb),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_different_colour() {
        assert_eq!(parse_color("default"), Ok(Color::Reset));
        for (n, (name, color, _)) in ANSI_COLORS.iter().enumerate() {
            assert_eq!((parse_color(name), name.parse()), (Ok(*color), Ok(*color)));
            assert!(ANSI_COLORS[..n].iter().all(|(_, other, _)| other != color), "{name}");
        }
    }

    #[test]
    fn hex_colours_have_a_nearest_ansi_colour() {
        assert_eq!(parse_color("#ffb86c"), Ok(Color::Rgb(255, 184, 108)));
        for text in ["ffb86c", "#fff", "#ffb86g", "#ffb86c0", "#é86c", "7", "reset"] {
            assert!(parse_color(text).is_err(), "{text}");
        }
        for (_, color, [r, g, b]) in ANSI_COLORS {
            assert_eq!(nearest_ansi(Color::Rgb(r, g, b)), color);
        }
        assert_eq!(nearest_ansi(Color::Rgb(240, 90, 80)), Color::LightRed);
        assert_eq!(nearest_ansi(Color::Yellow), Color::Yellow);
    }
}
