//! Totals of the logged requests by endpoint, below a log with few entries.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::log_row::{
    BAR_WIDTH, LogColumn, LogColumns, draw_top_rule, endpoint, format_millis, request_path,
    short_size, shown_host, time_bar,
};
use crate::app_message::RequestLogEntry;
use crate::chain::amount::Grouped;
use crate::messages::column;
use crate::messages::prompt::{self, OverlayText};
use crate::ui::format::width;
use crate::ui::table::{Align, TableCell, draw_row};
use crate::ui::theme::{Role, Styles};

/// Lines of a rule, a header and two endpoints.
const MIN_HEIGHT: u16 = 4;
/// The bar among the columns, and its least width.
const BAR: usize = 2;
const MIN_BAR_WIDTH: u16 = 6;
const COLUMNS: LogColumns<4> = LogColumns([
    LogColumn { title: "requests", width: 8, align: Align::Right, from: 0 },
    LogColumn { title: prompt::TOTAL_MILLIS, width: 8, align: Align::Right, from: 0 },
    LogColumn { title: column::OF_LARGEST, width: BAR_WIDTH, align: Align::Left, from: 60 },
    LogColumn { title: "size", width: 8, align: Align::Right, from: 60 },
]);

pub(super) struct EndpointTotal {
    path: String,
    requests: usize,
    elapsed: Duration,
    bytes: u64,
}

/// Draws the endpoints by the time that their requests took together, below a rule.
pub(super) fn draw_endpoint_totals<'a>(
    entries: impl Iterator<Item = &'a RequestLogEntry>,
    spans_hosts: bool,
    area: Rect,
    (styles, buf): (&Styles, &mut Buffer),
) {
    let totals = endpoint_totals(entries, spans_hosts);
    let Some(largest) = totals.first().map(|total| total.elapsed) else { return };
    if area.height < MIN_HEIGHT {
        return;
    }
    draw_top_rule(buf, area, styles.of(Role::Border));
    let columns = fitted_columns(&totals, area.width);
    let mut lines = area.rows().skip(1);
    if let Some(line) = lines.next() {
        let (shown, all) = (usize::from(area.height) - 2, totals.len());
        let title = if shown < all {
            OverlayText::EndpointsShown { shown, all }.to_string()
        } else {
            prompt::ENDPOINT.to_owned()
        };
        draw_row(buf, line, columns.header(title, line.width), styles);
    }
    for (total, line) in totals.into_iter().zip(lines) {
        let plain = |text: String| TableCell::new(text, Role::Plain);
        let cells = [
            plain(Grouped(total.requests).to_string()),
            plain(format_millis(total.elapsed)),
            time_bar(total.elapsed, largest, columns.0[BAR].width),
            plain(short_size(total.bytes)),
        ];
        draw_row(buf, line, columns.cells(cells, plain(total.path), line.width), styles);
    }
}

/// Returns the columns with a bar as wide as the paths leave it.
fn fitted_columns(totals: &[EndpointTotal], all: u16) -> LogColumns<4> {
    let mut columns = COLUMNS;
    let longest = totals.iter().map(|total| width(&total.path)).max().unwrap_or_default();
    let missing =
        u16::try_from(longest).unwrap_or(u16::MAX).saturating_sub(columns.path_width(all));
    let bar = &mut columns.0[BAR];
    bar.width = bar.width.saturating_sub(missing);
    if bar.width < MIN_BAR_WIDTH {
        bar.from = u16::MAX;
    }
    columns
}

/// Returns the lines of some totals, with a rule and a header. None without any.
pub(super) fn lines_of_totals(totals: usize) -> u16 {
    if totals == 0 { 0 } else { u16::try_from(totals + 2).unwrap_or(u16::MAX).max(MIN_HEIGHT) }
}

/// Returns the totals of the endpoints that were requested, the slowest first.
pub(super) fn endpoint_totals<'a>(
    entries: impl Iterator<Item = &'a RequestLogEntry>,
    spans_hosts: bool,
) -> Vec<EndpointTotal> {
    let mut totals: Vec<EndpointTotal> = Vec::new();
    for sent in entries.filter(|sent| !sent.from_cache) {
        let path = endpoint(&request_path(&sent.url, false));
        let path = [shown_host(&sent.url, spans_hosts), &path].concat();
        if let Some(total) = totals.iter_mut().find(|total| total.path == path) {
            total.requests += 1;
            total.elapsed += sent.elapsed;
            total.bytes += sent.bytes;
        } else {
            let (elapsed, bytes) = (sent.elapsed, sent.bytes);
            totals.push(EndpointTotal { path, requests: 1, elapsed, bytes });
        }
    }
    totals.sort_by_key(|total| std::cmp::Reverse(total.elapsed));
    totals
}
