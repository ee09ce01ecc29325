//! Approvals of an address, put together of several answers: the logs of all of them, and for the rows of
//! a page what contracts and the explorer answer now.
//!
//! The server lists logs from the oldest on, so a list from the newest on needs them all. The pages after
//! the first are of the same logs. The calls of a page are one request on chains with Multicall3.

use std::cmp::Reverse;
use std::collections::{BTreeSet, HashMap, HashSet};
use std::fmt::{Display, Write};
use std::num::NonZeroUsize;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use bytes::Bytes;
use futures_util::future::{join_all, join3};
use lru::LruCache;
use parking_lot::Mutex;
use serde_json::json;
use serde_json::value::{RawValue, to_raw_value};

use super::approval_calls::{Answers, ApprovalCalls, answers_together};
use crate::abi::{MULTICALL3, decode_results, encode_calls};
use crate::api::approvals::{Approval, last_of_each};
use crate::api::eth_logs::{EthLog, LogFilter, LogPosition, LogTimes, MAX_LOGS};
use crate::api::json::strip_bom;
use crate::api::json_fields::{RawObject, error_text};
use crate::api::state_reads::{CallResponse, EthCall};
use crate::api::{
    AddressQuery, ApiError, BlockQuery, Cursor, Item, Next, Page, Query, Reply, ReplyResult,
    TokenQuery, decode,
};
use crate::chain::amount::Grouped;
use crate::chain::coverage::BlockCoverage;
use crate::chain::{Address, B256, BlockId, Timestamp};
use crate::messages::approvals::{self, ApprovalListError};
use crate::messages::node::NodeErrorCode;
use crate::sanitize::SafeText;

/// Rows of a page: each costs a few requests.
const PAGE_ROWS: usize = 10;
/// Rows of a page of the history, for which no contract is called.
const HISTORY_PAGE_ROWS: usize = 50;
const MAX_LOG_PAGES: usize = 50;

/// A list of approvals.
#[derive(Debug, Clone, Copy)]
pub(super) struct ApprovalRequest {
    pub(super) owner: Address,
    /// `true` for all events, without the present answers of contracts.
    pub(super) is_history: bool,
    pub(super) now: Timestamp,
}

const MAX_LISTED_OWNERS: NonZeroUsize = NonZeroUsize::new(4).unwrap();

/// Makes lists of approvals.
#[derive(Debug)]
pub(super) struct ApprovalLists {
    /// The logs of the owners that were listed last.
    by_owner: Mutex<LruCache<Address, Arc<ApprovalLogs>>>,
    /// `true` once a call of Multicall3 has returned nothing, so that there is no contract.
    lacks_multicall: AtomicBool,
}

/// All approvals of an owner, newest first.
#[derive(Debug)]
pub(super) struct ApprovalLogs {
    events: Vec<Event>,
    coverage: Option<BlockCoverage>,
}

#[derive(Debug)]
struct Event {
    position: Option<LogPosition>,
    item: Item<Approval>,
}

impl Default for ApprovalLists {
    fn default() -> Self {
        let by_owner = Mutex::new(LruCache::new(MAX_LISTED_OWNERS));
        Self { by_owner, lacks_multicall: AtomicBool::default() }
    }
}

impl ApprovalLists {
    /// Fetches a page: the last event of each permission unless it took that back, or all events. `ask`
    /// sends a query and returns the body of its response.
    pub(super) async fn fetch_page<A: Future<Output = Result<Bytes, ApiError>>>(
        &self,
        request: ApprovalRequest,
        cursor: Option<&Cursor>,
        ask: impl Fn(Query) -> A,
    ) -> ReplyResult {
        let ApprovalRequest { owner, is_history, now } = request;
        let known = cursor.and_then(|_| self.by_owner.lock().get(&owner).cloned());
        let logs = match known {
            Some(logs) => logs,
            None => self.fetch_logs(owner, &ask).await?,
        };
        let after = cursor.and_then(LogPosition::from_cursor);
        let (rows, next) = logs.page(is_history, after);
        let answers = self.ask_about(&rows, is_history, &ask).await;
        let asked_at = (!is_history).then_some(now);
        let items: Vec<String> =
            rows.iter().map(|event| with_answers(&event.item, asked_at, &answers)).collect();
        let json = RawValue::from_string(format!("[{}]", items.join(",")))
            .map_err(|error| invalid(SafeText::new(&error.to_string())))?;
        let page = Page::<Approval>::from_array(&json).map_err(invalid)?;
        Ok(Reply::new(Page { next, coverage: logs.coverage.clone(), ..page }))
    }

