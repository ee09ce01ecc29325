//! Names: what is neither an address nor a hash is asked of the explorer, and the box where it was
//! typed stays until the answer is there.

use super::prompt::{PromptKind, PromptState};
use super::{App, Overlay};
use crate::api::{ApiError, Query, Reply};
use crate::chain::target::{Target, TargetKind, TargetOrName};
use crate::msg::{Effect, PaneId, PaneRequest, Priority, Ticket};
use crate::pane::Route;
use crate::sanitize::SafeText;

impl App {
    /// Follows what was typed into a box.
    pub(super) fn go_to(&mut self, mut field: PromptState) -> Vec<Effect> {
        match field.parse_target() {
            Ok(TargetOrName::Target(target)) => self.go_to_target(target),
            Ok(TargetOrName::Name(name)) => self.resolve_name(name, field),
            Err(why) => {
                field.show_error(why);
                self.open_overlay(Overlay::Prompt(field))
            }
        }
    }

    /// Follows what was pasted. A name is not asked for before the user says so: it may be anything
    /// that was on the clipboard, and the explorer would learn of it.
    pub(super) fn go_to_pasted(&mut self, text: &str) -> Vec<Effect> {
        let field = PromptState::new(PromptKind::GoTo, text);
        match field.parse_target() {
            Ok(TargetOrName::Name(_)) => self.open_overlay(Overlay::Prompt(field)),
            _ => self.go_to(field),
        }
    }

    /// Goes where a target points at, on the chain of the explorer that it names.
    fn go_to_target(&mut self, target: Target) -> Vec<Effect> {
        match &target.explorer {
            Some(explorer) if !self.session().network.has_explorer_at(explorer) => {
                self.warn_checksum(target.checksum_mismatch);
                self.open_on_chain(self.chains.network_at(explorer), Route::Target(target.kind))
            }
            _ => self.open_target(target),
        }
    }

    /// Opens a box with a name in it, and asks for that.
    pub(super) fn start_with_name(&mut self, name: SafeText) -> Vec<Effect> {
        let field = PromptState::new(PromptKind::GoTo, &name);
        [self.navigate(Route::Start), self.resolve_name(name, field)].concat()
    }

    fn resolve_name(&mut self, name: SafeText, mut field: PromptState) -> Vec<Effect> {
        self.next_pane_id += 1;
        let ticket =
            Ticket { chain: self.current_chain(), pane: PaneId(self.next_pane_id), epoch: 0 };
        let before = field.cancel_resolution();
        field.await_resolution(ticket);
        self.overlay = Some(Overlay::Prompt(field));
        let query = Query::Redirect(name);
        let priority = Priority::Interactive;
        let request = PaneRequest::Fetch { query, cursor: None, priority };
        let ask = Effect::Request { ticket, request };
        before.into_iter().chain([ask]).collect()
    }

    /// Goes where a name leads, if a box waits for that; none if none does.
    pub(super) fn on_name_resolved(
        &mut self,
        ticket: Ticket,
        reply: &Result<Reply, ApiError>,
    ) -> Option<Vec<Effect>> {
        let Some(Overlay::Prompt(field)) = &mut self.overlay else { return None };
        if !field.is_awaiting(ticket) {
            return None;
        }
        Some(match resolved_target(reply) {
            Ok(subject) => {
                self.overlay = None;
                self.navigate_on(ticket.chain, Route::Target(subject))
            }
            Err(why) => {
                field.show_error(why);
                Vec::new()
            }
        })
    }

    /// Nobody waits any more for what a box has asked for.
    pub(super) fn cancel_resolution(&mut self) -> Vec<Effect> {
        match &mut self.overlay {
            Some(Overlay::Prompt(field)) => field.cancel_resolution().into_iter().collect(),
            _ => Vec::new(),
        }
    }
}

/// Where a name leads, or in plain words why nowhere.
fn resolved_target(reply: &Result<Reply, ApiError>) -> Result<TargetKind, SafeText> {
    match reply {
        Ok(Reply::Redirect(redirect)) => redirect.target(),
        Ok(_) | Err(ApiError::Refused { status: 400 | 404 | 501, .. }) => {
            Err("this explorer does not resolve names: give an address or a hash".into())
        }
        Err(error) => Err(SafeText::new(&error.to_string())),
    }
}
