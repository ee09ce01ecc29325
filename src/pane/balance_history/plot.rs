//! The plot of balances over time: an area, with its range and its dates at the axes.

use ratatui::buffer::Buffer;
use ratatui::layout::Constraint::{self, Fill, Length};
use ratatui::layout::{Layout, Margin, Rect};

use super::curve::BalanceCurve;
use crate::chain::significant_digits::format_with_change;
use crate::pane::PaneContext;
use crate::ui::charts::area_chart;
use crate::ui::format::width;
use crate::ui::text::draw_text;
use crate::ui::theme::Role;

/// The heading, the plot, and the dates below.
const PLOT_PARTS: [Constraint; 3] = [Length(1), Fill(1), Length(1)];
/// Columns for two dates with times. A plot that an axis leaves fewer has no axis.
const MIN_WIDTH_WITH_AXIS: u16 = 33;

impl BalanceCurve {
    pub(super) fn draw(&self, area: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let balances = || self.points.iter().map(|(_, balance)| *balance);
        let (Some(low), Some(high)) = (balances().min(), balances().max()) else { return };
        if area.is_empty() {
            return;
        }
        let inner = area.inner(Margin::new(1, 0));
        let [heading, plot, below] = inner.layout(&Layout::vertical(PLOT_PARTS));
        self.draw_heading(heading, cx, buf);
        let dim = cx.styles.of(Role::Dim);
        let decimals = cx.format.unit.decimals(cx.network.decimals);
        let unit = cx.format.unit.name(cx.network);
        let range = [high, low]
            .map(|wei| [&*format_with_change(wei, high - low, decimals), " ", unit].concat());
        let widest = range.iter().map(|label| width(label)).max().unwrap_or_default();
        let has_space = |axis: &u16| plot.width.saturating_sub(*axis) >= MIN_WIDTH_WITH_AXIS;
        let axis = u16::try_from(widest + 1).ok().filter(has_space).filter(|_| plot.height > 1);
        let axis = axis.unwrap_or_default();
        let [labels, chart] = plot.layout(&Layout::horizontal([Length(axis), Fill(1)]));
        if axis > 0 {
            let ends = [labels.rows().next(), labels.rows().next_back()];
            for (label, line) in range.iter().zip(ends.into_iter().flatten()) {
                draw_text(buf, line, &format!("{label:>widest$}"), dim);
            }
        }
        let values = self.sampled(chart.width);
        let lines = area_chart(&values, [low, high], chart.height.into());
        for (text, line) in lines.iter().zip(chart.rows()) {
            draw_text(buf, line, text, dim);
        }
        let [from, to] = self.dates();
        let below = Rect { x: chart.x, width: chart.width, ..below };
        let space = usize::from(chart.width).saturating_sub(width(&from));
        draw_text(buf, below, &format!("{from}{to:>space$}"), dim);
    }

    /// Draws the title and the change over the whole time, and the note at the right.
    fn draw_heading(&self, line: Rect, cx: &PaneContext<'_>, buf: &mut Buffer) {
        let dim = cx.styles.of(Role::Dim);
        let title_end = draw_text(buf, line, &format!("{} · ", self.title), dim);
        let after_title = Rect { x: title_end, width: line.right() - title_end, ..line };
        let (change, role) = self.change(cx.format.unit, cx.network);
        let change_end = draw_text(buf, after_title, &change, cx.styles.of(role));
        let rest = Rect { x: change_end, width: line.right() - change_end, ..line };
        let free = usize::from(rest.width);
        if width(&self.note) < free {
            draw_text(buf, rest, &format!("{:>free$}", self.note), dim);
        }
    }
}
