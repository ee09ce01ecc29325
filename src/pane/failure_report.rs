//! A failed request in the space of a pane: the reason, what was requested, and the keys that help.
//!
//! A space of a few lines, such as a header, has the reason and the keys on one line
//! ([`PaneContext::failure_within`]).

use ratatui::buffer::Buffer;
use ratatui::layout::Rect;

use super::PaneContext;
use crate::api::{ApiError, Query, TransactionQuery};
use crate::chain::TxHash;
use crate::messages::node::NodeErrorCode;
use crate::messages::page::{self, PageMessage};
use crate::ui::format::cut;
use crate::ui::theme::Role;

/// Minimum lines of a report.
const MIN_REPORT_LINES: u16 = 6;

/// A failed request without which a pane has nothing to show.
pub struct FailedRequest<'a> {
    pub error: &'a ApiError,
    /// Name of the page, if the failure may be that it does not exist.
    pub subject: Option<&'a str>,
    pub query: Option<&'a Query>,
}

impl FailedRequest<'_> {
    /// Returns the hash of a transaction that does not exist.
    pub fn absent_transaction(&self) -> Option<TxHash> {
        match self.query {
            Some(Query::Transaction(hash, TransactionQuery::Details)) => {
                let is_dropped =
                    matches!(self.error, ApiError::Node { code: NodeErrorCode::Dropped, .. });
                Some(*hash).filter(|_| self.error.is_not_found() && !is_dropped)
            }
            _ => None,
        }
    }

    /// Describes the other meanings of a hash without a transaction: an event, if it is known by now.
    fn hash_candidates(&self, cx: &PaneContext<'_>) -> Option<String> {
        let hash = self.absent_transaction()?;
        let events = cx.signature_db.event_declarations(hash);
        Some(match events.first() {
            Some(event) => PageMessage::TopicOf { event }.to_string(),
            None => cx.keys.expand(page::OTHER_HASH).into_owned(),
        })
    }
}

impl PaneContext<'_> {
    /// Draws the failure of a request in the space of its pane.
    pub fn draw_failure(&self, failed: &FailedRequest<'_>, area: Rect, buf: &mut Buffer) {
        let FailedRequest { error, subject, .. } = *failed;
        let lines = if area.height < MIN_REPORT_LINES || error.awaits_blocks() {
            let columns = usize::from(area.width) * usize::from(area.height);
            vec![self.failure_within(error, subject, columns)]
        } else {
            // Of a long reason, the end is cut, but not the keys.
            let columns = usize::from(area.width) * usize::from(area.height - MIN_REPORT_LINES + 1);
            self.failure_lines(failed, columns)
        };
        self.draw_notice(area, &lines, buf);
    }

    fn failure_lines(&self, failed: &FailedRequest<'_>, columns: usize) -> Vec<(String, Role)> {
        let FailedRequest { error, subject, query } = *failed;
        let host = self.network.endpoint.host();
        let why = error.on_page(subject, &self.network.name, host.as_deref());
        let blank = || (String::new(), Role::Plain);
        let mut lines = vec![(cut(&format!("✗ {why}"), columns).into_owned(), Role::Failed)];
        let candidates = failed.hash_candidates(self).map(|text| (text, Role::Plain));
        lines.extend(candidates.into_iter().flat_map(|candidates| [blank(), candidates]));
        // The first line names a page that does not exist.
        if let Some(query) = query.filter(|_| !error.is_not_found()) {
            let what = &query.describe();
            let requested = match host.as_deref() {
                Some(host) if error.names_host(host) => PageMessage::RequestedThere { what },
                host => PageMessage::Requested { what, host: host.unwrap_or(&self.network.name) },
            };
            lines.extend([blank(), (requested.to_string(), Role::Dim)]);
        }
        let keys = self.keys.expand(error.report_keys(self.next_retry_of(error).is_some()));
        let retry = self.next_retry_of(error).map(|retry| format!("{retry} · "));
        lines.extend([blank(), (retry.unwrap_or_default() + &keys, Role::Plain)]);
        lines
    }
}
