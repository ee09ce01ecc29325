//! Draws a call as a row: gas columns, label, value and result.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::call_labels::{CallFormatter, CallLabel, Confidence};
use super::gas::{abbreviate_gas, gas_bar, gas_of_whole, gas_share};
use crate::chain::amount::group_digits;
use crate::trace::{CallFrame, CallKind, CallOutcome, CallTree, VisibleFrames};
use crate::ui::format::{cut, width};
use crate::ui::theme::{Role, Styles};

/// Maximum width of the indentation; deeper calls show their depth as a number.
const MAX_INDENT_COLUMNS: usize = 24;
const MIN_LABEL_COLUMNS: usize = 16;
const DEFAULT_INDENT: u16 = 2;
const MAX_INDENT: u16 = 8;

#[derive(Debug, Clone, Copy)]
pub(super) struct RowOptions {
    /// Whether gas percentages are of the parent's gas instead of the root's.
    pub(super) share_of_parent: bool,
    pub(super) indent: u16,
}

impl Default for RowOptions {
    fn default() -> Self {
        Self { share_of_parent: false, indent: DEFAULT_INDENT }
    }
}

impl RowOptions {
    pub(super) fn widen_indent(&mut self) {
        self.indent = (self.indent + 1).min(MAX_INDENT);
    }

    pub(super) fn narrow_indent(&mut self) {
        self.indent = self.indent.saturating_sub(1).max(1);
    }
}

pub(super) struct CallPainter<'a> {
    pub(super) formatter: CallFormatter<'a>,
    pub(super) visible: &'a VisibleFrames,
    pub(super) styles: &'a Styles,
    pub(super) options: RowOptions,
    /// The calls from the outermost failure down to the origin of the revert.
    pub(super) revert_path: &'a [u32],
    pub(super) selected: u32,
    pub(super) is_hit: &'a dyn Fn(u32) -> bool,
    /// Whether a delegatecall is drawn in the row of its proxy.
    pub(super) is_merged: &'a dyn Fn(u32) -> bool,
}

struct RowColumns {
    full_gas: bool,
    own_gas: bool,
    bar_width: usize,
    percent: bool,
}

impl RowColumns {
    fn new(width: u16) -> Self {
        Self {
            full_gas: width >= 96,
            own_gas: width >= 130,
            bar_width: match width {
                110.. => 8,
                96..110 => 6,
                60..96 => 4,
                _ => 0,
            },
            percent: width >= 110,
        }
    }
}

type StyledPieces = Vec<(String, Style)>;

