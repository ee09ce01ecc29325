//! How everything looks in a run of the program, and how amounts and times are written.

use std::env;
use std::fmt::Display;
use std::io::ErrorKind;
use std::str::FromStr;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use jiff::tz::TimeZone;
use strum::VariantNames;

use crate::batch::{Failure, Manner};
use crate::chain::amount::Unit;
use crate::config::time_format::Times;
use crate::config::{self, Settings};
use crate::ui::number_format::Notation;
use crate::ui::theme::{Look, Styles, Surroundings, Wishes};

/// How it is to look.
#[derive(Debug, clap::Args)]
pub(super) struct LookArgs {
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
    #[arg(long, global = true, value_parser = choice::<Unit>(), env = "CHAINGLASS_UNIT", hide_env_values = true)]
    unit: Option<Unit>,

    /// Times as ages, local or UTC
    #[arg(long, global = true, value_parser = choice::<Times>(), env = "CHAINGLASS_TIMES", hide_env_values = true)]
    times: Option<Times>,
}

/// One of the names of a type.
fn choice<T>() -> impl TypedValueParser<Value = T>
where
    T: FromStr + VariantNames + Clone + Send + Sync + 'static,
    T::Err: std::error::Error + Send + Sync + 'static,
{
    PossibleValuesParser::new(T::VARIANTS.iter().copied()).try_map(|name| name.parse())
}

impl LookArgs {
    /// How the explorer looks: as the arguments say, else the settings.
    pub(super) fn look(&self, settings: &Settings) -> Result<Look, Failure> {
        let theme = self.theme.as_deref().filter(|name| !name.is_empty());
        let theme = theme.or(settings.theme.as_deref());
        let ascii = self.ascii.then_some(true).or(settings.ascii);
        let own = theme.map(own_theme).transpose()?.flatten();
        let look = Look::new(Wishes { theme, own: own.as_deref(), ascii }, surroundings());
        look.map_err(|e| wrong(theme.unwrap_or_default(), &e))
    }

    /// The styles of printed text, if it is to have any, and whether it is ASCII alone.
    pub(super) fn of_text(&self, settings: &Settings) -> Result<(Option<Styles>, bool), Failure> {
        let Look { styles, ascii, .. } = self.look(settings)?;
        Ok((surroundings().color.then_some(styles), ascii))
    }

    /// How tables are printed.
    pub(super) fn manner(&self, settings: &Settings) -> Result<Manner, Failure> {
        let Look { ascii, .. } = self.look(settings)?;
        Ok(Manner { notation: self.notation(settings), ascii })
    }

    /// How amounts and times are written.
    pub(super) fn notation(&self, settings: &Settings) -> Notation {
        Notation {
            unit: self.unit.unwrap_or(settings.unit),
            times: self.times.unwrap_or(settings.times),
            zone: TimeZone::try_system().unwrap_or(TimeZone::UTC),
        }
    }
}

/// What the environment says.
fn surroundings() -> Surroundings {
    Surroundings::read(|name| Some(env::var_os(name)?.to_string_lossy().into_owned()))
}

/// What the user's own theme file of this name holds, if there is one.
fn own_theme(name: &str) -> Result<Option<String>, Failure> {
    let Some(path) = config::theme(name) else { return Ok(None) };
    match config::text(&path) {
        Ok(source) => Ok(Some(source)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(wrong(name, &error)),
    }
}

fn wrong(theme: &str, why: &dyn Display) -> Failure {
    Failure::Usage(format!("theme {theme}: {why}"))
}
