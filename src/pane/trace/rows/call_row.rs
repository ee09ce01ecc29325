//! Draws a call as a row: gas columns, branches, label, value and result.

use std::ops::Range;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};
use ratatui::symbols::{block, shade};

use super::gas_columns::GasColumns;
use crate::calls::formatter::{CallFormatter, CallLabel, Confidence, DELEGATED};
use crate::calls::results::{ORIGIN_MARK, outcome_role};
use crate::chain::amount::Grouped;
use crate::columns::RowContext;
use crate::messages::call::CallNote;
use crate::pane::icicle::IciclePainter;
use crate::pane::trace::logs::TraceLogs;
use crate::trace::frame_json::{MAX_REPARSED_ENTRY_BYTES, declared_type};
use crate::trace::log_rows::TraceRow;
use crate::trace::revert_origin::is_origin;
use crate::trace::{CallFrame, CallKind, CallOutcome, CallTree, VisibleFrames};
use crate::ui::address_mark::AddressMark;
use crate::ui::format::{cut, width};
use crate::ui::format_options::FormatOptions;
use crate::ui::text::{draw_pieces, fit_words};
use crate::ui::theme::{Role, Styles};

/// Columns of the type of a call whose kind is unknown.
const MAX_KIND_COLUMNS: usize = 16;
const MIN_LABEL_COLUMNS: usize = 16;
const DEFAULT_INDENT: u16 = 2;
const MAX_INDENT: u16 = 8;
/// Space between a call and its value, badge or result.
const RESULT_GAP: &str = "  ";
/// Columns of `(…`, for arguments that are left out.
const CUT_ARGUMENTS_COLUMNS: usize = 2;
/// Bound of the columns that a row asks for.
const MAX_ROW_COLUMNS: usize = 1_000;
/// Columns between a row and what is right of it.
pub(super) const RIGHT_PADDING: u16 = 1;

#[derive(Debug, Clone, Copy)]
pub struct RowOptions {
    /// `true` if gas percentages refer to the parent's gas instead of the root's.
    pub share_of_parent: bool,
    pub indent: u16,
}

impl Default for RowOptions {
    fn default() -> Self {
        Self { share_of_parent: false, indent: DEFAULT_INDENT }
    }
}

impl RowOptions {
    pub fn widen_indent(&mut self) {
        self.indent = (self.indent + 1).min(MAX_INDENT);
    }

    pub fn narrow_indent(&mut self) {
        self.indent = self.indent.saturating_sub(1).max(1);
    }
}

pub struct CallPainter<'a> {
    pub formatter: CallFormatter<'a>,
    pub visible: &'a VisibleFrames,
    pub styles: &'a Styles,
    pub format: &'a FormatOptions,
    /// `true` if other calls of the selected call's target are highlighted.
    pub has_highlight: bool,
    pub options: RowOptions,
    /// The calls from the outermost failure down to the origin of the revert.
    pub revert_path: &'a [u32],
    pub selected: u32,
    pub is_hit: &'a dyn Fn(u32) -> bool,
    /// Returns `true` if a delegatecall is drawn in the row of its proxy.
    pub is_merged: &'a dyn Fn(u32) -> bool,
    pub logs: &'a TraceLogs,
    pub log_context: RowContext<'a>,
}

pub type Piece = (String, Style);

/// A row before it is cut.
struct RowParts {
    /// The part left of the label.
    lead: Vec<Piece>,
    /// The label before its arguments.
    name: Vec<Piece>,
    arguments: Vec<Piece>,
    is_failed: bool,
    badge_columns: usize,
    /// The value, the badge of folded calls, and the result.
    after: Vec<Piece>,
}

impl RowParts {
    fn columns(&self) -> usize {
        let Self { lead, name, arguments, after, .. } = self;
        [lead, name, arguments, after].iter().map(|pieces| total_width(pieces)).sum()
    }

