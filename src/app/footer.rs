//! The bottom line: what just happened, or the keys that work here, and where in the list one is.

use ratatui::layout::Rect;
use strum::IntoEnumIterator;

use super::{App, Overlay, Part};
use crate::keymap::{Chord, Context};
use crate::msg::Action;
use crate::text::Text;
use crate::ui::format::width;

impl App {
    /// Keys and what they do, as far as they work now: after the first key of a chord, how it goes on.
    pub(super) fn hints(&self) -> Vec<(Chord, &'static str)> {
        let contexts = self.contexts();
        let mut hints: Vec<(Chord, &'static str)> = Vec::new();
        for action in Action::iter().filter(|action| self.is_live(*action)) {
            let hint = self.hint_beside(action).unwrap_or(action.about().hint);
            let Some(chord) = self.keymap.chord(&contexts, action).filter(|_| !hint.is_empty())
            else {
                continue;
            };
            if self.pending.is_empty() {
                match chord.0.as_slice() {
                    [_] => hints.push((chord.clone(), hint)),
                    // Of the copy chords the first stands for all.
                    [first, ..] => {
                        let prefix = Chord(vec![*first]);
                        if !hints.iter().any(|(keys, _)| *keys == prefix) {
                            hints.push((prefix, hint));
                        }
                    }
                    [] => {}
                }
            } else if let Some(rest) = chord.0.strip_prefix(self.pending.as_slice()) {
                hints.push((Chord(rest.to_vec()), hint));
            }
        }
        hints
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
