//! The view of gas by function: the self gas, the share and the calls of each, as bars.

use std::cmp::Reverse;

use ratatui::buffer::Buffer;
use ratatui::layout::{Position, Rect, Rows};
use ratatui::style::Style;

use crate::api::transactions::Transaction;
use crate::calls::formatter::{CallFormatter, CallLabel};
use crate::calls::gas::{bounded, gas_of_whole, has_refund, is_whole, own_gas};
use crate::calls::results::outcome_role;
use crate::chain::U256;
use crate::chain::amount::Grouped;
use crate::chain::percent::Percent;
use crate::messages::trace::{self, TraceNote};
use crate::pane::icicle::contract_hues::ContractHues;
use crate::pane::trace::rows::call_row::CallPainter;
use crate::time_slice::TimeSlice;
use crate::trace::diff::exact_own_gas;
use crate::trace::gas_by_function::{FunctionGas, FunctionGasSum, GasBound};
use crate::trace::tree::to_index;
use crate::trace::{CallFrame, CallOutcome, CallTree};
use crate::ui::address_mark::MARK_WIDTH;
use crate::ui::charts::bar;
use crate::ui::format::{cut, width};
use crate::ui::frame::ScrollExtent;
use crate::ui::selection::draw_selection;
use crate::ui::text::{draw_pieces, draw_text, fit_text};
use crate::ui::theme::Role;

const TITLES: [&str; 4] = ["self gas", "%", "calls", "per call"];
const FUNCTION_TITLE: &str = "function";
/// Minimum columns of a view with bars.
const MIN_WIDTH: u16 = 50;
/// Minimum columns of a view with the gas of each call.
const MIN_WIDTH_PER_CALL: u16 = 90;
/// Place of the fee among the cells of a function.
const FEE_CELL: usize = 4;
/// Minimum columns of a view with fees.
const MIN_WIDTH_FEES: u16 = 110;
/// Columns of bars: of longer ones the numbers would be lost.
const MIN_BAR_COLUMNS: usize = 8;
const MAX_BAR_COLUMNS: usize = 30;
/// Columns between the names and the bars.
const BAR_GAP: usize = 2;

#[derive(Debug, Default)]
pub struct FunctionGasView {
    /// The sum, until all calls are added.
    sum: Option<FunctionGasSum>,
    /// The rows, once all calls are added.
    functions: Vec<FunctionGas>,
    /// The gas of all roots, unless it is unknown or impossible.
    whole: Option<u64>,
    /// The row of the selected function.
    selected: usize,
    /// The hottest call of the function to select once all calls are added.
    start_call: Option<u32>,
}

impl FunctionGasView {
    pub fn new(tree: &CallTree) -> Self {
        let mut view = Self { sum: Some(FunctionGasSum::default()), ..Self::default() };
        view.continue_sum(tree);
        view
    }

    pub fn is_complete(&self) -> bool {
        self.sum.is_none()
    }

    /// Adds the next calls to the sum, if it is not complete.
    pub fn continue_sum(&mut self, tree: &CallTree) {
        let mut slice = TimeSlice::begin();
        while let Some(sum) = self.sum.as_mut().filter(|_| slice.has_time()) {
            if !sum.add_next(tree) {
                self.functions = self.sum.take().unwrap_or_default().finish();
                let mut roots = tree.roots().map(|root| gas_of_whole(tree, root));
                self.whole = roots.try_fold(0, |sum: u64, gas| sum.checked_add(gas?));
                self.select_start();
            }
        }
    }

    /// Describes the selected row: `function 1 of 14`.
    pub fn describe_position(&self) -> String {
        let functions = self.functions.len();
        if functions == 0 {
            return String::new();
        }
        let number = Grouped((self.selected + 1).min(functions));
        TraceNote::Function { number, functions: Grouped(functions) }.to_string()
    }

    /// Returns the call of the selected function with the most self gas.
    pub fn selected_call(&self) -> Option<u32> {
        self.functions.get(self.selected).map(|function| function.hottest)
    }

    /// Selects the function whose hottest call is `call`, once all calls are added.
    pub fn select_function_of(&mut self, call: u32) {
        self.start_call = Some(call);
        self.select_start();
    }

