//! What lies on top of the place and has the keys.

use ratatui::Frame;

use super::field::{Field, Purpose};
use super::filters::Filters;
use super::help::Help;
use super::palette::{self, Choice};
use super::picker::Picker;
use super::print::Print;
use super::requests::Inspector;
use super::{App, chain_list, confirm};
use crate::chain::network::Network;
use crate::msg::{Action, Effect};
use crate::pane::Confirm;

/// Something on top of the place.
#[derive(Debug)]
pub(super) enum Overlay {
    Field(Field),
    Filters(Filters),
    Confirm(Confirm),
    Help(Help),
    Picker(Picker, Picking),
    Requests(Inspector),
    Print(Print),
}

/// What a picker's entries stand for, in their order.
#[derive(Debug)]
pub(super) enum Picking {
    /// What can be done, or gone to.
    Palette(Vec<Choice>),
    /// Chains to switch to.
    Chains(Vec<Network>),
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
            Some(Overlay::Picker(picker, _)) => picker.act(action, self.size),
            _ => false,
        };
        if !taken && action == Action::Open {
            return self.accept();
        }
        if taken {
            return Vec::new();
        }
        let effects = self.give_up();
        self.overlay = None;
        effects
    }

    /// Ranks the entries of a picker again after something was typed.
    pub(super) fn sift(&mut self) {
        if let Some(Overlay::Picker(picker, Picking::Palette(_))) = &self.overlay
            && let Some(chain) = palette::chain_asked(picker.text()).map(ToOwned::to_owned)
        {
            self.open_chains();
            if let Some(Overlay::Picker(picker, _)) = &mut self.overlay {
                picker.paste(&chain);
            }
        }
        if let Some(Overlay::Picker(picker, picking)) = &mut self.overlay {
            match picking {
                Picking::Palette(choices) => palette::sift(picker, choices),
                Picking::Chains(_) => chain_list::sift(picker, &self.chains),
            }
        }
    }

    /// The user says yes to what is on top.
    fn accept(&mut self) -> Vec<Effect> {
        let part = self.part();
        match self.overlay.take() {
            None | Some(Overlay::Help(_) | Overlay::Requests(_) | Overlay::Print(_)) => Vec::new(),
            Some(Overlay::Confirm(confirm)) => confirm.effect.into_iter().collect(),
            Some(Overlay::Picker(picker, Picking::Palette(choices))) => {
                self.pick_choice(picker, choices)
            }
            Some(Overlay::Picker(picker, Picking::Chains(networks))) => {
                self.pick_chain(picker, networks)
            }
            Some(Overlay::Filters(filters)) => {
                let query = filters.query;
                let wants =
                    self.with(part, |slot, cx| slot.pane.requery(query, cx)).unwrap_or_default();
                self.grant(part, wants)
            }
            Some(Overlay::Field(field)) => match field.purpose {
                Purpose::GoTo => self.go_to(field),
                Purpose::Label(address) => self.named(address, field),
                Purpose::Pane(prompt) => {
                    let entered =
                        self.with(part, |slot, cx| slot.pane.entered(prompt, field.text(), cx));
                    self.grant(part, entered.unwrap_or_default())
                }
            },
        }
    }

    /// Draws what is on top.
    pub(super) fn draw_overlay(&self, frame: &mut Frame<'_>) {
        let screen = frame.area();
        let buf = frame.buffer_mut();
        match &self.overlay {
            None => {}
            Some(Overlay::Help(help)) => {
                if let Some(at) = help.view(screen, buf, &self.styles) {
                    frame.set_cursor_position(at);
                }
            }
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
            Some(Overlay::Picker(picker, _)) => {
                let at = picker.view(screen, buf, &self.styles);
                frame.set_cursor_position(at);
            }
        }
    }
}
