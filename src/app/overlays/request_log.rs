//! The request log, and the status of the connection in the title.

mod endpoint_totals;
mod log_row;

use std::collections::VecDeque;
use std::time::Duration;

use ratatui::buffer::Buffer;
use ratatui::layout::{Constraint, Layout, Position, Rect, Size};
use ratatui::text::Line;
use url::Url;

use crate::action::Action;
use crate::api::exchange::GET;
use crate::app_message::{ConnectionStatus, Priority, RequestLogEntry};
use crate::chain::amount::Grouped;
use crate::messages::prompt::{self, OverlayText};
use crate::sanitize::SafeText;
use crate::ui::format::{width, wrapped_lines};
use crate::ui::format_options::{FormatOptions, format_bytes};
use crate::ui::popup::Popup;
use crate::ui::table::draw_row;
use crate::ui::text::draw_text;
use crate::ui::theme::{Role, Styles};
use crate::ui::viewport::Viewport;
use endpoint_totals::{draw_endpoint_totals, endpoint_totals, lines_of_totals};
use log_row::{BAR_WIDTH, COLUMNS, draw_top_rule, explorer_host, path_cell, row_cells, time_bar};

const MAX_LOG_ENTRIES: usize = 100;
/// Columns by which the parameters of a URL are indented below it, and their role.
const PARAMETER_INDENT: usize = 2;
const PARAMETER: Role = Role::Value;
/// Least width of totals next to the selected request.
const MIN_WIDTH_WITH_TOTALS: u16 = 110;
/// Columns between both.
const TOTALS_GAP: u16 = 3;
/// The meanings of reasons, and of the note after a path.
const LEGEND: [&str; 4] =
    [prompt::ASKED, prompt::COUNTED, prompt::FETCHED_AHEAD, prompt::ASKED_AGAIN];

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

    /// Returns the last request for the same data if it was answered, of a request that is neither a retry
    /// nor a refresh.
    fn repeated(&self, at: usize) -> Option<&RequestLogEntry> {
        // A node has one URL for everything.
        let may_repeat = |sent: &&RequestLogEntry| {
            let is_first = sent.attempt == 1 && sent.priority != Priority::Refresh;
            is_first && sent.method == GET && !sent.from_cache
        };
        let sent = self.entries.get(at).filter(may_repeat)?;
        let mut before = self.entries.range(at + 1..).filter(|older| !older.from_cache);
        let same = before.find(|older| older.url == sent.url)?;
        same.error.is_none().then_some(same)
    }

    fn slowest(&self) -> Duration {
        self.entries.iter().map(|sent| sent.elapsed).max().unwrap_or_default()
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

impl RequestLogView {
    /// Moves the selection. Returns `false` if the action does not move.
    pub(in crate::app) fn act(
        &mut self,
        action: Action,
        size: Size,
        requests: &RequestLog,
    ) -> bool {
        let screen = Rect::from((Position::ORIGIN, size));
        let [_, rows, _] = Self::layout(Popup::full(screen).inner(), requests);
        let page = usize::from(rows.height);
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

    /// Returns the areas of the header, the rows, and the selected request with the totals: below it, or to its right on a
    /// wide screen. The last one is as high as the longest request needs, so that it stays in place; parameters below it
    /// take lines from the totals. On a low screen the rows have a third of the lines.
    fn layout(inner: Rect, requests: &RequestLog) -> [Rect; 3] {
        let totals = endpoint_totals(requests.entries.iter(), requests.spans_hosts()).len();
        let totals = lines_of_totals(totals);
        let is_wide = inner.width >= MIN_WIDTH_WITH_TOTALS;
        let columns = usize::from(detail_width(inner.width));
        let lines_of = |(at, sent)| {
            let texts = detail_texts(sent, requests.repeated(at).map(|_| String::new()));
            let counted = texts.iter().filter(|(_, role)| is_wide || *role != PARAMETER);
            counted.map(|(text, _)| wrapped_lines(text, columns).count()).sum()
        };
        let longest: usize = requests.entries.iter().enumerate().map(lines_of).max().unwrap_or(0);
        let detail = u16::try_from(longest + 1).unwrap_or(u16::MAX);
        let below = if is_wide {
            let meanings = LEGEND.iter().map(|meaning| wrapped_lines(meaning, columns).count());
            let legend = u16::try_from(meanings.sum::<usize>()).unwrap_or(u16::MAX);
            totals.max(detail.saturating_add(legend))
        } else {
            detail.saturating_add(totals)
        };
        let rows = inner.height.saturating_sub(1 + below).max(inner.height / 3).max(1);
        let parts = [Constraint::Length(1), Constraint::Length(rows), Constraint::Fill(1)];
        inner.layout(&Layout::vertical(parts))
    }

    pub(in crate::app) fn click(&mut self, at: Position, screen: Rect, requests: &RequestLog) {
        let [_, rows, _] = Self::layout(Popup::full(screen).inner(), requests);
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
        let [head, rows, detail] = Self::layout(inner, requests);
        draw_row(buf, head, COLUMNS.header("path", inner.width), styles);
        let (slowest, spans_hosts) = (requests.slowest(), requests.spans_hosts());
        let visible = self.viewport.visible(count, usize::from(rows.height));
        for (at, line) in visible.zip(rows.rows()) {
            let Some(sent) = requests.entries.get(at) else { break };
            let bar = time_bar(sent.elapsed, slowest, BAR_WIDTH);
            let is_again = requests.repeated(at).is_some();
            let path_width = COLUMNS.path_width(inner.width);
            let path = path_cell(sent, (spans_hosts, is_again), path_width);
            let cells = COLUMNS.cells(row_cells(sent, bar, format), path, inner.width);
            draw_row(buf, line, cells, styles);
            if at == self.viewport.selected {
                buf.set_style(line, styles.selection());
            }
        }
        if let Some(sent) = requests.entries.get(self.viewport.selected) {
            let repeated = requests.repeated(self.viewport.selected);
            let before = repeated.map(|older| format.clock_time(older.time));
            let (before, entries) = (before.as_deref(), requests.entries.iter());
            if inner.width < MIN_WIDTH_WITH_TOTALS {
                let rest = draw_detail(sent, before, detail, (styles, buf));
                draw_endpoint_totals(entries, spans_hosts, rest, (styles, buf));
                return;
            }
            let parts = [Constraint::Length(detail_width(detail.width)), Constraint::Fill(1)];
            let [left, right] = detail.layout(&Layout::horizontal(parts).spacing(TOTALS_GAP));
            draw_endpoint_totals(entries, spans_hosts, right, (styles, buf));
            let rest = draw_detail(sent, before, left, (styles, buf));
            draw_top_rule(buf, detail, styles.of(Role::Accent));
            let shown = sent.error.is_none().then(|| reason_meaning(sent));
            let others = LEGEND.into_iter().filter(|meaning| Some(*meaning) != shown);
            let lines = others.flat_map(|meaning| wrapped_lines(meaning, left.width.into()));
            for (text, line) in lines.zip(rest.rows().skip(1)) {
                draw_text(buf, line, text, styles.of(Role::Dim));
            }
        }
    }
}

/// Returns the columns of the selected request, next to the totals on a wide screen.
fn detail_width(all: u16) -> u16 {
    if all < MIN_WIDTH_WITH_TOTALS { all } else { all * 3 / 8 }.max(2)
}

/// Draws a request in full, with its failure or the meaning of its reason, and the time of the same one
/// before. Returns the area below.
fn draw_detail(
    sent: &RequestLogEntry,
    before: Option<&str>,
    area: Rect,
    (styles, buf): (&Styles, &mut Buffer),
) -> Rect {
    draw_top_rule(buf, area, styles.of(Role::Accent));
    let again = before.map(|time| OverlayText::SameRequestAt { time }.to_string());
    let texts = detail_texts(sent, again);
    let columns = usize::from(area.width).max(2);
    let lines = texts
        .iter()
        .flat_map(|(text, role)| wrapped_lines(text, columns).map(move |line| (line, *role)));
    let mut y = area.y + 1;
    for ((text, role), line) in lines.zip(area.rows().skip(1)) {
        draw_text(buf, line, text, styles.of(role));
        y = line.bottom();
    }
    Rect { y, height: area.bottom().saturating_sub(y), ..area }
}

/// Returns the texts of a request: its URL, a parameter on each line, its failure or the meaning of its reason, and a note
/// on the same request before.
fn detail_texts(sent: &RequestLogEntry, again: Option<String>) -> Vec<(String, Role)> {
    let (path, query) = sent.url.split_once('?').unwrap_or((&*sent.url, ""));
    let url = (format!("{} {path}", sent.method), Role::Plain);
    let named = query.split('&').filter(|parameter| !parameter.is_empty());
    let parameters = named.map(|parameter| {
        let (name, value) = parameter.split_once('=').unwrap_or((parameter, ""));
        (format!("{:PARAMETER_INDENT$}{name} = {value}", ""), PARAMETER)
    });
    let second = match &sent.error {
        Some(failure) => (format!("✗ {failure}"), Role::Failed),
        None => (reason_meaning(sent).to_owned(), Role::Dim),
    };
    let third = again.map(|note| (note, Role::Warning));
    std::iter::once(url).chain(parameters).chain([second]).chain(third).collect()
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
