//! What lies on top of the place has the keys, and is drawn last.

use ratatui::Frame;

use super::overlay::{Overlay, PickerItems};
use super::prompt::PromptKind;
use super::{App, chain_list, confirm, palette};
use crate::msg::{Action, Effect};
use crate::pane::PaneEvent;

impl App {
    pub(super) fn act_in_overlay(&mut self, action: Action) -> Vec<Effect> {
        if let Some(effects) = self.act_in_request_log(action) {
            return effects;
        }
        let taken = match &mut self.overlay {
            Some(Overlay::Help(help)) => help.act(action, self.size),
            Some(Overlay::PlainText(print)) => print.act(action, self.size),
            Some(Overlay::Filters(filters)) => filters.act(action),
            Some(Overlay::Picker(picker, _)) => picker.act(action, self.size),
            _ => false,
        };
        if !taken && action == Action::Open {
            return self.accept_overlay();
        }
        if taken {
            return Vec::new();
        }
        let effects = self.cancel_resolution();
        self.overlay = None;
        effects
    }

    /// Ranks the entries of a picker again after something was typed.
    pub(super) fn refilter_picker(&mut self) {
        if let Some(Overlay::Picker(picker, PickerItems::Palette(_))) = &self.overlay
            && let Some(chain) = palette::parse_chain_query(picker.text()).map(ToOwned::to_owned)
        {
            self.open_chains();
            if let Some(Overlay::Picker(picker, _)) = &mut self.overlay {
                picker.paste(&chain);
            }
        }
        if let Some(Overlay::Picker(picker, picking)) = &mut self.overlay {
            match picking {
                PickerItems::Palette(choices) => palette::refilter(picker, choices),
                PickerItems::Chains(_) => chain_list::refilter(picker, &self.chains),
            }
        }
    }

    /// The user says yes to what is on top.
    fn accept_overlay(&mut self) -> Vec<Effect> {
        let part = self.focused_slot();
        match self.overlay.take() {
            None | Some(Overlay::Help(_) | Overlay::RequestLog(_) | Overlay::PlainText(_)) => {
                Vec::new()
            }
            Some(Overlay::Confirm(confirm)) => confirm.effect.into_iter().collect(),
            Some(Overlay::Picker(picker, PickerItems::Palette(choices))) => {
                self.pick_item(picker, choices)
            }
            Some(Overlay::Picker(picker, PickerItems::Chains(networks))) => {
                self.pick_chain(picker, networks)
            }
            Some(Overlay::Filters(filters)) => {
                self.send_event(part, PaneEvent::QueryChosen(filters.query))
            }
            Some(Overlay::Prompt(field)) => match field.kind {
                PromptKind::GoTo => self.go_to(field),
                PromptKind::Label(address) => self.on_label_typed(address, field),
                PromptKind::Pane(prompt) => {
                    self.send_event(part, PaneEvent::Prompt { prompt, text: field.text() })
                }
            },
        }
    }

    /// Draws what is on top.
    pub(super) fn draw_overlay(&self, frame: &mut Frame<'_>) {
        let (screen, keys) = (frame.area(), self.active_keys());
        let buf = frame.buffer_mut();
        match &self.overlay {
            None => {}
            Some(Overlay::Help(help)) => {
                if let Some(at) = help.view(screen, buf, &self.styles, keys) {
                    frame.set_cursor_position(at);
                }
            }
            Some(Overlay::PlainText(print)) => print.view(screen, buf, &self.styles, keys),
            Some(Overlay::RequestLog(inspector)) => {
                inspector.view(screen, buf, (&self.styles, keys), &self.request_log);
            }
            Some(Overlay::Filters(filters)) => filters.view(screen, buf, &self.styles, keys),
            Some(Overlay::Confirm(confirm)) => {
                confirm::view(confirm, screen, buf, &self.styles, keys);
            }
            Some(Overlay::Prompt(field)) => {
                let at = field.view(screen, buf, &self.styles, self.pane_keys());
                frame.set_cursor_position(at);
            }
            Some(Overlay::Picker(picker, _)) => {
                let at = picker.view(screen, buf, &self.styles);
                frame.set_cursor_position(at);
            }
        }
    }

    /// Moves in the list of requests, or copies one; none when the action is for somebody else.
    fn act_in_request_log(&mut self, action: Action) -> Option<Vec<Effect>> {
        let Some(Overlay::RequestLog(inspector)) = &mut self.overlay else { return None };
        if action == Action::CopyRequest {
            let text = inspector.curl_command(&self.request_log)?;
            return Some(vec![Effect::Copy { what: "request", text }]);
        }
        inspector.act(action, self.size, &self.request_log).then(Vec::new)
    }
}
