//! One call on one line.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::call_labels::{CallFormatter, CallLabel, Confidence};
use super::gas::{abbreviate_gas, gas_bar, gas_share};
use crate::chain::amount::group_digits;
use crate::trace::{CallFrame, CallKind, CallOutcome, CallTree, VisibleFrames};
use crate::ui::format::{cut, width};
use crate::ui::theme::{Role, Styles};

/// Indentation is not wider; deeper calls say how deep they are.
const MAX_INDENT_COLUMNS: usize = 24;
/// A label keeps at least so many columns.
const MIN_LABEL_COLUMNS: usize = 16;

/// What rows are drawn with.
pub(super) struct CallPainter<'a> {
    pub(super) formatter: CallFormatter<'a>,
    pub(super) visible: &'a VisibleFrames,
    pub(super) styles: &'a Styles,
    /// Gas in percent of the caller's, not of the root's.
    pub(super) share_of_parent: bool,
    /// Columns a level.
    pub(super) indent: u16,
    /// From the outermost failure down to where it began.
    pub(super) revert_path: &'a [u32],
    /// The selected call.
    pub(super) selected: u32,
    /// Whether a call is what was searched for.
    pub(super) is_hit: &'a dyn Fn(u32) -> bool,
    /// Whether a delegatecall is drawn in the row of its proxy.
    pub(super) is_merged: &'a dyn Fn(u32) -> bool,
}

/// Which columns of numbers there is room for.
struct RowColumns {
    full_gas: bool,
    own_gas: bool,
    bar_width: usize,
    percent: bool,
}

impl RowColumns {
    fn new(width: u16) -> Self {
        let (full_gas, own, bar, percent) = match width {
            130.. => (true, true, 8, true),
            110..130 => (true, false, 8, true),
            96..110 => (true, false, 6, false),
            60..96 => (false, false, 4, false),
            _ => (false, false, 0, false),
        };
        Self { full_gas, own_gas: own, bar_width: bar, percent }
    }
}

/// Pieces of a line with their styles.
type StyledPieces = Vec<(String, Style)>;

