//! Calls as a tree of lines.

use std::io::{self, Write};

use crossterm::style::{Attribute, ContentStyle};
use ratatui::backend::IntoCrossterm;
use ratatui::style::Modifier;

use super::super::row::outcome_role;
use super::super::text;
use super::TraceExport;
use crate::sanitize::sanitize;
use crate::trace::CallOutcome;
use crate::ui::ascii;
use crate::ui::theme::Styles;

/// What a theme may add to a text.
const ATTRIBUTES: [(Modifier, Attribute); 5] = [
    (Modifier::BOLD, Attribute::Bold),
    (Modifier::DIM, Attribute::Dim),
    (Modifier::ITALIC, Attribute::Italic),
    (Modifier::UNDERLINED, Attribute::Underlined),
    (Modifier::REVERSED, Attribute::Reverse),
];

impl TraceExport<'_> {
    /// Writes a line for every call.
    pub(super) fn tree(&self, out: &mut dyn Write) -> io::Result<()> {
        self.scope.calls(self.names.tree).try_for_each(|(number, _)| {
            let line = text::call_line(&self.names, number, self.scope.root_depth);
            let outcome = self.names.tree.outcome(number);
            let line = sanitize(&line);
            let line = if self.ascii { ascii::to_ascii(&line) } else { line };
            match self
                .styles
                .zip(outcome)
                .and_then(|(styles, outcome)| outcome_style(styles, outcome))
            {
                Some(style) => writeln!(out, "{}", style.apply(line)),
                None => writeln!(out, "{line}"),
            }
        })
    }
}

/// How a call looks on a terminal: what did not last stands out against what did.
fn outcome_style(styles: &Styles, outcome: CallOutcome) -> Option<ContentStyle> {
    if outcome == CallOutcome::Succeeded {
        return None;
    }
    let style = styles.of(outcome_role(outcome));
    let mut shown = ContentStyle::new();
    shown.foreground_color = style.fg.map(IntoCrossterm::into_crossterm);
    shown.background_color = style.bg.map(IntoCrossterm::into_crossterm);
    for (modifier, attribute) in ATTRIBUTES {
        if style.add_modifier.contains(modifier) {
            shown.attributes.set(attribute);
        }
    }
    Some(shown)
}
