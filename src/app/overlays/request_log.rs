//! The request log, and the status of the connection in the title.

use std::collections::VecDeque;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect, Size};
use ratatui::text::Line;
use url::Url;

use crate::action::Action;
use crate::api::exchange::GET;
use crate::chain::amount::Grouped;
use crate::chain::hash_abbreviation::abbreviate;
use crate::messages::prompt::{self, OverlayText};
use crate::msg::{ConnectionStatus, Priority, RequestLogEntry};
use crate::sanitize::SafeText;
use crate::ui::format::{fits, width, wrapped_lines};
use crate::ui::format_options::{FormatOptions, format_bytes};
use crate::ui::frame::draw_rule;
use crate::ui::popup::Popup;
use crate::ui::table::{Align, RowCell, TableCell, draw_row};
use crate::ui::text::draw_text;
use crate::ui::theme::{Role, Styles};
use crate::ui::viewport::Viewport;

/// Columns between two cells, which have spare width.
const GAP: u16 = 1;
const MAX_LOG_ENTRIES: usize = 100;
/// Lines for the URL and the error of the selected entry.
const DETAIL_HEIGHT: u16 = 4;
/// The columns before the path, which has the rest of the width.
const COLUMNS: [LogColumn; 6] = [
    LogColumn { title: "time", width: 8, align: Align::Left, from: 74 },
    LogColumn { title: "method", width: 6, align: Align::Left, from: 100 },
    LogColumn { title: "status", width: 6, align: Align::Left, from: 0 },
    LogColumn { title: "ms", width: 6, align: Align::Right, from: 0 },
    LogColumn { title: "size", width: 8, align: Align::Right, from: 60 },
    LogColumn { title: "reason", width: 8, align: Align::Left, from: 0 },
];

#[derive(Debug)]
struct LogColumn {
    title: &'static str,
    width: u16,
    align: Align,
    /// Width of the table from which the column is shown: a path is more useful.
    from: u16,
}

#[derive(Debug, Default)]
pub(in crate::app) struct RequestLog {
    entries: VecDeque<RequestLogEntry>,
}

impl RequestLog {
    /// Adds an entry, and drops the oldest if the log is full.
    pub(in crate::app) fn add(&mut self, entry: RequestLogEntry) {
        self.entries.truncate(MAX_LOG_ENTRIES - 1);
        self.entries.push_front(entry);
    }

    fn spans_hosts(&self) -> bool {
        let mut asked = self.entries.iter().map(|sent| explorer_host(&sent.url));
        let first = asked.next();
        asked.any(|other| Some(other) != first)
    }
}

/// Returns the right end of the title: the reason for waiting, or else the remaining requests, followed
/// by `anyway`, as far as they fit. A wait is shown even if it does not fit.
pub(in crate::app) fn connection_title(
    status: &ConnectionStatus,
    anyway: &str,
    max_width: usize,
) -> String {
    let waiting = status.wait_text();
    let own = waiting.clone().unwrap_or_else(|| rate_limit_gauge(status));
    let both = match (own.is_empty(), anyway.is_empty()) {
        (true, _) => anyway.to_owned(),
        (false, true) => format!("{own} "),
        (false, false) => format!("{own} · {anyway}"),
    };
    if width(&both) <= max_width {
        return both;
    }
    match waiting {
        Some(words) => format!(" {words} "),
        None if width(&own) < max_width && !own.is_empty() => format!("{own} "),
        None => String::new(),
    }
}

fn priority_label(priority: Priority) -> &'static str {
    match priority {
        Priority::Interactive => "asked",
        Priority::Refresh => "refresh",
        Priority::Prefetch => "ahead",
        Priority::Idle => "counts",
    }
}

fn rate_limit_gauge(status: &ConnectionStatus) -> String {
    let Some(limits) = status.rate_limit else { return String::new() };
    let count = |n: i64| {
        let sign = if n < 0 { "−" } else { "" };
        format!("{sign}{}", Grouped(n.unsigned_abs()))
    };
    let left = limits.remaining.map(|left| match limits.limit {
        Some(all) => {
            OverlayText::RequestsLeftOf { left: &count(left), all: &count(all) }.to_string()
        }
        None => OverlayText::RequestsLeft { left: &count(left) }.to_string(),
    });
    let credits = limits.credits.map(|credits| format!("{} credits", count(credits)));
    left.into_iter().chain(credits).collect::<Vec<_>>().join(" · ")
}