    fn select_start(&mut self) {
        let Some(call) = self.start_call.take_if(|_| self.sum.is_none()) else { return };
        let found = self.functions.iter().position(|function| function.hottest == call);
        self.selected = found.unwrap_or_default();
    }

    /// Returns the calls of the functions on a screen of some lines.
    pub fn drawn_calls(&self, area: Rect) -> Vec<u32> {
        let rows = below_titles(area);
        let first = self.first(rows);
        let shown = self.functions.iter().skip(first).take(rows.height.into());
        shown.flat_map(|function| [&[function.hottest], function.first_calls()].concat()).collect()
    }

    pub fn move_selection(&mut self, by: isize) {
        let last = self.functions.len().saturating_sub(1);
        self.selected = self.selected.saturating_add_signed(by).min(last);
    }

    pub fn click(&mut self, at: Position, area: Rect) -> Option<bool> {
        let rows = below_titles(area);
        let line = rows.contains(at).then(|| usize::from(at.y - rows.y))?;
        let selected = self.selected - self.first(rows).min(self.selected);
        let row = match line.checked_sub(selected + 1) {
            None => self.first(rows) + line,
            Some(below) => self.selected + 1 + below.checked_sub(self.listed_calls())?,
        };
        (row < self.functions.len()).then(|| std::mem::replace(&mut self.selected, row) == row)
    }

    /// Draws the functions. The selected row is as wide as the pane around the area.
    pub fn draw(&self, painter: &CallPainter<'_>, (area, pane): (Rect, Rect), buf: &mut Buffer) {
        let dim = painter.styles.of(Role::Dim);
        if !self.is_complete() {
            draw_text(buf, area, trace::ADDING_UP, dim);
            return;
        }
        let rows = below_titles(area);
        let first = self.first(rows);
        let shown = self.functions.iter().skip(first).take(rows.height.into());
        let price = self.fee_price(&painter.formatter, area.width);
        let fee = |function: &FunctionGas| Some(function_fee(function, price?, &painter.formatter));
        let mut cells: Vec<_> = shown.clone().map(|own| self.cells(own, fee(own))).collect();
        align_points(cells.iter_mut().filter_map(|cells| cells.get_mut(FEE_CELL)).collect());
        let total = self.total_cells();
        let fee_title = price.map(|_| fee_title(&painter.formatter));
        let titles: Vec<String> = shown_titles(area.width).chain(fee_title).collect();
        let widths = column_widths(&titles, &cells.iter().chain(&total));
        let names: Vec<String> =
            shown.clone().map(|function| function_name(&painter.formatter, function)).collect();
        let titles = aligned(&titles, &widths);
        let mark_columns = mark_columns(painter);
        let space = usize::from(area.width).saturating_sub(width(&titles) + mark_columns);
        let longest_name = names.iter().map(|name| width(name)).max().unwrap_or_default();
        let least = if area.width < MIN_WIDTH { 0 } else { MIN_BAR_COLUMNS + BAR_GAP };
        let name_width = longest_name.max(width(FUNCTION_TITLE)).min(space.saturating_sub(least));
        let rest = space.saturating_sub(name_width + BAR_GAP);
        let bar_columns = if least == 0 { 0 } else { rest.min(MAX_BAR_COLUMNS) };
        let longest = if bar_columns > 0 { self.bar_title(rest) } else { String::new() };
        let columns = mark_columns + name_width + BAR_GAP;
        let titles = format!("{titles}{FUNCTION_TITLE:<columns$}{longest}");
        draw_text(buf, area, &titles, painter.styles.of(Role::Title));
        let mut hues = ContractHues::default();
        let scale = U256::from(self.longest().map_or(0, FunctionGas::known_gas));
        let mut lines = rows.rows();
        for (n, ((function, cells), name)) in shown.zip(cells).zip(names).enumerate() {
            let Some(line) = lines.next() else { break };
            let contract = painter.formatter.tree.target_address(function.hottest);
            let hue = contract.map_or(0, |contract| hues.number(&contract));
            let shown_name = cut(&name, name_width);
            let gap = " ".repeat(name_width + BAR_GAP - width(&shown_name));
            let bar = bar(U256::from(function.known_gas()), scale, bar_columns);
            let name_and_bar = [
                ([&*shown_name, &gap].concat(), Style::new()),
                (bar, painter.styles.fill_hue(hue)),
            ];
            let cells = (aligned(&cells, &widths), Style::new());
            let marked = mark_pieces(function, painter).into_iter().chain(name_and_bar);
            draw_pieces(buf, line, [cells].into_iter().chain(marked));
            if first + n == self.selected {
                let whole = Rect { x: pane.x, width: pane.width, ..line };
                draw_selection(buf, whole, painter.styles.selection());
                let listed = self.call_lines(function, &painter.formatter, &widths);
                draw_calls(listed, &mut lines, painter, buf);
            }
        }
        if let Some((line, cells)) = lines.next().zip(total) {
            draw_text(buf, line, &total_text(&cells, &widths, mark_columns), dim);
        }
    }

