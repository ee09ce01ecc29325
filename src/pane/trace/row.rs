//! One call on one line.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::call_labels::{Called, Certainty, Names};
use super::gas::{bar, share, short};
use crate::chain::amount::grouped;
use crate::trace::{Frame, Kind, Outcome, Outline, Tree};
use crate::ui::format::{cut, width};
use crate::ui::theme::{Role, Styles};

/// Indentation is not wider; deeper calls say how deep they are.
const INDENT: usize = 24;
/// A label keeps at least so many columns.
const LABEL: usize = 16;

/// What rows are drawn with.
pub(super) struct Look<'a> {
    pub(super) names: Names<'a>,
    pub(super) outline: &'a Outline,
    pub(super) styles: &'a Styles,
    /// Gas in percent of the caller's, not of the root's.
    pub(super) of_parent: bool,
    /// Columns a level.
    pub(super) step: u16,
    /// From the outermost failure down to where it began.
    pub(super) revert: &'a [u32],
    /// The selected call.
    pub(super) selected: u32,
    /// Whether a call is what was searched for.
    pub(super) is_hit: &'a dyn Fn(u32) -> bool,
    /// Whether a delegatecall is drawn in the row of its proxy.
    pub(super) is_merged: &'a dyn Fn(u32) -> bool,
}

/// Which columns of numbers there is room for.
struct Columns {
    full_gas: bool,
    own: bool,
    bar: usize,
    percent: bool,
}

impl Columns {
    fn of(width: u16) -> Self {
        let (full_gas, own, bar, percent) = match width {
            130.. => (true, true, 8, true),
            110..130 => (true, false, 8, true),
            96..110 => (true, false, 6, false),
            60..96 => (false, false, 4, false),
            _ => (false, false, 0, false),
        };
        Self { full_gas, own, bar, percent }
    }
}

/// Pieces of a line with their styles.
type Pieces = Vec<(String, Style)>;

