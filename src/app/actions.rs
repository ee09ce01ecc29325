//! Carries out actions: in an overlay, in the panes or in the app itself, which reports here which of
//! its own can work now.

use url::Url;

use super::availability::{tab_availability, tab_index};
use super::overlays::help::HelpView;
use super::overlays::overlay::Overlay;
use super::overlays::prompt::{PromptKind, PromptState};
use super::overlays::request_log::RequestLogView;
use super::{App, PaneSlot};
use crate::action::Action;
use crate::api::ChainQuery;
use crate::api::transactions::TransactionOutcome;
use crate::app_message::{Effect, ExternalTool};
use crate::chain::BlockId;
use crate::chain::target::TargetKind;
use crate::messages::notice::{AppNotice, NoticeKind, with_keys};
use crate::messages::unavailable;
use crate::pane::availability::unsupported_reason;
use crate::pane::{Availability, Confirmation, PaneEvent, PaneKind, Route};

impl App {
    pub(super) fn act(&mut self, action: Action) -> Vec<Effect> {
        let is_second_interrupt = self.input.is_second_interrupt(action);
        match action {
            Action::Quit => vec![Effect::Quit],
            Action::Interrupt if is_second_interrupt => vec![Effect::Quit],
            Action::Suspend => vec![Effect::Suspend],
            Action::Redraw => vec![Effect::Redraw],
            Action::Mouse => self.toggle_mouse(),
            Action::ShowLastCopy if !matches!(&self.overlays.top, Some(Overlay::PlainText(_))) => {
                self.open_plain_text()
            }
            _ if self.overlays.top.is_some() => self.act_in_overlay(action),
            _ => self.act_in_page(action),
        }
    }

    fn act_in_page(&mut self, action: Action) -> Vec<Effect> {
        if action == Action::Refresh {
            self.restart_recovery();
        }
        let refusal = self.refusal(action);
        let mut effects = self.broadcast(action);
        match refusal {
            Some(reason) => {
                effects.extend(self.warn(&self.pane_keys().expand(reason).into_owned()));
            }
            None => effects.extend(self.dispatch(action)),
        }
        if action == Action::Refresh {
            if effects.iter().any(|effect| matches!(effect, Effect::Request { .. })) {
                self.show_notice(NoticeKind::Refresh, AppNotice::Refreshing.to_string());
            }
            effects.extend(self.load_user_data());
        }
        if action == Action::Interrupt {
            self.notify_with_keys(with_keys::STOPPED);
            effects.push(Effect::StopSaving);
            effects.extend(self.send_to_visible(|| PaneEvent::Interrupted));
        }
        effects
    }

    /// Performs an action in the panes other than the focused one that share it.
    fn broadcast(&mut self, action: Action) -> Vec<Effect> {
        let focused = self.nav.focused_slot();
        let visible = self.nav.visible_slots();
        let page = [PaneSlot::Header, self.nav.active_slot()];
        let slots: &[PaneSlot] = match action {
            Action::Interrupt => &visible,
            Action::Refresh if focused != PaneSlot::Preview => &page,
            _ => &[],
        };
        let mut effects = Vec::new();
        for slot in slots.iter().filter(|slot| **slot != focused) {
            if self.pane_availability(*slot, action) == Availability::Enabled {
                effects.extend(self.act_in_pane(*slot, action));
            }
        }
        effects
    }

    /// Carries out an action that is available, in the first part of the app that has it.
    fn dispatch(&mut self, action: Action) -> Vec<Effect> {
        let slot = self.nav.focused_slot();
        if self.split_availability(action) == Availability::Enabled {
            self.act_on_split(action)
        } else if self.pane_availability(slot, action) == Availability::Enabled {
            self.act_in_pane(slot, action)
        } else {
            self.act_in_app(action)
        }
    }