    /// Returns the price of gas and whether it bounds the fees, if the table is wide enough for fees.
    fn fee_price(&self, formatter: &CallFormatter<'_>, columns: u16) -> Option<(U256, GasBound)> {
        let price = gas_price(formatter).filter(|_| columns >= MIN_WIDTH_FEES)?;
        Some((price, self.price_bound(formatter)))
    }

    /// Returns the cells of the sum of several functions, if that is known.
    fn total_cells(&self) -> Option<Vec<String>> {
        let whole = self.whole.filter(|gas| *gas > 0 && self.functions.len() > 1)?;
        let calls: u64 = self.functions.iter().map(|function| u64::from(function.calls)).sum();
        Some(vec![Grouped(whole).to_string(), "100%".to_owned(), Grouped(calls).to_string()])
    }

    /// Returns the function with the longest bar, which is not the first one if the gas of that is unknown.
    fn longest(&self) -> Option<&FunctionGas> {
        self.functions.iter().find(|function| function.known_gas() > 0)
    }

    /// Returns the share of the self gas of a function in the gas of all roots, if that is known.
    fn share(&self, function: &FunctionGas) -> Option<String> {
        let percent = Percent::of(function.own_gas, self.whole?)?;
        let bound = match function.gas_bound {
            GasBound::Inferred => GasBound::Exact,
            bound => bound,
        };
        Some(bounded_part(bound, percent.is_tiny(1), &format!("{percent:.1}%")))
    }

    /// Returns the title of the bars in some columns.
    fn bar_title(&self, columns: usize) -> String {
        let share = self.longest().and_then(|most| self.share(most));
        share.map_or_else(String::new, |share| {
            let percent = &*share;
            let whole = TraceNote::LongestBar { percent }.to_string();
            let is_short = width(&whole) > columns;
            if is_short { TraceNote::FullBar { percent }.to_string() } else { whole }
        })
    }

    /// Returns the bound of the price of gas: refunds make all gas cheaper.
    fn price_bound(&self, formatter: &CallFormatter<'_>) -> GasBound {
        let mut roots = formatter.tree.roots().filter_map(|root| formatter.tree.get(root));
        let is_exact = formatter.transaction.is_some_and(|transaction| {
            let parts = transaction.gas.used.value().zip(self.whole);
            let outside = parts.map(|(used, calls)| i128::from(*used) - i128::from(calls));
            roots.any(|root| is_whole(root, transaction))
                || outside.is_some_and(|gas| !has_refund(transaction, gas))
        });
        if is_exact { GasBound::Exact } else { GasBound::AtMost }
    }

    /// Returns the first function on the screen, so that the calls below the selected one fit, and the total below the
    /// last one.
    fn first(&self, rows: Rect) -> usize {
        let is_last = self.selected + 1 == self.functions.len();
        let total = usize::from(is_last && self.total_cells().is_some());
        let below = usize::from(rows.height).saturating_sub(self.listed_calls() + total + 1);
        self.selected.saturating_sub(below)
    }

    /// Returns the extent of the functions, of the calls that are listed below the selected one, and of the total.
    pub fn extent(&self, area: Rect) -> ScrollExtent {
        let rows = below_titles(area);
        let total = usize::from(self.total_cells().is_some());
        let len = self.functions.len() + self.listed_calls() + total;
        ScrollExtent { area: rows, offset: self.first(rows), len }
    }

    /// Returns the number of lines below the selected function.
    fn listed_calls(&self) -> usize {
        self.functions.get(self.selected).map_or(0, listed_calls)
    }