#[derive(Debug, Default)]
pub(in crate::app) struct RequestLogView {
    viewport: Viewport,
}

fn visible_rows(height: u16) -> usize {
    // Less the title, the footer, the border, the header of the table and the detail.
    usize::from(height.saturating_sub(5 + DETAIL_HEIGHT)).max(1)
}

impl RequestLogView {
    /// Moves the selection. Returns `false` if the action does not move.
    pub(in crate::app) fn act(
        &mut self,
        action: Action,
        size: Size,
        requests: &RequestLog,
    ) -> bool {
        let page = visible_rows(size.height);
        let Some(by) = action.row_delta(page) else { return false };
        self.viewport.step(by, requests.entries.len(), page);
        true
    }

    /// Keeps the selection on its entry when a new one is added on top.
    pub(in crate::app) fn on_entry_added(&mut self, requests: &RequestLog) {
        if self.viewport.selected > 0 {
            let row = self.viewport.selected + 1;
            self.viewport.reselect(row.min(requests.entries.len().saturating_sub(1)));
        }
    }

    pub(in crate::app) fn curl_command(&self, requests: &RequestLog) -> Option<SafeText> {
        let entry = requests.entries.get(self.viewport.selected);
        // The log has no bodies.
        entry.filter(|entry| entry.method == GET).map(to_curl)
    }

    fn layout(inner: Rect) -> [Rect; 3] {
        let parts = [Constraint::Length(1), Constraint::Min(1), Constraint::Length(DETAIL_HEIGHT)];
        inner.layout(&Layout::vertical(parts))
    }

    pub(in crate::app) fn click(&mut self, at: Position, screen: Rect, requests: &RequestLog) {
        let [_, rows, _] = Self::layout(Popup::full(screen).inner());
        if let Some(row) = self.viewport.line_at(at, rows, requests.entries.len()) {
            self.viewport.selected = row;
        }
    }

    pub(in crate::app) fn view(
        &self,
        screen: Rect,
        buf: &mut Buffer,
        (styles, format): (&Styles, &FormatOptions),
        requests: &RequestLog,
    ) {
        let count = requests.entries.len();
        let at = (self.viewport.selected + 1).min(count);
        let bytes = requests.entries.iter().map(|entry| entry.bytes).sum();
        let bytes = format_bytes(bytes);
        let total = format!(" {at} of {count} · {bytes} · {} ", prompt::NEWEST_FIRST);
        let position = Line::from(total).right_aligned();
        let popup = Popup::full(screen).title(prompt::REQUEST_LOG_TITLE).footer(position);
        let inner = popup.draw(buf, styles);
        let [head, rows, detail] = Self::layout(inner);
        draw_row(buf, head, header_cells(inner.width), styles);
        let shows_host = requests.spans_hosts();
        let visible = self.viewport.visible(requests.entries.len(), usize::from(rows.height));
        for ((at, entry), line) in
            visible.clone().zip(requests.entries.range(visible)).zip(rows.rows())
        {
            draw_row(buf, line, row_cells(entry, shows_host, format, inner.width), styles);
            if at == self.viewport.selected {
                buf.set_style(line, styles.selection());
            }
        }
        if let Some(sent) = requests.entries.get(self.viewport.selected) {
            draw_detail(sent, detail, buf, styles);
        }
    }
}

/// Draws a request in full, with its failure or the meaning of its reason.
fn draw_detail(sent: &RequestLogEntry, area: Rect, buf: &mut Buffer, styles: &Styles) {
    let rule = Rect { x: area.x - 1, width: area.width + 2, height: 1, ..area };
    draw_rule(buf, rule, styles.of(Role::Accent));
    let second = match &sent.error {
        Some(failure) => (format!("✗ {failure}"), Role::Failed),
        None => (reason_meaning(sent).to_owned(), Role::Dim),
    };
    let texts = [(format!("{} {}", sent.method, sent.url), Role::Plain), second];
    let columns = usize::from(area.width).max(2);
    let lines = texts
        .iter()
        .flat_map(|(text, role)| wrapped_lines(text, columns).map(move |line| (line, *role)));
    for ((text, role), line) in lines.zip(area.rows().skip(1)) {
        draw_text(buf, line, text, styles.of(role));
    }
}

