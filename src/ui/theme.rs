//! Roles of text and their styles. Nothing relies on colour alone.

mod appearance;
mod color;
mod theme_file;

use ratatui::style::Style;
use strum::{EnumCount, EnumIter, EnumString, IntoStaticStr, VariantNames};

pub use appearance::{Appearance, TerminalEnv, ThemePreferences};
pub use color::ColorDepth;
pub use theme_file::{Theme, ThemeError, built_in_names, load_theme};

/// The meaning of a piece of text, which determines its style.
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
    #[default]
    Plain,
    Dim,
    Title,
    /// The name of the current page, and keys.
    Accent,
    Ok,
    Failed,
    Warning,
    /// An amount that is not zero.
    Value,
    Link,
    /// A delegated call: code that runs as another contract.
    Delegate,
    Match,
    /// The selected row or tab. Applied over other styles.
    Selection,
    /// The selected row of a pane without focus.
    SelectionInactive,
    /// The selected cell of the selected row.
    Cell,
    Border,
    BorderFocused,
    /// A short fixed word beside what it qualifies, such as the kind of a call or a count.
    Badge,
    /// The coloured mark of an address. Its hues come from the address and are as light as this
    /// colour; a theme without one has no marks.
    Mark,
    /// The address under the cursor, where else it stands.
    Highlight,
}

#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Styles {
    roles: [Style; Role::COUNT],
    unfocused: bool,
}

impl Styles {
    /// Returns the styles of the `dark` theme in sixteen colours, or of `mono`.
    pub fn new(color: bool) -> Self {
        let theme = load_theme(if color { "dark" } else { "mono" }, None);
        // A test parses all built-in themes, so this does not fail.
        theme.map_or(Self::from_roles([Style::new(); Role::COUNT]), |theme| {
            theme.styles(ColorDepth::Sixteen)
        })
    }

    fn from_roles(roles: [Style; Role::COUNT]) -> Self {
        Self { roles, unfocused: false }
    }

    #[must_use]
    pub fn unfocused(&self) -> Self {
        Self { unfocused: true, ..self.clone() }
    }

    pub fn of(&self, role: Role) -> Style {
        self.roles.get(role as usize).copied().unwrap_or_default()
    }

    /// Returns the style of the selected row.
    pub fn selection(&self) -> Style {
        self.of(if self.unfocused { Role::SelectionInactive } else { Role::Selection })
    }

    /// Returns the style of a frame.
    pub fn border(&self) -> Style {
        self.of(if self.unfocused { Role::Border } else { Role::BorderFocused })
    }
}
