//! Totals of the logged requests by endpoint, below a log with few entries.

use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::log_row::{BAR_WIDTH, GAP, format_millis, log_path, time_bar};
use crate::chain::amount::Grouped;
use crate::messages::column;
use crate::msg::RequestLogEntry;
use crate::ui::format_options::format_bytes;
use crate::ui::frame::draw_rule;
use crate::ui::table::{Align, RowCell, TableCell, draw_row};
use crate::ui::theme::{Role, Styles};

/// Lines of a rule, a header and two endpoints.
const MIN_HEIGHT: u16 = 4;
const ANY_SUBJECT: &str = "…";
const COLUMNS: [(&str, u16, Align); 4] = [
    ("requests", 8, Align::Right),
    ("ms", 7, Align::Right),
    (column::OF_LARGEST, BAR_WIDTH, Align::Left),
    ("size", 9, Align::Right),
];

struct EndpointTotal {
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
    if area.height < MIN_HEIGHT {
        return;
    }
    let rule = Rect { x: area.x - 1, width: area.width + 2, height: 1, ..area };
    draw_rule(buf, rule, styles.of(Role::Border));
    let totals = endpoint_totals(entries, spans_hosts);
    let largest = totals.first().map_or(Duration::ZERO, |total| total.elapsed);
    let mut lines = area.rows().skip(1);
    if let Some(line) = lines.next() {
        let titles = COLUMNS.map(|(title, ..)| TableCell::new(title, Role::Title));
        let path = TableCell::new("endpoint", Role::Title);
        draw_row(buf, line, with_columns(titles, path, line.width), styles);
    }
    for (total, line) in totals.into_iter().zip(lines) {
        let plain = |text: String| TableCell::new(text, Role::Plain);
        let cells = [
            plain(Grouped(total.requests).to_string()),
            plain(format_millis(total.elapsed)),
            time_bar(total.elapsed, largest),
            plain(format_bytes(total.bytes).replace(" bytes", " B")),
        ];
        draw_row(buf, line, with_columns(cells, plain(total.path), line.width), styles);
    }
}

fn endpoint_totals<'a>(
    entries: impl Iterator<Item = &'a RequestLogEntry>,
    spans_hosts: bool,
) -> Vec<EndpointTotal> {
    let mut totals: Vec<EndpointTotal> = Vec::new();
    for sent in entries.filter(|sent| !sent.from_cache) {
        let path = endpoint(&log_path(&sent.url, spans_hosts, false));
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

/// Returns a path without its parameters and its subjects: hashes, addresses and numbers.
fn endpoint(path: &str) -> String {
    let is_subject = |part: &str| {
        part.starts_with("0x")
            || !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit())
    };
    let (path, _) = path.split_once('?').unwrap_or((path, ""));
    let parts = path.split('/').map(|part| if is_subject(part) { ANY_SUBJECT } else { part });
    parts.collect::<Vec<_>>().join("/")
}

fn with_columns(cells: [TableCell; 4], path: TableCell, width: u16) -> Vec<RowCell> {
    let used: u16 = COLUMNS.iter().map(|(_, width, _)| width + GAP).sum();
    let placed = cells
        .into_iter()
        .zip(COLUMNS)
        .map(|(cell, (_, width, align))| RowCell { gap: GAP, ..RowCell::new(cell, width, align) });
    placed.chain([RowCell::new(path, width.saturating_sub(used), Align::Left)]).collect()
}
