//! The places of an icicle's bars: children from the left, the call's own gas to the right of them.
//!
//! The selected call always has a bar: of calls narrower than a column it gets one, and in a trace
//! deeper than the screen is high the upper levels leave the screen.

use std::ops::Range;

use ratatui::layout::{Constraint, Layout, Position, Rect};

use crate::calls::gas::gas_of_whole;
use crate::trace::{CallFrame, CallTree};

/// Narrower bars have no text.
pub const MIN_LABEL_COLUMNS: u16 = 4;
/// Usual width of contract and function.
const CALL_COLUMNS: u16 = 32;
/// Lines beyond which a narrow bar gets no more space than others.
const MAX_LABEL_LINES: u16 = 6;
/// Lines of a level that show its own gas below the text.
const SPARE_LINES: u16 = 2;
/// Calls of larger traces are not asked for their depth each time that the screen is divided.
const MAX_MEASURED_CALLS: usize = 4_096;
/// The line below the bars above a detail: the legend.
const LINES_BELOW: u16 = 1;
/// Lower views have no legend.
const MIN_LINES_WITH_LEGEND: u16 = 8;
/// Maximum lines of calls around the root.
const MAX_ANCESTOR_LINES: u16 = 3;

/// The parts of the view, from the top.
#[derive(Debug)]
pub struct IcicleAreas {
    /// A line for each call around the root.
    pub ancestors: Rect,
    pub chart: Rect,
    /// The line with the selected call, where no detail has it.
    pub caption: Rect,
    /// The line with the names of the colours.
    pub legend: Rect,
    /// The line of the note on deeper calls, where there is neither of these.
    pub note: Rect,
}

impl IcicleAreas {
    /// Divides an area. Without colours, or space for bars of several lines, there is no legend.
    pub fn new(area: Rect, ancestors: u16, has_colours: bool, has_caption: bool) -> Self {
        let caption = u16::from(has_caption && area.height > 1);
        let legend = u16::from(has_colours && area.height > MIN_LINES_WITH_LEGEND);
        let heights = [
            Constraint::Length(ancestors),
            Constraint::Min(0),
            Constraint::Length(caption),
            Constraint::Length(legend),
        ];
        let [ancestors, chart, caption, legend] = area.layout(&Layout::vertical(heights));
        Self { ancestors, chart, caption, legend, note: Rect::ZERO }
    }

    /// Takes a line of the bars for the note on deeper calls, if there are any and no other line has space.
    pub fn with_note(mut self, tree: &CallTree, root: u32, selected: u32) -> Self {
        let has_line = !self.caption.is_empty() || !self.legend.is_empty();
        if !has_line
            && self.chart.height > 1
            && Icicle::new(tree, root, selected, self.chart).has_more_below
        {
            self.chart.height -= 1;
            self.note = Rect { y: self.chart.bottom(), height: 1, ..self.chart };
        }
        self
    }

    /// Returns the calls around the root that have a line, from the outermost.
    pub fn ancestor_calls(&self, tree: &CallTree, root: u32) -> Vec<u32> {
        let nearest = tree.ancestors(root).take(usize::from(self.ancestors.height));
        let mut calls: Vec<u32> = nearest.collect();
        calls.reverse();
        calls
    }
}

/// Returns the lines of the calls around the root in a view of some lines.
pub fn ancestor_lines(tree: &CallTree, root: u32, lines: u16) -> u16 {
    let all = u16::try_from(tree.ancestors(root).count()).unwrap_or(u16::MAX);
    all.min(MAX_ANCESTOR_LINES).min(lines / 4)
}

/// The bar of a call, or of neighbours that are narrower than a column.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IcicleBar {
    /// The call, or the first of several.
    pub frame: u32,
    /// The number of further calls in the bar.
    pub merged: u32,
    pub level: u16,
    x: u16,
    width: u16,
    /// The columns of the call's own gas.
    pub own_width: u16,
}

impl IcicleBar {
    fn new(frame: u32, level: u16, x: u16, width: u16) -> Self {
        Self { frame, merged: 0, level, x, width, own_width: width }
    }

    pub(super) fn width(&self) -> u16 {
        self.width
    }
}

