//! How everything looks in a run of the program, and how amounts and times are written.

use std::env;
use std::fmt::Display;
use std::io::ErrorKind;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::tz::TimeZone;
use strum::VariantNames;

use crate::batch::{CliError, OutputStyle};
use crate::chain::amount::Unit;
use crate::config::time_format::TimeFormat;
use crate::config::{self, Settings};
use crate::ui::number_format::FormatOptions;
use crate::ui::theme::{Appearance, Styles, TerminalEnv, ThemePreferences};

/// How it is to look.
#[derive(Debug, clap::Args)]
pub(super) struct DisplayArgs {
    /// `auto`, `dark`, `light`, `mono`, `high-contrast`, `dusk`, or a theme of your own
    #[arg(
        long,
        global = true,
        value_name = "NAME",
        env = "CHAINGLASS_THEME",
        hide_env_values = true
    )]
    theme: Option<String>,

    /// Draw with ASCII only
    #[arg(long, global = true)]
    ascii: bool,

    /// Amounts in the coin, in gwei or in wei
    #[arg(long, global = true, value_parser = name_parser::<Unit>(), env = "CHAINGLASS_UNIT", hide_env_values = true)]
    unit: Option<Unit>,

    /// Times as ages, local or UTC
    #[arg(long, global = true, value_parser = name_parser::<TimeFormat>(), env = "CHAINGLASS_TIMES", hide_env_values = true)]
    times: Option<TimeFormat>,
}

/// One of the names of a type.
fn name_parser<T>() -> impl TypedValueParser<Value = T>
where
    T: FromStr + VariantNames + Clone + Send + Sync + 'static,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    PossibleValuesParser::new(T::VARIANTS.iter().copied()).try_map(|name| name.parse())
}

impl DisplayArgs {
    /// How the explorer looks: as the arguments say, else the settings.
    pub(super) fn appearance(&self, settings: &Settings) -> Result<Appearance, CliError> {
        let theme = self.theme.as_deref().filter(|name| !name.is_empty());
        let theme = theme.or(settings.theme.as_deref());
        let ascii = self.ascii.then_some(true).or(settings.ascii);
        let own = theme.map(load_user_theme).transpose()?.flatten();
        let look = Appearance::new(
            ThemePreferences { theme, user_theme: own.as_deref(), ascii },
            terminal_env(),
        );
        look.map_err(|e| theme_error(theme.unwrap_or_default(), &e))
    }

    /// The styles of printed text, if it is to have any, and whether it is ASCII alone.
    pub(super) fn text_style(
        &self,
        settings: &Settings,
    ) -> Result<(Option<Styles>, bool), CliError> {
        let Appearance { styles, ascii, .. } = self.appearance(settings)?;
        Ok((terminal_env().color.then_some(styles), ascii))
    }

    /// How tables are printed.
    pub(super) fn output_style(&self, settings: &Settings) -> Result<OutputStyle, CliError> {
        let Appearance { ascii, .. } = self.appearance(settings)?;
        Ok(OutputStyle { format: self.format_options(settings), ascii })
    }

    /// How amounts and times are written.
    pub(super) fn format_options(&self, settings: &Settings) -> FormatOptions {
        FormatOptions {
            unit: self.unit.unwrap_or(settings.unit),
            time_format: self.times.unwrap_or(settings.time_format),
            zone: TimeZone::try_system().unwrap_or(TimeZone::UTC),
        }
    }
}

/// What the environment says.
fn terminal_env() -> TerminalEnv {
    TerminalEnv::from_env(|name| Some(env::var_os(name)?.to_string_lossy().into_owned()))
}

/// What the user's own theme file of this name holds, if there is one.
fn load_user_theme(name: &str) -> Result<Option<String>, CliError> {
    let Some(path) = config::theme_file(name) else { return Ok(None) };
    match config::read_text(&path) {
        Ok(source) => Ok(Some(source)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(theme_error(name, &error)),
    }
}

fn theme_error(theme: &str, why: &dyn Display) -> CliError {
    CliError::Usage(format!("theme {theme}: {why}"))
}
