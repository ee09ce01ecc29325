//! Roles and the styles they are drawn in. No state is told by colour alone.

mod appearance;
mod color;
mod theme_file;

use ratatui::style::{Modifier, Style};
use strum::{EnumCount, EnumIter, EnumString, IntoStaticStr, VariantNames};

pub use appearance::{Appearance, TerminalEnv, ThemePreferences};
pub use theme_file::{Theme, load_theme};

/// What a piece of text is, which decides how it looks.
#[derive(
    Debug,
    Clone,
    Copy,
    PartialEq,
    Eq,
    Default,
    EnumCount,
    EnumIter,
    EnumString,
    IntoStaticStr,
    VariantNames,
)]
#[strum(serialize_all = "kebab-case")]
pub enum Role {
    /// Ordinary text.
    #[default]
    Plain,
    /// Less important than its neighbours.
    Dim,
    /// Titles and labels.
    Title,
    /// The name of what is looked at, and keys.
    Accent,
    /// Succeeded.
    Ok,
    /// Failed.
    Failed,
    /// Needs attention.
    Warning,
    /// An amount that is not zero.
    Value,
    /// Something that can be followed.
    Link,
    /// Code that runs as somebody else.
    Delegate,
    /// What was searched for.
    Match,
    /// The selected row, and titles that are chosen: lies over what is there.
    Selection,
    /// The selected cell of the selected row.
    Cell,
}

/// The styles of every role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Styles {
    roles: [Style; Role::COUNT],
    /// What is drawn does not have the keys.
    unfocused: bool,
}

impl Styles {
    /// Those of the dark theme in sixteen colours, or of the one without colours.
    pub fn new(color: bool) -> Self {
        let theme = load_theme(if color { "dark" } else { "mono" }, None);
        // The built-in themes are whole: a test reads them all.
        theme.map_or(Self::from_roles([Style::new(); Role::COUNT]), |theme| theme.styles(false))
    }

    fn from_roles(roles: [Style; Role::COUNT]) -> Self {
        Self { roles, unfocused: false }
    }

    /// The same for what does not have the keys.
    #[must_use]
    pub fn unfocused(&self) -> Self {
        Self { unfocused: true, ..self.clone() }
    }

    /// How `role` looks.
    pub fn of(&self, role: Role) -> Style {
        self.roles.get(role as usize).copied().unwrap_or_default()
    }

    /// The selected row: it must show over any colours and over none. Where the keys are elsewhere it is
    /// only underlined.
    pub fn selection(&self) -> Style {
        if self.unfocused {
            return Style::new().add_modifier(Modifier::UNDERLINED);
        }
        self.of(Role::Selection)
    }

    /// The selected cell of the selected row.
    pub fn cell(&self) -> Style {
        self.of(Role::Cell)
    }
}