    /// Returns the most lines that all functions take with the titles, whichever is selected.
    pub fn line_count(&self) -> usize {
        let below = self.functions.iter().map(listed_calls).max().unwrap_or_default();
        1 + self.functions.len() + below + usize::from(self.total_cells().is_some())
    }

    /// Returns the lines of a function's first calls: self gas, number, arguments and result.
    fn call_lines(
        &self,
        function: &FunctionGas,
        formatter: &CallFormatter<'_>,
        widths: &[usize],
    ) -> Vec<(String, CallOutcome)> {
        let mut listed = function.first_calls().to_vec();
        let own_gas_of = |call: &u32| formatter.tree.get(*call).and_then(exact_own_gas);
        listed.sort_unstable_by_key(|call| (Reverse(own_gas_of(call)), *call));
        let line = |call: &u32| {
            // The details are of the call with the most gas.
            let mark = if *call == function.hottest { "▶" } else { " " };
            let number = format!("{mark} call {}", Grouped(u64::from(*call) + 1));
            let frame = formatter.tree.get(*call);
            let own = frame.map(|frame| own_gas(frame, |gas| Grouped(gas).to_string()));
            let share = own_gas_of(call).and_then(|gas| Percent::of(gas, self.whole?));
            let share = share.map_or_else(String::new, |percent| format!("{percent:.1}%"));
            let cells = [own.unwrap_or_default(), share];
            let label = formatter.call_label(*call).function();
            let cells = aligned(&cells, widths);
            let outcome = formatter.tree.outcome(*call).unwrap_or(CallOutcome::Succeeded);
            // The reason of a failure comes first, as the rest may be cut.
            if frame.is_some_and(CallFrame::failed) {
                let reason = formatter.failure_reason(*call);
                return (
                    format!("{cells}{number}  {} {reason}  {label}", outcome.symbol()),
                    outcome,
                );
            }
            // So does the result.
            let result = match formatter.result_text(*call) {
                result if result.is_empty() => result,
                result => [&*result, "  "].concat(),
            };
            (format!("{cells}{number}  {result}{label}"), outcome)
        };
        let more = to_index(function.calls).saturating_sub(listed.len());
        let blank = aligned(&[], widths);
        let more = (more > 0)
            .then(|| format!("{blank}… {} more", Grouped(more)))
            .map(|text| (text, CallOutcome::Succeeded));
        let lines = listed.iter().map(line).chain(more);
        lines.take(self.listed_calls()).collect()
    }

    /// Returns self gas, share, number of calls, the gas of each if they are several, and the fee.
    fn cells(&self, function: &FunctionGas, fee: Option<String>) -> Vec<String> {
        let (gas, bound) = (function.own_gas, function.gas_bound);
        let calls = u64::from(function.calls);
        let none = if self.whole.is_none() { "?" } else { "—" };
        let share = self.share(function).unwrap_or_else(|| none.to_owned());
        let is_equal = gas.checked_rem(calls) == Some(0);
        let average_bound = match bound {
            GasBound::Exact if !is_equal => GasBound::Inferred,
            bound => bound,
        };
        // The average of an upper bound is one too.
        let average = (calls > 1).then(|| {
            let is_most = bound == GasBound::AtMost;
            let average = if is_most { gas.div_ceil(calls) } else { gas / calls };
            bounded(average_bound, &Grouped(average).to_string())
        });
        let gas = bounded(bound, &Grouped(gas).to_string());
        let texts = [gas, share, Grouped(calls).to_string(), average.unwrap_or_default()];
        texts.into_iter().chain(fee).collect()
    }
}

/// Marks what follows from a sum of gas. A tiny amount such as `<0.1%` is an upper bound itself, and no lower one.
fn bounded_part(bound: GasBound, is_tiny: bool, text: &str) -> String {
    let bound = match bound {
        GasBound::AtMost | GasBound::Inferred if is_tiny => GasBound::Exact,
        GasBound::AtLeast if is_tiny => GasBound::Unknown,
        bound => bound,
    };
    bounded(bound, text)
}

/// Returns the titles of the columns before the fee and the function.
fn shown_titles(columns: u16) -> impl Iterator<Item = String> {
    let has_averages = columns >= MIN_WIDTH_PER_CALL;
    let count = if has_averages { TITLES.len() } else { TITLES.len() - 1 };
    TITLES.iter().take(count).map(|title| (*title).to_owned())
}