    /// Cuts label and result for some columns. A failed call keeps most of them for its reason, others a
    /// third for the result, or what the badge needs. What one does not need, the other takes.
    fn fit(self, space: usize) -> CutRow {
        let name_columns = total_width(&self.name) + CUT_ARGUMENTS_COLUMNS;
        let label = [self.name, self.arguments].concat();
        let [label_columns, after_columns] = [&label, &self.after].map(|part| total_width(part));
        if label_columns + after_columns <= space {
            return CutRow { label, label_columns, after: self.after };
        }
        let reserved = if self.is_failed {
            space * 2 / 3
        } else {
            self.badge_columns.clamp(space / 3, space / 2)
        };
        let least = space
            .saturating_sub(after_columns.min(reserved))
            .max(name_columns.min(space / 2))
            .max(MIN_LABEL_COLUMNS);
        let drawn_columns = |pieces: &[Piece], most: usize| total_width(pieces).min(most);
        let for_label = label_columns.min(least).min(space);
        let cut_label = fit_words(label.clone(), for_label);
        let for_after = space - drawn_columns(&cut_label, for_label);
        let after = fit_words(self.after, for_after);
        let for_label = space - drawn_columns(&after, for_after);
        let label = fit_words(label, for_label);
        let label_columns = drawn_columns(&label, for_label);
        CutRow { label, label_columns, after }
    }
}

/// A label with the result of the call, for some columns.
struct CutRow {
    label: Vec<Piece>,
    label_columns: usize,
    after: Vec<Piece>,
}

