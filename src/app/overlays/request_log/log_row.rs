//! The rows of the request log and of its totals: columns, and the forms of paths, times and sizes.

use std::borrow::Cow;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::style::Style;

use crate::app_message::{Priority, RequestLogEntry};
use crate::chain::U256;
use crate::chain::amount::Grouped;
use crate::chain::hash_abbreviation::abbreviate;
use crate::messages::{column, prompt};
use crate::sanitize::SafeText;
use crate::ui::charts::line_bar;
use crate::ui::format::{self, cut, fits};
use crate::ui::format_options::{FormatOptions, format_bytes};
use crate::ui::frame::draw_rule;
use crate::ui::marked_text::MarkedText;
use crate::ui::table::{Align, RowCell, TableCell};
use crate::ui::theme::Role;

/// Columns between two cells, which have spare width.
const GAP: u16 = 1;
pub(super) const BAR_WIDTH: u16 = 14;
const ANY_SUBJECT: &str = "…";
pub(super) const COLUMNS: LogColumns<7> = LogColumns([
    LogColumn { title: "time", width: 8, align: Align::Left, from: 84 },
    LogColumn { title: "method", width: 6, align: Align::Left, from: 100 },
    LogColumn { title: "status", width: 6, align: Align::Left, from: 0 },
    LogColumn { title: "ms", width: 6, align: Align::Right, from: 0 },
    LogColumn { title: column::OF_LARGEST, width: BAR_WIDTH, align: Align::Left, from: 150 },
    LogColumn { title: "size", width: 8, align: Align::Right, from: 60 },
    LogColumn { title: "reason", width: 8, align: Align::Left, from: 0 },
]);

#[derive(Debug)]
pub(super) struct LogColumn {
    pub(super) title: &'static str,
    pub(super) width: u16,
    pub(super) align: Align,
    /// Width of the table from which the column is shown: a path is more useful.
    pub(super) from: u16,
}

/// The columns before the path, which has the rest of the width.
#[derive(Debug)]
pub(super) struct LogColumns<const N: usize>(pub(super) [LogColumn; N]);

impl<const N: usize> LogColumns<N> {
    pub(super) fn header(&self, path: impl Into<Cow<'static, str>>, width: u16) -> Vec<RowCell> {
        let titles = self.0.each_ref().map(|column| TableCell::new(column.title, Role::Title));
        self.cells(titles, TableCell::new(path, Role::Title), width)
    }

    /// Joins the cells with the columns that are shown.
    pub(super) fn cells(&self, cells: [TableCell; N], path: TableCell, width: u16) -> Vec<RowCell> {
        let path = RowCell::new(path, self.path_width(width), Align::Left);
        let shown = cells.into_iter().zip(&self.0).filter(|(_, column)| column.from <= width);
        let cells = shown.map(|(cell, column)| RowCell {
            gap: GAP,
            ..RowCell::new(cell, column.width, column.align)
        });
        cells.chain([path]).collect()
    }

    /// Returns the width that the other columns leave for the path.
    pub(super) fn path_width(&self, width: u16) -> u16 {
        let shown = self.0.iter().filter(|column| column.from <= width);
        width.saturating_sub(shown.map(|column| column.width + GAP).sum())
    }
}

/// Draws a rule in the first line of an area, up to the frame around it.
pub(super) fn draw_top_rule(buf: &mut Buffer, area: Rect, style: Style) {
    let line = Rect { x: area.x - 1, width: area.width + 2, height: 1, ..area };
    draw_rule(buf, line, style);
}

fn priority_label(priority: Priority) -> &'static str {
    match priority {
        Priority::Interactive => "asked",
        Priority::Refresh => "refresh",
        Priority::Prefetch => "ahead",
        Priority::Idle => "counts",
    }
}

