//! The logs of the transaction: requested with its trace, and placed between the calls once they are
//! known.

use std::collections::HashMap;
use std::sync::Arc;

use super::TracePane;
use super::fetch::FetchState;
use crate::action::Action;
use crate::api::logs::Log;
use crate::api::transactions::Transaction;
use crate::api::{ApiError, Cursor, Item, ListSubject, Next, Query, ReplyResult, TransactionQuery};
use crate::app_message::Priority;
use crate::calls::placed_logs::{index, place_kept_logs, stated_place};
use crate::chain::amount::Grouped;
use crate::chain::hash_abbreviation::Abbreviator;
use crate::columns::cells::log_event::LogEvent;
use crate::columns::logs::event_text;
use crate::columns::{Row, RowContext};
use crate::messages::trace::{self, TraceNote};
use crate::messages::transaction::FailureNote;
use crate::messages::{Count, column};
use crate::pane::{Command, PaneContext, Route};
use crate::sanitize::SafeText;
use crate::trace::log_places::{LogPlace, find_undone_places};
use crate::trace::log_rows::{LogRows, TraceRow};
use crate::trace::tree::FrameClass;
use crate::trace::{CallFrame, CallTree, VisibleFrames};

/// Pages of fifty logs that are requested without the user.
const MAX_PAGES: usize = 4;

/// A log, with its place among the calls if that is known.
type PlacedLog = (Arc<Item<Log>>, Option<LogPlace>);

#[derive(Debug, Default)]
enum LogFetch {
    #[default]
    NotRequested,
    Loading,
    /// There are more, which the user may request.
    Paused(Cursor),
    Complete,
    Failed(ApiError),
}

#[derive(Debug, Default)]
pub(super) struct TraceLogs {
    /// In the order of their emission.
    logs: Vec<Arc<Item<Log>>>,
    places: Vec<Option<LogPlace>>,
    fetch: LogFetch,
    /// The logs of failed calls, which only a node has.
    undone_fetch: LogFetch,
    /// Further pages before the user has to request more.
    pages_left: usize,
    pub(super) are_hidden: bool,
    /// `true` while a filter shows only calls.
    are_filtered: bool,
    pub(super) lists_unplaced: bool,
    /// Positions between the calls that are visible in this revision of the folds.
    pub(super) rows: LogRows,
    revision: Option<u32>,
}

impl LogFetch {
    fn can_recover(&self) -> bool {
        matches!(self, Self::Failed(error) if error.is_transient())
    }
}

impl TraceLogs {
    /// Returns no logs, shown or hidden as these are.
    pub(super) fn emptied(&self) -> Self {
        Self { are_hidden: self.are_hidden, ..Self::default() }
    }

    pub(super) fn get(&self, log: usize) -> Option<&Arc<Item<Log>>> {
        self.logs.get(log)
    }

    pub(super) fn place(&self, log: usize) -> Option<LogPlace> {
        *self.places.get(log)?
    }

    pub(super) fn len(&self) -> usize {
        self.logs.len()
    }

    pub(super) fn can_continue(&self) -> bool {
        matches!(self.fetch, LogFetch::Paused(_))
    }

    pub(super) fn is_loading(&self) -> bool {
        [&self.fetch, &self.undone_fetch].iter().any(|fetch| matches!(fetch, LogFetch::Loading))
    }

    pub(super) fn can_recover(&self) -> bool {
        (self.fetch.can_recover() || self.undone_fetch.can_recover()) && !self.are_hidden
    }

    /// Makes logs to be requested again that failed for a reason that may have passed.
    pub(super) fn forget_failure(&mut self) {
        for fetch in [&mut self.fetch, &mut self.undone_fetch] {
            if fetch.can_recover() && !self.are_hidden {
                *fetch = LogFetch::NotRequested;
            }
        }
    }

    /// Gives up the requests in flight. Pages of one that is not complete are requested again.
    pub(super) fn cancel(&mut self) {
        if matches!(self.undone_fetch, LogFetch::Loading) {
            self.undone_fetch = LogFetch::NotRequested;
        }
        if matches!(self.fetch, LogFetch::Loading) {
            self.fetch = LogFetch::NotRequested;
            let kept = self.logs.partition_point(|log| !is_undone(log));
            self.logs.drain(..kept);
            self.places.drain(..kept.min(self.places.len()));
            self.revision = None;
        }
    }

