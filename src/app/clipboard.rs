//! Copied texts: the command of a view, the outcome of a copy, and a view of it for terminals without a clipboard.

use super::navigation::location::Location;
use super::overlays::CopiedText;
use super::overlays::plain_text_view::PlainTextView;
use super::{App, Overlay};
use crate::action::Action;
use crate::app_message::{CopyOutcome, Effect, Multiplexer};
use crate::chain::hash_abbreviation::abbreviate;
use crate::chain::target::{Target, TargetKind};
use crate::messages::notice::{AppNotice, with_keys};
use crate::messages::prompt;
use crate::pane::{Availability, Command, PaneKind, Route, RowCount};
use crate::sanitize::SafeText;
use crate::ui::format::width;

/// Maximum columns of a copied text that its notice has in full.
const MAX_SHOWN_COLUMNS: usize = 24;

impl App {
    /// Copies the command that opens the focused pane, or the nearest earlier page that has one.
    pub(super) fn copy_command(&mut self) -> Vec<Effect> {
        let pages = self.nav.entries.iter().take(self.nav.current);
        let earlier = pages.rev().find_map(Location::from_entry);
        let focused = self.nav.focused_route().zip(self.nav.tab(self.nav.content_slot()));
        let here = focused.and_then(|(route, tab)| Location::from_route(route, tab));
        let (what, mut location) = match (here, earlier) {
            (Some(here), _) => ("command", here),
            (None, Some(earlier)) => (prompt::PREVIOUS_VIEW_COMMAND, earlier),
            (None, None) => return self.notify(&AppNotice::NoCommand),
        };
        let layout = self.display.chosen_list_view();
        location.params.layout = layout.filter(|_| location.tab.is_some_and(PaneKind::has_cards));
        let command = location.command(&self.session().network, &self.chains);
        // Without a tab, the contract of a token may open on the token's page, and an address without
        // transactions on another tab.
        let names = &self.session().name_cache;
        let is_of_token = matches!(location.route, Route::Target(TargetKind::Address(address)) if names.is_token(&address));
        let is_empty = self
            .nav
            .active_tab()
            .is_some_and(|tab| tab.pane.row_count(tab.kind) == Some(RowCount::Exactly(0)));
        let opens_elsewhere = is_of_token || is_empty && location.tab.is_some();
        let is_first = opens_elsewhere && location.tab == Some(PaneKind::Transactions);
        let tab = if is_first {
            ["", "--tab", PaneKind::Transactions.name()].join(" ")
        } else {
            String::new()
        };
        let text = SafeText::new(&[command, tab, self.display.format_args()].concat());
        vec![Effect::Copy { what, text }]
    }

    /// Shows the last copied text, or else the text that the copy key would copy.
    pub(super) fn open_plain_text(&mut self) -> Vec<Effect> {
        if let Some(copied) = self.overlays.last_copied.clone() {
            return self.show_plain_text(copied);
        }
        let slot = self.nav.focused_slot();
        let mut commands = Vec::new();
        if self.pane_availability(slot, Action::CopyCell) == Availability::Enabled {
            let copy = self.with_pane(slot, |tab, cx| tab.pane.act(Action::CopyCell, cx));
            commands = copy.unwrap_or_default();
        }
        let mut effects = Vec::new();
        for command in commands {
            effects.extend(match command {
                Command::Effect(Effect::Copy { what, text }) => {
                    self.show_plain_text(CopiedText { what, text })
                }
                // A warning comes first here too.
                other => self.apply_commands(slot, vec![other]),
            });
        }
        if self.overlays.top.is_none() && self.notice.is_none() {
            self.notify(&AppNotice::NothingCopied);
        }
        effects
    }

    fn show_plain_text(&mut self, copied: CopiedText) -> Vec<Effect> {
        let view = PlainTextView::new(copied.what, copied.text, self.display.size);
        self.open_overlay(Overlay::PlainText(view))
    }

    fn on_copy_failed(&mut self, what: &'static str, reason: &SafeText) -> Vec<Effect> {
        let copied = self.overlays.last_copied.clone().filter(|copied| copied.what == what);
        if let Some(copied) = copied.filter(|_| self.overlays.top.is_none()) {
            self.show_plain_text(copied);
        }
        self.report_failure(&AppNotice::CopyFailed { what, why: reason })
    }

    /// Describes a copied text: with all of a short line, or the ends of an address or a hash.
    fn describe_copied(&self, what: &'static str) -> String {
        let copied = self.overlays.last_copied.as_ref().filter(|copied| copied.what == what);
        let is_hash = |text: &str| matches!(text.len(), 42 | 66) && text.parse::<Target>().is_ok();
        let is_short = |text: &str| width(text) <= MAX_SHOWN_COLUMNS && !text.contains('\n');
        match copied.map(|copied| &*copied.text) {
            Some(text) if is_hash(text) => format!("{what} {}", abbreviate(&text)),
            Some(text) if is_short(text) => format!("{what} {text}"),
            _ => what.to_owned(),
        }
    }

    pub(super) fn on_copied(&mut self, what: &'static str, outcome: &CopyOutcome) -> Vec<Effect> {
        let copied = self.describe_copied(what);
        let shows = &*self.pane_keys().expand(with_keys::SHOWS_COPY).into_owned();
        let sent = |through| AppNotice::SentThrough { what: &copied, through, shows };
        let notice = match outcome {
            CopyOutcome::Clipboard => {
                return self.notify(&AppNotice::Copied { what: &copied });
            }
            CopyOutcome::Failed(reason) => return self.on_copy_failed(what, reason),
            CopyOutcome::Terminal(Multiplexer::None) => {
                AppNotice::CopiedUnconfirmed { what: &copied, shows }
            }
            CopyOutcome::Terminal(Multiplexer::Tmux) => return self.warn(&sent("tmux")),
            CopyOutcome::Terminal(Multiplexer::Screen) => return self.warn(&sent("GNU screen")),
        };
        self.notify(&notice)
    }
}
