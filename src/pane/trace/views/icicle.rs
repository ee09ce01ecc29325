//! The icicle view of gas: lines for each depth, each call as wide as its gas and in the colour of its
//! contract, its own gas brighter. Without shades, own gas is a block or, in colour, hatched, and the selected
//! call reversed.

use std::borrow::Cow;

use ratatui::buffer::Buffer;
use ratatui::layout::{Margin, Rect};
use ratatui::style::{Modifier, Style};
use ratatui::symbols::{block, shade};

use super::contract_hues::ContractHues;
use super::icicle_layout::{Icicle, IcicleAreas, IcicleBar, MIN_LABEL_COLUMNS};
use crate::calls::formatter::CallLabel;
use crate::calls::gas::{gas_of_whole, gas_share, own_gas};
use crate::calls::results::outcome_role;
use crate::chain::amount::Grouped;
use crate::chain::percent::Percent;
use crate::messages::Count;
use crate::messages::call::CallNote;
use crate::pane::trace::rows::call_row::CallPainter;
use crate::trace::CallOutcome;
use crate::trace::revert_origin::is_origin;
use crate::ui::format::{cut, width, wrap_words};
use crate::ui::text::draw_text;
use crate::ui::theme::{FillShade, Role};

/// Narrower bars have no space between the mark of the selected one and the text.
const MIN_INDENTED_COLUMNS: u16 = 14;
/// Letters of a name that stay before its last word.
const MIN_NAME_START: usize = 2;
/// Narrower texts are a contract, if that fits, and figures.
const MIN_NAME_COLUMNS: usize = 4;
/// Least columns of a shortened name next to a contract.
const MIN_CUT_NAME_COLUMNS: usize = 8;
/// Most lines of a name, and least letters of each of several.
const MAX_NAME_LINES: usize = 2;
const MIN_PIECE_LETTERS: usize = 4;
/// Bars that are at most this much wider than others have texts of the same form.
const MAX_MORE_WIDTH: u16 = 2;
/// Least columns of own gas with a label: `self 8%` after a blank.
const MIN_OWN_LABEL_COLUMNS: u16 = 8;
/// Lower bars have no line below them.
const MIN_FRAMED_LINES: u16 = 3;

/// A bar with the name of its function, if it is wide enough for a text.
struct NamedBar {
    level: u16,
    name: Option<String>,
    width: u16,
}

impl NamedBar {
    /// Returns the columns of the narrowest bar of the function in a level, among nearly equal ones.
    fn text_width(&self, level: &[Self]) -> u16 {
        if self.name.is_none() {
            return self.width;
        }
        let similar = level.iter().filter(|other| {
            let more = self.width.checked_sub(other.width);
            more.is_some_and(|more| more <= MAX_MORE_WIDTH) && other.name == self.name
        });
        similar.map(|bar| bar.width).min().unwrap_or(self.width)
    }
}