    fn act_in_app(&mut self, action: Action) -> Vec<Effect> {
        let (active, tabs) =
            self.nav.entry().map_or((0, 1), |entry| (entry.active, entry.tabs.len().max(1)));
        let page = self.nav.current;
        match action {
            Action::HistoryForward => self.go_to_page(page + 1),
            Action::Close if page == 0 => vec![Effect::Quit],
            Action::Back if self.nav.focused_slot() != self.nav.active_slot() => {
                self.nav.focus_list();
                Vec::new()
            }
            Action::Back | Action::HistoryBack | Action::Close => self.go_to_page(page - 1),
            Action::NextTab => self.switch_tab((active + 1) % tabs),
            Action::PreviousTab => self.switch_tab((active + tabs - 1) % tabs),
            Action::GoTo => self.open_go_to(""),
            Action::GoToHex => self.open_go_to("0"),
            Action::Token => self.open_token(),
            Action::Lists => self.open_lists(),
            Action::NextBlock | Action::PreviousBlock => self.step_block(action),
            Action::RevertOrigin => self.open_failure(),
            Action::OpenWeb => self.open_web(),
            // Labels and recents are reloaded in any view.
            Action::Refresh => self.notify(&AppNotice::LabelsReloaded),
            Action::Chains => self.open_chains(),
            Action::Label => self.prompt_for_label(),
            Action::Watch => self.toggle_watch(),
            Action::NextUnit => self.next_unit(),
            Action::NextTimes => self.next_times(),
            Action::CopyCommand => self.copy_command(),
            Action::Pager => self.open_external(ExternalTool::Pager),
            Action::Editor => self.open_external(ExternalTool::Editor),
            Action::Help => self.open_help(),
            Action::Palette => self.open_palette(),
            Action::ProjectNames => self.ask_for_project_names(),
            Action::Requests => self.open_overlay(Overlay::RequestLog(RequestLogView::default())),
            _ => match (ChainQuery::of_action(action), tab_index(action)) {
                (Some(list), _) => self.navigate(Route::List(list)),
                (None, Some(tab)) => self.switch_tab(tab),
                (None, None) => Vec::new(),
            },
        }
    }

    fn open_external(&mut self, viewer: ExternalTool) -> Vec<Effect> {
        self.run_pane(self.nav.content_slot(), |tab, cx| tab.pane.export(viewer, cx))
    }

    fn open_help(&mut self) -> Vec<Effect> {
        let availability_of = self.availabilities();
        let is_here = |action| availability_of(action) != Availability::Unsupported;
        let help = HelpView::new(&self.input.keymap, &self.pane_key_contexts(), is_here);
        drop(availability_of);
        self.open_overlay(Overlay::Help(help))
    }

    /// Returns the availability of an action of the page itself.
    pub(super) fn app_availability(&self, action: Action) -> Availability {
        match action {
            Action::Back => {
                let is_elsewhere = self.nav.focused_slot() != self.nav.active_slot();
                Availability::supported_if(self.nav.can_go(-1) || is_elsewhere)
            }
            Action::HistoryBack => Availability::supported_if(self.nav.can_go(-1)),
            Action::HistoryForward => Availability::supported_if(self.nav.can_go(1)),
            Action::Token => self.token_availability(),
            Action::Label | Action::Watch => {
                Availability::supported_if(self.focused_address().is_some())
            }
            Action::Console => Availability::enabled_if(
                self.session().network.endpoint.is_node(),
                unavailable::ONLY_NODES_PRINT,
            ),
            Action::OpenWeb => Availability::supported_if(self.web_page().is_some()),
            Action::ProjectNames => {
                Availability::supported_if(self.session().foreign_project.is_some())
            }
            Action::RevertOrigin => Availability::supported_if(self.failure_tab().is_some()),
            Action::NextBlock | Action::PreviousBlock => {
                Availability::supported_if(self.neighbor_block(action).is_some())
            }
            Action::Close
            | Action::GoTo
            | Action::GoToHex
            | Action::Transfers
            | Action::Blocks
            | Action::Transactions
            | Action::Tokens
            | Action::Lists
            | Action::Activity
            | Action::Refresh
            | Action::Chains
            | Action::NextUnit
            | Action::NextTimes
            | Action::CopyCommand
            | Action::Pager
            | Action::Editor
            | Action::Help
            | Action::Palette
            | Action::Requests => Availability::Enabled,
            _ if action.is_global() => Availability::Enabled,
            _ => match (self.nav.focused_slot(), self.nav.entry()) {
                (PaneSlot::Tab(_) | PaneSlot::Header, Some(entry)) => {
                    tab_availability(action, entry.active, entry.tabs.len())
                }
                _ => Availability::Unsupported,
            },
        }
    }

    /// Returns the availability of a token to open: the header of an address knows if there is none.
    fn token_availability(&self) -> Availability {
        if !self.nav.is_preview_focused()
            && let Availability::Disabled(reason) =
                self.pane_availability(PaneSlot::Header, Action::Token)
        {
            return Availability::Disabled(reason);
        }
        Availability::supported_if(self.nav.focused_address().is_some())
    }