pub(super) fn row_cells(
    sent: &RequestLogEntry,
    bar: TableCell,
    format: &FormatOptions,
) -> [TableCell; 7] {
    let role = if sent.error.is_some() { Role::Failed } else { Role::Ok };
    let mark = if sent.error.is_some() { "✗" } else { "✓" };
    let status = sent.status.map_or("—".to_owned(), |status| status.to_string());
    let plain = |text: String| TableCell::new(text, Role::Plain);
    let why = match sent.attempt {
        _ if sent.from_cache => "cache".into(),
        0 | 1 => priority_label(sent.priority).into(),
        attempt => format!("retry {}", attempt - 1),
    };
    let is_refused_at_once = sent.elapsed.as_millis() == 0 && sent.error.is_some();
    let millis = if is_refused_at_once { "—".into() } else { format_millis(sent.elapsed) };
    [
        TableCell::new(format.clock_time(sent.time), Role::Dim),
        plain(sent.method.to_owned()),
        TableCell::new(format!("{mark} {status}"), role),
        plain(millis),
        bar,
        plain(response_size(sent)),
        plain(why),
    ]
}

/// Returns the path with what is remarkable about its request, and the reason of its failure. If they are too long, the
/// hashes in the path are abbreviated, or of a failed request the path to its last name if it has half of the width only.
pub(super) fn path_cell(
    sent: &RequestLogEntry,
    (spans_hosts, is_again): (bool, bool),
    width: u16,
) -> TableCell {
    let again = if is_again { prompt::AGAIN } else { "" };
    let host = shown_host(&sent.url, spans_hosts);
    let path = request_path(&sent.url, false);
    let short = request_path(&sent.url, true);
    let [whole, short, shortest] =
        [&path, &short, &without_hash_ends(&short)].map(|path| [host, path, again].concat());
    let Some(why) = &sent.error else {
        let path = [whole, short].into_iter().find(|path| fits(path, width.into()));
        return TableCell::new(path.unwrap_or(shortest), Role::Plain);
    };
    let why = [" · ", why].concat();
    let least = usize::from(width / 2);
    let space = usize::from(width).saturating_sub(format::width(&why)).max(least);
    let endpoint = endpoint(&path);
    let name = last_name(&endpoint);
    let fitting = [whole, short, endpoint].into_iter().find(|path| fits(path, space));
    let path = cut(&fitting.unwrap_or(name), space).into_owned();
    let parts = [(path, Role::Plain), (why, Role::Failed)];
    TableCell::of_parts(parts.map(|(text, role)| MarkedText::new(text, role)).into())
}

pub(super) fn format_millis(elapsed: Duration) -> String {
    match elapsed.as_millis() {
        millis @ ..100_000 => Grouped(millis).to_string(),
        millis => format!("{} s", millis / 1_000),
    }
}

/// Returns a bar of the time of a request, on a scale that the slowest fills.
pub(super) fn time_bar(elapsed: Duration, slowest: Duration, columns: u16) -> TableCell {
    let [part, whole] = [elapsed, slowest].map(|time| U256::from(time.as_millis()));
    TableCell::new(line_bar(part, whole, columns.into()), Role::Dim)
}

/// Returns the part of a URL that names the explorer.
pub(super) fn explorer_host(url: &SafeText) -> &str {
    let end = url.find("/api/").map_or(0, |at| at + 1);
    let base = url.get(..end).unwrap_or_default();
    base.split_once("://").map_or(base, |(_, host)| host)
}

/// Returns the host before a path. Empty unless there are several.
pub(super) fn shown_host(url: &SafeText, spans_hosts: bool) -> &str {
    if spans_hosts { explorer_host(url) } else { "" }
}

/// Returns the part of a URL below the explorer's address, with hashes abbreviated if it is to be short.
pub(super) fn request_path(url: &SafeText, is_short: bool) -> String {
    let versioned = url.split_once("/api/").map_or(&**url, |(_, path)| path);
    let path = versioned.strip_prefix("v2/").unwrap_or(versioned);
    let parts: Vec<String> = path
        .split('/')
        .map(|part| match part.len() {
            42.. if is_short && part.starts_with("0x") => abbreviate(&part),
            _ => part.to_owned(),
        })
        .collect();
    parts.join("/")
}

