//! The icicle view of gas: lines for each depth, each call as wide as its gas and in the colour of its
//! contract, its own gas brighter. Without shades, own gas is a block or, in colour, hatched, and the selected
//! call reversed.

pub mod contract_hues;
pub mod layout;
mod legend;

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Margin, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::symbols::{block, shade};

use crate::calls::formatter::{CallFormatter, CallLabel};
use crate::calls::gas::{gas_of_whole, gas_share, own_gas};
use crate::calls::results::{ORIGIN_MARK, outcome_role};
use crate::chain::amount::Grouped;
use crate::chain::percent::Percent;
use crate::messages::Count;
use crate::messages::call::CallNote;
use crate::messages::{prompt, trace};
use crate::trace::gas_by_function::GasBound;
use crate::trace::revert_origin::is_origin;
use crate::trace::{CallFrame, CallOutcome};
use crate::ui::document::Rule;
use crate::ui::format::{cut, width};
use crate::ui::format_options::FormatOptions;
use crate::ui::text::draw_text;
use crate::ui::theme::{FillShade, Role, Styles};
use contract_hues::ContractHues;
use layout::{Icicle, IcicleAreas, IcicleBar, MIN_LABEL_COLUMNS, useful_lines};
use legend::LEGEND_GAP;

/// Narrower bars have no space between the mark of the selected one and the text.
const MIN_INDENTED_COLUMNS: u16 = 14;
/// Least columns of a contract's name that is cut.
const MIN_CUT_NAME_COLUMNS: usize = 8;
/// Bars that are at most this much wider than others have texts of the same form.
const MAX_MORE_WIDTH: u16 = 2;
/// Least columns of own gas with a label: `self 8%` after a blank.
const MIN_OWN_LABEL_COLUMNS: u16 = 8;
/// The left edge of a call that failed.
const FAILURE_EDGE: &str = "▌";
/// Lower bars have no line below them.
const MIN_FRAMED_LINES: u16 = 3;

/// The forms of the name of a call, from the longest. Names are left out rather than broken.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
enum NameForm {
    /// `GLD.transfer(bob.eth, 2)`.
    Call,
    /// `GLD.transfer`.
    Function,
    /// Contract and function below each other.
    TwoLines,
    Contract,
    CutContract,
    Nothing,
}

/// The texts of a bar, and the place for them.
struct BarLabel {
    /// Sign of a failure, with a blank.
    mark: String,
    contract: String,
    function: String,
    /// The call with its arguments.
    line: String,
    width: u16,
    columns: usize,
    lines: u16,
}

impl BarLabel {
    /// Returns the contract with its mark, or the function if it has none: a creation.
    fn contract_line(&self) -> String {
        let name = if self.contract.is_empty() { &self.function } else { &self.contract };
        [&self.mark, &**name].concat()
    }

    fn function_line(&self) -> String {
        let has_both = !self.contract.is_empty() && !self.function.is_empty();
        let dot = if has_both { "." } else { "" };
        [&*self.mark, &*self.contract, dot, &*self.function].concat()
    }

    /// Returns the longest form that fits into some columns.
    fn form(&self, columns: usize) -> NameForm {
        let fits = |text: &str| width(text) <= columns;
        let contract = self.contract_line();
        let has_both = !self.contract.is_empty() && !self.function.is_empty();
        // A line is left for the gas.
        let fits_below = has_both && fits(&contract) && fits(&self.function) && self.lines > 2;
        match columns {
            _ if fits(&self.line) => NameForm::Call,
            _ if fits(&self.function_line()) => NameForm::Function,
            _ if fits_below => NameForm::TwoLines,
            _ if fits(&contract) => NameForm::Contract,
            MIN_CUT_NAME_COLUMNS.. => NameForm::CutContract,
            _ => NameForm::Nothing,
        }
    }

    fn name_lines(&self, form: NameForm, columns: usize) -> Vec<String> {
        match form {
            NameForm::Call => vec![self.line.clone()],
            NameForm::Function => vec![self.function_line()],
            NameForm::TwoLines => vec![self.contract_line(), self.function.clone()],
            NameForm::Contract => vec![self.contract_line()],
            NameForm::CutContract => vec![cut(&self.contract_line(), columns).into_owned()],
            NameForm::Nothing => Vec::new(),
        }
    }

