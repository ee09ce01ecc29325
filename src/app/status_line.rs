//! The bottom line: what just happened, or the keys that work here, and where in the list one is.

use ratatui::layout::Rect;
use strum::IntoEnumIterator;

use super::{App, Overlay, Part};
use crate::keymap::{Chord, Context};
use crate::msg::{Action, Key};
use crate::sanitize::Text;
use crate::ui::format::width;

/// So many chords that begin alike are shown as one.
const MANY: usize = 3;

impl App {
    /// Keys and what they do, as far as they work now: after the first key of a chord, how it goes on.
    pub(super) fn hints(&self) -> Vec<(Chord, &'static str)> {
        let contexts = self.contexts();
        let mut hints: Vec<(Chord, &'static str)> = Vec::new();
        for action in Action::iter().filter(|action| self.is_live(*action)) {
            let hint = self.hint_beside(action).unwrap_or(action.about().hint);
            let hint = if action == Action::Open && self.is_asked() { "done" } else { hint };
            let Some(chord) = self.keymap.chord(&contexts, action).filter(|_| !hint.is_empty())
            else {
                continue;
            };
            if self.pending.is_empty() {
                hints.push((chord.clone(), hint));
            } else if let Some(rest) = chord.0.strip_prefix(self.pending.as_slice()) {
                hints.push((Chord(rest.to_vec()), hint));
            }
        }
        grouped(&hints)
    }

    /// Whether the user is typing an answer, or choosing one.
    fn is_asked(&self) -> bool {
        matches!(self.overlay, Some(Overlay::Field(_) | Overlay::Filters(_)))
    }

    /// Where each of them stands on the bottom line; none does while a notice stands there.
    pub(super) fn hints_at(&self, footer: Rect) -> Vec<(Rect, Chord, &'static str)> {
        let mut placed = Vec::new();
        if self.notice.is_some() {
            return placed;
        }
        let status = u16::try_from(width(&self.status())).unwrap_or(u16::MAX).min(footer.width);
        let end = footer.right().saturating_sub(status + 1);
        let mut x = footer.x;
        for (chord, hint) in self.hints() {
            let needed = width(&chord.to_string()) + 1 + width(hint);
            let needed = u16::try_from(needed).unwrap_or(u16::MAX);
            if x.saturating_add(needed) > end {
                break;
            }
            placed.push((Rect { x, width: needed, ..footer }, chord, hint));
            x += needed + 2;
        }
        placed
    }

    fn is_live(&self, action: Action) -> bool {
        let slot = self.focused();
        if self.overlay.is_none() && slot.is_some_and(|slot| !slot.pane.offers(action)) {
            return false;
        }
        if matches!(self.overlay, Some(Overlay::Requests(_))) {
            return matches!(action, Action::CopyRequest | Action::Back | Action::Quit);
        }
        match action {
            Action::Back => self.overlay.is_some() || self.at > 0 || self.part() == Part::Side,
            Action::HistoryForward => self.at + 1 < self.places.len(),
            Action::Toggle => {
                let folds = [Context::Document, Context::Trace, Context::Diff];
                self.contexts().iter().any(|context| folds.contains(context))
            }
            Action::Close => self.overlay.is_none(),
            Action::OtherPane => self.overlay.is_none() && self.has_beside() && !self.is_trace(),
            _ => {
                !matches!(self.overlay, Some(Overlay::Help(_) | Overlay::Print(_)))
                    || action == Action::Search
            }
        }
    }

    /// Where in the pane one is.
    pub(super) fn status(&self) -> Text {
        let (Some(place), Some(slot)) = (self.place(), self.focused()) else {
            return Text::default();
        };
        slot.pane.status(&self.cx(place, slot, self.focused_area()))
    }
}

/// Of many chords that begin alike, as those that copy do, the first stands for all by its first key.
fn grouped(hints: &[(Chord, &'static str)]) -> Vec<(Chord, &'static str)> {
    let alike = |key: &Key| {
        hints.iter().filter(|(chord, _)| chord.0.len() > 1 && chord.0.first() == Some(key)).count()
    };
    let mut shown: Vec<(Chord, &'static str)> = Vec::new();
    for (chord, hint) in hints {
        let prefix = chord.0.first().filter(|key| chord.0.len() > 1 && alike(key) >= MANY);
        let chord = prefix.map_or_else(|| chord.clone(), |key| Chord(vec![*key]));
        if !shown.iter().any(|(known, _)| *known == chord) {
            shown.push((chord, hint));
        }
    }
    shown
}
