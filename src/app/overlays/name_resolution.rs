//! Resolves names: an input that is neither an address nor a hash is sent to the explorer, while the
//! prompt stays open.

use super::prompt::{PromptKind, PromptState};
use crate::api::{ApiError, Query, Reply, resolved_target};
use crate::app::{App, Overlay};
use crate::chain::target::{Target, TargetOrName};
use crate::msg::{Effect, PaneRequest, Priority, Ticket};
use crate::pane::Route;
use crate::sanitize::SafeText;

impl App {
    pub(in crate::app) fn go_to(&mut self, mut prompt: PromptState) -> Vec<Effect> {
        match prompt.parse_target() {
            Ok(TargetOrName::Target(target)) => self.go_to_target(&target),
            Ok(TargetOrName::Name(name)) => self.resolve_name(name, prompt),
            Err(reason) => {
                prompt.show_error(reason);
                self.open_overlay(Overlay::Prompt(prompt))
            }
        }
    }

    /// Opens the pasted text. A name is not sent before the user confirms it: it may be anything from
    /// the clipboard.
    pub(in crate::app) fn go_to_pasted(&mut self, text: &str) -> Vec<Effect> {
        let prompt = PromptState::new(PromptKind::GoTo, text);
        match prompt.parse_target() {
            Ok(TargetOrName::Name(_)) => self.open_overlay(Overlay::Prompt(prompt)),
            _ => self.go_to(prompt),
        }
    }

    /// Opens a target, on the chain that its link is about.
    fn go_to_target(&mut self, target: &Target) -> Vec<Effect> {
        let linked = target.chain.as_ref().filter(|c| !self.session().network.is_linked_by(c));
        let Some(linked) = linked else { return self.open_target(target) };
        if let Some(network) = self.chains.linked_network(linked) {
            self.warn_checksum(target.checksum_mismatch);
            return self.open_on_chain(network, Route::from(target));
        }
        let text = format!("no explorer is known for {linked} · opened on this chain");
        let effects = self.open_target(target);
        self.notify(&text);
        effects
    }

    pub(in crate::app) fn start_with_name(&mut self, name: SafeText) -> Vec<Effect> {
        let prompt = PromptState::new(PromptKind::GoTo, &name);
        [self.navigate(Route::Start), self.resolve_name(name, prompt)].concat()
    }

    fn resolve_name(&mut self, name: SafeText, mut prompt: PromptState) -> Vec<Effect> {
        let pane = self.nav.next_pane_id();
        let ticket = Ticket { chain: self.nav.chain(), pane, epoch: 0 };
        let cancel = prompt.cancel_resolution();
        prompt.await_resolution(ticket);
        self.open_overlay(Overlay::Prompt(prompt));
        let query = Query::Redirect(name);
        let priority = Priority::Interactive;
        let request = PaneRequest::Fetch { query, cursor: None, priority };
        cancel.into_iter().chain([Effect::Request { ticket, request }]).collect()
    }

    /// Opens the target of a name. Returns `None` if no prompt waits for this response.
    pub(in crate::app) fn on_name_resolved(
        &mut self,
        ticket: Ticket,
        reply: &Result<Reply, ApiError>,
    ) -> Option<Vec<Effect>> {
        let Some(Overlay::Prompt(prompt)) = &mut self.overlays.top else { return None };
        if prompt.pending != Some(ticket) {
            return None;
        }
        match resolved_target(prompt.text().trim(), reply) {
            Ok(target) => {
                self.overlays.top = None;
                Some(self.navigate_on(ticket.chain, Route::Target(target)))
            }
            Err(reason) => {
                prompt.show_error(reason);
                Some(Vec::new())
            }
        }
    }
}