    /// Returns `true` for a call of the same function in a bar that is nearly as wide.
    fn is_alike(&self, other: &Self) -> bool {
        let [one, another] = [self, other].map(|label| label.function.trim_end_matches('?'));
        one == another && self.width.abs_diff(other.width) <= MAX_MORE_WIDTH
    }
}

/// Returns the columns and the form of the name of a bar: calls that are alike have one for all.
fn common_form(label: &BarLabel, level: &[Option<BarLabel>]) -> (usize, NameForm) {
    let alike = || level.iter().flatten().filter(|other| label.is_alike(other));
    let columns = alike().map(|other| other.columns).min().unwrap_or(label.columns);
    let form = alike().map(|other| other.form(columns)).max();
    (columns, form.unwrap_or(NameForm::Nothing))
}

fn columns_of(text: &str) -> u16 {
    u16::try_from(width(text)).unwrap_or(u16::MAX)
}

/// Returns `true` if inner gas is blank and bars have lines around them, for want of shades.
pub fn has_frames(format: &FormatOptions, styles: &Styles) -> bool {
    format.is_ascii || !styles.has_shades()
}

/// Draws calls as an icicle.
pub struct IciclePainter<'a> {
    pub formatter: CallFormatter<'a>,
    pub styles: &'a Styles,
    pub format: &'a FormatOptions,
    /// `true` if percentages refer to the gas of the parent instead of the root.
    pub share_of_parent: bool,
    pub selected: Option<u32>,
}

