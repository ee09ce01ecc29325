//! Overlays get keys before the page, and are drawn on top of it.
//!
//! There is at most one: a picker, a prompt, a menu, the help, a question or a text. `overlay` has
//! their kinds, and each file one of them with its keys, its drawing and the effect of a choice. A prompt
//! that a pane has opened passes its text back to that pane.

mod chain_list;
mod completion;
mod confirm;
mod explorer_search;
pub(super) mod filter_menu;
mod found_place;
pub(super) mod help;
mod name_match;
mod name_resolution;
pub(super) mod overlay;
mod palette;
mod picker;
pub(super) mod plain_text_view;
pub(super) mod prompt;
mod prompt_search;
pub(super) mod request_log;
mod text_input;
pub(super) mod theme_chooser;
pub(super) mod which_key;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use super::App;
use super::requests::ledger::{Owner, PaneId};
use crate::action::Action;
use crate::app_message::Effect;
use crate::pane::{PaneEvent, PanePrompt};
use crate::sanitize::SafeText;
use crate::ui::theme::Styles;
use overlay::{Overlay, PickerItems};
use prompt::{PromptKind, PromptProgress, PromptState};

const MAX_RECENT_ACTIONS: usize = 8;
const MAX_EARLIER_SEARCHES: usize = 50;

/// A copied text, with its name in notifications.
#[derive(Debug, Clone)]
pub(super) struct CopiedText {
    pub(super) what: &'static str,
    pub(super) text: SafeText,
}

#[derive(Debug, Default)]
pub(super) struct Overlays {
    pub(super) top: Option<Overlay>,
    /// The prompt that was accepted last, with the pane that had the focus. Its text may still be refused.
    accepted: Option<(PaneId, PromptState)>,
    /// The actions that were run from the palette, the latest first.
    pub(super) recent_actions: Vec<Action>,
    pub(super) last_copied: Option<CopiedText>,
    /// The searches and filters of this session, the latest last.
    pub(super) earlier_searches: Vec<(PromptKind, String)>,
    /// The typed search that the focused pane knows.
    typed_search: Option<String>,
}

impl Overlays {
    /// Closes a prompt or a menu that a pane has opened.
    pub(super) fn close_pane_prompt(&mut self) {
        let is_of_pane = match &self.top {
            Some(Overlay::Prompt(prompt)) => matches!(prompt.kind, PromptKind::Pane(_)),
            Some(Overlay::Filters(_)) => true,
            _ => false,
        };
        if is_of_pane {
            self.top = None;
        }
    }

    pub(super) fn record_action(&mut self, action: Action) {
        self.recent_actions.retain(|recent| *recent != action);
        self.recent_actions.insert(0, action);
        self.recent_actions.truncate(MAX_RECENT_ACTIONS);
    }

    fn record_search(&mut self, kind: PromptKind, text: &str) {
        let search = (kind, text.trim().to_owned());
        if !kind.searches_page() || search.1.is_empty() {
            return;
        }
        self.earlier_searches.retain(|earlier| *earlier != search);
        self.earlier_searches.push(search);
        let extra = self.earlier_searches.len().saturating_sub(MAX_EARLIER_SEARCHES);
        self.earlier_searches.drain(..extra);
    }

    pub(super) fn track_copies(&mut self, effects: &[Effect]) {
        for effect in effects {
            if let Effect::Copy { what, text } = effect {
                self.last_copied = Some(CopiedText { what, text: text.clone() });
            }
        }
    }
}

impl App {
    /// Carries out an action in the overlay. An action that the overlay does not have closes it.
    pub(super) fn act_in_overlay(&mut self, action: Action) -> Vec<Effect> {
        let size = self.display.size;
        let is_handled = match &mut self.overlays.top {
            Some(Overlay::Help(help)) => help.act(action, size),
            Some(Overlay::PlainText(text)) => text.act(action, size),
            Some(Overlay::Filters(filters)) => filters.act(action),
            Some(Overlay::Picker(picker, _)) => picker.act(action, size),
            Some(Overlay::Prompt(prompt)) => prompt.search.act(action),
            Some(Overlay::RequestLog(log)) if action == Action::CopyRequest => {
                let text = log.curl_command(&self.request_log);
                let copy = text.map(|text| Effect::Copy { what: "request", text });
                return copy.into_iter().collect();
            }
            Some(Overlay::RequestLog(log)) => log.act(action, size, &self.request_log),
            _ => false,
        };
        match (is_handled, action) {
            (true, _) => self.load_more_results(),
            (false, Action::Open) => self.accept_overlay(),
            (false, _) => {
                self.overlays.top = None;
                Vec::new()
            }
        }
    }

    pub(super) fn refilter_picker(&mut self) {
        if let Some(Overlay::Picker(picker, PickerItems::Palette(_))) = &self.overlays.top
            && let Some(chain) = palette::parse_chain_query(picker.input.text())
        {
            let chain = chain.to_owned();
            self.open_chains();
            if let Some(Overlay::Picker(picker, _)) = &mut self.overlays.top {
                picker.input.paste(&chain);
            }
        }
        match self.overlays.top.take() {
            Some(Overlay::Picker(mut picker, mut items)) => {
                match &mut items {
                    PickerItems::Palette(items) => self.refilter_palette(&mut picker, items),
                    PickerItems::Chains(_) => chain_list::refilter(&mut picker, &self.chains),
                }
                self.overlays.top = Some(Overlay::Picker(picker, items));
            }
            top => self.overlays.top = top,
        }
    }