fn fee_title(formatter: &CallFormatter<'_>) -> String {
    ["fee ", formatter.unit.name(formatter.network)].concat()
}

/// Returns the widths of columns with these titles and rows.
fn column_widths<'a>(
    titles: &[String],
    rows: &(impl Iterator<Item = &'a Vec<String>> + Clone),
) -> Vec<usize> {
    let fit = |(n, title): (usize, &String)| {
        let cells = rows.clone().filter_map(|cells| cells.get(n)).map(|cell| width(cell));
        cells.chain([width(title)]).max().unwrap_or_default()
    };
    titles.iter().enumerate().map(fit).collect()
}

fn total_text(cells: &[String], widths: &[usize], mark_columns: usize) -> String {
    [&*aligned(cells, widths), &" ".repeat(mark_columns), "total"].concat()
}

/// Returns the price of gas that the transaction paid, if that was in the coin.
fn gas_price(formatter: &CallFormatter<'_>) -> Option<U256> {
    let paid = |transaction: &&Transaction| transaction.paid_fee().is_some();
    let transaction = formatter.transaction.filter(paid)?;
    transaction.gas.price.value().copied().filter(|_| transaction.fee_token().is_none())
}

/// Returns the part of the fee that the self gas of a function cost, at a price of gas and its bound.
fn function_fee(
    function: &FunctionGas,
    (price, bound): (U256, GasBound),
    formatter: &CallFormatter<'_>,
) -> String {
    let (unit, network) = (formatter.unit, formatter.network);
    U256::from(function.own_gas).checked_mul(price).map_or("?".into(), |fee| {
        let shown = unit.format_readable(fee, network).text;
        bounded_part(function.gas_bound.with(bound), unit.is_tiny(fee, network), &shown)
    })
}

fn mark_columns(painter: &CallPainter<'_>) -> usize {
    if painter.format.address_marks { MARK_WIDTH.into() } else { 0 }
}

/// Returns the mark of the contract of a function, or blanks for creations and others.
fn mark_pieces(function: &FunctionGas, painter: &CallPainter<'_>) -> Vec<(String, Style)> {
    let call = function.hottest;
    let creates = painter.formatter.tree.get(call).is_some_and(|frame| frame.kind.creates());
    let mark = painter.mark_pieces(call).filter(|_| !creates && !function.is_of_others);
    let blank = || vec![(" ".repeat(mark_columns(painter)), Style::new())];
    mark.map_or_else(blank, Into::into)
}

/// Returns the number of lines below a selected function. The details have the only call.
fn listed_calls(function: &FunctionGas) -> usize {
    let listed = function.first_calls().len();
    if function.calls > 1 { listed + usize::from(to_index(function.calls) > listed) } else { 0 }
}

/// Draws the calls of a function on the next lines.
fn draw_calls(
    calls: Vec<(String, CallOutcome)>,
    lines: &mut Rows,
    painter: &CallPainter<'_>,
    buf: &mut Buffer,
) {
    for ((call, outcome), line) in calls.into_iter().zip(lines) {
        let role = match outcome {
            CallOutcome::Succeeded => Role::Dim,
            outcome => outcome_role(outcome),
        };
        draw_text(buf, line, &fit_text(call, line.width.into()), painter.styles.of(role));
    }
}

fn below_titles(area: Rect) -> Rect {
    let y = area.y.saturating_add(1).min(area.bottom());
    Rect { y, height: area.bottom() - y, ..area }
}

/// Appends blanks to numbers, so that their points are under each other in a column of right-aligned cells.
fn align_points(numbers: Vec<&mut String>) {
    let decimals = |number: &str| number.split_once('.').map_or(0, |(_, after)| after.len() + 1);
    let most = numbers.iter().map(|number| decimals(number)).max().unwrap_or_default();
    for number in numbers {
        number.push_str(&" ".repeat(most - decimals(number)));
    }
}

fn aligned(cells: &[String], widths: &[usize]) -> String {
    let cells = cells.iter().map(String::as_str).chain(std::iter::repeat(""));
    let cells = cells.zip(widths).map(|(cell, width)| format!("{cell:>width$}  "));
    cells.collect()
}