impl IciclePainter<'_> {
    /// Draws a rule with a title, and all calls below it.
    pub fn draw_all(&self, area: Rect, buf: &mut Buffer) {
        let [rule, chart] =
            area.layout(&Layout::vertical([Constraint::Length(1), Constraint::Min(0)]));
        Rule { title: prompt::ICICLE_OF_ALL.into(), split: None }.draw(rule, buf, self.styles);
        self.draw_chart(chart, buf);
    }

    /// Draws all calls, in no more lines than are of use.
    pub fn draw_chart(&self, area: Rect, buf: &mut Buffer) {
        let height = useful_lines(self.formatter.tree, 0, area.height);
        let chart = Rect { height, ..area };
        let areas = IcicleAreas::new(chart, 0, !self.has_frames(), false);
        let with_note = areas.with_note(self.formatter.tree, 0, self.selected.unwrap_or_default());
        self.draw(0, &with_note, trace::ALL_HAS_DEEPER_CALLS, buf);
    }

    fn icicle(&self, root: u32, chart: Rect) -> Icicle {
        Icicle::new(self.formatter.tree, root, self.selected.unwrap_or(root), chart)
    }

    /// Draws the calls around the root, the bars, a line with the selected call and the names of the colours.
    /// The note stands on the last line below the bars if there are deeper calls.
    pub fn draw(&self, root: u32, areas: &IcicleAreas, note: &str, buf: &mut Buffer) {
        let icicle = &self.icicle(root, areas.chart);
        let tree = self.formatter.tree;
        let mut hues = ContractHues::default();
        let mut hue = |call| tree.target_address(call).map_or(0, |contract| hues.number(&contract));
        for (line, call) in areas.ancestors.rows().zip(areas.ancestor_calls(tree, root)) {
            self.draw_ancestor(call, hue(call), line, buf);
        }
        let texts = self.bar_texts(icicle, areas.chart);
        for (bar, texts) in icicle.bars.iter().zip(&texts) {
            let at = icicle.rect(bar, areas.chart);
            self.draw_bar(bar, hue(bar.frame), (at, texts), buf);
            let is_selected = self.is_selected(bar);
            if self.has_frames() && at.width > 1 && !is_selected && icicle.is_end(bar) {
                fill(buf, Rect { x: at.right() - 1, width: 1, ..at }, "│", Style::new());
            }
        }
        for line in areas.chart.rows().filter(|_| self.has_frames()) {
            join_lines(line, buf);
        }
        self.draw_outer_labels((icicle, areas.chart), &texts, buf);
        let note = if icicle.has_more_below { note } else { "" };
        self.draw_caption(areas.caption, width(note), buf);
        let mut legend = areas.legend;
        if areas.caption.is_empty() && !note.is_empty() {
            legend.width = legend.width.saturating_sub(columns_of(note) + LEGEND_GAP);
        }
        if !legend.is_empty() {
            self.draw_legend((icicle, &texts), &mut hues, legend, buf);
        }
        let lines = [areas.caption, areas.legend, areas.note];
        let area = lines.into_iter().find(|area| !area.is_empty()).unwrap_or_default();
        let columns = columns_of(note).min(area.width);
        let (x, y) = (area.right() - columns, area.bottom().saturating_sub(1));
        let last = Rect { x, y, width: columns, height: area.height.min(1) };
        draw_text(buf, last, note, self.styles.in_frame(Role::Dim));
    }

    fn is_selected(&self, bar: &IcicleBar) -> bool {
        self.selected == Some(bar.frame) && bar.merged == 0
    }

    /// Names bars that are too narrow for their names next to them, where the level has space before the next bar.
    fn draw_outer_labels(
        &self,
        (icicle, chart): (&Icicle, Rect),
        texts: &[Vec<String>],
        buf: &mut Buffer,
    ) {
        let all: Vec<_> = icicle.bars.iter().zip(texts).collect();
        for level in all.chunk_by(|(bar, _), (next, _)| bar.level == next.level) {
            let nexts =
                level.iter().skip(1).map(|(next, _)| icicle.rect(next, chart).x.saturating_sub(1));
            let ends = nexts.chain([chart.right()]);
            let (mut calls, mut right) = (0, chart.x);
            for ((bar, texts), end) in level.iter().zip(ends) {
                let at = icicle.rect(bar, chart);
                // Slivers next to each other have one text, as if they were one bar.
                let before = if at.x == right { calls } else { 0 };
                calls = if texts.is_empty() { before + bar.merged as usize + 1 } else { 0 };
                right = at.right();
                let x = at.right().saturating_add(1);
                let free = Rect { x, width: end.saturating_sub(x), height: at.height.min(1), ..at };
                if !texts.is_empty() || free.width < MIN_LABEL_COLUMNS {
                    continue;
                }
                let (text, role) = self.outer_label(bar, (at.width, calls));
                if width(&text) <= usize::from(free.width) {
                    draw_text(buf, free, &text, self.styles.of(role));
                }
            }
        }
    }

    /// Returns the name and the share of a call, or the number of several. A sliver has the sign of a failure in it.
    fn outer_label(&self, bar: &IcicleBar, (columns, calls): (u16, usize)) -> (String, Role) {
        let tree = self.formatter.tree;
        let outcome = tree.outcome(bar.frame).unwrap_or(CallOutcome::Succeeded);
        if bar.merged > 0 || calls > 1 && outcome == CallOutcome::Succeeded {
            return (Count(calls, "call").to_string(), Role::Dim);
        }
        let label = self.bar_label(bar, Rect::ZERO);
        let has_sign = columns < MIN_LABEL_COLUMNS && !self.is_selected(bar);
        let mark = if has_sign { String::new() } else { label.mark.clone() };
        let name = BarLabel { mark, ..label }.function_line();
        let share = gas_share(tree, bar.frame, self.share_of_parent);
        let is_origin = outcome == CallOutcome::Failed && is_origin(tree, bar.frame);
        let origin = if is_origin { ["  ", ORIGIN_MARK].concat() } else { String::new() };
        let role =
            if outcome == CallOutcome::Succeeded { Role::Dim } else { outcome_role(outcome) };
        (format!("{name} · {share}{origin}"), role)
    }

    /// Returns the lines of text of each bar.
    fn bar_texts(&self, icicle: &Icicle, chart: Rect) -> Vec<Vec<String>> {
        // Most bars of a long trace are narrow.
        let label = |bar: &IcicleBar| {
            let at = icicle.rect(bar, chart);
            let is_named = at.width >= MIN_LABEL_COLUMNS && bar.merged == 0;
            is_named.then(|| self.bar_label(bar, at))
        };
        let labels: Vec<Option<BarLabel>> = icicle.bars.iter().map(label).collect();
        let mut rest = labels.as_slice();
        let mut texts = Vec::with_capacity(labels.len());
        for bars in icicle.bars.chunk_by(|bar, next| bar.level == next.level) {
            let (level, after) = rest.split_at(bars.len().min(rest.len()));
            rest = after;
            texts.extend(bars.iter().zip(level).map(|(bar, label)| match label {
                Some(label) => self.named_lines(bar, label, level),
                None => merged_lines(bar, icicle.rect(bar, chart).width),
            }));
        }
        texts
    }

    fn bar_label(&self, bar: &IcicleBar, at: Rect) -> BarLabel {
        let mark = match self.formatter.tree.outcome(bar.frame) {
            None | Some(CallOutcome::Succeeded) => String::new(),
            Some(outcome) => [outcome.symbol(), " "].concat(),
        };
        let call = self.formatter.call_label(bar.frame);
        let contract = self.short_target(bar.frame, &call.contract).into_owned();
        let function = call.name.clone();
        let line = CallLabel { is_delegated: false, contract: contract.clone(), ..call }.line();
        let line = [&*mark, &*line].concat();
        // The line around the next bar stands in the last column.
        let edges = label_indent(at.width) + u16::from(self.has_frames());
        let columns = at.width.saturating_sub(edges).into();
        BarLabel { mark, contract, function, line, width: at.width, columns, lines: at.height }
    }

    /// Returns the name of a call as far as it fits, then its share and gas, on one line if a bar has only one.
    fn named_lines(
        &self,
        bar: &IcicleBar,
        label: &BarLabel,
        level: &[Option<BarLabel>],
    ) -> Vec<String> {
        let (columns, form) = common_form(label, level);
        let mut lines = label.name_lines(form, columns);
        // Figures without a name say nothing.
        if lines.is_empty() {
            return lines;
        }
        let states_own = !self.labels_own_gas(bar.own_width);
        let figures = |columns: usize| match bar.level {
            0 => self.zoomed_figures(bar.frame, columns, states_own),
            _ => self.figures(bar.frame, columns, states_own),
        };
        match lines.pop() {
            Some(name) if label.lines == 1 => {
                let after = figures(columns.saturating_sub(width(&name) + 1));
                vec![[&*name, " ", &*after].concat().trim_end().to_owned()]
            }
            name => {
                lines.extend(name);
                lines.push(figures(columns));
                lines.extend(self.reason(bar.frame, columns));
                lines.truncate(label.lines.into());
                lines
            }
        }
    }

    /// Returns the reason of a failure that began in a call.
    fn reason(&self, call: u32, columns: usize) -> Option<String> {
        let tree = self.formatter.tree;
        let has_failed = tree.get(call).is_some_and(CallFrame::failed) && is_origin(tree, call);
        has_failed.then(|| cut(&self.formatter.failure_reason(call), columns).into_owned())
    }

    fn draw_ancestor(&self, call: u32, hue: usize, line: Rect, buf: &mut Buffer) {
        fill(buf, line, " ", self.styles.hue_fill(hue, FillShade::Inner));
        let share = gas_share(self.formatter.tree, call, self.share_of_parent);
        let text = format!(" {} {share}", self.formatter.call_label(call).line());
        let columns = usize::from(line.width);
        buf.set_stringn(line.x, line.y, cut(&text, columns), columns, Style::new());
    }

    /// Draws the selected call with its gas, to the left of `reserved` columns.
    fn draw_caption(&self, line: Rect, reserved: usize, buf: &mut Buffer) {
        let Some(selected) = self.selected.filter(|_| !line.is_empty()) else { return };
        let columns = usize::from(line.width).saturating_sub(reserved + 2);
        let label = self.formatter.call_label(selected).line();
        let share = gas_share(self.formatter.tree, selected, self.share_of_parent);
        let figures = self.figures_after((share, " gas"), selected, columns * 2 / 3, true);
        let shown = cut(&label, columns.saturating_sub(width(&figures) + 4));
        draw_text(buf, line, &format!("▶ {shown}  {figures}"), self.styles.of(Role::Title));
    }

    fn draw_bar(
        &self,
        bar: &IcicleBar,
        hue: usize,
        (at, texts): (Rect, &[String]),
        buf: &mut Buffer,
    ) {
        let outcome = self.formatter.tree.outcome(bar.frame).unwrap_or(CallOutcome::Succeeded);
        let is_selected = self.is_selected(bar);
        let [style, own_style] = self.bar_styles(bar, hue, is_selected);
        // Calls that are too narrow to be drawn apart have no bars below them.
        let own_width = if bar.merged == 0 { bar.own_width.min(at.width) } else { at.width };
        let own = Rect { x: at.right() - own_width, width: own_width, ..at };
        let is_hatched = self.has_frames();
        let has_label = at.width >= MIN_LABEL_COLUMNS;
        self.fill_bar((at, style), (own, own_style), texts, buf);
        let is_framed = is_hatched && !is_selected && at.height >= MIN_FRAMED_LINES;
        if is_framed {
            fill(buf, Rect { y: at.bottom() - 1, height: 1, ..at }, "─", style);
        }
        // The left edge separates neighbours of one colour, or shows a failure.
        let mark_style = Style { bg: None, ..self.styles.of(outcome_role(outcome)) };
        let (edge, edge_style) = match outcome {
            _ if is_selected => (" ", Style::new()),
            CallOutcome::Failed | CallOutcome::Caught if has_label => (FAILURE_EDGE, mark_style),
            _ if is_hatched => ("│", Style::new()),
            _ => ("▏", self.styles.fill_edge()),
        };
        fill(buf, Rect { width: 1, ..at }, edge, edge_style);
        if is_framed {
            fill(buf, Rect { y: at.bottom() - 1, width: 1, height: 1, ..at }, "└", edge_style);
        }
        let indent = label_indent(at.width);
        for (line, text) in at.rows().zip(texts) {
            let columns = usize::from(line.width.saturating_sub(indent));
            buf.set_stringn(line.x + indent, line.y, text, columns, Style::new());
        }
        if bar.merged == 0 && self.labels_own_gas(own.width) {
            let is_clear = at.x + indent.saturating_add(longest(texts)) < own.x;
            let free = if is_clear { own } else { lines_after(own, texts.len()) };
            self.draw_own_label(bar.frame, free.inner(Margin::new(1, 0)), buf);
        }
        if !has_label && !is_selected {
            let style = mark_style.patch(Style::new().bg(style.bg.unwrap_or_default()));
            if outcome != CallOutcome::Succeeded && !outcome.symbol().is_empty() {
                let first = Rect { width: 1, height: at.height.min(1), ..at };
                fill(buf, first, outcome.symbol(), style);
            }
        }
        if is_selected {
            fill(buf, Rect { width: 1, height: 1, ..at }, "▶", Style::new());
        }
    }

    /// Returns `true` if the part of a bar that is its own gas has a label, next to or below the text of the bar.
    fn labels_own_gas(&self, own: u16) -> bool {
        !self.has_frames() && own >= MIN_OWN_LABEL_COLUMNS
    }

    /// Draws the gas of a call itself on the part of the bar without other text, if that has space.
    fn draw_own_label(&self, call: u32, own: Rect, buf: &mut Buffer) {
        let tree = self.formatter.tree;
        let frame = tree.get(call).filter(|_| tree.children(call).next().is_some());
        let known = frame.filter(|frame| GasBound::of_own_gas(frame) != GasBound::Unknown);
        let parts = known.and_then(|frame| Some((frame, frame.own_gas()?.0)));
        let Some((frame, gas)) = parts else { return };
        // Of the same whole as the share in the text of the bar.
        let parent = tree.parent(call).filter(|_| self.share_of_parent);
        let whole = gas_of_whole(tree, parent.unwrap_or_default());
        let share = whole.and_then(|whole| Percent::of(gas, whole));
        let Some(share) = share else { return };
        let gas = own_gas(frame, |gas| Grouped(gas).to_string());
        let short = format!("self {share}%");
        let columns = usize::from(own.width);
        let labels = [format!("{short} · {gas}"), short];
        let fits = |label: &&String| own.height > 0 && width(label) <= columns;
        if let Some(label) = labels.iter().find(fits) {
            buf.set_stringn(own.x, own.y, label, columns, Style::new());
        }
    }

    /// Fills a bar and the part that is its own gas.
    fn fill_bar(
        &self,
        (bar, style): (Rect, Style),
        (own, own_style): (Rect, Style),
        texts: &[String],
        buf: &mut Buffer,
    ) {
        fill(buf, bar, " ", style);
        let text_end = label_indent(bar.width).saturating_add(longest(texts));
        // Text on two shades would look like two labels.
        let is_clear = text_end < own.x - bar.x;
        let own_part = if is_clear { own } else { lines_below(own, texts.len()) };
        if !self.has_frames() {
            let is_whole = own.width == bar.width;
            return fill(buf, if is_whole { own } else { own_part }, " ", own_style);
        }
        let is_reversed = own_style.add_modifier.contains(Modifier::REVERSED);
        let is_solid = self.format.is_ascii || own_style.bg.is_none() && !is_reversed;
        // A full block would be a hole in a reversed or a coloured bar.
        if is_solid {
            fill(buf, own_part, block::FULL, own_style.add_modifier(Modifier::DIM));
        } else {
            fill(buf, own_part, shade::LIGHT, own_style);
        }
    }

    fn has_frames(&self) -> bool {
        has_frames(self.format, self.styles)
    }

    /// Returns the styles of a bar and of the part that is its own gas.
    fn bar_styles(&self, bar: &IcicleBar, hue: usize, is_selected: bool) -> [Style; 2] {
        let shades = match bar.level.is_multiple_of(2) {
            _ if is_selected => [FillShade::Selected, FillShade::SelectedOwn],
            true => [FillShade::Inner, FillShade::Own],
            false => [FillShade::OddInner, FillShade::Own],
        };
        shades.map(|shade| self.styles.hue_fill(hue, shade))
    }

    /// Returns the called contract, a token by its symbol if its name has no more to say.
    fn short_target<'t>(&self, call: u32, name: &'t str) -> Cow<'t, str> {
        let contract = self.formatter.tree.target_address(call);
        let symbol = contract.and_then(|token| self.formatter.name_cache.symbol_as_name(&token));
        symbol.map_or(Cow::Borrowed(name), |symbol| Cow::Owned(symbol.to_string()))
    }

    /// Like [`figures`](Self::figures), of a call that fills the view: its share with the whole.
    fn zoomed_figures(&self, call: u32, columns: usize, states_own: bool) -> String {
        let tree = self.formatter.tree;
        let share = gas_share(tree, call, self.share_of_parent);
        let is_zoomed = tree.parent(call).is_some() && share.ends_with('%');
        if !is_zoomed || self.share_of_parent {
            return self.figures_after((share, " gas"), call, columns, states_own);
        }
        let share = CallNote::ShareOfRoot { share: &share }.to_string();
        self.figures_after((share, " gas"), call, columns, states_own)
    }

    /// Returns as many of share, gas and, if it is to be stated, own gas as fit.
    fn figures(&self, frame: u32, columns: usize, states_own: bool) -> String {
        let share = gas_share(self.formatter.tree, frame, self.share_of_parent);
        self.figures_after((share, ""), frame, columns, states_own)
    }

    fn figures_after(
        &self,
        (share, unit): (String, &str),
        frame: u32,
        columns: usize,
        states_own: bool,
    ) -> String {
        let tree = self.formatter.tree;
        let grouped = |gas: u64| Grouped(gas).to_string();
        let Some(call) = tree.get(frame) else { return String::new() };
        let used = call.format_gas_used(grouped) + unit;
        let has_calls = tree.children(frame).next().is_some();
        let own = (has_calls && states_own).then(|| ["self ", &own_gas(call, grouped)].concat());
        let mut figures = String::new();
        for part in [share, used].into_iter().chain(own) {
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

/// Returns the lines of an area after its text.
fn lines_after(area: Rect, text_lines: usize) -> Rect {
    let top = u16::try_from(text_lines).unwrap_or(area.height).min(area.height);
    Rect { y: area.y + top, height: area.height - top, ..area }
}

/// Returns the lines of an area below its text, at least the last one: letters would be holes in a hatch.
fn lines_below(area: Rect, text_lines: usize) -> Rect {
    let last = area.height.saturating_sub(1);
    let top = u16::try_from(text_lines).unwrap_or(last).min(last);
    Rect { y: area.y + top, height: area.height - top, ..area }
}

fn label_indent(columns: u16) -> u16 {
    if columns < MIN_INDENTED_COLUMNS { 1 } else { 2 }
}

/// Returns the columns of the longest line.
fn longest(texts: &[String]) -> u16 {
    let widest = texts.iter().map(|text| width(text)).max().unwrap_or_default();
    u16::try_from(widest).unwrap_or(u16::MAX)
}

/// Returns the number of the calls of a bar, or nothing for a single call without space for a name.
fn merged_lines(bar: &IcicleBar, columns: u16) -> Vec<String> {
    if bar.merged == 0 || columns < MIN_LABEL_COLUMNS {
        return Vec::new();
    }
    let calls = Count(bar.merged as usize + 1, "call").to_string();
    let short = format!("…{}", bar.merged + 1);
    vec![if width(&calls) < usize::from(columns) { calls } else { short }]
}

/// Joins the lower edges of bars on a line with the edges to their sides, above and below.
fn join_lines(line: Rect, buf: &mut Buffer) {
    let symbol =
        |buf: &Buffer, x: u16, y: u16| buf.cell((x, y)).map_or(" ", |c| c.symbol()).to_owned();
    let is_edge = |symbol: &str| ["│", FAILURE_EDGE].contains(&symbol);
    let is_lower = |symbol: &str| "─└┘┴┬├┤┼".contains(symbol);
    for at in line.positions() {
        let [before, here, after] =
            [at.x.wrapping_sub(1), at.x, at.x + 1].map(|x| symbol(buf, x, at.y));
        let is_end = is_edge(&here) && is_lower(&before) && !is_lower(&after);
        if !is_lower(&here) && !is_end {
            continue;
        }
        let above = line.y.checked_sub(1).is_some_and(|y| is_edge(&symbol(buf, at.x, y)));
        let below = is_edge(&symbol(buf, at.x, line.y + 1));
        let joint = match (above, below, at.x > line.x && is_lower(&before), is_lower(&after)) {
            (true, true, true, true) => "┼",
            (true, true, true, false) => "┤",
            (true, true, false, _) => "├",
            (true, false, true, true) => "┴",
            (true, false, true, false) => "┘",
            (true, false, false, true) => "└",
            (false, true, true, _) | (false, true, _, true) => "┬",
            _ => continue,
        };
        if let Some(cell) = buf.cell_mut(at) {
            cell.set_symbol(joint);
        }
    }
}

/// Fills an area with a symbol of one column.
fn fill(buf: &mut Buffer, area: Rect, symbol: &str, style: Style) {
    for at in area.intersection(buf.area).positions() {
        if let Some(cell) = buf.cell_mut(at) {
            cell.modifier.remove(Modifier::DIM);
            cell.set_symbol(symbol).set_style(style);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn label(contract: &str, function: &str, width: u16) -> BarLabel {
        let [contract, function] = [contract, function].map(str::to_owned);
        let dot = if contract.is_empty() { "" } else { "." };
        let line = [&*contract, dot, &*function, "(…)"].concat();
        let (mark, columns) = (String::new(), usize::from(width));
        BarLabel { mark, contract, function, line, width, columns, lines: 3 }
    }

    #[test]
    fn names_are_left_out_rather_than_broken() {
        let lines = |contract, function, columns| {
            let label = label(contract, function, columns);
            label.name_lines(label.form(columns.into()), columns.into()).join(" | ")
        };
        assert_eq!(lines("Pool·Cba6", "swap", 17), "Pool·Cba6.swap(…)");
        assert_eq!(lines("Pool·Cba6", "swap", 14), "Pool·Cba6.swap");
        assert_eq!(lines("Pool·Cba6", "swap", 13), "Pool·Cba6 | swap");
        assert_eq!(lines("GLD", "transferFrom", 12), "GLD | transferFrom");
        assert_eq!(lines("GLD", "transferFrom", 11), "GLD");
        assert_eq!(lines("0x1624…1AdF", "receive?", 10), "0x1624…1A…");
        assert_eq!(lines("0x1624…1AdF", "receive?", 7), "");
        assert_eq!(lines("", "new Pool", 8), "new Pool");
        let low = BarLabel { lines: 2, ..label("GLD", "transfer", 9) };
        assert_eq!(low.form(9), NameForm::Contract, "the other line is for the gas");
    }

    #[test]
    fn calls_that_are_alike_have_names_of_one_form() {
        let names = [("Pool·Cba6", "swap", 16), ("0x673c…18D7", "swap?", 17), ("GLD", "mint", 16)];
        let level = names.map(|(contract, function, width)| Some(label(contract, function, width)));
        let forms = level.iter().flatten().map(|label| common_form(label, &level));
        let (alone, two) = (NameForm::Call, NameForm::TwoLines);
        assert_eq!(forms.collect::<Vec<_>>(), [(16, two), (16, two), (16, alone)]);
    }
}
