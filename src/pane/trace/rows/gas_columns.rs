//! The gas columns on the left of the calls, as wide as the numbers on the screen.

use std::ops::Range;

use crate::calls::gas::{abbreviate_gas, gas_bar, gas_of_whole, gas_share, own_gas};
use crate::chain::amount::Grouped;
use crate::pane::trace::folds::SiblingOrder;
use crate::trace::{CallFrame, CallTree};
use crate::ui::format::width;

/// Width above which gas is abbreviated.
const MAX_GAS_COLUMNS: usize = 13;
const PERCENT_COLUMNS: usize = 5;
/// Width of rows from which the gas of a call itself is a column.
const MIN_SELF_COLUMNS: u16 = 90;
/// Width of rows from which the kind of a call is a word.
const MIN_BADGE_COLUMNS: u16 = 90;
/// Columns of the bars where the reason of a failure needs the others.
const MAX_TIGHT_BAR: usize = 8;
/// The two parts of a bar: the gas of a call itself, and of the calls in it.
const BAR_LEGEND: &str = "█self ░inner";
const LEGEND_COLUMNS: usize = 12;
const TITLES: [&str; 2] = ["gas", "self"];

/// The widths of the columns; 0 leaves one out.
pub struct GasColumns {
    is_abbreviated: bool,
    gas: usize,
    own: usize,
    percent: usize,
    bar: usize,
    /// `true` if the kinds of most calls are letters.
    pub has_letters: bool,
}

impl GasColumns {
    pub fn measure(tree: &CallTree, calls: &[u32], row_width: u16) -> Self {
        let (percent, bar) = match row_width {
            100.. => (PERCENT_COLUMNS, LEGEND_COLUMNS),
            56..100 => (0, 4),
            _ => (0, 0),
        };
        let (is_abbreviated, has_letters) =
            (row_width < MIN_SELF_COLUMNS, has_short_badges(row_width));
        let mut columns = Self { is_abbreviated, gas: 0, own: 0, percent, bar, has_letters };
        columns.fit(tree, calls);
        if columns.gas.max(columns.own) > MAX_GAS_COLUMNS {
            columns.is_abbreviated = true;
            columns.fit(tree, calls);
        }
        // The bars show it, and the details of the call have the number.
        if row_width < MIN_SELF_COLUMNS {
            columns.own = 0;
        }
        columns
    }

    /// Leaves more space to the calls, with shorter bars and kinds.
    #[must_use]
    pub fn tightened(self) -> Self {
        Self { bar: self.bar.min(MAX_TIGHT_BAR), has_letters: true, ..self }
    }

    /// Takes the widths of the numbers on the screen and of the root's, which is mostly the largest.
    fn fit(&mut self, tree: &CallTree, calls: &[u32]) {
        let shown = calls.iter().chain(&[0]).filter_map(|number| tree.get(*number));
        let [gas, own] = TITLES.map(|title| width(title) + 1);
        (self.gas, self.own) = shown
            .map(|frame| [self.gas_text(frame), self.own_text(frame)].map(|text| width(&text)))
            .fold((gas, own), |(gas, own), [used, self_gas]| (gas.max(used), own.max(self_gas)));
    }

    fn number(&self, gas: u64) -> String {
        if self.is_abbreviated { abbreviate_gas(gas) } else { Grouped(gas).to_string() }
    }

    fn gas_text(&self, frame: &CallFrame) -> String {
        frame.format_gas_used(|gas| self.number(gas))
    }

    fn own_text(&self, frame: &CallFrame) -> String {
        own_gas(frame, |gas| self.number(gas))
    }

    /// Returns the width of all columns, with the space after each.
    pub fn width(&self) -> usize {
        [self.gas, self.own, self.percent, self.bar].iter().filter(|w| **w > 0).map(|w| w + 1).sum()
    }

    /// Returns the columns of the bars in rows that begin with the gutter.
    pub fn bars(&self) -> Range<u16> {
        let bar = u16::try_from(self.bar).unwrap_or_default();
        let gap = u16::from(bar > 0);
        let end = u16::try_from(1 + self.width()).unwrap_or(u16::MAX).saturating_sub(gap);
        end.saturating_sub(bar)..end
    }

    /// Returns the cells of a call: gas, self gas, percent and bar.
    pub fn cells(&self, tree: &CallTree, number: u32, of_parent: bool) -> [String; 4] {
        let Some(frame) = tree.get(number) else { return Default::default() };
        let cells = [
            self.gas_text(frame),
            self.own_text(frame),
            gas_share(tree, number, of_parent),
            gas_bar(frame, gas_of_whole(tree, 0), self.bar),
        ];
        self.aligned(cells)
    }

    /// Returns the titles, with a mark at the column that siblings are sorted by, and one at shares of the
    /// parent's gas.
    pub fn titles(&self, order: SiblingOrder, of_parent: bool) -> String {
        let [gas, own] = TITLES;
        let mark = |title: &str, column| {
            if order == column { ["↓", title].concat() } else { title.to_owned() }
        };
        let percent = if of_parent { "% ↑" } else { "%" }.to_owned();
        let [gas, own] = [mark(gas, SiblingOrder::Gas), mark(own, SiblingOrder::OwnGas)];
        let bar = format!("{BAR_LEGEND:<width$}", width = self.bar);
        self.aligned([gas, own, percent, bar]).concat()
    }

    /// Returns the columns of the legend, which begins over the bars and may be wider.
    pub fn legend(&self) -> Range<u16> {
        let Range { start, end } = self.bars();
        let legend = u16::try_from(width(BAR_LEGEND)).unwrap_or_default();
        start..if start == end { end } else { end.max(start.saturating_add(legend)) }
    }

    fn aligned(&self, cells: [String; 4]) -> [String; 4] {
        let mut widths = [self.gas, self.own, self.percent, self.bar].into_iter();
        cells.map(|cell| match widths.next() {
            None | Some(0) => String::new(),
            Some(width) => format!("{cell:>width$} "),
        })
    }

    /// Returns the sibling order of a click on the titles, or `None` at the percentages.
    pub fn order_at(&self, column: usize) -> Option<SiblingOrder> {
        let gas = self.gas + 1;
        let own = gas + self.own + usize::from(self.own > 0);
        match column {
            _ if column < gas => Some(SiblingOrder::Gas),
            _ if column < own => Some(SiblingOrder::OwnGas),
            _ if column < own + self.percent => None,
            _ => Some(SiblingOrder::Call),
        }
    }
}

/// Returns `true` if the kinds of most calls are letters in rows of a width.
pub fn has_short_badges(row_width: u16) -> bool {
    row_width < MIN_BADGE_COLUMNS
}