impl Look<'_> {
    /// Draws a call on the first line of `area`.
    pub(super) fn draw(&self, number: u32, area: Rect, buf: &mut Buffer) {
        let Some(frame) = self.names.tree.get(number) else { return };
        let outcome = self.names.tree.outcome(number).unwrap_or(Outcome::Kept);
        let mut pieces = self.numbers(number, frame, outcome, area.width);
        let used: usize = pieces.iter().map(|(text, _)| width(text)).sum();
        let room = usize::from(area.width).saturating_sub(used);
        pieces.extend(self.words(number, frame, outcome, room));
        let mut x = area.x;
        for (text, style) in pieces {
            let left = usize::from(area.right().saturating_sub(x));
            (x, _) = buf.set_stringn(x, area.y, cut(&text, left), left, style);
        }
    }

    fn numbers(&self, number: u32, frame: &Frame, outcome: Outcome, room: u16) -> Pieces {
        let columns = Columns::of(room);
        let dim = self.styles.of(Role::Dim);
        let plain = if outcome == Outcome::Undone { dim } else { Style::new() };
        let gas = match (frame.used(), columns.full_gas) {
            (None, true) => format!("{:>10}", "?"),
            (None, false) => format!("{:>5}", "?"),
            (Some(used), true) => format!("{:>10}", grouped(&used.to_string())),
            (Some(used), false) => format!("{:>5}", short(used)),
        };
        let (mark, look) = self.gutter(number);
        let mut pieces = vec![
            (format!("{mark:<1}"), self.styles.of(look)),
            (prefix(self.names.tree, self.step, number), dim),
            (self.fold_mark(number).to_owned() + " ", Style::new()),
            (format!("{:<4}", kind_word(frame.kind)), self.kind_style(frame.kind, outcome)),
            (gas, plain),
        ];
        if columns.own {
            pieces.push((format!("{:>10}", own_gas(frame)), dim));
        }
        if columns.bar > 0 {
            let whole = self.names.tree.get(0).and_then(Frame::used);
            pieces.push((
                format!(" {}", bar(frame, whole, columns.bar)),
                self.styles.of(Role::Value),
            ));
        }
        if columns.percent {
            pieces.push((format!("{:>5}", share(self.names.tree, number, self.of_parent)), plain));
        }
        pieces.push((format!(" {} ", outcome_mark(outcome)), self.outcome_style(outcome)));
        pieces
    }

    /// Whether a call is on the way to where a revert began, or is what was searched for.
    fn gutter(&self, number: u32) -> (&'static str, Role) {
        match (self.revert.contains(&number), (self.is_hit)(number)) {
            (true, _) => ("✗", Role::Failed),
            (false, true) => ("»", Role::Match),
            (false, false) => ("", Role::Plain),
        }
    }

    fn fold_mark(&self, number: u32) -> &'static str {
        let has_children = self.names.tree.end(number) > number.saturating_add(1);
        match (has_children, self.outline.is_open(number)) {
            (false, _) => "·",
            (true, true) => "▾",
            (true, false) => "▸",
        }
    }

    fn words(&self, number: u32, frame: &Frame, outcome: Outcome, room: usize) -> Pieces {
        let called = self.called(number);
        let (carried, back) = (self.names.carried(number).unwrap_or_default(), self.back(number));
        let must = if frame.failed() { room / 2 } else { 0 };
        let label = called.line();
        let spare = room.saturating_sub(width(&label).max(LABEL) + width(&carried) + 3);
        let back_room = width(&back).min(spare.max(must).min(room.saturating_sub(LABEL)));
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
        pieces.push((back.to_owned(), self.back_style(number, frame, outcome)));
        pieces
    }

    /// The call, and what the proxy in the same row hands it on to.
    fn called(&self, number: u32) -> Called {
        let called = self.names.called(number);
        let next = number.saturating_add(1);
        if !(self.is_merged)(next) {
            return called;
        }
        let behind = self.names.called(next);
        Called { target: [&*called.target, " ", &behind.target].concat(), ..behind }
    }

    /// What came back; of a folded call, what it hides.
    fn back(&self, number: u32) -> String {
        let folded = !self.outline.is_open(number);
        let hides = self.names.tree.end(number) > number.saturating_add(1);
        let back = self.names.returned(number);
        if folded && hides { format!("{}  {back}", self.badge(number)) } else { back }
    }

    /// What a folded call hides: calls, failures, value, and its share of the gas.
    fn badge(&self, number: u32) -> String {
        let (tree, sum) = (self.names.tree, self.names.tree.sum(number));
        let below = sum.calls.saturating_sub(1);
        let noun = if below == 1 { "call" } else { "calls" };
        let mut parts = vec![format!("{} {noun}", grouped(&below.to_string()))];
        let failed = sum.failed - usize::from(tree.get(number).is_some_and(Frame::failed));
        if failed > 0 {
            parts.push(format!("{failed}✗"));
        }
        match sum.moved {
            Some(wei) if wei.is_zero() => {}
            Some(wei) => parts.push(self.names.coin(wei)),
            None => parts.push("? value".into()),
        }
        match &*share(tree, number, self.of_parent) {
            "—" | "?" => {}
            share => parts.push(format!("{share} gas")),
        }
        format!("({})", parts.join(" · "))
    }

    fn kind_style(&self, kind: Kind, outcome: Outcome) -> Style {
        if outcome == Outcome::Undone {
            return self.styles.of(Role::Dim);
        }
        self.styles.of(match kind {
            Kind::Call | Kind::Reward => Role::Plain,
            Kind::StaticCall => Role::Accent,
            Kind::DelegateCall | Kind::CallCode => Role::Delegate,
            Kind::Create | Kind::Create2 => Role::Value,
            Kind::SelfDestruct | Kind::Other => Role::Failed,
        })
    }

    fn outcome_style(&self, outcome: Outcome) -> Style {
        self.styles.of(outcome_role(outcome))
    }

    fn label_style(&self, number: u32, called: &Called, outcome: Outcome) -> Style {
        let style = match (outcome, called.certainty) {
            (Outcome::Undone, _) | (_, Certainty::None) => self.styles.of(Role::Dim),
            (_, Certainty::Guess) => Style::new().add_modifier(Modifier::ITALIC),
            (_, Certainty::Sure) => Style::new(),
        };
        let to = |f: u32| self.names.tree.get(f).map(|f| self.names.tree.body.head(f.to, 64));
        let same = number != self.selected
            && to(number).is_some_and(|t| !t.is_empty())
            && to(number) == to(self.selected);
        if same { style.add_modifier(Modifier::UNDERLINED) } else { style }
    }

    fn value_style(&self, frame: &Frame) -> Style {
        if frame.is_kept() {
            self.styles.of(Role::Value)
        } else {
            self.styles.of(Role::Dim).add_modifier(Modifier::CROSSED_OUT)
        }
    }

    fn back_style(&self, number: u32, frame: &Frame, outcome: Outcome) -> Style {
        match (frame.failed(), self.outline.is_open(number)) {
            (true, _) => self.outcome_style(outcome),
            (false, false) => self.styles.of(Role::Title),
            (false, true) => self.styles.of(Role::Dim),
        }
    }
}

