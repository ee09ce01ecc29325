//! What was copied, and how it is got at where no clipboard takes it.

use super::plain_text_view::PlainTextView;
use super::{App, Overlay, PaneSlot};
use crate::msg::{Action, CopyOutcome, Effect, Multiplexer};
use crate::pane::{Availability, Command};
use crate::sanitize::SafeText;

impl App {
    /// Prints what was copied last; if nothing was yet, what `y y` would copy.
    pub(super) fn open_plain_text(&mut self) -> Vec<Effect> {
        if let Some((what, text)) = self.last_copied.clone() {
            return self.show_plain_text(what, text);
        }
        let part = PaneSlot::Tab(self.current_entry().map_or(0, |place| place.active));
        let mut wants = Vec::new();
        if self.pane_availability(part, Action::CopyCell) == Availability::Enabled {
            wants = self
                .with_pane(part, |tab, cx| tab.pane.act(Action::CopyCell, cx))
                .unwrap_or_default();
        }
        let mut effects = Vec::new();
        for want in wants {
            effects.extend(match want {
                Command::Effect(Effect::Copy { what, text }) => self.show_plain_text(what, text),
                // A warning comes first here too.
                other => self.apply_commands(part, vec![other]),
            });
        }
        if self.overlay.is_none() && self.notice.is_none() {
            self.notify("there is nothing here to print");
        }
        effects
    }

    fn show_plain_text(&mut self, what: &'static str, text: SafeText) -> Vec<Effect> {
        let print = PlainTextView::new(what, text, self.size);
        self.open_overlay(Overlay::PlainText(print))
    }

    /// What could not be copied is printed by itself, unless something else is on top.
    pub(super) fn on_copy_failed(&mut self, what: &'static str, why: &SafeText) -> Vec<Effect> {
        let text = self.last_copied.clone().filter(|(copied, _)| *copied == what);
        if let (None, Some((what, text))) = (&self.overlay, text) {
            self.show_plain_text(what, text);
        }
        self.notify(&format!("the {what} was not copied: {why}"))
    }

    /// Remembers what was copied last.
    pub(super) fn track_copies(&mut self, effects: &[Effect]) {
        let copied = effects.iter().rev().find_map(|effect| match effect {
            Effect::Copy { what, text } => Some((*what, text.clone())),
            _ => None,
        });
        self.last_copied = copied.or(self.last_copied.take());
    }

    /// Says by which way something was copied.
    pub(super) fn on_copied(&mut self, what: &'static str, way: &CopyOutcome) -> Vec<Effect> {
        let through = match way {
            CopyOutcome::Clipboard => {
                return self.notify(&format!("copied the {what} to the clipboard"));
            }
            CopyOutcome::Failed(why) => return self.on_copy_failed(what, why),
            CopyOutcome::Terminal(Multiplexer::None) => "",
            CopyOutcome::Terminal(Multiplexer::Tmux) => " through tmux",
            CopyOutcome::Terminal(Multiplexer::Screen) => " through GNU screen",
        };
        let prints = self.pane_keys().expand("{print} prints it");
        let words = format!("copied the {what} by OSC 52{through} (cannot be confirmed; {prints})");
        self.notify(&words)
    }
}