impl CallPainter<'_> {
    pub(super) fn draw_row(&self, number: u32, area: Rect, buf: &mut Buffer) {
        let Some(frame) = self.formatter.tree.get(number) else { return };
        let outcome = self.formatter.tree.outcome(number).unwrap_or(CallOutcome::Succeeded);
        let mut pieces = self.number_pieces(number, frame, outcome, area.width);
        let used: usize = pieces.iter().map(|(text, _)| width(text)).sum();
        let space = usize::from(area.width).saturating_sub(used);
        pieces.extend(self.label_pieces(number, frame, outcome, space));
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
        row_width: u16,
    ) -> StyledPieces {
        let columns = RowColumns::new(row_width);
        let dim = self.styles.of(Role::Dim);
        let plain = if outcome == CallOutcome::RolledBack { dim } else { Style::new() };
        let gas = if columns.full_gas {
            format!("{:>10}", frame.format_gas_used(|gas| group_digits(&gas.to_string())))
        } else {
            format!("{:>5}", frame.format_gas_used(abbreviate_gas))
        };
        let (mark, role) = self.gutter_mark(number);
        let mut pieces = vec![
            (format!("{mark:<1}"), self.styles.of(role)),
            (tree_prefix(self.formatter.tree, self.options.indent, number), dim),
            (self.fold_mark(number).to_owned() + " ", Style::new()),
            (format!("{:<4}", frame.kind.abbreviation()), self.kind_style(frame.kind, outcome)),
            (gas, plain),
        ];
        if columns.own_gas {
            pieces.push((format!("{:>10}", own_gas(frame)), dim));
        }
        if columns.bar_width > 0 {
            let whole = gas_of_whole(self.formatter.tree, 0);
            pieces.push((
                format!(" {}", gas_bar(frame, whole, columns.bar_width)),
                self.styles.of(Role::Value),
            ));
        }
        if columns.percent {
            pieces.push((
                format!(
                    "{:>5}",
                    gas_share(self.formatter.tree, number, self.options.share_of_parent)
                ),
                plain,
            ));
        }
        pieces.push((format!(" {} ", outcome.symbol()), self.outcome_style(outcome)));
        pieces
    }

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

    fn label_pieces(
        &self,
        number: u32,
        frame: &CallFrame,
        outcome: CallOutcome,
        space: usize,
    ) -> StyledPieces {
        let named_call = self.call_label(number);
        let value = self.formatter.call_value(number).unwrap_or_default();
        let result = self.result_text(number);
        let label = named_call.line();
        // A failed call keeps half of the row for its reason.
        let reserved = if frame.failed() { space / 2 } else { 0 };
        let unused = space.saturating_sub(width(&label).max(MIN_LABEL_COLUMNS) + width(&value) + 3);
        let max_result = unused.max(reserved).min(space.saturating_sub(MIN_LABEL_COLUMNS));
        let result_width = width(&result).min(max_result);
        // Fewer columns of a result would say nothing.
        let is_useless = result_width < 4.min(width(&result));
        let result = if is_useless { "".into() } else { cut(&result, result_width) };
        let between = if value.is_empty() || result.is_empty() { "" } else { "  " };
        let right = width(&value) + between.len() + width(&result);
        let label = cut(&label, space.saturating_sub(right + usize::from(right > 0))).into_owned();
        let gap = space.saturating_sub(width(&label) + right);
        vec![
            (label, self.label_style(number, &named_call, outcome)),
            (" ".repeat(gap), Style::new()),
            (value, self.value_style(frame)),
            (between.to_owned(), Style::new()),
            (result.into_owned(), self.result_style(number, frame, outcome)),
        ]
    }

    /// Returns the label of a call; of a merged proxy, that of its implementation too.
    fn call_label(&self, number: u32) -> CallLabel {
        let label = self.formatter.call_label(number);
        let next = number.saturating_add(1);
        if !(self.is_merged)(next) {
            return label;
        }
        let implementation = self.formatter.call_label(next);
        let target = [&*label.target, " ", &implementation.target].concat();
        CallLabel { target, ..implementation }
    }

    /// Returns the result of a call; of a collapsed one, a summary of its descendants too.
    fn result_text(&self, number: u32) -> String {
        let is_collapsed = !self.visible.is_expanded(number);
        let has_children = self.formatter.tree.end(number) > number.saturating_add(1);
        let result = self.formatter.result_text(number);
        if is_collapsed && has_children {
            format!("{}  {result}", self.folded_badge(number))
        } else {
            result
        }
    }

    /// Summarizes the descendants of a collapsed call: calls, failures, value, and its share of the gas.
    fn folded_badge(&self, number: u32) -> String {
        let tree = self.formatter.tree;
        let totals = tree.subtree_totals(number);
        let below = totals.calls.saturating_sub(1);
        let noun = if below == 1 { "call" } else { "calls" };
        let mut parts = vec![format!("{} {noun}", group_digits(&below.to_string()))];
        let failed = totals.failed - usize::from(tree.get(number).is_some_and(CallFrame::failed));
        if failed > 0 {
            parts.push(format!("{failed}✗"));
        }
        match totals.value_moved {
            Some(wei) if wei.is_zero() => {}
            Some(wei) => parts.push(self.formatter.coin_amount(wei)),
            None => parts.push("? value".into()),
        }
        match &*gas_share(tree, number, self.options.share_of_parent) {
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

    fn label_style(&self, number: u32, label: &CallLabel, outcome: CallOutcome) -> Style {
        let style = match (outcome, label.confidence) {
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

pub(super) fn fold_mark_column(tree: &CallTree, indent: u16, number: u32) -> usize {
    // One column for the gutter.
    1 + width(&tree_prefix(tree, indent, number))
}

fn tree_prefix(tree: &CallTree, indent: u16, number: u32) -> String {
    let indent = usize::from(indent);
    let depth = tree.get(number).map_or(0, |frame| usize::from(frame.depth));
    if depth == 0 {
        return String::new();
    }
    let is_last = |f: u32| tree.parent(f).is_none_or(|parent| tree.end(f) == tree.end(parent));
    if depth * indent > MAX_INDENT_COLUMNS {
        let text = format!("⋯{depth}");
        let elbow = if is_last(number) { "└" } else { "├" };
        return format!("{text:<width$}{elbow}", width = MAX_INDENT_COLUMNS.saturating_sub(indent));
    }
    let mut levels: Vec<String> = std::iter::once(if is_last(number) { "└" } else { "├" })
        .map(|elbow| elbow.to_owned() + &" ".repeat(indent.saturating_sub(2)))
        .collect();
    // The root's level has no line.
    for above in tree.ancestors(number).take(depth.saturating_sub(1)) {
        let line = if is_last(above) { " " } else { "│" };
        levels.push(format!("{line:<indent$}"));
    }
    levels.reverse();
    levels.concat()
}

pub fn outcome_role(outcome: CallOutcome) -> Role {
    match outcome {
        CallOutcome::Succeeded => Role::Ok,
        CallOutcome::Failed => Role::Failed,
        CallOutcome::Caught => Role::Warning,
        CallOutcome::RolledBack => Role::Dim,
    }
}

/// Formats the gas that a call used itself; `≤` marks an upper bound, `~` inferred gas.
pub fn own_gas(frame: &CallFrame) -> String {
    let Some((gas, is_exact)) = frame.own_gas() else { return "?".into() };
    let mark = match (is_exact, frame.is_own_gas_inferred()) {
        (false, _) => "≤",
        (true, true) => "~",
        (true, false) => "",
    };
    mark.to_owned() + &group_digits(&gas.to_string())
}
