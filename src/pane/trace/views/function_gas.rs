//! The view of gas by function: the self gas, the share and the calls of each, as bars.

use std::cmp::Ordering;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect};
use ratatui::style::Style;

use crate::calls::formatter::CallFormatter;
use crate::chain::U256;
use crate::chain::amount::Grouped;
use crate::chain::percent::Percent;
use crate::messages::trace;
use crate::pane::merge_sort::MergeSort;
use crate::pane::trace::rows::call_row::CallPainter;
use crate::pane::trace::rows::gas_columns::own_gas;
use crate::time_slice::TimeSlice;
use crate::trace::CallTree;
use crate::trace::gas_by_function::{FunctionGas, FunctionGasSum};
use crate::trace::tree::{format_path, to_index};
use crate::ui::address_mark::AddressMark;
use crate::ui::bars::bar;
use crate::ui::format::width;
use crate::ui::selection::draw_selection;
use crate::ui::text::{draw_pieces, draw_text};
use crate::ui::theme::Role;

const TITLES: [&str; 3] = ["self gas", "%", "calls"];
/// Width from which there are bars.
const BARS_FROM: u16 = 50;
const MAX_BAR_COLUMNS: u16 = 40;

#[derive(Debug, Default)]
pub struct FunctionGasView {
    /// The sum, until all calls are added.
    sum: Option<FunctionGasSum>,
    /// The functions by their first calls.
    functions: Vec<FunctionGas>,
    /// The order of the rows, once it is known.
    order: MergeSort,
    total: u64,
    cursor: ChartCursor,
}

impl FunctionGasView {
    pub fn new(tree: &CallTree) -> Self {
        let mut view = Self { sum: Some(FunctionGasSum::default()), ..Self::default() };
        view.continue_sum(tree);
        view
    }

    pub fn is_complete(&self) -> bool {
        self.sum.is_none() && self.order.is_done()
    }

    /// Adds the next calls to the sum, or sorts the functions, if it is not complete.
    pub fn continue_sum(&mut self, tree: &CallTree) {
        let mut slice = TimeSlice::begin();
        while let Some(sum) = self.sum.as_mut().filter(|_| slice.has_time()) {
            if !sum.add_next(tree) {
                (self.functions, self.total) = self.sum.take().unwrap_or_default().finish();
                self.order = MergeSort::of(self.functions.len());
            }
        }
        while !self.is_complete() && !slice.is_over() {
            let order = |one, other| match [one, other].map(|n: usize| self.functions.get(n)) {
                [Some(one), Some(other)] => one.order(other),
                _ => Ordering::Equal,
            };
            self.order.step(&order);
        }
    }

    /// Returns the places of the functions in the order of the rows, once it is known.
    fn rows(&self) -> &[usize] {
        if self.is_complete() { self.order.sorted() } else { &[] }
    }

    fn get(&self, row: usize) -> Option<&FunctionGas> {
        self.functions.get(*self.rows().get(row)?)
    }

    /// Returns the call of the selected function with the most self gas.
    pub fn selected_call(&self) -> Option<u32> {
        self.get(self.cursor.selected).map(|function| function.hottest)
    }

    /// Selects the function whose hottest call is `call`.
    pub fn select_function_of(&mut self, call: u32) {
        let function = self.functions.iter().find(|function| function.hottest == call);
        let is_before = |at: &usize| {
            self.functions.get(*at).zip(function).is_some_and(|(at, found)| at.order(found).is_lt())
        };
        self.cursor.selected = self.rows().partition_point(is_before);
    }

    pub fn move_selection(&mut self, by: isize) {
        self.cursor.step(by, self.rows().len());
    }

    pub fn click(&mut self, at: Position, area: Rect) -> Option<bool> {
        let rows = below_titles(area);
        let line = rows.contains(at).then(|| usize::from(at.y - rows.y))?;
        let selected = self.cursor.selected - self.first(rows).min(self.cursor.selected);
        let row = match line.checked_sub(selected + 1) {
            None => self.first(rows) + line,
            Some(below) => self.cursor.selected + 1 + below.checked_sub(self.listed_calls())?,
        };
        (row < self.rows().len()).then(|| std::mem::replace(&mut self.cursor.selected, row) == row)
    }

