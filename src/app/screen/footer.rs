//! The footer: a notification or key hints, and the position in the focused pane.

use ratatui::layout::Rect;
use strum::IntoEnumIterator;

use crate::action::Action;
use crate::app::App;
use crate::app::overlays::overlay::Overlay;
use crate::chain::target::TargetKind;
use crate::keymap::{Chord, Lookup};
use crate::messages::notice::NoticeKind;
use crate::pane::{Availability, ListView, Route, TypedMatches};
use crate::sanitize::SafeText;
use crate::ui::format::width;

/// Columns between two keys.
const HINT_GAP: u16 = 2;
/// Columns before the first key, as before the title.
pub(super) const FOOTER_MARGIN: u16 = 1;
/// Columns of the screen for each key of a page: more would be a list to search. On small screens there
/// are as many as fit.
const COLUMNS_PER_HINT: u16 = 13;
const MIN_PAGE_HINTS: usize = 6;

/// A key on the footer, with its action.
#[derive(Debug, Clone)]
pub(in crate::app) struct KeyHint {
    action: Action,
    pub(in crate::app) chord: Chord,
    pub(in crate::app) label: &'static str,
    pub(in crate::app) is_enabled: bool,
}

impl KeyHint {
    fn width(&self) -> u16 {
        let columns = width(&self.chord.to_string()) + 1 + width(self.label);
        u16::try_from(columns).unwrap_or(u16::MAX)
    }
}

/// Returns the columns of hints in a line.
fn hints_width<'a>(hints: impl IntoIterator<Item = &'a KeyHint>) -> u16 {
    let widths = hints.into_iter().map(|hint| hint.width().saturating_add(HINT_GAP));
    widths.fold(0, u16::saturating_add).saturating_sub(HINT_GAP)
}

impl App {
    /// The keys of the focused view, or those that continue the chord typed so far.
    fn key_hints(&self) -> Vec<KeyHint> {
        if self.input.shows_which_key {
            return self.back_hint();
        }
        let contexts = self.key_contexts();
        let availability_of = self.availabilities();
        let mut hints: Vec<KeyHint> = Vec::new();
        for action in Action::iter() {
            let label = self.hint_label(action);
            if label.is_empty() {
                continue;
            }
            let Some(chord) = self.input.keymap.chord_for(&contexts, action) else { continue };
            // A nearer context may use the same keys otherwise.
            let is_bound = self.input.keymap.lookup(&contexts, &chord.0) == Lookup::Action(action);
            let rest = chord.0.strip_prefix(self.input.pending());
            let Some(rest) = rest.filter(|_| is_bound) else { continue };
            let availability = availability_of(action);
            if availability != Availability::Unsupported {
                let is_enabled = availability == Availability::Enabled;
                hints.push(KeyHint { action, chord: Chord(rest.to_vec()), label, is_enabled });
            }
        }
        let hints = group_hints(&hints);
        if self.overlays.top.is_some() || !self.input.pending().is_empty() {
            return hints;
        }
        self.select_page_hints(hints)
    }

    /// Returns the key that ends a chord, whose other keys are in a box.
    fn back_hint(&self) -> Vec<KeyHint> {
        let action = Action::Back;
        let chord = self.input.keymap.chord_for(&self.key_contexts(), action).cloned();
        let hint = |chord| KeyHint { action, chord, label: action.hint(), is_enabled: true };
        chord.map(hint).into_iter().collect()
    }

