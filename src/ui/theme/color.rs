//! Colours in theme files: one of the terminal's sixteen by name, or any as `#rrggbb`.

use std::fmt;

use ratatui::style::Color;
use serde::de::{Error, SeqAccess, Visitor};
use serde::{Deserialize, Deserializer};

use crate::messages::settings::StyleError;
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

/// The number of colours of a terminal.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub enum ColorDepth {
    #[default]
    Sixteen,
    /// The 256 colours of xterm.
    Indexed,
    Truecolor,
}

/// A colour, and its substitute on a terminal with sixteen colours: the nearest, unless the theme names
/// another, as in `["#ffb86c", "yellow"]`.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct ThemeColor {
    exact: Color,
    ansi: Color,
}

impl ThemeColor {
    pub(super) fn get(self, depth: ColorDepth) -> Color {
        match (depth, self.exact) {
            (ColorDepth::Sixteen, _) => self.ansi,
            (ColorDepth::Indexed, Color::Rgb(r, g, b)) => {
                Color::Indexed(nearest_indexed([r, g, b]))
            }
            (_, exact) => exact,
        }
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
        return text.parse().map_err(|_| StyleError::Color { text: text.into() }.to_string());
    }
    let names: Vec<_> = [("default", Color::Reset)]
        .into_iter()
        .chain(ANSI_COLORS.map(|(name, color, _)| (name, color)))
        .collect();
    let known = names.iter().find(|(name, _)| *name == text).map(|(_, color)| *color);
    known.ok_or_else(|| {
        let names: Vec<&str> = names.iter().map(|(name, _)| *name).collect();
        unknown_name_message("colour", text, &names)
    })
}

fn distance(one: [u8; 3], other: [u8; 3]) -> u32 {
    one.into_iter().zip(other).map(|(a, b)| u32::from(a.abs_diff(b)).pow(2)).sum()
}

/// Returns the one of the sixteen that usually looks most like a colour.
fn nearest_ansi(color: Color) -> Color {
    let Color::Rgb(r, g, b) = color else { return color };
    let nearest = ANSI_COLORS.iter().min_by_key(|(.., rgb)| distance(*rgb, [r, g, b]));
    nearest.map_or(Color::Reset, |(_, color, _)| *color)
}

/// Returns the nearest of the 256 colours after the first sixteen, which users redefine: of the cube, each
/// part by itself, or of the grays.
fn nearest_indexed(rgb: [u8; 3]) -> u8 {
    let [r, g, b] = rgb.map(|part| {
        let levels = (0..6).map(|level| (indexed_rgb(16 + level)[2].abs_diff(part), level));
        levels.min().map_or(0, |(_, level)| level)
    });
    let colors = [16 + 36 * r + 6 * g + b].into_iter().chain(232..=255);
    colors.min_by_key(|n| distance(indexed_rgb(*n), rgb)).unwrap_or(16)
}

/// The colours from 16 on are a cube of 6 × 6 × 6, then 24 shades of gray.
fn indexed_rgb(n: u8) -> [u8; 3] {
    match n.saturating_sub(16) {
        cube @ 0..216 => [cube / 36, cube / 6 % 6, cube % 6].map(|level| match level {
            0 => 0,
            level => 55 + level * 40,
        }),
        gray => [8 + (gray - 216) * 10; 3],
    }
}

/// Returns the usual RGB value of a colour, or `None` for the default one.
#[cfg(test)]
pub(super) fn default_rgb(color: Color) -> Option<[u8; 3]> {
    match color {
        Color::Rgb(r, g, b) => Some([r, g, b]),
        Color::Indexed(n) => Some(indexed_rgb(n)),
        color => ANSI_COLORS.iter().find(|(_, one, _)| *one == color).map(|(.., rgb)| *rgb),
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;

    proptest! {
        #[test]
        fn nearest_of_the_256_colours_is_found(rgb: [u8; 3]) {
            let nearest = (16..=255).min_by_key(|n| distance(indexed_rgb(*n), rgb));
            prop_assert_eq!(Some(nearest_indexed(rgb)), nearest);
        }
    }

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
        for (rgb, index) in [([0, 0, 0], 16), ([255, 255, 255], 231), ([95, 135, 215], 68)] {
            assert_eq!(nearest_indexed(rgb), index);
        }
        assert_eq!(nearest_indexed([40, 51, 74]), 237, "a dark tint is a shade of gray");
    }
}
