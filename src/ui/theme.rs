//! Roles and the styles they are drawn in. No state is told by colour alone.

use ratatui::style::{Color, Modifier, Style};

/// What a piece of text is, which decides how it looks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
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
}

/// The styles of every role.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Styles {
    color: bool,
    /// What is drawn does not have the keys.
    resting: bool,
}

impl Styles {
    /// Sixteen colours, or none (`NO_COLOR`).
    pub fn new(color: bool) -> Self {
        Self { color, resting: false }
    }

    /// The same for what does not have the keys.
    #[must_use]
    pub fn resting(&self) -> Self {
        Self { resting: true, ..self.clone() }
    }

    /// How `role` looks.
    pub fn of(&self, role: Role) -> Style {
        let style = Style::new();
        let (color, modifier) = match role {
            Role::Plain => return style,
            Role::Dim => (Color::DarkGray, Modifier::DIM),
            Role::Title => (Color::Reset, Modifier::BOLD),
            Role::Accent => (Color::Cyan, Modifier::BOLD),
            Role::Ok => (Color::Green, Modifier::empty()),
            Role::Failed => (Color::Red, Modifier::BOLD),
            Role::Warning => (Color::Yellow, Modifier::BOLD),
            Role::Value => (Color::Yellow, Modifier::empty()),
            Role::Link => (Color::Blue, Modifier::empty()),
            Role::Delegate => (Color::Magenta, Modifier::empty()),
        };
        match (self.color, role) {
            // Dark grey alone: together with the attribute it vanishes on many terminals.
            (true, Role::Dim) => style.fg(color),
            (true, _) => style.fg(color).add_modifier(modifier),
            (false, _) => style.add_modifier(modifier),
        }
    }

    /// The selected row: reversed and of one colour, so that it shows in any colours and in none.
    /// Where the keys are elsewhere it is only underlined.
    pub fn selection(&self) -> Style {
        if self.resting {
            return Style::new().add_modifier(Modifier::UNDERLINED);
        }
        Style::new().fg(Color::Reset).bg(Color::Reset).add_modifier(Modifier::REVERSED)
    }

    /// The selected cell of the selected row.
    pub fn cell(&self) -> Style {
        self.selection().add_modifier(Modifier::BOLD | Modifier::UNDERLINED)
    }
}
