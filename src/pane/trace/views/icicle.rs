//! The icicle view of gas: a line or more per depth, each call as wide as its gas, its own gas shaded.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};

use crate::calls::gas::{gas_of_whole, gas_share};
use crate::calls::results::outcome_role;
use crate::chain::amount::Grouped;
use crate::pane::trace::rows::call_row::CallPainter;
use crate::pane::trace::rows::gas_columns::own_gas;
use crate::trace::{CallFrame, CallOutcome, CallTree};
use crate::ui::format::{cut, wrap};
use crate::ui::theme::Role;

const MIN_LABEL_WIDTH: u16 = 5;
const MAX_LEVEL_LINES: u16 = 6;

/// The bar of a call, or of neighbours that are narrower than a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
struct IcicleBar {
    /// The call, or the first of several.
    frame: u32,
    /// The number of further calls in the bar.
    merged: u32,
    row: u16,
    x: u16,
    width: u16,
    own_width: u16,
}

impl IcicleBar {
    fn new(frame: u32, row: u16, x: u16, width: u16) -> Self {
        Self { frame, merged: 0, row, x, width, own_width: width }
    }
}

/// The bars of a call and its descendants, whose levels share the lines.
pub struct Icicle {
    bars: Vec<IcicleBar>,
    levels: u16,
    lines: u16,
}

impl Icicle {
    pub fn new(tree: &CallTree, root: u32, area: Rect) -> Self {
        let bars = layout_bars(tree, root, area);
        let levels = bars.iter().map(|bar| bar.row).max().map_or(1, |last| last + 1);
        Self { bars, levels, lines: area.height.min(levels.saturating_mul(MAX_LEVEL_LINES)) }
    }

    fn rect(&self, bar: &IcicleBar, area: Rect) -> Rect {
        let start = |level: u16| {
            let line = u32::from(level) * u32::from(self.lines) / u32::from(self.levels);
            u16::try_from(line).unwrap_or(u16::MAX)
        };
        let (from, to) = (start(bar.row), start(bar.row + 1));
        Rect::new(bar.x, area.y.saturating_add(from), bar.width, to - from).intersection(area)
    }

    /// Returns the call, or the first of several, whose bar is at a position.
    pub fn call_at(&self, at: Position, area: Rect) -> Option<u32> {
        let is_hit = |bar: &&IcicleBar| self.rect(bar, area).contains(at);
        self.bars.iter().find(is_hit).map(|bar| bar.frame)
    }
}

/// Lays out a call and its descendants: the children from the left, the call's own gas to the right of
/// them. The widths of children and own gas add up to the width of the call.
fn layout_bars(tree: &CallTree, root: u32, area: Rect) -> Vec<IcicleBar> {
    let mut bars = Vec::new();
    let mut open = vec![IcicleBar::new(root, 0, area.x, area.width)];
    while let Some(mut bar) = open.pop() {
        if bar.row >= area.height || bar.width == 0 {
            continue;
        }
        if bar.merged == 0 {
            let children = child_bars(tree, &bar);
            let taken: u16 = children.iter().map(|child| child.width).sum();
            bar.own_width = bar.width.saturating_sub(taken);
            open.extend(children);
        }
        bars.push(bar);
    }
    bars
}

/// Returns the bars of a call's children. Neighbours narrower than a column share one.
fn child_bars(tree: &CallTree, parent: &IcicleBar) -> Vec<IcicleBar> {
    let used =
        |number: u32| u128::from(tree.get(number).and_then(CallFrame::gas_used).unwrap_or(0));
    let sum: u128 = tree.children(parent.frame).map(used).sum();
    // Failed calls that hide their gas, and odd nodes, can have children that sum to more.
    let whole = gas_of_whole(tree, parent.frame).map_or(0, u128::from).max(sum);
    if whole == 0 {
        return Vec::new();
    }
    let column =
        |gas| u16::try_from(gas * u128::from(parent.width) / whole).unwrap_or(parent.width);
    let mut bars: Vec<IcicleBar> = Vec::new();
    let mut gas = 0;
    let mut narrow: Option<IcicleBar> = None;
    for child in tree.children(parent.frame) {
        let start = column(gas);
        gas += used(child);
        let width = column(gas).saturating_sub(start);
        let bar = IcicleBar::new(child, parent.row + 1, parent.x + start, width);
        match (width, narrow.take()) {
            (0, None) => narrow = Some(bar),
            (0, Some(first)) => narrow = Some(IcicleBar { merged: first.merged + 1, ..first }),
            (1, Some(first)) => {
                bars.push(IcicleBar { frame: first.frame, merged: first.merged + 1, ..bar });
            }
            _ => bars.push(bar),
        }
    }
    bars
}

