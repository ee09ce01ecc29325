//! The pane of a batch of an Optimism chain: which blocks it holds, and where it is on the L1.

use std::sync::Arc;

use serde_json::Value;

use super::PaneContext;
use super::detail::field_entries::{
    display_entry, field_entry, gather_absent, number_entry, time_entry,
};
use super::detail::{DetailPane, DetailRequest, DetailSource, LoadedDetail};
use crate::api::endpoints::batch::BatchQuery;
use crate::api::optimism::OptimismBatch;
use crate::api::{Item, Query, Reply};
use crate::chain::BlockId;
use crate::columns::table::any_row::AnyRow;
use crate::sanitize::SafeText;
use crate::ui::document::DocumentEntry;

/// Members of a blob, by where it was posted: to Ethereum, Celestia, `EigenDA` or another layer.
const BLOB_MEMBERS: [&str; 6] =
    ["hash", "commitment", "height", "namespace", "cert", "l1_transaction_hash"];

pub fn from_number(number: u64) -> DetailPane {
    let query = Query::Batch(number, BatchQuery::Details);
    let request = DetailRequest { query, load: load_detail };
    DetailPane::from_query(request, SafeText::new(&format!("batch {number}")))
}

fn load_detail(_: &Query, reply: &Reply, _: &PaneContext<'_>) -> Option<LoadedDetail> {
    let item = reply.item::<OptimismBatch>()?;
    Some(LoadedDetail::of_item(item, |_| BatchDetail(item.clone())))
}

#[derive(Debug)]
struct BatchDetail(Arc<Item<OptimismBatch>>);

impl DetailSource for BatchDetail {
    fn entries(&self, cx: &PaneContext<'_>) -> Vec<DocumentEntry> {
        let Ok(batch) = &self.0.parsed else { return Vec::new() };
        let block = |label, number| {
            field_entry(label, number, |number: &u64| {
                DocumentEntry::text(label, number.to_string()).link_block(BlockId::Number(*number))
            })
        };
        let mut entries = vec![
            number_entry("batch", &batch.number),
            time_entry("posted", &batch.l1_timestamp, cx),
            block("first block", &batch.first_block),
            block("last block", &batch.last_block),
            number_entry("tx", &batch.transactions_count),
            display_entry("container", &batch.container),
        ];
        let hashes = batch.l1_transactions.value().into_iter().flatten();
        entries.extend(hashes.map(|hash| DocumentEntry::text("L1 tx", hash.to_string())));
        let blobs = batch.blobs.value().into_iter().flatten();
        entries.extend(blobs.flat_map(|blob| blob_entries(&blob.0)));
        gather_absent(entries)
    }

    fn row(&self) -> Option<&dyn AnyRow> {
        Some(self.0.parsed.as_ref().ok()?)
    }
}

/// Returns the entry of a blob, and its other members below it.
fn blob_entries(json: &SafeText) -> Vec<DocumentEntry> {
    let blob: Value = serde_json::from_str(json).unwrap_or_default();
    let member = |name: &str| match blob.get(name)? {
        Value::String(text) => Some((name.replace('_', " "), SafeText::new(text))),
        Value::Number(number) => Some((name.replace('_', " "), SafeText::new(&number.to_string()))),
        _ => None,
    };
    let mut members = BLOB_MEMBERS.iter().filter_map(|name| member(name));
    let Some((_, first)) = members.next() else {
        return vec![DocumentEntry::text("blob", json.clone())];
    };
    let rest: Vec<DocumentEntry> =
        members.map(|(name, text)| DocumentEntry::text(&name, text).at_level(1)).collect();
    let entry = DocumentEntry::text("blob", first);
    let entry = if rest.is_empty() { entry } else { entry.fold(true) };
    [vec![entry], rest].concat()
}