impl CallPainter<'_> {
    /// Returns the painter of an icicle with the same options.
    pub fn icicle(&self) -> IciclePainter<'_> {
        IciclePainter {
            formatter: self.formatter,
            styles: self.styles,
            format: self.format,
            share_of_parent: self.options.share_of_parent,
            selected: Some(self.selected),
        }
    }

    pub fn draw_row(&self, number: u32, columns: &GasColumns, area: Rect, buf: &mut Buffer) {
        let Some(frame) = self.formatter.tree.get(number) else { return };
        let Some(parts) = self.row_parts(number, columns, area.width) else { return };
        let x = draw_pieces(buf, area, parts.lead.iter().map(|(text, style)| (text, *style)));
        self.shade_bar(columns.bars(), area, buf);
        self.shade_short_bar(frame, columns.bars(), area, buf);
        let space = area.right().saturating_sub(RIGHT_PADDING).saturating_sub(x);
        let row = parts.fit(space.into());
        let for_label = u16::try_from(row.label_columns).unwrap_or(space);
        let end = draw_pieces(buf, Rect { x, width: for_label, ..area }, row.label);
        let left = x.saturating_add(space).saturating_sub(end);
        draw_pieces(buf, Rect { x: end, width: left, ..area }, row.after);
    }

    /// Returns the columns that a row needs to be whole.
    pub fn row_columns(&self, row: TraceRow, columns: &GasColumns, row_width: u16) -> usize {
        let needed = match row {
            TraceRow::Call(number) => {
                self.row_parts(number, columns, row_width).map_or(0, |parts| parts.columns())
            }
            row => total_width(&self.row_pieces(row, columns, row_width, MAX_ROW_COLUMNS)),
        };
        needed + usize::from(RIGHT_PADDING)
    }

    fn row_parts(&self, number: u32, columns: &GasColumns, row_width: u16) -> Option<RowParts> {
        let frame = self.formatter.tree.get(number)?;
        let outcome = self.outcome(number);
        let label = self.call_label(number);
        let badge = self.folded_badge(number);
        let [name, arguments] = self.label_pieces(number, &label, outcome);
        Some(RowParts {
            lead: self.lead(number, frame, columns, row_width),
            name,
            arguments,
            is_failed: frame.failed(),
            badge_columns: width(&badge) + RESULT_GAP.len(),
            after: self.result_pieces(number, frame, outcome, badge),
        })
    }

    /// Fills the rest of a bar of less than a cell, of a call that made calls.
    fn shade_short_bar(&self, frame: &CallFrame, columns: Range<u16>, row: Rect, buf: &mut Buffer) {
        let fill = self.styles.weak_fill(Role::Value).filter(|_| !self.format.is_ascii);
        let has_inner = frame.own_gas().map(|(own, _)| own) < frame.gas_used();
        let x = row.x.saturating_add(columns.start);
        let is_short = buf
            .cell((x, row.y))
            .is_some_and(|cell| ![" ", block::FULL, shade::LIGHT].contains(&cell.symbol()));
        if let Some(inner) = fill.filter(|_| has_inner && is_short && !columns.is_empty()) {
            buf.set_style(Rect { x, width: 1, height: 1, ..row }, Style::new().bg(inner));
        }
    }

    /// Fills the part of a bar that is the gas of inner calls, where colours have shades.
    fn shade_bar(&self, columns: Range<u16>, row: Rect, buf: &mut Buffer) {
        let fill = self.styles.weak_fill(Role::Value).filter(|_| !self.format.is_ascii);
        let Some(inner) = fill else { return };
        let is_shade = |buf: &Buffer, x: u16| {
            buf.cell((x, row.y)).is_some_and(|cell| cell.symbol() == shade::LIGHT)
        };
        for x in columns.map(|column| row.x.saturating_add(column)) {
            let style = if is_shade(buf, x) {
                Style::new().fg(inner).bg(inner)
            } else if is_shade(buf, x + 1) {
                Style::new().bg(inner)
            } else {
                continue;
            };
            buf.set_style(Rect { x, width: 1, height: 1, ..row }, style);
        }
    }

    /// Draws the bars of the legend in the colours of bars.
    pub fn colour_legend(&self, columns: Range<u16>, row: Rect, buf: &mut Buffer) {
        for x in columns.clone().map(|column| row.x.saturating_add(column)) {
            let is_bar = buf
                .cell((x, row.y))
                .is_some_and(|cell| [block::FULL, shade::LIGHT].contains(&cell.symbol()));
            if is_bar {
                let cell = Rect { x, width: 1, height: 1, ..row };
                buf.set_style(cell, self.styles.of(Role::Value).remove_modifier(Modifier::DIM));
                self.shade_bar(x - row.x..x - row.x + 1, row, buf);
            }
        }
    }

    fn outcome(&self, number: u32) -> CallOutcome {
        self.formatter.tree.outcome(number).unwrap_or(CallOutcome::Succeeded)
    }

    /// Returns the part left of the label: marks, gas, branches, outcome and kind.
    fn lead(
        &self,
        number: u32,
        frame: &CallFrame,
        columns: &GasColumns,
        row_width: u16,
    ) -> Vec<Piece> {
        let tree = self.formatter.tree;
        let outcome = self.outcome(number);
        let dim = self.styles.of(Role::Dim);
        let plain = if outcome == CallOutcome::RolledBack { dim } else { Style::new() };
        let hit = if (self.is_hit)(number) {
            ("»".to_owned(), self.styles.of(Role::Match))
        } else {
            (" ".to_owned(), Style::new())
        };
        let [gas, own, percent, bar] = columns.cells(tree, number, self.options.share_of_parent);
        let known = if columns.has_letters { frame.kind.short_badge() } else { frame.kind.badge() };
        let badge = unknown_kind(tree, number, frame).unwrap_or_else(|| known.to_owned());
        let symbol = match outcome {
            CallOutcome::Succeeded => String::new(),
            outcome => format!("{} ", outcome.symbol()),
        };
        vec![
            hit,
            (gas, plain),
            (own, dim),
            (percent, plain),
            (bar, self.styles.of(Role::Value)),
            (self.branches(row_width).of_call(number), dim),
            (format!("{} ", self.fold_mark(number)), dim),
            (symbol, self.styles.of(outcome_role(outcome))),
            (badge, self.styles.of(Role::Badge)),
        ]
    }

    pub fn branches(&self, row_width: u16) -> Branches<'_> {
        let Self { visible, options: RowOptions { indent, .. }, .. } = *self;
        Branches { tree: self.formatter.tree, visible, logs: self.logs, indent, row_width }
    }

    fn fold_mark(&self, number: u32) -> &'static str {
        let calls = self.formatter.tree.subtree(number);
        let can_fold = calls.len() > 1 || self.logs.are_in(&calls);
        match (can_fold, self.visible.is_expanded(number)) {
            (false, _) => "·",
            (true, true) => "▾",
            (true, false) => "▸",
        }
    }

    /// Returns the target with the function, and its arguments.
    fn label_pieces(
        &self,
        number: u32,
        label: &CallLabel,
        outcome: CallOutcome,
    ) -> [Vec<Piece>; 2] {
        let dim = self.styles.of(Role::Dim);
        let (name_style, style) = match (outcome, label.confidence) {
            (CallOutcome::RolledBack, _) | (_, Confidence::Unknown) => (dim, dim),
            (_, Confidence::Guess) => (Style::new().add_modifier(Modifier::ITALIC), Style::new()),
            (_, Confidence::Certain) => (self.styles.of(Role::Title), Style::new()),
        };
        let target = match outcome {
            _ if number != self.selected && self.has_target_of_selection(number) => {
                self.styles.of(Role::Highlight)
            }
            CallOutcome::RolledBack => dim,
            _ => Style::new(),
        };
        let mark = self.mark_pieces(number).filter(|_| !label.contract.is_empty());
        let pieces = [
            (label.contract.clone(), target),
            (label.dot().to_owned(), style),
            (label.name.clone(), name_style),
        ];
        let is_dim = outcome == CallOutcome::RolledBack || label.confidence == Confidence::Unknown;
        let arguments = if is_dim {
            vec![(label.arguments.clone(), dim)]
        } else {
            // A merged proxy has its implementation's.
            let next = number.saturating_add(1);
            let called = if (self.is_merged)(next) { next } else { number };
            let parts = self.formatter.argument_parts(called, label).into_iter();
            parts.map(|part| (part.text.into_owned(), self.styles.of(part.role))).collect()
        };
        [mark.into_iter().flatten().chain(pieces).collect(), arguments]
    }

    /// Returns the mark of the address that the label begins with, and a space: of the called one, or of the
    /// contract that a selfdestruct ends.
    pub fn mark_pieces(&self, number: u32) -> Option<[Piece; 3]> {
        let tree = self.formatter.tree;
        let frame = tree.get(number)?;
        let named = if frame.kind == CallKind::SelfDestruct { frame.from } else { frame.to };
        let address = tree.address(named).filter(|_| self.format.address_marks)?;
        let [left, right] = AddressMark::new(&address).glyphs(self.styles);
        Some([left, right, (" ", Style::new())].map(|(glyph, style)| (glyph.to_owned(), style)))
    }

    pub fn has_target_of_selection(&self, number: u32) -> bool {
        if !self.has_highlight {
            return false;
        }
        let tree = self.formatter.tree;
        let to = |frame: u32| tree.get(frame).map(|frame| tree.body.prefix(frame.to, 64));
        to(number).is_some_and(|target| !target.is_empty()) && to(number) == to(self.selected)
    }

    /// Returns the label of a call; for a merged proxy, with its implementation.
    pub(super) fn call_label(&self, number: u32) -> CallLabel {
        let label = self.formatter.call_label(number);
        let next = number.saturating_add(1);
        if !(self.is_merged)(next) {
            return label;
        }
        let implementation = self.formatter.call_label(next);
        let contract = [&*label.contract, " ", DELEGATED, &implementation.contract].concat();
        CallLabel { is_delegated: label.is_delegated, contract, ..implementation }
    }

    /// Returns the value, the badge of folded calls, and the result, each after two spaces.
    fn result_pieces(
        &self,
        number: u32,
        frame: &CallFrame,
        outcome: CallOutcome,
        badge: String,
    ) -> Vec<Piece> {
        let value = if frame.is_committed() {
            self.styles.of(Role::Value)
        } else {
            self.styles.of(Role::Dim).add_modifier(Modifier::CROSSED_OUT)
        };
        let dim = self.styles.of(Role::Dim);
        let is_path_end = self.revert_path.last() == Some(&number);
        let (result, style) = match outcome {
            _ if !frame.failed() => (self.returned_text(number), dim),
            // The line above the calls has the reason of the transaction.
            _ if is_path_end && self.revert_path.first() == Some(&0) => (String::new(), dim),
            outcome if is_path_end || is_origin(self.formatter.tree, number) => {
                (self.formatter.failure_reason(number), self.styles.of(outcome_role(outcome)))
            }
            // The call that it began in shows the reason.
            _ if self.visible.is_expanded(number) => (String::new(), dim),
            _ => (self.formatter.failure_reason(number), dim),
        };
        let mut pieces = vec![
            (self.formatter.call_value(number).unwrap_or_default(), value),
            (badge, dim),
            (result, style),
        ];
        pieces.retain(|(text, _)| !text.is_empty());
        for (text, _) in &mut pieces {
            text.insert_str(0, RESULT_GAP);
        }
        if is_path_end {
            pieces.insert(0, ([RESULT_GAP, ORIGIN_MARK].concat(), self.styles.of(Role::Failed)));
        }
        pieces
    }

    /// Returns the return values of a call that its label does not contain.
    fn returned_text(&self, number: u32) -> String {
        if let Some(transfer) = self.formatter.transfers.get(number)
            && self
                .formatter
                .identifier()
                .called_function(number)
                .is_some_and(|name| name.starts_with("transfer"))
        {
            let moved = self.formatter.transferred(transfer);
            let is_in_label = self.formatter.call_label(number).arguments.contains(moved);
            return if is_in_label {
                String::new()
            } else {
                CallNote::Moved { amount: moved }.to_string()
            };
        }
        if self.formatter.returns_nothing(number) {
            return String::new();
        }
        self.formatter.result_text(number)
    }

    /// Summarizes the calls hidden in a collapsed one: number, failures, value and events.
    fn folded_badge(&self, number: u32) -> String {
        let tree = self.formatter.tree;
        let totals = tree.subtree_totals(number);
        let below = totals.calls.saturating_sub(1);
        let events = self.logs.count_in(&tree.subtree(number));
        if below == 0 && events == 0 || self.visible.is_expanded(number) {
            return String::new();
        }
        let count = |n: u64, noun: &str| {
            let plural = if n == 1 { "" } else { "s" };
            (n > 0).then(|| format!("{} {noun}{plural}", Grouped(n)))
        };
        let counts: Vec<String> = [count(below.into(), "call"), count(events as u64, "event")]
            .into_iter()
            .flatten()
            .collect();
        let mut parts = vec![format!("+{}", counts.join(", "))];
        let failed = totals.failed - usize::from(tree.get(number).is_some_and(CallFrame::failed));
        if failed > 0 {
            parts.push(format!("{failed} failed"));
        }
        match totals.value_moved {
            Some(wei) if wei.is_zero() => {}
            Some(wei) => parts.push(self.formatter.coin_amount(wei)),
            None => parts.push("? value".into()),
        }
        parts.join(" · ")
    }
}

