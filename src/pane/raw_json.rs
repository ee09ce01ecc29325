//! The panes of raw JSON: all fields of a row, the raw trace of a transaction, a user operation.

use std::sync::Arc;

use serde_json::value::RawValue;

use super::PaneContext;
use super::detail::{DetailPane, DetailRequest, DetailSource, LoadedDetail};
use crate::action::Action;
use crate::api::nft_instances::TokenInstance;
use crate::api::{InstanceKey, InstanceQuery, Query, Reply, TransactionQuery};
use crate::chain::{Address, B256, TxHash};
use crate::columns::CopyValue;
use crate::messages::page::PageMessage;
use crate::sanitize::json_line;
use crate::ui::document::DocumentEntry;
use crate::ui::json_view;

pub fn trace(transaction: TxHash) -> DetailPane {
    let title = PageMessage::RawTrace { transaction }.to_string();
    let request = DetailRequest {
        query: Query::Transaction(transaction, TransactionQuery::RawTrace),
        load: load_trace,
    };
    DetailPane::from_query(request, title.into())
}

pub fn instance(key: InstanceKey) -> DetailPane {
    let title = format!("NFT {} of {}", key.id, key.token);
    let request =
        DetailRequest { query: Query::Instance(key, InstanceQuery::Details), load: load_instance };
    DetailPane::from_query(request, title.into())
}

pub fn user_operation(hash: B256) -> DetailPane {
    let request = DetailRequest { query: Query::UserOperation(hash), load: load_operation };
    DetailPane::from_query(request, format!("operation {hash}").into())
}

pub fn row(raw: &Arc<RawValue>) -> DetailPane {
    DetailPane::from_loaded(loaded_json("row", raw.clone()), None)
}

fn load_trace(_: &Query, reply: &Reply) -> Option<LoadedDetail> {
    Some(loaded_json("trace", reply.get::<Arc<RawValue>>()?.clone()))
}

fn load_operation(_: &Query, reply: &Reply) -> Option<LoadedDetail> {
    Some(loaded_json("operation", reply.get::<Arc<RawValue>>()?.clone()))
}

fn load_instance(_: &Query, reply: &Reply) -> Option<LoadedDetail> {
    Some(loaded_json("instance", reply.item::<TokenInstance>()?.raw.clone()))
}

fn loaded_json(label: &'static str, raw: Arc<RawValue>) -> LoadedDetail {
    LoadedDetail { source: Ok(Box::new(RawJson { label, raw })), raw: None }
}

#[derive(Debug)]
struct RawJson {
    label: &'static str,
    raw: Arc<RawValue>,
}

impl DetailSource for RawJson {
    fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let named = |entry: DocumentEntry| {
            let address = entry.address();
            match address.and_then(|address| cx.name_cache.short_name(&address)) {
                Some(name) => entry.side_note(&name),
                None => entry,
            }
        };
        json_view::json_entries(self.label, &self.raw).into_iter().map(named).collect()
    }

    fn copy_value(&self, action: Action, _: Option<Address>) -> Option<CopyValue> {
        let json = || Some(json_line(self.raw.get()));
        (action == Action::CopyJson).then(|| CopyValue::new(action, "JSON", json()))
    }

    fn is_json(&self) -> bool {
        true
    }
}