/// The bars of a call and its descendants, whose levels share the lines.
#[derive(Debug)]
pub struct Icicle {
    /// By level, from the left.
    pub bars: Vec<IcicleBar>,
    /// The first level on the screen.
    pub first_level: u16,
    /// The first line of each level, and the end of the last.
    level_starts: Vec<u16>,
    /// `true` if calls have no bar because they are deeper than the screen is high.
    pub has_more_below: bool,
}

impl Icicle {
    pub fn new(tree: &CallTree, root: u32, selected: u32, area: Rect) -> Self {
        let path = path_below(tree, root, selected);
        let selected_level = u16::try_from(path.len()).unwrap_or(u16::MAX);
        let first_level = (selected_level + 1).saturating_sub(area.height.max(1));
        let (mut bars, deepest) = layout_bars(tree, root, &path, first_level + area.height, area);
        let all = deepest + 1 - first_level;
        let has_more_below = all > area.height;
        let levels = all.min(area.height);
        bars.retain(|bar| (first_level..first_level + levels).contains(&bar.level));
        bars.sort_unstable_by_key(|bar| (bar.level, bar.x));
        let level_starts = level_starts(&bars, first_level..first_level + levels, area.height);
        Self { bars, first_level, level_starts, has_more_below }
    }

    pub fn rect(&self, bar: &IcicleBar, area: Rect) -> Rect {
        let level = usize::from(bar.level - self.first_level);
        let [from, to] = [level, level + 1]
            .map(|level| self.level_starts.get(level).copied().unwrap_or_default());
        Rect::new(bar.x, area.y.saturating_add(from), bar.width, to - from).intersection(area)
    }

    /// Returns `true` if no bar begins where one ends.
    pub fn is_end(&self, bar: &IcicleBar) -> bool {
        let is_next = |next: &&IcicleBar| next.level == bar.level && next.x == bar.x + bar.width;
        !self.bars.iter().any(|next| is_next(&next))
    }

    /// Returns the call, or the first of several, whose bar is at a position.
    pub fn call_at(&self, at: Position, area: Rect) -> Option<u32> {
        self.bars.iter().find(|bar| self.rect(bar, area).contains(at)).map(|bar| bar.frame)
    }
}

/// Shares lines among levels: as many for each as are of use, else one for each and the rest by the text
/// of their narrowest bars.
fn level_starts(bars: &[IcicleBar], levels: Range<u16>, lines: u16) -> Vec<u16> {
    let text_lines = |level: u16| {
        let here = bars.iter().filter(|bar| bar.level == level && bar.width >= MIN_LABEL_COLUMNS);
        let narrowest = here.map(|bar| bar.width - 2).min().unwrap_or(CALL_COLUMNS);
        (CALL_COLUMNS.div_ceil(narrowest) + 1).min(MAX_LABEL_LINES)
    };
    let wanted: Vec<u16> = levels.map(text_lines).collect();
    let useful = wanted.iter().scan(0, |end, lines| {
        *end += lines + SPARE_LINES;
        Some(*end)
    });
    let useful: Vec<u16> = std::iter::once(0).chain(useful).collect();
    if let Some(spare) = useful.last().and_then(|end| lines.checked_sub(*end)) {
        // The rest makes the levels higher, of several those below the first, which says least.
        let first = usize::from(wanted.len() > 1);
        let higher = (wanted.len() - first).max(1);
        let more = |level: usize| usize::from(spare) * level.saturating_sub(first) / higher;
        let start = |(level, start): (usize, u16)| usize::from(start) + more(level);
        let starts = useful.into_iter().enumerate().map(start);
        return starts.map(|start| u16::try_from(start).unwrap_or(u16::MAX)).collect();
    }
    let (count, sum) = (wanted.len(), wanted.iter().sum::<u16>().max(1));
    let spare = usize::from(lines).saturating_sub(count);
    let start = |level: usize| {
        let before: u16 = wanted.iter().take(level).sum();
        level + spare * usize::from(before) / usize::from(sum)
    };
    (0..=count).map(|level| u16::try_from(start(level)).unwrap_or(u16::MAX)).collect()
}

