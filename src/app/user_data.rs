//! What is the user's own: names of addresses, the watch list, and the places visited lately.

use super::prompt::{PromptKind, PromptState};
use super::{App, Overlay};
use crate::chain::Address;
use crate::chain::abbreviate::abbreviate;
use crate::chain::network::Endpoint;
use crate::chain::target::TargetKind;
use crate::msg::{ChainIndex, Effect};
use crate::pane::{PaneEvent, Route};
use crate::safety::label_marks::decorate;
use crate::sanitize::SafeText;
use crate::user_data::labels::{LabelEdit, LabelField, Labels, MAX_LABEL_CHARS};
use crate::user_data::recents::{RecentEntry, Recents, RecentsChange};

/// The places of a chain that were visited lately.
#[derive(Debug, Default)]
pub(super) struct RecentsState {
    pub(super) recents: Recents,
    /// Why they are not kept.
    pub(super) error: Option<SafeText>,
}

impl App {
    /// Reads what is the user's own of the present chain.
    pub(super) fn load_user_data(&self) -> Vec<Effect> {
        self.load_user_data_of(self.current_chain())
    }

    /// Reads what is the user's own of a chain.
    pub(super) fn load_user_data_of(&self, chain: ChainIndex) -> Vec<Effect> {
        let key = self.sessions.at(chain).network.storage_key();
        let visits = self.persists_recents(chain).then(|| Effect::LoadRecents(key.clone()));
        [Effect::LoadLabels(key)].into_iter().chain(visits).collect()
    }

    /// On the demo chain they are remembered until the end only.
    fn persists_recents(&self, chain: ChainIndex) -> bool {
        self.records_recents && self.sessions.at(chain).network.endpoint != Endpoint::Embedded
    }

    /// Remembers that a place was visited.
    pub(super) fn record_recent(&mut self, chain: ChainIndex, link: &Route) -> Vec<Effect> {
        let visit = link.recent_entry().filter(|_| self.records_recents);
        visit
            .map(|visit| self.apply_recents_change(chain, RecentsChange::Add(visit)))
            .unwrap_or_default()
    }

    /// Remembers, or forgets, a visit.
    fn apply_recents_change(&mut self, at: ChainIndex, step: RecentsChange) -> Vec<Effect> {
        let keeps = self.persists_recents(at);
        let chain = self.sessions.at_mut(at);
        chain.recents.recents.apply(step);
        let kept = keeps.then(|| Effect::UpdateRecents { key: chain.network.storage_key(), step });
        kept.into_iter().collect()
    }

    /// Forgets a visit, at the user's word.
    pub(super) fn remove_recent(&mut self, visit: RecentEntry) -> Vec<Effect> {
        let effects = self.apply_recents_change(self.current_chain(), RecentsChange::Remove(visit));
        self.broadcast_labels_changed();
        effects
    }

    /// Knows the visits that were kept, or why they are not.
    pub(super) fn on_recents_loaded(
        &mut self,
        key: &str,
        visits: &Result<Recents, SafeText>,
    ) -> Vec<Effect> {
        for chain in self.sessions.with_key(key).filter(|_| self.records_recents) {
            match visits {
                Ok(visits) => {
                    chain.recents = RecentsState { recents: visits.clone(), error: None };
                }
                Err(why) => chain.recents.error = Some(why.clone()),
            }
        }
        self.broadcast_labels_changed();
        Vec::new()
    }

    /// Knows the user's labels. What cannot be read of them is told once.
    pub(super) fn on_labels_loaded(
        &mut self,
        key: &str,
        labels: Result<Box<Labels>, SafeText>,
    ) -> Vec<Effect> {
        let labels = match labels {
            Ok(labels) => *labels,
            Err(why) => return self.notify(&format!("trouble with your labels: {why}")),
        };
        let mut news = None;
        for chain in self.sessions.with_key(key) {
            let known = chain.name_cache.labels();
            if labels.problems() != known.problems() {
                news = describe_label_problems(key, labels.problems());
            }
            if labels != *known {
                chain.name_cache.set_labels(labels.clone());
            }
        }
        self.broadcast_labels_changed();
        news.map(|words| self.notify(&words)).unwrap_or_default()
    }

    /// What is on the screen shows what is the user's own as it is now.
    fn broadcast_labels_changed(&mut self) {
        self.send_to_visible(|| PaneEvent::LabelsChanged);
    }

    /// The address under the cursor, or else the one that the place is about.
    pub(super) fn focused_address(&self) -> Option<Address> {
        let slot = self.focused_tab()?;
        let cx = self.pane_context(self.current_entry()?, slot, self.focused_area());
        let under = slot.pane.address(&cx);
        under.or_else(|| match self.focused_route()? {
            Route::Target(TargetKind::Address(address)) => Some(*address),
            Route::Instances { token, .. } => Some(*token),
            _ => None,
        })
    }

    /// Lets the user name the address under the cursor.
    pub(super) fn prompt_for_label(&mut self) -> Vec<Effect> {
        let Some(address) = self.focused_address() else {
            return self.notify("no address is here");
        };
        let name = self.session().name_cache.labels().name(&address).cloned().unwrap_or_default();
        self.open_overlay(Overlay::Prompt(PromptState::new(PromptKind::Label(address), &name)))
    }

    /// Watches the address under the cursor, or watches it no more.
    pub(super) fn toggle_watch(&mut self) -> Vec<Effect> {
        let Some(address) = self.focused_address() else {
            return self.notify("no address is here");
        };
        let watched = self.session().name_cache.labels().is_watched(&address);
        self.edit_label(LabelEdit::watch(address, !watched))
    }

    /// The user typed a name.
    pub(super) fn on_label_typed(
        &mut self,
        address: Address,
        mut field: PromptState,
    ) -> Vec<Effect> {
        if let Some(change) = LabelEdit::name(address, field.text()) {
            return self.edit_label(change);
        }
        field
            .show_error(SafeText::new(&format!("a name has at most {MAX_LABEL_CHARS} characters")));
        self.open_overlay(Overlay::Prompt(field))
    }

    /// Changes what the user says of an address, here and in the file.
    pub(super) fn edit_label(&mut self, change: LabelEdit) -> Vec<Effect> {
        self.session_mut().name_cache.edit_label(&change);
        self.broadcast_labels_changed();
        self.notify(&self.describe_label_edit(&change));
        vec![Effect::EditLabel { key: self.session().network.storage_key(), change }]
    }

    /// What came of a change.
    fn describe_label_edit(&self, change: &LabelEdit) -> String {
        let (labels, short) = (self.session().name_cache.labels(), abbreviate(&change.address));
        let who = labels
            .decorated_name(&change.address)
            .map_or(short.clone(), |own| format!("{own} {short}"));
        match &change.field {
            LabelField::Watched(true) => format!("{who} is watched: it stands on the start screen"),
            LabelField::Watched(false) => format!("{who} is not watched any more"),
            LabelField::Name(None) => format!("{short} has no name of yours any more"),
            LabelField::Name(Some(name)) if labels.has_unique_name(&change.address) => {
                format!("{short} is {} from now on", decorate(name))
            }
            LabelField::Name(Some(name)) => {
                format!("{short} is {} from now on, as another address is", decorate(name))
            }
        }
    }
}

/// What is wrong with a file of labels.
fn describe_label_problems(key: &str, problems: &[SafeText]) -> Option<String> {
    let (first, rest) = problems.split_first()?;
    let more = match rest.len() {
        0 => String::new(),
        n => format!(", and {n} more"),
    };
    Some(format!("labels/{key}.csv: {first}{more}"))
}
