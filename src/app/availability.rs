//! Why a key does nothing: every key either acts or says so.

use std::borrow::Cow;

use super::layout::ABREAST;
use super::{App, Overlay, Part, tab_of};
use crate::chain::target::Subject;
use crate::keymap::{Chord, Context};
use crate::msg::{Action, Effect};
use crate::pane::Link;

impl App {
    /// Why an action would do nothing in the present place as things are; none when it does something.
    pub fn why_not(&self, action: Action) -> Option<Cow<'static, str>> {
        self.why_idle(action).map(|why| self.keys().sentence(why))
    }

    /// The same, before keys are named in it.
    pub(super) fn why_idle(&self, action: Action) -> Option<&'static str> {
        let place = self.place()?;
        let slot = self.focused()?;
        let is_beside = self.part() == Part::Side;
        let tabs = place.tabs.len();
        match action {
            Action::SidePane if self.size.width < ABREAST => {
                return Some("a second pane needs 160 columns");
            }
            // The user's own files are read again, whatever the pane does.
            Action::SidePane | Action::Refresh => return None,
            Action::OtherPane => return self.why_no_side(),
            Action::Zoom if !self.is_trace() => return self.why_no_side(),
            Action::HistoryBack if self.at == 0 => return Some("nothing before this"),
            Action::HistoryForward if self.at + 1 == self.places.len() => {
                return Some("nothing after this");
            }
            Action::NextTab | Action::PreviousTab if tabs < 2 && !is_beside => {
                return Some("there are no other tabs here");
            }
            Action::Instances if !self.is_at_token() => {
                return Some("only an address can be a token");
            }
            Action::Label | Action::Watch => {
                return self.address_here().is_none().then_some("no address is here");
            }
            _ => {}
        }
        match tab_of(action).filter(|_| !is_beside) {
            Some(tab) if tab >= tabs => Some("there is no such tab here"),
            Some(tab) if tab == place.active => Some("this tab is shown already"),
            Some(_) => None,
            None => slot.pane.why_not(action, &self.cx(place, slot, self.focused_area())),
        }
    }

    fn is_at_token(&self) -> bool {
        let link = self.place().map(|place| &place.link);
        matches!(link, Some(Link::Subject(Subject::Address(_)) | Link::Instances { .. }))
    }

    /// Says that the keys pressed mean nothing, and how to learn what does.
    pub(super) fn say_unbound(&mut self, keys: &Chord) -> Vec<Effect> {
        let esc = keys.0.last().is_some_and(|key| *key == crate::msg::Key::ESC);
        if esc {
            // That only ends a chord.
            return Vec::new();
        }
        let has_help = self.contexts().contains(&Context::Everywhere);
        let way = match &self.overlay {
            Some(Overlay::Help(_)) => "the keys are here",
            _ if has_help => "{help} shows the keys",
            _ => "{back} closes this",
        };
        let way = self.keys_on_top().sentence(way);
        self.say(&format!("{keys} is bound to nothing here; {way}"))
    }
}
