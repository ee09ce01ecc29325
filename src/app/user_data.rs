//! Labels, the watch list and recents of the user.

use std::sync::Arc;

use super::overlays::prompt::{PromptKind, PromptState};
use super::{App, Overlay};
use crate::app_message::{Effect, UserDataJob};
use crate::chain::Address;
use crate::chain::hash_abbreviation::abbreviate;
use crate::messages::notice::UserDataNotice;
use crate::messages::prompt::OverlayText;
use crate::pane::PaneEvent;
use crate::safety::name_marks::decorate;
use crate::sanitize::SafeText;
use crate::user_data::labels::{LabelEdit, LabelField, Labels, MAX_LABEL_CHARS};
use crate::user_data::recents::{RecentEntry, Recents, RecentsChange};

impl App {
    pub(super) fn load_user_data(&self) -> Vec<Effect> {
        self.sessions.load_user_data(self.nav.chain())
    }

    pub(super) fn remove_recent(&mut self, entry: RecentEntry) -> Vec<Effect> {
        let change = RecentsChange::Remove(entry);
        let effect = self.sessions.change_recents(self.nav.chain(), change);
        let effects = self.send_to_visible(|| PaneEvent::NamesChanged);
        effects.into_iter().chain(effect).collect()
    }

    pub(super) fn on_recents_loaded(
        &mut self,
        key: &str,
        loaded: &Result<Recents, SafeText>,
    ) -> Vec<Effect> {
        self.sessions.set_recents(key, loaded);
        self.send_to_visible(|| PaneEvent::NamesChanged)
    }

    /// Takes the labels of a chain. Reports rows that could not be read, once.
    pub(super) fn on_labels_loaded(
        &mut self,
        key: &str,
        loaded: Result<Arc<Labels>, SafeText>,
    ) -> Vec<Effect> {
        let labels = match loaded {
            Ok(labels) => labels,
            Err(reason) => return self.report_failure(&reason),
        };
        let has_new_problems = self.sessions.set_labels(key, &labels);
        let effects = self.send_to_visible(|| PaneEvent::NamesChanged);
        let problems = describe_label_problems(key, labels.problems());
        if let Some(text) = problems.filter(|_| has_new_problems) {
            self.warn(&text);
        }
        effects
    }

    /// Reports the change that was lost, and shows the labels as they are in the file.
    pub(super) fn on_label_not_saved(&mut self, key: String, why: &SafeText) -> Vec<Effect> {
        self.report_failure(why);
        vec![Effect::UserData(UserDataJob::LoadLabels(key))]
    }

    /// Returns the address under the cursor, or else the address of the focused pane.
    pub(super) fn focused_address(&self) -> Option<Address> {
        let (tab, cx) = self.pane(self.nav.focused_slot())?;
        tab.pane.address(&cx).or_else(|| self.nav.focused_address())
    }

    pub(super) fn prompt_for_label(&mut self) -> Vec<Effect> {
        let Some(address) = self.focused_address() else { return Vec::new() };
        let own = self.session().name_cache.labels().name(&address).cloned();
        let name = own.or_else(|| Some(self.labelled_lookalike(&address)?.1)).unwrap_or_default();
        let known = self.session().name_cache.short_name(&address).unwrap_or_default();
        let title = OverlayText::LabelTitle { name: &known, address: &abbreviate(&address) };
        let shown = title.to_string().replace("  ", " ");
        let prompt = PromptState::new(PromptKind::Label(address), &name);
        self.open_overlay(Overlay::Prompt(prompt.with_title(shown.into())))
    }

    /// Returns the labelled address that another one could be mistaken for, with its label.
    fn labelled_lookalike(&self, address: &Address) -> Option<(Address, SafeText)> {
        let (_, cx) = self.pane(self.nav.focused_slot())?;
        let labelled = cx.find_lookalike(address)?.known;
        let label = self.session().name_cache.labels().name(&labelled)?;
        Some((labelled, label.clone()))
    }

    pub(super) fn toggle_watch(&mut self) -> Vec<Effect> {
        let Some(address) = self.focused_address() else { return Vec::new() };
        let is_watched = self.session().name_cache.labels().is_watched(&address);
        self.edit_label(LabelEdit::watch(address, !is_watched))
    }

    pub(super) fn on_label_typed(
        &mut self,
        address: Address,
        mut prompt: PromptState,
    ) -> Vec<Effect> {
        if let Some(change) = LabelEdit::name(address, prompt.text()) {
            // The same label on both of two look-alikes is moved: it was on the wrong one.
            let moved = self
                .labelled_lookalike(&address)
                .filter(|(_, label)| change.field == LabelField::Name(Some(label.clone())));
            let removal = moved.and_then(|(labelled, _)| LabelEdit::name(labelled, ""));
            let mut effects = removal.map(|edit| self.edit_label(edit)).unwrap_or_default();
            effects.extend(self.edit_label(change));
            return effects;
        }
        let error = UserDataNotice::LongLabel { max: MAX_LABEL_CHARS };
        prompt.show_error(SafeText::new(&error.to_string()));
        self.open_overlay(Overlay::Prompt(prompt))
    }

    /// Changes a label, here and in the file.
    pub(super) fn edit_label(&mut self, change: LabelEdit) -> Vec<Effect> {
        self.session_mut().name_cache.edit_label(&change);
        let mut effects = self.send_to_visible(|| PaneEvent::NamesChanged);
        self.notify(&self.describe_label_edit(&change));
        let key = self.session().network.storage_key();
        effects.push(Effect::UserData(UserDataJob::EditLabel { key, change }));
        effects
    }

    fn describe_label_edit(&self, change: &LabelEdit) -> String {
        let (labels, short) = (self.session().name_cache.labels(), abbreviate(&change.address));
        let name = labels
            .decorated_name(&change.address)
            .map_or(short.clone(), |own| format!("{own} {short}"));
        let address = &*short;
        let notice = match &change.field {
            LabelField::Watched(true) => UserDataNotice::Watching { name: &name },
            LabelField::Watched(false) => UserDataNotice::StoppedWatching { name: &name },
            LabelField::Name(None) => UserDataNotice::LabelRemoved { address },
            LabelField::Name(Some(label)) => {
                let label = &*decorate(label);
                return if labels.has_unique_name(&change.address) {
                    UserDataNotice::Labelled { address, label }.to_string()
                } else {
                    UserDataNotice::LabelledTwice { address, label }.to_string()
                };
            }
        };
        notice.to_string()
    }
}

fn describe_label_problems(key: &str, problems: &[SafeText]) -> Option<String> {
    let notice = match problems {
        [] => return None,
        [first] => UserDataNotice::LabelProblem { key, first },
        [first, rest @ ..] => UserDataNotice::LabelProblems { key, first, more: rest.len() },
    };
    Some(notice.to_string())
}
