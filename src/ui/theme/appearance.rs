//! Chooses theme and character set from the user's preferences and the terminal's abilities.

use super::theme_file::{UnknownThemeError, load_theme};
use super::{ColorDepth, Styles};

#[derive(Debug, Clone, Copy, Default)]
pub struct ThemePreferences<'a> {
    /// Name of a theme. `None` or `auto` follows the terminal's background.
    pub theme: Option<&'a str>,
    /// Content of the user's theme file with that name.
    pub user_theme: Option<&'a str>,
    /// `true` to show only ASCII. `None` follows the locale.
    pub ascii: Option<bool>,
}

#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
#[expect(clippy::struct_excessive_bools, reason = "each is a fact of its own")]
pub struct TerminalEnv {
    /// Colours are enabled (<https://no-color.org>).
    pub color: bool,
    pub depth: ColorDepth,
    /// The locale's character set is not UTF-8.
    pub non_utf8_locale: bool,
    /// The Linux console, which is black and does not answer queries.
    pub is_console: bool,
    /// The background is light, says the variable of terminals that may not answer queries.
    pub may_be_light: bool,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Appearance {
    /// Styles while the background is unknown, readable on any.
    pub styles: Styles,
    /// Styles for a known background. `None` if they do not depend on it, so that the terminal need not
    /// be asked.
    pub background_styles: Option<BackgroundStyles>,
    pub ascii: bool,
    /// Number of colours available to themes. `None` if colours are disabled.
    pub depth: Option<ColorDepth>,
    /// Names and contents of the user's theme files.
    pub user_themes: Vec<(String, String)>,
}

/// Styles that leave a dark or light background to the terminal.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BackgroundStyles {
    pub dark: Styles,
    depth: ColorDepth,
}

impl BackgroundStyles {
    /// Loads the styles for a light background, which most terminals do not have.
    pub fn light(&self) -> Result<Styles, UnknownThemeError> {
        Ok(load_theme("light", None)?.styles(self.depth).in_terminal_colors())
    }
}

impl TerminalEnv {
    pub fn from_env(variable: impl Fn(&str) -> Option<String>) -> Self {
        let set = |name| variable(name).filter(|value| !value.is_empty());
        let locale = ["LC_ALL", "LC_CTYPE", "LANG"].into_iter().find_map(set);
        Self {
            color: set("NO_COLOR").is_none(),
            depth: match (set("COLORTERM").as_deref(), set("TERM")) {
                (Some("truecolor" | "24bit"), _) => ColorDepth::Truecolor,
                (_, Some(term)) if term.ends_with("256color") => ColorDepth::Indexed,
                _ => ColorDepth::Sixteen,
            },
            // Many containers set no locale although the terminal knows UTF-8.
            non_utf8_locale: locale.is_some_and(|locale| {
                let locale = locale.to_ascii_lowercase();
                !locale.contains("utf-8") && !locale.contains("utf8")
            }),
            is_console: set("TERM").is_some_and(|term| term == "linux"),
            // `foreground;background` or, of rxvt, `foreground;pixmap;background`, as ANSI colours.
            may_be_light: set("COLORFGBG")
                .and_then(|colors| colors.rsplit(';').next()?.parse().ok())
                .is_some_and(|background: u8| matches!(background, 7 | 15)),
        }
    }
}

impl From<Styles> for Appearance {
    fn from(styles: Styles) -> Self {
        Self {
            styles,
            background_styles: None,
            ascii: false,
            depth: Some(ColorDepth::Sixteen),
            user_themes: Vec::new(),
        }
    }
}

impl Appearance {
    /// Returns `true` to show only ASCII.
    pub fn is_ascii(preference: Option<bool>, there: TerminalEnv) -> bool {
        preference.unwrap_or(there.non_utf8_locale)
    }

    /// Applies preferences to a terminal.
    ///
    /// # Errors
    /// Returns an error if the theme is unknown, even if colours are disabled.
    pub fn new(
        wishes: ThemePreferences<'_>,
        there: TerminalEnv,
    ) -> Result<Self, UnknownThemeError> {
        let ascii = Self::is_ascii(wishes.ascii, there);
        let chosen = wishes
            .theme
            .filter(|name| *name != "auto")
            .map(|name| load_theme(name, wishes.user_theme))
            .transpose()?;
        let (styles, background_styles) = match (there.color, chosen) {
            (false, _) => (Styles::new(false), None),
            (true, Some(chosen)) => (chosen.styles(there.depth), None),
            (true, None) => {
                let depth = there.depth;
                let own = load_theme("dark", None)?.styles(depth);
                let dark = own.clone().in_terminal_colors();
                let unknown = match depth {
                    // The sixteen colours are the terminal's own, and so is its background.
                    ColorDepth::Sixteen => Styles::new(false),
                    _ if there.may_be_light => load_theme("light", None)?.styles(depth),
                    ColorDepth::Indexed | ColorDepth::Truecolor => own,
                };
                if there.is_console {
                    (dark, None)
                } else {
                    (unknown, Some(BackgroundStyles { dark, depth }))
                }
            }
        };
        let depth = there.color.then_some(there.depth);
        Ok(Self { background_styles, ascii, depth, ..styles.into() })
    }
}

#[cfg(test)]
mod tests {
    use ratatui::style::Style;
    use strum::IntoEnumIterator;

    use super::super::Role;
    use super::*;

    fn there(variables: &[(&str, &str)]) -> TerminalEnv {
        TerminalEnv::from_env(|name| {
            let found = variables.iter().find(|(known, _)| *known == name);
            found.map(|(_, value)| (*value).to_owned())
        })
    }