/// Returns the contract and the name of a function.
fn function_name(formatter: &CallFormatter<'_>, function: &FunctionGas) -> String {
    let call = function.hottest;
    if function.is_of_others {
        return "others".into();
    }
    if formatter.tree.get(call).is_some_and(|frame| frame.kind.creates()) {
        return "creations".into();
    }
    let label = formatter.call_label(call);
    let name = if label.name.is_empty() { "no calldata".into() } else { label.name };
    CallLabel { name, ..label }.short()
}

#[cfg(test)]
mod tests {
    use serde_json::value::to_raw_value;
    use serde_json::{Value, json};

    use super::*;
    use crate::abi::SignatureDb;
    use crate::api::Item;
    use crate::calls::transfer_matching::TransferMap;
    use crate::chain::network::Network;
    use crate::name_cache::NameCache;
    use crate::trace::test_util::{SampleCall, sample_tree};

    /// Returns the fees of functions with 120 and 80 self gas, in a transaction that used some gas.
    fn fees(used: Option<u64>, price: &str, more: &[(&str, Value)]) -> Option<Vec<String>> {
        let mut sent = json!({ "hash": format!("0x{:064x}", 1), "block_number": 5, "status": "ok",
            "gas_used": used.map(|gas| gas.to_string()), "gas_price": price,
            "fee": { "type": "actual", "value": "22000000000000000" } });
        for (field, value) in more {
            sent[field] = value.clone();
        }
        let item = Item::<Transaction>::from_json(&to_raw_value(&sent).unwrap());
        let call =
            |path: &[u32], to, gas| SampleCall { gas, ..SampleCall::at(path).moves(1, to, 0) };
        let tree = sample_tree(&[call(&[], 2, 200), call(&[0], 3, 80)]);
        let view = FunctionGasView::new(&tree);
        let (signatures, names) = (SignatureDb::default(), NameCache::default());
        let (network, transfers) = (Network::demo(), TransferMap::default());
        let formatter = CallFormatter {
            transaction: item.parsed.as_ref().ok(),
            ..CallFormatter::new(&tree, &signatures, &names, &network, &transfers)
        };
        let price = (gas_price(&formatter)?, view.price_bound(&formatter));
        let fees = view.functions.iter().map(|function| function_fee(function, price, &formatter));
        Some(fees.collect())
    }

    #[test]
    fn fee_of_a_function_is_at_most_its_gas_where_gas_was_refunded() {
        let price = "10000000000000";
        for (used, shown) in [
            (Some(21_200), ["0.0012", "0.0008"]),
            (Some(21_199), ["≤0.0012", "≤0.0008"]),
            (None, ["≤0.0012", "≤0.0008"]),
            // The gas of the whole transaction.
            (Some(200), ["0.0012", "0.0008"]),
        ] {
            assert_eq!(fees(used, price, &[]).unwrap(), shown, "{used:?}");
        }
        assert_eq!(fees(Some(21_200), "10000000000", &[]).unwrap(), ["0.0000012", "<0.000001"]);
        assert_eq!(fees(Some(21_199), "8000000000", &[]).unwrap(), ["<0.000001"; 2]);
        assert_eq!(fees(Some(21_200), &U256::MAX.to_string(), &[]).unwrap(), ["?"; 2]);
    }

    #[test]
    fn points_of_fees_are_under_each_other() {
        let mut fees = ["0.0057", "0.00224", "<0.000001", "3", "?"].map(str::to_owned);
        align_points(fees.iter_mut().collect());
        assert_eq!(fees, ["0.0057  ", "0.00224 ", "<0.000001", "3       ", "?       "]);
    }

    #[test]
    fn functions_have_fees_if_the_coin_paid_them() {
        let fees = |more: &[(&str, Value)]| fees(Some(21_200), "10000000000000", more);
        assert!(fees(&[]).is_some());
        let token = json!({ "type": "actual", "value": "1", "token": { "symbol": "cUSD" } });
        assert_eq!(fees(&[("fee", token)]), None);
        let pending = [("block_number", Value::Null), ("status", Value::Null)];
        assert_eq!(fees(&pending), None);
        assert_eq!(fees(&[("fee", Value::Null)]), None);
    }