/// Returns the type of a call in the trace's words, with a space, if the kind is unknown.
fn unknown_kind(tree: &CallTree, number: u32, frame: &CallFrame) -> Option<String> {
    // The entry is parsed with every frame.
    if frame.kind != CallKind::Other || frame.entry.len() > MAX_REPARSED_ENTRY_BYTES {
        return None;
    }
    let word = declared_type(tree, number, frame).filter(|word| !word.is_empty())?;
    Some(format!("{} ", cut(&word.to_lowercase(), MAX_KIND_COLUMNS)))
}

pub(super) fn total_width(pieces: &[Piece]) -> usize {
    pieces.iter().map(|(text, _)| width(text)).sum()
}

/// Draws the branches of a tree.
pub struct Branches<'a> {
    pub tree: &'a CallTree,
    pub visible: &'a VisibleFrames,
    pub logs: &'a TraceLogs,
    pub indent: u16,
    pub row_width: u16,
}

impl Branches<'_> {
    /// Returns the branches to a call.
    pub fn of_call(&self, number: u32) -> String {
        let elbow = if self.is_last(number) { "└" } else { "├" };
        match self.tree.parent(number) {
            Some(parent) => self.below(parent, elbow, "─"),
            None => String::new(),
        }
    }

    /// Returns the branches to a log of a call.
    pub fn of_log(&self, log: usize, call: u32) -> String {
        let is_last = self.logs.is_last(self.tree, self.visible, log);
        self.below(call, if is_last { "└" } else { "├" }, "─")
    }

    /// Returns `true` if neither a call nor a log of the parent follows.
    fn is_last(&self, call: u32) -> bool {
        let has_log_after = || {
            let parent = self.tree.parent(call);
            // While siblings are sorted, a log is above all inner calls of its call.
            !self.visible.is_sorted()
                && parent.is_some_and(|parent| self.logs.are_below(self.visible, parent, call))
        };
        self.visible.is_last_sibling(self.tree, call) && !has_log_after()
    }

    /// Returns the branches to something in a call, with its depth as a number if that is too deep for a
    /// quarter of the row.
    fn below(&self, call: u32, branch: &str, line: &str) -> String {
        let indent = usize::from(self.indent);
        let branch = branch.to_owned() + &line.repeat(indent.saturating_sub(1));
        let depth = self.tree.get(call).map_or(0, |frame| usize::from(frame.depth)) + 1;
        let max_width = usize::from(self.row_width / 4).max(12);
        if depth * indent > max_width {
            let text = format!("depth {depth}");
            return format!("{text:<width$}{branch}", width = max_width.saturating_sub(indent));
        }
        let mut levels = vec![branch];
        // The root's level has no line.
        let above = std::iter::once(call).chain(self.tree.ancestors(call));
        for above in above.take(depth.saturating_sub(1)) {
            let is_last = self.is_last(above);
            levels.push(format!("{:<indent$}", if is_last { " " } else { "│" }));
        }
        levels.reverse();
        levels.concat()
    }
}
