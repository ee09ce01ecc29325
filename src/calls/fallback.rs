//! The fallback for a missing trace: a flat tree built from the transaction's internal transactions.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::api::internal_transactions::InternalTransaction;
use crate::api::{ApiError, Cursor, Field, Item, Next, Query, ReplyResult, TransactionQuery};
use crate::chain::TxHash;
use crate::messages::trace_problem::FallbackNote;

/// Maximum number of pages to load. An incomplete fallback is labelled as such.
const MAX_FALLBACK_PAGES: usize = 10;

#[derive(Debug, Default)]
pub enum TraceFallback {
    #[default]
    NotRequested,
    Loading {
        rows: Vec<Value>,
        pages: usize,
    },
    Shown {
        rows: usize,
        complete: bool,
    },
    Failed(ApiError),
}

pub enum FallbackStep {
    Fetch(Cursor),
    /// Show the body of a flat trace with all rows.
    Show(Bytes),
    Done,
}

/// Returns `true` if an explorer without the trace may have internal transactions. If it does not know
/// the transaction, it has neither.
pub fn may_have_internal_transactions(error: &ApiError, is_known_transaction: bool) -> bool {
    match error {
        ApiError::Refused { status: 404, .. } => is_known_transaction,
        ApiError::Node { code, .. } if code.is_not_found() => false,
        ApiError::ChainNotServed { .. } | ApiError::OutOfCredits => false,
        error => !matches!(error, ApiError::Refused { status: 401..=403 | 422, .. }),
    }
}

impl TraceFallback {
    /// Begins to load the internal transactions with this query, at most once.
    pub fn start(&mut self, transaction: TxHash) -> Option<Query> {
        if !matches!(self, Self::NotRequested) {
            return None;
        }
        *self = Self::Loading { rows: Vec::new(), pages: 0 };
        Some(Query::Transaction(transaction, TransactionQuery::InternalTransactions))
    }

    /// Returns `true` once internal transactions take the place of the trace.
    pub fn is_requested(&self) -> bool {
        !matches!(self, Self::NotRequested)
    }

    pub fn is_busy(&self) -> bool {
        matches!(self, Self::Loading { .. })
    }

    pub fn can_recover(&self) -> bool {
        matches!(self, Self::Failed(error) if error.is_transient())
    }

    /// Makes a fallback to be requested again that failed for a reason that may have passed.
    pub fn forget_failure(&mut self) {
        if self.can_recover() {
            *self = Self::NotRequested;
        }
    }

    pub fn cancel(&mut self) {
        if self.is_busy() {
            *self = Self::NotRequested;
        }
    }

    pub fn on_reply(&mut self, reply: ReplyResult) -> FallbackStep {
        let Self::Loading { rows, pages } = self else { return FallbackStep::Done };
        let page = match reply.map(|reply| reply.page::<InternalTransaction>()) {
            Ok(Some(page)) => page,
            Ok(None) => return FallbackStep::Done,
            Err(error) => {
                *self = Self::Failed(error);
                return FallbackStep::Done;
            }
        };
        rows.extend(page.items.iter().filter_map(|item| flat_frame(item)));
        *pages += 1;
        let complete = page.next == Next::End;
        if let Next::Page(cursor) = page.next
            && *pages < MAX_FALLBACK_PAGES
        {
            return FallbackStep::Fetch(cursor);
        }
        let rows = std::mem::take(rows);
        *self = Self::Shown { rows: rows.len(), complete };
        if rows.is_empty() {
            return FallbackStep::Done;
        }
        FallbackStep::Show(Bytes::from(Value::Array(rows).to_string()))
    }

    /// Describes the state; `None` if the fallback is not requested.
    pub fn status_text(&self) -> Option<String> {
        let note = match self {
            Self::NotRequested => return None,
            Self::Loading { .. } => FallbackNote::Loading,
            Self::Shown { rows: 0, .. } => FallbackNote::NoRows,
            Self::Shown { complete: true, .. } => FallbackNote::Complete,
            Self::Shown { rows, complete: false } => FallbackNote::FirstRows { rows: *rows },
            Self::Failed(error) => FallbackNote::Failed { why: &error.to_string() },
        };
        Some(note.to_string())
    }
}

/// Converts an internal transaction to an entry of a flat trace. Missing fields are omitted; every entry
/// is a root, because the nesting is unknown.
fn flat_frame(item: &Item<InternalTransaction>) -> Option<Value> {
    let row = item.parsed.as_ref().ok()?;
    let hex = |address: &Field<crate::api::address::AddressRef>| {
        address.value().map(|address| json!(format!("{:#x}", address.hash)))
    };
    let kind = row.kind.value().map_or("call", |kind| &**kind).to_ascii_lowercase();
    let shape = match &*kind {
        "staticcall" | "delegatecall" | "callcode" => "call",
        kind => kind,
    };
    let failed = row.success.value() == Some(&false);
    let word = row.error.value().map_or("failed", |word| &**word);
    let fields = [
        ("type", Some(json!(shape))),
        ("callType", Some(json!(kind))),
        ("from", hex(&row.from)),
        ("to", hex(&row.to)),
        ("createdContractAddressHash", hex(&row.created_contract)),
        ("value", row.value.value().map(|wei| json!(format!("{wei:#x}")))),
        ("error", (failed || row.error.value().is_some()).then(|| json!(word))),
        ("traceAddress", Some(json!([]))),
    ];
    let named = fields.into_iter().filter_map(|(name, value)| Some((name.to_owned(), value?)));
    Some(Value::Object(named.collect::<Map<_, _>>()))
}