    async fn ask_about<A: Future<Output = Result<Bytes, ApiError>>>(
        &self,
        rows: &[&Event],
        is_history: bool,
        ask: impl Fn(Query) -> A,
    ) -> Answers {
        let rows: Vec<&Approval> =
            rows.iter().filter_map(|event| event.item.parsed.as_ref().ok()).collect();
        let mut asked = HashSet::new();
        let questions = rows.iter().flat_map(|event| questions(event, is_history));
        let queries = questions.map(|(_, query)| query).filter(|query| asked.insert(query.clone()));
        let (spenders, others): (Vec<Query>, Vec<Query>) =
            queries.partition(|query| matches!(query, Query::Address(..)));
        let (mut answers, times, spenders) = join3(
            self.call_together(&rows, is_history, &ask),
            ask_times(&rows, &ask),
            ask_each(spenders, &ask),
        )
        .await;
        answers.extend(times);
        // Alone, a failed call has a reason, and gas that no other call can use up.
        let rest = others.into_iter().filter(|query| !answers.contains_key(query)).collect();
        answers.extend(ask_each(rest, &ask).await);
        answers.extend(spenders);
        answers
    }

    /// Returns the answers to the calls that succeed in one of Multicall3, and the tokens whose price does not
    /// matter.
    async fn call_together<A: Future<Output = Result<Bytes, ApiError>>>(
        &self,
        rows: &[&Approval],
        is_history: bool,
        ask: impl Fn(Query) -> A,
    ) -> Answers {
        let calls = ApprovalCalls::new(rows, is_history);
        if calls.0.len() < 2 || self.lacks_multicall.load(Ordering::Relaxed) {
            return Answers::new();
        }
        let data = encode_calls(calls.0.iter().map(|call| (call.to, &call.data)));
        let query = Query::Call(EthCall { to: MULTICALL3, data, block: None });
        let Ok(body) = ask(query.clone()).await else { return Answers::new() };
        let reply = decode(&query, body, None).await.ok();
        let results = match reply.as_ref().and_then(Reply::get) {
            Some(CallResponse::Returned(data)) => {
                self.lacks_multicall.store(data.is_empty(), Ordering::Relaxed);
                decode_results(data, calls.0.len())
            }
            _ => None,
        };
        let returned = calls
            .0
            .into_iter()
            .zip(results.into_iter().flatten())
            .filter_map(|(call, data)| Some((call, data.filter(|data| !data.is_empty())?)))
            .collect();
        answers_together(rows, is_history, &returned)
    }

    /// Fetches the logs from the oldest on until an answer is not full.
    async fn fetch_logs<A: Future<Output = Result<Bytes, ApiError>>>(
        &self,
        owner: Address,
        ask: impl Fn(Query) -> A,
    ) -> Result<Arc<ApprovalLogs>, ApiError> {
        let (mut events, mut after) = (Vec::new(), None);
        for _ in 0..MAX_LOG_PAGES {
            let query = Query::Logs(LogFilter::approvals(owner, after));
            let page = read_logs(&query, ask(query.clone()).await.map_err(without_logs)?).await?;
            let is_full = page.items.len() + page.left_out >= MAX_LOGS;
            events.extend(page.items.into_iter().map(Event::from));
            let newest = events.iter().filter_map(|event: &Event| event.position).max();
            if !is_full || newest.is_none() || newest == after {
                let logs = Arc::new(ApprovalLogs::new(owner, events, page.coverage)?);
                self.by_owner.lock().put(owner, Arc::clone(&logs));
                return Ok(logs);
            }
            after = newest;
        }
        let error = ApprovalListError::TooMany(Grouped(events.len()));
        Err(invalid(SafeText::new(&error.to_string())))
    }
}