/// Returns the most lines that are of use for a call and the calls in it, at most `most`.
pub fn useful_lines(tree: &CallTree, root: u32, most: u16) -> u16 {
    let depth = |call| tree.get(call).map_or(0, |frame| frame.depth);
    let is_long = tree.subtree(root).len() > MAX_MEASURED_CALLS;
    let deepest = tree.subtree(root).take(MAX_MEASURED_CALLS).map(depth).max();
    let levels = deepest.unwrap_or_default().saturating_sub(depth(root));
    // The root has one bar, whose text fits on a line or two.
    let lines =
        LINES_BELOW + 2 * SPARE_LINES + levels.min(most) * (MAX_LABEL_LINES + SPARE_LINES) * 3 / 2;
    if is_long { most } else { lines.min(most) }
}

/// Returns the calls from below the root down to the selected one.
fn path_below(tree: &CallTree, root: u32, selected: u32) -> Vec<u32> {
    let chain = || std::iter::once(selected).chain(tree.ancestors(selected));
    if !chain().any(|frame| frame == root) {
        return Vec::new();
    }
    let mut path: Vec<u32> = chain().take_while(|frame| *frame != root).collect();
    path.reverse();
    path
}

/// Lays out a call and its descendants above the level `end`, and returns the deepest level with calls,
/// which may be `end`. The widths of children and own gas add up to the width of the call.
fn layout_bars(
    tree: &CallTree,
    root: u32,
    path: &[u32],
    end: u16,
    area: Rect,
) -> (Vec<IcicleBar>, u16) {
    let (mut bars, mut deepest) = (Vec::new(), 0);
    let mut open = vec![IcicleBar::new(root, 0, area.x, area.width)];
    while let Some(mut bar) = open.pop() {
        if bar.width == 0 {
            continue;
        }
        deepest = deepest.max(bar.level);
        if bar.level >= end {
            continue;
        }
        if bar.merged == 0 {
            let mut children = child_bars(tree, &bar);
            let is_parent = bar.level == 0
                || path.get(usize::from(bar.level) - 1).is_some_and(|frame| *frame == bar.frame);
            if let Some(frame) = path.get(usize::from(bar.level)).filter(|_| is_parent) {
                give_column(tree, *frame, &bar, &mut children);
            }
            let taken: u16 = children.iter().map(|child| child.width).sum();
            bar.own_width = bar.width.saturating_sub(taken);
            open.extend(children);
        }
        bars.push(bar);
    }
    (bars, deepest)
}

/// Returns the bars of a call's children. Neighbours narrower than a column share one. From half a column on,
/// a wider bar loses one to them. The last ones share the column of a call before them.
fn child_bars(tree: &CallTree, parent: &IcicleBar) -> Vec<IcicleBar> {
    let Some(columns) = ChildColumns::new(tree, parent) else { return Vec::new() };
    let mut bars: Vec<IcicleBar> = Vec::new();
    let (mut gas, mut end) = (0, 0);
    // With the gas before it.
    let mut narrow: Option<(IcicleBar, u128)> = None;
    for child in tree.children(parent.frame) {
        let (before, start) = (gas, end);
        gas += gas_used(tree, child);
        end = columns.at(gas);
        let width = end.saturating_sub(start);
        let mut bar = IcicleBar::new(child, parent.level + 1, parent.x + start, width);
        match (width, narrow.take()) {
            (0, None) => narrow = Some((bar, before)),
            (0, Some((first, before))) => {
                narrow = Some((IcicleBar { merged: first.merged + 1, ..first }, before));
            }
            (1, Some((first, _))) => {
                bars.push(IcicleBar { frame: first.frame, merged: first.merged + 1, ..bar });
            }
            (_, Some((first, from))) if columns.is_half(before - from) => {
                bars.push(IcicleBar { width: 1, ..first });
                (bar.x, bar.width) = (bar.x + 1, bar.width - 1);
                bars.push(bar);
            }
            _ => bars.push(bar),
        }
    }
    if let Some((last, from)) = narrow {
        match bars.last_mut() {
            Some(before) if before.width == 1 && !columns.is_half(gas - from) => {
                before.merged += last.merged + 1;
            }
            _ if columns.is_half(gas - from) => push_last(last, parent, &mut bars),
            _ => {}
        }
    }
    bars
}

