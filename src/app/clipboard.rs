//! What was copied, and how it is got at where no clipboard takes it.

use super::plain_text_view::Print;
use super::{App, Overlay, Part};
use crate::msg::{Action, CopyWay, Effect, Passage};
use crate::pane::Want;
use crate::sanitize::Text;

impl App {
    /// Prints what was copied last; if nothing was yet, what `y y` would copy.
    pub(super) fn print(&mut self) -> Vec<Effect> {
        if let Some((what, text)) = self.copied.clone() {
            return self.print_text(what, text);
        }
        let part = Part::Tab(self.place().map_or(0, |place| place.active));
        let wants = self.with(part, |slot, cx| slot.pane.act(Action::CopyCell, cx)).flatten();
        let mut effects = Vec::new();
        for want in wants.unwrap_or_default() {
            effects.extend(match want {
                Want::Copy(what, text) => self.print_text(what, text),
                // A warning comes first here too.
                other => self.grant(part, vec![other]),
            });
        }
        if self.overlay.is_none() && self.notice.is_none() {
            self.say("there is nothing here to print");
        }
        effects
    }

    fn print_text(&mut self, what: &'static str, text: Text) -> Vec<Effect> {
        let print = Print::new(what, text, self.size);
        self.lay_over(Overlay::Print(print))
    }

    /// What could not be copied is printed by itself, unless something else is on top.
    pub(super) fn print_failed(&mut self, what: &'static str, why: &Text) -> Vec<Effect> {
        let text = self.copied.clone().filter(|(copied, _)| *copied == what);
        if let (None, Some((what, text))) = (&self.overlay, text) {
            self.print_text(what, text);
        }
        self.say(&format!("the {what} was not copied: {why}"))
    }

    /// Remembers what was copied last.
    pub(super) fn note_copies(&mut self, effects: &[Effect]) {
        let copied = effects.iter().rev().find_map(|effect| match effect {
            Effect::Copy { what, text } => Some((*what, text.clone())),
            _ => None,
        });
        self.copied = copied.or(self.copied.take());
    }

    /// Says by which way something was copied.
    pub(super) fn copied_by(&mut self, what: &'static str, way: &CopyWay) -> Vec<Effect> {
        let through = match way {
            CopyWay::Clipboard => return self.say(&format!("copied the {what} to the clipboard")),
            CopyWay::Failed(why) => return self.print_failed(what, why),
            CopyWay::Terminal(Passage::Straight) => "",
            CopyWay::Terminal(Passage::Tmux) => " through tmux",
            CopyWay::Terminal(Passage::Screen) => " through GNU screen",
        };
        let prints = self.keys().sentence("{print} prints it");
        let words = format!("copied the {what} by OSC 52{through} (cannot be confirmed; {prints})");
        self.say(&words)
    }
}
