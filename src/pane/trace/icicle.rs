//! The icicle view of gas: one line per depth, each call as wide as its gas, its own gas shaded.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;

use super::gas::{gas_of_whole, gas_share};
use super::row::{CallPainter, outcome_role};
use crate::trace::{CallFrame, CallOutcome, CallTree};
use crate::ui::format::cut;
use crate::ui::theme::Role;

const MIN_LABEL_WIDTH: u16 = 5;

/// The bar of a call, or of neighbours that are narrower than a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IcicleBar {
    /// The call, or the first of several.
    pub(super) frame: u32,
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

    /// Returns whether the bar is at a position, whose row counts from the first line of the view.
    pub(super) fn contains(&self, at: Position) -> bool {
        at.y == self.row && (self.x..self.x.saturating_add(self.width)).contains(&at.x)
    }
}

/// Lays out a call and its descendants: the children from the left, the call's own gas to the right of
/// them. The widths of children and own gas add up to the width of the call.
pub(super) fn layout_bars(tree: &CallTree, root: u32, area: Rect) -> Vec<IcicleBar> {
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
    /// Draws the bars and marks the one of the selected call, or of its nearest ancestor that has one.
    pub(super) fn draw_icicle(&self, root: u32, area: Rect, buf: &mut Buffer) {
        let bars = layout_bars(self.formatter.tree, root, area);
        let selected = self.selected_bar(&bars);
        for bar in &bars {
            self.draw_bar(bar, area, buf, selected == Some(*bar));
        }
    }

    fn selected_bar(&self, bars: &[IcicleBar]) -> Option<IcicleBar> {
        let ancestors = self.formatter.tree.ancestors(self.selected);
        let mut chain = std::iter::once(self.selected).chain(ancestors);
        chain.find_map(|frame| bars.iter().find(|bar| bar.frame == frame).copied())
    }

    fn draw_bar(&self, bar: &IcicleBar, area: Rect, buf: &mut Buffer, selected: bool) {
        let at = Rect::new(bar.x, area.y + bar.row, bar.width, 1).intersection(area);
        let outcome = self.formatter.tree.outcome(bar.frame).unwrap_or(CallOutcome::Succeeded);
        let style = self.styles.of(match outcome {
            CallOutcome::Succeeded if bar.row.is_multiple_of(2) => Role::Value,
            CallOutcome::Succeeded => Role::Accent,
            _ => outcome_role(outcome),
        });
        let style = style.add_modifier(Modifier::REVERSED);
        let columns = usize::from(at.width);
        let children = bar.width.saturating_sub(bar.own_width);
        for x in at.x..at.right() {
            let shade = if x - at.x >= children && bar.merged == 0 { "░" } else { " " };
            buf.set_string(x, at.y, shade, style);
        }
        if bar.width >= MIN_LABEL_WIDTH {
            let text = self.bar_text(bar, outcome);
            buf.set_stringn(at.x + 1, at.y, cut(&text, columns.saturating_sub(2)), columns, style);
        } else if bar.merged > 0 {
            buf.set_stringn(at.x, at.y, "…", columns, style);
        }
        // The left edge separates neighbours of one colour. In a bar without a label it shows a failure.
        let edge = match outcome {
            _ if selected => "▶",
            CallOutcome::Succeeded => "▏",
            _ if bar.width >= MIN_LABEL_WIDTH => "▏",
            outcome => outcome.symbol(),
        };
        buf.set_stringn(at.x, at.y, edge, columns, style);
        if selected {
            let marked = Modifier::BOLD | Modifier::UNDERLINED;
            buf.set_style(at, self.styles.selection().add_modifier(marked));
        }
    }

    fn bar_text(&self, bar: &IcicleBar, outcome: CallOutcome) -> String {
        if bar.merged > 0 {
            return format!("…{}", bar.merged + 1);
        }
        let mark = match outcome {
            CallOutcome::Succeeded => "",
            outcome => outcome.symbol(),
        };
        let share = gas_share(self.formatter.tree, bar.frame, self.options.share_of_parent);
        format!("{mark}{} {share}", self.formatter.call_label(bar.frame).line())
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
