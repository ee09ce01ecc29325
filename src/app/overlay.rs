//! What lies on top of the place and has the keys.

use ratatui::Frame;

use super::field::{Field, Purpose};
use super::filters::Filters;
use super::help::Help;
use super::print::Print;
use super::requests::Inspector;
use super::{App, Part, confirm};
use crate::msg::{Action, Effect};
use crate::pane::Confirm;

/// Something on top of the place.
#[derive(Debug)]
pub(super) enum Overlay {
    Field(Field),
    Filters(Filters),
    Confirm(Confirm),
    Help(Help),
    Requests(Inspector),
    Print(Print),
}

impl App {
    pub(super) fn act_in_overlay(&mut self, action: Action) -> Vec<Effect> {
        if let Some(effects) = self.inspect(action) {
            return effects;
        }
        let taken = match &mut self.overlay {
            Some(Overlay::Help(help)) => help.act(action, self.size),
            Some(Overlay::Print(print)) => print.act(action, self.size),
            Some(Overlay::Filters(filters)) => filters.act(action),
            _ => false,
        };
        if !taken && action == Action::Open {
            return self.accept();
        }
        if !taken {
            self.overlay = None;
        }
        Vec::new()
    }

    /// The user says yes to what is on top.
    fn accept(&mut self) -> Vec<Effect> {
        let part = Part::Tab(self.place().map_or(0, |place| place.active));
        match self.overlay.take() {
            None | Some(Overlay::Help(_) | Overlay::Requests(_) | Overlay::Print(_)) => Vec::new(),
            Some(Overlay::Confirm(confirm)) => confirm.effect.into_iter().collect(),
            Some(Overlay::Filters(filters)) => {
                let query = filters.query;
                let wants =
                    self.with(part, |slot, cx| slot.pane.requery(query, cx)).unwrap_or_default();
                self.grant(part, wants)
            }
            Some(Overlay::Field(field)) => match field.purpose {
                Purpose::GoTo => self.go_to(field),
                Purpose::Pane(prompt) => {
                    let entered =
                        self.with(part, |slot, cx| slot.pane.entered(prompt, field.text(), cx));
                    self.grant(part, entered.unwrap_or_default())
                }
            },
        }
    }

    fn go_to(&mut self, mut field: Field) -> Vec<Effect> {
        match field.target(&self.network) {
            Ok(target) => self.visit_target(target),
            Err(why) => {
                field.refuse(why);
                self.overlay = Some(Overlay::Field(field));
                Vec::new()
            }
        }
    }

    /// Draws what is on top.
    pub(super) fn draw_overlay(&self, frame: &mut Frame<'_>) {
        let screen = frame.area();
        let buf = frame.buffer_mut();
        match &self.overlay {
            None => {}
            Some(Overlay::Help(help)) => help.view(screen, buf, &self.styles),
            Some(Overlay::Print(print)) => print.view(screen, buf, &self.styles),
            Some(Overlay::Requests(inspector)) => {
                inspector.view(screen, buf, &self.styles, &self.requests);
            }
            Some(Overlay::Filters(filters)) => filters.view(screen, buf, &self.styles),
            Some(Overlay::Confirm(confirm)) => confirm::view(confirm, screen, buf, &self.styles),
            Some(Overlay::Field(field)) => {
                let at = field.view(screen, buf, &self.styles);
                frame.set_cursor_position(at);
            }
        }
    }
}
