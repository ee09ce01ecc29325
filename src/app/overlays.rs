//! What lies on top of the place has the keys, and is drawn last.

use ratatui::Frame;

use super::overlay::{Overlay, Picking};
use super::prompt::Purpose;
use super::{App, chain_list, confirm, palette};
use crate::msg::{Action, Effect};

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
        let (screen, keys) = (frame.area(), self.keys_on_top());
        let buf = frame.buffer_mut();
        match &self.overlay {
            None => {}
            Some(Overlay::Help(help)) => {
                if let Some(at) = help.view(screen, buf, &self.styles, keys) {
                    frame.set_cursor_position(at);
                }
            }
            Some(Overlay::Print(print)) => print.view(screen, buf, &self.styles, keys),
            Some(Overlay::Requests(inspector)) => {
                inspector.view(screen, buf, (&self.styles, keys), &self.requests);
            }
            Some(Overlay::Filters(filters)) => filters.view(screen, buf, &self.styles, keys),
            Some(Overlay::Confirm(confirm)) => {
                confirm::view(confirm, screen, buf, &self.styles, keys);
            }
            Some(Overlay::Field(field)) => {
                let at = field.view(screen, buf, &self.styles, self.keys());
                frame.set_cursor_position(at);
            }
            Some(Overlay::Picker(picker, _)) => {
                let at = picker.view(screen, buf, &self.styles);
                frame.set_cursor_position(at);
            }
        }
    }

    /// Moves in the list of requests, or copies one; none when the action is for somebody else.
    fn inspect(&mut self, action: Action) -> Option<Vec<Effect>> {
        let Some(Overlay::Requests(inspector)) = &mut self.overlay else { return None };
        if action == Action::CopyRequest {
            let text = inspector.command(&self.requests)?;
            return Some(vec![Effect::Copy { what: "request", text }]);
        }
        inspector.act(action, self.size, &self.requests).then(Vec::new)
    }
}