impl CallPainter<'_> {
    /// Draws the calls around the root, the bars, and without details a line with the selected call. The
    /// note stands on the last line if there are deeper calls.
    pub fn draw_icicle(&self, root: u32, areas: &IcicleAreas, note: &str, buf: &mut Buffer) {
        let tree = self.formatter.tree;
        let icicle = Icicle::new(tree, root, self.selected, areas.chart);
        let mut hues = ContractHues::default();
        let mut hue = |call| tree.target_address(call).map_or(0, |contract| hues.number(&contract));
        for (line, call) in areas.ancestors.rows().zip(areas.ancestor_calls(tree, root)) {
            self.draw_ancestor(call, hue(call), line, buf);
        }
        let widths = self.text_widths(&icicle, areas.chart);
        for (bar, text_width) in icicle.bars.iter().zip(widths) {
            let at = icicle.rect(bar, areas.chart);
            self.draw_bar(bar, hue(bar.frame), (at, text_width), buf);
            let is_selected = bar.frame == self.selected && bar.merged == 0;
            if self.has_frames() && at.width > 1 && !is_selected && icicle.is_end(bar) {
                fill(buf, Rect { x: at.right() - 1, width: 1, ..at }, "│", Style::new());
            }
        }
        for line in areas.chart.rows().filter(|_| self.has_frames()) {
            join_lines(line, buf);
        }
        let note = if icicle.has_more_below { note } else { "" };
        let area = if areas.caption.is_empty() { areas.chart } else { areas.caption };
        let last = Rect { y: area.bottom().saturating_sub(1), height: area.height.min(1), ..area };
        self.draw_caption(areas.caption, width(note), buf);
        let x = last.right().saturating_sub(u16::try_from(width(note)).unwrap_or(u16::MAX));
        let right = Rect { x: x.max(last.x), width: last.right() - x.max(last.x), ..last };
        draw_text(buf, right, note, self.styles.in_frame(Role::Dim));
    }

    /// Returns the columns for the text of each bar: nearly equal bars of one function have as many as the narrowest, for
    /// one form of their texts.
    fn text_widths(&self, icicle: &Icicle, chart: Rect) -> Vec<u16> {
        let named = |bar: &IcicleBar| {
            let width = icicle.rect(bar, chart).width;
            // Others have no text, and there may be thousands of them.
            let name = (width >= MIN_LABEL_COLUMNS).then(|| {
                let function = self.formatter.call_label(bar.frame).function;
                function.split('(').next().unwrap_or_default().to_owned()
            });
            NamedBar { level: bar.level, name, width }
        };
        let bars: Vec<NamedBar> = icicle.bars.iter().map(named).collect();
        let levels = bars.chunk_by(|bar, next| bar.level == next.level);
        levels.flat_map(|level| level.iter().map(move |bar| bar.text_width(level))).collect()
    }

    fn draw_ancestor(&self, call: u32, hue: usize, line: Rect, buf: &mut Buffer) {
        fill(buf, line, " ", self.styles.hue_fill(hue, FillShade::Inner));
        let share = gas_share(self.formatter.tree, call, self.options.share_of_parent);
        let text = format!(" {} {share}", self.formatter.call_label(call).line());
        let columns = usize::from(line.width);
        buf.set_stringn(line.x, line.y, cut(&text, columns), columns, Style::new());
    }

    /// Draws the selected call with its gas, to the left of `reserved` columns.
    fn draw_caption(&self, line: Rect, reserved: usize, buf: &mut Buffer) {
        let columns = usize::from(line.width).saturating_sub(reserved + 2);
        let label = self.formatter.call_label(self.selected).line();
        let figures = self.figures(self.selected, columns / 2, true);
        let shown = cut(&label, columns.saturating_sub(width(&figures) + 4));
        draw_text(buf, line, &format!("▶ {shown}  {figures}"), self.styles.of(Role::Title));
    }

    fn draw_bar(
        &self,
        bar: &IcicleBar,
        hue: usize,
        (at, text_width): (Rect, u16),
        buf: &mut Buffer,
    ) {
        let outcome = self.formatter.tree.outcome(bar.frame).unwrap_or(CallOutcome::Succeeded);
        let is_selected = bar.frame == self.selected && bar.merged == 0;
        let is_failure = match outcome {
            CallOutcome::Caught => bar.merged == 0,
            // Not the calls around it, or all would be red.
            CallOutcome::Failed => is_origin(self.formatter.tree, bar.frame),
            CallOutcome::Succeeded | CallOutcome::RolledBack => false,
        };
        let failure = is_failure.then(|| outcome_role(outcome));
        let [style, own_style] = self.bar_styles(bar, hue, failure, is_selected);
        // Calls that are too narrow to be drawn apart have no bars below them.
        let own_width = if bar.merged == 0 { bar.own_width.min(at.width) } else { at.width };
        let own = Rect { x: at.right() - own_width, width: own_width, ..at };
        let is_hatched = self.has_frames();
        let has_label = at.width >= MIN_LABEL_COLUMNS;
        let texts = if has_label {
            self.bar_texts(bar, Rect { width: text_width, ..at }, own.width)
        } else {
            Vec::new()
        };
        self.fill_bar((at, style), (own, own_style), &texts, buf);
        let is_framed = is_hatched && !is_selected && at.height >= MIN_FRAMED_LINES;
        if is_framed {
            fill(buf, Rect { y: at.bottom() - 1, height: 1, ..at }, "─", style);
        }
        // The left edge separates neighbours of one colour, or shows a failure.
        let mark_style = Style { bg: None, ..self.styles.of(outcome_role(outcome)) };
        let (edge, edge_style) = match outcome {
            _ if is_selected => (" ", Style::new()),
            CallOutcome::Failed | CallOutcome::Caught if has_label => ("▌", mark_style),
            _ if is_hatched => ("│", Style::new()),
            _ => ("▏", self.styles.fill_edge()),
        };
        fill(buf, Rect { width: 1, ..at }, edge, edge_style);
        if is_framed {
            fill(buf, Rect { y: at.bottom() - 1, width: 1, height: 1, ..at }, "└", edge_style);
        }
        let indent = label_x(at, own.width, &texts);
        for (line, text) in at.rows().zip(&texts) {
            let columns = usize::from(line.width.saturating_sub(indent));
            buf.set_stringn(line.x + indent, line.y, text, columns, Style::new());
        }
        if bar.merged == 0 && self.labels_own_gas(own.width) {
            let is_clear = at.x + indent.saturating_add(longest(&texts)) < own.x;
            let free = if is_clear { own } else { lines_after(own, texts.len()) };
            self.draw_own_label(bar.frame, free.inner(Margin::new(1, 0)), buf);
        }
        if !has_label && !is_selected {
            let style = mark_style.patch(Style::new().bg(style.bg.unwrap_or_default()));
            for (line, c) in at.rows().zip(failure_mark(bar, outcome).chars()) {
                fill(buf, Rect { width: 1, ..line }, c.encode_utf8(&mut [0; 4]), style);
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
        let parts = frame.and_then(|frame| Some((frame, frame.own_gas()?.0)));
        let Some((frame, gas)) = parts else { return };
        // Of the same whole as the share in the text of the bar.
        let parent = tree.parent(call).filter(|_| self.options.share_of_parent);
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

    /// Fills a bar and the part that is its own gas. Text that fits into neither part has one ground, if there
    /// are lines below it.
    fn fill_bar(
        &self,
        (bar, style): (Rect, Style),
        (own, own_style): (Rect, Style),
        texts: &[String],
        buf: &mut Buffer,
    ) {
        fill(buf, bar, " ", style);
        let inner = own.x - bar.x;
        let text_x = label_x(bar, own.width, texts);
        let text_end = text_x.saturating_add(longest(texts));
        let is_hatched = self.has_frames();
        if is_hatched {
            let is_clear = text_end < inner;
            let hatched = if is_clear { own } else { lines_below(own, texts.len()) };
            let is_reversed = own_style.add_modifier.contains(Modifier::REVERSED);
            let is_solid = self.format.is_ascii || own_style.bg.is_none() && !is_reversed;
            // A full block would be a hole in a reversed or a coloured bar.
            return if is_solid {
                fill(buf, hatched, block::FULL, own_style.add_modifier(Modifier::DIM));
            } else {
                fill(buf, hatched, shade::LIGHT, own_style);
            };
        }
        fill(buf, own, " ", own_style);
        let crosses = text_x < inner && text_end > inner;
        let lines = u16::try_from(texts.len()).unwrap_or(u16::MAX);
        if crosses && lines < bar.height {
            fill(buf, Rect { height: lines, ..bar }, " ", style);
        }
    }

    /// Returns the text of a bar: in the larger one of its parts, if it would cross their border without a
    /// line below it.
    fn bar_texts(&self, bar: &IcicleBar, at: Rect, own: u16) -> Vec<String> {
        // The line around the next bar stands in the last column.
        let edges = label_indent(at.width) + u16::from(self.has_frames());
        let lines =
            |columns: u16| self.bar_lines(bar, columns.saturating_sub(edges).into(), at.height);
        let texts = lines(at.width);
        let inner = at.width.saturating_sub(own);
        let x = label_x(at, own, &texts);
        let crosses = x < inner && x.saturating_add(longest(&texts)) > inner;
        let is_full = texts.len() >= usize::from(at.height);
        if crosses && is_full && inner >= MIN_INDENTED_COLUMNS { lines(inner) } else { texts }
    }

    /// Returns `true` if inner gas is blank and bars have lines around them, for want of shades.
    fn has_frames(&self) -> bool {
        self.format.is_ascii || !self.styles.has_shades()
    }

    /// Returns the styles of a bar and of the part that is its own gas.
    fn bar_styles(
        &self,
        bar: &IcicleBar,
        hue: usize,
        failure: Option<Role>,
        is_selected: bool,
    ) -> [Style; 2] {
        let shades = match bar.level.is_multiple_of(2) {
            _ if is_selected => [FillShade::Selected, FillShade::SelectedOwn],
            true => [FillShade::Inner, FillShade::Own],
            false => [FillShade::OddInner, FillShade::Own],
        };
        shades.map(|shade| match failure {
            Some(role) => self.styles.role_fill(role, shade),
            None => self.styles.hue_fill(hue, shade),
        })
    }

    /// Returns the call, and its share and gas on the last line. A bar that is too narrow for the call has
    /// contract and function only, on lines of their own if they do not fit on one.
    fn bar_lines(&self, bar: &IcicleBar, columns: usize, lines: u16) -> Vec<String> {
        if bar.merged > 0 {
            let calls = Count(bar.merged as usize + 1, "call").to_string();
            let short = format!("…{}", bar.merged + 1);
            return vec![if width(&calls) <= columns { calls } else { short }];
        }
        let mark = match self.formatter.tree.outcome(bar.frame) {
            None | Some(CallOutcome::Succeeded) => String::new(),
            Some(outcome) => [outcome.symbol(), " "].concat(),
        };
        let call = self.formatter.call_label(bar.frame);
        let target = self.short_target(bar.frame, call.contract());
        let line = CallLabel { target: target.to_string(), ..call.clone() }.line();
        let label = [&*mark, &*line].concat();
        let states_own = !self.labels_own_gas(bar.own_width);
        let figures = |columns: usize| match bar.level {
            0 => self.zoomed_figures(bar.frame, columns, states_own),
            _ => self.figures(bar.frame, columns, states_own),
        };
        if lines == 1 {
            let after = figures(columns.saturating_sub(width(&label) + 1));
            let shown = [&*label, " ", &after].concat();
            return vec![cut(shown.trim_end(), columns).into_owned()];
        }
        let last_line = figures(columns);
        let lines = usize::from(lines);
        if columns < MIN_NAME_COLUMNS {
            let target = (width(&target) <= columns && lines > 1).then(|| target.into_owned());
            return target.into_iter().chain([last_line]).collect();
        }
        let mut texts = if width(&label) <= columns {
            vec![label]
        } else {
            name_lines(&mark, &target, &call.function, columns, lines)
        };
        if texts.len() < lines {
            texts.push(last_line);
        }
        texts
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
        let share = gas_share(tree, call, self.options.share_of_parent);
        let is_zoomed = tree.parent(call).is_some() && share.ends_with('%');
        if !is_zoomed || self.options.share_of_parent {
            return self.figures_after((share, " gas"), call, columns, states_own);
        }
        let share = CallNote::ShareOfRoot { share: &share }.to_string();
        self.figures_after((share, " gas"), call, columns, states_own)
    }

    /// Returns as many of share, gas and, if it is to be stated, own gas as fit.
    fn figures(&self, frame: u32, columns: usize, states_own: bool) -> String {
        let share = gas_share(self.formatter.tree, frame, self.options.share_of_parent);
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

/// Returns the column of a bar's text: its left edge, or its own gas if that is the larger part, only that has space
/// for the text, and no line is left below.
fn label_x(bar: Rect, own: u16, texts: &[String]) -> u16 {
    let indent = label_indent(bar.width);
    let inner = bar.width.saturating_sub(own);
    let columns = longest(texts);
    let is_full = texts.len() >= usize::from(bar.height);
    let fits_in_own = is_full && own > inner && columns.saturating_add(1) < own;
    let crosses = inner > 0 && indent.saturating_add(columns) > inner;
    if crosses && fits_in_own { inner + 1 } else { indent }
}

/// Returns contract and function on one line, or the function and below it the contract, on at most `most`
/// lines. The arguments follow if they fit on a line.
fn name_lines(
    mark: &str,
    target: &str,
    function: &str,
    columns: usize,
    most: usize,
) -> Vec<String> {
    let name = function.split('(').next().unwrap_or_default();
    let arguments = function.get(name.len()..).unwrap_or_default();
    let dot = if target.is_empty() || name.is_empty() { "" } else { "." };
    let whole = [mark, target, dot, name].concat();
    let mut lines = if width(&whole) <= columns || dot.is_empty() {
        wrap_words(&whole, columns, most)
    } else {
        // A line is left for the contract and, unless the name would be cut, one for the gas.
        let name_lines =
            |left: usize| wrap_name(&[mark, name].concat(), columns, most.saturating_sub(left));
        let mut lines = name_lines(2);
        if lines.is_empty() {
            lines = name_lines(1);
        }
        let has_space = target.split(' ').all(|word| width(word) <= columns);
        if lines.is_empty() && (columns >= MIN_CUT_NAME_COLUMNS || !has_space) {
            let name = keep_last_word(name, columns.saturating_sub(width(mark)));
            lines.push(cut(&[mark, &*name].concat(), columns).into_owned());
        }
        let left = most.saturating_sub(lines.len());
        if has_space {
            lines.extend(wrap_words(target, columns, left));
        } else if left > 0 {
            lines.push(cut(target, columns).into_owned());
        }
        lines
    };
    if width(arguments) <= columns && arguments.len() > "()".len() && lines.len() + 1 < most {
        lines.push(arguments.to_owned());
    }
    lines
}

/// Returns the ends of the words of a name but the last: `transfer|From`, `PERMIT_|TYPEHASH`.
fn word_ends(name: &str) -> impl Iterator<Item = usize> {
    let letters = name.char_indices().zip(name.chars().skip(1));
    let begins_word = |one: char, next: char| {
        next.is_uppercase() && !one.is_uppercase() || one == '_' && next != '_'
    };
    let words = letters.filter(move |((_, one), next)| begins_word(*one, *next));
    words.map(|((at, one), _)| at + one.len_utf8())
}

/// Returns the lines of a name that is broken between its words. Empty if they are more than `most`, or pieces of no use.
fn wrap_name(name: &str, columns: usize, most: usize) -> Vec<String> {
    let mut ends: Vec<usize> = word_ends(name).collect();
    ends.push(name.len());
    let (mut lines, mut start) = (vec![String::new()], 0);
    for end in ends {
        let word = name.get(start..end).unwrap_or_default();
        start = end;
        let is_full = |line: &String| width(line) + width(word) > columns && !line.is_empty();
        if lines.last().is_some_and(is_full) {
            lines.push(String::new());
        }
        lines.last_mut().into_iter().for_each(|line| line.push_str(word));
    }
    let is_short = |line: &String| width(line) < MIN_PIECE_LETTERS;
    let is_chopped = lines.len() > MAX_NAME_LINES || lines.len() > 1 && lines.iter().any(is_short);
    let is_long = lines.iter().any(|line| width(line) > columns);
    if lines.len() > most || is_long || is_chopped { Vec::new() } else { lines }
}

/// Shortens a name of several words before the last one, which often differs from other names:
/// `tr…From`.
fn keep_last_word(name: &str, columns: usize) -> Cow<'_, str> {
    let last = word_ends(name).last().unwrap_or_default();
    let tail = name.get(last..).unwrap_or_default();
    let is_long = width(name) > columns;
    match columns.checked_sub(width(tail) + "…".chars().count()) {
        Some(before) if is_long && before >= MIN_NAME_START && last > 0 => {
            let start: String = name.chars().take(before).collect();
            Cow::Owned([&*start, "…", tail].concat())
        }
        _ => Cow::Borrowed(name),
    }
}

/// Joins the lower edges of bars on a line with the edges to their sides, above and below.
fn join_lines(line: Rect, buf: &mut Buffer) {
    let symbol =
        |buf: &Buffer, x: u16, y: u16| buf.cell((x, y)).map_or(" ", |c| c.symbol()).to_owned();
    let is_edge = |symbol: &str| ["│", "▌"].contains(&symbol);
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

/// Returns the symbol of a failure, with the number of calls in a bar of several.
fn failure_mark(bar: &IcicleBar, outcome: CallOutcome) -> String {
    if outcome == CallOutcome::Succeeded || outcome.symbol().is_empty() {
        return String::new();
    }
    let count = if bar.merged > 0 { (bar.merged + 1).to_string() } else { String::new() };
    [outcome.symbol(), &count].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nearly_equal_bars_of_a_function_have_texts_of_one_width() {
        let bar = |name: &str, width| {
            let name = (width >= MIN_LABEL_COLUMNS).then(|| name.to_owned());
            NamedBar { level: 0, name, width }
        };
        let level = [("a", 9), ("a", 8), ("b", 7), ("a", 4), ("a", 3)].map(|(n, w)| bar(n, w));
        assert_eq!(level.each_ref().map(|bar| bar.text_width(&level)), [8, 8, 7, 4, 3]);
    }

    #[test]
    fn narrow_bars_begin_with_the_function() {
        let lines = |target, function, columns| name_lines("", target, function, columns, 4);
        assert_eq!(lines("Pool·Cba6", "swap()", 14), ["Pool·Cba6.swap"]);
        assert_eq!(lines("Pool·Cba6", "swap()", 13), ["swap", "Pool·Cba6"]);
        assert_eq!(lines("GLD", "transferFrom(…)", 8), ["transfer", "From", "GLD"]);
        assert_eq!(lines("GLD", "transfer(…)", 8), ["transfer", "GLD", "(…)"]);
        assert_eq!(lines("GLD", "transferFrom()", 5), ["GLD"], "no pieces of pieces");
        assert_eq!(lines("GLD", "transfer()", 7), ["GLD"], "no pieces of words");
        assert_eq!(lines("0x1624…1AdF", "receive?()", 6), ["recei…", "0x162…"]);
        assert_eq!(lines("GLD", "swapAll()", 4), ["GLD"], "pieces of three letters say nothing");
        assert_eq!(lines("", "new Pool", 8), ["new Pool"]);
        assert_eq!(lines("GLD", "PERMIT_TYPEHASH()", 12), ["PERMIT_", "TYPEHASH", "GLD"]);
        assert_eq!(lines("GLD", "TYPEHASH()", 6), ["GLD"]);
        assert_eq!(name_lines("", "GLD", "PERMIT_TYPEHASH()", 12, 2), ["PER…TYPEHASH", "GLD"]);
    }
}