fn reason_meaning(sent: &RequestLogEntry) -> &'static str {
    match (sent.attempt, sent.priority) {
        _ if sent.from_cache => prompt::FROM_CACHE,
        (2.., _) => prompt::REPEATED,
        (_, Priority::Interactive) => prompt::ASKED,
        (_, Priority::Refresh) => prompt::REFRESHED,
        (_, Priority::Prefetch) => prompt::FETCHED_AHEAD,
        (_, Priority::Idle) => prompt::COUNTED,
    }
}

/// Joins the cells with the columns that are shown. The path has the rest of the width.
fn with_columns(cells: [TableCell; 6], path: TableCell, width: u16) -> Vec<RowCell> {
    let path = RowCell::new(path, path_width(width), Align::Left);
    let cells = cells.into_iter().zip(&COLUMNS).filter(|(_, column)| column.from <= width).map(
        |(cell, column)| RowCell { gap: GAP, ..RowCell::new(cell, column.width, column.align) },
    );
    cells.chain([path]).collect()
}

fn header_cells(width: u16) -> Vec<RowCell> {
    let titles = COLUMNS.each_ref().map(|column| TableCell::new(column.title, Role::Title));
    with_columns(titles, TableCell::new("path", Role::Title), width)
}

fn row_cells(
    sent: &RequestLogEntry,
    several: bool,
    format: &FormatOptions,
    width: u16,
) -> Vec<RowCell> {
    let role = if sent.error.is_some() { Role::Failed } else { Role::Ok };
    let mark = if sent.error.is_some() { "✗" } else { "✓" };
    let status = sent.status.map_or("—".to_owned(), |status| status.to_string());
    let plain = |text: String| TableCell::new(text, Role::Plain);
    let why = match sent.attempt {
        _ if sent.from_cache => "cache".into(),
        0 | 1 => priority_label(sent.priority).into(),
        attempt => format!("retry {}", attempt - 1),
    };
    let millis = match sent.elapsed.as_millis() {
        0 if sent.error.is_some() => "—".into(),
        millis @ ..100_000 => Grouped(millis).to_string(),
        millis => format!("{} s", millis / 1_000),
    };
    let cells = [
        TableCell::new(format.clock_time(sent.time), Role::Dim),
        plain(sent.method.to_owned()),
        TableCell::new(format!("{mark} {status}"), role),
        plain(millis),
        plain(response_size(sent)),
        plain(why),
    ];
    let explorer = if several { explorer_host(&sent.url) } else { "" };
    let error = sent.error.as_ref().map(|error| [" · ", error].concat()).unwrap_or_default();
    let path = |is_short| [explorer, &request_path(&sent.url, is_short), &error].concat();
    let whole = path(false);
    let is_whole = fits(&whole, path_width(width).into());
    with_columns(cells, plain(if is_whole { whole } else { path(true) }), width)
}

/// Returns the width that the other columns leave for the path.
fn path_width(width: u16) -> u16 {
    let used: u16 = shown_columns(width).map(|column| column.width + GAP).sum();
    width.saturating_sub(used)
}

fn shown_columns(width: u16) -> impl Iterator<Item = &'static LogColumn> {
    COLUMNS.iter().filter(move |column| column.from <= width)
}

/// Returns the part of a URL that names the explorer.
fn explorer_host(url: &SafeText) -> &str {
    let end = url.find("/api/").map_or(0, |at| at + 1);
    let base = url.get(..end).unwrap_or_default();
    base.split_once("://").map_or(base, |(_, host)| host)
}

/// Returns the part of a URL that distinguishes requests, with hashes abbreviated if it is to be short.
fn request_path(url: &SafeText, is_short: bool) -> String {
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

/// Formats a request as a command without a key. The shell takes the key of the PRO host from the
/// environment.
fn to_curl(sent: &RequestLogEntry) -> SafeText {
    let host = Url::parse(&sent.url).ok().and_then(|url| url.host_str().map(str::to_owned));
    let key = match host.as_deref() {
        Some("api.blockscout.com") => r#" -H "authorization: Bearer $CHAINGLASS_API_KEY""#,
        _ => "",
    };
    let url = sent.url.replace('\'', r"'\''");
    SafeText::new(&format!("curl -sS -H 'accept: application/json'{key} '{url}'"))
}

/// Formats the size of a response. A streamed one is logged when it begins, and a successful one is
/// never empty.
fn response_size(sent: &RequestLogEntry) -> String {
    match (sent.bytes, sent.status) {
        (0, Some(200)) => "streamed".into(),
        (0, _) if sent.error.is_some() => "—".into(),
        (bytes, _) => format_bytes(bytes).replace(" bytes", " B"),
    }
}