impl CallPainter<'_> {
    /// Draws a call on the first line of `area`.
    pub(super) fn draw_row(&self, number: u32, area: Rect, buf: &mut Buffer) {
        let Some(frame) = self.formatter.tree.get(number) else { return };
        let outcome = self.formatter.tree.outcome(number).unwrap_or(CallOutcome::Succeeded);
        let mut pieces = self.number_pieces(number, frame, outcome, area.width);
        let used: usize = pieces.iter().map(|(text, _)| width(text)).sum();
        let room = usize::from(area.width).saturating_sub(used);
        pieces.extend(self.line(number, frame, outcome, room));
        let mut x = area.x;
        for (text, style) in pieces {
            let left = usize::from(area.right().saturating_sub(x));
            (x, _) = buf.set_stringn(x, area.y, cut(&text, left), left, style);
        }
    }

    fn number_pieces(
        &self,
        number: u32,
        frame: &CallFrame,
        outcome: CallOutcome,
        room: u16,
    ) -> StyledPieces {
        let columns = RowColumns::new(room);
        let dim = self.styles.of(Role::Dim);
        let plain = if outcome == CallOutcome::RolledBack { dim } else { Style::new() };
        let gas = match (frame.gas_used(), columns.full_gas) {
            (None, true) => format!("{:>10}", "?"),
            (None, false) => format!("{:>5}", "?"),
            (Some(used), true) => format!("{:>10}", group_digits(&used.to_string())),
            (Some(used), false) => format!("{:>5}", abbreviate_gas(used)),
        };
        let (mark, look) = self.gutter_mark(number);
        let mut pieces = vec![
            (format!("{mark:<1}"), self.styles.of(look)),
            (tree_prefix(self.formatter.tree, self.indent, number), dim),
            (self.fold_mark(number).to_owned() + " ", Style::new()),
            (format!("{:<4}", frame.kind.abbreviation()), self.kind_style(frame.kind, outcome)),
            (gas, plain),
        ];
        if columns.own_gas {
            pieces.push((format!("{:>10}", own_gas(frame)), dim));
        }
        if columns.bar_width > 0 {
            let whole = self.formatter.tree.get(0).and_then(CallFrame::gas_used);
            pieces.push((
                format!(" {}", gas_bar(frame, whole, columns.bar_width)),
                self.styles.of(Role::Value),
            ));
        }
        if columns.percent {
            pieces.push((
                format!("{:>5}", gas_share(self.formatter.tree, number, self.share_of_parent)),
                plain,
            ));
        }
        pieces.push((format!(" {} ", outcome.symbol()), self.outcome_style(outcome)));
        pieces
    }

    /// Whether a call is on the way to where a revert began, or is what was searched for.
    fn gutter_mark(&self, number: u32) -> (&'static str, Role) {
        match (self.revert_path.contains(&number), (self.is_hit)(number)) {
            (true, _) => ("✗", Role::Failed),
            (false, true) => ("»", Role::Match),
            (false, false) => ("", Role::Plain),
        }
    }

    fn fold_mark(&self, number: u32) -> &'static str {
        let has_children = self.formatter.tree.end(number) > number.saturating_add(1);
        match (has_children, self.visible.is_expanded(number)) {
            (false, _) => "·",
            (true, true) => "▾",
            (true, false) => "▸",
        }
    }

    fn line(
        &self,
        number: u32,
        frame: &CallFrame,
        outcome: CallOutcome,
        room: usize,
    ) -> StyledPieces {
        let called = self.call_label(number);
        let (carried, back) =
            (self.formatter.call_value(number).unwrap_or_default(), self.result_text(number));
        let must = if frame.failed() { room / 2 } else { 0 };
        let label = called.line();
        let spare = room.saturating_sub(width(&label).max(MIN_LABEL_COLUMNS) + width(&carried) + 3);
        let back_room =
            width(&back).min(spare.max(must).min(room.saturating_sub(MIN_LABEL_COLUMNS)));
        // A few columns of an answer say nothing.
        let shown = if back_room < 4.min(width(&back)) { "".into() } else { cut(&back, back_room) };
        let back = &*shown;
        let right = match (carried.is_empty(), back.is_empty()) {
            (false, false) => width(&carried) + 2 + width(back),
            _ => width(&carried) + width(back),
        };
        let label_room = room.saturating_sub(right + usize::from(right > 0));
        let label = cut(&label, label_room).into_owned();
        let gap = room.saturating_sub(width(&label) + right);
        let mut pieces = vec![(label, self.label_style(number, &called, outcome))];
        pieces.push((" ".repeat(gap), Style::new()));
        let between = if carried.is_empty() || back.is_empty() { "" } else { "  " };
        pieces.push((carried, self.value_style(frame)));
        pieces.push((between.to_owned(), Style::new()));
        pieces.push((back.to_owned(), self.result_style(number, frame, outcome)));
        pieces
    }

    /// The call, and what the proxy in the same row hands it on to.
    fn call_label(&self, number: u32) -> CallLabel {
        let called = self.formatter.call_label(number);
        let next = number.saturating_add(1);
        if !(self.is_merged)(next) {
            return called;
        }
        let behind = self.formatter.call_label(next);
        CallLabel { target: [&*called.target, " ", &behind.target].concat(), ..behind }
    }

    /// What came back; of a folded call, what it hides.
    fn result_text(&self, number: u32) -> String {
        let folded = !self.visible.is_expanded(number);
        let hides = self.formatter.tree.end(number) > number.saturating_add(1);
        let back = self.formatter.result_text(number);
        if folded && hides { format!("{}  {back}", self.folded_badge(number)) } else { back }
    }

    /// What a folded call hides: calls, failures, value, and its share of the gas.
    fn folded_badge(&self, number: u32) -> String {
        let (tree, sum) = (self.formatter.tree, self.formatter.tree.subtree_totals(number));
        let below = sum.calls.saturating_sub(1);
        let noun = if below == 1 { "call" } else { "calls" };
        let mut parts = vec![format!("{} {noun}", group_digits(&below.to_string()))];
        let failed = sum.failed - usize::from(tree.get(number).is_some_and(CallFrame::failed));
        if failed > 0 {
            parts.push(format!("{failed}✗"));
        }
        match sum.value_moved {
            Some(wei) if wei.is_zero() => {}
            Some(wei) => parts.push(self.formatter.coin_amount(wei)),
            None => parts.push("? value".into()),
        }
        match &*gas_share(tree, number, self.share_of_parent) {
            "—" | "?" => {}
            share => parts.push(format!("{share} gas")),
        }
        format!("({})", parts.join(" · "))
    }

    fn kind_style(&self, kind: CallKind, outcome: CallOutcome) -> Style {
        if outcome == CallOutcome::RolledBack {
            return self.styles.of(Role::Dim);
        }
        self.styles.of(match kind {
            CallKind::Call | CallKind::Reward => Role::Plain,
            CallKind::StaticCall => Role::Accent,
            CallKind::DelegateCall | CallKind::CallCode => Role::Delegate,
            CallKind::Create | CallKind::Create2 => Role::Value,
            CallKind::SelfDestruct | CallKind::Other => Role::Failed,
        })
    }

    fn outcome_style(&self, outcome: CallOutcome) -> Style {
        self.styles.of(outcome_role(outcome))
    }

    fn label_style(&self, number: u32, called: &CallLabel, outcome: CallOutcome) -> Style {
        let style = match (outcome, called.confidence) {
            (CallOutcome::RolledBack, _) | (_, Confidence::Unknown) => self.styles.of(Role::Dim),
            (_, Confidence::Guess) => Style::new().add_modifier(Modifier::ITALIC),
            (_, Confidence::Certain) => Style::new(),
        };
        let to =
            |f: u32| self.formatter.tree.get(f).map(|f| self.formatter.tree.body.prefix(f.to, 64));
        let same = number != self.selected
            && to(number).is_some_and(|t| !t.is_empty())
            && to(number) == to(self.selected);
        if same { style.add_modifier(Modifier::UNDERLINED) } else { style }
    }

    fn value_style(&self, frame: &CallFrame) -> Style {
        if frame.is_committed() {
            self.styles.of(Role::Value)
        } else {
            self.styles.of(Role::Dim).add_modifier(Modifier::CROSSED_OUT)
        }
    }

    fn result_style(&self, number: u32, frame: &CallFrame, outcome: CallOutcome) -> Style {
        match (frame.failed(), self.visible.is_expanded(number)) {
            (true, _) => self.outcome_style(outcome),
            (false, false) => self.styles.of(Role::Title),
            (false, true) => self.styles.of(Role::Dim),
        }
    }
}