/// Returns a path whose abbreviated hashes have their first digits only: `0xf39F…/counters`.
fn without_hash_ends(path: &str) -> String {
    let parts = path.split('/').map(|part| match part.split_once('…') {
        Some((start, _)) if part.starts_with("0x") && !part.contains('?') => [start, "…"].concat(),
        _ => part.to_owned(),
    });
    parts.collect::<Vec<_>>().join("/")
}

/// Returns a path without its parameters and its subjects: hashes, addresses and numbers.
pub(super) fn endpoint(path: &str) -> String {
    let is_subject = |part: &str| {
        part.starts_with("0x")
            || !part.is_empty() && part.bytes().all(|digit| digit.is_ascii_digit())
    };
    let (path, _) = path.split_once('?').unwrap_or((path, ""));
    let parts = path.split('/').map(|part| if is_subject(part) { ANY_SUBJECT } else { part });
    parts.collect::<Vec<_>>().join("/")
}

/// Returns an endpoint from its last name on: `…/token-transfers`, `…/instances/…`.
fn last_name(endpoint: &str) -> String {
    let parts: Vec<&str> = endpoint.split('/').collect();
    let is_name = |part: &&str| !part.is_empty() && *part != ANY_SUBJECT;
    match parts.iter().rposition(is_name) {
        None | Some(0) => endpoint.to_owned(),
        Some(last) => ["…", &parts.get(last..).unwrap_or_default().join("/")].join("/"),
    }
}

/// Formats the size of a response. A streamed one is logged when it begins, and a successful one is
/// never empty.
fn response_size(sent: &RequestLogEntry) -> String {
    match (sent.bytes, sent.status) {
        (0, _) if sent.error.is_some() => "—".into(),
        (0, Some(200)) => "streamed".into(),
        (bytes, _) => short_size(bytes),
    }
}

/// Formats a size, such as `132 B` or `45 kB`.
pub(super) fn short_size(bytes: u64) -> String {
    if bytes < 1_000 { format!("{bytes} B") } else { format_bytes(bytes) }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn failed_requests_keep_the_last_name_of_their_path() {
        for (url, name) in [
            ("https://x/api/v2/addresses/0x01/token-transfers", "…/token-transfers"),
            ("https://x/api/v2/tokens/0x01/instances/7", "…/instances/…"),
            ("https://x/api/v2/addresses/0x01", "addresses/…"),
            ("https://x/api/v2/stats", "stats"),
            ("http://127.0.0.1:8545/", "…/127.0.0.1:8545/"),
        ] {
            let path = request_path(&SafeText::new(url), false);
            assert_eq!(last_name(&endpoint(&path)), name, "{url}");
        }
    }

    #[test]
    fn narrow_paths_keep_the_name_of_their_endpoint() {
        let hash = format!("0x{}", "ab".repeat(32));
        for (name, columns, shown) in [
            ("internal-transactions", 70, "transactions/0xabab…abab/internal-transactions"),
            ("internal-transactions", 44, "transactions/0xabab…/internal-transactions"),
            ("logs?hash=0x12…34", 31, "transactions/0xabab…/logs?hash=0x12…34"),
        ] {
            let sent = RequestLogEntry {
                method: "GET",
                url: SafeText::new(&format!("https://x/api/v2/transactions/{hash}/{name}")),
                status: Some(200),
                error: None,
                time: jiff::Timestamp::UNIX_EPOCH,
                elapsed: Duration::ZERO,
                bytes: 0,
                attempt: 1,
                from_cache: false,
                priority: Priority::Interactive,
            };
            assert_eq!(&*path_cell(&sent, (false, false), columns).text, shown);
        }
    }
}
