//! The icicle view of gas: a line or more per depth, each call as wide as its gas and in the colour of
//! its contract, its own gas fainter. Without colours blocks are reversed, and the selected one is hatched.

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::{Modifier, Style};

use super::icicle_layout::{Icicle, IcicleBar, MIN_LABEL_COLUMNS};
use crate::calls::formatter::Confidence;
use crate::calls::gas::gas_share;
use crate::calls::results::outcome_role;
use crate::chain::amount::Grouped;
use crate::pane::trace::rows::call_row::CallPainter;
use crate::pane::trace::rows::gas_columns::own_gas;
use crate::trace::CallOutcome;
use crate::ui::address_mark::DistinctHues;
use crate::ui::format::{cut, width, wrap_words};
use crate::ui::text::draw_text;
use crate::ui::theme::{FillShade, Role};

/// Narrower bars have no space between the mark of the selected one and the text.
const MIN_INDENTED_COLUMNS: u16 = 14;
/// Narrower bars have only their share of the gas.
const MIN_NAME_COLUMNS: usize = 5;

impl CallPainter<'_> {
    /// Draws the bars and marks the selected call. The note stands below if there are deeper calls.
    pub fn draw_icicle(&self, root: u32, area: Rect, note: &str, buf: &mut Buffer) {
        let icicle = Icicle::new(self.formatter.tree, root, self.selected, area);
        let mut hues = DistinctHues::default();
        for bar in &icicle.bars {
            let contract = self.formatter.tree.target_address(bar.frame);
            let hue = contract.map_or(0, |contract| hues.number(&contract));
            self.draw_bar(bar, hue, icicle.rect(bar, area), buf);
        }
        if icicle.has_more_below {
            let line = Rect { y: area.bottom() - 1, height: 1, ..area };
            draw_text(buf, line, note, self.styles.of(Role::Dim));
        }
    }

    fn draw_bar(&self, bar: &IcicleBar, hue: usize, at: Rect, buf: &mut Buffer) {
        let outcome = self.formatter.tree.outcome(bar.frame).unwrap_or(CallOutcome::Succeeded);
        let is_selected = bar.frame == self.selected && bar.merged == 0;
        let [style, own_style] = self.bar_styles(bar, hue, is_selected);
        let indent = if at.width < MIN_INDENTED_COLUMNS { 1 } else { 2 };
        let columns = usize::from(at.width.saturating_sub(1 + indent));
        let texts = if has_label(at) {
            self.bar_lines(bar, outcome, columns, at.height)
        } else {
            Vec::new()
        };
        let own_width = if bar.merged == 0 { bar.own_width.min(at.width) } else { 0 };
        let own = Rect { x: at.right() - own_width, width: own_width, ..at };
        let is_block = style.bg.is_some() || style.add_modifier.contains(Modifier::REVERSED);
        let body = if is_block { " " } else { "▒" };
        fill(buf, at, body, style);
        fill(buf, own, body, own_style);
        let mark_style = Style { bg: None, ..self.styles.of(outcome_role(outcome)) };
        // The left edge separates neighbours of one colour, or shows a failure.
        let (edge, edge_style) = match outcome {
            _ if is_selected => (" ", Style::new()),
            CallOutcome::Succeeded if self.format.is_ascii && at.width == 1 => (" ", Style::new()),
            CallOutcome::Succeeded if self.format.is_ascii => {
                (" ", self.styles.in_frame(Role::Plain))
            }
            CallOutcome::Succeeded => ("▏", self.styles.fill_edge()),
            _ if has_label(at) => ("▌", mark_style),
            outcome => (outcome.symbol(), mark_style),
        };
        fill(buf, Rect { width: 1, ..at }, edge, edge_style);
        for (line, text) in at.rows().zip(texts) {
            let text = [" ".repeat(usize::from(indent) - 1), text, " ".into()].concat();
            buf.set_stringn(line.x + 1, line.y, text, columns + usize::from(indent), Style::new());
        }
        if is_selected {
            fill(buf, Rect { width: 1, height: 1, ..at }, "▶", Style::new());
        }
    }

    /// Returns the styles of a bar and of the part that is its own gas.
    fn bar_styles(&self, bar: &IcicleBar, hue: usize, is_selected: bool) -> [Style; 2] {
        let shades = match bar.level.is_multiple_of(2) {
            _ if is_selected => [FillShade::Selected, FillShade::SelectedPart],
            true => [FillShade::Even, FillShade::Part],
            false => [FillShade::Odd, FillShade::Part],
        };
        shades.map(|shade| self.styles.hue_fill(hue, shade))
    }

    /// Returns the call, and its share and gas on the last line. A bar that is too narrow for contract
    /// and function on one line has them on two, and one that breaks the names the function only.
    fn bar_lines(
        &self,
        bar: &IcicleBar,
        outcome: CallOutcome,
        columns: usize,
        lines: u16,
    ) -> Vec<String> {
        if bar.merged > 0 {
            return vec![format!("…{}", bar.merged + 1)];
        }
        let mark = match outcome {
            CallOutcome::Succeeded => "",
            outcome => outcome.symbol(),
        };
        let call = self.formatter.call_label(bar.frame);
        let label = [mark, call.line().trim_start_matches("↪ ")].concat();
        let figures = self.figures(bar.frame, columns);
        let one_line = [&*label, " ", &figures].concat();
        if lines == 1 {
            let shown = if width(&one_line) <= columns { &one_line } else { &label };
            return vec![cut(shown, columns).into_owned()];
        }
        if columns < MIN_NAME_COLUMNS && !figures.is_empty() {
            return vec![figures];
        }
        let name = label.split('(').next().unwrap_or_default();
        let is_broken = |line: &String| line.ends_with('…');
        let target = label.strip_prefix(mark).unwrap_or_default().strip_prefix(&*call.target);
        let call_below = target.and_then(|rest| rest.strip_prefix('.')).filter(|_| lines > 2);
        let most = usize::from(lines) - usize::from(!figures.is_empty());
        let is_on_two_lines = width(name) > columns
            && width(&call.target) + width(mark) <= columns
            && call_below
                .is_some_and(|rest| width(rest.split('(').next().unwrap_or_default()) <= columns);
        let mut texts = if let Some(rest) = call_below.filter(|_| is_on_two_lines) {
            let first = [mark, &*call.target].concat();
            std::iter::once(first).chain(wrap_words(rest, columns, most - 1)).collect()
        } else if wrap_words(name, columns, usize::MAX).iter().any(is_broken) {
            let is_nameless = call.function.is_empty() || call.confidence == Confidence::Unknown;
            let full_name = if is_nameless { &call.target } else { &call.function };
            let name = full_name.split('(').next().unwrap_or_default();
            vec![cut(&[mark, name].concat(), columns).into_owned()]
        } else {
            wrap_words(&label, columns, most)
        };
        texts.push(figures);
        texts
    }

    /// Returns as many of share, gas and own gas as fit.
    fn figures(&self, frame: u32, columns: usize) -> String {
        let tree = self.formatter.tree;
        let grouped = |gas: u64| Grouped(gas).to_string();
        let share = gas_share(tree, frame, self.options.share_of_parent);
        let Some(call) = tree.get(frame) else { return String::new() };
        let used = call.format_gas_used(grouped);
        let own = ["self ", &own_gas(call, grouped)].concat();
        let mut figures = String::new();
        for part in [share, used, own] {
            let longer =
                if figures.is_empty() { part } else { [&figures, " · ", &*part].concat() };
            if width(&longer) > columns {
                break;
            }
            figures = longer;
        }
        figures
    }
}

fn has_label(bar: Rect) -> bool {
    bar.width >= MIN_LABEL_COLUMNS
}

/// Fills an area with a symbol of one column.
fn fill(buf: &mut Buffer, area: Rect, symbol: &str, style: Style) {
    for at in area.intersection(buf.area).positions() {
        if let Some(cell) = buf.cell_mut(at) {
            cell.set_symbol(symbol).set_style(style);
        }
    }
}
