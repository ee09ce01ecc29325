//! When there is no trace: a tree of the transaction's internal transactions, if they can be had.

use bytes::Bytes;
use serde_json::{Map, Value, json};

use crate::api::internal_transactions::InternalTransaction;
use crate::api::{ApiError, Field, Item, Next, Query, Reply};
use crate::chain::TxHash;
use crate::msg::Priority;
use crate::pane::Command;
use crate::sanitize::SafeText;

/// Pages that are asked for: a substitute need not be complete, and says when it is not.
const MAX_FALLBACK_PAGES: usize = 10;

/// What has become of it.
#[derive(Debug, Default)]
pub(super) enum TraceFallback {
    #[default]
    NotRequested,
    Loading {
        rows: Vec<Value>,
        pages: usize,
    },
    /// Shown: so many rows, and whether those are all.
    Shown {
        rows: usize,
        all: bool,
    },
    Failed(SafeText),
}

impl TraceFallback {
    /// Asks for the first page, once.
    pub(super) fn request(&mut self, transaction: TxHash) -> Option<Command> {
        if !matches!(self, Self::NotRequested) {
            return None;
        }
        *self = Self::Loading { rows: Vec::new(), pages: 0 };
        Some(Command::fetch(Query::TransactionInternals(transaction), None, Priority::Interactive))
    }

    pub(super) fn is_busy(&self) -> bool {
        matches!(self, Self::Loading { .. })
    }

    pub(super) fn cancel(&mut self) {
        if self.is_busy() {
            *self = Self::NotRequested;
        }
    }

    /// Takes a page: asks for the next one, or yields the body of a flat trace made of all.
    pub(super) fn on_reply(
        &mut self,
        query: &Query,
        reply: Result<Reply, ApiError>,
    ) -> (Vec<Command>, Option<Bytes>) {
        let Self::Loading { rows, pages } = self else { return (Vec::new(), None) };
        let (page, next) = match reply {
            Ok(Reply::InternalTransactions(page)) => (page.items, page.next),
            Ok(_) => return (Vec::new(), None),
            Err(error) => {
                *self = Self::Failed(SafeText::new(&error.to_string()));
                return (Vec::new(), None);
            }
        };
        rows.extend(page.iter().filter_map(|item| flat_frame(item)));
        *pages += 1;
        if let Next::Page(cursor) = next
            && *pages < MAX_FALLBACK_PAGES
        {
            return (
                vec![Command::fetch(query.clone(), Some(cursor), Priority::Interactive)],
                None,
            );
        }
        let (rows, all) = (std::mem::take(rows), *pages < MAX_FALLBACK_PAGES);
        *self = Self::Shown { rows: rows.len(), all };
        if rows.is_empty() {
            return (Vec::new(), None);
        }
        (Vec::new(), Some(Bytes::from(Value::Array(rows).to_string())))
    }

    /// What is said of it on the screen.
    pub(super) fn status_text(&self) -> Option<String> {
        match self {
            Self::NotRequested => None,
            Self::Loading { .. } => Some("asking for the internal transactions instead…".into()),
            Self::Shown { rows: 0, .. } => {
                Some("the explorer lists no internal transactions of it either".into())
            }
            Self::Shown { all: true, .. } => {
                Some("from internal transactions: no gas, no calldata, order by index".into())
            }
            Self::Shown { rows, all: false } => Some(format!(
                "from the first {rows} internal transactions: no gas, no calldata, order by index"
            )),
            Self::Failed(why) => {
                Some(format!("the internal transactions cannot be had either: {why}"))
            }
        }
    }
}

/// An internal transaction as an entry of a flat trace: what the explorer does not say is left out.
/// Which call is in which is not said either, so that each stands by itself.
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