impl ApprovalLogs {
    fn new(
        owner: Address,
        mut events: Vec<Event>,
        coverage: Option<BlockCoverage>,
    ) -> Result<Self, ApiError> {
        let mut read = events.iter().filter_map(|event| event.item.parsed.as_ref().ok());
        if read.any(|event| event.owner != owner) {
            return Err(invalid(approvals::OTHER_OWNERS.into()));
        }
        // Unreadable logs have no position, and keep their order.
        events.sort_by_key(|event| Reverse(event.position));
        Ok(Self { events, coverage })
    }

    /// Returns the rows of the page after a position, and the next page.
    fn page(&self, is_history: bool, after: Option<LogPosition>) -> (Vec<&Event>, Next) {
        let mut is_last = last_of_each();
        let listed = self.events.iter().filter(|event| match &event.item.parsed {
            Ok(event) => is_history || is_last(event),
            Err(_) => true,
        });
        let size = if is_history { HISTORY_PAGE_ROWS } else { PAGE_ROWS };
        let mut rest =
            listed.skip_while(|event| after.is_some_and(|after| event.position >= Some(after)));
        let rows: Vec<&Event> = rest.by_ref().take(size).collect();
        let last = rows.last().and_then(|event| event.position).filter(|_| rest.next().is_some());
        (rows, last.map_or(Next::End, LogPosition::next_page))
    }
}

/// Asks for the times of the blocks of rows, all events of a kind in one request.
async fn ask_times<A: Future<Output = Result<Bytes, ApiError>>>(
    rows: &[&Approval],
    ask: impl Fn(Query) -> A,
) -> Answers {
    let mut blocks: HashMap<(B256, Address), BTreeSet<u64>> = HashMap::new();
    for row in rows.iter().filter(|row| row.timestamp.value().is_none()) {
        if let Some(topic) = row.event_topic() {
            blocks.entry((topic, row.owner)).or_default().insert(row.position.block_number);
        }
    }
    let queries = blocks.iter().filter_map(|((topic, owner), blocks)| {
        let (first_block, last_block) = (*blocks.first()?, *blocks.last()?);
        let topics = [*topic, owner.into_word()];
        let query = Query::LogTimes(LogTimes { topics, first_block, last_block });
        (blocks.len() > 1).then_some(query)
    });
    let mut answers = Answers::new();
    for (query, body) in ask_each(queries.collect(), ask).await {
        let Ok(body) = body else { continue };
        let logs: Option<Page<EthLog>> =
            decode(&query, body, None).await.ok().and_then(|r| r.page());
        for log in logs.iter().flat_map(Page::parsed) {
            let (Some(position), Some(time)) = (log.position(), log.time()) else { continue };
            if blocks.values().any(|blocks| blocks.contains(&position.block_number)) {
                let block = BlockId::Number(position.block_number);
                let body = json!({ "timestamp": time.to_string() }).to_string();
                answers.insert(Query::Block(block, BlockQuery::Details), Ok(body.into()));
            }
        }
    }
    answers
}

async fn ask_each<A: Future<Output = Result<Bytes, ApiError>>>(
    queries: Vec<Query>,
    ask: impl Fn(Query) -> A,
) -> Vec<(Query, Result<Bytes, ApiError>)> {
    let answers = queries.into_iter().map(|query| {
        let answer = ask(query.clone());
        async { (query, answer.await) }
    });
    join_all(answers).await
}

impl From<Arc<Item<EthLog>>> for Event {
    fn from(log: Arc<Item<EthLog>>) -> Self {
        let position = log.parsed.as_ref().ok().and_then(EthLog::position);
        Self { position, item: Item::of_list(&log.raw) }
    }
}

