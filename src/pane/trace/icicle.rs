//! Gas as an icicle: a row a depth, as wide as the gas a call used, its own part shaded.

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Modifier;

use super::row::CallPainter;
use crate::trace::{CallFrame, CallOutcome, CallTree};
use crate::ui::format::cut;
use crate::ui::theme::Role;

/// A label needs so many columns.
const MIN_LABEL_WIDTH: u16 = 5;

/// A call, or several that are too narrow to be told apart, on its row.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) struct IcicleBar {
    /// The call, or the first of those.
    pub(super) frame: u32,
    /// How many more share the piece.
    pub(super) merged: u32,
    pub(super) row: u16,
    pub(super) x: u16,
    pub(super) width: u16,
    /// How much of the width is gas of its own.
    pub(super) own_width: u16,
}

impl IcicleBar {
    /// Whether it is drawn there; rows are counted from the first.
    pub(super) fn contains(&self, at: Position) -> bool {
        at.y == self.row && (self.x..self.x.saturating_add(self.width)).contains(&at.x)
    }
}

/// Lays out a call and what is below it: each as wide as its share, the children from the left, the
/// call's own gas to the right of them. Pieces of a call add up to it within one column.
pub(super) fn layout_bars(tree: &CallTree, root: u32, area: Rect) -> Vec<IcicleBar> {
    let mut pieces = Vec::new();
    let mut open = vec![(root, 0, area.x, area.width)];
    while let Some((frame, row, x, width)) = open.pop() {
        if row >= area.height || width == 0 {
            continue;
        }
        let children = child_bars(tree, frame, x, width, row + 1);
        let taken: u16 = children.iter().map(|(piece, _)| piece.width).sum();
        pieces.push(IcicleBar {
            frame,
            merged: 0,
            row,
            x,
            width,
            own_width: width.saturating_sub(taken),
        });
        for (piece, alone) in children {
            if alone {
                open.push((piece.frame, piece.row, piece.x, piece.width));
            } else if piece.row < area.height {
                pieces.push(piece);
            }
        }
    }
    pieces
}

/// The children of a call, those narrower than a column taken together; and whether each is alone.
fn child_bars(tree: &CallTree, frame: u32, x: u16, width: u16, row: u16) -> Vec<(IcicleBar, bool)> {
    let used = |number: u32| tree.get(number).and_then(CallFrame::gas_used).unwrap_or(0);
    let sum: u128 = tree.children(frame).map(|child| u128::from(used(child))).sum();
    // Failed calls that hide their gas, and odd nodes, can have children that sum to more.
    let whole = u128::from(used(frame)).max(sum);
    if whole == 0 {
        return Vec::new();
    }
    let column = |gas: u128| u16::try_from(gas * u128::from(width) / whole).unwrap_or(width);
    let mut pieces: Vec<(IcicleBar, bool)> = Vec::new();
    let (mut gas, mut narrow) = (0_u128, None::<(u32, u32)>);
    for child in tree.children(frame) {
        let start = column(gas);
        gas += u128::from(used(child));
        let wide = column(gas).saturating_sub(start);
        let piece = |frame, more, wide| IcicleBar {
            frame,
            merged: more,
            row,
            x: x + start,
            width: wide,
            own_width: wide,
        };
        match (wide, narrow) {
            (0, None) => narrow = Some((child, 0)),
            (0, Some((first, more))) => narrow = Some((first, more + 1)),
            (wide, None) => pieces.push((piece(child, 0, wide), true)),
            (1, Some((first, more))) => {
                pieces.push((piece(first, more + 1, 1), false));
                narrow = None;
            }
            (wide, Some(_)) => {
                pieces.push((piece(child, 0, wide), true));
                narrow = None;
            }
        }
    }
    pieces
}