/// Gives the last bar a column: the first of the parent's own gas, or the last of the bar before it.
fn push_last(last: IcicleBar, parent: &IcicleBar, bars: &mut Vec<IcicleBar>) {
    let end = parent.x + parent.width;
    if last.x >= end {
        let Some(before) = bars.last_mut().filter(|before| before.width > 1) else { return };
        before.width -= 1;
    }
    bars.push(IcicleBar { x: last.x.min(end - 1), width: 1, ..last });
}

fn gas_used(tree: &CallTree, frame: u32) -> u128 {
    u128::from(tree.get(frame).and_then(CallFrame::gas_used).unwrap_or(0))
}

/// The columns of a bar by the gas of its call.
struct ChildColumns {
    width: u16,
    gas: u128,
}

impl ChildColumns {
    fn new(tree: &CallTree, parent: &IcicleBar) -> Option<Self> {
        let sum: u128 = tree.children(parent.frame).map(|child| gas_used(tree, child)).sum();
        // Failed calls that hide their gas, and odd nodes, can have children that sum to more.
        let gas = gas_of_whole(tree, parent.frame).map_or(0, u128::from).max(sum);
        (gas > 0).then_some(Self { width: parent.width, gas })
    }

    /// Returns `true` if gas is at least half a column.
    fn is_half(&self, gas: u128) -> bool {
        2 * gas * u128::from(self.width) >= self.gas
    }

    fn at(&self, gas: u128) -> u16 {
        u16::try_from(gas * u128::from(self.width) / self.gas).unwrap_or(self.width)
    }
}