/// Returns the questions about a row, each with the name of the member that the answer becomes.
fn questions(event: &Approval, is_history: bool) -> Vec<(&'static str, Query)> {
    let named = if is_history { Vec::new() } else { event.calls() };
    let calls = named.into_iter().map(|(name, call)| (name, Query::Call(call)));
    let mut questions: Vec<_> = calls.collect();
    questions.push(("token", Query::Token(event.contract, TokenQuery::Details)));
    let spender = event.spender().filter(|spender| *spender != Address::ZERO);
    questions
        .extend(spender.map(|spender| ("spender", Query::Address(spender, AddressQuery::Details))));
    if event.timestamp.value().is_none() {
        let block = BlockId::Number(event.position.block_number);
        questions.push(("timestamp", Query::Block(block, BlockQuery::Details)));
    }
    questions
}

/// Returns the JSON of a log with the answers to its questions before its own members.
fn with_answers(item: &Item<Approval>, asked_at: Option<Timestamp>, answers: &Answers) -> String {
    let log = item.raw.get().trim_start();
    let (Ok(event), Some(members)) = (&item.parsed, log.strip_prefix('{')) else {
        return log.to_owned();
    };
    let mut json = "{".to_owned();
    let _ = asked_at.iter().try_for_each(|time| write!(json, "\"asked_at\":\"{time}\","));
    for (name, query) in questions(event, asked_at.is_none()) {
        let answer = answers.get(&query).and_then(|answer| member(&query, answer.as_ref()));
        // Writing to a string never fails.
        let _ = answer.iter().try_for_each(|answer| write!(json, "\"{name}\":{answer},"));
    }
    json + members
}

/// Returns an answer as a member of a row. Of a token or a spender that the explorer does not know there
/// is none.
fn member(query: &Query, answer: Result<&Bytes, &ApiError>) -> Option<Box<RawValue>> {
    let json = answer.map(|body| serde_json::from_slice::<&RawValue>(strip_bom(body)));
    let failed = |why: &dyn Display| json!({ "error": { "message": why.to_string() } });
    match (query, json) {
        (Query::Block(..), Ok(Ok(block))) => {
            Some(RawObject::parse(block).ok()?.raw(&["timestamp"])?.to_owned())
        }
        (_, Ok(Ok(json))) => Some(json.to_owned()),
        (Query::Call(_), Ok(Err(error))) => to_raw_value(&failed(&error)).ok(),
        (Query::Call(_), Err(error)) => to_raw_value(&failed(error)).ok(),
        (_, Ok(Err(_)) | Err(_)) => None,
    }
}

/// Reads an answer with logs. An error in it means that the server has none by topic.
async fn read_logs(query: &Query, body: Bytes) -> Result<Page<EthLog>, ApiError> {
    let json = serde_json::from_slice::<&RawValue>(strip_bom(&body)).ok();
    let envelope = json.and_then(|json| RawObject::parse(json).ok());
    if let Some(error) = envelope.and_then(|envelope| envelope.raw(&["error"])) {
        return Err(no_logs(error_text(error.into())));
    }
    let reply = decode(query, body, None).await?;
    reply.page().ok_or_else(|| invalid(approvals::NOT_AN_APPROVAL.into()))
}

/// Converts the refusal of the request itself: some explorers have no JSON-RPC.
fn without_logs(error: ApiError) -> ApiError {
    match error {
        ApiError::Refused { status: 400 | 403 | 404 | 405 | 501, message, .. } => no_logs(message),
        error => error,
    }
}

fn no_logs(why: SafeText) -> ApiError {
    let why = SafeText::new(&ApprovalListError::NoLogs(why).to_string());
    ApiError::Node { code: NodeErrorCode::Unsupported, why }
}

fn invalid(why: SafeText) -> ApiError {
    ApiError::InvalidResponse { why }
}
