//! The bottom line: what just happened, or the keys that work here, and where in the list one is.

use ratatui::layout::Rect;
use strum::IntoEnumIterator;

use super::{App, Overlay, PaneSlot};
use crate::keymap::{Chord, KeyContext};
use crate::msg::{Action, Key};
use crate::sanitize::SafeText;
use crate::ui::format::width;

/// So many chords that begin alike are shown as one.
const MIN_GROUPED_CHORDS: usize = 3;

impl App {
    /// Keys and what they do, as far as they work now: after the first key of a chord, how it goes on.
    pub(super) fn key_hints(&self) -> Vec<(Chord, &'static str)> {
        let contexts = self.key_contexts();
        let mut hints: Vec<(Chord, &'static str)> = Vec::new();
        for action in Action::iter().filter(|action| self.is_enabled(*action)) {
            let hint = self.split_hint(action).unwrap_or(action.info().hint);
            let hint = if action == Action::Open && self.is_prompting() { "done" } else { hint };
            let Some(chord) = self.keymap.chord_for(&contexts, action).filter(|_| !hint.is_empty())
            else {
                continue;
            };
            if self.pending_keys.is_empty() {
                hints.push((chord.clone(), hint));
            } else if let Some(rest) = chord.0.strip_prefix(self.pending_keys.as_slice()) {
                hints.push((Chord(rest.to_vec()), hint));
            }
        }
        group_hints(&hints)
    }

    /// Whether the user is typing an answer, or choosing one.
    fn is_prompting(&self) -> bool {
        matches!(self.overlay, Some(Overlay::Prompt(_) | Overlay::Filters(_)))
    }

    /// Where each of them stands on the bottom line; none does while a notice stands there.
    pub(super) fn place_hints(&self, footer: Rect) -> Vec<(Rect, Chord, &'static str)> {
        let mut placed = Vec::new();
        if self.notice.is_some() {
            return placed;
        }
        let status =
            u16::try_from(width(&self.status_text())).unwrap_or(u16::MAX).min(footer.width);
        let end = footer.right().saturating_sub(status + 1);
        let mut x = footer.x;
        for (chord, hint) in self.key_hints() {
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

    fn is_enabled(&self, action: Action) -> bool {
        let slot = self.focused_tab();
        if self.overlay.is_none() && slot.is_some_and(|slot| !slot.pane.shows_hint(action)) {
            return false;
        }
        if matches!(self.overlay, Some(Overlay::RequestLog(_))) {
            return matches!(action, Action::CopyRequest | Action::Back | Action::Quit);
        }
        match action {
            Action::Back => {
                self.overlay.is_some()
                    || self.current > 0
                    || self.focused_slot() == PaneSlot::Preview
            }
            Action::HistoryForward => self.current + 1 < self.history.len(),
            Action::Toggle => {
                let folds = [KeyContext::Document, KeyContext::Trace, KeyContext::Diff];
                self.key_contexts().iter().any(|context| folds.contains(context))
            }
            Action::Close => self.overlay.is_none(),
            Action::OtherPane => self.overlay.is_none() && self.has_preview() && !self.is_trace(),
            _ => {
                !matches!(self.overlay, Some(Overlay::Help(_) | Overlay::PlainText(_)))
                    || action == Action::Search
            }
        }
    }

    /// Where in the pane one is.
    pub(super) fn status_text(&self) -> SafeText {
        let (Some(place), Some(slot)) = (self.current_entry(), self.focused_tab()) else {
            return SafeText::default();
        };
        slot.pane.status(&self.pane_context(place, slot, self.focused_area()))
    }
}

/// Of many chords that begin alike, as those that copy do, the first stands for all by its first key.
fn group_hints(hints: &[(Chord, &'static str)]) -> Vec<(Chord, &'static str)> {
    let alike = |key: &Key| {
        hints.iter().filter(|(chord, _)| chord.0.len() > 1 && chord.0.first() == Some(key)).count()
    };
    let mut shown: Vec<(Chord, &'static str)> = Vec::new();
    for (chord, hint) in hints {
        let prefix =
            chord.0.first().filter(|key| chord.0.len() > 1 && alike(key) >= MIN_GROUPED_CHORDS);
        let chord = prefix.map_or_else(|| chord.clone(), |key| Chord(vec![*key]));
        if !shown.iter().any(|(known, _)| *known == chord) {
            shown.push((chord, hint));
        }
    }
    shown
}