impl CallPainter<'_> {
    /// Draws the bars and marks the selected call, or its nearest ancestor with a bar.
    pub fn draw_icicle(&self, root: u32, area: Rect, buf: &mut Buffer) {
        let icicle = Icicle::new(self.formatter.tree, root, area);
        let selected = self.selected_bar(&icicle.bars);
        for bar in &icicle.bars {
            self.draw_bar(bar, icicle.rect(bar, area), buf, selected == Some(*bar));
        }
    }

    fn selected_bar(&self, bars: &[IcicleBar]) -> Option<IcicleBar> {
        let ancestors = self.formatter.tree.ancestors(self.selected);
        let mut chain = std::iter::once(self.selected).chain(ancestors);
        chain.find_map(|frame| bars.iter().find(|bar| bar.frame == frame).copied())
    }

    fn draw_bar(&self, bar: &IcicleBar, at: Rect, buf: &mut Buffer, selected: bool) {
        let outcome = self.formatter.tree.outcome(bar.frame).unwrap_or(CallOutcome::Succeeded);
        let style = match outcome {
            _ if selected => self.styles.selected_fill(),
            CallOutcome::Succeeded => self.styles.fill(Role::Link, !bar.row.is_multiple_of(2)),
            _ => self.styles.fill(outcome_role(outcome), false),
        };
        let columns = usize::from(at.width);
        let own = if bar.merged == 0 { usize::from(bar.own_width) } else { 0 };
        let shades = " ".repeat(columns.saturating_sub(own)) + &"░".repeat(own);
        // The left edge separates neighbours of one colour. In a bar without a label it shows a failure.
        let edge = match outcome {
            CallOutcome::Succeeded => "▏",
            _ if bar.width >= MIN_LABEL_WIDTH => "▏",
            outcome => outcome.symbol(),
        };
        for line in at.rows() {
            buf.set_stringn(line.x, line.y, &shades, columns, style);
            buf.set_stringn(line.x, line.y, edge, columns, style);
        }
        if bar.width >= MIN_LABEL_WIDTH {
            let texts = self.bar_lines(bar, outcome, columns - 2, at.height.into());
            for (line, text) in at.rows().zip(texts) {
                buf.set_stringn(line.x + 1, line.y, text, columns, style);
            }
        }
        if selected {
            buf.set_stringn(at.x, at.y, "▶", columns, style);
        }
    }

    /// Returns the call with its share, on all lines but one if that is needed, and its gas.
    fn bar_lines(
        &self,
        bar: &IcicleBar,
        outcome: CallOutcome,
        columns: usize,
        lines: usize,
    ) -> Vec<String> {
        let [label, gas] = self.bar_texts(bar, outcome);
        let most = lines.saturating_sub(1).max(1);
        let parts = wrap(&label, columns).into_iter().take(most).enumerate();
        let parts = parts.map(|(n, part)| match n + 1 {
            n if n == most => label.get(part.start..).unwrap_or_default(),
            _ => label.get(part).unwrap_or_default(),
        });
        parts.chain([&*gas]).map(|text| cut(text.trim_start(), columns).into_owned()).collect()
    }

    /// Returns the call with its share, and its gas.
    fn bar_texts(&self, bar: &IcicleBar, outcome: CallOutcome) -> [String; 2] {
        if bar.merged > 0 {
            return [format!("…{}", bar.merged + 1), String::new()];
        }
        let mark = match outcome {
            CallOutcome::Succeeded => "",
            outcome => outcome.symbol(),
        };
        let tree = self.formatter.tree;
        let share = gas_share(tree, bar.frame, self.options.share_of_parent);
        let grouped = |gas: u64| Grouped(gas).to_string();
        let gas = tree.get(bar.frame).map_or_else(String::new, |frame| {
            format!("{}, self {}", frame.format_gas_used(grouped), own_gas(frame, grouped))
        });
        let label = self.formatter.call_label(bar.frame).line();
        [format!("{mark}{} {share}", label.trim_start_matches("↪ ")), gas]
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trace::test_util::{SampleCall, calls_by_level_ups, sample_tree};

    #[test]
    fn impossible_gas_does_not_shrink_the_calls_inside() {
        let calls = [(&[][..], 1_000), (&[0], 10), (&[1], 30)];
        let calls = calls.map(|(path, gas)| SampleCall { gas, ..SampleCall::at(path) });
        let bars = layout_bars(&sample_tree(&calls), 0, Rect::new(0, 0, 40, 9));
        let mut widths: Vec<_> = bars.iter().map(|bar| (bar.frame, bar.width)).collect();
        widths.sort_unstable();
        assert_eq!(widths, [(0, 40), (1, 10), (2, 30)], "of 1,000 gas used 255 are the limit");
    }

    proptest! {
        #[test]
        fn child_widths_and_own_width_add_up(
            ups in prop::collection::vec(0usize..4, 0..60),
            gas in prop::collection::vec(0u64..100_000, 61),
            width in 1u16..200,
        ) {
            let mut calls = calls_by_level_ups(&ups);
            for (call, gas) in calls.iter_mut().zip(gas) {
                call.gas = gas;
            }
            let tree = sample_tree(&calls);
            let bars = layout_bars(&tree, 0, Rect::new(3, 0, width, 99));
            prop_assert_eq!((bars[0].x, bars[0].width), (3, width));
            for bar in bars.iter().filter(|bar| bar.merged == 0) {
                let below = bars.iter().filter(|p| {
                    p.row == bar.row + 1 && (bar.x..bar.x + bar.width).contains(&p.x)
                });
                let sum: u16 = below.map(|p| p.width).sum();
                prop_assert!(sum + bar.own_width == bar.width, "{bar:?} {sum}");
            }
        }
    }
}
