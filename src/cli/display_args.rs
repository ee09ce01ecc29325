//! The arguments for theme, ASCII, units and times.

use std::env;
use std::fmt::Display;
use std::io::ErrorKind;
use std::str::FromStr;
use std::sync::LazyLock;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::tz::TimeZone;
use strum::VariantNames;

use crate::chain::amount::Unit;
use crate::config::time_format::TimeFormat;
use crate::config::{self, PictureSetting, Settings};
use crate::output::trace::TextStyle;
use crate::output::{CliError, OutputStyle};
use crate::picture::{PictureMode, PictureOptions};
use crate::sanitize::SafeText;
use crate::ui::format_options::FormatOptions;
use crate::ui::theme::{Appearance, ColorDepth, TerminalEnv, Theme, ThemePreferences};

static SYSTEM_ZONE: LazyLock<TimeZone> =
    LazyLock::new(|| TimeZone::try_system().unwrap_or(TimeZone::UTC));

#[derive(Debug, clap::Args)]
pub(super) struct DisplayArgs {
    /// Theme: auto, dark, light, mono, high-contrast, dusk, catppuccin, gruvbox, nord, tokyo-night, or your own
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        env = "CHAINGLASS_THEME",
        hide_env_values = true
    )]
    theme: Option<String>,

    /// Draw with ASCII characters only
    #[arg(long, global = true)]
    ascii: bool,

    /// Unit of amounts in the chain's coin
    #[arg(long, global = true, value_parser = name_parser::<Unit>(), env = "CHAINGLASS_UNIT", hide_env_values = true)]
    unit: Option<Unit>,

    /// Format of times
    #[arg(long, global = true, value_parser = name_parser::<TimeFormat>(), env = "CHAINGLASS_TIMES", hide_env_values = true)]
    times: Option<TimeFormat>,
}

pub(super) fn name_parser<T>() -> impl TypedValueParser<Value = T>
where
    T: FromStr + VariantNames + Clone + Send + Sync + 'static,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    PossibleValuesParser::new(T::VARIANTS.iter().copied()).try_map(|name| name.parse())
}

impl DisplayArgs {
    /// Returns the appearance: the arguments override the settings.
    pub(super) fn appearance(&self, settings: &Settings) -> Result<Appearance, CliError> {
        let theme = self.theme_name(settings);
        let ascii = self.ascii_preference(settings);
        let user_theme = theme.map(load_user_theme).transpose()?.flatten();
        let preferences = ThemePreferences { theme, user_theme: user_theme.as_deref(), ascii };
        Appearance::new(preferences, terminal_env()).map_err(|e| CliError::Usage(e.to_string()))
    }

    fn theme_name<'a>(&'a self, settings: &'a Settings) -> Option<&'a str> {
        self.theme.as_deref().filter(|name| !name.is_empty()).or(settings.theme.as_deref())
    }

    /// Returns the problems of the chosen theme, if it is the user's. Its invalid lines are skipped.
    pub(super) fn theme_problems(&self, settings: &Settings) -> Vec<SafeText> {
        let Some(name) = self.theme_name(settings) else { return Vec::new() };
        let source = load_user_theme(name).ok().flatten();
        let problems = source.map(|source| Theme::parse(&source).1).unwrap_or_default();
        let described = problems.iter().map(|problem| format!("themes/{name}.toml {problem}"));
        described.map(|problem| SafeText::new(&problem)).collect()
    }

    fn ascii_preference(&self, settings: &Settings) -> Option<bool> {
        self.ascii.then_some(true).or(settings.ascii)
    }

    pub(super) fn text_style(&self, settings: &Settings) -> Result<TextStyle, CliError> {
        let Appearance { styles, background_styles, ascii, .. } = self.appearance(settings)?;
        // Lines among others of the terminal have its background.
        let styles = background_styles.map_or(styles, |by_background| by_background.dark);
        Ok(TextStyle { styles: terminal_env().color.then_some(styles), ascii })
    }

    pub(super) fn output_style(&self, settings: &Settings) -> Result<OutputStyle, CliError> {
        let Appearance { ascii, .. } = self.appearance(settings)?;
        let format = FormatOptions { address_marks: false, ..self.format_options(settings) };
        Ok(OutputStyle { format, ascii })
    }

    /// Returns the display of pictures: none in ASCII, without colours, or from a recording.
    pub(super) fn picture_options(&self, settings: &Settings, is_replay: bool) -> PictureOptions {
        let there = terminal_env();
        let ascii = Appearance::is_ascii(self.ascii_preference(settings), there);
        let TerminalEnv { color, depth, .. } = there;
        let truecolor = depth == ColorDepth::Truecolor;
        let setting = settings.pictures;
        let is_on = color && !ascii && !is_replay && setting != PictureSetting::Off;
        let mode = if is_on { PictureMode::Blocks { truecolor } } else { PictureMode::Off };
        let asks_terminal = is_on && setting == PictureSetting::Auto;
        PictureOptions { mode, asks_terminal, ipfs_gateway: settings.ipfs_gateway.clone() }
    }

    pub(super) fn format_options(&self, settings: &Settings) -> FormatOptions {
        FormatOptions {
            unit: self.unit.unwrap_or(settings.unit),
            time_format: self.times.unwrap_or(settings.time_format),
            zone: &SYSTEM_ZONE,
            address_marks: settings.address_marks,
            ..FormatOptions::default()
        }
    }
}

fn terminal_env() -> TerminalEnv {
    TerminalEnv::from_env(|name| Some(env::var_os(name)?.to_string_lossy().into_owned()))
}

fn load_user_theme(name: &str) -> Result<Option<String>, CliError> {
    let Some(path) = config::theme_file(name) else { return Ok(None) };
    match config::read_text(&path) {
        Ok(source) => Ok(Some(source)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(theme_error(name, &error)),
    }
}

fn theme_error(theme: &str, error: &dyn Display) -> CliError {
    CliError::Usage(format!("theme {theme}: {error}"))
}
