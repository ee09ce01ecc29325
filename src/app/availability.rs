//! Why a key does nothing: every key either acts or says so.

use std::borrow::Cow;

use super::layout::MIN_SPLIT_WIDTH;
use super::{App, Overlay, PaneSlot, tab_index};
use crate::chain::target::TargetKind;
use crate::keymap::{Chord, KeyContext};
use crate::msg::{Action, Effect};
use crate::pane::Route;

impl App {
    /// Why an action would do nothing in the present place as things are; none when it does something.
    pub fn disabled_reason(&self, action: Action) -> Option<Cow<'static, str>> {
        self.disabled_reason_template(action).map(|why| self.pane_keys().expand(why))
    }

    /// The same, before keys are named in it.
    pub(super) fn disabled_reason_template(&self, action: Action) -> Option<&'static str> {
        let place = self.current_entry()?;
        let slot = self.focused_tab()?;
        let is_beside = self.focused_slot() == PaneSlot::Preview;
        let tabs = place.tabs.len();
        match action {
            Action::SidePane if self.size.width < MIN_SPLIT_WIDTH => {
                return Some("a second pane needs 160 columns");
            }
            // The user's own files are read again, whatever the pane does.
            Action::SidePane | Action::Refresh => return None,
            Action::OtherPane => return self.split_unavailable_reason(),
            Action::Zoom if !self.is_trace() => return self.split_unavailable_reason(),
            Action::HistoryBack if self.current == 0 => return Some("nothing before this"),
            Action::HistoryForward if self.current + 1 == self.history.len() => {
                return Some("nothing after this");
            }
            Action::NextTab | Action::PreviousTab if tabs < 2 && !is_beside => {
                return Some("there are no other tabs here");
            }
            Action::Instances if !self.is_token_page() => {
                return Some("only an address can be a token");
            }
            Action::Label | Action::Watch => {
                return self.focused_address().is_none().then_some("no address is here");
            }
            _ => {}
        }
        match tab_index(action).filter(|_| !is_beside) {
            Some(tab) if tab >= tabs => Some("there is no such tab here"),
            Some(tab) if tab == place.active => Some("this tab is shown already"),
            Some(_) => None,
            None => slot
                .pane
                .disabled_reason(action, &self.pane_context(place, slot, self.focused_area())),
        }
    }

    fn is_token_page(&self) -> bool {
        let link = self.current_entry().map(|place| &place.route);
        matches!(link, Some(Route::Target(TargetKind::Address(_)) | Route::Instances { .. }))
    }

    /// Says that the keys pressed mean nothing, and how to learn what does.
    pub(super) fn notify_unbound(&mut self, keys: &Chord) -> Vec<Effect> {
        let esc = keys.0.last().is_some_and(|key| *key == crate::msg::Key::ESC);
        if esc {
            // That only ends a chord.
            return Vec::new();
        }
        let has_help = self.key_contexts().contains(&KeyContext::Everywhere);
        let way = match &self.overlay {
            Some(Overlay::Help(_)) => "the keys are here",
            _ if has_help => "{help} shows the keys",
            _ => "{back} closes this",
        };
        let way = self.active_keys().expand(way);
        self.notify(&format!("{keys} is bound to nothing here; {way}"))
    }
}