    /// Returns the number of kept logs whose calls are among some.
    pub(super) fn count_in(&self, calls: &std::ops::Range<u32>) -> usize {
        self.shown_in(calls).filter(|log| !is_undone(log)).count()
    }

    /// Returns `true` if logs, kept or undone, are shown in one of these calls.
    pub(super) fn are_in(&self, calls: &std::ops::Range<u32>) -> bool {
        self.shown_in(calls).next().is_some()
    }

    /// Returns `true` if a log of a call is shown below one of its inner calls.
    pub(super) fn are_below(&self, visible: &VisibleFrames, call: u32, inner: u32) -> bool {
        let last = self.rows.last_of(visible, call).and_then(|(log, _)| self.place(log));
        last.is_some_and(|place| place.before > inner)
    }

    /// Returns `true` if neither a call nor a log of its call is shown below a log.
    pub(super) fn is_last(&self, tree: &CallTree, visible: &VisibleFrames, log: usize) -> bool {
        let Some(LogPlace { call, .. }) = self.place(log) else { return true };
        let is_inside = |other: u32| tree.subtree(call).contains(&other);
        let last = self.rows.last_of(visible, call);
        last.is_some_and(|(last, below)| last == log && !below.is_some_and(is_inside))
    }

    fn shown_in(&self, calls: &std::ops::Range<u32>) -> impl Iterator<Item = &Arc<Item<Log>>> {
        let placed = self.logs.iter().zip(&self.places).filter(move |(_, place)| {
            !self.are_hidden
                && !self.are_filtered
                && place.is_some_and(|place| calls.contains(&place.call))
        });
        placed.map(|(log, _)| log)
    }

    /// Returns the number of logs, kept or undone, that are listed without a place.
    pub(super) fn unplaced_count(&self) -> usize {
        self.places.iter().filter(|place| place.is_none()).count()
    }

    fn kept_count(&self) -> usize {
        self.logs.iter().filter(|log| !is_undone(log)).count()
    }

    /// Returns the number of logs that were kept, if all are known.
    pub(super) fn known_count(&self) -> Option<u64> {
        matches!(self.fetch, LogFetch::Complete).then_some(self.kept_count() as u64)
    }

    /// Returns the number of logs that were kept, in words.
    pub(super) fn summary(&self) -> Option<String> {
        let kept = self.kept_count();
        let events = Count(kept, "event");
        let placed = self.logs.iter().zip(&self.places);
        let unplaced = placed.filter(|(log, place)| place.is_none() && !is_undone(log)).count();
        (kept > 0).then(|| {
            if unplaced == 0 || unplaced == kept {
                return events.to_string();
            }
            TraceNote::UnplacedEvents { events, unplaced: Grouped(unplaced) }.to_string()
        })
    }

    /// Returns `true` if a row is a log whose place among the calls is inferred.
    pub(super) fn has_inferred_place(&self, row: TraceRow) -> bool {
        let TraceRow::Log(log) = row else { return false };
        self.place(log).is_some_and(|place| !place.is_certain())
    }

    /// Describes the missing logs.
    pub(super) fn note(&self, cx: &PaneContext<'_>) -> Option<String> {
        let keys = cx.keys;
        if self.are_hidden {
            return Some(keys.expand(trace::EVENTS_HIDDEN_HINT).into_owned());
        }
        match &self.fetch {
            LogFetch::Failed(error) => {
                let retry = cx.next_retry_of(error).map(|retry| format!(" · {retry}"));
                let why = &[cx.reason(error), retry.unwrap_or_default()].concat();
                Some(if self.logs.is_empty() {
                    TraceNote::EventsFailed { why }.to_string()
                } else {
                    TraceNote::MoreEventsFailed { why }.to_string()
                })
            }
            LogFetch::Paused(_) => {
                let loads = &*keys.expand(trace::LOADS_MORE_EVENTS);
                let events = Count(self.kept_count(), "event");
                Some(TraceNote::FirstEvents { events, loads }.to_string())
            }
            _ => match &self.undone_fetch {
                LogFetch::Failed(error) => {
                    Some(FailureNote::NoUndoneEvents(cx.reason(error).into()).to_string())
                }
                _ => None,
            },
        }
    }

