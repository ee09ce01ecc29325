//! Theme files: the built-in ones and the user's.

use serde::de::Error;
use serde::{Deserialize, Deserializer};
use strum::{EnumCount, IntoEnumIterator};

use super::color::ColorDepth;
use super::style_pair::StylePair;
use super::{Role, Styles};
use crate::messages::settings::StyleError;
use crate::sanitize::SafeText;
use crate::toml_reader::{ConfigDiagnostic, TomlReader, unknown_name_message};

const BUILT_IN: [(&str, &str); 9] = [
    ("dark", include_str!("../../../assets/themes/dark.toml")),
    ("light", include_str!("../../../assets/themes/light.toml")),
    ("mono", include_str!("../../../assets/themes/mono.toml")),
    ("high-contrast", include_str!("../../../assets/themes/high-contrast.toml")),
    ("dusk", include_str!("../../../assets/themes/dusk.toml")),
    ("catppuccin", include_str!("../../../assets/themes/catppuccin.toml")),
    ("gruvbox", include_str!("../../../assets/themes/gruvbox.toml")),
    ("nord", include_str!("../../../assets/themes/nord.toml")),
    ("tokyo-night", include_str!("../../../assets/themes/tokyo-night.toml")),
];
/// Key of the theme from which omitted roles are taken.
const BASE_KEY: &str = "base";
/// Theme that completes a file without a valid base.
const DEFAULT_BASE: &str = "dark";

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Theme([StylePair; Role::COUNT]);

/// The name of a theme that does not exist, with a similar one.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct UnknownThemeError(SafeText);

pub fn built_in_names() -> [&'static str; BUILT_IN.len()] {
    BUILT_IN.map(|(name, _)| name)
}

/// Loads the theme of this name: `user_theme` if the user has such a file, or a built-in one. Invalid lines are skipped.
pub fn load_theme(name: &str, user_theme: Option<&str>) -> Result<Theme, UnknownThemeError> {
    let Some(source) = user_theme.or_else(|| built_in(name)) else {
        let message = unknown_name_message("theme", name, &built_in_names());
        return Err(UnknownThemeError(SafeText::new(&message)));
    };
    Ok(Theme::parse(source).0)
}

fn built_in(name: &str) -> Option<&'static str> {
    BUILT_IN.iter().find(|(known, _)| *known == name).map(|(_, source)| *source)
}

impl Theme {
    /// Parses a theme file: a line per role, such as `link = { fg = "blue", add = ["underlined"] }`.
    /// Omitted roles are taken from the theme in `base`. Returns the problems too: invalid lines are skipped.
    pub fn parse(source: &str) -> (Self, Vec<ConfigDiagnostic>) {
        let mut reader = TomlReader::parse(source);
        let base = reader.deserialize(BASE_KEY).map(|BaseTheme(base)| Self::parse(base).0);
        let given: Vec<Option<StylePair>> =
            Role::iter().map(|role| reader.deserialize(role.into())).collect();
        let given = |role: Role| given.get(role as usize).copied().flatten();
        let of_base = |role: Role| base.as_ref().map(|base| base.style(role));
        let style =
            |role| given(role).or_else(|| of_base(role)).or_else(|| given(older_role(role)?));
        let mut problems = reader.finish();
        let missing = Role::iter().find(|role| style(*role).is_none());
        if let Some(role) = missing.filter(|_| problems.is_empty()) {
            let why = StyleError::Missing { role: role.into(), base: BASE_KEY };
            let line = source.matches('\n').count() + 1;
            problems.push(ConfigDiagnostic { line, message: SafeText::new(&why.to_string()) });
        }
        let dark = missing.and(built_in(DEFAULT_BASE)).map(|dark| Self::parse(dark).0);
        let of_dark = |role: Role| dark.as_ref().map(|dark| dark.style(role));
        let mut styles = [StylePair::default(); Role::COUNT];
        for (role, place) in Role::iter().zip(&mut styles) {
            *place = style(role).or_else(|| of_dark(role)).unwrap_or_default();
        }
        (Self(styles), problems)
    }

    fn style(&self, role: Role) -> StylePair {
        self.0.get(role as usize).copied().unwrap_or_default()
    }

    pub fn styles(&self, depth: ColorDepth) -> Styles {
        Styles { roles: self.0.map(|pair| pair.at(depth)), unfocused: false }
    }
}

/// Returns the role whose style applied to this role's text in older files without `base`.
fn older_role(role: Role) -> Option<Role> {
    match role {
        Role::Border | Role::Badge => Some(Role::Dim),
        Role::BorderFocused | Role::Mark => Some(Role::Accent),
        Role::SelectionInactive => Some(Role::Title),
        Role::Highlight => Some(Role::Match),
        Role::Loss => Some(Role::Failed),
        _ => None,
    }
}

