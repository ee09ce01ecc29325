//! The panels of a transaction's page: one below the other, or two side by side on a wide screen.

use std::borrow::Cow;

use ratatui::layout::Rect;

use crate::pane::PaneContext;
use crate::pane::addresses::labels::label_entries;
use crate::ui::document::{Document, DocumentEntry, EntryCell, EntryValue, Rule, RuleSplit};

/// Least width of the call of a transaction next to a list of calls.
const MIN_PAIR_COLUMNS: u16 = 150;
/// Columns between a divider and the panel after it.
const DIVIDER_GAP: u16 = 2;

pub(super) type CellLine = Vec<EntryCell>;

/// A part of the page, with a title in the rule above it.
pub(super) struct Panel {
    pub(super) title: Cow<'static, str>,
    pub(super) entries: Vec<DocumentEntry>,
}

impl Panel {
    /// Returns the entries below the rule.
    pub(super) fn below_rule(self) -> impl Iterator<Item = DocumentEntry> {
        [DocumentEntry::rule(self.title)].into_iter().chain(self.entries)
    }
}

/// Lines of two panels side by side.
pub(super) struct PanelPair {
    /// Column of the line between them.
    pub(super) middle: u16,
    pub(super) titles: [Cow<'static, str>; 2],
    pub(super) lines: [Vec<CellLine>; 2],
}

impl PanelPair {
    /// Places two panels, which were made for the halves of a page, side by side.
    pub(super) fn new(panels: [Panel; 2], cx: &PaneContext<'_>) -> Self {
        let middle = cx.area.width / 2;
        let right = middle + DIVIDER_GAP;
        let [left, other] = panels;
        let lines = |mut entries: Vec<DocumentEntry>, (x, columns)| {
            for entry in &mut entries {
                entry.mark = entry.address().and_then(|address| cx.address_mark(&address));
            }
            label_entries(&mut entries, cx.name_cache.labels());
            Document::cell_lines(entries, x, columns)
        };
        let titles = [left.title, other.title];
        let lines = [
            lines(left.entries, (0, middle.saturating_sub(1))),
            lines(other.entries, (right, cx.area.width.saturating_sub(right))),
        ];
        Self { middle, titles, lines }
    }

    /// Returns the lines of both between two rules.
    pub(super) fn entries(self) -> Vec<DocumentEntry> {
        let Self { middle, titles: [title, other], lines: [left, right] } = self;
        let split = |joint, title| RuleSplit { x: middle, joint, title };
        let begin = DocumentEntry::split_rule(title, split("┬", other));
        let end = DocumentEntry::split_rule("", split("┴", "".into()));
        let line = |n: usize| {
            let [left, right] = [&left, &right].map(|lines| lines.get(n).cloned());
            let divider = vec![EntryCell::divider(middle)];
            let cells = [left.unwrap_or_default(), divider, right.unwrap_or_default()].concat();
            DocumentEntry::new("", EntryValue::Cells(cells))
        };
        let lines = (0..left.len().max(right.len())).map(line);
        [begin].into_iter().chain(lines).chain([end]).collect()
    }
}

/// Returns `true` if the call of a transaction is next to a list of calls.
pub(super) fn is_wide(cx: &PaneContext<'_>) -> bool {
    cx.area.width >= MIN_PAIR_COLUMNS
}

/// Returns the context of a panel next to another.
pub(super) fn half<'a>(cx: &PaneContext<'a>) -> PaneContext<'a> {
    let width = (cx.area.width / 2).saturating_sub(DIVIDER_GAP);
    PaneContext { area: Rect { width, ..cx.area }, ..*cx }
}

/// Appends panels. A rule at their beginning takes the place of one at the end of what is there.
pub(super) fn append(entries: &mut Vec<DocumentEntry>, below: Vec<DocumentEntry>) {
    let mut panels = below.into_iter().peekable();
    if let Some(EntryValue::Rule(above)) = entries.last_mut().map(|entry| &mut entry.value)
        && let Some(EntryValue::Rule(below)) = panels.peek().map(|entry| &entry.value)
    {
        join_rules(above, below);
        panels.next();
    }
    entries.extend(panels);
}

/// Joins the rule at the end of a panel, which has no title, with the rule of the panel below.
fn join_rules(above: &mut Rule, below: &Rule) {
    above.title.clone_from(&below.title);
    let Some(begin) = &below.split else { return };
    match &mut above.split {
        Some(end) if end.x == begin.x => {
            *end = RuleSplit { joint: "┼", ..begin.clone() };
        }
        // A joint without a title is not needed.
        Some(_) if begin.title.is_empty() => {}
        split => *split = Some(begin.clone()),
    }
}

/// Divides entries into those that are shown, and closed folds with what they hide.
pub(super) fn split_folded(entries: Vec<DocumentEntry>) -> [Vec<DocumentEntry>; 2] {
    let mut hidden = u8::MAX;
    let is_shown = |entry: &DocumentEntry| {
        if entry.level > hidden {
            return false;
        }
        let is_closed = entry.open == Some(false);
        hidden = if is_closed { entry.level } else { u8::MAX };
        !is_closed
    };
    entries.into_iter().partition::<Vec<_>, _>(is_shown).into()
}