    fn hint_label(&self, action: Action) -> &'static str {
        let here = match &self.overlays.top {
            Some(_) if action == Action::Open && self.is_search_invalid() => Some(""),
            Some(overlay) => overlay.hint(action),
            None if action == Action::Gallery && self.display.list_view == ListView::Gallery => {
                Some("table")
            }
            None if action == Action::Token => Some(self.token_hint()),
            None if action == Action::Refresh && self.has_failed() => Some("retry"),
            None => self
                .split_hint(action)
                .or_else(|| self.nav.entry()?.tab(self.nav.focused_slot())?.pane.hint(action)),
        };
        here.unwrap_or(action.hint())
    }

    /// Returns `true` if the search that is being typed cannot be carried out.
    fn is_search_invalid(&self) -> bool {
        let Some(Overlay::Prompt(prompt)) = &self.overlays.top else { return false };
        let tab = self.nav.tab(self.nav.focused_slot()).filter(|_| prompt.kind.searches_page());
        let matches = tab.and_then(|tab| tab.pane.typed_matches());
        matches!(matches, Some(TypedMatches::Invalid(_)))
    }

    /// Names the page that a token's address has, and the reverse. Other addresses have none, as far as is
    /// known.
    fn token_hint(&self) -> &'static str {
        let route = self.nav.entry().map(|entry| &entry.route);
        match route {
            Some(Route::Token(_)) => "address",
            Some(Route::Target(TargetKind::Address(address)))
                if !self.nav.is_preview_focused()
                    && self.session().name_cache.is_token(address) =>
            {
                "token page"
            }
            _ => "",
        }
    }

    /// Returns `true` if the focused pane has nothing to show because a request failed.
    fn has_failed(&self) -> bool {
        let pane = self.pane(self.nav.focused_slot());
        pane.is_some_and(|(tab, cx)| tab.pane.reported_failure(&cx).is_some())
    }

    fn select_page_hints(&self, mut hints: Vec<KeyHint>) -> Vec<KeyHint> {
        let has_failed = self.has_failed();
        // In a list, a search or a filter comes off first.
        let back = self.pane_availability(self.nav.focused_slot(), Action::Back);
        let clears = self.nav.is_list() && back == Availability::Enabled;
        let rank = |hint: &KeyHint| match hint.action {
            Action::Refresh if has_failed => Some(0),
            Action::NextMatch => Some(1),
            Action::Back if clears => Some(2),
            action => action.page_rank().map(|at| at + 3),
        };
        let help =
            hints.iter().position(|hint| hint.action == Action::Help).map(|at| hints.remove(at));
        // Keys that a line of a transaction lacks are dim: the others stay in place.
        let is_of_line = |hint: &KeyHint| {
            self.nav.has_folds()
                && !has_failed
                && matches!(hint.action, Action::Open | Action::Toggle)
        };
        let is_zoom = |hint: &KeyHint| matches!(hint.action, Action::ZoomIn | Action::ZoomOut);
        hints.retain(|hint| {
            rank(hint).is_some() && (hint.is_enabled || is_of_line(hint) || is_zoom(hint))
        });
        hints.sort_by_key(rank);
        // The help is one of them.
        let most = usize::from(self.display.size.width / COLUMNS_PER_HINT).max(MIN_PAGE_HINTS);
        hints.truncate(most - 1);
        hints.extend(help);
        hints
    }

    /// Returns the hints that fit before the text at the right end, with their areas, and the area of the
    /// text. A long report leaves space for the help; a failure is not cut.
    pub(in crate::app) fn lay_out_footer(&self, footer: Rect) -> (Vec<(Rect, KeyHint)>, Rect) {
        let mut hints = self.key_hints();
        let least = hints_width(hints.iter().filter(|hint| hint.action == Action::Help));
        let is_quiet = |kind| matches!(kind, NoticeKind::Report | NoticeKind::Refresh);
        let is_report = self.notice.as_ref().is_none_or(|notice| is_quiet(notice.kind));
        let most = match footer.width.saturating_sub(1) {
            width if is_report => width.saturating_sub(least + HINT_GAP).max(width / 5 * 3),
            width => width,
        };
        let text = u16::try_from(width(&self.footer_text())).unwrap_or(u16::MAX).min(most);
        let right = footer.right().saturating_sub(1);
        let text = Rect { x: right.saturating_sub(text), width: text, ..footer };
        // A notification stands apart.
        let left = footer.x + FOOTER_MARGIN;
        let end = if text.width == 0 { footer.right() } else { text.x.saturating_sub(HINT_GAP) };
        while hints_width(&hints) > end.saturating_sub(left) {
            let other = hints.iter().rposition(|hint| hint.action != Action::Help);
            hints.remove(other.unwrap_or(0));
        }
        let mut x = left;
        let mut place = |hint: KeyHint| {
            let area = Rect { x, width: hint.width(), ..footer };
            x = area.right() + HINT_GAP;
            (area, hint)
        };
        (hints.into_iter().map(&mut place).collect(), text)
    }

    /// Returns the right end of the footer: a notification, or the position.
    pub(in crate::app) fn footer_text(&self) -> SafeText {
        self.notice().cloned().unwrap_or_else(|| self.position_text())
    }

    /// Returns the position in the focused pane, unless its frame shows it.
    fn position_text(&self) -> SafeText {
        let is_framed = self.layout().body.frame.height > 0;
        let slot = self.nav.focused_slot();
        let Some((tab, cx)) = self.pane(slot).filter(|_| !is_framed) else {
            return SafeText::default();
        };
        let status = tab.pane.status(&cx);
        match self.progress_text(slot) {
            Some(progress) => SafeText::new(&format!("{progress} · {status}")),
            None => status,
        }
    }
}

/// Replaces the chords that copy by their first key.
fn group_hints(hints: &[KeyHint]) -> Vec<KeyHint> {
    let first_key =
        |hint: &KeyHint| hint.chord.0.first().filter(|_| hint.chord.0.len() > 1).copied();
    let copy_key = hints.iter().find(|hint| hint.action == Action::CopyCell).and_then(first_key);
    let mut grouped: Vec<KeyHint> = Vec::new();
    for hint in hints {
        let prefix = first_key(hint).filter(|key| Some(*key) == copy_key);
        let chord = prefix.map_or_else(|| hint.chord.clone(), |key| Chord(vec![key]));
        match grouped.iter_mut().find(|known| known.chord == chord) {
            Some(known) => known.is_enabled |= hint.is_enabled,
            None => grouped.push(KeyHint { chord, ..hint.clone() }),
        }
    }
    grouped
}
