//! Colours in theme files: one of the terminal's sixteen by name, or any as `#rrggbb`.

use std::fmt;

use ratatui::style::Color;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::toml_reader::unknown_name_message;

/// The names that theme files use: the terminal's default, then those of [`ANSI_COLORS`].
const COLOR_NAMES: [&str; 17] = [
    "default",
    "black",
    "red",
    "green",
    "yellow",
    "blue",
    "magenta",
    "cyan",
    "gray",
    "dark-gray",
    "light-red",
    "light-green",
    "light-yellow",
    "light-blue",
    "light-magenta",
    "light-cyan",
    "white",
];

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

/// The usual RGB values of [`ANSI_COLORS`].
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

/// Parses the names and the hex digits of [`Color`], but not its other forms.
fn parse_color(text: &str) -> Result<Color, String> {
    match text {
        "default" => Ok(Color::Reset),
        _ if COLOR_NAMES.contains(&text) => text.parse().map_err(|_| text.to_owned()),
        _ if text.starts_with('#') => {
            text.parse().map_err(|_| format!("`{text}` is not a colour: expected six hex digits"))
        }
        _ => Err(unknown_name_message("colour", text, &COLOR_NAMES)),
    }
}

/// Returns the one of the sixteen that usually looks most like a colour.
fn nearest_ansi(color: Color) -> Color {
    let Color::Rgb(r, g, b) = color else { return color };
    let squared = |a: u8, b: u8| u32::from(a.abs_diff(b)).pow(2);
    let distance = |[x, y, z]: &[u8; 3]| squared(*x, r) + squared(*y, g) + squared(*z, b);
    let nearest = ANSI_COLORS.iter().zip(&ANSI_RGB).min_by_key(|(_, rgb)| distance(rgb));
    nearest.map_or(Color::Reset, |(color, _)| *color)
}

/// Returns what a colour usually looks like, or `None` for the default one.
#[cfg(test)]
pub(super) fn default_rgb(color: Color) -> Option<[u8; 3]> {
    match color {
        Color::Rgb(r, g, b) => Some([r, g, b]),
        color => Some(ANSI_RGB[ANSI_COLORS.iter().position(|one| *one == color)?]),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_name_is_a_different_colour() {
        let colors: Vec<Color> =
            COLOR_NAMES.iter().map(|name| parse_color(name).unwrap()).collect();
        assert_eq!((colors[0], &colors[1..]), (Color::Reset, &ANSI_COLORS[..]));
    }

    #[test]
    fn hex_colours_have_a_nearest_ansi_colour() {
        assert_eq!(parse_color("#ffb86c"), Ok(Color::Rgb(255, 184, 108)));
        for text in ["ffb86c", "#fff", "#ffb86g", "#ffb86c0", "#é86c", "7", "reset"] {
            assert!(parse_color(text).is_err(), "{text}");
        }
        for (color, like) in ANSI_COLORS.iter().zip(ANSI_RGB) {
            assert_eq!(nearest_ansi(Color::Rgb(like[0], like[1], like[2])), *color);
        }
        assert_eq!(nearest_ansi(Color::Rgb(240, 90, 80)), Color::LightRed);
        assert_eq!(nearest_ansi(Color::Yellow), Color::Yellow);
    }
}
