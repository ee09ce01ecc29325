//! Names: what is neither an address nor a hash is asked of the explorer, and the box where it was
//! typed stays until the answer is there.

use super::prompt::{Field, Purpose};
use super::{App, Overlay};
use crate::api::{ApiError, Query, Reply};
use crate::chain::target::{Goal, Subject, Target};
use crate::msg::{Effect, PaneId, Ticket, Why};
use crate::pane::Link;
use crate::sanitize::Text;

impl App {
    /// Follows what was typed into a box.
    pub(super) fn go_to(&mut self, mut field: Field) -> Vec<Effect> {
        match field.goal() {
            Ok(Goal::Target(target)) => self.go_to_target(target),
            Ok(Goal::Name(name)) => self.ask_for(name, field),
            Err(why) => {
                field.refuse(why);
                self.lay_over(Overlay::Field(field))
            }
        }
    }

    /// Follows what was pasted. A name is not asked for before the user says so: it may be anything
    /// that was on the clipboard, and the explorer would learn of it.
    pub(super) fn go_to_pasted(&mut self, text: &str) -> Vec<Effect> {
        let field = Field::new(Purpose::GoTo, text);
        match field.goal() {
            Ok(Goal::Name(_)) => self.lay_over(Overlay::Field(field)),
            _ => self.go_to(field),
        }
    }

    /// Goes where a target points at, on the chain of the explorer that it names.
    fn go_to_target(&mut self, target: Target) -> Vec<Effect> {
        match &target.explorer {
            Some(explorer) if !self.chain().network.is_at(explorer) => {
                self.doubt(target.doubtful);
                self.open_on(self.chains.at(explorer), Link::Subject(target.subject))
            }
            _ => self.visit_target(target),
        }
    }

    /// Opens a box with a name in it, and asks for that.
    pub(super) fn start_with_name(&mut self, name: Text) -> Vec<Effect> {
        let field = Field::new(Purpose::GoTo, &name);
        [self.visit(Link::Start), self.ask_for(name, field)].concat()
    }

    fn ask_for(&mut self, name: Text, mut field: Field) -> Vec<Effect> {
        self.panes += 1;
        let ticket = Ticket { chain: self.here(), pane: PaneId(self.panes), epoch: 0 };
        let before = field.give_up().map(Effect::Cancel);
        field.wait_for(ticket);
        self.overlay = Some(Overlay::Field(field));
        let query = Query::Redirect(name);
        let ask = Effect::Fetch { ticket, query, cursor: None, why: Why::Asked };
        before.into_iter().chain([ask]).collect()
    }

    /// Goes where a name leads, if a box waits for that; none if none does.
    pub(super) fn resolved(
        &mut self,
        ticket: Ticket,
        reply: &Result<Reply, ApiError>,
    ) -> Option<Vec<Effect>> {
        let Some(Overlay::Field(field)) = &mut self.overlay else { return None };
        if !field.waits_for(ticket) {
            return None;
        }
        Some(match leads_to(reply) {
            Ok(subject) => {
                self.overlay = None;
                self.visit_on(ticket.chain, Link::Subject(subject))
            }
            Err(why) => {
                field.refuse(why);
                Vec::new()
            }
        })
    }

    /// Nobody waits any more for what a box has asked for.
    pub(super) fn give_up(&mut self) -> Vec<Effect> {
        match &mut self.overlay {
            Some(Overlay::Field(field)) => {
                field.give_up().map(Effect::Cancel).into_iter().collect()
            }
            _ => Vec::new(),
        }
    }
}

/// Where a name leads, or in plain words why nowhere.
fn leads_to(reply: &Result<Reply, ApiError>) -> Result<Subject, Text> {
    match reply {
        Ok(Reply::Redirect(redirect)) => redirect.subject(),
        Ok(_) | Err(ApiError::Refused { status: 400 | 404 | 501, .. }) => {
            Err("this explorer does not resolve names: give an address or a hash".into())
        }
        Err(error) => Err(Text::new(&error.to_string())),
    }
}