    pub fn draw(&self, painter: &CallPainter<'_>, area: Rect, buf: &mut Buffer) {
        let dim = painter.styles.of(Role::Dim);
        if !self.is_complete() {
            draw_text(buf, area, trace::ADDING_UP, dim);
            return;
        }
        let rows = below_titles(area);
        let first = self.first(rows);
        let shown = (first..first + usize::from(rows.height)).map_while(|row| self.get(row));
        let cells: Vec<_> = shown.clone().map(|function| self.cells(function)).collect();
        let fit = |n: usize| {
            let cells = cells.iter().filter_map(|cells| cells.get(n)).map(|cell| width(cell));
            cells.chain(TITLES.get(n).map(|title| width(title))).max().unwrap_or_default()
        };
        let widths = [0, 1, 2].map(fit);
        let bar_columns = match area.width {
            ..BARS_FROM => 0,
            columns => usize::from((columns / 5).min(MAX_BAR_COLUMNS)),
        };
        let titles = aligned(&TITLES.map(str::to_owned), widths);
        let blank = " ".repeat(bar_columns + usize::from(bar_columns > 0) * 2);
        draw_text(buf, area, &format!("{titles}{blank}function"), dim);
        let name_column = titles.len() + blank.len();
        let mut lines = rows.rows();
        for (n, (function, cells)) in shown.zip(cells).enumerate() {
            let Some(line) = lines.next() else { break };
            let scale = self.get(0).map_or(0, |most| most.own_gas);
            let mut bar = bar(U256::from(function.own_gas), U256::from(scale), bar_columns);
            bar.push_str(if bar_columns > 0 { "  " } else { "" });
            let pieces = [
                (aligned(&cells, widths), Style::new()),
                (bar, hue_style(painter, function.hottest)),
                (function_name(&painter.formatter, function.hottest), Style::new()),
            ];
            draw_pieces(buf, line, pieces);
            if first + n == self.cursor.selected {
                draw_selection(buf, line, painter.styles.selection());
                for text in self.call_lines(function, &painter.formatter) {
                    let Some(line) = lines.next() else { break };
                    let x = line.x.saturating_add(u16::try_from(name_column).unwrap_or(u16::MAX));
                    let at = Rect { x, width: line.right().saturating_sub(x), ..line };
                    draw_text(buf, at, &text, dim);
                }
            }
        }
    }

    /// Returns the first function on the screen, so that the calls below the selected one fit.
    fn first(&self, rows: Rect) -> usize {
        self.cursor.first(usize::from(rows.height).saturating_sub(self.listed_calls()))
    }

    /// Returns the number of lines below the selected function. The details have the only call.
    fn listed_calls(&self) -> usize {
        let function = self.get(self.cursor.selected).filter(|function| function.calls > 1);
        function.map_or(0, |function| {
            let listed = function.first_calls().len();
            listed + usize::from(to_index(function.calls) > listed)
        })
    }

    /// Returns the lines of a function's first calls: path, self gas, arguments and result.
    fn call_lines(&self, function: &FunctionGas, formatter: &CallFormatter<'_>) -> Vec<String> {
        let listed = function.first_calls();
        let line = |call: &u32| {
            let path = format_path(&formatter.tree.path(*call));
            let own = formatter
                .tree
                .get(*call)
                .map(|frame| own_gas(frame, |gas| Grouped(gas).to_string()));
            let label = formatter.call_label(*call).function;
            let result = formatter.result_text(*call);
            format!("  {path}  {}  {label}  {result}", own.unwrap_or_default())
        };
        let more = to_index(function.calls).saturating_sub(listed.len());
        let more = (more > 0).then(|| format!("  … {} more", Grouped(more)));
        let lines = listed.iter().map(line).chain(more);
        lines.take(self.listed_calls()).collect()
    }

    /// Returns self gas, share and number of calls. `≤` marks gas that is not exact.
    fn cells(&self, function: &FunctionGas) -> [String; 3] {
        let mark = if function.is_exact { "" } else { "≤" };
        let percent = Percent::of(function.own_gas, self.total);
        [
            format!("{mark}{}", Grouped(function.own_gas)),
            percent.map_or("—".into(), |percent| format!("{percent:.1}")),
            Grouped(function.calls).to_string(),
        ]
    }
}

/// Returns the style of a bar in the colour of the called contract.
fn hue_style(painter: &CallPainter<'_>, call: u32) -> Style {
    let contract = painter.formatter.tree.target_address(call);
    painter.styles.mark_hue(contract.map_or(0, |address| AddressMark::new(&address).hue()))
}

fn below_titles(area: Rect) -> Rect {
    let y = area.y.saturating_add(1).min(area.bottom());
    Rect { y, height: area.bottom() - y, ..area }
}

fn aligned(cells: &[String; 3], widths: [usize; 3]) -> String {
    let cells = cells.iter().zip(widths).map(|(cell, width)| format!("{cell:>width$}  "));
    cells.collect()
}

/// Returns the contract and the function of a call, without its arguments.
fn function_name(formatter: &CallFormatter<'_>, call: u32) -> String {
    if formatter.tree.get(call).is_some_and(|frame| frame.kind.creates()) {
        return "creations".into();
    }
    let label = formatter.call_label(call);
    let name = label.function.split(['(', ':']).next().unwrap_or_default();
    let name = if name.is_empty() { "no calldata" } else { name };
    let target = label.target.trim_start_matches("↪ ");
    if target.is_empty() { name.to_owned() } else { [target, ".", name].concat() }
}

/// The selected row of the view.
#[derive(Debug, Clone, Copy, Default)]
struct ChartCursor {
    selected: usize,
}

impl ChartCursor {
    fn step(&mut self, by: isize, len: usize) {
        self.selected = self.selected.saturating_add_signed(by).min(len.saturating_sub(1));
    }

    /// Returns the first row on a screen of `height` rows.
    fn first(self, height: usize) -> usize {
        self.selected.saturating_sub(height.saturating_sub(1))
    }
}