    /// Returns the reason why no part of the page has an action.
    pub(super) fn unsupported_reason(&self, action: Action) -> &'static str {
        match action {
            Action::SwitchPane => self.split_unavailable_reason(),
            Action::Zoom if !self.nav.is_trace() => self.split_unavailable_reason(),
            Action::FocusHeader => unavailable::NO_HEADER,
            Action::Back => unavailable::FIRST_PAGE,
            Action::HistoryBack => unavailable::HISTORY_START,
            Action::HistoryForward => unavailable::HISTORY_END,
            Action::NextTab | Action::PreviousTab => unavailable::NO_OTHER_TABS,
            Action::Token => unavailable::NO_TOKEN,
            Action::Label | Action::Watch => unavailable::NO_ADDRESS,
            Action::OpenWeb => unavailable::NO_WEB_PAGE,
            Action::ProjectNames => unavailable::NO_PROJECT,
            Action::Gallery if self.nav.is_transaction() => unavailable::CHANGES_IN_TRACE,
            Action::RevertOrigin if self.nav.is_transaction() => unavailable::NO_FAILED_CALL,
            Action::NextBlock | Action::PreviousBlock => unavailable::NO_BLOCK,
            _ if tab_index(action).is_some() => unavailable::NO_SUCH_TAB,
            _ => unsupported_reason(action).unwrap_or(unavailable::NOT_HERE),
        }
    }

    pub(super) fn open_go_to(&mut self, text: &str) -> Vec<Effect> {
        self.open_overlay(Overlay::Prompt(PromptState::new(PromptKind::GoTo, text)))
    }

    /// Returns the number of the block after or before the page's.
    fn neighbor_block(&self, action: Action) -> Option<u64> {
        let Some(TargetKind::Block(block)) = self.nav.entry()?.route.target() else { return None };
        let number = self.session().name_cache.block_number(block)?;
        if action == Action::NextBlock { number.checked_add(1) } else { number.checked_sub(1) }
    }

    /// Shows the next or the previous block, on the same tab, instead of this one.
    fn step_block(&mut self, action: Action) -> Vec<Effect> {
        let Some(number) = self.neighbor_block(action) else { return Vec::new() };
        let route = Route::Target(TargetKind::Block(BlockId::Number(number)));
        let mut entry = self.nav.create_entry(route, self.nav.chain());
        entry.active = self.nav.entry().map_or(0, |entry| entry.active);
        let effects = self.hide_page();
        self.nav.replace(entry);
        [effects, self.step_to_page()].concat()
    }

    /// Returns the trace's tab if the transaction of the page failed, or a call of it.
    fn failure_tab(&self) -> Option<usize> {
        use TransactionOutcome::{Failed, OkInnerFailure};
        let (tab, outcome) = self.trace_tab()?;
        matches!(outcome, Failed | OkInnerFailure).then_some(tab)
    }

    /// Returns the trace's tab on the page of a known transaction, and the outcome of the transaction.
    pub(super) fn trace_tab(&self) -> Option<(usize, TransactionOutcome)> {
        let entry = self.nav.entry().filter(|_| !self.nav.is_preview_focused())?;
        let Some(TargetKind::Transaction(hash)) = entry.route.target() else { return None };
        let known = self.session().name_cache.transaction(&hash)?.parsed.as_ref().ok()?;
        let tab = entry.tabs.iter().position(|tab| tab.kind == PaneKind::Trace)?;
        Some((tab, known.outcome()))
    }

    /// Shows the call where the failure of the transaction began.
    fn open_failure(&mut self) -> Vec<Effect> {
        let Some(tab) = self.failure_tab() else { return Vec::new() };
        self.act_in_trace(tab, Action::RevertOrigin)
    }

    /// Opens the tab of the trace, and carries out an action of it there.
    pub(super) fn act_in_trace(&mut self, tab: usize, action: Action) -> Vec<Effect> {
        let effects = self.switch_tab(tab);
        [effects, self.send_event(PaneSlot::Tab(tab), PaneEvent::ActWhenLoaded(action))].concat()
    }

    /// Opens the token at an address, or the address of a token.
    fn open_token(&mut self) -> Vec<Effect> {
        let Some(token) = self.nav.focused_address() else { return Vec::new() };
        if !matches!(self.nav.focused_route(), Some(Route::Token(_))) {
            return self.navigate(Route::Token(token));
        }
        // From the token's page, the contract is wanted even without transactions.
        let route = Route::Target(TargetKind::Address(token));
        let mut entry = self.nav.create_entry(route, self.nav.chain());
        entry.seeks_rows = true;
        self.push_entry(entry)
    }

    pub(super) fn web_page(&self) -> Option<Url> {
        let target = self.nav.focused_route().and_then(Route::target)?;
        self.session().network.web_page(&target)
    }

    /// Prompts before the browser is opened.
    fn open_web(&mut self) -> Vec<Effect> {
        let Some(url) = self.web_page() else { return Vec::new() };
        self.open_overlay(Overlay::Confirm(Confirmation::open(url)))
    }
}