/// Gives a child a column of its own, which a neighbour loses, unless it has one already.
fn give_column(tree: &CallTree, child: u32, parent: &IcicleBar, bars: &mut Vec<IcicleBar>) {
    if bars.iter().any(|bar| bar.frame == child && bar.merged == 0) {
        return;
    }
    let before: u128 = tree
        .children(parent.frame)
        .take_while(|frame| *frame != child)
        .map(|frame| gas_used(tree, frame))
        .sum();
    let start = ChildColumns::new(tree, parent).map_or(0, |columns| columns.at(before));
    let x = parent.x + start.min(parent.width - 1);
    bars.retain(|bar| bar.width > 1 || bar.x != x);
    for bar in bars.iter_mut().filter(|bar| (bar.x..bar.x + bar.width).contains(&x)) {
        bar.x += u16::from(bar.x == x);
        bar.width -= 1;
    }
    bars.push(IcicleBar::new(child, parent.level + 1, x, 1));
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::*;
    use crate::trace::test_util::{SampleCall, calls_by_level_ups, sample_tree};

    #[test]
    fn narrow_calls_get_more_lines() {
        let bars = [(0, 80), (1, 80), (1, 16), (2, 3)]
            .map(|(level, width)| IcicleBar::new(0, level, 0, width));
        assert_eq!(level_starts(&bars, 0..3, 21), [0, 4, 13, 21], "all lines are used");
        assert_eq!(level_starts(&bars, 0..3, 3), [0, 1, 2, 3]);
        assert_eq!(level_starts(&bars, 1..3, 9), [0, 5, 9]);
    }

    #[test]
    fn narrow_calls_between_wide_ones_have_a_bar() {
        // The limit of the gas is 255.
        let calls = [(&[][..], 240), (&[0], 96), (&[1], 2), (&[2], 2), (&[3], 120), (&[4], 4)]
            .map(|(path, gas)| SampleCall { gas, ..SampleCall::at(path) });
        let (mut bars, _) = layout_bars(&sample_tree(&calls), 0, &[], 9, Rect::new(0, 0, 40, 9));
        bars.sort_unstable_by_key(|bar| (bar.level, bar.x));
        let places = bars.iter().skip(1).map(|bar| (bar.frame, bar.merged, bar.x, bar.width));
        assert_eq!(
            places.collect::<Vec<_>>(),
            [(1, 0, 0, 16), (2, 1, 16, 1), (4, 0, 17, 19), (5, 0, 36, 1)],
            "not dropped"
        );
    }

    #[test]
    fn last_narrow_calls_share_the_column_before_them() {
        // The limit of the gas is 255.
        let calls = [(&[][..], 200), (&[0], 180), (&[1], 3), (&[2], 2)]
            .map(|(path, gas)| SampleCall { gas, ..SampleCall::at(path) });
        let (mut bars, _) = layout_bars(&sample_tree(&calls), 0, &[], 9, Rect::new(0, 0, 40, 9));
        bars.sort_unstable_by_key(|bar| (bar.level, bar.x));
        let places = bars.iter().skip(1).map(|bar| (bar.frame, bar.merged, bar.width));
        assert_eq!(places.collect::<Vec<_>>(), [(1, 0, 36), (2, 1, 1)]);
    }

    #[test]
    fn levels_share_all_lines() {
        let calls = [(&[][..], 200), (&[0], 100)]
            .map(|(path, gas)| SampleCall { gas, ..SampleCall::at(path) });
        let (tree, area) = (sample_tree(&calls), Rect::new(0, 0, 80, 20));
        let icicle = Icicle::new(&tree, 0, 0, area);
        let heights = icicle.bars.iter().map(|bar| icicle.rect(bar, area).height);
        assert_eq!(heights.collect::<Vec<_>>(), [4, 16]);
    }

    #[test]
    fn impossible_gas_does_not_shrink_the_calls_inside() {
        let calls = [(&[][..], 1_000), (&[0], 10), (&[1], 30)]
            .map(|(path, gas)| SampleCall { gas, ..SampleCall::at(path) });
        let (bars, _) = layout_bars(&sample_tree(&calls), 0, &[], 9, Rect::new(0, 0, 40, 9));
        let mut widths: Vec<_> = bars.iter().map(|bar| (bar.frame, bar.width)).collect();
        widths.sort_unstable();
        assert_eq!(widths, [(0, 40), (1, 10), (2, 30)], "of 1,000 gas used 255 are the limit");
    }

    #[test]
    fn note_on_deeper_calls_takes_a_line_of_the_bars_if_there_is_no_other() {
        let calls = [&[][..], &[0], &[0, 0], &[0, 0, 0], &[0, 0, 0, 0]]
            .map(|path| SampleCall { gas: 200, ..SampleCall::at(path) });
        let tree = sample_tree(&calls);
        let lines = |height, has_caption| {
            let areas = IcicleAreas::new(Rect::new(0, 3, 40, height), 0, false, has_caption);
            let areas = areas.with_note(&tree, 0, 0);
            (areas.chart.height, areas.caption.height, areas.note.height)
        };
        assert_eq!(lines(5, false), (5, 0, 0), "no deeper calls");
        assert_eq!(lines(4, false), (3, 0, 1));
        assert_eq!(lines(4, true), (3, 1, 0));
        assert_eq!(lines(1, false), (1, 0, 0));
    }

    proptest! {
        #[test]
        fn widths_add_up_and_the_selected_call_has_a_bar(
            ups in prop::collection::vec(0usize..4, 0..60),
            gas in prop::collection::vec(0u64..100_000, 61),
            width in 1u16..200,
            height in 2u16..30,
            selected in any::<prop::sample::Index>(),
        ) {
            let mut calls = calls_by_level_ups(&ups);
            for (call, gas) in calls.iter_mut().zip(gas) {
                call.gas = gas;
            }
            let tree = sample_tree(&calls);
            let selected = u32::try_from(selected.index(calls.len())).unwrap();
            let area = Rect::new(3, 0, width, height);
            let icicle = Icicle::new(&tree, 0, selected, area);
            let bar = icicle.bars.iter().find(|bar| bar.frame == selected);
            prop_assert!(bar.is_some_and(|bar| !icicle.rect(bar, area).is_empty()), "{icicle:?}");
            let path = path_below(&tree, 0, selected);
            let (bars, _) = layout_bars(&tree, 0, &path, 99, area);
            prop_assert_eq!((bars[0].x, bars[0].width), (3, width));
            for bar in bars.iter().filter(|bar| bar.merged == 0) {
                let below = bars.iter().filter(|p| {
                    p.level == bar.level + 1 && (bar.x..bar.x + bar.width).contains(&p.x)
                });
                let sum: u16 = below.map(|p| p.width).sum();
                prop_assert!(sum + bar.own_width == bar.width, "{bar:?} {sum}");
            }
        }
    }
}