    /// Adds a page. Returns the cursor of the next one, unless that is one too many.
    fn add(&mut self, reply: ReplyResult) -> Option<Cursor> {
        let page = match reply.map(|reply| reply.page::<Log>()) {
            Ok(Some(page)) => page,
            Ok(None) => {
                self.fetch = LogFetch::Complete;
                return None;
            }
            Err(error) => {
                self.fetch = LogFetch::Failed(error);
                return None;
            }
        };
        self.logs.extend(page.items);
        self.logs.sort_by_key(|log| index(log).unwrap_or(u64::MAX));
        self.logs.dedup_by(|a, b| index(a).is_some() && index(a) == index(b));
        self.pages_left = self.pages_left.saturating_sub(1);
        self.fetch = match page.next {
            Next::Page(cursor) if self.pages_left > 0 => return Some(cursor),
            Next::Page(cursor) => LogFetch::Paused(cursor),
            Next::End => LogFetch::Complete,
            Next::Invalid(why) => LogFetch::Failed(ApiError::InvalidResponse { why }),
        };
        None
    }

    fn add_undone(&mut self, reply: ReplyResult) {
        self.undone_fetch = match reply.map(|reply| reply.page::<Log>()) {
            Ok(page) => {
                self.logs.extend(page.into_iter().flat_map(|page| page.items));
                LogFetch::Complete
            }
            Err(error) => LogFetch::Failed(error),
        };
    }

    fn place_all(&mut self, tree: &CallTree, calls: &HashMap<u64, u32>) {
        self.logs.sort_by_key(|log| is_undone(log));
        let (kept, undone_logs) =
            self.logs.split_at(self.logs.partition_point(|log| !is_undone(log)));
        self.places = place_kept_logs(tree, kept, calls);
        let undone: Vec<_> = undone_logs.iter().map(|log| stated_place(log)).collect();
        self.places.extend(find_undone_places(tree, &undone));
        self.revision = None;
    }

    /// Updates the rows after a change of folds or logs. Filtered calls are shown without them.
    pub(super) fn update_rows(
        &mut self,
        tree: &CallTree,
        visible: &VisibleFrames,
        are_filtered: bool,
    ) {
        self.are_filtered = are_filtered;
        if self.revision.replace(visible.revision()) != Some(visible.revision()) {
            let shown = if self.are_hidden || are_filtered { &[] } else { &*self.places };
            self.rows = LogRows::collect(tree, visible, shown, self.lists_unplaced);
        }
    }

    /// Makes the rows to be updated.
    fn invalidate_rows(&mut self) {
        self.revision = None;
    }
}

/// Returns `true` for a log of a call that failed.
pub(super) fn is_undone(log: &Item<Log>) -> bool {
    log.parsed.as_ref().is_ok_and(|log| log.is_undone.value() == Some(&true))
}

impl TracePane {
    /// Requests the logs, and from a node also the undone ones.
    pub(super) fn request_logs(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        let undone = self.request_undone_logs(cx);
        self.request_kept_logs(cx).into_iter().chain(undone).collect()
    }

    fn request_undone_logs(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let is_wanted = cx.network.endpoint.is_node()
            && self.loading.fetch.is_complete()
            && matches!(self.logs.undone_fetch, LogFetch::NotRequested)
            && !self.logs.are_hidden
            && !self.tree.frames_of(FrameClass::Failed).is_empty()
            && !self.loading.fallback.is_requested();
        is_wanted.then(|| {
            self.logs.undone_fetch = LogFetch::Loading;
            let query = Query::Transaction(self.transaction, TransactionQuery::UndoneLogs);
            Command::fetch(query, None, Priority::Interactive)
        })
    }

    /// Requests the logs, with the trace if the transaction is known to have called a contract, else
    /// once the trace is complete and code ran and kept its effects.
    fn request_kept_logs(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let may_have_logs = match self.loading.fetch.state {
            FetchState::Complete => self.may_keep_logs(),
            // The embedded server would run the transaction twice at once.
            FetchState::Waiting | FetchState::Reading => {
                !cx.network.endpoint.is_served_here()
                    && self.known_transaction(cx).is_some_and(Transaction::may_have_logs)
            }
            _ => false,
        };
        let is_wanted = may_have_logs
            && matches!(self.logs.fetch, LogFetch::NotRequested)
            && !self.logs.are_hidden
            && !self.loading.fallback.is_requested();
        is_wanted.then(|| self.fetch_logs(None, cx))
    }