/// Source of a built-in theme, by its name.
struct BaseTheme(&'static str);

impl<'de> Deserialize<'de> for BaseTheme {
    fn deserialize<D: Deserializer<'de>>(deserializer: D) -> Result<Self, D::Error> {
        let name = String::deserialize(deserializer)?;
        let unknown = || unknown_name_message("theme", &name, &built_in_names());
        built_in(&name).map(Self).ok_or_else(|| D::Error::custom(unknown()))
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use ratatui::style::{Color, Modifier, Style};

    use super::super::FillShade;
    use super::super::color::default_rgb;
    use super::*;

    fn built_in_theme(name: &str) -> Theme {
        load_theme(name, None).unwrap()
    }

    fn parse_error(source: &str) -> String {
        Theme::parse(source).1.first().unwrap().to_string()
    }

    /// Returns the theme of a file without problems.
    fn valid_theme(source: &str) -> Theme {
        let (theme, problems) = Theme::parse(source);
        assert_eq!(problems, []);
        theme
    }

    /// Returns the WCAG contrast ratio of two colours, from 1 to 21.
    fn contrast(one: [u8; 3], other: [u8; 3]) -> f64 {
        let light = |color: [u8; 3]| {
            let [r, g, b] = color.map(|part| {
                let part = f64::from(part) / 255.0;
                if part <= 0.03928 { part / 12.92 } else { ((part + 0.055) / 1.055).powf(2.4) }
            });
            0.2126 * r + 0.7152 * g + 0.0722 * b + 0.05
        };
        let a = light(one);
        let b = light(other);
        a.max(b) / a.min(b)
    }

    const BLACK: [u8; 3] = [0, 0, 0];
    const WHITE: [u8; 3] = [255, 255, 255];

    /// Asserts that every foreground is readable on its background and on a selected row. WCAG demands
    /// a ratio of 3 for symbols and large letters; dim text and frames may have less.
    fn assert_readable(name: &str, on: [u8; 3], depth: ColorDepth) {
        let styles = built_in_theme(name).styles(depth);
        let ground = |role| styles.of(role).bg.and_then(default_rgb);
        let on = ground(Role::Plain).unwrap_or(on);
        for role in Role::iter() {
            let style = styles.of(role);
            let least = match role {
                Role::Border => 1.4,
                Role::Dim | Role::Badge => 2.5,
                _ => 3.0,
            };
            let under = style.bg.and_then(default_rgb).unwrap_or(on);
            let selected =
                [Role::Selection, Role::SelectionInactive].into_iter().filter_map(ground);
            for bg in selected.filter(|_| role != Role::Border).chain([under]) {
                if let Some(fg) = style.fg.and_then(default_rgb) {
                    assert!(contrast(fg, bg) >= least, "{name} {role:?} {}", contrast(fg, bg));
                }
            }
        }
    }

    #[test]
    fn built_in_themes_are_complete_and_readable() {
        for depth in [ColorDepth::Sixteen, ColorDepth::Indexed, ColorDepth::Truecolor] {
            for (name, source) in BUILT_IN {
                assert_eq!(Theme::parse(source).1, [], "{name}");
                let grounds: &[_] = match name {
                    "light" => &[WHITE],
                    "mono" | "high-contrast" => &[BLACK, WHITE],
                    _ => &[BLACK],
                };
                for on in grounds {
                    assert_readable(name, *on, depth);
                }
            }
        }
    }

    #[test]
    fn text_on_filled_blocks_is_readable() {
        for depth in [ColorDepth::Sixteen, ColorDepth::Indexed, ColorDepth::Truecolor] {
            for name in built_in_names() {
                let styles = built_in_theme(name).styles(depth);
                let shades = [
                    FillShade::Inner,
                    FillShade::OddInner,
                    FillShade::Own,
                    FillShade::Selected,
                    FillShade::SelectedOwn,
                ];
                for (hue, shade) in (0..12).flat_map(|hue| shades.map(|shade| (hue, shade))) {
                    let block = styles.hue_fill(hue, shade);
                    let selected = styles.hue_fill(hue, FillShade::Selected);
                    let is_selected = matches!(shade, FillShade::Selected | FillShade::SelectedOwn);
                    assert!(is_selected || block != selected, "{name} {shade:?} {hue}");
                    let colors = (block.fg.and_then(default_rgb), block.bg.and_then(default_rgb));
                    if let (Some(fg), Some(bg)) = colors {
                        assert!(contrast(fg, bg) >= 4.5, "{name} {shade:?} {hue}");
                    }
                }
            }
        }
    }

    #[test]
    fn text_on_the_selected_row_is_readable() {
        for name in built_in_names() {
            let styles = built_in_theme(name).styles(ColorDepth::Truecolor);
            let cell = [(Role::Cell, Role::Cell)];
            let dim = [Role::Dim, Role::Badge].map(|text| {
                [Role::Selection, Role::SelectionInactive].map(|ground| (text, ground))
            });
            for (text, ground) in dim.as_flattened().iter().chain(&cell) {
                let inks = (styles.of(*text).fg, styles.of(*ground).bg);
                // Others take the colours of the terminal, and `draw_selection` dims nothing.
                if let (Some(fg), Some(bg)) =
                    (inks.0.and_then(default_rgb), inks.1.and_then(default_rgb))
                {
                    assert!(contrast(fg, bg) >= 4.5, "{name} {text:?}: {}", contrast(fg, bg));
                }
            }
        }
    }

    #[test]
    fn older_files_are_complete() {
        let newer = Role::iter().filter_map(|role| Some((role, older_role(role)?)));
        let is_newer = |role| older_role(role).is_some();
        let older = Role::iter().filter(|role| !is_newer(*role)).map(<&str>::from);
        let lines: Vec<String> = older
            .map(|role| format!("{role} = {{ fg = \"#0000{:02x}\" }}\n", role.len()))
            .collect();
        let styles = valid_theme(&lines.concat()).styles(ColorDepth::Truecolor);
        for (role, older) in newer {
            assert_eq!(styles.of(role), styles.of(older), "{role:?}");
        }
    }

    #[test]
    fn two_styles_are_one_for_sixteen_colours() {
        let source = "base = \"mono\"\nlink = [{ bg = \"#102030\" }, { add = [\"reversed\"] }]";
        let theme = valid_theme(source);
        let link_style = |depth| theme.styles(depth).of(Role::Link);
        assert_eq!(link_style(ColorDepth::Truecolor), Style::new().bg(Color::Rgb(16, 32, 48)));
        assert_eq!(link_style(ColorDepth::Indexed), Style::new().bg(Color::Indexed(234)));
        assert_eq!(link_style(ColorDepth::Sixteen), Style::new().add_modifier(Modifier::REVERSED));
        assert_eq!(
            parse_error("link = [{}]").split_once(',').unwrap().0,
            "line 1: invalid length 1"
        );
        assert_eq!(parse_error("\nlink = [{}, {fg = \"bleu\"}]").get(..6), Some("line 2"));
    }

    #[test]
    fn states_have_different_styles() {
        let states = [Role::Ok, Role::Failed, Role::Warning];
        let over = [Role::Plain, Role::Selection, Role::Cell, Role::Match];
        for name in built_in_names() {
            let styles = built_in_theme(name).styles(ColorDepth::Sixteen);
            for group in [states.as_slice(), over.as_slice()] {
                for (n, one) in group.iter().enumerate() {
                    for other in &group[..n] {
                        assert_ne!(styles.of(*one), styles.of(*other), "{name} {one:?} {other:?}");
                    }
                }
            }
        }
    }

    #[test]
    fn mono_has_no_colours_and_high_contrast_nothing_dim() {
        let (mono, high) = (
            built_in_theme("mono").styles(ColorDepth::Truecolor),
            built_in_theme("high-contrast").styles(ColorDepth::Truecolor),
        );
        for role in Role::iter() {
            let inks = [mono.of(role).fg, mono.of(role).bg];
            assert!(inks.iter().all(|ink| ink.is_none_or(|c| c == Color::Reset)), "{role:?}");
            let style = high.of(role);
            assert!(!style.add_modifier.contains(Modifier::DIM), "{role:?}");
            // The contrast with an unknown background cannot be checked.
            let is_set = |ink: Option<Color>| ink.is_some_and(|c| c != Color::Reset);
            assert_eq!(is_set(style.fg), is_set(style.bg), "{role:?}");
            if let (Some(fg), Some(bg)) =
                (style.fg.and_then(default_rgb), style.bg.and_then(default_rgb))
            {
                assert!(contrast(fg, bg) >= 7.0, "{role:?} {}", contrast(fg, bg));
            }
        }
    }

    #[test]
    fn colours_are_reduced_to_sixteen() {
        let source = r##"
            base = "mono"
            link = { fg = ["#ff5533", "blue"], bg = "#fefefe", add = ["bold", "underlined"] }
        "##;
        let theme = valid_theme(source);
        let (full, sixteen) = (
            theme.styles(ColorDepth::Truecolor).of(Role::Link),
            theme.styles(ColorDepth::Sixteen).of(Role::Link),
        );
        assert_eq!(full.fg, Some(Color::Rgb(255, 85, 51)));
        assert_eq!((sixteen.fg, sixteen.bg), (Some(Color::Blue), Some(Color::White)));
        assert_eq!(full.add_modifier, Modifier::BOLD | Modifier::UNDERLINED);
        let rest = |role| {
            theme.styles(ColorDepth::Truecolor).of(role)
                == built_in_theme("mono").styles(ColorDepth::Truecolor).of(role)
        };
        assert!(Role::iter().filter(|role| *role != Role::Link).all(rest));
    }

    #[test]
    fn errors_have_a_line_and_a_suggestion() {
        for (source, words) in [
            ("base = \"mono\"\nlnk = {}", "line 2: unknown key `lnk`: did you mean `link`?"),
            ("base = \"drak\"", "line 1: unknown theme `drak`: did you mean `dark`?"),
            (
                "base = \"mono\"\n\nlink = {fg = \"bleu\"}",
                "line 3: unknown colour `bleu`: did you mean `blue`?",
            ),
            (
                "link = {fg = \"#12345\"}",
                "line 1: `#12345` is not a colour: expected six hex digits",
            ),
            (
                "link = {fg = [\"#123456\", \"gren\"]}",
                "line 1: unknown colour `gren`: did you mean `green`?",
            ),
            (
                "\nlink = {add = [\"bold\", \"blink\"]}",
                "line 2: unknown modifier `blink`; available: `bold`, `dim`, `italic`, `underlined`, `reversed`",
            ),
            (
                "link = {add = \"bold\"}",
                "line 1: invalid type: string \"bold\", expected a list such as [\"bold\"]",
            ),
            ("link = {foo = 1}", "line 1: unknown field `foo`, expected one of `fg`, `bg`, `add`"),
            (
                "link = {fg = 1}",
                "line 1: invalid type: integer `1`, expected a colour in quotes, or two: [\"#ffb86c\", \"yellow\"]",
            ),
            (
                "link = \"blue\"",
                "line 1: invalid type: string \"blue\", expected a style such as { fg = \"blue\", bg = \"white\", add = [\"bold\"] }, or two",
            ),
            (
                "link = {fg = [\"red\"]}",
                "line 1: invalid length 1, expected a colour in quotes, or two: [\"#ffb86c\", \"yellow\"]",
            ),
            ("plain = {}\n", "line 2: no style for dim, and no `base`"),
        ] {
            assert_eq!(parse_error(source), words);
        }
        assert!(
            parse_error("link = {\n}}").starts_with("line 2: "),
            "{}",
            parse_error("link = {\n}}")
        );
        assert!(!parse_error("link = {fg = \"\\u001b[2J\"}").contains('\u{1b}'));
        let none = load_theme("lihgt", None).unwrap_err().to_string();
        assert_eq!(none, "unknown theme `lihgt`: did you mean `light`?");
    }

    proptest! {
        #[test]
        fn arbitrary_text_does_not_panic(
            pieces in prop::collection::vec("link|fg|bg|add|base|\"(bold|#12345|#123456|mono)?\"|[={}\\[\\],.#\n ]|.", 0..20)
        ) {
            let source = pieces.concat();
            for mistake in Theme::parse(&source).1 {
                prop_assert!((1..=source.lines().count() + 1).contains(&mistake.line), "{mistake}");
            }
        }
    }

    #[test]
    fn user_theme_overrides_built_in_one() {
        let own = load_theme("dark", Some("base = \"mono\"")).unwrap();
        assert_eq!(own, built_in_theme("mono"));
    }

    #[test]
    fn invalid_lines_are_skipped() {
        let source = "base = \"mono\"\nlink = { fg = \"#zzz\" }\ndim = { add = [\"bold\"] }\nlnk = {}\nhash =";
        let (theme, problems) = Theme::parse(source);
        let lines: Vec<usize> = problems.iter().map(|problem| problem.line).collect();
        assert_eq!(lines, [2, 4, 5]);
        let [styles, mono] =
            [theme, built_in_theme("mono")].map(|theme| theme.styles(ColorDepth::Truecolor));
        assert_eq!(styles.of(Role::Link), mono.of(Role::Link));
        assert_eq!(styles.of(Role::Dim), Style::new().add_modifier(Modifier::BOLD));
        let (theme, problems) = Theme::parse("base = \"drak\"");
        assert_eq!((theme, problems.len()), (built_in_theme("dark"), 1));
    }
}