impl CallPainter<'_> {
    /// Draws the pieces; the one that holds the selected call, or the nearest above it, is marked.
    pub(super) fn draw_icicle(&self, root: u32, area: Rect, buf: &mut Buffer) {
        let pieces = layout_bars(self.formatter.tree, root, area);
        let selected = self.selected_bar(&pieces);
        for piece in &pieces {
            self.draw_bar(piece, area, buf, selected == Some(*piece));
        }
    }

    fn selected_bar(&self, pieces: &[IcicleBar]) -> Option<IcicleBar> {
        let tree = self.formatter.tree;
        let mut chain = std::iter::once(self.selected).chain(tree.ancestors(self.selected));
        chain.find_map(|frame| pieces.iter().find(|piece| piece.frame == frame).copied())
    }

    fn draw_bar(&self, piece: &IcicleBar, area: Rect, buf: &mut Buffer, selected: bool) {
        let tree = self.formatter.tree;
        let at = Rect::new(piece.x, area.y + piece.row, piece.width, 1).intersection(area);
        let outcome = tree.outcome(piece.frame).unwrap_or(CallOutcome::Succeeded);
        let style = self.styles.of(match outcome {
            CallOutcome::Succeeded if piece.row.is_multiple_of(2) => Role::Value,
            CallOutcome::Succeeded => Role::Accent,
            _ => super::row::outcome_role(outcome),
        });
        let style = style.add_modifier(Modifier::REVERSED);
        let text = self.bar_text(piece, outcome);
        let room = usize::from(at.width);
        let children = piece.width.saturating_sub(piece.own_width);
        for (n, x) in (at.x..at.right()).enumerate() {
            // The call's own gas is shaded.
            let shade = if n >= usize::from(children) && piece.merged == 0 { "░" } else { " " };
            buf.set_string(x, at.y, shade, style);
        }
        if piece.width >= MIN_LABEL_WIDTH {
            buf.set_stringn(at.x + 1, at.y, cut(&text, room.saturating_sub(2)), room, style);
        } else if piece.merged > 0 {
            buf.set_stringn(at.x, at.y, "…", room, style);
        }
        // Neighbours of one colour are told apart by their left edge. What is too narrow for a label
        // says there that it failed.
        let edge = match outcome {
            _ if selected => "▶",
            CallOutcome::Succeeded => "▏",
            _ if piece.width >= MIN_LABEL_WIDTH => "▏",
            outcome => outcome.symbol(),
        };
        buf.set_stringn(at.x, at.y, edge, room, style);
        if selected {
            buf.set_style(
                at,
                self.styles.selection().add_modifier(Modifier::BOLD | Modifier::UNDERLINED),
            );
        }
    }

    fn bar_text(&self, piece: &IcicleBar, outcome: CallOutcome) -> String {
        if piece.merged > 0 {
            return format!("…{}", piece.merged + 1);
        }
        let mark = match outcome {
            CallOutcome::Succeeded => "",
            outcome => outcome.symbol(),
        };
        let share = super::gas::gas_share(self.formatter.tree, piece.frame, self.share_of_parent);
        format!("{mark}{} {share}", self.formatter.call_label(piece.frame).line())
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trace::test_util::{calls_by_level_ups, sample_tree};

    proptest! {
        #[test]
        fn pieces_add_up_to_the_call_they_are_of(
            ups in prop::collection::vec(0usize..4, 0..60),
            gas in prop::collection::vec(0u64..100_000, 61),
            width in 1u16..200,
        ) {
            let mut calls = calls_by_level_ups(&ups);
            for (call, gas) in calls.iter_mut().zip(gas) {
                call.gas = gas;
            }
            let tree = sample_tree(&calls);
            let pieces = layout_bars(&tree, 0, Rect::new(3, 0, width, 99));
            prop_assert_eq!((pieces[0].x, pieces[0].width), (3, width));
            for piece in pieces.iter().filter(|piece| piece.merged == 0) {
                let below = pieces.iter().filter(|p| {
                    p.row == piece.row + 1 && (piece.x..piece.x + piece.width).contains(&p.x)
                });
                let sum: u16 = below.map(|p| p.width).sum();
                prop_assert!(sum + piece.own_width == piece.width, "{piece:?} {sum}");
            }
        }
    }
}