    /// Returns `true` if code ran and kept its effects.
    fn may_keep_logs(&self) -> bool {
        let has_logs = |root: &CallFrame| !root.failed() && root.gas_used() != Some(0);
        self.tree.get(0).is_some_and(has_logs)
    }

    /// Returns the kept logs for an export, if all are known. A failed transaction has none.
    pub(super) fn known_logs(&self) -> Option<Vec<PlacedLog>> {
        if self.loading.fetch.is_complete() && self.tree.get(0).is_some_and(CallFrame::failed) {
            return Some(Vec::new());
        }
        self.logs.known_count()?;
        let placed = self.logs.logs.iter().cloned().zip(self.logs.places.iter().copied());
        Some(placed.take_while(|(log, _)| !is_undone(log)).collect())
    }

    fn fetch_logs(&mut self, cursor: Option<Cursor>, cx: &PaneContext<'_>) -> Command {
        self.logs.fetch = LogFetch::Loading;
        self.logs.pages_left = MAX_PAGES;
        let is_served_here = cx.network.endpoint.is_served_here();
        let list =
            if is_served_here { TransactionQuery::LogsInCalls } else { TransactionQuery::Logs };
        let query = Query::Transaction(self.transaction, list);
        Command::fetch(query, cursor, Priority::Interactive)
    }

    /// Requests the next pages for the user.
    pub(super) fn continue_logs(&mut self, cx: &PaneContext<'_>) -> Option<Command> {
        let LogFetch::Paused(cursor) = &self.logs.fetch else { return None };
        Some(self.fetch_logs(Some(cursor.clone()), cx))
    }

    pub(super) fn on_logs(&mut self, query: &Query, reply: ReplyResult) -> Vec<Command> {
        let cursor = if matches!(query, Query::Transaction(_, TransactionQuery::UndoneLogs)) {
            self.logs.add_undone(reply);
            None
        } else {
            self.logs.add(reply)
        };
        // They may have other numbers.
        self.cursor.log_row = None;
        self.place_logs();
        self.search_again();
        self.detail.invalidate();
        let next = cursor
            .map(|cursor| Command::fetch(query.clone(), Some(cursor), Priority::Interactive))
            .or_else(|| self.missing_start_event());
        next.into_iter().collect()
    }

    /// Places the logs once all calls are known. A token transfer's log is placed at the call that is
    /// known to have made it.
    pub(super) fn place_logs(&mut self) {
        if self.loading.fetch.is_complete() && !self.loading.fallback.is_requested() {
            self.logs.place_all(&self.tree, &self.transfers.calls_by_log());
            self.go_to_start_event();
        }
    }

    pub(super) fn toggle_logs(&mut self, cx: &PaneContext<'_>) -> Vec<Command> {
        self.logs.are_hidden ^= true;
        self.logs.invalidate_rows();
        let asked = self.request_logs(cx);
        let notice = if self.logs.are_hidden { trace::EVENTS_HIDDEN } else { trace::EVENTS_SHOWN };
        asked.into_iter().chain([Command::NotifyKeys(notice)]).collect()
    }

    /// Returns the log under the cursor.
    pub(super) fn selected_log(&self) -> Option<&Arc<Item<Log>>> {
        match self.cursor.log_row? {
            TraceRow::Log(log) => self.logs.get(log),
            TraceRow::Call(_) | TraceRow::Unplaced => None,
        }
    }

    /// Opens a log, or lists those without a place.
    pub(super) fn open_log(&mut self, row: TraceRow) -> Option<Command> {
        if let TraceRow::Log(log) = row {
            return Some(Command::Navigate(Route::Log(self.logs.get(log)?.clone())));
        }
        self.list_unplaced(!self.logs.lists_unplaced);
        None
    }

    /// Describes where the event under the cursor is from.
    pub(super) fn event_origin(&self, cx: &PaneContext<'_>) -> Option<SafeText> {
        let log = self.selected_log()?.parsed.as_ref().ok();
        let event = log.and_then(|log| LogEvent::new(log, cx.signature_db));
        Some(event.map_or(column::NO_KNOWN_SIGNATURE.into(), |event| event.source(cx.network)))
    }

    /// Lists the logs without a place below their heading, or no more.
    pub(super) fn list_unplaced(&mut self, listed: bool) {
        self.logs.lists_unplaced = listed;
        self.logs.invalidate_rows();
    }