    fn accept_overlay(&mut self) -> Vec<Effect> {
        let slot = self.nav.focused_slot();
        match self.overlays.top.take() {
            None | Some(Overlay::Help(_) | Overlay::RequestLog(_) | Overlay::PlainText(_)) => {
                Vec::new()
            }
            Some(Overlay::Confirm(confirm)) => confirm.effect.into_iter().collect(),
            Some(Overlay::Picker(picker, PickerItems::Palette(choices))) => {
                self.pick_item(*picker, choices)
            }
            Some(Overlay::Picker(picker, PickerItems::Chains(networks))) => {
                self.pick_chain(*picker, networks)
            }
            Some(Overlay::Filters(filters)) => {
                self.send_event(slot, PaneEvent::QueryChosen(filters.query))
            }
            Some(Overlay::Prompt(prompt_state)) => match prompt_state.kind {
                PromptKind::GoTo => match prompt_state.search.selected_route() {
                    Some(route) => self.navigate(route),
                    None => self.go_to(prompt_state),
                },
                PromptKind::Label(address) => self.on_label_typed(address, prompt_state),
                PromptKind::Pane(prompt) => {
                    self.overlays.record_search(prompt_state.kind, prompt_state.text());
                    let text = prompt_state.text().to_owned();
                    self.overlays.accepted = self.nav.tab(slot).map(|tab| (tab.id, prompt_state));
                    self.send_event(slot, PaneEvent::Prompt { prompt, text: &text })
                }
            },
        }
    }

    /// Opens the last prompt again, with the reason why its text was refused. The reason is a notification if the
    /// user is elsewhere by now.
    pub(super) fn refuse_prompt(&mut self, refused: &[PanePrompt], why: &SafeText) -> Vec<Effect> {
        let focused = self.nav.tab(self.nav.focused_slot()).map(|tab| tab.id);
        let is_refused = |(pane, prompt): &mut (PaneId, PromptState)| {
            let is_kind = |kind: &PanePrompt| prompt.kind == PromptKind::Pane(*kind);
            Some(*pane) == focused && refused.iter().any(is_kind)
        };
        let is_free = self.overlays.top.is_none();
        match self.overlays.accepted.take_if(|accepted| is_free && is_refused(accepted)) {
            Some((_, mut prompt)) => {
                self.notice = None;
                prompt.show_error(why.clone());
                self.open_overlay(Overlay::Prompt(prompt))
            }
            None => self.report_failure(why),
        }
    }

    /// Passes the text of a search to the pane while it is typed.
    pub(super) fn sync_typed_search(&mut self) -> Vec<Effect> {
        let search = match &self.overlays.top {
            Some(Overlay::Prompt(prompt)) => prompt.typed_search(),
            _ => None,
        };
        if search == self.overlays.typed_search.as_deref() {
            return Vec::new();
        }
        let typed = search.map(str::to_owned);
        self.overlays.typed_search.clone_from(&typed);
        self.send_event(self.nav.focused_slot(), PaneEvent::SearchTyped(typed.as_deref()))
    }

    /// Returns the lines at the bottom of the page that a box there covers as a whole: the details of a row, and
    /// the edge below them.
    fn covered_lines(&self) -> u16 {
        let pane = self.pane(self.nav.focused_slot());
        1 + pane.map_or(0, |(tab, cx)| tab.pane.details_height(&cx))
    }

    /// Draws the overlay, and returns the position of its cursor.
    pub(super) fn draw_overlay(&self, buf: &mut Buffer) -> Option<Position> {
        let (screen, keys) = (buf.area, self.active_keys());
        let styles = &self.display.styles;
        let mut cursor = None;
        let dims_page = self.overlays.top.as_ref().is_some_and(Overlay::dims_page);
        if dims_page && !self.display.themes.is_previewing() {
            dim_page(Rect { height: self.layout().footer.y, ..screen }, buf, styles);
        }
        match &self.overlays.top {
            None => {}
            Some(Overlay::Help(help)) => cursor = help.view(screen, buf, styles, keys),
            Some(Overlay::Prompt(prompt)) => {
                let is_asking = self.ledger.is_busy(Owner::GoTo);
                let slot = self.nav.focused_slot();
                let matches = self.nav.tab(slot).and_then(|tab| tab.pane.typed_matches());
                let (next_retry, covered_lines) = (self.next_retry(), self.covered_lines());
                let progress = PromptProgress { is_asking, next_retry, matches, covered_lines };
                cursor = Some(prompt.view(screen, buf, (styles, self.pane_keys()), &progress));
            }
            Some(Overlay::Picker(picker, _)) => cursor = Some(picker.view(screen, buf, styles)),
            Some(Overlay::PlainText(text)) => text.view(screen, buf, styles),
            Some(Overlay::RequestLog(log)) => {
                log.view(screen, buf, (styles, &self.display.format), &self.request_log);
            }
            Some(Overlay::Filters(filters)) => filters.view(screen, buf, styles),
            Some(Overlay::Confirm(confirm)) => confirm::view(confirm, screen, buf, styles, keys),
        }
        cursor.map(Position::from)
    }
}

/// Dims the page below an overlay.
pub(super) fn dim_page(page: Rect, buf: &mut Buffer, styles: &Styles) {
    for at in page.positions() {
        if let Some(cell) = buf.cell_mut(at) {
            cell.set_style(styles.below_popup(cell.style()));
        }
    }
}