/// The column, from the first, in which a call has the mark of its fold.
pub(super) fn fold_mark_column(tree: &CallTree, step: u16, number: u32) -> usize {
    // The gutter stands before it.
    1 + width(&tree_prefix(tree, step, number))
}

/// The lines that lead to a call from those above it.
fn tree_prefix(tree: &CallTree, step: u16, number: u32) -> String {
    let step = usize::from(step);
    let depth = tree.get(number).map_or(0, |frame| usize::from(frame.depth));
    if depth == 0 {
        return String::new();
    }
    let is_last = |f: u32| tree.parent(f).is_none_or(|parent| tree.end(f) == tree.end(parent));
    if depth * step > MAX_INDENT_COLUMNS {
        let text = format!("⋯{depth}");
        let elbow = if is_last(number) { "└" } else { "├" };
        return format!("{text:<width$}{elbow}", width = MAX_INDENT_COLUMNS.saturating_sub(step));
    }
    let mut levels: Vec<String> = std::iter::once(if is_last(number) { "└" } else { "├" })
        .map(|elbow| elbow.to_owned() + &" ".repeat(step.saturating_sub(2)))
        .collect();
    // The root's own level has no line.
    for above in tree.ancestors(number).take(depth.saturating_sub(1)) {
        let line = if is_last(above) { " " } else { "│" };
        levels.push(format!("{line:<step$}"));
    }
    levels.reverse();
    levels.concat()
}

/// Returns the style role of an outcome.
pub fn outcome_role(outcome: CallOutcome) -> Role {
    match outcome {
        CallOutcome::Succeeded => Role::Ok,
        CallOutcome::Failed => Role::Failed,
        CallOutcome::Caught => Role::Warning,
        CallOutcome::RolledBack => Role::Dim,
    }
}

/// Gas used by a call itself.
pub fn own_gas(frame: &CallFrame) -> String {
    match frame.own_gas() {
        None => "?".into(),
        Some((gas, true)) => group_digits(&gas.to_string()),
        Some((gas, false)) => format!("≤{}", group_digits(&gas.to_string())),
    }
}