    /// Returns the calls with events, each with its text for searches: addresses by name and in full.
    pub(super) fn placed_events(
        &self,
        cx: &PaneContext<'_>,
    ) -> impl Iterator<Item = (u32, String)> {
        let TraceLogs { logs, places, .. } = &self.logs;
        logs.iter().zip(places).filter_map(|(log, place)| {
            let log = log.parsed.as_ref().ok()?;
            let short = Abbreviator::default();
            let texts = [Some(&short), None]
                .map(|abbreviator| event_text(log, &log_context(cx, abbreviator)));
            Some((place.as_ref()?.call, texts.join(" ")))
        })
    }

    /// Returns the part of the log under the cursor that an action copies, by name and text.
    pub(super) fn copied_of_log(
        &self,
        action: Action,
        cx: &PaneContext<'_>,
    ) -> Option<(&'static str, Option<SafeText>)> {
        let item = self.selected_log().filter(|_| !self.detail.has_focus())?;
        let log = item.parsed.as_ref().ok()?;
        let value = |action| {
            let copied = log.copy_value(action, None)?;
            Some((copied.label, copied.text))
        };
        match action {
            Action::CopyCell | Action::CopyCall => {
                let text = event_text(log, &log_context(cx, None));
                Some(("event", Some(SafeText::new(&text))))
            }
            Action::CopyInput => value(Action::CopyValue),
            Action::CopyJson => Some(("log JSON", Some(SafeText::new(item.raw.get())))),
            Action::CopyAddress | Action::CopySelector | Action::CopyValue => value(action),
            _ => None,
        }
    }
}

pub(super) fn log_context<'a>(
    cx: &PaneContext<'a>,
    abbreviator: Option<&'a Abbreviator>,
) -> RowContext<'a> {
    RowContext { subject: ListSubject::Transaction, abbreviator, ..cx.row_context(None) }
}

#[cfg(test)]
mod tests {
    use serde_json::json;
    use serde_json::value::RawValue;

    use super::*;
    use crate::trace::test_util::{SampleCall, sample_tree};

    /// Two kept logs of the root and one undone log of its failed call, the latter placed, of a
    /// trace without the former's places.
    fn logs() -> (TraceLogs, CallTree) {
        let item = |log: &serde_json::Value| {
            Arc::new(Item::from_json(&RawValue::from_string(log.to_string()).unwrap()))
        };
        let called = crate::chain::Address::from_word(crate::chain::U256::from(0xb).into());
        let kept = |index: u64| {
            json!({ "index": index, "address": { "hash": called },
            "trace_address": [], "call_position": index })
        };
        let undone = json!({ "is_undone": true, "address": { "hash": called },
            "trace_address": [0], "call_position": 0 });
        let elsewhere = json!({ "is_undone": true, "address": { "hash": called },
            "trace_address": [7], "call_position": 0 });
        let mut logs = TraceLogs {
            logs: [kept(0), kept(1), undone, elsewhere].iter().map(item).collect(),
            fetch: LogFetch::Complete,
            undone_fetch: LogFetch::Complete,
            ..TraceLogs::default()
        };
        let tree = sample_tree(&[SampleCall::at(&[]), SampleCall::at(&[0]).failed("0x")]);
        logs.place_all(&tree, &HashMap::new());
        (logs, tree)
    }

    #[test]
    fn undone_logs_do_not_count() {
        let (logs, tree) = logs();
        assert_eq!((logs.count_in(&tree.subtree(0)), logs.count_in(&tree.subtree(1))), (2, 0));
        assert!(logs.are_in(&tree.subtree(1)), "the failed call can be folded");
        assert_eq!(logs.summary().unwrap(), "2 events");
        assert_eq!(logs.unplaced_count(), 1, "it is listed");
    }

    #[test]
    fn cancelling_keeps_complete_logs() {
        let (mut logs, tree) = logs();
        logs.undone_fetch = LogFetch::Loading;
        logs.cancel();
        assert!(matches!(logs.undone_fetch, LogFetch::NotRequested));
        assert_eq!((logs.len(), logs.count_in(&tree.subtree(0))), (4, 2));
        (logs.fetch, logs.undone_fetch) = (LogFetch::Loading, LogFetch::Complete);
        logs.cancel();
        assert!(matches!(logs.fetch, LogFetch::NotRequested));
        assert!(matches!(logs.undone_fetch, LogFetch::Complete));
        assert_eq!(logs.len(), 2);
        assert!(logs.are_in(&tree.subtree(1)), "undone logs keep their places");
    }
}