    #[test]
    fn functions_have_a_total() {
        let call =
            |path: &[u32], to, gas| SampleCall { gas, ..SampleCall::at(path).moves(1, to, 0) };
        let view = FunctionGasView::new(&sample_tree(&[call(&[], 2, 200), call(&[0], 3, 80)]));
        assert_eq!(view.total_cells().unwrap(), ["200", "100%", "2"]);
        let one = FunctionGasView::new(&sample_tree(&[call(&[], 2, 200)]));
        assert_eq!(one.total_cells(), None);
    }

    #[test]
    fn longest_bar_is_of_known_gas() {
        let call =
            |path: &[u32], to, gas| SampleCall { gas, ..SampleCall::at(path).moves(1, to, 0) };
        let calls = [call(&[], 2, 200), call(&[0], 3, 80), call(&[1], 4, 20)];
        let mut view = FunctionGasView::new(&sample_tree(&calls));
        assert_eq!(view.bar_title(80), "share of call gas (full bar: 50.0%)");
        view.functions[0].gas_bound = GasBound::Unknown;
        view.functions[1].gas_bound = GasBound::AtMost;
        assert_eq!(view.longest().unwrap().known_gas(), 80);
        assert_eq!(view.bar_title(80), "share of call gas (full bar: ≤40.0%)");
        view.functions.truncate(1);
        assert_eq!((view.longest(), view.bar_title(80)), (None, String::new()));
    }

    #[test]
    fn average_of_a_bound_is_a_bound() {
        let call = |path: &[u32], gas| SampleCall { gas, ..SampleCall::at(path).moves(1, 2, 0) };
        let tree = sample_tree(&[call(&[], 1_000), call(&[0], 500), call(&[1], 500)]);
        let view = FunctionGasView::new(&tree);
        let mut function = view.functions[0];
        function.calls = 2;
        for (own_gas, bound, shown) in [
            (1_104, GasBound::Exact, "552"),
            (1_105, GasBound::Exact, "≈552"),
            (1_104, GasBound::AtMost, "≤552"),
            (1_105, GasBound::AtMost, "≤553"),
            (1_105, GasBound::AtLeast, "≥552"),
            (1_105, GasBound::Unknown, "?"),
        ] {
            (function.own_gas, function.gas_bound) = (own_gas, bound);
            assert_eq!(view.cells(&function, None)[3], shown, "{own_gas}");
        }
    }

    #[test]
    fn share_of_unknown_gas_is_unknown() {
        let call = |path: &[u32], gas| SampleCall { gas, ..SampleCall::at(path).moves(1, 2, 0) };
        let mut view = FunctionGasView::new(&sample_tree(&[call(&[], 200), call(&[0], 80)]));
        let mut function = view.functions[0];
        for (own_gas, whole, bound, shown) in [
            (100, Some(200), GasBound::Exact, "50.0%"),
            (100, Some(200), GasBound::AtLeast, "≥50.0%"),
            (100, Some(200), GasBound::Unknown, "?"),
            (100, None, GasBound::Exact, "?"),
            (0, Some(0), GasBound::Exact, "—"),
            (1, Some(10_000), GasBound::Exact, "<0.1%"),
            (1, Some(10_000), GasBound::Inferred, "<0.1%"),
            (1, Some(10_000), GasBound::AtMost, "<0.1%"),
            (1, Some(10_000), GasBound::AtLeast, "?"),
            (0, Some(10_000), GasBound::AtMost, "≤0.0%"),
        ] {
            (function.own_gas, function.gas_bound, view.whole) = (own_gas, bound, whole);
            assert_eq!(view.cells(&function, None)[1], shown);
        }
    }

    #[test]
    fn function_is_selected_at_the_end_of_the_sum() {
        let call =
            |path: &[u32], to, gas| SampleCall { gas, ..SampleCall::at(path).moves(1, to, 0) };
        let tree = sample_tree(&[call(&[], 2, 100), call(&[0], 3, 10), call(&[1], 4, 30)]);
        let begun = FunctionGasView { sum: Some(FunctionGasSum::default()), ..Default::default() };
        for mut view in [begun, FunctionGasView::new(&tree)] {
            view.select_function_of(1);
            while !view.is_complete() {
                view.continue_sum(&tree);
            }
            assert_eq!(view.selected_call(), Some(1));
        }
    }
}