    #[test]
    fn only_other_locales_need_ascii() {
        for (variables, foreign) in [
            (&[][..], false),
            (&[("LANG", "")], false),
            (&[("LANG", "en_US.UTF-8")], false),
            (&[("LANG", "C.utf8")], false),
            (&[("LANG", "C")], true),
            (&[("LANG", "POSIX")], true),
            (&[("LANG", "de_DE.ISO-8859-1")], true),
            (&[("LANG", "de_DE.UTF-8"), ("LC_ALL", "C")], true),
            (&[("LANG", "C"), ("LC_CTYPE", "en_US.UTF-8"), ("LC_ALL", "")], false),
        ] {
            assert_eq!(there(variables).non_utf8_locale, foreign, "{variables:?}");
        }
    }

    #[test]
    fn environment_sets_colours() {
        assert_eq!(there(&[]), TerminalEnv { color: true, ..TerminalEnv::default() });
        assert!(!there(&[("NO_COLOR", "1")]).color && there(&[("NO_COLOR", "")]).color);
        for (variable, value, depth) in [
            ("COLORTERM", "24bit", ColorDepth::Truecolor),
            ("COLORTERM", "yes", ColorDepth::Sixteen),
            ("TERM", "xterm-256color", ColorDepth::Indexed),
            ("TERM", "linux", ColorDepth::Sixteen),
        ] {
            assert_eq!(there(&[(variable, value)]).depth, depth, "{variable}={value}");
        }
    }

    #[test]
    fn background_matters_only_without_a_chosen_theme() {
        let color = TerminalEnv { color: true, ..TerminalEnv::default() };
        let look = |theme, there| {
            Appearance::new(ThemePreferences { theme, ..ThemePreferences::default() }, there)
                .unwrap()
        };
        for theme in [None, Some("auto")] {
            let by_background = look(theme, color).background_styles.unwrap();
            assert_eq!(by_background.dark, Styles::new(true));
            assert_ne!(by_background.light().as_ref(), Ok(&by_background.dark));
        }
        assert_eq!(look(Some("light"), color).background_styles, None);
        let chosen = look(Some("light"), color).styles;
        let by_background = look(None, color).background_styles.unwrap();
        assert_eq!(Ok(chosen.in_terminal_colors()), by_background.light());
        for depth in [ColorDepth::Indexed, ColorDepth::Truecolor] {
            let in_colors = TerminalEnv { depth, ..color };
            for theme in ["dark", "light", "dusk", "nord"] {
                let plain = look(Some(theme), in_colors).styles.of(Role::Plain);
                assert!(plain.fg.is_some() && plain.bg.is_some(), "{theme} on any terminal");
            }
            let by_background = look(None, in_colors).background_styles.unwrap();
            assert_eq!(by_background.dark.of(Role::Plain), Style::new());
        }
        for theme in [None, Some("dusk")] {
            let none = look(theme, TerminalEnv::default());
            assert_eq!((none.styles, none.background_styles), (Styles::new(false), None));
        }
        let wrong = ThemePreferences { theme: Some("drak"), ..ThemePreferences::default() };
        assert!(Appearance::new(wrong, TerminalEnv::default()).is_err());
    }

    #[test]
    fn unknown_background_is_painted_or_does_not_matter() {
        let look = |depth, is_console| {
            let there = TerminalEnv { color: true, depth, is_console, ..TerminalEnv::default() };
            Appearance::new(ThemePreferences::default(), there).unwrap()
        };
        for depth in [ColorDepth::Indexed, ColorDepth::Truecolor] {
            let painted = look(depth, false).styles.of(Role::Plain);
            assert!(painted.fg.is_some() && painted.bg.is_some(), "{depth:?}");
        }
        let sixteen = look(ColorDepth::Sixteen, false).styles;
        for role in Role::iter() {
            let style = sixteen.of(role);
            assert_eq!((style.fg, style.bg), (None, None), "{role:?}");
        }
        let console = look(ColorDepth::Sixteen, true);
        assert_eq!((console.styles, console.background_styles), (Styles::new(true), None));
    }

    #[test]
    fn unknown_background_is_painted_light_where_the_terminal_says_so() {
        for (colors, theme) in [
            ("0;15", "light"),
            ("0;default;15", "light"),
            ("0;7", "light"),
            ("15;0", "dark"),
            ("15;default;0", "dark"),
            ("0;8", "dark"),
            ("default;default", "dark"),
            ("", "dark"),
        ] {
            let there = there(&[("TERM", "rxvt-unicode-256color"), ("COLORFGBG", colors)]);
            let look = |theme| {
                Appearance::new(ThemePreferences { theme, ..ThemePreferences::default() }, there)
                    .unwrap()
            };
            assert_eq!(look(None).styles, look(Some(theme)).styles, "{colors}");
            assert!(look(None).background_styles.is_some(), "a reply still decides: {colors}");
        }
    }

    #[test]
    fn ascii_follows_the_preference_then_the_locale() {
        let foreign = TerminalEnv { non_utf8_locale: true, ..TerminalEnv::default() };
        let ascii = |ascii, there| {
            Appearance::new(ThemePreferences { ascii, ..ThemePreferences::default() }, there)
                .unwrap()
                .ascii
        };
        assert!(ascii(None, foreign) && !ascii(None, TerminalEnv::default()));
        assert!(!ascii(Some(false), foreign) && ascii(Some(true), TerminalEnv::default()));
    }
}