/// The four letters of a kind.
pub fn kind_word(kind: Kind) -> &'static str {
    match kind {
        Kind::Call => "call",
        Kind::StaticCall => "stat",
        Kind::DelegateCall => "dele",
        Kind::CallCode => "code",
        Kind::Create => "new",
        Kind::Create2 => "new2",
        Kind::SelfDestruct => "dest",
        Kind::Reward => "rewd",
        Kind::Other => "?",
    }
}

/// The name of a kind, as traces and programs write it.
pub fn kind_name(kind: Kind) -> &'static str {
    match kind {
        Kind::Call => "call",
        Kind::StaticCall => "staticcall",
        Kind::DelegateCall => "delegatecall",
        Kind::CallCode => "callcode",
        Kind::Create => "create",
        Kind::Create2 => "create2",
        Kind::SelfDestruct => "selfdestruct",
        Kind::Reward => "reward",
        Kind::Other => "unknown",
    }
}

/// The column, from the first, in which a call has the mark of its fold.
pub(super) fn mark_column(tree: &Tree, step: u16, number: u32) -> usize {
    // The gutter stands before it.
    1 + width(&prefix(tree, step, number))
}

/// The lines that lead to a call from those above it.
fn prefix(tree: &Tree, step: u16, number: u32) -> String {
    let step = usize::from(step);
    let depth = tree.get(number).map_or(0, |frame| usize::from(frame.depth));
    if depth == 0 {
        return String::new();
    }
    let is_last = |f: u32| tree.parent(f).is_none_or(|parent| tree.end(f) == tree.end(parent));
    if depth * step > INDENT {
        let text = format!("⋯{depth}");
        let elbow = if is_last(number) { "└" } else { "├" };
        return format!("{text:<width$}{elbow}", width = INDENT.saturating_sub(step));
    }
    let mut levels: Vec<String> = std::iter::once(if is_last(number) { "└" } else { "├" })
        .map(|elbow| elbow.to_owned() + &" ".repeat(step.saturating_sub(2)))
        .collect();
    // The root's own level has no line.
    for above in tree.above(number).take(depth.saturating_sub(1)) {
        let line = if is_last(above) { " " } else { "│" };
        levels.push(format!("{line:<step$}"));
    }
    levels.reverse();
    levels.concat()
}

/// The sign of an outcome.
pub fn outcome_mark(outcome: Outcome) -> &'static str {
    match outcome {
        Outcome::Kept => "✓",
        Outcome::Failed => "✗",
        Outcome::Caught => "!",
        Outcome::Undone => "∅",
    }
}

pub(super) fn outcome_role(outcome: Outcome) -> Role {
    match outcome {
        Outcome::Kept => Role::Ok,
        Outcome::Failed => Role::Failed,
        Outcome::Caught => Role::Warning,
        Outcome::Undone => Role::Dim,
    }
}

/// Gas used by a call itself.
pub fn own_gas(frame: &Frame) -> String {
    match frame.own() {
        None => "?".into(),
        Some((gas, true)) => grouped(&gas.to_string()),
        Some((gas, false)) => format!("≤{}", grouped(&gas.to_string())),
    }
}
