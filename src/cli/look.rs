//! How everything looks in a run of the program.

use std::env;

use jiff::tz::TimeZone;

use crate::oneshot::Failure;
use crate::ui::theme::{Look, Styles, Surroundings, Wishes};

/// What the environment says.
fn surroundings() -> Surroundings {
    Surroundings::read(|name| Some(env::var_os(name)?.to_string_lossy().into_owned()))
}

/// How the explorer looks.
pub(super) fn look() -> Result<Look, Failure> {
    Look::new(Wishes::default(), surroundings()).map_err(|e| Failure::Usage(e.to_string()))
}

/// The styles of printed text, if it is to have any, and whether it is ASCII alone.
pub(super) fn of_text() -> Result<(Option<Styles>, bool), Failure> {
    let Look { styles, ascii, .. } = look()?;
    Ok((surroundings().color.then_some(styles), ascii))
}

/// The time zone of this machine.
pub(super) fn zone() -> TimeZone {
    TimeZone::try_system().unwrap_or(TimeZone::UTC)
}
